"""Traces: every solver notes each pose with its error, and noting changes no answer."""

from __future__ import annotations

import numpy as np
import pytest
from human_figures import HUMANS
from solver_figures import FIGURES

import handik as hk
from handik import Outcome, Pose, Position, Problem
from handik.errors import ArgumentError, UnsupportedError
from handik.result.margins import TOUCH, Limit, limits, margins, standing
from handik.study.twins import swing

SOLVERS = [row.name for row in hk.solvers()]


def tasks():
    """Problem, targets and starts: a free chain, an arm with limits by pose, balls in cones."""
    free = hk.chain([0.3, 0.3, 0.2, 0.1], "ball")
    for weight in (1.0, 4.0):
        terms = [Position(weight=weight)]
        yield Problem(free, terms), free.fk(free.sample(6, seed=1))[..., :3, 3], None
    arm = FIGURES["arm"]()
    for terms, width in (([Pose()], 7), ([Position()], 3)):
        problem = Problem(arm, terms)
        T = arm.fk(arm.sample(6, seed=2))
        goals = hk._core.pose_columns(T)[:, :width]
        goals[5, :3] = 9.0, 0.0, 0.0  # out of reach
        yield problem, goals, arm.sample(6, seed=3)
    human = HUMANS["human arm"]()
    yield Problem(human, [Position()]), human.fk(human.sample(6, seed=4))[..., :3, 3], None


@pytest.mark.parametrize("retries", [0, 3])
@pytest.mark.parametrize("name", SOLVERS)
def test_every_solver_notes_poses_with_their_errors(name, retries):
    done = 0
    for problem, targets, q0 in tasks():
        solver = hk.Solver(name, max_iter=40, retries=retries)
        try:
            plain = solver(problem, targets, q0=q0)
        except UnsupportedError:
            continue
        got = solver(problem, targets, q0=q0, trace=True)
        done += 1
        for field in ("q", "outcome", "error", "iterations", "n_restarts"):
            assert getattr(got, field).tobytes() == getattr(plain, field).tobytes(), field
        trace = got.trace
        noted = np.isfinite(trace.error)
        assert noted[:, 0].all()
        assert noted.any(axis=0).all()  # cut to the longest
        if retries == 0:
            np.testing.assert_array_equal(trace.iterations, got.iterations)
        assert (np.diff(noted.astype(int), axis=1) <= 0).all()  # no gaps
        assert np.isfinite(trace.q[noted]).all()
        assert np.isnan(trace.q[~noted]).all()
        # Each pose has the error beside it, by the judge; the round trip of FABRIK's points
        # through q costs a few roundings.
        rows = np.broadcast_to(targets[:, None], (*noted.shape, problem.width))[noted]
        _, error, _, _ = problem.evaluate(rows, trace.q[noted])[:4]
        np.testing.assert_allclose(error, trace.error[noted], rtol=1e-7, atol=1e-9)
        # The answer is among the poses.
        gap = np.abs(trace.q - got.q[:, None]).max(axis=-1)
        assert (np.nanmin(gap, axis=1) < 1e-9).all()
        if q0 is not None and retries == 0:
            np.testing.assert_allclose(trace.q[:, 0], q0, atol=1e-12)
    assert done


def test_positions_and_one_problem():
    arm = FIGURES["arm"]()
    got = arm.solve(position=[0.4, 0.1, 0.5], solver="dls", trace=True)
    trace = got.trace
    k = got.iterations + 1
    assert trace.error.shape == (k,)
    assert trace.positions.shape == (k, len(arm.frame_names), 3)
    np.testing.assert_allclose(
        trace.positions[2, arm.frame_names.index(arm.tip)], arm.fk(trace.q[2])[:3, 3]
    )
    assert trace.iterations == got.iterations
    assert len(trace) == k
    with pytest.raises(TypeError, match="one problem"):
        trace[0]
    many = arm.solve(position=[[0.4, 0.1, 0.5], [np.nan, 0, 0]], solver="dls", trace=True)
    assert many[0].trace.error.shape == (k,)
    assert many.trace[1].iterations == -1
    assert np.isnan(many.trace.positions[1]).all()
    assert not many.trace.active[1].any()
    assert arm.solve(position=[0.4, 0.1, 0.5], solver="dls").trace is None


def test_what_was_solved_is_kept():
    arm = FIGURES["arm"]()
    problem = Problem(arm, [Position()])
    solver = hk.Solver("dls")
    goal = np.array([0.4, 0.1, 0.5])
    for _ in range(2):  # the second call goes straight to the core
        got = solver(problem, goal)
        assert got.problem is problem
        np.testing.assert_array_equal(got.targets, [0.4, 0.1, 0.5])
        before, goal[0] = got.targets.copy(), 0.4
        goal[0] = 7.0
        np.testing.assert_array_equal(got.targets, before)
        goal[0] = 0.4
    batch = solver(problem, np.tile(goal, (3, 2, 1)))
    assert batch.targets.shape == (3, 2, 3)
    assert batch[1, 1].targets.shape == (3,)
    track = arm.track(position=np.tile(goal, (4, 1)))
    assert track.targets.shape == (4, 3)
    assert track[2].problem is track.problem


