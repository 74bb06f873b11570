"""Put the figure together: links, joints, frames and masses from joint centers and ranges.

Every link's axes are those of the person who stands with hanging arms, so that placements are
differences of standing joint centers, and a joint at zero is at its clinical zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import degrees, pi, radians

import numpy as np
from numpy.typing import NDArray

from handik.people.dimensions import Dimensions
from handik.people.skeleton._aside import arms_aside
from handik.people.skeleton._centers import (
    LEVELS,
    SIDES,
    joint_centers,
    shoulders_rise,
    sitting,
)
from handik.people.skeleton._hand import FINGERS, THUMB, hand_axes
from handik.people.skeleton._landmarks import landmarks, sitting_turn
from handik.people.skeleton._masses import segments, slabs, together
from handik.people.skeleton._own_rhythm import ShoulderRhythm
from handik.people.skeleton._ranges import (
    REGIONS,
    SPINE_MOTIONS,
    joint_ranges,
    spine_levels,
)
from handik.people.skeleton._ranges import Ranges as OwnRanges
from handik.people.skeleton._rhythm import monomials, rhythm
from handik.people.skeleton._segments import SegmentParameters
from handik.people.skeleton._shoulder import (
    BONE,
    arm_direction,
    clinical_swing,
    quaternion,
    raised,
    room,
)
from handik.spec import (
    FrameSpec,
    InertialSpec,
    JointSpec,
    LinkSpec,
    MimicSpec,
    ModelSpec,
    SwingMimicSpec,
)

__all__ = ["CARPALS", "DETAILS", "Figure", "figure", "resting_arm"]

Array = NDArray[np.float64]
Axis = tuple[float, float, float]
Ranges = dict[str, tuple[float, float]]

DETAILS = ("upper21", "spine", "hand", "hand_right", "hand_left", "full")
#: The wrist's bones, thumb's side first, the row next to the forearm first.
CARPALS = (
    *("scaphoid", "lunate", "triquetrum", "pisiform"),
    *("trapezium", "trapezoid", "capitate", "hamate"),
)
#: Where an elbow is at ease: the middle of what RULA and REBA both rate least, 60 to 100 degrees.
EASY_ELBOW = radians(80)
FORWARD, LEFT, UP = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
#: Links of an arm, and the joints that they hang from.
_ARM_ENDS = {"upper_arm": "shoulder", "ulna": "elbow", "forearm": "elbow", "hand": "wrist"}
_TRUNK_AXES = dict(zip(SPINE_MOTIONS, (LEFT, FORWARD, UP), strict=True))


@dataclass
class Figure:
    """A tree that grows, in the axes of the person who stands.

    Attributes
    ----------
    spec : ModelSpec
    origin : dict of str to ndarray (3,)
        Of each link, standing.
    rest : dict of str to list of float
        Coordinates of joints whose rest is not zero.
    hanging : dict of str to list of float
        The same of the joints that hold the arms aside at rest, where the arms hang.
    gain : dict of str to float
        Free hinge of the spine -> its region's sum over its own angle.
    """

    spec: ModelSpec
    at: dict[str, Array]
    marks: dict[str, Array]
    origin: dict[str, Array] = field(default_factory=dict)
    rest: dict[str, list[float]] = field(default_factory=dict)
    hanging: dict[str, list[float]] = field(default_factory=dict)
    gain: dict[str, float] = field(default_factory=dict)

    def link(self, name: str, origin: Array) -> None:
        """Add a link."""
        self.spec.links.append(LinkSpec(name))
        self.origin[name] = origin

    def joint(
        self,
        name: str,
        kind: str,
        parent: str,
        child: str,
        at: Array,
        turn: Array | None = None,
        **more: object,
    ) -> JointSpec:
        """Add a link behind a joint; `turn` is the rotation of the joint's frame."""
        placement = np.eye(4)
        placement[:3, 3] = at - self.origin[parent]
        if turn is not None:
            placement[:3, :3] = turn
        self.link(child, at)
        joint = JointSpec(name, kind, parent, child, placement, **more)  # type: ignore[arg-type]  # fields by name
        self.spec.joints.append(joint)
        return joint

    def hinge(
        self,
        name: str,
        parent: str,
        child: str,
        at: Array,
        axis: Axis,
        degrees: tuple[float, float] | None,
        mimic: MimicSpec | None = None,
    ) -> None:
        """Add a link behind a hinge with limits."""
        low, high = (None, None) if degrees is None else (radians(degrees[0]), radians(degrees[1]))
        self.joint(
            name, "revolute", parent, child, at, axis=axis, lower=low, upper=high, mimic=mimic
        )

    def frame(self, name: str, link: str, at: Array) -> None:
        """Add a frame with the axes of its link."""
        placement = np.eye(4)
        placement[:3, 3] = at - self.origin[link]
        self.spec.frames.append(FrameSpec(name, link, placement))


