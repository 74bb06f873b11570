"""Files that readers met while fuzzed: each is read, or refused by name, at once and in little room."""

from __future__ import annotations

import importlib.util
import time
import tracemalloc
from pathlib import Path

import pytest

from handik.errors import HandikError

HERE = Path(__file__).parent
FILES = sorted(path for path in (HERE / "corpus").glob("*/*") if path.is_file())


def fuzz():
    spec = importlib.util.spec_from_file_location("readers", HERE.parent / "fuzz" / "readers.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_replay(path):
    run = fuzz().target(path.parent.name)
    data = path.read_bytes()
    tracemalloc.start()
    start = time.process_time()
    found = run(data)
    spent = time.process_time() - start
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200 * 2**20
    assert spent < 20  # a hang, not a speed: tracing slows every allocation
    # Whole files are read, files cut or bent are refused.
    assert isinstance(found, HandikError) != path.name.startswith("good")


def test_every_reader_has_a_corpus():
    assert {path.parent.name for path in FILES} == set(fuzz().NAMES)
