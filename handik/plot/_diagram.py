"""The kinematic diagram: symbols of pairs, frames, zeros, positive senses, lengths."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.plot._axes import COLORS, GREY, View, own
from handik.plot._layout import Layout, Pair, Way
from handik.plot._symbols import INK, Paper, Symbol, across, draw_symbol, ring
from handik.spec._given import finite_number, flag, is_model, known_name, list_of, points_of, reals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from handik.model import Model

__all__ = ["diagram"]

Array = NDArray[np.float64]

#: Colors of x, y and z.
FRAME = ("#c1121f", "#2a9d3a", "#1d4ed8")
#: Where the reader stands before a model in space: radians above the ground, and about z.
SEEN_FROM = (np.radians(22.0), np.radians(-50.0))
#: Half the length of a sleeve, as a share of the drawing, and of the median length between pairs.
SHARE, OF_LENGTH = 0.036, 0.24
#: Angle that the arrow of a positive sense goes round, radians.
SWEEP = 4.0
#: Size of names, points.
LETTERS = 9
SPUN = ("revolute", "cylindrical", "helical")
SLID = ("prismatic", "cylindrical")


def diagram(
    model: Model,
    q: ArrayLike | None = None,
    *,
    view: tuple[float, float] | None = None,
    frames: str | Iterable[str] = "ends",
    lengths: bool = True,
    zeros: bool = True,
    size: float | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the kinematic diagram of a model: the conventional symbol of every joint.

    Each rigid body has a color; a joint's socket or sleeve has its parent's, its pin that of its
    child. Arrows are the positive senses, by the right-hand rule. Symbols stand anywhere along
    their axes; lines follow the common normals of the axes, and the lengths written along them are
    the model's. Joints that turn and slide together on one line are drawn as a screw.

    Parameters
    ----------
    model : Model
        Any tree; a model of one plane is drawn in it, others as seen by `view`.
    q : array_like, shape (nq,), optional
        The pose; the model's rest if not given.
    view : pair of floats, optional
        Where the reader stands: angle above the ground and angle about z from x, radians. It also
        draws a model of one plane from there.
    frames : {"ends", "all"} or iterable of str
        Whose axes are drawn, x red, y green, z blue: of the base and the ends, of all, or by name.
    lengths : bool
        Write lengths, meters.
    zeros : bool
        Draw, dashed, where a body would be at zero of its coordinate, and how far it is from there.
    size : float, optional
        Half the length of a joint's symbol, meters; by the drawing's extent if not given.
    ax : Axes, optional
        Flat ones.

    Returns
    -------
    Axes
        The ids of what is drawn (`get_gid`) say what it is: ``sense:JOINT``, ``body:NUMBER``, ...

    Raises
    ------
    ArgumentError
        For poses and views of another shape or not finite, sizes that are not positive, or another
        word for `frames`.
    TypeError
        When `model` is none, or a number is given where there are frames.
    NotFoundError
        When there is no such frame.

    References
    ----------
    ISO 3952-1, Kinematic diagrams, graphical symbols, part 1 (1981).

    Examples
    --------
    >>> import handik as hk
    >>> ax = hk.plot.diagram(hk.data("ur5"), hk.deg([0, -60, 60, 0, 90, 0]))
    >>> ax.get_title()
    'kinematic diagram of ur5'
    """
    is_model(model)
    pose = model.rest if q is None else reals(q, "q", (model.nq,))
    if pose.ndim != 1:
        raise ArgumentError(f"q must be one finite pose ({model.nq},), got shape {pose.shape}")
    stand = view if view is None else points_of(view, "view", (2,))
    if size is not None and not finite_number("size", size) > 0:
        raise ArgumentError(f"size must be positive, meters, got {size!r}")
    shown = _shown(model, frames)
    lengths, zeros = flag("lengths", lengths), flag("zeros", zeros)
    if ax is None:
        ax = own(size=(7.2, 6.4))
    layout = Layout(model, pose)
    points = np.array([layout.poses[name][:3, 3] for name in model.frame_names])
    extent = float(np.linalg.norm(np.ptp(points, axis=0))) or 1.0
    paper = _paper(model, ax, stand, extent)
    size = float(size) if size is not None else _size(layout, extent)
    ways = layout.place(paper, size)
    text = _Text(paper, size, ways)
    for way in ways:
        _draw_way(paper, way, size)
    _draw_ground(paper, layout, size)
    for name in shown(layout):
        _draw_frame(paper, layout.poses[name], text, name, 2.4 * size)
    for pair in layout.pairs:
        draw_symbol(paper, _symbol(pair, ways, size))
        text.keep(pair.at + np.outer(np.linspace(-1.0, 1.0, 7), size * pair.axis))
        if zeros:
            _draw_zero(paper, pair, ways, text)
    for pair in layout.pairs:
        _draw_sense(paper, pair, text)
    for way in ways if lengths else []:
        _measure_way(text, way)
    ax.set_aspect("equal", adjustable="box")
    ax.margins(0.08)
    ax.axis("off")
    ax.set_title(f"kinematic diagram of {model.name}")
    return ax


