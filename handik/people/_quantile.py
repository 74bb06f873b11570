"""Distributions known by a few percentiles, as smooth maps from normal scores to values."""

from __future__ import annotations

from functools import cache
from math import exp, lgamma, log
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.spec._given import number

Floats = NDArray[np.float64]

#: Drawn scores stay within this many standard deviations of their middle: beyond it the straight
#: ends of the maps are mere extrapolation. One person in 16,000 lies further out.
DRAWN_WITHIN = 4.0
#: What is further out than this many standard scores is refused: nothing in a survey is near it,
#: and bodies extrapolated so far come apart.
GIVEN_WITHIN = 6.0
#: Halvings of the bracket when a map is inverted: a bracket of one knot to the next is then below
#: the rounding of a double.
_HALVINGS = 60


def normal_score(p: float) -> float:
    """Return the standard normal deviate below which a share p lies."""
    return NormalDist().inv_cdf(p)


def score_of_share(p: float, name: str = "p") -> float:
    """Return the normal score of a share of people that a caller gave."""
    score = normal_score(share_of_people(p, name))
    if abs(score) > GIVEN_WITHIN:
        raise ArgumentError(
            f"a share of people as near to {round(p)} as {p!r} is further than {GIVEN_WITHIN:g} "
            "standard scores from the middle: no survey carries that"
        )
    return score


def share_of_people(p: Any, name: str) -> float:
    """Return a share of people that a caller gave."""
    share = number(name, p)
    if not 0 < share < 1:
        raise ArgumentError(f"{name}, a share of people, lies between 0 and 1, got {p!r}")
    return share


@cache
def farthest(k: int) -> float:
    """Return the length of k independent scores that is as rare as one beyond `GIVEN_WITHIN`."""
    inside = 1 - 2 * NormalDist().cdf(-GIVEN_WITHIN)
    return float(np.sqrt(chi_square_quantile(inside, k)))


def chi_square_quantile(p: float, k: int) -> float:
    """Return the value that the squared length of k normal scores keeps below with chance p."""
    low, high = 0.0, 1.0
    while _chi_square(high, k) < p:
        high *= 2
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _chi_square(middle, k) < p else (low, middle)
    return 0.5 * (low + high)


def _chi_square(x: float, k: int) -> float:
    """Chance of a squared length below x: the series of the lower incomplete gamma function."""
    term = total = 1 / (0.5 * k)
    n = 0.5 * k
    while term > 1e-17 * total:
        n += 1
        term *= 0.5 * x / n
        total += term
    return total * exp(-0.5 * x + 0.5 * k * log(0.5 * x) - lgamma(0.5 * k))


class QuantileMap:
    """Monotone cubic through (score, value), straight beyond both ends.

    The slopes are those of Fritsch and Butland (1984), which keep each piece between its ends, so
    that a larger score never gives a smaller value.
    """

    def __init__(self, scores: Floats, values: Floats) -> None:
        self.x, self.y = scores, values
        self.slope = _slopes(scores, values)

    def __call__(self, z: Floats) -> Floats:
        """Return the values at scores z, any shape."""
        x, y, m = self.x, self.y, self.slope
        k = np.clip(np.searchsorted(x, z, side="right") - 1, 0, len(x) - 2)
        h = x[k + 1] - x[k]
        t = (z - x[k]) / h
        inside: Floats = _cubic(t, y[k], y[k + 1], h * m[k], h * m[k + 1])
        below, above = y[0] + m[0] * (z - x[0]), y[-1] + m[-1] * (z - x[-1])
        return np.where(z < x[0], below, np.where(z > x[-1], above, inside))

    def inverse(self, value: float) -> float:
        """Return the score of a value; of the middle where several scores have it."""
        x, y, m = self.x, self.y, self.slope
        if value <= y[0]:
            return float(x[0] + (value - y[0]) / m[0])
        if value >= y[-1]:
            return float(x[-1] + (value - y[-1]) / m[-1])
        first, last = (
            int(np.searchsorted(y, value, "left")),
            int(np.searchsorted(y, value, "right")),
        )
        if first < last:  # the value of a knot, or of several
            return float(0.5 * (x[first] + x[last - 1]))
        k, low, high = last - 1, 0.0, 1.0
        y0, y1, h = float(y[k]), float(y[k + 1]), float(x[k + 1] - x[k])
        m0, m1 = h * float(m[k]), h * float(m[k + 1])
        for _ in range(_HALVINGS):
            t = 0.5 * (low + high)
            at = _cubic(t, y0, y1, m0, m1)
            low, high = (t, high) if at < value else (low, t)
        return float(x[k]) + 0.5 * (low + high) * h


def _cubic(t: Any, y0: Any, y1: Any, m0: Any, m1: Any) -> Any:
    """Hermite's cubic over 0 <= t <= 1 with the values y and slopes m at its ends."""
    rest = 1 - t
    return rest * rest * (y0 * (1 + 2 * t) + m0 * t) + t * t * (y1 * (3 - 2 * t) - m1 * rest)


def _slopes(x: Floats, y: Floats) -> Floats:
    h, d = np.diff(x), np.diff(y) / np.diff(x)
    m = np.empty_like(x)
    m[0], m[-1] = d[0], d[-1]
    w1, w2 = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    rising = (d[:-1] > 0) & (d[1:] > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        m[1:-1] = np.where(rising, (w1 + w2) / (w1 / d[:-1] + w2 / d[1:]), 0.0)
    return m
