"""BVH motion capture files: a model and its configurations, frame by frame, to text.

A file has no axes of its own in its nodes: where all rotations are zero every node stands along the
file's axes. So each node is written by how it has turned since the configuration `zero`, whatever
its own axes are, and any tree of joints fits.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, UnsupportedError
from handik.files.read.bvh import _UP, DEPTH_CAP
from handik.spec._given import choice, finite_number, flag, is_model, path_text, reals
from handik.spec._rotations import euler_angles

if TYPE_CHECKING:
    from handik.model import Model
    from handik.spec import ModelSpec

__all__ = ["save_bvh", "to_bvh"]

Array = NDArray[np.float64]

ORDERS = tuple("".join(order) for order in permutations("XYZ"))
#: A node whose origin moves against the one above by less than this share of the model's size is
#: held to be fixed there; or, far from the origin, by less than this many roundings of its place.
_STILL, _ROUNDINGS = 1e-9, 64


@dataclass(slots=True)
class _Node:
    """A joint that moves: its link, the node above, what hangs on it, and its columns."""

    name: str
    link: str
    parent: int
    children: list[int] = field(default_factory=list)
    ends: list[str] = field(default_factory=list)  # links and frames that it carries rigidly


def to_bvh(
    model: Model,
    q: ArrayLike,
    *,
    frame_time: float,
    zero: ArrayLike | None = None,
    scale: float = 1.0,
    up: str = "y",
    order: str = "ZXY",
    bones: bool = False,
) -> str:
    """Return a motion as the text of a BVH file.

    Parameters
    ----------
    model : Model
        Any tree. Every joint that moves becomes a node of its name, fixed ones part of what
        carries them. Limits, masses and shapes have no place in the format.
    q : array_like, shape (n_frame, nq)
        The configurations, radians, meters and quaternions.
    frame_time : float
        Seconds between two of them.
    zero : array_like, shape (nq,), optional
        The configuration at which the file's rotations are all zero, which is how other programs
        show the skeleton; the model's rest by default.
    scale : float
        Meters in the file's unit of length: 0.01 writes centimeters.
    up : str
        The file's axis that points up, ``"y"`` or ``"z"``.
    order : str
        Of the rotations, such as ``"ZXY"``.
    bones : bool
        A node for each body, by its name, in place of each joint: joints one after another at one
        place, or that slide, with no mass, shape or frame between them, are one node. So animation
        programs have skeletons: a hip has one, not three.

    Returns
    -------
    str
        The document. A node whose origin slides has position channels, and so has each root.

    Raises
    ------
    ArgumentError
        When shapes do not fit, a number is not finite, be it in the file's unit of length, or
        `frame_time` or `scale` is not above zero.
    UnsupportedError
        When no joint moves, a name has a space or a brace in it, or more than 1,023 joints follow
        one another, which `handik.files.read.read_bvh` does not take either.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.3, 0.2], "ball")
    >>> text = to_bvh(arm, [arm.rest, arm.sample(1, seed=1)[0]], frame_time=0.04)
    >>> moving = hk.Model(hk.read.read_bvh(text))
    >>> moving.joint_names == arm.joint_names[:2]
    True
    """
    is_model(model)
    rows, rest = _given(model, q, zero)
    frame_time, scale = finite_number("frame_time", frame_time), finite_number("scale", scale)
    if not (frame_time > 0 and scale > 0):
        raise ArgumentError(
            f"frame_time and scale must be above zero, got {frame_time!r}, {scale!r}"
        )
    choice("up", up, tuple(_UP))
    choice("order", order, ORDERS)
    nodes = _nodes(model.spec, flag("bones", bones))
    turn = np.eye(3) if _UP[up] is None else np.array(_UP[up])
    poses = np.asarray(model.frames(np.vstack([rest[None], rows])), float)
    at = {name: i for i, name in enumerate(model.frame_names)}
    with np.errstate(over="ignore"):
        farthest = np.abs(poses[..., :3, 3]).max() / scale
    if not np.isfinite(farthest):
        raise ArgumentError(f"places are too far away for a file in units of {scale!r} m")

    def seen(name: str) -> tuple[Array, Array]:
        """Turn since `zero` and place of a link or frame in the file's axes; `zero` comes first."""
        pose = poses[:, at[name]]
        rotation = pose[:, :3, :3] @ pose[0, :3, :3].T
        return turn.T @ rotation @ turn, pose[:, :3, 3] @ turn / scale

    still = max(_STILL * model.max_reach / scale, _ROUNDINGS * np.finfo(float).eps * farthest)
    lines, columns = _hierarchy(nodes, seen, still, order)
    lines += ["MOTION", f"Frames: {len(rows)}", f"Frame Time: {frame_time:.9g}"]
    table = np.hstack(columns)
    lines += [" ".join(f"{x:.10g}" for x in row) for row in table]
    return "\n".join(lines) + "\n"


