"""Mechanisms with closed loops: any tree of turns and slides whose links are joined once more.

A loop is cut at one joint; what is left is a tree, and the cut joint becomes an equation between
two frames. `Mechanism` solves those equations by Newton's method: with the drives given (the direct
model), with the pose of a frame given (the inverse model), or with both partly given, as in hybrid
arms whose serial part is a Denavit-Hartenberg chain and whose drives sit in closed loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, UnsupportedError, name_not_found
from handik.parallel.closed import points_of

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["Assembly", "Cut", "Mechanism"]

Array = NDArray[np.float64]
MET = 1e-12
APART = 1e-6


@dataclass(frozen=True)
class Cut:
    """A joint at which a loop is cut.

    Attributes
    ----------
    a, b : str
        The frames that it joins.
    joint : {"ball", "hinge", "weld"}
        The origins coincide; and the z axes point the same way; and all axes do. In a plane a pin
        is a ball.
    """

    a: str
    b: str
    joint: str = "ball"


@dataclass(frozen=True, slots=True, eq=False)
class Assembly:
    """What Newton's method came to.

    Attributes
    ----------
    q : ndarray, shape (nq,)
        The posture; the best one met where ``converged`` is False.
    converged : bool
        Every equation is met to 1e-12 of the mechanism's reach, and radians.
    residual : float
        Greatest miss.
    iterations : int
        Steps.
    """

    q: Array
    converged: bool
    residual: float
    iterations: int


class Mechanism:
    """A figure with loops.

    Parameters
    ----------
    model : Model
        The tree that is left when every loop is cut: turns and slides (a ball as three turns).
    cuts : iterable of Cut
        The joints that were cut.
    drives : sequence of str
        Names of the driven joints.

    Raises
    ------
    NotFoundError
        There is no such frame or joint.
    ArgumentError
        A cut's joint is none of the three, or there is no cut.
    UnsupportedError
        The tree has ball or free joints.

    Notes
    -----
    Equations of a ball ``p_a = p_b``; of a hinge also ``x_a . z_b = y_a . z_b = 0``; of a weld also
    the skew part of ``R_a R_b'``. Positions count over the model's reach. Steps are of least norm
    (redundant equations, as in flat mechanisms, do no harm), at most half a radian, and are halved
    while the residual grows. Limits are not looked at. Nikravesh, Computer-Aided Analysis of
    Mechanical Systems, 1988, chapters 3 and 7.
    """

    def __init__(self, model: Model, cuts: Iterable[Cut], drives: Sequence[str]) -> None:
        if model.nq != model.nv:
            raise UnsupportedError("write balls of the tree as three turns: they have coordinates")
        self.model, self.cuts = model, tuple(cuts)
        if not self.cuts:
            raise ArgumentError("a mechanism needs a cut; a tree alone is a Model")
        for cut in self.cuts:
            if cut.joint not in ("ball", "hinge", "weld"):
                raise ArgumentError(f"joint must be ball, hinge or weld, got {cut.joint!r}")
            for name in (cut.a, cut.b):
                if name not in model.frame_names:
                    raise name_not_found("frame", name, model.frame_names)
        for name in drives:
            if name not in model.joint_q_slices:
                raise name_not_found("joint", name, model.joint_q_slices)
        self.drives = tuple(drives)
        self._driven = np.array([model.joint_q_slices[name].start for name in drives], int)
        self._scale = max(float(model.reach), 1e-12)
        kinds = {int(at): int(kind) for at, kind in zip(model.step_q, model.step_kind, strict=True)}
        self._unit = np.array([1.0 if kinds.get(i) == 0 else self._scale for i in range(model.nq)])

    # ---- equations ----

    def closure(self, q: ArrayLike) -> Array:
        """Return how far the loops are from closed: lengths over the reach, and radians.

        Parameters
        ----------
        q : array_like, shape (nq,)
            Posture of the tree.

        Returns
        -------
        ndarray, shape (m,)
            3 a ball, 5 a hinge, 6 a weld, in the order of the cuts.
        """
        return self._equations(points_of(q, "q", (self.model.nq,)), None, None)[0]

    def _equations(self, q: Array, frame: Any, goal: Array | None) -> tuple[Array, Array]:
        """Residual and Jacobian of the loops, and of a frame's goal."""
        rows, slopes = [], []
        for cut in self.cuts:
            a, b = self.model.fk(q, frame=cut.a), self.model.fk(q, frame=cut.b)
            j = self.model.jacobian(q, frame=cut.a) - self.model.jacobian(q, frame=cut.b)
            rows.append((a[:3, 3] - b[:3, 3]) / self._scale)
            slopes.append(j[:3] / self._scale)
            if cut.joint == "hinge":
                for k in (0, 1):
                    rows.append(np.array([a[:3, k] @ b[:3, 2]]))
                    slopes.append((np.cross(a[:3, k], b[:3, 2]) @ j[3:])[None])
            elif cut.joint == "weld":
                rows.append(_skew(a[:3, :3] @ b[:3, :3].T))
                slopes.append(j[3:])
        if goal is not None:
            at, j = self.model.fk(q, frame=frame), self.model.jacobian(q, frame=frame)
            rows.append((at[:3, 3] - goal[:3, 3]) / self._scale)
            slopes.append(j[:3] / self._scale)
            if np.isfinite(goal[:3, :3]).all():
                rows.append(_skew(at[:3, :3] @ goal[:3, :3].T))
                slopes.append(j[3:])
        return np.concatenate(rows), np.concatenate(slopes) * self._unit

    def jacobian(self, q: ArrayLike) -> Array:
        """Return the derivative of `closure` (m, nq), slides counted in reaches."""
        return self._equations(points_of(q, "q", (self.model.nq,)), None, None)[1]

    def mobility(self, q: ArrayLike, tolerance: float = 1e-8) -> int:
        """Count the ways the mechanism can move at a posture, to first order.

        Parameters
        ----------
        q : array_like, shape (nq,)
            Posture with its loops closed.
        tolerance : float
            Singular values below this share of the greatest count as zero.
        """
        size = np.linalg.svd(self.jacobian(q), compute_uv=False)
        return self.model.nq - int(np.sum(size > tolerance * max(float(size[0]), 1e-300)))

    def singularity(self, q: ArrayLike) -> tuple[float, float]:
        """Return how near a posture is to the two kinds of singularity.

        Parameters
        ----------
        q : array_like, shape (nq,)
            Posture with its loops closed.

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
        j = self.jacobian(q)
        passive = np.setdiff1d(np.arange(self.model.nq), self._driven)
        size = np.linalg.svd(j[:, passive], compute_uv=False)
        first = float(size[-1]) if len(passive) and len(passive) <= len(j) else 0.0
        _, value, rows = np.linalg.svd(j)
        rank = int(np.sum(value > 1e-8 * max(float(value[0]), 1e-300)))
        moves = rows[rank:, self._driven]
        ways = np.linalg.svd(moves, compute_uv=False) if moves.size else np.zeros(1)
        return first, float(ways[-1]) if moves.shape[0] <= moves.shape[1] else 0.0

    # ---- solving ----

    def _newton(
        self, q: Array, held: NDArray[np.bool_], frame: Any, goal: Array | None, iterations: int
    ) -> Assembly:
        free = ~held
        miss, slope = self._equations(q, frame, goal)
        size, k = float(np.linalg.norm(miss)), 0
        while k < iterations and np.abs(miss).max() > MET:
            k += 1
            step = np.zeros_like(q)
            step[free] = np.linalg.lstsq(slope[:, free], -miss, rcond=1e-9)[0]
            step *= min(1.0, 0.5 / max(float(np.abs(step).max()), 1e-300))
            for _ in range(12):
                trial = q + step * self._unit
                next_miss, next_slope = self._equations(trial, frame, goal)
                if float(np.linalg.norm(next_miss)) < size:
                    break
                step *= 0.5
            else:
                break
            q, miss, slope = trial, next_miss, next_slope
            size = float(np.linalg.norm(miss))
        worst = float(np.abs(miss).max())
        return Assembly(q, worst <= MET, worst, k)

    def _values(self, values: Mapping[str, float] | ArrayLike) -> Array:
        if isinstance(values, Mapping):
            lost = [name for name in self.drives if name not in values]
            if lost or len(values) != len(self.drives):
                raise ArgumentError(f"values must name the drives {', '.join(self.drives)}")
            values = [values[name] for name in self.drives]
        return points_of(values, "values", (len(self.drives),))

    def direct(
        self, values: Mapping[str, float] | ArrayLike, guess: ArrayLike, iterations: int = 60
    ) -> Assembly:
        """Close the loops with the drives at given values.

        Parameters
        ----------
        values : mapping or array_like, shape (drives,)
            Values of the drives, by name or in their order.
        guess : array_like, shape (nq,)
            Start for all coordinates; those of the drives are replaced.
        iterations : int
            Most steps.

        Returns
        -------
        Assembly
        """
        q = points_of(guess, "guess", (self.model.nq,)).copy()
        q[self._driven] = self._values(values)
        held = np.zeros(self.model.nq, bool)
        held[self._driven] = True
        return self._newton(q, held, None, None, iterations)

    def inverse(
        self,
        T: ArrayLike,
        guess: ArrayLike,
        *,
        frame: str | int | None = None,
        task: str = "pose",
        hold: Sequence[str] = (),
        iterations: int = 60,
    ) -> Assembly:
        """Close the loops with a frame at a pose, or at a position.

        Parameters
        ----------
        T : array_like, shape (4, 4)
            Pose of the frame.
        guess : array_like, shape (nq,)
            Start for all coordinates.
        frame : str or int, optional
            The frame; the tip if not given.
        task : {"pose", "position"}
            Whether its turn counts.
        hold : sequence of str
            Joints that stay at their guess.
        iterations : int
            Most steps.

        Returns
        -------
        Assembly
        """
        goal = points_of(T, "T", (4, 4)).copy()
        if task not in ("pose", "position"):
            raise ArgumentError(f"task must be 'pose' or 'position', got {task!r}")
        if task == "position":
            goal[:3, :3] = np.nan
        held = np.zeros(self.model.nq, bool)
        for name in hold:
            if name not in self.model.joint_q_slices:
                raise name_not_found("joint", name, self.model.joint_q_slices)
            held[self.model.joint_q_slices[name]] = True
        q = points_of(guess, "guess", (self.model.nq,)).copy()
        return self._newton(q, held, frame, goal, iterations)

    def assemblies(
        self, values: Mapping[str, float] | ArrayLike, starts: int = 200, seed: int = 0
    ) -> Array:
        """Collect the ways the loops close with the drives at given values, from random starts.

        Parameters
        ----------
        values : mapping or array_like, shape (drives,)
            Values of the drives.
        starts : int
            Random postures that Newton's method starts from.
        seed : int
            Of the random numbers.

        Returns
        -------
        ndarray, shape (k, nq)
            Distinct postures, turns in (-pi, pi], sorted. Nothing vouches for their being all.
        """
        rng = np.random.default_rng(seed)
        turns = self._unit == 1.0
        found: list[Array] = []
        for _ in range(starts):
            start = rng.uniform(-1, 1, self.model.nq) * np.where(turns, np.pi, self._scale)
            ended = self.direct(values, start)
            if not ended.converged:
                continue
            q = np.where(turns, np.pi - np.mod(np.pi - ended.q, 2 * np.pi), ended.q)
            gaps = [np.abs(q - other) for other in found]
            gaps = [np.where(turns, np.minimum(gap, 2 * np.pi - gap), gap).max() for gap in gaps]
            if not gaps or min(gaps) > APART:
                found.append(q)
        rows = np.array(found).reshape(-1, self.model.nq)
        return rows[np.lexsort(rows.T[::-1])]


def _skew(r: Array) -> Array:
    """Half the skew part of a rotation: sine of the angle times the axis."""
    return 0.5 * np.array([r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
