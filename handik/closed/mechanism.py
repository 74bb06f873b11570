"""Mechanisms with closed loops: any tree of revolute and prismatic joints, joined once more.

A loop is cut at one joint; what is left is a tree, and the cut joint becomes an equation between
two frames. `Mechanism` solves those equations by Newton's method: with the drives given (`fk`),
the pose of a frame given (`ik`), or both in part, as in hybrid arms: a serial part, driven loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik._core import pose_columns
from handik.closed._turns import turned_towards
from handik.errors import ArgumentError, UnsupportedError
from handik.problem import Problem
from handik.problem.terms import Loop, Pose, Position, Term
from handik.spec._given import (
    PoseLike,
    choice,
    flag,
    is_model,
    known_name,
    number,
    points_of,
    poses_of,
    reals,
    sequence,
    whole_number,
)

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["AssemblyMode", "AssemblyModes", "Cut", "Mechanism"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


Array = NDArray[np.float64]
MET = 1e-12
APART = 1e-6
#: What a joint may stand outside its limits, radians and reaches.
SLACK = 1e-9
HALVINGS = 12


@dataclass(frozen=True)
class Cut:
    """A joint at which a loop is cut.

    Attributes
    ----------
    a, b : str
        The frames that it joins.
    joint : {"ball", "revolute", "weld"}
        The origins coincide; and the z axes point the same way; and all axes do. In a plane a pin
        is a ball.
    """

    a: str
    b: str
    joint: str = "ball"


@dataclass(frozen=True, slots=True, eq=False)
class AssemblyMode:
    """What Newton's method came to.

    Attributes
    ----------
    q : ndarray, shape (nq,)
        The configuration; the best one met where ``converged`` is False.
    converged : bool
        As `Result.converged`: measured by the same judge, which finds every loop and goal met to
        1e-12 of the mechanism's reach, and radians, and no joint outside its limits.
    residual : float
        Greatest miss.
    iterations : int
        Steps.
    outside : tuple of str
        Joints that are outside their limits: drives given so, as all others are kept inside.
    """

    q: Array
    converged: bool
    residual: float
    iterations: int
    outside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class AssemblyModes:
    """Postures found from many random starts.

    Nothing vouches for their being all there are; `missing_mass` tells how likely a
    further start is to bring a new one.

    Attributes
    ----------
    q : ndarray, shape (k, nq)
        Distinct configurations (apart by 1e-6 or more), turned into the limits as near to zero as
        they allow, sorted.
    hits : ndarray of int, shape (k,)
        How many starts ended at each.
    n_starts : int
        How many starts there were.
    """

    q: Array
    hits: NDArray[np.int64]
    n_starts: int

    @property
    def missing_mass(self) -> float:
        """Estimated chance that one more start ends at a configuration not found yet.

        The share of starts that ended where no other start came to (Good, Biometrika 40, 1953,
        237-264). 0 is no proof: a solution may draw hardly any start. NaN when none closed.
        """
        closed = int(self.hits.sum())
        return float(np.sum(self.hits == 1)) / closed if closed else np.nan

    def __len__(self) -> int:
        return len(self.q)

    def __repr__(self) -> str:
        closed = int(self.hits.sum())
        text = f"AssemblyModes({len(self.q)} found: {closed} of {self.n_starts} starts closed"
        if closed:
            text += f", {self.hits.min()} to {self.hits.max()} a posture"
        return text + "; there may be more)"


class Mechanism:
    """A robot with closed loops.

    Parameters
    ----------
    model : Model
        The tree that is left when every loop is cut: revolute and prismatic joints (a ball as
        three revolute joints).
    cuts : iterable of Cut
        The joints that were cut.
    drives : sequence of str
        Names of the driven joints.

    Raises
    ------
    NotFoundError
        There is no such frame or joint.
    ArgumentError
        A cut's joint is none of the three, there is no cut, or a drive is given twice or has
        several coordinates.
    UnsupportedError
        The tree has ball or free joints.

    Notes
    -----
    The equations are those of the terms `handik.Loop`, `handik.Pose` and `handik.Position`: of a
    ball ``p_a = p_b``; of a revolute joint also ``z_a = z_b``; of a weld also
    ``log(R_a R_b') = 0``. Lengths count over the model's reach. Steps are of least norm (redundant
    equations, as in flat mechanisms, do no harm), at most half a radian, and are halved while the
    residual grows. A joint at a limit that the step would leave is held for that step,
    and steps end at the limits; ``limits=False`` forgets them. Nikravesh, Computer-Aided Analysis
    of Mechanical Systems, 1988, chapters 3 and 7; Nocedal and Wright, Numerical Optimization, 2006,
    section 16.7 (bounds).
    """

    def __init__(self, model: Model, cuts: Iterable[Cut], drives: Sequence[str]) -> None:
        is_model(model)
        if model.nq != model.nv:
            raise UnsupportedError(
                "write a ball of the tree as three revolute joints: those have coordinates"
            )
        self.model, self.cuts = model, sequence("cuts", cuts, Cut, "Cuts")
        if not self.cuts:
            raise ArgumentError("a mechanism needs a cut; a tree alone is a Model")
        for cut in self.cuts:
            choice("joint", cut.joint, ("ball", "revolute", "weld"))
            for name in (cut.a, cut.b):
                known_name("frame", name, model.frame_names)
        drives = sequence("drives", drives, str, "names of joints")
        for k, name in enumerate(drives):
            if name in drives[:k]:
                raise ArgumentError(f"drive {name!r} is given twice")
            known_name("joint", name, model.joint_q_slices)
            own = model.joint_q_slices[name]
            if own.stop - own.start != 1:
                raise ArgumentError(
                    f"drive {name!r} has {own.stop - own.start} coordinates: write it as joints of "
                    "one each"
                )
        self.drives = drives
        self._loops = _Equations(model, self.cuts, None, None)
        self._driven = np.array([model.joint_q_slices[name].start for name in drives], int)
        self._scale = max(float(model.max_reach), 1e-12)
        kinds = {int(at): int(kind) for at, kind in zip(model.step_q, model.step_kind, strict=True)}
        self._unit = np.array([1.0 if kinds.get(i) == 0 else self._scale for i in range(model.nq)])

    # ---- equations ----

    def closure(self, q: ArrayLike) -> Array:
        """Return how far the loops are from closed: lengths over the reach, and radians.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations of the tree.

        Returns
        -------
        ndarray, shape (..., m)
            3 a ball, 6 a revolute joint or a weld, in the order of the cuts.
        """
        return self._loops.residual(reals(q, "q", (self.model.nq,)))

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the derivative of `closure`.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Configurations, radians or meters.

        Returns
        -------
        ndarray, shape (..., m, nq)
            Per radian; prismatic joints are counted in reaches.
        """
        slope: Array = self._loops.slope(reals(q, "q", (self.model.nq,))) * self._unit
        return slope

    def mobility(self, q: ArrayLike, tolerance: float = 1e-8) -> int:
        """Count the ways the mechanism can move at a configuration, to first order.

        Parameters
        ----------
        q : array_like, shape (nq,)
            A configuration with its loops closed.
        tolerance : float
            Singular values below this share of the greatest count as zero.

        Returns
        -------
        int
            Degrees of freedom; 0 when it stands still.
        """
        j = self.jacobian(points_of(q, "q", (self.model.nq,)))
        size = np.linalg.svd(j, compute_uv=False)
        least = number("tolerance", tolerance) * max(float(size[0]), 1e-300)
        return self.model.nq - int(np.sum(size > least))

    def singularity(self, q: ArrayLike) -> tuple[float, float]:
        """Return how near a configuration is to the two kinds of singularity.

        Parameters
        ----------
        q : array_like, shape (nq,)
            A configuration with its loops closed.

        Returns
        -------
        passive, drives : float
            Least singular value of the closure's derivative by the passive joints: 0 where the
            mechanism moves while its drives are locked. Least share of a unit of motion, over all
            motions it has, that the drives take: 0 where they are all at a dead point.

        Notes
        -----
        Gosselin and Angeles, IEEE Transactions on Robotics and Automation 6 (1990) 281-290.
        """
        j = self.jacobian(points_of(q, "q", (self.model.nq,)))
        passive = np.setdiff1d(np.arange(self.model.nq), self._driven)
        size = np.linalg.svd(j[:, passive], compute_uv=False)
        first = float(size[-1]) if len(passive) and len(passive) <= len(j) else 0.0
        _, value, rows = np.linalg.svd(j)
        rank = int(np.sum(value > 1e-8 * max(float(value[0]), 1e-300)))
        moves = rows[rank:, self._driven]
        ways = np.linalg.svd(moves, compute_uv=False) if moves.size else np.zeros(1)
        return first, float(ways[-1]) if moves.shape[0] <= moves.shape[1] else 0.0

    # ---- solving ----

    def _newton(self, q: Array, goal: _Goal, iterations: int) -> tuple[Array, Array, Array]:
        """Newton's method from the rows of q (n, nq): ends, greatest misses, steps."""
        low, high = goal.low, goal.high
        q = np.where(goal.held, q, np.clip(q, low, high))
        miss, slope = goal.equations.residual(q), goal.equations.slope(q) * self._unit
        steps = np.zeros(len(q), int)
        at = np.flatnonzero(_far(miss))  # rows still on their way
        for _ in range(iterations):
            if not len(at):
                break
            step = self._step(q[at], miss[at], slope[at], goal)
            step *= np.minimum(1.0, 0.5 / np.maximum(np.abs(step).max(axis=1), 1e-300))[:, None]
            size = np.linalg.norm(miss[at], axis=1)
            wait = np.arange(len(at))  # rows whose step is still too long
            for _ in range(HALVINGS):
                rows = at[wait]
                trial = q[rows] + step[wait] * self._unit
                trial = np.where(goal.held, q[rows], np.clip(trial, low, high))
                next_miss = goal.equations.residual(trial)
                good = np.linalg.norm(next_miss, axis=1) < size[wait]
                q[rows[good]], miss[rows[good]] = trial[good], next_miss[good]
                slope[rows[good]] = goal.equations.slope(trial[good]) * self._unit
                wait = wait[~good]
                if not len(wait):
                    break
                step[wait] *= 0.5
            steps[at] += 1
            stuck = np.zeros(len(at), bool)
            stuck[wait] = True
            at = at[~stuck & _far(miss[at])]
        return q, goal.equations.judged(q), steps

    def _step(self, q: Array, miss: Array, slope: Array, goal: _Goal) -> Array:
        """Return steps of least norm by the joints that are free to take them."""
        still = np.broadcast_to(goal.held, q.shape).copy()
        for _ in range(self.model.nq + 1):
            free = np.where(still[:, None, :], 0.0, slope)
            step = -(np.linalg.pinv(free, rcond=1e-9) @ miss[..., None])[..., 0]
            step[still] = 0.0
            leaving = ((q <= goal.low) & (step < 0)) | ((q >= goal.high) & (step > 0))
            leaving &= ~still
            if not leaving.any():
                break
            still |= leaving
        return np.asarray(step)

    def _goal(self, equations: _Equations, held: NDArray[np.bool_], limits: bool) -> _Goal:
        keep, none = flag("limits", limits), np.full(self.model.nq, np.inf)
        low, high = (self.model.lower, self.model.upper) if keep else (-none, none)
        return _Goal(equations, held, np.asarray(low, float), np.asarray(high, float))

    def _one(self, q: Array, goal: _Goal, iterations: int) -> AssemblyMode:
        most = whole_number("iterations", iterations)
        ends, misses, steps = self._newton(q[None], goal, most)
        slack = SLACK * self._unit
        out = (ends[0] < goal.low - slack) | (ends[0] > goal.high + slack)
        names = self.model.joint_q_slices.items()
        outside = tuple(name for name, place in names if out[place].any())
        met = bool(misses[0] <= MET) and not outside
        return AssemblyMode(ends[0], met, float(misses[0]), int(steps[0]), outside)

    def _many(
        self, goal: _Goal, driven: Array, limits: bool, n_starts: int, seed: int
    ) -> AssemblyModes:
        """Newton's method from random starts, and what is distinct among its ends."""
        if whole_number("n_starts", n_starts) < 1:
            raise ArgumentError(f"n_starts must be 1 or more, got {n_starts}")
        turns = self._unit == 1.0
        if limits:
            q = self.model.sample(n_starts, seed=seed)
        else:
            wide = np.where(turns, np.pi, self._scale)
            q = np.random.default_rng(seed).uniform(-1, 1, (n_starts, self.model.nq)) * wide
        if len(driven):
            q[:, self._driven] = driven
        slack = SLACK * self._unit
        q, miss, _ = self._newton(q, goal, 60)
        inside = ((q >= goal.low - slack) & (q <= goal.high + slack)).all(axis=1)
        q = q[(miss <= MET) & inside]
        if limits:
            q = turned_towards(self.model, q, np.zeros(self.model.nq))
        else:
            q = np.where(turns, np.pi - np.mod(np.pi - q, 2 * np.pi), q)
        rows, hits = np.empty((0, self.model.nq)), np.empty(0, np.int64)
        for end in q:
            gap = np.abs(rows - end) / self._unit
            gap = np.where(turns, np.abs(gap - 2 * np.pi * np.round(gap / (2 * np.pi))), gap)
            same = np.flatnonzero(gap.max(axis=1, initial=0.0) <= APART)
            if len(same):
                hits[same[0]] += 1
            else:
                rows, hits = np.vstack([rows, end]), np.append(hits, 1)
        order = np.lexsort(rows.T[::-1])
        return AssemblyModes(rows[order], hits[order], n_starts)

    def _values(self, values: Mapping[str, float] | ArrayLike) -> Array:
        if isinstance(values, Mapping):
            lost = [name for name in self.drives if name not in values]
            if lost or len(values) != len(self.drives):
                raise ArgumentError(f"values must name the drives {', '.join(self.drives)}")
            values = [values[name] for name in self.drives]
        return points_of(values, "values", (len(self.drives),))

    def fk(
        self,
        values: Mapping[str, float] | ArrayLike,
        guess: ArrayLike,
        iterations: int = 60,
        *,
        limits: bool = True,
    ) -> AssemblyMode:
        """Close the loops with the drives at given values.

        Parameters
        ----------
        values : mapping or array_like, shape (drives,)
            Values of the drives, by name or in their order.
        guess : array_like, shape (nq,)
            Start for all coordinates; those of the drives are replaced, the others brought inside
            their limits.
        iterations : int
            Most steps.
        limits : bool
            Whether the joints keep to their limits.

        Returns
        -------
        AssemblyMode
        """
        q = points_of(guess, "guess", (self.model.nq,)).copy()
        q[self._driven] = self._values(values)
        return self._one(q, self._driven_goal(limits), iterations)

    def _driven_goal(self, limits: bool) -> _Goal:
        held = np.zeros(self.model.nq, bool)
        held[self._driven] = True
        return self._goal(self._loops, held, limits)

    def _framed_goal(
        self, T: PoseLike, frame: str | int | None, task: str, hold: Sequence[str], limits: bool
    ) -> _Goal:
        goal = poses_of(T)
        if goal.shape != (4, 4):
            raise ArgumentError(f"T must have shape (4, 4), got {goal.shape}")
        choice("task", task, ("pose", "position"))
        term: Term = (
            Pose(frame=self._name(frame)) if task == "pose" else Position(frame=self._name(frame))
        )
        columns = pose_columns(goal, "T")
        target = columns if task == "pose" else columns[:3]
        held = np.zeros(self.model.nq, bool)
        for name in sequence("hold", hold, str, "names of joints"):
            known_name("joint", name, self.model.joint_q_slices)
            held[self.model.joint_q_slices[name]] = True
        return self._goal(_Equations(self.model, self.cuts, term, target), held, limits)

    def _name(self, frame: str | int | None) -> str | None:
        """Return a frame's name, which may be given by its number."""
        return None if frame is None else self.model.frame_names[self.model._frame_index(frame)]

    def ik(
        self,
        T: PoseLike,
        guess: ArrayLike,
        *,
        frame: str | int | None = None,
        task: str = "pose",
        hold: Sequence[str] = (),
        iterations: int = 60,
        limits: bool = True,
    ) -> AssemblyMode:
        """Close the loops with a frame at a pose, or at a position.

        Parameters
        ----------
        T : array_like, shape (4, 4), or pair, or RigidTransform
            Pose of the frame.
        guess : array_like, shape (nq,)
            Start for all coordinates; brought inside the limits.
        frame : str or int, optional
            The frame; the tip if not given.
        task : {"pose", "position"}
            Whether its turn counts.
        hold : sequence of str
            Joints that stay at their guess.
        iterations : int
            Most steps.
        limits : bool
            Whether the joints keep to their limits.

        Returns
        -------
        AssemblyMode
        """
        goal = self._framed_goal(T, frame, task, hold, limits)
        q = points_of(guess, "guess", (self.model.nq,)).copy()
        return self._one(q, goal, iterations)

    def assemblies(
        self,
        values: Mapping[str, float] | ArrayLike,
        *,
        n_starts: int = 200,
        seed: int = 0,
        limits: bool = True,
    ) -> AssemblyModes:
        """Look for the ways the loops close with the drives at given values, from random starts.

        Parameters
        ----------
        values : mapping or array_like, shape (drives,)
            Values of the drives.
        n_starts : int
            Random configurations inside the limits that Newton's method starts from.
        seed : int
            Of the random numbers.
        limits : bool
            Whether the joints keep to their limits.

        Returns
        -------
        AssemblyModes
            What was found; there may be more.
        """
        driven = self._values(values)
        return self._many(self._driven_goal(limits), driven, limits, n_starts, seed)

    def postures(
        self,
        T: PoseLike,
        *,
        frame: str | int | None = None,
        task: str = "pose",
        n_starts: int = 200,
        seed: int = 0,
        limits: bool = True,
    ) -> AssemblyModes:
        """Look, from random starts, for all that puts a frame at a pose with the loops closed.

        Parameters
        ----------
        T : array_like, shape (4, 4), or pair, or RigidTransform
            Pose of the frame.
        frame : str or int, optional
            The frame; the tip if not given.
        task : {"pose", "position"}
            Whether its turn counts.
        n_starts, seed, limits
            As in `assemblies`.

        Returns
        -------
        AssemblyModes
            What was found; there may be more. Where the goal leaves the mechanism free to move each
            start ends elsewhere: `AssemblyModes.missing_mass` is near 1 then.
        """
        goal = self._framed_goal(T, frame, task, (), limits)
        return self._many(goal, np.empty(0), limits, n_starts, seed)


def _far(miss: Array) -> NDArray[np.bool_]:
    """Tell which rows the judge may not call met: it takes the norm of a term, not its entries."""
    return np.asarray(np.linalg.norm(miss, axis=-1) > MET)


class _Equations:
    """The loops, and what a frame is to do, as a problem that the core measures and judges."""

    def __init__(
        self, model: Model, cuts: Sequence[Cut], term: Term | None, target: Array | None
    ) -> None:
        loops: list[Term] = [Loop(frame=cut.a, other=cut.b, joint=cut.joint) for cut in cuts]
        self._problem = Problem(model, loops if term is None else [*loops, term])
        self._target = np.empty(0) if target is None else target
        self._length = max(float(model.max_reach), 1e-12)
        metric = [
            np.repeat([self._length, 1.0], [3, 0 if cut.joint == "ball" else 3]) for cut in cuts
        ]
        if term is not None:
            metric.append(
                np.repeat([self._length, 1.0], [3, self._problem.rows - sum(map(len, metric)) - 3])
            )
        self._row = np.concatenate(metric)

    def residual(self, q: Array) -> Array:
        """Return what each row is missed by, lengths over the reach."""
        miss: Array = self._problem.residual(self._target, q) / self._row
        return miss

    def slope(self, q: Array) -> Array:
        """Return the derivative of the residual by q."""
        slope: Array = self._problem.jacobian(self._target, q) / self._row[:, None]
        return slope

    def judged(self, q: Array) -> Array:
        """Return the judge's greatest miss of any term, lengths over the reach."""
        _, distance, angle = self._problem._measure(self._target, q)
        miss: Array = np.maximum(distance / self._length, angle).max(axis=-1)
        return miss


@dataclass(frozen=True, slots=True, eq=False)
class _Goal:
    """What Newton's method is after, and what may not move."""

    equations: _Equations
    held: NDArray[np.bool_]
    low: Array
    high: Array
