"""ADA asks in inches: rooms built to the inch, turned and shifted, with a millimeter to either side."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import handik as hk
from handik.scene import Box, Target

INCH, OFF = 0.0254, 1e-3
Scene = hk.Scene
#: x, y, turn about z: where all is built.
PLACE = (3.7, -11.2, 0.83)


class Built:
    """A scene in whose own axes boxes are put, low to high, in inches."""

    def __init__(self) -> None:
        x, y, turn = PLACE
        self.base = hk.transforms.from_rpy([0, 0, turn], [x, y, 0])
        self.scene = Scene()

    def box(self, name: str, low: tuple, high: tuple, tags: tuple = ()) -> Built:
        a, b = INCH * np.array(low, float), INCH * np.array(high, float)
        pose = self.base @ hk.transforms.from_rpy([0, 0, 0], (a + b) / 2)
        self.scene = self.scene.add(name, Box(b - a), pose=pose, tags=tags)
        return self

    def at(
        self, name: str, place: tuple, content: object = None, turn: float = 0, tags=()
    ) -> Built:
        pose = self.base @ hk.transforms.from_rpy([0, 0, turn], INCH * np.array(place, float))
        self.scene = self.scene.add(name, content, pose=pose, tags=tags)
        return self


def turning(b: Built, v: float) -> None:
    for name, low, high in (
        ("s", (-9, -9, 0), (v + 9, 0, 80)),
        ("n", (-9, v, 0), (v + 9, v + 9, 80)),
        ("w", (-9, 0, 0), (0, v, 80)),
        ("e", (v, 0, 0), (v + 9, v, 80)),
    ):
        b.box(name, low, high)


def doorway(b: Built, v: float, handle: float = 40) -> None:
    """A leaf 1.75 inches thick that opens to 90 degrees within the jambs."""
    half = (v + 1.75) / 2
    b.box("a", (-3, half, 0), (3, 90, 90), ("wall",)).box(
        "b", (-3, -90, 0), (3, -half, 90), ("wall",)
    )
    b.at("doorway", (0, 0, 0), tags=("doorway",))
    b.at("door", (3, half - 0.875, 0), turn=-np.pi / 2, tags=("door",))
    leaf = INCH * np.array([v, 1.75, 80])
    pose = hk.transforms.from_rpy([0, 0, 0], [leaf[0] / 2, 0, leaf[2] / 2])
    b.scene = b.scene.add("door/leaf", Box(leaf), pose=pose)
    b.scene = b.scene.add(
        "door/pull", pose=hk.transforms.from_rpy([0, 0, 0], [0.7, 0, INCH * handle])
    )
    b.scene = b.scene.add("door/pull/grip", Target("axis", [0, 1, 0]))


def panel(b: Built, height: float) -> None:
    b.box("wall", (0, -120, 0), (4, 120, 100), ("wall",)).at("panel", (0, 0, height))
    b.scene = b.scene.add("panel/press", Target("axis", [1, 0, 0]))


def walled(b: Built) -> None:
    """Walls to either side, so that one comes from the front alone: 30 inches are free."""
    b.box("left", (-90, 15, 0), (0, 40, 80)).box("right", (-90, -40, 0), (0, -15, 80))


def narrow(b: Built, wide: float) -> None:
    panel(b, 40)
    b.box("left", (-90, wide / 2, 0), (0, 40, 80)).box("right", (-90, -40, 0), (0, -wide / 2, 80))


def short(b: Built, long: float) -> None:
    panel(b, 40)
    walled(b)
    b.box("rear", (-long - 9, -15, 0), (-long, 15, 80))


def counter(b: Built, reach: float, height: float) -> None:
    """Free below for knees and toes to the wall, from the front alone."""
    panel(b, height)
    walled(b)
    b.box("counter", (-reach, -15, 28), (0, 15, 29))


def chest(b: Built, deep: float, top: float, height: float) -> None:
    panel(b, height)
    b.box("chest", (-deep, -60, 0), (0, 60, top))


def desk(b: Built, knee: float, deep: float, wide: float, toe: float) -> None:
    """A desk open to x < 0: room above 9 inches to `deep`, below to `toe`, up to `knee`, so wide."""
    b.box("top", (0, -wide / 2, knee), (40, wide / 2, knee + 1), ("table",))
    b.box("legs", (0, wide / 2, 0), (40, wide / 2 + 2, knee))
    b.box("more legs", (0, -wide / 2 - 2, 0), (40, -wide / 2, knee))
    b.box("front", (deep, -wide / 2, 9), (41, wide / 2, knee)).box(
        "plinth", (toe, -wide / 2, 0), (41, wide / 2, 9)
    )


def post(b: Built, far: float) -> None:
    b.box("wall", (0, -90, 0), (4, 90, 100), ("wall",)).box("cabinet", (-far, -10, 40), (0, 10, 50))


def ramp(b: Built, rise: float, wide: float = 48) -> None:
    size = INCH * np.array([400.0, wide, 4])
    pose = b.base @ hk.transforms.from_rpy([0, -np.arcsin(rise / 400), 0], [0, 0, 1])
    b.scene = b.scene.add("ramp", Box(size), pose=pose, tags=("ramp",))


def landing(b: Built, long: float) -> None:
    b.box("landing", (0, 0, 0), (long, 48, 4), ("landing",))


def sill(b: Built, high: float) -> None:
    b.box("sill", (0, 0, 0), (4, 40, high), ("threshold",))


def seat(b: Built, high: float) -> None:
    b.at("toilet", (0, 0, 0), tags=("toilet",))
    b.scene = b.scene.add(
        "toilet/seat", Box(INCH * np.array([18, 15, high])), [0, 0, INCH * high / 2], tags="seat"
    )


#: What is measured, inches, whether more is better, and what is built for so many.
CASES: tuple[tuple[str, float, bool, Callable[[Built, float], None]], ...] = (
    ("turning.circle", 60, True, turning),
    ("door.width", 32, True, doorway),
    ("door.handle", 34, True, lambda b, v: doorway(b, 40, v)),
    ("door.handle", 48, False, lambda b, v: doorway(b, 40, v)),
    ("forward.high", 48, False, lambda b, v: (panel(b, v), walled(b))[0]),
    ("forward.low", 15, True, lambda b, v: (panel(b, v), walled(b))[0]),
    ("forward.near", 48, False, lambda b, v: counter(b, 20, v)),
    ("forward.far", 44, False, lambda b, v: counter(b, 24, v)),
    ("forward.depth", 25, False, lambda b, v: counter(b, v, 40)),
    ("side.obstruction", 34, False, lambda b, v: chest(b, 20, v, 40)),
    ("side.depth", 24, False, lambda b, v: chest(b, v, 30, 40)),
    ("side.far", 46, False, lambda b, v: chest(b, 20, 30, v)),
    ("floor.width", 30, True, narrow),
    ("floor.length", 48, True, short),
    ("knee.low", 11, True, lambda b, v: desk(b, 27, v, 30, 17)),
    ("knee.width", 30, True, lambda b, v: desk(b, 27, 11, v, 17)),
    ("toe.depth", 17, True, lambda b, v: desk(b, 27, 11, 30, v)),
    ("toe.width", 30, True, lambda b, v: desk(b, 27, 11, v, 17)),
    ("protruding", 4, False, post),
    ("ramp.rise", 30, False, ramp),
    ("ramp.width", 36, True, lambda b, v: ramp(b, 10, v)),
    ("landing.length", 60, True, landing),
    ("threshold.height", 0.5, False, sill),
    ("toilet.seat", 17, True, seat),
    ("toilet.seat", 19, False, seat),
)
#: Measures that one approach to a target decides together.
TOGETHER = ("forward", "side", "floor")


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]} {c[1]}")
def test_what_is_built_to_the_inch_passes_and_a_millimeter_less_fails(case) -> None:
    measure, inches, more, build = case
    rules = hk.access.rules("ADA2010")
    rule = next(r for r in rules if r.measure == measure and r.inches == inches)
    kind = measure.split(".")[0]
    asked = [
        r for r in rules if r.measure.split(".")[0] in (TOGETHER if kind in TOGETHER else (kind,))
    ]
    edge = (min if more else max)(rule.value, inches * INCH)
    off = OFF if more else -OFF
    assert rule.limit == pytest.approx(edge)
    for meters, word in (
        (inches * INCH, "pass"),
        (rule.value, "pass"),
        (edge + off, "pass"),
        (edge - off, "fail"),
    ):
        built = Built()
        build(built, meters / INCH)
        found = [f for f in hk.access.check(built.scene, asked) if f.rule.id == rule.id]
        assert [f.verdict for f in found] == [word], (meters, found)
        assert found[0].lacking == pytest.approx(OFF if word == "fail" else 0, abs=3e-4)


def test_a_desk_built_to_the_inch_has_room_for_knees_and_toes() -> None:
    built = Built()
    desk(built, 27, 11, 30, 17)
    asked = [r for r in hk.access.rules("ADA2010") if r.measure.split(".")[0] in ("knee", "toe")]
    assert {f.verdict for f in hk.access.check(built.scene, asked)} == {"pass"}
