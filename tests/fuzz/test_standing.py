"""The fuzzer of what stands on the page: a short slice of it, and planted faults, which it must find."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import standing

from handik.app import _acts_plan
from handik.app._document import Document


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    for seed in range(3):
        assert not standing.case(seed), seed


@pytest.mark.parametrize("fault", ["outlived", "held"])
def test_a_planted_fault_is_found(monkeypatch: Any, fault: str) -> None:
    if fault == "outlived":
        monkeypatch.setattr(Document, "asking", lambda self, **other: replace(self, **other))
    else:
        monkeypatch.setattr(_acts_plan, "_holding", _acts_plan.placed)
    assert any(standing.case(seed) for seed in range(60))
