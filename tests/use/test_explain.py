"""Results in words: every outcome, goals, directions, limits; and only what is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik import Outcome, Position, Problem, Result
from handik.errors import ArgumentError
from handik.result.margins import limits, margins
from handik.spec import FrameSpec, InertialSpec, JointSpec, LinkSpec, MimicSpec, ModelSpec
from handik.study.twins import swing


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


def test_a_part_of_a_position_is_named_and_tells_its_own_way():
    arm = hk.data("ur5")
    far = hk.Solver("lm")(Problem(arm, Position(axes="z")), [4.0]).explain()
    assert "link_6 (along z) is " in far
    assert "short of its target along (0.00, 0.00, 1.00), out of reach by at least " in far
    slanting = Problem(arm, Position(axes=[(0, 3, 4), (1, 0, 0)], weights=(2.0, 1.0), weight=3.0))
    assert "along (0.00, 0.60, 0.80)" in hk.Solver("lm")(slanting, [9.0, 0.0]).explain()
    problem = Problem(arm, Position(axes="y", relative_to="link_3"))
    found = hk.Solver("lm")(problem, [9.0])
    assert "link_6 (along y of link_3) is " in found.explain()
    way = np.round(arm.fk(found.q, frame="link_3")[:3, 1], 2) + 0.0
    assert f"along ({way[0]:.2f}, {way[1]:.2f}, {way[2]:.2f})" in found.explain()


def test_the_method_is_told_where_the_solver_has_several():
    arm = hk.data("ur5")
    pose = arm.fk([0.4, -1.2, 1.0, -0.6, 1.5, 0.2])
    ways = {
        arm.solve(pose=pose): "1 iteration of auto (a closed form)",
        arm.solve(position=pose[:3, 3]): "of auto (damped least squares on a serial chain)",
        arm.solve(position=[4.0, 0.0, 0.0]): "of auto (Newton's method for the nearest pose to ",
        arm.solve(pose=pose, solver="lm_batch"): "of lm_batch (damped least squares on a serial",
    }
    for result, words in ways.items():
        assert words in result.explain()
    batch = arm.solve(position=pose[None, :3, 3])
    assert "of auto (damped least squares on a serial chain)" in batch.explain()
    for solver in ("dls", "lm", "ccd", "fabrik"):  # their names say it
        said = arm.solve(position=pose[:3, 3], solver=solver).explain()
        assert f"of {solver};" in said or f"of {solver} with" in said
    by_hand = replace(arm.solve(pose=pose), method=None)
    assert "1 iteration of auto;" in by_hand.explain()


def test_limits_are_named_in_degrees():
    arm = planar(lower=[-0.1, -0.1], upper=np.deg2rad([30.0, 60.0]))
    result = arm.solve(position=[-0.3, 0.4, 0.0], solver="dls")
    said = result.explain()
    assert result.outcome is Outcome.LEAST_SQUARES
    assert said.startswith("Not converged, at a least-squares minimum after")
    assert "nothing is proved of poses farther away" in said
    assert "joint_1 is at its upper limit (30.0 deg)" in said
    assert "perturbation" in said or result.n_restarts == 0
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
        (Outcome.TIME_LIMIT, "time limit"),
        (Outcome.DIVERGED, "q is the nearest pose met before, if only the start"),
        (Outcome.CANCELLED, "was cancelled before"),
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


# -- terms and limits of every kind -------------------------------------------------------------


def arms(**ends: Any) -> hk.Model:
    """Two arms of two hinges from one root, with bodies."""
    links, joints = [LinkSpec("root")], []
    for side, y in (("left", 0.2), ("right", -0.2)):
        above = "root"
        for k, x in enumerate((0.0, 0.3, 0.3)):
            place = np.eye(4)
            place[:3, 3] = (x, 0 if k else y, 0)
            kind = "fixed" if k == 2 else "revolute"
            joint = JointSpec(f"{side}_{k}", kind, above, f"{side}{k}", place, (0.0, 0.0, 1.0))
            if kind == "revolute":
                joint.lower, joint.upper = ends.get("lower", -2.5), ends.get("upper", 2.5)
            body = InertialSpec(1.0, np.array([0.1, 0, 0]), 0.01 * np.eye(3))
            above = f"{side}{k}"
            links.append(LinkSpec(above, body))
            joints.append(joint)
    return hk.Model(ModelSpec("arms", links, joints))


ARMS = arms()
BALLS = [hk.Capsule(f"{side}2", (0, 0, 0), (0, 0, 0), 0.05) for side in ("left", "right")]


def said_of(term: Any, target: Any = (), q: Any = (0.0, 0.0, 0.0, 0.0)) -> str:
    """Explain a pose that is far from what a term asks for: no iteration may mend it."""
    problem = hk.Problem(ARMS, [term])
    return hk.Solver("dls", max_iter=0)(problem, np.array(target, float), q0=np.array(q)).explain()


@pytest.mark.parametrize(
    ("term", "target", "words"),
    [
        (hk.Distance("left2", "right2", distance=0.3), (), "right2) is 100.0 mm too far"),
        (hk.Distance("left2", None, distance=0.8), (), "the world) is 167.5 mm too near"),
        (
            hk.Level("left2", axis=(1, 0, 0), angle=1.0),
            (),
            "left2 (level) is 32.7 deg over the 57.3 deg it shall keep to its direction",
        ),
        (
            hk.LookAt("left2", axis=(1, 0, 0)),
            (0.6, 5, 0),
            "90.0 deg off its line of sight; it shall turn along (-0.71, 0.71, 0.00)",
        ),
        (
            hk.Loop("left2", "right2"),
            (),
            "(loop to right2) is 400.0 mm short of its target along (0.00, -1.00, 0.00)",
        ),
        (
            hk.CenterOfMass(),
            (0.4, 0, 1),
            "the center of mass is 1 m short of its target along (0.00, 0.00, 1.00)",
        ),
        (
            hk.CenterOfMass(over=[[0, 0], [0, 0.1], [0.1, 0]]),
            (),
            "the center of mass is 300.0 mm short of its target along (-1.00, 0.00, 0.00)",
        ),
        (
            hk.SelfCollision(capsules=BALLS, clearance=0.4),
            (),
            "the model is 100.0 mm short of its gap between left2 and right2",
        ),
        (
            hk.Posture(target=[0, 0.5, 0, 0]),
            (),
            "drawn to a posture",
        ),
    ],
    ids=lambda x: type(x).__name__ if isinstance(x, hk.terms.Term) else "",
)
def test_every_kind_says_by_how_much_and_where_to(term: Any, target: Any, words: str) -> None:
    assert words in said_of(term, target)


@pytest.mark.parametrize("pairs", [[(0, 1), (0, 2)], [(0, 2), (0, 1)]])
def test_the_worst_of_several_pairs_is_named(pairs: list[tuple[int, int]]) -> None:
    capsules = [*BALLS, hk.Capsule("right1", (0, 0, 0), (0, 0, 0), 0.05)]
    guard = hk.SelfCollision(capsules=capsules, pairs=pairs, clearance=0.5)
    said = said_of(guard, q=(-0.4, 0.0, 0.0, 0.0))
    assert "between left2 and right2, the worst of 2 pairs" in said


def ball(room: Any) -> hk.Model:
    joint = JointSpec("hip", "ball", "base", "leg", np.eye(4), (0.0, 0.0, 1.0))
    joint.axis2, joint.cone = (1.0, 0.0, 0.0), room
    foot = np.eye(4)
    foot[2, 3] = 0.4
    links = [LinkSpec("base"), LinkSpec("leg")]
    return hk.Model(ModelSpec("leg", links, [joint], [FrameSpec("foot", "leg", foot)], tip="foot"))


def test_polygons_and_twists_by_direction_are_told() -> None:
    square = tuple((np.deg2rad(a), 0.5) for a in (45, 135, 225, 315))
    table = hk.TwistTable((-0.3, 0.3), [(-1.5, -0.2, 0.2), (0.0, -0.1, 0.1)], 0.5)
    model = ball(hk.ReachCone(square, table))
    names = [str(limit) for limit in limits(model)]
    assert names == ["hip polygon", "hip lower twist", "hip upper twist"]
    beyond = model.solve(position=[0.4, 0, 0.0], solver="dls")
    assert "hip is on the edge of its reach polygon" in beyond.explain()
    inside = margins(model, beyond.q)
    assert abs(inside[0]) < 1e-6
    # as seen by the twin of swing and twist, for poses anywhere inside
    for q in model.sample(20, seed=1):
        x = swing.split(model.swing[0], q)
        low, high = model.ball_limits["hip"].twist.at(x[:2])
        got = margins(model, q)
        np.testing.assert_allclose(got[1:], [x[2] - low, high - x[2]], atol=1e-12)
        assert got[0] > -1e-12
    turned = model.clip(np.array([np.cos(0.4), 0, 0, np.sin(0.4)]))
    point = model.solve(position=model.fk(turned)[:3, 3], q0=turned, solver="dls", max_iter=0)
    assert "hip is at its upper twist limit for this swing" in point.explain()
    assert np.isnan(margins(model, np.full(4, np.nan))).all()


def test_joints_that_follow_are_told() -> None:
    spec = ARMS.spec
    spec.couple("right_0", {"left_0": 0.5})
    model = hk.Model(spec)
    q = np.zeros(model.nq)
    q[model.joint_q_slices["left_0"]] = 2.5
    point = model.fk(q, frame="left2")[:3, 3]
    said = model.solve(position=point, frame="left2", q0=q, solver="dls").explain()
    assert "left_0 is at its upper limit (143.2 deg), which right_0 follows" in said


def test_margins_of_another_figure_are_refused() -> None:
    arm = hk.data("ur5")
    for wrong in (np.zeros(5), np.zeros(7), np.zeros((2, 9))):
        with pytest.raises(hk.ArgumentError, match=r"q must have shape \(\.\.\., 6\)"):
            margins(arm, wrong)


@pytest.mark.parametrize("lost", ["problem", "targets"])
def test_a_result_without_its_problem_or_targets_cannot_be_explained(lost: str) -> None:
    found = planar().solve(position=[0.5, 0.2, 0.0])
    with pytest.raises(ArgumentError, match="does not know what was solved"):
        replace(found, **{lost: None}).explain()


def test_coordinates_that_follow_and_those_of_balls_are_no_turns_or_slides() -> None:
    arm = hk.Model(
        ModelSpec(
            "arm",
            joints=[
                JointSpec(
                    "turn",
                    "revolute",
                    "base",
                    "palm",
                    np.eye(4),
                    (0.0, 0.0, 1.0),
                    lower=-1.0,
                    upper=1.0,
                ),
                JointSpec("ball", "ball", "palm", "hand", np.eye(4), (0.0, 0.0, 1.0)),
                JointSpec(
                    "finger",
                    *("prismatic", "hand", "tip", np.eye(4), (0.0, 0.0, 1.0)),
                    mimic=MimicSpec("turn", -0.02, 0.01),
                ),
            ],
            links=[LinkSpec(name) for name in ("base", "palm", "hand", "tip")],
        )
    )
    said = [(one.joint, one.angle, one.coordinate) for one in limits(arm)]
    assert said == [("turn", True, 0), ("turn", True, 0)]
