"""A drive through a door, as the core's search on a grid finds it."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.scene.access._door_witness import Asked
from handik.scene.access._hand import Hand
from handik.scene.access._passing import OPEN

__all__ = ["Found", "searched"]

Array = NDArray[np.float64]

#: Grids: meters of a cell, meters kept off walls, headings in a turn, places of the leaf, poses.
GRIDS = (
    (0.06, 0.004, 60, 10, 15_000),
    (0.04, 0.003, 88, 14, 20_000),
    (0.03, 0.002, 120, 18, 120_000),
)
#: Cells that a grid may have; meters about the door, start and goal that it covers.
CELLS, ABOUT = 3e7, 2.6

Found = tuple[str, int, Array, list[tuple[float, ...]]]


def _places(asked: Asked, count: int) -> list[tuple[float, ...]]:
    """Return how far each leaf is open at each place, from shut to open."""
    whole = float(asked.door.opening or 0)
    steps = [float(x) for x in np.linspace(0, whole, count + 1)]
    one: list[tuple[float, ...]] = [(x,) for x in steps]
    if asked.door.leaves == 1:
        return one
    return [*((x, 0.0) for x in steps), *((whole, x) for x in steps[1:])]


def _grips(
    asked: Asked, first: tuple[float, ...], last: tuple[float, ...]
) -> list[tuple[int, Array]]:
    """Return the places of a hand on the way between two places of the leaf, and which way."""
    which = int(np.argmax(np.abs(np.subtract(last, first))))
    far, out = last[which] - first[which], []
    for way, of, begin in ((1, first, 0.0), (-1, last, -far)):
        for place in asked.door._places(of, asked.lever):
            if place.way * way >= 0:
                row = [place.moved(begin + share * far) for share in (0.0, 0.5, 1.0)]
                out.append((way, np.array([[*one.at, *one.face] for one in row])))
    return out


def _leaf(asked: Asked, places: list[tuple[float, ...]]) -> tuple[Array, Array, Array, Array]:
    """Return edges, sweeps, grips and their ways, as the core takes them."""
    edge = np.array([asked.door._edges([(x, x) for x in one]) for one in places])
    pairs = list(pairwise(places))
    sweep = np.array([asked.door._edges(list(zip(a, b, strict=True))) for a, b in pairs])
    grips = [_grips(asked, a, b) for a, b in pairs]
    wide = max(1, *(len(one) for one in grips))
    at, way = np.zeros((len(pairs), wide, 3, 4)), np.zeros((len(pairs), wide))
    for k, one in enumerate(grips):
        for m, (to, row) in enumerate(one):
            way[k, m], at[k, m] = to, row
    return edge, sweep, at, way


def _area(asked: Asked, cell: float) -> Array:
    """Return low and high of where the axle may be: no farther from what matters than ABOUT."""
    room = asked.room()[0]
    points = np.vstack([asked.door.ends, asked.start[0], asked.goal[0]])
    low = np.maximum(room[:2] + OPEN / 2, points.min(0) - ABOUT)
    high = np.minimum(room[2:] - OPEN / 2, points.max(0) + ABOUT)
    middle = asked.door.ends.mean(0)  # a cell's middle lies in that of the door
    low = middle - (np.ceil((middle - low) / cell) + 0.5) * cell
    return np.concatenate([low, high])


def _inner(there: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the squares whose four neighbors are there, too: all of each is reached, then."""
    wide = np.pad(there, ((0, 0), (1, 1), (1, 1)))
    return np.asarray(
        there & wide[:, 2:, 1:-1] & wide[:, :-2, 1:-1] & wide[:, 1:-1, 2:] & wide[:, 1:-1, :-2]
    )


def _map(hand: Hand | None, sure: bool) -> tuple[Array, NDArray[np.uint8], float, float, float]:
    """Return shoulders, squares that are reached, where the first one is, and a square's side."""
    if hand is None:
        return np.zeros((0, 2)), np.zeros((0, 1, 1), np.uint8), 0.0, 0.0, 1.0
    x, y = hand.corner.tolist()
    reached = _inner(hand.map.reached) if sure else hand.map.reached
    return hand.shoulder, reached.astype(np.uint8), x, y, hand.map.step


def searched(asked: Asked, grid: tuple[float, float, int, int, int]) -> Found:
    """Look for a drive on a grid: what came out, poses looked at, rows, places of the leaf.

    Parameters
    ----------
    asked : Asked
    grid : tuple
        One of GRIDS.

    Returns
    -------
    (str, int, ndarray (n, 4), list)
        ``"found"``, ``"none"`` or ``"spent"``; rows are x, y, heading and the number of the place.
    """
    cell, margin, headings, count, most = grid
    places = _places(asked, count)
    edge, sweep, at, way = _leaf(asked, places)
    shoulder, reached, x, y, step = _map(asked.hand, cell == GRIDS[0][0])
    area = _area(asked, cell)
    size = np.prod((area[2:] - area[:2]) / cell) * headings * len(places)
    if size > CELLS:  # a large room: coarser
        cell *= float(np.sqrt(size / CELLS))
        area = _area(asked, cell)
    ends = [[*one[0], one[1], float(one[2] > 0)] for one in (asked.start, asked.goal)]
    place = np.array([area, *ends])
    parts: tuple[Any, ...] = (
        *(asked.chair.outline, asked.solid, place, edge, sweep, at, way, shoulder, reached),
    )
    options = (cell, margin, headings, most, x, y, step, asked.door.closer, asked.shut)
    outcome, looked, rows = _core._drive_find(parts, options)
    return ("found", "none", "spent")[outcome], looked, rows, places
