"""The skin of who lacks a hand or an arm: it ends round, where the figure ends."""

from __future__ import annotations

import numpy as np

from handik.people.surface._bind import ARM
from handik.people.surface._data import Floats, mesh
from handik.people.surface._place import SIDES, Arm

__all__ = ["BONES", "end_at_stumps"]

#: How long the round end is of who lacks the arm, and of who lacks less, meters. [assumption]
_SHOULDER, _ROUND = 0.06, 0.03
#: Bones of the mesh by the link that carries them.
BONES = {
    "upper_arm": ("upperarm",),
    "ulna": ("lowerarm01",),
    "forearm": ("lowerarm02",),
    "hand": ("wrist", "metacarpal", "finger"),
}


def end_at_stumps(v: Floats, arms: dict[str, Arm], links: tuple[str, ...]) -> Floats:
    """Return vertices of which those of an arm's links that are lacking are drawn into a stump."""
    m, out = mesh(), v.copy()
    for side in SIDES:
        lacks = [link for link in ARM if f"{link}_{side}" not in links]
        if not lacks:
            continue
        arm = arms[side]
        joints = {"upper_arm": arm.link, "ulna": arm.elbow[1], "forearm": arm.elbow[1]}
        start = joints.get(lacks[0], arm.wrist[1])
        end = arm.elbow[1] if lacks[0] == "upper_arm" else arm.wrist[1]
        above = arm.elbow[1] if lacks[0] == "hand" else arm.link
        way = end - start if lacks[0] != "hand" else start - above
        u = way / np.linalg.norm(way)
        share = m.on_side(side, *(k for link in lacks for k in BONES[link]))
        share = np.clip(2 * share, 0, 1)[:, None]
        off = v - start
        t = off @ u
        beyond = np.maximum(t, 0.0)
        long = _SHOULDER if lacks[0] == "upper_arm" else _ROUND
        far = 1 - np.exp(-beyond / long)  # of the round end: half an ellipsoid
        along = np.minimum(t, 0.0) + long * far
        aside = (off - np.outer(t, u)) * np.sqrt(1 - far * far)[:, None]
        out += share * (start + np.outer(along, u) + aside - v)
    return out
