"""The C tests: every csrc/tests/test_*.c, with the flags of the product, plain and sanitized.

The flavour "asan" runs under AddressSanitizer, LeakSanitizer and UndefinedBehaviorSanitizer; those
that start threads also under ThreadSanitizer; every solver on random figures also under clang's
MemorySanitizer, which finds what is read before it is written.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from _native import CSRC, Builder, BuildError, program_sources, run_program

pytestmark = pytest.mark.build
CLOSING = re.compile(r"^(\d+) passed, 0 failed$")


def test_source_tree_is_there() -> None:
    assert program_sources(), f"no test_*.c below {CSRC}: set HANDIK_SOURCE to the source tree"


#: Under MemorySanitizer: among them FABRIK, of which one unwritten number was once suspected.
UNWRITTEN = (
    "test_random_figures",
    "test_fabrik_tree",
    "test_skin",
    "test_spread",
    "test_follow",
    "test_least",
)
THREADED = re.compile(r"\bhik_fork_join\b|\.threads\b")
CASES = [
    pytest.param(source, flavour, id=f"{source.stem}-{flavour}")
    for source in program_sources()
    for flavour in ("plain", "asan", "tsan", "msan")
    if flavour != "tsan" or THREADED.search(source.read_text("utf-8"))
    if flavour != "msan" or source.stem in UNWRITTEN
]


@cache
def knows_unwritten() -> bool:
    """Tell whether a clang is here that has the library of that sanitizer."""
    if shutil.which("clang") is None:
        return False
    command = ["clang", "-fsanitize=memory", "-x", "c", "-", "-o", os.devnull]
    program = "int main(void) { return 0; }"
    return subprocess.run(command, input=program, text=True, capture_output=True).returncode == 0


@pytest.mark.timeout(1200)  # the first of a flavour compiles the library
@pytest.mark.parametrize(("source", "flavour"), CASES)
def test_program(source: Path, flavour: str, builders: dict[str, Builder]) -> None:
    if flavour == "msan" and not knows_unwritten():
        pytest.skip("not on this machine: clang with MemorySanitizer")
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
