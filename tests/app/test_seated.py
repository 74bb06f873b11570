"""Who has a wheelchair sits in it: what is asked, shown, measured, driven and kept is of her in the chair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.app import App
from handik.app._acts_file import as_text, from_text
from handik.app._acts_plan import placed
from handik.app._bodies import body_of
from handik.app._drive import Ride
from handik.app._nearest import bounds
from handik.app._refusals import in_french
from handik.app._wheelchair import chair_parts
from handik.people._seat_heights import mean_seat_height
from handik.scene.access._seat import idle_arms_off, in_chair
from handik.scene.check import as_figure

ANNA = {"sex": "female", "stature": 1.62}
PLACE = [1.0, 2.0, 0.1, np.cos(0.2), 0, 0, np.sin(0.2)]


def asked(kind: str, at: Any, *things: Any) -> App:
    """Whether Anna in a chair, somewhere, gets her right hand to a place that she sees there."""
    app = App()
    app.do("person.add", **ANNA)
    app.do("node.transform", node="person", pose=PLACE)
    app.do("person.chair", kind=kind)
    world = app.document.scene.world("person")
    scene = app.document.scene
    for k, (shape, place) in enumerate(things):
        pose = np.eye(4)
        pose[:3, 3] = place
        scene = scene.add(f"thing {k}", shape, world @ pose)
    app.history.restart(app.document.edited(scene))
    app.do("target.set", at=(world[:3, :3] @ at + world[:3, 3]).tolist())
    app.do("access.reach")
    return app


@pytest.mark.parametrize(("kind", "verdict"), [("", "no"), ("manual", "yes"), ("rear", "yes")])
def test_the_question_is_asked_of_her_in_the_chair(kind: str, verdict: str) -> None:
    app = asked(kind, np.array([0.3, -0.25, 1.55]))
    said = app.document.verdict
    assert said is not None
    assert said.verdict == verdict
    person = placed(app.document)
    assert in_chair(person) == bool(kind)
    assert person._place == pytest.approx(app.document.scene.world("person"))
    app.do("access.show")
    q = app.document.actor()[1].posture
    assert (q == np.array(said.q)).all()
    if verdict == "yes":  # what is shown is the witness
        shown = app.document.scene.world("person") @ app.document.actor()[1].frame_pose(
            "grip_right"
        )
        at = app.document.scene.world(str(app.document.target))[:3, 3]
        assert np.linalg.norm(shown[:3, 3] - at) <= 1e-3
        figure = idle_arms_off(as_figure(person), ("grip_right",))
        assert app.document.scene.free(figure, app.document.actor()[1].posture)


def test_the_shown_posture_is_the_checked_one() -> None:
    """Links as the page draws them are frames of the figure that was asked."""
    app = asked("rear", np.array([0.3, -0.25, 1.55]))
    app.do("access.show")
    at, actor = app.document.actor()
    body, person = body_of(actor), placed(app.document)
    drawn = body.poses(actor.posture, app.document.scene.world(at))
    for name, pose in zip(body.links, drawn, strict=True):
        assert np.allclose(pose, person.model.fk(actor.posture, frame=name), atol=1e-12)
    assert person.model.spec.root not in body.links
    figure = as_figure(person)
    parts = {figure.names[k] for k in range(*figure._around)}
    seen = {part["name"] for part in body.described["chair"]["parts"]}
    assert parts <= seen
    assert seen - parts == {"seat", "frame", "caster"}


def test_a_board_at_the_arm_rest_is_in_the_way_of_the_chair_alone() -> None:
    target = np.array([0.4, -0.25, 1.1])
    board = (hk.scene.Box([0.3, 0.15, 0.02]), [0.26, 0.275, 0.0])
    anna = hk.scene.Actor(human={**ANNA, "chair": "rear"})
    parts = chair_parts(anna.person, anna.chair)
    top = max(p[2, 3] + one.shape.radius for one, p in parts if one.name == "arm_rest_left")
    said = []
    for by in (0.0, 0.03):
        app = asked("rear", target, (board[0], [0.26, 0.275, top + by]))
        assert app.document.verdict is not None
        said.append(app.document.verdict.verdict)
    assert said == ["undecided", "yes"]


def test_joints_at_rest_rest_in_the_chair_and_the_others_stay() -> None:
    app = App()
    app.do("person.add", **ANNA)
    assert app.document.actor()[1].q is None
    app.do("person.chair", kind="manual")
    actor = app.document.actor()[1]
    assert (actor.posture == actor.person.rest).all()
    app.do("person.chair", kind="")
    app.do("joint.set", dof="elbow_flexion_right", value=2.0)
    app.do("person.chair", kind="rear")
    q, actor = app.document.actor()[1].posture, app.document.actor()[1]
    at = actor.figure.joint_q_slices
    assert q[at["elbow_flexion_right"]] == pytest.approx(2.0)
    assert q[at["elbow_flexion_left"]] == pytest.approx(np.pi / 2)  # on its rest
    app.do("pose.reset")
    assert hk.Scene().free(actor.person, app.document.actor()[1].posture)


def test_others_beside_and_the_people_of_a_share_sit_in_such_a_chair() -> None:
    app = asked("rear", np.array([0.3, -0.25, 1.62]))
    app.do("person.compare", sex="male")
    app.do("person.population", count=2)
    assert all(one.actor.chair == hk.access.chair("rear") for one in app.document.beside)
    app.do("access.share", count=4)
    high = app.document.sharing
    app.do("person.chair", kind="")
    app.do("access.share", count=4)
    low = app.document.sharing
    assert high is not None
    assert low is not None
    assert high.share > low.share


def test_what_is_measured_has_the_chair_and_it_stands_on_the_floor() -> None:
    app = App()
    app.do("person.add", **ANNA)
    bare = bounds(app.document.scene, "person")
    for kind in ("manual", "mid", "scooter"):
        app.do("person.chair", kind=kind)
        box = bounds(app.document.scene, "person")
        assert box[0, 2] == pytest.approx(0.0, abs=1e-9)
        assert box[1, 2] > bare[1, 2] + 0.05
        assert box[0, 0] < bare[0, 0] - 0.02  # back rest, wheels


def test_her_chair_meets_what_stands_at_the_arm_rests_and_rolls_over_what_is_flat() -> None:
    for things, met in (
        (("shelf", [0.3, 0.2, 0.02], [0.9, 0.35, 0.64]), True),
        (("sill", [0.1, 3.0, 0.016], [0.9, 0.0, 0.008]), False),
    ):
        app = App()
        app.do("person.add", **ANNA)
        app.do("node.transform", node="person", pose=[0, 0, 0, 1, 0, 0, 0])
        app.do("person.chair", kind="manual")
        name, size, at = things
        scene = app.document.scene.add(name, hk.scene.Box(size), at)
        ride = Ride(app.document.edited(scene))
        assert not any(part.startswith("wheel") for part in ride.figure.names)
        found = [ride.drive(1, 0, 0.1) for _ in range(10)]
        hit = next((one for one in found if one is not None), None)
        assert (hit is not None) == met, (name, hit)
        if hit is not None:
            assert hit.other == "shelf"
            assert hit.part in ("arm_rest_left", "side_guard_left")


def test_a_cup_in_her_hand_is_where_the_hand_is() -> None:
    app = App()
    app.do("person.add", **ANNA)
    app.do("node.add", kind="sphere", name="cup", size=0.05)
    hand = app.document.actor()[1].frame_pose("grip_right")
    scene = app.document.scene.with_pose("cup", hand).attach("cup", "person", "grip_right")
    app.history.restart(app.document.edited(scene))
    app.do("person.chair", kind="rear")
    now = app.document.actor()[1].frame_pose("grip_right")
    assert app.document.scene.world("cup") == pytest.approx(now)
    assert now[2, 3] > hand[2, 3] + 0.1
    assert app.document.scene.free(placed(app.document), app.document.actor()[1].posture)


def test_each_has_a_chair_of_her_own() -> None:
    app = App()
    app.do("person.add", **ANNA)
    app.do("person.chair", kind="manual")
    app.do("person.add", sex="male")
    assert app.document.chair_given["chair"] == ""
    app.do("person.chair", kind="scooter", percentile=80)
    app.do("figure.activate", figure="person")
    assert app.document.chair_given["chair"] == "manual"
    app.do("figure.add", model="data:ur5")
    assert app.document.chair_given["chair"] == ""
    app.do("file.export", format="toml")
    text = app.given[-1].data.decode()
    other = App()
    other.do("file.open", name="a.toml", text=text)
    kinds = [other.document.scene[path].content.chair for path in ("person", "person 2")]
    assert kinds == [hk.access.chair("manual"), hk.access.chair("scooter", percentile=80)]


def test_who_has_one_arm_sits_too() -> None:
    app = App()
    app.do("person.add", sex="male", profile="one_arm")
    app.do("person.chair", kind="rear")
    body = body_of(app.document.actor()[1])
    assert body.person is not None
    assert body.person.body == "plain"
    assert in_chair(body.person)
    assert len(body.described["links"]) == len(body.poses(body.rest))


def test_her_seat_is_as_high_as_given_with_the_joystick_where_it_is() -> None:
    app = App()
    app.do("person.add", **ANNA)
    told = body_of(app.document.actor()[1]).described["person"]
    assert (told["seat_height"], told["joystick"], told["seat_given"]) == (None, "", False)
    app.do("person.chair", kind="rear")
    told = body_of(app.document.actor()[1]).described["person"]
    assert told["seat_height"] == pytest.approx(mean_seat_height("power", "female"))
    assert (told["joystick"], told["seat_given"]) == ("right", False)
    app.do("person.chair", kind="rear", seat_height=0.6, joystick="left")
    own = {"seat_height": 0.6, "joystick": "left"}
    want = hk.access.seat(hk.human(**ANNA), hk.access.chair("rear"), **own)
    again = from_text("a.json", as_text(app.document))
    app.do("person.set", stature=1.62)  # another measure leaves the seat as it is
    app.do("person.population", count=1)
    for actor in (app.document.actor()[1], again.actor()[1], app.document.beside[0].actor):
        told = body_of(actor).described["person"]
        assert told["seat_height"] == pytest.approx(0.6)
        assert (told["joystick"], told["seat_given"]) == ("left", True)
    person = again.actor()[1].person
    assert person is not None
    assert person._fixed == want._fixed
    app.do("person.chair", kind="")  # and without a chair nothing of its seat is left
    assert app.document.actor()[1].person == hk.scene.Actor(human=ANNA).person


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"kind": "rear", "seat_height": 2.0}, "seat_height must be 0.3 to 1 m"),
        (
            {"kind": "walker", "width": 0.7, "length": 0.9, "seat_height": 0.5},
            "seat_height is of who sits",
        ),
    ],
)
def test_a_seat_that_cannot_be_is_refused_in_both_languages(given: Any, why: str) -> None:
    app = App()
    standing = given["kind"] == "walker"
    app.do("person.add", position="standing" if standing else "seated")
    before = app.document
    with pytest.raises(hk.ArgumentError, match=why) as refused:
        app.do("person.chair", **given)
    assert app.document is before
    assert in_french(str(refused.value))
