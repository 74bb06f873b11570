"""Motions of the application: recorded, read, given to another body, kept, found, changed, saved; files that stand alone."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.app import App
from handik.app._acts_file import as_text
from handik.app._describe import Numbers
from handik.app._live import Live
from handik.app._wire import Event


def performer() -> App:
    app = App()
    app.do("person.add", sex="female", stature=1.62)
    app.do("solve.live", live=False)
    app.do("target.set", at=[0.4, -0.3, 1.0])
    return app


def wave(app: App) -> None:
    """Record a drag of the elbow's slider from 0.2 to 1.2."""
    app.do("motion.record")
    numbers = Numbers()
    live = Live(app, numbers, {"action": "joint.set"})
    names = [one.name for one in app.document.actor()[1].person.freedoms]
    row = names.index("elbow_flexion_right")
    for k in range(6):
        live.use(Event(1, 0, row, k, 0.0, np.array([0.2 + 0.2 * k])))
    live.end()
    app.do("motion.record")


def test_a_drag_is_recorded_as_it_was_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 9.0, 10.0, 11.0])
    monkeypatch.setattr("handik.app._session.monotonic", lambda: next(times))
    app = performer()
    rest = app.document.actor()[1].posture
    wave(app)
    (name,) = app.document.motions
    moved = app.document.motions[name]
    assert name == "demonstration"
    at = app.document.actor()[1].figure.joint_q_slices["elbow_flexion_right"].start
    elbow = np.array(moved.q)[:, at]
    assert elbow[0] == rest[at]
    assert elbow[-1] == pytest.approx(1.2)
    assert (np.diff(elbow) >= -1e-12).all()
    assert moved.times[-1] == pytest.approx(0.5 + 0.5)  # the rest of 8.5 s is cut
    way = app.document.path
    assert way is not None
    assert (way.outcome, way.duration) == ("motion", moved.times[-1])
    assert "discomfort" in way.curves
    app.do("motion.record")
    with pytest.raises(hk.ArgumentError, match="nothing was moved"):
        app.do("motion.record")


def test_what_is_saved_is_read_again_and_given_to_another_body() -> None:
    app = performer()
    wave(app)
    app.do("motion.save")
    text = app.given[-1].data.decode()
    other = App()
    other.do("person.add", sex="male", stature=1.85)
    other.do("motion.open", name="wave.bvh", text=text)
    assert list(other.document.motions) == ["wave"]
    one, two = app.document.path, other.document.path
    assert two.duration == pytest.approx(one.duration, abs=0.04)
    model = other.document.actor()[1].figure
    np.testing.assert_array_equal(model.clip(two.q), two.q)
    at = model.joint_q_slices["elbow_flexion_right"].start
    assert two.q[-1, at] == pytest.approx(1.2, abs=0.15)
    for name, given, why in (
        ("a.bvh", {"text": "HIERARCHY"}, "a.bvh:1"),
        ("a.mp4", {"text": ""}, "read from"),
        ("a.c3d", {"data": "?"}, "base64"),
        ("a.trc", {"text": "x"}, "^a.trc"),
    ):
        with pytest.raises(hk.HandikError, match=why):
            other.do("motion.open", name=name, **given)


def test_markers_of_a_c3d_file_move_the_person(tmp_path: Path) -> None:
    ezc3d = pytest.importorskip("ezc3d", reason="ezc3d is not installed")
    app = performer()
    model, rest = app.document.actor()[1].figure, app.document.actor()[1].posture
    q = np.stack([rest] * 5)
    q[:, model.joint_q_slices["elbow_flexion_right"].start] = np.linspace(0.1, 1.0, 5)
    names = {"RSHO": "shoulder_right", "RELB": "elbow_right", "RFIN": "middle_tip_right"}
    names |= {"LSHO": "shoulder_left", "LELB": "elbow_left", "head": "head"}
    rows = [model.frame_names.index(name) for name in names.values()]
    points = np.asarray(model.frames(q))[..., :3, 3][:, rows]
    c3d = ezc3d.c3d()
    c3d["parameters"]["POINT"]["RATE"]["value"] = [50]
    c3d["parameters"]["POINT"]["LABELS"]["value"] = tuple(names)
    c3d["parameters"]["POINT"]["UNITS"]["value"] = ["m"]
    c3d["data"]["points"] = np.concatenate([points.transpose(2, 1, 0), np.ones((1, len(names), 5))])
    c3d.write(str(tmp_path / "a.c3d"))
    data = base64.b64encode((tmp_path / "a.c3d").read_bytes()).decode()
    app.do("motion.open", name="a.c3d", data=data, up="z")
    way = app.document.path
    assert way.duration == pytest.approx(4 / 50)
    found = np.asarray(model.frames(way.q))[..., :3, 3][:, rows]
    np.testing.assert_allclose(found, points, atol=2e-3)


