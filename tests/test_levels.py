"""Terms about the whole figure, soft terms and strict levels, against NumPy and SciPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.spatial import ConvexHull
from test_problem import MODEL, difference_quotient
from test_terms import RING, point_of

import handik as hk
from handik.problem._constants import apart
from handik.problem._support import hull, inset
from handik.spec import InertialSpec

Array = np.ndarray[Any, Any]


def heavy() -> hk.Model:
    """The figure of every kind of joint with a body on each link."""
    spec = MODEL.spec
    for k, link in enumerate(spec.links):
        centre = np.array([0.05 * k, -0.02, 0.1])
        link.inertial = InertialSpec(1.0 + 0.2 * k, centre, 0.1 * np.eye(3))
    return hk.Model(spec)


HEAVY = heavy()
PAIRS = [(0, 1), (0, 2), (1, 2)]


def nearest_of(corners: list[tuple[float, float]], point: Array) -> Array:
    """Nearest point of a convex polygon, by SciPy."""
    shares = np.ones(len(corners)) / len(corners)
    found = minimize(
        lambda x: np.sum((x @ np.array(corners) - point) ** 2),
        shares,
        bounds=[(0, 1)] * len(corners),
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    return np.asarray(found.x @ np.array(corners))


def test_centre_of_mass_is_that_of_the_dynamics() -> None:
    problem = hk.Problem(HEAVY, [hk.CenterOfMass()])
    assert problem.columns == tuple(f"center_of_mass.{c}" for c in "xyz")
    for seed in range(6):
        q, target = HEAVY.sample(seed=seed), np.array([0.3, -0.2, 0.5])
        want = HEAVY.center_of_mass(q) - target
        np.testing.assert_allclose(problem.residual(target, q), want, atol=1e-12)
        assert abs(problem.evaluate(target, q).distance[0] - np.linalg.norm(want)) < 1e-12
        np.testing.assert_allclose(
            problem.jacobian(target, q), difference_quotient(problem, target, q), atol=1e-7
        )


@pytest.mark.parametrize("margin", [0.0, 0.15])
def test_support_is_the_way_from_its_nearest_point(margin: float) -> None:
    rng = np.random.default_rng(4)
    points = rng.normal(size=(9, 2))
    corners = inset(hull(points), margin)
    problem = hk.Problem(HEAVY, [hk.CenterOfMass(over=points, margin=margin)])
    for seed in range(10):
        q = HEAVY.sample(seed=seed)
        centre = HEAVY.center_of_mass(q)[:2]
        off = centre - nearest_of(corners, centre)
        np.testing.assert_allclose(problem.residual([], q), off, atol=2e-6)
        if np.linalg.norm(off) > 1e-3:
            np.testing.assert_allclose(
                problem.jacobian([], q), difference_quotient(problem, np.empty(0), q), atol=1e-6
            )


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=4, max_size=20))
def test_hull_is_that_of_qhull(points: list[tuple[float, float]]) -> None:
    corners = np.array(hull(points))
    array = np.array(points)
    if len(corners) < 3 or np.linalg.matrix_rank(array - array[0], tol=1e-3) < 2:
        return  # a point or a line, or too flat for Qhull
    assert abs(ConvexHull(array).volume - ConvexHull(corners).volume) < 1e-9


def test_inset_keeps_its_margin() -> None:
    square = hull([[0, 0], [2, 0], [2, 1], [0, 1], [1, 0.5]])
    assert sorted(inset(square, 0.25)) == [(0.25, 0.25), (0.25, 0.75), (1.75, 0.25), (1.75, 0.75)]
    for margin in (0.51, 3.0):
        with pytest.raises(hk.ArgumentError, match="leaves nothing"):
            inset(square, margin)
    with pytest.raises(hk.ArgumentError, match="leaves nothing"):
        inset(hull([[0, 0], [1, 0]]), 0.1)


def capsule(frame: str, radius: float) -> hk.Capsule:
    return hk.Capsule(frame, (0, 0, 0), (0.5, 0, 0), radius)


def test_self_distance_is_what_the_gap_lacks() -> None:
    ends = [hk.Capsule(f, (0.1, 0, 0), (0.3, 0.2, -0.1), 0.4) for f in ("l7", "l8", "base")]
    problem = hk.Problem(MODEL, [hk.SelfCollision(capsules=ends, pairs=PAIRS, clearance=1.5)])
    assert problem.rows == 3
    shares = np.linspace(0, 1, 201)
    for seed in range(8):
        q = MODEL.sample(seed=seed)
        axes = [
            np.stack([point_of(q, c.frame, c.start), point_of(q, c.frame, c.end)]) for c in ends
        ]
        lines = [a[0] + shares[:, None] * (a[1] - a[0]) for a in axes]
        want = []
        for i, j in PAIRS:
            gap = np.linalg.norm(lines[i][:, None] - lines[j][None], axis=-1).min()
            want.append(min(0.0, gap - 0.8 - 1.5))
        np.testing.assert_allclose(problem.residual([], q), want, atol=2e-3)
        word = problem.evaluate([], q)
        assert word.terms_met.shape == (1,)  # three rows, one term
        assert abs(word.distance[0] + min(want)) < 2e-3
        np.testing.assert_allclose(
            problem.jacobian([], q), difference_quotient(problem, np.empty(0), q), atol=1e-6
        )


def test_neighbours_are_left_out() -> None:
    parts = [capsule(f, 0.1) for f in ("root", "a0", "a1", "a3", "b0", "b1")]
    pairs = {(parts[a].frame, parts[b].frame) for a, b in apart(RING, parts)}
    assert ("a0", "a1") not in pairs
    assert ("a1", "a3") not in pairs  # nothing between them carries a capsule
    assert ("a0", "b0") in pairs
    assert ("a0", "a3") in pairs
    assert ("root", "a0") not in pairs


def test_arms_stay_clear_of_each_other_while_they_reach() -> None:
    names = ["a0", "a1", "a2", "a3", "b0", "b1", "b2", "b3"]
    guard = hk.SelfCollision(capsules=[capsule(f, 0.04) for f in names], clearance=0.01)
    rng = np.random.default_rng(7)
    targets = np.array([1.3, 0.2, 0, 1.3, -0.2, 0]) + 0.15 * rng.normal(size=(60, 6))
    free = hk.Problem(RING, [hk.Position("a3"), hk.Position("b3")])
    kept = hk.Problem(RING, [hk.Position("a3"), hk.Position("b3"), guard])
    loose, tight = (hk.Solver()(p, targets) for p in (free, kept))
    assert loose.converged.all()
    assert tight.converged.mean() >= 0.95
    touching = ~kept.evaluate(targets, loose.q).terms_met[:, 2]
    assert touching.sum() >= 5  # the term has work to do
    assert (kept.evaluate(targets, tight.q).distance[:, 2][tight.converged] <= 1e-3).all()


@pytest.mark.parametrize("kind", ["rest", "change"])
def test_soft_terms_are_weighted_differences(kind: str) -> None:
    posture = MODEL.sample(seed=50)
    weights = {"j1": 3.0, "j3": 0.5, "j6": 0.0}
    made: Any = hk.Posture(target=posture, weights=weights, weight=2.0)
    if kind == "change":
        made = hk.Damping(weights=weights, weight=2.0)
    problem = hk.Problem(MODEL, [made])
    target = posture if kind == "change" else np.empty(0)
    assert problem.width == target.size
    scale = np.ones(MODEL.nv)
    for name, weight in weights.items():
        joint = MODEL.joint_names.index(name)
        size = 3 if MODEL.joint_kinds[joint] == "ball" else 1
        scale[MODEL.joint_v[joint] :][:size] = weight
    for seed in range(5):
        q = MODEL.sample(seed=seed)
        want = 2.0 * scale * MODEL.difference(posture, q)
        np.testing.assert_allclose(problem.residual(target, q), want, atol=1e-12)
        np.testing.assert_allclose(
            problem.jacobian(target, q), difference_quotient(problem, target, q), atol=1e-6
        )
        met, error, position, orientation = problem.evaluate(target, q)[:4]
        assert met  # they never decide
        assert error == position == orientation == 0.0
    if kind == "change":
        assert problem.columns[0] == "damping.j0[0]"
        assert "damping.j1" in problem.columns


def nearness(model: hk.Model, q: Array, rest: Array) -> float:
    return float(np.linalg.norm(model.difference(rest, q)))


@pytest.mark.parametrize(
    "solver", ["auto", "dls", "lm", "gradient_descent", "fabrik_fast", "hybrid", "ccd"]
)
def test_rest_takes_only_what_freedom_is_left(solver: str) -> None:
    rng = np.random.default_rng(9)
    targets = np.array([1.2, 0.3, 0]) + 0.3 * rng.normal(size=(25, 3))
    starts = RING.sample(25, seed=3)
    run = hk.Solver(solver, retries=4)
    plain = run(hk.Problem(RING, [hk.Position("a3")]), targets, q0=starts)
    soft = run(hk.Problem(RING, [hk.Position("a3"), hk.Posture()]), targets, q0=starts)
    np.testing.assert_array_equal(plain.converged, soft.converged)
    assert soft.converged.mean() >= 0.9
    assert (soft.error[soft.converged] <= 1e-4 * RING.max_reach).all()
    near = [nearness(RING, q, RING.rest) for q in soft.q[soft.converged]]
    far = [nearness(RING, q, RING.rest) for q in plain.q[plain.converged]]
    assert np.median(near) < 0.75 * np.median(far)


def test_rest_ends_where_a_constrained_minimiser_does() -> None:
    """SLSQP from the same answer finds no posture that is nearer to rest by a thousandth."""
    target, frame = np.array([1.2, 0.3, 0.4]), "a3"
    term = hk.Position(frame, position_tolerance=1e-8)
    model, rest = RING, RING.rest
    result = hk.Solver()(hk.Problem(model, [term, hk.Posture()]), target)
    assert result.converged

    def posture(v: Array) -> Array:
        return model.integrate(result.q, v)

    moved = minimize(
        lambda v: nearness(model, posture(v), rest) ** 2,
        np.zeros(model.nv),
        constraints={
            "type": "eq",
            "fun": lambda v: model.fk(posture(v), frame=frame)[:3, 3] - target,
        },
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 200},
    )
    assert nearness(model, result.q, rest) <= 1.001 * nearness(model, posture(moved.x), rest)


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.sampled_from(["auto", "dls", "lm"]))
def test_a_lower_level_never_worsens_a_higher_one(seed: int, solver: str) -> None:
    """Two hands of which the first comes first; targets in and out of reach."""
    rng = np.random.default_rng(seed)
    target = np.concatenate([[1.2, 0.3, 0], [1.2, -0.3, 0], [0, 0, 3]]) + rng.normal(size=9)
    first = hk.Problem(RING, [hk.Position("a3")])
    alone = hk.Solver(solver)(first, target[:3])
    terms = [
        hk.Position("b2", priority=1, weight=float(rng.uniform(0.1, 10))),
        hk.Position("a3"),
        hk.LookAt("b3", priority=2, axis=(1, 0, 0)),
        hk.Posture(weight=float(rng.uniform(0.1, 10))),
    ]
    order = [3, 4, 5, 0, 1, 2, 6, 7, 8]
    problem = hk.Problem(RING, terms)
    result = hk.Solver(solver)(problem, target[order])
    word = problem.evaluate(target[order], result.q)
    if alone.converged:
        assert word.terms_met[1]
    else:
        assert word.distance[1] <= alone.position_error + 1e-4 * RING.max_reach
    assert bool(result.converged) == bool(word.terms_met.all())
    assert (result.q >= RING.lower).all()
    assert (result.q <= RING.upper).all()
    # the second level in its turn: without what is below it, it is no better
    upper = hk.Problem(RING, terms[:2])
    two = upper.evaluate(target[order][:6], hk.Solver(solver)(upper, target[order][:6]).q)
    if two.terms_met.all():
        assert word.terms_met[:2].all()


def test_levels_share_the_bytes_of_their_batch_and_of_one_level() -> None:
    rng = np.random.default_rng(12)
    targets = np.array([1.2, 0.3, 0, 1.4, -0.4, 0]) + 0.3 * rng.normal(size=(20, 6))
    terms = [hk.Position("a3"), hk.Position("b3", priority=1), hk.Posture()]
    problem = hk.Problem(RING, terms)
    solver = hk.Solver("auto")
    batch = solver(problem, targets)
    for k in (0, 7, 19):
        np.testing.assert_array_equal(solver(problem, targets[k]).q, batch.q[k])
    np.testing.assert_array_equal(hk.Solver("auto", threads=2)(problem, targets).q, batch.q)
    plain = hk.Problem(RING, [hk.Position("a3"), hk.Position("b3")])
    shifted = hk.Problem(RING, [hk.Position("a3", priority=4), hk.Position("b3", priority=4)])
    np.testing.assert_array_equal(solver(plain, targets).q, solver(shifted, targets).q)


@pytest.mark.parametrize("solver", ["ccd", "fabrik_fast", "dls", "auto"])
def test_restarts_rank_answers_level_by_level(solver: str) -> None:
    """A restart that is nearer in sum but farther in the first level does not take its place."""
    lower, upper = [-0.5, -0.5, 0.2, -0.5], [2.0, 1.0, 1.5, 0.7]
    model, rng = hk.chain([0.4] * 4, "revolute", lower=lower, upper=upper), np.random.default_rng(0)
    problem = hk.Problem(model, [hk.Position("link_4"), hk.Position("link_2", priority=1)])
    hands = model.frames(model.sample(100, seed=5))[:, 4, :3, 3]
    elbows = model.frames(model.sample(100, seed=6))[:, 2, :3, 3]
    targets = np.hstack([hands + 0.25 * rng.normal(size=(100, 3)) * [1, 1, 0], elbows])
    starts = model.sample(100, seed=1)
    options = {} if solver == "auto" else {"max_restarts": 0}

    def first_level(retries: int) -> Array:
        run = hk.Solver(solver, retries=retries, **options)
        return problem.evaluate(targets, run(problem, targets, q0=starts).q).distance[:, 0]

    alone, with_restarts = first_level(0), first_level(8)
    assert (with_restarts <= alone + 1e-7 * model.max_reach + 1e-5 * alone).all()
    assert (with_restarts < alone - 1e-6).any()


@pytest.mark.parametrize("retries", [0, 2])
@pytest.mark.parametrize("solver", ["auto", "dls", "fabrik_fast", "ccd"])
def test_the_trace_has_every_stage(solver: str, retries: int) -> None:
    """Errors of all that decide, pose by pose, over the stages one after another."""
    rng = np.random.default_rng(3)
    targets = np.array([1.2, 0.3, 0, 1.4, -0.4, 0]) + 0.5 * rng.normal(size=(12, 6))
    targets[0, :3] = 9.0  # the first level is out of reach
    terms = [hk.Position("a3"), hk.Position("b3", priority=1), hk.Posture()]
    run = hk.Solver(solver, max_iter=30, retries=retries)
    for problem, rows in (
        (hk.Problem(RING, terms), targets),
        (hk.Problem(RING, terms[2:]), targets[:, :0]),
    ):
        plain, got = run(problem, rows), run(problem, rows, trace=True)
        assert plain.q.tobytes() == got.q.tobytes()
        noted = np.isfinite(got.trace.error)
        assert (np.diff(noted.astype(int), axis=1) <= 0).all()
        if retries == 0:
            np.testing.assert_array_equal(got.trace.iterations, got.iterations)
        each = np.broadcast_to(rows[:, None], (*noted.shape, problem.width))[noted]
        _, error, _, _ = problem.evaluate(each, got.trace.q[noted])[:4]
        np.testing.assert_allclose(error, got.trace.error[noted], rtol=1e-7, atol=1e-9)
        assert (
            np.abs(got.trace.q - got.q[:, None]).max(-1).min(1, where=noted, initial=9) < 1e-9
        ).all()


@pytest.mark.parametrize("solver", ["dls", "lm", "ccd"])
def test_the_cap_is_that_of_each_solve_and_of_each_level_below(solver: str) -> None:
    """Of all that decides, of the first level alone, of the second, and of the soft terms."""
    terms = [hk.Position("a3"), hk.Position("b3", priority=1), hk.Posture()]
    problem, target = hk.Problem(RING, terms), np.array([1.2, 0.3, 0, -1.4, -0.4, 0])
    for cap in (1, 3, 5):
        got = hk.Solver(solver, max_iter=cap)(problem, target)
        assert 3 * cap < got.iterations <= 4 * cap
    assert hk.Solver(solver, max_iter=0)(problem, target).iterations == 0


def test_bad_terms_are_named() -> None:
    for make, error, text in (
        (lambda: hk.Position("l7", priority=-1), hk.ArgumentError, "priority must be 0"),
        (lambda: hk.Position("l7", priority=1.5), TypeError, "whole number"),  # type: ignore[arg-type]
        (lambda: hk.Posture("l7"), hk.ArgumentError, "takes no frame"),
        (lambda: hk.Posture(target=[1.0]), hk.ArgumentError, "target must have shape"),
        (lambda: hk.Posture(weights={"j99": 1.0}), hk.NotFoundError, "no joint is called"),
        (lambda: hk.Damping(weights=[1.0]), hk.ArgumentError, "weights must have shape"),
        (lambda: hk.Posture(weights={"j1": -1.0}), hk.ArgumentError, "weight of coordinate"),
        (lambda: hk.CenterOfMass(), hk.ArgumentError, "has mass"),
        (lambda: hk.CenterOfMass(over=[[0, 0, 0]]), hk.ArgumentError, r"over must have shape"),
        (lambda: hk.CenterOfMass(margin=0.1), hk.ArgumentError, "belongs to a support"),
        (lambda: hk.SelfCollision(capsules=[]), hk.ArgumentError, "no pair"),
        (
            lambda: hk.SelfCollision(capsules=[capsule("l7", 0.1)], pairs=[(0, 1)]),
            hk.ArgumentError,
            "two places among the 1",
        ),
        (lambda: hk.SelfCollision(capsules=[capsule("x", 0.1)]), hk.NotFoundError, "no frame"),
    ):
        with pytest.raises(error, match=text):
            hk.Problem(MODEL, [make()])
