"""Starts spread evenly inside the limits, and the solvers with Jacobians that begin anew from them.

The twins of the core's ``csrc/solve/drive/starts.c`` and of the loop in
``csrc/solve/squares/descent.c``.
"""

from __future__ import annotations

import numpy as np

from .genes import Numbers
from .jacobian import Columns, Descent, Searcher, iterate
from .tree import Answer, Array, Goal, Tree, judge, problem_length

PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53)
_STREAM = int.from_bytes(b"halton", "big")


def halton(index: int, prime: int) -> float:
    """Point ``index`` of the Halton sequence in base ``prime``: the digits of index mirrored."""
    x, step = 0.0, 1.0 / prime
    size = step
    while index > 0:
        x += (index % prime) * size
        index, size = index // prime, size * step
    return x


def coordinate(seed: int, index: int, k: int) -> float:
    """Coordinate ``k`` of point ``index``: shifted by the seed; drawn beyond the last prime."""
    if k >= len(PRIMES):
        return Numbers.counted(seed + index, _STREAM + k)()
    x = halton(index, PRIMES[k]) + Numbers.counted(seed, _STREAM + k)()
    return x if x < 1 else x - 1


def spread_start(columns: Columns, seed: int, index: int, length: float, q: Array) -> Array:
    """Set the columns of ``q`` to start number ``index``; without balls that have limits."""
    out = np.array(q, float)
    for k, at in enumerate(columns.q):
        if columns.inside_ball[k]:
            if columns.first_of_ball[k]:
                out[at : at + 4] = rotation([coordinate(seed, index, k + i) for i in range(3)])
            continue
        wide = length if columns.slide[k] else np.pi
        low, high = float(columns.lower[k]), float(columns.upper[k])
        if low == -np.inf:
            low, high = (-wide, wide) if high == np.inf else (high - 2 * wide, high)
        if high == np.inf:
            high = low + 2 * wide
        x = low + coordinate(seed, index, k) * (high - low)
        out[at] = np.clip(x, columns.lower[k], columns.upper[k])
    return out


def rotation(u: list[float]) -> Array:
    """Shoemake's map of three uniform numbers to a uniform rotation."""
    a, b = np.sqrt(1 - u[0]), np.sqrt(u[0])
    s, c = np.sin(2 * np.pi * u[1]), np.cos(2 * np.pi * u[1])
    t, d = np.sin(2 * np.pi * u[2]), np.cos(2 * np.pi * u[2])
    return np.array([b * d, a * s, a * c, b * t])


def jacobian_anew(
    tree: Tree,
    goals: list[Goal],
    q0: Array,
    method: str,
    *,
    max_iter: int,
    max_step: float,
    ftol: float,
    max_restarts: int,
    seed: int = 0,
    patience: int = 8,
) -> Answer:
    """Iterate a method, and begin anew where it stands still; without nudges.

    Parameters
    ----------
    tree, goals, q0, method, max_iter, max_step
        As for `jacobian_solve`.
    ftol, patience
        It stands still when so many iterations have not lowered the error by this share, or when
        there is no step.
    max_restarts, seed
        New starts at most, and the seed that shifts them.

    Returns
    -------
    Answer
        ``"converged"``, else the best pose of all: ``"stalled"`` or ``"max_iter"``.
    """
    length = problem_length(tree, goals)
    d = Descent(tree, goals, length)
    q, searcher, n_restarts, quiet = np.array(q0, float), Searcher(d, max_step), 0, 0
    error, met = judge(tree, goals, tree.world(q))
    trace, best_q = [error], q
    best = mark = float(np.linalg.norm(d.residual(q)))
    while not met:
        stuck = False
        try:
            q = iterate(searcher, method, q, 0.0, 0.5)
        except ArithmeticError:
            stuck = True
        error, met = judge(tree, goals, tree.world(q))
        trace.append(error)
        size = float(np.linalg.norm(d.residual(q)))
        if size < best:
            best, best_q = size, q
        quiet = 0 if size < (1 - ftol) * mark else quiet + 1
        mark = size if quiet == 0 else mark
        iteration = len(trace) - 1
        given_up = (stuck or quiet >= patience) and n_restarts >= max_restarts
        if not met and (iteration >= max_iter or given_up):
            end = "max_iter" if iteration >= max_iter else "stalled"
            return Answer(
                tree.unwrapped(np.asarray(q0, float), best_q),
                end,
                iteration,
                n_restarts,
                min(trace),
                trace,
            )
        if stuck or quiet >= patience:
            n_restarts += 1
            q = spread_start(d.columns, seed, n_restarts, length, best_q)
            searcher, mark, quiet = Searcher(d, max_step), np.inf, 0
    return Answer(
        tree.unwrapped(np.asarray(q0, float), q),
        "converged",
        len(trace) - 1,
        n_restarts,
        error,
        trace,
    )
