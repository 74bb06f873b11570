"""path: a way among obstacles, its edges proved free."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError, InternalError
from handik.model import Model
from handik.scene.check import Compiled, compiled
from handik.scene.plan._found import TOLERANCE, PlannedPath, Tree, length_of, posture
from handik.spec._given import (
    PoseLike,
    finite_number,
    flag,
    known_name,
    list_of,
    points_of,
    rigid_poses,
    whole_number,
)

if TYPE_CHECKING:
    from handik.scene import Scene

__all__ = ["Task", "path"]

Array = NDArray[np.float64]

#: Planners of handik's own.
PLANNERS = ("auto", "rrt_connect", "line")
#: Radians or meters of a tree's edge; groups of a search of the first round; rounds; shortcuts.
REACH, BUDGET, ROUNDS, TRIES = 1.5, 2000, 6, 60
#: Starts from which goals of a pose are solved, and goals kept.
SOLVES, GOALS = 64, 16


@dataclass(frozen=True)
class Task:
    """What a planner of your own is asked: a start, goals, and what tells whether edges are free.

    Attributes
    ----------
    model : Model
    start : ndarray, shape (nq,)
    goals : ndarray, shape (n, nq)
        Any of them will do.
    seed : int
    time_limit : float or None
        Seconds.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.5, 0.4])
    >>> figure = hk.Figure(arm, [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)])
    >>> def straight(task):
    ...     way = [task.start, task.goals[0]]
    ...     return way if task.proves(*way) else None
    >>> hk.plan.path(None, figure, [0, 0], [1, 0], planner=straight).outcome
    'found'
    """

    model: Model
    start: Array
    goals: Array
    seed: int
    time_limit: float | None
    _ground: Compiled

    def free(self, q: ArrayLike) -> NDArray[np.bool_]:
        """Tell which postures touch nothing.

        Parameters
        ----------
        q : array_like, shape (..., nq)

        Returns
        -------
        ndarray of bool, shape (...)

        Raises
        ------
        ArgumentError
            When q has another shape.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.5, 0.4])
        >>> figure = hk.Figure(arm, [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)])
        >>> def look(task):
        ...     print(task.free(task.goals).tolist())
        >>> hk.plan.path(None, figure, [0, 0], [1, 0], planner=look).outcome
        [True]
        'no_path_in_time'
        """
        return _core._scene_free(self._ground.world, self._ground.figure, q, 1)

    def proves(self, q0: ArrayLike, q1: ArrayLike) -> NDArray[np.bool_]:
        """Tell which edges are proved free.

        Parameters
        ----------
        q0, q1 : array_like, shape (..., nq)
            Their ends.

        Returns
        -------
        ndarray of bool, shape (...)

        Raises
        ------
        ArgumentError
            When one has another shape.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.5, 0.4])
        >>> figure = hk.Figure(arm, [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)])
        >>> def look(task):
        ...     print(task.proves(task.start, task.goals).tolist())
        >>> hk.plan.path(None, figure, [0, 0], [1, 0], planner=look).outcome
        [True]
        'no_path_in_time'
        """
        found = _core._scene_edges(self._ground.world, self._ground.figure, q0, q1, TOLERANCE, 1)[0]
        return np.asarray(found == 0)


class _Stop(Exception):
    """A search that ends with something else than a path."""

    def __init__(self, outcome: str, reason: str, **more: Any) -> None:
        super().__init__(reason)
        self.outcome, self.reason, self.more = outcome, reason, more


@dataclass
class _Search:
    """A call in hand."""

    model: Model
    ground: Compiled
    planner: str | Callable[[Task], Any]
    seed: int
    paths: int
    end: float | None
    threads: int
    progress: Callable[[int, int], object] | None
    keep_trees: bool
    groups: int = 0
    calls: int = 0
    legs: int = 0
    grown: list[Tree] = field(default_factory=list)

    def other(self, which: NDArray[np.int32]) -> str:
        """Name what a capsule was near to: an obstacle, or parts of the figure."""
        names, parts = self.ground.names, self.ground.parts
        capsule, other = (int(x) for x in which)
        if other < len(names):
            return str(names[other])
        return f"{parts[capsule]} and {parts[other - len(names)]}"

    def looked_at(self, q: Array) -> tuple[Array, NDArray[np.int32]]:
        distance, which, _, _ = _core._scene_distance(
            self.ground.world, self.ground.figure, q, 0.1, True, 1, None
        )
        return distance, which

    def allowed(self, q: Array, kind: str, name: str) -> Array:
        """Return those of the postures that are inside the limits and free, or stop.

        One alone is the start; of several goals those that can be are kept.
        """
        clipped = np.asarray(self.model.clip(q))
        off = np.abs(np.asarray(self.model.difference(q, clipped))).max(axis=1)
        inside = off <= 1e-9
        if not inside.any():
            raise _Stop("invalid", f"the {name} is outside the limits by {off.min():.3g}")
        free = np.asarray(_core._scene_free(self.ground.world, self.ground.figure, q, 1))
        if not (inside & free).any():
            distance, which = self.looked_at(q[inside])
            best = int(np.argmax(distance))
            what = self.other(which[best])
            raise _Stop(
                f"{kind}_in_collision",
                f"the {name} touches {what}, {max(0.0, -distance[best]):.3g} m deep",
                blocked_by=what,
                depth=float(max(0.0, -distance[best])),
            )
        return np.asarray(inside & free)

    def share(self, end: float | None, legs: int) -> None:
        """Give the next leg its part of the time that is left."""
        self.end = None if end is None else monotonic() + max(0.0, end - monotonic()) / legs

    def late(self) -> bool:
        return self.end is not None and monotonic() >= self.end

    def leg(self, start: Array, goals: Array) -> Array:
        """Return vertices from a start to one of the goals, or stop."""
        if callable(self.planner):
            return self.own(start, goals)
        if self.planner == "line":
            return self.line(start, goals)
        return self.trees(start, goals)

    def line(self, start: Array, goals: Array) -> Array:
        edge, witness, groups = _core._scene_edges(
            self.ground.world, self.ground.figure, start, goals, TOLERANCE, 1
        )
        self.groups += int(groups.sum())
        size = np.linalg.norm(np.asarray(self.model.difference(start, goals)), axis=1)
        size = np.where(edge == 0, size, np.inf)
        if np.isfinite(size).any():
            return np.stack([start, goals[int(np.argmin(size))]])
        v = np.asarray(self.model.difference(start, goals[0])) * witness[0]
        _, which = self.looked_at(np.asarray(self.model.integrate(start, v))[None])
        what = self.other(which[0]) if which[0, 0] >= 0 else None
        at = f"{witness[0]:.3g} of the way"
        raise _Stop(
            "blocked",
            f"the straight line meets {what or 'something'} at {at}",
            blocked_by=what,
            q=start[None],
        )

    def own(self, start: Array, goals: Array) -> Array:
        planner: Any = self.planner
        left = None if self.end is None else max(0.0, self.end - monotonic())
        given = planner(Task(self.model, start, goals, self.seed, left, self.ground))
        if given is None:
            raise _Stop("no_path_in_time", "your planner found no path", q=start[None])
        q = posture(self.model, given, "what your planner returned", True)
        ends = np.abs(np.asarray(self.model.difference(q[-1], goals))).max(axis=1)
        if np.abs(self.model.difference(q[0], start)).max() > 1e-9 or ends.min() > 1e-9:
            raise _Stop("invalid", "your planner's path has other ends than it was asked for")
        inside = np.abs(np.asarray(self.model.difference(q, self.model.clip(q)))).max()
        if inside > 1e-9:
            raise _Stop("invalid", f"your planner's path leaves the limits by {inside:.3g}")
        edge = _core._scene_edges(
            self.ground.world, self.ground.figure, q[:-1], q[1:], TOLERANCE, 1
        )[0]
        if np.any(edge != 0):
            at = int(np.argmax(edge != 0))
            raise _Stop("invalid", f"edge {at} of your planner's path is not proved free")
        return q

    def trees(self, start: Array, goals: Array) -> Array:
        """Search in rounds of growing budgets; with a time limit go on for shorter paths."""
        best: Array | None = None
        part = start[None]
        met: list[Array] = []
        grown: Any = None
        round_ = 0
        while round_ < ROUNDS or self.end is not None:
            budget = BUDGET * 2 ** min(round_, ROUNDS - 1)
            base = (self.seed * 1_000_003 + self.calls * 4096) % 2**62
            self.calls += 1
            runs = _core._path_search(
                self.ground.world,
                self.ground.figure,
                start,
                goals,
                base,
                self.paths,
                budget,
                REACH,
                TOLERANCE,
                TRIES,
                self.threads,
                self.keep_trees,
            )
            self.groups += sum(run[2] for run in runs)
            found = sorted((run for run in runs if run[0]), key=lambda run: self.length(run[1]))
            for run in found[:2]:
                q = _core._path_tighten(self.ground.world, self.ground.figure, run[1], 1, TOLERANCE)
                if best is None or self.length(q) < self.length(best):
                    best, grown = q, run[4]
            if not found and best is None:
                met = [*met, *(run[3] for run in runs)][-64:]
                nearest = min(runs, key=lambda run: self.away(run[1][-1], goals))
                part, grown = nearest[1], nearest[4]
            round_ += 1
            if self.progress is not None:
                self.progress(min(round_, ROUNDS), ROUNDS)
            if self.late() or (best is not None and self.end is None):
                break
        self.keep(grown)
        if best is None:
            self.give_up(part, np.concatenate(met))
        assert best is not None
        return best

    def keep(self, grown: Any) -> None:
        """Keep the trees of a search, if that was asked for."""
        if grown is not None:
            q, parent, cut = grown
            behind = np.where(parent[cut:] < 0, -1, parent[cut:] - cut).astype(np.int32)
            self.grown.append(Tree(q[:cut], parent[:cut], "start", self.legs))
            self.grown.append(Tree(q[cut:], behind, "goal", self.legs))

    def length(self, q: Array) -> float:
        return length_of(self.model, q)

    def away(self, q: Array, goals: Array) -> float:
        return float(np.linalg.norm(np.asarray(self.model.difference(q, goals)), axis=-1).min())

    def give_up(self, part: Array, met: Array) -> None:
        """Stop, and say what was met most."""
        what = None
        if len(met):
            _, which = self.looked_at(met)
            rows = [self.other(row) for row in which if row[0] >= 0]
            what = Counter(rows).most_common(1)[0][0] if rows else None
        said = f"; {what} was met most" if what else ""
        raise _Stop("no_path_in_time", f"no path was found{said}", blocked_by=what, q=part)


def _goals(
    model: Model,
    goal: ArrayLike | None,
    pose: PoseLike | None,
    position: ArrayLike | None,
    frame: str | None,
    seed: int,
) -> Array:
    """Return goal postures (n, nq)."""
    if (goal is None) == (pose is None and position is None) or (
        pose is not None and position is not None
    ):
        raise ArgumentError("give one of goal=, pose= and position=")
    if goal is not None:
        return posture(model, goal, "goal", True)
    kind: dict[str, Any] = {}
    if position is not None:
        kind = {"position": points_of(position, "position", (3,))}
    if pose is not None:
        kind = {"pose": rigid_poses(pose, "pose")}
    starts = model.sample(SOLVES, seed=seed)
    found = model.solve(**kind, frame=frame, q0=starts, seed=seed)
    q = np.asarray(found.q)[np.asarray(found.converged)]
    kept: list[Array] = []
    for one in q:
        if all(np.abs(model.difference(one, x)).max() > 1e-3 for x in kept):
            kept.append(one)
    if not kept:
        raise _Stop("invalid", "no posture reaches the goal")
    return np.array(kept)


def _checked(planner: Any, progress: Any) -> None:
    if not callable(planner):
        known_name("planner", planner, PLANNERS)
    if progress is not None and not callable(progress):
        raise TypeError("progress must be a function of two numbers")


def path(
    scene: Scene | None,
    figure: Any,
    start: ArrayLike,
    goal: ArrayLike | None = None,
    *,
    pose: PoseLike | None = None,
    position: ArrayLike | None = None,
    frame: str | None = None,
    via: Sequence[ArrayLike] = (),
    planner: str | Callable[[Task], Any] = "auto",
    seed: int = 0,
    paths: int = 8,
    time_limit: float | None = None,
    threads: int = 1,
    progress: Callable[[int, int], object] | None = None,
    trees: bool = False,
) -> PlannedPath:
    """Find a way for a figure among obstacles and past itself, every edge proved free.

    Parameters
    ----------
    scene : Scene or None
        The obstacles; None: the figure is only kept from itself.
    figure : Model, Human or Figure
        What moves: a figure's capsules, a person's, or the collision shapes of a model.
    start : array_like, shape (nq,)
    goal : array_like, shape (nq,) or (n, nq), optional
        A posture, or several of which any will do.
    pose : array_like, shape (4, 4), optional
        Instead of `goal`: where a frame is to be, given as in `Model.solve`. It is solved from 64
        starts, and the free postures found are goals, 16 at most.
    position : array_like, shape (3,), optional
        The same for the frame's place alone; meters.
    frame : str, optional
        Of `pose` and `position`; the tip if not given.
    via : sequence of array_like, shape (nq,)
        Postures to pass through on the way, in this order.
    planner : str or callable
        ``"auto"`` and ``"rrt_connect"``: two trees that grow towards each other, after the
        straight line was tried, then shortcuts and tightening. ``"line"``: the straight line alone.
        A function of yours: it is given a `Task` and returns vertices (n, nq) or None; they are
        proved before they are believed.
    seed : int
        The same seed gives the same bytes on any machine and number of threads, unless a time
        limit ends the search.
    paths : int
        Searches of a round; the shortest path of a round is kept.
    time_limit : float, optional
        Seconds, for which shorter paths are looked for. Without it the search ends with the first
        round that finds one, or after 6 rounds, each with twice the budget of the one before.
    threads : int
        Searches at a time; 0 is all processors.
    progress : callable, optional
        Called after each round with rounds done and rounds in all.
    trees : bool
        Keep what the searches grew, for a look at it: see `handik.plot.tree`.

    Returns
    -------
    PlannedPath
        Its `outcome` tells how it ended; a hard problem raises nothing.

    Raises
    ------
    ArgumentError
        When shapes do not fit, or a number is out of range.
    NotFoundError
        When no planner has this name.
    InternalError
        When an edge that was proved turns out to be in contact: please report it.

    Notes
    -----
    An edge is proved by growing every capsule by what it may move on a piece of it; pieces whose
    half moves less than 2 mm are not cut further and count as in contact, so a path through a gap
    with less than that to spare is not found. That no path exists is never claimed. Limits of balls
    are looked at every 0.02 rad of an edge, other limits hold along all of it.

    References
    ----------
    J. J. Kuffner, S. M. LaValle: RRT-Connect: an efficient approach to single-query path planning.
    IEEE International Conference on Robotics and Automation (2000), 995-1001.

    F. Schwarzer, M. Saha, J.-C. Latombe: Adaptive dynamic collision checking for single and
    multiple articulated robots in complex environments. IEEE Transactions on Robotics 21 (2005).

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.5, 0.4])
    >>> upper = hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)
    >>> lower = hk.Capsule("link_2", (0, 0, 0), (0.4, 0, 0), 0.02)
    >>> figure = hk.Figure(arm, [upper, lower], pairs=[])
    >>> room = hk.Scene().add("post", hk.scene.Sphere(0.1), pose=([0.6, 0.4, 0], [1, 0, 0, 0]))
    >>> found = hk.plan.path(room, figure, [0, 0], [1.4, 0])
    >>> found.outcome, found.clearance > 0
    ('found', True)
    """
    ground = compiled(scene, figure)
    model = ground.model
    _checked(planner, progress)
    kept_seed = whole_number("seed", seed)
    count = whole_number("paths", paths, 4096)
    if count < 1:
        raise ArgumentError("paths must be 1 or more")
    end = None
    if time_limit is not None:
        seconds = finite_number("time_limit", time_limit)
        if not seconds > 0:
            raise ArgumentError("time_limit must be above 0")
        end = monotonic() + seconds
    search = _Search(
        model, ground, planner, kept_seed, count, end, whole_number("threads", threads), progress,
        flag("trees", trees),
    )  # fmt: skip
    first = posture(model, start, "start", False)[0]
    stations = [posture(model, one, "via", False)[0] for one in list_of("via", via)]
    made, chosen = [first[None]], -1
    try:
        goals = _goals(model, goal, pose, position, frame, kept_seed)
        search.allowed(first[None], "start", "start")
        for k, station in enumerate(stations):
            search.allowed(station[None], "via", f"posture {k} of via")
        usable = np.flatnonzero(search.allowed(goals, "goal", "goal"))
        usable = usable if goal is not None else usable[:GOALS]
        legs = [*(station[None] for station in stations), goals[usable]]
        for k, ends in enumerate(legs):
            search.share(end, len(legs) - k)
            search.legs = k
            made.append(search.leg(made[-1][-1], ends)[1:])
        last = np.concatenate(made)[-1]
        away = np.abs(np.asarray(model.difference(last, goals[usable]))).max(axis=1)
        chosen = int(usable[int(np.argmin(away))])
    except _Stop as stop:
        part = stop.more.get("q")
        q = np.concatenate([*made, part[1:]] if part is not None else made)
        return PlannedPath(
            model,
            stop.outcome,
            q,
            stop.reason,
            stop.more.get("blocked_by"),
            stop.more.get("depth", np.nan),
            -1,
            search.groups,
            kept_seed,
            ground,
            tuple(search.grown),
        )
    q = np.concatenate(made)
    edge = _core._scene_edges(ground.world, ground.figure, q[:-1], q[1:], TOLERANCE, threads)[0]
    if np.any(edge == 1):  # a part of a proved edge is free, though its own proof may be open
        raise InternalError("an edge of the path is in contact")
    return PlannedPath(
        model, "found", q, "", None, np.nan, chosen, search.groups, kept_seed, ground,
        tuple(search.grown),
    )  # fmt: skip
