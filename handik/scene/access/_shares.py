"""Shares of people, of the same people with other chairs, impairments, in variants of a place."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import inf
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, NotFoundError, shortened
from handik.people import Population
from handik.people._interval import difference_of_shares, level_of, mean_of_shares
from handik.scene import Scene
from handik.scene.access._asking import ask_people, groups_of, sets_of, stands_of, weights_of
from handik.scene.access._cases import Person, alike
from handik.scene.access._question import Question
from handik.scene.access._share import Share
from handik.scene.access._variants import varied
from handik.spec._given import choice, of_class

if TYPE_CHECKING:
    from handik.people.impairments import Profile
    from handik.scene.access.chairs import Chair
    from handik.spec._given import PoseLike

    Impairment = str | Profile | Sequence[str | Profile] | None

__all__ = ["ShareEstimate", "Shares", "serve_most", "share"]

Array = NDArray[np.float64]
#: A name, of one axis; or names, one an axis.
Key = str | tuple[str, ...]


@dataclass(frozen=True)
class ShareEstimate:
    """A number that people were asked for, and how sure that is of all people like them.

    Attributes
    ----------
    value : float
    interval : (float, float)

    Examples
    --------
    >>> import handik as hk
    >>> arms = [hk.chain([0.3, length]) for length in (0.2, 0.25, 0.3)]
    >>> nearer = {"as it is": None, "nearer": [-0.1, 0, 0]}
    >>> hk.access.share(arms, None, [[0.65, 0, 0]], variants=nearer).difference(*nearer).value
    0.6666666666666666
    """

    value: float
    interval: tuple[float, float]

    def __repr__(self) -> str:
        low, high = self.interval
        return f"ShareEstimate({self.value:.3f}, interval {low:.3f} to {high:.3f})"


def serve_most(shares: Sequence[Share]) -> list[int]:
    """Return the numbers of the shares that are greatest."""
    most = max((share.share for share in shares), default=0.0)
    return [k for k, share in enumerate(shares) if share.share == most]


@dataclass(frozen=True, eq=False)
class Shares(Mapping[Key, Share]):
    """Shares of the same people, one a chair, impairment and variant. `share` makes it.

    ``found[name]`` is the `Share` of one; of several axes, ``found[chair, profile, variant]``, of
    those that were asked for, in this order.

    Attributes
    ----------
    axes : mapping of str to tuple of str
        Of ``"chair"``, ``"profile"`` and ``"variant"`` those asked for, with the names in each.
    reused : int
        Verdicts that followed from one on a target nearby, as of `sweep`.

    Examples
    --------
    >>> import handik as hk
    >>> arms = [hk.chain([0.3, length]) for length in (0.2, 0.25, 0.3)]
    >>> moved = {"as it is": None, "nearer": [-0.1, 0, 0], "farther": [0.3, 0, 0]}
    >>> found = hk.access.share(arms, None, [[0.65, 0, 0]], variants=moved)
    >>> {name: round(share.share, 2) for name, share in found.items()}, found.best
    ({'as it is': 0.0, 'nearer': 0.67, 'farther': 0.0}, ('nearer',))
    >>> found.difference("as it is", "nearer")
    ShareEstimate(0.667, interval -0.301 to 1.000)
    """

    axes: Mapping[str, tuple[str, ...]]
    _shares: Mapping[Key, Share] = field(repr=False)
    reused: int = 0
    _weights: Mapping[str, float] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "axes", MappingProxyType(dict(self.axes)))

    def __reduce__(self) -> tuple[type[Shares], tuple[object, ...]]:
        """Pickle by what it was made of."""
        return Shares, (dict(self.axes), self._shares, self.reused, self._weights)

    def __getitem__(self, key: Key) -> Share:
        try:
            return self._shares[key]
        except (KeyError, TypeError):  # a list is no key either
            there = ", ".join(map(repr, self._shares))
            raise NotFoundError(f"there is no share {shortened(key)}: there are {there}") from None

    def __iter__(self) -> Iterator[Key]:
        return iter(self._shares)

    def __len__(self) -> int:
        return len(self._shares)

    @property
    def share(self) -> Array:
        """Shares of the people who reach all tasks, one dimension an axis."""
        flat = np.array([share.share for share in self.values()])
        return flat.reshape([len(names) for names in self.axes.values()])

    @property
    def interval(self) -> Array:
        """Their intervals, as of `Share.interval`: (..., 2)."""
        flat = np.array([share.interval for share in self.values()])
        return flat.reshape([*self.share.shape, 2])

    @property
    def best(self) -> tuple[Key, ...]:
        """Which serves most of the people asked, undecided ones not counted; several of as many."""
        keys = list(self)
        return tuple(keys[k] for k in serve_most(list(self.values())))

    def difference(self, first: Key, second: Key) -> ShareEstimate:
        """Return by how much more people reach with the second than with the first.

        Parameters
        ----------
        first, second : str or tuple of str
            Which shares.

        Returns
        -------
        ShareEstimate
            The second share less the first, with an interval that knows that the same people were
            asked: the lower end counts the undecided as no in the second and as yes in the first,
            the upper end the other way round. The value counts them as no in both.

        Raises
        ------
        NotFoundError
            When there is no such share.

        Notes
        -----
        Of people drawn at random Wald's interval with one person added who changes either way
        (D. Bonett and R. Price, Adjusted Wald confidence interval for a difference of binomial
        proportions based on paired data, J. Educ. Behav. Stat. 37 (2012) 479-488), of several sets
        Student's from how the differences of the sets differ.
        """
        a, b = self[first], self[second]
        one, other = a.people, b.people
        low = difference_of_shares(one != "no", other == "yes", a.set, a.level)[0]
        high = difference_of_shares(one == "yes", other != "no", a.set, a.level)[1]
        return ShareEstimate(b.share - a.share, (low, high))

    @property
    def differences(self) -> dict[tuple[Key, Key], ShareEstimate]:
        """The difference of each pair of shares that differ by one name alone."""
        pairs = [(a, b) for a, b in combinations(self, 2) if self._by_one(a, b)]
        return {pair: self.difference(*pair) for pair in pairs}

    def _by_one(self, a: Key, b: Key) -> bool:
        if isinstance(a, str) or isinstance(b, str):
            return True
        return sum(x != y for x, y in zip(a, b, strict=True)) == 1

    def mixed(self, *names: str) -> ShareEstimate:
        """Return the share among people of whom so many are in each chair.

        Parameters
        ----------
        *names : str
            Of the other axes, profile before variant, where there are any.

        Returns
        -------
        ShareEstimate
            The mean of the shares by chair, weighed; everybody is asked in every chair.

        Raises
        ------
        ArgumentError
            When chairs were given without how many are in each.
        NotFoundError
            When there is no such share.

        Examples
        --------
        >>> import handik as hk
        >>> people, high = hk.population(2, sex="female", seed=3), [[0.35, -0.25, 1.2]]
        >>> hk.access.share(people, None, high, chairs={"manual": 7, "power": 3}).mixed().value
        1.0
        """
        if self._weights is None:
            raise ArgumentError("chairs= came without how many are in each: {'manual': 0.8, ...}")
        keys = {name: (name, *names) if names else name for name in self._weights}
        parts = [(self._weights[name], self[key]) for name, key in keys.items()]
        share = parts[0][1]
        yes = sum(weight * (one.people == "yes") for weight, one in parts)
        maybe = sum(weight * (one.people != "no") for weight, one in parts)
        low, high = (
            mean_of_shares(np.asarray(one, float), share.set, share.level)[end]
            for end, one in enumerate((yes, maybe))
        )
        return ShareEstimate(float(sum(weight * one.share for weight, one in parts)), (low, high))

    def __repr__(self) -> str:
        many = " x ".join(f"{len(names)} {axis}s" for axis, names in self.axes.items())
        lines = [f"  {shortened(key)}: {share!r}" for key, share in self.items()]
        return "\n".join([f"Shares({many})", *lines])


def keys_of(axes: Mapping[str, Sequence[str]]) -> list[Key]:
    """Return the keys of all shares, those of the last axis side by side."""
    return [key[0] if len(axes) == 1 else key for key in product(*axes.values())]


def share(
    population: Population | Sequence[Person],
    scene: Scene | None,
    tasks: str | Sequence[str] | Mapping[str, ArrayLike] | ArrayLike,
    *,
    chairs: Sequence[str | Chair | None] | Mapping[str, str | Chair | float | None] | None = None,
    profiles: Sequence[Impairment] | Mapping[str, Impairment] | None = None,
    variants: Mapping[str, Scene | ArrayLike | Mapping[str, ArrayLike] | None] | None = None,
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
) -> Share | Shares:
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
    chairs : sequence of str or Chair or None, or mapping of str to them or to float, optional
        Wheelchairs in which everybody is asked: ``"manual"``, ``"power"`` (driven at the rear),
        ``"rear"``, ``"mid"``, ``"front"``, ``"scooter"``, a `Chair` of your own, or none. Seats are
        as high as `Population.with_chair` draws them; of a list of people as `seat` has them. A
        mapping gives names, or how many people are in each kind: `Shares.mixed`.
    profiles : sequence of str, Profile, sequence of Profile or None, or mapping of str, optional
        Impairments with which everybody is asked, as of `handik.people.human`; None: without.
    variants : mapping of str to Scene, array_like (3,), mapping of str to array_like or None
        By name: another scene; how far all tasks move that are places, meters, x y z; how far some
        tasks move, by name, or, where tasks are names, nodes of the scene; None: as it is.
    places : sequence of pose, optional
        Where the people may stand or sit (`Human.with_base`), three numbers alone facing x; each
        task from any of them. None: where they are.
    position : {"standing", "seated"}, optional
        Of the people of a `Population`: by default those in wheelchairs sit, as by `seat`, and
        others stand.
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
    Shares
        With `chairs`, `profiles` or `variants`: one for each combination, of the same people, with
        the differences of pairs and `.best`.

    Raises
    ------
    TypeError
        When `population` or `scene` is none, `client` is no client, or `progress` cannot be called.
    ArgumentError
        When a number is out of its range, there is no task, a name comes without a scene, a
        `Figure` is to be moved, the people were whitened or of a single Sobol' sequence, so not
        independent, `threads` come with a `client`, or `folder` has the answers to another
        question; when a chair, profile or variant is none, two have one name, or people have a
        chair or profile already.
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

    Chairs, profiles and variants are asked of the same people, so that they differ by nothing else.
    A share with a profile or a chair is that of people drawn with it. What is proved of one variant
    is not asked again in others, as of `sweep`.

    Examples
    --------
    >>> import handik as hk
    >>> arms = [hk.chain([0.3, 0.2 + 0.001 * k]) for k in range(100)]
    >>> found = hk.access.share(arms, None, [[0.5585, 0.0, 0.0]])
    >>> found.share
    0.42
    >>> tuple(round(end, 3) for end in found.interval)
    (0.328, 0.518)
    >>> lower = {"as it is": None, "10 cm nearer": [-0.1, 0, 0]}
    >>> found = hk.access.share(arms, None, [[0.5585, 0.0, 0.0]], variants=lower)
    >>> found.best, found.share.tolist()
    (('10 cm nearer',), [0.42, 1.0])
    """
    if scene is not None:
        of_class("scene", scene, Scene)
    choice("hand", hand, ("right", "left", "either"))
    confidence, of_set = level_of(level), sets_of(population)
    given = varied(scene, tasks, {"as it is": None} if variants is None else variants)
    cases = alike(list(given.values()), "variants")
    axes, groups = groups_of(population, chairs, profiles)
    if variants is not None:
        axes["variant"] = tuple(given)
    question = Question(
        hand=hand,
        frame=frame,
        tolerance=tolerance,
        within=within,
        tries=tries,
        budget=budget,
        seed=seed,
    )
    names = cases[0].names
    rows = [(*key, task) for key in product(*axes.values()) for task in names]
    found = ask_people(
        population,
        cases,
        stands_of(places),
        question,
        position=position,
        names=tuple(row[-1] for row in rows),
        columns={name: [row[k] for row in rows] for k, name in enumerate(axes)},
        groups=groups,
        threads=threads,
        client=client,
        folder=folder,
        progress=progress,
    )
    shares = [
        Share(names, found.verdict[at], found.short[at], confidence, of_set, found.why[at])
        for at in np.ndindex(len(groups), len(cases))
    ]
    if not axes:
        return shares[0]
    keyed = dict(zip(keys_of(axes), shares, strict=True))
    return Shares(axes, keyed, found.reused, weights_of(chairs))
