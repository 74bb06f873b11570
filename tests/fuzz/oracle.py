"""What a pose is worth, told by NumPy from the documents: forward kinematics, limits, terms.

The fuzzer's own judge. It reads the spec of the figure and the terms of the problem, never the core,
and works on all rows of a batch at once; `docs/limits.md` and `docs/terms.md` have the formulas.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import handik as hk
from handik.spec import JointSpec, ReachCone, SwingMimicSpec, TwistTable

Array = np.ndarray
MOST_SWING = np.pi - 1e-5  # every room ends this short of the direction opposite to rest


def unit(x: Any) -> Array:
    x = np.asarray(x, float)
    with np.errstate(all="ignore"):
        x = x / np.max(np.abs(x), axis=-1, keepdims=True)
        return x / np.linalg.norm(x, axis=-1, keepdims=True)


def norm(x: Array) -> Array:
    """The length of vectors, also of very long and very short ones."""
    big = np.max(np.abs(x), axis=-1, keepdims=True)
    with np.errstate(all="ignore"):
        return np.where(
            big[..., 0] > 0, big[..., 0] * np.linalg.norm(x / big, axis=-1), big[..., 0]
        )


def turn(axis: Any, angle: Array) -> Array:
    """Rotation matrices (N, 3, 3) about one axis, by Rodrigues."""
    x, y, z = unit(axis)
    angle = np.where(np.abs(angle) < 1e300, angle, np.nan)  # as base/trig.h has it
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + s * k + (1 - c) * (k @ k)


def of_quaternion(q: Array) -> Array:
    w, x, y, z = np.moveaxis(unit(q), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def angle_of(r: Array) -> Array:
    """The angle of rotation matrices, to a rounding everywhere."""
    skew = np.stack(
        [r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]], -1
    )
    sine = np.linalg.norm(skew, axis=-1) / 2
    cosine = (np.trace(r, axis1=-2, axis2=-1) - 1) / 2
    return np.arctan2(sine, cosine)


class Figure:
    """Forward kinematics and limits of a model, from its spec."""

    def __init__(self, model: hk.Model) -> None:
        self.model, self.spec = model, model.spec
        self.joints = self.spec.ordered_joints()
        self.slices = model.joint_q_slices
        self.by_name = {joint.name: joint for joint in self.joints}
        self.root = self.spec.root

    def value(self, joint: JointSpec, q: Array) -> Array:
        """Coordinates (N, nq of the joint); of one that follows another, by its line."""
        if joint.mimic is None:
            return q[:, self.slices[joint.name]]
        if isinstance(joint.mimic, SwingMimicSpec):
            ball = self.by_name[joint.mimic.joint]
            way = of_quaternion(q[:, self.slices[ball.name]]) @ unit(ball.axis)
            return self.swing(joint.mimic, way)[:, None]
        other = self.value(self.by_name[joint.mimic.joint], q)
        return joint.mimic.scale * other + joint.mimic.offset

    @staticmethod
    def swing(mimic: SwingMimicSpec, way: Array) -> Array:
        """A polynomial of directions (N, 3), term by term in the order that its class gives."""
        terms = [np.ones(len(way))]
        terms += [way[:, i] for i in range(3)]
        terms += [way[:, i] * way[:, j] for i in range(3) for j in range(i, 3)]
        terms += [
            way[:, i] * way[:, j] * way[:, k]
            for i in range(3)
            for j in range(i, 3)
            for k in range(j, 3)
        ]
        return sum(c * x for c, x in zip(mimic.coefficients, terms, strict=False))

    def motion(self, joint: JointSpec, q: Array) -> tuple[Array, Array]:
        """Rotation (N, 3, 3) and translation (N, 3) of a joint."""
        n, kind, axis = len(q), joint.kind, joint.axis
        still, here = np.broadcast_to(np.eye(3), (n, 3, 3)), np.zeros((n, 3))
        if kind == "fixed":
            return still, here
        x = self.value(joint, q)
        if kind == "revolute":
            return turn(axis, x[:, 0]), here
        if kind == "prismatic":
            return still, x[:, :1] * unit(axis)
        if kind == "cylindrical":
            return turn(axis, x[:, 0]), x[:, 1:] * unit(axis)
        if kind == "universal":
            return turn(axis, x[:, 0]) @ turn(joint.axis2, x[:, 1]), here
        if kind == "planar":
            a = unit(joint.axis2)
            return turn(axis, x[:, 2]), x[:, :1] * a + x[:, 1:2] * np.cross(unit(axis), a)
        if kind == "ball":
            return of_quaternion(x), here
        return of_quaternion(x[:, 3:]), x[:, :3]

    def frames(self, q: Array) -> dict[str, tuple[Array, Array]]:
        """Pose (rotation, place) of every link and frame for each row; what is too large is NaN or inf."""
        n = len(q)
        poses = {self.root: (np.broadcast_to(np.eye(3), (n, 3, 3)), np.zeros((n, 3)))}
        with np.errstate(all="ignore"):
            for joint in self.joints:
                r, t = poses[joint.parent]
                at = np.asarray(joint.placement, float)
                moved, by = self.motion(joint, q)
                t = t + r @ at[:3, 3] + np.einsum("nij,nj->ni", r @ at[:3, :3], by)
                poses[joint.child] = r @ at[:3, :3] @ moved, t
            for frame in self.spec.frames:
                r, t = poses[frame.link]
                at = np.asarray(frame.placement, float)
                poses[frame.name] = r @ at[:3, :3], t + r @ at[:3, 3]
        return poses

    def centre(self, poses: dict[str, tuple[Array, Array]]) -> Array:
        """Centre of mass of what moves: links that hang on the world by fixed joints do not count."""
        world = {self.root}
        for joint in self.joints:
            if joint.kind == "fixed" and joint.parent in world:
                world.add(joint.child)
        total, moment = 0.0, np.zeros((len(poses[self.root][1]), 3))
        for link in self.spec.links:
            if link.inertial is None or link.name in world:
                continue
            r, t = poses[link.name]
            total += link.inertial.mass
            moment = moment + link.inertial.mass * (t + r @ np.asarray(link.inertial.center, float))
        return moment / total

    def beyond(self, q: Array) -> Array:
        """By how much each row breaks its worst limit, radians or metres; 0 inside, NaN for NaN."""
        worst = np.zeros(len(q))
        for joint in self.joints:
            if joint.mimic is not None or joint.kind == "fixed":
                continue
            x = q[:, self.slices[joint.name]]
            low, high = map(np.asarray, joint.limits())
            for k in range(x.shape[1]):
                worst = np.maximum(worst, np.maximum(low[k] - x[:, k], x[:, k] - high[k]))
            if joint.kind in ("ball", "free"):
                quaternion = x[:, -4:]
                worst = np.maximum(worst, np.abs(np.linalg.norm(quaternion, axis=1) - 1))
                if joint.hold is not None:
                    apart = of_quaternion(np.array(joint.hold)).T @ of_quaternion(quaternion)
                    worst = np.maximum(worst, angle_of(apart))
                elif joint.cone is not None:
                    worst = np.maximum(worst, beyond_room(joint, quaternion))
        return np.where(np.isnan(q).any(1), np.nan, worst)


# -- rooms of balls -----------------------------------------------------------------------------


def swing_twist(joint: JointSpec, quaternion: Array) -> tuple[Array, Array]:
    """(u, v) of the swing and the twist, R = S(u, v) Rz(twist) in the room's axes."""
    z, x = unit(joint.axis), unit(joint.axis2)
    axes = np.stack([x, np.cross(z, x), z], axis=1)
    r = axes.T @ of_quaternion(quaternion) @ axes
    bone = r[:, :, 2]
    flat = np.hypot(bone[:, 0], bone[:, 1])
    angle = np.arctan2(flat, bone[:, 2])
    with np.errstate(all="ignore"):
        way = np.where(flat[:, None] > 0, bone[:, :2] / flat[:, None], [1.0, 0.0])
    # S turns about (-way_y, way_x, 0); what is left is the twist
    w, d = quaternion[:, 0], quaternion[:, 1:] @ axes
    return angle[:, None] * way, 2 * np.arctan2(np.where(w < 0, -d[:, 2], d[:, 2]), np.abs(w))


