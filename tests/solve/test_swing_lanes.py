"""Joints that follow a swing, and balls in polygons, are worked on in lanes: one answer, whatever the width."""

from __future__ import annotations

import numpy as np
import pytest
from solver_figures import place

import handik as hk
from handik import Cone, _core
from handik.spec import TwistTable
from handik.spec.limits import ReachCone

CORNERS = ((-2.6, 0.9), (-0.7, 1.3), (0.2, 1.2), (1.0, 0.5), (1.7, 1.4), (2.6, 1.1))
TABLE = TwistTable((-1.0, 1.0), ((-2.5, -1.2, 0.6), (-0.5, -0.4, 1.2), (1.2, -0.9, 0.3)), 1.0)
ROOMS = {
    "free": None,
    "cone": Cone(1.4, (-1.2, 1.2)),
    "polygon": ReachCone(tuple(CORNERS), (-1.0, 1.0)),
    "table": ReachCone(tuple(CORNERS), TABLE),
}


def shoulder(room: str) -> hk.Model:
    """A clavicle that turns and slides with the arm, the arm, a blade beside it that ends in a frame."""
    rng = np.random.default_rng(4)

    def swing() -> hk.SwingMimicSpec:
        return hk.SwingMimicSpec("shoulder", 0.1 * rng.normal(size=20))

    rows = [
        ("spine", "revolute", "hip", "chest", (0, 0, 0.3), (0, 1, 0), 0.6, None),
        ("lean", "revolute", "chest", "breast", (0, 0, 0.1), (1, 0, 0), 0.4, None),
        ("clavicle", "revolute", "breast", "bar", (0, 0.05, 0.2), (0, 0, 1), None, swing()),
        ("rise", "prismatic", "bar", "acromion", (0, 0.1, 0), (0, 0.6, 0.8), None, swing()),
        ("shoulder", "ball", "acromion", "arm", (0, 0.03, 0), (0.1, 0, -1), None, None),
        ("elbow", "revolute", "arm", "forearm", (0, 0, -0.3), (0, 1, 0), 2.0, None),
        ("carry", "revolute", "forearm", "hand", (0, 0, -0.2), (1, 0, 0), None, swing()),
        ("blade", "revolute", "bar", "scapula", (0, 0.02, -0.1), (1, 0, 0), None, swing()),
    ]
    joints = [
        hk.JointSpec(n, k, a, b, place(*at), axis, None, wide and -wide, wide, mimic)
        for n, k, a, b, at, axis, wide, mimic in rows
    ]
    joints[4].cone = ROOMS[room]
    links = [hk.LinkSpec("hip"), *(hk.LinkSpec(j.child) for j in joints)]
    frames = [
        hk.FrameSpec("grip", "hand", place(0, 0, -0.2)),
        hk.FrameSpec("tip", "scapula", place(0, 0, -0.1)),
    ]
    return hk.Model(hk.ModelSpec(f"shoulder, {room}", links, joints, frames))


TERMS = {
    "grip": [hk.Position("grip")],
    "blade alone": [hk.Axis("tip", axis=(0, 0, 1))],
    "grip and blade": [hk.Position("grip"), hk.Axis("tip", axis=(0.3, 0, 1))],
    "hand": [hk.Pose("grip")],
    "look": [hk.Position("tip"), hk.LookAt("grip", axis=(0, 0, -1))],
    "apart": [hk.Position("grip"), hk.Distance("grip", other="tip", min=0.3, max=0.5)],
}


def task(room: str, terms: str, n: int) -> tuple[hk.Problem, np.ndarray]:
    """Return targets that a posture inside the limits meets."""
    model = shoulder(room)
    problem = hk.Problem(model, TERMS[terms])
    q = model.sample(20 * n, seed=7)
    far = np.linalg.norm((model.fk(q, frame="grip") - model.fk(q, frame="tip"))[:, :3, 3], axis=1)
    rows = []
    for posture in q[(far > 0.3) & (far < 0.5)][:n]:  # as "apart" wants it
        parts = []
        for term in problem.terms:
            at = model.fk(posture, frame=term.frame)
            if isinstance(term, hk.Pose):
                parts.append(np.asarray(_core.pose_columns(at)))
            elif isinstance(term, hk.Axis):
                parts.append(at[:3, :3] @ np.array(term.axis) / np.linalg.norm(term.axis))
            elif isinstance(term, hk.LookAt):
                parts.append(at[:3, 3] + 0.7 * (at[:3, :3] @ np.array(term.axis)))
            elif isinstance(term, hk.Position):
                parts.append(at[:3, 3])
        rows.append(np.concatenate(parts))
    return problem, np.array(rows)


def same(a: hk.Result, b: hk.Result) -> bool:
    names = ("q", "outcome", "error", "iterations", "n_restarts")
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in names)


@pytest.mark.parametrize("terms", TERMS)
@pytest.mark.parametrize("room", ROOMS)
def test_met_inside_the_limits_with_the_same_bytes(isa: str, room: str, terms: str) -> None:
    problem, targets = task(room, terms, 40)
    model = problem.model
    found = hk.Solver()(problem, targets)
    assert set(found.method) == {4}  # the lanes of a tree
    assert found.converged.mean() >= 0.97
    assert np.abs(model.difference(model.clip(found.q), found.q)).max() < 1e-9
    met = problem.evaluate(targets, found.q)[0]
    np.testing.assert_array_equal(met, found.converged)
    assert same(found, hk.Solver(threads=3)(problem, targets))
    for k in (0, 11, 39):
        alone = hk.Solver()(problem, targets[k])
        assert alone.q.tobytes() == found.q[k].tobytes()
        assert alone.iterations == found.iterations[k]
    _core.simd_select("base")
    assert same(found, hk.Solver()(problem, targets))


@pytest.mark.parametrize("room", ["free", "table"])
@pytest.mark.parametrize("n", [2, 8, 13])
def test_poses_and_jacobians_of_a_batch_are_those_of_one(isa: str, room: str, n: int) -> None:
    model = shoulder(room)
    q = model.sample(n, seed=n)
    for frame in ("grip", "tip", "acromion"):
        pose, jacobian = model.fk(q, frame=frame), model.jacobian(q, frame=frame)
        assert pose.tobytes() == np.array([model.fk(x, frame=frame) for x in q]).tobytes()
        one = np.array([model.jacobian(x, frame=frame) for x in q])
        assert jacobian.tobytes() == one.tobytes()
    frames = np.array([model.frames(x) for x in q])
    assert model.frames(q).tobytes() == frames.tobytes()


def test_a_person_s_poses_are_worked_out_in_lanes(isa: str) -> None:
    model = hk.human(detail="spine+hand").model
    q = model.sample(9, seed=1)
    assert model.frames(q).tobytes() == np.array([model.frames(x) for x in q]).tobytes()
    jacobian = model.jacobian(q, frame="index_tip_left")
    one = np.array([model.jacobian(x, frame="index_tip_left") for x in q])
    assert jacobian.tobytes() == one.tobytes()
