"""A short run of the damaged documents."""

from __future__ import annotations

import random

from documents import fault, whole


def test_a_damaged_document_is_told_by_its_part_or_read_whole() -> None:
    text = whole()
    assert [
        said
        for seed in (1272, 1388, 3864, *range(60))
        if (said := fault(random.Random(seed), text))
    ] == []
