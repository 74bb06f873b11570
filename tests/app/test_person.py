"""Persons of the application: measures, severity, others beside, where they are put, verdicts in words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import handik as hk
from handik.app import App
from handik.app._acts_file import as_text
from handik.app._bodies import body_of
from handik.app._body_words import body_words
from handik.app._nearest import bounds, nearest_of, pieces
from handik.people.impairments import profile, profiles
from handik.scene import Actor


@pytest.mark.parametrize("scene", ["kitchen", "bathroom", "office"])
def test_a_person_is_put_where_nothing_of_the_scene_is(scene: str) -> None:
    app = App()
    app.do("node.gallery", scene=scene)
    app.do("person.add")
    app.do("person.add")
    there = app.document.scene
    one, other = (pieces(there, path) for path in ("person", "person 2"))
    assert nearest_of(one, other)[0] > 0.05
    low, high = bounds(there, "person")
    for path in there:
        node = there[path]
        if node.solid and node.kind in ("box", "sphere", "cylinder", "capsule", "prism"):
            alone = hk.Scene().add("thing", node.content, there.world(path))
            box = bounds(alone, "thing")
            if (box[0] > high + 0.3).any() or (box[1] < low - 0.3).any():
                continue
            assert nearest_of(one, pieces(alone, "thing"))[0] > 0.02, path


def test_measures_and_severity_stand_in_the_file_and_come_back(tmp_path: Path) -> None:
    app = App()
    app.do("person.add", sex="male", profile="hemiplegia", severity=0.4, side="left")
    app.do("person.measure", name="sitting_height", value=0.95)
    person = app.document.actor()[1].person
    assert person is not None
    assert person.dimensions.origin("sitting_height") == "given"
    assert person.measure("sitting_height") == pytest.approx(0.95)
    own = hk.human(
        sex="male",
        dimensions={"sitting_height": 0.95},
        profile=profile("hemiplegia", severity=0.4, side="left"),
    )
    np.testing.assert_array_equal(person.model.upper, own.model.upper)
    np.testing.assert_array_equal(person.rest, own.rest)
    for suffix in ("toml", "xml"):
        path = tmp_path / f"scene.{suffix}"
        app.document.scene.save(path)
        assert hk.load_scene(path) == app.document.scene
    other = App()
    other.do("file.open", name="a.json", text=as_text(app.document))
    assert other.document.actor()[1].person.measure("sitting_height") == pytest.approx(0.95)
    app.do("person.measure", name="sitting_height")
    assert app.document.actor()[1].person.dimensions.origin("sitting_height") == "conditional"
    app.do("person.set", profile="")
    assert set(dict(app.document.actor()[1].human)) == {"sex"}
    with pytest.raises(hk.NotFoundError, match="measure"):
        app.do("person.measure", name="nose", value=0.1)
    with pytest.raises(hk.HandikError, match="severity"):
        app.do("person.set", profile="hemiplegia", severity=2.0)


def test_every_measure_and_profile_has_a_french_word() -> None:
    found = body_words()
    assert {f"measure.{name}" for name in hk.human().dimensions} <= set(found)
    assert {f"profile.{name}" for name in profiles()} <= set(found)
    alike = {key for key, words in found.items() if words.en == words.fr}
    assert alike == {"measure.stature"}


def test_another_person_and_a_population_stand_beside_and_reach() -> None:
    app = App()
    app.do("person.add", sex="female", stature=1.5)
    app.do("solve.live", live=False)
    app.do("target.set", at=[0.7, -0.2, 1.25])
    app.do("solve.run")
    assert app.document.solve.outcome != "converged"
    app.do("person.compare", sex="male", stature=1.95)
    (other,) = app.document.beside
    assert other.reached
    hand = other.actor.figure.fk(np.array(other.q), frame="grip_right")[:3, 3]
    np.testing.assert_allclose(hand, [0.7, -0.2, 1.25], atol=1e-3)
    app.do("person.population", count=6, seed=3)
    found = app.document.beside
    people = hk.population(6, seed=3)
    for one, drawn in zip(found, people, strict=True):
        person = one.actor.person
        assert person.dimensions["stature"] == pytest.approx(drawn["stature"])
        assert person.dimensions["forearm_hand_length"] == pytest.approx(
            drawn["forearm_hand_length"]
        )
        hand = one.actor.figure.fk(np.array(one.q), frame="grip_right")[:3, 3]
        assert one.reached == (np.linalg.norm(hand - [0.7, -0.2, 1.25]) < 1e-3)
    assert {one.reached for one in found} == {True, False}
    app.do("node.move", nodes=["target"], by=[0, 0, 0.1])
    assert app.document.beside == ()
    with pytest.raises(hk.ArgumentError, match="1 to 40"):
        app.do("person.population", count=41)


def test_a_change_of_the_verdict_is_applied_and_makes_it_a_yes() -> None:
    app = App()
    app.do("person.add", sex="female", stature=1.62)
    app.do("solve.live", live=False)
    app.do("target.set", at=[0.9, -0.3, 1.3])
    app.do("access.reach", obstacles=False)
    said = app.document.verdict
    assert said.verdict == "no"
    words = dict(said.sentence)
    assert words["en"].startswith("the right hand stays short by")
    assert words["fr"].startswith("il manque")
    assert f"{1000 * said.short[0]:.0f}" in words["fr"]
    assert [offer.place is not None for offer in said.offers][:1] == [True]
    app.do("access.apply", change=0)
    place = np.array(said.offers[0].place)
    np.testing.assert_allclose(app.document.scene.world("target")[:3, 3], place)
    moved = np.linalg.norm(place - [0.9, -0.3, 1.3])
    assert f"{1000 * moved:.0f} mm nearer" in dict(said.offers[0].words)["en"]
    actor = app.document.actor()[1]
    hand = actor.figure.fk(actor.posture, frame="grip_right")[:3, 3]
    np.testing.assert_allclose(hand, place, atol=1.1e-3)
    app.do("edit.undo")
    assert app.document.verdict is said
    with pytest.raises(hk.ArgumentError, match="change must be"):
        app.do("access.apply", change=9)


def test_a_figure_of_a_scene_refuses_a_measure_that_is_none() -> None:
    with pytest.raises(hk.HandikError, match="nose"):
        assert Actor(human={"sex": "female", "nose": 0.1}).figure


@pytest.mark.parametrize("profile", ["one_arm", "missing_hand"])
def test_who_has_lost_an_arm_or_a_hand_is_drawn_posed_and_judged(profile: str) -> None:
    app = App()
    app.do("person.add", profile=profile, side="left")
    body = body_of(app.document.actor()[1])
    assert body.described["skin"] is None
    assert not any("hand_left" in name for name in body.described["links"])
    app.do("joint.set", dof="elbow_flexion_right", value=1.0)
    before = app.document.actor()[1].posture
    app.do("pose.mirror")
    at = body.model.joint_q_slices["wrist_flexion_right"]
    np.testing.assert_array_equal(app.document.actor()[1].posture[at], before[at])
    app.do("solve.live", live=False)
    app.do("target.set", at=[0.4, -0.3, 1.0])
    app.do("solve.run")
    assert app.document.solve.outcome == "converged"
