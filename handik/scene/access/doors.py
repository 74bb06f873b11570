"""Doors: leaves that a hand moves, with handle, closer and force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import pi
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.scene.access._at_doors import THICK, Doorway, doorways, leaf_of
from handik.scene.access._front import inside
from handik.scene.access._room import HEAD, Room, below
from handik.scene.document import Scene
from handik.spec._given import choice, finite_number, flag, of_class, reals

__all__ = ["Door", "Place", "doors", "hung", "without"]

Array = NDArray[np.float64]

KINDS = ("hinged", "sliding", "double")
SIDES = ("left", "right")
#: Sizes that are assumed where none is given, meters; the opening is a right angle or the leaf.
ASSUMED = {"thickness": 0.04, "handle": 0.07, "handle_height": 1.0, "handle_depth": 0.05}
#: Places of a flat hand on a leaf: shares of its length beyond the least lever.
FLAT = (0.0, 0.35, 0.7)
#: Meters by which a leaf of a double door may be off half of the way between the hinges.
PAIR = 0.03


class Place(NamedTuple):
    """A place where a hand moves a leaf.

    Attributes
    ----------
    at : ndarray (2,)
        Meters.
    face : ndarray (2,)
        Which way the leaf's face looks there.
    way : int
        Whether the hand moves the leaf on (1), back (-1) or both (0).
    hinge : ndarray (2,) or None
        None for a leaf that slides.
    sense : float or ndarray (2,)
        Sense of the turn; of a leaf that slides how it moves for each meter.
    """

    at: Array
    face: Array
    way: int
    hinge: Array | None
    sense: Any

    def moved(self, by: float) -> Place:
        """Return the place when the leaf is farther open by so much.

        Parameters
        ----------
        by : float
            Radians, of a sliding leaf meters.

        Returns
        -------
        Place
        """
        if self.hinge is None:
            return self._replace(at=self.at + by * self.sense)
        c, s = np.cos(self.sense * by), np.sin(self.sense * by)
        turn = np.array([[c, -s], [s, c]])
        return self._replace(at=self.hinge + turn @ (self.at - self.hinge), face=turn @ self.face)


@dataclass(frozen=True, eq=False)
class Door:
    """A door that stands shut at first: where its leaf is, how it moves, what moves it.

    Parameters
    ----------
    ends : array_like, shape (2, 2)
        Meters, of the shut leaf's middle line. Hinged: the hinge, then the free end. Double: the
        hinge of the leaf that opens first, then the other's. Sliding: the end towards which the
        leaf slides, then the one that leaves the frame.
    kind : {"hinged", "sliding", "double"}
    swing : {"left", "right"}
        To which side leaves turn, as seen from the first end to the second: who comes from there
        pulls.
    opening : float, optional
        How far it opens: radians, of a sliding leaf meters. By default a right angle, or the
        leaf's length; assumed then.
    thickness, handle, handle_height, handle_depth : float, optional
        Of the leaf; of the handle from the leaf's free end; over the floor; off the leaf's face.
        Meters, by default assumed: 0.04, 0.07, 1.0, 0.05.
    force : float, optional
        To move the leaf at the handle, newtons; unknown by default.
    closer : bool
        Whether it falls to where nothing holds it. Hinged doors only.
    latch : bool
        Whether the handle must be turned to open it. Without one a hand anywhere on the leaf
        pushes it open.
    threshold : float
        Height, meters.

    Raises
    ------
    ArgumentError
        When a value is none of these or out of bounds.

    Examples
    --------
    >>> import handik as hk
    >>> door = hk.access.Door([[0, 0], [0.9, 0]], swing="left")
    >>> door.width, door.dimensions["thickness"]
    (0.9, (0.04, 'assumed'))
    """

    ends: Any
    kind: str = "hinged"
    swing: str = "left"
    opening: float | None = None
    thickness: float | None = None
    handle: float | None = None
    handle_height: float | None = None
    handle_depth: float | None = None
    force: float | None = None
    closer: bool = False
    latch: bool = True
    threshold: float = 0.0
    _known: Mapping[str, str] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        choice("kind", self.kind, KINDS)
        choice("swing", self.swing, SIDES)
        ends = reals(self.ends, "ends", (2,)).copy()
        if ends.shape != (2, 2) or np.abs(ends).max() > 1e4:
            raise ArgumentError("ends must be two points within 10 km of the origin")
        ends.flags.writeable = False
        object.__setattr__(self, "ends", ends)
        if not 0.3 <= self.width <= 5:
            raise ArgumentError(f"a door must be 0.3 to 5 m wide, got {self.width:g}")
        known = {}
        whole = self.length if self.kind == "sliding" else pi / 2
        bounds = {
            "opening": (0.05, self.length if self.kind == "sliding" else pi),
            "thickness": (0.005, 0.2),
            "handle": (0.0, self.length - 0.05),
            "handle_height": (0.1, 2.0),
            "handle_depth": (0.0, 0.2),
        }
        for name, (low, high) in bounds.items():
            value = getattr(self, name)
            known[name] = "assumed" if value is None else "given"
            number = {**ASSUMED, "opening": whole}[name] if value is None else value
            self._keep(name, number, low, high)
        self._keep("threshold", self.threshold, 0.0, 0.5)
        if self.force is not None:
            self._keep("force", self.force, 0.0, 2000.0)
        for name in ("closer", "latch"):
            flag(name, getattr(self, name))
        if self.closer and self.kind != "hinged":
            raise ArgumentError("closers are for hinged doors only")
        object.__setattr__(self, "_known", MappingProxyType(known))

    def _keep(self, name: str, value: Any, low: float, high: float) -> None:
        number = finite_number(name, value)
        if not low <= number <= high + 1e-12:
            raise ArgumentError(f"{name} must be {low:g} to {high:g}, got {number:g}")
        object.__setattr__(self, name, number)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by what was given."""
        given = [
            getattr(self, name) if self._known.get(name, "given") == "given" else None
            for name in ("opening", "thickness", "handle", "handle_height", "handle_depth")
        ]
        rest = self.force, self.closer, self.latch, self.threshold
        return Door, (np.array(self.ends), self.kind, self.swing, *given, *rest)

    @property
    def width(self) -> float:
        """Between its two ends, meters."""
        return float(np.hypot(*(self.ends[1] - self.ends[0])))

    @property
    def length(self) -> float:
        """Of a leaf, meters."""
        return self.width / 2 if self.kind == "double" else self.width

    @property
    def dimensions(self) -> dict[str, tuple[float, str]]:
        """Each size that may be assumed, with how it came: given or assumed."""
        return {name: (getattr(self, name), word) for name, word in self._known.items()}

    @property
    def pull(self) -> NDArray[np.float64]:
        """Unit vector from the shut leaf to the side to which it turns; sliding: to its swing."""
        along = (self.ends[1] - self.ends[0]) / self.width
        turn = 1.0 if self.swing == "left" else -1.0
        return np.array([-along[1], along[0]]) * turn

    # ---- stages; `opened` says how far each leaf is ----

    def _leaf(self, which: int) -> tuple[Array, Array, float]:
        """Return hinge, direction when shut and sense of the turn of one leaf."""
        hinge, other = self.ends[which], self.ends[1 - which]
        sense = (1.0 if self.swing == "left" else -1.0) * (1.0 if which == 0 else -1.0)
        return hinge, (other - hinge) / self.width, sense

    @property
    def leaves(self) -> int:
        """How many leaves."""
        return 2 if self.kind == "double" else 1

    def _stages(self, count: int) -> list[tuple[tuple[float, float], ...]]:
        """Return from where to where each leaf is in each stage, from shut to open.

        Parameters
        ----------
        count : int
            Pieces of a leaf's opening.

        Returns
        -------
        list of tuple of (float, float)
            A pair a leaf; shut and wholly open are stages of their own.
        """
        cut = np.linspace(0, float(self.opening or 0), count + 1).tolist()
        one = [(0.0, 0.0), *pairwise(cut), (cut[-1], cut[-1])]
        if self.leaves == 1:
            return [(piece,) for piece in one]
        shut, open_ = one[0], one[-1]
        return [(piece, shut) for piece in one] + [(open_, piece) for piece in one[1:]]

    def _edges(self, stage: Sequence[tuple[float, float]]) -> Array:
        """Return the edges of the leaves in a stage, (4 a leaf, 9): see `hik_leaf`."""
        rows = []
        for which, (low, high) in enumerate(stage):
            hinge, along, sense = self._leaf(which)
            mid, half = (low + high) / 2, (high - low) / 2
            if self.kind == "sliding":
                base, way = hinge - mid * along, along
                sway = [0.0, 0.0, 0.0, *(half * along)]
            else:
                c, s = np.cos(sense * mid), np.sin(sense * mid)
                base, way = hinge, np.array([[c, -s], [s, c]]) @ along
                sway = [*hinge, half, 0.0, 0.0]
            side = np.array([-way[1], way[0]]) * (float(self.thickness or 0) / 2)
            far = base + self.length * way
            corner = [base - side, far - side, far + side, base + side]
            rows += [[*corner[k - 1], *corner[k], *sway] for k in range(4)]
        return np.array(rows)

    def corners(self, opened: Sequence[float]) -> list[NDArray[np.float64]]:
        """Return the corners of each leaf, so far open.

        Parameters
        ----------
        opened : sequence of float
            A number a leaf: radians, of a sliding leaf meters.

        Returns
        -------
        list of ndarray (4, 2)

        Raises
        ------
        ArgumentError
            When there is not one finite number a leaf.
        """
        far = reals(opened, "opened", ())
        if far.shape != (self.leaves,):
            raise ArgumentError(f"opened must be {self.leaves} numbers, one a leaf")
        rows = self._edges([(one, one) for one in far.tolist()])
        return [rows[k : k + 4, 2:4] for k in range(0, len(rows), 4)]

    def _places(self, opened: Sequence[float], lever: float) -> list[Place]:
        """Return where a hand moves the leaves when they are so far open.

        Parameters
        ----------
        opened : sequence of float
        lever : float
            Least distance from the hinge at which the hand is strong enough, meters.

        Returns
        -------
        list of Place
        """
        if self.leaves == 1:
            return self._places_of(0, opened[0], lever, 0)
        first, second = opened
        if second > 0:
            return self._places_of(1, second, lever, 0)
        if first < float(self.opening or 0):
            return self._places_of(0, first, lever, 0)
        return [*self._places_of(0, first, lever, -1), *self._places_of(1, 0.0, lever, 1)]

    def _places_of(self, which: int, now: float, lever: float, ways: int) -> list[Place]:
        hinge, along, sense = self._leaf(which)
        pivot: Array | None
        moves: Any
        if self.kind == "sliding":
            way, base, pivot, moves = along, hinge - now * along, None, -along
        else:
            c, s = np.cos(sense * now), np.sin(sense * now)
            way, base, pivot, moves = np.array([[c, -s], [s, c]]) @ along, hinge, hinge, sense
        pull = np.array([-way[1], way[0]]) * sense
        off = float(self.thickness or 0) / 2 + float(self.handle_depth or 0)
        grip, out = self.length - float(self.handle or 0), []
        shut = now == 0

        def put(far: float, face: Array, direction: int) -> None:
            if far >= lever - 1e-12 and (not ways or not direction or ways == direction):
                at = base + far * way + off * face
                out.append(Place(at, face, direction or ways, pivot, moves))

        for face in (pull, -pull):
            put(grip, face, 0)
            if self.kind == "sliding":
                continue
            if not shut:
                put(self.length, face, 0)  # round the free edge
            pushes = 1 if face is not pull else -1
            if not shut or (not self.latch and pushes == 1):
                for share in FLAT:
                    put(lever + share * (self.length - lever), face, pushes)
        return out

    def _grips(self, stage: Sequence[tuple[float, float]], lever: float) -> Array:
        """Return the places of a stage, (n, 10): see `hik_grip`."""
        middle = [low if low == high else (low + high) / 2 for low, high in stage]
        half = max((high - low) / 2 for low, high in stage)
        rows = []
        for place in self._places(middle, lever):
            if place.hinge is None:
                slide = half * (self.ends[1] - self.ends[0]) / self.width
                sway = [0.0, 0.0, 0.0, *slide]
            else:
                sway = [*place.hinge, half, 0.0, 0.0]
            rows.append([*place.at, *place.face, *sway, float(place.way)])
        return np.array(rows).reshape(-1, 10)


