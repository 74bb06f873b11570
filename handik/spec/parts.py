"""What a model is made of: links, joints with their limits and drives, shapes and frames."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from math import inf, pi
from typing import Any, cast, overload

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, ModelError
from handik.spec._fault import fault
from handik.spec._given import of_class, placed, reals
from handik.spec.limits import ReachCone, TwistTable, twist_at_rest
from handik.spec.swing import SwingMimicSpec

__all__ = [
    "JOINT_LIMITED",
    "JOINT_NQ",
    "Cone",
    "FrameSpec",
    "GeometrySpec",
    "InertialSpec",
    "JointSpec",
    "LinkSpec",
    "MimicSpec",
    "MotorSpec",
]

Array = NDArray[np.float64]
Limit = float | Sequence[float] | None

#: Number of coordinates of each kind of joint.
JOINT_NQ: dict[str, int] = {
    "fixed": 0,
    "revolute": 1,
    "prismatic": 1,
    "cylindrical": 2,
    "universal": 2,
    "planar": 3,
    "ball": 4,
    "free": 7,
}
_PLAIN = ("revolute", "prismatic")
#: What the edge of a cone is between its half-axes.
SHAPES = ("angle", "tangent")
#: Coordinates that can have limits, from the first; the rest is a quaternion.
JOINT_LIMITED: dict[str, int] = {**JOINT_NQ, "ball": 0, "free": 3}


def _identity() -> Array:
    return np.eye(4)


@dataclass(slots=True)
class MimicSpec:
    """A joint that follows another: its coordinate is ``scale * other + offset``.

    Attributes
    ----------
    joint : str
        The joint that is followed.
    scale : float
        Factor on its coordinate.
    offset : float
        Added to it: radians, or meters for a slide.
    """

    joint: str
    scale: float = 1.0
    offset: float = 0.0


@dataclass(slots=True)
class MotorSpec:
    """The drive of a joint.

    Attributes
    ----------
    inertia : float
        Inertia of the rotor, kg m2.
    gear : float
        Turns of the rotor for one of the joint.
    viscous : float
        Viscous friction at the rotor, N m s.
    coulomb : float
        Coulomb friction at the rotor, N m.
    """

    inertia: float = 0.0
    gear: float = 1.0
    viscous: float = 0.0
    coulomb: float = 0.0


@dataclass(frozen=True, slots=True)
class Cone:
    """Limits of a ball joint: how far the bone may swing from rest, and how far it may twist.

    Attributes
    ----------
    half : float or 4 floats
        Half-axes of the cone in radians, at most 2 pi: towards `axis2`, `axis` x `axis2`, and the
        opposite of each. Between them the edge is an ellipse by quadrant, in angles. One beyond
        pi reaches past the direction opposite to the bone at rest, where the cone then ends.
    twist : (float, float) or TwistTable
        Lower and upper twist about the bone, radians, within +-pi.
    shape : {"angle", "tangent"}
        What the edge is between the half-axes: an ellipse in the angles, or the ellipse that the
        FABRIK papers draw on a plane across the bone, ``q_j = S tan(half_j)``, for half-axes above
        2e-6 and below pi/2. A model keeps the second as `ReachCone.from_tangents`, a polygon of 128
        corners that is never outside the ellipse and nowhere more than 0.0087 degrees inside.

    Examples
    --------
    >>> import handik as hk
    >>> spec = hk.chain([1.0], "ball").spec
    >>> spec.joints[0].cone = hk.Cone(hk.deg(60), (-1.0, 1.0))
    >>> hk.Model(spec).nq
    4
    >>> spec.joints[0].cone = hk.Cone([hk.deg(x) for x in (85, 20, 85, 20)], shape="tangent")
    >>> hk.Model(spec).clip(hk.Model(spec).rest).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """

    half: float | Sequence[float]
    twist: tuple[float, float] | TwistTable = (-pi, pi)
    shape: str = "angle"

    def row(self) -> tuple[float, ...]:
        """Return the four half-axes and the two twists.

        Returns
        -------
        tuple of 6 floats
            Radians.

        Raises
        ------
        ModelError
            When the half-axes are not one or four numbers, there is no such shape, or a half-axis
            has no tangent.
        """
        if not isinstance(self.shape, str) or self.shape not in SHAPES:
            raise ModelError(f"the shape of a cone is one of {SHAPES}, got {self.shape!r}")
        if self.shape == "tangent":
            return ReachCone.from_tangents(self.half, self.twist).row()
        try:
            half = reals(self.half, "half", (), finite=False)
        except ArgumentError:
            half = np.empty(0)
        if half.shape not in ((), (4,)):
            raise ModelError(f"a cone has 1 or 4 half-axes, got {self.half!r}")
        return (*np.broadcast_to(half, 4).tolist(), *twist_at_rest(self.twist))


@overload
def room_of(cone: Cone | ReachCone) -> Cone | ReachCone: ...
@overload
def room_of(cone: None) -> None: ...
def room_of(cone: Cone | ReachCone | None) -> Cone | ReachCone | None:
    """Return what the core keeps: of a cone by tangents its polygon, anything else as it is."""
    if isinstance(cone, Cone) and isinstance(cone.shape, str) and cone.shape == "tangent":
        return ReachCone.from_tangents(cone.half, cone.twist)
    return cone


@dataclass(slots=True, eq=False)
class InertialSpec:
    """The mass of a link and how it is spread.

    Attributes
    ----------
    mass : float
        Kilograms.
    center : ndarray (3,)
        Center of mass in the link, meters.
    inertia : ndarray (3, 3)
        Inertia about the center of mass in the link's axes, kg m^2.
    """

    mass: float
    center: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))

    def copy(self) -> InertialSpec:
        """Return a body that shares nothing editable with this one.

        Returns
        -------
        InertialSpec
            An equal body.
        """
        return InertialSpec(self.mass, _numbers(self.center), _numbers(self.inertia))


@dataclass(slots=True, eq=False)
class GeometrySpec:
    """A shape fixed to a link.

    Attributes
    ----------
    kind : str
        ``box`` (`size`, full edges), ``sphere`` (`radius`), ``cylinder`` (`radius`, `length`
        along z), ``capsule`` (the same, `length` without its caps) or ``mesh`` (`uri`, `scale`).
    placement : ndarray (4, 4)
        Pose of the shape in its link.
    uri : str or None
        Mesh: the name as the file writes it.
    file : str or None
        Mesh: the real path inside one of the given roots; None when it is in none of them.
    color : tuple of 4 floats or None
        Red, green, blue, alpha in 0..1.
    size : tuple of 3 floats or None
        Box: the edges, meters.
    radius, length : float or None
        Sphere, cylinder, capsule: meters.
    scale : tuple of 3 floats
        Mesh: factors along x, y and z.
    name : str or None
        Its name in the file.
    """

    kind: str
    placement: Array = field(default_factory=_identity)
    size: tuple[float, float, float] | None = None
    radius: float | None = None
    length: float | None = None
    uri: str | None = None
    file: str | None = None
    scale: tuple[float, float, float] = (1.0, 1.0, 1.0)
    color: tuple[float, float, float, float] | None = None
    name: str | None = None

    def __post_init__(self) -> None:
        """Take a placement in any of the ways there are to give a pose."""
        self.placement = placed(self.placement)

    def copy(self) -> GeometrySpec:
        """Return a shape that shares nothing editable with this one.

        Returns
        -------
        GeometrySpec
            An equal shape.
        """
        return GeometrySpec(
            self.kind,
            _numbers(self.placement),
            self.size,
            self.radius,
            self.length,
            self.uri,
            self.file,
            self.scale,
            self.color,
            self.name,
        )


@dataclass(slots=True, eq=False)
class LinkSpec:
    """A rigid body of the tree.

    Attributes
    ----------
    name : str
        Its name; no other link or frame has it.
    inertial : InertialSpec or None
        Its mass; None when it is not known.
    visuals, collisions : list of GeometrySpec
        Its shapes, to be seen and to be touched.

    Examples
    --------
    >>> import handik as hk
    >>> hk.LinkSpec("upper arm").inertial is None
    True
    """

    name: str
    inertial: InertialSpec | None = None
    visuals: list[GeometrySpec] = field(default_factory=list)
    collisions: list[GeometrySpec] = field(default_factory=list)

    def copy(self) -> LinkSpec:
        """Return a link that shares nothing editable with this one.

        Returns
        -------
        LinkSpec
            An equal link.
        """
        return LinkSpec(
            self.name,
            None if self.inertial is None else self.inertial.copy(),
            [shape.copy() for shape in self.visuals],
            [shape.copy() for shape in self.collisions],
        )


@dataclass(slots=True, eq=False)
class FrameSpec:
    """A named pose on a link: a tool, a grasp point, a site.

    Attributes
    ----------
    name : str
        Its name; no link has the same.
    link : str
        The link that carries it.
    placement : ndarray (4, 4)
        Its pose in the link; given as that of a `JointSpec`.

    Examples
    --------
    >>> import handik as hk
    >>> spec = hk.chain([1.0]).spec
    >>> spec.frames.append(hk.FrameSpec("hand", "link_1"))
    >>> hk.Model(spec).frame_names[-1]
    'hand'
    """

    name: str
    link: str
    placement: Array = field(default_factory=_identity)

    def __post_init__(self) -> None:
        """Take a placement in any of the ways there are to give a pose."""
        self.placement = placed(self.placement)

    def copy(self) -> FrameSpec:
        """Return a frame that shares nothing editable with this one.

        Returns
        -------
        FrameSpec
            An equal frame.
        """
        return FrameSpec(self.name, self.link, _numbers(self.placement))


@dataclass(slots=True, eq=False)
class JointSpec:
    """A joint between two links.

    Attributes
    ----------
    name, kind : str
        The kind is one of `JOINT_NQ`.
    parent, child : str
        Names of links.
    placement : ndarray (4, 4)
        Pose of the joint's frame in the parent link at rest; given as a matrix, a pair of position
        and quaternion, or SciPy's ``RigidTransform`` or ``Rotation``.
    axis, axis2 : tuple of 3 floats
        Directions in the joint's frame; their length does not matter.
    lower, upper : float, sequence of `nq` floats, or None
        Limits; None is none. Entries of quaternions are not read.
    mimic : MimicSpec, SwingMimicSpec or None
        The joint that this one follows.
    effort, velocity : float or None
        Greatest force or torque, and speed.
    damping, friction : float
        Viscous and Coulomb friction at the joint.
    motor : MotorSpec or None
        The drive.
    cone : Cone, ReachCone or None
        Swing and twist limits of a ball, about `axis` (the bone at rest) from `axis2`.
    hold : 4 floats or None
        The rotation w x y z that a ball or free joint is held at.
    neutral : sequence of `nq` floats or None
        Its coordinates where it is at ease, from which `handik.people.discomfort.JointDisplacement`
        counts; None is its rest.

    Examples
    --------
    >>> import handik as hk
    >>> hinge = hk.JointSpec("hinge", "revolute", "frame", "leaf", axis=(0.0, 0.0, 1.0), upper=1.5)
    >>> hinge.limits()
    ([-inf], [1.5])
    """

    name: str
    kind: str
    parent: str
    child: str
    placement: Array = field(default_factory=_identity)
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    axis2: tuple[float, float, float] | None = None
    lower: Limit = None
    upper: Limit = None
    mimic: MimicSpec | SwingMimicSpec | None = None
    effort: float | None = None
    velocity: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    motor: MotorSpec | None = None
    cone: Cone | ReachCone | None = None
    hold: tuple[float, float, float, float] | None = None
    neutral: Sequence[float] | None = None

    def __post_init__(self) -> None:
        """Take a placement in any of the ways there are to give a pose."""
        self.placement = placed(self.placement)

    @property
    def nq(self) -> int:
        """Number of coordinates.

        Raises
        ------
        ModelError
            When the kind is not one of `JOINT_NQ`.
        """
        try:
            return JOINT_NQ[self.kind]
        except (KeyError, TypeError):
            raise fault(
                "joint",
                self.name,
                f"its kind is {self.kind!r}, which is none of " + ", ".join(JOINT_NQ),
            ) from None

    def limits(self) -> tuple[list[float], list[float]]:
        """Return the lower and upper limit of each coordinate, infinite where there is none.

        Returns
        -------
        lower, upper : list of float
            Radians, or meters for a slide; one for each coordinate.

        Raises
        ------
        ModelError
            For NaN, reversed limits, or a wrong number of them.
        """
        if self.kind in _PLAIN and type(self.lower) is float and type(self.upper) is float:
            if -inf <= self.lower <= self.upper <= inf and self.lower < inf and self.upper > -inf:
                return [self.lower], [self.upper]  # nearly all joints of a large tree
        nq, limited = self.nq, JOINT_LIMITED[self.kind]
        lower = self._spread(self.lower, "lower", nq, limited, -inf)
        upper = self._spread(self.upper, "upper", nq, limited, inf)
        for low, high in zip(lower, upper, strict=True):
            if not low <= high or low == inf or high == -inf:
                raise fault("joint", self.name, f"its limits are reversed: {low} to {high}")
        return lower, upper

    def _spread(self, limit: Limit, side: str, nq: int, limited: int, none: float) -> list[float]:
        if limit is None:
            return [none] * nq
        try:
            given = np.empty((0, 0)) if np.iscomplexobj(limit) else np.asarray(limit, float)
        except OverflowError:
            raise fault("joint", self.name, f"its {side} limit is too large") from None
        except (TypeError, ValueError):
            given = np.empty((0, 0))
        if given.ndim > 1:
            raise fault("joint", self.name, f"its {side} limit is not a number")
        values = cast("list[float]", given.tolist()) if given.ndim else [float(given)] * nq
        if len(values) != nq:
            raise fault(
                "joint", self.name, f"it has {nq} coordinates but {len(values)} {side} limits"
            )
        if any(value != value for value in values):
            raise fault("joint", self.name, f"its {side} limit is NaN")
        values[limited:] = [none] * (nq - limited)
        return values

    def copy(self) -> JointSpec:
        """Return a joint that shares nothing editable with this one.

        Returns
        -------
        JointSpec
            An equal joint.
        """
        return JointSpec(  # in the order of the fields; `dataclasses.replace` takes twice the time
            self.name,
            self.kind,
            self.parent,
            self.child,
            _numbers(self.placement),
            _apart(self.axis),
            _apart(self.axis2),
            _apart(self.lower),
            _apart(self.upper),
            _copied(self.mimic),
            self.effort,
            self.velocity,
            self.damping,
            self.friction,
            None if self.motor is None else replace(of_class("motor", self.motor, MotorSpec)),
            None if self.cone is None else deepcopy(self.cone),
            _apart(self.hold),
            _apart(self.neutral),
        )


def _copied(mimic: Any) -> MimicSpec | SwingMimicSpec | None:
    if isinstance(mimic, SwingMimicSpec):
        return SwingMimicSpec(mimic.joint, _apart(mimic.coefficients))
    return None if mimic is None else replace(of_class("mimic", mimic, MimicSpec))


def _numbers(value: Any) -> Any:
    """Return a copy as floats; what is none comes back as it is, for `ModelSpec.check` to name."""
    try:
        return value if np.iscomplexobj(value) else np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        return value


def _apart(value: Any) -> Any:
    """Return numbers as they are, and a copy of a list or an array of them."""
    return value if value is None or type(value) in (float, tuple) else copy(value)
