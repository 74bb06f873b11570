"""Who is asked: people one at a time, in threads, on a cluster, and kept in a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import inf
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.model import Model
from handik.people import Dimensions, Human, Population
from handik.people.impairments import Profile
from handik.people.population import read_profile
from handik.scene.access._cases import Case, Person, swept
from handik.scene.access._chunks import (
    Answer,
    Store,
    checked_client,
    on_cluster,
    question_of,
    ranges,
)
from handik.scene.access._halt import halting_pool
from handik.scene.access._question import Question
from handik.scene.access._seat import in_chair, of_population, seat
from handik.scene.access._standards import standards_at
from handik.scene.access.chairs import SEATED, Chair
from handik.scene.access.chairs import chair as chair_of_size
from handik.scene.check import Figure
from handik.scene.nodes import one_pose
from handik.spec._given import choice, list_of, number, path_text, text, whole_number

__all__ = [
    "Answers",
    "Group",
    "ask_people",
    "groups_of",
    "sets_of",
    "stands_of",
    "weights_of",
]

Array = NDArray[np.float64]
#: What makes one of the people in each of the groups.
Who = tuple[Callable[[], Person], ...]
#: A name, and what it is the name of: a profile, or a chair.
Named = tuple[str, Any]


@dataclass(frozen=True)
class Group:
    """With what everybody is asked: an impairment and a chair, or as they are where not said."""

    chair: str | Chair | None = None
    profile: Profile | tuple[Profile, ...] | None = None


def stands_of(places: Any) -> list[Array]:
    """Return where people may be, as poses; a place alone is not turned."""
    return [one_pose(pose, f"places[{k}]") for k, pose in enumerate(list_of("places", places))]


def sets_of(population: Any) -> NDArray[np.intp] | None:
    """Return of which set each of the people is, None of people drawn at random or given."""
    if not isinstance(population, Population):
        return None
    if population.whitened:
        raise ArgumentError(
            "people who were drawn with whiten=True are not independent of each other, so that "
            "their share has no interval: draw them without"
        )
    if population.sampling == "random":
        return None
    if not population.set.any():
        raise ArgumentError(
            "people of a single Sobol' sequence are not independent of each other, so that their "
            "share has no interval: draw several, with sets=16"
        )
    return population.set


# ---- with what ----


def _chair_of(name: str, given: Any) -> str | Chair | None:
    """Return a chair of one's own, or the word of a population's; None: of no chair."""
    if given is None or isinstance(given, Chair):
        return given
    return choice(f"chair {name!r}", given, ("power", *SEATED))


def _called(what: str, given: Any) -> str:
    """Return what something is called in a list."""
    if isinstance(given, Chair):
        return f"{given.kind} {given.width:.2f} x {given.length:.2f} m"
    parts = given if isinstance(given, (list, tuple)) else [given]
    names = [one.name if isinstance(one, Profile) else one for one in parts]
    if given is None or not all(isinstance(one, str) for one in names):
        return f"no {what}" if given is None else repr(given)
    return " + ".join(names)


def _named(option: str, given: Any) -> list[Named]:
    """Return what was given by name: that of a mapping, or what things of a list are called."""
    what = option.removesuffix("s")
    if isinstance(given, str):  # else letter by letter
        raise ArgumentError(f"{option} must be a list or a mapping, such as [{given!r}]")
    if isinstance(given, Mapping):
        out = [(text(f"a name of {option}", name), one) for name, one in given.items()]
    else:
        out = [(_called(what, one), one) for one in list_of(option, given)]
    if not out:
        raise ArgumentError(f"{option} is empty")
    twice = [name for k, (name, _) in enumerate(out) if name in dict(out[:k])]
    if twice:
        raise ArgumentError(f"{option} has {twice[0]!r} twice: give a mapping of names to them")
    return out


def weights_of(chairs: Any) -> dict[str, float] | None:
    """Return the share of the people in each kind of chair, where that was given; else None."""
    numbers = isinstance(chairs, Mapping) and [isinstance(one, Real) for one in chairs.values()]
    if not numbers or not any(numbers):
        return None
    given = {name: number(f"chairs[{name!r}]", one) for name, one in chairs.items()}
    for name, one in given.items():
        if not 0 <= one < inf:
            raise ArgumentError(f"chairs[{name!r}] must be 0 or more and finite, got {one:g}")
    total = sum(given.values())
    if not 0 < total < inf:
        raise ArgumentError(f"chairs: the people in all of them must be some, got {total:g}")
    return {name: one / total for name, one in given.items()}


def groups_of(
    population: Any, chairs: Any, profiles: Any
) -> tuple[dict[str, tuple[str, ...]], tuple[Group, ...]]:
    """Return names of chairs and of profiles, where given, and a group for each pair of them."""
    weights = weights_of(chairs)
    sat = [] if chairs is None else _named("chairs", chairs if weights is None else list(weights))
    hurt = [] if profiles is None else _named("profiles", profiles)
    _free_to_change(population, sat=bool(sat), hurt=bool(hurt))
    kinds = [_chair_of(name, one) for name, one in sat]
    read = [read_profile(one) for _, one in hurt]
    axes = {"chair": [name for name, _ in sat], "profile": [name for name, _ in hurt]}
    groups = tuple(Group(*pair) for pair in product(kinds or [None], read or [None]))
    return {axis: tuple(names) for axis, names in axes.items() if names}, groups


def _free_to_change(population: Any, *, sat: bool, hurt: bool) -> None:
    """Refuse chairs and profiles of people who have some already, or of whom neither can be."""
    if not (sat or hurt):
        return
    if isinstance(population, Population):
        in_chairs, impaired = population.chair is not None, population.profile is not None
    else:
        people = list_of("population", population)
        if not all(isinstance(one, Human) for one in people):
            raise ArgumentError("chairs= and profiles= are of people: a Population, or Human")
        in_chairs = any(in_chair(one) for one in people)
        impaired = any(one.impaired is not None for one in people)
        if sat and any(one.position != "seated" for one in people):
            raise ArgumentError('people in wheelchairs sit: position="seated"')
    if (sat and in_chairs) or (hurt and impaired):
        word = "chair" if sat and in_chairs else "profile"
        raise ArgumentError(f"{word}s= are of people without a {word} of their own")


def _with(person: Human, group: Group) -> Human:
    """Return a person of a list with an impairment and in a chair."""
    if group.profile is not None:
        person = person._made_again(body=person.body, profile=group.profile).with_base(
            person._place
        )
    chair = chair_of_size("rear") if group.chair == "power" else group.chair
    if isinstance(chair, str):
        chair = chair_of_size(chair)
    return person if chair is None else seat(person, chair)


def _population_of(people: Population, group: Group) -> tuple[Population, Chair | None]:
    """Return people of a group, and the chair that is not the one of their kind."""
    if group.profile is not None:
        people = people.with_profile(group.profile)
    if group.chair is None:
        return people, None
    own = group.chair if isinstance(group.chair, Chair) else None
    if own is None and group.chair != "power":
        own = chair_of_size(str(group.chair))
    manual = own is not None and own.kind == "manual"
    return people.with_chair("manual" if manual else "power"), own


def people_of(population: Any, position: str | None, groups: Sequence[Group]) -> list[Who]:
    """Return what makes each of the people: a figure takes memory and time."""
    if isinstance(population, Population):
        grouped = [_population_of(population, group) for group in groups]
        sit = any(people.chair is not None for people, _ in grouped)
        if sit and position == "standing":
            raise ArgumentError('people in wheelchairs sit: position="seated"')
        how = ("seated" if sit else "standing") if position is None else position
        return [
            tuple(partial(of_population, people, k, how, chair) for people, chair in grouped)
            for k in range(len(population))
        ]
    out: list[Who] = []
    for person in list_of("population", population):
        if not isinstance(person, (Human, Model, Figure)):
            if isinstance(person, Dimensions):
                raise TypeError(
                    "population must be a Population, or a list of Human: some of a population are "
                    "people.of(mask), and hk.human(dimensions=one) is a person of such dimensions"
                )
            raise TypeError(
                "population must be a Population, or a list of Human, Model or Figure, which holds "
                f"{type(person).__name__}"
            )
        out.append(tuple(partial(_itself, person, group) for group in groups))
    return out


def _itself(person: Person, group: Group) -> Person:
    return _with(person, group) if isinstance(person, Human) else person


# ---- asked ----


@dataclass(frozen=True, eq=False)
class Answers:
    """The verdicts on everybody: arrays of (groups, cases, people, tasks)."""

    verdict: NDArray[np.str_]
    short: Array  # (..., 2)
    why: NDArray[np.object_]
    reused: int


def ask_people(
    population: Any,
    cases: Sequence[Case],
    stands: list[Any],
    question: Question,
    *,
    position: str | None,
    names: tuple[str, ...],
    columns: Mapping[str, Sequence[str]] | None = None,
    groups: Sequence[Group] = (Group(),),
    threads: int,
    client: Any,
    folder: str | os.PathLike[str] | None,
    progress: Callable[[int, int], object] | None,
) -> Answers:
    """Ask everybody of all cases in all groups.

    `names` are those of all answers on one of the people, group by group and case by case, in a
    file; `columns` say more of each.
    """
    if position is not None:
        choice("position", position, ("standing", "seated"))
    if progress is not None and not callable(progress):
        raise TypeError("progress must be a function of two numbers")
    many, people = whole_number("threads", threads), people_of(population, position, groups)
    width = len(cases[0].names) if cases else 0
    shape = (len(groups), len(cases), len(people), width)
    things = [part for case in cases for part in (case.scene, case.names, case.targets)]
    things += [part for group in groups for part in vars(group).values()]
    asked = {
        "names": names,
        "places": stands,
        "position": position,
        "question": question,
        "columns": columns,
        "seed": getattr(population, "_seed", None),  # of seats
    }
    store = _store_of(client, many, folder, population, things, asked, names, columns or {})
    beside = [replace(c, standards=standards_at(c.scene, stands, question)) for c in cases]
    ask = partial(_asked, cases=beside, stands=stands, question=question)
    verdict, why = np.full(shape, "", "<U9"), np.full(shape, None, object)
    short = np.full((*shape, 2), np.inf)
    reused = done = 0
    for first, answers in _answers_of(people, ask, many, client, store):
        for row, answer in enumerate(answers, first):
            own = shape[:2] + shape[3:]
            verdict[:, :, row] = answer.verdict.reshape(own)
            short[:, :, row] = answer.short.reshape(*own, 2)
            reused += int(answer.reused.sum())
            for at, found in zip(np.ndindex(*own), answer.why, strict=True):
                why[(*at[:2], row, at[2])] = found  # a tuple is not to be spread
        done += len(answers)
        if progress is not None:
            progress(done, len(people))
    return Answers(verdict, short, why, reused)


def _asked(who: Who, cases: Sequence[Case], stands: list[Any], question: Question) -> Answer:
    """Return the answers of one person in each group."""
    each = [swept(make(), cases, stands, question) for make in who]
    if len(each) == 1:
        return each[0]
    return Answer(
        np.concatenate([one.verdict for one in each]),
        np.concatenate([one.short for one in each]),
        [found for one in each for found in one.why],
        np.concatenate([one.reused for one in each]),
    )


@contextmanager
def _workers(threads: int) -> Iterator[Callable[..., Any]]:
    """Give a map in the order asked, in threads; an error or Ctrl-C leaves the rest undone."""
    if threads == 1:
        yield map
        return
    with halting_pool(threads or os.cpu_count() or 1) as mapped:
        yield mapped


def _store_of(
    client: Any,
    threads: int,
    folder: str | os.PathLike[str] | None,
    population: Any,
    things: Sequence[Any],
    asked: Mapping[str, Any],
    names: tuple[str, ...],
    columns: Mapping[str, Sequence[str]],
) -> Store | None:
    """Return where answers are kept, None: nowhere, and look at who is to be asked."""
    if checked_client(client) is not None and threads != 1:
        raise ArgumentError("threads are of this machine, a client has workers: give one of them")
    if folder is None:
        return None
    people = population if isinstance(population, Population) else list_of("", population)
    return Store(path_text("folder", folder), question_of(people, things, asked), names, columns)


def _answers_of(
    people: Sequence[Who],
    ask: Callable[[Who], Answer],
    threads: int,
    client: Any,
    store: Store | None,
) -> Iterator[tuple[int, Sequence[Answer]]]:
    """Give the answers of some people at a time, with the number of the first of them."""
    if store is None and client is None:
        with _workers(threads) as mapped:
            for k, answer in enumerate(mapped(ask, people)):
                yield k, [answer]
        return
    due = []
    for first, last in ranges(len(people)):
        kept = None if store is None else store.read(first, last)
        if kept is None:
            due.append((first, last))
        else:
            yield first, kept
    if client is not None:
        found: Generator[tuple[int, Sequence[Answer]], None, None] = on_cluster(
            client, people, ask, due
        )
    else:
        found = _here(people, ask, threads, due)
    with closing(found):  # a full disk leaves nobody at work
        for first, answers in found:
            if store is not None:
                store.keep(first, answers)
            yield first, answers


def _here(
    people: Sequence[Who],
    ask: Callable[[Who], Answer],
    threads: int,
    chunks: Sequence[tuple[int, int]],
) -> Generator[tuple[int, Sequence[Answer]], None, None]:
    with _workers(threads) as mapped:
        for first, last in chunks:
            yield first, list(mapped(ask, people[first:last]))
