"""A slice of the fuzzer of edges and rounded corners with something in the way."""

from __future__ import annotations

import swept as fuzz


def test_no_edge_is_free_with_something_in_the_way() -> None:
    found = fuzz.Found()
    for seed in range(1, 26):
        fuzz.one(seed, found)
    assert not found.failures
    for kind in fuzz.KINDS:
        assert found.outcomes[f"{kind}: collides"] > 30
    assert (
        sum(found.outcomes[f"{kind}: undecided"] for kind in fuzz.KINDS) > 15
    )  # touched for a moment alone


def test_rounded_corners_leave_aside_what_is_in_the_way() -> None:
    found = fuzz.Found()
    for seed in range(1, 7):
        fuzz.polygon(seed, found)
    assert not found.failures
    for kind in fuzz.KINDS:
        assert found.outcomes[f"{kind}: rounded otherwise"]
        assert not found.outcomes[f"{kind}: rounded as before"]
