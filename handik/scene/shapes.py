"""The shapes of a scene: what is solid, and where its own frame lies.

Each is centered on its pose, but for `Plane` and `Prism`; lengths in meters. A shape never changes,
equals another of the same numbers, and can be a key.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.spec._given import finite_number, path_text, reals

__all__ = ["LARGEST", "Box", "Capsule", "Cylinder", "Mesh", "Plane", "Prism", "Shape", "Sphere"]

Array = NDArray[np.float64]
Point2: TypeAlias = tuple[float, float]

#: Meters: no length of a scene, and no coordinate of a place in it, is more.
LARGEST = 1e6
#: Corners of one polygon, at most.
MOST_CORNERS = 4096
#: Points and triangles of one mesh given as arrays, at most.
MOST_FACES = 2_000_000


def length(name: str, value: Any) -> float:
    """Return a length that is finite, not negative and at most `LARGEST`."""
    found = finite_number(name, value)
    if found < 0:
        raise ArgumentError(f"{name} must not be negative, got {found:g}")
    if found > LARGEST:
        raise ArgumentError(f"{name} must be at most {LARGEST:g} m, got {found:g}")
    return found + 0.0  # no negative zero


def factor(name: str, value: Any) -> float:
    """Return a scale: a finite number above zero."""
    found = finite_number(name, value)
    if not 1 / LARGEST <= found <= LARGEST:
        raise ArgumentError(f"{name} must be {1 / LARGEST:g} to {LARGEST:g}, got {found:g}")
    return found


class Shape(ABC):
    """What the shapes share.

    Attributes
    ----------
    kind : str
        The word that files use: ``"box"``, ``"sphere"``, ``"capsule"``, ``"cylinder"``,
        ``"plane"``, ``"prism"`` or ``"mesh"``.
    """

    __slots__ = ()
    kind: ClassVar[str] = ""

    @abstractmethod
    def scaled(self, scale: float) -> Shape:
        """Return the shape enlarged about its own origin.

        Parameters
        ----------
        scale : float
            Factor, above zero.

        Returns
        -------
        Shape
            One of the same class.

        Raises
        ------
        ArgumentError
            When the factor is none, or the shape grows beyond `LARGEST`.
        """


def set_fields(shape: Any, **values: Any) -> None:
    """Set the fields of what is frozen, while it is made."""
    for name, value in values.items():
        object.__setattr__(shape, name, value)


@dataclass(frozen=True)
class Box(Shape):
    """A box, centered on its pose, edges along its axes.

    Parameters
    ----------
    size : array_like, shape (3,)
        Whole edges along x, y and z, meters. An edge of zero makes it flat.

    Raises
    ------
    ArgumentError
        When these are not three finite lengths.

    Examples
    --------
    >>> import handik as hk
    >>> hk.scene.Box([0.6, 0.4, 0.75])
    Box(size=(0.6, 0.4, 0.75))
    """

    size: tuple[float, float, float]
    kind: ClassVar[str] = "box"

    if TYPE_CHECKING:  # what is kept is a tuple

        def __init__(self, size: ArrayLike) -> None: ...

    def __post_init__(self) -> None:
        edges = reals(self.size, "size", (3,))
        if edges.ndim != 1:
            raise ArgumentError(f"size must have shape (3,), got {edges.shape}")
        found = tuple(length(f"size[{k}]", edge) for k, edge in enumerate(edges.tolist()))
        set_fields(self, size=found)

    def scaled(self, scale: float) -> Box:
        """Return the box enlarged; see `Shape.scaled`.

        Parameters
        ----------
        scale : float
            Factor, above zero.

        Returns
        -------
        Box
            The larger one.
        """
        by = factor("scale", scale)
        return Box((self.size[0] * by, self.size[1] * by, self.size[2] * by))


@dataclass(frozen=True)
class Sphere(Shape):
    """A ball about its pose.

    Parameters
    ----------
    radius : float
        Meters. One of zero is a point.

    Raises
    ------
    ArgumentError
        When it is no finite length.

    Examples
    --------
    >>> import handik as hk
    >>> hk.scene.Sphere(0.1).scaled(2.0)
    Sphere(radius=0.2)
    """

    radius: float
    kind: ClassVar[str] = "sphere"

    def __post_init__(self) -> None:
        set_fields(self, radius=length("radius", self.radius))

    def scaled(self, scale: float) -> Sphere:
        """Return the ball enlarged; see `Shape.scaled`.

        Parameters
        ----------
        scale : float
            Factor, above zero.

        Returns
        -------
        Sphere
            The larger one.
        """
        return Sphere(self.radius * factor("scale", scale))


@dataclass(frozen=True)
class Capsule(Shape):
    """A cylinder along z with half balls on its ends, centered on its pose.

    Parameters
    ----------
    length : float
        Of the axis, without the ends, meters.
    radius : float
        Meters.

    Raises
    ------
    ArgumentError
        When one is no finite length.

    Examples
    --------
    >>> import handik as hk
    >>> hk.scene.Capsule(0.3, 0.05)
    Capsule(length=0.3, radius=0.05)
    """

    length: float
    radius: float
    kind: ClassVar[str] = "capsule"

    def __post_init__(self) -> None:
        set_fields(self, length=length("length", self.length), radius=length("radius", self.radius))

    def scaled(self, scale: float) -> Capsule:
        """Return the capsule enlarged; see `Shape.scaled`.

        Parameters
        ----------
        scale : float
            Factor, above zero.

        Returns
        -------
        Capsule
            The larger one.
        """
        by = factor("scale", scale)
        return Capsule(self.length * by, self.radius * by)


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder along z with flat ends, centered on its pose.

    Parameters
    ----------
    length : float
        Along z, meters.
    radius : float
        Meters.

    Raises
    ------
    ArgumentError
        When one is no finite length.

    Examples
    --------
    >>> import handik as hk
    >>> hk.scene.Cylinder(0.1, 0.04)
    Cylinder(length=0.1, radius=0.04)
    """

    length: float
    radius: float
    kind: ClassVar[str] = "cylinder"

    def __post_init__(self) -> None:
        set_fields(self, length=length("length", self.length), radius=length("radius", self.radius))

    def scaled(self, scale: float) -> Cylinder:
        """Return the cylinder enlarged; see `Shape.scaled`.

        Parameters
        ----------
        scale : float
            Factor, above zero.

        Returns
        -------
        Cylinder
            The larger one.
        """
        by = factor("scale", scale)
        return Cylinder(self.length * by, self.radius * by)


