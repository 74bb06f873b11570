"""Intervals for the mean of a number of each of the people, and for shares of them."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, UnsupportedError
from handik.spec._given import number

__all__ = [
    "difference_of_shares",
    "interval_of_sets",
    "level_of",
    "mean_of_shares",
    "share_of_sets",
    "wilson",
]


def level_of(level: Any) -> float:
    """Return the level of an interval, checked."""
    found = number("level", level)
    if not 0 < found < 1:
        raise ArgumentError(f"level must lie between 0 and 1, got {found:g}")
    return found


def wilson(met: float, count: float, level: float) -> tuple[float, float]:
    """Return Wilson's interval: the shares from which `met` of `count` is no surprise."""
    if count == 0:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + 0.5 * level)
    middle = (met + 0.5 * z * z) / (count + z * z)
    half = z / (count + z * z) * np.sqrt(met * (count - met) / count + 0.25 * z * z)
    low = 0.0 if met == 0 else max(float(middle - half), 0.0)  # exactly: rounding leaves 1e-18
    return low, 1.0 if met == count else min(float(middle + half), 1.0)


def interval_of_sets(
    values: NDArray[np.float64], sets: NDArray[np.intp], level: float
) -> tuple[float, float]:
    """Return Student's interval for a mean, from how the means of the sets differ."""
    try:
        from scipy.special import stdtrit
    except ImportError:
        raise UnsupportedError(
            "the interval of several sets needs SciPy: pip install 'handik[scipy]'"
        ) from None
    many = int(sets.max()) + 1
    means = np.bincount(sets, values, many) / np.bincount(sets, minlength=many)
    if np.ptp(means) == 0:  # the mean of equal numbers may be rounded, and then they would differ
        return float(means[0]), float(means[0])
    mean, spread = float(means.mean()), float(means.std(ddof=1))
    half = float(stdtrit(many - 1, 0.5 + 0.5 * level)) * spread / many**0.5
    return mean - half, mean + half


def share_of_sets(
    met: NDArray[np.bool_], sets: NDArray[np.intp], level: float
) -> tuple[float, float]:
    """Return an interval for the share of people who meet something, from how sets of them differ.

    Sets of which different numbers are asked, as in a group, count by their numbers: Student's of
    a ratio, linearized (Cochran, Sampling Techniques, 1977, 6.4), which is that of the sets' means
    where all are as large. Where all sets agree, or all are of one, or fewer people differ from the
    others than half as many as there are sets, they tell no spread: Wilson's.
    """
    found = _of_sets(met, sets, level)
    return wilson(float(met.sum()), len(met), level) if found is None else _within(found, 0.0)


def difference_of_shares(
    first: NDArray[np.bool_], second: NDArray[np.bool_], sets: NDArray[np.intp] | None, level: float
) -> tuple[float, float]:
    """Return an interval for the second share less the first, where the same people were asked.

    Of people drawn at random Wald's, with one person added who changes either way (Bonett and
    Price, J. Educ. Behav. Stat. 37 (2012) 479-488): where nobody changes it has a width, too. Of
    sets as `share_of_sets`, and where these tell no spread the other one.
    """
    change = second.astype(float) - first
    found = None if sets is None else _of_sets(change, sets, level)
    if found is None:
        n, z = len(change) + 2, NormalDist().inv_cdf(0.5 + 0.5 * level)
        more, less = ((np.count_nonzero(change == way) + 1) / n for way in (1, -1))
        half = z * ((more + less - (more - less) ** 2) / n) ** 0.5
        found = more - less - half, more - less + half
    return _within(found, -1.0)


def mean_of_shares(
    values: NDArray[np.float64], sets: NDArray[np.intp] | None, level: float
) -> tuple[float, float]:
    """Return an interval for the mean of numbers from 0 to 1, one of each of the people.

    Of people drawn at random Wilson's, as if all were 0 or 1: none spread more.
    """
    found = None if sets is None else _of_sets(values, sets, level)
    total = float(values.sum())
    return wilson(total, len(values), level) if found is None else _within(found, 0.0)


def _within(ends: tuple[float, float], least: float) -> tuple[float, float]:
    return max(float(ends[0]), least), min(float(ends[1]), 1.0)


def _of_sets(values: Any, sets: NDArray[np.intp], level: float) -> tuple[float, float] | None:
    """Return Student's interval for a ratio, from how sets differ; None: they tell no spread."""
    own = np.unique(sets, return_inverse=True)[1]
    count = np.bincount(own)
    many, n = len(count), len(values)
    of_set = np.bincount(own, values, many)
    total = float(of_set.sum())
    alike = np.unique(np.round(np.asarray(values, float), 9), return_counts=True)[1].max(initial=0)
    if 2 * (n - alike) < many:  # a few are in single sets, whose spread is chance
        return None
    if n == 0 or (np.abs(of_set * n - total * count) < 1e-9 * n).all():
        return None
    mean = total / n
    return interval_of_sets(mean + (of_set - mean * count) * many / n, np.arange(many), level)
