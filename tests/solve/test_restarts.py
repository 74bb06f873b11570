"""Rounds of attempts: what `retries` draws, where it ends, and that turns come back near the start."""

from __future__ import annotations

import time

import numpy as np
import pytest
from solver_figures import FIGURES

import handik as hk
from handik import Outcome, Pose, Position, Problem
from handik.errors import ArgumentError

#: Solvers that begin anew, with the options of a single attempt; what they need for a pose.
ANEW = {
    **{row.name: {"max_restarts": 0} for row in hk.solvers() if "max_restarts" in row.options},
    "memetic": {"wipeouts": 0},
    "simulated_annealing": {"reheats": 0},
    "genetic": {"renewals": 0},
    "particle_swarm": {"renewals": 0},
    "particle_filter": {"renewals": 0},
}


def reachable(count, *, seed=5):
    arm = FIGURES["arm"]()
    return arm, Problem(arm, [Pose()]), hk._core.pose_columns(arm.fk(arm.sample(count, seed=seed)))


@pytest.mark.parametrize(
    ("name", "drawn"), [("dls", True), ("lm", True), ("fabrik", False), ("ccd", False)]
)
def test_pushes_are_drawn_by_the_seed_in_the_jacobian_family_alone(name, drawn):
    arm = hk.chain([0.5, 0.5, 0.5], lower=-3.0, upper=3.0)  # straight, its target on its line
    found = [
        hk.Solver(name, max_restarts=0, seed=seed)(Problem(arm, [Position()]), [1.2, 0.0, 0.0])
        for seed in (1, 2)
    ]
    assert all(got.n_restarts == 1 for got in found)
    assert (found[0].q.tobytes() != found[1].q.tobytes()) == drawn


@pytest.mark.parametrize("name", ANEW)
@pytest.mark.parametrize("given", [False, True])
def test_restarts_make_up_for_starts(name, given):
    """Every round begins from a pose of its own, whether the first start was given or not."""
    count = 1000 if name in ("auto", "lm_batch") else 60
    arm, problem, targets = reachable(count)
    q0 = arm.sample(count, seed=9) if given else None
    alone, some = (
        hk.Solver(name, retries=k, **ANEW[name])(problem, targets, q0=q0) for k in (0, 20)
    )
    assert alone.converged.mean() < 0.99
    assert some.converged.mean() >= (0.999 if name in ("auto", "lm_batch") else 0.95)
    assert (some.q[alone.converged] == alone.q[alone.converged]).all()
    one = hk.Solver(name, retries=20, **ANEW[name])
    for i in np.flatnonzero(some.n_restarts > alone.n_restarts)[:4]:
        single = one(problem, targets[i], q0=None if q0 is None else q0[i])
        assert single.q.tobytes() == some.q[i].tobytes()


@pytest.mark.parametrize("name", ANEW)
def test_restarts_solve_a_thousand_reachable_poses(name):
    """Of those that draw poses a fifth: they take a hundred times as long."""
    drawn = name in ("simulated_annealing", "genetic", "particle_swarm", "particle_filter")
    _, problem, targets = reachable(200 if drawn else 1000)
    found = hk.Solver(name, retries=20, threads=0, **ANEW[name])(problem, targets)
    assert found.converged.mean() >= 0.999


@pytest.mark.parametrize(
    "name",
    [
        *("fabrik", "fabrik_fast", "ccd", "ccd_fast", "gradient_descent", "lbfgs"),
        *("simulated_annealing", "genetic", "particle_swarm", "particle_filter"),
    ],
)
def test_the_first_round_does_not_combine_poses(name):
    """It is the method as published: the same with and without retries to come."""
    _, problem, targets = reachable(40)
    once = hk.Solver(name, **ANEW[name])(problem, targets)
    again = hk.Solver(name, retries=1, **ANEW[name])(problem, targets)
    met = once.converged
    assert 0 < met.sum() < len(met)
    assert (again.q[met] == once.q[met]).all()
    assert (again.iterations[met] == once.iterations[met]).all()


def test_a_round_draws_other_starts_than_the_one_before():
    """Poses that cannot be met come back nearer with every few rounds, never the same work again."""
    arm, problem, targets = reachable(60)
    targets[:, 3:] = targets[::-1, 3:]
    errors, iterations = [], []
    for retries in (0, 1, 4, 16):
        got = hk.Solver("auto", max_restarts=2, retries=retries)(problem, targets)
        left = ~got.converged
        # the nearest by its error with a radian as 0.17 of the figure's length
        turned = 0.03 * (arm.max_reach * got.orientation_error[left]) ** 2
        errors.append(np.sqrt(got.position_error[left] ** 2 + turned).sum())
        iterations.append(got.iterations[left])
    assert (np.diff(errors) < 0).all()
    assert len(arm.joint_names) == 7


def test_auto_makes_all_starts_it_was_asked_for():
    """Also beyond those that the lanes have."""
    _, problem, targets = reachable(200)
    targets[:, 3:] = targets[::-1, 3:]
    bad = ~hk.Solver("auto")(problem, targets).converged
    got = hk.Solver("auto", max_restarts=700, max_iter=10**8)(problem, targets[bad][:6])
    assert got.n_restarts.tolist() == [700] * 6
    assert np.isin(got.outcome, (Outcome.STALLED, Outcome.LEAST_SQUARES)).all()


