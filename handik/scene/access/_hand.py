"""The hand at a leaf: where a person sits in a chair, and which hand gets where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._reach_map import HANDS, ReachMap, said
from handik.scene.access.chairs import Chair
from handik.scene.access.doors import Door, Place

__all__ = ["Hand", "hand_at", "holds", "seated"]

Array = NDArray[np.float64]
#: Places of the leaf between two that a witness is asked at.
_ASKED = 3


class Hand(NamedTuple):
    """A map of reach in a chair's axes: hips before the axle, first square, shoulders."""

    map: ReachMap
    hips: float
    corner: Array
    shoulder: Array


def seated(reach: ReachMap, chair: Chair) -> Hand:
    """Return a map of reach in a chair's axes: the feet at the front end of the outline.

    Parameters
    ----------
    reach : ReachMap
    chair : Chair

    Returns
    -------
    Hand
    """
    hips = float(chair.outline[:, 0].max()) - reach.toes
    ahead = np.array([hips, 0.0])
    return Hand(reach, hips, reach.corner + ahead, reach.shoulder + ahead)


def _turned(pose: Array) -> Array:
    c, s = np.cos(pose[2]), np.sin(pose[2])
    return np.array([[c, -s], [s, c]])


def _crosses(a: Array, b: Array, walls: Array) -> bool:
    """Whether the line from a to b meets a wall."""
    if not len(walls):
        return False

    def side(p: Array, q: Array, r: Array) -> Array:
        return np.asarray(
            (q[..., 0] - p[..., 0]) * (r[..., 1] - p[..., 1])
            - (q[..., 1] - p[..., 1]) * (r[..., 0] - p[..., 0])
        )

    p, q = walls[:, :2], walls[:, 2:]
    apart = (side(a, b, p) * side(a, b, q) > 0) | (side(p, q, a) * side(p, q, b) > 0)
    return bool((~apart).any())


def _mapped(hand: Hand, which: int, own: Array) -> bool:
    """Whether a place in the chair's axes lies in a square that the map has as reached."""
    column, row = np.round((own - hand.corner) / hand.map.step).astype(int)
    rows, columns = hand.map.reached[which].shape
    inside = 0 <= row < rows and 0 <= column < columns
    return bool(inside and hand.map.reached[which][row, column])


def _shown(
    hand: Hand,
    which: int,
    pose: Array,
    places: Sequence[Place],
    walls: Array,
    exact: bool = True,
) -> bool:
    """Whether a hand gets to places of a leaf: with a posture each, from its side, past walls.

    Not exact: by the map alone.
    """
    turn = _turned(pose)
    shoulder = pose[:2] + turn @ hand.shoulder[which]
    own = np.array([turn.T @ (place.at - pose[:2]) for place in places])
    for place, at in zip(places, own, strict=True):
        if not _mapped(hand, which, at) or (shoulder - place.at) @ place.face <= 0:
            return False
        if _crosses(shoulder, place.at, walls):
            return False
    if not exact:
        return True
    who = hand.map.person
    high = np.full(len(own), hand.map.height - who._lift)
    target = np.column_stack([own - [hand.hips, 0.0], high])
    return bool(said(who, HANDS[which], target)[0].all())


def hand_at(
    hand: Hand,
    door: Door,
    walls: Array,
    pose: Array,
    opened: tuple[Sequence[float], Sequence[float], Sequence[float]],
    lever: float,
) -> tuple[str, tuple[float, float], tuple[float, float]] | None:
    """Return the hand that moves leaves from one opening to another, and where it is then.

    Parameters
    ----------
    hand : Hand
    door : Door
    walls : ndarray (m, 4)
    pose : ndarray (3,)
        Of the chair.
    opened : three sequences of float
        At first, at last, and that for which the places on the leaf are to be.
    lever : float
        As of `Door._places`.

    Returns
    -------
    (str, (float, float), (float, float)) or None
    """
    first, last, of = (np.asarray(one, float) for one in opened)
    which = int(np.argmax(np.abs(last - first)))
    on = 1 if last[which] >= first[which] else -1
    share = np.linspace(first[which], last[which], _ASKED) - of[which]
    for place in door._places(of.tolist(), lever):
        if place.way * on < 0:
            continue
        row = [place.moved(float(by)) for by in share]
        for side in range(2):
            if _shown(hand, side, pose, row, walls):
                ends = [(float(p.at[0]), float(p.at[1])) for p in (row[0], row[-1])]
                return HANDS[side], ends[0], ends[1]
    return None


def holds(
    hand: Hand,
    door: Door,
    walls: Array,
    poses: Array,
    opened: Sequence[float],
    lever: float,
    *,
    exact: bool = True,
) -> bool:
    """Whether at every pose a hand holds the leaf open.

    Parameters
    ----------
    hand : Hand
    door : Door
    walls : ndarray (m, 4)
    poses : ndarray (n, 3)
    opened : sequence of float
    lever : float
    exact : bool
        Whether a posture is asked for, and not the map alone.

    Returns
    -------
    bool
    """
    places = [place for place in door._places(opened, lever) if place.way >= 0]
    return all(
        any(
            _shown(hand, side, pose, [place], walls, exact) for place in places for side in range(2)
        )
        for pose in poses
    )
