"""Solvers with Jacobians: against their twin, SciPy and finite differences, and what must hold."""

from __future__ import annotations

import numpy as np
import pytest
from human_figures import HUMANS
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import least_squares
from solver_figures import FIGURES, columns, goal_of, two_arms

import handik as hk
from handik import Axis, Orientation, Outcome, Pose, Position, Problem, Solver
from handik.errors import ArgumentError
from handik.study.twins import Tree, jacobian_anew, jacobian_solve
from handik.study.twins.jacobian import Descent
from handik.study.twins.tree import problem_length

FAMILY = (
    "jacobian_transpose", "pinv", "dls", "sdls", "newton", "gauss_newton", "lm", "gradient_descent",
    "lbfgs", "auto",
)  # fmt: skip
TERMS = {"position": Position, "pose": Pose, "orientation": Orientation, "axis": Axis}
TIGHT = {"position_tolerance": 1e-9, "orientation_tolerance": 1e-9}
CLAMPS = {"jacobian_transpose": 0.5, "pinv": 0.5, "dls": 0.6, "sdls": 0.7, "newton": 0.0,
          "gauss_newton": 1.0, "lm": 0.0, "gradient_descent": 0.5}  # fmt: skip


def tip_of(model):
    return "tip" if "tip" in model.frame_names else "f0"


def near(model, tree, rng, size):
    """A pose, and another one a little way off, both well inside the limits."""
    q = tree.sample(rng)
    q = tree.clamp(tree.integrate(q, 0.1 * tree.difference(q, tree.rest)))
    v = size * rng.uniform(-1, 1, tree.nv)
    return q, tree.clamp(tree.integrate(q, v))


def compare(model, goals, terms, q0, method, iterations, **options):
    """C and twin from the same start, iteration by iteration."""
    tree = Tree(model)
    target = np.concatenate([columns(g) for g in goals])
    twin = jacobian_solve(
        tree, goals, q0, method, max_iter=iterations, max_step=CLAMPS[method], **options
    )
    # where J is short of rank gauss_newton is damped by 1e-8 of its trace, its twin is not
    loose = 1e-6 if method == "gauss_newton" else 1e-9
    own = {k: v for k, v in options.items() if k in ("damping", "step_fraction")}
    got = Solver(
        method, max_iter=iterations, perturbations=0, ftol=0, max_step=CLAMPS[method], **own
    )(Problem(model, terms), target, q0=q0, trace=True)
    if len(twin.trace) == got.iterations + 1:  # neither was held up
        np.testing.assert_allclose(
            got.trace.error[: len(twin.trace)], twin.trace, rtol=1e-7, atol=loose
        )
        if twin.trace[-1] == min(
            twin.trace
        ):  # else the core gives back the best pose, not the last
            np.testing.assert_allclose(tree.difference(got.q, twin.q), 0, atol=max(2e-7, 5 * loose))
    return got, twin


@pytest.mark.parametrize("kind", TERMS)
@pytest.mark.parametrize("method", CLAMPS)
def test_core_and_twin_agree(method, kind):
    rng = np.random.default_rng(21)
    compared = 0
    for name in ("arm", "ball arm", "gantry", "crane", "limited hinges"):
        model = FIGURES[name]()
        tree = Tree(model)
        for _ in range(2):
            wanted, q0 = near(model, tree, rng, 0.15)
            goal = goal_of(model, tree, wanted, kind, tip_of(model), **TIGHT)
            try:
                got, twin = compare(
                    model, [goal], [TERMS[kind](frame=tip_of(model), **TIGHT)], q0, method, 4
                )
            except ArithmeticError:  # the twin says that the Jacobian is singular
                continue
            compared += len(twin.trace) == got.iterations + 1
    assert compared >= 5


@pytest.mark.parametrize("method", CLAMPS)
def test_two_weighted_goals_agree_with_the_twin(method):
    model = two_arms()
    tree = Tree(model)
    rng = np.random.default_rng(10)
    for _ in range(3):
        q, q0 = near(model, tree, rng, 0.2)
        goals = [
            goal_of(model, tree, q, "position", "f0", weight=2.0, **TIGHT),
            goal_of(model, tree, q, "pose", "f1", weight=0.5, **TIGHT),
        ]
        terms = [Position(frame="f0", weight=2.0, **TIGHT), Pose(frame="f1", weight=0.5, **TIGHT)]
        got, twin = compare(model, goals, terms, q0, method, 3)
        assert len(twin.trace) == got.iterations + 1


