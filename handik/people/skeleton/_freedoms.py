"""The degrees of freedom of a person's model by name, with axis, range, sense and source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import radians

from handik._model import Model
from handik.people._narrow import Change
from handik.people.skeleton._ranges import (
    SPINE_MOTIONS,
    Ranges,
    joint_ranges,
    joint_rows,
    level_rows,
)

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
#: Of a shoulder's ball -> the clinical motions whose ends a profile may narrow.
_ENDS = {
    "shoulder_elevation": ("shoulder flexion", "shoulder abduction"),
    "shoulder_axial": ("shoulder lateral rotation", "shoulder medial rotation"),
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
        ``"assumed"`` or ``"derived"``; of a range that a profile narrowed, ``"assumed"`` or the
        profile's word.
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


def freedoms(
    model: Model, people: str | Ranges, changes: Sequence[Change] = ()
) -> tuple[Freedom, ...]:
    """Return the degrees of freedom of a person's model in their order.

    `changes` are what a profile narrowed: the hinges of the model have it, a ball's words do not.
    """
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
    return tuple(_narrowed(f, changes) for f in found)


def _narrowed(freedom: Freedom, changes: Sequence[Change]) -> Freedom:
    """Return a degree of freedom with what a profile left of it, and whose word that is."""
    own = [change for change in changes if change.joint == freedom.joint]
    stem, _, side = freedom.name.rpartition("_")
    if freedom.name != freedom.joint:  # one of a ball's three
        words = _ENDS.get(stem, ())
        own = [change for change in own if change.motion in {f"{word} {side}" for word in words}]
    if not own:
        return freedom
    last = own[-1]
    trust = "assumed" if last.trust == "assumption" else last.trust
    freedom = replace(freedom, trust=trust, source=last.source)
    if freedom.name == freedom.joint:
        return freedom
    left = {change.motion.removesuffix(f" {side}"): change.after for change in own}
    if stem == "shoulder_axial":
        low = max(freedom.lower, -left.get("shoulder lateral rotation", -freedom.lower))
        high = min(freedom.upper, left.get("shoulder medial rotation", freedom.upper))
        return replace(freedom, lower=low, upper=high)
    top = max(left.get(word, freedom.upper) for word in _ENDS[stem])
    return replace(freedom, upper=min(freedom.upper, top))


def _of_root(name: str, k: int) -> Freedom:
    axis = (float(k % 3 == 0), float(k % 3 == 1), float(k % 3 == 2))
    kind, wide = ("slide", float("inf")) if k < 3 else ("turn", float("inf"))
    word = f"{name}_{kind}_{'xyz'[k % 3]}"
    return Freedom(word, name, axis, -wide, wide, "free", "derived", "the pelvis floats")


def _of_shoulder(
    name: str, ranges: dict[str, tuple[float, float]], people: str | Ranges
) -> list[Freedom]:
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


def _source(key: str, people: str | Ranges) -> tuple[str, str]:
    key = {"shoulder_elevation": "shoulder_flexion"}.get(key, key)
    level, _, motion = key.rpartition("_")
    levels = level_rows(people) if motion in SPINE_MOTIONS else {}
    row = levels[level] if level in levels else joint_rows(people)[key]
    return row["trust"], row["source"]
