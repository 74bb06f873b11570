"""Every posture of an arm: against unseen postures, Newton's method and published numbers."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from dh_tables import CRX, DENSO, GENERAL, HALF, IRB120, PUMA, SKEW, UR5
from numpy import pi
from posture_sets import contains, wrapped

import handik as hk
from handik.spec import FrameSpec, JointSpec, LinkSpec

#: a wrist that does not reach every direction: some branches of the arm have no posture
LEANING = [
    [0, 0.4, 0.1, HALF],
    [0, 0, 0.5, 0],
    [0, 0.1, 0.05, -HALF],
    [0, 0.4, 0, 1.0],
    [0, 0, 0, -1.0],
    [0, 0.1, 0, 0],
]
SIX = {"ur5": UR5, "puma": PUMA, "irb120": IRB120, "skew": SKEW, "crx": CRX, "general": GENERAL}
SIX["leaning wrist"] = LEANING
METHOD = {
    "leaning wrist": "wrist",
    "ur5": "parallel",
    "puma": "wrist",
    "irb120": "wrist",
    "skew": "wrist",
    "crx": "general",
    "general": "general",
}


@pytest.mark.parametrize("name", SIX)
def test_generating_posture_is_found(name: str, rng: np.random.Generator) -> None:
    arm = hk.Model.from_dh(SIX[name])
    q = rng.uniform(-pi, pi, (300, 6))
    poses = arm.fk(q)
    found = arm.solutions(poses)
    assert found.method == METHOD[name], found.description
    for k in range(300):
        assert contains(found, q[k], k), (k, found.count[k])
    there = np.arange(found.q.shape[1]) < found.count[:, None]
    assert np.isnan(found.q[~there]).all()
    assert (found.exact == there).all()
    reached = arm.fk(found.q[there])
    wanted = np.broadcast_to(poses[:, None], (*there.shape, 4, 4))[there]
    assert np.abs(reached - wanted).max() < 1e-10


@pytest.mark.parametrize("name", SIX)
def test_no_duplicates_and_sorted(name: str, rng: np.random.Generator) -> None:
    arm = hk.Model.from_dh(SIX[name])
    found = arm.solutions(arm.fk(rng.uniform(-pi, pi, (100, 6))))
    for rows, n in zip(found.q, found.count, strict=True):
        for i in range(n):
            for j in range(i):
                assert wrapped(rows[i] - rows[j]).max() >= 1e-6
        assert (np.diff(rows[:n, 0]) >= -1e-9).all()


@pytest.mark.parametrize("name", ["ur5", "puma", "skew", "crx", "general"])
def test_newton_from_random_starts_finds_no_more(name: str, rng: np.random.Generator) -> None:
    """A plain Newton method in NumPy, which shares no code with the solver."""
    arm = hk.Model.from_dh(SIX[name])
    for _ in range(4):
        pose = arm.fk(rng.uniform(-pi, pi, 6))
        found = arm.solutions(pose)
        q = rng.uniform(-pi, pi, (400, 6))
        for _ in range(40):
            now = arm.fk(q)
            turn = pose[:3, :3] @ np.swapaxes(now[:, :3, :3], 1, 2)
            error = np.concatenate(
                [
                    pose[:3, 3] - now[:, :3, 3],
                    0.5
                    * np.stack(
                        [
                            turn[:, 2, 1] - turn[:, 1, 2],
                            turn[:, 0, 2] - turn[:, 2, 0],
                            turn[:, 1, 0] - turn[:, 0, 1],
                        ],
                        axis=1,
                    ),
                ],
                axis=1,
            )
            jacobian = arm.jacobian(q)
            step = np.linalg.solve(jacobian + 1e-12 * np.eye(6), error[:, :, None])[:, :, 0]
            size = np.abs(step).max(axis=1, keepdims=True)
            q = q + step * np.minimum(1, 0.3 / np.maximum(size, 1e-300))
        good = np.abs(arm.fk(q) - pose).max(axis=(1, 2)) < 1e-11
        assert good.sum() > 10
        for row in q[good]:
            assert (wrapped(found.q - row).max(axis=1) < 1e-5).any()


def test_manseur_doty_has_sixteen() -> None:
    """Manseur and Doty, International Journal of Robotics Research 8 (1989) 75-79."""
    alpha = np.radians([90, 1, 90, 1, 90, 1])
    table = np.stack([np.zeros(6), [0, 0, 0.2, 0, 0, 0], [0.3, 1, 0, 1.5, 0, 0], alpha], axis=1)
    pose = np.eye(4)
    pose[:3] = [
        [-0.760117, -0.641689, 0.102262, -1.140175],
        [0.133333, 0, 0.991071, 0],
        [-0.635959, 0.766965, 0.085558, 0],
    ]
    u, _, vt = np.linalg.svd(pose[:3, :3])
    pose[:3, :3] = u @ vt
    arm = hk.Model.from_dh(table)
    found = arm.solutions(pose)
    assert found.count == 16
    assert found.method == "general"
    assert np.abs(arm.fk(found.q) - pose).max() < 1e-10


def test_denso_has_four(rng: np.random.Generator) -> None:
    arm = hk.Model.from_dh(DENSO)
    q = rng.uniform(-pi, pi, (300, 5))
    found = arm.solutions(arm.fk(q))
    assert found.count.max() == 4
    assert (found.count == 4).mean() > 0.5
    for k in range(300):
        assert contains(found, q[k], k)


def test_five_axes_cannot_meet_any_pose(rng: np.random.Generator) -> None:
    arm = hk.Model.from_dh(DENSO)
    pose = arm.fk([0.3, 0.5, -0.8, 0.2, 0.1])
    pose[:3, :3] = pose[:3, :3] @ [[1, 0, 0], [0, 0.8, -0.6], [0, 0.6, 0.8]]
    found = arm.solutions(pose)
    assert found.count == 0
    assert found.q.shape == (0, 5)
    near = arm.solutions(pose, closest=True)
    assert near.count == 1
    assert not near.exact[0]
    assert np.linalg.norm(arm.fk(near.q[0])[:3, 3] - pose[:3, 3]) < 0.3


@pytest.mark.parametrize("name", ["ur5", "puma", "irb120"])
@pytest.mark.parametrize("joint", ["wrist", "elbow", "both"])
def test_singular_poses_have_an_answer(name: str, joint: str, rng: np.random.Generator) -> None:
    arm = hk.Model.from_dh(SIX[name])
    q = rng.uniform(-pi, pi, (200, 6))
    if joint != "elbow":
        q[:, 4] = 0
    if joint != "wrist":
        q[:, 2] = {"ur5": 0, "puma": HALF + np.arctan2(0.0203, 0.4318), "irb120": 0}[name]
        if name == "irb120":
            q[:, 2] = -HALF + np.arctan2(0.302, 0.07) - pi
    poses = arm.fk(q)
    found = arm.solutions(poses)
    assert (found.count > 0).all()
    there = np.arange(found.q.shape[1]) < found.count[:, None]
    wanted = np.broadcast_to(poses[:, None], (*there.shape, 4, 4))[there]
    assert np.abs(arm.fk(found.q[there]) - wanted).max() < 1e-9
    if joint == "wrist":  # a stretched elbow besides blurs the wrist by the root of the rounding
        assert found.free.any(axis=(1, 2)).all()


def _every_answer_reaches(arm: hk.Model, q: np.ndarray) -> hk.Solutions:
    poses = arm.fk(q)
    found = arm.solutions(poses)
    assert (found.count > 0).all()
    there = np.arange(found.q.shape[1]) < found.count[:, None]
    wanted = np.broadcast_to(poses[:, None], (*there.shape, 4, 4))[there]
    assert np.abs(arm.fk(found.q[there]) - wanted).max() < 1e-10
    return found


@pytest.mark.parametrize("name", ["ur5", "puma", "irb120"])
def test_postures_of_right_angles(name: str) -> None:
    """All 729 postures of -90, 0 and 90 degrees: most of the exact singularities there are."""
    corners = np.array(np.meshgrid(*[[-HALF, 0, HALF]] * 6)).reshape(6, -1).T
    _every_answer_reaches(hk.Model.from_dh(SIX[name]), corners)


@pytest.mark.parametrize("wrist", [False, True])
def test_shoulder_singularities(wrist: bool, rng: np.random.Generator) -> None:
    """UR5: J loses rank with the wrist above the axis; IRB120: wrist centre on the first axis."""
    arm, q = hk.Model.from_dh(UR5), rng.uniform(-pi, pi, (200, 6))
    a2, a3, d5 = -0.425, -0.39225, 0.09465
    c = a2 + a3 * np.cos(q[:, 2]) + d5 * np.sin(q[:, 2] + q[:, 3])
    s = d5 * np.cos(q[:, 2] + q[:, 3]) - a3 * np.sin(q[:, 2])
    q[:, 1] = np.arctan2(-c, s)
    assert np.abs(np.linalg.det(arm.jacobian(q))).max() < 1e-15
    if wrist:
        q[:, 4] = 0
    _every_answer_reaches(arm, q)
    arm, centre = hk.Model.from_dh(IRB120), hk.Model.from_dh(IRB120[:4])
    q = rng.uniform(-pi, pi, (200, 6))
    out = []
    for q[:, 1] in (0, HALF):
        at = centre.fk(q[:, :4])[:, :3, 3]
        out.append(np.cos(q[:, 0]) * at[:, 0] + np.sin(q[:, 0]) * at[:, 1])
    q[:, 1] = np.arctan2(-out[0], out[1])
    if wrist:
        q[:, 4] = 0
    found = _every_answer_reaches(arm, q)
    assert found.free[..., 0].any(axis=1).all()


@pytest.mark.parametrize("name", SIX)
def test_second_opinion(name: str, rng: np.random.Generator) -> None:
    """The union of every elimination of the general method agrees with the method chosen."""
    arm = hk.Model.from_dh(SIX[name])
    for pose in arm.fk(rng.uniform(-pi, pi, (15, 6))):
        one, two = arm.solutions(pose), arm.solutions(pose, method="general")
        assert one.count == two.count
        for row in two.q:  # near singular postures agree to rounding times their condition
            assert wrapped(one.q - row).max(axis=1).min() < 1e-4


def test_free_joint_moves_without_moving_the_frame() -> None:
    arm = hk.Model.from_dh(PUMA)
    pose = arm.fk([0.3, 0.4, 0.5, 0.6, 0.0, 0.2])
    found = arm.solutions(pose)
    for row, free in zip(found.q, found.free, strict=True):
        if free[3]:
            other = row.copy()
            other[3] += 0.4
            other[5] -= 0.4 if abs(row[4]) < 1 else -0.4
            assert np.abs(arm.fk(other) - pose).max() < 1e-9


@pytest.mark.parametrize("size", [1e-2, 1e-4, 1e-6, 1e-8])
@pytest.mark.parametrize("name", ["ur5", "puma"])
def test_calibrated_arms(name: str, size: float, rng: np.random.Generator) -> None:
    """Near-class arms lose nothing: the posture is found and every answer reaches the pose."""
    table = np.array(SIX[name]) + rng.uniform(-size, size, (6, 4))
    arm = hk.Model.from_dh(table)
    q = rng.uniform(-pi, pi, (100, 6))
    poses = arm.fk(q)
    found = arm.solutions(poses)
    assert found.method == "general"
    lost = sum(not contains(found, q[k], k) for k in range(100))
    assert lost == 0
    there = np.arange(found.q.shape[1]) < found.count[:, None]
    wanted = np.broadcast_to(poses[:, None], (*there.shape, 4, 4))[there]
    assert np.abs(arm.fk(found.q[there]) - wanted).max() < 1e-9


def test_limits_drop_postures() -> None:
    wide, tight = hk.Model.from_dh(PUMA), hk.Model.from_dh(PUMA, lower=[-1] * 6, upper=[1] * 6)
    q = [0.3, -0.8, 0.9, -0.4, 0.7, 0.2]
    all_of_them, some = wide.solutions(wide.fk(q)), tight.solutions(wide.fk(q))
    assert 1 <= some.count < all_of_them.count
    assert (np.abs(some.q) <= 1).all()


def test_planar_arms(rng: np.random.Generator) -> None:
    two = hk.chain([0.5, 0.4])
    found = two.solutions(two.fk([0.4, 0.7]), task="position")
    assert found.count == 2
    assert found.method == "planar"
    assert np.abs(found.nearest([0.4, 0.7]) - [0.4, 0.7]).max() < 1e-12
    pose = np.eye(4)
    pose[:2, 3] = 3, 4
    assert two.solutions(pose, task="position").count == 0
    near = two.solutions(pose, task="position", closest=True)
    assert np.abs(two.fk(near.q[0])[:2, 3] - 0.9 * np.array([0.6, 0.8])).max() < 1e-6
    three = hk.chain([0.5, 0.4, 0.2])
    q = rng.uniform(-3, 3, (50, 3))
    found = three.solutions(three.fk(q))
    for k in range(50):
        assert contains(found, q[k], k)


def _shifted(x: float, y: float) -> np.ndarray:
    place = np.eye(4)
    place[:2, 3] = x, y
    return place


PLANAR_KINDS = ["RR", "RP", "PR", "PP", "RRR", "RRP", "RPR", "PRR", "RPP", "PRP", "PPR"]


@pytest.mark.parametrize("kinds", PLANAR_KINDS)
def test_planar_arms_with_slides(kinds: str, rng: np.random.Generator) -> None:
    """Slides lie in the plane by their alpha; each arm's own postures are found."""
    spec = hk.ModelSpec("planar", links=[LinkSpec("base")])
    parent = "base"
    for i, kind in enumerate(kinds):
        axis = (0.0, 0.0, 1.0) if kind == "R" else (np.cos(0.4 + i), np.sin(0.4 + i), 0.0)
        place = _shifted(0.3 + 0.1 * i, 0.1 * i)
        name = "revolute" if kind == "R" else "prismatic"
        spec.links.append(LinkSpec(f"l{i}"))
        spec.joints.append(
            JointSpec(f"j{i}", name, parent, f"l{i}", axis=axis, placement=place, lower=-3, upper=3)
        )
        parent = f"l{i}"
    spec.frames.append(FrameSpec("end", parent, placement=_shifted(0.2, -0.1)))
    arm = hk.Model(spec)
    pose_frame = arm.solutions(np.eye(4), task="position" if len(kinds) == 2 else "pose")
    assert pose_frame.method == "planar"
    q = rng.uniform(-1, 1, (40, len(kinds)))
    found = arm.solutions(arm.fk(q), task="position" if len(kinds) == 2 else "pose")
    for k in range(40):
        assert contains(found, q[k], k)


