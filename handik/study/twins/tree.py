"""The joint tree as a list of steps, in NumPy: kinematics, goals and their errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
TURN, SLIDE, BALL = 0, 1, 2
#: What a squared radian counts in squared lengths of the figure.
TURN_SHARE = 0.03

_DOUBLES = (
    "step_line",
    "step_limit",
    "step_placement",
    "frame_placement",
    "lower",
    "upper",
    "rest",
)
_INTS = ("step_parent", "step_kind", "step_q", "step_v", "frame_step")

#: Exponents of x, y, z in the 20 terms of a joint that follows a swing.
_POWERS = np.array(
    [(x, y, n - x - y) for n in range(4) for x in range(n, -1, -1) for y in range(n - x, -1, -1)]
)


def cross_matrix(v: Array) -> Array:
    """Matrix of ``v x``."""
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def turn_z(angle: float) -> Array:
    """Rotation about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def axis_rotation(axis: Array, c: float, s: float) -> Array:
    """Rotation about a unit axis by the angle of this cosine and sine (Rodrigues)."""
    k = cross_matrix(axis)
    out: Array = np.eye(3) + s * k + (1.0 - c) * (k @ k)
    return out


def perpendicular(a: Array) -> Array:
    """Return a unit vector at right angles to ``a``: a crossed with the axis it leans on least."""
    e = np.zeros(3)
    e[int(np.argmin(np.abs(a)))] = 1.0
    c = np.cross(a, e)
    out: Array = c / np.linalg.norm(c)
    return out


def minimal_rotation(x: Array, y: Array) -> Array:
    """Smallest rotation taking unit vector x onto unit vector y; opposite vectors: a half turn."""
    c = float(x @ y)
    if c > -0.999999999999:
        k = cross_matrix(np.cross(x, y))
        out: Array = np.eye(3) + k + (k @ k) / (1.0 + c)
        return out
    return axis_rotation(perpendicular(x), -1.0, 0.0)


def quat_mul(a: Array, b: Array) -> Array:
    """Product of quaternions w x y z."""
    w = a[0] * b[0] - a[1:] @ b[1:]
    v = a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
    return np.array([w, *v])


def quat_to_mat(q: Array) -> Array:
    """Rotation matrix of a quaternion that need not be of unit length."""
    w, v = q[0], q[1:]
    n = float(q @ q)
    k = cross_matrix(v)
    out: Array = np.eye(3) + (2.0 / n) * (w * k + k @ k) if n > 0 else np.eye(3)
    return out


def quat_from_mat(r: Array) -> Array:
    """Return the unit quaternion of a rotation matrix, by Shepperd's choice of the largest part."""
    t = float(np.trace(r))
    i = int(np.argmax([t, r[0, 0], r[1, 1], r[2, 2]]))
    if i == 0:
        q = np.array([1.0 + t, r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]])
    else:
        i -= 1
        j, k = (i + 1) % 3, (i + 2) % 3
        q = np.empty(4)
        q[0] = r[k, j] - r[j, k]
        q[1 + i] = 1.0 + r[i, i] - r[j, j] - r[k, k]
        q[1 + j] = r[j, i] + r[i, j]
        q[1 + k] = r[k, i] + r[i, k]
        if q[0] < 0:
            q = -q
    out: Array = q / np.linalg.norm(q)
    return out


def quat_exp(v: Array) -> Array:
    """Quaternion of a rotation vector."""
    n = float(np.linalg.norm(v))
    k = np.sin(n / 2) / n if n > 1e-8 else 0.5 - n * n / 48
    return np.array([np.cos(n / 2), *(k * v)])


def quat_log(q: Array) -> Array:
    """Rotation vector, of length at most pi, of a unit quaternion."""
    sign = -1.0 if q[0] < 0 else 1.0
    s, w = float(np.linalg.norm(q[1:])), sign * float(q[0])
    k = 2 * np.arctan2(s, w) / s if s > 1e-8 else 2 / w
    out: Array = sign * k * q[1:]
    return out


def unit(v: Array) -> Array:
    """``v`` over its length; a zero vector stays zero."""
    n = float(np.linalg.norm(v))
    return v / n if n > 0 else np.zeros(3)


