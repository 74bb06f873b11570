"""Somebody on foot, with a walker or crutches: given in its size, seen, driven, kept."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.app import App
from handik.app._acts_file import as_text, from_text
from handik.app._bodies import body_of
from handik.app._drive import Ride
from handik.app._refusals import in_french
from handik.errors import ArgumentError, ReadError
from handik.scene.access.chairs import KINDS, ON_FOOT

SIZE = {"width": 0.7, "length": 0.9}


def standing() -> App:
    app = App()
    app.do("person.add", sex="female", position="standing")
    return app


@pytest.mark.parametrize("kind", ON_FOOT)
def test_who_is_on_foot_stands_and_turns_about_herself(kind: str) -> None:
    app = standing()
    app.do("person.chair", kind=kind, **SIZE)
    chair = body_of(app.document.actor()[1]).described["chair"]
    want = hk.access.chair(kind, **SIZE)
    np.testing.assert_allclose(chair["outline"], want.outline)
    assert chair["ahead"] == 0
    for part in chair["parts"]:  # all of it stands on the floor, within the outline
        x, y, z = part["at"]
        dx, dy, dz = (0.5 * size for size in part["size"])
        assert -want.axle <= x - dx <= x + dx <= want.length - want.axle
        assert abs(y) + dy <= want.width / 2 + 1e-9
        assert z - dz >= -1e-9
    ride = Ride(app.document)
    np.testing.assert_allclose(ride.pose[:2], app.document.scene.world("person")[:2, 3])
    before = np.array(app.document.scene.world("person"))
    app.do("chair.drive", legs="0 1 1")
    after = app.document.scene.world("person")
    np.testing.assert_allclose(after[:3, 3], before[:3, 3], atol=1e-9)
    assert np.arccos(after[0, 0]) == pytest.approx(1.5, abs=1e-6)


def test_a_percentile_is_of_no_walker() -> None:
    app = standing()
    app.do("person.chair", kind="walker", percentile=80, **SIZE)
    assert app.document.actor()[1].chair == hk.access.chair("walker", **SIZE)


def test_a_walker_is_held_up_by_a_door_that_is_too_narrow() -> None:
    app = standing()
    app.do("person.chair", kind="walker", **SIZE)
    for wide, bumps in ((0.0, 1), (0.1, 0)):  # 0.64 m, then 0.84
        scene = app.document.scene
        for k, side in enumerate((-1, 1)):
            place = [1.5, side * (0.82 + wide), 1.0]
            scene = scene.add(f"post {k} {wide}", hk.scene.Box([0.1, 1.0, 2.0]), place)
        app.history.restart(app.document.edited(scene))
        app.do("chair.drive", legs="1 0 3")
        drive = app.document.drive
        assert drive is not None
        assert len(drive.bumps) == bumps
        app.do("edit.undo")
        app.do("node.delete", nodes=[f"post {k} {wide}" for k in (0, 1)])


@pytest.mark.parametrize(
    ("position", "given", "why"),
    [
        ("standing", {"kind": "walker"}, "no size of people with walker was measured"),
        ("standing", {"kind": "walker", "width": 0.7}, "no size of people with walker"),
        ("standing", {"kind": "manual"}, "who is in a wheelchair sits"),
        ("seated", {"kind": "crutches", **SIZE}, "who walks with that stands"),
        ("standing", {"kind": "walker", "width": 9.0, "length": 0.9}, "width must be"),
    ],
)
def test_what_does_not_fit_is_refused(position: str, given: dict[str, Any], why: str) -> None:
    app = App()
    app.do("person.add", sex="male", position=position)
    before = app.document
    with pytest.raises(ArgumentError, match=why) as refused:
        app.do("person.chair", **given)
    assert app.document is before
    assert in_french(str(refused.value))


@pytest.mark.parametrize("kind", ["", *KINDS])
def test_it_is_kept_in_the_file_and_left_behind_with_it(kind: str) -> None:
    app = App()
    app.do("person.add", position="standing" if kind in ON_FOOT else "seated")
    app.do("person.chair", kind=kind, **SIZE)
    again = from_text("a.json", as_text(app.document))
    assert again.chair_given == app.document.chair_given
    assert again.chair_given["chair"] == kind
    app.do("file.new")
    assert app.document.chair_given["chair"] == ""
    assert app.document.chair_given["chair_width"] is None


@pytest.mark.parametrize(
    ("chair", "ok"),
    [
        (["scooter", 80.0], True),  # of when there were no other sizes
        (["walker", 50.0], False),
        (["walker", 50.0, 0.7, 0.9], True),
        (["manual", 50.0, None, 1.3], True),
        (["manual", 50.0, "wide", None], False),
        (["manual", 50.0, 9.0, None], False),
        (["manual", 50.0, None], False),
    ],
)
def test_files_of_both_kinds_are_read(chair: list[Any], ok: bool) -> None:
    app = standing()
    app.do("person.set", position="standing" if chair[0] in ON_FOOT else "seated")
    file = json.loads(as_text(app.document))
    text = json.dumps({**file, "chair": chair})
    if not ok:
        with pytest.raises(ReadError, match="it is damaged"):
            from_text("a.json", text)
        return
    given = from_text("a.json", text).chair_given
    names = ("chair", "chair_percentile", "chair_width", "chair_length")
    assert [given.pop(name) for name in names] == [*chair, None, None][:4]
    assert {*given.values()} == {None}
    app.do("person.set", position="seated" if chair[0] in ON_FOOT else "standing")
    other = json.dumps({**json.loads(as_text(app.document)), "chair": chair})
    assert from_text("a.json", other).chair_given["chair"] == ""  # nobody is as one is with it
