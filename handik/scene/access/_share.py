"""Shares of people who reach what there is to reach, with intervals."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, NotFoundError, shortened
from handik.model import Model
from handik.people import Human, Population
from handik.people._interval import level_of, share_of_sets, wilson
from handik.scene import Scene
from handik.scene.access._causes import Cause, cause_of, counted
from handik.scene.access._chunks import (
    Answer,
    Store,
    checked_client,
    on_cluster,
    question_of,
    ranges,
)
from handik.scene.access._question import Question
from handik.scene.access._reach import reach_beside
from handik.scene.access._seat import of_population
from handik.scene.access._standards import Standards, beside_of, standards_at
from handik.scene.access._verdict import Reach, ReachMany
from handik.scene.check import Figure
from handik.scene.nodes import one_pose
from handik.spec._given import (
    as_array,
    choice,
    list_of,
    of_class,
    path_text,
    reals,
    text,
    whole_number,
)

if TYPE_CHECKING:
    from handik.spec._given import PoseLike

__all__ = [
    "ORDER",
    "Person",
    "Share",
    "answers_of",
    "level_of",
    "makers_of",
    "moved",
    "places_of_tasks",
    "sets_of",
    "share",
    "store_of",
    "wilson",
    "workers",
]

Array = NDArray[np.float64]
Person = Human | Model | Figure
ORDER = ("no", "undecided", "yes")


@dataclass(frozen=True, eq=False)
class Share:
    """How many of the people asked reach all tasks, and how sure that is of all people like them.

    `share` makes it.

    Attributes
    ----------
    names : tuple of str
        Of the tasks.
    verdict : ndarray of str, shape (people, tasks)
        ``"yes"``, ``"no"`` or ``"undecided"``.
    short : ndarray, shape (people, tasks, 2)
        Meters by which the hand stays short, at least and at most, as `Reach.short`.
    level : float
        Of the interval.
    set : ndarray of int, shape (people,), or None
        Of which set of a Sobol' sequence each is (`Population.set`); None: drawn at random.

    Examples
    --------
    >>> import handik as hk
    >>> arms = [hk.chain([0.3, length]) for length in (0.2, 0.25, 0.3, 0.35)]
    >>> found = hk.access.share(arms, None, {"near": [0.4, 0, 0], "far": [0.58, 0, 0]})
    >>> found.share, found.tasks["near"].share, found.people.tolist()
    (0.5, 1.0, ['no', 'no', 'yes', 'yes'])
    """

    names: tuple[str, ...]
    verdict: NDArray[np.str_]
    short: Array
    level: float
    set: NDArray[np.intp] | None = None
    _found: NDArray[np.object_] | None = field(default=None, repr=False)

    @property
    def people(self) -> NDArray[np.str_]:
        """One verdict a person: yes for all tasks, no for one of them, else undecided."""
        rank = np.array([ORDER.index(word) for word in self.verdict.ravel().tolist()], int)
        least = rank.reshape(self.verdict.shape).min(axis=1, initial=2)
        found: NDArray[np.str_] = np.array(ORDER)[least]
        return found

    def _count(self, word: str) -> int:
        return int(np.count_nonzero(self.people == word))

    @property
    def share(self) -> float:
        """Share of the people who reach all tasks, each with a witness; NaN of nobody."""
        return self._count("yes") / len(self.verdict) if len(self.verdict) else float("nan")

    @property
    def no(self) -> float:
        """Share of the people proved not to reach one of the tasks; NaN of nobody."""
        return self._count("no") / len(self.verdict) if len(self.verdict) else float("nan")

    @property
    def undecided(self) -> float:
        """Share of the people of whom neither is known; NaN of nobody."""
        return self._count("undecided") / len(self.verdict) if len(self.verdict) else float("nan")

    @property
    def interval(self) -> tuple[float, float]:
        """Interval of the share; the undecided fail at its lower end and succeed at its upper one.

        Student's, from how the sets differ, where people are of several; else `wilson`.
        """
        if self.set is None:
            return self.wilson
        verdict = self.people
        low = share_of_sets(verdict == "yes", self.set, self.level)[0]
        return low, share_of_sets(verdict != "no", self.set, self.level)[1]

    @property
    def wilson(self) -> tuple[float, float]:
        """Wilson's interval, as of people drawn at random, with the undecided as in `interval`."""
        yes, n = self._count("yes"), len(self.verdict)
        upper = wilson(yes + self._count("undecided"), n, self.level)[1]
        return wilson(yes, n, self.level)[0], upper

    @property
    def causes(self) -> tuple[Cause, ...]:
        """What people fail by, as the verdicts say it, the cause of most people first.

        A person counts once for each cause; the undecided have causes of their own. From several
        places the verdict of the best counts. Empty of a share that was not asked of people.
        """
        return () if self._found is None else counted(self._found, self.short)

    @property
    def tasks(self) -> dict[str, Share]:
        """The share of each task by itself."""
        return {
            name: replace(
                self,
                names=(name,),
                verdict=self.verdict[:, k : k + 1],
                short=self.short[:, k : k + 1],
                _found=None if self._found is None else self._found[:, k : k + 1],
            )
            for k, name in enumerate(self.names)
        }

    def of(self, which: ArrayLike) -> Share:
        """Return the share among some of the people.

        Parameters
        ----------
        which : array_like, shape (people,) or (m,)
            A mask, one truth a person, as ``people.sex == "female"``, or their numbers.

        Returns
        -------
        Share

        Raises
        ------
        ArgumentError
            When it is neither.

        Examples
        --------
        >>> import handik as hk
        >>> arms = [hk.chain([0.3, length]) for length in (0.2, 0.3)]
        >>> hk.access.share(arms, None, [[0.58, 0, 0]]).of([False, True]).share
        1.0
        """
        rows = as_array("which", which)
        mask = rows.dtype == bool and rows.shape == self.verdict.shape[:1]
        if not mask and not (rows.ndim == 1 and (rows.size == 0 or rows.dtype.kind in "iu")):
            raise ArgumentError(
                f"which must be a mask of {len(self.verdict)} people or their numbers, got "
                f"{shortened(which)}"
            )
        rows = rows if mask else rows.astype(np.intp)
        n = len(self.verdict)
        if not mask and rows.size and not -n <= rows.min() <= rows.max() < n:
            raise ArgumentError(f"which must be numbers of {len(self.verdict)} people")
        of_set = None if self.set is None else self.set[rows]
        found = None if self._found is None else self._found[rows]
        short = self.short[rows]
        return replace(self, verdict=self.verdict[rows], short=short, set=of_set, _found=found)

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"Share({self.share:.3f}, {100 * self.level:g} % interval {low:.3f} to {high:.3f}, "
            f"{len(self.verdict)} people, {len(self.names)} tasks, undecided {self.undecided:.3f})"
        )


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
    flat = reals(given, "tasks", (3,))
    if flat.ndim != 2:
        raise ArgumentError(f"tasks are names or places of shape (n, 3), got shape {flat.shape}")
    return tuple(f"task {k}" for k in range(len(flat))), flat


