"""Terms: what must hold of a model, or be kept to where nothing else decides.

Each is one or more rows of the core's term table; ``docs/terms.md`` has the formula, residual,
Jacobian and tolerance of every one. In brackets: how many columns it takes of a target row.

- what one frame shall reach: `Position` (3, or as many as `axes`), `Orientation` (4), `Pose` (7),
  `Axis` (3), `LookAt` (3), `Level` (0);
- what two frames of the model shall keep: `Distance` (0), `Loop` (0);
- what the whole model shall keep: `CenterOfMass` (3, or 0 over a support), `SelfCollision` (0);
- what the freedom left is used for, soft terms that never decide whether a problem is solved:
  `Posture` (0), `Damping` (nq).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar

from numpy.typing import ArrayLike

from handik.errors import ArgumentError
from handik.problem._constants import apart, joint_weights, three
from handik.problem._support import hull, inset
from handik.problem.pose_terms import Axis as Axis
from handik.problem.pose_terms import Orientation as Orientation
from handik.problem.pose_terms import Pose as Pose
from handik.problem.pose_terms import Position as Position
from handik.problem.term import Part as Part
from handik.problem.term import Term as Term
from handik.spec._given import known_name, number, points_of, sequence, text, whole_number

if TYPE_CHECKING:
    from handik.model import Model

__all__ = [
    "Axis",
    "Capsule",
    "CenterOfMass",
    "Damping",
    "Distance",
    "Level",
    "LookAt",
    "Loop",
    "Orientation",
    "Pose",
    "Position",
    "Posture",
    "SelfCollision",
    "Term",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


@dataclass(frozen=True, kw_only=True, eq=False)
class Level(Term):
    """An axis of the frame keeps an angle to a direction of the world: no columns.

    The forearm stays horizontal when its long axis keeps a right angle to the vertical. Unlike
    `Axis` it leaves the turn about the direction free. Met within `orientation_tolerance`.

    Attributes
    ----------
    axis : sequence of 3 floats
        The axis, in the frame.
    direction : sequence of 3 floats
        In the world; upwards if not given.
    angle : float
        Between the two, 0 to pi radians.

    Examples
    --------
    >>> import handik as hk
    >>> problem = hk.Problem(hk.data("ur5"), [hk.Position(), hk.Level(axis=(1.0, 0.0, 0.0))])
    >>> hk.Solver("dls")(problem, [0.4, 0.2, 0.5]).converged
    True
    """

    axis: Sequence[float] = (0.0, 0.0, 1.0)
    direction: Sequence[float] = (0.0, 0.0, 1.0)
    angle: float = math.pi / 2

    kind = "level"

    def _params(self) -> tuple[float, ...]:
        """Return axis, direction and angle."""
        return (
            *three("axis", self.axis),
            *three("direction", self.direction),
            number("angle", self.angle),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class LookAt(Term):
    """An axis of the frame, drawn from its eye, passes through a point: columns x y z, meters.

    Met when the angle between axis and line of sight is within `orientation_tolerance`. A point on
    the eye itself is not met.

    Attributes
    ----------
    axis : sequence of 3 floats
        The axis, in the frame.
    eye : sequence of 3 floats
        Where the axis begins, in the frame, meters.

    Examples
    --------
    >>> import handik as hk
    >>> problem = hk.Problem(hk.data("ur5"), hk.LookAt())
    >>> hk.Solver("dls")(problem, [1.0, 1.0, 1.0]).converged
    True
    """

    axis: Sequence[float] = (0.0, 0.0, 1.0)
    eye: Sequence[float] = (0.0, 0.0, 0.0)

    kind = "look_at"
    columns = ("x", "y", "z")

    def _params(self) -> tuple[float, ...]:
        """Return axis and eye."""
        return (*three("axis", self.axis), *three("eye", self.eye))


@dataclass(frozen=True, eq=False)
class Pair(Term):
    """What the terms between two frames share.

    Attributes
    ----------
    other : str or None
        The other frame; None: the world, with `other_point` in its axes.
    point, other_point : sequence of 3 floats
        The points meant, each in its frame, meters.
    """

    other: str | None = None
    _: KW_ONLY
    point: Sequence[float] = (0.0, 0.0, 0.0)
    other_point: Sequence[float] = (0.0, 0.0, 0.0)

    def _params(self) -> tuple[float, ...]:
        """Return both points."""
        return (*three("point", self.point), *three("other_point", self.other_point))

    def _other(self) -> str:
        """Return the other frame; "" is the world."""
        return "" if self.other is None else text("other", self.other)

    def _parts(self, model: Model, frame: str | None) -> list[Part]:
        """Return the row of the core's term table."""
        return [Part(self.kind, frame, self._params(), self._other())]


