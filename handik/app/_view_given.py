"""What the page of `view` is given: figures and their skin, a scene and its lamps, packed."""

from __future__ import annotations

import base64
import gzip
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.app._bodies import body_of
from handik.errors import ArgumentError
from handik.model import Model
from handik.model._freeze import Parts
from handik.people.human import Human
from handik.people.surface import BodySurface
from handik.people.surface._glb import _nearest_four
from handik.scene import Actor, Light
from handik.scene._look import Triangles, chair_pieces, model_of, pieces, seen, triangles
from handik.scene.check import Figure
from handik.scene.document import Scene
from handik.scene.shapes import Plane
from handik.spec._given import known_name, points_of, reals

__all__ = ["Given", "Shown", "Stand", "actors", "first_target"]

Array = NDArray[np.float64]
Shown: TypeAlias = Model | Human | Figure

#: Tolerance of the goal, and radius of a bone of a model without shapes, by the figure's size.
_TOLERANCE, _THIN = 1e-3, 0.02
#: How far a plane is drawn from its middle, meters, and lamps as the application has them.
_FAR, _POWER = 5.0, {"sun": 0.6, "point": 2.0, "spot": 3.0}
_SOFT = 0.4


def actors(scene: Scene) -> dict[str, tuple[Shown, Array, str]]:
    """Return the figures of a scene in their places: path -> figure, its posture, what reaches."""
    found: dict[str, tuple[Shown, Array, str]] = {}
    for path in scene.find(kind="figure"):
        actor = scene[path].content
        assert isinstance(actor, Actor)
        body, world = body_of(actor), np.asarray(scene.world(path))
        own: Any = body.person or actor.figure
        shown = own if np.array_equal(world, np.eye(4)) else own.with_base(world)
        found[path] = shown, np.asarray(actor.posture), body.hand("right")
    return found


def first_target(scene: Scene) -> Array | None:
    """Return the place of the first target of a scene, the one the application begins with."""
    for path in scene.find(kind="target"):
        return np.asarray(scene.world(path))[:3, 3]
    return None


def packed(values: Any, kind: str, level: int = 9) -> str:
    """Return numbers as gzipped little-endian bytes in base64."""
    data = np.ascontiguousarray(values, kind).tobytes()
    return base64.b64encode(gzip.compress(data, level, mtime=0)).decode("ascii")


def _differences(rows: Any, kind: str) -> str:
    """Return rows of whole numbers by columns, each less the one above it: they pack well."""
    whole = np.asarray(rows, np.int64)
    return packed(np.diff(whole, axis=0, prepend=0).T.astype(kind), kind)


def _triangles(made: Triangles) -> dict[str, Any]:
    """Return triangles with places in 65,534 steps about their middle: 0.03 mm of 2 m."""
    places = made.vertices if len(made.vertices) else np.zeros((1, 3))
    middle = (places.min(0) + places.max(0)) / 2
    step = max(float(np.max(np.abs(places - middle))) / 32767, 1e-12)
    wide = len(made.vertices) > 65535
    return {
        "step": step,
        "middle": middle.tolist(),
        "vertices": _differences(np.rint((made.vertices - middle) / step), "<i2"),
        "faces": _differences(made.faces, "<u4" if wide else "<u2"),
        "wide": wide,
        "smooth": made.normals is not None,
    }


def placed(name: str, model: Model, q: Array) -> Array:
    """Return the poses of the frames of a figure.

    Raises
    ------
    ArgumentError
        When one of them is not finite.
    """
    poses = np.asarray(model.frames(q))
    if not np.isfinite(poses).all():
        raise ArgumentError(f"{name!r} has no finite place at q")
    return poses


def _stands_on(model: Model) -> set[str]:
    """Return the links below the body of a figure: its size does not hang on where it stands."""
    links = {link.name: link for link in model.spec.links}
    below: set[str] = set()
    at = model.frame_names[0]
    while not (links[at].visuals or links[at].collisions):
        joints = [joint for joint in model.spec.joints if joint.parent == at]
        if len(joints) != 1 or joints[0].kind != "fixed":
            break
        below.add(at)
        at = joints[0].child
    return below


def _posture(q: Any, nq: int) -> Array:
    """Return one posture; an answer or a path holds some."""
    if hasattr(q, "q"):
        raise ArgumentError(f"q is a {type(q).__name__}: give one posture, of its own q")
    found: Array = points_of(reals(q, "q", ()), "q", (nq,))
    return found


