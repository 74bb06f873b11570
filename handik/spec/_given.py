"""What callers give, checked: numbers, arrays of a shape, shapes that fit each other, joints."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from operator import index
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError, NotFoundError, name_not_found, shortened

if TYPE_CHECKING:
    from handik.model import Model

__all__ = [
    "OrientationLike",
    "PoseLike",
    "as_array",
    "choice",
    "coordinate_of",
    "finite_number",
    "flag",
    "is_model",
    "known_name",
    "list_of",
    "no_degrees",
    "number",
    "of_class",
    "one_lock",
    "path_text",
    "placed",
    "plain_transform",
    "points_of",
    "pose_pair",
    "poses_of",
    "quaternion_turns",
    "reals",
    "rigid_poses",
    "sequence",
    "text",
    "together",
    "whole_number",
    "written_pose",
]

Array = NDArray[np.float64]
Kind = TypeVar("Kind")


class HasMatrix(Protocol):
    """SciPy's ``Rotation`` and ``RigidTransform``, and whatever gives its matrix as they do."""

    def as_matrix(self) -> Any:
        """Return the matrix."""


_Pair: TypeAlias = tuple[ArrayLike, ArrayLike | HasMatrix]
#: Quaternions, rotation matrices, or SciPy's ``Rotation``.
OrientationLike: TypeAlias = ArrayLike | HasMatrix
#: What `poses_of` reads.
PoseLike: TypeAlias = ArrayLike | HasMatrix | _Pair | Sequence[HasMatrix] | Sequence[_Pair]


def of_class(name: str, value: Any, kind: type[Kind]) -> Kind:
    """Return `value`, which is of this class of handik's.

    Raises
    ------
    TypeError
        When it is not.
    """
    if isinstance(value, kind):
        return value
    own = kind.__name__.lower()
    within = isinstance(getattr(value, own, None), kind)  # a person where a model is asked for
    hint = f", whose .{own} is one" if within else ""
    raise TypeError(f"{name} must be a handik {kind.__name__}, got {shortened(value)}{hint}")


def is_model(value: Any, name: str = "model") -> None:
    """Raise where a value is no model.

    Raises
    ------
    TypeError
        When it is none.
    """
    of_class(name, value, _core.Model)


def text(name: str, value: Any) -> str:
    """Return `value`, a text.

    Raises
    ------
    TypeError
        When it is none.
    """
    if isinstance(value, str):
        return value
    raise TypeError(f"{name} must be a text, got {shortened(value)}")


def known_name(what: str, name: Any, names: Iterable[str]) -> str:
    """Return `name`, which is one of the names.

    Raises
    ------
    NotFoundError
        When it is not, or no text at all; the sentence has the nearest names.
    """
    if isinstance(name, str) and name in names:
        return name
    raise name_not_found(what, name, names)


def path_text(name: str, value: Any) -> str:
    """Return the text of a path: no number, which `open` would take for a file that is open.

    Raises
    ------
    TypeError
        When it is no path.
    """
    if isinstance(value, (str, os.PathLike)) and isinstance(found := os.fspath(value), str):
        return found
    raise TypeError(f"{name} must be a path, got {shortened(value)}")


# A bool is a number to Python and to NumPy: where a number is asked for it is a slip.
_NO_NUMBER = (str, bytes, bool, np.bool_, np.complexfloating, np.ndarray)


def number(name: str, value: Any) -> float:
    """Return `value` as a float.

    Raises
    ------
    TypeError
        When it is none.
    ArgumentError
        When it is a whole number beyond all floats.
    """
    if type(value) is float:
        return value
    plain = not isinstance(value, _NO_NUMBER) or (
        isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in "fiuO"
    )
    try:
        if plain:
            return float(value)
    except (TypeError, ValueError):
        pass
    except OverflowError:
        raise ArgumentError(f"{name} is too large") from None
    raise TypeError(f"{name} must be a number, got {shortened(value)}")


def finite_number(name: str, value: Any) -> float:
    """Return `value` as a float that is finite.

    Raises
    ------
    TypeError
        When it is no number.
    ArgumentError
        When it is not finite.
    """
    found = number(name, value)
    if not isfinite(found):
        raise ArgumentError(f"{name} must be finite")
    return found


def sequence(name: str, values: Any, kind: Any, said: str) -> tuple[Any, ...]:
    """Return values, all of one class, as a tuple; one alone, and a text, are no sequence.

    Raises
    ------
    TypeError
        When they are not; `said` tells what they should be.
    """
    try:
        found = () if isinstance(values, (str, bytes)) and kind is not str else tuple(values)
    except TypeError:
        found = (None,)
    wrong = isinstance(values, (str, bytes)) or not all(isinstance(one, kind) for one in found)
    if wrong:
        raise TypeError(f"{name} must be {said}, got {shortened(values)}")
    return found


