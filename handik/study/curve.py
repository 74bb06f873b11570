"""Curves for a frame to follow: a figure of eight, a circle, or the points of a file.

A curve is either placed, its points being meters of the world, or a bare shape that `Curve.place`
puts where a model can reach every point of it.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import TextIOWrapper
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik._model import Model
from handik.errors import ArgumentError, ReadError
from handik.files.read._file import open_file
from handik.model._places import joint_origins
from handik.spec._given import is_model, number, path_text, points_of, whole_number

__all__ = ["Curve", "circle", "figure_of_eight", "read_path"]

Array = NDArray[np.float64]

#: Half-widths and distances from the shoulder that `Curve.place` tries, as shares of the reach.
_SIZES = (0.25, 0.2, 0.15, 0.1, 0.06, 0.03)
_DISTANCES = (0.6, 0.5, 0.7, 0.4, 0.8, 0.3)
#: Forward first, as arms are mounted: x, then aside, back, up and down, and between them.
_DIRECTIONS = (
    (1, 0, 0), (1, 0, 1), (1, 0, -1), (0, 1, 0), (0, -1, 0), (0, 1, 1), (0, -1, 1), (0, 1, -1),
    (0, -1, -1), (-1, 0, 0), (-1, 0, 1), (-1, 0, -1), (0, 0, 1), (0, 0, -1),
)  # fmt: skip
_SAMPLES = 4000


@dataclass(frozen=True, eq=False)
class Curve:
    """Points to follow in their order.

    Attributes
    ----------
    name : str
        What it is, for titles.
    points : ndarray, shape (n, 3)
        Meters of the world; of a shape that is not placed: its two coordinates, at most 1 in
        size, and zero.
    closed : bool
        The first point follows the last.
    placed : bool
        False for a bare shape.
    """

    name: str
    points: Array
    closed: bool = True
    placed: bool = True

    def __post_init__(self) -> None:
        points = np.array(self.points, np.float64)
        if points.ndim != 2 or points.shape[1] != 3 or not len(points):
            raise ArgumentError(f"points of a curve must be (n, 3), n > 0, got {points.shape}")
        points.setflags(write=False)
        object.__setattr__(self, "points", points)

    def __len__(self) -> int:
        return len(self.points)

    def __repr__(self) -> str:
        return f"Curve({self.name!r}, {len(self)} points{'' if self.placed else ', not placed'})"

    def place(self, model: Model, frame: str | None = None) -> Curve:
        """Put a bare shape where the frame can reach every point of it.

        Parameters
        ----------
        model : Model
        frame : str, optional
            The model's tip if not given.

        Returns
        -------
        Curve
            Itself if it is placed already. The shape stands across the line from the first
            moving joint to its center: upright for a model that moves in space, in its plane for
            one that moves in a plane. The largest size at which a solver reaches every point,
            with restarts, is taken; nothing is said of the poses between being continuous.

        Raises
        ------
        ArgumentError
            When no place was found, or the model has several tips and no frame is named.
        """
        is_model(model)
        if self.placed:
            return self
        for points in _placements(self.points, model, frame):
            found = model.solve(position=points, frame=frame, retries=10)
            if np.all(found.converged):
                return replace(self, points=points, placed=True)
        raise ArgumentError(
            f"found no place for the {self.name} within reach of {model.name!r}: give its centre "
            "and size, or a file of points"
        )


def figure_of_eight(
    n: int = 100,
    *,
    centre: ArrayLike | None = None,
    size: float | None = None,
    axes: ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
) -> Curve:
    """Make a figure of eight, the lemniscate of Gerono: ``(sin t, sin t cos t)``.

    Parameters
    ----------
    n : int
        Points, equally spaced in t.
    centre : array_like, shape (3,), optional
        Where the lines cross, meters. Without it the curve is a bare shape (see `Curve.place`).
    size : float, optional
        Half its length, meters; must be given with `centre`.
    axes : array_like, shape (2, 3)
        Directions of its length and of its width.

    Returns
    -------
    Curve
        Closed.

    Raises
    ------
    ArgumentError
        When `n` is less than 3, only one of `centre` and `size` is given, `size` is not positive,
        or an axis has no length.

    Examples
    --------
    >>> from handik.study import figure_of_eight
    >>> figure_of_eight(100, centre=[0.5, 0.0, 0.3], size=0.2)
    Curve('figure of eight', 100 points)
    """
    t = _turn(n)
    shape = np.stack([np.sin(t), np.sin(t) * np.cos(t), np.zeros(n)], axis=1)
    return _shape("figure of eight", shape, centre, size, axes)


def circle(
    n: int = 100,
    *,
    centre: ArrayLike | None = None,
    size: float | None = None,
    axes: ArrayLike = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)),
) -> Curve:
    """Make a circle.

    Parameters
    ----------
    n : int
        Points, equally spaced.
    centre : array_like, shape (3,), optional
        Meters. Without it the curve is a bare shape (see `Curve.place`).
    size : float, optional
        Its radius, meters; must be given with `centre`.
    axes : array_like, shape (2, 3)
        Directions of its plane.

    Returns
    -------
    Curve
        Closed.

    Examples
    --------
    >>> from handik.study import circle
    >>> circle(12, centre=[0.5, 0.0, 0.3], size=0.2)
    Curve('circle', 12 points)
    """
    t = _turn(n)
    return _shape(
        "circle", np.stack([np.cos(t), np.sin(t), np.zeros(n)], axis=1), centre, size, axes
    )


def read_path(path: str | os.PathLike[str]) -> Curve:
    """Read points from a CSV file: x, y, z in meters on each line, z may be left out.

    Parameters
    ----------
    path : path
        The file. Separators are commas, semicolons or blanks; a first line of words and lines
        after ``#`` are passed over.

    Returns
    -------
    Curve
        Placed. It is closed when its last point is its first; that point is then kept once.

    Raises
    ------
    ReadError
        With file and line, when a line is not two or three finite numbers.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import numpy as np
    >>> from handik.study import read_path
    >>> with TemporaryDirectory() as folder:
    ...     square = [[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]
    ...     np.savetxt(f"{folder}/square.csv", square, delimiter=",")
    ...     read_path(f"{folder}/square.csv").closed
    True
    """
    name = path_text("path", path)
    rows: list[list[float]] = []
    try:
        with TextIOWrapper(open_file(path), encoding="utf-8-sig", newline="") as file:
            for line, cells in _cells(file):
                row = _numbers(cells)
                if row is None and not rows and line == 1:
                    continue
                if row is None:
                    raise ReadError(
                        f"expected 2 or 3 finite numbers, got {', '.join(cells)[:60]!r}", name, line
                    )
                rows.append(row)
    except (UnicodeDecodeError, csv.Error) as error:
        raise ReadError(f"not a text file of numbers: {error}", name) from None
    if not rows:
        raise ReadError("no points in this file", name)
    points = np.array(rows)
    closed = len(points) > 2 and bool(np.array_equal(points[0], points[-1]))
    return Curve(os.path.basename(name), points[:-1] if closed else points, closed)


# -- reading ------------------------------------------------------------------------------------


def _cells(file: Any) -> Iterator[tuple[int, list[str]]]:
    for line, text in enumerate(file, 1):
        text = text.partition("#")[0].replace(";", ",")
        cells = text.split(",") if "," in text else text.split()
        cells = [cell.strip() for cell in cells]
        if any(cells):
            yield line, cells


def _numbers(cells: list[str]) -> list[float] | None:
    if len(cells) not in (2, 3):
        return None
    try:
        row = [float(cell) for cell in cells]
    except ValueError:
        return None
    return [*row, 0.0][:3] if np.isfinite(row).all() else None


# -- shapes and their place ---------------------------------------------------------------------


def _turn(n: int) -> Array:
    if whole_number("n", n, 2**24) < 3:
        raise ArgumentError(f"a closed curve needs n of at least 3 points, got {n}")
    return np.linspace(0.0, 2 * np.pi, n, endpoint=False)


def _shape(name: str, shape: Array, centre: Any, size: Any, axes: Any) -> Curve:
    if (centre is None) != (size is None):
        raise ArgumentError("give both centre and size, or neither to have it placed for a model")
    if centre is None:
        return Curve(name, shape, placed=False)
    middle, sides = points_of(centre, "centre", (3,)), points_of(axes, "axes", (2, 3))
    size = number("size", size)
    if not 0 < size < np.inf:
        raise ArgumentError(f"size must be positive, got {size}")
    lengths = np.linalg.norm(sides, axis=1, keepdims=True)
    if not (lengths > 0).all():
        raise ArgumentError("an axis has no length")
    return Curve(name, middle + size * shape[:, :2] @ (sides / lengths))


def _placements(shape: Array, model: Model, frame: str | None) -> Iterator[Array]:
    """Yield the shape in each place worth trying, the best first."""
    q = np.concatenate([model.rest[None], model.sample(_SAMPLES, seed=0)])
    tips = np.asarray(model.fk(q) if frame is None else model.fk(q, frame=frame))[..., :3, 3]
    shoulder = _shoulder(model, frame)
    reach = float(np.max(np.linalg.norm(tips - shoulder, axis=1)))
    middle = tips.mean(axis=0)
    _, spread, sides = np.linalg.svd(tips - middle, full_matrices=False)
    if not spread[1] > 1e-9 * spread[0]:
        return
    normal = sides[2] if spread[2] <= 1e-9 * spread[0] else None
    if normal is not None:
        shoulder = shoulder + normal * (normal @ (middle - shoulder))
    for size in _SIZES:
        for direction in _DIRECTIONS:
            away = np.array(direction, float)
            if normal is not None:
                away = away - normal * (normal @ away)
            if np.linalg.norm(away) < 0.5:
                continue
            away /= np.linalg.norm(away)
            along, across = _across(away, normal)
            for distance in _DISTANCES:
                centre = shoulder + distance * reach * away
                # Cheap test first: some sampled pose must have come into the shape.
                if np.min(np.linalg.norm(tips - centre, axis=1)) < size * reach:
                    yield centre + size * reach * shape[:, :2] @ np.stack([along, across])


def _across(away: Array, normal: Array | None) -> tuple[Array, Array]:
    """Directions of length and width of the shape that stands at the end of `away`."""
    if normal is not None:
        return np.cross(normal, away), away
    level = np.array([-away[1], away[0], 0.0])
    if np.linalg.norm(level) < 0.1:
        level = np.array([0.0, 1.0, 0.0])
    level /= np.linalg.norm(level)
    return level, np.cross(away, level)


def _shoulder(model: Model, frame: str | None) -> Array:
    """Origin of the first moving joint above the frame, at rest."""
    origin: Array = joint_origins(model, model.rest, frame)[0]
    return origin
