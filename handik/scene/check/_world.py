"""Obstacles compiled for the core: each shape as what the kernels know."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from math import cos, hypot, pi, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.errors import UnsupportedError
from handik.scene.shapes import Box, Capsule, Cylinder, Mesh, Plane, Prism, Shape, Sphere

__all__ = ["ROUND", "convex_pieces", "world_of"]

Array = NDArray[np.float64]
Points = list[tuple[float, float]]
Pair = tuple[int, int]
Row = tuple[int, Array, tuple[float, float, float], Points, Any]

#: Sides of the prism that holds a cylinder: it stands out by 0.5 % of the radius at most.
ROUND = 32
#: Sine of a bend to the right that counts as none.
STRAIGHT = 1e-12


def _turn(a: Any, b: Any, c: Any) -> float:
    """Return twice the area of a triangle, positive to the left."""
    return float((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]))


def _bends(a: Any, b: Any, c: Any) -> bool:
    """Return whether the way goes to the right at b by more than rounding."""
    size = hypot(b[0] - a[0], b[1] - a[1]) * hypot(c[0] - b[0], c[1] - b[1])
    return _turn(a, b, c) < -STRAIGHT * size


def _ear(points: Points, ring: list[int], k: int, inner: Array) -> bool:
    """Return whether the corner can be cut off: convex, and no inner corner lies in the cut."""
    a, b, c = (points[ring[i % len(ring)]] for i in (k - 1, k, k + 1))
    if _turn(a, b, c) <= 0:
        return False
    x, y = inner[:, 0], inner[:, 1]
    inside = np.ones(len(inner), bool)
    for p, q in ((a, b), (b, c), (c, a)):
        inside &= (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) >= 0
        inside &= (x != p[0]) | (y != p[1])
    return not inside.any()


def _triangles(points: Points) -> list[list[int]]:
    """Return the triangles of a polygon by cutting ears (Meisters 1975 shows that there is one).

    Only corners that are not convex can lie in a cut, and a corner that is stays so.
    """
    ring, out = list(range(len(points))), []
    n = len(ring)
    inner = np.array(
        [b for k, b in enumerate(points) if _turn(points[k - 1], b, points[(k + 1) % n]) <= 0]
    ).reshape(-1, 2)
    k = tried = 0
    while len(ring) > 3:
        n = len(ring)
        if tried == n:  # what is left lies on a line, to rounding
            flat = [abs(_turn(*(points[ring[(i + j) % n]] for j in (-1, 0, 1)))) for i in range(n)]
            ring.pop(int(np.argmin(flat)))
            tried = 0
        elif _ear(points, ring, k % n, inner):
            k %= n
            out.append([ring[k - 1], ring[k], ring[(k + 1) % n]])
            ring.pop(k)
            k, tried = k + 1, 0  # the next but one: fans would be thin
        else:
            k, tried = k + 1, tried + 1
    return [*out, ring]


def _convex(points: Points, ring: list[int]) -> bool:
    n = len(ring)
    return not any(_bends(*(points[ring[(i + j) % n]] for j in range(3))) for i in range(n))


def _joined(points: Points, one: list[int], two: list[int], edge: Pair) -> list[int] | None:
    """Return the union of two pieces with a common edge, from a to b in the first, if convex."""
    i, k = one.index(edge[0]), two.index(edge[1])
    ring = one[i + 1 :] + one[: i + 1]  # from b to a
    rest = two[k + 1 :] + two[: k + 1]  # from a, past it, to b
    whole = ring + rest[1:-1]
    n, at = len(whole), len(ring) - 1
    for j in (0, at):
        if _bends(*(points[whole[(j + d) % n]] for d in (-1, 0, 1))):
            return None
    return whole


def convex_pieces(polygon: Sequence[tuple[float, float]]) -> list[Points]:
    """Return convex polygons, counterclockwise, whose union a counterclockwise polygon is."""
    points = [(float(x), float(y)) for x, y in polygon]
    whole = list(range(len(points)))
    pieces = dict(enumerate([whole] if _convex(points, whole) else _triangles(points)))
    owner = {edge: k for k, ring in pieces.items() for edge in _edges(ring)}
    for a, b in list(owner):  # Hertel and Mehlhorn 1983: needless diagonals are taken out
        one, two = owner.get((a, b)), owner.get((b, a))
        if one is None or two is None or one == two:
            continue
        ring = _joined(points, pieces[one], pieces[two], (a, b))
        if ring is not None:
            del owner[a, b], owner[b, a]
            pieces[one] = ring
            owner.update({edge: one for edge in _edges(pieces.pop(two)) if edge in owner})
    out = [[points[i] for i in ring] for ring in pieces.values()]
    return [
        piece
        for piece in out
        if sum(_turn(piece[0], *piece[i : i + 2]) for i in range(1, len(piece) - 1)) > 0
    ]


def _edges(ring: list[int]) -> list[Pair]:
    return list(zip(ring, ring[1:] + ring[:1], strict=True))


def _raised(pose: Array, by: float) -> Array:
    out = np.array(pose, float)
    out[:3, 3] += by * out[:3, 2]
    return out


def _rows(shape: Shape, pose: Array) -> list[tuple[int, Array, tuple[float, float, float], Points]]:
    """Return what the core knows a shape as: kind, pose, size, corners."""
    if isinstance(shape, Sphere):
        return [(0, pose, (shape.radius, 0.0, 0.0), [])]
    if isinstance(shape, Capsule):
        return [(1, pose, (shape.length, shape.radius, 0.0), [])]
    if isinstance(shape, Box):
        return [(2, pose, shape.size, [])]
    if isinstance(shape, Plane):
        return [(3, pose, (0.0, 0.0, 0.0), [])]
    if isinstance(shape, Cylinder) and shape.radius > 0:
        out = shape.radius / cos(pi / ROUND)
        corners = [
            (out * cos(2 * pi * k / ROUND), out * sin(2 * pi * k / ROUND)) for k in range(ROUND)
        ]
        return [(4, _raised(pose, -shape.length / 2), (shape.length, 0.0, 0.0), corners)]
    if isinstance(shape, Cylinder):
        return [(2, pose, (0.0, 0.0, shape.length), [])]
    if isinstance(shape, Prism):
        height = (shape.height, 0.0, 0.0)
        return [(4, pose, height, piece) for piece in convex_pieces(shape.polygon)]
    raise UnsupportedError(f"distances to a {shape.kind} are not there yet")


def _grid_of(mesh: Mesh) -> Any:
    """Return the grid of a mesh: cells of 1 cm, or 1/20 of it if smaller, 1/400 if larger."""
    # by name: a mesh is read by what makes scenes, and scenes measure
    grids = import_module("handik.scene.check._grid")
    points = grids.mesh_triangles(mesh)[0]
    across = float(np.ptp(points, axis=0).max()) if len(points) else 1.0
    return grids.mesh_grid(mesh, max(across / 400, min(across / 20 or 0.01, 0.01)), threads=0).core


def world_of(obstacles: Sequence[Any]) -> tuple[object, tuple[str, ...]]:
    """Return the compiled obstacles and the name of each row."""
    rows: list[Row] = []
    names: list[str] = []
    for obstacle in obstacles:
        if isinstance(obstacle.shape, Mesh):
            grid = _grid_of(obstacle.shape)
            found: list[Row] = [(5, obstacle.pose, (0.0, 0.0, 0.0), [], grid)]
        else:
            found = [(*row, None) for row in _rows(obstacle.shape, obstacle.pose)]
        rows += found
        names += [obstacle.name] * len(found)
    poses = [np.concatenate([row[1][:3, :3].ravel(), row[1][:3, 3]]) for row in rows]
    world = _core._scene_world(
        np.array([row[0] for row in rows], np.int32),
        np.array(poses, float).reshape(-1, 12),
        np.array([row[2] for row in rows], float).reshape(-1, 3),
        np.array([len(row[3]) for row in rows], np.int32),
        np.array([corner for row in rows for corner in row[3]], float).reshape(-1, 2),
        tuple(row[4] for row in rows),
    )
    return world, tuple(names)