def list_of(name: str, values: Any) -> list[Any]:
    """Return a list of what an iterable has.

    Raises
    ------
    TypeError
        When it is no iterable.
    """
    if isinstance(values, Iterable):
        return list(values)
    raise TypeError(f"{name} must be a list, got {shortened(values)}")


def no_degrees(name: str, most: float) -> None:
    """Raise where the largest of some angles of a body cannot be in radians.

    Raises
    ------
    ArgumentError
        When it is more than a full turn.
    """
    if most > 2 * np.pi:
        raise ArgumentError(
            f"{name} is in radians, {most:g} is more than a full turn: is it in degrees?"
        )


def flag(name: str, value: Any) -> bool:
    """Return `value` as a bool.

    Raises
    ------
    TypeError
        When it is neither True nor False, of Python or of NumPy.
    """
    if isinstance(value, (bool, np.bool_)) or (isinstance(value, int) and value in (0, 1)):
        return bool(value)
    raise TypeError(f"{name} must be True or False, got {shortened(value)}")


def choice(name: str, value: Any, words: tuple[str, ...]) -> str:
    """Return `value`, one of the words.

    Raises
    ------
    ArgumentError
        When it is none of them.
    """
    if isinstance(value, str) and value in words:
        return value
    raise ArgumentError(f"{name} must be {' or '.join(map(repr, words))}, got {shortened(value)}")


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
        found = None if isinstance(value, bool) else int(index(value))
    except TypeError:
        found = None
    if found is None:
        raise TypeError(f"{name} must be a whole number, got {shortened(value)}")
    if not 0 <= found <= most:
        raise ArgumentError(f"{name} must be 0 to {most}, got {found}")
    return found


def _no_mask(name: str, value: Any) -> None:
    """Refuse a masked array that hides something: NumPy would read the numbers under the mask."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise ArgumentError(f"{name} has numbers under a mask: give them a value first (filled)")


def _no_none(name: str, found: NDArray[Any]) -> None:
    """Refuse None among the numbers: NumPy would read it as one that is not finite."""
    if found.dtype.kind == "O" and any(one is None for one in found.flat):
        raise ArgumentError(f"{name} has None among its numbers")


def as_array(name: str, value: Any) -> NDArray[Any]:
    """Return `value` as an array of whatever type it has; lists must be regular.

    Raises
    ------
    ArgumentError
        When they are not, or some lie under a mask or are None.
    """
    _no_mask(name, value)
    try:
        found = np.asarray(value)
    except ValueError:
        raise ArgumentError(f"{name} must be a regular array of real numbers") from None
    _no_none(name, found)
    return found


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
        _no_none(name, found)
        found = found.astype(np.float64, copy=False)
    except ArgumentError:
        raise
    except (TypeError, ValueError, OverflowError):
        own = f", got {shortened(values)}: its .q are some" if hasattr(values, "q") else ""
        raise ArgumentError(f"{name} must be a regular array of real numbers{own}") from None
    if found.shape[found.ndim - len(core) :] != core or found.ndim < len(core):
        want = ", ".join(["...", *map(str, core)])
        raise ArgumentError(f"{name} must have shape ({want}), got {found.shape}")
    if finite and not np.isfinite(found).all():
        raise ArgumentError(f"{name} must be finite")
    return found


def _is_pair(pose: Any) -> bool:
    """Tell whether this is a position and an orientation; a list of two poses is a batch."""
    if not isinstance(pose, (tuple, list)) or len(pose) != 2:
        return False
    first = plain_transform(pose[0])
    try:
        return bool(np.shape(first)[-2:] != (4, 4))
    except ValueError:  # ragged: a pair itself, or what is said when it is read
        return not (isinstance(first, (tuple, list)) and len(first) == 2)


def pose_pair(pose: Any, name: str) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return position (..., 3) and turn, (..., 4) or (..., 3, 3), of a pair; None: it is none.

    Raises
    ------
    ArgumentError
        When it is a pair of something else.
    """
    if not _is_pair(pose):
        return None
    position, turn = (as_array(name, plain_transform(part)) for part in pose)
    if position.shape[-1:] != (3,) or (turn.shape[-1:] != (4,) and turn.shape[-2:] != (3, 3)):
        raise ArgumentError(
            f"{name} as a pair must be a position (..., 3) and a quaternion (..., 4) or a rotation "
            f"(..., 3, 3), got {position.shape} and {turn.shape}"
        )
    return position, turn


