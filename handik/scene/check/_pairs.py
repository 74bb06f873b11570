"""Which capsules of a figure are compared with which, and why the others are not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik import _core

if TYPE_CHECKING:
    from handik.scene.check.figure import Figure

__all__ = ["FIRST", "Pair", "table"]

Array = NDArray[np.float64]
Pair = tuple[int, int]

WHOLLY = "may overlap wholly"
#: Random postures of a block, and blocks of the first look.
BLOCK, FIRST = 256, 40
#: Meters within which a pair counts as in contact when it is asked which ones ever are.
TOUCHING = 1e-6
#: In contact in more than this share of the postures: not kept apart by any motion worth the name.
MOSTLY = 0.95


def handle(
    figure: Figure, pairs: list[Pair], allowed: Mapping[Pair, float] | None = None
) -> object:
    """Return the compiled figure with these pairs, and what of each may overlap."""
    given = {} if allowed is None else allowed
    ends = [(*c.start, *c.end) for c in figure.capsules]
    return _core._scene_figure(
        figure.model,
        np.array([figure.model.frame_names.index(c.frame) for c in figure.capsules], np.int32),
        np.array(ends, float).reshape(-1, 6),
        np.array([c.radius for c in figure.capsules], float),
        np.array(pairs, np.int32).reshape(-1, 2),
        np.array([given.get(pair, 0.0) for pair in pairs], float),
    )


def nothing() -> object:
    """Return a world without obstacles."""
    none = np.zeros(0, np.int32)
    return _core._scene_world(none, np.zeros((0, 12)), np.zeros((0, 3)), none, np.zeros((0, 2)), ())


def _draws(figure: Figure, pairs: list[Pair], first: int, blocks: int) -> NDArray[np.int64]:
    return _core._scene_draws(nothing(), handle(figure, pairs), 1, first, blocks, 0)


def nearest(figure: Figure, pairs: list[Pair], q: Array) -> Array:
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


def _span(figure: Figure, k: int) -> tuple[float, float]:
    """Return how near and how far the axis of a capsule is from the origin of its step."""
    c, model = figure.capsules[k], figure.model
    frame = model.frame_names.index(c.frame)
    place = np.asarray(model.frame_placement)[frame]
    a, b = (place[:9].reshape(3, 3) @ np.asarray(x) + place[9:] for x in (c.start, c.end))
    way = b - a
    t = np.clip(-(a @ way) / max(way @ way, 1e-300), 0.0, 1.0)
    return float(np.linalg.norm(a + t * way)), float(max(np.linalg.norm(a), np.linalg.norm(b)))


class _Ways:
    """The way from the axis of each capsule up to the world, worked out once."""

    def __init__(self, figure: Figure) -> None:
        self.model, capsules = figure.model, figure.capsules
        self.radius = [c.radius for c in capsules]
        names = list(self.model.frame_names)
        carriers = [int(self.model.frame_step[names.index(c.frame)]) for c in capsules]
        self.up = [_up(self.model, step) for step in carriers]
        self.span = [_span(figure, k) for k in range(len(capsules))]
        self.place = np.asarray(self.model.step_placement)[:, 9:]
        self.far = [float(np.linalg.norm(at)) for at in self.place]
        self.slide = [int(kind) == 1 for kind in self.model.step_kind]
        self._known: dict[tuple[int, int], tuple[float, float] | None] = {}

    def between(self, pair: Pair) -> tuple[float, float] | None:
        """Return the sum and the greatest of the stretches from joint to joint; None: not known.

        They are the same for all capsules of two bodies.
        """
        a, b = (self.up[k] for k in pair)
        key = (a[0] if a else -1, b[0] if b else -1)
        if key not in self._known:
            self._known[key] = self._between(a, b)
        return self._known[key]

    def _between(self, a: list[int], b: list[int]) -> tuple[float, float] | None:
        common = set(a) & set(b)
        sides = [[s for s in way if s not in common] for way in (a, b)]
        if any(self.slide[s] for side in sides for s in side) or not (sides[0] and sides[1]):
            return None
        stretches = [self.far[s] for side in sides for s in side[:-1]]
        tops = [self.place[side[-1]] for side in sides]  # both hang on the same moved frame
        stretches.append(float(np.linalg.norm(tops[0] - tops[1])))
        return sum(stretches), max(stretches)


def never_reach(ways: _Ways, pair: Pair) -> bool:
    """Return whether one stretch between two capsules is longer than all others reach back.

    The way goes from one axis to its joint, from joint to joint, and to the other axis. Each
    stretch has a least and a greatest length; slides are left to the draws.
    """
    between = ways.between(pair)
    if between is None:
        return False
    total, longest = between
    (near, far), (low, high) = (ways.span[k] for k in pair)
    most = total + far + high
    apart = max(2 * longest - most, near + far - most, low + high - most)
    return bool(apart > sum(ways.radius[k] for k in pair) + 1e-9)


def table(figure: Figure, draws: int) -> tuple[list[Pair], list[tuple[Pair, str]]]:
    """Return the pairs to compare, and those that are not with the reason.

    What may overlap by so much that it is in contact nowhere is left out, and nothing else of what
    has an allowance.
    """
    model, out = figure.model, []
    steps = [int(model.frame_step[model.frame_names.index(c.frame)]) for c in figure.capsules]
    ways = _Ways(figure)
    radius = ways.radius
    left: list[Pair] = []
    for b in range(len(steps)):
        for a in range(b):
            if steps[a] == steps[b]:
                out.append(((a, b), "on one body"))
            elif figure._allowed.get((a, b), 0.0) >= radius[a] + radius[b]:
                out.append(((a, b), WHOLLY))
            elif never_reach(ways, (a, b)):
                out.append(((a, b), "out of reach of each other: proved"))
            else:
                left.append((a, b))
    kept = [pair for pair in left if pair in figure._allowed]
    left = [pair for pair in left if pair not in figure._allowed]
    if not left:
        return sorted(kept), sorted(out)
    counts = _draws(figure, left, 0, FIRST)
    rest = nearest(figure, left, figure._rest[None]) < TOUCHING
    unseen: list[Pair] = []
    for pair, count, touch in zip(left, counts.tolist(), rest, strict=True):
        if touch:
            out.append((pair, "in contact at rest"))
        elif count > MOSTLY * FIRST * BLOCK:
            out.append((pair, f"in contact in {count} of {FIRST * BLOCK} random postures"))
        else:
            (kept if count else unseen).append(pair)
    blocks = max(-(-draws // BLOCK) - FIRST, 0)
    if unseen:
        counts = _draws(figure, unseen, FIRST * BLOCK, blocks)
        reason = f"never in contact in {(FIRST + blocks) * BLOCK} random postures: not proved"
        for pair, count in zip(unseen, counts.tolist(), strict=True):
            if count:
                kept.append(pair)
            else:
                out.append((pair, reason))
    return sorted(kept), sorted(out)
