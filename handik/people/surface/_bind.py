"""Bones of the mesh driven by the links of a person's figure.

At rest the mesh stands with the arms as it holds them; each bone is bound to a link, or lies
between two, in the pose that the link has then. In a posture a bone moves as its link moved from
there.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from handik.people.surface._data import Floats, mesh
from handik.people.surface._digits import bind_digits, link_of
from handik.people.surface._place import SIDES, Arm, unit

if TYPE_CHECKING:
    from handik.people.surface._fit import Fit

__all__ = ["arm_moves", "bind", "drive", "link_shares", "ulna_frame"]

#: Bone -> links, the first that the figure has; or (below, above, share) between two of them.
_SPINE = {
    "root": ("pelvis",),
    "spine05": ("L4", "trunk"),
    "spine04": ("L2", "trunk"),
    "spine03": ("T11", "trunk"),
    "spine02": ("T8", "trunk"),
    "spine01": ("T3", "trunk"),
    "neck01": ("C6", "trunk"),
    "neck02": ("C4", "head"),
    "neck03": ("C2", "head"),
    "head": ("head",),
    "clavicle": ("T1", "trunk"),
    "shoulder01": ("T1", "trunk"),
}
_LIMBS = {
    "upperarm01": "upper_arm",
    "upperarm02": "upper_arm",
    "lowerarm01": "ulna",
    "lowerarm02": "forearm",
    "wrist": "hand",
    "metacarpal": "hand",
    "finger": "hand",
    "upperleg": "thigh",
    "lowerleg": "shank",
    "foot": "foot",
    "toes": "foot",
}
#: Links of an arm, from the shoulder down; a person may lack the last of them.
ARM = ("upper_arm", "ulna", "forearm", "hand")
#: Bones between two links: (lower, upper, how far to the upper, the joint they turn about).
_BETWEEN = {
    "spine05": ("pelvis", "trunk", 0.6, "L5_S1"),
    "neck01": ("trunk", "head", 0.3, "C7_T1"),
    "neck02": ("trunk", "head", 0.65, "C7_T1"),
}
#: Share of the forearm's turn that the two bones of the mesh take, beyond the ulna.
_TWIST = {"lowerarm01": 0.35, "lowerarm02": 0.85}
#: Share of the upper arm's own turn that its upper bone takes.
_UPPER_TWIST = 0.5
_ORIGIN = {
    "thigh": "hip",
    "shank": "knee",
    "foot": "ankle",
    "trunk": "L5_S1",
    "head": "C7_T1",
}


def _pose(x: Floats, y: Floats, z: Floats, at: Floats) -> Floats:
    out = np.eye(4)
    out[:3, 0], out[:3, 1], out[:3, 2], out[:3, 3] = x, y, z, at
    return out


def _upright(at: Floats) -> Floats:
    """Return a frame along the world's axes."""
    return _pose(np.eye(3)[0], np.eye(3)[1], np.eye(3)[2], at)


def _from_palm(down: Floats, palm: Floats, sign: float, at: Floats) -> Floats:
    """Return the frame of a part of forearm or hand: z against `down`, the palm inward."""
    z = -down
    y = -sign * (palm - (palm @ down) * down)
    y /= np.linalg.norm(y)
    return _pose(np.cross(y, z), y, z, at)


def _arm_frames(arm: Arm, sign: float) -> dict[str, Floats]:
    upper, fore = arm.elbow[1] - arm.link, arm.wrist[1] - arm.elbow[1]
    upper, fore = upper / np.linalg.norm(upper), fore / np.linalg.norm(fore)
    ahead = fore - (fore @ upper) * upper
    ahead /= np.linalg.norm(ahead)
    side = np.cross(-upper, ahead)
    return {
        "upper_arm": _pose(ahead, side, -upper, arm.link),
        "ulna": _pose(np.cross(side, -fore), side, -fore, arm.elbow[1]),
        "forearm": _from_palm(fore, arm.palm, sign, arm.elbow[1]),
        "hand": _from_palm(arm.hand, arm.palm, sign, arm.wrist[1]),
    }


