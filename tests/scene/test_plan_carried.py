"""What is attached to a figure's frame moves with it: distances, edges and paths, with coal as the oracle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from test_plan_path import dense

import handik as hk
from handik.scene._along import posed, taken_along
from handik.scene._look import seen
from handik.scene.check import as_figure, compiled
from handik.scene.check._carried import carried
from handik.scene.check._cover import MOST, capsules_of_shape

Array = NDArray[np.float64]
S = hk.scene
TURN = [1.0, 0.0, 0.0, 0.0]
ARM = hk.chain([0.5, 0.4, 0.3], lower=-2.6, upper=2.6)
BONES = [
    hk.Capsule(f"link_{k}", (0, 0, 0), (length, 0, 0), 0.03)
    for k, length in ((1, 0.4), (2, 0.35), (3, 0.25))
]
FIGURE = hk.Figure(ARM, BONES, pairs=[(0, 2)])
SHAPES = {
    "box": S.Box([0.1, 0.3, 0.06]),
    "plate": S.Box([0.25, 0.3, 0.0]),
    "cup": S.Cylinder(0.1, 0.04),
    "stick": S.Cylinder(0.4, 0.01),
    "disc": S.Cylinder(0.02, 0.15),
    "ell": S.Prism([[0, 0], [0.2, 0], [0.2, 0.05], [0.05, 0.05], [0.05, 0.2], [0, 0.2]], 0.1),
    "ball": S.Sphere(0.06),
    "rod": S.Capsule(0.2, 0.03),
    "wedge": S.Mesh(
        vertices=np.array([[0, 0, 0], [0.2, 0, 0], [0, 0.1, 0], [0, 0, 0.15]], float),
        faces=np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]),
    ),
}


class Node(hk.scene.Actor):
    """A node whose figure is a chain that no file has."""

    @property
    def figure(self) -> Any:
        return ARM

    @property
    def posture(self) -> Array:
        return np.array([0.4, 0.3, 0.2])


class Placed(hk.scene.Actor):
    """A node whose figure has been placed before."""

    @property
    def figure(self) -> Any:
        return hk.data("ur5").with_base(np.eye(4))


def held(shape: Any, pose: Any = None, **more: Any) -> hk.Scene:
    """Return a scene in which the chain holds a shape."""
    scene = hk.Scene().add("arm", Node("data:ur5")).add("thing", shape, **more)
    at = pose if pose is not None else ([0.15, 0.02, 0.01], TURN)
    return scene.attach("thing", "arm", "link_3", pose=at)


def inside(shape: Any, count: int, rng: np.random.Generator) -> Array:
    """Return points of a solid, many of them on its skin."""
    if isinstance(shape, S.Box):
        return np.clip(rng.uniform(-1.6, 1.6, (count, 3)), -1, 1) * np.asarray(shape.size) / 2
    if isinstance(shape, S.Cylinder):
        turn, out = rng.uniform(0, 2 * np.pi, count), np.minimum(rng.uniform(0, 1.6, count), 1)
        high = np.clip(rng.uniform(-1.6, 1.6, count), -1, 1) * shape.length / 2
        return shape.radius * np.stack([out * np.cos(turn), out * np.sin(turn), 0 * out], 1) + (
            np.stack([0 * out, 0 * out, high], 1)
        )
    if isinstance(shape, S.Prism):
        x = np.clip(rng.uniform(-0.1, 1.1, (count, 3)), 0, 1) * [0.2, 0.2, shape.height]
        return x[(x[:, 0] <= 0.05) | (x[:, 1] <= 0.05)]
    share = np.clip(rng.exponential(size=(count, 4)) - 0.3, 0, None)
    share[share.sum(1) == 0] = 1
    return share / share.sum(1, keepdims=True) @ np.asarray(shape.vertices)


def away(x: Array, piece: Any) -> Array:
    """Return how far points are out of a capsule."""
    a, b, radius = piece
    u = b - a
    t = np.clip((x - a) @ u / max(u @ u, 1e-300), 0, 1)
    return np.linalg.norm(x - a - t[:, None] * u, axis=1) - radius


@pytest.mark.parametrize("name", [n for n in SHAPES if n not in ("ball", "rod")])
def test_capsules_hold_a_shape_and_not_much_more(name: str, rng: np.random.Generator) -> None:
    shape = SHAPES[name]
    pieces = capsules_of_shape(shape)
    assert len(pieces) <= MOST
    x = inside(shape, 20_000, rng)
    assert np.min([away(x, piece) for piece in pieces], axis=0).max() <= 0
    around = rng.normal(size=(300, 3))
    around /= np.linalg.norm(around, axis=1)[:, None]
    skin = np.concatenate(
        [a + rng.uniform(0, 1, (300, 1)) * (b - a) + r * around for a, b, r in pieces]
    )
    out = np.linalg.norm(skin[:, None] - x[None, ::20], axis=2).min(1).max()
    widest = max(radius for _, _, radius in pieces)
    assert widest < 0.032
    assert out < 2 * widest + 0.01  # the points of the solid are some 10 mm apart


@pytest.mark.parametrize("edge", [0.05, 0.3, 0.5, 1.0])
def test_capsules_stand_out_of_a_cube_by_a_tenth_of_its_edge(edge: float, rng: Any) -> None:
    """Chosen by their volume alone they stood out by 0.18 of it at two of the faces."""
    out = 0.0
    for a, b, r in capsules_of_shape(S.Box([edge] * 3)):
        way = rng.normal(size=(4000, 3))
        way *= r / np.linalg.norm(way, axis=1)[:, None]
        skin = a + rng.uniform(0, 1, (4000, 1)).round(1) * (b - a) + way
        off = np.maximum(np.abs(skin) - edge / 2, 0)
        out = max(out, float(np.linalg.norm(off, axis=1).max()))
    assert out < max(0.02, 0.1 * edge)


@pytest.mark.parametrize("name", ["ball", "rod"])
def test_round_shapes_are_measured_exactly(name: str, rng: np.random.Generator) -> None:
    """Against a figure that has the same capsule of its own."""
    shape = SHAPES[name]
    room = hk.Scene().add("post", S.Box([0.1, 0.1, 2.0]), ([0.7, 0.3, 0], TURN))
    scene = held(shape).add("post", S.Box([0.1, 0.1, 2.0]), ([0.7, 0.3, 0], TURN))
    half = getattr(shape, "length", 0.0) / 2
    at = np.array([0.15, 0.02, 0.01])
    own = hk.Capsule("link_3", tuple(at - [0, 0, half]), tuple(at + [0, 0, half]), shape.radius)
    full = hk.Figure(ARM, [*BONES, own], pairs=[(0, 2), (0, 3), (1, 3)])
    q = ARM.sample(500, seed=3)
    kept = carried(scene, FIGURE)[1].pairs
    assert (0, 3) in kept
    if (1, 3) not in kept:  # it touches the link that holds it
        full = hk.Figure(ARM, [*BONES, own], pairs=[(0, 2), (0, 3)])
    np.testing.assert_allclose(scene.distance(FIGURE, q), room.distance(full, q), atol=1e-12)
    np.testing.assert_array_equal(scene.free(FIGURE, q), room.free(full, q))
    proofs = scene.proves(FIGURE, q[:-1], q[1:]).outcome
    np.testing.assert_array_equal(proofs, room.proves(full, q[:-1], q[1:]).outcome)


def coal_distances(shape: Any, poses: Array, post: Any, at: Array) -> Array:
    """Return coal's signed distances of a solid in its exact shape from a box."""
    coal = pytest.importorskip("coal")
    if isinstance(shape, S.Box):
        body = coal.Box(*map(float, shape.size))
    else:
        body = coal.Cylinder(float(shape.radius), float(shape.length))
    request = coal.DistanceRequest()
    request.enable_signed_distance = True
    request.gjk_tolerance = request.epa_tolerance = 1e-15
    request.gjk_max_iterations = request.epa_max_iterations = 1000
    # what coal is asked first in a process decides on the last digits of all that follows: where it is
    # parallel, 5e-11 is lost of what test_distance.py compares to 1e-11, should that come later
    first = coal.Transform3s(
        np.linalg.qr(np.arange(9.0).reshape(3, 3) ** 2 + np.eye(3))[0], at[:3, 3] + 3
    )
    still = coal.Transform3s.Identity()
    coal.distance(
        coal.Capsule(0.07, 0.5),
        first,
        coal.Box(0.4, 0.6, 0.8),
        still,
        request,
        coal.DistanceResult(),
    )
    there, size = coal.Transform3s(at[:3, :3], at[:3, 3]), coal.Box(*map(float, post.size))
    each = [coal.Transform3s(T[:3, :3], T[:3, 3]) for T in poses]
    return np.array(
        [coal.distance(body, T, size, there, request, coal.DistanceResult()) for T in each]
    )


