"""`auto` on arms of six turns with a closed form: which posture, when, and the same bytes always."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy import pi
from test_lm_lanes import puma

import handik as hk
from handik import _core
from handik.study.twins.closed import nearest_posture, turned_near

CLOSE = {"position_tolerance": 1e-5, "orientation_tolerance": 1e-5}
FIELDS = ("q", "outcome", "error", "iterations", "n_restarts")
UR5 = [(0, 0.089159, 0, pi / 2), (0, 0, -0.425, 0), (0, 0, -0.39225, 0)]
UR5 += [(0, 0.10915, 0, pi / 2), (0, 0.09465, 0, -pi / 2), (0, 0.0823, 0, 0)]


def wrist_table(rng: np.random.Generator) -> np.ndarray:
    """Draw an arm whose last three axes meet: theta, d, a, alpha a row."""
    table = rng.uniform([-pi, -0.5, -0.5, -pi], [pi, 0.5, 0.5, pi], (6, 4))
    table[3, 2] = table[4, 1] = table[4, 2] = 0
    return table


def parallel_table(rng: np.random.Generator) -> np.ndarray:
    """Draw an arm whose second, third and fourth axes are parallel."""
    table = rng.uniform([-pi, -0.5, -0.5, -pi], [pi, 0.5, 0.5, pi], (6, 4))
    table[1, 3] = table[2, 3] = 0
    return table


def limits(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw limits, some narrow, some over more than a turn."""
    low = rng.uniform(-5, 0.5, 6)
    return low, low + rng.uniform(0.5, 9, 6)


def postures(arm: hk.Model, pose: np.ndarray) -> np.ndarray:
    return np.asarray(arm.solutions(pose).q)


@pytest.mark.parametrize("make", [wrist_table, parallel_table])
@pytest.mark.parametrize("seed", range(4))
def test_it_takes_what_its_twin_takes_among_postures_found_by_elimination(make, seed) -> None:
    """The postures come from the union of all eliminations, which knows no closed form."""
    rng = np.random.default_rng(seed)
    table = make(rng)
    low, high = limits(rng)
    free = hk.Model.from_dh(table, lower=np.full(6, -pi), upper=np.full(6, pi))
    arm, compared = hk.Model.from_dh(table, lower=low, upper=high), 0
    for q, start in zip(arm.sample(6, seed=seed), arm.sample(6, seed=seed + 99), strict=True):
        pose = arm.fk(q)
        every = np.asarray(free.solutions(pose, method="general").q)
        for q0 in (start, None):
            near = arm.rest if q0 is None else q0
            wanted = nearest_posture(every, near, low, high)
            got = arm.solve(pose=pose, q0=q0, **CLOSE)
            assert got.converged
            if got.iterations != 1:
                continue  # near a singular posture: by the lanes
            assert wanted is not None
            assert np.abs(got.q - wanted).max() < 1e-6
            compared += 1
    assert compared >= 10


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([wrist_table, parallel_table]))
def test_it_solves_what_has_a_posture_inside_the_limits(seed: int, make) -> None:
    """Poses of the arm without limits; those with limits reach some of them."""
    rng = np.random.default_rng(seed)
    table = make(rng)
    low, high = limits(rng)
    free = hk.Model.from_dh(table, lower=np.full(6, -pi), upper=np.full(6, pi))
    arm = hk.Model.from_dh(table, lower=low, upper=high)
    poses, start = free.fk(free.sample(6, seed=seed)), arm.sample(6, seed=seed + 1)
    got = arm.solve(pose=poses, q0=start, max_restarts=4, **CLOSE)
    assert np.all((got.q >= low) & (got.q <= high))
    off = np.abs(arm.fk(got.q) - poses).max(axis=(1, 2))
    for k, pose in enumerate(poses):
        every = postures(free, pose)
        if len(turned_near(every, start[k], low, high, slack=0)):
            assert got.converged[k]
        assert not got.converged[k] or off[k] < 3e-5
        if got.iterations[k] == 1 and got.converged[k]:
            # the lanes may besides meet, within the tolerance, what just misses the limits
            wanted = nearest_posture(every, start[k], low, high)
            assert wanted is not None
            assert np.abs(got.q[k] - start[k]).max() <= np.abs(wanted - start[k]).max() + 1e-6


