"""FABRIK, the hybrid and CCD on terms that say anew in every iteration where a point or axis should be.

Levels, looks, distances, and loops closed by a hinge or a weld; the judge is NumPy on frames.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from human_figures import human_arm, upper_body
from loop_figures import hands
from solver_figures import same_end

from handik import (
    Capsule,
    Distance,
    Level,
    LookAt,
    Loop,
    Model,
    Orientation,
    Position,
    Problem,
    SelfCollision,
    Solver,
    UnsupportedError,
)
from handik.problem.terms import Term
from handik.study.twins import FAST, PUBLISHED, Tree, fabrik_tree
from handik.study.twins.wishes import Terms

Array = np.ndarray[Any, Any]
AT = {"position_tolerance": 1e-3, "orientation_tolerance": 1e-2}
TIGHT = {"position_tolerance": 1e-9, "orientation_tolerance": 1e-9}
SOLVERS = ("fabrik", "fabrik_fast", "hybrid", "ccd", "ccd_fast")
AXIS, EYE, ROD = (0.6, 0.0, 0.8), (0.1, 0.02, -0.05), (0.0, 1.0, 0.0)


def angle(a: Array, b: Array) -> Array:
    """Between directions, rows."""
    return np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1))


def turned(model: Model, q: Array, frame: str, axis: Any) -> Array:
    return np.asarray(model.fk(q, frame=frame)[:, :3, :3] @ np.array(axis))


def at(model: Model, q: Array, frame: str) -> Array:
    return np.asarray(model.fk(q, frame=frame)[:, :3, 3])


def held(model: Model, terms: list[Term], count: int) -> Array:
    """Postures inside the limits at which the terms, which have no columns, hold."""
    q0 = model.sample(8 * count, seed=20)
    got = Solver("lm")(Problem(model, terms), np.zeros((len(q0), 0)), q0=q0)
    assert got.converged.sum() >= count
    return np.asarray(got.q[got.converged][:count])


class Task:
    """Terms, targets that can be met, and how far NumPy finds a posture from them."""

    def __init__(self, model: Model, terms: list[Term], target: Array, miss: Callable[..., Array]):
        self.model, self.terms, self.problem = model, terms, Problem(model, terms)
        self.target, self.miss = target, miss


def level(with_point: bool) -> Task:
    """The forearm level, alone and with the tip at a point."""
    model = human_arm()
    q = held(model, [Level("f0", axis=AXIS, **TIGHT)], 80)
    goal = [Position("f0", **AT)] if with_point else []
    return Task(
        model,
        [*goal, Level("f0", axis=AXIS, **AT)],
        at(model, q, "f0") if with_point else np.zeros((80, 0)),
        lambda q, _: np.abs(angle(turned(model, q, "f0", AXIS), np.array([0, 0, 1])) - np.pi / 2),
    )


def look(with_hands: bool) -> Task:
    """A head whose eye is not its origin looks at a point, alone and while two hands reach."""
    model = upper_body()
    q = model.sample(80, seed=21)
    frame = model.fk(q, frame="f0")
    way = np.array(EYE) + 1.3 * np.array(AXIS)
    point = frame[:, :3, 3] + frame[:, :3, :3] @ way
    goals = [Position(f, **AT) for f in ("f1", "f2")] if with_hands else []
    parts = [at(model, q, f) for f in ("f1", "f2")] if with_hands else []

    def miss(q: Array, target: Array) -> Array:
        frame = model.fk(q, frame="f0")
        eye = frame[:, :3, 3] + frame[:, :3, :3] @ np.array(EYE)
        return angle(frame[:, :3, :3] @ np.array(AXIS), target[:, -3:] - eye)

    terms = [*goals, LookAt("f0", axis=AXIS, eye=EYE, **AT)]
    return Task(model, terms, np.concatenate([*parts, point], axis=1), miss)


def distance(with_point: bool) -> Task:
    """Two hands 0.2 to 0.3 m apart, alone and with one of them at a point."""
    model = upper_body()
    q = held(model, [Distance("f1", "f2", distance=0.25, **TIGHT)], 80)
    goal = [Position("f1", **AT)] if with_point else []

    def miss(q: Array, _: Array) -> Array:
        apart = np.linalg.norm(at(model, q, "f1") - at(model, q, "f2"), axis=1)
        return np.maximum(0, np.maximum(0.2 - apart, apart - 0.3))

    terms = [*goal, Distance("f1", "f2", min=0.2, max=0.3, **AT)]
    return Task(model, terms, at(model, q, "f1") if with_point else np.zeros((80, 0)), miss)


def rod(joint: str, with_point: bool) -> Task:
    """The hands on a rod, by a hinge or rigidly, alone and with the rod's middle at a point."""
    model = hands()
    more = {"axis": ROD, "other_axis": ROD} if joint == "revolute" else {}
    q = held(model, [Loop("f1", other="f2", joint=joint, **more, **TIGHT)], 60)
    goal = [Position("f0", **AT)] if with_point else []

    def miss(q: Array, _: Array) -> Array:
        gap = np.linalg.norm(at(model, q, "f1") - at(model, q, "f2"), axis=1)
        axes = [ROD] if joint == "revolute" else list(np.eye(3))
        apart = [angle(turned(model, q, "f1", a), turned(model, q, "f2", a)) for a in axes]
        return np.maximum(gap / 1e-3, np.max(apart, axis=0) / 1e-2) * 1e-3

    terms = [*goal, Loop("f1", other="f2", joint=joint, **more, **AT)]
    return Task(model, terms, at(model, q, "f0") if with_point else np.zeros((60, 0)), miss)


