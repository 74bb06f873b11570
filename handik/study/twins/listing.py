"""The listing of the HandiAccess/FABRIK thesis, written anew: its annex prints a C++ method.

It is FABRIK without any of what keeps a solver from going on for ever, and stops where its own
listing does. `handik.study.twins.fabrik.fabrik_points` is the algorithm with the checks.
"""

from __future__ import annotations

import numpy as np

from .tree import Array

__all__ = ["listing_points"]


def listing_points(
    points: Array, target: Array, *, delta: float = 1.0, most: int = 1000
) -> tuple[Array, int]:
    """Move the joints of a free chain as the thesis's listing does.

    Every new point is a mean of two with weights ``1 - lam`` and ``lam``, where ``lam`` is the
    link's length over the distance of the two, as the listing writes it. Where the target is
    farther than the sum of the links one pass lays the chain towards it; the listing uses a
    distance ``ri`` there that it has not set, and the one its comment names is taken, from the
    target to the joint. Two points in one place have no direction: the listing divides by zero.

    Parameters
    ----------
    points : ndarray, shape (n + 1, 3)
        The joints, and the end effector last.
    target : ndarray, shape (3,)
    delta : float
        The end effector is near enough within this; the listing has 1.
    most : int
        Iterations after which this gives up; the listing has no such number.

    Returns
    -------
    points, iterations
    """
    p = np.array(points, float)
    d = [float(np.linalg.norm(p[i + 1] - p[i])) for i in range(len(p) - 1)]
    n = len(d)
    if float(np.linalg.norm(target - p[0])) > sum(d):
        for i in range(n):
            lam = d[i] / float(np.linalg.norm(target - p[i]))
            p[i + 1] = (1 - lam) * p[i] + lam * target
        return p, 1
    base, iterations = p[0].copy(), 0
    while float(np.linalg.norm(p[n] - target)) > delta and iterations < most:
        p[n] = target
        for i in range(n - 1, -1, -1):
            lam = d[i] / float(np.linalg.norm(p[i + 1] - p[i]))
            p[i] = (1 - lam) * p[i + 1] + lam * p[i]
        p[0] = base
        for i in range(n):
            lam = d[i] / float(np.linalg.norm(p[i + 1] - p[i]))
            p[i + 1] = (1 - lam) * p[i] + lam * p[i + 1]
        iterations += 1
    return p, iterations