def figure(
    dimensions: Dimensions,
    detail: set[str],
    limits: str,
    people: str | OwnRanges,
    seated: bool,
    rhythm_too: bool | ShoulderRhythm,
    inertia: str | SegmentParameters = "de_leva",
) -> Figure:
    """Return the figure of a person."""
    at = joint_centers(dimensions, "standing")
    rise = shoulders_rise(dimensions) if seated else 0.0
    for name in at:
        if name.endswith(tuple(SIDES)) and not name.startswith(("hip", "knee", "ankle", "toe")):
            at[name] = at[name] + np.array([0.0, 0.0, rise])
    marks = landmarks(dimensions, at, rise)
    aside = arms_aside(dimensions, at, seated)
    f = Figure(ModelSpec("human"), at, marks)
    ranges = joint_ranges(people)
    f.link("world", np.zeros(3))
    _legs(f, dimensions, ranges, seated, "full" in detail)
    if "spine" in detail:
        chest = _spine(f, people)
    else:
        chest = _one_trunk(f, ranges)
    own = rhythm_too if isinstance(rhythm_too, ShoulderRhythm) else None
    for side, sign in SIDES.items():
        moving = _girdle(f, dimensions, chest, side, sign, own) if rhythm_too else chest
        _arm(f, moving, side, sign, limits, ranges)
        _rest_aside(f, side, sign, limits, aside)
        if f"hand_{side}" in detail:
            _hand(f, side, sign, ranges)
    _frames(f, chest)
    _weigh(f, dimensions, inertia)
    at_ease = f.rest | {f"elbow_flexion_{side}": [EASY_ELBOW] for side in SIDES}
    for joint in f.spec.joints:
        if joint.name in at_ease:
            joint.neutral = tuple(at_ease[joint.name])
    return f


def _legs(f: Figure, d: Dimensions, ranges: Ranges, seated: bool, full: bool) -> None:
    """Pelvis and legs: the legs move only in full, and stay on the floor otherwise."""
    hips = 0.5 * (f.at["hip_right"] + f.at["hip_left"])
    lift = joint_centers(d, "seated")["hip_right"][2] - hips[2] if seated else 0.0
    up = np.array([0.0, 0.0, lift])
    raised_hips = hips + up
    if full:
        f.joint("root", "free", "world", "pelvis", np.zeros(3))
        f.rest["root"] = [*raised_hips.tolist(), 1.0, 0.0, 0.0, 0.0]
    else:
        f.joint("pelvis_tilt", "revolute", "world", "pelvis", raised_hips, axis=LEFT)
        low, high = ranges["pelvis_tilt"]
        f.spec.joints[-1].lower, f.spec.joints[-1].upper = radians(low), radians(high)
    f.origin["pelvis"] = hips
    turn = sitting_turn(sitting(d)) if seated else np.eye(3)
    bend = 0.5 * pi + sitting(d).tilt if seated else 0.0
    for side, sign in SIDES.items():
        hip, knee, ankle = (f.at[f"{j}_{side}"] for j in ("hip", "knee", "ankle"))
        if full:
            _free_leg(f, side, sign, ranges, bend)
            continue
        f.joint(f"hip_{side}", "fixed", "world", f"thigh_{side}", hip + up, turn)
        f.origin[f"thigh_{side}"] = hip
        f.joint(f"knee_{side}", "fixed", f"thigh_{side}", f"shank_{side}", knee, turn.T)
        f.joint(f"ankle_{side}", "fixed", f"shank_{side}", f"foot_{side}", ankle)


