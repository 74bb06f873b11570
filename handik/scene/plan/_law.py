"""Where on a curve one is at which time: s(t) in pieces."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import numpy as np
from numpy.typing import NDArray

__all__ = ["Law", "Limits", "waves"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Limits:
    """Greatest velocity, acceleration and jerk of each coordinate of velocity (nv,)."""

    velocity: Array
    acceleration: Array
    jerk: Array | None


@dataclass(frozen=True, eq=False)
class Law:
    """s(t): s and three derivatives of it at the beginning of each piece, and `rate`.

    Notes
    -----
    In a piece d3s/dt3 is steady, or, where `rate` is not 0, d2s/dt2 changes with s as evenly as
    this: d2s/dt2 = start + rate (s - start). A piece has one or the other.
    """

    times: Array  # (n + 1,)
    start: Array  # (n, 4)
    rate: Array  # (n,)

    def at(self, t: Array) -> Array:
        """Return s and its three derivatives at t (n,), as (4, n); at rest outside."""
        k = np.clip(np.searchsorted(self.times, t, side="right") - 1, 0, len(self.start) - 1)
        d = np.clip(t, self.times[0], self.times[-1]) - self.times[k]
        s, v, a, j = self.start[k].T
        rate = self.rate[k]
        one, two = waves(rate, d)
        gone = v * one + a * two + d**3 * j / 6
        speed = v * (1 + rate * two) + a * one + d**2 * j / 2
        # a piece ends before the next begins, which may be at a corner
        end = np.append(np.nextafter(self.start[1:, 0], -np.inf), np.inf)[k]
        end = np.maximum(end, s)  # a piece shorter than rounding
        return np.array(
            [np.minimum(s + gone, end), speed, a + rate * gone + d * j, j + rate * speed]
        )

    def slower(self, factor: float) -> Law:
        """Return the law that takes `factor` times as long."""
        return Law(self.times * factor, self.start / factor ** np.arange(4), self.rate / factor**2)


def waves(rate: Array, d: Array) -> tuple[Array, Array]:
    """Return sinh(w d) / w and (cosh(w d) - 1) / w^2 for w^2 = rate, of either sign.

    By their series: `rate` d^2 is at most about 1 in a law.
    """
    y = rate * d * d
    if not y.any():
        return d, d * d / 2
    one, two = np.zeros_like(y), np.zeros_like(y)
    for k in range(8, -1, -1):
        one = one * y + 1 / factorial(2 * k + 1)
        two = two * y + 1 / factorial(2 * k + 2)
    return d * one, d * d * two
