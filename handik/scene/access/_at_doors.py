"""Measures at doorways: the clear width with the leaf open, the floor to either side, handles."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._front import Front, beside, depth, gaps, inside
from handik.scene.access._room import HEAD, Found, Room, below
from handik.scene.access._section import Part

__all__ = ["MEASURES", "Doorway", "doorways", "leaf_of"]

Array = NDArray[np.float64]
#: Meters: below it nothing may stand out into a door (ADA 2010, 404.2.3); how far is looked.
LOW, FAR, THICK = 0.865, 3.0, 0.3


class Doorway(NamedTuple):
    """A doorway in its own axes: u through it, v across.

    `hinge` is 1 where the leaf hangs at the greater v, -1 at the lesser, 0 without a leaf; `swing`
    is the sign of u to which the leaf opens.
    """

    path: str
    front: Front
    door: str | None
    hinge: int
    swing: int


def doorways(room: Room) -> list[Doorway]:
    """Return the nodes tagged doorway, each with the door that hangs at one of its ends."""
    out = []
    for path in room.tagged("doorway"):
        pose = np.asarray(room.scene.world(path))
        along = pose[:2, 0] / np.hypot(*pose[:2, 0])
        front = Front(pose[:2, 3], along)
        across = np.array([-along[1], along[0]])
        found: Doorway | None = None
        for name in room.tagged("door"):
            at = np.asarray(room.scene.world(name))
            off = at[:2, 3] - front.at
            u, v = float(off @ along), float(off @ across)
            if abs(u) < THICK and 0.3 < abs(v) < 1.5 and found is None:
                leaf = float(at[:2, 0] @ along)
                found = Doorway(path, front, name, 1 if v > 0 else -1, -1 if leaf < -1e-6 else 1)
        out.append(found or Doorway(path, front, None, 0, 1))
    return out


def leaf_of(room: Room, way: Doorway, low: float, high: float, open: bool) -> list[Part]:
    """Return the door's parts in a band, in the doorway's axes, open at a right angle or shut."""
    if way.door is None:
        return []
    pose = np.asarray(room.scene.world(way.door))
    now = pose[:2, 0] / np.hypot(*pose[:2, 0])
    across = np.array([-way.front.along[1], way.front.along[0]])
    then = way.swing * way.front.along if open else -way.hinge * across
    c, s = float(now @ then), float(now[0] * then[1] - now[1] * then[0])
    turn = np.array([[c, s], [-s, c]])
    own = [p for p in room.parts(low, high) if below(p.name, way.door)]
    moved = [
        Part(p.name, (p.corners - pose[:2, 3]) @ turn + pose[:2, 3], p.low, p.high) for p in own
    ]
    return way.front.local(moved)


def _walls(room: Room, way: Doorway, low: float, high: float) -> list[Part]:
    """Return all but the doorway's own door."""
    parts = [p for p in room.parts(low, high) if way.door is None or not below(p.name, way.door)]
    return way.front.local(parts)


def _opening(parts: list[Part]) -> tuple[float, float]:
    """Return the free span of v about the doorway's middle."""
    for a, b in gaps(parts, (-THICK, THICK, -FAR, FAR)):
        if a < 0 < b:
            return a, b
    return 0.0, 0.0


def _width(room: Room, way: Doorway, low: float, high: float) -> float:
    a, b = _opening([*_walls(room, way, low, high), *leaf_of(room, way, low, high, True)])
    return b - a


def _at(way: Doorway) -> tuple[float, float]:
    x, y = way.front.at.tolist()
    return x, y


def widths(room: Room, measure: str) -> list[Found] | str:
    """Return the clear width with the leaf at a right angle, or what stands into it higher up."""
    out = []
    for way in doorways(room):
        wide = _width(room, way, 0.0, LOW)
        note = "no leaf" if way.door is None else "leaf at 90 degrees"
        if measure == "door.projection":
            wide = max(wide - _width(room, way, LOW, HEAD), 0.0)
        out.append(Found(way.path, wide, _at(way), note))
    return out or "nothing is tagged doorway"


