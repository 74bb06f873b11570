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
#: Meters: below it nothing may stand out into a door (ADA 2010, 404.2.3: 34 inches); how far is
#: looked.
LOW, FAR, THICK = 0.8636, 3.0, 0.3
#: Meters: how wide a frame is (assumed); deeper than that in the wall a door is in a recess
#: (ADA 2010, 404.2.4.3: 8 inches).
FRAME, RECESS = 0.15, 0.2032
#: How much more it counts that a leaf fits a doorway than that it is near (assumed).
FITS = 3.0
#: Of a leaf's direction, how much of it may lie through a doorway that it shuts.
SHUT = 1e-6
#: Meters: how far from a hinge, and off the doorway's line, frames and posts are no matter.
HINGE = 0.03
#: Meters: how far from the middle of a doorway the end of a leaf that slides is looked for.
SLID = 2.5


class Doorway(NamedTuple):
    """A doorway in its own axes: u through it, v across.

    `hinge` is 1 where the leaf hangs at the greater v, or slides to it, -1 at the lesser, 0 without
    a leaf; `swing` is the sign of u to which the leaf opens, 0 of one that slides, whose node is
    `aside` leaves off the middle when it is shut. `other` is the same doorway with the leaf at its
    other end.
    """

    path: str
    front: Front
    door: str | None
    hinge: int
    swing: int
    aside: float = 0.5
    other: Doorway | None = None


def _hung(room: Room, path: str, front: Front, name: str) -> Doorway | None:
    """Return a doorway with a door, when that hangs at one of its ends."""
    at = np.asarray(room.scene.world(name))
    across = np.array([-front.along[1], front.along[0]])
    off = at[:2, 3] - front.at
    u, v = float(off @ front.along), float(off @ across)
    if room.has(name, "sliding"):  # it may stand open: beside the opening
        leads = -float(at[:2, 0] @ across) * np.sign(v) / np.hypot(*at[:2, 0])
        if abs(u) < THICK and 0.3 < abs(v) < SLID and leads > 0.99:
            return Doorway(path, front, name, 1 if v > 0 else -1, 0)
        return None
    if not (abs(u) < THICK and 0.3 < abs(v) < 1.5):
        return None
    leaf = float(at[:2, 0] @ front.along)
    return Doorway(path, front, name, 1 if v > 0 else -1, -1 if leaf < -SHUT else 1)


def _is_shut(room: Room, way: Doorway) -> bool:
    """Whether a leaf that turns stands shut: which way it does is not seen of it."""
    pose = np.asarray(room.scene.world(way.door or ""))
    return abs(float(pose[:2, 0] @ way.front.along)) <= SHUT


def doorways(room: Room) -> list[Doorway]:
    """Return the nodes tagged doorway, each with the doors that hang at its ends."""
    fronts = {}
    for path in room.tagged("doorway"):
        pose = np.asarray(room.scene.world(path))
        fronts[path] = Front(pose[:2, 3], pose[:2, 0] / np.hypot(*pose[:2, 0]))
    hung = [
        one
        for path, front in fronts.items()
        for name in room.tagged("door")
        if (one := _hung(room, path, front, name)) is not None
    ]
    hung = [one for one in hung if _is_of(room, one, hung)]
    out = []
    for path, front in fronts.items():
        own = [one for one in hung if one.path == path]
        if not own:
            out.append(Doorway(path, front, None, 0, 1))
            continue
        first = own[0]
        other = next((one for one in own[1:] if one.hinge == -first.hinge), None)
        if other is not None and first.swing == -other.swing:  # a shut one turns as the open one
            if _is_shut(room, first):
                first = first._replace(swing=other.swing)
            elif _is_shut(room, other):
                other = other._replace(swing=first.swing)
        if other is not None and first.swing == other.swing == 0:  # they meet in the middle
            first, other = first._replace(aside=1.0), other._replace(aside=1.0)
        out.append(first._replace(other=other))
    return out


