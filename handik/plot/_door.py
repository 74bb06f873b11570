"""Pictures of a chair's way, from above: walls and chair, and through a door leaf and hand."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patches import Polygon
from numpy.typing import NDArray

from handik.plot._axes import COLORS, GREY, own
from handik.scene.access import Opening, Passing
from handik.spec._given import of_class, whole_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["opening", "passing"]

Array = NDArray[np.float64]


def _shown(path: Array, count: int) -> Array:
    """Return rows evenly along a way: meters, and radians of chair and leaf counted as such."""
    size = [float(np.hypot(*(b - a)[:2]) + np.abs(b[2:] - a[2:]).sum()) for a, b in pairwise(path)]
    ends = np.concatenate([[0.0], np.cumsum(size)])
    at = np.linspace(0, ends[-1], count)
    return np.column_stack([np.interp(at, ends, column) for column in path.T])


def _walls(axes: Axes, walls: Array) -> None:
    ends = walls.reshape(-1, 2, 2)
    axes.add_collection(LineCollection([*ends], colors="black", linewidths=1.5))


def _shade(k: int, count: int) -> float:
    """Return how dark the place of a number is: the first is the darkest."""
    return 0.85 - 0.6 * k / count


def _chair(axes: Axes, outline: Array, pose: Array, shade: float) -> None:
    c, s = np.cos(pose[2]), np.sin(pose[2])
    at = outline @ np.array([[c, s], [-s, c]]) + pose[:2]
    axes.add_patch(Polygon(at, closed=True, fill=False, edgecolor=COLORS[0], alpha=shade))


def _named(axes: Axes, title: str) -> None:
    axes.set_aspect("equal")
    axes.autoscale_view()
    axes.set_xlabel("x, m")
    axes.set_ylabel("y, m")
    axes.set_title(title, fontsize=9)


def passing(found: Passing, *, count: int = 12, ax: Axes | None = None) -> Axes:
    """Draw a chair's way among walls from above, from dark to light.

    Parameters
    ----------
    found : Passing
        Of `hk.access.passes` or `turns`: its drive, where there is none its motion; without a
        witness the walls alone.
    count : int
        Places of the chair.
    ax : matplotlib Axes, optional
        A new one by default.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    TypeError
        When `found` is none.
    ArgumentError
        When `count` is no whole number of 0 or more; fewer than 2 are 2.

    Examples
    --------
    >>> import handik as hk
    >>> walls = [[[2, -3], [2, -0.5]], [[2, 0.5], [2, 3]]]
    >>> found = hk.access.passes(hk.access.chair(), walls, (0, 0, 0), (4, 0, 0))
    >>> hk.plot.passing(found).get_title()
    'yes: 1 manoeuvre'
    """
    of_class("found", found, Passing)
    many = max(whole_number("count", count), 2)
    axes = own() if ax is None else ax
    _walls(axes, found.walls)
    path = found.drive if len(found.drive) else found.path
    for k, row in enumerate(_shown(path, many) if len(path) else []):
        _chair(axes, found.chair.outline, row, _shade(k, many))
    if len(path):
        axes.plot(*path[:, :2].T, color=COLORS[0], linewidth=1.0, label="axle")
    title, stretches = found.verdict, found.manoeuvres
    if stretches is not None:
        title += f": {stretches} manoeuvre" + "s" * (stretches != 1)
    elif len(path):
        title += ": a motion, no drive"
    _named(axes, title)
    return axes


def opening(found: Opening, *, count: int = 12, ax: Axes | None = None) -> Axes:
    """Draw a way through a door from above: chair, leaf and hand, from dark to light.

    Parameters
    ----------
    found : Opening
        Of `hk.access.opens`; without a witness the room and the shut door are drawn.
    count : int
        Places of chair and leaf.
    ax : matplotlib Axes, optional
        A new one by default.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    TypeError
        When `found` is none.
    ArgumentError
        When `count` is no whole number of 0 or more; fewer than 2 are 2.

    Examples
    --------
    >>> import handik as hk
    >>> door = hk.access.Door([[0, 0], [0.95, 0]])
    >>> walls = [[[-3, 0], [0, 0]], [[0.95, 0], [3, 0]]]
    >>> chair = hk.access.chair("manual", width=0.65, length=1.2)
    >>> found = hk.access.opens(chair, walls, door, (0.5, -1.6, 1.57), (0.5, 1.6))
    >>> hk.plot.opening(found).get_xlabel()
    'x, m'
    """
    of_class("found", found, Opening)
    many = whole_number("count", count)
    axes = own() if ax is None else ax
    _walls(axes, found.walls)
    shut = np.zeros(found.door.leaves)
    rows = _shown(found.path, max(many, 2)) if len(found.path) else np.empty((0, 3 + len(shut)))
    for leaf in found.door.corners(shut.tolist()):
        axes.add_patch(Polygon(leaf, closed=True, facecolor="none", edgecolor=GREY, linestyle=":"))
    for k, row in enumerate(rows):
        shade = _shade(k, len(rows))
        _chair(axes, found.chair.outline, row, shade)
        for leaf in found.door.corners(row[3:].tolist()):
            axes.add_patch(Polygon(leaf, closed=True, color=COLORS[1], alpha=shade / 2))
    if len(found.path):
        axes.plot(*found.path[:, :2].T, color=COLORS[0], linewidth=1.0, label="axle")
    hands = np.array([at for g in found.grasps if g is not None for at in (g.start, g.end)])
    if len(hands):
        axes.plot(*hands.T, ".", color=COLORS[2], markersize=4, label="hand")
    if len(found.path):
        axes.legend(loc="best", frameon=False)
    _named(axes, found.verdict + (f": {found.why}" if found.why else ""))
    return axes
