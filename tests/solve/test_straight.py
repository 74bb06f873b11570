"""Chains of free balls whose target is out of reach: the nearest posture, by whatever solver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from solver_figures import frame_index, place

import handik as hk
from handik import Method, Outcome, Position, Problem, Solver
from handik.files.read import FrameSpec, JointSpec, LinkSpec, ModelSpec
from handik.study.twins import Goal, Tree, fabrik_free

SOLVERS = [row.name for row in hk.solvers() if row.name != "lm_batch"]
#: One of each way to solve a block, or none, and those that take no other figure.
SOME = ["auto", "fabrik", "ccd", "lm", "hybrid", "ftl", "triangulation", "genetic"]


def chain_on(lengths: list[float], base: np.ndarray, hold: int = -1) -> hk.Model:
    """A chain of balls whose first hangs on a frame that is moved and turned; one may be held."""
    joints = []
    for k in range(len(lengths)):
        at = place(lengths[k - 1], 0, 0) if k else place(*base)
        if k == 0:
            at[:3, :3] = [[0, 0.6, 0.8], [-1, 0, 0], [0, -0.8, 0.6]]
        held = (0.6, 0, 0.8, 0) if k == hold else None
        joints.append(JointSpec(f"j{k}", "ball", f"l{k}", f"l{k + 1}", at, hold=held))
    links = [LinkSpec(f"l{k}") for k in range(len(lengths) + 1)]
    tip = FrameSpec("tip", links[-1].name, place(lengths[-1], 0, 0))
    return hk.Model(ModelSpec("balls", links, joints, [tip], tip="tip"))


def least(lengths: list[float], far: float) -> float:
    """How near anything comes to a target so far from the root."""
    reach = float(np.sum(lengths))
    return max(0.0, far - reach, 2 * max(lengths) - reach - far)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("lengths", [[0.1] * 10, [0.1, 0.9, 0.2], [0.4]])
def test_the_answer_is_exact_and_takes_one_iteration(solver: str, lengths: list[float]) -> None:
    model = hk.chain(lengths, "ball")
    rng = np.random.default_rng(3)
    line = rng.normal(size=(40, 3))
    reach, inner = sum(lengths), 2 * max(lengths) - sum(lengths)
    far = np.where(rng.random(40) < 0.5, rng.uniform(1.01, 3, 40) * reach, 0.0)
    far = np.where(far > 0, far, max(0.0, inner) * rng.uniform(0, 0.95, 40))
    far = far if inner > 0 else np.maximum(far, 1.1 * reach)
    target = line / np.linalg.norm(line, axis=1)[:, None] * far[:, None]
    q0 = model.sample(40, seed=4)
    problem = Problem(model, [Position(position_tolerance=1e-6)])
    got = Solver(solver, threads=1)(problem, target, q0=q0)
    assert (got.outcome == Outcome.UNREACHABLE).all()
    assert (got.iterations == 1).all()
    assert (got.n_restarts == 0).all()
    assert (got.method == Method.CLOSED_FORM).all()
    np.testing.assert_allclose(got.position_error, [least(lengths, f) for f in far], atol=1e-14)
    several = Solver(solver, threads=3)(problem, target, q0=q0)
    assert several.q.tobytes() == got.q.tobytes()
    for k in range(0, 40, 7):
        assert Solver(solver)(problem, target[k], q0=q0[k]).q.tobytes() == got.q[k].tobytes()


def test_targets_in_reach_and_out_of_it_in_one_batch() -> None:
    """Those out of reach leave the lanes to the others, whose bytes they do not change."""
    model = hk.chain([0.1] * 10, "ball")
    target = model.fk(model.sample(60, seed=1))[:, :3, 3]
    target[::3] *= 40
    target[7] = np.nan
    far = np.linalg.norm(target, axis=1) > 1
    q0 = model.sample(60, seed=2)
    problem = Problem(model, [Position(position_tolerance=1e-6)])
    for solver in SOME:
        got = Solver(solver, seed=5)(problem, target, q0=q0)
        assert (got.outcome[far] == Outcome.UNREACHABLE).all()
        assert (got.iterations[far] == 1).all()
        assert got.outcome[7] == Outcome.INVALID
        assert not (got.method[~far & (got.outcome != 0)] == Method.CLOSED_FORM).any()
        alone = Solver(solver, seed=5)(problem, target[~far], q0=q0[~far])
        assert alone.q.tobytes() == got.q[~far].tobytes()


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.one_of(st.just(0.0), st.floats(0.001, 2)), min_size=1, max_size=9).filter(any),
    st.integers(0, 10**6),
    st.one_of(st.sampled_from([0.0, 1.0, 1e300, 1e-300, np.nan]), st.floats(0, 4)),
    st.sampled_from(SOME),
)
@example([0.5, 0.0, 0.5], 1, 1e300, "auto")
@example([1.0, 0.3], 2, 0.0, "auto")
@example([0.3, 0.0, 0.4, 0.0], 3, 2.0, "fabrik")
@example([1.0, 1.0], 4, np.nan, "lm")
def test_any_lengths_base_start_and_distance(
    lengths: list[float], seed: int, share: float, solver: str
) -> None:
    """Bones without length, a target on the base, a long bone that cannot fold: nothing is nearer."""
    if solver in ("ftl", "triangulation") and 0 in lengths[:-1]:
        solver = "auto"
    rng = np.random.default_rng(seed)
    base, line = rng.normal(size=3), rng.normal(size=3)
    model = chain_on(lengths, base)
    line /= np.linalg.norm(line)
    reach = sum(lengths)
    target = base + line * share * reach
    q0 = model.sample(seed=seed)
    options: dict[str, Any] = {"max_iter": 30} if solver == "genetic" else {}
    got = model.solve(
        position=target, q0=q0, solver=solver, position_tolerance=1e-6 * reach, **options
    )
    if np.isnan(share):
        assert got.outcome == Outcome.INVALID
        return
    far = float(np.linalg.norm(target - base)) if share < 1e100 else share * reach
    nearest = least(lengths, far)
    error = np.linalg.norm(model.fk(got.q)[:3, 3] - target) if share < 1e100 else got.position_error
    assert error >= nearest * (1 - 1e-12) - 1e-12
    if nearest > 1.0000001e-6 * reach:
        assert got.outcome == Outcome.UNREACHABLE
        assert got.iterations == 1
        assert error == pytest.approx(nearest, abs=1e-13 * (1 + reach + far))
    elif got.converged:
        assert error <= 1.0000001e-6 * reach
    norms = np.linalg.norm(got.q.reshape(-1, 4), axis=1)
    np.testing.assert_allclose(norms, 1, atol=1e-12)


def test_the_twin_agrees_to_the_balls() -> None:
    model = hk.chain([0.3, 0.25, 0.2], "ball")
    tree, tip = Tree(model), frame_index(model, "tip")
    for seed in range(20):
        q0 = model.sample(seed=seed)
        target = np.random.default_rng(seed).normal(size=3)
        target *= 1.3 / np.linalg.norm(target)
        twin = fabrik_free(tree, Goal(tip, position=target, position_tolerance=1e-6), q0)
        for solver in ("auto", "fabrik"):
            got = model.solve(position=target, q0=q0, solver=solver, position_tolerance=1e-6)
            np.testing.assert_allclose(got.q, twin.q, atol=1e-13)
            assert got.iterations == twin.iterations


@pytest.mark.parametrize("solver", [row.name for row in hk.solvers() if row.plain])
def test_one_attempt_as_published_is_that(solver: str) -> None:
    """`max_restarts=0` asks to see the method; FABRIK's first lines are the comparison of lengths."""
    model = hk.chain([0.1] * 5, "ball")
    plain = next(row.plain for row in hk.solvers() if row.name == solver)
    got = model.solve(position=[0.2, 0.5, 0.3], q0=model.sample(seed=1), solver=solver, **plain)
    method = Method.CLOSED_FORM if solver == "fabrik" else Method.ITERATION
    assert got.method == method
    assert got.outcome in (Outcome.UNREACHABLE, Outcome.MAX_ITER)


