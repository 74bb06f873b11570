"""Twin of the grids of meshes: exact distances, the flood, and the bounds, in plain NumPy.

References
----------
``csrc/scene/grid.h``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["distances", "lower_bound", "reached", "trilinear"]

Array = NDArray[np.float64]


def distances(x: Array, vertices: Array, faces: NDArray[np.int64]) -> Array:
    """Return the distance of each point (n, 3) to the nearest of all triangles."""
    best = np.full(len(x), np.inf)
    for a, b, c in vertices[faces]:
        normal = np.cross(b - a, c - a)
        inside = np.linalg.norm(normal) > 0
        far = np.full(len(x), np.inf)
        if inside:
            unit = normal / np.linalg.norm(normal)
            sides = [(np.cross(q - p, x - p) @ unit) >= 0 for p, q in ((a, b), (b, c), (c, a))]
            far = np.where(np.all(sides, axis=0), np.abs((x - a) @ unit), np.inf)
        for p, q in ((a, b), (b, c), (c, a)):
            along = (x - p) @ (q - p) / max(float((q - p) @ (q - p)), 1e-300)
            foot = p + np.clip(along, 0, 1)[:, None] * (q - p)
            far = np.minimum(far, np.linalg.norm(x - foot, axis=1))
        best = np.minimum(best, far)
    return best


def reached(d: Array, cell: float) -> NDArray[np.bool_]:
    """Return which nodes of a lattice of distances (z, y, x) are reached from its rim."""
    found = np.ones(d.shape, dtype=bool)
    found[1:-1, 1:-1, 1:-1] = False
    while True:
        count = found.sum()
        for axis in range(3):
            one = [slice(None)] * 3
            two = [slice(None)] * 3
            one[axis], two[axis] = slice(None, -1), slice(1, None)
            a, b = tuple(one), tuple(two)
            free = d[a] + d[b] > cell * (1 + 1e-6)
            step = free & (found[a] | found[b])
            found[a] |= step
            found[b] |= step
        if found.sum() == count:
            return found


def trilinear(corners: Array, t: Array) -> float:
    """Return the value at t (3,), x y z, of eight corners (2, 2, 2), z y x."""
    for share in t[::-1]:
        corners = corners[0] * (1 - share) + corners[1] * share
    return float(corners)


def lower_bound(corners: Array, t: Array, side: float) -> float:
    """Return what a distance in a cell is not below, by its corners and the place in it."""
    linear = trilinear(corners, t) - 0.8661 * side
    if corners.min() <= 0:
        return linear
    square = trilinear(corners**2, t) - side**2 * float((t * (1 - t)).sum())
    return max(linear, np.sqrt(square)) if square > (0.8661 * side) ** 2 else linear
