"""Storeys: a scene as who stands on one of its floors has it: at height 0, without the others."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from typing import Any, NamedTuple

import numpy as np

from handik.errors import ArgumentError
from handik.scene.access._section import section
from handik.scene.document import Scene
from handik.scene.nodes import Node
from handik.scene.shapes import LARGEST, Plane
from handik.spec._given import finite_number, known_name, of_class

__all__ = ["FREE", "Level", "left_out", "levels_of", "lowered", "storeys"]

#: Meters: what a node without a solid may lie below its floor (assumed), as a doorway in a screed.
BELOW = 0.05
#: Meters: what of a solid must lie within a storey for it to stand there.
FREE = 1e-6


class Level(NamedTuple):
    """A floor that people are on: the path of its storey, its height, and the next one's.

    Without a storey the path is empty; without one above the ceiling is infinite.
    """

    path: str
    floor: float
    ceiling: float

    @property
    def plain(self) -> bool:
        """Whether it is the floor at z = 0 of a scene without storeys."""
        return self == PLAIN

    def has(self, z: float) -> bool:
        """Whether a place is on this storey."""
        return self.floor - BELOW <= z < self.ceiling - BELOW


PLAIN = Level("", 0.0, inf)


def storeys(scene: Scene) -> dict[str, float]:
    """Return the storeys of a scene: what is tagged ``"storey"``, and how high its floor is.

    Parameters
    ----------
    scene : Scene
        One from IFC has its storeys so.

    Returns
    -------
    dict of str to float
        Paths to heights in the world, meters, the lowest first.

    Raises
    ------
    TypeError
        When `scene` is none.

    Examples
    --------
    >>> import handik as hk
    >>> house = hk.Scene().add("upper", pose=[0, 0, 2.8], tags="storey").add("lower", tags="storey")
    >>> hk.access.storeys(house)
    {'lower': 0.0, 'upper': 2.8}
    """
    of_class("scene", scene, Scene)
    found = {path: float(scene.world(path)[2, 3]) for path in scene.find(tag="storey")}
    return dict(sorted(found.items(), key=lambda row: row[1]))


def levels_of(scene: Scene, floor: Any) -> list[Level]:
    """Return the floors that are asked: all storeys by default, one by its path, or a height."""
    known = storeys(scene)
    heights = sorted(set(known.values()))

    def level(path: str, z: float) -> Level:
        return Level(path, z, next((one for one in heights if one > z + BELOW), inf))

    if floor is None:
        return [level(*row) for row in known.items()] or [PLAIN]
    if isinstance(floor, str):
        return [level(known_name("storey", floor, known), known[floor])]
    z = finite_number("floor", floor)
    if abs(z) > LARGEST:
        raise ArgumentError(f"floor must be within {LARGEST:g} m, got {z:g}")
    return [level("", z)]


def lowered(scene: Scene, level: Level) -> Scene:
    """Return a scene whose floor is a storey's, at z = 0, with what stands on that storey alone.

    What is attached to something stays where that is, and where it was when that is left out.
    """
    if level.plain:
        return scene
    down = np.eye(4)
    down[2, 3] = -level.floor
    spans = _spans(scene)
    if any(node.extent[2] for node in scene.nodes):
        for path in scene.find():
            to = scene[path].attached
            if to is not None and not _stands(scene, scene[to.to], to.to, spans, level):
                scene = scene.detach(path)
    nodes = []
    for node in scene.nodes:
        kept = _kept(scene, node, node.name, spans, level)
        if kept is not None:
            pose = kept.place if kept.attached is not None else down @ kept.place
            nodes.append(replace(kept, pose=pose))
    return Scene(nodes, scene.name)


def left_out(scene: Scene, levels: list[tuple[Level, Scene]]) -> list[str]:
    """Return the nodes that are on none of the floors asked: below the lowest, or on others."""
    return [
        path
        for path in scene.find()
        if scene[path].content is not None
        and not any(path in own and own[path].content is not None for _, own in levels)
    ]


def _spans(scene: Scene) -> dict[str, tuple[float, float]]:
    """Return lowest and highest of the solids of each node itself."""
    out: dict[str, tuple[float, float]] = {}
    for part in section(scene, (-LARGEST, LARGEST)):
        path = part.name
        while path not in scene:
            path = path.rpartition("/")[0]
        low, high = out.get(path, (inf, -inf))
        out[path] = min(low, part.low), max(high, part.high)
    return out


def _stands(
    scene: Scene, node: Node, path: str, spans: dict[str, tuple[float, float]], level: Level
) -> bool:
    """Whether a node itself is on a storey."""
    z = float(scene.world(path)[2, 3])
    if isinstance(node.content, Plane):  # all below it is solid
        return z < level.ceiling - FREE
    if path in spans:
        low, high = spans[path]
        return high >= level.floor - FREE and low < level.ceiling - FREE
    return level.has(z)


def _kept(
    scene: Scene, node: Node, path: str, spans: dict[str, tuple[float, float]], level: Level
) -> Node | None:
    """Return a node without what is on other storeys; None: all of it is."""
    below = [_kept(scene, one, f"{path}/{one.name}", spans, level) for one in node.children]
    children = [one for one in below if one is not None]
    own = _stands(scene, node, path, spans, level)
    if not own and not children:
        return None
    content = node.content if own else None
    if content is node.content and len(children) == len(node.children):
        same = all(one is old for one, old in zip(children, node.children, strict=True))
        if same:
            return node
    return replace(node, content=content, children=children)
