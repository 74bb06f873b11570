"""Whether a person sees what the hand comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
    eye to it. The person's own body is no obstacle, nor is what the hand holds.
    """
    aside = float(Gaze(model, target, frame=EYE, half_angle=VIEW).score(q))
    if aside > VIEW:
        return "the target is out of view"
    if asked.scene is None:
        return None
    root = next(
        (n for n, s in zip(model.frame_names, model.frame_step, strict=True) if s < 0), None
    )
    eye = model.fk(q, frame=EYE)[:3, 3]
    way = target - eye
    far = float(np.linalg.norm(way))
    if root is None or far <= BEFORE:
        return None if root is not None else "the model has no frame that is fixed"
    back = np.linalg.inv(model.fk(model.rest, frame=root))
    ends = [back[:3, :3] @ p + back[:3, 3] for p in (eye, eye + way * (1 - BEFORE / far))]
    line = Figure(model, [Capsule(root, tuple(ends[0]), tuple(ends[1]), 0.0)], pairs=[])
    near = distance(asked.scene, line, model.rest[None], cutoff=0.0, details=True)
    if near.distance[0] > 0 or near.other[0] is None:
        return None
    return f"{near.other[0]} hides the target"
