"""The rooms of ball joints beyond the cone: spherical polygons, and twists that follow the swing.

A swing is written as (u, v): the bone turns by the angle ``hypot(u, v)`` from rest towards the
azimuth ``atan2(v, u)``, which counts from the joint's `axis2` towards `axis` x `axis2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, ModelError
from handik.spec._given import reals, whole_number

__all__ = ["ReachCone", "TwistTable", "swing_direction"]

Array = NDArray[np.float64]

#: Directions so near to each other are one corner; a model refuses those within 1e-6.
_SAME = 2e-6


def swing_direction(uv: ArrayLike) -> Array:
    """Return where swings take the bone.

    Parameters
    ----------
    uv : array_like, shape (..., 2)
        Swings, radians.

    Returns
    -------
    ndarray, shape (..., 3)
        Unit directions; x is `axis2`, z the bone at rest.

    Examples
    --------
    >>> swing_direction([0.0, 0.0])
    array([0., 0., 1.])
    """
    uv = reals(uv, "uv", (2,), finite=False)
    angle = np.hypot(uv[..., 0], uv[..., 1])
    k = np.sinc(angle / np.pi)
    return np.stack([k * uv[..., 0], k * uv[..., 1], np.cos(angle)], axis=-1)


def _smooth(t: Array) -> Array:
    t = np.clip(t, 0.0, 1.0)
    return t * t * (3 - 2 * t)


@dataclass(frozen=True, slots=True)
class TwistTable:
    """Twist limits that change with the swing: a table over its azimuth, periodic and smooth.

    The limits are those of `rest` where the bone is at rest, those of the table where it has swung
    by `full` or more, and a smooth mean (3 t^2 - 2 t^3) of both between; so is the table between
    two of its rows. The lower limit never passes the upper one, and no limit is ever beyond those
    given.

    Attributes
    ----------
    rest : (float, float)
        Lower and upper twist at rest, radians within +-pi.
    rows : sequence of (float, float, float)
        Azimuth, lower and upper twist, radians; azimuths rise within [-pi, pi).
    full : float
        Swing from which on the table holds, radians.

    Examples
    --------
    >>> import handik as hk
    >>> table = hk.TwistTable((-1.0, 1.0), [(-1.5, -0.5, 0.5), (1.5, -0.2, 0.2)])
    >>> [float(x) for x in table.at([0.0, 0.0])]
    [-1.0, 1.0]
    """

    rest: tuple[float, float]
    rows: Sequence[Sequence[float]]
    full: float = pi / 2

    def at(self, uv: ArrayLike) -> tuple[Array, Array]:
        """Return the lower and upper twist at swings.

        Parameters
        ----------
        uv : array_like, shape (..., 2)
            Swings towards `axis2` and ``axis x axis2``, radians.

        Returns
        -------
        lower, upper : ndarray, shape (...)
            Limits of the twist, radians.
        """
        uv, rows = reals(uv, "uv", (2,), finite=False), np.asarray(self.rows, float)
        azimuth = np.arctan2(uv[..., 1], uv[..., 0])
        after = np.searchsorted(rows[:, 0], azimuth, side="right")
        a, b = rows[after - 1], rows[after % len(rows)]
        width = np.mod(b[..., 0] - a[..., 0], 2 * pi)
        width = np.where(width > 0, width, 2 * pi)
        t = _smooth(np.mod(azimuth - a[..., 0], 2 * pi) / width)[..., None]
        s = _smooth(np.hypot(uv[..., 0], uv[..., 1]) / self.full)[..., None]
        both = (1 - s) * np.asarray(self.rest, float) + s * ((1 - t) * a[..., 1:] + t * b[..., 1:])
        return both[..., 0], both[..., 1]


@dataclass(frozen=True, slots=True)
class ReachCone:
    """Limits of a ball joint: the bone keeps to a spherical polygon, and to a range of twist.

    Directions are joined by great circles, in order and back to the first. What is required:
    three or more of them, neighbors neither equal nor opposite, no crossing of edges, and no edge
    through the direction opposite to the bone at rest. The room is on the left of each edge as one
    looks at the sphere from outside: rising azimuths about the bone enclose it. It may be convex or
    not, larger than half the sphere, and need not hold the bone at rest.

    Attributes
    ----------
    corners : sequence of (float, float)
        Azimuth from `axis2` about `axis`, and swing from `axis`, radians.
    twist : (float, float) or TwistTable
        Lower and upper twist about the bone, radians within +-pi.

    Examples
    --------
    >>> import handik as hk
    >>> spec = hk.chain([1.0], "ball").spec
    >>> spec.joints[0].cone = hk.ReachCone([(0.0, 1.0), (2.0, 1.0), (4.0, 0.5)])
    >>> hk.Model(spec).nq
    4
    """

    corners: Sequence[Sequence[float]]
    twist: tuple[float, float] | TwistTable = (-pi, pi)

    @classmethod
    def from_tangents(
        cls,
        half: float | Sequence[float],
        twist: tuple[float, float] | TwistTable = (-pi, pi),
        *,
        corners: int = 128,
    ) -> ReachCone:
        """Return the cone of the FABRIK papers: over an ellipse by quadrant, at a distance.

        A plane across the bone at the distance S cuts it in four quarters of ellipses of the
        half-axes ``S tan(half)``; `handik.Cone` is an ellipse in the angles themselves, or with
        ``shape="tangent"`` this polygon. It has its corners on the edge of the cone and great
        circles between them, which are straight in that plane: it is never outside the cone, and
        inside by no more than 0.0087 degrees with 128 corners (docs/limits.md).

        Parameters
        ----------
        half : float or 4 floats
            Half angles in radians, above 0 and below pi/2: towards `axis2`, `axis` x `axis2`, and
            the opposite of each.
        twist : (float, float) or TwistTable
            Lower and upper twist about the bone, radians within +-pi.
        corners : int
            How many, a multiple of 4 from 8 to 2048. Those within 2e-6 radians of another, as
            where half angles are close to 0 or to pi/2, are left out.

        Returns
        -------
        ReachCone
            The polygon.

        Raises
        ------
        ModelError
            When a half angle is not between 0 and pi/2, there are not one or four, or fewer than
            three corners are left.
        ArgumentError
            When `corners` is no such number.

        Notes
        -----
        A. Aristidou, J. Lasenby, FABRIK: A fast, iterative solver for the inverse kinematics
        problem, Graphical Models 73 (2011), section 4: ``q_j = S tan(theta_j)``.

        Examples
        --------
        >>> import handik as hk
        >>> room = hk.ReachCone.from_tangents([hk.deg(x) for x in (80, 40, 60, 30)])
        >>> len(room.corners)
        128
        """
        angles = reals(half, "half", (), finite=False)
        if angles.shape not in ((), (4,)):
            raise ModelError(f"a cone has 1 or 4 half angles, got {half!r}")
        angles = np.broadcast_to(angles, 4)
        for k, angle in enumerate(angles):
            if not 0 < angle < pi / 2:
                raise ModelError(
                    f"half angle {k} of a cone by tangents must be between 0 and 90 degrees, got "
                    f"{np.degrees(angle):g}: handik.Cone in angles takes wider ones"
                )
        count = whole_number("corners", corners, 2048)
        if count < 8 or count % 4:
            raise ArgumentError(f"corners must be a multiple of 4 from 8 to 2048, got {corners}")
        phi = np.arange(count) * (2 * pi / count)
        quadrant = np.arange(count) // (count // 4)
        along, across = np.tan(angles)[[0, 2, 2, 0]], np.tan(angles)[[1, 1, 3, 3]]
        x, y = along[quadrant] * np.cos(phi), across[quadrant] * np.sin(phi)
        rows = np.stack([np.arctan2(y, x), np.arctan(np.hypot(x, y))], axis=1)
        apart = _apart(cls(rows.tolist(), twist).directions())
        if len(apart) < 3:
            raise ModelError(
                f"half angles {np.degrees(angles).tolist()} degrees are too narrow for a cone by "
                "tangents: its corners are one direction to 2e-6 rad; handik.Cone in angles takes "
                "them"
            )
        return cls(rows[apart].tolist(), twist)

    def row(self) -> tuple[float, ...]:
        """Return the numbers that a cone has, here without a bound on the swing.

        Returns
        -------
        tuple of 6 floats
            Four half-axes that bound nothing, and the two twists at rest, radians.
        """
        return (pi, pi, pi, pi, *twist_at_rest(self.twist))

    def directions(self) -> Array:
        """Return the unit directions of the corners, shape (n, 3), in the room's axes.

        Returns
        -------
        ndarray, shape (n, 3)
            Unit directions of the corners, in the joint's axes.

        Raises
        ------
        ModelError
            When the corners are not rows of two numbers.
        """
        try:
            corners = reals(self.corners, "corners", (2,), finite=False)
        except ArgumentError:
            corners = np.empty(0)
        if corners.ndim != 2:
            raise ModelError("the corners of a reach cone are rows of azimuth and swing")
        azimuth, swing = corners.T
        return swing_direction(np.stack([swing * np.cos(azimuth), swing * np.sin(azimuth)], axis=1))

    def distance(self, directions: ArrayLike) -> Array:
        """Return how far directions are from the edge, negative inside.

        Parameters
        ----------
        directions : array_like, shape (..., 3)
            Unit directions in the room's axes.

        Returns
        -------
        ndarray, shape (...)
            Radians along the sphere.
        """
        d = reals(directions, "directions", (3,), finite=False)
        corner = self.directions()
        following = np.roll(corner, -1, axis=0)
        normal = np.cross(corner, following)
        normal /= np.linalg.norm(normal, axis=1, keepdims=True)
        best, side = np.full(d.shape[:-1], np.inf), np.zeros(d.shape[:-1])
        for k, (a, b, n) in enumerate(zip(corner, following, normal, strict=True)):
            p = d - (d @ n)[..., None] * n
            size = np.linalg.norm(p, axis=-1, keepdims=True)
            p = p / np.maximum(size, 1e-12)
            inner = (size[..., 0] > 1e-12) & (np.cross(a, p) @ n > 0) & (np.cross(p, b) @ n > 0)
            first = np.linalg.norm(d - a, axis=-1) <= np.linalg.norm(d - b, axis=-1)
            near = np.where(inner[..., None], p, np.where(first[..., None], a, b))
            before, after = normal[k - 1], normal[(k + 1) % len(corner)]
            inward = np.where(first[..., None], n + before, n + after)
            inward = np.where(inner[..., None], n, inward)
            far = np.linalg.norm(near - d, axis=-1)
            closer = far < best
            best = np.where(closer, far, best)
            side = np.where(closer, np.sum(inward * d, axis=-1), side)
        angle = 2 * np.arcsin(np.minimum(0.5 * best, 1.0))
        return np.where(side >= 0, -angle, angle)


def _apart(corner: Array) -> list[int]:
    """Return which corners are left when those that a model would take for one are left out."""
    kept = [0]
    for k in range(1, len(corner)):
        if (np.linalg.norm(corner[[kept[-1], 0]] - corner[k], axis=1) > _SAME).all():
            kept.append(k)
    return kept


def twist_at_rest(twist: tuple[float, float] | TwistTable) -> tuple[float, float]:
    """Return the lower and upper twist at rest.

    Raises
    ------
    ModelError
        When they are not two numbers.
    """
    pair = twist.rest if isinstance(twist, TwistTable) else twist
    try:
        low, high = reals(pair, "twist", (2,), finite=False).tolist()
    except (TypeError, ValueError):
        raise ModelError(f"a range of twist is 2 numbers, got {pair!r}") from None
    return low, high
