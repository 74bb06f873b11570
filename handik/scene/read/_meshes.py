"""OBJ, STL, PLY and COLLADA, by trimesh.

OBJ, STL and PLY say nothing of units and axes: meters and z up are taken. COLLADA says both.
"""

from __future__ import annotations

import io
import os
import re
from typing import Any, NoReturn

import numpy as np

from handik.errors import HandikError
from handik.files.read._file import read_bytes
from handik.files.read._xml import Element, parse
from handik.scene.document import Scene
from handik.scene.nodes import MOST_NODES, Node
from handik.scene.read._given import UPS, Import, package, unique
from handik.scene.read._gltf_lamps import screen_color

__all__ = ["importer", "nodes_of"]

_UP_WORDS = {"X_UP": "x", "Y_UP": "y", "Z_UP": "z"}
_PLY_ELEMENT = re.compile(rb"^element\s+(\w+)\s+(\d+)\s*$", re.M)


class _Beside:
    """The files that a mesh names, handed to the library: its own folder and the roots alone."""

    def __init__(self, wish: Import) -> None:
        self.wish = wish

    def get(self, name: str) -> bytes:
        """Return a material file; pictures are not read."""
        if os.path.splitext(name)[1].lower() != ".mtl":
            raise FileNotFoundError(name)
        return read_bytes(self.wish.beside(name))

    def __getitem__(self, name: str) -> bytes:
        return self.get(name)

    def write(self, name: str, data: bytes) -> NoReturn:
        """Refuse to write."""
        raise PermissionError(name)


def importer(wish: Import) -> Scene:
    """Read one of these files."""
    data = wish.bytes()
    suffix = os.path.splitext(wish.path)[1].lower()
    unit, up = {".obj": _check_obj, ".stl": _check_stl, ".ply": _check_ply, ".dae": _check_dae}[
        suffix
    ](wish, data)
    return Scene(nodes_of(wish, data, suffix[1:], _Beside(wish), unit, up), wish.stem)


def nodes_of(wish: Import, data: bytes, kind: str, beside: Any, unit: float, up: str) -> list[Node]:
    """Return the nodes that trimesh finds."""
    trimesh = package("trimesh", "mesh", f"a file of .{kind}")
    if kind == "dae":
        package("collada", "mesh", "a file of .dae")
    try:
        found = trimesh.load_scene(io.BytesIO(data), file_type=kind, resolver=beside, process=False)
        placed = [(node, *found.graph[node]) for node in found.graph.nodes_geometry]
    except HandikError:
        raise
    except RecursionError:
        wish.fail("its nodes hang on each other in a circle, or too deep")
    except Exception as error:  # the library's own errors are of every class
        wish.fail(f"trimesh cannot read it: {str(error)[:200] or type(error).__name__}")
    wish.counted(len(placed))
    taken: set[str] = set()
    nodes = []
    frame = wish.frame(unit, up)
    for node, matrix, name in placed:
        shape = found.geometry[name]
        if not hasattr(shape, "faces") or len(shape.faces) == 0:
            continue  # points and lines
        label = unique(name if node.startswith("node_") else node, taken, wish.stem)
        color, opacity = _color(shape, linear=kind == "gltf")
        nodes.append(wish.mesh(label, shape.vertices, shape.faces, frame @ matrix, color, opacity))
    if not nodes:
        wish.fail("it has no triangle")
    return nodes


def _color(shape: Any, *, linear: bool) -> tuple[tuple[float, ...] | None, float | None]:
    """Return the color of a material that names one, as a screen shows it."""
    material = getattr(shape.visual, "material", None)
    main = getattr(material, "baseColorFactor", None)
    main = getattr(material, "diffuse", None) if main is None else main
    if main is None or len(main) < 3:
        return None, None
    rows = np.asarray(main, dtype=np.float64) / 255
    if not ((rows >= 0) & (rows <= 1)).all():
        return None, None
    shown = screen_color(rows[:3]) if linear else rows[:3]
    return tuple(shown.tolist()), float(rows[3]) if len(rows) > 3 and rows[3] < 1 else None


# -- looks before the library reads ----------------------------------------------------------------


def _check_obj(wish: Import, data: bytes) -> tuple[float, str]:
    """Every face names vertices that are there."""
    vertices = 0
    for number, line in enumerate(data.splitlines(), 1):
        words = line.split()
        if not words:
            continue
        if words[0] == b"v":
            vertices += 1
            _numbers(wish, words[1:4], number)
        elif words[0] == b"f":
            if len(words) < 4:
                wish.fail("a face has fewer than three corners", number)
            for word in words[1:]:
                _corner(wish, word, vertices, number)
    if not vertices:
        wish.fail("it has no vertex")
    return 1.0, "z"


def _numbers(wish: Import, words: list[bytes], line: int) -> None:
    try:
        good = len(words) == 3 and bool(np.isfinite([float(word) for word in words]).all())
    except ValueError:
        good = False
    if not good:
        wish.fail("a vertex must be three finite numbers", line)


