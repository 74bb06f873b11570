"""The HandiAccess/FABRIK thesis's second experiment (3.4.2): FABRIK and CCD on an avatar.

The thesis shows one target each and says that the final postures are alike but for the wrist, which
is more correct with FABRIK. Its avatar is not known here. Measured is what can be: how far a wrist
is bent off its rest, over many targets, on `upper_body` or on a person. The thesis leaves limits
and several chains to the future.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import product
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik._model import Model
from handik.errors import ArgumentError, name_not_found
from handik.problem import Problem
from handik.problem.terms import Position, Posture
from handik.result import Result
from handik.solve import Solver
from handik.solve import solvers as known_solvers
from handik.solve.track import track
from handik.spec._given import is_model, list_of, path_text, text, whole_number
from handik.study._conditions import conditions
from handik.study._protocol import Progress, Steps, named, refusals
from handik.study.surveys import upper_body

if TYPE_CHECKING:
    from handik.people.human import Human

__all__ = ["CHAINS", "PERSON_CHAINS", "AvatarRow", "AvatarStudy", "avatar_experiment"]

Array = NDArray[np.float64]

#: Frames that are given targets together: one chain, two and three.
CHAINS = (("right_hand",), ("left_hand", "right_hand"), ("left_hand", "right_hand", "head"))
#: The same on a person, whose head is given by its top.
PERSON_CHAINS = (
    ("grip_right",),
    ("grip_left", "grip_right"),
    ("grip_left", "grip_right", "vertex"),
)
#: Share of the reach within which a target is met.
TOLERANCE = 1e-3
#: An answer that clipping moves by more than this lies outside the limits, radians.
_OUTSIDE = 1e-9


@dataclass(frozen=True, slots=True)
class _Names:
    """What a body calls its chains, and the hand and the two hinges of a side."""

    chains: tuple[tuple[str, ...], ...]
    hand: str
    elbow: str
    wrist: str

    def sides(self, chains: tuple[str, ...]) -> list[str]:
        return [side for side in _SIDES if self.hand.format(side) in chains]


_SIDES = ("left", "right")
_NAMES = (
    _Names(CHAINS, "{}_hand", "{}_elbow", "{}_wrist_flexion"),
    _Names(PERSON_CHAINS, "grip_{}", "elbow_flexion_{}", "wrist_flexion_{}"),
)


@dataclass(frozen=True, slots=True, eq=False)
class AvatarRow:
    """One solver on targets of one kind.

    Attributes
    ----------
    label : str
        The solver, or ``"track"``.
    limits : bool
        Whether the joints had their limits.
    chains : tuple of str
        The frames that were given targets.
    q : ndarray, shape (n, nq)
        The answers, solved or not.
    solved : float
        Share that converged.
    iterations : float
        Median; of ``"track"`` those of a whole way.
    wrist, elbow : ndarray, shape (n, hands)
        How far the wrist is bent off its rest by flexion, and the elbow, radians, of each hand
        that has a target.
    inside : float
        Share of the answers inside the limits of the joints, whether the solver knew them or not.
    """

    label: str
    limits: bool
    chains: tuple[str, ...]
    q: Array
    solved: float
    iterations: float
    wrist: Array
    elbow: Array
    inside: float


@dataclass(frozen=True, slots=True, eq=False)
class AvatarStudy:
    """FABRIK and CCD on an avatar; print it for the tables.

    Attributes
    ----------
    model : Model
    rows : tuple of AvatarRow
    targets, seed : int
    refused : mapping of str to str
        Solvers that cannot take several chains, or where all were asked for one, and why.
    machine : mapping of str to str
        Where and when it was measured, and by which command.
    """

    model: Model
    rows: tuple[AvatarRow, ...]
    targets: int
    seed: int
    refused: Mapping[str, str] = field(default_factory=dict)
    machine: Mapping[str, str] = field(default_factory=dict)

    def row(
        self, label: str, *, limits: bool = True, chains: tuple[str, ...] | None = None
    ) -> AvatarRow:
        """Return one row.

        Parameters
        ----------
        label : str
            The solver.
        limits : bool
            With limits or without.
        chains : tuple of str, optional
            One of the body's, `CHAINS` or `PERSON_CHAINS`; one hand if not given.

        Returns
        -------
        AvatarRow
            What was measured.

        Raises
        ------
        NotFoundError
            When there is none.
        """
        chains = self.rows[0].chains if chains is None and self.rows else chains or ()
        for row in self.rows:
            if (row.label, row.limits, row.chains) == (label, limits, chains):
                return row
        rows = [_called(row.label, row.limits, row.chains) for row in self.rows]
        raise name_not_found("row", _called(label, limits, chains), rows)

    def __repr__(self) -> str:
        return (
            f"AvatarStudy({self.model.name!r}: {len(self.rows)} rows, {self.targets} targets each, "
            f"seed {self.seed}; print it for the tables)"
        )

    def __str__(self) -> str:
        from handik.study._avatar_report import avatar_text

        return avatar_text(self)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write a CSV file with a line for each row.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced.
        """
        from handik.study._avatar_report import avatar_lines
        from handik.study._csvs import write_lines

        write_lines(path, (line | dict(self.machine) for line in avatar_lines(self)))

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write one self-contained HTML page, with a picture where matplotlib is installed.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced.
        """
        from handik.study._avatar_report import avatar_html

        with open(path_text("path", path), "w", encoding="utf-8", newline="\n") as file:
            file.write(avatar_html(self))


def avatar_experiment(
    targets: int = 500,
    seed: int = 0,
    *,
    model: Model | Human | None = None,
    solvers: Iterable[str] | Mapping[str, Solver] = ("fabrik", "fabrik_fast", "ccd", "auto"),
    postured: Iterable[str] = ("auto",),
    steps: int = 20,
    progress: Progress | None = None,
) -> AvatarStudy:
    """Let an avatar's hands reach from rest, and measure how its wrists are bent.

    Every solver gets the same targets, places of the frames in random poses inside the limits,
    with limits and without, for one hand, for both, and for both and the head.

    Parameters
    ----------
    targets : int
        How many of each kind.
    seed : int
        Of the random poses.
    model : Model or Human, optional
        `upper_body` if not given; or a person, who starts in the posture of rest. Another model
        must have the frames of `CHAINS` and, for each side, hinges ``left_elbow`` and
        ``left_wrist_flexion``, or a person's names: `PERSON_CHAINS`, ``elbow_flexion_left`` and
        ``wrist_flexion_left``.
    solvers, progress
        As in `compare`; ``"all"``: every solver that can take an avatar's hand.
    postured : names
        Those of the solvers that are also run with a soft `Posture` term, which asks for the rest
        where the hands leave it free.
    steps : int
        ``"track"`` leads the frames from rest to their targets in a straight line of so many
        points, which `Model.track` follows; the last pose counts. 0: it is left out.

    Returns
    -------
    AvatarStudy

    Raises
    ------
    ArgumentError
        When `targets` is not positive, a joint that is measured is no hinge, or a solver is called
        as the row of `Model.track` is.
    NotFoundError
        When the model has no such joint or frame, there is no such solver, or one of `postured` is
        none of the solvers.
    UnsupportedError
        When a solver cannot take one chain.

    References
    ----------
    HandiAccess/FABRIK thesis, section 3.4.2.

    Examples
    --------
    >>> import handik as hk
    >>> study = hk.study.avatar_experiment(20, solvers=["fabrik", "ccd"], postured=())
    >>> fabrik, ccd = (abs(study.row(name).wrist).mean() for name in ("fabrik", "ccd"))
    >>> bool(fabrik < ccd)
    True

    A person, of whom nothing else has to be said:

    >>> study = hk.study.avatar_experiment(20, model=hk.human(), solvers=["auto"], steps=0)
    >>> study.row("auto").chains
    ('grip_right',)
    """
    targets, seed = whole_number("targets", targets), whole_number("seed", seed, 2**63 - 1)
    if targets < 1:
        raise ArgumentError(f"targets must be 1 or more, got {targets}")
    body, rest = _body(model)
    steps = whole_number("steps", steps)
    everyone = isinstance(solvers, str) and solvers == "all"
    by_label = named([info.name for info in known_solvers()] if everyone else solvers)
    if steps > 0 and "track" in by_label:
        raise ArgumentError("a solver that is called 'track' takes steps=0")
    extra = _postured(postured, by_label)
    free = without_limits(body)
    work = _Work(body, rest, targets, seed)
    runs = [(label, solver, False) for label, solver in by_label.items()]
    runs += [(label, by_label[label], True) for label in extra]
    report = Steps(progress, len(work.names.chains) * 2 * (len(runs) + (steps > 0)))
    rows: list[AvatarRow] = []
    refused: dict[str, str] = {}
    for chains, limits in product(work.names.chains, (True, False)):
        of = f"{len(chains)} of {len(work.names.chains)} chains"
        for label, solver, posture in runs:
            tick = report.part(f"{label}, {of}")
            problem = work.problem(body if limits else free, chains, posture=posture)
            shown = f"{label}, posture" if posture else label
            why = refusals(
                problem, work.goals(chains)[:1], {shown: solver}, skip=everyone or len(chains) > 1
            )
            refused |= why
            if not why:
                found = solver(problem, work.goals(chains), q0=work.starts)
                rows.append(work.row(shown, found, chains, limits=limits))
            tick()
        if steps > 0:
            problem = work.problem(body if limits else free, chains, posture=False)
            ways = work.track(problem, chains, steps)
            rows.append(work.row("track", ways, chains, limits=limits))
            report.part(f"track, {of}")()
    return AvatarStudy(body, tuple(rows), targets, seed, refused, conditions())


def without_limits(model: Model) -> Model:
    """Return the same model, every joint of which moves freely.

    Parameters
    ----------
    model : Model

    Returns
    -------
    Model

    Examples
    --------
    >>> from handik.study.avatar import without_limits
    >>> from handik.study import upper_body
    >>> bool(without_limits(upper_body()).ball_limits)
    False
    """
    is_model(model)
    spec = model.spec.copy()
    for joint in spec.joints:
        joint.cone = None
        if joint.kind != "ball" and joint.nq and joint.mimic is None:  # a follower has none
            joint.lower, joint.upper = [-inf] * joint.nq, [inf] * joint.nq
    return type(model)(spec)


def _body(model: Model | Human | None) -> tuple[Model, Array]:
    """Return the model, and where it starts."""
    from handik.people.human import Human

    if isinstance(model, Human):
        return model.model, model.rest
    body = upper_body() if model is None else model
    is_model(body)
    return body, body.rest


def _postured(postured: Iterable[str], by_label: Mapping[str, Any]) -> list[str]:
    """Return the names of the solvers that are also run with a posture, each once."""
    names = [postured] if isinstance(postured, str) else list_of("postured", postured)
    extra = list(dict.fromkeys(text("postured", label) for label in names))
    for label in extra:
        if label not in by_label:
            raise name_not_found("solver to give a posture", label, by_label)
    return extra


def _called(label: str, limits: bool, chains: tuple[str, ...]) -> str:
    return f"{label}, {'with' if limits else 'without'} limits, {' + '.join(chains)}"


@dataclass(frozen=True, slots=True)
class _Found:
    """The last poses of ways that were followed."""

    q: Array
    converged: NDArray[np.bool_]
    iterations: NDArray[np.int32]


class _Work:
    """Targets and starts, the same for every solver."""

    def __init__(self, model: Model, rest: Array, count: int, seed: int) -> None:
        self.model, self.rest, self.count = model, rest, count
        known = [names for names in _NAMES if set(names.chains[-1]) <= set(model.frame_names)]
        self.names = (known or _NAMES)[0]
        self.slices: dict[str, int] = {}
        for side, joint in product(_SIDES, (self.names.elbow, self.names.wrist)):
            name = joint.format(side)
            if name not in model.joint_q_slices:
                raise name_not_found("joint", name, model.joint_names)
            kind = model.joint_kinds[model.joint_names.index(name)]
            if kind != "revolute":
                raise ArgumentError(f"joint {name!r} must be revolute: it is {kind}")
            self.slices[name] = model.joint_q_slices[name].start
        poses = model.sample(count, seed=seed + 1)
        frames = self.names.chains[-1]
        self.places = {frame: self._place(poses, frame) for frame in frames}
        self.begin = {frame: self._place(rest, frame) for frame in frames}
        self.starts: Array = np.broadcast_to(rest, (count, model.nq))

    def _place(self, q: Array, frame: str) -> Array:
        return np.asarray(self.model.fk(q, frame=frame))[..., :3, 3]

    def problem(self, model: Model, chains: tuple[str, ...], *, posture: bool) -> Problem:
        near = TOLERANCE * self.model.max_reach
        terms: list[Any] = [Position(frame=frame, position_tolerance=near) for frame in chains]
        return Problem(model, [*terms, Posture(target=self.rest)] if posture else terms)

    def goals(self, chains: tuple[str, ...]) -> Array:
        return np.concatenate([self.places[frame] for frame in chains], axis=1)

    def track(self, problem: Problem, chains: tuple[str, ...], steps: int) -> _Found:
        """Lead the frames to their targets, all along straight lines of equal times."""
        begin = np.concatenate([self.begin[frame] for frame in chains])
        share = np.arange(1, steps + 1)[:, None] / steps
        path = begin + share * (self.goals(chains)[:, None] - begin)
        found = track(problem.model, problem=problem, targets=path, q0=self.starts)
        met, work = np.asarray(found.converged), np.asarray(found.iterations)
        return _Found(np.asarray(found.q)[:, -1], met[:, -1], work.sum(axis=1))

    def row(
        self, label: str, found: Result | _Found, chains: tuple[str, ...], *, limits: bool
    ) -> AvatarRow:
        q = np.asarray(found.q)
        sides = self.names.sides(chains)
        off = np.abs(q - self.rest)
        outside = np.abs(self.model.difference(q, self.model.clip(q))).max(axis=1)
        return AvatarRow(
            label,
            limits,
            chains,
            q,
            float(np.mean(found.converged)),
            float(np.median(found.iterations)),
            off[:, [self.slices[self.names.wrist.format(side)] for side in sides]],
            off[:, [self.slices[self.names.elbow.format(side)] for side in sides]],
            float(np.mean(outside <= _OUTSIDE)),
        )