def twist_limits(twist: Any, uv: Array) -> tuple[Array, Array]:
    if not isinstance(twist, TwistTable):
        return np.full(len(uv), twist[0]), np.full(len(uv), twist[1])

    def s(t: Array) -> Array:
        t = np.clip(t, 0, 1)
        return 3 * t**2 - 2 * t**3

    rows = np.asarray(twist.rows, float)
    ring = np.concatenate([rows[-1:] - [2 * np.pi, 0, 0], rows, rows[:1] + [2 * np.pi, 0, 0]])
    azimuth = np.arctan2(uv[:, 1], uv[:, 0])
    after = np.clip(np.searchsorted(ring[:, 0], azimuth, side="right"), 1, len(ring) - 1)
    a, b = ring[after - 1], ring[after]
    t = s((azimuth - a[:, 0]) / (b[:, 0] - a[:, 0]))[:, None]
    table = (1 - t) * a[:, 1:] + t * b[:, 1:]
    out = s(np.hypot(uv[:, 0], uv[:, 1]) / twist.full)[:, None]
    both = (1 - out) * np.asarray(twist.rest, float) + out * table
    return both[:, 0], both[:, 1]


def beyond_cone(half: Array, uv: Array) -> Array:
    """Beyond a cone of quadrants: along the ray, or straight out where that is nearer."""
    half = np.maximum(np.broadcast_to(np.asarray(half, float), 4), 1e-9)
    ab = np.where(uv >= 0, half[:2], half[2:])
    r = np.linalg.norm(uv / ab, axis=1)
    with np.errstate(all="ignore"):
        ray = np.linalg.norm(uv, axis=1) * (1 - 1 / r)
        out = (r - 1) * r / np.linalg.norm(uv / ab**2, axis=1)
    return np.where(r > 1, np.minimum(ray, out), 0.0)


