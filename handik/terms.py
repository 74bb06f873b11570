"""Terms: what must hold of a figure, or be kept to where nothing else decides.

Each is one or more rows of the core's term table; ``docs/terms.md`` has the formula, residual,
Jacobian and tolerance of every one. In brackets: how many columns it takes of a target row.

- what one frame shall reach: `Reach` (3, 4 or 7), `Position` (3), `Orientation` (4), `Pose` (7),
  `Axis` (3), `LookAt` (3), `Level` (0);
- what two frames of the figure shall keep: `Distance` (0), `Loop` (0).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from handik.errors import ArgumentError, number

if TYPE_CHECKING:
    from handik.model import Model


class Part(NamedTuple):
    """One row of the core's term table that a term is made of; frames by name, "" the world."""

    kind: str
    frame: str | None
    params: tuple[float, ...] = ()
    other: str = ""
    data: tuple[float, ...] = ()


def three(name: str, value: Sequence[float]) -> tuple[float, ...]:
    """Return the three numbers of a point or direction.

    Raises
    ------
    TypeError
        When it is no sequence of numbers.
    ArgumentError
        When there are not three.
    """
    try:
        parts = tuple(value)
    except TypeError:
        raise TypeError(f"{name} must be 3 numbers, got {value!r}") from None
    if len(parts) != 3:
        raise ArgumentError(f"{name} must have 3 numbers, got {len(parts)}")
    return tuple(number(name, part) for part in parts)


@dataclass(frozen=True)
class Term:
    """What all terms share.

    Attributes
    ----------
    frame : str or None
        The frame it acts on; the model's tip if None.
    weight : float
        Scales its residual in the error that solvers lower; positive.
    position_tolerance : float or None
        Met when the distance is at most this, metres; None: 1e-4 of the model's reach.
    orientation_tolerance : float
        Met when the angle is at most this, radians.
    """

    frame: str | None = None
    _: KW_ONLY
    weight: float = 1.0
    position_tolerance: float | None = None
    orientation_tolerance: float = 1e-4

    #: Name in the core's table, and names of its target columns.
    kind: ClassVar[str] = ""
    columns: ClassVar[tuple[str, ...]] = ()

    def params(self) -> tuple[float, ...]:
        """Return the kind's own constants."""
        return ()

    def column_names(self, model: Model, frame: str | None) -> list[str]:
        """Return the names of its target columns."""
        return [f"{frame}.{column}" for column in self.columns]

    def parts(self, model: Model, frame: str | None) -> list[Part]:
        """Return the rows of the core's term table it is made of."""
        return [Part(self.kind, frame, self.params())]


@dataclass(frozen=True, kw_only=True)
class Position(Term):
    """Origin of the frame at a point: columns x y z, metres."""

    kind = "position"
    columns = ("x", "y", "z")


@dataclass(frozen=True, kw_only=True)
class Orientation(Term):
    """Axes of the frame along those of a rotation: columns w x y z of a quaternion."""

    kind = "orientation"
    columns = ("qw", "qx", "qy", "qz")


@dataclass(frozen=True, kw_only=True)
class Pose(Term):
    """Position and orientation: columns x y z, then w x y z."""

    kind = "pose"
    columns = ("x", "y", "z", "qw", "qx", "qy", "qz")


@dataclass(frozen=True)
class Reach(Term):
    """What a frame shall reach, by its name: ``Reach("left_hand")``, ``Reach("head", "pose")``.

    Attributes
    ----------
    what : {"position", "orientation", "pose"}
        As `Position`, `Orientation` and `Pose`, with their columns.
    """

    what: str = "position"

    kind = "reach"
    _WORDS: ClassVar[dict[str, type[Term]]] = {
        "position": Position,
        "orientation": Orientation,
        "pose": Pose,
    }

    def _meant(self) -> type[Term]:
        if self.what not in self._WORDS:
            words = ", ".join(map(repr, self._WORDS))
            raise ArgumentError(f"what a frame reaches must be one of {words}, got {self.what!r}")
        return self._WORDS[self.what]

    def column_names(self, model: Model, frame: str | None) -> list[str]:
        """Return the names of its target columns."""
        return [f"{frame}.{column}" for column in self._meant().columns]

    def parts(self, model: Model, frame: str | None) -> list[Part]:
        """Return the rows of the core's term table it is made of."""
        return [Part(self._meant().kind, frame)]


