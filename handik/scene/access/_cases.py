"""One of the people asked of one case after another: tasks in scenes, or places alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, NotFoundError
from handik.model import Model
from handik.people import Human
from handik.scene import Scene
from handik.scene.access._causes import Found, cause_of
from handik.scene.access._chunks import Answer
from handik.scene.access._halt import heed
from handik.scene.access._question import Question
from handik.scene.access._reach import may_touch, reach_beside
from handik.scene.access._standards import Standards, beside_of
from handik.scene.access._verdict import ORDER, Reach, ReachMany
from handik.scene.check import Figure
from handik.spec._given import list_of, reals, text

__all__ = ["Case", "Person", "alike", "case_of", "moved", "places_of_tasks", "swept"]

Array = NDArray[np.float64]
Person = Human | Model | Figure
One = tuple[str, tuple[float, float], Found | None]

#: Meters that rounding may take from a distance between two targets.
ROUNDING = 1e-9


def _below(scene: Scene, path: str) -> list[str]:
    """Return the paths of the targets at a node and below it."""
    return [
        name for name in scene.find(kind="target") if name == path or name.startswith(f"{path}/")
    ]


def _named(scene: Scene | None, name: str) -> list[str]:
    """Return the paths of the targets that a task's name means: a node's, or those of a tag."""
    if scene is None:
        raise ArgumentError(f"task {name!r} is a name, which only a scene can tell the place of")
    found = _below(scene, name)
    if not found and name not in scene.find():
        found = [path for node in scene.find(tag=name) for path in _below(scene, node)]
    if not found:
        there = ", ".join(scene.find(kind="target")) or "none"
        raise NotFoundError(f"task {name!r} names no target of the scene, which has: {there}")
    return found


def places_of_tasks(scene: Scene | None, tasks: Any) -> tuple[tuple[str, ...], Array | list[str]]:
    """Return the names of the tasks, and the targets as `reach` takes them.

    Those of a scene go by name, so that the hand may close about what they belong to.
    """
    if isinstance(tasks, str):
        tasks = [tasks]
    given = np.atleast_1d(tasks) if isinstance(tasks, np.ndarray) else tasks
    if not isinstance(given, Mapping | np.ndarray):
        given = list_of("tasks", given)
    if not len(given):
        raise ArgumentError("tasks is empty: a share is of who reaches one place or more")
    if isinstance(tasks, Mapping):
        names = tuple(text("a task", name) for name in tasks)
        rows = [reals(place, f"task {name!r}", (3,)) for name, place in tasks.items()]
        for name, row in zip(names, rows, strict=True):
            if row.ndim != 1:
                raise ArgumentError(f"task {name!r} is one place, got shape {row.shape}")
        return names, np.array(rows).reshape(-1, 3)
    if all(isinstance(task, str) for task in given):
        paths = dict.fromkeys(path for task in given for path in _named(scene, task))
        return tuple(paths), list(paths)
    flat = reals(cast("Any", given), "tasks", (3,))
    if flat.ndim != 2:
        raise ArgumentError(f"tasks are names or places of shape (n, 3), got shape {flat.shape}")
    return tuple(f"task {k}" for k in range(len(flat))), flat


@dataclass(frozen=True, eq=False)
class Case:
    """Tasks in a scene, or without one."""

    scene: Scene | None
    names: tuple[str, ...]
    targets: Array | list[str]
    standards: tuple[Standards, ...] = ()  # one a place, of a case with a scene

    @cached_property
    def at(self) -> Array:
        """Places of the targets in the world (n, 3)."""
        if not isinstance(self.targets, list):
            return self.targets
        assert self.scene is not None
        return np.array([self.scene.world(path)[:3, 3] for path in self.targets]).reshape(-1, 3)

    def some(self, which: list[int]) -> Array | list[str]:
        if isinstance(self.targets, list):
            return [self.targets[k] for k in which]
        return self.targets[which]


def case_of(scene: Scene | None, tasks: Any) -> Case:
    """Return the case of a scene and the tasks in it."""
    return Case(scene, *places_of_tasks(scene, tasks))


def alike(cases: Sequence[Case], what: str) -> Sequence[Case]:
    """Return cases whose tasks have the same names."""
    if len({case.names for case in cases}) > 1:
        raise ArgumentError(f"the {what} must have tasks of the same names")
    return cases


def moved(person: Person, place: Any) -> Person:
    """Return a person somewhere else."""
    if isinstance(person, Figure):
        raise ArgumentError("a Figure stands where it is: move its model, or give no places")
    return person.with_base(place)


class _Asker:
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

    def followed(self, p: int, figure: Person, case: Case) -> list[One | None]:
        """Return what follows from earlier cases for each target, from one place."""
        if not any((p, k) in self.short for k in range(len(case.names))):
            return [None] * len(case.names)
        touched = may_touch(figure, case.scene, case.targets, len(case.names))
        return [self.near((p, k), at, touched[k]) for k, at in enumerate(case.at)]

    def ask(self, case: Case) -> tuple[list[One], list[int]]:
        """Return the verdicts on a case, from the best place of each task, and what followed."""
        out: list[list[One]] = [[] for _ in case.names]
        reused = [0] * len(out)
        for p, figure in enumerate(self.at):
            heed()
            old = self.followed(p, figure, case)
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


def swept(person: Person, cases: Sequence[Case], stands: list[Any], question: Question) -> Answer:
    """Return the verdicts of one person on all tasks of all cases, case by case."""
    asked = _Asker([moved(person, s) for s in stands] if stands else [person], question)
    found = {k: asked.ask(cases[k]) for k in _from_the_ends(len(cases))}
    flat = [one for k in range(len(cases)) for one in found[k][0]]
    return Answer(
        np.array([word for word, _, _ in flat], "<U9"),
        np.array([gap for _, gap, _ in flat], float).reshape(-1, 2),
        [why for _, _, why in flat],
        np.array([many for k in range(len(cases)) for many in found[k][1]], np.intp),
    )
