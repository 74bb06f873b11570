"""Postures as the numbers of a last layer: inside the limits whatever those are; the derivative."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handik.model import Model
from handik.spec import Cone
from handik.spec.parts import room_of

__all__ = ["Outputs", "lengths"]

Array = NDArray[np.float64]
TURN, BALL = 0, 2


@dataclass(frozen=True)
class _Part:
    """Outputs of one coordinate or ball.

    `low` and `high` are the range of a line, `low` alone the middle of a circle; `row` is that of
    a cone in `Model.swing`.
    """

    kind: str
    at: slice
    q: int
    v: int
    low: float = 0.0
    high: float = 0.0
    row: Array | None = None


class Outputs:
    """How the numbers of the last layer become coordinates, and its derivative."""

    def __init__(self, model: Model, frame: str) -> None:
        self.model = model
        self.parts: list[_Part] = []
        seen: set[int] = set()
        s = int(model.frame_step[model.frame_names.index(frame)])
        chain = []
        while s >= 0:
            chain.append(s)
            s = int(model.step_parent[s])
        n = 0
        for s in chain[::-1]:
            q = int(model.step_q[s])
            if q in seen or (part := self._part(s, q, n)) is None:
                continue
            seen.add(q)
            self.parts.append(part)
            n = part.at.stop
        self.n = n

    def _part(self, s: int, q: int, n: int) -> _Part | None:
        model, v = self.model, int(self.model.step_v[s])
        if model.step_kind[s] == BALL:
            name = model.joint_names[int(model.step_joint[s])]
            if name in model.locked_joints:
                return None
            k = -1 if model.step_swing is None else int(np.ravel(model.step_swing)[s])
            if k < 0 or not _plain(room_of(model.ball_limits.get(name))):
                return _Part("quaternion", slice(n, n + 4), q, v)
            return _Part("cone", slice(n, n + 3), q, v, row=np.array(model.swing[k], float))
        low, high = float(model.lower[q]), float(model.upper[q])
        if not low < high:
            return None
        turn = model.step_kind[s] == TURN
        if turn and high - low >= 2 * np.pi:  # every direction, so no end to be stuck at
            middle = 0.5 * (low + high) if np.isfinite(high - low) else 0.0
            if np.isfinite(low) != np.isfinite(high):
                middle = low + np.pi if np.isfinite(low) else high - np.pi
            return _Part("circle", slice(n, n + 2), q, v, middle)
        wide = np.pi if turn else max(float(model.max_reach), 1e-9)
        if np.isinf(low):
            low = -wide if np.isinf(high) else high - 2 * wide
        if np.isinf(high):
            high = low + 2 * wide
        return _Part("line", slice(n, n + 1), q, v, low, high)

    def decode(self, y: Array) -> Array:
        """Return the coordinates (rows, nq) of outputs (rows, n); others are at rest."""
        q = np.repeat(self.model.rest[None], len(y), axis=0)
        for part in self.parts:
            own = y[:, part.at]
            if part.kind == "line":
                squashed = 0.5 * (1 + np.tanh(own[:, 0]))
                q[:, part.q] = part.low + (part.high - part.low) * squashed
            elif part.kind == "circle":
                q[:, part.q] = part.low + np.arctan2(own[:, 0], own[:, 1])
            elif part.kind == "cone":
                q[:, part.q : part.q + 4] = _cone_quaternion(_row(part), own)
            else:
                q[:, part.q : part.q + 4] = own / lengths(own)
        return q

    def back(self, y: Array, q: Array, g: Array) -> Array:
        """Gradient by the outputs, from that by the motion v (rows, nv) at q."""
        out = np.zeros_like(y)
        for part in self.parts:
            own = y[:, part.at]
            if part.kind == "line":
                slope = 0.5 * (part.high - part.low) * (1 - np.tanh(own[:, 0]) ** 2)
                out[:, part.at.start] = g[:, part.v] * slope
            elif part.kind == "circle":
                turn = (g[:, part.v] / np.sum(own**2, axis=1))[:, None]
                out[:, part.at] = turn * np.stack([own[:, 1], -own[:, 0]], axis=1)
            elif part.kind == "cone":
                out[:, part.at] = _cone_back(_row(part), own, g[:, part.v : part.v + 3])
            else:
                size, unit = lengths(own), q[:, part.q : part.q + 4]
                # v = 2 Im(conj(q) dq), so the gradient by q is 2 q (0, g); q = y / |y|
                by_q = 2 * _times(unit, np.insert(g[:, part.v : part.v + 3], 0, 0.0, axis=1))
                along = np.sum(by_q * unit, axis=1, keepdims=True)
                out[:, part.at] = (by_q - along * unit) / size
        return out


def _plain(room: object) -> bool:
    """Tell cones with one range of twist from rooms that the outputs do not describe."""
    return isinstance(room, Cone) and isinstance(room.twist, tuple)


def _row(part: _Part) -> Array:
    assert part.row is not None
    return part.row


def lengths(y: Array) -> Array:
    """Return the lengths of rows, (rows, 1), none of them zero."""
    size: Array = np.maximum(np.linalg.norm(y, axis=1, keepdims=True), 1e-12)
    return size


def _times(a: Array, b: Array) -> Array:
    """Products of quaternions, row by row."""
    w = a[:, 0] * b[:, 0] - np.sum(a[:, 1:] * b[:, 1:], axis=1)
    v = a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + np.cross(a[:, 1:], b[:, 1:])
    return np.concatenate([w[:, None], v], axis=1)


def _cone_quaternion(row: Array, y: Array) -> Array:
    """Quaternion of a swing in the cone and a twist in its range, from three numbers."""
    r = np.linalg.norm(y[:, :2], axis=1, keepdims=True)
    disc = y[:, :2] * np.where(r > 1e-6, np.tanh(r) / np.maximum(r, 1e-6), 1 - r**2 / 3)
    uv = disc * np.where(disc >= 0, row[9:11], row[11:13])
    angle = np.linalg.norm(uv, axis=1)
    k = 0.5 * np.sinc(angle / (2 * np.pi))
    swing = np.stack([np.cos(0.5 * angle), -k * uv[:, 1], k * uv[:, 0], 0 * angle], axis=1)
    twist = 0.5 * (row[13] + (row[14] - row[13]) * 0.5 * (1 + np.tanh(y[:, 2])))
    turn = np.stack([np.cos(twist), 0 * twist, 0 * twist, np.sin(twist)], axis=1)
    local = _times(swing, turn)
    return np.concatenate([local[:, :1], local[:, 1:] @ row[:9].reshape(3, 3).T], axis=1)


def _cone_back(row: Array, y: Array, g: Array) -> Array:
    """Gradient by the three numbers; the derivative of the quaternion is by differences."""
    h, q = 1e-6, _cone_quaternion(row, y)
    conjugate = q * np.array([1.0, -1.0, -1.0, -1.0])
    out = np.empty_like(y)
    for k in range(3):
        step = h * np.eye(3)[k]
        slope = (_cone_quaternion(row, y + step) - _cone_quaternion(row, y - step)) / (2 * h)
        out[:, k] = np.sum(2 * _times(conjugate, slope)[:, 1:] * g, axis=1)
    return out
