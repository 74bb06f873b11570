"""What the clinical motions are in handik's person: by the names of its joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from handik.people._narrow import Direction
from handik.spec import JointSpec, ModelSpec

__all__ = ["motions_of"]

#: Motion and the hinge that makes it, forwards and backwards; of a trunk with single vertebrae the
#: hinges that lead its regions.
_TRUNK = {
    "trunk flexion": ("trunk extension", ("pelvis_tilt", "trunk_flexion"), "flexion"),
    "trunk lateral flexion right": ("trunk lateral flexion left", ("trunk_bend",), "bend"),
    "trunk rotation left": ("trunk rotation right", ("trunk_turn",), "turn"),
}
_NECK = {
    "neck flexion": ("neck extension", "neck_flexion", "flexion"),
    "neck lateral flexion right": ("neck lateral flexion left", "neck_bend", "bend"),
    "neck rotation left": ("neck rotation right", "neck_turn", "turn"),
}
_LEVELS = ("L5_S1", "T11_T12", "T5_T6")
#: Of one side: motion, its opposite, the hinge.
_LIMBS = (
    ("elbow flexion", "elbow extension", "elbow_flexion"),
    ("forearm pronation", "forearm supination", "forearm_pronation"),
    ("wrist flexion", "wrist extension", "wrist_flexion"),
    ("wrist ulnar deviation", "wrist radial deviation", "wrist_deviation"),
    ("hip flexion", "hip extension", "hip_flexion"),
    ("hip adduction", "hip abduction", "hip_adduction"),
    ("knee flexion", "knee extension", "knee_flexion"),
    ("ankle dorsiflexion", "ankle plantarflexion", "ankle_flexion"),
    ("shoulder medial rotation", "shoulder lateral rotation", "shoulder_axial"),
)
#: Where a limb is cut off, and the joint by which it hangs, the first there is.
_PARTS = {
    "shoulder": ("shoulder", "shoulder_plane"),
    "elbow": ("elbow_flexion",),
    "wrist": ("wrist_flexion", "wrist_deviation"),
}


def motions_of(spec: ModelSpec) -> Mapping[str, Sequence[Direction]]:
    """Return the motions whose joints are in a figure."""
    joints = {joint.name: joint for joint in spec.joints}
    return {
        name: group
        for name, group in _all_motions(joints)
        if group and all(one.joint in joints for one in group)
    }


def _all_motions(joints: Mapping[str, JointSpec]) -> Iterator[tuple[str, Sequence[Direction]]]:
    for motion, (back, hinges, word) in _TRUNK.items():
        levels = (*hinges, *(f"{level}_{word}" for level in _LEVELS))
        yield from _both(motion, back, [name for name in levels if name in joints])
    for motion, (back, hinge, word) in _NECK.items():
        found = [name for name in (hinge, f"C6_C7_{word}") if name in joints]
        yield from _both(motion, back, found)
    for side in ("right", "left"):
        for motion, back, hinge in _LIMBS:
            yield from _both(f"{motion} {side}", f"{back} {side}", [f"{hinge}_{side}"])
        for part, names in _PARTS.items():
            first = next((n for name in names if (n := f"{name}_{side}") in joints), "")
            yield f"{part} {side}", [Direction(first)]
        ball = joints.get(f"shoulder_{side}")
        if ball is not None:
            yield from _shoulder(ball, side)
        for motion in ("shoulder flexion", "shoulder abduction"):
            if ball is None:  # hinges: one elevation in every plane
                yield f"{motion} {side}", [Direction(f"shoulder_elevation_{side}")]


def _both(
    motion: str, back: str, hinges: Sequence[str]
) -> Iterator[tuple[str, Sequence[Direction]]]:
    yield motion, [Direction(name) for name in hinges]
    yield back, [Direction(name, -1) for name in hinges]


def _shoulder(ball: JointSpec, side: str) -> Iterator[tuple[str, Sequence[Direction]]]:
    """Directions of a shoulder ball; links have the axes of the world where the arm hangs."""
    turn = np.asarray(ball.placement, float)[:3, :3]
    out = -1.0 if side == "right" else 1.0

    def seen(*direction: float) -> tuple[float, float, float]:
        x, y, z = turn.T @ np.array(direction)
        return float(x), float(y), float(z)

    hang = seen(0.0, 0.0, -1.0)
    for motion, toward in (
        ("flexion", seen(1.0, 0.0, 0.0)),
        ("extension", seen(-1.0, 0.0, 0.0)),
        ("abduction", seen(0.0, out, 0.0)),
        ("adduction", seen(0.0, -out, 0.0)),
    ):
        yield f"shoulder {motion} {side}", [Direction(ball.name, 1, hang, toward)]
    axis = np.asarray(ball.axis, float) / np.linalg.norm(ball.axis)
    zero = _twist(turn.T, axis)
    medial = int(out)  # the hanging bone points down, and the right arm's medial turn upwards
    yield f"shoulder medial rotation {side}", [Direction(ball.name, medial, hang, zero=zero)]
    yield f"shoulder lateral rotation {side}", [Direction(ball.name, -medial, hang, zero=zero)]


def _twist(turn: np.ndarray[tuple[int, ...], np.dtype[np.float64]], axis: object) -> float:
    """Twist of a turn about an axis, radians."""
    vector = np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )  # 4 w times the vector of the quaternion
    return float(2 * np.arctan2(vector @ np.asarray(axis), 1.0 + np.trace(turn)))
