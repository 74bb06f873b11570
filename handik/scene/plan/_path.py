"""path: a way among obstacles, its edges proved free."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError, InternalError
from handik.problem import Problem
from handik.problem.terms import Term
from handik.scene.check import as_figure, compiled
from handik.scene.check._carried import carried
from handik.scene.plan._ends import GOALS, Stop, goals_of, kept_of
from handik.scene.plan._found import TOLERANCE, PlannedPath, posture
from handik.scene.plan._ompl import ompl_planner
from handik.scene.plan._search import Search
from handik.scene.plan._task import Task
from handik.spec._given import (
    PoseLike,
    finite_number,
    flag,
    known_name,
    list_of,
    whole_number,
)

if TYPE_CHECKING:
    from handik.scene import Scene

__all__ = ["Task", "path"]

Array = NDArray[np.float64]

#: Planners of handik's own.
PLANNERS = ("auto", "rrt_connect", "line", "straight")


def _checked(planner: Any, progress: Any) -> Any:
    """Return the planner: a name of handik's own, or a function of a task."""
    if progress is not None and not callable(progress):
        raise TypeError("progress must be a function of two numbers")
    if isinstance(planner, str) and planner.startswith("ompl."):
        return partial(ompl_planner, planner.removeprefix("ompl."))
    if not callable(planner):
        known_name("planner", planner, PLANNERS)
    return planner


