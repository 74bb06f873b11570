"""What a pose is, is said once: a rotation to 1e-6 above 0 0 0 1, for every call that takes one."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.closed.mechanism import Cut, Mechanism
from handik.closed.parallel import StewartPlatform
from handik.spec import FrameSpec, JointSpec, LinkSpec, ModelSpec, transforms

ARM = hk.Model.from_dh([[0, 0.1, 0.2, 1.5], [0, 0, 0.4, 0], [0, 0, 0.3, 0.7]] * 2)
HERE = ARM.fk([0.3, -0.5, 0.7, 0.9, -0.4, 0.2])
HEXAPOD = StewartPlatform.hexagon(1.0, 0.6, 0.2, 0.25)


def crank() -> Mechanism:
    joints = [JointSpec(str(k), "revolute", a, b) for k, (a, b) in enumerate(["ab", "bc", "cd"])]
    for joint in joints[1:]:
        joint.placement[0, 3] = 0.5
    pin = np.eye(4)
    pin[0, 3] = 0.4
    ends = [FrameSpec("pin", "a", pin), FrameSpec("top", "d", pin)]
    model = hk.Model(ModelSpec("crank", [LinkSpec(x) for x in "abcd"], joints, ends))
    return Mechanism(model, [Cut("pin", "top")], ["0"])


CALLS = {
    "solve": lambda T: ARM.solve(pose=T),
    "solve again": lambda T: [ARM.solve(pose=HERE), ARM.solve(pose=HERE), ARM.solve(pose=T)],
    "solve batch": lambda T: ARM.solve(pose=np.stack([HERE, T])),
    "targets": lambda T: hk.Problem(ARM, [hk.Pose()]).targets(T),
    "solutions": lambda T: ARM.solutions(T),
    "solutions again": lambda T: [ARM.solutions(HERE), ARM.solutions(T)],
    "solutions batch": lambda T: ARM.solutions(np.stack([HERE, T])),
    "frames": lambda T: transforms.inverse(T),
    "with_tool": lambda T: ARM.with_tool(T),
    "with_base": lambda T: ARM.with_base(T),
    "parallel": lambda T: HEXAPOD.ik(T),
}


def off(by: float) -> np.ndarray:
    """A pose whose rotation's columns are longer by half of it."""
    out = HERE.copy()
    out[:3, :3] *= 1 + by / 2
    return out


@pytest.mark.parametrize("name", CALLS)
def test_a_rotation_is_one_to_a_millionth(name) -> None:
    call = CALLS[name]
    call(off(0.9e-6))
    call(HERE.astype(np.float32).astype(float) if "frames" not in name else HERE)
    for bad in (1.1e-6, -1.1e-6, 9e-4, 1e-2):
        with pytest.raises(hk.HandikError, match=r"not a r.*off .*by"):
            call(off(bad))


@pytest.mark.parametrize("name", CALLS)
def test_the_last_row_counts(name) -> None:
    for row in ([0, 0, 0, 6], [0, 0, 1e-3, 1], [0, 0, 0, 0]):
        bad = HERE.copy()
        bad[3] = row
        with pytest.raises(hk.HandikError, match=r"last row|rigid motion"):
            CALLS[name](bad)


@pytest.mark.parametrize("name", CALLS)
def test_a_reflection_is_no_rotation(name) -> None:
    bad = HERE.copy()
    bad[:3, 2] *= -1
    with pytest.raises(hk.HandikError, match="reflection"):
        CALLS[name](bad)


@pytest.mark.parametrize("task", ["pose", "position"])
def test_a_mechanism_asks_the_same(task) -> None:
    mechanism = crank()
    with pytest.raises(hk.ArgumentError, match="not a rotation"):
        mechanism.ik(off(1e-3), np.zeros(3), frame="c", task=task)


def test_the_sentence_says_how_far_and_what_to_do() -> None:
    with pytest.raises(hk.ArgumentError, match=r"item 1 .* by 0\.0011?, .*svd"):
        ARM.solutions(np.stack([HERE, off(1.1e-3)]))
    bent = off(1.1e-3)
    u, _, vt = np.linalg.svd(bent[:3, :3])
    bent[:3, :3] = u @ vt
    assert ARM.solutions(bent).count > 0


def test_a_pose_that_is_no_number_is_data() -> None:
    lost = HERE.copy()
    lost[0, 3] = np.nan
    assert ARM.solutions(lost).count == 0
    assert ARM.solve(pose=np.stack([HERE, lost])).outcome[1] == hk.Outcome.INVALID


def test_targets_take_every_form_of_a_pose() -> None:
    problem = hk.Problem(ARM, [hk.Pose(), hk.Position("link_1"), hk.Orientation()])
    poses = np.stack([HERE, HERE @ HERE])
    turns, points = transforms.quaternion(poses), poses[:, :3, 3]
    row = np.concatenate([points, turns], -1)
    want = np.concatenate([row, points, turns], -1)
    for whole in (poses, row, row.tolist(), (points, turns), (points, poses[:, :3, :3])):
        for turn in (turns, poses[:, :3, :3]):
            found = problem.targets(whole, points, turn)
            assert np.abs(found - want).max() < 1e-12
    with pytest.raises(hk.ArgumentError, match="shape"):
        problem.targets(poses[:, :3], points, turns)
    with pytest.raises(hk.ArgumentError, match="of poses"):
        problem.targets(poses, points, poses)
    with pytest.raises(hk.ArgumentError):
        problem.targets(poses, poses, turns)