def _shown(model: Model, frames: str | Iterable[str]) -> Any:
    """Return a function that lists the frames to draw."""
    if isinstance(frames, str) and frames == "ends":
        return lambda layout: list(dict.fromkeys([layout.base, *layout.ends.values()]))
    if isinstance(frames, str) and frames == "all":
        return lambda layout: list(model.frame_names)
    if isinstance(frames, str):
        raise ArgumentError(f"frames must be 'ends', 'all' or names of frames, got {frames!r}")
    names = list_of("frames", frames)
    for name in names:
        known_name("frame", name, model.frame_names)
    return lambda layout: names


def _paper(model: Model, ax: Any, view: Any, extent: float) -> Paper:
    if view is not None:
        return Paper.seen_from(ax, float(view[0]), float(view[1]), extent)
    rows = np.vstack([model.rest, model.sample(20, seed=0)])
    flat = View(np.asarray(model.frames(rows))[..., :3, 3])
    if flat.projection is None and len(flat.shown) == 2:
        return Paper.flat(ax, flat.shown, extent)
    return Paper.seen_from(ax, *SEEN_FROM, extent)


def _size(layout: Layout, extent: float) -> float:
    origins = [pair.before[:3, 3] for pair in layout.pairs]
    gaps = np.linalg.norm(np.diff(origins, axis=0), axis=1) if len(origins) > 1 else np.zeros(0)
    gaps = gaps[gaps > 0.02 * extent]
    return min([SHARE * extent, *([OF_LENGTH * float(np.median(gaps))] if gaps.size else [])])


def _colour(body: int) -> str:
    return INK if body == 0 else COLORS[(body - 1) % len(COLORS)]


# -- words --------------------------------------------------------------------------------------


class _Text:
    """Writes beside what is drawn, where there is most room."""

    def __init__(self, paper: Paper, size: float, ways: list[Way]) -> None:
        self.paper, self.size = paper, size
        share = np.linspace(0.0, 1.0, 41)[:, None]
        lines = [a + share * (b - a) for way in ways for a, b in pairwise(paper(way.points))]
        self.taken = np.vstack(lines) if lines else np.zeros((0, 2))

    def keep(self, points: Any) -> None:
        """Take note of what else is drawn, points of space."""
        self.taken = np.vstack([self.taken, self.paper(points)])

    def beside(self, at: Any, text: str, gid: str, off: float, **how: Any) -> None:
        """Write at a distance from a point of space, given in sizes."""
        middle = self.paper(at)
        turns = np.linspace(0, 2 * np.pi, 16, endpoint=False)
        circle = np.stack([np.cos(turns), np.sin(turns)], axis=1)
        aside = circle * [self._half(text, how), 0.0]  # its near end is beside, not its middle
        spots = np.vstack([middle + aside + far * self.size * circle for far in (off, off + 0.8)])
        farther = np.repeat([0.0, 0.5], turns.size)  # only where it is worth it
        self.best(spots, farther, text, gid, **how)

    def best(self, spots: Array, dislike: Any, text: str, gid: str, **how: Any) -> None:
        """Write at that of several points of the paper where there is most room."""
        row = self._row(text, how)
        apart = spots[:, None, None] + row[:, None] - self.taken  # spots, parts of the text, others
        gaps = np.linalg.norm(apart, axis=3).min(axis=1)
        crowd = np.sum(np.exp(-np.square(gaps / (0.7 * self.size))), axis=1) + dislike
        self.put(spots[int(np.argmin(crowd))], text, gid, **how)

    def put(self, spot: Array, text: str, gid: str, **how: Any) -> None:
        """Write at a point of the paper."""
        words: dict[str, Any] = {"ha": "center", "va": "center", "color": INK, "fontsize": LETTERS}
        words |= {"zorder": 10} | how
        self.paper.ax.text(*spot, text, **words).set_gid(gid)
        self.paper.ax.update_datalim([spot])
        row = spot + self._row(text, how)
        self.taken = np.vstack([self.taken, np.repeat(row, 4, axis=0)])

    def _half(self, text: str, how: dict[str, Any]) -> float:
        """Return about half of the width of a text."""
        letter = 0.025 * how.get("fontsize", LETTERS) * self.size
        return float(letter * sum(one not in "${}q_" for one in text))

    def _row(self, text: str, how: dict[str, Any]) -> Array:
        """Return points along a text about its middle, no farther apart than a size."""
        half, way = self._half(text, how), np.radians(how.get("rotation", 0.0))
        count = 1 + 2 * int(np.ceil(half / self.size))
        return np.outer(np.linspace(-half, half, count), [np.cos(way), np.sin(way)])


