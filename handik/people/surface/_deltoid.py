"""The breadth across both shoulders: flesh over the deltoids, where arms hang beside the body."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from handik.people.surface._data import Floats, mesh
from handik.people.surface._limb import along_of
from handik.people.surface._place import SIDES, Arm

__all__ = ["LEAST", "MOST", "bideltoid", "breadth", "deltoids", "outward"]

#: Most that the flesh of a shoulder is moved inward and outward, metres: beyond it shoulders look
#: padded. [assumption]
LEAST, MOST = -0.022, 0.046
#: Along the upper arm, as shares of it: where the flesh begins to be moved, is moved whole, from
#: where it is moved less, and not at all. [assumption]
_ALONG = (-0.2, 0.12, 0.22, 1.05)
#: Between these the inner side comes along, so that further down the arm lies aside as it is, no
#: thicker, and the tape round the biceps reads the same. [assumption]
_INNER = (0.2, 0.5)
#: Where the deltoid ends, as a share of the upper arm: the survey's calliper lies on the deltoids,
#: and of slim arms the elbow's bones are further out. [assumption]
_ENDS = 0.5


@cache
def deltoids() -> NDArray[np.intp]:
    """Return which vertices are of the shoulders and of the upper arms as far as the deltoids."""
    m = mesh()
    own = m.weight("clavicle", "shoulder01", "upperarm")[: m.skin] > 0.5
    joints = dict(zip(m.joint_names, m.joints[0], strict=True))
    for letter, sign in SIDES.values():
        shoulder = joints[f"{letter}-shoulder"]
        bone = joints[f"{letter}-elbow"] - shoulder
        along = (m.base[: m.skin] - shoulder) @ bone / (bone @ bone)
        own &= (along < _ENDS) | (sign * m.base[: m.skin, 1] < 0)
    return np.flatnonzero(own)


def breadth(v: Floats, sides: Sequence[str]) -> float:
    """Return the greatest breadth across vertices of hanging arms, metres."""
    return 2 * float(np.mean([(SIDES[side][1] * v[:, 1]).max() for side in sides]))


def bideltoid(v: Floats, sides: Sequence[str] = tuple(SIDES)) -> float:
    """Return the greatest breadth across the deltoids of hanging arms; twice that of one."""
    return breadth(v[deltoids()], sides)


def _smooth(x: Floats) -> Floats:
    t = np.clip(x, 0.0, 1.0)
    return np.asarray(t * t * (3 - 2 * t))


def outward(v: Floats, arms: dict[str, Arm]) -> Floats:
    """Return how far each vertex goes with the outer flesh of a shoulder that is moved by 1 m.

    That flesh moves outward, square to the arm.
    """
    m, out = mesh(), np.zeros_like(v)
    (start, whole, less, end), (low, high) = _ALONG, _INNER
    for side, (_, sign) in SIDES.items():
        arm = arms[side]
        bone = arm.elbow[1] - arm.link
        length = float(np.linalg.norm(bone))
        u = bone / length
        across = np.array([0.0, sign, 0.0])
        across = across - (across @ u) * u
        across /= np.linalg.norm(across)
        own = _smooth(
            (m.on_side(side, "clavicle", "shoulder01", "upperarm", "lowerarm") - 0.4) / 0.5
        )
        own[m.skin :] = 0.0  # the trunk's tapes lie where the arm has little share
        rows = np.flatnonzero(own)
        off = v[rows] - arm.link
        t, far = along_of(off, u) / length, along_of(off, across)
        share = _smooth((t - start) / (whole - start)) * _smooth((end - t) / (end - less))
        outer, inner = _smooth((far + 0.02) / 0.05), _smooth((t - low) / (high - low))
        share *= (outer + (1 - outer) * inner) * own[rows]
        out[rows] += share[:, None] * across
    return out
