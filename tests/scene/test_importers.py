"""Importers: what each format says of names, units, axes and places comes out in meters, z up."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik.scene.read import SUFFIXES, read

sys.path.insert(0, str(Path(__file__).parent))
import import_files as files
from import_files import written


def bounds(scene: hk.Scene, path: str) -> tuple[list[float], list[float]]:
    """Of the vertices of a mesh in the world."""
    node = scene[path]
    points = node.content.vertices @ scene.world(path)[:3, :3].T + scene.world(path)[:3, 3]
    return points.min(0).round(6).tolist(), points.max(0).round(6).tolist()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("crate.obj", files.obj()),
        ("crate.stl", files.stl()),
        ("text.stl", files.stl_text()),
        ("crate.ply", files.ply()),
    ],
    ids=["obj", "stl", "stl-text", "ply"],
)
def test_formats_without_unit_are_meters_and_z_up(tmp_path: Path, name: str, data: Any) -> None:
    pytest.importorskip("trimesh")
    path = written(tmp_path, name, data)
    scene = read(path)
    (node,) = scene
    assert bounds(scene, node) == ([0, 0, 0], [1, 2, 3])
    scene = hk.load_scene(path, unit="cm", up="y")
    assert bounds(scene, node) == ([0, -0.03, 0], [0.01, 0, 0.02])
    assert bounds(read(path, up="x"), node) == ([0, 0, 0], [2, 3, 1])
    mirrored = read(path, left_handed=True)
    assert bounds(mirrored, node) == ([-1, 0, 0], [0, 2, 3])
    for found in (scene, mirrored):  # outside stays outside
        assert volume(found[node].content) > 0


def volume(mesh: hk.scene.Mesh) -> float:
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->", a, np.cross(b, c)) / 6)


def test_collada_says_its_unit_and_axis(tmp_path: Path) -> None:
    pytest.importorskip("collada")
    scene = read(written(tmp_path, "a.dae", files.dae()))
    (node,) = scene
    assert bounds(scene, node) == ([0, 0, 0.1], [0.01, 0.02, 0.13])
    scene = read(written(tmp_path, "b.dae", files.dae("1", "Y_UP")))
    assert bounds(scene, node) == ([0, -13, 0], [1, -10, 2])
    assert bounds(read(tmp_path / "b.dae", unit="mm", up="z"), node)[1] == [0.001, 0.002, 0.013]


def test_gltf_has_names_places_and_colors(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    for path in (
        written(tmp_path, "a.gltf", json.dumps(files.gltf())),
        written(tmp_path, "a.glb", files.glb()),
    ):
        scene = read(path)
        assert list(scene) == ["crate"]
        assert bounds(scene, "crate") == ([5, -6, 1], [7, 0, 5])  # y to z, z to -y, twice as large
        assert scene["crate"].color == (1.0, 0.0, 0.0)
        assert scene["crate"].opacity == pytest.approx(0.5, abs=0.01)
        assert np.allclose(scene["crate"].place[:3, 3], [5, 0, 1])


def test_gltf_opens_buffers_beside_it_and_in_roots_alone(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    import base64

    document = files.gltf()
    data = base64.b64decode(document["buffers"][0]["uri"].partition(",")[2])
    document["buffers"][0]["uri"] = "../data/my%20box.bin"
    for name in ("a", "data"):
        (tmp_path / name).mkdir()
    written(tmp_path / "data", "my box.bin", data)
    path = written(tmp_path / "a", "a.gltf", json.dumps(document))
    with pytest.raises(hk.ReadError, match=r"outside its folder and the roots: name it in roots="):
        read(path)
    assert list(read(path, roots=tmp_path / "data")) == ["crate"]
    assert list(read(path, roots=[tmp_path])) == ["crate"]


def test_obj_takes_colors_from_a_material_file_beside_it(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    written(tmp_path, "c.mtl", "newmtl blue\nKd 0 0 1\n")
    text = "mtllib c.mtl\n" + files.obj().replace("\nf ", "\nusemtl blue\nf ", 1)
    scene = read(written(tmp_path, "c.obj", text))
    assert scene[next(iter(scene))].color == (0.0, 0.0, 1.0)


def test_ogre_scene_mesh_and_skeleton(tmp_path: Path) -> None:
    written(tmp_path, "man.mesh.xml", files.OGRE_MESH)
    written(tmp_path, "man.skeleton.xml", files.OGRE_SKELETON)
    scene = read(written(tmp_path, "s.scene", files.OGRE_SCENE))
    assert list(scene) == ["man", "man bones", "man bones/hip", "man bones/hip/knee"]
    assert bounds(scene, "man") == ([1, -5, 2], [3, -3, 4])
    assert np.allclose(scene.world("man bones/hip")[:3, 3], [1, -3, 4])
    knee = scene.world("man bones/hip/knee")
    assert np.allclose(knee[:3, 3], [1, -3, 3])
    assert np.allclose(
        knee[:3, 1], [0, -1, 0], atol=1e-6
    )  # y up, turned by 90 degrees about x: z, that is -y
    assert [o.name for o in scene.obstacles()] == ["man"]
    alone = hk.load_scene(tmp_path / "man.mesh.xml", up="z", unit=0.5)
    assert bounds(alone, next(iter(alone))) == ([0, 0, 0], [0.5, 0.5, 0.5])


def test_floor_plan_from_svg(tmp_path: Path) -> None:
    path = written(tmp_path, "plan.svg", files.SVG)
    scene = read(path)
    assert list(scene) == ["bed", "wall", "nook", "post"]
    assert set(scene["bed"].content.polygon) == {(1, -1), (2, -1), (2, -3), (1, -3)}
    assert scene["bed"].tags == {"furniture", "soft"}
    assert scene["bed"].content.height == 2.5
    assert scene["wall"].content.area == pytest.approx(0.4)
    assert scene["nook"].content.area == pytest.approx(1.0)
    assert scene["post"].content.area == pytest.approx(np.pi * 0.04, rel=4e-3)
    low = read(path, height=1.0, unit="mm")
    assert low["bed"].content.height == 1.0
    assert low["bed"].content.area == pytest.approx(2e-6)
    pixels = written(tmp_path, "p.svg", '<svg><rect width="96" height="96"/></svg>')
    assert read(pixels)["rect"].content.area == pytest.approx(0.0254**2)


def test_paths_and_transforms_of_svg(tmp_path: Path) -> None:
    text = (
        '<svg width="10m" viewBox="0 0 10 10"><path id="a" transform="rotate(90 1 1) scale(2,1)" '
        'd="M1,1 l1-.5 0,1z m3 3 H6 V5 Q6 6 5 6 C4,6 4,6 4,5 Z"/></svg>'
    )
    scene = read(written(tmp_path, "p.svg", text))
    assert list(scene) == ["a", "a 2"]
    corners = np.array(scene["a"].content.polygon)
    # (1,1) (2,.5) (2,1.5), x doubled, turned by 90 degrees about (1,1), y turned up
    assert np.allclose(sorted(corners.tolist()), sorted([[1, -2], [1.5, -4], [0.5, -4]]))
    assert scene["a 2"].content.area == pytest.approx(2 * (2 + 5 / 6 + 19 / 20), abs=0.01)


@pytest.mark.parametrize(
    ("arc", "area"),
    [
        ("A1 1 0 0 1 1 1", np.pi / 4),  # a quarter about (0, 1)
        ("A1 1 0 1 1 1 1", np.pi * 3 / 4 + 1),
        ("a1 1 0 1 1 1 1", np.pi * 3 / 4 + 1),
        ("A.1 .1 0 0 1 1 1", np.pi / 4 + 0.5),  # too small: grown to a half circle
        ("A0 1 0 0 1 1 1", 0.5),  # a line
    ],
)
def test_arcs_of_svg(tmp_path: Path, arc: str, area: float) -> None:
    """From (0, 0) to (1, 1) and back by (0, 1): a door's swing."""
    text = f'<svg width="9m" viewBox="0 0 9 9"><path id="a" d="M0 0 {arc} L0 1Z"/></svg>'
    scene = read(written(tmp_path, "p.svg", text))
    assert scene["a"].content.area == pytest.approx(area, rel=0.02)


