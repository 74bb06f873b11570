"""Rooms of balls that a motion's limit narrows: nothing of what is left is outside, little is lost."""

import numpy as np
import pytest

from handik.people._narrow import _Room
from handik.spec.limits import ReachCone


def ragged(seed):
    """A room with corners that point inward, a hanging bone in it, and a motion from there."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 10))
    azimuths = np.sort((np.arange(n) + rng.uniform(-0.3, 0.3, n)) * (2 * np.pi / n))
    room = ReachCone(np.stack([azimuths, rng.uniform(0.6, 2.2, n)], axis=1).tolist())
    lean = rng.uniform(0.1, 0.5)
    way = rng.uniform(-np.pi, np.pi)
    hang = np.array([np.sin(lean) * np.cos(way), np.sin(lean) * np.sin(way), np.cos(lean)])
    toward = np.cross(hang, rng.normal(size=3))
    return room, hang, toward / np.linalg.norm(toward), rng.uniform(0.3, 0.9)


def truth(room, hang, toward, limit, directions, slack=1e-9):
    """Whether directions are in the room, and within an ellipse by quadrant about the bone."""
    across = np.cross(hang, toward)
    angle = np.arccos(np.clip(directions @ hang, -1, 1))
    azimuth = np.arctan2(directions @ across, directions @ toward)
    turns = np.linspace(0, np.pi, 181)[:, None]
    wide = []
    for sign in (1, -1):
        ways = np.cos(turns) * hang + np.sin(turns) * sign * across
        held = room.distance(ways) <= 1e-12
        wide.append(max(np.max(turns[held, 0], initial=0.0), limit))
    most = np.where(azimuth >= 0, *wide)
    edge = 1 / np.hypot(np.cos(azimuth) / limit, np.sin(azimuth) / most)
    free = (np.cos(azimuth) <= 0) | (angle <= edge + slack)
    return free & (room.distance(directions) <= slack)


@pytest.mark.parametrize("seed", [1, 4, 7, 13, 17, 23, 35, 76])
def test_what_is_left_is_within_the_room_and_the_limit(seed):
    room, hang, toward, share = ragged(seed)
    whole = _Room(room, hang, toward)
    limit = share * whole.range_at(0.0)
    left = ReachCone(whole.cut(limit))
    ways = np.random.default_rng(seed).normal(size=(4000, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    kept, inside = left.distance(ways) < 0, truth(room, hang, toward, limit, ways)
    assert not (kept & ~inside).any()
    assert (inside & ~kept).sum() <= 0.02 * inside.sum()
    ends, t = left.directions(), np.linspace(0, 1, 101)[1:-1, None, None]
    arcs = ((1 - t) * ends + t * np.roll(ends, -1, axis=0)).reshape(-1, 3)
    arcs /= np.linalg.norm(arcs, axis=1)[:, None]
    assert truth(room, hang, toward, limit, arcs, slack=2e-3).all()
    assert room.distance(arcs).max() < 1e-8
