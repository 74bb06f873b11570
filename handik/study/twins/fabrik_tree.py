"""FABRIK on trees of real joints with limits, for any number of goals.

Several ends and sub-bases as in Aristidou, Lasenby: FABRIK, Graphical Models 73 (2011), section 5;
joints with limits as in Aristidou, Chrysanthou, Lasenby: Extending FABRIK with model constraints,
Comput. Animat. Virtual Worlds 27 (2016), but with link frames carried in both passes, so that the
answer is a q inside its limits. The C core says the same in csrc/solve/points/fabrik_tree.c.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .fabrik_links import End, Link, cut, hang, steps_above
from .fit import TWO_PI, best_turn, fit_ball, fit_swing, fit_turns
from .shared import Pull, Shared, move_shared, shared_coordinates
from .tree import (
    BALL,
    SLIDE,
    TURN,
    TURN_SHARE,
    Answer,
    Array,
    Goal,
    Tree,
    minimal_rotation,
    problem_length,
    quat_from_mat,
    quat_to_mat,
    turn_z,
    unit,
)
from .watch import aim_beyond, run
from .wishes import Goals, Terms

TINY = 1e-12
"""Share of the reach below which a bone has no direction."""
LOOK = 8
"""Most links looked past in search of one with a direction."""

Frame = tuple[Array, Array]


@dataclass(frozen=True)
class FabrikOptions:
    """Switches of constrained FABRIK.

    Parameters
    ----------
    extrapolate
        Aim beyond the target, point and rotation each by what its last two errors promise (0 or 1).
    chain_aim
        Weight with which every joint also aims the wanted chain at the targets, root to tip.
    feasible_turn
        1: on the way to the root a link turns only as its own joint can; 0: freely, as published.
    frame_weight
        Weight of the wanted frame of the link, root to tip.
    back_weight
        Weight of the turned frame of the link above, tip to root.
    pose_weight
        Weight of the frame of a link whose goal has an orientation or an axis; a third of it takes
        the place of ``frame_weight`` above such a link.
    shared_weight
        Takes the place of ``back_weight`` when there are several goals.
    nudges
        Most nudges.
    pose_spread
        After r remedies ``pose_weight`` counts 1, s, s^2, 1/s times, for r = 0, 1, 2, 3 modulo 4.
    """

    extrapolate: float = 0.0
    chain_aim: float = 0.0
    feasible_turn: float = 0.0
    frame_weight: float = 1.0
    back_weight: float = 0.1
    pose_weight: float = 3.0
    shared_weight: float = 0.1
    perturbations: int = 2
    pose_spread: float = 1.0


PUBLISHED = FabrikOptions()
FAST = FabrikOptions(
    extrapolate=1.0,
    chain_aim=10.0,
    feasible_turn=1.0,
    frame_weight=0.3,
    back_weight=0.5,
    shared_weight=16.0,
    perturbations=1,
    pose_spread=4.0,
)


class _Pull:
    """A sum of pairs, and the sum of their weights, which no rotation's gain exceeds."""

    def __init__(self, tiny: float) -> None:
        self.b, self.bound, self.tiny = np.zeros((3, 3)), 0.0, tiny

    def pair(
        self, weight: float, rb: Array, w: Array, x: Array, y: Array, by_length: float = 0.0
    ) -> bool:
        """Add the pair of a wanted direction in the link and where it should point."""
        nx, ny = float(np.linalg.norm(x)), float(np.linalg.norm(y))
        if nx <= self.tiny:
            return False
        if ny > self.tiny:
            gain = nx * ny / by_length**2 if by_length > 0 else 1.0
            self.b += weight * gain * np.outer(rb.T @ unit(y), w.T @ unit(x))
            self.bound += weight * gain
        return True

    def frame(self, weight: float, a: Array, w: Array) -> None:
        self.b += weight * (a.T @ w)
        self.bound += 3 * weight


def active_steps(tree: Tree, goals: list[Goal]) -> list[int]:
    """List the steps above any goal, parents first."""
    return sorted({s for goal in goals for s in tree.chain(goal.frame)})


