"""What is seen of shapes, scenes and figures: polygons, triangles, and what moves with which link.

Pictures, viewers and files of triangles are made of it. A plane has no end here: who draws it says
how far it goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import shortened
from handik.model import Model
from handik.people.human import Human
from handik.scene.nodes import one_color
from handik.scene.shapes import Box, Capsule, Cylinder, Mesh, Plane, Prism, Shape, Sphere

if TYPE_CHECKING:
    from handik.scene.document import Scene
    from handik.spec.parts import GeometrySpec

__all__ = [
    *("Piece", "Seen", "Triangles", "chair_faces", "chair_pieces", "faces_of"),
    *("model_of", "pieces", "placed_corners", "round_cone", "seen", "triangles"),
]

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Sides of a circle, and rings of half a ball.
SIDES, RINGS = 20, 6
#: The same of the rods that a chair has many of.
ROD = (10, 3)
_SEEN_BY_TAG = {"floor": "#d9d4c7", "wall": "#dfe3e8", "door": "#b98d5b", "seat": "#7a9e7e"}
_PLAIN = "#c3a67d"
#: Of a figure that says no color.
BODY = (0.56, 0.65, 0.74)


@dataclass(frozen=True, eq=False)
class Triangles:
    """Triangles, against the clock as seen from outside.

    Attributes
    ----------
    vertices : ndarray (n, 3)
    faces : ndarray of int (m, 3)
    normals : ndarray (n, 3) or None
        Of what is round; None: each triangle is flat.
    """

    vertices: Array
    faces: Ints
    normals: Array | None = None

    def moved(self, pose: Array) -> Triangles:
        """Return them at a rigid pose (4, 4)."""
        turn = pose[:3, :3]
        normals = None if self.normals is None else self.normals @ turn.T
        return Triangles(self.vertices @ turn.T + pose[:3, 3], self.faces, normals)


# -- shapes -------------------------------------------------------------------------------------


def round_cone(
    start: Array, end: Array, radii: tuple[float, float], sides: int = SIDES, rings: int = RINGS
) -> tuple[Array, Array]:
    """Return a grid (2 rings, sides, 3) on the hull of two balls, from start to end; and normals.

    Rings are perpendicular to the axis: the ends of the two balls, joined by the cone between them.
    """
    first, last = float(radii[0]), float(radii[1])
    length = float(np.linalg.norm(end - start))
    if length <= abs(first - last):  # one ball holds the other
        start = end = start if first >= last else end
        first = last = max(first, last)
        length = 0.0
    axis = (end - start) / length if length > 0 else np.array([0.0, 0.0, 1.0])
    x = np.array([1.0, 0.0, 0.0]) if abs(axis[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    x = x - axis * (x @ axis)
    x /= np.linalg.norm(x)
    y = np.cross(axis, x)
    tilt = np.arcsin((first - last) / length) if length > 0 else 0.0
    half = np.pi / 2
    lift = np.concatenate([np.linspace(-half, tilt, rings), np.linspace(tilt, half, rings)])
    turn = 2 * np.pi * np.arange(sides) / sides
    around = np.cos(turn)[:, None] * x + np.sin(turn)[:, None] * y
    normals = np.cos(lift)[:, None, None] * around + np.sin(lift)[:, None, None] * axis
    middle = np.repeat(np.stack([start, end]), rings, axis=0)
    size = np.repeat([first, last], rings)
    return middle[:, None] + size[:, None, None] * normals, normals


def _ball_ends(shape: Shape) -> tuple[Array, Array, float] | None:
    """Return start, end and radius of a shape that is the hull of two balls."""
    if isinstance(shape, Sphere):
        return np.zeros(3), np.zeros(3), shape.radius
    if isinstance(shape, Capsule):
        up = np.array([0.0, 0.0, shape.length / 2])
        return -up, up, shape.radius
    return None


def faces_of(shape: Shape, sides: int = SIDES, rings: int = RINGS) -> list[Array]:
    """Return the faces of a shape, each the corners of a polygon in its own frame."""
    ends = _ball_ends(shape)
    if ends is not None:
        grid, _ = round_cone(ends[0], ends[1], (ends[2], ends[2]), sides, rings)
        return list(quads(grid))
    if isinstance(shape, (Box, Cylinder)):
        length = shape.size[2] if isinstance(shape, Box) else shape.length
        return _drawn_up(_outline(shape, sides), -length / 2, length / 2)
    if isinstance(shape, Prism):
        return _drawn_up(np.array(shape.polygon), 0.0, shape.height)
    if isinstance(shape, Plane):
        return [np.array([[-0.5, -0.5, 0], [0.5, -0.5, 0], [0.5, 0.5, 0], [-0.5, 0.5, 0]])]
    assert isinstance(shape, Mesh)
    if shape.vertices is None or shape.faces is None:
        return [np.zeros((3, 3))]
    return list(shape.vertices[shape.faces] * np.array(shape.scale))


def quads(grid: Array) -> Array:
    """Return the four corners (n, 4, 3) of the cells of a grid that is closed around."""
    after = np.roll(grid, -1, axis=1)
    cells = np.stack([grid[:-1], after[:-1], after[1:], grid[1:]], axis=2)
    return cells.reshape(-1, 4, 3)


def _outline(shape: Box | Cylinder, sides: int) -> Array:
    if isinstance(shape, Box):
        x, y = shape.size[0] / 2, shape.size[1] / 2
        return np.array([[-x, -y], [x, -y], [x, y], [-x, y]])
    turn = 2 * np.pi * np.arange(sides) / sides
    return shape.radius * np.stack([np.cos(turn), np.sin(turn)], axis=1)


def _drawn_up(ring: Array, low: float, high: float) -> list[Array]:
    bottom = np.column_stack([ring, np.full(len(ring), low)])
    top = np.column_stack([ring, np.full(len(ring), high)])
    after = np.roll(np.arange(len(ring)), -1)
    sides = [np.stack([bottom[k], bottom[n], top[n], top[k]]) for k, n in enumerate(after)]
    return [bottom[::-1], top, *sides]


def triangles(shape: Shape) -> Triangles:
    """Return the triangles of a shape that is no plane; the file of a mesh is read.

    Raises
    ------
    ReadError
        When the file is not what its suffix says.
    UnsupportedError
        When no importer knows it, or its package is not installed.
    """
    ends = _ball_ends(shape)
    if ends is not None:
        return rounded(ends[0], ends[1], (ends[2], ends[2]))
    if isinstance(shape, Mesh):
        # it reads files, whose readers make documents: at run time alone, as `check._world` does
        grids = import_module("handik.scene.check._grid")
        return Triangles(*grids.mesh_triangles(shape))
    if not isinstance(shape, Prism):
        return _fans(faces_of(shape))
    from handik.scene.check._world import convex_pieces

    made = [face for face in faces_of(shape)[2:]]
    for piece in convex_pieces(shape.polygon):
        bottom, top, *_ = _drawn_up(np.array(piece), 0.0, shape.height)
        made += [bottom, top]
    return _fans(made)


def _fans(polygons: list[Array]) -> Triangles:
    """Return the triangles of convex polygons, each from its first corner."""
    count, found = 0, []
    for polygon in polygons:
        n = len(polygon)
        fan = [[count, count + k, count + k + 1] for k in range(1, n - 1)]
        found += fan
        count += n
    return Triangles(np.concatenate(polygons), np.array(found))


def rounded(
    start: Array, end: Array, radii: tuple[float, float], sides: int = 16, rings: int = 5
) -> Triangles:
    """Return the triangles of the hull of two balls."""
    grid, normals = round_cone(start, end, radii, sides, rings)
    rows, sides = grid.shape[:2]
    cell = np.arange(rows * sides).reshape(rows, sides)
    after = np.roll(cell, -1, axis=1)
    a, b, c, d = cell[:-1], after[:-1], after[1:], cell[1:]
    both = np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3)
    points = grid.reshape(-1, 3)
    first, second, third = (points[both[:, k]] for k in range(3))
    area = np.linalg.norm(np.cross(second - first, third - first), axis=1)
    return Triangles(points, both[area > 1e-9 * area.max()], normals.reshape(-1, 3))


def placed_corners(found: Any, poses: dict[str, Array]) -> Array:
    """Return the corners (m, 3, 3) of the triangles of pieces, with these poses of the links."""
    made = [one.triangles.moved(poses[one.link]).vertices[one.triangles.faces] for one in found]
    return np.concatenate(made) if made else np.zeros((0, 3, 3))


# -- a scene ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Seen:
    """A shape of a scene, at its place.

    Attributes
    ----------
    path : str
        Of its node.
    shape : Shape
        In its own size.
    pose : ndarray (4, 4)
        In its node.
    color : tuple of float
    opacity : float
        Above zero.
    """

    path: str
    shape: Shape
    pose: Array
    color: tuple[float, ...]
    opacity: float


def seen(scene: Scene) -> Iterator[Seen]:
    """Yield every shape that is not invisible; colors and opacity are handed down the tree."""
    looks: dict[str, tuple[Any, float]] = {}
    for path in scene:
        node, above = scene[path], looks.get(path.rpartition("/")[0], (None, 1.0))
        tagged = next((_SEEN_BY_TAG[tag] for tag in sorted(node.tags) if tag in _SEEN_BY_TAG), None)
        color = node.color or tagged or above[0]
        opacity = above[1] if node.opacity is None else node.opacity
        looks[path] = color, opacity
        if node.content is None or opacity == 0:
            continue
        rgb = one_color(color or _PLAIN) or BODY
        if isinstance(node.content, Shape):
            yield Seen(path, node.content, np.eye(4), rgb, opacity)
        else:
            for _, shape, pose in node.content.solids():
                yield Seen(path, shape, pose, rgb, opacity)


# -- a figure -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Piece:
    """A part of a figure's body, fixed to a link.

    Attributes
    ----------
    link : str
    triangles : Triangles
        In the link's frame.
    color : tuple of float
    """

    link: str
    triangles: Triangles
    color: tuple[float, ...] = BODY


def model_of(figure: Any) -> Model:
    """Return the model of a figure, a person or a model itself.

    Raises
    ------
    TypeError
        When it is none of them.
    """
    from handik.scene.check.figure import Figure

    model = figure.model if isinstance(figure, (Human, Figure)) else figure
    if not isinstance(model, Model):
        raise TypeError(f"figure must be a Model, a Human or a Figure, got {shortened(figure)}")
    return model


def pieces(
    figure: Any, *, coarse: bool = False, thin: float | None = None, chair: bool = True
) -> list[Piece]:
    """Return the body of a figure: its capsules; those of a person; a model's shapes, or its bones.

    Of a model the shapes to be seen are taken, else those to be touched, if all their files are
    there; else a thin bone leads from each link's frame to the next. Coarse is for pictures of many
    postures: of a model what is measured, with fewer sides. `thin` is the radius of a bone.
    `chair`: that of a person who sits in one too.
    """
    from handik.scene.check.figure import Figure, as_figure

    model = model_of(figure)
    if coarse and isinstance(figure, Model) and any(link.collisions for link in model.spec.links):
        figure = as_figure(figure)
    if isinstance(figure, Figure):
        ends = [
            (c.frame, np.asarray(c.start, float), np.asarray(c.end, float), (c.radius, c.radius))
            for c in figure.capsules
        ]
    elif isinstance(figure, Human):
        ends = [(c.link, c.start, c.end, c.radii) for c in figure.capsules]
    else:
        shapes = [] if coarse else _shapes(model)
        if shapes:
            return shapes
        ends = list(_bones(model, thin))
    body = [
        Piece(link, rounded(start, end, radii)) for link, start, end, radii in _held(model, ends)
    ]
    return [*body, *chair_pieces(figure)] if chair and isinstance(figure, Human) else body


def _chair(person: Human) -> tuple[str, Any]:
    """Return the link that a person's place is of, and the parts of her chair as they are drawn."""
    home = person._at_origin or person
    #  it measures, and what measures makes scenes: at run time alone, as for meshes
    return home.model.spec.root, import_module("handik.scene.access._seat").drawn(home)


