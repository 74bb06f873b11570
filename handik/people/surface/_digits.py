"""The digits of the mesh: bound to the figure's phalanges, or relaxed where it has none."""

from __future__ import annotations

import numpy as np

from handik.people.skeleton._hand import DIGITS, THUMB
from handik.people.surface._data import Floats
from handik.people.surface._place import SIDES, Arm, cross, unit

__all__ = ["BONES", "bind_digits", "link_of", "relaxed"]

#: The three bones of a digit that move.
BONES = {
    digit: ("metacarpal", "proximal", "distal")
    if digit == "thumb"
    else ("proximal", "middle", "distal")
    for digit in DIGITS
}
#: How far the joints of a resting finger are bent beyond the mesh's own curl, radians; more to the
#: little finger. [assumption]
_CURL, _MORE = (0.16, 0.22, 0.15), 0.12
_THUMB_CURL = (0.15, 0.10, 0.15)
#: What share of the angle to the middle finger the fingers close by. [assumption]
_CLOSE = 0.75
_ONE, _FOUR = np.eye(3), np.eye(4)
_MIDDLE = DIGITS.index("middle")


def link_of(bone: str) -> str | None:
    """Return the figure's link for a bone of the mesh such as ``finger2_1_left``."""
    name, _, rest = bone.partition("_")
    if not name.startswith("finger"):
        return None
    digit = DIGITS[int(name[-1]) - 1]
    k, _, side = rest.partition("_")
    return f"{digit}_{BONES[digit][int(k) - 1]}_{side}"


def _turn(axis: Floats, angle: float) -> Floats:
    """Return the rotation about an axis (Rodrigues)."""
    x, y, z = unit(axis)
    k = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(_ONE + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k))


def _onto(fro: Floats, to: Floats) -> Floats:
    """Return the smallest rotation that takes a direction to another."""
    axis = cross(fro, to)
    angle = float(np.arctan2(np.sqrt(axis @ axis), fro @ to))
    return _turn(axis, angle) if angle > 1e-9 else np.eye(3)


def bind_digits(arm: Arm, side: str, hand: Floats, links: set[str]) -> dict[str, Floats]:
    """Return the poses at rest of the phalanges that the figure has.

    Each lies along the mesh's own phalanx, with as much roll as the hand has.
    """
    out = {}
    front, palm, down = THUMB
    for k, digit in enumerate(DIGITS):
        own = np.array([front, -SIDES[side][1] * palm, -down] if digit == "thumb" else [0, 0, -1.0])
        for i, bone in enumerate(BONES[digit]):
            name = f"{digit}_{bone}_{side}"
            if name in links:
                start, end = arm.digits[k, i : i + 2]
                pose = np.eye(4)
                along = hand[:3, :3] @ own
                pose[:3, :3] = _onto(along, unit(end - start)) @ hand[:3, :3]
                pose[:3, 3] = start
                out[name] = pose
    return out


def relaxed(arm: Arm, side: str) -> dict[str, Floats]:
    """Return how the bones of a resting hand's digits lie, from where the mesh has them."""
    out = {}
    first = [unit(row[1] - row[0]) for row in arm.digits]
    index = arm.digits[1, 1] - arm.digits[0, 3]
    for k, digit in enumerate(DIGITS):
        move = _FOUR
        thumb = digit == "thumb"
        more = 1.0 if thumb else 1 + _MORE * (k - 1)
        for i, bend in enumerate(_THUMB_CURL if thumb else _CURL):
            at, end = arm.digits[k, i : i + 2]
            turn = _turn(cross(unit(end - at), index if thumb else arm.palm), more * bend)
            if i == 0 and digit not in ("thumb", "middle"):
                aside = first[_MIDDLE] - (first[_MIDDLE] @ arm.palm) * arm.palm
                own = first[k] - (first[k] @ arm.palm) * arm.palm
                axis, cos = cross(unit(own), unit(aside)), unit(own) @ unit(aside)
                angle = float(np.arctan2(np.sqrt(axis @ axis), cos))
                turn = turn @ _turn(axis, _CLOSE * angle)
            step = _FOUR.copy()
            step[:3, :3], step[:3, 3] = turn, at - turn @ at
            move = move @ step
            out[f"finger{k + 1}_{i + 1}_{side}"] = move
    return out
