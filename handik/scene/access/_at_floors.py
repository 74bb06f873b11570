"""Measures of floors and what stands out over them: routes, turning, ramps, thresholds, seats."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._room import HEAD, Found, Room
from handik.scene.access._section import Part
from handik.scene.access._width import Walls, circle, narrowest
from handik.scene.shapes import Box

if TYPE_CHECKING:
    from handik.scene.access.rules import Rule

__all__ = ["MEASURES", "chosen"]

Array = NDArray[np.float64]
#: Meters: what begins lower is found by a cane (ADA 2010, 307.2).
CANE = 0.685
_LENGTH = re.compile(r"length <=([\d.]+) m")


def turning(room: Room, measure: str) -> list[Found] | str:
    """Return the largest circle of the room."""
    found = room.once("circle", lambda: circle(room.parts(0.0, HEAD)))
    if found is None:
        return "no walls close the room, so its free floor has no end"
    x, y = found[1].tolist()
    return [Found("room", found[0], (x, y), "largest circle clear of all up to 2.03 m")]


def routes(room: Room, measure: str) -> list[Found] | str:
    """Return the clear width of each route."""
    out = []
    for name, (start, goal) in room.routes.items():
        parts = room.parts(0.0, HEAD)
        wide, ends = room.once(("route", name), partial(narrowest, parts, start, goal))
        x, y = ends.mean(axis=0).tolist()
        note = "nothing limits it" if np.isinf(wide) else ""
        out.append(Found(name, wide, (x, y), note))
    return out or "no routes were given"


def _boxes(room: Room, *tags: str) -> list[tuple[str, Box, Array]]:
    out = []
    for path in room.tagged(*tags, solid=True):
        shape = room.scene[path].content
        if isinstance(shape, Box):
            size = shape.scaled(room.scene.world_scale(path))
            out.append((path, size, np.asarray(room.scene.world(path))))
    return out


def _rise(axis: Array) -> float:
    return abs(float(axis[2])) / max(float(np.hypot(*axis[:2])), 1e-9)


def ramps(room: Room, measure: str) -> list[Found] | str:
    """Return slope, cross slope, width, rise or rails of what is tagged path or ramp."""
    subject, what = measure.split(".")
    tags: tuple[str, ...] = ("ramp",) if subject == "ramp" else ("path",)
    if subject == "path" and not any(rule.measure == "ramp.slope" for rule in room.rules):
        tags = ("path", "ramp")  # a code without rules of ramps means them too
    out = []
    for path, box, pose in _boxes(room, *tags):
        long, wide, _ = box.size
        rise = long * abs(float(pose[2, 0]))
        value = {
            "slope": _rise(pose[:3, 0]),
            "cross": _rise(pose[:3, 1]),
            "width": wide,
            "rise": rise,
            "rails": float(any(room.has(p.name, "rail") for p in room.part_of(path))),
        }[what]
        if what == "rails" and rise <= 0.15:
            continue
        x, y = pose[:2, 3].tolist()
        out.append(Found(path, value, (x, y), f"{long:.2f} m long"))
    return out or f"no box is tagged {' or '.join(tags)}"


def chosen(rules: tuple[Rule, ...], rule: Rule, found: Found) -> bool:
    """Whether a rule is the one that a slope of its length falls under: the mildest that holds."""
    if rule.measure != "path.slope":
        return True
    long = float(found.note.split()[0])
    same = [r for r in rules if r.measure == rule.measure and r.code == rule.code]

    def holds(one: Rule) -> bool:
        limit = _LENGTH.search(one.condition)
        return limit is None or long <= float(limit[1])

    return holds(rule) and rule.value == max(r.value for r in same if holds(r))


def landings(room: Room, measure: str) -> list[Found] | str:
    """Return length or width of what is tagged landing: along its x and its y."""
    axis = 0 if measure == "landing.length" else 1
    out = []
    for path, box, pose in _boxes(room, "landing"):
        x, y = pose[:2, 3].tolist()
        out.append(Found(path, box.size[axis], (x, y)))
    return out or "no box is tagged landing"


def tall(room: Room, measure: str) -> list[Found] | str:
    """Return how tall thresholds are, or at which height seats and bars of a toilet are."""
    out = []
    tag = {"threshold.height": "threshold", "toilet.seat": "seat", "toilet.bar": "rail"}[measure]
    for path in room.tagged(tag, solid=True):
        if measure == "toilet.seat" and not room.has(path, "toilet"):
            continue
        own = [p for p in room.part_of(path) if p.name == path]
        at = room.place(path)
        x, y = at[:2].tolist()
        top, bottom = max(p.high for p in own), min(p.low for p in own)
        if measure == "toilet.bar":
            if not room.tagged("toilet"):
                continue
            out.append(Found(path, float(at[2]), (x, y), "its middle"))
        else:
            out.append(Found(path, top - bottom if tag == "threshold" else top, (x, y)))
    return out or f"nothing is tagged {tag}" + (" of a toilet" if tag != "threshold" else "")


def _overhead(room: Room) -> list[tuple[Part, float]]:
    """Return what begins above a cane's reach, with how far it stands out over what is below."""
    if "overhead" not in room.shared:
        tables = [p for t in room.tagged("table", "basin", solid=True) for p in room.part_of(t)]
        low = Walls.made([*room.parts(0.0, CANE), *tables])
        out = []
        for part in room.parts(0.0, HEAD):
            if part.low < CANE or room.has(part.name.split("/wall ")[0], "table"):
                continue
            corners = part.corners
            points = np.vstack([corners, (corners + np.roll(corners, -1, 0)) / 2])
            out.append((part, max(float(low.clearance(points).max()), 0.0)))
        room.shared["overhead"] = out
    found: list[tuple[Part, float]] = room.shared["overhead"]
    return found


def protruding(room: Room, measure: str) -> list[Found] | str:
    """Return how far things above 685 mm stand out over what stands on the floor."""
    rail = measure == "protruding.rail"
    out: dict[str, Found] = {}
    for part, far in _overhead(room):
        if rail and room.tagged("toilet"):
            continue  # bars for the hands of who sits there
        if room.has(part.name, "rail") == rail and far > out.get(part.name, Found("", 0.0)).value:
            x, y = part.corners.mean(axis=0).tolist()
            note = "nothing stands on the floor" if np.isinf(far) else ""
            out[part.name] = Found(part.name, far, (x, y), note)
    if not out:
        return "no rail stands out" if rail else [Found("room", 0.0, None, "nothing stands out")]
    return list(out.values())


def headroom(room: Room, measure: str) -> list[Found] | str:
    """Return the least height below what stands out by more than 100 mm over the free floor."""
    over = [part for part, far in _overhead(room) if far > 0.1 and not room.has(part.name, "rail")]
    if not over:
        return [Found("room", HEAD, None, "2.03 m or more")]
    least = min(over, key=lambda part: part.low)
    x, y = least.corners.mean(axis=0).tolist()
    return [Found(least.name, least.low, (x, y))]


MEASURES = {
    "turning.circle": turning,
    "route.width": routes,
    **dict.fromkeys(("path.slope", "path.cross"), ramps),
    **dict.fromkeys((f"ramp.{w}" for w in ("slope", "cross", "width", "rise", "rails")), ramps),
    **dict.fromkeys(("landing.length", "landing.width"), landings),
    **dict.fromkeys(("threshold.height", "toilet.seat", "toilet.bar"), tall),
    **dict.fromkeys(("protruding", "protruding.rail"), protruding),
    "headroom": headroom,
}
