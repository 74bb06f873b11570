"""The fuzzer of scene files: a short slice of it, and what it has found."""

from __future__ import annotations

from pathlib import Path

import pytest
import scenes

import handik as hk

NEEDS = {"obj": "trimesh", "stl": "trimesh", "ply": "trimesh", "ply_binary": "trimesh", "glb": "trimesh",
         "dae": "collada", "dxf": "ezdxf", "ifc": "ifcopenshell"}  # fmt: skip


@pytest.mark.parametrize(
    "kind", ["toml", "xml", "stl", "ply_binary", "glb", "svg", "ogre_mesh", "urdf", "dxf"]
)
def test_a_slice_of_the_fuzzer_finds_nothing(kind: str) -> None:
    if kind in NEEDS:
        pytest.importorskip(NEEDS[kind])
    assert not scenes.slice_of(kind, range(9000, 9015), cuts=len(scenes.TOML) // 3)


@pytest.mark.parametrize("kind", ["urdf", "dxf"])
def test_what_it_has_found_is_refused_with_the_name_of_the_file(kind: str, tmp_path: Path) -> None:
    if kind in NEEDS:
        pytest.importorskip(NEEDS[kind])
    name, data = scenes.sound()[kind]
    wrong = {
        "urdf": data.replace(b'size="1 1 0.2"', b'size="2147483647 1 1"'),
        "dxf": data.replace(b"\nCIRCLE\n", b"\nXIRCLE\n"),
    }[kind]
    assert wrong != data
    scenes.folder_of(str(tmp_path))
    path = tmp_path / name
    path.write_bytes(wrong)
    if kind == "dxf":  # what is of no kind known is nothing; the rest is there
        assert hk.load_scene(path).find()
        return
    with pytest.raises(hk.ReadError, match=name):
        hk.load_scene(path)
