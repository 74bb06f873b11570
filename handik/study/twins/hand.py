"""A hand for which there is no room, proved in NumPy with shapes of its own.

What is fixed to the hand is balls, from the tip. Cells of its turns (a square of a cube's face for
the way of its z, and an interval of roll) are looked at width first, each by itself; one is closed
where a ball is deeper in an obstacle than it can move within the cell. It shares nothing with the
core, and so checks it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from handik.scene.check._world import convex_pieces
from handik.scene.shapes import Box, Capsule, Cylinder, Plane, Prism, Sphere

from .tree import Array

SLACK, FINEST = 1e-7, 1e-4
#: The tangent of half of the angle between a face's middle and its corner.
TWIST = 0.5177


def _to_polygon(polygon: Array, x: Array) -> Any:
    """Signed distances of points (n, 2) to a convex polygon, counterclockwise."""
    a, b = polygon, np.roll(polygon, -1, axis=0)
    way = b - a
    out = np.column_stack([way[:, 1], -way[:, 0]]) / np.linalg.norm(way, axis=1)[:, None]
    off = x[:, None] - a
    line = (off * out).sum(-1).max(axis=1)
    share = np.clip((off * way).sum(-1) / (way * way).sum(-1), 0, 1)
    edge = np.linalg.norm(off - share[..., None] * way, axis=-1).min(axis=1)
    return np.where(line <= 0, line, edge)


def _product(across: Array, along: Array) -> Any:
    both = np.stack([across, along])
    return np.asarray(
        np.where(both.max(axis=0) <= 0, both.max(axis=0), np.hypot(*np.maximum(both, 0)))
    )


def gaps(shape: Any, pose: Array, points: Array) -> Any:
    """Signed distances of points (n, 3) to a shape: of its convex part that they are deepest in."""
    x = (points - pose[:3, 3]) @ pose[:3, :3]
    if isinstance(shape, Sphere):
        return np.linalg.norm(x, axis=1) - shape.radius
    if isinstance(shape, Capsule):
        x[:, 2] -= np.clip(x[:, 2], -shape.length / 2, shape.length / 2)
        return np.linalg.norm(x, axis=1) - shape.radius
    if isinstance(shape, Box):
        d = np.abs(x) - np.array(shape.size) / 2
        return np.where(d.max(axis=1) <= 0, d.max(axis=1), np.linalg.norm(np.maximum(d, 0), axis=1))
    if isinstance(shape, Plane):
        return x[:, 2]
    if isinstance(shape, Cylinder):
        return _product(
            np.hypot(x[:, 0], x[:, 1]) - shape.radius, np.abs(x[:, 2]) - shape.length / 2
        )
    if isinstance(shape, Prism):
        flat = np.min(
            [_to_polygon(np.array(piece), x[:, :2]) for piece in convex_pieces(shape.polygon)],
            axis=0,
        )
        return _product(flat, np.abs(x[:, 2] - shape.height / 2) - shape.height / 2)
    return np.full(len(points), np.inf)


def _turns(face: Any, at: Any) -> Any:
    """Rotations (n, 3, 3) that take z to a direction of a face by the least angle, then face it."""
    w = np.column_stack([at, np.ones(len(at))])
    w /= np.linalg.norm(w, axis=1)[:, None]
    x, y, c = w.T
    k = 1 / (1 + c)
    turn = np.array([[1 - k * x * x, -k * x * y, x], [-k * x * y, 1 - k * y * y, y], [-x, -y, c]])
    turn = np.moveaxis(turn, -1, 0)
    sign, axis, rows = np.where(face < 3, 1.0, -1.0), face % 3, np.arange(len(at))
    out = np.empty_like(turn)
    out[rows, axis] = sign[:, None] * turn[:, 2]
    out[rows, (axis + 1) % 3] = turn[:, 0]
    out[rows, (axis + 2) % 3] = sign[:, None] * turn[:, 1]
    return out


def _rolled(face: Any, at: Any) -> Any:
    turn, roll = _turns(face, at[:, :2]), np.pi * at[:, 2]
    c, s = np.cos(roll), np.sin(roll)
    zero, one = np.zeros_like(c), np.ones_like(c)
    about = np.array([[c, -s, zero], [s, c, zero], [zero, zero, one]])
    return turn @ np.moveaxis(about, -1, 0)


def blocked(
    obstacles: Any, balls: Array, target: Array, tolerance: float, give: float, cells: int
) -> tuple[bool, int]:
    """Tell whether every turn of the balls (m, 4) about a target touches something, and the cells.

    Each overlap has to be deeper than `give`, wherever within `tolerance` the tip is. The first
    cell that can be neither closed nor cut ends it, as do more than `cells`.
    """
    arm, side = np.linalg.norm(balls[:, :3], axis=1), np.linalg.norm(balls[:, :2], axis=1)
    face: Any = np.arange(6)
    at: Any = np.zeros((6, 3))
    half: Any = np.ones((6, 3))
    count = 0
    while len(face):
        count += len(face)
        if count > cells:
            return False, count
        least = np.maximum(np.abs(at[:, :2]) - half[:, :2], 0)
        per = 1 / np.sqrt(1 + (least**2).sum(axis=1))
        spread = per * np.hypot(half[:, 0], half[:, 1])
        roll = np.pi * half[:, 2]
        moves = arm * spread[:, None] + side * (TWIST * spread + roll)[:, None]
        moves = np.minimum(moves, 2 * arm) + tolerance
        points = target + np.einsum("nij,mj->nmi", _rolled(face, at), balls[:, :3])
        deep = np.full(len(face), -np.inf)
        for one in obstacles:
            gap = gaps(one.shape, one.pose, points.reshape(-1, 3)).reshape(moves.shape)
            deep = np.maximum(deep, (balls[:, 3] - give - gap - moves).max(axis=1))
        left = deep <= SLACK
        face, at, half, per = face[left], at[left], half[left], per[left]
        share = np.column_stack(
            [arm.max() * per[:, None] * half[:, :2], side.max() * np.pi * half[:, 2]]
        )
        axis = np.argmax(share, axis=1)
        if len(face) and share.max(axis=1).min() <= FINEST:
            return False, count
        rows = np.arange(len(face))
        half[rows, axis] /= 2
        step = np.zeros_like(at)
        step[rows, axis] = half[rows, axis]
        face, half = np.concatenate([face, face]), np.concatenate([half, half])
        at = np.concatenate([at - step, at + step])
    return True, count
