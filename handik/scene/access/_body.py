"""Which steps of a model carry a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["steps_above"]


def steps_above(model: Model, frame: str) -> set[int]:
    """Return the steps that carry a frame."""
    out, step = set(), int(model.frame_step[model.frame_names.index(frame)])
    while step >= 0:
        out.add(step)
        step = int(model.step_parent[step])
    return out
