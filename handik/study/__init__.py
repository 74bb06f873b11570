"""Studies: solvers side by side on one figure, with the published figures beside.

`compare` is the study of the nine-DoF chain that follows a figure of eight, on any model and
curve; `paper_experiment` repeats the one of the FABRIK paper; `survey` puts every
solver on every figure into one table.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.model import Model
from handik.problem import Problem
from handik.result import Outcome, Result
from handik.solve import Solver
from handik.solve import solvers as known_solvers
from handik.study.curve import Curve, circle, figure_of_eight, read_path
from handik.study.estimate import Estimate
from handik.study.paper import PAPER, PAPER_AWAY, PAPER_STOP, PaperRow, PaperStudy, paper_experiment
from handik.study.protocol import STOPS, Progress, Published, Steps, counts, named, refusals
from handik.study.surveys import FIGURES, Survey, SurveyRow, survey, upper_body
from handik.terms import Position

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "FIGURES",
    "PAPER",
    "PAPER_AWAY",
    "PAPER_STOP",
    "THESIS",
    "Cold",
    "Curve",
    "PaperRow",
    "PaperStudy",
    "Published",
    "SolverStudy",
    "StopRow",
    "Study",
    "Survey",
    "SurveyRow",
    "circle",
    "compare",
    "figure_of_eight",
    "paper_experiment",
    "read_path",
    "survey",
    "upper_body",
]

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

#: Lockstep passes that are timed, cold problems, and those of them whose errors are kept.
_PASSES, _COLD, _CURVES = 5, 1000, 200
#: Convergence curves are followed down to this share of the reach.
_CURVE_TOLERANCE = 1e-6


#: The HandiAccess/FABRIK thesis, section 3.4.1: nine DoF, figure of eight, 100 runs a solver.
THESIS = {"fabrik": Published(13.2, 0.3, 55.0), "ccd": Published(17.6, 1.2, 16.0)}


@dataclass(frozen=True, slots=True, eq=False)
class Cold:
    """Solves from random poses to random targets that can be reached.

    Attributes
    ----------
    distance : ndarray, shape (n,)
        From the frame's start to its target, metres.
    iterations : ndarray, shape (n,)
    converged : ndarray of bool, shape (n,)
    error : ndarray, shape (n,)
        Distance from the target at the end, metres.
    curves : ndarray, shape (m, max_iter + 1)
        Error by iteration, metres, of the first m, followed to 1e-6 of the reach; the last error
        is kept after the end.
    """

    distance: Array
    iterations: Ints
    converged: NDArray[np.bool_]
    error: Array
    curves: Array


@dataclass(frozen=True, slots=True, eq=False)
class SolverStudy:
    """What one solver did.

    Attributes
    ----------
    label : str
        What the study calls it.
    solver : str
        Its name in `handik.solvers`.
    iterations : ndarray of int32, shape (runs, frames)
    errors : ndarray, shape (runs, frames)
        Distance from the target, metres.
    outcomes : ndarray of int8, shape (runs, frames)
        See `handik.Outcome`.
    first : ndarray of int32, shape (runs,)
        Iterations from the random start to the first point, which no other figure counts.
    loop_seconds : ndarray, shape (runs,)
        One run, called frame by frame from Python.
    batch_seconds : ndarray, shape (passes,)
        All runs, side by side: one call a frame, one thread.
    same : bool
        The two ways gave the same bytes.
    q : ndarray, shape (frames, nq)
        Poses of the first run.
    tip : ndarray, shape (frames, 3)
        Places of the frame in the first run, metres.
    cold : Cold
    published : Published or None
        Figures of the thesis, where the experiment is that of the thesis.
    """

    label: str
    solver: str
    iterations: Ints
    errors: Array
    outcomes: NDArray[np.int8]
    first: Ints
    loop_seconds: Array
    batch_seconds: Array
    same: bool
    q: Array
    tip: Array
    cold: Cold
    published: Published | None

    @property
    def iterations_per_frame(self) -> Estimate:
        """Iterations a frame: the mean over runs of their means."""
        return Estimate.of(self.iterations.mean(axis=1))

    @property
    def seconds(self) -> Estimate:
        """Seconds for 100 runs, frame by frame."""
        return Estimate.of(100.0 * self.loop_seconds)

    @property
    def seconds_batched(self) -> Estimate:
        """Seconds for 100 runs, side by side."""
        return Estimate.of(self.batch_seconds * (100.0 / len(self.iterations)))

    @property
    def frames_per_second(self) -> Estimate:
        """Frames a second, frame by frame."""
        return Estimate.of(self.iterations.shape[1] / self.loop_seconds)

    @property
    def frames_per_second_batched(self) -> Estimate:
        """Frames a second, side by side."""
        return Estimate.of(self.iterations.size / self.batch_seconds)

    @property
    def solved(self) -> float:
        """Share of frames that converged."""
        return float(np.mean(self.outcomes == Outcome.CONVERGED))

    @property
    def worst_error(self) -> float:
        """Largest distance from a target, metres; targets that are no numbers have none."""
        return float(np.nanmax(self.errors, initial=0.0))

    @property
    def counts(self) -> dict[str, int]:
        """How many frames ended how, most frequent first."""
        return counts(self.outcomes)


@dataclass(frozen=True, slots=True)
class StopRow:
    """Iterations under one stop rule.

    Attributes
    ----------
    label : str
        The solver.
    tolerance : float
        Share of the reach.
    start : str
        ``"warm"``: from the pose of the frame before; ``"cold"``: from a random pose.
    iterations : Estimate
    solved : float
        Share of frames that converged.
    """

    label: str
    tolerance: float
    start: str
    iterations: Estimate
    solved: float


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """Solvers side by side on one figure and one curve; print it for the table.

    Attributes
    ----------
    model : Model
    frame : str
        The frame that follows.
    curve : Curve
        Placed.
    tolerance : float
        Metres.
    runs, seed : int
    solvers : tuple of SolverStudy
    stops : tuple of StopRow
    machine : dict of str to str
        Where it was measured.
    refused : mapping of str to str
        Solvers that cannot take the model, and why; only where all were asked for.
    """

    model: Model
    frame: str
    curve: Curve
    tolerance: float
    runs: int
    seed: int
    solvers: tuple[SolverStudy, ...]
    stops: tuple[StopRow, ...]
    machine: Mapping[str, str]
    refused: Mapping[str, str] = field(default_factory=dict)

    def __getitem__(self, label: str) -> SolverStudy:
        """Return one solver's part by its label."""
        for part in self.solvers:
            if part.label == label:
                return part
        raise KeyError(label)

    @property
    def labels(self) -> tuple[str, ...]:
        """The solvers' labels."""
        return tuple(part.label for part in self.solvers)

    def __str__(self) -> str:
        from handik.study.report import study_text

        return study_text(self)

    def __repr__(self) -> str:
        labels = ", ".join(part.label for part in self.solvers)
        return f"Study({self.model.name!r}, {self.curve.name}, {self.runs} runs: {labels})"

    def plot(self, figure: Figure | None = None) -> Figure:
        """Draw the chain, its traces, and what each solver did; see `handik.plot.study`."""
        from handik import plot

        return plot.study(self, figure)

    def to_csv(self, path: str | os.PathLike[str], *, what: str = "table") -> None:
        """Write a CSV file.

        Parameters
        ----------
        path : path
        what : {"table", "stops", "frames"}
            A line for each solver, for each stop rule, or for each frame of each run.
        """
        from handik.study.report import write_csv

        write_csv(self, path, what)

    def to_html(self, path: str | os.PathLike[str], *, paper: PaperStudy | None = None) -> None:
        """Write one self-contained HTML page, with pictures where matplotlib is installed."""
        from handik.study.report import write_html

        write_html(self, path, paper)


