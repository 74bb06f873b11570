"""The same people asked of one case after another, as of a handle at several heights."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.people import Population
from handik.people._interval import level_of
from handik.scene import Scene
from handik.scene.access._causes import Found, cause_of
from handik.scene.access._chunks import Answer
from handik.scene.access._question import Question
from handik.scene.access._reach import may_touch, reach_beside
from handik.scene.access._share import (
    ORDER,
    Person,
    Share,
    answers_of,
    makers_of,
    moved,
    places_of_tasks,
    sets_of,
    stands_of,
    store_of,
)
from handik.scene.access._standards import Standards, beside_of, standards_at
from handik.scene.access._verdict import Reach, ReachMany
from handik.spec._given import choice, number, whole_number

if TYPE_CHECKING:
    from handik.spec._given import PoseLike

__all__ = ["Sweep", "sweep"]

Array = NDArray[np.float64]
One = tuple[str, tuple[float, float], Found | None]

#: Meters that rounding may take from a distance between two targets.
ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Sweep:
    """Shares of the same people, one a case. `sweep` makes it.

    Attributes
    ----------
    values : ndarray (n,)
        Of the cases, as heights in meters, in rising order.
    shares : tuple of Share
        One a value.
    reused : int
        Verdicts that followed from one on a target nearby.

    Examples
    --------
    >>> import handik as hk
    >>> arms = [hk.chain([0.3, length]) for length in (0.2, 0.25, 0.3)]
    >>> found = hk.access.sweep(arms, {y: [[0.3, y, 0]] for y in (0.2, 0.42, 0.7)})
    >>> [round(share.share, 2) for share in found.shares], found.best
    ([1.0, 0.67, 0.0], (0.2,))
    """

    values: Array
    shares: tuple[Share, ...]
    reused: int

    @property
    def best(self) -> tuple[float, ...]:
        """The value that serves most of the people asked; several where as many can."""
        most = max((share.share for share in self.shares), default=0.0)
        pairs = zip(self.values.tolist(), self.shares, strict=True)
        return tuple(value for value, share in pairs if share.share == most)


@dataclass(frozen=True)
class _Case:
    scene: Scene | None
    names: tuple[str, ...]
    targets: Array | list[str]
    at: Array
    standards: tuple[Standards, ...] = ()  # one a place, of a case with a scene

    def some(self, which: list[int]) -> Array | list[str]:
        if isinstance(self.targets, list):
            return [self.targets[k] for k in which]
        return self.targets[which]


def _case_of(value: Any, case: Any, tasks: Any) -> _Case:
    if isinstance(case, Scene):
        if tasks is None:
            raise ArgumentError("cases that are scenes need tasks: names of targets")
        names, targets = places_of_tasks(case, tasks)
        at = [case.world(path)[:3, 3] for path in names]
        return _Case(case, names, targets, np.array(at).reshape(-1, 3))
    if tasks is not None:
        raise ArgumentError(f"case {value} is no scene: its places are the tasks, give no tasks=")
    names, targets = places_of_tasks(None, case)
    assert not isinstance(targets, list)  # names there need a scene
    return _Case(None, names, targets, targets)


class _Person:
    """One of the people, asked of case after case; what is proved of a place is kept."""

    def __init__(self, at: list[Person], question: Question) -> None:
        self.at, self.question = at, question
        # whether a hand of two is proved short by its place alone is not told
        self.keeps = question.hand != "either" or question.frame is not None
        self.short: dict[tuple[int, int], list[tuple[Reach, Found]]] = {}

    def near(self, key: tuple[int, int], target: Array, pressed: bool) -> One | None:
        """Return a no that follows: a hand short by s of a place is short by s - d at d from it.

        Where something is pressed, of one that was asked of the fingertip too.
        """
        best: One | None = None
        for one, why in self.short.get(key, ()):
            if pressed and not one._touched:
                continue
            place, (least, most) = one.target, one.short
            d = float(np.linalg.norm(target - place)) + ROUNDING
            if least - d > max(self.question.tolerance, 0 if best is None else best[1][0]):
                best = ("no", (least - d, most + d), why)
        return best

    def ask(self, case: _Case) -> tuple[list[One], list[int]]:
        """Return the verdicts on a case, from the best place of each task, and what followed."""
        out: list[list[One]] = [[] for _ in case.at]
        reused = [0] * len(out)
        for p, figure in enumerate(self.at):
            touched = may_touch(figure, case.scene, case.targets, len(case.at))
            old = [self.near((p, k), at, touched[k]) for k, at in enumerate(case.at)]
            left = [k for k, answer in enumerate(old) if answer is None]
            for k, answer in enumerate(old):
                if answer is not None:
                    out[k].append(answer)
                    reused[k] += 1
            if not left:
                continue
            beside = beside_of(case.standards, p, figure)
            found = reach_beside(beside, figure, case.scene, case.some(left), self.question)
            assert isinstance(found, ReachMany)
            for k, one in zip(left, found, strict=True):
                out[k].append(self.kept((p, k), one))
        return [_best(answers) for answers in out], reused

    def kept(self, key: tuple[int, int], one: Reach) -> One:
        why = cause_of(one)
        if self.keeps and why is not None and one.verdict == "no" and not one._by_obstacles:
            self.short.setdefault(key, []).append((one, why))
        return one.verdict, one.short, why


def _best(answers: list[One]) -> One:
    verdict, _, why = min(answers, key=lambda a: (-ORDER.index(a[0]), a[1][1]))
    least, most = (min(a[1][end] for a in answers) for end in (0, 1))
    return verdict, (least, most), why


def _from_the_ends(n: int) -> list[int]:
    """Return the numbers from both ends to the middle, where most can: ends rule out the rest."""
    return [k // 2 if k % 2 == 0 else n - 1 - k // 2 for k in range(n)]


def _swept(person: Person, cases: list[_Case], stands: list[Any], question: Question) -> Answer:
    """Return the verdicts of one person on all tasks of all cases, case by case."""
    asked = _Person([moved(person, s) for s in stands] if stands else [person], question)
    found = {k: asked.ask(cases[k]) for k in _from_the_ends(len(cases))}
    flat = [one for k in range(len(cases)) for one in found[k][0]]
    return Answer(
        np.array([word for word, _, _ in flat], "<U9"),
        np.array([gap for _, gap, _ in flat], float).reshape(-1, 2),
        [why for _, _, why in flat],
        np.array([many for k in range(len(cases)) for many in found[k][1]], np.intp),
    )


def sweep(
    population: Population | Sequence[Person],
    cases: Mapping[float, Scene | Mapping[str, ArrayLike] | ArrayLike],
    tasks: str | Sequence[str] | None = None,
    *,
    places: Sequence[PoseLike] = (),
    position: str = "standing",
    hand: str = Question.hand,
    frame: str | None = Question.frame,
    tolerance: float = Question.tolerance,
    within: float = inf,
    tries: int = Question.tries,
    budget: int = Question.budget,
    seed: int = Question.seed,
    level: float = 0.95,
    threads: int = 1,
    client: Any = None,
    folder: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Sweep:
    """Say how the share of people who reach all tasks changes from case to case.

    Parameters
    ----------
    population : Population, or sequence of Human, Model or Figure
        As of `share`. Everybody is asked of all cases, so that these differ by nothing else, and is
        made once.
    cases : mapping of float to Scene, mapping of str to array_like, or array_like (n, 3)
        By value, as the height of a handle: scenes in which targets have other places, or without
        obstacles the places themselves, as `share` takes them; the same names in each.
    tasks : str or sequence of str, optional
        Where cases are scenes: names of targets, as of `share`.
    places, position, hand, frame, tolerance, within, tries, budget, seed, level
        As of `share`. The nearer `within`, the longer a proof takes and the more follows from it.
    threads, client, folder, progress
        As of `share`: the answer is the same, byte for byte.

    Returns
    -------
    Sweep
        `.shares`, one a value, and `.best`, the value that serves most.

    Raises
    ------
    TypeError
        When `population` is none, a value no number, or `progress` cannot be called.
    ArgumentError
        As of `share`; when `cases` is no mapping, scenes come without `tasks`, places with, or the
        names of cases differ.
    NotFoundError
        When a name is no target, node or tag of a scene.
    UnsupportedError
        When the people are of several sets and there is no SciPy, or as of `share` of a cluster.

    Notes
    -----
    How short a hand stays of a target changes by no more than the target moves. So one that is
    proved short by s, by its joints alone, is short by s - d of what is d away, in any scene: such
    verdicts are not asked again. Cases are asked from the least and greatest value to the middle.

    Examples
    --------
    >>> import handik as hk
    >>> people = hk.population(2, sex="female", seed=3)
    >>> found = hk.access.sweep(people, {z: [[0.35, -0.25, z]] for z in (1.2, 2.3, 2.4)})
    >>> [share.share for share in found.shares], found.best, found.reused
    ([1.0, 0.0, 0.0], (1.2,), 2)
    """
    if not isinstance(cases, Mapping):
        raise ArgumentError("cases must be a mapping of a number to a scene or places")
    choice("position", position, ("standing", "seated"))
    choice("hand", hand, ("right", "left", "either"))
    confidence = level_of(level)
    if progress is not None and not callable(progress):
        raise TypeError("progress must be a function of two numbers")
    given = sorted((number("a value of cases", value), value) for value in cases)
    all_of = [_case_of(value, cases[key], tasks) for value, key in given]
    if len({case.names for case in all_of}) > 1:
        raise ArgumentError("the cases must have tasks of the same names")
    of_set, makers = sets_of(population), makers_of(population, position)
    stands, many = stands_of(places), whole_number("threads", threads)
    question = Question(
        hand=hand,
        frame=frame,
        tolerance=tolerance,
        within=within,
        tries=tries,
        budget=budget,
        seed=seed,
    )
    n, count = len(makers), len(all_of)
    width = len(all_of[0].names) if all_of else 0

    names = tuple(f"{name} at {value!r}" for value, _ in given for name in all_of[0].names)
    kept = [
        (value, case.scene, case.names, case.targets)
        for (value, _), case in zip(given, all_of, strict=True)
    ]
    asked = {"cases": kept, "places": stands, "position": position, "question": question}
    store = store_of(client, many, folder, population, None, asked, names)
    with_standards = [
        replace(case, standards=standards_at(case.scene, stands, question)) for case in all_of
    ]
    ask = partial(_swept, cases=with_standards, stands=stands, question=question)
    verdict = np.full((count, n, width), "", "<U9")
    short, due = np.full((count, n, width, 2), inf), np.full((count, n, width), None, object)
    reused = done = 0
    for first, answers in answers_of(makers, ask, many, client, store):
        for row, answer in enumerate(answers, first):
            verdict[:, row] = answer.verdict.reshape(count, width)
            short[:, row] = answer.short.reshape(count, width, 2)
            reused += int(answer.reused.sum())
            for j, why in enumerate(answer.why):  # a tuple is not to be spread
                due[j // width, row, j % width] = why
        done += len(answers)
        if progress is not None:
            progress(done, n)
    shares = tuple(
        Share(case.names, verdict[k], short[k], confidence, of_set, due[k])
        for k, case in enumerate(all_of)
    )
    return Sweep(np.array([value for value, _ in given]), shares, reused)
