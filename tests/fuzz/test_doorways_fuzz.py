"""A small run of the fuzzer of doorways."""

from __future__ import annotations

import doorways


def test_doors_hang_where_they_were_put() -> None:
    assert [(seed, fault) for seed in range(25) if (fault := doorways.wrong(seed))] == []
