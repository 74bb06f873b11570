"""Track: follow a path of targets with a warm start, and say where the model had to jump."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.model import Model
from handik.problem import Problem
from handik.problem._constants import three
from handik.problem.goals import goal_problem
from handik.result import Outcome, Result
from handik.solve.call import SETTINGS, Solver, solve_plan, solvers
from handik.solve.table import check_name, check_options
from handik.spec._given import (
    OrientationLike,
    PoseLike,
    is_model,
    number,
    of_class,
    reals,
    together,
)

if TYPE_CHECKING:
    from handik.result._either import Bools, Floats

Array = NDArray[np.float64]

#: Answers that the search for a nearer configuration compares when the warm start fails or jumps.
CANDIDATES = 8


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Track(Result):
    """A `Result` over time: the last batch axis is the path.

    Attributes
    ----------
    moves : float or ndarray, shape (..., T)
        Largest joint move from the answer before, radians or meters; 0 for the first.
    jumps : bool or ndarray of bool, shape (..., T)
        True where some joint moved faster than `max_speed` allows.

    Examples
    --------
    >>> import numpy as np, handik as hk
    >>> arm = hk.chain([0.4, 0.3, 0.2])
    >>> s = np.linspace(0, 1, 20)[:, None]
    >>> track = arm.track(position=(1 - s) * [0.6, 0.3, 0.0] + s * [0.3, 0.6, 0.0])
    >>> track.q.shape, bool(track.jumps.any())
    ((20, 3), False)
    """

    moves: Floats
    jumps: Bools


def track(
    model: Model,
    *,
    problem: Problem | None = None,
    targets: ArrayLike | None = None,
    q0: ArrayLike | None = None,
    solver: str = "auto",
    prefer: ArrayLike | None = None,
    max_speed: ArrayLike = 0.5,
    dt: float = 1.0,
    seed: int = 0,
    threads: int = 1,
    position: ArrayLike | None = None,
    orientation: OrientationLike | None = None,
    pose: PoseLike | None = None,
    axis: ArrayLike | None = None,
    frame: str | int | None = None,
    position_tolerance: float | None = None,
    orientation_tolerance: float = 1e-4,
    tool_axis: tuple[float, float, float] = (0.0, 0.0, 1.0),
    lock: Mapping[str, Any] | None = None,
    **options: float,
) -> Track:
    """Follow a path of goals, each solved from the answer before it.

    Where the warm start does not meet the goal, or meets it by a move faster than `max_speed`,
    `auto` looks among several answers for that with the smallest largest joint move; if none is
    slow enough the move is taken and reported as a jump. A target that cannot be met gives the
    closest pose near the one before. ``particle_filter`` carries its whole cloud of configurations
    from target to target.

    Parameters
    ----------
    model : Model
        The robot.
    problem : Problem, optional
        What must hold along the path, with `targets`; or give a goal such as `position`.
    targets : array_like, shape (..., T, problem.width), optional
        The path.
    q0 : array_like, shape (..., nq), optional
        Configuration before the first target; the model's rest if not given. The first target may
        take any move.
    solver : str
        Solver of the warm start.
    prefer : array_like, shape (..., nq), optional
        A configuration whose branch shall be taken and kept: of several answers to the first
        target the one with the smallest largest joint move from here is where the path begins
        (elbow up, a certain turn of the wrist). Later targets stay near the one before, as without
        it; where that is not possible the jump is reported.
    max_speed : float or array_like, shape (nv,)
        Fastest allowed move of a coordinate of v, rad/s or m/s.
    dt : float
        Seconds from one target to the next.
    seed : int
        Of all that is drawn.
    threads : int
        Threads over the paths; 0: all cores. The bytes of the answers do not depend on it.
    position : array_like, shape (..., T, 3), optional
        Where the frame's origin shall be, meters.
    orientation : array_like, shape (..., T, 4) or (..., T, 3, 3), or Rotation, optional
        How the frame shall be turned; see `Model.solve`.
    pose : array_like, shape (..., T, 4, 4), or pair, or RigidTransform, optional
        Both at once; see `Model.solve`.
    axis : array_like, shape (..., T, 3), optional
        Direction in the world along which `tool_axis` of the frame shall lie.
    frame : str or int, optional
        The frame; the model's tip if not given.
    position_tolerance : float, optional
        Meters; 1e-4 of the model's reach if not given.
    orientation_tolerance : float
        Radians.
    tool_axis : (float, float, float)
        A direction in the frame's axes, for `axis`.
    lock : mapping of joint name to value, optional
        Joints held still; see `Model.locked`.
    **options : float
        The solver's own, and `max_iter`, `ftol`, `time_limit`; see `Solver`.

    Returns
    -------
    Track
        A `Result` whose last batch axis is the path, with `moves` and `jumps`.

    Raises
    ------
    ArgumentError
        When there is no path, a shape does not fit, `prefer` is not finite, or the speed or time
        step is not positive.
    NotFoundError
        When there is no such frame, joint or solver.

    Examples
    --------
    >>> import numpy as np, handik as hk
    >>> arm = hk.chain([0.4, 0.3, 0.2])
    >>> s = np.linspace(0, 1, 20)[:, None]
    >>> path = (1 - s) * [0.6, 0.3, 0.0] + s * [0.3, 0.6, 0.0]
    >>> bool(np.all(arm.track(position=path, q0=[0.3, 0.3, 0.3]).converged))
    True
    """
    is_model(model)
    check_name(solver)
    check_options(solver, options, (*KEYWORDS, *SETTINGS))
    goal: dict[str, Any] = {
        "position": position,
        "orientation": orientation,
        "pose": pose,
        "axis": axis,
        "frame": frame,
        "position_tolerance": position_tolerance,
        "lock": lock,
    }
    goal = {name: value for name, value in goal.items() if value is not None}
    near, along = (
        number("orientation_tolerance", orientation_tolerance),
        three("tool_axis", tool_axis),
    )
    if near != 1e-4:
        goal["orientation_tolerance"] = near
    if along != (0.0, 0.0, 1.0):
        goal["tool_axis"] = along
    problem, path = _path(model, problem, targets, goal)
    model = problem.model  # it may have joints locked
    speed = _speed(model, max_speed, dt)
    lead, steps = path.shape[:-2], path.shape[-2]
    flat = path.reshape(prod(lead), steps, problem.width)
    q = _starts(model.rest if q0 is None else q0, "q0", model.nq, lead, finite=False)
    shared: dict[str, Any] = {"seed": seed, "threads": threads}
    if any(row.name == solver and "max_restarts" in row.options for row in solvers()):
        options.setdefault("max_restarts", 0)  # a warm start; what begins anew is the search below
    own: dict[str, Any] = {**shared, **options}
    warm = Solver(solver, **own)
    search = Solver("auto", n_candidates=CANDIDATES, **shared)
    cloud = _cloud(warm, problem, len(q))
    wanted = None
    if prefer is not None:
        wanted = _starts(prefer, "prefer", model.nq, lead)
    rows = []
    begun = np.zeros(len(q), bool)  # paths that have had a target that can be used
    for t in range(steps):
        limit = np.where(begun[:, None], np.broadcast_to(speed * dt, (model.nv,)), np.inf)
        found = solve_plan(warm._plan(problem), problem, flat[:, t], q, cloud=cloud)
        got = _step(problem, flat[:, t], q, found, search, limit)
        usable = got["outcome"] != Outcome.INVALID
        first = usable & ~begun
        if wanted is not None and first.any():
            _take_branch(search(problem, flat[first, t], q0=wanted[first]), got, first)
        v = np.zeros((len(q), model.nv))
        v[usable] = np.abs(model.difference(q[usable], got["q"][usable]))
        got["moves"] = v.max(axis=1, initial=0.0) * begun
        got["jumps"] = np.any(v > limit * (1 + 1e-9), axis=1)
        q = np.where(usable[:, None], got["q"], q)
        begun |= usable
        rows.append(got)
    stacked: dict[str, Any] = {k: np.stack([r[k] for r in rows], axis=1) for k in rows[0]}
    shaped: dict[str, Any] = {k: v.reshape(*lead, steps, *v.shape[2:]) for k, v in stacked.items()}
    return Track(**shaped, trace=None, solver=solver, problem=problem, targets=path.copy())


#: For the near names of a keyword that is none.
KEYWORDS = (
    *("problem", "targets", "q0", "solver", "prefer", "max_speed", "dt", "position", "orientation"),
    *("pose", "axis", "frame", "position_tolerance", "orientation_tolerance", "tool_axis", "lock"),
)
_KEPT = tuple(
    f.name for f in fields(Result) if f.name not in ("trace", "solver", "problem", "targets")
)


def _path(
    model: Model, problem: Problem | None, targets: ArrayLike | None, goal: dict[str, Any]
) -> tuple[Problem, Array]:
    """Return what must hold along the path, and its targets (..., T, width)."""
    if problem is None:
        problem, targets = goal_problem(model, **goal)
    elif goal or targets is None:
        raise ArgumentError("give problem= with targets=, or a goal such as position=, not both")
    elif of_class("problem", problem, Problem).model.nq != model.nq:
        raise ArgumentError(
            f"the problem is about {problem.model.name!r}, nq {problem.model.nq}, the path is of "
            f"{model.name!r}, nq {model.nq}"
        )
    path = reals(targets, "targets", (problem.width,), finite=False)
    if path.ndim < 2:
        raise ArgumentError(f"a path needs targets (..., T, {problem.width}), got {path.shape}")
    if path.shape[-2] == 0:
        raise ArgumentError("the path has no target")
    return problem, path


def _speed(model: Model, max_speed: ArrayLike, dt: float) -> Array:
    """Fastest allowed move of each coordinate, or of all."""
    speed = reals(max_speed, "max_speed", (), finite=False)
    if speed.shape not in ((), (model.nv,)):
        raise ArgumentError(f"max_speed must be one number or ({model.nv},), got {speed.shape}")
    if not (number("dt", dt) > 0 and np.all(speed > 0)):
        raise ArgumentError("max_speed and dt must be positive")
    return speed


def _starts(
    given: ArrayLike, name: str, nq: int, lead: tuple[int, ...], *, finite: bool = True
) -> Array:
    """One configuration for each path, as rows (n, nq)."""
    rows = reals(given, name, (nq,), finite=finite)
    if together(**{"the paths": lead, name: rows.shape[:-1]}) != lead:
        raise ArgumentError(f"{name} has shape {rows.shape}, but there are {lead} paths")
    return np.array(np.broadcast_to(rows, (*lead, nq))).reshape(prod(lead), nq)


def _cloud(warm: Solver, problem: Problem, paths: int) -> Array | None:
    """Room for what the solver carries from target to target of each path; nothing is in it yet."""
    count = getattr(warm._plan(problem), "cloud", 0)
    return np.full((paths, count, problem.model.nq), np.nan) if count else None


def _take_branch(found: Result, got: dict[str, Any], first: NDArray[np.bool_]) -> None:
    """Begin from the answer nearest to what is preferred, where there is one."""
    rows = np.flatnonzero(first)
    take = found.converged
    for name in _KEPT:
        if name in ("iterations", "n_restarts"):
            got[name][rows] += getattr(found, name)
        else:
            got[name][rows[take]] = getattr(found, name)[take]


def _step(
    problem: Problem, targets: Array, q: Array, found: Result, search: Solver, limit: Array
) -> dict[str, Any]:
    """One target of every path: the warm start, and a search where that failed or jumped."""
    best = {name: np.array(getattr(found, name)) for name in _KEPT}
    model = problem.model

    def excess(rows: NDArray[np.intp], end: Array) -> Array:
        move = np.abs(model.difference(q[rows], end))
        over: Array = np.max(move / limit[rows], axis=1, initial=0.0)
        return over

    usable = best["outcome"] != Outcome.INVALID
    over, at = np.zeros(len(q)), np.flatnonzero(usable)
    over[at] = excess(at, best["q"][at])
    met = best["outcome"] == Outcome.CONVERGED
    again = np.flatnonzero(usable & (best["outcome"] != Outcome.UNREACHABLE) & (~met | (over > 1)))
    if not len(again):
        return best
    other = search(problem, targets[again], q0=q[again])
    take = other.converged & (~met[again] | (excess(again, other.q) < over[again]))
    for name in _KEPT:
        if name in ("iterations", "n_restarts"):
            best[name][again] += getattr(other, name)
        else:
            best[name][again[take]] = getattr(other, name)[take]
    return best
