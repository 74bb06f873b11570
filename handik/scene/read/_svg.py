"""Floor plans from SVG: closed outlines become prisms, lines become walls as thick as their stroke.

The drawing's y points down and is turned up; its unit is that of ``width`` over the ``viewBox``, or
a pixel of 1/96 inch. Curves are drawn through 16 points each, circles as 48 corners.

References
----------
W3C, Scalable Vector Graphics (SVG) 1.1, second edition, 2011, chapters 7 to 9.
"""

from __future__ import annotations

import re
from cmath import phase
from itertools import pairwise
from math import cos, hypot, isfinite, pi, radians, sin, tan
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.files.read._xml import Element, numbers, parse
from handik.scene.document import Scene
from handik.scene.nodes import MOST_NODES, Node
from handik.scene.read._given import UNITS, Import, unique
from handik.scene.shapes import Prism

__all__ = ["importer"]

Matrix: TypeAlias = NDArray[np.float64]
#: A run of points, and whether it closes.
Run: TypeAlias = tuple[list[complex], bool]

_LENGTH = re.compile(r"\s*([-+0-9.eE]+)\s*([a-z%]*)\s*")
_TRANSFORM = re.compile(r"(matrix|translate|scale|rotate|skewX|skewY)\s*\(([^)]*)\)")
_STEP = re.compile(r"([MmZzLlHhVvCcQqSsTtAa])|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
_TAKES = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "Q": 4, "A": 7, "Z": 0}
_CURVE, _CIRCLE = 16, 48
_SKIPPED = {
    "defs",
    "symbol",
    "clipPath",
    "mask",
    "marker",
    "pattern",
    "metadata",
    "title",
    "desc",
    "style",
}
_SHAPES = {"rect", "polygon", "polyline", "line", "circle", "ellipse", "path"}


def importer(wish: Import) -> Scene:
    """Read an ``.svg``."""
    root = parse(wish.bytes(), path=wish.path)
    for element in root.walk():
        element.tag = element.tag.rpartition("}")[2]
    if root.tag != "svg":
        wish.fail(f"the root element is <{root.tag}>, not <svg>")
    scale = wish.meters(_unit(root))
    start = np.array([[scale, 0, 0], [0, -scale, 0], [0, 0, 1.0]])
    if wish.left_handed:
        start[0] *= -1
    drawing = _Drawing(wish, abs(scale))
    stack = [(root, start)]
    while stack:
        element, matrix = stack.pop()
        if element.tag in _SKIPPED:
            continue
        if element.tag in _SHAPES:
            drawing.take(element, matrix @ _transform(element))
            continue
        inner = matrix @ _transform(element)
        stack += [(child, inner) for child in reversed(element.children)]
    if not drawing.nodes:
        wish.fail("it draws no outline and no line")
    return Scene(drawing.nodes, wish.stem)


def _length(element: Element, key: str, default: float = 0.0) -> tuple[float, str]:
    """Return a length in the units that stand behind it."""
    written = element.get(key)
    if written is None:
        return default, ""
    found = _LENGTH.fullmatch(written)
    try:
        value = numbers(found[1], 1)[0] if found else None
    except ValueError:
        value = None
    if found is None or value is None:
        element.fail(f"{key}: {written[:40]!r} is no length")
    return value, found[2]


def _unit(root: Element) -> float:
    """Return the meters of a length of one."""
    box = None
    if "viewBox" in root.attributes:
        try:
            box = numbers(root.attributes["viewBox"].replace(",", " "), 4)
        except ValueError as error:
            root.fail(f"viewBox: {error}")
        if min(box[2:]) <= 0:
            root.fail("viewBox has no area")
    width, unit = _length(root, "width", 0.0)
    if unit not in ("", "%") and unit not in UNITS:
        root.fail(f"width: {unit!r} is none of {', '.join(UNITS)}")
    if box is None or width <= 0 or unit == "%":
        return UNITS["px"]
    return width * UNITS[unit or "px"] / box[2]


def _transform(element: Element) -> Matrix:
    found = np.eye(3)
    for word, inside in _TRANSFORM.findall(element.get("transform", "")):
        try:
            found = found @ _matrix(word, numbers(inside.replace(",", " ")))
        except (ValueError, IndexError):
            element.fail(f"transform: {word}({inside[:40]}) is none")
    if not np.isfinite(found).all():
        element.fail("its transforms are beyond all numbers")
    return found


