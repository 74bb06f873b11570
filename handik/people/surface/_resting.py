"""The skin as arms rest, where the survey lays its tape about chest and wrist."""

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
from handik.people.surface._tape import volume

__all__ = ["Resting"]

#: How far from the chest's tape, up and down, skin may be that resting arms bring there, meters.
_CHEST = 0.12
_MIRROR = np.diag([1.0, -1.0, 1.0, 1.0])


@cache
def _shared() -> tuple[Ints, Ints]:
    """Return the vertices in which arms have a share, and those of the trunk among them."""
    arm = np.sum([share for name in ARM for share in regions(name)], axis=0)
    return np.flatnonzero(arm > 0), np.flatnonzero((arm > 0) & (arm < 0.5))


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
        m, poses, (every, rows) = mesh(), resting_arm(d, at), _shared()
        self.elbow, self.wrist = poses["ulna"][:3, 3], poses["hand"][:3, 3]
        about = rows[abs(heights[rows] - d["chest_height"]) < _CHEST]
        moves = np.tile(np.eye(4), (len(m.bones), 1, 1))
        of = arm_moves(arm, poses)
        for k, bone in enumerate(m.bones):
            move = of.get(bone.partition("_")[0])
            if move is not None:
                moves[k] = move if bone.endswith("left") else _MIRROR @ move @ _MIRROR
        self._moves, self._every, self._tapes = moves, every, np.concatenate([about, wrist()])

    def __call__(self, v: Floats) -> Floats:
        """Return vertices, those about the two tapes where they are as arms rest."""
        return self._rest(v, self._tapes)

    def volume(self, v: Floats) -> float:
        """Return the volume inside the skin as arms rest: shoulders and armpits lose some."""
        return volume(self._rest(v, self._every), mesh().skin_faces)

    def _rest(self, v: Floats, rows: Ints) -> Floats:
        m, out = mesh(), v.copy()
        out[rows] = _core.skin(v[rows], m.bone[rows], m.share[rows], m.mix[rows], self._moves)
        return out
