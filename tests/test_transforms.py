"""Task and tool frames, and poses as people write them, against SciPy and by construction."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import handik as hk
from handik.errors import ArgumentError, ModelError, NotFoundError
from handik.spec import transforms

Rotation = pytest.importorskip("scipy.spatial.transform", reason="needs SciPy").Rotation
RNG = np.random.default_rng(7)


def random_poses(n, reach=1.0):
    return transforms.from_rotation(
        Rotation.random(n, random_state=3), RNG.uniform(-reach, reach, (n, 3))
    )


def step(axis, angle):
    """Rotation about a coordinate axis, written out."""
    i, j, k = {"x": (0, 1, 2), "y": (1, 2, 0), "z": (2, 0, 1)}[axis]
    out = np.eye(3)
    out[j, j] = out[k, k] = np.cos(angle)
    out[k, j], out[j, k] = np.sin(angle), -np.sin(angle)
    return out


def test_there_are_24_conventions():
    assert len(set(transforms.EULER_CONVENTIONS)) == 24


@pytest.mark.parametrize("word", transforms.EULER_CONVENTIONS)
def test_every_convention_by_hand_and_back(word):
    angles = RNG.uniform(-1.4, 1.4, (20, 3)) + (0, 1.6 if word[0] == word[2] else 0, 0)
    for row in angles:
        turns = [step(letter.lower(), angle) for letter, angle in zip(word, row, strict=True)]
        expected = (
            turns[0] @ turns[1] @ turns[2] if word.isupper() else turns[2] @ turns[1] @ turns[0]
        )
        pose = transforms.from_pose_vector([1.0, 2.0, 3.0, *row], word)
        np.testing.assert_allclose(pose[:3, :3], expected, atol=1e-14)
        back = transforms.from_pose_vector(transforms.pose_vector(pose, word), word)
        np.testing.assert_allclose(back, pose, atol=1e-13)


@pytest.mark.parametrize("word", transforms.EULER_CONVENTIONS)
def test_every_convention_has_the_angles_of_scipy(word):
    turns = Rotation.random(500, random_state=9)
    angles = transforms.pose_vector(transforms.from_rotation(turns), word)[:, 3:]
    np.testing.assert_allclose(angles, turns.as_euler(word), atol=1e-12)
    given = RNG.uniform(-7, 7, (500, 3))  # any whole turns
    np.testing.assert_allclose(
        transforms.from_pose_vector(np.hstack([np.zeros((500, 3)), given]), word)[:, :3, :3],
        Rotation.from_euler(word, given).as_matrix(),
        atol=1e-14,
    )


@pytest.mark.parametrize("word", transforms.EULER_CONVENTIONS)
@pytest.mark.parametrize("end", [-1, 1])
def test_gimbal_lock_leaves_the_third_angle_zero(word, end):
    middle = (0.0 if end < 0 else np.pi) if word[0] == word[2] else end * np.pi / 2
    locked = [[1.0, 2.0, 3.0, a, middle, c] for a in (0.3, -3.0) for c in (0.4, 2.0)]
    pose = transforms.from_pose_vector(locked, word)
    vector = transforms.pose_vector(pose, word)
    assert (vector[:, 5] == 0).all()
    np.testing.assert_allclose(transforms.from_pose_vector(vector, word), pose, atol=1e-15)
    with pytest.warns(UserWarning, match="Gimbal lock"):
        theirs = transforms.rotation(pose).as_euler(word)
    ahead = np.exp(1j * (vector[:, 3] - theirs[:, 0]))  # pi and -pi are the same
    np.testing.assert_allclose(ahead, 1, atol=1e-9)


@pytest.mark.parametrize("word", transforms.EULER_CONVENTIONS)
@pytest.mark.parametrize("off", 10.0 ** -np.arange(3, 17))
def test_near_gimbal_lock_the_pose_comes_back(word, off):
    """Within 1e-9 of it the angles are those of the lock, and no more wrong than that."""
    middle = off if word[0] == word[2] else np.pi / 2 - off
    pose = transforms.from_pose_vector([0.0, 0.0, 0.0, 1.1, middle, -0.6], word)
    vector = transforms.pose_vector(pose, word)
    assert (vector[5] == 0) == (off < 0.99e-9)
    error = np.abs(transforms.from_pose_vector(vector, word) - pose).max()
    assert error < (2e-9 if vector[5] == 0 else 2e-15)


def test_rotation_vectors_of_every_size():
    turns = Rotation.random(200, random_state=2)
    for size in (0.0, 1e-300, 1e-12, 1e-5, 0.1, 3.0, np.pi - 1e-9, np.pi):
        vectors = size * turns.apply([1.0, 0.0, 0.0])
        poses = transforms.from_rotation_vector(vectors)
        np.testing.assert_allclose(
            poses[:, :3, :3], Rotation.from_rotvec(vectors).as_matrix(), atol=1e-15
        )
        back = transforms.rotation_vector(poses)
        if size < 3.1:
            np.testing.assert_allclose(back, vectors, rtol=1e-15, atol=3e-16)
        np.testing.assert_allclose(transforms.from_rotation_vector(back), poses, atol=1e-15)


@pytest.mark.parametrize("axis", np.vstack([np.eye(3), -np.eye(3), np.ones((1, 3))]))
def test_half_turns_have_a_quaternion(axis):
    """There w is nothing, and the quaternion is read off the largest of the others."""
    axis = axis / np.linalg.norm(axis)
    pose = np.eye(4)
    pose[:3, :3] = 2 * np.outer(axis, axis) - np.eye(3)
    q = transforms.quaternion(pose)
    np.testing.assert_allclose(q[0], 0, atol=1e-15)
    np.testing.assert_allclose(abs(q[1:] @ axis), 1, atol=1e-15)


def test_poses_are_read_and_written_without_scipy():
    code = (
        "import sys; sys.modules['scipy'] = None; sys.modules['scipy.spatial.transform'] = None\n"
        "import numpy as np; from handik import transforms as t\n"
        "pose = t.from_pose_vector([1, 2, 3, 0.1, 0.2, 0.3], 'ZYZ')\n"
        "assert np.allclose(t.pose_vector(pose, 'ZYZ'), [1, 2, 3, 0.1, 0.2, 0.3])\n"
        "for there, back in ((t.from_rpy, t.rpy), (t.from_quaternion, t.quaternion),\n"
        "                    (t.from_rotation_vector, t.rotation_vector)):\n"
        "    assert np.allclose(there(back(pose), [1, 2, 3]), pose)\n"
        "try: t.rotation(pose)\n"
        "except ImportError as error: assert 'handik[scipy]' in str(error)\n"
        "else: raise AssertionError\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_quaternion_rotation_vector_rpy_and_rotation_round_trip():
    poses = random_poses(50)
    place = poses[:, :3, 3]
    turn = transforms.rotation(poses)
    xyzw = turn.as_quat()
    mine = transforms.quaternion(poses)
    np.testing.assert_allclose(np.abs((mine[:, [1, 2, 3, 0]] * xyzw).sum(axis=1)), 1, atol=1e-14)
    assert (mine[:, 0] >= 0).all()
    np.testing.assert_allclose(transforms.rotation_vector(poses), turn.as_rotvec(), atol=1e-14)
    np.testing.assert_allclose(transforms.rpy(poses), turn.as_euler("xyz"), atol=1e-14)
    for back in (
        transforms.from_quaternion(3 * mine, place),
        transforms.from_rotation_vector(transforms.rotation_vector(poses), place),
        transforms.from_rpy(transforms.rpy(poses), place),
        transforms.from_rotation(turn, place),
    ):
        np.testing.assert_allclose(back, poses, atol=1e-13)
    assert transforms.rotation(poses[0]).single
    assert transforms.quaternion(poses[0]).shape == (4,)
    np.testing.assert_allclose(transforms.inverse(poses) @ poses, np.eye(4) + 0 * poses, atol=1e-14)


@pytest.mark.parametrize("word", ["xxy", "xyZ", "abc", "xy", ""])
def test_no_convention(word):
    with pytest.raises(ArgumentError, match="no Euler convention"):
        transforms.from_pose_vector(np.zeros(6), word)


@pytest.mark.parametrize(
    "pose", [np.zeros((4, 4)), np.diag([1, 1, -1, 1]), 2 * np.eye(4), np.eye(3)]
)
def test_no_pose(pose):
    with pytest.raises(ArgumentError):
        transforms.pose_vector(pose)


# -- measured frames -----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [3, 4, 20])
def test_task_frame_is_found_again(n):
    points, true = RNG.normal(size=(n, 3)), random_poses(1)[0]
    measured = points @ true[:3, :3].T + true[:3, 3]
    fit = transforms.fit_task_frame(points, measured)
    np.testing.assert_allclose(fit.pose, transforms.inverse(true), atol=1e-12)
    assert fit.residual < 1e-14 * 100


def test_arm_in_a_task_frame_that_was_touched_lands_on_its_points():
    """The pose that the fit returns is the one that `with_base` takes."""
    arm, rng = hk.data("ur5"), np.random.default_rng(11)
    q = rng.uniform(-1.2, 1.2, (5, 6))
    touched = arm.fk(q)[:, :3, 3]  # where the arm's own coordinates have the tip
    turn, place = transforms.from_rpy([0.3, -0.2, 2.0]), np.array([2.0, -1.0, 0.7])
    points = touched @ turn[:3, :3].T + place  # the same points, as the task has them
    fit = transforms.fit_task_frame(points, touched)
    moved = arm.with_base(fit.pose)
    np.testing.assert_allclose(moved.fk(q)[:, :3, 3], points, atol=1e-12)
    found = moved.solve(position=points, q0=q + 0.1, position_tolerance=1e-6)
    assert found.converged.all()
    np.testing.assert_allclose(arm.fk(found.q)[:, :3, 3], touched, atol=2e-6)


def test_task_frame_of_noisy_points_is_the_best_of_its_neighbours():
    points, true = RNG.normal(size=(12, 3)), random_poses(1)[0]
    measured = points @ true[:3, :3].T + true[:3, 3] + 1e-3 * RNG.normal(size=(12, 3))
    fit = transforms.fit_task_frame(points, measured)
    turn = transforms.rotation(fit.pose)
    np.testing.assert_allclose(
        turn.as_matrix(),
        Rotation.align_vectors(points - points.mean(0), measured - measured.mean(0))[0].as_matrix(),
        atol=1e-9,
    )

    def cost(pose):
        return np.sum((measured @ pose[:3, :3].T + pose[:3, 3] - points) ** 2)

    for _ in range(30):
        moved = fit.pose @ transforms.from_rotation_vector(
            1e-4 * RNG.normal(size=3), 1e-4 * RNG.normal(size=3)
        )
        assert cost(moved) > cost(fit.pose)
    assert fit.residual == pytest.approx(np.sqrt(cost(fit.pose) / 12))


def test_task_frame_never_mirrors():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    assert np.linalg.det(transforms.fit_task_frame(points, -points).pose) == pytest.approx(1)


@pytest.mark.parametrize(
    ("points", "words"),
    [
        (np.zeros((2, 3)), "three points"),
        (np.outer([0, 1, 2, 3], [1, 2, 3]), "in a line"),
        (np.zeros((4, 3)), "in a line"),
        (np.full((4, 3), np.nan), "finite"),
        (np.zeros((4, 2)), "must have shape"),
    ],
)
def test_task_frame_refuses(points, words):
    with pytest.raises(ArgumentError, match=words):
        transforms.fit_task_frame(points, points)


def test_tool_is_found_by_contacts():
    tip, point = np.array([0.01, -0.02, 0.15]), np.array([0.5, 0.1, 0.3])
    turns = Rotation.random(6, random_state=1)
    poses = transforms.from_rotation(turns, point - turns.apply(tip))
    fit = transforms.fit_tool(poses)
    np.testing.assert_allclose(fit.pose[:3, 3], tip, atol=1e-13)
    np.testing.assert_allclose(fit.point, point, atol=1e-13)
    assert fit.residual < 1e-13
    about_z = Rotation.from_euler("z", np.linspace(0, 2, 6)[:, None])
    with pytest.raises(ArgumentError, match="one axis"):
        transforms.fit_tool(transforms.from_rotation(about_z, point - about_z.apply(tip)))
    for few in (poses[0], poses[:0], poses[:2], poses[None]):
        with pytest.raises(ArgumentError, match=r"flanges must be \(n, 4, 4\) with n at least 3"):
            transforms.fit_tool(few)
    assert transforms.fit_tool(poses[:3]).residual < 1e-13


# -- frames of a model ---------------------------------------------------------------------------


def test_base_and_tool_multiply_the_direct_model():
    arm = hk.chain([0.3, 0.3, 0.2])
    base, tool = random_poses(2)
    q = RNG.uniform(-1, 1, (9, 3))
    moved = arm.with_base(base).with_tool(tool, "pen")
    assert moved.tip == "pen"
    np.testing.assert_allclose(moved.fk(q), base @ arm.fk(q) @ tool, atol=1e-14)
    np.testing.assert_allclose(moved.fk(q, frame="tip"), base @ arm.fk(q), atol=1e-14)
    assert arm.tip == "tip"  # the model itself never changes
    other = arm.with_tool(tool, frame="link_1")
    np.testing.assert_allclose(other.fk(q), arm.fk(q, frame="link_1") @ tool, atol=1e-14)


def test_base_and_tool_take_rotations_of_scipy():
    arm = hk.chain([0.3, 0.3, 0.2])
    turn = Rotation.from_euler("xyz", [0.3, -0.2, 0.9])
    pose, q = transforms.from_rotation(turn), [0.2, -0.4, 0.3]
    moved = arm.with_base(turn).with_tool(turn)
    np.testing.assert_allclose(moved.fk(q), pose @ arm.fk(q) @ pose, atol=1e-14)


def test_inverse_model_in_task_and_tool_frames():
    arm = hk.chain([0.3, 0.3, 0.2])
    tool = np.eye(4)
    tool[0, 3] = 0.1
    moved = arm.with_base(transforms.from_rpy([0, 0, 0.4], [1, 2, 0])).with_tool(tool)
    target = moved.fk([0.4, 0.5, -0.3])
    found = moved.solve(position=target[:3, 3])
    assert np.linalg.norm(moved.fk(found.q)[:3, 3] - target[:3, 3]) < 1e-3


def test_wrong_base_and_tool():
    arm = hk.chain([0.3, 0.3])
    with pytest.raises(ModelError):
        arm.with_base(2 * np.eye(4))
    with pytest.raises(ModelError):
        arm.with_base(np.eye(4), "link_0")
    for placement in (np.eye(3), "pose", None):
        with pytest.raises(ArgumentError):
            arm.with_tool(placement)
        with pytest.raises(ArgumentError):
            arm.with_base(placement)
    with pytest.raises(NotFoundError):
        arm.with_tool(np.eye(4), frame="hand")


def test_positions_and_turns_are_broadcast_or_refused() -> None:
    places = np.arange(15.0).reshape(5, 3)
    poses = transforms.from_rpy([0.0, 0.0, 1.0], places)
    assert poses.shape == (5, 4, 4)
    np.testing.assert_array_equal(poses[:, :3, 3], places)
    with pytest.raises(hk.ArgumentError, match=r"\(5,\) of rotation and \(3,\) of position"):
        transforms.from_quaternion(np.ones((5, 4)), np.zeros((3, 3)))


@pytest.mark.parametrize("size", [1e-300, 1e-200, 1.0, 1e200, 1e300])
def test_quaternions_of_any_length_are_rotations(size: float) -> None:
    wanted = np.diag([1.0, -1.0, -1.0, 1.0])
    np.testing.assert_array_equal(transforms.from_quaternion([0.0, size, 0.0, 0.0]), wanted)


def test_three_measured_points_are_never_mirrored():
    """Three points lie in a plane, where a reflection fits as well as the turn."""
    rng = np.random.default_rng(5)
    for _ in range(40):
        place = transforms.from_quaternion(rng.normal(size=4), rng.normal(size=3))
        points = rng.normal(size=(3, 3))
        fit = transforms.fit_task_frame(points, points @ place[:3, :3].T + place[:3, 3])
        np.testing.assert_allclose(fit.pose, transforms.inverse(place), atol=1e-12)