def test_fixed_damping_agrees_with_the_twin():
    model = FIGURES["arm"]()
    tree = Tree(model)
    q, q0 = near(model, tree, np.random.default_rng(2), 0.3)
    goal = goal_of(model, tree, q, "pose", "f0", **TIGHT)
    got, twin = compare(model, [goal], [Pose(frame="f0", **TIGHT)], q0, "dls", 6, damping=0.2)
    assert got.iterations == twin.iterations == 6


@pytest.mark.parametrize("kind", TERMS)
@pytest.mark.parametrize("name", FIGURES)
def test_twin_jacobian_against_differences_of_its_residual(name, kind):
    model = FIGURES[name]()
    tree = Tree(model)
    rng = np.random.default_rng(4)
    q, q0 = near(model, tree, rng, 0.5)
    goal = goal_of(model, tree, q, kind, tip_of(model))
    d = Descent(tree, [goal], problem_length(tree, [goal]))
    j, h = d.jacobian(q0), 1e-6
    for k in range(j.shape[1]):
        v = np.zeros(tree.nv)
        v[d.columns.v[k]] = h * d.columns.unit[k]
        slope = (d.residual(tree.integrate(q0, v)) - d.residual(tree.integrate(q0, -v))) / (2 * h)
        np.testing.assert_allclose(j[:, k], slope, atol=2e-8)


# -- SciPy as judge of stationary points ----------------------------------------------------------


@pytest.mark.parametrize("method", ["auto", "lm", "lbfgs"])
@pytest.mark.parametrize("name", ["limited hinges", "arm", "gantry", "crane"])
def test_scipy_finds_nothing_nearer_from_the_closest_pose(name, method):
    """Targets no pose meets: the answer is a minimum inside the limits, by SciPy's own search."""
    model = FIGURES[name]()
    rng = np.random.default_rng(5)
    problem = Problem(model, [Position(frame=tip_of(model))])
    tree = Tree(model)
    index = list(model.frame_names).index(tip_of(model))
    for _ in range(3):
        point = model.fk(model.sample(1, seed=int(rng.integers(1000)))[0])[:3, 3]
        point = point + 3 * model.max_reach * np.array([0.6, 0.48, 0.64])
        got = Solver(method, max_iter=2000)(problem, point)
        assert got.outcome == Outcome.UNREACHABLE

        def residual(q, point=point):
            return tree.fk(q, index)[:3, 3] - point

        inside = np.clip(got.q, model.lower + 1e-9, model.upper - 1e-9)
        peer = least_squares(residual, inside, bounds=(model.lower - 1e-12, model.upper + 1e-12))
        assert got.position_error <= np.linalg.norm(peer.fun) + 2e-4 * model.max_reach


def test_nearest_of_several_closest_poses_is_found_by_auto():
    """A planar chain: the closest pose to a point beyond reach is the straight line to it."""
    model = FIGURES["hinges"]()
    angle = np.linspace(-3, 3, 20)
    points = 1.7 * np.c_[np.cos(angle), np.sin(angle), 0 * angle]
    got = model.solve(position=points, q0=np.full(9, 0.3), solver="auto")
    assert np.all(got.outcome == Outcome.UNREACHABLE)
    np.testing.assert_allclose(got.position_error, 0.7, atol=1e-3)


# -- what must hold of every answer ---------------------------------------------------------------


def judged(model, problem, targets, got):
    """Limits hold exactly, and what is called converged is so by the judge and by plain FK."""
    tree = Tree(model)
    plain = np.ones(model.nq, bool)
    for s in np.flatnonzero(tree.step_kind == 2):
        plain[tree.step_q[s] : tree.step_q[s] + 4] = False
        norm = np.linalg.norm(got.q[..., tree.step_q[s] : tree.step_q[s] + 4], axis=-1)
        np.testing.assert_allclose(norm, 1, atol=1e-12)
    assert np.all((got.q >= model.lower)[..., plain])
    assert np.all((got.q <= model.upper)[..., plain])
    met, *_ = problem.evaluate(targets, got.q)
    np.testing.assert_array_equal(met, got.converged)


