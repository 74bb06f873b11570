"""Placing by others, measuring, the hand by steps, via points, several objects at once."""

from __future__ import annotations

import re
import struct
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.app import App
from handik.app._bodies import body_of
from handik.app._describe import Numbers
from handik.app._live import Live
from handik.app._nearest import _of, bounds, nearest
from handik.app._wire import Event
from handik.scene import Box, Capsule, Cylinder, Sphere

rng = np.random.default_rng(18)


def somewhere(room: float = 1.0) -> Any:
    q = rng.normal(size=4)
    return hk.transforms.from_quaternion(q / np.linalg.norm(q), rng.uniform(-room, room, 3))


def test_distances_of_boxes_are_those_of_a_quadratic_program() -> None:
    optimize = pytest.importorskip("scipy.optimize", reason="scipy is not installed")
    met = 0
    for _ in range(40):
        sizes, poses = rng.uniform(0.1, 0.7, (2, 3)), (somewhere(0.8), somewhere(0.8))
        (a,), (b,) = (_of(Box(list(s)), p, 1.0) for s, p in zip(sizes, poses, strict=True))
        distance, x, y = nearest(a, b)

        def away(z: Any, poses: Any = poses) -> float:
            one, other = (p[:3, :3] @ part + p[:3, 3] for p, part in zip(poses, (z[:3], z[3:]), strict=True))  # fmt: skip
            return float(((one - other) ** 2).sum())

        half = np.concatenate(sizes) / 2
        best = optimize.minimize(
            away, np.zeros(6), bounds=list(zip(-half, half, strict=True)),
            options={"ftol": 1e-15, "gtol": 1e-11, "maxiter": 4000},
        )  # fmt: skip
        if best.fun < 1e-8:
            met += 1
            assert distance < 1e-4
            continue
        assert distance == pytest.approx(np.sqrt(best.fun), abs=1e-6)
        assert np.linalg.norm(x - y) == pytest.approx(distance, abs=1e-9)
        for point, size, pose in ((x, sizes[0], poses[0]), (y, sizes[1], poses[1])):
            own = np.linalg.inv(pose) @ [*point, 1]
            assert (np.abs(own[:3]) <= size / 2 + 1e-9).all()
    assert 2 < met < 38


def test_distances_of_round_things_are_their_formulas() -> None:
    for _ in range(60):
        pose, at, radius, scale = somewhere(), rng.uniform(-2, 2, 3), rng.uniform(0.05, 0.3), 1.5
        (ball,) = _of(Sphere(radius), hk.transforms.from_quaternion([1, 0, 0, 0], at), 1.0)
        own = pose[:3, :3].T @ (at - pose[:3, 3])
        long = max(abs(own[2]) - scale * 0.3, 0.0)
        across = float(np.hypot(own[0], own[1]))
        for shape, gap in (
            (Cylinder(0.6, 0.2), np.hypot(long, max(across - scale * 0.2, 0.0))),
            (Capsule(0.6, 0.1), max(np.hypot(long, across) - scale * 0.1, 0.0)),
        ):
            (piece,) = _of(shape, pose, scale)
            assert nearest(piece, ball)[0] == pytest.approx(max(0.0, gap - radius), abs=1e-7)


def furnished() -> App:
    app = App()
    app.do("node.add", kind="box", name="table", size=0.4, at=[1.0, 0.0, 0.2])
    app.do("node.add", kind="sphere", name="ball", size=0.2, at=[0.0, 2.0, 1.0])
    app.do("node.select", nodes=["ball"])
    return app


@pytest.mark.parametrize(
    ("side", "place"),
    [
        ("on top", [0, 2, 0.5]), ("below", [0, 2, -0.1]), ("in front", [1.3, 2, 1]), ("behind", [0.7, 2, 1]),
        ("left", [0, 0.3, 1]), ("right", [0, -0.3, 1]), ("same floor", [0, 2, 0.1]), ("same middle", [1, 0, 1]),
    ],
)  # fmt: skip
def test_an_object_is_aligned_with_another(side: str, place: list[float]) -> None:
    app = furnished()
    app.do("node.align", other="table", side=side)
    np.testing.assert_allclose(app.document.scene.world("ball")[:3, 3], place, atol=1e-9)
    with pytest.raises(hk.ArgumentError, match="with itself"):
        app.do("node.align", other="ball", side=side)


