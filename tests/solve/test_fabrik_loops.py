"""FABRIK with closed loops: two ends that must meet, each wanted in the middle between them."""

from __future__ import annotations

import numpy as np
import pytest
from loop_figures import LOOPED, PLANAR, closed, driven, five_bar, four_bar, gap, hands, regular

from handik import Loop, Position, Problem, Solver

SOLVERS = ("fabrik", "fabrik_fast", "hybrid")


@pytest.mark.parametrize("name", LOOPED)
def test_a_driven_point_of_a_closed_linkage(name: str) -> None:
    """Targets of closed postures, from open random ones; near singular ones `hybrid` alone."""
    model = LOOPED[name]()
    q = closed(model, 150)
    targets, q0 = model.fk(q, frame="f0")[:, :3, 3], model.sample(len(q), seed=2)
    easy = regular(model, q) if name in PLANAR else np.ones(len(q), bool)
    assert easy.mean() > 0.8
    for solver, least in (("fabrik", 0.6), ("fabrik_fast", 0.99), ("hybrid", 1.0)):
        got = Solver(solver)(driven(model), targets, q0=q0)
        rows = easy if solver == "fabrik_fast" else np.ones(len(q), bool)
        assert got.converged[rows].mean() >= least, solver
        np.testing.assert_allclose(model.clip(got.q), got.q, atol=1e-12)
        met = got.q[got.converged]
        reached = model.fk(met, frame="f0")[:, :3, 3] - targets[got.converged]
        assert np.linalg.norm(gap(model, met), axis=1).max() <= 1e-4 + 1e-12
        assert np.linalg.norm(reached, axis=1).max() <= 1e-4 + 1e-12


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", LOOPED)
def test_a_loop_alone_closes(name: str, solver: str) -> None:
    model = LOOPED[name]()
    problem = Problem(model, [Loop("f1", other="f2", position_tolerance=1e-4)])
    got = Solver(solver)(problem, np.zeros((100, 0)), q0=model.sample(100, seed=3))
    assert got.converged.mean() >= (0.97 if solver == "fabrik" else 1.0)
    assert np.linalg.norm(gap(model, got.q[got.converged]), axis=1).max() <= 1e-4 + 1e-12


@pytest.mark.parametrize("solver", SOLVERS)
def test_rows_and_threads_give_the_same_bytes(solver: str) -> None:
    model = hands()
    problem = driven(model)
    q = closed(model, 24)
    targets, q0 = model.fk(q, frame="f0")[:, :3, 3], model.sample(len(q), seed=4)
    whole = Solver(solver)(problem, targets, q0=q0)
    other = Solver(solver, threads=3)(problem, targets, q0=q0)
    assert whole.q.tobytes() == other.q.tobytes()
    for i in (0, 7, len(q) - 1):
        alone = Solver(solver)(problem, targets[i], q0=q0[i])
        assert alone.q.tobytes() == whole.q[i].tobytes()


@pytest.mark.parametrize("solver", SOLVERS)
def test_ends_that_cannot_meet_come_as_near_as_they_can(solver: str) -> None:
    """Sides of 1 m and 0.5 m, 3 m apart: 1.5 m stay open, and nothing says converged."""
    model = four_bar(ground=3.0)
    problem = Problem(model, [Loop("f1", other="f2")])
    got = Solver(solver)(problem, np.zeros((8, 0)), q0=model.sample(8, seed=5))
    assert not got.converged.any()
    open_by = np.linalg.norm(gap(model, got.q), axis=1)
    np.testing.assert_allclose(got.position_error, open_by, atol=1e-12)
    assert np.all(open_by >= 1.5 - 1e-12)
    assert np.all(open_by <= 1.5 + 5e-2)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_loop_with_the_world_is_a_position(solver: str) -> None:
    model = five_bar()
    target = (0.35, 0.4, 0.0)
    q0 = model.sample(10, seed=6)
    loop = Solver(solver)(
        Problem(model, [Loop("f1", other_point=target)]), np.zeros((10, 0)), q0=q0
    )
    goal = Solver(solver)(Problem(model, [Position("f1")]), np.tile(target, (10, 1)), q0=q0)
    assert loop.converged.all()
    np.testing.assert_allclose(loop.q, goal.q, atol=1e-9 if solver == "hybrid" else 0)


@pytest.mark.parametrize("solver", SOLVERS)
def test_two_points_of_one_link_never_meet(solver: str) -> None:
    model = five_bar()
    problem = Problem(model, [Loop("f1", other="f0", point=(0, 0.1, 0))])
    got = Solver(solver, max_iter=50)(problem, np.zeros((1, 0)), q0=model.sample(1, seed=7))
    assert not got.converged.any()
    assert got.position_error[0] == pytest.approx(0.1, abs=1e-12)
