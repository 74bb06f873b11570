"""The same people asked of one case after another, as of a handle at several heights."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.people import Population
from handik.people._interval import level_of
from handik.scene import Scene
from handik.scene.access._asking import ask_people, sets_of, stands_of
from handik.scene.access._cases import Case, Person, alike, case_of
from handik.scene.access._question import Question
from handik.scene.access._share import Share
from handik.scene.access._shares import serve_most
from handik.spec._given import choice, number

if TYPE_CHECKING:
    from handik.spec._given import PoseLike

__all__ = ["Sweep", "sweep"]

Array = NDArray[np.float64]


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
        return tuple(float(self.values[k]) for k in serve_most(self.shares))


def sweep(
    population: Population | Sequence[Person],
    cases: Mapping[float, Scene | Mapping[str, ArrayLike] | ArrayLike],
    tasks: str | Sequence[str] | None = None,
    *,
    places: Sequence[PoseLike] = (),
    position: str | None = None,
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
    choice("hand", hand, ("right", "left", "either"))
    confidence, of_set = level_of(level), sets_of(population)
    given = sorted((number("a value of cases", value), value) for value in cases)
    all_of = alike([_case_of(value, cases[key], tasks) for value, key in given], "cases")
    question = Question(
        hand=hand,
        frame=frame,
        tolerance=tolerance,
        within=within,
        tries=tries,
        budget=budget,
        seed=seed,
    )
    found = ask_people(
        population,
        all_of,
        stands_of(places),
        question,
        position=position,
        names=tuple(f"{name} at {value!r}" for value, _ in given for name in all_of[0].names),
        threads=threads,
        client=client,
        folder=folder,
        progress=progress,
    )
    shares = tuple(
        Share(
            case.names, found.verdict[0, k], found.short[0, k], confidence, of_set, found.why[0, k]
        )
        for k, case in enumerate(all_of)
    )
    return Sweep(np.array([value for value, _ in given]), shares, found.reused)


def _case_of(value: Any, case: Any, tasks: Any) -> Case:
    if isinstance(case, Scene):
        if tasks is None:
            raise ArgumentError("cases that are scenes need tasks: names of targets")
        return case_of(case, tasks)
    if tasks is not None:
        raise ArgumentError(f"case {value} is no scene: its places are the tasks, give no tasks=")
    return case_of(None, case)