def _leaf_ends(room: Room, way: Doorway) -> tuple[Array, Array, float] | None:
    """Return where a shut leaf hangs and where it ends, and how thick it is; None without one."""
    parts = leaf_of(room, way, 0.0, HEAD, False)
    if way.door is None or not parts:
        return None
    across = np.array([-way.front.along[1], way.front.along[0]])
    leaf = max(parts, key=lambda p: float(np.ptp(p.corners[:, 1]))).corners
    low, high = leaf.min(0), leaf.max(0)
    ends = [
        way.front.at + (low[0] + high[0]) / 2 * way.front.along + v * across
        for v in (low[1], high[1])
    ]
    hinge, free = ends[::-1] if way.hinge > 0 else ends
    return hinge, free, float(high[0] - low[0])


def _handle(room: Room, path: str, ends: tuple[Array, Array, float]) -> dict[str, Any]:
    """Return where the handle is, when a target says."""
    pose, thick = np.asarray(room.scene.world(path)), ends[2]
    for target in room.scene.find(kind="target"):
        if below(target, path):
            own = np.linalg.inv(pose) @ np.append(room.place(target), 1.0)
            long = float(np.hypot(*(ends[1] - ends[0])))
            return {
                "handle": max(long - float(own[0]), 0.0),
                "handle_height": float(room.place(target)[2]),
                "handle_depth": max(abs(float(own[1])) - thick / 2, 0.0),
            }
    return {}


