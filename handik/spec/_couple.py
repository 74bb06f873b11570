"""Joints that follow a sum of others: clavicle and scapula follow the humerus.

A joint at ``offset + r1 q1 + r2 q2`` about one axis moves just as two joints in a row about that
axis, one at ``offset + r1 q1`` and one at ``r2 q2``. So a coupling becomes a row of joints, each of
which mimics one other, and every reader, writer and solver of mimic joints knows it already.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING

import numpy as np

from handik.errors import ModelError
from handik.spec._given import known_name
from handik.spec.parts import JointSpec, LinkSpec, MimicSpec

if TYPE_CHECKING:
    from handik.spec.model import ModelSpec

__all__ = ["couple"]


def couple(spec: ModelSpec, name: str, ratios: Mapping[str, float], offset: float = 0.0) -> None:
    """Make a joint follow several others; see `ModelSpec.couple`."""
    joints = {joint.name: joint for joint in spec.joints}
    if not isinstance(ratios, Mapping):
        raise TypeError(f"ratios must be a mapping of joint names to numbers, got {ratios!r}")
    for known in (name, *ratios):
        known_name("joint", known, joints)
    joint = joints[name]
    if not ratios or not all(np.isfinite(r) and r != 0 for r in (*ratios.values(), 1.0)):
        raise ModelError(f"joint {name!r}: a coupling needs ratios, finite and not zero")
    if not np.isfinite(offset):
        raise ModelError(f"joint {name!r}: the offset of its coupling is not finite")
    if name in ratios or any(joints[n].nq != 1 for n in (name, *ratios)):
        raise ModelError(f"joint {name!r}: only joints of one coordinate can be coupled to others")
    if joint.mimic is not None:
        raise ModelError(f"joint {name!r}: it mimics {joint.mimic.joint!r} already")
    _check_room(spec, name, ratios, offset)
    taken = {link.name for link in spec.links} | set(joints)
    parent, placement = joint.parent, np.array(joint.placement, float)
    row = []
    for k, (master, ratio) in enumerate(list(ratios.items())[:-1]):
        own = f"{name}_by_{master}"
        if own in taken:
            raise ModelError(f"joint {name!r}: its coupling needs the name {own!r}, which is taken")
        mimic = MimicSpec(master, float(ratio), float(offset) if k == 0 else 0.0)
        row.append(JointSpec(own, joint.kind, parent, own, placement, joint.axis, mimic=mimic))
        spec.links.append(LinkSpec(own))
        parent, placement = own, np.eye(4)
    last, ratio = list(ratios.items())[-1]
    joint.parent, joint.placement = parent, placement
    joint.mimic = MimicSpec(last, float(ratio), 0.0 if row else float(offset))
    joint.lower = joint.upper = None  # kept by the masters, as was just shown
    at = spec.joints.index(joint)
    spec.joints[at:at] = row


def _check_room(spec: ModelSpec, name: str, ratios: Mapping[str, float], offset: float) -> None:
    """Raise when the others can take the joint beyond its limits: no box in q would forbid it."""
    joints = {joint.name: joint for joint in spec.joints}
    low = high = float(offset)
    for master, ratio in ratios.items():
        bounds = [ratio * limit[0] for limit in joints[master].limits()]
        low, high = low + min(bounds), high + max(bounds)
    (lower,), (upper,) = joints[name].limits()
    slack = 1e-12 * max(1.0, *(abs(x) for x in (low, high) if abs(x) < inf), 0.0)
    if low < lower - slack or high > upper + slack:
        raise ModelError(
            f"joint {name!r}: the joints it follows take it to {low:g} .. {high:g}, beyond its "
            f"limits {lower:g} .. {upper:g}; narrow theirs"
        )
