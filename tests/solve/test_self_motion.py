"""Families of postures: at singular poses, of arms with a joint to spare, and of planar arms."""

from __future__ import annotations

import numpy as np
import pytest
from dh_tables import HALF, IRB120, PUMA, UR5
from numpy import pi

import handik as hk
from handik.closed.arm_angle import end_angle_ranges
from handik.closed.self_motion import self_motion
from handik.spec import FrameSpec, JointSpec, LinkSpec


def test_a_wrist_in_line_turns_all_round() -> None:
    arm = hk.Model.from_dh(PUMA)
    pose = arm.fk([0.3, 0.4, 0.5, 0.6, 0.0, 0.2])
    families = arm.solutions(pose).families()
    assert len(families) == 1  # of the four arms that reach the wrist centre one has it straight
    straight = [f for f in families if f.free.tolist() == [False] * 3 + [True, False, True]]
    assert straight
    for family in straight:
        assert family.closed
        assert family.upper[3] - family.lower[3] == pytest.approx(2 * pi, abs=1e-9)
        assert np.abs(arm.fk(family.q) - pose).max() < 1e-10
        assert np.abs(np.diff(family.q, axis=0)).max() < 0.1


def test_limits_end_a_family() -> None:
    arm = hk.Model.from_dh(PUMA, lower=[-2] * 6, upper=[2] * 6)
    q = np.array([0.3, 0.4, 0.5, 0.6, 0.0, 0.2])
    family = self_motion(arm, q, joint=3)
    assert not family.closed
    # q4 + q6 = 0.8 stays: q4 from -1.2 (q6 = 2) to 2 (q6 = -1.2)
    assert family.lower[[3, 5]] == pytest.approx([-1.2, -1.2], abs=1e-8)
    assert family.upper[[3, 5]] == pytest.approx([2, 2], abs=1e-8)
    assert family.residual < 1e-10


def test_shoulder_singularity_of_the_irb() -> None:
    arm, centre = hk.Model.from_dh(IRB120), hk.Model.from_dh(IRB120[:4])
    q = np.array([0.2, 0.0, 0.4, 0.7, 0.6, 0.1])
    out = []
    for q[1] in (0, HALF):
        at = centre.fk(q[:4])[:3, 3]
        out.append(np.cos(q[0]) * at[0] + np.sin(q[0]) * at[1])
    q[1] = np.arctan2(-out[0], out[1])
    found = arm.solutions(arm.fk(q))
    assert found.free[:, 0].any()
    families = found.families()
    assert any(f.free[0] and f.upper[0] - f.lower[0] > 1 for f in families)
    for family in families:
        assert np.abs(arm.fk(family.q) - arm.fk(q)).max() < 1e-9


def test_elbow_of_the_ur5_free_in_a_range() -> None:
    """Wrist singular: joint 5 at zero puts joint 6 parallel to 2 3 4; four turns in one plane."""
    arm = hk.Model.from_dh(UR5)
    pose = arm.fk([0.3, -0.8, 1.1, 0.4, 0.0, 0.2])
    families = arm.solutions(pose).families()
    assert families
    for family in families:
        assert family.free[[1, 2, 3, 5]].all()
        assert np.abs(arm.fk(family.q) - pose).max() < 1e-9


def test_a_regular_pose_has_none() -> None:
    arm = hk.Model.from_dh(PUMA)
    q = np.array([0.3, 0.4, 0.5, 0.6, 0.7, 0.2])
    assert arm.solutions(arm.fk(q)).families() == []
    alone = self_motion(arm, q)
    assert alone.q.shape == (1, 6)
    assert not alone.free.any()
    many = arm.solutions(arm.fk(np.stack([q, q])))
    assert many.families(1) == []
    with pytest.raises(hk.ArgumentError, match="one pose"):
        many.families()


def test_seven_joints_swing_their_elbow() -> None:
    table = np.zeros((7, 4))
    table[:, 1] = [0.36, 0, 0.42, 0, 0.4, 0, 0.126]
    table[:, 3] = [-HALF, HALF, HALF, -HALF, -HALF, HALF, 0]
    arm = hk.Model.from_dh(table)
    q = np.array([0.3, 0.5, -0.4, 1.2, 0.6, 0.9, -0.2])
    family = self_motion(arm, q)
    assert family.closed
    assert np.abs(arm.fk(family.q) - arm.fk(q)).max() < 1e-10
    assert not family.free[3]  # the elbow's bend is fixed by the distance
    from handik.closed.arm_angle import arm_angle

    turned = np.unwrap(arm_angle(arm, family.q))
    assert abs(turned[-1] - turned[0]) == pytest.approx(2 * pi, abs=1e-6)


def test_planar_arm_by_position() -> None:
    arm = hk.chain([0.5, 0.4, 0.2])
    family = self_motion(arm, [0.3, 0.8, -0.5], task="position")
    assert family.free.all()
    at = arm.fk(family.q)[:, :3, 3]
    assert np.abs(at - at[0]).max() < 1e-10


def _analytic_ranges(point: np.ndarray, lengths: list[float]) -> list[tuple[float, float]]:
    """|point - l3 (cos f, sin f)| between |l1 - l2| and l1 + l2, by the law of cosines."""
    l1, l2, l3 = lengths
    r, way = np.hypot(*point), np.arctan2(point[1], point[0])

    def angle(d: float) -> float:
        return float(np.arccos(np.clip((r * r + l3 * l3 - d * d) / (2 * r * l3), -1, 1)))

    near, far = angle(abs(l1 - l2)), angle(l1 + l2)
    if near == 0:
        return [(way - far, way + far)]
    if far == np.pi:
        return [(way + near, way - near)]
    return [(way - far, way - near), (way + near, way + far)]