@dataclass(frozen=True, kw_only=True, eq=False)
class Distance(Pair):
    """Two points of the model keep a distance, or one within a range: no columns.

    Inside the range nothing pulls: the residual is one-sided, zero from `min` to `max`.

    Attributes
    ----------
    distance : float or None
        Exactly this, meters; not with `min` and `max`.
    min, max : float or None
        At least, at most this, meters, ``0 <= min <= max``. One alone leaves the other side open.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([1.0, 1.0, 1.0])
    >>> hk.Problem(arm, hk.Distance("tip", "link_0", min=0.5)).width
    0
    """

    distance: float | None = None
    min: float | None = None
    max: float | None = None

    kind = "distance"

    def bounds(self) -> tuple[float, float]:
        """Return the least and the greatest distance allowed.

        Returns
        -------
        tuple of 2 floats
            Meters; infinity where nothing bounds it.

        Raises
        ------
        ArgumentError
            When nothing is given, or a distance and a range.
        """
        if self.distance is not None:
            if self.min is not None or self.max is not None:
                raise ArgumentError("Distance takes distance= or min= and max=, not both")
            exact = number("distance", self.distance)
            return exact, exact
        if self.min is None and self.max is None:
            raise ArgumentError("Distance needs distance= (exactly), min= (at least) or max=")
        least = 0.0 if self.min is None else number("min", self.min)
        return least, math.inf if self.max is None else number("max", self.max)

    def _params(self) -> tuple[float, ...]:
        """Return both points and the range."""
        return (*super()._params(), *self.bounds())


@dataclass(frozen=True, kw_only=True, eq=False)
class Loop(Pair):
    """A frame coincides with another one that moves too: a closed loop; no columns.

    Attributes
    ----------
    joint : {"ball", "revolute", "weld"}
        What holds the two together: a ball joint (the points coincide), a revolute one (and the
        axes point the same way), or nothing that moves (and all axes are the same).
    axis, other_axis : sequence of 3 floats
        Of the revolute joint, each in its frame.

    Examples
    --------
    >>> import handik as hk
    >>> hk.Problem(hk.chain([1.0, 1.0, 1.0]), hk.Loop("tip", "link_0")).rows
    3
    """

    joint: str = "ball"
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    other_axis: Sequence[float] = (0.0, 0.0, 1.0)

    kind = "loop"
    _KINDS: ClassVar[dict[str, str]] = {
        "ball": "loop",
        "revolute": "loop_hinge",
        "weld": "loop_pose",
    }

    def _parts(self, model: Model, frame: str | None) -> list[Part]:
        """Return the row of the core's term table."""
        if not (isinstance(self.joint, str) and self.joint in self._KINDS):
            words = ", ".join(map(repr, self._KINDS))
            raise ArgumentError(f"the joint of a loop must be one of {words}, got {self.joint!r}")
        params = self._params()
        if self.joint == "revolute":
            params += three("axis", self.axis) + three("other_axis", self.other_axis)
        return [Part(self._KINDS[self.joint], frame, params, self._other())]


# -- the whole model ---------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class CenterOfMass(Term):
    """The center of mass at a point (columns x y z, meters), or above a support (no columns).

    Attributes
    ----------
    over : array_like (k, 2) or None
        Points x y of the ground; the support is their convex hull. The residual is the horizontal
        way from the nearest point of the support, zero above it. One point or a line will do.
    margin : float
        The center stays this far inside the edges of the support, meters.

    Raises
    ------
    ArgumentError
        When nothing that moves has mass, or the margin leaves nothing of the support.

    Examples
    --------
    >>> import handik as hk
    >>> spec = hk.chain([1.0]).spec
    >>> spec.links[1].inertial = hk.spec.InertialSpec(1.0)
    >>> hk.Problem(hk.Model(spec), hk.CenterOfMass()).width
    3
    """

    over: ArrayLike | None = None
    margin: float = 0.0

    kind = "centre_of_mass"
    of_a_frame = False

    def _column_names(self, model: Model, frame: str | None) -> list[str]:
        """Return the names of its target columns."""
        return [] if self.over is not None else [f"center_of_mass.{c}" for c in "xyz"]

    def _parts(self, model: Model, frame: str | None) -> list[Part]:
        """Return the row of the core's term table."""
        margin = number("margin", self.margin)
        if not 0 <= margin < math.inf:
            raise ArgumentError(f"margin must be 0 or more and finite, got {margin}")
        if self.over is None:
            if margin:
                raise ArgumentError("a margin belongs to a support: give over= too")
            return [Part("centre_of_mass", None)]
        corners = inset(hull(self.over), margin)
        return [Part("support", None, data=tuple(x for corner in corners for x in corner))]


@dataclass(frozen=True)
class Capsule:
    """A body part as seen by `SelfCollision`: all points within `radius` of a segment.

    Attributes
    ----------
    frame : str
        The frame it is fixed to.
    start, end : sequence of 3 floats
        Ends of its axis, in the frame, meters; both the same for a ball.
    radius : float
        Meters.

    Examples
    --------
    >>> import handik as hk
    >>> hk.Capsule("link_3", (0.0, 0.0, 0.0), (0.3, 0.0, 0.0), 0.05).radius
    0.05
    """

    frame: str
    start: Sequence[float]
    end: Sequence[float]
    radius: float

    def _numbers(self) -> tuple[float, ...]:
        """Return start, end and radius."""
        return (*three("start", self.start), *three("end", self.end), number("radius", self.radius))


