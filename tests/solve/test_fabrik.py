"""FABRIK of the core: against its twin, and what must hold of every answer."""

from __future__ import annotations

import numpy as np
import pytest
from human_figures import human_arm
from hypothesis import example, given, settings
from hypothesis import strategies as st
from solver_figures import FIGURES, arm, columns, goal_of, hinges, same_end, two_arms

import handik as hk
from handik import Outcome, Problem, Solver, _core, chain
from handik.files.read import FrameSpec, JointSpec, LinkSpec, ModelSpec
from handik.problem.terms import Axis, Orientation, Pose, Position
from handik.study.twins import FAST, PUBLISHED, Goal, Tree, fabrik_free, fabrik_tree, hybrid
from handik.study.twins.tree import problem_length

TOLERANCES = {"position_tolerance": 1e-4, "orientation_tolerance": 1e-3}
TERMS = {"position": Position, "pose": Pose, "orientation": Orientation, "axis": Axis}


def tip_of(model):
    return "tip" if "tip" in model.frame_names else "f0"


# few iterations: later ones of a chaotic run amplify the last bits; random starts have no twin
FORMS = {
    "fabrik": (PUBLISHED, {"max_iter": 12, "max_restarts": 0}),
    "fabrik_fast": (FAST, {"max_iter": 8, "max_restarts": 0}),
}


def twin_of(tree, goals, q0, options, settings):
    return fabrik_tree(tree, goals, q0, max_iter=settings["max_iter"], options=options)


def same(got, twin, tree):
    assert got.iterations == twin.iterations
    assert got.n_restarts == twin.n_restarts
    assert same_end(got.outcome, twin.outcome)
    trace = np.array(twin.trace)
    lowest = np.flatnonzero(trace < trace.min() + 1e-6)
    if len(lowest) > 1:  # a circle: rounding chooses the best of equals, from which a nudge goes on
        trace = trace[: lowest[0] + 5]
    # a target moved by 1e-12 moves the last errors by up to 3e-7: only the best pose is held tighter
    np.testing.assert_allclose(got.trace.error[: len(trace)], trace, atol=1e-6)
    if len(lowest) > 1:
        return
    turns = tree.difference(got.q, twin.q) / (2 * np.pi)  # half a turn may go either way
    np.testing.assert_allclose(turns - np.round(turns), 0, atol=1e-8)


@pytest.mark.parametrize("solver", FORMS)
@pytest.mark.parametrize("kind", TERMS)
@pytest.mark.parametrize("name", FIGURES)
def test_core_and_twin_agree(name, kind, solver):
    model = FIGURES[name]()
    tree = Tree(model)
    options, settings = FORMS[solver]
    problem = Problem(model, [TERMS[kind](frame=tip_of(model), **TOLERANCES)])
    rng = np.random.default_rng(7)
    for _ in range(3):
        goal = goal_of(model, tree, tree.sample(rng), kind, tip_of(model), **TOLERANCES)
        q0 = tree.sample(rng)
        got = Solver(solver, **settings)(problem, columns(goal), q0=q0, trace=True)
        same(got, twin_of(tree, goal, q0, options, settings), tree)


@pytest.mark.parametrize("kind", ["position", "orientation", "pose"])
@pytest.mark.parametrize("name", FIGURES)
def test_hybrid_and_twin_agree(name, kind):
    model = FIGURES[name]()
    tree = Tree(model)
    problem = Problem(model, [TERMS[kind](frame=tip_of(model), **TOLERANCES)])
    rng = np.random.default_rng(13)
    for k in range(4):
        q = tree.sample(rng)
        goal = goal_of(model, tree, q, kind, tip_of(model), **TOLERANCES)
        q0 = tree.sample(rng) if k % 2 else tree.clamp(tree.integrate(q, np.full(tree.nv, 0.02)))
        got = Solver("hybrid", max_restarts=0, max_iter=12)(
            problem, columns(goal), q0=q0, trace=True
        )
        twin = hybrid(tree, goal, q0, max_iter=12)
        same(got, twin, tree)


