"""The flesh of a person who sits: what the tape has of it, and flat where it lies on the seat.

Worked out once for a person, in the seated posture, as an offset of each vertex in the frame of the
pelvis; it fades when pelvis, thighs or shanks leave that posture.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.people.dimensions import Dimensions
from handik.people.skeleton import joint_centers
from handik.people.skeleton._aside import room_beside
from handik.people.surface._data import Floats, Ints, mesh
from handik.people.surface._density import density
from handik.people.surface._fold import part, sides
from handik.people.surface._place import SIDES
from handik.people.surface._tape import volume

__all__ = ["Seat", "seated_tape"]

Poses = Mapping[str, Floats]

#: Radians from the seated posture over which the offsets fade.
_FADES = 0.5
#: How far in and how high up the flesh is round behind and beside the seat's plane, as shares of
#: half the hip breadth: people are broadest over it, not on it. [assumption]
_IN, _UP = 0.28, 0.44
_ROUNDS = 14
#: The last of them, whose offsets are evened out.
_LAST = 8
#: How much broader than the tape hips may be before that: it takes away from them. [assumption]
_MORE = 0.025
#: Least and most volume of a seated person over that standing: between them it is that of the mass.
#: [assumption]
VOLUME = (0.99, 1.02)
#: Up to here over the seat they may be as broad as their hips, as such a share. [assumption]
_BROADEST = 0.5
#: How much broader half the waist of who sits may be than of who stands, meters. [assumption]
_OVER = 0.01
#: Most that thighs and buttocks go aside for it, meters, and no further than half the hip breadth.
_WIDEST = 0.13
#: Most that flanks over the hips go aside and the tops of the thighs up, meters. [assumption]
_FLANK, _TOP = 0.08, 0.06
#: Most of the gap between the thighs, and of the fold between belly and thighs, that is closed, as
#: shares. [assumption]
_GAP, _FOLD = 0.9, 0.9
#: Most that the sides above them go outward, meters: arms that rest are beside them. [assumption]
_WAIST = 0.0095
#: How far up and down from the navel the belly is moved forward, meters. [assumption]
_BELLY = 0.17
#: Most of the hollows over the hips that are filled, as shares: of the loins, and of the sides no
#: farther than this behind the arms. Meters. [assumption]
_LOINS, _SIDES, _BEHIND = 0.95, 0.9, 0.06
#: Most that thighs, flanks, the tops of the thighs and the sides above are leaner where belly and
#: clearance bring more than the volume, meters. [assumption]
_LEANER = 0.012
#: Most that the belly over the navel goes forward, meters, and no farther than at the navel: there
#: goes what the thighs push up. [assumption]
_BULGE = 0.065
#: How far the sides of a belly go aside, of what it goes forward. [assumption]
_BULGES = 0.6
#: How much of each a cubic meter that lacks asks for in a round: aside, down, flanks, tops, waist,
#: gap, fold, loins, sides, belly.
_GAINS = np.array([5.0, 75.0, 5.0, 5.0, 5.0, 150.0, 100.0, 100.0, 100.0, 3.1])
#: From half of this on is a share of pelvis and spine the trunk's. [assumption]
_UPPER = 0.6
#: Rounds of smoothing of the offsets.
_SMOOTH = 14
#: From the knee's axis to where the thigh leaves the seat, meters. [assumption]
_EDGE = 0.075


@dataclass(frozen=True, eq=False)
class _Near:
    """The part of the mesh that sitting may move, with the vertices beside it.

    Attributes
    ----------
    rows : ndarray (n,)
        Its vertices, rising; all that follows is about these.
    inner : ndarray (n,)
        Those that sitting may move; the others are beside them.
    faces : ndarray (m, 3)
        The triangles of the skin whose corners are all there.
    others : ndarray (k, 3)
        The other triangles of the skin, vertices of the whole mesh.
    beside : ndarray (n, j)
        The neighbors of each vertex along edges; itself for those that are not there.
    way : ndarray (n,)
        On which side of the middle the mesh has each: 1 left, -1 right, 0 on neither.
    """

    rows: Ints
    inner: NDArray[np.bool_]
    faces: Ints
    others: Ints
    beside: Ints
    way: Floats


@cache
def _near() -> _Near:
    """Return the part of the mesh that sitting may move."""
    m = mesh()
    moved = m.weight("root", "spine05", "spine04", "upperleg", "lowerleg") > 0
    moved |= m.weight("root", "spine0") > _UPPER / 2
    moved[m.skin :] = False
    rows = np.unique(m.quads[moved[m.quads].any(1)])
    own = np.full(len(m.base), -1)
    own[rows] = np.arange(len(rows))
    there = (own[m.skin_faces] >= 0).all(1)
    beside = own[m.near[rows]]
    inner = moved[rows]
    beside = np.where(beside >= 0, beside, np.arange(len(rows))[:, None])
    way = np.sign(m.base[rows, 1])
    faces, others = own[m.skin_faces[there]].astype(np.int32), m.skin_faces[~there]
    return _Near(rows, inner, faces, others, beside.astype(np.int32), way)


def _share(*prefixes: str) -> Floats:
    """Return the summed shares of bones in the part that sitting may move."""
    return mesh().weight(*prefixes)[_near().rows]


@cache
def _flesh() -> tuple[Floats, Floats, Floats]:
    """Return the shares of pelvis and thighs, those with the shanks too, and of one leg alone."""
    m, rows = mesh(), _near().rows
    low = _share("root", "spine05", "spine04", "upperleg")
    low, legs = np.clip(2.5 * low, 0, 1), np.clip(2.5 * (low + _share("lowerleg")), 0, 1)
    leg = np.maximum(*(m.on_side(side, "upperleg", "lowerleg")[rows] for side in SIDES)) * legs
    for share in (low, legs, leg):
        share[rows >= m.skin] = 0
    return low, legs, leg


@cache
def _inner_leg() -> tuple[NDArray[np.intp], Floats, Floats]:
    """Return vertices that another leg may touch, the sign of their y, and their share in a leg."""
    y, leg = mesh().base[_near().rows, 1], _flesh()[2]
    rows = np.flatnonzero((leg > 0.05) & (np.abs(y) > 1e-3))
    return rows, np.sign(y[rows]), leg[rows]


@cache
def _trunk() -> Floats:
    """Return the share of the trunk from pelvis to ribs."""
    share = np.clip(2 * _share("root", "spine05", "spine04", "spine03") - _UPPER, 0, 1)
    share[_near().rows >= mesh().skin] = 0
    return np.asarray(share)


@cache
def _legs() -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which vertices are a thigh's, and which any of the leg's."""
    return _share("upperleg") > 0.5, _share("upperleg", "lowerleg") > 0.5


