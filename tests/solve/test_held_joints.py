"""Joints that their limits hold, arms of seven joints with one locked or sampled, and whole turns."""

from __future__ import annotations

import numpy as np
import pytest
from dh_tables import HALF, IIWA, UR5
from numpy import pi
from posture_sets import contains

import handik as hk
from handik.closed import analytic
from handik.spec import FrameSpec, JointSpec, LinkSpec


def joint_at(model: hk.Model, place: int) -> str:
    """The joint whose coordinate stands at a place of q."""
    return next(n for n, part in model.joint_q_slices.items() if part == slice(place, place + 1))


@pytest.mark.parametrize(
    "room", [(-4 * pi, -pi - 1), (3.0, 12.0), (-np.inf, 0.0), (0.5, np.inf), (-1.0, 2.0)]
)
def test_values_of_a_locked_joint_are_inside_its_limits(room: tuple[float, float]) -> None:
    low, high = np.full(7, -np.inf), np.full(7, np.inf)
    low[2], high[2] = room
    arm = hk.Model.from_dh(IIWA, lower=low, upper=high)
    q = np.array([0.3, 0.5, 0.0, -0.9, 0.2, 0.7, 0.1])
    q[2] = max(room[0], room[1] - 1) if np.isfinite(room[1]) else room[0] + 1
    found = arm.solutions(arm.fk(q), samples=8, lock=2)
    assert len(np.unique(found.locked.round(9))) > 1
    assert (found.locked >= room[0]).all()
    assert (found.locked <= room[1]).all()
    assert np.ptp(found.locked) <= 2 * pi


#: seven turns; with the fifth held the first three axes still meet
SEVEN = [
    [0, 0.3, 0, HALF],
    [0, 0, 0, -HALF],
    [0, 0.4, 0, HALF],
    [0, 0, 0, -HALF],
    [0, 0.4, 0, HALF],
    [0, 0, 0, -HALF],
    [0, 0.1, 0, 0],
]


def _limited(table: list[list[float]]) -> hk.Model:
    return hk.Model.from_dh(table, lower=-2.8, upper=2.8)


@pytest.mark.parametrize("joint", range(7))
def test_a_held_joint_is_a_link(joint: int) -> None:
    """Seven joints of which one is held are six: every posture, as with `lock` and its value."""
    arm = _limited(SEVEN)
    name = f"joint_{joint + 1}"
    held = arm.locked({name: 0.3})
    q = np.asarray(held.sample(60, seed=3))
    found = held.solutions(held.fk(q))
    same = arm.solutions(arm.fk(q), lock={name: 0.3})
    assert found.locked is None
    assert "seven joints" not in found.description
    for k in range(60):
        rows = found.q[k, : found.count[k]]
        assert (rows[:, joint] == 0.3).all()
        if found.complete[k]:
            assert contains(found, q[k], k, 1e-5)
            for row in same.q[k, : same.count[k]]:
                assert contains(found, row, k, 1e-5)
    assert found.complete.mean() > 0.9 or joint == 3  # with the elbow held the upper arm swivels
    one = held.solutions(held.fk(q[0]))
    assert one.q.tobytes() == held.solutions(held.fk(q[0])).q.tobytes()
    assert one.count == found.count[0]


@pytest.mark.parametrize("held", [{1: 0.3, 4: -0.5}, {0: 0.2, 3: 0.4, 7: -1.0}])
def test_more_joints_with_some_held(held: dict[int, float], rng: np.random.Generator) -> None:
    n = 6 + len(held)
    table = rng.uniform([0, -0.3, -0.3, -pi], [0, 0.3, 0.3, pi], (n, 4))
    arm = hk.Model.from_dh(table).locked({f"joint_{k + 1}": x for k, x in held.items()})
    q = rng.uniform(-2.5, 2.5, (40, n))
    q[:, list(held)] = list(held.values())
    found = arm.solutions(arm.fk(q))
    assert found.complete.all()
    assert all(contains(found, q[k], k) for k in range(40))
    assert (found.q[0, : found.count[0]][:, list(held)] == list(held.values())).all()
    with pytest.raises(hk.UnsupportedError, match="at most 7 joints that move"):
        hk.chain([0.2] * 9).solutions(np.eye(4))


def test_a_held_ball_is_a_link() -> None:
    spec = hk.Model.from_dh(SEVEN[:6]).spec
    spec.links.append(LinkSpec("ball"))
    spec.joints.append(JointSpec("ball", "ball", "link_6", "ball"))
    spec.frames, spec.tip = [FrameSpec("end", "ball")], "end"
    arm = hk.Model(spec).locked({"ball": [0.8, 0.6, 0.0, 0.0]})
    q = np.array([0.3, -0.4, 0.9, 0.2, 0.7, -0.3, 0.8, 0.6, 0.0, 0.0])
    found = arm.solutions(arm.fk(q))
    assert found.count > 0
    assert np.abs(arm.fk(found.q) - arm.fk(q)).max() < 1e-10


def test_samples_are_never_all() -> None:
    arm = _limited(SEVEN)
    q = np.asarray(arm.sample(30, seed=1))
    few = arm.solutions(arm.fk(q), samples=4)
    assert not few.complete.any()
    assert (few.count > 0).any()


