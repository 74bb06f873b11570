"""Nodes from what a file says of its objects, in its own units; every fault with its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import radians
from typing import Any, NamedTuple

import numpy as np

from handik.errors import HandikError, ReadError, shortened
from handik.scene._roots import Roots
from handik.scene._tree import rooted
from handik.scene._words import CLASSES, HEAD, LENGTHS, PLACE, THINGS, Word
from handik.scene.contents import Actor, FloorPlan, Include, Target
from handik.scene.nodes import (
    DEEPEST,
    MOST_NODES,
    Attachment,
    Content,
    Node,
    is_place,
    node_name,
    one_pose,
)
from handik.scene.shapes import Mesh, Prism, Shape
from handik.spec._given import points_of, quaternion_turns, rigid_poses
from handik.spec.transforms import from_rpy

__all__ = ["Item", "built", "read_head"]

FORMAT = "handik scene 1"
_TURNS = ("rpy", "quaternion", "rotation")


class Item(NamedTuple):
    """An object as a file says it.

    Attributes
    ----------
    path : str
        Its name with those above it.
    values : dict
        What it says, by key; of a thing, a mapping.
    line : callable
        The line of a key, or of a key of a thing such as ``"box.size"``; of ``""`` its own.
    """

    path: str
    values: dict[str, Any]
    line: Callable[[str], int | None]


@dataclass(frozen=True)
class Head:
    """What a file says before its objects."""

    name: str
    length: float
    degrees: bool
    flat: bool  # y up
    left: bool


@dataclass
class _Draft:
    """A node to be: without what hangs on it, what it includes, and what hangs on it so far."""

    node: Node
    included: tuple[Node, ...] | None
    children: dict[str, _Draft] = field(default_factory=dict)


def read_head(data: dict[str, Any], fail: Callable[[str, str], None]) -> Head:
    """Return the head of a file; `fail` raises with a sentence and the key at fault."""
    if data.get("format") != FORMAT:
        fail("format", f'the file does not say format = "{FORMAT}"')
    name = data.get("name", "scene")
    try:
        node_name(name)
    except (TypeError, HandikError) as error:
        fail("name", str(error))
    words = {}
    for key, choices in HEAD.items():
        words[key] = data.get(key, choices[0])
        if words[key] not in choices:
            fail(key, f"{key} must be {' or '.join(choices)}, not {shortened(words[key])}")
    known = {"format", "name", *HEAD}
    for key in data:
        if key not in known:
            fail(key, f"{key!r} is not known; there are: {', '.join(sorted(known))}, object")
    units = LENGTHS[words["length"]], words["angle"] == "deg"
    return Head(name, *units, words["up"] == "y", words["handedness"] == "left")


def built(
    items: list[Item],
    head: Head,
    path: str,
    roots: Roots,
    include: Callable[[str], tuple[Node, ...]],
) -> tuple[Node, ...]:
    """Return the nodes of the objects of a file, each of which stands after its parent.

    Raises
    ------
    ReadError
        With file, line and key.
    """
    if len(items) > MOST_NODES:
        raise ReadError(f"{len(items)} objects are more than {MOST_NODES}", path)
    top: dict[str, _Draft] = {}
    for item in items:
        place = _Place(item, path)
        above = _above(item, top, place)
        upright = head.flat and "/" not in item.path
        node = _Reader(item, head, roots, include, place).node(upright)
        thing = node.content
        included = tuple(thing.nodes) if isinstance(thing, Include) else None
        above[node.name] = _Draft(node, included)
    return _nodes(top)


class _Place:
    """Where a file says what: raises with it."""

    def __init__(self, item: Item, path: str) -> None:
        self.item, self.path = item, path

    def fail(self, key: str, reason: str) -> None:
        """Raise with the line of a key."""
        said = f"object {shortened(self.item.path)}" + (f", key {key!r}" if key else "")
        raise ReadError(reason, self.path, self.item.line(key), said) from None


def _above(item: Item, top: dict[str, _Draft], place: _Place) -> dict[str, _Draft]:
    """Return where a node is to hang."""
    names = item.path.split("/")
    if len(names) > DEEPEST:
        place.fail("name", f"nodes hang more than {DEEPEST} above each other")
    found = top
    for k, name in enumerate(names):
        try:
            node_name(name)
        except HandikError as error:
            place.fail("name", str(error))
        if k < len(names) - 1:
            if name not in found:
                parent = "/".join(names[: k + 1])
                place.fail("name", f"its parent {shortened(parent)} does not stand before it")
            if found[name].included is not None:
                place.fail("name", "its parent is another scene's file, which says what is in it")
            found = found[name].children
    if names[-1] in found:
        place.fail("name", f"there is an object {shortened(item.path)} already")
    return found


def _nodes(top: dict[str, _Draft]) -> tuple[Node, ...]:
    """Return the nodes of drafts, the deepest first; depth is bounded."""

    def made(drafts: dict[str, _Draft]) -> tuple[Node, ...]:
        found = []
        for draft in drafts.values():
            children = draft.included or made(draft.children)
            found.append(replace(draft.node, children=children) if children else draft.node)
        return tuple(found)

    return made(top)


def _upright(pose: Any) -> Any:
    """Return a pose of a world in which y is up in one in which z is."""
    turn = np.array([[1.0, 0, 0, 0], [0, 0, -1.0, 0], [0, 1.0, 0, 0], [0, 0, 0, 1.0]])
    return turn @ pose


class _Reader:
    """What one object says, brought to meters and radians."""

    def __init__(
        self, item: Item, head: Head, roots: Roots, include: Callable[..., Any], place: _Place
    ) -> None:
        self.item, self.head, self.roots, self.include = item, head, roots, include
        self.fail = place.fail

    def node(self, upright: bool) -> Node:
        """Return the node without what hangs on it; upright: y is up in the file's world."""
        item, things = self.item, self._things()
        found = {
            key: self._word(key, PLACE[key], key, value)
            for key, value in item.values.items()
            if key in PLACE
        }
        turns = [key for key in _TURNS if key in found]
        if len(turns) > 1:
            self.fail(turns[1], f"{turns[0]!r} says already how it is turned")
        values: dict[str, Any] = {"pose": self._pose(found, turns)}
        if "attached_to" in found:
            to = Attachment(found.pop("attached_to"), found.pop("attached_frame", None))
            values["attached"] = to
        elif "attached_frame" in found:
            self.fail("attached_frame", "attached_frame needs attached_to")
        plain = ("scale", "color", "opacity", "tags", "solid")
        values |= {key: found[key] for key in plain if key in found}
        if upright and "attached" not in values:
            values["pose"] = _upright(values["pose"])
        if things:
            try:
                values["content"] = self._thing(things[0])
            except ReadError:  # of two faults that of the place is told
                self._try("", lambda: Node("x", **values))
                raise
        name = item.path.rpartition("/")[2]
        made: Node = self._try("", lambda: Node(name, **values))
        return made

    def _things(self) -> list[str]:
        """Return what it says to be: one word or none; every key must be known."""
        said = self.item.values
        things = [key for key in said if key in THINGS]
        for key in said:
            if key not in PLACE and key not in THINGS and key != "name":
                known = ", ".join([*PLACE, *THINGS])
                self.fail(key, f"{key!r} is not known; there are: {known}")
        if len(things) > 1:
            self.fail(things[1], f"it is {things[0]!r} already: an object is one thing")
        return things

    def _try(self, key: str, make: Callable[[], Any]) -> Any:
        """Return what is made; what is wrong with it is said with the line, of the key it names."""
        try:
            return make()
        except ReadError:
            raise
        except (HandikError, TypeError) as error:
            reason = str(error)
            word = reason.split(" ")[0].split("[")[0]
            start = f"{key}." if key else ""
            self.fail(start + word if self._says(key, word) else key, reason)

    def _says(self, key: str, word: str) -> bool:
        holds = self.item.values.get(key) if key else self.item.values
        return isinstance(holds, dict) and word in holds

    def _pose(self, found: dict[str, Any], turns: list[str]) -> Any:
        if not turns and not self.head.left and not self.head.flat:  # most: a place, not turned
            place = found.get("position", [0.0, 0.0, 0.0])
            if is_place(place):
                return place
        pose = np.eye(4)
        if turns:
            key = turns[0]
            pose[:3, :3] = self._try(key, lambda: _turn(key, found[key]))
        place = found.get("position")
        if place is not None and is_place(place):
            pose[:3, 3] = place
        elif place is not None:
            at = self._try(
                "position", lambda: one_pose(points_of(place, "position", (3,)), "position")
            )
            pose[:3, 3] = at[:3, 3]
        if self.head.left:  # mirrored in x
            pose[0, 1:] = -pose[0, 1:]
            pose[1:3, 0] = -pose[1:3, 0]
        return pose

    def _thing(self, kind: str) -> Shape | Content:
        given, words = self.item.values[kind], THINGS[kind]
        if not isinstance(given, dict):
            keys = ", ".join(words) or "nothing"
            self.fail(kind, f"{kind} must be a table of {keys}, not {shortened(given)}")
        for key in given:
            if key not in words and "*" not in words:
                known = ", ".join(words) or "none"
                self.fail(f"{kind}.{key}", f"{kind}: {key!r} is not known; there are: {known}")
        for key, word in words.items():
            if word.needed and key not in given:
                self.fail(kind, f"{kind}: {key!r} is missing")
        found = {}
        for key, value in given.items():
            word = words.get(key, Word("any"))
            found[key] = self._word(f"{kind}.{key}", word, key, value)
        made: Shape | Content = self._try(kind, lambda: self._made(kind, found))
        return made

    def _made(self, kind: str, found: dict[str, Any]) -> Shape | Content:
        if "file" in found:
            found["file"] = self.roots.find(found["file"])
        if kind == "include":
            nodes = rooted(self.include(found["file"]), self.item.path)
            return Include(found["file"], nodes)
        if kind == "figure":
            model = found["model"]
            if not model.startswith(("data:", "robot:")):
                model = self.roots.find(model)
            return Actor(model, q=found.get("q"))
        if kind == "human":
            q = found.pop("q", None)
            return Actor(human=found, q=q)
        left = self.head.left
        if kind == "mesh":
            x, *others = found.pop("scale", None) or [1.0, 1.0, 1.0]
            scale = [-x if left else x, *others]
            return Mesh(found.pop("file", None), scale=scale, **found)
        made: Shape | Content = CLASSES[kind](**found)
        if not left:
            return made
        if isinstance(made, Prism):
            return Prism(_mirrored(made.polygon), made.height)
        if kind == "floorplan":
            return FloorPlan(tuple(map(_mirrored, found["walls"])), found["height"])
        if kind == "target" and "axis" in found:
            x, y, z = found["axis"]
            return Target(found.get("want", "point"), (-x, y, z))
        return made

    def _word(self, key: str, word: Word, said: str, value: Any) -> Any:
        """Return the value of a key, of its form, in meters and radians."""
        found = _FORMS[word.form](value)
        if found is None:
            self.fail(key, f"{said} must be {_SAID[word.form]}, not {shortened(value)}")
        if word.unit == "length" and self.head.length != 1.0:
            return _each(found, lambda one: one / self.head.length)
        if word.unit == "angle" and self.head.degrees:
            return _each(found, radians)
        return found


