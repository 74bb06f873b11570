"""Body dimensions of a population: the quantiles of each, and how they go together.

A Gaussian copula with quantile marginals: each dimension is a monotone map of a standard normal
score, and the scores are jointly normal, correlated so that the dimensions have the survey's
correlations (Cario and Nelson 1997, "normal to anything"). Given any of them, the rest follow the
conditional normal distribution.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from math import factorial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, name_not_found, shortened
from handik.people._quantile import (
    DRAWN_WITHIN,
    GIVEN_WITHIN,
    QuantileMap,
    chi_square_quantile,
    normal_score,
    score_of_share,
    share_of_people,
)
from handik.people._tables import (
    SHARES,
    columns_of,
    percentiles,
    read_correlation,
    read_dimensions,
)
from handik.people.conditional import Conditional
from handik.spec._given import finite_number, list_of, of_class, path_text, reals, text

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["SEXES", "Survey", "survey"]

Floats = NDArray[np.float64]

SEXES = ("female", "male")
#: Nodes of the quadrature, terms of the series, steps of Newton's method that turn correlations of
#: dimensions into those of scores. More of any change none of them by 1e-4.
_NODES, _TERMS, _NEWTON_STEPS = 64, 6, 8
#: Eigenvalues of a user's correlation matrix are raised to this.
_LEAST_EIGENVALUE = 1e-4


class Survey:
    """Body dimensions of one sex.

    Parameters
    ----------
    names : sequence of str
        Of the dimensions.
    maps : sequence
        From normal scores to values, one a dimension.
    correlation : array_like, shape (d, d)
        Of the dimensions (Pearson's). Made positive definite where it is not, as `mended` says.
    sex : str
        ``"female"`` or ``"male"``.
    source : str
        Where the numbers come from.
    """

    def __init__(
        self,
        names: Sequence[str],
        maps: Sequence[QuantileMap],
        correlation: ArrayLike,
        *,
        sex: str,
        source: str,
    ) -> None:
        self.names = tuple(names)
        self.sex = _known_sex(sex)
        self.source = source
        self._maps = tuple(maps)
        self.correlation, self.mended = _positive(np.asarray(correlation, float), len(self.names))
        self._of_scores, _ = _positive(_of_scores(self._maps, self.correlation), len(self.names))
        self.correlation.flags.writeable = False
        self._index = {name.replace("_", ""): i for i, name in enumerate(self.names)}
        if "" in self._index or len(self._index) < len(self.names):
            raise ArgumentError("names must differ by more than underscores, and none be empty")

    def __repr__(self) -> str:
        return f"Survey({self.sex}, {len(self.names)} dimensions)"

    @classmethod
    def read(
        cls,
        dimensions: str | Path,
        correlation: str | Path,
        *,
        sex: str,
        source: str | None = None,
    ) -> Survey:
        """Read a survey from two tables of your own.

        Parameters
        ----------
        dimensions : path
            A CSV with the columns ``name, unit, sex, p1, p5, p10, p25, p50, p75, p90, p95, p99``,
            parted by commas; units mm, cm, m, kg or year.
        correlation : path
            A CSV whose first row and column name the dimensions; the lower triangle is enough.
        sex : {"female", "male"}
            Which rows of the first table.
        source : str, optional
            Where the numbers come from; by default the name of the file.

        Returns
        -------
        Survey

        Raises
        ------
        ArgumentError
            When a column or a name is missing or twice, percentiles fall or are not above zero, or
            a number is no correlation.
        MissingFileError
            When there is no such file.
        ReadError
            When it is no file, or cannot be opened.

        Examples
        --------
        >>> from handik.people import survey
        >>> round(survey("female").quantile("stature", 0.5), 3)
        1.626
        """
        given = [("dimensions", dimensions), ("correlation", correlation)]
        first, second = (Path(path_text(name, path)) for name, path in given)
        source = first.name if source is None else text("source", source)
        return cls._of_tables(first, second, _known_sex(sex), source)

    @classmethod
    def from_records(cls, records: Any, *, sex: str, source: str = "records") -> Survey:
        """Make a survey from people of one sex whom you measured yourself.

        Parameters
        ----------
        records : mapping of str to array_like, structured array or pandas.DataFrame
            A column a dimension and a row a person, 20 of them or more; meters, kilograms, years.
            Columns of other things, and people of whom a number is missing, are left out before.
        sex : {"female", "male"}
        source : str
            Where the numbers come from.

        Returns
        -------
        Survey
            Of their nine percentiles and correlations. How far those of so few are from all
            people's is not in it.

        Raises
        ------
        ArgumentError
            When a column has no name, a number is not finite, a dimension looks as if it were in
            millimeters or centimeters, there are too few people, or too few of them differ.

        Examples
        --------
        >>> import handik as hk
        >>> measured = hk.population(500, sex="female", seed=1).dimensions
        >>> own = hk.people.Survey.from_records(
        ...     {name: measured[name] for name in ("stature", "weight")}, sex="female"
        ... )
        >>> own
        Survey(female, 2 dimensions)
        >>> round(hk.people.dimensions(survey=own, stature=1.7)["weight"])
        72
        """
        which = _known_sex(sex)
        names, values = columns_of(records)
        shares = percentiles(values)
        for name, row in zip(names, shares, strict=True):
            _refuse_unit(name, float(row[4]), which)
        scores = np.array([normal_score(p) for p in SHARES.values()])
        maps = [QuantileMap(scores, row) for row in shares]
        matrix = np.atleast_2d(np.corrcoef(_of_size_one(values.T)))
        return cls(names, maps, matrix, sex=which, source=text("source", source))

    @classmethod
    def _of_tables(
        cls, dimensions: Path | Traversable, correlation: Path | Traversable, sex: str, source: str
    ) -> Survey:
        names, scale, values = read_dimensions(dimensions, sex)
        matrix = read_correlation(correlation, names)
        scores = np.array([normal_score(p) for p in SHARES.values()])
        maps = [QuantileMap(scores, k * row) for k, row in zip(scale, values, strict=True)]
        return cls(names, maps, matrix, sex=sex, source=source)

    def index(self, name: str) -> int:
        """Return the place of a dimension; underscores may be left out.

        Parameters
        ----------
        name : str
            As ``"sitting_height"``, or as the survey's files write it, ``"sittingheight"``.

        Returns
        -------
        int

        Raises
        ------
        NotFoundError
            When there is no such dimension.

        Examples
        --------
        >>> from handik.people import survey
        >>> women = survey("female")
        >>> women.names[women.index("sittingheight")]
        'sitting_height'
        """
        try:
            return self._index[name.replace("_", "")]
        except (KeyError, AttributeError, TypeError):
            raise name_not_found("body dimension", name, self.names) from None

    def quantile(self, name: str, p: float) -> float:
        """Return the value below which a share p of the people lies.

        Parameters
        ----------
        name : str
            Of a dimension.
        p : float
            Between 0 and 1, neither included.

        Returns
        -------
        float
            In m, kg or years.

        Raises
        ------
        ArgumentError
            When p is not between 0 and 1, or nearer to an end than the tables carry.

        Examples
        --------
        >>> from handik.people import survey
        >>> round(survey("male").quantile("weight", 0.95), 1)
        110.7
        """
        return float(self._maps[self.index(name)](np.array(score_of_share(p))))

    def values(self, scores: ArrayLike) -> Floats:
        """Return the dimensions of people given by their normal scores.

        Parameters
        ----------
        scores : array_like, shape (..., d)
            One a dimension, in the order of `names`.

        Returns
        -------
        ndarray, shape (..., d)
            In m, kg and years.

        Raises
        ------
        ArgumentError
            When the shape is another, or a score is not finite.

        Examples
        --------
        >>> import numpy as np
        >>> from handik.people import survey
        >>> women = survey("female")
        >>> women.values(np.zeros(94))[women.index("stature")] == women.quantile("stature", 0.5)
        np.True_
        """
        z = reals(scores, "scores", (len(self.names),))
        return np.stack([m(z[..., i]) for i, m in enumerate(self._maps)], axis=-1)

    def score(self, name: str, value: float) -> float:
        """Return the normal score of a value: 0 for the median, 1.64 for the 95th percentile.

        Parameters
        ----------
        name : str
            Of a dimension.
        value : float
            In m, kg or years.

        Returns
        -------
        float

        Raises
        ------
        ArgumentError
            When the value is not finite, or further from the survey's people than its tables carry.

        Examples
        --------
        >>> from handik.people import survey
        >>> round(survey("male").score("stature", 1.755), 2)
        -0.0
        """
        i = self.index(name)
        value = finite_number(f"the value of {self.names[i]}", value)
        z = self._maps[i].inverse(value)
        if abs(z) > GIVEN_WITHIN:
            ends = self._maps[i](np.array([-GIVEN_WITHIN, GIVEN_WITHIN]))
            raise ArgumentError(
                f"{self.names[i]} = {value:g} is further than {GIVEN_WITHIN:g} standard scores "
                f"from the survey's median ({self.sex}): its tables carry {ends[0]:.3g} to "
                f"{ends[1]:.3g}"
                f"{_unit_hint(value, ends)}"
            )
        return z

    def ellipsoid_ends(self, names: Sequence[str], coverage: float) -> Floats:
        """Return the ends of the axes of the ellipsoid that holds a share of the people.

        Parameters
        ----------
        names : sequence of str
            The dimensions that span it.
        coverage : float
            The share, between 0 and 1.

        Returns
        -------
        ndarray, shape (2 k, k)
            Values of the k dimensions: both ends of the longest axis, then of the next.

        Raises
        ------
        ArgumentError
            When no name is given or one twice, or `coverage` is not between 0 and 1.
        NotFoundError
            When there is no such dimension.

        Examples
        --------
        >>> from handik.people import survey
        >>> survey("male").ellipsoid_ends(["stature", "weight"], 0.9).shape
        (4, 2)
        """
        listed = [names] if isinstance(names, str) else list_of("names", names)
        at = [self.index(name) for name in listed]
        if not at or len(set(at)) < len(at):
            raise ArgumentError("names must be one or more dimensions, each once")
        share = share_of_people(coverage, "coverage")
        w, v = np.linalg.eigh(self._of_scores[np.ix_(at, at)])
        v = v * np.where(v.sum(0) < 0, -1.0, 1.0)
        radius = np.sqrt(chi_square_quantile(share, len(at)) * w)
        ends = [
            sign * r * axis
            for r, axis in zip(radius[::-1], v.T[::-1], strict=True)
            for sign in (1, -1)
        ]
        scores = np.zeros((len(ends), len(self.names)))
        scores[:, at] = ends
        return self.values(scores)[:, at]

    def condition(self, given: Mapping[str, float]) -> Conditional:
        """Return the distribution of all dimensions, some of them given.

        Parameters
        ----------
        given : mapping of str to float
            Any of the dimensions, in m, kg and years; may be empty.

        Returns
        -------
        Conditional

        Raises
        ------
        ArgumentError
            When a value is outside what the tables carry, a dimension is given twice, or nobody
            has all of them: people so unlike the rest are as rare as six standard scores of one.
        NotFoundError
            When there is no such dimension.
        TypeError
            When `given` is no mapping.

        Examples
        --------
        >>> from handik.people import survey
        >>> tall = survey("female").condition({"stature": 1.75})
        >>> round(tall.median["sitting_height"], 3)
        0.903
        """
        if not isinstance(given, Mapping):
            raise TypeError(f"given must be a mapping of names to numbers, got {shortened(given)}")
        z: dict[int, float] = {}
        for name, value in given.items():
            i = self.index(name)
            if i in z:
                raise ArgumentError(f"{self.names[i]} is given twice")
            z[i] = self.score(name, value)
        return Conditional(self, z, {self.names[self.index(n)]: float(v) for n, v in given.items()})


def survey(sex: str) -> Survey:
    """Return the survey that comes with handik: ANSUR II.

    4,082 men and 1,986 women of the U.S. Army, 17 to 58 years old, measured in 2012 (Gordon et al.
    2014, NATICK/TR-15/007). It has no children, nobody old, few very heavy people and no wheelchair
    users.

    Parameters
    ----------
    sex : {"female", "male"}

    Returns
    -------
    Survey
        93 dimensions and age.

    Raises
    ------
    ArgumentError
        When `sex` is neither.

    Examples
    --------
    >>> from handik.people import survey
    >>> survey("male")
    Survey(male, 94 dimensions)
    """
    return _ansur(_known_sex(sex))


@cache
def _ansur(sex: str) -> Survey:
    folder = files("handik.data") / "people"
    tables = folder / "dimensions.csv", folder / f"correlation_{sex}.csv"
    return Survey._of_tables(*tables, sex, "ANSUR II (Gordon et al. 2014, NATICK/TR-15/007)")


def survey_of(sex: str | None, own: Survey | None) -> Survey:
    """Return the survey that a caller means: one of their own, or ours of a sex, of women if none.

    Raises
    ------
    ArgumentError
        When there is no such sex, or their survey is of the other one.
    TypeError
        When theirs is no survey.
    """
    if own is None:
        return survey("female" if sex is None else sex)
    if of_class("survey", own, Survey).sex != (own.sex if sex is None else _known_sex(sex)):
        raise ArgumentError(f"sex is {sex!r}, but the survey is of {own.sex} people")
    return own


def _refuse_unit(name: str, median: float, sex: str) -> None:
    """Refuse a dimension of ours whose median is one of ours in another unit."""
    ours = survey(sex)
    if name.replace("_", "") in ours._index:
        ends = ours._maps[ours.index(name)](np.array([-GIVEN_WITHIN, GIVEN_WITHIN]))
        if hint := _unit_hint(median, ends):
            raise ArgumentError(f"records: the median {name} is {median:g}{hint}")


def _known_sex(sex: Any) -> str:
    if not isinstance(sex, str) or sex not in SEXES:
        raise ArgumentError(
            f'sex must be "female" or "male" (the surveys know no other), got {sex!r}'
        )
    return str(sex)


def _unit_hint(value: float, ends: Floats) -> str:
    for factor, unit in ((1e-3, "mm"), (1e-2, "cm")):
        if not ends[0] <= value <= ends[1] and ends[0] <= value * factor <= ends[1]:
            return f"; lengths are in meters, {value:g} looks like {unit}"
    return ""


def _of_scores(maps: Sequence[QuantileMap], r: Floats) -> Floats:
    """Return the correlations of the scores that give the dimensions the correlations r.

    With each map a series of Hermite polynomials, sum a_k He_k / sqrt(k!) of variance 1, two
    dimensions correlate as sum a_ik a_jk rho^k.
    """
    x, w = np.polynomial.hermite_e.hermegauss(_NODES)
    w /= w.sum()
    v = np.stack([m(np.clip(x, -DRAWN_WITHIN, DRAWN_WITHIN)) for m in maps])
    v = _of_size_one(v)
    v -= (v @ w)[:, None]
    v /= np.sqrt(v**2 @ w)[:, None]
    powers = range(1, _TERMS + 1)
    a = [
        v @ (w * np.polynomial.hermite_e.hermeval(x, [0] * k + [1])) / factorial(k) ** 0.5
        for k in powers
    ]
    rho = r.copy()
    for _ in range(_NEWTON_STEPS):
        error = sum(np.outer(c, c) * rho**k for k, c in zip(powers, a, strict=True)) - r
        slope = sum(k * np.outer(c, c) * rho ** (k - 1) for k, c in zip(powers, a, strict=True))
        rho = np.clip(rho - error / slope, -1, 1)
    np.fill_diagonal(rho, 1.0)
    return rho


def _of_size_one(rows: Floats) -> Floats:
    """Return rows by powers of two, which rounds nothing, so that no square of theirs overflows."""
    return np.asarray(np.ldexp(rows, -np.frexp(np.abs(rows).max(axis=1, keepdims=True))[1]))


def _positive(r: Floats, d: int) -> tuple[Floats, bool]:
    """Return the nearest usable correlation matrix, and whether it is not the one given."""
    if r.shape != (d, d) or not np.isfinite(r).all():
        raise ArgumentError(f"correlations must be a finite {d} by {d} matrix, got shape {r.shape}")
    r = 0.5 * (r + r.T)
    w, v = np.linalg.eigh(r)
    if w[0] >= _LEAST_EIGENVALUE and np.allclose(np.diag(r), 1, rtol=0, atol=1e-9):
        return r, False
    r = (v * np.maximum(w, _LEAST_EIGENVALUE)) @ v.T
    scale = 1 / np.sqrt(np.diag(r))
    return r * scale * scale[:, None], True
