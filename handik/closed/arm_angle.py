"""The free swivel of arms of seven joints with a spherical shoulder and a spherical wrist.

The arm angle turns the elbow about the line from shoulder to wrist. It is counted from the plane of
that line and the first joint's axis. At a given angle a pose has up to eight configurations, two
for each of elbow, shoulder and wrist; a branch is one such choice.

Shimizu et al., IEEE Transactions on Robotics 24 (2008) 1131-1142.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.closed.analytic import _prepared
from handik.closed.self_motion import HELD
from handik.errors import ArgumentError, UnsupportedError
from handik.spec._given import (
    PoseLike,
    is_model,
    number,
    points_of,
    poses_of,
    reals,
    together,
    whole_number,
)

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["arm_angle", "arm_angle_ranges", "end_angle_ranges", "postures_at"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


Array = NDArray[np.float64]
BRANCHES = 8


def _core_of(model: Model, frame: Any) -> Any:
    is_model(model)
    core = _prepared(model, frame, "pose", None, False).core
    if not core.has_arm_angle:
        raise UnsupportedError(
            "an arm angle needs seven turning joints of which the first three axes meet and the "
            "last three; use solutions() with a locked joint"
        )
    return core


def arm_angle(
    model: Model,
    q: ArrayLike,
    *,
    frame: str | int | None = None,
    out: Array | None = None,
    threads: int = 1,
) -> Array:
    """Return the arm angle of configurations.

    Parameters
    ----------
    model : Model
        The arm.
    q : array_like, shape (..., nq)
        Postures.
    frame : str or int, optional
        The frame carried by the wrist; the tip if not given.
    out : ndarray, shape (...), optional
        Where to write.
    threads : int
        Threads over the configurations; 0: all cores.

    Returns
    -------
    ndarray, shape (...)
        Radians in (-pi, pi].

    Raises
    ------
    UnsupportedError
        When the arm has no spherical shoulder and wrist.

    Examples
    --------
    >>> import numpy as np
    >>> import handik as hk
    >>> from handik.closed import arm_angle as aa
    >>> r = np.pi / 2
    >>> table = [[0, 0.3, 0, r], [0, 0, 0, -r], [0, 0.4, 0, r], [0, 0, 0, -r]]
    >>> table += [[0, 0.4, 0, r], [0, 0, 0, -r], [0, 0.1, 0, 0]]
    >>> arm = hk.Model.from_dh(table, lower=-2.8, upper=2.8)
    >>> q = arm.sample(seed=1)
    >>> angle = aa.arm_angle(arm, q)
    >>> found = aa.postures_at(arm, arm.fk(q), angle)
    >>> bool(np.nanmin(np.abs(found - q).max(axis=-1)) < 1e-9)
    True
    """
    return np.asarray(_core_of(model, frame).arm_angle(q, out=out, threads=threads))


def postures_at(
    model: Model,
    T: PoseLike,
    angle: ArrayLike,
    *,
    frame: str | int | None = None,
    out: Array | None = None,
    threads: int = 1,
) -> Array:
    """Find the configurations for a pose with the elbow at a given arm angle.

    Parameters
    ----------
    model : Model
        The arm.
    T : array_like, shape (..., 4, 4), or pair, or RigidTransform
        Poses of the frame.
    angle : array_like, shape (...)
        Arm angles, radians; broadcast against the poses.
    frame : str or int, optional
        The frame; the tip if not given.
    out : ndarray, shape (..., 8, nq), optional
        Where to write.
    threads : int
        Threads over the poses; 0: all cores.

    Returns
    -------
    ndarray, shape (..., 8, nq)
        One row a branch; NaN where the branch has no configuration inside the limits.

    Raises
    ------
    UnsupportedError
        When the arm has no spherical shoulder and wrist.
    ArgumentError
        When the shapes do not fit.

    Examples
    --------
    >>> import numpy as np
    >>> import handik as hk
    >>> from handik.closed import arm_angle as aa
    >>> r = np.pi / 2
    >>> table = [[0, 0.3, 0, r], [0, 0, 0, -r], [0, 0.4, 0, r], [0, 0, 0, -r]]
    >>> table += [[0, 0.4, 0, r], [0, 0, 0, -r], [0, 0.1, 0, 0]]
    >>> arm = hk.Model.from_dh(table, lower=-2.8, upper=2.8)
    >>> q = arm.sample(seed=1)
    >>> aa.postures_at(arm, arm.fk(q), [0.0, 0.1]).shape
    (2, 8, 7)
    """
    core = _core_of(model, frame)
    poses, angles = (
        poses_of(T, finite=False),
        reals(angle, "angle", (), finite=False),
    )
    lead = together(T=poses.shape[:-2], angle=angles.shape)
    many = np.ascontiguousarray(np.broadcast_to(poses, (*lead, 4, 4)))
    wide = np.ascontiguousarray(np.broadcast_to(angles, lead))
    return np.asarray(core.swivel(many, wide, out=out, threads=threads))


def arm_angle_ranges(
    model: Model,
    T: PoseLike,
    *,
    frame: str | int | None = None,
    samples: int = 720,
    tolerance: float = 1e-9,
) -> list[list[tuple[float, float]]]:
    """Find where each branch of one pose stays inside the limits.

    Parameters
    ----------
    model : Model
        The arm.
    T : array_like, shape (4, 4), or pair, or RigidTransform
        Pose of the frame.
    frame : str or int, optional
        The frame; the tip if not given.
    samples : int
        Angles looked at; a range, or a gap, narrower than 2 pi / samples can be passed over.
    tolerance : float
        The ends are found by bisection to this, radians.

    Returns
    -------
    list of 8 lists of (low, high)
        By branch, in the order of `postures_at`: ranges of the arm angle, with low in (-pi, pi] and
        high above it by at most 2 pi; (-pi, pi) when the branch is inside its limits all round.

    Raises
    ------
    UnsupportedError
        When the arm has no spherical shoulder and wrist.
    ArgumentError
        When T is not one pose, there are fewer than 8 samples, or the tolerance is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> import handik as hk
    >>> from handik.closed import arm_angle as aa
    >>> r = np.pi / 2
    >>> table = [[0, 0.3, 0, r], [0, 0, 0, -r], [0, 0.4, 0, r], [0, 0, 0, -r]]
    >>> table += [[0, 0.4, 0, r], [0, 0, 0, -r], [0, 0.1, 0, 0]]
    >>> arm = hk.Model.from_dh(table, lower=-2.8, upper=2.8)
    >>> q = arm.sample(seed=1)
    >>> len(aa.arm_angle_ranges(arm, arm.fk(q)))
    8
    """
    pose = poses_of(T, finite=False)
    if pose.shape != (4, 4):
        raise ArgumentError(f"T must have shape (4, 4), got {pose.shape}")
    angles = around(samples, tolerance)

    def inside(at: Array) -> NDArray[np.bool_]:
        return np.asarray(~np.isnan(postures_at(model, pose, at, frame=frame)[..., 0]))

    good = inside(angles)
    return [ranges_of(angles, good[:, k], k, inside, tolerance) for k in range(BRANCHES)]


def around(samples: int, tolerance: float) -> Array:
    """Return angles of a full turn, evenly spaced, once both arguments are checked."""
    if whole_number("samples", samples) < 8:
        raise ArgumentError(f"samples must be 8 or more, got {samples}")
    if not number("tolerance", tolerance) > 0:
        raise ArgumentError(f"tolerance must be above 0, got {tolerance}")
    return np.asarray(-np.pi + 2 * np.pi * np.arange(samples) / samples)


def ranges_of(
    angles: Array, good: NDArray[np.bool_], branch: int, inside: Any, tolerance: float
) -> list[tuple[float, float]]:
    """Refine evenly spaced angles of a full turn that are good to ranges, by bisection."""
    if good.all():
        return [(-np.pi, np.pi)]
    step = 2 * np.pi / len(angles)
    rises = np.flatnonzero(good & ~np.roll(good, 1))
    falls = np.flatnonzero(good & ~np.roll(good, -1))
    low = _edge(angles[rises], angles[rises] - step, branch, inside, tolerance)
    high = _edge(angles[falls], angles[falls] + step, branch, inside, tolerance)
    found = []
    for start in low:
        above = high + np.where(high < start - 1e-12, 2 * np.pi, 0.0)
        end = float(above.min())
        shift = 2 * np.pi if start <= -np.pi else 0.0
        found.append((float(start) + shift, end + shift))
    return sorted(found)


def _edge(good: Array, bad: Array, branch: int, inside: Any, tolerance: float) -> Array:
    """Bisect between angles that are inside the limits and neighbors that are not."""
    good, bad = good.copy(), bad.copy()
    for _ in range(64):  # no two numbers are nearer
        if not len(good) or np.abs(good - bad).max() <= tolerance:
            break
        middle = 0.5 * (good + bad)
        fits = inside(middle)[:, branch]
        good, bad = np.where(fits, middle, good), np.where(fits, bad, middle)
    return good


def end_angle_ranges(
    model: Model,
    point: ArrayLike,
    *,
    frame: str | int | None = None,
    samples: int = 720,
    tolerance: float = 1e-9,
) -> list[tuple[float, float]]:
    """Find the angles at which a planar arm of three joints reaches a point.

    Parameters
    ----------
    model : Model
        Three joints, turning about or sliding across one direction.
    point : array_like, shape (3,)
        Where the frame's origin shall be, m.
    frame : str or int, optional
        The frame; the tip if not given.
    samples : int
        Angles looked at; a range, or a gap, narrower than 2 pi / samples can be passed over.
    tolerance : float
        The ends are found by bisection to this, radians.

    Returns
    -------
    list of (low, high)
        Ranges of the frame's turn about the arm's normal (the first turning axis) from its place
        at q = 0 (held joints: where they are held), inside the joints' limits; low in (-pi, pi],
        high above it by at most 2 pi. Empty
        out of reach. ``model.solutions`` of a pose with such an angle has the configurations.

    Raises
    ------
    UnsupportedError
        When the chain is no planar arm of three joints with a turn.
    ArgumentError
        When the point is not three numbers, there are fewer than 8 samples, or the tolerance is
        not positive.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.closed.arm_angle import end_angle_ranges
    >>> arm = hk.chain([0.5, 0.4, 0.2], lower=-2.5, upper=2.5)
    >>> end_angle_ranges(arm, [2.0, 0.0, 0.0])  # out of reach
    []
    >>> len(end_angle_ranges(arm, [0.6, 0.3, 0.0])) >= 1
    True
    """
    is_model(model)
    at = points_of(point, "point", (3,))
    angles = around(samples, tolerance)
    setup = _prepared(model, frame, "pose", None, False)
    if setup.method != "planar" or len(setup.path) != 3:
        raise UnsupportedError(f"a planar arm of three joints is needed; {setup.description}")
    zero = np.where(model.upper - model.lower <= HELD, model.lower, 0.0)
    home = model.fk(zero, frame=frame)
    slope = model.jacobian(zero, frame=frame)[3:, setup.path]
    normal = next(column for column in slope.T if np.abs(column).max() > 0.5)
    x, y, z = normal
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])

    def inside(angle: Array) -> NDArray[np.bool_]:
        poses = np.broadcast_to(home, (len(angle), 4, 4)).copy()
        s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
        poses[:, :3, :3] = (np.eye(3) + s * cross + (1 - c) * (cross @ cross)) @ home[:3, :3]
        poses[:, :3, 3] = at
        return np.asarray(setup.core.solve(poses)[1][:, None] > 0)

    good = inside(angles)[:, 0]
    return ranges_of(angles, good, 0, inside, tolerance)
