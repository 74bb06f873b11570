"""handik's own model files, TOML, to a `ModelSpec`: all that a spec can hold."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from handik.errors import ArgumentError, ModelError, ReadError
from handik.files.read._geometry import MeshFinder
from handik.files.read._text import Lines
from handik.spec import (
    Cone,
    FrameSpec,
    GeometrySpec,
    InertialSpec,
    JointSpec,
    LinkSpec,
    MimicSpec,
    ModelSpec,
    MotorSpec,
    SwingMimicSpec,
)
from handik.spec._given import flag
from handik.spec.limits import ReachCone, TwistTable

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

__all__ = ["read_toml"]

T = TypeVar("T", bound="DataclassInstance")

#: How many commas, keys and tables a document may have, and one more in how many characters. One
#: with more takes tomllib seconds for each megabyte, and is no model: one of 3,000 links as
#: `to_toml` writes it has a comma in 16 characters, a key in 30, a table in 90.
DENSEST = {",": ("commas", 50_000, 8), "=": ("keys", 20_000, 24), "\n[": ("tables", 10_000, 32)}

_DOTTED = re.compile(r"""(?<![\w"'.-])(?:[\w"'-]++[ \t]*+\.[ \t]*+){33}""")
_AT = re.compile(r"\(at line (\d+), column \d+\)$")


def read_toml(
    source: str | bytes | os.PathLike[str],
    mesh_roots: Iterable[str | os.PathLike[str]] = (),
    *,
    check_meshes: bool = False,
) -> ModelSpec:
    """Read a model that `handik.files.write.toml.to_toml` wrote, or a person in the same form.

    Parameters
    ----------
    source : path, str or bytes
        A path; or the document itself, as bytes or as a str of several lines.
    mesh_roots : iterable of paths
        Folders that mesh files may lie in; see `handik.files.read.urdf.read_urdf`.
    check_meshes : bool
        Raise for a missing mesh.

    Returns
    -------
    ModelSpec
        The checked tree.

    Raises
    ------
    ReadError
        For what is not TOML, a key that is not known, a value of the wrong kind, or a tree that
        is not sound; with the line of the table at fault.

    Examples
    --------
    >>> import handik as hk
    >>> read_toml(hk.data("ur5").spec.to_toml()).name
    'ur5'
    """
    lines = Lines(source)
    data = parsed(lines, DENSEST, "model")
    try:
        spec = _model(data, lines)
        folder = None if lines.source is None else os.path.dirname(os.path.abspath(lines.source))
        finder = MeshFinder(folder, mesh_roots)
        for link in spec.links:
            for shape in (*link.visuals, *link.collisions):
                if shape.uri is not None:
                    shape.file = finder.find(shape.uri)
        spec.missing_meshes = list(finder.missing)
        if flag("check_meshes", check_meshes) and spec.missing_meshes:
            raise ReadError(f"the mesh {spec.missing_meshes[0]!r} is in none of the mesh roots")
        spec.check()
    except ReadError as error:
        # What stands in no table is at the head of the file.
        head = 1 if error.element is None else error.line
        raise ReadError(error.reason, lines.path, head, error.element) from None
    except ModelError as error:
        what, name = error.part or ("", "")
        names = [item["name"] for item in data.get(f"{what}s", [])]
        if name not in names:
            raise ReadError(str(error), lines.path, 1) from None
        # Where two have one name the second is at fault.
        number = len(names) - 1 - names[::-1].index(name)
        line = _line(lines, f"{what}s", number, len(names))
        raise ReadError(str(error), lines.path, line, f"[[{what}s]]") from None
    spec.source = lines.source
    return spec


def parsed(lines: Lines, densest: Mapping[str, tuple[str, int, int]], what: str) -> dict[str, Any]:
    """Return the tables of a document that is TOML, and no denser than `what` it says is.

    Raises
    ------
    ReadError
        When it is not; with the line.
    """
    text = "\n".join(lines.lines)
    if dotted := _DOTTED.search(text):  # tomllib takes the square of the time for such a key
        above = text.count("\n", 0, dotted.start())
        raise ReadError("more than 32 words with dots alone between them", lines.path, above + 1)
    for mark, (marks, some, each) in densest.items():
        if (count := text.count(mark)) > some + len(text) // each:
            raise ReadError(
                f"{count} {marks} in {len(text)} characters: no {what} is so dense", lines.path
            )
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, at = f"not TOML: {error}", _AT.search(str(error))
        end = len(lines.lines)
        raise ReadError(reason, lines.path, int(at[1]) if at else end) from None
    except (RecursionError, ValueError) as error:
        raise ReadError(f"not TOML that can be read: {type(error).__name__}", lines.path) from None
    return data


def tables_of(data: bytes, label: str, what: str) -> dict[str, Any]:
    """Return the tables of a TOML file of a caller's own; `what` it is to be.

    Raises
    ------
    ArgumentError
        When it is no TOML in UTF-8.
    """
    try:
        data.decode("utf-8-sig")
        return parsed(Lines(data), {}, what)
    except UnicodeDecodeError as error:
        raise ArgumentError(f"{label} is no TOML file: {error}") from None
    except ReadError as error:
        raise ArgumentError(f"{label} is no TOML file: {error.reason}") from None


def _line(lines: Lines, key: str, number: int, count: int) -> int | None:
    """Line of a table of an array, None where they are not written as ``[[key]]`` each."""
    heading = re.compile(rf"""\s*\[\[\s*["']?{key}["']?\s*\]\]""")
    found = [at for at, line in enumerate(lines.lines, 1) if heading.match(line)]
    return found[number] if len(found) == count else None


def _each(data: dict[str, Any], key: str, build: Callable[[Any], T], lines: Lines) -> Iterator[T]:
    """Yield the parts of an array of tables; what is wrong with one is said with its line."""
    items = _list(data.get(key, []), key)
    for number, item in enumerate(items):
        try:
            yield build(item)
        except ReadError as error:
            line = _line(lines, key, number, len(items))
            raise ReadError(error.reason, None, line, f"[[{key}]]") from None


def _model(data: dict[str, Any], lines: Lines) -> ModelSpec:
    if data.pop("format", None) != "handik 1":
        raise ReadError('the file does not say format = "handik 1"')
    known = {entry.name for entry in fields(ModelSpec)}
    _known(data, known - {"source", "missing_meshes"}, "the model")
    spec = ModelSpec(_text(data.get("name"), "name"))
    for key in ("base", "tip"):
        if key in data:
            setattr(spec, key, _text(data[key], key))
    spec.notes = [_text(note, "a note") for note in _list(data.get("notes", []), "notes")]
    spec.links = list(_each(data, "links", _link, lines))
    spec.joints = list(_each(data, "joints", _joint, lines))
    spec.frames = list(_each(data, "frames", _frame, lines))
    return spec


def _frame(item: Any) -> FrameSpec:
    return _build(FrameSpec, item, {"placement": _array})


def _link(item: Any) -> LinkSpec:
    shapes = {"placement": _array, "size": _tuple, "scale": _tuple, "color": _tuple}

    def shape_list(value: Any) -> list[GeometrySpec]:
        return [_build(GeometrySpec, shape, shapes) for shape in _list(value, "shapes")]

    def body(value: Any) -> InertialSpec:
        return _build(InertialSpec, value, {"center": _array, "inertia": _array})

    return _build(
        LinkSpec, item, {"inertial": body, "visuals": shape_list, "collisions": shape_list}
    )


def _joint(item: Any) -> JointSpec:
    def twist(value: Any) -> Any:
        if not isinstance(value, dict):
            return _tuple(value)
        return _build(TwistTable, value, {"rest": _tuple, "rows": _rows})

    def cone(value: Any) -> Cone | ReachCone:
        if isinstance(value, dict) and "corners" in value:
            return _build(ReachCone, value, {"corners": _rows, "twist": twist})
        return _build(Cone, value, {"half": _limit, "twist": twist})

    def mimic(value: Any) -> MimicSpec | SwingMimicSpec:
        if isinstance(value, dict) and "coefficients" in value:
            return _build(SwingMimicSpec, value, {"coefficients": _tuple})
        return _build(MimicSpec, value, {})

    return _build(
        JointSpec,
        item,
        {
            "placement": _array,
            "axis": _tuple,
            "axis2": _tuple,
            "lower": _limit,
            "upper": _limit,
            "mimic": mimic,
            "motor": lambda value: _build(MotorSpec, value, {}),
            "cone": cone,
            "hold": _tuple,
            "neutral": _tuple,
        },
    )


def _build(kind: type[T], item: Any, convert: Mapping[str, Callable[[Any], Any]]) -> T:
    """Return a dataclass from a table: no key unknown, no obligatory one missing."""
    what = kind.__name__.removesuffix("Spec").lower()
    if not isinstance(item, dict):
        raise ReadError(f"a {what} must be a table")
    name = item.get("name")
    what = f"{what} {name!r}" if isinstance(name, str) else what
    entries = {entry.name: entry for entry in fields(kind)}
    _known(item, set(entries) - {"file"}, what)
    values = {}
    for key, value in item.items():
        if key in convert:
            values[key] = convert[key](value)
        elif "str" in str(entries[key].type):
            values[key] = _text(value, f"{what}: {key}")
        else:
            values[key] = _number(value)
    try:
        return kind(**values)
    except TypeError:
        raise ReadError(f"{what}: an obligatory key is missing") from None


def _known(item: dict[str, Any], known: set[str], what: str) -> None:
    for key in item:
        if key not in known:
            raise ReadError(f"{what}: {key!r} is not known; there are: " + ", ".join(sorted(known)))


def _text(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise ReadError(f"{what} must be a text, not {value!r:.60}")
    return value


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise ReadError(f"{what} must be a list")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ReadError(f"{value!r:.60} is not a number")
    try:
        return float(value)
    except OverflowError:
        raise ReadError("a whole number is too large") from None


def _tuple(value: Any) -> tuple[float, ...]:
    return tuple(_number(item) for item in _list(value, "a row of numbers"))


def _rows(value: Any) -> tuple[tuple[float, ...], ...]:
    return tuple(_tuple(row) for row in _list(value, "rows of numbers"))


def _limit(value: Any) -> float | tuple[float, ...]:
    return _tuple(value) if isinstance(value, list) else _number(value)


def _array(value: Any) -> Any:
    rows = _list(value, "an array")
    if rows and isinstance(rows[0], list):
        table = [_tuple(row) for row in rows]
        if len({len(row) for row in table}) != 1:
            raise ReadError("the rows of an array differ in length")
        return np.array(table)
    return np.array(_tuple(rows))