def test_rest_below_a_target_out_of_reach_keeps_it() -> None:
    """The straight chain has no freedom left but the twists of its bones, which a rest may take."""
    model = hk.chain([0.2] * 5, "ball")
    problem = Problem(model, [Position(position_tolerance=1e-6), hk.Posture()])
    got = Solver()(problem, [0.9, 0.9, 0.9], q0=model.sample(seed=3))
    assert got.outcome == Outcome.UNREACHABLE
    assert got.position_error == pytest.approx(np.sqrt(3) * 0.9 - 1, abs=1e-6)


def test_the_trace_is_the_start_and_the_answer() -> None:
    model = hk.chain([0.2] * 5, "ball")
    q0 = model.sample(seed=3)
    got = model.solve(position=[0, 0, 2], q0=q0, trace=True)
    assert got.trace.error.tolist() == [
        pytest.approx(np.linalg.norm(model.fk(q0)[:3, 3] - [0, 0, 2])),
        pytest.approx(1.0),
    ]


def test_a_ball_that_is_held_is_no_free_one() -> None:
    model = chain_on([0.3, 0.3, 0.3], np.zeros(3), hold=1)
    got = model.solve(position=[0, 0, 2], q0=model.rest)
    assert got.method != Method.CLOSED_FORM
    np.testing.assert_allclose(np.abs(got.q[4:8]), [0.6, 0, 0.8, 0], atol=1e-12)


@pytest.mark.parametrize("solver", ["auto", "fabrik", "dls"])
def test_any_place_meets_a_tolerance_without_end(solver: str) -> None:
    """A target whose distance overflows was called out of reach, of which nothing is known."""
    arm = hk.chain([0.4, 0.3], "ball")
    for target in ([1e300] * 3, [1e200, 0.0, 0.0], [5.0, 0.0, 0.0]):
        found = arm.solve(position=target, solver=solver, position_tolerance=np.inf)
        assert found.outcome != hk.Outcome.UNREACHABLE, target
    assert found.converged
