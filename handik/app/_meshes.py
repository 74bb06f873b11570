"""Meshes in the file of a document: as arrays, for written as text they are five times as long."""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.app._view_given import packed
from handik.errors import ArgumentError, shortened
from handik.scene import Mesh, Scene
from handik.spec._given import reals

__all__ = ["mesh_of", "put_back", "taken_out"]

#: Corners from which a mesh is written as arrays; a smaller one stays where it can be read.
FEW = 100
#: Bytes of an array at most; how hard it is packed: harder takes five times as long.
MOST, LEVEL = 2**28, 3


def taken_out(scene: Scene) -> tuple[Scene, dict[str, list[Any]]]:
    """Return a scene without its large meshes, and these by their paths, packed.

    Numbers stay what they are: they are kept in 32 bits only where these hold them.
    """
    found: dict[str, list[Any]] = {}
    for path in scene:
        mesh = scene[path].content
        if not isinstance(mesh, Mesh) or mesh.vertices is None or mesh.faces is None:
            continue
        if len(mesh.vertices) < FEW:
            continue
        with np.errstate(over="ignore"):
            same = np.array_equal(mesh.vertices.astype("<f4").astype(float), mesh.vertices)
        kind = "<f4" if same else "<f8"
        points, corners = packed(mesh.vertices, kind, LEVEL), packed(mesh.faces, "<u4", LEVEL)
        found[path] = [kind, points, corners, list(mesh.scale)]
        scene = scene.with_shape(path, None)
    return scene, found


def _numbers(text: Any, kind: str) -> NDArray[Any]:
    """Return rows of three numbers of what `packed` wrote."""
    if not isinstance(text, str):
        raise ArgumentError(f"it must be a text, got {shortened(text)}")
    try:
        whole = zlib.decompressobj(wbits=31)
        data = whole.decompress(base64.b64decode(text, validate=True), MOST)
    except (binascii.Error, zlib.error, ValueError):
        raise ArgumentError("its numbers are not whole") from None
    if not whole.eof or len(data) % (3 * np.dtype(kind).itemsize):
        raise ArgumentError("its numbers are not whole")
    return np.frombuffer(data, kind).reshape(-1, 3)


def mesh_of(kind: Any, vertices: Any, faces: Any, scale: Any) -> Mesh:
    """Return a mesh of what `taken_out` wrote.

    Raises
    ------
    ArgumentError
        When it is damaged.
    """
    if kind not in ("<f4", "<f8"):
        raise ArgumentError(f"its numbers must be <f4 or <f8, got {shortened(kind)}")
    points = _numbers(vertices, kind).astype(float)
    corners = _numbers(faces, "<u4").astype(np.int64)
    return Mesh(vertices=points, faces=corners, scale=reals(scale, "scale", (3,)))


def put_back(scene: Scene, meshes: dict[str, Mesh]) -> Scene:
    """Return a scene with its large meshes.

    Raises
    ------
    ArgumentError
        When there is no such node, or it is another thing.
    """
    for path, mesh in meshes.items():
        if path not in scene or scene[path].content is not None:
            raise ArgumentError(f"it has no node {shortened(path)} for a mesh")
        scene = scene.with_shape(path, mesh)
    return scene
