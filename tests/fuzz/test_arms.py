"""The fuzzer of closed forms: a short slice of it, and faults planted in answers, which it must find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from arms import Found, check_nearest, check_union, nearest, some_arms

import handik as hk


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    found = some_arms(7000, 60)
    assert not found.failures
    assert min(found.count[f"{n} joints"] for n in (3, 4, 5, 6)) >= 12
    assert found.count["unions"] >= 8
    assert found.count["not compared"] <= 12


def test_the_oracle_turns_each_joint_by_itself() -> None:
    every, start = np.array([[3.0, 0.0], [1.0, 1.0]]), np.array([-3.0, 0.2])
    assert nearest(every, start, np.full(2, -4.0), np.full(2, 4.0)) == pytest.approx(2 * np.pi - 6)
    assert nearest(every, start, np.full(2, -3.1), np.full(2, 3.1)) == pytest.approx(4.0)
    assert nearest(every, start, np.full(2, 4.0), np.full(2, 5.0)) == np.inf


def test_it_tells_another_posture_than_the_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    own, found = hk.Model.solve, Found()

    def from_elsewhere(self: hk.Model, **wishes: Any) -> hk.Result:
        return own(self, **(wishes | {"q0": wishes["q0"] + 2.0}))

    monkeypatch.setattr(hk.Model, "solve", from_elsewhere)
    for seed in range(7000, 7010):
        check_nearest(seed, found)
    assert any("moves" in failure for failure in found.failures)


def test_it_tells_a_posture_that_a_union_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    own, found = hk.Model.solutions, Found()

    class Short:
        """A union without its last row, said to be complete."""

        def __init__(self, whole: Any) -> None:
            self.q, self.count, self.complete = whole.q[:-1], whole.count - 1, True

    def short(self: hk.Model, pose: Any, **options: Any) -> Any:
        whole = own(self, pose, **options)
        return Short(whole) if isinstance(options.get("lock"), str) and whole.count else whole

    monkeypatch.setattr(hk.Model, "solutions", short)
    for seed in range(7000, 7012, 4):
        check_union(seed, found)
    assert any("is complete" in failure for failure in found.failures)
    assert any("with a link there" in failure or "missing" in failure for failure in found.failures)
