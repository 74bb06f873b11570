"""Drives: a chair turns on the spot or rolls straight along its heading, on or back."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from handik import _core

__all__ = ["clear", "drive", "fewer", "manoeuvres"]

Array = NDArray[np.float64]

#: Meters and radians of a zigzag's legs, the widest first.
_LEGS = (0.4, 0.2, 0.1, 0.05, 0.02, 0.01)
_TURNS = (0.4, 0.2, 0.1, 0.05, 0.02, 0.01)
#: Pieces of a drive at most.
MOST = 20_000
#: Rows ahead of one that are all looked at; of more a few, or a long drive would take hours.
EVERY = 100


class _Room(NamedTuple):
    """What a drive must be clear of, and what must hold along it besides."""

    corner: Array
    walls: Array
    leaf: Array
    kept: Callable[[list[Array]], bool] | None

    def free(self, rows: Sequence[Array]) -> bool:
        """Return whether a way is clear, and kept."""
        pieces = _pieces(rows)
        if not clear(self.corner, self.walls, self.leaf, pieces):
            return False
        return self.kept is None or self.kept(pieces)


def clear(corner: Array, walls: Array, leaf: Array, pieces: Sequence[Array] | Array) -> bool:
    """Return whether an outline is clear along pieces (n, 6), from pose to pose: proved."""
    if not len(pieces):
        return True
    return bool(_core._pass_clear(corner, walls, leaf, np.asarray(pieces, float)).all())


def _near(turn: float) -> float:
    """Return a turn the short way round."""
    return float((turn + np.pi) % (2 * np.pi) - np.pi)


def _straight(a: Array, b: Array) -> list[list[Array]]:
    """Return the ways from pose to pose with one stretch: turn, roll, turn, on or back."""
    way = b[:2] - a[:2]
    if np.hypot(*way) < 1e-9:
        return [[a, b]]
    heading, out = float(np.arctan2(way[1], way[0])), []
    for back in (0.0, np.pi):
        first = a[2] + _near(heading + back - a[2])
        out.append([a, np.array([*a[:2], first]), np.array([*b[:2], first]), b])
    out.sort(key=lambda rows: abs(rows[1][2] - a[2]) + abs(b[2] - rows[1][2]))
    return out


def _pieces(rows: Sequence[Array]) -> list[Array]:
    found = [np.concatenate([p, q]) for p, q in itertools.pairwise(rows)]
    return [one for one in found if np.abs(one[3:] - one[:3]).max() > 1e-12]


def _zigzag(a: Array, b: Array, leg: float, turn: float) -> list[Array] | None:
    """Return a way by rolling on and back at headings to either side of the middle one."""
    middle = (a[2] + b[2]) / 2
    along = np.array([np.cos(middle), np.sin(middle)])
    across = np.array([-along[1], along[0]])
    way = b[:2] - a[:2]
    ahead, aside = float(way @ along), float(way @ across)
    count = max(int(np.ceil(abs(aside / (2 * leg * np.sin(turn))))), 1)
    if count > MOST // 8:
        return None
    side = np.arcsin(np.clip(aside / (2 * count * leg), -1.0, 1.0))  # legs back: the other way
    rows, at = [a], a[:2] + ahead / 2 * along
    rows += [np.array([*a[:2], middle]), np.array([*at, middle])]
    for _ in range(count):
        for sign in (1.0, -1.0):
            heading = middle + sign * side
            there = at + sign * leg * np.array([np.cos(heading), np.sin(heading)])
            rows += [np.array([*at, heading]), np.array([*there, heading])]
            at = there
    rows += [np.array([*at, middle]), np.array([*b[:2], middle]), b]
    return rows


def _step(room: _Room, a: Array, b: Array, most: float = np.inf) -> list[Array] | None:
    """Return a way from pose to pose that is clear, with one straight stretch, of fewer than most.

    Stretches are counted as `manoeuvres` does.
    """
    for rows in _straight(a, b):
        if (most == np.inf or manoeuvres(np.array(rows)) < most) and room.free(rows):
            return rows
    return None


def _bit(room: _Room, a: Array, b: Array) -> list[Array] | None:
    """Return a way between neighbors of a motion that is clear, in as few legs as can be."""
    found = _step(room, a, b)
    if found is not None:
        return found
    for leg, turn in sorted(
        itertools.product(_LEGS, _TURNS), key=lambda pair: -pair[0] * np.sin(pair[1])
    ):
        for start in (a, b):  # legs go ahead of the one or of the other
            rows = _zigzag(a, b, leg, turn) if start is a else _zigzag(a, b, -leg, turn)
            if rows is not None and room.free(rows):
                return rows
    return None


def drive(
    corner: Array,
    walls: Array,
    leaf: Array,
    path: Array,
    kept: Callable[[list[Array]], bool] | None = None,
) -> Array | None:
    """Return a drive along a motion (n, 3) that is clear: (m, 3), or None where none was found.

    Parameters
    ----------
    corner : ndarray (k, 2)
        Of the outline.
    walls, leaf : ndarray (m, 4), (e, 9)
        What stands in the way.
    path : ndarray (n, 3)
    kept : callable, optional
        What must hold along pieces (6,) of it besides.

    Returns
    -------
    ndarray or None
        Between rows either the heading changes alone, or the place along the heading.
    """
    rows, at, room = [path[0]], 0, _Room(corner, walls, leaf, kept)
    while at < len(path) - 1:
        far, found = len(path) - 1, None
        while far > at and found is None:
            found = _step(room, path[at], path[far])
            if found is None:
                far = at + (far - at) // 2 if far - at > 1 else at
        if found is None:
            far = at + 1
            found = _bit(room, path[at], path[far])
        if found is None:
            found, far = _halved(room, path[at], path[at + 1]), at + 1
        if found is None or len(rows) > MOST:
            return None
        rows += found[1:]
        at = far
    return _tidy(np.array(rows))


def fewer(corner: Array, walls: Array, path: Array) -> Array:
    """Return a drive with fewer stretches: rows that are joined with one straight stretch.

    Parameters
    ----------
    corner : ndarray (k, 2)
        Of the outline.
    walls : ndarray (m, 4)
    path : ndarray (n, 3)
        Of `drive`.

    Returns
    -------
    ndarray (m, 3)
        Clear, and of no more stretches.
    """
    room, rows, at = _Room(corner, walls, np.empty((0, 9)), None), [path[0]], 0
    begun = _begun(path)
    while at < len(path) - 1:
        for ahead in _ahead(len(path) - 1 - at):
            most = 1 + int(begun[at + ahead - 1] - begun[at])
            found = _step(room, rows[-1], path[at + ahead], most)
            if found is not None:
                rows += found[1:]
                break
        else:
            ahead = 1
            rows.append(path[at + 1])
        at += ahead
    out = _tidy(np.array(rows))
    return out if manoeuvres(out) < manoeuvres(path) else path


def _ahead(left: int) -> list[int]:
    """Return how many rows ahead are looked at, far ones first: of few all, of many ever nearer."""
    if left <= EVERY:
        return list(range(left, 1, -1))
    out = [left]
    while out[-1] > 2:
        out.append(out[-1] * 2 // 3)
    return out


def _halved(room: _Room, a: Array, b: Array) -> list[Array] | None:
    """Return a way in pieces, where the whole was not clear."""
    for count in (2, 4, 8, 16, 32):
        stops = [a + k / count * (b - a) for k in range(count + 1)]
        rows = [a]
        for p, q in itertools.pairwise(stops):
            found = _bit(room, p, q)
            if found is None:
                break
            rows += found[1:]
        else:
            return rows
    return None


def _tidy(rows: Array) -> Array:
    """Return a drive without rows that repeat the one before."""
    keep = np.ones(len(rows), bool)
    keep[1:] = np.abs(np.diff(rows, axis=0)).max(axis=1) > 1e-12
    return rows[keep]


def manoeuvres(path: Array) -> int:
    """Return how many stretches a drive has: turns on the spot, rolls on, rolls back.

    Parameters
    ----------
    path : ndarray (n, 3)
        Of `drive`.

    Returns
    -------
    int
        A stretch goes on until the kind of motion changes.
    """
    return int(_begun(path)[-1]) if len(path) > 1 else 0


def _begun(path: Array) -> NDArray[np.intp]:
    """Return how many stretches have begun by each piece of a drive."""
    out, count, before = np.zeros(max(len(path) - 1, 0), np.intp), 0, ""
    for k, (a, b) in enumerate(itertools.pairwise(path)):
        way = float((b[:2] - a[:2]) @ [np.cos(a[2]), np.sin(a[2])])
        kind = "turn" if abs(way) < 1e-12 else "on" if way > 0 else "back"
        if kind != "turn" or abs(b[2] - a[2]) >= 1e-12:
            count += kind != before
            before = kind
        out[k] = count
    return out
