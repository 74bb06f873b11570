"""Terms, residuals, the judge and results, against NumPy written from the definitions."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import handik as hk
from handik import _core
from handik.spec import JointSpec, LinkSpec, ModelSpec

STEP = 1e-6


def place(x: float, y: float, z: float, turn: Any = (0.0, 0.0, 0.0)) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3] = Rotation.from_rotvec(turn).as_matrix()
    out[:3, 3] = x, y, z
    return out


def figure() -> hk.Model:
    """One joint of each kind in a row, and a branch."""
    spec = ModelSpec("all", [LinkSpec("base")])
    above = "base"
    kinds = ["free", "revolute", "cylindrical", "ball", "universal", "planar", "prismatic", "fixed"]
    for k, kind in enumerate([*kinds, "revolute"]):
        joint = JointSpec(f"j{k}", kind, above, f"l{k}", place(0.3, 0.1, -0.1, (0.2, 0.1 * k, 0.3)))
        joint.axis, joint.axis2 = (0.0, 0.6, 0.8), (1.0, 0.0, 0.0)
        spec.links.append(LinkSpec(f"l{k}"))
        spec.joints.append(joint)
        above = f"l{k}" if k != 7 else "l3"
    return hk.Model(spec)


MODEL = figure()
FRAMES = ("l7", "l8", "l2", "base")
TERMS: dict[str, type[hk.terms.Term]] = {
    "position": hk.Position,
    "orientation": hk.Orientation,
    "pose": hk.Pose,
    "axis": hk.Axis,
}


def rotation_of(quaternion: np.ndarray) -> Rotation:
    return Rotation.from_quat(np.asarray(quaternion)[..., [1, 2, 3, 0]])


def random_target(kind: str, rng: np.random.Generator) -> np.ndarray:
    point, turn = rng.normal(size=3), rng.normal(size=4)  # of any length
    return {
        "position": point,
        "orientation": turn,
        "pose": np.concatenate([point, turn]),
        "axis": rng.normal(size=3) * 7,
    }[kind]


def residual_of(kind: str, target: np.ndarray, pose: np.ndarray, axis: np.ndarray) -> np.ndarray:
    """The definition: present less wanted, world axes."""
    point = pose[:3, 3] - target[:3]
    if kind == "position":
        return point
    if kind == "axis":
        return pose[:3, :3] @ axis / np.linalg.norm(axis) - target / np.linalg.norm(target)
    turn = Rotation.from_matrix(pose[:3, :3]) * rotation_of(target[-4:]).inv()
    return turn.as_rotvec() if kind == "orientation" else np.concatenate([point, turn.as_rotvec()])


def errors_of(kind: str, target: np.ndarray, pose: np.ndarray, axis: np.ndarray) -> Any:
    r = residual_of(kind, target, pose, axis)
    if kind == "position":
        return np.linalg.norm(r), 0.0
    if kind == "orientation":
        return 0.0, np.linalg.norm(r)
    if kind == "pose":
        return np.linalg.norm(r[:3]), np.linalg.norm(r[3:])
    return 0.0, 2 * np.arcsin(min(1.0, np.linalg.norm(r) / 2))


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize("kind", TERMS)
@given(seed=st.integers(0, 10_000))
def test_residual_and_judge_are_the_definition(kind: str, frame: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    extra = {"axis": tuple(axis)} if kind == "axis" else {}
    weight = float(rng.uniform(0.1, 5))
    term = TERMS[kind](
        frame=frame, weight=weight, position_tolerance=1.0, orientation_tolerance=1.0, **extra
    )
    problem = hk.Problem(MODEL, [term])
    q, target = MODEL.sample(seed=seed), random_target(kind, rng)
    pose = MODEL.fk(q, frame=frame)
    want = residual_of(kind, target, pose, axis)
    got = problem.residual(target, q)
    if kind in ("orientation", "pose") and np.linalg.norm(want[-3:]) > np.pi - 1e-6:
        return  # either of two vectors is right there
    np.testing.assert_allclose(got, weight * want, atol=1e-12 * weight * max(1, MODEL.max_reach))
    met, error, position, orientation = problem.evaluate(target, q)[:4]
    distance, angle = errors_of(kind, target, pose, axis)
    np.testing.assert_allclose(position, distance, atol=1e-12)
    np.testing.assert_allclose(orientation, angle, atol=1e-12 if kind != "axis" else 1e-7)
    np.testing.assert_allclose(error, weight * np.linalg.norm(want), rtol=1e-11)
    if abs(distance - 1) > 1e-9 and abs(angle - 1) > 1e-6:
        assert bool(met) == (distance <= 1 and angle <= 1)


def difference_quotient(problem: hk.Problem, target: np.ndarray, q: np.ndarray) -> np.ndarray:
    columns = []
    for k in range(MODEL.nv):
        v = np.zeros(MODEL.nv)
        v[k] = STEP
        ahead, behind = MODEL.integrate(q, v), MODEL.integrate(q, -v)
        columns.append(
            (problem.residual(target, ahead) - problem.residual(target, behind)) / (2 * STEP)
        )
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("frame", ["l7", "l8"])
@pytest.mark.parametrize("kind", TERMS)
def test_residual_jacobian_by_differences(kind: str, frame: str) -> None:
    rng = np.random.default_rng(3)
    problem = hk.Problem(MODEL, [TERMS[kind](frame=frame, weight=1.7)])
    for seed in range(8):
        q, target = MODEL.sample(seed=seed), random_target(kind, rng)
        want = difference_quotient(problem, target, q)
        got = problem.jacobian(target, q)
        assert got.shape == (problem.rows, MODEL.nv)
        np.testing.assert_allclose(got, want, atol=2e-8 * max(1.0, np.abs(want).max()))


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-7, 1e-4, 1.01e-4, 1.0, 3.0, 3.1, 3.14, 3.1415])
@pytest.mark.parametrize("kind", ["orientation", "pose"])
def test_turns_from_none_to_nearly_half(kind: str, angle: float) -> None:
    """The rotation vector, its Jacobian and the judge from 0 to just below 180 degrees."""
    rng = np.random.default_rng(int(angle * 1e4))
    problem = hk.Problem(MODEL, [TERMS[kind](frame="l7")])
    for seed in range(4):
        q = MODEL.sample(seed=seed)
        pose = MODEL.fk(q, frame="l7")
        axis = rng.normal(size=3)
        axis *= angle / np.linalg.norm(axis)
        turn = (Rotation.from_rotvec(-axis) * Rotation.from_matrix(pose[:3, :3])).as_quat()
        target = np.concatenate([pose[:3, 3] if kind == "pose" else [], turn[[3, 0, 1, 2]]])
        residual = problem.residual(target, q)[-3:]
        near_half = max(1.0, 1 / (np.pi - angle))
        np.testing.assert_allclose(residual, axis, atol=2e-15 * near_half * 10)
        assert abs(problem.evaluate(target, q)[3] - angle) < 1e-14
        want = difference_quotient(problem, target, q)
        scale = max(1.0, np.abs(want).max())
        np.testing.assert_allclose(
            problem.jacobian(target, q), want, atol=1e-7 * scale * near_half**2
        )


def test_exactly_half_a_turn_is_finite() -> None:
    problem = hk.Problem(MODEL, [hk.Orientation(frame="base")])
    for quaternion in np.eye(4)[1:]:
        residual = problem.residual(quaternion, MODEL.rest)
        assert abs(np.linalg.norm(residual) - np.pi) < 1e-15
        np.testing.assert_allclose(np.abs(residual), np.pi * quaternion[1:], atol=1e-15)
        jacobian = problem.jacobian(quaternion, MODEL.rest)
        assert np.isfinite(jacobian).all()
    opposite = hk.Problem(MODEL, [hk.Axis(frame="base")])
    _, error, _, angle = opposite.evaluate([0, 0, -3.0], MODEL.rest)[:4]
    assert angle == np.pi
    assert error == 2.0


def test_terms_stand_side_by_side() -> None:
    terms = [hk.Pose(frame="l7", weight=2.0), hk.Position(frame="l8"), hk.Axis(frame="l2")]
    problem = hk.Problem(MODEL, terms)
    assert problem.width == 7 + 3 + 3
    assert problem.rows == 6 + 3 + 3
    assert problem.columns[:3] == ("l7.x", "l7.y", "l7.z")
    assert problem.columns[-1] == "l2.dz"
    assert len(problem.columns) == problem.width
    rng = np.random.default_rng(5)
    target = np.concatenate([random_target(k, rng) for k in ("pose", "position", "axis")])
    q = MODEL.sample(seed=4)
    parts = np.split(target, [7, 10])
    single = [hk.Problem(MODEL, [term]) for term in terms]
    np.testing.assert_array_equal(
        problem.residual(target, q),
        np.concatenate([p.residual(t, q) for p, t in zip(single, parts, strict=True)]),
    )
    np.testing.assert_array_equal(
        problem.jacobian(target, q),
        np.concatenate([p.jacobian(t, q) for p, t in zip(single, parts, strict=True)]),
    )
    judged = [p.evaluate(t, q) for p, t in zip(single, parts, strict=True)]
    _, error, position, orientation = problem.evaluate(target, q)[:4]
    assert position == max(j[2] for j in judged)
    assert orientation == max(j[3] for j in judged)
    np.testing.assert_allclose(error, np.linalg.norm([j[1] for j in judged]), rtol=1e-15)


def test_the_judge_looks_at_limits_and_lengths() -> None:
    hinge = hk.chain([1.0, 1.0], lower=-1.0, upper=1.0)
    problem = hk.Problem(hinge, [hk.Position()])
    for q, inside in (([1.0, 0.5], True), ([1.0 + 1e-11, 0.5], False), ([1.0 + 1e-13, 0.5], True)):
        assert bool(problem.evaluate(hinge.fk(q)[:3, 3], q)[0]) is inside
    ball = hk.chain([1.0], "ball")
    problem = hk.Problem(ball, [hk.Position()])
    assert problem.evaluate([1, 0, 0], [1, 0, 0, 0])[0]
    assert not problem.evaluate([1, 0, 0], [2, 0, 0, 0])[0]
    assert not problem.evaluate([1, 0, 0], [np.nan, 0, 0, 0])[0]
    assert not problem.evaluate([np.nan, 0, 0], [1, 0, 0, 0])[0]
    assert not problem.evaluate([1, 0, 0], [0, 0, 0, 0])[0]


def test_tolerances_are_bounds_that_count_as_met() -> None:
    ball = hk.chain([1.0], "ball")
    problem = hk.Problem(ball, [hk.Position(position_tolerance=0.5)])
    assert problem.evaluate([1.5, 0, 0], ball.rest)[0]
    assert not problem.evaluate([1.5 + 1e-9, 0, 0], ball.rest)[0]
    default = hk.Problem(hk.chain([3.0, 4.0], "ball"), [hk.Position()])
    assert default.evaluate([7 + 6.9e-4, 0, 0], default.model.rest)[0]
    assert not default.evaluate([7 + 7.1e-4, 0, 0], default.model.rest)[0]


def test_bad_terms_are_named() -> None:
    for term, text in (
        (hk.Position(weight=0.0), "term 0: its weight must be positive"),
        (hk.Position(weight=-1.0), "weight"),
        (hk.Position(weight=np.inf), "weight"),
        (hk.Position(weight=np.nan), "weight"),
        (hk.Position(position_tolerance=-1.0), "tolerances must be zero or more"),
        (hk.Pose(orientation_tolerance=np.nan), "tolerances"),
        (hk.Axis(axis=(0.0, 0.0, 0.0)), "axis in the frame is zero"),
        (hk.Axis(axis=(0.0, np.inf, 0.0)), "not finite"),
        (hk.Axis(axis=(0.0, 1.0)), "3 numbers, got 2"),
    ):
        arm = hk.chain([1.0], "ball")
        with pytest.raises(hk.ArgumentError, match=text):
            hk.Problem(arm, [term])
    with pytest.raises(hk.ArgumentError, match="1 to 4096 terms, got 0"):
        hk.Problem(arm, [])
    with pytest.raises(hk.ArgumentError, match="at most 4096"):
        hk.Problem(arm, [hk.Position()] * 4097)
    with pytest.raises(hk.ArgumentError, match="several tips"):
        hk.Problem(MODEL, [hk.Position()])
    with pytest.raises(TypeError, match="made of terms"):
        hk.Problem(arm, [hk.Position])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="weight must be a number"):
        hk.Problem(arm, [hk.Position(weight="2")])  # type: ignore[arg-type]


def test_the_core_checks_terms_itself() -> None:
    arm = hk.chain([1.0], "ball")

    def core(*row: Any) -> Any:
        return _core.Problem(arm, (row,))

    assert core("position", 0, 1.0, 0.0, 0.0, ()).width == 3
    with pytest.raises(hk.NotFoundError, match="no term 'magic'"):
        core("magic", 0, 1.0, 0.0, 0.0, ())
    for frame in (-1, 99, 2**31 - 1):
        with pytest.raises(hk.NotFoundError, match=f"no frame {frame}"):
            core("position", frame, 1.0, 0.0, 0.0, ())
    with pytest.raises(OverflowError):
        core("position", 2**40, 1.0, 0.0, 0.0, ())
    with pytest.raises(hk.ArgumentError, match="no more than 0 constants"):
        core("position", 0, 1.0, 0.0, 0.0, (1.0,))
    with pytest.raises(TypeError):
        core("axis", 0, 1.0, 0.0, 0.0, ("x",))
    for row in ((), ("position",), ("position", 0, 1.0, 0.0, 0.0), 3, None):
        with pytest.raises(TypeError):
            _core.Problem(arm, (row,))  # type: ignore[arg-type]


def test_a_problem_keeps_its_model_alive() -> None:
    problem = hk.Problem(hk.chain([1.0, 1.0], "ball"), [hk.Position()])
    core_problem = _core.Problem(
        hk.chain([1.0, 1.0], "ball"), (("position", 2, 1.0, 0.1, 0.1, ()),)
    )
    for p in (problem, core_problem):
        assert p.residual([1, 0, 0], [1, 0, 0, 0] * 2).shape == (3,)


# -- results --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mixed() -> hk.Result:
    arm = hk.chain([1.0, 1.0, 1.0], "ball")
    targets = [[1, 1, 1], [9, 9, 9], [np.nan, 0, 0], [0, 1, -1], [0, 9, 0], [1, 0, 1]]
    return arm.solve(position=np.reshape(targets, (2, 3, 3)), solver="fabrik", trace=True)


def test_results_are_sliced_like_arrays(mixed: hk.Result) -> None:
    assert len(mixed) == 2
    row = mixed[1]
    assert row.q.shape == (3, 12)
    assert row.outcome.shape == row.error.shape == (3,)
    assert row.trace is not None
    assert row.trace.error.shape[0] == 3
    one = mixed[0, 1]
    assert one.outcome is hk.Outcome.UNREACHABLE
    assert isinstance(one.error, float)
    assert isinstance(one.iterations, int)
    assert one.q.shape == (12,)
    assert not one.converged
    chosen = mixed[mixed.converged]
    assert len(chosen) == 3
    assert chosen.converged.all()
    assert chosen.solver == mixed.solver
    assert [len(part) for part in mixed] == [3, 3]
    for bad in (2, (0, 3), "x"):
        with pytest.raises(IndexError):
            mixed[bad]
    with pytest.raises(TypeError, match="cannot be indexed"):
        one[0]
    with pytest.raises(TypeError, match="no length"):
        len(one)


def test_raise_for_outcome_counts(mixed: hk.Result) -> None:
    with pytest.raises(hk.SolveError) as caught:
        mixed.raise_for_outcome()
    assert str(caught.value) == (
        "3 of 6 not solved: 1 without a usable target, 2 out of reach (first at index 1)"
    )
    assert isinstance(caught.value, hk.HandikError)
    with pytest.raises(hk.SolveError, match=r"out of reach, position error 12\.6 m"):
        mixed[0, 1].raise_for_outcome()
    good = mixed[mixed.converged]
    assert good.raise_for_outcome() is good
    assert mixed[0, 0].raise_for_outcome().converged


def test_results_print_and_pickle(mixed: hk.Result) -> None:
    assert "3 of 6 converged" in repr(mixed)
    assert "unreachable" in repr(mixed[0, 1])
    back = pickle.loads(pickle.dumps(mixed))
    np.testing.assert_array_equal(back.q, mixed.q)
    assert repr(back) == repr(mixed)
    with pytest.raises(AttributeError):
        mixed.q = mixed.q  # type: ignore[misc]


def test_traces_end_at_the_error(mixed: hk.Result) -> None:
    assert mixed.trace is not None
    for i in np.ndindex(2, 3):
        trace, n = mixed.trace.error[i], mixed.iterations[i]
        if mixed.outcome[i] == hk.Outcome.INVALID:
            assert np.isnan(trace).all()
            continue
        assert np.isfinite(trace[: n + 1]).all()
        assert np.isnan(trace[n + 1 :]).all()
        np.testing.assert_allclose(trace[n], mixed.error[i], rtol=1e-9, atol=1e-14)


def test_solve_and_track_hold_locked_joints() -> None:
    arm = hk.data("ur5")
    goal = arm.fk(np.array([0.3, -0.8, 1.2, 0.4, 0.5, 0.1]))[:3, 3]
    held = arm.solve(position=goal, lock={"elbow": 1.2})
    assert held.converged
    assert held.q[2] == 1.2
    other = arm.solve(position=goal, lock={"elbow": 1.3})  # the call before is not repeated
    assert other.q[2] == 1.3
    assert arm.solve(position=goal).q[2] not in (1.2, 1.3)
    path = arm.track(position=[goal, goal + [0.0, 0.01, 0.0]], lock={"elbow": 1.2})
    assert path.converged.all()
    assert (path.q[:, 2] == 1.2).all()
    with pytest.raises(hk.NotFoundError, match="elbo"):
        arm.solve(position=goal, lock={"elbo": 1.2})
    with pytest.raises(hk.ArgumentError, match="outside its limits"):
        arm.solve(position=goal, lock={"elbow": 100})


@pytest.mark.parametrize("info", hk.solvers(), ids=lambda info: info.name)
def test_numbers_of_attempts_are_whole(info: hk.solve.SolverInfo) -> None:
    model = hk.chain([0.3, 0.3, 0.3], "ball" if info.name == "ftl" else "revolute")
    for name in {"max_restarts", "perturbations", "n_candidates", "coarse"} & set(info.options):
        with pytest.raises(
            hk.ArgumentError, match=f"{name} of {info.name} must be a whole .* got 2.5"
        ):
            model.solve(position=[0.3, 0.2, 0.0], solver=info.name, **{name: 2.5})


def test_options_a_solver_does_not_have_are_refused_with_those_it_has() -> None:
    arm = hk.data("ur5")
    with pytest.raises(
        hk.ArgumentError, match="no option 'initial_temperature'; it has max_step, pert"
    ):
        arm.solve(position=[0.4, 0.2, 0.5], solver="dls", initial_temperature=3)
    for solver in ("fabrik", "fabrik_fast", "ccd", "ccd_fast", "dls", "lm"):
        for option in ("perturbations", "max_restarts"):
            with pytest.raises(hk.ArgumentError, match=f"{option} of {solver} must be .* 0"):
                arm.solve(position=[0.4, 0.2, 0.5], solver=solver, **{option: -1})


#: Options that no other may be as large as: what must go with them, that they may be at their ends.
BESIDE: dict[tuple[str, float], dict[str, float]] = {
    ("population", 4.0): {"elites": 1.0},
    ("elites", 9999.0): {"population": 10000.0},
}


@pytest.mark.parametrize("info", hk.solvers(), ids=lambda info: info.name)
def test_every_option_has_a_range_that_is_kept(info: hk.solve.SolverInfo) -> None:
    """At both ends it is taken, just beyond them refused by its name, and so is what is no number."""
    assert info.ranges.keys() == info.options.keys()
    balls = info.name in ("ftl", "triangulation")
    model = hk.chain([0.3, 0.3, 0.3], "ball" if balls else "revolute")
    problem, goal = hk.Problem(model, [hk.Position()]), [0.3, 0.2, 0.0]
    for name, (least, most, whole) in info.ranges.items():
        assert least <= info.options[name] <= most
        step = 1.0 if whole else 1e-3
        out = [least - step, np.nextafter(least, -np.inf), np.nextafter(most, np.inf), most + step]
        for value in [*out, np.nan, np.inf, -np.inf, 1e200, *([least + 0.5] if whole else [])]:
            with pytest.raises(
                hk.ArgumentError, match=f"^{name} (of {info.name} must be|is not a) "
            ):
                hk.Solver(info.name, **{name: value})(problem, goal)
        for value in (least, most):
            if name == "single" and value:  # takes free chains alone
                continue
            given = {name: value, **BESIDE.get((name, value), {})}
            found = hk.Solver(info.name, max_iter=2, **given)(problem, goal)
            assert np.isfinite(found.q).all()


@pytest.mark.parametrize(
    ("solver", "option", "value"),
    [
        ("dls", "damping", -3),
        ("pinv", "use_svd", 7.5),
        ("pinv", "use_svd", 0.5),
        ("sdls", "step_fraction", -1),
        ("fabrik", "extrapolate", 0.3),
        ("fabrik_fast", "frame_weight", -5),
        ("fabrik_fast", "chain_aim", 1e200),
        ("fabrik_fast", "shared_weight", -1),
        ("ccd", "extrapolate", -2),
        ("ccd", "position_weight", 0),
    ],
)
def test_options_out_of_range_are_not_taken_as_others(
    solver: str, option: str, value: float
) -> None:
    """What no one checked: review-core B7."""
    arm = hk.data("ur5")
    with pytest.raises(hk.ArgumentError, match=f"^{option} of {solver} must be .* got "):
        arm.solve(position=[0.4, 0.2, 0.5], solver=solver, **{option: value})


def test_one_term_needs_no_list() -> None:
    arm = hk.data("ur5")
    alone, listed = hk.Problem(arm, hk.Position()), hk.Problem(arm, [hk.Position()])
    assert alone.terms == listed.terms
    q = arm.sample(seed=1)
    point = arm.fk(q)[:3, 3]
    assert hk.Solver()(alone, point).q.tobytes() == hk.Solver()(listed, point).q.tobytes()


def test_results_answer_to_the_words_of_scipy() -> None:
    arm = hk.chain([0.5, 0.4, 0.3])
    batch = arm.solve(position=[[0.6, 0.3, 0.0], [2.0, 0.0, 0.0], [np.nan, 0.0, 0.0]])
    assert batch.success.tolist() == batch.converged.tolist() == [True, False, False]
    assert batch.status.tolist() == [1, 2, 0]
    assert batch.nit is batch.iterations
    assert batch.message == "3 problems: 1 without a usable target, 1 converged, 1 out of reach."
    one = batch[0]
    assert (one.success, one.status, one.nit) == (True, 1, one.iterations)
    assert type(one.status) is int
    assert one.message == "Every goal is within its tolerance, and q inside its limits."
    assert "out of reach" in batch[1].message
    assert "not usable" in batch[2].message


@pytest.mark.parametrize(
    ("word", "ours"),
    [
        ("tol", "position_tolerance= or orientation_tolerance="),
        ("maxiter", "max_iter="),
        ("x0", "q0="),
        ("initial_guess", "q0="),
        ("starts", "max_restarts="),
        ("restarts", "retries= or max_restarts="),
        ("stall", "ftol="),
        ("clamp", "max_step="),
        ("solutions", "n_candidates="),
        ("timeout", "time_limit="),
        ("target_position", "position="),
        ("end_effector", "frame="),
        ("max_itr", "max_iter="),
    ],
)
def test_words_of_others_are_answered_with_ours(word: str, ours: str) -> None:
    with pytest.raises(hk.ArgumentError, match=f"no option '{word}'; did you mean {ours}"):
        hk.data("ur5").solve(position=[0.4, 0.2, 0.5], **{word: 1})


def test_words_of_others_lead_to_keywords_that_are_there() -> None:
    from handik.solve.call import GOALS, SETTINGS
    from handik.solve.table import PEERS

    ours = {*GOALS, *SETTINGS}
    ours.update(name for row in hk.solvers() for name in row.options)
    assert {word for words in PEERS.values() for word in words} <= ours
    assert not ours & PEERS.keys()
