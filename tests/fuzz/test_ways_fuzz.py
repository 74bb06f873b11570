"""The fuzzer of ways for an arm: a short slice of it, and a fault planted in the core's answer."""

from __future__ import annotations

import numpy as np
import pytest
import ways as fuzz

from handik import _core


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    found = fuzz.Found()
    for seed in range(1000, 1008):
        fuzz.check_arm(seed, found, 3)
    assert not found.failures
    assert found.count["grazed"] >= 10
    assert found.count["no, looked at"] >= 20


def test_it_tells_a_false_no(monkeypatch: pytest.MonkeyPatch) -> None:
    own, found = _core._arm_prove, fuzz.Found()

    def blocks(*args: object) -> object:
        outcome, *rest = own(*args)
        return np.zeros_like(outcome), *rest

    monkeypatch.setattr(_core, "_arm_prove", blocks)
    for seed in range(1000, 1020):
        fuzz.check_arm(seed, found, 2)
    assert any("a free posture is there" in failure for failure in found.failures)
    assert any("a solver finds one" in failure for failure in found.failures)