@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(sorted(FIGURES) + sorted(HUMANS)),
    st.sampled_from(FAMILY),
    st.sampled_from(sorted(TERMS)),
    st.integers(0, 10**6),
)
def test_limits_hold_and_the_judge_agrees(name, method, kind, seed):
    model = (FIGURES | HUMANS)[name]()
    frame = tip_of(model)
    q = model.sample(6, seed=seed)
    problem = Problem(model, [TERMS[kind](frame=frame)])
    targets = targets_of(model, q, kind, frame)
    got = Solver(method, max_iter=60)(problem, targets, q0=model.sample(6, seed=seed + 1))
    judged(model, problem, targets, got)


def targets_of(model, q, kind, frame):
    at = model.fk(q, frame=frame)
    if kind == "axis":
        return at[..., :3, 2]
    pose = hk._core.pose_columns(at)
    return {"position": pose[..., :3], "orientation": pose[..., 3:], "pose": pose}[kind]


@pytest.mark.parametrize("method", FAMILY)
def test_same_bytes_for_any_split_and_thread_count(method):
    model = HUMANS["human arm"]()
    q = model.sample(24, seed=3)
    pose = model.fk(q)
    solver = {"solver": method, "max_iter": 40, "seed": 7}
    whole = model.solve(pose=pose, **solver)
    for threads in (2, 5):
        again = model.solve(pose=pose, threads=threads, **solver)
        assert whole.q.tobytes() == again.q.tobytes()
        assert whole.iterations.tobytes() == again.iterations.tobytes()
    single = [model.solve(pose=row, **solver) for row in pose]
    assert whole.q.tobytes() == np.stack([r.q for r in single]).tobytes()
    assert whole.outcome.tobytes() == np.array([r.outcome for r in single], np.int8).tobytes()


def test_the_seed_changes_the_remedies_only():
    model = HUMANS["human arm"]()  # not one for the lanes, whose first starts depend on the seed
    pose = model.fk(model.sample(200, seed=1))
    goal = {"position": pose[:, :3, 3], "orientation": pose[:, :3, :3]}  # two goals: no lanes
    a, b, c = (model.solve(**goal, solver="auto", seed=s) for s in (1, 1, 2))
    assert a.q.tobytes() == b.q.tobytes()
    assert a.q.tobytes() != c.q.tobytes()
    first = (a.n_restarts == 0) & (c.n_restarts == 0)
    assert first.any()
    assert a.q[first].tobytes() == c.q[first].tobytes()


def test_trace_ends_where_the_answer_is():
    model = FIGURES["arm"]()
    pose = model.fk(model.sample(20, seed=1))
    for method in ("dls", "lm", "auto"):
        got = (
            model.solve(pose=pose, solver=method, trace=True, n_candidates=1)
            if method == "auto"
            else model.solve(pose=pose, solver=method, trace=True)
        )
        for i in np.flatnonzero(got.converged):
            assert abs(got.trace.error[i, got.iterations[i]] - got.error[i]) < 1e-12
            assert np.isnan(got.trace.error[i, got.iterations[i] + 1 :]).all()


# -- success --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind"),
    [("arm", "position"), ("arm", "pose"), ("ball arm", "pose"), ("gantry", "position"),
     ("crane", "position"), ("limited hinges", "position"), ("hinges", "position")],
)  # fmt: skip
def test_auto_reaches_every_target_made_inside_the_limits(name, kind):
    model = FIGURES[name]()
    frame = tip_of(model)
    problem = Problem(model, [TERMS[kind](frame=frame)])
    got = Solver("auto")(problem, targets_of(model, model.sample(1000, seed=1), kind, frame))
    assert np.all(got.converged)


