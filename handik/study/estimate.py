"""Estimate: a mean and its 95 % interval."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, nan, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Estimate", "t_quantile"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with the half-width of its 95 % interval.

    Attributes
    ----------
    mean : float
        NaN when there were no values.
    half : float
        Of 100 such intervals ``mean +- half`` about 95 hold the true mean, if the values are
        independent and nearly normal; NaN for fewer than two values.
    n : int
        How many values.
    """

    mean: float
    half: float
    n: int

    @classmethod
    def of(cls, values: ArrayLike) -> Estimate:
        """Estimate the mean of independent values, by Student's t.

        Examples
        --------
        >>> Estimate.of([1.0, 2.0, 3.0, 4.0])
        Estimate(mean=2.5, half=2.0518, n=4)
        """
        x = np.asarray(values, np.float64).ravel()
        if x.size == 0:
            return cls(nan, nan, 0)
        if x.size == 1:
            return cls(float(x[0]), nan, 1)
        return cls(
            float(x.mean()), t_quantile(x.size - 1) * float(x.std(ddof=1)) / sqrt(x.size), x.size
        )

    @property
    def low(self) -> float:
        """Lower end of the interval."""
        return self.mean - self.half

    @property
    def high(self) -> float:
        """Upper end of the interval."""
        return self.mean + self.half

    def __repr__(self) -> str:
        return f"Estimate(mean={self.mean:.6g}, half={self.half:.5g}, n={self.n})"

    def __str__(self) -> str:
        """Write it with as many digits as the interval gives sense to: ``1.763 ± 0.012``."""
        if not isfinite(self.mean):
            return "-"
        if not isfinite(self.half):
            return digits(self.mean, self.mean)
        return f"{digits(self.mean, self.half)} ± {digits(self.half, self.half)}"


def digits(value: float, of: float) -> str:
    """Write a value with as many decimals as give `of` two digits."""
    size = abs(of)
    if size == 0.0:
        size = max(abs(value), 1.0)
    decimals = min(6, max(0, 1 - int(np.floor(np.log10(size)))))
    return f"{value:,.{decimals}f}"


def t_quantile(freedom: int, share: float = 0.95) -> float:
    """Return the t for which Student's variable lies within +-t in `share` of cases.

    Closed forms for 1, 2 and 4 degrees of freedom; otherwise the expansion in 1/freedom about
    the normal quantile (Abramowitz and Stegun 26.7.5), within 1 % from 3 degrees on.

    Parameters
    ----------
    freedom : int
        Degrees of freedom, 1 or more.
    share : float
        Between 0 and 1.
    """
    if freedom < 1:
        return inf
    p = (1.0 + share) / 2.0
    a = 4.0 * p * (1.0 - p)
    if freedom == 1:
        return float(np.tan(np.pi * (p - 0.5)))
    if freedom == 2:
        return (2.0 * p - 1.0) * sqrt(2.0 / a)
    if freedom == 4:
        c = np.cos(np.arccos(sqrt(a)) / 3.0) / sqrt(a)
        return 2.0 * sqrt(float(c) - 1.0)
    z = NormalDist().inv_cdf(p)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return float(sum(term / freedom**k for k, term in enumerate(terms)))
