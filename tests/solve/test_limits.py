"""Limits of random figures, judged by matrices in Python alone: none exceeded by 1e-9."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.read import FrameSpec, JointSpec, LinkSpec, ModelSpec

SOLVERS = ("fabrik", "fabrik_fast", "hybrid")
#: Figures of the default run and of the slow one, and the targets of each.
FEW, MANY, TARGETS = 60, 5000, 20


def random_axes(rng):
    bone, side = rng.normal(size=(2, 3))
    side -= bone * (bone @ side) / (bone @ bone)
    return {"axis": tuple(bone), "axis2": tuple(side)}


def random_joint(rng, name, parent):
    place = np.eye(4)
    place[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    place[:3, 0] *= np.linalg.det(place[:3, :3])
    place[:3, 3] = rng.normal(size=3) * rng.choice([0.0, 0.2, 0.3])
    kind = str(rng.choice(["revolute", "revolute", "ball", "ball", "prismatic"]))
    axes = random_axes(rng)
    if kind == "ball":
        half = tuple(np.exp(rng.uniform(np.log(0.02), np.log(3.1), 4)))
        low, high = -rng.uniform(0, 3), rng.uniform(0, 3)
        return JointSpec(name, kind, parent, name, place, **axes, cone=hk.Cone(half, (low, high)))
    size = 3.0 if kind == "revolute" else 0.3
    low, high = np.sort(rng.uniform(-size, size, 2))
    return JointSpec(name, kind, parent, name, place, axis=axes["axis"], lower=low, upper=high)


def random_figure(seed):
    """Tree of 3 to 8 joints of all kinds with narrow, wide and lopsided limits; two ends."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 9))
    names = ["base"] + [f"l{i}" for i in range(count)]
    joints = [
        random_joint(rng, names[i + 1], names[int(rng.integers(max(0, i - 1), i + 1))])
        for i in range(count)
    ]
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


def beyond_cone(q, joint):
    """Radians beyond cone or twist, from the joint as it was described."""
    z = np.array(joint.axis) / np.linalg.norm(joint.axis)
    x = np.array(joint.axis2) / np.linalg.norm(joint.axis2)
    axes = np.stack([x, np.cross(z, x), z], axis=1)
    r = axes.T @ rotation(q) @ axes
    flat = np.hypot(r[0, 2], r[1, 2])
    angle = np.arctan2(flat, r[2, 2])
    u, v = angle * r[:2, 2] / max(flat, 1e-300)
    half = joint.cone.half
    a, b = half[0] if u >= 0 else half[2], half[1] if v >= 0 else half[3]
    size = np.hypot(u / a, v / b)
    out = angle * (1 - 1 / size) if size > 1 else 0.0
    k = np.array([[0, 0, u], [0, 0, v], [-u, -v, 0]]) / max(angle, 1e-300)
    back = (np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k).T @ r
    twist = np.arctan2(back[1, 0] - back[0, 1], back[0, 0] + back[1, 1])
    if angle < np.pi - 1e-6:  # at a half turn the twist has no meaning
        out = max(out, joint.cone.twist[0] - twist, twist - joint.cone.twist[1])
    return out


def worst(model, q):
    """Greatest breach of any limit in rows of q."""
    most, at = 0.0, 0
    named = {joint.name: joint for joint in model.spec.joints}
    for joint in (named[name] for name in model.joint_names):
        if joint.kind == "ball":
            most = max(most, *(beyond_cone(row, joint) for row in q[:, at : at + 4]))
            at += 4
        else:
            most = max(most, np.max(joint.lower - q[:, at]), np.max(q[:, at] - joint.upper))
            at += 1
    assert at == q.shape[1]
    return most


def check(figures):
    most = 0.0
    for seed in figures:
        model = random_figure(seed)
        goals = [hk.Position(frame="a"), hk.Position(frame="b"), hk.Pose(frame="a")]
        terms = [goals[:1], goals[:2], goals[2:]][seed % 3]
        problem = hk.Problem(model, terms)
        targets = np.random.default_rng(seed).normal(size=(TARGETS, problem.width))
        targets[: TARGETS // 2] *= 0.3
        solver = hk.Solver(SOLVERS[seed // 3 % 3], max_iter=30)
        result = solver(problem, targets, q0=model.sample(TARGETS, seed=seed))
        breach = worst(model, result.q)
        assert breach <= 1e-9, f"figure {seed}, {solver}: {breach}"
        most = max(most, breach)
    return most


def test_the_judge_sees_a_breach():
    model = random_figure(3)
    q = model.sample(50, seed=1)
    assert worst(model, q) <= 1e-9
    rng = np.random.default_rng(1)
    assert worst(model, q + 0.3 * rng.normal(size=q.shape)) > 1e-3


def test_no_limit_is_exceeded():
    check(range(FEW))


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_no_limit_is_exceeded_on_100_000():
    check(range(FEW, FEW + MANY))
