"""Surfaces inside an envelope on which a score has one value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.problem import Problem
from handik.problem.terms import Position
from handik.solve import Solver

if TYPE_CHECKING:
    from handik.people._envelope import Envelope

__all__ = ["rated", "zone"]

Array = NDArray[np.float64]

#: Halvings of the last step of a ray.
_HALVINGS = 5


def rated(score: Any, q: Array) -> Array:
    """Rate postures (n, nq), and look at what was given for it."""
    rating = getattr(score, "score", score)
    if not callable(rating) or isinstance(score, type):
        raise TypeError(f"score must have a method score, or be a function, got {score!r}")
    try:
        found = np.asarray(rating(q), float)
    except (TypeError, ValueError, IndexError) as error:
        raise TypeError(f"score cannot rate {len(q)} postures") from error
    if found.shape != (len(q),):
        raise ArgumentError(f"score must give {len(q)} numbers, got shape {found.shape}")
    return found


def zone(
    around: Envelope,
    rating: Callable[[Array], Array],
    most: float,
    terms: Sequence[Any],
    steps: int,
    threads: int,
) -> Envelope:
    """Return the surface of the farthest points along the rays that are rated `most` at most.

    A point's posture is the one that a solver finds from the model's rest, with `terms` as wishes.
    """
    model, n = around.model, len(around.reach)
    problem = Problem(model, [Position(frame=around.frame), *terms])
    solver = Solver("lm", max_iter=120, max_restarts=2, threads=threads)

    def tried(rays: NDArray[np.intp], r: Array) -> tuple[NDArray[np.bool_], Array]:
        places = around.center + r[:, None] * around.directions[rays]
        found = solver(problem, places, np.tile(model.rest, (len(rays), 1)))
        good = np.asarray(found.converged)
        if good.any():
            good[good] &= np.asarray(rating(found.q[good])) <= most
        return good, np.asarray(found.q)

    low, high, q = np.zeros(n), around.reach.copy(), around.q.copy()
    for k in range(steps, 0, -1):
        todo = np.flatnonzero((low == 0.0) & (around.reach > 0.0))
        good, postures = tried(todo, around.reach[todo] * k / steps)
        low[todo[good]] = around.reach[todo[good]] * k / steps
        q[todo[good]] = postures[good]
        high[todo[~good]] = around.reach[todo[~good]] * k / steps
    rays = np.flatnonzero((low > 0.0) & (high > low))
    for _ in range(_HALVINGS):
        middle = 0.5 * (low[rays] + high[rays])
        good, postures = tried(rays, middle)
        low[rays[good]], q[rays[good]] = middle[good], postures[good]
        high[rays[~good]] = middle[~good]
    return replace(around, reach=low, q=q, resolution=float(around.reach.max()) / steps)