def beyond_polygon(room: ReachCone, uv: Array) -> Array:
    """Beyond a spherical polygon: the way to the nearest edge, unless an even count of edges lies between."""
    azimuth, swing = np.asarray(room.corners, float).T
    corner = np.stack(
        [np.sin(swing) * np.cos(azimuth), np.sin(swing) * np.sin(azimuth), np.cos(swing)], 1
    )
    angle = np.hypot(uv[:, 0], uv[:, 1])
    with np.errstate(all="ignore"):
        k = np.where(angle > 0, np.sin(angle) / angle, 1.0)
    bone = np.stack([k * uv[:, 0], k * uv[:, 1], np.cos(angle)], 1)
    edges = list(zip(corner, np.roll(corner, -1, axis=0), strict=True))
    a, b = edges[0]
    inside = unit(unit(a + b) + 1e-7 * unit(np.cross(a, b)))  # on the left of the first edge
    crossings, nearest = np.zeros(len(uv), int), np.full(len(uv), np.inf)
    across = np.cross(inside, bone)
    for a, b in edges:
        n = unit(np.cross(a, b))
        side_in, side_out = inside @ n, bone @ n
        at_a, at_b = across @ a, across @ b
        meet = np.cross(across, n) * np.where(side_out > side_in, 1, -1)[:, None]
        meet = np.where((np.sum(meet * (a + b), -1) < 0)[:, None], -meet, meet)
        short = np.sum(meet * (inside + bone), -1) > 0
        crossings += (
            (np.sign(side_in) != np.sign(side_out)) & (np.sign(at_a) != np.sign(at_b)) & short
        )
        flat = bone - side_out[:, None] * n
        within = (np.cross(a, flat) @ n > 0) & (np.cross(flat, b) @ n > 0)
        end = np.minimum(*(2 * np.arcsin(np.minimum(norm(bone - c) / 2, 1)) for c in (a, b)))
        nearest = np.minimum(
            nearest, np.where(within, np.arcsin(np.minimum(np.abs(side_out), 1)), end)
        )
    return np.where(crossings % 2 == 0, 0.0, nearest)


def beyond_room(joint: JointSpec, quaternion: Array) -> Array:
    room = joint.cone
    uv, twist = swing_twist(joint, quaternion)
    polygon = isinstance(room, ReachCone)
    out = beyond_polygon(room, uv) if polygon else beyond_cone(room.half, uv)
    angle = np.linalg.norm(uv, axis=1)
    out = np.maximum(out, angle - MOST_SWING)
    low, high = twist_limits(room.twist, uv)
    # the nearer the back, the less a rounding of the quaternion says about the twist
    slack = 1e-15 / np.maximum(np.cos(np.minimum(angle, np.pi) / 2), 1e-9)
    return np.maximum(out, np.maximum(low - twist, twist - high) - slack)


