"""Task and tool frames: poses as people write them, and frames found by measuring.

A pose vector is ``x y z`` and three angles. The 24 Euler conventions are written as in SciPy:
three letters, small (``"xyz"``) for turns about fixed axes, capital (``"XYZ"``) for turns about
axes that move along, always in the order the turns are made. `rotation` alone, which makes an
object of SciPy's, needs the extra ``handik[scipy]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, shortened
from handik.spec._given import (
    PoseLike,
    plain_transform,
    quaternion_turns,
    reals,
    rigid_poses,
    together,
)
from handik.spec._rotations import (
    euler_angles,
    euler_turns,
    quaternions_of,
    vector_turns,
    vectors_of,
)

__all__ = [
    "EULER_CONVENTIONS",
    "Fit",
    "fit_task_frame",
    "fit_tool",
    "from_pose_vector",
    "from_quaternion",
    "from_rotation",
    "from_rotation_vector",
    "from_rpy",
    "inverse",
    "pose_vector",
    "quaternion",
    "rotation",
    "rotation_vector",
    "rpy",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


Array = NDArray[np.float64]

_TURNS = [
    "".join(word) for word in product("xyz", repeat=3) if word[0] != word[1] and word[1] != word[2]
]
#: All 24 conventions: 12 about fixed axes in small letters, 12 about moving axes in capitals.
EULER_CONVENTIONS: tuple[str, ...] = (*_TURNS, *(word.upper() for word in _TURNS))

#: Points in a line, or contacts with too little turn, are told from good ones by this ratio.
_SPREAD = 1e-6


def _pose(values: PoseLike, what: str = "the pose") -> Array:
    return rigid_poses(values, what, alone=True)


def inverse(pose: PoseLike) -> Array:
    """Return the inverse of rigid motions.

    Parameters
    ----------
    pose : array_like, shape (..., 4, 4), or pair, or RigidTransform
        Poses.

    Returns
    -------
    ndarray, shape (..., 4, 4)
        Their inverses.

    Raises
    ------
    ArgumentError
        When `pose` is not one.

    Examples
    --------
    >>> (inverse(from_quaternion([1.0, 0.0, 0.0, 0.0], [1.0, 2.0, 3.0]))[:3, 3] + 0.0).tolist()
    [-1.0, -2.0, -3.0]
    """
    given = _pose(pose)
    out = np.zeros_like(given)
    turn = np.swapaxes(given[..., :3, :3], -1, -2)
    out[..., :3, :3] = turn
    out[..., :3, 3] = -(turn @ given[..., :3, 3:])[..., 0]
    out[..., 3, 3] = 1.0
    return out


# -- poses as people write them ----------------------------------------------------------------


def from_pose_vector(vector: ArrayLike, convention: str = "ZYX") -> Array:
    """Return the poses of vectors x y z phi theta psi, meters and radians.

    Parameters
    ----------
    vector : array_like, shape (..., 6)
        Position, then the three angles in the order the turns are made.
    convention : str
        One of `EULER_CONVENTIONS`.

    Returns
    -------
    ndarray, shape (..., 4, 4)
        Poses.

    Raises
    ------
    ArgumentError
        For another shape or convention, or numbers that are not finite.

    Examples
    --------
    >>> from_pose_vector([1.0, 2.0, 3.0, 0.0, 0.0, 0.0])[:3, 3]
    array([1., 2., 3.])
    """
    rows = reals(vector, "the pose vector", (6,))
    return from_rotation(euler_turns(rows[..., 3:], _convention(convention)), rows[..., :3])


def pose_vector(pose: PoseLike, convention: str = "ZYX") -> Array:
    """Return poses as vectors of x y z and three angles.

    The first and third angle are in -pi to pi; the middle one in -pi/2 to pi/2 where the three
    letters differ, in 0 to pi where the first is also the last. Where it leaves only the sum or
    the difference of the other two (gimbal lock), the third is zero.

    Parameters
    ----------
    pose : array_like, shape (..., 4, 4), or pair, or RigidTransform
        Poses.
    convention : str
        One of `EULER_CONVENTIONS`.

    Returns
    -------
    ndarray, shape (..., 6)
        Meters and radians.

    Raises
    ------
    ArgumentError
        For another convention, or what is not a rigid motion.

    Examples
    --------
    >>> pose_vector(from_pose_vector([1.0, 2.0, 3.0, 0.0, 0.5, 0.0])).round(6).tolist()
    [1.0, 2.0, 3.0, 0.0, 0.5, 0.0]
    """
    given = _pose(pose)
    angles = euler_angles(given[..., :3, :3], _convention(convention))
    return np.concatenate([given[..., :3, 3], angles], axis=-1)


def _convention(word: str) -> str:
    if not (isinstance(word, str) and word in EULER_CONVENTIONS):
        raise ArgumentError(
            f"{shortened(word)} is no Euler convention: three letters x y z, all small (fixed "
            "axes) or all capital (moving axes), no letter twice in a row"
        )
    return word


def from_rpy(angles: ArrayLike, position: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return poses of roll, pitch, yaw about the fixed x, y and z, as URDF writes them.

    Parameters
    ----------
    angles : array_like, shape (..., 3)
        Roll, pitch and yaw, radians.
    position : array_like, shape (..., 3)
        Meters.

    Returns
    -------
    ndarray, shape (..., 4, 4)
        Poses.

    Raises
    ------
    ArgumentError
        For another shape, or numbers that are not finite.

    Examples
    --------
    >>> from_rpy([0.0, 0.0, 0.0], [1.0, 0.0, 0.0])[0]
    array([1., 0., 0., 1.])
    """
    angles, place = reals(angles, "the angles", (3,)), reals(position, "the position", (3,))
    lead = together(angles=angles.shape[:-1], position=place.shape[:-1])
    place, angles = np.broadcast_to(place, (*lead, 3)), np.broadcast_to(angles, (*lead, 3))
    return from_pose_vector(np.concatenate([place, angles], axis=-1), "xyz")