def _measure_way(text: _Text, way: Way) -> None:
    """Write the lengths of one body's line."""
    for start, end in pairwise(way.points[1:-1]):
        _measure(text, start, end)
    if way.above is not None and way.above.line is not None and not way.straight:
        _measure(text, way.above.after[:3, 3], way.points[1])
    if way.below is not None and way.below.line is not None and not way.straight:
        _measure(text, way.points[-2], way.below.before[:3, 3])


def _measure(text: _Text, start: Array, end: Array) -> None:
    """Write a length along its line if that is long, else where there is room."""
    value = float(np.linalg.norm(end - start))
    a, b = text.paper(start), text.paper(end)
    seen = float(np.linalg.norm(b - a))
    if value < 1e-9 or seen < 0.5 * text.size:
        return
    words: dict[str, Any] = {"fontsize": 7, "color": GREY}
    if seen < 9.0 * text.size:
        text.beside(0.5 * (start + end), f"{value:.3g} m", "length", 1.5, **words)
        return
    way = (b - a) / seen
    way = -way if way[0] < -1e-9 else way
    side = 0.55 * text.size * np.array([way[1], -way[0]])
    shares = np.array([0.5, 0.5, 0.35, 0.35, 0.65, 0.65, 0.2, 0.8])[:, None]
    sides = side * np.array([1.0, -1.6, 1.0, -1.6, 1.0, -1.6, 1.0, 1.0])[:, None]
    text.best(
        a + shares * (b - a) + sides, 0.2 * np.arange(len(shares)), f"{value:.3g} m", "length",
        rotation=float(np.degrees(np.arctan2(way[1], way[0]))), rotation_mode="anchor", **words,
    )  # fmt: skip


# -- bodies -------------------------------------------------------------------------------------


def _draw_way(paper: Paper, way: Way, size: float) -> None:
    """Draw the line of a body; what is at its ends is as near to the reader as the pairs there."""
    color = _colour(way.body)
    free = way.below is not None and way.below.kind == "free"
    style = {"linestyle": ":"} if free else {}
    for start, end in pairwise(way.points):
        long = float(np.linalg.norm(end - start))
        if long > 1e-9:
            near = min(0.5, 1.5 * size / long)
            cuts = start + np.array([0.0, near, 1.0 - near, 1.0])[:, None] * (end - start)
            for piece in pairwise(cuts):
                paper.line(piece, color, 0.0, f"body:{way.body}", linewidth=2.6, **style)
    for name, at in zip(way.welds, way.points[2:], strict=False):
        wedge = at + 0.35 * size * np.array([[0.0] * 3, paper.sides[0], paper.sides[1]])
        paper.fill(wedge, color, 0.01, f"weld:{name}", face=color)
    if way.below is None:
        paper.ax.plot(*paper(way.points[-1]), "o", color=color, markersize=4, zorder=9)


