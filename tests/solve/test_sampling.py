"""Sampling solvers: against their twins, SciPy's optimisers, and what must hold."""

from __future__ import annotations

import numpy as np
import pytest
from human_figures import HUMANS, human_arm
from hypothesis import given, settings
from hypothesis import strategies as st
from solver_figures import FIGURES, columns, goal_of, two_arms

import handik as hk
from handik import Axis, Outcome, Pose, Position, Problem, Solver
from handik.errors import ArgumentError
from handik.testing import Tree, sampling_solve
from handik.testing.genes import Genes, Numbers
from handik.testing.sampling import METHODS

TIGHT = {"position_tolerance": 1e-9, "orientation_tolerance": 1e-9}
ALL = {**FIGURES, "two arms": two_arms, **HUMANS}
#: Renewals off, so that the core does what the twins do.
PLAIN = {
    "simulated_annealing": {"reheats": 0},
    "genetic": {"population": 12, "renewals": 0},
    "memetic": {"population": 8, "polish": 3, "wipeouts": 0},
    "particle_swarm": {"particles": 10, "renewals": 0},
}


def tip_of(model):
    return "tip" if "tip" in model.frame_names else "f0"


def compare(model, terms, goals, method, iterations, seed, atol=1e-9, **options):
    tree = Tree(model)
    own = {k: v for k, v in {**PLAIN[method], **options}.items()}
    twin_own = {k: v for k, v in own.items() if k not in ("reheats", "renewals", "wipeouts")}
    target = np.concatenate([columns(g) for g in goals])
    got = Solver(method, max_iter=iterations, seed=seed, **own)(
        Problem(model, terms), target, trace=True
    )
    twin = sampling_solve(
        tree, goals, model.rest, method, max_iter=iterations, seed=seed, **twin_own
    )
    assert got.iterations == twin.iterations
    np.testing.assert_allclose(got.trace.error[: len(twin.trace)], twin.trace, rtol=1e-8, atol=atol)
    # of equal errors, or of balls by either sign, the tip decides
    for goal in goals:
        np.testing.assert_allclose(
            tree.fk(got.q, goal.frame), tree.fk(twin.q, goal.frame), atol=1e-7
        )
    return got, twin


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ALL)
def test_core_and_twin_agree(method, name):
    model = ALL[name]()
    tree = Tree(model)
    # the twin's Levenberg-Marquardt knows no cones: there it only breeds
    options = {"polish": 0} if method == "memetic" and tree.cones else {}
    for seed in range(2):
        goal = goal_of(model, tree, model.sample(1, seed=seed)[0], "pose", tip_of(model), **TIGHT)
        got, _ = compare(
            model, [Pose(frame=tip_of(model), **TIGHT)], [goal], method, 4, seed, **options
        )
        assert got.iterations == 4 or got.converged


@pytest.mark.parametrize("method", METHODS)
def test_several_goals_and_all_options_agree_with_the_twin(method):
    model = two_arms()
    tree, q = Tree(model), model.sample(1, seed=3)[0]
    goals = [
        goal_of(model, tree, q, "position", "f0", weight=2.0, **TIGHT),
        goal_of(model, tree, q, "axis", "f1", weight=0.5, **TIGHT),
    ]
    terms = [Position(frame="f0", weight=2.0, **TIGHT), Axis(frame="f1", weight=0.5, **TIGHT)]
    others = {
        "simulated_annealing": {"initial_temperature": 0.05, "cooling": 0.7},
        "genetic": {"elites": 2, "tournament": 4, "crossover": 0.4, "blend": 0.1, "mutation": 0.5},
        "memetic": {"elites": 3, "polish": 1},
        "particle_swarm": {"phi": 4.5, "neighbours": 1},
    }
    compare(model, terms, goals, method, 6, 7, **others[method])


# -- genes ----------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(ALL)), st.integers(0, 2**32), st.floats(0, 5))
def test_any_mixture_is_put_inside(name, seed, size):
    model = ALL[name]()
    genes = Genes(Tree(model), [_any_goal(model)])
    numbers = Numbers(seed, "test")
    a, b = genes.draw(numbers), genes.draw(numbers)
    x = genes.right(a + size * genes.way(a, b))
    q = genes.write(x, model.rest)
    np.testing.assert_allclose(model.clip(q), q, atol=1e-9)
    there = genes.write(genes.right(a + genes.way(a, b)), model.rest)
    wanted = genes.write(b, model.rest)
    frame = tip_of(model)
    np.testing.assert_allclose(
        model.fk(there, frame=frame), model.fk(wanted, frame=frame), atol=1e-9
    )


def _any_goal(model):
    return goal_of(model, Tree(model), model.rest, "pose", tip_of(model))