def test_position_of_three_joints(rng: np.random.Generator) -> None:
    arm = hk.Model.from_dh(PUMA[:3])
    q = rng.uniform(-3, 3, (100, 3))
    found = arm.solutions(arm.fk(q), task="position")
    for k in range(100):
        assert contains(found, q[k], k)
    there = np.arange(found.q.shape[1]) < found.count[:, None]
    wanted = np.broadcast_to(arm.fk(q)[:, None], (*there.shape, 4, 4))[there]
    assert np.abs(arm.fk(found.q[there])[:, :3, 3] - wanted[:, :3, 3]).max() < 1e-10


def test_batch_shapes_and_determinism(rng: np.random.Generator) -> None:
    arm = hk.Model.from_dh(CRX)
    poses = arm.fk(rng.uniform(-pi, pi, (3, 4, 6)))
    whole = arm.solutions(poses)
    assert whole.count.shape == (3, 4)
    assert whole.q.shape[:2] == (3, 4)
    for i in range(3):
        for j in range(4):
            one = arm.solutions(poses[i, j])
            assert one.count == whole.count[i, j]
            assert (one.q == whole.q[i, j, : one.count]).all()
    empty = arm.solutions(np.empty((0, 4, 4)))
    assert empty.q.shape == (0, 0, 6)
    assert empty.count.shape == (0,)