def test_same_bytes_alone_in_a_batch_with_threads_and_kernels(isa: str) -> None:
    arm = hk.Model.from_dh(UR5, lower=np.full(6, -6.2), upper=np.full(6, 6.2))
    poses, start = arm.fk(arm.sample(300, seed=1)), arm.sample(300, seed=2)
    poses[7, :3, 3] = 9.0  # out of reach
    q = arm.sample(1, seed=5)[0]
    q[4] = 0.0
    poses[11] = arm.fk(q)  # singular: not for the closed form
    _core.simd_select("base")
    first = arm.solve(pose=poses, q0=start, **CLOSE)
    assert (first.iterations == 1).sum() >= 297
    assert first.outcome[7] == hk.Outcome.UNREACHABLE
    assert first.iterations[11] != 1
    assert first.converged.sum() == 299
    _core.simd_select(isa)
    for threads in (1, 2, 5):
        again = arm.solve(pose=poses, q0=start, threads=threads, **CLOSE)
        for field in FIELDS:
            assert getattr(again, field).tobytes() == getattr(first, field).tobytes(), field
    for k in (0, 7, 11, 299):
        alone = arm.solve(pose=poses[k], q0=start[k], **CLOSE)
        assert alone.q.tobytes() == first.q[k].tobytes()
        assert alone.iterations == first.iterations[k]
    part = arm.solve(pose=poses[5:20], q0=start[5:20], **CLOSE)
    assert part.q.tobytes() == first.q[5:20].tobytes()


def test_a_start_that_meets_the_goal_is_kept() -> None:
    arm = puma()
    q = arm.sample(100, seed=3)
    got = arm.solve(pose=arm.fk(q), q0=q, **CLOSE)
    assert got.converged.all()
    assert np.abs(got.q - q).max() < 1e-7


def test_whole_turns_stay_with_the_start() -> None:
    """A joint over two turns, and one without limits, are not turned back."""
    low, high = np.full(6, -9.0), np.full(6, 9.0)
    low[5], high[5] = -np.inf, np.inf
    arm = hk.Model.from_dh(UR5, lower=low, upper=high)
    q = arm.sample(50, seed=4)
    q[:, 5] += 2 * pi * np.arange(50)
    got = arm.solve(pose=arm.fk(q), q0=q, **CLOSE)
    assert np.abs(got.q - q).max() < 1e-6


def test_more_solutions_change_nothing() -> None:
    """All postures are compared already."""
    arm = puma()
    poses, q0 = arm.fk(arm.sample(40, seed=5)), arm.sample(40, seed=6)
    one, many = (arm.solve(pose=poses, q0=q0, n_candidates=k, **CLOSE) for k in (1, 8))
    assert one.q.tobytes() == many.q.tobytes()


def test_what_the_closed_form_is_not_for_goes_as_by_lm_lanes() -> None:
    """Tight tolerances, no iteration, other goals."""
    arm = puma()
    q, q0 = arm.sample(20, seed=7), arm.sample(20, seed=8)
    poses = arm.fk(q)
    for wishes in (
        {"pose": poses, "position_tolerance": 1e-9, "orientation_tolerance": 1e-9},
        {"pose": poses, "max_iter": 0},
        {"position": poses[:, :3, 3]},
    ):
        a, b = (arm.solve(q0=q0, solver=s, **wishes) for s in ("auto", "lm_batch"))
        assert a.outcome.tobytes() == b.outcome.tobytes()
        assert a.q.tobytes() == b.q.tobytes()


