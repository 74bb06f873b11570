"""The landmarks of a tape on the skeleton: points fixed to bodies, of a person who stands.

Heights and lengths that the skeleton defines put them where they are; flesh that only the sitting
tape sees (buttock, kneecap, fold of the knee) is placed by it. Landmarks of girths are not here.
"""

from __future__ import annotations

from math import pi

import numpy as np
from numpy.typing import NDArray

from handik.people.dimensions import Dimensions
from handik.people.skeleton._centers import SIDES, Sitting, sitting
from handik.people.skeleton._constants import constants

__all__ = ["landmark_bodies", "landmarks", "sitting_turn"]

Array = NDArray[np.float64]

_ON_TRUNK = {
    "acromion": "acromial_height",
    "axilla": "axilla_height",
    "chest": "chest_height",
    "tenth_rib": "tenth_rib_height",
}


def sitting_turn(how: Sitting) -> Array:
    """Return the rotation of the seated thigh from the standing one."""
    a = 0.5 * pi + how.tilt
    return np.array([[np.cos(a), 0, -np.sin(a)], [0, 1, 0], [np.sin(a), 0, np.cos(a)]])


def landmarks(d: Dimensions, at: dict[str, Array], rise: float = 0.0) -> dict[str, Array]:
    """Return landmarks by name, standing; `at` are the standing joint centers.

    `rise` is how much higher those of the arms are than of who stands.
    """
    k, how = constants(d.sex), sitting(d)
    back = -how.buttock_behind_hip
    found = {
        "vertex": at["vertex"],
        "cervicale": at["cervicale"],
        "suprasternale": at["suprasternale"],
        "eye": at["eye"],
        "omphalion": np.array([0.5 * d["waist_depth"], 0.0, d["waist_height_omphalion"]]),
        "crotch": np.array([0.0, 0.0, d["crotch_height"]]),
        "seat": np.array([0.0, 0.0, at["hip_right"][2] - how.hip_above_seat]),
        "buttock": np.array([back, 0.0, d["buttock_height"]]),
    }
    for side, sign in SIDES.items():
        found |= {f"{name}_{side}": p for name, p in _of_arm(d, at, side, sign, rise).items()}
        found |= {f"{name}_{side}": p for name, p in _of_leg(d, at, side, sign, how, k).items()}
        tragion = d["stature"] - d["tragion_top_of_head"]
        found[f"tragion_{side}"] = np.array(
            [at["vertex"][0], 0.5 * sign * d["bizygomatic_breadth"], tragion]
        )
        found[f"pupil_{side}"] = at["eye"] + _by(0, 0.5 * sign * d["interpupillary_breadth"], 0)
    return found


def olecranon_below(d: Dimensions, elbow: float) -> float:
    """Return how far below the axis of a bent elbow its point is; `elbow`: that below acromion."""
    return float(d["shoulder_elbow_length"] - elbow)


def _of_arm(
    d: Dimensions, at: dict[str, Array], side: str, sign: float, rise: float
) -> dict[str, Array]:
    shoulder, elbow, wrist = (at[f"{j}_{side}"] for j in ("shoulder", "elbow", "wrist"))
    y = 0.5 * sign * d["biacromial_breadth"]
    found = {name: np.array([shoulder[0], y, d[height]]) for name, height in _ON_TRUNK.items()}
    acromion = d["acromial_height"] + rise
    found["acromion"] = np.array([shoulder[0], y, acromion])
    found["radiale"] = np.array([elbow[0], y, acromion - d["acromion_radiale_length"]])
    found["stylion"] = found["radiale"] - _by(0, 0, d["radiale_stylion_length"])
    found["dactylion"] = at[f"middle_tip_{side}"]
    found["thumb_tip"] = at[f"thumb_tip_{side}"]
    # with the elbow at a right angle: the lowest point, and the rearmost
    low = olecranon_below(d, acromion - elbow[2])
    rear = d["forearm_hand_length"] - (elbow[2] - found["dactylion"][2])
    found["olecranon"] = elbow - _by(low, 0, 0)
    found["elbow_rear"] = elbow + _by(0, 0, rear)
    grip = d["forearm_center_of_grip_length"] - rear
    found["grip"] = np.array([wrist[0], wrist[1] - sign * 0.03, elbow[2] - grip])
    found["palm_end"] = wrist - _by(0, 0, d["palm_length"])
    return found


def _of_leg(
    d: Dimensions, at: dict[str, Array], side: str, sign: float, how: Sitting, k: dict[str, float]
) -> dict[str, Array]:
    hip, knee, ankle = (at[f"{j}_{side}"] for j in ("hip", "knee", "ankle"))
    found = {
        name: np.array([knee[0], knee[1], d[height]])
        for name, height in (
            ("patella", "knee_height_midpatella"),
            ("epicondyle", "lateral_femoral_epicondyle_height"),
            ("tibiale", "tibial_height"),
        )
    }
    half_hips, half_crest = (0.5 * sign * d[x] for x in ("hip_breadth", "bicristal_breadth"))
    found["trochanterion"] = _by(hip[0], half_hips, d["trochanterion_height"])
    found["iliocristale"] = _by(0, half_crest, d["iliocristale_height"])
    half = 0.5 * d["bimalleolar_breadth"]
    found["malleolus"] = ankle + _by(0, sign * half, k["ankle_below_malleolus"])
    found["malleolus_inner"] = found["malleolus"] - _by(0, 2 * sign * half, 0)
    heel = np.array([ankle[0] - k["heel_behind_ankle"] * d["foot_length"], ankle[1], 0.0])
    found["heel"], found["toe_tip"] = heel, heel + _by(d["foot_length"], 0, 0)
    found["ball"] = heel + _by(d["ball_of_foot_length"], 0, 0)
    top = np.array([0.0, 0.0, d["knee_height_sitting"] - knee[2]])
    found["knee_top"] = knee + sitting_turn(how).T @ top
    found["knee_front"] = knee + _by(how.knee_front, 0, 0)
    found["fold"] = knee + _by(-how.fold_behind_knee, 0, -how.knee_above_seat)
    return found


def landmark_bodies() -> dict[str, str]:
    """Return landmark -> link that carries it."""
    bodies = {"vertex": "head", "eye": "head", "cervicale": "trunk", "suprasternale": "trunk"}
    bodies |= dict.fromkeys(("omphalion", "crotch", "seat", "buttock"), "pelvis")
    carried = {
        "trunk": _ON_TRUNK,
        "head": ("tragion", "pupil"),
        "pelvis": ("iliocristale",),
        "ulna": ("radiale", "olecranon", "elbow_rear"),
        "forearm": ("stylion",),
        "hand": ("dactylion", "thumb_tip", "grip", "palm_end"),
        "thigh": ("trochanterion", "epicondyle", "knee_top"),
        "shank": ("patella", "tibiale", "malleolus", "malleolus_inner", "knee_front", "fold"),
        "foot": ("heel", "toe_tip", "ball"),
    }
    for side in SIDES:
        for link, names in carried.items():
            on = link if link in ("trunk", "head", "pelvis") else f"{link}_{side}"
            bodies |= {f"{name}_{side}": on for name in names}
    return bodies


def _by(x: float, y: float, z: float) -> Array:
    return np.array([x, y, z], dtype=float)
