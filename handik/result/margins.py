"""Margins: how far a pose is inside each limit of a model.

Limits are those of turns and slides, and of balls the swing cones and polygons and the ranges of
twist, which may depend on the swing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees, nan, pi
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.spec import Cone
from handik.spec._given import is_model, reals
from handik.spec.limits import ReachCone, TwistTable, swing_direction
from handik.spec.parts import room_of

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["TOUCH", "Limit", "limits", "margins", "standing"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


Array = NDArray[np.float64]

#: A pose this near to a limit stands on it, radians or meters.
TOUCH = 1e-6


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit of one joint.

    Attributes
    ----------
    joint : str
        Its name, with the number of the coordinate where the joint has several: ``"hip[1]"``.
    kind : str
        ``"lower"``, ``"upper"``, ``"cone"``, ``"polygon"``, ``"lower twist"`` or ``"upper twist"``.
    angle : bool
        Radians; else meters.
    at : float
        Where it is; of a cone its largest half-axis, of a polygon the largest swing of its corners.
        NaN for a twist whose range depends on the swing.
    coordinate : int
        Which of q it bounds; of a ball the first of its four.
    """

    joint: str
    kind: str
    angle: bool
    at: float
    coordinate: int

    def __str__(self) -> str:
        return f"{self.joint} {self.kind}"

    def amount(self, value: float) -> str:
        """Write a value for people: degrees, or millimeters.

        Parameters
        ----------
        value : float
            Radians or meters.

        Returns
        -------
        str
            With its unit.
        """
        return f"{degrees(value):.1f} deg" if self.angle else f"{1e3 * value:.1f} mm"


def limits(model: Model) -> tuple[Limit, ...]:
    """Return the limits of a model; joints that are held still have none.

    Parameters
    ----------
    model : Model

    Returns
    -------
    tuple of Limit
        Lower before upper in the order of q, then the cones with their twists.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.result.margins import limits
    >>> len(limits(hk.chain([1.0, 1.0], lower=-2.0, upper=2.0)))
    4
    """
    is_model(model)
    found: list[Limit] = []
    for at, joint, angle in _turns_and_slides(model):
        low, high = float(model.lower[at]), float(model.upper[at])
        if low == high:
            continue
        found += [
            Limit(joint, kind, angle, end, at)
            for kind, end in (("lower", low), ("upper", high))
            if np.isfinite(end)
        ]
    for joint, at, row, room in _rooms(model):
        if isinstance(room, Cone):
            found.append(Limit(joint, "cone", True, float(row[9:13].max()), at))
        else:
            far = float(np.max(np.asarray(room.corners, float)[:, 1]))
            found.append(Limit(joint, "polygon", True, far, at))
        if isinstance(room.twist, TwistTable):
            found += [Limit(joint, f"{end} twist", True, nan, at) for end in ("lower", "upper")]
        else:
            found += [Limit(joint, kind, True, end, at) for kind, end in _twists(row)]
    return tuple(found)


def margins(model: Model, q: ArrayLike) -> Array:
    """How far poses are inside each limit.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., nq)

    Returns
    -------
    ndarray, shape (..., len(limits(model)))
        Radians or meters; negative outside. Of a cone along the swing's own direction: the angle
        to its edge; of a pose without swing the smallest half-axis. Of a polygon the angle to the
        nearest point of its edge.

    Raises
    ------
    ArgumentError
        When q has another shape.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.result.margins import margins
    >>> margins(hk.chain([1.0], lower=-2.0, upper=2.0), [0.5])
    array([2.5, 1.5])
    """
    is_model(model)
    q = reals(q, "q", (model.nq,), finite=False)
    columns: list[Array] = []
    for at, _, _ in _turns_and_slides(model):
        low, high = model.lower[at], model.upper[at]
        if low == high:
            continue
        if np.isfinite(low):
            columns.append(q[..., at] - low)
        if np.isfinite(high):
            columns.append(high - q[..., at])
    for _, at, row, room in _rooms(model):
        u, v, twist = _split(row, q[..., at : at + 4])
        uv = np.stack([u, v], axis=-1)
        if isinstance(room, Cone):
            columns.append(_inside_cone(row[9:13], u, v))
        else:
            columns.append(_inside_polygon(room, uv))
        if isinstance(room.twist, TwistTable):
            low, high = room.twist.at(uv)
            columns += [twist - low, high - twist]
            continue
        for kind, end in _twists(row):
            columns.append(twist - end if kind == "lower twist" else end - twist)
    return np.stack(columns, axis=-1) if columns else np.zeros((*q.shape[:-1], 0))