def test_more_solutions_keep_the_nearest():
    """Of the poses found the one whose largest joint move is smallest, whole turns taken back."""
    arm, problem, targets = reachable(40)
    q0 = arm.sample(40, seed=2)
    first, many = (hk.Solver("auto", n_candidates=n)(problem, targets, q0=q0) for n in (1, 8))
    move = [np.abs(r.q - q0).max(axis=1) for r in (first, many)]
    assert many.converged.all()
    assert (move[1] <= move[0] + 1e-12).mean() > 0.9
    assert (move[1] < move[0] - 0.1).any()


SOLVERS = [row.name for row in hk.solvers()]


def wrist(free=True):
    """Six hinges without limits, two points to be met."""
    frames, limit = "zyyzyx", (None, None) if free else (-np.pi, np.pi)
    lengths = [0.0, 0.3, 0.3, 0.2, 0.1, 0.1]
    joints = [
        hk.read.JointSpec(
            f"j{i}",
            "revolute",
            "base" if i == 0 else f"l{i - 1}",
            f"l{i}",
            np.block([[np.eye(3), np.array([[lengths[i]], [0], [0]])], [np.zeros((1, 3)), 1]]),
            tuple(float(letter == axis) for letter in "xyz"),
            lower=limit[0],
            upper=limit[1],
        )
        for i, axis in enumerate(frames)
    ]
    tip = np.eye(4)
    tip[0, 3] = 0.2
    links = [hk.read.LinkSpec("base"), *(hk.read.LinkSpec(f"l{i}") for i in range(6))]
    spec = hk.read.ModelSpec(
        "wrist",
        links,
        joints,
        [hk.read.FrameSpec("tip", "l5", tip), hk.read.FrameSpec("mid", "l2", tip)],
        tip="tip",
    )
    return hk.Model(spec)


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize("goals", [1, 2])
def test_turns_without_limits_come_back_near_the_start(name, goals):
    model = wrist()
    terms = [Position(), Position(frame="mid")][:goals]
    q, q0 = model.sample(40, seed=1), model.sample(40, seed=2) + 6 * np.pi
    targets = np.concatenate(
        [model.fk(q)[:, :3, 3], model.fk(q, frame="mid")[:, :3, 3]][:goals], axis=1
    )
    solver = hk.Solver(name, retries=1, max_iter=60)
    try:
        got = solver(Problem(model, terms), targets, q0=q0)
    except hk.UnsupportedError:
        pytest.skip("not for this problem")
    assert np.abs(got.q - q0).max() <= np.pi + 1e-9
    one = solver(Problem(model, terms), targets[3], q0=q0[3])
    assert one.q.tobytes() == got.q[3].tobytes()
    noted = solver(Problem(model, terms), targets[3], q0=q0[3], trace=True)
    assert noted.q.tobytes() == one.q.tobytes()
    assert np.abs(noted.trace.q - one.q).max(axis=1).min() < 1e-9


@pytest.mark.parametrize("name", SOLVERS)
def test_where_nothing_moves_there_is_one_attempt(name):
    model = wrist().locked(dict.fromkeys([f"j{i}" for i in range(6)], 0.0))
    solver = hk.Solver(name, retries=10**9, time_limit=0.05)
    before = time.thread_time()
    try:
        got = solver(Problem(model, [Position()]), [0.1, 0.2, 0.3])
    except (hk.UnsupportedError, ArgumentError):
        pytest.skip("not for this problem")
    assert time.thread_time() - before < 0.5
    assert got.outcome in (
        Outcome.STALLED,
        Outcome.LEAST_SQUARES,
        Outcome.MAX_ITER,
        Outcome.UNREACHABLE,
    )
    assert got.n_restarts <= 200  # of one round


def test_the_twin_draws_the_same_slides():
    """A slide without limits is drawn within the length of the figure, also where that is 1."""
    from handik.study.twins.halton import spread_start
    from handik.study.twins.jacobian import active_steps, columns_of
    from handik.study.twins.tree import Goal, Tree

    rail = hk.Model(
        hk.read.ModelSpec(
            "rail",
            [hk.read.LinkSpec("base"), hk.read.LinkSpec("cart")],
            [hk.read.JointSpec("slide", "prismatic", "base", "cart", np.eye(4), (1.0, 0.0, 0.0))],
            [hk.read.FrameSpec("tip", "cart", np.eye(4))],
            tip="tip",
        )
    )
    tree = Tree(rail)
    columns = columns_of(
        tree, active_steps(tree, [Goal(rail.frame_names.index("tip"), position=np.zeros(3))]), 1.0
    )
    drawn = [spread_start(columns, 0, k, 1.0, np.zeros(1))[0] for k in range(1, 200)]
    assert 0.98 < np.abs(drawn).max() <= 1.0


def test_wishes_of_one_problem_leave_nothing_to_the_next() -> None:
    """A distance within its range has no slope, so that wishes move nothing: not by the step before either."""
    arm = hk.data("ur5").with_limits({name: (-3.0, 3.0) for name in hk.data("ur5").joint_names})
    problem = hk.Problem(arm, [hk.Distance(frame=arm.tip, min=0.1, max=0.6)])
    starts = arm.sample(40, seed=1)
    solver = hk.Solver("dls", max_iter=60, posture=1e9, limit_avoidance=0.5, max_restarts=0)
    together = solver(problem, np.empty((40, 0)), q0=starts)
    alone = [solver(problem, np.empty((1, 0)), q0=starts[k : k + 1]) for k in range(40)]
    assert [int(r.iterations[0]) for r in alone] == together.iterations.tolist()
    assert b"".join(r.q.tobytes() for r in alone) == together.q.tobytes()