def test_the_nearest_posture_of_samples_is_exact_where_it_reaches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(analytic, "HALVINGS", 0)  # that samples miss some
    arm = hk.Model.from_dh(SEVEN, lower=-1.5, upper=1.5)
    q = np.asarray(arm.sample(200, seed=1))
    poses = arm.fk(q)
    few = arm.solutions(poses, samples=1)
    all_met = arm.solutions(poses, samples=1, closest=True)
    none = few.count == 0
    assert none.sum() > 3
    assert (all_met.count > 0).all()
    reached = np.abs(arm.fk(all_met.q[none, 0]) - poses[none]).max(axis=(1, 2)) < 1e-9
    assert (all_met.exact[none, 0] == reached).all()
    assert reached.mean() > 0.9
    assert np.array_equal(all_met.locked[none, 0], all_met.q[none, 0][:, arm_lock(arm)])
    far = poses[0].copy()
    far[0, 3] = 5
    assert not arm.solutions(far, closest=True).exact.any()


def arm_lock(arm: hk.Model) -> int:
    """The coordinate that the core locks by itself."""
    from handik import _core

    return _core.Analytic(arm, None).locked


def test_the_nearest_posture_keeps_the_value_of_the_locked_joint() -> None:
    arm = _limited(SEVEN)
    pose = arm.fk([0.3] * 7)
    pose[:3, 3] *= 3
    found = arm.solutions(pose, lock={joint_at(arm, 2): [0.4, 9.0]}, closest=True)
    assert found.q[0, 0, 2] == 0.4
    assert found.locked[0, 0] == 0.4
    assert found.count.tolist() == [1, 0]  # 9 rad is outside the limits


@pytest.mark.parametrize(
    ("room", "most"), [((0.0, 20.0), 20.0), ((-9.0, np.inf), -9.0), ((-np.inf, 9.0), 9.0)]
)
def test_a_locked_slide_is_sampled_through_its_limits(
    room: tuple[float, float], most: float
) -> None:
    """A whole turn of it was, which is six metres."""
    arm = hk.Model.from_dh(
        [[0, 0, 0, HALF], *SEVEN[1:]],
        kinds="PRRRRRR",
        lower=[room[0], *[-3.0] * 6],
        upper=[room[1], *[3.0] * 6],
    )
    T = np.array([arm.fk([x, 0.3, 0.4, -0.5, 0.6, 0.7, 0.1]) for x in (most, most * 0.9)])
    found = arm.solutions(T, lock=0, samples=401)
    assert (found.count > 0).all()
    held = found.locked[~np.isnan(found.locked)]
    assert (held >= room[0]).all()
    assert (held <= room[1]).all()


def test_whole_turns_stay_inside_the_limits() -> None:
    """By rounding too: a posture just inside one limit is just outside the other a turn away."""
    rng = np.random.default_rng(1)
    for off in (0.0, 1e-12, 1e-10, 5e-10):
        arm = hk.Model.from_dh(SEVEN[:6], lower=-pi, upper=pi)
        q = rng.uniform(-2, 2, 6)
        q[rng.integers(6)] = pi - off
        found = arm.solutions(arm.fk(q), turns=True)
        near = found.nearest(-q)
        assert found.count > 0
        for rows in (found.q, near):
            assert (rows >= -pi).all()
            assert (rows <= pi).all()
        assert np.abs(arm.fk(found.q) - arm.fk(q)).max() < 2e-10


def test_seven_joints_by_locking(rng: np.random.Generator) -> None:
    arm = hk.Model.from_dh(IIWA)
    q = rng.uniform(-2.9, 2.9, (50, 7))
    poses = arm.fk(q)
    found = arm.solutions(poses, lock={joint_at(arm, 2): q[:, 2]})
    assert found.method == "wrist"
    assert (found.count == 8).all()
    for k in range(50):
        assert contains(found, q[k], k)
    other = arm.solutions(poses, lock={joint_at(arm, 4): q[:, 4]})
    for k in range(50):
        assert contains(other, q[k], k)
    many = arm.solutions(poses[0], samples=8)
    assert many.count == 8 * 8
    assert many.exact.shape == (64,)
    assert many.free.shape == (64, 7)
    assert np.abs(arm.fk(many.q) - poses[0]).max() < 1e-10
    assert len(np.unique(many.locked.round(9))) == 8


def test_turns_and_nearest() -> None:
    arm = hk.Model.from_dh(UR5, lower=[-2 * pi] * 6, upper=[2 * pi] * 6)
    q = np.array([0.3, -0.8, 0.9, -0.4, 0.7, 0.2])
    pose = arm.fk(q)
    once, every = arm.solutions(pose), arm.solutions(pose, turns=True)
    assert every.count == once.count * 2**6
    assert np.abs(arm.fk(every.q) - pose).max() < 1e-10
    assert (np.abs(every.q) <= 2 * pi + 1e-9).all()
    assert np.abs(once.nearest(q) - q).max() < 1e-9
    for wanted in (q + 2 * pi * np.eye(6)[0], np.full(6, 4.0), np.full(6, -7.0)):
        best = every.q[np.argmin(np.abs(every.q - wanted).max(axis=1))]
        assert np.abs(once.nearest(wanted) - best).max() < 1e-9
    with pytest.raises(hk.ArgumentError, match="shape"):
        once.nearest([1.0, 2.0])


def test_more_whole_turns_than_memory_holds_are_refused() -> None:
    joints = list(hk.data("ur5").joint_q_slices)
    wide = hk.data("ur5").with_limits({name: (-1000.0, 1000.0) for name in joints})
    pose = wide.fk(np.full(6, 0.3))
    assert wide.solutions(pose).count > 0
    with pytest.raises(hk.ArgumentError, match=r"more than 1000000 postures with turns=True"):
        wide.solutions(pose, turns=True)
    some = hk.data("ur5").with_limits({name: (-9.0, 9.0) for name in joints[:2]})
    assert some.solutions(pose, turns=True).count > some.solutions(pose).count
