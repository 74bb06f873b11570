"""Writers of triangles: Wavefront OBJ as text, STL in its binary form; glTF by `_glb`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from handik.errors import UnsupportedError
from handik.people.surface._data import Floats, Ints, mesh
from handik.people.surface._glb import Rig, write_glb

__all__ = ["write_surface"]

_STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def write_surface(path: Path, vertices: Floats, faces: Ints, rig: Rig | None) -> None:
    """Write triangles to a file; the suffix says how."""
    if path.suffix == ".obj":
        rows = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in vertices.tolist()]
        rows += [f"f {a} {b} {c}" for a, b, c in (faces + 1).tolist()]
        path.write_text("\n".join(rows) + "\n", encoding="ascii")
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
        eyes = (faces >= mesh().skin).any(1)
        write_glb(path, vertices, (faces[~eyes], faces[eyes]), rig)
    else:
        raise UnsupportedError(f"a surface is written to .glb, .obj or .stl, not to {path.name!r}")
