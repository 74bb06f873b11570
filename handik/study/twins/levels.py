"""Strict levels in NumPy: a lower level takes only the freedom that those above leave.

A readable twin of ``csrc/solve/drive/levels.c``, without limits of balls: damped Gauss-Newton steps
on the rows of a level, projected onto the null space of all rows above (Nakamura, Hanafusa,
Yoshikawa 1987; Siciliano and Slotine 1991), each followed by a few that bring the levels above
back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .jacobian import Descent, columns_of
from .terms import TermTwin
from .tree import SLIDE, Array, Goal, problem_length

__all__ = ["LevelDescent", "lower_levels"]

CAP, CORRECTIONS, HALVINGS = 100, 4, 8
FLOOR, RANK = 1e-9, 1e-6
CRAWL = {False: 1e-6, True: 1e-4}
"""Least share by which an iteration must lower a level that decides, and a soft one."""


class LevelDescent(Descent):
    """All terms of a problem at one target, scaled, with the rows of each stage."""

    def __init__(self, model: Any, terms: Iterable[Any], target: Array) -> None:
        self.twin = TermTwin(model, terms)
        self.tree = self.twin.tree
        self.target = np.asarray(target, float)
        frames = [Goal(row.frame) for row in self.twin.rows if row.frame >= 0]
        whole = len(frames) < len(self.twin.rows) and np.isfinite(model.max_reach)
        self.length = length = max(
            problem_length(self.tree, frames) if frames else 0.0, model.max_reach if whole else 0.0
        )
        self.columns = columns_of(self.tree, self._active(), length)
        metric = [_metric(self.twin, row.kind) for row in self.twin.rows]
        self.scale = np.concatenate([np.where(m, 1 / length, 1.0) for m in metric])
        stages = sorted({row.stage for row in self.twin.rows})
        of = [
            np.full(len(m), stages.index(row.stage))
            for row, m in zip(self.twin.rows, metric, strict=True)
        ]
        self.stage = np.concatenate(of)
        self.soft = [soft for soft, _ in stages]

    def _active(self) -> list[int]:
        """Return the steps that move some term, parents first."""
        found: set[int] = set()
        for row in self.twin.rows:
            if row.frame < 0:
                return list(range(self.tree.n_step))
            found.update(self.tree.chain(row.frame))
            if row.other >= 0:
                found.update(self.tree.chain(row.other))
        return sorted(found)

    def residual(self, q: Array) -> Array:
        """Present less wanted: meters over the length, radians, times the weights."""
        return self.scale * self.twin.residual(self.target, q)

    def jacobian(self, q: Array) -> Array:
        """Return the derivative of the residual by the scaled columns."""
        whole = self.twin.jacobian(self.target, q)[:, self.columns.v]
        return self.scale[:, None] * whole * self.columns.unit

    def errors(self, q: Array) -> Array:
        """Norm of the residual of each stage."""
        e = self.residual(q)
        return np.array([np.linalg.norm(e[self.stage == k]) for k in range(len(self.soft))])


def _metric(twin: TermTwin, kind: str) -> NDArray[np.bool_]:
    """Which rows of a kind are in meters."""
    if kind in ("rest", "change"):
        out = np.zeros(twin.tree.nv, bool)
        for s in twin.own:
            out[twin.tree.step_v[s]] = twin.tree.step_kind[s] == SLIDE
        return out
    metres, radians = {
        "position": (3, 0), "orientation": (0, 3), "pose": (3, 3), "axis": (0, 3), "level": (0, 1),
        "look_at": (0, 3), "distance": (1, 0), "loop": (3, 0), "loop_hinge": (3, 3),
        "loop_pose": (3, 3), "clearance": (1, 0), "centre_of_mass": (3, 0), "support": (2, 0),
    }[kind]  # fmt: skip
    return np.arange(metres + radians) < metres


def lower_levels(
    d: LevelDescent, q: Array, *, met: Callable[[Array], bool], max_iter: int = CAP
) -> tuple[Array, int]:
    """Lower the levels below the first, from where a solver has left the figure.

    Parameters
    ----------
    d
        The problem at its target.
    q
        Inside the limits.
    met
        Whether all terms that decide hold at a pose, as the judge says. If they do at ``q`` only
        soft ones are lowered, and nothing is taken that loses one.
    max_iter
        Of each level.

    Returns
    -------
    Pose and iterations.
    """
    count, keep = 0, met(q)
    for stage in range(0 if d.soft[0] else 1, len(d.soft)):
        if not keep or d.soft[stage]:
            q, used = _Level(d, stage, met if keep else None).lower(q, max_iter)
            count += used
    return q, count


class _Level:
    """The descent of one level."""

    def __init__(self, d: LevelDescent, stage: int, met: Callable[[Array], bool] | None) -> None:
        self.d, self.stage, self.met, self.damping = d, stage, met, 1e-3
        self.bound = np.zeros(0)

    def lower(self, q: Array, max_iter: int) -> tuple[Array, int]:
        """Iterate until nothing makes the level better."""
        errors, failed, count = self.d.errors(q), 0, 0
        self.bound = np.maximum(errors[: self.stage], FLOOR)
        while count < min(CAP, max_iter) and errors[self.stage] > 1e-12 and failed < 2:
            before = errors[self.stage]
            found = self.iterate(q, before)
            count += 1
            if found is None:
                failed += 1
                self.damping = min(1e3, 100 * max(self.damping, 1e-3))
                continue
            q, errors = found
            if errors[self.stage] > (1 - CRAWL[self.d.soft[self.stage]]) * before:
                break
        return q, count

    def iterate(self, q: Array, before: float) -> tuple[Array, Array] | None:
        """One step, halved until the levels above hold and this one is better."""
        x = self.d.step(q, self.rule(own=True), 1.0, hold=False)
        if x is None:
            return None
        for half in range(HALVINGS):
            to = self.correct(self.d.move(q, 0.5**half * x))
            errors = self.d.errors(to)
            better = self.holds(errors) and errors[self.stage] < before
            if better and (self.met is None or self.met(to)):
                self.damping = max(self.damping * (0.1 if half == 0 else 1.0), 1e-9)
                return to, errors
        return None

    def holds(self, errors: Array) -> bool:
        """No level above is worse than when this one began."""
        return bool((errors[: self.stage] <= self.bound).all())

    def correct(self, q: Array) -> Array:
        """Back to what the levels above ask for."""
        for _ in range(CORRECTIONS):
            if self.holds(self.d.errors(q)):
                break
            x = self.d.step(q, self.rule(own=False), 1.0, hold=False)
            if x is None:
                break
            q = self.d.move(q, x)
        return q

    def rule(self, *, own: bool) -> Any:
        """Return the step of the levels above, and with ``own`` of this one in what they leave."""

        def step(j: Array, e: Array) -> Array:
            n = j.shape[1]
            x, free = np.zeros(n), np.eye(n)  # free: projector off what is spoken for
            for k in range(self.stage):
                rows = self.d.stage == k
                a, b = j[rows] @ free, -e[rows] - j[rows] @ x
                u, s, vt = np.linalg.svd(a, full_matrices=False)
                keep = s > RANK * np.linalg.norm(j[rows])
                x = x + vt[keep].T @ ((u[:, keep].T @ b) / s[keep])
                free = free - vt[keep].T @ vt[keep]
            rows = self.d.stage == self.stage
            a, b = j[rows] @ free, -e[rows] - j[rows] @ x
            damping = self.damping * float((a * a).sum()) / n
            if own and np.trace(free) > 0.5 and damping > 0:
                x = x + np.linalg.solve(a.T @ a + damping * np.eye(n), a.T @ b)
            return x

        return step
