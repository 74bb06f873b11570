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
from handik.study.twins import Tree, sampling_solve
from handik.study.twins.genes import Genes, Numbers
from handik.study.twins.jacobian import Descent
from handik.study.twins.mixing import Mixing
from handik.study.twins.sampling import DEFAULTS, METHODS
from handik.study.twins.tree import even_error, problem_length

TIGHT = {"position_tolerance": 1e-9, "orientation_tolerance": 1e-9}
ALL = {**FIGURES, "two arms": two_arms, **HUMANS}
#: Renewals off, so that the core does what the twins do.
PLAIN = {
    "simulated_annealing": {"reheats": 0},
    "genetic": {"population": 12, "renewals": 0},
    "memetic": {"population": 8, "polish": 3, "wipeouts": 0},
    "particle_swarm": {"particles": 10, "renewals": 0},
    "particle_filter": {"particles": 12, "renewals": 0},
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
        "particle_swarm": {"phi": 4.5, "neighbors": 1},
        "particle_filter": {"survival": 0.3, "mixing": 0.4, "roughening": 0.2},
    }
    compare(model, terms, goals, method, 6, 7, **others[method])


def test_the_carried_cloud_is_that_of_the_twin():
    model = human_arm()
    tree, frame = Tree(model), tip_of(model)
    problem = Problem(model, [Position(frame=frame, **TIGHT)])
    mine = np.full((1, 12, model.nq), np.nan)
    twins = mine[0].copy()
    q0 = model.rest
    for k in range(3):
        q = model.sample(1, seed=k)[0]
        goal = goal_of(model, tree, q, "position", frame, **TIGHT)
        own = {"particles": 12, "process_noise": 0.1}
        solver = Solver("particle_filter", max_iter=3, renewals=0, seed=k, **own)
        found = solver._plan(problem).solve(columns(goal)[None], q0=q0, cloud=mine)
        twin = sampling_solve(
            tree, [goal], q0, "particle_filter", max_iter=3, seed=k, cloud=twins, **own
        )
        np.testing.assert_allclose(
            model.fk(mine[0], frame=frame), model.fk(twins, frame=frame), atol=1e-9
        )
        q0 = found[1][0]
        np.testing.assert_allclose(
            model.fk(q0, frame=frame), tree.fk(twin.q, goal.frame), atol=1e-9
        )


def figure_of_eight(count):
    t = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return np.stack([0.4 + 0.2 * np.sin(t), 0.15 * np.sin(2 * t), 0 * t], axis=1)


def test_a_track_carries_the_cloud():
    """Begun anew at each frame the answers of a redundant chain are wherever chance has them."""
    arm = hk.data("planar9")
    path = figure_of_eight(30)
    near = {"solver": "particle_filter", "max_speed": 1e9}
    carried = arm.track(position=path, **near)
    assert carried.converged.all()
    q, alone = arm.rest, []
    for target in path:
        alone.append(arm.solve(position=target, q0=q, solver="particle_filter"))
        assert alone[-1].converged
        q = alone[-1].q
    q = np.array([answer.q for answer in alone])
    anew = np.abs(arm.difference(q[:-1], q[1:])).max(axis=1)
    assert carried.moves[1:].mean() < 0.5 * anew.mean()
    assert carried.iterations[1:].mean() < np.mean([r.iterations for r in alone[1:]])


def test_paths_carry_clouds_of_their_own():
    arm = hk.data("planar9")
    path = figure_of_eight(8)
    two = np.stack([path, path * [1.0, 0.9, 1.0]])
    both = arm.track(position=two, solver="particle_filter", threads=2)
    for i in range(2):
        alone = arm.track(position=two[i], solver="particle_filter")
        assert alone.q.tobytes() == both.q[i].tobytes()