def test_poses_that_are_none() -> None:
    arm = hk.Model.from_dh(UR5)
    bad = np.full((4, 4), np.nan)
    assert arm.solutions(bad).count == 0
    assert arm.solutions(bad, closest=True).count == 0
    for none in (np.zeros((4, 4)), np.diag([1.0, 1, -1, 1])):
        with pytest.raises(hk.ArgumentError, match=r"last row|reflection"):
            arm.solutions(none)


def test_wrong_calls_say_what_is_wrong() -> None:
    arm = hk.Model.from_dh(UR5)
    with pytest.raises(hk.ArgumentError, match="T must have shape"):
        arm.solutions(np.eye(3))
    with pytest.raises(hk.ArgumentError, match="task"):
        arm.solutions(np.eye(4), task="dance")
    with pytest.raises(hk.NotFoundError, match="frame"):
        arm.solutions(np.eye(4), frame="nowhere")
    with pytest.raises(hk.ArgumentError, match="seven joints"):
        arm.solutions(np.eye(4), lock={arm.joint_names[0]: 0.3})
    with pytest.raises(hk.UnsupportedError, match="infinitely many"):
        arm.solutions(np.eye(4), task="position")
    long = hk.chain([0.1] * 9)
    with pytest.raises(hk.UnsupportedError, match="7 joints"):
        long.solutions(np.eye(4))


