"""What a viewpoint of BCF sees, as a PNG: the scene about a component, which is marked."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handik.scene._look import triangles
from handik.scene.access._room import below
from handik.scene.shapes import Plane

if TYPE_CHECKING:
    from handik.scene import Scene

__all__ = ["Camera", "Solids", "snapshot"]

Array = NDArray[np.float64]
#: Meters: what is farther off what is looked at is not drawn; how near the camera sees.
_ABOUT, _NEAR = 8.0, 0.05
#: Triangles drawn at most, the nearest to what is looked at; pixels of the picture.
_MOST, _WIDE, _HIGH = 30_000, 480, 360
_PLAIN, _MARK, _PAPER = np.array([0.76, 0.80, 0.84]), np.array([0.70, 0.15, 0.12]), "#f4f6f8"


class Camera(NamedTuple):
    """Where a camera is, where it looks, what is up for it, and the angle that it sees."""

    at: Array
    along: Array
    up: Array
    angle: float


class Solids(NamedTuple):
    """All triangles of a scene (n, 3, 3) in the world, and of which node each is."""

    corners: Array
    of: NDArray[np.intp]
    names: tuple[str, ...]

    @classmethod
    def made(cls, scene: Scene) -> Solids:
        """Return those of the solids of a scene; planes have no end and are left out."""
        rows, names = [np.empty((0, 3, 3))], []
        for one in scene.obstacles():
            if not isinstance(one.shape, Plane):
                made, pose = triangles(one.shape), np.asarray(one.pose)
                points = np.asarray(made.vertices, float) @ pose[:3, :3].T + pose[:3, 3]
                rows.append(points[np.asarray(made.faces)])
                names.append(one.name)
        of = np.repeat(np.arange(len(names)), [len(row) for row in rows[1:]])
        return cls(np.concatenate(rows), of.astype(np.intp), tuple(names))


def _before(corner: Array) -> Array:
    """Return what of a polygon (n, 3), its depth last, lies before the camera."""
    out = []
    for a, b in zip(corner, np.roll(corner, -1, axis=0), strict=True):
        if a[2] >= _NEAR:
            out.append(a)
        if (a[2] >= _NEAR) != (b[2] >= _NEAR):
            out.append(a + (_NEAR - a[2]) / (b[2] - a[2]) * (b - a))
    return np.array(out).reshape(-1, 3)


def snapshot(solids: Solids, camera: Camera, middle: Array, place: str) -> bytes:
    """Return a picture of what is about a place, as a camera has it.

    What is farther is drawn first, and what is marked last: it is seen through what hides it.

    Parameters
    ----------
    solids : Solids
    camera : Camera
    middle : ndarray (3,)
        What is looked at.
    place : str
        Path of the node that is marked, with all that hangs on it.
    """
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure

    low, high = solids.corners.min(axis=1), solids.corners.max(axis=1)
    off = np.linalg.norm(np.maximum(low - middle, 0) + np.maximum(middle - high, 0), axis=1)
    order = np.argsort(off, kind="stable")[:_MOST]
    order = order[off[order] < _ABOUT]
    corners, of = solids.corners[order], solids.of[order]
    axes = np.stack([np.cross(camera.along, camera.up), camera.up, camera.along], axis=1)
    seen = (corners - camera.at) @ axes
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.maximum(np.linalg.norm(normal, axis=1), 1e-300)
    light = 0.55 + 0.45 * np.abs(normal @ (0.3 * camera.up - camera.along)) / size / 1.05
    marked = np.array([below(name, place) for name in solids.names], bool)[of]
    rows: list[tuple[bool, float, Array, Array]] = []
    for corner, shade, mark in zip(seen, light, marked, strict=True):
        flat = corner if corner[:, 2].min() >= _NEAR else _before(corner)
        if len(flat) > 2:
            color = np.append((_MARK if mark else _PLAIN) * min(shade, 1.0), 1.0)
            rows.append((bool(mark), -float(flat[:, 2].mean()), flat[:, :2] / flat[:, 2:], color))
    rows.sort(key=lambda row: row[:2])
    figure: Any = Figure(figsize=(_WIDE / 100, _HIGH / 100), facecolor=_PAPER)
    ax = figure.add_axes((0, 0, 1, 1))
    colors = np.array([row[3] for row in rows]).reshape(-1, 4)
    lines = PolyCollection([row[2] for row in rows], facecolors=colors, edgecolors=colors)
    lines.set_linewidth(0.4)
    ax.add_collection(lines)
    half = np.tan(np.radians(camera.angle) / 2)
    ax.set_xlim(-half * _WIDE / _HIGH, half * _WIDE / _HIGH)
    ax.set_ylim(-half, half)
    ax.axis("off")
    buffer = BytesIO()
    figure.savefig(buffer, format="png", dpi=100, metadata={"Software": None})
    return buffer.getvalue()
