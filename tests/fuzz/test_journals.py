"""The fuzzer of journals: a short slice of it, and a planted fault, which it must find."""

from __future__ import annotations

from typing import Any

import journals

from handik.app._history import History

SEEDS = range(8)


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    for seed in SEEDS:
        assert not journals.case(seed), seed


def test_a_planted_fault_is_found(monkeypatch: Any) -> None:
    monkeypatch.setattr(History, "settle", lambda self, count: None)
    assert any(journals.case(seed) for seed in range(60))
