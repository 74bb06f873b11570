"""Follow the leader on bare points and on free chains.

Brown, Latombe, Montgomery: Real-time knot-tying simulation. The Visual Computer 20 (2004).
"""

from __future__ import annotations

from functools import partial

from .fabrik import Moved, direction, iterate_points, move_points
from .tree import Answer, Array, Goal, Tree


def ftl_points(
    points: Array,
    target: Array,
    tolerance: float,
    max_iter: int,
    *,
    ftol: float = 1e-4,
    perturbations: int = 2,
) -> Moved:
    """Follow the leader, on a chain of free joints.

    The order of the operations is the contract of the C core. What the base does is a reading of
    ours, for the published rule is one for a rope that hangs on nothing else:

    1. As step 1 and 2 of `fabrik_points`: lengths ``d``, line ``u``, a target met or out of reach.
    2. Iteration: p[n] = target, then i = n-1..0: p[i] = p[i+1] + d[i] unit(p[i] - p[i+1]), the
       point nearest to the old one at that length from its leader; where two points coincide the
       last direction of the pass is used again, which begins with -u. Then all points move by
       what p[0] is off its place.
    3. Error, stall, nudge and end as steps 4 and 5 of `fabrik_points`.

    A follower moves by no more than its leader, so the error never rises but by a nudge.

    Returns
    -------
    points, outcome, iterations, remedies, trace
    """
    return iterate_points(
        points, target, tolerance, max_iter, _drag, ftol=ftol, perturbations=perturbations
    )


def _drag(p: Array, d: Array, target: Array, u: Array) -> None:
    base, n = p[0].copy(), len(d)
    p[n], last = target, -u
    for i in range(n - 1, -1, -1):
        last = direction(p[i] - p[i + 1], last)
        p[i] = p[i + 1] + d[i] * last
    p += base - p[0]


def ftl(
    tree: Tree,
    goal: Goal,
    q0: Array,
    *,
    max_iter: int = 300,
    ftol: float = 1e-4,
    perturbations: int = 2,
) -> Answer:
    """Follow the leader for a position on a chain of balls."""
    return move_points(
        tree,
        goal,
        q0,
        partial(ftl_points, max_iter=max_iter, ftol=ftol, perturbations=perturbations),
    )


__all__ = ["ftl", "ftl_points"]
