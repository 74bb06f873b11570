"""Solve: targets in, a Result out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError
from handik.model import Model
from handik.problem import Problem
from handik.problem.goals import goal_problem, kept_plan
from handik.result import Method, Outcome, Result
from handik.solve.own import KNOWN, Plan, plan_of
from handik.solve.table import (
    OptionRange,
    SolverInfo,
    SolverTable,
    check_name,
    check_options,
    solvers,
)
from handik.spec._given import OrientationLike, PoseLike, as_array, of_class, together, whole_number

if TYPE_CHECKING:
    from inspect import Signature

    from handik.scene.check import Clearance
    from handik.scene.document import Scene

__all__ = [
    "OptionRange",
    "Solver",
    "SolverInfo",
    "SolverTable",
    "solve_goal",
    "solvers",
]

Array = NDArray[np.float64]
SETTINGS = ("max_iter", "retries", "threads", "ftol", "time_limit", "seed")
Progress = Callable[[int, int], object]


class Solver(_core.Solver):
    """A solver with its options, to be called with problems and targets.

    Parameters
    ----------
    name : str, optional
        One of `solvers()`; None: the first of them that can take the problem.
    max_iter : int, optional
        Cap on iterations, 0 to 1e9; the solver's own if not given. With several levels it caps
        each of their solves (docs/solving.md).
    retries : int
        So many more rounds of attempts, each from other poses inside the limits and with a
        `max_iter` of its own, for problems that did not converge.
    threads : int
        Threads over the batch; 0: all cores. The bytes of the answers do not depend on it.
    ftol : float, optional
        An iteration that lowers the error by less than this share is no progress.
    time_limit : float, optional
        Seconds for each problem.
    seed : int
        Of all that is drawn: new starts, and pushes of the Jacobian family.
    **options : float
        The solver's own; see `solvers()`. Of all iterative ones: `perturbations`, how often a
        push leads away from where the method is stuck, and `max_restarts`, how often the solver
        then restarts from another pose inside the limits; `max_restarts=0` is one attempt, the
        method as published. `max_iter` is the cap on all attempts. Of the Jacobian family:
        `max_step`, the longest move of a joint in an iteration, radians or lengths (0: none);
        `posture`, `limit_avoidance` and `manipulability`, weights of objectives in the null space:
        towards the rest configuration, to the middle of the limits, away from singular poses. They
        never cost the goal.

    Raises
    ------
    NotFoundError
        No such solver.
    ArgumentError
        An option out of its range (`SolverInfo.ranges`), or unknown to the solver.
    UnsupportedError
        The solver cannot take the problem; the sentence says what it takes.

    Notes
    -----
    It is called as ``solver(problem, targets, q0=None, *, out=None, trace=False, progress=None)``
    and gives a `Result`:

    - ``problem``: a `Problem`.
    - ``targets``: array_like, shape (..., problem.width). A row that is not finite is data: its
      outcome is INVALID.
    - ``q0``: array_like, shape (..., nq). Starts, broadcast against the targets; the model's rest
      if not given.
    - ``out``: ndarray, shape (..., nq). Where q is written.
    - ``trace``: True keeps error and pose of every iteration (`Result.trace`). For small batches:
      at most 2**26 numbers, 512 MiB, else ArgumentError.
    - ``progress``: called as ``progress(done, total)`` about 50 times a second while it works;
      True: a bar on standard error.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([1.0, 1.0, 1.0], "ball")
    >>> solver = hk.Solver("fabrik", max_iter=100)
    >>> solver(hk.Problem(arm, [hk.Position()]), [1.0, 1.0, 1.0]).converged
    True
    """

    __slots__ = ()

    def __new__(
        cls,
        name: str | None = None,
        *,
        max_iter: int | None = None,
        retries: int = 0,
        threads: int = 1,
        ftol: float | None = None,
        time_limit: float | None = None,
        seed: int = 0,
        **options: float,
    ) -> Self:
        """Keep the name and the settings; see the class."""
        check_name(name)
        check_options(name, options, SETTINGS)
        settings = {
            "max_iter": max_iter,
            "retries": retries,
            "threads": threads,
            "ftol": ftol,
            "time_limit": time_limit,
            "seed": seed,
        }
        own = MappingProxyType({key: _still(value) for key, value in options.items()})
        kept = {key: _still(value) for key, value in settings.items()} | {"options": own}
        made = cast("type[Self]", _OwnSolver) if cls is Solver and name in KNOWN else cls
        return super().__new__(made, name, kept)

    def _given(self) -> dict[str, Any]:
        """Return what this was made with, beside its name."""
        given: dict[str, Any] = {k: v for k, v in self.settings.items() if k != "options"}
        return given | dict(self.settings["options"])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Solver) or type(self) is not type(other):
            return NotImplemented
        return self.name == other.name and self._given() == other._given()

    def __hash__(self) -> int:
        return hash((self.name, frozenset(self._given().items())))

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), self.name, self._given())

    def __repr__(self) -> str:
        usual = {"retries": 0, "threads": 1, "seed": 0}
        given = {k: v for k, v in self._given().items() if v is not None and v != usual.get(k)}
        parts = [repr(self.name), *(f"{k}={v!r}" for k, v in given.items())]
        kind = "Solver" if isinstance(self, _OwnSolver) else type(self).__name__
        return f"{kind}({', '.join(parts)})"

    if TYPE_CHECKING:  # in the core, which calls `_call` for what it does not know

        def __call__(
            self,
            problem: Problem,
            targets: ArrayLike,
            q0: ArrayLike | None = None,
            *,
            out: Array | None = None,
            trace: bool = False,
            progress: Progress | bool | None = None,
        ) -> Result:
            """Solve the problem for each target."""

    def _call(
        self,
        problem: Problem,
        targets: ArrayLike,
        q0: ArrayLike | None = None,
        *,
        out: Array | None = None,
        trace: bool = False,
        progress: Progress | bool | None = None,
    ) -> Result:
        """Solve the problem for each target, as the class says: the long way of a call."""
        plan = self._plan(problem)
        return solve_plan(plan, problem, targets, q0, out=out, trace=trace, progress=progress)

    def stream(
        self,
        problem: Problem,
        targets: Any,
        *,
        chunk: int = 65536,
        q0: ArrayLike | None = None,
        file: str | os.PathLike[str] | None = None,
    ) -> Iterator[Result]:
        """Solve more targets than memory should hold, chunk by chunk.

        Parameters
        ----------
        problem : Problem
        targets : array_like, shape (N, problem.width), or iterable of such arrays
            An array may be a `numpy.memmap`; an iterable may be a generator that makes or reads
            its pieces one by one. Pieces longer than a chunk are cut.
        chunk : int
            Targets that are solved, and held in memory, at a time.
        q0 : array_like, shape (nq,), optional
            Start of all. The model's rest if not given.
        file : path, optional
            A ``.npy`` file for q of all targets, shape (N, nq), written chunk by chunk and
            replaced if it is there. ``numpy.load(file, mmap_mode="r")`` reads it, also while it
            grows and after a stream that was left early.

        Returns
        -------
        iterator of Result
            One for each chunk, in order. Nothing is solved before it is asked for. The answers
            are those of one call with all targets, byte for byte, whatever the chunk.

        Raises
        ------
        ArgumentError
            Targets of a wrong shape, a chunk below 1, or more than one start.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([1.0, 1.0, 1.0], "ball")
        >>> targets = ([[0.5, 0.1 * k, 1.0]] * 1000 for k in range(3))
        >>> problem = hk.Problem(arm, [hk.Position()])
        >>> stream = hk.Solver(threads=0).stream(problem, targets)
        >>> sum(int(r.converged.sum()) for r in stream)
        3000
        """
        from handik.solve._stream import pieces, solved

        of_class("problem", problem, Problem)
        chunk = whole_number("chunk", chunk)
        if chunk == 0:
            raise ArgumentError("chunk must be at least 1, got 0")
        if q0 is not None and np.ndim(q0) != 1:
            raise ArgumentError(f"q0 must be one start of shape (nq,), got shape {np.shape(q0)}")
        return solved(self, problem, pieces(targets, problem.width, chunk), q0, file)


class _CallSignature:
    """What `inspect.signature` says of a Solver: of one of them its call, of the class its making.

    A `__call__` in Python would cost more than a solve takes.
    """

    def __get__(self, solver: Solver | None, owner: type[Solver]) -> Signature:
        if solver is None:
            raise AttributeError("__signature__")
        from inspect import signature

        return signature(solver._call)


# Not in the class body, where mypy would take it for the signature of the class.
type.__setattr__(Solver, "__signature__", _CallSignature())


class _OwnSolver(Solver):
    """A Solver of a function of Python; see `handik.solve.own`."""

    __slots__ = ()

    def __call__(
        self,
        problem: Problem,
        targets: ArrayLike,
        q0: ArrayLike | None = None,
        *,
        out: Array | None = None,
        trace: bool = False,
        progress: Progress | bool | None = None,
    ) -> Result:
        """Solve the problem for each target; see `Solver`."""
        return self._call(problem, targets, q0, out=out, trace=trace, progress=progress)

    def _plan(self, problem: _core.Problem, /) -> Any:
        if not isinstance(problem, Problem):
            raise TypeError(f"problem must be a handik Problem, got {problem!r}")
        check_name(self.name)  # it may have gone, or not be made yet in this process
        settings = {**self.settings, "options": dict(self.settings["options"])}
        return plan_of(KNOWN[str(self.name)], problem, settings)


def _still(value: Any) -> Any:
    """Return a setting as it is now: an array of one number is a number that others can change."""
    return value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value


def _made(cls: type[Solver], name: str | None, settings: dict[str, Any]) -> Solver:
    """Make a Solver again from what `Solver.__reduce__` says."""
    return cls(name, **settings)


def solve_plan(
    plan: _core.Plan | Plan,
    problem: Problem,
    targets: Any,
    q0: Any,
    *,
    out: Array | None = None,
    trace: bool = False,
    progress: Progress | bool | None = None,
    cloud: Array | None = None,
) -> Result:
    """Solve by a plan of the problem: the long way, for all but one target as an array."""
    targets, start = _broadcast(targets, q0)
    if progress is True:
        from handik.solve._progress import Bar

        with Bar() as bar:
            shown = partial(bar, plan.solver)
            found = plan.solve(targets, q0=start, out=out, trace=trace, progress=shown)
    else:
        more = {} if cloud is None else {"cloud": cloud}
        found = plan.solve(
            targets, q0=start, out=out, trace=trace, progress=progress or None, **more
        )
    return _result(problem, found, plan.solver)


def _broadcast(targets: Any, q0: Any) -> tuple[Any, Any]:
    """Give targets and starts the same leading axes; one start for all stays one row."""
    if q0 is None:
        return targets, q0
    q0 = as_array("q0", q0)
    if q0.ndim == 1:
        return targets, q0
    targets = as_array("targets", targets)
    if targets.ndim < 1 or q0.ndim < 1:
        return targets, q0
    lead = together(targets=targets.shape[:-1], q0=q0.shape[:-1])
    return (
        np.broadcast_to(targets, lead + targets.shape[-1:]),
        np.broadcast_to(q0, lead + q0.shape[-1:]),
    )


def _result(problem: Problem, found: tuple[Any, ...], solver: str) -> Result:
    targets, q, outcome, iterations, n_restarts, error, position_error, orientation_error = found[
        :8
    ]
    method, *noted = found[8:]
    trace = None
    if noted[0] is not None:
        from handik.result.trace import trace_of

        trace = trace_of(problem.model, *noted)
    if q.ndim > 1:
        return Result(
            q,
            outcome,
            error,
            position_error,
            orientation_error,
            iterations,
            n_restarts,
            trace,
            solver,
            problem=problem,
            targets=targets,
            method=method,
        )
    return Result(
        q,
        Outcome(int(outcome)),
        float(error),
        float(position_error),
        float(orientation_error),
        int(iterations),
        int(n_restarts),
        trace,
        solver,
        problem=problem,
        targets=targets,
        method=Method(int(method)),
    )


#: The other keywords of `solve_goal`, for the near names of one that is none.
GOALS = (
    *("position", "orientation", "pose", "axis", "frame", "solver", "q0", "position_tolerance"),
    *("orientation_tolerance", "tool_axis", "lock", "scene", "out", "trace", "progress"),
)


def solve_goal(
    model: Model,
    *,
    position: ArrayLike | None = None,
    orientation: OrientationLike | None = None,
    pose: PoseLike | None = None,
    axis: ArrayLike | None = None,
    frame: str | int | None = None,
    solver: str | None = None,
    q0: ArrayLike | None = None,
    position_tolerance: float | None = None,
    orientation_tolerance: float = 1e-4,
    tool_axis: tuple[float, float, float] = (0.0, 0.0, 1.0),
    lock: Mapping[str, Any] | None = None,
    scene: Scene | Clearance | None = None,
    max_iter: int | None = None,
    time_limit: float | None = None,
    retries: int = 0,
    seed: int = 0,
    threads: int = 1,
    ftol: float | None = None,
    out: Array | None = None,
    trace: bool = False,
    progress: Progress | bool | None = None,
    _keep: list[_core.Plan] | None = None,
    **options: float,
) -> Result:
    """Find coordinates that bring one frame of a model to a goal.

    Parameters
    ----------
    model : Model
        The robot or person.
    position : array_like, shape (..., 3), optional
        Where the frame's origin shall be, meters.
    orientation : array_like, shape (..., 4) or (..., 3, 3), or Rotation, optional
        How the frame shall be turned: quaternions w x y z, rotation matrices, or what SciPy calls
        a ``Rotation``.
    pose : array_like, shape (..., 4, 4), or pair, or RigidTransform, optional
        Both at once: a matrix, a pair of position and orientation, or SciPy's transform.
    axis : array_like, shape (..., 3), optional
        Direction in the world along which `tool_axis` of the frame shall lie.
    frame : str or int, optional
        The frame; the model's tip if not given.
    solver : str, optional
        One of `solvers()`; the first that can take the goal if not given.
    q0 : array_like, shape (..., nq), optional
        Starts, radians and meters; broadcast against the targets. The model's rest if not given.
    position_tolerance : float, optional
        Meters; 1e-4 of the model's reach if not given.
    orientation_tolerance : float
        Radians.
    tool_axis : (float, float, float)
        A direction in the frame's axes, for `axis`.
    lock : mapping of joint name to value, optional
        Joints held still; see `Model.locked`.
    scene : Scene or Clearance, optional
        What no posture may touch: the model's collision shapes keep 1 cm clear of a scene, and
        touch nothing of their own. For another distance, or other shapes, a `Clearance`.
    max_iter : int, optional
        Cap on iterations; the solver's own if not given.
    time_limit : float, optional
        Seconds for each problem.
    retries : int
        So many more rounds of attempts from other starts for problems that did not converge.
    seed : int
        Of all that is drawn.
    threads : int
        Threads over the batch; 0: all cores. The bytes of the answers do not depend on it.
    ftol : float, optional
        An iteration that lowers the error by less than this share is no progress.
    out : ndarray, shape (..., nq), optional
        Where q is written.
    trace : bool
        Keep error and coordinates of every iteration (`Result.trace`).
    progress : callable or bool, optional
        Called as ``progress(done, total)`` while it works; True: a bar on standard error.
    **options : float
        The solver's own; see `Solver` and `solvers()`.

    Returns
    -------
    Result
        Unbatched for one target. A target out of reach, or not finite, is an outcome, no error.

    Raises
    ------
    ArgumentError
        No goal given, wrong shape, an option out of range.
    NotFoundError
        No such frame or solver.
    UnsupportedError
        The solver cannot take the goal on this model.

    References
    ----------
    The iteration and the papers of each solver are told in docs/solving.md.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([1.0, 1.0, 1.0], "ball")
    >>> arm.solve(position=[1.0, 1.0, 1.0]).converged
    True
    >>> elbow = hk.data("ur5").solve(position=[0.4, 0.2, 0.5], lock={"elbow": 1.2})
    >>> elbow.converged, float(elbow.q[2])
    (True, 1.2)
    >>> arm = hk.data("ur5")
    >>> figure = hk.Figure(arm, [hk.Capsule("link_3", (0, 0, 0), (0.39, 0, 0), 0.05)])
    >>> table = hk.Scene().add("table", hk.scene.Box([0.5, 1.0, 0.05]), [0.7, 0, 0.1])
    >>> found = arm.solve(position=[0.5, 0.2, 0.3], scene=hk.Clearance(table, figure))
    >>> found.converged, bool(table.free(figure, found.q))
    (True, True)
    """
    check_name(solver)
    check_options(solver, options, (*GOALS, *SETTINGS))
    problem, targets = goal_problem(
        model,
        position=position,
        orientation=orientation,
        pose=pose,
        axis=axis,
        frame=frame,
        position_tolerance=position_tolerance,
        orientation_tolerance=orientation_tolerance,
        tool_axis=tool_axis,
        lock=lock,
        scene=scene,
    )
    settings: dict[str, Any] = {
        "max_iter": max_iter,
        "retries": retries,
        "threads": threads,
        "ftol": ftol,
        "time_limit": time_limit,
        "seed": seed,
        **options,
    }

    def make() -> Any:
        return Solver(solver, **settings)._plan(problem)

    if solver in KNOWN:  # what it stands for may change
        plan = make()
    else:  # with a scene goes a map of free postures, for the next call of the same problem
        flat = (part for item in settings.items() for part in item)
        plan = kept_plan(problem, (solver, *flat), make)
    if (
        _keep is not None and not lock and scene is None and isinstance(plan, _core.Plan)
    ):  # the core wants to repeat the call with other targets
        _keep.append(plan)
    return solve_plan(plan, problem, targets, q0, out=out, trace=trace, progress=progress)


_core._bind(solve_goal=solve_goal)