def part(relative_to: str | None) -> Task:
    """A hand on a slanting line of the world, or on a plane that the other hand carries along."""
    model = upper_body()
    q = model.sample(80, seed=26)
    axes = np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 3.0]])[: 2 if relative_to is None else 1]
    unit = axes / np.linalg.norm(axes, axis=1, keepdims=True)

    def coordinates(q: Array) -> Array:
        frame = np.eye(4)[None] if relative_to is None else model.fk(q, frame=relative_to)
        way = at(model, q, "f1") - frame[:, :3, 3]
        return np.einsum("ki,nji,nj->nk", unit, frame[:, :3, :3], way)

    terms = [Position("f1", axes=axes, relative_to=relative_to, **AT)]
    return Task(
        model,
        terms,
        coordinates(q),
        lambda q, target: np.linalg.norm(coordinates(q) - target, axis=1),
    )


def weighed() -> Task:
    """A hand at a point with its axes turned, one of them weighing most."""
    model = upper_body()
    frame = model.fk(model.sample(80, seed=27), frame="f1")
    terms = [Position("f1", **AT), Orientation("f1", axes="zx", weights=(2.0, 0.5), **AT)]
    target = Problem(model, terms).targets(frame[:, :3, 3], frame[:, :3, :3])

    def miss(q: Array, _: Array) -> Array:
        now = model.fk(q, frame="f1")
        turns = [angle(now[:, :3, k], frame[:, :3, k]) for k in range(3)]
        return np.asarray(np.max(turns, axis=0))

    return Task(model, terms, target, miss)


#: Task, least shares of fabrik, fabrik_fast, hybrid, ccd, ccd_fast, and what NumPy may find.
TASKS: dict[str, tuple[Callable[[], Task], tuple[float, ...], float]] = {
    "level": (lambda: level(False), (1, 1, 1, 1, 1), 1e-2),
    "level and point": (lambda: level(True), (0.6, 0.98, 1, 0.6, 0.98), 1e-2),
    "look": (lambda: look(False), (0.9, 1, 1, 1, 1), 1e-2),
    "look and hands": (lambda: look(True), (0.4, 0.98, 1, 0.9, 0.98), 1e-2),
    "distance": (lambda: distance(False), (1, 1, 1, 1, 1), 1e-3),
    "distance and point": (lambda: distance(True), (0.5, 0.98, 1, 0.85, 0.98), 1e-3),
    "hinge": (lambda: rod("revolute", False), (0.9, 0.98, 1, 0.9, 0.95), 1e-3),
    "hinge and point": (lambda: rod("revolute", True), (0.45, 0.95, 1, 0.45, 0.9), 1e-3),
    "weld": (lambda: rod("weld", False), (0.85, 0.98, 1, 0.85, 0.9), 1e-3),
    "line": (lambda: part(None), (0.9, 1, 1, 1, 1), 1e-3),
    "plane that moves": (lambda: part("f2"), (0.9, 1, 1, 0.95, 0.95), 1e-3),
    "weighed axes": (weighed, (0.3, 0.9, 1, 0.6, 0.9), 1e-2),
    "weld and point": (lambda: rod("weld", True), (0.35, 0.9, 1, 0.4, 0.7), 1e-3),
}