def _draw_ground(paper: Paper, layout: Layout, size: float) -> None:
    """Draw the hatched line on which the base stands."""
    at = layout.poses[layout.base][:3, 3]
    right, up = paper.sides[0], paper.sides[1]
    first = next((pair for pair in layout.pairs if pair.parent == 0), None)
    if first is not None and np.linalg.norm(paper(first.at - at)) < 2.0 * size:
        foot = at - 2.6 * size * up
        paper.line([at, foot], INK, -0.01, "ground", linewidth=2.6)
        at = foot
    paper.line([at - 1.4 * size * right, at + 1.4 * size * right], INK, 0.0, "ground")
    for k in np.linspace(-1.2, 1.2, 6):
        top = at + k * size * right
        paper.line([top, top - 0.5 * size * (up + right)], INK, 0.0, "ground", linewidth=1.0)


# -- pairs --------------------------------------------------------------------------------------


def _symbol(pair: Pair, ways: list[Way], size: float) -> Symbol:
    def leaving(way: Way, points: Array) -> Array:
        gaps = np.linalg.norm(points - pair.at, axis=1)
        far = points[gaps > 1e-6 * max(size, 1e-9)]
        return (far[0] - pair.at) / np.linalg.norm(far[0] - pair.at) if len(far) else np.zeros(3)

    into = next(way for way in ways if way.below is pair)
    out = [leaving(way, way.points) for way in ways if way.above is pair]
    return Symbol(
        pair.name, pair.kind, pair.at, pair.axis, pair.axis2, size, _colour(pair.parent),
        _colour(pair.child), pair.arrives, leaving(into, into.points[::-1]),
        np.sum(out, axis=0) if out else np.zeros(3),
    )  # fmt: skip


def _name(pair: Pair, k: int = 0) -> str:
    """Coordinates are counted from 1, as in books; those that follow have none of their own."""
    return f"$q_{{{pair.first + k + 1}}}$" if pair.first >= 0 else pair.name


def _draw_sense(paper: Paper, pair: Pair, text: _Text) -> None:
    """Draw the positive senses of a pair, by the right-hand rule, and the coordinates' names."""
    size = text.size
    if pair.kind in ("ball", "free"):
        last = pair.first + (4 if pair.kind == "ball" else 7)
        names = f"$q_{{{pair.first + 1}}}$…$q_{{{last}}}$" if pair.first >= 0 else pair.name
        text.beside(pair.at, names, f"name:{pair.name}", 2.0)
    elif pair.kind == "universal":
        _turn(paper, pair, pair.at, pair.axis, 1.6, 0, text)
        _turn(paper, pair, pair.at, pair.axis2, 1.6, 1, text)
    elif pair.kind == "planar":
        third = np.cross(pair.axis, pair.axis2)
        _push(paper, pair, pair.at, pair.axis2, 2.2 * size, 0, text)
        _push(paper, pair, pair.at, third, 2.2 * size, 1, text)
        _turn(paper, pair, pair.at, pair.axis, 0.4, 2, text)
    else:
        if pair.kind in SPUN:
            _turn(paper, pair, pair.at, pair.axis, 0.5 * (-pair.arrives or 1), 0, text)
        if pair.kind in SLID:
            start = pair.at + (1.15 * _beside(paper, pair.axis) - 0.8 * pair.axis) * size
            _push(paper, pair, start, pair.axis, 1.8 * size, int(pair.kind == "cylindrical"), text)


def _turn(paper: Paper, pair: Pair, at: Array, axis: Array, up: float, k: int, text: _Text) -> None:
    """Draw an arrow about an axis, the gap of its circle on the far side."""
    near = paper.towards - axis * (axis @ paper.towards)
    near = near if np.linalg.norm(near) > 1e-3 else across(axis)[0]
    near = near / np.linalg.norm(near)
    angles = np.linspace(-0.5 * SWEEP, 0.5 * SWEEP, 60)
    arc = ring(at + up * text.size * axis, axis, 1.15 * text.size, angles, near)
    paper.arrow(arc, INK, 0.06, f"sense:{pair.name}")
    text.keep(arc)
    text.beside(arc[-1], _name(pair, k), f"name:{pair.name}", 0.7)


