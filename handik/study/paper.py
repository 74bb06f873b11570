"""The experiment of the FABRIK paper: ten unconstrained joints, targets within and out of reach.

The paper's figures are those of its table 1, means of 20 runs. Those of FABRIK and CCD in reach
have all its digits; the others are as a public summary of the paper rounds them, for the table
itself was not to be had.

Reference: A. Aristidou, J. Lasenby: FABRIK: A fast, iterative solver for the inverse kinematics
problem. Graphical Models 73 (2011), 243-260.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from time import process_time

import numpy as np
from numpy.typing import NDArray

from handik._model import Model
from handik.errors import ArgumentError
from handik.problem import Problem
from handik.problem.terms import Position
from handik.result import Result
from handik.solve import Solver
from handik.solve import solvers as known_solvers
from handik.spec._given import choice, list_of, number, whole_number
from handik.spec._html import html_table
from handik.study._conditions import conditions
from handik.study._protocol import (
    PAPER_STOP,
    STOPS,
    Progress,
    Published,
    Steps,
    counts,
    named,
    refusals,
)
from handik.study.estimate import Estimate

__all__ = [
    "PAPER",
    "PAPER_AWAY",
    "PAPER_STOP",
    "PaperRow",
    "PaperStudy",
    "paper_experiment",
]

Array = NDArray[np.float64]

#: Aristidou and Lasenby, Graphical Models 73 (2011), table 1: ten joints, reachable targets.
#: Damped least squares by singular values, which is the step of `dls` too, took 809.
PAPER = {
    "fabrik": Published(15.461),
    "ccd": Published(26.308),
    "jacobian_transpose": Published(1311),
    "dls": Published(999),
    "ftl": Published(21.1),
    "triangulation": Published(1),
}

#: The same, targets out of reach. FABRIK takes 1 when it first looks whether they are.
PAPER_AWAY = {
    "fabrik": Published(67.6),
    "ccd": Published(390),
    "jacobian_transpose": Published(6549),
}


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One solver on one kind of target under one stop rule.

    Attributes
    ----------
    label : str
        The solver.
    reachable : bool
    tolerance : float
        Share of the reach.
    iterations : Estimate
    median : float
        Of the iterations.
    seconds : float
        Processor time for one target, in a batch on one thread: the median of three passes.
    solved : float
        Share that converged.
    counts : dict of str to int
        How many ended how.
    published : Published or None
        The paper's.
    """

    label: str
    reachable: bool
    tolerance: float
    iterations: Estimate
    median: float
    seconds: float
    solved: float
    counts: Mapping[str, int]
    published: Published | None


