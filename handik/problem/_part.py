"""Positions given in part: None for what is free, two numbers where the model is flat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.spec._given import as_array, reals

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["position_columns"]

#: How far a joint may lead out of the plane, of radians and of the reach.
_FLAT = 1e-9


def position_columns(model: Model, frame: str | None, value: Any) -> tuple[str, NDArray[Any]]:
    """Return which axes of the world a position is along, letters of "xyz", and its columns.

    Raises
    ------
    ArgumentError
        For a wrong shape, rows that leave free now one and now another coordinate, or two
        coordinates where the frame does not stay in a plane.
    """
    try:
        array = as_array("position", value)
    except ArgumentError:
        some = _with_none(value)
        if some is None:
            raise
        return _without_none(some)
    if array.dtype.kind not in "fiubO":
        raise ArgumentError("position must be a regular array of real numbers")
    if array.shape[-1:] == (3,):
        return "xyz", array
    if array.shape[-1:] != (2,):
        raise ArgumentError(f"position must have shape (..., 3), got {array.shape}")
    normal, height = _plane(model, frame, array.shape)
    flat = reals(array, "position", (2,), finite=False)
    return "xyz", np.insert(flat, normal, height, axis=-1)


def _with_none(value: Any) -> NDArray[Any] | None:
    """Return what holds None among its numbers as an array; None for all else."""
    try:
        array = np.array(value, dtype=object)
    except ValueError:  # no regular array
        return None
    return array if any(one is None for one in array.flat) else None


def _without_none(array: NDArray[Any]) -> tuple[str, NDArray[Any]]:
    free = np.array([one is None for one in array.flat], bool).reshape(array.shape)
    if array.shape[-1:] != (3,):
        raise ArgumentError(f"position with None must have shape (..., 3), got {array.shape}")
    first = free.reshape(-1, 3)[0]
    if not (free == first).all():
        raise ArgumentError("position must have None in the same columns of every row")
    if first.all():
        raise ArgumentError("position is None in all three coordinates: nothing to reach")
    letters = "".join(np.array(list("xyz"))[~first])
    return letters, reals(array[..., ~first].tolist(), "position", (len(letters),), finite=False)


def _plane(model: Model, frame: str | None, shape: tuple[int, ...]) -> tuple[int, float]:
    """Return the axis of the world that a frame never moves along, and where on it it stays."""
    if frame is None and model.tip is None:
        raise ArgumentError(f"{model.name!r} has several tips: say which frame= you mean")
    # not at rest alone: joints that follow others may stand still there and nowhere else
    at = np.concatenate([model.rest[None], model.sample(2, seed=0)])
    jacobian = np.swapaxes(model.jacobian(at, frame=frame), 1, 2).reshape(-1, 6)
    moves, turns = jacobian[:, :3], jacobian[:, 3:]
    size = _FLAT * max(1.0, model.max_reach if np.isfinite(model.max_reach) else 1.0)
    fits = [
        k
        for k in range(3)
        if np.abs(moves[:, k]).max(initial=0.0) <= size
        and np.abs(np.delete(turns, k, axis=1)).max(initial=0.0) <= _FLAT
    ]
    if len(fits) != 1:
        name = model.tip if frame is None else frame
        why = "moves on a line" if fits else "does not stay in a plane along two axes of the world"
        raise ArgumentError(
            f"position must have shape (..., 3), got {shape}: two coordinates are for what moves "
            f"in one plane, and {name!r} {why}; None stands for a coordinate that is free"
        )
    return fits[0], float(np.asarray(model.fk(model.rest, frame=frame))[fits[0], 3])
