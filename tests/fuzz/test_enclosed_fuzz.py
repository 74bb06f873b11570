"""The fuzzer of rooms for a hand: a short slice of it, and a fault planted in the core's answer."""

from __future__ import annotations

import enclosed as fuzz
import numpy as np
import pytest

from handik import _core


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    found = fuzz.Found()
    for seed in range(100, 112):
        fuzz.check_room(seed, found)
    assert not found.failures
    assert found.count["blocked"] >= 10
    assert found.count["clear"] >= 10


def test_it_tells_a_false_no(monkeypatch: pytest.MonkeyPatch) -> None:
    own, found = _core._hand_prove, fuzz.Found()

    def blocks(*args: object) -> object:
        outcome, *rest = own(*args)
        return np.zeros_like(outcome), *rest

    monkeypatch.setattr(_core, "_hand_prove", blocks)
    for seed in range(100, 106):
        fuzz.check_room(seed, found)
    assert any("no room, and a turn" in failure for failure in found.failures)