@pytest.mark.parametrize("name", ["box", "plate", "cup", "disc"])
def test_what_is_held_is_no_nearer_by_coal(name: str, rng: np.random.Generator) -> None:
    """Its capsules hold it: distances are a lower bound, by less than they stand out.

    In contact the deepest capsule tells, which is not as deep as the whole.
    """
    turned = rng.normal(size=4)
    pose = ([0.12, 0.05, 0.02], turned / np.linalg.norm(turned))
    post = S.Box([0.1, 0.1, 2.0])
    scene = held(SHAPES[name], pose).add("post", post, ([0.8, 0.2, 0], TURN))
    bare = hk.Figure(ARM, [hk.Capsule("link_3", (0.15, 0, 0), (0.15, 0, 0), 1e-6)], pairs=[])
    q = ARM.sample(400, seed=5)
    poses = np.asarray(ARM.fk(q, frame="link_3")) @ scene["thing"].place
    theirs = coal_distances(SHAPES[name], poses, post, scene.world("post"))
    ours = scene.distance(bare, q)
    apart = theirs > 0
    assert np.all(ours[apart] <= theirs[apart] + 1e-9)
    assert np.all(ours[~apart] < 0)
    near = apart & (theirs < 0.4)
    assert near.sum() > 30
    assert np.all(theirs[near] - ours[near] < 0.03)
    assert not scene.free(bare, q)[theirs < 0].any()


