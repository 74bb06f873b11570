"""Measures at what hands come to: heights, reach over what is in front, floor before it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._front import Front, beside, depth, inside
from handik.scene.access._room import Found, Room
from handik.scene.access._section import Part

__all__ = ["MEASURES", "in_the_way"]

Array = NDArray[np.float64]
#: Meters: what stands out by less does not obstruct (assumed).
FLUSH = 0.025
#: Meters: the clear floor space, how high toes and knees are, how far toes are beyond knees (ADA
#: 2010, 305.3, 306: of inches and millimeters what asks for less); how far is looked.
WIDE, LONG, TOES, KNEES, BEYOND, FAR = 0.76, 1.2192, 0.2286, 0.685, 0.1524, 2.0
#: Meters: above it knees count.
ABOVE = 0.23
#: Meters: how deep floor below something counts (ADA 2010, 306.3), and up to which height what
#: hangs over a target lies in the way of who reaches below it (assumed: 308, the highest reach).
COUNTED, OVER = 0.635, 1.22
#: Reach depths that divide the rules (ADA 2010, 308.2.2, 308.3).
FORWARD, SIDE = 0.51, 0.255
NO_FLOOR = "2 m or more; no free floor of 760 by 1220 mm, centered, from which it is reached"
FORWARD_KEYS = ("forward.low", "forward.high", "forward.near", "forward.far", "forward.depth")


class Approach(NamedTuple):
    """A way to come to a place: how, along which direction, how far off, and what rules ask."""

    kind: str
    along: Array
    back: float
    values: dict[str, float]


def _directions(room: Room, path: str) -> list[Array]:
    """Return the level directions in which a hand may come to a target."""
    turn = np.asarray(room.scene.world(path)[:3, :3])
    axis = (turn @ np.array(room.target(path).axis))[:2]
    if np.hypot(*axis) > 0.5:
        return [axis / np.hypot(*axis)]
    x = turn[:2, 0] if np.hypot(*turn[:2, 0]) > 0.5 else turn[:2, 1]
    x = x / np.hypot(*x)
    return [x, -x, np.array([-x[1], x[0]]), np.array([x[1], -x[0]])]


def _back(parts: list[Part], half: float, long: float) -> float | None:
    """Return how far before u = 0 a free rectangle of floor ends; None: none within reach."""
    near = inside(parts, (-FAR - long, 0.0, -half, half))
    tried = sorted({0.0, *(max(-float(p.corners[:, 0].min()), 0.0) for p in near)})
    for back in tried:
        if back <= FAR and not inside(near, (-back - long, -back, -half, half)):
            return back
    return None


def _under(
    room: Room, path: str, along: Array, size: tuple[float, float], back: float, most: float
) -> bool:
    """Whether a target lies below what hangs out by more, and as far as what stands below it."""
    at = room.place(path)
    if at[2] >= OVER:
        return False
    parts = _but(room.front(at, along, float(at[2]), OVER), path.rpartition("/")[0])
    above = _back(parts, *size)
    return above is None or (above > most and above >= back - FLUSH)


def _forward(room: Room, path: str, along: Array) -> Approach | None:
    at, size = room.place(path), (WIDE / 2, LONG)
    height, own = float(at[2]), path.rpartition("/")[0]
    back = _back(_but(room.front(at, along, 0.0, max(height, KNEES)), own), *size)
    if back is None or _under(room, path, along, size, back, COUNTED if back <= FLUSH else FLUSH):
        return None
    if back <= FLUSH:
        return Approach("forward", along, back, {"forward.low": height, "forward.high": height})
    toes = _back(_but(room.front(at, along, 0.0, TOES), own), *size)
    knees = _back(_but(room.front(at, along, ABOVE, KNEES), own), *size)
    if toes is None or knees is None or max(toes, knees - BEYOND) > FLUSH:
        return None
    high = "forward.near" if back <= FORWARD else "forward.far"
    return Approach("forward", along, max(toes, 0.0), {"forward.depth": back, high: height})


def _but(parts: list[Part], name: str) -> list[Part]:
    return [p for p in parts if p.name != name]


def _sideways(room: Room, path: str, along: Array) -> Approach | None:
    at, size = room.place(path), (LONG / 2, WIDE)
    height = float(at[2])
    band = room.front(at, along, 0.0, max(height, KNEES))
    parts = _but(band, path.rpartition("/")[0])
    back = _back(parts, *size)
    if back is None or _under(room, path, along, size, back, SIDE):
        return None
    if back <= SIDE:
        values = {"side.low": height, "side.high": height}
        if back > FLUSH:
            values["side.near"] = height
        return Approach("side", along, back, values)
    over = inside(parts, (-back, 0.0, -LONG / 2, LONG / 2))
    top = max((p.high for p in over), default=0.0)
    values = {"side.depth": back, "side.obstruction": top, "side.far": height}
    return Approach("side", along, back, values)


def ways(room: Room, path: str) -> list[tuple[Array, Approach]]:
    """Return all approaches to a target, each with its direction."""
    found = [
        (u, make(room, path, u)) for u in _directions(room, path) for make in (_forward, _sideways)
    ]
    return [(u, way) for u, way in found if way is not None]


def in_the_way(room: Room, path: str) -> list[str]:
    """Return what stands on the floor before a target that has no approach, the nearest first."""
    at, own = room.place(path), path.rpartition("/")[0]
    near: dict[str, float] = {}
    for along in _directions(room, path):
        parts = _but(room.front(at, along, 0.0, max(float(at[2]), KNEES)), own)
        for half, long in ((WIDE / 2, LONG), (LONG / 2, WIDE)):
            for part in inside(parts, (-long, 0.0, -half, half)):
                far = -float(part.corners[:, 0].max())
                near[part.name] = min(near.get(part.name, np.inf), far)
    return sorted(near, key=lambda name: (near[name], name))


def approach(room: Room, path: str) -> Approach | None:
    """Return the approach to a target that breaks the fewest rules, the first of such."""
    key = ("approach", path)
    if key not in room.kept:
        room.kept[key] = min(
            (way for _, way in ways(room, path)),
            key=lambda way: sum(
                not rule.met(way.values[rule.measure])
                for rule in room.rules
                if rule.measure in way.values
            ),
            default=None,
        )
    found: Approach | None = room.kept[key]
    return found


def reach(room: Room, measure: str) -> list[Found] | str:
    """Return what one rule of reach asks, at each target that is approached so."""
    out = []
    for path in room.operable():
        way = approach(room, path)
        if way is None:
            if measure == "side.depth":  # the one row that says there is none
                out.append(Found(path, FAR, _flat(room, path), NO_FLOOR))
        elif measure in way.values:
            note = f"{way.kind} approach, floor {1e3 * way.back:.0f} mm off"
            out.append(Found(path, way.values[measure], _flat(room, path), note))
    return out or ("nothing is approached so" if room.operable() else "no target for a hand")


def _flat(room: Room, path: str) -> tuple[float, float]:
    x, y = room.place(path)[:2].tolist()
    return x, y


def heights(room: Room, measure: str) -> list[Found] | str:
    """Return the heights of all that hands come to."""
    out = [Found(p, float(room.place(p)[2]), _flat(room, p)) for p in room.operable()]
    return out or "no target for a hand"


def corners(room: Room, measure: str) -> list[Found] | str:
    """Return how far targets are from walls that stand out beside them."""
    out = []
    if not room.tagged("wall"):
        return "nothing is tagged wall"
    for path in room.operable():
        at = room.place(path)
        side = min(
            min(beside(_walls(room, at, u), (-0.6, -FLUSH, -FAR, FAR))) or FAR
            for u in _directions(room, path)[:1]
        )
        note = "2 m or more" if side >= FAR - 1e-5 else ""
        out.append(Found(path, side, _flat(room, path), note))
    return out or "no target for a hand"


def _walls(room: Room, at: Array, along: Array) -> list[Part]:
    walls = [p for p in room.parts(0.0, 1.3) if room.has(p.name.split("/wall ")[0], "wall")]
    return Front(at[:2], along).local(walls)


def floor(room: Room, measure: str) -> list[Found] | str:
    """Return width or length of the floor before each target, the other as the code asks."""
    wide, long = room.asked("floor.width", WIDE), room.asked("floor.length", LONG)
    out = []
    for path in room.operable():
        way = approach(room, path)
        said = "" if way is not None else "; too little for an approach"
        if way is None:
            way = Approach("forward", _directions(room, path)[0], 0.0, {})
        at = room.place(path)
        start = at[:2] - way.back * way.along
        own = path.rpartition("/")[0]
        forward = way.kind == "forward"
        high = KNEES if forward else max(float(at[2]), KNEES)
        parts = _but(room.front(start, -way.along, 0.0, high), own)
        if forward and said == "":  # toes go further below something than knees
            knees = _but(room.front(start, -way.along, ABOVE, high), own)
            beyond = inside(knees, (BEYOND, FAR + LONG, -FAR, FAR))
            parts = [*_but(room.front(start, -way.along, 0.0, TOES), own), *beyond]
        onwards = (measure == "floor.length") == forward  # measured away from the target
        other = wide if measure == "floor.length" else long
        if onwards:
            value = depth(parts, -other / 2, other / 2, 3.0)
        else:
            value = 2 * min(beside(parts, (0.0, other, -1.5, 1.5)))
        note = f"{way.kind} approach{said}" + ("; 3 m or more" if value >= 3 - 1e-5 else "")
        out.append(Found(path, value, _flat(room, path), note))
    return out or "no target for a hand"


MEASURES = {
    **dict.fromkeys(
        (
            *FORWARD_KEYS,
            *(f"side.{w}" for w in ("low", "high", "near", "far", "depth", "obstruction")),
        ),
        reach,
    ),
    "control.height": heights,
    "control.corner": corners,
    "floor.width": floor,
    "floor.length": floor,
}
