"""Witnesses: postures that reach, and among obstacles free ones."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik.problem import Problem
from handik.problem.terms import Position
from handik.scene.check import Clearance
from handik.solve import Solver

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.access._verdict import Asked

__all__ = ["Blocked", "free_gap", "nearest", "tips", "witness"]

Array = NDArray[np.float64]

#: Rounds of starts for a target that the first one missed; solutions tried at once among obstacles.
ROUNDS, TOGETHER = 3, 16
#: A step of the core that is a ball.
BALL = 2


def tips(model: Model, q: Array, frame: str) -> Array:
    out: Array = model.fk(q, frame=frame)[..., :3, 3]
    return out


def nearest(
    asked: Asked, model: Model, frame: str, targets: Array
) -> tuple[Array, Array, NDArray[np.bool_]]:
    """Return for each target the nearest posture found, its distance, whether it is a witness."""
    tolerance = asked.tolerance
    found = model.solve(
        position=targets,
        frame=frame,
        q0=asked.rest,
        position_tolerance=0.1 * tolerance,
        seed=asked.seed,
    )
    q, good = np.array(found.q), np.array(found.converged)
    far = np.linalg.norm(tips(model, q, frame) - targets, axis=-1)
    for turn in range(ROUNDS):
        missed = np.flatnonzero(~good)
        if not len(missed):
            break
        again = model.solve(
            position=targets[missed],
            frame=frame,
            q0=q[missed] if turn == 0 else None,
            position_tolerance=tolerance,
            seed=asked.seed + turn,
            retries=2,
        )
        gap = np.linalg.norm(tips(model, again.q, frame) - targets[missed], axis=-1)
        better = again.converged | (gap < far[missed])
        q[missed[better]], far[missed[better]] = again.q[better], gap[better]
        good[missed] |= again.converged
    return q, far, good


def _on_the_way(model: Model, frame: str) -> NDArray[np.bool_]:
    """Return which coordinates of q move a frame; of a ball all four, also where one follows it."""
    out = np.zeros(model.nq, bool)
    step = int(model.frame_step[model.frame_names.index(frame)])
    while step >= 0:
        first = int(model.step_q[step])
        out[first : first + (4 if model.step_kind[step] == BALL else 1)] = True
        step = int(model.step_parent[step])
    for first in model.step_q[model.step_kind == BALL].tolist():
        out[first : first + 4] = out[first : first + 4].any()
    return out


def _starts(asked: Asked, model: Model, frame: str, count: int | None = None) -> Array:
    """Return drawn postures; in every other the joints that do not move the frame are at rest."""
    drawn = model.sample(asked.tries if count is None else count, seed=asked.seed)
    drawn[::2] = np.where(_on_the_way(model, frame), drawn[::2], asked.rest)
    return drawn


class Blocked:
    """What reaching postures touched, and the free posture nearest to the target."""

    def __init__(self, asked: Asked) -> None:
        self.asked, self.tries, self.counts = asked, 0, Counter[str]()

    def first_free(self, q: Array) -> int | None:
        """Return the row of the first free posture; count what blocks those before it."""
        asked = self.asked
        found = asked.scene.distance(asked.figure, q, cutoff=0.0, details=True)
        for k, (gap, part, other) in enumerate(
            zip(found.distance, found.part, found.other, strict=True)
        ):
            self.tries += 1
            if gap > 0 or other is None:
                return k
            self.counts[f"{other} with {part}"] += 1
        return None


def _kept_clear(asked: Asked, model: Model, frame: str, target: Array, near: Array) -> Array:
    """Return the reaching posture (1, nq) that a solver finds whose goal is to touch nothing too.

    It moves what does not reach as well: the idle arm of one who leans.
    """
    clear = Clearance(asked.scene, asked.figure, distance=0.0)
    problem = Problem(model, [Position(frame, position_tolerance=asked.tolerance), clear])
    found = Solver("auto", seed=asked.seed)(problem, target, q0=near)
    return np.array(found.q)[None]


def witness(
    asked: Asked, model: Model, frame: str, target: Array, q: Array, blocked: Blocked | None = None
) -> Array | None:
    """Return a posture that reaches the target, free where there is a scene; None: none found."""
    rows = np.broadcast_to(target, (1, 3))
    at, _, good = nearest(asked, model, frame, rows)
    if not good[0]:
        return None
    if asked.scene is None:
        return np.array(at[0])
    counts = Blocked(asked) if blocked is None else blocked
    if counts.first_free(at) is not None:
        return np.array(at[0])
    clear = _kept_clear(asked, model, frame, target, at[0])
    reaches = float(np.linalg.norm(tips(model, clear[0], frame) - target)) <= asked.tolerance
    if reaches and counts.first_free(clear) is not None:
        return np.array(clear[0])
    starts = _starts(asked, model, frame)
    for first in range(0, asked.tries, TOGETHER):
        some = starts[first : first + TOGETHER]
        found = model.solve(
            position=np.broadcast_to(target, (len(some), 3)),
            frame=frame,
            q0=some,
            position_tolerance=asked.tolerance,
            seed=asked.seed + first,
        )
        reaching = found.q[found.converged]
        row = counts.first_free(reaching) if len(reaching) else None
        if row is not None:
            out: Array = reaching[row]
            return out
    return None


def free_gap(asked: Asked, model: Model, frame: str, target: Array) -> tuple[Array, float] | None:
    """Return the free posture nearest to a target among drawn ones, and its distance."""
    drawn = _starts(asked, model, frame, 256)
    free = drawn[asked.scene.free(asked.figure, drawn)]
    if not len(free):
        return None
    gap = np.linalg.norm(tips(model, free, frame) - target, axis=-1)
    k = int(np.argmin(gap))
    return free[k], float(gap[k])
