"""A drive with a wheelchair: its steering, what holds it up, and what is recorded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik._model import Model
from handik.app._bodies import Body, body_of
from handik.app._document import CHAIR, Document, Drive
from handik.app._ground import Ground, moves_with, node_of, outlines_of, without
from handik.app._wheelchair import axle_ahead
from handik.errors import ArgumentError, UnsupportedError
from handik.problem.terms import Capsule
from handik.scene import Scene
from handik.scene.access.chairs import ON_FOOT, Chair, chair
from handik.scene.check import Figure
from handik.scene.check._cover import capsules_of_shape
from handik.scene.check._enclose import capsules_of_human
from handik.spec import JointSpec, LinkSpec, ModelSpec

__all__ = ["Ride", "chair_of", "fits", "of_size", "position_of", "said_of"]

Array = NDArray[np.float64]

#: Meters a second and radians a second at full deflection: an indoor pace, assumed.
FAST, ROUND = 1.0, 1.5
#: Of a scooter: the greatest steering angle, and its wheelbase as a share of its length; assumed.
STEER, WHEELBASE = np.radians(45), 0.7
#: Meters of a step, at whose end the chair is held up; meters between two looks at most where
#: something is nearer than that, and where nothing was as near before; seconds of one event at
#: most.
STEP, FINE, CLOSER, LONGEST = 0.01, 0.001, 0.004, 0.1


def chair_of(document: Document) -> Chair:
    """Return the chair of the active person.

    Raises
    ------
    ArgumentError
        When there is none.
    """
    found = document.actor()[1].chair
    if found is None:
        raise ArgumentError("the active person has no wheelchair: give one first")
    return found


def said_of(
    kind: str, percentile: float, width: float | None, length: float | None, **seat: Any
) -> dict[str, Any]:
    """Return what an actor keeps of a chair, and of the seat in it: see `handik.scene.Actor`.

    Raises
    ------
    ArgumentError
        When a size is out of bounds, or missing.
    """
    of_size(kind, percentile, width, length)
    drawn = None if kind in ON_FOOT or percentile == CHAIR["chair_percentile"] else percentile
    said = {"chair": kind, "chair_percentile": drawn, "chair_width": width, "chair_length": length}
    return {name: value for name, value in {**said, **seat}.items() if value is not None}


def fits(kind: str, human: Mapping[str, Any]) -> bool:
    """Tell whether somebody is as one is with such a chair: sits, or stands with a walker."""
    return bool(human.get("position", "seated") == position_of(kind))


def position_of(kind: str) -> str:
    """Return how somebody is who has a chair of a kind, or walks with a walker or crutches."""
    return "standing" if kind in ON_FOOT else "seated"


def of_size(kind: str, percentile: float, width: float | None, length: float | None) -> Chair:
    """Return a chair of measured size, but for what is given; of people on foot both must be.

    Raises
    ------
    ArgumentError
        When a size is out of bounds, or missing.
    """
    if kind in ON_FOOT:
        return chair(kind, width=width, length=length)
    return chair(kind, percentile=percentile, width=width, length=length)


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
        self.ahead = axle_ahead(body.person, self.chair)
        heading = float(np.arctan2(world[1, 0], world[0, 0]))
        place = world[:2, 3] + self.ahead * np.array([np.cos(heading), np.sin(heading)])
        self.pose = np.array([*place, heading])
        self.ground = Ground(outlines_of(self.scene, self.at))
        self._person(body, actor.posture)
        self._solid = self._rest()
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
        home = body.person._at_origin or body.person
        capsules, names = capsules_of_human(home)
        fixed: list[Capsule] = []
        called: list[str] = []

        def add(ends: Array, radius: float) -> None:
            start, end = (tuple(map(float, point)) for point in ends)
            fixed.append(Capsule("seat", start, end, radius))

        for one, name in zip(capsules, names, strict=True):
            if name.startswith("wheel"):
                continue  # the outline stands for them: what is flat on the floor is rolled over
            pose = np.asarray(body.model.fk(q, frame=one.frame))
            ends = np.array([one.start, one.end]) @ pose[:3, :3].T + pose[:3, 3]
            ends += [-self.ahead, 0.0, self.height]
            add(ends, one.radius)
            called.append(name)
        x, y, heading = self.pose
        c, s = np.cos(heading), np.sin(heading)
        back = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]])  # from the world to the axle
        for thing in self.scene.obstacles():
            if not moves_with(self.scene, node_of(self.scene, thing.name), self.at):
                continue
            try:
                held = capsules_of_shape(thing.shape)
            except UnsupportedError as error:
                raise UnsupportedError(f"{thing.name!r} moves with the chair: {error}") from None
            for start, end, radius in held:
                ends = np.array([start, end]) @ thing.pose[:3, :3].T + thing.pose[:3, 3]
                add((ends - [x, y, 0]) @ back.T, radius)
                called.append(thing.name)
        self.figure = Figure(cart, fixed, pairs=[], names=called)
        places = np.array([[one.start, one.end] for one in fixed])
        radii = np.array([one.radius for one in fixed])
        corners = np.hypot(*self.chair.outline.T).max()
        reach = np.hypot(places[..., 0], places[..., 1]).max(axis=1) + radii
        self.reach = float(max(corners, reach.max()))

    def _rest(self) -> Scene:
        """Return the scene without what moves with her, and without the floors her feet are at."""
        scene = without(self.scene, self.at)
        for path in scene.find(kind="plane"):
            if scene.world(path)[2, 3] <= self.height + 1e-9:
                scene = scene.with_look(path, solid=False)
        return scene

    def outline(self, pose: Array) -> Array:
        """Return the corners of the chair (n, 2) at a pose."""
        c, s = np.cos(pose[2]), np.sin(pose[2])
        return np.asarray(self.chair.outline @ np.array([[c, s], [-s, c]]) + pose[:2])

    def gap(self, pose: Array, far: float = np.inf) -> float:
        """Return the least distance of the outline to what it may not touch, `far` at most."""
        return self.ground.nearest(self.outline(pose), far)[0]

    def touched(self, pose: Array) -> Contact | None:
        """Return what the user, or what moves with the chair, touches at a pose, if anything."""
        scene = self._solid
        if scene.free(self.figure, pose):
            return None
        near = scene.distance(self.figure, pose, 0.0, details=True)
        return Contact(str(near.other), str(near.part))

    def contact(self, pose: Array) -> Contact | None:
        """Return what the chair or its user touches at a pose, if anything."""
        outline = self.outline(pose)
        gap, name = self.ground.nearest(outline, FINE)
        held = name if gap <= 0 else self.ground.holding(outline[0])
        return self.touched(pose) if held is None else Contact(held)

    def user_is_free(self, path: Array) -> bool:
        """Tell whether the user touches nothing on a way (n, 3), between whose rows all is even."""
        rows = [path[:1]]
        for a, b in pairwise(path):
            far = float(np.hypot(*(b - a)[:2]) + abs(b[2] - a[2]) * self.reach)
            share = np.linspace(0, 1, 1 + max(1, int(np.ceil(far / STEP))))[1:, None]
            rows.append(a + share * (b - a))
        return bool(np.all(self._solid.free(self.figure, np.vstack(rows))))

    def set_out(self) -> Ride:
        """Return itself.

        Raises
        ------
        ArgumentError
            When chair or user touch something where they are.
        """
        met = self.contact(self.pose)
        if met is not None:
            raise ArgumentError(
                f"the chair or its user touches {met.said()} where the drive begins: move it clear"
            )
        return self

    def _looked(self, pose: Array, far: float, near: float) -> tuple[float, float, Contact | None]:
        """Return how far the chair is from things, and its user, `far` and `near` at most."""
        gap, name = self.ground.nearest(self.outline(pose), far)
        if gap <= 0:
            return gap, 0.0, Contact(name)
        user = float(self._solid.distance(self.figure, pose, near))
        return gap, user, self.touched(pose) if user <= 0 else None

    def _step(self, forward: float, turn: float, time: float) -> Contact | None:
        """Go on for a time, unless something is in the way; looked at as finely as it is near."""
        span, least = self._span(forward, turn, time), self.least
        near = max(span, FINE)  # one who stands still looks, too
        far = near + (least if np.isfinite(least) else 0.0)  # infinite: nothing stands there

        def looked(share: float) -> tuple[float, float, Contact | None]:
            return self._looked(self._moved(self.pose, forward, turn, share * time), far, near)

        left = [(0.0, 1.0, looked(0.0), looked(1.0))]
        while left:
            a, b, one, other = left.pop()
            met = one[2] or other[2]
            if met is not None:
                return met
            long = (b - a) * span
            gap, user = (one[0] + other[0] - long) / 2, (one[1] + other[1] - long) / 2
            if (long > FINE and min(gap, user) <= 0) or (long > CLOSER and gap < least):
                mid = looked((a + b) / 2)
                left += [((a + b) / 2, b, mid, other), (a, (a + b) / 2, one, mid)]
            elif np.isfinite(least):
                least = min(least, max(gap, 0.0))
        self.pose, self.least = self._moved(self.pose, forward, turn, time), least
        return None

    def _rates(self, forward: float, turn: float) -> tuple[float, float]:
        """Return speed and rate of turning."""
        speed, rate = FAST * forward, ROUND * turn
        if self.chair.kind == "scooter":  # steers by its front wheel, and does not turn in place
            rate = speed * np.tan(STEER * turn) / (WHEELBASE * self.chair.length)
        return speed, float(rate)

    def _span(self, forward: float, turn: float, time: float) -> float:
        """Return how far any point of chair and user goes in a time, at most."""
        speed, rate = self._rates(forward, turn)
        return (abs(speed) + abs(rate) * self.reach) * time

    def _moved(self, pose: Array, forward: float, turn: float, time: float) -> Array:
        """Return the pose after a time of steering: along an arc about the axle's line."""
        speed, rate = self._rates(forward, turn)
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
        steps = max(1, int(np.ceil(self._span(forward, turn, seconds) / STEP)))
        met = None
        for _ in range(steps):
            met = self._step(forward, turn, seconds / steps)
            if met is not None:
                break
        self.time += seconds
        if met is not None and not self.held:
            self.bumps.append((self.time, met.said()))
        self.held = met is not None
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