# -- terms --------------------------------------------------------------------------------------


def of_term(
    figure: Figure, term: Any, target: Array, poses: Any, q: Array
) -> tuple[Array, Array, Array]:
    """Distance, angle and squared residual (before its weight) of one term for each row."""
    n = len(q)
    none = np.zeros(n)
    if isinstance(term, hk.Posture | hk.Damping):
        return none, none, none
    if isinstance(term, hk.CenterOfMass):
        c = figure.centre(poses)
        off = (
            c - target
            if term.over is None
            else off_hull(np.asarray(term.over, float), term.margin, c)
        )
        d = norm(off)
        return d, none, d**2
    if isinstance(term, hk.SelfCollision):
        return lacking(term, poses, n)
    r, t = poses[term.frame if term.frame is not None else figure.model.tip]
    if isinstance(term, hk.Distance | hk.Loop):
        return of_pair(term, r, t, poses, n)
    if isinstance(term, hk.Axis | hk.Level | hk.LookAt):
        return of_axis(term, r, t, target)
    if isinstance(term, hk.Position) and parts(term):
        missed = coordinates(term, t, poses) - target
        counts = np.ones(missed.shape[1]) if term.weights is None else np.asarray(term.weights)
        return norm(missed), none, np.sum((counts * missed) ** 2, -1)
    if isinstance(term, hk.Orientation) and (term.weights is not None or len(term.axes) < 3):
        return of_axes(term, r, target)
    what = getattr(term, "what", type(term).__name__.lower())
    distance, angle = none, none
    if what in ("position", "pose"):
        distance = norm(t - target[:, :3])
    if what in ("orientation", "pose"):
        angle = angle_of(r @ np.swapaxes(of_quaternion(target[:, -4:]), -1, -2))
    return distance, angle, distance**2 + angle**2


def parts(term: Any) -> bool:
    """A position along some axes, each with its weight, or by another frame."""
    plain = isinstance(term.axes, str) and term.axes == "xyz" and term.weights is None
    return not plain or term.relative_to is not None


def coordinates(term: Any, t: Array, poses: Any) -> Array:
    """Coordinates (N, k) of points along the axes of a position, in its other frame."""
    axes = (
        np.eye(3)[["xyz".index(letter) for letter in term.axes]]
        if isinstance(term.axes, str)
        else unit(np.asarray(term.axes, float).reshape(-1, 3))
    )
    if term.relative_to is None:
        return t @ axes.T
    other, there = poses[term.relative_to]
    return np.einsum("ki,nji,nj->nk", axes, other, t - there)


def of_axes(term: Any, r: Array, target: Array) -> tuple[Array, Array, Array]:
    """Some axes of a frame along those of a rotation; one alone along a direction."""
    places = ["xyz".index(letter) for letter in term.axes]
    counts = np.ones(len(places)) if term.weights is None else np.asarray(term.weights, float)
    none = np.zeros(len(r))
    if len(places) == 1:
        a, way = r[:, :, places[0]], unit(target)
        return none, between(a, way), counts[0] ** 2 * np.sum((a - way) ** 2, -1)
    want = of_quaternion(target)
    apart = np.sum((r - want)[:, :, places] ** 2, 1)
    angle = angle_of(r @ np.swapaxes(want, -1, -2))
    return none, angle, 0.5 * np.sum(counts**2 * apart, -1)


def between(a: Array, b: Array) -> Array:
    """The angle between unit vectors, to a rounding everywhere."""
    return np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1))


def of_axis(term: Any, r: Array, t: Array, target: Array) -> tuple[Array, Array, Array]:
    a, none = r @ unit(term.axis), np.zeros(len(t))
    if isinstance(term, hk.Level):
        angle = np.abs(between(a, unit(term.direction)) - term.angle)
        return none, angle, angle**2
    if isinstance(term, hk.Axis):
        way = unit(target)
        return none, between(a, way), np.sum((a - way) ** 2, -1)
    way = target - (t + r @ np.asarray(term.eye, float))
    far = norm(way)
    seen = np.where((far > 0)[:, None], unit(np.where((far > 0)[:, None], way, 1.0)), 0.0)
    angle = np.where(far > 0, between(a, seen), np.where(np.isnan(far), np.nan, np.pi))
    return none, angle, np.sum((a - seen) ** 2, -1)