@dataclass(frozen=True)
class Plane(Shape):
    """The plane z = 0 of its pose; all below it is solid.

    It has no edge: with one at the height of an upper storey all that stands below is in it, and
    nothing there is in reach. Such a floor is a `Box`. To `hk.access.passes` and the rules, which
    look from above, a level plane is a floor at whatever height, and no obstacle.

    Examples
    --------
    >>> import handik as hk
    >>> hk.scene.Plane()
    Plane()
    """

    kind: ClassVar[str] = "plane"

    def scaled(self, scale: float) -> Plane:
        """Return the plane, which has no size; see `Shape.scaled`.

        Parameters
        ----------
        scale : float
            Factor, above zero.

        Returns
        -------
        Plane
            An equal one.
        """
        factor("scale", scale)
        return self


def outline(name: str, polygon: ArrayLike) -> tuple[Point2, ...]:
    """Return the corners of a simple polygon, counterclockwise; a corner said twice counts once.

    Raises
    ------
    ArgumentError
        When there are fewer than three corners, or too many, its area is zero, or two of its
        edges meet other than at their common corner.
    """
    given = reals(polygon, name, (2,))
    if given.ndim != 2:
        raise ArgumentError(f"{name} must have shape (n, 2), got {given.shape}")
    if len(given) > MOST_CORNERS:
        raise ArgumentError(f"{name} has {len(given)} corners, more than {MOST_CORNERS}")
    if len(given) and np.abs(given).max() > LARGEST:
        raise ArgumentError(f"{name} reaches beyond {LARGEST:g} m")
    points = given[(given != np.roll(given, 1, axis=0)).any(axis=1)] + 0.0
    if len(points) < 3:
        raise ArgumentError(f"{name} must have three corners or more, got {len(points)}")
    twice = _twice_the_area(points)
    if twice == 0.0:
        raise ArgumentError(f"{name} has no area")
    if (crossing := _crossing(points)) is not None:
        one, other = crossing
        raise ArgumentError(f"{name} crosses or touches itself: edges {one} and {other} meet")
    if twice < 0:
        points = points[::-1]
    return tuple((float(x), float(y)) for x, y in points)


