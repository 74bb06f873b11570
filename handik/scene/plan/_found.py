"""PlannedPath: what a planner found, as data."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError, UnsupportedError
from handik.model import Model
from handik.scene.check import Compiled
from handik.scene.plan._curve import Pace
from handik.scene.plan._trajectory import Trajectory, limits_of, sooner, still, timed
from handik.spec._given import flag, reals

if TYPE_CHECKING:
    from handik.scene.plan._ends import Kept

__all__ = ["OUTCOMES", "TOLERANCE", "PlannedPath", "Tree", "inside_along", "length_of", "posture"]

Array = NDArray[np.float64]

#: What `PlannedPath.outcome` may say.
OUTCOMES = (
    *("found", "no_path_in_time", "blocked", "impossible"),
    *("start_in_collision", "via_in_collision", "goal_in_collision", "invalid"),
)
#: Meters of motion below which a piece of an edge is not cut further: it then counts as in contact.
TOLERANCE = 2e-3


def length_of(model: Model, q: Array) -> float:
    """Return the length of a polygon (n, nq) in the norm of motions."""
    if len(q) < 2:
        return 0.0
    return float(np.linalg.norm(np.asarray(model.difference(q[:-1], q[1:])), axis=1).sum())


def inside_along(ground: Compiled, q0: Array, q1: Array) -> NDArray[np.bool_]:
    """Tell which edges keep to the limits of balls all along, proved to 1e-4 rad.

    Those limits are no box: the way between two postures inside may leave them.
    """
    q0, q1 = np.broadcast_arrays(q0, q1)
    rows = [np.ascontiguousarray(q).reshape(-1, q.shape[-1]) for q in (q0, q1)]
    return _core._path_inside(ground.figure, *rows).reshape(q0.shape[:-1])


@dataclass(frozen=True, eq=False)
class Tree:
    """What a search had grown: postures, each joined to an earlier one by an edge proved free.

    Attributes
    ----------
    q : ndarray, shape (n, nq)
    parent : ndarray of int, shape (n,)
        The row that each hangs on; -1 for the start, and for each goal.
    side : str
        ``"start"`` or ``"goal"``: what it grew from.
    leg : int
        Between which stations: 0 is from the start to the first of `via`, or to the goal.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.5, 0.4])
    >>> figure = hk.Figure(arm, [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)])
    >>> tree, other = hk.plan.path(None, figure, [0, 0], [1, 0], trees=True).trees
    >>> tree.side, tree.parent.tolist(), other.q.tolist()
    ('start', [-1], [[1.0, 0.0]])
    """

    q: Array
    parent: NDArray[np.int32]
    side: str
    leg: int


@dataclass(frozen=True, eq=False)
class PlannedPath:
    """A path among obstacles, or why there is none.

    Attributes
    ----------
    model : Model
    outcome : str
        ``"found"``; ``"no_path_in_time"``: the budget or the time was over, which proves nothing;
        ``"blocked"``: a straight line, asked for, is not free; ``"impossible"``: proved, see
        `path`; ``"start_in_collision"``,
        ``"via_in_collision"``, ``"goal_in_collision"``; ``"invalid"``: a posture outside the
        limits, or vertices of a planner of your own that are not free.
    converged : bool
        Whether it was found.
    q : ndarray, shape (n, nq)
        Vertices; joints move evenly between two, balls about one axis. Where nothing was found:
        the way to the place nearest to a goal that was reached, or the start alone.
    reason : str
        A sentence; empty where a path was found.
    blocked_by : str or None
        The obstacle, or the part of the figure itself, that was met most or stands in the way.
    depth : float
        Meters by which the start, the via or the goals are in contact; NaN elsewhere.
    goal : int
        Which of the goals it leads to, -1 none.
    groups : int
        Groups of 16 postures that were looked at.
    seed : int
    trees : tuple of Tree
        Where `path` was asked for them: two of each leg, of the search that was kept.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.5, 0.4])
    >>> figure = hk.Figure(arm, [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)])
    >>> room = hk.Scene().add("ball", hk.scene.Sphere(0.1), pose=([0, 0.5, 0], [1, 0, 0, 0]))
    >>> found = hk.plan.path(room, figure, [0, 0], [1, 0])
    >>> found.outcome, len(found.q)
    ('found', 2)
    """

    model: Model
    outcome: str
    q: Array
    reason: str
    blocked_by: str | None
    depth: float
    goal: int
    groups: int
    seed: int
    _ground: Compiled = field(repr=False)
    trees: tuple[Tree, ...] = field(default=(), repr=False)
    _kept: Kept | None = field(default=None, repr=False)

    @property
    def keep_error(self) -> float:
        """Greatest error of what is kept anywhere on the path, 1: its tolerance; NaN: nothing is.

        A bound where `keep_proved` says so; else the most at 33 places of each edge.
        """
        return np.nan if self._kept is None else self._kept.along(self.q)

    @property
    def keep_proved(self) -> bool:
        """Whether `keep_error` is a bound, by the greatest second derivative of each edge.

        It is of `Position`, `Orientation`, `Pose`, `Axis`, `Level` and `LookAt` in the world,
        unless a slide without limits or a joint that follows a ball carries the frame.
        """
        return self._kept is not None and self._kept.bounded

    @property
    def converged(self) -> bool:
        """Whether a path was found."""
        return self.outcome == "found"

    def __bool__(self) -> bool:
        """Whether a path was found."""
        return self.converged

    @property
    def length(self) -> float:
        """Length in the norm of motions: radians and meters together."""
        return length_of(self.model, self.q)

    @property
    def clearance(self) -> float:
        """Least distance in meters to obstacles and itself at places 0.01 apart; or infinity.

        Sampled, unlike the proof of the path; what is farther than 1 m is not looked at.
        """
        places = [self.q[:1]]
        for a, b in zip(self.q[:-1], self.q[1:], strict=True):
            v = np.asarray(self.model.difference(a, b))
            count = max(1, int(np.ceil(np.linalg.norm(v) / 0.01)))
            share = np.arange(1, count + 1)[:, None] / count
            places.append(np.asarray(self.model.integrate(a, share * v)))
        found = _core._scene_distance(
            self._ground.world, self._ground.figure, np.concatenate(places), 1.0, False, 1, None
        )
        least = float(np.min(found))
        return least if least < 1.0 else np.inf

    def trajectory(
        self,
        *,
        max_acceleration: ArrayLike,
        max_speed: ArrayLike | None = None,
        max_jerk: ArrayLike | None = None,
        blend: bool = True,
    ) -> Trajectory:
        """Follow the path as fast as limits allow.

        Parameters
        ----------
        max_acceleration, max_speed, max_jerk : float or array_like, shape (nv,), optional
            As in `trajectory`.
        blend : bool
            Whether corners are rounded by curves, proved free as the edges are; where none can be,
            and everywhere if False, the figure stops at the corner. A curve may lead past a vertex,
            of `via` too, on either side, and no bound but the obstacles says how near: with False
            every vertex is met. Where terms are kept vertices stay where they are, and if
            curves would leave their tolerances (sampled), it stops at every corner.

        Returns
        -------
        Trajectory

        Raises
        ------
        UnsupportedError
            When no path was found.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.5, 0.4])
        >>> figure = hk.Figure(arm, [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)])
        >>> found = hk.plan.path(None, figure, [0, 0], [1, 0])
        >>> round(found.trajectory(max_speed=1, max_acceleration=4).duration, 3)
        1.25
        """
        if not self.converged:
            raise UnsupportedError(f"there is no path to follow: {self.reason}")
        cut = flag("blend", blend)
        limits = limits_of(self.model, max_speed, max_acceleration, max_jerk)
        moves = np.linalg.norm(np.asarray(self.model.difference(self.q[:-1], self.q[1:])), axis=1)
        q = self.q[np.concatenate([[True], moves > 1e-12])]
        if len(q) < 2:
            return still(self.model, q[0])
        pace = Pace.of(self.model, q, limits)
        wishes = [pace.half, np.minimum(pace.half, pace.room)] if cut and len(q) > 2 else []
        for wish in (pace.worth(wish, limits) for wish in wishes):
            half, vertices = _core._path_blends(
                self._ground.world,
                self._ground.figure,
                q,
                pace.at,
                wish,
                self._kept is None,
                TOLERANCE,
            )
            moved = timed(self.model, vertices, pace.at, half, limits)
            moved = sooner(moved, q, pace.at, limits)
            if self._kept is None:
                return moved
            times = np.linspace(0.0, moved.duration, 33 * len(q))
            if self._kept.share(np.asarray(moved.sample(times)[0])).max() <= 1:
                return moved
        return timed(self.model, q, pace.at, np.zeros(len(q)), limits)


def posture(model: Model, given: ArrayLike, name: str, several: bool) -> Array:
    """Return postures (n, nq); one alone where there may not be several."""
    if model.nq == 0:
        raise ArgumentError(
            f"model {model.name!r} has no joint that moves: there is no way to plan"
        )
    found = reals(given, name, (model.nq,))
    if found.ndim > (2 if several else 1) or not found.size:
        shape = f"({model.nq},)" + (f" or (n, {model.nq})" if several else "")
        raise ArgumentError(f"{name} must have shape {shape}, got {found.shape}")
    return found.reshape(-1, model.nq)
