"""The fuzzer of free postures among near obstacles: a short slice of it, and a false no planted."""

from __future__ import annotations

import free_hands as fuzz
import pytest

from handik.scene.access._enclosed import Enclosed


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    found = fuzz.Found()
    for seed in range(5):
        fuzz.check_figure(seed, found, postures=8, public=1)
    assert not found.failures
    assert found.count["free hands"] >= 20
    assert found.count["yes"] >= 1


def test_it_tells_a_false_no(monkeypatch: pytest.MonkeyPatch) -> None:
    found = fuzz.Found()
    monkeypatch.setattr(fuzz, "enclosed", lambda *_: Enclosed(("box",), 1))
    fuzz.check_figure(0, found, postures=4, public=0)
    assert len(found.failures) == found.count["free hands"] > 0
