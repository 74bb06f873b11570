"""`import handik` needs NumPy alone and is quick."""

from __future__ import annotations

import json
import re
import subprocess
import sys

LOADED = """
import json, sys
import numpy
before = set(sys.modules)
import handik
print(json.dumps(sorted(set(sys.modules) - before)))
"""
ALONE = """
import importlib.abc, sys
class Wall(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top not in sys.stdlib_module_names | {"numpy", "handik"}:
            raise ImportError(f"import handik asked for {name}")
sys.meta_path.insert(0, Wall())
import handik
assert handik.__version__
"""
BOUND_MS = 100


def python(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )


def test_import_needs_numpy_alone() -> None:
    python("-c", ALONE)


def test_import_loads_nothing_heavy() -> None:
    loaded = set(json.loads(python("-c", LOADED).stdout))
    assert "handik._core" in loaded
    top = {name.partition(".")[0] for name in loaded}
    foreign = top - set(sys.stdlib_module_names) - {"handik", "numpy"}
    assert not foreign
    # Parts of the standard library that cost much and that only some calls need.
    assert not top & {"asyncio", "http", "unittest", "multiprocessing", "tkinter"}


def import_ms() -> float:
    """Return the time that `import handik` adds to that of NumPy, as Python itself counts it."""
    report = python("-X", "importtime", "-c", "import numpy\nimport handik").stderr
    for line in report.splitlines():
        if found := re.match(r"import time:\s*\d+ \|\s*(\d+) \| handik$", line):
            return int(found[1]) / 1000
    raise AssertionError(f"no line for handik in\n{report}")


def test_import_takes_less_than_its_bound() -> None:
    """The least of several: noise of a busy machine only ever adds."""
    assert min(import_ms() for _ in range(7)) < BOUND_MS
