"""Damped descents of several goals on a tree, in NumPy: the twin of the lanes of ``auto``.

One start, step by step: rotations by ``2 sin(angle / 2)`` times the axis, balls with cones by
(u, v, twist), damping by the error, limits as an active set. How a swing turns the bone is taken by
differences of the quaternion, not by the closed form of the core. Angles to directions and
distances of points are rows by themselves, whatever shares a block with them in the core.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from . import swing
from .jacobian import ChordDescent, Rule, active_steps, columns_of
from .tree import Array, Goal, Tree, perpendicular, quat_mul
from .tree import unit as unit_vector


@dataclass(frozen=True)
class Between:
    """An angle or a distance that is to be from ``least`` to ``most``.

    Parameters
    ----------
    frame
        Index of the frame.
    least, most
        Radians or meters.
    axis, direction
        Of an angle: a vector in the frame, one in the world. None: it is a distance.
    point
        Of a distance: in the frame.
    other, other_point
        The other frame, None the world, and the point in it.
    weight
        Scales the error.
    """

    frame: int
    least: float
    most: float
    axis: tuple[float, float, float] | None = None
    direction: tuple[float, float, float] = (0.0, 0.0, 1.0)
    point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    other: int | None = None
    other_point: tuple[float, float, float] = (0.0, 0.0, 0.0)
    weight: float = 1.0

    def look(self, tree: Tree, q: Array) -> tuple[float, Array]:
        """How much too wide it is, and the way in which it grows; of an angle, the axis of it."""
        world = tree.world(q)
        r, p = tree.frame_pose(self.frame, world)
        if self.axis is not None:
            a, u = r @ unit_vector(np.array(self.axis)), unit_vector(np.array(self.direction))
            d = np.cross(u, a)
            size = float(np.linalg.norm(d))
            value, way = (
                float(np.arctan2(size, a @ u)),
                d / size if size > 1e-12 else perpendicular(u),
            )
        else:
            d = p + r @ np.array(self.point) - np.array(self.other_point)
            if self.other is not None:
                r, p = tree.frame_pose(self.other, world)
                d = d + np.array(self.other_point) - p - r @ np.array(self.other_point)
            value = float(np.linalg.norm(d))
            way = d / value if value > 0 else np.array([0.0, 0.0, 1.0])
        return value - min(max(value, self.least), self.most), way

    def slope(self, tree: Tree, q: Array) -> Array:
        """How what is between changes with v."""
        excess, way = self.look(tree, q)
        if excess == 0 and self.least < self.most:  # inside its room nothing pulls
            return np.zeros(tree.nv)
        if self.axis is not None:
            turned: Array = way @ tree.jacobian(q, self.frame)[3:]
            return turned
        out: Array = way @ point_rate(tree, q, self.frame, self.point)
        if self.other is not None:
            out = out - way @ point_rate(tree, q, self.other, self.other_point)
        return out

    def scale(self, length: float) -> float:
        """Return the weight of the row."""
        return self.weight / (length if self.axis is None else 1.0)


def point_rate(tree: Tree, q: Array, frame: int, point: Sequence[float]) -> Array:
    """Linear Jacobian (3, nv) of a point of a frame."""
    jacobian, world = tree.jacobian(q, frame), tree.world(q)
    arm = tree.frame_pose(frame, world)[0] @ np.array(point)
    out: Array = jacobian[:3] + np.cross(jacobian[3:].T, arm).T
    return out


def ellipse_room(ab: Array, x: Array, w: Array) -> tuple[float, float]:
    """How far down and up ``x + t w`` stays inside the ellipse of half-axes ``ab``."""
    p, r = x / ab, w / ab
    a, b, c = float(r @ r), float(p @ r), float(p @ p) - 1
    root = float(np.sqrt(max(b * b - a * c, 0.0)))
    return -max((root + b) / a, 0.0), max((root - b) / a, 0.0)


def chart(row: Array, x: Array) -> tuple[Array, Array, Array]:
    """Ways (2, 2) of the columns of a swing at ``x``; room down and up of these and the twist."""
    ab = np.array(swing.half_axes(row, x))
    n, far = x[:2] / ab**2, float(np.hypot(x[0], x[1]))
    size = float(np.hypot(n[0], n[1]))
    n = n / size if size > 1e-9 else np.array([1.0, 0.0])
    edge = float(np.sum((x[:2] / ab) ** 2)) > 1 - 1e-9
    if not edge and far > swing.MOST * (1 - 1e-9):
        n, edge = x[:2] / far, True
    along = np.array([-n[1], n[0]])
    low, high = swing.twist_range(row, x)
    sides = [ellipse_room(ab, x[:2], n), ellipse_room(ab, x[:2], along)]
    if edge:
        sides = [(sides[0][0], 0.0), (-np.inf, np.inf)]
    sides.append((min(low - x[2], 0.0), max(high - x[2], 0.0)))
    down, up = np.array(sides).T
    # the core keeps (u, v, twist), and stands on a limit where the quaternion is a rounding off it
    down[down > -1e-12], up[up < 1e-12] = 0.0, 0.0
    return np.array([n, along]), down, up


def turns(row: Array, x: Array, ways: Array) -> Array:
    """Rotation vectors (3, 3) in the ball's moved frame of unit moves of its three columns."""
    back = swing.join(row, x) * np.array([1.0, -1.0, -1.0, -1.0])
    out = np.zeros((3, 3))
    for k, way in enumerate((*np.column_stack([ways, [0.0, 0.0]]), np.array([0.0, 0.0, 1.0]))):
        h = 1e-5 * way
        rate = (swing.join(row, x + h) - swing.join(row, x - h)) / 2e-5
        out[k] = 2 * quat_mul(back, rate)[1:]
    return out


