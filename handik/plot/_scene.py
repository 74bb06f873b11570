"""A scene in space: shapes as shaded faces, figures as their bones, targets as arrows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from matplotlib.ticker import MaxNLocator
from mpl_toolkits.mplot3d.art3d import Poly3DCollection
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, shortened
from handik.people.human import Human
from handik.plot._axes import COLORS, own
from handik.scene._along import posed as in_posture
from handik.scene._look import (
    SIDES,
    chair_faces,
    faces_of,
    model_of,
    pieces,
    placed_corners,
    seen,
)
from handik.scene.contents import Actor, Target
from handik.scene.document import Scene
from handik.scene.shapes import Mesh, Plane
from handik.spec._given import finite_number, flag, of_class, points_of, reals

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from handik.model import Model
    from handik.scene.check.figure import FigureLike

__all__ = ["bones_of", "parts_of", "scene", "shades", "stage", "view_of"]

Array = NDArray[np.float64]


class Part(NamedTuple):
    """What has faces."""

    faces: list[Array]
    color: tuple[float, ...]  # with opacity
    plane: bool = False
    edges: bool = True


_MOST_FACES = 60_000
#: Of a figure's body: between a person's and a robot's.
_SKIN = (0.42, 0.62, 0.80, 1.0)


def scene(
    scene: Scene,
    figure: FigureLike | None = None,
    q: ArrayLike | None = None,
    *,
    labels: bool = False,
    bodies: bool = False,
    view: tuple[float, float] = (22.0, -55.0),
    ax: Axes | None = None,
) -> Axes:
    """Draw a scene, the figures in it, and one more figure that stands in the world.

    Parameters
    ----------
    scene : Scene
        What is drawn: shapes by their faces, floor plans by their walls, figures by lines from
        joint to joint, the chair that a person sits in by its parts, targets by a dot and their
        axis. A plane is drawn as far as the rest goes; a mesh that lies in a file is a dot at its
        place.
    figure : Model, Human or Figure, optional
        One more figure, in the world.
    q : array_like, shape (nq,), optional
        Its configuration; its rest if not given.
    labels : bool
        Write the names of targets beside them.
    bodies : bool
        Draw figures by their bodies instead of lines: a person's or a figure's capsules, a
        model's collision shapes; what has none keeps thin bones.
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
    elevation, azimuth = view_of(view)
    if figure is None and q is not None:
        raise ArgumentError("q is that of a figure, which is not given")
    whole, names = flag("bodies", bodies), flag("labels", labels)
    posed = [] if figure is None else [(figure, *_posed(figure, q))]
    if posed and (own := in_posture(scene, figure, posed[0][2])) is not None:
        scene, posed = own, []  # it stands in the scene, and what it holds is in its hand
    bones = [] if whole else [bones_of(*one) for one in posed]
    more = [part for one in posed for part in parts_of(*one, body=whole)]
    points = np.zeros((0, 3))
    return stage(scene, bones, points, (elevation, azimuth), ax, names, whole, more)


def stage(
    scene: Scene,
    bones: list[list[Array]],
    points: Array,
    view: tuple[float, float],
    ax: Axes | None,
    labels: bool = False,
    bodies: bool = False,
    more: Sequence[Part] = (),
) -> Axes:
    """Draw a scene with its figures and more bones, so that these points (n, 3) are in it too.

    `bodies`: figures of the scene have bodies instead of bones. `more`: what else has faces.
    """
    parts = [*_solids(scene), *more, *_bodies(scene, bodies)]
    if not bodies:
        bones = [*bones, *_figures(scene)]
    marks = [(path, scene.world(path)) for path in scene.find(kind="target")]
    marks += [(path, scene.world(path)) for path in scene.find(kind="via")]
    low, high = _bounds(parts, [*bones, [points]] if len(points) else bones, marks)
    if ax is None:
        ax = own("3d", (7.0, 6.0))
    _draw_faces(ax, parts, low, high)
    for lines in bones:
        for line in lines:
            ax.plot(*line.T, color=COLORS[0], linewidth=2.2, zorder=5)
    _draw_marks(ax, scene, marks, 0.12 * float(np.max(high - low)), labels)
    _frame(ax, low, high, *view)
    return ax


def view_of(view: Any) -> tuple[float, float]:
    if not isinstance(view, (tuple, list)) or len(view) != 2:
        raise ArgumentError(f"view must be two angles, got {shortened(view)}")
    return finite_number("view[0]", view[0]), finite_number("view[1]", view[1])


def _posed(figure: Any, q: Any) -> tuple[Model, Array]:
    model = model_of(figure)
    rest = figure.rest if isinstance(figure, Human) else model.rest
    return model, points_of(rest if q is None else reals(q, "q", ()), "q", (model.nq,))


def bones_of(figure: Any, model: Model, q: Array) -> list[Array]:
    """Return a line from each link's frame to its parent's; two that coincide have none.

    Nor has what a person was put on, as a seat.
    """
    own = (figure._at_origin or figure).model if isinstance(figure, Human) else model
    places = {link.name: np.asarray(model.fk(q, frame=link.name))[:3, 3] for link in own.spec.links}
    lines = [np.stack([places[j.parent], places[j.child]]) for j in own.spec.joints]
    return [line for line in lines if np.ptp(line, axis=0).max() > 1e-6]


