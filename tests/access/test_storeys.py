"""Floors that are not at z = 0: the same place says the same on any storey."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import handik as hk
from handik.app.cli.access import _floor
from handik.app.cli.main import main
from handik.errors import ArgumentError, NotFoundError
from handik.scene import Box, Target
from handik.scene.access._storeys import left_out, levels_of, lowered
from handik.scene.nodes import Node

HIGH = 3.25
KITCHEN = hk.scene.gallery("kitchen")
CODES = ["ADA2010", "FR-ERP-NEW"]
ANNA = hk.human(sex="female", stature=1.62, position="seated", body="plain")


def raised(scene: hk.Scene, by: float, tag: bool = False) -> hk.Scene:
    up = np.eye(4)
    up[2, 3] = by
    nodes = [replace(node, pose=up @ node.place) for node in scene.nodes]
    floor = [Node("storey", pose=[0, 0, by], tags="storey")] if tag else []
    return hk.Scene([*nodes, *floor], scene.name)


def alike(found: hk.access.Checked, other: hk.access.Checked) -> None:
    assert len(found) == len(other)
    for one, same in zip(found, other, strict=True):
        assert (one.rule, one.place, one.verdict, one.why) == (
            same.rule,
            same.place,
            same.verdict,
            same.why,
        )
        assert one.found == same.found or abs(one.found - same.found) < 2e-6


def switches() -> hk.Scene:
    """A wall with a switch within reach, one too high, and one behind a block."""
    scene = hk.Scene().add("wall", Box([0.1, 6, 2.5]), [0.55, 0, 1.25], tags="wall")
    for name, y, z in (("low", -1.0, 1.0), ("high", 1.0, 2.2), ("far", 2.5, 1.0)):
        scene = scene.add(name, pose=[0.5, y, z]).add(f"{name}/press", Target("axis", [1, 0, 0]))
    scene = scene.add("ground", hk.scene.Plane())
    return scene.add("block", Box([4, 0.4, 2.0]), [-1.5, 2.5, 1.0])


def two(room: hk.Scene = KITCHEN) -> hk.Scene:
    """A kitchen or another room, and the same one above it."""
    floors = [
        Node("ground", tags="storey"),
        Node("upper", pose=[0, 0, HIGH], tags="storey"),
    ]
    rooms = [
        Node("a", children=room.nodes),
        Node("b", pose=[0, 0, HIGH], children=room.nodes),
    ]
    return hk.Scene([*floors, *rooms], "house")


def test_rules_find_the_same_on_any_floor() -> None:
    found = hk.access.check(KITCHEN, CODES)
    for by in (HIGH, -1.5):
        alike(hk.access.check(raised(KITCHEN, by), CODES, floor=by), found)
        alike(hk.access.check(raised(KITCHEN, by, tag=True), CODES), found)
        alike(hk.access.check(raised(KITCHEN, by, tag=True), CODES, floor="storey"), found)
    low = hk.access.check(raised(KITCHEN, HIGH), CODES)  # nobody said where its floor is
    assert low.counts["fail"] != found.counts["fail"]


@pytest.mark.parametrize("by", [0.0, HIGH, -2.0])
def test_limits_hold_to_a_millimeter_on_any_floor(by: float) -> None:
    """308.2.1: from the front 1,220 mm at most and 380 mm at least."""
    for height, verdict in ((1.221, "fail"), (1.219, "pass"), (0.381, "pass"), (0.379, "fail")):
        scene = hk.Scene().add("floor", pose=[0, 0, by], tags="storey")
        scene = scene.add("switch", Target("axis"), [1, 0, by + height])
        found = [f for f in hk.access.check(scene) if f.rule.section == "308.2.1" and f.found]
        assert {f.verdict for f in found} == ({verdict} if verdict == "pass" else {"pass", "fail"})
        assert all(abs(f.found - height) < 2e-6 for f in found)


def test_each_storey_is_measured_by_itself() -> None:
    scene, alone = two(), hk.access.check(KITCHEN)
    both = hk.access.check(scene)
    for name, path, storey in (("a", "a/", "ground"), ("b", "b/", "upper")):
        mine = [f for f in both if f.place.startswith(path) or f.place == storey]
        wanted = [f for f in alone if f.place]
        wanted += [f for f in alone if not f.place and f.rule.measure]
        assert len(mine) == len(wanted), name
        known = {(f.rule.id, f.place): (f.found, f.verdict) for f in wanted}
        for one in mine:
            place = one.place.removeprefix(path)
            place = place if place != storey else "room" if one.found is not None else ""
            found, verdict = known[one.rule.id, place]
            assert one.verdict == verdict
            assert one.found == found or abs(one.found - found) < 2e-6
    assert hk.access.storeys(scene) == {"ground": 0.0, "upper": HIGH}
    upper = hk.access.check(scene, floor="upper")
    assert not any(f.place.startswith("a/") for f in upper)
    assert "room" in {f.place for f in upper}


def test_people_reach_the_same_on_any_storey() -> None:
    alone = hk.access.code_against_use(switches(), ANNA)
    both = hk.access.code_against_use(two(switches()), ANNA)
    assert [use.usable for use in alone.uses] == ["yes", "no", "undecided"]
    upper = hk.access.code_against_use(two(switches()), ANNA, floor=HIGH, tries=1)
    assert {use.place[:2] for use in upper.uses} == {"b/"}
    for path, by in (("a/", 0.0), ("b/", HIGH)):
        mine = [use for use in both.uses if use.place.startswith(path)]
        assert [use.place.removeprefix(path) for use in mine] == [u.place for u in alone.uses]
        for use, same in zip(mine, alone.uses, strict=True):
            assert (use.legal, use.usable) == (same.legal, same.usable)
            if same.witness is None:
                assert use.witness is None
                continue
            assert use.witness is not None
            assert use.witness.pose[2, 3] == by  # in the world
            assert np.allclose(use.witness.pose[:2], same.witness.pose[:2])
            if use.usable == "yes":
                placed = ANNA.with_base(use.witness.pose)
                hands = [
                    placed.model.fk(use.witness.reach.q, frame=f"grip_{side}")[:3, 3]
                    for side in ("right", "left")
                ]
                at = two(switches()).world(use.place)[:3, 3]
                assert min(np.linalg.norm(hand - at) for hand in hands) < 1.1e-3


def test_a_given_place_is_on_its_own_storey() -> None:
    """Between posts 0.7 m apart there is no floor of 0.76 m, but room for a body."""
    scene = hk.Scene().add("ground", tags="storey").add("upper", pose=[0, 0, HIGH], tags="storey")
    scene = scene.add("wall", Box([0.1, 6, 2.5]), [0.55, 0, HIGH + 1.25], tags="wall")
    scene = scene.add("part", Target("axis", [1, 0, 0]), [0.5, 0, HIGH + 1.0])
    for name, y in (("left", 0.4), ("right", -0.4)):
        scene = scene.add(name, Box([3.4, 0.1, 2.0]), [-1.2, y, HIGH + 1.0])
    for z, usable in ((HIGH, "yes"), (0.0, "undecided")):
        (use,) = hk.access.code_against_use(scene, ANNA, places=[[-0.2, 0, z]]).uses
        assert use.usable == usable
    assert use.witness is None


def test_what_reaches_through_two_storeys_stands_in_both() -> None:
    scene = hk.Scene().add("ground", tags="storey").add("upper", pose=[0, 0, HIGH], tags="storey")
    for k, y in enumerate((-1.0, 1.0)):
        scene = scene.add(f"side {k}", Box([2, 0.1, 6]), [0, y, 3.0], tags="wall")
        scene = scene.add(f"end {k}", Box([0.1, 2, 6]), [y, 0, 3.0], tags="wall")
    scene = scene.add("post", Box([0.9, 0.9, 2.9]), [0.5, 0.5, 1.45])  # below only
    found = [f for f in hk.access.check(scene).of("turning space") if f.found]
    assert [f.place for f in found] == ["ground", "upper"]
    assert found[0].found < found[1].found - 0.3
    assert abs(found[1].found - 1.9) < 1e-3


def test_reach_is_the_same_from_any_floor() -> None:
    up = hk.transforms.from_rpy([0, 0, 0.3], [0.1, 0.2, HIGH])
    down = hk.transforms.from_rpy([0, 0, 0.3], [0.1, 0.2, 0.0])
    wall = hk.Scene().add("wall", Box([0.1, 4, 2]), [0.9, 0, 1.0])
    for z in (1.0, 2.4):
        low = hk.access.reach(ANNA.with_base(down), wall, [0.45, 0.2, z])
        high = hk.access.reach(ANNA.with_base(up), raised(wall, HIGH), [0.45, 0.2, z + HIGH])
        assert low.verdict == high.verdict == ("yes" if z == 1.0 else "no")
        assert np.allclose(low.short, high.short, atol=2.1e-3)


@pytest.mark.parametrize(("z", "verdict"), [(1.1, "yes"), (2.3, "no")])
def test_a_chair_stops_on_the_floor_of_its_person(z: float, verdict: str) -> None:
    chair = hk.access.chair()
    wall = hk.Scene().add("wall", Box([0.1, 4, 2.6]), [0.5, 0, 1.3])
    up = ANNA.with_base([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, HIGH], [0, 0, 0, 1]])
    start = (-2.0, 0.0, 0.0)
    low = hk.access.reach(ANNA, wall, [0.4, 0, z], approach=chair, start=start, within=np.inf)
    high = hk.access.reach(
        up, raised(wall, HIGH), [0.4, 0, z + HIGH], approach=chair, start=start, within=np.inf
    )
    assert low.verdict == high.verdict == verdict
    if verdict == "yes":
        assert low.stop is not None
        assert high.stop is not None
        assert np.allclose(low.stop.pose, high.stop.pose, atol=1e-9)
        assert abs(high.stop.base[2, 3] - HIGH) < 1e-9
        assert high.stop.passing is not None
        hand = high.stop.person.model.fk(high.q, frame=high.frame)[:3, 3]
        assert np.linalg.norm(hand - [0.4, 0, z + HIGH]) < 1.1e-3


def test_doors_open_on_any_storey() -> None:
    flat, chair = hk.scene.gallery("flat"), hk.access.chair("manual")
    for k in (2, 3, 4):
        flat = flat.remove(f"door {k}")
    upper = Node("b", pose=[0, 0, HIGH], children=flat.nodes)
    scene = hk.Scene([*two().nodes[:2], upper])
    low, high = hk.access.open_doors(chair, flat), hk.access.open_doors(chair, scene)
    assert [(one.side, one.verdict) for one in low] == [(one.side, one.verdict) for one in high]
    assert [f"b/{one.door}" for one in low] == [one.door for one in high]
    for one, same in zip(low, high, strict=True):
        assert one.found is not None
        assert same.found is not None
        assert abs(one.found.door.handle_height - same.found.door.handle_height) < 1e-9
    assert hk.access.open_doors(chair, scene, floor="ground") == ()


def test_the_report_names_what_is_on_none_of_the_floors_asked(tmp_path: Path) -> None:
    cellar = two(switches()).add("boiler", Box([0.4, 0.4, 0.6]), [1.0, 1.0, -2.0])
    levels = [(one, lowered(cellar, one)) for one in levels_of(cellar, None)]
    assert left_out(cellar, levels) == ["boiler"]
    assert "a/block" in left_out(cellar, levels[1:])
    assert left_out(two(switches()), levels) == []
    cellar.save(tmp_path / "house.toml")
    words = ["access", str(tmp_path / "house.toml"), "--tries", "1", "--out", str(tmp_path)]
    assert main([*words, "--person", "sex=female,body=plain"]) == 0
    page = (tmp_path / "access.html").read_text("utf-8")
    assert "On none of the floors asked, and so not looked at: boiler (1 in all)." in page


def test_wrong_floors_are_told() -> None:
    scene = two()
    with pytest.raises(ArgumentError, match="several: give floor="):
        hk.access.check(scene, routes={"way": [[0, 0], [1, 0]]})
    assert hk.access.check(scene, routes={"way": [[-1.5, -1], [-1.5, 1]]}, floor="upper")
    with pytest.raises(NotFoundError, match="storey"):
        hk.access.check(scene, floor="cellar")
    for wrong in (float("nan"), 1e9):
        with pytest.raises(ArgumentError, match="floor"):
            hk.access.check(scene, floor=wrong)


def test_what_follows_something_stays_with_it() -> None:
    scene = raised(KITCHEN, HIGH).add("cup", Box([0.05, 0.05, 0.1]))
    scene = scene.attach("cup", "counter", pose=[0, 0, 0.95])
    found = hk.access.check(scene, CODES, floor=HIGH)
    flat = KITCHEN.add("cup", Box([0.05, 0.05, 0.1])).attach("cup", "counter", pose=[0, 0, 0.95])
    alike(found, hk.access.check(flat, CODES))


def test_one_thing_that_follows_another_leaves_the_storeys_apart() -> None:
    """With one attached node anywhere each storey had all of the house, its upper floor solid."""
    house = two(switches())
    plain = hk.access.check(house)
    for path, to in (("cup", "a/block"), ("cup", "b/block"), ("a/low", "b/block")):
        scene = house if path in house else house.add(path, pose=[3.0, 3.0, 1.0])
        scene = scene.attach(path, to)
        alike(hk.access.check(scene), plain)
        low, high = (lowered(scene, one) for one in levels_of(scene, None))
        assert "a/ground" in low
        assert "b/ground" not in low
        assert "a/low/press" in low
        assert "a/low/press" not in high
        assert np.allclose(low.world("a/low/press"), scene.world("a/low/press"), atol=1e-12)
        assert ("cup" in low) == (path == "cup")
    uses = hk.access.code_against_use(house.attach("a/low", "b/block"), ANNA, tries=1).uses
    assert {use.place: use.usable for use in uses}["a/low/press"] == "yes"


def test_the_report_has_a_plan_of_each_storey(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    two(switches()).save(tmp_path / "house.toml")
    words = ["access", str(tmp_path / "house.toml"), "--tries", "2", "--out", str(tmp_path)]
    words += ["--person", "sex=female,body=plain", "--lang", "fr"]
    assert main(words) == 0
    page = (tmp_path / "access.html").read_text("utf-8")
    assert "upper, sol à z = 3,25 m" in page
    assert page.count("<svg role=") == 2
    assert "à partir du sol de chaque étage" in page
    assert "Le sol est à z = 0" not in page
    kept = json.loads((tmp_path / "access.json").read_text("utf-8"))
    assert kept["storeys"] == [
        {"place": "ground", "floor": 0.0},
        {"place": "upper", "floor": HIGH},
    ]
    assert [_floor(text) for text in (None, "3.25", "upper")] == [None, 3.25, "upper"]
    assert main([*words, "--floor", "cellar"]) == 2
    assert main([*words, "--place=-0.9,0,0"]) == 2