def test_other_coordinates_keep_their_rest() -> None:
    """A tree: what does not move the frame stays at rest."""
    spec = hk.Model.from_dh(PUMA).spec
    first = spec.joints[0].parent
    spec.links.append(LinkSpec("side_link"))
    spec.joints.append(JointSpec("side", "revolute", first, "side_link", lower=0.2, upper=1.0))
    tip = hk.Model.from_dh(PUMA).tip
    arm = hk.Model(spec)
    at = arm.joint_q_slices["side"].start
    q = arm.sample(seed=3)
    found = arm.solutions(arm.fk(q, frame=tip), frame=tip)
    assert found.count > 0
    assert (found.q[:, at] == arm.rest[at]).all()


def test_the_short_way_is_the_same() -> None:
    """Without a wish a second call goes straight to the core; nothing else may differ."""
    arm = hk.Model.from_dh(PUMA)
    regular = [0.3, 0.4, 0.5, 0.6, 0.7, 0.2]
    for q in (regular, [*regular[:4], 0, 0.2]):
        pose = arm.fk(q)
        short, long = [arm.solutions(pose) for _ in range(2)][1], arm.solutions(pose, samples=3)
        for word in ("q", "count", "exact", "free", "complete", "method", "description", "locked"):
            assert np.array_equal(getattr(short, word), getattr(long, word)), word
        assert (arm.solutions(pose.tolist()).q == long.q).all()
        again = pickle.loads(pickle.dumps(short))
        assert (again.q == short.q).all()
        assert repr(again) == repr(short)
    assert (arm.solutions(T=pose).q == long.q).all()
    with pytest.raises(hk.ArgumentError, match="T must have shape"):
        arm.solutions(np.eye(3))
    with pytest.raises(hk.ArgumentError, match="wants the whole pose"):
        arm.solutions()
    with pytest.raises(AttributeError):
        short.q = long.q


