"""The shoulder: which way the upper arm may point and turn, and how its center moves with it.

Directions of the upper arm are written as plane and elevation of the humerus on the thorax (ISB: G.
Wu et al. 2005): plane 0 is abduction, 90 degrees forward flexion, elevation 0 the hanging arm.
Given or returned vectors are in the person's axes, x forward, y left, z up.

The ball's rotation is counted from a raised arm in the middle of its room, so that the direction
opposite to it, where swing and twist have no meaning, lies far outside: behind the back.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from math import acos, atan2, cos, pi, radians, sin

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.spec._given import quaternion_turns
from handik.spec._rotations import quaternions_of
from handik.spec.limits import ReachCone, TwistTable

__all__ = [
    "BONE",
    "PARTS",
    "RAISED",
    "arm_direction",
    "ball_turned",
    "clinical_swing",
    "quaternion",
    "raised",
    "room",
    "turn_about",
]

Array = NDArray[np.float64]

#: The upper arm at rest in its own axes.
BONE = np.array([0.0, 0.0, -1.0])
#: What the turns of a shoulder are called, in their order.
PARTS = ("plane", "elevation", "axial")
#: Plane and elevation from which the ball counts, degrees: the middle of the room.
RAISED = (40.0, 75.0)
#: Corners of the room of a healthy adult: plane and elevation, degrees, in the order that encloses
#: the room on the right side. Derived from single-plane ranges and assumed between them.
_CORNERS = (
    *((-120, 25), (180, 15), (150, 45), (135, 90)),
    *((115, 120), (45, 178), (-45, 110), (-90, 60)),
)


def turn_about(axis: ArrayLike, angle: float) -> Array:
    """Return the rotation about a unit axis."""
    x, y, z = np.asarray(axis, float)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned: Array = np.eye(3) + sin(angle) * cross + (1 - cos(angle)) * (cross @ cross)
    return turned


def arm_direction(plane: float, elevation: float, side: float) -> Array:
    """Return the unit direction of an upper arm; degrees, `side` -1 right, 1 left."""
    p, e = radians(plane), radians(elevation)
    return np.array([sin(e) * sin(p), side * sin(e) * cos(p), -cos(e)])


def clinical_swing(direction: Array) -> Array:
    """Return the smallest rotation that takes the hanging arm to a direction."""
    axis = np.cross(BONE, direction)
    size = float(np.linalg.norm(axis))
    if size < 1e-12:
        return np.eye(3)
    return turn_about(axis / size, atan2(size, float(BONE @ direction)))


def quaternion(turn: Array) -> list[float]:
    """Return w x y z of a rotation by less than half a turn."""
    w = 0.5 * np.sqrt(1 + np.trace(turn))
    vector = np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    return [float(w), *(vector / (4 * w)).tolist()]


@cache
def raised(side: float) -> Array:
    """Return the rotation on the thorax of the arm from which the ball counts."""
    return clinical_swing(arm_direction(*RAISED, side))


def ball_turned(rest: ArrayLike, turns: Mapping[str, float], side: float) -> Array:
    """Return the ball's quaternion at some of the plane, elevation and axial rotation, radians.

    What is not given is that of the quaternion `rest`. With ``limits="box"`` the same three numbers
    of the hinges turn the arm the same way.
    """
    held = raised(side) @ quaternion_turns(np.asarray(rest, float))
    bone = held @ BONE
    out, across = float(np.hypot(*bone[:2])), side * float(bone[1])
    # a hanging arm has no plane: that of its rounding would be any
    lying = {"plane": atan2(float(bone[0]), across) if out > 1e-9 else 0.0}
    lying["elevation"] = atan2(out, -float(bone[2]))
    straight = clinical_swing(bone)
    turn = straight.T @ held
    lying["axial"] = -side * atan2(turn[1, 0], turn[0, 0])
    plane, elevation, axial = ({**lying, **turns}[part] for part in PARTS)
    down, forward = (0.0, 0.0, -side), (side, 0.0, 0.0)
    arm = turn_about(down, plane) @ turn_about(forward, elevation) @ turn_about(down, axial - plane)
    return quaternions_of(raised(side).T @ arm)


def _azimuth_swing(direction: Array) -> tuple[float, float]:
    """Return where a direction in the ball's frame lies: axis down, axis2 forward."""
    x, y, z = direction
    return atan2(-y, x), acos(min(max(-z, -1.0), 1.0))


def room(side: float, ranges: dict[str, tuple[float, float]]) -> ReachCone:
    """Return the limits of the shoulder's ball.

    The ranges, degrees, are those of one plane: ``shoulder_flexion`` (its lower end is minus the
    extension), ``shoulder_abduction`` and ``shoulder_axial`` (lateral to medial rotation, counted
    from the arm swung straight from hanging). The polygon between the planes is assumed.
    """
    extension, flexion = ranges["shoulder_flexion"]
    top = min(0.5 * (flexion + ranges["shoulder_abduction"][1]), 178.0)
    corners = [
        (plane, {45: top, -90: -extension}.get(plane, elevation)) for plane, elevation in _CORNERS
    ]
    back = raised(side).T
    places = [_azimuth_swing(back @ arm_direction(p, e, side)) for p, e in corners]
    if side > 0:
        places.reverse()
    lateral, medial = (radians(x) for x in ranges["shoulder_axial"])
    rest, rows, full = _twists(side, lateral, medial)  # all people of a set of ranges have it
    return ReachCone(places, TwistTable(rest, list(rows), full))


@lru_cache(maxsize=32)
def _twists(
    side: float, lateral: float, medial: float
) -> tuple[tuple[float, float], tuple[tuple[float, float, float], ...], float]:
    """Return what a TwistTable is made of whose range is the clinical one at a wide swing."""
    full = radians(RAISED[1])  # as far as the hanging arm

    def at(azimuth: float, swing: float) -> tuple[float, float]:
        u = np.array([cos(azimuth), -sin(azimuth), 0.0])
        in_ball = sin(swing) * u + cos(swing) * BONE
        axis = np.cross(BONE, u)
        gap = turn_about(axis, swing).T @ raised(side).T @ clinical_swing(raised(side) @ in_ball)
        turn = -atan2(gap[1, 0] - gap[0, 1], gap[0, 0] + gap[1, 1])  # about the bone, down
        ends = (turn + side * lateral, turn + side * medial)
        return max(min(ends), -pi), min(max(ends), pi)

    azimuths = np.linspace(-pi, pi, 24, endpoint=False)
    return at(0.0, 0.0), tuple((float(a), *at(float(a), full)) for a in azimuths), full