@pytest.mark.parametrize(
    "cloud",
    [
        np.zeros((1, 99, 9)),
        np.zeros((1, 100, 8)),
        np.zeros((2, 100, 9)),
        np.zeros((1, 100, 9), "f4"),
        np.zeros((1, 9, 100)).swapaxes(1, 2),
        [[0.0]],
    ],
)
def test_a_wrong_cloud_is_named(cloud):
    plan = Solver("particle_filter")._plan(Problem(hk.data("planar9"), [Position()]))
    assert plan.cloud == 100
    with pytest.raises(ArgumentError, match=r"cloud must be .* \(\.\.\., 100, 9\)"):
        plan.solve(np.zeros((1, 3)), cloud=cloud)


def test_only_the_particle_filter_has_a_cloud():
    plan = Solver("particle_swarm")._plan(Problem(hk.data("planar9"), [Position()]))
    assert plan.cloud == 0
    with pytest.raises(ArgumentError, match="for a solver that has one"):
        plan.solve(np.zeros((1, 3)), cloud=np.zeros((1, 40, 9)))


# -- further rounds ---------------------------------------------------------------------------------

#: Iterations of a round: what rounding makes of poses almost on a line grows with each of them.
ROUNDS = {
    "simulated_annealing": 20,
    "genetic": 60,
    "memetic": 6,
    "particle_swarm": 60,
    "particle_filter": 15,
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["arm", "crane"])
def test_a_further_round_combines_poses_as_the_twin_does(method, name):
    """Of two rounds the nearer answer is kept, with its trace."""
    model, count, second_is_kept = FIGURES[name](), ROUNDS[method], 0
    own = {**PLAIN[method], **({"polish": 1} if method == "memetic" else {})}
    options = {k: v for k, v in own.items() if k in DEFAULTS[method]}
    tree = Tree(model)
    for seed in range(4):
        goal = goal_of(model, tree, model.sample(1, seed=seed)[0], "pose", tip_of(model), **TIGHT)
        both = [
            sampling_solve(
                tree, [goal], model.rest, method, max_iter=count, seed=seed, attempt=k, **options
            )
            for k in range(2)
        ]
        if both[0].outcome == "converged":
            continue
        solver = Solver(method, max_iter=count, seed=seed, retries=1, ftol=0.0, **own)
        got = solver(
            Problem(model, [Pose(frame=tip_of(model), **TIGHT)]), columns(goal), trace=True
        )
        length = problem_length(tree, [goal])
        first, second = (even_error(tree, [goal], tree.world(k.q), length) for k in both)
        kept = both[second < first]
        second_is_kept += kept is both[1]
        assert got.iterations == sum(twin.iterations for twin in both)
        length = len(kept.trace)
        np.testing.assert_allclose(got.trace.error[:length], kept.trace, rtol=5e-4, atol=1e-9)
        assert got.error == pytest.approx(kept.error, rel=1e-4, abs=1e-9)
    assert second_is_kept > 0


def test_a_combination_ends_a_crawl():
    """Poses near the target, whose residuals are almost linear, lead to it."""
    model = FIGURES["arm"]()
    tree, q = Tree(model), model.sample(1, seed=2)[0]
    goal = goal_of(model, tree, q, "pose", tip_of(model), **TIGHT)
    mixing = Mixing(Descent(tree, [goal], problem_length(tree, [goal])))
    draw = np.random.default_rng(1)
    for _ in range(5):
        mixing.remember(tree.clamp(q + 1e-3 * draw.standard_normal(len(q))))
    last = tree.clamp(q + 1e-3 * draw.standard_normal(len(q)))
    mixing.remember(last)
    mixing.remember(last)
    assert len(mixing.poses) == 6
    to = mixing.combine(last)
    errors = [np.linalg.norm(mixing.residual(x)) for x in (last, to)]
    assert errors[1] < 0.5 * errors[0]


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
    assert behind.outcome in (Outcome.STALLED, Outcome.LEAST_SQUARES, Outcome.MAX_ITER)


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
