"""Rooms of balls that a motion's limit narrows: nothing of what is left is outside, little is lost."""

import numpy as np
import pytest

import handik as hk
from handik.people._narrow import _polygon, _Room
from handik.people.impairments import profile
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


def test_hardly_anything_is_lost_of_many_rooms():
    """Edges that bend inward are drawn in by little more than they are outside."""
    ways = np.random.default_rng(1).normal(size=(2000, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    lost = []
    for seed in range(20):
        room, hang, toward, share = ragged(seed)
        limit = share * _Room(room, hang, toward).range_at(0.0)
        kept = ReachCone(_Room(room, hang, toward).cut(limit)).distance(ways) < 0
        inside = truth(room, hang, toward, limit, ways)
        lost.append((inside & ~kept).sum() / inside.sum())
    assert np.mean(lost) < 0.003


def test_who_is_more_impaired_has_no_room_that_who_is_less_has_not():
    """Limits of several motions, one after another: of an older adult's arm 0.17 rad were lost."""
    ways = np.random.default_rng(2).normal(size=(20_000, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    for name, shares in (("older_adult", (0.9, 0.95, 1.0)), ("rheumatoid_arthritis", (0.2, 0.25))):
        before = None
        for share in shares:
            person = hk.human(profile=profile(name, severity=share))
            (ball,) = (j for j in person.model.spec.joints if j.name == "shoulder_right")
            room = _polygon(ball.cone)
            if before is not None:
                held = ways[room.distance(ways) < 0]
                assert before.distance(held).max() < 0.004
            before = room
