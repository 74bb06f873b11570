"""The C tests: every csrc/tests/test_*.c, with the flags of the product, plain and sanitized.

The flavour "asan" runs under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer; those
that start threads also under ThreadSanitizer.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from _native import CSRC, Builder, BuildError, program_sources, run_program

pytestmark = pytest.mark.build
CLOSING = re.compile(r"^(\d+) passed, 0 failed$")


def test_source_tree_is_there() -> None:
    assert program_sources(), f"no test_*.c below {CSRC}: set HANDIK_SOURCE to the source tree"


THREADED = re.compile(r"\bhik_fork_join\b|\.threads\b")
CASES = [
    pytest.param(source, flavour, id=f"{source.stem}-{flavour}")
    for source in program_sources()
    for flavour in ("plain", "asan", "tsan")
    if flavour != "tsan" or THREADED.search(source.read_text("utf-8"))
]


@pytest.mark.parametrize(("source", "flavour"), CASES)
def test_program(source: Path, flavour: str, builders: dict[str, Builder]) -> None:
    try:
        program = builders[flavour].program(source)
    except BuildError as error:
        pytest.fail(str(error), pytrace=False)
    done = run_program(program, flavour)
    shown = f"{done.stdout[-6000:]}{done.stderr[-6000:]}"
    assert done.returncode == 0, f"exit status {done.returncode}\n{shown}"
    last = done.stdout.strip().splitlines()[-1:] or [""]
    closing = CLOSING.match(last[0])
    assert closing, f"no closing line 'N passed, 0 failed'\n{shown}"
    assert int(closing[1]) > 0, "the program ran no test"
