"""Survey: every solver on every figure in one table; those that cannot take a figure say why.

Targets are made by forward kinematics from random poses inside the limits, so that each can be
reached; starts are other random poses, the same for every solver.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from math import pi
from time import process_time
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik._model import Model, chain
from handik.data import data
from handik.errors import ArgumentError, UnsupportedError, name_not_found
from handik.problem import Problem
from handik.problem.terms import Pose, Position
from handik.solve import Solver, solvers
from handik.solve.own import KNOWN
from handik.spec import Cone, FrameSpec, JointSpec, LinkSpec, ModelSpec
from handik.spec._given import known_name, list_of, of_class, path_text, whole_number
from handik.spec._html import html_table
from handik.study._protocol import PLAIN, Progress, Steps, counts, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["FIGURES", "Survey", "SurveyRow", "survey", "upper_body"]

Array = NDArray[np.float64]

#: Share of the reach, and radians, within which a goal is met.
TOLERANCE, TURN = 1e-3, 0.01
DEG = pi / 180
#: Batches that are timed; the least time counts, since a busy machine only ever adds.
PASSES = 3


@dataclass(frozen=True, slots=True)
class SurveyRow:
    """One solver on one figure.

    Attributes
    ----------
    figure, solver : str
    refused : str
        Why the solver does not apply; empty if it does. The numbers are then None.
    solved : float or None
        Share of problems with every goal met, by the judge.
    iterations, most : float or None
        Median and 95th percentile of the iterations of those solved; None when there is none.
    error : float or None
        Median distance left of those not solved, as a share of the reach.
    seconds : float or None
        Of one problem, in a batch on one thread.
    outcomes : mapping of str to int
        How many ended how.
    """

    figure: str
    solver: str
    refused: str
    solved: float | None = None
    iterations: float | None = None
    most: float | None = None
    error: float | None = None
    seconds: float | None = None
    outcomes: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """A table of solvers by figures; print it.

    Attributes
    ----------
    rows : tuple of SurveyRow
    titles : mapping of str to str
        What each figure is.
    problems, seed : int
    max_iter : int or None
        None: each solver's own.
    machine : mapping of str to str
        Where and when it was measured, and by which command.
    published : bool
        A published method made one attempt; else every solver did what it does by default.
    uncapped : tuple of str
        Solvers that cannot keep to `max_iter`: plain functions that do not take it.
    """

    rows: tuple[SurveyRow, ...]
    titles: Mapping[str, str]
    problems: int
    seed: int
    max_iter: int | None
    machine: Mapping[str, str]
    published: bool = True
    uncapped: tuple[str, ...] = ()

    def row(self, figure: str, solver: str) -> SurveyRow:
        """Return one row.

        Parameters
        ----------
        figure : str
            Name of the model.
        solver : str
            Label of the solver.

        Returns
        -------
        SurveyRow
            What was counted.

        Raises
        ------
        NotFoundError
            When there is none.
        """
        for row in self.rows:
            if (row.figure, row.solver) == (figure, solver):
                return row
        rows = [f"{row.figure}, {row.solver}" for row in self.rows]
        raise name_not_found("row", f"{figure}, {solver}", rows)

    def __repr__(self) -> str:
        return (
            f"Survey({len(self.titles)} figures, {len(self.rows)} rows, {self.problems} problems "
            f"each, seed {self.seed}; print it for the table)"
        )

    def __str__(self) -> str:
        from handik.study._layout import text_table, wrap

        blocks = [wrap(self.protocol)]
        for figure, title in self.titles.items():
            rows = [row for row in self.rows if row.figure == figure]
            shown = [_cells(row) for row in rows if not row.refused]
            text = [f"{figure}: {title}"]
            if shown:
                text.append(text_table([HEAD], shown))
            text += [
                wrap(f"{row.solver} does not apply: {row.refused}") for row in rows if row.refused
            ]
            blocks.append("\n".join(text))
        return "\n\n".join(blocks)

    @property
    def protocol(self) -> str:
        """How it was made."""
        cap = f"at most {self.max_iter}" if self.max_iter else "each solver's own number of"
        free = f" (no cap for {', '.join(self.uncapped)})" if self.uncapped else ""
        near = f"{TOLERANCE:g} of the reach and {TURN:g} rad" if self.published else "its tolerance"
        return (
            f"{self.problems} problems a figure (seed {self.seed}): targets from random poses "
            f"inside the limits, starts at other random poses, {cap} iterations{free}. Solved: "
            f"every goal met to {near} with every limit kept, as the judge says. Iterations are "
            "not alike between methods; us is the processor's time of a problem in a batch on "
            f"one thread, the least of {PASSES} passes."
        ) + (f" {PLAIN}" if self.published else " Every solver has its default options.")

    def lines(self) -> list[dict[str, Any]]:
        """Return a line for each row, as in the CSV file.

        Returns
        -------
        list of dict
            One for each row, by column.
        """
        return [_line(self, row) for row in self.rows]

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write one line a row.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced.
        """
        from handik.study._csvs import write_lines

        write_lines(path, self.lines())

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write one self-contained HTML page.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced.
        """
        from handik.study._layout import html_table, page

        body = ["<h1>Every solver on every figure</h1>", f"<p>{escape(self.protocol)}</p>"]
        for figure, title in self.titles.items():
            rows = [row for row in self.rows if row.figure == figure]
            body.append(f"<h2>{escape(figure)}: {escape(title)}</h2>")
            body.append(html_table([HEAD], [_cells(row) for row in rows if not row.refused]))
            body += [
                f'<p class="quiet">{escape(row.solver)} does not apply: {escape(row.refused)}</p>'
                for row in rows
                if row.refused
            ]
        body.append("<h2>How it was measured</h2><dl>")
        body += [f"<dt>{escape(k)}</dt><dd>{escape(v)}</dd>" for k, v in self.machine.items()]
        body.append("</dl>")
        with open(path_text("path", path), "w", encoding="utf-8", newline="\n") as file:
            file.write(page("Every solver on every figure", body))

    def _repr_html_(self) -> str:
        """Return a line for each row that was counted, for Jupyter."""
        rows = [(row.figure, *_cells(row)) for row in self.rows if not row.refused]
        return f"<p>{escape(repr(self))}</p>" + html_table([("model", *HEAD)], rows)

    def plot(self, figure: Figure | None = None) -> Figure:
        """Draw the share solved, a row a solver and a column a figure; see `handik.plot.survey`.

        Parameters
        ----------
        figure : Figure, optional
            An empty one; made with pyplot if not given.

        Returns
        -------
        Figure
            With the picture.
        """
        from handik import plot

        return plot.survey(self, figure)


# -- the figures --------------------------------------------------------------------------------


def upper_body() -> Model:
    """Make an upper body: a spine of three balls in cones, two arms, a neck; hands and head.

    Sizes and ranges are round numbers near those of a grown person, not those of any one.

    Returns
    -------
    Model
        Frames ``left_hand``, ``right_hand`` and ``head``.

    Examples
    --------
    >>> from handik.study.surveys import upper_body
    >>> {"left_hand", "right_hand", "head"} <= set(upper_body().frame_names)
    True
    """
    links, joints = [LinkSpec("pelvis")], []
    marks: list[tuple[str, str, Sequence[float]]] = []

    def add(name: str, kind: str, parent: str, at: Sequence[float], **more: Any) -> str:
        place = np.eye(4)
        place[:3, 3] = at
        links.append(LinkSpec(name))
        joints.append(JointSpec(name, kind, parent, name, place, **more))
        return name

    def ball(
        name: str, parent: str, at: Sequence[float], axis: Any, half: Any, twist: float
    ) -> str:
        side = (1.0, 0.0, 0.0)
        cone = Cone(tuple(h * DEG for h in half), (-twist * DEG, twist * DEG))
        return add(name, "ball", parent, at, axis=axis, axis2=side, cone=cone)

    def hinge(
        name: str, parent: str, at: Sequence[float], axis: Any, low: float, high: float
    ) -> str:
        return add(name, "revolute", parent, at, axis=axis, lower=low * DEG, upper=high * DEG)

    up = (0.0, 0.0, 1.0)
    link = "pelvis"
    for k, at in enumerate((0.1, 0.15, 0.15)):
        link = ball(f"spine_{k + 1}", link, (0, 0, at), up, (20, 15, 10, 15), 15)
    chest = link
    head = ball("neck", chest, (0, 0, 0.2), up, (40, 35, 40, 35), 60)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        out = (0.0, sign, 0.0)
        arm = ball(f"{side}_shoulder", chest, (0, sign * 0.2, 0.12), out, (110, 90, 40, 60), 80)
        arm = hinge(f"{side}_elbow", arm, (0, sign * 0.3, 0), (0, 0, -sign), 0, 145)
        arm = hinge(f"{side}_forearm", arm, (0, 0, 0), out, -85, 85)
        arm = hinge(f"{side}_wrist_flexion", arm, (0, sign * 0.26, 0), (1, 0, 0), -70, 70)
        arm = hinge(f"{side}_wrist_deviation", arm, (0, 0, 0), up, -25, 35)
        marks.append((f"{side}_hand", arm, (0, sign * 0.1, 0)))
    marks.append(("head", head, (0, 0, 0.15)))
    frames = []
    for name, carrier, point in marks:
        place = np.eye(4)
        place[:3, 3] = point
        frames.append(FrameSpec(name, carrier, place))
    return Model(ModelSpec("upper body", links, joints, frames))


def _tip(kind: type[Position] | type[Pose]) -> Callable[[Model], list[Any]]:
    def terms(model: Model) -> list[Any]:
        return [kind(position_tolerance=TOLERANCE * model.max_reach, orientation_tolerance=TURN)]

    return terms


def _hands(model: Model) -> list[Any]:
    near = TOLERANCE * model.max_reach
    return [Position(frame=f"{side}_hand", position_tolerance=near) for side in ("left", "right")]


#: Name to title, model and goals.
FIGURES: Mapping[str, tuple[str, Callable[[], Model], Callable[[Model], list[Any]]]] = {
    "planar9": ("nine hinges of one plane, position", lambda: data("planar9"), _tip(Position)),
    "ball10": ("ten free balls, position", lambda: data("ball10"), _tip(Position)),
    "chain100": (
        "100 hinges of one plane, each within 90 deg, position",
        lambda: chain(np.full(100, 0.01), lower=-pi / 2, upper=pi / 2, name="chain100"),
        _tip(Position),
    ),
    "puma560": ("robot arm of six hinges with limits, pose", lambda: data("puma560"), _tip(Pose)),
    "upper_body": ("two hands, spine and shoulders in cones, positions", upper_body, _hands),
}


# -- the work -----------------------------------------------------------------------------------


def survey(
    figures: Iterable[str] | Mapping[str, Problem] | None = None,
    *,
    solvers: Iterable[str] | None = None,
    problems: int = 100,
    seed: int = 0,
    max_iter: int | None = 300,
    published: bool = True,
    progress: Progress | None = None,
) -> Survey:
    """Let solvers loose on figures, and count.

    Parameters
    ----------
    figures : names, or mapping of str to Problem, optional
        Of `FIGURES`, one or several, all if not given; or problems of positions or poses on models
        of your own.
    solvers : names, optional
        Of `handik.solvers`; all if not given.
    problems : int
        A figure.
    seed : int
        Of targets, starts and solvers.
    max_iter : int or None
        Of every solver; None: each its own.
    published : bool
        A published method makes one attempt (`SolverInfo.plain`); False: every solver as it is by
        default.
    progress : callable, optional
        Called as ``progress(what, done, total)``.

    Returns
    -------
    Survey

    Raises
    ------
    NotFoundError
        No such figure or solver.
    UnsupportedError
        For problems with other terms than positions and poses.
    ArgumentError
        When `problems` or `max_iter` is below 1, or there is no figure or no solver.

    Examples
    --------
    >>> import handik as hk
    >>> hk.study.survey(["ball10"], solvers=["fabrik"], problems=20).row("ball10", "fabrik").solved
    1.0
    """
    problems, seed = whole_number("problems", problems), whole_number("seed", seed, 2**63 - 1)
    max_iter = None if max_iter is None else whole_number("max_iter", max_iter)
    if problems < 1 or (max_iter is not None and max_iter < 1):
        raise ArgumentError(f"problems and max_iter must be 1 or more, got {problems}, {max_iter}")
    chosen = _chosen(figures)
    solvers = (solvers,) if isinstance(solvers, str) else solvers
    labels = _all_solvers() if solvers is None else list_of("solvers", solvers)
    if not chosen or not labels:
        raise ArgumentError("name at least one figure and one solver")
    steps = Steps(progress, len(chosen) * len(labels))
    uncapped = _uncapped(labels) if max_iter else ()
    rows = []
    for name, (_, make) in chosen.items():
        problem, targets, starts = _work(make(), problems, seed)
        for label in labels:
            cap = None if label in uncapped else max_iter
            settings: dict[str, Any] = {"seed": seed, "max_iter": cap}
            solver = plain(label, **settings) if published else Solver(label, **settings)
            rows.append(_row(name, label, solver, problem, targets, starts))
            steps.part(f"{name}, {label}")()
    from handik.study._conditions import conditions

    titles = {name: title for name, (title, _) in chosen.items()}
    return Survey(tuple(rows), titles, problems, seed, max_iter, conditions(), published, uncapped)


def _uncapped(labels: Iterable[str]) -> tuple[str, ...]:
    """Return the solvers that cannot keep to a cap: plain functions that do not take one."""
    named = list(labels)
    return tuple(name for name, own in KNOWN.items() if name in named and not own.keeps_cap)


def _chosen(
    figures: Iterable[str] | Mapping[str, Problem] | None,
) -> dict[str, tuple[str, Callable[[], Problem]]]:
    """Return titles, and what makes the problems, by the names of the figures."""
    if isinstance(figures, Mapping):
        return {
            name: (
                _title(of_class(f"figures[{name!r}]", problem, Problem)),
                partial(_same, problem),
            )
            for name, problem in figures.items()
        }
    if isinstance(figures, str):
        figures = (figures,)
    made: dict[str, tuple[str, Callable[[], Problem]]] = {}
    for name in FIGURES if figures is None else list_of("figures", figures):
        known_name("figure", name, FIGURES)
        made[name] = (FIGURES[name][0], partial(_problem, name))
    return made


def _title(problem: Problem) -> str:
    goals = ", ".join(type(term).__name__.lower() for term in problem.terms)
    return f"{problem.model.nq} coordinates, {goals}"


def _same(problem: Problem) -> Problem:
    return problem


def _problem(name: str) -> Problem:
    _, make, goals = FIGURES[name]
    model = make()
    return Problem(model, goals(model))


def _all_solvers() -> list[str]:
    return [info.name for info in solvers()]


def _work(problem: Problem, count: int, seed: int) -> tuple[Problem, Array, Array]:
    model = problem.model
    other = [term for term in problem.terms if not isinstance(term, Position | Pose)]
    if other:
        raise UnsupportedError(
            f"a survey draws its targets for Position() and Pose() alone, not for {other[0]}"
        )
    poses = model.sample(count, seed=seed + 1)
    from handik._core import pose_columns

    parts = [
        pose_columns(model.fk(poses, frame=term.frame or model.tip))[:, : len(term.columns)]
        for term in problem.terms
    ]
    return problem, np.concatenate(parts, axis=1), model.sample(count, seed=seed + 2)


def _row(
    figure: str,
    label: str,
    solver: Solver,
    problem: Problem,
    targets: Array,
    starts: Array,
) -> SurveyRow:
    try:
        solver(problem, targets[:1], q0=starts[:1])  # what it prepares once is not timed
    except UnsupportedError as error:
        return SurveyRow(figure, label, " ".join(str(error).split()))
    seconds = []
    for _ in range(PASSES):
        began = process_time()
        found = solver(problem, targets, q0=starts)
        seconds.append(process_time() - began)
        if seconds[0] > 5.0:  # no need to be exact about what is slow
            break
    met = np.asarray(found.converged)
    steps, left = np.asarray(found.iterations)[met], np.asarray(found.position_error)[~met]
    return SurveyRow(
        figure,
        label,
        "",
        float(met.mean()),
        float(np.median(steps)) if steps.size else None,
        float(np.percentile(steps, 95)) if steps.size else None,
        float(np.median(left)) / problem.model.max_reach if left.size else None,
        min(seconds) / len(targets),
        counts(found.outcome),
    )


# -- what is shown ------------------------------------------------------------------------------

HEAD = ("solver", "solved %", "iterations", "95 % within", "left / reach", "us", "the others")


def _cells(row: SurveyRow) -> tuple[str, ...]:
    from handik.study._layout import percent

    def plain(value: float | None, form: str) -> str:
        return "" if value is None else format(value, form)

    rest = {k: n for k, n in (row.outcomes or {}).items() if k != "converged"}
    return (
        row.solver,
        "" if row.solved is None else percent(row.solved),
        plain(row.iterations, ".4g"),
        plain(row.most, ".4g"),
        plain(row.error, ".1e"),
        plain(None if row.seconds is None else 1e6 * row.seconds, ".3g"),
        ", ".join(f"{n} {word}" for word, n in rest.items()),
    )


def _line(survey: Survey, row: SurveyRow) -> dict[str, Any]:
    def number(value: float | None) -> str:
        return "" if value is None else repr(value)

    return {
        "figure": row.figure,
        "solver": row.solver,
        "problems": survey.problems,
        "seed": survey.seed,
        "max_iter": survey.max_iter,
        "solved_share": number(row.solved),
        "iterations_median": number(row.iterations),
        "iterations_p95": number(row.most),
        "error_left_share": number(row.error),
        "seconds_per_problem": number(row.seconds),
        "refused": row.refused,
    }
