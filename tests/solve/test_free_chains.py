"""Follow the leader and triangulation: against their twins, and what must hold of every answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from solver_figures import FIGURES, frame_index

import handik as hk
from handik import Outcome, Position, Problem, Solver, UnsupportedError, chain
from handik.study.twins import Goal, Tree, fabrik_points, ftl, ftl_points, triangulation
from handik.study.twins.triangulation import aim_bone

TWINS = {"ftl": ftl, "triangulation": triangulation}
LENGTHS = [0.1, 0.3, 0.2, 0.25, 0.15]


def targets_of(lengths, count, seed):
    """Targets in any direction, one in five out of reach, one in seven at the base."""
    rng = np.random.default_rng(seed)
    out = rng.normal(size=(count, 3))
    far = rng.uniform(0.05, 0.95, count)
    far[::5], far[::7] = 1.2, 0
    return out * (sum(lengths) * far / np.linalg.norm(out, axis=1))[:, None]


def points_of(tree, q, tip):
    return np.array([*(x for _, x in tree.world(q)), tip])


@pytest.mark.parametrize("lengths", [LENGTHS, [0.05, 0.7, 0.05], [1.0], [0.2] * 12])
@pytest.mark.parametrize("solver", TWINS)
def test_core_and_twin_agree(solver, lengths):
    model = chain(lengths, "ball")
    tree = Tree(model)
    tip = frame_index(model, "tip")
    settings = {"position_tolerance": 1e-7}
    problem = Problem(model, [Position(weight=2.0, **settings)])
    starts = model.sample(30, seed=1)
    for target, q0 in zip(targets_of(lengths, 30, 4), starts, strict=True):
        goal = Goal(tip, position=target, weight=2.0, **settings)
        got = Solver(solver)(problem, target, q0=q0, trace=True)
        twin = TWINS[solver](tree, goal, q0)
        assert (got.iterations, got.n_restarts) == (twin.iterations, twin.n_restarts)
        assert Outcome(got.outcome).name.lower() == twin.outcome
        np.testing.assert_allclose(got.trace.error, twin.trace, atol=1e-9)
        # at the edge of a triangle rounding bends by the square root of itself
        np.testing.assert_allclose(tree.difference(got.q, twin.q), 0, atol=1e-6)


FREE = st.lists(st.floats(0.01, 1.0), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(FREE, st.integers(0, 10**6), st.sampled_from(sorted(TWINS)))
def test_lengths_and_base_are_kept_and_the_error_is_true(lengths, seed, solver):
    model = chain(lengths, "ball")
    reach = sum(lengths)
    q0, target = model.sample(seed=seed), np.random.default_rng(seed).normal(size=3) * reach / 2
    got = model.solve(position=target, q0=q0, solver=solver, position_tolerance=1e-6 * reach)
    tip = model.fk(got.q)[:3, 3]
    points = points_of(Tree(model), got.q, tip)
    np.testing.assert_array_equal(points[0], 0)
    np.testing.assert_allclose(np.linalg.norm(np.diff(points, axis=0), axis=1), lengths, rtol=1e-12)
    gap = np.linalg.norm(tip - target)
    assert got.position_error == pytest.approx(gap, abs=1e-13)
    assert got.converged == (gap <= 1e-6 * reach)
    far = np.linalg.norm(target)
    least = max(0.0, 2 * max(lengths) - reach)
    if far > reach * (1 + 1e-6) or far < least - 1e-6 * reach:
        assert got.outcome == Outcome.UNREACHABLE
        assert gap == pytest.approx(max(far - reach, least - far), abs=1e-12)
    elif least <= far <= reach:
        assert got.outcome != Outcome.UNREACHABLE


@settings(max_examples=100, deadline=None)
@given(FREE, st.integers(0, 10**6), st.floats(0, 1), st.booleans())
@example([1.0, 1.0], 1, 5e-324, False)  # no digits are left of such a target
def test_triangulation_meets_any_target_in_reach_in_one_sweep(lengths, seed, share, straight):
    model = chain(lengths, "ball")
    reach = sum(lengths)
    least = max(0.0, 2 * max(lengths) - reach)
    along = np.random.default_rng(seed).normal(size=3)
    if straight:
        along = model.fk(model.rest)[:3, 3]  # on the line of the chain
    target = along / np.linalg.norm(along) * (least + share * (reach - least))
    q0 = model.rest if straight else model.sample(seed=seed)
    got = model.solve(position=target, q0=q0, solver="triangulation", position_tolerance=1e-11)
    assert got.converged
    assert got.iterations <= 1
    assert got.n_restarts == 0


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 12), st.integers(0, 10**6))
def test_the_error_of_the_leader_never_rises(n, seed):
    rng = np.random.default_rng(seed)
    points = np.cumsum(np.vstack([np.zeros(3), rng.normal(size=(n, 3))]), axis=0)
    target = rng.normal(size=3)
    *_, trace = ftl_points(points, target, 1e-9, 60, ftol=0, perturbations=0)
    if len(trace) > 2:
        assert (np.diff(trace) <= 1e-12 * (1 + trace[0])).all()


def test_one_drag_is_the_first_pass_of_fabrik_carried_back():
    """What sets the two apart: the same first pass, then a shift instead of a second pass."""
    points = np.array([[0, 0, 0], [1.0, 0, 0], [1, 1, 0], [2, 1, 0.5]])
    target = np.array([0.5, 1.5, 0.2])
    moved, *_ = ftl_points(points, target, 1e-12, 1)
    both, *_ = fabrik_points(points, target, 1e-12, 1)
    tip, at = target, target
    for i in (2, 1, 0):  # by hand
        length = np.linalg.norm(points[i + 1] - points[i])
        at = tip + length * (points[i] - tip) / np.linalg.norm(points[i] - tip)
        np.testing.assert_allclose(moved[i + 1] - moved[i], tip - at, atol=1e-15)
        tip = at
    np.testing.assert_allclose(moved[0], 0, atol=1e-15)
    assert np.abs(both - moved).max() > 1e-2


def test_aim_of_a_bone_by_hand():
    bone, to = np.array([0, 1.0, 0]), np.array([1.0, 0, 0])
    got, closed = aim_bone(3, 4, 5, bone, to)  # a right angle at the end of the bone
    np.testing.assert_allclose(got, [0.6, 0.8, 0], atol=1e-15)
    assert closed
    for sides, sign in (((1, 1, 2.5), 1), ((3, 1, 1), 1), ((1, 3, 1), -1)):
        got, closed = aim_bone(*sides, bone, to)
        np.testing.assert_array_equal(got, sign * to)
        assert not closed


@pytest.mark.parametrize("solver", TWINS)
@pytest.mark.parametrize("name", FIGURES)
def test_what_they_cannot_take_is_said_with_what_can(name, solver):
    model = FIGURES[name]()
    with pytest.raises(UnsupportedError, match=rf"{solver} takes one position .* fabrik takes"):
        model.solve(position=[0.1, 0.2, 0.3], solver=solver)
    free = hk.data("ball10")
    with pytest.raises(UnsupportedError, match="fabrik takes other"):
        free.solve(pose=free.fk(free.rest), solver=solver)


def test_a_hundred_thousand_joints_take_linear_time():
    n = 100_000
    model = chain(np.full(n, 1 / n), "ball")
    target = np.array([0.3, -0.4, 0.2])
    for solver in TWINS:
        got = model.solve(position=target, q0=model.sample(seed=1), solver=solver)
        assert got.converged
