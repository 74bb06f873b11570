"""Terms about the pose of one frame: where it is, how it is turned, or a part of either."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from handik.errors import ArgumentError
from handik.problem._constants import axes_of, three
from handik.problem.term import Part, Term

if TYPE_CHECKING:
    from handik.model import Model


@dataclass(frozen=True, kw_only=True, eq=False)
class Position(Term):
    """Origin of the frame at a point: columns x y z, meters; or on a line or plane through it.

    Attributes
    ----------
    axes : str or sequence
        The coordinates that are wanted, some of ``"xyz"``: ``"z"`` is a height, ``"xy"`` a line
        upwards. Or one to three vectors at right angles, of any length: coordinates along these,
        whose columns are u v w. A column for each, in this order; the others are free, and no part
        of the error.
    weights : sequence of floats, optional
        How much each of `axes` counts in the error that solvers lower; 1 each if not given. Solvers
        by points (`fabrik`, `ccd` and their kin) go to the nearest point whatever the weights.
    relative_to : str, optional
        The frame whose axes and origin are meant, which may move too; the world if not given.

    Examples
    --------
    >>> import handik as hk
    >>> hk.Problem(hk.data("ur5"), hk.Position()).columns
    ('link_6.x', 'link_6.y', 'link_6.z')

    A height only, and a plane that is not along the axes of the world:

    >>> problem = hk.Problem(hk.data("ur5"), hk.Position(axes="z"))
    >>> problem.columns, hk.Solver("dls")(problem, [0.4]).converged
    (('link_6.z',), True)
    >>> problem = hk.Problem(hk.data("ur5"), hk.Position(axes=(1.0, 1.0, 0.0)))
    >>> problem.columns, hk.Solver("dls")(problem, [0.3]).converged
    (('link_6.u',), True)
    """

    axes: str | Sequence[float] | Sequence[Sequence[float]] = "xyz"
    weights: Sequence[float] | None = None
    relative_to: str | None = None

    kind = "position"
    columns = ("x", "y", "z")

    def _column_names(self, model: Model, frame: str | None) -> list[str]:
        """Return the names of its target columns."""
        return [f"{frame}.{letter}" for letter in axes_of(self.axes, self.weights)[0]]

    def _parts(self, model: Model, frame: str | None) -> list[Part]:
        """Return the row of the core's term table."""
        letters, rows, counts = axes_of(self.axes, self.weights)
        if letters == "xyz" and self.relative_to is None and (counts == 1).all():
            return [Part("position", frame)]
        if self.relative_to is not None and self.relative_to == frame:
            raise ArgumentError(f"a position of {frame!r} cannot be relative to {frame!r} itself")
        data = tuple(map(float, np.column_stack([rows, counts]).ravel()))
        return [Part("position_axes", frame, (), self.relative_to or "", data)]


@dataclass(frozen=True, kw_only=True, eq=False)
class Orientation(Term):
    """Axes of the frame along those of a rotation: columns w x y z of a quaternion.

    Attributes
    ----------
    axes : str
        The axes of the frame that are meant, some of ``"xyz"``. One alone leaves the turn about it
        free: the term is then `Axis`, and its columns are the direction in which that axis shall
        point. Two leave nothing free, but the third weighs nothing.
    weights : sequence of floats, optional
        How much each of `axes` counts; 1 each if not given. With weights w the solvers lower half
        the sum of ``w^2 |a - d|^2`` over the axes a of the frame and the wanted ones d: w^2 is the
        logical weight sigma of the closed form of CCD (Wang and Chen 1991). Where the rotation can
        be had they change no answer; where it cannot, they say how the miss is shared, but not to
        `fabrik` and its kin, whose passes want the whole rotation whatever the weights.

    Notes
    -----
    `axes` are axes that shall be aligned, not axes to turn about: what a mask of angular
    velocities calls "free about z" is ``axes="z"`` here.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.data("ur5")
    >>> hk.Problem(arm, hk.Orientation()).width
    4
    >>> hk.Problem(arm, hk.Orientation(axes="z")).columns
    ('link_6.dx', 'link_6.dy', 'link_6.dz')
    >>> problem = hk.Problem(arm, [hk.Position(), hk.Orientation(weights=(1.0, 1.0, 3.0))])
    >>> targets = problem.targets([0.4, 0.2, 0.5], [0.0, 1.0, 0.0, 0.0])
    >>> hk.Solver("ccd")(problem, targets).converged
    True
    """

    axes: str = "xyz"
    weights: Sequence[float] | None = None

    kind = "orientation"
    columns = ("qw", "qx", "qy", "qz")

    def _column_names(self, model: Model, frame: str | None) -> list[str]:
        """Return the names of its target columns."""
        return [f"{frame}.{c}" for c in (Axis.columns if len(self.axes) == 1 else self.columns)]

    def _parts(self, model: Model, frame: str | None) -> list[Part]:
        """Return the row of the core's term table."""
        if not isinstance(self.axes, str):
            raise ArgumentError(f'axes must be some of "xyz", got {self.axes!r}; else use Axis')
        letters, rows, counts = axes_of(self.axes, self.weights)
        if len(letters) == 1:
            return [Part("axis", frame, tuple(map(float, rows[0])), weight=float(counts[0]))]
        if len(letters) == 3 and self.weights is None:
            return [Part("orientation", frame)]
        return [Part("orientation_axes", frame, tuple(map(float, counts @ rows)))]


@dataclass(frozen=True, kw_only=True, eq=False)
class Pose(Term):
    """Position and orientation: columns x y z, then w x y z.

    Examples
    --------
    >>> import handik as hk
    >>> hk.Problem(hk.data("ur5"), hk.Pose()).width
    7
    """

    kind = "pose"
    columns = ("x", "y", "z", "qw", "qx", "qy", "qz")


@dataclass(frozen=True, kw_only=True, eq=False)
class Axis(Term):
    """One axis of the frame along a direction of the world: columns x y z, any length but zero.

    Attributes
    ----------
    axis : sequence of 3 floats
        The axis, in the frame.

    Examples
    --------
    >>> import handik as hk
    >>> problem = hk.Problem(hk.data("ur5"), [hk.Position(), hk.Axis(axis=(0.0, 0.0, 1.0))])
    >>> hk.Solver("dls")(problem, [0.4, 0.2, 0.5, 0.0, 0.0, -1.0]).converged
    True
    """

    axis: Sequence[float] = (0.0, 0.0, 1.0)

    kind = "axis"
    columns = ("dx", "dy", "dz")

    def _params(self) -> tuple[float, ...]:
        """Return the axis."""
        return three("axis", self.axis)
