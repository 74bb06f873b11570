"""How smoothly a model moves along a path: largest moves, flips, where the travel is, jerks.

The HandiAccess/FABRIK thesis claims that FABRIK gives visually smooth postures (conclusion), that
CCD has strong discontinuities (1.4) and favours the last joints (2.2.1). It measures none of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, pi

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik._model import Model
from handik.errors import ArgumentError, name_not_found
from handik.spec._given import is_model, known_name, reals, whole_number

__all__ = ["FLIP", "LAST", "Smoothness", "smoothness"]

Array = NDArray[np.float64]

#: A joint that turns farther than this between two frames has flipped, radians.
FLIP = pi / 2
#: How many joints before the frame are its last ones.
LAST = 2
#: Kinds of the model's elementary joints, as `Model.step_kind` has them.
_SLIDE, _BALL = 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class Smoothness:
    """How smoothly the joints that carry a frame turned, frame by frame.

    Hinges and balls count, a ball by the angle of its turn, a hinge that follows another joint by
    its own; slides do not.

    Attributes
    ----------
    moves : ndarray, shape (runs, T - 1)
        Largest turn of a joint from each frame to the next, radians; NaN where no joint turns. A
        run in which nothing is finite is left out.
    travel : ndarray, shape (joints,)
        How far each joint turned in all, from the root to the frame; radians.
    last : int
        How many of the joints, next to the frame, are the last ones.
    second : float
        Root mean square of the second differences of the joints' angles, radians: how much the
        turns of a joint change from frame to frame.
    """

    moves: Array
    travel: Array
    last: int
    second: float

    @property
    def largest(self) -> Array:
        """Largest turn of a joint between two frames, of each run; radians, (runs,)."""
        runs, frames = self.moves.shape
        return self.moves.max(axis=1) if frames else np.full(runs, nan)

    @property
    def median(self) -> float:
        """Largest turn of a run, the median of all runs; radians."""
        return float(np.median(self.largest)) if self.moves.size else nan

    @property
    def worst(self) -> float:
        """Largest turn of all runs, radians."""
        return float(self.moves.max()) if self.moves.size else nan

    @property
    def flips(self) -> int:
        """Moves from a frame to the next in which a joint turned farther than a right angle."""
        return int(np.count_nonzero(self.moves > FLIP))

    @property
    def last_share(self) -> float:
        """Share of all turning that was done by the last joints; NaN when nothing turned."""
        whole = float(self.travel.sum())
        return float(self.travel[len(self.travel) - self.last :].sum()) / whole if whole else nan


def smoothness(
    model: Model, q: ArrayLike, *, frame: str | None = None, last: int = LAST
) -> Smoothness:
    """Measure how smoothly a model moves through its configurations.

    Parameters
    ----------
    model : Model
    q : array_like, shape (..., T, nq)
        Configurations, frame after frame; each row of the batch is a run. One that holds numbers
        that are not finite is taken as that of the frame before: the model stands still.
    frame : str, optional
        The joints that carry it count; the model's tip if not given.
    last : int
        How many joints before the frame are its last ones; all, if there are no more.

    Returns
    -------
    Smoothness

    Raises
    ------
    ArgumentError
        When `q` has the wrong shape, `last` is less than 1, or the model has several tips and no
        frame is named.
    NotFoundError
        When there is no such frame.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.3, 0.3, 0.2])
    >>> found = hk.study.smoothness(arm, [[0, 0, 0], [0, 0.1, 0.3], [0, 0.2, 0.4]])
    >>> round(found.worst, 3), round(found.last_share, 3), found.flips
    (0.3, 1.0, 0)
    """
    is_model(model)
    rows = reals(q, "q", (model.nq,), finite=False)
    if rows.ndim < 2:
        raise ArgumentError(f"a path needs q (..., T, {model.nq}), got {rows.shape}")
    if whole_number("last", last) < 1:
        raise ArgumentError(f"last must be 1 or more, got {last}")
    name = model.tip if frame is None else known_name("frame", frame, model.frame_names)
    if name is None:
        raise ArgumentError(f"{model.name!r} has several tips: say which frame= you mean")
    turning = _turning(model, name)
    count = int(np.prod(rows.shape[:-2]))  # not -1: there may be no frames
    runs = _standing_still(rows.reshape(count, *rows.shape[-2:]))
    moves = np.asarray(model.difference(runs[:, :-1], runs[:, 1:]))
    angles = [scale * moves[..., own] for own, scale in turning]
    turns = np.zeros((*moves.shape[:2], len(turning)))
    for k, angle in enumerate(angles):
        turns[..., k] = np.linalg.norm(angle, axis=-1)
    seconds = np.diff(np.concatenate([*angles, moves[..., :0]], axis=-1), axis=1)
    return Smoothness(
        turns.max(axis=-1) if turning else np.full(turns.shape[:2], nan),
        turns.sum(axis=(0, 1)),
        min(last, len(turning)),
        float(np.sqrt(np.mean(seconds**2))) if seconds.size else nan,
    )


def _turning(model: Model, frame: str) -> list[tuple[slice, float]]:
    """Return the columns of v of each hinge and ball above a frame, from the root to it.

    With each, how far it turns by them: a hinge may follow another joint, a slide too, by a factor.
    What follows the swing of a ball is no multiple of it: the ball stands for it.
    """
    if frame not in model.frame_names:
        raise name_not_found("frame", frame, model.frame_names)
    found: list[tuple[slice, float]] = []
    step = int(model.frame_step[model.frame_names.index(frame)])
    while step >= 0:
        kind, start = int(model.step_kind[step]), int(model.step_v[step])
        ball = kind == _BALL or model.step_follow[step] >= 0
        own = slice(start, start + (3 if ball else 1))
        scale = 1.0 if ball else float(model.step_line[step][0])
        if kind != _SLIDE and not (ball and (own, scale) in found):
            found.append((own, scale))
        step = int(model.step_parent[step])
    return found[::-1]


def _standing_still(runs: Array) -> Array:
    """Fill configurations that are not finite with the one before; runs without any are left out.

    Those at the beginning of a run are filled with the first that is finite.
    """
    usable = np.asarray(np.isfinite(runs).all(axis=2))
    some = np.flatnonzero(usable.sum(axis=1))
    runs, usable = runs[some], usable[some]
    if not len(some):
        return runs
    at = np.where(usable, np.arange(runs.shape[1]), usable.argmax(axis=1)[:, None])
    filled: Array = np.take_along_axis(runs, np.maximum.accumulate(at, axis=1)[..., None], axis=1)
    return filled