def _free_leg(f: Figure, side: str, sign: float, ranges: Ranges, bend: float) -> None:
    hip, knee, ankle = (f.at[f"{j}_{side}"] for j in ("hip", "knee", "ankle"))
    steps = (
        ("hip_flexion", hip, (0.0, -1.0, 0.0), f"thigh_flexed_{side}"),
        ("hip_adduction", hip, (-sign, 0.0, 0.0), f"thigh_swung_{side}"),
        ("hip_rotation", hip, (0.0, 0.0, -sign), f"thigh_{side}"),
        ("knee_flexion", knee, LEFT, f"shank_{side}"),
        ("ankle_flexion", ankle, (0.0, -1.0, 0.0), f"talus_{side}"),
        ("ankle_inversion", ankle, (-sign, 0.0, 0.0), f"foot_{side}"),
    )
    parent = "pelvis"
    for name, at, axis, child in steps:
        f.hinge(f"{name}_{side}", parent, child, at, axis, ranges[name])
        parent = child
    if bend:
        f.rest[f"hip_flexion_{side}"] = f.rest[f"knee_flexion_{side}"] = [bend]


def _one_trunk(f: Figure, ranges: Ranges) -> str:
    """Trunk and head as one body each, three hinges at L5/S1 and at C7/T1."""
    for part, link, base, at in (
        ("trunk", "trunk", "pelvis", f.at["L5_S1"]),
        ("neck", "head", "trunk", f.at["C7_T1"]),
    ):
        parent = base
        for motion, axis in _TRUNK_AXES.items():
            child = link if motion == "turn" else f"{link}_{motion}"
            f.hinge(f"{part}_{motion}", parent, child, at, axis, ranges[f"{part}_{motion}"])
            parent = child
    return "trunk"


def _spine(f: Figure, people: str | OwnRanges) -> str:
    """25 levels of three hinges; each region's first level is free and the others follow it."""
    levels = spine_levels(people)
    first = {level: region[0] for region in REGIONS.values() for level in region}
    parent = "pelvis"
    for level in LEVELS:
        upper = "head" if level == "C0_C1" else level.partition("_")[0]
        for motion, axis in _TRUNK_AXES.items():
            child = upper if motion == "turn" else f"{upper}_{motion}"
            lead, ratio = f"{first[level]}_{motion}", 1.0
            if first[level] != level:
                ratio = levels[level][motion][1] / levels[first[level]][motion][1]
            f.gain[lead] = f.gain.get(lead, 0.0) + ratio
            free = first[level] == level
            f.hinge(
                f"{level}_{motion}",
                parent,
                child,
                f.at[level],
                axis,
                levels[level][motion] if free else None,
                None if free else MimicSpec(lead, ratio),
            )
            parent = child
    return "T1"


def _arm(f: Figure, chest: str, side: str, sign: float, limits: str, ranges: Ranges) -> None:
    shoulder, elbow, wrist = (f.at[f"{j}_{side}"] for j in ("shoulder", "elbow", "wrist"))
    arm = f"upper_arm_{side}"
    if limits == "box":
        _shoulder_hinges(f, chest, side, sign, ranges)
    else:
        turn = raised(sign)
        f.joint(
            f"shoulder_{side}",
            "ball",
            chest,
            arm,
            shoulder,
            turn,
            axis=tuple(BONE.tolist()),
            axis2=FORWARD,
            cone=room(sign, ranges),
        )
    steps = (
        ("elbow_flexion", elbow, (0.0, -1.0, 0.0), f"ulna_{side}"),
        ("forearm_pronation", elbow, (0.0, 0.0, -sign), f"forearm_{side}"),
        ("wrist_flexion", wrist, (-sign, 0.0, 0.0), f"carpus_{side}"),
        ("wrist_deviation", wrist, LEFT, f"hand_{side}"),
    )
    parent = arm
    for name, at, axis, child in steps:
        f.hinge(f"{name}_{side}", parent, child, at, axis, ranges[name])
        parent = child


def resting_arm(d: Dimensions, at: Mapping[str, Array]) -> dict[str, Array]:
    """Return the poses of the left arm's links of who stands, at rest; `at` are joint centers."""
    aside = degrees(arms_aside(d, at, False))
    swing, shoulder = clinical_swing(arm_direction(0.0, aside, 1.0)), at["shoulder_left"]
    slid = rhythm(d, at, 1.0).slides @ monomials(raised(1.0).T @ swing @ BONE)
    poses = {}
    for link, joint in _ARM_ENDS.items():
        pose = np.eye(4)
        pose[:3, :3] = swing
        pose[:3, 3] = shoulder + slid + swing @ (at[f"{joint}_left"] - shoulder)
        poses[link] = pose
    return poses