@cache
def _upper() -> Floats:
    """Return the share of the trunk without the shoulders."""
    share = np.clip(2 * _share("root", "spine0") - _UPPER, 0, 1)
    share[_near().rows >= mesh().skin] = 0
    return np.asarray(share)


def _bump(x: Floats) -> Floats:
    """Return 1 at 0 and 0 from 1 on, smooth at both."""
    t = np.clip(1 - np.abs(x), 0, 1)
    return np.asarray(t * t * (3 - 2 * t))


def seated_tape(v: Floats, at: Mapping[str, Floats], d: Dimensions) -> dict[str, float]:
    """Return what a tape reads on the skin of a seated person, meters.

    Hip breadth below 160 mm over the seat, buttock to knee, the knee's top over the floor, the
    thigh's top over the seat.
    """
    return _read(v[_near().rows], at, d)


def _read(v: Floats, at: Mapping[str, Floats], d: Dimensions) -> dict[str, float]:
    """Return the `seated_tape` of the part that sitting may move, as all below have it."""
    seat, knee = d["popliteal_height"], at["knee_left"]
    low, (thigh, leg) = _flesh()[0] > 0.9, _legs()
    hips = v[low & (v[:, 2] < seat + 0.16) & (v[:, 0] < 0.2)]
    return {
        "hip_breadth_sitting": float(np.ptp(hips[:, 1])),
        "buttock_knee_length": float(
            v[leg & (v[:, 2] > knee[2] - 0.1), 0].max() - v[low & (v[:, 0] < 0), 0].min()
        ),
        "knee_height_sitting": float(v[leg & (v[:, 0] > knee[0] - 0.06), 2].max()),
        "thigh_clearance": float(v[thigh & (v[:, 0] < knee[0] - 0.1), 2].max() - seat),
    }


