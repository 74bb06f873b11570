"""Walls of a floor plan, of a scene in a band of heights, or of polygons, as segments."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.scene.access._section import HEIGHTS, band_of, below, is_round, section, sills_of
from handik.scene.contents import FloorPlan
from handik.scene.document import Scene
from handik.spec._given import list_of, of_class, reals

__all__ = ["differs", "inside", "outlines", "plan_outlines", "segments"]

Array = NDArray[np.float64]
_MOST = 100_000
#: Meters: shorter edges of an outline are left out.
_POINT = 1e-9


def outlines(
    scene: Scene, heights: tuple[float, float] = HEIGHTS
) -> dict[str, list[NDArray[np.float64]]]:
    """Return what of a scene stands in a band of heights, seen from above.

    Parameters
    ----------
    scene : Scene
    heights : (float, float)
        Low and high, meters; what only touches the band is not in it. By default from the floor
        to 1.5 m, above a seated person's head (assumed).

    Returns
    -------
    dict of str to list of ndarray (n, 2)
        By the path of the node: outlines, counterclockwise, meters.

    Raises
    ------
    ArgumentError
        When `heights` are none, or a plane is no floor: that is a wall without an end.

    Notes
    -----
    Boxes and prisms are cut exactly, whichever way they lean; a mesh by its triangles. About round
    things there is a polygon that is wider by 0.1 mm at most; where the band cuts a leaning capsule
    it is wider by up to its radius. Planes that are floors are left out, at whatever height.

    Examples
    --------
    >>> import handik as hk
    >>> kitchen = hk.scene.gallery("kitchen")
    >>> "cupboard left" in hk.access.outlines(kitchen, (0, 1.2))
    False
    >>> hk.access.outlines(kitchen, (0, 1.2))["wall"][0].tolist()
    [[0.0, -1.5], [0.1, -1.5], [0.1, 1.5], [0.0, 1.5]]
    """
    of_class("scene", scene, Scene)
    found: dict[str, list[Array]] = {}
    for part in section(scene, band_of(heights), whole=True):
        found.setdefault(part.name, []).append(part.corners)
    return found


def plan_outlines(
    plan: Any, heights: tuple[float, float] = HEIGHTS, *, inner: bool = False
) -> list[Array]:
    """Return the outlines of what stands in the way; two points are a thin wall.

    `inner`: of what nobody gets through or over, round things as polygons inside them.
    """
    if isinstance(plan, Scene):
        parts = section(plan, heights, whole=True, inner=inner)
        if inner:  # whoever climbs that gets over a sill: see `differs`
            sills = sills_of(plan, heights[0])
            parts = [part for part in parts if not any(below(part.name, sill) for sill in sills)]
        return [part.corners if len(part.corners) > 1 else _post(part.corners) for part in parts]
    if isinstance(plan, FloorPlan):
        return [np.array(wall) for wall in plan.walls]
    found = [reals(o, f"plan[{k}]", (2,)) for k, o in enumerate(list_of("plan", plan))]
    for k, one in enumerate(found):
        if one.ndim != 2 or len(one) < 2:
            raise ArgumentError(f"plan[{k}] must have shape (n, 2) with n of 2 or more")
        if np.abs(one).max() > 1e4:
            raise ArgumentError(f"plan[{k}] lies farther than 10 km from the origin")
    return found


def differs(scene: Scene, floor: float) -> bool:
    """Whether what a yes must be clear of is more than what a no may rest on."""
    return is_round(scene) or bool(sills_of(scene, floor))


def _post(point: Array) -> Array:
    return np.repeat(point, 2, axis=0)


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
