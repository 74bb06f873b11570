"""CCD of the core: against its twin, and what must hold of every answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solver_figures import FIGURES, columns, goal_of, hinges, same_end, two_arms

from handik import Axis, Orientation, Outcome, Pose, Position, Problem, Solver, chain
from handik.errors import ArgumentError
from handik.study.twins import Tree, ccd

TOLERANCES = {"position_tolerance": 1e-4, "orientation_tolerance": 1e-3}
TERMS = {"position": Position, "pose": Pose, "orientation": Orientation, "axis": Axis}


def tip_of(model):
    return "tip" if "tip" in model.frame_names else "f0"


# random starts have no twin
FORMS = {
    "ccd": ({"max_restarts": 0}, {}),
    "ccd_fast": ({"max_restarts": 0}, {"perturbations": 1, "extrapolate": True}),
}


def compare(model, goals, terms, q0, max_iter, solver="ccd"):
    tree = Tree(model)
    options, switches = FORMS[solver]
    got = Solver(solver, max_iter=max_iter, **options)(
        Problem(model, terms), np.concatenate([columns(g) for g in goals]), q0=q0, trace=True
    )
    twin = ccd(tree, goals, q0, max_iter=max_iter, **switches)
    assert got.iterations == twin.iterations
    assert got.n_restarts == twin.n_restarts
    assert same_end(got.outcome, twin.outcome)
    np.testing.assert_allclose(tree.difference(got.q, twin.q), 0, atol=1e-9)
    np.testing.assert_allclose(got.trace.error[: len(twin.trace)], twin.trace, atol=1e-9)
    return got


@pytest.mark.parametrize("solver", FORMS)
@pytest.mark.parametrize("kind", TERMS)
@pytest.mark.parametrize("name", FIGURES)
def test_core_and_twin_agree(name, kind, solver):
    model = FIGURES[name]()
    tree = Tree(model)
    rng = np.random.default_rng(9)
    for _ in range(3):
        goal = goal_of(model, tree, tree.sample(rng), kind, tip_of(model), **TOLERANCES)
        term = TERMS[kind](frame=tip_of(model), **TOLERANCES)
        compare(model, [goal], [term], tree.sample(rng), 12, solver)


@pytest.mark.parametrize("solver", FORMS)
def test_two_goals_with_weights_agree_with_the_twin(solver):
    model = two_arms()
    tree = Tree(model)
    rng = np.random.default_rng(10)
    for _ in range(4):
        q = tree.sample(rng)
        goals = [
            goal_of(model, tree, q, "position", "f0", weight=2.0, **TOLERANCES),
            goal_of(model, tree, q, "pose", "f1", **TOLERANCES),
        ]
        terms = [Position(frame="f0", weight=2.0, **TOLERANCES), Pose(frame="f1", **TOLERANCES)]
        compare(model, goals, terms, tree.sample(rng), 12, solver)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(FIGURES)), st.integers(0, 10**6))
def test_limits_hold_and_no_sweep_raises_the_distance(name, seed):
    model = FIGURES[name]()
    q, q0 = model.sample(2, seed=seed)
    got = model.solve(
        position=model.fk(q)[:3, 3],
        q0=q0,
        solver="ccd",
        trace=True,
        perturbations=0,
        max_restarts=0,
        position_tolerance=1e-4,
    )
    assert np.all(got.q >= model.lower - 1e-12)
    assert np.all(got.q <= model.upper + 1e-12)
    trace = got.trace.error[: got.iterations + 1]
    assert np.all(np.diff(trace) <= 1e-12)


@pytest.mark.parametrize("share", [0.9, 0.7, 0.5])
def test_straight_chain_with_its_target_on_its_line(share):
    model = hinges()
    got = model.solve(position=[share, 0, 0], solver="ccd", position_tolerance=1e-3)
    assert got.converged


def test_out_of_reach_gives_the_closest_pose():
    got = hinges().solve(position=[[1.3, 0, 0], [0, 1.2, 0]], solver="ccd")
    assert np.all(got.outcome == Outcome.UNREACHABLE)
    assert np.all(got.position_error <= [0.302, 0.202])


def test_fabrik_needs_fewer_iterations_on_a_planar_path():
    """The thesis's finding, warm-started along a figure of eight."""
    model = hinges()
    s = np.linspace(0, 2 * np.pi, 100, endpoint=False)
    path = np.c_[0.55 + 0.25 * np.sin(s), 0.3 * np.sin(2 * s), 0 * s]
    total = {}
    for solver in ("fabrik", "ccd"):
        q, total[solver] = np.full(9, 0.1), 0
        for point in path:
            got = model.solve(position=point, q0=q, solver=solver, position_tolerance=1e-3)
            assert got.converged
            q, total[solver] = got.q, total[solver] + got.iterations
    assert total["fabrik"] < total["ccd"]