def test_floor_plan_from_dxf(tmp_path: Path) -> None:
    pytest.importorskip("ezdxf")
    scene = read(written(tmp_path, "plan.dxf", files.dxf_text()))
    assert scene.find(kind="group") == ("WALLS", "columns", "0")
    outline, line = (scene[f"WALLS/{name}"] for name in ("lwpolyline", "line"))
    assert outline.content.area == pytest.approx(0.8)
    assert outline.tags == {"wall"}
    assert line.content.size == pytest.approx((3.0, 0.0, 2.5))
    assert np.allclose(line.place[:3, 3], [0, 1.5, 1.25])
    assert scene["columns/circle"].content == hk.scene.Cylinder(2.5, 0.25)
    chair = np.array(scene["0/lwpolyline"].content.polygon)
    assert np.allclose(chair.min(0), [2, 2])
    assert np.allclose(chair.max(0), [2.5, 2.5])
    inches = read(written(tmp_path, "i.dxf", files.dxf_text(1)), height=3.0)
    assert inches["columns/circle"].content == hk.scene.Cylinder(3.0, 250 * 0.0254)
    odd = written(tmp_path, "odd.dxf", files.dxf_text(20))
    with pytest.raises(hk.ReadError, match="give unit="):
        read(odd)
    assert read(odd, unit="mm")["columns/circle"].content == hk.scene.Cylinder(2.5, 0.25)


