"""What FABRIK and CCD share: the best pose, the stall test and the deterministic nudge.

Both maps have fixed points that are no answers: a straight chain whose target lies on its own
line, a joint at a limit on the wrong side. When the best error has not fallen by ``ftol`` of
itself for ``PATIENCE`` iterations the pose is nudged; after ``perturbations`` of them the solver
gives up.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .swing import clamp_quat
from .tree import (
    BALL,
    SLIDE,
    TURN,
    Answer,
    Array,
    Goal,
    Tree,
    even_error,
    judge,
    quat_exp,
    quat_mul,
)

PATIENCE = 4
GOLDEN = 2.399963229728653
"""Golden angle: successive directions that never repeat."""


def nudge(tree: Tree, steps: list[int], q: Array, round_: int, reach: float) -> Array:
    """Move every step of the list a little, the same way every time, and stay in the limits.

    A turn or slide goes a quarter of the way to the middle of its range; one that is already in
    the middle (to 5 % of the range), or has no range, goes 7.5 % of the range (2 pi, or the reach)
    to one side, sides alternating by place in the list and by round. A ball turns by 0.3 rad about
    the axis (cos a, sin a, 0.5), a = the golden angle times its place. All in the frames of the
    joints, so the answer does not depend on how the figure stands in the world. A step whose value
    is a line in the coordinate of another step of the list is left to that one.
    """
    out = np.array(q, float)
    leaders: dict[int, int] = {}
    for s in steps:
        if tuple(tree.step_line[s]) == (1.0, 0.0):
            leaders.setdefault(int(tree.step_q[s]), s)
    for k, s in enumerate(steps):
        i = tree.step_q[s]
        if leaders.get(int(i), s) != s:
            continue
        if tree.step_kind[s] == BALL:
            a = GOLDEN * (k + 1 + round_)
            axis = np.array([np.cos(a), np.sin(a), 0.5])
            turned = quat_mul(out[i : i + 4], quat_exp(0.3 / np.sqrt(1.25) * axis))
            out[i : i + 4] = turned / np.linalg.norm(turned)
            if s in tree.cones:
                out[i : i + 4] = clamp_quat(tree.cones[s], out[i : i + 4])
            continue
        low, high = tree.step_limit[s]
        wide = 2 * np.pi if tree.step_kind[s] == TURN else reach
        x = tree.value(s, out)
        middle = x
        if high - low < 2 * wide:
            wide, middle = high - low, 0.5 * (low + high)
        if abs(x - middle) > 0.05 * wide:
            x += 0.25 * (middle - x)
        else:
            x += 0.075 * wide * (1.0 if (k + round_) % 2 == 0 else -1.0)
        tree.set_value(s, float(np.clip(x, low, high)), out)
    return out


def aim_beyond(target: Array, place: Array, last: Array | None) -> tuple[Array, Array]:
    """Where to aim from ``place``, and the error, which is the next ``last``.

    Past the target by min(r / (1 - r), 20) of the error, r in (0, 1) being the ratio of this error
    and the last one; at the target when there is no last one.
    """
    error = np.asarray(target, float) - place
    aim = np.array(target, float)
    size = 0.0 if last is None else float(last @ last)
    if last is not None and size > 0:
        ratio = float(error @ last) / size
        if 0 < ratio < 1:
            aim = aim + min(ratio / (1 - ratio), 20.0) * error
    return aim, error


def least_error(tree: Tree, goals: list[Goal]) -> float:
    """Error that no pose can beat: how far the targets are beyond what the lengths allow."""
    total = 0.0
    for goal in goals:
        if goal.position is None:
            continue
        chain = tree.chain(goal.frame)
        links = [float(np.linalg.norm(tree.place(s)[1])) for s in chain[1:]]
        links.append(float(np.linalg.norm(tree.frame_place(goal.frame)[1])))
        slides = [
            float(np.abs(tree.step_limit[s]).max()) for s in chain if tree.step_kind[s] == SLIDE
        ]
        root = tree.place(chain[0])[1] if chain else tree.frame_place(goal.frame)[1]
        far = float(np.linalg.norm(np.asarray(goal.position) - root))
        arm = sum(links) + sum(slides) if chain else 0.0
        inner = 0.0 if slides or not chain else max(0.0, 2 * max(links) - sum(links))
        total += (goal.weight * max(0.0, far - arm, inner - far)) ** 2
    return float(np.sqrt(total))


def run(
    tree: Tree,
    goals: list[Goal],
    steps: list[int],
    q0: Array,
    iterate: Callable[[Array, bool], Array],
    *,
    max_iter: int,
    ftol: float,
    perturbations: int,
    reach: float,
    out_of_reach: bool = False,
    judged: Callable[[Array, list[tuple[Array, Array]]], tuple[float, bool]] | None = None,
    evenly: Callable[[Array, list[tuple[Array, Array]], float], float] | None = None,
) -> Answer:
    """Drive ``iterate(q, fresh)`` until met, stalled or capped; ``fresh`` tells of a new start.

    ``judged`` says error and whether all is met, by q and frames; without it `judge` does.
    Poses are compared by the error that ``evenly`` says, in meters, turns by the length ``reach``;
    without it by `even_error`.
    """
    verdict = judged or (lambda _, world: judge(tree, goals, world))
    even = evenly or (lambda _, world, scale: even_error(tree, goals, world, scale))
    q = np.array(q0, float)
    told, met = verdict(q, tree.world(q))
    error = even(q, tree.world(q), reach)
    trace, best, best_told, best_q = [told], error, told, q
    least = least_error(tree, goals) if out_of_reach else 0.0
    mark, quiet, n_restarts, fresh = max(0.0, error - least), 0, 0, True
    if met:
        return Answer(tree.unwrapped(np.asarray(q0, float), q), "converged", 0, 0, told, trace)
    if out_of_reach:
        ftol = max(ftol, 1e-4)  # no error ever meets it: do not crawl
    for iteration in range(1, max_iter + 1):
        q = iterate(q, fresh)
        fresh = False
        told, met = verdict(q, tree.world(q))
        error = even(q, tree.world(q), reach)
        trace.append(told)
        if met:
            return Answer(
                tree.unwrapped(np.asarray(q0, float), q),
                "converged",
                iteration,
                n_restarts,
                told,
                trace,
            )
        if error < best:
            best, best_told, best_q = error, told, q
        above = max(0.0, error - least)  # far away, the rest would hide the progress
        if above < (1 - ftol) * mark:
            mark, quiet = above, 0
        else:
            quiet += 1
        if iteration < max_iter and quiet >= PATIENCE:
            if n_restarts >= perturbations:
                claim = "unreachable" if out_of_reach else "stalled"
                return Answer(
                    tree.unwrapped(np.asarray(q0, float), best_q),
                    claim,
                    iteration,
                    n_restarts,
                    best_told,
                    trace,
                )
            q = nudge(tree, steps, best_q, n_restarts, reach)
            n_restarts, mark, quiet, fresh = n_restarts + 1, np.inf, 0, True
    claim = "unreachable" if out_of_reach else "max_iter"
    return Answer(
        tree.unwrapped(np.asarray(q0, float), best_q), claim, max_iter, n_restarts, best_told, trace
    )
