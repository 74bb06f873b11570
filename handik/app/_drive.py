"""A drive with a wheelchair: its steering, what holds it up, and what is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from handik._model import Model
from handik.app._bodies import Body, body_of
from handik.app._document import Document, Drive
from handik.app._nearest import Piece, nearest, pieces
from handik.errors import ArgumentError
from handik.problem.terms import Capsule
from handik.scene import Actor, Scene
from handik.scene.access.chairs import Chair, chair
from handik.scene.check import Figure
from handik.scene.check._enclose import capsules_of_human
from handik.scene.shapes import Plane, Shape
from handik.spec import JointSpec, LinkSpec, ModelSpec

__all__ = ["Ride", "axle_ahead", "chair_of", "outlines_of"]

Array = NDArray[np.float64]

#: Meters a second and radians a second at full deflection: an indoor pace, assumed.
FAST, ROUND = 1.0, 1.5
#: Of a scooter: the greatest steering angle, and its wheelbase as a share of its length; assumed.
STEER, WHEELBASE = np.radians(45), 0.7
#: Heights between which the chair itself meets things, meters; assumed: below armrests.
LOW, HIGH = 0.02, 0.6
#: Meters of a step between two looks; seconds of one event at most.
FINE, LONGEST = 0.01, 0.1
_CORNERS = 16


def chair_of(document: Document) -> Chair:
    """Return the chair of the active person.

    Raises
    ------
    ArgumentError
        When there is none.
    """
    set_to = document.settings
    if not set_to.chair:
        raise ArgumentError("the active person has no wheelchair: give one first")
    return chair(set_to.chair, percentile=set_to.chair_percentile)


def axle_ahead(body: Body, made: Chair) -> float:
    """Return how far the axle is before a person's origin: her toes are at the front end."""
    points = pieces(Scene().add("who", Actor(human=dict(body.given))), "who")
    toes = max(float(piece.farthest(np.array([1.0, 0, 0]))[0]) for piece in points)
    return toes - (made.length - made.axle)


class Flat:
    """A convex piece seen from above."""

    def __init__(self, piece: Piece) -> None:
        self.piece, self.radii = piece, piece.radii
        self.points = piece.points * [1, 1, 0]
        ways = np.eye(3)[:2]
        self.low = np.array([piece.farthest(-way) @ way for way in ways])
        self.high = np.array([piece.farthest(way) @ way for way in ways])

    def farthest(self, way: Array, less: float = 0.0) -> Array:
        """Return the point that is farthest along a way of the floor."""
        flat = np.array([way[0], way[1], 0.0])
        if not flat.any():
            flat[0] = 1.0
        found = self.piece.farthest(flat, less)
        found[2] = 0.0
        return found


def _in_the_way(scene: Scene, person: str) -> Iterator[tuple[str, Piece]]:
    """Yield pieces of obstacles that a chair can meet: not the floor, not what is overhead."""
    up = np.array([0.0, 0, 1])
    for path in scene:
        node = scene[path]
        own = path == person or path.startswith(person + "/")
        if own or not node.solid or isinstance(node.content, Plane):
            continue
        if not isinstance(node.content, (Shape, Actor)) and node.kind != "floorplan":
            continue
        alone = Scene().add("thing", node.content, scene.world(path), scale=scene.world_scale(path))
        for piece in pieces(alone, "thing"):
            if piece.farthest(-up)[2] < HIGH and piece.farthest(up)[2] > LOW:
                yield path, piece


def outlines_of(scene: Scene, person: str) -> list[Array]:
    """Return what a chair can meet as outlines (n, 2), for `handik.access.passes`.

    Each holds the piece seen from above: round ones by polygons about them.
    """
    turns = 2 * np.pi * (np.arange(_CORNERS) + 0.5) / _CORNERS
    found = []
    for _, piece in _in_the_way(scene, person):
        ways = np.stack([np.cos(turns), np.sin(turns), np.zeros(_CORNERS)], axis=1)
        round_ = piece.disk is not None or (piece.radii > 0).any()
        if round_:  # tangents of the piece meet in the corners
            reach = np.array([piece.farthest(way) @ way for way in ways])
            corners = [
                np.linalg.solve([ways[k - 1, :2], ways[k, :2]], [reach[k - 1], reach[k]])
                for k in range(_CORNERS)
            ]
            found.append(np.array(corners))
        else:
            found.append(_hull(piece.points[:, :2]))
    return found


