"""Symbols of kinematic pairs after ISO 3952-1, as solids in space drawn on paper.

Each symbol is made in space about its own axis and then projected, so that one routine draws the
side view, the end view and all between: a sleeve seen along its axis is a circle. The parent's half
of a pair has the parent's color, the child's half the child's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.patches import FancyArrowPatch, Polygon
from matplotlib.path import Path
from numpy.typing import NDArray

__all__ = ["INK", "Paper", "Symbol", "across", "draw_symbol", "ring"]

Array = NDArray[np.float64]

INK = "#1b2430"
#: Radius of a sleeve over half of its length.
SLIM = 0.55
#: How far a shaft sticks out of its sleeve, and where its stop is, in half lengths.
OUT, STOP = 1.75, 1.3
#: Cosine to the line of sight from which a sleeve is seen end on: its stops would hide in it.
END_ON = 0.94


@dataclass(frozen=True, slots=True, eq=False)
class Paper:
    """The plane of the drawing: what is to the right, up and towards the reader, and its axes."""

    ax: Any
    sides: Array  # (3, 3), rows right, up, towards the reader
    extent: float  # of what is drawn, meters

    @classmethod
    def flat(cls, ax: Any, shown: Sequence[int], extent: float) -> Paper:
        """Look at two of the world's axes, the first to the right and the second up."""
        right, up = np.eye(3)[shown[0]], np.eye(3)[shown[1]]
        return cls(ax, np.array([right, up, np.cross(right, up)]), extent)

    @classmethod
    def seen_from(cls, ax: Any, elevation: float, azimuth: float, extent: float) -> Paper:
        """Look from a side, z up, without perspective."""
        (ce, se), (ca, sa) = ((np.cos(x), np.sin(x)) for x in (elevation, azimuth))
        towards = np.array([ce * ca, ce * sa, se])
        right = np.array([-sa, ca, 0.0])
        return cls(ax, np.array([right, np.cross(towards, right), towards]), extent)

    @property
    def towards(self) -> Array:
        """Direction from the drawing to the reader."""
        found: Array = self.sides[2]
        return found

    def __call__(self, points: Any) -> Array:
        """Project points (..., 3) to the paper (..., 2)."""
        found: Array = np.asarray(points, float) @ self.sides[:2].T
        return found

    def order(self, points: Any, over: float) -> float:
        """Return when to draw: later what is nearer to the reader, by shares of the extent."""
        return 3.0 + over + float(np.mean(np.asarray(points, float) @ self.sides[2])) / self.extent

    def line(self, points: Any, color: str, over: float = 0.0, gid: str = "", **how: Any) -> None:
        """Draw a line through points of space; `over` lifts it above what is in one place."""
        way = self(points)
        how = {"linewidth": 2.0, "solid_capstyle": "round"} | how
        (made,) = self.ax.plot(
            way[:, 0], way[:, 1], color=color, zorder=self.order(points, over), **how
        )
        made.set_gid(gid or None)

    def fill(self, points: Any, color: str, over: float, gid: str = "", face: str = "w") -> None:
        """Draw the outline of what points of space cover, filled."""
        made = Polygon(
            _hull(self(points)), closed=True, facecolor=face, edgecolor=color, linewidth=1.5,
            zorder=self.order(points, over),
        )  # fmt: skip
        made.set_gid(gid or None)
        self.ax.add_patch(made)

    def arrow(self, points: Any, color: str, over: float, gid: str) -> None:
        """Draw a line through points of space with a head at its end."""
        made = FancyArrowPatch(
            path=Path(self(points)), arrowstyle="-|>", mutation_scale=9, color=color,
            linewidth=1.2, shrinkA=0, shrinkB=0, zorder=self.order(points, over),
        )  # fmt: skip
        made.set_gid(gid)
        self.ax.add_patch(made)


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """One pair to draw: where, about which axes, how big, in which colors."""

    name: str
    kind: str
    at: Array  # (3,)
    axis: Array  # unit
    axis2: Array  # unit, across
    size: float  # half of the length of a sleeve, meters
    parent: str  # color
    child: str  # color
    arrives: int  # side of the axis on which the parent's line comes to the sleeve, 0 for none
    before: Array  # (3,) direction towards the parent
    after: Array  # (3,) direction towards the child


