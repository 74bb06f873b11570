"""Free postures of many targets at once, where nothing is asked but to be there."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._halt import tick_of_thread
from handik.scene.access._judge import Blocked
from handik.scene.access._witness import clear_plan, free_draws, from_draws, tips
from handik.solve.call import solve_plan

if TYPE_CHECKING:
    from handik.result import Result
    from handik.scene.access._verdict import Asked

__all__ = ["Search"]

Array = NDArray[np.float64]

#: Drawn free postures near a target from which a short search begins; iterations from a start.
NEAREST, FEW = 4, 15
#: Where what came nearest lacks no more than so many meters (off the target, and of overlap), it
#: goes on from so many postures about it, which are so many radians and meters off. [measured]
NEAR_MISS, ABOUT, OFF = 0.01, 12, 0.03
#: As of NEAR_MISS, up to which a hand is turned, as to lie along a wall. [measured]
ASKEW = 0.03
#: Where it lacks no more than so many times the tolerance, the goal is moved towards it: by such a
#: share of the tolerance, to be met within another. [measured]
HELD_OFF, TOWARDS, STRICTLY = 1.5, 0.97, 0.02


@lru_cache(maxsize=16)
def _aside(nv: int, seed: int) -> Array:
    """Return ways to what lies about a posture."""
    return OFF * np.random.default_rng(seed).standard_normal((ABOUT, nv))


@dataclass
class Search:
    """Searches for all targets together, what costs least first; each as if it were asked alone."""

    asked: Asked
    frame: str
    targets: Array
    near: Array  # (n, nq) postures that reach

    def __post_init__(self) -> None:
        self.best = self.near.copy()
        self.counts = [Blocked(self.asked) for _ in self.targets]
        self.found: list[Array | None] = [None for _ in self.targets]
        self.error = np.full(len(self.targets), inf)  # of what came nearest

    def left(self) -> NDArray[np.intp]:
        """Return the numbers of the targets without a free posture."""
        return np.array([k for k, q in enumerate(self.found) if q is None], np.intp)

    def look(self, rows: NDArray[np.intp], some: Array) -> None:
        """Look at a posture that reaches for each of some targets, unless one is found."""
        if not len(rows):
            return
        judged = Blocked(self.asked).judged(some)
        for k, q, why, gap in zip(rows.tolist(), some, *judged, strict=True):
            if self.found[k] is None:
                self.counts[k].note(why, gap)
                self.found[k] = q.copy() if why is None else None

    def _led_out(self, goals: Array, starts: Array, tolerance: float, **pace: int) -> Result:
        asked = self.asked
        own = (asked.scene, asked.figure, asked.model, self.frame, tolerance, asked.seed)
        problem, plan = clear_plan(*own, **pace)
        return solve_plan(plan, problem, goals, starts, progress=tick_of_thread())

    def lead_out(self, rows: NDArray[np.intp], starts: Array, **pace: int) -> None:
        """Search those whose goal is to touch nothing too, each from its start."""
        if not len(rows):
            return
        found = self._led_out(self.targets[rows], starts, self.asked.tolerance, **pace)
        for k, error, q in zip(rows.tolist(), found.error.tolist(), found.q, strict=True):
            if error < self.error[k]:
                self.error[k], self.best[k] = error, q
        self._look_there(rows, found.q)

    def _look_there(self, rows: NDArray[np.intp], some: Array) -> None:
        off = tips(self.asked.model, some, self.frame) - self.targets[rows]
        there = np.linalg.norm(off, axis=-1) <= self.asked.tolerance
        self.look(rows[there], some[there])

    def held_off(self, rows: NDArray[np.intp]) -> None:
        """Search on where something holds what came nearest off its target by about the tolerance.

        The goal is then the place on its side that only just counts as reached: a solver heads for
        the target itself, and stops where that and the obstacles are weighed against each other.
        """
        tolerance = self.asked.tolerance
        rows = rows[self.error[rows] <= HELD_OFF * tolerance]
        if not len(rows):
            return
        starts = self.best[rows]
        off = tips(self.asked.model, starts, self.frame) - self.targets[rows]
        way = off / np.maximum(np.linalg.norm(off, axis=-1, keepdims=True), 1e-12)
        goals = self.targets[rows] + TOWARDS * tolerance * way
        found = self._led_out(goals, starts, STRICTLY * tolerance, max_restarts=0)
        self._look_there(rows, found.q)

    def from_standards(self) -> None:
        """Search from the postures of standard people."""
        beside = self.asked.beside
        if beside is None:
            return
        for turn in range(len(beside)):
            left = self.left()
            if not len(left):
                return
            some = beside.postures(turn, self.frame, self.targets[left])
            rows = [k for k, q in enumerate(some) if q is not None]
            if rows:
                self.lead_out(left[rows], np.array([some[k] for k in rows]), max_restarts=0)

    def shortly(self, rows: NDArray[np.intp]) -> None:
        """Search from what reaches, and from the drawn free postures that are nearest."""
        model = self.asked.model
        drawn, at = free_draws(self.asked, model, self.frame)
        gap = np.linalg.norm(at - self.targets[rows][:, None], axis=-1)
        order = np.argsort(gap, axis=1, kind="stable")[:, :NEAREST]
        starts = np.concatenate([self.near[rows][:, None], drawn[order]], axis=1)
        count = starts.shape[1]
        starts = starts.reshape(-1, model.nq)
        self.lead_out(np.repeat(rows, count), starts, max_restarts=0, max_iter=FEW)

    def about(self, rows: NDArray[np.intp]) -> None:
        """Search from postures about what came nearest."""
        model = self.asked.model
        aside = _aside(model.nv, self.asked.seed)
        starts = model.integrate(self.best[rows][:, None], aside).reshape(-1, model.nq)
        self.lead_out(np.repeat(rows, len(aside)), model.clip(starts), max_restarts=0, max_iter=FEW)

    def draw(self, k: int, turned: bool) -> None:
        """Search one target from drawn starts."""
        own, counts = (self.asked.model, self.frame, self.targets[k]), self.counts[k]
        for some in from_draws(self.asked, *own, self.near[k], counts, turned):
            row = counts.first_free(some, *own) if len(some) else None
            if row is not None:
                self.found[k] = np.array(some[row])
                return
