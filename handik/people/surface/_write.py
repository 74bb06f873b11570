"""Writers of triangles: Wavefront OBJ as text, STL in its binary form; glTF by `_glb`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from handik.errors import UnsupportedError
from handik.people.surface._data import Floats, Ints
from handik.people.surface._glb import Rig, write_glb

__all__ = ["Part", "write_surface"]

_STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


@dataclass(frozen=True, eq=False)
class Part:
    """Triangles of one color."""

    name: str
    color: tuple[float, ...]
    faces: Ints


def write_surface(path: Path, vertices: Floats, parts: tuple[Part, ...], rig: Rig | None) -> None:
    """Write triangles to a file; the suffix says how."""
    faces = np.concatenate([part.faces for part in parts])
    if path.suffix == ".obj":
        _write_obj(path, vertices, parts)
    elif path.suffix == ".stl":
        corners = vertices[faces]
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        length = np.linalg.norm(normal, axis=1, keepdims=True)
        table = np.zeros(len(faces), _STL)
        table["normal"] = normal / np.where(length > 0, length, 1)
        table["corners"] = corners
        head = b"surface, metres, z up".ljust(80) + np.array(len(faces), "<u4").tobytes()
        path.write_bytes(head + table.tobytes())
    elif path.suffix == ".glb":
        if rig is None:
            raise UnsupportedError("only a surface that a person gave is written to .glb")
        named = [(part.name, part.color, part.faces) for part in parts]
        write_glb(path, vertices, named, rig)
    else:
        raise UnsupportedError(f"a surface is written to .glb, .obj or .stl, not to {path.name!r}")


def _write_obj(path: Path, vertices: Floats, parts: tuple[Part, ...]) -> None:
    """Write the parts as groups, and their colors, if they are several, to a .mtl beside it."""
    rows = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in vertices.tolist()]
    several = len(parts) > 1
    if several:
        beside = path.with_suffix(".mtl")
        rows.insert(0, f"mtllib {beside.name}")
        colors = [
            f"newmtl {part.name}\nKd {' '.join(f'{k:.4f}' for k in part.color)}" for part in parts
        ]
        beside.write_text("\n".join(colors) + "\n", encoding="utf-8")
    for part in parts:
        rows += [f"g {part.name}", f"usemtl {part.name}"] if several else []
        rows += [f"f {a} {b} {c}" for a, b, c in (part.faces + 1).tolist()]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