def _itself(person: Person) -> Person:
    return person


def stands_of(places: Any) -> list[Array]:
    """Return where people may be, as poses; a place alone is not turned."""
    return [one_pose(pose, f"places[{k}]") for k, pose in enumerate(list_of("places", places))]


def moved(person: Person, place: Any) -> Person:
    if isinstance(person, Figure):
        raise ArgumentError("a Figure stands where it is: move its model, or give no places")
    return person.with_base(place)


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


def makers_of(population: Any, position: str) -> list[Callable[[], Person]]:
    """Return what makes each of the people: a figure takes memory and time."""
    if isinstance(population, Population):
        if population.chair is not None and position != "seated":
            raise ArgumentError('people in wheelchairs sit: position="seated"')
        return [partial(of_population, population, k, position) for k in range(len(population))]
    out: list[Callable[[], Person]] = []
    for person in list_of("population", population):
        if not isinstance(person, (Human, Model, Figure)):
            raise TypeError(
                "population must be a Population, or a list of Human, Model or Figure, which holds "
                f"{type(person).__name__}"
            )
        out.append(partial(_itself, person))
    return out


def _asked(
    person: Person,
    scene: Scene | None,
    targets: Array | list[str],
    stands: list[Any],
    question: Question,
    standards: Sequence[Standards],
) -> Answer:
    """Return the verdicts on all tasks, how short the hand stays, and why, from the best place."""
    at = [person] if not stands else [moved(person, place) for place in stands]
    short, best = np.full((len(targets), 2), np.inf), [list[Reach]() for _ in targets]
    for turn, figure in enumerate(at):
        beside = beside_of(standards, turn, figure)
        found = reach_beside(beside, figure, scene, targets, question)
        assert isinstance(found, ReachMany)
        short = np.minimum(short, found.short)
        for k, one in enumerate(found):
            best[k] = [min([*best[k], one], key=lambda r: (-ORDER.index(r.verdict), r.short[1]))]
    verdict = np.array([one.verdict for (one,) in best], "<U9")
    return Answer(
        verdict, short, [cause_of(one) for (one,) in best], np.zeros(len(targets), np.intp)
    )


