"""FABRIK on a chain with limits, move by move: what the twin does inside one iteration.

The order is that of figure 2.3.8 of the thesis: the end goes to the target, then joint by joint
towards the base every point goes to the line, to the nearest place that the limits allow, and to
its bone's length, and its frame is turned inside the limits; then the chain is laid from the base
to the tip by the joints' own angles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .fabrik_tree import PUBLISHED, FabrikOptions, Frame, _Fabrik, _Pull
from .fit import fit_ball
from .swing import excess, join, split
from .tree import (
    BALL,
    TURN,
    Array,
    Goal,
    Tree,
    problem_length,
    quat_from_mat,
    quat_to_mat,
    turn_z,
    unit,
)
from .wishes import Goals

OUTSIDE = 1e-6
"""Radians beyond its limits from which a joint is said to be outside."""
FINE = 97
"""Points of the edge of a region."""


@dataclass(frozen=True)
class FabrikMove:
    """One thing that FABRIK does, and the chain after it.

    Parameters
    ----------
    kind
        ``start``, ``target``, ``line``, ``region``, ``nearest``, ``length``, ``orient``, ``base``
        or ``turn``.
    text
        What happens, in a sentence.
    points
        Places of the joints and of the end (n + 1, 3); of a pass towards the base the upper ones
        still stand where they stood.
    at
        Which of them moves.
    q
        Coordinates, where the chain is a posture: at the start and after the last joint.
    apex, edge
        The joint whose limits are drawn, and the edge of the places (m, 3) that they allow.
    before, frame
        Rotation of the moved link without its limits and inside them.
    """

    kind: str
    text: str
    points: Array
    at: int
    q: Array | None = None
    apex: Array | None = None
    edge: Array | None = None
    before: Array | None = None
    frame: Array | None = None


class _Recorder(_Fabrik):
    """The same passes, taking notes."""

    record: list[FabrikMove]
    points: Array
    names: list[str]

    def note(self, kind: str, text: str, at: int, **more: Any) -> None:
        self.record.append(FabrikMove(kind, text, self.points.copy(), at, **more))

    def stand(self, world: list[Frame]) -> Array:
        origins = [self.present(i, world)[1] for i in range(len(self.links))]
        return np.array([*origins, self.ends[0].wish.stand(world).point])

    def to_root(self, q: Array, world: list[Frame]) -> None:
        self.points = self.stand(world)
        self.wanted = [self.present(i, world) for i in range(len(self.links))]
        last = len(self.links) - 1
        for i in range(last, -1, -1):
            if i == last:
                end = self.ends[self.links[i].ends[0]]
                self.points[i + 1] = end.aim
                self.note("target", "the end goes to the target", i + 1)
                self.wanted[i] = self.from_goal(i, end, q, world)
                self.points[i] = self.wanted[i][1]
                self.note("line", "on the line, at the length of its bone", i)
            else:
                self.wanted[i] = self.back_over(i, i + 1, q, world)
                self.over(i, q, world)

    def over(self, i: int, q: Array, world: list[Frame]) -> None:
        """Take notes of how link i was placed by the joint below it."""
        link, (w, at) = self.links[i + 1], self.wanted[i + 1]
        here, name = self.points[i].copy(), self.names[i + 1]
        f, o = self.tree.place(link.steps[0])
        free = self.freely(i, q, world)
        up = self.wanted[i][0]
        bone = float(np.linalg.norm(o))
        if bone > self.tiny:
            self.points[i] = at - free @ o
            self.note("line", "on the line, at the length of its bone", i)
        out = self.beyond(link, f.T @ free.T @ w)
        if not out > OUTSIDE:
            self.points[i] = self.wanted[i][1]
            if self.record[-1].at == i:
                self.record.pop()
            self.note("line", f"on the line; {name} is inside its limits", i)
            return
        how = {"before": free, "frame": up}
        if bone > self.tiny:
            edge, way = self.edge(link, w, at, f.T @ up.T @ w), unit(-up @ o)
            words = f"{name} would be {np.degrees(out):.0f}° outside its limits"
            self.note("region", words, i, apex=at, edge=edge)
            self.points[i] = at + max(0.0, float((here - at) @ way)) * way
            words = "along the direction inside the limits that fits best"
            self.note("nearest", words, i, apex=at, edge=edge)
            self.points[i] = self.wanted[i][1]
            self.note("length", "to the length of its bone", i, apex=at, edge=edge)
        self.note("orient", f"its frame is turned inside the limits of {name}", i, **how)

    def freely(self, i: int, q: Array, world: list[Frame]) -> Array:
        """Rotation of link i if the joint below it had no limits."""
        link, (w, at) = self.links[i + 1], self.wanted[i + 1]
        f, o = self.tree.place(link.steps[0])
        here = self.present(i, world)
        attach = here[1] + here[0] @ o
        anchor = self.anchor(i, attach, world)
        pull = _Pull(self.tiny)
        pull.frame(self.back, self.turned(i, attach, at, q, world) @ f, w)
        if anchor is not None:
            pull.pair(1.0, here[0] @ f, w, at - anchor, attach - anchor)
        j = fit_ball(pull.b, f.T @ here[0].T @ w, pull.bound)
        free: Array = w @ j.T @ f.T
        return free

    def beyond(self, link: Any, j: Array) -> float:
        """Radians by which a rotation is outside the limits of a link's joint."""
        s = link.steps[0]
        if link.kind == BALL:
            row = self.tree.cones.get(s)
            return 0.0 if row is None else excess(row, split(row, quat_from_mat(j)))
        low, high = (float(x) for x in self.tree.step_limit[s])
        angle = float(np.arctan2(j[1, 0] - j[0, 1], j[0, 0] + j[1, 1]))
        tilt = float(np.arccos(np.clip(j[2, 2], -1.0, 1.0)))
        return max(tilt, low - angle, angle - high, 0.0)

    def edge(self, link: Any, w: Array, at: Array, j: Array) -> Array:
        """Places that the limits of the joint below allow a link's origin: the edge of them.

        Of a ball at the twist it has; of a hinge all of them, an arc.
        """
        f, o = self.tree.place(link.steps[0])
        s, row = link.steps[0], self.tree.cones.get(link.steps[0])
        if link.kind == TURN:
            low, high = np.clip(self.tree.step_limit[s], -np.pi, np.pi)
            turns = [turn_z(float(x)) for x in np.linspace(low, high, FINE)]
        else:
            assert row is not None  # a free ball is never outside its limits
            twist = float(split(row, quat_from_mat(j))[2])
            turns = [quat_to_mat(join(row, np.array([*uv, twist]))) for uv in _rim(row)]
        return np.array([at - w @ turn.T @ f.T @ o for turn in turns])

    def to_tip(self, q: Array, world: list[Frame]) -> None:
        super().to_tip(q, world)
        placed = self.stand(world)
        self.points[0] = placed[0]
        self.note("base", "back from the base", 0)
        for i in range(len(self.links)):
            self.points[: i + 2] = placed[: i + 2]
            done = {"q": q.copy()} if i + 1 == len(self.links) else {}
            self.note("turn", f"{self.names[i]} turns as far as its limits let it", i + 1, **done)


