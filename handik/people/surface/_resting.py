"""The skin of chest and wrist as arms rest, where the survey lays its tape."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from handik import _core
from handik.people.dimensions import Dimensions
from handik.people.skeleton._build import resting_arm
from handik.people.surface._bind import arm_moves
from handik.people.surface._data import Floats, Ints, mesh
from handik.people.surface._place import Arm
from handik.people.surface._regions import ARM, regions, wrist

__all__ = ["Resting"]

#: How far from the chest's tape, up and down, skin may be that resting arms bring there, meters.
_CHEST = 0.12
_MIRROR = np.diag([1.0, -1.0, 1.0, 1.0])


@cache
def _shared() -> Ints:
    """Return the vertices of the trunk in which arms have a share."""
    arm = np.sum([share for name in ARM for share in regions(name)], axis=0)
    return np.flatnonzero((arm > 0) & (arm < 0.5))


class Resting:
    """What resting arms do to the skin about the tapes of chest and left wrist.

    Parameters
    ----------
    d : Dimensions
    at : mapping of str to ndarray (3,)
        Standing joint centers.
    arm : Arm
        The left one.
    heights : ndarray (n,)
        Of the vertices as they are fitted, the arms away from the trunk.

    Attributes
    ----------
    elbow, wrist : ndarray (3,)
        The joint centers of the left arm as it rests.
    """

    def __init__(self, d: Dimensions, at: Mapping[str, Floats], arm: Arm, heights: Floats) -> None:
        m, rows, poses = mesh(), _shared(), resting_arm(d, at)
        self.elbow, self.wrist = poses["ulna"][:3, 3], poses["hand"][:3, 3]
        about = rows[abs(heights[rows] - d["chest_height"]) < _CHEST]
        self._rows = np.concatenate([about, wrist()])
        moves = np.tile(np.eye(4), (len(m.bones), 1, 1))
        of = arm_moves(arm, poses)
        for k, bone in enumerate(m.bones):
            move = of.get(bone.partition("_")[0])
            if move is not None:
                moves[k] = move if bone.endswith("left") else _MIRROR @ move @ _MIRROR
        self._skinned = m.bone[self._rows], m.share[self._rows], m.mix[self._rows], moves

    def __call__(self, v: Floats) -> Floats:
        """Return vertices, those about the two tapes where they are as arms rest."""
        out = v.copy()
        out[self._rows] = _core.skin(v[self._rows], *self._skinned)
        return out
