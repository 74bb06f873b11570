"""The choice among all postures of an arm: a twin of the core's `auto` where it has a closed form.

Where the postures come from is the caller's affair (`Model.solutions` with ``method="general"``
finds them without a closed form); which of them is taken, and how a joint that may stand at several
whole turns is turned, is here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

#: Postures share joints, so largest moves are often the same; nearer to each other than this they
#: count as that, and the sum of squares decides.
TIE = 1e-9


def turned_near(
    postures: ArrayLike,
    start: ArrayLike,
    lower: ArrayLike,
    upper: ArrayLike,
    *,
    slack: float = 1e-9,
) -> Array:
    """Turn every joint by whole turns as near to a start as its limits let it be.

    Parameters
    ----------
    postures : array_like, shape (P, n)
        Angles, radians, each up to whole turns.
    start : array_like, shape (n,)
        Where the arm stands, inside its limits.
    lower, upper : array_like, shape (n,)
        Limits; infinite: none.
    slack : float
        A joint this far beyond a limit is put on it.

    Returns
    -------
    ndarray, shape (K, n)
        The postures that can stand inside the limits, turned, in their order.

    Examples
    --------
    >>> turned_near([[3.0]], [-3.0], [-4.0], [4.0]).round(3).tolist()
    [[-3.283]]
    """
    q, near = np.atleast_2d(np.asarray(postures, float)), np.asarray(start, float)
    low, high = (np.asarray(limit, float) for limit in (lower, upper))
    turn = 2 * np.pi
    first, last = np.ceil((low - slack - q) / turn), np.floor((high + slack - q) / turn)
    wanted = np.floor((near - q) / turn + 0.5)
    fits = np.all(first <= last, axis=-1)
    q = q + turn * np.minimum(np.maximum(wanted, first), last)
    inside: Array = np.clip(q[fits], low, high)
    return inside


def nearest_posture(
    postures: ArrayLike, start: ArrayLike, lower: ArrayLike, upper: ArrayLike
) -> Array | None:
    """Choose the posture inside the limits whose largest joint move from the start is smallest.

    Parameters
    ----------
    postures, start, lower, upper
        As of `turned_near`.

    Returns
    -------
    ndarray, shape (n,), or None
        Where several share their largest move, the one with the least sum of squares of all moves.

    Examples
    --------
    >>> nearest_posture([[1.0, 0.5], [1.0, -0.1], [-2.0, 0.0]], [0, 0], [-3, -3], [3, 3]).tolist()
    [1.0, -0.1]
    """
    best, least, total = None, np.inf, np.inf
    for q in turned_near(postures, start, lower, upper):
        move = np.abs(q - np.asarray(start, float))
        most, square = float(move.max()), float(move @ move)
        if most < least - TIE or (most < least + TIE and square < total):
            best, least, total = q, most, square
    return best
