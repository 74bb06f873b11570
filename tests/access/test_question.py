"""The options of reach: one home of defaults and bounds, of whoever asks."""

from __future__ import annotations

from dataclasses import fields
from inspect import signature
from typing import Any

import pytest

import handik as hk
from handik.errors import ArgumentError
from handik.scene.access._question import Question

INF = float("inf")


def test_reach_shows_every_option_with_its_default_and_shares_those_they_have() -> None:
    own = {field.name: field.default for field in fields(Question)}
    shown = {name: p.default for name, p in signature(hk.access.reach).parameters.items()}
    assert list(shown)[3:] == list(own)
    assert {name: shown[name] for name in own} == own
    for ask in (hk.access.share, hk.access.sweep):
        others = {n: p.default for n, p in signature(ask).parameters.items() if n in own}
        assert others == {n: own[n] for n in others} | {"within": INF}


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"hand": "third"}, "hand must be"),
        ({"tolerance": 0.99e-6}, "tolerance must be 1e-6 or more"),
        ({"tolerance": INF}, "tolerance must be"),
        ({"within": 0.99e-5}, "within must be 1e-5 or more"),
        ({"time_limit": 0}, "time_limit must be above 0"),
        ({"time_limit": INF}, "time_limit must be above 0"),
        ({"tries": 10**6 + 1}, "tries"),
        ({"seed": -1}, "seed"),
        ({"threads": -1}, "threads"),
        ({"start": (0, 0, 0)}, "start= is where"),
    ],
)
def test_what_is_out_of_bounds_is_refused(wrong: dict[str, Any], match: str) -> None:
    with pytest.raises(ArgumentError, match=match):
        Question(**wrong)


def test_bounds_themselves_are_taken_and_a_budget_is_one_at_least() -> None:
    least = Question(tolerance=1e-6, within=1e-5, tries=10**6, budget=0)
    assert (least.tolerance, least.within, least.tries, least.budget) == (1e-6, 1e-5, 10**6, 1)


def test_nobody_is_asked_with_an_option_that_is_refused() -> None:
    with pytest.raises(ArgumentError, match="tolerance"):
        hk.access.share([], None, [[0.3, 0, 0]], tolerance=0.0)
    with pytest.raises(ArgumentError, match="within"):
        hk.access.sweep([], {1: [[0.3, 0, 0]]}, within=0.0)
