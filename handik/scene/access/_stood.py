"""Joints as a checker of proofs has them: a ball that is held stands still, and what follows it.

Nothing here calls the core.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._shoulder import POWERS
from handik.spec import SwingMimicSpec

if TYPE_CHECKING:
    from handik.spec import JointSpec, ModelSpec

__all__ = ["stood", "turned", "unit"]

Array = NDArray[np.float64]


def unit(v: Array) -> Array:
    """Return a vector over its length."""
    return np.asarray(v / np.linalg.norm(v), float)


def turned(axis: Array, angle: NDArray[np.floating[Any]]) -> Array:
    """Return rotations by angles about an axis."""
    x, y, z = axis
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.asarray(np.eye(3) + s * k + (1 - c) * (k @ k), float)


def _rotation(quaternion: tuple[float, ...]) -> Array:
    w, *v = (float(x) for x in quaternion)
    angle = 2 * np.arctan2(np.linalg.norm(v), w)
    return np.eye(3) if not any(v) else turned(unit(np.array(v)), np.array([angle]))[0]


def stood(joint: JointSpec, spec: ModelSpec) -> JointSpec:
    """Return a joint; a ball that is held, and what follows it, as they stand: fixed."""
    at, ball = np.eye(4), joint
    if isinstance(joint.mimic, SwingMimicSpec):
        leader = joint.mimic.joint
        ball = next(one for one in spec.joints if one.name == leader)
    if ball.hold is None or ball.kind != "ball":
        return joint
    turn = _rotation(ball.hold)
    if ball is joint:
        at[:3, :3] = turn
    else:
        assert isinstance(joint.mimic, SwingMimicSpec)
        bone = turn @ unit(np.asarray(ball.axis, float))
        value = float(np.prod(bone**POWERS, axis=1) @ joint.mimic.row())
        axis = unit(np.asarray(joint.axis, float))
        if joint.kind == "prismatic":
            at[:3, 3] = value * axis
        else:
            at[:3, :3] = turned(axis, np.array([value]))[0]
    still: dict[str, Any] = {"mimic": None, "hold": None, "cone": None}
    return replace(joint, kind="fixed", placement=np.asarray(joint.placement) @ at, **still)
