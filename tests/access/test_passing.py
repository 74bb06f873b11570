"""`passes`, `turns` and chairs: against closed formulas, and witnesses against another library."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik import _core
from handik.scene.access._rooms_of import inside


def ring(points):
    return [[points[k - 1], points[k]] for k in range(len(points))]


def corner(width, arm=3.0):
    far = arm + width
    return ring([(0, 0), (far, 0), (far, far), (arm, far), (arm, width), (0, width)])


def corner_needed(chair):
    """Width of both corridors: the distance of two tangents, measured through the inner corner."""
    turn = np.linspace(0, np.pi / 2, 20001)
    s, c = np.sin(turn), np.cos(turn)
    return ((chair.width + chair.length * s * c) / (s + c)).max()


def box_chair(rng):
    width, length = rng.uniform(0.5, 0.85), rng.uniform(0.95, 1.45)
    axle = rng.uniform(0.2, 0.8) * length
    return hk.access.Chair("manual", width, length, axle, width, length)


def through_corner(chair, width):
    back = chair.length / 2 - chair.axle  # the axle before the middle
    end = (3 + width / 2, width + 2 - back, np.pi / 2)
    return hk.access.passes(chair, corner(width), (1.2 - back, width / 2, 0), end)


def turn_between(chair, space):
    walls = ring([(0, 0), (5, 0), (5, space), (0, space)])
    back = chair.length / 2 - chair.axle
    return hk.access.turns(chair, walls, (2.5 - back, space / 2, 0)), walls


@pytest.mark.parametrize("seed", range(6))
def test_corners_and_half_turns_are_never_on_the_wrong_side_of_the_formulas(seed):
    chair = box_chair(np.random.default_rng(seed))
    need, diagonal = corner_needed(chair), np.hypot(chair.width, chair.length)
    assert through_corner(chair, need - 0.01).verdict == "no"
    assert through_corner(chair, need + 0.01).verdict == "yes"
    assert turn_between(chair, diagonal + 0.01)[0].verdict == "yes"
    assert turn_between(chair, diagonal - 0.01)[0].verdict == "no"


@pytest.mark.parametrize("seed", range(2))
def test_what_walls_leave_together_is_proved_with_few_boxes(seed):
    """Of a corridor each wall alone leaves room: of 2 mm too little both together tell."""
    chair = box_chair(np.random.default_rng(seed))
    need, diagonal = corner_needed(chair), np.hypot(chair.width, chair.length)
    for found in (through_corner(chair, need - 0.002), turn_between(chair, diagonal - 0.002)[0]):
        assert found.verdict == "no"
        assert found.boxes < 40_000
    wider = diagonal + 2e-4
    walls = ring([(0, 0), (5, 0), (5, wider), (0, wider)])
    at = 2.5 - chair.length / 2 + chair.axle, wider / 2, 0
    assert hk.access.turns(chair, walls, at, most=20_000).verdict != "no"


@pytest.mark.parametrize("seed", range(3))
def test_a_millimeter_decides_and_its_witness_is_clear(seed):
    """Half of it on either side is far less than boxes tell: one motion is threaded through."""
    chair = box_chair(np.random.default_rng(seed))
    need, diagonal = corner_needed(chair), np.hypot(chair.width, chair.length)
    gap = chair.width + 0.001
    doors = [[[2, -3], [2, -gap / 2]], [[2, gap / 2], [2, 3]]]
    plan = ring([(-2, -3), (6, -3), (6, 3), (-2, 3)]) + doors
    slot = hk.access.passes(chair, plan, (0, 0, 0.3), (4, 0))
    found, walls = turn_between(chair, diagonal + 0.001)
    for one, around in (
        (slot, plan),
        (through_corner(chair, need + 0.001), corner(need + 0.001)),
        (found, walls),
    ):
        assert one.verdict == "yes"
        clear = _core._pass_clear(
            chair.outline,
            np.array(around, float).reshape(-1, 4),
            np.empty((0, 9)),
            np.hstack([one.path[:-1], one.path[1:]]),
        )
        assert clear.all()
    assert turn_between(chair, diagonal - 0.001)[0].verdict == "no"
    assert through_corner(chair, need - 0.001).verdict == "no"


def test_a_straight_door_is_decided_to_a_centimeter():
    chair = hk.access.Chair("manual", 0.65, 1.2, 0.4, 0.4, 0.8)
    room = ring([(-2, -2), (6, -2), (6, 2), (-2, 2)])
    for gap, said in ((0.66, "yes"), (0.648, "no")):
        door = [[[2, -2], [2, -gap / 2]], [[2, gap / 2], [2, 2]]]
        assert hk.access.passes(chair, room + door, (0, 0, 0), (4, 0, 0)).verdict == said


def least_clearance(shapely, chair, walls, path):
    """Least distance of the outline to the walls along a motion, by points 2 mm apart or less."""
    lines = shapely.MultiLineString([np.asarray(wall) for wall in walls])
    reach, least = np.hypot(*chair.outline.T).max(), np.inf
    for one, two in itertools.pairwise(path):
        far = np.hypot(*(two - one)[:2]) + reach * abs(two[2] - one[2])
        for t in np.linspace(0, 1, int(far / 0.002) + 2):
            x, y, a = one + t * (two - one)
            turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
            least = min(least, shapely.Polygon(chair.outline @ turn.T + (x, y)).distance(lines))
    return least


@pytest.mark.parametrize("seed", range(2))
def test_a_witness_is_clear_all_along_and_begins_and_ends_where_asked(seed):
    shapely = pytest.importorskip("shapely")
    chair = box_chair(np.random.default_rng(seed))
    space = np.hypot(chair.width, chair.length) + 0.02
    found, walls = turn_between(chair, space)
    assert found
    start = (2.5 - chair.length / 2 + chair.axle, space / 2, 0.0)
    assert found.path[0] == pytest.approx(start, abs=1e-9)
    assert found.path[-1, :2] == pytest.approx(start[:2], abs=1e-9)
    assert np.cos(found.path[-1, 2]) == pytest.approx(-1, abs=1e-12)
    assert least_clearance(shapely, chair, walls, found.path) > 0
    wide = replace(chair, width=chair.width + 0.05, feet=chair.width + 0.05)
    assert least_clearance(shapely, wide, walls, found.path) == 0  # the judge can say no
    need = corner_needed(chair)
    tight = through_corner(chair, need + 0.001)
    assert least_clearance(shapely, chair, corner(need + 0.001), tight.path) > 0


@settings(max_examples=12, deadline=None)
@given(
    st.floats(0.45, 0.8),
    st.floats(0.8, 1.4),
    st.floats(0.0, 0.1),
    st.floats(0.6, 1.2),
    st.floats(0.0, 1.2),
)
def test_a_larger_chair_never_passes_where_a_smaller_is_proved_not_to(
    width, length, more, gap, shift
):
    room = ring([(-1, -1.5), (5, -1.5), (5, 1.5), (-1, 1.5)])
    block = [[2, -1.5], [2.6, -1.5], [2.6, 1.5 - gap - shift], [2, 1.5 - gap - shift]]
    plan = [*room, block, [[2.8, 1.5 - shift], [2.8, 1.5]]]
    small = hk.access.Chair("rear", width, length, 0.4, 0.4, 0.7)
    large = hk.access.Chair("rear", width + more, length + more, 0.4, 0.4, 0.7)
    ends = (0.2, 0, 0), (3.6, 0, None)
    first = hk.access.passes(small, plan, *ends, most=20_000)
    last = hk.access.passes(large, plan, *ends, most=20_000)
    assert (first.verdict, last.verdict) != ("no", "yes")


def test_without_a_heading_any_is_taken():
    chair = hk.access.Chair("mid", 0.65, 1.2, 0.6, 0.65, 1.2)
    slot = ring([(-1, -0.4), (1, -0.4), (1, 0.4), (-1, 0.4)])
    assert hk.access.passes(chair, slot, (0, 0, np.pi / 2), (0, 0)).verdict == "no"
    assert hk.access.passes(chair, slot, (0, 0), (0.2, 0)).verdict == "yes"
    assert hk.access.passes(chair, slot, (0, 0, 0), (0, 0, np.pi)).verdict == "no"
    assert hk.access.turns(chair, slot, (0, 0)).verdict == "no"
    assert hk.access.turns(chair, slot, (0, 0), angle=0.05).verdict == "yes"


def test_plans_scenes_and_outlines_say_the_same_and_the_inside_of_a_wall_is_no_place():
    chair = hk.access.chair("manual", width=0.65, length=1.2)
    flat = [
        [[1.5, -3], [1.6, -3], [1.6, 0], [1.5, 0]],
        [[1.5, 0.9], [1.6, 0.9], [1.6, 3], [1.5, 3]],
    ]
    scene = hk.Scene()
    for name, y in (("left", -1.5), ("right", 2.45 - 0.5)):
        pose = np.eye(4)
        pose[:2, 3] = 1.55, y
        scene = scene.add(name, hk.scene.Box([0.1, 3.0 if y < 0 else 2.1, 2.0]), pose=pose)
    answers = [
        hk.access.passes(chair, plan, (0, 0.45, 0), (3, 0.45, 0))
        for plan in (flat, hk.scene.FloorPlan(flat, 2.0), scene)
    ]
    assert [a.verdict for a in answers] == ["yes"] * 3
    np.testing.assert_array_equal(answers[0].path, answers[1].path)
    big = [[[-9, -9], [9, -9], [9, 9], [-9, 9]]]
    assert hk.access.passes(chair, big, (0, 0, 0), (1, 0, 0)).verdict == "no"


def test_a_scene_counts_in_a_band_of_heights():
    chair = hk.access.chair("manual", width=0.65, length=1.2)
    wall = hk.Scene()
    for name, y in (("left", -2.6), ("right", 2.6)):
        wall = wall.add(name, hk.scene.Box([0.1, 4.0, 2.0]), [1.5, y, 1.0])  # 1.2 m between them
    ends = (0, 0, 0), (3, 0, 0)
    far = [[-1, -4.6], [4, -4.6], [4, 4.6], [-1, 4.6]]
    round_ = [[far[k - 1], far[k]] for k in range(4)]

    def said(scene, **more):
        room = scene
        for k, (a, b) in enumerate(round_):
            room = room.add(
                f"far {k}",
                hk.scene.Box([abs(b[0] - a[0]) + 0.01, abs(b[1] - a[1]) + 0.01, 2.0]),
                [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, 1.0],
            )
        return hk.access.passes(chair, room, *ends, **more).verdict

    assert said(wall) == "yes"
    shelf = wall.add("shelf", hk.scene.Box([0.3, 1.0, 0.1]), [1.5, 0, 1.6])
    assert said(shelf) == "yes"
    assert said(shelf, heights=(0, 1.6)) == "no"
    assert said(wall.add("step", hk.scene.Box([0.3, 1.0, 0.1]), [1.5, 0, 0.05])) == "no"
    assert said(wall.add("carpet", hk.scene.Box([0.3, 1.0, 0.1]), [1.5, 0, -0.05])) == "yes"
    lean = np.eye(4)
    lean[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    lean[:3, 3] = 1.5, 0, 1.0
    assert said(wall.add("bar", hk.scene.Cylinder(1.0, 0.03), lean)) == "no"
    assert said(wall.add("ball", hk.scene.Sphere(0.4), [1.5, 0, 1.8])) == "no"
    assert said(wall.add("ball", hk.scene.Sphere(0.4), [1.5, 0, 1.95])) == "yes"


@pytest.mark.parametrize(
    ("high", "tag", "wide", "verdict"),
    [
        (0.006, "threshold", 1.0, "undecided"),
        (0.05, "threshold", 1.0, "undecided"),
        (0.051, "threshold", 1.0, "no"),
        (0.006, "wall", 1.0, "no"),
        (0.006, "threshold", 0.4, "no"),
    ],
)
def test_a_sill_that_may_be_climbed_is_no_ground_for_a_no(
    high: float, tag: str, wide: float, verdict: str
) -> None:
    """Two rooms with a doorway; a storey has its floor at its own height."""
    chair, box = hk.access.chair(width=0.6, length=1.1), hk.scene.Box
    for floor in (0.0, 2.8):
        scene = hk.Scene().add("house", pose=[0, 0, floor])
        for side in (-1, 1):
            long = 3 - wide / 2
            at = [0, side * (3 - long / 2), 1.25]
            scene = scene.add(f"house/jamb {side}", box([0.1, long, 2.5]), at, tags="wall")
            scene = scene.add(f"house/x {side}", box([0.1, 6.2, 2.5]), [3.05 * side, 0, 1.25])
            scene = scene.add(f"house/y {side}", box([6.0, 0.1, 2.5]), [0, 3.05 * side, 1.25])
        scene = scene.add("house/sill", box([0.1, wide, high]), [0, 0, high / 2], tags=tag)
        heights = (floor, floor + 1.5)
        found = hk.access.passes(chair, scene, [-1.5, 0, 0], [1.5, 0, 0], heights=heights)
        assert found.verdict == verdict, floor
        over = hk.access.passes(
            chair, scene, [-1.5, 0, 0], [1.5, 0, 0], heights=(floor + 0.06, floor + 1.5)
        )
        assert over.verdict == ("yes" if wide > 0.6 else "no")


def test_the_outline_of_a_leaning_box_is_that_of_what_is_in_the_band():
    pose = np.eye(4)
    pose[:3, :3] = [[np.cos(0.5), 0, np.sin(0.5)], [0, 1, 0], [-np.sin(0.5), 0, np.cos(0.5)]]
    box = hk.Scene().add("a", hk.scene.Box([2.0, 1.0, 0.2]), pose)
    shapely = pytest.importorskip("shapely")
    found = shapely.Polygon(hk.access.outlines(box, (0.1, 0.3))["a"][0])
    rng = np.random.default_rng(0)
    points = rng.uniform(-0.5, 0.5, (200_000, 3)) * [2.0, 1.0, 0.2] @ pose[:3, :3].T
    seen = points[(points[:, 2] > 0.1) & (points[:, 2] < 0.3)]
    hull = shapely.MultiPoint(seen[:, :2]).convex_hull
    assert hull.within(found.buffer(1e-9))
    assert hull.area > 0.98 * found.area
    tipped = np.eye(4)
    tipped[:3, :3] = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    half = hk.Scene().add("half space", hk.scene.Plane(), tipped)
    with pytest.raises(hk.ArgumentError, match="no floor"):
        hk.access.outlines(half)


def test_a_level_plane_is_solid_below_to_a_hand_and_a_floor_to_a_chair():
    anna = hk.human(sex="female", stature=1.62)
    plain, upper = hk.Scene(), hk.Scene().add("upper", hk.scene.Plane(), [0, 0, 2.8])
    place = [0.5, -0.25, 1.1]
    assert hk.access.reach(anna, plain, place).verdict == "yes"
    said = hk.access.reach(anna, upper, place)
    assert (said.verdict, set(said.blocked)) == ("no", {"upper"})
    chair = hk.access.chair("manual", width=0.65, length=1.2)
    assert hk.access.outlines(upper) == {}
    assert hk.access.passes(chair, upper, (0, 0, 0), (1, 0, 0)).verdict == "yes"


def test_the_inside_of_outlines_is_that_of_polygons():
    shapely = pytest.importorskip("shapely")
    rng = np.random.default_rng(5)
    for n in (3, 5, 9):
        angle = np.sort(rng.uniform(0, 2 * np.pi, n))
        star = rng.uniform(0.2, 1.5, (n, 1)) * np.c_[np.cos(angle), np.sin(angle)]
        shape = shapely.Polygon(star)
        for point in rng.uniform(-1.5, 1.5, (200, 2)):
            assert inside([np.array([[0.0, 0], [1, 0]]), star], point) == shape.covers(
                shapely.Point(point)
            )


def test_round_things_are_within_a_tenth_of_a_millimeter():
    post = hk.Scene().add("post", hk.scene.Cylinder(2.0, 0.3), [0, 0, 1])
    corner = hk.access.outlines(post)["post"][0]
    assert np.hypot(*corner.T).max() < 0.3001
    middle = (corner + np.roll(corner, -1, 0)) / 2
    assert np.hypot(*middle.T).min() == pytest.approx(0.3, abs=1e-12)


def test_few_boxes_leave_it_undecided():
    chair = hk.access.chair()
    plan = [[[2, -2], [2, -0.5]], [[2, 0.5], [2, 2]]]
    assert hk.access.passes(chair, plan, (0, 0, 0), (4, 0, 0), most=20).verdict == "undecided"
    assert hk.access.passes(chair, plan, (0, 0, 0), (4, 0, 0)).verdict == "yes"


@pytest.mark.parametrize("kind", ["manual", "rear", "mid", "front", "scooter"])
def test_chairs_have_the_measured_sizes(kind):
    sizes = {"manual": (0.786, 1.362), "scooter": (0.837, 1.435)}.get(kind, (0.827, 1.414))
    one = hk.access.chair(kind, percentile=95)
    assert (one.width, one.length) == pytest.approx(sizes, abs=1e-12)
    drawn = [hk.access.chair(kind, seed=k) for k in range(800)]
    assert np.mean([c.width <= sizes[0] for c in drawn]) == pytest.approx(0.95, abs=0.025)
    assert np.mean([c.length <= sizes[1] for c in drawn]) == pytest.approx(0.95, abs=0.025)
    assert one.dimensions["width"][1] == "drawn"
    assert one.dimensions["axle"][1] == "assumed"
    own = hk.access.chair(kind, width=0.6, axle=0.3)
    assert own.dimensions["width"] == (0.6, "given")
    assert own.dimensions["axle"] == (0.3, "given")
    assert pickle.loads(pickle.dumps(own)) == own


def test_people_on_foot_have_the_sizes_that_are_given():
    walls = [[[2, -3], [2, -0.4]], [[2, 0.4], [2, 3]], *ring([(-2, -3), (6, -3), (6, 3), (-2, 3)])]
    for kind in ("walker", "crutches"):
        for more in ({}, {"width": 0.7}, {"width": 0.7, "length": 0.9, "percentile": 50.0}):
            with pytest.raises(hk.ArgumentError, match="give width and length"):
                hk.access.chair(kind, **more)
        for width, said in ((0.78, "yes"), (0.82, "no")):
            walks = hk.access.chair(kind, width=width, length=0.9)
            assert walks.outline.max(0) == pytest.approx(walks.outline[2])  # a rectangle
            assert walks.dimensions["axle"][1] == "assumed"
            assert hk.access.passes(walks, walls, (0, 0, 0), (4, 0, None)).verdict == said
        door = hk.access.Door([[0, 0], [0.9, 0]])
        with pytest.raises(hk.ArgumentError, match="who walks"):
            hk.access.opens(walks, [], door, (0, -1, 0), (0, 1, 0), person=hk.human())


def test_bad_sizes_are_refused():
    for words, given_ in (
        ("width", {"width": 0.1}),
        ("axle", {"axle": 3.0}),
        ("percentile", {"percentile": 100}),
        ("percentile must be 0.01 to 99.99", {"percentile": 0.0099}),
        ("percentile must be 0.01 to 99.99", {"percentile": 99.9901}),
        ("both", {"percentile": 50, "seed": 1}),
    ):
        with pytest.raises(hk.ArgumentError, match=words):
            hk.access.chair(**given_)


@pytest.mark.parametrize("post", [[[1, 0], [1, 0]], [[1, 0]] * 5, [[1, 0], [1, 5e-10], [1, 0]]])
def test_a_post_without_width_stands_in_the_way(post):
    room = ring([(-2, -2), (4, -2), (4, 2), (-2, 2)])
    door = [[[1, -2], [1, -0.45]], [[1, 0.45], [1, 2]]]
    chair = hk.access.chair("manual", width=0.65, length=1.2)
    through = [(-0.9, 0, 0), (2.5, 0, 0)]
    assert hk.access.passes(chair, room + door, *through).verdict == "yes"
    assert hk.access.passes(chair, [*room, *door, post], *through).verdict == "no"


def drive_parts(path):
    """Of each piece of a drive: how far it rolls along its heading, and aside of it, and turns."""
    way, turn = np.diff(path[:, :2], axis=0), np.diff(path[:, 2])
    ahead = np.stack([np.cos(path[:-1, 2]), np.sin(path[:-1, 2])], 1)
    along = np.einsum("ij,ij->i", way, ahead)
    return along, way[:, 0] * ahead[:, 1] - way[:, 1] * ahead[:, 0], turn


ROOM = ring([(-2, -3), (6, -3), (6, 3), (-2, 3)])


def gapped(gap):
    return [*ROOM, [[2, -3], [2, -gap / 2]], [[2, gap / 2], [2, 3]]]


@pytest.mark.parametrize("gap", [0.9, 0.66])
@pytest.mark.parametrize("goal", [(4, 0, 0), (4, -2, 3.0), (4, 0, np.pi)])
def test_a_drive_turns_on_the_spot_or_rolls_and_is_clear(gap, goal):
    shapely = pytest.importorskip("shapely")
    chair = hk.access.Chair("manual", 0.65, 1.2, 0.4, 0.4, 0.8)
    found = hk.access.passes(chair, gapped(gap), (0, 2, 1.5) if goal[1] else (0, 0, 0), goal)
    along, aside, turn = drive_parts(found.drive)
    assert np.abs(aside).max() < 1e-9
    assert (np.abs(along) * np.abs(turn)).max() < 1e-12  # the one or the other
    ends = found.drive[[0, -1]] - found.path[[0, -1]]
    assert np.abs(ends[:, :2]).max() < 1e-9
    assert np.abs(np.sin(ends[:, 2] / 2)).max() < 1e-9
    assert least_clearance(shapely, chair, gapped(gap), found.drive) > 0
    kinds = [np.sign(x) if abs(x) > 1e-9 else "turn" for x in along]
    assert found.manoeuvres == len(list(itertools.groupby(kinds)))


def test_a_drive_is_cut_short_where_a_straight_stretch_will_do():
    from handik.scene.access._drive import fewer, manoeuvres

    chair = hk.access.Chair("manual", 0.65, 1.2, 0.4, 0.4, 0.8)
    assert hk.access.passes(chair, gapped(0.9), (0, 0, 0), (4, 0, 0)).manoeuvres == 1
    assert hk.access.passes(chair, gapped(0.66), (0, 2, 1.5), (4, -2, 3.0)).manoeuvres < 20
    corner, walls = chair.outline, np.empty((0, 4))
    square = np.array([[0, 0, 0], [2, 0, 0], [2, 0, 1.57], [2, 0, 0], [4, 0, 0]])
    assert manoeuvres(square) == 3
    assert manoeuvres(fewer(corner, walls, square)) == 1
    blocked = np.array([[3.0, -1.0, 3.0, 1.0]])
    assert (fewer(corner, blocked, square[:3]) == square[:3]).all()  # nothing shorter: as it is


def test_a_long_drive_is_cut_short_in_a_few_looks_a_row(monkeypatch):
    from handik.scene.access import _drive

    chair = hk.access.chair("manual", width=0.65, length=1.2)
    room = [[0, 0], [1.35, 0], [1.35, 1.2], [0, 1.2]]  # 0.5 m aside, with 75 mm before and behind
    walls = [[room[k - 1], room[k]] for k in range(4)]
    found = hk.access.passes(chair, walls, (0.435, 0.34, 0), (0.435, 0.84, 0))
    long = _drive.drive(chair.outline, found.walls, np.zeros((0, 9)), found.path)
    looks, clear = [], _drive.clear

    def counted(*given):
        looks.append(given)
        return clear(*given)

    monkeypatch.setattr(_drive, "clear", counted)
    assert _drive.manoeuvres(found.drive) < 0.7 * _drive.manoeuvres(long)
    assert len(long) > 200
    assert len(looks) < 45 * len(long)  # all rows against all would be a hundred each, and more
    ahead = [_drive._ahead(left) for left in (1, 2, 100, 10**4)]
    assert ahead[:2] == [[], [2]]
    assert ahead[2] == list(range(100, 1, -1))
    assert ahead[3][0] == 10**4
    assert ahead[3][-1] == 2
    assert len(ahead[3]) < 24


def test_no_drive_without_a_yes_nor_of_a_scooter():
    chair = hk.access.Chair("manual", 0.65, 1.2, 0.4, 0.4, 0.8)
    shut = hk.access.passes(chair, gapped(0.6), (0, 0, 0), (4, 0, 0))
    scooter = hk.access.Chair("scooter", 0.65, 1.2, 0.4, 0.4, 0.8)
    wide = hk.access.passes(scooter, gapped(1.5), (0, 0, 0), (4, 0, 0))
    assert (shut.verdict, wide.verdict) == ("no", "yes")
    for found in (shut, wide):
        assert found.drive.shape == (0, 3)
        assert found.manoeuvres is None
    turned = hk.access.turns(scooter, gapped(1.5), (0, 0, 0))
    assert turned.verdict == "yes"
    assert not turned.on_the_spot


def test_one_turn_about_the_axle():
    """Its radius is that of the farthest corner; a half turn in less room takes more stretches."""
    chair = hk.access.Chair("mid", 0.65, 1.2, 0.45, 0.65, 1.2)
    far = np.hypot(0.75, 0.325)
    for spare, there in ((0.005, True), (-0.005, False)):
        side = far + spare
        corridor = ring([(-2, -side), (2, -side), (2, side), (-2, side)])
        found = hk.access.turns(chair, corridor, (0, 0, 0), angle=np.pi / 2)
        assert found.on_the_spot == there
        assert found.verdict == "yes" or not there
    post = [[[0.5, 0.5], [0.52, 0.5]]]  # one way round is barred, the other is not
    assert hk.access.turns(chair, post, (0, 0, 0), angle=np.pi / 2).on_the_spot
    both = [*post, [[0.5, -0.5], [0.52, -0.5]]]
    assert not hk.access.turns(chair, both, (0, 0, 0), angle=np.pi / 2).on_the_spot
    assert not hk.access.passes(chair, post, (0, 0, 0), (1, 0, 0)).on_the_spot