@contextmanager
def workers(threads: int) -> Iterator[Callable[..., Any]]:
    """Give a map in the order asked, in threads; an error or Ctrl-C leaves the rest undone."""
    if threads == 1:
        yield map
        return
    pool = ThreadPoolExecutor(threads or os.cpu_count() or 1)
    try:
        yield pool.map
    finally:
        pool.shutdown(cancel_futures=True)


def share(
    population: Population | Sequence[Person],
    scene: Scene | None,
    tasks: str | Sequence[str] | Mapping[str, ArrayLike] | ArrayLike,
    *,
    places: Sequence[PoseLike] = (),
    position: str = "standing",
    hand: str = Question.hand,
    frame: str | None = Question.frame,
    tolerance: float = Question.tolerance,
    within: float = float("inf"),
    tries: int = Question.tries,
    budget: int = Question.budget,
    seed: int = Question.seed,
    level: float = 0.95,
    threads: int = 1,
    client: Any = None,
    folder: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Share:
    """Say which share of people reaches all of some places, with an interval.

    Parameters
    ----------
    population : Population, or sequence of Human, Model or Figure
        Who is asked. A list counts as drawn at random from those that the interval speaks of.
    scene : Scene or None
        What must not be touched; None: only joints and their limits count.
    tasks : str, sequence of str, mapping of str to array_like, or array_like (n, 3)
        Names of targets of the scene: a node means all targets at it and below, else a word is a
        tag, whose nodes' targets are meant. Or places in the world, meters, by name or not.
    places : sequence of pose, optional
        Where the people may stand or sit (`Human.with_base`), three numbers alone facing x; each
        task from any of them. None: where they are.
    position : {"standing", "seated"}
        Of the people of a `Population`. Those drawn with a `chair` sit in it, as by `seat`.
    hand, frame, tolerance, within, tries, budget, seed
        As in `reach`; `within` tells how near `Share.short` is wanted. Among obstacles some 20
        starts of standard people's postures come before the `tries`.
    level : float
        Of the interval.
    threads : int
        People at a time; 0: all cores. The answer is the same.
    client : distributed.Client, optional
        Of a cluster of Dask whose workers are asked, by chunks of eight people. The answer is the
        same, byte for byte; a worker that is lost has its chunks asked elsewhere.
    folder : path, optional
        Where the answers of chunks are kept as Parquet files: the same call goes on from there.
    progress : callable, optional
        Told after each of the people, or each chunk, how many are done, of how many.

    Returns
    -------
    Share
        `.share`, `.interval` and `.causes`.

    Raises
    ------
    TypeError
        When `population` or `scene` is none, `client` is no client, or `progress` cannot be called.
    ArgumentError
        When a number is out of its range, there is no task, a name comes without a scene, a
        `Figure` is to be moved, the people were whitened or of a single Sobol' sequence, so not
        independent, `threads` come with a `client`, or `folder` has the answers to another
        question.
    UnsupportedError
        When the people are of several sets and there is no SciPy, there is no Dask for `client` or
        no pyarrow for `folder`, or the cluster has had no worker for a minute.
    NotFoundError
        When a name is no target, node or tag of the scene, or there is no such frame.

    Notes
    -----
    The interval is Wilson's (E. Wilson, Probable inference, the law of succession, and statistical
    inference, J. Am. Stat. Assoc. 22 (1927) 209-212), of people drawn with ``sampling="sobol",
    sets=16`` Student's from how the sets differ, as of `Population.interval`, with `Share.wilson`
    beside it: of the error of drawing so many people, not of what is wrong about all of them. The
    undecided count as no at its lower end and as yes at its upper end. A no from `places` is one
    from these places, not from all there are.

    Examples
    --------
    >>> import handik as hk
    >>> arms = [hk.chain([0.3, 0.2 + 0.001 * k]) for k in range(100)]
    >>> found = hk.access.share(arms, None, [[0.5585, 0.0, 0.0]])
    >>> found.share
    0.42
    >>> tuple(round(end, 3) for end in found.interval)
    (0.328, 0.518)
    """
    if scene is not None:
        of_class("scene", scene, Scene)
    choice("position", position, ("standing", "seated"))
    confidence = level_of(level)
    if progress is not None and not callable(progress):
        raise TypeError("progress must be a function of two numbers")
    of_set = sets_of(population)
    makers = makers_of(population, position)
    names, targets = places_of_tasks(scene, tasks)
    stands = stands_of(places)
    many = whole_number("threads", threads)
    question = Question(
        hand=hand,
        frame=frame,
        tolerance=tolerance,
        within=within,
        tries=tries,
        budget=budget,
        seed=seed,
    )

    ask = partial(
        _asked,
        scene=scene,
        targets=targets,
        stands=stands,
        question=question,
        standards=standards_at(scene, stands, question),
    )
    verdict = np.full((len(makers), len(names)), "", "<U9")
    short = np.zeros((len(makers), len(names), 2))
    due = np.full((len(makers), len(names)), None, object)
    asked = {
        "names": names,
        "targets": targets,
        "places": stands,
        "position": position,
        "question": question,
    }
    store = store_of(client, many, folder, population, scene, asked, names)
    done = 0
    for first, answers in answers_of(makers, ask, many, client, store):
        for k, answer in enumerate(answers, first):
            verdict[k], short[k] = answer.verdict, answer.short
            for j, cause in enumerate(answer.why):  # a tuple is not to be spread
                due[k, j] = cause
        done += len(answers)
        if progress is not None:
            progress(done, len(makers))
    return Share(names, verdict, short, confidence, of_set, due)


def _made(make: Callable[[], Person], ask: Callable[[Person], Answer]) -> Answer:
    return ask(make())


def store_of(
    client: Any,
    threads: int,
    folder: str | os.PathLike[str] | None,
    population: Any,
    scene: Scene | None,
    asked: Mapping[str, Any],
    names: tuple[str, ...],
) -> Store | None:
    """Return where answers are kept, None: nowhere, and look at who is to be asked."""
    if checked_client(client) is not None and threads != 1:
        raise ArgumentError("threads are of this machine, a client has workers: give one of them")
    if folder is None:
        return None
    people = population if isinstance(population, Population) else list_of("", population)
    return Store(path_text("folder", folder), question_of(people, scene, asked), names)


def answers_of(
    makers: Sequence[Callable[[], Person]],
    ask: Callable[[Person], Answer],
    threads: int,
    client: Any,
    store: Store | None,
) -> Iterator[tuple[int, Sequence[Answer]]]:
    """Give the answers of some people at a time, with the number of the first of them."""
    one = partial(_made, ask=ask)
    if store is None and client is None:
        with workers(threads) as mapped:
            for k, answer in enumerate(mapped(one, makers)):
                yield k, [answer]
        return
    due = []
    for first, last in ranges(len(makers)):
        kept = None if store is None else store.read(first, last)
        if kept is None:
            due.append((first, last))
        else:
            yield first, kept
    if client is not None:
        found: Generator[tuple[int, Sequence[Answer]], None, None] = on_cluster(
            client, makers, ask, due
        )
    else:
        found = _here(makers, one, threads, due)
    with closing(found):  # a full disk leaves nobody at work
        for first, answers in found:
            if store is not None:
                store.keep(first, answers)
            yield first, answers


def _here(
    makers: Sequence[Callable[[], Person]],
    one: Callable[[Callable[[], Person]], Answer],
    threads: int,
    chunks: Sequence[tuple[int, int]],
) -> Generator[tuple[int, Sequence[Answer]], None, None]:
    with workers(threads) as mapped:
        for first, last in chunks:
            yield first, list(mapped(one, makers[first:last]))