def rpy(pose: PoseLike) -> Array:
    """Return the roll, pitch and yaw of poses, about the fixed x, y and z.

    Parameters
    ----------
    pose : array_like, shape (..., 4, 4), or pair, or RigidTransform
        Poses.

    Returns
    -------
    ndarray, shape (..., 3)
        Radians.

    Raises
    ------
    ArgumentError
        When `pose` is no rigid motion.

    Examples
    --------
    >>> rpy(from_rpy([0.1, 0.2, 0.3])).round(6).tolist()
    [0.1, 0.2, 0.3]
    """
    return pose_vector(pose, "xyz")[..., 3:]


def from_quaternion(quaternions: ArrayLike, position: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the poses of quaternions.

    Parameters
    ----------
    quaternions : array_like, shape (..., 4)
        w x y z; they need not be of unit length.
    position : array_like, shape (..., 3)
        Meters.

    Returns
    -------
    ndarray, shape (..., 4, 4)
        Poses.

    Raises
    ------
    ArgumentError
        For another shape, or a quaternion of length zero.

    Examples
    --------
    >>> from_quaternion([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.5])[:3, 0]
    array([-1.,  0.,  0.])
    """
    q = reals(quaternions, "the quaternion", (4,))
    return from_rotation(quaternion_turns(q), position)


def quaternion(pose: PoseLike) -> Array:
    """Return the quaternions of poses.

    Parameters
    ----------
    pose : array_like, shape (..., 4, 4), or pair, or RigidTransform
        Poses.

    Returns
    -------
    ndarray, shape (..., 4)
        Unit quaternions w x y z, with w not negative.

    Raises
    ------
    ArgumentError
        When `pose` is no rigid motion.

    Examples
    --------
    >>> import numpy as np
    >>> quaternion(np.eye(4))
    array([1., 0., 0., 0.])
    """
    return quaternions_of(_pose(pose)[..., :3, :3])


def from_rotation_vector(vectors: ArrayLike, position: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the poses of rotation vectors: the axis times the angle.

    Parameters
    ----------
    vectors : array_like, shape (..., 3)
        Radians.
    position : array_like, shape (..., 3)
        Meters.

    Returns
    -------
    ndarray, shape (..., 4, 4)
        Poses.

    Raises
    ------
    ArgumentError
        For another shape, or numbers that are not finite.

    Examples
    --------
    >>> from_rotation_vector([0.0, 0.0, 0.0])[0]
    array([1., 0., 0., 0.])
    """
    rows = reals(vectors, "the rotation vector", (3,))
    return from_rotation(quaternion_turns(vector_turns(rows)), position)


def rotation_vector(pose: PoseLike) -> Array:
    """Return the rotation vectors of poses: the axis times the angle.

    Parameters
    ----------
    pose : array_like, shape (..., 4, 4), or pair, or RigidTransform
        Poses.

    Returns
    -------
    ndarray, shape (..., 3)
        Radians, of length at most pi.

    Raises
    ------
    ArgumentError
        When `pose` is no rigid motion.

    Examples
    --------
    >>> import numpy as np
    >>> rotation_vector(np.eye(4))
    array([0., 0., 0.])
    """
    return vectors_of(_pose(pose)[..., :3, :3])


def from_rotation(turn: Any, position: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Return the poses of SciPy's rotations or of rotation matrices.

    Parameters
    ----------
    turn : scipy.spatial.transform.Rotation or array_like, shape (..., 3, 3)
        Rotations.
    position : array_like, shape (..., 3)
        Meters.

    Returns
    -------
    ndarray, shape (..., 4, 4)
        Poses.

    Raises
    ------
    ArgumentError
        For another shape, or a matrix that is no rotation.

    Examples
    --------
    >>> import numpy as np
    >>> from_rotation(np.eye(3), [0.0, 0.0, 0.5])[:3, 3]
    array([0. , 0. , 0.5])
    """
    matrix = plain_transform(turn)
    matrix = reals(matrix, "the rotation", (3, 3))
    place = reals(position, "the position", (3,))
    lead = together(rotation=matrix.shape[:-2], position=place.shape[:-1])
    out = np.zeros((*lead, 4, 4))
    out[..., :3, :3], out[..., :3, 3], out[..., 3, 3] = matrix, place, 1.0
    return _pose(out, "the rotation")


def rotation(pose: PoseLike) -> Any:
    """Return the rotations of poses for SciPy.

    Parameters
    ----------
    pose : array_like, shape (..., 4, 4), or pair, or RigidTransform
        Poses.

    Returns
    -------
    scipy.spatial.transform.Rotation
        One for a single pose, else a stack in one row.

    Raises
    ------
    ArgumentError
        When `pose` is no rigid motion.
    ImportError
        Without SciPy.

    Examples
    --------
    >>> import numpy as np
    >>> float(rotation(np.eye(4)).magnitude())
    0.0
    """
    turn = _pose(pose)[..., :3, :3]
    try:
        from scipy.spatial.transform import Rotation
    except ImportError:
        raise ImportError("rotation() needs SciPy: pip install 'handik[scipy]'") from None
    return Rotation.from_matrix(turn if turn.ndim == 2 else turn.reshape(-1, 3, 3))


# -- frames found by measuring -------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A frame found by least squares.

    Attributes
    ----------
    pose : ndarray (4, 4)
        The frame.
    residual : float
        Root mean square distance that is left, meters.
    errors : ndarray (n,)
        Distance left at each measurement, meters.
    point : ndarray (3,) or None
        Tool: the contact point in the base frame.
    """

    pose: Array
    residual: float
    errors: Array
    point: Array | None = None

    def __repr__(self) -> str:
        return f"Fit: {len(self.errors)} measurements, residual {self.residual:.3g} m"


def fit_task_frame(points: ArrayLike, measured: ArrayLike) -> Fit:
    """Find where the robot's base stands in a task frame, from points touched in it.

    Parameters
    ----------
    points : array_like, shape (n, 3)
        Three or more points, not in a line, in the task frame.
    measured : array_like, shape (n, 3)
        The same points as the robot measured them, in its base frame.

    Returns
    -------
    Fit
        ``pose`` is T_task_0, the pose of the robot's base in the task frame, as `Model.with_base`
        takes it: ``points = pose @ measured``, in the least squares sense. Where the task stands
        in the robot's base is ``inverse(fit.pose)``.

    Raises
    ------
    ArgumentError
        For other shapes, fewer than three points, or points in a line.

    Notes
    -----
    Kabsch's rotation (Acta Cryst. A32, 1976) with the sign of Umeyama (IEEE PAMI 13, 1991), which
    keeps a reflection out.

    Examples
    --------
    >>> corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    >>> seen = [[0.5, 0.0, 0.2], [0.5, 1.0, 0.2], [-0.5, 0.0, 0.2]]
    >>> (fit_task_frame(corners, seen).pose[:3, 3].round(6) + 0.0).tolist()
    [0.0, 0.5, -0.2]
    """
    task, base = reals(points, "points", (3,)), reals(measured, "measured", (3,))
    if task.ndim != 2 or task.shape != base.shape:
        raise ArgumentError(f"points {task.shape} and measured {base.shape} must both be (n, 3)")
    if len(task) < 3:
        raise ArgumentError(f"a task frame needs three points or more, got {len(task)}")
    middle, middle_base = task.mean(axis=0), base.mean(axis=0)
    for what, cloud in (("points", task - middle), ("measured", base - middle_base)):
        spread = np.linalg.svd(cloud, compute_uv=False)
        if not spread[1] > _SPREAD * spread[0]:
            raise ArgumentError(f"{what} lie in a line: the turn about it cannot be found")
    left, _, right = np.linalg.svd((task - middle).T @ (base - middle_base))
    sign = np.diag([1.0, 1.0, np.linalg.det(left @ right)])
    turn = left @ sign @ right
    place = from_rotation(turn, middle - turn @ middle_base)
    errors = np.linalg.norm(base @ turn.T + place[:3, 3] - task, axis=1)
    return Fit(place, float(np.sqrt(np.mean(errors**2))), errors)


def fit_tool(flanges: ArrayLike) -> Fit:
    """Find the tool's tip from several contacts with one fixed point (pivot calibration).

    Parameters
    ----------
    flanges : array_like, shape (n, 4, 4)
        Poses of the flange in the base frame, three or more, with the tip held at one point and
        the flange turned about axes of different directions.

    Returns
    -------
    Fit
        ``pose`` is the tip in the flange (its axes are those of the flange, which contacts cannot
        tell), ``point`` the point touched, in the base frame.

    Raises
    ------
    ArgumentError
        For fewer than three poses, or turns that all share one axis.

    Notes
    -----
    Least squares of ``R_i t + p_i = c`` in t and c (Yaniv, SPIE 9415, 2015).

    Examples
    --------
    >>> import numpy as np
    >>> turns = from_rotation_vector([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]])
    >>> tip, touched = np.array([0.0, 0.0, 0.1]), np.array([0.4, 0.0, 0.0])
    >>> turns[:, :3, 3] = touched - turns[:, :3, :3] @ tip
    >>> (fit_tool(turns).pose[:3, 3].round(6) + 0.0).tolist()
    [0.0, 0.0, 0.1]
    """
    poses = _pose(flanges, "flanges")
    if poses.ndim != 3 or len(poses) < 3:
        raise ArgumentError(f"flanges must be (n, 4, 4) with n at least 3, not {poses.shape}")
    rows = np.zeros((len(poses), 3, 6))
    rows[:, :, :3], rows[:, :, 3:] = poses[:, :3, :3], -np.eye(3)
    right = -poses[:, :3, 3].ravel()
    # Where every flange is turned about one axis, the tip may move along it unseen.
    spread = np.linalg.svd(rows.reshape(-1, 6), compute_uv=False)
    if not spread[-1] > 1e-4 * spread[0]:
        raise ArgumentError("the contacts turn the flange too little, or about one axis only")
    found = np.linalg.lstsq(rows.reshape(-1, 6), right, rcond=None)[0]
    errors = np.linalg.norm(poses[:, :3, :3] @ found[:3] + poses[:, :3, 3] - found[3:], axis=1)
    tool = np.eye(4)
    tool[:3, 3] = found[:3]
    return Fit(tool, float(np.sqrt(np.mean(errors**2))), errors, np.array(found[3:], dtype=float))
