"""A scene that the command opens: unsaved work on it comes back after a crash, and a file that was edited meanwhile is read anew."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import handik as hk
from handik.app import App
from handik.app._acts_file import as_text, from_text
from handik.app._document import Document
from handik.app.cli.app import _journal, add

pytest.importorskip("websockets", reason="websockets is not installed: pip install 'handik[app]'")
pytest.importorskip("swift", reason="swift-sim is not installed: it holds three.js")


def opened(journal: Path, *names: str) -> App:
    """Begin as the command does with a scene."""
    scene = hk.Scene(name="room")
    for k, name in enumerate(names):
        scene = scene.add(name, hk.scene.Box([1, 1, 1]), [2 * k, 0, 0])
    app = App(scene, journal=journal)
    app.opened(Document(scene=scene).tidied())
    return app


def killed(app: App) -> None:
    assert app._journal is not None
    app._journal.close()


def test_unsaved_work_on_a_scene_comes_back_and_rests_on_no_file(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    app = opened(journal, "desk")
    assert not app.history.modified
    app.do("node.add", name="lamp")
    app.do("node.move", nodes=["desk"], by=[0.5, 0, 0])
    kept = as_text(app.document)
    killed(app)
    again = opened(journal, "another", "file")  # the file is no longer what it was
    assert as_text(again.document) == kept
    assert again.history.modified
    assert again.recovered is not None
    again.do("edit.undo")
    again.do("edit.undo")
    assert again.document.scene.find() == ("desk",)
    killed(again)


def test_without_unsaved_work_the_file_is_read_anew(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    killed(opened(journal, "desk"))
    app = opened(journal, "desk", "chair")
    assert app.document.scene.find() == ("desk", "chair")
    app.do("node.add", name="lamp")
    app.do("file.save", path=str(tmp_path / "room.json"))
    killed(app)
    last = opened(journal, "desk", "chair", "lamp", "rug")
    assert last.document.scene.find() == ("desk", "chair", "lamp", "rug")
    assert last.recovered is None
    last.close()


def test_a_file_that_was_just_opened_has_no_unsaved_work() -> None:
    room = hk.Scene(name="room").add("desk", hk.scene.Box([1, 1, 1]))
    text, other = as_text(Document(scene=room)), as_text(Document(scene=hk.Scene(name="hall")))
    app = App()
    app.do("file.open", name="room.json", text=text)
    assert not app.history.modified
    app.do("node.add", name="lamp")
    app.do("file.open", name="hall.json", text=other)
    assert app.history.modified, "the lamp is nowhere but in undo"


def test_each_scene_has_a_journal_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    (tmp_path / "a.toml").write_text("")
    monkeypatch.chdir(tmp_path)
    names = [_journal(name) for name in (None, "kitchen", "a.toml", "b.toml")]
    assert len(set(names)) == 4
    assert _journal("a.toml") == _journal(str(tmp_path / "a.toml"))


SOLVER = """import handik as hk

@hk.solver("mine_of_the_page", max_iter=20)
def solve(problem, target, q0):
    yield q0
"""


@pytest.mark.build
def test_the_command_brings_own_solvers_and_is_killed(tmp_path: Path) -> None:
    (tmp_path / "mine_for_app.py").write_text(SOLVER)
    scene = tmp_path / "room.json"
    room = hk.Scene(name="room").add("desk", hk.scene.Box([1, 1, 1]))
    scene.write_text(as_text(Document(scene=room)))
    line = [sys.executable, "-m", "handik", "app", str(scene), "--no-browser"]
    line += ["--import", str(tmp_path / "mine_for_app.py")]
    where = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=where) as run:
        assert run.stdout is not None
        assert run.stdout.readline().startswith("http://127.0.0.1:")
        run.send_signal(signal.SIGKILL)
    assert from_text("room.json", scene.read_text()).scene.find() == ("desk",)
    parser = argparse.ArgumentParser()
    add(parser.add_subparsers())
    given: Any = parser.parse_args(["app", "--import", "a.py", "--import", "b"])
    assert given.modules == ["a.py", "b"]


@pytest.mark.build
def test_a_folder_that_cannot_be_written_leaves_the_application_without_a_journal(
    tmp_path: Path,
) -> None:
    (tmp_path / "state").write_text("a file, no folder")
    line = [sys.executable, "-m", "handik", "app", "--no-browser"]
    where = {**os.environ, "XDG_STATE_HOME": str(tmp_path / "state")}
    with subprocess.Popen(
        line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=where
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        assert run.stdout.readline().startswith("http://127.0.0.1:")
        run.terminate()
        assert run.wait(60) == 0
        assert "unsaved work is not kept" in run.stderr.read()


def test_on_a_full_disk_a_save_gives_the_file_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = opened(tmp_path / "journal", "desk")
    app.do("node.add", name="lamp")
    files: list[bytes] = []
    app.listeners.append(lambda told: files.extend(one.data for one in told.given))

    def full(*args: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("handik.app._journal.Journal.add", full)
    said = app.do("file.save")
    assert "No space left" in said
    assert from_text("room.json", files[-1].decode()).scene.find() == ("desk", "lamp")
    assert not app.history.modified
    monkeypatch.undo()
    app.do("node.add", name="rug")
    killed(app)
    again = opened(tmp_path / "journal", "desk")
    assert again.document.scene.find() == ("desk", "lamp", "rug")
    again.close()


@pytest.mark.build
def test_a_disk_that_fills_up_is_said_and_leaves_what_fitted(tmp_path: Path) -> None:
    """A real limit of the system, which stops a write in its middle."""
    program = f"""
import resource
from handik.app import App
app = App(journal={str(tmp_path / "journal")!r})
app.do("node.add", name="a")
resource.setrlimit(resource.RLIMIT_FSIZE, (120, resource.RLIM_INFINITY))
print(app.do("node.add", name="b" * 200))
print(app.do("file.save"))
app.close()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("File too large") == 2


def test_without_fcntl_the_journal_is_locked_as_windows_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked: list[int] = []

    def locking(number: int, mode: int, count: int) -> None:
        if os.lseek(number, 0, os.SEEK_CUR) in locked:
            raise OSError(36, "Resource deadlock avoided")
        locked.append(os.lseek(number, 0, os.SEEK_CUR))

    module = ModuleType("msvcrt")
    monkeypatch.setattr(module, "locking", locking, raising=False)
    monkeypatch.setattr(module, "LK_NBLCK", 2, raising=False)
    monkeypatch.setitem(sys.modules, "msvcrt", module)
    monkeypatch.setitem(sys.modules, "fcntl", None)
    app = App(journal=tmp_path / "journal")
    app.do("node.add", name="a")
    with pytest.raises(hk.ArgumentError, match="another application"):
        App(journal=tmp_path / "journal")
    killed(app)
    locked.clear()
    again = App(journal=tmp_path / "journal")
    assert again.document.scene.find() == ("a",)
    again.close()
