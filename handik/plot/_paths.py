"""Pictures of paths: how near they come to what, the room they take, what a search had grown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import matplotlib as mpl
import numpy as np
from mpl_toolkits.mplot3d.art3d import Line3DCollection, Poly3DCollection
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.people.motion import Motion
from handik.plot._axes import COLORS, GREY, own, tidy
from handik.plot._scene import shades, stage, view_of
from handik.scene._along import taken_along
from handik.scene._look import model_of, pieces, placed_corners
from handik.scene.check import as_figure
from handik.scene.document import Scene
from handik.scene.plan import PlannedPath, Trajectory
from handik.spec._given import finite_number, known_name, of_class, reals, whole_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from handik.model import Model
    from handik.scene.check.figure import FigureLike

__all__ = ["Way", "at_times", "clearance", "swept", "tree", "way_of"]

Array = NDArray[np.float64]
#: What is taken for a way.
Way: TypeAlias = "Trajectory | Motion | PlannedPath | ArrayLike"

RED = "#c1121f"
#: Objects with a color of their own; the others are grey.
_NAMED = len(COLORS)
#: Pieces of an edge of a tree: the hand goes no straight line.
_PIECES = 8
#: Triangles of one picture at most.
_MOST = 200_000


@dataclass(frozen=True, eq=False)
class _Places:
    """Postures along a way, and where each is: seconds, or a share of the way."""

    q: Array
    at: Array
    label: str


def at_times(model: Model, moved: Trajectory | Motion, times: Array) -> _Places:
    """Return the postures of a motion at times."""
    if moved.model is not model and moved.model.nq != model.nq:
        raise ArgumentError(f"path is one of {moved.model.name!r}, not of {model.name!r}")
    q = moved.sample(times)[0] if isinstance(moved, Trajectory) else moved.at(times)
    return _Places(np.asarray(q), times, "time, s")


def way_of(model: Model, way: Way, count: int) -> _Places:
    """Return so many postures evenly along a way: in time where it has times, else in motion."""
    given: Any = way
    if isinstance(given, (Trajectory, Motion)):
        if not len(given.times):
            raise ArgumentError("path has no postures")
        times = np.linspace(float(given.times[0]), float(given.times[-1]), count)
        return at_times(model, given, times)
    q = reals(given.q if isinstance(given, PlannedPath) else given, "path", (model.nq,))
    if q.ndim != 2 or not len(q):
        raise ArgumentError(f"path must have shape (n, {model.nq}), got {q.shape}")
    if len(q) == 1:
        return _Places(np.repeat(q, count, axis=0), np.linspace(0, 1, count), "share of the way")
    v = np.asarray(model.difference(q[:-1], q[1:]))
    ends = np.concatenate([[0.0], np.cumsum(np.linalg.norm(v, axis=1))])
    share = np.linspace(0, 1, count)
    edge = np.clip(np.searchsorted(ends, share * ends[-1], "right") - 1, 0, len(v) - 1)
    size = ends[edge + 1] - ends[edge]
    part = (share * ends[-1] - ends[edge]) / np.where(size > 0, size, 1.0)
    rows = np.asarray(model.integrate(q[edge], part[:, None] * v[edge]))
    return _Places(rows, share, "share of the way")


# -- clearance ----------------------------------------------------------------------------------


def clearance(
    scene: Scene,
    figure: FigureLike,
    path: Way,
    *,
    count: int = 400,
    ax: Axes | None = None,
) -> Axes:
    """Draw how far a figure is from the nearest thing along a path, and which thing that is.

    Parameters
    ----------
    scene : Scene
    figure : Figure, Model or Human
        What is measured; see `handik.scene.check.as_figure`.
    path : Trajectory, Motion, PlannedPath or array_like, shape (n, nq)
        Over time where it has times, else over the share of the way in the norm of motions.
    count : int
        Postures that are measured, evenly spread; 2 or more.
    ax : Axes, optional
        One of its own if not given.

    Returns
    -------
    Axes
        With one line for each thing that is nearest somewhere: for the six that come nearest a
        color, for the rest grey. Below zero is contact.

    Raises
    ------
    TypeError
        When these are no scene and no figure.
    ArgumentError
        When the path is of another model, `count` is below 2, or there is nothing to be near to.

    Notes
    -----
    Distances are measured at the postures that are drawn: between them nothing is proved.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.5, 0.4])
    >>> figure = hk.Figure(arm, [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)])
    >>> room = hk.Scene().add("post", hk.scene.Sphere(0.1), pose=[0, 0.8, 0])
    >>> ax = hk.plot.clearance(room, figure, [[0, 0], [3, 0]])
    >>> [line.get_label() for line in ax.lines][:1]
    ['post']
    """
    of_class("scene", scene, Scene)
    body = as_figure(figure)
    if whole_number("count", count) < 2:
        raise ArgumentError(f"count must be 2 or more, got {count}")
    places = way_of(body.model, path, count)
    near = scene.distance(body, places.q, details=True)
    if not np.isfinite(near.distance).all():
        raise ArgumentError("there is nothing in the scene, and no pair of the figure, to be near")
    ax = ax if ax is not None else own(size=(7.2, 3.8))
    names = [
        f"itself: {part} and {other}" if self_ else str(other)
        for part, other, self_ in zip(near.part, near.other, near.itself, strict=True)
    ]
    _draw_clearance(ax, places, near.distance, names)
    ax.set_xlabel(places.label)
    ax.set_ylabel("clearance, m")
    tidy(ax, whole=False)
    return ax


def _draw_clearance(ax: Any, places: _Places, distance: Array, names: list[str]) -> None:
    least: dict[str, float] = {}
    for name, value in zip(names, distance.tolist(), strict=True):
        least[name] = min(value, least.get(name, np.inf))
    own_ = sorted(least, key=lambda name: least[name])[:_NAMED]
    grey = False
    for name in sorted(least, key=lambda name: least[name]):
        here = np.array([one == name for one in names])
        here[1:] |= here[:-1].copy()  # as far as the next, so that the curve has no gaps
        shown = np.where(here, distance, np.nan)
        label = name if name in own_ else ("_" if grey else "others")
        color = COLORS[own_.index(name)] if name in own_ else GREY
        grey |= name not in own_
        ax.plot(places.at, shown, color=color, linewidth=2.0, label=label)
    k = int(np.argmin(distance))
    ax.plot(places.at[k], distance[k], "o", color="#1b2430", markersize=5, label="_")
    ax.annotate(
        f"{1e3 * distance[k]:.3g} mm", (places.at[k], distance[k]), textcoords="offset points",
        xytext=(6, 6), fontsize="small",
    )  # fmt: skip
    low, high = ax.get_ylim()
    low, high = min(low, -0.04 * (high - low)), max(high, 0.04 * (high - low))
    ax.axhspan(low, 0.0, color=RED, alpha=0.12, linewidth=0)
    ax.set_ylim(low, high)
    ax.set_xlim(places.at[0], places.at[-1] if places.at[-1] > places.at[0] else None)
    ax.legend(title="nearest", fontsize="small", title_fontsize="small", loc="best")


# -- swept volume -------------------------------------------------------------------------------


def swept(
    scene: Scene,
    figure: FigureLike,
    path: Way,
    *,
    count: int = 12,
    opacity: float = 0.16,
    view: tuple[float, float] = (22.0, -55.0),
    ax: Axes | None = None,
) -> Axes:
    """Draw the room that a figure takes along a path: its body at many places, in the scene.

    Parameters
    ----------
    scene : Scene
    figure : Figure, Model or Human
        Drawn as it is measured: its capsules, of a person the round cones. A model without
        collision shapes is drawn as thin bones.
    path : Trajectory, Motion, PlannedPath or array_like, shape (n, nq)
    count : int
        Places, evenly spread in time, or along a path that has no times; 2 or more. From dark at
        the start to light at the end.
    opacity : float
        Of each body but the first and the last, which are twice as opaque; above 0 and at most 1.
    view : (float, float)
        Elevation and azimuth of the eye, degrees.
    ax : Axes, optional
        Of projection "3d"; one of its own if not given.

    Returns
    -------
    Axes
        Of projection "3d"; the bodies are the last of its collections, one a place.

    Raises
    ------
    TypeError
        When these are no scene and no figure.
    ArgumentError
        When the path is of another model, a number is out of range, or there is too much to draw.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.5, 0.4])
    >>> ax = hk.plot.swept(hk.Scene(), arm, [[0, 0], [1.5, 0.5]], count=5)
    >>> len(ax.collections)
    5
    """
    of_class("scene", scene, Scene)
    model = model_of(figure)
    if whole_number("count", count) < 2:
        raise ArgumentError(f"count must be 2 or more, got {count}")
    share = finite_number("opacity", opacity)
    if not 0 < share <= 1:
        raise ArgumentError(f"opacity must be above 0 and at most 1, got {share:g}")
    angles = view_of(view)
    q = way_of(model, path, count).q
    scene, along = taken_along(scene, figure)
    body = [*pieces(figure, coarse=True), *along]
    total = count * sum(len(one.triangles.faces) for one in body)
    if total > _MOST:
        raise ArgumentError(f"{total} triangles are too much to draw: lower count")
    poses = np.asarray(model.frames(q))
    shown = [placed_corners(body, dict(zip(model.frame_names, row, strict=True))) for row in poses]
    ax = stage(scene, [], np.concatenate(shown).reshape(-1, 3), angles, ax)
    space: Any = ax
    space.computed_zorder = False  # the bodies are seen through what stands before them
    colors = mpl.colormaps["viridis"](np.linspace(0.05, 0.9, count))[:, :3]
    for k, (corners, color) in enumerate(zip(shown, colors, strict=True)):
        look = np.empty((len(corners), 4))
        look[:, :3] = (shades(corners)[:, None] * color).clip(0, 1)
        look[:, 3] = min(1.0, 2 * share) if k in (0, count - 1) else share
        shown_body = Poly3DCollection(corners, facecolors=look, edgecolors="none", zorder=4)
        space.add_collection3d(shown_body)
    return ax


# -- what a search had grown --------------------------------------------------------------------


def tree(
    found: PlannedPath,
    scene: Scene | None = None,
    *,
    frame: str | None = None,
    view: tuple[float, float] = (22.0, -55.0),
    ax: Axes | None = None,
) -> Axes:
    """Draw the trees that a planner had grown, as ways of the hand, and the path through them.

    Parameters
    ----------
    found : PlannedPath
        Of ``handik.plan.path(..., trees=True)``, whether it found a way or not.
    scene : Scene, optional
        What is in the way, drawn with them.
    frame : str, optional
        Whose ways are drawn; the model's tip if not given.
    view : (float, float)
        Elevation and azimuth of the eye, degrees.
    ax : Axes, optional
        Of projection "3d"; one of its own if not given.

    Returns
    -------
    Axes
        Of projection "3d".

    Raises
    ------
    TypeError
        When `found` is no planned path, or `scene` no scene.
    ArgumentError
        When its trees were not kept, or the model has no such frame.

    Notes
    -----
    What is drawn is a shadow of the trees: postures that differ may have the hand at one place.
    The path was made shorter after the trees had met, so it leaves them.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.5, 0.4])
    >>> figure = hk.Figure(arm, [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)])
    >>> found = hk.plan.path(None, figure, [0, 0], [1, 0], trees=True)
    >>> [line.get_label() for line in hk.plot.tree(found).lines]
    ['path', 'start', 'end']
    """
    of_class("found", found, PlannedPath)
    room = Scene() if scene is None else of_class("scene", scene, Scene)
    model, angles = found.model, view_of(view)
    if not found.trees:
        raise ArgumentError("the trees were not kept: handik.plan.path(..., trees=True) keeps them")
    name = None if frame is None else known_name("frame", frame, model.frame_names)
    hand = _Hand(model, name)
    edges = {side: hand.edges(found, side) for side in ("start", "goal")}
    line = hand.along(found.q)
    every = np.concatenate([line, *(rows.reshape(-1, 3) for rows in edges.values())])
    ax = stage(room, [], every, angles, ax)
    space: Any = ax
    space.computed_zorder = False
    for (side, rows), color in zip(edges.items(), (COLORS[0], COLORS[1]), strict=True):
        if len(rows):
            label = f"tree of the {side}"
            space.add_collection3d(
                Line3DCollection(
                    rows, colors=color, linewidths=0.8, alpha=0.7, label=label, zorder=4
                )
            )
    word = "path" if found.converged else "as far as it came"
    space.plot(*line.T, color="#1b2430", linewidth=2.4, label=word, zorder=8)
    space.plot(*line[:1].T, "o", color=COLORS[0], markersize=7, label="start", zorder=9)
    space.plot(*line[-1:].T, "s", color=COLORS[1], markersize=7, label="end", zorder=9)
    space.legend(loc="upper left", fontsize="small")
    return ax


class _Hand:
    """Where a frame is."""

    def __init__(self, model: Model, frame: str | None) -> None:
        self.model, self.frame = model, frame

    def at(self, q: Array) -> Array:
        found: Array = np.asarray(self.model.fk(q, frame=self.frame))[..., :3, 3]
        return found

    def ways(self, q0: Array, q1: Array) -> Array:
        """Return the ways (n, pieces + 1, 3) along edges (n, nq)."""
        v = np.asarray(self.model.difference(q0, q1))
        share = np.linspace(0, 1, _PIECES + 1)[:, None]
        return self.at(np.asarray(self.model.integrate(q0[:, None], share * v[:, None])))

    def edges(self, found: PlannedPath, side: str) -> Array:
        rows = [np.zeros((0, _PIECES + 1, 3))]
        for one in found.trees:
            hangs = one.parent >= 0
            if one.side == side and hangs.any():
                rows.append(self.ways(one.q[one.parent[hangs]], one.q[hangs]))
        return np.concatenate(rows)

    def along(self, q: Array) -> Array:
        if len(q) < 2:
            return self.at(q)
        return self.ways(q[:-1], q[1:]).reshape(-1, 3)