def _corner(wish: Import, word: bytes, vertices: int, line: int) -> None:
    try:
        k = int(word.split(b"/")[0])
    except ValueError:
        wish.fail(f"{word.decode('latin-1')[:40]!r} is no corner of a face", line)
    if not (1 <= k <= vertices or -vertices <= k <= -1):
        wish.fail(f"a face names vertex {k} of {vertices} so far", line)


def _check_stl(wish: Import, data: bytes) -> tuple[float, str]:
    """Refuse a binary file not as long as its count says, a text without its last word."""
    if data[:5].lower() == b"solid" and b"facet" in data[:1000]:
        if b"endsolid" not in data[-1000:].lower():
            wish.fail("it is cut: 'endsolid' is missing")
        return 1.0, "z"
    if len(data) < 84:
        wish.fail("it is cut: shorter than the head of an STL file")
    count = int.from_bytes(data[80:84], "little")
    if len(data) != 84 + 50 * count:
        wish.fail(
            f"its head says {count} triangles, {84 + 50 * count} bytes, but it has {len(data)}"
        )
    return 1.0, "z"


def _check_ply(wish: Import, data: bytes) -> tuple[float, str]:
    """Its head names elements, each of which takes at least a byte and a half of the file."""
    end = data.find(b"end_header")
    if not data.startswith(b"ply") or end < 0:
        wish.fail("it does not begin as a PLY file does, or its head is cut")
    counts = {name.decode("ascii"): int(count) for name, count in _PLY_ELEMENT.findall(data[:end])}
    if not counts.get("vertex") or not counts.get("face"):
        wish.fail("its head names no vertices, or no faces")
    for name, count in counts.items():
        if count > len(data) - end:
            wish.fail(f"its head says {count} of {name!r}, more than the file has bytes")
    if b"format ascii" in data[:end]:
        rows = [line.split() for line in data[end:].splitlines()[1:] if line.strip()]
        if len(rows) < sum(counts.values()):
            wish.fail(f"it is cut: its head says {sum(counts.values())} rows, it has {len(rows)}")
        if list(counts)[-1] == "face" and (
            not rows[-1][0].isdigit() or len(rows[-1]) <= int(rows[-1][0])
        ):
            wish.fail("it is cut in its last row")
    elif len(data) - end < 12 * counts["vertex"] + 7 * counts["face"]:
        wish.fail("it is cut: shorter than three numbers a vertex and three corners a face")
    return 1.0, "z"


def _check_dae(wish: Import, data: bytes) -> tuple[float, str]:
    """XML without a DOCTYPE; its unit and its axis."""
    root = parse(data, path=wish.path)
    for element in root.walk():
        element.tag = element.tag.rpartition("}")[2]
    if root.tag != "COLLADA":
        wish.fail(f"the root element is <{root.tag}>, not <COLLADA>")
    wish.counted(_stands(wish, root))
    asset = root.find("asset")
    if asset is None:
        return 1.0, "y"  # the format's own default
    unit, axis = asset.find("unit"), asset.find("up_axis")
    written = "Y_UP" if axis is None else axis.content
    up = _UP_WORDS.get(written, "")
    if up not in UPS:
        wish.fail(f"<up_axis> must be X_UP, Y_UP or Z_UP, got {written[:40]!r}")
    scale = 1.0 if unit is None else unit.number("meter", 1.0)
    if not 1e-9 <= scale <= 1e6:
        wish.fail(f"a unit of {scale:g} meters")
    return scale, up


def _stands(wish: Import, root: Element) -> int:
    """Return how many nodes there are where all that are named in others stand in their places.

    Ten nodes that each name the one before ten times make ten thousand million: no more than one
    beyond the most that a scene may have is told.
    """
    every = [element for element in root.walk() if element.tag == "node"]
    named = {element.attributes["id"]: element for element in every if "id" in element.attributes}
    count: dict[int, int] = {}  # of a node and what hangs on it; 0: not yet known
    waiting = list(every)
    while waiting:
        below = _below(waiting[-1], named)
        key, unknown = id(waiting[-1]), [one for one in below if not count.get(id(one))]
        if not unknown or key in count:
            waiting.pop()
            count[key] = min(1 + sum(count[id(one)] for one in below), MOST_NODES + 1)
            continue
        count[key] = 0
        if any(id(one) in count for one in unknown):
            wish.fail("its nodes hang on each other in a circle")
        waiting += unknown
    scenes = [element for element in root.walk() if element.tag == "visual_scene"]
    return sum(count.get(id(one), 0) for scene in scenes for one in scene)


def _below(node: Element, named: dict[str, Element]) -> list[Element]:
    """Return the nodes in a node, and those that it names."""
    found = [one for one in node if one.tag == "node"]
    urls = [one.attributes.get("url", "") for one in node if one.tag == "instance_node"]
    return found + [named[url[1:]] for url in urls if url[1:] in named]