def _twice_the_area(points: Array) -> float:
    x, y = (points - points[0]).T
    return float(np.sum(x * np.roll(y, -1) - np.roll(x, -1) * y))


def _crossing(points: Array) -> tuple[int, int] | None:
    """Return the numbers of two edges that meet where they should not, or None."""
    starts, ends = points, np.roll(points, -1, axis=0)
    lower, upper = np.minimum(starts, ends), np.maximum(starts, ends)
    count = len(points)
    for k in range(count - 1):
        rest = slice(k + 1, count)
        near = ((lower[rest] <= upper[k]) & (upper[rest] >= lower[k])).all(axis=1)
        for other in (np.flatnonzero(near) + k + 1).tolist():
            if _meet(points, k, other):
                return k, other
    return None


def _meet(points: Array, one: int, other: int) -> bool:
    """Tell whether two edges, whose bounds overlap, have more in common than they may."""
    count = len(points)
    a, b = points[one], points[(one + 1) % count]
    c, d = points[other], points[(other + 1) % count]
    if other == one + 1 or (one == 0 and other == count - 1):
        # neighbors share a corner; they meet otherwise only where one runs back over the other
        corner, far, off = (b, a, d) if other == one + 1 else (a, b, c)
        return _side(corner, far, off) == 0.0 and bool(np.dot(far - corner, off - corner) > 0)
    sides = [_side(a, b, c), _side(a, b, d), _side(c, d, a), _side(c, d, b)]
    if sides[0] * sides[1] > 0 or sides[2] * sides[3] > 0:
        return False
    return True  # across each other, or touching: their bounds overlap


def _side(a: Array, b: Array, c: Array) -> float:
    """Return on which side of a line a point lies: the sign of a product."""
    found = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return float(np.sign(found))


@dataclass(frozen=True)
class Prism(Shape):
    """A polygon drawn up along z: walls, counters, floors; z = 0 of its pose is the base.

    Parameters
    ----------
    polygon : array_like, shape (n, 2)
        Corners in the plane x y in their order, meters; it may be concave, but not cross or touch
        itself. Kept counterclockwise.
    height : float
        Of the top above the base, meters.

    Raises
    ------
    ArgumentError
        When the polygon is none, or the height no finite length.

    Examples
    --------
    >>> import handik as hk
    >>> corner = hk.scene.Prism([[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]], 2.5)
    >>> len(corner.polygon), corner.area
    (6, 3.0)
    """

    polygon: tuple[Point2, ...]
    height: float
    kind: ClassVar[str] = "prism"

    if TYPE_CHECKING:  # what is kept are tuples

        def __init__(self, polygon: ArrayLike, height: float) -> None: ...

    def __post_init__(self) -> None:
        corners = outline("polygon", self.polygon)
        set_fields(self, polygon=corners, height=length("height", self.height))

    @property
    def area(self) -> float:
        """Of the polygon, square meters."""
        return _twice_the_area(np.array(self.polygon)) / 2

    def scaled(self, scale: float) -> Prism:
        """Return the prism enlarged; see `Shape.scaled`.

        Parameters
        ----------
        scale : float
            Factor, above zero.

        Returns
        -------
        Prism
            The larger one.
        """
        by = factor("scale", scale)
        return Prism(tuple((x * by, y * by) for x, y in self.polygon), self.height * by)


def _still(values: NDArray[Any]) -> NDArray[Any]:
    values.flags.writeable = False
    return values


