"""What a hand may hold: the thing itself, to a depth, on the way there too."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk

HERE = [1.0, 0.0, 0.0, 0.0]
INF = float("inf")
ANNA = hk.human(sex="female", stature=1.62)


def slider() -> hk.Figure:
    """A hand of 20 mm that slides along x."""
    joint = hk.JointSpec("s", "prismatic", "rail", "hand", axis=(1, 0, 0), lower=-1, upper=1)
    links = [hk.LinkSpec("rail"), hk.LinkSpec("hand")]
    model = hk.Model(hk.ModelSpec("slider", links, [joint]))
    return hk.Figure(model, [hk.Capsule("hand", (0, 0, 0), (0, 0, 0), 0.02)], pairs=[])


def door(thick: float, knob: float) -> hk.Scene:
    """A door 0.4 m ahead, and a place on it so far from its middle."""
    scene = hk.Scene().add("door", hk.scene.Box([thick, 1, 1]), pose=([0.4, 0, 0], HERE))
    return scene.add("door/knob", hk.scene.Target("axis", [1, 0, 0]), pose=([knob, 0, 0], HERE))


@pytest.mark.parametrize(
    ("thick", "knob", "verdict"),
    [(0.2, 0.13, "undecided"), (0.02, 0.05, "undecided"), (0.2, -0.13, "yes"), (0.02, 0, "yes"),
     (0.2, -0.071, "yes"), (0.1, 0.045, "undecided")],
)  # fmt: skip
def test_no_path_leads_through_what_is_held(thick: float, knob: float, verdict: str) -> None:
    """It may end 50 mm deep in it, and goes neither deeper nor out on the other side."""
    who, scene = slider(), door(thick, knob)
    assert hk.access.reach(who, scene, "door/knob", frame="hand", within=INF).verdict == "yes"
    found = hk.access.reach(who, scene, "door/knob", frame="hand", within=INF, path=True, tries=2)
    assert found.verdict == verdict
    if verdict != "yes":
        assert "no path: blocked by what is held" in found.blocked


def test_a_hand_holds_a_thing_and_no_room() -> None:
    """A target that hangs on a group: the wall beside is in the group, and is no handle."""
    arm = hk.chain([0.5, 0.4])
    hand = hk.Figure(arm, [hk.Capsule(arm.frame_names[-1], (0, 0, 0), (0, 0, 0), 0.02)], pairs=[])
    at = ([0.62, 0.3, 0], HERE)
    scene = hk.Scene().add("room").add("room/wall", hk.scene.Box([0.02, 1, 1]), pose=at)
    scene = scene.add("room/spot", hk.scene.Target("axis", [1, 0, 0]), pose=at)
    found = hk.access.reach(hand, scene, "room/spot", within=INF)
    assert found.verdict == "no"
    assert found.holds == ()
    assert "it touches room/wall" in found.why
    assert "où qu'elle pointe, elle touche room/wall" in found.tell("fr")
    scene = scene.add("room/wall/spot", hk.scene.Target("axis", [1, 0, 0]))
    held = hk.access.reach(hand, scene, "room/wall/spot", within=INF)
    assert held.holds == ("room/wall",)
    assert held.verdict == "yes"


def test_so_deep_in_what_is_held_it_is_short_by_the_rest() -> None:
    """In 50 mm of the ball's 90 a hand may be: 40 are lacking, and no fewer are claimed."""
    arm = hk.chain([0.5, 0.4])
    tip = hk.Figure(arm, [hk.Capsule(arm.frame_names[-1], (0, 0, 0), (0, 0, 0), 1e-3)], pairs=[])
    scene = hk.Scene().add("ball", hk.scene.Sphere(0.09), pose=([0.6, 0.3, 0], HERE))
    scene = scene.add("ball/grip", hk.scene.Target("axis", [1, 0, 0]))
    found = hk.access.reach(tip, scene, "ball/grip")
    assert found.verdict == "no"
    assert 0.037 < found.short[0] < 0.041 <= found.short[1]
    free = hk.access.reach(tip, scene, "ball/grip", holds=())
    assert 0.087 < free.short[0] < 0.09


