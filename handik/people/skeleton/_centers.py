"""Joint centers from body dimensions: a tape's landmarks are the equations.

Given the dimensions of a person, returned the centers of joints in the person's world: x forward,
y left, z up, the floor at z = 0, and x = y = 0 under the middle of the hips. All standing heights
come out as measured by construction. What each constant rests on is in
``handik/data/people/skeleton.csv``.

References
----------
M. P. Reed, M. A. Manary, L. W. Schneider, Methods for measuring and representing automobile
occupant posture, SAE 1999-01-0959. P. de Leva, Joint center longitudinal positions computed from a
selected subset of Chandler's data, J Biomech 29 (1996). R. Dumas, L. Cheze, J.-P. Verriest,
Adjustments to McConville et al. and Young et al. body segment inertial parameters, J Biomech 40
(2007).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import asin, cos, radians, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.people.dimensions import Dimensions
from handik.people.skeleton._constants import constants
from handik.people.skeleton._hand import hand_points
from handik.spec._given import choice, of_class

__all__ = [
    *("LEVELS", "POSITIONS", "SIDES", "Sitting"),
    *("joint_centers", "shoulders_rise", "sitting"),
]

Array = NDArray[np.float64]

#: Side -> sign of its y.
SIDES = {"right": -1.0, "left": 1.0}
POSITIONS = ("seated", "standing")
#: Most that shoulders rise or sink when a person sits down, meters. [assumption]
_RISE = 0.05
_VERTEBRAE = (
    *(f"L{k}" for k in range(5, 0, -1)),
    *(f"T{k}" for k in range(12, 0, -1)),
    *(f"C{k}" for k in range(7, 0, -1)),
)
#: The 25 levels of the spine from below: each lower vertebra is named second.
LEVELS = tuple(
    f"{upper}_{lower}"
    for lower, upper in zip(("S1", *_VERTEBRAE), (*_VERTEBRAE, "C0"), strict=True)
)


class Sitting:
    """How a person sits on a flat seat with level thighs, from the sitting dimensions.

    Attributes
    ----------
    hip_above_seat, knee_above_seat : float
        Meters.
    tilt : float
        Radians by which the thigh rises to the knee.
    thigh : float
        Hip to knee, meters.
    buttock_behind_hip, knee_front, fold_behind_knee : float
        Meters of flesh.
    """

    def __init__(self, d: Mapping[str, float], hip: float, knee: float, k: Mapping[str, float]):
        self.thigh = hip - knee
        self.hip_above_seat = d["sitting_height"] - (d["stature"] - hip)
        self.knee_above_seat = knee - d["popliteal_height"]
        rise = (self.knee_above_seat - self.hip_above_seat) / self.thigh
        self.tilt = asin(min(max(rise, -0.5), 0.5))
        depth = d["buttock_knee_length"] - d["buttock_popliteal_length"]
        level = self.thigh * cos(self.tilt)
        front = k["knee_front_share"] * depth
        behind = d["buttock_knee_length"] - level - front
        most, least = k["buttock_depth_most"], k["buttock_depth_least"]
        self.buttock_behind_hip = min(
            max(behind, least * d["buttock_depth"]), most * d["buttock_depth"]
        )
        self.knee_front = d["buttock_knee_length"] - level - self.buttock_behind_hip
        self.fold_behind_knee = depth - self.knee_front


def sitting(dimensions: Dimensions) -> Sitting:
    """Return how a person sits."""
    k = constants(dimensions.sex)
    return Sitting(dimensions, *_leg_heights(dimensions, k)[:2], k)


def shoulders_rise(dimensions: Mapping[str, float]) -> float:
    """Return how much higher the shoulders of who sits are than those of who stands, meters.

    Over the seat, trunk and arm as they stand leave the elbow a few millimeters lower on average
    than where the survey has it resting, and a person's own up to 3 cm lower or higher.
    """
    d = dimensions
    low = d["sitting_height"] - d["stature"] + d["acromial_height"] - d["shoulder_elbow_length"]
    return min(max(d["elbow_rest_height"] - low, -_RISE), _RISE)


def joint_centers(dimensions: Dimensions, position: str = "seated") -> dict[str, Array]:
    """Return the joint centers of a person.

    Parameters
    ----------
    dimensions : Dimensions
        Of the person.
    position : {"seated", "standing"}
        Standing upright, or seated upright with the thighs level and the shanks vertical on a seat
        as high as the fold of the knee. The arms hang.

    Returns
    -------
    dict of str to ndarray (3,)
        Meters; x forward, y left, z up, the floor at z = 0, x = y = 0 under the middle of the hips.

    Raises
    ------
    ArgumentError
        When `position` is another word.
    TypeError
        When `dimensions` are no `Dimensions`.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.people.skeleton import joint_centers
    >>> at = joint_centers(hk.people.dimensions("male", stature=1.8), "standing")
    >>> f"{at['hip_right'][2]:.3f} {at['shoulder_right'][2]:.3f}"
    '0.930 1.442'
    """
    d = of_class("dimensions", dimensions, Dimensions)
    choice("position", position, POSITIONS)
    k = constants(d.sex)
    at = _legs(d, k, seated=position == "seated")
    hip = _leg_heights(d, k)[0]
    upper = _trunk(d, k) | _arms(d, k, shoulders_rise(d) if position == "seated" else 0.0)
    lift = np.array([0.0, 0.0, at["hip_right"][2] - hip])
    return at | {name: point + lift for name, point in upper.items()}


def _leg_heights(d: Mapping[str, float], k: Mapping[str, float]) -> tuple[float, float, float]:
    """Heights of hip, knee and ankle, standing."""
    knee = d["knee_height_midpatella"] + k["knee_above_midpatella"]
    trochanter = _trochanter(d, k)
    hip = trochanter + k["hip_of_trochanterion"] * (trochanter - knee)
    return hip, knee, d["lateral_malleolus_height"] - k["ankle_below_malleolus"]


def _trochanter(d: Mapping[str, float], k: Mapping[str, float]) -> float:
    """Return how high the trochanter is by all that the tape has of the pelvis's height.

    Trochanter, crotch, iliac crest and seat are each as high as the pelvis, and a centimeter or
    more of their own beside: bone, flesh, and a finger that finds the point. By the first alone the
    hip of one man would be 1 cm over the seat and of another 14.
    """
    return (
        k["pelvis_height"]
        + k["pelvis_of_trochanterion"] * d["trochanterion_height"]
        + k["pelvis_of_crotch"] * d["crotch_height"]
        + k["pelvis_of_iliocristale"] * d["iliocristale_height"]
        + k["pelvis_of_seat"] * (d["stature"] - d["sitting_height"])
    )


def _legs(d: Mapping[str, float], k: Mapping[str, float], seated: bool) -> dict[str, Array]:
    hip, knee, ankle = _leg_heights(d, k)
    side = k["hip_of_asis"] * k["asis_of_bicristal"] * d["bicristal_breadth"]
    x = 0.0
    if seated:
        how = Sitting(d, hip, knee, k)
        hip = d["popliteal_height"] + how.hip_above_seat
        x = how.thigh * cos(how.tilt)
        knee = hip + how.thigh * sin(how.tilt)
    heel = x - k["heel_behind_ankle"] * d["foot_length"]
    ankle += knee - _leg_heights(d, k)[1]
    at = {}
    for name, sign in SIDES.items():
        y = sign * side
        at[f"hip_{name}"] = np.array([0.0, y, hip])
        at[f"knee_{name}"] = np.array([x, y, knee])
        at[f"ankle_{name}"] = np.array([x, y, ankle])
        at[f"toe_{name}"] = np.array([heel + d["ball_of_foot_length"], y, k["ball_above_floor"]])
    return at


def _trunk(d: Mapping[str, float], k: Mapping[str, float]) -> dict[str, Array]:
    """Spine and head of a person who stands; the trunk is upright in both positions."""
    asis = k["asis_of_bicristal"] * d["bicristal_breadth"]
    low = np.array([k["l5s1_x_of_asis"] * asis, 0.0, _leg_heights(d, k)[0]])
    low[2] += k["l5s1_z_of_asis"] * asis
    width = k["thorax_width"] * d["stature"]
    drop = d["cervicale_height"] - d["suprasternale_height"]
    if not abs(drop) < width:
        raise ArgumentError(
            f"cervicale and suprasternale height are {drop:.3f} m apart, more than the chest is "
            f"deep ({width:.3f} m)"
        )
    along = np.array([sqrt(width**2 - drop**2), 0.0, -drop]) / width
    up = radians(k["c7t1_up"])
    turned = np.array([[cos(up), 0, -sin(up)], [0, 1, 0], [sin(up), 0, cos(up)]]) @ along
    to_high = k["c7t1_of_thorax_width"] * width * turned
    high = np.array([low[0], 0.0, d["cervicale_height"] + to_high[2]])
    cervicale = high - to_high
    head = d["stature"] - d["tragion_top_of_head"] - k["head_pivot_below_tragion"]
    pivot = np.array([high[0] + k["head_pivot_before_c7t1"], 0.0, head])
    eye = d["stature"] - d["sitting_height"] + d["eye_height_sitting"]
    at = dict(zip(LEVELS, _spine(low, high, pivot, k), strict=True))
    at["cervicale"] = cervicale
    at["suprasternale"] = cervicale + width * along
    at["eye"] = np.array([pivot[0] + k["eye_before_pivot"] * d["head_length"], 0.0, eye])
    at["vertex"] = np.array([pivot[0], 0.0, d["stature"]])
    return at


def _spine(low: Array, high: Array, pivot: Array, k: Mapping[str, float]) -> list[Array]:
    """Return the 25 levels: on the straight line by height, moved by lordosis and kyphosis."""
    thoracic = np.linspace(k["thoracic_vertebra_low"], k["thoracic_vertebra_high"], 12)
    share = np.cumsum([0.0, *[k["lumbar_vertebra"]] * 5, *thoracic])
    share /= share[-1]
    waist, length = share[5], float(np.linalg.norm(high - low))
    bend = np.where(
        share < waist,
        k["lordosis"] * np.sin(np.pi * share / waist),
        -k["kyphosis"] * np.sin(np.pi * (share - waist) / (1 - waist)),
    )
    points = low + share[:, None] * (high - low)
    points[:, 0] += length * bend
    neck = np.linspace(high, pivot, 8)[1:]
    return [*points, *neck]


def _arms(d: Mapping[str, float], k: Mapping[str, float], rise: float) -> dict[str, Array]:
    """Shoulder to fingertips, hanging, of a person who stands; `rise` of the shoulders beyond."""
    asis = k["asis_of_bicristal"] * d["bicristal_breadth"]
    x = k["l5s1_x_of_asis"] * asis + k["shoulder_before_c7t1"]
    radiale, axis = d["acromion_radiale_length"], k["elbow_above_radiale"]
    acromion = d["acromial_height"] + rise
    shoulder = acromion - k["shoulder_below_acromion"] * radiale
    elbow = acromion - radiale + axis
    wrist = elbow - (d["radiale_stylion_length"] + axis)
    y = 0.5 * d["biacromial_breadth"] - k["shoulder_inside_acromion"]
    at = {}
    for name, sign in SIDES.items():
        for joint, z in (("shoulder", shoulder), ("elbow", elbow), ("wrist", wrist)):
            at[f"{joint}_{name}"] = np.array([x, sign * y, z])
        for point, offset in hand_points(d["hand_length"], d["hand_breadth"], sign).items():
            at[f"{point}_{name}"] = at[f"wrist_{name}"] + offset
    return at
