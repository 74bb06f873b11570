"""Limits of a ball: a swing cone of four half-axes and a range of twist, in NumPy.

A row of `Model.swing` holds the axes of the cone (3, 3) in the joint frame, the half-axes towards
+x, +y, -x, -y, and the lower and upper twist. A rotation is a swing after a twist about z.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .tree import Array, quat_mul

MOST = np.pi - 1e-5
"""Every room ends so far from rest: at the back of the sphere the twist has no meaning."""


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


def twist_range(row: Array, x: Array) -> tuple[float, float]:
    """Limits of the twist at a swing."""
    table = getattr(row, "table", None)
    if table is None:
        return float(row[13]), float(row[14])
    low, high = table.at(x[:2])
    return float(low), float(high)


def nearest_in_polygon(polygon: Any, x: Array) -> Array:
    """(u, v) of the nearest direction of a spherical polygon; of one inside, its own."""
    d = direction(np.asarray(x[:2], float))
    if polygon.distance(d) <= 1e-14:
        return np.array(x[:2], float)
    corner = polygon.directions()
    found = [corner]
    for a, b in zip(corner, np.roll(corner, -1, axis=0), strict=True):
        n = np.cross(a, b)
        p = d - n * (d @ n) / (n @ n)
        if np.linalg.norm(p) > 1e-12 and np.cross(a, p) @ n > 0 and np.cross(p, b) @ n > 0:
            found.append(p[None] / np.linalg.norm(p))
    points = np.concatenate(found)
    near = points[np.argmin(np.linalg.norm(points - d, axis=1))]
    flat = float(np.hypot(near[0], near[1]))
    uv: Array = near[:2] * (np.arctan2(flat, near[2]) / flat if flat > 1e-12 else 1.0)
    return uv


def excess(row: Array, x: Array) -> float:
    """Radians beyond the cone (by its ray or its slope) or beyond the range of twist; 0 inside."""
    polygon = getattr(row, "polygon", None)
    low, high = twist_range(row, x)
    a, b = half_axes(row, x)
    r = float(np.hypot(x[0] / a, x[1] / b))
    angle = float(np.hypot(x[0], x[1]))
    swing = 0.0
    if r > 1:
        slope = float(np.hypot(x[0] / a**2, x[1] / b**2))
        swing = min(angle * (1 - 1 / r), 0.5 * (r - 1) * (r + 1) / slope)
    if polygon is not None:
        swing = float(polygon.distance(direction(np.asarray(x[:2], float))))
    return max(swing, angle - MOST, low - float(x[2]), float(x[2]) - high, 0.0)


def clamp(row: Array, x: Array) -> Array:
    """Nearest (u, v, twist) inside, in the plane of angles, by bisection (Eberly 2013)."""
    out = np.array(x, float)
    a, b = half_axes(row, x)
    u, v = abs(float(x[0])), abs(float(x[1]))
    polygon = getattr(row, "polygon", None)
    if polygon is not None:  # which sees the direction alone: beyond the back it is another one
        most = MOST * (1 - 1e-14) / max(float(np.hypot(u, v)), MOST * (1 - 1e-14))
        out[:2] = nearest_in_polygon(polygon, out * most)
    elif (u / a) ** 2 + (v / b) ** 2 > 1:
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
    far = float(np.hypot(out[0], out[1]))
    if far > MOST:
        out[:2] *= MOST / far * (1 - 1e-14)
    out[2] = np.clip(x[2], *twist_range(row, out))
    return out


def direction(uv: Array) -> Array:
    """Where the swing (u, v), shape (..., 2), takes the bone, in the axes of the cone."""
    angle = np.hypot(uv[..., 0], uv[..., 1])
    k = np.sinc(angle / np.pi)
    return np.stack([k * uv[..., 0], k * uv[..., 1], np.cos(angle)], axis=-1)


def _edge_slope(a: float, b: float, phi: Array, d: Array) -> Array:
    """Return the derivative of ``d . p`` along a quadrant's edge, d folded into the quadrant."""
    s, c = np.sin(phi), np.cos(phi)
    x, y = a * c, b * s
    r = np.hypot(x, y)
    f = np.sinc(r / np.pi)
    z = r * r
    series = -1 / 6 + z * (1 / 60 + z * (-1 / 1680 + z * (1 / 90720 - z / 7983360)))
    df = np.where(r > 0.3, (np.cos(r) - f) / (2 * np.maximum(z, 0.09)), series)
    dz = 2 * (b * b - a * a) * s * c
    turn = d[1] * b * c - d[0] * a * s
    slope: Array = turn * f + (d[0] * x + d[1] * y) * df * dz - d[2] * f * dz / 2
    return slope


def nearest(row: Array, x: Array, count: int = 2049) -> Array:
    """(u, v) of the direction on the cone's edge that is nearest to that of an outside (u, v).

    By brute force: every maximum between `count` points of each quadrant, by bisection.
    """
    d = direction(np.asarray(x[:2], float))
    found: list[Array] = []
    for sx, sy in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
        side = np.array([sx, sy], float)
        a, b = half_axes(row, side)
        phi = np.linspace(0, np.pi / 2, count)
        folded = d * [sx, sy, 1]
        slope = _edge_slope(a, b, phi, folded)
        peaks = np.flatnonzero((slope[:-1] > 0) & (slope[1:] <= 0))
        low, high = phi[peaks], phi[peaks + 1]
        for _ in range(60):
            mid = 0.5 * (low + high)
            up = _edge_slope(a, b, mid, folded) > 0
            low, high = np.where(up, mid, low), np.where(up, high, mid)
        at = np.concatenate([low, [0.0, np.pi / 2]])
        if max(a, b) > MOST > min(a, b):  # where the edge ends at the back of the sphere
            sine = np.sqrt(abs(MOST**2 - a * a) / abs(b * b - a * a))
            at = np.append(at, np.arcsin(min(sine, 1.0)))
        uv = np.stack([a * np.cos(at), b * np.sin(at)], axis=-1)
        found.append((uv * side)[np.hypot(uv[:, 0], uv[:, 1]) <= MOST * (1 + 1e-15)])
    edge = np.concatenate(found)
    if len(edge) == 0:
        return np.array(x[:2], float)  # all directions are inside
    best: Array = edge[np.argmin(np.linalg.norm(direction(edge) - d, axis=1))]
    return best * (1 - 1e-14)


def project(row: Array, x: Array) -> Array:
    """(u, v, twist) inside: the nearest direction on the sphere, and the twist in its range."""
    a, b = half_axes(row, x)
    out = np.array(x, float)
    if getattr(row, "polygon", None) is None and np.hypot(x[0] / a, x[1] / b) > 1:
        out[:2] = nearest(row, x)
    return clamp(row, out)


def clamp_quat(row: Array, q: Array) -> Array:
    """Nearest quaternion inside the limits; one that is inside stays."""
    hold = getattr(row, "hold", None)
    if hold is not None:
        return np.array(hold, float)
    x = split(row, q)
    beyond = excess(row, x)
    rounding = 2e-15 / max(np.pi - float(np.hypot(x[0], x[1])), 1e-5)
    if not beyond > 1e-13 + rounding:
        return q
    return join(row, project(row, x) if beyond > 1e-9 else clamp(row, x))