def _push(
    paper: Paper, pair: Pair, at: Array, axis: Array, long: float, k: int, text: _Text
) -> None:
    """Draw an arrow along an axis."""
    way = at + np.outer(np.linspace(0.0, 1.0, 9), long * axis)
    paper.arrow(way[[0, -1]], INK, 0.06, f"sense:{pair.name}")
    text.keep(way)
    text.beside(way[-1], _name(pair, k), f"name:{pair.name}", 0.7)


def _beside(paper: Paper, axis: Array) -> Array:
    """Return the direction of the paper across an axis, to the upper side."""
    side = np.cross(paper.towards, axis)
    gap = float(np.linalg.norm(side))
    side = side / gap if gap > 1e-3 else paper.sides[1]
    found: Array = side if side @ (paper.sides[1] - 0.01 * paper.sides[0]) >= 0 else -side
    return found


def _draw_zero(paper: Paper, pair: Pair, ways: list[Way], text: _Text) -> None:
    """Draw where the child would point at zero, dashed, and how far it is from there."""
    size = text.size
    words: dict[str, Any] = {"fontsize": 7, "color": GREY}
    if pair.kind == "prismatic":
        origin, beside = pair.before[:3, 3], _beside(paper, pair.axis) * 0.9 * size
        if abs(pair.slide) > 1e-6:
            paper.line([origin - beside, origin + beside], GREY, 0.05, f"zero:{pair.name}",
                       linestyle="--", linewidth=1.2)  # fmt: skip
            value = f"{pair.slide:.3g} m"
            text.beside(origin - beside, value, f"value:{pair.name}", 0.9, **words)
        return
    if pair.kind not in SPUN or abs(pair.angle) < 1e-6:
        return
    way = next((way for way in ways if way.above is pair), None)
    foot = way.points[1] if way is not None else pair.at
    out = way.points[2] - foot if way is not None else np.zeros(3)
    out = out - pair.axis * (pair.axis @ out)
    long, rolls = 0.6 * float(np.linalg.norm(out)), False
    if long < 1.5 * size:  # it rolls about its own line: the x axis of its frame tells
        x = pair.after[:3, 0] - pair.axis * (pair.axis @ pair.after[:3, 0])
        rolls = bool(np.linalg.norm(x) > 1e-6)
        out, long, foot = x if rolls else across(pair.axis)[0], 2.4 * size, pair.at
    out = out / np.linalg.norm(out)
    start = np.cos(pair.angle) * out - np.sin(pair.angle) * np.cross(pair.axis, out)
    ray = foot + np.outer([0.0, long], start)
    paper.line(ray, GREY, 0.0, f"zero:{pair.name}", linestyle="--", linewidth=1.2)
    if rolls:
        paper.line(foot + np.outer([0.0, long], out), GREY, 0.0, linewidth=1.0)
    radius = min(0.8 * long, 2.6 * size)
    wedge = ring(foot, pair.axis, radius, np.linspace(0.0, pair.angle, 30), start)
    paper.line(wedge, GREY, 0.05, f"angle:{pair.name}", linewidth=1.0)
    middle = ring(foot, pair.axis, 1.25 * radius, np.array([0.5 * pair.angle]), start)[0]
    text.keep(ray[0] + np.outer(np.linspace(0.0, 1.0, 15), ray[1] - ray[0]))
    value = f"{np.degrees(pair.angle):.0f}°"
    pad = {"facecolor": "w", "edgecolor": "none", "pad": 0.6}
    text.put(paper(middle), value, f"value:{pair.name}", bbox=pad, **words)


def _draw_frame(paper: Paper, pose: Array, text: _Text, name: str, long: float) -> None:
    """Draw the axes of a frame, red, green and blue; one towards the reader is a dot."""
    for axis, color, letter in zip(pose[:3, :3].T, FRAME, "xyz", strict=True):
        if abs(float(axis @ paper.towards)) > 0.995:
            dot = "o" if axis @ paper.towards > 0 else "x"
            paper.ax.plot(*paper(pose[:3, 3]), dot, color=color, markersize=4, zorder=9)
            continue
        way = pose[:3, 3] + np.outer([0.0, 1.0], long * axis)
        paper.arrow(way, color, 0.05, f"frame:{name}:{letter}")
        text.keep(way)
        spot = paper(way[1] + 0.15 * long * axis)
        text.put(spot, letter, f"letter:{name}", fontsize=7, color=color)
