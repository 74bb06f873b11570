"""Obstacles compiled for the core: each shape as what the kernels know."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from math import cos, pi, sin
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.errors import UnsupportedError
from handik.scene.shapes import Box, Capsule, Cylinder, Mesh, Plane, Prism, Shape, Sphere

__all__ = ["ROUND", "convex_pieces", "world_of"]

Array = NDArray[np.float64]
Points = list[tuple[float, float]]
Row = tuple[int, Array, tuple[float, float, float], Points, Any]

#: Sides of the prism that holds a cylinder: it stands out by 0.5 % of the radius at most.
ROUND = 32


def _turn(a: Any, b: Any, c: Any) -> float:
    """Return twice the area of a triangle, positive to the left."""
    return float((b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]))


def _ear(points: Points, ring: list[int], k: int) -> bool:
    """Return whether the corner can be cut off: it is convex and nothing lies in the cut."""
    a, b, c = (points[ring[i % len(ring)]] for i in (k - 1, k, k + 1))
    if _turn(a, b, c) <= 0:
        return False
    others = np.array([points[i] for i in ring if points[i] not in (a, b, c)], float).reshape(-1, 2)
    inside = np.ones(len(others), bool)
    for p, q in ((a, b), (b, c), (c, a)):
        x, y = others[:, 0], others[:, 1]
        inside &= (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]) >= 0
    return not inside.any()


def _triangles(points: Points) -> list[list[int]]:
    """Return the triangles of a polygon by cutting ears (Meisters 1975 shows that there is one)."""
    ring, out = list(range(len(points))), []
    while len(ring) > 3:
        k = next((k for k in range(len(ring)) if _ear(points, ring, k)), None)
        if k is None:  # what is left lies on a line, to rounding
            flat = [
                abs(_turn(*(points[ring[i % len(ring)]] for i in (k - 1, k, k + 1))))
                for k in range(len(ring))
            ]
            ring.pop(int(np.argmin(flat)))
            continue
        out.append([ring[k - 1], ring[k], ring[(k + 1) % len(ring)]])
        ring.pop(k)
    return [*out, ring]


def _convex(points: Points, ring: list[int]) -> bool:
    n = len(ring)
    return all(_turn(*(points[ring[(i + j) % n]] for j in range(3))) >= 0 for i in range(n))


def _joined(points: Points, one: list[int], two: list[int]) -> list[int] | None:
    """Return the union of two pieces with a common edge where it is convex."""
    for i, a in enumerate(one):
        b = one[(i + 1) % len(one)]
        if b in two and two[(two.index(b) + 1) % len(two)] == a:
            k = two.index(b)
            rest = [two[(k + 1 + j) % len(two)] for j in range(1, len(two) - 1)]
            ring = one[: i + 1] + rest + one[i + 1 :]
            return ring if _convex(points, ring) else None
    return None


def convex_pieces(polygon: Sequence[tuple[float, float]]) -> list[Points]:
    """Return convex polygons, counterclockwise, whose union a counterclockwise polygon is."""
    points = [(float(x), float(y)) for x, y in polygon]
    whole = list(range(len(points)))
    pieces = [whole] if _convex(points, whole) else _triangles(points)
    k = 0
    while k < len(pieces):  # Hertel and Mehlhorn 1983: needless diagonals are taken out
        for other in range(k + 1, len(pieces)):
            if (ring := _joined(points, pieces[k], pieces[other])) is not None:
                pieces[k] = ring
                pieces.pop(other)
                break
        else:
            k += 1
    out = [[points[i] for i in ring] for ring in pieces]
    return [
        piece
        for piece in out
        if sum(_turn(piece[0], *piece[i : i + 2]) for i in range(1, len(piece) - 1)) > 0
    ]


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
    """Return the grid of a mesh: cells of 1 cm, larger for what is larger than a room."""
    # by name: a mesh is read by what makes scenes, and scenes measure
    grids = import_module("handik.scene.check._grid")
    points = grids.mesh_triangles(mesh)[0]
    across = float(np.ptp(points, axis=0).max()) if len(points) else 1.0
    return grids.mesh_grid(mesh, max(across / 400, 0.01), threads=0).core


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
