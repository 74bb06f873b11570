"""Result.method: which of the methods inside `auto` gave an answer, alone as in a batch."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik import Method, Outcome, _core

COUNT = 60


def poses(model: hk.Model, count: int = COUNT, far: float = 1.0) -> np.ndarray:
    columns = _core.pose_columns(model.fk(model.sample(count, seed=1)))
    columns[:, :3] *= far
    return columns


def solved(model: hk.Model, terms: list[hk.terms.Term], rows: np.ndarray, *name: str, **options):
    """A batch, whose rows have the same method alone, cut and with the rows the other way round."""
    problem, solver = hk.Problem(model, terms), hk.Solver(*name, **options)
    batch = solver(problem, rows)
    assert batch.method.dtype == np.int8
    assert batch.method.shape == (len(rows),)
    for row, one in zip(rows, batch, strict=True):
        alone = solver(problem, np.array(row)).method
        assert isinstance(alone, Method)
        assert isinstance(one.method, Method)
        assert solver(problem, list(row)).method is alone  # by the long way
        assert alone is one.method
    turned = solver(problem, rows[::-1])
    assert turned.method[::-1].tolist() == batch.method.tolist()
    assert (batch.method == Method.NONE).tolist() == (batch.outcome == Outcome.INVALID).tolist()
    return batch


def arm() -> hk.Model:
    return hk.data("ur5")


def ball() -> hk.Model:
    return hk.chain([0.3, 0.3, 0.3], "ball")


def flat() -> hk.Model:
    return hk.chain([0.3, 0.3, 0.3])


@pytest.mark.parametrize(
    ("figure", "terms", "width", "method"),
    [
        (arm, [hk.Pose()], 7, Method.CLOSED_FORM),
        (arm, [hk.Position()], 3, Method.CHAIN),
        (ball, [hk.Position()], 3, Method.TREE),
        (ball, [hk.Position(), hk.Level()], 3, Method.TREE),
        (flat, [hk.Position(), hk.Level(angle=0.0)], 3, Method.DESCENT),  # 4 rows, 3 coordinates
        (ball, [hk.Position(), hk.Posture()], 3, Method.TREE),
    ],
)
def test_targets_that_can_be_met(figure, terms, width, method) -> None:
    model = figure()
    result = solved(model, terms, poses(model)[:, :width])
    assert result.converged.all()
    assert set(result.method.tolist()) == {method}


def test_a_chain_out_of_reach() -> None:
    model = arm()
    result = solved(model, [hk.Position()], poses(model, far=20.0)[:, :3])
    assert set(result.outcome.tolist()) == {Outcome.UNREACHABLE}
    assert set(result.method.tolist()) == {Method.SECOND_ORDER}
    again = solved(model, [hk.Position()], poses(model, far=20.0)[:, :3], "lm_batch")
    assert set(again.method.tolist()) == {Method.SECOND_ORDER}


def test_what_lanes_give_up_goes_on_as_a_descent() -> None:
    """Poses whose orientations belong to other positions: many cannot be met."""
    model = arm()
    rows = poses(model)
    rows[:, 3:] = rows[::-1, 3:].copy()
    result = solved(model, [hk.Pose()], rows)
    stalled = (result.outcome == Outcome.STALLED) | (result.outcome == Outcome.LEAST_SQUARES)
    assert stalled.any()
    assert set(result.method[stalled].tolist()) == {Method.DESCENT}
    assert set(result.method[~stalled].tolist()) <= {Method.CLOSED_FORM, Method.CHAIN}


def test_the_round_that_is_kept_counts() -> None:
    model = arm()
    rows = poses(model)[:, :3]
    first = solved(model, [hk.Position()], rows, max_restarts=0)
    assert {Method.CHAIN, Method.DESCENT} >= set(first.method.tolist())
    assert set(solved(model, [hk.Position()], rows, retries=3, max_restarts=0).method.tolist()) <= {
        Method.CHAIN,
        Method.DESCENT,
    }


def test_targets_that_are_no_numbers_have_none() -> None:
    model = arm()
    rows = poses(model, 8)
    rows[3, 1] = np.nan
    result = solved(model, [hk.Pose()], rows)
    assert result.method.tolist() == [Method.CLOSED_FORM] * 3 + [0] + [Method.CLOSED_FORM] * 4


@pytest.mark.parametrize("solver", [row.name for row in hk.solvers()])
def test_other_solvers_have_their_iteration(solver: str) -> None:
    model = ball() if solver in ("ftl", "triangulation") else hk.chain([0.3, 0.3, 0.3])
    rows = model.fk(model.sample(6, seed=2))[:, :3, 3]
    result = solved(model, [hk.Position()], rows, solver, max_iter=50)
    lanes = solver in ("auto", "lm_batch")
    if lanes:
        assert set(result.method.tolist()) <= {Method.CHAIN, Method.SECOND_ORDER, Method.DESCENT}
    else:
        assert set(result.method.tolist()) == {Method.ITERATION}


def test_levels_have_the_method_of_what_decides() -> None:
    model = ball()
    terms = [hk.Position(), hk.Axis(priority=1)]
    rows = np.concatenate([poses(model, 5)[:, :3], np.tile([0.0, 0.0, 1.0], (5, 1))], 1)
    result = solved(model, terms, rows)
    assert set(result.method.tolist()) <= {Method.TREE, Method.DESCENT}