class TreeDescent(ChordDescent):
    """`ChordDescent` with balls that keep to cones, and with single rows below the goals."""

    def __init__(self, tree: Tree, goals: Sequence[Goal | Between], length: float) -> None:
        super().__init__(tree, [g for g in goals if isinstance(g, Goal)], length)
        self.single = [g for g in goals if isinstance(g, Between)]
        frames = [Goal(f) for g in self.single for f in (g.frame, g.other) if f is not None]
        self.columns = columns_of(tree, active_steps(tree, [*self.goals, *frames]), length)
        self.cones = {
            self.columns.q.index(int(tree.step_q[s])): row
            for s, row in tree.cones.items()
            if int(tree.step_q[s]) in self.columns.q
        }
        """Rows of limits by the first column of a ball."""

    def residual(self, q: Array) -> Array:
        """Present less wanted, of the goals and then of the single rows."""
        rows = [np.array([g.scale(self.length) * g.look(self.tree, q)[0] for g in self.single])]
        return np.concatenate([super().residual(q), *rows] if self.goals else rows)

    def jacobian(self, q: Array) -> Array:
        """Return J, the columns of cones by their charts."""
        rows = [super().jacobian(q)] if self.goals else []
        for g in self.single:
            slope = g.scale(self.length) * g.slope(self.tree, q)
            rows.append(slope[None, self.columns.v] * self.columns.unit)
        out = np.concatenate(rows)
        for k, row in self.cones.items():
            x = self.split(q, k)
            out[:, k : k + 3] = out[:, k : k + 3] @ turns(row, x, chart(row, x)[0]).T
        return out

    def split(self, q: Array, k: int) -> Array:
        """(u, v, twist) of the ball whose first column is ``k``."""
        at = self.columns.q[k]
        return swing.split(self.cones[k], q[at : at + 4])

    def room(self, q: Array) -> tuple[Array, Array]:
        """How far each column may go down and up."""
        down, up = super().room(q)
        for k, row in self.cones.items():
            down[k : k + 3], up[k : k + 3] = chart(row, self.split(q, k))[1:]
        return down, up

    def longest(self, free: npt.NDArray[np.intp], x: Array) -> float:
        """Longest move of a joint, of a ball by what of it is free."""
        squares: dict[int, float] = {}
        for k, move in zip(free, x, strict=True):
            at = self.columns.q[k]
            squares[at] = squares.get(at, 0.0) + float(move) ** 2
        return float(np.sqrt(max(squares.values())))

    def move(self, q: Array, x: Array) -> Array:
        """``q`` moved by the scaled step, inside the limits."""
        plain = np.array(x)
        for k in self.cones:
            plain[k : k + 3] = 0.0
        out = super().move(q, plain)
        for k, row in self.cones.items():
            at, old = self.columns.q[k], self.split(q, k)
            new = old + np.array([*(x[k : k + 2] @ chart(row, old)[0]), x[k + 2]])
            out[at : at + 4] = swing.join(row, swing.clamp(row, new))
        return out


def damped_rule(damping: float) -> Rule:
    """Shortest damped step: ``-J' (J J' + damping I)^-1 e``."""

    def rule(j: Array, e: Array) -> Array | None:
        return np.asarray(-j.T @ np.linalg.solve(j @ j.T + damping * np.eye(len(e)), e), float)

    return rule


def tree_descent(
    tree: Tree,
    goals: Sequence[Goal | Between],
    q: npt.ArrayLike,
    *,
    length: float,
    iterations: int,
) -> list[Array]:
    """Return the postures of one start, the start first.

    Parameters
    ----------
    tree
        The figure.
    goals
        What must hold, together.
    q
        Start (nq,), inside the limits.
    length
        Meters that weigh as much as a radian.
    iterations
        Steps to make. The core stops at the first posture that meets the goals.
    """
    d = TreeDescent(tree, goals, length)
    path = [np.array(q, float)]
    for _ in range(iterations):
        e = d.residual(path[-1])
        step = d.step(path[-1], damped_rule(0.02 * float(e @ e) + 1e-9), 1.0)
        if step is None:
            break
        path.append(d.move(path[-1], step))
    return path
