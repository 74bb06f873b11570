"""Cyclic coordinate descent in closed form.

Wang, Chen: A combined optimization method for solving the inverse kinematics problem of
mechanical manipulators, IEEE Trans. Robotics and Automation 7 (1991): each joint in turn, tip to
root, takes the value that is best while the others stand still. For a turn by phi about z

    G(phi) = K1 (1 - cos phi) + K2 cos phi + K3 sin phi
    K1 = Wp (Pd.z)(Pe.z) + Wo sum s_j (d_j.z)(e_j.z)
    K2 = Wp Pd.Pe + Wo sum s_j d_j.e_j
    K3 = z.(Wp Pe x Pd + Wo sum s_j e_j x d_j)

with Pe, Pd the effector and its target seen from the joint, e_j, d_j the axes of the effector and
the wanted ones. Several goals add up. With Wp = 1 and Wo = half the square of a length, maximising
G is minimising distance^2 + (length * angle)^2 for small angles, so no sweep ever raises that sum.
"""

from __future__ import annotations

import numpy as np

from .fit import best_turn, fit_ball
from .shared import Pull, move_shared, shared_coordinates
from .tree import (
    BALL,
    SLIDE,
    Answer,
    Array,
    Goal,
    Tree,
    axis_rotation,
    minimal_rotation,
    problem_length,
    quat_from_mat,
    quat_mul,
    unit,
)
from .watch import aim_beyond, run


class _Effector:
    """A goal as a sweep carries it: where its frame is after the joints below have moved."""

    def __init__(self, tree: Tree, goal: Goal, wp: float, wo: float) -> None:
        self.goal = goal
        self.steps = set(tree.chain(goal.frame))
        self.wp = goal.weight**2 * wp if goal.position is not None else 0.0
        self.wo = goal.weight**2 * wo
        self.p = np.zeros(3)
        self.aim = np.zeros(3)
        self.last: Array | None = None
        self.e = np.zeros((0, 3))
        self.d = np.zeros((0, 3))
        if goal.rotation is not None:
            self.d = np.array(goal.rotation.T)
        if goal.direction is not None:
            self.d = unit(np.asarray(goal.direction, float))[None]

    def set(self, r: Array, p: Array) -> None:
        self.p = p
        if self.goal.rotation is not None:
            self.e = r.T
        if self.goal.direction is not None:
            self.e = (r @ np.array(self.goal.axis))[None]

    def turn(self, r: Array, about: Array) -> None:
        self.p = about + r @ (self.p - about)
        self.e = self.e @ r.T

    def correlation(self, about: Array) -> Array:
        """B = Wp Pd Pe^T + Wo sum d_j e_j^T."""
        out = self.wo * (self.d.T @ self.e)
        if self.goal.position is not None:
            out = out + self.wp * np.outer(self.aim - about, self.p - about)
        return np.asarray(out, float)


