"""What is carried, what opens and what rolls is part of the figure: paths with a cup, a door and a chair, seen by coal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_plan_path import dense, touching

import handik as hk

TURN = [1.0, 0.0, 0.0, 0.0]


def seen(figure: hk.Figure, room: hk.Scene, found: hk.plan.PlannedPath) -> None:
    """Coal sees no contact along a path every 5 mrad, nor along its trajectory."""
    model = figure.model
    assert found, found.reason
    assert not any(touching(figure, room, dense(model, found.q, 0.005)))
    moved = found.trajectory(max_speed=1.0, max_acceleration=5.0)
    along = np.asarray(moved.sample(np.linspace(0, moved.duration, 400))[0])
    assert not any(touching(figure, room, along))
    assert np.all((along >= model.lower - 1e-9) & (along <= model.upper + 1e-9))


def arm() -> tuple[hk.Model, list[hk.Capsule]]:
    model = hk.chain([0.5, 0.4, 0.3], lower=-2.6, upper=2.6)
    parts = [
        hk.Capsule(f"link_{k}", (0, 0, 0), (length, 0, 0), 0.03)
        for k, length in ((1, 0.4), (2, 0.35), (3, 0.25))
    ]
    return model, parts


@pytest.mark.parametrize("seed", range(3))
def test_a_cup_in_the_hand_is_kept_clear_with_it(seed: int) -> None:
    model, parts = arm()
    empty = hk.Figure(model, parts, pairs=[(0, 2)])
    cup = hk.Capsule("link_3", (0.3, -0.16, 0), (0.3, 0.16, 0), 0.04)  # across the hand
    full = hk.Figure(model, [*parts, cup], pairs=[(0, 2), (0, 3)])
    room = hk.Scene()
    for name, y in (
        ("left", 0.28),
        ("right", -0.28),
    ):  # an alley that the hand passes and the cup does not
        room = room.add(name, hk.scene.Box([0.5, 0.3, 0.4]), pose=([1.0, y, 0], TURN))
    start, goal = np.array([1.1, 0.3, 0.2]), np.array([-1.1, -0.3, -0.2])
    assert room.free(full, [start, goal]).all()
    bare = hk.plan.path(room, empty, start, goal, seed=seed)
    held = hk.plan.path(room, full, start, goal, seed=seed)
    seen(empty, room, bare)
    seen(full, room, held)
    assert any(
        touching(full, room, dense(model, bare.q, 0.005))
    )  # what it does not know of it hits
    assert held.length > bare.length
    inside = hk.plan.path(room, full, start, [0.0, 0.0, 0.0], seed=seed)
    assert inside.outcome == "goal_in_collision"
    assert inside.blocked_by in ("left", "right")
    assert hk.plan.path(room, empty, start, [0.0, 0.0, 0.0], seed=seed)


def door_and_arm() -> hk.Figure:
    """A door that opens away from the arm, one model: its hinge is a joint of the root."""
    model, parts = arm()
    spec = model.spec
    root = spec.root
    spec.links.append(hk.LinkSpec("leaf"))
    place = np.eye(4)
    place[:3, 3] = 0.75, 0.5, 0.0
    spec.joints.append(hk.JointSpec("hinge", "revolute", root, "leaf", place, lower=0.0, upper=1.9))
    leaf = [hk.Capsule("leaf", (0, -0.05, 0), (0, -0.85, 0), 0.03)]
    whole = [*parts, *leaf]
    pairs = [(0, 2), *((k, 3) for k in range(3))]
    return hk.Figure(hk.Model(spec), whole, pairs=pairs)


@pytest.mark.parametrize("seed", range(3))
def test_a_door_opens_before_the_hand_goes_through(seed: int) -> None:
    figure = door_and_arm()
    model = figure.model
    hinge = model.joint_names.index("hinge")
    assert hinge == 3
    jamb = hk.scene.Box([0.06, 0.6, 0.4])
    room = hk.Scene().add("jamb", jamb, pose=([0.75, 0.85, 0], TURN))
    room = room.add("other", jamb, pose=([0.75, -0.75, 0], TURN))
    start = np.array([2.0, -1.5, -1.0, 0.0])
    goal = np.array([-0.1, 0.2, 0.0, 1.7])
    assert room.free(figure, [start, goal]).all()
    shut = np.array([*goal[:3], 0.0])
    assert not room.free(figure, shut)  # the hand is where the shut door is
    found = hk.plan.path(room, figure, start, goal, seed=seed)
    seen(figure, room, found)
    # where the hand is past the door, the door is out of its way
    q = dense(model, found.q, 0.005)
    hand = np.asarray(model.fk(q, frame="link_3"))[:, 0, 3]
    assert np.all(q[hand > 0.8, 3] > 0.2)
    blind = hk.Figure(model, figure.capsules, pairs=[(0, 2)])
    through = hk.plan.path(
        room, blind, start, shut, seed=seed
    )  # whose pairs with the door are not compared
    assert through
    assert any(touching(figure, room, dense(model, through.q, 0.005)))


@pytest.mark.parametrize("seed", range(3))
def test_a_chair_rolls_through_a_gap_with_its_arm_tucked_in(seed: int) -> None:
    """A moving base: a chair on the floor, three joints, and an arm on it that is longer than the gap is wide."""
    spec = hk.chain([0.0, 0.45, 0.4], lower=-2.6, upper=2.6).spec
    base = spec.joints[0]
    base.kind, base.axis2 = "planar", (1.0, 0.0, 0.0)
    base.lower, base.upper = [-2.0, -2.0, -np.pi], [2.0, 2.0, np.pi]
    model = hk.Model(spec)
    seat = hk.Capsule("link_1", (-0.15, 0, 0), (0.15, 0, 0), 0.3)
    parts = [
        hk.Capsule("link_2", (0.05, 0, 0.6), (0.45, 0, 0.6), 0.04),
        hk.Capsule("link_3", (0.02, 0, 0.6), (0.4, 0, 0.6), 0.04),
    ]
    figure = hk.Figure(model, [seat, *parts], pairs=[])
    wall = hk.scene.Box([0.2, 1.5, 2.0])
    room = hk.Scene()
    for name, y in (
        ("left", 1.15),
        ("right", -1.15),
    ):  # a gap of 0.8 m; the arm to the side needs 0.9
        room = room.add(name, wall, pose=([0.0, y, 0.0], TURN))
    start = np.array([-1.3, 0.5, 0.0, 1.5, 0.0])
    goal = np.array([1.3, -0.6, 0.0, -1.5, 0.0])
    assert model.nq == 5
    assert room.free(figure, [start, goal]).all()
    assert hk.plan.path(room, figure, start, goal, planner="line").outcome == "blocked"
    found = hk.plan.path(room, figure, start, goal, seed=seed)
    seen(figure, room, found)
    q = dense(model, found.q, 0.005)
    through = q[np.abs(q[:, 0]) < 0.05]
    assert len(through) > 0
    assert np.all(np.abs(through[:, 1]) < 0.12)
    arm_at = dense(model, found.q, 0.005)[:, 3]  # to the left at first, to the right behind the gap
    side = np.asarray(model.fk(through, frame="link_2"))[:, 1, 3] + 0.45 * np.sin(
        through[:, 2] + through[:, 3]
    )
    assert np.all(np.abs(side) < 0.36)
    assert arm_at[0] > 1.4
    assert arm_at[-1] < -1.4


def test_a_goal_that_nearly_touches_is_reached_soon() -> None:
    """Answers of inverse kinematics among obstacles are: 0.1 mm of the reach from them, or less from themselves."""
    model, parts = arm()
    figure = hk.Figure(model, parts, pairs=[(0, 2)])
    room = hk.Scene().add("wall", hk.scene.Box([0.1, 3.0, 1.0]), pose=([1.0, 0, 0], TURN))
    groups = []
    for least in (1e-3, 1e-5, 1e-7):
        low, high, start = 0.2, 1.5, np.array([1.4, 0.4, 0.3])
        for _ in range(60):  # the arm straight, turned until it all but touches
            at = 0.5 * (low + high)
            room_left = float(room.distance(figure, [at, 0.0, 0.0], 1.0))
            low, high = (at, high) if room_left < least else (low, at)
        goal: Any = [high, 0.0, 0.0]
        assert 0 < float(room.distance(figure, goal, 1.0)) < 1.1 * least
        blocker = room.add("post", hk.scene.Box([0.1, 0.1, 1.0]), pose=([0.45, 0.95, 0], TURN))
        found = hk.plan.path(blocker, figure, start, goal, seed=1, paths=1)
        assert found, found.reason
        assert not any(touching(figure, blocker, dense(model, found.q, 0.002)))
        groups.append(found.groups)
    assert groups[-1] < 10 * groups[0] + 500
