"""A target inside something solid: no posture that reaches it is free."""

from __future__ import annotations

from functools import lru_cache
from math import cos, inf, pi
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.model._places import steps_above
from handik.scene.check import compiled
from handik.scene.check._world import ROUND
from handik.scene.shapes import Cylinder, Mesh

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.access._verdict import Asked
    from handik.scene.check import Figure
    from handik.scene.shapes import Shape

Array = NDArray[np.float64]

__all__ = ["GIVES_WAY", "inside", "slack_of", "stands_out"]

#: Meters by which all may give way and it is still proved: more than half of what a hand closes
#: about, for the place to grip a rail lies in the rail.
GIVES_WAY = 0.05


@lru_cache(maxsize=16)
def _apart(figure: Figure, model: Model, frame: str) -> float:
    """Return how far the frame's origin is from the next capsule that is fixed to it, 0 inside."""
    own, pose = steps_above(model, frame), np.linalg.inv(model.fk(model.rest, frame=frame))
    least = inf
    for capsule in figure.capsules:
        if steps_above(model, capsule.frame) != own:
            continue
        there = pose @ model.fk(model.rest, frame=capsule.frame)
        a, b = (
            there[:3, :3] @ np.asarray(end, float) + there[:3, 3]
            for end in (capsule.start, capsule.end)
        )
        way = b - a
        along = np.clip(-(a @ way) / max(float(way @ way), 1e-300), 0, 1)
        least = min(least, float(np.linalg.norm(a + along * way)) - capsule.radius)
    return max(least, 0.0)


def stands_out(shape: Shape) -> float:
    """Return by how much what is measured may stand out of a shape, meters.

    A cylinder is a prism around it. Of a mesh a bound is measured that no distance is below, so a
    depth may be too large by cells of its grid, and by any hole: it proves no depth.
    """
    if isinstance(shape, Mesh):
        return inf
    return shape.radius * (1 / cos(pi / ROUND) - 1) if isinstance(shape, Cylinder) else 0.0


_slack: WeakKeyDictionary[Any, Array] = WeakKeyDictionary()


def slack_of(scene: Any, names: tuple[str, ...]) -> Array:
    """Return by how much each obstacle as it is measured may stand out of what it is."""
    found = _slack.get(scene)
    if found is None:
        most: dict[str, float] = {}
        for one in scene.obstacles():
            most[one.name] = max(most.get(one.name, 0.0), stands_out(one.shape))
        found = _slack[scene] = np.array([most[name] for name in names])
    return found


def inside(
    asked: Asked, frame: str, target: NDArray[np.float64]
) -> tuple[str, float, float] | None:
    """Return what the target lies in, how deep, and how short a free posture stays at least.

    Where no posture that reaches it can be free: a capsule that moves with the frame is near its
    origin, and the target so deep in an obstacle that the two are in contact even if both gave way
    by `GIVES_WAY`.
    """
    apart = _apart(asked.figure, asked.model, frame)
    if apart == inf:
        return None
    world = compiled(asked.scene, asked.figure)
    depth = -(_core._solid_distance(world.world, target) + slack_of(asked.scene, world.names))
    if not depth.size:
        return None
    most = int(np.argmax(depth))
    deep = float(depth[most])
    if not deep > GIVES_WAY + asked.tolerance + apart:
        return None
    return world.names[most], deep, deep - apart - asked.tolerance