def _rim(row: Any) -> Iterator[Array]:
    """Swings on the edge of a cone or polygon."""
    polygon = getattr(row, "polygon", None)
    if polygon is not None:
        corner = polygon.directions()
        for a, b in zip(corner, np.roll(corner, -1, axis=0), strict=True):
            for t in np.linspace(0.0, 1.0, 12, endpoint=False):
                d = unit((1 - t) * a + t * b)
                flat = float(np.hypot(d[0], d[1]))
                yield d[:2] * (np.arctan2(flat, d[2]) / flat if flat > 1e-12 else 1.0)
        return
    half = np.asarray(row[9:13])
    for phi in np.linspace(0.0, 2 * np.pi, FINE):
        uv = np.array([np.cos(phi), np.sin(phi)])
        yield uv * np.where(uv >= 0, half[:2], half[2:])


def fabrik_moves(
    model: Any,
    target: npt.ArrayLike,
    q0: npt.ArrayLike | None = None,
    *,
    iterations: int = 1,
    options: FabrikOptions = PUBLISHED,
) -> list[FabrikMove]:
    """Return every move of some iterations of constrained FABRIK on a serial chain.

    Parameters
    ----------
    model
        A serial chain of balls and hinges, one at a place, that ends at its tip.
    target
        Where the tip shall be (3,).
    q0
        The start inside the limits; the rest if not given.
    iterations
        How many.
    options
        Switches, those of the published method if not given.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.4, 0.3, 0.2], "ball").with_limits(joint_2=hk.Cone(0.5))
    >>> moves = fabrik_moves(arm, [0.2, 0.6, 0.1])
    >>> [move.kind for move in moves[:3]]
    ['start', 'target', 'line']
    """
    tree = Tree(model)
    goal = np.asarray(target, float)
    if goal.shape != (3,) or not np.isfinite(goal).all():
        raise ValueError(f"target must be one finite point (3,), got {target!r}")
    if iterations < 1:
        raise ValueError(f"iterations must be 1 or more, got {iterations}")
    q = np.array(model.rest if q0 is None else q0, float)
    frame = model.frame_names.index(model.tip)
    goals = Goals(tree, [Goal(frame, goal)])
    solver = _Recorder(tree, goals, problem_length(tree, [Goal(frame)]), options)
    chain = [link.parent for link in solver.links] == list(range(-1, len(solver.links) - 1))
    alone = all(len(x.steps) == 1 and x.kind in (BALL, TURN) for x in solver.links)
    if not (chain and alone) or solver.held:
        raise ValueError(f"{model.name!r} is no serial chain of balls and hinges")
    solver.record = []
    solver.names = [model.joint_names[model.step_joint[x.steps[0]]] for x in solver.links]
    world = tree.world(q)
    solver.set_aims(world, True)
    solver.points = solver.stand(world)
    solver.note("start", "the start", len(solver.links), q=q.copy())
    for k in range(iterations):
        q = solver.iterate(q, k == 0)
    return solver.record


__all__ = ["FabrikMove", "fabrik_moves"]
