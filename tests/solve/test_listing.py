"""FABRIK against the listing that the HandiAccess/FABRIK thesis prints in its annex."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.model._places import joint_origins
from handik.study.twins import fabrik_points, listing_points

BARE = {"solver": "fabrik", "perturbations": 0, "max_restarts": 0}


def drawn(count: int, seed: int = 0) -> tuple[hk.Model, np.ndarray, np.ndarray]:
    """Ten free balls, random starts, and targets within 0.9 of the reach."""
    model = hk.data("ball10")
    rng = np.random.default_rng(seed)
    aim = rng.normal(size=(count, 3))
    aim /= np.linalg.norm(aim, axis=1, keepdims=True)
    targets = aim * (0.9 * model.max_reach * rng.uniform(size=(count, 1)) ** (1 / 3))
    return model, model.sample(count, seed=seed), targets


@pytest.mark.parametrize("tolerance", [1e-2, 1e-6])
def test_the_same_iterations_and_points(tolerance: float) -> None:
    model, starts, targets = drawn(300)
    found = model.solve(position=targets, q0=starts, position_tolerance=tolerance, **BARE)
    begun, ended = joint_origins(model, starts), joint_origins(model, found.q)
    iterations = []
    for start, end, target in zip(begun, ended, targets, strict=True):
        points, count = listing_points(start, target, delta=tolerance)
        iterations.append(count)
        assert np.abs(points - end).max() < 3e-15
    assert iterations == found.iterations.tolist()
    assert found.converged.all()
    assert len(set(iterations)) > 3


def test_the_checked_twin_takes_the_same_way() -> None:
    model, starts, targets = drawn(20, 1)
    for start, target in zip(joint_origins(model, starts), targets, strict=True):
        points, count = listing_points(start, target, delta=1e-3)
        twin, outcome, iterations, _, _ = fabrik_points(start, target, 1e-3, 1000)
        assert (outcome, iterations) == ("converged", count)
        assert np.abs(points - twin).max() < 1e-15


def test_out_of_reach_one_pass_lays_the_chain_towards_the_target() -> None:
    """Algorithm 2.1, its first branch."""
    model, starts, targets = drawn(50, 2)
    targets *= 1.2 * model.max_reach / np.linalg.norm(targets, axis=1, keepdims=True)
    found = model.solve(position=targets, q0=starts, **BARE)
    assert (found.outcome == hk.Outcome.UNREACHABLE).all()
    assert (found.iterations == 1).all()
    begun, ended = joint_origins(model, starts), joint_origins(model, found.q)
    for start, end, target in zip(begun, ended, targets, strict=True):
        points, count = listing_points(start, target)
        assert count == 1
        assert np.abs(points - end).max() < 1e-15
        along = target / np.linalg.norm(target)
        far = np.linalg.norm(np.diff(start, axis=0), axis=1).cumsum()
        assert np.abs(points[1:] - far[:, None] * along).max() < 1e-15


def test_a_straight_chain_with_its_target_on_its_line_never_ends() -> None:
    """The listing has no cap; handik bends the chain once."""
    model = hk.data("ball10")
    q0 = model.rest
    start = joint_origins(model, q0)
    along = (start[-1] - start[0]) / np.linalg.norm(start[-1] - start[0])
    assert np.allclose(np.cross(start - start[0], along), 0, atol=1e-15)
    target = start[0] + 0.45 * model.max_reach * along
    points, iterations = listing_points(start, target, delta=1e-3, most=1000)
    assert iterations == 1000
    assert np.linalg.norm(points[-1] - target) > 0.04
    assert np.allclose(np.cross(points - start[0], along), 0, atol=1e-12)
    found = model.solve(
        position=target, q0=q0, solver="fabrik", max_restarts=0, position_tolerance=1e-3
    )
    assert found.converged
    assert found.n_restarts == 1  # one perturbation
    assert found.iterations < 40
    with pytest.raises(ZeroDivisionError):  # where two points come to lie in one place
        listing_points(start, start[5], delta=1e-3)
    bare = model.solve(position=target, q0=q0, position_tolerance=1e-3, **BARE)
    assert bare.outcome == hk.Outcome.STALLED  # perturbations=0: nothing is left but the iteration
    assert bare.n_restarts == 0


def test_delta_of_the_listing_is_one() -> None:
    """On links of one each it stops within a link, which is how the study reads the thesis."""
    start = np.stack([np.arange(10.0), np.zeros(10), np.zeros(10)], axis=1)
    start[:, 1] = 0.1 * np.arange(10) ** 2 / 9
    target = np.array([3.0, 4.0, 0.0])
    points, iterations = listing_points(start, target)
    assert iterations >= 1
    assert np.linalg.norm(points[-1] - target) <= 1.0
    tight, more = listing_points(start, target, delta=1e-3)
    assert more > iterations
    assert np.linalg.norm(tight[-1] - target) <= 1e-3
