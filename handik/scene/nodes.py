"""A node of a scene: a name, what stands there, its pose in its parent, and what hangs on it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, shortened
from handik.scene.shapes import LARGEST, Shape, factor, set_fields
from handik.spec._given import (
    PoseLike,
    as_array,
    finite_number,
    flag,
    plain_transform,
    reals,
    rigid_poses,
    sequence,
    written_pose,
)

__all__ = ["DEEPEST", "MOST_NODES", "Attachment", "Content", "Node"]

Array = NDArray[np.float64]
Color: TypeAlias = tuple[float, float, float]

#: Nodes above each other, and nodes in all, at most.
DEEPEST = 32
MOST_NODES = 200_000
#: Signs of a name, and tags of a node, at most.
LONGEST_NAME = 200
MOST_TAGS = 64

_NOT_IN_NAMES = re.compile(r"[/*?\[\]\x00-\x1f\x7f\ud800-\udfff]")
_TAG = re.compile(r"[a-z0-9][a-z0-9_.-]*")
_HEX = re.compile(r"#[0-9a-fA-F]{6}")


class Content:
    """What stands at a node and is no shape: a figure, a floor plan, a light, a camera, a target.

    Attributes
    ----------
    kind : str
        The word that files use.
    """

    __slots__ = ()
    kind: ClassVar[str] = ""

    def solids(self) -> Iterable[tuple[str, Shape, Array]]:
        """Return the solid parts.

        Returns
        -------
        iterable of (str, Shape, ndarray (4, 4))
            Name, shape and pose in the node; by default there is none.
        """
        return ()

    def frame_pose(self, frame: str) -> Array | None:
        """Return the pose of a frame of it in the node.

        Parameters
        ----------
        frame : str
            Its name.

        Returns
        -------
        ndarray (4, 4) or None
            None: it has no frames.
        """
        return None


@dataclass(frozen=True)
class Attachment:
    """What a node follows in the place of its parent.

    Attributes
    ----------
    to : str
        The path of the node that is followed.
    frame : str or None
        A frame of it, where it is a figure.
    """

    to: str
    frame: str | None = None


def node_name(name: Any, what: str = "name") -> str:
    """Return a name that a node can have.

    Raises
    ------
    TypeError
        When it is no text.
    ArgumentError
        When it is empty, too long, or has a sign that paths and patterns are made with.
    """
    if not isinstance(name, str):
        raise TypeError(f"{what} must be a text, got {shortened(name)}")
    if not name or name != name.strip() or len(name) > LONGEST_NAME:
        raise ArgumentError(
            f"{what} must have 1 to {LONGEST_NAME} signs and no white space at an end, "
            f"got {shortened(name)}"
        )
    if (found := _NOT_IN_NAMES.search(name)) is not None or name in (".", ".."):
        sign = name if found is None else found[0]
        raise ArgumentError(f"{what} {shortened(name)} must not have {sign!r} in it")
    return name


def is_place(given: Any) -> bool:
    """Tell whether it is a list or tuple of three floats that are a place: what needs no check."""
    return (
        type(given) in (list, tuple)
        and len(given) == 3
        and all(type(x) is float and -LARGEST <= x <= LARGEST for x in given)
    )


def one_pose(pose: PoseLike | None, name: str = "pose") -> Array:
    """Return one pose (4, 4) that nobody can write to, None the identity; a place is not turned."""
    if pose is None:
        found = np.eye(4)
    elif is_place(pose):
        found = np.eye(4)
        found[:3, 3] = np.asarray(pose)
    elif not written_pose(pose) and np.shape(as_array(name, plain_transform(pose))) == (3,):
        found = np.eye(4)
        found[:3, 3] = reals(plain_transform(pose), name, (3,))
    else:
        found = rigid_poses(pose, name)
    if found.shape != (4, 4):
        raise ArgumentError(f"{name} must be one pose (4, 4), got {found.shape}")
    if not is_place(pose) and np.abs(found[:3, 3]).max() > LARGEST:
        raise ArgumentError(f"{name} lies farther out than {LARGEST:g} m")
    kept: Array = found + 0.0  # a copy, without negative zeros
    kept.flags.writeable = False
    return kept


def one_color(color: Any) -> Color | None:
    """Return red, green and blue of 0 to 1, from three such numbers or ``"#rrggbb"``."""
    if color is None:
        return None
    if isinstance(color, str):
        if not _HEX.fullmatch(color):
            raise ArgumentError(f'color must be three numbers or "#rrggbb", got {shortened(color)}')
        red, green, blue = (int(color[k : k + 2], 16) / 255 for k in (1, 3, 5))
        return red, green, blue
    if is_place(color) and min(color) >= 0 and max(color) <= 1:
        red, green, blue = color
        return red + 0.0, green + 0.0, blue + 0.0
    rows = reals(color, "color", (3,))
    if rows.ndim != 1 or rows.min() < 0 or rows.max() > 1:
        raise ArgumentError(f"color must be red, green and blue of 0 to 1, got {shortened(color)}")
    red, green, blue = (rows + 0.0).tolist()
    return red, green, blue


def share(name: str, value: Any) -> float:
    """Return a number of 0 to 1."""
    found = finite_number(name, value)
    if not 0 <= found <= 1:
        raise ArgumentError(f"{name} must be 0 to 1, got {found:g}")
    return found + 0.0


def some_tags(tags: Any) -> frozenset[str]:
    """Return words of small letters, digits and ``_ . -``; one alone is one."""
    found = (tags,) if isinstance(tags, str) else sequence("tags", _listed(tags), str, "words")
    if len(found) > MOST_TAGS:
        raise ArgumentError(f"tags are more than {MOST_TAGS}: {len(found)}")
    for tag in found:
        if len(tag) > LONGEST_NAME or not _TAG.fullmatch(tag):
            raise ArgumentError(
                f"tags must be words of small letters, digits and _ . -, got {shortened(tag)}"
            )
    return frozenset(found)


def _listed(tags: Any) -> Any:
    return sorted(tags) if isinstance(tags, (set, frozenset)) else tags


@dataclass(frozen=True, eq=False)
class Node:
    """One named thing of a scene, and all that hangs on it.

    `Scene.add` makes it; whoever makes many at once makes nodes, and a scene of them.

    Parameters
    ----------
    name : str
        Unlike those of its neighbors; without ``/ * ? [ ]``.
    content : Shape or Content, optional
        What stands there; None: nothing, a group.
    pose : pose, shape (4, 4) or (3,), optional
        In its parent, or in what it is attached to; three numbers are a place, not turned.
    scale : float
        Factor on its shape, and on the places and shapes of what hangs on it.
    color : three floats or str, optional
        Red, green and blue of 0 to 1, or ``"#rrggbb"``; None: that of its parent.
    opacity : float, optional
        0 to 1; None: that of its parent.
    tags : str or iterable of str
        Words such as ``"handle"``, ``"switch"``, ``"door"``, ``"seat"``, ``"floor"``, ``"wall"``.
    solid : bool
        Whether its shape is an obstacle; False: it is only drawn.
    children : sequence of Node
        What hangs on it.
    attached : Attachment, optional
        What it follows in the place of its parent.

    Raises
    ------
    ArgumentError
        When a value is none of these, or two children have one name.

    Examples
    --------
    >>> import handik as hk
    >>> cup = hk.scene.Node("cup", hk.scene.Cylinder(0.1, 0.04), tags="handle")
    >>> hk.Scene([cup]).find(tag="handle")
    ('cup',)
    """

    name: str
    content: Shape | Content | None = None
    pose: PoseLike | None = None
    scale: float = 1.0
    color: Color | str | None = None
    opacity: float | None = None
    tags: Iterable[str] = ()
    solid: bool = True
    children: Sequence[Node] = field(default=(), repr=False)
    attached: Attachment | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.content, (Shape, Content, type(None))):
            raise TypeError(
                f"content must be a shape or another thing of a scene, "
                f"got {shortened(self.content)}"
            )
        if not isinstance(self.attached, (Attachment, type(None))):
            raise TypeError(f"attached must be an Attachment, got {shortened(self.attached)}")
        set_fields(
            self,
            name=node_name(self.name),
            pose=one_pose(self.pose),
            scale=factor("scale", self.scale),
            color=one_color(self.color),
            opacity=None if self.opacity is None else share("opacity", self.opacity),
            tags=some_tags(self.tags),
            solid=flag("solid", self.solid),
            children=some_nodes(self.children, f"node {shortened(self.name)}"),
        )
        if self.extent[1] > DEEPEST:  # so nothing that walks a tree goes deeper
            raise ArgumentError(f"nodes hang more than {DEEPEST} above each other")

    @property
    def kind(self) -> str:
        """The word of what stands there; ``"group"`` for nothing."""
        return "group" if self.content is None else self.content.kind

    @property
    def place(self) -> Array:
        """The pose as an array (4, 4)."""
        assert isinstance(self.pose, np.ndarray)
        return self.pose

    @cached_property
    def extent(self) -> tuple[int, int, bool]:
        """How many nodes it is with all that hangs on it, how deep, and whether one is attached."""
        count, depth, follows = 0, 0, self.attached is not None
        for child in self.children:
            some, deep, follow = child.extent
            count, depth, follows = count + some, max(depth, deep), follows or follow
        return count + 1, depth + 1, follows

    @cached_property
    def _key(self) -> tuple[Any, ...]:
        own = (self.name, self.content, self.place.tobytes(), self.scale, self.color, self.opacity)
        return (*own, self.tags, self.solid, self.attached, self.children)

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Node) else NotImplemented

    @cached_property
    def _hash(self) -> int:
        return hash(self._key)

    def __hash__(self) -> int:
        return self._hash

    def __getstate__(self) -> dict[str, Any]:
        state = {name: self.__dict__[name] for name in self.__dataclass_fields__}
        return {**state, "tags": sorted(state["tags"])}  # the same bytes in every process

    def __setstate__(self, state: dict[str, Any]) -> None:
        state["tags"] = frozenset(state["tags"])
        state["pose"].flags.writeable = False  # an array loses its lock on the way
        set_fields(self, **state)


def some_nodes(nodes: Any, what: str) -> tuple[Node, ...]:
    """Return nodes of different names as a tuple."""
    found: tuple[Node, ...] = sequence("children", nodes, Node, "nodes")
    names = set()
    for node in found:
        if node.name in names:
            raise ArgumentError(f"{what} has two children of the name {shortened(node.name)}")
        names.add(node.name)
    return found
