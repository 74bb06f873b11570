"""glTF 2.0 in its binary form: a document that grows by meshes, nodes, skins and movements.

References
----------
Khronos Group, glTF 2.0 Specification, 2021.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik import _core

__all__ = ["ELEMENTS", "FLOAT", "INT", "LAMPS", "SHORT", "Glb", "normals_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FLOAT, SHORT, INT = 5126, 5123, 5125
ARRAY, ELEMENTS = 34962, 34963
#: The extension that says what lights there are.
LAMPS = "KHR_lights_punctual"
_DTYPE = {FLOAT: "<f4", SHORT: "<u2", INT: "<u4"}


def normals_of(vertices: Floats, faces: Ints) -> Floats:
    """Return the normal at each vertex, weighted by area."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normal = np.zeros_like(vertices)
    across = np.cross(b - a, c - a)
    for k in range(3):
        np.add.at(normal, faces[:, k], across)
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    return np.where(length > 0, normal / np.where(length > 0, length, 1), [0.0, 1.0, 0.0])


def _linear(color: tuple[float, ...]) -> list[float]:
    """Return a color as the format has it: sRGB (IEC 61966-2-1) made linear."""
    c = np.array(color)
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    found: list[float] = np.round(linear, 6).tolist()
    return found


class Glb:
    """A document in the making; what is added is told apart by its number."""

    def __init__(self) -> None:
        self.data = bytearray()
        keys = ("accessors", "animations", "bufferViews", "cameras", "materials", "meshes", "nodes")
        self.lists: dict[str, list[dict[str, Any]]] = {key: [] for key in (*keys, "skins")}
        self.lamps: list[dict[str, Any]] = []
        self.roots: list[int] = []
        self._materials: dict[Any, int] = {}

    def _add(self, key: str, row: dict[str, Any]) -> int:
        self.lists[key].append(row)
        return len(self.lists[key]) - 1

    # -- numbers --------------------------------------------------------------------------------

    def array(
        self,
        rows: NDArray[Any],
        kind: str,
        component: int = FLOAT,
        target: int | None = None,
        *,
        bounds: bool = False,
    ) -> int:
        """Add an array, and say its least and most where that is asked for."""
        packed = np.ascontiguousarray(rows, _DTYPE[component])
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": packed.nbytes}
        at = self._add("bufferViews", view if target is None else view | {"target": target})
        row = {"bufferView": at, "componentType": component, "count": len(packed), "type": kind}
        if bounds:  # of the numbers as written
            flat = packed.reshape(len(packed), -1).astype(float)
            row |= {"min": flat.min(0).tolist(), "max": flat.max(0).tolist()}
        self.data += packed.tobytes() + bytes(-packed.nbytes % 4)
        return self._add("accessors", row)

    def points(self, rows: Floats, *, bounds: bool = False) -> int:
        """Add what belongs to vertices, three numbers each."""
        return self.array(rows, "VEC3", FLOAT, ARRAY, bounds=bounds)

    # -- what is seen ---------------------------------------------------------------------------

    def material(self, name: str, color: tuple[float, ...], opacity: float = 1.0) -> int:
        """Add a color, or find it again."""
        key = name, tuple(color), opacity
        if key not in self._materials:
            row: dict[str, Any] = {
                "name": name,
                "pbrMetallicRoughness": {
                    "baseColorFactor": [*_linear(color), opacity],
                    "metallicFactor": 0.0,
                    "roughnessFactor": 0.8,
                },
            }
            self._materials[key] = self._add(
                "materials", row | ({"alphaMode": "BLEND"} if opacity < 1 else {})
            )
        return self._materials[key]

    def primitive(self, attributes: dict[str, int], faces: Ints, material: int) -> dict[str, Any]:
        """Return triangles of one color."""
        at = self.array(faces.ravel(), "SCALAR", INT, ELEMENTS)
        return {"attributes": attributes, "indices": at, "material": material}

    def mesh(self, name: str, primitives: list[dict[str, Any]]) -> int:
        """Add a mesh."""
        return self._add("meshes", {"name": name, "primitives": primitives})

    def camera(self, view: float) -> dict[str, Any]:
        """Add a camera of this angle from top to bottom; return what its node says of it."""
        row = {"type": "perspective", "perspective": {"yfov": view, "znear": 0.01}}
        return {"camera": self._add("cameras", row)}

    def lamp(self, kind: str, color: tuple[float, ...], power: float, half: float) -> Any:
        """Add a light, of a spot with half the angle of its cone; return what its node says of it.

        The power is in candela, of a directional light in lux.
        """
        row: dict[str, Any] = {"type": kind, "color": _linear(color), "intensity": power}
        self.lamps.append(row | ({"spot": {"outerConeAngle": half}} if kind == "spot" else {}))
        return {"extensions": {LAMPS: {"light": len(self.lamps) - 1}}}

    def node(
        self, name: str, pose: Floats | None = None, parent: int | None = None, **more: Any
    ) -> int:
        """Add a node at a rigid pose (4, 4) in its parent; without a parent it is a root."""
        row: dict[str, Any] = {"name": name}
        if pose is not None:
            x, y, z, w, i, j, k = _core.pose_columns(pose[None])[0].tolist()
            row |= {"translation": [x, y, z], "rotation": [i, j, k, w]}
        at = self._add("nodes", row | more)
        if parent is None:
            self.roots.append(at)
        else:
            self.hang(at, parent)
        return at

    def hang(self, node: int, parent: int) -> None:
        """Hang a node on another; it is a root no longer."""
        if node in self.roots:
            self.roots.remove(node)
        self.lists["nodes"][parent].setdefault("children", []).append(node)

    def skin(self, joints: list[int], poses: Floats) -> int:
        """Add a skin that is bound to nodes at these poses (k, 4, 4), in the axes of its mesh."""
        inverse = np.linalg.inv(poses).transpose(0, 2, 1).reshape(-1, 16)  # column by column
        inverse[:, [3, 7, 11]], inverse[:, 15] = 0.0, 1.0
        bind = self.array(inverse, "MAT4")
        return self._add("skins", {"joints": joints, "inverseBindMatrices": bind})

    def movement(self, name: str, times: Floats, moved: dict[int, Floats]) -> None:
        """Add the movement of nodes, by the poses (n, 4, 4) of each in its parent."""
        if not moved:
            return
        clock = self.array(times, "SCALAR", bounds=True)
        samplers: list[dict[str, Any]] = []
        channels: list[dict[str, Any]] = []
        for node, poses in moved.items():
            columns = np.asarray(_core.pose_columns(poses))
            turns = columns[:, [4, 5, 6, 3]]
            # q and -q are one turn: each is written on the side of the one before it
            sides = np.where((turns[1:] * turns[:-1]).sum(axis=1) < 0, -1.0, 1.0)
            turns[1:] *= np.cumprod(sides)[:, None]
            for word, rows, kind in (
                ("translation", columns[:, :3], "VEC3"),
                ("rotation", turns, "VEC4"),
            ):
                at = self.array(rows, kind)
                samplers.append({"input": clock, "output": at, "interpolation": "LINEAR"})
                target = {"node": node, "path": word}
                channels.append({"sampler": len(samplers) - 1, "target": target})
        self._add("animations", {"name": name, "samplers": samplers, "channels": channels})

    # -- the file -------------------------------------------------------------------------------

    def to_bytes(self) -> bytes:
        """Return the file."""
        document = {
            "asset": {"version": "2.0", "generator": "handik"},
            "scene": 0,
            "scenes": [{"nodes": self.roots}],
            **{key: rows for key, rows in self.lists.items() if rows},
        }
        if self.lamps:
            document |= {"extensionsUsed": [LAMPS], "extensions": {LAMPS: {"lights": self.lamps}}}
        if self.data:
            document["buffers"] = [{"byteLength": len(self.data)}]
        text = json.dumps(document, separators=(",", ":")).encode("ascii")
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<I4s", len(text), b"JSON") + text
        if self.data:
            chunks += struct.pack("<I4s", len(self.data), b"BIN\0") + bytes(self.data)
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks
