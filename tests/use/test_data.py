"""Models that come with handik."""

from __future__ import annotations

import numpy as np
import pytest
from _robots import ROBOTS

import handik as hk
from handik.data import names, source


def test_every_model_loads_and_has_a_source() -> None:
    said = (
        "ball10",
        "planar9",
        "poppy_arm",
        "poppy_leg",
        "poppy_torso",
        "puma560",
        "ur5",
        "vp5243",
    )
    assert names() == said
    for name in names():
        model = hk.data(name)
        assert model.name == name
        assert model.tip is not None
        assert len(source(name)) > 20


def test_chains_are_a_metre_long() -> None:
    assert hk.data("planar9").max_reach == pytest.approx(1.0, abs=1e-15)
    assert hk.data("planar9").joint_kinds == ("revolute",) * 9
    assert hk.data("ball10").joint_kinds == ("ball",) * 10


def test_the_function_stays_when_its_module_is_imported() -> None:
    import handik.data

    assert callable(handik.data)


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(hk.NotFoundError, match="'ur6'; near names: ur5"):
        hk.data("ur6")
    with pytest.raises(hk.NotFoundError):
        source("../data/ur5")


@pytest.mark.skipif(not ROBOTS.is_dir(), reason="needs the package example-robot-data")
def test_ur5_is_that_of_its_urdf() -> None:
    arm = hk.load(ROBOTS / "ur_description/urdf/ur5_robot.urdf", tip="tool0")
    q = arm.sample(200, seed=0)
    # The URDF's base is turned by half a turn, and writes pi with eight digits.
    ours = hk.data("ur5").fk(q)[:, :3, 3] * [-1, -1, 1]
    assert np.abs(ours - arm.fk(q)[:, :3, 3]).max() < 1e-10


def test_puma_stands_where_its_table_says() -> None:
    puma = hk.data("puma560")
    # arm straight out along x: both links in line, the elbow offset above, the shoulder aside
    assert np.allclose(puma.fk(np.zeros(6))[:3, 3], [0.4318 + 0.0203, -0.15005, 0.4318])


def test_the_five_axis_arm_has_four_postures_and_says_what_is_assumed() -> None:
    assert "assumed" in source("vp5243")
    arm = hk.data("vp5243")
    pose = arm.fk(np.radians([30, 50, -60, 30, 40]))
    found = arm.solutions(pose)
    assert found.count == 4
    assert np.abs(arm.fk(found.q) - pose).max() < 1e-12


def _commands_zero(name: str) -> np.ndarray:
    zero = {one["name"]: one["zero"] for one in hk.data.motors(name)}
    return np.radians([zero[joint] for joint in hk.data(name).joint_names if joint in zero])


def test_poppy_stands_with_hanging_arms_where_its_commands_are_zero() -> None:
    torso = hk.data("poppy_torso")
    q = _commands_zero("poppy_torso")
    assert np.allclose(torso.clip(q), q)
    for side, sign in (("l", 1), ("r", -1)):
        elbow, hand = (torso.fk(q, frame=f"{side}_{x}")[:3, 3] for x in ("forearm", "hand"))
        shoulder = torso.fk(q, frame=f"{side}_upper_arm")[:3, 3]
        # lengths of the published drawing: upper arm 0.11175 down, 0.01 forward, hand 0.18 forward
        assert np.allclose(shoulder - elbow, [0, 0.01, 0.11175], atol=1e-3)
        assert np.allclose(hand - elbow, [0, -0.18, 0], atol=4e-3)
        assert sign * elbow[0] == pytest.approx(0.1055, abs=1e-3)


def test_poppy_s_arms_mirror_each_other() -> None:
    torso = hk.data("poppy_torso")
    sense = {one["name"]: one["sense"] for one in hk.data.motors("poppy_torso")}
    at = torso.joint_q_slices
    rng = np.random.default_rng(0)
    zero = _commands_zero("poppy_torso")
    for _ in range(20):
        q = zero.copy()
        q[at["abs_z"]] = -0.018388  # the whole robot stands turned by this angle in its own file
        # a command forward or up is of the same sign on both sides; aside and turned, opposite
        for joint, same in (("shoulder_y", 1), ("shoulder_x", -1), ("arm_z", -1), ("elbow_y", 1)):
            move = rng.uniform(-0.5, 0.5)
            q[at[f"r_{joint}"]] += sense[f"r_{joint}"] * move
            q[at[f"l_{joint}"]] += sense[f"l_{joint}"] * move * same
        left, right = (torso.fk(q, frame=f"{side}_hand")[:3, 3] for side in "lr")
        assert np.allclose(left * [-1, 1, 1], right, atol=1e-3)


def test_poppy_s_arm_is_the_torso_s_with_the_rest_held() -> None:
    torso, arm = hk.data("poppy_torso"), hk.data("poppy_arm")
    assert arm.nq == 4
    assert [one["name"] for one in hk.data.motors("poppy_arm")] == [
        "r_shoulder_y",
        "r_shoulder_x",
        "r_arm_z",
        "r_elbow_y",
    ]
    rows = arm.sample(50, seed=1)
    whole = np.tile(_commands_zero("poppy_torso"), (50, 1))
    whole[:, -4:] = rows
    assert np.abs(arm.fk(rows) - torso.fk(whole)).max() < 1e-14
    assert np.allclose(arm.lower, torso.lower[-4:])
    assert hk.data.motors("ur5") == ()


def test_poppy_s_leg_hangs_below_the_hip_and_bends_backward() -> None:
    leg = hk.data("poppy_leg")
    assert leg.nq == 5
    zero = _commands_zero("poppy_leg")
    assert np.allclose(zero, 0)
    at = {name: leg.fk(zero, frame=name)[:3, 3] for name in ("r_thigh", "r_shin", "r_foot")}
    # lengths of the published file: thigh 0.182, shin 0.18; x to the left, z up
    assert np.allclose(at["r_thigh"] - at["r_shin"], [0, 0, 0.182], atol=1e-6)
    assert np.allclose(at["r_shin"] - at["r_foot"], [0, 0, 0.18], atol=1e-6)
    assert np.allclose(at["r_thigh"], [-0.0225417 - 0.0439986, -0.005, -0.024], atol=1e-6)
    motors = hk.data.motors("poppy_leg")
    # the robot's own posture of sitting: knees 134 and hips -39 degrees by command; the file's joint
    # goes to 120: thighs forward (y is backward), shanks back below them
    q = np.radians([0, 0, 39.0, -120.0, 0])
    told = hk.plan.motor_commands(leg, q, motors)
    assert (told["r_hip_y"], told["r_knee_y"]) == pytest.approx((-39, 120))
    knee, foot = (leg.fk(q, frame=name)[:3, 3] for name in ("r_shin", "r_foot"))
    assert knee[1] < at["r_shin"][1] - 0.1
    assert foot[1] > knee[1]
    reached = leg.fk(leg.sample(50, seed=2))[:, :3, 3]
    found = leg.solve(position=reached)
    assert found.converged.all()