@dataclass(frozen=True, slots=True, eq=False)
class PaperStudy:
    """The experiment of the FABRIK paper; print it for the table.

    Attributes
    ----------
    model : Model
    runs, seed : int
    start : str
        "random" or "straight".
    rows : tuple of PaperRow
    refused : mapping of str to str
        Solvers that cannot take the chain, and why; only where all were asked for.
    machine : mapping of str to str
        Where and when it was measured, and by which command.
    """

    model: Model
    runs: int
    seed: int
    start: str
    rows: tuple[PaperRow, ...]
    refused: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, str] = field(default_factory=dict)

    def __repr__(self) -> str:
        return (
            f"PaperStudy({self.model.name!r}: {len(self.rows)} rows, {self.runs} runs each, "
            f"{self.start} starts, seed {self.seed}; print it for the table)"
        )

    def __str__(self) -> str:
        from handik.study._report import paper_text

        return paper_text(self)

    def _repr_html_(self) -> str:
        """Return the tables in reach and out of it, for Jupyter."""
        from handik.study._tables import paper_table

        shown = [html_table(*paper_table(self, reachable)) for reachable in (True, False)]
        return f"<p>{escape(repr(self))}</p>" + "".join(shown)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write a CSV file with a line for each row.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced.
        """
        from handik.study._csvs import write_paper_csv

        write_paper_csv([self], path)


def paper_experiment(
    runs: int = 1000,
    seed: int = 0,
    *,
    solvers: Iterable[str] | Mapping[str, Solver] = ("fabrik", "ccd"),
    stops: Iterable[float] = (*STOPS, PAPER_STOP),
    start: str = "random",
    progress: Progress | None = None,
) -> PaperStudy:
    """Repeat the experiment of Aristidou and Lasenby (2011) on ten unconstrained joints.

    Parameters
    ----------
    runs : int
        Targets of each kind: reachable ones are spread evenly over the ball of 0.9 of the reach,
        unreachable ones stand at 1.05 to 1.5 of the reach.
    seed : int
    solvers, progress
        As in `compare`; ``"all"``: every solver that can take the chain.
    stops : floats
        Stop rules: a solve ends when the end effector is within this share of the reach. The
        last is that of the paper's figure 11; which one its table has is not known here.
    start : str
        "random": each target from its own random pose; "straight": all from the stretched chain.
        The paper's start poses are not known here.

    Returns
    -------
    PaperStudy

    Raises
    ------
    ArgumentError
        When `runs` is not positive, there is no solver or no such start.

    References
    ----------
    A. Aristidou, J. Lasenby: FABRIK: A fast, iterative solver for the inverse kinematics problem.
    Graphical Models 73 (2011), 243-260.

    Examples
    --------
    >>> from handik.study import paper_experiment
    >>> study = paper_experiment(runs=5)
    >>> type(study).__name__
    'PaperStudy'
    """
    from handik.data import data

    everyone = isinstance(solvers, str) and solvers == "all"
    by_label = named([info.name for info in known_solvers()] if everyone else solvers)
    rules = tuple(number("stops", stop) for stop in list_of("stops", stops))
    runs = whole_number("runs", runs)
    if runs < 1:
        raise ArgumentError(f"runs must be 1 or more, got {runs}")
    choice("start", start, ("random", "straight"))
    seed = whole_number("seed", seed, 2**63 - 1)
    model = data("ball10")
    refused = refusals(Problem(model, [Position()]), np.zeros((1, 3)), by_label, skip=everyone)
    rng = np.random.default_rng(seed)
    aim = rng.normal(size=(runs, 3))
    aim /= np.linalg.norm(aim, axis=1, keepdims=True)
    inside = aim * (0.9 * model.max_reach * rng.uniform(size=(runs, 1)) ** (1 / 3))
    outside = aim * (model.max_reach * rng.uniform(1.05, 1.5, size=(runs, 1)))
    starts = model.sample(runs, seed=seed) if start == "random" else model.rest
    report = Steps(progress, 2 * len(rules) * len(by_label))
    rows = []
    for label, solver in by_label.items():
        tick = report.part(f"{label}, the paper's experiment")
        for reachable, targets, theirs in ((True, inside, PAPER), (False, outside, PAPER_AWAY)):
            for rule in rules:
                problem = Problem(model, [Position(position_tolerance=rule * model.max_reach)])
                found, seconds = _timed(solver, problem, targets, starts)
                rows.append(
                    PaperRow(
                        label,
                        reachable,
                        rule,
                        Estimate.of(found.iterations),
                        float(np.median(found.iterations)),
                        seconds / runs,
                        float(np.mean(found.converged)),
                        counts(found.outcome),
                        theirs.get(label) if solver.name == label else None,
                    )
                )
                tick()
    return PaperStudy(model, runs, seed, start, tuple(rows), refused, conditions())


def _timed(solver: Solver, problem: Problem, targets: Array, starts: Array) -> tuple[Result, float]:
    """Solve, and return the median processor time of three passes; of one that is long, its own."""
    passes: list[float] = []
    while len(passes) < 3 and sum(passes) < 1.0:
        began = process_time()
        found = solver(problem, targets, q0=starts)
        passes.append(process_time() - began)
    return found, float(np.median(passes))
