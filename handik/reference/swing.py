"""Limits of a ball: a swing cone of four half-axes and a range of twist, in NumPy.

A row of `Model.swing` holds the axes of the cone (3, 3) in the joint frame, the half-axes towards
+x, +y, -x, -y, and the lower and upper twist. A rotation is a swing after a twist about z.
"""

from __future__ import annotations

import numpy as np

from .tree import Array, quat_mul


def split(row: Array, q: Array) -> Array:
    """Quaternion in the joint frame to (u, v, twist)."""
    axes = row[:9].reshape(3, 3)
    q = -q if q[0] < 0 else q
    w, d = float(q[0]), axes.T @ q[1:]
    whole = float(np.hypot(w, d[2]))
    c, s = (w / whole, d[2] / whole) if whole > 1e-12 else (1.0, 0.0)
    x, y = d[0] * c - d[1] * s, d[1] * c + d[0] * s
    half = float(np.hypot(x, y))
    k = 2 * np.arctan2(half, whole) / half if half > 1e-8 else 2 / (whole if whole > 0.5 else 1)
    return np.array([k * y, -k * x, 2 * np.arctan2(s, c) if whole > 1e-12 else 0.0])


def join(row: Array, x: Array) -> Array:
    """(u, v, twist) to a unit quaternion in the joint frame."""
    axes = row[:9].reshape(3, 3)
    angle = float(np.hypot(x[0], x[1]))
    k = np.sin(angle / 2) / angle if angle > 1e-8 else 0.5
    swing = np.array([np.cos(angle / 2), -k * x[1], k * x[0], 0.0])
    turned = quat_mul(swing, np.array([np.cos(x[2] / 2), 0.0, 0.0, np.sin(x[2] / 2)]))
    return np.array([turned[0], *(axes @ turned[1:])])


def half_axes(row: Array, x: Array) -> tuple[float, float]:
    """Half-axes of the quadrant that (u, v) is in."""
    return (
        max(float(row[9] if x[0] >= 0 else row[11]), 1e-9),
        max(float(row[10] if x[1] >= 0 else row[12]), 1e-9),
    )


def excess(row: Array, x: Array) -> float:
    """Radians beyond the cone along its ray, or beyond the range of twist; 0 inside."""
    a, b = half_axes(row, x)
    r = float(np.hypot(x[0] / a, x[1] / b))
    swing = float(np.hypot(x[0], x[1])) * (1 - 1 / r) if r > 1 else 0.0
    return max(swing, float(row[13] - x[2]), float(x[2] - row[14]), 0.0)


def clamp(row: Array, x: Array) -> Array:
    """Nearest (u, v, twist) inside, in the plane of angles, by bisection (Eberly 2013)."""
    out = np.array(x, float)
    a, b = half_axes(row, x)
    u, v = abs(float(x[0])), abs(float(x[1]))
    if (u / a) ** 2 + (v / b) ** 2 > 1:
        low, high = 0.0, a * u + b * v
        for _ in range(200):
            t = 0.5 * (low + high)
            if (a * u / (t + a * a)) ** 2 + (b * v / (t + b * b)) ** 2 > 1:
                low = t
            else:
                high = t
        near = np.array([a * a * u / (low + a * a), b * b * v / (low + b * b)])
        near /= float(np.hypot(near[0] / a, near[1] / b))
        out[:2] = np.copysign(near, x[:2]) * (1 - 1e-14)
    out[2] = np.clip(x[2], row[13], row[14])
    return out


def clamp_quat(row: Array, q: Array) -> Array:
    """Nearest quaternion inside the limits; one that is inside stays."""
    x = split(row, q)
    return join(row, clamp(row, x)) if excess(row, x) > 1e-13 else q
