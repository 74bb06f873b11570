"""Frames at points of others."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from handik.spec import FrameSpec

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["with_point"]


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
