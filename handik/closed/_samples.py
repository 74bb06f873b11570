"""Values of the locked joint of an arm of seven, and the configurations over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handik.closed._turns import periods
from handik.problem import Problem
from handik.problem.terms import Position

if TYPE_CHECKING:
    from handik import _core
    from handik.model import Model

Array = NDArray[np.float64]
#: Configurations of one pose at most: HIK_ANALYTIC_MOST.
MOST = 16
#: How often the intervals between samples of a locked joint are halved where none has a
#: configuration.
HALVINGS = 6
#: Pairs of a pose and a value that are solved in one call: 16 configurations of each are in memory.
AT_ONCE = 8192
#: Share of an arm's reach that lengths may be short by rounding.
ROUNDING = 1e-9


class Span(NamedTuple):
    """What the locked coordinate is sampled over: a whole turn, or from limit to limit."""

    low: float
    wide: float
    whole: bool

    def values(self, samples: int, halvings: int) -> Array:
        """Return even values; after halvings of the intervals between them, their new middles."""
        parts = samples if self.whole else max(samples - 1, 1)
        places = np.arange(samples) / parts
        if halvings:
            fine = parts * 2**halvings
            places = np.arange(1, fine, 2) / fine
        return np.asarray(self.low + self.wide * places)


def span_of(model: Model, at: int) -> Span:
    low, high = model.lower[at], model.upper[at]
    if periods(model)[at] > 0 and high - low >= 2 * np.pi:
        low = min(max(low, -np.pi), high - 2 * np.pi)  # a whole turn, inside the limits
        return Span(low, 2 * np.pi, True)
    if not np.isfinite(high - low):  # without an end: as far as the arm is long, or to its end
        wide = max(float(model.max_reach), 1e-3) if np.isfinite(model.max_reach) else 1.0
        if not np.isfinite(low):
            low = high - 2 * wide if np.isfinite(high) else -wide
        high = min(high, low + 2 * wide)
    return Span(low, high - low, False)


def union(
    core: _core.Analytic, poses: Array, values: Array, threads: int
) -> tuple[Array, NDArray[np.int32], NDArray[np.uint8]]:
    """Return the solutions of poses (n, 4, 4) over values of the locked joint: q, counts, free."""
    size, wide = max(1, AT_ONCE // len(values)), len(values) * MOST
    parts = []
    for first in range(0, max(len(poses), 1), size):
        some = poses[first : first + size]
        shape = (len(some), len(values))
        q, count, bits, _ = core.solve(
            np.ascontiguousarray(np.broadcast_to(some[:, None], (*shape, 4, 4))),
            locked=np.ascontiguousarray(np.broadcast_to(values, shape)),
            threads=threads,
        )
        there = (np.arange(MOST) < count[..., None]).reshape(len(some), wide)
        order = np.argsort(~there, axis=-1, kind="stable")
        order = order[:, : int(there.sum(axis=-1).max(initial=0))]
        nq = q.shape[-1]
        rows = np.take_along_axis(q.reshape(len(some), wide, nq), order[..., None], axis=-2)
        loose = np.take_along_axis(bits.reshape(len(some), wide), order, axis=-1)
        parts.append((rows, there.sum(axis=-1), loose))
    most = max(1, *(part[0].shape[1] for part in parts))  # room for the nearest
    out = np.full((len(poses), most, nq), np.nan)
    free = np.zeros((len(poses), most), np.uint8)
    counts = np.concatenate([part[1] for part in parts]).astype(np.int32)
    first = 0
    for rows, _, loose in parts:
        out[first : first + len(rows), : rows.shape[1]] = rows
        free[first : first + len(rows), : rows.shape[1]] = loose
        first += len(rows)
    return out, counts, free


def in_reach(model: Model, frame: str | None, poses: Array) -> NDArray[np.bool_]:
    """Whether a pose is one, and its place no farther than the lengths of the links allow."""
    fine = np.asarray(np.isfinite(poses).all(axis=(1, 2)))
    places = np.where(fine[:, None], poses[:, :3, 3], 0.0)
    term = Position() if frame is None else Position(frame=frame)
    beyond = Problem(model, [term]).distance_lower_bound(places)[..., 0]
    return np.asarray(fine & (beyond <= ROUNDING * model.max_reach))
