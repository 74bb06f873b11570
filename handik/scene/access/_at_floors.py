"""Measures of floors and what stands out over them: routes, turning, ramps, thresholds, seats."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._front import Front, inside, widest
from handik.scene.access._room import HEAD, Found, Room
from handik.scene.access._section import Part
from handik.scene.access._width import Walls, circle, narrowest
from handik.scene.shapes import Box

if TYPE_CHECKING:
    from handik.scene.access.rules import Rule

__all__ = ["MEASURES", "chosen"]

Array = NDArray[np.float64]
#: Meters: what begins lower is found by a cane (ADA 2010, 307.2: 27 inches); a rise that needs no
#: rails (405.8: 6 inches).
CANE, LOW_RISE = 0.6858, 0.1524
#: Meters: by how much things may stand out, and things on posts (307.2: 4 inches; 307.3: 305 mm).
STANDS_OUT, POST = 0.1016, 0.305
#: Meters: how far beside a ramp a rail may stand to be its own (assumed).
BESIDE = 0.15
#: Meters: a length off a limit by rounding alone is within it.
ROUNDING = 1e-6
#: What stands out by less than a micrometer does so by rounding.
NONE = Found("", 1e-6)
_LENGTH = re.compile(r"length <=([\d.]+) m")


def turning(room: Room, measure: str) -> list[Found] | str:
    """Return the largest circle of the room."""
    found = room.once("circle", lambda: circle(room.parts(0.0, HEAD)))
    if found is None:
        return "no walls close the room, so its free floor has no end"
    x, y = found[1].tolist()
    note = "largest circle clear of all up to 2.03 m; the largest of the scene, not of each room"
    if any(rule.condition == "T-shape" for rule in room.rules):
        note += "; a T-shaped space or room for knees may count instead"
    return [Found("room", found[0], (x, y), note)]


def routes(room: Room, measure: str) -> list[Found] | str:
    """Return the clear width of each route."""
    out = []
    for name, (start, goal) in room.routes.items():
        parts = room.parts(0.0, HEAD)
        wide, ends = room.once(("route", name), partial(narrowest, parts, start, goal))
        x, y = ends.mean(axis=0).tolist()
        note = "nothing limits it" if np.isinf(wide) else ""
        out.append(Found(name, wide, (x, y), note, spared=True))  # a stretch may be narrower
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


def _rails(room: Room, box: Box, pose: Array) -> tuple[float, float]:
    """Return the width that rails leave free on a ramp, and on how many of its sides one is."""
    level = float(np.hypot(*pose[:2, 0]))
    along, half = pose[:2, 0] / max(level, 1e-9), box.size[0] * level / 2
    rails = [p for p in room.parts(-1e3, 1e3) if room.has(p.name.split("/wall ")[0], "rail")]
    side = box.size[1] / 2
    found = inside(
        Front(pose[:2, 3], along).local(rails), (-half, half, -side - BESIDE, side + BESIDE)
    )
    sides = {bool(part.corners[:, 1].mean() > 0) for part in found}
    return widest(found, (-half, half, -side, side)), float(len(sides))


def ramps(room: Room, measure: str) -> list[Found] | str:
    """Return slope, cross slope, width, rise or rails of what is tagged path or ramp."""
    subject, what = measure.split(".")
    tags: tuple[str, ...] = ("ramp",) if subject == "ramp" else ("path",)
    if subject == "path" and not any(rule.measure == "ramp.slope" for rule in room.rules):
        tags = ("path", "ramp")  # a code without rules of ramps means them too
    out = []
    for path, box, pose in _boxes(room, *tags):
        long = box.size[0]
        rise = long * abs(float(pose[2, 0]))
        free, sides = _rails(room, box, pose)
        value = {
            "slope": _rise(pose[:3, 0]),
            "cross": _rise(pose[:3, 1]),
            "width": free,
            "rise": rise,
            "rails": float(sides > 1),  # one to either side
        }[what]
        if what == "rails" and rise <= LOW_RISE + ROUNDING:
            continue
        x, y = pose[:2, 3].tolist()
        out.append(Found(path, value, (x, y), f"{long:.2f} m long", long))
    return out or f"no box is tagged {' or '.join(tags)}"


def chosen(rules: tuple[Rule, ...], rule: Rule, found: Found) -> bool:
    """Whether a rule is the one that a slope of its length falls under: the mildest that holds."""
    if rule.measure != "path.slope":
        return True
    same = [r for r in rules if r.measure == rule.measure and r.code == rule.code]

    def holds(one: Rule) -> bool:
        limit = _LENGTH.search(one.condition)
        return limit is None or found.long <= float(limit[1]) + ROUNDING

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
            bevel = tag == "threshold" and not isinstance(room.scene[path].content, Box)
            sunk = bottom < 0 < top  # into the floor
            high = top - (0.0 if sunk else bottom) if tag == "threshold" else top
            out.append(Found(path, high, (x, y), spared=bevel))
    return out or f"nothing is tagged {tag}" + (" of a toilet" if tag != "threshold" else "")


def _overhead(room: Room) -> list[tuple[Part, float]]:
    """Return what begins above a cane's reach, with how far it stands out over what is below."""
    if "overhead" not in room.shared:
        tables = [p for t in room.tagged("table", "basin", solid=True) for p in room.part_of(t)]
        low = Walls.made([*room.parts(0.0, CANE), *tables])
        out = []
        for part in room.parts(0.0, HEAD):
            if part.low < CANE + ROUNDING or room.has(part.name.split("/wall ")[0], "table"):
                continue
            corners = part.corners
            points = np.vstack([corners, (corners + np.roll(corners, -1, 0)) / 2])
            out.append((part, max(float(low.clearance(points).max()), 0.0)))
        room.shared["overhead"] = out
    found: list[tuple[Part, float]] = room.shared["overhead"]
    return found


