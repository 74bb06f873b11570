"""Every kind of term in NumPy: residual and analytic Jacobian, from the formulas of docs/terms.md.

A readable twin of ``csrc/term``: `TermTwin` takes the same terms as `handik.Problem` and gives the
same rows, written from the definitions and with NumPy's linear algebra.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .jacobian import inverse_left_jacobian
from .tree import (
    BALL,
    SLIDE,
    Array,
    Tree,
    cross_matrix,
    perpendicular,
    quat_from_mat,
    quat_log,
    quat_mul,
    quat_to_mat,
    unit,
)

__all__ = ["Row", "TermTwin"]

World = list[tuple[Array, Array]]
#: Rows and, when asked for, their derivative by v.
Rows = tuple[Array, Array]


@dataclass(frozen=True)
class Row:
    """One row of the term table: its frame and other frame by index, -1 the world."""

    kind: str
    frame: int
    other: int
    params: Array
    data: Array
    weight: float
    stage: tuple[bool, int]
    """Soft terms after those that decide, then by priority."""


@dataclass(frozen=True)
class Point:
    """A frame at a pose: rotation, origin, and the Jacobians of origin and angular velocity."""

    r: Array
    at: Array
    linear: Array
    angular: Array

    def point(self, p: Array) -> tuple[Array, Array]:
        """Place of a point of the frame and its Jacobian."""
        arm = self.r @ p
        return self.at + arm, self.linear - cross_matrix(arm) @ self.angular

    def axis(self, a: Array) -> tuple[Array, Array]:
        """Direction of an axis of the frame, of length one, and its Jacobian."""
        d = self.r @ unit(a)
        return d, -cross_matrix(d) @ self.angular


class TermTwin:
    """Terms of a model, resolved as `handik.Problem` does.

    Parameters
    ----------
    model : Model
    terms : iterable of Term
    """

    def __init__(self, model: Any, terms: Iterable[Any]) -> None:
        self.tree = Tree(model)
        self.inertial = np.array(model.step_inertial, float).reshape(-1, 10)
        # a mimic joint has no coordinates of its own
        own = np.array(model.joint_mimic)[np.array(model.step_joint)] < 0
        self.own = [int(s) for s in np.flatnonzero(own)]
        names = list(model.frame_names)
        self.rows: list[Row] = []
        self.derives = True
        for term in terms:
            frame = (term.frame or model.tip) if term.of_a_frame else None
            self.rows += [
                Row(
                    part.kind,
                    -1 if part.frame is None else names.index(part.frame),
                    names.index(part.other) if part.other else -1,
                    np.array(part.params, float),
                    np.array(part.data, float),
                    float(term.weight) * part.weight,
                    (part.kind in ("rest", "change"), int(term.priority)),
                )
                for part in term._parts(model, frame)
            ]

    # -- what a problem gives -----------------------------------------------------------------

    def parts(self, target: Array, q: Array) -> list[Rows]:
        """Weighted residual and Jacobian of each row of the table."""
        world, at, out = self.tree.world(q), 0, []
        for row in self.rows:
            width = width_of(row, self.tree)
            e, j = KINDS[row.kind](self, row, np.asarray(target[at : at + width], float), q, world)
            out.append((row.weight * e, row.weight * j))
            at += width
        return out

    def residual(self, target: Array, q: Array) -> Array:
        """Weighted residual, (rows,)."""
        self.derives = False
        out = np.concatenate([e for e, _ in self.parts(target, q)])
        self.derives = True
        return out

    def jacobian(self, target: Array, q: Array) -> Array:
        """Its derivative by v, (rows, nv)."""
        return np.concatenate([j for _, j in self.parts(target, q)])

    # -- what the kinds look at ---------------------------------------------------------------

    def look(self, frame: int, world: World) -> Point:
        """Return a frame, -1 the world."""
        if frame < 0:
            none = np.zeros((3, self.tree.nv))
            return Point(np.eye(3), np.zeros(3), none, none)
        r, at = self.tree.frame_pose(frame, world)
        linear, angular = self.carried(int(self.tree.frame_step[frame]), at, world)
        return Point(r, at, linear, angular)

    def carried(self, step: int, point: Array, world: World) -> Rows:
        """Jacobians of the velocity of a point carried by a step, and of its angular velocity."""
        tree, nv = self.tree, self.tree.nv
        linear, angular = np.zeros((3, nv)), np.zeros((3, nv))
        while step >= 0 and self.derives:
            r, origin = world[step]
            v, rate = int(tree.step_v[step]), float(tree.step_line[step, 0])
            if tree.step_kind[step] == SLIDE:
                linear[:, v] += rate * r[:, 2]
            else:
                axes = r if tree.step_kind[step] == BALL else rate * r[:, 2:]
                span = slice(v, v + axes.shape[1])
                angular[:, span] += axes
                linear[:, span] += np.cross(axes.T, point - origin).T
            step = int(tree.step_parent[step])
        return linear, angular

    def centre(self, world: World) -> Rows:
        """Center of mass and its Jacobian, body by body."""
        mass = self.inertial[:, 0].sum()
        at, j = np.zeros(3), np.zeros((3, self.tree.nv))
        for s in np.flatnonzero(self.inertial[:, 0]):
            m, first = self.inertial[s, 0], self.inertial[s, 1:4]
            body = world[s][1] + world[s][0] @ first / m
            at += m / mass * body
            j += m / mass * self.carried(int(s), body, world)[0]
        return at, j


# -- one frame ----------------------------------------------------------------------------------


def _position(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    frame = twin.look(row.frame, world)
    return frame.at - target, frame.linear


def _turned(have: Array, wanted: Array, angular: Array) -> Rows:
    x = quat_log(quat_from_mat(have @ wanted.T))
    return x, inverse_left_jacobian(x) @ angular


def _orientation(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    frame = twin.look(row.frame, world)
    return _turned(frame.r, quat_to_mat(target), frame.angular)


def _pose(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    e, j = _position(twin, row, target[:3], q, world)
    x, turn = _orientation(twin, row, target[3:], q, world)
    return np.concatenate([e, x]), np.concatenate([j, turn])


def _axis(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    a, j = twin.look(row.frame, world).axis(row.params)
    return a - unit(target), j


def _level(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    frame, u = twin.look(row.frame, world), unit(row.params[3:6])
    a, _ = frame.axis(row.params[:3])
    across = np.cross(u, a)
    sine = float(np.linalg.norm(across))
    about = across / sine if sine > 1e-12 else perpendicular(u)
    return np.array([np.arctan2(sine, u @ a) - row.params[6]]), (about @ frame.angular)[None]


def _look_at(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    frame = twin.look(row.frame, world)
    (a, ja), (eye, je) = frame.axis(row.params[:3]), frame.point(row.params[3:6])
    far = float(np.linalg.norm(target - eye))
    way = unit(target - eye)
    across = np.eye(3) - np.outer(way, way)
    return a - way, ja + (across @ je / far if far > 0 else 0.0)


def _orientation_axes(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    frame = twin.look(row.frame, world)
    left = quat_to_mat(target).T @ frame.r
    quat = quat_from_mat(left)
    quat = quat if quat[0] >= 0 else -quat
    gain = np.sqrt(2 * (row.params @ row.params - row.params**2))
    rate = 0.5 * (quat[0] * np.eye(3) + cross_matrix(quat[1:])) @ frame.r.T
    return gain * quat[1:], gain[:, None] * (rate @ frame.angular)


# -- two frames ---------------------------------------------------------------------------------


def _gap(twin: TermTwin, row: Row, world: World) -> tuple[Point, Point, Array, Array]:
    one, two = twin.look(row.frame, world), twin.look(row.other, world)
    (a, ja), (b, jb) = one.point(row.params[:3]), two.point(row.params[3:6])
    return one, two, a - b, ja - jb


def _position_axes(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    one, two = twin.look(row.frame, world), twin.look(row.other, world)
    axes, weights = row.data.reshape(-1, 4)[:, :3], row.data.reshape(-1, 4)[:, 3]
    gap = one.at - two.at
    own = two.r.T @ gap
    # the other frame's turning carries its axes along
    rate = two.r.T @ (one.linear - two.linear + cross_matrix(gap) @ two.angular)
    return weights * (axes @ own - target), weights[:, None] * (axes @ rate)


def _distance(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    _, _, d, j = _gap(twin, row, world)
    least, most = row.params[6:8]
    length = float(np.linalg.norm(d))
    off = length - min(max(length, least), most)
    way = unit(d) if length > 0 else np.array([0.0, 0.0, 1.0])
    pulls = off != 0 or least == most
    return np.array([off]), (way @ j)[None] if pulls else np.zeros((1, twin.tree.nv))


def _loop(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    _, _, d, j = _gap(twin, row, world)
    return d, j


def _loop_hinge(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    one, two, d, j = _gap(twin, row, world)
    (a, ja), (b, jb) = one.axis(row.params[6:9]), two.axis(row.params[9:12])
    return np.concatenate([d, a - b]), np.concatenate([j, ja - jb])


def _loop_pose(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    one, two, d, j = _gap(twin, row, world)
    between = one.r @ two.r.T
    # log(A B') with B held still turns with the velocity of A less that of B carried along
    x, turn = _turned(one.r, two.r, one.angular - between @ two.angular)
    return np.concatenate([d, x]), np.concatenate([j, turn])


def _clearance(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    p = row.params
    one, two = twin.look(row.frame, world), twin.look(row.other, world)
    a, b = (one.point(x)[0] for x in (p[0:3], p[3:6]))
    c, d = (two.point(x)[0] for x in (p[7:10], p[10:13]))
    s, t = nearest_shares(a, b, c, d)
    at, j = one.point((1 - s) * p[0:3] + s * p[3:6])
    other, k = two.point((1 - t) * p[7:10] + t * p[10:13])
    gap = float(np.linalg.norm(at - other))
    way = unit(at - other) if gap > 0 else unit(np.cross(b - a, d - c))
    lacks = min(0.0, gap - p[6] - p[13] - p[14])
    return np.array([lacks]), (way @ (j - k))[None] * (lacks < 0)


def nearest_shares(a: Array, b: Array, c: Array, d: Array) -> tuple[float, float]:
    """Shares of the segments a b and c d at which they come nearest: the best of all candidates.

    The least distance is that of the two lines where it falls inside both, else that of an end of
    one to the other.
    """
    u, v, w = b - a, d - c, a - c
    candidates = []
    matrix = np.array([[u @ u, -(u @ v)], [-(u @ v), v @ v]])
    if np.linalg.det(matrix) > 1e-14 * (u @ u) * (v @ v):
        s, t = np.linalg.solve(matrix, np.array([-(u @ w), v @ w]))
        if 0 <= s <= 1 and 0 <= t <= 1:
            candidates.append((float(s), float(t)))
    for end in (0.0, 1.0):
        t = float(np.clip((a + end * u - c) @ v / max(float(v @ v), 1e-300), 0, 1))
        s = float(np.clip((c + end * v - a) @ u / max(float(u @ u), 1e-300), 0, 1))
        candidates += [(end, t), (s, end)]
    return min(candidates, key=lambda x: float(np.linalg.norm(w + x[0] * u - x[1] * v)))


# -- the whole figure ---------------------------------------------------------------------------


def _centre_of_mass(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    at, j = twin.centre(world)
    return at - target, j


def _support(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    at, j = twin.centre(world)
    corners = row.data.reshape(-1, 2)
    off, along = off_polygon(corners, at[:2])
    if not off.any():
        return off, np.zeros((2, twin.tree.nv))
    flat = np.eye(2) if along is None else np.eye(2) - np.outer(along, along)
    return off, flat @ j[:2]


def off_polygon(corners: Array, p: Array) -> tuple[Array, Array | None]:
    """Way from the nearest point of a convex polygon, and the edge it stands on; None a corner."""
    ahead = np.roll(corners, -1, axis=0)
    sides = [
        float(np.cross(np.append(b - a, 0.0), np.append(p - a, 0.0))[2])
        for a, b in zip(corners, ahead, strict=True)
    ]
    if len(corners) > 2 and min(sides) >= 0:
        return np.zeros(2), None
    found: list[tuple[float, Array, Array | None]] = []
    for a, b in zip(corners, ahead, strict=True):
        t = float((p - a) @ (b - a) / max((b - a) @ (b - a), 1e-300))
        off = p - a - min(max(t, 0.0), 1.0) * (b - a)
        found.append((float(np.linalg.norm(off)), off, unit(b - a) if 0 < t < 1 else None))
    _, off, along = min(found, key=lambda x: x[0])
    return off, along


def _posture(twin: TermTwin, q: Array, posture: Array, weight: Array) -> Rows:
    """Coordinates less those of a posture, of a ball the rotation vector between them."""
    tree = twin.tree
    e, j = np.zeros(tree.nv), np.zeros((tree.nv, tree.nv))
    for s in twin.own:
        i, v = int(tree.step_q[s]), int(tree.step_v[s])
        if tree.step_kind[s] == BALL:
            back = unit(posture[i : i + 4]) * np.array([1.0, -1.0, -1.0, -1.0])
            x = quat_log(unit(quat_mul(back, q[i : i + 4])))
            span = slice(v, v + 3)
            e[span], j[span, span] = x, inverse_left_jacobian(x).T
        else:
            e[v], j[v, v] = q[i] - posture[i], 1.0
    return weight * e, weight[:, None] * j


def _rest(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    return _posture(twin, q, row.data[: twin.tree.nq], row.data[twin.tree.nq :])


def _change(twin: TermTwin, row: Row, target: Array, q: Array, world: World) -> Rows:
    return _posture(twin, q, target, row.data)


#: What each kind is; the rows of csrc/term/registry.c.
KINDS: dict[str, Callable[[TermTwin, Row, Array, Array, World], Rows]] = {
    "position": _position,
    "orientation": _orientation,
    "pose": _pose,
    "axis": _axis,
    "level": _level,
    "look_at": _look_at,
    "distance": _distance,
    "loop": _loop,
    "loop_hinge": _loop_hinge,
    "loop_pose": _loop_pose,
    "clearance": _clearance,
    "centre_of_mass": _centre_of_mass,
    "support": _support,
    "rest": _rest,
    "change": _change,
    "position_axes": _position_axes,
    "orientation_axes": _orientation_axes,
}
WIDTHS = {"position": 3, "orientation": 4, "pose": 7, "axis": 3, "look_at": 3, "centre_of_mass": 3}
WIDTHS["orientation_axes"] = 4


def width_of(row: Row, tree: Tree) -> int:
    """Columns that a row of the table takes of a target row."""
    if row.kind == "change":
        return tree.nq
    return len(row.data) // 4 if row.kind == "position_axes" else WIDTHS.get(row.kind, 0)
