"""The farthest that a frame gets along rays, and the postures in which it does."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from handik.problem import Problem
from handik.solve import Solver

__all__ = ["Progress", "farthest"]

Array = NDArray[np.float64]
Progress = Callable[[str, int, int], object]

#: Of a neighbor's reach, tried in this order on rays where nothing was found.
_SHARES = (1.0, 0.92, 1.06, 0.84, 0.7)
#: Postures sampled for starts; steps of the ladder inwards where the first start does not reach;
#: new starts of a trial while the interval is halved; how often what stands is tried once more.
_SAMPLES, _LADDER, _RESTARTS, _AGAIN = 4000, 8, 1, 4


def farthest(
    problem: Problem,
    retries: int,
    threads: int,
    center: Array,
    sphere: tuple[Array, NDArray[np.intp]],
    resolution: float,
    tell: Progress,
) -> tuple[Array, Array]:
    """Return the farthest reach along each ray of a sphere, and the posture there."""
    directions, faces = sphere
    model, n = problem.model, len(directions)
    quick = Solver("lm", max_iter=60, max_restarts=_RESTARTS, threads=threads)
    sure = Solver("lm", max_iter=120, max_restarts=4, retries=retries, threads=threads)
    far = float(np.linalg.norm(center)) + model.max_reach
    rounds = int(np.ceil(np.log2(max(far / resolution, 2.0))))
    total, done = _LADDER + rounds + _AGAIN * (rounds + 1), 0
    q, first = _starts(problem, center, directions)
    low, every = np.zeros(n), np.arange(n)

    def told(steps: int) -> None:
        nonlocal done
        done += steps
        tell("rays", done, total)

    def reached(
        solver: Solver, rays: NDArray[np.intp], r: Array, starts: Array | None = None
    ) -> NDArray[np.bool_]:
        """Try points on rays; keep those that are reached."""
        places = center + r[:, None] * directions[rays]
        answer = solver(problem, places, q[rays] if starts is None else starts)
        hit = np.asarray(answer.converged)
        low[rays[hit]], q[rays[hit]] = r[hit], answer.q[hit]
        return hit

    def halve(rays: NDArray[np.intp]) -> None:
        """Go on between what was reached and what nobody can reach."""
        high = np.full(n, far)
        for _ in range(rounds):
            if len(rays):
                middle = (low[rays] + high[rays]) / 2
                hit = reached(quick, rays, middle)
                high[rays] = np.where(hit, high[rays], middle)
                rays = rays[high[rays] - low[rays] > resolution]
            told(1)

    todo = every
    for k in range(_LADDER, 0, -1):
        if len(todo):
            todo = todo[~reached(quick, todo, first[todo] * k / _LADDER)]
        told(1)
    _spread(low, q, faces, reached, quick)
    halve(every)
    near = _neighbors(faces)
    for _ in range(_AGAIN):
        stands = every[~reached(sure, every, low + resolution)]
        gained = np.setdiff1d(every, stands)
        for column in near.T:  # and in the postures of each neighbor
            if len(stands):
                hit = reached(quick, stands, low[stands] + resolution, q[column[stands]])
                gained, stands = np.concatenate([gained, stands[hit]]), stands[~hit]
        told(1)
        if not len(gained):
            break
        halve(np.sort(gained))
    if done < total:
        told(total - done)
    return low, q


def _neighbors(faces: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the rays beside each: six, of which those with five have one twice."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    edges = edges[np.lexsort((edges[:, 1], edges[:, 0]))]
    begins = np.searchsorted(edges[:, 0], np.arange(faces.max() + 2))
    count = np.diff(begins)
    return np.asarray(edges[begins[:-1, None] + np.arange(6) % count[:, None], 1])


def _spread(
    low: Array,
    q: Array,
    faces: NDArray[np.intp],
    reached: Callable[[Solver, NDArray[np.intp], Array], NDArray[np.bool_]],
    solver: Solver,
) -> None:
    """Try rays on which nothing was found where their neighbors' were, from their postures.

    What is in reach may be a thin shell, which steps along a ray go past.
    """
    n = len(low)
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    asked = np.full(n, -1)
    for _ in range(n):
        near = np.full(n, -1)
        order = edges[np.argsort(low[edges[:, 1]], kind="stable")]
        near[order[:, 0]] = order[:, 1]  # of the neighbors the one that reaches farthest
        todo = np.flatnonzero((low == 0.0) & (low[near] > 0.0) & (asked != near))
        if not len(todo):
            return
        asked[todo] = near[todo]
        for share in _SHARES:
            q[todo] = q[near[todo]]
            todo = todo[~reached(solver, todo, share * low[near[todo]])]


def _starts(problem: Problem, center: Array, directions: Array) -> tuple[Array, Array]:
    """For each ray the sampled posture that is farthest along it, and how far that is."""
    model = problem.model
    rows = model.sample(_SAMPLES, seed=0)
    frame = problem.terms[0].frame
    way = model.fk(rows, frame=frame)[:, :3, 3] - center
    along = directions @ way.T
    beside = np.sqrt(np.maximum(np.sum(way**2, axis=1) - along**2, 0.0))
    best = (along - 2 * beside).argmax(axis=1)
    return rows[best], np.maximum(along[np.arange(len(directions)), best], 1e-3)
