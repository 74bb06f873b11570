"""The parts of a document's file, each read by a row of a table: a wrong one is told by line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from handik.app._document import Moved, Named
from handik.app._drive import said_of
from handik.app._meshes import mesh_of
from handik.errors import ArgumentError, HandikError, ReadError, shortened
from handik.scene.access.chairs import KINDS
from handik.scene.access.chairs import chair as made_chair
from handik.spec._given import choice, finite_number, points_of

__all__ = ["FORMAT", "LONGEST", "line_of", "parts_of"]

FORMAT = "handik application 1"
#: Letters of a document's file at most.
LONGEST = 256 * 2**20


def _list(value: Any, what: str, size: int | None = None) -> list[Any]:
    if not isinstance(value, list) or size not in (None, len(value)):
        raise ArgumentError(f"it must be {what}, got {shortened(value)}")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ArgumentError(f"it must be a text, got {shortened(value)}")
    return value


def _name(value: Any) -> str | None:
    return None if value is None else _text(value)


def _names(value: Any) -> frozenset[str]:
    return frozenset(map(_text, _list(value, "a list of names")))


def _held(value: Any) -> frozenset[tuple[str, str]]:
    pairs = [_list(one, "a node and its joint", 2) for one in _list(value, "a list of pairs")]
    return frozenset((_text(node), _text(joint)) for node, joint in pairs)


def _row(value: Any, what: str) -> tuple[float, ...]:
    values = _list(value, "a list of numbers")
    return tuple(points_of(values, what, (len(values),)).tolist())


def _rows(value: Any, what: str, size: int, read: Callable[..., Any]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ArgumentError(f"it must be {what} by their names, got {shortened(value)}")
    found = {}
    for name, one in value.items():
        try:
            figure, *rest = _list(one, f"a figure and {size - 1} of its lists", size)
            found[name] = read(_text(figure), *rest)
        except ArgumentError as error:
            raise ArgumentError(f"{shortened(name)}: {error}") from None
    return found


def _pose(figure: str, q: Any) -> Named:
    return Named(figure, _row(q, "q"))


def _motion(figure: str, times: Any, q: Any) -> Moved:
    moments = _row(times, "times")
    rows = tuple(_row(one, "q") for one in _list(q, "a list of postures"))
    rising = all(a < b for a, b in pairwise(moments))
    if not moments or not rising or len(rows) != len(moments) or len({*map(len, rows)}) != 1:
        raise ArgumentError("it must have rising times, and a posture for each")
    return Moved(figure, moments, rows)


def _meshes(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ArgumentError(f"it must be meshes by their names, got {shortened(value)}")
    found = {}
    for name, one in value.items():
        try:
            found[name] = mesh_of(*_list(one, "a kind, vertices, faces and scale", 4))
        except ArgumentError as error:
            raise ArgumentError(f"{shortened(name)}: {error}") from None
    return found


def _chair(value: Any) -> dict[str, Any]:
    """Return what an actor keeps of the chair of a file: those before had it beside the scene."""
    two = isinstance(value, list) and len(value) == 2  # of when there were no other sizes
    given = [*value, None, None] if two else value
    kind, percentile, *sizes = _list(given, "a kind, a percentile, width and length", 4)
    choice("kind", kind, ("", *KINDS))
    share = finite_number("percentile", percentile)
    made_chair("manual", percentile=share)  # says what is wrong
    width, length = (
        None if one is None else finite_number(name, one)
        for name, one in zip(("width", "length"), sizes, strict=True)
    )
    return said_of(kind, share, width, length) if kind else {}


#: Names of a file, of a field of the document, what reads it, and what a file without it has, if it
#: was written before there were such parts.
_PARTS: tuple[tuple[str, str, Callable[[Any], Any], Any], ...] = (
    ("scene", "scene", _text, None),
    ("meshes", "meshes", _meshes, {}),
    ("hidden", "hidden", _names, None),
    ("locked", "locked", _names, None),
    ("held", "held", _held, None),
    ("poses", "poses", lambda value: _rows(value, "postures", 2, _pose), None),
    ("motions", "motions", lambda value: _rows(value, "motions", 3, _motion), {}),
    ("figure", "figure", _name, None),
    ("target", "target", _name, None),
    ("chair", "chair", _chair, ["", 50.0, None, None]),
)


def parts_of(name: str, text: str) -> dict[str, Any]:
    """Return the fields of a document that a file holds, its large meshes by their paths, a chair.

    The scene is the text of its own.

    Raises
    ------
    ReadError
        When it is no document's file, or damaged.
    """
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise ReadError(f"it is damaged: {error.msg}", name, error.lineno) from None
    except (ValueError, RecursionError):
        raise ReadError("it is damaged: too many digits, or lists in lists", name) from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ReadError(f"{name}: it is no document of this application")
    parts: dict[str, Any] = {}
    for key, field, read, before in _PARTS:
        if key not in found and before is None:
            raise ReadError(f"it is damaged: it has no {key!r}", name)
        try:
            parts[field] = read(found.get(key, before))
        except (HandikError, TypeError) as error:
            raise ReadError(f"it is damaged: {error}", name, line_of(text, key), key) from None
    return parts


def line_of(text: str, key: str) -> int:
    """Return the line of a name; as we write files it stands by one blank."""
    at = re.search(rf'^ ?"{key}"\s*:', text, re.M) or re.search(rf'(?<!\\)"{key}"\s*:', text)
    return 1 if at is None else text.count("\n", 0, at.start()) + 1
