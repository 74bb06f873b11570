"""Limits of a figure narrowed by clinical motions: hinges, and the rooms of balls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.model._freeze import second_axis
from handik.spec import Cone, JointSpec, MimicSpec, ModelSpec
from handik.spec.limits import ReachCone, TwistTable, swing_direction
from handik.spec.parts import room_of

__all__ = ["Change", "Direction", "cut_off", "hold", "narrow"]

Array = NDArray[np.float64]
Inside = Callable[[Array], NDArray[np.bool_]]

#: The least range a ball keeps, for a room of no width is none; rays on which corners are put.
_LEAST, _RAYS = 0.02, 48
#: What an arc may be outside before it is cut in two (0.1 degrees), how often that is done, and how
#: often its ends are drawn in by half of it, or to half their difference.
_SLACK, _HALVES, _DRAWN = 1.75e-3, 6, 40
#: How far beside a corner a ray looks, radians; what a corner may stand off its neighbors' arc.
_BESIDE, _STRAIGHT = 1e-7, 1e-6


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
        vectors at right angles in the joint's frame. Of a twist `toward` is None; `hang` then says
        that the zero is carried along as the bone swings straight from there.
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
    ways = (np.asarray(one, float) @ axes for one in (way.hang, way.toward))
    hang, toward = (tuple(one.tolist()) for one in ways)
    corners = tuple((float(a), float(b)) for a, b in polygon.corners)
    before, limit, left = _left_of(corners, hang, toward, most, share)
    if limit < before:
        joint.cone = ReachCone([list(row) for row in left], polygon.twist)
    return before, min(before, limit)


@lru_cache(maxsize=128)
def _left_of(
    corners: tuple[tuple[float, float], ...],
    hang: tuple[float, ...],
    toward: tuple[float, ...],
    most: float | None,
    share: float,
) -> tuple[float, float, list[list[float]]]:
    """Range of a room in a motion, what it becomes, and the corners of what is left.

    Everyone's shoulder has the same few rooms: they are narrowed once.
    """
    room = _Room(ReachCone(corners), np.array(hang), np.array(toward))
    before = room.range_at(0.0)
    limit = max(before * share if most is None else min(most, before), _LEAST)
    return before, limit, room.cut(limit) if limit < before else []


class _Room:
    """A polygon and a motion in it, in the room's axes: z is the bone at rest."""

    def __init__(self, polygon: ReachCone, hang: Array, toward: Array) -> None:
        self.hang, self.toward = hang, toward
        self.across = np.cross(hang, toward)
        self.corners = polygon.directions()
        self.edges = np.cross(self.corners, np.roll(self.corners, -1, axis=0))
        known = np.stack([np.array([0.0, 0.0, 1.0]), hang, self.way(np.array(0.2), np.array(0.0))])
        left = np.flatnonzero(polygon.distance(known) < 0)
        if not len(left):
            raise ArgumentError("the room of a ball holds neither its rest nor the hanging bone")
        self.known = known[int(left[0])]
        self.across_arcs = np.cross(self.corners, self.known)  # corner . (known x direction)

    def holds(self, directions: Array) -> NDArray[np.bool_]:
        """Tell which directions are in the polygon: from one that is, by the edges crossed.

        The arc from p to d crosses the edge from a to b where p and d lie on both sides of the
        edge's plane and a and b on both sides of the arc's, in opposite order.
        """
        flat = directions.reshape(-1, 3)
        of_p, of_d = self.edges @ self.known, flat @ self.edges.T
        of_a = flat @ self.across_arcs.T
        of_b = np.roll(of_a, -1, axis=1)
        down = (of_p > 0) & (of_d < 0) & (of_a < 0) & (of_b > 0)
        up = (of_p < 0) & (of_d > 0) & (of_a > 0) & (of_b < 0)
        even = (down | up).sum(axis=1) % 2 == 0
        return np.asarray(even.reshape(directions.shape[:-1]))

    def lift(self, directions: Array) -> tuple[Array, Array]:
        """How far directions are from the hanging bone, and at which azimuth from the motion."""
        angle = np.arccos(np.clip(directions @ self.hang, -1.0, 1.0))
        return angle, np.arctan2(directions @ self.across, directions @ self.toward)

    def way(self, angle: Array, azimuth: Array | float) -> Array:
        """Directions so far from the hanging bone at an azimuth."""
        side = np.cos(azimuth)[..., None] * self.toward + np.sin(azimuth)[..., None] * self.across
        return np.asarray(np.cos(angle)[..., None] * self.hang + np.sin(angle)[..., None] * side)

    def range_at(self, azimuth: float) -> float:
        """Largest angle from the hanging bone that the room has at an azimuth."""
        angle = np.linspace(0.0, pi, 181)
        inside = self.holds(self.way(angle, np.full(181, azimuth)))
        return float(np.max(angle[inside], initial=0.0))

    def cut(self, limit: float) -> list[list[float]]:
        """Corners of the room that the limit leaves.

        The limit is an ellipse by quadrant about the hanging bone: itself in the plane of the
        motion, and what the room has across it. The corners lie on rays from the bone at rest, or
        from between it and the hanging one where the limit excludes it.
        """
        wide = [max(self.range_at(sign * pi / 2), limit) for sign in (1, -1)]

        def inside(directions: Array) -> NDArray[np.bool_]:
            angle, azimuth = self.lift(directions)
            most = np.where(azimuth >= 0, *wide)
            along = np.cos(azimuth)
            edge = 1 / np.hypot(along / limit, np.sin(azimuth) / most)
            kept = (along <= 0) | (angle <= edge)
            return np.asarray(kept & self.holds(directions))

        center = self._center(inside)
        x = np.cross([0.0, 1.0, 0.0] if abs(center[1]) < 0.9 else [1.0, 0.0, 0.0], center)
        x /= np.linalg.norm(x)
        axes = np.stack([x, np.cross(center, x), center])
        # Between two rays the edge is one great circle only if no corner of the room lies there.
        corners = np.arctan2(self.corners @ axes[1], self.corners @ axes[0])
        even = np.arange(_RAYS) * (2 * pi / _RAYS)
        phi = np.sort(np.concatenate([even, corners % (2 * pi)]))
        phi = phi[np.diff(phi, append=phi[0] + 2 * pi) > 4 * _BESIDE]
        # Behind a corner the edge may jump: what counts is the nearest of before, at and after.
        near = (np.abs(np.sin((phi[:, None] - corners) / 2)) < 4 * _BESIDE).any(axis=1)
        reach = self._first_out(inside, axes, phi)
        for beside in (-_BESIDE, _BESIDE):
            more = self._first_out(inside, axes, phi[near] + beside)
            reach[near] = np.minimum(reach[near], more)
        points = self._tighten(inside, axes, phi, reach)
        points = points[_turning(points)]
        swing = np.arccos(np.clip(points[:, 2], -1.0, 1.0))
        rows = np.stack([np.arctan2(points[:, 1], points[:, 0]), swing], axis=1)
        return [[float(a), float(b)] for a, b in rows]

    def _tighten(self, inside: Inside, axes: Array, phi: Array, reach: Array) -> Array:
        """Corners on rays, and on as many more as keep every edge in what is left.

        An arc between two corners cuts off what bends inward. Where it is more than _SLACK outside
        a ray between is added; at last its ends are drawn in until none of it is outside.
        """
        for _ in range(_HALVES):
            points = _on_rays(axes, phi, reach)
            along = _along(points)
            nearer = along + _SLACK * (axes[2] - along * (along @ axes[2])[..., None])
            nearer /= np.linalg.norm(nearer, axis=-1, keepdims=True)
            out = np.flatnonzero(~(inside(along) | inside(nearer)).all(axis=1))
            if not len(out):
                break
            more = phi[out] + 0.5 * ((np.roll(phi, -1)[out] - phi[out]) % (2 * pi))
            order = np.argsort(np.concatenate([phi, more]) % (2 * pi))
            reach = np.concatenate([reach, self._first_out(inside, axes, more)])[order]
            phi = (np.concatenate([phi, more]) % (2 * pi))[order]
        for turn in range(_DRAWN):
            points = _on_rays(axes, phi, reach)
            bad = np.flatnonzero(~inside(_along(points)).all(axis=1))
            if not len(bad):
                break
            # an arc that runs along the rays is kept inside by the nearer of its ends alone, but
            # most are a little outside: what the ends are drawn in by grows with the turns
            ends = np.stack([bad, (bad + 1) % len(phi)])
            most = np.minimum(reach[ends] - reach[ends].min(axis=0), _SLACK * 2.0**turn)
            by = 0.5 * np.maximum(most, _SLACK)
            np.subtract.at(reach, ends, by)
        return points

    def _first_out(self, inside: Inside, axes: Array, phi: Array) -> Array:
        """Return how far rays from a center go before they leave what is left, radians."""
        ray = np.cos(phi)[:, None] * axes[0] + np.sin(phi)[:, None] * axes[1]

        def at(t: Array) -> Array:
            return np.asarray(np.cos(t)[..., None] * axes[2] + np.sin(t)[..., None] * ray[:, None])

        t = np.broadcast_to(np.linspace(0.0, pi, 61), (len(phi), 61))
        out = ~inside(at(t))
        first = np.where(out.any(axis=1), out.argmax(axis=1), 60)
        low, high = t[0][first - 1], t[0][first]
        for _ in range(32):
            middle = (low + high) / 2
            held = inside(at(middle[:, None]))[:, 0]
            low, high = np.where(held, middle, low), np.where(held, high, middle)
        return np.array(low)

    def _center(self, inside: Inside) -> Array:
        """Return the bone at rest, or what is left nearest to it on the way to the hanging one."""
        rest = np.array([0.0, 0.0, 1.0])
        angle, azimuth = self.lift(rest)
        ways = self.way(float(angle) * np.linspace(1.0, 0.0, 41), np.full(41, float(azimuth)))
        left = np.flatnonzero(inside(ways))
        if not len(left):
            raise ArgumentError("the room of a ball has nothing near the hanging bone to be left")
        first = int(left[0])
        # a fifth of the way on, to stand inside and not on the edge
        return np.asarray(ways[first if first == 0 else first + (int(left[-1]) - first) // 5])


def _on_rays(axes: Array, phi: Array, reach: Array) -> Array:
    """Directions on rays from the third axis, at azimuths from the first."""
    side = np.cos(phi)[:, None] * axes[0] + np.sin(phi)[:, None] * axes[1]
    return np.asarray(np.cos(reach)[:, None] * axes[2] + np.sin(reach)[:, None] * side)


def _along(points: Array) -> Array:
    """Directions along the arc from each corner to the next, shape (n, 63, 3)."""
    t = np.linspace(0.0, 1.0, 65)[1:-1, None]
    way = (1 - t) * points[:, None] + t * np.roll(points, -1, axis=0)[:, None]
    return np.asarray(way / np.linalg.norm(way, axis=-1, keepdims=True))


def _turning(points: Array) -> NDArray[np.bool_]:
    """Tell which corners of a polygon turn, and do not lie on the arc between their neighbors.

    Of corners in a row that lie on one arc the outer two stay, since each that is taken out is
    asked with the neighbors that are left.
    """
    left = list(range(len(points)))
    at = 0
    while len(left) > 3 and at < len(left):
        before, here, after = (points[left[(at + k) % len(left)]] for k in (-1, 0, 1))
        normal = np.cross(before, after)
        if abs(here @ normal) < _STRAIGHT * np.linalg.norm(normal) and before @ after > 0:
            del left[at]
        else:
            at += 1
    return np.isin(np.arange(len(points)), left)


def _polygon(cone: Cone | ReachCone) -> ReachCone:
    """Return a room as a polygon."""
    cone = room_of(cone)
    if isinstance(cone, Cone):
        half = np.broadcast_to(np.asarray(cone.half, float), 4)
        phi = np.arange(72) * (2 * pi / 72)
        quadrant = np.arange(72) // 18
        along, across = half[[0, 2, 2, 0]][quadrant], half[[1, 1, 3, 3]][quadrant]
        # the edge is an ellipse in (u, v): its point at the azimuth phi
        swing = 1 / np.hypot(np.cos(phi) / along, np.sin(phi) / across)
        return ReachCone(np.stack([phi, np.minimum(swing, pi - 1e-3)], axis=1).tolist(), cone.twist)
    return cone


def _narrow_twist(
    joint: JointSpec, way: Direction, most: float | None, share: float
) -> tuple[float, float]:
    cone = joint.cone
    assert cone is not None
    twist, up = cone.twist, way.sense > 0
    ends = twist.rest if isinstance(twist, TwistTable) else twist
    before = float(ends[1] - way.zero if up else way.zero - ends[0])
    limit = before * share if most is None else min(most, before)

    def cut(low: float, high: float, zero: float = way.zero) -> tuple[float, float]:
        if up:
            return low, max(low, min(high, zero + limit))
        return min(high, max(low, zero - limit)), high

    if isinstance(twist, TwistTable):
        zeros = _twist_zeros(_axes(joint), way, twist)
        rows = [
            (row[0], *cut(row[1], row[2], zero))
            for row, zero in zip(twist.rows, zeros, strict=True)
        ]
        new: Any = TwistTable(cut(*twist.rest), rows, twist.full)
    else:
        new = cut(*twist)
    joint.cone = replace(cone, twist=new)
    return before, limit


def _twist_zeros(axes: Array, way: Direction, table: TwistTable) -> list[float]:
    """Twist of the anatomical zero in each row of a table, the bone swung straight from hanging.

    A swing to the hanging bone and on to the row's direction is not the swing there: they differ by
    a twist, the angle of the triangle that the three directions span on the sphere.
    """
    if way.hang is None:
        return [way.zero] * len(table.rows)
    rest, hang = np.array([0.0, 0.0, 1.0]), np.asarray(way.hang, float) @ axes
    found = []
    for azimuth, *_ in table.rows:
        uv = table.full * np.array([np.cos(azimuth), np.sin(azimuth)])
        there = swing_direction(uv)
        turn = _swing(rest, there).T @ _swing(hang, there) @ _swing(rest, hang)
        extra = np.arctan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1])
        found.append(float(np.arctan2(np.sin(way.zero + extra), np.cos(way.zero + extra))))
    return found


def _swing(start: Array, end: Array) -> Array:
    """Return the smallest rotation that takes a unit vector to another, not opposite one."""
    x, y, z = np.cross(start, end)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + cross + cross @ cross / (1.0 + start @ end))


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
            other.kind, other.lower, other.upper = "fixed", None, None
    frames = [frame.name for frame in spec.frames if frame.link in gone]
    spec.links = [link for link in spec.links if link.name not in gone]
    spec.joints = [other for other in spec.joints if other.child not in gone]
    spec.frames = [frame for frame in spec.frames if frame.link not in gone]
    if spec.tip in gone or spec.tip in frames:
        spec.tip = None
    return [*sorted(gone), *frames]