def _hull(points: Array) -> Array:
    """Return the corners of the convex hull, counterclockwise: Andrew's chains."""
    rows = np.unique(points.round(12), axis=0)
    chains = []
    for some in (rows, rows[::-1]):
        chain: list[Array] = []
        for p in some:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-1] - chain[-2], p - chain[-2]
                if ax * by - ay * bx > 1e-15:
                    break
                chain.pop()
            chain.append(p)
        chains += chain[:-1]
    return np.array(chains)


@dataclass
class Contact:
    """What stopped a step: the thing, and the part of the person, or None for the chair."""

    other: str
    part: str | None = None

    def said(self) -> str:
        """Return it in words."""
        return self.other if self.part is None else f"{self.other} ({self.part})"


class Ride:
    """A person in a chair on the floor of a scene.

    Parameters
    ----------
    document : Document
        Whose active person drives, from where she is.

    Raises
    ------
    ArgumentError
        When the active figure is no person or has no chair, or does not stand upright.
    """

    def __init__(self, document: Document) -> None:
        self.at, actor = document.actor()
        body = body_of(actor)
        if body.person is None:
            raise ArgumentError("the active figure is no person")
        self.chair, self.scene = chair_of(document), document.scene
        world = document.scene.world(self.at)
        if world[2, 2] < 1 - 1e-6:
            raise ArgumentError("a person who drives stands upright")
        self.height = float(world[2, 3])
        self.ahead = axle_ahead(body, self.chair)
        heading = float(np.arctan2(world[1, 0], world[0, 0]))
        place = world[:2, 3] + self.ahead * np.array([np.cos(heading), np.sin(heading)])
        self.pose = np.array([*place, heading])
        self.things = [(path, Flat(piece)) for path, piece in _in_the_way(self.scene, self.at)]
        self._person(body, actor.posture)
        self.time, self.held = 0.0, False
        self.times, self.poses, self.bumps = [0.0], [self.pose.copy()], list[tuple[float, str]]()
        self.least = self.gap(self.pose)

    def _person(self, body: Body, q: Array) -> None:
        """Make the capsules of the person on a body that moves over the floor."""
        assert body.person is not None
        joints = [
            JointSpec("x", "prismatic", "floor", "along", axis=(1.0, 0.0, 0.0)),
            JointSpec("y", "prismatic", "along", "across", axis=(0.0, 1.0, 0.0)),
            JointSpec("heading", "revolute", "across", "seat", axis=(0.0, 0.0, 1.0)),
        ]
        links = [LinkSpec(name) for name in ("floor", "along", "across", "seat")]
        cart = Model(ModelSpec("chair", links, joints))
        capsules, names = capsules_of_human(body.person)
        fixed = []
        for one in capsules:
            pose = np.asarray(body.model.fk(q, frame=one.frame))
            ends = np.array([one.start, one.end]) @ pose[:3, :3].T + pose[:3, 3]
            ends += [-self.ahead, 0.0, self.height]
            start, end = (tuple(map(float, point)) for point in ends)
            fixed.append(Capsule("seat", start, end, one.radius))
        self.figure = Figure(cart, fixed, pairs=[], names=names)

    @cached_property
    def _obstacles(self) -> Scene:
        """The scene without floors: feet are always at one."""
        scene = self.scene
        for path in scene.find(kind="plane"):
            scene = scene.with_look(path, solid=False)
        return scene

    def outline(self, pose: Array) -> Piece:
        """Return the chair's outline at a pose, on the floor."""
        c, s = np.cos(pose[2]), np.sin(pose[2])
        corners = self.chair.outline @ np.array([[c, s], [-s, c]]) + pose[:2]
        return Piece(np.column_stack([corners, np.zeros(len(corners))]), np.zeros(len(corners)))

    def gap(self, pose: Array, far: float = np.inf) -> float:
        """Return the least distance of the outline to what it may not touch, `far` at most."""
        own = self.outline(pose)
        low, high = own.points.min(axis=0)[:2], own.points.max(axis=0)[:2]
        least = far
        for _, thing in self.things:
            if (thing.low > high + least).any() or (thing.high < low - least).any():
                continue
            least = min(least, nearest(own, thing)[0])
        return float(least)

    def contact(self, pose: Array) -> Contact | None:
        """Return what the chair or its user touches at a pose, if anything."""
        own = self.outline(pose)
        low, high = own.points.min(axis=0)[:2], own.points.max(axis=0)[:2]
        for path, thing in self.things:
            apart = (thing.low > high).any() or (thing.high < low).any()
            if not apart and nearest(own, thing)[0] <= 0:
                return Contact(path)
        scene = self._obstacles
        if scene.free(self.figure, pose):
            return None
        near = scene.distance(self.figure, pose, 0.0, details=True)
        return Contact(str(near.other), str(near.part))

    def _moved(self, pose: Array, forward: float, turn: float, time: float) -> Array:
        """Return the pose after a time of steering: along an arc about the axle's line."""
        speed, rate = FAST * forward, ROUND * turn
        if self.chair.kind == "scooter":  # steers by its front wheel, and does not turn in place
            rate = speed * np.tan(STEER * turn) / (WHEELBASE * self.chair.length)
        x, y, heading = pose
        angle = rate * time
        if abs(angle) < 1e-9:
            way = speed * time * np.array([np.cos(heading), np.sin(heading)])
        else:
            radius = speed / rate
            way = radius * np.array(
                [
                    np.sin(heading + angle) - np.sin(heading),
                    np.cos(heading) - np.cos(heading + angle),
                ]
            )
        return np.array([x + way[0], y + way[1], heading + angle])

    def drive(self, forward: float, turn: float, seconds: float) -> Contact | None:
        """Steer for a time; return what held the chair up, if something did.

        Parameters
        ----------
        forward, turn : float
            From -1 to 1: back to ahead, right to left.
        seconds : float
        """
        forward, turn = (float(np.clip(value, -1, 1)) for value in (forward, turn))
        seconds = float(np.clip(seconds, 0, LONGEST))
        far = FAST * abs(forward) * seconds + self.chair.length * ROUND * abs(turn) * seconds
        steps = max(1, int(np.ceil(far / FINE)))
        met = None
        for _ in range(steps):
            stopped = self.contact(new := self._moved(self.pose, forward, turn, seconds / steps))
            if stopped is not None:
                met = stopped
                break
            self.pose = new
        self.time += seconds
        if met is not None and not self.held:
            self.bumps.append((self.time, met.said()))
        self.held = met is not None
        self.least = min(self.least, self.gap(self.pose, self.least))
        if not np.array_equal(self.pose, self.poses[-1]) or self.held:
            self.times.append(self.time)
            self.poses.append(self.pose.copy())
        return met

    @property
    def place(self) -> Array:
        """The pose (4, 4) of the person in the world."""
        x, y, heading = self.pose
        c, s = np.cos(heading), np.sin(heading)
        found = np.eye(4)
        found[:2, :2] = [[c, -s], [s, c]]
        found[:3, 3] = [x - self.ahead * c, y - self.ahead * s, self.height]
        return found

    def document(self, document: Document) -> Document:
        """Return a document with the person where she is."""
        return document.edited(document.scene.with_pose(self.at, self.place, world=True))

    def record(self) -> Drive:
        """Return what was driven."""
        times, poses = np.array(self.times), np.array(self.poses)
        return Drive(self.at, times, poses, tuple(self.bumps), float(self.least))