@pytest.mark.parametrize("point", [(0.9, 0.1), (0.15, 0.1), (-0.2, 0.95)])
def test_third_link_ranges(point: tuple[float, float]) -> None:
    lengths = [0.5, 0.4, 0.2]
    arm = hk.chain(lengths)
    ranges = end_angle_ranges(arm, [*point, 0])
    wanted = _analytic_ranges(np.array(point), lengths)
    assert len(ranges) == len(wanted)
    for low, high in ranges:
        gap = [np.hypot(np.sin((low - a) / 2), np.sin((high - b) / 2)) for a, b in wanted]
        assert min(gap) < 1e-6
    assert end_angle_ranges(arm, [3, 0, 0]) == []
    every = end_angle_ranges(hk.chain([0.5, 0.4, 0.05]), [0.5, 0, 0])
    assert every == [(-pi, pi)]


def _arm_of_two(kinds: str, seed: int) -> hk.Model:
    rng = np.random.default_rng(seed)
    spec = hk.ModelSpec("two", links=[LinkSpec("base")])
    parent = "base"
    for i, kind in enumerate(kinds):
        axis = rng.normal(size=3)
        place = np.eye(4)
        place[:3, 3] = rng.uniform(-1, 1, 3)
        spec.links.append(LinkSpec(f"l{i}"))
        word = "revolute" if kind == "R" else "prismatic"
        joint = JointSpec(f"j{i}", word, parent, f"l{i}", axis=tuple(axis / np.linalg.norm(axis)))
        joint.placement, joint.lower, joint.upper = place, -3, 3
        spec.joints.append(joint)
        parent = f"l{i}"
    place = np.eye(4)
    place[:3, 3] = rng.uniform(-1, 1, 3)
    spec.frames.append(FrameSpec("end", parent, placement=place))
    return hk.Model(spec)


@pytest.mark.parametrize("kinds", ["RR", "RP", "PR", "PP"])
@pytest.mark.parametrize("seed", range(4))
def test_two_joints_in_space(kinds: str, seed: int) -> None:
    arm = _arm_of_two(kinds, seed)
    for q in np.random.default_rng(seed).uniform(-2.5, 2.5, (20, 2)):
        found = arm.solutions(arm.fk(q), task="position")
        assert found.method == ("planar" if kinds == "PP" else "two")
        assert np.abs(found.q - q).max(axis=1).min() < 1e-7
        assert np.abs(arm.fk(found.q)[:, :3, 3] - arm.fk(q)[:3, 3]).max() < 1e-9
    away = np.eye(4)
    away[:3, 3] = 30
    assert arm.solutions(away, task="position").count == 0
    assert arm.solutions(away, task="position", closest=True).count == 1


@pytest.mark.parametrize("kinds", ["RRP", "RPR", "PRR", "RPP", "PRP", "PPR", "PPP", "RRR"])
def test_three_joints_in_space_by_position(kinds: str) -> None:
    table = np.random.default_rng(3).uniform([-3, -0.5, 0.1, 0.5], [3, 0.5, 0.6, 1.4], (3, 4))
    arm = hk.Model.from_dh(table, kinds=kinds)
    q = np.random.default_rng(4).uniform(-1.5, 1.5, (30, 3))
    found = arm.solutions(arm.fk(q), task="position")
    gap = np.abs(found.q - q[:, None])
    assert (np.nanmin(gap.max(axis=2), axis=1) < 1e-6).all()


def test_wrong_calls_say_what_is_wrong() -> None:
    arm = hk.Model.from_dh(PUMA)
    with pytest.raises(hk.ArgumentError, match="q must have shape"):
        self_motion(arm, [1, 2])
    with pytest.raises(hk.ArgumentError, match="task"):
        self_motion(arm, np.zeros(6), task="dance")
    with pytest.raises(hk.ArgumentError, match="step"):
        self_motion(arm, np.zeros(6), step=2)
    with pytest.raises(hk.NotFoundError, match="joint"):
        self_motion(arm, np.zeros(6), joint="nose")
    with pytest.raises(hk.NotFoundError, match="0 to 5"):
        self_motion(arm, np.zeros(6), joint=9)
    with pytest.raises(hk.UnsupportedError, match="planar arm of three"):
        end_angle_ranges(arm, [0, 0, 0])
    with pytest.raises(hk.ArgumentError, match="must have shape"):
        end_angle_ranges(hk.chain([1, 1, 1]), [0, 0])
    ball = hk.chain([1, 1], joint="ball")
    with pytest.raises(hk.UnsupportedError, match="ball"):
        self_motion(ball, ball.rest)


def test_a_posture_that_is_no_number_is_refused() -> None:
    arm = hk.data("ur5")
    with pytest.raises(hk.ArgumentError, match="q must be finite"):
        self_motion(arm, np.full(6, np.nan))
    with pytest.raises(
        TypeError, match=r"joint must be the name or the number of a joint, got 1\.5"
    ):
        self_motion(arm, np.zeros(6), joint=1.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("joint", range(5))
def test_a_held_joint_is_a_link(joint: int) -> None:
    """It stopped at its limits at once, and nothing moved."""
    arm = hk.Model.from_dh([[0, 0, 0.5, 0]] * 5, lower=-3, upper=3)
    q = np.array([0.3, 0.4, 0.3, 0.2, 0.1])
    held = arm.locked({f"joint_{joint + 1}": q[joint]})
    found = self_motion(held, q, task="position", step=0.3)
    assert not found.free[joint]
    assert found.free.sum() == 4
    assert found.residual < 1e-10
