"""Studies as CSV: a line for each solver, stop rule, run or frame, with the run's conditions."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.result import Outcome
from handik.spec._given import choice, path_text
from handik.study.estimate import Estimate, Median

if TYPE_CHECKING:
    from handik.study import SolverStudy, Study
    from handik.study.paper import PaperStudy
    from handik.study.smooth import Smoothness

__all__ = ["KINDS", "paper_lines", "write_csv", "write_lines", "write_paper_csv"]


def _number(value: float | None) -> Any:
    """Write a number in as few digits as give it back; 1e-3 of 1.0 is no 0.0010000000000000002."""
    if value is None or not isfinite(value):
        return ""
    short = f"{value:.15g}"
    return short if abs(float(short) - value) <= 4e-16 * abs(value) else repr(float(value))


def _mean(name: str, value: Estimate) -> dict[str, Any]:
    return {f"{name}_mean": _number(value.mean), f"{name}_ci95": _number(value.half)}


def _median(name: str, value: Median) -> dict[str, Any]:
    return {
        f"{name}_median": _number(value.value),
        f"{name}_low95": _number(value.low),
        f"{name}_high95": _number(value.high),
    }


def _shared(study: Study) -> dict[str, Any]:
    return {
        "model": study.model.name,
        "dof": study.model.nv,
        "frame": study.frame,
        "path": study.curve.name,
        "frames": len(study.curve),
        "runs": study.runs,
        "seed": study.seed,
    }


def _smooth(found: Smoothness) -> dict[str, Any]:
    return {
        "largest_move_rad_median": _number(found.median),
        "largest_move_rad_worst": _number(found.worst),
        "flips": found.flips,
        "last_joints": found.last,
        "last_joints_share": _number(found.last_share),
        "second_difference_rad_rms": _number(found.second),
    }


def _lap(study: Study, label: str) -> dict[str, Any]:
    """Return what the thesis's stop rule gives, where the experiment is its own."""
    row = next((row for row in study.laps if row.label == label), None)
    nothing = Estimate.of(()), Median.of(())
    iterations, seconds = (row.iterations, row.seconds) if row else nothing
    return {
        **_mean("one_link_iterations_a_lap", iterations),
        **_median("one_link_seconds_per_100_runs", seconds),
    }


def _line(study: Study, part: SolverStudy) -> dict[str, Any]:
    was = part.published
    return {
        "solver": part.label,
        **_shared(study),
        "tolerance_m": _number(study.tolerance),
        "reach_m": _number(study.model.max_reach),
        **_mean("iterations", part.iterations_per_frame),
        "iterations_median": _number(part.median_iterations),
        **_mean("first_point_iterations", Estimate.of(part.first)),
        **_median("seconds_per_100_runs_loop", part.seconds),
        **_median("seconds_per_100_runs_batched", part.seconds_batched),
        **_median("frames_per_second_loop", part.frames_per_second),
        **_median("frames_per_second_batched", part.frames_per_second_batched),
        "solved_share": _number(part.solved),
        "worst_error_m": _number(part.worst_error),
        **{f"frames_{word}": many for word, many in _every_count(part).items()},
        "same_answers_loop_and_batched": part.same,
        **_smooth(part.smoothness),
        **_lap(study, part.label),
        "thesis_iterations": _number(was.iterations if was else None),
        "thesis_seconds_per_100_runs": _number(was.seconds if was else None),
        "thesis_frames_per_second": _number(was.frames_per_second if was else None),
    }


def _every_count(part: SolverStudy) -> dict[str, int]:
    return {o.name.lower(): int(np.count_nonzero(part.outcomes == o)) for o in Outcome}


def _table_lines(study: Study) -> Iterable[dict[str, Any]]:
    return (_line(study, part) for part in study.solvers)


def _stop_lines(study: Study) -> Iterable[dict[str, Any]]:
    for row in study.stops:
        yield {
            "solver": row.label,
            **_shared(study),
            "start": row.start,
            "targets": "points of the path" if row.start == "warm" else "random, reachable",
            "tolerance_share": _number(row.tolerance),
            **_mean("iterations", row.iterations),
            "iterations_median": _number(row.median),
            "solved_share": _number(row.solved),
        }