@pytest.mark.parametrize("seed", range(2))
def test_a_path_keeps_what_is_held_clear(seed: int) -> None:
    """An alley that the empty hand passes: with a long box across the hand it goes another way."""
    room = hk.Scene()
    for name, y in (("left", 0.28), ("right", -0.28)):
        room = room.add(name, S.Box([0.5, 0.3, 0.4]), pose=([1.0, y, 0], TURN))
    tray = S.Box([0.06, 0.36, 0.02])
    scene = room.add("arm", Node("data:ur5")).add("tray", tray)
    scene = scene.attach("tray", "arm", "link_3", pose=([0.28, 0, 0], TURN))
    start, goal = np.array([1.1, 0.3, 0.2]), np.array([-1.1, -0.3, -0.2])
    empty = hk.plan.path(room, FIGURE, start, goal, seed=seed)
    full = hk.plan.path(scene, FIGURE, start, goal, seed=seed)
    assert full
    assert full.length > empty.length
    assert scene.free(FIGURE, dense(ARM, full.q, 0.005)).all()
    assert not scene.free(FIGURE, dense(ARM, empty.q, 0.005)).all()
    poses = np.asarray(ARM.fk(dense(ARM, full.q, 0.005), frame="link_3")) @ scene["tray"].place
    for name in ("left", "right"):
        wall: Any = scene[name].content
        assert coal_distances(tray, poses, wall, scene.world(name)).min() > 0
    assert hk.plan.path(room, FIGURE, start, [0.0, 0.0, 0.0], seed=seed)
    into = hk.plan.path(scene, FIGURE, start, [0.0, 0.0, 0.0], seed=seed)
    assert into.outcome == "goal_in_collision"