@pytest.mark.parametrize("name", ["ur5", "puma", "skew", "leaning wrist"])
def test_lanes_and_the_careful_way_agree(name: str, rng: np.random.Generator) -> None:
    """Poses beside a singular one go the careful way; farther off they do not."""
    arm = hk.Model.from_dh(SIX[name])
    q, away = rng.uniform(-3, 3, (200, 6)), 10.0 ** rng.uniform(-8, -2, 200)
    q[:, 4] = np.where(rng.random(200) < 0.5, 0, np.pi) + away
    poses = arm.fk(q)
    found = arm.solutions(poses)
    assert (found.count > 0).all()
    for k in np.flatnonzero(
        away > 1e-4
    ):  # nearer, two that all but meet are given as one, or a family
        assert contains(found, q[k], k, 1e-6)
    there = np.arange(found.q.shape[1]) < found.count[:, None]
    wanted = np.broadcast_to(poses[:, None], (*there.shape, 4, 4))[there]
    assert np.abs(arm.fk(found.q[there]) - wanted).max() < 1e-10


@pytest.mark.parametrize("away", [1e-4, 2e-5, 4e-6])
@pytest.mark.parametrize("name", ["crx", "general"])
def test_postures_that_all_but_meet_are_two(
    name: str, away: float, rng: np.random.Generator
) -> None:
    """Two postures on either side of a singular one, `away` from it, stay two."""
    arm, met = hk.Model.from_dh(SIX[name]), 0
    for _ in range(12):
        line = np.tile(rng.uniform(-pi, pi, 6), (400, 1))
        line[:, 2] = np.linspace(-pi, pi, 400)
        det = np.linalg.det(arm.jacobian(line))
        change = np.flatnonzero(det[:-1] * det[1:] < 0)
        if not len(change):
            continue
        low, high = line[change[0]], line[change[0] + 1]
        for _ in range(60):
            middle = 0.5 * (low + high)
            same = np.linalg.det(arm.jacobian(middle)) * det[change[0]] > 0
            low, high = (middle, high) if same else (low, middle)
        still = np.linalg.svd(arm.jacobian(low))[2][5]
        q = low + away * still
        found = arm.solutions(arm.fk(q))
        near = wrapped(found.q - low).max(axis=1) < 10 * away
        assert wrapped(found.q - q).max(axis=1).min() < 1e-7
        assert near.sum() == 2
        assert found.count % 2 == 0
        met += 1
    assert met >= 6


