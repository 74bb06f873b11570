"""A slice of the fuzzer of arrays that are written to while the core reads them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import meanwhile as fuzz


def test_a_slice_of_the_fuzzer_ends_of_itself(tmp_path: Path) -> None:
    """In a process of its own, which a fault would end."""
    done = subprocess.run(
        [sys.executable, fuzz.__file__, "1", "0.1"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" calls, ") == len(fuzz.CALLS)