@cache
def _folded() -> tuple[Ints, Floats]:
    """Return vertices that meet others in the fold at the hip, and the side of each."""
    side = sides()[_near().rows]
    rows = np.flatnonzero(side)
    return rows, side[rows]


def _rest_on(
    v: Floats, knee: float, hip: Floats, d: Dimensions, trunk: _Breadth, more: float = 0.0
) -> Floats:
    """Return vertices lifted to the seat's plane, drawn in round its edge, legs on their sides.

    And belly and thighs on theirs, the `trunk` no broader than it may get, the hips than the tape
    has it and `more`.
    """
    low, seat, half = _flesh()[0], d["popliteal_height"], d["hip_breadth_sitting"] / 2
    v = v.copy()
    part(v, *_folded(), hip)
    rear = v[low > 0.9, 0].min()
    above = np.clip((v[:, 2] - seat) / (_UP * half), 0, 1)
    inward = _IN * half * (1 - np.sqrt(1 - (1 - above) ** 2))
    v[:, 0] += low * np.maximum(rear + inward - v[:, 0], 0)
    for share, most in ((low, half + more - inward), (_trunk(), trunk.at(v[:, 2]))):
        v[:, 1] -= share * np.sign(v[:, 1]) * np.maximum(np.abs(v[:, 1]) - most, 0)
    ahead = np.maximum(v[:, 0] - (knee - _EDGE), 0)
    floor = seat - 0.4 * ahead - 12 * ahead**2
    s = 0.002
    lifted = floor + s * np.logaddexp(0, (v[:, 2] - floor) / s)
    v[:, 2] += low * (lifted - v[:, 2])
    rows, side, share = _inner_leg()
    y = side * v[rows, 1]
    v[rows, 1] += side * share * (s * np.logaddexp(0, y / s) - y)
    return v


def _tape_step(v: Floats, at: Mapping[str, Floats], d: Dimensions) -> Floats:
    """Return vertices a step nearer to what the tape has of knee, thigh and hip."""
    got = _read(v, at, d)
    miss = {name: d[name] - value for name, value in got.items()}
    legs, leg = _flesh()[1:]
    v = v.copy()
    knee, hip, seat = at["knee_left"], at["hip_left"], d["popliteal_height"]
    along = (v[:, 0] - hip[0]) / (knee[0] - hip[0])
    upper = np.clip((v[:, 2] - knee[2] + 0.02) / 0.06, 0, 1)
    top = leg * upper * _bump((along - 1.05) / 0.42)
    front = leg * np.clip((v[:, 0] - knee[0] + 0.02) / 0.06, 0, 1)
    front *= _bump((v[:, 2] - knee[2] + 0.01) / 0.14)
    thigh = leg * np.clip((v[:, 2] - seat) / 0.09, 0, 1) * _bump((along - 0.42) / 0.5)
    wide = legs * _bump((along - 0.02) / 0.75) * _bump((v[:, 2] - seat - 0.08) / 0.17)
    v[:, 2] += 0.8 * (miss["knee_height_sitting"] * top + miss["thigh_clearance"] * thigh)
    v[:, 0] += 0.8 * miss["buttock_knee_length"] * front
    v[:, 1] *= 1 + 0.8 * miss["hip_breadth_sitting"] / got["hip_breadth_sitting"] * wide
    return v


