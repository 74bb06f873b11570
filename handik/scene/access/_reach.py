"""reach: a witness first, a proof second."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError
from handik.model import Model
from handik.people import Human
from handik.problem import Problem
from handik.problem.terms import Position
from handik.scene.access._inside import inside
from handik.scene.access._verdict import Asked, Reach, ReachMany
from handik.scene.access._witness import Blocked, free_gap, nearest, tips, witness
from handik.scene.check import Figure, as_figure, compiled
from handik.spec._given import choice, known_name, number, reals, whole_number

if TYPE_CHECKING:
    from handik.scene import Scene

__all__ = ["reach"]

Array = NDArray[np.float64]

#: What the core says of a proof.
FAR = 0
#: Meters from the origin within which targets may be.
FARTHEST = 1e4
#: Share of the numbers at hand that rounding may take from a length.
ROUNDING = 1e-9
#: Iterations and boxes of the first tries, where the verdict alone is asked.
FIRST = ((100, 3000), (2000, 20000))
_HANDS = ("right", "left", "either")


@lru_cache(maxsize=16)
def _chain(model: Model, frame: str) -> object:
    """Return the compiled chain to a frame; the last few are kept."""
    return _core._reach_chain(model, frame, False)


def _by_lengths(model: Model, frame: str, targets: Array) -> Array:
    """Return by how much the lengths of links and slides alone put targets out of reach."""
    found = Problem(model, [Position(frame)]).distance_lower_bound(targets)[..., 0]
    return np.asarray(found - ROUNDING * (1 + np.linalg.norm(targets, axis=-1)), float)


def _proved(
    chain: object, targets: Array, q: Array, tips: Array, far: Array, asked: Asked, threads: int
) -> Any:
    way = targets - tips
    length = np.linalg.norm(way, axis=-1, keepdims=True)
    normal = np.where(length > 1e-9, way / np.maximum(length, 1e-9), 0.0)
    return _core._reach_prove(chain, targets, normal, far, q, asked.budget, threads)


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
        outcome, spent, _, _ = _proved(
            chain, targets[todo], q[todo], tips[todo], goal[todo], asked, threads
        )
        least[todo[outcome == FAR]] = goal[todo[outcome == FAR]]
        cells[todo] += spent
        share[todo] = np.where(outcome == FAR, 1.0, 0.5 * (1 + share[todo]))
    return least, cells


def _among_obstacles(asked: Asked, frame: str, target: Array, q: Array, cells: int) -> Reach:
    """Return yes with a free witness, no inside an obstacle, else undecided."""
    found = inside(asked, frame, target)
    if found is not None:
        near = free_gap(asked, asked.model, frame, target)
        at, gap = (q, inf) if near is None else near
        short, why = (found[1] - asked.tolerance, gap), {found[0]: 0}
        return Reach("no", at, short, target, frame, 0, why, cells, asked, _inside=found)
    counts = Blocked(asked)
    free = witness(asked, asked.model, frame, target, q, counts)
    blocked = dict(counts.counts.most_common())
    if free is not None:
        return Reach("yes", free, (0.0, 0.0), target, frame, counts.tries, blocked, cells, asked)
    near = free_gap(asked, asked.model, frame, target)
    at, gap = (q, inf) if near is None else near
    return Reach("undecided", at, (0.0, gap), target, frame, counts.tries, blocked, cells, asked)


def _quickly(
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
        found = model.solve(
            position=targets[left],
            frame=frame,
            q0=start[left],
            position_tolerance=0.1 * asked.tolerance,
            seed=asked.seed,
            max_iter=iterations,
        )
        gap = np.linalg.norm(tips(model, found.q, frame) - targets[left], axis=-1)
        better = found.converged | (gap < far[left])
        q[left[better]], far[left[better]] = found.q[better], gap[better]
        good[left] = found.converged
        left = left[~good[left]]
        if not len(left):
            break
        no[left] = _by_lengths(model, frame, targets[left]) > asked.tolerance
        left, few = left[~no[left]], replace(asked, budget=min(asked.budget, budget))
        goal, at = np.full(len(left), asked.tolerance), tips(model, q[left], frame)
        outcome, spent, _, start[left] = _proved(
            _chain(model, frame), targets[left], q[left], at, goal, few, threads
        )
        cells[left] += spent
        no[left] = outcome == FAR
        left = left[~no[left]]
    return q, far, good, no, cells


def _with_frame(
    asked: Asked, frame: str, targets: Array, within: float, threads: int
) -> list[Reach]:
    """Return the verdict on each target for one frame."""
    model, n = asked.model, len(targets)
    asked = replace(asked, figure=None if asked.scene is None else as_figure(asked.figure))
    if within < inf:
        q, far, good = nearest(asked, model, frame, targets)
        no, cells = np.zeros(n, bool), np.zeros(n, np.int64)
    else:
        q, far, good, no, cells = _quickly(asked, frame, targets, threads)
        left = np.flatnonzero(~(good | no))
        if len(left):
            q[left], far[left], good[left] = nearest(asked, model, frame, targets[left])
    least = np.where(no, asked.tolerance, 0.0)
    missed = np.flatnonzero(~good)
    if len(missed):
        at = np.zeros((n, 3))
        at[missed] = tips(model, q[missed], frame)
        floor = _by_lengths(model, frame, targets[missed])
        no[missed] |= floor > asked.tolerance
        least[missed] = np.where(floor > asked.tolerance, floor, least[missed])
        left = missed[~no[missed]]
        if len(left):
            goal = np.full(len(left), asked.tolerance)
            outcome, spent, _, _ = _proved(
                _chain(model, frame), targets[left], q[left], at[left], goal, asked, threads
            )
            cells[left] += spent
            no[left] = outcome == FAR
            least[left[outcome == FAR]] = asked.tolerance
        sure = missed[no[missed]]
        wide = bool((far[sure] - least[sure] > within).any())
        if within < inf and wide:
            least[sure], more = _sharpened(
                _chain(model, frame),
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
    out = []
    for k in range(n):
        if good[k] and asked.scene is not None:
            out.append(_among_obstacles(asked, frame, targets[k], q[k], int(cells[k])))
            continue
        verdict = "yes" if good[k] else "no" if no[k] else "undecided"
        short = (0.0, 0.0) if good[k] else (float(least[k]), float(far[k]))
        out.append(Reach(verdict, q[k], short, targets[k], frame, 0, {}, int(cells[k]), asked))
    return out


def _better(a: Reach, b: Reach) -> Reach:
    """Return the verdict on two frames of which either will do."""
    order = ("yes", "undecided", "no")
    first = min(a, b, key=lambda r: (order.index(r.verdict), r.short[1]))
    if first.verdict == "yes":
        return first
    near = min(a, b, key=lambda r: r.short[1])
    return Reach(
        first.verdict,
        near.q,
        (min(a.short[0], b.short[0]), near.short[1]),
        first.target,
        near.frame,
        first.tries,
        first.blocked,
        a.cells + b.cells,
        near._asked,
        True,
    )


def _frames(model: Model, frame: str | None, hand: str) -> list[str]:
    """Return the names of the frames of which any may be at the target."""
    if frame is not None:
        return [known_name("frame", frame, model.frame_names)]
    grips = [f"grip_{side}" for side in _HANDS[:2] if hand in (side, "either")]
    if all(name in model.frame_names for name in grips):
        return grips
    if model.tip is None:
        raise ArgumentError(
            f"model {model.name!r} has several tips: say frame=, one of its frame_names"
        )
    return [model.tip]


def reach(
    figure: Human | Model | Figure,
    scene: Scene | None,
    target: ArrayLike,
    *,
    hand: str = "right",
    frame: str | None = None,
    tolerance: float = 1e-3,
    within: float = 2e-3,
    tries: int = 32,
    budget: int = 200_000,
    seed: int = 0,
    threads: int = 1,
) -> Reach | ReachMany:
    """Say whether a place is in reach: yes with a witness, no with a proof, or undecided.

    Parameters
    ----------
    figure : Human, Model or Figure
        Who reaches, from where the figure stands: `Human.with_base` and `Model.with_base` move it.
    scene : Scene or None
        What must not be touched, nor the figure itself; None: only the joints and their limits
        count, and a figure without collision shapes will do.
    target : array_like, shape (..., 3)
        Meters, in the world.
    hand : {"right", "left", "either"}
        Which hand's grip, where the figure has frames ``grip_right`` and ``grip_left``.
    frame : str, optional
        The frame that is to be there instead; a model's tip by default.
    tolerance : float
        Meters: what is no farther counts as reached, and only what is farther as out of reach.
    within : float
        Meters: how near the two ends of `Reach.short` are wanted; ``inf``: the verdict alone, which
        is faster.
    tries : int
        Starts for a posture that is free, where the first is not.
    budget : int
        Boxes of joint values a proof may look at.
    seed : int
        Of the starts.
    threads : int
        For many targets; 0: all cores.

    Returns
    -------
    Reach
        The verdict, `.verdict`, with `.q`, `.short` and `.why`.
    ReachMany
        The same in arrays, where `target` has leading axes.

    Raises
    ------
    TypeError
        When `figure` or `scene` is none.
    ArgumentError
        When a number is out of its range, or the model has several tips and no `frame` is named.
    NotFoundError
        When there is no such frame.
    UnsupportedError
        When a joint on the way to the frame has no limits and is no plain turn.

    Notes
    -----
    A no holds with obstacles too, for they only take postures away. What obstacles alone forbid is
    proved in one case: the target lies so deep in one that a part about the frame would be in
    contact even if everything gave way by 50 mm; a mesh proves no depth. Else it is "undecided",
    with what was touched and how often. The method is on the page on access (docs/access.md). The
    verdict speaks of reach and clearance, not of persons.

    Examples
    --------
    >>> import handik as hk
    >>> anna = hk.human(sex="female", stature=1.62)
    >>> hk.access.reach(anna, None, [0.45, -0.2, 1.0]).verdict
    'yes'
    >>> hk.access.reach(anna, None, [0.3, -0.2, 2.2]).verdict
    'no'
    """
    model = _model_of(figure, scene)
    choice("hand", hand, _HANDS)
    rows = reals(target, "target", (3,))
    reached, wanted = number("tolerance", tolerance), number("within", within)
    if not 1e-6 <= reached < inf:
        raise ArgumentError(f"tolerance must be 1e-6 or more, got {reached:g}")
    if not wanted >= 1e-5:
        raise ArgumentError(f"within must be 1e-5 or more, got {wanted:g}")
    if np.any(np.abs(rows) > FARTHEST):
        raise ArgumentError(f"target must be within {FARTHEST:g} m of the origin")
    many = whole_number("threads", threads)
    asked = Asked(
        model,
        scene,
        figure,
        figure.rest if isinstance(figure, Human) else model.rest,
        reached,
        whole_number("tries", tries, 10**6),
        max(whole_number("budget", budget), 1),
        whole_number("seed", seed),
    )
    flat = rows.reshape(-1, 3).copy()  # the verdict keeps it: the caller's array may change
    found = [_with_frame(asked, name, flat, wanted, many) for name in _frames(model, frame, hand)]
    one = found[0] if len(found) == 1 else [_better(a, b) for a, b in zip(*found, strict=True)]
    if rows.ndim == 1:
        return one[0]
    return _together(one, rows.shape[:-1], model.nq)


def _model_of(figure: Human | Model | Figure, scene: Scene | None) -> Model:
    """Return the model, once figure and scene are known to be such."""
    model = figure if isinstance(figure, Model) else getattr(figure, "model", None)
    if not isinstance(model, Model) or (scene is not None and not isinstance(figure, Model)):
        model = as_figure(figure).model  # which fits a person's capsules, or says what is wrong
    if scene is not None:
        compiled(scene, Figure(model, [], pairs=[]))
    return model


def _together(one: list[Reach], shape: tuple[int, ...], nq: int) -> ReachMany:
    """Return verdicts as arrays."""
    kept = np.empty(len(one), object)
    kept[:] = one
    return ReachMany(
        np.array([r.verdict for r in one], "<U9").reshape(shape),
        np.array([r.q for r in one]).reshape((*shape, nq)),
        np.array([r.short for r in one]).reshape((*shape, 2)),
        kept.reshape(shape),
    )
