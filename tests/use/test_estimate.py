"""Means and intervals against known numbers and SciPy."""

from __future__ import annotations

import numpy as np
import pytest

from handik.study.estimate import Estimate, Median, digits, t_quantile

stats = pytest.importorskip("scipy.stats")


@pytest.mark.parametrize("freedom", [1, 2, 4])
def test_quantile_is_exact_where_it_has_a_closed_form(freedom: int) -> None:
    assert t_quantile(freedom) == pytest.approx(stats.t.ppf(0.975, freedom), rel=1e-12)


@pytest.mark.parametrize("freedom", [3, 5, 6, 9, 30, 99, 10_000])
@pytest.mark.parametrize("share", [0.9, 0.95])
def test_quantile_is_near_elsewhere(freedom: int, share: float) -> None:
    want = stats.t.ppf((1 + share) / 2, freedom)
    assert t_quantile(freedom, share) == pytest.approx(want, rel=2e-3)


def test_interval_of_known_numbers() -> None:
    # mean 5, s = sqrt(32 / 7), t(7) = 2.3646: half = 2.3646 sqrt(32 / 7 / 8)
    found = Estimate.of([2, 4, 4, 4, 5, 5, 7, 9])
    assert found.mean == 5.0
    assert found.half == pytest.approx(2.364624 * np.sqrt(32 / 7 / 8), rel=1e-4)
    assert (found.low, found.high) == (found.mean - found.half, found.mean + found.half)


def test_interval_covers_the_mean_as_often_as_it_says() -> None:
    rng = np.random.default_rng(7)
    found = [Estimate.of(row) for row in rng.normal(3.0, 2.0, size=(4000, 6))]
    covered = np.mean([e.low <= 3.0 <= e.high for e in found])
    assert covered == pytest.approx(0.95, abs=0.011)  # three standard errors of 4,000 draws


def test_few_values() -> None:
    assert str(Estimate.of([])) == "-"
    assert str(Estimate.of([3.5])) == "3.5 (no interval)"
    assert str(Estimate.of([2.0, 2.0])) == "2.0 ± 0.0"
    assert str(Median.of([])) == "-"
    assert str(Median.of([0.25])) == "0.250 (no interval)"
    assert str(Median.of([1.0, 2.0, 3.0, 4.0, 5.0])) == "3.00 [1.00 to 5.00]"
    assert str(Median.of([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])) == "3.50 [1.00, 6.00]"
    assert np.isnan(Estimate.of([3.5]).half)
    assert Estimate.of([2.0, 2.0]).half == 0.0


@pytest.mark.parametrize(
    ("value", "of", "text"),
    [(1.0808, 0.0123, "1.081"), (83056.4, 300, "83,056"), (6.26, 0.72, "6.26"), (0.5, 0, "0.5")],
)
def test_digits_follow_the_interval(value: float, of: float, text: str) -> None:
    assert digits(value, of) == text
