"""Limits of random figures, judged by matrices in Python alone: none exceeded by 1e-9."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.files.read import FrameSpec, JointSpec, LinkSpec, MimicSpec, ModelSpec

SOLVERS = ("fabrik", "fabrik_fast", "hybrid", "ccd", "ccd_fast")
#: Figures of the default run and of the slow one, and the targets of each.
FEW, MANY, TARGETS = 75, 5000, 20
KINDS = ("revolute", "revolute", "ball", "ball", "ball", "prismatic", "universal", "cylindrical")


def random_axes(rng):
    bone, side = rng.normal(size=(2, 3))
    side -= bone * (bone @ side) / (bone @ bone)
    return {"axis": tuple(bone), "axis2": tuple(side)}


def random_room(rng):
    """A cone of four half-axes or a polygon about the bone, its twist fixed or by the swing."""
    low, high = -rng.uniform(0, 3), rng.uniform(0, 3)
    twist = (low, high)
    if rng.random() < 0.3:
        azimuths = np.sort(rng.uniform(-np.pi, np.pi, 4))
        rows = [(x, low * rng.uniform(), high * rng.uniform()) for x in azimuths]
        twist = hk.TwistTable(twist, rows, rng.uniform(0.3, 2.0))
    if rng.random() < 0.6:
        return hk.Cone(tuple(np.exp(rng.uniform(np.log(0.02), np.log(3.1), 4))), twist)
    count = int(rng.integers(4, 9))
    azimuths = (np.arange(count) + rng.uniform(0, 0.6, count)) * 2 * np.pi / count - np.pi
    return hk.ReachCone([(x, rng.uniform(0.2, 1.3)) for x in azimuths], twist)


def follow(rng, other):
    """What makes a joint follow another of its kind, in limits that narrow the other's."""
    scale, offset = rng.choice([-1, 1]) * rng.uniform(0.3, 1.5), rng.uniform(-0.2, 0.2)
    middle, half = (other.lower + other.upper) / 2, (other.upper - other.lower) / 2
    middle, half = scale * middle + offset, abs(scale) * half * rng.uniform(0.5, 1.2)
    mimic = MimicSpec(other.name, scale, offset)
    return {"lower": middle - half, "upper": middle + half, "mimic": mimic}


