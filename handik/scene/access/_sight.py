"""Whether a person sees what the hand comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.people.gaze import Gaze
from handik.problem.terms import Capsule
from handik.scene.access._options import EYE, VIEW
from handik.scene.check import Figure
from handik.scene.check.measure import distance

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.access._verdict import Asked

__all__ = ["hidden"]

Array = NDArray[np.float64]

#: Meters before the target at which the line of sight ends: what it lies on does not hide it.
BEFORE = 5e-3


def hidden(asked: Asked, model: Model, q: Array, target: Array) -> str | None:
    """Return why a target is not seen in a posture; None: it is.

    It lies in the cone about straight ahead, and nothing of the scene stands on the line from the
    eye to it. The person's own body is no obstacle. What the hand holds is one up to twice as far
    before the target as that lies deep in it: a place in a rail is seen, one behind a door is not.
    """
    aside = float(Gaze(model, target, frame=EYE, half_angle=VIEW).score(q))
    if aside > VIEW:
        return "the target is out of view"
    if asked.scene is None:
        return None
    root = next(
        (n for n, s in zip(model.frame_names, model.frame_step, strict=True) if s < 0), None
    )
    if root is None:
        return "the model has no frame that is fixed"
    back = np.linalg.inv(model.fk(model.rest, frame=root))
    eye = model.fk(q, frame=EYE)[:3, 3]

    def nearest(scene: Any, a: Array, b: Array) -> tuple[float, str | None]:
        """Return the distance of a line from a scene, and from what."""
        ends = [back[:3, :3] @ p + back[:3, 3] for p in (a, b)]
        line = Figure(model, [Capsule(root, tuple(ends[0]), tuple(ends[1]), 0.0)], pairs=[])
        near = distance(scene, line, model.rest[None], cutoff=0.0, details=True)
        return float(near.distance[0]), near.other[0]

    far = float(np.linalg.norm(target - eye))
    looked: list[tuple[Any, float]] = [(asked.scene, BEFORE)]
    if asked.held is not None:
        deep = max(0.0, -nearest(asked.held.some, target, target)[0])
        looked.append((asked.held.some, BEFORE + 2 * deep))
    for scene, before in looked:
        if far > before:
            gap, other = nearest(scene, eye, eye + (target - eye) * (1 - before / far))
            if gap <= 0 and other is not None:
                return f"{other} hides the target"
    return None