def compare(
    model: Model,
    path: Curve | None = None,
    *,
    frame: str | None = None,
    solvers: Iterable[str] | Mapping[str, Solver] = ("fabrik", "ccd"),
    runs: int = 100,
    tolerance: float | None = None,
    stops: Iterable[float] = STOPS,
    seed: int = 0,
    progress: Progress | None = None,
) -> Study:
    """Let solvers follow a curve with one frame of a model, and measure them.

    Each run starts from a random pose, goes to its own first point of the curve (the runs' first
    points are spread over a closed curve), and follows it once around; each frame is started from
    the pose of the one before. Every solver gets the same starts and targets. Runs are made twice:
    frame by frame from Python, as an interactive program does, and side by side in batches.

    Parameters
    ----------
    model : Model
    path : Curve, optional
        What to follow; a figure of eight of 100 points if not given. A point that cannot be
        reached is an outcome, no error.
    frame : str, optional
        The frame that follows; the model's tip if not given.
    solvers : names, mapping of label to Solver, or "all"
        Names of `handik.solvers`, each published method as one attempt (`SolverInfo.plain`), or
        solvers with options of their own by the label they shall have; ``"all"``: every one that
        can take the model, the others with their reason in `Study.refused`.
    runs : int
    tolerance : float, optional
        Metres at which a solver stops; 1e-3 of the reach if not given.
    stops : floats
        Further stop rules under which iterations are counted, shares of the reach.
    seed : int
        Of the random poses.
    progress : callable, optional
        Called as ``progress(what, done, total)`` after each piece of work.

    Returns
    -------
    Study

    Raises
    ------
    ArgumentError
        When `runs` or `tolerance` is not positive, there is no solver, or no place was found for
        a bare curve.
    NotFoundError
        No such frame or solver.
    UnsupportedError
        A solver cannot take the model.

    Examples
    --------
    >>> import handik as hk
    >>> s = hk.study.compare(hk.data("planar9"), hk.study.figure_of_eight(20), runs=3)
    >>> s["fabrik"].solved
    1.0
    """
    everyone = solvers == "all"
    by_label = named([info.name for info in known_solvers()] if everyone else solvers)
    rules = tuple(float(stop) for stop in stops)
    if runs < 1:
        raise ArgumentError(f"runs must be 1 or more, got {runs}")
    name = frame if frame is not None else model.tip
    if name is None:
        raise ArgumentError(f"{model.name!r} has several tips: say which frame= shall follow")
    curve = (path if path is not None else figure_of_eight()).place(model, name)
    if tolerance is None:
        tolerance = 1e-3 * model.reach
    if not all(t > 0 and np.isfinite(t) for t in (tolerance, *rules)):
        raise ArgumentError("tolerance and stops must be positive numbers")
    problem = Problem(model, [Position(frame=name, position_tolerance=tolerance)])
    refused = refusals(problem, curve.points[:1], by_label, skip=everyone)
    work = _Work(model, name, curve, runs, seed, problem)
    steps = len(by_label) * (runs + _PASSES + 1 + 2 * len(rules))
    report = Steps(progress, steps)
    thesis = model.nv == 9 and curve.name == "figure of eight"
    parts = []
    for label, solver in by_label.items():
        loop = _follow(work, solver, report.part(f"{label}, frame by frame"))
        batch = _follow_batch(work, solver, report.part(f"{label}, side by side"), _PASSES)
        cold = _cold(work, solver)
        report.part(f"{label}, from random poses")()
        published = THESIS.get(label) if thesis else None
        parts.append(_assemble(label, solver, work, loop, batch, cold, published))
    rows = []
    for label, solver in by_label.items():
        tick = report.part(f"{label}, stop rules")
        for rule in rules:
            rows += list(_stop_rows(work, label, solver, rule, tick))
    from handik.study.report import machine

    return Study(
        model, name, curve, tolerance, runs, seed, tuple(parts), tuple(rows), machine(), refused
    )


