"""The fuzzer of drives: a short slice of it, and planted faults, which it must find."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

pytest.importorskip("coal")
pytest.importorskip("shapely")

import drives

from handik.app._drive import Ride
from handik.app._ground import Ground


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    count: Counter[str] = Counter()
    for seed in (103, 113):
        said, fault = drives.case(seed)
        assert not fault, (seed, fault)
        count[said] += 1
    assert count["held up"]


def test_planted_faults_are_found(monkeypatch: Any) -> None:
    nearest, moved = Ground.nearest, Ride._moved
    faults = {
        "clear": lambda self, outline, far: (min(nearest(self, outline, far)[0] + 0.004, far), ""),
        "nothing": lambda self, outline, far: (far, ""),
    }
    for fault in faults.values():
        monkeypatch.setattr(Ground, "nearest", fault)
        assert drives.case(113)[1]
    monkeypatch.setattr(Ground, "nearest", nearest)
    monkeypatch.setattr(Ride, "_moved", lambda self, p, f, t, s: moved(self, p, f, t, 1.001 * s))
    assert drives.case(113)[1]