def _matrix(word: str, given: list[float]) -> Matrix:
    """Return the matrix of one word of a transform."""
    out = np.eye(3)
    if word == "matrix":
        a, b, c, d, e, f = given
        out[:2] = [[a, c, e], [b, d, f]]
    elif word == "translate":
        out[:2, 2] = given[0], given[1] if len(given) > 1 else 0.0
    elif word == "scale":
        out[0, 0], out[1, 1] = given[0], given[1] if len(given) > 1 else given[0]
    elif word == "rotate":
        c, s = cos(radians(given[0])), sin(radians(given[0]))
        out[:2, :2] = [[c, -s], [s, c]]
        if len(given) == 3:
            there, back = np.eye(3), np.eye(3)
            there[:2, 2], back[:2, 2] = given[1:], [-given[1], -given[2]]
            out = there @ out @ back
    else:
        out[(0, 1) if word == "skewX" else (1, 0)] = tan(radians(given[0]))
    return out


class _Drawing:
    """The nodes found so far."""

    def __init__(self, wish: Import, scale: float) -> None:
        self.wish, self.scale = wish, scale
        self.nodes: list[Node] = []
        self.taken: set[str] = set()

    def take(self, element: Element, matrix: Matrix) -> None:
        """Make nodes of one element."""
        for points, closed in _runs(element):
            rows = np.array([[p.real, p.imag, 1.0] for p in points]) @ matrix.T
            if not np.isfinite(rows).all():
                element.fail("a point of it is not finite")
            if closed and len(rows) > 2:
                self._prism(element, rows[:, :2])
            else:
                self._walls(element, rows[:, :2], matrix)

    def _prism(self, element: Element, corners: Matrix) -> None:
        self.wish.counted(len(self.nodes) + 1)
        name = unique(element.get("id"), self.taken, element.tag)
        try:
            shape = Prism(tuple((float(x), float(y)) for x, y in corners), self.wish.height)
            self.nodes.append(Node(name, shape, tags=_tags(element)))
        except ArgumentError as error:
            element.fail(f"it makes no prism: {error}")

    def _walls(self, element: Element, rows: Matrix, matrix: Matrix) -> None:
        style = dict(
            part.split(":", 1) for part in element.get("style", "").split(";") if ":" in part
        )
        written = element.get("stroke-width") or style.get("stroke-width", "1").strip()
        found = _LENGTH.fullmatch(written)
        try:
            width = numbers(found[1], 1)[0] if found else -1.0
        except ValueError:
            width = -1.0
        if width <= 0:
            element.fail(f"stroke-width {written[:40]!r} is no thickness of a wall")
        half = width * abs(float(np.linalg.det(matrix[:2, :2]))) ** 0.5 / 2
        for a, b in pairwise(rows):
            long = hypot(*(b - a))
            if long > 0 and isfinite(long):
                side = np.array([a[1] - b[1], b[0] - a[0]]) * half / long
                self._prism(element, np.array([a - side, b - side, b + side, a + side]))


def _tags(element: Element) -> list[str]:
    """Return the classes of an element that can be tags."""
    words = (element.get("class", "") or "").lower().split()
    return sorted({word for word in words[:16] if re.fullmatch(r"[a-z0-9][a-z0-9_.-]{0,99}", word)})


def _runs(element: Element) -> list[Run]:
    """Return the outlines and lines of one element, in its own coordinates."""
    size = {
        key: _length(element, key)[0]
        for key in ("x", "y", "width", "height", "cx", "cy", "r", "rx", "ry")
    }
    if element.tag == "rect":
        x, y, w, h = (size[key] for key in ("x", "y", "width", "height"))
        return [
            ([complex(x, y), complex(x + w, y), complex(x + w, y + h), complex(x, y + h)], True)
        ]
    if element.tag in ("circle", "ellipse"):
        rx, ry = (size["r"], size["r"]) if element.tag == "circle" else (size["rx"], size["ry"])
        angles = [2 * pi * k / _CIRCLE for k in range(_CIRCLE)]
        return [
            ([complex(size["cx"] + rx * cos(a), size["cy"] + ry * sin(a)) for a in angles], True)
        ]
    if element.tag == "line":
        ends = [_length(element, key)[0] for key in ("x1", "y1", "x2", "y2")]
        return [([complex(*ends[:2]), complex(*ends[2:])], False)]
    if element.tag == "path":
        return _path(element)
    try:
        rows = numbers(element.get("points", "").replace(",", " "))
    except ValueError as error:
        element.fail(f"points: {error}")
    if len(rows) % 2 or len(rows) < 4:
        element.fail("points must be two or more pairs of numbers")
    return [([complex(*rows[k : k + 2]) for k in range(0, len(rows), 2)], element.tag == "polygon")]


