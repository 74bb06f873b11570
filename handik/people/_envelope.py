"""Reach envelopes: how far a hand gets, in every direction, of any figure."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, UnsupportedError
from handik.model import Model
from handik.model._places import check_ends
from handik.people._farthest import Progress, farthest
from handik.people._rays import Piece, between, cut, rings, sphere
from handik.people._zones import rated, zone
from handik.problem import Problem
from handik.problem.terms import Position
from handik.spec._given import (
    finite_number,
    is_model,
    known_name,
    list_of,
    path_text,
    points_of,
    reals,
    whole_number,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Envelope", "envelope"]

Array = NDArray[np.float64]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


@dataclass(frozen=True, eq=False)
class Envelope:
    """The farthest points that a frame reaches, along rays from a point.

    Attributes
    ----------
    center : ndarray, shape (3,)
        Where the rays begin, meters.
    directions : ndarray, shape (n, 3)
        Unit vectors.
    reach : ndarray, shape (n,)
        Along each, meters: a posture was found there, the margin taken off; 0 where none was.
    q : ndarray, shape (n, nq)
        The postures.
    faces : ndarray, shape (m, 3)
        Triangles of the directions, outwards.
    resolution : float
        A posture was looked for and not found this much farther on, meters.
    margin : float
        What was taken off the reach, meters: a tremor's.
    frame : str
    model : Model
    """

    center: Array
    directions: Array
    reach: Array
    q: Array
    faces: NDArray[np.intp]
    resolution: float
    margin: float
    frame: str
    model: Model

    def __repr__(self) -> str:
        size = f"farthest {self.reach.max():.3f} m, {1e3 * self.volume:.0f} liters"
        return f"Envelope({self.frame}, {len(self.reach)} rays, {size})"

    @property
    def points(self) -> Array:
        """The farthest points, shape (n, 3)."""
        return np.asarray(self.center + self.reach[:, None] * self.directions)

    @property
    def volume(self) -> float:
        """Volume inside, cubic meters: between rays the reach goes evenly from one to the other."""
        points, faces = self._finely
        a, b, c = (points[k] for k in faces.T)
        return float(np.sum(a * np.cross(b, c)) / 6)

    @cached_property
    def _finely(self) -> tuple[Array, NDArray[np.intp]]:
        """The surface from the center, each triangle cut in 16: a flat one cuts off a shell."""
        points, faces = self.directions, [tuple(face) for face in self.faces.tolist()]
        for _ in range(2):
            points, faces = cut(points, faces)
        limit = between(points, self.directions, self.faces, self.reach)
        limit[: len(self.reach)] = self.reach
        return limit[:, None] * points, np.array(faces, dtype=np.intp)

    def section(self, normal: ArrayLike, at: float) -> list[tuple[Array, Array]]:
        """Cut the surface by a plane.

        Parameters
        ----------
        normal : array_like, shape (3,)
            Of the plane.
        at : float
            Where the plane cuts its normal, from the world's origin, meters: ``(0, 0, 1), 1.2`` is
            the level 1.2 m above the floor.

        Returns
        -------
        list of (ndarray, ndarray), each of shape (3,)
            Pieces of the edge, one a triangle that is cut: each of `faces` is 16 of them. In a row
            they are `outlines`.

        Raises
        ------
        ArgumentError
            When the normal is zero, or a number not finite.
        """
        return [(a, b) for (_, a), (_, b) in self._cut(normal, at)]

    def outlines(self, normal: ArrayLike, at: float) -> list[Array]:
        """Cut the surface by a plane, as lines to draw or to write.

        Parameters
        ----------
        normal : array_like, shape (3,)
        at : float
            As of `section`.

        Returns
        -------
        list of ndarray, shape (n, 3)
            Closed lines, the longest first; the last point of each is its first again.

        Raises
        ------
        ArgumentError
            When the normal is zero, or a number not finite.

        Examples
        --------
        >>> import numpy as np
        >>> import handik as hk
        >>> arm = hk.chain([0.3, 0.3], "ball")
        >>> around = hk.people.envelope(arm, center=[0.0, 0.0, 0.0], level=1)
        >>> (line,) = around.outlines((0, 0, 1), 0.3)
        >>> bool((line[0] == line[-1]).all()), round(float(np.ptp(line[:, 0])), 1)
        (True, 1.0)
        """
        lines = rings(self._cut(normal, at))
        return sorted(lines, key=lambda line: -np.linalg.norm(np.diff(line, axis=0), axis=1).sum())

    def _cut(self, normal: ArrayLike, at: float) -> list[Piece]:
        """Return both ends of each piece of a section: the edge that is cut, and where."""
        up = points_of(normal, "normal", (3,))
        long = float(np.linalg.norm(up))
        if long == 0.0:
            raise ArgumentError("normal must not be zero")
        points, faces = self._finely
        points = self.center + points
        height = points @ (up / long) - finite_number("at", at)
        found = []
        below = height[faces] < 0
        for face in faces[below.any(axis=1) & ~below.all(axis=1)]:
            ends = []
            for i, j in zip(face, np.roll(face, -1), strict=True):
                a, b = float(height[i]), float(height[j])
                if (a < 0) != (b < 0):
                    edge = (int(min(i, j)), int(max(i, j)))
                    ends.append((edge, points[i] + (a / (a - b)) * (points[j] - points[i])))
            if len(ends) == 2:
                found.append(ends)
        return found

    def contains(self, points: ArrayLike) -> Any:
        """Tell whether points are inside the surface.

        Parameters
        ----------
        points : array_like, shape (..., 3)
            Meters.

        Returns
        -------
        bool or ndarray of bool, shape (...)
            Inside means nearer to the center than the surface in that direction. Not all of it need
            be in reach: too near is out of reach too. A goal is decided by `Model.solve`.

        Raises
        ------
        ArgumentError
            When the shape is wrong, or a number not finite.
        """
        rows = reals(points, "points", (3,))
        way = rows - self.center
        far = np.linalg.norm(way, axis=-1)
        unit = way / np.where(far > 0, far, 1.0)[..., None]
        limit = between(unit.reshape(-1, 3), self.directions, self.faces, self.reach)
        limit = limit.reshape(far.shape)
        inside = (limit > 0) & (far <= limit)  # where nothing is reached nothing is in
        return bool(inside) if inside.ndim == 0 else inside

    def rate(self, score: Any) -> Array:
        """Rate the posture at every point of the surface: a map of discomfort on it.

        Parameters
        ----------
        score : JointDisplacement, Effort, Gaze, Balance, or callable
            A function of postures (n, nq) that gives n numbers, or what has such a ``score``.

        Returns
        -------
        ndarray, shape (n,)

        Raises
        ------
        TypeError
            When it is none of these.
        ArgumentError
            When it gives another number of numbers.
        """
        return rated(score, self.q)

    def zone(
        self,
        score: Any,
        most: float,
        *,
        terms: Sequence[Any] = (),
        steps: int = 8,
        threads: int = 0,
    ) -> Envelope:
        """Find the surface inside of which a score is met: an iso-surface of discomfort.

        Parameters
        ----------
        score : JointDisplacement, Effort, Gaze, Balance, or callable
            As in `rate`.
        most : float
            The score that is accepted.
        terms : sequence of Term
            Wishes of the postures beside the place, such as ``JointDisplacement.term()``.
        steps : int
            Points tried along each ray, from the envelope inwards; the last step is halved 5 times.
        threads : int
            0: all cores. The answer does not depend on it.

        Returns
        -------
        Envelope
            Along each ray the farthest point that is reached with a score of `most` or less, and 0
            where none is; its `resolution` is a step. Nearer points need not be as good.

        Raises
        ------
        TypeError
            When `score` is none of these, or a term is none.
        ArgumentError
            When a number is out of range, or the score gives another number of numbers.

        Notes
        -----
        A point is rated in the posture that a solver finds from the model's rest. Another posture
        may be better: the surface is inside the one of the best postures.

        Examples
        --------
        >>> import numpy as np
        >>> import handik as hk
        >>> arm = hk.chain([0.3, 0.3], "ball")
        >>> around = hk.people.envelope(arm, center=[0.0, 0.0, 0.0], level=0)
        >>> far = around.zone(lambda q: np.linalg.norm(arm.fk(q)[..., :3, 3], axis=-1), 0.4)
        >>> bool(np.allclose(far.reach, 0.4, atol=0.01))
        True
        """
        limit = finite_number("most", most)
        count = whole_number("steps", steps, 1000)
        if count < 1:
            raise ArgumentError("steps must be 1 or more")
        cores, wishes = whole_number("threads", threads), list_of("terms", terms)
        return zone(self, lambda q: rated(score, q), limit, wishes, count, cores)

    def save(self, path: Any, values: ArrayLike | None = None) -> None:
        """Write the surface: points as CSV, or triangles as OBJ.

        Parameters
        ----------
        path : path
            ``.csv`` or ``.obj``.
        values : array_like, shape (n,), optional
            A column more, such as what `rate` gives; CSV alone.

        Raises
        ------
        UnsupportedError
            For another suffix, or values in an OBJ.
        ArgumentError
            When the shape of values is wrong.
        """
        where = Path(path_text("path", path))
        if where.suffix not in (".csv", ".obj"):
            raise UnsupportedError(f"an envelope is written as .csv or .obj, not {where.name!r}")
        more = None if values is None else points_of(values, "values", self.reach.shape)
        if where.suffix == ".obj":
            if more is not None:
                raise UnsupportedError("an .obj has no values: write a .csv")
            lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in self.points]
            lines += [f"f {a} {b} {c}" for a, b, c in self.faces + 1]
            where.write_text("\n".join(lines) + "\n", "utf-8")
            return
        with where.open("w", encoding="utf-8", newline="") as out:
            table = csv.writer(out, lineterminator="\n")
            table.writerow(["x", "y", "z", "reach", *(["value"] if more is not None else [])])
            for k, point in enumerate(self.points):
                last = [] if more is None else [repr(float(more[k]))]
                table.writerow([*(f"{x:.6f}" for x in point), f"{self.reach[k]:.6f}", *last])

    def plot(self, values: ArrayLike | None = None, ax: Axes | None = None) -> Axes:
        """Draw the surface, colored by values (``pip install 'handik[plot]'``).

        ``ax.figure.colorbar(ax.collections[-1], ax=ax)`` adds their scale.

        Parameters
        ----------
        values : array_like, shape (n,), optional
            What `rate` gives; by default the reach.
        ax : Axes, optional
            Of three dimensions.

        Returns
        -------
        Axes

        Raises
        ------
        ArgumentError
            When the shape of values is wrong.
        ImportError
            When matplotlib is missing.
        """
        try:
            from matplotlib import pyplot
            from mpl_toolkits.mplot3d.art3d import Poly3DCollection
        except ImportError as error:
            raise ImportError(
                "an envelope is drawn with matplotlib: pip install 'handik[plot]'"
            ) from error
        shade = self.reach if values is None else points_of(values, "values", self.reach.shape)
        if ax is None:
            ax = pyplot.figure(figsize=(5, 5)).add_subplot(projection="3d")
            ax.locator_params(nbins=5)  # more of them lie over each other
        points = self.points
        drawn: Any = ax
        surface = Poly3DCollection(points[self.faces], cmap="viridis", alpha=0.6)
        surface.set_array(shade[self.faces].mean(axis=1))
        drawn.add_collection3d(surface)
        middle = (points.min(axis=0) + points.max(axis=0)) / 2
        half = float(np.ptp(points, axis=0).max()) / 2
        for k, name in enumerate("xyz"):
            getattr(drawn, f"set_{name}lim")(middle[k] - half, middle[k] + half)
            getattr(drawn, f"set_{name}label")(f"{name} [m]")
        drawn.set_box_aspect((1, 1, 1))
        return ax


def envelope(
    model: Model,
    frame: str | None = None,
    *,
    center: ArrayLike | None = None,
    level: int = 2,
    resolution: float = 0.005,
    margin: float = 0.0,
    lock: Mapping[str, Any] | None = None,
    retries: int = 1,
    threads: int = 0,
    progress: Progress | bool | None = None,
) -> Envelope:
    """Find how far a frame reaches in every direction.

    Parameters
    ----------
    model : Model
        A person's, ``hk.human().model``, or any other.
    frame : str, optional
        What reaches, such as ``"index_tip_right"``; the tip if not given.
    center : array_like, shape (3,), optional
        Where the rays begin; by default the frame ``shoulder_*`` of the frame's side where there is
        one, as it is at rest, else the middle of 500 sampled postures' points.
    level : int
        How fine: 10 * 4**level + 2 rays, 0 to 5.
    resolution : float
        Meters to which each ray is searched.
    margin : float
        Taken off every reach, meters: what a tremor needs (`Impaired.margin`).
    lock : mapping of joint name to value, optional
        Joints held still.
    retries : int
        Further rounds of starts for what is not reached.
    threads : int
        0: all cores. The answer does not depend on it.
    progress : callable or bool, optional
        Called with what is done, how much and of how much; True shows a bar.

    Returns
    -------
    Envelope

    Raises
    ------
    NotFoundError
        When there is no such frame or joint.
    ArgumentError
        When a number is out of range, several tips and none named, or a slide without limits.

    Notes
    -----
    From the posture of 4,000 sampled ones that is farthest along a ray, the reach is searched by
    halving, all rays as one batch; then `resolution` farther on is tried once more from other
    starts and from the postures of the rays beside, and where that is reached the search goes on.
    Every reach is a posture that was found; that nothing is reached beyond is what the solver
    found, not a proof. What lies nearer than the surface need not be in reach.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.people import envelope
    >>> arm = hk.chain([0.3, 0.3], "ball")
    >>> around = envelope(arm, center=[0.0, 0.0, 0.0], level=0)
    >>> round(float(around.reach.min()), 2), round(float(around.reach.max()), 2)
    (0.6, 0.6)
    """
    is_model(model)
    tip = _frame_of(model, frame)
    fine = whole_number("level", level, 5)
    step = finite_number("resolution", resolution)
    off = finite_number("margin", margin)
    if step <= 0 or off < 0:
        raise ArgumentError("resolution must be above 0 and margin 0 or more, meters")
    held = model if lock is None else model.locked(lock)
    check_ends(held, tip)
    middle = _center(held, tip) if center is None else points_of(center, "center", (3,))
    rounds, cores = whole_number("retries", retries), whole_number("threads", threads)
    directions, faces = sphere(fine)
    problem = Problem(held, Position(frame=tip))
    with _told(progress) as tell:
        reach, q = farthest(problem, rounds, cores, middle, (directions, faces), step, tell)
    return Envelope(
        middle, directions, np.maximum(reach - off, 0.0), q, faces, step, off, tip, held
    )


def _frame_of(model: Model, frame: str | None) -> str:
    if frame is None:
        if model.tip is None:
            raise ArgumentError("the model has several tips: name the frame that reaches")
        return model.tip
    return known_name("frame", frame, model.frame_names)


def _center(model: Model, frame: str) -> Array:
    side = frame.rpartition("_")[2]
    if f"shoulder_{side}" in model.frame_names:
        return np.asarray(model.fk(model.rest, frame=f"shoulder_{side}")[:3, 3])
    return np.asarray(model.fk(model.sample(500, seed=0), frame=frame)[:, :3, 3].mean(axis=0))


class _told:
    """The progress that was asked for, as a context."""

    def __init__(self, progress: Progress | bool | None) -> None:
        if progress is not None and not isinstance(progress, bool) and not callable(progress):
            raise TypeError(f"progress must be a function, True or False, got {progress!r}")
        self.given = progress
        self.bar: Any = None

    def __enter__(self) -> Progress:
        if self.given is True:
            from handik.solve._progress import Bar

            self.bar = bar = Bar()
            return bar.__enter__()
        return self.given if callable(self.given) else _silent

    def __exit__(self, *args: Any) -> None:
        if self.bar is not None:
            self.bar.__exit__(*args)


def _silent(what: str, done: int, total: int) -> None:
    """Say nothing."""
