"""How far things of a scene reach, and how far two of them are apart: sums of convex pieces."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from handik.app._bodies import body_of
from handik.app._wheelchair import chair_parts
from handik.scene import Actor, FloorPlan, Plane, Scene
from handik.scene._look import triangles
from handik.scene.check._world import convex_pieces
from handik.scene.shapes import Box, Capsule, Cylinder, Mesh, Prism, Sphere

__all__ = ["Piece", "bounds", "nearest", "nearest_of", "pieces"]

Array = NDArray[np.float64]

#: Meters by which a distance may be too great; rounds of the search for it.
FINE, ROUNDS = 1e-9, 2000


class Convex(Protocol):
    """What `nearest` asks of a convex body."""

    @property
    def points(self) -> Array:
        """Points of it (n, 3)."""

    @property
    def radii(self) -> Array:
        """Of the balls about them (n,)."""

    def farthest(self, way: Array, less: float = 0.0) -> Array:
        """Return the point that is farthest along a way, of the body shrunk by a ball."""


@dataclass(frozen=True)
class Piece:
    """A convex body: the hull of balls, each grown by a disk.

    Attributes
    ----------
    points : ndarray, shape (n, 3)
        Middles in the world.
    radii : ndarray, shape (n,)
    disk : (ndarray (3,), float) or None
        Normal and radius of a disk.
    """

    points: Array
    radii: Array
    disk: tuple[Array, float] | None = None

    def farthest(self, way: Array, less: float = 0.0) -> Array:
        """Return the point that is farthest along a way, of the piece shrunk by a ball."""
        size = float(np.linalg.norm(way))
        unit = way / size if size > 0 else np.array([1.0, 0.0, 0.0])
        k = int(np.argmax(self.points @ unit + self.radii))
        found = self.points[k] + (self.radii[k] - less) * unit
        if self.disk is not None:
            normal, radius = self.disk
            across = unit - (unit @ normal) * normal
            wide = float(np.linalg.norm(across))
            if wide > 1e-12:
                found = found + radius * across / wide
        return np.asarray(found)


def _of(content: Any, pose: Array, scale: float) -> list[Piece]:
    """Return the pieces of a content in the world."""

    def put(points: Any) -> Array:
        return np.asarray(scale * np.asarray(points, float) @ pose[:3, :3].T + pose[:3, 3])

    def hull(points: Any, radius: float = 0.0, disk: Any = None) -> Piece:
        found = put(points)
        return Piece(found, np.full(len(found), scale * radius), disk)

    if isinstance(content, Box):
        half = np.asarray(content.size) / 2
        signs = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
        return [hull(signs * half)]
    if isinstance(content, Sphere):
        return [hull([[0, 0, 0]], content.radius)]
    if isinstance(content, (Capsule, Cylinder)):
        ends = [[0, 0, -content.length / 2], [0, 0, content.length / 2]]
        if isinstance(content, Capsule):
            return [hull(ends, content.radius)]
        return [hull(ends, 0.0, (pose[:3, 2], scale * content.radius))]
    if isinstance(content, Prism):
        return [
            hull([[x, y, z] for x, y in piece for z in (0.0, content.height)])
            for piece in convex_pieces(content.polygon)
        ]
    if isinstance(content, FloorPlan):
        return [p for _, wall, own in content.solids() for p in _of(wall, pose @ own, scale)]
    if isinstance(content, Mesh):
        return [hull(np.asarray(triangles(content).vertices))]
    if isinstance(content, Actor):
        body = body_of(content)
        links = body.poses(content.posture, pose)
        out = []
        for one in body.described["capsules"]:
            ends = np.array([one["start"], one["end"]]) @ links[one["link"]][:3, :3].T
            out.append(Piece(ends + links[one["link"]][:3, 3], np.array(one["radii"])))
        for part, own in [] if body.person is None else chair_parts(body.person, body.chair):
            out += _of(part.shape, pose @ own, scale)
        return out
    return []


def pieces(scene: Scene, path: str) -> list[Piece]:
    """Return what stands at a node and below it; a mesh is taken as its hull, planes left out."""
    found = []
    for other in scene:
        if other == path or other.startswith(path + "/"):
            content = scene[other].content
            if not isinstance(content, Plane):
                found += _of(content, scene.world(other), scene.world_scale(other))
    return found


def bounds(scene: Scene, path: str) -> Array:
    """Return the least and the greatest x, y, z (2, 3) of what stands at a node and below it."""
    found = pieces(scene, path)
    if not found:
        return np.array([scene.world(path)[:3, 3]] * 2)
    ways = np.eye(3)
    low = [min(p.farthest(-way) @ way for p in found) for way in ways]
    high = [max(p.farthest(way) @ way for p in found) for way in ways]
    return np.array([low, high])


def _least(points: Array) -> tuple[Array, Array]:
    """Return the point of the hull of up to four that is nearest to zero, and all weights."""
    best, weights = np.full(3, np.inf), np.zeros(len(points))
    for size in range(1, len(points) + 1):
        for chosen in combinations(range(len(points)), size):
            some = points[list(chosen)]
            edges = (some[1:] - some[0]).T
            share = np.linalg.lstsq(edges, -some[0], rcond=None)[0] if size > 1 else np.zeros(0)
            part = np.concatenate([[1 - share.sum()], share])
            if (part < -1e-12).any():
                continue
            at = part @ some
            if at @ at < best @ best - 1e-30:
                best, weights = at, np.zeros(len(points))
                weights[list(chosen)] = part
    return best, weights


def nearest(a: Convex, b: Convex) -> tuple[float, Array, Array]:
    """Return the distance of two pieces, 0 where they meet, and the nearest point of each.

    Gilbert, Johnson and Keerthi's method (1988), each piece without its smallest ball.
    """
    less = (float(a.radii.min()), float(b.radii.min()))

    def pair(way: Array) -> tuple[Array, Array]:
        return a.farthest(way, less[0]), b.farthest(-way, less[1])

    kept = [pair(a.points[0] - b.points[0] + 1e-9)]
    for _ in range(ROUNDS):
        differences = np.array([x - y for x, y in kept])
        at, weights = _least(differences)
        kept = [one for one, w in zip(kept, weights, strict=True) if w > 0]
        weights = weights[weights > 0]
        size = float(np.linalg.norm(at))
        if size < FINE:
            break
        new = pair(-at)
        if size - (new[0] - new[1]) @ at / size < FINE or len(kept) > 3:
            break
        kept.append(new)
    one, other = (sum(w * p[k] for p, w in zip(kept, weights, strict=True)) for k in (0, 1))
    one, other = np.asarray(one), np.asarray(other)
    if size < FINE:
        return 0.0, one, one
    way = at / size
    return max(0.0, size - sum(less)), one - less[0] * way, other + less[1] * way


def nearest_of(one: list[Piece], other: list[Piece]) -> tuple[float, Array, Array]:
    """Return the least distance of two lists of pieces with its points."""
    best: tuple[float, Array, Array] | None = None
    for a in one:
        for b in other:
            found = nearest(a, b)
            if best is None or found[0] < best[0]:
                best = found
    assert best is not None
    return best
