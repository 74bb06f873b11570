"""The experiment of the FABRIK paper: ten unconstrained joints, targets within and out of reach.

Reference: A. Aristidou, J. Lasenby: FABRIK: A fast, iterative solver for the inverse kinematics
problem. Graphical Models 73 (2011), 243-260.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np

from handik.errors import ArgumentError
from handik.model import Model
from handik.problem import Problem
from handik.solve import Solver
from handik.solve import solvers as known_solvers
from handik.study.estimate import Estimate
from handik.study.protocol import STOPS, Progress, Published, Steps, counts, named, refusals
from handik.terms import Position

__all__ = ["PAPER", "PaperRow", "PaperStudy", "paper_experiment"]

#: Aristidou and Lasenby, Graphical Models 73 (2011): ten joints, reachable targets.
PAPER = {"fabrik": Published(15.461), "ccd": Published(26.308)}


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
    seconds : float
        For one target, in a batch on one thread.
    solved : float
        Share that converged.
    counts : dict of str to int
        How many ended how.
    published : Published or None
        Given for reachable targets.
    """

    label: str
    reachable: bool
    tolerance: float
    iterations: Estimate
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
    rows : tuple of PaperRow
    refused : mapping of str to str
        Solvers that cannot take the chain, and why; only where all were asked for.
    """

    model: Model
    runs: int
    seed: int
    rows: tuple[PaperRow, ...]
    refused: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        from handik.study.report import paper_text

        return paper_text(self)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write a CSV file with a line for each row."""
        from handik.study.report import write_paper_csv

        write_paper_csv(self, path)


def paper_experiment(
    runs: int = 1000,
    seed: int = 0,
    *,
    solvers: Iterable[str] | Mapping[str, Solver] = ("fabrik", "ccd"),
    stops: Iterable[float] = STOPS,
    progress: Progress | None = None,
) -> PaperStudy:
    """Repeat the experiment of Aristidou and Lasenby (2011) on ten unconstrained joints.

    Parameters
    ----------
    runs : int
        Targets of each kind: reachable ones are spread evenly over the ball of 0.9 of the reach,
        unreachable ones stand at 1.05 to 1.5 of the reach. Each starts from its own random pose.
    seed : int
    solvers, progress
        As in `compare`; ``"all"``: every solver that can take the chain.
    stops : floats
        Stop rules: a solve ends when the end effector is within this share of the reach. The
        paper's own rule, lengths and start poses are not known here, so its figures are to be
        read beside all of them.

    Returns
    -------
    PaperStudy

    Raises
    ------
    ArgumentError
        When `runs` is not positive or there is no solver.

    References
    ----------
    A. Aristidou, J. Lasenby: FABRIK: A fast, iterative solver for the inverse kinematics problem.
    Graphical Models 73 (2011), 243-260.
    """
    from handik.data import data

    everyone = solvers == "all"
    by_label = named([info.name for info in known_solvers()] if everyone else solvers)
    rules = tuple(stops)
    if runs < 1:
        raise ArgumentError(f"runs must be 1 or more, got {runs}")
    model = data("ball10")
    refused = refusals(Problem(model, [Position()]), np.zeros((1, 3)), by_label, skip=everyone)
    rng = np.random.default_rng(seed)
    aim = rng.normal(size=(runs, 3))
    aim /= np.linalg.norm(aim, axis=1, keepdims=True)
    inside = aim * (0.9 * model.reach * rng.uniform(size=(runs, 1)) ** (1 / 3))
    outside = aim * (model.reach * rng.uniform(1.05, 1.5, size=(runs, 1)))
    starts = model.sample(runs, seed=seed)
    report = Steps(progress, 2 * len(rules) * len(by_label))
    rows = []
    for label, solver in by_label.items():
        tick = report.part(f"{label}, the paper's experiment")
        for reachable, targets in ((True, inside), (False, outside)):
            for rule in rules:
                problem = Problem(model, [Position(position_tolerance=rule * model.reach)])
                began = perf_counter()
                found = solver(problem, targets, q0=starts)
                seconds = (perf_counter() - began) / runs
                rows.append(
                    PaperRow(
                        label,
                        reachable,
                        rule,
                        Estimate.of(found.iterations),
                        seconds,
                        float(np.mean(found.converged)),
                        counts(found.outcome),
                        PAPER.get(label) if reachable else None,
                    )
                )
                tick()
    return PaperStudy(model, runs, seed, tuple(rows), refused)