def test_an_object_is_put_against_the_wall_it_faces() -> None:
    scene = hk.Scene().add(
        "room", hk.scene.FloorPlan([[[-3, 2], [3, 2], [3, 2.1], [-3, 2.1]]], 2.5)
    )
    scene = scene.add("north", Box([0.2, 4, 2]), ([-2.5, 0, 1], [1, 0, 0, 0])).tag("north", "wall")
    turned = [np.cos(0.3), 0, 0, np.sin(0.3)]
    scene = scene.add("shelf", Box([0.8, 0.3, 0.4]), ([0.3, 0.5, 1.2], turned))
    app = App(scene)
    app.do("node.select", nodes=["shelf"])
    app.do("node.wall")
    high = bounds(app.document.scene, "shelf")
    assert high[1, 1] == pytest.approx(2.0)
    assert app.document.scene.world("shelf")[0, 3] == pytest.approx(0.3)
    app.do("node.move", nodes=["shelf"], by=[-2.0, -1.4, 0])
    app.do("node.wall", nodes=["shelf"])
    assert bounds(app.document.scene, "shelf")[0, 0] == pytest.approx(-2.4)
    bare = furnished()
    with pytest.raises(hk.ArgumentError, match="no wall faces 'ball'"):
        bare.do("node.wall")


def test_a_distance_is_said_shown_and_dropped_when_something_moves() -> None:
    app = furnished()
    app.do("node.select", nodes=["ball", "table"])
    said = app.do("node.measure")
    found = app.document.measured
    assert found is not None
    corner = np.array([0.8, 0.2, 0.4])
    away = np.linalg.norm(corner - [0, 2, 1]) - 0.1
    assert found.distance == pytest.approx(away)
    np.testing.assert_allclose(found.points[1], corner, atol=1e-9)
    assert f"{1000 * away:.1f} mm" in said
    app.do("view.language", language="fr")
    assert re.search(r"sont à .* mm l'un de l'autre", app.do("node.measure"))
    app.do("node.move", nodes=["ball"], by=[0, 0, 1])
    assert app.document.measured is None
    app.do("node.group", nodes=["ball", "table"])
    app.do("node.select", nodes=["group", "group/ball"])
    with pytest.raises(hk.ArgumentError, match="hangs on"):
        app.do("node.measure")


@pytest.mark.parametrize("frame", ["world", "hand"])
def test_a_hand_is_moved_and_turned_by_steps(frame: str) -> None:
    app = App()
    app.do("person.add", sex="male")
    app.do("node.transform", node="person", pose=[1, 2, 0, 0.6, 0, 0, 0.8])
    app.do("joint.set", dof="elbow_flexion_right", value=1.2)

    def hand() -> Any:
        actor = app.document.actor()[1]
        own = np.asarray(actor.figure.fk(actor.posture, frame="grip_right"))
        return app.document.scene.world("person") @ own

    before = hand()
    app.do("hand.jog", axis="y", by=0.05, frame=frame)
    way = before[:3, 1] if frame == "hand" else np.array([0, 1, 0])
    np.testing.assert_allclose(hand()[:3, 3], before[:3, 3] + 0.05 * way, atol=2e-3)
    np.testing.assert_allclose(hand()[:3, :3], before[:3, :3], atol=2e-2)
    middle = hand()
    app.do("hand.jog", axis="turn z", by=0.2, frame=frame)
    turn = hk.transforms.from_quaternion([np.cos(0.1), 0, 0, np.sin(0.1)])[:3, :3]
    wanted = middle[:3, :3] @ turn if frame == "hand" else turn @ middle[:3, :3]
    np.testing.assert_allclose(hand()[:3, :3], wanted, atol=2e-2)
    np.testing.assert_allclose(hand()[:3, 3], middle[:3, 3], atol=2e-3)
    assert [one.action for one in app.history.before][-1] == "hand.jog"
    app.do("edit.undo")  # steps in a row are one entry
    np.testing.assert_array_equal(hand(), before)


