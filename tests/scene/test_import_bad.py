"""Bad files: each is refused with a sentence that names the file and what is wrong, or the call is."""

from __future__ import annotations

import base64
import copy
import gzip
import io
import json
import struct
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import handik as hk
from handik.scene.read import read

sys.path.insert(0, str(Path(__file__).parent))
import import_files as files
from import_files import written

MIB = 2**20


def changed(where: list[Any], value: Any, as_glb: bool = False) -> Any:
    """A glTF document with one value changed."""
    document = copy.deepcopy(files.gltf())
    at: Any = document
    for key in where[:-1]:
        at = at[key]
    at[where[-1]] = value
    return files.glb(document) if as_glb else json.dumps(document)


def edited(data: bytes, at: int, by: bytes) -> bytes:
    return data[:at] + by + data[at + len(by) :]


def many_instances(nowhere: int = 0) -> str:
    """Ten thousand places of one mesh of 9,000 triangles: small as a file, 90 million in a scene.

    Or so many meshes that share these triangles, and stand nowhere.
    """
    document = files.gltf()
    data = base64.b64decode(document["buffers"][0]["uri"].partition(",")[2]) + bytes(2 * 27000)
    document["buffers"] = [
        {"byteLength": len(data), "uri": "data:;base64," + base64.b64encode(data).decode()}
    ]
    document["bufferViews"].append(
        {"buffer": 0, "byteOffset": len(data) - 54000, "byteLength": 54000}
    )
    document["accessors"][1] = {
        "bufferView": 2,
        "componentType": 5123,
        "count": 27000,
        "type": "SCALAR",
    }
    document["nodes"] = [{"mesh": 0} for _ in range(1 if nowhere else 10_000)]
    document["meshes"] *= nowhere or 1
    return json.dumps(document)


def crowd(points: int, parts: int) -> str:
    """Many parts of one triangle each, all of which name the same crowd of points."""
    document = files.gltf()
    data = bytes(12 * points) + bytes([0, 0, 1, 0, 2, 0])
    document["buffers"] = [
        {"byteLength": len(data), "uri": "data:;base64," + base64.b64encode(data).decode()}
    ]
    document["bufferViews"] = [
        {"buffer": 0, "byteLength": 12 * points},
        {"buffer": 0, "byteOffset": 12 * points, "byteLength": 6},
    ]
    document["accessors"][0]["count"], document["accessors"][1]["count"] = points, 3
    document["meshes"] = [{"primitives": document["meshes"][0]["primitives"] * parts}]
    document["nodes"] = [{"mesh": 0}]
    return json.dumps(document)


def tenfold(levels: int) -> str:
    """A node that names another ten times, which names another ten times, ..."""
    rows = ['<node id="n0"><instance_geometry url="#g"/></node>']
    rows += [
        f'<node id="n{k + 1}">' + f'<instance_node url="#n{k}"/>' * 10 + "</node>"
        for k in range(levels)
    ]
    head, found, tail = files.dae().partition("<library_visual_scenes>")
    last = f'<node><instance_node url="#n{levels}"/></node></visual_scene>'
    tail = tail.replace("</visual_scene>", last)
    return f"{head}<library_nodes>{''.join(rows)}</library_nodes>{found}{tail}"


