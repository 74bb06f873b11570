"""A table of known configurations: where to start, and by which proved ways to get about.

The Mapping of X. Mariot, Cinematique inverse appliquee au bras de robot Poppy-humanoide (ENSAM,
2015): about ten configurations with their hand's positions. The start of a solve is the one whose
hand is nearest to the target; the way there is cut into small displacements; and between the
configurations of the table the figure moves on edges known to be free.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.model import Model
from handik.problem import Problem
from handik.problem.terms import Position
from handik.solve import Solver
from handik.spec._given import is_model, list_of, number, of_class, points_of, reals, whole_number

if TYPE_CHECKING:
    from handik.scene.document import Scene

__all__ = ["PoseTable", "TableReach", "TableRoute"]

Array = NDArray[np.float64]

#: Configurations tried for each row of a table, targets each is tried on, and rounds of it.
_TRIED, _TRIALS, _ROUNDS = 12, 100, 4
#: Iterations within which a target counts as near: the study's "fewer than ten".
_FEW = 9


@dataclass(frozen=True, eq=False)
class TableReach:
    """How a target was reached from a row of a table.

    Attributes
    ----------
    row : int
        The row of the table that was the start.
    q : ndarray, shape (k + 1, nq)
        That row, and the answer of each small displacement.
    iterations : ndarray of int, shape (k,)
        Iterations of each.
    converged : bool
        Whether the last is at the target, and every step before it converged, too.
    error : float
        Distance of the last from the target, meters.
    """

    row: int
    q: Array
    iterations: NDArray[np.int64]
    converged: bool
    error: float


@dataclass(frozen=True, eq=False)
class TableRoute:
    """A way by the rows of a table.

    Attributes
    ----------
    outcome : {"found", "not_reached", "no_way_in", "no_way_between", "no_way_out"}
        Whether there is a way; else the target was not reached from any row, the start could not
        be joined to any row, no rows of both sides are joined, or the small displacements could
        not be proved.
    q : ndarray, shape (k, nq)
        From the start to the end; every edge of it is proved free. Empty where there is none.
    rows : tuple of int
        The rows of the table on the way.
    """

    outcome: str
    q: Array
    rows: tuple[int, ...]

    @property
    def converged(self) -> bool:
        """Whether there is a way."""
        return self.outcome == "found"

    def steps(self, n: int) -> Array:
        """Return the way in equal steps: `n` between its ends, corners kept.

        Parameters
        ----------
        n : int
            How many steps at least; each edge has as many as its share, and one at least.

        Returns
        -------
        ndarray, shape (m, nq)

        Raises
        ------
        ArgumentError
            When `n` is 0.

        Examples
        --------
        >>> import numpy as np, handik as hk
        >>> arm = hk.data("poppy_arm")
        >>> table = hk.plan.PoseTable(arm, [arm.rest])
        >>> route = table.route(arm.rest, arm.fk(arm.rest)[:3, 3])
        >>> len(route.steps(5))
        1
        """
        if not whole_number("n", n):
            raise ArgumentError("n must be 1 at least")
        if len(self.q) < 2:
            return self.q.copy()
        long = np.linalg.norm(np.diff(self.q, axis=0), axis=1)
        total = float(long.sum())
        rows = [self.q[:1]]
        for a, b, part in zip(self.q, self.q[1:], long, strict=False):
            count = max(1, ceil(n * float(part) / total)) if total else 1
            share = np.arange(1, count + 1)[:, None] / count
            rows.append((1 - share) * a + share * b)
        return np.concatenate(rows)


class PoseTable:
    """A table of known configurations of a figure of hinges and slides.

    Parameters
    ----------
    model : Model
    q : array_like, shape (n, nq)
        The rows, inside the limits.
    frame : str, optional
        Whose position counts; the model's tip if not given.
    scene : Scene, optional
        Edges are proved free of it.
    figure : Figure, Human or Model, optional
        The bodies that must keep free, of each other too; not given, and with no scene, no edge is
        looked at and all rows are joined.

    Raises
    ------
    ArgumentError
        When a row is outside the limits or in collision, or a joint has several coordinates.

    Notes
    -----
    X. Mariot (ENSAM, 2015), chapter 1, "Mapping". Here its collision-free ways between the rows are
    edges proved free (see `Scene.proves`), straight in the joints; where two rows have none, the
    way goes by other rows.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.data("poppy_arm")
    >>> table = hk.plan.PoseTable.covering(arm, 10)
    >>> table.q.shape, table.points.shape
    ((10, 4), (10, 3))
    >>> found = table.reach([-0.15, -0.2, 0.2])
    >>> found.converged
    True
    """

    __slots__ = ("edges", "figure", "frame", "model", "points", "q", "scene")

    model: Model
    q: Array
    points: Array
    frame: str | None
    scene: Scene | None
    figure: Any
    edges: NDArray[np.bool_]

    def __init__(
        self,
        model: Model,
        q: ArrayLike,
        *,
        frame: str | None = None,
        scene: Scene | None = None,
        figure: Any = None,
    ) -> None:
        is_model(model)
        rows = np.atleast_2d(reals(q, "q", (model.nq,)))
        if rows.ndim != 2 or not len(rows):
            raise ArgumentError(f"q must have shape (n, {model.nq}), n at least 1")
        if model.nq != model.nv:
            raise ArgumentError("a table is of hinges and slides: a joint has other coordinates")
        out = np.flatnonzero(np.abs(model.clip(rows) - rows).max(axis=1) > 1e-9)
        if len(out):
            raise ArgumentError(f"row {out[0]} of q is outside the limits")
        self.model, self.q, self.frame = model, rows, frame
        self.scene, self.figure = _place(scene, figure, model)
        hit = np.flatnonzero(~self._free(rows))
        if len(hit):
            raise ArgumentError(f"row {hit[0]} of q is in collision")
        self.points = self._point(rows)
        n = len(rows)
        self.edges = np.eye(n, dtype=bool)
        for i in range(n):
            for j in range(i + 1, n):
                self.edges[i, j] = self.edges[j, i] = self._proves(rows[i], rows[j])
        for array in (self.q, self.points, self.edges):
            array.setflags(write=False)

    def __len__(self) -> int:
        """How many rows there are."""
        return len(self.q)

    def __repr__(self) -> str:
        """Say what it is of."""
        joined = int(self.edges.sum() - len(self.q)) // 2
        return f"PoseTable of {self.model.name!r}: {len(self.q)} rows, {joined} pairs joined"

    @classmethod
    def covering(
        cls,
        model: Model,
        n: int = 10,
        *,
        frame: str | None = None,
        scene: Scene | None = None,
        figure: Any = None,
        draws: int = 4000,
        seed: int = 0,
    ) -> PoseTable:
        """Choose rows whose hands cover the reach.

        Random configurations, free of collision, are put into `n` groups by their hand's position
        (k-means); of those in the middle of a group the one becomes a row from which most targets
        of its group are solved in fewer than ten iterations.

        Parameters
        ----------
        model : Model
        n : int
            Rows.
        frame, scene, figure
            As of the class.
        draws : int
            Random configurations, at least 10 a row.
        seed : int

        Returns
        -------
        PoseTable

        Raises
        ------
        ArgumentError
            When there are too few draws, or too few of them are free of collision.

        Examples
        --------
        >>> import handik as hk
        >>> hk.plan.PoseTable.covering(hk.chain([0.5, 0.4]), 4, draws=200, seed=1)
        PoseTable of 'chain': 4 rows, 6 pairs joined
        """
        is_model(model)
        if not whole_number("n", n):
            raise ArgumentError("n must be 1 at least")
        if whole_number("draws", draws) < 10 * n:
            raise ArgumentError(f"draws must be {10 * n} at least, ten a row")
        rows = model.sample(draws, seed=whole_number("seed", seed))
        own = cls.__new__(cls)
        own.model, own.frame = model, frame
        own.scene, own.figure = _place(scene, figure, model)
        rows = rows[own._free(rows)]
        if len(rows) < 10 * n:
            raise ArgumentError(f"only {len(rows)} of {draws} draws are free of collision")
        return cls(model, own._chosen(rows, n), frame=frame, scene=scene, figure=figure)

    def _chosen(self, rows: Array, n: int) -> Array:
        points = self._point(rows)
        model = self.model
        low, high = model.lower, model.upper
        bounded = np.isfinite(low) & np.isfinite(high)
        wide = np.subtract(high, low, out=np.full(model.nq, 2 * np.pi), where=bounded)
        middle = model.clip(model.rest)
        middle[bounded] = (low[bounded] + high[bounded]) / 2
        aside = (np.abs(rows - middle) / np.maximum(wide, 1e-12)).max(axis=1)
        solve = Solver("pinv", max_restarts=0, max_iter=_FEW)
        problem = Problem(model, [Position(self.frame)])
        pick = _spread(points, n)
        for _ in range(_ROUNDS):
            group = _nearest(points, points[pick])
            new = []
            for k in range(n):
                own = np.flatnonzero(group == k)
                off = np.linalg.norm(points[own] - points[own].mean(axis=0), axis=1)
                near = own[np.argsort(off, kind="stable")[: 3 * _TRIED]]
                near = near[np.argsort(aside[near], kind="stable")[:_TRIED]]
                asked = points[own[:: max(1, len(own) // _TRIALS)]]
                starts = np.repeat(rows[near][:, None], len(asked), axis=1)
                found = solve(problem, np.repeat(asked[None], len(near), axis=0), starts)
                new.append(int(near[np.argmax(np.mean(found.converged, axis=1))]))
            if new == pick:
                break
            pick = new
        return np.asarray(rows[pick])

    def nearest(self, target: ArrayLike) -> int:
        """Return the row whose hand is nearest to a position.

        Parameters
        ----------
        target : array_like, shape (3,)
            Meters.

        Returns
        -------
        int

        Raises
        ------
        ArgumentError
            When it is no position.

        Examples
        --------
        >>> import handik as hk
        >>> table = hk.plan.PoseTable(hk.chain([0.5, 0.5]), [[0, 0], [0, 3]])
        >>> table.nearest([0.1, 0, 0])
        1
        """
        return int(self._order(points_of(target, "target", (3,)))[0])

    def reach(
        self,
        target: ArrayLike,
        *,
        row: int | None = None,
        terms: Sequence[Any] = (),
        step: float = 0.05,
        max_iter: int = 50,
        position_tolerance: float = 1e-4,
    ) -> TableReach:
        """Reach a position from a row, in small displacements.

        Parameters
        ----------
        target : array_like, shape (3,)
            Where the hand shall be, meters.
        row : int, optional
            The row to start from; the one whose hand is nearest if not given.
        terms : sequence of terms, optional
            What else shall hold at every step, such as ``hk.Level(...)``, without targets.
        step : float
            How far the hand goes in one displacement at most, meters; ``inf``: all at once.
        max_iter : int
            Iterations of each.
        position_tolerance : float
            Meters.

        Returns
        -------
        TableReach

        Raises
        ------
        ArgumentError
            When a number is out of range.

        Notes
        -----
        Each displacement is solved by the pseudo-inverse (`pinv`), which changes the joints least,
        from where the one before ended.

        Examples
        --------
        >>> import handik as hk
        >>> table = hk.plan.PoseTable.covering(hk.data("poppy_arm"), 10)
        >>> found = table.reach([-0.15, -0.2, 0.2], step=0.02)
        >>> found.converged, len(found.iterations) > 1
        (True, True)
        """
        point = points_of(target, "target", (3,))
        long = number("step", step)
        if not long > 0:
            raise ArgumentError("step must be above 0")
        start = self.nearest(point) if row is None else whole_number("row", row, len(self.q) - 1)
        solver = Solver("pinv", max_restarts=0, max_iter=max_iter)
        goal = Position(self.frame, position_tolerance=position_tolerance)
        problem = Problem(self.model, [goal, *list_of("terms", terms)])
        if problem.width != 3:
            raise ArgumentError("terms must take no target of their own")
        first = self.points[start]
        count = max(1, ceil(float(np.linalg.norm(point - first)) / long))
        q, iterations, good = [self.q[start]], [], True
        for k in range(1, count + 1):
            found = solver(problem, first + (point - first) * (k / count), q[-1])
            q.append(found.q)
            iterations.append(int(found.iterations))
            good = good and bool(found.converged)
        error = float(np.linalg.norm(self._point(q[-1][None])[0] - point))
        return TableReach(start, np.array(q), np.array(iterations), good, error)

    def route(self, start: ArrayLike, target: ArrayLike, **options: Any) -> TableRoute:
        """Find a proved way from a configuration to a position, by the rows of the table.

        The figure goes straight to a row, by joined rows to one near the target, and from there in
        small displacements. Rows are tried in the order of their hands' distances, the ways between
        them are the shortest.

        Parameters
        ----------
        start : array_like, shape (nq,)
            The configuration it is in.
        target : array_like, shape (3,)
            Where the hand shall be, meters.
        **options
            Of `reach`, all but `row`.

        Returns
        -------
        TableRoute

        Raises
        ------
        ArgumentError
            When an argument does not fit, or the start is outside the limits.

        Examples
        --------
        >>> import numpy as np, handik as hk
        >>> arm = hk.data("poppy_arm")
        >>> table = hk.plan.PoseTable.covering(arm, 10)
        >>> route = table.route(table.q[3], [-0.15, -0.2, 0.2])
        >>> route.outcome, arm.fk(route.q[-1])[:3, 3].round(3).tolist()
        ('found', [-0.15, -0.2, 0.2])
        """
        first = points_of(start, "start", (self.model.nq,))
        if np.abs(self.model.clip(first) - first).max() > 1e-9:
            raise ArgumentError("start is outside the limits")
        point = points_of(target, "target", (3,))
        said = "not_reached"
        ways_in = None
        for row in self._order(point):
            out = self.reach(point, row=int(row), **options)
            if not out.converged:
                continue
            if not all(self._proves(a, b) for a, b in zip(out.q, out.q[1:], strict=False)):
                said = "no_way_out"
                continue
            if ways_in is None:
                ways_in = self._ways_in(first)
            if ways_in is None:
                return TableRoute("no_way_in", np.empty((0, self.model.nq)), ())
            rows = self._shortest(ways_in, int(row))
            if rows is None:
                said = "no_way_between"
                continue
            return TableRoute("found", _plain([first, *self.q[list(rows)], *out.q[1:]]), rows)
        return TableRoute(said, np.empty((0, self.model.nq)), ())

    def _ways_in(self, start: Array) -> int | None:
        """Return the row nearest to a configuration that it is joined to."""
        for row in self._order(self._point(start[None])[0]):
            if self._proves(start, self.q[row]):
                return int(row)
        return None

    def _shortest(self, start: int, goal: int) -> tuple[int, ...] | None:
        """Return the shortest way between two rows over joined ones (Dijkstra)."""
        far = np.linalg.norm(self.q[:, None] - self.q[None], axis=2)
        best, before = {start: 0.0}, {start: start}
        heap = [(0.0, start)]
        while heap:
            long, row = heapq.heappop(heap)
            if row == goal:
                way = [goal]
                while way[-1] != start:
                    way.append(before[way[-1]])
                return tuple(reversed(way))
            for other in np.flatnonzero(self.edges[row]):
                more = long + float(far[row, other])
                if more < best.get(int(other), inf):
                    best[int(other)], before[int(other)] = more, row
                    heapq.heappush(heap, (more, int(other)))
        return None

    def _order(self, point: Array) -> NDArray[np.int64]:
        off = np.linalg.norm(self.points - point, axis=1)
        return np.argsort(off, kind="stable")

    def _point(self, q: Array) -> Array:
        return np.asarray(self.model.fk(q, frame=self.frame)[..., :3, 3])

    def _free(self, q: Array) -> NDArray[np.bool_]:
        if self.scene is None:
            return np.ones(len(q), bool)
        return np.asarray(self.scene.free(self.figure, q))

    def _proves(self, a: Array, b: Array) -> bool:
        return self.scene is None or bool(self.scene.proves(self.figure, a, b).outcome == "free")


def _place(scene: Any, figure: Any, model: Model) -> tuple[Any, Any]:
    """Return scene and figure that edges are proved with; None where none is looked at."""
    from handik.scene.document import Scene

    if scene is None and figure is None:
        return None, None
    return (
        Scene() if scene is None else of_class("scene", scene, Scene),
        model if figure is None else figure,
    )


def _spread(points: Array, n: int) -> list[int]:
    """Choose points far from each other (farthest first), then each group's middle (k-means)."""
    pick = [0]
    off = np.linalg.norm(points - points[0], axis=1)
    for _ in range(n - 1):
        pick.append(int(np.argmax(off)))
        off = np.minimum(off, np.linalg.norm(points - points[pick[-1]], axis=1))
    centers = points[pick]
    for _ in range(20):
        group = _nearest(points, centers)
        means = [points[group == k].mean(axis=0) for k in range(n) if (group == k).any()]
        if len(means) < n:
            raise ArgumentError(f"the hand has fewer than {n} places: ask for fewer rows")
        centers = np.array(means)
    return [int(np.argmin(np.linalg.norm(points - center, axis=1))) for center in centers]


def _nearest(points: Array, centers: Array) -> NDArray[np.int64]:
    off = np.linalg.norm(points[:, None] - centers[None], axis=2)
    return np.asarray(np.argmin(off, axis=1))


def _plain(rows: Sequence[Array]) -> Array:
    """Leave out rows equal to the one before."""
    kept = [rows[0]]
    for row in rows[1:]:
        if np.abs(row - kept[-1]).max() > 0:
            kept.append(row)
    return np.array(kept)
