"""The point of the elbow: flesh behind it, where the tape of a bent arm ends."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from handik.people.surface._bind import ulna_frame
from handik.people.surface._data import Floats, mesh
from handik.people.surface._place import SIDES, Arm

__all__ = ["LEAST", "MOST", "olecranons"]

#: Most that the flesh is moved forward and back, meters: beyond them a straight arm has a dent
#: there. [assumption]
LEAST, MOST = -0.006, 0.009
#: Along the forearm from the elbow's axis: where flesh begins to be moved, is moved whole, is moved
#: less from, and no more, where the tape of the forearm lies; meters. [assumption]
_ALONG = (-0.12, -0.03, 0.02, 0.05)
#: How far behind the axis it begins to be moved, and is moved whole, meters. [assumption]
_BEHIND = (0.0, 0.03)
#: How far along the forearm from the axis the point of the elbow lies, meters. [assumption]
_POINT = 0.03
#: Share of the forearm from which skin goes with it as the elbow bends.
_BONE = 0.95


def _smooth(x: Floats) -> Floats:
    t = np.clip(x, 0.0, 1.0)
    return np.asarray(t * t * (3 - 2 * t))


def olecranons(v: Floats, arms: Mapping[str, Arm], low: float) -> Floats:
    """Return vertices whose elbows reach as far behind their axes as the tape says.

    With the elbow at a right angle and the upper arm hanging, that is how far they reach down.

    Parameters
    ----------
    v : ndarray (n, 3)
    arms : mapping of str to Arm
    low : float
        How far, meters.
    """
    m, out = mesh(), v.copy()
    (start, whole, less, end), (near, far) = _ALONG, _BEHIND
    for side in SIDES:
        frame = ulna_frame(arms[side], side)
        rows = np.flatnonzero(m.on_side(side, "upperarm", "lowerarm")[: m.skin] > 0.5)
        off = (v[rows] - frame[:3, 3]) @ frame[:3, :3]
        behind, down = -off[:, 0], -off[:, 2]
        share = _smooth((down - start) / (whole - start)) * _smooth((end - down) / (end - less))
        share *= _smooth((behind - near) / (far - near))
        bone = m.on_side(side, "lowerarm")[rows] > _BONE
        aside = 2 * np.maximum(abs(down) - _POINT, 0.0)  # no vertex counts all at once
        by = 0.0
        for _ in range(4):
            lack = low - float((behind + by * share - aside)[bone].max())
            by = float(np.clip(by + lack, LEAST, MOST))
        out[rows] -= by * share[:, None] * frame[:3, 0]
    return out
