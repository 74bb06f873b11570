"""A small run of the fuzzer of verdicts at the edge of the reach."""

from __future__ import annotations

from edges import some


def test_no_verdict_is_contradicted_by_a_posture_at_the_edge() -> None:
    found = some(3, 8)
    assert not found.failures, found.failures
    assert sum(n for said, n in found.count.items() if said.endswith("no")) > 5
