"""Intervals for the mean of a number of each of the people, and for shares of them."""

from __future__ import annotations

from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, UnsupportedError
from handik.spec._given import number

__all__ = ["interval_of_sets", "level_of", "share_of_sets", "wilson"]


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
    return max(float(middle - half), 0.0), min(float(middle + half), 1.0)


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
    where all are as large. Where all sets agree, or all are of one, they tell no spread: Wilson's.
    """
    own = np.unique(sets, return_inverse=True)[1]
    count = np.bincount(own)
    many, n = len(count), len(met)
    of_set = np.bincount(own, met, many)
    total = float(of_set.sum())
    if n == 0 or (of_set * n == total * count).all():
        return wilson(total, n, level)
    share = total / n
    low, high = interval_of_sets(
        share + (of_set - share * count) * many / n, np.arange(many), level
    )
    return max(low, 0.0), min(high, 1.0)
