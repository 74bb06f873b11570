"""Rotations of ball joints: drawn inside their rooms, made from swing and twist."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.spec import JointSpec
from handik.spec.limits import ReachCone, TwistTable
from handik.spec.parts import room_of

Array = NDArray[np.float64]

#: Draws for a swing in a polygon; rows of draws that are kept at most.
_TRIES, MOST_KEPT = 1000, 4096


def sample_room(joint: JointSpec, row: Array, rows: int, rng: np.random.Generator) -> Array:
    """Quaternions inside the limits of a ball: a swing, then a twist in its range there."""
    if joint.hold is not None:
        return np.tile(joint.hold, (rows, 1))
    room = room_of(joint.cone)
    uv = _drawn(room, rows, rng) if isinstance(room, ReachCone) else _in_cone(row, rows, rng)
    low, high = row[13], row[14]
    if room is not None and isinstance(room.twist, TwistTable):
        low, high = room.twist.at(uv)
    return swung(row, uv, rng.uniform(low, high, size=rows))


_last: OrderedDict[Any, tuple[Array, Any]] = OrderedDict()
_lock = Lock()


def _drawn(room: ReachCone, rows: int, rng: np.random.Generator) -> Array:
    """Swings in a polygon, the last few kept: people of one set of ranges have the same room.

    The generator is left as if it had drawn them.
    """
    if rows > MOST_KEPT:
        return _in_polygon(room, rows, rng)
    state = rng.bit_generator.state
    key = (room.directions().tobytes(), rows, repr(state))
    with _lock:
        found = _last.get(key)
    if found is None:
        found = _in_polygon(room, rows, rng), rng.bit_generator.state
        with _lock:
            _last[key] = found
            if len(_last) > 32:
                _last.popitem(last=False)
    else:
        rng.bit_generator.state = found[1]
    return found[0].copy()


def _in_polygon(room: ReachCone, rows: int, rng: np.random.Generator) -> Array:
    """Swings uniform in the area of a polygon, by rejection from the sphere or a cap of it.

    Of a room so thin that hardly any draw meets it, the rest are corners.
    """
    corners = room.directions()
    middle = corners.sum(axis=0)
    size = float(np.linalg.norm(middle))
    middle = middle / size if size > 1e-6 else np.array([0.0, 0.0, 1.0])
    least = float((corners @ middle).min())
    if size <= 1e-6 or least <= 0 or room.distance(-middle) <= 0:
        least = -1.0
    side = np.linalg.svd(middle[None])[2][1:]
    found = np.empty((0, 3))
    count, drawn = 2 * rows + 64, 0
    while len(found) < rows and drawn < _TRIES * (rows + 64):
        if drawn >= 8 * (2 * rows + 64):
            count = min(2 * count, 1 << 15)  # a thin room: fewer rounds, longer ones
        drawn += count
        c, azimuth = rng.uniform(least, 1.0, count), rng.uniform(0.0, 2 * np.pi, count)
        s = np.sqrt(1 - c * c)
        draw = np.stack([c, s * np.cos(azimuth), s * np.sin(azimuth)], axis=1)
        draw = draw @ np.vstack([middle, side])
        keep = (room.distance(draw) <= 0) & (draw[:, 2] > -np.cos(1e-5))
        found = np.concatenate([found, draw[keep]])
    if len(found) < rows:
        found = np.concatenate([found, corners[rng.integers(len(corners), size=rows)]])
    found = found[:rows]
    flat = np.hypot(found[:, 0], found[:, 1])
    angle = np.arctan2(flat, found[:, 2])
    uv: Array = found[:, :2] * (angle / np.maximum(flat, 1e-300))[:, None]
    return uv


def _in_cone(row: Array, rows: int, rng: np.random.Generator) -> Array:
    """Swings uniform in the plane of angles of a cone."""
    half = row[9:13]
    uv = np.empty((0, 2))
    most = np.pi - 1e-5  # at the back of the sphere the twist has no meaning
    wide = np.minimum(half, most)
    while len(uv) < rows:
        draw = rng.uniform(-wide[2:], wide[:2], size=(2 * rows + 8, 2))
        scaled = draw / np.maximum(np.where(draw >= 0, half[:2], half[2:]), 1e-9)
        inside = (np.sum(scaled**2, axis=1) <= 1) & (np.sum(draw**2, axis=1) <= most**2)
        uv = np.concatenate([uv, draw[inside]])
    return uv[:rows]


def swung(row: Array, uv: Array, twist: Array) -> Array:
    """Quaternions of swings (n, 2) after twists (n,), in the joint's frame."""
    angle = np.linalg.norm(uv, axis=1)
    axis = np.stack([-uv[:, 1], uv[:, 0]], axis=1) * (0.5 * np.sinc(angle / (2 * np.pi)))[:, None]
    twist = 0.5 * twist
    c, s, w = np.cos(twist), np.sin(twist), np.cos(0.5 * angle)
    local = np.stack(
        [axis[:, 0] * c + axis[:, 1] * s, axis[:, 1] * c - axis[:, 0] * s, w * s], axis=1
    )
    return np.concatenate([(w * c)[:, None], local @ row[:9].reshape(3, 3).T], axis=1)


def unit_quaternion(name: str, value: Array) -> tuple[float, float, float, float]:
    """Return four numbers as a rotation, or say which lock they are wrong for."""
    size = float(np.linalg.norm(value))
    if not 1e-6 < size < np.inf:
        raise ArgumentError(f"lock of {name!r}: {value!r} is no rotation")
    w, x, y, z = (value / size).tolist()
    return w, x, y, z
