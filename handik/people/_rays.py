"""Directions all round, and lengths along them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["Piece", "between", "cut", "rings", "sphere"]

Array = NDArray[np.float64]
#: Of a section: both ends, each the edge that is cut (two numbers of points) and where.
Piece = list[tuple[tuple[int, int], Array]]


def sphere(level: int) -> tuple[Array, NDArray[np.intp]]:
    """Vertices and triangles of an icosahedron, each triangle cut in four, level times."""
    g = (1 + 5**0.5) / 2
    rows = [(s * 1.0, t * g, 0.0) for s in (-1, 1) for t in (-1, 1)]
    points = np.array([np.roll(row, k) for row in rows for k in range(3)])
    points /= np.linalg.norm(points, axis=1)[:, None]
    gap = np.linalg.norm(points[:, None] - points[None], axis=2)
    near = (gap > 1e-9) & (gap < 1.1)
    faces: list[tuple[int, ...]] = []
    for i in range(12):
        for j in range(i + 1, 12):
            for k in range(j + 1, 12):
                if near[i, j] and near[j, k] and near[i, k]:
                    a, b, c = points[[i, j, k]]
                    faces.append((i, j, k) if a @ np.cross(b, c) > 0 else (i, k, j))
    for _ in range(level):
        points, faces = cut(points, faces)
    return points, np.array(faces, dtype=np.intp)


def cut(points: Array, faces: Sequence[tuple[int, ...]]) -> tuple[Array, list[tuple[int, ...]]]:
    """Cut each triangle of directions in four."""
    new, at = list(points), {}

    def middle(i: int, j: int) -> int:
        key = (min(i, j), max(i, j))
        if key not in at:
            found = points[i] + points[j]
            at[key] = len(new)
            new.append(found / np.linalg.norm(found))
        return int(at[key])

    out: list[tuple[int, ...]] = []
    for i, j, k in faces:
        a, b, c = middle(i, j), middle(j, k), middle(k, i)
        out += [(i, a, c), (a, j, b), (c, b, k), (a, b, c)]
    return np.array(new), out


def between(units: Array, directions: Array, faces: NDArray[np.intp], reach: Array) -> Array:
    """Return the length along each of `units` (n, 3): it goes evenly from ray to ray.

    0 in a triangle of which a ray has none.
    """
    a, b, c = (directions[k] for k in faces.T)
    normals = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1)
    sides = np.einsum("pk,mjk->pmj", units, normals)
    face = sides.min(axis=2).argmax(axis=1)
    share = np.maximum(sides[np.arange(len(units)), face], 0.0)
    share[share.sum(axis=1) == 0.0] = 1.0  # no direction: the center itself
    far = reach[faces[face]]
    limit = np.sum(share * far, axis=1) / np.sum(share, axis=1)
    return np.where((far > 0).all(axis=1), limit, 0.0)


def rings(pieces: Sequence[Piece]) -> list[Array]:
    """Return the closed lines that the pieces of a section of a closed surface are.

    Each edge that is cut is of two triangles, so that each end of a piece is that of one other.
    """
    place = {edge: point for piece in pieces for edge, point in piece}
    beside: dict[tuple[int, int], list[tuple[int, int]]] = {edge: [] for edge in place}
    for (one, _), (other, _) in pieces:
        beside[one].append(other)
        beside[other].append(one)
    lines = []
    while beside:
        first = edge = next(iter(beside))
        ring = [first]
        while following := [other for other in beside.pop(edge) if other in beside]:
            edge = following[0]
            ring.append(edge)
        lines.append(np.array([place[edge] for edge in [*ring, first]]))
    return lines
