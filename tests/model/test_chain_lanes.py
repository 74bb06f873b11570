"""Poses and Jacobians of a batch are worked out in lanes: the same bytes as one at a time."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.spec import FrameSpec, JointSpec, LinkSpec, MimicSpec, ModelSpec


def arm() -> hk.Model:
    rng = np.random.default_rng(3)
    table = rng.normal(size=(9, 4)) * [1.0, 0.3, 0.3, 1.5]
    kinds = "RPRRRPRRR"
    return hk.Model.from_dh(table, kinds=kinds, tool=hk.chain([0.3]).fk([0.4]))


def tree() -> hk.Model:
    """Branches on branches of hinges, slides and balls, a hinge that follows, frames on root and links."""
    rng = np.random.default_rng(5)
    parents = ["base", "l0", "l1", "l0", "l3", "base", "l5", "l1"]
    spec = ModelSpec("tree", [LinkSpec("base")])
    for k, parent in enumerate(parents):
        place = hk.Model.from_dh(rng.normal(size=(1, 4))).fk([0.3])
        kind = ("revolute", "prismatic", "ball")[k % 3]
        spec.links.append(LinkSpec(f"l{k}"))
        spec.joints.append(JointSpec(f"j{k}", kind, parent, f"l{k}", place))
        if k % 2:
            spec.frames.append(FrameSpec(f"f{k}", parent, place))
    spec.joints[6].mimic = MimicSpec("j0", -0.5, 0.1)
    return hk.Model(spec)


FIGURES = {
    "arm": arm,
    "balls": lambda: hk.chain([0.3, 0.2, 0.4, 0.1, 0.2], "ball"),
    "planar": lambda: hk.chain([0.3, 0.2, 0.4]),
    "tree": tree,
    "longest": lambda: hk.chain([0.1] * 64),
    "too long": lambda: hk.chain([0.1] * 70),
}


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("n", [2, 8, 13])
def test_batch_gives_the_bytes_of_one(isa: str, name: str, n: int) -> None:
    model = FIGURES[name]()
    q = model.sample(n, seed=n)
    tip = model.tip or model.frame_names[-1]
    pose, jacobian, frames = model.fk(q, frame=tip), model.jacobian(q, frame=tip), model.frames(q)
    assert pose.tobytes() == np.array([model.fk(x, frame=tip) for x in q]).tobytes()
    assert frames.tobytes() == np.array([model.frames(x) for x in q]).tobytes()
    assert jacobian.tobytes() == np.array([model.jacobian(x, frame=tip) for x in q]).tobytes()


def test_one_lane_gone_astray_leaves_the_others_alone(isa: str) -> None:
    model = arm()
    q = model.sample(8, seed=0)
    q[3, 0], q[5, 2] = np.nan, 1e12
    pose = model.fk(q)
    assert np.isnan(pose[3, :3, :3]).any()
    for i in (0, 1, 2, 4, 5, 6, 7):
        assert pose[i].tobytes() == model.fk(q[i]).tobytes()


def test_inner_frames_and_a_frame_of_the_world(isa: str) -> None:
    model = arm()
    q = model.sample(5, seed=1)
    for frame in model.frame_names:
        pose, jacobian = model.fk(q, frame=frame), model.jacobian(q, frame=frame)
        for i in range(5):
            assert pose[i].tobytes() == model.fk(q[i], frame=frame).tobytes()
            assert jacobian[i].tobytes() == model.jacobian(q[i], frame=frame).tobytes()


def test_more_than_the_caches_hold(isa: str) -> None:
    model = arm()
    q = model.sample(45_001, seed=2)
    for call, row in ((model.frames, (len(model.frame_names), 4, 4)), (model.jacobian, (6, 9))):
        room = np.zeros(len(q) * int(np.prod(row)) + 3)
        out = room[1:-2].reshape(-1, *row)
        call(q, out=out)
        assert out.tobytes() == call(q).tobytes()
        assert room[0] == room[-1] == room[-2] == 0.0
