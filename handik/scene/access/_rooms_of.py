"""Walls of a floor plan, of a scene's upright boxes and prisms, or of polygons, as segments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.scene.contents import FloorPlan
from handik.scene.document import Scene
from handik.scene.shapes import Box, Plane, Prism
from handik.spec._given import list_of, reals

__all__ = ["inside", "outlines", "segments"]

Array = NDArray[np.float64]
_MOST = 100_000
#: Meters: shorter edges of an outline are left out.
_POINT = 1e-9


def _of_scene(scene: Scene) -> list[Array]:
    found = []
    for obstacle in scene.obstacles():
        shape, pose = obstacle.shape, np.asarray(obstacle.pose)
        if isinstance(shape, Plane):
            continue
        if isinstance(shape, Box):
            x, y = np.asarray(shape.size)[:2] / 2
            flat = np.array([[-x, -y], [x, -y], [x, y], [-x, y]])
        elif isinstance(shape, Prism):
            flat = np.array(shape.polygon)
        else:
            raise ArgumentError(
                f"plan: {obstacle.name!r} is a {type(shape).__name__}; only upright boxes and "
                "prisms count as walls: take it out or put a box in its place"
            )
        if abs(pose[2, 2]) < 1 - 1e-12:
            raise ArgumentError(f"plan: {obstacle.name!r} does not stand upright")
        found.append(flat @ pose[:2, :2].T + pose[:2, 3])
    return found


def outlines(plan: Any) -> list[Array]:
    """Return the outlines of what stands in the way; two points are a thin wall."""
    if isinstance(plan, Scene):
        return _of_scene(plan)
    if isinstance(plan, FloorPlan):
        return [np.array(wall) for wall in plan.walls]
    found = [reals(o, f"plan[{k}]", (2,)) for k, o in enumerate(list_of("plan", plan))]
    for k, one in enumerate(found):
        if one.ndim != 2 or len(one) < 2:
            raise ArgumentError(f"plan[{k}] must have shape (n, 2) with n of 2 or more")
        if np.abs(one).max() > 1e4:
            raise ArgumentError(f"plan[{k}] lies farther than 10 km from the origin")
    return found


def _lengths(edges: Array) -> Array:
    return np.asarray(np.hypot(*(edges[:, 2:] - edges[:, :2]).T))


def segments(found: list[Array]) -> Array:
    """Return the edges of outlines, (m, 4)."""
    rows = [
        np.hstack([one[:1], one[1:]]) if len(one) == 2 else np.hstack([one, np.roll(one, -1, 0)])
        for one in found
    ]
    for k, edges in enumerate(rows):
        if not (_lengths(edges) > _POINT).any():  # a post without width still stands in the way
            rows[k] = edges[:1] + 10 * _POINT * np.array([-1.0, 0.0, 1.0, 0.0])
    out = np.vstack([np.empty((0, 4)), *rows])
    if len(out) > _MOST:
        raise ArgumentError(f"plan has {len(out)} walls, at most {_MOST} are taken")
    return np.ascontiguousarray(out[_lengths(out) > _POINT])


def inside(found: list[Array], point: Array) -> bool:
    """Whether a point lies in one of the outlines."""
    for one in found:
        if len(one) == 2:
            continue
        a, b = one, np.roll(one, -1, 0)
        straddles = (a[:, 1] > point[1]) != (b[:, 1] > point[1])
        a, b = a[straddles], b[straddles]
        at = a[:, 0] + (point[1] - a[:, 1]) / (b[:, 1] - a[:, 1]) * (b[:, 0] - a[:, 0])
        if np.count_nonzero(at > point[0]) % 2:
            return True
    return False