def ccd(
    tree: Tree,
    goals: list[Goal],
    q0: Array,
    *,
    max_iter: int = 300,
    ftol: float = 1e-4,
    perturbations: int = 2,
    position_weight: float = 1.0,
    orientation_weight: float = 0.03,
    extrapolate: bool = False,
    scale: float | None = None,
    out_of_reach: bool = False,
) -> Answer:
    """CCD for any number of goals of position, orientation, pose or one axis.

    Parameters
    ----------
    tree, goals, q0
        The figure, what must hold, and the start inside the limits.
    max_iter, stall, nudges
        Cap on the sweeps; the least share of the error that 4 sweeps must win; most nudges.
    position_weight, orientation_weight
        Wp, and Wo over half the square of ``scale``.
    extrapolate
        Aim beyond the targets, as ``ccd_fast`` of the core does; its random new starts are not
        repeated.
    scale
        Length of the figure; the longest path to a goal if None.
    out_of_reach
        Whether the target is known to be out of reach.
    """
    reach = problem_length(tree, goals) if scale is None else scale
    wo = 0.5 * orientation_weight * reach * reach
    effectors = [_Effector(tree, g, position_weight, wo) for g in goals]
    steps = sorted({s for e in effectors for s in e.steps})
    shared = {s: group for group in shared_coordinates(tree, steps) for s in group.steps}

    def sweep(q: Array, fresh: bool) -> Array:
        out = np.array(q, float)
        world = tree.world(out)
        for e in effectors:
            e.set(*tree.frame_pose(e.goal.frame, world))
            if e.goal.position is not None:
                last = e.last if extrapolate and not fresh else None
                e.aim, e.last = aim_beyond(e.goal.position, e.p, last)
        for s in reversed(steps):
            if s in shared:
                if shared[s].steps[-1] == s:
                    pulls = [Pull.of(e.goal, e.wp, e.wo, e.aim, e.d) for e in effectors]
                    move_shared(tree, shared[s], out, pulls)
                    for e in effectors:
                        e.set(*tree.frame_pose(e.goal.frame, tree.world(out)))
                    for i in (i for i in steps if i < s):
                        world[i] = tree.move(i, out, world)
                continue
            r, x = world[s]
            z = r[:, 2]
            below = [e for e in effectors if s in e.steps]
            i = tree.step_q[s]
            if tree.step_kind[s] == SLIDE:
                _slide(tree, s, z, below, out)
                continue
            b = sum((e.correlation(x) for e in below), np.zeros((3, 3)))
            if tree.step_kind[s] == BALL:
                turn = _ball(below, b, x)
                done = quat_mul(out[i : i + 4], quat_from_mat(r.T @ turn @ r))
                out[i : i + 4] = done / np.linalg.norm(done)
            else:
                old = tree.value(s, out)
                c = float(np.trace(b) - z @ b @ z)
                k3 = float(z @ [b[2, 1] - b[1, 2], b[0, 2] - b[2, 0], b[1, 0] - b[0, 1]])
                size = float(np.abs(b).sum())
                if not c * c + k3 * k3 > 1e-24 * size * size:
                    continue
                low, high = tree.step_limit[s]
                new = old + best_turn(c / size, k3 / size, low - old, high - old, 0.0)
                new = float(np.clip(new, low, high))
                tree.set_value(s, new, out)
                turn = axis_rotation(z, float(np.cos(new - old)), float(np.sin(new - old)))
            for e in below:
                e.turn(turn, x)
        return out

    return run(
        tree,
        goals,
        steps,
        q0,
        sweep,
        max_iter=max_iter,
        ftol=ftol,
        perturbations=perturbations,
        reach=reach,
        out_of_reach=out_of_reach,
    )


def _slide(tree: Tree, s: int, z: Array, below: list[_Effector], q: Array) -> None:
    """Along z by the weighted mean of (Pd - Pe).z, inside the limits."""
    weight, gain = 0.0, 0.0
    for e in below:
        if e.goal.position is not None:
            weight += e.wp
            gain += e.wp * float((e.aim - e.p) @ z)
    if not weight > 0:
        return
    old = tree.value(s, q)
    new = float(np.clip(old + gain / weight, *tree.step_limit[s]))
    tree.set_value(s, new, q)
    for e in below:
        e.p = e.p + (new - old) * z


def _ball(below: list[_Effector], b: Array, x: Array) -> Array:
    """Best rotation in the world: the smallest one for a single position or axis, else Wahba's."""
    if len(below) == 1:
        e = below[0]
        if len(e.d) == 0:
            assert e.goal.position is not None
            frm, to = e.p - x, e.aim - x
            if np.linalg.norm(frm) > 0 and np.linalg.norm(to) > 0:
                return minimal_rotation(unit(frm), unit(to))
            return np.eye(3)
        if len(e.d) == 1 and e.wp == 0:
            return minimal_rotation(e.e[0], e.d[0])
    return fit_ball(b, np.eye(3))