def test_a_turn_keeps_to_the_target_and_is_of_one_hand() -> None:
    target, axis = np.array([0.4, -0.15, 1.0]), np.array([1.0, 0.2, 0])
    options = {"axis": axis, "half_angle": np.pi, "action": "turn", "turn": 1.2, "within": INF}
    found = hk.access.reach(ANNA, None, target, tolerance=0.02, **options)
    assert found.verdict == "yes"
    assert found.motion is not None
    at = ANNA.model.fk(found.motion, frame="grip_right")[:, :3, 3]
    assert np.linalg.norm(at - target, axis=1).max() <= 0.02
    with pytest.raises(hk.ArgumentError, match="one hand"):
        hk.access.reach(ANNA, None, target, hand="both", **options)


def test_an_axis_may_not_be_endless() -> None:
    for size in (1e300, 1e-300):
        with pytest.raises(hk.ArgumentError, match="no direction"):
            hk.access.reach(hk.chain([0.5]), None, [0.5, 0, 0], axis=[size, 0, 0])


def test_what_is_held_hides_what_is_behind_it() -> None:
    """A door of 200 mm: its near side and a place 30 mm deep are seen, its far side is not."""
    joints = [
        hk.JointSpec(f"s{k}", "prismatic", str(k), str(k + 1), axis=np.eye(3)[k], lower=-2, upper=2)
        for k in range(3)
    ]
    spec = hk.ModelSpec("seer", [hk.LinkSpec(str(k)) for k in range(4)], joints)
    spec.frames = [hk.FrameSpec("eye", "0", np.eye(4)), hk.FrameSpec("grip", "3", np.eye(4))]
    who = hk.Figure(hk.Model(spec), [], pairs=[])
    for knob, verdict in ((-0.1, "yes"), (-0.07, "yes"), (0.1, "undecided"), (0.13, "undecided")):
        found = hk.access.reach(
            who, door(0.2, knob), "door/knob", frame="grip", sight=True, within=INF, tries=1
        )
        assert found.verdict == verdict
        assert ("door hides the target" in found.blocked) == (verdict != "yes")


def test_a_chair_stops_on_the_floor_where_the_person_is() -> None:
    box = hk.Scene().add("box", hk.scene.Box([0.1, 0.1, 0.1]), [5, 5, 0])
    leaning = ANNA.with_base(hk.transforms.from_rpy([0.2, 0, 0], [0, 0, 0]))
    with pytest.raises(hk.ArgumentError, match="level floor"):
        hk.access.reach(leaning, box, [0.4, 0, 1.0], approach=hk.access.chair())
    away = ANNA.with_base(hk.transforms.from_rpy([0, 0, 2.0], [9.0, 0, 0]))
    assert hk.access.reach(away, box, [0.4, 0, 1.0], approach=hk.access.chair())


def test_who_has_one_hand_reaches_with_it() -> None:
    who, place = hk.human(stature=1.62, profile="missing_hand"), [0.4, 0.1, 1.0]
    found = hk.access.reach(who, None, place, hand="either", within=INF)
    assert (found.verdict, found.frame) == ("yes", "grip_left")
    assert (
        found.q.tobytes() == hk.access.reach(who, None, place, hand="left", within=INF).q.tobytes()
    )
    assert hk.access.reach(who, None, [0.4, 0.1, 2.5], hand="either", within=INF).verdict == "no"
    with pytest.raises(hk.ArgumentError, match="no frame 'grip_right'"):
        hk.access.reach(who, None, place)
    with pytest.raises(hk.ArgumentError, match="no frames grip_right and grip_left"):
        hk.access.reach(who, None, place, hand="both")
