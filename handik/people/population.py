"""Many people at once."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, UnsupportedError, shortened
from handik.people._interval import interval_of_sets, level_of, share_of_sets, wilson
from handik.people._seat_heights import CHAIRS, SeatTable, drawn_heights, seat_table
from handik.people.conditional import Conditional
from handik.people.dimensions import Dimensions, dimensions_given
from handik.people.survey import SEXES, Survey, survey_of
from handik.spec._given import as_array, choice, list_of, reals, whole_number

if TYPE_CHECKING:
    from handik.people.human import Human
    from handik.people.impairments import Profile

__all__ = ["Population", "boundary_cases", "population"]


class Population:
    """People with correlated body dimensions.

    ``people.dimensions`` is a structured array, one column a dimension; ``people[i]`` are the
    `Dimensions` of one of them. `population` makes it. ``pandas.DataFrame(people.dimensions)``
    takes the array as it is; ``pyarrow.table(people)`` and whatever else reads Arrow's streams has
    a column ``sex`` before the dimensions, and ``seat_height`` after them of people with a chair.

    Parameters
    ----------
    parts : list of (Conditional, ndarray)
        Groups of people: whom they were drawn from, and their rows in the order of the survey.
    profile : Profile or tuple of Profile, optional
        The impairment of all of them.
    chair : {"manual", "power"}, optional
        The wheelchair of all of them.
    seat_height : ndarray, shape (n,), optional
        Of their chairs.
    whitened : bool
        Whether they were drawn with exactly the survey's mean and correlation.
    sampling : {"random", "sobol"}
        How they were drawn.
    set : ndarray of int, shape (n,), optional
        Of which set each is; by default all are of one.
    seed : int
        By which they were drawn, and seats of theirs are.

    Attributes
    ----------
    dimensions : ndarray, structured, shape (n,)
        Meters, kilograms and years by name.
    sex : ndarray of str, shape (n,)
    profile : Profile, tuple of Profile or None
    chair : str or None
    whitened : bool
        They are then not independent of each other.
    sampling : str
        Those of a Sobol' sequence are not independent of each other either.
    set : ndarray of int, shape (n,)
        Of which set each is. Sets are drawn apart, so that their means are independent.
    seat_height : ndarray, shape (n,)
        Of the wheelchairs, occupied, meters above the floor; NaN without one.
    """

    def __init__(
        self,
        parts: list[tuple[Conditional, NDArray[np.float64]]],
        profile: Profile | tuple[Profile, ...] | None = None,
        chair: str | None = None,
        seat_height: NDArray[np.float64] | None = None,
        whitened: bool = False,
        sampling: str = "random",
        set: NDArray[np.intp] | None = None,
        seed: int = 0,
    ) -> None:
        self.profile, self.chair, self.whitened = profile, chair, whitened
        self.sampling, self._seed = sampling, seed
        self._seats: SeatTable | None = None
        names = parts[0][0].survey.names
        self._parts = [conditional for conditional, _ in parts]
        self._part = np.repeat(np.arange(len(parts)), [len(rows) for _, rows in parts])
        self._drawn, self._rows = self._part, np.arange(len(self._part))
        table = np.concatenate([rows for _, rows in parts])
        self.dimensions = np.ascontiguousarray(table).view([(n, np.float64) for n in names])[:, 0]
        self.dimensions.flags.writeable = False
        self.sex = np.array([c.survey.sex for c in self._parts])[self._part]
        none = np.full(len(table), np.nan)
        self.seat_height = none if seat_height is None else seat_height
        self.seat_height.flags.writeable = False
        self.set = np.zeros(len(table), np.intp) if set is None else set
        self.set.flags.writeable = False

    def __len__(self) -> int:
        return len(self.dimensions)

    def __repr__(self) -> str:
        count = ", ".join(f"{np.count_nonzero(self.sex == s)} {s}" for s in SEXES)
        return f"Population({count})"

    @overload
    def __getitem__(self, index: int) -> Dimensions: ...
    @overload
    def __getitem__(self, index: slice) -> list[Dimensions]: ...
    def __getitem__(self, index: int | slice) -> Dimensions | list[Dimensions]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        try:
            i = operator.index(index)
        except TypeError:
            raise TypeError(
                f"people are counted by whole numbers and slices, got {shortened(index)}; "
                "people.of(mask) are those of a mask, people.dimensions has columns by name"
            ) from None
        row = self.dimensions[i]
        values = dict(zip(self.dimensions.dtype.names or (), map(float, row), strict=True))
        return Dimensions(values, self._parts[int(self._part[i])], drawn=True)

    def __iter__(self) -> Iterator[Dimensions]:
        return (self[i] for i in range(len(self)))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return the people as Arrow's stream of a table, by pyarrow."""
        try:
            import pyarrow
        except ImportError:
            raise UnsupportedError(
                "a table of Arrow needs pyarrow: pip install 'handik[parquet]'"
            ) from None
        columns: dict[str, Any] = {"sex": pyarrow.array(self.sex.tolist(), pyarrow.string())}
        for name in self.dimensions.dtype.names or ():
            columns[name] = np.ascontiguousarray(self.dimensions[name])
        if self.chair is not None:
            columns["seat_height"] = self.seat_height
        return pyarrow.table(columns).__arrow_c_stream__(requested_schema)

    def of(self, who: ArrayLike) -> Population:
        """Return some of the people, with the profile, chairs and sets that they have.

        Parameters
        ----------
        who : array_like of bool, shape (n,)
            Which of them.

        Returns
        -------
        Population

        Raises
        ------
        ArgumentError
            When it is not true or false for each of them.

        Examples
        --------
        >>> import handik as hk
        >>> people = hk.population(100, sex="female", seed=1)
        >>> people.of(people.dimensions["stature"] < 1.55)
        Population(11 female, 0 male)
        """
        chosen = as_array("who", who)
        if chosen.dtype != bool or chosen.shape != (len(self),):
            raise ArgumentError(f"who must be true or false for each of {len(self)} people")
        out = copy(self)
        for name in ("dimensions", "sex", "seat_height", "set", "_part", "_rows"):
            some = getattr(self, name)[chosen]
            some.flags.writeable = False
            setattr(out, name, some)
        return out

    def interval(self, values: ArrayLike, level: float = 0.95) -> tuple[float, float]:
        """Return an interval for the mean that all people have, of whom these were drawn.

        Parameters
        ----------
        values : array_like, shape (n,)
            A number of each of the people; true and false for a share.
        level : float
            Of the interval.

        Returns
        -------
        (float, float)
            Its ends.

        Raises
        ------
        ArgumentError
            When the shape is wrong, a number not finite, `level` not between 0 and 1, or the people
            are not independent of each other: whitened, of a single Sobol' sequence, or one alone.
        UnsupportedError
            When there is no SciPy, for Student's distribution.

        Notes
        -----
        People drawn at random: Wilson's for a share, else Student's from their spread. Several sets
        of a Sobol' sequence: Student's from the spread of the sets' means, which takes in how much
        nearer to the truth they are. A share that is the same in every set has Wilson's, as though
        the people had been drawn at random: sets that all agree tell no spread.

        References
        ----------
        Owen, A. B., Randomly permuted (t,m,s)-nets and (t,s)-sequences, Monte Carlo and
        Quasi-Monte Carlo Methods in Scientific Computing (1995) 299-317.

        Examples
        --------
        >>> import handik as hk
        >>> people = hk.population(256, sex="female", sampling="sobol", sets=16)
        >>> low, high = people.interval(people.dimensions["stature"] < 1.60)
        >>> 0.25 < low < high < 0.4
        True
        """
        given = as_array("values", values)
        one = reals(given.astype(float) if given.dtype == bool else given, "values", ())
        sure = level_of(level)
        if one.shape != (len(self),):
            raise ArgumentError(f"values must be one for each of {len(self)} people")
        share = bool(np.isin(one, (0.0, 1.0)).all())
        several = int(self.set.max(initial=0)) + 1
        if self.whitened or (self.sampling != "random" and several == 1) or len(self) < 2:
            raise ArgumentError(
                "these people are not independent of each other, so that their number gives no "
                'interval: draw several sets, sampling="sobol" with sets=16'
            )
        if several == 1:
            if share:
                return wilson(float(one.sum()), len(self), sure)
            return interval_of_sets(one, np.arange(len(self)), sure)
        if share:
            return share_of_sets(one == 1, self.set, sure)
        return interval_of_sets(one, self.set, sure)

    def with_profile(self, profile: str | Profile | Sequence[str | Profile] | None) -> Population:
        """Return the same people with an impairment.

        Parameters
        ----------
        profile : str, Profile, sequence of these or None
            Of all of them, instead of what they had; see `handik.people.impairments`.

        Returns
        -------
        Population
            What ``population(..., profile=profile)`` draws.

        Raises
        ------
        NotFoundError
            When there is no such profile.

        Examples
        --------
        >>> import handik as hk
        >>> people = hk.population(10, seed=1)
        >>> people.with_profile("sci_c6").human(0).impaired.profiles[0].name
        'sci_c6'
        """
        out = copy(self)
        out.profile = read_profile(profile)
        return out

    def with_chair(self, chair: str | None, *, seats: Any = None) -> Population:
        """Return the same people in wheelchairs.

        Parameters
        ----------
        chair : {"manual", "power"} or None
            Of all of them, instead of what they had.
        seats : path, optional
            A table of seat heights of your own, as `population` takes it; by default that which
            they were drawn with.

        Returns
        -------
        Population
            What ``population(..., chair=chair, seats=seats)`` draws.

        Raises
        ------
        ArgumentError
            When it is no such chair, or the table is wrong or has no such chair.
        MissingFileError
            When there is no such file.
        ReadError
            When it is no file, or cannot be opened.

        Examples
        --------
        >>> import handik as hk
        >>> people = hk.population(10, seed=1)
        >>> high = people.with_chair("manual").seat_height - people.with_chair("power").seat_height
        >>> bool((high != 0).all())
        True
        """
        out = copy(self)
        out.chair = None if chair is None else choice("chair", chair, CHAIRS)
        out.seat_height = np.full(len(self), np.nan)
        if seats is not None:
            out._seats = seat_table(seats)
        if out.chair is not None:
            rng = np.random.default_rng([self._seed, 2])
            counts = np.bincount(self._drawn, minlength=len(self._parts)).tolist()
            sexes = [conditional.survey.sex for conditional in self._parts]
            table = seat_table() if out._seats is None else out._seats
            drawn = drawn_heights(table, out.chair, zip(sexes, counts, strict=True), rng)
            out.seat_height = drawn[self._rows]
        out.seat_height.flags.writeable = False
        return out

    def human(self, index: int, **named: Any) -> Human:
        """Return one of the people as a figure, with the profile of them all.

        Parameters
        ----------
        index : int
            Which.
        **named
            ``detail``, ``position``, ``limits`` and ``ranges`` of `handik.people.human`.

        Returns
        -------
        Human
            Seated as `handik.people.human` seats people; `handik.access.seat` puts her into a
            chair at `seat_height`, as shares of people with a `chair` do.

        Raises
        ------
        IndexError
            When there is no such person.
        TypeError
            When `index` is no whole number.
        """
        from handik.people.human import human

        return human(dimensions=self[operator.index(index)], profile=self.profile, **named)


