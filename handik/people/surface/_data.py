"""The numbers of the base mesh, from ``handik/data/people/body.npz``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import as_file, files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik import _core

__all__ = ["BODY_SEXES", "Floats", "Ints", "Mesh", "mesh"]

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]

BODY_SEXES = ("female", "male")
_UNIT = 5e-5  # metres, of the whole numbers in the file


@dataclass(frozen=True, eq=False)
class Mesh:
    """The base mesh: skin first, then the eyes.

    Attributes
    ----------
    base : ndarray (n, 3)
        Vertices, meters; x forward, y left, z up.
    shapes : ndarray (2, 3, 3, n, 3)
        Offsets of sex, muscle (little, medium, much) and weight (the same).
    joints : ndarray (1 + 18, j, 3)
        Joint centers of the base, and the offsets of each shape.
    joint_names, bones : list of str
    bone, share : ndarray (n, 6)
        Bones of a vertex and their shares, which sum to 1.
    mix : ndarray (n,)
        The share of the linear blend in the skinning.
    back : ndarray (n, 3)
        Offsets of a larger muscle of the back (latissimus dorsi).
    beside : ndarray (n,)
        Whether a vertex is beside that muscle.
    quads : ndarray (m, 4)
    skin : int
        The number of vertices of the skin, which is closed.
    """

    base: Floats
    shapes: Floats
    joints: Floats
    joint_names: list[str]
    bones: list[str]
    bone: NDArray[np.int32]
    share: Floats
    mix: Floats
    back: Floats
    beside: NDArray[np.bool_]
    quads: Ints
    skin: int

    @cached_property
    def faces(self) -> Ints:
        """Triangles, (2 m, 3)."""
        q = self.quads
        return np.concatenate([q[:, [0, 1, 2]], q[:, [0, 2, 3]]])

    @cached_property
    def skin_faces(self) -> Ints:
        """Those of the skin, which is closed."""
        return np.asarray(self.faces[(self.faces < self.skin).all(1)], np.int32)

    @cached_property
    def edges(self) -> Ints:
        """Edges of the skin, each once, (k, 2)."""
        q = self.quads[(self.quads < self.skin).all(1)]
        pairs = np.concatenate([q[:, [k, (k + 1) % 4]] for k in range(4)])
        return np.asarray(pairs[pairs[:, 0] < pairs[:, 1]], np.int32)

    @cached_property
    def near(self) -> Ints:
        """The neighbors of each vertex along edges, a row each, itself where it has fewer."""
        q = self.quads
        pairs = np.concatenate([q[:, [k, (k + 1) % 4]] for k in range(4)])
        pairs = np.unique(np.sort(pairs, 1), axis=0)
        return _table(np.concatenate([pairs, pairs[:, ::-1]]), len(self.base))

    def normals(self, vertices: Floats) -> Floats:
        """Return the unit normal at each vertex, weighted by area."""
        return _core._normals(vertices, self.quads)

    def weight(self, *prefixes: str) -> Floats:
        """Return the summed shares of the bones whose names start so, (n,)."""
        chosen = np.array([name.startswith(prefixes) for name in self.bones])
        return np.asarray((self.share * chosen[self.bone]).sum(1))

    def on_side(self, side: str, *prefixes: str) -> Floats:
        """Return the summed shares of bones of one side, (n,)."""
        return _on_side(self, side, prefixes)

    def shaped(self, sex: str, muscle: float, weight: float) -> tuple[Floats, dict[str, Floats]]:
        """Return vertices and joint centers of a shape; muscle and weight from -1 to 1."""
        k = BODY_SEXES.index(sex)
        shares = np.outer(_three(muscle), _three(weight)).ravel()
        shapes, vertices = self.shapes[k].reshape(9, -1, 3), self.base.copy()
        for row in np.flatnonzero(shares):
            vertices += shares[row] * shapes[row]
        centers = self.joints[0] + np.tensordot(shares, self.joints[1 + 9 * k : 10 + 9 * k], 1)
        return vertices, dict(zip(self.joint_names, centers, strict=True))


def _table(pairs: Ints, n: int) -> Ints:
    """Return the second of pairs by rows of the first, filled up with the row."""
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    first, second = pairs[order].T
    count = np.bincount(first, minlength=n)
    column = np.arange(len(first)) - np.repeat(np.cumsum(count) - count, count)
    out = np.tile(np.arange(n)[:, None], (1, int(count.max())))
    out[first, column] = second
    return out


@cache
def _on_side(mesh: Mesh, side: str, prefixes: tuple[str, ...]) -> Floats:
    """Work out `Mesh.on_side` once: every person asks for the same shares."""
    chosen = np.array([k.startswith(prefixes) and k.endswith(side) for k in mesh.bones])
    out = np.asarray((mesh.share * chosen[mesh.bone]).sum(1))
    out.flags.writeable = False
    return out


def _three(value: float) -> Floats:
    """Return the shares of little, medium and much."""
    return np.array([max(-value, 0.0), 1 - abs(value), max(value, 0.0)])


@cache
def mesh() -> Mesh:
    """Return the base mesh; read once."""
    with (
        as_file(files("handik.data") / "people" / "body.npz") as path,
        np.load(path, allow_pickle=False) as data,
    ):
        shapes = data["shapes"] * _UNIT
        return Mesh(
            base=data["base"] * _UNIT,
            shapes=shapes.reshape(2, 3, 3, *shapes.shape[1:]),
            joints=data["joints"] * _UNIT,
            joint_names=[str(k).removeprefix("joint-") for k in data["joint_names"]],
            bones=[str(k) for k in data["bones"]],
            bone=data["bone"].astype(np.int32),
            share=data["share"] / 255.0,
            mix=data["mix"] / 255.0,
            back=data["back"] * _UNIT,
            beside=data["beside"],
            quads=data["quads"].astype(np.int32),
            skin=int(data["skin"]),
        )
