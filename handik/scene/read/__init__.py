"""Importers: each turns one kind of file into a `Scene`, in meters, z up and right-handed.

It may import `handik.scene` and what that may. `read` picks the importer by the suffix of the file.
Packages beyond NumPy are extras, imported when a file asks for them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from handik.errors import ArgumentError, UnsupportedError
from handik.scene.document import Scene
from handik.scene.read._given import Import
from handik.spec._given import path_text

__all__ = ["SUFFIXES", "read"]

#: Suffix -> module of the importer, whose function is `importer`.
SUFFIXES = {
    ".glb": "_gltf", ".gltf": "_gltf", ".obj": "_meshes", ".stl": "_meshes", ".ply": "_meshes",
    ".dae": "_meshes", ".ifc": "_ifc", ".dxf": "_dxf", ".svg": "_svg", ".scene": "_ogre",
    ".mesh.xml": "_ogre", ".urdf": "_robot",
}  # fmt: skip


def _suffix(path: str) -> str:
    lower = path.lower()
    return ".mesh.xml" if lower.endswith(".mesh.xml") else os.path.splitext(lower)[1]


def read(
    path: str | os.PathLike[str],
    *,
    unit: str | float | None = None,
    up: str | None = None,
    roots: Iterable[str | os.PathLike[str]] = (),
    left_handed: bool = False,
    height: float = 2.5,
) -> Scene:
    """Read a file of another program as a scene.

    Parameters
    ----------
    path : path
        ``.glb .gltf .obj .stl .ply .dae .ifc .dxf .svg .scene .mesh.xml`` or ``.urdf``.
    unit : str or float, optional
        What a length of one is: ``"m"``, ``"cm"``, ``"mm"``, ``"in"``, ``"ft"``, ... or meters;
        by default what the file says, or the format, or meters.
    up : str, optional
        The file's axis that is up, ``"x"``, ``"y"`` or ``"z"``; by default as for `unit`.
    roots : path or iterable of paths
        Folders, beside the file's own, that files it names may lie in.
    left_handed : bool
        Whether the file's axes are left-handed: x is mirrored then, and triangles are turned over.
    height : float
        Of the walls of a floor plan (DXF, SVG), meters: the drawing has none, 2.5 is assumed.

    Returns
    -------
    Scene
        Meters, z up, right-handed. Names, colors and places are the file's.

    Raises
    ------
    ReadError
        When the file is cut, damaged, not of its format, names files outside the roots, or asks
        for more than is allowed.
    UnsupportedError
        When no importer knows the suffix, or its package is not installed; the sentence says how
        to install it.
    ArgumentError
        When a keyword has a value it cannot have.

    Notes
    -----
    See ``docs/importing.md`` for what each format says of units and axes, and what is left out.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from handik.scene.read import read
    >>> square = '<svg width="4000mm" viewBox="0 0 4 4"><rect id="bed" width="2" height="1"/></svg>'
    >>> with TemporaryDirectory() as folder:
    ...     plan = Path(folder) / "plan.svg"
    ...     _ = plan.write_text(square)
    ...     scene = read(plan, height=0.5)
    >>> scene["bed"].content.area, scene["bed"].content.height
    (2.0, 0.5)
    """
    name = path_text("path", path)
    suffix = _suffix(name)
    if suffix not in SUFFIXES:
        raise UnsupportedError(
            f"{name}: no importer for {repr(suffix) if suffix else 'no suffix'}; known: "
            + ", ".join(SUFFIXES)
        )
    given: Any = roots
    given = given if isinstance(given, (str, os.PathLike)) else tuple(given)
    wish = Import(name, unit, up, left_handed, given, height)
    module = import_module(f"handik.scene.read.{SUFFIXES[suffix]}")
    try:
        scene: Scene = module.importer(wish)
    except ArgumentError as error:  # what a shape or a node refuses, the file has asked for
        wish.fail(str(error))
    return scene
