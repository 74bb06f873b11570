"""Meshes as obstacles: their triangles, and the signed distance grid made of them.

Solid is what cannot be reached from outside, so a mesh need not be closed: `MeshGrid` says what it
found. See ``csrc/scene/grid.h`` for the two levels and the bounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError
from handik.scene.shapes import Mesh

__all__ = ["MeshGrid", "mesh_grid", "mesh_triangles"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MeshGrid:
    """The signed distance grid of a mesh, and what was seen while it was made.

    Attributes
    ----------
    core : _core.Grid
        The grid, in the frame of the mesh.
    cell : float
        Side of a fine cell, meters.
    triangles, hidden : int
        Of the mesh; those of them that nothing outside comes near, which do not count.
    open_edges : int
        Edges of one triangle alone: 0 where the mesh is closed. Points in one place are one.
    volume : float
        Of what cannot be reached from outside, by counting nodes, cubic meters.
    size : int
        Bytes.
    """

    core: _core.Grid
    cell: float
    triangles: int
    hidden: int
    open_edges: int
    volume: float
    size: int

    @property
    def solid(self) -> bool:
        """Whether the middle of some node's cell is enclosed deeper than the rim of a sheet."""
        coarse, _, fine = self.core.arrays()
        return bool(min(coarse.min(), fine.min()) < -self.cell)

    @property
    def said(self) -> str:
        """One sentence on holes."""
        if not self.open_edges:
            inside = "closed" if self.solid else "closed, but thinner than two cells"
            return f"the mesh is {inside}"
        edges = f"the mesh is open at {self.open_edges} edges"
        if self.solid:
            return f"{edges}: gaps narrower than a cell of {self.cell:g} m were taken as closed"
        return f"{edges} and encloses nothing: only its surface is an obstacle"

    def distance(self, points: ArrayLike) -> tuple[Array, Array]:
        """Return the signed distances of points (..., 3), and what they are certainly not below."""
        value, lower, _ = self.core.points(points)
        return value, lower


def mesh_triangles(mesh: Mesh) -> tuple[Array, NDArray[np.int64]]:
    """Return the vertices (n, 3) and faces (m, 3) of a mesh, its file read and its scale in them.

    Parameters
    ----------
    mesh : Mesh
        A file is read as `handik.scene.read.read` reads it: meters, z up.

    Returns
    -------
    ndarray (n, 3), ndarray of int (m, 3)
        Facing outwards as in the file, also where the scale mirrors.

    Raises
    ------
    ReadError
        When the file is not what its suffix says.
    UnsupportedError
        When no importer knows it, or its package is not installed.
    """
    if mesh.vertices is not None and mesh.faces is not None:
        points, faces = mesh.vertices, mesh.faces
    else:
        points, faces = _of_file(str(mesh.path))
    scaled: Array = points * np.array(mesh.scale)
    return scaled, faces[:, ::-1] if np.prod(mesh.scale) < 0 else faces


def _of_file(path: str) -> tuple[Array, NDArray[np.int64]]:
    from handik.scene.read import read

    points, faces, count = [], [], 0
    for obstacle in read(path).obstacles():
        shape = obstacle.shape
        if not isinstance(shape, Mesh) or shape.vertices is None or shape.faces is None:
            raise ArgumentError(
                f"{path}: {obstacle.name!r} is no mesh of triangles: load the scene"
            )
        points.append(shape.vertices @ obstacle.pose[:3, :3].T + obstacle.pose[:3, 3])
        faces.append(shape.faces + count)
        count += len(shape.vertices)
    return np.concatenate(points), np.concatenate(faces)


def mesh_grid(
    mesh: Mesh,
    cell: float = 0.01,
    *,
    margin: float | None = None,
    most_bytes: int | None = None,
    threads: int = 1,
) -> MeshGrid:
    """Return the grid of a mesh; the last few are kept.

    Parameters
    ----------
    mesh : Mesh
        What is solid where nothing from outside gets.
    cell : float
        Side of a fine cell, meters.
    margin : float, optional
        How far the grid goes beyond the mesh; at least 12 cells are taken.
    most_bytes : int, optional
        Largest size; by default 1 GiB.
    threads : int
        0: all cores. The grid does not depend on it.

    Returns
    -------
    MeshGrid
        It never changes.

    Raises
    ------
    ArgumentError
        When the mesh has no triangle, a number is not finite, or the grid would be too large; the
        sentence says which cell would do.
    """
    return _made(mesh, float(cell), margin, most_bytes, threads)


@lru_cache(maxsize=16)
def _made(
    mesh: Mesh, cell: float, margin: float | None, most_bytes: int | None, threads: int
) -> MeshGrid:
    points, faces = mesh_triangles(mesh)
    core = _core.Grid(
        points, faces.astype(np.int32), cell, margin=margin, most_bytes=most_bytes, threads=threads
    )
    about = core.about
    return MeshGrid(
        core, cell, about["triangles"], about["hidden"], _open_edges(points, faces),
        about["volume"], about["bytes"],
    )  # fmt: skip


def _open_edges(points: Array, faces: NDArray[np.int64]) -> int:
    """Count the edges of one triangle alone, points in one place being one."""
    _, same = np.unique(points, axis=0, return_inverse=True)
    corners = same.reshape(-1)[faces]
    corners = corners[(corners != np.roll(corners, 1, axis=1)).all(axis=1)]  # those with an area
    edges = np.sort(corners[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    _, count = np.unique(edges, axis=0, return_counts=True)
    return int((count == 1).sum())
