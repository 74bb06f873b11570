"""Freeze: from a checked spec to the arrays of which the C core makes a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.errors import ArgumentError, ModelError
from handik.model._inertia import inertial_rows, motor_rows
from handik.spec import (
    JOINT_NQ,
    Cone,
    JointSpec,
    MimicSpec,
    ModelSpec,
    ReachCone,
    SwingMimicSpec,
    TwistTable,
)
from handik.spec._given import reals
from handik.spec.parts import room_of

__all__ = ["KINDS", "Parts", "second_axis"]

Array = NDArray[np.float64]

#: Joint kinds in the order of the C core's table.
KINDS: tuple[str, ...] = tuple(row[0] for row in _core.table("joints"))
_KIND = {kind: code for code, kind in enumerate(KINDS)}
_NO_AXIS = (0.0, 0.0, 0.0)
_NOTHING = (np.nan,) * 6
_NO_SWING = (np.nan,) * 20


class Parts:
    """The arrays the core wants, from a checked spec."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        root, self.joints = spec._tree()
        self.names = [joint.name for joint in self.joints]
        self.index = {name: j for j, name in enumerate(self.names)}
        self.link_joint = {root: -1}
        self.link_joint.update((joint.child, j) for j, joint in enumerate(self.joints))
        self.frames = [*self.link_joint, *(frame.name for frame in spec.frames)]
        self.tip = self._find_tip()
        self.slices: dict[str, slice] = {}
        at = 0
        for joint in self.joints:
            nq = JOINT_NQ[joint.kind]
            if joint.mimic is None and nq:
                self.slices[joint.name] = slice(at, at + nq)
                at += nq

    def _find_tip(self) -> int:
        """Index of the chosen frame, or of the only leaf's, -1 when there are several."""
        if self.spec.tip is not None:
            return self.frames.index(self.spec.tip)
        parents = {joint.parent for joint in self.joints}
        leaves = [link for link in self.link_joint if link not in parents]
        if len(leaves) != 1:
            return -1
        on_leaf = [frame.name for frame in self.spec.frames if frame.link == leaves[0]]
        if len(on_leaf) > 1:
            return -1
        return self.frames.index(on_leaf[0] if on_leaf else leaves[0])

    def _limits(self, mimics: bool) -> tuple[list[float], list[float]]:
        """Limits of the coordinates; those of a mimic joint narrow the joint it follows."""
        if not mimics:
            low, high = [], []
            for joint in self.joints:
                lower, upper = joint.limits()
                low += lower
                high += upper
            return low, high
        pairs = {joint.name: joint.limits() for joint in self.joints}
        for joint in self.joints:
            if joint.mimic is None or isinstance(joint.mimic, SwingMimicSpec):
                continue
            master, scale, offset = joint, 1.0, 0.0
            while isinstance(master.mimic, MimicSpec):
                offset += scale * master.mimic.offset
                scale *= master.mimic.scale
                master = self.joints[self.index[master.mimic.joint]]
            if scale == 0:
                continue  # the core refuses it, with the joint's name
            ends = sorted((bound[0] - offset) / scale for bound in joint.limits())
            lower, upper = pairs[master.name]
            narrowed = max(lower[0], ends[0]), min(upper[0], ends[1])
            if narrowed[0] > narrowed[1]:
                raise ModelError(
                    f"joint {joint.name!r}: its limits leave no room for {master.name!r}, "
                    "which it mimics"
                )
            pairs[master.name] = [narrowed[0]], [narrowed[1]]
        own = [pairs[joint.name] for joint in self.joints if joint.mimic is None]
        return [x for pair in own for x in pair[0]], [x for pair in own for x in pair[1]]

    def arrays(self) -> dict[str, Any]:
        """Return what `_core.Model` takes, by name."""
        joints = self.joints
        mimics = any(joint.mimic is not None for joint in joints)
        swings = any(isinstance(joint.mimic, SwingMimicSpec) for joint in joints)
        lower, upper = self._limits(mimics)
        placements = [np.eye(4)] * len(self.link_joint)
        placements += [frame.placement for frame in self.spec.frames]
        return {
            "parent": _ints(self.link_joint[joint.parent] for joint in joints),
            "kind": _ints(_KIND[joint.kind] for joint in joints),
            "axis": _floats(joint.axis for joint in joints),
            "axis2": _floats(joint.axis2 or second_axis(joint) for joint in joints),
            "placement": _twelve([joint.placement for joint in joints]),
            "lower": np.array(lower, float),
            "upper": np.array(upper, float),
            "rest": None,
            "mimic": _ints(self._master(joint) for joint in joints) if mimics else None,
            "mimic_line": _floats(_line(joint) for joint in joints) if mimics else None,
            "mimic_swing": _floats(_swing(joint) for joint in joints) if swings else None,
            "frame_joint": _ints(
                [*self.link_joint.values(), *(self.link_joint[f.link] for f in self.spec.frames)]
            ),
            "frame_placement": _twelve(placements),
            "joint_names": tuple(self.names),
            "frame_index": {name: i for i, name in enumerate(self.frames)},
            "tip": self.tip,
            **self._rooms(),
            "inertial": inertial_rows(self.spec.links, [joint.child for joint in joints]),
            "motor": motor_rows(joints),
        }

    def _rooms(self) -> dict[str, Any]:
        """Cones, polygons and twist tables of limited balls, and the rotations held."""
        found: dict[str, Any] = {"swing": None}
        if any(joint.hold is not None for joint in self.joints):
            found["hold"] = _floats(joint.hold or _NOTHING[:4] for joint in self.joints)
        rooms = [room_of(joint.cone) if joint.kind == "ball" else None for joint in self.joints]
        if not any(rooms):
            return found
        found["swing"] = _floats(_NOTHING if room is None else room.row() for room in rooms)
        corners = [
            self._corners(joint, room) for joint, room in zip(self.joints, rooms, strict=True)
        ]
        tables = [self._table(joint, room) for joint, room in zip(self.joints, rooms, strict=True)]
        knots = [() if table is None else table.rows for table in tables]
        full = (0.0 if table is None else table.full for table in tables)
        found["knot_full"] = np.fromiter(full, float)
        found["corner_count"] = _ints(map(len, corners))
        found["knot_count"] = _ints(map(len, knots))
        try:
            found["corner"] = _pool(corners, 2)
            found["knot"] = _pool(knots, 3)
        except ValueError:
            raise ModelError(
                "a reach cone has rows of 2, a twist table rows of 3 numbers"
            ) from None
        return found

    @staticmethod
    def _corners(joint: JointSpec, room: Cone | ReachCone | None) -> Sequence[Any]:
        """Directions of a reach cone; none of another room."""
        if not isinstance(room, ReachCone):
            return ()
        try:
            corners = reals(room.corners, "corners", (), finite=False)
        except ArgumentError:
            corners = np.empty(1)
        if corners.size == 0:
            raise ModelError(f"joint {joint.name!r}: its reach cone has no directions")
        if corners.ndim != 2 or corners.shape[1] != 2:
            raise ModelError(f"joint {joint.name!r}: corners of a reach cone are rows of 2 numbers")
        rows: list[list[float]] = corners.tolist()
        return rows

    @staticmethod
    def _table(joint: JointSpec, room: Cone | ReachCone | None) -> TwistTable | None:
        """Limits of the twist that change with the swing, if they do."""
        if room is None or not isinstance(room.twist, TwistTable):
            return None
        if len(room.twist.rows) == 0:
            raise ModelError(f"joint {joint.name!r}: its twist table has no rows")
        return room.twist

    def _master(self, joint: JointSpec) -> int:
        return -1 if joint.mimic is None else self.index[joint.mimic.joint]


