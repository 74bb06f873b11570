"""How far points are from solids, in long double: an oracle of distances."""

from __future__ import annotations

from typing import Any

import numpy as np

import handik as hk


def outside(shape: Any, x: Any) -> Any:
    """Return how far points (n, 3) are from a shape's solid, or from the axis of a capsule."""
    zero = np.longdouble(0)
    if isinstance(shape, hk.scene.Sphere):
        return np.sqrt((x * x).sum(1)) - np.longdouble(shape.radius)
    if isinstance(shape, hk.scene.Plane):
        return x[:, 2]
    if isinstance(shape, hk.scene.Capsule):
        half = np.longdouble(shape.length) / 2
        x = x - np.stack([0 * x[:, 0], 0 * x[:, 0], np.clip(x[:, 2], -half, half)], 1)
        return np.sqrt((x * x).sum(1)) - np.longdouble(shape.radius)
    if isinstance(shape, hk.scene.Box):
        half = np.array(shape.size, np.longdouble) / 2
        return np.sqrt((np.maximum(abs(x) - half, zero) ** 2).sum(1))
    a = np.array(shape.polygon, np.longdouble)
    u = np.roll(a, -1, 0) - a
    w = x[:, None, :2] - a
    t = np.clip((w * u).sum(-1) / (u * u).sum(-1), 0, 1)
    flat = ((w - t[..., None] * u) ** 2).sum(-1).min(1)
    flat[(u[:, 0] * w[..., 1] - u[:, 1] * w[..., 0] >= 0).all(1)] = 0
    high = np.maximum(np.maximum(x[:, 2] - np.longdouble(shape.height), -x[:, 2]), zero)
    return np.sqrt(flat + high * high)