def _aside(v: Floats, at: Mapping[str, Floats], seat: float) -> Floats:
    """Return how far the outer half of thigh and buttock goes aside by one unit, with its sign."""
    knee, hip = at["knee_left"], at["hip_left"]
    along = (v[:, 0] - hip[0]) / (knee[0] - hip[0])
    share = _flesh()[1] * _bump((along - 0.4) / 0.8) * _bump((v[:, 2] - seat - 0.07) / 0.16)
    outer = np.clip((np.abs(v[:, 1]) - 0.5 * hip[1]) / (0.8 * hip[1]), 0, 1)
    return np.asarray(share * outer * np.sign(v[:, 1]))


def _faces(v: Floats, up: Floats, at: Mapping[str, Floats]) -> tuple[Floats, Floats]:
    """Return the shares of what lies on the seat, and of the tops of the thighs.

    `up` are the upward parts of the normals.
    """
    knee, hip = at["knee_left"], at["hip_left"]
    along = (v[:, 0] - hip[0]) / (knee[0] - hip[0])
    low, _, leg = _flesh()
    up = 2 * up
    under = low * np.clip((0.95 - along) / 0.25, 0, 1) * np.clip(-up, 0, 1)
    return under, leg * _bump((along - 0.55) / 0.5) * np.clip(up, 0, 1)


def _flank(v: Floats, seat: float) -> Floats:
    """Return how far the flanks over the hips go aside by one unit, with its sign."""
    share = _trunk() * _bump((v[:, 2] - seat - 0.155) / 0.13)
    return np.asarray(share * np.clip((np.abs(v[:, 1]) - 0.05) / 0.1, 0, 1) * np.sign(v[:, 1]))


def _waist(v: Floats, seat: float) -> Floats:
    """Return how far the sides above the flanks go outward by one unit, with its sign."""
    share = _trunk() * _bump((v[:, 2] - seat - 0.32) / 0.19)
    return np.asarray(share * np.clip(np.abs(v[:, 1]) / 0.1, 0, 1) * np.sign(v[:, 1]))


class _Breadth:
    """Half of how broad the trunk of who sits may get at heights, meters.

    As broad as the hips over the seat, and going in toward the waist; no less than it is anyway.
    """

    def __init__(self, v: Floats, d: Dimensions) -> None:
        half, seat = d["hip_breadth_sitting"] / 2, d["popliteal_height"]
        waist = min(d["waist_breadth"] / 2 + _OVER, half)
        low = seat + _BROADEST * half
        self._levels = np.linspace(seat, seat + d["sitting_height"] / 2, 40)
        t = np.clip((self._levels - low) / max(_navel(d) - low, 0.06), 0, 1)
        own = _trunk() > 0.5
        z, y = v[own, 2], np.abs(v[own, 1])
        near = self._levels[1] - self._levels[0]
        is_so = [y[np.abs(z - k) < near].max(initial=0.0) for k in self._levels]
        self._halves = np.maximum(half - (half - waist) * t * t * (3 - 2 * t), is_so)

    def at(self, z: Floats) -> Floats:
        """Return it at heights."""
        return np.asarray(np.interp(z, self._levels, self._halves))


