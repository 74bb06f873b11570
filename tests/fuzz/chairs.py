"""Fuzzer of passing: random rooms with a gap, against a planner on a grid and shapely.

``python tests/fuzz/chairs.py 0 300``: the rooms of seeds 0 to 299.

A "yes" must have a path from the start to the goal along which the outline touches no wall, looked at every 4 mm, and a drive of turns on
the spot and straight rolls likewise. Of a "no" a planner
of its own looks for a way over the centers of a grid (7.5 cm, 7.5 degrees) where the outline has 4 mm to spare, and the way it finds is
looked at like that too: if it is clear, the "no" is false.
"""

from __future__ import annotations

import sys
from collections import Counter, deque
from itertools import pairwise
from typing import Any

import numpy as np
import shapely

import handik as hk

Array = np.ndarray
SIDE, PLACES, TURNS = 4.0, 54, 48
SPARE, STEP, NEAR = 0.004, 0.004, 0.04


def outlines(chair: Any, at: Array, spare: float = 0.0) -> Any:
    """Return the outline at places (n, 3) of x, y, heading."""
    ring = np.asarray(chair.outline)
    if spare:
        wider = shapely.Polygon(ring).buffer(spare, join_style="mitre")
        ring = np.array(wider.exterior.coords)[:-1]
    c, s = np.cos(at[:, 2:]), np.sin(at[:, 2:])
    x, y = ring[:, 0] * c - ring[:, 1] * s, ring[:, 0] * s + ring[:, 1] * c
    return shapely.polygons(np.stack([x + at[:, :1], y + at[:, 1:2]], axis=-1))


def motion(chair: Any, path: Array) -> Array:
    """Return places so near to one another that no corner goes farther than a step between them."""
    far, out = np.linalg.norm(chair.outline, axis=1).max(), []
    for a, b in pairwise(path):
        way = np.hypot(*(b - a)[:2]) + far * abs(b[2] - a[2])
        out.append(a + np.linspace(0, 1, int(way / STEP) + 2)[:, None] * (b - a))
    return np.concatenate(out)


def room(rng: np.random.Generator) -> tuple[Any, list[Any], Array, Array]:
    """Draw a chair, walls with a gap about as wide, a start and a goal."""
    w, deep = rng.uniform(0.5, 0.8), rng.uniform(0.9, 1.3)
    sizes = (rng.uniform(0.2, 0.8) * deep, rng.uniform(0.4, 1) * w, rng.uniform(0.5, 0.95) * deep)
    chair = hk.access.Chair("manual", w, deep, *sizes)
    ring = [(0, 0), (SIDE, 0), (SIDE, SIDE), (0, SIDE)]
    walls: list[Any] = [[ring[k - 1], ring[k]] for k in range(4)]
    x, y, tilt = rng.uniform(1.4, 2.6), rng.uniform(0.3, 2.7), rng.uniform(-0.3, 0.3)
    gap = w + rng.choice([rng.uniform(-0.01, 0.01), rng.uniform(0, 0.25)])
    walls += [[(x - tilt, 0), (x, y)], [(x, y + gap), (x + tilt, SIDE)]]
    for _ in range(rng.integers(0, 5)):
        a, v = rng.uniform(0.3, 3.7, 2), rng.normal(size=2) * 0.3
        walls.append([tuple(a), tuple(a + v)])
    start = np.array([0.9, rng.uniform(1, 3), rng.uniform(0, 6.28)])
    return chair, walls, start, np.array([3.2, rng.uniform(1, 3)])