def _is_of(room: Room, way: Doorway, hung: list[Doorway]) -> bool:
    """Whether a door that hangs at an end of several doorways is that of this one.

    It is where nothing stands between hinge and middle, where its leaf fits, whole or as a half,
    and near. A leaf slid aside may be as near to the next doorway, a neighbor's as near as its own.
    """
    mine = [one for one in hung if one.door == way.door]
    if len(mine) == 1:
        return True
    far = [_off(room, one) for one in mine]
    if way.swing:
        long = length_of(room, way.door or "")
        barred = [2 * FAR * _barred(room, one) for one in mine]
        off = [FITS * min(abs(long - x), abs(long - 2 * x)) for x in far]
        far = [sum(row) for row in zip(far, off, barred, strict=True)]
    return far[mine.index(way)] <= min(far) + 1e-9


def _barred(room: Room, way: Doorway) -> bool:
    """Whether something that is no door stands between a hinge and the doorway's middle."""
    end = way.hinge * (_off(room, way) - HINGE)
    rect = (-HINGE, HINGE, min(end, 0.0), max(end, 0.0))
    walls = [p for p in room.parts(0.0, HEAD) if not room.has(p.name.split("/wall ")[0], "door")]
    return bool(inside(way.front.local(walls), rect))


def _off(room: Room, way: Doorway) -> float:
    """Return how far a door's node is from the middle of the doorway."""
    assert way.door is not None
    return float(np.hypot(*(room.place(way.door)[:2] - way.front.at)))


def length_of(room: Room, door: str) -> float:
    """Return how far a door's solid goes along its x."""
    pose = np.asarray(room.scene.world(door))
    along = pose[:2, 0] / np.hypot(*pose[:2, 0])
    far = [p.corners @ along for p in room.parts(0.0, HEAD) if below(p.name, door)]
    return float(np.ptp(np.concatenate(far))) if far else 0.0


def leaf_of(room: Room, way: Doorway, low: float, high: float, open: bool) -> list[Part]:
    """Return the door's parts in a band, in the doorway's axes, shut or open.

    Open is at a right angle; a leaf that slides is its length aside.
    """
    if way.door is None:
        return []
    pose = np.asarray(room.scene.world(way.door))
    own = [p for p in room.parts(low, high) if below(p.name, way.door)]
    if way.swing == 0:
        long = length_of(room, way.door)
        parts = way.front.local(own)
        v = float(way.front.local([Part("", pose[None, :2, 3], 0.0, 0.0)])[0].corners[0, 1])
        by = np.array([0.0, way.hinge * long * (way.aside + open) - v])
        return [Part(p.name, p.corners + by, p.low, p.high) for p in parts]
    now = pose[:2, 0] / np.hypot(*pose[:2, 0])
    across = np.array([-way.front.along[1], way.front.along[0]])
    then = way.swing * way.front.along if open else -way.hinge * across
    c, s = float(now @ then), float(now[0] * then[1] - now[1] * then[0])
    turn = np.array([[c, s], [-s, c]])
    moved = [
        Part(p.name, (p.corners - pose[:2, 3]) @ turn + pose[:2, 3], p.low, p.high) for p in own
    ]
    return way.front.local(moved)


def _own(way: Doorway, name: str) -> bool:
    """Whether a node is of a leaf of the doorway."""
    leaves = (way.door, way.other.door if way.other else None)
    return any(door is not None and below(name, door) for door in leaves)


def _walls(room: Room, way: Doorway, low: float, high: float) -> list[Part]:
    """Return all but the doorway's own door; the leaf at its other end is shut."""
    parts = way.front.local(p for p in room.parts(low, high) if not _own(way, p.name))
    return [*parts, *(leaf_of(room, way.other, low, high, False) if way.other else [])]


def _opening(room: Room, way: Doorway, parts: list[Part]) -> tuple[float, float]:
    """Return the free span of v about the doorway's middle, of two leaves that of the door's."""
    middle = 0.0
    if way.other is not None and way.door is not None:
        shut = leaf_of(room, way, -1e3, 1e3, False)
        v = np.concatenate([p.corners[:, 1] for p in shut]) if shut else np.zeros(1)
        middle = float(v.min() + v.max()) / 2
    for a, b in gaps(parts, (-THICK, THICK, -FAR, FAR)):
        if a < middle < b:
            return a, b
    return 0.0, 0.0


def _width(room: Room, way: Doorway, low: float, high: float) -> float:
    """Return the clear width with one leaf open: of two the one that gives more."""
    ways = [way]
    if way.other is not None:
        ways.append(way.other._replace(other=way._replace(other=None)))
    wide = 0.0
    for one in ways:
        parts = [*_walls(room, one, low, high), *leaf_of(room, one, low, high, True)]
        a, b = _opening(room, one, parts)
        wide = max(wide, b - a)
    return wide


