"""The document: its tree, its edits, places in the world, what follows what."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik import scene as sc
from handik.scene import nodes
from handik.spec.transforms import from_rpy, inverse

BALL = sc.Sphere(0.1)
ROOM = (
    hk.Scene(name="room")
    .add("table", sc.Box([1, 1, 0.1]), from_rpy([0, 0, np.pi / 2], [1, 2, 0.7]), tags="table")
    .add("table/tray", None, [0.3, 0, 0.05], scale=0.5)
    .add("table/tray/cup", sc.Cylinder(0.2, 0.1), [0.2, 0, 0.1], tags=["handle", "cup"])
    .add("lamp", sc.Light(), [0, 0, 2])
)


def test_a_place_in_the_world_is_the_product_of_those_above() -> None:
    turned = from_rpy([0, 0, np.pi / 2], [1, 2, 0.7])
    by_hand = turned @ np.array([0.3 + 0.5 * 0.2, 0, 0.05 + 0.5 * 0.1, 1])
    np.testing.assert_allclose(ROOM.world("table/tray/cup")[:, 3], by_hand, atol=1e-15)
    assert ROOM.world_scale("table/tray/cup") == 0.5
    cup = ROOM.obstacles()[1]
    assert (cup.name, cup.shape) == ("table/tray/cup", sc.Cylinder(0.1, 0.05))
    np.testing.assert_array_equal(cup.pose, ROOM.world("table/tray/cup"))


def test_an_edit_leaves_the_old_scene_and_shares_the_rest() -> None:
    moved = ROOM.with_pose("lamp", [0, 0, 3])
    assert ROOM.world("lamp")[2, 3] == 2.0
    assert moved.world("lamp")[2, 3] == 3.0
    assert moved["table"] is ROOM["table"]
    deeper = ROOM.tag("table/tray/cup", "full")
    assert deeper["lamp"] is ROOM["lamp"]
    assert deeper["table/tray"] is not ROOM["table/tray"]
    assert deeper["table/tray"].place is not None
    assert "full" not in ROOM["table/tray/cup"].tags
    for name in ("name", "nodes", "new"):
        with pytest.raises(AttributeError, match="never changes"):
            setattr(ROOM, name, 1)
    with pytest.raises(AttributeError, match="never changes"):
        del ROOM.name
    for array in (ROOM.world("lamp"), ROOM["lamp"].place, ROOM.obstacles()[0].pose):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 2.0


def test_equal_scenes_have_one_hash_and_pickle() -> None:
    again = pickle.loads(pickle.dumps(ROOM))
    assert again == ROOM
    assert hash(again) == hash(ROOM)
    assert again is not ROOM
    with pytest.raises(ValueError, match="read-only"):
        again["table"].place[0, 0] = 2.0
    for other in (
        hk.Scene(ROOM.nodes, "flat"),
        hk.Scene(ROOM.nodes[::-1], "room"),
        ROOM.tag("lamp", "a"),
        ROOM.with_pose("lamp", [0, 0, 2.0000001]),
        ROOM.with_scale("lamp", 2),
        ROOM.with_shape("lamp", None),
        ROOM.with_look("lamp", color="#ffffff"),
        ROOM.with_look("lamp", opacity=0.5),
        ROOM.with_look("lamp", solid=False),
        ROOM.attach("lamp", "table"),
        ROOM.rename("lamp", "light"),
        ROOM.add("new"),
        ROOM.remove("lamp"),
    ):
        assert other != ROOM
    assert ROOM != "room"
    assert ROOM["lamp"] != "lamp"


def test_find_by_name_tag_and_kind() -> None:
    assert ROOM.find("t*") == ("table", "table/tray")
    assert ROOM.find("table/*") == ("table/tray", "table/tray/cup")
    assert ROOM.find("*/cup", tag="handle", kind="cylinder") == ("table/tray/cup",)
    assert ROOM.find(kind="group") == ("table/tray",)
    assert ROOM.find(kind="light") == ("lamp",)
    assert ROOM.find("T*") == ()
    assert list(ROOM) == list(ROOM.find())
    assert len(ROOM) == 4
    assert "lamp" in ROOM
    assert "table/lamp" not in ROOM
    with pytest.raises(hk.NotFoundError, match="near names: lamp"):
        ROOM["lmap"]


def test_move_keeps_what_is_asked() -> None:
    by_world = ROOM.move("table/tray/cup", None)
    np.testing.assert_allclose(by_world.world("cup"), ROOM.world("table/tray/cup"), atol=1e-15)
    assert by_world.world_scale("cup") == 0.5
    back = by_world.move("cup", "table/tray")
    np.testing.assert_allclose(
        back.world("table/tray/cup"), ROOM.world("table/tray/cup"), atol=1e-12
    )
    local = ROOM.move("table/tray/cup", None, keep="local")
    np.testing.assert_array_equal(local["cup"].place, ROOM["table/tray/cup"].place)
    assert ROOM.move("lamp", None) is ROOM
    for parent in ("table", "table/tray"):
        with pytest.raises(hk.ArgumentError, match="itself"):
            ROOM.move("table", parent)
    with pytest.raises(hk.ArgumentError, match="already"):
        ROOM.add("cup").move("cup", "table/tray")


def test_a_pose_of_the_world_is_brought_into_the_parent() -> None:
    want = from_rpy([0.1, 0.2, 0.3], [1, 1, 1])
    there = ROOM.with_pose("table/tray/cup", want, world=True)
    np.testing.assert_allclose(there.world("table/tray/cup"), want, atol=1e-14)


def test_an_opacity_is_none_to_whole() -> None:
    for value in (0.0, 1.0):
        assert ROOM.with_look("lamp", opacity=value)["lamp"].opacity == value
    for value in (-1e-9, 1 + 1e-9, 255):
        with pytest.raises(hk.ArgumentError, match="opacity must be 0 to 1, got"):
            ROOM.with_look("lamp", opacity=value)


@pytest.mark.parametrize("corner", [-1, 4])
def test_a_triangle_has_corners_that_are_there(corner: int) -> None:
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    with pytest.raises(hk.ArgumentError, match="numbers of vertices, 0 to 3"):
        hk.scene.Mesh(vertices=points, faces=[[0, 1, 2], [0, 1, corner]])


def test_what_is_attached_follows() -> None:
    held = ROOM.attach("table/tray/cup", "lamp")
    np.testing.assert_allclose(
        held.world("table/tray/cup"), ROOM.world("table/tray/cup"), atol=1e-14
    )
    gone = held.with_pose("lamp", [5, 0, 2])
    step = gone.world("table/tray/cup")[:3, 3] - held.world("table/tray/cup")[:3, 3]
    np.testing.assert_allclose(step, [5, 0, 0], atol=1e-14)
    assert gone.world_scale("table/tray/cup") == 0.5  # sizes are its parents'
    free = gone.detach("table/tray/cup")
    np.testing.assert_allclose(
        free.world("table/tray/cup"), gone.world("table/tray/cup"), atol=1e-14
    )
    assert free.detach("table/tray/cup") is free
    with pytest.raises(hk.ArgumentError, match="is attached to 'lamp': detach it"):
        held.remove("lamp")
    assert "lamp" not in held.remove("table").remove("lamp")
    assert held.rename("lamp", "sun")["table/tray/cup"].attached == nodes.Attachment("sun")
    deeper = held.add("box").move("lamp", "box")
    assert deeper["table/tray/cup"].attached == nodes.Attachment("box/lamp")


def test_nothing_follows_itself() -> None:
    for path, to in (("table", "table"), ("table", "table/tray/cup")):
        with pytest.raises(hk.ArgumentError, match="attached to itself"):
            ROOM.attach(path, to)
    held = ROOM.attach("lamp", "table")
    with pytest.raises(hk.ArgumentError, match="attached to itself"):
        held.attach("table", "lamp")


def test_a_cup_in_a_hand() -> None:
    arm = hk.data("ur5")
    q = np.array([0.1, -1.0, 0.8, 0.2, 0.3, 0.0])
    scene = hk.Scene().add("arm", sc.Actor("data:ur5", q=q), [1, 0, 0]).add("cup", BALL)
    held = scene.attach("cup", "arm", "link_6", pose=[0, 0, 0.05])
    want = arm.fk(q, frame="link_6") @ [0, 0, 0.05, 1] + [1, 0, 0, 0]
    np.testing.assert_allclose(held.world("cup")[:, 3], want, atol=1e-14)
    with pytest.raises(hk.NotFoundError):
        scene.attach("cup", "arm", "no frame")
    with pytest.raises(hk.ArgumentError, match="no figure"):
        scene.attach("arm", "cup", "link_6")
    with pytest.raises(hk.ArgumentError, match="6 coordinates, got 2"):
        hk.Scene().add("arm", sc.Actor("data:ur5", q=[0, 1])).add("a").attach("a", "arm", "link_6")
    assert [o.name for o in held.obstacles()] == ["cup"]  # figures are no obstacles


def test_a_person_in_a_chair_is_the_person_asked_for() -> None:
    actor = sc.Actor(human={"sex": "female", "stature": 1.62})
    anna = hk.human(sex="female", stature=1.62)
    np.testing.assert_array_equal(actor.posture, anna.rest)
    np.testing.assert_array_equal(
        actor.frame_pose("grip_right"), anna.model.fk(anna.rest, frame="grip_right")
    )
    with pytest.raises(hk.ArgumentError, match="human"):
        _ = sc.Actor(human={"legs": 3}).figure


def test_a_person_of_a_scene_sits_in_her_chair() -> None:
    said = {"sex": "female", "stature": 1.62}
    anna = hk.human(sex="female", stature=1.62)
    size = {"chair_percentile": 20, "chair_width": 0.6, "chair_length": 1.1}
    actor = sc.Actor(human={**said, "chair": "rear", **size})
    chair = hk.access.chair("rear", percentile=20, width=0.6, length=1.1)
    inside = hk.access.seat(anna, chair)
    assert actor.chair == chair == actor.person._chair
    np.testing.assert_array_equal(actor.posture, inside.rest)
    np.testing.assert_array_equal(
        actor.frame_pose("eye"), inside.model.fk(inside.rest, frame="eye")
    )
    scene = hk.Scene().add("anna", actor, [1, 0, 0])
    assert pickle.loads(pickle.dumps(scene))["anna"].content.chair == chair
    high, none = (
        sc.Actor(human={**said, "chair": "manual", **more})
        for more in ({"seat_height": 0.7, "joystick": "left"}, {})
    )
    assert high.frame_pose("eye")[2, 3] > none.frame_pose("eye")[2, 3] + 0.1
    assert "joystick" in {name for name, _ in high.person._at_origin._fixed}
    stands = sc.Actor(
        human={"position": "standing", "chair": "walker", "chair_width": 0.7, "chair_length": 0.9}
    )
    assert stands.chair == hk.access.chair("walker", width=0.7, length=0.9)
    assert stands.person.position == "standing"
    assert sc.Actor(human=said).chair is None
    assert sc.Actor("data:ur5").chair is None


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"chair": "throne"}, "kind must be"),
        ({"chair": "walker"}, "no size"),
        ({"chair": "walker", "chair_width": 0.7, "chair_length": 0.9}, "who walks with walker"),
        ({"chair_width": 0.7}, "chair_width is of a chair"),
        ({"joystick": "left"}, "joystick is of a chair"),
        ({"chair": "rear", "position": "standing"}, "seated"),
        ({"chair": "rear", "seat_height": 2.0}, "0.3 to 1 m"),
        (
            {
                "chair": "crutches",
                "position": "standing",
                "chair_width": 0.7,
                "chair_length": 0.9,
                "seat_height": 0.5,
            },
            "seat_height is of who sits",
        ),
    ],
)
def test_a_chair_that_nobody_can_have_is_refused(more, words) -> None:
    with pytest.raises(hk.ArgumentError, match=words):
        _ = sc.Actor(human={"sex": "female", **more}).person


def test_scenes_hang_in_scenes() -> None:
    held = ROOM.attach("lamp", "table")
    both = hk.Scene().add("left", held).add("right", held, [5, 0, 0])
    assert len(both) == 2 * len(ROOM) + 2
    step = both.world("right/lamp") - both.world("left/lamp")
    np.testing.assert_allclose(step[:3, 3], [5, 0, 0], atol=1e-14)
    assert both["right/lamp"].attached == nodes.Attachment("right/table")


def test_depth_and_number_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    node = sc.Node("a")
    for _ in range(nodes.DEEPEST - 1):
        node = sc.Node("a", children=[node])
    assert len(hk.Scene([node])) == nodes.DEEPEST
    with pytest.raises(hk.ArgumentError, match="more than 32"):
        sc.Node("a", children=[node])
    monkeypatch.setattr("handik.scene._tree.MOST_NODES", 3)
    some = [sc.Node(str(k)) for k in range(4)]
    assert len(hk.Scene(some[:3])) == 3
    with pytest.raises(hk.ArgumentError, match="more than 3 nodes"):
        hk.Scene(some)
    with pytest.raises(hk.ArgumentError, match="two children of the name 'a'"):
        hk.Scene([sc.Node("a"), sc.Node("a")])


def test_a_floor_plan_stands_as_its_walls() -> None:
    wall = [[0, 0], [4, 0], [4, 0.1], [0, 0.1]]
    scene = hk.Scene().add("flat", sc.FloorPlan([wall, wall], 2.5), [1, 0, 0], scale=2)
    one, two = scene.obstacles()
    assert (one.name, two.name) == ("flat/wall 1", "flat/wall 2")
    assert one.shape == sc.Prism(wall, 2.5).scaled(2)
    assert one.pose[0, 3] == 1.0


def test_what_is_shown_in_a_notebook() -> None:
    shown = ROOM._repr_html_()
    assert shown.count("<tr") == 1 + len(ROOM)
    assert "table/tray/cup" in shown
    assert "cup, handle" in shown
    assert repr(ROOM) == "Scene('room', 4 nodes: table, lamp)"
    many = hk.Scene([sc.Node(f"n{k}") for k in range(201)])
    assert "1 more nodes" in many._repr_html_()
    assert ", ..." in repr(many)


poses = st.builds(
    lambda angles, place: from_rpy(angles, place),
    st.tuples(*[st.floats(-3, 3)] * 3),
    st.tuples(*[st.floats(-10, 10)] * 3),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(poses, st.floats(0.1, 10)), min_size=1, max_size=6))
def test_a_chain_of_places_is_one_product_of_matrices(chain) -> None:
    scene, path, product = hk.Scene(), "", np.eye(4)
    for pose, scale in chain:
        path = f"{path}/a" if path else "a"
        scene = scene.add(path, pose=pose, scale=scale)
        product = product @ pose @ np.diag([scale, scale, scale, 1])
    size = scene.world_scale(path)
    np.testing.assert_allclose(
        scene.world(path)[:3, :3] * size, product[:3, :3], rtol=1e-9, atol=1e-9 * size
    )
    far = 1 + np.abs(product[:3, 3]).max()
    np.testing.assert_allclose(scene.world(path)[:3, 3], product[:3, 3], atol=1e-10 * far)


@settings(max_examples=50, deadline=None)
@given(poses, poses, poses)
def test_attached_poses_are_relative(one, two, three) -> None:
    scene = hk.Scene().add("hand", pose=one).add("cup", pose=two).attach("cup", "hand")
    np.testing.assert_allclose(scene["cup"].place, inverse(one) @ two, atol=1e-10)
    moved = scene.with_pose("hand", three)
    np.testing.assert_allclose(moved.world("cup"), three @ inverse(one) @ two, atol=1e-10)


# -- shapes ------------------------------------------------------------------------------------

SIDES = st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5)), min_size=3, max_size=9)


def crosses(points: list[tuple[float, float]]) -> bool:
    """Whether two edges of a polygon that are no neighbors meet: by exact fractions."""
    from fractions import Fraction

    exact = [(Fraction(x), Fraction(y)) for x, y in points]
    edges = list(pairwise([*exact, exact[0]]))

    def side(a, b, c) -> int:
        value = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        return (value > 0) - (value < 0)

    def on(a, b, c) -> bool:
        return (
            side(a, b, c) == 0
            and min(a[0], b[0]) <= c[0] <= max(a[0], b[0])
            and min(a[1], b[1]) <= c[1] <= max(a[1], b[1])
        )

    for i, (a, b) in enumerate(edges):
        for j, (c, d) in enumerate(edges[:i]):
            if (i - j) % len(edges) in (1, len(edges) - 1):
                continue
            cut = side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0
            if cut or on(a, b, c) or on(a, b, d) or on(c, d, a) or on(c, d, b):
                return True
    return False


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=4, max_size=8, unique=True)
)
def test_a_polygon_is_taken_where_no_edges_meet(points) -> None:
    corners = [(float(x), float(y)) for x, y in points]
    try:
        found = sc.Prism(corners, 1.0)
    except hk.ArgumentError as error:
        if "crosses" in str(error):
            folded = any(  # one edge that runs back over the last
                (b[0] - a[0]) * (c[1] - b[1]) == (b[1] - a[1]) * (c[0] - b[0])
                and np.dot(np.subtract(b, a), np.subtract(c, b)) < 0
                for a, b, c in zip(
                    corners, corners[1:] + corners[:1], corners[2:] + corners[:2], strict=True
                )
            )
            assert crosses(corners) or folded
        else:
            assert "area" in str(error)
        return
    assert not crosses(corners)
    assert found.area > 0
    assert set(found.polygon) == set(corners)


def test_a_polygon_turns_counterclockwise() -> None:
    square = [[0, 0], [0, 2], [2, 2], [2, 0], [2, 0]]
    assert sc.Prism(square, 1).polygon == ((2, 0), (2, 2), (0, 2), (0, 0))
    assert sc.Prism(square, 1).area == 4.0
    assert sc.Prism(square, 1) == sc.Prism(square[:4], 1)


def test_meshes_keep_their_points() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    mesh = sc.Mesh(vertices=points, faces=[[0, 1, 2]], scale=[1, -1, 2])
    points[0] = 5
    assert mesh.vertices is not None
    assert mesh.vertices[0].tolist() == [0, 0, 0]
    assert mesh.scaled(2).scale == (2.0, -2.0, 4.0)
    again = pickle.loads(pickle.dumps(mesh))
    assert again == mesh
    assert hash(again) == hash(mesh)
    assert mesh != mesh.scaled(2)
    assert mesh != sc.Mesh(vertices=mesh.vertices, faces=[[0, 2, 1]], scale=[1, -1, 2])
    with pytest.raises(ValueError, match="read-only"):
        again.vertices[0] = 1
    with pytest.raises(AttributeError, match="never changes"):
        mesh.path = "a"
    with pytest.raises(AttributeError, match="never changes"):
        del mesh.path
    assert sc.Mesh("a.obj").path == hk.scene.Mesh("./a.obj").path


@pytest.mark.parametrize("edge", [1e6, 0.0])
def test_sizes_reach_their_bounds(edge: float) -> None:
    assert sc.Box([edge, 1, 1]).size[0] == edge
    with pytest.raises(hk.ArgumentError, match=r"size\[0\] must"):
        sc.Box([np.nextafter(edge, -1 if edge == 0 else 2e6), 1, 1])