class Mesh(Shape):
    """Triangles: of a file, which is not opened here, or given as arrays.

    Parameters
    ----------
    path : path, optional
        The file. It is made absolute at once, so that another working folder changes nothing.
    vertices : array_like, shape (n, 3), optional
        Points, meters; with `faces`, in the place of a file.
    faces : array_like of int, shape (m, 3), optional
        Numbers of the three corners of each triangle, counterclockwise seen from outside.
    scale : float or array_like, shape (3,), optional
        Factors along x, y and z; a negative one mirrors.

    Raises
    ------
    ArgumentError
        When there is neither or both of a file and points, a corner is no point, a factor is
        zero, or there is too much of it.

    Examples
    --------
    >>> import handik as hk
    >>> points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    >>> faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    >>> hk.scene.Mesh(vertices=points, faces=faces)
    Mesh(4 vertices, 4 faces)
    """

    kind: ClassVar[str] = "mesh"
    path: str | None
    vertices: Array | None
    faces: NDArray[np.int64] | None
    scale: tuple[float, float, float]

    def __init__(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        vertices: ArrayLike | None = None,
        faces: ArrayLike | None = None,
        scale: ArrayLike = 1.0,
    ) -> None:
        if (path is None) == (vertices is None) or (vertices is None) != (faces is None):
            raise ArgumentError("a mesh has either a path or vertices with faces")
        found: str | None = None
        points: Array | None = None
        corners: NDArray[np.int64] | None = None
        if path is not None:
            found = _absolute(path_text("path", path))
        if vertices is not None:
            points = _points(vertices)
            corners = _corners(faces, len(points))
        set_fields(self, path=found, vertices=points, faces=corners, scale=_factors(scale))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a shape never changes: {name!r} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a shape never changes: {name!r} cannot be deleted")

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        arrays = (self.vertices, self.faces)
        return (self.path, self.scale, *(None if a is None else a.tobytes() for a in arrays))

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Mesh) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in ("path", "vertices", "faces", "scale")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # arrays lose their lock on the way
        found = {n: _still(v) if isinstance(v, np.ndarray) else v for n, v in state.items()}
        set_fields(self, **found)

    def __repr__(self) -> str:
        scale = "" if self.scale == (1.0, 1.0, 1.0) else f", scale={self.scale}"
        if self.vertices is None or self.faces is None:
            return f"Mesh({self.path!r}{scale})"
        return f"Mesh({len(self.vertices)} vertices, {len(self.faces)} faces{scale})"

    def scaled(self, scale: float) -> Mesh:
        """Return the mesh enlarged; see `Shape.scaled`.

        Parameters
        ----------
        scale : float
            Factor, above zero.

        Returns
        -------
        Mesh
            The larger one, of the same points.
        """
        by = factor("scale", scale)
        factors = tuple(one * by for one in self.scale)
        return Mesh(self.path, vertices=self.vertices, faces=self.faces, scale=factors)


def _absolute(path: str) -> str:
    if not path or "\0" in path:
        raise ArgumentError("path must be the name of a file")
    return os.path.abspath(path)


def _points(vertices: ArrayLike) -> Array:
    points = reals(vertices, "vertices", (3,))
    if points.ndim != 2 or not 3 <= len(points) <= MOST_FACES:
        raise ArgumentError(
            f"vertices must have shape (n, 3), n 3 to {MOST_FACES}, got {points.shape}"
        )
    if np.abs(points).max() > LARGEST:
        raise ArgumentError(f"vertices reach beyond {LARGEST:g} m")
    copy: Array = np.array(points)
    return _still(copy)


def _corners(faces: Any, count: int) -> NDArray[np.int64]:
    found = reals(faces, "faces", (3,))
    if found.ndim != 2 or not 1 <= len(found) <= MOST_FACES:
        raise ArgumentError(f"faces must have shape (m, 3), m 1 to {MOST_FACES}, got {found.shape}")
    if (found != np.floor(found)).any():
        raise ArgumentError("faces must be whole numbers")
    if found.min() < 0 or found.max() >= count:
        raise ArgumentError(f"faces must be numbers of vertices, 0 to {count - 1}")
    return _still(found.astype(np.int64))


def _factors(scale: ArrayLike) -> tuple[float, float, float]:
    try:
        x, y, z = np.broadcast_to(reals(scale, "scale", ()), 3).tolist()
    except ValueError as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError("scale must be a number, or three") from None
    for one in (x, y, z):
        factor("scale", abs(one))
    return x, y, z


#: The classes of shapes by their word, in the order of the pages.
KINDS: dict[str, type[Shape]] = {
    shape.kind: shape for shape in (Box, Sphere, Capsule, Cylinder, Plane, Prism, Mesh)
}
