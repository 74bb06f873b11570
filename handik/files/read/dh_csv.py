"""Denavit-Hartenberg tables as text: comma, semicolon, tab or blank between columns.

A table begins with a line of column names, in any order and of either case::

    # convention: modified
    joint, theta (deg), d_mm, a_mm, alpha (deg), lower (deg), upper (deg)
    shoulder, q1, 0, 0, 0, -160, 160
    elbow, q2 + 90, 149.09, 0, -90, ,

Needed are ``theta``, ``d``, ``a`` and ``alpha`` (`COLUMNS` has their other names and the columns
that may be left out). A unit stands behind a name: ``deg``, ``mm`` or ``cm``, in brackets or after
an underscore; without one a column is in radians or meters, and offsets and limits are in the unit
of the joint's coordinate. A cell is a number, a part of pi such
as ``-pi/2`` (radians whatever the column's unit), empty (zero, or no limit), or, for the coordinate
of the joint, a word such as ``q1`` with a constant behind it. Lines that begin with ``#`` are
comments, except those above the table that say ``convention``, ``name``, ``base`` or ``tool``
(rows of a (4, 4) placement), which may also stand without ``#``.
"""

from __future__ import annotations

import os
import re
from math import inf, pi, radians
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, ModelError, ReadError
from handik.files.read._text import Lines
from handik.files.read._xml import Limits, limits_of, number
from handik.files.read.dh import check_convention, from_dh
from handik.spec import ModelSpec
from handik.spec._given import text

__all__ = ["COLUMNS", "read_dh"]

Array = NDArray[np.float64]

#: Column -> its names, in lower case, without unit, blanks, dots and underscores.
COLUMNS: dict[str, tuple[str, ...]] = {
    "name": ("name", "joint", "link", "i", "j", "n"),
    "kind": ("kind", "type", "jointtype", "sigma"),
    "theta": ("theta", "θ", "ϑ", "thetai", "θi", "th"),
    "d": ("d", "di"),
    "a": ("a", "ai", "ai1", "ai-1", "r", "ri"),
    "alpha": ("alpha", "α", "alphai", "αi", "alphai1", "alphai-1", "αi-1", "al"),
    "offset": ("offset", "jointoffset"),
    "lower": ("lower", "min", "qmin", "thetamin", "lowerlimit", "qlim1"),
    "upper": ("upper", "max", "qmax", "thetamax", "upperlimit", "qlim2"),
}
_KNOWN = {other: key for key, names in COLUMNS.items() for other in names}
_ANGLES = ("theta", "alpha")
_MOVING = ("offset", "lower", "upper")  # in the unit of the joint's own coordinate
_NEEDED = ("theta", "d", "a", "alpha")
_KINDS = {
    **dict.fromkeys(("r", "revolute", "rotary", "0"), "revolute"),
    **dict.fromkeys(("p", "prismatic", "slide", "1"), "prismatic"),
    **dict.fromkeys(("f", "fixed", "2"), "fixed"),
}
_UNITS = {
    "rad": (1.0, True), "radian": (1.0, True), "radians": (1.0, True),
    "deg": (radians(1.0), True), "degree": (radians(1.0), True),
    "degrees": (radians(1.0), True), "°": (radians(1.0), True),
    "m": (1.0, False), "cm": (1e-2, False), "mm": (1e-3, False),
}  # fmt: skip
_UNIT = re.compile(r"(?:[_\s]+|\s*[\[(])([a-z]+|°)[\])]?$")
_META = re.compile(r"#?\s*(convention|name|base|tool)\s*(?:[:=,;]|\s)\s*(.*)$", re.IGNORECASE)
_LONGEST = 40  # signs at the end of a label that may be its unit
_ENDS = " \t\v\f,;"  # commas that a spreadsheet leaves behind
_VARIABLE = re.compile(r"(?:q|th|theta|θ|d|\*)[_\s]?[0-9i]*\*?\s*(?=$|[+-])", re.IGNORECASE)
_PI = re.compile(r"([+-]?)\s*([0-9.]*)\s*\*?\s*(?:pi|π)\s*(?:/\s*([0-9.]+))?$", re.IGNORECASE)


def read_dh(
    source: str | bytes | os.PathLike[str],
    convention: str | None = None,
    *,
    name: str | None = None,
    limits: Limits | None = None,
) -> ModelSpec:
    """Read a table of Denavit-Hartenberg parameters, such as a ``.csv`` file.

    Parameters
    ----------
    source : path, str or bytes
        A path; or the table itself, as bytes or as a str of several lines.
    convention : str, optional
        ``"standard"`` or ``"modified"`` (Craig). By default what the file says, or standard, which
        a note tells.
    name : str, optional
        Name of the arm; by default what the file says, or the name of the file.
    limits : Limits, optional
        Bytes of the file, and rows of the table (`joints`).

    Returns
    -------
    ModelSpec
        An arm as `handik.files.read.dh.from_dh` builds it.

    Raises
    ------
    ReadError
        With file, line and column, for a missing or doubled column, a unit that does not fit, a
        row of another length, a cell that is no number, reversed limits or equal names.

    Examples
    --------
    >>> text = '''theta (deg), d (m), a (m), alpha (deg)
    ... 0, 0.4, 0, 90
    ... 0, 0, 0.5, 0
    ... '''
    >>> sum(joint.kind == "revolute" for joint in read_dh(text).joints)
    2
    """
    limits = limits_of(limits)
    called = None if name is None else text("name", name)
    return _Table(Lines(source, limits.size), convention, called, limits.joints).read()


