"""What studies share: published figures, the counting of work, the naming of solvers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from handik.errors import ArgumentError, UnsupportedError
from handik.problem import Problem
from handik.result import Outcome
from handik.solve import Solver
from handik.solve import solvers as known_solvers
from handik.solve.own import KNOWN
from handik.solve.table import check_name
from handik.spec._given import list_of, of_class

__all__ = [
    "PAPER_STOP",
    "PLAIN",
    "STOPS",
    "Progress",
    "Published",
    "Steps",
    "counts",
    "named",
    "plain",
    "refusals",
]

#: Called as ``progress(what, done, total)``.
Progress = Callable[[str, int, int], object]

#: What a bare name means in every study.
PLAIN = (
    "A published method named by its name alone makes one attempt (max_restarts=0), as published: "
    "where it is stuck after its perturbations it has failed. auto, hybrid, fabrik_fast, "
    "ccd_fast and lm_batch restart by themselves."
)

#: Stop rules: distance from the target as shares of the reach.
STOPS = (1e-2, 1e-3, 1e-4)
#: The stop rule of the FABRIK paper's figure 11, as a share of the reach: 1e-3 mm of 900 mm.
PAPER_STOP = 1e-3 / 900


@dataclass(frozen=True, slots=True)
class Published:
    """Figures of another work, for the same experiment.

    Attributes
    ----------
    iterations : float
        Mean.
    seconds : float or None
        For 100 runs, on the machine of that work.
    frames_per_second : float or None
        On the machine of that work.
    """

    iterations: float
    seconds: float | None = None
    frames_per_second: float | None = None


class Steps:
    """Counts pieces of work for the caller's progress."""

    def __init__(self, progress: Progress | None, total: int) -> None:
        self.progress, self.total, self.done = progress, total, 0

    def part(self, what: str) -> Callable[[], None]:
        """Return what to call after each piece of the work called `what`."""

        def tick() -> None:
            self.done += 1
            if self.progress is not None:
                self.progress(what, self.done, self.total)

        return tick


def named(solvers: Iterable[str] | Mapping[str, Solver | str]) -> dict[str, Solver]:
    """Return solvers by their labels; a bare name means the plain form, and may be the label."""
    if isinstance(solvers, str):
        solvers = (solvers,)
    if not isinstance(solvers, Mapping):
        solvers = {name: plain(name) for name in list_of("solvers", solvers)}
    if not solvers:
        raise ArgumentError("name at least one solver")
    return {
        label: plain(solver)
        if isinstance(solver, str)
        else of_class(f"solvers[{label!r}]", solver, Solver)
        for label, solver in solvers.items()
    }


def plain(name: str, **options: Any) -> Solver:
    """Return the solver of this name, a published method as one attempt; see `SolverInfo.plain`."""
    check_name(name)
    known = {row.name: row.plain for row in known_solvers()}
    more: dict[str, Any] = {**options, **known.get(name, {})}
    return Solver(name, **more)


def refusals(
    problem: Problem, target: Any, by_label: dict[str, Solver], *, skip: bool
) -> dict[str, str]:
    """Take out the solvers that cannot take a problem; why, by their labels.

    Parameters
    ----------
    problem : Problem
    target : ndarray, shape (1, problem.width)
        Any.
    by_label : dict of str to Solver
        Those that refuse are taken out.
    skip : bool
        False: one that refuses ends the study.

    Raises
    ------
    UnsupportedError
        A solver cannot take the problem, and `skip` is False.
    """
    refused = {}
    for label, solver in list(by_label.items()):
        try:
            solver(problem, target)
        except UnsupportedError as error:  # it says so before the work
            if not skip:
                raise
            refused[label] = " ".join(str(error).split())
            del by_label[label]
        except Exception as error:
            if solver.name not in KNOWN:  # ours raise nothing else: a fault, or a wrong call
                raise
            why = f"it raised {type(error).__name__}: {' '.join(str(error).split())}"
            if not skip:
                raise UnsupportedError(
                    f"{label} does not take {problem.model.name!r}: {why}"
                ) from error
            refused[label] = why
            del by_label[label]
    return refused


def counts(outcomes: Any) -> dict[str, int]:
    """Count outcomes by their names, the most frequent first, then by name."""
    kinds, many = np.unique(outcomes, return_counts=True)
    words = [Outcome(int(kind)).name.lower() for kind in kinds]
    pairs = sorted(zip(words, many.tolist(), strict=True), key=lambda pair: (-pair[1], pair[0]))
    return dict(pairs)
