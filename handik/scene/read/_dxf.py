"""Floor plans from DXF, by ezdxf: outlines become prisms, lines walls without thickness.

A node for each layer holds what is drawn on it. The unit is that of ``$INSUNITS``, meters where the
drawing has none. z is up.

References
----------
Autodesk, DXF Reference, 2024.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import pairwise
from math import atan2, cos, hypot, isfinite, sin
from typing import Any

import numpy as np

from handik.errors import ArgumentError, HandikError
from handik.scene.document import Scene
from handik.scene.nodes import MOST_NODES, Node
from handik.scene.read._given import Import, package, unique
from handik.scene.shapes import Box, Cylinder, Prism, Shape

__all__ = ["importer"]

#: Meters of the units by their number in the file.
_INSUNITS = {
    0: 1.0, 1: 0.0254, 2: 0.3048, 3: 1609.344, 4: 0.001, 5: 0.01, 6: 1.0, 7: 1000.0,
    10: 0.9144, 13: 1e-6, 14: 0.1,
}  # fmt: skip
_DEEPEST = 8  # blocks in blocks
#: Words of a layer's name that become tags.
_TAGS = ("wall", "door", "window", "floor", "stair", "furniture", "seat")


def importer(wish: Import) -> Scene:
    """Read a ``.dxf``."""
    ezdxf = package("ezdxf", "dxf", "a file of .dxf")
    data = wish.bytes()
    if data.startswith(b"AutoCAD Binary DXF"):
        wish.fail("it is a binary DXF file; save it as text")
    text = data.decode("utf-8", "replace").replace("\r\n", "\n").rstrip()
    if not text.endswith("EOF"):
        wish.fail("it is cut: its last word is not EOF")
    layers: dict[str, list[Node]] = {}
    try:
        drawing = ezdxf.read(io.StringIO(text + "\n"))
        scale = _scale(wish, drawing.header.get("$INSUNITS", 0))
        taken: dict[str, set[str]] = {}
        for entity in _entities(wish, drawing.modelspace()):
            if not entity.dxf.is_supported("layer"):
                continue  # of a kind that the library does not know
            layer = str(entity.dxf.get("layer", "0"))
            names = taken.setdefault(layer, set())
            for node in _nodes(wish, entity, scale, names):
                layers.setdefault(layer, []).append(node)
    except HandikError:
        raise
    except Exception as error:  # the library's own errors are of every class
        wish.fail(f"ezdxf cannot read it: {str(error)[:200] or type(error).__name__}")
    if not layers:
        wish.fail("it draws no outline and no line in its model space")
    own: set[str] = set()
    return Scene([_layer(name, nodes, own, wish) for name, nodes in layers.items()], wish.stem)


def _scale(wish: Import, units: Any) -> float:
    """Return the meters of a length of one, by the number of the drawing's unit."""
    if units not in _INSUNITS and wish.unit is None:
        wish.fail(f"its unit is number {units}, which is not read: give unit=")
    return wish.meters(_INSUNITS.get(units, 1.0))


def _layer(name: str, nodes: list[Node], taken: set[str], wish: Import) -> Node:
    tags = [tag for tag in _TAGS if tag in name.lower()]
    tagged = [Node(n.name, n.content, n.pose, tags=tags) for n in nodes]
    return Node(unique(name, taken, wish.stem), None, children=tagged)


def _entities(wish: Import, space: Any) -> Iterator[Any]:
    """Yield what is drawn, blocks taken apart."""
    stack = [(entity, 0) for entity in reversed(list(space))]
    count = 0
    while stack:
        entity, depth = stack.pop()
        count += 1
        if count > MOST_NODES:
            wish.fail(f"it draws more than {MOST_NODES} things, its blocks taken apart")
        if entity.dxftype() == "INSERT":
            if depth >= _DEEPEST:
                wish.fail(f"block {entity.dxf.name!r} lies deeper than {_DEEPEST} blocks")
            inner = []
            for part in entity.virtual_entities():
                inner.append((part, depth + 1))
                if len(inner) + count > MOST_NODES:
                    wish.fail(f"it draws more than {MOST_NODES} things, its blocks taken apart")
            stack += reversed(inner)
        else:
            yield entity


def _nodes(wish: Import, entity: Any, scale: float, taken: set[str]) -> Iterator[Node]:
    """Yield the nodes of one entity; texts, dimensions and hatches have none."""
    kind = entity.dxftype()
    if kind == "CIRCLE":
        center = _point(wish, entity.dxf.center, scale)
        yield _node(
            wish, kind, Cylinder(wish.height, float(entity.dxf.radius) * scale), center, 0.0, taken
        )
        return
    points, closed = _line(entity)
    if len(points) < 2:
        return
    rows = [_point(wish, point, scale) for point in points]
    if closed and len(rows) > 2:
        try:
            shape = Prism(tuple((x, y) for x, y, _ in rows), wish.height)
        except ArgumentError as error:
            wish.fail(
                f"{kind} {entity.dxf.handle} on layer {entity.dxf.get('layer', '0')!r}: {error}"
            )
        yield Node(unique(kind.lower(), taken, kind), shape, [0, 0, rows[0][2]])
        return
    for a, b in pairwise(rows):
        long = hypot(b[0] - a[0], b[1] - a[1])
        if long > 0:
            middle = [(x + y) / 2 for x, y in zip(a, b, strict=True)]
            wall = Box((long, 0.0, wish.height))
            yield _node(wish, kind, wall, middle, atan2(b[1] - a[1], b[0] - a[0]), taken)


def _line(entity: Any) -> tuple[list[Any], bool]:
    """Return the points of an entity, and whether they close."""
    kind = entity.dxftype()
    if kind == "LINE":
        return [entity.dxf.start, entity.dxf.end], False
    if kind == "LWPOLYLINE":
        from ezdxf.path import make_path

        way = make_path(entity)
        points = list(way.flattening(max(_size(entity) * 1e-3, 1e-9)))
        return _open(points, bool(entity.closed))
    if kind == "POLYLINE" and (entity.is_2d_polyline or entity.is_3d_polyline):
        return _open([v.dxf.location for v in entity.vertices], bool(entity.is_closed))
    if kind in ("ARC", "ELLIPSE", "SPLINE"):
        return _open(list(entity.flattening(max(_size(entity) * 1e-3, 1e-9))), False)
    return [], False


def _size(entity: Any) -> float:
    from ezdxf import bbox

    box = bbox.extents([entity], fast=True)
    return float(max(box.size.x, box.size.y)) if box.has_data else 1.0


def _open(points: list[Any], closed: bool) -> tuple[list[Any], bool]:
    """Return points without the last, where it is the first once more."""
    if len(points) > 3 and np.allclose(list(points[0]), list(points[-1]), rtol=0, atol=1e-12):
        return points[:-1], True
    return points, closed


def _point(wish: Import, point: Any, scale: float) -> list[float]:
    found = [float(x) * scale for x in (point.x, point.y, point.z)]
    if not all(isfinite(x) for x in found):
        wish.fail("a point of it is not finite")
    return [-found[0] if wish.left_handed else found[0], found[1], found[2]]


def _node(
    wish: Import, kind: str, shape: Shape, at: list[float], turn: float, taken: set[str]
) -> Node:
    """Return a node whose shape stands on the floor."""
    pose = np.eye(4)
    pose[:2, :2] = [[cos(turn), -sin(turn)], [sin(turn), cos(turn)]]
    pose[:3, 3] = at[0], at[1], at[2] + wish.height / 2
    return Node(unique(kind.lower(), taken, kind), shape, pose)
