"""The application without a page: its table of actions, undo, journal, script and files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.app import App
from handik.app._actions import ACTIONS
from handik.app._acts_file import as_text
from handik.app._describe import Numbers
from handik.app._document import Document
from handik.app._journal import Journal, entries
from handik.app._live import Live
from handik.app._wire import Event
from handik.app._words import MENUS


def furnished() -> App:
    """A person, a table with a cup, a target, a kept pose; the cup selected."""
    app = App()
    app.do("node.add", kind="box", name="table", size=0.3, at=[0.8, 0.0, 0.2])
    app.do("node.add", kind="sphere", name="cup", size=0.1, at=[0.8, 0.4, 0.5])
    app.do("person.add", sex="female", stature=1.62)
    app.do("solve.live", live=False)
    app.do("target.set", at=[0.4, -0.2, 1.0])
    app.do("pose.save", name="still")
    app.do("node.select", nodes=["cup"])
    return app


#: How each action is done on it, and what is done before; an action that is not here needs nothing.
CALLS: dict[str, dict[str, Any]] = {
    "file.open": {
        "name": "a.toml",
        "text": 'format = "handik scene 1"\n[[object]]\nname = "ball"\n',
    },
    "file.import": {"name": "a.json"},
    "file.rename": {"name": "flat"},
    "file.save_as": {"name": "flat"},
    "avatar.place": {"at": [1, 2, 0], "heading": 0.5},
    "node.select": {"nodes": ["table"]},
    "node.rename": {"node": "cup", "name": "mug"},
    "node.reparent": {"node": "cup", "parent": "table"},
    "node.transform": {"node": "cup", "pose": [1, 2, 3, 0, 1, 0, 0], "scale": 2.0},
    "node.move": {"by": [0, 0, 1]},
    "node.rotate": {"axis": "x", "angle": 0.5},
    "node.scale": {"factor": 2.0},
    "node.color": {"color": "#ff0000"},
    "node.align": {"other": "table", "side": "on top"},
    "node.measure": {"nodes": ["cup", "table"]},
    "hand.jog": {"axis": "z", "by": 0.05},
    "person.set": {"stature": 1.8},
    "person.measure": {"name": "sitting_height", "value": 0.9},
    "person.compare": {"stature": 1.9},
    "person.population": {"count": 2},
    "person.chair": {"kind": "manual"},
    "chair.drive": {"legs": "-1 0 0.5; 0 1 1"},
    "motion.use": {"name": "wave"},
    "motion.keep": {"name": "wave"},
    "motion.forget": {"name": "wave"},
    "motion.pace": {"factor": 2.0},
    "chair.judge": {"to": [-2.0, 0.0, 0.0]},
    "figure.activate": {"figure": "ur5"},
    "joint.set": {"dof": "elbow_flexion_right", "value": 1.0},
    "joint.lock": {"dof": "elbow_flexion_right"},
    "joint.mirror": {"mirror": True},
    "pose.set": {"q": "q = [" + ", ".join(["0.1"] * 23) + "]"},
    "pose.save": {"name": "again"},
    "pose.apply": {"name": "still"},
    "pose.forget": {"name": "still"},
    "target.set": {"at": [0.3, 0, 1]},
    "target.choose": {"target": "other"},
    "target.want": {"want": "pose"},
    "solve.solver": {"solver": "ccd"},
    "solve.tolerance": {"tolerance": 0.01},
    "solve.max_iter": {"max_iter": 7},
    "solve.live": {"live": True},
    "solve.collisions": {"collisions": True},
    "solve.hand": {"hand": "left"},
    "solve.ghost": {"solver": "fabrik"},
    "solve.eight": {"poses": 10},
    "view.mode": {"mode": "compute"},
    "view.language": {"language": "fr"},
    "view.theme": {"theme": "dark"},
    "view.draw": {"draw": "wire"},
    "view.body": {"body": "capsules"},
    "view.snap": {"snap": True},
    "view.snap_size": {"snap_size": 0.1},
    "view.key": {"action": "node.floor", "key": "Control+F8"},
    "view.camera": {"name": "door", "pose": [1, 2, 3, 1, 0, 0, 0]},
    "plan.path": {"obstacles": False},
    "plan.take": {"share": 0.5},
    "access.reach": {"obstacles": False},
    "access.share": {"count": 1},
}
WALL = """format = "handik scene 1"
[[object]]
name = "wall"
tags = ["wall"]
position = [0, 2, 1]
box = { size = [4, 0.1, 2] }
[[object]]
name = "shelf"
position = [0.3, 0.5, 1.2]
box = { size = [0.8, 0.3, 0.4] }
"""
BEND = ("joint.set", {"dof": "trunk_turn", "value": 0.3})
WAVE = [
    ("motion.record", {}),
    ("joint.set", {"dof": "elbow_flexion_right", "value": 0.3}),
    ("joint.set", {"dof": "elbow_flexion_right", "value": 1.0}),
    ("motion.record", {}),
]
BEFORE: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "node.select": [("edit.none", {})],
    "node.show_all": [("node.hide", {})],
    "edit.redo": [("edit.undo", {})],
    "figure.activate": [("figure.add", {}), ("figure.activate", {"figure": "person"})],
    "target.choose": [("node.add", {"kind": "target", "name": "other"}), ("edit.undo", {})][:1]
    + [("target.choose", {"target": "target"})],
    "node.measure": [("node.select", {"nodes": ["cup", "table"]})],
    "node.measure_off": [
        ("node.select", {"nodes": ["cup", "table"]}),
        ("node.measure", {}),
    ],
    "node.wall": [
        ("file.open", {"name": "a.toml", "text": WALL}),
        ("node.select", {"nodes": ["shelf"]}),
    ],
    "arm.swivel": [("joint.set", {"dof": "elbow_flexion_right", "value": 1.0})],
    "arm.swivel_in": [("joint.set", {"dof": "elbow_flexion_right", "value": 1.0})],
    "pose.reset": [BEND],
    "avatar.initialise": [BEND],
    "pose.mirror": [BEND],
    "pose.apply": [BEND],
    "solve.steps_off": [("solve.steps", {})],
    "solve.laps_off": [("solve.eight", {"poses": 10})],
    "plan.take": [("target.set", {"at": [0.45, -0.45, 0.9]}), ("plan.path", {"obstacles": False})],
    "person.alone": [("person.compare", {"stature": 1.9})],
    "chair.drive": [("person.chair", {"kind": "manual"})],
    "chair.judge": [("person.chair", {"kind": "mid"})],
    "chair.forget": [
        ("person.chair", {"kind": "manual"}),
        ("chair.drive", {"legs": "-1 0 0.5"}),
    ],
    "motion.record": WAVE[:3],
    "motion.keep": WAVE,
    "motion.smooth": [*WAVE, ("motion.pace", {"factor": 0.01}), ("motion.pace", {"factor": 0.01})],
    "motion.mirror": WAVE,
    "motion.pace": WAVE,
    "motion.lead": WAVE,
    "motion.save": WAVE,
    "motion.find": [*WAVE, ("pose.reset", {})],
    "motion.use": [*WAVE, ("motion.keep", {"name": "wave"}), ("pose.reset", {})],
    "motion.forget": [*WAVE, ("motion.keep", {"name": "wave"})],
    "access.rules_off": [("access.rules", {})],
    "access.apply": [
        ("figure.add", {}),
        ("target.set", {"at": [1.5, -0.3, 0.5]}),
        ("access.reach", {"obstacles": False}),
    ],
    "access.show": [("access.reach", {"obstacles": False})],
}


@pytest.mark.parametrize("name", ACTIONS)
def test_every_action_has_an_effect_and_undo_takes_it_back(name: str) -> None:
    app = furnished()
    for other, args in BEFORE.get(name, []):
        app.do(other, **args)
    args = CALLS.get(name, {})
    if name == "motion.open":
        model = app.document.actor()[1].figure
        text = hk.write.to_bvh(model, np.stack([model.rest] * 3), frame_time=0.1)
        args = {"name": "a.bvh", "text": text, "scale": 1.0}
    if name == "file.import":
        args = {**args, "text": as_text(app.document)}
    before, view, given = app.document, app.view, len(app.given)
    said = app.do(name, **args)
    assert said.strip()
    assert (app.document, app.view, len(app.given)) != (before, view, given)
    if app.document is not before and name not in ("edit.undo", "edit.redo"):
        after = app.document
        app.do("edit.undo")
        assert app.document is before
        app.do("edit.redo")
        assert app.document is after


def test_every_action_has_words_a_menu_and_a_key_or_a_reason() -> None:
    keys = [one.key for one in ACTIONS.values() if one.key]
    assert len(keys) == len(set(keys)) > 20
    for one in ACTIONS.values():
        assert one.menu in MENUS
        assert one.words.en
        assert one.words.fr
        assert (one.key is None) == bool(one.no_key)
        for arg in one.args:
            assert arg.words.en
            assert arg.words.fr
        json.dumps(one.plain())
    same = [one.id for one in ACTIONS.values() if one.words.en == one.words.fr]
    assert same == ["view.mode"]  # the same in both


def test_what_cannot_be_done_is_said() -> None:
    app = App()
    for name, args, said in (
        ("nonsense", {}, "action"),
        ("edit.undo", {}, "cannot be done now"),
        ("solve.run", {}, "cannot be done now"),
        ("node.rename", {"node": "x", "name": "y"}, "cannot be done now"),
        ("node.add", {"kind": "wall"}, "kind"),
        ("node.add", {"at": [1, 2]}, "at"),
        ("node.add", {"size": "big"}, "size"),
        ("node.add", {"colour": 1}, "argument of node.add"),
        ("node.select", {"nodes": ["x"]}, "node"),
        ("node.select", {"nodes": "x"}, "list of paths"),
        ("node.color", {"color": "#ff0000"}, "select an object first"),
        ("file.rename", {}, "needs name"),
        ("file.open", {"name": "a.doc", "text": ""}, "ends in"),
        ("file.open", {"name": "a.json", "text": "{"}, "damaged"),
        ("file.open", {"name": "a.json", "text": "{}"}, "no document"),
    ):
        with pytest.raises((hk.HandikError, TypeError), match=said):
            app.do(name, **args)
    assert app.document == Document()
    assert app.done == []


@pytest.mark.parametrize(("name", "value"), [("solve.tolerance", -1e-9), ("view.snap_size", -0.1)])
def test_a_setting_that_nothing_could_be_done_with_is_refused(name: str, value: float) -> None:
    app = furnished()
    field = name.partition(".")[2]
    with pytest.raises(hk.ArgumentError, match=f"{field} must be zero or more"):
        app.do(name, **{field: value})
    app.do(name, **{field: 0.0})
    app.do("target.set", at=[0.4, -0.3, 1.0])


def test_keys_are_changed_but_never_two_of_one() -> None:
    app = App()
    app.do("view.key", action="node.floor", key="Control+F8")
    app.do("view.key", action="page.view.all", key="F7")
    assert dict(app.view.keys) == {"node.floor": "Control+F8", "page.view.all": "F7"}
    for action, key, why in (
        ("node.hide", "Control+F8", "is the key of 'Put on the floor'"),
        ("node.hide", "Control+Z", "is the key of 'Undo'"),
        ("node.hide", "Hyper+Q", "key must be like"),
        ("nothing", "F2", "no action"),
    ):
        with pytest.raises(hk.ArgumentError, match=re.escape(why)):
            app.do("view.key", action=action, key=key)
    app.do("view.key", action="node.hide", key="End")  # left free by the floor's new one
    app.do("view.key", action="node.floor")
    assert dict(app.view.keys) == {"node.hide": "End", "page.view.all": "F7"}


def test_a_lock_holds_for_all_below_it_and_a_figure_is_not_scaled() -> None:
    app = furnished()
    app.do("node.lock", nodes=["table"])
    app.do("node.select", nodes=["table"])
    for name, args in (("node.delete", {}), ("node.move", {"by": [1, 0, 0]}), ("node.floor", {})):
        with pytest.raises(hk.ArgumentError, match="'table' is locked"):
            app.do(name, **args)
    with pytest.raises(hk.ArgumentError, match="stature"):
        app.do("node.scale", nodes=["person"], factor=2.0)


def test_an_object_is_put_on_the_floor() -> None:
    app = furnished()
    app.do("edit.none")  # objects that are named need not be selected
    app.do("node.floor", nodes=["table", "cup"])
    scene = app.document.scene
    assert scene.world("table")[2, 3] == pytest.approx(0.15)
    assert scene.world("cup")[2, 3] == pytest.approx(0.05)


def test_ten_thousand_undos_end_in_the_first_document() -> None:
    app = furnished()
    first, count = as_text(app.document).encode(), len(app.history.before)
    for k in range(5000):
        app.do("node.move", nodes=["cup"], by=[1e-3 * (-1) ** k, 0, 0])
        app.do("node.hide", nodes=["table"])
    assert len(app.history.before) == count + 10_000
    for _ in range(10_000):
        app.do("edit.undo")
    assert as_text(app.document).encode() == first


def test_a_held_joint_stays_and_a_mirrored_slider_moves_both() -> None:
    app = furnished()
    app.do("joint.set", dof="elbow_flexion_right", value=1.2)
    app.do("joint.lock", dof="elbow_flexion_right")
    app.do("solve.run")
    body = app.document.actor()[1]
    at = body.figure.joint_q_slices["elbow_flexion_right"]
    assert float(body.posture[at][0]) == 1.2
    assert app.document.solve is not None
    assert app.document.solve.outcome == "converged"
    app.do("joint.mirror", mirror=True)
    app.do("joint.set", dof="wrist_flexion_right", value=0.4)
    body = app.document.actor()[1]
    both = [
        body.posture[body.figure.joint_q_slices[f"wrist_flexion_{s}"]] for s in ("left", "right")
    ]
    np.testing.assert_allclose(both, 0.4)


@pytest.mark.parametrize("model", [None, "data:ur5"])
def test_a_solve_brings_the_hand_to_the_target_wherever_the_figure_stands(
    model: str | None,
) -> None:
    app = App()
    app.do("person.add") if model is None else app.do("figure.add", model=model)
    at = app.document.figure
    app.do("node.transform", node=at, pose=[2, 1, 0, 0.6, 0, 0, 0.8])
    place = app.document.scene.world(at)
    app.do("target.set", at=(place @ [0.35, -0.2, 0.9 if model is None else 0.4, 1])[:3].tolist())
    actor = app.document.actor()[1]
    frame = "grip_right" if model is None else actor.figure.tip
    tip = place @ actor.figure.fk(actor.posture, frame=frame)
    np.testing.assert_allclose(tip[:3, 3], app.document.scene.world("target")[:3, 3], atol=1e-3)


def test_the_target_is_put_at_the_hand_wherever_the_figure_stands() -> None:
    app = furnished()
    app.do("node.transform", node="person", pose=[1, 2, 0, 0.6, 0, 0, 0.8])
    for side in ("right", "left"):
        app.do("solve.hand", hand=side)
        app.do("target.hand")
        actor, world = app.document.actor()[1], app.document.scene.world("person")
        hand = world @ np.asarray(actor.figure.fk(actor.posture, frame=f"grip_{side}"))
        np.testing.assert_allclose(app.document.scene.world("target")[:3, 3], hand[:3, 3])


def test_the_verdict_and_the_path_are_dropped_when_the_scene_changes() -> None:
    app = furnished()
    app.do("access.reach", obstacles=False)
    assert app.document.verdict is not None
    assert app.document.verdict.verdict == "yes"
    app.do("plan.path", obstacles=False)
    way = app.document.path
    assert way is not None
    app.do("node.move", nodes=["table"], by=[1, 0, 0])
    assert app.document.verdict is None is app.document.path


def test_a_script_does_it_all_again() -> None:
    app = furnished()
    app.do("solve.run")
    app.do("node.group", nodes=["table", "cup"])
    app.do("edit.undo")
    names: dict[str, Any] = {}
    exec(app.script(), names)
    assert as_text(names["app"].document) == as_text(app.document)


def test_a_file_gives_the_document_back(tmp_path: Path) -> None:
    app = furnished()
    app.do("node.hide", nodes=["cup"])
    app.do("node.lock", nodes=["table"])
    app.do("joint.lock", dof="trunk_turn")
    path = tmp_path / "room.json"
    app.do("file.save", path=str(path))
    assert not app.history.modified
    other = App()
    other.do("file.open", name="room.json", text=path.read_text("utf-8"))
    assert as_text(other.document) == as_text(app.document)
    with pytest.raises(hk.UnsupportedError, match="json"):
        app.do("file.save", path=str(tmp_path / "room.txt"))


def test_unsaved_work_comes_back_after_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    app = App(journal=path)
    app.do("node.add", name="a")
    app.do("node.add", name="b")
    app.do("edit.undo")
    kept = as_text(app.document)
    with pytest.raises(hk.ArgumentError, match="another application"):
        App(journal=path)
    app._journal.close()  # the process is gone
    with path.open("ab") as stream:
        stream.write(b"0badc0de [torn")
    again = App(journal=path)
    assert as_text(again.document) == kept
    assert again.recovered == "3 actions of the last session were recovered"
    again.do("file.save", path=str(tmp_path / "saved.json"))
    again.do("node.add", name="c")
    again._journal.close()
    third = App(journal=path)
    assert third.document.scene.find() == ("a", "c")
    third.do("file.save", path=str(tmp_path / "saved.json"))
    third.close()
    assert path.read_bytes() == b""


def test_undos_are_recovered_as_they_were(tmp_path: Path) -> None:
    """Past a save, past what is not kept, and of a drag that is several actions."""

    def crashed(app: App) -> App:
        """The same after its process has gone."""
        app._journal.close()
        again = App(journal=path)
        assert as_text(again.document) == as_text(app.document)
        assert again.document.settings == app.document.settings
        return again

    path = tmp_path / "journal"
    app = App(journal=path)
    for name in "abc":
        app.do("node.add", name=name)
    app.do("solve.tolerance", tolerance=0.5)
    app.do("file.save")
    app.do("edit.undo")
    app.do("edit.undo")
    app.do("node.add", name="d")
    app = crashed(app)
    assert app.document.scene.find() == ("a", "b", "d")
    assert app.history.modified
    app.do("node.select", nodes=["a", "b"])
    app.do("node.measure")
    app.do("edit.undo")
    app.do("node.add", name="e")
    app = crashed(app)
    app.do("file.save")
    app.do("edit.undo")
    app.do("edit.redo")
    app.do("node.add", name="f")
    app = crashed(app)
    assert app.document.scene.find() == ("a", "b", "d", "e", "f")

    app.do("person.add", sex="female")
    app.do("target.set", at=[0.4, 0.2, 1.0])
    app = crashed(app)
    numbers = Numbers()
    number = numbers.of("target") or 0
    before = as_text(app.document)
    live = Live(app, numbers, {"action": "target.move"})
    live.use(Event(2, 0, number, 0, 0.0, np.array([0.4, 0.3, 1.1])))
    live.end()
    dragged = as_text(app.document)
    assert dragged != before
    app.do("edit.undo")
    assert as_text(app.document) == before
    app = crashed(app)
    assert as_text(app.document) == before
    app.do("node.add", name="g")
    app = crashed(app)
    app.do("motion.record")
    app.do("pose.reset")
    app.do("joint.set", dof="elbow_flexion_right", value=1.0)
    app.do("motion.record")
    assert len(app.document.motions) == 1
    app.do("motion.mirror")
    app.do("node.add", name="h")
    crashed(app).close()


def test_a_script_undoes_a_drag_whole() -> None:
    app, numbers = App(), Numbers()
    app.do("person.add", sex="female")
    app.do("target.set", at=[0.4, 0.2, 1.0])
    live = Live(app, numbers, {"action": "target.move"})
    live.use(Event(2, 0, numbers.of("target") or 0, 0, 0.0, np.array([0.4, 0.3, 1.1])))
    live.end()
    app.do("edit.undo")
    names: dict[str, Any] = {}
    exec(app.script(), names)
    assert as_text(names["app"].document) == as_text(app.document)


def test_a_damaged_line_ends_the_journal_and_a_full_disk_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "journal"
    journal = Journal(path)
    for k in range(3):
        journal.add([k])
    journal.close()
    lines = path.read_bytes().split(b"\n")
    path.write_bytes(b"\n".join([lines[0], lines[1].replace(b"[1]", b"[7]"), *lines[2:]]))
    assert list(entries(path)) == [[0]]
    app = App(journal=path)
    assert app.recovered is not None
    assert re.match("The journal of the last session stops at", app.recovered)

    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    assert "No space left" in app.do("node.add", name="a")
    assert app.document.scene.find() == ("a",)
    monkeypatch.undo()
    app.do("node.add", name="b")
    app._journal.close()
    again = App(journal=path)
    assert again.document.scene.find() == ("a", "b"), "what did not fit came after all"
    assert again.history.modified
    again.close()


def test_a_journal_that_cannot_be_done_again_says_where_it_stops(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    journal = Journal(path)
    journal.add(["node.add", {"name": "a"}])
    journal.add(["node.color", {"nodes": ["b"], "color": "#ffffff"}])
    journal.close()
    app = App(journal=path)
    assert app.document.scene.find() == ("a",)
    assert app.recovered is not None
    assert "node.color" in app.recovered
    app.close()


@pytest.mark.parametrize("broken", ["os.replace", "os.fsync"])
def test_a_save_that_fails_leaves_the_old_file_and_the_work(
    broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk, or an end in mid-save: the file is the old one, whole, and all is unsaved."""
    path = tmp_path / "room.json"
    app = furnished()
    app.do("file.save", path=str(path))
    old = path.read_bytes()
    app.do("node.delete", nodes=["cup"])

    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(broken, full)
    with pytest.raises(OSError, match="No space left"):
        app.do("file.save", path=str(path))
    monkeypatch.undo()
    assert path.read_bytes() == old
    assert [one.name for one in tmp_path.iterdir()] == ["room.json"]
    assert app.history.modified
    app.do("file.save", path=str(path))
    assert path.read_bytes() != old


def test_random_actions_leave_a_document_that_is_told_saved_and_undone() -> None:
    rng = np.random.default_rng(18)
    app = furnished()
    first, count = as_text(app.document), len(app.history.before)
    for k in range(300):
        node = str(rng.choice(list(app.document.scene)))
        name, args = [
            ("node.move", {"nodes": [node], "by": rng.normal(size=3).tolist()}),
            ("joint.set", {"dof": "trunk_turn", "value": float(rng.normal())}),
            ("node.hide", {"nodes": [node]}),
            ("node.color", {"nodes": [node], "color": "#123456"}),
            ("target.set", {"at": rng.normal(size=3).tolist()}),
        ][k % 5]
        app.do(name, **args)
    again = App()
    again.do("file.open", name="a.json", text=as_text(app.document))
    assert as_text(again.document) == as_text(app.document)
    while len(app.history.before) > count:
        app.do("edit.undo")
    assert as_text(app.document) == first