def test_ifc_has_names_types_and_numbers(tmp_path: Path) -> None:
    pytest.importorskip("ifcopenshell")
    scene = read(written(tmp_path, "house.ifc", files.ifc_text()))
    assert list(scene) == ["North wall 2O2Fr$t4X7Zf8NOew3FLOH"]
    name = next(iter(scene))
    assert bounds(scene, name) == ([-1, -0.1, 0], [3, 0.1, 2.5])
    assert scene[name].tags == {"ifcwall", "wall"}


def test_a_robots_own_shapes(tmp_path: Path) -> None:
    written(tmp_path, "part.stl", files.stl())
    scene = read(written(tmp_path, "arm.urdf", files.URDF))
    assert list(scene) == ["base", "base/collision", "base/visual", "top", "top/ball"]
    assert [o.name for o in scene.obstacles()] == ["base/collision", "top/ball"]
    assert scene["base/visual"].content.path == str(tmp_path.resolve() / "part.stl")
    assert np.allclose(scene.world("top/ball")[:3, 3], [0, 0, 0.5])


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(-3, 3), min_size=9, max_size=9),
    st.lists(st.floats(-5, 5), min_size=3, max_size=3),
)
def test_a_mesh_stands_where_its_matrix_says(linear: list[float], at: list[float]) -> None:
    from handik.scene.read._given import Import

    matrix = np.eye(4)
    matrix[:3, :3] = np.array(linear).reshape(3, 3)
    matrix[:3, 3] = at
    if abs(np.linalg.det(matrix)) < 1e-6:
        return
    node = Import("x").mesh("m", files.POINTS, files.FACES, matrix)
    found = node.content.vertices @ node.place[:3, :3].T + node.place[:3, 3]
    assert np.allclose(found, files.POINTS @ matrix[:3, :3].T + at, atol=1e-9)
    assert volume(node.content) > 0


def test_a_scenes_own_file_says_its_units(tmp_path: Path) -> None:
    hk.Scene().save(tmp_path / "a.toml")
    for wish in ({"unit": "mm"}, {"up": "y"}):
        with pytest.raises(hk.ArgumentError, match="are for imported files"):
            hk.load_scene(tmp_path / "a.toml", **wish)


#: Without bones, which a mirrored node may not have.
BODY = files.OGRE_MESH.replace('<skeletonlink name="man.skeleton"/>', "")
FORMATS = {
    "crate.obj": (files.obj, "trimesh", "z"),
    "crate.stl": (files.stl, "trimesh", "z"),
    "crate.ply": (files.ply, "trimesh", "z"),
    "crate.dae": (files.dae, "collada", "z"),
    "crate.glb": (files.glb, "trimesh", "y"),
    "man.mesh.xml": (lambda: BODY, "", "y"),
    "s.scene": (lambda: files.OGRE_SCENE, "", "y"),
    "house.ifc": (files.ifc_text, "ifcopenshell", "z"),
    "plan.dxf": (files.dxf_text, "ezdxf", ""),
    "plan.svg": (lambda: files.SVG, "", ""),
}


def solid_points(scene: hk.Scene) -> np.ndarray:
    """Points that the obstacles are made of, in the world, in the order of the file."""
    found = []
    for o in scene.obstacles():
        if isinstance(o.shape, hk.scene.Mesh):
            points = o.shape.vertices
        elif isinstance(o.shape, hk.scene.Prism):
            points = np.insert(np.array(o.shape.polygon), 2, 0.0, axis=1)
        else:  # a line or a circle of a plan
            points = np.zeros((1, 3))
        found.append(np.asarray(points) @ o.pose[:3, :3].T + o.pose[:3, 3])
    return np.concatenate(found)


