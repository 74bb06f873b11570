"""What is shown is of who is active, and of the target, the hand and the held joints there are; broken files leave a page."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.app import App, _meshes
from handik.app._acts_file import as_text, from_text
from handik.app._bodies import body_of
from handik.app._connection import _sentence
from handik.app._describe import Numbers, described
from handik.app._document import Document
from handik.app._live import Live
from handik.app._refusals import LONGEST, in_french, in_language
from handik.app._view_given import packed
from handik.app._wire import Event
from handik.errors import ArgumentError, HandikError, ReadError, UnsupportedError
from handik.scene._write import to_toml


def people() -> App:
    """A seated person with the target in her hand, a second one 3 m away, a robot, a far target."""
    app = App()
    app.history.restart(begun())
    return app


@cache
def begun() -> Document:
    app = App()
    app.do("solve.live", live=False)
    app.do("person.add", sex="male", position="seated")
    app.do("node.move", nodes=["person"], by=[3.0, 0.0, 0.0])
    app.do("node.rename", node="person", name="far")
    app.do("figure.add", model="data:ur5")
    app.do("person.add", sex="female", position="seated")
    app.do("target.hand")
    app.do("node.add", kind="target", name="there", at=[9.0, 0.0, 1.0])
    app.do("target.choose", target="target")
    return app.document


def hand(app: App, q: Any = None) -> np.ndarray:
    at, actor = app.document.actor()
    frame = body_of(actor).hand(app.document.settings.hand)
    row = actor.posture if q is None else np.asarray(q)
    return np.asarray(app.document.scene.world(at) @ actor.figure.fk(row, frame=frame))[:3, 3]


def goal(app: App) -> np.ndarray:
    return np.asarray(app.document.scene.world(app.document.target))[:3, 3]


ASKED: list[tuple[str, Callable[[App], Any]]] = [
    ("figure", lambda app: app.do("figure.activate", figure="far")),
    ("robot", lambda app: app.do("figure.activate", figure="ur5")),
    ("hand", lambda app: app.do("solve.hand", hand="left")),
    ("hold", lambda app: app.do("joint.lock", dof="trunk_flexion")),
    ("target", lambda app: app.do("target.choose", target="there")),
]


@pytest.mark.parametrize("other", [one[1] for one in ASKED], ids=[one[0] for one in ASKED])
def test_an_answer_is_not_kept_for_another_question(other: Callable[[App], Any]) -> None:
    app = people()
    for name in ("solve.run", "access.reach", "person.compare", "solve.steps"):
        app.do(name)
    app.do("solve.ghost", solver="ccd")
    app.do("access.share", count=1)
    document = app.document
    assert document.verdict is not None
    assert document.verdict.verdict == "yes"
    assert document.steps
    assert document.ghost
    assert document.beside
    assert document.sharing
    assert document.solve is not None
    other(app)
    now = app.document
    assert (now.verdict, now.ghost, now.steps, now.beside, now.sharing) == (
        None,
        None,
        (),
        (),
        None,
    )
    kept = other is dict(ASKED)["hold"]  # the posture it shows is as it was
    assert (now.solve is not None) == kept
    with pytest.raises(ArgumentError, match="cannot be done now"):
        app.do("access.show")
    app.do("edit.undo")
    assert app.document is document


def test_the_same_hand_again_keeps_the_answers() -> None:
    app = people()
    app.do("access.reach")
    app.do("solve.hand", hand="right")
    app.do("solve.tolerance", tolerance=2e-3)
    assert app.document.verdict is not None


def test_a_verdict_is_of_the_held_joints() -> None:
    app = people()
    place = goal(app)
    app.do("joint.set", dof="elbow_flexion_right", value=0.2)
    app.do("joint.lock", dof="elbow_flexion_right")
    app.do("access.reach")
    said = app.document.verdict
    assert said is not None
    assert said.verdict == "yes"
    assert np.linalg.norm(hand(app, said.q) - place) < 2e-3
    app.do("access.show")
    actor = app.document.actor()[1]
    assert np.linalg.norm(hand(app) - place) < 2e-3, "a yes whose posture is shown elsewhere"
    at = actor.figure.joint_q_slices["elbow_flexion_right"]
    assert actor.posture[at] == pytest.approx(0.2)

    for slider in body_of(actor).sliders:  # nothing can move: what was in reach is no more
        if (app.document.figure, slider.joint) not in app.document.held:
            app.do("joint.lock", dof=slider.name)
    app.do("target.set", at=(place + [0.0, 0.0, 0.1]).tolist())
    app.do("access.reach")
    assert app.document.verdict is not None
    assert app.document.verdict.verdict == "no"


def test_a_motion_is_changed_as_that_of_whose_it_is() -> None:
    app = people()
    app.do("target.set", at=(hand(app) + [0.05, 0.0, 0.1]).tolist())
    app.do("plan.path", obstacles=False, speed=0.3)
    app.do("figure.activate", figure="ur5")
    for name, args in (
        ("motion.smooth", {}),
        ("motion.mirror", {}),
        ("motion.pace", {"factor": 2.0}),
        ("motion.lead", {}),
        ("motion.keep", {"name": "way"}),
    ):
        app.do(name, **args)
        path = app.document.path
        assert path is not None
        assert path.figure == "person"
        described(app, Numbers())
    with pytest.raises(ArgumentError, match="another kind of figure"):
        app.do("motion.use", name="way")
    app.do("node.lock", nodes=["person"])
    with pytest.raises(ArgumentError, match="is locked"):
        app.do("plan.take")


def test_a_recording_is_of_whom_it_was_begun() -> None:
    app = people()
    app.do("person.add", sex="female", position="seated")
    app.do("motion.record")
    app.do("joint.set", dof="trunk_flexion", value=0.3)
    app.do("figure.activate", figure="person")
    app.do("joint.set", dof="trunk_flexion", value=0.6)
    app.do("figure.activate", figure="ur5")
    app.do("motion.record")
    path = app.document.path
    assert path is not None
    assert path.figure == "person 2"
    bent = path.q[:, app.document.actor("person 2")[1].figure.joint_q_slices["trunk_flexion"]]
    assert (bent.min(), bent.max()) == (0.0, pytest.approx(0.3)), "the other person was mixed in"
    app.do("figure.activate", figure="far")
    app.do("motion.record")
    app.do("node.delete", nodes=["far"])
    with pytest.raises(ArgumentError, match="'far', who was recorded, is not there any more"):
        app.do("motion.record")
    assert app.recording is None


def test_a_recording_goes_on_under_another_name() -> None:
    """It was lost: who was recorded was said to be there no more."""
    app = people()
    app.do("node.duplicate", nodes=["far"])  # another one of the same figure
    app.do("motion.record")
    app.do("joint.set", dof="trunk_flexion", value=0.3)
    app.do("node.rename", node="person", name="ann")
    app.do("node.group", nodes=["ann"])
    app.do("joint.set", dof="trunk_flexion", value=0.5)
    app.do("node.rename", node="group/ann", name="eve")
    app.do("edit.undo")
    app.do("motion.record")
    path = app.document.path
    assert path is not None
    assert path.figure == "group/ann"
    at = app.document.actor("group/ann")[1].figure.joint_q_slices["trunk_flexion"]
    assert path.q[:, at].max() == pytest.approx(0.5)


def test_a_posture_of_another_figure_is_refused() -> None:
    app = people()
    row = app.document.actor()[1].posture
    with pytest.raises(ArgumentError, match="q must have 6 coordinates"):
        app.document.with_q(row, "ur5")


# -- jobs ---------------------------------------------------------------------------------------


def during(app: App, job: str, args: dict[str, Any], meanwhile: Callable[[], Any]) -> Any:
    """Do something while a job runs; return what it said, or why it was refused."""
    begun, go, said = threading.Event(), threading.Event(), []

    def share(_: float) -> None:
        begun.set()
        assert go.wait(60)

    def run() -> None:
        try:
            said.append(app.run_job(job, args, share))
        except HandikError as error:
            said.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert begun.wait(60)
    meanwhile()
    go.set()
    thread.join()
    return said[0]


def test_what_is_done_while_a_job_runs_is_not_lost() -> None:
    app = people()
    app.do("pose.save", name="old")

    def meanwhile() -> None:
        app.do("pose.save", name="mine")
        app.do("pose.forget", name="old")
        app.do("node.lock", nodes=["far"])
        app.do("node.hide", nodes=["ur5"])

    said = during(app, "access.reach", {}, meanwhile)
    assert isinstance(said, str), said
    now = app.document
    assert now.verdict is not None
    assert set(now.poses) == {"mine"}
    assert now.locked == {"far"}
    assert now.hidden == {"ur5"}
    app.do("edit.undo")
    assert set(app.document.poses) == {"mine"}, "the answer alone is undone"


@pytest.mark.parametrize(
    ("action", "args"),
    [
        ("figure.activate", {"figure": "far"}),
        ("joint.lock", {"dof": "trunk_flexion"}),
        ("target.choose", {"target": "there"}),
        ("solve.hand", {"hand": "left"}),
    ],
)
def test_an_answer_to_another_question_is_dropped(action: str, args: dict[str, Any]) -> None:
    app = people()
    said = during(app, "access.reach", {}, lambda: app.do(action, **args))
    assert isinstance(said, ArgumentError)
    assert "changed meanwhile" in str(said)
    assert app.document.verdict is None


def test_two_motions_that_are_read_at_a_time_are_both_kept() -> None:
    app = people()
    app.do("target.set", at=(hand(app) + [0.05, 0.0, 0.1]).tolist())
    app.do("plan.path", obstacles=False)
    app.do("motion.save")
    given = {"name": "walk.bvh", "text": app.given[-1].data.decode()}
    app.do("motion.open", **given)
    assert set(app.document.motions) == {"walk"}
    said = during(app, "motion.open", given, lambda: app.do("motion.open", **given))
    assert isinstance(said, str), said
    assert set(app.document.motions) == {"walk", "walk 2", "walk 2 2"}


def test_a_job_that_ends_in_a_drag_takes_nothing_from_it() -> None:
    app, numbers = people(), Numbers()
    number = {path: numbers.of(path) for path in app.document.scene}["target"] or 0
    drag = Live(app, numbers, {"action": "target.move"})
    place = goal(app) + [0.0, 0.0, 0.1]
    drag.use(Event(2, 0, number, 1, 0.0, place))
    app.run_job("access.reach", {}, lambda _: None)
    assert app.document.verdict is not None
    app.do("pose.save", name="mine")
    app.do("node.hide", nodes=["ur5"])
    drag.use(Event(2, 0, number, 2, 0.1, place))
    drag.end()
    now = app.document
    np.testing.assert_allclose(goal(app), place, atol=1e-12)
    assert set(now.poses) == {"mine"}
    assert now.hidden == {"ur5"}
    assert now.verdict is None, "it was of where the target had been"
    app.do("edit.undo")
    assert app.document.verdict is not None
    assert set(app.document.poses) == {"mine"}

    drag = Live(app, numbers, {"action": "target.move"})
    drag.use(Event(2, 0, number, 1, 0.0, place))
    app.do("joint.lock", dof="trunk_flexion")  # another question
    with pytest.raises(ArgumentError, match="the drag is dropped"):
        drag.end()


# -- files --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("q = [", "q = [0.1, ", "q must have 6 coordinates, got 7"),
        ("data:ur5", "data:nope", "no model of handik's own is called 'nope'"),
        ('"female"', '"alien"', "sex must be"),
        ('"female"', '"female", stature = -1', "stature"),
    ],
)
def test_a_file_whose_figure_cannot_be_shown_is_refused(old: str, new: str, why: str) -> None:
    app = App()
    app.do("person.add", sex="female")
    app.do("figure.add", model="data:ur5")
    app.do("pose.reset")
    file = json.loads(as_text(app.document))
    before, scene = app.document, file["scene"].replace(old, new)
    assert scene != file["scene"]
    text = json.dumps({**file, "scene": scene})
    for action, name, given in (
        ("file.open", "a.json", text),
        ("file.open", "a.toml", scene),
        ("file.import", "a.toml", scene),
    ):
        with pytest.raises(ReadError, match="cannot be shown: ") as refused:
            app.do(action, name=name, text=given)
        assert why in str(refused.value)
        assert str(in_french(str(refused.value))).startswith("la figure ")
        assert app.document is before
        json.dumps(described(app, Numbers()), allow_nan=False)
    with pytest.raises(ArgumentError, match="cannot be shown"):
        App(scene=_scene(scene))


def _scene(text: str) -> Any:
    from handik.app._acts_file import _scene_of

    return _scene_of(text, ".toml")


def test_joints_of_a_file_that_no_figure_has_are_not_held() -> None:
    app = people()
    app.do("joint.lock", dof="trunk_flexion")
    file = json.loads(as_text(app.document))
    file["held"] += [["person", "tail"], ["target", "trunk_flexion"], ["gone", "trunk_flexion"]]
    app.do("file.open", name="a.json", text=json.dumps(file))
    assert app.document.held == {("person", "trunk_flexion")}
    app.do("solve.run")
    app.do("pose.reset")


def ball(count: int = 40) -> hk.scene.Mesh:
    """A ball of some thousand triangles, at places that 32 bits do not hold."""
    u, v = np.meshgrid(np.linspace(0, 2 * np.pi, count), np.linspace(0, np.pi, count))
    points = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)], -1).reshape(-1, 3)
    at = np.arange(count * (count - 1)).reshape(-1, count)[:, :-1].ravel()
    faces = np.concatenate(
        [np.c_[at, at + 1, at + count], np.c_[at + 1, at + count + 1, at + count]]
    )
    return hk.scene.Mesh(vertices=points, faces=faces, scale=[0.5, 0.5, -0.4])


def test_a_large_mesh_is_kept_number_by_number_and_short() -> None:
    few = hk.scene.Mesh(vertices=np.eye(3), faces=[[0, 1, 2]])
    of_32 = ball()
    points = np.asarray(of_32.vertices).astype(np.float32).astype(float)
    scene = (
        hk.Scene()
        .add("ball", ball(), [1.0, 2.0, 3.0], scale=2.0, color="#a02030")
        .add("ball/other", hk.scene.Mesh(vertices=points, faces=of_32.faces))
        .add("few", few)
        .tag("ball", "wall")
        .with_look("ball", solid=False, opacity=0.5)
    )
    text = as_text(Document(scene=scene))
    opened = from_text("a.json", text).scene
    assert opened == scene
    for path in scene:
        assert opened[path].content == scene[path].content
    assert opened["ball"].tags == {"wall"}
    assert not opened["ball"].solid
    kinds = {name: row[0] for name, row in json.loads(text)["meshes"].items()}
    assert kinds == {"ball": "<f8", "ball/other": "<f4"}
    old = json.loads(text)
    del old["meshes"]  # a file of an older version has them in its scene
    plain = to_toml(scene, "/")
    assert from_text("a.json", json.dumps({**old, "scene": plain})).scene == scene
    assert len(text) < 0.3 * len(plain)


@pytest.mark.parametrize(
    ("row", "why"),
    [
        (["<f8", "", "", [1, 1, 1]], "its numbers are not whole"),
        (["<f8", "!", "!", [1, 1, 1]], "its numbers are not whole"),
        (["<i8", "", "", [1, 1, 1]], "its numbers must be <f4 or <f8"),
        (["<f8", 1, 2, [1, 1, 1]], "it must be a text"),
        (["<f8"], "it must be a kind, vertices, faces and scale"),
        ("cut", "its numbers are not whole"),
        ("corner", "faces must be numbers of vertices"),
        ("scale", "scale must"),
        ("where", "it has no node 'there' for a mesh"),
        ("thing", "it has no node 'box' for a mesh"),
    ],
)
def test_a_damaged_mesh_is_told(row: Any, why: str) -> None:
    scene = hk.Scene().add("ball", ball()).add("box", hk.scene.Box([1, 1, 1]))
    file = json.loads(as_text(Document(scene=scene)))
    kind, points, faces, scale = file["meshes"]["ball"]
    name = "ball"
    if row == "cut":
        row = [kind, points[:400], faces, scale]
    elif row == "corner":
        row = [kind, points, packed([[0, 1, 99_999]], "<u4"), scale]
    elif row == "scale":
        row = [kind, points, faces, [1, 1]]
    elif isinstance(row, str):
        name, row = {"where": "there", "thing": "box"}[row], [kind, points, faces, scale]
    text = json.dumps({**file, "meshes": {name: row}})
    with pytest.raises(ReadError, match="it is damaged") as refused:
        from_text("a.json", text)
    assert why in str(refused.value)


def test_numbers_that_swell_are_refused(monkeypatch: Any) -> None:
    monkeypatch.setattr(_meshes, "MOST", 10_000)
    text = as_text(Document(scene=hk.Scene().add("ball", ball())))
    with pytest.raises(ReadError, match="its numbers are not whole"):
        from_text("a.json", text)


def test_what_could_not_be_opened_is_not_saved(monkeypatch: Any) -> None:
    app = people()
    app.do("node.hide", nodes=["ur5"])
    monkeypatch.setattr("handik.app._acts_file.LONGEST", 100)
    with pytest.raises(UnsupportedError, match="the document would have"):
        app.do("file.save")
    assert app.history.modified
    assert not app.given


# -- French ---------------------------------------------------------------------------------------

#: What somebody may well ask for who works with the page, and is refused.
REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("node.rename", {"node": "ur5", "name": "far"}),
    ("node.rename", {"node": "ur5", "name": ""}),
    ("node.rename", {"node": "ur5", "name": "a[b"}),
    ("node.rename", {"node": "ur5", "name": "a/b"}),
    ("node.reparent", {"node": "ur5", "parent": "ur5"}),
    ("node.add", {"size": -1.0}),
    ("node.add", {"size": 1e9}),
    ("node.add", {"kind": "camera", "at": [0.0, 0.0, 1e7]}),
    ("node.scale", {"nodes": ["far"], "factor": 2.0}),
    ("node.color", {"nodes": ["far"], "color": "reddish"}),
    ("view.camera", {"name": "a", "pose": [0.0] * 3 + [1.0] + [0.0] * 3, "view": 9.0}),
    ("person.set", {"percentile": 101.0}),
    ("person.set", {"stature": 9.0}),
    ("person.set", {"stature": -1.0}),
    ("person.set", {"weight": 1e4}),
    ("person.set", {"profile": "sci_c6", "severity": 2.0}),
    ("person.measure", {"name": "hip_width", "value": 0.4}),
    ("person.measure", {"name": "sitting_height", "value": 2.0}),
    ("person.chair", {"percentile": 200.0}),
    ("joint.set", {"dof": "tail", "value": 0.0}),
    ("figure.add", {"model": "data:ur6"}),
    ("figure.add", {"model": "robot:nope"}),
    ("figure.add", {"model": "ur5"}),
    ("pose.set", {"q": "q = [0.1]"}),
    ("pose.set", {"q": "q = [["}),
    ("pose.set", {"q": "q = " + "[" * 10_000}),
    ("pose.set", {"q": "q." * 20_000 + "q = 1"}),
    ("solve.tolerance", {"tolerance": -1.0}),
    ("solve.max_iter", {"max_iter": -1}),
    ("plan.path", {"speed": 0.0}),
    ("chair.drive", {"legs": "1 0"}),
    ("motion.open", {"name": "a.bvh", "text": "HIERARCHY"}),
    ("motion.open", {"name": "a.txt", "text": ""}),
    *[
        ("file.open", {"name": f"a.{end}", "text": "solid a"})
        for end in ("glb", "xml", "toml", "json", "stl", "ply", "obj", "dxf", "ifc", "svg", "dae")
    ],
    ("file.open", {"name": "a.doc", "text": ""}),
    ("file.save_as", {"name": ""}),
    ("view.key", {"action": "edit.undo", "key": "what"}),
]


@pytest.mark.parametrize(("action", "args"), REFUSED)
def test_what_is_refused_in_the_page_has_french(action: str, args: dict[str, Any]) -> None:
    app = people()
    app.do("person.chair", kind="manual")
    with pytest.raises((HandikError, TypeError)) as refused:
        app.do(action, **args)
    said = in_language(_sentence(refused.value), "fr")
    assert not said.startswith("Refus\u00e9 : "), said
    assert said != _sentence(refused.value)


def test_what_is_longer_than_a_sentence_is_not_looked_up() -> None:
    name = "x" * (LONGEST - len(" is locked"))
    assert in_french(f"{name} is locked") == f"{name} est verrouillé"
    assert in_french(f"{name}x is locked") is None
