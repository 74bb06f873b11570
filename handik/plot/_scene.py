"""A scene in space: shapes as shaded faces, figures as their bones, targets as arrows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.colors import to_rgb
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, shortened
from handik.people.human import Human
from handik.plot._axes import COLORS, own
from handik.scene.contents import Actor, Target
from handik.scene.document import Scene
from handik.scene.shapes import Box, Capsule, Cylinder, Mesh, Plane, Prism, Shape, Sphere
from handik.spec._given import finite_number, flag, is_model, of_class, points_of, reals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from handik.model import Model

__all__ = ["scene"]

Array = NDArray[np.float64]

_SEEN_BY_TAG = {"floor": "#d9d4c7", "wall": "#dfe3e8", "door": "#b98d5b", "seat": "#7a9e7e"}
_ROUND = 20  # sides of a circle
_MOST_FACES = 60_000


def scene(
    scene: Scene,
    figure: Model | Human | None = None,
    q: ArrayLike | None = None,
    *,
    labels: bool = False,
    view: tuple[float, float] = (22.0, -55.0),
    ax: Axes | None = None,
) -> Axes:
    """Draw a scene, the figures in it, and one more figure that stands in the world.

    Parameters
    ----------
    scene : Scene
        What is drawn: shapes by their faces, floor plans by their walls, figures by lines from
        joint to joint, targets by a dot and their axis. A plane is drawn as far as the rest goes;
        a mesh that lies in a file is a dot at its place.
    figure : Model or Human, optional
        One more figure, in the world.
    q : array_like, shape (nq,), optional
        Its configuration; its rest if not given.
    labels : bool
        Write the names of targets beside them.
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
        When these are no scene and no figure.
    ArgumentError
        When `q` has another number of coordinates, or there is too much to draw.

    Examples
    --------
    >>> import handik as hk
    >>> room = hk.Scene().add("floor", hk.scene.Plane()).add("box", hk.scene.Box([1, 1, 1]))
    >>> hk.plot.scene(room, hk.data("ur5")).name
    '3d'
    """
    of_class("scene", scene, Scene)
    elevation, azimuth = _view(view)
    bones = [] if figure is None else [_bones(*_posed(figure, q))]
    if figure is None and q is not None:
        raise ArgumentError("q is that of a figure, which is not given")
    parts = list(_solids(scene))
    bones += list(_figures(scene))
    marks = [(path, scene.world(path)) for path in scene.find(kind="target")]
    marks += [(path, scene.world(path)) for path in scene.find(kind="via")]
    low, high = _bounds(parts, bones, marks)
    if ax is None:
        ax = own("3d", (7.0, 6.0))
    _draw_faces(ax, parts, low, high)
    for lines in bones:
        for line in lines:
            ax.plot(*line.T, color=COLORS[0], linewidth=2.2, zorder=5)
    _draw_marks(ax, scene, marks, 0.12 * float(np.max(high - low)), flag("labels", labels))
    _frame(ax, low, high, elevation, azimuth)
    return ax


def _view(view: Any) -> tuple[float, float]:
    if not isinstance(view, (tuple, list)) or len(view) != 2:
        raise ArgumentError(f"view must be two angles, got {shortened(view)}")
    return finite_number("view[0]", view[0]), finite_number("view[1]", view[1])


def _posed(figure: Any, q: Any) -> tuple[Model, Array]:
    model = figure.model if isinstance(figure, Human) else figure
    is_model(model, "figure")
    rest = figure.rest
    return model, points_of(rest if q is None else reals(q, "q", ()), "q", (model.nq,))


def _bones(model: Model, q: Array) -> list[Array]:
    """Return a line from each link's frame to its parent's; two that coincide have none."""
    places = {
        link.name: np.asarray(model.fk(q, frame=link.name))[:3, 3] for link in model.spec.links
    }
    lines = [np.stack([places[j.parent], places[j.child]]) for j in model.spec.joints]
    return [line for line in lines if np.ptp(line, axis=0).max() > 1e-6]


def _figures(scene: Scene) -> Iterator[list[Array]]:
    for path in scene.find(kind="figure"):
        actor, place, size = scene[path].content, scene.world(path), scene.world_scale(path)
        assert isinstance(actor, Actor)
        bones = _bones(actor.figure, actor.posture)
        yield [size * line @ place[:3, :3].T + place[:3, 3] for line in bones]


# -- shapes ------------------------------------------------------------------------------------

Part = tuple[list[Array], tuple[float, ...], bool]  # faces, color with opacity, a plane


def _solids(scene: Scene) -> Iterator[Part]:
    """Yield what has faces: shapes that are solid, and those only drawn."""
    looks: dict[str, tuple[Any, float]] = {}
    for path in scene:
        node, above = scene[path], looks.get(path.rpartition("/")[0], (None, 1.0))
        tagged = next((_SEEN_BY_TAG[tag] for tag in sorted(node.tags) if tag in _SEEN_BY_TAG), None)
        color = node.color or tagged or above[0]
        opacity = above[1] if node.opacity is None else node.opacity
        looks[path] = color, opacity
        if node.content is None or opacity == 0:
            continue
        place, size = scene.world(path), scene.world_scale(path)
        shapes: list[tuple[Shape, Array]] = []
        if isinstance(node.content, Shape):
            shapes = [(node.content, np.eye(4))]
        else:
            shapes = [(shape, pose) for _, shape, pose in node.content.solids()]
        for shape, pose in shapes:
            faces = [
                size * _put(face, pose) @ place[:3, :3].T + place[:3, 3] for face in _faces(shape)
            ]
            look = (*to_rgb(color or "#c3a67d"), opacity)
            yield faces, look, isinstance(shape, Plane)


def _put(points: Array, pose: Array) -> Array:
    found: Array = points @ pose[:3, :3].T + pose[:3, 3]
    return found


def _faces(shape: Shape) -> list[Array]:
    """Return the faces of a shape, each the corners of a polygon in its own frame."""
    if isinstance(shape, Box):
        x, y = shape.size[0] / 2, shape.size[1] / 2
        square = np.array([[-x, -y], [x, -y], [x, y], [-x, y]])
        return _drawn_up(square, -shape.size[2] / 2, shape.size[2] / 2)
    if isinstance(shape, Prism):
        return _drawn_up(np.array(shape.polygon), 0.0, shape.height)
    if isinstance(shape, Cylinder):
        turn = 2 * np.pi * np.arange(_ROUND) / _ROUND
        ring = shape.radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        return _drawn_up(ring, -shape.length / 2, shape.length / 2)
    if isinstance(shape, Sphere):
        return _rounded(shape.radius, 0.0)
    if isinstance(shape, Capsule):
        return _rounded(shape.radius, shape.length)
    if isinstance(shape, Plane):
        return [np.array([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]])]
    assert isinstance(shape, Mesh)
    if shape.vertices is None or shape.faces is None:
        return [np.zeros((3, 3))]
    if len(shape.faces) > _MOST_FACES:
        raise ArgumentError(f"a mesh of {len(shape.faces)} faces is too much to draw")
    corners = shape.vertices[shape.faces] * np.array(shape.scale)
    return list(corners)


def _drawn_up(ring: Array, low: float, high: float) -> list[Array]:
    bottom = np.column_stack([ring, np.full(len(ring), low)])
    top = np.column_stack([ring, np.full(len(ring), high)])
    after = np.roll(np.arange(len(ring)), -1)
    sides = [np.stack([bottom[k], bottom[n], top[n], top[k]]) for k, n in enumerate(after)]
    return [bottom[::-1], top, *sides]


def _rounded(radius: float, length: float) -> list[Array]:
    turn = 2 * np.pi * np.arange(_ROUND + 1) / _ROUND
    lift = np.concatenate([np.linspace(-np.pi / 2, 0, 6), np.linspace(0, np.pi / 2, 6)])
    middle = np.repeat([-length / 2, length / 2], 6)
    z = middle + radius * np.sin(lift)
    across = radius * np.cos(lift)
    grid = np.stack(
        [
            np.outer(across, np.cos(turn)),
            np.outer(across, np.sin(turn)),
            np.repeat(z[:, None], len(turn), axis=1),
        ],
        axis=-1,
    )
    quads = np.stack([grid[:-1, :-1], grid[:-1, 1:], grid[1:, 1:], grid[1:, :-1]], axis=2)
    return list(quads.reshape(-1, 4, 3))


# -- drawing -----------------------------------------------------------------------------------


def _bounds(parts: list[Part], bones: list[list[Array]], marks: Any) -> tuple[Array, Array]:
    points = [np.concatenate(faces) for faces, _, plane in parts if faces and not plane]
    points += [np.concatenate(lines) for lines in bones if lines]
    points += [pose[None, :3, 3] for _, pose in marks]
    every = np.concatenate([*points, np.zeros((0, 3))])
    if not len(every):
        every = np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    low, high = every.min(axis=0), every.max(axis=0)
    for faces, _, plane in parts:
        if plane:  # seen where it is, unless that is far from all the rest
            at = _foot(faces[0], (low + high) / 2)
            if np.linalg.norm(at - (low + high) / 2) <= 2 * np.linalg.norm(high - low):
                low, high = np.minimum(low, at), np.maximum(high, at)
    least = max(0.1, 0.05 * float(np.max(high - low)))
    return low - least / 2, high + least / 2


def _draw_faces(ax: Any, parts: list[Part], low: Array, high: Array) -> None:
    polygons: list[Array] = []
    colors: list[tuple[float, ...]] = []
    light = np.array([0.4, -0.6, 0.7])
    for faces, look, plane in parts:
        if plane:
            faces = [_spread(faces[0], low, high)]
        for face in faces:
            # no two edges of the first corner need span it: the sum of all crosses is its normal
            around = face - face[0]
            normal = np.cross(around[1:-1], around[2:]).sum(axis=0)
            size = float(np.linalg.norm(normal))
            shade = 0.72 + 0.28 * float(normal @ light) / size if size > 0 else 1.0
            polygons.append(face)
            colors.append((*(shade * np.array(look[:3])).clip(0, 1), look[3]))
    if len(polygons) > _MOST_FACES:
        raise ArgumentError(f"{len(polygons)} faces are too much to draw")
    edge = (0.25, 0.25, 0.25, 0.25)
    few = [len(polygon) <= _ROUND for polygon in polygons]
    for small in (True, False):  # matplotlib sorts by depth inside a collection alone
        some = [polygon for polygon, own in zip(polygons, few, strict=True) if own is small]
        looks = [color for color, own in zip(colors, few, strict=True) if own is small]
        if some:
            ax.add_collection3d(
                Poly3DCollection(_alike(some), facecolors=looks, edgecolors=edge, linewidths=0.3)
            )


def _alike(polygons: list[Array]) -> list[Array]:
    """Return polygons of one number of corners: the last is said again where there are fewer."""
    most = max(map(len, polygons))
    return [np.concatenate([p, np.repeat(p[-1:], most - len(p), axis=0)]) for p in polygons]


def _spread(square: Array, low: Array, high: Array) -> Array:
    """Return a plane as far as the scene goes: its square about the middle of all."""
    at, side = _foot(square, (low + high) / 2), square - square.mean(axis=0)
    found: Array = at + side * float(np.max(high - low))
    normal = np.abs(np.cross(side[0], side[1]))
    if np.sort(normal)[1] < 1e-9 * normal.max():  # along the axes: just as far as they go
        axis = int(np.argmax(normal))
        found = np.clip(at + 4 * (found - at), low, high)
        found[:, axis] = at[axis]
    return found


def _foot(square: Array, point: Array) -> Array:
    """Return the point of the plane of a square that is nearest to another."""
    normal = np.cross(square[1] - square[0], square[2] - square[1])
    normal = normal / np.linalg.norm(normal)
    found: Array = point - normal * float((point - square[0]) @ normal)
    return found


def _draw_marks(ax: Any, scene: Scene, marks: Any, size: float, labels: bool) -> None:
    for path, pose in marks:
        at, content = pose[:3, 3], scene[path].content
        ax.plot(*at[:, None], "o", color=COLORS[1], markersize=5, zorder=6)
        if isinstance(content, Target) and content.want != "point":
            line = np.stack([at, at + size * pose[:3, :3] @ np.array(content.axis)])
            ax.plot(*line.T, color=COLORS[1], linewidth=1.5, zorder=6)
        if labels:
            ax.text(*at, "  " + path.rpartition("/")[2], color=COLORS[1], fontsize=8, zorder=7)


def _frame(ax: Any, low: Array, high: Array, elevation: float, azimuth: float) -> None:
    for axis, start, end in zip("xyz", low.tolist(), high.tolist(), strict=True):
        getattr(ax, f"set_{axis}lim")(start, end)
        getattr(ax, f"set_{axis}label")(f"{axis}, m")
    ax.set_box_aspect(high - low)
    ax.view_init(elev=elevation, azim=azimuth)
