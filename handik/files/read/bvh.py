"""BVH motion capture files: the skeleton to a `ModelSpec`, the motion to an array.

The format has no standard body. The rotation of a node is the product of its channels in the
order listed, ``R(c1) R(c2) R(c3)``, in degrees. Neither the unit of length nor the axis that
points up is written in the file: both are arguments here.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, ModelError, ReadError
from handik.files.read._geometry import pose
from handik.files.read._text import Lines
from handik.files.read._xml import number
from handik.spec import FrameSpec, JointSpec, LinkSpec, ModelSpec
from handik.spec._given import choice, finite_number, is_model, text

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["BvhMotion", "read_bvh", "read_bvh_motion"]

Array = NDArray[np.float64]

#: Nodes open at once, End Sites among them; what is written keeps to it too.
DEPTH_CAP = 1024
_AXES = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}
_CHANNELS = {axis + word: (axis, word) for axis in "XYZ" for word in ("position", "rotation")}
_UP = {"z": None, "y": [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]}


@dataclass(slots=True)
class BvhMotion:
    """The motion of a file as it is written.

    Attributes
    ----------
    frame_time : float or None
        Seconds between frames; None when the file does not say.
    channels : list of (str, str)
        Node and channel of each column, such as ``("hips", "Zrotation")``.
    values : ndarray (n_frame, n_channel)
        Degrees, and the file's own unit of length.
    """

    frame_time: float | None
    channels: list[tuple[str, str]]
    values: Array

    def __repr__(self) -> str:
        every = "" if self.frame_time is None else f" of {self.frame_time:g} s"
        nodes = len({name for name, _ in self.channels})
        channels = f"{len(self.channels)} channels of {nodes} nodes"
        return f"BvhMotion({len(self.values)} frames{every}, {channels})"

    def coordinates(self, model: Model, *, scale: float = 1.0) -> Array:
        """Return the motion in coordinates of the model that was read from the same file.

        Parameters
        ----------
        model : Model
            Of this file: `handik.load` with the same `scale`.
        scale : float
            Meters in the file's unit of length: 0.01 for centimeters.

        Returns
        -------
        ndarray, shape (n_frame, nq)
            Radians, meters and quaternions; a joint that the file does not move stays at the
            model's rest.

        Raises
        ------
        ArgumentError
            When a place is too far away to be said in meters.
        ModelError
            When the model has no joint of the name of a node, or one of another kind.

        Examples
        --------
        >>> import handik as hk
        >>> spec = read_bvh(SHORT := '''HIERARCHY
        ... ROOT hip
        ... {
        ...   OFFSET 0 90 0
        ...   CHANNELS 3 Zrotation Xrotation Yrotation
        ...   End Site
        ...   {
        ...     OFFSET 0 50 0
        ...   }
        ... }
        ... MOTION
        ... Frames: 1
        ... Frame Time: 0.01
        ... 90 0 0
        ... ''', scale=0.01)
        >>> read_bvh_motion(SHORT).coordinates(hk.Model(spec), scale=0.01).round(3)
        array([[0.707, 0.   , 0.   , 0.707]])
        """
        is_model(model)
        scale = finite_number("scale", scale)
        columns: dict[str, list[int]] = {}
        for k, (node, _) in enumerate(self.channels):
            columns.setdefault(node, []).append(k)
        q = np.tile(np.asarray(model.rest, float), (len(self.values), 1))
        for node, at in columns.items():
            part = self._of_node([self.channels[k][1] for k in at], self.values[:, at], scale)
            where = model.joint_q_slices.get(node)
            if where is None or where.stop - where.start != part.shape[1]:
                raise ModelError(f"the model has no joint {node!r} of {part.shape[1]} coordinates")
            q[:, where] = part
        if not np.isfinite(q).all():
            raise ArgumentError(f"places are too far away in units of {scale!r} m")
        return q

    @staticmethod
    def _of_node(words: list[str], values: Array, scale: float) -> Array:
        """Return the coordinates of one joint: slides, then a quaternion or angles."""
        turns = [k for k, word in enumerate(words) if word.endswith("rotation")]
        slides = [words.index(f"{axis}position") for axis in "XYZ" if f"{axis}position" in words]
        angles = np.radians(values[:, turns])
        if len(turns) < 3:
            return angles
        quaternion = np.zeros((len(values), 4))
        quaternion[:, 0] = 1.0
        for k, column in zip(turns, angles.T, strict=True):
            turn = np.zeros((len(values), 4))
            turn[:, 0] = np.cos(column / 2)
            turn[:, 1 + "XYZ".index(words[k][0])] = np.sin(column / 2)
            quaternion = _product(quaternion, turn)
        with np.errstate(over="ignore"):
            return np.hstack([scale * values[:, slides], quaternion])


def _product(a: Array, b: Array) -> Array:
    """Multiply quaternions w x y z, row by row."""
    w, v = a[:, :1], a[:, 1:]
    x, u = b[:, :1], b[:, 1:]
    scalar = w * x - np.sum(v * u, axis=1, keepdims=True)
    return np.hstack([scalar, w * u + x * v + np.cross(v, u)])


@dataclass(slots=True)
class _Node:
    """A node of the hierarchy; an end site has no channels and `end` set."""

    name: str
    parent: int
    line: int
    end: bool
    offset: list[float] | None = None
    channels: list[str] = field(default_factory=list)


def read_bvh(
    source: str | bytes | os.PathLike[str],
    *,
    scale: float = 1.0,
    up: str = "y",
    name: str | None = None,
) -> ModelSpec:
    """Read the skeleton of a BVH file.

    Parameters
    ----------
    source : path, str or bytes
        A path; or the document itself, as bytes or as a str of several lines.
    scale : float
        Meters in the file's unit of length: 0.01 for centimeters.
    up : str
        The file's axis that points up, ``"y"`` or ``"z"``; the model is turned to stand along z.
    name : str, optional
        Name of the model; that of the file by default.

    Returns
    -------
    ModelSpec
        The link ``world``, a link and a joint for each node, named as in the file, and a frame
        for each end site. Three rotations make a ball (with three positions: free), two a
        universal joint, one a revolute one, none a fixed one. The coordinates of a free joint
        count from the node's OFFSET.

    Raises
    ------
    ReadError
        With its line, for anything malformed, the motion included: a wrong number of frames or
        of numbers on a line.
    ArgumentError
        For a scale that is not above zero, or another `up`.

    Examples
    --------
    >>> text = '''HIERARCHY
    ... ROOT hip
    ... {
    ...   OFFSET 0 90 0
    ...   CHANNELS 3 Zrotation Xrotation Yrotation
    ...   End Site
    ...   {
    ...     OFFSET 0 50 0
    ...   }
    ... }
    ... MOTION
    ... Frames: 1
    ... Frame Time: 0.01
    ... 0 0 0
    ... '''
    >>> [joint.kind for joint in read_bvh(text, scale=0.01).joints]
    ['ball']
    """
    choice("up", up, tuple(_UP))
    scale = finite_number("scale", scale)
    if not 0 < scale < np.inf:
        raise ArgumentError(f"scale must be above zero, not {scale!r}")
    parser = _Parser(Lines(source))
    nodes = parser.hierarchy()
    parser.motion(nodes)
    notes = list(parser.notes)
    if scale == 1.0:
        notes.append(
            "the file does not say its unit of length: taken as meters; "
            "scale=0.01 reads centimeters"
        )
    label = (name if name is None else text("name", name)) or os.path.splitext(
        os.path.basename(parser.lines.path)
    )[0].strip("<>")
    spec = ModelSpec(label, [LinkSpec("world")], source=parser.lines.source, notes=notes)
    for node in nodes:
        assert node.offset is not None
        offset = [scale * value for value in node.offset]
        if not np.isfinite(offset).all():
            parser.fail(f"OFFSET is too far away in units of {scale!r} m", node)
        place = pose(offset)
        above = "world" if node.parent < 0 else nodes[node.parent].name
        if node.end:
            spec.frames.append(FrameSpec(node.name, above, place))
            continue
        if node.parent < 0 and _UP[up] is not None:
            place = pose([0.0, 0.0, 0.0], _UP[up]) @ place
        spec.links.append(LinkSpec(node.name))
        spec.joints.append(_joint(node, above, place, parser))
    try:
        spec.check()
    except ModelError as error:
        raise ReadError(str(error), parser.lines.path) from None
    return spec


def read_bvh_motion(source: str | bytes | os.PathLike[str]) -> BvhMotion:
    """Read the motion of a BVH file, as it is written.

    Parameters
    ----------
    source : path, str or bytes
        A path; or the document itself, as bytes or as a str of several lines.

    Returns
    -------
    BvhMotion
        Names of the channels, time of a frame and the numbers of each.

    Raises
    ------
    ReadError
        As `read_bvh`.

    Examples
    --------
    >>> text = '''HIERARCHY
    ... ROOT hip
    ... {
    ...   OFFSET 0 90 0
    ...   CHANNELS 3 Zrotation Xrotation Yrotation
    ...   End Site
    ...   {
    ...     OFFSET 0 50 0
    ...   }
    ... }
    ... MOTION
    ... Frames: 1
    ... Frame Time: 0.01
    ... 10 0 0
    ... '''
    >>> read_bvh_motion(text).values
    array([[10.,  0.,  0.]])
    """
    parser = _Parser(Lines(source))
    return parser.motion(parser.hierarchy())


def _joint(node: _Node, above: str, place: Array, parser: _Parser) -> JointSpec:
    parts = [_CHANNELS[channel] for channel in node.channels]
    turns = [_AXES[axis] for axis, word in parts if word == "rotation"]
    slides = [axis for axis, word in parts if word == "position"]
    if slides and not (sorted(slides) == ["X", "Y", "Z"] and len(turns) == 3):
        parser.fail(
            f"position channels need all three positions and three rotations, not {node.channels}",
            node,
        )
    if any(one == other for one, other in pairwise(turns)):
        parser.fail(f"two rotations in a row are about the same axis: {node.channels}", node)
    joint = JointSpec(node.name, "fixed", above, node.name, place)
    if len(turns) == 3:
        joint.kind = "free" if slides else "ball"
    elif len(turns) == 2:
        joint.kind, joint.axis, joint.axis2 = "universal", turns[0], turns[1]
    elif len(turns) == 1:
        joint.kind, joint.axis = "revolute", turns[0]
    return joint


class _Parser:
    """Reads a document once, line by line; a stack of open nodes takes the place of recursion."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.notes: list[str] = []
        self.at = 0  # lines read so far, so the number of the line just read
        self.end = max((i for i, line in enumerate(lines.lines, 1) if line.strip()), default=0)
        self.words: list[str] = []
        self.seen: dict[str, int] = {}

    def fail(self, reason: str, node: _Node | None = None) -> NoReturn:
        element = None if node is None else ("End Site " if node.end else "JOINT ") + node.name
        self.lines.fail(reason, self.at if node is None else node.line, element)

    def next(self, wanted: str) -> list[str]:
        """Return the words of the next line that has any."""
        while self.at < len(self.lines.lines):
            words = self.lines.lines[self.at].split()
            self.at += 1
            if words:
                return words
        self.fail(f"the file ends where {wanted} is expected")

    def numbers(self, words: list[str], count: int, what: str) -> list[float]:
        if len(words) != count:
            self.fail(f"{what} has {len(words)} numbers where {count} are expected")
        try:
            return [number(word) for word in words]
        except ValueError as error:
            self.fail(f"{what}: {error}")

    def unique(self, name: str) -> str:
        """Return a name that no node has yet; repeated ones are numbered, and noted."""
        count = self.seen.get(name, 0) + 1
        self.seen[name] = count
        if count == 1 and name != "world":
            return name
        new = f"{name}_{max(count, 2)}"
        while new in self.seen:
            count += 1
            new = f"{name}_{max(count, 2)}"
        self.seen[name] = count
        self.seen[new] = 1
        self.notes.append(f"line {self.at}: the name {name!r} is taken: called {new!r}")
        return new

    def hierarchy(self) -> list[_Node]:
        """Read up to and with the word MOTION, or the end of the file."""
        if self.next("HIERARCHY") != ["HIERARCHY"]:
            self.fail("a BVH file begins with HIERARCHY")
        nodes: list[_Node] = []
        open_nodes: list[int] = []
        while True:
            if not open_nodes and nodes and self.at >= self.end:
                self.notes.append("the file has no MOTION")
                return nodes
            words = self.next("'}'" if open_nodes else "ROOT or MOTION")
            head = words[0]
            if not open_nodes and head == "MOTION" and nodes:
                return nodes
            if head == "}" and open_nodes and len(words) == 1:
                self.close(nodes[open_nodes.pop()])
            elif head in (("JOINT", "End") if open_nodes else ("ROOT",)):
                nodes.append(self.open(words, open_nodes, nodes))
                open_nodes.append(len(nodes) - 1)
            elif head == "OFFSET" and open_nodes:
                node = nodes[open_nodes[-1]]
                if node.offset is not None:
                    self.fail("a second OFFSET", node)
                node.offset = self.numbers(words[1:], 3, "OFFSET")
            elif head == "CHANNELS" and open_nodes:
                self.channels(words, nodes[open_nodes[-1]])
            else:
                self.fail(f"{' '.join(words)[:60]!r} is not expected here")

    def open(self, words: list[str], open_nodes: list[int], nodes: list[_Node]) -> _Node:
        if len(open_nodes) >= DEPTH_CAP:
            self.fail(f"nodes nest deeper than {DEPTH_CAP}")
        line, parent = self.at, open_nodes[-1] if open_nodes else -1
        brace = words[-1] == "{" and len(words) > 1
        words = words[:-1] if brace else words
        end = words[0] == "End"
        if parent >= 0 and nodes[parent].end:
            self.fail("an End Site carries nothing", nodes[parent])
        if end and words[1:2] != ["Site"]:
            self.fail("'End' is followed by 'Site'")
        given = "_".join(words[2:] if end else words[1:])
        if not given and not end:
            self.fail(f"{words[0]} has no name")
        node = _Node(self.unique(given or f"{nodes[parent].name}_end"), parent, line, end)
        if not brace and self.next("'{'") != ["{"]:
            self.fail("'{' is expected", node)
        return node

    def close(self, node: _Node) -> None:
        if node.offset is None:
            self.fail("OFFSET is missing", node)

    def channels(self, words: list[str], node: _Node) -> None:
        if node.channels:
            self.fail("a second CHANNELS", node)
        count = self.numbers(words[1:2], 1, "CHANNELS")[0]
        if count != len(words) - 2:
            self.fail(f"CHANNELS says {count:g}, but names {len(words) - 2}")
        for channel in words[2:]:
            if channel not in _CHANNELS:
                self.fail(f"the channel {channel!r} is none of {', '.join(_CHANNELS)}")
        if node.end and count:
            self.fail("an End Site has no channels", node)
        if len([c for c in words[2:] if c.endswith("rotation")]) > 3:
            self.fail("more than three rotations", node)
        node.channels = words[2:]

    def motion(self, nodes: list[_Node]) -> BvhMotion:
        """Read from after the word MOTION; every frame must be there, and nothing more."""
        columns = [(node.name, channel) for node in nodes for channel in node.channels]
        rest = [
            (i, line.split())
            for i, line in enumerate(self.lines.lines[self.at :], self.at + 1)
            if line.strip()
        ]
        if not rest and "the file has no MOTION" in self.notes:
            return BvhMotion(None, columns, np.zeros((0, len(columns))))
        frames, frame_time, frames_line = None, None, 0
        while rest:
            self.at, words = rest[0]
            text = " ".join(words)
            if text.startswith("Frames:"):
                if frames is not None:
                    self.fail("a second Frames:")
                frames, frames_line = self.numbers(text[7:].split(), 1, "Frames")[0], self.at
            elif text.startswith("Frame Time:"):
                if frame_time is not None:
                    self.fail("a second Frame Time:")
                frame_time = self.numbers(text[11:].split(), 1, "Frame Time")[0]
            else:
                break
            rest.pop(0)
        if frames is None or frames < 0 or frames != int(frames):
            self.fail("'Frames:' with a count is expected after MOTION")
        if frame_time is None:
            self.notes.append("the file does not say its Frame Time")
        elif frame_time < 0:
            self.fail(f"Frame Time is negative: {frame_time}")
        if len(rest) != frames:
            self.at = frames_line
            self.fail(f"Frames says {frames:g}, but {len(rest)} lines of numbers follow")
        rows = []  # of no more numbers than the file has: an array of that shape may be far larger
        for line, words in rest:
            self.at = line
            rows.append(self.numbers(words, len(columns), "the frame"))
        values = np.array(rows, dtype=float).reshape(len(rest), len(columns))
        return BvhMotion(frame_time, columns, values)