class Stand(NamedTuple):
    """Whether a figure is one of the scene, seen while another is chosen; and there is a floor."""

    stands: bool
    floor: bool


class Given:
    """What a page is given; a mesh that is there twice is told once."""

    def __init__(self) -> None:
        self.meshes: list[dict[str, Any]] = []
        self._known: dict[str, int] = {}
        self.lamps: list[list[float]] = []
        self.stage: dict[str, Any] = {}

    def _mesh(self, made: Triangles) -> int:
        told = _triangles(made)
        row = self._known.setdefault(repr(sorted(told.items())), len(self.meshes))
        if row == len(self.meshes):
            self.meshes.append(told)
        return row

    def figure(
        self,
        name: str,
        shown: Shown,
        q: ArrayLike | None,
        frame: str | None,
        target: ArrayLike | None,
        where: Stand,
    ) -> dict[str, Any]:
        """Return a figure; where it reaches to, and whether it stands in the scene.

        Raises
        ------
        ArgumentError
            When it has several tips and no frame is named, or has no place at `q`.
        NotFoundError
            When there is no such frame.
        """
        model = model_of(shown)
        rest = shown.rest if isinstance(shown, Human) else model.rest
        start = rest if q is None else _posture(q, model.nq)
        goal = _goal(name, shown, frame)
        places = placed(name, model, start)[:, :3, 3]
        body = places[[name not in _stands_on(model) for name in model.frame_names]]
        low, high = body.min(0), body.max(0)
        moved = np.asarray(model.frames(np.asarray(model.sample(8, seed=1))))[:, :, 2, 3]
        ball = places[goal]
        if target is not None:
            ball = points_of(reals(target, "target", ()), "target", (3,))
        flat = bool(np.ptp(moved, axis=0).max() < 1e-9)
        size = max(float(np.linalg.norm(high - low)) / 2, 1e-3)
        stood = isinstance(shown, Human) or (low[2] > -0.1 * size and high[2] > 0.2 * size)
        return {
            "name": name,
            "stands": where.stands,
            "joints": Parts(model.spec).arrays()["parent"].size,
            "frames": len(model.frame_names),
            "arrays": _arrays(model),
            "q": start.tolist(),
            "goal": goal,
            "target": ball.tolist(),
            "first": ball.tolist(),
            "tolerance": _TOLERANCE * size,
            "flat": flat,
            "floor": not flat and (where.floor or bool(stood)),
            "size": size,
            "middle": ((low + high) / 2).tolist(),
            "turn": -np.pi / 2 if flat else -0.8,
            "lift": 1.55 if flat else 0.3,
            "pieces": [
                {"frame": model.frame_names.index(link), "mesh": self._mesh(made)}
                for link, made in _by_link(shown, _THIN * size)
            ],
            "skin": _skin(shown) if isinstance(shown, Human) else None,
            "chair": self._chair(shown) if isinstance(shown, Human) else [],
        }

    def _chair(self, person: Human) -> list[dict[str, Any]]:
        """Return the chair of a person in the world, as of a scene: a row of each color."""
        parts: dict[tuple[float, ...], list[Triangles]] = {}
        for piece in chair_pieces(person):
            place = np.asarray(person.model.fk(person.rest, frame=piece.link))
            parts.setdefault(piece.color, []).append(piece.triangles.moved(place))
        return [
            {"color": list(color[:3]), "opacity": 1.0, "casts": True, "mesh": self._mesh(one)}
            for color, one in ((color, _joined(some)) for color, some in parts.items())
        ]

    def scene(self, scene: Scene) -> list[dict[str, Any]]:
        """Return what stands in a scene, in the world; planes end where the application's do."""
        found, corners = [], [np.zeros((0, 3))]
        for one in seen(scene):
            flat = isinstance(one.shape, Plane)
            made = _PLANE if flat else triangles(one.shape)
            made = made.moved(one.pose)
            place, scale = scene.world(one.path), scene.world_scale(one.path)
            made = Triangles(made.vertices * scale, made.faces, made.normals).moved(place)
            look = {"color": list(one.color[:3]), "opacity": float(one.opacity)}
            found.append({**look, "casts": not flat, "mesh": self._mesh(made)})
            corners += [] if flat else [made.vertices]
        for path in scene.find(kind="light"):
            lamp = scene[path].content
            assert isinstance(lamp, Light)
            self.lamps.append(_lamp(lamp, np.asarray(scene.world(path))))
        points = np.concatenate(corners)
        low, high = (points.min(0), points.max(0)) if len(points) else (np.zeros(3), np.ones(3))
        size = max(float(np.linalg.norm(high - low)) / 2, 1e-3)
        middle = ((low + high) / 2).tolist()
        self.stage = {"middle": middle, "size": size, "turn": 2.45, "lift": 0.37}
        return found