class _Hollows:
    """Where loins and sides of the trunk lie in from a straight line, hips to chest."""

    def __init__(self, v: Floats, normals: Floats, d: Dimensions) -> None:
        rise = d["popliteal_height"] + d["sitting_height"] - d["stature"]
        low, high = d["popliteal_height"] + 0.06, rise + d["chest_height"] + 0.05
        self._levels = np.linspace(low, high, 30)
        middle = np.abs(v[:, 1]) < 0.1
        loins = self._part(v, 0, -normals[:, 0], -np.ones(len(v)), middle)
        way = _near().way
        sides = self._part(v, 1, way * normals[:, 1], way, ~middle)
        loins[3][:] *= np.clip((self._levels - _navel(d) - 0.02) / 0.06, 0, 1)  # there is a tape
        self._parts = loins, sides

    def _part(
        self, v: Floats, axis: int, facing: Floats, way: Floats, near: Any
    ) -> tuple[int, Any, Floats, Floats]:
        """Return an axis, rows, their shares with the way outward, and the depths at the levels."""
        at = self._levels
        near = near & (_upper() > 0.5) & (facing > 0.3)
        z, x = v[near, 2], way[near] * v[near, axis]
        far = np.array([x[np.abs(z - k) < at[1] - at[0]].max(initial=-np.inf) for k in at])
        far[np.isinf(far)] = far[np.isfinite(far)].min()
        ends = [int(far[:12].argmax()), 18 + int(far[18:].argmax())]
        hollow = np.maximum(np.interp(at, at[ends], far[ends], -np.inf, -np.inf) - far, 0)
        share = _upper() * np.clip(1.5 * facing, 0, 1)
        rows = np.flatnonzero(share * np.interp(v[:, 2], at, hollow, 0, 0))
        return axis, rows, way[rows] * share[rows], hollow

    def fill(self, wanted: Floats, moved: Floats, room: Floats, shares: Floats) -> None:
        """Move what is wanted outward by shares of the hollows, the sides where there is room."""
        for share, (axis, rows, way, hollow) in zip(shares, self._parts, strict=True):
            by = share * way * np.interp(moved[rows, 2], self._levels, hollow, 0, 0)
            wanted[rows, axis] += by * room[rows] if axis else by


class _Lap:
    """The gap between the thighs and the fold between belly and thighs, which flesh may close."""

    def __init__(self, v: Floats, normals: Floats, at: Mapping[str, Floats], d: Dimensions) -> None:
        knee, hip = at["knee_left"], at["hip_left"]
        along = (v[:, 0] - hip[0]) / (knee[0] - hip[0])
        half = d["hip_breadth_sitting"] / 2
        inner = np.clip(-2 * normals[:, 1] * _near().way, 0, 1)  # a thigh may be beyond the middle
        self._seat, self._clearance = d["popliteal_height"], d["thigh_clearance"]
        gap = _flesh()[2] * inner * _bump((along - 0.45) / 0.5)
        inside = np.clip((0.95 * half - np.abs(v[:, 1])) / (0.3 * half), 0, 1)
        fold = np.clip(_flesh()[1] + _trunk(), 0, 1) * inside * np.clip(1 + 2 * normals[:, 2], 0, 1)
        fold *= _bump((along - 0.3) / 0.25)
        self._gap, self._fold = np.flatnonzero(gap), np.flatnonzero(fold)
        self._shares = gap[self._gap], fold[self._fold]

    def close(self, wanted: Floats, moved: Floats, gap: float, fold: float) -> None:
        """Move what is wanted by these shares of what lies open as it is moved now."""
        y, z = moved[self._gap, 1:].T
        over = (z - self._seat) / self._clearance
        wanted[self._gap, 1] -= gap * self._shares[0] * _bump(over - 0.1) * y
        deep = 0.9 * self._clearance - (moved[self._fold, 2] - self._seat)
        wanted[self._fold, 2] += fold * self._shares[1] * np.clip(deep, 0, 0.2)


def _navel(d: Dimensions) -> float:
    """Return the height of the navel of who sits, meters."""
    return d["popliteal_height"] + d["sitting_height"] - d["stature"] + d["waist_height_omphalion"]


def abdominal_depth(v: Floats, d: Dimensions) -> float:
    """Return how deep the trunk of who sits is at the navel, meters."""
    return _depth(v[_near().rows], d)


def _at_navel(v: Floats, d: Dimensions) -> NDArray[np.bool_]:
    """Return which vertices are the trunk's at the height of the navel."""
    return (np.abs(v[:, 2] - _navel(d)) < 0.02) & (_trunk() > 0.5)


