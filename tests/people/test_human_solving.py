"""The person reaches: every target that some posture inside the limits has."""

import numpy as np
import pytest

import handik as hk


def targets(person, frame, n):
    q = person.model.sample(n, seed=1)
    return person.model.fk(q, frame=frame)


@pytest.mark.parametrize(("solver", "share"), [("auto", 1.0), ("fabrik_fast", 0.99)])
@pytest.mark.parametrize("rhythm", [False, True])
@pytest.mark.parametrize("n", [500, pytest.param(10_000, marks=pytest.mark.slow)])
def test_reach_of_hand_arm_and_spine(solver, share, n, rhythm):
    person = hk.human("male", detail="spine+hand_right", rhythm=rhythm)
    model = person.model
    goal = targets(person, "index_tip_right", n)[:, :3, 3]
    found = model.solve(position=goal, frame="index_tip_right", solver=solver, q0=person.rest)
    assert found.converged.mean() >= share
    assert (found.q >= model.lower - 1e-9).all()
    assert (found.q <= model.upper + 1e-9).all()
    np.testing.assert_allclose(model.clip(found.q), found.q, atol=1e-6)
    reached = model.fk(found.q[found.converged], frame="index_tip_right")[:, :3, 3]
    assert np.abs(reached - goal[found.converged]).max() < 3e-4


def test_both_hands_and_the_gaze_are_followed():
    person = hk.human("female", detail="spine", rhythm=True)
    s = np.linspace(0, 2 * np.pi, 300)[:, None]
    middle = np.array([0.40, 0.0, 0.85])
    right = middle + np.hstack([0.05 * np.cos(s), -0.15 + 0.1 * np.sin(s), 0.08 * np.sin(2 * s)])
    left = middle + np.hstack([0.05 * np.cos(s), 0.15 + 0.1 * np.sin(s), 0.08 * np.cos(2 * s)])
    terms = [hk.Position("hand_right"), hk.Position("hand_left"), hk.LookAt("eye", axis=(1, 0, 0))]
    found = person.model.track(
        problem=hk.Problem(person.model, terms),
        targets=np.hstack([right, left, 0.5 * (right + left)]),
        q0=person.rest,
        dt=1 / 30,
        max_speed=6.0,
    )
    assert found.converged.all()
    poses = person.model.fk(found.q, frame="eye")
    sight = 0.5 * (right + left) - poses[:, :3, 3]
    sight /= np.linalg.norm(sight, axis=1, keepdims=True)
    assert np.einsum("ij,ij->i", sight, poses[:, :3, 0]).min() > np.cos(2e-4)
