"""The protocol of the study: starts, targets, laps around the curve, solves from random poses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik._model import Model
from handik.problem import Problem
from handik.problem.terms import Position
from handik.result import Outcome, Result
from handik.solve import Solver
from handik.study.curve import Curve
from handik.study.estimate import Estimate, Median
from handik.study.smooth import Smoothness, smoothness

__all__ = ["PASSES", "Cold", "Lap", "LapCount", "StopRow", "Work"]

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

#: Lockstep passes that are timed, solves from random poses, and those whose errors are kept.
PASSES, _COLD, _CURVES = 5, 1000, 200
#: Runs that `track` makes too, at most: where points cannot be met it searches long.
_TRACKED = 20
#: Convergence curves are followed down to this share of the reach.
_CURVE_TOLERANCE = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Cold:
    """Solves from random poses to random targets that can be reached.

    Attributes
    ----------
    distance : ndarray, shape (n,)
        From the frame's start to its target, meters.
    iterations : ndarray, shape (n,)
    converged : ndarray of bool, shape (n,)
    error : ndarray, shape (n,)
        Distance from the target at the end, meters.
    curves : ndarray, shape (m, max_iter + 1)
        Error by iteration, meters, of the first m, followed to 1e-6 of the reach; the last error
        is kept after the end.
    """

    distance: Array
    iterations: Ints
    converged: NDArray[np.bool_]
    error: Array
    curves: Array

    def by_distance(self, bins: int) -> tuple[list[NDArray[np.intp]], list[Estimate]]:
        """Group the solves by their distance, equally many each.

        Parameters
        ----------
        bins : int
            How many groups.

        Returns
        -------
        list of ndarray, list of Estimate
            Which solves are in a group, and their mean iterations.
        """
        groups = np.array_split(np.argsort(self.distance, kind="stable"), bins)
        kept = [group for group in groups if len(group)]
        return kept, [Estimate.of(self.iterations[group]) for group in kept]


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
        ``"warm"``: the points of the curve, from the pose of the frame before; ``"cold"``: random
        targets that can be reached, from random poses, those of `Cold`.
    iterations : Estimate
    median : float
        Of the iterations; few long solves lift their mean far above it.
    solved : float
        Share of frames that converged.
    """

    label: str
    tolerance: float
    start: str
    iterations: Estimate
    median: float
    solved: float


@dataclass(frozen=True, slots=True)
class LapCount:
    """Iterations of a whole lap under a loose rule, which is how the thesis may have counted.

    Attributes
    ----------
    label : str
        The solver.
    tolerance : float
        Meters: one link of the chain.
    iterations : Estimate
        Of all frames of a lap together.
    seconds : Median
        Processor time of 100 laps, frame by frame from Python: the median lap, a hundred times.
    frames_per_second : Median
        Of the same median lap.
    """

    label: str
    tolerance: float
    iterations: Estimate
    seconds: Median
    frames_per_second: Median


class Work:
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
        tolerance = share * self.model.max_reach
        return Problem(self.model, [Position(frame=self.frame, position_tolerance=tolerance)])


@dataclass(slots=True)
class Lap:
    """One pass of all runs."""

    iterations: Ints
    errors: Array
    outcomes: NDArray[np.int8]
    first: Ints
    q: Array
    seconds: Array

    @classmethod
    def empty(cls, work: Work) -> Lap:
        """Make room for all frames of all runs."""
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
        """Take down how one frame of a run, or of all, ended."""
        self.iterations[run, frame] = result.iterations
        self.errors[run, frame] = result.position_error
        self.outcomes[run, frame] = result.outcome
        self.q[run, frame] = result.q


def _onward(result: Result, before: Array) -> Array:
    """Pose to start the next frame from: a target that is no number leaves it as it was."""
    return np.where(np.isfinite(result.q), result.q, before)


def follow(
    work: Work, solver: Solver, tick: Callable[[], None], problem: Problem | None = None
) -> Lap:
    """Each run on its own, one call a frame."""
    lap, problem = Lap.empty(work), problem or work.problem
    usable = bool(np.isfinite(work.targets).all())
    for run in range(work.runs):
        first = solver(problem, work.targets[run, 0], q0=work.starts[run])
        lap.first[run] = first.iterations
        q = _onward(first, work.starts[run])
        results = []
        began = process_time()
        for target in work.targets[run]:
            result = solver(problem, target, q0=q)
            q = result.q if usable else _onward(result, q)
            results.append(result)
        lap.seconds[run] = process_time() - began
        for frame, result in enumerate(results):
            lap.keep(run, frame, result)
        tick()
    return lap


def follow_batch(
    work: Work,
    solver: Solver,
    tick: Callable[[], None],
    passes: int,
    problem: Problem | None = None,
) -> Lap:
    """All runs side by side, one call a frame; as many passes as are asked for are timed."""
    lap, problem = Lap.empty(work), problem or work.problem
    lap.seconds = np.zeros(passes)
    targets = np.ascontiguousarray(work.targets.swapaxes(0, 1))
    for k in range(passes):
        first = solver(problem, targets[0], q0=work.starts)
        lap.first[:] = first.iterations
        q, results = _onward(first, work.starts), []
        began = process_time()
        for target in targets:
            result = solver(problem, target, q0=q)
            q = _onward(result, q)
            results.append(result)
        lap.seconds[k] = process_time() - began
        if k == 0:
            for frame, result in enumerate(results):
                lap.keep(slice(None), frame, result)
        tick()
    return lap


def cold(work: Work, solver: Solver) -> Cold:
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


def stop_rows(
    work: Work, label: str, solver: Solver, rules: Iterable[float], tick: Callable[[], None]
) -> Iterator[StopRow]:
    """Count iterations under each rule, along the curve and on random targets."""
    for rule in rules:
        problem = work.at(rule)
        lap = follow_batch(work, solver, tick, 1, problem)
        shares = Estimate.of(lap.iterations.mean(axis=1))
        solved = float(np.mean(lap.outcomes == Outcome.CONVERGED))
        yield StopRow(label, rule, "warm", shares, float(np.median(lap.iterations)), solved)
        far = solver(problem, work.cold_targets, q0=work.cold_starts)
        yield StopRow(
            label, rule, "cold", Estimate.of(far.iterations), float(np.median(far.iterations)),
            float(np.mean(far.converged)),
        )  # fmt: skip
        tick()


def lap_count(
    work: Work, label: str, solver: Solver, links: int, tick: Callable[[], None]
) -> LapCount:
    """Count the iterations of a lap that stops within one of so many equal links."""
    lap = follow(work, solver, tick, work.at(1.0 / links))
    seconds = Median.of(lap.seconds)
    return LapCount(
        label,
        work.model.max_reach / links,
        Estimate.of(lap.iterations.sum(axis=1)),
        seconds.times(100.0),
        seconds.per(lap.iterations.shape[1]),
    )


def tracked(work: Work) -> Smoothness:
    """Measure what `Model.track` makes of the same path, for some of the runs."""
    targets, starts = work.targets[:_TRACKED], work.starts[:_TRACKED]
    path = work.model.track(problem=work.problem, targets=targets, q0=starts)
    return smoothness(work.model, path.q, frame=work.frame)
