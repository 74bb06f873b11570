"""The outcome least_squares: said of compromises that are local minima, and of nothing else."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import handik as hk
from handik import Outcome

#: Solvers that lower a sum of squares to its end, from one start.
DESCENTS = ("auto", "lm", "lbfgs")
ONE = {"max_restarts": 0}


def arm(limit: float = 2.0) -> hk.Model:
    return hk.chain([0.4, 0.3, 0.2, 0.2], lower=-limit, upper=limit)


def scale(problem: hk.Problem) -> float:
    """Return the reach of a planar chain with four links from its first joint."""
    assert problem.model.nq == 4
    return 1.1


@pytest.mark.parametrize("solver", DESCENTS)
@pytest.mark.parametrize("weight", [1.0, 2.0, 0.3])
def test_two_targets_pull_one_tip(solver: str, weight: float) -> None:
    """The optimum is known: the mean of the targets by the squares of their weights."""
    model = arm()
    problem = hk.Problem(model, [hk.Position(), hk.Position(weight=weight)])
    a, b = np.array([0.3, 0.5, 0]), np.array([0.5, 0.4, 0])
    found = hk.Solver(solver, **ONE)(problem, np.hstack([a, b]))
    share = weight**2 / (1 + weight**2)
    np.testing.assert_allclose(model.fk(found.q)[:3, 3], a + share * (b - a), atol=1e-5)
    assert found.outcome is Outcome.LEAST_SQUARES
    assert not found.converged
    assert not found.success
    assert found.message.startswith("Not converged: q is a local least-squares minimum")
    with pytest.raises(hk.HandikError, match="at a least-squares minimum"):
        found.raise_for_outcome()


@pytest.mark.parametrize("solver", [*DESCENTS, "dls", "ccd"])
def test_limits_hold_the_way_down(solver: str) -> None:
    """Behind the limits the nearest pose stands on all of them, where only they stop the slope."""
    model = hk.chain([0.4, 0.3, 0.2], lower=-0.2, upper=0.2)
    found = model.solve(position=[-0.3, 0.6, 0.0], solver=solver, **ONE)
    np.testing.assert_allclose(found.q, 0.2, atol=1e-9)
    assert found.outcome is Outcome.LEAST_SQUARES


@pytest.mark.parametrize("solver", DESCENTS)
def test_markers_with_noise(solver: str) -> None:
    """Three markers, a millimetre of noise: near the posture, never met."""
    model = arm()
    frames = ("link_3", "link_4", "tip")
    problem = hk.Problem(model, [hk.Position(f, position_tolerance=1e-7) for f in frames])
    rng = np.random.default_rng(2)
    q = 0.8 * model.sample(20, seed=1)
    # the links keep the distances of link_3 to link_4 and on, which noise does not
    rows = np.stack([model.fk(q, frame=f)[:, :3, 3] for f in frames], axis=1)
    rows[..., :2] += rng.normal(0, 1e-3, (20, 3, 2))
    found = hk.Solver(solver, **ONE)(problem, rows.reshape(20, 9), q0=q)
    assert (found.outcome == Outcome.LEAST_SQUARES).sum() >= 18
    assert (found.error < 6e-3).all()
    assert not found.converged.any()


@pytest.mark.parametrize("kind", ["revolute", "ball"])
def test_a_folded_chain_is_a_saddle(kind: str) -> None:
    """Any folding of a chain with its target on its own line has no slope, and is no minimum."""
    rng = np.random.default_rng(1)
    for n in range(2, 7):
        model = hk.chain([0.3] * n, kind)
        for fold in itertools.product((0, 1), repeat=n):
            turns = np.array(fold)
            q = np.pi * turns if kind == "revolute" else np.zeros(4 * n)
            if kind == "ball":
                q[0::4], q[3::4] = 1 - turns, turns
            x = rng.uniform(0.02, 0.3 * n - 0.02)
            found = model.solve(
                position=[x, 0, 0], q0=q, solver="gauss_newton", perturbations=0, **ONE
            )
            assert found.outcome is not Outcome.LEAST_SQUARES, (fold, x)


def test_what_is_reachable_is_never_called_so() -> None:
    """Not where a tolerance of nothing is missed by rounding either."""
    for model in (arm(), hk.data("ur5"), hk.chain([0.3, 0.25, 0.2], "ball")):
        poses = model.fk(model.sample(200, seed=3))
        for tolerance in (1e-6, 0.0):
            found = model.solve(
                position=poses[:, :3, 3], position_tolerance=tolerance, solver="auto"
            )
            assert not (found.outcome == Outcome.LEAST_SQUARES).any()


def test_out_of_reach_stays_out_of_reach() -> None:
    found = arm().solve(position=[3.0, 0.0, 0.0], solver="lm")
    assert found.outcome is Outcome.UNREACHABLE


def test_levels_of_priority() -> None:
    """Two levels that decide are no one sum of squares; soft terms below leave the word as it is."""
    model, behind = arm(0.2), [-0.3, 0.6, 0.0, -0.3, 0.6, 0.0]  # the limits hold all joints
    for priority, outcome in ((0, Outcome.LEAST_SQUARES), (1, Outcome.STALLED)):
        both = hk.Problem(model, [hk.Position(), hk.Position(priority=priority)])
        assert hk.Solver("auto", **ONE)(both, behind).outcome is outcome
    soft = hk.Problem(arm(), [hk.Position(), hk.Position(), hk.Posture(weight=0.1)])
    found = hk.Solver("auto", **ONE)(soft, [0.3, 0.5, 0.0, 0.5, 0.4, 0.0])
    assert found.outcome is Outcome.LEAST_SQUARES


def test_no_number() -> None:
    problem = hk.Problem(arm(), [hk.Position(), hk.Position()])
    rows = np.array([[0.3, 0.5, 0, 0.5, 0.4, 0], [np.nan, 0.5, 0, 0.5, 0.4, 0]])
    found = hk.Solver("auto", **ONE)(problem, rows)
    assert found.outcome.tolist() == [Outcome.LEAST_SQUARES, Outcome.INVALID]
    assert found.outcome[:1] == "least_squares"


def test_a_fit_ends_at_its_first_minimum() -> None:
    problem = hk.Problem(arm(), [hk.Position(), hk.Position()])
    target = [0.3, 0.5, 0.0, 0.5, 0.4, 0.0]
    short = hk.Solver("auto", **ONE)(problem, target)
    long = hk.Solver("auto")(problem, target)
    assert short.outcome is long.outcome is Outcome.LEAST_SQUARES
    assert short.iterations <= 40 < 10 * short.iterations < long.iterations
    assert short.error <= long.error * (1 + 1e-6)


def test_bytes_do_not_depend_on_place_or_threads() -> None:
    model = arm()
    problem = hk.Problem(model, [hk.Position(), hk.Position("link_3")])
    frames = (("tip", 3), ("link_3", 4))
    rows = np.hstack(
        [0.9 * model.fk(model.sample(40, seed=s), frame=f)[:, :3, 3] for f, s in frames]
    )
    whole = hk.Solver("lm", **ONE)(problem, rows)
    assert {3, 8} >= set(whole.outcome.tolist()) - {1, 2, 4}
    assert (whole.outcome == Outcome.LEAST_SQUARES).any()
    other = hk.Solver("lm", threads=3, **ONE)(problem, rows)
    assert whole.outcome.tobytes() == other.outcome.tobytes()
    for i in range(0, 40, 7):
        assert hk.Solver("lm", **ONE)(problem, rows[i]).outcome == whole.outcome[i]


def gain_of_scipy(problem: hk.Problem, row: np.ndarray, q: np.ndarray, share: float) -> float:
    """Share of the sum of squares that SciPy gains from a pose of free balls, lengths over `share`."""
    optimize = pytest.importorskip("scipy.optimize")
    v = np.zeros(problem.model.nv)

    def residual(v: np.ndarray) -> np.ndarray:
        return np.asarray(problem.residual(row, problem.model.integrate(q, v))) / share

    peer = optimize.least_squares(residual, v, xtol=1e-12, ftol=1e-12, gtol=1e-12)
    return float(1 - 2 * peer.cost / np.sum(residual(v) ** 2))


@pytest.mark.parametrize(
    ("solver", "least"), [("lm", 1.0), ("auto", 0.98), ("ccd", 0.85), ("fabrik", 0.85)]
)
def test_balls_that_turn_about_their_own_bones(solver: str, least: float) -> None:
    """A column that is rounding hides no minimum, and SciPy finds almost nothing below what is called one.

    Bones that two targets pull straight leave balls that move nothing.
    """
    model = hk.chain([0.4, 0.3, 0.2, 0.2], "ball")
    problem = hk.Problem(model, [hk.Position(), hk.Position("link_3", weight=2.0)])
    q = model.sample(120, seed=1)
    rows = np.hstack([model.fk(q[:60])[:, :3, 3], 0.9 * model.fk(q[60:], frame="link_3")[:, :3, 3]])
    found = hk.Solver(solver, **ONE)(problem, rows, q0=model.rest)
    minimum = found.outcome == Outcome.LEAST_SQUARES
    left = ~found.converged & (found.outcome != Outcome.UNREACHABLE)
    assert minimum.sum() >= least * left.sum() > 30
    for k in np.flatnonzero(left):
        gain = gain_of_scipy(problem, rows[k], found.q[k], 1.1)
        assert gain < 1.5e-4 if minimum[k] else gain > 2e-5, (k, gain)


@pytest.mark.parametrize(("lever", "minimum"), [(1e-6, True), (0.03, False)])
def test_a_narrow_valley_is_no_minimum(lever: float, minimum: bool) -> None:
    """Two slides almost alike lead where neither leads alone; at the floor they count as one.

    The target lies across both: each axis has a cosine of a few thousandths with the residual.
    """
    spec = hk.ModelSpec(
        "valley",
        [hk.LinkSpec("ground"), hk.LinkSpec("first"), hk.LinkSpec("second")],
        [
            hk.JointSpec("a", "prismatic", "ground", "first", axis=(1, 0, 0), lower=-9, upper=9),
            hk.JointSpec(
                "b", "prismatic", "first", "second", axis=(1, lever, 0), lower=-9, upper=9
            ),
        ],
        [hk.FrameSpec("tip", "second")],
    )
    model = hk.Model(spec)
    problem = hk.Problem(model, [hk.Position(), hk.Position()])
    row = np.array([0.0, 0.5, 0.0, 0.0, 0.3, 0.0])
    found = hk.Solver("ccd", max_iter=2, **ONE)(problem, row)
    assert (found.outcome is Outcome.LEAST_SQUARES) is minimum


def test_a_cap_at_a_minimum_is_a_minimum() -> None:
    """FABRIK with its starts comes to the cap; the nearest pose of all is a compromise all the same."""
    problem = hk.Problem(hk.chain([0.4, 0.3, 0.2], "ball"), [hk.Position(), hk.Position(weight=2)])
    found = hk.Solver("fabrik")(problem, [0.3, 0.5, 0.0, 0.4, 0.5, 0.0])
    assert found.outcome is Outcome.LEAST_SQUARES
    np.testing.assert_allclose(problem.model.fk(found.q)[:3, 3], [0.38, 0.5, 0.0], atol=1e-4)
    early = hk.Solver("fabrik", max_iter=1)(problem, [0.3, 0.5, 0.0, 0.4, 0.5, 0.0])
    assert early.outcome is Outcome.MAX_ITER


def test_scipy_finds_nothing_lower() -> None:
    """From where we say so, bounded least squares of SciPy gains no more than the share we name."""
    optimize = pytest.importorskip("scipy.optimize")
    hypothesis = pytest.importorskip("hypothesis")
    from hypothesis import strategies as st

    model, seen = arm(), []

    @hypothesis.settings(max_examples=60, deadline=None, derandomize=True)
    @hypothesis.given(
        st.sampled_from(["auto", "lm", "lbfgs", "dls", "ccd", "gradient_descent", "hybrid"]),
        st.sampled_from([0.7, 2.0]),
        st.sampled_from([(hk.Position, hk.Position), (hk.Pose, hk.Position)]),
        st.integers(0, 10**6),
        st.floats(0.2, 4.0),
    )
    def check(
        solver: str, limit: float, kinds: tuple[type, type], seed: int, weight: float
    ) -> None:
        model = arm(limit)
        problem = hk.Problem(model, [kinds[0](), kinds[1]("link_3", weight=weight)])
        q = model.sample(2, seed=seed)
        whole = hk._core.pose_columns(model.fk(q[0]))
        one = whole if kinds[0] is hk.Pose else whole[:3]
        row = np.hstack([one, 0.9 * model.fk(q[1], frame="link_3")[:3, 3]])
        found = hk.Solver(solver, **ONE)(problem, row, q0=model.rest)
        if found.outcome is not Outcome.LEAST_SQUARES:
            return
        seen.append(solver)
        lengths = np.ones(len(problem.residual(row, found.q)))
        lengths[[0, 1, 2, -3, -2, -1]] = 1 / scale(problem)

        def residual(q: np.ndarray, chord: bool) -> np.ndarray:
            e = lengths * problem.residual(row, q)
            angle = np.linalg.norm(e[3:-3])
            if chord and angle > 0:
                e[3:-3] *= 2 * np.sin(angle / 2) / angle
            return e

        gains = []
        for chord in (False, True):
            start = np.clip(found.q, model.lower + 1e-10, model.upper - 1e-10)
            peer = optimize.least_squares(
                residual, start, bounds=(model.lower, model.upper), args=(chord,), x_scale=0.1
            )
            gains.append(1 - 2 * peer.cost / np.sum(residual(found.q, chord) ** 2))
        assert min(gains) < 1e-3, gains

    check()
    assert len(seen) >= 15, len(seen)
    assert len(set(seen)) >= 4, set(seen)
    assert model.nq == 4
