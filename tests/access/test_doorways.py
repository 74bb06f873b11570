"""Which door hangs in which doorway, and where the wall beside it ends."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk
from handik.scene import Box

CHAIR = hk.access.chair("manual", width=0.65, length=1.15)
CLEAR = "ADA2010-404.2.3-059"


def cubicles(widths, hinges, post=0.06, order=None):
    """Doorways side by side in one wall of a hall, each with its door shut."""
    order = range(len(widths)) if order is None else order
    whole = sum(widths) + post * (len(widths) + 1)
    at, ends, scene = -whole / 2, [], hk.Scene(name="cubicles")
    for k in range(len(widths) + 1):
        scene = scene.add(f"post {k}", Box([0.1, post, 2.5]), [0, at + post / 2, 1.25], tags="wall")
        if k < len(widths):
            ends.append((at + post, at + post + widths[k]))
            at = ends[-1][1]
    far = whole / 2 + 2
    for k in (-1, 1):
        aside, behind = [0, k * (whole / 2 + 1), 1.25], [3 * k, 0, 1.25]
        scene = scene.add(f"aside {k}", Box([0.1, 2, 2.5]), aside, tags="wall")
        scene = scene.add(f"behind {k}", Box([0.1, 2 * far, 2.5]), behind, tags="wall")
        scene = scene.add(f"end {k}", Box([6, 0.1, 2.5]), [0, k * far, 1.25], tags="wall")
    for k in order:
        scene = scene.add(f"doorway {k}", pose=[0, sum(ends[k]) / 2, 0], tags="doorway")
    for k in order:
        (low, high), side = ends[k], hinges[k]
        at = low + 0.005 if side < 0 else high - 0.005
        pose = hk.transforms.from_rpy([0, 0, -side * np.pi / 2], [0, at, 0])
        long = high - low - 0.01
        scene = scene.add(f"door {k}", pose=pose, tags="door")
        scene = scene.add(f"door {k}/leaf", Box([long, 0.04, 2.0]), [long / 2, 0, 1.0])
    return scene


@pytest.mark.parametrize(
    ("widths", "hinges", "post", "order"),
    [
        ((0.9, 0.9), (-1, -1), 0.06, None),
        ((0.9, 0.9), (1, -1), 0.025, (1, 0)),
        ((0.8, 1.0), (-1, -1), 0.06, None),
        ((1.0, 0.8), (1, -1), 0.06, (1, 0)),
        ((0.9, 0.7, 1.1), (1, -1, -1), 0.06, (2, 0, 1)),
    ],
)
def test_doors_side_by_side_hang_in_their_own_doorways(widths, hinges, post, order) -> None:
    """The first took its neighbor's leaf, which was measured as 0 mm and asked no more."""
    scene = cubicles(widths, hinges, post, order)
    found = {f.place: f.found for f in hk.access.check(scene) if f.rule.id == CLEAR}
    assert set(hk.access.doors(scene)) == {f"door {k}" for k in range(len(widths))}
    for k, width in enumerate(widths):
        alone = cubicles((width,), (hinges[k],), post)
        (own,) = [f.found for f in hk.access.check(alone) if f.rule.id == CLEAR]
        assert found[f"doorway {k}"] == pytest.approx(own, abs=1e-9)
    if widths == (0.8, 1.0):  # the others are as these
        for one in hk.access.open_doors(CHAIR, scene):
            assert one.doorway == one.door.replace("door", "doorway")
            assert one.verdict == "yes"


def test_two_leaves_of_one_doorway_stay_together() -> None:
    scene = cubicles((1.6, 0.9), (-1, 1)).remove("door 0/leaf")
    scene = scene.add("door 0/leaf", Box([0.79, 0.04, 2.0]), [0.395, 0, 1.0])
    low = scene.world("door 0")[1, 3]
    pose = hk.transforms.from_rpy([0, 0, -np.pi / 2], [0, low + 1.59, 0])
    scene = scene.add("last", pose=pose, tags="door")
    scene = scene.add("last/leaf", Box([0.79, 0.04, 2.0]), [0.395, 0, 1.0])
    found = hk.access.doors(scene)
    assert {name: door.kind for name, door in found.items()} == {
        "door 0": "double",
        "door 1": "hinged",
    }


