"""A pytest plugin that notes what each test runs: lines of the package, and basic blocks of a traced core.

The core is built with gcc's trace of program counters (mutation/trace.c); where it is not, Python alone is noted.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, cast

import numpy as np
import pytest

EACH = 4  # cases of a test with parameters that are noted; they stand for the others
OFTEN = 20  # after so many calls in a test, the lines of a function count as seen


def spent() -> float:
    """Seconds of the processor, those of children with it."""
    return sum(os.times()[:4])


class Noter:
    """What every test of a run ran, written at the end."""

    def __init__(self, target: Path) -> None:
        self.target, self.tests = target, {}
        self.package = os.path.join(os.getcwd(), "handik") + os.sep
        self.twins = self.package + "reference" + os.sep
        self.trace: Any = None
        library = Path(self.package) / "libmutant.so"
        if library.is_file():
            self.trace = np.ctypeslib.as_array(
                (ctypes.c_uint8 * (8 << 20)).in_dll(ctypes.CDLL(str(library)), "handik_trace")
            )
        self.lines: set[tuple[CodeType, int]] = set()
        self.calls: Counter[CodeType] = Counter()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        cases: dict[str, list[pytest.Item]] = {}
        for item in items:
            cases.setdefault(item.nodeid.split("[")[0], []).append(item)
        items.clear()
        for own in cases.values():
            items += [own[k] for k in sorted(set(np.linspace(0, len(own) - 1, EACH).astype(int)))]

    def line(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            self.lines.add((frame.f_code, frame.f_lineno))
        return self.line

    def call(self, frame: FrameType, event: str, _: Any) -> Any:
        code = frame.f_code
        if not code.co_filename.startswith(self.package) or code.co_filename.startswith(self.twins):
            return None
        self.calls[code] += 1
        if self.calls[code] > OFTEN:
            return None
        self.lines.add((code, frame.f_lineno))
        return self.line

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        self.lines.clear()
        self.calls.clear()
        if self.trace is not None:
            self.trace.view(np.uint64)[:] = 0
        begun = spent()
        threading.settrace(self.call)
        sys.settrace(self.call)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(cast(Any, None))  # which is how it is switched off
            found: dict[str, set[int]] = {}
            for code, line in self.lines:
                name = "handik/" + code.co_filename[len(self.package) :]
                found.setdefault(name, set()).add(line)
            self.tests.setdefault(item.nodeid, {"passed": True}).update(
                seconds=spent() - begun,
                lines={name: sorted(lines) for name, lines in found.items()},
                blocks=self.blocks(),
            )

    def blocks(self) -> list[int]:
        if self.trace is None:
            return []
        words = np.flatnonzero(self.trace.view(np.uint64))
        at = (words[:, None] * 8 + np.arange(8)).ravel()
        return list(map(int, at[self.trace[at] != 0]))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            self.tests.setdefault(report.nodeid, {})["passed"] = False

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        self.target.write_text(json.dumps(self.tests), "utf-8")
