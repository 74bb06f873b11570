"""Which capsules of a figure are compared with which, and why the others are not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from handik import _core

if TYPE_CHECKING:
    from handik.scene.check.figure import Figure

__all__ = ["FIRST", "Pair", "table"]

Array = NDArray[np.float64]
Pair = tuple[int, int]
Pairs: TypeAlias = Sequence[Pair] | NDArray[np.intp]
Left = tuple[Pair, str]

WHOLLY = "may overlap wholly"
#: Random postures of a block, and blocks of the first look.
BLOCK, FIRST = 256, 40
#: Meters within which a pair counts as in contact when it is asked which ones ever are.
TOUCHING = 1e-6
#: In contact in more than this share of the postures: not kept apart by any motion worth the name.
MOSTLY = 0.95


def bodies(figure: Figure) -> tuple[NDArray[np.int32], Array, Array]:
    """Return the frames, the ends (n, 6) and the radii of a figure's capsules."""
    key = figure.model, figure.capsules
    kept = figure.__dict__.get("_bodies")  # a copy may have others
    if kept is None or kept[0][0] is not key[0] or kept[0][1] is not key[1]:
        number = {name: k for k, name in enumerate(figure.model.frame_names)}
        frame = np.array([number[c.frame] for c in figure.capsules], np.int32)
        ends = np.array([(*c.start, *c.end) for c in figure.capsules], float).reshape(-1, 6)
        radius = np.array([c.radius for c in figure.capsules], float)
        kept = figure.__dict__["_bodies"] = key, (frame, ends, radius)
    found: tuple[NDArray[np.int32], Array, Array] = kept[1]
    return found


def handle(figure: Figure, pairs: Pairs, amount: Array | None = None) -> object:
    """Return the compiled figure with these pairs, and what of each may overlap."""
    rows = np.array(pairs, np.int32).reshape(-1, 2)
    amount = np.zeros(len(rows)) if amount is None else amount
    return _core._scene_figure(figure.model, *bodies(figure), rows, amount)


def nothing() -> object:
    """Return a world without obstacles."""
    none = np.zeros(0, np.int32)
    return _core._scene_world(none, np.zeros((0, 12)), np.zeros((0, 3)), none, np.zeros((0, 2)), ())


def _draws(figure: Figure, pairs: NDArray[np.intp], first: int, blocks: int) -> NDArray[np.int64]:
    return _core._scene_draws(nothing(), handle(figure, pairs), 1, first, blocks, 0)


def nearest(figure: Figure, pairs: Pairs, q: Array) -> Array:
    """Return the least signed distance of each pair in postures (n, nq); 1e-6 where none is less.

    Allowances are not counted.
    """
    return _core._scene_overlaps(nothing(), handle(figure, pairs), q)


def _up(model: Any, step: int) -> list[int]:
    """Return the steps from one up to the world."""
    out = []
    while step >= 0:
        out.append(step)
        step = int(model.step_parent[step])
    return out


def _spans(figure: Figure) -> tuple[Array, Array]:
    """Return how near and how far the axes of capsules are from the origins of their steps."""
    frame, ends, _ = bodies(figure)
    place = np.asarray(figure.model.frame_placement)[frame]
    turn, at = place[:, :9].reshape(-1, 3, 3), place[:, 9:]
    a, b = ((turn @ ends[:, k : k + 3, None])[..., 0] + at for k in (0, 3))
    way = b - a
    along = np.clip(-(a * way).sum(1) / np.maximum((way * way).sum(1), 1e-300), 0.0, 1.0)
    low, first, last = (np.linalg.norm(x, axis=1) for x in (a + along[:, None] * way, a, b))
    return low, np.maximum(first, last)


class _Ways:
    """The way from the axis of each capsule up to the world, worked out once."""

    def __init__(self, figure: Figure) -> None:
        frame, _, self.radius = bodies(figure)
        carriers, self.body = np.unique(
            np.asarray(figure.model.frame_step)[frame], return_inverse=True
        )
        self.near, self.far = _spans(figure)
        self.between = _between(figure.model, tuple(carriers.tolist()))