@pytest.mark.parametrize("side", ["right", "left"])
def test_the_elbow_turns_about_the_arm_while_the_hand_is_held(side: str) -> None:
    app = App()
    app.do("person.add", sex="female", stature=1.62)
    app.do("solve.hand", hand=side)
    sign = -1 if side == "right" else 1
    app.do("target.set", at=[0.4, sign * 0.25, 1.0])
    app.do("node.transform", node="person", pose=[1, 2, 0, 0.6, 0, 0, 0.8])
    model = app.document.actor()[1].figure

    def place(part: str) -> np.ndarray:
        return np.asarray(model.fk(app.document.actor()[1].posture, frame=f"{part}_{side}"))

    trunk = [model.joint_q_slices[j] for j in ("trunk_flexion", "trunk_bend", "trunk_turn")]
    start = app.document.actor()[1].posture
    before = {part: place(part) for part in ("shoulder", "elbow", "wrist", "grip")}
    axis = before["wrist"][:3, 3] - before["shoulder"][:3, 3]
    axis /= np.linalg.norm(axis)

    def swivel() -> float:
        """Of the elbow about the line from shoulder to wrist, from where it was; radians."""
        ways = [
            row["elbow"][:3, 3] - row["shoulder"][:3, 3]
            for row in (before, {part: place(part) for part in before})
        ]
        first, now = (way - axis * (way @ axis) for way in ways)
        return float(np.arctan2(np.cross(first, now) @ axis, first @ now))

    said = app.do("arm.swivel", by=0.2)
    assert said == "Elbow turned by 11°"
    np.testing.assert_allclose(place("grip"), before["grip"], atol=1e-4)
    assert swivel() == pytest.approx(sign * 0.2, abs=0.02)
    assert (place("elbow") - before["elbow"])[2, 3] > 0.01  # outward: from beside the body up
    posture = app.document.actor()[1].posture
    assert all(np.array_equal(posture[at], start[at]) for at in trunk)
    app.do("arm.swivel_in", by=0.2)
    np.testing.assert_allclose(place("elbow"), before["elbow"], atol=1e-3)
    app.do("edit.undo")
    app.do("edit.undo")
    np.testing.assert_array_equal(app.document.actor()[1].posture, start)
    with pytest.raises(hk.ArgumentError, match="turn no further"):
        app.do("arm.swivel", by=2.5)
    np.testing.assert_array_equal(app.document.actor()[1].posture, start)
    app.do("joint.set", dof=f"elbow_flexion_{side}", value=0.0)
    with pytest.raises(hk.ArgumentError, match="the arm is straight"):
        app.do("arm.swivel")
    app.do("figure.add")
    with pytest.raises(hk.ArgumentError, match="cannot be done now"):
        app.do("arm.swivel")


def test_a_path_goes_by_the_via_points_and_has_its_curves() -> None:
    app = App()
    app.do("node.add", kind="box", name="shelf", size=0.3, at=[0.75, -0.3, 0.95])
    app.do("person.add", sex="female", stature=1.62)
    app.do("node.transform", node="person", pose=[0, 0, 0, 1, 0, 0, 0])
    app.do("solve.live", live=False)
    app.do("target.set", at=[0.45, -0.3, 1.0])
    app.do("target.via", at=[0.3, -0.45, 1.2])
    app.do("plan.path")
    way = app.document.path
    assert way is not None
    assert way.outcome == "found", way.sentence
    hand = np.asarray(app.document.actor()[1].figure.fk(way.q, frame="grip_right"))[:, :3, 3]
    assert np.linalg.norm(hand - [0.3, -0.45, 1.2], axis=1).min() < 0.02
    assert set(way.curves) == {"clearance", "discomfort"}
    assert all(len(curve) == len(way.moments) for curve in way.curves.values())
    assert 0 <= min(way.curves["clearance"]) < max(way.curves["clearance"]) <= 1
    app.do("node.hide", nodes=["X1"])
    app.do("plan.path", obstacles=False)
    way = app.document.path
    hand = np.asarray(app.document.actor()[1].figure.fk(way.q, frame="grip_right"))[:, :3, 3]
    assert np.linalg.norm(hand - [0.3, -0.45, 1.2], axis=1).min() > 0.05
    app.do("node.hide", nodes=["X1"])
    app.do("target.set", at=[0.45, -0.3, 1.0])
    app.do("node.transform", node="X1", pose=[0.3, 3, 1.2, 1, 0, 0, 0])
    with pytest.raises(hk.ArgumentError, match="to 'X1'"):
        app.do("plan.path", obstacles=False)


def test_several_objects_are_moved_turned_and_scaled_about_their_middle() -> None:
    app = furnished()
    numbers = Numbers()
    for path in ("table", "ball"):
        numbers.of(path)
    middle = [0.5, 1.0, 0.6]
    begin = {
        "action": "node.transform",
        "nodes": ["table", "ball"],
        "pivot": [*middle, 1, 0, 0, 0],
    }
    live = Live(app, numbers, begin)
    half = np.sqrt(0.5)
    to = np.array([0.5, 1.0, 1.6, half, 0, 0, half, 2.0])
    frames = live.use(Event(3, 0, 0, 7, 0.0, to))
    assert len(frames) == 2
    assert struct.unpack_from("<I", frames[0], 4) == (7,)
    live.end()
    scene = app.document.scene
    for path, place in (("table", [1.0, 0.0, 0.2]), ("ball", [0.0, 2.0, 1.0])):
        x, y, z = 2 * (np.array(place) - middle)
        np.testing.assert_allclose(scene.world(path)[:3, 3], [0.5 - y, 1 + x, 1.6 + z], atol=1e-9)
        assert scene[path].scale == 2
    names: dict[str, Any] = {}
    exec(app.script(), names)  # the drag is in the script, an action for each
    for path in ("table", "ball"):
        np.testing.assert_allclose(
            names["app"].document.scene.world(path), scene.world(path), atol=1e-12
        )
    app.do("edit.undo")
    np.testing.assert_allclose(app.document.scene.world("ball")[:3, 3], [0, 2, 1])


