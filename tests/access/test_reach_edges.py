"""The last half percent of what an option allows: angle, force, and the room that an axis leaves a wrist."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import handik as hk

HAND, UPPER = 0.1, 0.9
HALF = 0.3
ALONG: dict[str, Any] = {"axis": [-1, 0, 0], "tool_axis": [1, 0, 0], "half_angle": HALF}


def folded(beyond: float) -> hk.access.Reach:
    """The hand is to point back, so that the wrist is by so much farther out than the arm is long."""
    arm = hk.chain([0.5, 0.4, HAND])
    target = [UPPER + beyond - HAND, 0, 0]
    return hk.access.reach(arm, None, target, tries=4, **ALONG)


def test_an_axis_leaves_the_wrist_the_chord_of_the_half_angle_and_the_tolerance() -> None:
    room = 1e-3 + 2 * HAND * np.sin(HALF / 2)
    assert folded(1.0005 * room).verdict == "no"
    assert folded(0.9975 * room).verdict != "no"


def test_a_certificate_by_an_axis_is_of_its_half_angle_and_no_wider() -> None:
    arm = hk.chain([0.5, 0.4, HAND])
    proof = folded(1.002 * (1e-3 + 2 * HAND * np.sin(HALF / 2))).certificate
    assert proof is not None
    assert proof.check(arm)
    assert not replace(proof, half_angle=1.006 * HALF, digest="").check(arm)


def bent() -> tuple[hk.Model, list[float], float]:
    """An arm that reaches a place in one posture, and which way its hand points there."""
    arm = hk.chain([0.5, 0.4]).with_limits({"joint_2": (0.1, 2.5)})
    q = [0.4, 1.1]
    return arm, arm.fk(q)[:3, 3].tolist(), sum(q)


@pytest.mark.parametrize(("share", "yes"), [(1.002, True), (0.995, False)])
def test_a_hand_off_the_axis_by_half_a_percent_of_the_angle_is_no_yes(share, yes) -> None:
    arm, target, way = bent()
    axis = [np.cos(way + HALF), np.sin(way + HALF), 0]
    more = {"axis": axis, "tool_axis": [1, 0, 0], "half_angle": share * HALF}
    told = hk.access.reach(arm, None, target, tolerance=1e-5, tries=4, **more)
    assert (told.verdict == "yes") == yes


@pytest.mark.parametrize(("share", "yes"), [(1.005, True), (0.995, False)])
def test_a_joint_too_weak_by_half_a_percent_is_no_yes(share, yes) -> None:
    arm, target, way = bent()
    spec = arm.spec.copy()
    for link in spec.links[1:]:  # so little that it counts for nothing
        link.inertial = hk.spec.InertialSpec(1e-9, center=[0.01, 0, 0])
    arm = hk.Model(spec)
    press: dict[str, Any] = {
        "axis": [np.cos(way), np.sin(way), 0],
        "tool_axis": [1, 0, 0],
        "action": "press",
        "force": 20.0,
        "tolerance": 1e-5,
        "tries": 4,
    }
    lever = 0.5 * np.sin(1.1)  # of the first joint: the hand presses along the second link
    told = hk.access.reach(arm, None, target, strength={"joint_1": share * 20 * lever}, **press)
    assert (told.verdict == "yes") == yes


ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><collision><origin xyz="0.25 0 0" rpy="0 1.5708 0"/>
    <geometry><cylinder radius="0.03" length="0.5"/></geometry></collision></link>
  <link name="fore"><collision><origin xyz="0.2 0 0" rpy="0 1.5708 0"/>
    <geometry><cylinder radius="0.03" length="0.38"/></geometry></collision></link>
  <link name="tip"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
  <joint name="elbow" type="revolute"><parent link="upper"/><child link="fore"/>
    <origin xyz="0.5 0 0"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" effort="9" velocity="9"/></joint>
  <joint name="end" type="fixed"><parent link="fore"/><child link="tip"/>
    <origin xyz="0.43 0 0"/></joint>
</robot>"""


def test_a_robot_is_compared_by_its_collision_shapes(tmp_path: Path) -> None:
    """Two ways bend the elbow to a place: a wall in one's way leaves the other."""
    file = tmp_path / "arm.urdf"
    file.write_text(ARM)
    arm, target = hk.load(file), [0.6, 0.3, 0.0]
    wall = hk.scene.Box([0.3, 0.05, 0.3])
    asked: dict[str, Any] = {"frame": "tip", "within": np.inf}
    elbows = []
    for at in ([0.15, 0.3, 0.0], [0.4, -0.05, 0.0]):
        scene = hk.Scene().add("wall", wall, at)
        found = hk.access.reach(arm, scene, target, **asked)
        assert found.verdict == "yes"
        assert scene.free(arm, found.q)
        elbows.append(found.q[1])
    assert elbows[0] * elbows[1] < 0
    both = hk.Scene().add("one", wall, [0.15, 0.3, 0.0]).add("other", wall, [0.4, -0.05, 0.0])
    assert hk.access.reach(arm, both, target, **asked).verdict != "yes"


def test_a_robot_without_shapes_is_told_what_it_lacks() -> None:
    scene = hk.Scene().add("wall", hk.scene.Box([0.1, 1, 1]), [0.9, 0, 0.5])
    arm = hk.data("ur5")
    with pytest.raises(
        hk.ArgumentError, match=r"ur5 has no collision shapes.*a URDF that has them"
    ):
        hk.access.reach(arm, scene, [0.4, 0.1, 0.4])
    assert hk.access.reach(arm, None, [0.4, 0.1, 0.4]).verdict == "yes"
    figure = hk.Figure(arm, [hk.Capsule("link_6", (0, 0, -0.05), (0, 0, 0), 0.03)])
    assert hk.access.reach(figure, scene, [0.4, 0.1, 0.4]).verdict == "yes"
