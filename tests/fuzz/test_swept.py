"""A slice of the fuzzer of edges with a sphere in the way."""

from __future__ import annotations

import swept as fuzz


def test_a_slice_of_the_fuzzer_finds_nothing() -> None:
    found = fuzz.some(1, 60)
    assert not found.failures
    assert found.outcomes["collides"] > 300
    assert found.outcomes["undecided"] > 50  # the sphere is touched for a moment alone
    assert found.outcomes["rounded otherwise"] > 30
    assert not found.outcomes["rounded as before"]  # the sphere is in the way
