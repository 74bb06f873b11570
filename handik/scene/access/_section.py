"""What of a scene stands in a band of heights, seen from above, as polygons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from math import acos, ceil, cos, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.problem._support import hull
from handik.scene.check._world import convex_pieces
from handik.scene.shapes import Box, Capsule, Cylinder, Mesh, Plane, Prism, Sphere
from handik.spec._given import finite_number, list_of

if TYPE_CHECKING:
    from handik.scene.document import Obstacle, Scene

__all__ = ["HEIGHTS", "Part", "band_of", "below", "circle", "is_round", "section", "sills_of"]

Array = NDArray[np.float64]

#: Meters: the band that a seated person in a chair takes; the upper end is assumed.
HEIGHTS = (0.0, 1.5)
#: Meters: what is tagged threshold and no higher (assumed) is no wall to whom it may be floor.
SILL = 0.05
#: Meters: by how much the polygon about a round thing is wider, at most.
FINE = 1e-4
#: Meters: what reaches into a band by less only touches it.
TOUCHES = 1e-9
#: Corners of a circle at most, triangles of all meshes at most.
_MOST_CORNERS, _MOST_TRIANGLES = 180, 20_000


@dataclass(frozen=True, eq=False)
class Part:
    """A convex piece of an obstacle in a band: its node, its corners from above, its heights.

    Attributes
    ----------
    name : str
    corners : ndarray (n, 2)
        Counterclockwise; two for a thin wall.
    low, high : float
        Of what of it lies in the band, meters.
    """

    name: str
    corners: Array
    low: float
    high: float


def band_of(heights: Any) -> tuple[float, float]:
    """Return a band of heights, checked."""
    given = list_of("heights", heights)
    if len(given) != 2:
        raise ArgumentError(f"heights must be two, low and high, got {len(given)}")
    low, high = (finite_number(f"heights[{k}]", value) for k, value in enumerate(given))
    if not low < high:
        raise ArgumentError(f"heights must be low and high, got {low:g} and {high:g}")
    return low, high


def circle(radius: float, inner: bool) -> Array:
    """Return the corners of a polygon about a circle, or inside it."""
    if radius <= 0:
        return np.zeros((1, 2))
    count = min(max(ceil(pi / acos(1 / (1 + FINE / radius))), 8), _MOST_CORNERS)
    turn = 2 * pi * np.arange(count) / count
    size = radius if inner else radius / cos(pi / count)
    return size * np.stack([np.cos(turn), np.sin(turn)], axis=1)


def _standing(flat: Any, low: float, high: float) -> Array:
    """Return the corners of an upright body over a polygon."""
    rows = np.asarray(flat, float)
    return np.vstack([np.column_stack([rows, np.full(len(rows), z)]) for z in (low, high)])


def _bodies(shape: Any, inner: bool) -> Iterator[Array]:
    """Give the corners of convex bodies (n, 3) that a shape is made of, in its own axes."""
    if isinstance(shape, Box):
        x, y, z = (side / 2 for side in shape.size)
        yield _standing([[-x, -y], [x, -y], [x, y], [-x, y]], -z, z)
    elif isinstance(shape, Cylinder):
        yield _standing(circle(shape.radius, inner), -shape.length / 2, shape.length / 2)
    elif isinstance(shape, Prism):
        for piece in convex_pieces(shape.polygon):
            yield _standing(piece, 0.0, shape.height)
    elif isinstance(shape, Mesh):
        grids = import_module("handik.scene.check._grid")  # as `check` itself takes it
        points, faces = grids.mesh_triangles(shape)
        if len(faces) > _MOST_TRIANGLES:
            raise ArgumentError(
                f"plan: a mesh of {len(faces)} triangles, at most {_MOST_TRIANGLES} are taken"
            )
        yield from (points[face] for face in faces)


def _clipped(points: Array, low: float, high: float) -> Array:
    """Return corners whose hull is that of `points` between two heights."""
    z = points[:, 2]
    kept = [points[(z >= low) & (z <= high)]]
    for level in (low, high):
        below, above = points[z < level], points[z > level]
        if len(below) and len(above):
            share = (level - below[:, None, 2]) / (above[None, :, 2] - below[:, None, 2])
            cut = below[:, None] + share[..., None] * (above[None] - below[:, None])
            kept.append(cut.reshape(-1, 3))
    return np.vstack(kept)


def _ball(shape: Capsule | Sphere, pose: Array, band: tuple[float, float], inner: bool) -> Array:
    """Return corners (n, 3) that hold a capsule in a band, or lie in it; none where it has none."""
    half = shape.length / 2 if isinstance(shape, Capsule) else 0.0
    ends = pose[:3, 3] + half * np.outer([-1.0, 1.0], pose[:3, 2])
    radius, (low, high) = shape.radius, band
    bottom, top = float(ends[:, 2].min()), float(ends[:, 2].max())
    if bottom - radius >= high - TOUCHES or top + radius <= low + TOUCHES:
        return np.empty((0, 3))
    apart = max(low - top, bottom - high, 0.0)  # of the axis from the band
    wide = sqrt(max(radius * radius - apart * apart, 0.0))
    if apart > 0:
        axis = ends[[int(np.argmax(ends[:, 2]) if top < low else np.argmin(ends[:, 2]))]]
    else:
        axis = _clipped(ends, low, high)
    if apart > 0 and not inner and top != bottom:
        axis, wide = _clipped(ends, low - radius, high + radius), radius
    elif apart == 0 and not inner:
        axis = _clipped(ends, low - radius, high + radius)
    ring = circle(wide, inner)
    heights = [max(bottom - radius, low), min(top + radius, high)]
    flat = (axis[:, None, :2] + ring[None]).reshape(-1, 2)
    return _standing(flat, *heights)


def _parts(
    obstacle: Obstacle, band: tuple[float, float], whole: bool, inner: bool
) -> Iterator[Part]:
    shape, pose = obstacle.shape, np.asarray(obstacle.pose, float)
    low, high = band
    if isinstance(shape, Plane):
        if pose[2, 2] < 1 - 1e-9:
            raise ArgumentError(
                f"plan: {obstacle.name!r} is a plane that is no floor: put a box in its place"
            )
        return
    if whole and isinstance(shape, Prism) and pose[2, 2] > 1 - 1e-12:
        bottom, top = float(pose[2, 3]), float(pose[2, 3] + shape.height)
        if bottom < high - TOUCHES and top > low + TOUCHES:
            flat = np.array(shape.polygon) @ pose[:2, :2].T + pose[:2, 3]
            yield Part(obstacle.name, flat, max(bottom, low), min(top, high))
        return
    if isinstance(shape, (Capsule, Sphere)):
        bodies = [_ball(shape, pose, band, inner)]
    else:
        placed = (body @ pose[:3, :3].T + pose[:3, 3] for body in _bodies(shape, inner))
        bodies = [
            _clipped(body, low, high)
            for body in placed
            if body[:, 2].min() < high - TOUCHES and body[:, 2].max() > low + TOUCHES
        ]
    for body in bodies:
        if len(body):
            corners = np.array(hull(body[:, :2]))
            yield Part(obstacle.name, corners, float(body[:, 2].min()), float(body[:, 2].max()))


def is_round(scene: Scene) -> bool:
    """Whether a scene has things whose outline is only near to a polygon."""
    return any(isinstance(o.shape, (Capsule, Cylinder, Sphere)) for o in scene.obstacles())


def section(
    scene: Scene,
    heights: tuple[float, float] = HEIGHTS,
    *,
    whole: bool = False,
    inner: bool = False,
) -> list[Part]:
    """Return what stands in a band of heights; see `outlines`.

    Parameters
    ----------
    scene : Scene
    heights : (float, float)
    whole : bool
        Keep an upright prism in one piece, which may be concave.
    inner : bool
        Round things as polygons inside them, not about them.

    Returns
    -------
    list of Part
    """
    return [
        part for obstacle in scene.obstacles() for part in _parts(obstacle, heights, whole, inner)
    ]


def below(name: str, path: str) -> bool:
    """Whether a node is another or hangs on it."""
    return name == path or name.startswith(path + "/")


def sills_of(scene: Scene, floor: float) -> dict[str, float]:
    """Return the thresholds that are no more than a sill in a floor, and how high each is."""
    tagged, found = scene.find(tag="threshold"), {}
    parts = section(scene, (floor - 1e3, floor + 1e3)) if tagged else []
    for path in tagged:
        own = [part.high - floor for part in parts if below(part.name, path)]
        if own and 0 < max(own) <= SILL:
            found[path] = max(own)
    return found
