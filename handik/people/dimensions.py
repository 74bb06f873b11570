"""The body dimensions of one person, each with where it comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from handik.errors import ArgumentError, name_not_found, shortened
from handik.people.conditional import Conditional
from handik.people.survey import Survey, survey_of
from handik.spec._given import finite_number, number, whole_number

__all__ = ["ORIGINS", "Dimensions"]

#: What may stand behind a number: measured by the caller; the middle of people with the given ones;
#: drawn from them.
ORIGINS = ("given", "conditional", "drawn")


class Dimensions(Mapping[str, float]):
    """Body dimensions by name, meters, kilograms and years.

    A mapping: ``dimensions["sitting_height"]``. Names are those of ANSUR II with underscores, and
    may be written without.

    Parameters
    ----------
    values : mapping of str to float
        All dimensions.
    conditional : Conditional
        The people they were taken from.
    drawn : bool
        Whether those not given were drawn rather than the middle.

    Examples
    --------
    >>> import handik as hk
    >>> tall = hk.people.dimensions(sex="female", stature=1.75)
    >>> round(tall["sitting_height"], 3), tall.origin("sitting_height"), tall.origin("stature")
    (0.903, 'conditional', 'given')
    """

    def __init__(self, values: Mapping[str, float], conditional: Conditional, drawn: bool) -> None:
        self._values = dict(values)
        self._conditional = conditional
        self._drawn = drawn

    @property
    def sex(self) -> str:
        """``"female"`` or ``"male"``."""
        return self._conditional.survey.sex

    @property
    def source(self) -> str:
        """The survey."""
        return self._conditional.survey.source

    @property
    def given(self) -> dict[str, float]:
        """The dimensions the caller gave."""
        return dict(self._conditional.given)

    def __getitem__(self, name: str) -> float:
        return self._values[self._name(name)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.replace("_", "") in {
            known.replace("_", "") for known in self._values
        }

    def origin(self, name: str) -> str:
        """Return where a number comes from.

        Parameters
        ----------
        name : str
            Of a dimension.

        Returns
        -------
        str
            ``"given"``, ``"conditional"`` (the middle of people with the given ones) or
            ``"drawn"``.

        Raises
        ------
        NotFoundError
            When there is no such dimension.

        Examples
        --------
        >>> import handik as hk
        >>> hk.people.dimensions(sex="male", seed=1).origin("weight")
        'drawn'
        """
        if self._name(name) in self._conditional.given:
            return "given"
        return "drawn" if self._drawn else "conditional"

    def interval(self, name: str, coverage: float = 0.9) -> tuple[float, float]:
        """Return the interval that holds a share of the people with the given dimensions.

        Parameters
        ----------
        name : str
            Of a dimension.
        coverage : float
            The share.

        Returns
        -------
        (float, float)
            Lower and upper end; equal for a dimension that was given.

        Raises
        ------
        NotFoundError
            When there is no such dimension.
        ArgumentError
            When `coverage` is not between 0 and 1.

        Examples
        --------
        >>> import handik as hk
        >>> low, high = hk.people.dimensions(sex="male", stature=1.8).interval("sitting_height")
        >>> f"{low:.3f} to {high:.3f} m"
        '0.899 to 0.973 m'
        """
        return self._conditional.interval(coverage)[self._name(name)]

    def percentile(self, name: str) -> float:
        """Return the percentile of a dimension among all people of this sex.

        Parameters
        ----------
        name : str
            Of a dimension.

        Returns
        -------
        float
            Between 0 and 100.

        Raises
        ------
        NotFoundError
            When there is no such dimension.

        Examples
        --------
        >>> import handik as hk
        >>> round(hk.people.dimensions(sex="male", percentile=95).percentile("stature"), 6)
        95.0
        """
        from statistics import NormalDist

        known = self._name(name)
        return 100 * NormalDist().cdf(self._conditional.survey.score(known, self._values[known]))

    def __repr__(self) -> str:
        given = ", ".join(f"{k}={v:g}" for k, v in self._conditional.given.items()) or "none given"
        return f"Dimensions({self.sex}, {len(self)} dimensions, {given})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{name}</td><td>{value:.3f}</td><td>{_unit(name)}</td>"
            f"<td>{self.origin(name)}</td></tr>"
            for name, value in self._values.items()
        )
        head = "<tr><th>dimension</th><th>value</th><th>unit</th><th>origin</th></tr>"
        return f"<table>{head}{rows}</table>"

    def _name(self, name: Any) -> str:
        if isinstance(name, str):
            if name in self._values:
                return name
            for known in self._values:
                if known.replace("_", "") == name.replace("_", ""):
                    return known
        raise name_not_found("body dimension", name, self._values)


def dimensions(
    sex: str | None = None,
    *,
    stature: float | None = None,
    weight: float | None = None,
    age: float | None = None,
    percentile: float | tuple[float, float] | None = None,
    dimensions: Mapping[str, float] | None = None,
    seed: int | None = None,
    survey: Survey | None = None,
) -> Dimensions:
    """Return all body dimensions of a person of whom some are known.

    The rest is the middle of the people who have the given ones, or with `seed` one of them drawn
    at random. The people are those of ANSUR II (see `handik.people.survey`), or of your `survey`.

    Parameters
    ----------
    sex : {"female", "male"}, optional
        By default that of `survey`, else female.
    stature : float, optional
        Meters.
    weight : float, optional
        Kilograms.
    age : float, optional
        Years. Adds little: the survey's people are 17 to 58 years old.
    percentile : float or (float, float), optional
        Of stature, between 0 and 100; the second one of weight (so of the body mass index) among
        people of that stature. There is no person who has one percentile of everything.
    dimensions : mapping of str to float, optional
        Any other ones, meters.
    seed : int, optional
        Draw what is not given.
    survey : Survey, optional
        Of whom the person is one: `Survey.read` and `Survey.from_records` make it.

    Returns
    -------
    Dimensions

    Raises
    ------
    ArgumentError
        When a number is given twice, `survey` is of another sex, a number lies outside what the
        survey's tables carry, nobody has all of them, or `seed` is negative.
    NotFoundError
        When there is no such dimension.

    Examples
    --------
    >>> import handik as hk
    >>> small = hk.people.dimensions(sex="female", percentile=5)
    >>> round(small["stature"], 3), round(small["popliteal_height"], 3)
    (1.525, 0.357)
    """
    import numpy as np

    people = survey_of(sex, survey)
    given = dimensions_given(dimensions, stature, weight, age)
    if percentile is not None:
        given = _by_percentile(people, percentile, given)
    conditional = people.condition(given)
    if seed is None:
        return Dimensions(conditional.median, conditional, drawn=False)
    row = conditional.draw(1, np.random.default_rng(whole_number("seed", seed, 2**63 - 1)))[0]
    return Dimensions(
        dict(zip(people.names, map(float, row), strict=True)), conditional, drawn=True
    )


def dimensions_of(
    sex: str | None,
    stature: float | None,
    weight: float | None,
    age: float | None,
    percentile: float | tuple[float, float] | None,
    others: Mapping[str, float] | None,
    seed: int | None,
) -> Dimensions:
    """Return a person's dimensions from what a caller gave, or the person that was given whole."""
    if not isinstance(others, Dimensions):
        return dimensions(
            sex,
            stature=stature,
            weight=weight,
            age=age,
            percentile=percentile,
            dimensions=others,
            seed=seed,
        )
    said = {"stature": stature, "weight": weight, "age": age, "percentile": percentile}
    for name, value in {**said, "seed": seed}.items():
        if value is not None:
            raise ArgumentError(f"dimensions are a whole person already: {name} is given twice")
    if sex is not None and sex != others.sex:
        raise ArgumentError(f"sex is {sex!r}, but dimensions are a {others.sex} person's")
    return others


