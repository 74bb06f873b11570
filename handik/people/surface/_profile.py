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
    ("buttock", "waist"): (0.97, 1.10),
    ("waist", "chest"): (0.91, 1.06),
}
#: Above the waist no level is broader than a line from there to this much more than the calliper's
#: breadth at the chest: so broad a trunk the resting arms go round. Meters.
RIBS = 2 * BROADER["chest"]
#: Nor is one deeper than a line from the waist's to the chest's depth, times this. [assumption]
DEEP = 1.12
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
    breadths, depths : (float, float), optional
        What the calliper is to read at waist and chest, meters.
    """

    def __init__(
        self,
        z: Mapping[str, float],
        girths: Mapping[str, float],
        first: float | None = None,
        breadths: tuple[float, float] = (np.inf, np.inf),
        depths: tuple[float, float] = (np.inf, np.inf),
    ) -> None:
        names = list(girths)
        at, wide = np.array([z[k] for k in names]), np.array([girths[k] for k in names])
        slopes = _slopes(at, wide, first)
        self.curve: dict[str, float] = {}
        self.bounds: dict[str, tuple[float, float]] = {}
        self.most: dict[str, tuple[float, float]] = {}
        for name, u in zip(between("waist", "chest"), _AT, strict=True):
            self.most[name] = (
                (1 - u) * breadths[0] + u * (breadths[1] + RIBS),
                DEEP * ((1 - u) * depths[0] + u * depths[1]),
            )
        for k, pair in enumerate(pairwise(names)):
            if pair not in BETWEEN:
                continue
            h = at[k + 1] - at[k]
            shares = _OF_THIGH if pair[1] == "thigh" else _SHARE
            for name, u, share in zip(between(*pair), _AT, shares, strict=True):
                s = 1 - u
                self.curve[name] = float(
                    wide[k] * s * s * (1 + 2 * u)
                    + wide[k + 1] * u * u * (3 - 2 * u)
                    + h * u * s * (slopes[k] * s - slopes[k + 1] * u)
                )
                least, most = BETWEEN[pair]
                self.bounds[name] = (1 + share * (least - 1), 1 + share * (most - 1))

    def factor(
        self, name: str, read: tuple[float, float, float], factor: float, more: float
    ) -> float:
        """Return by what to multiply the mesh's radii at a level.

        Parameters
        ----------
        name : str
            Of the level.
        read : (float, float, float)
            The girth, breadth and depth there now, with `factor`.
        factor : float
            The present one.
        more : float
            How much fuller than by itself the mesh is to be, as a share of the girth.
        """
        own, breadth, depth = (x / factor for x in read)
        least, most = self.bounds[name]
        want = min(max(own * (1 + more) / self.curve[name], least), most) * self.curve[name]
        broadest, deepest = self.most.get(name, (np.inf, np.inf))
        room = max(min(broadest / breadth, deepest / depth), least * self.curve[name] / own)
        return float(min(want / own, room))
