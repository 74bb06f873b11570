"""Capsules that hold a shape: what is carried is measured by them."""

from __future__ import annotations

from importlib import import_module
from math import cos, hypot, pi, sin
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from handik.errors import UnsupportedError
from handik.scene.check._world import ROUND, convex_pieces
from handik.scene.shapes import Box, Capsule, Cylinder, Mesh, Prism, Shape, Sphere

__all__ = ["capsules_of_shape"]

Array = NDArray[np.float64]
#: Start, end and radius of a capsule.
Piece: TypeAlias = tuple[Array, Array, float]

#: Capsules of one shape at most, and half of the diagonal of a column that is not cut again.
MOST, FINE = 16, 0.01
#: Width of a cylinder that is held by one capsule, meters.
SLIM = 0.04
#: Capsules that stand out by less are chosen by their volume alone, meters.
FLAT = 0.02
#: Factors on the least radius of a column: thicker capsules are shorter.
WIDER = (1.0, 1.06, 1.12, 1.18, 1.25, 1.33, 1.42)


def _drawn_up(polygon: Array, low: float, high: float) -> Array:
    """Return the corners (m, 3, 3) of triangles that hold the surface of a convex prism."""
    ring = [np.column_stack([polygon, np.full(len(polygon), z)]) for z in (low, high)]
    n = len(polygon)
    after = np.roll(np.arange(n), -1)
    sides = [
        np.stack([ring[0], ring[0][after], ring[1]], 1),
        np.stack([ring[1], ring[1][after], ring[0][after]], 1),
    ]
    first = np.arange(1, n - 1)
    ends = [np.stack([np.repeat(r[:1], n - 2, 0), r[first], r[first + 1]], 1) for r in ring]
    return np.concatenate([*sides, *ends])


def _triangles(shape: Shape) -> Array:
    """Return triangles (m, 3, 3) that hold the surface of a shape."""
    if isinstance(shape, Box):
        x, y, z = (edge / 2 for edge in shape.size)
        return _drawn_up(np.array([[-x, -y], [x, -y], [x, y], [-x, y]]), -z, z)
    if isinstance(shape, Cylinder):
        out = shape.radius / cos(pi / ROUND)
        turns = [2 * pi * k / ROUND for k in range(ROUND)]
        ring = np.array([(out * cos(turn), out * sin(turn)) for turn in turns])
        return _drawn_up(ring, -shape.length / 2, shape.length / 2)
    if isinstance(shape, Prism):
        parts = convex_pieces(shape.polygon)
        return np.concatenate([_drawn_up(np.array(one), 0.0, shape.height) for one in parts])
    if isinstance(shape, Mesh):  # by name: a mesh is read by what makes scenes, and scenes measure
        points, faces = import_module("handik.scene.check._grid").mesh_triangles(shape)
        return np.asarray(points[faces])
    raise UnsupportedError(f"a {shape.kind} cannot be carried: it has no end")


def _split(triangles: Array, axis: int, at: float) -> Array:
    """Return triangles cut where a coordinate has a value: none reaches over it."""
    off = triangles[..., axis] - at
    above = (off > 0).sum(1)
    cut = ((off > 0).any(1)) & ((off < 0).any(1))
    left, over, off = triangles[~cut], triangles[cut], off[cut]
    if not len(over):
        return left
    one = above[cut] == 1  # the corner that is alone comes first
    alone = np.where(one, np.argmax(off, 1), np.argmin(off, 1))
    order = (alone[:, None] + np.arange(3)) % 3
    a, b, c = (np.take_along_axis(over, order[:, k, None, None], 1)[:, 0] for k in range(3))
    da, db, dc = (np.take_along_axis(off, order[:, k, None], 1) for k in range(3))
    p, q = a + (da / (da - db)) * (b - a), a + (da / (da - dc)) * (c - a)
    p[:, axis] = q[:, axis] = at
    made = [np.stack(corner, 1) for corner in ((a, p, q), (p, b, c), (p, c, q))]
    return np.concatenate([left, *made])


def _columns(sizes: Array) -> tuple[int, int]:
    """Return into how many columns the two shorter sides are cut."""
    best = (1, 1)
    for count in range(1, MOST + 1):
        for n in range(1, count + 1):
            if count % n == 0:
                cut = (n, count // n)
                half = [hypot(*(sizes / pair)) / 2 for pair in (cut, best)]
                best = cut if half[0] < half[1] * (1 - 1e-9) else best
        if hypot(*(sizes / best)) / 2 <= FINE:
            break
    return best


def _held(points: Array, axis: int) -> Piece:
    """Return of some capsules along an axis that hold points the one that stands out least.

    The smallest, of those that stand out no more than `FLAT`.
    """
    flat = np.delete(points, axis, 1)
    middle = (flat.min(axis=0) + flat.max(axis=0)) / 2
    away, along = np.linalg.norm(flat - middle, axis=1), points[:, axis]
    slim, low, high = float(np.ptp(flat, axis=0).min()) / 2, along.min(), along.max()
    found: list[tuple[float, float, float, float, float]] = []
    for wider in WIDER:
        radius = float(away.max()) * wider
        chord = np.sqrt(np.maximum(radius * radius - away * away, 0.0))
        #  every point is held by a ball about some place from first to last, in either order
        last, first = float(np.max(along - chord)), float(np.min(along + chord))
        if first > last:
            first = last = (first + last) / 2
        out = max(radius - slim, last + radius - high, low - first + radius, FLAT)
        volume = radius * radius * (last - first + 4 / 3 * radius)
        found.append((float(out), volume, first, last, radius))
    _, _, first, last, radius = min(found)
    ends = np.insert(np.array([middle, middle]), axis, [first, last], axis=1)
    return ends[0], ends[1], radius * (1 + 1e-9) + 1e-9


def capsules_of_shape(shape: Shape) -> list[Piece]:
    """Return capsules whose union holds a shape, in its own frame.

    A ball and a capsule are themselves. Else the shape is cut into columns along its longest side,
    and each gets the smallest capsule about what lies in it.
    """
    if isinstance(shape, (Sphere, Capsule)):
        up = np.array([0.0, 0.0, getattr(shape, "length", 0.0) / 2])
        return [(-up, up, float(shape.radius))]
    cut = _triangles(shape)
    low, high = cut.reshape(-1, 3).min(axis=0), cut.reshape(-1, 3).max(axis=0)
    axis = int(np.argmax(high - low))
    sides = [k for k in range(3) if k != axis]
    counts = _columns((high - low)[sides])
    if isinstance(shape, Cylinder) and 2 * shape.radius <= min(SLIM, shape.length):
        counts = (1, 1)  # round as it is
    places = []
    for side, count in zip(sides, counts, strict=True):
        steps = np.linspace(low[side], high[side], count + 1)
        for at in steps[1:-1]:
            cut = _split(cut, side, float(at))
        places.append(steps)
    cells = np.zeros(len(cut), int)
    for side, steps in zip(sides, places, strict=True):
        within = np.searchsorted(steps[1:-1], cut[..., side].mean(1))
        cells = cells * (len(steps) - 1) + within
    return [_held(cut[cells == one].reshape(-1, 3), axis) for one in np.unique(cells)]