def _door_of(room: Room, way: Doorway) -> Door | None:
    """Return the door that hangs in a doorway; None where it has no leaf."""
    path, ends = way.door, _leaf_ends(room, way)
    if path is None or ends is None:
        return None
    given = _handle(room, path, ends)
    given["threshold"] = max((room.sills[sill] for sill in _sills(room, way)), default=0.0)
    if way.swing == 0:
        return Door(ends[:2], "sliding", thickness=ends[2], **given)
    closer, swing = room.has(path, "closer"), "left" if way.hinge * way.swing > 0 else "right"
    last = _pair(room, way, ends)
    if last is not None and not closer:
        return Door([ends[0], last[0]], "double", swing, thickness=ends[2], **given)
    return Door(ends[:2], swing=swing, closer=closer, thickness=ends[2], **given)


def _sills(room: Room, way: Doorway) -> list[str]:
    """Return the thresholds in a doorway, as wide as its leaves are when shut."""
    leaves = [leaf_of(room, one, 0.0, HEAD, False) for one in (way, way.other) if one is not None]
    v = [p.corners[:, 1] for parts in leaves for p in parts]
    if not v:
        return []
    rect = (-THICK, THICK, float(min(x.min() for x in v)), float(max(x.max() for x in v)))
    return [path for path in room.sills if inside(way.front.local(room.part_of(path)), rect)]


