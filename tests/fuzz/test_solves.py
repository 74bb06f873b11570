"""The fuzzer of solves: a short slice of it, and faults planted in answers, which it must find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from figures import figure
from goals import Case, draw
from oracle import Figure
from solves import ROWS, Tally, check_bytes, check_rows, check_time, solve, some_cases

import handik as hk
from handik.result import Outcome

CASES = 120


@pytest.mark.parametrize("first", [1000, 2000, 3000])
def test_a_slice_of_the_fuzzer_finds_nothing(first: int) -> None:
    tally = some_cases(first, CASES // 3, Tally(), rows=48)
    assert not tally.failures
    assert tally.cases > CASES // 5
    assert tally.outcomes["CONVERGED"] > 50


def test_no_direction_is_no_target_of_damping() -> None:
    tally = some_cases(770000000000367, 1, Tally())
    assert not tally.failures
    assert tally.solves > 0


def a_case() -> tuple[Case, hk.Result]:
    """A case with a hinge or slide, and answers of which many converged."""
    for seed in range(10**6):
        case = draw(seed, figure, ROWS)
        if case is None or len(case.targets) < 20 or not case.solver:
            continue
        try:
            result = solve(case, case.problem)
        except (hk.UnsupportedError, hk.ArgumentError):
            continue
        limited = np.isfinite(case.problem.model.upper)
        exact = all(np.ravel(one.position_tolerance or 0)[0] < 1 for one in case.terms)
        tally = Tally()
        check_rows(case, result, tally)
        if limited.any() and exact and result.converged.mean() > 0.4 and not tally.failures:
            return case, result
    raise AssertionError("no case among a million")


def moved(case: Case, r: hk.Result) -> hk.Result:
    k, q = int(np.argmax(r.converged)), r.q.copy()
    q[k] = case.problem.model.clip(case.problem.model.sample(seed=5))
    return replace(r, q=q)


def beyond(case: Case, r: hk.Result) -> hk.Result:
    q, at = r.q.copy(), int(np.argmax(np.isfinite(case.problem.model.upper)))
    q[int(np.argmax(r.converged)), at] = case.problem.model.upper[at] + 1e-8
    return replace(r, q=q)


def told_otherwise(case: Case, r: hk.Result) -> hk.Result:
    outcome = np.array(r.outcome)
    outcome[np.asarray(r.converged)] = (
        Outcome.STALLED
    )  # an error next to the tolerance is not judged
    return replace(r, outcome=outcome)


def called_out_of_reach(case: Case, r: hk.Result) -> hk.Result:
    outcome = np.array(r.outcome)
    outcome[np.argmax(case.reachable)] = Outcome.UNREACHABLE
    return replace(r, outcome=outcome)


def gone(case: Case, r: hk.Result) -> hk.Result:
    q = r.q.copy()
    q[int(np.argmax(r.converged))] = np.nan
    return replace(r, q=q)


def other_error(case: Case, r: hk.Result) -> hk.Result:
    return replace(r, error=np.asarray(r.error) + 1e-6)


@pytest.mark.parametrize(
    "plant", [moved, beyond, told_otherwise, called_out_of_reach, gone, other_error]
)
def test_planted_faults_are_found(plant: Callable[[Case, hk.Result], hk.Result]) -> None:
    case, result = a_case()
    assert case.reachable.any()
    tally = Tally()
    check_rows(case, plant(case, result), tally)
    assert tally.failures


def test_planted_difference_of_a_bit_is_found() -> None:
    case, result = a_case()
    tally = Tally()
    check_bytes(case, result, tally)
    assert not tally.failures
    check_bytes(case, replace(result, q=np.nextafter(result.q, np.inf)), tally)
    assert tally.failures


def test_time_limit_and_interrupt_on_a_problem_that_cannot_be_met() -> None:
    model = hk.data("ur5")
    problem = hk.Problem(model, [hk.Pose(frame=model.tip), hk.Level(frame=model.tip, angle=0.1)])
    target = np.array([[0.2, 0.1, 0.1, 1.0, 0.3, 0.2, 0.1]])
    for name in ("auto", "dls", "lm", "ccd_fast", "hybrid", "genetic"):
        terms = list(problem.terms)
        case = Case(
            0, model, Figure(model), terms, {}, problem, target, np.array([False]), None, name, {}
        )
        tally = Tally()
        check_time(case, tally)
        assert not tally.failures


def test_oracle_agrees_with_what_the_model_says() -> None:
    for seed in range(40):
        model = figure(np.random.default_rng(seed))
        own = Figure(model)
        q = np.asarray(model.sample(5, seed=seed))
        assert (own.beyond(q) <= 1e-12).all()
        poses = own.frames(q)
        for name in model.frame_names:
            r, t = poses[name]
            theirs = model.fk(q, frame=name)
            size = 1e-12 * (1 + np.abs(t).max())
            np.testing.assert_allclose(theirs[:, :3, 3], t, rtol=0, atol=size)
            np.testing.assert_allclose(theirs[:, :3, :3], r, rtol=0, atol=1e-12)