def test_a_trace_too_large_is_refused_before_any_work():
    arm = FIGURES["arm"]()
    with pytest.raises(ArgumentError, match="lower max_iter"):
        arm.solve(position=[0.4, 0.1, 0.5], solver="dls", max_iter=10**9, trace=True)
    with pytest.raises(ArgumentError, match="1000000 problems"):
        arm.solve(position=np.zeros((10**6, 3)), solver="dls", trace=True)


# -- limits -------------------------------------------------------------------------------------


def test_limits_by_name_and_margin():
    spec = FIGURES["arm"]()
    arm = spec.with_limits({spec.joint_names[0]: (-1.0, 2.0), spec.joint_names[1]: (0.5, 0.5)})
    found = limits(arm)
    assert found[:2] == (
        Limit(arm.joint_names[0], "lower", True, -1.0, 0),
        Limit(arm.joint_names[0], "upper", True, 2.0, 0),
    )
    assert all(one.joint != arm.joint_names[1] for one in found)  # held still
    q = arm.sample(50, seed=0)
    inside = margins(arm, q)
    assert inside.shape == (50, len(found))
    assert (inside >= 0).all()
    np.testing.assert_allclose(inside[:, 0], q[:, 0] + 1.0)
    np.testing.assert_allclose(inside[:, 1], 2.0 - q[:, 0])


def test_margins_of_cones_agree_with_the_twin():
    cone = hk.Cone((0.5, 1.2, 0.9, 0.3), (-0.7, 1.1))
    links = [hk.spec.LinkSpec("a"), hk.spec.LinkSpec("b")]
    joint = hk.spec.JointSpec(
        "shoulder", "ball", "a", "b", axis=(1.0, 0.0, 0.0), axis2=(0.0, 1.0, 0.0), cone=cone
    )
    model = hk.Model(hk.ModelSpec("one", links, [joint]))
    assert [str(one) for one in limits(model)] == [
        "shoulder cone",
        "shoulder lower twist",
        "shoulder upper twist",
    ]
    rng = np.random.default_rng(5)
    q = rng.normal(size=(300, 4))
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    inside = margins(model, q)
    for row, pose in zip(inside, q, strict=True):
        x = swing.split(model.swing[0], pose)
        a, b = swing.half_axes(model.swing[0], x)
        low, high = swing.twist_range(model.swing[0], x)
        beyond = np.hypot(x[0], x[1]) * (1 - 1 / np.hypot(x[0] / a, x[1] / b))  # along its own ray
        excess = max(beyond, low - x[2], x[2] - high, 0.0)
        assert max(0.0, -row.min()) == pytest.approx(excess, abs=1e-12)
        assert row[1] == pytest.approx(x[2] + 0.7, abs=1e-12)
        assert row[2] == pytest.approx(1.1 - x[2], abs=1e-12)
    edge = model.clip(q[inside.min(axis=1) < -0.1])
    assert np.abs(margins(model, edge).min(axis=1)).max() < 1e-9
    assert margins(model, [1.0, 0.0, 0.0, 0.0])[0] == pytest.approx(0.3)


def test_active_limits_are_those_the_pose_stands_on():
    arm = FIGURES["arm"]()
    far = np.array([[-0.9, -0.5, -0.2], [0.3, 0.2, -0.3]])
    got = arm.solve(position=far, solver="dls", trace=True)
    active = got.trace.active
    assert active.shape == (*got.trace.error.shape, len(got.trace.limits))
    assert active.any()
    lower = {joint: arm.lower[at] for joint, at in arm.joint_q_slices.items()}
    for k, limit in enumerate(got.trace.limits):
        if limit.kind != "lower":
            continue
        q = got.trace.q[..., arm.joint_q_slices[limit.joint]][..., 0]
        with np.errstate(invalid="ignore"):
            np.testing.assert_array_equal(active[..., k], q <= lower[limit.joint] + TOUCH)


def test_a_restart_that_wins_is_the_one_traced():
    arm = FIGURES["arm"]()
    goals = arm.fk(arm.sample(60, seed=8))[..., :3, 3]
    once = arm.solve(position=goals, solver="newton", max_iter=15, seed=3)
    again = arm.solve(position=goals, solver="newton", max_iter=15, seed=3, retries=4, trace=True)
    saved = np.flatnonzero((once.outcome != Outcome.CONVERGED) & again.converged)
    assert saved.size
    for k in saved:
        trace = again[k].trace
        assert trace.error[trace.iterations] == pytest.approx(again.error[k], abs=1e-12)
        assert trace.iterations < again.iterations[k]


def test_a_trace_is_indexed_on_its_batch_axes_alone() -> None:
    arm = hk.chain([0.4, 0.3, 0.2])
    trace = arm.solve(position=np.tile([0.3, 0.4, 0.0], (4, 1)), trace=True).trace
    assert trace is not None
    assert trace[..., 1].error.shape == trace[1].error.shape
    np.testing.assert_array_equal(trace[..., 1].q, trace[1].q)
    assert trace[[True, False, True, False]].q.shape[0] == 2
    for index in ((slice(None), 0), (..., 0, 0), (0, 0)):
        with pytest.raises(hk.ArgumentError, match="on its batch axes"):
            trace[index]


def test_a_pose_stands_on_a_limit_within_a_micrometre_or_microradian():
    assert list(standing(np.array([0.0, 0.99e-6, 1.01e-6, -1.0, np.nan]))) == [
        True,
        True,
        False,
        True,
        False,
    ]
    assert TOUCH == 1e-6