@dataclass(frozen=True, kw_only=True)
class Axis(Term):
    """One axis of the frame along a direction of the world: columns x y z, any length but zero.

    Attributes
    ----------
    axis : sequence of 3 floats
        The axis, in the frame.
    """

    axis: Sequence[float] = (0.0, 0.0, 1.0)

    kind = "axis"
    columns = ("dx", "dy", "dz")

    def params(self) -> tuple[float, ...]:
        """Return the axis."""
        return three("axis", self.axis)


@dataclass(frozen=True, kw_only=True)
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
    """

    axis: Sequence[float] = (0.0, 0.0, 1.0)
    direction: Sequence[float] = (0.0, 0.0, 1.0)
    angle: float = math.pi / 2

    kind = "level"

    def params(self) -> tuple[float, ...]:
        """Return axis, direction and angle."""
        return (
            *three("axis", self.axis),
            *three("direction", self.direction),
            number("angle", self.angle),
        )


@dataclass(frozen=True, kw_only=True)
class LookAt(Term):
    """An axis of the frame, drawn from its eye, passes through a point: columns x y z, metres.

    Met when the angle between axis and line of sight is within `orientation_tolerance`. A point on
    the eye itself is not met.

    Attributes
    ----------
    axis : sequence of 3 floats
        The axis, in the frame.
    eye : sequence of 3 floats
        Where the axis begins, in the frame, metres.
    """

    axis: Sequence[float] = (0.0, 0.0, 1.0)
    eye: Sequence[float] = (0.0, 0.0, 0.0)

    kind = "look_at"
    columns = ("x", "y", "z")

    def params(self) -> tuple[float, ...]:
        """Return axis and eye."""
        return (*three("axis", self.axis), *three("eye", self.eye))


@dataclass(frozen=True)
class Pair(Term):
    """What the terms between two frames share.

    Attributes
    ----------
    other : str or None
        The other frame; None: the world, with `other_point` in its axes.
    point, other_point : sequence of 3 floats
        The points meant, each in its frame, metres.
    """

    other: str | None = None
    _: KW_ONLY
    point: Sequence[float] = (0.0, 0.0, 0.0)
    other_point: Sequence[float] = (0.0, 0.0, 0.0)

    def params(self) -> tuple[float, ...]:
        """Return both points."""
        return (*three("point", self.point), *three("other_point", self.other_point))

    def parts(self, model: Model, frame: str | None) -> list[Part]:
        """Return the row of the core's term table."""
        return [Part(self.kind, frame, self.params(), self.other or "")]


@dataclass(frozen=True, kw_only=True)
class Distance(Pair):
    """Two points of the figure keep a distance, or one within a range: no columns.

    Inside the range nothing pulls: the residual is one-sided, zero from `least` to `most`.

    Attributes
    ----------
    least, most : float
        Metres, ``0 <= least <= most``; `most` may be infinite, and is `least` if None.
    """

    least: float
    most: float | None = None

    kind = "distance"

    def params(self) -> tuple[float, ...]:
        """Return both points and the range."""
        least = number("least", self.least)
        most = least if self.most is None else number("most", self.most)
        return (*super().params(), least, most)


@dataclass(frozen=True, kw_only=True)
class Loop(Pair):
    """A frame coincides with another one that moves too: a closed loop; no columns.

    Attributes
    ----------
    joint : {"ball", "hinge", "weld"}
        What holds the two together: a ball joint (the points coincide), a hinge (and the axes point
        the same way), or nothing that moves (and all axes are the same).
    axis, other_axis : sequence of 3 floats
        Of the hinge, each in its frame.
    """

    joint: str = "ball"
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    other_axis: Sequence[float] = (0.0, 0.0, 1.0)

    kind = "loop"
    _KINDS: ClassVar[dict[str, str]] = {"ball": "loop", "hinge": "loop_hinge", "weld": "loop_pose"}

    def parts(self, model: Model, frame: str | None) -> list[Part]:
        """Return the row of the core's term table."""
        if self.joint not in self._KINDS:
            words = ", ".join(map(repr, self._KINDS))
            raise ArgumentError(f"the joint of a loop must be one of {words}, got {self.joint!r}")
        params = self.params()
        if self.joint == "hinge":
            params += three("axis", self.axis) + three("other_axis", self.other_axis)
        return [Part(self._KINDS[self.joint], frame, params, self.other or "")]
