"""Hinges beyond 1e300 radians have no sine: what no solver can measure is called diverged, at the
nearest pose met before: the start, where none has a place."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.errors import UnsupportedError

SOLVERS = [info.name for info in hk.solvers()]
TARGET = np.array([0.4, 0.2, 0.1])


def arm(lower: float, upper: float, hinges: int = 4) -> hk.Model:
    links = [hk.LinkSpec(f"link{k}") for k in range(hinges + 1)]
    place = np.eye(4)
    place[0, 3] = 0.3
    joints = [
        hk.JointSpec(
            f"joint{k}",
            "revolute",
            parent=f"link{k}",
            child=f"link{k + 1}",
            axis=((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))[k % 2],
            placement=place,
            lower=lower,
            upper=upper,
        )
        for k in range(hinges)
    ]
    return hk.Model(hk.ModelSpec("arm", links=links, joints=joints))


@pytest.mark.parametrize("name", SOLVERS)
@pytest.mark.parametrize(
    ("lower", "upper", "start"),
    [(-1e307, 1e307, 1e306), (1e305, 1.5e307, 0.0), (-1e307, 1e307, -1e301)],
)
def test_no_place_is_diverged(name: str, lower: float, upper: float, start: float) -> None:
    problem = hk.Problem(arm(lower, upper), [hk.Position()])
    solver = hk.Solver(name, max_iter=50)
    q0 = np.full(4, start)
    try:
        one = solver(problem, TARGET, q0=q0)
        many = solver(problem, np.tile(TARGET, (5, 1)), q0=q0)
    except UnsupportedError:
        pytest.skip("chains of free balls alone")
    began = np.clip(q0, lower, upper)
    for result in (one, many):
        told = np.asarray(result.outcome)
        assert (told == hk.Outcome.DIVERGED).all()
        assert np.isnan(np.asarray(result.error)).all()
        assert (np.asarray(result.q) == began).all()


@pytest.mark.parametrize("name", SOLVERS)
def test_a_start_that_has_a_place_keeps_one(name: str) -> None:
    """Limits that wide alone change nothing: the answer has a place and its error is a number."""
    problem = hk.Problem(arm(-1e307, 1e307), [hk.Position()])
    try:
        result = hk.Solver(name, max_iter=50)(problem, TARGET, q0=np.zeros(4))
    except UnsupportedError:
        pytest.skip("chains of free balls alone")
    assert np.isfinite(float(result.error))
    place = problem.model.fk(result.q)[:3, 3]
    assert float(result.error) == pytest.approx(np.linalg.norm(place - TARGET), rel=1e-9)


@pytest.mark.parametrize("name", SOLVERS)
def test_diverged_gives_the_nearest_pose_met(name: str) -> None:
    """What wandered off comes back with a pose inside the limits, no farther off than its start."""
    for limit in (1e300, 1e307):
        problem = hk.Problem(arm(-limit, limit), [hk.Position()])
        starts = np.repeat([[0.0], [1.0], [0.3], [9.9e299]], 4, axis=1)
        solver = hk.Solver(name, max_iter=50)
        try:
            found = solver(problem, np.tile(TARGET, (4, 1)), q0=starts)
        except UnsupportedError:
            pytest.skip("chains of free balls alone")
        gone = found.outcome == "diverged"
        place = problem.model.fk(found.q[gone])[:, :3, 3]
        began = np.linalg.norm(problem.model.fk(starts[gone])[:, :3, 3] - TARGET, axis=1)
        assert (np.abs(found.q) <= limit).all()
        np.testing.assert_allclose(np.linalg.norm(place - TARGET, axis=1), found.error[gone])
        assert (found.error[gone] <= began * (1 + 1e-9)).all()
        if limit == 1e307 and name in ("ccd_fast", "newton", "lbfgs"):
            assert (found.error[gone] < 0.5 * began).any()  # not merely the start
            assert found[int(np.argmax(gone))].message.endswith(
                "the nearest pose met before, if only the start."
            )


def test_out_of_reach_stays_proved() -> None:
    """Lengths prove it wherever the hinges stand."""
    problem = hk.Problem(arm(1e305, 1.5e307), [hk.Position()])
    result = hk.Solver("lm")(problem, [9.0, 0.0, 0.0])
    assert result.outcome is hk.Outcome.UNREACHABLE
