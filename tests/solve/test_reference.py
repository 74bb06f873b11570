"""The NumPy twins against analytic facts, brute force and each other."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from solver_figures import FIGURES, frame_index, two_arms

from handik.study.twins import (
    PUBLISHED,
    Goal,
    Tree,
    best_turn,
    ccd,
    fabrik_free,
    fabrik_points,
    fabrik_tree,
    fit_ball,
    fit_turns,
)
from handik.study.twins.tree import BALL, TURN, minimal_rotation, quat_exp, quat_to_mat, turn_z

ANGLE = st.floats(-3, 3)


def balls(n: int) -> Tree:
    rows = [(i - 1, BALL, None, [0, 0, 1 / n if i else 0], 0, 0) for i in range(n)]
    return Tree.build(rows, [(n - 1, None, [0, 0, 1 / n])])


def bent(n: int) -> np.ndarray:
    return np.cumsum([[0, 0, 0]] + [[np.cos(i), np.sin(i), 0.3 * (-1) ** i] for i in range(n)], 0)


# ---- kinematics -------------------------------------------------------------------------------


def test_two_hinges_by_hand():
    rows = [(-1, TURN, None, [0, 0, 0], -3, 3), (0, TURN, None, [2, 0, 0], -3, 3)]
    tree = Tree.build(rows, [(1, None, [1, 0, 0])])
    a, b = 0.4, 0.7
    at = tree.fk(np.array([a, b]), 0)
    x = 2 * np.cos(a) + np.cos(a + b), 2 * np.sin(a) + np.sin(a + b), 0
    np.testing.assert_allclose(at[:3, 3], x, atol=1e-15)
    np.testing.assert_allclose(at[:3, :3], turn_z(a + b), atol=1e-15)


@pytest.mark.parametrize("name", [*FIGURES, "two arms"])
def test_the_core_agrees(name):
    model = two_arms() if name == "two arms" else FIGURES[name]()
    tree = Tree(model)
    rng = np.random.default_rng(1)
    for _ in range(5):
        q, v = tree.sample(rng), rng.normal(size=tree.nv)
        for frame in model.frame_names:
            i = frame_index(model, frame)
            np.testing.assert_allclose(tree.fk(q, i), model.fk(q, frame=frame), atol=1e-14)
            np.testing.assert_allclose(
                tree.jacobian(q, i), model.jacobian(q, frame=frame), atol=1e-14
            )
        moved = tree.integrate(q, v)
        np.testing.assert_allclose(moved, model.integrate(q, v), atol=1e-14)
        np.testing.assert_allclose(
            tree.difference(q, moved), model.difference(q, moved), atol=1e-12
        )


def test_jacobian_is_the_derivative():
    tree = Tree(two_arms())
    q, h = tree.sample(np.random.default_rng(2)), 1e-6
    jac = tree.jacobian(q, 0)
    for k in range(tree.nv):
        step = np.eye(tree.nv)[k] * h
        a, b = tree.fk(tree.integrate(q, step), 0), tree.fk(tree.integrate(q, -step), 0)
        np.testing.assert_allclose((a - b)[:3, 3] / (2 * h), jac[:3, k], atol=1e-8)
        spin = (a[:3, :3] @ b[:3, :3].T - b[:3, :3] @ a[:3, :3].T) / (4 * h)
        np.testing.assert_allclose([spin[2, 1], spin[0, 2], spin[1, 0]], jac[3:, k], atol=1e-8)


# ---- the fits ---------------------------------------------------------------------------------


@given(st.floats(-1, 1), st.floats(-1, 1), ANGLE, st.floats(0, 4), ANGLE)
def test_best_turn_against_brute_force(c, s, low, width, old):
    high = low + width
    q = best_turn(c, s, low, high, old)
    grid = np.linspace(low, high, 2001)
    assert low <= q <= high
    if c * c + s * s > 1e-24:
        assert c * np.cos(q) + s * np.sin(q) >= (c * np.cos(grid) + s * np.sin(grid)).max() - 1e-12


def test_fit_turns_recovers_a_rotation_it_can_make():
    rng = np.random.default_rng(3)
    x = minimal_rotation(np.array([0.0, 0, 1]), np.array([1.0, 0, 0]))
    y = minimal_rotation(np.array([0.0, 0, 1]), np.array([0.0, 1, 0]))
    for _ in range(50):
        made, q = rng.uniform(-1, 1, 3), list(rng.uniform(-1, 1, 3))

        def rotation(a):
            return turn_z(a[0]) @ x @ turn_z(a[1]) @ y @ turn_z(a[2])

        for _ in range(30):
            q = fit_turns(rotation(made), [x, y], [(-1, 1)] * 3, q)
        assert np.abs(q).max() <= 1
        assert np.trace(rotation(q).T @ rotation(made)) == pytest.approx(3, abs=1e-6)


def test_fit_ball_is_the_polar_rotation():
    rng = np.random.default_rng(4)
    for _ in range(100):
        b = rng.normal(size=(3, 3))
        u, _, vt = np.linalg.svd(b)
        best = u @ np.diag([1, 1, np.linalg.det(u @ vt)]) @ vt
        got = fit_ball(b, np.eye(3))
        np.testing.assert_allclose(got.T @ got, np.eye(3), atol=1e-8)
        assert np.trace(got.T @ b) >= np.trace(best.T @ b) - 1e-5


# ---- bare points ------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.tuples(ANGLE, ANGLE, ANGLE), st.integers(2, 8))
def test_points_keep_base_and_lengths(target, n):
    points = bent(n)
    d = np.linalg.norm(np.diff(points, axis=0), axis=1)
    out, outcome, iterations, _, trace = fabrik_points(points, np.array(target), 1e-6, 200)
    np.testing.assert_allclose(np.linalg.norm(np.diff(out, axis=0), axis=1), d, rtol=1e-12)
    np.testing.assert_array_equal(out[0], points[0])
    assert len(trace) == iterations + 1
    assert outcome in ("converged", "unreachable", "stalled", "max_iter")
    gap = np.linalg.norm(out[-1] - target)
    assert (outcome == "converged") == (gap <= 1e-6)
    far = np.linalg.norm(target)
    if far > d.sum():
        assert outcome == "unreachable"
        assert gap == pytest.approx(far - d.sum(), abs=1e-12)


def test_points_unreachable_is_one_straight_line():
    out, outcome, iterations, _, _ = fabrik_points(bent(3), np.array([0, 10.0, 0]), 1e-6, 50)
    assert (outcome, iterations) == ("unreachable", 1)
    np.testing.assert_allclose(np.cross(out[1:], [0, 1, 0]), 0, atol=1e-12)


def test_points_inside_the_annulus_fold():
    points = np.array([[0, 0, 0], [1.0, 0, 0], [1, 0.2, 0], [1, 0.4, 0]])
    out, outcome, _, _, trace = fabrik_points(points, np.array([0, 0.1, 0]), 1e-6, 50)
    assert outcome == "unreachable"
    assert trace[-1] == pytest.approx(0.5, abs=1e-12)  # 1 - 0.2 - 0.2 - 0.1
    np.testing.assert_allclose(out[-1], [0, 0.6, 0], atol=1e-12)


@pytest.mark.parametrize("share", [0.95, 0.73, 0.41, 0.23])
@pytest.mark.parametrize("n", [2, 4, 10])
def test_points_collinear_dead_end_is_solved_by_a_nudge(share, n):
    points = np.zeros((n + 1, 3))
    points[:, 2] = np.linspace(0, 1, n + 1)
    target = np.array([0, 0, share])
    _, outcome, iterations, n_restarts, _ = fabrik_points(points, target, 1e-4, 100)
    assert outcome == "converged"
    assert n_restarts >= 1
    assert fabrik_points(points, target, 1e-4, 100, perturbations=0)[1] == "stalled"
    assert iterations < 100


# ---- solvers ----------------------------------------------------------------------------------


def test_free_chain_runs_through_the_points():
    tree = balls(10)
    rng = np.random.default_rng(5)
    for _ in range(10):
        q0, target = tree.sample(rng), tree.fk(tree.sample(rng), 0)[:3, 3]
        goal = Goal(0, position=target, position_tolerance=1e-6)
        answer = fabrik_free(tree, goal, q0)
        assert answer.outcome == "converged"
        assert np.linalg.norm(tree.fk(answer.q, 0)[:3, 3] - target) <= 1e-6
        answer = fabrik_tree(tree, goal, q0)
        assert answer.outcome == "converged"


def test_unreachable_tree_is_near_the_optimum():
    tree = Tree(FIGURES["hinges"]())
    goal = Goal(frame_index(FIGURES["hinges"](), "tip"), position=np.array([0.9, 0.9, 0.0]))
    best = np.hypot(0.9, 0.9) - 1
    for answer in (
        fabrik_tree(tree, goal, tree.rest, out_of_reach=True),
        ccd(tree, [goal], tree.rest, out_of_reach=True),
    ):
        assert answer.outcome == "unreachable"
        assert best - 1e-12 <= answer.error <= best + 2e-3


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("options", [None, PUBLISHED])
def test_limits_are_never_exceeded(name, options):
    model = FIGURES[name]()
    tree = Tree(model)
    rng = np.random.default_rng(6)
    tip = frame_index(model, "tip") if "tip" in model.frame_names else frame_index(model, "f0")
    for _ in range(3):
        goal = Goal(tip, position=rng.uniform(-1, 1, 3))
        extra = {} if options is None else {"options": options}
        for answer in (
            fabrik_tree(tree, goal, tree.sample(rng), max_iter=15, **extra),
            ccd(tree, [goal], tree.sample(rng), max_iter=15),
        ):
            assert np.all(answer.q >= tree.lower)
            assert np.all(answer.q <= tree.upper)
            assert answer.error == min(answer.trace)


def test_ccd_angle_by_hand():
    """One hinge, position: it points at the target; with a limit it stops at the nearer end."""
    tree = Tree.build([(-1, TURN, None, [0, 0, 0], -1, 1)], [(0, None, [1, 0, 0])])
    goal = Goal(0, position=np.array([np.cos(0.8), np.sin(0.8), 0.0]))
    answer = ccd(tree, [goal], np.zeros(1))
    assert answer.q[0] == pytest.approx(0.8, abs=1e-12)
    goal = Goal(0, position=np.array([np.cos(-2.0), np.sin(-2.0), 0.0]))
    assert ccd(tree, [goal], np.zeros(1), perturbations=0).q[0] == -1


def test_ccd_orientation_alone():
    tree = balls(3)
    wanted = quat_to_mat(quat_exp(np.array([0.3, -1.0, 0.5])))
    answer = ccd(tree, [Goal(0, rotation=wanted)], tree.rest)
    assert answer.outcome == "converged"
    assert answer.iterations == 1