def _path(element: Element) -> list[Run]:
    """Return the runs of a path of the steps M L H V C Q A Z, in capitals or small."""
    text = element.get("d", "")
    if _STEP.sub("", text).replace(",", "").strip():
        element.fail("d: there is something in it that is no step of a path")
    words = [found[1] or float(found[2]) for found in _STEP.finditer(text)]
    runs: list[Run] = []
    here, k, step = 0j, 0, ""
    while k < len(words):
        word = words[k]
        if isinstance(word, str):
            step, k = word, k + 1
        takes = _TAKES.get(step.upper())
        if takes is None:
            element.fail(f"d: the step {step or word!r} is not read; M L H V C Q A Z are")
        given = words[k : k + takes]
        if len(given) < takes or not all(isinstance(x, float) for x in given):
            element.fail(f"d: the step {step} takes {takes} numbers")
        k += takes
        here = _one_step(element, runs, step, [x for x in given if isinstance(x, float)], here)
        if takes == 0:
            step = ""
        elif step in "Mm":
            step = "L" if step == "M" else "l"
        if len(runs) > MOST_NODES:
            element.fail("d: too many runs")
    return [run for run in runs if len(run[0]) > 1]


def _arc(
    start: complex, end: complex, rx: float, ry: float, turn: float, large: float, sweep: float
) -> list[complex]:
    """Return points of an elliptic arc, its start left out; as chapter F.6.5 of SVG 1.1 has it."""
    rx, ry = abs(rx), abs(ry)
    if rx == 0 or ry == 0 or start == end:
        return [end]
    axis = complex(cos(radians(turn)), sin(radians(turn)))
    half = (start - end) / 2 / axis
    one = complex(half.real / rx, half.imag / ry)  # on the unit circle, about the middle
    if (size := abs(one)) > 1:
        rx, ry, one, size = rx * size, ry * size, one / size, 1.0
    side = 1 if bool(large) != bool(sweep) else -1
    center = side * (1 / size**2 - 1) ** 0.5 * complex(one.imag, -one.real)
    first, last = phase(one - center), phase(-one - center)
    if sweep and last < first:
        last += 2 * pi
    elif not sweep and last > first:
        last -= 2 * pi
    angles = [first + (last - first) * k / _CURVE for k in range(1, _CURVE)]
    round_ = [center + complex(cos(a), sin(a)) for a in angles]
    middle = (start + end) / 2
    return [*(middle + axis * complex(p.real * rx, p.imag * ry) for p in round_), end]


def _one_step(
    element: Element, runs: list[Run], step: str, given: list[float], here: complex
) -> complex:
    """Add one step to the last run; return where it ends."""
    kind, origin = step.upper(), here if step.islower() else 0j
    if kind == "M":
        here = origin + complex(*given)
        runs.append(([here], False))
        return here
    if not runs:
        element.fail("d: a path begins with M")
    points, closed = runs[-1]
    if closed:
        points = [points[0]]
        runs.append((points, False))
    if kind == "Z":
        runs[-1] = (points, True)
        return points[0]
    if kind == "A":
        points += _arc(here, origin + complex(*given[5:]), *given[:5])
        return points[-1]
    if kind == "H":
        ends = [complex(origin.real + given[0], here.imag)]
    elif kind == "V":
        ends = [complex(here.real, origin.imag + given[0])]
    else:
        ends = [origin + complex(*given[j : j + 2]) for j in range(0, len(given), 2)]
    if len(ends) == 1:
        points.append(ends[0])
        return ends[0]
    control = [here, *ends]
    for j in range(1, _CURVE + 1):
        row, t = control, j / _CURVE
        while len(row) > 1:
            row = [a + (b - a) * t for a, b in pairwise(row)]
        points.append(row[0])
    return ends[-1]
