"""Which solution a solver reaches from which start: how sensitive a method is to its start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, UnsupportedError
from handik.model import Model
from handik.result import Result
from handik.solve.table import solvers
from handik.spec._given import is_model, known_name, list_of, reals, whole_number

if TYPE_CHECKING:
    from handik._model import Model as Solvable

__all__ = ["Basins", "basins", "start_grid"]

Array = NDArray[np.float64]

#: Answers are one solution when no link stands apart by more than this, of the reach and radians.
SAME = 1e-2
#: Solutions at most: more are no separate points.
MOST = 64


@dataclass(frozen=True, slots=True, eq=False)
class Basins:
    """Starts, and what a solver made of them.

    Attributes
    ----------
    solver : str
    starts : ndarray, shape (..., nq)
    reached : ndarray of int, shape (...)
        Number of the solution, the one with most starts first; -1 where the solver did not
        converge.
    iterations : ndarray of int, shape (...)
    solutions : ndarray, shape (k, nq)
        One answer of each solution.
    """

    solver: str
    starts: Array
    reached: NDArray[np.int64]
    iterations: NDArray[np.int64]
    solutions: Array

    @property
    def converged(self) -> float:
        """Share of the starts that converge."""
        return float(np.mean(self.reached >= 0))

    @property
    def shares(self) -> Array:
        """Share of the starts that reach each solution, shape (k,)."""
        counts = np.bincount(self.reached[self.reached >= 0], minlength=len(self.solutions))
        found: Array = counts / self.reached.size
        return found

    def __repr__(self) -> str:
        return (
            f"Basins({self.solver}: {self.converged:.3g} of {self.reached.size} starts converge, "
            f"to {len(self.solutions)} solutions)"
        )


def basins(
    model: Solvable,
    starts: ArrayLike,
    *,
    solver: str = "newton",
    max_iter: int = 100,
    **goal: Any,
) -> Basins:
    """Solve one problem from many starts, one attempt each, and tell which solution each reaches.

    Answers count as one solution when every link stands in the same place; whole turns make no
    difference.

    Parameters
    ----------
    model : Model
    starts : array_like, shape (..., nq)
        As `start_grid` makes them, or ``model.sample(400, seed=0)``.
    solver : str
        One of `handik.solvers`; what they do beyond one attempt is left out
        (`SolverInfo.plain`).
    max_iter : int
    **goal
        What `Model.solve` takes: ``position=``, ``pose=``, ``frame=``, ...; of one target.

    Returns
    -------
    Basins

    Raises
    ------
    ArgumentError
        For starts of another shape, or a goal of several targets.
    NotFoundError
        No such solver.
    UnsupportedError
        When the solutions are no separate points, as those of an arm with a joint to spare.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.data("ur5")
    >>> pose = arm.fk([0.4, -1.2, 1.0, -0.6, 1.5, 0.2])
    >>> found = hk.study.basins(arm, arm.sample(400, seed=0), pose=pose)
    >>> len(found.solutions)
    8
    """
    is_model(model)
    begun = reals(starts, "starts", ())
    if begun.ndim < 1 or begun.shape[-1] != model.nq or begun.size == 0:
        raise ArgumentError(f"starts must be (..., {model.nq}), got shape {begun.shape}")
    rows = begun.reshape(-1, model.nq)
    table = {one.name: one for one in solvers()}
    options: dict[str, Any] = {**table[known_name("solver", solver, table)].plain, **goal}
    found: Result = model.solve(q0=rows, solver=solver, max_iter=max_iter, **options)
    if found.q.shape != rows.shape:
        raise ArgumentError("basins are those of one problem: give one target")
    good = np.flatnonzero(found.converged)
    number, first = _alike(model, found.q[good])
    order = np.argsort(-np.bincount(number, minlength=len(first)), kind="stable")
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    reached = np.full(len(rows), -1, np.int64)
    reached[good] = rank[number]
    shape = begun.shape[:-1]
    return Basins(
        solver,
        begun,
        reached.reshape(shape),
        np.asarray(found.iterations, np.int64).reshape(shape),
        found.q[good[first[order]]],
    )


def _alike(model: Model, q: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of the solution of each answer, and the first answer of each."""
    places = np.asarray(model.frames(q))[..., :3, :].copy()
    places[..., 3] /= model.max_reach or 1.0
    places = places.reshape(len(q), 12 * len(model.frame_names))
    number, first = np.full(len(q), -1, np.int64), list[int]()
    while (number < 0).any():
        if len(first) == MOST:
            raise UnsupportedError(
                f"more than {MOST} solutions were reached: they are no separate points, as those "
                "of a model with joints to spare; ask for as much as its joints can meet"
            )
        start = int(np.flatnonzero(number < 0)[0])
        near = np.abs(places - places[start]).max(axis=1) <= SAME
        number[near & (number < 0)] = len(first)
        first.append(start)
    return number, np.array(first, np.int64)


def start_grid(
    model: Model,
    coordinates: Sequence[int] = (0, 1),
    *,
    q: ArrayLike | None = None,
    count: int = 100,
) -> Array:
    """Return starts on a grid of two coordinates, the others held.

    Parameters
    ----------
    model : Model
    coordinates : pair of int
        Indices into q.
    q : array_like, shape (nq,), optional
        Where the others are held; the model's rest if not given.
    count : int
        Starts along each coordinate, in the middles of as many equal parts of its range. A range
        of more than a turn, or none, is taken as from -pi to pi.

    Returns
    -------
    ndarray, shape (count, count, nq)
        The second coordinate changes along the first axis, as rows of a picture do.

    Raises
    ------
    ArgumentError
        For coordinates that are none, or of a ball, and shapes that do not fit.

    Examples
    --------
    >>> import handik as hk
    >>> hk.study.start_grid(hk.chain([1.0, 1.0]), count=3)[..., 0].round(2).tolist()[0]
    [-2.09, 0.0, 2.09]
    """
    is_model(model)
    held = model.rest if q is None else reals(q, "q", ())
    if held.shape != (model.nq,):
        raise ArgumentError(f"q must be one pose ({model.nq},), got shape {held.shape}")
    count = whole_number("count", count)
    if count < 1:
        raise ArgumentError(f"count must be 1 or more, got {count}")
    pair = [whole_number("coordinates", one) for one in list_of("coordinates", coordinates)]
    if len(pair) != 2 or pair[0] == pair[1] or not all(0 <= k < model.nq for k in pair):
        raise ArgumentError(f"coordinates must be two of 0 to {model.nq - 1}, got {coordinates!r}")
    for name, where in model.joint_q_slices.items():
        kind = model.joint_kinds[model.joint_names.index(name)]
        if kind in ("ball", "free") and any(where.start <= k < where.stop for k in pair):
            raise ArgumentError(f"{name!r} is {kind}: its coordinates do not change one by one")
    part = (np.arange(count) + 0.5) / count
    sides = []
    for k in pair:
        low, high = float(model.lower[k]), float(model.upper[k])
        if not high - low <= 2 * np.pi:
            low, high = -np.pi, np.pi
        sides.append(low + part * (high - low))
    made = np.broadcast_to(held, (count, count, model.nq)).copy()
    made[..., pair[0]], made[..., pair[1]] = np.meshgrid(*sides)
    return made
