"""What a pose is, is said once: a rotation to 1e-6 above 0 0 0 1, for every call that takes one."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik._core import pose_columns, simd, simd_select
from handik.closed import arm_angle, paul
from handik.closed.mechanism import Cut, Mechanism
from handik.closed.parallel import Hexaglide, StewartPlatform
from handik.closed.parallel.circles import ThreeRRS
from handik.closed.parallel.maps import workspace_slice
from handik.solve.network import Network
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


# -- the ways to give a pose -----------------------------------------------------------------------


def bits(answer: object) -> np.ndarray:
    """What a call answered, as numbers."""
    found = np.asarray(getattr(answer, "q", answer), float)
    assert found.size
    assert np.isfinite(found).any()
    return found


def arm_of_seven() -> hk.Model:
    r = np.pi / 2
    table = [[0, 0.3, 0, r], [0, 0, 0, -r], [0, 0.9, 0, r], [0, 0, 0, -r]]
    table += [[0, 0.9, 0, r], [0, 0, 0, -r], [0, 0.1, 0, 0]]
    return hk.Model.from_dh(table, lower=-6, upper=6)


SEVEN = arm_of_seven()
WRIST = [[0, 0.9, 0, -np.pi / 2], [0, 0, 0, np.pi / 2], [0, 0.1, 0, 0]]
PAUL = paul.derive([[0, 0.1, 0, np.pi / 2], [0, 0, 0.9, 0], [0, 0, 0, np.pi / 2], *WRIST])
RRS = ThreeRRS.regular(1.0, 0.6, 2.0, 2.0)
RAILS = Hexaglide(
    HEXAPOD.base - [0, 0, 3], np.tile([0.0, 0.0, 1.0], (6, 1)), HEXAPOD.platform, [4.0] * 6
)
TASK = hk.Problem(ARM, [hk.Pose()])
NET = Network.train(ARM, goal="pose", samples=200, hidden=(4,), epochs=1, seed=1)
#: Calls of one pose, and whether they take a batch of them.
WAYS = {
    "solve": (lambda T: ARM.solve(pose=T), True),
    "Problem.targets": (lambda T: TASK.residual(TASK.targets(T), np.zeros(6)), True),
    "track": (lambda T: ARM.track(pose=T), False),
    "solutions": (lambda T: ARM.solutions(T), True),
    "postures_at": (lambda T: arm_angle.postures_at(SEVEN, T, 0.1), True),
    "paul": (lambda T: PAUL.solve(T), True),
    "stewart ik": (lambda T: HEXAPOD.ik(T), True),
    "stewart jacobian": (lambda T: HEXAPOD.jacobian(T), True),
    "stewart singularity": (lambda T: HEXAPOD.singularity(T), True),
    "stewart fk": (lambda T: HEXAPOD.fk([1.0] * 6, T, iterations=0).T, True),
    "hexaglide ik": (lambda T: RAILS.ik(T), True),
    "three rrs ik": (lambda T: RRS.ik(T, tolerance=np.inf), True),
    "mechanism ik": (lambda T: crank().ik(T, np.zeros(3), frame="c", task="position"), False),
    "workspace_slice": (
        lambda T: workspace_slice(HEXAPOD, T, ("x", "y"), [0, 1], [0, 1]).lengths,
        False,
    ),
    "Network.predict": (lambda T: NET.predict(T), True),
    "Network.solve": (lambda T: NET.solve(T).q, True),
    "with_base": (lambda T: ARM.with_base(T).fk(np.zeros(6)), False),
    "with_tool": (lambda T: ARM.with_tool(T).fk(np.zeros(6)), False),
    "from_dh": (lambda T: hk.Model.from_dh([[0, 0, 1, 0]], base=T, tool=T).fk([0.3]), False),
    "FrameSpec": (lambda T: hk.FrameSpec("hand", "arm", T).placement, False),
    "JointSpec": (lambda T: hk.JointSpec("j", "fixed", "a", "b", T).placement, False),
    "inverse": (lambda T: transforms.inverse(T), True),
    "quaternion": (lambda T: transforms.quaternion(T), True),
    "rotation_vector": (lambda T: transforms.rotation_vector(T), True),
    "rpy": (lambda T: transforms.rpy(T), True),
    "pose_vector": (lambda T: transforms.pose_vector(T), True),
}


def forms(T: np.ndarray) -> dict[str, object]:
    """One pose in every way, or a batch of them."""
    spatial = pytest.importorskip("scipy.spatial.transform")
    turn, at = spatial.Rotation.from_matrix(T[..., :3, :3]), T[..., :3, 3]
    found = {
        "lists": T.tolist(),
        "objects": T.astype(object),
        "quaternion": (at, transforms.quaternion(T)),
        "lists of both": [at.tolist(), transforms.quaternion(T).tolist()],
        "long quaternion": (at, 3 * transforms.quaternion(T)),
        "rotation": (at, T[..., :3, :3]),
        "Rotation": (at, turn),
    }
    if hasattr(spatial, "RigidTransform"):  # SciPy 1.16
        found["RigidTransform"] = spatial.RigidTransform.from_matrix(T)
    return found


@pytest.mark.parametrize("name", WAYS)
def test_a_pose_is_taken_in_every_way(name) -> None:
    call, _ = WAYS[name]
    T = HERE if name != "track" else np.stack([HERE] * 2)
    want = bits(call(T))
    for form, pose in forms(T).items():
        np.testing.assert_allclose(bits(call(pose)), want, atol=1e-7, err_msg=form)


@pytest.mark.parametrize("name", [name for name, (_, batch) in WAYS.items() if batch])
def test_a_batch_is_taken_in_every_way(name) -> None:
    call, _ = WAYS[name]
    T = ARM.fk(ARM.sample(2, seed=3))
    want = bits(call(T))
    lists = {"list of matrices": list(T)}
    for form, pose in forms(T[0]).items():
        if form not in ("lists", "objects", "lists of both"):
            lists[f"list of {form}"] = [pose, forms(T[1])[form]]
            lists[f"{form} and a matrix"] = [pose, T[1]]
    for form, poses in {**forms(T), **lists}.items():
        np.testing.assert_allclose(bits(call(poses)), want, atol=1e-7, err_msg=form)


@pytest.mark.parametrize("name", [name for name in WAYS if "Spec" not in name])
def test_what_is_no_pose_gets_a_sentence(name) -> None:
    call, _ = WAYS[name]
    none = HERE.astype(object)
    none[0, 3] = None
    with pytest.raises(hk.ArgumentError, match="None among its numbers"):
        call(none)
    with pytest.raises(hk.ArgumentError, match="None among its numbers"):
        call(([0, None, 0], [1, 0, 0, 0]))
    with pytest.raises(hk.ArgumentError, match="as a pair must be a position"):
        call(([1, 0, 0, 0], [0.1, 0.2, 0.3]))
    with pytest.raises(hk.ArgumentError, match=r"must have shape|must be \(4, 4\)"):
        call(np.eye(3))


def test_a_rotation_alone_turns_and_is_no_target() -> None:
    spatial = pytest.importorskip("scipy.spatial.transform")
    turn = spatial.Rotation.from_rotvec([0.1, 0.2, 0.3])
    T = np.eye(4)
    T[:3, :3] = turn.as_matrix()
    for name in ("with_base", "with_tool", "from_dh", "JointSpec", "inverse"):
        np.testing.assert_array_equal(WAYS[name][0](turn), WAYS[name][0](T))
    for name in ("solve", "solutions", "stewart ik", "paul", "mechanism ik"):
        with pytest.raises(hk.ArgumentError, match=r"rotation alone: give a pair \(position, rot"):
            WAYS[name][0](turn)


def test_a_place_alone_moves_and_is_no_pose() -> None:
    """As in a scene: what is put somewhere is not turned; a target's pose has to say how."""
    at = [0.1, -0.2, 0.3]
    T = np.eye(4)
    T[:3, 3] = at
    puts = ("with_base", "with_tool", "from_dh", "FrameSpec", "JointSpec")
    for name in puts:
        for form in (at, tuple(at), np.array(at)):
            np.testing.assert_array_equal(WAYS[name][0](form), WAYS[name][0](T), err_msg=name)
    for name in ("solve", "solutions", "inverse", "rpy"):
        with pytest.raises(hk.ArgumentError, match="shape"):
            WAYS[name][0](at)
    for bad in ([0.1], [0.1, 0.2, 0.3, 0.4], [[0.1, 0.2, 0.3]]):
        with pytest.raises(hk.ArgumentError, match="shape"):
            ARM.with_base(bad)
    with pytest.raises(hk.HandikError, match="finite"):
        ARM.with_base([0.1, np.nan, 0.3])