def bind(fitted: Fit, links: tuple[str, ...]) -> dict[str, Floats]:
    """Return the pose of each link that drives a bone, as the mesh stands at rest."""
    out = {}
    for name in {k for row in _SPINE.values() for k in row} & set(links):
        level = [k for k in fitted.at if k.startswith(name + "_")]
        if name == "head":
            level = ["C0_C1" if "C1" in links else "C7_T1"]
        if name == "pelvis":
            out[name] = _upright((fitted.at["hip_left"] + fitted.at["hip_right"]) / 2)
            continue
        origin = fitted.at[level[0] if level and name != "trunk" else _ORIGIN.get(name, "L5_S1")]
        out[name] = _upright(origin)
    for side, (_, sign) in SIDES.items():
        frames = _arm_frames(fitted.arms[side], sign)
        placed = {f"{name}_{side}": pose for name, pose in frames.items()}
        out |= {name: pose for name, pose in placed.items() if name in links}
        out |= bind_digits(fitted.arms[side], side, frames["hand"], set(links))
        for name in ("thigh", "shank", "foot"):
            out[f"{name}_{side}"] = _upright(fitted.at[f"{_ORIGIN[name]}_{side}"])
    return out


def _share_of_turn(turn: Floats, share: float) -> Floats:
    """Return a share of rotations (..., 3, 3) about their own axes."""
    trace = np.clip((np.trace(turn, axis1=-2, axis2=-1) - 1) / 2, -1, 1)
    angle = np.arccos(trace)[..., None]
    axis = np.stack(
        [
            turn[..., 2, 1] - turn[..., 1, 2],
            turn[..., 0, 2] - turn[..., 2, 0],
            turn[..., 1, 0] - turn[..., 0, 1],
        ],
        -1,
    )
    length = np.linalg.norm(axis, axis=-1, keepdims=True)
    axis = np.where(length > 1e-9, axis / np.maximum(length, 1e-9), [1.0, 0.0, 0.0])
    return _about(axis, share * angle)


def _about(axis: Floats, angle: Floats) -> Floats:
    """Return rotations by `angle` (..., 1) about unit axes (..., 3)."""
    k = np.zeros((*axis.shape[:-1], 3, 3))
    k[..., 0, 1], k[..., 0, 2], k[..., 1, 2] = -axis[..., 2], axis[..., 1], -axis[..., 0]
    k = k - np.swapaxes(k, -1, -2)
    angle = angle[..., None]
    return np.asarray(np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k))


def _round(move: Floats, turn: Floats, pivot: Floats) -> Floats:
    """Return the motion that turns by `turn` and takes `pivot` where `move` takes it."""
    out = np.zeros_like(move)
    out[..., :3, :3] = turn
    to = move[..., :3, :3] @ pivot + move[..., :3, 3]
    out[..., :3, 3] = to - turn @ pivot
    out[..., 3, 3] = 1
    return out


def _between(low: Floats, high: Floats, share: float, pivot: Floats) -> Floats:
    """Return the motion a share of the way from one to another, about a point."""
    turn = np.swapaxes(low[..., :3, :3], -1, -2) @ high[..., :3, :3]
    middle = low.copy()
    middle[..., :3, 3] += share * ((high - low)[..., :3, :3] @ pivot + (high - low)[..., :3, 3])
    return _round(middle, low[..., :3, :3] @ _share_of_turn(turn, share), pivot + 0 * pivot)


def _less_twist(trunk: Floats, arm: Floats, bone: Floats, pivot: Floats) -> Floats:
    """Return the upper arm's motion with only a share of its turn about the bone."""
    turn = np.swapaxes(trunk[..., :3, :3], -1, -2) @ arm[..., :3, :3]
    to = turn @ bone
    axis = np.cross(np.broadcast_to(bone, to.shape), to)
    length = np.linalg.norm(axis, axis=-1, keepdims=True)
    angle = np.arctan2(length[..., 0], to @ bone)[..., None]
    axis = np.where(length > 1e-9, axis / np.maximum(length, 1e-9), [1.0, 0.0, 0.0])
    swing = _about(axis, angle)
    twist = _share_of_turn(np.swapaxes(swing, -1, -2) @ turn, _UPPER_TWIST)
    return _round(arm, trunk[..., :3, :3] @ swing @ twist, pivot)


def ulna_frame(arm: Arm, side: str) -> Floats:
    """Return the pose of the ulna as the mesh holds the arm: x forward of a bent elbow's crease."""
    return _arm_frames(arm, SIDES[side][1])["ulna"]