class _Fabrik:
    def __init__(
        self, tree: Tree, goals: Goals | Terms, reach: float, options: FabrikOptions
    ) -> None:
        self.tree, self.goals, self.reach, self.options = tree, goals, reach, options
        self.tiny = TINY * reach
        self.steps = steps_above(tree, goals.wishes)
        self.shared = shared_coordinates(tree, self.steps)
        self.held = {s for group in self.shared for s in group.steps}
        self.q = np.zeros(0)
        self.start: Array | None = None
        self.pose_weight = options.pose_weight
        self.links = cut(tree, self.steps, goals.wishes, self.held, self.tiny)
        self.ends = hang(self.links, goals.wishes)
        self.wanted: list[Frame] = []
        self.back = options.shared_weight if len(self.ends) > 1 else options.back_weight

    # -- fits

    def fit(self, link: Link, pull: _Pull, q: Array) -> Array:
        """Write the best q of a link into q; give back its rotation J in its unmoved frame."""
        t, s = self.tree, link.steps[0]
        if link.kind == BALL:
            i = t.step_q[s]
            old = quat_to_mat(q[i : i + 4])
            if s in t.cones:
                q[i : i + 4] = fit_swing(pull.b, t.cones[s], old, pull.bound)
            else:
                q[i : i + 4] = quat_from_mat(fit_ball(pull.b, old, pull.bound))
            return quat_to_mat(q[i : i + 4])
        between = [t.place(k)[0] for k in link.steps[1:]]
        limits = [self.limits(k, q) for k in link.steps]
        angles = fit_turns(pull.b, between, limits, [t.value(k, q) for k in link.steps])
        j = turn_z(angles[0])
        for k, angle in enumerate(angles):
            if link.steps[k] not in self.held:
                t.set_value(link.steps[k], angle, q)
            if k:
                j = j @ between[k - 1] @ turn_z(angle)
        return j

    def limits(self, s: int, q: Array) -> tuple[float, float]:
        """Return the limits of a turn or slide; its value, when it shares its coordinate."""
        if s in self.held:
            return self.tree.value(s, q), self.tree.value(s, q)
        return float(self.tree.step_limit[s, 0]), float(self.tree.step_limit[s, 1])

    def base(self, i: int, world: list[Frame]) -> Frame:
        """Unmoved frame of link i in the world."""
        s = self.links[i].steps[0]
        r, o = self.tree.place(s)
        above = int(self.tree.step_parent[s])
        if above < 0:
            return r, o
        return world[above][0] @ r, world[above][1] + world[above][0] @ o

    def present(self, i: int, world: list[Frame]) -> Frame:
        """Return the moved frame of link i."""
        return world[self.links[i].steps[-1]]

    # -- tip to root

    def turned(self, i: int, frm: Array, to: Array, q: Array, world: list[Frame]) -> Array:
        """Rotation of link i when its point ``frm`` is turned towards ``to``.

        A link turns about its own joint, a slide about the last joint above that turns.
        """
        here = self.present(i, world)[0]
        k = self.links[i].carrier
        if k < 0:
            return here
        link = self.links[k]
        r, x = self.present(k, world)
        a, b = frm - x, to - x
        if np.linalg.norm(a) <= self.tiny or np.linalg.norm(b) <= self.tiny:
            return here
        limited = link.kind == TURN or link.steps[0] in self.tree.cones
        if self.options.feasible_turn > 0 and limited:
            rb = self.base(k, world)[0]
            pull = _Pull(self.tiny)
            pull.frame(1e-3, rb, r)
            pull.pair(1.0, rb, r, a, b)
            out: Array = rb @ self.fit(link, pull, np.array(q, float)) @ r.T @ here
            return out
        free: Array = minimal_rotation(unit(a), unit(b)) @ here
        return free

    def anchor(self, i: int, attach: Array, world: list[Frame]) -> Array | None:
        """Origin of the first turning link from i up that is not at ``attach``."""
        k, out = self.links[i].carrier, None
        for _ in range(LOOK):
            if k < 0:
                break
            out = self.present(k, world)[1]
            if np.linalg.norm(attach - out) > self.tiny:
                break
            k = self.links[k].parent
            k = self.links[k].carrier if k >= 0 else -1
        return out

    def back_over(self, i: int, c: int, q: Array, world: list[Frame]) -> Frame:
        """Wanted frame of link i from that of its only child."""
        t, link = self.tree, self.links[c]
        s = link.steps[0]
        f, o = t.place(s)
        w, at = self.wanted[c]
        here = self.present(i, world)
        if link.kind == SLIDE:
            up = w @ f.T
            slide = float(np.clip(w[:, 2] @ (at - up @ o - here[1]), *self.limits(s, q)))
            return up, at - w[:, 2] * slide - up @ o
        attach = here[1] + here[0] @ o
        anchor = self.anchor(i, attach, world)
        pull = _Pull(self.tiny)
        pull.frame(self.back, self.turned(i, attach, at, q, world) @ f, w)
        if anchor is not None:
            pull.pair(1.0, here[0] @ f, w, at - anchor, attach - anchor)
        up = w @ self.fit(link, pull, np.array(q, float)).T @ f.T
        return up, at - up @ o

    def pullers(self, i: int, world: list[Frame]) -> list[tuple[Array, Array, float]]:
        """Point in link i, where it is wanted, and weight, of all that pulls at it."""
        t, out = self.tree, []
        here = self.present(i, world)
        for c in self.links[i].children:
            s = self.links[c].steps[0]
            o = t.place(s)[1]
            w, at = self.wanted[c]
            if self.links[c].kind == SLIDE:
                slide = float(w[:, 2] @ (at - here[1] - here[0] @ o))
                at = at - w[:, 2] * np.clip(slide, *self.limits(s, self.q))
            below = [self.ends[k].square for k in self.links[c].below]
            out.append((o, at, sum(below) / len(below)))
        for k in self.links[i].ends:
            end = self.ends[k]
            weight = end.square * (1.0 if end.wish.point is not None else 1e-3)
            out.append((end.wish.place[1], end.aim, weight))
        return out

    def sub_base(self, i: int, world: list[Frame]) -> Frame:
        """Rigid motion that takes the points of all that pulls nearest to where they are wanted.

        The link's own origin, wanted where it stands, is one of the points.
        """
        here = self.present(i, world)
        rows = [(np.zeros(3), here[1], 1.0), *self.pullers(i, world)]
        total = sum(w for _, _, w in rows)
        middle = sum((w * x for x, _, w in rows), np.zeros(3)) / total
        aim = sum((w * y for _, y, w in rows), np.zeros(3)) / total
        b = sum((w * np.outer(y - aim, x - middle) for x, y, w in rows), np.zeros((3, 3)))
        size = sum(w * float((x - middle) @ (x - middle)) for x, _, w in rows)
        b = (b / size if size > self.tiny**2 else 0 * b) + 0.1 * self.back * here[0]
        for k in self.links[i].ends:
            end = self.ends[k]
            if end.rotation is not None:
                r = end.rotation @ end.wish.place[0].T
                b = b + self.pose_weight * end.square * r
        r = quat_to_mat(quat_from_mat(fit_ball(b, here[0])))
        return r, aim - r @ middle

    def from_goal(self, i: int, end: End, q: Array, world: list[Frame]) -> Frame:
        """Wanted frame of a link at which one goal pulls and nothing else."""
        r, e = end.wish.place
        if end.rotation is not None:
            w = end.rotation @ r.T
        else:
            w = self.turned(i, end.tip, end.aim, q, world)
        return w, end.aim - w @ e

    def to_root(self, q: Array, world: list[Frame]) -> None:
        """Tip to root: the wanted frame of every link."""
        self.wanted = [self.present(i, world) for i in range(len(self.links))]
        for i in range(len(self.links) - 1, -1, -1):
            link = self.links[i]
            if link.pulls > 1:
                self.wanted[i] = self.sub_base(i, world)
            elif link.ends:
                self.wanted[i] = self.from_goal(i, self.ends[link.ends[0]], q, world)
            else:
                self.wanted[i] = self.back_over(i, link.only, q, world)

    # -- root to tip

    def add_only(self, i: int, rb: Array, x: Array, pull: _Pull) -> None:
        """Pair of the only thing that pulls: the next wanted origin that is not this one's."""
        w, at = self.wanted[i]
        k = i
        for _ in range(LOOK):
            link = self.links[k]
            k = link.only
            if k < 0 and link.pulls > 1:
                return
            point = self.wanted[k][1] if k >= 0 else self.ends[link.ends[0]].aim
            if pull.pair(1.0, rb, w, point - at, point - x) or k < 0:
                return

    def add_all(self, i: int, rb: Array, x: Array, pull: _Pull, world: list[Frame]) -> None:
        """Pairs of all that pulls at a sub-base, by their lengths, their weights one in sum."""
        w = self.wanted[i][0]
        rows = self.pullers(i, world)
        total = sum(weight * float(point @ point) for point, _, weight in rows)
        if total > self.tiny**2:
            for point, wanted, weight in rows:
                pull.pair(weight, rb, w, w @ point, wanted - x, float(np.sqrt(total)))

    def gaps(self) -> tuple[list[Array], list[Array]]:
        """Gaps of the links, and their sums from the root to the goals.

        A gap leads from where the wanted link above carries an origin to where it is wanted; of a
        slide, what it cannot slide.
        """
        t, gaps, sums = self.tree, [], []
        for i, link in enumerate(self.links):
            w, at = self.wanted[i]
            gap = np.zeros(3)
            if link.parent >= 0:
                up, x = self.wanted[link.parent]
                gap = at - x - up @ t.place(link.steps[0])[1]
                if link.kind == SLIDE:
                    limits = self.limits(link.steps[0], self.q)
                    gap = gap - w[:, 2] * np.clip(w[:, 2] @ gap, *limits)
            gaps.append(gap)
        for k, end in enumerate(self.ends):
            i = next(n for n, link in enumerate(self.links) if k in link.ends)
            w, at = self.wanted[i]
            above = [gap for link, gap in zip(self.links, gaps, strict=True) if k in link.below]
            own = end.aim - at - w @ end.wish.place[1]
            sums.append(sum(above, own))
        return gaps, sums

    def to_tip(self, q: Array, world: list[Frame]) -> None:
        """Root to tip: q joint by joint, inside the limits, and the exact frames with it."""
        t, opt = self.tree, self.options
        gaps, sums = self.gaps()
        for i, link in enumerate(self.links):
            if len(self.ends) > 1:
                sums = [s - gaps[i] if k in link.below else s for k, s in enumerate(sums)]
            else:
                sums = [np.zeros(3)] * len(self.ends)
            rb, x = self.base(i, world)
            w, at = self.wanted[i]
            if link.kind == SLIDE:
                s = link.steps[0]
                slide = float(np.clip(rb[:, 2] @ (at - x), *self.limits(s, q)))
                if s not in self.held:
                    t.set_value(s, slide, q)
            else:
                pull = _Pull(self.tiny)
                turns = any(self.ends[k].rotation is not None for k in link.below)
                pull.frame(self.pose_weight / 3 if turns else opt.frame_weight, rb, w)
                if link.pulls > 1:
                    self.add_all(i, rb, x, pull, world)
                else:
                    self.add_only(i, rb, x, pull)
                if opt.chain_aim > 0:
                    by = self.reach / 3 if len(link.below) > 1 else 0.0
                    for k in link.below:
                        end = self.ends[k]
                        if end.wish.point is not None:
                            weight = opt.chain_aim * end.square
                            pull.pair(weight, rb, w, end.aim - at - sums[k], end.aim - x, by)
                for end in (self.ends[k] for k in link.ends):
                    if end.rotation is not None:
                        pull.frame(self.pose_weight * end.square, rb, w)
                self.fit(link, pull, q)
            for s in link.steps:
                world[s] = t.move(s, q, world)

    def set_aims(self, world: list[Frame], fresh: bool) -> None:
        """Where the ends are, and what the passes aim at."""
        self.goals.look(world)
        extrapolate = self.options.extrapolate > 0
        for end in self.ends:
            wish = end.wish
            now = wish.stand(world)
            end.tip, end.rotation = now.point, wish.rotation
            if fresh:
                end.last = end.last_turn = None
            if wish.axis is not None:
                end.rotation = minimal_rotation(now.axis, wish.axis) @ now.rotation
            if end.rotation is not None and extrapolate and wish.pair < 0:
                end.rotation = self.turn_beyond(end, end.rotation, now.rotation)
            if wish.point is None:
                end.aim = end.tip
                continue
            last = end.last if extrapolate else None
            end.aim, end.last = aim_beyond(wish.point, end.tip, last)

    @staticmethod
    def turn_beyond(end: End, wanted: Array, now: Array) -> Array:
        """Rotation beyond the wanted one by what the last two errors promise.

        Errors are vector parts of quaternions; what is added is a third of a half turn at most.
        """
        quat = quat_from_mat(wanted @ now.T)
        error = np.copysign(1.0, quat[0]) * quat[1:]
        way, end.last_turn = aim_beyond(error, np.zeros(3), end.last_turn)
        more = way - error
        size = float(np.linalg.norm(more))
        if size == 0:
            return wanted
        more = more * min(1.0, 0.5 / size)
        out: Array = quat_to_mat(np.array([np.sqrt(1 - more @ more), *more])) @ wanted
        return out

    def weigh_poses(self, n_restarts: int) -> None:
        """Weigh orientations as is due after so many remedies."""
        s = 1.0 if any(w.pair >= 0 for w in self.goals.wishes) else self.options.pose_spread
        self.pose_weight = self.options.pose_weight * (1.0, s, s * s, 1 / s)[n_restarts % 4]

    def settle(self, q: Array, fresh: bool) -> None:
        """Coordinates that several joints share take their best values, from the tips on."""
        square = 0.5 * TURN_SHARE * self.reach**2
        pulls = []
        for end in self.ends:
            wish, w = end.wish, end.weight**2
            own, want = np.zeros((0, 3)), np.zeros((0, 3))
            if wish.axis is not None:
                own, want = wish.own[None], wish.axis[None]
            if wish.rotation is not None and end.rotation is not None:
                own, want = np.eye(3), (wish.rotation if wish.changes else end.rotation).T
            point = w if wish.point is not None else 0.0
            aim = wish.point if wish.changes and wish.point is not None else end.aim
            pulls.append(Pull(wish.frame, own, point, w * square, aim, want, wish.offset))
        for group in reversed(self.shared):
            alone = [
                pull for pull, end in zip(pulls, self.ends, strict=True) if self.moves(group, end)
            ]
            move_shared(self.tree, group, q, alone, around=fresh)

    def moves(self, group: Shared, end: End) -> bool:
        """Whether a coordinate moves an end against the other side of its pair, if it has one."""
        above = [
            set(group.steps) & set(self.tree.chain(other.wish.frame))
            for other in self.ends
            if other is end or (end.wish.pair >= 0 and other.wish.pair == end.wish.pair)
        ]
        return len(above) == 1 or above[0] != above[1]

    def iterate(self, q: Array, fresh: bool) -> Array:
        """One iteration."""
        out = self.q = np.array(q, float)
        self.start = out.copy() if self.start is None else self.start
        world = self.tree.world(out)
        self.set_aims(world, fresh)
        self.to_root(out, world)
        self.to_tip(out, world)
        self.unwind(out, self.start)
        if self.shared:
            self.goals.look(self.tree.world(out))
            self.settle(out, fresh)
        return out

    def unwind(self, q: Array, start: Array) -> None:
        """Bring turns that may go round more than once nearest to those of the start."""
        t = self.tree
        for s in self.steps:
            low, high = (float(x) for x in t.step_limit[s])
            if t.step_kind[s] == TURN and s not in self.held and high - low >= TWO_PI:
                c, d = np.cos(t.value(s, q)), np.sin(t.value(s, q))
                t.set_value(s, best_turn(c, d, low, high, t.value(s, start)), q)


