"""Solvers side by side: what is drawn of FABRIK's passes is what the core does, and laps count what was solved."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import handik as hk
from handik.app import App
from handik.app._acts_compare import Eight, chain_points, passes
from handik.app._bodies import body_of


@pytest.mark.parametrize("seed", range(4))
def test_the_two_passes_are_the_iteration_of_the_core_on_a_chain_of_balls(seed: int) -> None:
    arm = hk.chain([0.4, 0.3, 0.3, 0.2], "ball")
    target = np.array([0.3, 0.5, 0.4])
    found = arm.solve(position=target, q0=arm.sample(1, seed=seed)[0], solver="fabrik", trace=True)
    assert found.trace is not None
    points = found.trace.positions[:, 1:]  # the first link is the base itself
    assert found.trace.iterations >= 3
    for before, after in pairwise(points):
        back, forth = passes(before, target)
        np.testing.assert_allclose(forth, after, atol=1e-12)
        np.testing.assert_allclose(back[-1], target)
        for moved in (back, forth):
            lengths = np.linalg.norm(np.diff(moved, axis=0), axis=1)
            np.testing.assert_allclose(lengths, [0.4, 0.3, 0.3, 0.2])


def test_steps_go_from_the_posture_to_the_answer_in_the_world() -> None:
    app = App()
    app.do("person.add", sex="male")
    app.do("node.transform", node="person", pose=[2, 1, 0, 0.6, 0, 0, 0.8])
    world = app.document.scene.world("person")
    target = (world @ [0.4, -0.3, 1.0, 1])[:3]
    app.do("solve.live", live=False)
    app.do("target.set", at=target.tolist())
    app.do("solve.steps", first="fabrik", second="ccd")
    actor = app.document.actor()[1]
    for steps, name in zip(app.document.steps, ("fabrik", "ccd"), strict=True):
        assert steps.solved.solver == name
        assert steps.solved.outcome == "converged"
        assert len(steps.q) == len(steps.errors) == steps.solved.iterations + 1
        np.testing.assert_array_equal(steps.q[0], actor.posture)
        hand = world @ np.asarray(actor.figure.fk(steps.q, frame="grip_right"))
        away = np.linalg.norm(hand[:, :3, 3] - target, axis=-1)
        np.testing.assert_allclose(steps.errors, away, atol=1e-12)
        assert steps.errors[-1] < 1e-3 < steps.errors[0]
    first, second = app.document.steps
    assert len(first.passes) == len(first.q) - 1
    assert second.passes == ()
    back, forth = first.passes[0]
    np.testing.assert_allclose(back[-1], target)
    shoulder_line = (world @ [*chain_points(body_of(actor), actor.posture, "grip_right")[0], 1])[:3]
    np.testing.assert_allclose(forth[0], shoulder_line)
    np.testing.assert_array_equal(app.document.actor()[1].posture, actor.posture)


def test_laps_of_a_robot_and_of_a_person_say_what_was_solved() -> None:
    for add in (("figure.add", {"model": "data:ur5"}), ("person.add", {})):
        app = App()
        app.do(add[0], **add[1])
        posture = app.document.actor()[1].posture
        for solver in ("fabrik", "ccd", "fabrik"):
            app.do("solve.eight", solver=solver, poses=20)
        assert [lap.solver for lap in app.document.laps] == ["ccd", "fabrik"]
        body, run = body_of(app.document.actor()[1]), Eight(app.document, "ccd", 20)
        for lap in app.document.laps:
            q, counts, met = body.rest, [], 0
            for point in run.points:
                found = body.model.solve(
                    position=point, frame=run.frame, q0=q, solver=lap.solver,
                    position_tolerance=1e-3,
                )  # fmt: skip
                q, met = found.q, met + bool(found.converged)
                counts.append(found.iterations)
            assert (lap.poses, lap.reached, lap.frames_per_second) == (20, met, None)
            assert lap.iterations == np.mean(counts)
            assert met >= 10
        np.testing.assert_array_equal(app.document.actor()[1].posture, posture)
    with pytest.raises(hk.ArgumentError, match="10 to 2000"):
        app.do("solve.eight", poses=3)