@dataclass(frozen=True, kw_only=True, eq=False)
class SelfCollision(Term):
    """Capsules fixed to frames keep clear of each other: no columns.

    Each pair is a row whose residual is what the gap lacks, zero when clear.

    Attributes
    ----------
    capsules : sequence of Capsule
    pairs : sequence of (int, int) or None
        Which of them, by their places in `capsules`; None: all but those on one body and those
        that are neighbors in the tree of the bodies that carry capsules.
    clearance : float
        Gap that is kept, meters.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([1.0, 1.0, 1.0])
    >>> parts = [hk.Capsule(f"link_{k}", (0, 0, 0), (1, 0, 0), 0.05) for k in (1, 2, 3)]
    >>> hk.Problem(arm, [hk.Position(), hk.SelfCollision(capsules=parts)]).width
    3
    """

    capsules: Sequence[Capsule]
    pairs: Sequence[tuple[int, int]] | None = None
    clearance: float = 0.0

    kind = "clearance"
    of_a_frame = False

    def _parts(self, model: Model, frame: str | None) -> list[Part]:
        """Return one row of the core's term table for each pair."""
        capsules = sequence("capsules", self.capsules, Capsule, "Capsules")
        for capsule in capsules:
            known_name("frame", capsule.frame, model.frame_names)
        pairs = apart(model, capsules) if self.pairs is None else self.pairs
        if not isinstance(pairs, Iterable):
            raise TypeError(f"pairs must be pairs of whole numbers, got {pairs!r}")
        gap, parts = number("clearance", self.clearance), []
        for pair in pairs:
            try:
                a, b = (whole_number("a pair", place, len(capsules) - 1) for place in pair)
            except (TypeError, ValueError):
                raise ArgumentError(
                    f"a pair is two places among the {len(capsules)} capsules, got {pair!r}"
                ) from None
            one, two = capsules[a], capsules[b]
            numbers = (*one._numbers(), *two._numbers(), gap)
            parts.append(Part(self.kind, one.frame, numbers, two.frame))
        if not parts:
            raise ArgumentError("SelfCollision has no pair of capsules to keep apart")
        return parts


@dataclass(frozen=True, kw_only=True, eq=False)
class Posture(Term):
    """Coordinates near a configuration, where the terms that decide leave them free: no columns.

    A soft term: it never decides whether a problem is solved, is no part of `Result.error`, and
    comes after every term that decides, whatever its `priority`, which orders soft terms only.

    Attributes
    ----------
    target : array_like (nq,) or None
        The model's rest if None.
    weights : mapping of joint name to float, or array_like (nv,), or None
        How much each joint counts; 1 where nothing is said, 0 leaves it alone.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.5, 0.5, 0.5])
    >>> problem = hk.Problem(arm, [hk.Position(), hk.Posture(target=[0.5, 0.5, 0.5])])
    >>> hk.Solver("dls")(problem, [0.8, 0.6, 0.0]).converged
    True
    """

    target: ArrayLike | None = None
    weights: Mapping[str, float] | ArrayLike | None = None

    kind = "rest"
    of_a_frame = False

    def _parts(self, model: Model, frame: str | None) -> list[Part]:
        """Return the row of the core's term table."""
        q = points_of(model.rest if self.target is None else self.target, "target", (model.nq,))
        return [Part(self.kind, None, data=(*map(float, q), *joint_weights(model, self.weights)))]


@dataclass(frozen=True, kw_only=True, eq=False)
class Damping(Term):
    """As little change as possible from a posture: columns q, one for each coordinate.

    A soft term like `Posture`, with the posture in the target row: give the start, or the answer
    before.

    Attributes
    ----------
    weights : mapping of joint name to float, or array_like (nv,), or None
        As in `Posture`.

    Examples
    --------
    >>> import handik as hk
    >>> hk.Problem(hk.chain([0.5, 0.5]), [hk.Position(), hk.Damping()]).width
    5
    """

    weights: Mapping[str, float] | ArrayLike | None = None

    kind = "change"
    of_a_frame = False

    def _column_names(self, model: Model, frame: str | None) -> list[str]:
        """Return the names of its target columns."""
        names = [""] * model.nq
        for joint, part in model.joint_q_slices.items():
            places = range(*part.indices(model.nq))
            for k, place in enumerate(places):
                names[place] = f"damping.{joint}" + (f"[{k}]" if len(places) > 1 else "")
        return names

    def _parts(self, model: Model, frame: str | None) -> list[Part]:
        """Return the row of the core's term table."""
        return [Part(self.kind, None, data=joint_weights(model, self.weights))]
