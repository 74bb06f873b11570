"""A short run of the fuzzer of what figures carry."""

from __future__ import annotations

import pytest

pytest.importorskip("coal")
pytest.importorskip("scipy")

import carried


def test_what_is_carried_is_measured_as_a_part_of_the_figure() -> None:
    assert carried.run(0, 40) == []
