"""FABRIK on bare points and on free chains.

Aristidou, Lasenby: FABRIK: a fast, iterative solver for the inverse kinematics problem, Graphical
Models 73 (2011), algorithm 1 (algorithm 2.1 of the thesis).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from .tree import (
    Answer,
    Array,
    Goal,
    Tree,
    judge,
    minimal_rotation,
    perpendicular,
    quat_from_mat,
    unit,
)
from .watch import PATIENCE

# ---- bare points ------------------------------------------------------------------------------


def fabrik_points(
    points: Array,
    target: Array,
    tolerance: float,
    max_iter: int,
    *,
    ftol: float = 1e-4,
    perturbations: int = 2,
    single: bool = False,
) -> Moved:
    """FABRIK, algorithm 2.1, on a chain of free joints.

    The order of the operations is the contract of the C kernel:

    1. ``d[i]`` = distance of points i and i+1; reach = sum of d; ``u`` = unit(target - base), or x.
       Error = distance of the tip from the target; at most ``tolerance``: converged, 0 iterations.
    2. Target farther than the reach less the tolerance: all points on the line to it,
       ``closest``, 1 iteration. Target nearer than the longest link exceeds the rest, plus the
       tolerance: the longest link runs along u, the others against it, ``closest``, 1 iteration.
       In both cases it is converged if the error is within the tolerance.
    3. Iteration: forward pass p[n] = target, then i = n-1..1: p[i] = p[i+1] + d[i] unit(p[i] -
       p[i+1]); backward pass from p[0], i = 0..n-1: p[i+1] = p[i] + d[i] unit(p[i+1] - p[i]). Where
       two points coincide, the last direction of that pass is used again; the forward pass begins
       with -u, the backward pass with the last of the forward pass turned round.
    4. Error; converged when within the tolerance. When the lowest error has not fallen by ``ftol``
       of itself in 4 iterations: nudge, at most ``perturbations`` times, then ``stalled``. After
       ``max_iter``: ``max_iter``. Without convergence the best of the last points and of those
       before a nudge is given back.
    5. Nudge, the cure of the straight chain with its target on its own line: each inner point i
       moves by 0.1 (1 + round) d[i] at right angles to the line base-target (a half turn further in
       odd rounds). One direction for all points: the chain becomes an arch, which is what a folded
       chain ends as. The next pass restores the lengths.

    With ``single`` steps 3 to 5 are made in floats, on the chain of length 1 whose base is the
    origin.

    Returns
    -------
    points, outcome, iterations, remedies, trace
    """
    return iterate_points(
        points,
        target,
        tolerance,
        max_iter,
        _both_passes,
        ftol=ftol,
        perturbations=perturbations,
        single=single,
    )


def _both_passes(p: Array, d: Array, target: Array, u: Array) -> None:
    n = len(d)
    p[n], last = target, -u.astype(p.dtype)
    for i in range(n - 1, 0, -1):
        last = direction(p[i] - p[i + 1], last)
        p[i] = p[i + 1] + d[i] * last
    last = -last
    for i in range(n):
        last = direction(p[i + 1] - p[i], last)
        p[i + 1] = p[i] + d[i] * last


Moved = tuple[Array, str, int, int, list[float]]
"""Points, outcome, iterations, remedies, trace."""


def iterate_points(
    points: Array,
    target: Array,
    tolerance: float,
    max_iter: int,
    passes: Callable[[Array, Array, Array, Array], None],
    *,
    ftol: float,
    perturbations: int,
    single: bool = False,
) -> Moved:
    """Iterate ``passes(p, d, target, u)``, which moves ``p``, as `fabrik_points` says."""
    p = np.array(points, float)
    base, n = p[0].copy(), len(p) - 1
    d = np.linalg.norm(np.diff(p, axis=0), axis=1)
    gap = target - base
    far, reach = float(np.linalg.norm(gap)), float(d.sum())
    u = gap / far if far > 0 else np.array([1.0, 0.0, 0.0])
    error = float(np.linalg.norm(p[n] - target))
    trace = [error]
    if error <= tolerance:
        return p, "converged", 0, 0, trace
    line = nearest_line(base, d, u, far, tolerance)
    if line is not None:
        error = float(np.linalg.norm(line[n] - target))
        trace.append(error)
        return line, "converged" if error <= tolerance else "unreachable", 1, 0, trace
    if single:
        thin = np.float32
        p, error, tolerance = ((p - base) / reach).astype(thin), error / reach, tolerance / reach
        d, target = (d / reach).astype(thin), ((target - base) / reach).astype(thin)
    kept, kept_p, mark, quiet, n_restarts = np.inf, p, error, 0, 0
    claim, iteration = "max_iter", 0
    for iteration in range(1, max_iter + 1):
        passes(p, d, target, u)
        error = float(np.linalg.norm(p[n] - target))
        trace.append(reach * error if single else error)
        if error <= tolerance:
            claim, kept = "converged", np.inf
            break
        if error < (1 - ftol) * mark:
            mark, quiet = error, 0
        else:
            quiet += 1
        if quiet >= PATIENCE and n_restarts >= perturbations:
            claim = "stalled"
            break
        if quiet >= PATIENCE and iteration < max_iter:
            if error < kept:
                kept, kept_p = error, p.copy()
            p[1:n] += arch(d, u, n_restarts).astype(p.dtype)
            n_restarts, mark, quiet = n_restarts + 1, np.inf, 0
    p = kept_p if kept < error else p
    return base + reach * p if single else p, claim, iteration, n_restarts, trace


def direction(v: Array, last: Array) -> Array:
    """Return the unit vector of v, or the last one when v has no length."""
    n = float(np.sqrt(v @ v))
    return v / n if n > 1e-145 else last


def nearest_line(base: Array, d: Array, u: Array, far: float, edge: float) -> Array | None:
    """Points of the chain nearest to a target out of reach, which is `far` from the base along u.

    None for a target that is in reach by more than ``edge``. See step 2 of `fabrik_points`.
    """
    reach, longest, edge = float(d.sum()), float(d.max()), max(0.0, edge)
    if not (far > reach - edge or far < 2 * longest - reach + edge):
        return None
    sign = np.ones(len(d))
    if far <= reach - edge:
        sign[:] = -1.0
        sign[int(np.argmax(d))] = 1.0
    return np.vstack([base, base + np.cumsum(sign * d)[:, None] * u])


def arch(d: Array, u: Array, n_restarts: int) -> Array:
    """Return the moves of the inner points in a nudge; see step 5 of `fabrik_points`."""
    side = perpendicular(u) * (0.1 * (1 + n_restarts) * (-1.0 if n_restarts % 2 else 1.0))
    moves: Array = d[1:, None] * side
    return moves


def pose_balls(tree: Tree, steps: list[int], frame: int, q: Array, points: Array) -> Array:
    """Turn the balls of a chain, root to tip, so that it runs through points.

    ``points[k]`` is the origin of step k, the last point that of the frame. In the world every
    link makes the smallest rotation from its start, so that its twist is kept.
    """
    out = np.array(q, float)
    start = tree.world(out)
    world = list(start)
    for k, s in enumerate(steps):
        old = start[s][0]
        bone = tree.place(steps[k + 1])[1] if k + 1 < len(steps) else tree.frame_place(frame)[1]
        if not np.linalg.norm(bone) > 0:
            whole = old
        else:
            whole = minimal_rotation(unit(old @ bone), unit(points[k + 1] - points[k])) @ old
        base = tree.place(s)[0] if k == 0 else world[steps[k - 1]][0] @ tree.place(s)[0]
        i = tree.step_q[s]
        turned = quat_from_mat(base.T @ whole)
        out[i : i + 4] = turned if turned @ q[i : i + 4] >= 0 else -turned
        world[s] = tree.move(s, out, world)
    return out


def inner_tolerance(goal: Goal, points: Array, single: bool = False) -> float:
    """Tolerance of the points: what they meet must still be met by q."""
    reach = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    slack = 6e-8 * (len(points) + 7) if single else 4e-16 * (len(points) + 3)
    return goal.position_tolerance * (1 - 1e-9) - slack * reach


def move_points(
    tree: Tree,
    goal: Goal,
    q0: Array,
    move: Callable[[Array, Array, float], Moved],
    *,
    single: bool = False,
) -> Answer:
    """Solve by a method that moves points: ``move(points, target, tolerance)``."""
    steps = tree.chain(goal.frame)
    world = tree.world(q0)
    tip = tree.frame_pose(goal.frame, world)[1]
    points = np.array([*(world[s][1] for s in steps), tip])
    assert goal.position is not None
    points, outcome, iterations, n_restarts, trace = move(
        points, goal.position, inner_tolerance(goal, points, single)
    )
    q = pose_balls(tree, steps, goal.frame, q0, points)
    error, _ = judge(tree, [goal], tree.world(q))
    return Answer(q, outcome, iterations, n_restarts, error, [goal.weight * e for e in trace])


def fabrik_free(
    tree: Tree,
    goal: Goal,
    q0: Array,
    *,
    max_iter: int = 300,
    ftol: float = 1e-4,
    perturbations: int = 2,
    single: bool = False,
) -> Answer:
    """FABRIK for a position on a chain of balls: ``fabrik_points``, then ``pose_balls``."""
    move = partial(
        fabrik_points, max_iter=max_iter, ftol=ftol, perturbations=perturbations, single=single
    )
    return move_points(tree, goal, q0, move, single=single)


__all__ = [
    "Moved",
    "arch",
    "direction",
    "fabrik_free",
    "fabrik_points",
    "inner_tolerance",
    "iterate_points",
    "move_points",
    "nearest_line",
    "pose_balls",
]
