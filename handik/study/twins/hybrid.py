"""Two iterations of FABRIK, then damped least squares: the core's ``hybrid``, from one start.

Aristidou, Chrysanthou, Lasenby (2016) for the first part, Nakamura and Hanafusa (1986) for the
second. The core says the same in csrc/solve/drive/hybrid.c.
"""

from __future__ import annotations

import numpy as np

from .fabrik_tree import FAST, _Fabrik
from .jacobian import ChordDescent, dls_rule
from .tree import Answer, Array, Goal, Tree, judge, problem_length
from .wishes import Goals

NEAR = 0.1
"""Error, over the length of the problem, below which least squares goes first."""
WINDOW, CAP, FIRST_CAP, RATIO = 3, 30, 60, 0.5


class _Hybrid:
    """One start, and what is remembered of it."""

    def __init__(self, tree: Tree, goals: list[Goal], q0: Array, coarse: int, cap: int) -> None:
        self.tree, self.goals, self.coarse, self.cap = tree, goals, coarse, cap
        length = problem_length(tree, goals)
        self.descent = ChordDescent(tree, goals, length)
        self.fabrik = _Fabrik(tree, Goals(tree, goals), length, FAST)
        self.q = self.start = np.array(q0, float)
        self.best, self.best_q = np.inf, self.q
        self.trace = [judge(tree, goals, tree.world(self.q))[0]]

    @property
    def error(self) -> float:
        return float(np.linalg.norm(self.descent.residual(self.q)))

    @property
    def met(self) -> bool:
        return judge(self.tree, self.goals, self.tree.world(self.q))[1]

    @property
    def spent(self) -> bool:
        return len(self.trace) > self.cap

    def keep(self) -> None:
        """Remember the pose if it is the best."""
        if self.error < self.best:
            self.best, self.best_q = self.error, self.q

    def moved(self, q: Array) -> None:
        """Take the pose of an iteration."""
        self.q = q
        self.trace.append(judge(self.tree, self.goals, self.tree.world(q))[0])

    def descend(self, cap: int) -> None:
        """Least squares until its square has not fallen to a half in three iterations."""
        past: list[float] = []
        while not self.met:
            self.keep()
            square = self.error**2
            slow = len(past) >= WINDOW and square > RATIO * past[-WINDOW]
            if slow or len(past) >= cap or self.spent:
                return
            past.append(square)
            x = self.descent.step(self.q, dls_rule(float(np.sqrt(0.02 * square + 1e-9)), 0.0), 1.0)
            assert x is not None
            self.moved(self.descent.move(self.q, x))

    def reach(self) -> None:
        """Make a few iterations of FABRIK and take the best of their poses."""
        self.best = np.inf
        for k in range(self.coarse):
            if self.met or self.spent:
                return
            self.moved(self.fabrik.iterate(self.q, k == 0))
            if not self.met:
                self.keep()
        if not self.met and not self.error <= self.best:
            self.q = self.best_q

    def run(self) -> Answer:
        """Least squares first when near, FABRIK, least squares."""
        if self.error < NEAR:
            self.descend(FIRST_CAP)
        if not self.met and not self.spent:
            self.reach()
        if not self.met and not self.spent:
            self.descend(CAP)
        outcome = "converged" if self.met else "max_iter" if self.spent else "stalled"
        q = self.tree.unwrapped(self.start, self.q if self.met else self.best_q)
        error = judge(self.tree, self.goals, self.tree.world(q))[0]
        return Answer(q, outcome, len(self.trace) - 1, 0, error, self.trace)


def hybrid(
    tree: Tree, goals: Goal | list[Goal], q0: Array, *, coarse: int = 2, max_iter: int = 3000
) -> Answer:
    """Hybrid of FABRIK and damped least squares, from the start given alone.

    Parameters
    ----------
    tree, goals, q0
        The figure, whose balls have no limits, goals of position and orientation, and the start
        inside the limits.
    coarse
        Iterations of FABRIK.
    max_iter
        Cap on the iterations of both.

    Returns
    -------
    Answer

    Notes
    -----
    This is the core's ``hybrid`` with ``max_restarts=0``; its further starts are not repeated.
    """
    rows = [goals] if isinstance(goals, Goal) else goals
    return _Hybrid(tree, rows, q0, coarse, max_iter).run()


__all__ = ["hybrid"]
