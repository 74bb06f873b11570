"""The model as far as it knows no goal: a joint tree frozen into the C core.

`handik.Model`, with `solve` and all that follows from it, is this one's heir in `handik._model`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError, NotFoundError, name_not_found, shortened
from handik.files.read.dh import from_dh as dh_spec
from handik.model._balls import sample_room, swung, unit_quaternion
from handik.model._freeze import KINDS, Parts, second_axis
from handik.model.dynamics import Dynamics
from handik.spec import Cone, FrameSpec, JointSpec, LinkSpec, ModelSpec, ReachCone, SwingMimicSpec
from handik.spec._check import check_numbers
from handik.spec._given import PoseLike, known_name, placement_of, reals, text, whole_number

__all__ = ["KINDS", "Model"]

Array = NDArray[np.float64]


class _Slices(dict[str, slice]):
    """Coordinates by joint; of a joint that has none the error says so."""

    __slots__ = ("_names",)

    def __init__(self, parts: Parts) -> None:
        super().__init__(parts.slices)
        self._names = frozenset(parts.names)

    def __missing__(self, name: object) -> slice:
        if name in self._names:
            raise NotFoundError(f"joint {name!r} is fixed or follows another: it has no place in q")
        raise name_not_found("joint", name, self)


class Model(Dynamics, _core.Model):
    """A joint tree that never changes: build it from a spec, a file, a table or lengths.

    Parameters
    ----------
    spec : ModelSpec
        The tree. It is copied.

    Attributes
    ----------
    name : str
        Its name.
    joint_names, frame_names : tuple of str
        Joints parents first; frames are the links, then the named frames.
    joint_kinds : tuple of str
        Kind of each joint.
    joint_q_slices : mapping of str to slice
        Where each joint's coordinates stand in q; a joint that mimics another has none of its own
        and is not listed.
    tip : str or None
        The frame meant when none is named; None when there are several tips.
    nq, nv : int
        Coordinates of q, and of a motion v.
    lower, upper, rest : ndarray (nq,)
        Limits, and the start used when none is given (zero clipped into the limits).
    reach : float
        Meters from the world to the farthest frame along the tree.

    Raises
    ------
    ModelError
        When the spec is no tree, or its numbers make no model; the sentence names the joint.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.data("ur5")
    >>> arm.nq, arm.tip
    (6, 'link_6')
    """

    name: str
    joint_names: tuple[str, ...]
    joint_kinds: tuple[str, ...]
    joint_q_slices: Mapping[str, slice]
    frame_names: tuple[str, ...]
    tip: str | None

    def __new__(cls, spec: ModelSpec) -> Self:
        """Check the spec and freeze it; see the class."""
        if not isinstance(spec, ModelSpec):
            raise TypeError(f"a model is made from a ModelSpec, got {type(spec).__name__}")
        spec = spec.copy()
        spec.check()
        return cls._of(spec)

    @classmethod
    def _of(cls, spec: ModelSpec) -> Self:
        """Freeze a spec that is checked and that nobody else holds."""
        parts = Parts(spec)
        self = _core.Model.__new__(cls, **parts.arrays())
        vars(self).update(
            _spec=spec,
            _problems={},
            name=spec.name,
            joint_names=tuple(parts.names),
            joint_kinds=tuple(joint.kind for joint in parts.joints),
            joint_q_slices=MappingProxyType(_Slices(parts)),
            frame_names=tuple(parts.frames),
            tip=None if parts.tip < 0 else parts.frames[parts.tip],
            notes=tuple(spec.notes),
        )
        return self

    def __init__(self, spec: ModelSpec) -> None:
        """Do nothing: all is done in `__new__`."""

    _spec: ModelSpec
    _problems: dict[Any, Any]
    notes: tuple[str, ...]

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_"):
            raise AttributeError(f"a model does not change: {name!r} cannot be set")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a model does not change: {name!r} cannot be deleted")

    # -- building -------------------------------------------------------------------------------

    @classmethod
    def from_dh(
        cls,
        table: ArrayLike,
        convention: str = "standard",
        *,
        kinds: str | Sequence[str] | None = None,
        lower: ArrayLike | None = None,
        upper: ArrayLike | None = None,
        names: Sequence[str] | None = None,
        base: PoseLike | None = None,
        tool: PoseLike | None = None,
        name: str = "dh",
    ) -> Self:
        """Build a serial arm from a Denavit-Hartenberg table.

        Parameters
        ----------
        table : array_like, shape (n, 4)
            Rows theta, d, a, alpha, radians and meters. The theta of a revolute joint and the d of
            a prismatic one are constants added to the joint's coordinate.
        convention : {"standard", "modified"}
            Standard: link i is Rz(theta) Tz(d) Tx(a) Rx(alpha); modified: Craig's.
        kinds : str or sequence of str, optional
            ``"revolute"``, ``"prismatic"`` or ``"fixed"`` for each row, or a word such as
            ``"RRPR"``; all revolute by default.
        lower, upper : float or array_like, shape (n,), optional
            Limits of the coordinates, radians or meters; none by default.
        names : sequence of str, optional
            Names of the joints; ``joint_1`` to ``joint_n`` by default.
        base : array_like, shape (4, 4) or (3,), or pair, or RigidTransform, optional
            Pose of frame 0 in the world. Adds the link ``base`` above ``link_0``.
        tool : array_like, shape (4, 4) or (3,), or pair, or RigidTransform, optional
            Pose of the tool in frame n. Adds the frame ``tool``.
        name : str
            Name of the model.

        Returns
        -------
        Model
            Links ``link_0`` to ``link_n``.

        Raises
        ------
        ArgumentError
            When the table or an option has the wrong shape or is not finite.
        ModelError
            For reversed limits, or a name given twice.

        References
        ----------
        Denavit and Hartenberg, Journal of Applied Mechanics 22 (1955) 215-221; Craig, Introduction
        to Robotics, 1986 (modified).

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.Model.from_dh([[0, 0.3, 0, hk.deg(90)], [0, 0, 0.4, 0]], lower=-2.5, upper=2.5)
        >>> arm.fk([0.0, 0.0])[:3, 3].round(6).tolist()
        [0.4, 0.0, 0.3]
        """
        return cls(
            dh_spec(
                table,
                convention,
                kinds=kinds,
                lower=lower,
                upper=upper,
                names=names,
                base=base,
                tool=tool,
                name=name,
            )
        )

    @property
    def spec(self) -> ModelSpec:
        """An editable copy of the spec this model was made from."""
        return self._spec.copy()

    def with_limits(
        self,
        limits: Mapping[str, Sequence[Any] | Cone | ReachCone] | None = None,
        /,
        **named: Sequence[Any] | Cone | ReachCone,
    ) -> Self:
        """Return a model with other limits; this one stays as it is.

        Parameters
        ----------
        limits, **named : (lower, upper) by joint name
            Radians or meters; for a joint of several coordinates two sequences; for a ball a
            `handik.Cone` or `handik.ReachCone`. `handik.deg` helps.

        Returns
        -------
        Model
            Another one; coordinates keep their order.

        Raises
        ------
        NotFoundError
            When there is no such joint.
        ArgumentError
            When they are no mapping or no pair, or those of a ball no cone.
        ModelError
            When a lower limit is above its upper one, or a cone is given to another joint.
        """
        spec = self._spec.copy()
        joints = {joint.name: joint for joint in spec.joints}
        if not (limits is None or isinstance(limits, Mapping)):
            raise ArgumentError(f"limits must be a mapping of joint names, got {shortened(limits)}")
        for name, pair in {**(limits or {}), **named}.items():
            known_name("joint", name, joints)
            if isinstance(pair, (Cone, ReachCone)):
                joints[name].cone = pair
                continue
            if joints[name].kind == "ball":
                raise ArgumentError(
                    f"{name!r} is a ball: its limits are a handik.Cone or ReachCone, got {pair!r}"
                )
            try:
                lower, upper = pair
            except (TypeError, ValueError):
                raise ArgumentError(
                    f"limits of {name!r} must be a pair (lower, upper), got {pair!r}"
                ) from None
            joints[name].lower, joints[name].upper = lower, upper
        return type(self)(spec)

    def with_base(self, placement: PoseLike, name: str = "task") -> Self:
        """Return the model standing in another frame, such as that of a task.

        Parameters
        ----------
        placement : array_like, shape (4, 4) or (3,), or pair, or RigidTransform, or Rotation
            Pose of the model's root in the new frame; `hk.transforms.fit_task_frame` finds it
            from points touched in that frame.
        name : str
            Name of the link that stands in the new frame's place, and becomes the root.

        Returns
        -------
        Model
            Another one; coordinates keep their order.

        Raises
        ------
        ArgumentError
            When the placement is neither a (4, 4) matrix nor three numbers.
        ModelError
            When the placement is no rigid motion, or the name is taken.
        """
        own = self._spec
        text("name", name)
        stand = JointSpec(name, "fixed", name, own.root, _matrix(placement))
        spec = replace(  # nobody changes the parts that models have: two may share them
            own, links=[LinkSpec(name), *own.links], joints=[stand, *own.joints], base=name
        )
        spec._check(numbers=False)  # those of the others were looked at
        check_numbers([stand], (), ())
        return self._of(spec)

    def with_tool(self, placement: PoseLike, name: str = "tool", frame: str | None = None) -> Self:
        """Return the model with a tool on a frame; the tool becomes the tip.

        Parameters
        ----------
        placement : array_like, shape (4, 4) or (3,), or pair, or RigidTransform, or Rotation
            Pose of the tool in the frame.
        name : str
            Name of the tool's frame.
        frame : str, optional
            The frame that holds it; the model's tip if not given.

        Returns
        -------
        Model
            Another one, with the same coordinates.

        Raises
        ------
        ArgumentError
            When no frame is named and there are several tips, or the placement is no (4, 4) matrix.
        NotFoundError
            When there is no such frame.
        ModelError
            When the placement is no rigid motion, or the name is taken.
        """
        text("name", name)
        holder = self.tip if frame is None else frame
        if holder is None:
            raise ArgumentError("the model has several tips: name the frame that holds the tool")
        known_name("frame", holder, self.frame_names)
        spec, own = self._spec.copy(), _matrix(placement)
        for known in spec.frames:
            if known.name == holder:
                holder, own = known.link, known.placement @ own
                break
        spec.frames.append(FrameSpec(name, holder, own))
        spec.tip = name
        return type(self)(spec)

    # -- looking --------------------------------------------------------------------------------

    def sample(self, n: int | None = None, *, seed: int | None = None) -> Array:
        """Draw coordinates uniformly inside the limits.

        Parameters
        ----------
        n : int, optional
            How many; one unbatched row if not given.
        seed : int, optional
            The same seed gives the same rows.

        Returns
        -------
        ndarray, shape (n, nq) or (nq,)
            Turns without limits are drawn from (-pi, pi), slides without limits from +-reach,
            rotations uniformly from all rotations; limited balls uniformly in the plane of angles
            of their cone or the area of their polygon, then uniformly in the twist there.

        Raises
        ------
        ArgumentError
            When `n` or `seed` is negative.
        """
        rows = 1 if n is None else whole_number("n", n, 2**63 - 1)
        if seed is not None:
            whole_number("seed", seed, 2**63 - 1)
        rng = np.random.default_rng(seed)
        wide = np.full(self.nq, np.pi)
        wide[self.step_q[self.step_kind == 1]] = self.max_reach or 1.0
        lower, upper = self.lower.copy(), self.upper.copy()
        open_below, open_above = np.isinf(lower), np.isinf(upper)
        lower[open_below & open_above] = -wide[open_below & open_above]
        lower = np.where(open_below & ~open_above, upper - 2 * wide, lower)
        upper = np.where(open_above, lower + 2 * wide, upper)
        q = rng.uniform(size=(rows, self.nq))
        q = np.clip(lower + q * (upper - lower), self.lower, self.upper)
        for at in np.unique(self.step_q[self.step_kind == 2]):
            quaternion = rng.normal(size=(rows, 4))
            q[:, at : at + 4] = quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True)
        for step in np.flatnonzero(self.step_swing >= 0):
            at = self.step_q[step]
            joint = self._joint(self.joint_names[self.step_joint[step]])
            row = self.swing[self.step_swing[step]]
            q[:, at : at + 4] = sample_room(joint, row, rows, rng)
        return q[0] if n is None else q

    @property
    def ball_limits(self) -> dict[str, Cone | ReachCone]:
        """The limits of each limited ball by joint name."""
        return {
            joint.name: joint.cone
            for joint in self._spec.joints
            if joint.cone is not None and joint.kind == "ball"
        }

    @property
    def locked_joints(self) -> dict[str, tuple[float, ...]]:
        """The quaternion of each ball or free joint that is held still, by name."""
        return {joint.name: joint.hold for joint in self._spec.joints if joint.hold is not None}

    def _joint(self, name: str) -> JointSpec:
        return next(joint for joint in self._spec.joints if joint.name == name)

    def _unknown_frame(self, name: object) -> str:
        """Return the sentence for a frame that is not there (called by the core)."""
        return str(name_not_found("frame", name, self.frame_names))

    def __repr__(self) -> str:
        tip = f"tip {self.tip!r}" if self.tip else "several tips"
        fixed = sum(kind == "fixed" for kind in self.joint_kinds)
        noted = f"; {len(self.notes)} in .notes" if self.notes else ""
        joints = f"{len(self.joint_names)} joints" + (f" ({fixed} of them fixed)" if fixed else "")
        return (
            f"Model {self.name!r}: {joints}, nq {self.nq}, "
            f"{len(self.frame_names)} frames, {tip}, reach {self.max_reach:.3f} m{noted}"
        )

    def __reduce__(self) -> tuple[Callable[..., Self], tuple[ModelSpec]]:
        return type(self), (self._spec,)

    # -- holding --------------------------------------------------------------------------------

    def locked(self, lock: Mapping[str, Any]) -> Self:
        """Return a model with joints held still; this one stays as it is.

        Parameters
        ----------
        lock : mapping of joint name to value
            Radians or meters; for a joint of several coordinates a sequence; for a ball a
            quaternion w x y z, or three numbers: its swing (u, v) and its twist.

        Returns
        -------
        Model
            Another one; coordinates keep their order.

        Raises
        ------
        NotFoundError
            When there is no such joint.
        ArgumentError
            When a value has the wrong number of coordinates, or lies outside the joint's limits.
        TypeError
            When `lock` is no mapping.
        """
        if not isinstance(lock, Mapping):
            raise TypeError(f"lock must map names of joints to values, got {lock!r}")
        if not lock:
            return self
        kinds = dict(zip(self.joint_names, self.joint_kinds, strict=True))
        spec = self._spec.copy()
        joints = {joint.name: joint for joint in spec.joints}
        for name, value in lock.items():
            known_name("joint", name, kinds)
            joint = joints[name]
            if isinstance(joint.mimic, SwingMimicSpec):
                raise ArgumentError(
                    f"joint {name!r} follows the swing of {joint.mimic.joint!r}: lock that one"
                )
            if joint.kind == "ball":
                joint.hold = _held_ball(self, joint, value)
            elif joint.kind == "free":
                at = reals(value, f"lock of {name!r}", ())
                if at.shape != (7,):
                    raise ArgumentError(f"lock of {name!r} needs 7 numbers, got {value!r}")
                joint.lower, joint.upper = _held(name, [*at[:3], *np.zeros(4)], spec)
                joint.hold = unit_quaternion(name, at[3:])
            else:
                joint.lower, joint.upper = _held(name, value, spec)
        return type(self)(spec)


def _held(name: str, value: Any, spec: ModelSpec) -> tuple[Any, Any]:
    """Limits of one joint that leave it only this value."""
    joint = next(joint for joint in spec.joints if joint.name == name)
    lower, upper = (np.atleast_1d(np.asarray(x, float)) for x in joint.limits())
    at = np.atleast_1d(reals(value, f"lock of {name!r}", ()))
    if at.shape != lower.shape:
        raise ArgumentError(f"lock of {name!r} needs {lower.size} numbers, got {shortened(value)}")
    if not np.all((at >= lower) & (at <= upper)):
        raise ArgumentError(f"lock of {name!r} at {value!r} is outside its limits")
    held = [float(x) for x in at]
    return (held[0], held[0]) if len(held) == 1 else (held, held)


def _held_ball(model: Model, joint: JointSpec, value: Any) -> tuple[float, float, float, float]:
    """Quaternion of a lock of a ball: four numbers as they are, three as swing and twist."""
    at = reals(value, f"lock of {joint.name!r}", ())
    if at.shape not in ((3,), (4,)):
        raise ArgumentError(
            f"lock of {joint.name!r} needs a quaternion or swing (u, v) and twist, "
            f"got {shortened(value)}; a value a row is what hk.Damping or hk.Posture is for"
        )
    if at.shape == (3,):
        axes = np.empty((3, 3))
        z = np.asarray(joint.axis, float)
        x = np.asarray(joint.axis2 or second_axis(joint, limited=True), float)
        axes[:, 2] = z / np.linalg.norm(z)
        x = x - axes[:, 2] * (x @ axes[:, 2])
        axes[:, 0] = x / np.linalg.norm(x)
        axes[:, 1] = np.cross(axes[:, 2], axes[:, 0])
        at = swung(axes.ravel(), at[None, :2], at[2:])[0]
    held = unit_quaternion(joint.name, at)
    q = model.rest.copy()
    part = model.joint_q_slices[joint.name]
    q[part] = held
    if 1 - abs(float(model.clip(q)[part] @ np.array(held))) > 1e-12:
        raise ArgumentError(f"lock of {joint.name!r} at {value!r} is outside its limits")
    return held


def _matrix(placement: Any) -> Array:
    """Return a placement as (4, 4); a SciPy rotation is one that only turns."""
    matrix = np.array(placement_of(placement))
    if matrix.shape != (4, 4):
        raise ArgumentError(f"the placement must be (4, 4), not {matrix.shape}")
    return matrix