def _mirrored(polygon: Any) -> Any:
    return tuple((-x, y) for x, y in polygon)


def _position(value: Any) -> Any:
    return one_pose(points_of(value, "position", (3,)), "position")[:3, 3]


def _turn(key: str, value: Any) -> Any:
    if key == "rpy":
        return from_rpy(points_of(value, key, (3,)))[:3, :3]
    if key == "quaternion":
        return quaternion_turns(points_of(value, key, (4,)))
    turn = np.eye(4)
    turn[:3, :3] = points_of(value, key, (9,)).reshape(3, 3)
    return rigid_poses(turn, key)[:3, :3]


def _each(value: Any, change: Callable[[float], float]) -> Any:
    if isinstance(value, list):
        return [_each(one, change) for one in value]  # at most three deep: forms are
    return change(value)


# -- the forms: what a value is, None where it is not ------------------------------------------


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def _numbers(value: Any) -> list[Any] | None:
    return _list(value, _number)


def _list(value: Any, of: Callable[[Any], Any]) -> list[Any] | None:
    if not isinstance(value, list):
        return None
    found = [of(one) for one in value]
    return None if any(one is None for one in found) else found


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


_FORMS: dict[str, Callable[[Any], Any]] = {
    "text": _text,
    "texts": lambda value: _list(value, _text),
    "flag": lambda value: value if isinstance(value, bool) else None,
    "number": _number,
    "numbers": _numbers,
    "color": lambda value: value if isinstance(value, str) else _numbers(value),
    "rows": lambda value: _list(value, _numbers),
    "outlines": lambda value: _list(value, lambda rows: _list(rows, _numbers)),
    "any": lambda value: value,
}
_SAID = {
    "text": "a text",
    "texts": "a list of texts",
    "flag": "true or false",
    "number": "a number",
    "numbers": "a list of numbers",
    "color": 'three numbers or "#rrggbb"',
    "rows": "a list of lists of numbers",
    "outlines": "a list of lists of corners",
    "any": "a value",
}
