"""Xacro, URDF with macros: expanded by the library xacrodoc, then read as URDF.

Reference: wiki.ros.org/xacro. A xacro file is a program: its expressions are evaluated and its
includes opened, wherever they lie. Read only files that you would run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from handik.errors import ReadError
from handik.files.read._file import read_bytes
from handik.files.read.urdf import read_urdf
from handik.spec import ModelSpec
from handik.spec._given import path_text

__all__ = ["read_xacro"]


def read_xacro(
    path: str | os.PathLike[str],
    mesh_roots: Iterable[str | os.PathLike[str]] = (),
    *,
    arguments: Mapping[str, str] | None = None,
    package_roots: Iterable[str | os.PathLike[str]] = (),
    packages: Mapping[str, str | os.PathLike[str]] | None = None,
    **options: Any,
) -> ModelSpec:
    """Expand a xacro file and read the URDF that it makes.

    Parameters
    ----------
    path : path
        The file.
    mesh_roots : iterable of paths
        Folders that mesh files may lie in; see `handik.files.read.urdf.read_urdf`.
    arguments : mapping of str to str, optional
        Values of the file's ``<xacro:arg>``.
    package_roots : iterable of paths
        Folders in which ``$(find package)`` looks for folders with a ``package.xml``; those above
        the file are looked in too.
    packages : mapping of str to path, optional
        Folders of packages by name, for what has no ``package.xml``. xacrodoc keeps them for
        later calls.
    **options
        ``check_meshes`` and ``limits``: see `handik.files.read.urdf.read_urdf`.

    Returns
    -------
    ModelSpec
        The checked tree.

    Raises
    ------
    ImportError
        Without xacrodoc: ``pip install 'handik[xacro]'``.
    ReadError
        When the macros do not expand, with xacrodoc's reason, or the URDF made is not sound; its
        lines are those of the expanded text.
    MissingFileError
        When there is no such file.

    Examples
    --------
    >>> from handik.files.read.xacro import read_xacro
    >>> read_xacro("arm.xacro", arguments={"side": "left"})  # doctest: +SKIP
    """
    name = path_text("path", path)
    read_bytes(name)  # for the errors of a file that is not there, or too long
    try:
        import xacro
        import xacrodoc
    except ImportError:
        raise ImportError("xacro files need xacrodoc: pip install 'handik[xacro]'") from None
    try:
        roots = [os.fspath(root) for root in package_roots]
        if roots:
            xacrodoc.packages.look_in(roots)
        if packages:
            xacrodoc.packages.update_package_cache(
                {key: os.path.abspath(os.fspath(value)) for key, value in packages.items()}
            )
        # xacrodoc hands over the text alone: without this the file's includes of its neighbors
        # would be looked for in the working folder.
        xacro.init_stacks(os.path.abspath(name))
        made = xacrodoc.XacroDoc.from_file(
            name, subargs=dict(arguments or {}), resolve_packages=False
        ).to_urdf_string()
    except Exception as error:  # whatever the macros do
        raise ReadError(f"xacro: {type(error).__name__}: {error}", name) from error
    try:
        spec = read_urdf(made, mesh_roots, **options)
    except ReadError as error:
        raise ReadError(f"expanded: {error.reason}", name, error.line, error.element) from None
    spec.source = name
    return spec
