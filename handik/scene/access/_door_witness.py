"""Drives through doors with the hands on them, looked at once more: witnesses of `opens`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._drive import clear, drive
from handik.scene.access._hand import Hand, hand_at, holds
from handik.scene.access._passing import OPEN, witness
from handik.scene.access.chairs import Chair
from handik.scene.access.doors import Door

__all__ = ["Asked", "Grasp", "drawn", "witnessed"]

Array = NDArray[np.float64]


class Grasp(NamedTuple):
    """Which hand moves the leaf on a stretch of a way.

    Attributes
    ----------
    hand : {"right", "left"}
    start, end : (float, float)
        Where it is at the two ends, meters.
    """

    hand: str
    start: tuple[float, float]
    end: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Asked:
    """The question, as the core takes it."""

    chair: Chair
    door: Door
    walls: Array
    start: tuple[Array, float, float]
    goal: tuple[Array, float, float]
    hand: Hand | None
    lever: float
    shut: bool
    least: float
    most: int
    bars: Array = field(default_factory=lambda: np.empty((0, 4)))

    @property
    def solid(self) -> Array:
        """Walls, and what bars the ways round the door."""
        return np.ascontiguousarray(np.vstack([self.walls, self.bars]))

    def barred(self) -> Asked:
        """Return the same question with the door's line closed but for the door."""
        low, high = self.room()[0, :2], self.room()[0, 2:4]
        first, last = self.door.ends
        way = (last - first) / np.linalg.norm(last - first) * 2 * np.linalg.norm(high - low)
        bars = np.array([[*first, *(first - way)], [*last, *(last + way)]])
        return replace(self, bars=bars)

    def room(self) -> Array:
        """Return low and high of all that matters."""
        reach = float(np.hypot(*self.chair.outline.T).max()) + OPEN
        leaf = self.door.width + float(self.door.opening or 0) * (self.door.kind == "sliding")
        ends = np.vstack([self.door.ends - leaf, self.door.ends + leaf])
        points = np.vstack(
            [self.walls[:, :2], self.walls[:, 2:], self.start[0], self.goal[0], ends]
        )
        return np.array([[*(points.min(0) - reach), *(points.max(0) + reach)]])

    def core(self, stages: Sequence[Any]) -> tuple[Any, ...]:
        """Return the door as the core takes it."""
        leaf = np.array([self.door._edges(stage) for stage in stages])
        grips = [self.door._grips(stage, self.lever) for stage in stages]
        wide = max(len(rows) for rows in grips)
        grip = np.array([rows[np.minimum(np.arange(wide), len(rows) - 1)] for rows in grips])
        if self.hand is None:
            shoulder, field_ = np.zeros((0, 2)), np.zeros((0, 2, 1, 1))
            x, y, step = 0.0, 0.0, 1.0
        else:
            shoulder, field_ = self.hand.shoulder, self.hand.map.fields
            (x, y), step = self.hand.corner, self.hand.map.step
        return leaf, grip, shoulder, field_, x, y, step, self.door.closer, self.shut


def _stands(stage: Sequence[tuple[float, float]]) -> list[float]:
    """Return how far each leaf is open while the chair moves in a stage."""
    return [low if low == high else (low + high) / 2 for low, high in stage]


def witnessed(
    asked: Asked, place: Array, steps: NDArray[np.int32], stages: list[Any]
) -> tuple[Array, tuple[Grasp | None, ...]] | None:
    """Return a drive along a way, with the hands, checked; None where that fails."""
    motion = witness(steps, place)
    rows: list[Array] = []
    grasps: list[Grasp | None] = []
    first = 0
    for k in range(len(steps)):
        here = int(steps[k, 6])
        last = k + 1 == len(steps)
        if not last and steps[k + 1, 6] == here:
            continue
        opened = _stands(stages[here])
        driven = _driven(asked, motion[first : k + 2], opened)
        if driven is None:
            return None
        rows += [np.array([*one, *opened]) for one in driven]
        grasps += [None] * (len(rows) - len(grasps) - 1)
        if not last and not _moved(asked, rows, grasps, stages, here, int(steps[k + 1, 6])):
            return None
        first = k + 1
    path = np.array(rows)
    return (path, tuple(grasps)) if _verified(asked, path) else None


def _driven(asked: Asked, motion: Array, opened: list[float]) -> Array | None:
    """Return a drive with the leaves where they are; a closer's leaf is held or rests meanwhile."""
    leaf = asked.door._edges([(one, one) for one in opened])
    kept = None
    if asked.door.closer and asked.hand is not None and opened[0] > 0:
        kept = partial(_kept, asked, opened)
    rows = drive(asked.chair.outline, asked.solid, leaf, motion, kept)
    if rows is None or kept is None:
        return rows
    pieces = [np.concatenate(piece) for piece in pairwise(rows)]
    return rows if _kept(asked, opened, pieces, exact=True) else None


