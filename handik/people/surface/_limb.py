"""An arm of the mesh brought to a person's: what no round of a fit changes is worked out once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from handik.people.surface._data import Floats, Ints
from handik.people.surface._place import Arm

__all__ = ["ALONG", "Limb", "along_of", "limb_of"]

#: Where arm tapes lie: share of the bone from its upper end. The wrist's joint is as low as the
#: stylion, where the survey lays its tape.
ALONG = {"biceps": 0.6, "forearm": 0.22, "wrist": 1.0}
#: How far beyond the wrist its girth is that of the hand alone, as a share of the hand.
_PALM = 0.3


@dataclass(frozen=True, eq=False)
class Limb:
    """An arm of which only the girths are open.

    Attributes
    ----------
    rows : ndarray (k,)
        Its vertices.
    vertices : ndarray (k, 12)
        What each of them has: the share of the whole arm; how far down each bone the next tape
        counts, 0 to 1; and, by the shares of the arm's parts, what no girth changes and how far off
        the axes of both bones it lies.
    """

    rows: Ints
    vertices: Floats


def along_of(v: Floats, way: Floats) -> Floats:
    """Return ``v @ way``; BLAS takes threads for it, which wait busily when it is done."""
    x, y, z = way.tolist()
    return np.asarray(x * v[:, 0] + y * v[:, 1] + z * v[:, 2])


def _crossed(a: Floats, v: Floats) -> Floats:
    x, y, z = a.tolist()
    u, s, t = v.T
    return np.stack([y * t - z * s, z * u - x * t, x * s - y * u], 1)


def _turned(v: Floats, fro: Floats, to: Floats) -> Floats:
    """Turn vectors by the smallest rotation that takes the direction `fro` to `to`."""
    axis, cos = np.cross(fro, to), float(fro @ to)
    return np.asarray(v * cos + _crossed(axis, v) + np.outer(along_of(v, axis), axis) / (1 + cos))


def _segment(v: Floats, ends: tuple[Floats, Floats, Floats, Floats]) -> tuple[Floats, Floats]:
    """Carry vertices along a bone, from (head, tail) to (head, tail): to its axis, and off it."""
    head, tail, new_head, new_tail = ends
    old, new = tail - head, new_tail - new_head
    n_old, n_new = old / np.linalg.norm(old), new / np.linalg.norm(new)
    along = along_of(v - head, n_old)
    off = _turned((v - head) - np.outer(along, n_old), n_old, n_new)
    share = along / np.linalg.norm(old)
    return np.asarray(new_head + np.outer(share, new)), off


def _smooth(t: Floats) -> Floats:
    t = np.clip(t, 0, 1)
    return np.asarray(t * t * (3 - 2 * t))


def limb_of(start: Floats, arm: Arm, upper: Floats, fore: Floats, hand: Floats) -> Limb:
    """Return an arm from all vertices and the shares of its parts in them."""
    rows = np.flatnonzero(upper + fore + hand)
    of_upper, of_fore, of_hand = (share[rows, None] for share in (upper, fore, hand))
    v = start[rows]
    (s0, s1), (e0, e1), (h0, h1) = arm.shoulder, arm.elbow, arm.wrist
    t = along_of(v - e0, h0 - e0) / ((h0 - e0) @ (h0 - e0))
    upper_t = along_of(v - s0, e0 - s0) / ((e0 - s0) @ (e0 - s0))
    along, across = arm.hand_scale
    off = v - h0
    hand_long = float(np.linalg.norm(arm.digits[2, 3] - h1))
    beyond = along * along_of(off, arm.hand) / hand_long
    as_wrist = of_hand * _smooth(1 - beyond / _PALM)[:, None]
    length = np.outer(along_of(off, arm.hand), arm.hand)
    (axis, upper_off), (fore_axis, fore_off) = (
        _segment(v, ends) for ends in ((s0, e0, s1, e1), (e0, h0, e1, h1))
    )
    parts = [
        (of_upper + of_fore + of_hand)[:, 0],
        _smooth(upper_t / ALONG["biceps"]),
        _smooth((t - ALONG["forearm"]) / (ALONG["wrist"] - ALONG["forearm"])),
        of_upper * axis
        + of_fore * fore_axis
        + of_hand * (h1 + along * length)
        + (of_hand - as_wrist) * across * (off - length),
        of_upper * upper_off,
        of_fore * fore_off + as_wrist * (off - length),
    ]
    return Limb(rows.astype(np.int32), np.column_stack(parts))