def limited_body():
    """Two arms, a head and a free root, balls in cones, a slide: sub-bases in sub-bases."""
    inf = np.inf
    joints = [
        ("free", "base", (0, 0, 1), {}),
        ("ball", 0, (0, 0, 0.2), {"cone": hk.Cone((0.5, 0.3, 0.4, 0.2), (-0.3, 0.2))}),
        ("ball", 1, (0, 0.2, 0.3), {"cone": hk.Cone((1.9, 0.9, 0.7, 1.2), (-1.0, 1.4))}),
        ("revolute", 2, (0, 0, 0.3), {"axis": (1, 0, 0), "lower": 0.0, "upper": 2.4}),
        ("ball", 1, (0, -0.2, 0.3), {}),
        ("prismatic", 4, (0, 0, 0.2), {"axis": (0, 0, 1), "lower": 0.0, "upper": 0.2}),
        ("revolute", 1, (0, 0, 0.4), {"axis": (0, 1, 0), "lower": -0.8, "upper": 0.8}),
        ("revolute", 6, (0, 0, 0), {"axis": (0, 0, 1), "lower": -inf, "upper": inf}),
    ]
    links, specs = [LinkSpec("base")], []
    for i, (kind, above, at, more) in enumerate(joints):
        links.append(LinkSpec(f"l{i}"))
        place = np.eye(4)
        place[:3, 3] = at
        parent = above if isinstance(above, str) else f"l{above}"
        axes = {"axis2": (1, 0, 0)} if "cone" in more else {}
        specs.append(JointSpec(f"j{i}", kind, parent, f"l{i}", place, **axes, **more))
    marks = [("left", "l3"), ("right", "l5"), ("head", "l7"), ("chest", "l1")]
    out = np.eye(4)
    out[:3, 3] = 0.02, 0.05, 0.2
    return hk.Model(
        ModelSpec("body", links, specs, [FrameSpec(n, at, out) for n, at in marks], tip="head")
    )


GOALS = {
    "three ends": [("left", "position"), ("right", "position"), ("head", "position")],
    "a pose on the way": [("left", "position"), ("right", "position"), ("chest", "pose")],
    "weights": [("left", "position", 5.0), ("right", "pose", 0.5), ("head", "orientation")],
    "two on one link": [("left", "position"), ("left", "orientation")],
    "a point and an axis": [("left", "position"), ("left", "axis"), ("head", "position")],
}


@pytest.mark.parametrize("solver", FORMS)
@pytest.mark.parametrize("name", GOALS)
def test_core_and_twin_agree_on_several_goals(name, solver):
    model = limited_body()
    tree = Tree(model)
    options, settings = FORMS[solver]
    kinds = TERMS
    weights = [(*row, 1.0)[2] for row in GOALS[name]]
    problem = Problem(
        model,
        [
            kinds[row[1]](frame=row[0], weight=w, **TOLERANCES)
            for row, w in zip(GOALS[name], weights, strict=True)
        ],
    )
    for seed in range(4):
        q, q0 = model.sample(2, seed=seed)
        goals = [
            goal_of(model, tree, q, row[1], row[0], weight=w, **TOLERANCES)
            for row, w in zip(GOALS[name], weights, strict=True)
        ]
        target = np.concatenate([columns(goal) for goal in goals])
        got = Solver(solver, **settings)(problem, target, q0=q0, trace=True)
        same(got, twin_of(tree, goals, q0, options, settings), tree)
        np.testing.assert_allclose(model.clip(got.q), got.q, atol=1e-12)


