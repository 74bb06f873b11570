"""FABRIK on bare points, on free chains and on chains of real joints.

Aristidou, Lasenby: FABRIK: a fast, iterative solver for the inverse kinematics problem, Graphical
Models 73 (2011), algorithm 1 (algorithm 2.1 of the thesis). Joints with limits as in Aristidou,
Chrysanthou, Lasenby: Extending FABRIK with model constraints, Comput. Animat. Virtual Worlds 27
(2016), but with link frames carried in both passes, so that the answer is a q inside its limits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .fit import best_turn, fit_ball, fit_turns
from .tree import (
    BALL,
    SLIDE,
    TURN,
    Answer,
    Array,
    Goal,
    Tree,
    judge,
    minimal_rotation,
    perpendicular,
    quat_from_mat,
    quat_to_mat,
    turn_z,
    unit,
)
from .watch import PATIENCE, run

TINY = 1e-12
"""Share of the reach below which a bone has no direction."""
LOOK = 8
"""Most links looked past in search of one with a direction."""


# ---- bare points ------------------------------------------------------------------------------


def fabrik_points(
    points: Array,
    target: Array,
    tolerance: float,
    max_iter: int,
    *,
    stall: float = 1e-4,
    nudges: int = 2,
) -> tuple[Array, str, int, int, list[float]]:
    """FABRIK, algorithm 2.1, on a chain of free joints.

    The order of the operations is the contract of the C kernel:

    1. ``d[i]`` = distance of points i and i+1; reach = sum of d; ``u`` = unit(target - base), or x.
       Error = distance of the tip from the target; at most ``tolerance``: converged, 0 iterations.
    2. Target farther than the reach less the tolerance: all points on the line to it,
       ``closest``, 1 iteration. Target nearer than the longest link exceeds the rest, plus the
       tolerance: the longest link runs along u, the others against it, ``closest``, 1 iteration.
       In both cases it is converged if the error is within the tolerance.
    3. Iteration: forward pass p[n] = target, then i = n-1..1: p[i] = p[i+1] + d[i] unit(p[i] -
       p[i+1]); backward pass from p[0], i = 0..n-1: p[i+1] = p[i] + d[i] unit(p[i+1] - p[i]). Where
       two points coincide, the last direction of that pass is used again; the forward pass begins
       with -u, the backward pass with the last of the forward pass turned round.
    4. Error; converged when within the tolerance. When the lowest error has not fallen by ``stall``
       of itself in 4 iterations: nudge, at most ``nudges`` times, then ``stalled``. After
       ``max_iter``: ``max_iter``. Without convergence the best of the last points and of those
       before a nudge is given back.
    5. Nudge, the cure of the straight chain with its target on its own line: each inner point i
       moves by 0.1 (1 + round) d[i] at right angles to the line base-target (a half turn further in
       odd rounds). One direction for all points: the chain becomes an arch, which is what a folded
       chain ends as. The next pass restores the lengths.

    Returns
    -------
    points, outcome, iterations, remedies, trace
    """
    p = np.array(points, float)
    base, n = p[0].copy(), len(p) - 1
    d = np.linalg.norm(np.diff(p, axis=0), axis=1)
    gap = target - base
    far, reach, longest = float(np.linalg.norm(gap)), float(d.sum()), float(d.max())
    u = gap / far if far > 0 else np.array([1.0, 0.0, 0.0])
    error = float(np.linalg.norm(p[n] - target))
    trace = [error]
    if error <= tolerance:
        return p, "converged", 0, 0, trace
    edge = max(0.0, tolerance)
    if far > reach - edge or far < 2 * longest - reach + edge:
        sign = np.ones(n)
        if far <= reach - edge:
            sign[:] = -1.0
            sign[int(np.argmax(d))] = 1.0
        p = np.vstack([base, base + np.cumsum(sign * d)[:, None] * u])
        error = float(np.linalg.norm(p[n] - target))
        trace.append(error)
        return p, "converged" if error <= tolerance else "closest", 1, 0, trace
    kept, kept_p, mark, quiet, remedies = np.inf, p, error, 0, 0
    claim, iteration = "max_iter", 0
    for iteration in range(1, max_iter + 1):
        p[n], last = target, -u
        for i in range(n - 1, 0, -1):
            last = _direction(p[i] - p[i + 1], last)
            p[i] = p[i + 1] + d[i] * last
        last = -last
        for i in range(n):
            last = _direction(p[i + 1] - p[i], last)
            p[i + 1] = p[i] + d[i] * last
        error = float(np.linalg.norm(p[n] - target))
        trace.append(error)
        if error <= tolerance:
            return p, "converged", iteration, remedies, trace
        if error < (1 - stall) * mark:
            mark, quiet = error, 0
        else:
            quiet += 1
        if quiet >= PATIENCE and remedies >= nudges:
            claim = "stalled"
            break
        if quiet >= PATIENCE and iteration < max_iter:
            if error < kept:
                kept, kept_p = error, p.copy()
            side = perpendicular(u) * (0.1 * (1 + remedies) * (-1.0 if remedies % 2 else 1.0))
            p[1:n] += d[1:n, None] * side
            remedies, mark, quiet = remedies + 1, np.inf, 0
    return kept_p if kept < error else p, claim, iteration, remedies, trace


def _direction(v: Array, last: Array) -> Array:
    n = float(np.sqrt(v @ v))
    return v / n if n > 1e-145 else last


def pose_balls(tree: Tree, steps: list[int], frame: int, q: Array, points: Array) -> Array:
    """Turn the balls of a chain, root to tip, so that it runs through points.

    ``points[k]`` is the origin of step k, the last point that of the frame. In the world every
    link makes the smallest rotation from its start, so that its twist is kept.
    """
    out = np.array(q, float)
    start = tree.world(out)
    world = list(start)
    for k, s in enumerate(steps):
        old = start[s][0]
        bone = tree.place(steps[k + 1])[1] if k + 1 < len(steps) else tree.frame_place(frame)[1]
        if not np.linalg.norm(bone) > 0:
            whole = old
        else:
            whole = minimal_rotation(unit(old @ bone), unit(points[k + 1] - points[k])) @ old
        base = tree.place(s)[0] if k == 0 else world[steps[k - 1]][0] @ tree.place(s)[0]
        i = tree.step_q[s]
        turned = quat_from_mat(base.T @ whole)
        out[i : i + 4] = turned if turned @ q[i : i + 4] >= 0 else -turned
        world[s] = tree.move(s, out, world)
    return out


# ---- chains of real joints --------------------------------------------------------------------


@dataclass(frozen=True)
class FabrikOptions:
    """Switches of constrained FABRIK.

    Parameters
    ----------
    extrapolate
        Aim beyond the target by what the last two errors promise (0 or 1).
    chain_aim
        Weight with which every joint also aims the wanted chain at the target, root to tip.
    feasible_turn
        1: on the way to the root a link turns only as its own joint can; 0: freely, as published.
    frame_weight
        Weight of the wanted frame of the link, root to tip.
    back_weight
        Weight of the turned frame of the link above, tip to root.
    pose_weight
        Weight of the frame of the last link when the goal has an orientation.
    nudges
        Most nudges.
    """

    extrapolate: float = 0.0
    chain_aim: float = 0.0
    feasible_turn: float = 0.0
    frame_weight: float = 1.0
    back_weight: float = 0.1
    pose_weight: float = 3.0
    nudges: int = 2


PUBLISHED = FabrikOptions()
ACCELERATED = FabrikOptions(
    extrapolate=1.0, chain_aim=10.0, feasible_turn=1.0, frame_weight=0.1, back_weight=1.0
)


@dataclass
class _Link:
    """One ball, one slide, or up to three turns with one origin: steps[first:first+count]."""

    kind: int
    steps: list[int]


def links(tree: Tree, steps: list[int], reach: float) -> list[_Link]:
    """Group the steps of a chain into links."""
    out: list[_Link] = []
    for s in steps:
        kind = int(tree.step_kind[s])
        joined = (
            kind == TURN
            and out
            and out[-1].kind == TURN
            and len(out[-1].steps) < 3
            and float(np.linalg.norm(tree.place(s)[1])) <= TINY * reach
        )
        if joined:
            out[-1].steps.append(s)
        else:
            out.append(_Link(kind, [s]))
    return out


class _Chain:
    def __init__(self, tree: Tree, goal: Goal, reach: float, options: FabrikOptions) -> None:
        self.tree, self.goal, self.reach, self.options = tree, goal, reach, options
        self.steps = tree.chain(goal.frame)
        self.links = links(tree, self.steps, reach)
        self.tiny = TINY * reach
        self.e_r, self.e = tree.frame_place(goal.frame)
        self.wanted: list[tuple[Array, Array]] = []
        self.last_error: Array | None = None

    def fit(self, link: _Link, b: Array, q: Array) -> Array:
        """Write the best q of a link into q; give back its rotation J in its unmoved frame."""
        t = self.tree
        s = link.steps[0]
        if link.kind == SLIDE:
            return np.eye(3)
        if link.kind == BALL:
            i = t.step_q[s]
            q[i : i + 4] = quat_from_mat(fit_ball(b, quat_to_mat(q[i : i + 4])))
            return quat_to_mat(q[i : i + 4])
        between = [t.place(k)[0] for k in link.steps[1:]]
        limits = [(float(t.step_limit[k, 0]), float(t.step_limit[k, 1])) for k in link.steps]
        angles = fit_turns(b, between, limits, [t.value(k, q) for k in link.steps])
        j = turn_z(angles[0])
        for k, angle in enumerate(angles):
            t.set_value(link.steps[k], angle, q)
            if k:
                j = j @ between[k - 1] @ turn_z(angle)
        return j

    def base(self, i: int, world: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        """Unmoved frame of link i in the world."""
        s = self.links[i].steps[0]
        r, o = self.tree.place(s)
        above = int(self.tree.step_parent[s])
        if above < 0:
            return r, o
        return world[above][0] @ r, world[above][1] + world[above][0] @ o

    def carrier(self, i: int) -> int:
        """Index of the last link up to i that turns, -1 if none."""
        while i >= 0 and self.links[i].kind == SLIDE:
            i -= 1
        return i

    def turned(
        self, i: int, frm: Array, to: Array, q: Array, world: list[tuple[Array, Array]]
    ) -> Array:
        """Rotation of link i when its point ``frm`` is turned towards ``to``.

        A link turns about its own joint, a slide about the last joint above that turns.
        """
        here = world[self.links[i].steps[-1]][0]
        k = self.carrier(i)
        if k < 0:
            return here
        link = self.links[k]
        r, x = world[link.steps[-1]]
        a, b = frm - x, to - x
        if np.linalg.norm(a) <= self.tiny or np.linalg.norm(b) <= self.tiny:
            return here
        if self.options.feasible_turn > 0 and link.kind == TURN:
            rb = self.base(k, world)[0]
            m = np.outer(rb.T @ unit(b), r.T @ unit(a)) + 1e-3 * (rb.T @ r)
            out: Array = rb @ self.fit(link, m, np.array(q, float)) @ r.T @ here
            return out
        free: Array = minimal_rotation(unit(a), unit(b)) @ here
        return free

    def anchor(self, i: int, attach: Array, world: list[tuple[Array, Array]]) -> Array | None:
        """Origin of the first turning link above i that is not at ``attach``; None: none turns."""
        k, out = self.carrier(i - 1), None
        for _ in range(LOOK):
            if k < 0:
                break
            out = world[self.links[k].steps[-1]][1]
            if np.linalg.norm(attach - out) > self.tiny:
                break
            k = self.carrier(k - 1)
        return out

    def aim(self, tip: Array, fresh: bool) -> Array:
        """Target, or beyond it by min(r / (1 - r), 20) errors, r the ratio of the last two."""
        assert self.goal.position is not None
        error = self.goal.position - tip
        last, self.last_error = self.last_error, error
        if self.options.extrapolate > 0 and last is not None and not fresh:
            size = float(last @ last)
            ratio = float(error @ last) / size if size > 0 else 0.0
            if 0 < ratio < 1:
                return self.goal.position + min(ratio / (1 - ratio), 20.0) * error
        return np.array(self.goal.position, float)

    def to_root(self, aim: Array, q: Array, world: list[tuple[Array, Array]]) -> None:
        """Tip to root: the wanted frame of every link."""
        t, n = self.tree, len(self.links)
        self.wanted = [world[link.steps[-1]] for link in self.links]
        tip = t.frame_pose(self.goal.frame, world)[1]
        if self.goal.rotation is not None:
            w = self.goal.rotation @ self.e_r.T
        else:
            w = self.turned(n - 1, tip, aim, q, world)
        at = aim - w @ self.e
        self.wanted[n - 1] = w, at
        for i in range(n - 1, 0, -1):
            link = self.links[i]
            f, o = t.place(link.steps[0])
            here = world[self.links[i - 1].steps[-1]]
            if link.kind == SLIDE:
                s = link.steps[0]
                up = w @ f.T
                slide = float(w[:, 2] @ (at - up @ o - here[1]))
                slide = float(np.clip(slide, *t.step_limit[s]))
                at = at - w[:, 2] * slide - up @ o
            else:
                attach = here[1] + here[0] @ o
                anchor = self.anchor(i, attach, world)
                free = self.turned(i - 1, attach, at, q, world)
                b = self.options.back_weight * (f.T @ free.T @ w)
                if anchor is not None:
                    self._pair(b, 1.0, here[0] @ f, w, at - anchor, attach - anchor)
                j = self.fit(link, b, np.array(q, float))
                up = w @ j.T @ f.T
                at = at - up @ o
            w = up
            self.wanted[i - 1] = w, at

    def to_tip(self, aim: Array, q: Array, world: list[tuple[Array, Array]]) -> None:
        """Root to tip: q joint by joint, inside the limits, and the exact frames with it."""
        t, n, opt = self.tree, len(self.links), self.options
        for i, link in enumerate(self.links):
            rb, x = self.base(i, world)
            w, at = self.wanted[i]
            if link.kind == SLIDE:
                s = link.steps[0]
                slide = float(np.clip(rb[:, 2] @ (at - x), *t.step_limit[s]))
                t.set_value(s, slide, q)
            else:
                b = opt.frame_weight * (rb.T @ w)
                for k in range(i + 1, min(i + LOOK, n) + 1):
                    point = self.wanted[k][1] if k < n else aim
                    if self._pair(b, 1.0, rb, w, point - at, point - x):
                        break
                if opt.chain_aim > 0:
                    self._pair(b, opt.chain_aim, rb, w, aim - at, aim - x)
                if self.goal.rotation is not None and i == n - 1:
                    b += opt.pose_weight * (rb.T @ w)
                self.fit(link, b, q)
            for s in link.steps:
                world[s] = t.move(s, q, world)

    def _pair(self, b: Array, weight: float, rb: Array, w: Array, frm: Array, to: Array) -> bool:
        """Add the pair of a wanted direction in the link and where it should point."""
        if np.linalg.norm(frm) <= self.tiny:
            return False
        if np.linalg.norm(to) > self.tiny:
            b += weight * np.outer(rb.T @ unit(to), w.T @ unit(frm))
        return True

    def iterate(self, q: Array, fresh: bool) -> Array:
        out = np.array(q, float)
        world = self.tree.world(out)
        aim = self.aim(self.tree.frame_pose(self.goal.frame, world)[1], fresh)
        self.to_root(aim, out, world)
        self.to_tip(aim, out, world)
        return out


def chain_reach(tree: Tree, frame: int) -> float:
    """Sum of the lengths from the root of a chain to its frame, a slide by its longest extent."""
    total = float(np.linalg.norm(tree.frame_place(frame)[1]))
    for k, s in enumerate(tree.chain(frame)):
        total += float(np.linalg.norm(tree.place(s)[1])) if k else 0.0
        if tree.step_kind[s] == SLIDE:
            total += float(np.abs(tree.step_limit[s]).max())
    return total if 1e-9 < total < np.inf else 1.0


def fabrik_tree(
    tree: Tree,
    goal: Goal,
    q0: Array,
    *,
    max_iter: int = 300,
    stall: float = 1e-4,
    options: FabrikOptions = ACCELERATED,
    scale: float | None = None,
    out_of_reach: bool = False,
) -> Answer:
    """Constrained FABRIK for one goal: a position, or a position with a rotation.

    Parameters
    ----------
    tree, goal, q0
        The figure, what must hold, and the start inside the limits.
    max_iter, stall
        Cap, and the least share of the error that ``PATIENCE`` iterations must win.
    options
        Switches.
    scale
        Length for what counts as zero; the length of the path if None.
    out_of_reach
        Whether the target is known to be out of reach.
    """
    reach = chain_reach(tree, goal.frame) if scale is None else scale
    chain = _Chain(tree, goal, reach, options)
    return run(
        tree,
        [goal],
        chain.steps,
        q0,
        chain.iterate,
        max_iter=max_iter,
        stall=stall,
        nudges=options.nudges,
        reach=reach,
        out_of_reach=out_of_reach,
    )


def _inner(goal: Goal, points: Array) -> float:
    """Tolerance of the points: what they meet must still be met by q."""
    reach = float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())
    return goal.position_tolerance * (1 - 1e-9) - 4e-16 * (len(points) + 3) * reach


def fabrik_free(
    tree: Tree, goal: Goal, q0: Array, *, max_iter: int = 300, stall: float = 1e-4, nudges: int = 2
) -> Answer:
    """FABRIK for a position on a chain of balls: ``fabrik_points``, then ``pose_balls``."""
    steps = tree.chain(goal.frame)
    world = tree.world(q0)
    tip = tree.frame_pose(goal.frame, world)[1]
    points = np.array([*(world[s][1] for s in steps), tip])
    assert goal.position is not None
    points, outcome, iterations, remedies, trace = fabrik_points(
        points, goal.position, _inner(goal, points), max_iter, stall=stall, nudges=nudges
    )
    q = pose_balls(tree, steps, goal.frame, q0, points)
    error, _ = judge(tree, [goal], tree.world(q))
    return Answer(q, outcome, iterations, remedies, error, trace)


__all__ = [
    "ACCELERATED",
    "PUBLISHED",
    "FabrikOptions",
    "best_turn",
    "chain_reach",
    "fabrik_free",
    "fabrik_points",
    "fabrik_tree",
    "links",
    "pose_balls",
]