class _Table:
    """One table on its way to a spec."""

    def __init__(self, lines: Lines, convention: str | None, name: str | None, most: int) -> None:
        self.lines, self.name, self.convention, self.most = lines, name, convention, most
        self.places: dict[str, Array] = {}
        self.notes: list[str] = []
        self.units: dict[str, tuple[float, bool]] = {}  # factor to SI, and whether of an angle
        self.bare: set[str] = set()  # columns of angles with numbers and no unit
        self.mark = ","
        self.at = 0  # the line being read, from 1

    def fail(self, reason: str, column: str | None = None) -> NoReturn:
        self.lines.fail(reason, self.at, None if column is None else f"column {column}")

    def read(self) -> ModelSpec:
        if self.convention is not None:
            check_convention(self.convention)
        rows: list[dict[str, str]] = []
        where: list[int] = []
        head: list[str] = []
        for at, line in enumerate(self.lines.lines, 1):
            self.at = at
            bare = line.strip(" \ufeff")  # a tab at an end is an empty cell
            if not head and self.meta(bare.strip()):
                continue
            if not bare.strip(",;\t ") or (bare[0] == "#" and (head or not _names_all(bare[1:]))):
                continue
            if not head:
                bare = bare.lstrip("# ").rstrip()
                self.mark = _separator(bare)
                head = self.header(bare)
                continue
            if len(rows) == self.most:
                self.fail(f"more than {self.most} rows")
            rows.append(self.cells(bare, head))
            where.append(self.at)
        self.at = len(self.lines.lines)
        if not rows:
            self.fail("there is no row under the names of the columns" if head else "no table")
        return self.build(rows, where)

    def meta(self, line: str) -> bool:
        """Take a line above the table that says something of the whole."""
        found = _META.match(line)
        if found is None or (line[0] != "#" and ("alpha" in line.lower() or "α" in line)):
            return False  # nothing, or the names of the columns
        key, value = found[1].lower(), found[2].rstrip(_ENDS).strip('"')
        if key == "convention":
            written = value.lower()
            written = {"craig": "modified", "mdh": "modified", "dh": "standard"}.get(
                written, written
            )
            if written not in ("standard", "modified"):
                self.fail(f"the convention is {value!r}, not standard or modified")
            self.convention = self.convention or written
        elif key == "name":
            self.name = self.name or value
        else:
            words = re.split(r"[,;\s]+", value)
            if len(words) != 16:
                self.fail(f"{key}: 16 numbers of a (4, 4) placement expected, found {len(words)}")
            self.places[key] = np.array([self.number(word, key) for word in words]).reshape(4, 4)
        return True

    def header(self, line: str) -> list[str]:
        """Return what each column means; unknown ones are empty."""
        head: list[str] = []
        for count, label in enumerate(_split(line, self.mark), 1):
            key, unit = _column(label)
            if key in head and key:
                self.fail(f"another column {key}", f"{count} ({label})")
            if key and unit:
                self.units[key] = _UNITS[unit]
                if key in _NEEDED and self.units[key][1] != (key in _ANGLES):
                    self.fail(f"the unit {unit} does not fit", f"{count} ({label})")
            if not key:
                self.notes.append(f"line {self.at}: the column {label!r} is not known, passed over")
            head.append(key)
        missing = [key for key in _NEEDED if key not in head]
        if missing:
            self.fail(
                f"the names of the columns miss {', '.join(missing)}: the first line of a table "
                f"names its columns, such as theta, d, a, alpha; found {line[:80]!r}"
            )
        return head

    def cells(self, line: str, head: list[str]) -> dict[str, str]:
        words = _split(line, self.mark)
        while len(words) > len(head) and not words[-1]:
            words.pop()
        if len(words) != len(head):
            hint = "; a number has a point, never a comma" if len(words) == 2 * len(head) else ""
            self.fail(f"{len(words)} cells under {len(head)} names of columns{hint}")
        return {key: word for key, word in zip(head, words, strict=True) if key}

    def number(self, word: str, column: str, scale: float = 1.0) -> float:
        part = _PI.match(word)
        try:
            if part is None:
                return scale * number(word)
            below = number(part[3] or "1")
            if below == 0:
                raise ValueError(f"{word!r} divides by zero")
            size = pi * number(part[2] or "1") / below
        except ValueError as error:
            self.fail(str(error), column)
        return -size if part[1] == "-" else size

    def angle(self, key: str, word: str, value: float) -> None:
        """Note an angle that is written without a unit; one that can be no radians is refused."""
        if key not in _ANGLES or key in self.units or not value or _PI.match(word):
            return
        self.bare.add(key)
        if key == "alpha" and abs(value) > 2 * pi:
            self.fail(
                f"{word} is more than a full turn in radians; for degrees write {key} (deg)", key
            )

    def scale(self, key: str, kind: str) -> float:
        """Factor of a column's numbers; limits and offsets go by the joint's coordinate."""
        factor, angle = self.units.get(key, (1.0, kind == "revolute"))
        if key in _MOVING and key not in self.units:
            own = self.units.get("theta" if kind == "revolute" else "d")
            factor = 1.0 if own is None else own[0]
        elif key in _MOVING and angle != (kind == "revolute"):
            self.fail(f"the unit does not fit a {kind} joint", key)
        return factor

    def build(self, rows: list[dict[str, str]], where: list[int]) -> ModelSpec:
        table: list[list[float]] = []
        kinds: list[str] = []
        names: dict[str, None] = {}
        limits: dict[str, list[float]] = {"lower": [], "upper": []}
        for count, (row, at) in enumerate(zip(rows, where, strict=True), 1):
            self.at = at
            kind, values = self.row(row)
            for side, none in (("lower", -inf), ("upper", inf)):
                word = row.get(side, "")
                if kind == "fixed" or word.lower() in ("", "-", "inf", "+inf", "-inf"):
                    limits[side].append(none)
                else:
                    limits[side].append(self.number(word, side, self.scale(side, kind)))
            if limits["lower"][-1] > limits["upper"][-1]:
                low, high = limits["lower"][-1], limits["upper"][-1]
                self.fail(f"the limits are reversed: {low:g} to {high:g}", "lower")
            label = row.get("name", "")
            label = f"joint_{count}" if not label or label.isdigit() else label
            if label in names:
                self.fail(f"another joint is called {label!r}", "name")
            table.append(values)
            kinds.append(kind)
            names[label] = None
        return self.spec(np.array(table), kinds, list(names), limits)

    def row(self, row: dict[str, str]) -> tuple[str, list[float]]:
        """Kind and theta, d, a, alpha of a row."""
        moving = [key for key in ("theta", "d") if _VARIABLE.match(row[key])]
        written = row.get("kind", "").lower()
        if written and written not in _KINDS:
            self.fail(f"{row['kind']!r} is no kind of joint: R, P or F", "kind")
        kind = _KINDS[written] if written else "prismatic" if moving == ["d"] else "revolute"
        own = {"revolute": "theta", "prismatic": "d"}.get(kind)
        values = []
        for key in _NEEDED:
            word = row[key]
            if key in moving:
                if key != own:
                    self.fail(f"{word!r} moves, but the joint is {kind}", key)
                word = _VARIABLE.sub("", word, count=1).replace(" ", "").lstrip("+")
            factor = self.units.get(key, (1.0, True))[0]
            values.append(self.number(word, key, factor) if word else 0.0)
            self.angle(key, word, values[-1])
        word = row.get("offset", "")
        if word and kind != "fixed":
            values[_NEEDED.index(own or "")] += self.number(
                word, "offset", self.scale("offset", kind)
            )
        return kind, values

    def spec(
        self, table: Array, kinds: list[str], names: list[str], limits: dict[str, list[float]]
    ) -> ModelSpec:
        if self.convention is None:
            self.notes.append("the table does not say its convention: taken as standard")
        if self.bare:
            said = " and ".join(sorted(self.bare))
            self.notes.append(f"the table does not say the unit of {said}: taken as radians")
        if not self.name:
            stem = os.path.splitext(os.path.basename(self.lines.path))[0]
            self.name = stem.strip("<>") or "dh"
        try:
            spec = from_dh(
                table,
                self.convention or "standard",
                kinds=kinds,
                lower=np.array(limits["lower"]),
                upper=np.array(limits["upper"]),
                names=names,
                base=self.places.get("base"),
                tool=self.places.get("tool"),
                name=self.name,
            )
        except (ModelError, ArgumentError) as error:
            if isinstance(error, ReadError):
                raise
            raise ReadError(str(error), self.lines.path) from None
        for joint in spec.joints:
            if joint.lower == -inf and joint.upper == inf:
                joint.lower = joint.upper = None
        spec.notes, spec.source = self.notes, self.lines.source
        return spec


def _split(line: str, mark: str) -> list[str]:
    words = line.split() if mark == " " else line.split(mark)
    return [word.strip().strip('"').strip() for word in words]


def _column(label: str) -> tuple[str, str]:
    """Return what a column's label means, or nothing, and its unit, or nothing."""
    word = label.lower()
    end = word[-_LONGEST:]
    found = _UNIT.search(end)
    unit = found[1] if found is not None and found[1] in _UNITS else ""
    if found is not None and unit:
        word = word[: len(word) - len(end) + found.start()]
    return _KNOWN.get(re.sub(r"[\s_.]", "", word), ""), unit


def _names_all(line: str) -> bool:
    """Tell a comment that names the columns, as `numpy.savetxt` writes them, from others."""
    keys = [_column(label)[0] for label in _split(line.strip(), _separator(line))]
    return all(keys) and set(_NEEDED) <= set(keys)


def _separator(line: str) -> str:
    """Return the sign between the columns of a line."""
    return next((mark for mark in ("\t", ";", ",") if mark in line), " ")