@pytest.mark.parametrize("name", HUMANS)
@pytest.mark.parametrize("kind", ["position", "pose"])
def test_auto_reaches_all_goals_of_human_figures(name, kind):
    model = HUMANS[name]()
    q = model.sample(300, seed=1)
    frames = [f for f in model.frame_names if f.startswith("f")]
    problem = Problem(model, [TERMS[kind](frame=f) for f in frames])
    targets = np.concatenate([targets_of(model, q, kind, f) for f in frames], axis=-1)
    got = Solver("auto")(problem, targets)
    judged(model, problem, targets, got)
    assert np.all(got.converged)


@pytest.mark.parametrize("method", FAMILY)
def test_every_method_comes_home_from_nearby(method):
    """A tenth of a radian off, no limit in the way: every method must find back."""
    model = FIGURES["arm"]()
    tree = Tree(model)
    rng = np.random.default_rng(8)
    poses, starts = [], []
    for _ in range(20):
        q = tree.rest + 0.5 * (tree.sample(rng) - tree.rest) + 0.02
        poses.append(model.fk(tree.clamp(q)))
        starts.append(tree.clamp(q + rng.uniform(-0.1, 0.1, 7)))
    got = model.solve(
        pose=np.array(poses), q0=np.array(starts), solver=method, max_iter=5000, ftol=0.0,
        orientation_tolerance=1e-3, position_tolerance=1e-3,
    )  # fmt: skip
    # steepest descent crawls: that is what it is known for
    assert got.converged.mean() >= (
        0.9 if method in ("jacobian_transpose", "gradient_descent") else 1.0
    )


def test_straight_chain_needs_a_nudge():
    """At a singular pose J'e is 0: only the random push gets away."""
    model = FIGURES["hinges"]()
    for method in (
        "jacobian_transpose",
        "pinv",
        "dls",
        "sdls",
        "lm",
        "gradient_descent",
        "lbfgs",
        "auto",
    ):
        got = model.solve(position=[0.7, 0, 0], solver=method, position_tolerance=1e-3)
        assert got.converged, method
        assert got.n_restarts > 0
    stuck = model.solve(position=[0.7, 0, 0], solver="dls", perturbations=0, max_restarts=0)
    assert stuck.outcome == Outcome.STALLED


def test_max_step_of_two_degrees_moves_no_joint_by_more():
    model = FIGURES["arm"]()
    q0 = np.array([0.2, 0.3, 0.1, 1.0, 0.2, 0.1, 0.1])
    target = model.fk(q0 + 0.4)[:3, 3]
    before = q0
    for iterations in range(1, 12):
        got = model.solve(
            position=target,
            q0=q0,
            solver="pinv",
            max_step=hk.deg(2),
            max_iter=iterations,
            perturbations=0,
        )
        assert np.abs(got.q - before).max() <= np.deg2rad(2) * (1 + 1e-12)
        before = got.q


# -- secondary goals ----------------------------------------------------------------------------


def redundant():
    model = FIGURES["limited hinges"]()
    return model, model.fk(np.linspace(0.1, 0.5, 9))[:3, 3]


def test_rest_posture_in_the_null_space():
    model, point = redundant()
    q0 = model.sample(30, seed=2)
    plain = model.solve(position=np.tile(point, (30, 1)), q0=q0, solver="dls")
    eased = model.solve(position=np.tile(point, (30, 1)), q0=q0, solver="dls", posture=0.3)
    assert np.all(eased.converged[plain.converged])
    far = np.linalg.norm(plain.q - model.rest, axis=1)[plain.converged].mean()
    close = np.linalg.norm(eased.q - model.rest, axis=1)[plain.converged].mean()
    assert close < 0.8 * far
    # each ends where no motion that keeps the goal leads nearer to rest
    problem = Problem(model, [Position(frame="tip")])
    for q in eased.q[eased.converged]:
        if np.any(np.minimum(q - model.lower, model.upper - q) < 1e-9):
            continue
        j = problem.jacobian(point, q)
        way = model.rest - q
        assert np.linalg.norm(way - np.linalg.pinv(j) @ (j @ way)) < 5e-3


def test_limit_avoidance_in_the_null_space():
    model = FIGURES["arm"]()
    q = model.sample(40, seed=4)
    target = model.fk(q)[..., :3, 3]
    middle, half = 0.5 * (model.lower + model.upper), 0.5 * (model.upper - model.lower)

    def cost(got):
        return np.sum(((got.q - middle) / half) ** 2, axis=1)

    plain = model.solve(position=target, solver="dls")
    eased = model.solve(position=target, solver="dls", limit_avoidance=0.5)
    both = plain.converged & eased.converged
    assert both.mean() > 0.7
    assert cost(eased)[both].mean() < 0.8 * cost(plain)[both].mean()