@pytest.mark.parametrize(
    "word", ["orientation", "axis", "q0"]
)  # a position may have some: a part of it
def test_none_among_numbers_gets_a_sentence(word) -> None:
    width = {"orientation": 4, "q0": 6}.get(word, 3)
    with pytest.raises(hk.ArgumentError, match="None in all three"):
        ARM.solve(position=[None] * 3)
    goal = {"position": [0.1, 0.2, 0.3]} if word == "q0" else {}
    for values in ([None] * width, np.array([0.1] * (width - 1) + [None], object)):
        with pytest.raises(hk.ArgumentError, match=f"{word} has None among its numbers"):
            ARM.solve(**goal, **{word: values})
    with pytest.raises(hk.ArgumentError, match="q has None among its numbers"):
        ARM.fk([None] * 6)


def test_columns_of_many_poses_are_those_of_each(rng) -> None:
    """Which of four components leads, at ties too; what is off, not finite or bent in its last row."""
    poses = np.tile(np.eye(4), (500, 1, 1))
    turns = rng.normal(size=(500, 4))
    turns[:40] = np.round(turns[:40])  # quarter and half turns, where components tie
    turns[np.abs(turns).sum(axis=1) == 0, 0] = 1
    turns[40:60, 1:] *= 1e-9
    turns[60:80, 0] *= 1e-17
    poses[:, :3, :3] = transforms.from_quaternion(turns)[:, :3, :3]
    poses[:, :3, 3] = rng.normal(size=(500, 3))
    poses[80, 0, 1], poses[81, 1, 3], poses[82, 3, 0] = np.nan, np.inf, np.nan
    poses[83, :3, :3] *= 1 + 4e-7
    poses[84, 3, 3] += 9e-10
    poses[85:90, :3, :3] = -0.0 * poses[85:90, :3, :3] + np.eye(3)
    before = simd()
    try:
        for kernels in ("base", "avx2", "avx512"):
            simd_select(kernels)  # one that this machine has not leaves the last
            for n in (2, 3, 7, 31, 32, 33, 500):
                each = np.concatenate([pose_columns(T[None]) for T in poses[:n]])
                assert pose_columns(poses[:n]).tobytes() == each.tobytes()
    finally:
        simd_select(before)
    for place in (0, 37, 499):
        bad = poses.copy()
        bad[place, 1] *= -1
        with pytest.raises(
            hk.ArgumentError, match=f"item {place} is not a rotation but a reflection"
        ):
            pose_columns(bad)
        bad[place] = poses[place]
        bad[place, 3, 3] = 1 + 2e-9
        with pytest.raises(hk.ArgumentError, match=f"last row of item {place} is not"):
            pose_columns(bad)