@pytest.mark.parametrize("tolerance", [1e-2, 1e-6])
def test_free_core_and_twin_agree(tolerance):
    model = chain([0.1, 0.3, 0.2, 0.25, 0.15], "ball")
    tree = Tree(model)
    rng = np.random.default_rng(8)
    problem = Problem(model, [Position(position_tolerance=tolerance)])
    for k in range(20):
        q0 = tree.sample(rng)
        target = rng.normal(size=3)
        target *= (1.2 if k % 5 == 0 else rng.uniform(0.05, 0.95)) / np.linalg.norm(target)
        goal = goal_of(model, tree, q0, "position", "tip", position_tolerance=tolerance)
        goal = type(goal)(goal.frame, position=target, position_tolerance=tolerance)
        got = Solver("fabrik", max_iter=40)(problem, target, q0=q0)
        twin = fabrik_free(tree, goal, q0, max_iter=40)
        assert (got.iterations, got.n_restarts) == (twin.iterations, twin.n_restarts)
        assert same_end(got.outcome, twin.outcome)
        np.testing.assert_allclose(tree.difference(got.q, twin.q), 0, atol=1e-9)


def test_single_precision_and_twin_agree():
    model = chain([0.1, 0.3, 0.2, 0.25, 0.15], "ball")
    tree = Tree(model)
    rng = np.random.default_rng(8)
    problem = Problem(model, [Position(position_tolerance=1e-5)])
    for k in range(20):
        q0 = tree.sample(rng)
        target = rng.normal(size=3)
        target *= (1.2 if k % 5 == 0 else rng.uniform(0.1, 0.9)) / np.linalg.norm(target)
        goal = goal_of(model, tree, q0, "position", "tip", position_tolerance=1e-5)
        goal = type(goal)(goal.frame, position=target, position_tolerance=1e-5)
        got = Solver("fabrik", max_iter=60, single=1)(problem, target, q0=q0)
        twin = fabrik_free(tree, goal, q0, max_iter=60, single=True)
        assert got.n_restarts == twin.n_restarts
        assert abs(got.iterations - twin.iterations) <= 1  # floats round differently at the end
        assert same_end(got.outcome, twin.outcome)
        np.testing.assert_allclose(tree.difference(got.q, twin.q), 0, atol=2e-4)


@pytest.mark.parametrize("simd", ["base", "avx2", "avx512"])
def test_single_precision_gives_the_same_bytes_everywhere(simd):
    model = chain(np.linspace(0.5, 1.5, 12), "ball")
    targets = np.random.default_rng(5).normal(size=(300, 3)) * 4
    solver = Solver("fabrik", single=1)
    problem = Problem(model, [Position(position_tolerance=1e-3)])
    before, want = hk.show_config()["simd"], solver(problem, targets)
    np.testing.assert_array_equal(want.outcome, Solver("fabrik")(problem, targets).outcome)
    np.testing.assert_array_less(want.position_error[want.converged], 1e-3)
    if not _core.simd_select(simd):
        pytest.skip(f"no {simd} on this processor")
    try:
        whole = Solver("fabrik", single=1, threads=3)(problem, targets)
        parts = [solver(problem, part) for part in np.array_split(targets, [1, 30, 77])]
        alone = [solver(problem, target).q for target in targets[:20]]
    finally:
        _core.simd_select(before)
    assert whole.q.tobytes() == want.q.tobytes()
    assert b"".join(part.q.tobytes() for part in parts) == want.q.tobytes()
    assert b"".join(q.tobytes() for q in alone) == want.q[:20].tobytes()