def _rest_aside(f: Figure, side: str, sign: float, limits: str, aside: float) -> None:
    """Let an arm rest straight aside by an angle."""
    if limits == "box":
        joint = f"shoulder_elevation_{side}"
        f.rest[joint], f.hanging[joint] = [aside], [0.0]
        return
    joint, back = f"shoulder_{side}", raised(sign).T
    swing = clinical_swing(arm_direction(0.0, degrees(aside), sign))
    f.rest[joint], f.hanging[joint] = quaternion(back @ swing), quaternion(back)


def _girdle(
    f: Figure, d: Dimensions, chest: str, side: str, sign: float, own: ShoulderRhythm | None
) -> str:
    """Clavicle and shoulder blade as a branch of the chest, and the slides of the ball's center.

    All follow the ball; returned is the link that carries it.
    """
    how, ball = rhythm(d, f.at, sign, own), f"shoulder_{side}"
    outer = f.at[ball] - how.blade
    inner = outer - how.clavicle
    steps = (
        ("Cy", 1.0, inner, "clavicle_turned"),
        ("Cz", 1.0, inner, "clavicle"),
        ("Cz", -1.0, outer, "scapula_unlifted"),
        ("Cy", -1.0, outer, "scapula_unturned"),
        ("Sy", 1.0, outer, "scapula_turned"),
        ("Sz", 1.0, outer, "scapula_rotated"),
        ("Sx", 1.0, outer, "scapula"),
    )
    parent = chest
    for angle, factor, at, link in steps:
        follower = SwingMimicSpec(ball, (factor * how.angles[angle]).tolist())
        axis = _unit(how.axes[angle])
        child = f"{link}_{side}"
        f.joint(f"{link}_joint_{side}", "revolute", parent, child, at, axis=axis, mimic=follower)
        parent = child
    parent = chest
    for axis, word, way in zip(
        (FORWARD, LEFT, UP), ("ahead", "aside", "up"), how.slides, strict=True
    ):
        follower, child = SwingMimicSpec(ball, way.tolist()), f"shoulder_{word}_{side}"
        f.joint(child, "prismatic", parent, child, f.at[ball], axis=axis, mimic=follower)
        parent = child
    return parent


def _shoulder_hinges(f: Figure, chest: str, side: str, sign: float, ranges: Ranges) -> None:
    """Plane, elevation, the plane undone, and the turn about the bone."""
    at = f.at[f"shoulder_{side}"]
    names = {k: f"shoulder_{k}_{side}" for k in ("plane", "elevation", "axial")}
    links = {k: f"arm_{k}_{side}" for k in ("plane", "raised", "unplane")}
    across, raising = (0.0, 0.0, -sign), (sign, 0.0, 0.0)
    high = min(ranges["shoulder_flexion"][1], 180.0)
    f.hinge(names["plane"], chest, links["plane"], at, across, ranges["shoulder_plane"])
    f.hinge(names["elevation"], links["plane"], links["raised"], at, raising, (0.0, high))
    undo = MimicSpec(names["plane"], -1.0)
    undone = f"shoulder_unplane_{side}"
    f.hinge(undone, links["raised"], links["unplane"], at, across, None, undo)
    turn = ranges["shoulder_axial"]
    f.hinge(names["axial"], links["unplane"], f"upper_arm_{side}", at, across, turn)


