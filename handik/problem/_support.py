"""The support of a model that stands: convex polygons of the ground, plain tuples of x and y."""

from __future__ import annotations

import math
from collections.abc import Iterable

from numpy.typing import ArrayLike

from handik.errors import ArgumentError
from handik.spec._given import reals

__all__ = ["hull", "inset"]


def hull(points: ArrayLike) -> list[tuple[float, float]]:
    """Return the corners of the convex hull of points (k, 2), counterclockwise.

    Andrew's monotone chain (A. M. Andrew, Inf. Process. Lett. 9, 1979).
    """
    array = reals(points, "over", (2,))
    if array.ndim != 2 or not len(array):
        raise ArgumentError(f"over must be finite points (k, 2), k at least 1, got {array.shape}")
    ordered = sorted({(float(x), float(y)) for x, y in array})

    def half(side: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
        out: list[tuple[float, float]] = []
        for p in side:
            while len(out) > 1 and _turn(out[-2], out[-1], p) <= 0:
                out.pop()
            out.append(p)
        return out

    corners = half(ordered)[:-1] + half(reversed(ordered))[:-1]
    return corners or ordered


def inset(corners: list[tuple[float, float]], margin: float) -> list[tuple[float, float]]:
    """Return a convex polygon without all that is nearer than `margin` to an edge."""
    if margin == 0:
        return corners
    left = corners if len(corners) > 2 else []
    for k, a in enumerate(corners if left else []):
        b = corners[(k + 1) % len(corners)]
        length = math.dist(a, b)
        room = [_turn(a, b, p) / length - margin for p in left]
        cut: list[tuple[float, float]] = []
        for i, p in enumerate(left):
            j = (i + 1) % len(left)
            if room[i] >= 0:
                cut.append(p)
            if (room[i] >= 0) != (room[j] >= 0):
                t, o = room[i] / (room[i] - room[j]), left[j]
                cut.append((p[0] + t * (o[0] - p[0]), p[1] + t * (o[1] - p[1])))
        left = cut
    if not left:
        raise ArgumentError(f"a margin of {margin:g} m leaves nothing of the support")
    return hull(left)


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Twice the area of a triangle, positive when it runs counterclockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
