"""Measures under tables, counters and basins: room for knees and toes, heights."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._front import deepest, highest, widest
from handik.scene.access._room import Found, Room
from handik.scene.access._section import Part

__all__ = ["MEASURES"]

Array = NDArray[np.float64]
#: Meters: heights and depths of ADA 2010, 306 (of inches and millimeters what asks for less): how
#: high toes are, above what knees count, how high they are; a thin section.
TOES, ABOVE, KNEES, THIN = 0.2286, 0.23, 0.685, 1e-3
WIDE, TOE_DEPTH, LOW_DEPTH, HIGH_DEPTH, COUNTED = 0.76, 0.43, 0.28, 0.205, 0.635
#: Meters: floor that must be free before a side that one comes to; what is looked at most.
BEFORE, FAR = 0.6, 3.0

Side = tuple[Callable[[float, float], list[Part]], tuple[float, float]]


def _sides(room: Room, path: str, width: float) -> list[Side]:
    """Return the sides of a table with free floor before them: what stands in a band, and v."""
    parts = room.part_of(path)
    own = [p for p in parts if p.name == path]
    if not own:
        return []
    corners = max(own, key=lambda p: p.high).corners
    out: list[Side] = []
    for k in range(len(corners)):
        a, b = corners[k], corners[(k + 1) % len(corners)]
        long = float(np.hypot(*(b - a)))
        if long < 0.3:
            continue
        along = np.array([-(b - a)[1], (b - a)[0]]) / long  # inwards: the corners go round left
        middle, half = (a + b) / 2, long / 2

        def band(low: float, high: float, at: Array = middle, u: Array = along) -> list[Part]:
            return room.front(at, u, low, high)

        before = (-BEFORE, 0.0, -half, half)
        if widest(band(0.0, KNEES), before) >= min(width, 2 * half) - 1e-5:
            side = max(half, width - half)  # what is narrower has room beside it, if it is free
            out.append((band, (-side, side)))
    return out


def _best(
    room: Room, width: float, value: Callable[[Side], float], least: bool = False
) -> list[Found] | str:
    """Return the value at the best side of each table."""
    out = []
    for path in room.tagged("table", "basin", solid=True):
        found = [value(side) for side in _sides(room, path, width)]
        x, y = room.place(path)[:2].tolist()
        if found:
            out.append(Found(path, min(found) if least else max(found), (x, y)))
        elif not least:
            out.append(Found(path, 0.0, (x, y), "no side of it has free floor before it"))
    return out or "nothing is tagged table or basin"


def knees(room: Room, measure: str) -> list[Found] | str:
    """Return depth or width of the room for knees and toes (ADA 2010, 306)."""
    wide = room.asked("knee.width", WIDE)

    def value(side: Side) -> float:
        band, span = side
        if measure == "toe.depth":
            return deepest(band(0.0, TOES), wide, span, COUNTED)
        if measure == "toe.width":
            return widest(band(0.0, TOES), (0.0, room.asked("toe.depth", TOE_DEPTH), *span))
        if measure == "knee.low":
            return deepest(band(ABOVE, ABOVE + THIN), wide, span, COUNTED)
        if measure == "knee.high":
            return deepest(band(KNEES - THIN, KNEES), wide, span, COUNTED)
        return widest(band(ABOVE, KNEES), (0.0, room.asked("knee.high", HIGH_DEPTH), *span))

    return _best(room, wide, value)


def slope(room: Room, measure: str) -> list[Found] | str:
    """Return by how much the depth asked for shrinks with height: meters per 150 mm."""
    wide, deep = room.asked("knee.width", WIDE), room.asked("knee.low", LOW_DEPTH)

    def value(side: Side) -> float:
        band, span = side
        levels = sorted(
            {p.low for p in band(ABOVE, KNEES) if ABOVE < p.low < KNEES} | {KNEES - THIN}
        )
        depths = [deepest(band(z, z + THIN), wide, span, deep) for z in levels]
        shrunk = [
            (deep - found) / ((z - ABOVE + THIN) / 0.15)
            for z, found in zip(levels, depths, strict=True)
        ]
        return max(shrunk, default=0.0)

    return _best(room, wide, value, least=True)


def tops(room: Room, measure: str) -> list[Found] | str:
    """Return the height of the top of each table."""
    out = []
    for path in room.tagged("table", solid=True):
        x, y = room.place(path)[:2].tolist()
        high = max(p.high for p in room.part_of(path) if p.name == path)
        out.append(Found(path, high, (x, y)))
    return out or "nothing is tagged table"


def voids(room: Room, measure: str) -> list[Found] | str:
    """Return height, depth or width of the void under a table, the two others as asked."""
    high, deep, wide = (
        room.asked(f"counter.knee.{name}", value)
        for name, value in (("height", 0.7), ("depth", 0.3), ("width", 0.6))
    )

    def value(side: Side) -> float:
        band, span = side
        if measure == "counter.knee.height":
            return highest(band(0.0, 2.0), wide, deep, span, 2.0)
        if measure == "counter.knee.depth":
            return deepest(band(0.0, high), wide, span, FAR)
        return widest(band(0.0, high), (0.0, deep, *span))

    return _best(room, wide, value)


MEASURES = {
    **dict.fromkeys(("toe.depth", "toe.width", "knee.low", "knee.high", "knee.width"), knees),
    "knee.slope": slope,
    "counter.height": tops,
    **dict.fromkeys((f"counter.knee.{name}" for name in ("height", "depth", "width")), voids),
}