def nominal(room: Room, measure: str) -> list[Found] | str:
    """Return the width of each leaf."""
    out = []
    for way in doorways(room):
        shut = leaf_of(room, way, 0.0, HEAD, False)
        if shut:
            leaf = max(shut, key=lambda p: float(np.ptp(p.corners[:, 1])))
            out.append(Found(way.path, float(np.ptp(leaf.corners[:, 1])), _at(way)))
    return out or "no doorway has a leaf"


def _face(walls: list[Part], opening: tuple[float, float], side: int) -> float:
    """Return where the wall beside an opening ends, on one side."""
    jambs = [p for v in opening for p in inside(walls, (-THICK, THICK, v - 0.02, v + 0.02))]
    return max((float((side * p.corners[:, 0]).max()) for p in jambs), default=0.0)


def room_before(room: Room, measure: str) -> list[Found] | str:
    """Return the free floor on the pull or push side: how deep, or how wide beyond the latch."""
    _, word, what = measure.split(".")
    asked = {name: room.asked(f"door.{word}.{name}", 0.0) for name in ("depth", "latch")}
    sides = any("side," in rule.condition for rule in room.rules)
    out = []
    for way in doorways(room):
        if way.door is None or (word == "closer" and not room.has(way.door, "closer")):
            continue
        side = way.swing if word == "pull" else -way.swing
        walls = _walls(room, way, 0.0, HEAD)
        low, high = _opening(walls)
        face = _face(walls, (low, high), side)
        start = Front(way.front.at + side * face * way.front.along, side * way.front.along)
        parts = start.local(p for p in room.parts(0.0, HEAD) if not below(p.name, way.door))
        if side < 0:
            low, high = -high, -low
        hinge = way.hinge * side
        if what == "depth":
            more = asked["latch"]
            span = (low - more, high) if hinge > 0 else (low, high + more)
            value = depth(parts, *span, FAR)
        else:
            left = (low + high) / 2
            shifted = Front(np.array([0.0, left]), np.array([1.0, 0.0])).local(parts)
            free = beside(shifted, (0.0, asked["depth"], -FAR, FAR))
            value = max((free[0] if hinge > 0 else free[1]) - (high - low) / 2, 0.0)
        note = f"{'pull' if word == 'pull' else 'push'} side, from the front"
        note += "; 3 m or more" if value >= FAR - 1e-5 else ""
        note += "; from the side other numbers hold" if sides else ""
        out.append(Found(way.path, value, _at(way), note))
    if word == "closer" and not out:
        return "no door is tagged closer"
    return out or "no doorway has a leaf"


def handles(room: Room, measure: str) -> list[Found] | str:
    """Return the heights of the targets on doors."""
    out = []
    for path in room.scene.find(kind="target"):
        if room.has(path, "door"):
            x, y, z = room.place(path).tolist()
            out.append(Found(path, z, (x, y)))
    return out or "no door has a target for a hand"


def handle_corners(room: Room, measure: str) -> list[Found] | str:
    """Return how far the handle of a shut door is from an inner corner, on the nearer side."""
    out = []
    for way in doorways(room):
        if way.door is None:
            continue
        door = way.door
        there = [p for p in room.scene.find(kind="target") if below(p, door)]
        walls = _walls(room, way, 0.0, HEAD)
        opening = _opening(walls)
        pose = np.asarray(room.scene.world(door))
        hinge = float((pose[:2, 3] - way.front.at) @ [-way.front.along[1], way.front.along[0]])
        for path in there:
            from_hinge = float((room.place(path)[:2] - pose[:2, 3]) @ pose[:2, 0])
            at = hinge - way.hinge * from_hinge
            free = []
            for side in (1, -1):
                face = _face(walls, opening, side)
                rect = (face, face + 0.4) if side > 0 else (-face - 0.4, -face)
                low, high = next(
                    ((a, b) for a, b in gaps(walls, (*rect, -FAR, FAR)) if a < at < b), (at, at)
                )
                free += [at - low, high - at]
            out.append(Found(path, min(free), _at(way), "door shut"))
    return out or "no doorway has a door with a target for a hand"


MEASURES = {
    **dict.fromkeys(("door.width", "door.projection"), widths),
    "door.nominal": nominal,
    **dict.fromkeys(
        (
            f"door.{word}.{what}"
            for word in ("pull", "push", "closer")
            for what in ("depth", "latch")
        ),
        room_before,
    ),
    "door.handle": handles,
    "door.handle.corner": handle_corners,
}
