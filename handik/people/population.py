"""Many people at once."""

from __future__ import annotations

import csv
import operator
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, shortened
from handik.people.conditional import Conditional
from handik.people.dimensions import Dimensions, dimensions_given
from handik.people.survey import SEXES, survey
from handik.spec._given import choice, list_of, whole_number

if TYPE_CHECKING:
    from handik.people.human import Human
    from handik.people.impairments import Profile

__all__ = ["Population", "boundary_cases", "population"]


class Population:
    """People with correlated body dimensions.

    ``people.dimensions`` is a structured array, one column a dimension; ``people[i]`` are the
    `Dimensions` of one of them. `population` makes it. ``pandas.DataFrame(people.dimensions)`` and
    ``pyarrow.Table.from_pandas`` of that take the array as it is.

    Parameters
    ----------
    parts : list of (Conditional, ndarray)
        Groups of people: whom they were drawn from, and their rows in the order of the survey.
    profile : Profile, optional
        The impairment of all of them.
    chair : {"manual", "power"}, optional
        The wheelchair of all of them.
    seat_height : ndarray, shape (n,), optional
        Of their chairs.
    whitened : bool
        Whether they were drawn with exactly the survey's mean and correlation.
    sampling : {"random", "sobol"}
        How they were drawn.

    Attributes
    ----------
    dimensions : ndarray, structured, shape (n,)
        Meters, kilograms and years by name.
    sex : ndarray of str, shape (n,)
    profile : Profile or None
    chair : str or None
    whitened : bool
        They are then not independent of each other.
    sampling : str
        Those of a Sobol' sequence are not independent of each other either.
    seat_height : ndarray, shape (n,)
        Of the wheelchairs, occupied, meters above the floor; NaN without one.
    """

    def __init__(
        self,
        parts: list[tuple[Conditional, NDArray[np.float64]]],
        profile: Profile | None = None,
        chair: str | None = None,
        seat_height: NDArray[np.float64] | None = None,
        whitened: bool = False,
        sampling: str = "random",
    ) -> None:
        self.profile, self.chair, self.whitened = profile, chair, whitened
        self.sampling = sampling
        names = parts[0][0].survey.names
        self._parts = [conditional for conditional, _ in parts]
        self._part = np.repeat(np.arange(len(parts)), [len(rows) for _, rows in parts])
        table = np.concatenate([rows for _, rows in parts])
        self.dimensions = np.ascontiguousarray(table).view([(n, np.float64) for n in names])[:, 0]
        self.dimensions.flags.writeable = False
        self.sex = np.array([c.survey.sex for c in self._parts])[self._part]
        none = np.full(len(table), np.nan)
        self.seat_height = none if seat_height is None else seat_height
        self.seat_height.flags.writeable = False

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
                "people.dimensions takes masks and lists"
            ) from None
        row = self.dimensions[i]
        values = dict(zip(self.dimensions.dtype.names or (), map(float, row), strict=True))
        return Dimensions(values, self._parts[int(self._part[i])], drawn=True)

    def __iter__(self) -> Iterator[Dimensions]:
        return (self[i] for i in range(len(self)))

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
            Seated as `handik.people.human` seats people, not at `seat_height`.

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
    profile: str | Profile | None = None,
    chair: str | None = None,
) -> Population:
    """Draw people whose body dimensions go together as in a survey.

    Parameters
    ----------
    n : int
        How many.
    sex : {"female", "male"}, optional
        By default half of them women, the odd one a woman too.
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
        be computed from their number (but from several seeds). Needs SciPy.
    profile : str or Profile, optional
        An impairment of all of them; see `handik.people.impairments`.
    chair : {"manual", "power"}, optional
        A wheelchair for each, whose occupied seat height is drawn from a normal distribution with
        the mean and spread of a survey of its users, within the range found there.

    Returns
    -------
    Population

    Raises
    ------
    ArgumentError
        When n or `seed` is negative, n is too small to whiten, a number is outside the survey's
        tables, nobody has all that is given, or there is no such sampling.
    NotFoundError
        When there is no such dimension.
    UnsupportedError
        When a Sobol' sequence is asked for and SciPy is not installed.

    Notes
    -----
    A Gaussian copula with quantile marginals; see `handik.people.survey`. The dimensions are those
    of people without an impairment. How seat heights go with the body is not known: they are drawn
    apart from it, an assumption. Their numbers are those of D'Souza et al. 2022, younger group.

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
    counts = {"female": n - n // 2, "male": n // 2} if sex is None else {survey(sex).sex: n}
    parts = []
    for k, (which, count) in enumerate(counts.items()):
        conditional = survey(which).condition(given)
        rng = np.random.default_rng([seed, SEXES.index(which) if sex is None else k])
        rows = conditional.draw(count, rng, whiten=whiten, sampling=sampling)
        parts.append((conditional, rows))
    if profile is not None:
        from handik.people.impairments import profile as read

        profile = read(profile)
    if chair is None:
        return Population(parts, profile, whitened=whiten, sampling=sampling)
    choice("chair", chair, ("manual", "power"))
    rng = np.random.default_rng([seed, 2])
    seats = [_seats(chair, conditional.survey.sex, len(rows), rng) for conditional, rows in parts]
    return Population(parts, profile, chair, np.concatenate(seats), whiten, sampling)


@cache
def _seat_table() -> dict[tuple[str, str], NDArray[np.float64]]:
    """Mean, spread, least and greatest seat height by chair and sex, meters."""
    path = files("handik.data") / "people" / "seat_height.csv"
    names = ("mean_mm", "sd_mm", "min_mm", "max_mm")
    return {
        (row["chair"], row["sex"]): np.array([1e-3 * float(row[name]) for name in names])
        for row in csv.DictReader(path.read_text("utf-8").splitlines())
    }


def _seats(chair: str, sex: str, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    mean, spread, low, high = _seat_table()[chair, sex]
    found = rng.normal(mean, spread, n)
    while (bad := (found < low) | (found > high)).any():
        found[bad] = rng.normal(mean, spread, int(bad.sum()))
    return found


def boundary_cases(
    names: tuple[str, ...] = ("stature", "weight"),
    *,
    sex: str = "female",
    coverage: float = 0.9,
    axes: int | None = None,
) -> list[Dimensions]:
    """Return people on the edge of the region that holds a share of all people.

    The region is the ellipsoid of the named dimensions' normal scores; the people are the two ends
    of each of its axes, the longest first, with their other dimensions in the middle. Designing for
    all of them covers the region (Bittner 2000; Young, Margerum, Barr et al. 2008).

    Parameters
    ----------
    names : tuple of str
        The dimensions that matter for the design.
    sex : {"female", "male"}
    coverage : float
        Share of people inside the ellipsoid.
    axes : int, optional
        How many of the axes; by default all, one a dimension.

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
    people = survey(sex)
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
