"""Limits of a figure narrowed by clinical motions: hinges, and the rooms of balls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.model._freeze import second_axis
from handik.spec import Cone, JointSpec, MimicSpec, ModelSpec
from handik.spec.limits import ReachCone, TwistTable

__all__ = ["Change", "Direction", "cut_off", "hold", "narrow"]

Array = NDArray[np.float64]

#: Longest edge of a polygon before its corners are drawn in; half the width of the sector in which
#: a motion's range is read off; the least range a ball keeps, for a room of no width is none.
_EDGE, _NEAR, _LEAST = pi / 36, pi / 18, 0.02


@dataclass(frozen=True)
class Direction:
    """What a clinical motion is in a model: one sense of one joint.

    Attributes
    ----------
    joint : str
    sense : {1, -1}
        Of a hinge, the sign of its coordinate in this motion; of a ball without `toward`, that of
        its twist about the bone.
    hang, toward : tuple of 3 floats or None
        Of a ball: where the bone points at the anatomical zero, and where the motion takes it, unit
        vectors at right angles in the joint's frame.
    zero : float
        Of a ball's twist: its value at the anatomical zero, radians.
    """

    joint: str
    sense: int = 1
    hang: tuple[float, float, float] | None = None
    toward: tuple[float, float, float] | None = None
    zero: float = 0.0


@dataclass(frozen=True)
class Change:
    """One limit that a profile changed.

    Attributes
    ----------
    motion : str
        With its side: ``"elbow flexion right"``.
    joint : str
    before, after : float
        Range in that direction from the anatomical zero, radians; of a ball the largest there.
    trust, source : str
        Of the number: see `handik.people.impairments.Row`.
    """

    motion: str
    joint: str
    before: float
    after: float
    trust: str
    source: str


def _end(joint: JointSpec, sense: int) -> float:
    """Range of a joint of one coordinate in a direction."""
    lower, upper = joint.limits()
    if len(lower) != 1:
        raise ArgumentError(
            f"joint {joint.name!r} has {len(lower)} coordinates: name a hinge or a ball"
        )
    return upper[0] if sense > 0 else -lower[0]


def narrow(
    joints: Mapping[str, JointSpec], group: Sequence[Direction], most: float | None, share: float
) -> list[tuple[str, float, float]]:
    """Narrow the joints that make a motion together; return each with its range before and after.

    The motion's range becomes `most`, or its healthy range times `share` where `most` is None; of
    several joints each keeps its part of it.
    """
    first = group[0]
    if joints[first.joint].kind == "ball":
        if len(group) != 1:
            raise ArgumentError(
                f"the motion of the ball {first.joint!r} cannot be shared by joints"
            )
        return [(first.joint, *_narrow_ball(joints[first.joint], first, most, share))]
    gains = [_gain(joints, one.joint) for one in group]
    healthy = [
        gain * _end(joints[one.joint], one.sense) for one, gain in zip(group, gains, strict=True)
    ]
    total = sum(healthy)
    if most is None and total == inf:
        raise ArgumentError(f"joint {first.joint!r} has no limit: a share of it is none")
    wanted = min(total, total * share if most is None else most)
    found = []
    for one, range_, gain in zip(group, healthy, gains, strict=True):
        part = 1 / len(group) if total in (0.0, inf) else range_ / total
        after = wanted if len(group) == 1 else max(wanted, 0.0) * part
        after = min(after, range_)
        _set_end(joints[one.joint], one.sense, after / gain)
        found.append((one.joint, range_, after))
    return found


def _gain(joints: Mapping[str, JointSpec], name: str) -> float:
    """How far a joint and those that follow it turn together, for 1 of its coordinate."""
    own = (one.mimic for one in joints.values() if type(one.mimic) is MimicSpec)
    return 1.0 + sum(abs(mimic.scale) for mimic in own if mimic.joint == name)


def _set_end(joint: JointSpec, sense: int, range_: float) -> None:
    (lower,), (upper,) = joint.limits()
    lower, upper = (lower, range_) if sense > 0 else (-range_ + 0.0, upper)
    if lower > upper:
        raise ArgumentError(
            f"nothing is left of joint {joint.name!r}: limits would be {lower:g} to {upper:g} rad"
        )
    joint.lower, joint.upper = lower, upper


# -- balls -----------------------------------------------------------------------------------


def _axes(joint: JointSpec) -> Array:
    """Axes of the room as columns, in the joint's frame: `axis2`, `axis` x `axis2`, `axis`."""
    z = np.asarray(joint.axis, float)
    z = z / np.linalg.norm(z)
    x = np.asarray(joint.axis2 or second_axis(joint, limited=True), float)
    x = x - z * (x @ z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def _narrow_ball(
    joint: JointSpec, way: Direction, most: float | None, share: float
) -> tuple[float, float]:
    if joint.cone is None:
        raise ArgumentError(f"the ball {joint.name!r} has no cone to be narrowed")
    if way.toward is None:
        return _narrow_twist(joint, way, most, share)
    polygon = _polygon(joint.cone)
    axes = _axes(joint)
    hang = np.asarray(way.hang, float) @ axes
    toward = np.asarray(way.toward, float) @ axes
    directions = polygon.directions()
    lift = np.arccos(np.clip(directions @ hang, -1.0, 1.0))
    along, across = directions @ toward, directions @ np.cross(hang, toward)
    azimuth = np.arctan2(across, along)
    before = float(np.max(lift * (np.abs(azimuth) < _NEAR), initial=0.0))
    limit = max(before * share if most is None else min(most, before), _LEAST)
    # an ellipse by quadrant about the hanging bone: the limit in the plane of the motion, and what
    # the room has now across it
    after = lift.copy()
    for sign in (1.0, -1.0):
        here = (np.cos(azimuth) > 0) & (sign * azimuth >= 0)
        wide = np.max(lift * (np.abs(azimuth - sign * pi / 2) < _NEAR), initial=limit)
        edge = 1 / np.hypot(np.cos(azimuth) / limit, np.sin(azimuth) / wide)
        after = np.where(here, np.minimum(lift, edge), after)
    side = directions - np.cos(lift)[:, None] * hang
    long = np.linalg.norm(side, axis=1)
    side /= np.where(long > 1e-12, long, 1.0)[:, None]
    moved = np.cos(after)[:, None] * hang + np.sin(after)[:, None] * side
    moved = np.where((long > 1e-12)[:, None], moved, directions)
    corners = np.stack(
        [np.arctan2(moved[:, 1], moved[:, 0]), np.arccos(np.clip(moved[:, 2], -1, 1))], axis=1
    )
    keep = np.linalg.norm(moved - np.roll(moved, 1, axis=0), axis=1) > 1e-6
    joint.cone = ReachCone(corners[keep].tolist(), polygon.twist)
    return before, min(before, limit)


def _polygon(cone: Cone | ReachCone) -> ReachCone:
    """Return a room as a polygon of short edges."""
    if isinstance(cone, Cone):
        half = np.broadcast_to(np.asarray(cone.half, float), 4)
        phi = np.arange(72) * (2 * pi / 72)
        quadrant = np.arange(72) // 18
        along, across = half[[0, 2, 2, 0]][quadrant], half[[1, 1, 3, 3]][quadrant]
        # the edge is an ellipse in (u, v): its point at the azimuth phi
        swing = 1 / np.hypot(np.cos(phi) / along, np.sin(phi) / across)
        return ReachCone(np.stack([phi, np.minimum(swing, pi - 1e-3)], axis=1).tolist(), cone.twist)
    ends = cone.directions()
    rows: list[Array] = []
    for a, b in zip(ends, np.roll(ends, -1, axis=0), strict=True):
        angle = float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))
        count = max(1, int(np.ceil(angle / _EDGE)))
        t = np.arange(count)[:, None] / count
        rows.append((np.sin((1 - t) * angle) * a + np.sin(t * angle) * b) / np.sin(angle))
    all_ = np.concatenate(rows)
    corners = np.stack(
        [np.arctan2(all_[:, 1], all_[:, 0]), np.arccos(np.clip(all_[:, 2], -1.0, 1.0))], axis=1
    )
    return ReachCone(corners.tolist(), cone.twist)