def across(axis: Array) -> tuple[Array, Array]:
    """Two units that make a right-handed frame with an axis as its third."""
    first = np.eye(3)[int(np.argmin(np.abs(axis)))]
    first = first - axis * (axis @ first)
    first = first / np.linalg.norm(first)
    return first, np.cross(axis, first)


def ring(at: Array, axis: Array, radius: float, angles: Any, start: Array | None = None) -> Array:
    """Points of a circle about an axis, by angles that grow by the right-hand rule."""
    first, second = across(axis) if start is None else (start, np.cross(axis, start))
    angles = np.asarray(angles, float)[:, None]
    found: Array = at + radius * (np.cos(angles) * first + np.sin(angles) * second)
    return found


def draw_symbol(paper: Paper, symbol: Symbol) -> None:
    """Draw one pair."""
    _DRAW[symbol.kind](paper, symbol)


_ROUND = np.linspace(0, 2 * np.pi, 49)


def _sleeve(paper: Paper, s: Symbol) -> None:
    ends = [
        ring(s.at + side * s.size * s.axis, s.axis, SLIM * s.size, _ROUND) for side in (-1.0, 1.0)
    ]
    paper.fill(np.vstack(ends), s.parent, 0.02, f"sleeve:{s.name}")
    near = ends[int(s.axis @ paper.towards > 0)]
    paper.line(near, s.parent, 0.03, linewidth=1.2)


def _shaft(paper: Paper, s: Symbol, *, stops: bool) -> None:
    """Draw what the child has in the sleeve: a line out of it, held by a stop where it may turn."""
    sides = [side for side in (-1, 1) if side != s.arrives]
    for side in sides:
        way = s.at + np.array([[side * s.size], [side * OUT * s.size]]) * s.axis
        behind = side * float(s.axis @ paper.towards) < 0
        paper.line(way, s.child, -0.01 if behind else 0.04, f"shaft:{s.name}")
        if stops and abs(float(s.axis @ paper.towards)) < END_ON:
            disc = ring(s.at + side * STOP * s.size * s.axis, s.axis, 0.5 * s.size, _ROUND)
            paper.line(disc, s.child, -0.01 if behind else 0.04, f"stop:{s.name}", linewidth=1.6)


def _revolute(paper: Paper, s: Symbol) -> None:
    _sleeve(paper, s)
    _shaft(paper, s, stops=True)


def _cylindrical(paper: Paper, s: Symbol) -> None:
    _sleeve(paper, s)
    _shaft(paper, s, stops=False)


def _helical(paper: Paper, s: Symbol) -> None:
    """Draw the thread on the sleeve's near side, right-handed as most screws are."""
    _sleeve(paper, s)
    _shaft(paper, s, stops=False)
    turns = np.linspace(-3 * np.pi, 3 * np.pi, 200)
    spin = ring(np.zeros(3), s.axis, SLIM * s.size, turns)
    thread = s.at + spin + np.outer(turns / turns[-1], 0.9 * s.size * s.axis)
    thread[(spin @ paper.towards) < 0] = np.nan
    way = paper(thread)
    (made,) = paper.ax.plot(way[:, 0], way[:, 1], color=s.child, linewidth=1.2)
    made.set_zorder(paper.order(s.at, 0.04))
    made.set_gid(f"thread:{s.name}")


def _prismatic(paper: Paper, s: Symbol) -> None:
    """Draw a sleeve with corners, which lets nothing turn, crossed on its end."""
    turned = ring(np.zeros(3), s.axis, 1.25 * SLIM * s.size, np.pi / 4 + np.pi / 2 * np.arange(4))
    ends = [s.at + side * s.size * s.axis + turned for side in (-1.0, 1.0)]
    paper.fill(np.vstack(ends), s.parent, 0.02, f"sleeve:{s.name}")
    near = ends[int(s.axis @ paper.towards > 0)]
    paper.line(np.vstack([near, near[:1]]), s.parent, 0.03, linewidth=1.2)
    for corner in (0, 1):
        paper.line(near[[corner, corner + 2]], s.parent, 0.03, f"cross:{s.name}", linewidth=1.0)
    _shaft(paper, s, stops=False)


