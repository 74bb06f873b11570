"""A pytest plugin that notes which functions of handik each test file runs: ``-p mutation.cover``.

The note goes to the file that HANDIK_COVER names: {test file: [[source, qualified name], ...]}, both
relative to the tree. tests/mutants.py makes it once and so knows which tests may kill a mutant.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import handik

PACKAGE = str(Path(handik.__file__).parent)
TREE = Path(PACKAGE).parent
ran: dict[str, set[tuple[str, str]]] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[Any]:
    own = ran.setdefault(str(item.path.relative_to(item.config.rootpath)), set())
    codes: set[Any] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(note)
    try:
        return (yield)
    finally:
        sys.setprofile(None)
        own.update(
            (str(Path(code.co_filename).relative_to(TREE)), code.co_qualname)
            for code in codes
            if code.co_filename.startswith(PACKAGE)
        )


def pytest_sessionfinish() -> None:
    if target := os.environ.get("HANDIK_COVER"):
        Path(target).write_text(json.dumps({name: sorted(found) for name, found in ran.items()}))