def chair_pieces(person: Human) -> list[Piece]:
    """Return the chair that a person sits in; of who sits in none, nothing."""
    root, parts = _chair(person)
    found = []
    for part in parts:
        ends = _ball_ends(part.shape)
        made = (
            triangles(part.shape)
            if ends is None
            else rounded(ends[0], ends[1], (ends[2], ends[2]), *ROD)
        )
        found.append(Piece(root, made.moved(part.pose), one_color(part.color) or BODY))
    return found


def chair_faces(
    person: Human, poses: dict[str, Array]
) -> Iterator[tuple[list[Array], tuple[float, ...]]]:
    """Yield the faces and the color of each part of a chair, with these poses of the links."""
    root, parts = _chair(person)
    for part in parts:
        pose = poses[root] @ part.pose
        sides = ROD if _ball_ends(part.shape) is not None else (SIDES, RINGS)
        faces = [face @ pose[:3, :3].T + pose[:3, 3] for face in faces_of(part.shape, *sides)]
        yield faces, one_color(part.color) or BODY


def _held(model: Model, ends: Any) -> Iterator[tuple[str, Array, Array, tuple[float, float]]]:
    """Yield what is fixed to a frame as fixed to the frame's link."""
    frames = {frame.name: frame for frame in model.spec.frames}
    for name, start, end, radii in ends:
        if name in frames:
            pose = frames[name].placement
            start, end = (pose[:3, :3] @ p + pose[:3, 3] for p in (start, end))
            name = frames[name].link
        yield name, start, end, radii