# -- the protocol -------------------------------------------------------------------------------


class _Work:
    """Starts and targets, the same for every solver."""

    def __init__(
        self, model: Model, frame: str, curve: Curve, runs: int, seed: int, problem: Problem
    ) -> None:
        self.model, self.frame, self.runs, self.problem = model, frame, runs, problem
        n = len(curve)
        self.starts: Array = model.sample(runs, seed=seed)
        shift = np.arange(runs) * n // runs if curve.closed else np.zeros(runs, int)
        #: [runs, frames] index of the point each run wants at each frame.
        self.order = (shift[:, None] + np.arange(n)) % n
        self.targets: Array = curve.points[self.order]
        count = _COLD
        self.cold_starts: Array = model.sample(count, seed=seed + 1)
        goals = model.fk(model.sample(count, seed=seed + 2), frame=frame)
        self.cold_targets: Array = np.ascontiguousarray(goals[:, :3, 3])

    def at(self, share: float) -> Problem:
        """Return the problem with another tolerance."""
        tolerance = share * self.model.reach
        return Problem(self.model, [Position(frame=self.frame, position_tolerance=tolerance)])


@dataclass(slots=True)
class _Lap:
    """One pass of all runs."""

    iterations: Ints
    errors: Array
    outcomes: NDArray[np.int8]
    first: Ints
    q: Array
    seconds: Array

    @classmethod
    def empty(cls, work: _Work) -> _Lap:
        shape = work.order.shape
        return cls(
            np.zeros(shape, np.int32),
            np.zeros(shape),
            np.zeros(shape, np.int8),
            np.zeros(work.runs, np.int32),
            np.zeros((*shape, work.model.nq)),
            np.zeros(work.runs),
        )

    def keep(self, run: Any, frame: int, result: Result) -> None:
        self.iterations[run, frame] = result.iterations
        self.errors[run, frame] = result.position_error
        self.outcomes[run, frame] = result.outcome
        self.q[run, frame] = result.q


