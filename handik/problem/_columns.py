"""Columns of targets: poses and orientations in every form that is taken; parts side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.errors import ArgumentError
from handik.spec._given import (
    as_array,
    plain_transform,
    pose_pair,
    poses_of,
    reals,
    together,
    written_pose,
)

__all__ = ["join", "pose_columns", "target_columns", "turn_columns"]


def pose_columns(pose: Any) -> NDArray[Any]:
    """Poses in any of the ways of `poses_of`, to (..., 7)."""
    pair = pose_pair(pose, "pose")
    if pair is None:
        return _core.pose_columns(poses_of(pose, "pose", finite=False))
    return join(position=pair[0], orientation=turn_columns(pair[1]))


def _is_pose(array: NDArray[Any]) -> bool:
    """Tell (4, 4) poses from four quaternions: no one means those by this last row."""
    if array.shape[-2:] != (4, 4) or array.dtype.kind not in "fiu":
        return False
    turn = array[..., :3, :3].astype(float)
    unit = np.abs(turn @ np.swapaxes(turn, -1, -2) - np.eye(3)).max((-1, -2)) < 1e-6
    return bool(np.any(unit & (array[..., 3, :] == (0, 0, 0, 1)).all(-1)))


def turn_columns(orientation: Any) -> NDArray[Any]:
    """(..., 4) quaternions or (..., 3, 3) rotations to (..., 4)."""
    array = as_array("orientation", plain_transform(orientation))
    if array.shape[-2:] == (3, 3):
        return _core.turn_columns(array)
    if array.shape[-1:] != (4,):
        hint = "; an angle about z: hk.transforms.from_rpy([0, 0, angle])[:3, :3]"
        hint = hint if array.ndim == 0 else ""
        raise ArgumentError(
            f"orientation must have shape (..., 4) or (..., 3, 3), got {array.shape}{hint}"
        )
    if _is_pose(array):
        raise ArgumentError(
            f"orientation has the shape {array.shape} of poses: give pose=, or orientation="
            "T[..., :3, :3]"
        )
    return array


def join(**parts: NDArray[Any]) -> NDArray[Any]:
    """Concatenate on the last axis after broadcasting the leading ones."""
    arrays = list(parts.values())
    if len(arrays) == 1:
        return arrays[0]
    arrays = [reals(part, name, (), finite=False) for name, part in parts.items()]
    lead = together(**{name: part.shape[:-1] for name, part in parts.items()})
    return np.concatenate([np.broadcast_to(a, lead + a.shape[-1:]) for a in arrays], axis=-1)


def target_columns(term: str, target: Any, width: int, axes: Any) -> Any:
    """Turn the poses and orientations that a term may be given into its columns; else as it is."""
    shape = _shape(plain_transform(target))
    if term == "Pose" and shape[-1:] != (width,) and (shape[-2:] == (4, 4) or written_pose(target)):
        return pose_columns(target)
    if term == "Orientation":
        turns = turn_columns(target)
        return turns if width == 4 else _directions(turns, axes)
    return target


def _directions(turns: NDArray[Any], axis: str) -> NDArray[Any]:
    """Where an axis points after turns (..., 4): (..., 3), of length zero where a turn has none."""
    q = reals(turns, "orientation", (4,), finite=False)
    with np.errstate(all="ignore"):
        q = q / np.maximum(np.abs(q).max(-1, keepdims=True), 1e-300)
        w, u, own = q[..., :1], q[..., 1:], np.eye(3)["xyz".index(axis)]
        along, square = (u @ own)[..., None], (u * u).sum(-1, keepdims=True)
        found: NDArray[Any] = (w * w - square) * own + 2 * along * u + 2 * w * np.cross(u, own)
    return found


def _shape(value: Any) -> tuple[int, ...]:
    try:
        return np.shape(value)
    except ValueError:  # ragged, as a position and a quaternion are
        return ()
