"""The fuzzer of proved edges: a short slice of it, and faults planted in proofs, which it must find."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from proved import FAMILIES, Found, check, some

import handik as hk

pytestmark = pytest.mark.build  # the oracle is compiled


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    found = some(0, 2 * len(FAMILIES), 80)
    assert not found.failures, found.failures
    assert sum(found.count[f"free: {family}"] > 0 for family in FAMILIES) >= 5
    assert min(found.count[word] for word in ("free", "collides", "undecided", "within 1 mm")) > 5


@pytest.mark.parametrize("family", ["plain", "thin", "balls", "itself"])
def test_it_tells_an_edge_that_is_called_free(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every edge is called free, also those that touch something on their way alone."""
    own = hk.Scene.proves

    def lies(scene: hk.Scene, *args: Any) -> Any:
        told = own(scene, *args)
        ends = scene.free(args[0], args[1]) & scene.free(args[0], args[2])
        return type("Told", (), {"outcome": np.where(ends, "free", told.outcome)})

    monkeypatch.setattr(hk.Scene, "proves", lies)
    found = Found()
    for turn in range(2):
        check(FAMILIES.index(family) + len(FAMILIES) * turn, found, 150)
    assert any("of the way" in one for one in found.failures)
