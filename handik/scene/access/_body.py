"""Which steps of a model carry a frame, and frames at points of others."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from handik.spec import FrameSpec

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["steps_above", "with_point"]


def steps_above(model: Model, frame: str) -> set[int]:
    """Return the steps that carry a frame."""
    out, step = set(), int(model.frame_step[model.frame_names.index(frame)])
    while step >= 0:
        out.add(step)
        step = int(model.step_parent[step])
    return out


@lru_cache(maxsize=16)
def with_point(model: Model, frame: str, point: tuple[float, float, float]) -> tuple[Model, str]:
    """Return the model with a frame at a point of another, in its axes, and the frame's name."""
    spec, at, name = model.spec.copy(), np.eye(4), "point"
    at[:3, 3] = point
    on = next((one for one in spec.frames if one.name == frame), None)
    while name in model.frame_names:
        name += "_"
    spec.frames.append(
        FrameSpec(name, frame, at) if on is None else FrameSpec(name, on.link, on.placement @ at)
    )
    return type(model)(spec), name