class Room(np.ndarray[Any, np.dtype[np.float64]]):
    """A row of `Model.swing` with what a row cannot hold: polygon, twist table, hold."""

    polygon: Any
    table: Any
    hold: Any

    @classmethod
    def of(cls, row: Array, room: Any, hold: Any) -> Room:
        """Return a row with the room of a joint and the quaternion it is held at."""
        out = np.array(row, float).view(cls)
        out.polygon = room if hasattr(room, "corners") else None
        out.table = room.twist if hasattr(getattr(room, "twist", None), "rows") else None
        out.hold = None if hold is None else np.array(hold, float)
        return out


class Tree:
    """A joint tree as steps, parents first, from the arrays of a compiled model.

    Parameters
    ----------
    source
        A mapping or an object with the arrays ``step_parent``, ``step_kind``, ``step_q``,
        ``step_v``, ``step_line``, ``step_limit``, ``step_placement``, ``frame_step``,
        ``frame_placement``, ``lower``, ``upper``, ``rest``.
    """

    step_parent: npt.NDArray[np.int32]
    step_kind: npt.NDArray[np.int32]
    step_q: npt.NDArray[np.int32]
    step_v: npt.NDArray[np.int32]
    frame_step: npt.NDArray[np.int32]
    step_line: Array
    step_limit: Array
    step_placement: Array
    frame_placement: Array
    lower: Array
    upper: Array
    rest: Array

    def __init__(self, source: Mapping[str, Any] | object) -> None:
        for names, kind in ((_DOUBLES, np.float64), (_INTS, np.int32)):
            for name in names:
                value = source[name] if isinstance(source, Mapping) else getattr(source, name)
                setattr(self, name, np.array(value, dtype=kind))
        self.step_placement = self.step_placement.reshape(-1, 12)
        self.frame_placement = self.frame_placement.reshape(-1, 12)
        self.step_line = self.step_line.reshape(-1, 2)
        self.step_limit = self.step_limit.reshape(-1, 2)
        self.follow: dict[int, Array] = {}
        """Bone and coefficients of the steps that follow the swing of a ball."""
        if not isinstance(source, Mapping) and hasattr(source, "follow"):
            swings = np.array(getattr(source, "follow"), float).reshape(-1, 23)  # noqa: B009
            rows = np.ravel(getattr(source, "step_follow"))  # noqa: B009
            self.follow = {s: swings[k] for s, k in enumerate(rows) if k >= 0}
        cones = (None, None)
        if not isinstance(source, Mapping) and hasattr(source, "swing"):
            cones = getattr(source, "step_swing"), getattr(source, "swing")  # noqa: B009
        self.n_step = len(self.step_parent)
        self.cones: dict[int, Array] = {}
        """Rows of limits of the steps that are limited balls."""
        if cones[0] is not None:
            rows = np.array(cones[1], float).reshape(-1, 15)
            self.cones = {s: rows[k] for s, k in enumerate(np.ravel(cones[0])) if k >= 0}
            rooms, held = getattr(source, "ball_limits", {}), getattr(source, "locked_joints", {})
            for s, row in self.cones.items():
                name = getattr(source, "joint_names")[getattr(source, "step_joint")[s]]  # noqa: B009
                self.cones[s] = Room.of(row, rooms.get(name), held.get(name))
        self.nq = len(self.lower)
        widths = np.where(self.step_kind == BALL, 3, 1)
        self.nv = int((self.step_v + widths).max()) if self.n_step else 0

    @classmethod
    def build(
        cls,
        steps: list[tuple[int, int, Any, Any, float, float]],
        frames: list[tuple[int, Any, Any]],
    ) -> Tree:
        """Build from rows (parent, kind, rotation, position, lower, upper) and frames.

        A frame is (step, rotation, position); a rotation may be None for the identity.
        """
        lower: list[float] = []
        upper: list[float] = []
        step_q, step_v, v = [], [], 0
        for _, kind, _, _, low, high in steps:
            step_q.append(len(lower))
            step_v.append(v)
            v += 3 if kind == BALL else 1
            lower += [-np.inf] * 4 if kind == BALL else [low]
            upper += [np.inf] * 4 if kind == BALL else [high]
        rest = np.clip(np.zeros(len(lower)), lower, upper)
        for s, row in enumerate(steps):
            if row[1] == BALL:
                rest[step_q[s]] = 1.0

        def twelve(r: Any, p: Any) -> list[float]:
            rotation = np.eye(3) if r is None else np.asarray(r, float)
            return [*rotation.ravel(), *np.asarray(p, float)]

        return cls(
            {
                "step_parent": [s[0] for s in steps],
                "step_kind": [s[1] for s in steps],
                "step_q": step_q,
                "step_v": step_v,
                "step_line": [[1.0, 0.0]] * len(steps),
                "step_limit": [[s[4], s[5]] for s in steps],
                "step_placement": [twelve(s[2], s[3]) for s in steps],
                "frame_step": [f[0] for f in frames],
                "frame_placement": [twelve(f[1], f[2]) for f in frames],
                "lower": lower,
                "upper": upper,
                "rest": rest,
            }
        )

    def place(self, s: int) -> tuple[Array, Array]:
        """Rotation and position of the unmoved frame of step s in the moved frame above."""
        return self.step_placement[s, :9].reshape(3, 3), self.step_placement[s, 9:]

    def frame_place(self, frame: int) -> tuple[Array, Array]:
        """Rotation and position of a frame in the moved frame of its step."""
        return self.frame_placement[frame, :9].reshape(3, 3), self.frame_placement[frame, 9:]

    def value(self, s: int, q: Array) -> float:
        """Own coordinate of a turn or slide."""
        if s in self.follow:
            d = self.swing(s, q)[0]
            return float(self.follow[s][3:] @ np.prod(d**_POWERS, axis=1))
        return float(self.step_line[s, 0] * q[self.step_q[s]] + self.step_line[s, 1])

    def swing(self, s: int, q: Array) -> tuple[Array, Array]:
        """Where the bone of the ball points that step s follows, and the ball's rotation."""
        i = self.step_q[s]
        turn = quat_to_mat(q[i : i + 4])
        return turn @ self.follow[s][:3], turn

    def rates(self, s: int, q: Array) -> Array:
        """Rates of the own coordinate of a turn or slide by v: one, or the ball's three."""
        if s not in self.follow:
            return self.step_line[s, :1]
        d, turn = self.swing(s, q)
        slope = np.zeros(3)
        for k in range(3):
            less = np.maximum(_POWERS - np.eye(3, dtype=int)[k], 0)
            slope[k] = self.follow[s][3:] @ (_POWERS[:, k] * np.prod(d**less, axis=1))
        # the ball's own axis i moves d by (axis i) x d
        return np.array([slope @ np.cross(turn[:, i], d) for i in range(3)])

    def set_value(self, s: int, value: float, q: Array) -> None:
        """Write the own coordinate of a turn or slide into q, in place."""
        i = self.step_q[s]
        scale, offset = self.step_line[s]
        q[i] = (value - offset) / scale
        if scale != 1 or offset != 0:
            q[i] = np.clip(q[i], self.lower[i], self.upper[i])

    def unwrapped(self, start: Array, q: Array) -> Array:
        """``q`` whose turns that are free by whole ones are as near to ``start`` as limits allow.

        The core's driver does so with every answer.
        """
        out = np.array(q, float)
        for i in np.flatnonzero(np.abs(start - out) > np.pi):
            steps = np.flatnonzero(np.asarray(self.step_q) == i)
            rates = np.asarray(self.step_line)[steps, 0]
            if any(self.step_kind[s] != TURN for s in steps) or (rates != np.floor(rates)).any():
                continue
            low, high = (np.array([self.lower[i], self.upper[i]]) - out[i]) / (2 * np.pi)
            turns = np.clip(
                np.floor((start[i] - out[i]) / (2 * np.pi) + 0.5), np.ceil(low), np.floor(high)
            )
            out[i] += 2 * np.pi * turns
        return out

    def chain(self, frame: int) -> list[int]:
        """List the steps from the root to the one that carries the frame."""
        out, s = [], int(self.frame_step[frame])
        while s >= 0:
            out.append(s)
            s = int(self.step_parent[s])
        return out[::-1]

    def move(self, s: int, q: Array, world: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        """Return the moved frame of step s in the world, given those above it."""
        parent = int(self.step_parent[s])
        r, o = self.place(s)
        x = o
        if parent >= 0:
            above, at = world[parent]
            r, x = above @ r, at + above @ o
        if self.step_kind[s] == TURN:
            return r @ turn_z(self.value(s, q)), x
        if self.step_kind[s] == SLIDE:
            return r, x + r[:, 2] * self.value(s, q)
        i = self.step_q[s]
        return r @ quat_to_mat(q[i : i + 4]), x

    def world(self, q: Array) -> list[tuple[Array, Array]]:
        """Return the moved frames of all steps."""
        out: list[tuple[Array, Array]] = []
        for s in range(self.n_step):
            out.append(self.move(s, q, out))
        return out

    def frame_pose(self, frame: int, world: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        """Rotation and position of a frame from the moved frames."""
        r, p = self.frame_place(frame)
        s = int(self.frame_step[frame])
        if s < 0:
            return r, p
        return world[s][0] @ r, world[s][1] + world[s][0] @ p

    def fk(self, q: Array, frame: int) -> Array:
        """Pose of a frame, (4, 4)."""
        out = np.eye(4)
        out[:3, :3], out[:3, 3] = self.frame_pose(frame, self.world(q))
        return out

    def jacobian(self, q: Array, frame: int) -> Array:
        """Jacobian (6, nv) of a frame: linear above angular, world axes at its origin."""
        world = self.world(q)
        point = self.frame_pose(frame, world)[1]
        out = np.zeros((6, self.nv))
        for s in self.chain(frame):
            r, x = world[s]
            v, kind = int(self.step_v[s]), self.step_kind[s]
            if kind != BALL:
                rates = self.rates(s, q)
                own = slice(v, v + len(rates))
            if kind == SLIDE:
                out[:3, own] += np.outer(r[:, 2], rates)
            elif kind == TURN:
                out[:3, own] += np.outer(np.cross(r[:, 2], point - x), rates)
                out[3:, own] += np.outer(r[:, 2], rates)
            else:
                out[:3, v : v + 3] += np.cross(r.T, point - x).T
                out[3:, v : v + 3] += r
        return out

    def integrate(self, q: Array, v: Array) -> Array:
        """``q`` moved by ``v``; balls by R <- R exp(v)."""
        out = np.array(q, float)
        done: set[int] = set()
        for s in range(self.n_step):
            i, k = int(self.step_q[s]), int(self.step_v[s])
            if i in done or s in self.follow:
                continue
            done.add(i)
            if self.step_kind[s] == BALL:
                moved = quat_mul(out[i : i + 4], quat_exp(v[k : k + 3]))
                out[i : i + 4] = moved / np.linalg.norm(moved)
            else:
                out[i] += v[k]
        return out

    def difference(self, q0: Array, q1: Array) -> Array:
        """``v`` such that integrate(q0, v) is q1, balls the shorter way round."""
        out = np.zeros(self.nv)
        for s in range(self.n_step):
            i, k = int(self.step_q[s]), int(self.step_v[s])
            if self.step_kind[s] == BALL:
                back = q0[i : i + 4] * np.array([1.0, -1.0, -1.0, -1.0])
                out[k : k + 3] = quat_log(quat_mul(back, q1[i : i + 4]))
            else:
                out[k] = q1[i] - q0[i]
        return out

    def clamp(self, q: Array) -> Array:
        """``q`` clipped into the limits, quaternions of unit length."""
        out: Array = np.clip(q, self.lower, self.upper)
        for s in np.flatnonzero(self.step_kind == BALL):
            i = self.step_q[s]
            out[i : i + 4] /= np.linalg.norm(out[i : i + 4])
        return out

    def sample(self, rng: np.random.Generator) -> Array:
        """Uniform q inside the limits; without limits: angles in (-pi, pi], slides in (-1, 1)."""
        out = np.array(self.rest, float)
        for s in range(self.n_step):
            i = self.step_q[s]
            if self.step_kind[s] == BALL:
                g = rng.normal(size=4)
                out[i : i + 4] = g / np.linalg.norm(g)
                continue
            wide = np.pi if self.step_kind[s] == TURN else 1.0
            low, high = self.lower[i], self.upper[i]
            out[i] = rng.uniform(max(low, -wide), min(high, wide))
        return out


@dataclass(frozen=True)
class Goal:
    """What must hold for one frame, with its target.

    Parameters
    ----------
    frame
        Index of the frame.
    position
        Wanted position (3,) or None.
    rotation
        Wanted rotation matrix (3, 3) or None.
    direction
        Wanted direction (3,) of the frame's own ``axis``, or None.
    axis
        Unit vector in the frame, used with ``direction``.
    weight
        Scales the error.
    position_tolerance, orientation_tolerance
        Meters and radians at which the goal is met.
    """

    frame: int
    position: Array | None = None
    rotation: Array | None = None
    direction: Array | None = None
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    weight: float = 1.0
    position_tolerance: float = 1e-4
    orientation_tolerance: float = 1e-4

    def measure(self, r: Array, p: Array) -> tuple[float, float]:
        """Distance (m) and angle (rad) of a frame at (r, p) from the target."""
        distance = angle = 0.0
        if self.position is not None:
            distance = float(np.linalg.norm(p - self.position))
        if self.rotation is not None:
            angle = float(np.linalg.norm(quat_log(quat_from_mat(r.T @ self.rotation))))
        if self.direction is not None:
            e, d = r @ np.array(self.axis), unit(np.asarray(self.direction, float))
            angle = float(np.arctan2(np.linalg.norm(np.cross(e, d)), e @ d))
        return distance, angle


def _path_length(tree: Tree, frame: int, *, from_root: bool) -> float:
    """Sum of the lengths to a frame, slides at their finite limits, from the root or the world."""
    chain = tree.chain(frame)
    if from_root and not chain:
        return 0.0
    total = float(np.linalg.norm(tree.frame_place(frame)[1]))
    for s in chain:
        if tree.step_kind[s] == SLIDE:
            far = float(np.abs(tree.step_limit[s]).max())
            total += far if far < np.inf else 0.0
        if tree.step_parent[s] >= 0 or not from_root:
            total += float(np.linalg.norm(tree.place(s)[1]))
    return total


def problem_length(tree: Tree, goals: Iterable[Goal]) -> float:
    """Meters that weigh as a radian: the longest path to a goal, else the figure's reach, else 1.

    A slide without an end has no length.
    """
    paths = (_path_length(tree, goal.frame, from_root=True) for goal in goals)
    reach = (_path_length(tree, f, from_root=False) for f in range(len(tree.frame_step)))
    for lengths in (paths, reach):
        if (longest := max(lengths, default=0.0)) > 1e-9:
            return longest
    return 1.0


def judge(tree: Tree, goals: list[Goal], world: list[tuple[Array, Array]]) -> tuple[float, bool]:
    """Error (norm of the weighted distances and angles) and whether every goal is met."""
    total, met = 0.0, True
    for goal in goals:
        d, a = goal.measure(*tree.frame_pose(goal.frame, world))
        turn = a if goal.direction is None else 2 * np.sin(a / 2)  # one axis: length of e - d
        total += goal.weight**2 * (d * d + turn * turn)
        met = met and d <= goal.position_tolerance and a <= goal.orientation_tolerance
    return float(np.sqrt(total)), met


def even_error(
    tree: Tree, goals: list[Goal], world: list[tuple[Array, Array]], scale: float
) -> float:
    """Error in meters, a radian being the share `TURN_SHARE` of the squared length ``scale``."""
    total = 0.0
    for goal in goals:
        d, a = goal.measure(*tree.frame_pose(goal.frame, world))
        turn = a if goal.direction is None else 2 * np.sin(a / 2)
        total += goal.weight**2 * (d * d + TURN_SHARE * scale**2 * turn * turn)
    return float(np.sqrt(total))


@dataclass
class Answer:
    """What a solver gives back.

    Parameters
    ----------
    q
        The answer, inside the limits: the best pose seen.
    outcome
        ``"converged"``, ``"unreachable"``, ``"stalled"`` or ``"max_iter"``.
    iterations
        Iterations used.
    n_restarts
        Nudges used.
    error
        Error of ``q``.
    trace
        Error of the start and after each iteration.
    """

    q: Array
    outcome: str
    iterations: int
    n_restarts: int
    error: float
    trace: list[float]
