"""FABRIK and CCD on joints that follow others: against the twins, auto, and a check in NumPy."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from coupled_figures import COUPLED, finger, shoulder, spine
from solver_figures import columns, frame_index, goal_of, same_end

import handik as hk
from handik import Pose, Position, Problem, Solver
from handik.study.twins import FAST, PUBLISHED, Tree, ccd, fabrik_tree
from handik.study.twins.shared import Pull, move_shared, shared_coordinates, sum_at
from handik.study.twins.wishes import Terms

#: Least share of positions met within 300 iterations, by solver.
LEAST = {"fabrik": 0.15, "fabrik_fast": 0.99, "hybrid": 1.0, "ccd": 0.45, "ccd_fast": 0.99}
AT = {"position_tolerance": 1e-4, "orientation_tolerance": 1e-3}


def positions(model: hk.Model, q: np.ndarray) -> np.ndarray:
    """Tips in NumPy: the core is not asked."""
    tree = Tree(model)
    at = frame_index(model, "end")
    return np.array([tree.fk(row, at)[:3, 3] for row in q])


@pytest.mark.parametrize("name", COUPLED)
def test_positions_made_inside_the_limits_are_met(name):
    """As auto meets them; every answer inside the limits and where it says it is."""
    model = COUPLED[name]()
    target = positions(model, model.sample(150, seed=1))
    problem = Problem(model, [Position(position_tolerance=1e-3 * model.max_reach)])
    q0 = model.sample(150, seed=2)
    assert Solver("auto")(problem, target, q0=q0).converged.all()
    for solver, least in LEAST.items():
        got = Solver(solver, max_iter=300)(problem, target, q0=q0)
        assert got.converged.mean() >= least, solver
        assert np.all((got.q >= model.lower) & (got.q <= model.upper))
        error = np.linalg.norm(positions(model, got.q) - target, axis=1)
        np.testing.assert_allclose(got.position_error, error, atol=1e-12)
        assert error[got.converged].max() <= 1e-3 * model.max_reach + 1e-12


@pytest.mark.parametrize("make", [finger, shoulder, spine])
def test_poses_are_met_by_the_hybrid(make):
    """The others leave a few, as docs/fabrik.md says."""
    model = make()
    target = hk._core.pose_columns(model.fk(model.sample(60, seed=3)))
    at = {"position_tolerance": 1e-3 * model.max_reach, "orientation_tolerance": 0.01}
    problem = Problem(model, [Pose(**at)])
    q0 = model.sample(60, seed=4)
    for solver, least in (("hybrid", 1.0), ("fabrik_fast", 0.85), ("ccd_fast", 0.55)):
        assert Solver(solver)(problem, target, q0=q0).converged.mean() >= least, solver


@pytest.mark.parametrize("kind", ["position", "pose"])
@pytest.mark.parametrize("name", [name for name in COUPLED if name != "global"])
def test_core_and_twin_agree(name, kind):
    """The twin looks by forward passes and Jacobians of the whole figure."""
    model = COUPLED[name]()
    tree = Tree(model)
    problem = Problem(model, [{"position": Position, "pose": Pose}[kind](**AT)])
    q, q0 = model.sample(2, seed=5), model.sample(2, seed=6)
    settings = {"max_iter": 3, "max_restarts": 0}
    for row, start in zip(q, q0, strict=True):
        goal = goal_of(model, tree, row, kind, "end", **AT)
        for solver, options in (("fabrik", PUBLISHED), ("fabrik_fast", FAST)):
            got = Solver(solver, **settings)(problem, columns(goal), q0=start, trace=True)
            same(got, fabrik_tree(tree, goal, start, max_iter=3, options=options))
        if tree.cones:
            continue  # the twin of CCD knows no cones
        for solver, more in (("ccd", {}), ("ccd_fast", {"perturbations": 1, "extrapolate": True})):
            got = Solver(solver, **settings)(problem, columns(goal), q0=start, trace=True)
            same(got, ccd(tree, [goal], start, max_iter=3, **more))


def drawn(model, end):
    """Terms that depend on where the figure stands: about the tip, or it and the link before the last."""
    inner, axis = model.frame_names[-3], (0.6, 0.0, 0.8)
    return {
        "look": hk.LookAt("end", axis=axis, eye=(0.01, 0, 0.02), **AT),
        "level": hk.Level("end", axis=axis, **AT),
        "distance": hk.Distance("end", inner, min=0.6 * end, max=0.7 * end, **AT),
        "loop": hk.Loop("end", other=inner, joint="weld", **AT),
        "revolute": hk.Loop("end", other=inner, joint="revolute", axis=axis, other_axis=axis, **AT),
    }


@pytest.mark.parametrize("name", ["finger", "shoulder", "crane"])
@pytest.mark.parametrize("kind", ["look", "level", "distance", "loop", "revolute"])
def test_core_and_twin_agree_on_terms(name, kind):
    """Where two frames of one figure are meant, a shared coordinate moves both or one."""
    model = COUPLED[name]()
    tree, terms = Tree(model), [Position(**AT), drawn(model, 0.1 * model.max_reach)[kind]]
    problem = Problem(model, terms)
    settings = {"max_iter": 3, "max_restarts": 0}
    for q, start in zip(model.sample(2, seed=13), model.sample(2, seed=14), strict=True):
        at = tree.fk(q, frame_index(model, "end"))[:3, 3]
        row = np.concatenate([at, at + 0.3 * model.max_reach]) if kind == "look" else at
        for solver, options in (("fabrik", PUBLISHED), ("fabrik_fast", FAST)):
            got = Solver(solver, **settings)(problem, row, q0=start, trace=True)
            twin = fabrik_tree(tree, Terms(model, terms, row), start, max_iter=3, options=options)
            same(got, twin, 1e-7)


def test_core_and_twin_weigh_poses_alike_after_remedies():
    """Four nudges, each of them followed by another weight of the orientation.

    A nudge multiplies what the last bits of LAPACK make of a start: they must not be more by then.
    """
    model = finger()
    tree = Tree(model)
    problem, options = Problem(model, [Pose(**AT)]), replace(FAST, perturbations=4, back_weight=0.2)
    settings = {"max_iter": 40, "perturbations": 4, "max_restarts": 0, "back_weight": 0.2}
    n_restarts = []
    for row, start in zip(model.sample(12, seed=5), model.sample(12, seed=6), strict=True):
        goal = goal_of(model, tree, row, "pose", "end", **AT)
        got = Solver("fabrik_fast", **settings)(problem, columns(goal), q0=start, trace=True)
        for near in (start, start * (1 + 1e-15)):
            same(got, fabrik_tree(tree, goal, near, max_iter=40, options=options), 1e-7)
        n_restarts.append(got.n_restarts)
    assert max(n_restarts) >= 2
    with pytest.raises(hk.errors.ArgumentError, match="pose_spread of fabrik_fast must be 1 to"):
        Solver("fabrik_fast", pose_spread=0.5)(problem, columns(goal))


def same(got, twin, within=1e-8):
    assert (got.iterations, got.n_restarts) == (twin.iterations, twin.n_restarts)
    assert same_end(got.outcome, twin.outcome)
    np.testing.assert_allclose(got.trace.error[: len(twin.trace)], twin.trace, atol=within)
    np.testing.assert_allclose(got.q, twin.q, atol=100 * within)


@pytest.mark.parametrize("name", COUPLED)
def test_a_sweep_never_raises_the_distance(name):
    model = COUPLED[name]()
    target = positions(model, model.sample(20, seed=7))
    q0 = model.sample(20, seed=8)
    for point, start in zip(target, q0, strict=True):
        got = model.solve(
            position=point, q0=start, solver="ccd", trace=True, perturbations=0, max_restarts=0
        )
        assert np.all(np.diff(got.trace.error[: got.iterations + 1]) <= 1e-12)


def test_the_slope_of_the_twin_is_a_difference():
    model = shoulder()
    tree = Tree(model)
    q, other = model.sample(2, seed=9)
    goal = goal_of(model, tree, other, "pose", "end")
    pull = Pull.of(goal, 1.3, 0.2, np.asarray(goal.position), np.asarray(goal.rotation).T)
    groups = shared_coordinates(tree, tree.chain(goal.frame))
    assert [len(group.steps) for group in groups] == [2, 2]
    for group in groups:
        unit = np.zeros(model.nq)
        unit[group.coordinate] = 1e-6
        ends = [sum_at(tree, group, q + sign * unit, [pull])[0] for sign in (1, -1)]
        assert sum_at(tree, group, q, [pull])[1] == pytest.approx(
            (ends[0] - ends[1]) / 2e-6, rel=1e-6
        )
        before = sum_at(tree, group, q, [pull])[0]
        move_shared(tree, group, q, [pull])
        assert sum_at(tree, group, q, [pull])[0] < before


def test_a_follower_whose_leader_is_elsewhere_moves_alone():
    """Two goals of one coordinate on different branches; one of them alone is an ordinary hinge."""
    spec = finger().spec
    spec.joints[3].parent = "base"
    model = hk.Model(spec)
    target = positions(model, model.sample(20, seed=10))
    for solver in LEAST:
        got = model.solve(position=target, solver=solver, position_tolerance=1e-5)
        assert got.converged.all(), solver


@pytest.mark.parametrize("solver", LEAST)
def test_rows_and_threads_give_the_same_bytes(solver):
    model = spine()
    target, q0 = positions(model, model.sample(40, seed=11)), model.sample(40, seed=12)
    whole = model.solve(position=target, q0=q0, solver=solver)
    assert (
        whole.q.tobytes()
        == model.solve(position=target, q0=q0, solver=solver, threads=3).q.tobytes()
    )
    alone = model.solve(position=target[7], q0=q0[7], solver=solver)
    assert alone.q.tobytes() == whole.q[7].tobytes()
