"""Figures as the application shows them: links, sliders, handles, capsules, skin."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik._model import Model
from handik.app._wheelchair import described as described_chair
from handik.app._words import part_words
from handik.errors import ArgumentError, HandikError, shortened
from handik.people.gaze import FIELD
from handik.people.human import Human
from handik.people.surface import BodySurface
from handik.people.surface._glb import _nearest_four
from handik.scene import Actor, Scene
from handik.scene.access._seat import in_chair, seat_height_of, usual_joystick
from handik.spec.transforms import quaternion

__all__ = ["Body", "Slider", "body_of", "check_figures", "seven"]

Array = NDArray[np.float64]

#: Frames of a person by which she is dragged.
HANDLES = (
    *("head", "trunk", "pelvis", "elbow_right", "elbow_left", "grip_right", "grip_left"),
    *("shoulder_right", "shoulder_left"),
)


def seven(poses: Any) -> Array:
    """Return poses (..., 4, 4) as rows x y z, quaternion w x y z."""
    given = np.asarray(poses)
    return np.concatenate([given[..., :3, 3], quaternion(given)], axis=-1)


@dataclass(frozen=True)
class Slider:
    """A degree of freedom.

    Attributes
    ----------
    name, joint : str
    kind : {"turn", "slide", "part"}
        A hinge, a slide, or a part of a ball's turn: of its rotation vector from the rest.
    lower, upper : float or None
    """

    name: str
    joint: str
    kind: str
    lower: float | None
    upper: float | None


class Body:
    """A figure of a document, whatever its posture and place."""

    def __init__(self, actor: Actor) -> None:
        self.key = hashlib.sha256(repr((actor.model, actor.human)).encode()).hexdigest()[:16]
        self.name = actor.model or "person"
        self.given: dict[str, Any] = {} if actor.human is None else dict(actor.human)
        self.person: Human | None = actor.person
        self.model: Model = actor.figure
        self.chair = actor.chair
        whole = {"hand_right", "hand_left"} <= set(self.model.frame_names)
        if self.person is not None and self.person.body == "fitted" and not whole:
            # the skin has no arm to leave out: who has lost one is drawn of round cones
            self.person = Actor(human={**dict(actor.human), "body": "plain"}).person
        bare = Actor(model=actor.model, human=None if actor.human is None else dict(actor.human))
        self.rest: Array = bare.posture
        home = self.model if self.person is None else (self.person._at_origin or self.person).model
        self._tree = home.spec  # without what a person was put on, as a seat
        self.links = tuple(link.name for link in self._tree.links)
        rows = {name: k for k, name in enumerate(self.model.frame_names)}
        self._rows = np.array([rows[name] for name in self.links])
        self.sliders = tuple(self._sliders())
        self._offset = np.array(
            [0.0 if s.kind == "part" else self._value(s.joint) for s in self.sliders]
        )

    def _value(self, joint: str) -> float:
        return float(self.rest[self.model.joint_q_slices[joint].start])

    def _sliders(self) -> Any:
        kinds = dict(zip(self.model.joint_names, self.model.joint_kinds, strict=True))
        for joint, at in self.model.joint_q_slices.items():
            if at.stop - at.start == 1:
                kind = "slide" if kinds[joint] == "prismatic" else "turn"
                ends = [float(x[at.start]) for x in (self.model.lower, self.model.upper)]
                low, high = (x if np.isfinite(x) else None for x in ends)
                yield Slider(joint, joint, kind, low, high)
                continue
            if kinds[joint] == "free":
                yield from (Slider(f"{joint} {a}", joint, "part", None, None) for a in "xyz")
            for axis in "xyz":
                yield Slider(f"{joint} turn {axis}", joint, "part", -np.pi, np.pi)

    def angles(self, q: Any) -> Array:
        """Return what the sliders show."""
        found: Array = np.asarray(self.model.difference(self.rest, np.asarray(q))) + self._offset
        return found

    def with_angle(self, q: Any, slider: int, value: float) -> Array:
        """Return the posture with one slider elsewhere, inside the limits."""
        v = np.asarray(self.model.difference(self.rest, np.asarray(q))).copy()
        v[slider] = value - self._offset[slider]
        return np.asarray(self.model.clip(self.model.integrate(self.rest, v)))

    def poses(self, q: Any, place: Array | None = None) -> Array:
        """Return the poses (..., links, 4, 4), in the world where a place is given."""
        found = np.asarray(self.model.frames(np.asarray(q)))[..., self._rows, :, :]
        return found if place is None else np.asarray(place @ found)

    @property
    def frame(self) -> str:
        """The frame that reaches, where no hand is named."""
        if self.model.tip is not None:
            return self.model.tip
        parents = {joint.parent for joint in self.model.spec.joints}
        return next(j.child for j in self.model.spec.joints if j.child not in parents)

    def hand(self, side: str) -> str:
        """Return the frame of a hand, or the one tip of a robot."""
        name = f"grip_{side}"
        return name if name in self.model.frame_names else self.frame

    def mirrored(self, q: Any) -> Array:
        """Return the posture of a person with left and right exchanged.

        Hinges change their partner's angle; what bends or turns the trunk changes its sign. A ball
        takes its partner's turn, mirrored in the plane x z of the person.
        """
        q, slices = np.asarray(q), self.model.joint_q_slices
        found = q.copy()
        for joint, at in slices.items():
            other = partner(joint)
            if other is not None and other not in slices:
                continue  # the arm of one side alone
            if other is None:
                sign = -1.0 if joint.endswith(("_bend", "_turn")) else 1.0
                found[at] = sign * q[at]
            elif at.stop - at.start == 1:
                found[at] = q[slices[other]]
            else:
                w, x, y, z = q[slices[other]][-4:]
                found[at] = [w, -x, y, -z]
        return np.asarray(self.model.clip(found))

    @cached_property
    def described(self) -> dict[str, Any]:
        """What the page is told once."""
        frames = {f.name: f for f in self.model.spec.frames}
        row = {name: k for k, name in enumerate(self.links)}
        parents = {j.child: row[j.parent] for j in self._tree.joints}
        names = [n for n in HANDLES if n in self.model.frame_names] or [self.frame]
        handles = []
        for name in names:
            on = frames.get(name)
            link = name if on is None else on.link
            at = [0.0, 0.0, 0.0] if on is None else on.placement[:3, 3].tolist()
            handles.append({"frame": name, "link": row[link], "at": at, "words": part_words(name)})
        numbers = {s.name: k for k, s in enumerate(self.sliders)}
        dofs = [
            {
                "name": s.name,
                "joint": s.joint,
                "kind": s.kind,
                "lower": s.lower,
                "upper": s.upper,
                "words": part_words(s.name),
                "partner": numbers.get(partner(s.name) or ""),
            }
            for s in self.sliders
        ]
        return {
            "key": self.key,
            "name": self.name,
            "nq": self.model.nq,
            "nv": self.model.nv,
            "links": list(self.links),
            "parents": [parents.get(name, -1) for name in self.links],
            "dofs": dofs,
            "handles": handles,
            "capsules": self._capsules(row),
            "skin": f"skin-{self.key}" if self._skinned else None,
            "eye": self._eye(frames, row),
            "person": self._person(),
            "rest": self.rest.tolist(),
            "chair": None if self.person is None else described_chair(self.person, self.chair),
        }

    def _eye(self, frames: dict[str, Any], row: dict[str, int]) -> dict[str, Any] | None:
        """Where a person looks from: a link, the place in it, and the turn (x ahead, z up)."""
        if "eye" not in frames:
            return None
        pose = seven(frames["eye"].placement).tolist()
        return {"link": row[frames["eye"].link], "at": pose[:3], "turn": pose[3:], "cone": FIELD}

    @property
    def _skinned(self) -> bool:
        return self.person is not None and self.person.body == "fitted"

    def _capsules(self, row: dict[str, int]) -> list[dict[str, Any]]:
        from handik.scene._look import _bones, _held

        if self.person is not None:
            ends: Any = [(c.link, c.start, c.end, c.radii) for c in self.person.capsules]
        else:
            ends = list(_bones(self.model, None))
        return [
            {
                "link": row[link],
                "start": np.asarray(start).tolist(),
                "end": np.asarray(end).tolist(),
                "radii": [float(r) for r in radii],
                "name": link,
            }
            for link, start, end, radii in _held(self.model, ends)
        ]

    def _person(self) -> dict[str, Any] | None:
        if self.person is None:
            return None
        known, given = self.person.dimensions, self.given
        return {
            "sex": known.sex,
            "stature": float(known["stature"]),
            "weight": float(known["weight"]),
            "percentile": given.get("percentile"),
            "profile": given.get("profile", ""),
            "severity": given.get("severity", 1.0),
            "side": given.get("side", "right"),
            "measures": {name: round(float(known[name]), 5) for name in known},
            "given": [name for name in known if name in given],
            **self._seat(self.person),
            "position": self.person.position,
            "detail": "+".join(self.person.detail),
        }

    def _seat(self, person: Human) -> dict[str, Any]:
        """Return what the page is told of the seat; of who sits in no chair nothing."""
        if self.chair is None or not in_chair(person):
            return {"seat_height": None, "joystick": "", "seat_given": False}
        return {
            "seat_height": seat_height_of(person),
            "joystick": self.given.get("joystick", usual_joystick(self.chair)),
            "seat_given": "seat_height" in self.given,
        }

    @cached_property
    def skin(self) -> dict[str, Any]:
        """The clothed skin at rest as arrays: see the message table."""
        assert self.person is not None
        assert isinstance(self.person.surface, BodySurface)
        worn = self.person.surface(self.rest).clothed
        assert worn._rig is not None
        order = [worn._rig.names.index(name) for name in self.links]
        joints, weights = _nearest_four(worn._rig.share[:, order])
        # a vertex of each part that meets it, for each part has its color
        keys = worn.faces * len(worn.parts) + worn.part[:, None]
        found, index = np.unique(keys, return_inverse=True)
        at, part = found // len(worn.parts), found % len(worn.parts)
        return {
            "positions": worn.vertices[at],
            "normals": normals(worn.vertices, worn.faces)[at],
            "index": index.reshape(-1, 3),
            "colors": np.asarray(worn.colors)[part],
            "joints": joints[at],
            "weights": weights[at],
            "bind": seven(worn._rig.poses[order]),
        }


def normals(vertices: Array, faces: Any) -> Array:
    """Return a normal of each vertex: the mean of its triangles', by area."""
    corners = vertices[faces]
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    out = np.zeros_like(vertices)
    for k in range(3):
        np.add.at(out, faces[:, k], flat)
    size = np.linalg.norm(out, axis=1, keepdims=True)
    return np.asarray(out / np.where(size > 0, size, 1.0))


def partner(name: str) -> str | None:
    """Return the name with left for right, or None where it has neither."""
    for one, other in (("right", "left"), ("left", "right")):
        if one in name:
            return name.replace(one, other)
    return None


@lru_cache(maxsize=96)
def _body(actor: Actor) -> Body:
    return Body(actor)


def body_of(actor: Actor) -> Body:
    """Return the figure of an actor; the last few are kept."""
    return _body(Actor(actor.model, None if actor.human is None else dict(actor.human)))


def check_figures(scene: Scene) -> None:
    """Check that every figure of a scene can be shown: that it can be made, and has its posture.

    Raises
    ------
    ArgumentError
        When one cannot: its model is not on this machine, or its posture is that of another.
    """
    for path in scene.find(kind="figure"):
        actor = scene[path].content
        assert isinstance(actor, Actor)
        try:
            placed = body_of(actor).poses(actor.posture, scene.world(path))
        except (HandikError, OSError, TypeError, ValueError) as error:
            raise ArgumentError(f"figure {shortened(path)} cannot be shown: {error}") from None
        if not np.isfinite(placed).all():
            raise ArgumentError(f"figure {shortened(path)} cannot be shown: it has no finite place")
