"""glTF 2.0 and GLB: checked here, meshes by trimesh. Meters, y up, right-handed.

What the file asks for is compared with the bytes that are there before anything is made of it, and
the library gets a document without pictures, so that no other file is opened than its buffers.

References
----------
Khronos Group, glTF 2.0 Specification, 2021.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import os
import struct
from typing import Any
from urllib.parse import unquote

from handik.files.read._file import SIZE_CAP, read_bytes
from handik.scene.document import Scene
from handik.scene.read._given import MOST_TRIANGLES, Import
from handik.scene.read._gltf_lamps import lamps_of
from handik.scene.read._meshes import nodes_of

__all__ = ["importer"]

_BYTES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
_PARTS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
#: Extensions that change neither points nor places.
_HARMLESS = (
    "KHR_materials_",
    "KHR_texture_",
    "KHR_lights_",
    "KHR_mesh_quantization",
    "EXT_texture_",
)


#: Points of all meshes where they stand, with those that no triangle uses.
_MOST_POINTS = 20_000_000
#: Nodes from a root down.
_DEEPEST = 200
#: Numbers that say where a node is.
_PLACES = {"matrix": 16, "translation": 3, "rotation": 4, "scale": 3}


class _Buffers:
    """The buffers by the names that the document handed on gives them."""

    def __init__(self, found: list[bytes]) -> None:
        self.found = {f"buffer{k}": data for k, data in enumerate(found)}

    def get(self, name: str) -> bytes:
        """Return one."""
        return self.found[name]

    def __getitem__(self, name: str) -> bytes:
        return self.found[name]


def importer(wish: Import) -> Scene:
    """Read a ``.gltf`` or ``.glb``."""
    data = wish.bytes()
    chunk: bytes | None = None
    if os.path.splitext(wish.path)[1].lower() == ".glb":
        data, chunk = _chunks(wish, data)
    document = _document(wish, data)
    buffers = _buffers(wish, document, chunk)
    _check_views(wish, document, buffers)
    _check_tree(wish, document)
    text = json.dumps(_plain(document, len(buffers))).encode()
    nodes = nodes_of(wish, text, "gltf", _Buffers(buffers), 1.0, "y")
    return Scene([*nodes, *lamps_of(wish, document, {node.name for node in nodes})], wish.stem)


def _chunks(wish: Import, data: bytes) -> tuple[bytes, bytes | None]:
    """Return the document and the buffer of a GLB."""
    if len(data) < 20 or data[:4] != b"glTF":
        wish.fail("it does not begin as a GLB file does")
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        wish.fail(f"it is of version {version}; 2 is read")
    if length != len(data):
        wish.fail(f"its head says {length} bytes, but it has {len(data)}")
    at, found = 12, []
    while at + 8 <= length:
        size, kind = struct.unpack_from("<I4s", data, at)
        if at + 8 + size > length:
            wish.fail(f"a chunk of {size} bytes reaches beyond the end")
        found.append((kind, data[at + 8 : at + 8 + size]))
        at += 8 + size
    if not found or found[0][0] != b"JSON":
        wish.fail("its first chunk is not the document")
    binary = [part for kind, part in found[1:] if kind == b"BIN\0"]
    return found[0][1], binary[0] if binary else None


def _document(wish: Import, data: bytes) -> dict[str, Any]:
    try:
        document = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        wish.fail(f"its document is no JSON: {str(error)[:100]}")
    if not isinstance(document, dict):
        wish.fail("its document is no table")
    asset = document.get("asset")
    version = asset.get("version") if isinstance(asset, dict) else None
    if not (isinstance(version, str) and version.startswith("2.")):
        wish.fail(f"it says version {version!r}; 2.x is read")
    asked = document.get("extensionsRequired", [])
    for name in asked if isinstance(asked, list) else [asked]:
        if not (isinstance(name, str) and name.startswith(_HARMLESS)):
            wish.fail(f"it needs the extension {name!r}, which is not read")
    for key in ("buffers", "bufferViews", "accessors", "meshes", "nodes", "scenes", "materials"):
        rows = document.setdefault(key, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            wish.fail(f"{key!r} must be a list of tables")
    return document


def _number(
    wish: Import, row: dict[str, Any], key: str, below: float, default: int | None = None
) -> int:
    """Return a whole number of 0 or more, less than `below`."""
    value = row.get(key, default)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < below:
        wish.fail(f"{key} must be a whole number of 0 to {below - 1:g}, got {str(value)[:40]}")
    return value


def _rows(wish: Import, row: dict[str, Any], key: str, kind: type) -> list[Any]:
    """Return what stands in a list; none where there is no list."""
    found = row.get(key, [])
    if not isinstance(found, list) or not all(isinstance(one, kind) for one in found):
        wish.fail(f"{key!r} must be a list of {'tables' if kind is dict else 'numbers'}")
    return found


def _attributes(wish: Import, part: dict[str, Any]) -> dict[str, Any]:
    found = part.get("attributes") or {}
    if not isinstance(found, dict):
        wish.fail("'attributes' must be a table")
    return found


def _buffers(wish: Import, document: dict[str, Any], chunk: bytes | None) -> list[bytes]:
    found: list[bytes] = []
    left = SIZE_CAP
    for k, row in enumerate(document["buffers"]):
        length = _number(wish, row, "byteLength", left + 1)
        uri = row.get("uri")
        if uri is None:
            if k or chunk is None:
                wish.fail(f"buffer {k} is neither in the file nor named")
            data = chunk
        elif not isinstance(uri, str):
            wish.fail(f"the uri of buffer {k} is no text")
        elif uri.startswith("data:"):
            data = _inline(wish, uri, k)
        elif "://" in uri:
            wish.fail(f"buffer {k} lies in the net, where nothing is fetched")
        else:
            data = read_bytes(wish.beside(unquote(uri)), left)
        if len(data) < length:
            wish.fail(f"buffer {k} says {length} bytes, but has {len(data)}")
        left -= len(data)
        found.append(data[:length])
    return found


def _inline(wish: Import, uri: str, k: int) -> bytes:
    head, comma, body = uri.partition(",")
    if not comma or not head.endswith(";base64"):
        wish.fail(f"the data of buffer {k} are not base64")
    try:
        return base64.b64decode(body, validate=True)
    except binascii.Error:
        wish.fail(f"the data of buffer {k} are not base64")


def _check_views(wish: Import, document: dict[str, Any], buffers: list[bytes]) -> None:
    """Refuse views beyond their buffers and accessors beyond their views."""
    views = document["bufferViews"]
    for row in views:
        size = len(buffers[_number(wish, row, "buffer", len(buffers))])
        end = _number(wish, row, "byteOffset", size + 1, 0) + _number(
            wish, row, "byteLength", size + 1
        )
        if end > size:
            wish.fail(f"a view ends at byte {end} of a buffer of {size}")
    for k, row in enumerate(document["accessors"]):
        if "bufferView" not in row or "sparse" in row:
            wish.fail(f"accessor {k} is sparse or has no numbers of its own, which is not read")
        view = views[_number(wish, row, "bufferView", len(views))]
        kind, parts = row.get("componentType"), row.get("type")
        item = _BYTES.get(kind, 0) if isinstance(kind, int) else 0
        item *= _PARTS.get(parts, 0) if isinstance(parts, str) else 0
        if not item:
            wish.fail(f"accessor {k}: its type is none of the format")
        count = _number(wish, row, "count", SIZE_CAP)
        step = _number(wish, view, "byteStride", 253, item) or item
        end = (
            _number(wish, row, "byteOffset", SIZE_CAP, 0)
            + max(count - 1, 0) * step
            + item * (count > 0)
        )
        if end > view["byteLength"]:
            wish.fail(f"accessor {k} ends at byte {end} of a view of {view['byteLength']}")


def _check_tree(wish: Import, document: dict[str, Any]) -> None:
    """Every node hangs on one other at most; triangles are counted where they stand."""
    nodes = document["nodes"]
    wish.counted(len(nodes))
    _count(wish, document)
    parent: dict[int, int] = {}
    for k, row in enumerate(nodes):
        for child in _rows(wish, row, "children", int):
            number = _number(wish, {"child": child}, "child", len(nodes))
            if number in parent or number == k:
                wish.fail(f"node {number} hangs on itself or on two others")
            parent[number] = k
    reached = [(k, 1) for k in range(len(nodes)) if k not in parent]
    seen = 0
    while reached:
        k, depth = reached.pop()
        if depth > _DEEPEST:
            wish.fail(f"its nodes hang on each other more than {_DEEPEST} deep")
        seen += 1
        reached += [(child, depth + 1) for child in nodes[k].get("children", [])]
    if seen < len(nodes):
        wish.fail("its nodes hang on each other in a circle")
    for row in nodes:
        for key in _PLACES.keys() & row.keys():
            place = _rows(wish, row, key, object)
            if not all(isinstance(x, (int, float)) and math.isfinite(x) for x in place):
                wish.fail("the place of a node is not finite numbers")
            if len(place) != _PLACES[key]:
                wish.fail(f"the {key} of a node has {_PLACES[key]} numbers, not {len(place)}")


def _count(wish: Import, document: dict[str, Any]) -> None:
    """Refuse more triangles and points than are read, once in each mesh and where they stand.

    A mesh that stands nowhere is made by the library too, and so are points that nothing uses.
    """
    meshes = document["meshes"]
    sizes = [_size(wish, document, mesh) for mesh in meshes]
    stands = [_number(wish, row, "mesh", len(meshes)) for row in document["nodes"] if "mesh" in row]
    for what, k, most in (("triangles", 0, MOST_TRIANGLES), ("points", 1, _MOST_POINTS)):
        for where, total in (
            ("", sum(size[k] for size in sizes)),
            (" where they stand", sum(sizes[m][k] for m in stands)),
        ):
            if total > most:
                wish.fail(f"its meshes have {total} {what}{where}, more than {most}")


def _size(wish: Import, document: dict[str, Any], mesh: dict[str, Any]) -> tuple[int, int]:
    """Return the triangles and points of a mesh."""
    accessors, triangles, points = document["accessors"], 0, 0
    for part in _rows(wish, mesh, "primitives", dict):
        named = _attributes(wish, part)
        for k in named.values():
            _number(wish, {"accessor": k}, "accessor", len(accessors))
        place = named.get("POSITION", -1)
        at = _number(wish, part, "indices", len(accessors), place)
        triangles += accessors[at]["count"] // (3 if part.get("mode", 4) == 4 else 1)
        points += accessors[place]["count"] if place >= 0 else 0
    return triangles, points


def _plain(document: dict[str, Any], buffers: int) -> dict[str, Any]:
    """Return the document without pictures, skins, motions and what else opens or costs."""
    keep = ("asset", "scene", "scenes", "nodes", "accessors", "bufferViews")
    plain = {key: document[key] for key in keep if key in document}
    plain["nodes"] = [
        {k: v for k, v in row.items() if k not in ("skin", "camera", "extensions")}
        for row in document["nodes"]
    ]
    plain["buffers"] = [{**document["buffers"][k], "uri": f"buffer{k}"} for k in range(buffers)]
    plain["meshes"] = [
        {
            **{k: v for k, v in mesh.items() if k == "name"},
            "primitives": [
                {
                    **{k: v for k, v in part.items() if k in ("indices", "mode", "material")},
                    "attributes": {"POSITION": part["attributes"]["POSITION"]},
                }
                for part in mesh.get("primitives", [])
                if "POSITION" in (part.get("attributes") or {})
            ],
        }
        for mesh in document["meshes"]
    ]
    plain["materials"] = [
        {
            "name": str(row.get("name", "")),
            "pbrMetallicRoughness": {
                k: v
                for k, v in (row.get("pbrMetallicRoughness") or {}).items()
                if k == "baseColorFactor"
            },
        }
        for row in document["materials"]
    ]
    return plain