def population(
    n: int,
    *,
    sex: str | None = None,
    seed: int = 0,
    stature: float | None = None,
    weight: float | None = None,
    age: float | None = None,
    dimensions: Mapping[str, float] | None = None,
    whiten: bool = False,
    sampling: str = "random",
    sets: int = 1,
    profile: str | Profile | Sequence[str | Profile] | None = None,
    chair: str | None = None,
    seats: Any = None,
    survey: Survey | None = None,
) -> Population:
    """Draw people whose body dimensions go together as in a survey.

    Parameters
    ----------
    n : int
        How many.
    sex : {"female", "male"}, optional
        By default that of `survey`, else half of them women, the odd one a woman too.
    seed : int
        The same seed draws the same people.
    stature, weight, age : float, optional
        Given to all of them; meters, kilograms, years.
    dimensions : mapping of str to float, optional
        Other dimensions given to all of them, meters.
    whiten : bool
        Give the people drawn exactly the survey's mean and correlation (of normal scores). They
        are then not independent of each other, so that no confidence interval may be computed from
        their number. Needs more people of each sex than there are dimensions not given.
    sampling : {"random", "sobol"}
        ``"sobol"``: people spread evenly over the distribution by a scrambled Sobol' sequence, best
        with a power of two of each sex. Shares and means come nearer to those of all people with as
        many drawn; the people are not independent of each other, so that no confidence interval may
        be computed from their number (but from several `sets`). Needs SciPy.
    sets : int
        So many Sobol' sequences, each scrambled by itself, of n / sets people each: how their means
        differ gives an interval (`Population.interval`). 16 sets of 64 are usual.
    profile : str, Profile or sequence of these, optional
        An impairment of all of them, or several put together; see `handik.people.impairments`.
    chair : {"manual", "power"}, optional
        A wheelchair for each, whose occupied seat height is drawn from a normal distribution with
        the mean and spread of a survey of its users, within the range found there.
    seats : path, optional
        A CSV of such heights of your own, with the columns ``chair, sex, mean_mm, sd_mm, min_mm,
        max_mm, trust, source``; what `Population.with_chair` draws later goes by it too.
    survey : Survey, optional
        Of whom they are drawn: `Survey.read` and `Survey.from_records` make it. Figures can be made
        of them (`Population.human`) if it has all dimensions that ours has.

    Returns
    -------
    Population

    Raises
    ------
    ArgumentError
        When n or `seed` is negative, n is too small to whiten, a number is outside the survey's
        tables, nobody has all that is given, there is no such sampling, n cannot be shared out
        equally among the sets and sexes, or `seats` is wrong.
    NotFoundError
        When there is no such dimension.
    UnsupportedError
        When a Sobol' sequence is asked for and SciPy is not installed.
    MissingFileError
        When there is no such file of seats.
    ReadError
        When it is no file, or cannot be opened.

    Notes
    -----
    A Gaussian copula with quantile marginals; see `handik.people.survey`. The dimensions are those
    of people without an impairment. How seat heights go with the body is not known: they are drawn
    apart from it, an assumption. Their numbers, unless `seats` are given, are those of D'Souza et
    al. 2022, younger group.

    Examples
    --------
    >>> import handik as hk
    >>> people = hk.population(1000, sex="male", seed=1)
    >>> people.dimensions["stature"].shape
    (1000,)
    >>> people[0].origin("stature")
    'drawn'
    """
    n, seed = whole_number("n", n), whole_number("seed", seed, 2**63 - 1)
    given = dimensions_given(dimensions, stature, weight, age)
    both = sex is None and survey is None
    counts = [(survey_of(sex, survey), n)]
    if both:
        counts = [(survey_of("female", None), n - n // 2), (survey_of("male", None), n // 2)]
    many = _sets(sets, sampling, whiten, [count for _, count in counts])
    parts = []
    for k, (surveyed, count) in enumerate(counts):
        conditional = surveyed.condition(given)
        own = [seed, SEXES.index(surveyed.sex) if both else k]
        seeds = [[*own, j] for j in range(many)] if many > 1 else [own]
        drawn = [
            conditional.draw(
                count // many, np.random.default_rng(one), whiten=whiten, sampling=sampling
            )
            for one in seeds
        ]
        parts.append((conditional, np.concatenate(drawn)))
    of_set = np.concatenate([np.repeat(np.arange(many), c // many) for _, c in counts])
    people = Population(parts, whitened=whiten, sampling=sampling, set=of_set, seed=seed)
    return people.with_profile(profile).with_chair(chair, seats=seats)


def _sets(sets: int, sampling: str, whiten: bool, counts: list[int]) -> int:
    """Return how many sets, checked."""
    many = whole_number("sets", sets)
    if many < 1:
        raise ArgumentError(f"sets must be 1 or more, got {sets!r}")
    if many > 1 and (sampling != "sobol" or whiten):
        raise ArgumentError('sets are of Sobol\' sequences: sampling="sobol", not whitened')
    if any(count % many for count in counts):
        raise ArgumentError(
            f"n must be shared out equally among {many} sets"
            + (" of women and men" if len(counts) > 1 else "")
        )
    return many


def read_profile(
    profile: str | Profile | Sequence[str | Profile] | None,
) -> Profile | tuple[Profile, ...] | None:
    """Return an impairment, or several that hold together."""
    from handik.people.impairments import Profile, combine
    from handik.people.impairments import profile as read

    if profile is None or isinstance(profile, (str, Profile)):
        return None if profile is None else read(profile)
    return combine(*list_of("profile", profile))


def boundary_cases(
    names: tuple[str, ...] = ("stature", "weight"),
    *,
    sex: str | None = None,
    coverage: float = 0.9,
    axes: int | None = None,
    survey: Survey | None = None,
) -> list[Dimensions]:
    """Return people on the edge of the region that holds a share of all people.

    The region is the ellipsoid of the named dimensions' normal scores; the people are the two ends
    of each of its axes, the longest first, with their other dimensions in the middle. Designing for
    all of them covers the region (Bittner 2000; Young, Margerum, Barr et al. 2008).

    Parameters
    ----------
    names : tuple of str
        The dimensions that matter for the design.
    sex : {"female", "male"}, optional
        By default that of `survey`, else female.
    coverage : float
        Share of people inside the ellipsoid.
    axes : int, optional
        How many of the axes; by default all, one a dimension.
    survey : Survey, optional
        Of whom they are; by default ours.

    Returns
    -------
    list of Dimensions
        Two an axis.

    Raises
    ------
    ArgumentError
        When a name comes twice, or `coverage` or `axes` is out of range.
    NotFoundError
        When there is no such dimension.

    Examples
    --------
    >>> import handik as hk
    >>> cases = hk.people.boundary_cases(("stature", "sitting_height"), sex="male", coverage=0.95)
    >>> [f"{case['stature']:.2f}" for case in cases]
    ['1.93', '1.60', '1.70', '1.81']
    """
    people = survey_of(sex, survey)
    names = (names,) if isinstance(names, str) else tuple(list_of("names", names))
    ends = people.ellipsoid_ends(names, coverage)
    count = len(names) if axes is None else whole_number("axes", axes)
    if not 0 < count <= len(names):
        raise ArgumentError(f"axes lies between 1 and {len(names)}, got {axes!r}")
    return [
        Dimensions(conditional.median, conditional, drawn=False)
        for scores in ends[: 2 * count]
        for conditional in [people.condition(dict(zip(names, scores, strict=True)))]
    ]