def zipped(name: str) -> bytes:
    """An archive of 20 kB whose file would be 20 MB: no reader here unpacks anything."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, bytes(20 * MIB))
    return out.getvalue()


ENTITY = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
GLB = files.glb()

#: name of the case -> file, what is in it, what the sentence says
BAD: dict[str, tuple[str, Any, str]] = {
    "obj without points": ("a.obj", "f 1 2 3\n", "a face names vertex 1 of 0"),
    "obj empty": ("a.obj", "", "it has no vertex"),
    "obj index beyond": ("a.obj", files.obj() + "f 1 2 9\n", r"a\.obj:22: a face names vertex 9 of 8"),
    "obj index zero": ("a.obj", files.obj() + "f 0 1 2\n", "a face names vertex 0"),
    "obj index negative": ("a.obj", files.obj() + "f -9 1 2\n", "a face names vertex -9"),
    "obj index no number": ("a.obj", files.obj() + "f a b c\n", "'a' is no corner"),
    "obj face of two": ("a.obj", files.obj() + "f 1 2\n", "fewer than three corners"),
    "obj nan": ("a.obj", "v 0 0 nan\n" + files.obj(), r"a\.obj:1: a vertex must be three finite numbers"),
    "obj overflow": ("a.obj", "v 0 0 1e999\n" + files.obj(), "three finite numbers"),
    "obj of giants": ("a.obj", files.obj(files.POINTS * 1e7), r"reaches beyond 1e\+06 m: is the unit right"),
    "stl cut": ("a.stl", files.stl()[:-7], "its head says 12 triangles, 684 bytes, but it has 677"),
    "stl bomb": ("a.stl", edited(files.stl(), 80, b"\xff\xff\xff\xff"), "its head says 4294967295 triangles"),
    "stl of a few bytes": ("a.stl", b"abc", "shorter than the head"),
    "stl text cut": ("a.stl", files.stl_text()[:-40], "'endsolid' is missing"),
    "stl nan": ("a.stl", edited(files.stl(), 96, struct.pack("<f", float("nan"))), "is not finite"),
    "ply cut head": ("a.ply", files.ply()[:60], "its head is cut"),
    "ply is another": ("a.ply", "plx\n", "does not begin as a PLY file"),
    "ply bomb": ("a.ply", files.ply().replace("vertex 8", "vertex 800000000"), "800000000 of 'vertex', more than"),
    "ply without faces": ("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nend_header\n", "names no vertices, or no faces"),
    "ply cut in the last row": ("a.ply", files.ply()[:-3], "it is cut in its last row"),
    "ply cut": ("a.ply", files.ply()[:-30], "it is cut: its head says 20 rows, it has 17"),
    "dae entities": ("a.dae", ENTITY + "<COLLADA/>", "DOCTYPE"),
    "dae cut": ("a.dae", files.dae()[:400], r"a\.dae:\d+:"),
    "dae is another": ("a.dae", "<html/>", "the root element is <html>"),
    "dae axis": ("a.dae", files.dae(up="UP"), "<up_axis> must be"),
    "dae unit": ("a.dae", files.dae(unit="0"), "a unit of 0 meters"),
    "dae unit no number": ("a.dae", files.dae(unit="one"), "is not a finite decimal number"),
    "dae instances": ("a.dae", tenfold(9), "nodes, more than 200000"),
    "dae circle": ("a.dae", tenfold(2).replace("</library_nodes>", '<node id="x"><instance_node url="#x"/></node></library_nodes>'), "in a circle"),
    "dae is a zip": ("a.dae", zipped("a.dae"), "not well-formed"),
    "glb is another": ("a.glb", b"GIF89a" + bytes(20), "does not begin as a GLB"),
    "glb cut": ("a.glb", GLB[:-9], "but it has"),
    "glb version 1": ("a.glb", edited(GLB, 4, b"\1\0\0\0"), "it is of version 1"),
    "glb chunk beyond": ("a.glb", edited(GLB, 12, b"\xff\xff\xff\x7f"), "reaches beyond the end"),
    "glb without document": ("a.glb", edited(GLB, 16, b"BIN\0"), "its first chunk is not the document"),
    "gltf is no json": ("a.gltf", '{"asset": ', "no JSON"),
    "gltf nested deep": ("a.gltf", "[" * 200_000, "no JSON"),
    "gltf is a list": ("a.gltf", "[]", "no table"),
    "gltf version": ("a.gltf", changed(["asset", "version"], "1.0"), "it says version '1.0'"),
    "gltf extension": ("a.gltf", changed(["extensionsRequired"], ["KHR_draco_mesh_compression"]), "needs the extension"),
    "gltf accessor bomb": ("a.gltf", changed(["accessors", 0, "count"], 50_000_000), "accessor 0 ends at byte"),
    "gltf accessor of nothing": ("a.gltf", changed(["accessors", 0], {"componentType": 5126, "count": 10**9, "type": "VEC3"}), "accessor 0 is sparse or has no numbers"),
    "gltf view beyond": ("a.gltf", changed(["bufferViews", 0, "byteLength"], 10**6), "byteLength must be a whole number"),
    "gltf view offset": ("a.gltf", changed(["bufferViews", 0, "byteOffset"], 100), "a view ends at byte"),
    "gltf buffer short": ("a.gltf", changed(["buffers", 0, "byteLength"], 1000), "buffer 0 says 1000 bytes, but has"),
    "gltf buffer bomb": ("a.gltf", changed(["buffers", 0, "byteLength"], 2**40), "byteLength must be"),
    "gltf buffer in the net": ("a.gltf", changed(["buffers", 0, "uri"], "https://x.invalid/a.bin"), "lies in the net"),
    "gltf buffer out of the roots": ("a.gltf", changed(["buffers", 0, "uri"], "../../../etc/passwd"), "outside its folder"),
    "gltf buffer of a root path": ("a.gltf", changed(["buffers", 0, "uri"], "/etc/passwd"), "outside its folder"),
    "gltf buffer missing": ("a.gltf", changed(["buffers", 0, "uri"], "no.bin"), "is not there"),
    "gltf no base64": ("a.gltf", changed(["buffers", 0, "uri"], "data:;base64,&&&"), "are not base64"),
    "gltf circle": ("a.gltf", changed(["nodes", 1, "children"], [0]), "in a circle"),
    "gltf own child": ("a.gltf", changed(["nodes", 1, "children"], [1]), "hangs on itself"),
    "gltf child beyond": ("a.gltf", changed(["nodes", 1, "children"], [7]), "child must be a whole number"),
    "gltf mesh beyond": ("a.gltf", changed(["nodes", 1, "mesh"], 3), "mesh must be a whole number"),
    "gltf instances": ("a.gltf", many_instances(), "90000000 triangles where they stand"),
    "gltf index beyond": ("a.gltf", changed(["accessors", 0, "count"], 5), "no vertex 7, it has 5|trimesh cannot"),
    "gltf scale zero": ("a.gltf", changed(["nodes", 1, "scale"], [0, 0, 0]), "its scale is zero"),
    "gltf place nan": ("a.gltf", changed(["nodes", 1, "translation"], [float("nan"), 0, 0]), "is not finite numbers"),
    "gltf without mesh": ("a.gltf", changed(["nodes"], [{"name": "empty"}]), "it has no triangle|trimesh cannot"),
    "gltf meshes that stand nowhere": ("a.gltf", many_instances(1000), "its meshes have 9000000 triangles, more than"),
    "gltf points that nothing uses": ("a.gltf", crowd(20_000, 1100), "its meshes have 22000000 points, more than"),
    "gltf nodes deep": ("a.gltf", changed(["nodes"], [{"children": [k + 1]} for k in range(300)] + [{"mesh": 0}]), "more than 200 deep"),
    "gltf count of 4G": ("a.gltf", changed(["accessors", 0, "count"], 2**32), "count must be a whole number"),
    "gltf count of 4G in no step": ("a.gltf", changed(["accessors", 1, "count"], 2**32 - 1), "count must be a whole number"),
    "gltf children a number": ("a.gltf", changed(["nodes", 0, "children"], 1), "'children' must be a list"),
    "gltf children a text": ("a.gltf", changed(["nodes", 0, "children"], "1"), "'children' must be a list"),
    "gltf matrix a number": ("a.gltf", changed(["nodes", 0, "matrix"], 1), "'matrix' must be a list"),
    "gltf matrix of three": ("a.gltf", changed(["nodes", 0, "matrix"], [1, 0, 0]), "the matrix of a node has 16 numbers, not 3"),
    "gltf scale null": ("a.gltf", changed(["nodes", 1, "scale"], None), "'scale' must be a list"),
    "gltf primitives a number": ("a.gltf", changed(["meshes", 0, "primitives"], 1), "'primitives' must be a list of tables"),
    "gltf primitives of numbers": ("a.gltf", changed(["meshes", 0, "primitives"], [1]), "'primitives' must be a list of tables"),
    "gltf attributes a list": ("a.gltf", changed(["meshes", 0, "primitives", 0, "attributes"], [0]), "'attributes' must be a table"),
    "gltf type a list": ("a.gltf", changed(["accessors", 0, "type"], []), "its type is none of the format"),
    "gltf component a table": ("a.gltf", changed(["accessors", 0, "componentType"], {}), "its type is none of the format"),
    "gltf buffer of a file uri": ("a.gltf", changed(["buffers", 0, "uri"], "file:///etc/passwd"), "lies in the net"),
    "gltf buffer of a host": ("a.gltf", changed(["buffers", 0, "uri"], "//127.0.0.1/a.bin"), "outside its folder"),
    "gltf buffer up in percents": ("a.gltf", changed(["buffers", 0, "uri"], "%2e%2e/%2E%2E/etc/passwd"), "outside its folder"),
    "gltf buffer up in backslashes": ("a.gltf", changed(["buffers", 0, "uri"], "..\\..\\etc\\passwd"), "outside its folder"),
    "gltf buffer of a zero byte": ("a.gltf", changed(["buffers", 0, "uri"], "a%00b"), "is not there"),
    "gltf buffer of half a sign": ("a.gltf", changed(["buffers", 0, "uri"], "\ud800"), "is not there"),
    "gltf is a zip": ("a.gltf", zipped("a.gltf"), "no JSON"),
    "gltf is gzip": ("a.gltf", gzip.compress(json.dumps(files.gltf()).encode()), "no JSON"),
    "glb is a zip": ("a.glb", zipped("a.glb"), "does not begin as a GLB"),
    "svg entities": ("a.svg", ENTITY + "<svg/>", "DOCTYPE"),
    "svg is another": ("a.svg", "<html/>", "not <svg>"),
    "svg empty": ("a.svg", "<svg/>", "it draws no outline"),
    "svg no number": ("a.svg", '<svg><rect width="wide"/></svg>', "'wide' is no length"),
    "svg crossing": ("a.svg", '<svg><polygon points="0 0 2 2 2 0 0 3"/></svg>', "crosses or touches itself"),
    "svg short curve": ("a.svg", '<svg><path d="M0 0S1 1 2 2"/></svg>', "the step 'S' is not read"),
    "svg unit": ("a.svg", '<svg width="3lightyears" viewBox="0 0 1 1"><rect/></svg>', "'lightyears' is none of"),
    "svg path cut": ("a.svg", '<svg><path d="M0 0L1"/></svg>', "the step L takes 2 numbers"),
    "svg path odd": ("a.svg", '<svg><path d="M0 0 # 1"/></svg>', "no step of a path"),
    "svg without M": ("a.svg", '<svg><path d="L0 0"/></svg>', "a path begins with M"),
    "svg points": ("a.svg", '<svg><polygon points="0 0 1"/></svg>', "pairs of numbers"),
    "svg transform": ("a.svg", '<svg><rect transform="matrix(1)" width="1" height="1"/></svg>', "transform: matrix"),
    "svg box": ("a.svg", '<svg width="1m" viewBox="0 0 0 1"><rect/></svg>', "viewBox has no area"),
    "svg stroke": ("a.svg", '<svg><line x2="1" stroke-width="-1"/></svg>', "no thickness"),
    "dxf cut": ("a.dxf", "0\nSECTION\n2\nENTITIES\n", "it is cut"),
    "dxf binary": ("a.dxf", b"AutoCAD Binary DXF\r\n", "binary"),
    "dxf is another": ("a.dxf", "hello\nEOF", "ezdxf cannot read it"),
    "ifc cut": ("a.ifc", files.ifc_text()[:-20], "it is cut"),
    "ifc is another": ("a.ifc", "PK\3\4", "does not begin as an IFC file"),
    "ifc without shapes": ("a.ifc", files.ifc_text().replace("#17=IFCWALL", "#17=IFCSPACE"), "no product"),
    "ogre entities": ("a.scene", ENTITY + "<scene/>", "DOCTYPE"),
    "ogre is another": ("a.scene", "<x/>", "neither <scene> nor <mesh>"),
    "ogre mesh missing": ("a.scene", files.OGRE_SCENE, "'man.mesh.xml', which it names, is not there"),
    "ogre mesh out of the roots": ("a.scene", files.OGRE_SCENE.replace("man.mesh", "../x.mesh"), "outside its folder"),
    "ogre no rotation": ("a.scene", files.OGRE_SCENE.replace('qw="1"', 'qw="3"'), "it is no rotation"),
    "ogre vertices counted wrongly": ("a.mesh.xml", files.OGRE_MESH.replace('count="4"><vertexb', 'count="9"><vertexb'), "it says 9 vertices, but has 4"),
    "ogre index beyond": ("a.mesh.xml", files.OGRE_MESH.replace('v3="1"', 'v3="4"'), "no vertex 4, it has 4"),
    "ogre index of a half": ("a.mesh.xml", files.OGRE_MESH.replace('v3="1"', 'v3="1.5"'), "three whole numbers"),
    "ogre strips": ("a.mesh.xml", files.OGRE_MESH.replace("<submesh ", '<submesh operationtype="triangle_strip" '), "triangle_list"),
    "ogre nan": ("a.mesh.xml", files.OGRE_MESH.replace('x="1"', 'x="nan"'), "finite decimal number"),
    "ogre cut": ("a.mesh.xml", files.OGRE_MESH[:300], r"a\.mesh\.xml:\d+:"),
    "urdf mesh out of the roots": ("a.urdf", files.URDF.replace("part.stl", "../part.stl"), "name its folder in roots=|outside|mesh"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_refused(tmp_path: Path, case: str) -> None:
    name, data, said = BAD[case]
    kind = name.rpartition(".")[2]
    needed = {"dae": "collada", "dxf": "ezdxf", "ifc": "ifcopenshell"}.get(kind, "trimesh")
    if kind in ("obj", "stl", "ply", "dae", "glb", "gltf", "dxf", "ifc"):
        pytest.importorskip(needed)
    with pytest.raises(hk.ReadError, match=said) as caught:
        read(written(tmp_path, name, data))
    assert name in str(caught.value)


def test_there_are_many_cases() -> None:
    assert len(BAD) >= 75


def test_nodes_in_nodes_of_collada_that_are_few_are_read(tmp_path: Path) -> None:
    pytest.importorskip("collada")
    assert len(read(written(tmp_path, "a.dae", tenfold(1))).nodes) == 11


@pytest.mark.parametrize("way", ["file", "folder", "device"])
def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path, way: str) -> None:
    pytest.importorskip("trimesh")
    inside, outside = tmp_path / "in", tmp_path / "out"
    inside.mkdir(), outside.mkdir()
    own = files.gltf()["buffers"][0]["uri"].partition(",")[2]
    (outside / "a.bin").write_bytes(base64.b64decode(own))
    if way == "device":
        (inside / "a.bin").symlink_to("/dev/zero")
    elif way == "file":
        (inside / "a.bin").symlink_to(outside / "a.bin")
    else:
        (inside / "deep").symlink_to(outside)
    uri = "deep/a.bin" if way == "folder" else "a.bin"
    path = written(inside, "a.gltf", changed(["buffers", 0, "uri"], uri))
    with pytest.raises(hk.ReadError, match="outside its folder"):
        read(path)
    if way != "device":
        read(path, roots=[outside])


@pytest.mark.parametrize("bones", ["circle", "stranger", "deep", "another"])
def test_bad_skeletons(tmp_path: Path, bones: str) -> None:
    text = files.OGRE_SKELETON
    if bones == "circle":
        text = text.replace(
            "</bonehierarchy>", '<boneparent bone="hip" parent="knee"/></bonehierarchy>'
        )
        said = "in a circle"
    elif bones == "stranger":
        text, said = text.replace('parent="hip"', 'parent="hop"'), "there is no such bone"
    elif bones == "another":
        text, said = "<x/>", "not <skeleton>"
    else:
        bone = '<bone name="b{}"><position x="0" y="0" z="0"/><rotation angle="0"><axis x="1" y="0" z="0"/></rotation></bone>'
        rows = "".join(bone.format(k) for k in range(40))
        above = "".join(f'<boneparent bone="b{k + 1}" parent="b{k}"/>' for k in range(39))
        text, said = (
            f"<skeleton><bones>{rows}</bones><bonehierarchy>{above}</bonehierarchy></skeleton>",
            "deeper than 24",
        )
    written(tmp_path, "man.skeleton.xml", text)
    with pytest.raises(hk.ReadError, match=said):
        read(written(tmp_path, "a.mesh.xml", files.OGRE_MESH))


def test_blocks_in_blocks_of_dxf_are_bounded(tmp_path: Path) -> None:
    ezdxf = pytest.importorskip("ezdxf")

    def drawing(depth: int, width: int) -> str:
        made = ezdxf.new("R2010")
        made.blocks.new("b0").add_line((0, 0), (1, 0))
        for k in range(depth):
            block = made.blocks.new(f"b{k + 1}")
            for _ in range(width):
                block.add_blockref(f"b{k}", (0, 0))
        made.modelspace().add_blockref(f"b{depth}", (0, 0))
        stream = io.StringIO()
        made.write(stream)
        return stream.getvalue()

    assert len(read(written(tmp_path, "a.dxf", drawing(7, 1)))) == 2
    with pytest.raises(hk.ReadError, match="deeper than 8 blocks"):
        read(written(tmp_path, "b.dxf", drawing(8, 1)))


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"unit": "mile"}, hk.ArgumentError, "unit must be a number of meters or one of m, dm"),
        ({"unit": 0.0}, hk.ArgumentError, "unit must be 1e-09"),
        ({"unit": float("nan")}, hk.ArgumentError, "unit"),
        ({"up": "w"}, hk.ArgumentError, "up must be 'x', 'y' or 'z'"),
        ({"height": 0.0}, hk.ArgumentError, "height must be above 0"),
        ({"left_handed": "yes"}, TypeError, "left_handed must be True or False"),
        ({"roots": [3]}, TypeError, "roots"),
    ],
    ids=["unit", "unit-zero", "unit-nan", "up", "height", "left", "roots"],
)
def test_a_bad_wish_is_refused(
    tmp_path: Path, options: dict[str, Any], error: type[Exception], said: str
) -> None:
    path = written(tmp_path, "a.svg", files.SVG)
    with pytest.raises(error, match=said):
        read(path, **options)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(hk.MissingFileError):
        read(tmp_path / "a.obj")
    (tmp_path / "b.obj").mkdir()
    with pytest.raises(hk.ReadError, match="it is a folder"):
        read(tmp_path / "b.obj")


def test_too_long_a_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.obj"
    with path.open("wb") as stream:
        stream.truncate(65 * MIB)
    with pytest.raises(hk.ReadError, match="longer than the limit"):
        read(path)


@pytest.mark.parametrize(
    "make", [files.glb, files.stl, lambda: files.ply().encode()], ids=["glb", "stl", "ply"]
)
def test_a_file_cut_anywhere_is_refused(tmp_path: Path, make: Callable[[], bytes]) -> None:
    pytest.importorskip("trimesh")
    data = make()
    name = {b"gl": "a.glb", b"pl": "a.ply"}.get(data[:2], "a.stl")
    for end in range(0, len(data) - 4, max(len(data) // 40, 1)):
        with pytest.raises(hk.ReadError):
            read(written(tmp_path, name, data[:end]))