def test_single_precision_refuses_what_floats_cannot_meet():
    model = chain([1.0] * 10, "ball")
    with pytest.raises(hk.errors.ArgumentError, match=r"single precision.*at least 2.16e-05"):
        model.solve(position=[1, 2, 3], solver="fabrik", position_tolerance=2e-5, single=1)
    with pytest.raises(
        hk.errors.ArgumentError, match="single of fabrik must be a whole number from 0 to 1"
    ):
        model.solve(position=[1, 2, 3], solver="fabrik", single=0.5)
    with pytest.raises(hk.errors.UnsupportedError, match="free balls"):
        hinges().solve(position=[0.5, 0.2, 0], solver="fabrik", single=1)


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(FIGURES)), st.integers(0, 10**6))
@example("crane", 20538)  # ends where the error is least nearby, a joint at its limit
def test_limits_hold_and_the_error_is_true(name, seed):
    model = FIGURES[name]()
    q, q0 = model.sample(2, seed=seed)
    target = model.fk(q)[:3, 3]
    got = model.solve(position=target, q0=q0, solver="fabrik", position_tolerance=1e-3)
    assert np.all(got.q >= model.lower - 1e-12)
    assert np.all(got.q <= model.upper + 1e-12)
    assert got.position_error == pytest.approx(
        np.linalg.norm(model.fk(got.q)[:3, 3] - target), abs=1e-14
    )
    if got.outcome is Outcome.LEAST_SQUARES:
        error = target - model.fk(got.q)[:3, 3]
        down = model.jacobian(got.q)[:3].T @ error
        free = np.where(down > 0, model.upper - got.q, got.q - model.lower) > 1e-9
        assert np.abs(down[free]).max() < 1e-4
    else:
        assert got.outcome in (Outcome.CONVERGED, Outcome.STALLED, Outcome.MAX_ITER)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_link_lengths_are_kept(seed):
    model = chain(np.linspace(0.1, 0.3, 8))
    q0 = model.sample(seed=seed)
    target = [*np.random.default_rng(seed).uniform(-1, 1, 2), 0]
    q = model.solve(position=target, q0=q0, solver="fabrik").q
    frames = Tree(model).world(q)
    points = np.array([x for _, x in frames] + [model.fk(q)[:3, 3]])
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    np.testing.assert_allclose(lengths, np.linspace(0.1, 0.3, 8), rtol=1e-12)


@pytest.mark.parametrize("share", [0.95, 0.8, 0.5, 0.3])
def test_straight_chain_with_its_target_on_its_line(share):
    model = hinges()
    got = model.solve(position=[share, 0, 0], solver="fabrik", position_tolerance=1e-3)
    assert got.converged
    got = model.solve(
        position=[0.95, 0, 0],
        solver="fabrik",
        position_tolerance=1e-3,
        perturbations=0,
        max_restarts=0,
    )
    assert got.outcome == Outcome.STALLED


@pytest.mark.parametrize("model", [hinges(), chain(np.full(9, 1 / 9), "ball")])
def test_out_of_reach_gives_the_closest_pose(model):
    targets = np.array([[1.3, 0, 0], [0, 1.2, 0], [-1, -1, 0]])
    got = model.solve(position=targets, solver="fabrik", position_tolerance=1e-3)
    assert np.all(got.outcome == Outcome.UNREACHABLE)
    best = np.linalg.norm(targets, axis=1) - 1
    assert np.all(got.position_error >= best - 1e-12)
    assert np.all(got.position_error <= best + 2e-3)


@pytest.mark.parametrize(("solver", "least"), [("fabrik", 0.7), ("fabrik_fast", 1), ("hybrid", 1)])
def test_batch_rows_and_threads_give_the_same_bytes(solver, least):
    model = arm()
    q = model.sample(300, seed=1)
    targets, q0 = model.fk(q)[:, :3, 3], model.sample(300, seed=2)
    whole = model.solve(position=targets, q0=q0, solver=solver)
    for threads in (2, 3):
        other = model.solve(position=targets, q0=q0, solver=solver, threads=threads)
        assert whole.q.tobytes() == other.q.tobytes()
    for i in (0, 17, 299):
        alone = model.solve(position=targets[i], q0=q0[i], solver=solver)
        assert alone.q.tobytes() == whole.q[i].tobytes()
    assert whole.converged.mean() >= least


@pytest.mark.parametrize("solver", FORMS)
def test_turns_wind_no_further_than_they_must(solver):
    """Joints that may go round several times end within half a turn of where they start."""
    model = chain(np.full(5, 0.2), lower=-20, upper=20)
    q0 = np.random.default_rng(3).uniform(-18, 18, (50, 5))
    targets = model.fk(model.sample(50, seed=4))[:, :3, 3]
    got = model.solve(position=targets, q0=q0, solver=solver, position_tolerance=1e-3)
    assert got.converged.mean() >= 0.9
    assert np.abs(got.q - q0).max() <= np.pi + 1e-12


