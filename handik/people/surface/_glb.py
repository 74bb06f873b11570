"""glTF 2.0 in its binary form: the triangles, the figure's links as nodes, and what moves what."""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.people.surface._data import Floats, Ints

__all__ = ["INFLUENCES", "Rig", "write_glb"]

#: Joints to a vertex: one set of the format, which every reader takes.
INFLUENCES = 4
#: Rows are the axes of the file in those of the person: left, up, forward.
_AXES = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
_FLOAT, _SHORT, _INT = 5126, 5123, 5125
_ARRAY, _ELEMENTS = 34962, 34963


@dataclass(frozen=True, eq=False)
class Rig:
    """The links of a figure in one posture, and their shares in the vertices.

    Attributes
    ----------
    names : tuple of str
    parents : tuple of int
        Row of the parent of each link, -1 for a root.
    poses : ndarray (k, 4, 4)
        In the person's world.
    share : ndarray (n, k)
        Rows sum to 1.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    poses: Floats
    share: Floats


class _Buffer:
    """The binary part, and the lists that say what lies where in it."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, int]] = []
        self.accessors: list[dict[str, object]] = []

    def add(self, rows: NDArray[Any], kind: str, component: int, target: int | None) -> int:
        """Append an array and return its accessor."""
        dtype = {_FLOAT: "<f4", _SHORT: "<u2", _INT: "<u4"}[component]
        packed = np.ascontiguousarray(rows, dtype)
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": packed.nbytes}
        self.views.append(view if target is None else view | {"target": target})
        self.accessors.append(
            {
                "bufferView": len(self.views) - 1,
                "componentType": component,
                "count": len(packed),
                "type": kind,
            }
        )
        self.data += packed.tobytes() + bytes(-packed.nbytes % 4)
        return len(self.accessors) - 1

    def bound(self, accessor: int, rows: Floats) -> None:
        """Say the least and most of an accessor, of the numbers as written."""
        low, high = (k.astype("<f4").astype(float).tolist() for k in (rows.min(0), rows.max(0)))
        self.accessors[accessor] |= {"min": low, "max": high}


def _normals(vertices: Floats, faces: Ints) -> Floats:
    """Return the normal at each vertex, weighted by area."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normal = np.zeros_like(vertices)
    across = np.cross(b - a, c - a)
    for k in range(3):
        np.add.at(normal, faces[:, k], across)
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    return np.where(length > 0, normal / np.where(length > 0, length, 1), [0.0, 1.0, 0.0])


def _nearest_four(share: Floats) -> tuple[Ints, Floats]:
    """Return the largest shares of each row and their columns; they sum to 1 again."""
    order = np.argsort(-share, axis=1, kind="stable")[:, :INFLUENCES]
    kept = np.take_along_axis(share, order, 1)
    kept = kept / kept.sum(1, keepdims=True)
    return np.where(kept > 0, order, 0), kept


def _node(name: str, pose: Floats) -> dict[str, object]:
    x, y, z, w, i, j, k = _core.pose_columns(pose[None])[0].tolist()
    return {"name": name, "translation": [x, y, z], "rotation": [i, j, k, w]}


def _skeleton(rig: Rig, poses: Floats) -> list[dict[str, object]]:
    """Return a node for each link, in its parent."""
    nodes = []
    for row, (name, parent) in enumerate(zip(rig.names, rig.parents, strict=True)):
        own = poses[row] if parent < 0 else np.linalg.inv(poses[parent]) @ poses[row]
        node = _node(name, own)
        children = [k for k, of in enumerate(rig.parents) if of == row]
        nodes.append(node | ({"children": children} if children else {}))
    return nodes


def _linear(color: tuple[float, ...]) -> list[float]:
    """Return a color as the format has it: sRGB (IEC 61966-2-1) made linear, and opaque."""
    c = np.array(color)
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return [*np.round(linear, 6).tolist(), 1.0]


def write_glb(
    path: Path, vertices: Floats, parts: list[tuple[str, tuple[float, ...], Ints]], rig: Rig
) -> None:
    """Write triangles by (name, color, faces), bound to the links where they are."""
    turn = np.eye(4)
    turn[:3, :3] = _AXES
    poses, at = turn @ rig.poses, vertices @ _AXES.T
    buffer = _Buffer()
    four, kept = _nearest_four(rig.share)
    position = buffer.add(at, "VEC3", _FLOAT, _ARRAY)
    buffer.bound(position, at)
    attributes = {
        "POSITION": position,
        "NORMAL": buffer.add(
            _normals(at, np.concatenate([faces for *_, faces in parts])), "VEC3", _FLOAT, _ARRAY
        ),
        "JOINTS_0": buffer.add(four, "VEC4", _SHORT, _ARRAY),
        "WEIGHTS_0": buffer.add(kept, "VEC4", _FLOAT, _ARRAY),
    }
    primitives = [
        {
            "attributes": attributes,
            "indices": buffer.add(faces.ravel(), "SCALAR", _INT, _ELEMENTS),
            "material": k,
        }
        for k, (*_, faces) in enumerate(parts)
    ]
    # Matrices are written column by column.
    inverse = np.linalg.inv(poses).transpose(0, 2, 1).reshape(-1, 16)
    inverse[:, [3, 7, 11]], inverse[:, 15] = 0.0, 1.0
    bind = buffer.add(inverse, "MAT4", _FLOAT, None)
    nodes = _skeleton(rig, poses)
    roots = [k for k, parent in enumerate(rig.parents) if parent < 0]
    body = {"name": "surface", "mesh": 0, "skin": 0}
    document = {
        "asset": {"version": "2.0", "generator": "handik"},
        "scene": 0,
        "scenes": [{"nodes": [*roots, len(nodes)]}],
        "nodes": [*nodes, body],
        "meshes": [{"name": "surface", "primitives": primitives}],
        "materials": [
            {
                "name": name,
                "pbrMetallicRoughness": {
                    "baseColorFactor": _linear(color),
                    "metallicFactor": 0.0,
                    "roughnessFactor": 0.8,
                },
            }
            for name, color, _ in parts
        ],
        "skins": [{"joints": list(range(len(nodes))), "inverseBindMatrices": bind}],
        "buffers": [{"byteLength": len(buffer.data)}],
        "bufferViews": buffer.views,
        "accessors": buffer.accessors,
    }
    text = json.dumps(document, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(buffer.data))
    chunk = struct.pack("<I4s", len(text), b"JSON") + text
    binary = struct.pack("<I4s", len(buffer.data), b"BIN\0") + bytes(buffer.data)
    path.write_bytes(head + chunk + binary)
