"""Rotation matrices from Euler angles, quaternions and rotation vectors, and back; NumPy alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["euler_angles", "euler_turns", "quaternions_of", "vector_turns", "vectors_of"]

Array = NDArray[np.float64]

#: Sine of the middle angle, or its cosine where three axes differ, below which only the sum or the
#: difference of the other two is known.
_LOCK = 1e-9


def _about(axis: str, angle: Array) -> Array:
    """Return the turns (..., 3, 3) about x, y or z."""
    i = "xyz".index(axis)
    j, k = (i + 1) % 3, (i + 2) % 3
    out = np.zeros((*angle.shape, 3, 3))
    out[..., i, i] = 1.0
    out[..., j, j] = out[..., k, k] = np.cos(angle)
    out[..., k, j] = np.sin(angle)
    out[..., j, k] = -out[..., k, j]
    return out


def euler_turns(angles: Array, convention: str) -> Array:
    """Return the turns (..., 3, 3) of angles (..., 3) in one of the 24 conventions."""
    first, second, third = (
        _about(axis, angles[..., i]) for i, axis in enumerate(convention.lower())
    )
    # Axes that move along: each turn is made in the frame that the ones before it left.
    return first @ second @ third if convention.isupper() else third @ second @ first


def euler_angles(turns: Array, convention: str) -> Array:
    """Return the angles (..., 3) of turns (..., 3, 3); at gimbal lock the third is zero.

    The turn is R_i(a) R_j(b) R_k(c) about axes that move along; fixed axes are the same turns in
    the other order. a and b are read off the matrix, c off what they leave of it, so that the
    three give back the turn to rounding however near to gimbal lock it is; at lock, with the third
    zero, to twice `_LOCK`.
    """
    moving = convention.isupper()
    word = convention.lower() if moving else convention[::-1]
    i, j, k = ("xyz".index(axis) for axis in word)
    same = i == k
    if same:
        k = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    if same:  # the first axis, turned: cos b along i, sin b across it, at the azimuth a
        along, across = turns[..., i, i], np.hypot(turns[..., j, i], turns[..., k, i])
        b, lean = np.arctan2(across, along), across
        a = np.arctan2(turns[..., j, i], -sign * turns[..., k, i])
    else:
        lean = np.hypot(turns[..., j, k], turns[..., k, k])
        b = np.arctan2(sign * turns[..., i, k], lean)
        a = np.arctan2(-sign * turns[..., j, k], turns[..., k, k])
    locked = lean < _LOCK
    # There one of the two is free: it is the one that comes last in the convention's own order.
    alone = np.arctan2(sign * turns[..., k, j], turns[..., j, j]) if moving else 0.0
    a = np.where(locked, alone, a)
    left = np.swapaxes(_about(word[0], a) @ _about(word[1], b), -1, -2) @ turns
    at = "xyz".index(word[2])
    c = np.arctan2(left[..., (at + 2) % 3, (at + 1) % 3], left[..., (at + 1) % 3, (at + 1) % 3])
    if moving:
        c = np.where(locked, 0.0, c)
    found = (a, b, c) if moving else (c, b, a)
    return np.stack(found, axis=-1)


def quaternions_of(turns: Array) -> Array:
    """Return the unit quaternions w x y z of turns, with w not negative.

    Each component in turn may be nothing, but not the largest: that one's row of the products of
    components, which the matrix holds four times over, is the quaternion up to its length
    (Shepperd, J. Guidance and Control 1, 1978).
    """
    r = turns
    xx, yy, zz = r[..., 0, 0], r[..., 1, 1], r[..., 2, 2]
    wx, wy, wz = (
        r[..., 2, 1] - r[..., 1, 2],
        r[..., 0, 2] - r[..., 2, 0],
        r[..., 1, 0] - r[..., 0, 1],
    )
    xy, xz, yz = (
        r[..., 1, 0] + r[..., 0, 1],
        r[..., 2, 0] + r[..., 0, 2],
        r[..., 2, 1] + r[..., 1, 2],
    )
    rows = np.stack(
        [
            np.stack([1 + xx + yy + zz, wx, wy, wz], axis=-1),
            np.stack([wx, 1 + xx - yy - zz, xy, xz], axis=-1),
            np.stack([wy, xy, 1 - xx + yy - zz, yz], axis=-1),
            np.stack([wz, xz, yz, 1 - xx - yy + zz], axis=-1),
        ],
        axis=-2,
    )
    largest = np.diagonal(rows, axis1=-2, axis2=-1).argmax(axis=-1)
    q = np.take_along_axis(rows, largest[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return np.asarray(np.where(q[..., :1] < 0, -q, q))


def vector_turns(vectors: Array) -> Array:
    """Return the quaternions of rotation vectors (..., 3)."""
    angle = np.linalg.norm(vectors, axis=-1, keepdims=True)
    share = 0.5 * np.sinc(0.5 * angle / np.pi)  # sin(angle / 2) / angle
    return np.concatenate([np.cos(0.5 * angle), share * vectors], axis=-1)


def vectors_of(turns: Array) -> Array:
    """Return the rotation vectors of turns, of length at most pi."""
    q = quaternions_of(turns)
    half = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(half, q[..., :1])
    share = np.where(half > 0, angle / np.where(half > 0, half, 1.0), 2.0)
    return np.asarray(share * q[..., 1:])
