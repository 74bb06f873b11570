"""Readers: each turns one kind of file into a `ModelSpec`, and nothing else.

It may import `spec` and what comes before. `load_spec` picks the reader by the suffix of the file;
`READERS` is its table, open to more.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from handik.errors import ArgumentError, ReadError, UnsupportedError
from handik.spec import (
    FrameSpec,
    GeometrySpec,
    InertialSpec,
    JointSpec,
    LinkSpec,
    MimicSpec,
    ModelSpec,
    MotorSpec,
)
from handik.spec._given import path_text
from handik.spec.model import FORMS

__all__ = [
    "READERS",
    "FrameSpec",
    "GeometrySpec",
    "InertialSpec",
    "JointSpec",
    "LinkSpec",
    "Markers",
    "MimicSpec",
    "ModelSpec",
    "MotorSpec",
    "load_spec",
    "read_bvh",
    "read_bvh_motion",
    "read_c3d",
    "read_dh",
    "read_mjcf",
    "read_mot",
    "read_roboop",
    "read_sdf",
    "read_toml",
    "read_trc",
    "read_urdf",
    "read_xacro",
]

#: Readers by the module that has them: loaded when first touched, as some need much.
_LATE = {
    "read_bvh": "bvh", "read_bvh_motion": "bvh", "read_c3d": "markers",
    "read_mot": "mot", "read_trc": "markers", "Markers": "markers",
    "read_dh": "dh_csv", "read_mjcf": "mjcf",
    "read_roboop": "roboop", "read_sdf": "sdf", "read_toml": "toml", "read_urdf": "urdf",
    "read_xacro": "xacro",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a reader when it is asked for."""
    if name in _LATE:
        from importlib import import_module

        return getattr(import_module(f"handik.files.read.{_LATE[name]}"), name)
    raise AttributeError(f"module 'handik.files.read' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Show what is public, loaded or not."""
    return sorted(__all__)


def _read_urdf(path: Any, **options: Any) -> ModelSpec:
    from handik.files.read.urdf import read_urdf

    return read_urdf(path, **options)


def _read_xacro(path: Any, **options: Any) -> ModelSpec:
    from handik.files.read.xacro import read_xacro

    return read_xacro(path, **options)


def _read_roboop(path: Any, **options: Any) -> ModelSpec:
    from handik.files.read.roboop import read_roboop

    return read_roboop(path, **options)


def _read_bvh(path: Any, **options: Any) -> ModelSpec:
    from handik.files.read.bvh import read_bvh

    return read_bvh(path, **options)


def _read_sdf(path: Any, **options: Any) -> ModelSpec:
    from handik.files.read.sdf import read_sdf

    return read_sdf(path, **options)


def _read_xml(path: Any, **options: Any) -> ModelSpec:
    """Read the format that the root element of an .xml file names."""
    from handik.files.read._xml import root_tag

    tag = root_tag(path)
    if tag == "mujoco":
        from handik.files.read.mjcf import read_mjcf

        return read_mjcf(path, **options)
    reader = {"robot": _read_urdf, "sdf": _read_sdf}.get(tag)
    if reader is None:
        raise ReadError(
            f"the root element is <{tag}>, none of <mujoco>, <robot>, <sdf>", os.fspath(path)
        )
    return reader(path, **options)


def _read_toml(path: Any, **options: Any) -> ModelSpec:
    from handik.files.read.toml import read_toml

    return read_toml(path, **options)


def _read_dh(path: Any, **options: Any) -> ModelSpec:
    from handik.files.read.dh_csv import read_dh

    return read_dh(path, **options)


def _fit_dh(spec: ModelSpec, convention: str, tip: str | None) -> Any:
    from handik.files.read.fit_dh import fit_dh

    return fit_dh(spec, convention, tip)


FORMS["dh"] = _fit_dh

#: Suffix in lower case -> reader; each takes a path and its own options, and returns a spec that it
#: has checked and does not keep.
READERS: dict[str, Callable[..., ModelSpec]] = {
    ".urdf": _read_urdf,
    ".xacro": _read_xacro,
    ".conf": _read_roboop,
    ".bvh": _read_bvh,
    ".sdf": _read_sdf,
    ".toml": _read_toml,
    ".csv": _read_dh,
    ".mjcf": _read_xml,
    ".xml": _read_xml,
}


_OURS = frozenset(READERS.values())


def _check_options(suffix: str, reader: Callable[..., ModelSpec], options: dict[str, Any]) -> None:
    """Raise for a keyword that the reader of a suffix does not take."""
    late = {".csv": "read_dh"}.get(suffix, f"read_{suffix[1:]}")
    if not options or reader not in _OURS or late not in _LATE:
        return
    from inspect import signature

    taken = [part.name for part in signature(__getattr__(late)).parameters.values()][1:]
    for name in options:
        if name not in taken and "options" not in taken:
            raise ArgumentError(
                f"files of {suffix} take no {name}=; they take {', '.join(taken) or 'none'}"
            )


def load_spec(
    path: str | os.PathLike[str],
    base: str | None = None,
    tip: str | None = None,
    **options: Any,
) -> ModelSpec:
    """Read a model file by its suffix.

    Parameters
    ----------
    path : path
        The file.
    base, tip : str, optional
        Keep only the links from `base` to `tip` (see `ModelSpec.chain`).
    **options
        Passed to the reader, such as ``mesh_roots`` of `handik.files.read.urdf.read_urdf`.

    Returns
    -------
    ModelSpec
        The checked tree.

    Raises
    ------
    UnsupportedError
        When no reader is known for the suffix.
    ReadError
        With file, line and element, for what the format does not allow.
    NotFoundError
        When `base` or `tip` is no link.
    ArgumentError
        For a keyword that the reader does not take.
    ModelError
        When `base` does not carry `tip`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import handik as hk
    >>> with TemporaryDirectory() as folder:
    ...     hk.data("ur5").save(f"{folder}/ur5.toml")
    ...     load_spec(f"{folder}/ur5.toml").name
    'ur5'
    """
    name = path_text("path", path)
    suffix = os.path.splitext(name)[1].lower()
    reader = READERS.get(suffix)
    if reader is None:
        raise UnsupportedError(
            f"{name}: no reader for {repr(suffix) if suffix else 'no suffix'}; known: "
            + ", ".join(sorted(READERS))
        )
    _check_options(suffix, reader, options)
    spec = reader(path, **options)
    return spec if base is None and tip is None else spec.chain(base, tip)
