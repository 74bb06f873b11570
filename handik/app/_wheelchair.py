"""A wheelchair as it is drawn: of its outline and sizes, no more than that."""

from __future__ import annotations

from typing import Any

import numpy as np

from handik.app._bodies import Body, body_of
from handik.app._document import Document
from handik.app._drive import axle_ahead, chair_of, position_of
from handik.scene import Box, Cylinder, Prism, Scene
from handik.scene.access.chairs import ON_FOOT, Chair

__all__ = ["parts_of", "sitting", "with_chair"]

#: Height of a seat, meters; colors of tires, seat, frame, and of the outline on the floor.
SEAT = 0.46
TIRE, CLOTH, STEEL, FLOOR = "#26282c", "#3a3d44", "#55585f", "#1b5cc0"
#: About x: an axis along z is along -y.
_ACROSS = [np.sqrt(0.5), np.sqrt(0.5), 0.0, 0.0]


def parts_of(made: Chair, ahead: float) -> list[dict[str, Any]]:
    """Return boxes and wheels, whose axes are across, about the middle of the axle.

    Parameters
    ----------
    made : Chair
    ahead : float
        From the person's origin to the axle, meters.
    """
    found: list[dict[str, Any]] = []
    half = min(made.width / 2, 0.36) - 0.04
    front, wide = made.length - made.axle, 2 * half - 0.06

    def wheel(x: float, y: float, radius: float, width: float) -> None:
        at = [x, y, radius]
        found.append({"radius": radius, "width": width, "at": at, "color": TIRE})

    def box(size: list[float], x: float, z: float, color: str) -> None:
        found.append({"size": size, "at": [x, 0.0, z], "color": color})

    if made.kind in ON_FOOT:
        _on_foot(made, found)
        return found
    if made.kind == "scooter":
        for side in (-1, 1):
            wheel(0.0, side * half, 0.13, 0.07)
        wheel(front - 0.2, 0.0, 0.13, 0.07)
        box([0.04, 0.04, 0.75], front - 0.25, 0.5, STEEL)
    else:
        for side in (-1, 1):
            wheel(0.0, side * half, 0.3 if made.kind == "manual" else 0.17, 0.03)
            wheel(min(front - 0.35, 0.45), side * half, 0.09, 0.03)
    box([0.46, wide, 0.05], 0.08 - ahead, SEAT - 0.09, CLOTH)
    box([0.04, wide, 0.42], -0.17 - ahead, SEAT + 0.15, CLOTH)
    box([0.18, 0.8 * wide, 0.02], front - 0.22, 0.03, STEEL)
    return found


def _on_foot(made: Chair, found: list[dict[str, Any]]) -> None:
    """Add a walker, or a pair of crutches."""
    side, front = made.width / 2 - 0.03, made.length - made.axle - 0.03

    def post(size: list[float], x: float, y: float, z: float) -> None:
        found.append({"size": size, "at": [x, y, z], "color": STEEL})

    for y in (-side, side):
        if made.kind == "crutches":
            post([0.03, 0.03, 0.95], 0.1, y, 0.475)
            continue
        back = min(0.1, front - 0.1)
        for x in (back, front):
            post([0.03, 0.03, 0.88], x, y, 0.44)
        post([front - back, 0.03, 0.03], (front + back) / 2, y, 0.88)
    if made.kind == "walker":
        post([0.03, 2 * side, 0.03], front, 0.0, 0.6)


def sitting(document: Document) -> Body | None:
    """Return the body of the active person, if she sits in a wheelchair, or walks with a walker."""
    if not document.settings.chair or document.figure is None:
        return None
    body = body_of(document.actor()[1])
    wanted = position_of(document.settings.chair)
    return body if body.person is not None and body.person.position == wanted else None


def with_chair(document: Document) -> Scene:
    """Return the scene, with the wheelchair of the active person in it, if she and it are seen."""
    body, scene, at = sitting(document), document.scene, str(document.figure)
    if body is None or any(at == one or at.startswith(one + "/") for one in document.hidden):
        return scene
    made = chair_of(document)
    ahead = axle_ahead(body, made)
    chair = Scene().add("outline", Prism(made.outline, 0.004)).with_look("outline", color=FLOOR)
    chair = chair.with_look("outline", opacity=0.25)
    for k, part in enumerate(parts_of(made, ahead)):
        shape = Box(part["size"]) if "size" in part else Cylinder(part["width"], part["radius"])
        where = part["at"] if "size" in part else (part["at"], _ACROSS)
        chair = chair.add(f"part {k}", shape, where, color=part["color"])
    place = np.array(scene.world(at))
    place[:3, 3] += ahead * place[:3, 0]
    name, k = "wheelchair", 2
    while name in scene:
        name, k = f"wheelchair {k}", k + 1
    return scene.add(name, chair, place)
