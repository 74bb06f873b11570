"""Terms: what must hold of a figure. Each is one row of the core's term table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from handik.errors import ArgumentError, number


@dataclass(frozen=True, kw_only=True)
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
    weight: float = 1.0
    position_tolerance: float | None = None
    orientation_tolerance: float = 1e-4

    #: Name in the core's table, and names of its target columns.
    kind: ClassVar[str] = ""
    columns: ClassVar[tuple[str, ...]] = ()

    def params(self) -> tuple[float, ...]:
        """Return the kind's own constants."""
        return ()


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
        try:
            parts = tuple(self.axis)
        except TypeError:
            raise TypeError(f"axis must be 3 numbers, got {self.axis!r}") from None
        if len(parts) != 3:
            raise ArgumentError(f"axis must have 3 numbers, got {len(parts)}")
        return tuple(number("axis", part) for part in parts)
