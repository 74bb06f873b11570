"""Free room before a place: parts of a scene in the axes of an approach, cut to rectangles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._section import Part

__all__ = ["Front", "Rect"]

Array = NDArray[np.float64]
#: u from and to, v from and to, meters.
Rect = tuple[float, float, float, float]
#: Meters: a rectangle is cut by what reaches into it by more.
SLACK = 1e-7


def _cut(corners: Array, axis: int, level: float, sign: float) -> Array:
    """Return a convex polygon where sign * (coordinate - level) >= 0."""
    side = sign * (corners[:, axis] - level)
    keep = side >= 0
    if keep.all():
        return corners
    if not keep.any():
        return corners[:0]
    out = []
    for k in range(len(corners)):
        n = (k + 1) % len(corners)
        if keep[k]:
            out.append(corners[k])
        if keep[k] != keep[n]:
            share = side[k] / (side[k] - side[n])
            out.append(corners[k] + share * (corners[n] - corners[k]))
    return np.array(out)


@dataclass(frozen=True, eq=False)
class Front:
    """Parts of a scene in the axes of an approach: u onwards from a place, v to its left.

    Parameters
    ----------
    at : ndarray (2,)
        Where u and v are zero, meters.
    along : ndarray (2,)
        The direction of u, of unit length.
    """

    at: Array
    along: Array

    def local(self, parts: Iterable[Part]) -> list[Part]:
        """Return parts in these axes."""
        turn = np.array([self.along, [-self.along[1], self.along[0]]]).T
        return [Part(p.name, (p.corners - self.at) @ turn, p.low, p.high) for p in parts]


def inside(parts: list[Part], rect: Rect) -> list[Part]:
    """Return what of some parts lies in a rectangle; what only touches it does not."""
    u0, u1, v0, v1 = rect
    out = []
    for part in parts:
        least, most = part.corners.min(0), part.corners.max(0)
        if (
            most[0] <= u0 + SLACK
            or least[0] >= u1 - SLACK
            or most[1] <= v0 + SLACK
            or least[1] >= v1 - SLACK
        ):
            continue
        corners = part.corners
        for axis, level, sign in ((0, u0, 1.0), (0, u1, -1.0), (1, v0, 1.0), (1, v1, -1.0)):
            corners = _cut(corners, axis, level + sign * SLACK, sign)
            if not len(corners):
                break
        else:
            out.append(Part(part.name, corners, part.low, part.high))
    return out


def depth(parts: list[Part], left: float, right: float, most: float) -> float:
    """Return how deep a strip between two v is free from u = 0 onwards, `most` at most."""
    found = inside(parts, (0.0, most, left, right))
    least = min((float(p.corners[:, 0].min()) for p in found), default=most)
    return least if least > 2 * SLACK else 0.0


def deepest(parts: list[Part], width: float, span: tuple[float, float], most: float) -> float:
    """Return the greatest free depth of a strip of some width anywhere in a span of v."""
    ends = [value for p in inside(parts, (0.0, most, *span)) for value in _ends(p)]
    starts = [span[0], span[1] - width, *ends, *(end - width for end in ends)]
    tried = {v for v in starts if span[0] - SLACK <= v <= span[1] - width + SLACK}
    return max((depth(parts, v, v + width, most) for v in tried), default=0.0)


def _ends(part: Part) -> list[float]:
    v = part.corners[:, 1]
    return [float(v.min()) - SLACK, float(v.max()) + SLACK]


def gaps(parts: list[Part], rect: Rect) -> list[tuple[float, float]]:
    """Return the free spans of v over the whole of a rectangle's u."""
    _, _, v0, v1 = rect
    taken = sorted(tuple(_ends(p)) for p in inside(parts, rect))
    out, at = [], v0
    for low, high in taken:
        if low > at:
            out.append((at, low))
        at = max(at, high)
    return [*out, (at, v1)] if at < v1 else out


def widest(parts: list[Part], rect: Rect) -> float:
    """Return the widest free span of v over the whole of a rectangle's u."""
    return max((b - a for a, b in gaps(parts, rect)), default=0.0)


def beside(parts: list[Part], rect: Rect) -> tuple[float, float]:
    """Return how far v is free to either side of v = 0 over a rectangle's u: low and high."""
    for a, b in gaps(parts, rect):
        if a < 0 < b:
            return -a, b
    return 0.0, 0.0


def underside(parts: list[Part], rect: Rect, most: float) -> float:
    """Return the height up to which a rectangle is free, `most` at most."""
    return min((p.low for p in inside(parts, rect)), default=most)


def highest(
    parts: list[Part], width: float, deep: float, span: tuple[float, float], most: float
) -> float:
    """Return the greatest free height over a rectangle of some size anywhere in a span of v."""
    ends = [value for p in inside(parts, (0.0, deep, *span)) for value in _ends(p)]
    starts = [span[0], span[1] - width, *ends, *(end - width for end in ends)]
    tried = {v for v in starts if span[0] - SLACK <= v <= span[1] - width + SLACK}
    return max((underside(parts, (0.0, deep, v, v + width), most) for v in tried), default=0.0)
