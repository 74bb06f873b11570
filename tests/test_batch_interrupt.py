"""Ctrl-C in the middle of a batch: it arrives at once, and rows that nobody began are as they were."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from batch_calls import CALLS

# More rows of the same: enough for a few tenths of a second. SIGPROF takes the part of SIGINT, with the same handler: it comes after so
# much time of the processor, of all threads, as all is measured here, and so whatever else the machine does.
CHILD = """
import json, signal, sys, time
import numpy as np
from batch_calls import CALLS, arrays

signal.signal(signal.SIGPROF, signal.default_int_handler)
WORTH, MOST = 0.4, 300e6  # seconds, bytes
UNTOUCHED = 12345.678  # an answer may be NaN

def many(call, times):
    return tuple(np.tile(x, (times, *[1] * (x.ndim - 1))) for x in call.given(call.rows))

def late(call, given, threads, wait):
    # seconds from the signal to the exception, and whether the first row was done and the last left out; None: the call was over before
    more = {}
    if call.out is not None:
        more["out"] = out = np.full((len(given[0]), *call.out), UNTOUCHED)
    begin = time.process_time()
    try:  # a wait may be over before the call begins
        signal.setitimer(signal.ITIMER_PROF, wait)
        call.run(*given, threads=threads, **more)
        signal.setitimer(signal.ITIMER_PROF, 0)
        time.sleep(0.01)  # one that is on its way
        return None
    except KeyboardInterrupt:
        took = time.process_time() - begin - wait
    return took, bool(more and (out[0] != UNTOUCHED).all() and (out[-1] == UNTOUCHED).all())

told = {}
for name in sys.argv[1:]:
    call = CALLS[name]
    given = call.given(call.rows)
    call.run(*given)
    begin = time.process_time()
    answer = call.run(*given)
    took = time.process_time() - begin
    size = sum(x.nbytes for x in (*arrays(answer), *given))
    times = min(int(WORTH / took) + 1, int(MOST / size) + 1)
    given = many(call, times)
    whole = np.inf
    for _ in range(2):  # the second time the memory is there
        begin = time.process_time()
        call.run(*given)
        whole = min(whole, time.process_time() - begin)
    for threads in (1, 2):
        seen = [late(call, given, threads, wait) for wait in whole * np.array([0.1, 0.2, 0.3])]
        told[f"{name}, {threads}"] = [whole, [x for x in seen if x is not None]]
print(json.dumps(told))
"""

QUICK = ["jacobian", "mass_matrix", "solutions, general", "evaluate"]
# the Python around the core takes most of the time of the last
REST = [name for name in CALLS if name not in (*QUICK, "subproblem")]
PARTS = [QUICK, *(pytest.param(REST[k::4], marks=pytest.mark.slow) for k in range(4))]


@pytest.mark.parametrize("names", PARTS, ids=lambda names: f"{names[0]} and {len(names) - 1} more")
def test_a_signal_ends_every_batch_within_a_tenth_of_a_second(names: list[str]) -> None:
    env = dict(os.environ, PYTHONPATH=os.pathsep.join([str(Path(__file__).parent), *sys.path]))
    done = subprocess.run(
        [sys.executable, "-c", CHILD, *names], capture_output=True, text=True, env=env, timeout=600
    )
    assert done.returncode == 0, done.stderr
    for name, (whole, late) in json.loads(done.stdout).items():
        if whole < 0.15:
            continue  # too short to be broken off for certain
        assert late, f"{name}: not interrupted in {whole:.2f} s"
        assert min(took for took, _ in late) < 0.1, f"{name}: {late} of {whole:.2f} s"
        if CALLS[name.rsplit(",", 1)[0]].out is not None:
            assert any(left for _, left in late), f"{name}: every row was done, or none"
