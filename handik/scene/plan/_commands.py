"""What a robot's motors are told: degrees from their own zeros, in their own senses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, NotFoundError
from handik.model import Model
from handik.scene.plan._trajectory import Trajectory
from handik.spec._given import finite_number, is_model, list_of, of_class, reals, text

__all__ = ["motor_commands", "pypot_move"]

Array = NDArray[np.float64]

#: Frames of a move at most.
_MOST = 1_000_000


def motor_commands(
    model: Model, q: ArrayLike, motors: Iterable[Mapping[str, Any]]
) -> dict[str, Array]:
    """Return what the motors of a robot are told for configurations.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)
        Configurations, inside the motors' limits.
    motors : iterable of mapping
        Each with ``name`` (of a joint), ``zero``, ``sense``, ``lower``, ``upper`` in degrees of the
        joint; see `handik.data.motors`.

    Returns
    -------
    dict of str to ndarray, shape (...)
        Degrees of each motor: ``sense * (joint - zero)``.

    Raises
    ------
    ArgumentError
        When a configuration is beyond a motor's limits, or a motor's joint is no hinge.
    NotFoundError
        When the model has no joint of a motor's name.

    Examples
    --------
    >>> import numpy as np, handik as hk
    >>> arm = hk.data("poppy_arm")
    >>> motors = hk.data.motors("poppy_arm")
    >>> told = hk.plan.motor_commands(arm, np.radians([-90, 90, 0, 60]), motors)
    >>> round(float(told["r_elbow_y"]), 6)
    30.0
    """
    is_model(model)
    rows = reals(q, "q", (model.nq,))
    told = {}
    for motor in _motors(motors):
        name = motor["name"]
        if name not in model.joint_q_slices:
            raise NotFoundError(f"the model has no joint {name!r} for a motor")
        at = model.joint_q_slices[name]
        if model.joint_kinds[model.joint_names.index(name)] != "revolute":
            raise ArgumentError(f"joint {name!r} of a motor must be a hinge")
        angle = np.degrees(rows[..., at.start])
        # a millionth of a degree is rounding, and no motor can tell
        beyond = (angle < motor["lower"] - 1e-6) | (angle > motor["upper"] + 1e-6)
        if beyond.any():
            raise ArgumentError(
                f"{name} would be turned to {angle[beyond].flat[0]:.6g} degrees, beyond its "
                f"motor's {motor['lower']:g} to {motor['upper']:g}"
            )
        told[name] = np.asarray(motor["sense"] * (angle - motor["zero"]) + 0.0)  # no -0
    return told


def pypot_move(
    trajectory: Trajectory, motors: Iterable[Mapping[str, Any]], *, framerate: float = 50.0
) -> dict[str, Any]:
    """Return a trajectory as a recorded move of pypot, to be written by `json.dump`.

    Parameters
    ----------
    trajectory : Trajectory
    motors : iterable of mapping
        See `motor_commands`.
    framerate : float
        Frames a second.

    Returns
    -------
    dict
        ``framerate``, and ``positions``: by the time in seconds, each motor's degrees and degrees a
        second. ``pypot.primitive.move.Move.create`` and ``load`` take it, and its `MovePlayer`
        plays it.

    Raises
    ------
    ArgumentError
        As `motor_commands`, and when it has more than a million frames.
    NotFoundError
        When the model has no joint of a motor's name.

    Examples
    --------
    >>> import numpy as np, handik as hk
    >>> arm = hk.data("poppy_arm")
    >>> way = np.radians([[-90, 90, 0, 90], [-60, 80, 0, 60]])
    >>> moved = hk.plan.trajectory(arm, way, max_acceleration=5)
    >>> move = hk.plan.pypot_move(moved, hk.data.motors("poppy_arm"))
    >>> move["framerate"], abs(move["positions"]["0.0"]["r_elbow_y"][0]) < 1e-9
    (50.0, True)
    """
    of_class("trajectory", trajectory, Trajectory)
    rate = finite_number("framerate", framerate)
    if rate <= 0:
        raise ArgumentError("framerate must be above 0")
    if trajectory.duration * rate > _MOST:
        raise ArgumentError(f"the move would have more than {_MOST} frames: lower the framerate")
    own = _motors(motors)
    count = int(np.ceil(trajectory.duration * rate - 1e-9))
    times = np.append(np.arange(count) / rate, trajectory.duration)
    q, v, _ = trajectory.sample(times)
    told = motor_commands(trajectory.model, q, own)
    at = {one["name"]: trajectory.model.joint_q_slices[one["name"]].start for one in own}
    speed = {one["name"]: one["sense"] * np.degrees(v[:, at[one["name"]]]) for one in own}
    return {
        "framerate": rate,
        "positions": {
            repr(float(time)): {
                name: [float(told[name][k]), float(speed[name][k]) + 0.0] for name in told
            }
            for k, time in enumerate(times)
        },
    }


def _motors(motors: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return motors with what each must have."""
    found = []
    for k, motor in enumerate(list_of("motors", motors)):
        keys = ("name", "zero", "sense", "lower", "upper")
        if not isinstance(motor, Mapping) or any(key not in motor for key in keys):
            raise ArgumentError(f"motors[{k}] must have {', '.join(keys)}")
        own = {key: finite_number(f"motors[{k}] {key}", motor[key]) for key in keys[1:]}
        if own["sense"] not in (1.0, -1.0):
            raise ArgumentError(f"motors[{k}] sense must be 1 or -1")
        found.append({"name": text(f"motors[{k}] name", motor["name"]), **own})
    return found