def _shapes(model: Model) -> list[Piece]:
    for word in ("visuals", "collisions"):
        given = [(link.name, one) for link in model.spec.links for one in getattr(link, word)]
        if given and all(one.kind != "mesh" or one.file is not None for _, one in given):
            return [
                Piece(
                    link,
                    triangles(_shape(one)).moved(one.placement),
                    BODY if one.color is None else tuple(one.color[:3]),
                )
                for link, one in given
            ]
    return []


def _shape(given: GeometrySpec) -> Shape:
    """Return a shape of a model as one of a scene."""
    if given.kind == "mesh":
        return Mesh(given.file, scale=given.scale)
    if given.kind == "box":
        assert given.size is not None
        return Box(given.size)
    assert given.radius is not None
    if given.kind == "sphere":
        return Sphere(given.radius)
    assert given.length is not None
    return (Capsule if given.kind == "capsule" else Cylinder)(given.length, given.radius)


def _bones(
    model: Model, thin: float | None
) -> Iterator[tuple[str, Array, Array, tuple[float, float]]]:
    """Yield a thin bone from each link's frame to where the next joint is fixed to it."""
    ends = [(joint.parent, joint.placement[:3, 3]) for joint in model.spec.joints]
    ends += [(frame.link, frame.placement[:3, 3]) for frame in model.spec.frames]
    if thin is None:
        thin = 0.03 * max([float(np.linalg.norm(end)) for _, end in ends], default=1.0)
    for link, end in ends:
        yield link, np.zeros(3), end, (thin, thin)
