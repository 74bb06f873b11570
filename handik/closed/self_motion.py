"""Configurations that form families: what an arm can do while its frame stays where it is.

At a singular pose some joints may take any value of a range, the others following; an arm of more
joints than its task needs can do so everywhere. `self_motion` follows such a family from one of its
configurations, both ways, as far as limits and geometry let it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, UnsupportedError
from handik.spec._given import choice, coordinate_of, is_model, number, points_of

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["SelfMotion", "self_motion"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


Array = NDArray[np.float64]
#: Directions whose effect is below this share of the greatest count as having none.
RANK = 1e-7
MET = 1e-11
#: Limits no farther apart than this hold a joint, as in csrc/analytic/chain.c.
HELD = 1e-12
MOST_STEPS = 4000


@dataclass(frozen=True, slots=True, eq=False)
class SelfMotion:
    """A family of configurations with the frame at one pose.

    Attributes
    ----------
    q : ndarray, shape (m, nq)
        Configurations along the family, neighbors at most one step apart; not wrapped, so that a
        full turn shows as one.
    lower, upper : ndarray, shape (nq,)
        Range of each coordinate over the family.
    free : ndarray of bool, shape (nq,)
        Coordinates whose range is not a point.
    closed : bool
        The family comes back to where it began (turns modulo 2 pi).
    residual : float
        Greatest miss of the pose, in radians and in lengths over the arm's reach.
    """

    q: Array
    lower: Array
    upper: Array
    free: NDArray[np.bool_]
    closed: bool
    residual: float

    def __repr__(self) -> str:
        moving = np.flatnonzero(self.free).tolist()
        kind = "closed" if self.closed else "open"
        return f"SelfMotion({kind}, {len(self.q)} postures, coordinates {moving} move)"


class _Task:
    """Residual and Jacobian of keeping the frame where it was."""

    def __init__(self, model: Model, q: Array, frame: Any, task: str) -> None:
        self.model, self.frame, self.pose_too = model, frame, task == "pose"
        self.scale = max(float(model.max_reach), 1e-12)
        self.goal = model.fk(q, frame=frame)
        kinds = {int(at): int(kind) for at, kind in zip(model.step_q, model.step_kind, strict=True)}
        self.turns = np.array([kinds.get(i, 1) == 0 for i in range(model.nq)])
        self.moves = ~(np.asarray(model.upper) - np.asarray(model.lower) <= HELD)

    def miss(self, q: Array) -> Array:
        now = self.model.fk(q, frame=self.frame)
        shift = (now[:3, 3] - self.goal[:3, 3]) / self.scale
        if not self.pose_too:
            return np.asarray(shift)
        r = now[:3, :3] @ self.goal[:3, :3].T
        skew = 0.5 * np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
        return np.concatenate([shift, skew])

    def slope(self, q: Array) -> Array:
        j = np.array(self.model.jacobian(q, frame=self.frame))
        j[:3] /= self.scale
        j[:, ~self.turns] *= self.scale  # slides count in lengths of the arm
        j[:, ~self.moves] = 0  # joints that their limits hold are links
        return j if self.pose_too else j[:3]

    def still(self, q: Array) -> Array:
        """Directions (rows) that leave the frame where it is, to first order."""
        _, size, free = np.linalg.svd(self.slope(q)[:, self.moves])
        rank = int(np.sum(size > RANK * max(float(size.max(initial=0.0)), 1e-300)))
        rows = np.zeros((len(free) - rank, len(q)))
        rows[:, self.moves] = free[rank:]
        return rows

    def correct(self, q: Array) -> Array | None:
        """Bring a configuration nearby back to the pose by least changes."""
        for _ in range(12):
            miss = self.miss(q)
            if np.abs(miss).max() < MET:
                return q
            step = np.linalg.lstsq(self.slope(q), -miss, rcond=RANK)[0]
            if np.abs(step).max() > 0.5:
                return None
            q = q + np.where(self.turns, step, step * self.scale)
        return q if np.abs(self.miss(q)).max() < MET else None


def self_motion(
    model: Model,
    q: ArrayLike,
    *,
    frame: str | int | None = None,
    task: str = "pose",
    joint: str | int | None = None,
    step: float = 0.05,
) -> SelfMotion:
    """Follow the family of configurations that leave a frame where one configuration puts it.

    Parameters
    ----------
    model : Model
        Turns and slides only.
    q : array_like, shape (nq,)
        A configuration of the family.
    frame : str or int, optional
        The frame; the tip if not given.
    task : {"pose", "position"}
        What stays.
    joint : str or int, optional
        The joint (name, or coordinate of q) that shall move at first; needed where a singular
        configuration lies on several families. Not given: the direction that does least to the
        frame.
    step : float
        Radians, and lengths over the arm's reach, from one configuration to the next; at most 0.3.

    Returns
    -------
    SelfMotion
        One configuration only when nothing can move.

    Raises
    ------
    ArgumentError
        A shape or an option is wrong.
    NotFoundError
        There is no such frame or joint.
    UnsupportedError
        The model has ball or free joints.

    Notes
    -----
    Predictor and corrector along the null space of the Jacobian, whose rank is told by singular
    values at 1e-7; where several directions are open the one nearest to the last is taken
    (Allgower and Georg, Introduction to Numerical Continuation Methods, 2003, chapter 2). It
    stops at a limit, to 1e-9, where no step of a thousandth of `step` succeeds any more, and
    where it comes back to its start.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.closed.self_motion import self_motion
    >>> arm = hk.chain([0.5, 0.4, 0.2])
    >>> family = self_motion(arm, [0.3, 0.8, 0.5], task="position")
    >>> len(family.q) > 10
    True
    """
    is_model(model)
    if model.nq != model.nv:
        raise UnsupportedError("ball and free joints have no coordinates to be followed by")
    start = points_of(q, "q", (model.nq,))
    choice("task", task, ("pose", "position"))
    if not 0 < number("step", step) <= 0.3:
        raise ArgumentError(f"step must be above 0 and at most 0.3, got {step:g}")
    held = _Task(model, start, frame, task)
    wanted = _direction(model, held, start, joint)
    if wanted is None:
        ways, closed = [start[None]], False
    else:
        there, closed = _follow(model, held, start, wanted, step)
        ways = [there] if closed else [_follow(model, held, start, -wanted, step)[0][:0:-1], there]
    found = np.concatenate(ways)
    low, high = found.min(axis=0), found.max(axis=0)
    worst = max(float(np.abs(held.miss(row)).max()) for row in found)
    return SelfMotion(found, low, high, high - low > 1e-7, closed, worst)


def _direction(model: Model, held: _Task, q: Array, joint: str | int | None) -> Array | None:
    still = held.still(q)
    moves = np.abs(held.slope(q)).max(axis=0) > 0  # what is not above the frame does not count
    if joint is None:
        open_ways = still[np.abs(still[:, moves]).max(axis=1, initial=0) > 1e-6]
        return open_ways[-1] if len(open_ways) else None
    at = coordinate_of(model, "joint", joint)
    way = still.T @ still[:, at]
    size = float(np.linalg.norm(way))
    return way / size if size > 1e-6 else None


def _follow(model: Model, held: _Task, start: Array, way: Array, step: float) -> tuple[Array, bool]:
    """Postures from `start` on, and whether they came back."""
    rows, q = [start], start
    unit = np.where(held.turns, 1.0, held.scale)
    low, high = np.minimum(model.lower, start), np.maximum(model.upper, start)
    size = step
    while len(rows) < MOST_STEPS:
        still = held.still(q)
        ahead = still.T @ (still @ way)
        length = float(np.linalg.norm(ahead))
        if length < 0.3:
            break
        ahead /= length
        trial = held.correct(q + size * ahead * unit)
        good = trial is not None and float((trial - q) / unit @ ahead) > 0.5 * size
        if good and trial is not None and ((trial < low - 1e-9) | (trial > high + 1e-9)).any():
            end = _at_limit(held, q, ahead * unit, size, low, high)
            return np.array([*rows, end]), False
        if not good or trial is None:
            size *= 0.5
            if size < 1e-3 * step:
                break
            continue
        rows.append(trial)
        way, q, size = ahead, trial, min(step, 2 * size)
        gap = (trial - start) / unit
        gap = np.where(held.turns, np.pi - np.mod(np.pi - gap, 2 * np.pi), gap)
        if len(rows) > 4 and np.linalg.norm(gap) < 0.75 * step and float(gap @ ahead) <= 0:
            turn = np.round((trial - start) / (2 * np.pi)) * 2 * np.pi * held.turns
            return np.array([*rows, start + turn]), True
    return np.array(rows), False


def _at_limit(held: _Task, q: Array, ahead: Array, size: float, low: Array, high: Array) -> Array:
    """Halve the last step to where the first coordinate meets its limit."""
    inside, outside, best = 0.0, size, q
    while outside - inside > 1e-10:
        middle = 0.5 * (inside + outside)
        trial = held.correct(q + middle * ahead)
        if trial is None or ((trial < low - 1e-9) | (trial > high + 1e-9)).any():
            outside = middle
        else:
            inside, best = middle, trial
    return best