def fabrik_tree(
    tree: Tree,
    goals: Goal | list[Goal] | Terms,
    q0: Array,
    *,
    max_iter: int = 300,
    ftol: float = 1e-4,
    options: FabrikOptions = FAST,
    scale: float | None = None,
    out_of_reach: bool = False,
) -> Answer:
    """Constrained FABRIK for goals of position, of orientation, or of both, and for terms.

    Parameters
    ----------
    tree, goals, q0
        The figure, what must hold, and the start inside the limits.
    max_iter, stall
        Cap, and the least share of the error that ``PATIENCE`` iterations must win.
    options
        Switches.
    scale
        Length for what counts as zero and for the chain aim; the longest path if None.
    out_of_reach
        Whether a target is known to be out of reach.

    Notes
    -----
    The random new starts of the core's ``fabrik_fast`` (its option ``starts``) are not repeated.
    """
    fixed = [goals] if isinstance(goals, Goal) else [] if isinstance(goals, Terms) else goals
    wanted = goals if isinstance(goals, Terms) else Goals(tree, fixed)
    reach = (
        problem_length(tree, [Goal(frame) for frame in wanted.frames]) if scale is None else scale
    )
    solver = _Fabrik(tree, wanted, reach, options)
    begun = 0

    def iterate(q: Array, fresh: bool) -> Array:
        nonlocal begun
        if fresh:
            solver.weigh_poses(begun)
            begun += 1
        return solver.iterate(q, fresh)

    return run(
        tree,
        fixed,
        solver.steps,
        q0,
        iterate,
        max_iter=max_iter,
        ftol=ftol,
        perturbations=options.perturbations,
        reach=reach,
        out_of_reach=out_of_reach,
        judged=wanted.judge,
        evenly=wanted.even,
    )


__all__ = [
    "FAST",
    "PUBLISHED",
    "FabrikOptions",
    "active_steps",
    "fabrik_tree",
]
