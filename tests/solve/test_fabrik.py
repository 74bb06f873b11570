"""FABRIK of the core: against its twin, and what must hold of every answer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solver_figures import FIGURES, arm, columns, frame_index, goal_of, hinges, two_arms

from handik import Outcome, Problem, Solver, UnsupportedError, chain
from handik.reference import ACCELERATED, PUBLISHED, FabrikOptions, Tree, fabrik_free, fabrik_tree
from handik.terms import Pose, Position

TOLERANCES = {"position_tolerance": 1e-4, "orientation_tolerance": 1e-3}
TERMS = {"position": Position, "pose": Pose}


def tip_of(model):
    return "tip" if "tip" in model.frame_names else "f0"


def solve(model, goal, kind, q0, **settings):
    problem = Problem(model, [TERMS[kind](frame=tip_of(model), **TOLERANCES)])
    return Solver("fabrik", **settings)(problem, columns(goal), q0=q0, trace=True)


def as_options(options: FabrikOptions) -> dict[str, float]:
    return {name: getattr(options, name) for name in FabrikOptions.__dataclass_fields__}


@pytest.mark.parametrize("options", [ACCELERATED, PUBLISHED], ids=["accelerated", "published"])
@pytest.mark.parametrize("kind", ["position", "pose"])
@pytest.mark.parametrize("name", FIGURES)
def test_core_and_twin_agree(name, kind, options):
    model = FIGURES[name]()
    tree = Tree(model)
    rng = np.random.default_rng(7)
    for _ in range(3):
        goal = goal_of(model, tree, tree.sample(rng), kind, tip_of(model), **TOLERANCES)
        q0 = tree.sample(rng)
        # 12 iterations: later ones of a chaotic run amplify the last bits
        got = solve(model, goal, kind, q0, max_iter=12, **as_options(options))
        twin = fabrik_tree(tree, goal, q0, max_iter=12, options=options)
        assert got.iterations == twin.iterations
        assert got.remedies == twin.remedies
        assert Outcome(got.outcome).name.lower() == twin.outcome
        np.testing.assert_allclose(tree.difference(got.q, twin.q), 0, atol=1e-9)
        np.testing.assert_allclose(got.trace[: len(twin.trace)], twin.trace, atol=1e-9)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-6])
def test_free_core_and_twin_agree(tolerance):
    model = chain([0.1, 0.3, 0.2, 0.25, 0.15], "ball")
    tree = Tree(model)
    rng = np.random.default_rng(8)
    problem = Problem(model, [Position(position_tolerance=tolerance)])
    for k in range(20):
        q0 = tree.sample(rng)
        target = rng.normal(size=3)
        target *= (1.2 if k % 5 == 0 else rng.uniform(0.05, 0.95)) / np.linalg.norm(target)
        goal = goal_of(model, tree, q0, "position", "tip", position_tolerance=tolerance)
        goal = type(goal)(goal.frame, position=target, position_tolerance=tolerance)
        got = Solver("fabrik", max_iter=40)(problem, target, q0=q0)
        twin = fabrik_free(tree, goal, q0, max_iter=40)
        assert (got.iterations, got.remedies) == (twin.iterations, twin.remedies)
        assert Outcome(got.outcome).name.lower() == twin.outcome
        np.testing.assert_allclose(tree.difference(got.q, twin.q), 0, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(FIGURES)), st.integers(0, 10**6))
def test_limits_hold_and_the_error_is_true(name, seed):
    model = FIGURES[name]()
    q, q0 = model.sample(2, seed=seed)
    target = model.fk(q)[:3, 3]
    got = model.solve(position=target, q0=q0, solver="fabrik", position_tolerance=1e-3)
    assert np.all(got.q >= model.lower - 1e-12)
    assert np.all(got.q <= model.upper + 1e-12)
    assert got.position_error == pytest.approx(
        np.linalg.norm(model.fk(got.q)[:3, 3] - target), abs=1e-14
    )
    assert got.outcome in (Outcome.CONVERGED, Outcome.STALLED, Outcome.MAX_ITER)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_link_lengths_are_kept(seed):
    model = chain(np.linspace(0.1, 0.3, 8))
    q0 = model.sample(seed=seed)
    target = [*np.random.default_rng(seed).uniform(-1, 1, 2), 0]
    q = model.solve(position=target, q0=q0, solver="fabrik").q
    frames = Tree(model).world(q)
    points = np.array([x for _, x in frames] + [model.fk(q)[:3, 3]])
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    np.testing.assert_allclose(lengths, np.linspace(0.1, 0.3, 8), rtol=1e-12)


@pytest.mark.parametrize("share", [0.95, 0.8, 0.5, 0.3])
def test_straight_chain_with_its_target_on_its_line(share):
    model = hinges()
    got = model.solve(position=[share, 0, 0], solver="fabrik", position_tolerance=1e-3)
    assert got.converged
    got = model.solve(
        position=[0.95, 0, 0], solver="fabrik", position_tolerance=1e-3, **{"nudges": 0}
    )
    assert got.outcome == Outcome.STALLED


@pytest.mark.parametrize("model", [hinges(), chain(np.full(9, 1 / 9), "ball")])
def test_out_of_reach_gives_the_closest_pose(model):
    targets = np.array([[1.3, 0, 0], [0, 1.2, 0], [-1, -1, 0]])
    got = model.solve(position=targets, solver="fabrik", position_tolerance=1e-3)
    assert np.all(got.outcome == Outcome.CLOSEST)
    best = np.linalg.norm(targets, axis=1) - 1
    assert np.all(got.position_error >= best - 1e-12)
    assert np.all(got.position_error <= best + 2e-3)


def test_batch_rows_and_threads_give_the_same_bytes():
    model = arm()
    q = model.sample(300, seed=1)
    targets, q0 = model.fk(q)[:, :3, 3], model.sample(300, seed=2)
    whole = model.solve(position=targets, q0=q0, solver="fabrik")
    for threads in (2, 3):
        other = model.solve(position=targets, q0=q0, solver="fabrik", threads=threads)
        assert whole.q.tobytes() == other.q.tobytes()
    for i in (0, 17, 299):
        alone = model.solve(position=targets[i], q0=q0[i], solver="fabrik")
        assert alone.q.tobytes() == whole.q[i].tobytes()
    assert whole.converged.mean() > 0.9


def test_two_goals_are_refused_with_what_works():
    model = two_arms()
    problem = Problem(model, [Position(frame="f0"), Position(frame="f1")])
    with pytest.raises(UnsupportedError, match="ccd"):
        Solver("fabrik")(problem, np.zeros(6))
    assert frame_index(model, "f1") > frame_index(model, "f0")
    with pytest.raises(UnsupportedError, match="ccd"):
        model.solve(orientation=[1, 0, 0, 0], solver="fabrik")


def test_long_chain_takes_linear_time():
    """A hundred thousand joints: no recursion, no quadratic sweep (that would take hours)."""
    n = 100_000
    model = chain(np.full(n, 1 / n))
    got = model.solve(
        position=[0.3, 0.2, 0],
        q0=np.full(n, 1e-5),
        solver="fabrik",
        max_iter=3,
        position_tolerance=1e-3,
    )
    assert got.iterations >= 1
    assert np.isfinite(got.error)