def standing(inside: Array) -> NDArray[np.bool_]:
    """Return which limits a pose stands on, given its margins; False for NaN.

    Parameters
    ----------
    inside : ndarray, shape (...)
        What `margins` gave, radians or meters.

    Returns
    -------
    ndarray of bool, shape (...)
        True on the limit or outside.

    Examples
    --------
    >>> import numpy as np
    >>> standing(np.array([0.0, 0.5]))
    array([ True, False])
    """
    on: NDArray[np.bool_] = inside <= TOUCH
    return on


# -- where the limits are -----------------------------------------------------------------------


def _turns_and_slides(model: Model) -> list[tuple[int, str, bool]]:
    """Return coordinate of q, its name, and whether it is an angle, in the order of q."""
    names: dict[int, str] = {}
    for joint, span in model.joint_q_slices.items():
        single = span.stop - span.start == 1
        for at in range(span.start, span.stop):
            names[at] = joint if single else f"{joint}[{at - span.start}]"
    own = {
        int(at): kind == 0
        for at, kind, line in zip(model.step_q, model.step_kind, model.step_line, strict=True)
        if kind != 2 and tuple(line) == (1.0, 0.0)
    }
    return [(at, names[at], own[at]) for at in sorted(own) if at in names]


def _rooms(model: Model) -> list[tuple[str, int, Array, Cone | ReachCone]]:
    """Return the limited balls: joint, first coordinate, row of `Model.swing`, room."""
    found = []
    limits, held = model.ball_limits, model.locked_joints
    rooms = {name: room_of(cone) for name, cone in limits.items()}
    for step, row in enumerate(model.step_swing):
        joint = model.joint_names[model.step_joint[step]]
        if row < 0 or joint in held or joint not in rooms:
            continue
        found.append((joint, int(model.step_q[step]), model.swing[row], rooms[joint]))
    return found


def _twists(row: Array) -> list[tuple[str, float]]:
    """Return the ends of the range of twist; a whole turn has none."""
    low, high = float(row[13]), float(row[14])
    if high - low >= 2 * pi - 1e-9 or low == high:
        return []
    return [("lower twist", low), ("upper twist", high)]


# -- cones --------------------------------------------------------------------------------------


def _split(row: Array, q: Array) -> tuple[Array, Array, Array]:
    """Swing (u, v) and twist of quaternions; see the head of csrc/model/swing.h."""
    w = q[..., 0]
    sign = np.where(w < 0, -1.0, 1.0)
    w = w * sign
    x, y, z = np.moveaxis((q[..., 1:] * sign[..., None]) @ row[:9].reshape(3, 3), -1, 0)
    whole = np.hypot(w, z)
    turned = whole > 1e-12
    c = np.where(turned, w / np.where(turned, whole, 1.0), 1.0)
    s = np.where(turned, z / np.where(turned, whole, 1.0), 0.0)
    a, b = x * c - y * s, y * c + x * s
    half = np.hypot(a, b)
    some = half > 1e-8
    k = np.where(some, 2 * np.arctan2(half, whole) / np.where(some, half, 1.0), 2.0)
    return k * b, -k * a, 2 * np.arctan2(s, c)


def _inside_polygon(room: ReachCone, uv: Array) -> Array:
    """Angle to the nearest point of the edge; NaN for a pose that is none."""
    inside = np.full(uv.shape[:-1], np.nan)
    known = np.isfinite(uv).all(axis=-1)
    inside[known] = -room.distance(swing_direction(uv[known]))
    return inside


def _inside_cone(half: Array, u: Any, v: Any) -> Array:
    """Angle from (u, v) to the edge along its own ray."""
    a = np.maximum(np.where(u >= 0, half[0], half[2]), 1e-9)
    b = np.maximum(np.where(v >= 0, half[1], half[3]), 1e-9)
    share, angle = np.hypot(u / a, v / b), np.hypot(u, v)
    still = angle < 1e-12
    edge: Array = np.where(still, half.min(), angle / np.where(still, 1.0, share) - angle)
    return edge