def path(
    scene: Scene | None,
    figure: Any,
    start: ArrayLike,
    goal: ArrayLike | Problem | None = None,
    *,
    targets: ArrayLike | None = None,
    pose: PoseLike | None = None,
    position: ArrayLike | None = None,
    frame: str | None = None,
    via: Sequence[ArrayLike] = (),
    keep: Sequence[Term | tuple[Term, ArrayLike]] = (),
    planner: str | Callable[[Task], Any] = "auto",
    seed: int = 0,
    paths: int = 8,
    time_limit: float | None = None,
    shorter: bool = True,
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
    goal : array_like, shape (nq,) or (n, nq), or Problem, optional
        A posture, or several of which any will do. Or a problem of the figure's model, any solution
        of which will do: it is solved from 64 starts, and the free postures found are goals, 16 at
        most.
    targets : array_like, shape (width,), optional
        The row of targets of a problem given as `goal`.
    pose : array_like, shape (4, 4), optional
        Instead of `goal`: where a frame is to be, given as in `Model.solve`. Where the arm has a
        closed form every posture of it is a goal; else as for a problem, whose own tolerances hold.
    position : array_like, shape (3,), optional
        The same for the frame's place alone; meters.
    frame : str, optional
        Of `pose` and `position`, and what ``planner="straight"`` moves; the tip if not given.
    via : sequence of array_like, shape (nq,)
        Postures to pass through on the way, in this order. They are vertices of the path; a
        trajectory whose corners are rounded passes by them: see `PlannedPath.trajectory`.
    keep : sequence of Term, or of pairs (term, targets)
        What holds all along the way, within the terms' tolerances: a cup kept level, a gaze, a foot
        in its place. `Position`, `Orientation`, `Pose` and `Axis` without targets stay as they are
        at the start.
    planner : str or callable
        ``"auto"`` and ``"rrt_connect"``: two trees that grow towards each other, after the
        straight line was tried, then shortcuts and tightening. ``"line"``: the straight line
        between postures alone. ``"straight"``: the frame moves on a straight line and turns
        steadily, within 1 mm and 1 mrad. ``"ompl.RRTConnect"`` and any other geometric planner of
        OMPL (``pip install 'handik[ompl]'``): it asks for handik's proofs of edges, and gets 5 s
        where there is no `time_limit`; for turns and slides alone.
        A function of yours: it is given a `Task` and returns vertices (n, nq) or None; they are
        proved before they are believed.
    seed : int
        The same seed gives the same bytes on any machine and number of threads, unless a time
        limit ends the search.
    paths : int
        Searches of a round, each with a seed of its own. The two shortest paths of a round are
        pulled taut, and the shorter is returned. With a time limit a round ends as soon as one
        search finds a path; it is then at most how many run at a time.
    time_limit : float, optional
        Seconds, for which shorter paths are looked for; it is looked at within rounds, and while
        goals are solved for. What is built once for a scene and a figure, in the first call, is not
        cut short. Without it the search ends with the first round that finds a path, or after 6
        rounds, each with twice the budget of the one before.
    shorter : bool
        False: with a `time_limit` too the search ends with the first round that finds a path, or
        after 6 rounds, and when the time is over before.
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
        When no planner has this name, or no frame.
    UnsupportedError
        When OMPL is asked for and not installed, or cannot take the figure.
    InternalError
        When an edge that was proved turns out to be in contact: please report it.

    Notes
    -----
    An edge is proved by growing every capsule by what it may move on a piece of it; pieces whose
    half moves less than 2 mm are not cut further and count as in contact, so a path through a gap
    with less than that to spare is not found. Limits hold along all of it, those of balls to 1e-4
    rad. That no path exists is claimed (outcome ``"impossible"``) where the goal is proved out of
    reach, by the lengths of the links or the closed form of a pose without tolerances of its own;
    and of one to three turns and slides with limits, where start and goal postures are parted by
    cells of the joint space that are proved blocked. Else a search that finds none proves nothing.

    What is kept is bounded along each edge, for terms about one frame in the world; of others 33
    places of each edge are looked at: see `PlannedPath.keep_error` and `keep_proved`.

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
    begun = monotonic()
    ground, who = compiled(scene, figure), as_figure(figure)
    around, whole = (None, who) if scene is None else carried(scene, who)
    model = ground.model
    asked = _checked(planner, progress)
    kept_seed = whole_number("seed", seed)
    count = whole_number("paths", paths, 4096)
    if count < 1:
        raise ArgumentError("paths must be 1 or more")
    end = None
    if time_limit is not None:
        seconds = finite_number("time_limit", time_limit)
        if not seconds > 0:
            raise ArgumentError("time_limit must be above 0")
        end = begun + seconds
    search = Search(
        model, ground, asked, kept_seed, count, end, whole_number("threads", threads), progress,
        flag("trees", trees), around, whole,
    )  # fmt: skip
    search.first = not flag("shorter", shorter)
    if frame is not None:
        known_name("frame", frame, model.frame_names)
    first = posture(model, start, "start", False)[0]
    stations = [posture(model, one, "via", False)[0] for one in list_of("via", via)]
    search.kept, search.frame = kept_of(model, keep, first), frame
    made, chosen = [first[None]], -1
    try:
        search.allowed(first[None], "start", "start")
        goals = goals_of(
            model, goal, targets, pose, position, frame, kept_seed, search.kept, search.left()
        )
        search.any_posture = goal is None or isinstance(goal, Problem)
        given = not search.any_posture  # postures, not what solvers found of a problem's
        for k, station in enumerate(stations):
            search.allowed(station[None], "via", f"posture {k} of via")
        usable = np.flatnonzero(search.allowed(goals.q, "goal", "goal", goals.all_there_are))
        usable = usable[:GOALS] if search.any_posture else usable
        legs = [*(station[None] for station in stations), goals.q[usable]]
        for k, ends in enumerate(legs):
            search.share(end, len(legs) - k)
            search.legs = k
            search.solved = k == len(legs) - 1 and not goals.all_there_are and not given
            made.append(search.leg(made[-1][-1], ends)[1:])
        last = np.concatenate(made)[-1]
        away = np.abs(np.asarray(model.difference(last, goals.q[usable]))).max(axis=1)
        chosen = int(usable[int(np.argmin(away))])
    except Stop as stop:
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
            search.kept,
        )
    q = np.concatenate(made)
    edge = _core._scene_edges(ground.world, ground.figure, q[:-1], q[1:], TOLERANCE, threads)[0]
    if np.any(edge == 1):  # a part of a proved edge is free, though its own proof may be open
        raise InternalError("an edge of the path is in contact")
    return PlannedPath(
        model, "found", q, "", None, np.nan, chosen, search.groups, kept_seed, ground,
        tuple(search.grown), search.kept,
    )  # fmt: skip
