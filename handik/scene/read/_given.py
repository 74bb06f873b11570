"""What importers share: units and axes, bounds, names, folders that may be opened."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, ReadError, UnsupportedError, shortened
from handik.files.read._file import SIZE_CAP, read_bytes
from handik.scene.nodes import MOST_NODES, Node
from handik.scene.shapes import LARGEST, Mesh
from handik.spec._given import finite_number, path_text, sequence

__all__ = ["MOST_TRIANGLES", "UNITS", "UPS", "Import", "package", "unique"]

Array = NDArray[np.float64]

#: Meters in each unit that a file or a caller may name.
UNITS = {
    "m": 1.0, "dm": 0.1, "cm": 0.01, "mm": 0.001, "um": 1e-6, "km": 1000.0,
    "in": 0.0254, "ft": 0.3048, "yd": 0.9144, "px": 0.0254 / 96,
}  # fmt: skip
#: The turn that takes an axis to z, the others keeping their order.
UPS = {
    "x": np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]]),
    "y": np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]),
    "z": np.eye(3),
}
#: Triangles of one file, over all places where a mesh stands.
MOST_TRIANGLES = 2_000_000
_UNFIT = re.compile(r"[/*?\[\]\x00-\x1f\x7f\ud800-\udfff]+")
_LONGEST = 150


def package(name: str, extra: str, what: str) -> Any:
    """Import what an extra brings.

    Raises
    ------
    UnsupportedError
        When it is not installed; the sentence says how it is.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise UnsupportedError(f"{what} needs {name}: pip install 'handik[{extra}]'") from error


def unique(name: object, taken: set[str], other: str) -> str:
    """Return a name that a node can have and no other has, as near as can be to one of a file."""
    plain = _UNFIT.sub("_", str(name or "")).strip()[:_LONGEST].strip()
    plain = other if plain in ("", ".", "..") else plain
    if plain not in taken:
        taken.add(plain)
        return plain
    # the numbers from 2 on are given in order: twice as far until one is free, then halves
    low, high = 1, 2
    while f"{plain} {high}" in taken:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if f"{plain} {middle}" in taken:
            low = middle
        else:
            high = middle
    found = f"{plain} {high}"
    taken.add(found)
    return found


def even_turn(linear: Array, size: float) -> bool:
    """Tell whether a matrix (3, 3) is a turn, mirrored or not, times one scale."""
    square = size**2
    return np.allclose(linear @ linear.T, square * np.eye(3), rtol=0, atol=1e-9 * square)


