"""What is touched, not gripped: a switch flush in a wall, by the tip of the middle finger.

The grip of a hand lies before its palm, so that a hand whose grip is on a wall is in the wall. What
is pressed is touched instead: the frame at the middle finger's tip comes there, with the fingers
straight. The last `TIP` of that finger are not compared with anything, for they are what touches;
all else of the hand is.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.errors import ArgumentError
from handik.people.skeleton._hand import FINGERS
from handik.problem.terms import Capsule
from handik.scene.access._inside import slack_of
from handik.scene.check import _flesh, _pairs, compiled

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.access._places import Places
    from handik.scene.access._verdict import Asked
    from handik.scene.check import Figure

__all__ = ["FACE", "TIP", "is_tip", "on_face", "refuse", "tip_first", "tips_of", "touching",
           "with_hands"]  # fmt: skip

Array = NDArray[np.float64]

#: Meters of the finger that may be in what it touches: the pulp gives way by some 3 mm, and places
#: of switches are drawn no better than to 5. [assumption]
TIP = 0.01
#: Meters from the face of an obstacle, on either side, within which a place lies on it.
FACE = 0.01
GRIP, TOUCH = "grip_", "middle_tip_"
#: A radius that is left of what is shorter than the tip.
THIN = 1e-4


def tips_of(model: Model, frames: list[str]) -> list[str]:
    """Return the fingertips of the hands whose grips frames are; none where one has none."""
    names = [TOUCH + name.removeprefix(GRIP) for name in frames if name.startswith(GRIP)]
    there = [name for name in names if name in model.frame_names]
    return there if len(there) == len(frames) else []


def is_tip(frame: str) -> bool:
    """Tell whether a frame is a fingertip that touches."""
    return frame.startswith(TOUCH)


def on_face(asked: Asked, places: Places) -> NDArray[np.bool_]:
    """Tell which places lie on the face of an obstacle and belong to nothing that a hand grips."""
    out = np.zeros(len(places.at), bool)
    loose = np.flatnonzero(~(places.gripped | places.pressed)).tolist()
    if asked.scene is None or not len(loose):
        return out
    world = compiled(asked.scene, asked.figure)
    if not len(world.names):
        return out
    slack = slack_of(asked.scene, world.names)
    for k in loose:
        for at in places.at[k]:
            gap = _core._solid_distance(world.world, at)
            stands = np.where(np.isfinite(slack), slack, 0.0)
            out[k] |= bool(np.any((gap <= FACE) & (gap + stands >= -FACE)))
    return out


def tip_first(asked: Asked, places: Places) -> NDArray[np.bool_]:
    """Tell which places are pressed: by what is asked, or by what they are called."""
    if asked.options.action == "press":
        return np.ones(len(places.at), bool)
    return places.pressed & (asked.options.action == "reach")


def _end_of(figure: Figure, k: int, frame: str) -> tuple[Array, Array, Array]:
    """Return a capsule's ends in the axes of a frame on its body, and its tip: the frame's place.

    The end that is farther from the tip is first.
    """
    model, rest = figure.model, figure._rest
    own = np.linalg.inv(model.fk(rest, frame=frame)) @ model.fk(
        rest, frame=figure.capsules[k].frame
    )
    a, b = (
        own[:3, :3] @ np.asarray(end, float) + own[:3, 3]
        for end in (figure.capsules[k].start, figure.capsules[k].end)
    )
    return (a, b, own) if np.linalg.norm(a) >= np.linalg.norm(b) else (b, a, own)


def _moved(figure: Figure, k: int, a: Array, b: Array, radius: float, own: Array) -> Capsule:
    """Return a capsule with its ends, given in the axes of a frame, in those of its own."""
    back = np.linalg.inv(own)
    ends = [tuple((back[:3, :3] @ x + back[:3, 3]).tolist()) for x in (a, b)]
    return Capsule(figure.capsules[k].frame, ends[0], ends[1], radius)


def _straight(figure: Figure, frame: str) -> dict[int, Capsule]:
    """Return the capsules of a hand that touches, which differ from those of one at rest."""
    model, out = figure.model, dict[int, Capsule]()
    side = frame.removeprefix(TOUCH)
    step = model.frame_step[model.frame_names.index(frame)]
    mine = [
        k for k, one in enumerate(figure.capsules)
        if model.frame_step[model.frame_names.index(one.frame)] == step
    ]  # fmt: skip
    for finger in FINGERS:
        name, tip = f"{finger}_{side}", f"{finger}_tip_{side}"
        for k in mine:
            if figure.names[k] == name and tip in model.frame_names:
                a, _, own = _end_of(figure, k, tip)
                radius, long = figure.capsules[k].radius, float(np.linalg.norm(a))
                short = min(radius + (TIP if finger == "middle" else 0.0), long)
                out[k] = _moved(figure, k, a, a * (short / max(long, 1e-12)), radius, own)
    near = {k: float(np.linalg.norm(_end_of(figure, k, frame)[1])) for k in mine if k not in out}
    for k, gap in near.items():  # what a finger has of its own: the last phalanx, or a whole hand
        a, b, own = _end_of(figure, k, frame)
        radius, way = figure.capsules[k].radius, b - a
        if gap >= radius + TIP:
            continue
        long = float(np.linalg.norm(a))
        if long > radius + TIP:
            share = _farthest(a, way, radius + TIP)
            out[k] = _moved(figure, k, a, a + share * way, radius, own)
        else:
            out[k] = _moved(figure, k, a, a, max(min(radius, long - TIP), THIN), own)
    return out


def _farthest(a: Array, way: Array, apart: float) -> float:
    """Return the greatest share of a way from a on which it is not yet so near to the origin."""
    c2, c1, c0 = float(way @ way), float(a @ way), float(a @ a) - apart * apart
    return float(np.clip((-c1 - np.sqrt(max(c1 * c1 - c2 * c0, 0.0))) / max(c2, 1e-300), 0, 1))


_touching: WeakKeyDictionary[Figure, dict[tuple[str, ...], Figure]] = WeakKeyDictionary()


def touching(figure: Figure, frames: tuple[str, ...]) -> Figure:
    """Return a figure whose hands touch with some fingertips; the same at every call."""
    mine = _touching.setdefault(figure, {})
    if frames not in mine:
        mine[frames] = _made(figure, frames)
    return mine[frames]


def _made(figure: Figure, frames: tuple[str, ...]) -> Figure:
    changed = {k: one for frame in frames for k, one in _straight(figure, frame).items()}
    out = copy(figure)
    out.capsules = tuple(changed.get(k, one) for k, one in enumerate(figure.capsules))
    mine = np.isin(np.arange(len(out.capsules)), list(changed))
    kept, left = figure._table
    more = _nearer(figure, out, mine)
    kept = np.concatenate([kept, more])
    kept = kept[np.lexsort((kept[:, 1], kept[:, 0]))]
    a, b = kept[mine[kept].any(axis=1)].T
    rows = np.stack([a, b], 1)[~np.isnan(figure._allowed[a, b])]
    if len(rows):  # at rest they may be, as all that a person is
        gap = np.minimum(_pairs.nearest(out, rows, figure._rest[None]), 0.0)
        flesh = np.minimum(_flesh.FLESH, _flesh.THIN * _radii(out)[rows].min(axis=1))
        out._allowed = figure._allowed.copy()
        a, b = rows.T
        out._allowed[a, b] = np.maximum(out._allowed[a, b], flesh - gap)
    out._told = kept, partial(_without, left, {(a, b) for a, b in more.tolist()})
    return out


def _nearer(figure: Figure, touching: Figure, mine: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return pairs that were left out and are not for a hand that touches: it comes to more."""
    rows = _pairs.every(len(mine))
    rows = rows[mine[rows].any(axis=1)]
    if figure._given is not None or not len(rows):
        return rows[:0]
    ways = [_pairs._Ways(one) for one in (figure, touching)]
    never = [_pairs.never_reach(one, rows) for one in ways]
    wholly = figure._allowed[rows[:, 0], rows[:, 1]] >= _radii(touching)[rows].sum(axis=1)
    bodies = ways[1].body[rows]
    more = never[0] & ~never[1] & ~wholly & (bodies[:, 0] != bodies[:, 1])
    drawn = {pair for pair, why in figure._table[1]() if why.startswith("never in contact")} if (
        np.isnan(figure._allowed[rows[:, 0], rows[:, 1]]).any()) else set()  # fmt: skip
    more |= np.array([(a, b) in drawn for a, b in rows.tolist()], bool)
    out: NDArray[np.intp] = rows[more]
    return out


def _radii(figure: Figure) -> Array:
    return np.array([one.radius for one in figure.capsules])


def _without(left: Callable[[], list[_pairs.Left]], more: set[_pairs.Pair]) -> list[_pairs.Left]:
    return [one for one in left() if one[0] not in more]


def with_hands(asked: Asked, frames: list[str]) -> Asked:
    """Return a question of some frames: where they are fingertips, of hands that touch."""
    bare = asked.figure if asked.bare is None else asked.bare
    if bare is None:
        return asked
    if not all(is_tip(name) for name in frames):
        return replace(asked, figure=bare, bare=bare)
    return replace(asked, figure=touching(bare, tuple(frames)), bare=bare)


def refuse(model: Model, frame: str | None) -> None:
    """Say why nothing is touched."""
    if frame is not None:
        raise ArgumentError("touch=True is of a hand's fingertip: give no frame=")
    raise ArgumentError(f"touch=True: model {model.name!r} has no frames middle_tip_right or _left")
