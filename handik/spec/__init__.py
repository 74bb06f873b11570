"""The joint tree as a file says it: plain dataclasses that a reader fills and anyone may edit.

Beside it what every room needs: units, conversions of poses, checks of what callers give.
It may import `errors` and the core alone.

A `ModelSpec` is only data. `ModelSpec.check` says what is wrong with it in one sentence; nothing
here recurses, and everything takes time linear in the number of joints.

Placements: a joint's placement is the pose of the joint's frame in its parent link at rest; the
frame of the child link is the joint's frame after its motion. Coordinates by kind:

===========  ==  =======================================================================
kind         nq  coordinates
===========  ==  =======================================================================
fixed        0
revolute     1   angle about ``axis``
prismatic    1   slide along ``axis``
cylindrical  2   angle about ``axis``, slide along ``axis``
universal    2   angle about ``axis``, then angle about ``axis2``
planar       3   slide along ``axis2``, slide along ``axis x axis2``, angle about ``axis``
ball         4   quaternion w x y z
free         7   position x y z, quaternion w x y z
===========  ==  =======================================================================
"""

from __future__ import annotations

from handik.spec.limits import ReachCone, TwistTable
from handik.spec.model import ModelSpec
from handik.spec.parts import (
    JOINT_NQ,
    Cone,
    FrameSpec,
    GeometrySpec,
    InertialSpec,
    JointSpec,
    LinkSpec,
    MimicSpec,
    MotorSpec,
)
from handik.spec.swing import SwingMimicSpec

__all__ = [
    "JOINT_NQ",
    "Cone",
    "FrameSpec",
    "GeometrySpec",
    "InertialSpec",
    "JointSpec",
    "LinkSpec",
    "MimicSpec",
    "ModelSpec",
    "MotorSpec",
    "ReachCone",
    "SwingMimicSpec",
    "TwistTable",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
