"""Terms between frames and about directions, against NumPy written from the definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from test_problem import MODEL, difference_quotient

import handik as hk
from handik.spec import JointSpec, LinkSpec, ModelSpec

#: Solvers that take any term.
DESCENTS = ("auto", "jacobian_transpose", "pinv", "dls", "sdls", "newton", "gauss_newton", "lm")
DESCENTS += ("gradient_descent", "lbfgs")

Array = np.ndarray[Any, Any]


def point_of(q: Array, frame: str | None, point: Any) -> Array:
    return np.asarray(point) if frame is None else (MODEL.fk(q, frame=frame) @ [*point, 1.0])[:3]


def turn_of(q: Array, frame: str | None) -> Array:
    return np.eye(3) if frame is None else MODEL.fk(q, frame=frame)[:3, :3]


def unit(x: Any) -> Array:
    return np.asarray(x, float) / np.linalg.norm(x)


def angle_of(a: Array, b: Array) -> float:
    return float(np.arctan2(np.linalg.norm(np.cross(a, b)), a @ b))


def definition(term: Any, q: Array, target: Array) -> tuple[Array, float, float]:
    """Residual, distance and angle."""
    if isinstance(term, hk.Level):
        axis = turn_of(q, term.frame) @ unit(term.axis)
        off = angle_of(axis, unit(term.direction)) - term.angle
        return np.array([off]), 0.0, abs(off)
    if isinstance(term, hk.LookAt):
        axis = turn_of(q, term.frame) @ unit(term.axis)
        sight = unit(target - point_of(q, term.frame, term.eye))
        return axis - sight, 0.0, angle_of(axis, sight)
    gap = point_of(q, term.frame, term.point) - point_of(q, term.other, term.other_point)
    length = float(np.linalg.norm(gap))
    if isinstance(term, hk.Distance):
        off = length - np.clip(length, *term.bounds())
        return np.array([off]), abs(off), 0.0
    a, b = turn_of(q, term.frame), turn_of(q, term.other)
    if term.joint == "ball":
        return gap, length, 0.0
    if term.joint == "revolute":
        a, b = a @ unit(term.axis), b @ unit(term.other_axis)
        return np.concatenate([gap, a - b]), length, angle_of(a, b)
    turn = Rotation.from_matrix(a @ b.T).as_rotvec()
    return np.concatenate([gap, turn]), length, float(np.linalg.norm(turn))


POINTS: dict[str, Any] = {"point": (0.1, -0.2, 0.3), "other_point": (0.0, 0.2, 0.1)}
TERMS = [
    hk.Level("l7", axis=(1, 2, 3), direction=(0.1, -1, 2), angle=0.7),
    hk.Level("l8"),
    hk.LookAt("l8", axis=(1, 0, -1), eye=(0.2, 0.1, 0)),
    hk.Distance("l7", "l8", distance=0.4, **POINTS),
    hk.Distance("l7", None, min=0.1, max=0.2, **POINTS),
    hk.Distance("l7", "l2", min=30.0, max=np.inf, **POINTS),
    hk.Loop("l7", "l8", **POINTS),
    hk.Loop("l7", "l4", joint="revolute", axis=(0, 1, 1), other_axis=(1, 0, 0), **POINTS),
    hk.Loop("l8", "l6", joint="weld", **POINTS),
    hk.Loop("l6", None, joint="weld", **POINTS),
]


@pytest.mark.parametrize("term", TERMS, ids=lambda t: f"{type(t).__name__}-{t.frame}")
def test_terms_are_their_definitions(term: Any) -> None:
    problem = hk.Problem(MODEL, [term])
    rng = np.random.default_rng(3)
    assert problem.width == (3 if isinstance(term, hk.LookAt) else 0)
    for seed in range(12):
        q, target = MODEL.sample(seed=seed), 3 * rng.normal(size=problem.width)
        residual, distance, angle = definition(term, q, target)
        if angle > 3.0:
            continue  # beside the half turn the rotation vector jumps
        np.testing.assert_allclose(problem.residual(target, q), residual, atol=1e-12)
        word = problem.evaluate(target, q)
        np.testing.assert_allclose(word.distance, [distance], atol=1e-12)
        np.testing.assert_allclose(word.angle, [angle], atol=1e-12)
        assert word.terms_met[0] == (distance <= 1e-4 * MODEL.max_reach and angle <= 1e-4)
        np.testing.assert_allclose(
            problem.jacobian(target, q), difference_quotient(problem, target, q), atol=2e-7
        )


def test_inside_its_range_a_distance_does_not_pull() -> None:
    problem = hk.Problem(MODEL, [hk.Distance("l7", "l8", min=0.0, max=np.inf)])
    q = MODEL.sample(seed=1)
    assert problem.residual([], q) == 0
    assert not problem.jacobian([], q).any()
    assert problem.evaluate([], q)[0]


def ring(count: int) -> hk.Model:
    """Two arms of hinges and balls from one root, whose ends can meet."""
    spec = ModelSpec("ring", [LinkSpec("root")])
    for side, y in (("a", 0.5), ("b", -0.5)):
        above = "root"
        for k in range(count):
            place = np.eye(4)
            place[:3, 3] = (0, y, 0) if k == 0 else (0.6, 0, 0)
            kind = "ball" if k == 0 else "revolute"
            name = f"{side}{k}"
            joint = JointSpec(f"j{name}", kind, above, name, place)
            joint.axis, joint.axis2 = (0.0, 0.0, 1.0), (1.0, 0.0, 0.0)
            if kind == "revolute":
                joint.lower, joint.upper = -2.5, 2.5
            spec.links.append(LinkSpec(name))
            spec.joints.append(joint)
            above = name
    return hk.Model(spec)


RING = ring(4)


@pytest.mark.parametrize("joint", ["ball", "revolute", "weld"])
@pytest.mark.parametrize("solver", DESCENTS)
def test_every_descent_closes_loops(solver: str, joint: str) -> None:
    ends: dict[str, Any] = {"point": (0.6, 0, 0), "other_point": (0.6, 0, 0)}
    terms = [hk.Loop("a3", "b3", joint=joint, other_axis=(0, 0, 1), **ends)]
    problem = hk.Problem(RING, terms)
    starts = RING.sample(20, seed=5)
    result = hk.Solver(solver, retries=4)(problem, np.empty((20, 0)), q0=starts)
    assert result.converged.all()
    for q in result.q:
        a, b = (RING.fk(q, frame=f) for f in ("a3", "b3"))
        gap = np.linalg.norm(a @ [0.6, 0, 0, 1] - b @ [0.6, 0, 0, 1])
        assert gap <= 1e-4 * RING.max_reach
        assert joint == "ball" or angle_of(a[:3, 2], b[:3, 2]) <= 1.001e-4
        assert (q >= RING.lower).all()
        assert (q <= RING.upper).all()


def test_a_fixed_distance_and_a_level_tool_while_reaching() -> None:
    """The far hand is carried along at a fixed distance, the near one stays level."""
    rng = np.random.default_rng(2)
    terms: list[hk.terms.Term] = [
        hk.Position("a3"),
        hk.Distance("a3", "b3", distance=0.4),
        hk.Level("b3", axis=(1, 0, 0)),
    ]
    problem = hk.Problem(RING, terms)
    assert problem.columns == ("a3.x", "a3.y", "a3.z")
    targets = np.array([1.0, 0.2, 0.0]) + 0.3 * rng.normal(size=(60, 3))
    result = problem_solved = hk.Solver()(problem, targets)
    assert problem_solved.converged.all()
    for q, target in zip(result.q, targets, strict=True):
        a, b = (RING.fk(q, frame=f) for f in ("a3", "b3"))
        assert np.linalg.norm(a[:3, 3] - target) <= 1e-4 * RING.max_reach
        assert abs(np.linalg.norm(a[:3, 3] - b[:3, 3]) - 0.4) <= 1e-4 * RING.max_reach
        assert abs(b[2, 0]) <= 1e-4
    single = hk.Solver()(problem, targets[7])
    np.testing.assert_array_equal(single.q, result.q[7])


def test_lanes_say_that_they_cannot() -> None:
    for term in TERMS[:4] + TERMS[6:]:
        problem = hk.Problem(MODEL, [term])
        with pytest.raises(hk.UnsupportedError, match=r"auto|one pose|pose"):
            hk.Solver("lm_batch")(problem, np.zeros(problem.width))


@pytest.mark.parametrize("solver", ["fabrik", "fabrik_fast", "hybrid", "ccd", "ccd_fast"])
def test_those_that_draw_points_and_axes_take_them(solver: str) -> None:
    """From no start do they end farther off; shares met are in tests/solve/test_drawn_terms.py."""
    q0 = MODEL.sample(5, seed=31)
    for term in TERMS:
        problem = hk.Problem(MODEL, [term])
        target = np.full((5, problem.width), 0.4)
        result = hk.Solver(solver, max_iter=50)(problem, target, q0=q0)
        before = [np.linalg.norm(row) for row in problem.residual(target, q0)]
        assert np.all(result.error <= np.array(before) + 1e-12)
        np.testing.assert_allclose(MODEL.clip(result.q), result.q, atol=1e-12)
        after = [np.linalg.norm(row) for row in problem.residual(target, result.q)]
        np.testing.assert_allclose(result.error, after, atol=1e-10)


def test_bad_terms_are_named() -> None:
    for make, text in (
        (lambda: hk.Level("l7", angle=4.0), "0 to pi"),
        (lambda: hk.Level("l7", direction=(0, 0, 0)), "direction"),
        (lambda: hk.LookAt("l7", eye=(0, 0)), "eye must have 3"),
        (lambda: hk.Distance("l7", min=2.0, max=1.0), "min <= max"),
        (lambda: hk.Distance("l7"), "needs distance="),
        (lambda: hk.Distance("l7", distance=1.0, max=2.0), "not both"),
        (lambda: hk.Loop("l7", joint="rope"), "'ball', 'revolute', 'weld'"),
    ):
        with pytest.raises(hk.ArgumentError, match=text):
            hk.Problem(MODEL, [make()])
    with pytest.raises(hk.NotFoundError, match="no frame is called 'l77'"):
        hk.Problem(MODEL, [hk.Loop("l7", "l77")])
    problem = hk.Problem(MODEL, [hk.Position("l7"), hk.Level("l8"), hk.Pose("l8")])
    with pytest.raises(hk.ArgumentError, match="2 parts are wanted"):
        problem.targets([0, 0, 0])
    with pytest.raises(hk.ArgumentError, match=r"must have shape \(\.\.\., 7\)"):
        problem.targets([0, 0, 0], [1, 2, 3])
    row = problem.targets(np.zeros((4, 1, 3)), np.ones((5, 7)))
    assert row.shape == (4, 5, 10)
    with pytest.raises(hk.ArgumentError, match="broadcast"):
        problem.targets(np.zeros((4, 3)), np.ones((5, 7)))


def test_terms_compare_and_hash_by_value():
    one, two = (hk.Posture(target=np.zeros(6), weights={"a": 1.0}) for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)
    assert one != hk.Posture(target=np.ones(6), weights={"a": 1.0})
    assert one != hk.Posture(target=np.zeros(6), weights={"a": 2.0})
    assert hk.Position() != hk.Orientation()
    assert hk.Axis(axis=[0, 0, 1]) == hk.Axis(axis=(0, 0, 1))
    assert len({hk.Position(), hk.Position(), hk.Position(weight=2.0)}) == 2
    assert hk.Position() != 3