def _narrow_twist(
    joint: JointSpec, way: Direction, most: float | None, share: float
) -> tuple[float, float]:
    cone = joint.cone
    assert cone is not None
    twist, up = cone.twist, way.sense > 0
    ends = twist.rest if isinstance(twist, TwistTable) else twist
    before = float(ends[1] - way.zero if up else way.zero - ends[0])
    limit = before * share if most is None else min(most, before)

    def cut(low: float, high: float) -> tuple[float, float]:
        if up:
            return low, max(low, min(high, way.zero + limit))
        return min(high, max(low, way.zero - limit)), high

    if isinstance(twist, TwistTable):
        rows = [(row[0], *cut(row[1], row[2])) for row in twist.rows]
        new: Any = TwistTable(cut(*twist.rest), rows, twist.full)
    else:
        new = cut(*twist)
    joint.cone = Cone(cone.half, new) if isinstance(cone, Cone) else ReachCone(cone.corners, new)
    return before, limit


# -- joints that are stiff, and limbs that are not there -----------------------------------------


def hold(
    joint: JointSpec, way: Direction, angle: float, severity: float
) -> tuple[float, float, float, float]:
    """Draw a hinge's limits in on an angle; return both before and both after."""
    at = way.sense * angle
    (lower,), (upper,) = joint.limits()
    if not lower <= at <= upper:
        raise ArgumentError(
            f"joint {joint.name!r} cannot be fixed at {at:g} rad, outside {lower:g} to {upper:g}"
        )
    if severity == 1.0:
        joint.lower = joint.upper = at
        return lower, upper, at, at
    low = lower + severity * (at - lower) if lower > -inf else lower
    high = upper + severity * (at - upper) if upper < inf else upper
    joint.lower, joint.upper = low, high
    return lower, upper, low, high


def cut_off(spec: ModelSpec, joint: JointSpec) -> list[str]:
    """Take away what hangs below a joint, and the joint; return the links and frames that went."""
    gone = {joint.child}
    for other in spec.ordered_joints():
        if other.parent in gone:
            gone.add(other.child)
    names = {other.name for other in spec.joints if other.child in gone}
    held = [o for o in spec.joints if o.mimic is not None and o.mimic.joint in names]
    for other in held:
        if other.child not in gone:  # what followed the limb stays where it is at rest
            other.mimic = None
            other.lower = other.upper = 0.0
    frames = [frame.name for frame in spec.frames if frame.link in gone]
    spec.links = [link for link in spec.links if link.name not in gone]
    spec.joints = [other for other in spec.joints if other.child not in gone]
    spec.frames = [frame for frame in spec.frames if frame.link not in gone]
    if spec.tip in gone or spec.tip in frames:
        spec.tip = None
    return [*sorted(gone), *frames]
