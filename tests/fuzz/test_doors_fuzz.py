"""The fuzzer of doors: a short slice of it, and faults planted in witnesses, which it must find."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import doors
import numpy as np

import handik as hk


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    count: Counter[str] = Counter()
    for seed in (*range(12), 109):  # 109: legs that went back moved the chair sideways
        said, fault = doors.case(seed)
        assert not fault, (seed, fault)
        count[said] += 1
    assert count["yes"] >= 6


def test_planted_faults_are_found() -> None:
    seed = next(s for s in range(50) if doors.case(s)[0] == "yes")
    chair, walls, door, start, goal, shut = doors.drawn(seed)
    found = hk.access.opens(chair, walls, door, start, goal, shut=shut)
    assert not doors.wrong_drive(found, walls)
    for change in ([1.5, 0, 0], [0, 0, 0.3]):
        path = found.path.copy()
        path[len(path) // 2, :3] += change
        assert doors.wrong_drive(replace(found, path=path), walls)
    open_ = found.path.copy()
    open_[:, 3:] = 0.0  # through the leaf
    if np.diff(found.path[:, 3]).any():
        assert "touched" in doors.wrong_drive(replace(found, path=open_), walls)
