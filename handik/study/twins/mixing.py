"""What further rounds of attempts do where a method crawls: combinations of its last poses.

The twin of the core's ``csrc/solve/drive/mix.c`` and of what ``csrc/solve/drive/pace.c`` makes of
it (Anderson's mixing, of residuals).
"""

from __future__ import annotations

import numpy as np

from .jacobian import Descent
from .tree import BALL, SLIDE, TURN_SHARE, Array, even_error, judge

#: Poses remembered; parts of the way, each a quarter of the one before; most rests in a row.
DEPTH, PARTS, RESTS = 6, 4, 5
#: An iteration that leaves more of the error than this crawls.
CRAWLS = 0.2


class Mixing:
    """The last poses of a method with their residuals, and when they are combined."""

    def __init__(self, descent: Descent) -> None:
        self.descent, self.tree, self.goals = descent, descent.tree, descent.goals
        self.poses: list[tuple[Array, Array]] = []
        self.before = np.inf
        self.rest = self.tried = 0

    def residual(self, q: Array) -> Array:
        """Weighted residual in meters, turns by the figure's length."""
        e, at = self.descent.length * self.descent.residual(q), 0
        for goal in self.goals:
            place = 3 * (goal.position is not None)
            turn = 3 * (goal.rotation is not None) + 3 * (goal.direction is not None)
            e[at + place : at + place + turn] *= np.sqrt(TURN_SHARE)
            at += place + turn
        return e

    def even(self, q: Array) -> float:
        """Error by which poses are compared."""
        return even_error(self.tree, self.goals, self.tree.world(q), self.descent.length)

    def remember(self, q: Array) -> None:
        """Add a pose, if it is not the last one again."""
        if not self.poses or not np.array_equal(self.poses[-1][0], q):
            self.poses = [*self.poses, (q.copy(), self.residual(q))][-DEPTH:]

    def way(self) -> Array | None:
        """Return the way from the last pose to the combination, None where they say nothing."""
        if len(self.poses) < 2:
            return None
        q, e = self.poses[-1]
        off = np.array([other - e for _, other in self.poses[:-1]])
        square = off @ off.T
        trace = np.trace(square)
        if not trace > 0:
            return None
        try:
            root = np.linalg.cholesky(square + 1e-12 * trace * np.eye(len(square)))
        except np.linalg.LinAlgError:
            return None
        b = np.linalg.solve(root.T, np.linalg.solve(root, -off @ e))
        way: Array = b @ np.array([other - q for other, _ in self.poses[:-1]])
        return way / max(1.0, self.longest(way))

    def longest(self, way: Array) -> float:
        """Largest move of a coordinate, of a slide in lengths."""
        most = 0.0
        for s in {s for goal in self.goals for s in self.tree.chain(goal.frame)}:
            at = int(self.tree.step_q[s])
            own = way[at : at + 4] if self.tree.step_kind[s] == BALL else way[at : at + 1]
            unit = self.descent.length if self.tree.step_kind[s] == SLIDE else 1.0
            most = max(most, float(np.abs(own).max()) / unit)
        return most

    def combine(self, q: Array) -> Array | None:
        """Return the combination or a part of the way there, where the judge finds it nearer."""
        way = self.way()
        if way is None:
            return None
        error = self.even(q)
        for part in range(PARTS):
            to = self.tree.clamp(q + 0.25**part * way)
            _, met = judge(self.tree, self.goals, self.tree.world(to))
            if met or self.even(to) < error:
                return to
        return None

    def follow(self, q: Array) -> Array:
        """After an iteration: its pose, or a combination instead."""
        error = float(np.linalg.norm(self.descent.residual(q)))
        _, met = judge(self.tree, self.goals, self.tree.world(q))
        self.remember(q)
        crawls = not met and CRAWLS * self.before < error < self.before < np.inf
        if crawls:
            self.rest -= 1
        if crawls and self.rest < 0:
            to = self.combine(q)
            self.tried = 0 if to is not None else min(self.tried + 1, RESTS)
            self.rest = 2**self.tried - 1
            if to is not None:
                q, error = to, float(np.linalg.norm(self.descent.residual(to)))
        self.before = error
        return q