def _kept(asked: Asked, opened: list[float], pieces: list[Array], exact: bool = False) -> bool:
    """Whether all along, every few centimeters, a hand holds the leaf or it rests on the chair.

    Not exact: by the map of where hands get to alone.
    """
    assert asked.hand is not None
    for piece in pieces:
        for pose in _along(piece):
            if not _rests(asked, pose, opened[0]) and not holds(
                asked.hand, asked.door, asked.solid, pose[None], opened, asked.lever, exact=exact
            ):
                return False
    return True


@lru_cache(maxsize=64)
def _falls(door: Door, opened: float) -> Array:
    """Return the edges of a leaf at places on its way from so far open to shut."""
    return np.vstack([door._edges([(now, now)]) for now in np.linspace(opened, 0, 45).tolist()])


def _rests(asked: Asked, pose: Array, opened: float) -> bool:
    """Whether the leaf, let go, falls against the chair before it is shut."""
    still, none = np.concatenate([pose, pose]), np.empty((0, 4))
    return not clear(asked.chair.outline, none, _falls(asked.door, opened), [still])


def _moved(
    asked: Asked,
    rows: list[Array],
    grasps: list[Grasp | None],
    stages: list[Any],
    here: int,
    there: int,
) -> bool:
    """Add the move of the leaves from one stage to its neighbor; False: no hand was shown to."""
    pose, first, last = rows[-1][:3], _stands(stages[here]), _stands(stages[there])
    edge = 1 if there > here else 0  # both stages end there
    between = [pair[edge] for pair in stages[here]]
    falls = asked.hand is None or (asked.door.closer and there < here)
    for a, b, of in ((first, between, first), (between, last, last)):
        if a == b:
            continue
        if falls or asked.hand is None:
            grasps.append(None)
        else:
            found = hand_at(asked.hand, asked.door, asked.solid, pose, (a, b, of), asked.lever)
            if found is None:
                return False
            grasps.append(Grasp(*found))
        rows.append(np.array([*pose, *b]))
    return True


def _verified(asked: Asked, path: Array) -> bool:
    """Whether all stretches of a witness are clear of walls and leaf: proved anew."""
    corner = asked.chair.outline
    for a, b in pairwise(path):
        stage = [(min(p, q), max(p, q)) for p, q in zip(a[3:], b[3:], strict=True)]
        piece = np.concatenate([a[:3], b[:3]])
        if abs(np.cos(a[2]) * (b - a)[1] - np.sin(a[2]) * (b - a)[0]) > 1e-9:
            return False  # no drive goes sideways
        if not clear(corner, asked.solid, asked.door._edges(stage), [piece]):
            return False
    return True


def drawn(
    asked: Asked, rows: Array, places: list[tuple[float, ...]]
) -> tuple[Array, tuple[Grasp | None, ...]] | None:
    """Return a drive from the core with the hands, checked; None where that fails."""
    out: list[Array] = []
    grasps: list[Grasp | None] = []
    cuts = np.flatnonzero(np.diff(rows[:, 3])) + 1
    runs = np.split(rows, cuts)
    for k, run in enumerate(runs):
        here = int(run[0, 3])
        opened = list(places[here])
        driven = _driven(asked, run[:, :3], opened)
        if driven is None:
            return None
        out += [np.array([*one, *opened]) for one in driven]
        grasps += [None] * (len(out) - len(grasps) - 1)
        if k + 1 == len(runs):
            break
        there = int(runs[k + 1][0, 3])
        if there > here and not _in_hand(asked, driven, opened):
            return None
        if not _led(asked, out, grasps, places, here, there):
            return None
    path = np.array(out)
    return (path, tuple(grasps)) if _verified(asked, path) else None


def _in_hand(asked: Asked, driven: Array, opened: list[float]) -> bool:
    """Whether a closer's leaf has not fallen on a drive, so that it is opened on from there.

    A leaf that rested on the chair meanwhile is farther shut than it was.
    """
    if not asked.door.closer or asked.hand is None or opened[0] == 0 or len(driven) < 2:
        return True
    return all(
        holds(asked.hand, asked.door, asked.solid, pose[None], opened, asked.lever)
        for piece in pairwise(driven)
        for pose in _along(np.concatenate(piece))
    )


def _along(piece: Array) -> list[Array]:
    """Return poses every few centimeters from one to another (6,)."""
    far = np.hypot(*(piece[3:5] - piece[:2])) + abs(piece[5] - piece[2])
    shares = np.linspace(0, 1, int(far / 0.05) + 2)
    return [piece[:3] + share * (piece[3:] - piece[:3]) for share in shares]


def _led(
    asked: Asked,
    rows: list[Array],
    grasps: list[Grasp | None],
    places: list[tuple[float, ...]],
    here: int,
    there: int,
) -> bool:
    """Add the move of the leaf from place to place; False: no hand was shown to."""
    pose, way = rows[-1][:3], 1 if there > here else -1
    for k in range(here, there, way):
        a, b = list(places[k]), list(places[k + way])
        if asked.hand is None or (asked.door.closer and way < 0):
            grasps.append(None)
        else:
            found = hand_at(asked.hand, asked.door, asked.solid, pose, (a, b, a), asked.lever)
            if found is None:
                return False
            grasps.append(Grasp(*found))
        rows.append(np.array([*pose, *b]))
    return True
