"""The distribution of body dimensions among people of whom some are given."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, UnsupportedError, shortened
from handik.people._quantile import (
    DRAWN_WITHIN,
    GIVEN_WITHIN,
    farthest,
    score_of_share,
    share_of_people,
)
from handik.spec._given import choice, flag, whole_number

if TYPE_CHECKING:
    from handik.people.survey import Survey

__all__ = ["Conditional"]

Floats = NDArray[np.float64]
#: How people may be drawn.
SAMPLINGS = ("random", "sobol")


class Conditional:
    """All dimensions of people of whom some are given.

    `Survey.condition` makes it.

    Parameters
    ----------
    survey : Survey
        The people.
    scores : mapping of int to float
        Normal scores of the dimensions given, by their place in ``survey.names``.
    given : dict of str to float
        The dimensions given, in m, kg and years.
    """

    def __init__(
        self, survey: Survey, scores: Mapping[int, float], given: dict[str, float]
    ) -> None:
        self.survey, self.given = survey, given
        d, r = len(survey.names), survey._of_scores
        self._g = g = np.array(sorted(scores), dtype=int)
        self._o = o = np.setdiff1d(np.arange(d), g)
        self._mean = np.zeros(d)
        cov = r[np.ix_(o, o)]
        if g.size:
            z = np.array([scores[i] for i in g])
            self._refuse_contradictions(z)
            gain = np.linalg.solve(r[np.ix_(g, g)], r[np.ix_(g, o)]).T
            self._mean[g], self._mean[o] = z, gain @ z
            cov = cov - gain @ r[np.ix_(g, o)]
        self._root = np.linalg.cholesky(cov) if o.size else np.zeros((0, 0))
        self._sd = np.zeros(d)
        self._sd[o] = np.sqrt(np.diag(cov))

    def _refuse_contradictions(self, z: Floats) -> None:
        """Refuse dimensions that nobody has together: Mahalanobis's distance is as rare as six."""
        inverse = np.linalg.inv(self.survey._of_scores[np.ix_(self._g, self._g)])
        pull = inverse @ z
        if z @ pull <= farthest(z.size) ** 2:
            return
        worst = int(np.argmax(np.abs(pull) / np.sqrt(np.diag(inverse))))  # against all the others
        at = self._g[worst]
        others = np.array(z[worst] - pull[worst] / inverse[worst, worst])
        name, value = self.survey.names[at], self._value(at, others)
        raise ArgumentError(
            f"nobody has all of the given dimensions: {name} = {self.given[name]:g}, but with the "
            f"others it is about {value:.3g} ({self.survey.sex})"
        )

    @property
    def median(self) -> dict[str, float]:
        """The middle of each dimension, the given ones as given."""
        return self._named(self._mean)

    def interval(self, coverage: float = 0.9) -> dict[str, tuple[float, float]]:
        """Return the interval of each dimension that holds a share of such people.

        Parameters
        ----------
        coverage : float
            The share; half of the rest lies below, half above.

        Returns
        -------
        dict of str to (float, float)

        Raises
        ------
        ArgumentError
            When `coverage` is not between 0 and 1, or nearer to 1 than the tables carry.

        Examples
        --------
        >>> from handik.people import survey
        >>> low, high = survey("male").condition({"stature": 1.8}).interval()["sitting_height"]
        >>> low < 0.94 < high
        True
        """
        k = score_of_share(0.5 + 0.5 * share_of_people(coverage, "coverage"))
        low, high = self._named(self._mean - k * self._sd), self._named(self._mean + k * self._sd)
        return {name: (low[name], high[name]) for name in low}

    def quantile(self, name: str, p: float) -> float:
        """Return the value below which a share p of such people lies.

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
        >>> heavy = survey("male").condition({"stature": 1.80}).quantile("weight", 0.95)
        >>> round(heavy, 1)
        112.8
        """
        i, score = self.survey.index(name), score_of_share(p)
        if self.survey.names[i] in self.given:
            return self.given[self.survey.names[i]]
        return self._value(i, self._mean[i] + score * self._sd[i])

    def draw(
        self,
        n: int,
        rng: np.random.Generator,
        *,
        whiten: bool = False,
        sampling: str = "random",
    ) -> Floats:
        """Draw people.

        Parameters
        ----------
        n : int
            How many.
        rng : numpy.random.Generator
            The source of chance.
        whiten : bool
            Give the scores drawn exactly the mean and covariance of the distribution. The people
            are then no longer independent of each other. Needs more people than dimensions.
        sampling : {"random", "sobol"}
            ``"sobol"``: normal scores of a scrambled Sobol' sequence, the first of its directions
            along the greatest spread of the people: averages come nearer to the truth with as many
            people, who are not independent of each other. Needs SciPy.

        Returns
        -------
        ndarray, shape (n, d)
            In the order of ``survey.names``; m, kg and years.

        Raises
        ------
        ArgumentError
            When n is negative, or too small to whiten, or there is no such sampling.
        TypeError
            When n is no whole number, or `rng` no generator of NumPy's.
        UnsupportedError
            When a Sobol' sequence is asked for and SciPy is not installed.

        References
        ----------
        Owen, A. B., Randomly permuted (t,m,s)-nets and (t,s)-sequences, Monte Carlo and
        Quasi-Monte Carlo Methods in Scientific Computing (1995) 299-317.

        Examples
        --------
        >>> import numpy as np
        >>> from handik.people import survey
        >>> survey("male").condition({}).draw(3, np.random.default_rng(1)).shape
        (3, 94)
        """
        d, n = len(self._o), whole_number("n", n)
        if not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng must be a numpy.random.Generator, got {shortened(rng)}")
        if flag("whiten", whiten) and n <= d:
            raise ArgumentError(f"n must be more than {d} people to whiten, got {n}")
        z = np.tile(self._mean, (n, 1))
        choice("sampling", sampling, SAMPLINGS)
        x = self._scores(n, rng) if sampling == "sobol" else rng.standard_normal((n, d))
        if whiten and d:
            x -= x.mean(0)
            x = np.linalg.solve(np.linalg.cholesky(x.T @ x / n), x.T).T
        wide = DRAWN_WITHIN * self._sd[self._o]
        z[:, self._o] += np.clip(x @ self._root.T, -wide, wide)
        values = self.survey.values(_held(z))
        for i in self._g:
            values[:, i] = self.given[self.survey.names[i]]
        return values

    @cached_property
    def _spread(self) -> Floats:
        """Directions of the scores' spread as columns, as long as it is, the greatest first."""
        values, vectors = np.linalg.eigh(self._root @ self._root.T)
        vectors *= np.where(vectors[np.abs(vectors).argmax(0), np.arange(len(values))] < 0, -1, 1)
        return np.asarray((vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1])

    def _scores(self, n: int, rng: np.random.Generator) -> Floats:
        """Return n rows of independent normal scores of a Sobol' sequence.

        Its first directions, which are the most even, are those of the greatest spread.
        """
        try:
            from scipy.special import ndtri
            from scipy.stats import qmc
        except ImportError:
            raise UnsupportedError(
                "a Sobol' sequence needs SciPy: pip install 'handik[scipy]'"
            ) from None
        if not (n and len(self._o)):
            return np.zeros((n, len(self._o)))
        drawn = qmc.Sobol(len(self._o), scramble=True, seed=rng)
        u = drawn.random_base2(max(0, (n - 1).bit_length()))[:n]
        z = ndtri(np.clip(u, 2.0**-60, 1 - 2.0**-53)) @ self._spread.T
        return np.asarray(np.linalg.solve(self._root, z.T).T)

    def _named(self, scores: Floats) -> dict[str, float]:
        values = self.survey.values(_held(scores))
        return dict(zip(self.survey.names, map(float, values), strict=True)) | self.given

    def _value(self, i: int, score: ArrayLike) -> float:
        return float(self.survey._maps[i](_held(score)))


def _held(scores: ArrayLike) -> Floats:
    """Return scores held to where the tables carry, so that no body comes apart."""
    return np.clip(scores, -GIVEN_WITHIN, GIVEN_WITHIN)
