"""Doors of IFC as `hk.access` reads them: a doorway, its leaves, and what stays with the frame.

A door is taken apart where that is sure: its kind of opening is told, and of its pieces one is a
whole leaf (two of a double door): an upright slab, shut, almost as wide and high as the door. All
else stays one mesh, which no rule on doors measures.

References
----------
buildingSMART, ISO 16739-1, IfcDoor and IfcDoorTypeOperationEnum: leaves open to the positive y of
the door's placement, and left is as seen along it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handik.scene.nodes import Node
from handik.scene.read._given import Import, package
from handik.scene.shapes import Box

__all__ = ["door"]

Array = NDArray[np.float64]
#: Kinds of opening: on which sides leaves hang (-1: at the lesser x), and whether they slide.
_KINDS = {
    "SINGLE_SWING_LEFT": ((-1,), False),
    "SINGLE_SWING_RIGHT": ((1,), False),
    "DOUBLE_DOOR_SINGLE_SWING": ((-1, 1), False),
    "SLIDING_TO_LEFT": ((-1,), True),
    "SLIDING_TO_RIGHT": ((1,), True),
}
#: A leaf: share of its box that is solid, of the door's width and height that it has; how thick.
_SOLID, _WIDE, _HIGH, _THICK = 0.9, 0.8, 0.8, (0.01, 0.12)
#: Meters: width and height of leaves together from which people go through (assumed); less is a
#: hatch, which is no doorway.
_LEAST = (0.6, 1.6)
#: Meters: how large what hangs on a leaf may be, and how far off it; how high a threshold may be.
_FITTING, _NEAR, _SILL = 0.5, 0.1, 0.05
#: Meters: how far what is upright may lean.
_LEANS = 1e-6


class _Piece(NamedTuple):
    """Triangles of a piece, its box, and the share of the box that is solid."""

    faces: NDArray[np.int64]
    low: Array
    high: Array
    solid: float


class _Apart(NamedTuple):
    """A door taken apart: its points, where leaves hang, whether they slide, they and all else."""

    points: Array
    sides: tuple[int, ...]
    slides: bool
    leaves: list[_Piece]
    left: list[_Piece]


def _pieces(points: Array, faces: NDArray[np.int64], numbers: Any) -> list[_Piece]:
    """Return the items that a shape is made of."""
    of = np.asarray(numbers, np.int64)
    out = []
    for number in np.unique(of):
        own = faces[of == number]
        corner = points[own]
        low, high = corner.min((0, 1)), corner.max((0, 1))
        six = np.einsum("ij,ij->i", corner[:, 0], np.cross(corner[:, 1], corner[:, 2])).sum()
        room = float(np.prod(high - low))
        out.append(_Piece(own, low, high, abs(float(six)) / 6 / room if room > 0 else 0.0))
    return out


def _operation(product: Any) -> tuple[tuple[int, ...], bool] | None:
    """Return the kind of opening, of the door itself or of its type."""
    util = package("ifcopenshell.util.element", "ifc", "a file of .ifc")
    for one in (product, util.get_type(product)):
        word = getattr(one, "OperationType", None)
        if word not in (None, "NOTDEFINED"):
            return _KINDS.get(str(word))
    return None


def _leaves(pieces: list[_Piece], count: int) -> list[_Piece]:
    """Return the leaves from the lesser x on; none where they are not surely told."""
    low = np.min([one.low for one in pieces], axis=0)
    high = np.max([one.high for one in pieces], axis=0)
    wide, _, tall = high - low
    found = [
        one
        for one in pieces
        if one.solid >= _SOLID
        and _THICK[0] <= one.high[1] - one.low[1] <= _THICK[1]
        and one.high[0] - one.low[0] >= _WIDE * wide / count
        and one.high[2] - one.low[2] >= _HIGH * tall
    ]
    found.sort(key=lambda one: float(one.low[0]))
    if len(found) != count or found[-1].high[0] - found[0].low[0] < _LEAST[0]:
        return []
    if found[0].high[2] - found[0].low[2] < _LEAST[1] or any(
        a.high[0] > b.low[0] for a, b in pairwise(found)
    ):
        return []
    return found


def _hangs_on(piece: _Piece, leaf: _Piece) -> bool:
    """Whether a piece is a handle or the like of a leaf."""
    if (piece.high - piece.low).max() > _FITTING:
        return False
    inner = (piece.low[[0, 2]] >= leaf.low[[0, 2]] - 1e-6) & (
        piece.high[[0, 2]] <= leaf.high[[0, 2]] + 1e-6
    )
    near = piece.low[1] <= leaf.high[1] + _NEAR and piece.high[1] >= leaf.low[1] - _NEAR
    return bool(inner.all() and near)


def _is_sill(piece: _Piece, leaves: list[_Piece]) -> bool:
    """Whether a piece lies on the floor of the opening, under the leaves."""
    middle = (leaves[0].low[0] + leaves[-1].high[0]) / 2
    across = piece.low[0] < middle < piece.high[0]
    return bool(across and piece.high[2] <= _SILL and piece.high[2] - piece.low[2] > 0)


def _at(place: Any, turned: float) -> Array:
    out = np.eye(4)
    out[0, 0] = out[1, 1] = np.cos(turned)
    out[1, 0] = np.sin(turned)
    out[0, 1] = -out[1, 0]
    out[:3, 3] = place
    return out


def _without(pieces: list[_Piece], some: list[_Piece]) -> list[_Piece]:
    return [one for one in pieces if not any(one is other for other in some)]


def _taken_apart(product: Any, inner: Any, matrix: Array) -> _Apart | None:
    """Return the leaves of a door and all else; None where they are not told."""
    kind = _operation(product)
    points = np.asarray(inner.verts, np.float64).reshape(-1, 3)
    faces = np.asarray(inner.faces, np.int64).reshape(-1, 3)
    numbers = getattr(inner, "item_ids", ())
    turn = matrix[:3, :3]
    rigid = np.allclose(turn @ turn.T, np.eye(3), atol=1e-6) and np.linalg.det(turn) > 0
    if kind is None or len(numbers) != len(faces) or not rigid or turn[2, 2] < 1 - _LEANS:
        return None
    pieces = _pieces(points, faces, numbers)
    leaves = _leaves(pieces, len(kind[0]))
    return _Apart(points, *kind, leaves, _without(pieces, leaves)) if leaves else None


def door(
    wish: Import, product: Any, shape: Any, name: str, matrix: Array, look: tuple[Any, Any]
) -> Node | None:
    """Return a door as doorway, leaves and frame; None where its parts are not told.

    Parameters
    ----------
    wish : Import
    product : IfcDoor
    shape : ifcopenshell's shape
    name : str
        Of the node.
    matrix : ndarray (4, 4)
        From the door's own axes to the world's.
    look : (color, opacity)

    Returns
    -------
    Node or None
    """
    apart = _taken_apart(product, shape.geometry, matrix)
    if apart is None:
        return None
    color, opacity = look

    def mesh(what: str, parts: list[_Piece], at: Any, tags: tuple[str, ...] = ()) -> list[Node]:
        if not parts:
            return []
        own, place = np.vstack([one.faces for one in parts]), np.asarray(at, np.float64)
        return [wish.mesh(what, apart.points, own, place, color, opacity, tags)]

    leaves, left = apart.leaves, apart.left
    middle = (leaves[0].low + leaves[-1].high) / 2
    children = [Node("doorway", pose=_at([middle[0], middle[1], 0.0], np.pi / 2), tags="doorway")]
    for k, (leaf, side) in enumerate(zip(leaves, apart.sides, strict=True), 1):
        hung = [one for one in left if _hangs_on(one, leaf)]
        left = _without(left, hung)
        size, center = leaf.high - leaf.low, (leaf.low + leaf.high) / 2
        hinge = [leaf.low[0] if side < 0 else leaf.high[0], center[1], 0.0]
        pose = _at(hinge, 0.0 if side < 0 else np.pi)
        at = np.array([size[0] / 2, 0.0, center[2]])
        panel = Node("panel", Box(size), at, color=color, opacity=opacity)
        below = [panel, *mesh("fitting", hung, np.linalg.inv(pose))]
        tags = ("door", "sliding") if apart.slides else ("door",)
        word = "leaf" if len(leaves) == 1 else f"leaf {k}"
        children.append(Node(word, pose=pose, tags=tags, children=below))
    sills = [one for one in left if _is_sill(one, leaves)]
    children += mesh("threshold", sills, np.eye(4), ("threshold",))
    children += mesh("frame", _without(left, sills), np.eye(4))
    return Node(name, pose=matrix, tags=("ifcdoor",), children=children)
