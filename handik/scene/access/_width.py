"""The narrowest place of a way, and the largest circle of a room: exact, not sampled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from handik.scene.access._section import Part

__all__ = ["Walls", "circle", "narrowest"]

Array = NDArray[np.float64]
#: Edges of all parts, at most: every pair of them is compared.
MOST_EDGES = 800
#: Pairs of edges that the tests of one room may compare, and tests it has at least.
MOST_PAIRS, LEAST_TESTS = 6_000_000, 20
#: Meters: smaller circles are not looked for.
LEAST = 0.3
#: Meters: how near the largest circle's middle is looked for.
FINE = 2e-4
#: Cells of the grid along the longer side, steps of a climb.
CELLS, STEPS = 120, 300
#: Radians: of the golden section.
GOLDEN = 2.399963
#: Share of a length, or meters, that rounding may take.
ROUNDING = 1e-12


class TooMuch(ArgumentError):
    """There is more in the way than is compared."""


def _foot(points: Array, starts: Array, ends: Array) -> Array:
    """Return the points of segments that are nearest to points; broadcast."""
    way = ends - starts
    size = np.maximum((way * way).sum(-1), 1e-300)
    share = np.clip(((points - starts) * way).sum(-1) / size, 0, 1)
    out: Array = starts + share[..., None] * way
    return out


@dataclass(frozen=True, eq=False)
class Walls:
    """Edges of convex parts, each with the number of its part."""

    start: Array
    end: Array
    of: NDArray[np.int64]
    parts: Sequence[Part]

    @classmethod
    def made(cls, parts: Sequence[Part]) -> Walls:
        """Return the edges of parts."""
        count = [max(len(p.corners), 1) for p in parts]
        if sum(count) > MOST_EDGES:
            raise TooMuch("more than 800 edges stand in the band")
        start = np.vstack([np.empty((0, 2)), *(p.corners for p in parts)])
        end = np.vstack([np.empty((0, 2)), *(np.roll(p.corners, -1, 0) for p in parts)])
        return cls(start, end, np.repeat(np.arange(len(parts)), count), parts)

    @cached_property
    def links(self) -> Links:
        """The links from all corners, and of no length where edges cross."""
        found = _from(self, self.start, self.of)
        crossing = _crossed(self)
        if crossing is None:
            return found
        length, one, two, first, second = (
            np.concatenate(both) for both in zip(found, crossing, strict=True)
        )
        return length, one, two, first, second

    def clearance(self, points: Array) -> Array:
        """Return the distance of points (n, 2) from all parts; 0 or less inside one."""
        if not len(self.start):
            return np.full(len(points), np.inf)
        gap = points[:, None] - _foot(points[:, None], self.start, self.end)
        out = np.hypot(gap[..., 0], gap[..., 1]).min(axis=1)
        within = np.zeros(len(points), bool)
        for part in self.parts:
            if len(part.corners) > 2:
                way = np.roll(part.corners, -1, 0) - part.corners
                off = points[:, None] - part.corners
                left = way[:, 0] * off[..., 1] - way[:, 1] * off[..., 0] > 0
                within |= left.all(axis=1)
        signed: Array = np.where(within, -out, out)
        return signed


Links = tuple[Array, Array, Array, NDArray[np.int64], NDArray[np.int64]]


def _from(walls: Walls, points: Array, of: NDArray[np.int64], most: float = np.inf) -> Links:
    """Return the links from points of parts to the edges of others: lengths, ends, parts."""
    foot = _foot(points[:, None], walls.start, walls.end)
    gap = np.hypot(*np.moveaxis(foot - points[:, None], -1, 0))
    a, b = np.nonzero((of[:, None] != walls.of[None]) & (gap < most))
    return gap[a, b], points[a], foot[a, b], of[a], walls.of[b]


def _links(walls: Walls, at: Array, most: float) -> Links:
    """Return the links of edges of different parts.

    They go from corners, and from the points of edges that are nearest to a place: of edges that
    run side by side no corner need be near it.
    """
    near = _foot(at, walls.start, walls.end)
    rows = [walls.links, _from(walls, near, walls.of, most)]
    length, one, two, first, second = (np.concatenate(found) for found in zip(*rows, strict=True))
    return length, one, two, first, second


def _cross(a: Array, b: Array) -> Array:
    out: Array = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return out


def _crossed(walls: Walls) -> Links | None:
    """Return links of no length where edges of two parts cross."""
    p, q = walls.start, walls.end
    r = q - p
    down = _cross(r[:, None], r[None])
    off = p[None] - p[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        t, u = _cross(off, r[None]) / down, _cross(off, r[:, None]) / down
    hit = (np.abs(down) > 1e-15) & (t >= 0) & (t <= 1) & (u >= 0) & (u <= 1)
    hit &= walls.of[:, None] < walls.of[None]
    a, b = np.nonzero(hit)
    if not len(a):
        return None
    at = p[a] + t[a, b][:, None] * r[a]
    return np.zeros(len(a)), at, at, walls.of[a], walls.of[b]


def _crosses(one: Array, two: Array, start: Array, goal: Array) -> NDArray[np.bool_]:
    """Whether segments cross the one between two places."""
    way, off = goal - start, two - one
    side_one, side_two = _cross(way, one - start) > 0, _cross(way, two - start) > 0
    at_start, at_goal = _cross(off, start - one) > 0, _cross(off, goal - one) > 0
    out: NDArray[np.bool_] = (side_one != side_two) & (at_start != at_goal)
    return out


class _Groups:
    """Parts that are linked, with the parity of crossings on the way to the first (union-find)."""

    def __init__(self, count: int) -> None:
        self.above, self.odd = list(range(count)), [False] * count

    def find(self, k: int) -> tuple[int, bool]:
        odd = False
        while self.above[k] != k:
            odd ^= self.odd[k]
            k = self.above[k]
        return k, odd

    def link(self, a: int, b: int, odd: bool) -> bool:
        """Link two; True when that closes a ring crossed an odd number of times."""
        one, first = self.find(a)
        two, second = self.find(b)
        if one == two:
            return bool(first ^ second ^ odd)
        self.above[one], self.odd[one] = two, first ^ second ^ odd
        return False


def _ring(walls: Walls, start: Array, goal: Array, most: float) -> tuple[float, Array] | None:
    """Return the longest link of the tightest ring of parts that parts two places."""
    length, one, two, first, second = _links(walls, (start + goal) / 2, most)
    near = np.flatnonzero(length < most)
    order = near[np.argsort(length[near], kind="stable")]
    home = np.array([part.corners[0] for part in walls.parts]).reshape(-1, 2)
    crossed = _crosses(one[order], two[order], start, goal)
    crossed ^= _crosses(home[first[order]], one[order], start, goal)
    crossed ^= _crosses(two[order], home[second[order]], start, goal)
    groups = _Groups(len(walls.parts))
    for k, a, b, odd in zip(
        order.tolist(), first[order].tolist(), second[order].tolist(), crossed.tolist(), strict=True
    ):
        if groups.link(a, b, odd):
            return float(length[k]), np.array([one[k], two[k]])
    return None


def narrowest(parts: Sequence[Part], start: Array, goal: Array) -> tuple[float, Array]:
    """Return the width of the widest disc that gets from one place to another, and what stops it.

    Parameters
    ----------
    parts : sequence of Part
    start, goal : ndarray (2,)

    Returns
    -------
    float
        Meters; infinite where nothing limits it, 0 where no way leads.
    ndarray (2, 2)
        The two points between which it is held.

    Notes
    -----
    A disc is kept from the goal when parts nearer to each other than its width make a ring about
    one of the two places. Links between parts are added by length until one closes a ring
    that the segment between the places crosses an odd number of times: that link's length is the
    width. Exact for polygons.
    """
    walls = Walls.made(parts)
    best, where = np.inf, np.array([start, start])
    if not len(parts):
        return best, where
    for place in (start, goal):
        gap = float(walls.clearance(place[None])[0])
        if 2 * gap < best:
            foot = _foot(place, walls.start, walls.end)
            near = foot[int(np.argmin(np.hypot(*(foot - place).T)))]
            best, where = max(2 * gap, 0.0), np.array([near, 2 * place - near])
    ring = _ring(walls, start, goal, best)
    return (best, where) if ring is None else ring


def _climbed(walls: Walls, at: Array, step: float) -> Array:
    """Return where a circle grows to from a place by small steps."""
    gap, missed = float(walls.clearance(at[None])[0]), 0
    for k in range(STEPS):
        turn = GOLDEN * k + np.arange(16) * np.pi / 8  # each time others, for ridges are narrow
        tried = at + step * np.stack([np.cos(turn), np.sin(turn)], 1)
        found = walls.clearance(tried)
        first = int(np.argmax(found))
        if found[first] > gap + ROUNDING:
            at, gap, missed = tried[first], float(found[first]), 0
        elif missed < 2:
            missed += 1
        elif step > FINE / 8:
            step, missed = step / 2, 0
        else:
            break
    return at


def _peaks(gap: Array) -> list[tuple[float, float, int]]:
    """Return the peaks of a grid of clearances (n, m): how high, by how much over its pass, where.

    Cells come by clearance; where two peaks meet is the pass of the lower one. What meets the edge
    of the grid is outside, and so higher than all.
    """
    wide = gap.shape[1]
    flat, of = gap.ravel(), np.full(gap.size, -1)
    border = np.ones(gap.shape, bool)
    border[1:-1, 1:-1] = False
    above: list[int] = [0]
    birth: list[tuple[float, int]] = [(np.inf, -1)]
    out: list[tuple[float, float, int]] = []

    def find(k: int) -> int:
        while above[k] != k:
            above[k] = above[above[k]]
            k = above[k]
        return k

    order = np.argsort(-flat, kind="stable")
    edge, near = border.ravel().tolist(), (-wide - 1, -wide, -wide + 1, -1, 1, wide - 1, wide)
    group = of.tolist()
    for k in order[flat[order] > LEAST / 2].tolist():
        if edge[k]:
            group[k] = 0
            roots = {0}
        else:
            roots = {find(group[k + by]) for by in (*near, wide + 1) if group[k + by] >= 0}
            if not roots:
                above.append(len(above))
                birth.append((float(flat[k]), k))
                roots = {len(above) - 1}
        first = max(roots, key=lambda root: birth[root][0])
        for other in roots - {first}:
            above[other] = first
            high, cell = birth[other]
            out.append((high, high - float(flat[k]), cell))
        group[k] = first
    out += [
        (*birth[k][:1], birth[k][0], birth[k][1]) for k in range(1, len(above)) if above[k] == k
    ]
    return sorted(out, reverse=True)


def circle(parts: Sequence[Part]) -> tuple[float, Array] | None:
    """Return the width and the middle of the largest circle of a closed room; None: it is open.

    Circles of less than 0.3 m are not looked for.

    A circle counts where it cannot get out: through a door wider than itself it could. Its middle
    is a peak of the clearance: those of a grid are climbed to the end, and the first that a ring of
    parts shuts in is it.
    """
    if not parts:
        return None
    walls = Walls.made(parts)
    low, high = walls.start.min(0) - 0.5, walls.start.max(0) + 0.5
    step = max(float((high - low).max()) / CELLS, LEAST / 20)
    rows = [np.arange(a, b + step, step) for a, b in zip(low, high, strict=True)]
    grid = np.stack(np.meshgrid(*rows, indexing="ij"), -1)
    gap = np.concatenate([walls.clearance(line) for line in grid]).reshape(grid.shape[:2])
    left = max(MOST_PAIRS // len(walls.start) ** 2, LEAST_TESTS)
    best: tuple[float, Array] | None = None
    tested = np.empty((0, 2))
    found = _peaks(gap)
    # one that hardly stands out may be where a passage between two walls is cut by the grid
    for plain in (False, True):
        for size, out, cell in found:
            if (out < step) != plain:
                continue
            if size + step <= (LEAST if best is None else best[0]) / 2:
                break
            at = _climbed(walls, grid.reshape(-1, 2)[cell], step / 2)
            wide = float(walls.clearance(at[None])[0])
            if 2 * wide <= (LEAST if best is None else best[0]) or (
                len(tested) and np.hypot(*(tested - at).T).min() < step
            ):
                continue
            if left == 0 and plain:
                return best
            if left == 0:
                raise TooMuch("the room is too intricate for its largest circle to be found")
            left, tested = left - 1, np.vstack([tested, at])
            if _ring(walls, at, high + 10.0, 2 * wide) is not None:
                best = 2 * wide, at
    return best
