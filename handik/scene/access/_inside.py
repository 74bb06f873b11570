"""A target inside something solid: no posture that reaches it is free."""

from __future__ import annotations

from math import cos, inf, pi
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik.problem.terms import Capsule
from handik.scene.access._body import steps_above
from handik.scene.check import Figure
from handik.scene.check._world import ROUND
from handik.scene.shapes import Cylinder, Mesh

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.access._verdict import Asked
    from handik.scene.shapes import Shape

__all__ = ["GIVES_WAY", "inside", "stands_out"]

#: Meters by which all may give way and it is still proved: more than half of what a hand closes
#: about, for the place to grip a rail lies in the rail. Radius of the ball that is measured.
GIVES_WAY, BALL = 0.05, 1e-3


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


def inside(
    asked: Asked, frame: str, target: NDArray[np.float64]
) -> tuple[str, float, float] | None:
    """Return what the target lies in, how deep, and how short a free posture stays at least.

    Where no posture that reaches it can be free: a capsule that moves with the frame is near its
    origin, and the target so deep in an obstacle that the two are in contact even if both gave way
    by `GIVES_WAY`.
    """
    figure, model = asked.figure, asked.model
    fixed = [
        name for name, step in zip(model.frame_names, model.frame_step, strict=True) if step < 0
    ]
    apart = _apart(figure, model, frame)
    if not fixed or apart == inf:
        return None
    root = np.linalg.inv(model.fk(model.rest, frame=fixed[0]))
    at = root[:3, :3] @ target + root[:3, 3]
    ball = Figure(model, [Capsule(fixed[0], tuple(at), tuple(at), BALL)], pairs=[])
    found = asked.scene.distance(ball, asked.rest, cutoff=0.0, details=True)
    depth = -(float(found.distance) + BALL)
    other = np.ravel(np.asarray(found.other, object))[0]
    if other is None:
        return None
    depth -= max(stands_out(one.shape) for one in asked.scene.obstacles() if one.name == other)
    if not depth > GIVES_WAY + asked.tolerance + apart:
        return None
    return str(other), depth, depth - apart - asked.tolerance
