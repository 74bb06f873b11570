"""Girths between the tapes: what keeps the fitted mesh from bulging or caving where none measures.

Between two tapes three further levels have a girth each, in proportion to that of a smooth curve
through the tapes: the mesh's own, made fuller or leaner for the sake of the volume, and inside
bounds. A mesh that is pulled about at its tapes alone has a ledge or a notch beside them.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from handik.people.skeleton._aside import BROADER
from handik.people.surface._data import Floats

__all__ = ["BETWEEN", "Wanted", "between", "heights_between"]

#: Two tapes -> least and most girth between them, as a share of the curve through the tapes.
#: [assumption]
BETWEEN = {
    ("ankle", "calf"): (0.96, 1.20),
    ("calf", "lower_thigh"): (0.88, 1.05),
    ("lower_thigh", "thigh"): (0.97, 1.20),
    ("buttock", "waist"): (0.97, 1.01),
    ("waist", "chest"): (0.91, 1.06),
}
#: By how much the most of a girth between buttock and waist grows with the fullness that the mesh
#: is to have besides its own; and no level there has a girth over the second number times the
#: greater of the tapes': that is a roll that stands out over the buttocks. [assumption]
GROWS, OVER = 0.2, 1.025
#: Above the waist no level is broader than a line from there to this much more than the calliper's
#: breadth at the chest: so broad a trunk the resting arms go round. Meters.
RIBS = 2 * BROADER["chest"]
#: Nor is one deeper than a line from the waist's to the chest's depth, times this. [assumption]
DEEP = 1.12
#: And so much deeper than that line a belly becomes where breadth has no room. [assumption]
BELLY = (1.06, 1.08, 1.03)
#: Most girth of some levels of a leg, as shares of those of the tapes below and above: the calf is
#: where a leg is longest round below the knee, which itself may be a little more. [assumption]
SLIM = {
    "ankle-calf-1": (0.0, 0.95),
    "ankle-calf-2": (0.0, 0.998),
    "calf-lower_thigh-0": (0.985, 0.0),
    "calf-lower_thigh-1": (1.03, 0.0),
}
#: Where the levels between two tapes lie, and the share of the bounds that holds there, the last of
#: thighs: near a tape a girth is near to the tape's.
_AT, _SHARE, _OF_THIGH = (0.25, 0.5, 0.75), (0.5, 1.0, 0.5), (0.5, 1.0, 0.7)


def between(low: str, high: str) -> list[str]:
    """Return the names of the levels between two tapes."""
    return [f"{low}-{high}-{k}" for k in range(len(_AT))]


def heights_between(z: Mapping[str, float], names: tuple[str, ...]) -> dict[str, float]:
    """Return the heights of tapes and of all levels between them, meters."""
    out = {name: z[name] for name in names}
    for low, high in BETWEEN:
        if low in out and high in out:
            for name, share in zip(between(low, high), _AT, strict=True):
                out[name] = z[low] + share * (z[high] - z[low])
    return dict(sorted(out.items(), key=lambda pair: pair[1]))


def _slopes(at: Floats, girths: Floats, first: float | None) -> Floats:
    """Return the slopes of a monotone cubic: 0 at a highest or lowest tape; straight at the ends.

    `first` is the slope at the first tape where it is known.
    """
    h, rise = np.diff(at), np.diff(girths) / np.diff(at)
    a, b = 2 * h[1:] + h[:-1], h[1:] + 2 * h[:-1]
    same = rise[:-1] * rise[1:] > 0
    low, high = np.where(same, rise[:-1], 1.0), np.where(same, rise[1:], 1.0)
    inner = np.where(same, (a + b) / (a / low + b / high), 0.0)
    return np.asarray(np.r_[rise[0] if first is None else first, inner, rise[-1]])


class Wanted:
    """The curve through the tapes of legs or trunk, and what lies between them.

    Parameters
    ----------
    z : mapping of str to float
        Heights of the tapes, rising, meters.
    girths : mapping of str to float
        What each tape is to read, meters.
    first : float, optional
        The slope of the curve at the lowest tape.
    breadths, depths : mapping of str to float, optional
        What the calliper is to read at the tapes of the trunk, meters.
    """

    def __init__(
        self,
        z: Mapping[str, float],
        girths: Mapping[str, float],
        first: float | None = None,
        breadths: Mapping[str, float] | None = None,
        depths: Mapping[str, float] | None = None,
    ) -> None:
        names = list(girths)
        at, wide = np.array([z[k] for k in names]), np.array([girths[k] for k in names])
        slopes = _slopes(at, wide, first)
        self.curve: dict[str, float] = {}
        self.bounds: dict[str, tuple[float, float]] = {}
        self.grows: dict[str, tuple[float, float]] = {}
        self.most: dict[str, tuple[float, float, float]] = {}
        for k, pair in enumerate(pairwise(names)):
            if pair not in BETWEEN:
                continue
            h = at[k + 1] - at[k]
            shares = _OF_THIGH if pair[1] == "thigh" else _SHARE
            for name, u, share, belly in zip(between(*pair), _AT, shares, BELLY, strict=True):
                s = 1 - u
                self.curve[name] = float(
                    wide[k] * s * s * (1 + 2 * u)
                    + wide[k + 1] * u * u * (3 - 2 * u)
                    + h * u * s * (slopes[k] * s - slopes[k + 1] * u)
                )
                least, most = BETWEEN[pair]
                self.bounds[name] = (1 + share * (least - 1), 1 + share * (most - 1))
                if name in SLIM:
                    top = float(np.dot(SLIM[name], wide[k : k + 2])) / self.curve[name]
                    self.grows[name] = (0.0, top)
                if pair == ("buttock", "waist"):
                    top = OVER * max(wide[k], wide[k + 1]) / self.curve[name]
                    self.grows[name] = (share * GROWS, max(top, self.bounds[name][0]))
                if pair == ("waist", "chest") and breadths and depths:
                    deep = s * depths["waist"] + u * depths["chest"]
                    self.most[name] = (
                        s * breadths["waist"] + u * (breadths["chest"] + RIBS),
                        DEEP * deep,
                        belly * deep,
                    )

    def factors(
        self, name: str, read: tuple[float, float, float], full: float, ahead: float, more: float
    ) -> tuple[float, float]:
        """Return by what to multiply the mesh's radii at a level, and those of its front besides.

        A level keeps the mesh's own shape where its breadth has room; where it has none a belly
        brings the girth that is lacking, as far as it may.

        Parameters
        ----------
        name : str
            Of the level.
        read : (float, float, float)
            The girth, breadth and depth there now, with `full` and `ahead`.
        full, ahead : float
            The present ones.
        more : float
            How much fuller than by itself the mesh is to be, as a share of the girth.
        """
        deep = (1 + ahead) / 2  # the front is about half the depth
        breadth, depth = read[1] / full, read[2] / (full * deep)
        share = depth / (breadth + depth)  # of the girth: what depth brings of it
        own = read[0] / (full * (1 - share + share * deep))
        least, most = self.bounds[name]
        grows, top = self.grows.get(name, (0.0, np.inf))
        most = min(most + grows * max(more, 0.0), top)
        want = min(max(own * (1 + more) / self.curve[name], least), most) * self.curve[name]
        broadest, deepest, belly = self.most.get(name, (np.inf, np.inf, np.inf))
        room = max(min(broadest / breadth, deepest / depth), least * self.curve[name] / own)
        wide = min(want / own, room)
        deep = 1 + (want / (own * wide) - 1) / share
        deep = max(min(deep, belly / (wide * depth)), 1.0)
        return float(wide), float(2 * deep - 1)