def dimensions_given(
    others: Mapping[str, float] | None,
    stature: float | None,
    weight: float | None,
    age: float | None,
) -> dict[str, float]:
    """Return the dimensions that a caller gave, in one mapping."""
    if others is not None and not isinstance(others, Mapping):
        raise TypeError(
            f"dimensions must be a mapping of names to numbers, got {shortened(others)}"
        )
    given = dict(others or {})
    for name, value in (("stature", stature), ("weight", weight), ("age", age)):
        if value is not None:
            if name in given:
                raise ArgumentError(f"{name} is given twice")
            given[name] = finite_number(name, value)
    return given


def _by_percentile(
    people: Survey, percentile: float | tuple[float, float], given: dict[str, float]
) -> dict[str, float]:
    """Return the given dimensions and those that percentiles say."""
    given_as = percentile if isinstance(percentile, (tuple, list)) else (percentile,)
    pair = [number("percentile", p) for p in given_as]
    if len(pair) not in (1, 2) or not all(0 < p < 100 for p in pair):
        raise ArgumentError(
            f"percentile must be a number between 0 and 100 or a pair of them, got {percentile!r}"
        )
    for name in ("stature", "weight")[: len(pair)]:
        if name in given:
            raise ArgumentError(f"{name} is given twice, once as a percentile")
    given = {"stature": people.quantile("stature", pair[0] / 100)} | given
    if len(pair) == 2:
        given["weight"] = people.condition(given).quantile("weight", pair[1] / 100)
    return given


def _unit(name: str) -> str:
    return {"weight": "kg", "age": "years"}.get(name, "m")
