"""Bodies and drives as the rows of numbers that the C core takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.spec import InertialSpec, JointSpec, LinkSpec

__all__ = ["inertial_row", "inertial_rows", "motor_rows", "payload_row"]

Array = NDArray[np.float64]


def inertial_row(mass: float, center: ArrayLike, inertia: ArrayLike) -> Array:
    """Return mass, first moment, and inertia xx xy xz yy yz zz about the frame's origin.

    Parameters
    ----------
    mass : float
        Kilograms.
    center : array_like, shape (3,)
        Center of mass in the frame, meters.
    inertia : array_like, shape (3, 3)
        Inertia about the center of mass in the frame's axes, kg m2.
    """
    row = _rows(np.array([mass], float), np.array([center], float), np.array([inertia], float))
    return row.reshape(10)


def _rows(mass: Array, c: Array, inertia: Array) -> Array:
    """Return the rows (n, 10) of n bodies: the inertia about the center goes to the origin."""
    size = (c[:, 0] * c[:, 0] + c[:, 1] * c[:, 1] + c[:, 2] * c[:, 2])[:, None, None]
    about = inertia + mass[:, None, None] * (size * np.eye(3) - c[:, :, None] * c[:, None, :])
    return np.concatenate(
        [mass[:, None], mass[:, None] * c, about[:, 0], about[:, 1, 1:], about[:, 2, 2:]], axis=1
    )


def inertial_rows(links: Iterable[LinkSpec], names: Sequence[str]) -> Array | None:
    """Return the rows (n, 10) of the links of these names; None when nothing has mass."""
    bodies = {link.name: link.inertial for link in links if link.inertial is not None}
    if not bodies:
        return None
    rows = np.zeros((len(names), 10))
    at = [i for i, name in enumerate(names) if name in bodies]
    if at:
        found = [bodies[names[i]] for i in at]
        rows[at] = _rows(
            np.array([body.mass for body in found], float),
            np.concatenate([body.center for body in found], dtype=float).reshape(-1, 3),
            np.concatenate([body.inertia for body in found], dtype=float).reshape(-1, 3, 3),
        )
    return rows


def motor_rows(joints: Sequence[JointSpec]) -> Array | None:
    """Return rotor inertia, gear ratio, viscous and Coulomb friction (n, 4) of each joint's drive.

    Friction given at the joint's side is added to that of the drive. None when there is none.
    """
    if not any(joint.motor or joint.damping or joint.friction for joint in joints):
        return None
    rows = np.zeros((len(joints), 4))
    rows[:, 1] = 1.0
    for row, joint in zip(rows, joints, strict=True):
        if (motor := joint.motor) is not None and motor.gear:
            row[:] = motor.inertia, motor.gear, motor.viscous, motor.coulomb
        row[2] += joint.damping / row[1] ** 2
        row[3] += joint.friction / abs(row[1])
    return rows if np.any(rows[:, [0, 2, 3]]) else None


def payload_row(name: str, payload: object) -> Array:
    """Return the row (10,) of a payload: a mass, (mass, center), (mass, center, inertia) or a spec.

    Raises
    ------
    ArgumentError
        When it is none of these, or its mass is negative or a number is not finite.
    """
    if isinstance(payload, InertialSpec):
        payload = payload.mass, payload.center, payload.inertia
    given: list[Any] = list(payload) if isinstance(payload, (tuple, list)) else [payload]
    given += [np.zeros(3), np.zeros((3, 3))][len(given) - 1 :]
    try:
        mass = float(given[0]) if len(given) == 3 else np.nan
        center, inertia = np.asarray(given[1], float), np.asarray(given[2], float)
    except (TypeError, ValueError, IndexError):
        mass, center, inertia = np.nan, np.empty(0), np.empty(0)
    if len(given) != 3 or center.shape != (3,) or inertia.shape != (3, 3):
        raise ArgumentError(
            f"the payload at {name!r} must be a mass, (mass, center (3,)) or "
            "(mass, center (3,), inertia (3, 3))"
        )
    row = inertial_row(mass, center, inertia)
    if mass < 0 or not np.all(np.isfinite(row)):
        raise ArgumentError(f"the payload at {name!r} has a negative mass or a number not finite")
    return row