def _depth(v: Floats, d: Dimensions) -> float:
    return float(np.ptp(v[_at_navel(v, d), 0]))


class _Belly:
    """The front of the trunk, whose sides go aside too."""

    def __init__(self, v: Floats, d: Dimensions) -> None:
        chest = d["popliteal_height"] + d["sitting_height"] - d["stature"] + d["chest_height"]
        over = v[:, 2] - d["popliteal_height"] - d["thigh_clearance"]
        low = _trunk() * _bump((v[:, 2] - _navel(d)) / _BELLY)
        middle = 0.5 * (_navel(d) + chest)
        high = _upper() * _bump((v[:, 2] - middle) / (0.7 * (chest - _navel(d))))
        # A belly that goes forward over the thighs would be in them.
        self._low = self._part(v, low, np.clip((over + 0.03) / 0.04, 0, 1))
        self._high = self._part(v, high, np.ones(len(v)))
        self._level = _at_navel(v, d)

    @staticmethod
    def _part(v: Floats, share: Floats, where: Floats) -> tuple[Ints, Floats]:
        """Return rows and how far each goes by one unit, along x and y."""
        ahead = np.clip(0.5 + (v[:, 0] - np.median(v[share > 0.5, 0])) / 0.08, 0, 1)
        share = share * ahead * where
        rows = np.flatnonzero(share)
        aside = _BULGES * np.clip(v[rows, 1] / 0.12, -1, 1)
        return rows, share[rows, None] * np.stack([np.ones(len(rows)), aside], 1)

    def forward(self, wanted: Floats, by: float) -> None:
        """Move what is wanted at the navel, where the tape has a depth."""
        rows, way = self._low
        wanted[rows, :2] += by * way

    def bulge(self, wanted: Floats, moved: Floats, room: Floats, by: float) -> None:
        """Move what is wanted over the navel, aside where there is room."""
        rows, way = self._high
        ahead = moved[self._level, 0].max() - moved[rows, 0]
        wanted[rows, 0] += by * way[:, 0] * np.clip(ahead / 0.02, 0, 1)
        wanted[rows, 1] += by * way[:, 1] * room[rows]


def _smooth(off: Floats) -> Floats:
    """Return offsets evened out over all that sitting may move.

    Not where there are any: rounding would decide where that is.
    """
    return _core._evened(off, _near().inner, _near().beside, _SMOOTH)


