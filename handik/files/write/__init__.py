"""Writers: each turns a `ModelSpec` into the text of one format.

It may import `read` and what comes before.

A writer is exact to 1e-12 in what its format holds. What it cannot hold is appended to the list
`lost` that the caller gives; without a list it is refused, so that nothing is lost unseen.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from handik.errors import UnsupportedError
from handik.spec import ModelSpec
from handik.spec._given import of_class, path_text
from handik.spec.model import FORMS

if TYPE_CHECKING:
    from handik.files.write.bvh import save_bvh, to_bvh
    from handik.files.write.mot import save_mot, save_trc

__all__ = ["WRITERS", "save_bvh", "save_mot", "save_spec", "save_trc", "to_bvh"]


def __getattr__(name: str) -> Any:
    """Import the writer of motions when it is asked for."""
    if name in ("save_bvh", "to_bvh"):
        from handik.files.write import bvh

        return getattr(bvh, name)
    if name in ("save_mot", "save_trc"):
        from handik.files.write import mot

        return getattr(mot, name)
    raise AttributeError(f"module 'handik.files.write' has no attribute {name!r}")


def __dir__() -> list[str]:
    """Show what is public, loaded or not."""
    return sorted(__all__)


def _urdf(spec: ModelSpec, lost: list[str] | None) -> str:
    from handik.files.write.urdf import to_urdf

    return to_urdf(spec, lost)


def _toml(spec: ModelSpec, lost: list[str] | None = None) -> str:
    from handik.files.write.toml import to_toml

    return to_toml(spec)


def _sdf(spec: ModelSpec, lost: list[str] | None) -> str:
    from handik.files.write.sdf import to_sdf

    return to_sdf(spec, lost)


def _mjcf(spec: ModelSpec, lost: list[str] | None) -> str:
    from handik.files.write.mjcf import to_mjcf

    return to_mjcf(spec, lost)


def _csv(spec: ModelSpec, lost: list[str] | None, *more: Any) -> str:
    from handik.files.write.dh_csv import to_csv

    return to_csv(spec, lost, *more)


def _roboop(spec: ModelSpec, lost: list[str] | None, *more: Any) -> str:
    from handik.files.write.roboop import to_roboop

    return to_roboop(spec, lost, *more)


#: Suffix in lower case -> writer. BVH holds a motion, so it has a function of its own: `save_bvh`.
WRITERS: dict[str, Callable[[ModelSpec, list[str] | None], str]] = {
    ".urdf": _urdf,
    ".toml": _toml,
    ".sdf": _sdf,
    ".mjcf": _mjcf,
    ".xml": _mjcf,
    ".csv": _csv,
    ".conf": _roboop,
}


def save_spec(spec: ModelSpec, path: str | os.PathLike[str], lost: list[str] | None = None) -> None:
    """Write a spec to a file in the format of its suffix.

    ===================  ===================================================================
    suffix               format, and what of a spec it holds
    ===================  ===================================================================
    ``.toml``            handik's own: everything, bit for bit
    ``.urdf``            trees of revolute, prismatic, free, planar joints; masses, shapes
    ``.sdf``             the same without free and planar joints, with universal and ball ones
    ``.mjcf``, ``.xml``  MuJoCo: every tree; joints of several coordinates become several
    ``.csv``             a serial arm as a Denavit-Hartenberg table, with limits
    ``.conf``            the same for ROBOOP, with masses and drives
    ===================  ===================================================================

    Parameters
    ----------
    spec : ModelSpec
        The tree; it is checked.
    path : path
        The file; one that is there is replaced.
    lost : list, optional
        Takes a sentence for everything that the format cannot hold.

    Raises
    ------
    UnsupportedError
        For another suffix; without `lost`, when the format cannot hold everything; for a name
        that is no Unicode.
    ModelError
        When the spec is not sound.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import handik as hk
    >>> with TemporaryDirectory() as folder:
    ...     save_spec(hk.data("ur5").spec, f"{folder}/ur5.toml")
    ...     hk.load(f"{folder}/ur5.toml").nq
    6
    """
    of_class("spec", spec, ModelSpec)
    name = path_text("path", path)
    suffix = os.path.splitext(name)[1].lower()
    writer = WRITERS.get(suffix)
    if writer is None:
        raise UnsupportedError(f"{name}: no writer for {suffix!r}; known: " + ", ".join(WRITERS))
    try:
        data = writer(spec, lost).encode("utf-8")
    except UnicodeEncodeError as error:
        raise UnsupportedError(
            f"{name}: a name or note holds {error.object[error.start]!r}"
        ) from None
    with open(name, "wb") as stream:  # opened only now: what cannot be written leaves it as it was
        stream.write(data)


FORMS.update(urdf=_urdf, toml=_toml, csv=_csv, roboop=_roboop, sdf=_sdf, mjcf=_mjcf, file=save_spec)
