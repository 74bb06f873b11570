"""Scene files, TOML and XML: read with the line of every fault, written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterable

from handik.errors import ArgumentError, UnsupportedError, shortened
from handik.scene import _files
from handik.scene.document import Scene
from handik.spec._given import of_class, path_text

__all__ = ["load_scene", "save_scene"]


def load_scene(
    path: str | os.PathLike[str],
    *,
    roots: Iterable[str | os.PathLike[str]] = (),
    unit: str | float | None = None,
    up: str | None = None,
    left_handed: bool | None = None,
) -> Scene:
    """Read a scene from a file by its suffix: TOML or XML, or what `handik.scene.read` imports.

    Parameters
    ----------
    path : path
        The file.
    roots : iterable of paths
        Folders, besides that of the file, that its meshes, models and included scenes may lie in.
    unit : str or float, optional
        Of an imported file: what a length of one is, ``"m"``, ``"mm"``, ... or meters; by default
        what the file or its format says. TOML and XML say it themselves.
    up : str, optional
        Of an imported file: its axis that is up, ``"x"``, ``"y"`` or ``"z"``.
    left_handed : bool, optional
        Of an imported file: whether its axes are left-handed; x is mirrored then.

    Returns
    -------
    Scene
        In meters and radians, z up, right-handed, whatever the file's units are.

    Raises
    ------
    ReadError
        For whatever is wrong with the file or one that it includes, with file, line and key.
    MissingFileError
        When it is not there.
    UnsupportedError
        For another suffix, or where the package that an importer needs is not installed.
    ArgumentError
        When `unit`, `up` or `left_handed` has a value it cannot have, or is given for TOML or XML.

    Examples
    --------
    >>> import handik as hk, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "room.toml")
    ...     hk.Scene(name="room").add("ball", hk.scene.Sphere(0.1)).save(path)
    ...     hk.load_scene(path)
    Scene('room', 1 nodes: ball)
    """
    name = path_text("path", path)
    from handik.scene.read import SUFFIXES, read

    if name.lower().endswith(tuple(SUFFIXES)):
        mirror = False if left_handed is None else left_handed
        return read(name, unit=unit, up=up, roots=roots, left_handed=mirror)
    if not name.lower().endswith(_files.SUFFIXES):
        own, others = " or ".join(_files.SUFFIXES), " ".join(SUFFIXES)
        said = shortened(os.path.splitext(name)[1] or name)
        raise UnsupportedError(f"a scene's file ends in {own}, not {said}; imported are {others}")
    if unit is not None or up is not None or left_handed is not None:
        raise ArgumentError(
            "unit=, up= and left_handed= are for imported files; a scene's own says its units"
        )
    return _files.read(name, roots, Scene)


def save_scene(scene: Scene, path: str | os.PathLike[str]) -> None:
    """Write a scene, TOML or XML by the suffix; a failure leaves the file that was there.

    Parameters
    ----------
    scene : Scene
        What to write, in meters and radians.
    path : path
        The file. What it names lies relative to its folder where it is inside.

    Raises
    ------
    UnsupportedError
        For another suffix, or what no file holds; the sentence says what.
    OSError
        When it cannot be written.

    Examples
    --------
    >>> import handik as hk, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     hk.scene.save_scene(hk.Scene(), os.path.join(folder, "room.xml"))
    """
    _files.write(of_class("scene", scene, Scene), path_text("path", path))