def _hand(f: Figure, side: str, sign: float, ranges: Ranges) -> None:
    """27 bones: the wrist's eight and two metacarpals ride on the hand, the others move."""
    hand, wrist = f"hand_{side}", f.at[f"wrist_{side}"]
    front, palm, down = hand_axes(sign)
    ends = f.at[f"index_cmc_{side}"], f.at[f"little_cmc_{side}"]
    for k, name in enumerate(CARPALS):
        row, column = divmod(k, 4)
        across = (0.5 + column) / 4 * (ends[1] - ends[0]) + ends[0] - wrist
        place = wrist + across * [1, 1, 0] + (0.25 + 0.5 * row) * (across * [0, 0, 1])
        f.joint(f"{name}_{side}", "fixed", hand, f"{name}_bone_{side}", place)
    bend: Axis = (-sign, 0.0, 0.0)
    for finger in FINGERS:
        at = {j: f.at[f"{finger}_{j}_{side}"] for j in ("cmc", "mcp", "pip", "dip")}
        palm_bone, name = f"{finger}_metacarpal_{side}", f"{finger}_cmc_flexion"
        if name in ranges:
            f.hinge(f"{name}_{side}", hand, palm_bone, at["cmc"], bend, ranges[name])
        else:
            f.joint(f"{finger}_cmc_{side}", "fixed", hand, palm_bone, at["cmc"])
        spread = (0.0, -1.0 if finger in ("index", "middle") else 1.0, 0.0)
        chain = (
            ("mcp_abduction", "mcp", spread, "knuckle"),
            ("mcp_flexion", "mcp", bend, "proximal"),
            ("pip_flexion", "pip", bend, "middle"),
            ("dip_flexion", "dip", bend, "distal"),
        )
        parent = palm_bone
        for joint, where, axis, bone in chain:
            child = f"{finger}_{bone}_{side}"
            f.hinge(
                f"{finger}_{joint}_{side}",
                parent,
                child,
                at[where],
                axis,
                ranges[f"finger_{joint}"],
            )
            parent = child
    _thumb(f, side, sign, ranges, (front, palm, down))


def _thumb(
    f: Figure,
    side: str,
    sign: float,
    ranges: Ranges,
    axes: tuple[Array, Array, Array],
) -> None:
    """Five hinges; flexion goes across the palm, abduction away from it."""
    front, palm, down = axes
    along = THUMB[0] * front + THUMB[1] * palm + THUMB[2] * down
    away = np.cross(along, palm)
    over = np.cross(along, 0.3 * palm - 0.8 * front)
    across: Axis = (0.0, 1.0, 0.0)
    axis_of = {"away": _unit(away), "over": _unit(over), "across": across}
    chain = (
        ("cmc_flexion", "cmc", "across", "trapezial"),
        ("cmc_abduction", "cmc", "away", "metacarpal"),
        ("mcp_flexion", "mcp", "over", "knuckle"),
        ("mcp_abduction", "mcp", "away", "proximal"),
        ("ip_flexion", "ip", "over", "distal"),
    )
    parent = f"hand_{side}"
    for joint, where, axis, bone in chain:
        child, at = f"thumb_{bone}_{side}", f.at[f"thumb_{where}_{side}"]
        f.hinge(f"thumb_{joint}_{side}", parent, child, at, axis_of[axis], ranges[f"thumb_{joint}"])
        parent = child


def _unit(vector: Array) -> Axis:
    x, y, z = (vector / np.linalg.norm(vector)).tolist()
    return (x, y, z)


def _frames(f: Figure, chest: str) -> None:
    links = {link.name for link in f.spec.links}
    f.frame("thorax", chest, f.marks["suprasternale"])
    f.frame("neck", chest, f.at["C7_T1"])
    f.frame("eye", "head", f.at["eye"])
    f.frame("vertex", "head", f.at["vertex"])
    for side in SIDES:
        for joint, link in (
            ("hip", "thigh"),
            ("knee", "shank"),
            ("ankle", "foot"),
            ("shoulder", "upper_arm"),
            ("elbow", "ulna"),
            ("wrist", "forearm"),
        ):
            f.frame(f"{joint}_{side}", f"{link}_{side}", f.at[f"{joint}_{side}"])
        f.frame(f"grip_{side}", f"hand_{side}", f.marks[f"grip_{side}"])
        for digit in ("thumb", *FINGERS):
            bone = f"{digit}_distal_{side}"
            f.frame(
                f"{digit}_tip_{side}",
                bone if bone in links else f"hand_{side}",
                f.at[f"{digit}_tip_{side}"],
            )


def _weigh(f: Figure, d: Dimensions, source: str | SegmentParameters) -> None:
    """Give the links their masses; the trunk's is shared out among its vertebrae."""
    parts = segments(source, d.sex, d["weight"], f.at, f.marks)
    links = {link.name: link for link in f.spec.links}
    if "trunk" not in links:
        levels = LEVELS[LEVELS.index("L5_S1") : LEVELS.index("C7_T1") + 1]
        cut = slabs(together(parts.pop("trunk")), np.array([f.at[k][2] for k in levels]))
        parts |= {k.partition("_")[0]: [part] for k, part in zip(levels, cut, strict=False)}
    for name, some in parts.items():
        one = together(some)
        links[name].inertial = InertialSpec(one.mass, one.center - f.origin[name], one.inertia)
