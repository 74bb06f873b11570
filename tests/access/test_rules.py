"""Rules measured on scenes: both sides of each limit, what is not measured, exact widths."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.scene import Box, Capsule, Plane, Target
from handik.scene.access._section import Part
from handik.scene.access._width import Walls, circle, narrowest

#: Meters, or a ratio of 0.001.
OFF = 1e-3


def box(scene, name, low, high, **more):
    low, high = np.array(low, float), np.array(high, float)
    return scene.add(name, Box(high - low), (low + high) / 2, **more)


def tilted(name, size, about, angle, **more):
    c, s = np.cos(angle), np.sin(angle)
    pose = np.eye(4)
    pose[:3, :3] = (
        [[c, 0, s], [0, 1, 0], [-s, 0, c]] if about == "y" else [[1, 0, 0], [0, c, -s], [0, s, c]]
    )
    pose[2, 3] = 1.0
    return hk.Scene().add(name, Box(size), pose, **more)


def at_wall(height, y=0.0):
    """A target on a wall, to be come to along x."""
    scene = box(hk.Scene(), "wall", [0, -3, 0], [0.1, 3, 2.5], tags="wall")
    return scene.add("part", pose=[0, y, height]).add("part/press", Target("axis", [1, 0, 0]))


def no_side(scene):
    for name, y in (("left", 0.45), ("right", -0.95)):
        scene = box(scene, name, [-2, y, 0], [0, y + 0.5, 2.0])
    return scene


def over(height, deep, under=0.70, solid=False, top=0.72):
    scene = at_wall(height)
    return box(scene, "before", [-deep, -2, 0.0 if solid else under], [0, 2, top])


def table(height=0.72, wide=1.0, under=None):
    """A table in a niche, free from the front, which is x = 0."""
    scene = box(
        hk.Scene(), "top", [0, -wide / 2, height], [1, wide / 2, height + 0.03], tags="table"
    )
    scene = box(scene, "back", [1.0, -2, 0], [1.1, 2, 2])
    for name, y in (("left", wide / 2), ("right", -wide / 2 - 0.1)):
        scene = box(scene, name, [0, y, 0], [1, y + 0.1, height])
    return scene


def behind(low, high, at):
    return box(table(), "block", [at, -0.5, low], [1, 0.5, high])


def between(low, high, wide, deep=1.0):
    scene = table(wide=1.4)
    for name, y in (("one", 0.7), ("two", -wide / 2)):
        left = -0.7 if name == "two" else wide / 2
        scene = box(scene, name, [0, left, low], [deep, min(y, 0.7), high])
    return scene


def door(wide=1.0, leaf=0.9, handle=1.0, tags=("door",), side=1):
    """A wall along y with a doorway at the origin; the leaf hangs at the greater y, opens to +x."""
    scene = box(hk.Scene(), "a", [-0.05, wide / 2, 0], [0.05, 4, 2.5], tags="wall")
    scene = box(scene, "b", [-0.05, -4, 0], [0.05, -wide / 2, 2.5], tags="wall")
    scene = scene.add("doorway", tags="doorway")
    pose = np.eye(4)
    pose[:2, :2] = [[0, 1], [-1, 0]]  # shut: the leaf's x along -y
    pose[:2, 3] = 0.05, wide / 2
    scene = scene.add("door", pose=pose, tags=tags)
    scene = scene.add("door/leaf", Box([leaf, 0.04, 2.0]), [leaf / 2, 0, 1.0])
    scene = scene.add("door/handle", pose=[0.82, 0, handle])
    return scene.add("door/handle/grip", Target("axis", [0, 1, 0]))


def room_of(side):
    scene = hk.Scene()
    for name, low, high in (
        ("s", [-1, -0.1, 0], [side + 1, 0, 2]),
        ("n", [-1, side, 0], [side + 1, side + 0.1, 2]),
        ("w", [-0.1, -1, 0], [0, side + 1, 2]),
        ("e", [side, -1, 0], [side + 0.1, side + 1, 2]),
    ):
        scene = box(scene, name, low, high)
    return scene


def gap(wide):
    scene = box(hk.Scene(), "one", [0, wide, 0], [0.1, 5, 2])
    scene = box(scene, "two", [0, -5, 0], [0.1, 0, 2])
    scene = box(scene, "beyond", [5, -5, 0], [5.1, 5, 2])
    return box(box(scene, "far", [0, 5, 0], [5, 5.1, 2]), "near", [0, -5.1, 0], [5, -5, 2])


def on_wall(low, high, deep, tags=()):
    scene = box(hk.Scene(), "wall", [0, -3, 0], [0.1, 3, 2.5], tags="wall")
    return box(scene, "thing", [-deep, -0.2, low], [0, 0.2, high], tags=tags)


def on_post(low, high, deep):
    scene = box(hk.Scene(), "post", [-0.05, -0.05, 0], [0.05, 0.05, 2.2], tags="post")
    return box(scene, "sign", [-0.05, -0.05, low], [0.05 + deep, 0.05, high], tags="post")


def pulled(what, value, word):
    scene = door(tags=("door", "closer"))
    side = 1 if word == "pull" else -1
    if what == "depth":
        x = sorted((side * (0.05 + value), side * (0.15 + value)))
        return box(scene, "far", [x[0], -4, 0], [x[1], 4, 2])
    x = sorted((side * 0.05, side * 3.0))
    return box(scene, "corner", [x[0], -0.6 - value, 0], [x[1], -0.5 - value, 2])


def slope(rule, value):
    long = {"length <=2.00 m": 1.5, "length <=0.50 m": 0.4}.get(rule.condition, 5.0)
    return tilted("way", [long, 1.5, 0.1], "y", -np.arctan(value), tags="path")


SCENES = {
    "control.height": lambda r, v: at_wall(v),
    "control.corner": lambda r, v: box(
        at_wall(1.0), "side", [-2, v, 0], [0, v + 0.1, 2], tags="wall"
    ),
    "forward.low": lambda r, v: at_wall(v),
    "forward.high": lambda r, v: at_wall(v),
    "forward.near": lambda r, v: no_side(over(v, 0.4)),
    "forward.far": lambda r, v: no_side(over(v, 0.6)),
    "forward.depth": lambda r, v: no_side(over(1.0, v)),
    "side.low": lambda r, v: over(v, 0.1, solid=True, top=0.2),
    "side.high": lambda r, v: over(v, 0.1, solid=True),
    "side.near": lambda r, v: over(v, 0.1, solid=True),
    "side.obstruction": lambda r, v: over(1.0, 0.4, solid=True, top=v),
    "side.depth": lambda r, v: over(1.0, v, solid=True),
    "side.far": lambda r, v: over(v, 0.4, solid=True),
    "floor.width": lambda r, v: box(
        box(at_wall(1.0), "l", [-4, v / 2, 0], [0, 2, 2]), "r", [-4, -2, 0], [0, -v / 2, 2]
    ),
    "floor.length": lambda r, v: box(
        no_side(at_wall(1.0)), "rear", [-v - 1, -0.5, 0], [-v, 0.5, 2]
    ),
    "toe.depth": lambda r, v: behind(0, 0.23, v),
    "toe.width": lambda r, v: between(0, 0.23, v),
    "knee.low": lambda r, v: behind(0.23, 0.3, v),
    "knee.high": lambda r, v: behind(0.6, 0.72, v),
    "knee.slope": lambda r, v: behind(0.53, 0.72, 0.2794 - v * 0.301 / 0.15),
    "knee.width": lambda r, v: between(0.23, 0.72, v),
    "counter.height": lambda r, v: table(v - 0.03),
    "counter.knee.height": lambda r, v: table(v),
    "counter.knee.depth": lambda r, v: behind(0, 0.72, v),
    "counter.knee.width": lambda r, v: between(0, 0.72, v),
    "door.width": lambda r, v: door(v + 0.02),
    "door.projection": lambda r, v: box(door(), "box", [-0.05, -0.5, 1.0], [0.05, -0.5 + v, 1.5]),
    "door.nominal": lambda r, v: door(leaf=v),
    **{
        f"door.{word}.{what}": lambda r, v, what=what, word=word: pulled(what, v, word)
        for word in ("pull", "push", "closer")
        for what in ("depth", "latch")
    },
    "door.handle": lambda r, v: door(handle=v),
    "door.handle.corner": lambda r, v: box(
        door(), "corner", [0.05, -0.42 - v, 0], [2, -0.32 - v, 2]
    ),
    "route.width": lambda r, v: gap(v),
    "turning.circle": lambda r, v: room_of(v),
    "path.slope": slope,
    "ramp.slope": lambda r, v: tilted("way", [5.0, 1.5, 0.1], "y", -np.arctan(v), tags="ramp"),
    "path.cross": lambda r, v: tilted("way", [5.0, 1.5, 0.1], "x", np.arctan(v), tags="path"),
    "ramp.cross": lambda r, v: tilted("way", [5.0, 1.5, 0.1], "x", np.arctan(v), tags="ramp"),
    "ramp.width": lambda r, v: tilted("way", [5.0, v, 0.1], "y", -0.05, tags="ramp"),
    "ramp.rise": lambda r, v: tilted("way", [12.0, 1.5, 0.1], "y", -np.arcsin(v / 12), tags="ramp"),
    "landing.length": lambda r, v: box(hk.Scene(), "flat", [0, 0, 0], [v, 2, 0.1], tags="landing"),
    "landing.width": lambda r, v: box(hk.Scene(), "flat", [0, 0, 0], [2, v, 0.1], tags="landing"),
    "threshold.height": lambda r, v: box(
        hk.Scene(), "sill", [0, 0, 0], [0.1, 1, v], tags="threshold"
    ),
    "toilet.seat": lambda r, v: box(
        hk.Scene().add("toilet", tags="toilet"),
        "toilet/seat",
        [0, 0, 0],
        [0.4, 0.4, v],
        tags="seat",
    ),
    "toilet.bar": lambda r, v: (
        hk.Scene()
        .add("toilet", tags="toilet")
        .add("bar", Capsule(0.6, 0.016), [0, 0, v], tags="rail")
    ),
    "protruding": lambda r, v: on_wall(1.0, 1.2, v),
    "protruding.rail": lambda r, v: on_wall(0.9, 0.95, v, tags="rail"),
    "protruding.post": lambda r, v: on_post(1.0, 1.2, v),
    "headroom": lambda r, v: on_wall(v, 2.4, 0.5),
}
#: Measures that one approach to a target decides together.
GROUPS = {
    "forward": ("forward", "side"),
    "side": ("forward", "side"),
    "floor": ("floor", "forward", "side"),
}
ALWAYS = ("ADA2010-404.2.4.1-066", "ADA2010-405.8-101")  # no less than nothing; yes or no
MEASURED = [rule for rule in hk.access.rules() if rule.measure and rule.id not in ALWAYS]


@pytest.mark.parametrize("rule", MEASURED, ids=lambda rule: rule.id)
def test_a_rule_holds_on_one_side_of_its_limit_and_not_a_millimeter_beyond(rule) -> None:
    group = GROUPS.get(rule.measure.split(".")[0], (rule.measure.split(".")[0],))
    kept = [r for r in hk.access.rules(rule.code) if r.measure.split(".")[0] in group]
    missed = "recommended, not met" if rule.advised else "fail"
    for off, word in ((OFF, "pass"), (-OFF, missed)):
        value = rule.limit + off * (1 if rule.op == ">=" else -1)
        scene = SCENES[rule.measure](rule, value)
        routes = {"way": [[-2, 1.0], [2, 1.0]]} if rule.measure == "route.width" else None
        found = [f for f in hk.access.check(scene, kept, routes=routes) if f.rule is rule]
        near = 3e-4 if rule.measure == "turning.circle" else 1e-5  # its middle is searched for
        if rule.measure == "route.width" and word == "fail":  # a short stretch may be narrower
            assert [f.verdict for f in found] == ["not measured"]
            assert found[0].why.startswith(f"{1e3 * value:.0f} mm; ")
            continue
        assert [f.verdict for f in found] == [word], found
        if not (rule.measure == "headroom" and word == "pass"):
            assert found[0].found == pytest.approx(value, abs=near)
        assert found[0].lacking == pytest.approx(0.0 if word == "pass" else OFF, abs=near)


def overhead(scene: hk.Scene) -> dict[str, list[tuple[str, str]]]:
    """Return what the rules on things in the way of heads and hips say, by section."""
    out: dict[str, list[tuple[str, str]]] = {}
    for f in hk.access.check(scene):
        if f.rule.section.startswith("307") and f.found is not None:
            out.setdefault(f.rule.section, []).append((f.place, f.verdict))
    return out


@pytest.mark.parametrize(
    ("low", "deep", "stands_out", "head"),
    [
        (1.9, 0.1006, "pass", ("room", "pass")),  # 307.2 lets it: it takes no headroom
        (1.9, 0.1026, "fail", ("thing", "fail")),  # 4 inches are 101.6 mm
        (2.031, 0.5, None, ("room", "pass")),  # above 2,030 mm neither counts
        (2.029, 0.5, "fail", ("thing", "fail")),
        (0.6848, 0.5, None, ("room", "pass")),  # a cane finds what begins below 27 inches
        (0.6868, 0.5, "fail", ("thing", "fail")),
    ],
)
def test_headroom_counts_where_things_may_not_stand_out(low, deep, stands_out, head) -> None:
    found = overhead(on_wall(low, 2.4, deep))
    assert found["307.4"] == [head]
    wanted = ("room", "pass") if stands_out is None else ("thing", stands_out)
    assert found["307.2"] == [wanted]


def test_what_is_on_a_post_may_stand_out_further() -> None:
    for deep, verdict in ((0.304, "pass"), (0.306, "fail")):
        found = overhead(on_post(1.0, 1.2, deep))
        assert found["307.3"] == [("sign", verdict)]
        assert found["307.2"] == [("room", "pass")]  # that of 100 mm is not asked of it
        assert found["307.4"] == [("room", "pass") if verdict == "pass" else ("sign", "fail")]
    untagged = overhead(on_post(1.0, 1.2, 0.2).untag("sign", "post"))
    assert untagged["307.2"] == [("sign", "fail")]
    assert "307.3" not in untagged


def test_each_thing_overhead_is_told() -> None:
    scene = box(on_wall(1.9, 2.4, 0.5), "beam", [-0.5, 1, 2.0], [0, 2, 2.2])
    found = [f for f in hk.access.check(scene) if f.rule.section == "307.4"]
    assert [(f.place, f.found) for f in found] == [("thing", 1.9), ("beam", 2.0)]


def test_each_measure_is_asked_by_a_rule_and_each_rule_without_one_says_why() -> None:
    assert set(SCENES) | {"ramp.rails"} == {r.measure for r in hk.access.rules() if r.measure}
    for rule in hk.access.rules():
        assert bool(rule.measure) != bool(rule.why)
        assert rule.trust in ("read", "secondary", "memory")
        assert rule.source
        assert rule.op in (">=", "<=", "=")


def test_a_ramp_of_some_height_wants_rails() -> None:
    ramp = tilted("way", [5.0, 1.5, 0.1], "y", -0.05, tags="ramp")
    asked = [r for r in hk.access.rules("ADA2010") if r.measure == "ramp.rails"]
    assert [f.verdict for f in hk.access.check(ramp, asked)] == ["fail"]
    one = ramp.add("way/rail", Capsule(4, 0.02), [0, 0.7, 0.9], tags="rail")
    assert [f.verdict for f in hk.access.check(one, asked)] == ["fail"]  # 505.2: on both sides
    railed = one.add("way/other", Capsule(4, 0.02), [0, -0.7, 0.9], tags="rail")
    assert [f.verdict for f in hk.access.check(railed, asked)] == ["pass"]
    low = tilted("way", [2.0, 1.5, 0.1], "y", -0.05, tags="ramp")
    assert [f.verdict for f in hk.access.check(low, asked)] == ["not measured"]


def test_what_is_not_there_passes_nothing() -> None:
    found = hk.access.check(hk.Scene().add("floor", Plane()), ["ADA2010", "FR-ERP-NEW"])
    counts = found.counts
    assert counts["fail"] == 0
    assert {f.place for f in found if f.verdict == "pass"} <= {"room"}
    assert all(f.why for f in found if f.verdict == "not measured")
    assert sum(counts.values()) == len(found)


def test_the_kitchen_fails_by_what_is_too_high() -> None:
    found = hk.access.check(hk.scene.gallery("kitchen"), ["ADA2010"])
    assert {f.place for f in found.failed} == {
        "cupboard left/knob",
        "cupboard right/knob",
        "switch/press",
    }
    low = hk.access.check(
        hk.scene.gallery("kitchen", counter_height=0.86, shelf_height=1.1), "ADA2010"
    )
    assert not low.failed


def rect(x, y, wide, high, turn=0.0):
    c, s = np.cos(turn), np.sin(turn)
    corner = np.array([[-wide, -high], [wide, -high], [wide, high], [-wide, high]]) / 2
    return Part("p", corner @ np.array([[c, s], [-s, c]]) + [x, y], 0, 1)


@pytest.mark.parametrize("seed", range(8))
def test_the_narrowest_place_is_that_of_a_flood_over_a_grid(seed: int) -> None:
    ndimage = pytest.importorskip("scipy.ndimage")
    rng = np.random.default_rng(seed)
    parts = [
        rect(*rng.uniform(0, 4, 2), *rng.uniform(0.1, 2, 2), rng.uniform(0, 3.1))
        for _ in range(rng.integers(3, 12))
    ]
    if seed % 2:
        parts += [
            rect(2, -0.5, 6, 0.1),
            rect(2, 4.5, 6, 0.1),
            rect(-1, 2, 0.1, 6),
            rect(5, 2, 0.1, 6),
        ]
    walls, step = Walls.made(parts), 0.02
    line = np.arange(-1.5, 5.5, step)
    free = walls.clearance(np.stack(np.meshgrid(line, line), -1).reshape(-1, 2)).reshape(
        2 * [len(line)]
    )
    for start, goal in rng.uniform(0, 4, (6, 2, 2)):
        found = narrowest(parts, start, goal)[0]
        a, b = (tuple(np.round((p[::-1] + 1.5) / step).astype(int)) for p in (start, goal))
        low, high = 0.0, 8.0
        for _ in range(11):
            middle = (low + high) / 2
            label, _ = ndimage.label(free > middle / 2)
            low, high = (middle, high) if 0 < label[a] == label[b] else (low, middle)
        assert min(found, 8.0) == pytest.approx(low, abs=0.06)


def test_a_corridor_is_as_wide_as_it_is_from_inside_it() -> None:
    walls = [rect(0, 0.55, 20, 0.1), rect(0, -0.55, 20, 0.1)]
    assert narrowest(walls, np.array([-3.0, 0]), np.array([2.0, 0]))[0] == pytest.approx(1.0)
    assert narrowest(walls, np.array([-3.0, 0.2]), np.array([2.0, 0]))[0] == pytest.approx(0.6)
    ends = [rect(10.05, 0, 0.1, 1.2), rect(-10.05, 0, 0.1, 1.2), rect(0, 0, 0.1, 1.2)]
    assert narrowest([*walls, *ends], np.array([-3.0, 0]), np.array([2.0, 0]))[0] == 0
    assert narrowest([], np.zeros(2), np.ones(2))[0] == np.inf
    assert circle(walls) is None


def test_a_doorway_wider_than_the_circle_leaves_the_room_open() -> None:
    def room(gap):
        wall = (3 - gap) / 2
        ends = [rect(3, wall / 2, 0.1, wall), rect(3, 3 - wall / 2, 0.1, wall)]
        return [rect(1.5, 0, 3, 0.1), rect(1.5, 3, 3, 0.1), rect(0, 1.5, 0.1, 3), *ends]

    found = circle(room(0.9))
    assert found is not None
    assert found[0] == pytest.approx(2.9, abs=1e-3)
    assert found[1] == pytest.approx([1.5, 1.5], abs=0.1)
    assert circle(room(2.91)) is None


def test_the_circle_of_a_small_room_is_found() -> None:
    """Its middle lies less than half a meter from every wall."""
    walls = [rect(0.18, -0.01, 0.4, 0.02), rect(0.18, 0.37, 0.4, 0.02)]
    found = circle([*walls, rect(-0.01, 0.18, 0.02, 0.4), rect(0.37, 0.18, 0.02, 0.4)])
    assert found is not None
    assert found[0] == pytest.approx(0.36, abs=1e-3)


def test_too_much_in_the_way_is_told_and_the_rest_is_measured() -> None:
    scene = room_of(2.0)
    for k in range(210):
        scene = box(scene, f"peg {k}", [0.01 * k, 1.9, 0], [0.01 * k + 0.005, 1.95, 1])
    found = hk.access.check(scene.add("part", Target("axis"), [1, 1, 1.0]), "ISO21542:2021")
    assert {f.why for f in found.of("turning space")} == {"more than 800 edges stand in the band"}
    assert {f.verdict for f in found.of("controls")} == {"pass"}
    few = room_of(2.0)
    for k, at in enumerate(np.random.default_rng(0).uniform(0, 2, (60, 2))):
        few = few.add(f"peg {k}", Capsule(1.0, 0.01), [*at, 0.5])
    words = {f.verdict for f in hk.access.check(few, "ISO21542:2021").of("turning space")}
    assert words <= {"fail", "not measured"}


def test_a_wrong_call_is_told() -> None:
    scene = hk.scene.gallery("kitchen")
    with pytest.raises(hk.errors.NotFoundError, match="ADA2010"):
        hk.access.check(scene, "ADA1991")
    with pytest.raises(TypeError, match="Rule"):
        hk.access.check(scene, [3])
    with pytest.raises(hk.ArgumentError, match="two places"):
        hk.access.check(scene, routes={"way": [[0, 0]]})
    with pytest.raises(hk.errors.NotFoundError, match="subject"):
        hk.access.check(scene).of("moat")
    with pytest.raises(TypeError, match="scene"):
        hk.access.check("kitchen")
