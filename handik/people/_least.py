"""The least of a score that a goal leaves."""

from __future__ import annotations

from collections.abc import Callable
from math import pi
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.model import Model
from handik.problem import Problem
from handik.solve import Solver
from handik.spec import Cone
from handik.spec._given import finite_number, points_of, reals, whole_number
from handik.spec.limits import twist_at_rest

__all__ = ["least", "ranges"]

Array = NDArray[np.float64]

#: Step of a numeric derivative, radians or meters.
_STEP = 1e-6


def ranges(model: Model) -> tuple[list[str], Array, NDArray[np.intp]]:
    """Joint, range and place in q of each coordinate of v; of balls and free joints no place.

    A ball swings over twice its widest swing and twists over its range of twist, where the bone
    lies along an axis of its coordinates.
    """
    names = [""] * model.nv
    wide = np.full(model.nv, 2 * pi)
    place = np.full(model.nv, -1, dtype=np.intp)
    limits = model.ball_limits
    bones = {joint.name: joint.axis for joint in model._spec.joints if joint.cone is not None}
    starts = zip(model.joint_names, model.joint_kinds, model.joint_v, strict=True)
    for name, kind, v in starts:
        part = model.joint_q_slices.get(name)
        if part is None or v < 0:
            continue
        width = {"ball": 3, "free": 6}.get(kind, part.stop - part.start)
        names[v : v + width] = [name] * width
        if kind == "ball" and name in limits:
            cone = limits[name]
            swing = cone.half if isinstance(cone, Cone) else [row[1] for row in cone.corners]
            wide[v : v + 3] = 2 * min(float(np.max(swing)), pi)
            low, high = twist_at_rest(cone.twist)
            bone = np.flatnonzero(bones[name])
            if len(bone) == 1 and low < high:
                wide[v + bone[0]] = min(high - low, 2 * pi)
        if kind in ("ball", "free"):
            continue
        place[v : v + width] = np.arange(part.start, part.stop)
        room = model.upper[part] - model.lower[part]
        held = np.where(np.isfinite(room) & (room > 0), room, 2 * pi)
        wide[v : v + width] = held
        place[v : v + width] = np.where(room > 0, place[v : v + width], -1)
    return names, wide, place


def _still(model: Model, names: list[str]) -> NDArray[np.bool_]:
    """Coordinates of v that are held still: locks, and limits that leave one value."""
    stuck = set(model.locked_joints)
    for name, part in model.joint_q_slices.items():
        if (model.lower[part] == model.upper[part]).all():
            stuck.add(name)
    return np.array([name in stuck for name in names], bool)


def least(
    problem: Problem,
    targets: ArrayLike,
    score: Any,
    q0: ArrayLike,
    *,
    max_iter: int = 60,
    ftol: float = 1e-5,
) -> Array:
    """Lower a score without giving up a goal that is met.

    Parameters
    ----------
    problem : Problem
        The goal: what it says is kept, within its tolerances.
    targets : array_like, shape (width,)
        Of the goal.
    score : JointDisplacement, Effort, Gaze, Balance, or callable
        What is lowered: a function of a batch of postures (n, nq) that gives n numbers, or what has
        such a method ``score``; where it has a ``gradient`` too, that is used.
    q0 : array_like, shape (nq,)
        A posture that meets the goal.
    max_iter : int
        Most steps.
    ftol : float
        A step that lowers the score by less than this share of it is the last.

    Returns
    -------
    ndarray, shape (nq,)
        A posture that meets the goal, with a score no larger than that of q0: a local minimum.

    Raises
    ------
    ArgumentError
        When q0 does not meet the goal, or a number is out of range.
    TypeError
        When problem or score are none.

    Notes
    -----
    Projected gradients: each step goes down in the null space of the goal's Jacobian, joints in
    shares of their ranges and those at a limit held, and is brought back to the goal by the solver;
    it is halved until the score falls.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.people.discomfort import JointDisplacement, least
    >>> arm = hk.chain([0.3, 0.3, 0.3], lower=-2.0, upper=2.0)
    >>> goal = hk.Problem(arm, hk.Position())
    >>> found = hk.Solver()(goal, [0.5, 0.3, 0.0])
    >>> what = JointDisplacement(arm)
    >>> better = least(goal, [0.5, 0.3, 0.0], what, found.q)
    >>> bool(what.score(better) <= what.score(found.q))
    True
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"problem must be a handik Problem, got {problem!r}")
    model = problem.model
    rows = reals(targets, "targets", (problem.width,))
    q = points_of(q0, "q0", (model.nq,)).copy()
    if rows.ndim != 1:
        raise ArgumentError(f"targets must have shape ({problem.width},), got {rows.shape}")
    value_of = getattr(score, "score", score)
    if not callable(value_of) or isinstance(score, type):
        raise TypeError(f"score must have a method score, or be a function, got {score!r}")
    most = whole_number("max_iter", max_iter)
    share = finite_number("ftol", ftol)
    if not problem.evaluate(rows, q).met.all():
        raise ArgumentError("q0 does not meet the goal: solve it first")
    try:
        shape = np.shape(value_of(np.stack([q, q])))
    except (TypeError, IndexError) as error:
        raise TypeError(f"score cannot rate postures of shape (2, {model.nq})") from error
    if shape != (2,):
        raise ArgumentError(f"score must give 2 numbers for 2 postures, got shape {shape}")
    names, wide, place = ranges(model)
    still = _still(model, names)
    solve = Solver("lm", max_restarts=0, perturbations=0)
    value, step = float(value_of(q)), 0.1
    for _ in range(most):
        slope = _gradient(model, score, value_of, q) * wide
        held = _held(model, q, slope, place)
        J = problem.jacobian(rows, q) * wide
        free = np.where(held | still, 0.0, 1.0)
        # the least norm move that the goal does not feel
        down = -free * slope
        Jf = J * free
        down -= free * (np.linalg.pinv(Jf, rcond=1e-8) @ (Jf @ down))
        length = float(np.linalg.norm(down))
        if length == 0.0:
            break
        before = value
        step = min(4 * step, 1.0)
        while step > 1e-7:
            moved = model.clip(model.integrate(q, wide * down * (step / length)))
            answer = solve(problem, rows, moved)
            if answer.converged:
                other = float(value_of(answer.q))
                if other < value:
                    q, value = answer.q, other
                    break
            step /= 2
        if before - value <= share * abs(before):
            break
    return q


def _gradient(model: Model, score: Any, value_of: Callable[[Array], Any], q: Array) -> Array:
    if hasattr(score, "gradient"):
        return np.asarray(score.gradient(q), float)
    moves = np.concatenate([np.eye(model.nv), -np.eye(model.nv)]) * _STEP
    values = np.asarray(
        value_of(model.integrate(np.broadcast_to(q, (len(moves), model.nq)), moves))
    )
    return np.asarray((values[: model.nv] - values[model.nv :]) / (2 * _STEP), float)


def _held(model: Model, q: Array, slope: Array, place: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Hinges that stand at a limit and would go down beyond it."""
    at = np.where(place >= 0, place, 0)
    low = (q[at] <= model.lower[at] + 1e-9) & (slope > 0)
    high = (q[at] >= model.upper[at] - 1e-9) & (slope < 0)
    return (place >= 0) & (low | high)
