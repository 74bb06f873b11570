"""Parts of the base mesh that no person changes."""

from __future__ import annotations

from functools import cache
from math import cos, sin

import numpy as np

from handik.people.surface._data import Floats, Ints, mesh
from handik.people.surface._place import SIDES

__all__ = [
    "ARM",
    "BARE",
    "below_neck",
    "crotch",
    "edges_of",
    "foot",
    "foot_moved",
    "foot_turn",
    "inner",
    "lifted",
    "regions",
    "wrist",
]

#: Share of the arms beyond which skin is an armpit's, where calliper or tape lie.
BARE = {"chest": 0.3, "ribs": 0.1}
#: How far from the wrist its tape's skin is looked for, as a share of the forearm.
_WRIST = 0.12
ARM = ("upper_arm", "fore_arm", "hand")
#: Share of neck and head below which skin is the shoulders'. [assumption]
NECK_ENDS = 0.25


@cache
def regions(name: str) -> tuple[Floats, ...]:
    """Return fields of the base mesh that no person changes."""
    m = mesh()
    if name == "leg":
        return tuple(m.on_side(s, "upperleg", "lowerleg", "foot", "toes") for s in SIDES)
    if name == "upper_arm":
        return tuple(m.on_side(s, "upperarm") for s in SIDES)
    if name == "fore_arm":
        return tuple(m.on_side(s, "lowerarm") for s in SIDES)
    return tuple(m.on_side(s, "wrist", "metacarpal", "finger") for s in SIDES)


@cache
def edges_of(name: str) -> tuple[np.ndarray, ...]:
    """Return the edges of trunk and head, of a chest without armpits, or of each leg or arm."""
    m = mesh()
    arm = [sum(regions(k)[i] for k in ARM) for i in (0, 1)]
    whole = arm[0] + arm[1]
    trunk = whole < 0.5
    if name == "trunk":
        own = [trunk]
    elif name in BARE:
        own = [(whole < BARE[name]) & (m.beside if name == "ribs" else True)]
    elif name == "wrist":
        own = [np.isin(np.arange(len(m.base)), wrist())]
    elif name == "leg":
        own = [(m.base[:, 1] * sign > -1e-9) & (whole == 0) for _, sign in SIDES.values()]
    else:
        own = [a > 0.5 for a in arm]
    return tuple(m.edges[np.asarray(k)[m.edges].all(1)] for k in own)


@cache
def wrist() -> Ints:
    """Return the vertices about the left wrist."""
    m = mesh()
    joints = dict(zip(m.joint_names, m.joints[0], strict=True))
    elbow, bone = joints["l-elbow"], joints["l-hand"] - joints["l-elbow"]
    along = (m.base - elbow) @ bone / (bone @ bone)
    own = m.on_side("left", "lowerarm", "wrist", "metacarpal", "finger") > 0.5
    return np.flatnonzero(own & (abs(along - 1) < _WRIST))


@cache
def below_neck() -> Ints:
    """Return the vertices of the trunk up to the shoulders, on which no neck's tape lies."""
    m = mesh()
    arm = np.sum([share for name in ARM for share in regions(name)], axis=0)
    own = (m.weight("neck", "head") < NECK_ENDS) & (arm < 0.5)
    return np.flatnonzero(own[: m.skin])


@cache
def crotch() -> Ints:
    """Return the vertices of the middle between the legs: which is the lowest the shape decides."""
    base = mesh().base[: mesh().skin]
    return np.flatnonzero((abs(base[:, 1]) < 1e-3) & (base[:, 2] < 0.0) & (base[:, 2] > -0.3))


@cache
def inner() -> Ints:
    """Return the vertices that are not all an arm's."""
    arm = sum(share for name in ARM for share in regions(name))
    return np.flatnonzero(np.asarray(arm) < 1 - 1e-9).astype(np.int32)


@cache
def lifted(kind: str) -> np.ndarray:
    """Return which edges rounds may lift: those of arms."""
    arm = np.sum([share for name in ARM for share in regions(name)], axis=0)
    return np.asarray((arm[edges_of(kind)[0]] > 0).any(1))


@cache
def foot(side: str) -> tuple[Ints, Floats, Ints]:
    """Return the vertices of a foot, its share in them, and the rows of those mostly its own."""
    share = mesh().on_side(side, "foot", "toes")
    rows = np.flatnonzero(share).astype(np.int32)
    return rows, share[rows, None], np.flatnonzero(share[rows] > 0.5)


def foot_moved(off: Floats, share: Floats, by: tuple[float, float, float]) -> Floats:
    """Return places from the ankle (n, 2), turned straight ahead and brought to length."""
    return np.asarray(off + share * (off @ foot_turn(by) - off))


def foot_turn(by: tuple[float, float, float]) -> Floats:
    """Return what places from the ankle are multiplied by from the right, (2, 2)."""
    turn, long, wide = by
    c, s = cos(turn), sin(turn)
    return np.array([[long * c, wide * s], [-long * s, wide * c]])