def way_on_grid(free: Array, first: tuple[int, int, int], goal: Array, grid: Array) -> Array | None:
    """Return a way over free cells, next to one another, from the first to one near the goal."""
    before: dict[Any, Any] = {first: None}
    waiting = deque([first])
    while waiting:
        i, j, k = here = waiting.popleft()
        if abs(grid[i] - goal[0]) < NEAR and abs(grid[j] - goal[1]) < NEAR:
            way = [here]
            while before[way[-1]] is not None:
                way.append(before[way[-1]])
            out = np.array([(grid[a], grid[b], 2 * np.pi * c / TURNS) for a, b, c in way[::-1]])
            out[:, 2] = np.unwrap(out[:, 2])
            return out
        for d in np.vstack([np.eye(3, dtype=int), -np.eye(3, dtype=int)]):
            there = (int(i + d[0]), int(j + d[1]), int(k + d[2]) % TURNS)
            inside = 0 <= there[0] < PLACES and 0 <= there[1] < PLACES
            if inside and free[there] and there not in before:
                before[there] = here
                waiting.append(there)
    return None


def contradicted(chair: Any, lines: Any, start: Array, goal: Array) -> str:
    """Say what a planner makes of a "no"; "clear" contradicts it."""
    grid = np.linspace(0, SIDE, PLACES)
    turn = np.arange(TURNS) * 2 * np.pi / TURNS
    cells = np.array(np.meshgrid(grid, grid, turn, indexing="ij")).reshape(3, -1).T
    free = ~shapely.intersects(outlines(chair, cells, SPARE), lines)
    free = free.reshape(PLACES, PLACES, TURNS)
    turned = round(start[2] / (2 * np.pi) * TURNS) % TURNS
    near = [int(np.argmin(np.abs(grid - x))) for x in start[:2]]
    first = (near[0], near[1], turned)
    if not free[first]:
        return "no, start off the grid"
    way = way_on_grid(free, first, goal, grid)
    if way is None:
        return "no, by the planner too"
    whole = 2 * np.pi * round((way[0, 2] - start[2]) / (2 * np.pi))
    way = np.vstack([start + [0, 0, whole], way, np.append(goal, way[-1, 2])])
    clear = not shapely.intersects(outlines(chair, motion(chair, way)), lines).any()
    return "clear" if clear else "no, the planner's way is not clear"


def driven(chair: Any, lines: Any, path: Array, drive: Array) -> str:
    """Say whether a drive is one: turns on the spot and straight rolls, clear, from end to end."""
    if not len(drive):
        return "yes, no drive found"
    way, turn = np.diff(drive[:, :2], axis=0), np.abs(np.diff(drive[:, 2]))
    aside = way[:, 1] * np.cos(drive[:-1, 2]) - way[:, 0] * np.sin(drive[:-1, 2])
    rolls = np.abs(aside).max() < 1e-9 and (np.hypot(*way.T) * turn).max() < 1e-12
    ends = drive[[0, -1]] - path[[0, -1]]
    ends[:, 2] = np.sin(ends[:, 2] / 2)
    clear = not shapely.intersects(outlines(chair, motion(chair, drive)), lines).any()
    return "yes" if rolls and clear and np.abs(ends).max() < 1e-9 else "FALSE drive"


def one(seed: int) -> str:
    """Return what is said of the room of a seed; "FALSE ..." is a failure."""
    chair, walls, start, goal = room(np.random.default_rng(seed))
    lines = shapely.MultiLineString([np.array(wall) for wall in walls])
    shapely.prepare(lines)
    found = hk.access.passes(chair, walls, start.tolist(), [goal[0], goal[1], None])
    if found.verdict == "yes":
        path = np.asarray(found.path)
        touched = shapely.intersects(outlines(chair, motion(chair, path)), lines).any()
        begins = np.abs(path[0, :2] - start[:2]).max() < 1e-9
        ends = np.abs(path[-1, :2] - goal).max() < 1e-9
        if touched or not begins or not ends:
            return "FALSE yes"
        return driven(chair, lines, path, np.asarray(found.drive))
    if found.verdict == "no":
        said = contradicted(chair, lines, start, goal)
        return "FALSE no" if said == "clear" else said
    return str(found.verdict)


if __name__ == "__main__":
    told = {seed: one(seed) for seed in range(int(sys.argv[1]), int(sys.argv[2]))}
    print(dict(Counter(told.values())))
    false = {seed: said for seed, said in told.items() if said.startswith("FALSE")}
    print(false or "nothing found")
    sys.exit(bool(false))