def test_what_is_held_may_touch_the_figure_itself() -> None:
    """The rod reaches back to the first link where the arm is folded, and is named."""
    scene = held(S.Capsule(0.5, 0.02), ([0.2, 0, 0], [np.sqrt(0.5), 0, np.sqrt(0.5), 0]))
    q = np.array([0.0, 2.0, 2.2])
    near = scene.distance(FIGURE, q, details=True)
    assert near.distance < 0
    assert near.itself
    assert {near.part, near.other} <= {"link_1", "link_2", "link_3", "thing"}
    assert "thing" in {near.part, near.other}
    blocked = hk.plan.path(scene, FIGURE, q, [0, 0, 0])
    assert blocked.outcome == "start_in_collision"
    assert "thing" in str(blocked.blocked_by)


def test_only_what_follows_this_figure_in_this_place_moves_with_it() -> None:
    scene = held(S.Sphere(0.05))
    q = ARM.sample(50, seed=1)
    still = hk.Scene().add("thing", S.Sphere(0.05), scene.world("thing"))
    other = ARM.with_base([[1, 0, 0, 0.2], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    moved = hk.Figure(other, BONES, pairs=[(0, 2)])
    np.testing.assert_array_equal(scene.distance(moved, q), still.distance(moved, q))
    shorter = hk.chain([0.5, 0.4, 0.2], lower=-2.6, upper=2.6)
    small = hk.Figure(shorter, BONES, pairs=[(0, 2)])
    np.testing.assert_array_equal(scene.distance(small, q), still.distance(small, q))
    assert carried(scene, moved) == (scene, moved)
    drawn = scene.with_look("thing", solid=False)  # only drawn
    np.testing.assert_array_equal(drawn.distance(FIGURE, q), hk.Scene().distance(FIGURE, q))
    base = hk.Scene().add("arm", Node("data:ur5")).add("thing", S.Sphere(0.05), [0.3, 0.3, 0])
    base = base.attach("thing", "arm")  # its root: it stands still
    assert [one.name for one in carried(base, FIGURE)[0].obstacles()] == ["thing"]


def test_what_hangs_on_what_is_held_moves_too() -> None:
    scene = held(S.Box([0.2, 0.2, 0.01])).add("thing/cup", S.Sphere(0.02), [0, 0, 0.05])
    scene = scene.add("spoon", S.Capsule(0.1, 0.004)).attach(
        "spoon", "thing/cup", pose=[0, 0, 0.04]
    )
    plan = S.FloorPlan([[[0, 0], [0.1, 0], [0.1, 0.01], [0, 0.01]]], 0.05)
    scene = scene.add("fence", plan).attach("fence", "thing", pose=[0, 0, 0.01])
    around, who = carried(scene, FIGURE)
    assert around.obstacles() == ()
    assert set(who.names) == {*FIGURE.names, "thing", "thing/cup", "spoon", "fence/wall 1"}
    assert carried(scene, FIGURE)[1] is who
    aside = scene.add("shelf", S.Box([0.1, 0.1, 0.1]), [2, 0, 0])
    aside = aside.attach("thing/cup", "shelf")  # which follows something else than its parent
    left = [one.name for one in carried(aside, FIGURE)[0].obstacles()]
    assert left == ["thing/cup", "spoon", "shelf"]
    assert compiled(scene, FIGURE).parts[-1] in who.names


def test_locked_joints_and_clearance_know_what_is_held(rng: np.random.Generator) -> None:
    scene = held(S.Sphere(0.05)).add("post", S.Box([0.1, 0.1, 2.0]), ([0.8, 0.3, 0], TURN))
    problem = hk.Problem(ARM, [hk.Position(), hk.Clearance(scene, FIGURE, distance=0.0)])
    solved = 0
    for target in np.asarray(ARM.fk(ARM.sample(30, seed=2)))[:, :3, 3]:
        found = hk.Solver("auto")(problem, target)
        solved += found.converged
        assert not found.converged or scene.distance(FIGURE, found.q) >= 0
    assert solved > 10
    locked = ARM.locked({"joint_1": 0.4})
    who = hk.Figure(locked, BONES, pairs=[(0, 2)])
    q = locked.sample(100, seed=4)
    assert np.ptp(q[:, 0]) == 0
    np.testing.assert_allclose(scene.distance(who, q), scene.distance(FIGURE, q), atol=1e-12)


def test_a_plane_in_the_hand_is_refused_by_name() -> None:
    scene = held(S.Plane())
    with pytest.raises(
        hk.UnsupportedError, match="'thing', attached to 'link_3': a plane cannot be"
    ):
        scene.free(FIGURE, [0, 0, 0])


def test_a_person_carries_a_cup_by_the_scene_alone() -> None:
    """What a newcomer writes: the figure of the scene, a cup in its hand, a path among obstacles."""
    at = hk.transforms.from_rpy([0, 0, 0.5], [0.3, 0.2, 0])
    room = hk.Scene().add("anna", S.Actor(human={"sex": "female", "stature": 1.62}), at)
    room = room.add("cup", S.Sphere(0.045))
    scene = room.attach("cup", "anna", "grip_right", pose=[0, 0, 0])
    anna: Any = scene.figure("anna")
    assert scene.figure("anna") is anna
    twice = hk.Scene().add("a", Placed("data:ur5"), [1, 0, 0]).figure("a")
    assert isinstance(twice, hk.Model)
    assert "task_" in twice.frame_names
    assert as_figure(anna).model is anna.model
    around, who = carried(scene, as_figure(anna))
    assert around.obstacles() == ()
    assert who.names[-1] == "cup"
    q = anna.model.sample(200, seed=6)
    grip = np.asarray(anna.model.fk(q, frame="grip_right"))[:, :3, 3]
    near = scene.add("post", S.Sphere(0.1), grip[7]).distance(anna, q[7], details=True)
    assert near.distance < -0.1  # as deep as the cup is
    lamp = room.add("arm", S.Sphere(0.1)).with_scale("anna", 2.0)
    with pytest.raises(hk.ArgumentError, match="scaled"):
        lamp.figure("anna")
    with pytest.raises(hk.ArgumentError, match="'cup' is no figure"):
        lamp.figure("cup")


def test_pictures_show_what_is_held_where_the_figure_has_it() -> None:
    cell = hk.Scene().add("arm", S.Actor("data:ur5"), [0, 0, 0.8]).add("pole", S.Box([0.1, 0.1, 1]))
    cell = cell.add("tray", S.Box([0.3, 0.2, 0.02]), scale=2.0, color="#ff0000")
    cell = cell.add("tray/mark", S.Sphere(0.01), [0.1, 0, 0.02], solid=False)
    cell = cell.attach("tray", "arm", "link_6", pose=[0, 0, 0.05])
    arm: Any = cell.figure("arm")
    q = np.array([1.0, -1.2, 1.2, 0, 1.5, 0])
    around, along = taken_along(cell, arm)
    assert [one.path for one in seen(around)] == ["pole"]
    assert around.find(kind="figure") == ()
    there = cell.with_shape("arm", S.Actor("data:ur5", q=q))
    for piece, path in zip(along, ("tray", "tray/mark"), strict=True):
        at = np.asarray(arm.fk(q, frame=piece.link))
        middle = at[:3, :3] @ piece.triangles.vertices.mean(0) + at[:3, 3]
        np.testing.assert_allclose(middle, there.world(path)[:3, 3], atol=1e-9)
    assert along[0].color == (1.0, 0.0, 0.0)
    shown = posed(cell, arm, q)
    assert shown is not None
    np.testing.assert_allclose(shown.world("tray"), there.world("tray"), atol=1e-12)
    other = arm.with_base([[1, 0, 0, 9], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], "else")
    assert taken_along(cell, other) == (cell, [])
    assert posed(cell, other, q) is None


def test_a_moving_figure_in_a_file_takes_along_what_it_holds(tmp_path: Any) -> None:
    cell = hk.Scene().add("arm", S.Actor("data:ur5"), [0, 0, 0.8]).add("pole", S.Box([0.1, 0.1, 1]))
    cell = cell.add("tray", S.Box([0.3, 0.2, 0.02])).attach(
        "tray", "arm", "link_6", pose=[0, 0, 0.05]
    )
    arm: Any = cell.figure("arm")
    way = np.array([[1.0, -1.2, 1.2, 0, 1.5, 0], [0.0, -1.0, 1.0, 0, 1.0, 0]])
    moved = hk.plan.trajectory(arm, way, max_speed=1.0, max_acceleration=4.0)
    path = str(tmp_path / "cell.glb")
    cell.export(path, arm, trajectory=moved)
    back = hk.load_scene(path)
    trays = [one for one in back.obstacles() if "tray" in one.name and "link_6" not in one.name]
    assert trays == []  # it is a part of the link
    points = [
        one.pose[:3, :3] @ np.asarray(one.shape.vertices).T + one.pose[:3, 3:]  # type: ignore[attr-defined]
        for one in back.obstacles()
        if "link_6" in one.name
    ]
    at = np.asarray(arm.fk(way[0])) @ [0, 0, 0.05, 1]
    low, high = np.hstack(points).min(1), np.hstack(points).max(1)
    assert np.all(low < at[:3] + 1e-6)
    assert np.all(high > at[:3] - 1e-6)
    assert np.linalg.norm(high - low) > 0.3  # as large as the tray


def test_how_finely_shapes_are_held() -> None:
    """A slim cylinder is one capsule, a bar of 2 cm across too; a cube is as many as there may be."""
    count = {
        "slim": S.Cylinder(0.4, 0.02),
        "thick": S.Cylinder(0.4, 0.0201),
        "flat": S.Cylinder(0.03, 0.02),
        "bar": S.Box([0.3, 0.014, 0.014]),
        "beam": S.Box([0.3, 0.0145, 0.0145]),
        "cube": S.Box([0.3, 0.3, 0.3]),
    }
    found = {name: len(capsules_of_shape(shape)) for name, shape in count.items()}
    assert found["slim"] == found["bar"] == 1
    assert min(found["thick"], found["flat"], found["beam"]) > 1
    assert found["cube"] == MOST == 16


class Straight(hk.scene.Actor):
    """A node whose figure is a chain of five links, straight."""

    @property
    def figure(self) -> Any:
        return FIVE

    @property
    def posture(self) -> Array:
        return np.zeros(5)


FIVE = hk.chain([0.2] * 5, lower=-2.6, upper=2.6)


def test_two_parts_of_the_body_may_hold_a_thing_and_no_more() -> None:
    bones = [hk.Capsule(f"link_{k}", (0.02, 0, 0), (0.18, 0, 0), 0.02) for k in range(1, 6)]
    figure = hk.Figure(FIVE, bones, pairs=[])
    scene = hk.Scene().add("arm", Straight("data:ur5")).add("rod", S.Capsule(0.9, 0.01))
    along = ([-0.3, 0.015, 0], [np.sqrt(0.5), 0, np.sqrt(0.5), 0])  # beside all five
    scene = scene.attach("rod", "arm", "link_5", pose=along)
    who = carried(scene, figure)[1]
    reasons = {
        who.names[one.pair[0]]: one.reason
        for one in who.left_out
        if who.names[one.pair[1]] == "rod"
    }
    assert reasons == {
        "link_5": "on one body",
        "link_4": "touches what holds it",
        "link_3": "touches what holds it",
    }
    assert {who.names[a] for a, b in who.pairs if who.names[b] == "rod"} == {"link_1", "link_2"}
    assert not scene.free(figure, np.zeros(5))
    away = scene.attach("rod", "arm", "link_5", pose=([-0.3, 0.05, 0], along[1]))
    assert len(carried(away, figure)[1].pairs) == 4  # it touches none of them
    assert away.free(figure, np.zeros(5))
