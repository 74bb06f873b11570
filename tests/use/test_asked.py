"""Who a command asks: all that Python's calls take of a person and her chair, and people like her."""

from __future__ import annotations

import argparse
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.app._report_words import Words
from handik.app.cli.asked import Asked, add_people, asked_of
from handik.scene import Actor
from handik.scene._people import OF_CHAIR, SEAT


def asked(*words: str, seed: int = 0) -> Asked:
    parser = argparse.ArgumentParser()
    add_people(parser)
    given = parser.parse_args(words)
    given.seed = seed
    return asked_of(given)


def by_keyword(call: Any) -> tuple[str, ...]:
    found = signature(call).parameters.values()
    return tuple(one.name for one in found if one.kind is Parameter.KEYWORD_ONLY)


def test_a_chair_is_said_by_all_that_python_takes() -> None:
    assert by_keyword(hk.access.chair) == tuple(
        name for name in ("percentile", "seed", "width", "length", "axle") if name in OF_CHAIR
    )
    assert by_keyword(hk.access.seat) == SEAT
    person = hk.human(sex="female", body="plain")
    for words, sizes, seat in (
        ("manual", {}, {}),
        ("rear,percentile=95,axle=0.5", {"percentile": 95, "axle": 0.5}, {}),
        ("mid,seed=3", {"seed": 3}, {"joystick": "left"}),
        ("front, width=0.7, length=1.3", {"width": 0.7, "length": 1.3}, {"seat_height": 0.6}),
    ):
        more = "".join(f",{name}={value}" for name, value in seat.items())
        found = asked("--person", "sex=female,body=plain", "--chair", words + more)
        chair = hk.access.chair(words.split(",")[0], **sizes)
        want = hk.access.seat(person, chair, **seat)
        assert found.chair == chair
        assert found.seat == seat
        assert [name for name, _ in found.person._fixed] == [name for name, _ in want._fixed]
        np.testing.assert_array_equal(
            found.person.model.frames(found.person.rest), want.model.frames(want.rest)
        )


def test_a_person_is_said_by_all_that_python_takes(tmp_path: Path) -> None:
    found = asked(
        "--person",
        "sex=male,percentile=95:20,sitting_height=0.98,detail=spine+hand,rhythm=false,seed=4,"
        "profile=sci_c6+fixed_wrist,severity=0.5,side=left",
    ).person
    profile = hk.people.impairments.profile
    want = hk.human(
        "male",
        percentile=(95, 20),
        dimensions={"sitting_height": 0.98},
        detail="spine+hand",
        rhythm=False,
        seed=4,
        profile=[profile(name, severity=0.5, side="left") for name in ("sci_c6", "fixed_wrist")],
    )
    assert dict(found.dimensions) == dict(want.dimensions)
    assert (found.detail, found.rhythm) == (want.detail, False)
    for ends in ("lower", "upper"):
        np.testing.assert_array_equal(*(getattr(one.model, ends) for one in (found, want)))
    own = tmp_path / "own.toml"
    own.write_text(
        '[mine]\ntitle = "Mine"\nsides = "both"\ngrasp = "full"\n'
        'limits = [{ motion = "elbow flexion", most = 90, trust = "fact", source = "measured" }]\n'
    )
    found = asked("--person", "profile=mine", "--profile-file", str(own)).person
    k = found.model.joint_q_slices["elbow_flexion_right"].start
    assert np.isclose(found.model.upper[k], hk.deg(90))


def test_people_drawn_have_all_but_her_measures() -> None:
    words = "sex=female,stature=1.5,body=plain,profile=sci_c6,severity=0.5,ranges=older,limits=box"
    found = asked("--person", words, "--population", "3", "--chair", "rear,percentile=90", seed=2)
    crowd = found.crowd
    assert crowd is not None
    drawn = hk.population(3, seed=2, chair="power")
    for k, make in enumerate(crowd.people.makers):
        one = make()
        assert dict(one.dimensions) == dict(drawn[k])
        assert one.impaired.profiles[0].severity == 0.5
        assert (one.ranges, one.limits, one.body) == ("older", "box", "plain")
        assert one._chair == found.chair == hk.access.chair("rear", percentile=90)
        high = max(drawn.seat_height[k], one.dimensions["popliteal_height"])
        assert np.isclose(one._lift + one.dimensions["popliteal_height"], high)
    told = crowd.tell(Words("en"))
    assert told == (
        "3 drawn at random (women: 2, men: 1), seated, with the person’s impairment, in the "
        "person’s wheelchair, each on a seat as high as drawn for people with such chairs"
    )
    assert crowd.data["profiles"] == ["sci_c6"]
    assert (crowd.data["chair"], crowd.data["seat_height"]) == ("rear", "drawn")


