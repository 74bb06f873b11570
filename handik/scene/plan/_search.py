"""Search: a call of `path` in hand, leg by leg."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.model import Model
from handik.scene.check import Compiled, Figure
from handik.scene.check._pairs import _up
from handik.scene.plan._ends import Kept, Stop
from handik.scene.plan._found import TOLERANCE, Tree, inside_along, length_of, posture
from handik.scene.plan._parted import parted
from handik.scene.plan._straight import straight
from handik.scene.plan._task import Task

if TYPE_CHECKING:
    from handik.scene import Scene

__all__ = ["Search"]

Array = NDArray[np.float64]

#: Radians or meters of a tree's edge; groups of a search of the first round; rounds; shortcuts.
REACH, BUDGET, ROUNDS, TRIES = 1.5, 2000, 6, 60
#: Where shorter paths are looked for: groups of a search, shortcuts, how much longer than the best
#: a way may be that its trees follow, and what pulling taut leaves of a length at best.
SOON, FEW_TRIES, WITHIN, SHRINKS = 1000, 20, 1.3, 0.75
#: Seconds that a proof that there is no way may take.
LONG = 5.0
#: Coordinates beyond which nothing is measured, as in the core.
FAR = 1e12
#: Of edges that the core proves, and in `Model.step_kind`.
HIT, SLIDE = 1, 1


@dataclass
class Search:
    """A call in hand."""

    model: Model
    ground: Compiled
    planner: str | Callable[[Task], Any]
    seed: int
    paths: int
    end: float | None
    threads: int
    progress: Callable[[int, int], object] | None
    keep_trees: bool
    scene: Scene | None
    figure: Figure
    kept: Kept | None = None
    frame: str | None = None
    any_posture: bool = False
    first: bool = False  # the first path will do, whatever time is left
    solved: bool = False
    groups: int = 0
    calls: int = 0
    legs: int = 0
    grown: list[Tree] = field(default_factory=list)

    def other(self, which: NDArray[np.int32]) -> str:
        """Name what a capsule was near to: an obstacle, or parts of the figure."""
        names, parts = self.ground.names, self.ground.parts
        capsule, other = (int(x) for x in which)
        if other < len(names):
            return str(names[other])
        return f"{parts[capsule]} and {parts[other - len(names)]}"

    def looked_at(self, q: Array) -> tuple[Array, NDArray[np.int32]]:
        distance, which, _, _ = _core._scene_distance(
            self.ground.world, self.ground.figure, q, 0.1, True, 1, None
        )
        return distance, which

    def allowed(self, q: Array, kind: str, name: str, every: bool = False) -> Array:
        """Tell which postures are inside the limits, free and on what is kept, or stop.

        `every`: there are no others.
        """
        clipped = np.asarray(self.model.clip(q))
        off = np.abs(np.asarray(self.model.difference(q, clipped))).max(axis=1)
        far = np.abs(q).max(axis=1) >= FAR
        if far.all():
            raise Stop("invalid", f"the {name} has a coordinate beyond {FAR:g}")
        inside = (off <= 1e-9) & ~far
        if not inside.any():
            least = off[~far].min()
            raise Stop("invalid", f"the {name} is outside the limits by {least:.3g}")
        free = np.asarray(_core._scene_free(self.ground.world, self.ground.figure, q, 1, None))
        if not (inside & free).any():
            distance, which = self.looked_at(q[inside])
            best = int(np.argmax(distance))
            what = self.other(which[best])
            all_ = ", and so does every posture there is" if every and len(q) > 1 else ""
            raise Stop(
                f"{kind}_in_collision",
                f"the {name} touches {what}, {max(0.0, -distance[best]):.3g} m deep{all_}",
                blocked_by=what,
                depth=float(max(0.0, -distance[best])),
            )
        good = inside & free
        if self.kept is not None:
            share = self.kept.share(q)
            if not (good & (share <= 1)).any():
                most = float(share[good].min())
                raise Stop(
                    "invalid", f"at the {name} what is kept is off by {most:.3g} of its tolerance"
                )
            good &= share <= 1
        return np.asarray(good)

    def share(self, end: float | None, legs: int) -> None:
        """Give the next leg its part of the time that is left."""
        self.end = None if end is None else monotonic() + max(0.0, end - monotonic()) / legs

    def left(self) -> float | None:
        """Return the seconds that are left, None without a limit."""
        return None if self.end is None else max(0.0, self.end - monotonic())

    def late(self) -> bool:
        return self.end is not None and monotonic() >= self.end

    def leg(self, start: Array, goals: Array) -> Array:
        """Return vertices from a start to one of the goals, or stop."""
        if callable(self.planner):
            return self.own(start, goals)
        if self.planner == "line":
            return self.line(start, goals)
        if self.planner == "straight":
            return straight(self, start, goals, self.frame)
        return self.trees(start, goals)

    def line(self, start: Array, goals: Array) -> Array:
        edge, witness, groups = _core._scene_edges(
            self.ground.world, self.ground.figure, start, goals, TOLERANCE, 1
        )
        self.groups += int(groups.sum())
        size = np.linalg.norm(np.asarray(self.model.difference(start, goals)), axis=1)
        good = (edge == 0) & inside_along(self.ground, start, goals)
        for at in np.argsort(size, kind="stable"):
            if not good[at]:
                continue
            way = np.stack([start, goals[at]])
            if self.kept is None or self.kept.along(way) <= 1:
                return way
            if self.late():
                break
        if np.all(edge == 0):
            why = "the straight line leaves the limits of a ball"
            if good.any():
                why = "what is kept does not hold along the straight line"
            raise Stop("blocked", why, q=start[None])
        k = int(np.argmax(edge != 0))
        v = np.asarray(self.model.difference(start, goals[k])) * witness[k]
        said, what = self.met(int(edge[k]), np.asarray(self.model.integrate(start, v)), witness[k])
        raise Stop("blocked", said, blocked_by=what, q=start[None])

    def met(self, edge: int, q: Array, at: float) -> tuple[str, str | None]:
        """Say what a straight line that is not proved free meets at a posture, or passes."""
        _, which = self.looked_at(q[None])
        what = self.other(which[0]) if which[0, 0] >= 0 else None
        if edge == HIT:
            return f"the straight line meets {what} at {at:.3g} of the way", what
        near = f": {what} is near" if what else self.unprovable()
        return f"the straight line is not proved free at {at:.3g} of the way{near}", what

    def own(self, start: Array, goals: Array) -> Array:
        planner: Any = self.planner
        given = planner(Task(self.model, start, goals, self.seed, self.left(), self.ground))
        if given is None:
            raise Stop("no_path_in_time", "your planner found no path", q=start[None])
        q = posture(self.model, given, "what your planner returned", True)
        ends = np.abs(np.asarray(self.model.difference(q[-1], goals))).max(axis=1)
        if np.abs(self.model.difference(q[0], start)).max() > 1e-9 or ends.min() > 1e-9:
            raise Stop("invalid", "your planner's path has other ends than it was asked for")
        off = np.abs(np.asarray(self.model.difference(q, self.model.clip(q)))).max()
        if off > 1e-9:
            raise Stop("invalid", f"your planner's path leaves the limits by {off:.3g}")
        edge = _core._scene_edges(
            self.ground.world, self.ground.figure, q[:-1], q[1:], TOLERANCE, 1
        )[0]
        if np.any(edge != 0):
            at = int(np.argmax(edge != 0))
            raise Stop("invalid", f"edge {at} of your planner's path is not proved free")
        inside = inside_along(self.ground, q[:-1], q[1:])
        if not inside.all():
            at = int(np.argmin(inside))
            raise Stop("invalid", f"edge {at} of your planner's path leaves the limits of a ball")
        if self.kept is not None and self.kept.along(q) > 1:
            raise Stop("invalid", "what is kept does not hold along your planner's path")
        return q

    def searches(
        self, start: Array, goals: Array, count: int, budget: int, tries: int, bound: float | None
    ) -> list[Any]:
        """Return what searches of seeds of their own find; with a bound, of shorter ways alone."""
        base = (self.seed * 1_000_003 + self.calls * 4096) % 2**62
        self.calls += 1
        runs = _core._path_search(
            self.ground.world, self.ground.figure, start, goals, base, count, budget, REACH,
            TOLERANCE, tries, self.threads, self.keep_trees,
            None if self.kept is None else self.kept.handle, self.left(), bound,
        )  # fmt: skip
        self.groups += sum(run[2] for run in runs)
        return runs

    def trees(self, start: Array, goals: Array) -> Array:
        """Search in rounds of growing budgets; with a time limit go on for shorter paths."""
        best: Array | None = None
        part = start[None]
        met: list[Array] = []
        grown: Any = None
        round_ = 0
        longer = self.end is not None and not self.first
        while round_ < ROUNDS or longer:
            runs, found = self.round(start, goals, BUDGET * 2 ** min(round_, ROUNDS - 1))
            for run in found[:2]:
                q = self.taut(run[1])
                if best is None or self.length(q) < self.length(best):
                    best, grown = q, run[4]
            if not found:
                met = [*met, *(run[3] for run in runs)][-64:]
                nearest = min(runs, key=lambda run: self.away(run[1][-1], goals))
                part, grown = nearest[1], nearest[4]
            if round_ == 0 and best is None:
                self.stop_if_walled_in(start, goals, (part, grown, np.concatenate(met)))
            round_ += 1
            if self.progress is not None:
                self.progress(min(round_, ROUNDS), ROUNDS)
            if self.late() or best is not None:
                break
        if best is not None and longer:
            best, grown = self.shorter(start, goals, best, grown)
        self.keep(grown)
        if best is None:
            self.give_up(part, np.concatenate(met))
        assert best is not None
        return best

    def round(self, start: Array, goals: Array, budget: int) -> tuple[list[Any], list[Any]]:
        """Return the searches of a round, and those that found a way, the shortest first.

        With a time limit it ends with the first that do.
        """
        runs: list[Any] = []
        found: list[Any] = []
        while len(runs) < self.paths and not found:
            runs += self.searches(start, goals, self.each(), budget, TRIES, None)
            found = sorted((r for r in runs if r[0]), key=lambda run: self.length(run[1]))
            if self.late():
                break
        return runs, found

    def each(self) -> int:
        """Return how many searches a call makes: with a time limit no more than run at a time."""
        if self.end is None or self.first:
            return self.paths
        return min(self.paths, self.threads or (os.cpu_count() or 1))

    def shorter(self, start: Array, goals: Array, best: Array, grown: Any) -> tuple[Array, Any]:
        """Look for shorter paths until the time is over, near to what is known."""
        least = self.away(start, goals) * (1 + 1e-9)
        done = 0
        while not self.late() and self.length(best) > least:
            bound = None if self.kept is not None else WITHIN * self.length(best)
            runs = self.searches(start, goals, self.each(), SOON, FEW_TRIES, bound)
            found = [run for run in runs if run[0]]
            for run in found:
                q = run[1]
                if self.length(q) * SHRINKS < self.length(best):
                    q = self.taut(q)
                if self.length(q) < self.length(best):
                    best, grown = q, run[4]
            done += 1
            if self.progress is not None and done % self.paths == 0:
                self.progress(ROUNDS, ROUNDS)
        return best, grown

    def taut(self, q: Array) -> Array:
        """Return a path pulled taut; what keeps terms is left as it is."""
        if self.kept is not None:
            return q
        world, figure = self.ground.world, self.ground.figure
        return _core._path_tighten(world, figure, q, 1, TOLERANCE, self.left())

    def keep(self, grown: Any) -> None:
        """Keep the trees of a search, if that was asked for."""
        if grown is not None:
            q, parent, cut = grown
            behind = np.where(parent[cut:] < 0, -1, parent[cut:] - cut).astype(np.int32)
            self.grown.append(Tree(q[:cut], parent[:cut], "start", self.legs))
            self.grown.append(Tree(q[cut:], behind, "goal", self.legs))

    def length(self, q: Array) -> float:
        return length_of(self.model, q)

    def away(self, q: Array, goals: Array) -> float:
        return float(np.linalg.norm(np.asarray(self.model.difference(q, goals)), axis=-1).min())

    def stop_if_walled_in(self, start: Array, goals: Array, had: tuple[Array, Any, Array]) -> None:
        """Stop where it is proved that no way leads to the goals, and they are all there are."""
        left = self.left()
        if self.solved or (left is not None and left < LONG):
            return
        if parted(self.scene, self.figure, start, goals):
            part, grown, met = had
            self.keep(grown)
            self.give_up(part, met, proved=True)

    def give_up(self, part: Array, met: Array, proved: bool = False) -> None:
        """Stop, and say what was met most."""
        what = None
        if len(met):
            _, which = self.looked_at(met)
            rows = [self.other(row) for row in which if row[0] >= 0]
            what = Counter(rows).most_common(1)[0][0] if rows else None
        said = f"; {what} was met most" if what else ""
        if proved:
            why = f"no way leads to the goal: proved by blocked cells of the joint space{said}"
            raise Stop("impossible", why, blocked_by=what, q=part)
        why = f"no path was found{said}{self.unprovable()}"
        raise Stop("no_path_in_time", why, blocked_by=what, q=part)

    def unprovable(self) -> str:
        """Say where nothing bounds how far an edge moves something; empty where all is bounded."""
        model = self.model
        for k in np.flatnonzero(model.step_kind == SLIDE).tolist():
            above = _up(model, k)
            if np.isfinite(model.step_limit[k]).all() or (model.step_kind[above] == SLIDE).all():
                continue
            name = model.joint_names[model.step_joint[k]]
            return f"; edges that turn above {name!r}, a slide without limits, cannot be proved"
        return ""