@pytest.mark.parametrize("kinds", ["PPPRRR", "PPRPRR", "PRPRPR", "RRRPPP", "RPPRPR"])
def test_three_slides_in_any_order(kinds: str, rng: np.random.Generator) -> None:
    table = rng.uniform([-pi, -1, -1, -pi], [pi, 1, 1, pi], (6, 4))
    arm = hk.Model.from_dh(table, kinds=kinds)
    q = rng.uniform(-1, 1, (100, 6))
    found = arm.solutions(arm.fk(q))
    assert found.method == "slides"
    assert (found.count == 2).all()
    assert (np.abs(found.q - q[:, None]).max(axis=2).min(axis=1) < 1e-8).all()
    reached = np.abs(arm.fk(found.q) - arm.fk(q)[:, None])
    assert reached.max() < 1e-10


def test_two_slides_and_right_angles(rng: np.random.Generator) -> None:
    """Turns far away in place of slides lose postures on such arms; the scan of a turn does not."""
    looked = 0
    for _ in range(25):
        table = HALF * rng.integers(-1, 3, (6, 4)).astype(float)
        table[:, 1:3] = rng.choice([0, 0.3, 0.5, 0.2], (6, 2))
        at = rng.choice(6, 2, replace=False)
        arm = hk.Model.from_dh(table, kinds="".join("P" if k in at else "R" for k in range(6)))
        q = rng.uniform(-1, 1, (8, 6))
        found = arm.solutions(arm.fk(q))
        assert (found.count > 0).all()
        for k in range(8):
            turned = wrapped(found.q[k] - q[k]).max(axis=1)[: found.count[k]]
            if np.linalg.svd(arm.jacobian(q[k]))[1][-1] > 1e-6:
                assert turned.min() < 1e-6
                looked += 1
    assert looked > 50


#: arms of right angles with a slide and three parallel turns, each with a posture whose fellow has
#: nearly the same hidden joint: right angles of theta, of alpha, d, a, and the posture
NEARLY_DOUBLE = [
    (
        ([0, 0, 0, 2, 0, 0], [1, -1, -1, 0, 0, -1]),
        ([0.5, 0.0, 0.0, 0.5, 0.3, 0.3], [0.2, 0.2, 0.2, 0.5, 0.3, 0.0]),
        [0.896237, 1.622699, -2.848835, -2.951309, -0.013782, -0.259649],
    ),
    (
        ([1, -1, 1, 0, 2, -1], [1, -1, -1, 0, 0, -1]),
        ([0.2, 0.0, 0.0, 0.5, 0.0, 0.3], [0.5, 0.3, 0.3, 0.3, 0.3, 0.3]),
        [0.0491, -0.0438, 0.0801, 2.8559, 2.5739, -0.4683],
    ),
    (
        ([2, -1, 0, -1, 2, 0], [-1, -1, 1, 2, 2, 0]),
        ([0.3, 0.5, 0.3, 0.0, 0.5, 0.0], [0.0, 0.3, 0.5, 0.3, 0.3, 0.5]),
        [0.001, 1.083, -2.339, 0.375, -3.033, 2.363],
    ),
    (
        ([2, 2, -1, 2, 1, 2], [-1, 1, -1, 2, 0, 1]),
        ([0.5, 0.2, 0.2, 0.0, 0.0, 0.0], [0.0, 0.2, 0.2, 0.2, 0.2, 0.2]),
        [0.7578, -2.2208, -2.9996, -0.9442, 1.559, 0.7628],
    ),
]


