"""ROBOOP's calls: what they return is the product of the table, written out here."""

from __future__ import annotations

import numpy as np
import pytest

from handik.errors import ArgumentError, ReadError
from handik.files.read.dh import dh_transform
from handik.study.roboop import Robot

PI2 = np.pi / 2
# joint_type theta d a alpha min max offset, then mass and inertia.
ROWS = [
    [0, 0, 0.4, 0.02, -PI2, -2.5, 2.5, 0.3, 1, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.1],
    [0, 0, 0.1, 0.43, 0.0, -2.5, 2.5, 0.0, 2, 0.1, 0, 0, 0.1, 0, 0, 0.2, 0, 0.1],
    [0, 0, 0.0, -0.02, PI2, -2.5, 2.5, PI2, 1, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.1],
    [1, 0, 0.0, 0.0, -PI2, 0.1, 0.8, 0.2, 1, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.1],
    [0, 0, 0.0, 0.0, PI2, -2.0, 2.0, 0.0, 1, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.1],
    [0, 0, 0.1, 0.0, 0.0, -2.5, 2.5, 0.0, 1, 0, 0, 0, 0.1, 0, 0, 0.1, 0, 0.1],
]
MATRIX = np.array([[*row, 0] for row in ROWS], dtype=float)
MOTOR = np.array([[1e-4, 60, 1e-3, 0.1]] * 6)
Q = np.array([0.3, -0.4, 0.5, 0.3, 0.6, -0.7])


def by_hand(q, count, convention):
    pose = np.eye(4)
    for row, value in zip(ROWS[:count], q, strict=False):
        kind, theta, d, a, alpha, *_ = row
        offset = row[7]
        theta, d = (value + offset, d) if kind == 0 else (theta, value + offset)
        pose = pose @ dh_transform(theta, d, a, alpha, convention)
    return pose


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_kine_is_the_product_of_the_table(convention):
    robot = Robot(MATRIX, convention=convention, motor=MOTOR)
    assert robot.get_dof() == 6
    robot.set_q(Q)
    for j in range(7):
        expected = by_hand(Q, j, convention)
        np.testing.assert_allclose(robot.kine(j), expected[:3, 3], atol=1e-14)
        position, rotation = robot.kine(j, rotation=True)
        np.testing.assert_allclose(position, expected[:3, 3], atol=1e-14)
        np.testing.assert_allclose(rotation, expected[:3, :3], atol=1e-14)
    np.testing.assert_allclose(robot.kine(), by_hand(Q, 6, convention), atol=1e-14)
    table = robot.table()
    expected = MATRIX[:, 1:5].copy()
    expected[:, 0] += np.where(MATRIX[:, 0] == 0, MATRIX[:, 7], 0)
    expected[:, 1] += np.where(MATRIX[:, 0] == 1, MATRIX[:, 7], 0)
    np.testing.assert_allclose(table, expected, atol=1e-14)


def test_inv_kin_meets_a_pose_and_says_so():
    robot = Robot(MATRIX)
    robot.set_q(Q)
    target = robot.kine()
    start = Q + 0.1
    robot.set_q(start)
    found = robot.inv_kin(target, 0, retries=10)
    assert robot.converged
    np.testing.assert_array_equal(robot.get_q(), start)  # the posture set stays
    robot.set_q(found)
    np.testing.assert_allclose(robot.kine(), target, atol=1e-3)
    far = target.copy()
    far[:3, 3] = 50
    robot.inv_kin(far, 1)
    assert not robot.converged


def test_jacobian_and_torque_are_the_model_s():
    robot = Robot(MATRIX, motor=MOTOR)
    robot.set_q(Q)
    step = 1e-6
    for i in range(6):
        ends = []
        for sign in (1, -1):
            robot.set_q(Q + sign * step * np.eye(6)[i])
            ends.append(robot.kine(6))
        robot.set_q(Q)
        slope = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(robot.jacobian()[:3, i], slope, atol=1e-8)
    torque = robot.torque(Q, 0 * Q, np.eye(6)[0]) - robot.torque(Q, 0 * Q, 0 * Q)
    bare = Robot(MATRIX)
    without = bare.torque(Q, 0 * Q, np.eye(6)[0]) - bare.torque(Q, 0 * Q, 0 * Q)
    assert torque[0] - without[0] == pytest.approx(1e-4 * 60**2)  # Im Gr^2


def test_print_shows_every_link():
    text = str(Robot(MATRIX)).splitlines()
    assert len(text) == 8
    assert "prismatic" in text[5]
    assert "q+0.20000" in text[5]
    assert "q+0.30000" in text[2]


def test_a_file_reads_as_the_matrix():
    keys = ("joint_type theta d a alpha theta_min theta_max joint_offset "
            "m cx cy cz Ixx Ixy Ixz Iyy Iyz Izz").split()  # fmt: skip
    text = "[ARM]\ndof: 6\nMotor: 0\n"
    for i, row in enumerate(ROWS, 1):
        text += f"[ARM_LINK{i}]\n" + "".join(
            f"{key}: {value!r}\n" for key, value in zip(keys, row, strict=True)
        )
    one, two = Robot(text, "ARM"), Robot(MATRIX)
    for robot in (one, two):
        robot.set_q(Q)
    np.testing.assert_array_equal(one.kine(), two.kine())
    assert (one.model.name, two.model.name) == ("ARM", "robot")
    assert Robot(MATRIX, "arm").model.name == "arm"


def test_wrong_calls():
    robot = Robot(MATRIX)
    for j in (-1, 7, 1.5, "1"):
        with pytest.raises(ArgumentError, match="link"):
            robot.kine(j)
    for q in ([1, 2], "ab", None, [np.nan] * 6):
        with pytest.raises(ArgumentError):
            robot.set_q(q)
    for target, mj in ((np.eye(4), 2), (np.eye(3), 0), ("pose", 0)):
        with pytest.raises(ArgumentError):
            robot.inv_kin(target, mj)
    with pytest.raises(ArgumentError):
        Robot(MATRIX[:, :5])
    with pytest.raises(ReadError):
        Robot("nothing\nhere\n")
