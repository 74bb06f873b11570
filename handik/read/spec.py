"""The joint tree as a file says it: plain dataclasses that a reader fills and anyone may edit.

A `ModelSpec` is only data. `ModelSpec.check` says what is wrong with it in one sentence; nothing
here recurses, and everything takes time linear in the number of joints.

Placements: a joint's placement is the pose of the joint's frame in its parent link at rest; the
frame of the child link is the joint's frame after its motion. Coordinates by kind:

===========  ==  =======================================================================
kind         nq  coordinates
===========  ==  =======================================================================
fixed        0
revolute     1   angle about ``axis``
prismatic    1   slide along ``axis``
cylindrical  2   angle about ``axis``, slide along ``axis``
universal    2   angle about ``axis``, then angle about ``axis2``
planar       3   slide along ``axis2``, slide along ``axis x axis2``, angle about ``axis``
ball         4   quaternion w x y z
free         7   position x y z, quaternion w x y z
===========  ==  =======================================================================
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field, replace
from math import inf, pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ModelError, name_not_found
from handik.read.check import (
    check_mimics,
    check_names,
    check_numbers,
    cycle_fault,
    fault,
    listed,
)
from handik.read.couple import couple
from handik.read.room import ReachCone, TwistTable, twist_at_rest

if TYPE_CHECKING:
    from handik.read.fit_dh import DhFit

__all__ = [
    "JOINT_NQ",
    "FrameSpec",
    "GeometrySpec",
    "InertialSpec",
    "JointSpec",
    "LinkSpec",
    "MimicSpec",
    "ModelSpec",
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
#: Coordinates that can have limits, from the first; the rest is a quaternion.
JOINT_LIMITED: dict[str, int] = {**JOINT_NQ, "ball": 0, "free": 3}


def _identity() -> Array:
    return np.eye(4)


@dataclass(slots=True)
class MimicSpec:
    """A joint that follows another: its coordinate is ``scale * other + offset``."""

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
    """

    half: float | Sequence[float]
    twist: tuple[float, float] | TwistTable = (-pi, pi)

    def row(self) -> tuple[float, ...]:
        """Return the four half-axes and the two twists.

        Raises
        ------
        ModelError
            When the half-axes are not one or four numbers.
        """
        try:
            half = np.asarray(self.half, float)
        except (TypeError, ValueError):
            half = np.empty(0)
        if half.shape not in ((), (4,)):
            raise ModelError(f"a cone has 1 or 4 half-axes, got {self.half!r}")
        return (*np.broadcast_to(half, 4).tolist(), *twist_at_rest(self.twist))


@dataclass(slots=True, eq=False)
class InertialSpec:
    """Mass (kg), centre of mass (3,) and inertia (3, 3) about it, both in the link's axes."""

    mass: float
    center: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))


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


@dataclass(slots=True, eq=False)
class LinkSpec:
    """A rigid body of the tree."""

    name: str
    inertial: InertialSpec | None = None
    visuals: list[GeometrySpec] = field(default_factory=list)
    collisions: list[GeometrySpec] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class FrameSpec:
    """A named pose on a link: a tool, a grasp point, a site."""

    name: str
    link: str
    placement: Array = field(default_factory=_identity)


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
        Pose of the joint's frame in the parent link at rest.
    axis, axis2 : tuple of 3 floats
        Directions in the joint's frame; their length does not matter.
    lower, upper : float, sequence of `nq` floats, or None
        Limits; None is none. Entries of quaternions are not read.
    mimic : MimicSpec or None
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
    mimic: MimicSpec | None = None
    effort: float | None = None
    velocity: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    motor: MotorSpec | None = None
    cone: Cone | ReachCone | None = None
    hold: tuple[float, float, float, float] | None = None

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
            given = np.asarray(limit, float)
        except (TypeError, ValueError):
            given = np.empty((0, 0))
        if given.ndim > 1:
            raise fault("joint", self.name, f"its {side} limit is not a number")
        values: list[float] = given.tolist() if given.ndim else [float(given)] * nq
        if len(values) != nq:
            raise fault(
                "joint", self.name, f"it has {nq} coordinates but {len(values)} {side} limits"
            )
        if any(value != value for value in values):
            raise fault("joint", self.name, f"its {side} limit is NaN")
        values[limited:] = [none] * (nq - limited)
        return values

    def copy(self) -> JointSpec:
        """Return a joint that shares nothing editable with this one."""
        return JointSpec(  # in the order of the fields; `dataclasses.replace` takes twice the time
            self.name,
            self.kind,
            self.parent,
            self.child,
            np.array(self.placement, dtype=float),
            _apart(self.axis),
            _apart(self.axis2),
            _apart(self.lower),
            _apart(self.upper),
            None if self.mimic is None else replace(self.mimic),
            self.effort,
            self.velocity,
            self.damping,
            self.friction,
            None if self.motor is None else replace(self.motor),
            None if self.cone is None else deepcopy(self.cone),
            _apart(self.hold),
        )


