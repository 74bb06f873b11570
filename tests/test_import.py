"""`import handik` needs NumPy alone and is quick."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

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


CLOCK = """
import numpy, time
start = time.process_time()
import handik
print(1000 * (time.process_time() - start))
"""


def import_ms() -> float:
    """Return the processor time that `import handik` adds to that of NumPy.

    Not the time on the wall, which on a machine with eight busy programs is that of the others.
    """
    return float(python("-c", CLOCK).stdout)


def test_import_takes_less_than_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The least of several: noise of a busy machine only ever adds. The first one compiles."""
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path))
    assert min(import_ms() for _ in range(8)) < BOUND_MS


def test_a_folder_without_the_core_says_what_to_do(tmp_path: Path) -> None:
    import handik

    home = Path(handik.__file__).parent
    folder = tmp_path / "handik"
    folder.mkdir()
    (folder / "__init__.py").write_bytes((home / "__init__.py").read_bytes())
    done = subprocess.run(
        # -S: an editable install would find the core elsewhere
        [sys.executable, "-S", "-c", "import handik"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: the C core of handik is not built in ")
    assert "pip install -e ." in last
    assert "leave that folder" in last
