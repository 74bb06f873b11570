"""Witnesses: postures that reach, and among obstacles free ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from handik.problem import Problem
from handik.problem.terms import Axis, LookAt, Position
from handik.scene.access._halt import heed
from handik.scene.access._judge import Blocked
from handik.scene.access._options import EYE, VIEW
from handik.scene.check import Clearance
from handik.solve import Solver
from handik.solve.call import solve_plan

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene import Scene
    from handik.scene.access._verdict import Asked
    from handik.scene.check import Figure

__all__ = [
    "clear_plan",
    "free_draws",
    "free_gap",
    "from_draws",
    "nearest",
    "tips",
    "witness",
]

Array = NDArray[np.float64]

#: Rounds of starts for a target that the first one missed; solutions tried at once among obstacles.
ROUNDS, TOGETHER = 3, 16
#: After so many tries a hand is also turned, where one overlapped by no more than so many meters;
#: how many of the postures with it turned are led out, those with the least overlap, and how much
#: that may be; radians about its direction that will do. [assumption]
TURNED, NEAR, AMONG, AFTER, LOOSELY = 16, 0.05, 2, 0.03, np.radians(20)
#: Iterations for that: most of the directions cannot be met, and would take thousands to say so.
#: [assumption]
STEPS = 120
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


@lru_cache(maxsize=8)
def _drawn(model: Model, count: int, seed: int) -> Array:
    """Return drawn postures; many targets ask for them, and more than one frame."""
    return model.sample(count, seed=seed)


def _starts(asked: Asked, model: Model, frame: str, count: int | None = None) -> Array:
    """Return drawn postures; in every other the joints that do not move the frame are at rest."""
    drawn = _drawn(model, asked.tries if count is None else count, asked.seed).copy()
    drawn[::2] = np.where(_on_the_way(model, frame), drawn[::2], asked.rest)
    return drawn


def _directions(asked: Asked) -> list[tuple[Array, float]]:
    """Return directions in the cone about the axis, and how far from each is still inside it."""
    axis, half = asked.options.axis, asked.options.half_angle
    if axis is None:
        return []
    across = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    across /= np.linalg.norm(across)
    other, out = np.cross(axis, across), [(axis, max(0.999 * half, 1e-6))]
    if half > 1e-3:
        for turn in np.arange(8) * np.pi / 4:
            aside = np.cos(turn) * across + np.sin(turn) * other
            lean = 0.7 * half
            out.append((np.cos(lean) * axis + np.sin(lean) * aside, 0.29 * half))
    return out


def _goals(asked: Asked, model: Model, frame: str, target: Array) -> list[tuple[Problem, Array]]:
    """Return problems with their targets, each of which asks for all that solvers know of."""
    near: dict[str, Any] = {"position_tolerance": 0.999 * asked.tolerance}  # not by rounding alone
    terms: list[Any] = [Position(frame, **near)]
    rows = [np.asarray(target, float)]
    options = asked.options
    for name, to in options.also:
        terms.append(Position(name, **near))
        rows.append(to)
    if options.sight:
        cone: dict[str, Any] = {"orientation_tolerance": 0.999 * VIEW, "priority": 1}
        terms.append(LookAt(frame=EYE, axis=(1.0, 0.0, 0.0), **cone))
        rows.append(np.mean([target, *(to for _, to in options.also)], axis=0))
    names = [frame, *(name for name, _ in options.also)]
    out = []
    ways: list[tuple[Any, float]] = [*_directions(asked)] or [(None, 0.0)]
    for way, loose in ways:
        more = [
            Axis(name, axis=tuple(options.tool_axis), orientation_tolerance=loose, priority=1)
            for name in (names if way is not None else [])
        ]
        parts = [*rows, *(way for _ in more)]
        out.append((Problem(model, [*terms, *more]), np.concatenate(parts)))
    return out


def _reaching(
    asked: Asked, model: Model, frame: str, target: Array, starts: Array, seed: int
) -> Array:
    """Return the postures (n, nq) that solvers find from starts, of those that reach."""
    options = asked.options
    if options.axis is None and not options.also and not options.sight:
        found = model.solve(
            position=np.broadcast_to(target, (len(starts), 3)),
            frame=frame,
            q0=starts,
            position_tolerance=asked.tolerance,
            seed=seed,
        )
        return np.array(found.q[found.converged])
    out = []
    goals = _goals(asked, model, frame, target)
    for k, (problem, row) in enumerate(goals):
        mine = starts[k :: len(goals)]
        if not len(mine):
            break
        found = Solver("auto", seed=seed)(problem, np.broadcast_to(row, (len(mine), len(row))),
                                          q0=mine)  # fmt: skip
        out.append(found.q[found.converged])
    return np.concatenate(out)


def _kept_clear(asked: Asked, model: Model, frame: str, target: Array, near: Array) -> Array:
    """Return the reaching posture (1, nq) that a solver finds whose goal is to touch nothing too.

    It moves what does not reach as well: the idle arm of one who leans.
    """
    if asked.options.none:
        own = (asked.scene, asked.figure, model, frame, asked.tolerance, asked.seed)
        problem, plan = clear_plan(*own)
        return np.array(solve_plan(plan, problem, target, near).q)[None]
    clear = Clearance(asked.scene, asked.figure, distance=0.0)
    goal, row = _goals(asked, model, frame, target)[0]
    problem = Problem(model, [*goal.terms, clear])
    found = Solver("auto", seed=asked.seed)(problem, row, q0=near)
    return np.array(found.q)[None]


@lru_cache(maxsize=8)
def clear_plan(
    scene: Scene,
    figure: Figure,
    model: Model,
    frame: str,
    tolerance: float,
    seed: int,
    **pace: int,
) -> tuple[Problem, Any]:
    """Return what solves for the place and for touching nothing; many targets ask for it."""
    problem = _clear_problem(scene, figure, model, frame, tolerance)
    return problem, Solver("auto", seed=seed, **pace)._plan(problem)


@lru_cache(maxsize=4)
def _clear_problem(
    scene: Scene, figure: Figure, model: Model, frame: str, tolerance: float
) -> Problem:
    clear = Clearance(scene, figure, distance=0.0)
    return Problem(model, [Position(frame, position_tolerance=tolerance), clear])


def _turned(asked: Asked, model: Model, frame: str, target: Array, near: Array) -> Iterator[Array]:
    """Yield reaching postures (1, nq) that a solver clears from those with the hand turned.

    Where a target lies so near before a wall that the hand has to lie along it, postures from drawn
    starts nearly all have fingers in the wall, too deep to be led out. So the hand is turned along
    each axis of the world and against it; of those that reach, the least in the way are led out.
    """
    ways = np.concatenate([np.eye(3), -np.eye(3)])
    options = replace(asked.options, axis=ways[0], half_angle=LOOSELY)
    problem, row = _goals(replace(asked, options=options), model, frame, target)[0]
    hands = 1 + len(options.also)
    rows = np.tile(row, (len(ways), 1))
    rows[:, -3 * hands :] = np.tile(ways, hands)
    starts = np.tile(near, (2 * len(ways), 1))
    drawn = _starts(asked, model, frame)[: len(ways)]
    starts[len(ways) : len(ways) + len(drawn)] = drawn
    turning = Solver("auto", seed=asked.seed, max_iter=STEPS)
    found = turning(problem, np.tile(rows, (2, 1)), q0=starts)
    some = found.q[found.converged]
    if asked.scene is None or not len(some):
        return
    gap = asked.scene.distance(asked.figure, some, cutoff=0.0, details=True).distance
    for k in np.argsort(-gap, kind="stable")[:AMONG]:
        heed()
        if gap[k] < -AFTER:
            return
        clear = _kept_clear(asked, model, frame, target, some[k])
        if _there(asked, model, frame, target, clear):
            yield clear


def _there(asked: Asked, model: Model, frame: str, target: Array, q: Array) -> bool:
    return float(np.linalg.norm(tips(model, q[0], frame) - target)) <= asked.tolerance


def witness(
    asked: Asked, model: Model, frame: str, target: Array, q: Array, blocked: Blocked | None = None
) -> Array | None:
    """Return a posture that reaches the target, free where there is a scene; None: none found.

    It meets the options too, and `blocked` tells what else it shows.
    """
    rows = np.broadcast_to(target, (1, 3))
    at, _, good = nearest(asked, model, frame, rows)
    if not good[0]:
        return None
    if asked.scene is None and asked.options.none:
        return np.array(at[0])
    counts = Blocked(asked) if blocked is None else blocked

    def first(some: Array) -> Array | None:
        row = counts.first_free(some, model, frame, target) if len(some) else None
        if row is None:
            return None
        own = counts.shown.q
        return np.array(some[row] if own is None else own)

    found = first(at)
    if found is None:
        for some in _further(asked, model, frame, target, at[0], counts):
            found = first(some)
            if found is not None:
                break
    return found


def _further(
    asked: Asked, model: Model, frame: str, target: Array, near: Array, counts: Blocked
) -> Iterator[Array]:
    """Yield reaching postures (n, nq) until enough was tried, where the nearest is no witness."""
    if not asked.options.none:
        some = np.repeat(np.stack([near, asked.rest]), len(_directions(asked)) or 1, axis=0)
        yield _reaching(asked, model, frame, target, some, asked.seed)
    if asked.scene is not None:
        clear = _kept_clear(asked, model, frame, target, near)
        if _there(asked, model, frame, target, clear):
            yield clear
    yield from from_draws(asked, model, frame, target, near, counts)


def from_draws(
    asked: Asked,
    model: Model,
    frame: str,
    target: Array,
    near: Array,
    counts: Blocked,
    turned: bool = True,
) -> Iterator[Array]:
    """Yield reaching postures (n, nq) from drawn starts, and from those with the hand turned."""
    starts = _starts(asked, model, frame)
    for k in range(0, asked.tries, TOGETHER):
        heed()
        if counts.spent:
            return
        some = starts[k : k + TOGETHER]
        yield _reaching(asked, model, frame, target, some, asked.seed + k)
    turns = (
        turned and asked.scene is not None and asked.options.axis is None and asked.tries >= TURNED
    )
    if turns and not counts.spent and counts.nearest > -NEAR:
        yield from _turned(asked, model, frame, target, near)


_free: WeakKeyDictionary[Figure, tuple[tuple[Any, ...], Array, Array]] = WeakKeyDictionary()


def free_draws(asked: Asked, model: Model, frame: str) -> tuple[Array, Array]:
    """Return drawn postures that touch nothing, and where the frame is in them.

    The last are kept: many targets ask for them.
    """
    key = (asked.scene, asked.held, asked.seed, model, frame, asked.rest.tobytes())
    kept = None if asked.figure is None else _free.get(asked.figure)
    if kept is not None and kept[0] == key:
        return kept[1:]
    drawn = _starts(asked, model, frame, 256)
    drawn = drawn[Blocked(asked).free(drawn)]
    at = tips(model, drawn, frame) if len(drawn) else np.zeros((0, 3))
    if asked.figure is not None:
        _free[asked.figure] = (key, drawn, at)
    return drawn, at


def free_gap(asked: Asked, model: Model, frame: str, target: Array) -> tuple[Array, float] | None:
    """Return the posture nearest to a target among drawn ones that are free, and its distance.

    With more asked of it than to be free, those that lack something do not count.
    """
    free, at = free_draws(asked, model, frame)
    if not len(free):
        return None
    gap = np.linalg.norm(at - target, axis=-1)
    if asked.options.none:
        k = int(np.argmin(gap))
        return free[k], float(gap[k])
    for name, to in asked.options.also:
        gap = np.maximum(gap, np.linalg.norm(tips(model, free, name) - to, axis=-1))
    counts = Blocked(asked)
    for k in np.argsort(gap, kind="stable").tolist():
        if counts.still(free[k], model, frame) is None:
            return free[k], float(gap[k])
    return None