def _onward(result: Result, before: Array) -> Array:
    """Pose to start the next frame from: a target that is no number leaves it as it was."""
    return np.where(np.isfinite(result.q), result.q, before)


def _follow(work: _Work, solver: Solver, tick: Callable[[], None]) -> _Lap:
    """Each run on its own, one call a frame."""
    lap, problem = _Lap.empty(work), work.problem
    usable = bool(np.isfinite(work.targets).all())
    for run in range(work.runs):
        first = solver(problem, work.targets[run, 0], q0=work.starts[run])
        lap.first[run] = first.iterations
        q = _onward(first, work.starts[run])
        results = []
        began = perf_counter()
        for target in work.targets[run]:
            result = solver(problem, target, q0=q)
            q = result.q if usable else _onward(result, q)
            results.append(result)
        lap.seconds[run] = perf_counter() - began
        for frame, result in enumerate(results):
            lap.keep(run, frame, result)
        tick()
    return lap


def _follow_batch(
    work: _Work,
    solver: Solver,
    tick: Callable[[], None],
    passes: int,
    problem: Problem | None = None,
) -> _Lap:
    """All runs side by side, one call a frame; as many passes as are asked for are timed."""
    lap, problem = _Lap.empty(work), problem or work.problem
    lap.seconds = np.zeros(passes)
    targets = np.ascontiguousarray(work.targets.swapaxes(0, 1))
    for k in range(passes):
        first = solver(problem, targets[0], q0=work.starts)
        lap.first[:] = first.iterations
        q, results = _onward(first, work.starts), []
        began = perf_counter()
        for target in targets:
            result = solver(problem, target, q0=q)
            q = _onward(result, q)
            results.append(result)
        lap.seconds[k] = perf_counter() - began
        if k == 0:
            for frame, result in enumerate(results):
                lap.keep(slice(None), frame, result)
        tick()
    return lap


def _cold(work: _Work, solver: Solver) -> Cold:
    """Solve from random poses to random targets, and follow the errors of some."""
    found = solver(work.problem, work.cold_targets, q0=work.cold_starts)
    tips = np.asarray(work.model.fk(work.cold_starts, frame=work.frame))[:, :3, 3]
    traced = solver(
        work.at(_CURVE_TOLERANCE),
        work.cold_targets[:_CURVES],
        q0=work.cold_starts[:_CURVES],
        trace=True,
    )
    assert traced.trace is not None
    return Cold(
        np.linalg.norm(tips - work.cold_targets, axis=1),
        np.asarray(found.iterations, np.int32),
        np.asarray(found.converged),
        np.asarray(found.position_error),
        _carry_on(traced.trace.error),
    )


def _carry_on(trace: Array) -> Array:
    """Fill the NaN after the last iteration of each row with its last error."""
    at = np.where(np.isnan(trace), 0, np.arange(trace.shape[1]))
    return np.take_along_axis(trace, np.maximum.accumulate(at, axis=1), axis=1)


def _stop_rows(
    work: _Work, label: str, solver: Solver, rule: float, tick: Callable[[], None]
) -> Iterator[StopRow]:
    lap = _follow_batch(work, solver, tick, 1, work.at(rule))
    solved = float(np.mean(lap.outcomes == Outcome.CONVERGED))
    yield StopRow(label, rule, "warm", Estimate.of(lap.iterations.mean(axis=1)), solved)
    targets = work.targets.reshape(-1, 3)[:: max(1, work.order.size // _COLD)][:_COLD]
    starts = work.cold_starts[: len(targets)]
    cold = solver(work.at(rule), targets, q0=starts)
    yield StopRow(label, rule, "cold", Estimate.of(cold.iterations), float(np.mean(cold.converged)))
    tick()


def _assemble(
    label: str,
    solver: Solver,
    work: _Work,
    loop: _Lap,
    batch: _Lap,
    cold: Cold,
    published: Published | None,
) -> SolverStudy:
    same = (
        np.array_equal(loop.q, batch.q, equal_nan=True)
        and np.array_equal(loop.iterations, batch.iterations)
        and np.array_equal(loop.outcomes, batch.outcomes)
    )
    q = loop.q[0].copy()
    return SolverStudy(
        label,
        solver.name or "",
        loop.iterations,
        loop.errors,
        loop.outcomes,
        loop.first,
        loop.seconds,
        batch.seconds,
        same,
        q,
        np.asarray(work.model.fk(q, frame=work.frame))[:, :3, 3].copy(),
        cold,
        published,
    )
