"""Handisim: the chair's steering, what holds it and its user up, the record, and whether it can be driven at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.app import App
from handik.app._acts_file import as_text
from handik.app._bodies import body_of
from handik.app._describe import Numbers
from handik.app._drive import FAST, ROUND, Ride
from handik.app._ground import outlines_of
from handik.app._live import Live
from handik.app._wire import Event
from handik.scene import Box, Cylinder, FloorPlan, Mesh, Plane


def shown(app: App) -> Any:
    """The chair that the page is told of the active person."""
    return body_of(app.document.actor()[1]).described["chair"]


def driver(scene: hk.Scene | None = None, kind: str = "manual") -> App:
    app = App(scene)
    app.do("person.add", sex="female")
    app.do("node.transform", node="person", pose=[0, 0, 0, 1, 0, 0, 0])
    app.do("person.chair", kind=kind)
    return app


def test_it_turns_about_its_axle_and_drives_along_arcs() -> None:
    ride = Ride(driver().document)
    start = ride.pose.copy()
    for _ in range(10):
        ride.drive(0, 1, 0.1)
    np.testing.assert_allclose(ride.pose, [*start[:2], ROUND], atol=1e-12)
    ride = Ride(driver().document)
    for _ in range(20):
        ride.drive(1, 0.5, 0.05)
    radius, angle = FAST / (ROUND * 0.5), ROUND * 0.5
    arc = radius * np.array([np.sin(angle), 1 - np.cos(angle)])
    np.testing.assert_allclose(ride.pose, [*(start[:2] + arc), angle], atol=1e-9)
    world = ride.place
    np.testing.assert_allclose(world[:2, 3] + ride.ahead * world[:2, 0], ride.pose[:2], atol=1e-12)


def test_her_toes_are_at_the_front_end_and_a_scooter_does_not_turn_in_place() -> None:
    ride = Ride(driver().document)
    front = ride.pose[0] + ride.chair.length - ride.chair.axle
    feet = max(max(one.start[0], one.end[0]) + one.radius for one in ride.figure.capsules)
    assert front == pytest.approx(ride.pose[0] + feet, abs=0.01)
    scooter = Ride(driver(kind="scooter").document)
    start = scooter.pose.copy()
    for _ in range(10):
        scooter.drive(0, 1, 0.1)
    np.testing.assert_array_equal(scooter.pose, start)
    scooter.drive(1, 1, 0.1)
    assert scooter.pose[2] > 0.01


def room(*things: Any) -> hk.Scene:
    scene = hk.Scene().add("floor", Plane())
    for name, shape, place in things:
        scene = scene.add(name, shape, place)
    return scene


def test_a_wall_holds_the_chair_up_a_table_its_user_and_a_shelf_overhead_nobody() -> None:
    wall = ("wall", Box([0.1, 4, 2]), ([1.5, 0, 1], [1, 0, 0, 0]))
    ride = Ride(driver(room(wall)).document)
    front = ride.pose[0] + ride.chair.length - ride.chair.axle
    for _ in range(40):
        met = ride.drive(1, 0, 0.1)
    assert met is not None
    assert (met.other, len(ride.bumps)) == ("wall", 1)  # held up once, however long it is pushed
    gap = 1.45 - (ride.pose[0] + ride.chair.length - ride.chair.axle)
    assert 0 <= gap < 0.011
    assert ride.least == pytest.approx(gap, abs=1e-9)
    assert ride.poses[-1][0] - ride.poses[0][0] == pytest.approx(1.45 - front, abs=0.011)

    table = ("table", Box([1.0, 2, 0.04]), ([1.2, 0, 0.78], [1, 0, 0, 0]))
    shelf = ("shelf", Box([1.0, 2, 0.04]), ([1.2, 0, 1.9], [1, 0, 0, 0]))
    ride = Ride(driver(room(table, shelf)).document)
    for _ in range(40):
        met = ride.drive(1, 0, 0.1)
    assert met is not None
    assert met.other == "table"
    assert met.part is not None
    assert ride.pose[0] + ride.chair.length - ride.chair.axle > 0.8, "knees go under the table"
    ride = Ride(driver(room(shelf)).document)
    for _ in range(10):
        assert ride.drive(1, 0, 0.1) is None
    assert ride.pose[0] - ride.poses[0][0] == pytest.approx(1.0)
    assert ride.least == np.inf


def test_the_chair_is_kept_in_the_file() -> None:
    app = driver(room())
    app.do("person.chair", kind="scooter", percentile=80)
    text = as_text(app.document)
    other = App()
    other.do("solve.solver", solver="fabrik")
    other.do("file.open", name="a.json", text=text)
    own = other.document.chair_given
    assert (own["chair"], own["chair_percentile"]) == ("scooter", 80.0)
    assert other.document.settings.solver == "fabrik"
    broken: list[tuple[object, str]] = [
        (["rocket", 50.0], "kind must be '' or 'manual'"),
        (["manual", 500.0], "percentile must be 0.01 to 99.99, got 500"),
        (["", float("nan")], "percentile must be finite"),
        (["manual", None], "percentile must be a number, got None"),
        (["manual"], "it must be a kind, a percentile, width and length"),
        (3, "it must be a kind, a percentile, width and length, got 3"),
    ]
    for wrong, said in broken:
        given = json.dumps({**json.loads(text), "chair": wrong}, indent=1)
        line = given[: given.index(' "chair"')].count("\n") + 1
        with pytest.raises(hk.ReadError, match=f"a.json:{line}: chair: it is damaged: {said}"):
            other.do("file.open", name="a.json", text=given)
    bare = as_text(driver(room(), "").document)
    for given, kind in (({}, ""), ({"chair": ["mid", 80.0]}, "mid")):  # beside the scene, once
        old = json.dumps({**json.loads(bare), **given})
        other.do("file.open", name="a.json", text=old)
        assert other.document.chair_given["chair"] == kind
    assert other.document.actor()[1].chair == hk.access.chair("mid", percentile=80.0)
    both = json.dumps({**json.loads(text), "chair": ["mid", 50.0]})  # her own is hers
    other.do("file.open", name="a.json", text=both)
    assert other.document.chair_given["chair"] == "scooter"


def test_nobody_drives_a_wheelchair_standing() -> None:
    app = App()
    app.do("person.add", stature=1.7, position="standing")
    with pytest.raises(hk.ArgumentError, match="who is in a wheelchair sits"):
        app.do("person.chair", kind="manual")
    app.do("person.set", position="seated")
    app.do("person.chair", kind="manual")
    assert shown(app)["kind"] == "manual"
    app.do("person.set", position="standing")  # out of it
    assert shown(app) is None
    app.do("person.set", position="seated")
    assert shown(app) is None
    for action, given in (("chair.drive", {"legs": "1 0 1"}), ("chair.judge", {"to": [1, 0, 0]})):
        with pytest.raises(hk.ArgumentError, match="cannot be done now"):
            app.do(action, **given)


def test_a_chair_alone_is_unsaved_work(tmp_path: Path) -> None:
    """It is in the file: a page that is closed without it would lose it, and so would a journal."""
    app = App(journal=tmp_path / "journal")
    app.do("person.add")
    app.do("file.save")
    for action, given in (
        ("person.chair", {"kind": "mid"}),
        ("person.chair", {"kind": "mid", "percentile": 5.0}),
        ("node.hide", {"nodes": ["person"]}),
        ("joint.lock", {"dof": "trunk_turn"}),
    ):
        assert not app.history.modified
        app.do(action, **given)
        assert app.history.modified, action
        app.do("edit.undo")
        assert not app.history.modified
        app.do("edit.redo")
        app.do("file.save")
    app.do("person.chair", kind="scooter", percentile=80)
    app.close()
    again = App(journal=tmp_path / "journal")
    own = again.document.chair_given
    assert (own["chair"], own["chair_percentile"]) == ("scooter", 80.0)
    again.do("file.new")
    again.do("person.add")
    assert again.document.chair_given["chair"] == "", "who comes into an empty scene has no chair"
    again.do("edit.undo")
    again.do("edit.undo")
    assert again.document.chair_given["chair"] == "scooter"
    again.close()


def test_where_nothing_stands_no_distance_is_said() -> None:
    app = driver(room())
    assert "mm" not in app.do("chair.drive", legs="1 0 1")
    assert app.document.drive is not None
    assert app.document.drive.clearance == np.inf


def test_a_drive_is_recorded_said_and_undone() -> None:
    wall = ("wall", Box([0.1, 4, 2]), ([1.5, 0, 1], [1, 0, 0, 0]))
    app = driver(room(wall))
    said = app.do("chair.drive", legs="1 0 3; 0 1 1; -1 0 0.2; 1 0 1")
    record = app.document.drive
    assert record is not None
    assert [what for _, what in record.bumps] == ["wall", "wall"]
    assert f"Driven {record.length:.1f} m in 5 s, held up 2 times" in said
    assert (np.diff(record.times) > 0).all()
    assert app.document.scene.world("person")[0, 3] > 0.3
    app.do("edit.undo")
    assert app.document.scene.world("person")[0, 3] == 0
    for legs, why in (("1 0", "forward, turn and seconds"), ("2 0 1", "-1 to 1"), ("", "a leg")):
        with pytest.raises(hk.ArgumentError, match=why):
            app.do("chair.drive", legs=legs)
    with pytest.raises(hk.ArgumentError, match="percentile must be"):
        app.do("person.chair", kind="mid", percentile=1e-300)
    app.do("person.chair", kind="mid", percentile=0.01)
    app.do("person.chair", kind="")
    with pytest.raises(hk.ArgumentError, match="cannot be done now"):
        app.do("chair.drive", legs="1 0 1")


def test_a_live_drive_goes_by_the_clock_of_the_page_and_ends_as_one_entry() -> None:
    app = driver()
    numbers = Numbers()
    number = numbers.of("person") or 0
    live = Live(app, numbers, {"action": "chair.drive"})
    for k in range(31):
        frames = live.use(Event(2, 0, number, k, 10 + k / 30, np.array([1.0, 0.0, 0.0])))
    assert len(frames) == 2
    count = len(app.history.before)
    said = live.end()
    assert said.startswith("Driven 1.0 m in 1 s")
    assert len(app.history.before) == count + 1
    assert app.document.scene.world("person")[0, 3] == pytest.approx(1.0)
    names: dict[str, Any] = {}
    exec(app.script(), names)
    np.testing.assert_allclose(
        names["app"].document.scene.world("person"), app.document.scene.world("person"), atol=1e-9
    )


def test_outlines_hold_round_things_and_whether_it_can_be_driven_is_proved() -> None:
    post = ("post", Cylinder(1.0, 0.2), ([3, 1, 0.5], [1, 0, 0, 0]))
    app = driver(room(post))
    ((_, outline),) = outlines_of(app.document.scene, "person")
    assert np.hypot(*(outline - [3, 1]).T).min() >= 0.2
    edges = np.roll(outline, -1, axis=0) - outline
    normals = np.stack([edges[:, 1], -edges[:, 0]], axis=1) / np.hypot(*edges.T)[:, None]
    np.testing.assert_allclose(((outline - [3, 1]) * normals).sum(axis=1), 0.2, atol=1e-9)
    for gap, verdict in ((1.2, "yes"), (0.5, "no")):
        walls = [
            [[2, gap / 2], [2.1, gap / 2], [2.1, 9], [2, 9]],
            [[2, -9], [2.1, -9], [2.1, -gap / 2], [2, -gap / 2]],
            [[-2, 9], [6, 9], [6, 9.1], [-2, 9.1]], [[-2, -9.1], [6, -9.1], [6, -9], [-2, -9]],
            [[-2.1, -9], [-2, -9], [-2, 9], [-2.1, 9]], [[6, -9], [6.1, -9], [6.1, 9], [6, 9]],
        ]  # fmt: skip
        app = driver(hk.Scene().add("flat", FloorPlan(walls, 2.5)))
        app.do("chair.judge", to=[4.0, 0.0, 0.0])
        assert app.document.passing == verdict
    assert app.do("chair.judge", to=[1.0, 0.0, 0.0]) == "It can be driven: a way was found"


def test_another_storey_has_its_own_walls() -> None:
    slab = ("slab", Box([10, 10, 0.2]), ([0, 0, 2.9], [1, 0, 0, 0]))
    kerb = ("kerb", Box([0.1, 4, 0.3]), ([1.5, 0, 3.15], [1, 0, 0, 0]))
    below = ("below", Box([0.1, 4, 0.3]), ([1.0, 0, 0.15], [1, 0, 0, 0]))
    app = driver(room(slab, kerb, below))
    app.do("node.transform", node="person", pose=[0, 0, 3, 1, 0, 0, 0])
    ride = Ride(app.document).set_out()
    for _ in range(40):
        met = ride.drive(1, 0, 0.1)
    assert (met and met.other, met and met.part) == ("kerb", None)
    assert 0 <= ride.least < 0.011


def test_a_mesh_is_met_where_its_triangles_are_and_a_wall_without_an_end_is_refused() -> None:
    def block(x: float, y: float, z: float, u: float, v: float, w: float) -> Any:
        at = np.array([[a, b, c] for a in (x, u) for b in (y, v) for c in (z, w)])
        faces = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)]
        faces += [(2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
        return at, np.array(faces)

    parts = [block(1, -1, 0, 1.1, -0.6, 2.3), block(1, 0.6, 0, 1.1, 1, 2.3)]
    parts.append(block(1, -1, 2.3, 1.1, 1, 2.4))
    points = np.vstack([at for at, _ in parts])
    faces = np.vstack([face + 8 * k for k, (_, face) in enumerate(parts)])
    gate = ("gate", Mesh(vertices=points, faces=faces), ([0.5, 0, 0], [1, 0, 0, 0]))
    ride = Ride(driver(room(gate)).document).set_out()
    for _ in range(30):
        assert ride.drive(1, 0, 0.1) is None, "through the gate, not against its hull"
    true = 0.6 - ride.chair.width / 2
    assert true - 0.0021 < ride.least <= true + 1e-9

    tipped = [np.sqrt(0.5), 0, -np.sqrt(0.5), 0]
    with pytest.raises(hk.ArgumentError, match="put a box in its place"):
        Ride(driver(room(("wall", Plane(), ([1.5, 0, 0], tipped)))).document)


def test_what_is_attached_to_the_driver_goes_along_and_meets_things() -> None:
    post = ("post", Box([0.05, 0.05, 2.0]), ([1.2, 0.75, 1.0], [1, 0, 0, 0]))
    bag = ("bag", Box([0.2, 0.2, 0.2]), ([-0.3, 0.8, 0.9], [1, 0, 0, 0]))
    app = driver(room(post, bag))
    ride = Ride(app.document.edited(app.document.scene.attach("bag", "person"))).set_out()
    for _ in range(30):
        met = ride.drive(1, 0, 0.1)
    assert (met and met.other, met and met.part) == ("post", "bag")
    assert 1.0 < ride.pose[0] - ride.poses[0][0] < 1.45
    ride = Ride(app.document).set_out()
    for _ in range(20):
        assert ride.drive(1, 0, 0.1) is None, "left where it was, it is beside the way"


def test_clearance_is_looked_at_between_events_too() -> None:
    told = []
    for time in (0.1, 0.004):
        ride = Ride(
            driver(room(("post", Cylinder(1.0, 0.02), ([0.9, 1.0, 0.5], [1, 0, 0, 0])))).document
        )
        for _ in range(round(1.2 / time)):
            assert ride.drive(0, 1, time) is None
        told.append(ride.least)
    corners = np.hypot(*ride.chair.outline.T).max()
    true = np.hypot(0.9 - ride.pose[0], 1.0) - 0.02 - corners
    assert true - 0.003 < told[0] <= true
    assert true - 0.003 < told[1] <= true


def test_one_who_stands_still_is_held_up_by_nothing() -> None:
    post = ("post", Box([0.05, 0.05, 0.5]), ([3, 0, 0.25], [1, 0, 0, 0]))
    for scene in (room(), room(post)):
        ride = Ride(driver(scene).document)
        assert ride.drive(0, 0, 0.1) is None
        assert ride.drive(1, 0, 0.1) is None
        assert ride.drive(0, 0, 0.1) is None
        assert not ride.bumps


def test_who_begins_in_contact_is_told_so() -> None:
    app = driver(room(("wall", Box([0.1, 4, 2]), ([0.5, 0, 1], [1, 0, 0, 0]))))
    with pytest.raises(hk.ArgumentError, match="touches wall where the drive begins: move it"):
        app.do("chair.drive", legs="1 0 1")
    app = driver(room(("block", Box([9, 9, 0.5]), ([0, 0, 0.26], [1, 0, 0, 0]))))
    with pytest.raises(hk.ArgumentError, match="touches block where"):
        app.do("chair.drive", legs="1 0 1")


def test_a_record_follows_its_driver() -> None:
    app = driver()
    app.do("chair.drive", legs="1 0 1")
    app.do("node.rename", node="person", name="anna")
    record = app.document.drive
    assert record is not None
    assert record.figure == "anna"
    app.do("node.transform", node="anna", pose=[0, 5, 0, 1, 0, 0, 0])
    assert app.do("chair.judge") == "It can be driven: a way was found"
    app.do("person.add", sex="male")
    app.do("person.chair", kind="manual")
    with pytest.raises(hk.ArgumentError, match="no drive of the active person"):
        app.do("chair.judge")
    app.do("node.delete", nodes=["anna"])
    assert app.document.drive is None


def test_a_yes_is_one_of_the_user_too_and_falls_with_her_posture() -> None:
    bar = ("bar", Box([0.1, 30, 0.1]), ([2, 0, 1.0], [1, 0, 0, 0]))
    app = driver(room(bar))
    app.do("chair.judge", to=[4.0, 0.0, 0.0])
    assert app.document.passing == "user", "the chair goes under the bar, she does not"
    app = driver(room(("bar", Box([0.1, 30, 0.1]), ([2, 0, 1.9], [1, 0, 0, 0]))))
    app.do("chair.judge", to=[4.0, 0.0, 0.0])
    assert app.document.passing == "yes"
    app.do("pose.reset")
    assert app.document.passing is None


def test_a_no_rests_on_no_corner_of_a_polygon_about_a_round_thing() -> None:
    ring = hk.access.chair("manual").width
    for spare, verdict in ((-0.004, "no"), (0.02, "yes")):
        off = (ring + spare) / 2 + 1.0
        posts = [
            (f"p{k}", Cylinder(1.0, 1.0), ([2, s * off, 0.5], [1, 0, 0, 0]))
            for k, s in enumerate((1, -1))
        ]
        ends = [
            (f"e{k}", Box([0.1, 9, 1]), ([2, s * (off + 4.6), 0.5], [1, 0, 0, 0]))
            for k, s in enumerate((1, -1))
        ]
        sides = [
            (f"s{k}", Box([12, 0.1, 1]), ([2, s * 9, 0.5], [1, 0, 0, 0]))
            for k, s in enumerate((1, -1))
        ]
        caps = [
            (f"c{k}", Box([0.1, 18, 1]), ([2 + s * 6, 0, 0.5], [1, 0, 0, 0]))
            for k, s in enumerate((1, -1))
        ]
        app = driver(room(*posts, *ends, *sides, *caps))
        app.do("chair.judge", to=[4.0, 0.0, 0.0])
        assert app.document.passing == verdict, spare