def save_bvh(
    path: str | os.PathLike[str],
    model: Model,
    q: ArrayLike,
    *,
    frame_time: float,
    zero: ArrayLike | None = None,
    scale: float = 1.0,
    up: str = "y",
    order: str = "ZXY",
    bones: bool = False,
) -> None:
    """Write a motion to a BVH file; see `to_bvh`.

    Parameters
    ----------
    path : path
        The file; one that is there is replaced.
    model : Model
        Any tree.
    q : array_like, shape (n_frame, nq)
        The configurations, radians, meters and quaternions.
    frame_time : float
        Seconds between two of them.
    zero : array_like, shape (nq,), optional
        The configuration at which the file's rotations are all zero.
    scale : float
        Meters in the file's unit of length.
    up : str
        The file's axis that points up, ``"y"`` or ``"z"``.
    order : str
        Of the rotations, such as ``"ZXY"``.
    bones : bool
        A node for each body in place of each joint.

    Raises
    ------
    ArgumentError
        As `to_bvh`.
    TypeError
        When `path` is no path.
    UnsupportedError
        As `to_bvh`.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import handik as hk
    >>> arm = hk.chain([0.3, 0.2], "ball")
    >>> with TemporaryDirectory() as folder:
    ...     save_bvh(f"{folder}/arm.bvh", arm, arm.sample(3, seed=1), frame_time=0.04)
    ...     hk.read.read_bvh_motion(f"{folder}/arm.bvh").values.shape
    (3, 9)
    """
    text = to_bvh(
        model, q, frame_time=frame_time, zero=zero, scale=scale, up=up, order=order, bones=bones
    )  # before the file is opened: what cannot be written leaves it as it was
    with open(path_text("path", path), "w", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


def _given(model: Model, q: ArrayLike, zero: ArrayLike | None) -> tuple[Array, Array]:
    rows = reals(q, "q", (model.nq,))
    rest = reals(model.rest if zero is None else zero, "zero", (model.nq,))
    if rows.ndim != 2 or rest.ndim != 1:
        raise ArgumentError(
            f"q must have shape (n_frame, {model.nq}) and zero ({model.nq},), "
            f"got {rows.shape} and {rest.shape}"
        )
    return rows, rest


def _steps(spec: ModelSpec) -> set[str]:
    """Return the links that are nothing but a step to the one link that they carry.

    One coordinate moves such a link, it has no mass, shape or frame, and the next joint is at its
    own place, or one of both slides.
    """
    joints = spec.ordered_joints()
    after = Counter(joint.parent for joint in joints)
    moved = {joint.child: joint for joint in joints}
    held = {frame.link for frame in spec.frames}
    held |= {link.name for link in spec.links if link.inertial or link.visuals or link.collisions}
    found = set()
    for joint in joints:
        own = moved.get(joint.parent)
        if own is None or own.kind not in ("revolute", "prismatic") or joint.kind == "fixed":
            continue
        if after[joint.parent] == 1 and joint.parent not in held:
            slides = "prismatic" in (own.kind, joint.kind)
            if slides or not joint.placement[:3, 3].any():
                found.add(joint.parent)
    return found


def _nodes(spec: ModelSpec, bones: bool) -> list[_Node]:
    """Make the nodes, parents first."""
    nodes: list[_Node] = []
    steps = _steps(spec) if bones else set()
    of = {spec.root: -1}  # link -> the node that carries it
    for joint in spec.ordered_joints():
        above = of[joint.parent]
        if joint.kind == "fixed":
            of[joint.child] = above
            if above >= 0:
                nodes[above].ends.append(joint.child)
            continue
        if joint.child in steps:
            of[joint.child] = above
            continue
        name, what = (joint.child, "link") if bones else (joint.name, "joint")
        if any(c in "{}" or c.isspace() for c in name) or not name:
            raise UnsupportedError(f"a BVH file cannot hold the {what} name {name!r}")
        of[joint.child] = len(nodes)
        if above >= 0:
            nodes[above].children.append(len(nodes))
        nodes.append(_Node(name, joint.child, above))
    for frame in spec.frames:
        if of[frame.link] >= 0:
            nodes[of[frame.link]].ends.append(frame.name)
    if not nodes:
        raise UnsupportedError("a model without moving joints has no motion to write")
    return nodes


def _hierarchy(
    nodes: list[_Node], seen: Callable[[str], tuple[Array, Array]], still: float, order: str
) -> tuple[list[str], list[Array]]:
    """Write the nodes in the order of the file; their columns of the motion beside."""
    turns, places = zip(*(seen(node.link) for node in nodes), strict=True)
    lines, columns = ["HIERARCHY"], []
    for k, depth in _walk(nodes, lines):
        node = nodes[k]
        if depth + 1 >= DEPTH_CAP:
            raise UnsupportedError(f"a BVH file holds {DEPTH_CAP - 1} joints after one another")
        pad = "  " * depth
        offset, own, slides = places[k][0], turns[k], places[k]
        if node.parent >= 0:
            above = turns[node.parent]
            offset = offset - places[node.parent][0]
            own = np.swapaxes(above, 1, 2) @ own
            slides = np.einsum("nji,nj->ni", above, slides - places[node.parent])
        words = [f"{axis}rotation" for axis in order]
        column = np.unwrap(euler_angles(own[1:], order), axis=0)
        column = np.degrees(column)
        if node.parent < 0 or np.abs(slides - offset).max() > still:
            words = [f"{axis}position" for axis in "XYZ"] + words
            column = np.hstack([slides[1:], column])
            offset = np.zeros(3)
        lines += [f"{pad}{'JOINT' if depth else 'ROOT'} {node.name}", f"{pad}{{"]
        lines += [
            f"{pad}  OFFSET {_three(offset)}",
            f"{pad}  CHANNELS {len(words)} {' '.join(words)}",
        ]
        columns.append(column)
        if not node.children:
            ends = [seen(name)[1][0] - places[k][0] for name in node.ends]
            far = max(ends, key=lambda end: float(end @ end), default=np.zeros(3))
            lines += [f"{pad}  End Site", f"{pad}  {{"]
            lines += [f"{pad}    OFFSET {_three(far)}", f"{pad}  }}"]
    return lines, columns


def _walk(nodes: list[_Node], lines: list[str]) -> Iterator[tuple[int, int]]:
    """Give the nodes with their depth, children after their parent; close what is done."""
    todo = [(k, 0, False) for k, node in reversed(list(enumerate(nodes))) if node.parent < 0]
    while todo:
        k, depth, done = todo.pop()
        if done:
            lines.append("  " * depth + "}")
            continue
        yield k, depth
        todo.append((k, depth, True))
        todo += [(child, depth + 1, False) for child in reversed(nodes[k].children)]


def _three(x: Array) -> str:
    return " ".join(f"{value:.10g}" for value in x + 0.0)