def test_a_via_point_is_dragged_and_is_no_target() -> None:
    app = furnished()
    app.do("person.add")
    app.do("target.via")
    hand = app.document.actor()[1]
    own = np.asarray(hand.figure.fk(hand.posture, frame="grip_right"))[:3, 3]
    np.testing.assert_allclose(app.document.scene.world("X1")[:3, 3], own, atol=1e-9)
    numbers = Numbers()
    number = numbers.of("X1")
    live = Live(app, numbers, {"action": "target.move", "node": "X1"})
    live.use(Event(2, 0, number or 0, 1, 0.0, np.array([0.1, 0.2, 0.9])))
    live.end()
    np.testing.assert_allclose(app.document.scene.world("X1")[:3, 3], [0.1, 0.2, 0.9])
    assert app.document.target is None
    np.testing.assert_array_equal(app.document.actor()[1].posture, hand.posture)


def test_a_cup_stays_level_all_along_the_way() -> None:
    app = App()
    app.do("person.add", sex="female", stature=1.62)
    app.do("solve.live", live=False)
    app.do("joint.set", dof="elbow_flexion_right", value=1.4)
    app.do("target.set", at=[0.45, -0.35, 1.0])
    leans = []
    for level in (True, False):
        app.do("plan.path", obstacles=False, level=level)
        way = app.document.path
        assert way.outcome == "found"
        model = app.document.actor()[1].figure
        up = np.asarray(model.fk(way.q, frame="grip_right"))[:, 2, :3]
        leans.append(np.degrees(np.arccos(np.clip(up @ up[0], -1, 1))).max())
        place = np.asarray(model.fk(way.q[-1], frame="grip_right"))[:3, 3]
        np.testing.assert_allclose(place, [0.45, -0.35, 1.0], atol=2e-3)
    assert leans[0] < 3.1 < 20 < leans[1]


def test_the_avatar_is_placed_and_starts_anew_with_its_target() -> None:
    app = App()
    app.do("person.add")
    node, actor = app.document.actor()
    hand = body_of(actor).hand(app.document.settings.hand)
    app.do("avatar.place", at=[1.0, 2.0, 0.0], heading=np.pi / 2)
    place = app.document.scene.world(node)
    np.testing.assert_allclose(place[:3, 3], [1.0, 2.0, 0.0])
    np.testing.assert_allclose(place[:3, 0], [0.0, 1.0, 0.0], atol=1e-15)
    app.do("avatar.place", at=[0.5, 0.0, 0.0])
    moved = app.document.scene.world(node)
    np.testing.assert_allclose(moved[:3, :3], place[:3, :3])
    app.do("target.set", at=[0.9, 0.3, 1.0])
    app.do("joint.set", dof="elbow_flexion_right", value=1.0)
    app.do("avatar.initialise")
    _, actor = app.document.actor()
    np.testing.assert_array_equal(actor.posture, body_of(actor).rest)
    there = moved @ np.asarray(actor.figure.fk(actor.posture, frame=hand))
    np.testing.assert_allclose(app.document.scene.world(app.document.target), there, atol=1e-12)
    app.do("target.want", want="pose")
    app.do("solve.run")  # nothing is left to do, for a whole pose either
    np.testing.assert_allclose(app.document.actor()[1].posture, actor.posture, atol=1e-6)
    app.do("node.lock", nodes=[app.document.target])
    with pytest.raises(hk.HandikError, match="locked"):
        app.do("avatar.initialise")
    app.do("node.lock", nodes=[node])
    with pytest.raises(hk.HandikError, match="locked"):
        app.do("avatar.place", at=[0.0, 0.0, 0.0])


def test_save_as_names_what_it_saves() -> None:
    app = App()
    app.do("node.add", name="a")
    name = app.document.scene.name
    app.do("file.save_as", name="flat")
    assert app.given[-1].name == "flat.json"
    assert not app.history.modified
    other = App()
    other.do("file.open", name="flat.json", text=app.given[-1].data.decode())
    assert (other.document.scene.name, other.document.scene.find()) == ("flat", ("a",))
    app.do("edit.undo")
    assert (app.document.scene.name, app.document.scene.find()) == (name, ("a",))