def _pair(
    room: Room, way: Doorway, ends: tuple[Array, Array, float]
) -> tuple[Array, Array, float] | None:
    """Return the second leaf's ends, when with the first it makes a double door."""
    if way.other is None or way.other.swing != way.swing:
        return None
    last = _leaf_ends(room, way.other)
    if last is None:
        return None
    first, second = (float(np.hypot(*(one[1] - one[0]))) for one in (ends, last))
    wide = float(np.hypot(*(last[0] - ends[0])))
    off = max(abs(first - wide / 2), abs(second - wide / 2))
    return last if off <= PAIR else None


def doors(scene: Scene) -> dict[str, Door]:
    """Return the doors of a scene, by the path of their node.

    Parameters
    ----------
    scene : Scene
        A node tagged ``"doorway"`` in the middle of an opening, its x through it, and a node tagged
        ``"door"`` at one end of the opening, its x along the leaf, as `check` has them. One tagged
        ``"sliding"``, too, slides back along its x, to the end at which it is. Two that turn to the
        same side, a leaf half of the opening each, are a double door, by the path of the first.

    Returns
    -------
    dict of str to Door
        Shut, though they may stand open in the scene. Thickness is that of the leaf, the handle's
        place that of a target on it; one tagged ``"closer"`` has one, and what is tagged
        ``"threshold"`` in its opening, up to 50 mm high, is its threshold. Forces are not in
        scenes: `dataclasses.replace` adds them.

    Raises
    ------
    TypeError
        When `scene` is none.

    Notes
    -----
    Of two leaves that are no double door (of two widths, that slide, or with a closer) the first is
    the door, and the second stands where it does in the scene.

    Examples
    --------
    >>> import handik as hk
    >>> found = hk.access.doors(hk.scene.gallery("flat"))
    >>> sorted(found), round(found["door 1"].width, 2)
    (['door 1', 'door 2', 'door 3', 'door 4'], 0.9)
    """
    of_class("scene", scene, Scene)
    return {path: door for path, (_, door) in hung(scene).items()}


def hung(scene: Scene) -> dict[str, tuple[Doorway, Door]]:
    """Return the doors of a scene with the doorways in which they hang.

    Parameters
    ----------
    scene : Scene

    Returns
    -------
    dict of str to (Doorway, Door)

    Examples
    --------
    >>> import handik as hk
    >>> from handik.scene.access.doors import hung
    >>> hung(hk.scene.gallery("flat"))["door 1"][0].path
    'doorway 1'
    """
    room, found = Room(scene, (), {}), {}
    for way in doorways(room):
        door = _door_of(room, way)
        if way.door is not None and door is not None:
            found[way.door] = way, door
    return found


def without(scene: Scene, path: str) -> Scene:
    """Return a scene in which a door's own parts and its thresholds are no obstacle.

    Parameters
    ----------
    scene : Scene
    path : str
        Of the door.

    Returns
    -------
    Scene

    Examples
    --------
    >>> import handik as hk
    >>> from handik.scene.access.doors import without
    >>> flat = hk.scene.gallery("flat")
    >>> "door 1/leaf" in hk.access.outlines(without(flat, "door 1"))
    False
    """
    way, door = hung(scene)[path]
    own = [path]
    if door.kind == "double" and way.other is not None and way.other.door is not None:
        own.append(way.other.door)
    own += _sills(Room(scene, (), {}), way)
    for name in scene.find():
        if any(below(name, one) for one in own) and scene[name].solid:
            scene = scene.with_look(name, solid=False)
    return scene
