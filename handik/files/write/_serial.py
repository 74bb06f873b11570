"""A serial arm on its way to a table: what the table leaves behind, and the bodies of its rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handik.files.read._geometry import rigid_inverse
from handik.files.read.dh import dh_transform
from handik.files.read.fit_dh import DhFit, fit_dh
from handik.spec import InertialSpec, JointSpec, ModelSpec

__all__ = ["Arm", "arm_of"]

Array = NDArray[np.float64]


@dataclass(slots=True)
class Arm:
    """A chain as a table.

    Attributes
    ----------
    fit : DhFit
        The table.
    joints : list of JointSpec
        The moving joints of the chain, one a row.
    bodies : list of InertialSpec or None
        All that each row carries rigidly, as one body in the row's frame.
    lost : list of str
        What neither format holds: joints beside the chain, shapes, what a joint bears and how fast
        it turns, frames.
    """

    fit: DhFit
    joints: list[JointSpec]
    bodies: list[InertialSpec | None]
    lost: list[str]


def arm_of(spec: ModelSpec, convention: str, tip: str | None) -> Arm:
    """Fit a table to a chain, and gather the masses that its rows carry.

    Raises
    ------
    ArgumentError, NotFoundError, UnsupportedError
        As `handik.files.read.fit_dh.fit_dh`.
    ModelError
        When the spec is not sound.
    """
    spec.check()
    fit = fit_dh(spec, convention, tip)
    lost: list[str] = []
    # Frames of the table at rest, with the base before them.
    frames = [fit.base]
    for row in fit.table.tolist():
        theta, d, a, alpha = row
        frames.append(frames[-1] @ dh_transform(theta, d, a, alpha, convention))
    stands = _stands(spec, fit, lost)
    gathered: list[list[tuple[InertialSpec, Array]]] = [[] for _ in frames]
    for link in spec.links:
        if link.name not in stands:
            continue
        row_of_link, pose = stands[link.name]
        if link.inertial is not None and row_of_link:
            here = rigid_inverse(frames[row_of_link]) @ pose
            gathered[row_of_link].append((link.inertial, here))
        if link.visuals or link.collisions:
            lost.append(f"the shapes of link {link.name!r}")
    joints = {joint.name: joint for joint in spec.joints}
    ordered = [joints[name] for name in fit.names]
    for joint in ordered:
        if joint.effort is not None or joint.velocity is not None:
            lost.append(f"effort and velocity of joint {joint.name!r}")
        if joint.neutral is not None:
            lost.append(f"where joint {joint.name!r} is at ease")
    lost += [f"frame {frame.name!r}" for frame in spec.frames if frame.name != spec.tip]
    return Arm(fit, ordered, [_gather(parts) for parts in gathered[1:]], lost)


def _stands(spec: ModelSpec, fit: DhFit, lost: list[str]) -> dict[str, tuple[int, Array]]:
    """Which row of the table carries each link, 0 the base, and its pose at rest."""
    rows = {name: count for count, name in enumerate(fit.names)}
    stands: dict[str, tuple[int, Array]] = {spec.root: (0, np.eye(4))}
    for joint in spec.ordered_joints():
        if joint.parent not in stands:
            continue
        row, above = stands[joint.parent]
        if joint.name in rows:
            row = rows[joint.name] + 1
        elif joint.kind != "fixed":
            lost.append(f"joint {joint.name!r}, beside the chain, and what it carries")
            continue
        stands[joint.child] = row, above @ np.asarray(joint.placement, dtype=float)
    return stands


def _gather(parts: list[tuple[InertialSpec, Array]]) -> InertialSpec | None:
    """Return several bodies as one, in the axes of the frame that the poses are in."""
    if not parts:
        return None
    mass = sum(body.mass for body, _ in parts)
    centers = [pose[:3, :3] @ np.asarray(body.center) + pose[:3, 3] for body, pose in parts]
    center = np.zeros(3)
    if mass > 0:
        for (body, _), c in zip(parts, centers, strict=True):
            center += body.mass / mass * c
    inertia = np.zeros((3, 3))
    for (body, pose), c in zip(parts, centers, strict=True):
        turn, arm = pose[:3, :3], c - center
        inertia += turn @ np.asarray(body.inertia) @ turn.T
        inertia += body.mass * (arm @ arm * np.eye(3) - np.outer(arm, arm))
    return InertialSpec(mass, center, 0.5 * (inertia + inertia.T))