class Seat:
    """The offsets of a seated person's flesh.

    Attributes
    ----------
    rows : ndarray (k,)
        Vertices that are moved.
    off : ndarray (k, 3)
        By how much, in the pelvis's frame.
    """

    def __init__(
        self,
        v: Floats,
        at: Mapping[str, Floats],
        d: Dimensions,
        poses: Poses,
        full: float,
        lost: float = 0.0,
    ) -> None:
        self._links = tuple(f"{k}_{side}" for k in ("thigh", "shank") for side in SIDES)
        self._poses = {k: poses[k] for k in ("pelvis", *self._links)}
        seat, knee = d["popliteal_height"], float(at["knee_left"][0])
        wanted_volume = min(max(d["weight"] / density(d), VOLUME[0] * full), VOLUME[1] * full)
        wanted_volume -= lost  # what an arm that ends earlier would have
        near = _near()
        fixed, normals = volume(v, near.others), mesh().normals(v)[near.rows]
        v = v[near.rows]
        wanted, moved = v.copy(), v
        out, (under, top) = np.zeros(10), _faces(v, normals[:, 2], at)
        lap, hollows = _Lap(v, normals, at, d), _Hollows(v, normals, d)
        belly, trunk = _Belly(v, d), _Breadth(v, d)
        rise = d["popliteal_height"] + d["sitting_height"] - d["stature"]
        beside, broadest = room_beside(d, joint_centers(d, "standing"))
        most = np.array([_WIDEST, 1, _FLANK, _TOP, _WAIST, _GAP, _FOLD, _LOINS, _SIDES, _BULGE])
        least = -_LEANER * np.array([1, 0, 1, 1, 1, 0, 0, 0, 0, 0])
        for k in range(_ROUNDS):
            wanted += _tape_step(moved, at, d) - moved
            lack = d["abdominal_extension_depth_sitting"] - _depth(moved, d)
            belly.forward(wanted, float(np.clip(0.7 * lack, -0.01, 0.01)))
            if k:  # what the seat takes away goes aside, and where there is room
                lack = wanted_volume - fixed - volume(moved, near.faces)
                step = np.clip(out + lack * _GAINS, least, most) - out
                room = np.interp(moved[:, 2] - rise, beside, broadest)
                room = np.minimum(room, trunk.at(moved[:, 2])) - np.abs(moved[:, 1])
                ahead = (moved[:, 0] - at["elbow_left"][0] + _BEHIND) / 0.04
                sides = np.clip(room / 0.01 - 1, 0, 1) * np.clip(ahead, 0, 1)
                room = np.clip(room / 0.01, 0, 1)
                wanted[:, 1] += step[0] * room * _aside(moved, at, seat)
                wanted[:, 1] += step[2] * room * _flank(moved, seat)
                lap.close(wanted, moved, step[5], step[6])
                over = moved[:, 2] - seat
                wanted[:, 2] -= step[1] * under * np.clip(over, 0, 0.06)
                wanted[:, 2] += step[3] * top * np.clip((d["thigh_clearance"] - over) / 0.015, 0, 1)
                wanted[:, 1] += step[4] * room * _waist(moved, seat)
                hollows.fill(wanted, moved, sides, step[7:9])
                belly.bulge(wanted, moved, room, step[9])
                out += step
            late = k >= _ROUNDS - _LAST
            moved = _rest_on(wanted, knee, at["hip_left"], d, trunk, late * _MORE)
            if late:
                off = _smooth(moved - v)
                moved = _rest_on(v + off, knee, at["hip_left"], d, trunk)
        off = moved - v
        far = np.abs(off).max(1) > 1e-6
        turn = self._poses["pelvis"][:3, :3]
        self.rows, self.off = near.rows[far], off[far] @ turn

    def swelling(self, v: Floats) -> Floats:
        """Return the offsets (n, 3) on the skin as it was fitted, standing, that go outward."""
        m, out = mesh(), np.zeros_like(v)
        world = self.off @ self._poses["pelvis"][:3, :3].T
        off = world
        for link in self._links:
            kind, side = link.split("_")
            own = m.on_side(side, {"thigh": "upperleg", "shank": "lowerleg"}[kind])[self.rows]
            off = np.where(own[:, None] > 0.5, world @ self._poses[link][:3, :3], off)
        out[self.rows] = off
        outward = np.einsum("ij,ij->i", out, m.normals(v)) > 0
        return np.asarray(out * outward[:, None])

    def share(self, poses: Poses) -> float:
        """Return how much of the offsets a posture has, from 0 to 1."""
        pairs: list[tuple[str, str | None]] = [("pelvis", None)]
        pairs += [(k, "pelvis" if k[0] == "t" else f"thigh{k[5:]}") for k in self._links]
        away = 0.0
        for link, base in pairs:
            now, then = poses[link][:3, :3], self._poses[link][:3, :3]
            if base is not None:
                now, then = poses[base][:3, :3].T @ now, self._poses[base][:3, :3].T @ then
                turn = float(np.arccos(np.clip((np.trace(now.T @ then) - 1) / 2, -1, 1)))
            else:  # the seat is level
                turn = float(np.arccos(np.clip(now[2] @ then[2], -1, 1)))
            away = max(away, turn)
        return float(_bump(np.array(away / _FADES)))

    def add(self, v: Floats, poses: Poses) -> None:
        """Move the flesh of vertices in a posture."""
        share = self.share(poses)
        if share > 0:
            v[self.rows] += share * self.off @ poses["pelvis"][:3, :3].T
