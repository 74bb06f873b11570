"""A slice of the fuzzer of passing."""

from __future__ import annotations

import chairs as fuzz


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    said = [fuzz.one(seed) for seed in range(8)]
    assert not [one for one in said if one.startswith("FALSE")]
    assert {"yes", "no, by the planner too"} <= set(said)
