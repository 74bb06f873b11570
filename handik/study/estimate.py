"""Estimate and Median: a mean or a median, each with its 95 % interval."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, inf, isfinite, nan, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Estimate", "Median", "t_quantile"]
from handik.errors import ArgumentError
from handik.spec._given import number, reals, whole_number


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

        Parameters
        ----------
        values : array_like, shape (n,)
            Independent values.

        Returns
        -------
        Estimate
            The mean, and half of its 95 % interval.

        Examples
        --------
        >>> Estimate.of([1.0, 2.0, 3.0, 4.0])
        Estimate(mean=2.5, half=2.0518, n=4)
        """
        x = reals(values, "values", (), finite=False).ravel()
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
        """Write it with as many digits as the interval gives sense to: ``1.763 ± 0.012``.

        One value has no interval, and ``1.7 (no interval)`` says so.
        """
        if not isfinite(self.mean):
            return "-"
        if not isfinite(self.half):
            return f"{digits(self.mean, self.mean)} (no interval)"
        return f"{digits(self.mean, self.half)} ± {digits(self.half, self.half)}"


@dataclass(frozen=True, slots=True)
class Median:
    """A median with its 95 % interval: for times, of which a few are always disturbed.

    Attributes
    ----------
    value : float
        NaN when there were no values.
    low, high : float
        Ends of the interval; the range of the values where fewer than six were measured.
    n : int
        How many values.
    """

    value: float
    low: float
    high: float
    n: int

    @classmethod
    def of(cls, values: ArrayLike) -> Median:
        """Take the median of independent values, and two of them around it.

        The interval is made of order statistics (the sign test turned round), so it holds for
        any distribution.

        Parameters
        ----------
        values : array_like, shape (n,)
            Independent values.

        Returns
        -------
        Median
            The median, and the ends of its 95 % interval.

        Examples
        --------
        >>> Median.of([3.0, 1.0, 2.0, 90.0, 5.0, 4.0])
        Median(value=3.5, low=1, high=90, n=6)
        """
        x = np.sort(reals(values, "values", (), finite=False).ravel())
        n = x.size
        if n == 0:
            return cls(nan, nan, nan, 0)
        below, share = 0, 1
        while 40 * share <= 2**n and below < (n - 1) // 2:
            below += 1
            share += comb(n, below)
        # `below` values on either side stand outside; the last step went one too far.
        outside = below if 40 * share <= 2**n else max(0, below - 1)
        return cls(float(np.median(x)), float(x[outside]), float(x[n - 1 - outside]), int(n))

    def times(self, factor: float) -> Median:
        """Return the median of the values times a positive factor.

        Parameters
        ----------
        factor : float
            Positive.

        Returns
        -------
        Median
            In the new unit.
        """
        return Median(factor * self.value, factor * self.low, factor * self.high, self.n)

    def per(self, amount: float) -> Median:
        """Return the median of this amount over the values.

        Parameters
        ----------
        amount : float
            What is divided, positive.

        Returns
        -------
        Median
            Its ends change places.
        """
        return Median(amount / self.value, amount / self.high, amount / self.low, self.n)

    def __repr__(self) -> str:
        return (
            f"Median(value={self.value:.6g}, low={self.low:.5g}, high={self.high:.5g}, n={self.n})"
        )

    def __str__(self) -> str:
        """Write it with three digits and its interval: ``0.0814 [0.0801, 0.0840]``.

        Fewer than six values have no interval of 95 %: theirs is the range, ``[0.08 to 0.09]``.
        """
        if not isfinite(self.value):
            return "-"
        value, low, high = (digits(x, 0.1 * self.value) for x in (self.value, self.low, self.high))
        if self.n == 1:
            return f"{value} (no interval)"
        return f"{value} [{low}, {high}]" if self.n > 5 else f"{value} [{low} to {high}]"


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

    Returns
    -------
    float
        Student's t.

    Raises
    ------
    ArgumentError
        When `share` is below 0, or 1 or more.

    Examples
    --------
    >>> round(t_quantile(9), 2)
    2.26
    """
    freedom, share = whole_number("freedom", freedom), number("share", share)
    if not 0 <= share < 1:
        raise ArgumentError(f"share must be 0 or more and below 1, got {share:g}")
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