def _figures(scene: Scene) -> Iterator[list[Array]]:
    for path in scene.find(kind="figure"):
        actor, place, size = scene[path].content, scene.world(path), scene.world_scale(path)
        assert isinstance(actor, Actor)
        bones = bones_of(actor.person or actor.figure, actor.figure, actor.posture)
        yield [size * line @ place[:3, :3].T + place[:3, 3] for line in bones]


def parts_of(figure: Any, model: Model, q: Array, *, body: bool) -> list[Part]:
    """Return what has faces of a figure in a posture: its body, if asked; a person's chair."""
    poses = dict(zip(model.frame_names, np.asarray(model.frames(q)), strict=True))
    parts = []
    if body:
        corners = placed_corners(pieces(figure, coarse=True, chair=False), poses)
        parts.append(Part(list(corners), _SKIN, edges=False))
    for faces, color in chair_faces(figure, poses) if isinstance(figure, Human) else ():
        parts.append(Part(faces, (*color, 1.0), edges=False))
    return parts


def _bodies(scene: Scene, body: bool) -> Iterator[Part]:
    for path in scene.find(kind="figure"):
        actor, place, size = scene[path].content, scene.world(path), scene.world_scale(path)
        assert isinstance(actor, Actor)
        own: Any = actor.person or actor.figure
        for part in parts_of(own, actor.figure, actor.posture, body=body):
            yield part._replace(faces=[_put(size * face, place) for face in part.faces])


# -- shapes ------------------------------------------------------------------------------------


def _solids(scene: Scene) -> Iterator[Part]:
    """Yield what has faces: shapes that are solid, and those only drawn."""
    for one in seen(scene):
        if isinstance(one.shape, Mesh) and one.shape.faces is not None:
            if len(one.shape.faces) > _MOST_FACES:
                raise ArgumentError(f"a mesh of {len(one.shape.faces)} faces is too much to draw")
        place, size = scene.world(one.path), scene.world_scale(one.path)
        made = [_put(size * _put(face, one.pose), place) for face in faces_of(one.shape)]
        yield Part(made, (*one.color, one.opacity), isinstance(one.shape, Plane))


def _put(points: Array, pose: Array) -> Array:
    found: Array = points @ pose[:3, :3].T + pose[:3, 3]
    return found


# -- drawing -----------------------------------------------------------------------------------


def _bounds(parts: list[Part], bones: list[list[Array]], marks: Any) -> tuple[Array, Array]:
    points = [np.concatenate(one.faces) for one in parts if one.faces and not one.plane]
    points += [np.concatenate(lines) for lines in bones if lines]
    points += [pose[None, :3, 3] for _, pose in marks]
    every = np.concatenate([*points, np.zeros((0, 3))])
    if not len(every):
        every = np.array([[-1.0, -1.0, -1.0], [1.0, 1.0, 1.0]])
    low, high = every.min(axis=0), every.max(axis=0)
    for part in parts:
        if part.plane:  # seen where it is, unless that is far from all the rest
            at = _foot(part.faces[0], (low + high) / 2)
            if np.linalg.norm(at - (low + high) / 2) <= 2 * np.linalg.norm(high - low):
                low, high = np.minimum(low, at), np.maximum(high, at)
    least = max(0.1, 0.05 * float(np.max(high - low)))
    return low - least / 2, high + least / 2


def shades(polygons: Array) -> Array:
    """Return how bright polygons (n, k, 3) are in the light."""
    # no two edges of the first corner need span it: the sum of all crosses is its normal
    around = polygons - polygons[:, :1]
    normal = np.cross(around[:, 1:-1], around[:, 2:]).sum(axis=1)
    size = np.linalg.norm(normal, axis=1)
    lit = normal @ np.array([0.4, -0.6, 0.7]) / np.where(size > 0, size, 1.0)
    found: Array = np.where(size > 0, 0.72 + 0.28 * lit, 1.0)
    return found


def _draw_faces(ax: Any, parts: list[Part], low: Array, high: Array) -> None:
    polygons: list[Array] = []
    colors: list[tuple[float, ...]] = []
    lines: list[tuple[float, ...]] = []
    for faces, look, plane, edges in parts:
        if plane:
            faces = [_spread(faces[0], low, high)]
        for face in faces:
            shade = float(shades(face[None])[0])
            polygons.append(face)
            colors.append((*(shade * np.array(look[:3])).clip(0, 1), look[3]))
            lines.append((0.25,) * 4 if edges else (0.0,) * 4)
    if len(polygons) > _MOST_FACES:
        raise ArgumentError(f"{len(polygons)} faces are too much to draw")
    few = [len(polygon) <= SIDES for polygon in polygons]
    for small in (True, False):  # matplotlib sorts by depth inside a collection alone
        some = [polygon for polygon, own in zip(polygons, few, strict=True) if own is small]
        looks = [color for color, own in zip(colors, few, strict=True) if own is small]
        edge = [line for line, own in zip(lines, few, strict=True) if own is small]
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
    longest = float(np.max(high - low))  # numbers of a short side would overlap
    for axis, start, end in zip("xyz", low.tolist(), high.tolist(), strict=True):
        getattr(ax, f"set_{axis}lim")(start, end)
        ticks = MaxNLocator(max(1, round(7 * (end - start) / longest)))
        getattr(ax, f"{axis}axis").set_major_locator(ticks)
        getattr(ax, f"set_{axis}label")(f"{axis}, m")
    ax.set_box_aspect(high - low)
    ax.view_init(elev=elevation, azim=azimuth)