def _spherical(paper: Paper, s: Symbol) -> None:
    """Draw the child's ball in the parent's socket, which is open towards the child."""
    ball = ring(s.at, paper.towards, 0.62 * s.size, _ROUND)
    paper.fill(ball, s.child, 0.06, f"ball:{s.name}")
    away = _on_paper(paper, -s.after, s.before)
    cup = ring(s.at, paper.towards, 0.95 * s.size, np.linspace(-1.4, 1.4, 41), away)
    paper.fill(cup, "w", 0.02, face="w")  # the parent's line ends at its socket
    paper.line(cup, s.parent, 0.02, f"socket:{s.name}")


def _universal(paper: Paper, s: Symbol) -> None:
    """Draw a cross, and a fork on each of its arms."""
    for name, arm, way, color in (
        ("fork", s.axis, s.before, s.parent),
        ("yoke", s.axis2, s.after, s.child),
    ):
        way = way - arm * (arm @ way)
        gap = float(np.linalg.norm(way))
        way = way / gap if gap > 1e-9 else across(arm)[0]
        half = np.linspace(-np.pi / 2, np.pi / 2, 41)[:, None]
        fork = s.at + 1.1 * s.size * (np.cos(half) * way + np.sin(half) * arm)
        paper.line(fork, color, 0.03, f"{name}:{s.name}")
        paper.line(s.at + 1.1 * s.size * np.outer([-1, 1], arm), INK, 0.02, linewidth=1.4)


def _planar(paper: Paper, s: Symbol) -> None:
    """Draw two plates on each other, the child's on the side of the normal."""
    corners = ring(np.zeros(3), s.axis, 1.4 * s.size, np.pi / 4 + np.pi / 2 * np.arange(4), s.axis2)
    towards = 1.0 if s.axis @ paper.towards > 0 else -1.0
    for side, color in ((-1.0, s.parent), (1.0, s.child)):
        plate = s.at + side * 0.14 * s.size * s.axis + corners
        paper.fill(plate, color, 0.02 + 0.01 * side * towards, f"plate:{s.name}")


def _free(paper: Paper, s: Symbol) -> None:
    """Draw an open dot: nothing holds the child."""
    dot = ring(s.at, paper.towards, 0.25 * s.size, _ROUND)
    paper.fill(dot, s.child, 0.03, f"free:{s.name}")


_DRAW: dict[str, Callable[[Paper, Symbol], None]] = {
    "revolute": _revolute,
    "prismatic": _prismatic,
    "cylindrical": _cylindrical,
    "helical": _helical,
    "universal": _universal,
    "ball": _spherical,
    "planar": _planar,
    "free": _free,
}


def _on_paper(paper: Paper, first: Array, other: Array) -> Array:
    """Return the part of a direction that lies in the paper, as a unit; of another if it has none.

    Down where neither has one.
    """
    for way in (first, other):
        flat = way - paper.towards * (paper.towards @ way)
        size = float(np.linalg.norm(flat))
        if size > 1e-9:
            unit: Array = flat / size
            return unit
    down: Array = -paper.sides[1]
    return down


def _hull(points: Array) -> Array:
    """Corners of the convex hull of points of the plane, counter-clockwise (Andrew)."""
    rows = sorted({(round(float(x), 12), round(float(y), 12)) for x, y in points})
    if len(rows) < 3:
        return np.array(rows)
    found: list[tuple[float, float]] = []
    for ordered in (rows, rows[::-1]):
        start = len(found)
        for row in ordered:
            while len(found) > start + 1 and _left(found[-2], found[-1], row) <= 0:
                found.pop()
            found.append(row)
        found.pop()
    return np.array(found)


def _left(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
