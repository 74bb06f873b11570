"""What every robot file needs: placements from written angles, and meshes kept inside roots."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from math import cos, sin, sqrt
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from handik.spec._given import sequence

__all__ = [
    "MeshFinder",
    "axis_rotation",
    "place_all",
    "pose",
    "quaternion_rotation",
    "rigid_inverse",
    "rpy_rotation",
    "side_axis",
    "unit",
]

Array = NDArray[np.float64]
Vector = tuple[float, float, float]


def rpy_rotation(roll: float, pitch: float, yaw: float) -> list[list[float]]:
    """Return the rows of Rz(yaw) Ry(pitch) Rx(roll): angles about fixed axes, in radians."""
    cr, sr, cp, sp, cy, sy = cos(roll), sin(roll), cos(pitch), sin(pitch), cos(yaw), sin(yaw)
    return [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]


def axis_rotation(axis: Sequence[float], angle: float) -> list[list[float]]:
    """Return the rows of the rotation about a unit axis (Rodrigues)."""
    x, y, z = axis
    c, s = cos(angle), sin(angle)
    t = 1 - c
    return [
        [c + t * x * x, t * x * y - s * z, t * x * z + s * y],
        [t * x * y + s * z, c + t * y * y, t * y * z - s * x],
        [t * x * z - s * y, t * y * z + s * x, c + t * z * z],
    ]


def quaternion_rotation(w: float, x: float, y: float, z: float) -> list[list[float]]:
    """Return the rows of the rotation of a quaternion, which is brought to unit length.

    Raises
    ------
    ValueError
        When all four are zero.
    """
    big = max(abs(w), abs(x), abs(y), abs(z))
    if not big > 0:
        raise ValueError("a quaternion of length zero is no rotation")
    w, x, y, z = w / big, x / big, y / big, z / big
    s = 2 / (w * w + x * x + y * y + z * z)
    return [
        [1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)],
        [s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)],
        [s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)],
    ]


def pose(position: Sequence[float], rotation: Sequence[Sequence[float]] | None = None) -> Array:
    """Return the (4, 4) placement of a position and the rows of a rotation."""
    x, y, z = position
    if rotation is None:
        placement = np.eye(4)
        placement[0, 3], placement[1, 3], placement[2, 3] = x, y, z
        return placement
    a, b, c = rotation
    return np.array([[*a, x], [*b, y], [*c, z], [0.0, 0.0, 0.0, 1.0]])


def rigid_inverse(placement: Array) -> Array:
    """Return the inverse of one rigid motion (4, 4)."""
    out = np.eye(4)
    out[:3, :3] = placement[:3, :3].T
    out[:3, 3] = -placement[:3, :3].T @ placement[:3, 3]
    return out


def place_all(
    items: Iterable[Any], rows: Array, bodies: Iterable[Any], body_rows: Array, six: Array
) -> bool:
    """Set the `placement` of every item, and `center` and `inertia` of every body of a file.

    A robot has tens of thousands of them, and an array each, made on its own, takes longer than
    reading the file. The arrays handed out are parts of one; they do not overlap.

    Parameters
    ----------
    items, bodies : iterables
        What has a `placement`, and inertials.
    rows, body_rows : ndarray (n, 6)
        x y z roll pitch yaw of every item and of the frame of every inertial.
    six : ndarray (n, 6)
        ixx ixy ixz iyy iyz izz in the axes of that frame.

    Returns
    -------
    bool
        Whether every inertia is finite after it was turned.
    """
    for item, placement in zip(items, _placements(rows), strict=True):
        item.placement = placement
    places = _placements(body_rows)
    inertias = six[:, [0, 1, 2, 1, 3, 4, 2, 4, 5]].reshape(-1, 3, 3)
    turned = np.flatnonzero(body_rows[:, 3:].any(axis=1))
    if len(turned):
        turn = places[turned, :3, :3]
        with np.errstate(over="ignore", invalid="ignore"):  # told by what is returned
            moved = turn @ inertias[turned] @ turn.transpose(0, 2, 1)
            inertias[turned] = 0.5 * (moved + moved.transpose(0, 2, 1))
    centers = places[:, :3, 3].copy()
    for body, center, inertia in zip(bodies, centers, inertias, strict=True):
        body.center, body.inertia = center, inertia
    return bool(np.isfinite(inertias).all())


def _placements(written: Array) -> Array:
    """Return the (n, 4, 4) placements of rows x y z roll pitch yaw."""
    out = np.zeros((len(written), 4, 4))
    out[:, [0, 1, 2, 3], [0, 1, 2, 3]] = 1.0
    out[:, :3, 3] = written[:, :3]
    turned = np.flatnonzero(written[:, 3:].any(axis=1))
    if len(turned):
        # The mathematics of `rpy_rotation`; sines by the math module, as there.
        angles = written[turned, 3:].ravel()
        some = np.flatnonzero(angles)  # most turns are about one axis
        cosines, sines = np.ones(len(angles)), angles.copy()
        cosines[some] = [*map(cos, angles[some].tolist())]
        sines[some] = [*map(sin, angles[some].tolist())]
        cr, cp, cy = cosines.reshape(-1, 3).T
        sr, sp, sy = sines.reshape(-1, 3).T
        rotation = [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
        out[turned, :3, :3] = np.array(rotation).transpose(2, 0, 1)
    return out


def unit(axis: Sequence[float]) -> Vector | None:
    """Return the direction of an axis, or None when it has none."""
    x, y, z = axis
    big = max(abs(x), abs(y), abs(z))
    if not big > 1e-9:
        return None
    if (x, y, z) in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
        return (x, y, z)
    x, y, z = x / big, y / big, z / big
    length = sqrt(x * x + y * y + z * z)
    return (x / length, y / length, z / length)


def side_axis(axis: Vector) -> Vector:
    """Return a unit axis at a right angle to a unit axis, always the same one.

    The coordinate axis least along `axis` (the first of equals), less its part along it.
    """
    k = min(range(3), key=lambda i: abs(axis[i]))
    side = [float(i == k) - axis[k] * axis[i] for i in range(3)]
    found = unit(side)
    assert found is not None
    return found


def _package_around(folder: str) -> list[str]:
    """Return the nearest folder with a ``package.xml``, from a folder upwards; empty: none."""
    while not os.path.isfile(os.path.join(folder, "package.xml")):
        folder, last = os.path.dirname(folder), folder
        if folder == last:
            return []
    return [folder]


class MeshFinder:
    """Resolves the mesh names of a file to real paths inside its roots, and nowhere else.

    The roots are those given, the folder of the file, and the ROS package that it lies in: the
    nearest folder above it with a ``package.xml``. Nothing is opened. A name that leads outside
    every root, by ``..``, an absolute path or a symbolic link, counts as missing.

    Parameters
    ----------
    folder : str or None
        Folder of the file, from which its relative names start.
    roots : iterable of paths
        Folders that meshes may lie in; ``package://name/...`` is looked for in ``root/name``,
        and in ``root`` itself when it is called ``name``.
    """

    def __init__(self, folder: str | None, roots: Iterable[str | os.PathLike[str]]) -> None:
        if isinstance(roots, (str, os.PathLike)):
            roots = (roots,)
        paths = sequence("mesh_roots and include_roots", roots, (str, os.PathLike), "paths")
        self.roots = [os.path.realpath(os.fspath(root)) for root in paths]
        self.folder = folder
        if folder is not None:
            own = os.path.realpath(folder)
            self.roots += [own, *_package_around(own)]
        self.missing: dict[str, None] = {}
        self._known: dict[str, str | None] = {}

    def find(self, uri: str) -> str | None:
        """Return the real path of a mesh, or None and count it as missing."""
        if uri not in self._known:
            self._known[uri] = found = self._find(uri)
            if found is None:
                self.missing[uri] = None
        return self._known[uri]

    def _find(self, uri: str) -> str | None:
        for candidate in self._candidates(uri):
            try:
                real = os.path.realpath(candidate)
                if os.path.isfile(real) and any(
                    os.path.commonpath([root, real]) == root for root in self.roots
                ):
                    return real
            except (OSError, ValueError):
                continue
        return None

    def _candidates(self, uri: str) -> list[str]:
        scheme, mark, rest = uri.partition("://")
        if not mark:
            return [
                os.path.join(start, uri)
                for start in (self.folder, *self.roots)
                if start is not None
            ]
        if scheme in ("package", "model"):
            package, _, inner = rest.partition("/")
            found = [os.path.join(root, package, inner) for root in self.roots]
            # The package's own folder may be a root, or hold one.
            return found + [
                os.path.join(root[: root.rfind(os.sep)], package, inner)
                for root in self.roots
                if os.path.basename(root) == package
            ]
        if scheme == "file":
            # file:///path and file://localhost/path name the same file.
            host, _, inner = rest.partition("/")
            return [os.sep + unquote(inner)] if host in ("", "localhost") else []
        return []
