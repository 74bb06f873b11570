"""Doors: witnesses judged by another library, searches on a lattice, and what must not turn round."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik.spec.transforms import from_rpy

UP = np.pi / 2


def ring(low, high):
    (x, y), (u, v) = low, high
    at = [(x, y), (u, y), (u, v), (x, v)]
    return [[at[k - 1], at[k]] for k in range(4)]


def rooms(width, depth=2.5, beside=1.5):
    """Two rooms with an opening between them; leaves open to the one above, of some depth."""
    wall = [[(-beside, 0), (0, 0)], [(width, 0), (width + beside, 0)]]
    return wall + ring((-beside, -2.5), (width + beside, depth))


def door_of(kind, width, **more):
    return hk.access.Door([[0, 0], [width, 0]], kind, **more)


CHAIR = hk.access.chair("manual", width=0.65, length=1.2)


def through(kind="hinged", width=0.95, depth=2.5, chair=CHAIR, up=True, **more):
    door = {k: more.pop(k) for k in ("closer", "latch", "force", "handle_height") if k in more}
    at = (width / 2, -1.6, UP), (width / 2, 1.5, None)
    if not up:
        at = (width / 2, 1.5, -UP), (width / 2, -1.5, None)
    return hk.access.opens(chair, rooms(width, depth), door_of(kind, width, **door), *at, **more)


@pytest.fixture(scope="module")
def man():
    return hk.access.reach_map(hk.human(sex="male", stature=1.75, position="seated"), 1.0, step=0.1)


def outline_at(chair, pose):
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return chair.outline @ np.array([[c, s], [-s, c]]) + pose[:2]


def judge(shapely, found, walls):
    """Least clearance along a witness in small steps; what moves is checked too."""
    lines, least = shapely.MultiLineString([np.asarray(w, float) for w in walls]), np.inf
    for k, (a, b) in enumerate(itertools.pairwise(found.path)):
        leaf, roll = np.abs(b[3:] - a[3:]).max(), np.hypot(*(b - a)[:2])
        turn = abs(b[2] - a[2])
        assert sum(x > 1e-9 for x in (leaf, roll, turn)) <= 1
        assert (found.grasps[k] is None) or leaf > 0
        if roll > 1e-9:
            assert abs(np.cos(a[2]) * (b - a)[1] - np.sin(a[2]) * (b - a)[0]) < 1e-9
        for t in np.linspace(0, 1, int((leaf + roll + turn) / 0.05) + 2):
            now = a + t * (b - a)
            chair = shapely.Polygon(outline_at(found.chair, now))
            least = min(least, chair.distance(lines))
            for one in found.door.corners(now[3:]):
                least = min(least, chair.distance(shapely.Polygon(one)))
    return least


@pytest.mark.parametrize(
    ("kind", "width", "up", "shut"),
    [
        ("hinged", 0.9, True, False),
        ("hinged", 0.95, False, False),
        ("sliding", 0.95, True, True),
        ("double", 1.5, True, False),
    ],
)
def test_a_witness_is_a_drive_clear_all_along_with_a_hand_on_the_leaf(kind, width, up, shut, man):
    shapely = pytest.importorskip("shapely")
    found = through(kind, width, up=up, shut=shut, person=man)
    assert found.verdict == "yes", found.why
    assert judge(shapely, found, rooms(width)) > 0
    assert found.path[0, 3:].max() == 0
    assert found.path[:, 3:].max() > 0.5
    assert not shut or found.path[-1, 3:].max() == 0
    hips = found.chair.outline[:, 0].max() - man.toes
    own = {"right": [], "left": []}
    for k, (a, b) in enumerate(itertools.pairwise(found.path)):
        if np.abs(b[3:] - a[3:]).max() == 0:
            continue
        grasp = found.grasps[k]
        c, s = np.cos(a[2]), np.sin(a[2])
        for at, opened in ((grasp.start, a[3:]), (grasp.end, b[3:])):
            own[grasp.hand].append([[c, s], [-s, c]] @ (np.array(at) - a[:2]) - [hips, 0])
            leaves = [shapely.Polygon(one) for one in found.door.corners(opened)]
            assert min(leaf.distance(shapely.Point(at)) for leaf in leaves) < 0.06
            if kind == "hinged":  # nobody moves a leaf at its hinge
                assert np.hypot(*(np.array(at) - found.door.ends[0])) > 0.3 * width - 1e-9
    for hand, where in own.items():
        at = np.column_stack([np.reshape(where, (-1, 2)), np.ones(len(where))])
        said = hk.access.reach(man.person, None, at, hand=hand, within=np.inf)
        assert (said.verdict == "yes").all()
    thick = hk.access.Chair("manual", 0.95, 1.3, 0.36, 0.95, 1.3)
    object.__setattr__(found, "chair", thick)
    assert judge(shapely, found, rooms(width)) == 0  # the judge can say no


@pytest.mark.parametrize("kind", ["hinged", "sliding"])
def test_a_wide_door_is_a_yes_and_one_narrower_than_the_chair_a_no(kind):
    for more, said in ((0.3, "yes"), (-0.01, "no")):
        assert through(kind, 0.65 + more).verdict == said


def closet(depth):
    """A closet whose door opens into it: to get out the leaf has to pass the chair."""
    return [[(-0.3, 0), (0, 0)], [(0.9, 0), (1.2, 0)]] + ring((-0.3, -2.0), (1.2, depth))


def lattice(shapely, chair, walls, door, start, goal, step=0.1, turns=24, pieces=6):
    """Whether a search on a lattice of poses and openings gets there: nominal outlines only."""
    xs, ys = np.arange(-0.25, 1.2, step), np.arange(-1.95, 1.5, step)
    heading = np.arange(turns) * 2 * np.pi / turns
    opened = np.linspace(0, door.opening, pieces + 1)
    shape = (len(xs), len(ys), turns)
    at = np.stack(np.meshgrid(xs, ys, heading, indexing="ij"), -1).reshape(-1, 3)
    c, s = np.cos(at[:, 2]), np.sin(at[:, 2])
    turn = np.stack([np.stack([c, s], -1), np.stack([-s, c], -1)], -2)
    poses = shapely.polygons(np.einsum("kj,njl->nkl", chair.outline, turn) + at[:, None, :2])
    lines = shapely.MultiLineString([np.asarray(w, float) for w in walls])
    shapely.prepare(lines)
    clear = ~shapely.intersects(lines, poses)
    free = np.array(
        [
            (clear & ~shapely.intersects(shapely.Polygon(door.corners([o])[0]), poses)).reshape(
                shape
            )
            for o in opened
        ]
    )

    def index(pose):
        return (
            int(np.argmin(abs(xs - pose[0]))),
            int(np.argmin(abs(ys - pose[1]))),
            round(pose[2] / (2 * np.pi / turns)) % turns,
        )

    seen, edge = np.zeros_like(free), [(0, *index(start))]
    assert free[edge[0]]
    seen[edge[0]] = True
    while edge:
        now = edge.pop()
        if now[1:3] == index((*goal[:2], 0.0))[:2]:
            return True
        for axis, by in itertools.product(range(4), (-1, 1)):
            to = list(now)
            to[axis] += by
            to[3] %= turns
            if any(not 0 <= t < n for t, n in zip(to, free.shape, strict=True)):
                continue
            if free[tuple(to)] and not seen[tuple(to)]:
                seen[tuple(to)] = True
                edge.append(tuple(to))
    return False


def test_a_no_is_not_contradicted_on_a_lattice_and_a_yes_is_found_there():
    shapely = pytest.importorskip("shapely")
    chair = hk.access.Chair("manual", 0.5, 1.0, 0.3, 0.5, 1.0)
    for depth, said in ((1.0, "no"), (3.0, "yes")):
        swing = "left" if depth < 2 else "right"
        door = hk.access.Door([[0, 0], [0.9, 0]], swing=swing, opening=1.5)
        start, goal = (0.45, 0.2, 0.0), (0.45, -1.2, None)
        start = (0.45, 0.6, np.pi / 2) if said == "yes" else (0.1, 0.65, 0.0)
        found = hk.access.opens(chair, closet(depth), door, start, goal)
        assert found.verdict == said
        assert lattice(shapely, chair, closet(depth), door, start, goal) == (said == "yes")
        if said == "no":
            assert "no room" in found.why


def test_what_decides_a_no_is_named(man):
    assert "30 N" in through(force=40.0, strength=30.0).why
    assert "does not pass" in through(width=0.6).why
    thin = hk.access.ReachMap(
        1.0, 0.1, man.corner, man.reached & False, man.beyond | True, man.shoulder, 0.6, man.person
    )
    found = through(person=thin)
    assert (found.verdict, "no hand" in found.why) == ("no", True)
    high = door_of("hinged", 0.95, threshold=0.03)
    at = (0.47, -1.6, UP), (0.47, 1.5)
    assert "10 mm too high" in hk.access.opens(CHAIR, rooms(0.95), high, *at, climbs=0.02).why


def test_a_leaf_that_takes_more_force_is_moved_farther_from_its_hinge(man):
    door = door_of("hinged", 0.9, force=20.0, handle=0.1)
    for strength, lever in ((40.0, 0.4), (20.0, 0.8)):
        places = door._places([0.5], 0.8 * 20 / strength)
        far = [np.hypot(*(p.at - door.ends[0])) for p in places]
        assert min(far) > lever
        assert min(far) < lever + 0.02
    assert through(force=20.0, strength=20.5).verdict == "yes"
    assert through(force=20.0, strength=19.5).verdict == "no"


@pytest.mark.parametrize(
    ("kind", "handle", "force", "strength"),
    [
        ("hinged", 0.8, None, None),
        ("hinged", 0.8, 5.0, None),
        ("hinged", 0.88, 5.0, 400.0),
        ("double", 0.4, None, None),
        ("double", 0.42, 1.0, 100.0),
    ],
)
def test_a_handle_near_the_hinge_is_a_handle(kind, handle, force, strength):
    """It was a TypeError where no force is known, else a no: "takes 5 N, the hand gives 400 N"."""
    width = 0.95
    door = door_of(kind, width, handle=handle, force=force)
    at = (width / 2, -1.6, UP), (width / 2, 1.5, None)
    assert hk.access.opens(CHAIR, rooms(width), door, *at, strength=strength).verdict == "yes"
    if force is not None and strength is not None:
        weak = hk.access.opens(CHAIR, rooms(width), door, *at, strength=0.99 * force)
        assert (weak.verdict, "hand gives" in weak.why) == ("no", True)


@settings(max_examples=5, deadline=None)
@given(
    st.floats(0.6, 0.95), st.floats(0.0, 0.2), st.floats(1.3, 2.2), st.sampled_from([True, False])
)
def test_a_wider_door_never_makes_a_yes_a_no(width, more, depth, up):
    chair = hk.access.Chair("manual", 0.6, 1.1, 0.35, 0.4, 0.7)
    at = (
        ((width / 2, -1.6, UP), (width / 2, 1.0))
        if up
        else ((width / 2, 0.9, 0), (width / 2, -1.5))
    )
    said = []
    for wide in (width, width + more):
        door = hk.access.Door([[0, 0], [wide, 0]], "sliding")
        walls = [[(-2.5, 0), (0, 0)], [(wide, 0), (2.5, 0)]] + ring((-2.5, -2.5), (2.5, depth))
        said.append(hk.access.opens(chair, walls, door, *at, most=10_000).verdict)
    assert said != ["yes", "no"]


def test_facts_and_assumptions_are_told_apart(man):
    found = through(person=man, force=20.0, most=40)
    assert found.facts["force at the handle"] == "20 N"
    assert found.facts["chair width"] == "0.650"
    assert "chair axle" in found.assumed
    assert "door thickness" in found.assumed
    assert "suffices" in found.assumed["strength"]
    assert found.verdict == "undecided"
    assert "boxes" in found.why
    assert "person" in through(most=40).assumed


def test_a_closer_asks_for_a_hand_or_for_the_chair_in_the_way(man):
    walls = rooms(0.95)
    door = door_of("hinged", 0.95, closer=True)
    at = (0.47, -1.6, UP), (0.47, 1.5)
    found = hk.access.opens(CHAIR, walls, door, *at, person=man, most=12_000)
    assert found.verdict in ("yes", "undecided")
    with pytest.raises(hk.ArgumentError, match="hinged"):
        door_of("sliding", 0.9, closer=True)


def test_doors_of_a_scene_are_where_they_hang():
    flat = hk.scene.gallery("flat")
    found = hk.access.doors(flat)
    for name, door in found.items():
        hinge = np.asarray(flat.world(name))[:2, 3]
        assert door.ends[0] == pytest.approx(hinge, abs=1e-9)
        leaf = hk.access.outlines(flat, (0.0, 2.0))[f"{name}/leaf"][0]
        hung = np.asarray(flat.world(name))[:2, 0]
        along = (door.ends[1] - door.ends[0]) / door.width
        opened = np.arccos(np.clip(along @ hung, -1, 1))
        mine = door.corners([opened])[0]
        assert sorted(mine.round(6).tolist()) == sorted(np.asarray(leaf).round(6).tolist())
        assert door.dimensions["handle_height"][1] == "given"
    out = hk.access.opens(CHAIR, flat, "door 1", (-2.0, 2.2, -UP), (-2.0, 0.0))
    assert out.verdict == "yes"
    with pytest.raises(hk.NotFoundError, match="door 9"):
        hk.access.opens(CHAIR, flat, "door 9", (-2.0, 0.0, 0.0), (-2.0, 2.4))


def test_a_map_of_reach_is_that_of_reach(man):
    rng = np.random.default_rng(0)
    where = rng.integers(0, man.reached.shape[1:], (60, 2))
    at = man.corner + where[:, ::-1] * man.step
    said = hk.access.reach(
        man.person, None, np.column_stack([at, np.ones(len(at))]), hand="right", within=np.inf
    ).verdict
    reached, beyond = (one[0][tuple(where.T)] for one in (man.reached, man.beyond))
    assert (said[reached] == "yes").all()
    assert (said[beyond] != "yes").all()
    assert reached.any()
    assert beyond.any()


def test_doors_are_kept_and_refused():
    door = door_of("double", 1.6, force=10.0, opening=1.4)
    twin = pickle.loads(pickle.dumps(door))
    assert (twin.opening, twin.force, twin.dimensions) == (
        door.opening,
        door.force,
        door.dimensions,
    )
    for words, given_ in (
        ("wide", {"ends": [[0, 0], [0.1, 0]]}),
        ("two points", {"ends": [[0, 0]]}),
        ("thickness", {"ends": [[0, 0], [1, 0]], "thickness": 1.0}),
        ("force", {"ends": [[0, 0], [1, 0]], "force": -1.0}),
    ):
        with pytest.raises(hk.ArgumentError, match=words):
            hk.access.Door(**given_)


def test_a_way_round_the_door_is_no_yes() -> None:
    """The wall ends a meter beside the door: who does not get through gets round."""
    for width, verdict in ((1.1, "yes"), (0.6, "undecided")):
        walls = [*ring((-2, -3), (4, 3)), [(-2, 0), (0, 0)], [(width, 0), (2, 0)]]
        door = hk.access.Door([[0, 0], [width, 0]], swing="left")
        ends = (0.5, -1.6, np.pi / 2), (0.5, 1.6)
        assert hk.access.passes(CHAIR, walls, *ends).verdict == "yes"
        found = hk.access.opens(CHAIR, walls, door, *ends)
        assert found.verdict == verdict
        if verdict == "yes":
            middle = found.path[np.abs(found.path[:, 1]) < 0.6]
            assert (np.abs(middle[:, 0] - width / 2) < width / 2).all()
            assert np.diff(found.path[:, 3]).any(), "the leaf is moved"
        else:
            assert "does not lead through the door" in found.why


def hall(leaves, width=1.0):
    """Two rooms with a wall between them and an opening, its x along y; leaves hang in it."""
    scene, half = hk.Scene(), width / 2
    for name, low, high in (("left", -2.5, -half), ("right", half, 2.5)):
        size = [high - low, 0.1, 2.5]
        scene = scene.add(name, hk.scene.Box(size), [(low + high) / 2, 0, 1.25])
    ring = [[-2.5, -2.5], [2.5, -2.5], [2.5, 2.5], [-2.5, 2.5]]
    for k in range(4):
        a, b = np.array(ring[k - 1]), np.array(ring[k])
        size = np.abs(b - a) + 0.05
        scene = scene.add(f"wall {k}", hk.scene.Box([*size, 2.5]), [*(a + b) / 2, 1.25])
    across = from_rpy([0, 0, np.pi / 2], [0, 0, 0])
    scene = scene.add("doorway", pose=across, tags="doorway")
    for name, (at, turn, long, tags) in leaves.items():
        scene = scene.add(name, pose=from_rpy([0, 0, turn], [*at, 0]), tags=tags)
        scene = scene.add(f"{name}/leaf", hk.scene.Box([long, 0.04, 2.0]), [long / 2, 0, 1.0])
        grip = hk.scene.Target("axis", (0, 1, 0))
        scene = scene.add(f"{name}/grip", grip, [long - 0.08, -0.07, 0.95])
    return scene


@pytest.mark.parametrize("slid", [0.0, 0.4, 0.95])
def test_a_sliding_door_of_a_scene_is_shut_however_far_it_stands_open(slid):
    scene = hall({"door": ((-0.5 - slid, 0.1), 0.0, 1.0, ["door", "sliding"])})
    (door,) = hk.access.doors(scene).values()
    assert door.kind == "sliding"
    assert door.ends == pytest.approx(np.array([[-0.5, 0.1], [0.5, 0.1]]))
    assert door.handle == pytest.approx(0.08)
    assert door.handle_height == pytest.approx(0.95)
    assert door.handle_depth == pytest.approx(0.05)
    said = hk.access.open_doors(CHAIR, scene)
    assert [(one.side, one.verdict) for one in said] == [("front", "yes"), ("back", "yes")]
    assert said[0].start[1] > 0 > said[1].start[1]
    assert np.ptp(said[0].found.path[:, 3]) > 0.5
    wide = hk.access.check(scene, ("ADA2010",))
    (clear,) = [f for f in wide if f.rule.measure == "door.width"]
    assert (clear.found, clear.verdict) == (pytest.approx(1.0, abs=1e-4), "pass")
    for finding in wide:  # leaves that turn have rules of their own
        if finding.rule.measure.startswith(("door.pull", "door.push")):
            assert finding.verdict == "not measured"


def test_two_leaves_of_a_scene_are_a_double_door():
    def leaves(first, swing=1, slide=()):
        turn = swing * 0.3
        return {
            "a": ((-0.75, 0), turn, first, ["door", *slide]),
            "b": ((0.75, 0), np.pi - turn, 1.5 - first, ["door", *slide]),
        }

    for swing, side in ((1, "left"), (-1, "right")):
        ((name, door),) = hk.access.doors(hall(leaves(0.75, swing), 1.5)).items()
        assert (name, door.kind, door.swing) == ("a", "double", side)
        assert door.ends == pytest.approx(np.array([[-0.75, 0], [0.75, 0]]), abs=1e-9)
    scene = hall(leaves(0.75), 1.5)
    said = hk.access.open_doors(CHAIR, scene)
    assert [(one.door, one.side, one.verdict) for one in said] == [
        ("a", "pull", "yes"),
        ("a", "push", "yes"),
    ]
    assert said[0].found.path[:, 4].max() > 0.5, "one leaf of 0.75 m is too narrow"
    # one open, the other shut: what the codes ask of a leaf
    (clear,) = [f for f in hk.access.check(scene, ("ADA2010",)) if f.rule.measure == "door.width"]
    assert 0.7 < clear.found < 0.75


def test_a_second_leaf_that_is_no_half_makes_no_a_no():
    for first, slide in ((0.95, ()), (0.75, ("sliding",))):
        leaves = {
            "a": ((-0.75, 0), 0.0, first, ["door", *slide]),
            "b": ((0.75, 0), np.pi, 1.5 - first, ["door", *slide]),
        }
        scene = hall(leaves, 1.5)
        door = hk.access.doors(scene)["a"]
        assert door.leaves == 1
        assert door.width == pytest.approx(first)
        wide = hk.access.Chair("manual", 1.1, 1.2, 0.36, 1.1, 1.2)
        found = hk.access.opens(wide, scene, "a", (0, 1.2, -UP), (0, -1.2))
        assert found.verdict == "undecided"
        assert "second leaf" in found.why


def test_all_doors_of_a_scene_are_asked_from_both_sides(man):
    flat, told = hk.scene.gallery("flat"), []
    said = hk.access.open_doors(CHAIR, flat, progress=lambda k, n: told.append((k, n)))
    assert [one.door for one in said] == [f"door {k}" for k in (1, 1, 2, 2, 3, 3, 4, 4)]
    assert told == [(k, 4) for k in range(1, 5)]
    for one in said:
        way = np.asarray(flat.world(one.doorway))[:2, 3]
        leaf = np.asarray(flat.world(one.door))[:2, 0]  # it stands ajar: to where it swings
        assert ((one.start[:2] - way) @ leaf > 0) == (one.side == "pull")
        assert one.found.path[0, :3] == pytest.approx(one.start)
        assert one.verdict == "yes"
    wide = hk.access.Chair("manual", 0.95, 1.2, 0.36, 0.95, 1.2)
    assert {one.verdict for one in hk.access.open_doors(wide, flat)} == {"no"}
    long = hk.access.Chair("manual", 3.0, 3.0, 0.36, 3.0, 3.0)
    none = hk.access.open_doors(long, hall({"door": ((-0.5, 0), 0.0, 1.0, "door")}))[0]
    assert (none.verdict, none.found) == ("undecided", None)
    assert "no place for the chair" in none.why
    with pytest.raises(TypeError, match="progress"):
        hk.access.open_doors(CHAIR, flat, progress=3)