def test_five_joints_with_the_tool_down_take_the_nearest_posture() -> None:
    """Denso's VP-5243, whose poses went to descents: 125 of 222 were answered by another posture than the nearest."""
    arm, rng, compared = hk.data("vp5243"), np.random.default_rng(0), 0
    for q in arm.sample(60, seed=1):
        for pitch in pi / 2 * np.arange(-6, 7):
            q[3] = pitch - q[1] - q[2]
            pose = arm.fk(q)
            if pose[2, 2] > -1 + 1e-12 or abs(q[3]) > pi:
                continue
            start = rng.uniform(arm.lower, arm.upper)
            got, every = arm.solve(pose=pose, q0=start), arm.solutions(pose)
            wanted = nearest_posture(every.q, start, arm.lower, arm.upper)
            assert every.complete
            assert wanted is not None
            assert got.method == hk.Method.CLOSED_FORM
            assert np.abs(got.q - wanted).max() < 1e-6
            compared += 1
    assert compared > 30


@pytest.mark.parametrize("joints", [3, 4, 5])
@pytest.mark.parametrize("make", [wrist_table, parallel_table])
def test_short_arms_take_the_nearest_of_all_postures(make, joints: int, isa: str) -> None:
    """Among the postures that the careful way finds; the same bytes alone, in batches and by every set of kernels."""
    compared = 0
    for seed in range(6):
        rng = np.random.default_rng([seed, joints])
        table = make(rng)[:joints] if make is parallel_table else make(rng)[-joints:]
        low, high = (x[:joints] for x in limits(rng))
        free = hk.Model.from_dh(table, lower=np.full(joints, -pi), upper=np.full(joints, pi))
        arm = hk.Model.from_dh(table, lower=low, upper=high)
        poses, start = arm.fk(arm.sample(20, seed=seed)), arm.sample(20, seed=seed + 99)
        poses[3, :3, 3] *= 5.0  # out of reach
        poses[4, :3, :3] = poses[5, :3, :3]  # more than its joints can do
        poses[6] = poses[6].astype(np.float32)  # met to 1e-7 alone
        _core.simd_select("base")
        first = arm.solve(pose=poses, q0=start, threads=1)
        _core.simd_select(isa)
        got = arm.solve(pose=poses, q0=start, threads=2)
        for field in FIELDS:
            assert getattr(got, field).tobytes() == getattr(first, field).tobytes(), field
        for k in range(20):
            alone = arm.solve(pose=poses[k], q0=start[k])
            assert alone.q.tobytes() == got.q[k].tobytes()
            if got.method[k] != hk.Method.CLOSED_FORM or not got.converged[k]:
                continue
            wanted = nearest_posture(free.solutions(poses[k]).q, start[k], low, high)
            assert wanted is not None
            assert np.abs(got.q[k] - wanted).max() < 1e-6
            compared += 1
        assert not got.converged[3]
    assert compared > 60


def test_a_pose_that_five_joints_only_nearly_meet_is_solved_by_descents() -> None:
    arm = hk.data("vp5243")
    pose = arm.fk([0.3, 0.5, -0.8, 0.2, 0.1])
    pose[:3, 3] += 1e-6 * pose[:3, 0]
    got = arm.solve(pose=pose, position_tolerance=1e-4)
    assert got.converged
    pose[:3, :3] = pose[:3, :3] @ [[1, 0, 0], [0, 0.8, -0.6], [0, 0.6, 0.8]]
    assert not arm.solve(pose=pose).converged


def test_an_arm_without_a_closed_form_is_left_to_descents(rng: np.random.Generator) -> None:
    """Five skew axes."""
    arm = hk.Model.from_dh(rng.uniform([-pi, 0.1, 0.1, 0.3], [pi, 0.5, 0.5, 1.2], (5, 4)))
    got = arm.solve(pose=arm.fk(arm.sample(1, seed=1)[0]))
    assert got.method == hk.Method.CHAIN
