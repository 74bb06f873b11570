"""A wheelchair as it is shown: the parts that a person sits among, and its outline on the floor."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.app._document import Document
from handik.people.human import Human
from handik.scene import Actor, Box, Capsule, Cylinder, Prism, Scene
from handik.scene.access._seat import Part, axle_of, drawn
from handik.scene.access.chairs import ON_FOOT, Chair

__all__ = ["axle_ahead", "chair_parts", "described", "with_chair"]

Array = NDArray[np.float64]

#: Colors of a walker or crutches, and of the outline on the floor.
STEEL, FLOOR = "#55585f", "#1b5cc0"


def axle_ahead(person: Human, made: Chair) -> float:
    """Return how far the axle is before a person's place. Who is on foot turns about herself."""
    return 0.0 if made.kind in ON_FOOT else axle_of(person, made)


def chair_parts(person: Human, made: Chair | None) -> list[tuple[Part, Array]]:
    """Return the parts of a person's chair, walker or crutches, with their poses in her place."""
    if made is None:
        return []
    if made.kind in ON_FOOT:
        found = [Part("post", Box(size), _at(at), STEEL) for size, at in _posts(made)]
    else:
        found = list(drawn(person))
    lift = np.eye(4)
    lift[2, 3] = (person._at_origin or person)._lift
    return [(part, lift @ part.pose) for part in found]


def _at(place: list[float]) -> Array:
    out = np.eye(4)
    out[:3, 3] = place
    return out


def _posts(made: Chair) -> list[tuple[list[float], list[float]]]:
    """Return sizes and middles of the bars of a walker, or of a pair of crutches."""
    side, front = made.width / 2 - 0.03, made.length - made.axle - 0.03
    found: list[tuple[list[float], list[float]]] = []
    for y in (-side, side):
        if made.kind == "crutches":
            found.append(([0.03, 0.03, 0.95], [0.1, y, 0.475]))
            continue
        back = min(0.1, front - 0.1)
        found += [([0.03, 0.03, 0.88], [x, y, 0.44]) for x in (back, front)]
        found.append(([front - back, 0.03, 0.03], [(front + back) / 2, y, 0.88]))
    if made.kind == "walker":
        found.append(([0.03, 2 * side, 0.03], [front, 0.0, 0.6]))
    return found


def described(person: Human, made: Chair | None) -> dict[str, Any] | None:
    """Return what the page is told: boxes, rods from end to end, and wheels whose axes are across.

    In the place of the person; the outline and `ahead`, where its middle is, are about the axle.
    """
    if made is None:
        return None
    parts: list[dict[str, Any]] = []
    for part, pose in chair_parts(person, made):
        shape, at = part.shape, pose[:3, 3]
        told: dict[str, Any]
        if isinstance(shape, Box):
            told = {"size": list(shape.size), "at": at.tolist()}
        elif isinstance(shape, Cylinder):
            told = {"radius": shape.radius, "width": shape.length, "at": at.tolist()}
        else:
            half = shape.length / 2 * pose[:3, 2] if isinstance(shape, Capsule) else np.zeros(3)
            ends = [(at - half).tolist(), (at + half).tolist()]
            told = {"radius": getattr(shape, "radius", 0.0), "ends": ends}
        parts.append({**told, "name": part.name, "color": part.color})
    ahead = axle_ahead(person, made)
    return {"kind": made.kind, "ahead": ahead, "outline": made.outline.tolist(), "parts": parts}


def with_chair(document: Document) -> Scene:
    """Return the scene with what is not seen of figures alone: outlines, walkers and crutches.

    Of people who are seen; the chair that somebody sits in is hers, wherever she is drawn.
    """
    scene = document.scene
    for path in document.scene.find(kind="figure"):
        actor = document.scene[path].content
        assert isinstance(actor, Actor)
        made, person = actor.chair, actor.person
        hidden = any(path == one or path.startswith(one + "/") for one in document.hidden)
        if made is None or person is None or hidden:
            continue
        ahead = axle_ahead(person, made)
        chair = Scene().add("outline", Prism(made.outline, 0.004), [ahead, 0.0, 0.0])
        chair = chair.with_look("outline", color=FLOOR, opacity=0.25)
        if made.kind in ON_FOOT:
            for k, (part, pose) in enumerate(chair_parts(person, made)):
                chair = chair.add(f"part {k}", part.shape, pose, color=part.color)
        name, k = "wheelchair", 2
        while name in scene:
            name, k = f"wheelchair {k}", k + 1
        scene = scene.add(name, chair, document.scene.world(path))
    return scene
