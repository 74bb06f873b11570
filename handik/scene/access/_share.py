"""How many of the people asked reach what there is to reach, with an interval."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, shortened
from handik.people._interval import share_of_sets, wilson
from handik.scene.access._causes import Cause, counted
from handik.scene.access._verdict import ORDER
from handik.spec._given import as_array

__all__ = ["Share"]

Array = NDArray[np.float64]


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