def of_pair(term: Any, r: Array, t: Array, poses: Any, n: int) -> tuple[Array, Array, Array]:
    world = np.broadcast_to(np.eye(3), (n, 3, 3)), np.zeros((n, 3))
    other, there = poses[term.other] if term.other else world
    d = (t + r @ np.asarray(term.point, float)) - (
        there + other @ np.asarray(term.other_point, float)
    )
    apart, none = norm(d), np.zeros(n)
    if isinstance(term, hk.Distance):
        if term.distance is not None:
            least = most = term.distance
        else:
            least = 0.0 if term.min is None else term.min
            most = np.inf if term.max is None else term.max
        gap = np.maximum(0, np.maximum(apart - most, least - apart))
        return gap, none, gap**2
    if term.joint == "ball":
        return apart, none, apart**2
    if term.joint == "weld":
        angle = angle_of(r @ np.swapaxes(other, -1, -2))
        return apart, angle, apart**2 + angle**2
    a, b = r @ unit(term.axis), other @ unit(term.other_axis)
    return apart, between(a, b), apart**2 + np.sum((a - b) ** 2, -1)


def off_hull(points: Array, margin: float, centre: Array) -> Array:
    """The horizontal way from a convex support of a margin, as half-planes; exact off edges and corners."""
    from handik.problem._support import hull, inset  # Andrew's hull, tested by itself

    corner = np.array(inset(hull(points), margin)).reshape(-1, 2)
    p = centre[:, :2]
    best, least, inside = (
        np.zeros_like(p),
        np.full(len(p), np.inf),
        np.full(len(p), len(corner) > 2),
    )
    for k, a in enumerate(corner):
        b = corner[(k + 1) % len(corner)]
        edge = b - a
        t = np.clip(((p - a) @ edge) / max(edge @ edge, 1e-300), 0, 1)
        d = p - (a + t[:, None] * edge)
        far = norm(d)
        nearer = ~(far >= least)
        best, least = np.where(nearer[:, None], d, best), np.where(nearer, far, least)
        inside &= edge[0] * (p - a)[:, 1] - edge[1] * (p - a)[:, 0] >= 0
    return np.where(inside[:, None], 0.0, best)


def lacking(term: Any, poses: Any, n: int) -> tuple[Array, Array, Array]:
    """What the gaps of capsules lack, pair by pair."""
    worst, square = np.zeros(n), np.zeros(n)
    for i, j in term.pairs:
        one, two = term.capsules[i], term.capsules[j]
        ends = []
        for capsule in (one, two):
            r, t = poses[capsule.frame]
            ends += [
                t + r @ np.asarray(capsule.start, float),
                t + r @ np.asarray(capsule.end, float),
            ]
        gap = segments(*ends) - one.radius - two.radius - term.clearance
        lack = np.maximum(0, -gap)
        worst, square = np.maximum(worst, lack), square + lack**2
    return worst, np.zeros(n), square


def segments(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Least distance of segments a-b and c-d: of the four ends to the other, and of the inner points."""

    def to(p: Array, e: Array, f: Array) -> Array:
        way = f - e
        size = np.sum(way * way, -1)
        t = np.clip(np.sum((p - e) * way, -1) / np.where(size > 0, size, 1), 0, 1)
        return norm(p - e - t[:, None] * way)

    least = np.minimum(np.minimum(to(a, c, d), to(b, c, d)), np.minimum(to(c, a, b), to(d, a, b)))
    u, v, w = b - a, d - c, a - c
    uu, uv, vv = np.sum(u * u, -1), np.sum(u * v, -1), np.sum(v * v, -1)
    flat = uu * vv - uv * uv
    with np.errstate(all="ignore"):
        s = (uv * np.sum(v * w, -1) - vv * np.sum(u * w, -1)) / flat
        t = (uu * np.sum(v * w, -1) - uv * np.sum(u * w, -1)) / flat
        between = norm(w + s[:, None] * u - t[:, None] * v)
    crossing = (flat > 1e-14 * uu * vv) & (s > 0) & (s < 1) & (t > 0) & (t < 1)
    return np.where(crossing, np.minimum(least, between), least)
