"""A slice of the fuzzer of crowds."""

from __future__ import annotations

import crowds as fuzz


def test_a_crowd_is_what_each_of_it_is() -> None:
    found = fuzz.some(3, 40)
    assert not found.failures, found.failures
    assert min(found.free, found.hit) > 100