def test_manipulability_in_the_null_space():
    model, point = redundant()
    q0 = model.sample(20, seed=2)
    tree = Tree(model)
    index = list(model.frame_names).index("tip")

    def measure(q):
        j = tree.jacobian(q, index)[:2]
        return np.sqrt(np.linalg.det(j @ j.T))

    plain = model.solve(position=np.tile(point, (20, 1)), q0=q0, solver="dls")
    eased = model.solve(position=np.tile(point, (20, 1)), q0=q0, solver="dls", manipulability=0.1)
    both = plain.converged & eased.converged
    assert both.mean() > 0.9
    before = np.array([measure(q) for q in plain.q[both]])
    after = np.array([measure(q) for q in eased.q[both]])
    assert after.mean() > 1.02 * before.mean()


# -- options ------------------------------------------------------------------------------------


def test_solutions_chooses_the_smallest_joint_move():
    model = FIGURES["arm"]()
    pose = model.fk(model.sample(100, seed=6))
    q0 = np.array([0.2, 0.3, 0.1, 1.0, 0.2, 0.1, 0.1])
    one = model.solve(pose=pose, q0=q0, solver="auto")
    best = model.solve(pose=pose, q0=q0, solver="auto", n_candidates=6)
    assert np.all(best.converged)
    move = [np.abs(r.q - q0).max(axis=1) for r in (one, best)]
    # one answer comes from the lanes, the six from the general descents: not the same first one
    assert move[1].mean() < 0.95 * move[0].mean()


def test_wrong_options_are_named():
    model = FIGURES["arm"]()
    for method, name, value in (
        ("dls", "max_step", -1),
        ("lm", "perturbations", -1),
        ("auto", "max_restarts", -1),
        ("auto", "n_candidates", 0),
    ):
        with pytest.raises(ArgumentError, match=name):
            model.solve(position=[0.3, 0, 0.2], solver=method, **{name: value})


def test_locked_figure_moves_nothing():
    model = FIGURES["arm"]()
    still = model.with_limits({n: (0.3, 0.3) for n in model.joint_names})
    for method in FAMILY:
        got = still.solve(position=[0.3, 0.1, 0.2], solver=method)
        assert got.outcome == Outcome.STALLED
        np.testing.assert_array_equal(got.q, 0.3)


@pytest.mark.parametrize("method", ["pinv", "dls", "sdls"])
@pytest.mark.parametrize("wish", ["posture", "limit_avoidance", "manipulability"])
def test_a_wish_never_costs_the_goal(method, wish):
    """However strong: what meets the goal without it meets it with it."""
    model = hk.chain(np.full(9, 1 / 9), lower=-6.0, upper=6.0)
    point = np.tile(model.fk(np.linspace(0.1, 0.5, 9))[:3, 3], (60, 1))
    q0 = hk.chain(np.full(9, 1 / 9)).sample(60, seed=1)
    plain = model.solve(position=point, q0=q0, solver=method)
    wished = model.solve(position=point, q0=q0, solver=method, **{wish: 0.5})
    assert plain.converged.all()
    assert wished.converged.all()


# -- new starts ---------------------------------------------------------------------------------

PATIENCE = {"gradient_descent": 4, "gauss_newton": 4, "lm": 16}


