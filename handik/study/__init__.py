"""Studies: solvers side by side on one model, with the published figures beside.

`compare` is the study of the nine-DoF chain that follows a figure of eight, on any model and
curve; `paper_experiment` repeats the one of the FABRIK paper, `avatar_experiment` that of the
thesis on an avatar; `survey` puts every solver on every figure into one table. `study.twins` has
the solvers in readable NumPy. It may import `plot` and what comes before.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik._model import Model
from handik.errors import ArgumentError, name_not_found
from handik.problem import Problem
from handik.problem.terms import Position
from handik.result import Outcome
from handik.solve import Solver
from handik.solve import solvers as known_solvers
from handik.solve.basins import Basins, basins, start_grid
from handik.solve.conditioning import Conditioning, Section, conditioning, workspace_section
from handik.solve.passes import fabrik_passes
from handik.spec._given import is_model, known_name, whole_number
from handik.spec._html import html_table
from handik.study._conditions import conditions
from handik.study._laps import (
    PASSES,
    Cold,
    Lap,
    LapCount,
    StopRow,
    Work,
    cold,
    follow,
    follow_batch,
    lap_count,
    stop_rows,
    tracked,
)
from handik.study._protocol import STOPS, Progress, Published, Steps, counts, named, refusals
from handik.study.avatar import (
    CHAINS,
    PERSON_CHAINS,
    AvatarRow,
    AvatarStudy,
    avatar_experiment,
)
from handik.study.curve import Curve, circle, figure_of_eight, read_path
from handik.study.estimate import Estimate, Median
from handik.study.paper import PAPER, PAPER_AWAY, PAPER_STOP, PaperRow, PaperStudy, paper_experiment
from handik.study.smooth import Smoothness, smoothness
from handik.study.surveys import FIGURES, Survey, SurveyRow, survey, upper_body

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "CHAINS",
    "FIGURES",
    "PAPER",
    "PAPER_AWAY",
    "PAPER_STOP",
    "PERSON_CHAINS",
    "THESIS",
    "AvatarRow",
    "AvatarStudy",
    "Basins",
    "Cold",
    "Conditioning",
    "Curve",
    "LapCount",
    "PaperRow",
    "PaperStudy",
    "Published",
    "Section",
    "Smoothness",
    "SolverStudy",
    "StopRow",
    "Study",
    "Survey",
    "SurveyRow",
    "avatar_experiment",
    "basins",
    "circle",
    "compare",
    "conditioning",
    "fabrik_passes",
    "figure_of_eight",
    "paper_experiment",
    "read_path",
    "smoothness",
    "start_grid",
    "survey",
    "upper_body",
    "workspace_section",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


Array = NDArray[np.float64]
Ints = NDArray[np.int32]

#: The HandiAccess/FABRIK thesis, section 3.4.1: nine DoF, figure of eight, 100 runs a solver.
THESIS = {"fabrik": Published(13.2, 0.3, 55.0), "ccd": Published(17.6, 1.2, 16.0)}
_THESIS_LINKS = 9


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
        Distance from the target, meters.
    outcomes : ndarray of int8, shape (runs, frames)
        See `handik.Outcome`.
    first : ndarray of int32, shape (runs,)
        Iterations from the random start to the first point, which no other figure counts.
    loop_seconds : ndarray, shape (runs,)
        Processor time of one run, called frame by frame from Python.
    batch_seconds : ndarray, shape (passes,)
        Processor time of all runs, side by side: one call a frame, one thread.
    same : bool
        The two ways gave the same bytes.
    q : ndarray, shape (frames, nq)
        Poses of the first run.
    tip : ndarray, shape (frames, 3)
        Places of the frame in the first run, meters.
    cold : Cold
    smoothness : Smoothness
        Of all runs.
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
    smoothness: Smoothness
    published: Published | None

    @property
    def iterations_per_frame(self) -> Estimate:
        """Iterations a frame: the mean over runs of their means."""
        return Estimate.of(self.iterations.mean(axis=1))

    @property
    def median_iterations(self) -> float:
        """Median of the iterations of all frames."""
        return float(np.median(self.iterations))

    @property
    def seconds(self) -> Median:
        """Processor time of 100 runs, frame by frame: the median run, a hundred times."""
        return Median.of(self.loop_seconds).times(100.0)

    @property
    def seconds_batched(self) -> Median:
        """Processor time of 100 runs, side by side: the median pass."""
        return Median.of(self.batch_seconds).times(100.0 / len(self.iterations))

    @property
    def frames_per_second(self) -> Median:
        """Frames a second, frame by frame: of the same median run as `seconds`."""
        return Median.of(self.loop_seconds).per(self.iterations.shape[1])

    @property
    def frames_per_second_batched(self) -> Median:
        """Frames a second, side by side: of the same median pass as `seconds_batched`."""
        return Median.of(self.batch_seconds).per(self.iterations.size)

    @property
    def solved(self) -> float:
        """Share of frames that converged."""
        return float(np.mean(self.outcomes == Outcome.CONVERGED))

    @property
    def worst_error(self) -> float:
        """Largest distance from a target, meters; targets that are no numbers have none."""
        return float(np.nanmax(self.errors, initial=0.0))

    @property
    def counts(self) -> dict[str, int]:
        """How many frames ended how, most frequent first."""
        return counts(self.outcomes)


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """Solvers side by side on one model and one curve; print it for the table.

    Attributes
    ----------
    model : Model
    frame : str
        The frame that follows.
    curve : Curve
        Placed.
    tolerance : float
        Meters.
    runs, seed : int
    solvers : tuple of SolverStudy
    stops : tuple of StopRow
    machine : dict of str to str
        Where and when it was measured, and by which command.
    track : Smoothness
        Of `Model.track` on the same path, at most 20 of the runs.
    laps : tuple of LapCount
        Under the thesis's stop rule, where the experiment is that of the thesis.
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
    track: Smoothness
    refused: Mapping[str, str] = field(default_factory=dict)
    laps: tuple[LapCount, ...] = ()

    def __getitem__(self, label: str) -> SolverStudy:
        """Return one solver's part by its label."""
        for part in self.solvers:
            if part.label == label:
                return part
        raise name_not_found("solver", label, [part.label for part in self.solvers])

    @property
    def labels(self) -> tuple[str, ...]:
        """The solvers' labels."""
        return tuple(part.label for part in self.solvers)

    def __str__(self) -> str:
        from handik.study._report import study_text

        return study_text(self)

    def __repr__(self) -> str:
        labels = ", ".join(part.label for part in self.solvers)
        return f"Study({self.model.name!r}, {self.curve.name}, {self.runs} runs: {labels})"

    def _repr_html_(self) -> str:
        """Return the main table, for Jupyter."""
        from handik.study._tables import table

        return f"<p>{escape(repr(self))}</p>" + html_table(*table(self))

    def plot(self, figure: Figure | None = None) -> Figure:
        """Draw the chain, its traces, and what each solver did; see `handik.plot.study`.

        Parameters
        ----------
        figure : Figure, optional
            An empty one; made with pyplot if not given.

        Returns
        -------
        Figure
            With the pictures.
        """
        from handik import plot

        return plot.study(self, figure)

    def to_csv(self, path: str | os.PathLike[str], *, what: str = "table") -> None:
        """Write a CSV file.

        Parameters
        ----------
        path : path
        what : {"table", "stops", "smoothness", "runs", "frames"}
            A line for each solver, stop rule, solver and `track`, run (and timed pass), or frame
            of each run. Every line but those of frames also says on what machine, when and by
            which command it was measured.
        """
        from handik.study._csvs import write_csv

        write_csv([self], path, what)

    def to_html(self, path: str | os.PathLike[str], *, paper: PaperStudy | None = None) -> None:
        """Write one self-contained HTML page, with pictures where matplotlib is installed.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced.
        paper : PaperStudy, optional
            The paper's experiment, shown below.
        """
        from handik.study._report import write_html

        write_html([self], path, () if paper is None else (paper,))


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
        Meters at which a solver stops; 1e-3 of the reach if not given.
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
    everyone = isinstance(solvers, str) and solvers == "all"
    by_label = named([info.name for info in known_solvers()] if everyone else solvers)
    is_model(model)
    runs = whole_number("runs", runs)
    if runs < 1:
        raise ArgumentError(f"runs must be 1 or more, got {runs}")
    seed = whole_number("seed", seed, 2**63 - 1)
    if path is not None and not isinstance(path, Curve):
        raise ArgumentError(
            "path must be a Curve: hk.study.figure_of_eight(), hk.study.circle(), or "
            "hk.study.Curve('mine', points)"
        )
    name = model.tip if frame is None else known_name("frame", frame, model.frame_names)
    if name is None:
        raise ArgumentError(f"{model.name!r} has several tips: say which frame= shall follow")
    curve = (path if path is not None else figure_of_eight()).place(model, name)
    tolerance = 1e-3 * model.max_reach if tolerance is None else float(tolerance)
    rules = _rules(tolerance, stops)
    problem = Problem(model, [Position(frame=name, position_tolerance=tolerance)])
    refused = refusals(problem, curve.points[:1], by_label, skip=everyone)
    work = Work(model, name, curve, runs, seed, problem)
    as_thesis = model.nv == _THESIS_LINKS and curve.name == "figure of eight"
    # A label may be anyone's word for a solver: the thesis's figures are its own methods'.
    theirs = [
        label for label, solver in by_label.items() if as_thesis and solver.name == label in THESIS
    ]
    steps = len(by_label) * (runs + PASSES + 1 + 2 * len(rules)) + runs * len(theirs) + 1
    report = Steps(progress, steps)
    parts = [
        _measure(label, solver, work, report, THESIS[label] if label in theirs else None)
        for label, solver in by_label.items()
    ]
    rows = [
        row
        for label, solver in by_label.items()
        for row in stop_rows(work, label, solver, rules, report.part(f"{label}, stop rules"))
    ]
    laps = [
        lap_count(work, label, by_label[label], _THESIS_LINKS, report.part(f"{label}, a lap"))
        for label in theirs
    ]
    track = tracked(work)
    report.part("track")()
    return Study(
        model, name, curve, tolerance, runs, seed, tuple(parts), tuple(rows), conditions(), track,
        refused, tuple(laps),
    )  # fmt: skip


def _rules(tolerance: float, stops: Iterable[float]) -> tuple[float, ...]:
    """Return the stop rules, checked together with the tolerance."""
    rules = tuple(float(stop) for stop in stops)
    if not all(t > 0 and np.isfinite(t) for t in (tolerance, *rules)):
        raise ArgumentError("tolerance and stops must be positive numbers")
    return rules


def _measure(
    label: str, solver: Solver, work: Work, report: Steps, published: Published | None
) -> SolverStudy:
    """Let one solver follow the curve, both ways, and solve from random poses."""
    loop = follow(work, solver, report.part(f"{label}, frame by frame"))
    batch = follow_batch(work, solver, report.part(f"{label}, side by side"), PASSES)
    far = cold(work, solver)
    report.part(f"{label}, from random poses")()
    return _assemble(label, solver, work, loop, batch, far, published)


def _assemble(
    label: str,
    solver: Solver,
    work: Work,
    loop: Lap,
    batch: Lap,
    far: Cold,
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
        far,
        smoothness(work.model, loop.q, frame=work.frame),
        published,
    )