def test_weights_must_be_positive():
    with pytest.raises(ArgumentError, match="position_weight of ccd must be 1e-09 to"):
        hinges().solve(position=[0.5, 0.1, 0], solver="ccd", position_weight=0)


def test_long_chain_takes_linear_time():
    n = 100_000
    got = chain(np.full(n, 1 / n)).solve(
        position=[0.3, 0.2, 0],
        q0=np.full(n, 1e-5),
        solver="ccd",
        max_iter=3,
        position_tolerance=1e-3,
    )
    assert got.iterations >= 1
    assert np.isfinite(got.error)


def crawling(model, share, count, seed):
    """Points so far out, of the reach, that a poses of small bends reach."""
    q = model.sample(count, seed=seed)
    low, high = np.zeros(count), np.ones(count)
    for _ in range(50):
        middle = (low + high) / 2
        far = np.linalg.norm(model.fk(q * middle[:, None])[:, :3, 3], axis=1) > share
        low, high = np.where(far, middle, low), np.where(far, high, middle)
    return np.ascontiguousarray(model.fk(q * low[:, None])[:, :3, 3])


@pytest.mark.parametrize("solver", ["ccd", "ccd_fast"])
@pytest.mark.parametrize("joint", ["ball", "revolute"])
def test_near_the_edge_of_the_reach(solver, joint):
    """48 and 51 % of these were solved, in hundreds of sweeps, before pattern moves were made."""
    count = 250
    model = chain([0.1] * 10 if joint == "ball" else [0.2] * 5, joint)
    share = 1 - 10 ** np.random.default_rng(1).uniform(-4, np.log10(0.02), count)
    if joint == "ball":
        line = np.random.default_rng(2).normal(size=(count, 3))
        target = line * (share / np.linalg.norm(line, axis=1))[:, None]
    else:
        target = crawling(model, share, count, 3)
    problem = Problem(model, [Position(position_tolerance=1e-3)])
    q0 = model.sample(count, seed=4)
    got = Solver(solver, threads=2)(problem, target, q0=q0)
    assert got.converged.all()
    assert got.iterations.mean() < 60
    for k in range(0, count, 50):
        alone = Solver(solver)(problem, target[k], q0=q0[k], trace=True)
        assert alone.q.tobytes() == got.q[k].tobytes()
        assert alone.iterations == got.iterations[k]
        assert len(alone.trace.error) == alone.iterations + 1
        assert alone.trace.error[-1] == pytest.approx(alone.error, abs=1e-13)


def test_one_attempt_as_published_makes_no_pattern_move():
    """`max_restarts=0` crawls, sweep by sweep, as the twin does."""
    model = chain([0.2] * 5)
    target = crawling(model, np.full(1, 0.999), 1, 3)[0]
    options = {"position_tolerance": 1e-3, "q0": model.sample(seed=4), "solver": "ccd"}
    plain = model.solve(position=target, max_restarts=0, **options)
    assert plain.iterations > 10 * model.solve(position=target, **options).iterations


@pytest.mark.parametrize(
    ("solver", "share", "most"),
    [("ccd", 0.98, 60), ("ccd_fast", 0.98, 45), ("ccd", 0.999, 110), ("ccd_fast", 0.999, 80)],
)
def test_near_the_edge_of_the_reach_pattern_moves_take_few_iterations(
    solver: str, share: float, most: float
) -> None:
    # 30 to 73 as it stands; fewer doublings of a move leave most unsolved in a thousand
    arm, rng = chain([0.1] * 10), np.random.default_rng(0)
    way = rng.normal(size=(100, 2))
    way *= share / np.linalg.norm(way, axis=1, keepdims=True)
    goals = np.column_stack([way, np.zeros(100)])
    found = arm.solve(position=goals, q0=arm.sample(100, seed=3), solver=solver, max_iter=1000)
    assert found.converged.all()
    assert found.iterations.mean() < most
