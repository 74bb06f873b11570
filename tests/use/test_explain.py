"""Results in words: every outcome, goals, directions, limits; and only what is known."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik import Outcome, Position, Problem, Result
from handik.errors import ArgumentError


def planar(**limits):
    return hk.chain([0.4, 0.3], **limits)


def test_converged_and_out_of_reach():
    arm = planar()
    said = arm.solve(position=[0.5, 0.2, 0.0], solver="dls").explain()
    assert said.startswith("Converged after")
    assert "tip meets its goal" in said
    assert "limit" not in said
    far = arm.solve(position=[0.0, 0.9, 0.0], solver="dls").explain()
    assert far.startswith("Out of reach")
    assert "short of its target along (0.00, 1.00, 0.00)" in far
    assert "out of reach by at least 200.0 mm by the lengths of its links alone" in far
    near = hk.chain([0.5, 0.2]).solve(position=[0.1, 0.0, 0.0], solver="dls").explain()
    assert "out of reach by at least 200.0 mm" in near


def test_limits_are_named_in_degrees():
    arm = planar(lower=[-0.1, -0.1], upper=np.deg2rad([30.0, 60.0]))
    result = arm.solve(position=[-0.3, 0.4, 0.0], solver="dls")
    said = result.explain()
    assert result.outcome is Outcome.STALLED
    assert "without proof that the target is out of reach" in said
    assert "joint_1 is at its upper limit (30.0 deg)" in said
    assert "nudge" in said or result.remedies == 0
    goal = arm.fk(np.deg2rad([28.0, 20.0]))[:3, 3]
    exact = arm.solve(position=goal, solver="dls", q0=np.deg2rad([28.0, 20.0]))
    assert "joint_1 is 2.0 deg inside its upper limit (30.0 deg)" in exact.explain()
    assert "joint_2" not in exact.explain()


def test_other_endings():
    arm = planar()
    assert "cap after 1 iteration of dls" in (
        arm.solve(position=[-0.3, 0.2, 0.0], solver="dls", max_iter=1).explain()
    )
    lost = arm.solve(position=[0.1, np.nan, 0.0])
    assert lost.explain() == "No usable target: tip.y is nan."
    assert "no length" in arm.solve(orientation=[0, 0, 0, 0], solver="dls").explain()
    made = arm.solve(position=[0.3, 0.2, 0.0], solver="dls")
    for outcome, words in (
        (Outcome.OUT_OF_TIME, "time limit"),
        (Outcome.DIVERGED, "q is the start"),
    ):
        assert words in Result(
            made.q, outcome, made.error, made.position_error, made.orientation_error, 3, 0, None,
            "dls", problem=made.problem, targets=made.targets,
        ).explain()  # fmt: skip


def test_two_hands_orientation_and_cones():
    body = hk.study.upper_body()
    problem = Problem(body, [Position(frame=f"{s}_hand") for s in ("left", "right")])
    said = hk.Solver("auto")(problem, [0.2, 2.0, 0.5, 0.3, -0.3, 0.6]).explain()
    left, right = said.index("left_hand is"), said.index("right_hand")
    assert left < right
    assert said.count("by the lengths of its links alone") == 1
    assert "swing cone" in said or "limit" in said
    arm = hk.data("puma560")
    pose = arm.fk(arm.sample(seed=1))
    assert "deg off its orientation" in arm.solve(pose=pose, solver="dls", max_iter=1).explain()


def test_batches_and_tracks():
    arm = planar()
    goals = [[0.5, 0.2, 0.0], [9.0, 0.0, 0.0], [np.nan, 0, 0], [0.4, 0.3, 0.0]]
    said = arm.solve(position=goals, solver="dls").explain(most=3).splitlines()
    assert said[0] == "4 problems: 1 without a usable target, 2 converged, 1 out of reach."
    assert said[1].startswith("[1] Out of reach")
    assert said[2].startswith("[2] No usable target")
    assert said[3].startswith("[0] Converged")
    assert said[4] == "... and 1 more"
    track = arm.track(position=[[0.5, 0.2, 0.0], [-0.5, -0.2, 0.0]])
    assert track.jumps[1]
    assert "it jumped" in track[1].explain()
    assert "it jumped" not in track[0].explain()
    by_hand = Result(np.zeros(2), Outcome.CONVERGED, 0.0, 0.0, 0.0, 1, 0, None, "dls")
    with pytest.raises(ArgumentError, match="by hand"):
        by_hand.explain()
