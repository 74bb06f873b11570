"""FABRIK with closed loops: two ends that must meet, each wanted in the middle between them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from solver_figures import DEG, figure

from handik import Loop, Model, Position, Problem, Solver

SOLVERS = ("fabrik", "fabrik_fast", "hybrid")
PLANAR = ("four_bar", "five_bar")
Array = np.ndarray[Any, Any]


def four_bar(ground: float = 0.6) -> Model:
    """Crank 0.3 and coupler 0.7 on one side, rocker 0.5 on the other; f0 on the coupler."""
    rows = [
        ("revolute", -1, (0, 0, 0), "z", -3.1, 3.1),
        ("revolute", 0, (0.3, 0, 0), "z", -2.8, 2.8),
        ("revolute", -1, (ground, 0, 0), "z", -3.1, 3.1),
    ]
    return figure("four_bar", rows, [(1, (0.35, 0.2, 0)), (1, (0.7, 0, 0)), (2, (0.5, 0, 0))])


def five_bar() -> Model:
    """Two arms of two links that meet in their tips."""
    rows = [
        ("revolute", -1, (0, 0, 0), "z", -3.1, 3.1),
        ("revolute", 0, (0.4, 0, 0), "z", -2.6, 2.6),
        ("revolute", -1, (0.3, 0, 0), "z", -3.1, 3.1),
        ("revolute", 2, (0.4, 0, 0), "z", -2.6, 2.6),
    ]
    return figure("five_bar", rows, [(1, (0.5, 0, 0)), (1, (0.5, 0, 0)), (3, (0.5, 0, 0))])


def balls() -> Model:
    """Two chains of three balls; f0 is on the middle link of one."""
    rows = [
        ("ball", -1, (0, 0, 0), "z", 0, 0),
        ("ball", 0, (0.3, 0, 0), "z", 0, 0),
        ("ball", 1, (0.3, 0, 0), "z", 0, 0),
        ("ball", -1, (0.4, 0, 0), "z", 0, 0),
        ("ball", 3, (0, 0.3, 0), "z", 0, 0),
        ("ball", 4, (0, 0.3, 0), "z", 0, 0),
    ]
    return figure("balls", rows, [(1, (0.15, 0.1, 0)), (2, (0.3, 0, 0)), (5, (0.2, 0, 0))])


def hands() -> Model:
    """Two arms on a chest that turns: the left hand holds a rod by its end, f1; f2 takes that."""
    arm = [
        ((0, 0, 0), "z", -150, 150),
        ((0, 0, 0), "y", -100, 100),
        ((0, 0, 0), "x", -90, 90),
        ((0.3, 0, 0), "y", 0, 145),
        ((0, 0, 0), "x", -85, 85),
        ((0.27, 0, 0), "y", -70, 70),
        ((0, 0, 0), "z", -35, 35),
    ]
    rows = [("revolute", -1, (0, 0, 0.8), "z", -1, 1)]
    for side in (0.2, -0.2):
        for k, (at, axis, low, high) in enumerate(arm):
            parent, place = (len(rows) - 1, at) if k else (0, (0, side, 0.4))
            rows.append(("revolute", parent, place, axis, low * DEG, high * DEG))
    return figure("hands", rows, [(7, (0.1, -0.2, 0)), (7, (0.1, -0.4, 0)), (14, (0.1, 0, 0))])


FIGURES = {"four_bar": four_bar, "five_bar": five_bar, "balls": balls, "hands": hands}


def gap(model: Model, q: Array) -> Array:
    return model.fk(q, frame="f1")[..., :3, 3] - model.fk(q, frame="f2")[..., :3, 3]


def closed(model: Model, n: int) -> Array:
    """Postures whose loop is closed, beside random ones whose ends are within 0.1 m."""
    q = model.sample(400 * n, seed=1)
    q = q[np.linalg.norm(gap(model, q), axis=1) < 0.1]
    problem = Problem(model, [Loop("f1", other="f2", position_tolerance=1e-10)])
    got = Solver("lm")(problem, np.zeros((len(q), 0)), q0=q)
    assert got.converged.all()
    return got.q[:n]


def regular(model: Model, q: Array) -> Array:
    """True where the goal and the loop move with the joints: least singular value over 0.03 m."""
    moves = []
    for unit in 1e-6 * np.eye(model.nq):
        ends = [
            (model.fk(x, frame="f0")[:, :2, 3], gap(model, x)[:, :2]) for x in (q + unit, q - unit)
        ]
        moves.append(np.concatenate([a - b for a, b in zip(*ends, strict=True)], axis=1) / 2e-6)
    rows = np.stack(moves, axis=2)
    return np.asarray(np.linalg.svd(rows, compute_uv=False)[:, -1] > 0.03)


def driven(model: Model) -> Problem:
    at = {"position_tolerance": 1e-4}
    return Problem(model, [Position("f0", **at), Loop("f1", other="f2", **at)])


@pytest.mark.parametrize("name", FIGURES)
def test_a_driven_point_of_a_closed_linkage(name: str) -> None:
    """Targets of closed postures, from open random ones; near singular ones `hybrid` alone."""
    model = FIGURES[name]()
    q = closed(model, 150)
    targets, q0 = model.fk(q, frame="f0")[:, :3, 3], model.sample(len(q), seed=2)
    easy = regular(model, q) if name in PLANAR else np.ones(len(q), bool)
    assert easy.mean() > 0.8
    for solver, least in (("fabrik", 0.6), ("fabrik_fast", 0.99), ("hybrid", 1.0)):
        got = Solver(solver)(driven(model), targets, q0=q0)
        rows = easy if solver == "fabrik_fast" else np.ones(len(q), bool)
        assert got.converged[rows].mean() >= least, solver
        np.testing.assert_allclose(model.clamp(got.q), got.q, atol=1e-12)
        met = got.q[got.converged]
        reached = model.fk(met, frame="f0")[:, :3, 3] - targets[got.converged]
        assert np.linalg.norm(gap(model, met), axis=1).max() <= 1e-4 + 1e-12
        assert np.linalg.norm(reached, axis=1).max() <= 1e-4 + 1e-12


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", FIGURES)
def test_a_loop_alone_closes(name: str, solver: str) -> None:
    model = FIGURES[name]()
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