@pytest.mark.parametrize("solver", FORMS)
def test_keeping_the_poses_changes_no_byte(solver):
    """Turns become angles in every iteration only for a trace, whose last or best pose is the answer."""
    model = arm()
    problem = Problem(model, [Pose(frame="f0", **TOLERANCES)])
    rows = hk._core.pose_columns(model.fk(model.sample(30, seed=5)))
    q0, length = (
        model.sample(30, seed=6),
        problem_length(Tree(model), [Goal(model.frame_names.index("f0"))]),
    )
    plain = Solver(solver, max_iter=40)(problem, rows, q0=q0)
    assert 0 < plain.converged.sum() < 30
    for row, start, q in zip(rows, q0, plain.q, strict=True):
        got = Solver(solver, max_iter=40)(problem, row, q0=start, trace=True)
        assert got.q.tobytes() == q.tobytes()
        # the best pose is that of the least error with a radian as 0.17 of the figure's length
        told = problem.evaluate(row, got.trace.q[: got.iterations + 1])
        even = told.distance**2 + 0.03 * (length * told.angle) ** 2
        kept = got.iterations if got.converged else even.argmin()
        np.testing.assert_array_equal(got.trace.q[kept], got.q)


def test_several_goals_are_reached():
    model = two_arms()
    problem = Problem(model, [Position(frame="f0"), Position(frame="f1")])
    q = model.sample(200, seed=5)
    targets = np.concatenate([model.fk(q, frame=f)[:, :3, 3] for f in ("f0", "f1")], axis=1)
    for solver in ("fabrik", "fabrik_fast", "hybrid"):
        got = Solver(solver)(problem, targets, q0=model.sample(200, seed=6))
        assert got.converged.mean() >= 0.95, solver


@pytest.mark.parametrize(
    ("solver", "least"), [("fabrik", 0.6), ("fabrik_fast", 0.97), ("hybrid", 1.0)]
)
@pytest.mark.parametrize("terms", [[Axis], [Orientation], [Position, Axis]])
def test_axes_and_orientations_are_reached(terms, solver, least):
    """One axis of the tip, all three, and a point with an axis, of reachable targets."""
    model = human_arm()
    problem = Problem(
        model, [t(position_tolerance=1e-3, orientation_tolerance=1e-2) for t in terms]
    )
    pose = model.fk(model.sample(200, seed=11))
    part = {
        Axis: pose[:, :3, 2],
        Position: pose[:, :3, 3],
        Orientation: hk._core.pose_columns(pose)[:, 3:],
    }
    targets = np.concatenate([part[t] for t in terms], axis=1)
    got = Solver(solver, max_iter=300)(problem, targets, q0=model.sample(200, seed=12))
    assert got.converged.mean() >= least
    np.testing.assert_allclose(model.clip(got.q), got.q, atol=1e-12)


def test_conflicting_targets_give_a_pose_between():
    """One frame asked to be at two places: no limit breaks, and the answer is the middle."""
    model = chain([0.5, 0.5, 0.5], lower=-2, upper=2)
    problem = Problem(model, [Position(), Position()])
    row = np.array([0.7, 0.3, 0, 0.7, 0.5, 0])
    got = Solver("fabrik_fast", max_iter=300)(problem, row, q0=[0.3, 0.3, 0.3])
    assert got.outcome in (Outcome.STALLED, Outcome.MAX_ITER)
    np.testing.assert_allclose(model.fk(got.q)[:3, 3], [0.7, 0.4, 0], atol=1e-2)
    np.testing.assert_allclose(model.clip(got.q), got.q, atol=1e-12)


def test_long_chain_takes_linear_time():
    """A hundred thousand joints: no recursion, no quadratic sweep (that would take hours)."""
    n = 100_000
    model = chain(np.full(n, 1 / n))
    got = model.solve(
        position=[0.3, 0.2, 0],
        q0=np.full(n, 1e-5),
        solver="fabrik",
        max_iter=3,
        position_tolerance=1e-3,
    )
    assert got.iterations >= 1
    assert np.isfinite(got.error)
