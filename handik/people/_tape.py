"""A tape on the built person: landmarks of the posed skeleton, taken as the survey says.

Nothing here looks a dimension up: the landmarks are points fixed to bodies of the model, and the
tape takes heights and distances between them after the model was posed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import pi
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik._model import Model
from handik.errors import UnsupportedError
from handik.people.skeleton._build import figure
from handik.people.skeleton._centers import POSITIONS, SIDES
from handik.people.skeleton._constants import constants
from handik.people.skeleton._landmarks import landmark_bodies
from handik.people.skeleton._own_rhythm import ShoulderRhythm
from handik.people.skeleton._rhythm import REACHES
from handik.people.skeleton._shoulder import (
    arm_direction,
    clinical_swing,
    quaternion,
    raised,
)

if TYPE_CHECKING:
    from handik.people.dimensions import Dimensions

__all__ = ["MEASURES", "ON_SEAT", "SKIN", "Tape"]

Array = NDArray[np.float64]
Points = dict[str, Array]

#: Postures of the arm: plane, elevation, elbow; degrees. Overhead is assumed.
_ARMS = {
    "hanging": (0.0, 0.0, 0.0),
    "elbow bent": (0.0, 0.0, 90.0),
    "overhead": (*REACHES["overhead_fingertip_reach_sitting"], 0.0),
    "sideways": (*REACHES["span"], 0.0),
    "forward": (*REACHES["thumbtip_reach"], 0.0),
}


@dataclass(frozen=True, slots=True)
class Measure:
    """How one dimension is taken.

    Attributes
    ----------
    position : str
        ``"standing"`` or ``"seated"``.
    arms : str
        One of the postures of the arms.
    take : callable
        From the points by name to meters.
    """

    position: str
    arms: str
    take: Callable[[Points], float]


def _along(axis: int, last: str, first: str | None = None) -> Callable[[Points], float]:
    def take(p: Points) -> float:
        return float(p[last][axis] - (0.0 if first is None else p[first][axis]))

    return take


def _apart(a: str, b: str) -> Callable[[Points], float]:
    return lambda p: float(np.linalg.norm(p[a] - p[b]))


def _standing(take: Callable[[Points], float]) -> Measure:
    return Measure("standing", "hanging", take)


def _seated(take: Callable[[Points], float], arms: str = "hanging") -> Measure:
    return Measure("seated", arms, take)


_HEIGHTS = {
    "stature": "vertex",
    "cervicale_height": "cervicale",
    "suprasternale_height": "suprasternale",
    "acromial_height": "acromion_right",
    "axilla_height": "axilla_right",
    "chest_height": "chest_right",
    "tenth_rib_height": "tenth_rib_right",
    "waist_height_omphalion": "omphalion",
    "iliocristale_height": "iliocristale_right",
    "trochanterion_height": "trochanterion_right",
    "buttock_height": "buttock",
    "crotch_height": "crotch",
    "knee_height_midpatella": "patella_right",
    "lateral_femoral_epicondyle_height": "epicondyle_right",
    "tibial_height": "tibiale_right",
    "lateral_malleolus_height": "malleolus_right",
}
#: Dimension -> how the tape takes it on landmarks.
MEASURES: dict[str, Measure] = {name: _standing(_along(2, at)) for name, at in _HEIGHTS.items()} | {
    "tragion_top_of_head": _standing(_along(2, "vertex", "tragion_right")),
    "interpupillary_breadth": _standing(_apart("pupil_left", "pupil_right")),
    "biacromial_breadth": _standing(_apart("acromion_left", "acromion_right")),
    "bicristal_breadth": _standing(_apart("iliocristale_left", "iliocristale_right")),
    "bimalleolar_breadth": _standing(_apart("malleolus_right", "malleolus_inner_right")),
    "acromion_radiale_length": _standing(_apart("acromion_right", "radiale_right")),
    "radiale_stylion_length": _standing(_apart("radiale_right", "stylion_right")),
    "hand_length": _standing(_along(2, "wrist_right", "dactylion_right")),
    "palm_length": _standing(_along(2, "wrist_right", "palm_end_right")),
    "foot_length": _standing(_apart("heel_right", "toe_tip_right")),
    "ball_of_foot_length": _standing(_apart("heel_right", "ball_right")),
    "sitting_height": _seated(_along(2, "vertex", "seat")),
    "eye_height_sitting": _seated(_along(2, "eye", "seat")),
    "elbow_rest_height": _seated(_along(2, "olecranon_right", "seat"), "elbow bent"),
    "shoulder_elbow_length": _seated(_along(2, "acromion_right", "olecranon_right"), "elbow bent"),
    "forearm_hand_length": _seated(_along(0, "dactylion_right", "elbow_rear_right"), "elbow bent"),
    "forearm_center_of_grip_length": _seated(
        _along(0, "grip_right", "elbow_rear_right"), "elbow bent"
    ),
    "knee_height_sitting": _seated(_along(2, "knee_top_right")),
    "popliteal_height": _seated(_along(2, "fold_right")),
    "buttock_knee_length": _seated(_along(0, "knee_front_right", "buttock")),
    "buttock_popliteal_length": _seated(_along(0, "fold_right", "buttock")),
    "overhead_fingertip_reach_sitting": _seated(_along(2, "dactylion_right", "seat"), "overhead"),
    "span": Measure("standing", "sideways", _along(1, "dactylion_left", "dactylion_right")),
    "thumbtip_reach": Measure("standing", "forward", _along(0, "thumb_tip_right", "wall")),
}
#: Dimension -> what the tape that was laid round or across the standing skin calls it.
SKIN: dict[str, str] = {
    f"{name}_circumference": f"{name}_circumference"
    for name in (
        *("ankle", "calf", "lower_thigh", "thigh", "buttock", "waist", "chest", "neck", "head"),
        "wrist",
    )
} | {
    "waist_breadth": "waist_breadth",
    "waist_depth": "waist_depth",
    "chest_breadth": "chest_breadth",
    "chest_depth": "chest_depth",
    "hip_breadth": "buttock_breadth",
    "buttock_depth": "buttock_depth",
    "head_breadth": "head_breadth",
    "head_length": "head_depth",
}
#: Dimensions that the tape takes on the skin of who sits.
ON_SEAT = ("hip_breadth_sitting", "thigh_clearance", "bideltoid_breadth")


class Tape:
    """A person in full, to be posed and measured.

    Parameters
    ----------
    dimensions : Dimensions
        Of the person.
    rhythm : ShoulderRhythm, optional
        By default handik's.
    """

    def __init__(self, dimensions: Dimensions, rhythm: ShoulderRhythm | None = None) -> None:
        self._bodies = landmark_bodies()
        self._wall = constants(dimensions.sex)["wall_behind_shoulder"]
        #: In either position: the shoulders of who sits are a little higher or lower.
        self._built = {
            position: figure(
                dimensions, {"full"}, "cone", "adult", position == "seated", rhythm or True
            )
            for position in POSITIONS
        }
        self._models = {position: Model(built.spec) for position, built in self._built.items()}
        self._points: dict[tuple[str, str], Points] = {}

    def measure(self, name: str) -> float:
        """Return a dimension of the built person, meters or kilograms."""
        if name == "weight":
            masses = (link.inertial for link in self._built["standing"].spec.links)
            return float(sum(inertial.mass for inertial in masses if inertial is not None))
        if name not in MEASURES:
            raise UnsupportedError(
                f"no tape is laid on the skin for {name!r}; "
                "the person's dimensions have the number that was given or follows from others"
            )
        how = MEASURES[name]
        return how.take(self.points(how.position, how.arms))

    def points(self, position: str, arms: str) -> Points:
        """Return the landmarks of the person in a posture, meters."""
        if (position, arms) not in self._points:
            self._points[position, arms] = self._pose(position, arms)
        return self._points[position, arms]

    def _pose(self, position: str, arms: str) -> Points:
        built, model = self._built[position], self._models[position]
        q = model.rest.copy()
        for joint, values in built.rest.items():
            q[model.joint_q_slices[joint]] = values
        plane, elevation, elbow = _ARMS[arms]
        for side, sign in SIDES.items():
            swing = raised(sign).T @ clinical_swing(arm_direction(plane, elevation, sign))
            q[model.joint_q_slices[f"shoulder_{side}"]] = quaternion(swing)
            q[model.joint_q_slices[f"elbow_flexion_{side}"]] = elbow * pi / 180
        placed: Points = {}
        poses = dict(zip(model.frame_names, model.frames(q), strict=True))
        for name, body in self._bodies.items():
            pose = poses[body]
            placed[name] = pose[:3, :3] @ (built.marks[name] - built.origin[body]) + pose[:3, 3]
        placed["wrist_right"] = poses["wrist_right"][:3, 3]
        placed["wall"] = built.at["shoulder_right"] - np.array([self._wall, 0, 0])
        return placed