@dataclass
class Import:
    """One file on its way to a scene.

    Parameters
    ----------
    path : str
        The file.
    unit : str or float, optional
        What the caller says that a length of one is; None: what the format or the file says.
    up : str, optional
        The axis that the caller says is up.
    left_handed : bool
        Whether the file's axes are left-handed; x is mirrored then.
    roots : sequence of paths
        Folders beside its own in which the files that it names may lie.
    height : float
        Of the walls of a floor plan, which has none, meters.
    """

    path: str
    unit: str | float | None = None
    up: str | None = None
    left_handed: bool = False
    roots: Sequence[str | os.PathLike[str]] = ()
    height: float = 2.5

    def __post_init__(self) -> None:
        self.path = path_text("path", self.path)
        if isinstance(self.unit, str):
            if self.unit not in UNITS:
                raise ArgumentError(f"unit must be a number of meters or one of {', '.join(UNITS)}")
        elif self.unit is not None:
            self.unit = finite_number("unit", self.unit)
            if not 1e-9 <= self.unit <= LARGEST:
                raise ArgumentError(f"unit must be 1e-09 to {LARGEST:g} meters")
        if self.up is not None and self.up not in UPS:
            raise ArgumentError(f"up must be 'x', 'y' or 'z', got {shortened(self.up)}")
        if not isinstance(self.left_handed, (bool, np.bool_)):
            raise TypeError(f"left_handed must be True or False, got {shortened(self.left_handed)}")
        self.height = finite_number("height", self.height)
        if not 0 < self.height <= LARGEST:
            raise ArgumentError(f"height must be above 0, got {self.height:g}")
        roots: Any = self.roots
        roots = (roots,) if isinstance(roots, (str, os.PathLike)) else roots
        own = os.path.dirname(os.path.abspath(self.path))
        given = sequence("roots", roots, (str, os.PathLike), "paths")
        self._roots = [os.path.realpath(os.fspath(root)) for root in (own, *given)]
        self._triangles = 0

    @property
    def stem(self) -> str:
        """The name of the file, for the scene and for what has none."""
        return unique(os.path.splitext(os.path.basename(self.path))[0], set(), "scene")

    @property
    def folders(self) -> list[str]:
        """The folders that files it names may lie in."""
        return list(self._roots)

    def fail(self, reason: str, line: int | None = None) -> NoReturn:
        """Raise a `ReadError` with the file."""
        raise ReadError(reason, self.path, line)

    def bytes(self) -> bytes:
        """Return what is in the file."""
        return read_bytes(self.path, SIZE_CAP)

    def beside(self, name: str) -> str:
        """Return the real path of a file that this one names, inside its folder or the roots."""
        outside = False
        for root in self._roots:
            try:
                real = os.path.realpath(os.path.join(root, name.replace("\\", "/")))
            except ValueError:  # a zero byte, or half a sign
                continue
            if not any(os.path.commonpath([root, real]) == root for root in self._roots):
                outside = True
            elif os.path.isfile(real):
                return real
        if outside:
            self.fail(f"{shortened(name)} lies outside its folder and the roots: name it in roots=")
        self.fail(f"{shortened(name)}, which it names, is not there")

    def meters(self, own: float = 1.0) -> float:
        """Return the meters of a length of one, `own` being what the file says."""
        if self.unit is None:
            return own
        return UNITS[self.unit] if isinstance(self.unit, str) else float(self.unit)

    def frame(self, unit: float = 1.0, up: str = "z") -> Array:
        """Return the matrix (4, 4) to meters, z up, right-handed."""
        found = np.eye(4)
        found[:3, :3] = UPS[self.up or up] * self.meters(unit)
        if self.left_handed:
            found[0, :3] *= -1
        return found

    def mesh(
        self,
        name: str,
        vertices: Any,
        faces: Any,
        matrix: Array,
        color: Any = None,
        opacity: float | None = None,
        tags: Iterable[str] = (),
    ) -> Node:
        """Return a node of triangles whose `matrix` (4, 4) takes them to the world.

        A turn and one scale become the node's pose, with meters in the vertices; a shear, scales
        that differ or a mirror go into the vertices.
        """
        points = np.asarray(vertices, dtype=np.float64).reshape(-1, 3)
        corners = np.asarray(faces, dtype=np.int64).reshape(-1, 3)
        self._triangles += len(corners)
        if self._triangles > MOST_TRIANGLES:
            self.fail(f"its meshes have more than {MOST_TRIANGLES} triangles together")
        if len(corners) == 0 or len(points) < 3:
            self.fail(f"mesh {shortened(name)} has no triangle")
        if corners.min() < 0 or corners.max() >= len(points):
            wrong = int(corners.min() if corners.min() < 0 else corners.max())
            self.fail(f"mesh {shortened(name)}: no vertex {wrong}, it has {len(points)}")
        if not np.isfinite(points[np.unique(corners)]).all() or not np.isfinite(matrix).all():
            self.fail(f"mesh {shortened(name)}: a vertex or its pose is not finite")
        linear = matrix[:3, :3]
        size = abs(float(np.linalg.det(linear))) ** (1 / 3)
        pose = np.eye(4)
        pose[:3, 3] = matrix[:3, 3]
        if size <= 0 or not np.isfinite(size):
            self.fail(f"mesh {shortened(name)}: its scale is zero")
        if np.linalg.det(linear) > 0 and even_turn(linear, size):
            u, _, v = np.linalg.svd(linear)
            pose[:3, :3] = u @ v
            points = points * size
        else:
            points = points @ linear.T
            corners = corners[:, ::-1] if np.linalg.det(linear) < 0 else corners
        used, numbers = np.unique(corners, return_inverse=True)
        points, corners = points[used], numbers.reshape(-1, 3)
        if np.abs(points).max() > LARGEST or np.abs(pose[:3, 3]).max() > LARGEST:
            self.fail(f"mesh {shortened(name)} reaches beyond {LARGEST:g} m: is the unit right?")
        if len(points) < 3:
            self.fail(f"mesh {shortened(name)} has fewer than three points")
        shape = Mesh(vertices=points, faces=corners)
        return Node(name, shape, pose, color=color, opacity=opacity, tags=sorted(tags))

    def counted(self, nodes: int) -> None:
        """Refuse more nodes than a scene may have."""
        if nodes > MOST_NODES:
            self.fail(f"it has {nodes} nodes, more than {MOST_NODES}")
