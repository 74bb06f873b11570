"""What a path leads to, and what it keeps: goals solved for, terms with their targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError, HandikError, UnsupportedError
from handik.model import Model
from handik.problem import Problem
from handik.problem.terms import Axis, Orientation, Pose, Position, Term
from handik.result import Outcome
from handik.scene.plan._found import posture
from handik.solve import Solver
from handik.spec._given import PoseLike, list_of, points_of, rigid_poses

if TYPE_CHECKING:
    from handik.closed.analytic import Solutions

__all__ = ["GOALS", "Goal", "Kept", "Stop", "goals_of", "kept_of"]

Array = NDArray[np.float64]

#: Starts from which goals are solved, and goals kept.
SOLVES, GOALS = 64, 16
#: Pieces of an edge on which what is kept is bounded.
PLACES = 32


class Stop(Exception):
    """A search that ends with something else than a path."""

    def __init__(self, outcome: str, reason: str, **more: Any) -> None:
        super().__init__(reason)
        self.outcome, self.reason, self.more = outcome, reason, more


# ---- what is kept ----


@dataclass(frozen=True)
class Kept:
    """Terms that hold along the way, and their row of targets."""

    problem: Problem
    targets: Array

    @property
    def handle(self) -> tuple[Problem, Array]:
        """What the core takes."""
        return self.problem, self.targets

    def share(self, q: Array) -> Array:
        """Return the greatest error of each posture (n, nq), as a share of its tolerance."""
        found = self.problem.evaluate(self.targets, q)
        out = np.zeros(len(q))
        for k, term in enumerate(self.problem.terms):
            length = term.position_tolerance
            if length is None:
                length = 1e-4 * self.problem.model.max_reach
            for error, most in (
                (np.asarray(found.distance)[:, k], length),
                (np.asarray(found.angle)[:, k], term.orientation_tolerance),
            ):
                out = np.maximum(out, error / most if most > 0 else np.where(error > 0, np.inf, 0))
        return out

    def along(self, q: Array) -> float:
        """Return the greatest share anywhere along a polygon (n, nq), see `bounded`."""
        if len(q) < 2:
            return float(self.share(q).max())
        return float(_core._path_kept(self.problem, self.targets, q, PLACES)[0].max())

    @property
    def bounded(self) -> bool:
        """Whether that is a bound, and not the most at places of each edge alone."""
        q = self.problem.model.sample(2, seed=0)
        return bool(_core._path_kept(self.problem, self.targets, q, 1)[1])


def _at_start(model: Model, term: Term, q: Array) -> Array:
    """Return the targets of a term that stays as it is at a posture."""
    frame = term.frame if term.frame is not None else model.tip
    if isinstance(term, Position):
        none = np.zeros(len(term._column_names(model, frame)))
        weights = np.ones(len(none)) if term.weights is None else np.asarray(term.weights, float)
        residual = Problem(model, [term]).residual(none, q)
        return np.asarray(residual) / (weights * term.weight)
    T = np.asarray(model.fk(q, frame=frame))
    if isinstance(term, Axis):
        return np.asarray(T[:3, :3] @ np.asarray(term.axis, float))
    if isinstance(term, Pose):
        return np.asarray(Problem(model, [term]).targets(T))
    if isinstance(term, Orientation):
        return np.asarray(Problem(model, [term]).targets(T[:3, :3]))
    raise ArgumentError(
        f"keep: {type(term).__name__} has targets: give it as a pair, (term, targets)"
    )


def kept_of(model: Model, keep: Sequence[Any], start: Array) -> Kept | None:
    """Return what a path keeps; targets that are not given are those of the start."""
    terms: list[Term] = []
    parts: list[Array] = []
    for one in list_of("keep", keep):
        pair = isinstance(one, (tuple, list)) and len(one) == 2
        term = one[0] if pair else one
        if not isinstance(term, Term):
            raise TypeError(f"keep is of terms such as Level(), or pairs (term, targets): {one!r}")
        if term.kind in ("own", "obstacles"):
            raise UnsupportedError(
                f"keep takes the library's own terms about frames, not {type(term).__name__}"
            )
        alone = Problem(model, [term])
        terms.append(term)
        if alone.columns:
            targets = alone.targets(one[1]) if pair else _at_start(model, term, start)
            if targets.ndim != 1 or not np.isfinite(targets).all():
                raise ArgumentError(
                    f"keep: the targets of {type(term).__name__} must be one row of finite numbers"
                )
            parts.append(targets)
        elif pair:
            raise ArgumentError(f"keep: {type(term).__name__} has no targets")
    if not terms:
        return None
    row = np.concatenate([np.empty(0), *parts])
    return Kept(Problem(model, terms), row)


# ---- goals ----


@dataclass(frozen=True)
class Goal:
    """Postures that will do, and whether there are no others."""

    q: Array
    all_there_are: bool


def _different(model: Model, q: Array) -> Array:
    """Return the postures that are none of those before them."""
    kept: list[int] = []
    for k, one in enumerate(q):
        if not kept or np.abs(model.difference(one, q[kept])).max(axis=1).min() > 1e-3:
            kept.append(k)
    return np.asarray(q[kept]).reshape(-1, model.nq)


def _closed(model: Model, term: Term, T: Array) -> Solutions | None:
    """Return every posture of a pose where a closed form has them; None: there is none."""
    if term.frame not in (None, model.tip) or model.nq not in (6, 7) or model.nv != model.nq:
        return None
    try:
        found: Solutions = model.solutions(T)
    except HandikError:
        return None
    return found


def _solved(
    problem: Problem, row: Array, seed: int, known: Array, none: bool, left: float | None
) -> Array:
    """Return postures that meet a row of targets, or stop; `none`: its closed form has none.

    Of a time that is left half is for the search: no solve begins after the other half.
    """
    model = problem.model
    starts = model.sample(SOLVES, seed=seed)
    found: list[Any] = []
    if left is None:
        found.append(Solver("auto", seed=seed)(problem, row, q0=starts))
    else:
        end = monotonic() + left / 2
        for part in np.split(starts, SOLVES // 8):
            rest = end - monotonic()
            if found and rest <= 0:
                break
            solver = Solver("auto", seed=seed, time_limit=max(rest, 1e-6))
            found.append(solver(problem, row, q0=part))
    outcome = np.concatenate([one.outcome for one in found])
    q = np.concatenate([np.asarray(one.q)[np.asarray(one.converged)] for one in found])
    kept = _different(model, np.concatenate([known, q]))
    if len(kept):
        return kept
    if np.all(outcome == Outcome.UNREACHABLE):
        raise Stop("impossible", "the goal is out of reach: proved by the lengths of the links")
    if none:
        raise Stop("impossible", "no posture reaches the goal: its closed form has none")
    if len(outcome) < SOLVES or np.any(outcome == Outcome.TIME_LIMIT):
        raise Stop("no_path_in_time", "no posture that reaches the goal was found in time")
    raise Stop("invalid", "no posture reaches the goal")


def _problem_of(
    model: Model, frame: str | None, pose: PoseLike | None, position: ArrayLike | None
) -> tuple[Problem, Array]:
    if position is not None:
        return Problem(model, [Position(frame)]), points_of(position, "position", (3,))
    assert pose is not None
    T = rigid_poses(pose, "pose")
    if T.shape != (4, 4):
        raise ArgumentError(f"pose must be one pose, got shape {T.shape}")
    problem = Problem(model, [Pose(frame)])
    return problem, problem.targets(T)


def _joined(problem: Problem, row: Array, kept: Kept | None) -> tuple[Problem, Array]:
    if kept is None:
        return problem, row
    both = Problem(problem.model, [*problem.terms, *kept.problem.terms])
    return both, np.concatenate([row, kept.targets])


def goals_of(
    model: Model,
    goal: Any,
    targets: ArrayLike | None,
    pose: PoseLike | None,
    position: ArrayLike | None,
    frame: str | None,
    seed: int,
    kept: Kept | None,
    left: float | None,
) -> Goal:
    """Return goal postures, or stop where there are none; `left`: seconds, None without a limit."""
    if sum(one is not None for one in (goal, pose, position)) != 1:
        raise ArgumentError("give one of goal=, pose= and position=")
    if isinstance(goal, Problem):
        if goal.model is not model:
            raise ArgumentError("goal: the problem is of another model than the figure")
        problem, row = goal, np.zeros(0)
        if targets is not None or goal.columns:
            row = points_of([] if targets is None else targets, "targets", (len(goal.columns),))
    elif targets is not None:
        raise ArgumentError("targets= are those of a Problem given as goal=")
    elif goal is not None:
        return Goal(posture(model, goal, "goal", True), False)
    else:
        problem, row = _problem_of(model, frame, pose, position)
    known, every = np.empty((0, model.nq)), False
    if len(problem.terms) == 1 and type(problem.terms[0]) is Pose and kept is None:
        T = rigid_poses(pose, "pose") if pose is not None else _pose_of_row(row)
        closed = _closed(model, problem.terms[0], T)
        if closed is not None:
            known = np.asarray(closed.q)[np.asarray(closed.exact)].reshape(-1, model.nq)
            #  near the pose there are more, and where tolerances are wide they are meant too
            every = bool(closed.complete) and _is_narrow(problem.terms[0])
            if every and len(known) and not np.any(np.asarray(closed.free)):
                return Goal(_different(model, known), True)
    none = every and not len(known)
    return Goal(_solved(*_joined(problem, row, kept), seed, known, none, left), False)


def _is_narrow(term: Term) -> bool:
    """Return whether a term has the tolerances that it has where none are given."""
    return term.position_tolerance is None and term.orientation_tolerance <= 1e-4


def _pose_of_row(row: Array) -> Array:
    """Return the matrix of a pose's columns x y z qw qx qy qz."""
    return np.asarray(rigid_poses((row[:3], row[3:]), "pose"))