def protruding(room: Room, measure: str) -> list[Found] | str:
    """Return how far things above 685 mm stand out over what stands on the floor.

    What is on a post that stands by itself has a rule of its own, and so have rails.
    """
    tag = {"protruding.rail": "rail", "protruding.post": "post"}.get(measure, "")
    out: dict[str, Found] = {}
    if not room.parts(0.0, HEAD):
        return "nothing stands in the scene"
    for part, far in _overhead(room):
        name = part.name.split("/wall ")[0]
        if tag == "rail" and room.tagged("toilet"):
            continue  # bars for the hands of who sits there
        own = next((one for one in ("rail", "post") if room.has(name, one)), "")
        if own == tag and far > out.get(part.name, NONE).value:
            x, y = part.corners.mean(axis=0).tolist()
            note = "counts where people walk past"
            note += "; nothing stands on the floor" if np.isinf(far) else ""
            out[part.name] = Found(part.name, far, (x, y), note)
    if not out:
        return _NO_SUCH.get(tag) or [Found("room", 0.0, None, "nothing stands out")]
    return list(out.values())


_NO_SUCH = {"rail": "no rail stands out", "post": "nothing on what is tagged post stands out"}


def headroom(room: Room, measure: str) -> list[Found] | str:
    """Return the height below each thing that stands out over the free floor.

    It counts where it stands out by more than 100 mm, or on a post by more than 305 mm.
    """
    if not room.parts(0.0, HEAD):
        return "nothing stands in the scene"
    out: dict[str, Found] = {}
    for part, far in _overhead(room):
        name = part.name.split("/wall ")[0]
        over = far > (POST if room.has(name, "post") else STANDS_OUT) + ROUNDING
        if not over or room.has(name, "rail"):
            continue
        if part.name not in out or part.low < out[part.name].value:
            x, y = part.corners.mean(axis=0).tolist()
            out[part.name] = Found(part.name, part.low, (x, y))
    return list(out.values()) or [Found("room", HEAD, None, "2.03 m or more")]


MEASURES = {
    "turning.circle": turning,
    "route.width": routes,
    **dict.fromkeys(("path.slope", "path.cross"), ramps),
    **dict.fromkeys((f"ramp.{w}" for w in ("slope", "cross", "width", "rise", "rails")), ramps),
    **dict.fromkeys(("landing.length", "landing.width"), landings),
    **dict.fromkeys(("threshold.height", "toilet.seat", "toilet.bar"), tall),
    **dict.fromkeys(("protruding", "protruding.rail", "protruding.post"), protruding),
    "headroom": headroom,
}