def test_people_drawn_sit_and_stand_as_she_does() -> None:
    given = "manual,seat_height=0.6,joystick=left"
    crowd = asked("--person", "body=plain", "--population", "2,sex=male", "--chair", given).crowd
    assert crowd is not None
    for make in crowd.people.makers:
        one = make()
        assert one.dimensions.sex == "male"
        assert np.isclose(one._lift + one.dimensions["popliteal_height"], 0.6)
        assert "joystick" in {name for name, _ in one._fixed}
    assert crowd.data["given"] == {"sex": "male"}
    assert "on its seat of 0.60 m" in crowd.tell(Words("en"))
    stands = asked("--person", "body=plain,position=standing", "--population", "1").crowd
    assert stands is not None
    one = stands.people.makers[0]()
    assert (one.position, one.impaired, one._chair) == ("standing", None, None)
    assert stands.tell(Words("fr")) == "1 tirées au hasard (femmes : 1, hommes : 0), debout"
    assert asked("--person", "body=plain").crowd is None


def test_who_stands_is_asked_standing_by_the_report(tmp_path: Path) -> None:
    """A shelf that people reach who stand, and nobody who sits: drawn people sat before."""
    pytest.importorskip("matplotlib")
    import json

    from handik.app.cli.main import main

    scene = hk.Scene().add("shelf", pose=[1, 0, 1.85])
    scene.add("shelf/at", hk.scene.Target("axis")).save(tmp_path / "shelf.toml")
    words = ["access", str(tmp_path / "shelf.toml"), "--tries", "2", "--out", str(tmp_path)]
    for position, share in (("standing", 1.0), ("seated", 0.0)):
        who = ["--person", f"sex=male,body=plain,position={position}", "--population", "2"]
        assert main([*words, *who]) == 0
        kept = json.loads((tmp_path / "access.json").read_text("utf-8"))
        assert kept["people"]["position"] == position
        assert kept["uses"][0]["share"] == share
        stands = "Doors are asked of who sits in a wheelchair alone." in kept["assumed"]
        assert stands == (position == "standing")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--person", "height=1.6"], "--person: no argument or dimension is called 'height'"),
        (["--person", "height=1.6"], "there are: sex, stature, weight"),
        (["--person", "sitting_heigth=0.8"], "sitting_height"),
        (["--person", "sex=female,sex=male"], "--person: sex is given twice"),
        (["--person", "stature=-1.6"], "--person: stature = -1.6"),
        (["--person", "stature=tall"], "--person: stature must be a number"),
        (["--person", "severity=0.5"], "--person: severity is of a profile: there is none"),
        (["--person", "profile=tetra"], "--person: no profile is called 'tetra'"),
        (["--person", "seat_height=0.5"], "--person: seat_height is said by --chair"),
        (["--person", "chair=rear"], "--person: chair is said by --chair"),
        (["--profile-file", "own.toml"], "--profile-file: give the person"),
        (["--person", "profile=a", "--profile-file", "none.toml"], "none.toml"),
        (["--profile-file", ""], "--profile-file: give the person"),
        (["--person", "profile=sci_c6", "--profile-file", ""], "a folder, not a file"),
        (["--chair", ""], "--chair: '' is none of manual"),
        (["--chair", "rear,seat=0.5"], "--chair: no size of a chair is called 'seat'"),
        (["--chair", "rear,seat_height=-0.5"], "--chair: seat_height must be 0.3 to 1 m"),
        (["--chair", "rear,joystick=middle"], "--chair: joystick must be"),
        (["--chair", "rear,width=-1"], "--chair: width must be 0.2 to 3 m"),
        (["--chair", "rear", "--person", "position=standing"], "--chair: who is in a wheelchair"),
        (["--population", "-3"], "--population: '-3' is not a whole number"),
        (["--population", "many"], "--population: 'many' is not a whole number"),
        (["--population", "2,profile=sci_c6"], "--population: "),
        (["--population", "2,sex=girl"], "--population: sex must be"),
    ],
)
def test_wrong_words_name_their_option(words: list[str], said: str) -> None:
    with pytest.raises(hk.HandikError) as caught:
        asked(*words)
    assert said in str(caught.value)


def test_what_is_said_of_nobody_is_refused_in_a_scene_too() -> None:
    for human, said in (
        ({"legs": 3}, "no argument or dimension is called 'legs'"),
        ({"severity": 0.5}, "severity is of a profile"),
    ):
        with pytest.raises(hk.ArgumentError, match=said):
            _ = Actor(human=human).person
    both = Actor(human={"profile": ["sci_c6", "fixed_wrist"], "severity": 0.5, "body": "plain"})
    assert [one.severity for one in both.person.impaired.profiles] == [0.5, 0.5]
    seat = {"chair": "rear", "chair_axle": 0.5, "chair_seed": 3}
    assert Actor(human=seat).chair == hk.access.chair("rear", seed=3, axle=0.5)
