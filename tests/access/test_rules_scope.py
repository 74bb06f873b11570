"""Where rules hold and where not: exceptions, what is narrow, below, sunk or leaning; any frame."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.scene import Box, Mesh, Node, Plane, Prism, Target


def box(scene, name, low, high, **more):
    low, high = np.array(low, float), np.array(high, float)
    return scene.add(name, Box(high - low), (low + high) / 2, **more)


def tilted(size, slope, axis="y", tags="ramp"):
    c, s = np.cos(np.arctan(slope)), np.sin(np.arctan(slope))
    pose = np.eye(4)
    pose[:3, :3] = (
        [[c, 0, s], [0, 1, 0], [-s, 0, c]] if axis == "y" else [[1, 0, 0], [0, c, -s], [0, s, c]]
    )
    pose[2, 3] = 1.0
    return hk.Scene().add("way", Box(size), pose, tags=tags)


def words(scene, *sections, code="ADA2010", **more):
    found = hk.access.check(scene, code, **more)
    return [(f.rule.quantity, f.verdict) for f in found if f.rule.section in sections and f.place]


def at_wall(height):
    scene = box(hk.Scene(), "wall", [0, -3, 0], [0.1, 3, 2.5], tags="wall")
    return scene.add("part", pose=[0, 0, height]).add("part/press", Target("axis", [1, 0, 0]))


def test_a_slope_of_exactly_what_is_allowed_is_allowed() -> None:
    assert words(tilted([5, 1.5, 0.1], 1 / 12), "405.2") == [("slope", "pass")]
    assert words(tilted([5, 1.5, 0.1], 1 / 48, "x"), "405.3") == [("cross slope", "pass")]
    assert words(tilted([5, 1.5, 0.1], 1 / 11.99), "405.2") == [("slope", "fail")]


@pytest.mark.parametrize(("long", "word"), [(1.999, "pass"), (2.001, "fail"), (2.004, "fail")])
def test_a_slope_is_as_long_as_it_is(long: float, word: str) -> None:
    found = hk.access.check(tilted([long, 1.5, 0.1], 0.07, tags="path"), "FR-ERP-NEW")
    assert [f.verdict for f in found.of("path slope") if f.place] == [word]


def test_rails_narrow_a_ramp_and_belong_to_both_sides() -> None:
    ramp = tilted([5, 1.0, 0.1], 0.05)
    for name, y in (("left", 0.46), ("right", -0.46)):
        ramp = ramp.add(f"way/{name}", Box([5, 0.006, 0.9]), [0, y, 0.5], tags="rail")
    assert words(ramp, "405.5") == [("clear width", "fail")]  # 914 mm
    assert words(ramp, "405.8") == [("handrails needed", "pass")]
    alone = tilted([5, 1.0, 0.1], 0.05).add(
        "way/one", Box([5, 0.006, 0.9]), [0, 0.6, 0.5], tags="rail"
    )
    assert words(alone, "405.8") == [("handrails needed", "fail")]
    assert words(alone, "405.5") == [("clear width", "pass")]


@pytest.mark.parametrize(
    ("wide", "word"),
    [(0.916, "pass"), (0.914, "not measured"), (0.813, "not measured"), (0.8118, "fail")],
)
def test_a_route_may_be_narrower_for_a_short_stretch(wide: float, word: str) -> None:
    scene = box(hk.Scene(), "one", [0, wide, 0], [0.1, 5, 2])
    scene = box(scene, "two", [0, -5, 0], [0.1, 0, 2])
    scene = box(box(scene, "far", [0, 5, 0], [5, 5.1, 2]), "near", [0, -5.1, 0], [5, -5, 2])
    scene = box(scene, "beyond", [5, -5, 0], [5.1, 5, 2])
    routes = {"way": [[-2, 1.0], [2, 1.0]]}
    assert words(scene, "403.5.1", routes=routes) == [("clear width", word)]
    finding = hk.access.check(scene, routes=routes).of("route")[0]
    assert (finding.found is None) == (word == "not measured")
    assert finding.lacking == pytest.approx(36 * 0.0254 - wide if word == "fail" else 0)


def test_an_edge_that_may_be_bevelled_is_not_called_a_fail() -> None:
    sill = box(hk.Scene(), "sill", [0, 0, 0], [0.1, 1, 0.010], tags="threshold")
    assert words(sill, "303.2") == [("height", "fail")]  # a box has no bevel
    faces = [[0, 1, 4], [1, 5, 4], [2, 3, 4], [3, 5, 4], [0, 2, 4], [1, 3, 5]]

    def wedge(high):
        points = [[0, 0, 0], [0, 1, 0], [0.1, 0, 0], [0.1, 1, 0], [0.05, 0, high], [0.05, 1, high]]
        return hk.Scene().add("sill", Mesh(vertices=points, faces=faces), tags="threshold")

    assert words(wedge(0.010), "303.2") == [("height", "not measured")]
    assert words(wedge(0.014), "303.2") == [("height", "fail")]
    assert words(wedge(0.006), "303.2") == [("height", "pass")]


def test_a_threshold_counts_from_the_floor_that_it_is_sunk_into() -> None:
    sill = box(hk.Scene(), "sill", [0, 0, -0.05], [0.1, 1, 0.012], tags="threshold")
    assert words(sill, "404.2.5") == [("height", "pass")]
    assert words(sill, "303.2") == [("height", "fail")]


@pytest.mark.parametrize("wide", [0.4, 0.55, 0.8])
def test_a_basin_narrower_than_a_chair_has_room_beside_it(wide: float) -> None:
    def basin(under, pedestal=0.0):
        scene = box(hk.Scene(), "wall", [0.5, -3, 0], [0.6, 3, 2.5], tags="wall")
        scene = box(scene, "basin", [0, -wide / 2, under], [0.5, wide / 2, 0.85], tags="basin")
        if pedestal:
            scene = box(scene, "foot", [pedestal, -0.1, 0], [0.5, 0.1, under])
        return scene

    assert {word for _, word in words(basin(0.69), "306.2", "306.3")} == {"pass"}
    assert ("depth required", "fail") in words(basin(0.68), "306.3")
    one = box(basin(0.69), "side", [0, wide / 2 + 0.01, 0], [0.5, wide / 2 + 0.1, 2])
    assert {word for _, word in words(one, "306.2", "306.3")} == {"pass"}  # free on the other side
    niche = box(one, "other", [0, -wide / 2 - 0.1, 0], [0.5, -wide / 2 - 0.01, 2])
    narrow = {word for _, word in words(niche, "306.2", "306.3")}
    assert narrow == ({"pass"} if wide > 0.76 else {"fail"})


@pytest.mark.parametrize("solid", [False, True])
def test_what_lies_below_something_is_not_reached_over_it(solid: bool) -> None:
    """An outlet below a hanging cupboard of 600 mm, or inside a counter: no approach to it."""
    low, high = (0.0, 0.9) if solid else (0.5, 0.6)
    scene = box(at_wall(0.45), "before", [-0.6, -2, low], [0, 2, high])
    assert ("obstruction depth", "fail") in words(scene, "308.3.2")
    assert not any(word == "pass" for _, word in words(scene, "308.2.1", "308.3.1", "308.3.2"))
    desk = box(at_wall(0.45), "desk", [-0.6, -2, 0.69], [0, 2, 0.72])  # knees fit under it
    assert ("height low", "pass") in words(desk, "308.2.1")
    deep = box(at_wall(0.45), "desk", [-0.64, -2, 0.69], [0, 2, 0.72])  # but not so deep
    assert ("height low", "pass") not in words(deep, "308.2.1", "308.3.1")
    shelf = box(at_wall(1.1), "above", [-0.3, -2, 1.15], [0, 2, 1.2])
    shelf = box(shelf, "counter", [-0.5, -2, 0.0], [0, 2, 0.8])
    assert ("height high", "pass") in words(shelf, "308.3.2")  # between the two, from the side


def test_an_empty_scene_passes_nothing() -> None:
    for scene in (hk.Scene(), hk.Scene().add("floor", Plane())):
        found = hk.access.check(scene, ["ADA2010", "FR-ERP-NEW", "ISO21542:2021"])
        none = {"pass": 0, "fail": 0, "recommended, not met": 0}
        assert found.counts == none | {"not measured": len(found)}


@pytest.mark.parametrize("seed", range(4))
def test_a_room_is_as_wide_as_the_circle_that_stands_in_its_door(seed: int) -> None:
    """Turned. It touches a wall and both jambs; through a door of twice the width it gets out."""
    rng = np.random.default_rng(seed)
    wide, turn = rng.uniform(0.8, 1.5), rng.uniform(0, 6)
    long = 4.5 * wide
    for share in (0.0, 0.7, 1.6, 2.1):
        door = share * wide
        left = rng.uniform(0.9, 1.4) * wide
        room = box(hk.Scene(), "s", [-0.1, -0.1, 0], [long + 0.1, 0, 2])
        room = box(room, "n left", [0, wide, 0], [left, wide + 0.1, 2])
        room = box(room, "n right", [left + door, wide, 0], [long, wide + 0.1, 2])
        room = box(room, "w", [-0.1, 0, 0], [0, wide, 2])
        room = box(room, "e", [long, 0, 0], [long + 0.1, wide, 2])
        pose = np.eye(4)
        pose[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
        scene = hk.Scene([Node("room", pose=pose, children=room.nodes)])
        found = [f for f in hk.access.check(scene).of("turning space") if f.place]
        assert bool(found) == (share < 2)
        if found:
            assert found[0].found == pytest.approx(wide + door**2 / (4 * wide), abs=3e-4)


MIRROR = np.diag([1.0, -1.0, 1.0, 1.0])


def mirrored(node: Node) -> Node:
    content = node.content
    if isinstance(content, Prism):
        content = Prism(tuple((x, -y) for x, y in content.polygon)[::-1], content.height)
    if isinstance(content, Target) and content.want == "axis":
        content = replace(content, axis=(content.axis[0], -content.axis[1], content.axis[2]))
    pose = MIRROR @ node.pose @ MIRROR
    return replace(node, content=content, pose=pose, children=tuple(map(mirrored, node.children)))


def told(scene, above=""):
    out = {}
    for f in hk.access.check(scene, ["ADA2010", "FR-ERP-NEW"]):
        out.setdefault((f.rule.id, f.place.removeprefix(above)), []).append((f.verdict, f.found))
    return {key: sorted(value, key=str) for key, value in out.items()}


@pytest.mark.parametrize("name", ["bathroom", "lift", "car", "cash_machine"])
@pytest.mark.parametrize("way", ["mirrored", "turned"])
def test_a_scene_is_judged_alike_from_any_side(name: str, way: str) -> None:
    scene = hk.scene.gallery(name)
    pose = np.eye(4)
    pose[:2, :2], pose[:2, 3] = [[np.cos(2.5), -np.sin(2.5)], [np.sin(2.5), np.cos(2.5)]], [7, -3]
    if way == "mirrored":
        other = told(hk.Scene([mirrored(node) for node in scene.nodes]))
    else:
        other = told(hk.Scene([Node("world", pose=pose, children=scene.nodes)]), "world/")
    mine = told(scene)
    assert set(mine) == set(other)
    for key, found in mine.items():
        assert [word for word, _ in found] == [word for word, _ in other[key]], key
        for (_, one), (_, two) in zip(found, other[key], strict=True):
            assert one == two or one == pytest.approx(two, abs=4e-4), key


@pytest.mark.parametrize("wrong", [None, "kitchen", 1])
def test_what_is_no_scene_is_not_judged(wrong: Any) -> None:
    with pytest.raises(TypeError, match="scene must be a handik Scene"):
        hk.access.code_against_use(wrong, hk.human(sex="female"))


def doorway(width):
    scene = hk.Scene()
    for k, side in enumerate((-1, 1)):
        scene = scene.add(
            f"wall {k}", Box([0.1, 2, 2.5]), [0, side * (1 + width / 2), 1.25], tags="wall"
        )
    return scene.add("doorway", tags="doorway")


@pytest.mark.parametrize(
    ("width", "least", "advised"),
    [
        (0.851, "pass", "pass"),
        (0.849, "pass", "recommended, not met"),
        (0.801, "pass", "recommended, not met"),
        (0.799, "fail", "recommended, not met"),
    ],
)
def test_what_is_recommended_only_is_no_fail(width: float, least: str, advised: str) -> None:
    found = hk.access.check(doorway(width), "ISO21542:2021")
    doors = {f.rule.condition: f for f in found.of("door") if f.place}
    assert doors["minimum"].verdict == least
    assert doors["recommended"].verdict == advised
    assert doors["recommended"].lacking == pytest.approx(max(0.85 - width, 0), abs=1e-6)
    assert [f.rule.condition for f in found.failed] == ["minimum"] * (least == "fail")
    assert found.counts["recommended, not met"] == (advised != "pass")
    assert ("recommended, not met" in repr(found)) == (advised != "pass")
    assert {rule.condition for rule in hk.access.rules() if rule.advised} == {
        "preferred",
        "recommended",
    }


@pytest.mark.parametrize(("slope", "word"), [(0.05, "pass"), (0.0501, "recommended, not met")])
def test_a_preferred_slope_is_no_fail(slope: float, word: str) -> None:
    found = hk.access.check(tilted([2, 1.5, 0.1], slope), "ISO21542:2021")
    assert [f.verdict for f in found.of("ramp") if f.place] == [word]
    assert not found.failed


def test_advice_makes_nothing_legal_or_not() -> None:
    rule = next(r for r in hk.access.rules("ISO21542:2021") if r.quantity == "height high")
    scene, person = at_wall(1.3), hk.human(position="seated")
    for condition, legal in (("", "fail"), ("recommended", "not measured")):
        asked = [replace(rule, condition=condition)]
        (use,) = hk.access.code_against_use(scene, person, asked, tries=1).uses
        assert use.legal == legal


@pytest.mark.parametrize("high", [0.006, 0.03, 0.05, 0.051])
def test_a_sill_in_a_doorway_is_floor(high: float) -> None:
    """A threshold of 6 mm made the doorway 0 mm wide, its door a proved no."""
    flat, chair = hk.scene.gallery("flat"), hk.access.chair("manual", width=0.65, length=1.15)
    for k in (2, 3, 4):
        flat = flat.remove(f"door {k}")
    sill = flat.add("sill", Box([0.9, 0.12, high]), [-2.0, 0.65, high / 2], tags="threshold")
    bare = {(f.rule.id, f.place): f.found for f in hk.access.check(flat)}
    found = hk.access.check(sill)
    low = high <= 0.05
    for one in found:
        if one.place == "doorway 1" and one.found is not None and low:
            assert one.found == bare[one.rule.id, one.place]
    (wide,) = [f for f in found if f.rule.section == "404.2.3" and f.place == "doorway 1"][:1]
    assert (wide.found > 0.8) == low
    (tall,) = [f for f in found if f.rule.section == "404.2.5" and f.found is not None]
    assert (abs(tall.found - high) < 1e-9, tall.verdict == "pass") == (True, high < 0.013)
    assert hk.access.doors(sill)["door 1"].threshold == pytest.approx(high if low else 0.0)
    for one in hk.access.open_doors(chair, sill):
        assert one.verdict == ("yes" if low else "no")
        assert ("threshold" in one.found.assumed) == low
    if low:
        one = hk.access.open_doors(chair, sill, climbs=high - 0.001)[0]
        assert (one.verdict, one.why) == ("no", "the threshold is 1 mm too high")
