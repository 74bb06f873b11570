"""Verdicts by the place alone, for many targets: a witness first, a proof second."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._narrow import FAR, by_lengths, chain_to, proved
from handik.scene.access._verdict import Asked, Reach, Verdicts
from handik.scene.access._witness import nearest, tips

__all__ = ["by_place", "quickly"]

Array = NDArray[np.float64]

#: Iterations and boxes of the first tries, where the verdict alone is asked.
FIRST = ((30, 3000), (500, 20000))
#: Iterations of the descent to the nearest posture, whose direction a proof is tried along first:
#: damped descents that look for a posture that reaches stop some 10 mm short of it, and a proof
#: along their direction takes ten times as many boxes.
NEARER = 100


def _sharpened(
    chain: object,
    targets: Array,
    q: Array,
    tips: Array,
    least: Array,
    most: Array,
    asked: Asked,
    within: float,
    threads: int,
) -> tuple[Array, NDArray[np.int64]]:
    """Return the distances proved: as near to `most` as `within` where that can be had."""
    least, cells = least.copy(), np.zeros(len(least), np.int64)
    share = np.zeros(len(least))
    for _ in range(3):
        goal = np.maximum(most - within - share * (most - least), least)
        todo = np.flatnonzero((goal > least) & (most - least > within))
        if not len(todo):
            break
        outcome, spent, _, _ = proved(
            chain, targets[todo], q[todo], tips[todo], goal[todo], asked, threads
        )
        least[todo[outcome == FAR]] = goal[todo[outcome == FAR]]
        cells[todo] += spent
        share[todo] = np.where(outcome == FAR, 1.0, 0.5 * (1 + share[todo]))
    return least, cells


def quickly(
    asked: Asked, frame: str, targets: Array, threads: int
) -> tuple[Array, Array, NDArray[np.bool_], NDArray[np.bool_], NDArray[np.int64]]:
    """Return postures, distances, which reach, which are proved far, and cells; little work.

    A proof that fails hands out the posture of its nearest cell: the best place to start from.
    """
    model, n = asked.model, len(targets)
    q, far = np.tile(asked.rest, (n, 1)), np.full(n, inf)
    good, no, cells = np.zeros(n, bool), np.zeros(n, bool), np.zeros(n, np.int64)
    start, left = q.copy(), np.arange(n)
    for iterations, budget in FIRST:
        for solver, most in (("auto", iterations), ("lbfgs", NEARER)):
            found = model.solve(
                position=targets[left],
                frame=frame,
                q0=start[left],
                position_tolerance=0.1 * asked.tolerance,
                seed=asked.seed,
                max_iter=most,
                solver=solver,
            )
            gap = np.linalg.norm(tips(model, found.q, frame) - targets[left], axis=-1)
            better = found.converged | (gap < far[left])
            q[left[better]], far[left[better]] = found.q[better], gap[better]
            good[left] = found.converged
            left = left[~good[left]]
            if not len(left):
                return q, far, good, no, cells
        no[left] = by_lengths(model, frame, targets[left]) > asked.tolerance
        left, few = left[~no[left]], replace(asked, budget=min(asked.budget, budget))
        goal, at = np.full(len(left), asked.tolerance), tips(model, q[left], frame)
        outcome, spent, _, start[left] = proved(
            chain_to(model, frame), targets[left], q[left], at, goal, few, threads
        )
        cells[left] += spent
        no[left] = outcome == FAR
        left = left[~no[left]]
    return q, far, good, no, cells


def _at_once(asked: Asked, frame: str, target: Array) -> Reach | None:
    """Return the yes to one target that `quickly` finds first; None: there is more to do."""
    found = asked.model.solve(
        position=target,
        frame=frame,
        q0=asked.rest,
        position_tolerance=0.1 * asked.tolerance,
        seed=asked.seed,
        max_iter=FIRST[0][0],
    )
    if not found.converged:
        return None
    return Reach("yes", np.array(found.q), (0.0, 0.0), target, frame, 0, {}, 0, asked)


def by_place(
    asked: Asked, frame: str, targets: Array, within: float, threads: int
) -> Verdicts | list[Reach]:
    """Return the verdict on each target for one frame."""
    model, n = asked.model, len(targets)
    if n == 1 and within == inf:
        one = _at_once(asked, frame, targets[0])
        if one is not None:
            return [one]
    if within < inf:
        q, far, good = nearest(asked, model, frame, targets)
        no, cells = np.zeros(n, bool), np.zeros(n, np.int64)
    else:
        q, far, good, no, cells = quickly(asked, frame, targets, threads)
        left = np.flatnonzero(~(good | no))
        if len(left):
            q[left], far[left], good[left] = nearest(asked, model, frame, targets[left])
    least = np.where(no, asked.tolerance, 0.0)
    missed = np.flatnonzero(~good)
    if len(missed):
        at = np.zeros((n, 3))
        at[missed] = tips(model, q[missed], frame)
        floor = by_lengths(model, frame, targets[missed])
        no[missed] |= floor > asked.tolerance
        least[missed] = np.where(floor > asked.tolerance, floor, least[missed])
        left = missed[~no[missed]]
        if len(left):
            goal = np.full(len(left), asked.tolerance)
            outcome, spent, _, _ = proved(
                chain_to(model, frame), targets[left], q[left], at[left], goal, asked, threads
            )
            cells[left] += spent
            no[left] = outcome == FAR
            least[left[outcome == FAR]] = asked.tolerance
        sure = missed[no[missed]]
        wide = bool((far[sure] - least[sure] > within).any())
        if within < inf and wide:
            least[sure], more = _sharpened(
                chain_to(model, frame),
                targets[sure],
                q[sure],
                at[sure],
                least[sure],
                far[sure],
                asked,
                within,
                threads,
            )
            cells[sure] += more
    verdict = np.where(good, "yes", np.where(no, "no", "undecided"))
    short = np.where(good[:, None], 0.0, np.stack([least, far], 1))
    return Verdicts(asked, frame, targets, verdict, q, short, cells)
