"""RULA, REBA and LUBA of a person's postures, lowered over what a goal leaves.

They are steps, which no gradient goes down. What is gone down is how far the angles are beyond the
bands that are wished for, which is smooth; what is compared and returned is the exact score.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import inf, radians
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.model import Model
from handik.people._least import least
from handik.people._luba import LubaScore, bands_of, luba
from handik.people._of_posture import (
    END_OF_TWIST,
    NOTICED,
    OUT,
    clinical_angles,
    noticed_from,
    reba_of,
    rula_of,
)
from handik.people.discomfort import JointDisplacement, published_weights
from handik.people.human import Human
from handik.people.posture_scores import PostureScore, reba, rula, sheet
from handik.problem import Problem
from handik.solve import Solver
from handik.spec._given import choice, of_class, points_of, reals

__all__ = ["Rating"]

Array = NDArray[np.float64]
#: Angle -> lower and upper end, radians (meters for where the hand is).
Bands = dict[str, tuple[float, float]]

_METHODS = ("rula", "reba", "luba")
#: Angle as `clinical_angles` has it -> name of its bands on the sheets.
_SHEET = {"upper_arm": "upper_arm", "elbow": "lower_arm", "wrist": "wrist", "neck": "neck"}
_SHEET |= {"trunk": "trunk", "knee": "knee"}
#: Bands that are of the size of an angle.
_SIZES = {"rula": ("wrist", "trunk"), "reba": ("wrist",)}
_TICKED = ("trunk_bend", "trunk_twist", "neck_bend", "neck_twist", "wrist_deviation")
#: Motions of LUBA's wrist: angle -> those of its positive and its negative side.
_WRIST = {
    "wrist": ("wrist flexion", "wrist extension"),
    "wrist_deviation": ("wrist ulnar deviation", "wrist radial deviation"),
}


class Rating:
    """RULA, REBA or LUBA of a person's postures: a score to read, and one to lower.

    Parameters
    ----------
    person : Human
    method : {"rula", "reba", "luba"}
        LUBA is that of the wrist alone, the one joint whose table could be read.
    noticed : float
        As in `rula_of`.
    **observed
        What a figure does not show: the keywords of `rula` or `reba`; LUBA has none.

    Attributes
    ----------
    person : Human
    method : str
    observed : dict

    Raises
    ------
    ArgumentError
        When the method is another word, or as `rula` and `reba`.
    TypeError
        When `person` is no Human, or a keyword is none of the method's.

    Examples
    --------
    >>> import handik as hk
    >>> anna = hk.human(sex="female")
    >>> by = hk.people.Rating(anna, "rula", load=3)
    >>> by
    Rating(RULA of a female, load=3)
    >>> by.rate(anna.rest).score
    3
    """

    def __init__(
        self, person: Human, method: str = "rula", *, noticed: float = NOTICED, **observed: Any
    ) -> None:
        of_class("person", person, Human)
        self.person, self.method = person, choice("method", method, _METHODS)
        self._line = noticed_from(noticed)
        if method == "luba" and observed:
            raise TypeError(f"LUBA has no keyword {next(iter(observed))!r}")
        self.observed = observed
        self._rows = {} if method == "luba" else sheet(method, observed.get("path"))[0]
        self._best = self._least_there_is()
        self._beside: dict[str, float] = {}

    def __repr__(self) -> str:
        seen = "".join(f", {name}={value!r}" for name, value in self.observed.items())
        return f"Rating({self.method.upper()} of a {self.person.dimensions.sex}{seen})"

    def rate(self, q: ArrayLike, side: str = "right") -> PostureScore | LubaScore:
        """Rate postures: `rula_of`, `reba_of`, or `luba` of the wrist.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Postures of the person's model; for LUBA one.
        side : {"right", "left"}

        Returns
        -------
        PostureScore or LubaScore

        Raises
        ------
        ArgumentError, NotFoundError
            As `rula_of`.
        """
        if self.method == "luba":
            angle = clinical_angles(self.person, q, side)
            if np.ndim(angle["wrist"]):
                raise ArgumentError("LUBA names the motions of one posture: give one at a time")
            given = {}
            for name, (ahead, back) in _WRIST.items():
                given[ahead if angle[name] >= 0 else back] = abs(angle[name])
            return luba(given)
        of = rula_of if self.method == "rula" else reba_of
        return of(self.person, q, side, noticed=self._line, **self.observed)

    def score(self, q: ArrayLike, side: str = "right") -> Any:
        """Return the exact score of postures.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Postures of the person's model.
        side : {"right", "left"}

        Returns
        -------
        float or ndarray, shape (...)

        Raises
        ------
        ArgumentError, NotFoundError
            As `rula_of`.
        """
        if self.method != "luba":
            found = np.asarray(self.rate(q, side).score, float)
        else:
            angle = clinical_angles(self.person, q, side)
            found = np.zeros(np.shape(angle["wrist"]))
            for name, (ahead, back) in _WRIST.items():
                x = np.asarray(angle[name])
                up, down = (
                    luba({m: np.maximum(s * x, 0.0)}).score for m, s in ((ahead, 1), (back, -1))
                )
                found = found + np.where(x >= 0, up, down)
        return float(found) if found.ndim == 0 else found

    def excess(self, q: ArrayLike, side: str = "right") -> Any:
        """Return how far postures are beyond all that the method rates least: smooth, unlike it.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Postures of the person's model.
        side : {"right", "left"}

        Returns
        -------
        float or ndarray, shape (...)
            Sum of squares, radians, and of where the hand is meters; 0 where every sub-score that
            depends on the posture is least.

        Raises
        ------
        ArgumentError, NotFoundError
            As `clinical_angles`.
        """
        choice("side", side, ("right", "left"))
        return self._beyond(q, side, self._bands(side, {}))

    def lower(
        self,
        problem: Problem,
        targets: ArrayLike,
        q0: ArrayLike,
        *,
        side: str = "right",
    ) -> Array:
        """Lower the exact score without giving up a goal that is met.

        Parameters
        ----------
        problem : Problem
            The goal, of the person's model or of one of the same joints, some locked.
        targets : array_like, shape (width,)
            Of the goal.
        q0 : array_like, shape (nq,)
            A posture that meets the goal.
        side : {"right", "left"}

        Returns
        -------
        ndarray, shape (nq,)
            A posture that meets the goal, whose score is no larger than that of q0; among those
            found of the least score that of least joint displacement.

        Raises
        ------
        ArgumentError
            When q0 does not meet the goal, or the goal's model has other joints than the person.
        TypeError
            When `problem` is no Problem.

        Notes
        -----
        A search: what it finds has that score, that there is no better one it does not prove. From
        q0 and from neutral, the trunk with the neck and the wrist are held in neutral (both, one,
        none), for a sheet's "0 degrees" is met by no descent, and the rest goes down `excess`. From
        the best posture each angle is then led into its next better band, the others kept in
        theirs.
        """
        of_class("problem", problem, Problem)
        choice("side", side, ("right", "left"))
        if problem.model.joint_q_slices != self.person.model.joint_q_slices:
            raise ArgumentError("the problem must be of the person's model, locked or not")
        search = _Search(self, problem, reals(targets, "targets", (problem.width,)), side)
        q = points_of(q0, "q0", (problem.model.nq,))
        if not search.met(q):
            raise ArgumentError("q0 does not meet the goal: solve it first")
        return search.run(q)

    def _least_there_is(self) -> float:
        """Return the score where the posture adds nothing."""
        if self.observed.get("path") is not None:
            return -inf
        if self.method == "luba":
            return sum(min(v for _, _, v in bands_of(pair[0])) for pair in _WRIST.values())
        easy = {"upper_arm": 0.0, "elbow": radians(80)}
        if self.method == "rula":
            found = rula(**(easy | self.observed)).score
        else:
            sits = {"sitting": self.person.position == "seated"}
            found = reba(**(easy | sits | self.observed)).score
        if np.ndim(found):
            raise ArgumentError("what is observed must be of one posture, not of many")
        return float(found)

    def _bands(self, side: str, at_most: Mapping[str, float]) -> Bands:
        """Return the bands that are wished for: of an angle named the scores up to that value."""
        found: Bands = {}
        if self.method == "luba":
            for name, pair in _WRIST.items():
                high, low = (_reach(bands_of(motion), at_most.get(name)) for motion in pair)
                found[name] = (-low, high)
            return found
        rows = self._rows
        for name, key in _SHEET.items():
            if key in rows and not (name == "knee" and self._sits()):
                low, high = _between(rows[key], at_most.get(name))
                if key in _SIZES[self.method]:
                    low = -high
                found[name] = (low, high)
        found |= dict.fromkeys(_TICKED, (-self._line, self._line))
        if side not in self._beside:
            self._beside[side] = clinical_angles(self.person, self.person.rest, side)["abduction"]
        found["abduction"] = (-inf, max(self._beside[side], 0.0) + self._line)
        model = self.person.model
        at = model.joint_q_slices[f"forearm_pronation_{side}"].start
        found["forearm_twist"] = (
            END_OF_TWIST * float(model.lower[at]),
            END_OF_TWIST * float(model.upper[at]),
        )
        if self.method == "rula":
            found |= {"across": (-inf, 0.0), "out": (-inf, OUT)}
        return found

    def _values(self, name: str) -> set[float]:
        """Return what the bands of an angle are worth."""
        if self.method == "luba":
            return {row[2] for motion in _WRIST[name] for row in bands_of(motion)}
        return {row[2] for row in self._rows[_SHEET[name]]}

    def _sits(self) -> bool:
        return bool(np.all(self.observed.get("sitting", self.person.position == "seated")))

    def _now(self, q: Array, side: str) -> dict[str, float]:
        """Return the score of the band that each angle of a posture is in."""
        angle = clinical_angles(self.person, q, side)
        if self.method == "luba":
            return {
                name: float(luba({pair[0 if angle[name] >= 0 else 1]: abs(angle[name])}).score)
                for name, pair in _WRIST.items()
            }
        rows = self._rows
        found = {}
        for name in self._bands(side, {}):
            if name in _SHEET:
                size = _SHEET[name] in _SIZES[self.method]
                x = np.degrees(abs(angle[name]) if size else angle[name])
                found[name] = min(v for a, b, v in rows[_SHEET[name]] if a - 1e-9 <= x <= b + 1e-9)
        return found

    def _beyond(self, q: ArrayLike, side: str, bands: Bands) -> Any:
        angle = clinical_angles(self.person, q, side)
        found: Any = 0.0
        for name, (low, high) in bands.items():
            x = np.asarray(angle[name])
            found = found + np.maximum(x - high, 0.0) ** 2 + np.maximum(low - x, 0.0) ** 2
        return float(found) if np.ndim(found) == 0 else found


def _between(rows: list[list[float]], at_most: float | None) -> tuple[float, float]:
    """Return the ends of the bands of that score or less, radians; of the least if not given."""
    most = min(row[2] for row in rows) if at_most is None else at_most
    kept = [row for row in rows if row[2] <= most]
    return radians(min(row[0] for row in kept)), radians(max(row[1] for row in kept))


def _reach(rows: list[tuple[float, float, float]], at_most: float | None) -> float:
    return _between([list(row) for row in rows], at_most)[1]


class _Kept:
    """Displacement of postures that are rated no worse."""

    def __init__(self, what: JointDisplacement, score: Callable[[Array], Any], most: float) -> None:
        self._what, self._score, self._most = what, score, most

    def score(self, q: Array) -> Any:
        worse = np.asarray(self._score(q)) > self._most
        return np.where(worse, inf, self._what.score(q))

    def gradient(self, q: Array) -> Array:
        return self._what.gradient(q)


class _Search:
    def __init__(self, by: Rating, problem: Problem, rows: Array, side: str) -> None:
        self.by, self.problem, self.rows, self.side = by, problem, rows, side
        self.what = JointDisplacement(by.person.model)

    def rank(self, q: Array) -> tuple[float, float]:
        return self.by.score(q, self.side), float(self.what.score(q))

    def met(self, q: Array) -> bool:
        return bool(self.problem.evaluate(self.rows, q).met.all())

    def run(self, q0: Array) -> Array:
        best, rank = q0, self.rank(q0)
        for q in self.candidates(q0):
            own = self.rank(q)
            if own < rank:
                best, rank = q, own
            if rank[0] <= self.by._best:
                break
        while rank[0] > self.by._best:
            better = self.next_band(best, rank[0])
            if better is None:
                break
            best, rank = better, self.rank(better)
        kept = _Kept(self.what, lambda q: self.by.score(q, self.side), rank[0])
        return least(self.problem, self.rows, kept, best, max_iter=30)

    def starts(self, q0: Array) -> tuple[Array, ...]:
        return q0, self.what.neutral

    def candidates(self, q0: Array) -> Iterator[Array]:
        wished = self.by._bands(self.side, {})
        for held in self.held():
            goal = Problem(held, self.problem.terms)
            both = Problem(held, [*self.problem.terms, self.what.term()])
            for start in self.starts(q0):
                answer = Solver()(both, self.rows, held.clip(start))
                if answer.converged and goal.evaluate(self.rows, answer.q).met.all():
                    q = self.down(goal, wished, answer.q)
                    if self.met(q):  # of the other model, to the last digit
                        yield q

    def held(self) -> Iterator[Model]:
        """Yield the goal's model with trunk, neck and wrist in neutral, one of these, none."""
        model, neutral = self.problem.model, self.what.neutral
        weights = published_weights(self.by.person.model)
        trunk = [name for name, weight in weights.items() if weight > 1.0 or name == "root"]
        wrist = [f"wrist_{motion}_{self.side}" for motion in ("flexion", "deviation")]
        for names in ([*trunk, *wrist], trunk, wrist, []):
            lock = {}
            for name in names:
                at = model.joint_q_slices.get(name)
                if at is not None and not (model.lower[at] == model.upper[at]).all():
                    lock[name] = neutral[at] if at.stop - at.start > 1 else float(neutral[at][0])
            yield model.locked(lock)

    def down(self, goal: Problem, wished: Bands, q: Array) -> Array:
        return least(
            goal, self.rows, lambda x: self.by._beyond(x, self.side, wished), q, max_iter=25
        )

    def next_band(self, q: Array, score: float) -> Array | None:
        """Return a posture of a better score with one angle in its next better band."""
        now = self.by._now(q, self.side)
        for name, value in now.items():
            better = [own for own in self.by._values(name) if own < value]
            if not better:
                continue
            wished = self.by._bands(self.side, now | {name: max(better)})
            found = self.down(self.problem, wished, q)
            if self.by.score(found, self.side) < score:
                return found
        return None
