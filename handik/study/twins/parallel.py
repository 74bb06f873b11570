"""NumPy twin of the Gough-Stewart platform: leg equations, Newton's method, Study's planes.

>>> from handik.study.twins.parallel import leg_planes, stewart_lengths, stewart_newton, study_point
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def stewart_lengths(base: Array, platform: Array, T: Array) -> Array:
    """Return ``|t + R b - a|`` of each leg, shape (6,)."""
    tips = T[:3, 3] + platform @ T[:3, :3].T
    return np.asarray(np.linalg.norm(tips - base, axis=1))


def stewart_jacobian(base: Array, platform: Array, T: Array) -> Array:
    """Return the rates of the lengths by (velocity of the origin, angular velocity), (6, 6)."""
    arm = platform @ T[:3, :3].T
    leg = T[:3, 3] + arm - base
    u = leg / np.linalg.norm(leg, axis=1)[:, None]
    return np.hstack([u, np.cross(arm, u)])


def rotation(v: Array) -> Array:
    """Return the rotation by a rotation vector (Rodrigues)."""
    angle = float(np.linalg.norm(v))
    x, y, z = v / angle if angle else v
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k))


def stewart_newton(
    base: Array, platform: Array, lengths: Array, T: Array, iterations: int = 30
) -> tuple[Array, bool]:
    """Find the pose with these lengths near T by plain Newton steps; the pose and whether it is.

    Source: Merlet, Parallel Robots (2006), section 4.9.
    """
    T = T.copy()
    for _ in range(iterations):
        error = lengths - stewart_lengths(base, platform, T)
        if np.abs(error).max() < 1e-13 * lengths.max():
            return T, True
        step = np.linalg.solve(stewart_jacobian(base, platform, T), error)
        T[:3, 3] += step[:3]
        T[:3, :3] = rotation(np.asarray(step[3:], float)) @ T[:3, :3]
    return T, False


def study_point(T: Array) -> Array:
    """Return (x, y) of a rigid motion: x the quaternion of R, y = t x / 2, shape (8,)."""
    r = T[:3, :3]
    k = np.array(
        [
            [np.trace(r), r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]],
            [0, 2 * r[0, 0] - np.trace(r), r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]],
            [0, 0, 2 * r[1, 1] - np.trace(r), r[1, 2] + r[2, 1]],
            [0, 0, 0, 2 * r[2, 2] - np.trace(r)],
        ]
    )
    x = np.linalg.eigh(k, UPLO="U")[1][:, -1]  # Bar-Itzhack (2000)
    t = T[:3, 3]
    y = np.array([-t @ x[1:], *(x[0] * t + np.cross(t, x[1:]))]) / 2
    return np.concatenate([x, y])


def study_quadrics(z: NDArray[np.complex128] | Array) -> NDArray[np.complex128]:
    """Return N, 4|y|^2, N t, N R't, N R (row-major) of a point with x.y = 0, shape (17,)."""
    x, y = z[:4], z[4:]
    w, v = x[0], x[1:]
    cross = np.cross(v, y[1:])
    plain = x[0] * y[1:] - y[0] * v
    skew = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    turn = (w * w - v @ v) * np.eye(3) + 2 * np.outer(v, v) + 2 * w * skew
    parts = [[x @ x, 4 * (y @ y)], 2 * (plain + cross), 2 * (plain - cross), turn.ravel()]
    return np.concatenate(parts).astype(complex)


def leg_planes(base: Array, platform: Array, lengths: Array) -> Array:
    """Return the six planes h with ``h . study_quadrics(z) = 0`` at every pose, shape (6, 17)."""
    rows = []
    for a, b, length in zip(base, platform, lengths, strict=True):
        k = a @ a + b @ b - length**2
        rows.append(np.concatenate([[k, 1], -2 * a, 2 * b, -2 * np.outer(a, b).ravel()]))
    return np.array(rows)
