"""Readable NumPy twins of the dynamics: recursive Newton-Euler and composite bodies.

They are told in spatial vectors (angular above linear, R. Featherstone, *Rigid Body Dynamics
Algorithms*, 2008, tables 5.1 and 6.2), where the C works with accelerations of points, so that the
two share no formula. One posture at a time, no drives, no loads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from numpy.typing import NDArray

from .tree import BALL, SLIDE, TURN, cross_matrix, quat_to_mat, turn_z

__all__ = [
    "inverse_dynamics",
    "kinetic_energy",
    "mass_matrix",
    "potential_energy",
    "step_velocities",
]

Array = npt.NDArray[np.float64]


def _motion(model: Any, s: int, q: Array) -> tuple[Array, Array]:
    """Rotation and origin of the moved frame of step s in the moved frame above."""
    place = model.step_placement[s]
    r, p = place[:9].reshape(3, 3), place[9:].copy()
    at, (scale, offset) = model.step_q[s], model.step_line[s]
    if model.step_kind[s] == TURN:
        return r @ turn_z(scale * q[at] + offset), p
    if model.step_kind[s] == SLIDE:
        return r, p + r[:, 2] * (scale * q[at] + offset)
    return r @ quat_to_mat(q[at : at + 4]), p


def _to_child(r: Array, p: Array) -> Array:
    """Spatial motion transform from the frame above to the child at (r, p)."""
    x = np.zeros((6, 6))
    x[:3, :3] = x[3:, 3:] = r.T
    x[3:, :3] = -r.T @ cross_matrix(p)
    return x


def _axes(model: Any, s: int) -> tuple[Array, NDArray[np.int64]]:
    """Motion subspace (6, k) of step s and the columns of v it uses."""
    v, scale = model.step_v[s], model.step_line[s][0]
    if model.step_kind[s] == BALL:
        return np.eye(6)[:, :3], np.arange(v, v + 3)
    axis = np.zeros((6, 1))
    axis[2 if model.step_kind[s] == TURN else 5, 0] = scale
    return axis, np.array([v])


def _inertia(body: Array) -> Array:
    """Spatial inertia (6, 6) of mass, first moment and inertia about the origin."""
    xx, xy, xz, yy, yz, zz = body[4:]
    h = cross_matrix(body[1:4])
    top = np.hstack([np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), h])
    return np.vstack([top, np.hstack([h.T, body[0] * np.eye(3)])])


def _cross(v: Array) -> Array:
    """Matrix of the spatial cross product of motions."""
    out = np.zeros((6, 6))
    out[:3, :3] = out[3:, 3:] = cross_matrix(v[:3])
    out[3:, :3] = cross_matrix(v[3:])
    return out


def inverse_dynamics(
    model: Any, q: Array, v: Array, a: Array, gravity: Sequence[float] = (0.0, 0.0, -9.81)
) -> Array:
    """Compute the forces and torques (nv,) that give the accelerations a at q and v.

    Parameters
    ----------
    model
        Anything with the ``step_*`` arrays of a compiled model.
    q, v, a : ndarray, shape (nq,), (nv,), (nv,)
        Posture, velocity, acceleration.
    gravity : sequence of 3 floats
        Acceleration of a free fall, world axes.
    """
    count = len(model.step_parent)
    x, speed, gain, force = ([np.zeros(6)] * count for _ in range(4))
    tau = np.zeros(len(v))
    for s in range(count):
        up = model.step_parent[s]
        x[s] = _to_child(*_motion(model, s, q))
        axes, columns = _axes(model, s)
        above = speed[up] if up >= 0 else np.zeros(6)
        pull = gain[up] if up >= 0 else np.concatenate([np.zeros(3), -np.asarray(gravity, float)])
        own = axes @ v[columns]
        speed[s] = x[s] @ above + own
        gain[s] = x[s] @ pull + axes @ a[columns] + _cross(speed[s]) @ own
        inertia = _inertia(model.step_inertial[s])
        force[s] = inertia @ gain[s] - _cross(speed[s]).T @ (inertia @ speed[s])
    for s in reversed(range(count)):
        axes, columns = _axes(model, s)
        tau[columns] += axes.T @ force[s]
        if (up := model.step_parent[s]) >= 0:
            force[up] = force[up] + x[s].T @ force[s]
    return tau


def mass_matrix(model: Any, q: Array, nv: int) -> Array:
    """Mass matrix (nv, nv) by composite bodies."""
    count = len(model.step_parent)
    x = [_to_child(*_motion(model, s, q)) for s in range(count)]
    inertia = [_inertia(model.step_inertial[s]) for s in range(count)]
    out = np.zeros((nv, nv))
    for s in reversed(range(count)):
        if (up := model.step_parent[s]) >= 0:
            inertia[up] = inertia[up] + x[s].T @ inertia[s] @ x[s]
        axes, columns = _axes(model, s)
        force, at = inertia[s] @ axes, s
        out[np.ix_(columns, columns)] += axes.T @ force
        while (up := model.step_parent[at]) >= 0:
            force, at = x[at].T @ force, up
            other, rows = _axes(model, at)
            block = other.T @ force
            out[np.ix_(rows, columns)] += block
            out[np.ix_(columns, rows)] += block.T
    return out


def step_velocities(model: Any, q: Array, v: Array) -> list[Array]:
    """Spatial velocity of each step in its moved frame, angular above linear."""
    speed: list[Array] = []
    for s in range(len(model.step_parent)):
        up = model.step_parent[s]
        axes, columns = _axes(model, s)
        above = speed[up] if up >= 0 else np.zeros(6)
        speed.append(_to_child(*_motion(model, s, q)) @ above + axes @ v[columns])
    return speed


def kinetic_energy(model: Any, q: Array, v: Array) -> float:
    """Kinetic energy of the bodies, joules, without the rotors of drives."""
    speed = step_velocities(model, q, v)
    pairs = zip(speed, model.step_inertial, strict=True)
    return float(sum(0.5 * w @ _inertia(body) @ w for w, body in pairs))


def potential_energy(model: Any, q: Array, gravity: Sequence[float] = (0.0, 0.0, -9.81)) -> float:
    """Potential energy, joules, zero at the world's origin."""
    world: list[tuple[Array, Array]] = []
    total = 0.0
    for s, body in enumerate(model.step_inertial):
        r, p = _motion(model, s, q)
        if (up := model.step_parent[s]) >= 0:
            r, p = world[up][0] @ r, world[up][0] @ p + world[up][1]
        world.append((r, p))
        total -= float(np.asarray(gravity, float) @ (r @ body[1:4] + body[0] * p))
    return total
