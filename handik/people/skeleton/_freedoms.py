"""The degrees of freedom of a person's model by name, with axis, range, sense and source."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians

from handik._model import Model
from handik.people.skeleton._constants import rows
from handik.people.skeleton._ranges import SPINE_MOTIONS, joint_ranges

__all__ = ["Freedom", "freedoms"]

#: Motion -> what positive and negative angles are.
_SENSE = {
    "pelvis_tilt": "forward, backward",
    "flexion": "forward, backward",
    "bend": "to the right, to the left",
    "turn": "to the left, to the right",
    "shoulder_plane": "forward, backward of sideways",
    "shoulder_elevation": "raised",
    "shoulder_axial": "medial, lateral",
    "elbow_flexion": "flexion, extension",
    "forearm_pronation": "pronation, supination",
    "wrist_flexion": "palmar, dorsal",
    "wrist_deviation": "ulnar, radial",
}


@dataclass(frozen=True, slots=True)
class Freedom:
    """One degree of freedom.

    Attributes
    ----------
    name : str
        The joint, for a shoulder ball with the motion.
    joint : str
        The joint of the model.
    axis : tuple of 3 floats
        In the axes of the person who stands; for a shoulder that of the hinges that would do it.
    lower, upper : float
        Radians.
    sense : str
        What positive and what negative angles are.
    trust : str
        ``"yes"`` read in the source, ``"secondary"`` read in a copy, ``"memory"`` not read,
        ``"assumed"`` or ``"derived"``.
    source : str
    """

    name: str
    joint: str
    axis: tuple[float, float, float]
    lower: float
    upper: float
    sense: str
    trust: str
    source: str


def freedoms(model: Model, people: str) -> tuple[Freedom, ...]:
    """Return the degrees of freedom of a person's model in their order."""
    ranges, found = joint_ranges(people), []
    for joint in model._spec.ordered_joints():
        name = joint.name
        if joint.kind == "free":
            found += [_of_root(name, k) for k in range(6)]
        elif joint.kind == "ball":
            found += _of_shoulder(name, ranges, people)
        elif joint.kind == "revolute" and joint.mimic is None:
            (lower,), (upper,) = joint.limits()
            key = _key(name)
            trust, source = _source(key, people)
            found.append(Freedom(name, name, joint.axis, lower, upper, _sense(key), trust, source))
    return tuple(found)


def _of_root(name: str, k: int) -> Freedom:
    axis = tuple(float(k % 3 == i) for i in range(3))
    kind, wide = ("slide", float("inf")) if k < 3 else ("turn", float("inf"))
    word = f"{name}_{kind}_{'xyz'[k % 3]}"
    return Freedom(word, name, axis, -wide, wide, "free", "derived", "the pelvis floats")  # type: ignore[arg-type]  # three numbers


def _of_shoulder(name: str, ranges: dict[str, tuple[float, float]], people: str) -> list[Freedom]:
    """Return what the ball does as plane, elevation and turn, with the widest ranges of each."""
    side = -1.0 if name.endswith("right") else 1.0
    top = max(ranges["shoulder_flexion"][1], ranges["shoulder_abduction"][1])
    wide = {
        "shoulder_plane": ranges["shoulder_plane"],
        "shoulder_elevation": (0.0, min(top, 180.0)),
        "shoulder_axial": ranges["shoulder_axial"],
    }
    axes = ((0.0, 0.0, -side), (side, 0.0, 0.0), (0.0, 0.0, -side))
    found = []
    for (key, (low, high)), axis in zip(wide.items(), axes, strict=True):
        trust, source = _source(key, people)
        word = f"{key}_{name.rpartition('_')[2]}"
        found.append(
            Freedom(word, name, axis, radians(low), radians(high), _sense(key), trust, source)
        )
    return found


def _key(name: str) -> str:
    """Return the word of the table of ranges for a joint."""
    stem = name.removesuffix("_right").removesuffix("_left")
    first, _, rest = stem.partition("_")
    if first in ("index", "middle") or (first in ("ring", "little") and "cmc" not in rest):
        return f"finger_{rest}"
    return stem


def _sense(key: str) -> str:
    return _SENSE.get(key) or _SENSE.get(key.rpartition("_")[2], "flexion, extension")


def _source(key: str, people: str) -> tuple[str, str]:
    key = {"shoulder_elevation": "shoulder_flexion"}.get(key, key)
    level, _, motion = key.rpartition("_")
    if motion in SPINE_MOTIONS:
        for row in rows("spine_ranges.csv"):
            if row["level"] == level:
                return row["trust"], row["source"]
    known = {row["set"]: row for row in rows("joint_ranges.csv") if row["joint"] == key}
    row = known.get(people) or known["adult"]
    return row["trust"], row["source"]