def test_a_motion_is_kept_found_changed_and_led_to_the_target() -> None:
    app = performer()
    wave(app)
    app.do("motion.keep", name="up")
    app.do("pose.reset")
    app.do("motion.use", name="up")
    before = app.document.path
    app.do("motion.mirror")
    model = app.document.actor()[1].figure
    left = model.joint_q_slices["elbow_flexion_left"].start
    assert app.document.path.q[-1, left] == pytest.approx(1.2)
    app.do("motion.use", name="up")
    app.do("motion.pace", factor=0.01)
    slow = app.document.path
    assert slow.duration == pytest.approx(100 * before.duration)
    app.do("motion.pace", factor=0.05)
    slow = app.document.path
    app.do("motion.smooth", cutoff=2.0)
    assert app.document.path.duration == pytest.approx(slow.duration, abs=0.1)
    app.do("motion.use", name="up")
    app.do("motion.lead")
    hand = np.asarray(model.fk(app.document.path.q, frame="grip_right"))[:, :3, 3]
    assert np.linalg.norm(hand - [0.4, -0.3, 1.0], axis=1).min() < 5e-3
    app.do("motion.keep", name="at the target")
    app.do("motion.find")
    assert np.array_equal(app.document.path.q, app.document.motions["at the target"].q)
    other = App()
    other.do("file.open", name="a.json", text=as_text(app.document))
    assert other.document.motions == app.document.motions


CUBE = """o cube
v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1
f 1 4 3\nf 1 3 2\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8
"""


def test_a_scene_whose_meshes_are_files_opens_again_without_them(tmp_path: Path) -> None:
    (tmp_path / "cube.obj").write_text(CUBE)
    scene = hk.Scene().add("part", hk.scene.Mesh(tmp_path / "cube.obj", scale=0.5), [1, 0, 0])
    app = App(scene)
    text = as_text(app.document)
    app.do("file.export", format="xml")
    (tmp_path / "cube.obj").unlink()
    other = App()
    other.do("file.open", name="room.json", text=text)
    mesh: Any = other.document.scene["part"].content
    assert mesh.path is None
    np.testing.assert_allclose(np.ptp(mesh.vertices, axis=0), 0.5)
    other.do("file.open", name="room.xml", text=app.given[-1].data.decode())
    assert other.document.scene["part"].content.path is None
    json.loads(text)


def test_a_mesh_of_another_program_is_imported_from_bytes() -> None:
    app = performer()
    app.do("file.import", name="cube.obj", text=CUBE)
    (path,) = app.document.scene.find(kind="mesh")
    assert path.startswith("cube")
    data = base64.b64encode(b"solid").decode()
    for name, given, why in (
        ("a.stl", {"data": data}, "cut"),
        ("a.stl", {"data": "?"}, "base64"),
        ("a.json", {"data": base64.b64encode(b"\xff").decode()}, "no text"),
        ("a.obj", {}, "one of text and data"),
        ("a.obj", {"text": CUBE, "data": data}, "one of text and data"),
        ("a.doc", {"text": CUBE}, "ends in one of"),
    ):
        with pytest.raises(hk.HandikError, match=why):
            app.do("file.import", name=name, **given)


@pytest.mark.parametrize(
    ("name", "data"),
    [("walk.bvh", b"HIERARCHY\nROOT Hips\n{ rubbish"), ("walk.c3d", b"rubbish" * 99)],
)
def test_a_broken_motion_is_told_by_the_name_of_its_file(name: str, data: bytes) -> None:
    if name.endswith("c3d"):
        pytest.importorskip("ezc3d", reason="ezc3d is not installed")
    app = performer()
    before = app.document
    with pytest.raises(hk.errors.ReadError, match=rf"^{name}:") as told:
        app.do("motion.open", name=name, data=base64.b64encode(data).decode())
    assert "/" not in str(told.value)
    assert app.document is before