def in_order(points: np.ndarray) -> np.ndarray:
    rows = points.round(9) + 0.0
    return rows[np.lexsort(rows.T)]


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_takes_the_callers_unit_axis_and_hand(tmp_path: Path, name: str) -> None:
    make, package, own = FORMATS[name]
    if package:
        pytest.importorskip(package)
    written(tmp_path, "man.mesh.xml", BODY)
    path = written(tmp_path, name, make())
    flat = 2 if not own else 3  # the height of a plan is not the drawing's
    plain = solid_points(hk.load_scene(path, unit=1.0))
    assert np.ptp(plain, axis=0)[:2].min() > 0
    small = solid_points(hk.load_scene(path, unit="mm"))
    np.testing.assert_allclose(small[:, :flat], plain[:, :flat] / 1000, rtol=0, atol=1e-9)
    mirror = solid_points(hk.load_scene(path, unit=1.0, left_handed=True))
    np.testing.assert_allclose(
        in_order(mirror * [-1, 1, 1]), in_order(plain), rtol=0, atol=1e-9 * abs(plain).max()
    )
    if own:
        turned = {"x": [1, 2, 0], "y": [0, 2, 1], "z": [0, 1, 2]}
        sign = {"x": [1, 1, 1], "y": [1, -1, 1], "z": [1, 1, 1]}
        files_own = np.empty_like(plain)
        files_own[:, turned[own]] = plain * sign[own]  # as the file says it
        for up in "xyz":
            found = solid_points(hk.load_scene(path, unit=1.0, up=up))
            want = files_own[:, turned[up]] * sign[up]
            np.testing.assert_allclose(found, want, rtol=0, atol=1e-9 * abs(plain).max())


def test_every_suffix_has_its_importer() -> None:
    from importlib import import_module

    for suffix, module in SUFFIXES.items():
        assert callable(import_module(f"handik.scene.read.{module}").importer), suffix
    with pytest.raises(hk.UnsupportedError, match=r"no importer for '\.step'; known: \.glb"):
        read("a.step")


def test_a_missing_package_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [
        ("trimesh", "mesh", "a.obj", files.obj()),
        ("ezdxf", "dxf", "a.dxf", "EOF\n"),
        ("collada", "mesh", "a.dae", files.dae()),
    ]
    cases.append(("ifcopenshell", "ifc", "a.ifc", files.ifc_text()))
    for name, extra, file, data in cases:
        with monkeypatch.context() as patch:
            for module in [m for m in sys.modules if m.partition(".")[0] == name]:
                patch.setitem(sys.modules, module, None)
            patch.setitem(sys.modules, name, None)
            with pytest.raises(hk.UnsupportedError, match=rf"pip install 'handik\[{extra}\]'"):
                read(written(tmp_path, file, data))


def test_places_are_worked_out_of_what_has_a_lamp_below_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 100,000 plain nodes they took most of the time."""
    pytest.importorskip("trimesh")
    from handik.scene.read import _gltf_lamps

    document = files.gltf()
    nodes = document["nodes"]
    nodes += [{"translation": [1, 2, 3], "children": [len(nodes) + 1]}]
    nodes += [{"translation": [0, 0, 4], "camera": 0}]
    nodes += [{"translation": [float(k), 0, 0]} for k in range(500)]
    document["scenes"] = [{"nodes": [0, 2, *range(4, len(nodes))]}]
    document["cameras"] = [{"type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.1}}]
    asked: list[Any] = []
    local = _gltf_lamps._local
    monkeypatch.setattr(_gltf_lamps, "_local", lambda row: asked.append(row) or local(row))
    scene = hk.load_scene(written(tmp_path, "a.gltf", json.dumps(document)))
    (camera,) = [node for node in scene.nodes if isinstance(node.content, hk.scene.Camera)]
    np.testing.assert_allclose(camera.pose[:3, 3], [1, -7, 2], atol=1e-12)
    assert len(asked) == 2


@pytest.mark.parametrize("scale", [1e-7, 1.0, 1e160])
def test_lamps_below_any_scale_shine(tmp_path: Path, scale: float) -> None:
    """Scaled by 1e-6 and some meters away they were left out, by 1e154 NumPy warned."""
    pytest.importorskip("trimesh")
    document = files.gltf()
    nodes = document["nodes"]
    turn = [0.0, np.sin(0.3), 0.0, np.cos(0.3)]
    nodes += [{"translation": [5, 0, 0], "scale": [scale] * 3, "children": [len(nodes) + 1]}]
    nodes += [{"rotation": turn, "camera": 0}]
    document["scenes"] = [{"nodes": [0, 2]}]
    document["cameras"] = [{"type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.1}}]
    scene = hk.load_scene(written(tmp_path, "a.gltf", json.dumps(document)))
    (camera,) = [node for node in scene.nodes if isinstance(node.content, hk.scene.Camera)]
    np.testing.assert_allclose(camera.pose[:3, 3], [5, 0, 0], atol=1e-12)
    np.testing.assert_allclose(camera.pose[:3, 2], [np.sin(0.6), -np.cos(0.6), 0], atol=1e-12)


@given(st.integers(1, 200))
def test_names_of_a_file_that_are_one_are_numbered(count: int) -> None:
    from handik.scene.read._given import unique

    taken: set[str] = set()
    found = [unique("n", taken, "file") for _ in range(count)]
    assert found == ["n", *(f"n {k}" for k in range(2, count + 1))]
    assert taken == set(found)
