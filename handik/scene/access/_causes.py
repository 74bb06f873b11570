"""What people fail by: the verdicts' own reasons, counted."""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees, isfinite
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._inside import GIVES_WAY
from handik.scene.access._said import SAY, reason
from handik.scene.access._why import bound_in_words, held
from handik.spec._given import choice

if TYPE_CHECKING:
    from handik.scene.access._verdict import Reach

__all__ = ["Cause", "Found", "cause_of", "counted"]


class Found(NamedTuple):
    """What one verdict that is no yes is due to.

    `what` names a joint, a node or what was touched; `bound` is a limit, a depth or an angle.
    """

    verdict: str
    kind: str
    what: str
    bound: float = 0.0
    turns: bool = False


@dataclass(frozen=True)
class Cause:
    """Of how many people a task fails, or is undecided, by the same cause.

    Attributes
    ----------
    verdict : {"no", "undecided"}
    kind : str
        One of "upper", "lower", "chain", "cone", "inside", "enclosed", "no way", "axis", "floor",
        "blocked", "none".
        The upper or lower limit of a joint; the chain's lengths; those or the cone of a ball joint;
        the target is deep in an obstacle; there is no room for the hand, or no way for the arm; the
        axis; no free floor to reach it from (`code_against_use`); what postures touched or lacked;
        neither posture nor proof was found.
    what : str
        The joint, the node, or what was touched first most often; empty without.
    people : int
        How many of the people asked.
    share : float
        Which share of them.
    bounds : (float, float)
        Of the limit, the depth or the half angle: the least and the greatest of these people,
        meters or radians.
    short : (float, float)
        Meters: by how much the hand stays short at least, of any of them, and at most; infinite
        where no free posture was found.
    turns : bool
        Whether `bounds` are radians.

    Examples
    --------
    >>> import handik as hk
    >>> arms = [hk.chain([0.3, length]) for length in (0.2, 0.25, 0.3)]
    >>> print(hk.access.share(arms, None, [[0.58, 0, 0]]).causes[0])
    the chain is too short: 2 people, short by up to 80 mm
    """

    verdict: str
    kind: str
    what: str
    people: int
    share: float
    bounds: tuple[float, float]
    short: tuple[float, float]
    turns: bool = False

    def __str__(self) -> str:
        return self.tell("en")

    def tell(self, language: str = "en") -> str:
        """Return it in words, those of `Reach.tell`.

        Parameters
        ----------
        language : {"en", "fr"}

        Returns
        -------
        str

        Raises
        ------
        ArgumentError
            When the language is none of these.
        """
        say = SAY[choice("language", language, ("en", "fr"))]
        count = say["people" if self.people > 1 else "person"].format(self.people)
        told = say["cause"].format(cause=self._words(say, language), count=count)
        if self.verdict == "no" and isfinite(self.short[1]):
            told += say["up to"].format(1e3 * self.short[1])
        return told

    def _words(self, say: dict[str, str], language: str) -> str:
        low, high = self.bounds
        if self.kind in ("upper", "lower"):
            ends = dict.fromkeys(bound_in_words(x, self.turns, say) for x in (low, high))
            return say[self.kind].format(joint=self.what, bound=say["to"].join(ends))
        if self.kind == "cone":
            return say["chain"] + say["cone"]
        if self.kind == "inside":
            return say["inside"].format(depth=1e3 * low, node=self.what, way=1e3 * GIVES_WAY)
        if self.kind in ("enclosed", "no way"):
            return say[self.kind].format(nodes=self.what)
        if self.kind == "axis":
            return say["axis"].format(frame=self.what, half=degrees(high))
        if self.kind == "blocked":
            return say["blocked"].format(reasons=reason(self.what, language))
        return say[self.kind]


def cause_of(reach: Reach) -> Found | None:
    """Return what a verdict is due to; None of a yes."""
    word = reach.verdict
    if word == "yes":
        return None
    if word == "undecided":
        first = next(iter(reach.blocked), None)
        return Found(word, "none", "") if first is None else Found(word, "blocked", first)
    if reach._inside is not None:
        return Found(word, "inside", *reach._inside)
    if reach._enclosed is not None:
        return Found(word, "no way" if reach._arm else "enclosed", reach._enclosed[0])
    if reach._point is not None:
        return Found(word, "axis", reach.frame, reach._asked.options.half_angle, True)
    return Found(word, *held(reach))


def counted(found: NDArray[np.object_], short: NDArray[np.float64]) -> tuple[Cause, ...]:
    """Return the causes, that of most people first; a person counts once for each."""
    rows: dict[tuple[str, str, str, bool], list[tuple[int, int]]] = {}
    for (k, j), one in np.ndenumerate(found):
        if one is not None:
            rows.setdefault((one.verdict, one.kind, one.what, one.turns), []).append((k, j))
    out = []
    for (verdict, kind, what, turns), at in rows.items():
        people = len({k for k, _ in at})
        bounds = [found[spot].bound for spot in at]
        gaps = np.array([short[spot] for spot in at])
        ends = float(gaps[:, 0].min()), float(gaps[:, 1].max())
        both = (min(bounds), max(bounds))
        out.append(Cause(verdict, kind, what, people, people / len(found), both, ends, turns))
    return tuple(sorted(out, key=lambda cause: -cause.people))