def random_joint(rng, name, parent, before):
    place = np.eye(4)
    place[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    place[:3, 0] *= np.linalg.det(place[:3, :3])
    place[:3, 3] = rng.normal(size=3) * rng.choice([0.0, 0.2, 0.3])
    kind = str(rng.choice(KINDS))
    axes = random_axes(rng)
    if kind == "ball":
        return JointSpec(name, kind, parent, name, place, **axes, cone=random_room(rng))
    leaders = [j for j in before if j.kind == kind and j.mimic is None and np.ndim(j.lower) == 0]
    if leaders and kind in ("revolute", "prismatic") and rng.random() < 0.4:
        more = follow(rng, leaders[int(rng.integers(len(leaders)))])
        return JointSpec(name, kind, parent, name, place, axis=axes["axis"], **more)
    size = {
        "revolute": [3.0],
        "prismatic": [0.3],
        "universal": [3.0] * 2,
        "cylindrical": [0.3, 3.0],
    }
    low, high = np.sort(rng.uniform(-1, 1, (2, len(size[kind]))) * size[kind], axis=0)
    if len(size[kind]) == 1:
        low, high = low[0], high[0]
    more = {"axis2": axes["axis2"]} if kind == "universal" else {}
    return JointSpec(
        name, kind, parent, name, place, axis=axes["axis"], lower=low, upper=high, **more
    )


def random_figure(seed):
    """Tree of 3 to 8 joints of all kinds with narrow, wide and lopsided limits; two ends."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 9))
    names = ["base"] + [f"l{i}" for i in range(count)]
    joints = []
    for i in range(count):
        parent = names[int(rng.integers(max(0, i - 1), i + 1))]
        joints.append(random_joint(rng, names[i + 1], parent, joints))
    place = np.eye(4)
    place[:3, 3] = rng.normal(size=3) * 0.2
    marks = [FrameSpec("a", names[-1], place), FrameSpec("b", names[-2], place)]
    return hk.Model(ModelSpec("any", [LinkSpec(n) for n in names], joints, marks, tip="a"))


def rotation(q):
    w, x, y, z = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def cross(a, b):
    """As np.cross, which takes ten times as long for a pair."""
    (x, y, z), (u, v, w) = a, b
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


def angle_between(a, b):
    return np.arctan2(np.linalg.norm(cross(a, b)), a @ b)


def beyond_half_axes(uv, half):
    a, b = half[0] if uv[0] >= 0 else half[2], half[1] if uv[1] >= 0 else half[3]
    size = np.hypot(uv[0] / a, uv[1] / b)
    return np.hypot(*uv) * (1 - 1 / size) if size > 1 else 0.0


def beyond_polygon(bone, corners):
    """Of a polygon that is a star about z: the edge met at the bone's azimuth says the side."""
    azimuth, swing = np.array(corners).T
    d = np.stack(
        [np.sin(swing) * np.cos(azimuth), np.sin(swing) * np.sin(azimuth), np.cos(swing)], 1
    )
    k = int(np.searchsorted(azimuth, np.arctan2(bone[1], bone[0]))) - 1
    if cross(d[k], d[(k + 1) % len(d)]) @ bone >= 0:
        return 0.0
    far = []
    for a, b in zip(d, np.roll(d, -1, axis=0), strict=True):
        n = cross(a, b) / np.linalg.norm(cross(a, b))
        p = bone - (bone @ n) * n
        on_arc = cross(a, p) @ n > 0 and cross(p, b) @ n > 0
        far.append(
            angle_between(bone, p) if on_arc else min(angle_between(bone, c) for c in (a, b))
        )
    return min(far)


def twist_limits(twist, uv):
    """Of a table as docs/limits.md says, row by row."""
    if not isinstance(twist, hk.TwistTable):
        return twist
    rows = sorted(twist.rows)
    azimuth = np.arctan2(uv[1], uv[0])
    a = max((r for r in rows if r[0] <= azimuth), default=rows[-1])
    b = rows[(rows.index(a) + 1) % len(rows)]
    t = (azimuth - a[0]) % (2 * np.pi) / ((b[0] - a[0]) % (2 * np.pi))
    s = min(np.hypot(*uv) / twist.full, 1.0)
    t, s = (3 * x**2 - 2 * x**3 for x in (t, s))
    table = [(1 - t) * a[k] + t * b[k] for k in (1, 2)]
    return [(1 - s) * rest + s * there for rest, there in zip(twist.rest, table, strict=True)]


def beyond_room(q, joint):
    """Radians beyond swing or twist, from the joint as it was described."""
    z = np.array(joint.axis) / np.linalg.norm(joint.axis)
    x = np.array(joint.axis2) / np.linalg.norm(joint.axis2)
    axes = np.stack([x, cross(z, x), z], axis=1)
    r = axes.T @ rotation(q) @ axes
    flat = np.hypot(r[0, 2], r[1, 2])
    angle = np.arctan2(flat, r[2, 2])
    u, v = angle * r[:2, 2] / max(flat, 1e-300)
    if isinstance(joint.cone, hk.ReachCone):
        out = beyond_polygon(r[:, 2], joint.cone.corners)
    else:
        out = beyond_half_axes((u, v), joint.cone.half)
    k = np.array([[0, 0, u], [0, 0, v], [-u, -v, 0]]) / max(angle, 1e-300)
    back = (np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k).T @ r
    twist = np.arctan2(back[1, 0] - back[0, 1], back[0, 0] + back[1, 1])
    low, high = twist_limits(joint.cone.twist, (u, v))
    if angle < np.pi - 1e-6:  # at a half turn the twist has no meaning
        out = max(out, low - twist, twist - high)
    return out


def worst(model, q):
    """Greatest breach of any limit in rows of q, also of joints that have no place in it."""
    most, at, column = 0.0, 0, {}
    named = {joint.name: joint for joint in model.spec.joints}
    for joint in (named[name] for name in model.joint_names if named[name].mimic is None):
        if joint.kind == "ball":
            most = max(most, *(beyond_room(row, joint) for row in q[:, at : at + 4]))
            at += 4
            continue
        wide = np.size(joint.lower)
        column[joint.name] = own = q[:, at : at + wide]
        most = max(most, np.max(joint.lower - own), np.max(own - joint.upper))
        at += wide
    assert at == q.shape[1]
    for joint in (j for j in model.spec.joints if j.mimic is not None):
        value = joint.mimic.scale * column[joint.mimic.joint] + joint.mimic.offset
        most = max(most, np.max(joint.lower - value), np.max(value - joint.upper))
    return most


def terms_of(seed):
    """Points, poses, a look with a distance, or a loop of both ends."""
    return [
        [hk.Position(frame="a")],
        [hk.Position(frame="a"), hk.Position(frame="b")],
        [hk.Pose(frame="a")],
        [hk.LookAt(frame="a"), hk.Distance("b", other=None, distance=0.3)],
        [hk.Loop("a", other="b", joint=("ball", "revolute", "weld")[seed % 3])],
    ][seed % 5]


def check(figures):
    most = 0.0
    for seed in figures:
        model = random_figure(seed)
        problem = hk.Problem(model, terms_of(seed))
        targets = np.random.default_rng(seed).normal(size=(TARGETS, problem.width))
        targets[: TARGETS // 2] *= 0.3
        solver = hk.Solver(SOLVERS[seed // 5 % 5], max_iter=30)
        result = solver(problem, targets, q0=model.sample(TARGETS, seed=seed))
        breach = worst(model, result.q)
        assert breach <= 1e-9, f"figure {seed}, {solver}: {breach}"
        most = max(most, breach)
    return most


def test_the_figures_have_rooms_of_all_kinds():
    joints = [j for seed in range(FEW) for j in random_figure(seed).spec.joints]
    rooms = [j.cone for j in joints if j.kind == "ball"]
    assert sum(isinstance(room, hk.ReachCone) for room in rooms) > 20
    assert sum(isinstance(room.twist, hk.TwistTable) for room in rooms) > 20
    assert sum(j.mimic is not None for j in joints) > 20
    assert {j.kind for j in joints} == set(KINDS)


def test_the_judge_sees_a_breach():
    rng = np.random.default_rng(1)
    for seed in range(12):
        model = random_figure(seed)
        q = model.sample(20, seed=1)
        assert worst(model, q) <= 1e-9
        assert worst(model, q + 0.3 * rng.normal(size=q.shape)) > 1e-3


def test_no_limit_is_exceeded():
    check(range(FEW))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_no_limit_is_exceeded_on_100_000():
    check(range(FEW, FEW + MANY))
