"""What callers give, checked: numbers, arrays of a shape, shapes that fit each other, joints."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError, NotFoundError, name_not_found

if TYPE_CHECKING:
    from handik.model import Model

__all__ = [
    "as_array",
    "choice",
    "coordinate_of",
    "flag",
    "number",
    "one_lock",
    "plain_transform",
    "points_of",
    "reals",
    "rigid_poses",
    "together",
    "whole_number",
]

Array = NDArray[np.float64]


def number(name: str, value: Any) -> float:
    """Return `value` as a float.

    Raises
    ------
    TypeError
        When it is none.
    ArgumentError
        When it is a whole number beyond all floats.
    """
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{name} must be a number, got {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, got {value!r}") from None
    except OverflowError:
        raise ArgumentError(f"{name} is too large") from None


def flag(name: str, value: Any) -> bool:
    """Return `value` as a bool.

    Raises
    ------
    TypeError
        When it is neither True nor False, of Python or of NumPy.
    """
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise TypeError(f"{name} must be True or False, got {value!r}")


def choice(name: str, value: Any, words: tuple[str, ...]) -> str:
    """Return `value`, one of the words.

    Raises
    ------
    ArgumentError
        When it is none of them.
    """
    if isinstance(value, str) and value in words:
        return value
    raise ArgumentError(f"{name} must be {' or '.join(map(repr, words))}, got {value!r}")


def whole_number(name: str, value: Any, most: int = 2**31 - 1) -> int:
    """Return `value` as an int from 0 to `most`, as far as the core counts if not given.

    Raises
    ------
    TypeError
        When it is no whole number.
    ArgumentError
        When it is negative, or more.
    """
    try:
        found = index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, got {value!r}") from None
    if not 0 <= found <= most:
        raise ArgumentError(f"{name} must be 0 to {most}, got {found}")
    return found


def _no_mask(name: str, value: Any) -> None:
    """Refuse a masked array that hides something: NumPy would read the numbers under the mask."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ArgumentError(f"{name} has numbers under a mask: give them a value first (filled)")


def as_array(name: str, value: Any) -> NDArray[Any]:
    """Return `value` as an array of whatever type it has; lists must be regular.

    Raises
    ------
    ArgumentError
        When they are not, or some lie under a mask.
    """
    _no_mask(name, value)
    try:
        return np.asarray(value)
    except ValueError:
        raise ArgumentError(f"{name} must be a regular array of real numbers") from None


def plain_transform(value: Any) -> Any:
    """Return the matrices of SciPy's ``Rotation`` or ``RigidTransform``, anything else as it is."""
    return value.as_matrix() if hasattr(value, "as_matrix") else value


def reals(values: ArrayLike, name: str, core: tuple[int, ...], *, finite: bool = True) -> Array:
    """Return floats of shape (..., *core); an array of floats is not copied.

    Raises
    ------
    ArgumentError
        When they are no real numbers, the shape is wrong, or one is not finite where that counts.
    """
    _no_mask(name, values)
    try:
        found = np.asarray(values)
        if found.dtype.kind not in "fiubO":
            raise TypeError  # NumPy would read texts, and drop the imaginary part
        found = found.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{name} must be a regular array of real numbers") from None
    if found.shape[found.ndim - len(core) :] != core or found.ndim < len(core):
        want = ", ".join(["...", *map(str, core)])
        raise ArgumentError(f"{name} must have shape ({want}), got {found.shape}")
    if finite and not np.isfinite(found).all():
        raise ArgumentError(f"{name} must be finite")
    return found


def rigid_poses(values: ArrayLike, name: str = "T") -> Array:
    """Return finite poses of shape (..., 4, 4).

    Raises
    ------
    ArgumentError
        As `reals`, and where one is no pose: what that is, ``core_maths.c`` says for every call.
    """
    found = reals(values, name, (4, 4))
    _core.pose_columns(found, name)
    return found


def points_of(values: ArrayLike, name: str, shape: tuple[int, ...]) -> Array:
    """Return a read-only copy of finite floats of exactly this shape.

    Raises
    ------
    ArgumentError
        As `reals`.
    """
    found = reals(values, name, shape)
    if found.shape != shape:
        raise ArgumentError(f"{name} must have shape {shape}, got {found.shape}")
    found = found.copy()
    found.flags.writeable = False
    return found


def together(**shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return leading axes broadcast against each other, by the names of what has them.

    Raises
    ------
    ArgumentError
        When they cannot be.
    """
    try:
        return np.broadcast_shapes(*shapes.values())
    except ValueError:
        said = " and ".join(f"{shape} of {name}" for name, shape in shapes.items())
        raise ArgumentError(f"leading axes {said} cannot be broadcast together") from None


def coordinate_of(model: Model, what: str, joint: str | int) -> int:
    """Return the coordinate of q of a joint given by its name, or by that number itself.

    Raises
    ------
    NotFoundError
        When there is no such joint.
    TypeError
        When it is neither.
    """
    if isinstance(joint, str):
        if joint not in model.joint_q_slices:
            raise name_not_found("joint", joint, model.joint_q_slices)
        return int(model.joint_q_slices[joint].start)
    try:
        at = index(joint)
    except TypeError:
        raise TypeError(
            f"{what} must be the name or the number of a joint, got {joint!r}"
        ) from None
    if not 0 <= at < model.nq:
        raise NotFoundError(f"{what} must be a joint name or 0 to {model.nq - 1}, got {joint}")
    return at


def one_lock(lock: Any) -> tuple[Any, Any]:
    """Return the one joint of ``lock=`` and its values; a name alone has none."""
    if not isinstance(lock, Mapping):
        return lock, None
    if len(lock) != 1:
        raise ArgumentError(
            f"lock= holds one joint of seven here, got {len(lock)}; Model.locked holds others"
        )
    ((name, values),) = lock.items()
    return name, values
