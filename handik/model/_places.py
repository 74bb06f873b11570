"""Where the joints of a chain are, and which carry a frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.model.core import Model
from handik.spec._given import is_model, known_name

__all__ = ["check_ends", "joint_origins", "steps_above"]

Array = NDArray[np.float64]
#: `step_kind` of a slide.
_SLIDE = 1


def joint_origins(model: Model, q: ArrayLike, frame: str | None = None) -> Array:
    """Return the places of the moving joints from the root to a frame, and of the frame.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
    frame : str, optional
        The model's tip if not given.

    Returns
    -------
    ndarray, shape (..., n + 1, 3)
        Meters. A joint is drawn where the link it carries has its frame.

    Raises
    ------
    ArgumentError
        When the model has several tips and no frame is named.
    NotFoundError
        When there is no such frame.
    """
    is_model(model)
    name = frame if frame is not None else model.tip
    if name is None:
        raise ArgumentError(f"{model.name!r} has several tips: say which frame= you mean")
    known_name("frame", name, model.frame_names)
    spec = model.spec
    link = next((f.link for f in spec.frames if f.name == name), name)
    above = {joint.child: joint for joint in spec.joints}
    rows: list[int] = []
    while link in above:
        if above[link].kind != "fixed":
            rows.append(model.frame_names.index(link))
        link = above[link].parent
    rows.reverse()
    rows.append(model.frame_names.index(name))
    places: Array = np.asarray(model.frames(q))[..., :3, 3]
    return places[..., rows, :]


def steps_above(model: Model, frame: str) -> set[int]:
    """Return the steps that carry a frame."""
    out, step = set(), int(model.frame_step[model.frame_names.index(frame)])
    while step >= 0:
        out.add(step)
        step = int(model.step_parent[step])
    return out


def check_ends(model: Model, frame: str) -> None:
    """Refuse a frame that slides as far as you like: a search for its farthest place has no end.

    Raises
    ------
    ArgumentError
        When a joint that carries it slides without limits.
    """
    for step in sorted(steps_above(model, frame)):
        at = model.step_q[step]
        follows = model.step_kind[step] != _SLIDE or model.step_follow[step] >= 0
        if not follows and np.isinf([model.lower[at], model.upper[at]]).any():
            name = next(j for j, q in model.joint_q_slices.items() if q.start <= at < q.stop)
            raise ArgumentError(
                f"{name} slides without limits, so that the reach of {frame} has no end: hold it "
                f'with lock={{"{name}": ...}}, as model.locked takes it, or give it limits'
            )
