"""Motions in files: BVH with its skeleton, MOT for a model that is there."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik._model import Model
from handik.errors import ArgumentError, UnsupportedError
from handik.files.read.bvh import read_bvh, read_bvh_motion
from handik.files.read.mot import read_mot
from handik.files.write.bvh import save_bvh
from handik.files.write.mot import save_mot
from handik.spec._given import is_model, path_text

if TYPE_CHECKING:
    from handik.people.motion.motion import Motion

__all__ = ["read", "save"]

Array = NDArray[np.float64]
#: Seconds of a frame where a file does not say.
_FRAME_TIME = 1 / 30


def read(
    source: str | bytes | os.PathLike[str], model: Model | None, scale: float, up: str
) -> tuple[Array, Array, Model, str, float | None]:
    """Return configurations, times, model, name and the seconds of a frame where a file says them.

    Raises
    ------
    ArgumentError
        When a model is given to a file that has one, or missing.
    UnsupportedError
        For a suffix that is not known.
    """
    written = isinstance(source, bytes) or (isinstance(source, str) and "\n" in source)
    suffix = "" if written else os.path.splitext(path_text("source", source))[1].lower()
    if suffix in (".mot", ".sto"):
        if model is None:
            raise ArgumentError(f"a {suffix} file has no skeleton: give model=")
        is_model(model)
        found = read_mot(source)
        return found.coordinates(model), found.times, model, found.name, None
    if model is not None:
        raise ArgumentError("a BVH file has its own skeleton: it takes no model=; see retarget")
    if not written and suffix != ".bvh":
        markers = ": hk.read.read_trc and read_c3d read markers, fit_markers makes a motion of them"
        raise UnsupportedError(
            f"motions are read from .bvh, .mot and .sto, not {suffix!r}"
            f"{markers if suffix in ('.trc', '.c3d') else ''}"
        )
    own = Model(read_bvh(source, scale=scale, up=up))
    moves = read_bvh_motion(source)
    q = moves.coordinates(own, scale=scale)
    step = moves.frame_time
    if step is None or not step > 0:
        step = _FRAME_TIME
    times = np.asarray(step * np.arange(len(q)), dtype=np.float64)
    return q, times, own, own.name, step


def save(motion: Motion, path: str | os.PathLike[str], scale: float, up: str, order: str) -> None:
    """Write a file in the format of its suffix.

    Raises
    ------
    UnsupportedError
        For a suffix that is not known.
    """
    suffix = os.path.splitext(path_text("path", path))[1].lower()
    if suffix == ".mot":
        save_mot(path, motion.model, motion.q, motion.times, name=motion.name)
        return
    if suffix != ".bvh":
        raise UnsupportedError(f"motions are written as .bvh and .mot, not {suffix!r}")
    step = motion._step() if len(motion) > 1 else motion._spacing or _FRAME_TIME
    like = partial(save_bvh, scale=scale, up=up, order=order, bones=True)
    like(path, motion.model, motion.q, frame_time=step)
