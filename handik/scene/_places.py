"""Where the nodes of a scene are in the world."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.scene.nodes import Content, Node
from handik.spec.transforms import inverse

__all__ = ["ORIGIN", "Place", "framed", "places"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Place:
    """Where a node is: its pose and size in the world.

    Attributes
    ----------
    pose : ndarray (4, 4)
        In the world.
    scale : float
        The product of its own scale and those above it.
    above : Place or None
        That of its parent, or of what it follows; places of its own pose are counted from it.
    """

    pose: Array
    scale: float = 1.0
    above: Place | None = None

    @property
    def parent(self) -> Place:
        """What its own pose is counted from."""
        return ORIGIN if self.above is None else self.above

    def of(self, pose: Array) -> Place:
        """Return the place of what has this pose in this one."""
        if self.scale != 1.0:
            pose = pose.copy()
            pose[:3, 3] *= self.scale
        found = self.pose @ pose
        found.flags.writeable = False
        return Place(found, self.scale, self)

    @cached_property
    def _back(self) -> Array:
        return inverse(self.pose)

    def local(self, world: Array) -> Array:
        """Return what pose of this place is the one given, of the world."""
        found = self._back @ world
        found[:3, 3] /= self.scale
        return found


def _still(values: Array) -> Array:
    values.flags.writeable = False
    return values


#: The world itself.
ORIGIN = Place(_still(np.eye(4)))


def places(nodes: dict[str, Node]) -> dict[str, Place]:
    """Return the place of each node by its path; what is followed is there and has no circle."""
    found: dict[str, Place] = {}
    for path in nodes:
        todo = [path]
        while todo:
            one = todo[-1]
            node, parent = nodes[one], one.rpartition("/")[0]
            needed = [parent] if parent else []
            if node.attached is not None:
                needed.append(node.attached.to)
            missing = [name for name in needed if name not in found]
            if missing:
                todo += missing
                continue
            todo.pop()
            found[one] = _place(node, found[parent] if parent else ORIGIN, nodes, found)
    return {path: found[path] for path in nodes}


def _place(node: Node, parent: Place, nodes: dict[str, Node], found: dict[str, Place]) -> Place:
    above = parent
    if node.attached is not None:
        to = node.attached.to
        above = framed(found[to], nodes[to], node.attached.frame, to)
    return Place(above.of(node.place).pose, parent.scale * node.scale, above)


def framed(place: Place, node: Node, frame: str | None, path: str) -> Place:
    """Return the place of a frame of a node, or its own; sizes of what follows are not changed.

    Raises
    ------
    NotFoundError
        When its figure has no such frame.
    ArgumentError
        When it is no figure.
    """
    if frame is None:
        return Place(place.pose)
    pose = node.content.frame_pose(frame) if isinstance(node.content, Content) else None
    if pose is None:
        raise ArgumentError(f"{path!r} is no figure: it has no frame {frame!r}")
    return Place(place.of(pose).pose)