def quaternion_turns(q: Array) -> Array:
    """Return the rotations (..., 3, 3) of quaternions (..., 4) of any length but zero.

    Raises
    ------
    ArgumentError
        When one has the length zero.
    """
    largest = np.abs(q).max(axis=-1, keepdims=True)
    if (largest == 0).any():
        raise ArgumentError("a quaternion of length zero is no rotation")
    with np.errstate(invalid="ignore"):  # infinite ones turn to no number
        q = q / largest  # its square is then neither out of range nor nothing
        w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def _is_one_pose(value: Any) -> bool:
    """Tell SciPy's objects and pairs, of which a list is a batch, from rows of numbers."""
    if hasattr(value, "as_matrix"):
        return True
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        return False
    try:
        return bool(np.shape(plain_transform(value[0])) == (3,))
    except ValueError:
        return False


def poses_of(value: Any, name: str = "T", *, finite: bool = True, alone: bool = False) -> Array:
    """Return poses of shape (..., 4, 4), given in any of the ways there are.

    Matrices or lists of that shape; a pair of position (..., 3) and quaternion w x y z (..., 4),
    rotation (..., 3, 3) or SciPy's ``Rotation``; SciPy's ``RigidTransform``; a list of pairs or of
    such objects. Whether they are rigid is not looked at.

    Raises
    ------
    ArgumentError
        As `reals`; when it is a rotation without a position, unless it may be `alone`.
    """
    pair = pose_pair(value, name)
    if pair is not None:
        position = reals(pair[0], name, (3,), finite=finite)
        if pair[1].shape[-2:] == (3, 3):
            turn = reals(pair[1], name, (3, 3), finite=finite)
        else:
            turn = quaternion_turns(reals(pair[1], name, (4,), finite=finite))
        return _put_together(turn, position)
    if isinstance(value, (tuple, list)) and any(map(_is_one_pose, value)):
        rows = [poses_of(one, name, finite=finite, alone=alone) for one in value]
        if any(row.shape != rows[0].shape for row in rows):
            raise ArgumentError(f"{name} must be a regular array of poses")
        return np.stack(rows)
    matrices = plain_transform(value)
    if matrices is not value and matrices.shape[-2:] == (3, 3):
        if not alone:
            raise ArgumentError(f"{name} is a rotation alone: give a pair (position, rotation)")
        return _put_together(matrices, np.zeros(3))
    return reals(matrices, name, (4, 4), finite=finite)


def _put_together(turn: Array, position: Array) -> Array:
    lead = together(position=position.shape[:-1], orientation=turn.shape[:-2])
    out = np.zeros((*lead, 4, 4))
    out[..., :3, :3], out[..., :3, 3], out[..., 3, 3] = turn, position, 1.0
    return out


def written_pose(value: Any) -> bool:
    """Tell pairs, SciPy's objects and lists of them, of whatever shape, from numbers."""
    if _is_one_pose(value) or _is_pair(value):
        return True
    return isinstance(value, (tuple, list)) and any(map(_is_one_pose, value))


def placed(value: Any) -> Any:
    """Return a pair, a SciPy object or a place as a matrix; all else, wrong or not, as it is."""
    return placement_of(value) if written_pose(value) or _is_place(value) else value


def _is_place(value: Any) -> bool:
    """Tell three numbers, or what has that shape."""
    try:
        return bool(np.shape(plain_transform(value)) == (3,))
    except ValueError:  # ragged
        return False


def placement_of(value: Any, name: str = "the placement", *, finite: bool = False) -> Array:
    """Return where something is put: as `poses_of`, or a place (3,) alone, which turns nothing.

    Raises
    ------
    ArgumentError
        As `poses_of`.
    """
    if not written_pose(value) and _is_place(value):
        return _put_together(np.eye(3), reals(plain_transform(value), name, (3,), finite=finite))
    return poses_of(value, name, finite=finite, alone=True)


def rigid_poses(values: PoseLike, name: str = "T", *, alone: bool = False) -> Array:
    """Return finite poses of shape (..., 4, 4), given in any of the ways of `poses_of`.

    Raises
    ------
    ArgumentError
        As `poses_of`, and where one is no pose: what that is, ``core_maths.c`` says for all calls.
    """
    found = poses_of(values, name, alone=alone)
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
        known_name("joint", joint, model.joint_q_slices)
        return int(model.joint_q_slices[joint].start)
    try:
        at = -1 if isinstance(joint, bool) else index(joint)
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