def test_numbers_are_uniform():
    numbers = Numbers(5, "gene")
    u = np.array([numbers() for _ in range(20000)])
    assert abs(u.mean() - 0.5) < 0.01
    assert np.abs(np.histogram(u, 10, (0, 1))[0] - 2000).max() < 220
    assert Numbers(5, "gene", 1)() != Numbers(5, "gene")() != Numbers(6, "gene")()


# -- what must hold -------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(sorted(METHODS)),
    st.sampled_from(sorted(ALL)),
    st.sampled_from(["position", "pose", "axis"]),
    st.integers(0, 10**6),
)
def test_answers_are_inside_and_the_best_seen(method, name, kind, seed):
    model = ALL[name]()
    term = {"position": Position, "pose": Pose, "axis": Axis}[kind](frame=tip_of(model))
    goal = goal_of(model, Tree(model), model.sample(1, seed=seed)[0], kind, tip_of(model))
    q0 = model.sample(1, seed=seed + 1)[0]
    problem = Problem(model, [term])
    solver = Solver(method, max_iter=5, seed=seed)
    got = solver(problem, columns(goal), q0=q0, trace=True)
    np.testing.assert_allclose(model.clip(got.q), got.q, atol=1e-12)
    assert got.iterations <= 5
    met, error, *_ = problem.evaluate(columns(goal), got.q)
    assert got.converged == met
    assert got.error == pytest.approx(float(error), abs=1e-12)
    if kind != "pose":  # of a pose the best is by the scaled error, the trace is not
        assert got.error <= np.nanmin(got.trace.error) * (1 + 1e-9) + 1e-9
    again = solver(problem, columns(goal), q0=q0)
    assert again.q.tobytes() == got.q.tobytes()


@pytest.mark.parametrize("method", METHODS)
def test_bytes_do_not_depend_on_threads_or_place(method):
    model = human_arm()
    targets = model.fk(model.sample(30, seed=2))[:, :3, 3].copy()
    targets[3] = 5.0
    targets[7] = np.nan
    own = {"solver": method, "max_iter": 15, "retries": 1, "seed": 3}
    whole = model.solve(position=targets, **own)
    parts = model.solve(position=targets, threads=4, **own)
    assert whole.q.tobytes() == parts.q.tobytes()
    assert whole.outcome[7] == Outcome.INVALID
    assert whole.outcome[3] == Outcome.UNREACHABLE
    for i in (0, 4, 29):
        assert model.solve(position=targets[i], **own).q.tobytes() == whole.q[i].tobytes()


@pytest.mark.parametrize("method", METHODS)
def test_a_hard_target_is_data(method):
    arm = hk.chain([1.0, 0.7, 0.5], lower=-1.0, upper=1.0)
    behind = arm.solve(position=[-1.0, 0.1, 0.0], solver=method)  # inside the reach, not the limits
    assert not behind.converged
    assert np.all(np.abs(behind.q) <= 1)
    assert behind.outcome in (Outcome.STALLED, Outcome.MAX_ITER)


@pytest.mark.parametrize("method", METHODS)
def test_wrong_options_are_named(method):
    arm = hk.chain([1.0, 1.0])
    info = next(s for s in hk.solvers() if s.name == method)
    for name in info.options:
        with pytest.raises(ArgumentError, match=f"{name} of {method} must be"):
            arm.solve(position=[1.0, 1.0, 0.0], solver=method, **{name: -1.0})
    with pytest.raises(ArgumentError, match="strength"):
        arm.solve(position=[1.0, 1.0, 0.0], solver=method, strength=1.0)


# -- against SciPy ----------------------------------------------------------------------------------


@pytest.mark.parametrize("peer", ["dual_annealing", "differential_evolution"])
def test_the_optimum_of_scipy_is_found(peer):
    """Targets that the limits forbid: the least error is SciPy's too."""
    optimize = pytest.importorskip("scipy.optimize")
    model = FIGURES["crane"]()
    own = {"maxiter": 40} if peer == "dual_annealing" else {"maxiter": 40, "popsize": 8}
    bounds = list(zip(model.lower, model.upper, strict=True))
    for target in ([1.1, 0.2, 1.0], [-0.9, -0.9, 0.9]):

        def distance(q, target=target):
            return float(np.linalg.norm(model.fk(q)[:3, 3] - target))

        try:
            best = getattr(optimize, peer)(distance, bounds, rng=1, **own)
        except TypeError:  # before SciPy 1.15 the seed had another name
            best = getattr(optimize, peer)(distance, bounds, seed=1, **own)
        assert best.fun > 0.01  # out of reach indeed
        for method in METHODS:
            got = model.solve(position=target, solver=method)
            assert not got.converged
            assert got.position_error == pytest.approx(best.fun, abs=2e-4), method