@dataclass(slots=True, eq=False)
class ModelSpec:
    """A joint tree: links, the joints between them, and named frames.

    Attributes
    ----------
    name : str
        Name of the figure.
    links, joints, frames : list
        In the order of the file.
    base : str or None
        The root link when it was chosen by name; None leaves it to the tree.
    tip : str or None
        The link or frame chosen as tip; None leaves it to the tree.
    source : str or None
        The file read.
    missing_meshes : list of str
        Meshes named by the file that are inside none of the given roots.
    notes : list of str
        What the reader had to assume.
    """

    name: str
    links: list[LinkSpec] = field(default_factory=list)
    joints: list[JointSpec] = field(default_factory=list)
    frames: list[FrameSpec] = field(default_factory=list)
    base: str | None = None
    tip: str | None = None
    source: str | None = None
    missing_meshes: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def couple(self, joint: str, ratios: Mapping[str, float], offset: float = 0.0) -> None:
        """Make a joint follow a sum of others: ``offset + ratio * other + ...``.

        It becomes joints in a row about its axis, each of which mimics one of the others; the last
        keeps the name, the rest are called ``joint_by_other``.

        Parameters
        ----------
        joint : str
            A revolute or prismatic joint that follows none yet.
        ratios : mapping of joint name to float
            Revolute or prismatic joints, and how much of each.
        offset : float
            Radians or metres.

        Raises
        ------
        NotFoundError
            When there is no such joint.
        ModelError
            When a joint has not one coordinate, a ratio is zero or not finite, or the limits of the
            others can take the joint beyond its own.
        """
        couple(self, joint, ratios, offset)

    # -- the tree ---------------------------------------------------------------------------

    @property
    def root(self) -> str:
        """Name of the one link that has no parent.

        Raises
        ------
        ModelError
            When the links and joints are not one tree.
        """
        return self._tree()[0]

    def ordered_joints(self) -> list[JointSpec]:
        """Return the joints parents first: depth first, branches in the order of the file.

        Raises
        ------
        ModelError
            When the links and joints are not one tree.
        """
        return self._tree()[1]

    def check(self) -> None:
        """Raise the first thing that is wrong with the tree, by name.

        Raises
        ------
        ModelError
            Duplicate names, unknown links, a link with two parents, a cycle, several roots, NaN
            or infinity, a zero axis, axes that are not at a right angle, reversed limits, a
            wrong mimic, a cone or a held rotation of a joint that has none, a placement that is
            not a rigid motion, a negative mass, a tip that is not there.
        """
        self._check()

    def _check(self, numbers: bool = True) -> None:
        """Check, without the numbers for a reader that looked at them all while it read."""
        self._tree()
        link_names = {link.name for link in self.links}
        check_names("frame", (frame.name for frame in self.frames))
        for frame in self.frames:
            if frame.link not in link_names:
                raise fault("frame", frame.name, f"its link {frame.link!r} does not exist")
            if frame.name in link_names:
                raise fault("frame", frame.name, "a link has the same name")
        if self.tip is not None and self.tip not in link_names:
            if all(frame.name != self.tip for frame in self.frames):
                raise ModelError(f"the tip {self.tip!r} is neither a link nor a frame")
        if numbers:
            check_numbers(self.joints, self.frames, self.links)
        check_mimics(self.joints)

    def chain(self, base: str | None = None, tip: str | None = None) -> ModelSpec:
        """Return a copy with only the links from `base` to `tip`.

        Parameters
        ----------
        base : str, optional
            The link that becomes the root; the root of the tree by default.
        tip : str, optional
            A link, or a frame on one. Without it all that `base` carries is kept.

        Raises
        ------
        NotFoundError
            When no link has such a name.
        ModelError
            When `base` does not carry `tip`.

        Notes
        -----
        A joint that follows one outside the chain moves on its own in the copy; a note says so.
        """
        if tip is None:
            return self.copy() if base is None else self.subtree(base)
        root = self._tree()[0]
        base = root if base is None else base
        names = {link.name for link in self.links}
        tip_link = {frame.name: frame.link for frame in self.frames}.get(tip, tip)
        for name in (base, tip_link):
            if name not in names:
                raise name_not_found("link", name, names)
        above = {joint.child: joint.parent for joint in self.joints}
        kept = {tip_link}
        link = tip_link
        while link != base:
            if link == root:
                raise fault(
                    "link",
                    base,
                    f"it does not carry {tip!r}: the base must be an ancestor of the tip",
                )
            link = above[link]
            kept.add(link)
        part = self._part(kept, base)
        part.tip = tip
        return part

    def subtree(self, link: str) -> ModelSpec:
        """Return a copy with only `link`, which becomes the root, and all that it carries.

        The chosen tip stays chosen where it is among that.

        Raises
        ------
        NotFoundError
            When no link has such a name.
        ModelError
            When the links and joints are not one tree.
        """
        names = {item.name for item in self.links}
        if link not in names:
            raise name_not_found("link", link, names)
        kept = {link}
        for joint in self.ordered_joints():
            if joint.parent in kept:
                kept.add(joint.child)
        return self._part(kept, link)

    def copy(self) -> ModelSpec:
        """Return a spec that shares nothing editable with this one."""
        return ModelSpec(
            name=self.name,
            links=[_copy_link(link) for link in self.links],
            joints=[joint.copy() for joint in self.joints],
            frames=[replace(f, placement=np.array(f.placement, dtype=float)) for f in self.frames],
            base=self.base,
            tip=self.tip,
            source=self.source,
            missing_meshes=list(self.missing_meshes),
            notes=list(self.notes),
        )

    # -- writing ----------------------------------------------------------------------------

    def to_urdf(self, lost: list[str] | None = None) -> str:
        """Return the text of a URDF file; see `handik.write.urdf.to_urdf`."""
        from handik.write.urdf import to_urdf

        return to_urdf(self, lost)

    def to_toml(self) -> str:
        """Return the text of handik's own format, which holds all; see `handik.write.toml`."""
        from handik.write.toml import to_toml

        return to_toml(self)

    def to_dh(self, convention: str = "standard", tip: str | None = None) -> DhFit:
        """Return a chain as a Denavit-Hartenberg table; see `handik.read.fit_dh.fit_dh`."""
        from handik.read.fit_dh import fit_dh

        return fit_dh(self, convention, tip)

    def to_csv(
        self, lost: list[str] | None = None, convention: str = "standard", tip: str | None = None
    ) -> str:
        """Return a chain as the text of a table; see `handik.write.dh_csv.to_csv`."""
        from handik.write.dh_csv import to_csv

        return to_csv(self, lost, convention, tip)

    def to_roboop(
        self, lost: list[str] | None = None, convention: str = "standard", tip: str | None = None
    ) -> str:
        """Return a chain as ROBOOP's configuration file; see `handik.write.roboop.to_roboop`."""
        from handik.write.roboop import to_roboop

        return to_roboop(self, lost, convention, tip)

    def to_sdf(self, lost: list[str] | None = None) -> str:
        """Return the text of an SDF file; see `handik.write.sdf.to_sdf`."""
        from handik.write.sdf import to_sdf

        return to_sdf(self, lost)

    def to_mjcf(self, lost: list[str] | None = None) -> str:
        """Return the text of an MJCF file; see `handik.write.mjcf.to_mjcf`."""
        from handik.write.mjcf import to_mjcf

        return to_mjcf(self, lost)

    def save(self, path: str | os.PathLike[str], lost: list[str] | None = None) -> None:
        """Write a file in the format of its suffix; see `handik.write.save_spec`."""
        from handik.write import save_spec

        save_spec(self, path, lost)

    def _part(self, kept: set[str], base: str) -> ModelSpec:
        """Copy of the links of `kept`, the joints between them and the frames on them."""
        part = ModelSpec(
            name=self.name,
            links=[_copy_link(link) for link in self.links if link.name in kept],
            joints=[j.copy() for j in self.joints if j.child in kept and j.child != base],
            frames=[
                replace(f, placement=np.array(f.placement, dtype=float))
                for f in self.frames
                if f.link in kept
            ],
            base=base,
            source=self.source,
            notes=list(self.notes),
        )
        if self.tip in kept or any(frame.name == self.tip for frame in part.frames):
            part.tip = self.tip
        names = {joint.name for joint in part.joints}
        for joint in part.joints:
            if joint.mimic is not None and joint.mimic.joint not in names:
                part.notes.append(
                    f"joint {joint.name!r} follows {joint.mimic.joint!r}, which is not in this "
                    "part of the tree: it moves on its own here"
                )
                joint.mimic = None
        meshes = {g.uri for link in part.links for g in (*link.visuals, *link.collisions)}
        part.missing_meshes = [uri for uri in self.missing_meshes if uri in meshes]
        return part

    def _tree(self) -> tuple[str, list[JointSpec]]:
        """Root and joints parents first, or the error that says why there is no tree."""
        if not self.links:
            raise ModelError(f"the model {self.name!r} has no link")
        check_names("link", (link.name for link in self.links))
        check_names("joint", (joint.name for joint in self.joints))
        below: dict[str, list[JointSpec]] = {link.name: [] for link in self.links}
        above: dict[str, JointSpec] = {}
        for joint in self.joints:
            parent, child = joint.parent, joint.child
            if parent not in below or child not in below:
                side, link = ("child", child) if parent in below else ("parent", parent)
                raise fault("joint", joint.name, f"its {side} link {link!r} does not exist")
            if child in above:
                raise fault(
                    "link",
                    child,
                    f"it has two parents, by the joints {above[child].name!r} and {joint.name!r}",
                )
            above[child] = joint
            below[parent].append(joint)
        roots = [name for name in below if name not in above]
        ordered: list[JointSpec] = []
        stack = [joint for root in reversed(roots) for joint in reversed(below[root])]
        while stack:
            joint = stack.pop()
            ordered.append(joint)
            if beyond := below[joint.child]:
                stack += beyond[::-1]
        if len(ordered) < len(self.joints):
            raise cycle_fault(above, ordered)
        if len(roots) > 1:
            raise fault("link", roots[1], f"the tree has {len(roots)} roots: {listed(roots)}")
        if self.base is not None and self.base != roots[0]:
            raise fault("link", self.base, f"it is named as base, but {roots[0]!r} is the root")
        return roots[0], ordered


def _apart(value: Any) -> Any:
    """Return numbers as they are, and a copy of a list or an array of them."""
    return value if value is None or type(value) in (float, tuple) else copy(value)


def _copy_link(link: LinkSpec) -> LinkSpec:
    inertial = link.inertial
    if inertial is not None:
        inertial = InertialSpec(
            inertial.mass,
            np.array(inertial.center, dtype=float),
            np.array(inertial.inertia, dtype=float),
        )
    return LinkSpec(
        link.name,
        inertial,
        [_copy_shape(shape) for shape in link.visuals],
        [_copy_shape(shape) for shape in link.collisions],
    )


def _copy_shape(shape: GeometrySpec) -> GeometrySpec:
    return GeometrySpec(
        shape.kind,
        np.array(shape.placement, dtype=float),
        shape.size,
        shape.radius,
        shape.length,
        shape.uri,
        shape.file,
        shape.scale,
        shape.color,
        shape.name,
    )