@pytest.mark.parametrize(("angles", "lengths", "posture"), NEARLY_DOUBLE)
def test_slide_and_three_parallel_turns(
    angles: tuple[list[int], list[int]],
    lengths: tuple[list[float], list[float]],
    posture: list[float],
) -> None:
    """Two turns carry the direction of the three round, the slide is linear: nothing is nearly double."""
    theta, alpha = HALF * np.array(angles)
    arm = hk.Model.from_dh(np.column_stack([theta, *lengths, alpha]), kinds="PRRRRR")
    q = np.array(posture)
    found = arm.solutions(arm.fk(q))
    assert found.method == "parallel"
    assert found.complete
    assert found.count % 2 == 0
    assert wrapped(found.q[: found.count] - q).max(axis=1).min() < 1e-5
    assert np.abs(arm.fk(found.q[: found.count]) - arm.fk(q)).max() < 1e-10
    away = arm.fk(q)
    away[:3, 3] += 9.0
    assert arm.solutions(away).count == 0


@pytest.mark.parametrize("n", [4, 5, 6, 7])
def test_joints_to_spare_are_families_and_never_nothing(n: int, rng: np.random.Generator) -> None:
    arm = hk.chain([0.3] * n)
    poses = arm.fk(rng.uniform(-1, 1, (30, n)))
    found = arm.solutions(poses)
    assert (found.count > 0).all()
    assert found.free.any(axis=(1, 2)).all()
    assert not found.complete.any()
    assert "while the frame stays" in found.description
    there = np.arange(found.q.shape[1]) < found.count[:, None]
    wanted = np.broadcast_to(poses[:, None], (*there.shape, 4, 4))[there]
    assert np.abs(arm.fk(found.q[there]) - wanted).max() < 1e-9
    far = poses[0].copy()
    far[0, 3] = 3.0
    assert arm.solutions(far).count == 0


def test_a_tip_on_the_first_axis_is_a_family() -> None:
    arm = hk.chain([0.5, 0.5])
    found = arm.solutions(np.eye(4), task="position")
    assert found.count == 1
    assert found.free.tolist() == [[True, False]]
    for turn in (-2.0, 0.4):
        assert np.abs(arm.fk([turn, found.q[0, 1]])[:3, 3]).max() < 1e-12


def test_a_last_row_that_is_none_is_refused() -> None:
    arm = hk.chain([0.5, 0.4, 0.2])
    pose = arm.fk([0.2, 0.5, 0.3])
    assert arm.solutions(pose).count == 2
    pose[3] = [0, 0, 0.1, 1]
    with pytest.raises(hk.ArgumentError, match="last row"):
        arm.solutions(pose)


@pytest.mark.parametrize("size", [1e-9, 3e-10, 1e-10, 1e-11, 1e-12])
@pytest.mark.parametrize("name", ["ur5", "puma", "irb120"])
def test_angles_printed_with_few_digits(name: str, size: float, rng: np.random.Generator) -> None:
    """A right angle written as 1.570796327 is off by 2e-10: nearly of the class, and not quite."""
    for _ in range(2):
        arm = hk.Model.from_dh(np.array(SIX[name]) + rng.uniform(-size, size, (6, 4)))
        q = rng.uniform(-pi, pi, (60, 6))
        poses = arm.fk(q)
        found = arm.solutions(poses)
        assert all(contains(found, q[k], k) for k in range(60))
        there = np.arange(found.q.shape[1]) < found.count[:, None]
        wanted = np.broadcast_to(poses[:, None], (*there.shape, 4, 4))[there]
        assert np.abs(arm.fk(found.q[there]) - wanted).max() < 1e-10


@pytest.mark.parametrize("table", [SKEW, GENERAL])  # in lanes, and one by one
@pytest.mark.parametrize("room", [(-20.0, -4.0), (4.0, 20.0), (-20.0, 20.0)])
def test_turns_are_the_nearest_to_zero_that_the_limits_allow(
    room: tuple[float, float], table: list[list[float]]
) -> None:
    arm = hk.Model.from_dh(table, lower=room[0], upper=room[1])
    q = arm.solutions(arm.fk(np.full(6, 0.5) + 2 * pi * np.sign(sum(room)))).q
    assert len(q)
    nearer = q - 2 * pi * np.sign(q)
    inside = (nearer >= room[0]) & (nearer <= room[1])
    assert not (inside & (np.abs(nearer) < np.abs(q) - 1e-9)).any()
