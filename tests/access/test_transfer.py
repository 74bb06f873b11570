"""Transfers: the printed percentiles come back, what is not known stays open, draws are draws."""

from __future__ import annotations

import csv
from importlib.resources import files

import numpy as np
import pytest

import handik as hk

ROWS = list(
    csv.DictReader(
        (files("handik.data") / "scenes" / "transfers.csv").read_text("utf-8").splitlines()
    )
)


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r['bars']}-{r['limit']}-{r['percent']}")
def test_a_printed_percentile_comes_back(row) -> None:
    height, percent = float(row["height_mm"]) / 1000, int(row["percent"])
    low, high = hk.access.transfer(height, bars=row["bars"]).share
    if height == 0.254:
        assert (low, high) == (0.25, 0.5)
    elif row["limit"] == "lowest" and height > 0.5613:  # above the people's own seats
        assert (low, high) == (0.95, 1.0)
    else:
        assert low == high == pytest.approx(1 - percent / 100)


def test_what_was_not_measured_stays_open() -> None:
    assert hk.access.transfer(1.0).share == pytest.approx((0.0, 0.05))
    assert hk.access.transfer(0.2).share == (0.0, 0.5)
    assert hk.access.transfer(0.57).share == (0.95, 1.0)
    alone = hk.access.transfer(0.46).share
    near = hk.access.transfer(0.46, gap=0.089).share
    assert near == pytest.approx((alone[0] - 0.05, alone[1]))
    assert hk.access.transfer(0.46, gap=0.09).share == pytest.approx((0.0, alone[1]))
    blocked = hk.access.transfer(0.46, obstacle=True)
    assert blocked.share == pytest.approx((alone[0] - 0.42, 0.58))
    assert blocked.height == alone
    assert "42 %" in blocked.why


@pytest.mark.parametrize(("bars", "half"), [("none", 0.3556), ("bar", 0.3175)])
def test_how_many_get_lower_than_was_tried_is_not_known(bars: str, half: float) -> None:
    """A quarter of the people stopped at the lowest seat, where nobody asked for a lower one."""
    ends = [hk.access.transfer(h, bars=bars).share for h in np.linspace(0.2541, half - 1e-4, 9)]
    for low, high in ends:
        assert 0.25 <= low < 0.5
        assert high == 0.5
    assert sorted(ends) == ends
    low, high = hk.access.transfer(half + 1e-4, bars=bars).share
    assert low == high > 0.5


def test_a_bar_never_makes_it_worse_below_the_highest_percentile() -> None:
    for height in np.arange(0.26, 0.88, 0.02):
        bare, held = (hk.access.transfer(height, bars=b).share[0] for b in ("none", "bar"))
        assert held >= bare - 1e-9


def test_draws_are_as_many_as_the_share_and_the_same_again() -> None:
    found = hk.access.transfer(0.66)
    drawn = found.draw(20_000, seed=3)
    assert drawn.mean() == pytest.approx(found.share[0], abs=0.015)
    np.testing.assert_array_equal(drawn, found.draw(20_000, seed=3))
    assert not np.array_equal(drawn, found.draw(20_000, seed=4))


def test_a_wrong_call_is_told() -> None:
    for bad in ({"height": 3.0}, {"height": 0.4, "gap": -1}, {"height": 0.4, "bars": "rope"}):
        with pytest.raises(hk.ArgumentError):
            hk.access.transfer(**bad)
