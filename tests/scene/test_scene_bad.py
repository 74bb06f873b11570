"""Bad scene files: each is refused by a named error with file, line and a sentence."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from bad_scenes import BAD, HEAD, one

import handik as hk
from handik.scene import _files as files


@pytest.mark.parametrize("name", BAD)
def test_a_bad_scene_is_refused_with_its_line(name: str, tmp_path: Path) -> None:
    bad = BAD[name]
    path = tmp_path / f"bad{bad.suffix}"
    path.write_bytes(bad.text.encode("utf-8", "surrogatepass"))
    (tmp_path / "good.toml").write_text(one(""), "utf-8")
    with pytest.raises(hk.ReadError) as caught:
        hk.load_scene(path)
    said = str(caught.value)
    assert caught.value.path == str(path)
    assert bad.line is None or caught.value.line == bad.line, said
    for word in bad.words:
        assert word in said


def test_there_are_enough_kinds_of_bad_scenes() -> None:
    assert len({bad.text for bad in BAD.values()}) >= 50


def test_what_is_no_file_or_no_scene(tmp_path: Path) -> None:
    with pytest.raises(hk.MissingFileError):
        hk.load_scene(tmp_path / "no.toml")
    os.mkdir(tmp_path / "a.toml")
    with pytest.raises(hk.ReadError, match="a folder"):
        hk.load_scene(tmp_path / "a.toml")
    with pytest.raises(hk.UnsupportedError, match=r"\.toml or \.xml"):
        hk.load_scene(tmp_path / "a.json")


def test_a_long_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.toml"
    path.write_text(HEAD, "utf-8")
    monkeypatch.setattr(files, "LONGEST", len(HEAD))
    hk.load_scene(path)
    monkeypatch.setattr(files, "LONGEST", len(HEAD) - 1)
    with pytest.raises(hk.ReadError, match="longer than the limit"):
        hk.load_scene(path)


def chain_of_scenes(folder: Path, count: int) -> Path:
    """Scenes that include each other, `count` below the first."""
    for k in range(count):
        text = one(f'include = {{ file = "{k + 1}.toml" }}')
        (folder / f"{k}.toml").write_text(text, "utf-8")
    (folder / f"{count}.toml").write_text(one(""), "utf-8")
    return folder / "0.toml"


def test_includes_are_bounded_in_depth(tmp_path: Path) -> None:
    deepest = files.DEEPEST_INCLUDED
    assert len(hk.load_scene(chain_of_scenes(tmp_path, deepest))) == deepest + 1
    with pytest.raises(hk.ReadError, match=r"8 deep") as caught:
        hk.load_scene(chain_of_scenes(tmp_path, deepest + 1))
    assert caught.value.line == 4
    assert str(caught.value.path).endswith(f"{deepest}.toml")


def test_includes_are_bounded_in_number(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(one(""), "utf-8")
    rows = [HEAD] + [
        f'[[object]]\nname = "n{k}"\ninclude = {{ file = "a.toml" }}\n'
        for k in range(files.MOST_INCLUDED + 1)
    ]
    path = tmp_path / "all.toml"
    path.write_text("".join(rows[:-1]), "utf-8")
    assert len(hk.load_scene(path)) == 2 * files.MOST_INCLUDED
    path.write_text("".join(rows), "utf-8")
    with pytest.raises(hk.ReadError, match="more than 64 scenes"):
        hk.load_scene(path)


def test_a_bomb_of_includes_stops_soon(tmp_path: Path) -> None:
    """Each includes the next ten times: ten to the eighth without a bound."""
    for k in range(8):
        rows = [HEAD] + [
            f'[[object]]\nname = "n{j}"\ninclude = {{ file = "{k + 1}.toml" }}\n' for j in range(10)
        ]
        (tmp_path / f"{k}.toml").write_text("".join(rows), "utf-8")
    (tmp_path / "8.toml").write_text(one(""), "utf-8")
    begin = time.process_time()
    with pytest.raises(hk.ReadError, match="scenes are included"):
        hk.load_scene(tmp_path / "0.toml")
    assert time.process_time() - begin < 5


def test_roots_let_in_what_they_name_alone(tmp_path: Path) -> None:
    inside, other = tmp_path / "inside", tmp_path / "other"
    inside.mkdir()
    other.mkdir()
    (other / "chair.obj").write_text("", "utf-8")
    path = inside / "a.toml"
    path.write_text(one('mesh = { file = "../other/chair.obj" }'), "utf-8")
    with pytest.raises(hk.ReadError, match="leads outside"):
        hk.load_scene(path)
    found = hk.load_scene(path, roots=[other])["a"].content
    assert found == hk.scene.Mesh(other / "chair.obj")
    path.write_text(one('mesh = { file = "chair.obj" }'), "utf-8")
    assert hk.load_scene(path, roots=other)["a"].content == found
    (inside / "link.obj").symlink_to(other / "chair.obj")  # a link leads out too
    path.write_text(one('mesh = { file = "link.obj" }'), "utf-8")
    with pytest.raises(hk.ReadError, match="leads outside"):
        hk.load_scene(path)


def test_an_included_scene_has_no_more_rights(tmp_path: Path) -> None:
    """Its own folder, below, lets nothing out of the folder of the first."""
    low = tmp_path / "top" / "low"
    low.mkdir(parents=True)
    (tmp_path / "chair.obj").write_text("", "utf-8")
    (tmp_path / "top" / "near.obj").write_text("", "utf-8")
    (tmp_path / "top" / "a.toml").write_text(one('include = { file = "low/b.toml" }'), "utf-8")
    (low / "b.toml").write_text(one('mesh = { file = "../near.obj" }'), "utf-8")
    assert hk.load_scene(tmp_path / "top" / "a.toml").find(kind="mesh") == ("a/a",)
    (low / "b.toml").write_text(one('mesh = { file = "../../chair.obj" }'), "utf-8")
    with pytest.raises(hk.ReadError, match="leads outside"):
        hk.load_scene(tmp_path / "top" / "a.toml")