def _opened(way: Doorway) -> str:
    """Return in words how the leaf stands when its width is measured."""
    if way.door is None:
        return "no leaf"
    said = "leaf at 90 degrees" if way.swing else "leaf slid open"
    return said if way.other is None else f"{said}, the other shut"


def _at(way: Doorway) -> tuple[float, float]:
    x, y = way.front.at.tolist()
    return x, y


def widths(room: Room, measure: str) -> list[Found] | str:
    """Return the clear width with the leaf at a right angle, or what stands into it higher up."""
    out = []
    for way in doorways(room):
        wide = _width(room, way, 0.0, LOW)
        note = _opened(way)
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


def _face(room: Room, walls: list[Part], opening: tuple[float, float], side: int) -> float:
    """Return where the wall beside an opening ends, on one side: farther than its frame may be.

    Only of what is tagged wall: a cupboard beside a door is none.
    """
    low, high = opening
    jambs = [p for v in opening for p in inside(walls, (-THICK, THICK, v - 0.02, v + 0.02))]
    face = max((float((side * p.corners[:, 0]).max()) for p in jambs), default=0.0)
    for span in ((low - FRAME, low + 0.02), (high - 0.02, high + FRAME)):
        own = [p for p in walls if room.has(p.name.split("/wall ")[0], "wall")]
        beside = inside(own, (-THICK, THICK, *span))
        ends = [float((side * p.corners[:, 0]).max()) for p in beside]
        face = max(face, *(end for end in ends if end <= RECESS), face)
    return face


def _before(room: Room, way: Doorway, side: int, what: str, asked: dict[str, float]) -> float:
    """Return the free floor on one side of a doorway: how deep, or how wide beyond the latch."""
    walls = _walls(room, way, 0.0, HEAD)
    low, high = _opening(room, way, walls)
    face = _face(room, walls, (low, high), side)
    start = Front(way.front.at + side * face * way.front.along, side * way.front.along)
    parts = start.local(p for p in room.parts(0.0, HEAD) if not _own(way, p.name))
    if side < 0:
        low, high = -high, -low
    hinge = way.hinge * side
    if what == "depth":
        more = asked["latch"]
        span = (low - more, high) if hinge > 0 else (low, high + more)
        return depth(parts, *span, FAR)
    left = (low + high) / 2
    shifted = Front(np.array([0.0, left]), np.array([1.0, 0.0])).local(parts)
    free = beside(shifted, (0.0, asked["depth"], -FAR, FAR))
    return max((free[0] if hinge > 0 else free[1]) - (high - low) / 2, 0.0)


def room_before(room: Room, measure: str) -> list[Found] | str:
    """Return the free floor on the pull or push side: how deep, or how wide beyond the latch."""
    _, word, what = measure.split(".")
    asked = {name: room.asked(f"door.{word}.{name}", 0.0) for name in ("depth", "latch")}
    sides = any("side," in rule.condition for rule in room.rules)
    out, ways = [], [way for way in doorways(room) if way.door is not None]
    for way in ways:
        if way.swing == 0 or (word == "closer" and not room.has(way.door or "", "closer")):
            continue
        value = _before(room, way, way.swing if word == "pull" else -way.swing, what, asked)
        note = f"{'pull' if word == 'pull' else 'push'} side, from the front"
        note += "; 3 m or more" if value >= FAR - 1e-5 else ""
        note += "; from the side other numbers hold" if sides else ""
        out.append(Found(way.path, value, _at(way), note))
    if out:
        return out
    if word == "closer":
        return "no door is tagged closer"
    if ways:
        return "the leaf slides, and the rule is for leaves that turn"
    return "no doorway has a leaf"


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
        opening = _opening(room, way, walls)
        pose = np.asarray(room.scene.world(door))
        hinge = float((pose[:2, 3] - way.front.at) @ [-way.front.along[1], way.front.along[0]])
        if way.swing == 0:
            hinge = way.hinge * length_of(room, door) * way.aside
        for path in there:
            from_hinge = float((room.place(path)[:2] - pose[:2, 3]) @ pose[:2, 0])
            at = hinge - way.hinge * from_hinge
            free = []
            for side in (1, -1):
                face = _face(room, walls, opening, side)
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