_PLANE = Triangles(
    _FAR * np.array([[-1.0, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]),
    np.array([[0, 1, 2], [0, 2, 3]]),
)


def _goal(name: str, shown: Shown, frame: str | None) -> int:
    """Return the row of the frame that reaches."""
    model = model_of(shown)
    if frame is None:
        hands = ("grip_right", "grip_left") if isinstance(shown, Human) else ()
        frame = next((hand for hand in hands if hand in model.frame_names), model.tip)
    if frame is None:
        raise ArgumentError(f"{name!r} has several tips: say which frame reaches")
    return model.frame_names.index(known_name("frame", frame, model.frame_names))


def _arrays(model: Model) -> dict[str, str]:
    """Return the definition of a model, array by array."""
    arrays = {
        key: value
        for key, value in Parts(model.spec).arrays().items()
        if isinstance(value, np.ndarray) and key not in ("inertial", "motor")
    }
    arrays["rest"] = np.asarray(model.rest, float)
    return {
        key: packed(value, "<i4" if value.dtype.kind == "i" else "<f8")
        for key, value in arrays.items()
    }


def _lamp(lamp: Light, pose: Array) -> list[float]:
    """Return a light: place, kind; direction, edge of its cone; color, where the cone softens."""
    kind = ("sun", "point", "spot").index(lamp.shine)
    edge, soft = np.cos(lamp.spread / 2), np.cos(lamp.spread / 2 * (1 - _SOFT))
    color = [float(x) * lamp.power * _POWER[lamp.shine] for x in lamp.color]
    rows = [*pose[:3, 3].tolist(), kind, *(-pose[:3, 2]).tolist(), edge, *color, soft]
    return [float(x) for x in rows]


def _by_link(shown: Shown, thin: float) -> list[tuple[str, Triangles]]:
    """Return the body of a figure without its skin, one piece a link."""
    parts: dict[str, list[Triangles]] = {}
    for piece in pieces(shown, coarse=True, thin=thin, chair=False):
        parts.setdefault(piece.link, []).append(piece.triangles)
    links = [link.name for link in model_of(shown).spec.links]
    return [(link, _joined(parts[link])) for link in links if link in parts]


def _joined(parts: list[Triangles]) -> Triangles:
    """Return several lists of triangles as one; flat where one of them is."""
    at = np.cumsum([0, *(len(part.vertices) for part in parts)])
    faces = [part.faces + start for part, start in zip(parts, at[:-1], strict=True)]
    normals = [part.normals for part in parts if part.normals is not None]
    return Triangles(
        np.concatenate([part.vertices for part in parts]),
        np.concatenate(faces),
        np.concatenate(normals) if len(normals) == len(parts) else None,
    )


def _skin(person: Human) -> dict[str, Any] | None:
    """Return the clothed skin at rest and what moves it; None of who is drawn of round cones."""
    whole = {"hand_right", "hand_left"} <= set(person.model.frame_names)
    if person.body != "fitted" or not whole:  # the skin has no arm to leave out
        return None
    surface = person.surface
    assert isinstance(surface, BodySurface)
    worn = surface(person.rest).clothed
    assert worn._rig is not None
    order = np.argsort(worn.part, kind="stable")
    counts = np.bincount(worn.part, minlength=len(worn.parts))
    joints, weights = _nearest_four(worn._rig.share)
    frames = [person.model.frame_names.index(name) for name in worn._rig.names]
    whole_skin = Triangles(worn.vertices, worn.faces[order].astype(np.int64), worn.vertices)
    return {
        "mesh": _triangles(whole_skin),
        "parts": [
            [[round(float(x), 4) for x in color], 3 * int(count)]
            for color, count in zip(worn.colors, counts, strict=True)
        ],
        "links": frames,
        "inverses": packed(np.linalg.inv(worn._rig.poses)[:, :3], "<f4"),
        "joints": packed(joints, "u1"),
        "weights": packed(_of_255(weights), "u1"),
    }


def _of_255(weights: Array) -> NDArray[np.int64]:
    """Return shares as whole numbers that sum to 255: what is rounded off goes to the largest."""
    found = np.rint(255 * weights).astype(np.int64)
    found[:, 0] += 255 - found.sum(1)
    return found
