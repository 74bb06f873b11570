"""A serial arm as a configuration file of ROBOOP."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from handik.errors import UnsupportedError
from handik.files.read.dh import dh_row, dh_transform
from handik.files.write._serial import Arm, arm_of
from handik.files.write._text import settle
from handik.spec import InertialSpec, JointSpec, ModelSpec

__all__ = ["to_roboop"]

Array = NDArray[np.float64]


def to_roboop(
    spec: ModelSpec,
    lost: list[str] | None = None,
    convention: str = "standard",
    tip: str | None = None,
) -> str:
    """Return a chain as the text that `handik.files.read.roboop.read_roboop` and ROBOOP read.

    Parameters
    ----------
    spec : ModelSpec
        The tree; it is checked. All that a row carries rigidly is written as one body.
    lost : list, optional
        Takes a sentence for everything that the format cannot hold: names of joints, shapes, one-
        sided limits, effort and speed, frames, joints beside the chain, a base or tool that no
        row of the table can hold, and friction of a joint that becomes that of a drive.
    convention : str
        ``"standard"`` (ROBOOP's class ``Robot``) or ``"modified"`` (``mRobot``).
    tip : str, optional
        The link or frame at the end; see `handik.files.read.fit_dh.fit_dh`.

    Returns
    -------
    str
        The file's text.

    Raises
    ------
    ArgumentError, NotFoundError, UnsupportedError, ModelError
        As for `handik.files.write.dh_csv.to_csv`; for a name that no heading can hold.

    Examples
    --------
    >>> import handik as hk
    >>> lost = []
    >>> to_roboop(hk.chain([1.0, 0.5]).spec, lost).splitlines()[:2]
    ['[chain]', 'dof: 2']
    """
    arm = arm_of(spec, convention, tip)
    fit, found = arm.fit, list(arm.lost)
    name = spec.name
    if not name or "]" in name or "#" in name or any(ord(sign) < 32 for sign in name):
        raise UnsupportedError(f"the name {name!r} cannot be written in a section's heading")
    if not np.array_equal(fit.base, np.eye(4)):
        found.append("the pose of the arm's base")
    table, kinds = fit.table.tolist(), list(fit.kinds)
    bodies, joints = list(arm.bodies), [*arm.joints]
    hand = dh_row(fit.tool, convention)
    if not np.array_equal(fit.tool, np.eye(4)):
        if np.abs(dh_transform(*hand, convention) - fit.tool).max() < 1e-14:
            table.append([*hand])
            kinds.append("fixed")
            bodies.append(None)
        else:
            found.append("the pose of the tool")
    drives = _drives(arm, found)
    rows = [f"[{name}]", f"dof: {len(table)}", "Fix: 0", f"Motor: {int(bool(drives))}"]
    rows += ["angle_in_degree: 0", f"DH: {int(convention == 'standard')}", "MinPara: 0"]
    for i, (kind, row, body) in enumerate(zip(kinds, table, bodies, strict=True), 1):
        rows += ["", f"[{name}_LINK{i}]", *_row(kind, row), *_body(body)]
        if kind != "fixed":
            rows += _limits(joints[i - 1], found)
            if drives:
                cells = zip(("Im", "Gr", "B", "Cf"), drives[i - 1], strict=True)
                rows += [f"{key}: {float(value)!r}" for key, value in cells]
            if joints[i - 1].name != f"joint_{i}":
                found.append(f"the name of joint {joints[i - 1].name!r}")
    settle("ROBOOP's format", found, lost)
    return "\n".join([*rows, ""])


def _row(kind: str, row: list[float]) -> list[str]:
    theta, d, a, alpha = (float(value) for value in row)
    offset = {"revolute": theta, "prismatic": d}.get(kind, 0.0)
    return [
        f"joint_type: {('revolute', 'prismatic', 'fixed').index(kind)}",
        f"theta: {0.0 if kind == 'revolute' else theta!r}",
        f"d: {0.0 if kind == 'prismatic' else d!r}",
        f"a: {a!r}",
        f"alpha: {alpha!r}",
        f"joint_offset: {offset!r}",
    ]


def _body(body: InertialSpec | None) -> list[str]:
    if body is None:
        return []
    i = np.asarray(body.inertia, dtype=float)
    keys = ("m", "cx", "cy", "cz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
    values = [body.mass, *np.asarray(body.center).tolist(), *i[0], *i[1, 1:], i[2, 2]]
    return [f"{key}: {float(value)!r}" for key, value in zip(keys, values, strict=True)]


def _limits(joint: JointSpec, found: list[str]) -> list[str]:
    (low,), (high,) = joint.limits()
    if low == -inf and high == inf:
        return []
    if low == -inf or high == inf or low == high == 0:  # two zeros mean that there is none
        found.append(f"the limits of joint {joint.name!r}, {low} to {high}")
        return []
    return [f"theta_min: {low!r}", f"theta_max: {high!r}"]


def _drives(arm: Arm, found: list[str]) -> list[tuple[float, float, float, float]]:
    """Return Im, Gr, B and Cf of each joint; nothing when none has any."""
    out = []
    for joint in arm.joints:
        inertia, gear, viscous, coulomb = 0.0, 1.0, 0.0, 0.0
        if (motor := joint.motor) is not None and motor.gear:
            inertia, gear = motor.inertia, motor.gear
            viscous, coulomb = motor.viscous, motor.coulomb
        elif motor is not None:
            found.append(f"the drive of joint {joint.name!r}, whose gear is zero")
        if joint.damping or joint.friction:
            found.append(f"the friction of joint {joint.name!r} as its own: it is the drive's")
            viscous += joint.damping / gear**2
            coulomb += joint.friction / abs(gear)
        out.append((inertia, gear, viscous, coulomb))
    used = any(joint.motor is not None for joint in arm.joints)
    return out if used or any(row != (0.0, 1.0, 0.0, 0.0) for row in out) else []
