"""The fold at the hips of who sits: the skins of belly and thighs meet, each on its own side.

Bent each for itself they would go through each other, by 10 cm of a heavy person.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from handik.people.surface._data import Floats, Ints, mesh

__all__ = ["part", "sides"]

#: How far over level they meet, as seen from the axis of the hips, radians: where skins that are
#: bent each for itself cross, of all kinds of people 0.6 to 0.72. [assumption]
_MEET = 0.66
#: How much less in the middle, and how far aside from there, meters. [assumption]
_LESS, _MIDDLE = 0.2, 0.08
#: How soft both are where they meet, meters.
_SOFT = 0.002


@cache
def sides() -> Floats:
    """Return of each vertex of the mesh how much it is a thigh's, or the belly's where negative.

    0 where neither meets the other: behind the hips, in the middle, far from the fold.
    """
    m = mesh()
    hip = m.joints[0][m.joint_names.index("l-upper-leg"), 0]
    thigh = m.weight("upperleg")
    own = thigh + m.weight("root", "spine05", "spine04", "spine03")
    side = np.clip(2.5 * (2 * thigh - 1), -1, 1) * np.clip(2.5 * own - 1.25, 0, 1)
    side *= np.clip((m.base[:, 0] - hip) / 0.03, 0, 1)
    side *= np.clip((np.abs(m.base[:, 1]) - 0.005) / 0.02, 0, 1)
    side[m.skin :] = 0
    side.flags.writeable = False
    return side


def part(v: Floats, rows: Ints, side: Floats, hip: Floats) -> None:
    """Turn vertices about the axis of the hips until none is on the other side of where they meet.

    `rows` are those of `v` that may be moved, and `side` their `sides`.
    """
    x, y, z = (v[rows] - (hip[0], 0, hip[2])).T
    far, angle = np.hypot(x, z), np.arctan2(z, x)
    meet = _MEET - _LESS * np.clip(1 - np.abs(y) / _MIDDLE, 0, 1)
    over = angle - meet
    arc = np.sign(side) * far * over  # how far beyond
    beyond = arc > -10 * _SOFT
    rows, x, z, far, over, arc = (k[beyond] for k in (rows, x, z, far, over, arc))
    share = np.abs(side[beyond]) * np.clip(far / 0.03 - 1, 0, 1)
    share *= np.clip((2.2 - np.abs(over)) / 0.4, 0, 1)
    back = share * _SOFT * np.logaddexp(0, arc / _SOFT)
    turn = -np.sign(side[beyond]) * back / np.maximum(far, 1e-9)
    cos, sin = np.cos(turn), np.sin(turn)
    v[rows, 0] = hip[0] + cos * x - sin * z
    v[rows, 2] = hip[2] + sin * x + cos * z
