"""Mirroring: each joint does what its partner did, about the configuration of all zeros."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, ModelError, shortened
from handik.spec._given import known_name, points_of

if TYPE_CHECKING:
    from handik.model import Model
    from handik.spec import JointSpec

__all__ = ["mirrored", "partner", "side_of", "zero_of"]

Array = NDArray[np.float64]
#: Axes of partners are images of each other within this angle, radians.
_NEAR = 1e-4
#: A normal so near an axis of the world is that axis: skeletons are a little askew.
_STRAIGHT = np.radians(10.0)

_SWAPS = tuple(
    (re.compile(pattern), word)
    for one, other in (("left", "right"), ("right", "left"))
    for pattern, word in (
        (one, other),
        (one.title(), other.title()),
        (one.upper(), other.upper()),
        (rf"(?<![A-Za-z]){one[0]}(?![A-Za-z])", other[0]),
        (rf"(?<![A-Za-z]){one[0].upper()}(?![A-Za-z])", other[0].upper()),
        (rf"^{one[0]}(?=[A-Z])", other[0]),
        (rf"^{one[0].upper()}(?=[A-Z])", other[0].upper()),
    )
)


def partner(name: str, names: Iterable[str]) -> str:
    """Return the name on the other side, or the name itself where there is none."""
    known = set(names)
    for pattern, word in _SWAPS:
        other = pattern.sub(word, name)
        if other != name and other in known:
            return other
    return name


def side_of(name: str, names: Iterable[str]) -> str:
    """Return "left", "right" or "" by what a name says, where it has a partner."""
    known = set(names)
    for k, (pattern, word) in enumerate(_SWAPS):
        other = pattern.sub(word, name)
        if other != name and other in known:
            return "left" if k < len(_SWAPS) // 2 else "right"
    return ""


def zero_of(model: Model) -> Array:
    """Return the configuration of all coordinates zero, balls unturned."""
    q = np.zeros(model.nq)
    q[model.step_q[model.step_kind == 2]] = 1.0
    return q


def mirrored(
    model: Model, q: Array, pairs: Mapping[str, str] | None, normal: ArrayLike | None
) -> Array:
    """Return configurations as a mirror in the world's origin shows them.

    Raises
    ------
    ModelError
        When a joint and its partner are no mirror images.
    """
    of = _partners(model, pairs)
    frames = np.asarray(model.frames(zero_of(model)))
    spec = model.spec
    joints = {joint.name: joint for joint in spec.joints}
    zero = {j.name: frames[model.frame_names.index(j.child)] for j in spec.joints}
    n = _normal(of, zero, normal)
    image = np.eye(3) - 2 * np.outer(n, n)
    out = np.array(q)
    for name, at in model.joint_q_slices.items():
        other = of[name]
        there = model.joint_q_slices.get(other)
        if joints[name].kind != joints[other].kind or there is None:
            raise ModelError(
                f"joints {name!r} ({joints[name].kind}) and {other!r} ({joints[other].kind}) are "
                "of different kinds: no mirror images"
            )
        out[:, there] = _one(joints[name], joints[other], zero[name], zero[other], image, q[:, at])
    return out


def _partners(model: Model, pairs: Mapping[str, str] | None) -> dict[str, str]:
    names = list(model.joint_q_slices)
    of = {name: partner(name, names) for name in names}
    if pairs is None:
        return of
    if not isinstance(pairs, Mapping):
        raise ArgumentError(f"pairs must be a mapping of joint names, got {shortened(pairs)}")
    said: dict[str, str] = {}
    for one, other in pairs.items():
        if said.setdefault(one, other) != other or said.setdefault(other, one) != one:
            raise ArgumentError("pairs name a joint twice: each has one partner")
        known_name("joint", one, names)
        known_name("joint", other, names)
        for name in (one, other):
            of[of[name]] = of[name]
        of[one], of[other] = other, one
    return of


def _normal(of: Mapping[str, str], zero: Mapping[str, Array], given: ArrayLike | None) -> Array:
    if given is not None:
        n = points_of(given, "normal", (3,))
        if not n.any():
            raise ArgumentError("normal must not be of length zero")
        n = n / np.abs(n).max()  # whose squares neither overflow nor vanish
        return np.asarray(n / np.linalg.norm(n))
    sides = {name: side_of(name, of) for name in of}
    apart = [
        zero[name][:3, 3] - zero[of[name]][:3, 3]
        for name in of
        if of[name] != name and sides[name] == "left"
    ]
    n = np.sum(apart, axis=0) if apart else np.zeros(3)
    if not np.linalg.norm(n) > 1e-9:
        return np.array([0.0, 1.0, 0.0])
    n = n / np.linalg.norm(n)
    k = int(np.argmax(np.abs(n)))
    return np.eye(3)[k] if np.arccos(min(1.0, abs(n[k]))) < _STRAIGHT else np.asarray(n)


def _one(
    joint: JointSpec, other: JointSpec, zero: Array, there: Array, image: Array, q: Array
) -> Array:
    """Return the coordinates of the partner."""
    slide = there[:3, :3].T @ image @ zero[:3, :3]  # a vector of the joint, in the partner's axes
    if joint.kind in ("ball", "free"):
        turned = q.copy()
        turned[:, -3:] = q[:, -3:] @ -slide.T  # an axial vector
        if joint.kind == "free":
            start = there[:3, :3].T @ (image @ zero[:3, 3] - there[:3, 3])
            turned[:, :3] = q[:, :3] @ slide.T + start
        return turned
    out = np.empty_like(q)
    for k, (word, mine, theirs) in enumerate(_axes(joint, other)):
        seen = (slide if word == "slide" else -slide) @ mine
        along = float(seen @ theirs)
        if abs(along) < np.cos(_NEAR):
            raise ModelError(
                f"the axes of {joint.name!r} and {other.name!r} are no mirror images with all "
                "coordinates zero"
            )
        out[:, k] = np.sign(along) * q[:, k]
    return out


def _axes(joint: JointSpec, other: JointSpec) -> list[tuple[str, Array, Array]]:
    """Return each coordinate's kind, and its axis in both joints."""
    first, second = _unit(joint.axis), _unit(other.axis)
    if joint.kind in ("prismatic", "revolute"):
        return [("slide" if joint.kind == "prismatic" else "turn", first, second)]
    if joint.kind == "cylindrical":
        return [("turn", first, second), ("slide", first, second)]
    two, others = _unit(joint.axis2), _unit(other.axis2)
    if joint.kind == "universal":
        return [("turn", first, second), ("turn", two, others)]
    across = np.cross(first, two), np.cross(second, others)
    return [("slide", two, others), ("slide", *across), ("turn", first, second)]


def _unit(axis: ArrayLike | None) -> Array:
    a = np.asarray(axis, float)
    return np.asarray(a / np.linalg.norm(a))