@lru_cache(maxsize=16)
def _between(model: Any, carriers: tuple[int, ...]) -> Array:
    """Return the sum and the greatest of the stretches from joint to joint between two bodies.

    Of each two, NaN where one slides. Figures of one model have them in common.
    """
    place = np.asarray(model.step_placement)[:, 9:]
    stretch = [float(np.linalg.norm(at)) for at in place]
    slide = [int(kind) == 1 for kind in model.step_kind]
    up = [_up(model, step) for step in carriers]
    out = np.full((len(up), len(up), 2), np.nan)
    for i, j in every(len(up)).tolist():
        common = set(up[i]) & set(up[j])
        sides = [[s for s in way if s not in common] for way in (up[i], up[j])]
        if any(slide[s] for side in sides for s in side) or not (sides[0] and sides[1]):
            continue
        stretches = [stretch[s] for side in sides for s in side[:-1]]
        tops = [place[side[-1]] for side in sides]  # both hang on the same moved frame
        stretches.append(float(np.linalg.norm(tops[0] - tops[1])))
        out[i, j] = out[j, i] = sum(stretches), max(stretches)
    return out


def never_reach(ways: _Ways, pairs: Pairs) -> NDArray[np.bool_]:
    """Return of which pairs one stretch between the two is longer than all others reach back.

    The way goes from one axis to its joint, from joint to joint, and to the other axis. Each
    stretch has a least and a greatest length; slides are left to the draws.
    """
    a, b = np.array(pairs, np.intp).reshape(-1, 2).T
    total, longest = ways.between[ways.body[a], ways.body[b]].T
    most = total + ways.far[a] + ways.far[b]
    apart = np.maximum(
        2 * longest - most,
        np.maximum(ways.near[a] + ways.far[a] - most, ways.near[b] + ways.far[b] - most),
    )
    return np.asarray(apart > ways.radius[a] + ways.radius[b] + 1e-9)  # NaN: not known


def every(count: int) -> NDArray[np.intp]:
    """Return all pairs (n, 2) of so many capsules, as the core numbers them."""
    return np.stack(np.tril_indices(count, -1)[::-1], 1)


def table(figure: Figure, draws: int) -> tuple[NDArray[np.intp], Callable[[], list[Left]]]:
    """Return the pairs to compare (n, 2), and what gives those that are not with the reason.

    What may overlap by so much that it is in contact nowhere is left out, and nothing else of what
    has an allowance.
    """
    count, out = len(figure.capsules), dict[str, NDArray[np.intp]]()
    ways = _Ways(figure)
    left = every(count)

    def leave(where: NDArray[np.bool_], reason: str) -> None:
        nonlocal left
        out[reason], left = left[where], left[~where]

    leave(ways.body[left[:, 0]] == ways.body[left[:, 1]], "on one body")
    amount = figure._allowed
    wholly = amount[left[:, 0], left[:, 1]] >= ways.radius[left].sum(1)  # of NaN it is not
    leave(wholly, WHOLLY)
    leave(never_reach(ways, left), "out of reach of each other: proved")
    given = ~np.isnan(amount[left[:, 0], left[:, 1]])
    kept, left = [left[given]], left[~given]
    if len(left):
        kept.append(_seen(figure, left, draws, out))
    found = np.concatenate(kept)
    return found[_order(found)], partial(_with_reasons, out)


def _seen(
    figure: Figure, left: NDArray[np.intp], draws: int, out: dict[str, NDArray[np.intp]]
) -> NDArray[np.intp]:
    """Return the pairs that touch in some random postures; the others go to `out`."""
    counts = _draws(figure, left, 0, FIRST)
    rest = nearest(figure, left, figure._rest[None]) < TOUCHING
    out["in contact at rest"], left, counts = left[rest], left[~rest], counts[~rest]
    mostly = counts > MOSTLY * FIRST * BLOCK
    for many in np.unique(counts[mostly]).tolist():
        reason = f"in contact in {many} of {FIRST * BLOCK} random postures"
        out[reason] = left[counts == many]
    left, counts = left[~mostly], counts[~mostly]
    kept, unseen = [left[counts > 0]], left[counts == 0]
    blocks = max(-(-draws // BLOCK) - FIRST, 0)
    if len(unseen):
        counts = _draws(figure, unseen, FIRST * BLOCK, blocks)
        reason = f"never in contact in {(FIRST + blocks) * BLOCK} random postures: not proved"
        kept.append(unseen[counts > 0])
        out[reason] = unseen[counts == 0]
    return np.concatenate(kept)


def _order(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.lexsort((rows[:, 1], rows[:, 0]))


def as_tuples(rows: NDArray[np.intp]) -> list[Pair]:
    """Return pairs as tuples."""
    return list(zip(*rows.T.tolist(), strict=True))


def _with_reasons(out: dict[str, NDArray[np.intp]]) -> list[Left]:
    rows = np.concatenate(list(out.values()))
    why = np.repeat(np.array(list(out), object), [len(some) for some in out.values()])
    order = _order(rows)
    return list(zip(as_tuples(rows[order]), why[order].tolist(), strict=True))