@pytest.mark.parametrize("name", TASKS)
def test_targets_that_can_be_met_are_met(name: str) -> None:
    make, least, within = TASKS[name]
    task = make()
    q0 = task.model.sample(len(task.target), seed=22)
    for solver, share in zip(SOLVERS, least, strict=True):
        got = Solver(solver)(task.problem, task.target, q0=q0)
        assert got.converged.mean() >= share, solver
        np.testing.assert_allclose(task.model.clip(got.q), got.q, atol=1e-12)
        assert task.miss(got.q, task.target)[got.converged].max() <= within + 1e-9, solver


def apart(model: Model) -> Task:
    """A hand within 0.3 m of a point of the world, and at a hinge that stands there."""
    q = model.sample(40, seed=24)
    axis, point = turned(model, q, "f1", ROD)[0], at(model, q, "f1")[0]
    hinge = Loop("f1", other_point=point, axis=ROD, joint="revolute", other_axis=axis, **AT)
    held = Distance("f2", other=None, other_point=at(model, q, "f2")[0], min=0, max=0.3, **AT)
    return Task(model, [hinge, held], np.zeros((40, 0)), lambda q, _: 0 * q[:, 0])


#: Those with several terms, with both sides moving and with one, and idle ones.
TWINS: dict[str, Callable[[], Task]] = {name: make for name, (make, _, _) in TASKS.items()}
TWINS["with the world"] = lambda: apart(upper_body())


@pytest.mark.parametrize("name", TWINS)
def test_core_and_twin_agree(name: str) -> None:
    """Iterate by iterate; the twin projects from its own residuals' definitions."""
    task = TWINS[name]()
    tree, q0 = Tree(task.model), task.model.sample(4, seed=25)
    for solver, options, count in (("fabrik", PUBLISHED, 5), ("fabrik_fast", FAST, 4)):
        run = Solver(solver, max_iter=count, max_restarts=0)
        for target, start in zip(task.target[:4], q0, strict=True):
            got = run(task.problem, target, q0=start, trace=True)
            terms = Terms(task.model, task.terms, target)
            twin = fabrik_tree(tree, terms, start, max_iter=count, options=options)
            assert (got.iterations, got.n_restarts) == (twin.iterations, twin.n_restarts)
            assert same_end(got.outcome, twin.outcome)
            np.testing.assert_allclose(got.trace.error[: len(twin.trace)], twin.trace, atol=1e-7)
            np.testing.assert_allclose(tree.difference(got.q, twin.q), 0, atol=1e-5)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_distance_inside_its_range_pulls_at_nothing(solver: str) -> None:
    """A hand that may be anywhere within 9 m holds back no other one."""
    model = upper_body()
    terms = [Position("f1", **AT), Distance("f2", other=None, min=0.0, max=9.0, **AT)]
    target = at(model, model.sample(20, seed=23), "f1")
    got = Solver(solver)(Problem(model, terms), target, q0=model.clip(model.rest))
    assert got.converged.mean() >= 0.5
    assert np.linalg.norm(at(model, got.q, "f1") - target, axis=1)[got.converged].max() <= 1e-3


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_distance_that_holds_at_the_start_remembers_no_other_target(solver: str) -> None:
    """Its side has no error yet; the last one it had was of the row before."""
    model = upper_body()
    terms = [Position("f1", **AT), Distance("f1", "f2", min=0.05, max=0.6, **AT)]
    target = at(model, model.sample(60, seed=5), "f1")
    problem, q0 = Problem(model, terms), model.sample(60, seed=6)
    whole = Solver(solver)(problem, target, q0=q0)
    for row, start, q in zip(target, q0, whole.q, strict=True):
        assert Solver(solver)(problem, row, q0=start).q.tobytes() == q.tobytes()


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_has_no_points_or_axes_is_refused_by_name(solver: str) -> None:
    hands = [Capsule(frame, (0, 0, 0), (-0.1, 0, 0), 0.05) for frame in ("f1", "f2")]
    problem = Problem(upper_body(), [SelfCollision(capsules=hands, pairs=[(0, 1)])])
    with pytest.raises(UnsupportedError, match=f"{solver} takes .*, not term 0 .clearance"):
        Solver(solver)(problem, np.zeros((1, 0)))
