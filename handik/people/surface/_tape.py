"""The tape on a surface: girths, breadths and depths of plane cuts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from handik import _core
from handik.people.surface._data import Floats, Ints

__all__ = ["Read", "cut", "extents", "girth", "level_cut", "read", "reads", "volume"]

_ANGLES = np.arange(180) * np.pi / 180
_WAYS = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)])
_AXES = np.eye(3)


def cut(vertices: Floats, edges: Ints, point: Floats, axis: Floats) -> Floats:
    """Return where edges cross the plane through `point` at right angles to `axis`, (k, 3)."""
    return _crossed(vertices, edges, (vertices - point) @ axis)


def level_cut(vertices: Floats, edges: Ints, height: float) -> Floats:
    """Return where edges cross the horizontal plane at a height, (k, 3)."""
    return _crossed(vertices, edges, vertices[:, 2] - height)


def _crossed(vertices: Floats, edges: Ints, side: Floats) -> Floats:
    """Return the points of edges where a value at the vertices is 0, (k, 3)."""
    a, b = side[edges[:, 0]], side[edges[:, 1]]
    crossed = (a < 0) != (b < 0)
    a, b, ends = a[crossed], b[crossed], edges[crossed]
    share = (a / (a - b))[:, None]
    return np.asarray((1 - share) * vertices[ends[:, 0]] + share * vertices[ends[:, 1]])


def girth(points: Floats, axis: Floats) -> float:
    """Return the length of a tight tape round points of a plane cut.

    By Cauchy's formula the hull's mean width times pi: the sum over 180 directions, a degree apart.
    """
    if len(points) < 3:
        return 0.0
    if axis[2] == 1.0:  # most tapes lie level
        flat = -points[:, :2]
    else:
        first = np.cross(axis, [0.0, 1.0, 0.0] if abs(axis[1]) < 0.9 else [1.0, 0.0, 0.0])
        first /= np.linalg.norm(first)
        flat = np.stack([points @ first, points @ np.cross(axis, first)], 1)
    along = flat @ _WAYS
    return float((along.max(0) - along.min(0)).sum() * np.pi / 180)


class Read(NamedTuple):
    """What is read at once on a cut: its girth, and its extents along two directions."""

    points: int
    girth: float
    low: tuple[float, float]
    high: tuple[float, float]

    @property
    def wide(self) -> tuple[float, float]:
        """How far it reaches along both, 0 of no points."""
        a, b = (high - low for low, high in zip(self.low, self.high, strict=True))
        return (a, b) if self.points else (0.0, 0.0)


def reads(
    vertices: Floats, edges: Ints, ends: ArrayLike, planes: Floats, girths: int
) -> list[Read]:
    """Return what `girth` and the extents of `cut` are of many cuts: the core does it.

    Each goes through the edges between two rows, `ends` (n, 2). Of `planes` (n, 4, 3) the first row
    is a point, the others are two directions in the plane and the one at right angles to it. Of the
    first `girths` alone the girth is read.
    """
    return [
        Read(int(points), widths * np.pi / 180 if points > 2 else 0.0, (x0, y0), (x1, y1))
        for points, widths, x0, x1, y0, y1 in _core._tapes(
            vertices, edges, ends, planes, girths, _WAYS
        ).tolist()
    ]


def read(vertices: Floats, edges: Ints, point: Floats, axes: Floats) -> Read:
    """Return as `reads` what is read on one cut through all of some edges."""
    return reads(vertices, edges, [[0, len(edges)]], np.stack([[point, *axes]]), 1)[0]


def extents(vertices: Floats, edges: Ints, heights: Sequence[float]) -> list[Read]:
    """Return as `reads` how far level cuts reach along x and y; girths are not read."""
    planes = np.zeros((len(heights), 4, 3))
    planes[:, 0, 2], planes[:, 1:] = heights, _AXES
    return reads(vertices, edges, [[0, len(edges)]] * len(heights), planes, 0)


def volume(vertices: Floats, faces: Ints) -> float:
    """Return the signed volume inside closed triangles."""
    return _core._volume(vertices, np.asarray(faces, np.int32))
