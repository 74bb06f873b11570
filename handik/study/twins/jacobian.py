"""The solvers with Jacobians: one bounded step of the linear model an iteration.

A readable twin of the core's jacobian_transpose, pinv, dls, sdls, newton, gauss_newton, lm and
gradient, without nudges, secondary goals and limits of balls. Linear algebra is NumPy's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .tree import (
    BALL,
    SLIDE,
    Answer,
    Array,
    Goal,
    Tree,
    cross_matrix,
    judge,
    problem_length,
    quat_from_mat,
    quat_log,
)
from .tree import unit as unit_vector

#: A rule: J, e to the step x on the free columns, None when there is none.
Rule = Callable[[Array, Array], Array | None]
PASSES = 5


@dataclass
class Columns:
    """Unknowns of a problem: coordinates of v with room to move, scaled."""

    v: list[int]
    q: list[int]
    lower: Array
    upper: Array
    unit: Array
    first_of_ball: list[bool]
    inside_ball: list[bool]
    slide: list[bool]


def active_steps(tree: Tree, goals: list[Goal]) -> list[int]:
    """Return the steps that move some goal, parents first."""
    return sorted({s for goal in goals for s in tree.chain(goal.frame)})


def columns_of(tree: Tree, steps: list[int], length: float) -> Columns:
    """Columns of the steps that move some goal; slides in units of ``length``."""
    out = Columns([], [], np.zeros(0), np.zeros(0), np.zeros(0), [], [], [])
    lower, upper, size = [], [], []
    for s in steps:
        i, v = int(tree.step_q[s]), int(tree.step_v[s])
        ball = tree.step_kind[s] == BALL
        if v in out.v or (not ball and not tree.lower[i] < tree.upper[i]):
            continue
        for k in range(3 if ball else 1):
            out.v.append(v + k)
            out.q.append(i)
            out.first_of_ball.append(bool(ball) and k == 0)
            out.inside_ball.append(bool(ball))
            lower.append(-np.inf if ball else tree.lower[i])
            upper.append(np.inf if ball else tree.upper[i])
            out.slide.append(bool(tree.step_kind[s] == SLIDE))
            size.append(length if out.slide[-1] else 1.0)
    out.lower, out.upper, out.unit = np.array(lower), np.array(upper), np.array(size)
    return out


class Descent:
    """Scaled residual and Jacobian of goals at a pose, and moves inside the limits."""

    def __init__(self, tree: Tree, goals: list[Goal], length: float) -> None:
        self.tree, self.goals, self.length = tree, goals, length
        self.columns = columns_of(tree, active_steps(tree, goals), length)

    def residual(self, q: Array) -> Array:
        """Present less wanted: meters over the length, radians, times the weights."""
        world = self.tree.world(q)
        parts = []
        for goal in self.goals:
            r, p = self.tree.frame_pose(goal.frame, world)
            if goal.position is not None:
                parts.append(goal.weight * (p - goal.position) / self.length)
            if goal.rotation is not None:
                parts.append(goal.weight * quat_log(quat_from_mat(r @ goal.rotation.T)))
            if goal.direction is not None:
                a = r @ unit_vector(np.asarray(goal.axis, float))
                parts.append(goal.weight * (a - unit_vector(np.asarray(goal.direction, float))))
        out: Array = np.concatenate(parts)
        return out

    def jacobian(self, q: Array) -> Array:
        """Return the derivative of the residual by the scaled columns."""
        world = self.tree.world(q)
        rows = []
        for goal in self.goals:
            r, _ = self.tree.frame_pose(goal.frame, world)
            whole = self.tree.jacobian(q, goal.frame)
            if goal.position is not None:
                rows.append(goal.weight * whole[:3] / self.length)
            if goal.rotation is not None:
                x = quat_log(quat_from_mat(r @ goal.rotation.T))
                rows.append(goal.weight * inverse_left_jacobian(x) @ whole[3:])
            if goal.direction is not None:
                a = r @ unit_vector(np.asarray(goal.axis, float))
                rows.append(-goal.weight * cross_matrix(a) @ whole[3:])
        out: Array = np.concatenate(rows)[:, self.columns.v] * self.columns.unit
        return out

    def room(self, q: Array) -> tuple[Array, Array]:
        """How far each column may go down and up."""
        at = np.where(self.columns.inside_ball, 0.0, q[self.columns.q])
        return (
            (self.columns.lower - at) / self.columns.unit,
            (self.columns.upper - at) / self.columns.unit,
        )

    def move(self, q: Array, x: Array) -> Array:
        """``q`` moved by the scaled step, inside the limits."""
        v = np.zeros(self.tree.nv)
        v[self.columns.v] = self.columns.unit * x
        return self.tree.clamp(self.tree.integrate(q, v))

    def step(self, q: Array, rule: Rule, max_step: float, *, hold: bool = True) -> Array | None:
        """Step of a rule with the limits as an active set.

        ``hold``: columns at a limit that the gradient pushes outwards are held from the first.
        """
        e, j = self.residual(q), self.jacobian(q)
        g = j.T @ e if hold else np.zeros(j.shape[1])
        down, up = self.room(q)
        d = np.zeros(len(g))
        free = np.flatnonzero(~(((down >= 0) & (g > 0)) | ((up <= 0) & (g < 0))))
        for _ in range(PASSES):
            if not len(free):
                break
            x = rule(j[:, free], e)
            if x is None:
                return None
            most = self.longest(free, x) if max_step > 0 else 0.0
            if most > max_step:
                x = x * (max_step / most)
            out = (x < down[free]) | (x > up[free])
            d[free] = np.clip(x, down[free], up[free])
            e = e + j[:, free[out]] @ d[free[out]]
            if not out.any():
                break
            free = free[~out]
        return d

    def longest(self, free: NDArray[np.intp], x: Array) -> float:
        """Longest move of a column; the three of a ball count as one."""
        most = 0.0
        for k, column in enumerate(free):
            if self.columns.first_of_ball[column]:
                most = max(most, float(np.linalg.norm(x[k : k + 3])))
            else:
                most = max(most, abs(float(x[k])))
        return most


def chord(have: Array, want: Array) -> Array:
    """Return ``2 sin(angle / 2)`` times the axis that turns ``want`` into ``have``."""
    x = quat_log(quat_from_mat(have @ want.T))
    angle = float(np.linalg.norm(x))
    return x * (2 * np.sin(angle / 2) / angle if angle > 0 else 1.0)


class ChordDescent(Descent):
    """`Descent` whose rotations are chords, and whose Jacobian has the angular rows as they are."""

    def residual(self, q: Array) -> Array:
        """Present less wanted, weighted: meters over the length, chords, differences of axes."""
        e, at = super().residual(q), 0
        world = self.tree.world(q)
        for goal in self.goals:
            at += 3 * (goal.position is not None)
            if goal.rotation is not None:
                r, _ = self.tree.frame_pose(goal.frame, world)
                e[at : at + 3] = goal.weight * chord(r, goal.rotation)
            at += 3 * (goal.rotation is not None) + 3 * (goal.direction is not None)
        return e

    def jacobian(self, q: Array) -> Array:
        """Return linear and angular rows as they are, by the scaled columns."""
        world, rows = self.tree.world(q), []
        for goal in self.goals:
            whole = self.tree.jacobian(q, goal.frame)
            if goal.position is not None:
                rows.append(goal.weight * whole[:3] / self.length)
            if goal.rotation is not None:
                rows.append(goal.weight * whole[3:])
            if goal.direction is not None:
                a = self.tree.frame_pose(goal.frame, world)[0] @ np.array(goal.axis)
                rows.append(goal.weight * np.cross(whole[3:].T, a).T)
        out: Array = np.concatenate(rows)[:, self.columns.v] * self.columns.unit
        return out


def inverse_left_jacobian(x: Array) -> Array:
    """Inverse of the left Jacobian of the rotation group at rotation vector x."""
    n = float(np.linalg.norm(x))
    k = cross_matrix(x)
    factor = 1 / 12 if n < 1e-4 else (1 - 0.5 * n / np.tan(0.5 * n)) / n**2
    out: Array = np.eye(3) - 0.5 * k + factor * k @ k
    return out


# -- rules --------------------------------------------------------------------------------------


def transpose_rule(j: Array, e: Array) -> Array | None:
    """Buss's step along J'e."""
    g = j.T @ e
    y = j @ g
    return None if not y @ y > 0 else -(e @ y) / (y @ y) * g


def pinv_rule(j: Array, e: Array) -> Array | None:
    """Pseudo-inverse without the singular values below 1e-6 of the largest."""
    return np.asarray(-np.linalg.pinv(j, rcond=1e-6) @ e, float)


def dls_rule(damping: float, error: float) -> Rule:
    """Damped least squares; damping 0: adaptive, from the error of the whole problem."""
    d = damping**2 if damping > 0 else 0.5 * error**2 + 1e-6

    def rule(j: Array, e: Array) -> Array | None:
        return np.asarray(-np.linalg.solve(j.T @ j + d * np.eye(j.shape[1]), j.T @ e), float)

    return rule


def newton_rule(j: Array, e: Array) -> Array | None:
    """Shortest solution of J x = -e, or that of least squares."""
    return np.asarray(np.linalg.lstsq(j, -e, rcond=1e-6)[0], float)


def clamp_entries(x: Array, most: float) -> Array:
    """Shrink x so that no entry exceeds ``most``."""
    largest = float(np.abs(x).max())
    return x * (most / largest) if largest > most else x


def sdls_rule(max_step: float, step_fraction: float) -> Rule:
    """Damp selectively: every singular direction with its own max_step."""

    def blocks(a: Array) -> Array:
        lengths: Array = np.linalg.norm(a.reshape(-1, 3, *a.shape[1:]), axis=1)
        return lengths

    def rule(j: Array, e: Array) -> Array | None:
        length = blocks(e)
        shrink = (
            np.repeat(np.minimum(1, step_fraction / np.maximum(length, 1e-300)), 3)
            if step_fraction > 0
            else 1.0
        )
        u, s, vt = np.linalg.svd(j, full_matrices=False)
        speed = blocks(j).sum(axis=0)
        x = np.zeros(j.shape[1])
        for i in range(len(s)):
            if s[i] <= 1e-10 * s[0]:
                continue
            a = -(u[:, i] @ (shrink * e)) / s[i]
            cost = np.abs(vt[i]) @ speed / s[i]
            x += clamp_entries(a * vt[i], max_step * min(1.0, blocks(u[:, i]).sum() / cost))
        return clamp_entries(x, max_step)

    return rule


# -- loops --------------------------------------------------------------------------------------


def jacobian_solve(
    tree: Tree,
    goals: list[Goal],
    q0: Array,
    method: str,
    *,
    length: float | None = None,
    max_iter: int,
    max_step: float,
    damping: float = 0.0,
    step_fraction: float = 0.5,
) -> Answer:
    """Iterate a method to the goals or to ``max_iter``; there is no stall test.

    Parameters
    ----------
    tree, goals, q0
        Figure, what must hold, and the start inside the limits.
    method
        ``"jacobian_transpose"``, ``"pinv"``, ``"dls"``, ``"sdls"``, ``"newton"``,
        ``"gauss_newton"``, ``"lm"`` or ``"gradient_descent"``.
    length
        Meters that weigh as much as a radian; that of the figure if not given.
    max_step
        Longest move of a column in an iteration; 0: none.
    damping
        Of dls; 0: adaptive.
    step_fraction
        Of sdls: longest part of the error asked for at once.

    Returns
    -------
    Answer
        The last pose; ``"converged"`` or ``"max_iter"``.
    """
    d = Descent(tree, goals, problem_length(tree, goals) if length is None else length)
    q = np.array(q0, float)
    error, met = judge(tree, goals, tree.world(q))
    trace = [error]
    searcher = Searcher(d, max_step)
    for _ in range(max_iter):
        if met:
            break
        q = iterate(searcher, method, q, damping, step_fraction)
        error, met = judge(tree, goals, tree.world(q))
        trace.append(error)
    iteration = len(trace) - 1
    return Answer(
        tree.unwrapped(np.asarray(q0, float), q),
        "converged" if met else "max_iter",
        iteration,
        0,
        error,
        trace,
    )


def iterate(
    searcher: Searcher, method: str, q: Array, damping: float, step_fraction: float
) -> Array:
    """Return the pose after one iteration of a method; ArithmeticError: there is no step."""
    if method in ("gauss_newton", "lm", "gradient_descent"):
        to: Array = getattr(searcher, method)(q)
        return to
    d, max_step = searcher.d, searcher.max_step
    rule = {
        "jacobian_transpose": transpose_rule,
        "pinv": pinv_rule,
        "dls": dls_rule(damping, float(np.linalg.norm(d.residual(q)))),
        "sdls": sdls_rule(max_step, step_fraction),
        "newton": newton_rule,
    }[method]
    x = d.step(q, rule, max_step)
    if x is None:
        raise ArithmeticError("the Jacobian is singular")
    return d.move(q, x)


class Searcher:
    """Iterations that lower half the squared residual; state goes from one to the next."""

    def __init__(self, descent: Descent, max_step: float) -> None:
        self.d, self.max_step = descent, max_step
        self.damping, self.growth = -1.0, 2.0

    def cost(self, q: Array) -> float:
        """Half the squared residual."""
        e = self.d.residual(q)
        return 0.5 * float(e @ e)

    def go_along(self, q: Array, x: Array, t: float) -> Array:
        """Projected arc, halved until the error falls by 1e-4 of what the slope promises."""
        g = self.d.jacobian(q).T @ self.d.residual(q)
        down, up = self.d.room(q)
        before = self.cost(q)
        for _ in range(20):
            way = np.clip(t * x, down, up)
            promised = float(g @ way)
            if promised >= 0:
                break
            to = self.d.move(q, way)
            if self.cost(to) <= before + 1e-4 * promised:
                return to
            t *= 0.5
        raise ArithmeticError("there is no way down")

    def gradient_descent(self, q: Array) -> Array:
        """Steepest descent from the length that is best for the linear model."""
        j = self.d.jacobian(q)
        g = j.T @ self.d.residual(q)
        down, up = self.d.room(q)
        x = np.where(((g > 0) & (down >= 0)) | ((g < 0) & (up <= 0)), 0.0, -g)
        y = j @ x
        t = float(x @ x) / float(y @ y)
        most = float(np.abs(x).max())
        if self.max_step > 0 and t * most > self.max_step:
            t = self.max_step / most
        return self.go_along(q, x, t)

    def gauss_newton(self, q: Array) -> Array:
        """Shortest solution of the linear model, then a line search."""
        x = self.d.step(q, pinv_rule, self.max_step)
        if x is None:
            raise ArithmeticError("the Jacobian is singular")
        return self.go_along(q, x, 1.0)

    def lm(self, q: Array) -> Array:
        """Levenberg-Marquardt with Nielsen's damping."""
        j, e = self.d.jacobian(q), self.d.residual(q)
        if self.damping < 0:
            self.damping = 1e-3 * float((j * j).sum(axis=0).max())
        x = self.d.step(q, dls_rule(np.sqrt(self.damping), 0.0), self.max_step)
        assert x is not None
        model = e + j @ x
        to = self.d.move(q, x)
        promised = float(e @ e - model @ model)
        got = 2 * (self.cost(q) - self.cost(to))
        if got > 0 and promised > 0:
            self.damping *= max(1 / 3, 1 - (2 * got / promised - 1) ** 3)
            self.growth = 2.0
            return to
        self.damping = max(self.damping, 1e-12) * self.growth
        self.growth *= 2
        return q