def _smooth_lines(study: Study) -> Iterable[dict[str, Any]]:
    rows = [(part.label, part.smoothness) for part in study.solvers]
    for label, found in [*rows, ("track", study.track)]:
        runs = {**_shared(study), "runs": len(found.largest)}
        yield {"solver": label, **runs, **_smooth(found)}


def _run_lines(study: Study) -> Iterable[dict[str, Any]]:
    for part in study.solvers:
        for run in range(study.runs):
            yield {
                "solver": part.label,
                **_shared(study),
                "way": "loop",
                "run": run,
                "first_point_iterations": int(part.first[run]),
                "iterations": int(part.iterations[run].sum()),
                "frames_solved": int(np.sum(part.outcomes[run] == Outcome.CONVERGED)),
                "worst_error_m": _number(float(np.nanmax(part.errors[run], initial=0.0))),
                "seconds": _number(float(part.loop_seconds[run])),
            }
        for run, seconds in enumerate(part.batch_seconds):
            yield {
                "solver": part.label,
                **_shared(study),
                "way": "batched, all runs",
                "run": run,
                "first_point_iterations": int(part.first.sum()),
                "iterations": int(part.iterations.sum()),
                "frames_solved": int(np.sum(part.outcomes == Outcome.CONVERGED)),
                "worst_error_m": _number(part.worst_error),
                "seconds": _number(float(seconds)),
            }


def _frame_lines(study: Study) -> Iterable[dict[str, Any]]:
    for part in study.solvers:
        for run, frame in np.ndindex(part.iterations.shape):
            yield {
                "solver": part.label,
                "model": study.model.name,
                "run": run,
                "frame": frame,
                "iterations": int(part.iterations[run, frame]),
                "error_m": _number(float(part.errors[run, frame])),
                "outcome": Outcome(int(part.outcomes[run, frame])).name.lower(),
            }


#: What `Study.to_csv` can write; lines of frames are many and say nothing of the machine.
KINDS: dict[str, Callable[[Study], Iterable[dict[str, Any]]]] = {
    "table": _table_lines,
    "stops": _stop_lines,
    "smoothness": _smooth_lines,
    "runs": _run_lines,
    "frames": _frame_lines,
}


def write_csv(studies: Sequence[Study], path: str | os.PathLike[str], what: str = "table") -> None:
    """Write studies as CSV, one below the other; see `handik.study.Study.to_csv`."""
    choice("what", what, tuple(KINDS))
    write_lines(
        path,
        (
            line if what == "frames" else line | dict(study.machine)
            for study in studies
            for line in KINDS[what](study)
        ),
    )


def write_paper_csv(papers: Sequence[PaperStudy], path: str | os.PathLike[str]) -> None:
    """Write the paper's experiment as CSV, from one or more kinds of starts."""
    write_lines(path, (line | dict(papers[0].machine) for line in paper_lines(papers)))


def paper_lines(papers: Sequence[PaperStudy]) -> Iterable[dict[str, Any]]:
    """Return a line for each row of the paper's experiment."""
    for paper in papers:
        for row in paper.rows:
            yield {
                "solver": row.label,
                "target": "reachable" if row.reachable else "out of reach",
                "runs": paper.runs,
                "seed": paper.seed,
                "start": paper.start,
                "tolerance_share": _number(row.tolerance),
                **_mean("iterations", row.iterations),
                "iterations_median": _number(row.median),
                "paper_iterations": _number(row.published.iterations if row.published else None),
                "solved_share": _number(row.solved),
                "seconds_per_target": _number(row.seconds),
            }


def write_lines(path: str | os.PathLike[str], lines: Iterable[Mapping[str, Any]]) -> None:
    """Write rows as CSV, the names of the first as the headings."""
    rows = list(lines)
    with open(path_text("path", path), "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
