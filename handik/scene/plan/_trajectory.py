"""Trajectory: a path with times, within limits of velocity, acceleration and, if wanted, jerk."""

from __future__ import annotations

import csv
import io
import json
import os
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, UnsupportedError
from handik.files.read.mot import coordinate_names
from handik.model import Model
from handik.scene._files import replace
from handik.scene.plan._curve import Curve, Pace
from handik.scene.plan._fastest import fastest, shown
from handik.scene.plan._gentle import gentle
from handik.scene.plan._law import Law, Limits
from handik.spec import MimicSpec
from handik.spec._given import finite_number, is_model, path_text, reals, whole_number

__all__ = ["Trajectory", "limits_of", "sooner", "still", "timed", "trajectory"]

Array = NDArray[np.float64]

#: Limits and coordinates are no larger, nor limits less than 1 over it: there are no digits for it.
HUGE = 1e50


@dataclass(frozen=True, eq=False)
class Trajectory:
    """Postures with times: what a controller follows.

    Attributes
    ----------
    model : Model
    times : ndarray, shape (n,)
        Seconds, from 0.
    q : ndarray, shape (n, nq)
        Postures at these times.
    v, a : ndarray, shape (n, nv)
        Velocity and acceleration in the coordinates of `Model.integrate` (of a ball: about the
        axes of its own frame); radians and meters, seconds.

    Notes
    -----
    Between the times nothing is lost: `sample` reads the curve itself. Acceleration may jump at
    some times where no jerk limit was given; `a` has what follows the jump.

    Examples
    --------
    >>> import numpy as np, handik as hk
    >>> arm = hk.chain([0.5, 0.4])
    >>> moved = hk.plan.trajectory(arm, [[0, 0], [1, 1]], max_speed=1, max_acceleration=4)
    >>> round(moved.duration, 3)
    1.25
    >>> moved.sample(moved.duration)[0].round(9).tolist()
    [1.0, 1.0]
    """

    model: Model
    times: Array
    q: Array
    v: Array
    a: Array
    _curve: Curve | None = field(repr=False)
    _law: Law = field(repr=False)

    @property
    def duration(self) -> float:
        """Seconds from the first posture to the last."""
        return float(self.times[-1])

    def __repr__(self) -> str:
        """Say how long it is."""
        return f"Trajectory of {self.model.name!r}: {self.duration:.4g} s, {len(self.times)} times"

    def sample(self, t: ArrayLike) -> tuple[Array, Array, Array]:
        """Return posture, velocity and acceleration at any times.

        Parameters
        ----------
        t : array_like, shape (...)
            Seconds; before the first and after the last time the figure stands still.

        Returns
        -------
        q : ndarray, shape (..., nq)
        v, a : ndarray, shape (..., nv)

        Raises
        ------
        ArgumentError
            When a time is not finite.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.5])
        >>> moved = hk.plan.trajectory(arm, [[0], [1]], max_speed=1, max_acceleration=1)
        >>> q, v, a = moved.sample([0.5, 1.0])
        >>> q.round(9).tolist()
        [[0.125], [0.5]]
        """
        given = reals(t, "t", ())
        q, v, a = _sampled(self.model, self._curve, self._law, self.q[0], given.ravel())
        return (
            q.reshape(*given.shape, self.model.nq),
            v.reshape(*given.shape, self.model.nv),
            a.reshape(*given.shape, self.model.nv),
        )

    def resampled(self, dt: float) -> Trajectory:
        """Return the same motion at times that are `dt` apart, and at its end.

        Parameters
        ----------
        dt : float
            Seconds, above 0; at most 10,000,000 times are made.

        Returns
        -------
        Trajectory

        Raises
        ------
        ArgumentError
            When `dt` is not above 0, or too small.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.5])
        >>> moved = hk.plan.trajectory(arm, [[0], [1]], max_speed=1, max_acceleration=1)
        >>> moved.resampled(0.5).times.tolist()
        [0.0, 0.5, 1.0, 1.5, 2.0]
        """
        step = finite_number("dt", dt)
        if not step > 0 or self.duration / step > 1e7:
            raise ArgumentError(f"dt must be above 0 and at least {self.duration / 1e7:g}")
        count = int(np.floor(self.duration / step * (1 + 1e-12)))
        times: Array = np.arange(count + 1, dtype=np.float64) * step
        if self.duration - times[-1] > 1e-9 * step:
            times = np.append(times, self.duration)
        return _made(self.model, self._curve, self._law, self.q[0], times)

    def to_csv(self) -> str:
        """Return a table: time, then every coordinate of q, v and a, a time a line.

        Returns
        -------
        str
            With a line of names; seconds, radians, meters.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.5])
        >>> moved = hk.plan.trajectory(arm, [[0], [1]], max_speed=1, max_acceleration=1)
        >>> moved.resampled(1.0).to_csv().splitlines()[0]
        'time,joint_1,v.joint_1,a.joint_1'
        """
        names = coordinate_names(self.model)[0]
        moving = _motion_names(self.model)
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["time", *names, *(f"v.{n}" for n in moving), *(f"a.{n}" for n in moving)])
        table = np.column_stack([self.times, self.q, self.v, self.a])
        writer.writerows([repr(float(x)) for x in row] for row in table)
        return out.getvalue()

    def to_dict(self, *, ros: int = 2) -> dict[str, Any]:
        """Return ROS's message ``trajectory_msgs/JointTrajectory`` as plain data.

        Parameters
        ----------
        ros : int
            2 writes times as ``sec`` and ``nanosec``, 1 as ``secs`` and ``nsecs``.

        Returns
        -------
        dict
            ``header``, ``joint_names`` and ``points``; MoveIt's ``RobotTrajectory`` has it under
            ``joint_trajectory``. Joints that follow another are left out, as in q.

        Raises
        ------
        ArgumentError
            When `ros` is neither 1 nor 2.
        UnsupportedError
            When a joint has several coordinates: the message has one number a joint.

        References
        ----------
        https://docs.ros.org/en/rolling/p/trajectory_msgs/ : the fields of the message.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.5])
        >>> moved = hk.plan.trajectory(arm, [[0], [1]], max_speed=1, max_acceleration=1)
        >>> moved.resampled(1.5).to_dict()["points"][1]["time_from_start"]
        {'sec': 1, 'nanosec': 500000000}
        """
        if whole_number("ros", ros) not in (1, 2):
            raise ArgumentError(f"ros must be 1 or 2, got {ros}")
        spans = self.model.joint_q_slices
        wide = [name for name, at in spans.items() if at.stop - at.start > 1]
        if wide:
            raise UnsupportedError(
                f"joint {wide[0]!r} has several coordinates: a JointTrajectory has one number a "
                "joint; to_csv() holds them all"
            )
        names = sorted(spans, key=lambda name: spans[name].start)
        second, rest = ("sec", "nanosec") if ros == 2 else ("secs", "nsecs")
        points = []
        for t, q, v, a in zip(self.times, self.q, self.v, self.a, strict=True):
            whole, part = divmod(round(float(t) * 1e9), 10**9)
            points.append(
                {
                    "positions": q.tolist(),
                    "velocities": v.tolist(),
                    "accelerations": a.tolist(),
                    "effort": [],
                    "time_from_start": {second: whole, rest: part},
                }
            )
        header: dict[str, Any] = {"stamp": {second: 0, rest: 0}, "frame_id": ""}
        return {"header": header, "joint_names": names, "points": points}

    def to_json(self, *, ros: int = 2) -> str:
        """Return `to_dict` as JSON.

        Parameters
        ----------
        ros : int
            As in `to_dict`.

        Returns
        -------
        str

        Examples
        --------
        >>> import json, handik as hk
        >>> arm = hk.chain([0.5])
        >>> moved = hk.plan.trajectory(arm, [[0], [1]], max_speed=1, max_acceleration=1)
        >>> json.loads(moved.to_json())["joint_names"]
        ['joint_1']
        """
        return json.dumps(self.to_dict(ros=ros), indent=1)

    def to_yaml(self, *, ros: int = 2) -> str:
        """Return `to_dict` as YAML; needs PyYAML.

        Parameters
        ----------
        ros : int
            As in `to_dict`.

        Returns
        -------
        str

        Raises
        ------
        UnsupportedError
            When PyYAML is not installed. JSON is YAML too: `to_json` needs nothing.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.5])
        >>> moved = hk.plan.trajectory(arm, [[0], [1]], max_speed=1, max_acceleration=1)
        >>> "joint_1" in moved.to_yaml()
        True
        """
        try:
            import yaml
        except ImportError:
            raise UnsupportedError(
                "YAML needs PyYAML: pip install 'handik[yaml]'; to_json() needs nothing"
            ) from None
        made = self.to_dict(ros=ros)
        return str(yaml.safe_dump(made, sort_keys=False, default_flow_style=None))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file by its suffix: ``.csv``, ``.json`` or ``.yaml``.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced, in one step.

        Raises
        ------
        UnsupportedError
            When the suffix is another.
        OSError
            When the file cannot be written; one that was there stays as it was.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import TemporaryDirectory
        >>> import handik as hk
        >>> arm = hk.chain([0.5])
        >>> moved = hk.plan.trajectory(arm, [[0], [1]], max_speed=1, max_acceleration=1)
        >>> with TemporaryDirectory() as folder:
        ...     moved.save(f"{folder}/moved.csv")
        ...     Path(folder, "moved.csv").read_text().startswith("time,joint_1")
        True
        """
        place = path_text("path", path)
        suffix = os.path.splitext(place)[1].lower()
        writers: dict[str, Any] = {
            ".csv": self.to_csv,
            ".json": self.to_json,
            ".yaml": self.to_yaml,
        }
        if suffix not in writers:
            raise UnsupportedError(
                f"a trajectory is written as .csv, .json or .yaml, not {suffix!r}"
            )
        replace(place, os.path.dirname(os.path.abspath(place)), writers[suffix]().encode("utf-8"))


def _motion_names(model: Model) -> list[str]:
    """Name the coordinates of v: those of q, and of a ball its three axes."""
    names = [""] * model.nv
    for name, q, v in zip(model.joint_names, model.joint_q, model.joint_v, strict=True):
        at = model.joint_q_slices.get(name)
        if at is None or q < 0:
            continue
        balls = sum(
            int(model.step_kind[k] == 2)
            for k in range(len(model.step_joint))
            if model.joint_names[model.step_joint[k]] == name
        )
        count = at.stop - at.start - balls
        for k in range(count):
            names[v + k] = name if count == 1 else f"{name}.{k}"
    return names


def _sampled(
    model: Model, curve: Curve | None, law: Law, first: Array, t: Array
) -> tuple[Array, Array, Array]:
    if curve is None:
        nothing = np.zeros((len(t), model.nv))
        return np.tile(first, (len(t), 1)), nothing, nothing.copy()
    s, v, a, _ = law.at(t)
    q, d1, d2, _ = curve.at(s)
    still = (t < 0) | (t > law.times[-1])
    v, a = np.where(still, 0.0, v)[:, None], np.where(still, 0.0, a)[:, None]
    return q, d1 * v, d1 * a + d2 * v**2


def _made(model: Model, curve: Curve | None, law: Law, first: Array, times: Array) -> Trajectory:
    q, v, a = _sampled(model, curve, law, first, times)
    times = times.copy()
    for array in (times, q, v, a):
        array.flags.writeable = False
    return Trajectory(model, times, q, v, a, curve, law)


def _bound(model: Model, given: ArrayLike, name: str) -> Array:
    """One number, or one a coordinate of velocity; above 0."""
    found = reals(given, name, (), finite=False)
    if found.shape not in ((), (model.nv,)):
        raise ArgumentError(f"{name} must be one number or ({model.nv},), got {found.shape}")
    if not np.all(found > 0):
        raise ArgumentError(f"{name} must be above 0")
    if np.any(found < 1 / HUGE) or np.any((found > HUGE) & np.isfinite(found)):
        raise ArgumentError(f"{name} must be {1 / HUGE:g} to {HUGE:g}")
    return np.array(np.broadcast_to(found, (model.nv,)))


def _own_speed(model: Model) -> Array:
    """Greatest velocities that the joints of the model state, those of followers too."""
    speed = np.full(model.nv, np.inf)
    joints = {joint.name: joint for joint in model.spec.joints}
    for joint in joints.values():
        if joint.velocity is None:
            continue
        scale, leader = 1.0, joint
        while isinstance(leader.mimic, MimicSpec):
            scale, leader = scale * abs(leader.mimic.scale), joints[leader.mimic.joint]
        if leader.mimic is not None or scale == 0 or leader.kind == "fixed":
            continue
        at = model.joint_names.index(leader.name)
        if leader.name not in model.joint_q_slices:
            continue
        begin = int(model.joint_v[at])
        later = [int(v) for v in model.joint_v if v > begin]
        part = slice(begin, min(later, default=model.nv))
        speed[part] = np.minimum(speed[part], joint.velocity / scale)
    return speed


def limits_of(
    model: Model, max_speed: ArrayLike | None, max_acceleration: ArrayLike, max_jerk: Any
) -> Limits:
    """Return checked limits; speeds of the model where none are given."""
    speed = _own_speed(model) if max_speed is None else _bound(model, max_speed, "max_speed")
    if not np.all(speed > 0):
        at = int(np.argmin(speed > 0))
        raise ArgumentError(
            f"the model states the speed 0 for {_motion_names(model)[at]!r}: give max_speed="
        )
    push = _bound(model, max_acceleration, "max_acceleration")
    jerk = None if max_jerk is None else _bound(model, max_jerk, "max_jerk")
    for name, value in (("max_acceleration", push), ("max_jerk", jerk)):
        if value is not None and not np.isfinite(value).all():
            raise ArgumentError(f"{name} must be finite")
    return Limits(speed, push, jerk)


def timed(model: Model, q: Array, at: Array, half: Array, limits: Limits) -> Trajectory:
    """Return the trajectory of vertices (n, nq) with corners rounded over these times (n,)."""
    curve = Curve.of(model, q, at, half)
    if limits.jerk is not None:
        law = gentle(curve, limits, limits.jerk)
        return _made(model, curve, law, q[0], law.times)
    law = fastest(curve, limits)
    return _made(model, curve, law, q[0], shown(curve, law))


def sooner(moved: Trajectory, q: Array, at: Array, limits: Limits) -> Trajectory:
    """Return `moved`, or, if that is shorter, the trajectory that stops at all vertices q (n, nq).

    It may be with a limit of jerk, whose law is not the fastest.
    """
    if limits.jerk is None:
        return moved
    stops = timed(moved.model, q, at, np.zeros(len(q)), limits)
    return stops if stops.duration < moved.duration else moved


def still(model: Model, q: Array) -> Trajectory:
    """Return the trajectory that stays at q."""
    law = Law(np.zeros(2), np.zeros((1, 4)), np.zeros(1))
    return _made(model, None, law, q, np.zeros(1))


def trajectory(
    model: Model,
    q: ArrayLike,
    *,
    max_acceleration: ArrayLike,
    max_speed: ArrayLike | None = None,
    max_jerk: ArrayLike | None = None,
    blend: float = 0.0,
) -> Trajectory:
    """Follow a polygon of postures as fast as limits allow, from rest to rest.

    Parameters
    ----------
    model : Model
        The figure.
    q : array_like, shape (n, nq)
        Two postures or more; between two of them joints move evenly and balls turn about one
        axis.
    max_acceleration : float or array_like, shape (nv,)
        Greatest acceleration of each coordinate of velocity, or of all; radians or meters a
        second squared.
    max_speed : float or array_like, shape (nv,), optional
        Greatest velocity; those that the model's joints state if not given, and none for a joint
        that states none. A limit of a ball holds for each of its three axes.
    max_jerk : float or array_like, shape (nv,), optional
        Greatest change of acceleration a second; none if not given.
    blend : float
        0 to 1: over how much time before and after its corner a curve may leave the edges, as a
        share of the most (half of the shorter edge's time at full speed; all of it at the ends of
        the path). 0 stops at every corner, and so does less than 1e-9 of the whole time at full
        speed, of which numbers have no digits left. Nothing is looked at here but the
        postures: a path among obstacles makes its own curves, proved, by the ``trajectory`` of what
        `path` returns.

    Returns
    -------
    Trajectory

    Raises
    ------
    ArgumentError
        When there are fewer than two postures, or a limit, a coordinate or `blend` is out of range:
        limits are 1e-50 to 1e50, speeds also infinite.

    Notes
    -----
    Without a limit of jerk this is the fastest law, to 1e-4 of its duration: a pass backwards finds
    from which speeds one can still brake, a pass forwards takes the largest acceleration. Curves
    are cut into intervals, more of them where much is to be gained; limits hold everywhere in each,
    not at its ends alone: they are those of the Bezier coefficients of velocity and acceleration.
    With a limit of jerk the law is safe and not the fastest: see the page on paths.

    References
    ----------
    J. E. Bobrow, S. Dubowsky, J. S. Gibson: Time-optimal control of robotic manipulators along
    specified paths. International Journal of Robotics Research 4 (1985), 3-17.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.5, 0.4])
    >>> way = [[0, 0], [1, 0], [1, 1]]
    >>> stops = hk.plan.trajectory(arm, way, max_speed=1, max_acceleration=4)
    >>> round(stops.duration, 3)
    2.5
    >>> round(hk.plan.trajectory(arm, way, max_speed=1, max_acceleration=4, blend=1).duration, 3)
    1.862
    """
    is_model(model)
    points = reals(q, "q", (model.nq,))
    if points.ndim != 2 or len(points) < 2:
        raise ArgumentError(f"q must have shape (n, {model.nq}), n 2 or more, got {points.shape}")
    limits = limits_of(model, max_speed, max_acceleration, max_jerk)
    if np.abs(points).max(initial=0.0) > HUGE:
        raise ArgumentError(f"q has a coordinate beyond {HUGE:g}")
    share = finite_number("blend", blend)
    if not 0 <= share <= 1:
        raise ArgumentError(f"blend must be 0 to 1, got {share:g}")
    moves = np.linalg.norm(np.asarray(model.difference(points[:-1], points[1:])), axis=1)
    points = points[np.concatenate([[True], moves > 1e-12])]
    if len(points) < 2:
        return still(model, points[0])
    pace = Pace.of(model, points, limits)
    half = pace.worth(share * pace.room, limits)
    return sooner(timed(model, points, pace.at, half, limits), points, pace.at, limits)
