"""What stands on the floor about a chair, seen from above, and how near an outline is to it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from handik.app._nearest import Piece, pieces
from handik.problem._support import hull
from handik.scene import Actor, Scene
from handik.scene.access._section import circle, section

__all__ = ["Ground", "moves_with", "node_of", "outlines_of", "without"]

Array = NDArray[np.float64]

#: Heights above the floor between which the chair itself meets things, meters; assumed: below
#: armrests.
LOW, HIGH = 0.02, 0.6


def moves_with(scene: Scene, path: str, person: str) -> bool:
    """Tell whether a node is the person, hangs below her or is attached to her."""
    while path:
        if path == person:
            return True
        follows = scene[path].attached
        path = path.rpartition("/")[0] if follows is None else follows.to
    return False


def node_of(scene: Scene, obstacle: str) -> str:
    """Return the node of an obstacle: a floor plan's have a name below it."""
    return obstacle if obstacle in scene else obstacle.rpartition("/")[0]


def without(scene: Scene, person: str) -> Scene:
    """Return the scene in which nothing that moves with a person is solid."""
    for path in scene:
        if scene[path].solid and moves_with(scene, path, person):
            scene = scene.with_look(path, solid=False)
    return scene


def _of_people(scene: Scene, person: str, inner: bool) -> Iterator[tuple[str, Array]]:
    """Yield outlines of the other figures: what of them reaches into the band, or lies in it."""
    floor = float(scene.world(person)[2, 3])
    low, high = floor + LOW, floor + HIGH
    up = np.array([0.0, 0, 1])
    for path in scene.find(kind="figure"):
        if moves_with(scene, path, person) or not isinstance(scene[path].content, Actor):
            continue
        alone = Scene().add("who", scene[path].content, scene.world(path))
        for one in pieces(alone, "who"):
            bottom, top = float(one.farthest(-up)[2]), float(one.farthest(up)[2])
            if inner and (bottom < low or top > high):
                continue  # what of it is in the band may be next to nothing
            if bottom < high and top > low:
                yield path, _seen(one, inner)


def _seen(piece: Piece, inner: bool) -> Array:
    """Return the outline of the hull of some balls."""
    rings = [
        point[:2] + circle(float(radius), inner)
        for point, radius in zip(piece.points, piece.radii, strict=True)
    ]
    return np.array(hull(np.vstack(rings)))


def outlines_of(scene: Scene, person: str, inner: bool = False) -> list[tuple[str, Array]]:
    """Return what the chair of a person can meet: nodes with convex outlines (n, 2).

    Parameters
    ----------
    scene : Scene
    person : str
        Her node: the floor is at its height, and what moves with her is left out.
    inner : bool
        Round things as polygons inside them, as a "no" of `handik.access.passes` asks, not about
        them.

    Raises
    ------
    ArgumentError
        When a plane is no floor.
    """
    floor = float(scene.world(person)[2, 3])
    parts = section(without(scene, person), (floor + LOW, floor + HIGH), inner=inner)
    found = [(node_of(scene, part.name), part.corners) for part in parts]
    found += _of_people(scene, person, inner)
    return [(name, one if len(one) > 1 else np.repeat(one, 2, axis=0)) for name, one in found]


def _from_segments(points: Array, edges: Array) -> Array:
    """Return the distance of each point from each segment (n, m)."""
    a, way = edges[:, :2], edges[:, 2:] - edges[:, :2]
    off = points[:, None] - a
    long = np.maximum((way * way).sum(axis=-1), 1e-300)
    share = np.clip((off * way).sum(axis=-1) / long, 0, 1)
    return np.asarray(np.hypot(*np.moveaxis(off - share[..., None] * way, -1, 0)))


def _side(edges: Array, points: Array) -> Array:
    """Return on which side of each edge each point is (n, m): above zero on the left."""
    way, off = edges[:, 2:] - edges[:, :2], points[:, None] - edges[:, :2]
    return np.asarray(way[:, 0] * off[..., 1] - way[:, 1] * off[..., 0])


class Ground:
    """Convex outlines on the floor, each with a name."""

    def __init__(self, found: list[tuple[str, Array]]) -> None:
        self.names = [name for name, _ in found]
        rows = [np.hstack([one, np.roll(one, -1, axis=0)]) for _, one in found]
        self.edges = np.vstack([np.empty((0, 4)), *rows])
        self.of = np.repeat(np.arange(len(rows)), [len(one) for one in rows])
        self.first = np.flatnonzero(np.diff(self.of, prepend=-1))
        self.low = np.minimum(self.edges[:, :2], self.edges[:, 2:])
        self.high = np.maximum(self.edges[:, :2], self.edges[:, 2:])

    def nearest(self, outline: Array, far: float) -> tuple[float, str]:
        """Return the distance of a convex outline to what is nearest, 0 in contact, and its name.

        An outline that lies wholly in another is far from its edges: `holding` tells.

        Parameters
        ----------
        outline : ndarray (n, 2)
            Corners, counterclockwise.
        far : float
            Meters: what is farther is not looked for, and `far` is the answer.
        """
        if len(self.of) == 0:
            return far, ""
        low, high = outline.min(axis=0) - far, outline.max(axis=0) + far
        near = np.flatnonzero(((self.low <= high) & (self.high >= low)).all(axis=1))
        if len(near) == 0:
            return far, ""
        edges, own = self.edges[near], np.hstack([outline, np.roll(outline, -1, axis=0)])
        apart = np.minimum(
            _from_segments(outline, edges).min(axis=0),
            _from_segments(edges[:, :2], own).min(axis=1),
        )
        within = (_side(own, edges[:, :2]) >= 0).all(axis=1)
        a, b = _side(edges, own[:, :2]), _side(edges, own[:, 2:])
        c, d = _side(own, edges[:, :2]).T, _side(own, edges[:, 2:]).T
        crossed = ((a * b < 0) & (c * d < 0)).any(axis=0)
        apart[within | crossed] = 0.0
        k = int(np.argmin(apart))
        if apart[k] >= far:
            return far, ""
        return float(apart[k]), self.names[self.of[near[k]]]

    def holding(self, point: Array) -> str | None:
        """Return the name of an outline that holds a point."""
        if len(self.of) == 0:
            return None
        outside = (_side(self.edges, point[None])[0] <= 0).astype(float)
        held = np.flatnonzero(np.add.reduceat(outside, self.first) == 0)
        return self.names[held[0]] if len(held) else None