def _pool(rows: Iterable[Any], width: int) -> Array:
    found = [np.asarray(part, float).reshape(len(part), width) for part in rows if len(part)]
    return np.concatenate([part.ravel() for part in found]) if found else np.zeros(0)


def second_axis(joint: JointSpec, limited: bool = False) -> Sequence[float]:
    """Second axis of a limited ball that names none: x made square to the bone, or y."""
    if joint.cone is None and not limited:
        return _NO_AXIS
    bone = np.asarray(joint.axis, float) / np.linalg.norm(joint.axis)
    other = np.array([1.0, 0.0, 0.0]) if abs(bone[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    square = other - bone * (other @ bone)
    return tuple(square / np.linalg.norm(square))


def _line(joint: JointSpec) -> tuple[float, float]:
    mimic = joint.mimic
    return (mimic.scale, mimic.offset) if isinstance(mimic, MimicSpec) else (1.0, 0.0)


def _swing(joint: JointSpec) -> Sequence[float]:
    return joint.mimic.row() if isinstance(joint.mimic, SwingMimicSpec) else _NO_SWING


def _ints(values: Iterable[int]) -> NDArray[np.int32]:
    return np.fromiter(values, np.int32)


def _floats(rows: Iterable[Sequence[float]]) -> Array:
    return np.array(list(rows), float)


def _twelve(placements: Sequence[Any]) -> Array:
    """4x4 transforms to rotation row-major, then x y z."""
    if not placements:
        return np.empty((0, 12))
    stacked = np.concatenate(placements, dtype=float).reshape(-1, 4, 4)
    return np.concatenate([stacked[:, :3, :3].reshape(-1, 9), stacked[:, :3, 3]], axis=1)