def test_a_pair_of_leaves_is_not_the_empty_doorway_s_beside_it() -> None:
    """Its hinge is nearer to the middle of the doorway of 0.99 m than to that of its own."""
    scene = cubicles((0.99, 1.386), (-1, -1), 0.04).remove("door 0").remove("door 1/leaf")
    pose = hk.transforms.from_rpy([0, 0, -np.pi / 2], [0, scene.world("door 1")[1, 3] + 1.376, 0])
    scene = scene.add("last", pose=pose, tags="door")
    for path in ("door 1", "last"):
        scene = scene.add(f"{path}/leaf", Box([0.68, 0.04, 2.0]), [0.34, 0, 1.0])
    assert {path: door.kind for path, door in hk.access.doors(scene).items()} == {
        "door 1": "double"
    }


@pytest.mark.parametrize("open_", [0, 1])
@pytest.mark.parametrize("swing", [-1, 1])
def test_a_shut_leaf_turns_as_the_open_one_beside_it(open_, swing) -> None:
    """One leaf open to where the doorway's x does not point was half of no double door."""
    scene = hk.Scene().add("doorway", tags="doorway")
    for k, side in enumerate((-1, 1)):
        scene = scene.add(f"wall {k}", Box([0.1, 2, 2.5]), [0, side * 1.8, 1.25], tags="wall")
        turn = -side * np.pi / 2 + (side * swing * 1.2 if k == open_ else 0.0)
        pose = hk.transforms.from_rpy([0, 0, turn], [0, side * 0.795, 0])
        scene = scene.add(f"leaf {k}", pose=pose, tags="door")
        scene = scene.add(f"leaf {k}/panel", Box([0.79, 0.04, 2.0]), [0.395, 0, 1.0])
    ((_, door),) = hk.access.doors(scene).items()
    assert door.kind == "double"
    assert door.pull == pytest.approx([swing, 0], abs=1e-9)


@pytest.mark.parametrize(
    ("thick", "tags", "frame", "sees"),
    [
        (0.3, "wall", 0.05, 3.0),
        (0.3, "cupboard", 0.05, 0.0),
        (0.5, "wall", 0.05, 0.0),
        (0.406, "wall", 0.05, 3.0),  # 8 inches from the middle, and a hair more
        (0.407, "wall", 0.05, 0.0),
        (0.3, "wall", 0.149, 3.0),  # a frame as wide as one may be, and a hair more
        (0.3, "wall", 0.151, 0.0),
    ],
)
def test_a_frame_thinner_than_its_wall_is_no_recess(thick, tags, frame, sees) -> None:
    """404.2.4.3: to 8 inches; the space beyond the latch was 0 mm deep, as the wall stood in it."""
    scene = hk.Scene().add("doorway", tags="doorway")
    for k in (-1, 1):
        scene = scene.add(f"jamb {k}", Box([0.1, frame, 2.5]), [0, k * (0.45 + frame / 2), 1.25])
        scene = scene.add(
            f"wall {k}", Box([thick, 2.0, 2.5]), [0, k * (1.45 + frame), 1.25], tags=tags
        )
    pose = hk.transforms.from_rpy([0, 0, np.pi / 2], [0, -0.45, 0])
    scene = scene.add("door", pose=pose, tags="door")
    scene = scene.add("door/leaf", Box([0.9, 0.04, 2.0]), [0.45, 0, 1.0])
    found = [
        f.found
        for f in hk.access.check(scene)
        if f.rule.measure == "door.pull.depth" and f.found is not None
    ]
    assert found == [pytest.approx(sees, abs=1e-4)]


@pytest.mark.parametrize(("long", "side"), [(0.8595, -1), (0.857, 1)])
def test_a_leaf_goes_where_it_fits_three_times_as_much_as_where_it_is_near(long, side) -> None:
    """It hangs between two doorways: of 0.9 m, whose middle is 5 cm farther, and of 0.8 m."""
    scene = hk.Scene().add("a", pose=[0, -0.45, 0], tags="doorway")
    scene = scene.add("b", pose=[0, 0.4, 0], tags="doorway")
    for k, at in enumerate((-1.9, 1.8)):
        scene = scene.add(f"wall {k}", Box([0.1, 2.0, 2.5]), [0, at, 1.25], tags="wall")
    scene = scene.add("door", tags="door")
    scene = scene.add("door/leaf", Box([long, 0.04, 2.0]), [long / 2, 0, 1.0])
    ((_, door),) = hk.access.doors(scene).items()
    assert door.ends[1] == pytest.approx([0, side * long], abs=1e-9)