def arm_moves(arm: Arm, poses: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return how the bones of a left arm move to poses of its links, the trunk at rest.

    A hand is taken for one bone: its fingers, and where they rest, are not looked at.
    """
    frames = _arm_frames(arm, 1.0)
    move = {name: pose @ np.linalg.inv(frames[name]) for name, pose in poses.items()}
    along = unit(arm.elbow[1] - arm.link)
    out = {"upperarm01": _less_twist(np.eye(4), move["upper_arm"], along, arm.link)}
    out["upperarm02"] = move["upper_arm"]
    for name, share in _TWIST.items():
        out[name] = _between(move["ulna"], move["forearm"], share, arm.elbow[1])
    palm = (f"metacarpal{k}" for k in range(1, 5))
    return out | dict.fromkeys(("wrist", "finger1", *palm), move["hand"])


def _carry(move: dict[str, Floats], chest: Floats) -> None:
    """Add the motion of arm links that a figure lacks: that of the next one up, or the chest's."""
    for side in SIDES:
        for link in ARM:
            name = f"{link}_{side}"
            if name not in move:
                carrier = _carrier(link, side, move)
                move[name] = chest if carrier is None else move[carrier]


def drive(fitted: Fit, rest: dict[str, Floats], poses: dict[str, Floats]) -> Floats:
    """Return how each bone of the mesh moved, (..., bones, 4, 4), from the poses of the links."""
    backs = np.linalg.inv(np.stack(list(rest.values())))
    moves = np.stack([poses[name] for name in rest], axis=-3) @ backs
    move = {name: moves[..., k, :, :] for k, name in enumerate(rest)}
    out = []
    chest = move["T1"] if "T1" in move else move["trunk"]
    _carry(move, chest)
    for bone in mesh().bones:
        name, _, side = bone.partition("_")
        if bone in _SPINE or name in _SPINE:
            link = next(k for k in _SPINE[name] if k in move)
            if name in _BETWEEN and link in ("trunk", "head"):
                low, high, share, joint = _BETWEEN[name]
                out.append(_between(move[low], move[high], share, fitted.at[joint]))
            else:
                out.append(move[link])
            continue
        side = "left" if bone.endswith("left") else "right"
        arm = fitted.arms[side]
        link = next(of for k, of in _LIMBS.items() if name.startswith(k))
        if name in _TWIST:
            ulna, fore = move[f"ulna_{side}"], move[f"forearm_{side}"]
            out.append(_between(ulna, fore, _TWIST[name], arm.elbow[1]))
        elif name == "upperarm01":
            upper = arm.elbow[1] - arm.link
            along = upper / np.linalg.norm(upper)
            out.append(_less_twist(chest, move[f"upper_arm_{side}"], along, arm.link))
        elif link_of(bone) in move:
            out.append(move[str(link_of(bone))])
        elif bone in fitted.curl and f"hand_{side}" in rest:
            out.append(move[f"hand_{side}"] @ fitted.curl[bone])
        else:
            out.append(move[f"{link}_{side}"])
    return np.stack(out, axis=-3)


def _carrier(link: str, side: str, have: Container[str]) -> str | None:
    """Return the link of a limb, or the next one up that the figure has; None: the chest."""
    names = [f"{link}_{side}"]
    if link in ARM:
        names = [f"{ARM[k]}_{side}" for k in range(ARM.index(link), -1, -1)]
    return next((name for name in names if name in have), None)


def link_shares(links: tuple[str, ...], bound: Iterable[str]) -> Floats:
    """Return what share of each vertex goes with each of `links`, (n, links).

    A bone between two links is split between them; bones that `drive` turns less than their link
    go with it in full.
    """
    m, have = mesh(), set(bound)
    of_bone = np.zeros((len(m.bones), len(links)))
    for row, bone in enumerate(m.bones):
        name, _, side = bone.partition("_")
        side = "left" if bone.endswith("left") else "right"
        if name in _SPINE:
            link = next(k for k in _SPINE[name] if k in have)
            parts = {link: 1.0}
            if name in _BETWEEN and link in ("trunk", "head"):
                low, high, share, _ = _BETWEEN[name]
                parts = {low: 1 - share, high: share}
        elif name in _TWIST and f"forearm_{side}" in have:
            parts = {f"ulna_{side}": 1 - _TWIST[name], f"forearm_{side}": _TWIST[name]}
        elif link_of(bone) in have:
            parts = {str(link_of(bone)): 1.0}
        else:
            link = next(of for k, of in _LIMBS.items() if name.startswith(k))
            carrier = _carrier(link, side, have)
            chest = "T1" if "T1" in have else "trunk"
            parts = {chest if carrier is None else carrier: 1.0}
        for link, share in parts.items():
            of_bone[row, links.index(link)] += share
    out = np.zeros((len(m.base), len(links)))
    for column in range(m.bone.shape[1]):
        out += m.share[:, column, None] * of_bone[m.bone[:, column]]
    return out
