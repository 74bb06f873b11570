"""A frame moved along a straight line: its pose says where, the figure follows."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.errors import ArgumentError
from handik.problem import Problem
from handik.problem.terms import Pose
from handik.scene.plan._ends import Kept, Stop
from handik.scene.plan._found import TOLERANCE, inside_along
from handik.solve import Solver
from handik.spec.transforms import from_rotation_vector, rotation_vector

if TYPE_CHECKING:
    from handik.scene.plan._search import Search

__all__ = ["straight"]

Array = NDArray[np.float64]

#: Meters and radians between two poses of the line at first; meters and radians off it that are
#: allowed in between; how often the steps are halved for that; how far a joint may move in one.
STEP, TURN, OFF, HALVINGS, JUMP = 0.01, 0.05, 1e-3, 4, 0.5


def _turn(T0: Array, T1: Array) -> Array:
    """Return the rotation vectors from poses to others, in the axes of the former."""
    out = np.array(T1, float)
    out[..., :3, :3] = np.swapaxes(T0[..., :3, :3], -1, -2) @ T1[..., :3, :3]
    return np.asarray(rotation_vector(out))


def _line(T0: Array, T1: Array, count: int) -> Array:
    """Return count + 1 poses (count + 1, 4, 4) from one to another, turning steadily."""
    share = np.linspace(0.0, 1.0, count + 1)
    out = np.tile(np.eye(4), (count + 1, 1, 1))
    out[:, :3, 3] = T0[:3, 3] + share[:, None] * (T1[:3, 3] - T0[:3, 3])
    turn = _turn(T0, T1)
    out[:, :3, :3] = T0[:3, :3] @ from_rotation_vector(share[:, None] * turn)[:, :3, :3]
    return out


def _follow(problem: Problem, T: Array, start: Array, kept: Kept | None) -> Array | str:
    """Return postures along poses, or what is in the way."""
    model, solver = problem.model, Solver("dls", max_restarts=0, perturbations=0)
    q = [start]
    for k, row in enumerate(problem.targets(T[1:])):
        row = row if kept is None else np.concatenate([row, kept.targets])
        found = solver(problem, row, q[-1])
        at = f"{(k + 1) / (len(T) - 1):.3g} of the way"
        if not found.converged:
            return f"the figure cannot follow the straight line beyond {at}"
        if np.abs(np.asarray(model.difference(q[-1], found.q))).max() > JUMP:
            return f"the figure would have to jump at {at}"
        q.append(np.asarray(found.q))
    return np.array(q)


def _off(model: Any, frame: str, q: Array, T: Array) -> float:
    """Return how far the frame is from the line half-way between the postures, OFF being 1."""
    v = np.asarray(model.difference(q[:-1], q[1:]))
    middle = np.asarray(model.fk(model.integrate(q[:-1], v / 2), frame=frame))
    want = np.stack([_line(a, b, 2)[1] for a, b in pairwise(T)])
    far = np.linalg.norm(middle[:, :3, 3] - want[:, :3, 3], axis=1)
    turn = _turn(want, middle)
    return float(max(far.max(), np.linalg.norm(turn, axis=1).max()) / OFF)


def _beside(search: Search, q: Array) -> str:
    """Return what does not hold between the postures of a free way; empty: all does."""
    if not inside_along(search.ground, q[:-1], q[1:]).all():
        return "on the straight line the figure leaves the limits of a ball"
    if search.kept is not None and search.kept.along(q) > 1:
        return "what is kept does not hold along the straight line"
    return ""


def straight(search: Search, start: Array, goals: Array, frame: str | None) -> Array:
    """Return vertices along which a frame moves straight to its pose at a goal, or stop."""
    model = search.model
    name = frame if frame is not None else model.tip
    if name is None:
        raise ArgumentError(f"{model.name!r} has several tips: say which frame= moves straight")
    kept = search.kept
    problem = Problem(model, [Pose(name), *(kept.problem.terms if kept else ())])
    T0, why = np.asarray(model.fk(start, frame=name)), ""
    blocked: str | None = None
    for goal in goals:
        T1 = np.asarray(model.fk(goal, frame=name))
        turn = float(np.linalg.norm(_turn(T0, T1)))
        far = float(np.linalg.norm(T1[:3, 3] - T0[:3, 3]))
        count = max(2, int(np.ceil(far / STEP)), int(np.ceil(turn / TURN)))
        for _ in range(HALVINGS):
            T = _line(T0, T1, count)
            q = _follow(problem, T, start, kept)
            if isinstance(q, str) or _off(model, name, q, T) <= 1:
                break
            count *= 2
        else:
            q = "between its postures the figure leaves the straight line"
        if isinstance(q, str):
            why = q
            continue
        away = float(np.abs(np.asarray(model.difference(q[-1], goal))).max())
        if away <= 1e-2:
            q[-1] = goal
        elif not search.any_posture:
            why = "the straight line arrives in another posture than the goal"
            continue
        edge, witness, groups = _core._scene_edges(
            search.ground.world, search.ground.figure, q[:-1], q[1:], TOLERANCE, 1
        )
        search.groups += int(np.sum(groups))
        if not np.any(edge != 0):
            why = _beside(search, q)
            if not why:
                return q
            continue
        at = int(np.argmax(edge != 0))
        v = np.asarray(model.difference(q[at], q[at + 1])) * witness[at]
        part = at / (len(q) - 1)
        why, blocked = search.met(int(edge[at]), np.asarray(model.integrate(q[at], v)), part)
    raise Stop("blocked", why, blocked_by=blocked, q=start[None])