@pytest.mark.parametrize("method", CLAMPS)
def test_new_starts_are_those_of_the_twin(method):
    """Poses of arms whose limits stop most attempts: core and twin give up and begin anew alike."""
    rng, begun = np.random.default_rng(6), 0
    for name, count in (("limited hinges", 10), ("ball arm", 2), ("gantry", 4)):
        model = FIGURES[name]()
        tree = Tree(model)
        for _ in range(count):
            goal = goal_of(model, tree, tree.sample(rng), "pose", tip_of(model), **TIGHT)
            q0 = tree.clamp(tree.sample(rng))
            shared = {
                "max_iter": 60,
                "max_step": CLAMPS[method],
                "ftol": 0.05,
                "max_restarts": 4,
                "seed": 3,
            }
            twin = jacobian_anew(
                tree, [goal], q0, method, patience=PATIENCE.get(method, 8), **shared
            )
            got = Solver(method, perturbations=0, **shared)(
                Problem(model, [Pose(frame=tip_of(model), **TIGHT)]),
                columns(goal),
                q0=q0,
                trace=True,
            )
            same = np.isclose(got.trace.error[: len(twin.trace)], twin.trace, rtol=1e-4, atol=1e-6)
            if not same.all():  # rounding grows from iteration to iteration where nothing holds it
                assert same[:2].all()
                continue
            assert got.n_restarts == twin.n_restarts
            assert abs(got.iterations - twin.iterations) <= 1  # rounding says which is the last
            assert Outcome(got.outcome).name.lower() == twin.outcome
            begun += twin.n_restarts
    assert begun > 3


@pytest.mark.parametrize("method", [m for m in FAMILY if m != "auto"])
def test_new_starts_only_help(method):
    """They begin where one attempt has failed: what that solves stays as it is, to the byte."""
    model = FIGURES["limited hinges"]()
    q = model.sample(30, seed=4)
    target, q0 = model.fk(q), model.sample(30, seed=5)
    once = model.solve(pose=target, q0=q0, solver=method, max_restarts=0, max_iter=400)
    more = model.solve(pose=target, q0=q0, solver=method, max_iter=4000)
    met = once.converged
    assert more.q[met].tobytes() == once.q[met].tobytes()
    assert (more.n_restarts[met] == once.n_restarts[met]).all()
    assert once.n_restarts.max() <= 2
    assert more.n_restarts.max() <= 52
    assert more.converged.sum() > once.converged.sum()
    assert (more.n_restarts[~met & more.converged] >= once.n_restarts[~met & more.converged]).all()
    assert (model.clip(more.q) == more.q).all()


def test_a_target_out_of_reach_is_given_no_new_start():
    model = FIGURES["limited hinges"]()
    got = model.solve(position=[9.0, 0, 0], solver="dls")
    assert got.outcome == Outcome.UNREACHABLE
    assert got.n_restarts <= 2


# -- the end of steepest descent -----------------------------------------------------------------


@pytest.mark.parametrize("gtol", [1e-1, 1e-2, 1e-3])
@pytest.mark.parametrize("bent", [0.2, 0.6])
def test_gradient_descent_stops_where_the_gradient_is_flat(gtol, bent):
    """The thesis's rule, |grad f| <= eps: the first pose that meets it is the last."""
    arm = hk.chain([0.4, 0.35, 0.25], lower=-0.8, upper=0.8)  # of length 1: metres are the scale
    target = np.array([0.1, 0.45, 0.0])  # inside the reach, beyond the limits
    plain = {"perturbations": 0, "max_restarts": 0, "ftol": 0.0, "max_iter": 5000}
    found = hk.Solver("gradient_descent", gtol=gtol, **plain)(
        hk.Problem(arm, [hk.Position()]), target, q0=[bent, 0.3, -0.2], trace=True
    )

    def slope(q, h=1e-6):
        """Differences of f = 1/2 |e|^2, without what leads out of the limits."""
        g = np.array([(cost(q + h * row) - cost(q - h * row)) / (2 * h) for row in np.eye(arm.nq)])
        out = ((q >= arm.upper) & (g < 0)) | ((q <= arm.lower) & (g > 0))
        return np.linalg.norm(np.where(out, 0.0, g))

    def cost(q):
        return 0.5 * np.sum((arm.fk(q)[:3, 3] - target) ** 2)

    seen = found.trace.q  # the iteration that finds no step leaves the pose as it was
    np.testing.assert_array_equal(seen[-1], seen[-2])
    slopes = [slope(q) for q in seen[:-1]]
    assert found.outcome in (hk.Outcome.STALLED, hk.Outcome.LEAST_SQUARES)
    assert slopes[-1] <= gtol * (1 + 1e-6)
    assert len(slopes) > 2
    assert min(slopes[:-1]) > gtol * (1 - 1e-6)
