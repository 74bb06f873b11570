"""The cuts on which the fit of a surface is read: where they lie, and edges that may cross them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise

import numpy as np

from handik import _core
from handik.people.surface._data import Floats, Ints
from handik.people.surface._limb import ALONG
from handik.people.surface._place import Arm, cross, unit
from handik.people.surface._regions import BARE, edges_of, lifted
from handik.people.surface._resting import Resting
from handik.people.surface._tape import Read, reads

__all__ = ["LEG", "TRUNK", "Cuts"]

#: Tapes of a leg and of the trunk, from below.
LEG = ("ankle", "calf", "lower_thigh", "thigh")
TRUNK = ("buttock", "waist", "chest", "shoulder", "neck", "chin", "head")
#: Those that are read as arms rest beside the trunk, the others as the mesh holds them.
AT_REST = ("chest", "ribs", "wrist")


def _kind(name: str) -> str:
    """Return of what the edges are that a cut goes through."""
    if name in ALONG:
        return "wrist" if name == "wrist" else "arm"
    of_leg = name.partition("-")[0] in (*LEG, "knee")
    return name if name in BARE else "leg" if of_leg else "trunk"


@cache
def _every() -> tuple[Ints, np.ndarray, dict[str, tuple[int, int]]]:
    """Return the edges of all kinds, whether rounds may lift them, and which rows are whose."""
    kinds = ("trunk", "leg", "arm", "wrist", *BARE)
    edges = [edges_of(kind)[0] for kind in kinds]
    ends = np.cumsum([0, *map(len, edges)]).tolist()
    free = np.concatenate([lifted(kind) for kind in kinds])
    return np.concatenate(edges), free, dict(zip(kinds, pairwise(ends), strict=True))


class Cuts:
    """Level cuts of the trunk and of the left leg, and those across the bones of the left arm.

    Parameters
    ----------
    z : mapping of str to float
        Heights of the level ones, meters.
    arm : Arm
        The left one.
    resting : Resting
        The arms, as some tapes find them.
    """

    def __init__(self, z: Mapping[str, float], arm: Arm, resting: Resting) -> None:
        self._resting = resting
        self._row = {name: k for k, name in enumerate((*z, *ALONG))}
        self._edges, _, rows = _every()
        self._ends = np.array([rows[_kind(name)] for name in self._row], np.int32)
        self._planes = np.zeros((len(self._row), 4, 3))
        self._planes[:, 1:] = np.eye(3)
        self._planes[: len(z), 0, 2] = list(z.values())
        for name, share in ALONG.items():
            ends = (arm.shoulder, arm.elbow) if name == "biceps" else (arm.elbow, arm.wrist)
            (_, a), (_, b) = ends
            if name in AT_REST:
                a, b = resting.elbow, resting.wrist
            axis = unit(b - a)
            first = unit(
                np.array([-axis[2], 0.0, axis[0]])
            )  # arms go aside and down: never along y
            self._planes[self._row[name]] = a + share * (b - a), first, cross(axis, first), axis

    def near(self, heights: Floats) -> Cuts:
        """Return the cuts with those edges alone that may cross them in any round of a fit.

        Rounds leave vertices at their heights but for those of arms.
        """
        out = object.__new__(Cuts)
        out._row, out._planes, out._resting = self._row, self._planes, self._resting
        edges, free, _ = _every()
        out._edges, out._ends = _core._edges_near(
            heights, edges, free, self._ends, np.ascontiguousarray(self._planes[:, 0, 2])
        )
        return out

    def edges(self, name: str) -> Ints:
        """Return the edges that are looked at for a cut."""
        first, last = self._ends[self._row[name]]
        return self._edges[first:last]

    def read(self, v: Floats, girths: Iterable[str], more: Iterable[str] = ()) -> dict[str, Read]:
        """Return what is read on cuts of vertices; of `more` how far they reach, no girth."""
        girths, more = tuple(girths), tuple(more)
        found: dict[str, Read] = {}
        for rests, vertices in ((False, v), (True, self._resting(v))):
            first, last = (
                [k for k in names if (k in AT_REST) is rests] for names in (girths, more)
            )
            names = (*first, *last)
            rows = [self._row[name] for name in names]
            read = reads(vertices, self._edges, self._ends[rows], self._planes[rows], len(first))
            found |= dict(zip(names, read, strict=True))
        return found
