"""Paths among obstacles: times, lengths, blends and durations; every path looked at again by coal; beside OMPL.

Ten settings (`_path_scenes.py`): an arm of seven turns before a shelf, at a table, in cages of bars of three widths, at a window,
over two bins, among boxes; a person of 21 turns at a table and at a cupboard. Problems are drawn by ``--seed``; who stands within
1 cm of an obstacle or 0.2 rad of a limit is drawn again. A row has, for one search a problem (``paths=1``) and one thread: the
share solved; milliseconds of the processor until a path is found (median, mean, 99 %, most), and of the whole call of
`hk.plan.path` (median), which makes it shorter; the length, and that of the best of eight over it. Then corners that are cut by a
curve, of all corners that turn, the microseconds of a corner (one call of each path), and the duration over that with stops (2 rad/s,
10 rad/s^2), beside what it would be if the figure went round every corner of the polygon at full speed.
``--check N``: N paths of each setting and their trajectories are looked at by coal every 1 mrad (of the trajectory: every 1/200
of its time), and so are limits, speeds and accelerations. ``--ompl N``: N problems by OMPL's RRTConnect, its first path, with
handik's proofs and with coal at points 10 mrad apart, both called from its C++ through Python, against ours in the same run.
``--loop PREFIX`` (with ``--ompl N``): OMPL compiled here (`_ompl_loop.py`), so that its RRTConnect calls handik's proofs in C, or
coal in C++ at points 10 mrad apart, without Python; first both say the same of 2,000 postures.
``--best N``: N problems by OMPL's AORRTC with our proofs for 10 s of the processor, and our length over its best: by eight
searches, and with a time limit that makes 10 ms of the processor (a person: 15).
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from handik import _core
from handik.scene.check import compiled
from handik.scene.plan._curve import Pace
from handik.scene.plan._found import TOLERANCE
from handik.scene.plan._ompl import ompl_planner
from handik.scene.plan._trajectory import limits_of

from ._ompl_loop import Loops, compile_loops
from ._path_scenes import Setting, settings

Array = NDArray[np.float64]
SPEED, ACCELERATION = 2.0, 10.0
#: Of a problem, where paths after some milliseconds are measured.
SEEDS = 5


def found_in(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a call returns, and its milliseconds of this thread."""
    begun = time.thread_time()
    out = work()
    return out, 1e3 * (time.thread_time() - begun)


def first_path(setting: Setting, start: Array, goal: Array, seed: int) -> tuple[bool, float]:
    """Return whether a search finds a path, and its milliseconds."""
    ground = compiled(setting.scene, setting.figure)
    (run,), spent = found_in(
        lambda: _core._path_search(
            ground.world, ground.figure, start, goal[None], seed, 1, 500_000, 1.5, TOLERANCE, 0, 1,
            False, None, None, None,
        )
    )  # fmt: skip
    return bool(run[0]), spent


class Coal:
    """A figure among obstacles as coal sees it; axis-parallel boxes tell which pairs are asked."""

    def __init__(self, setting: Setting) -> None:
        import coal

        self.coal, self.figure = coal, setting.figure
        self.request = coal.CollisionRequest()
        self.bodies, self.own = [], []
        for capsule in setting.figure.capsules:
            a, b = np.asarray(capsule.start, float), np.asarray(capsule.end, float)
            z = (b - a) if np.linalg.norm(b - a) > 0 else np.array([0.0, 0.0, 1.0])
            z = z / np.linalg.norm(z)
            x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
            x /= np.linalg.norm(x)
            shape = coal.Capsule(float(capsule.radius), float(np.linalg.norm(b - a)))
            self.bodies.append(shape)
            self.own.append((np.stack([x, np.cross(z, x), z], axis=1), a, b))
        self.solids, low, high = [], [], []
        for one in setting.scene.obstacles():
            size = one.shape
            if isinstance(size, hk.scene.Box):
                shape, half = coal.Box(*map(float, size.size)), np.asarray(size.size) / 2
            else:
                shape = coal.Capsule(float(size.radius), float(size.length))
                half = np.array([size.radius, size.radius, size.length / 2 + size.radius])
            R, t = one.pose[:3, :3], one.pose[:3, 3]
            self.solids.append((shape, coal.Transform3s(R, t)))
            low.append(t - np.abs(R) @ half)
            high.append(t + np.abs(R) @ half)
        self.low, self.high = np.array(low), np.array(high)

    def hits(self, q: Array) -> int:
        """Return how many postures touch something."""
        model = self.figure.model
        frames = np.asarray(model.frames(q))
        at = [model.frame_names.index(c.frame) for c in self.figure.capsules]
        radius = np.array([c.radius for c in self.figure.capsules])
        T = frames[:, at]
        a = (
            np.einsum("nkij,kj->nki", T[..., :3, :3], np.array([o[1] for o in self.own]))
            + T[..., :3, 3]
        )
        b = (
            np.einsum("nkij,kj->nki", T[..., :3, :3], np.array([o[2] for o in self.own]))
            + T[..., :3, 3]
        )
        low = np.minimum(a, b) - radius[:, None]
        high = np.maximum(a, b) + radius[:, None]
        near = (
            (low[:, :, None] <= self.high[None, None]) & (high[:, :, None] >= self.low[None, None])
        ).all(axis=-1)
        bad = 0
        for n in range(len(q)):
            places = [
                self.coal.Transform3s(T[n, k, :3, :3] @ self.own[k][0], (a[n, k] + b[n, k]) / 2)
                for k in range(len(self.own))
            ]
            asked = [(self.bodies[k], places[k], *self.solids[o]) for k, o in np.argwhere(near[n])]
            asked += [
                (self.bodies[i], places[i], self.bodies[j], places[j])
                for i, j in self.figure.pairs
                if (low[n, i] <= high[n, j]).all() and (low[n, j] <= high[n, i]).all()
            ]
            bad += any(
                self.coal.collide(*pair, self.request, self.coal.CollisionResult())
                for pair in asked
            )
        return bad


def dense(model: hk.Model, q: Array, step: float) -> Array:
    """Return places along a polygon."""
    out = [q[:1]]
    for a, b in pairwise(q):
        v = np.asarray(model.difference(a, b))
        count = max(1, int(np.ceil(np.linalg.norm(v) / step)))
        out.append(np.asarray(model.integrate(a, np.arange(1, count + 1)[:, None] / count * v)))
    return np.concatenate(out)


def corners(model: hk.Model, q: Array) -> NDArray[np.bool_]:
    """Return which inner vertices turn."""
    v = np.asarray(model.difference(q[:-1], q[1:]))
    v = v / np.linalg.norm(v, axis=1)[:, None]
    return np.asarray(np.linalg.norm(v[1:] - v[:-1], axis=1) > 1e-9)


def measure(setting: Setting, problems: list[tuple[Array, Array]], eight: bool) -> tuple[Any, ...]:
    """Return the row of a setting, and its paths."""
    plans, calls, paths, lengths, best = [], [], [], [], []
    solved = turned = cut = 0
    ratio, least, each = [], [], []
    ground = compiled(setting.scene, setting.figure)
    for seed, (start, goal) in enumerate(problems):
        good, spent = first_path(setting, start, goal, seed)
        solved += good
        plans.append(spent)
        found, spent = found_in(
            lambda s=start, g=goal, n=seed: hk.plan.path(  # type: ignore[misc]
                setting.scene, setting.figure, s, g, paths=1, seed=n
            )
        )
        calls.append(spent)
        if not found:
            continue
        paths.append(found)
        lengths.append(found.length)
        if eight:
            more = hk.plan.path(setting.scene, setting.figure, start, goal, seed=seed)
            best.append(more.length / found.length)
        if len(found.q) > 2:
            asked = limits_of(found.model, SPEED, ACCELERATION, None)
            pace = Pace.of(found.model, found.q, asked)
            (half, _), spent = found_in(
                lambda q=found.q, p=pace: _core._path_blends(  # type: ignore[misc]
                    ground.world, ground.figure, q, p.at, p.half, True, TOLERANCE
                )
            )
            turns = corners(found.model, found.q)
            turned += int(turns.sum())
            cut += int((half[1:-1][turns] > 0).sum())
            each.append(1e3 * spent / (len(half) - 2))
        limits: dict[str, Any] = {"max_speed": SPEED, "max_acceleration": ACCELERATION}
        if len(found.q) > 2:
            stops = found.trajectory(**limits, blend=False).duration
            ratio.append(found.trajectory(**limits).duration / stops)
            least.append(unslowed(found.model, found.q) / stops)
    return solved, plans, calls, lengths, best, (cut, turned), (ratio, least), each, paths


def unslowed(model: hk.Model, q: Array) -> float:
    """Return how long a polygon takes whose corners need no slowing, from rest to rest."""
    v = np.asarray(model.difference(q[:-1], q[1:]))
    return float(np.abs(v).max(axis=1).sum() / SPEED + SPEED / ACCELERATION)


def looked_at(setting: Setting, paths: list[Any]) -> str:
    """Return what coal and the limits say of paths and their trajectories."""
    eyes, places, hits, over = Coal(setting), 0, 0, 0
    for found in paths:
        model = found.model
        q = dense(model, found.q, 1e-3)
        moved = found.trajectory(max_speed=SPEED, max_acceleration=ACCELERATION)
        along, v, a = moved.sample(np.linspace(0, moved.duration, 200))
        every = np.concatenate([q, np.asarray(along)])
        places += len(every)
        hits += eyes.hits(every)
        over += int(np.any((every < model.lower - 1e-9) | (every > model.upper + 1e-9)))
        over += int(np.abs(v).max() > SPEED * (1 + 1e-9))
        over += int(np.abs(a).max() > ACCELERATION * (1 + 1e-9))
    return f"coal: {hits} of {places} places of {len(paths)} paths touch, {over} limits exceeded"


def against_ompl(setting: Setting, problems: list[tuple[Array, Array]], seconds: float) -> str:
    """Return how long OMPL's RRTConnect takes over ours, by our proofs and by coal's points."""

    class ByCoal:
        """A task whose edges are points for coal."""

        def __init__(self, task: hk.plan.Task, eyes: Coal) -> None:
            self.task, self.eyes = task, eyes

        def __getattr__(self, name: str) -> Any:
            return getattr(self.task, name)

        def free(self, q: Array) -> bool:
            return self.eyes.hits(np.asarray(q).reshape(-1, len(self.task.start))) == 0

        def proves(self, one: Array, other: Array) -> bool:
            return self.eyes.hits(dense(self.task.model, np.stack([one, other]), 1e-2)) == 0

    eyes, ground = Coal(setting), compiled(setting.scene, setting.figure)
    ours, proofs, points, unsolved = [], [], [], [0, 0]
    for seed, (start, goal) in enumerate(problems):
        ours.append(first_path(setting, start, goal, seed)[1])
        task = hk.plan.Task(ground.model, start, goal[None], seed, seconds, ground)
        q, spent = found_in(lambda t=task: ompl_planner("RRTConnect", t))  # type: ignore[misc]
        proofs.append(spent)
        unsolved[0] += q is None
        asked: Any = ByCoal(task, eyes)
        q, spent = found_in(lambda t=asked: ompl_planner("RRTConnect", t))  # type: ignore[misc]
        points.append(spent)
        unsolved[1] += q is None
    return (
        f"OMPL RRTConnect, median ms: ours {np.median(ours):.2f}, its with our proofs "
        f"{np.median(proofs):.2f} ({unsolved[0]} unsolved in {seconds:g} s), with coal's points "
        f"{np.median(points):.1f} ({unsolved[1]} unsolved)"
    )


def against_loops(
    setting: Setting, problems: list[tuple[Array, Array]], seconds: float, libraries: Any
) -> str:
    """Return how long OMPL's RRTConnect takes in C++ over ours, by our proofs and by coal."""
    loops = Loops(*libraries, setting)
    off = loops.differ(setting.figure.model.sample(2000, seed=1))
    times: dict[str, list[float]] = {"ours": [], "proofs": [], "coal": []}
    for seed, (start, goal) in enumerate(problems):
        times["ours"].append(first_path(setting, start, goal, seed)[1])
        times["proofs"].append(1e3 * loops.solve(start, goal, "ours", seconds))
        times["coal"].append(1e3 * loops.solve(start, goal, "coal", seconds))
    loops.close()
    said = []
    for name, found in times.items():
        bad = sum(one < 0 for one in found)
        spent = np.abs(found)
        said.append(f"{name} {np.median(spent):.2f}, {np.mean(spent):.2f}, {bad}")
    return (
        f"in C and C++, ms (median, mean, unsolved of {len(problems)} in {seconds:g} s): our search, "
        f"OMPL's RRTConnect by our proofs, and by coal: {'; '.join(said)}; the checks differ in "
        f"{off} of 2000 postures"
    )


def found_soon(setting: Setting, start: Array, goal: Array, seed: int, soon: float) -> Any:
    """Return a path after some seconds of the processor: limits of the wall's clock are tried.

    Of those that took no more, that which came nearest to it.
    """
    kept, most, limit = None, 0.0, soon
    for _ in range(8):
        found, took = found_in(
            lambda wall=limit: hk.plan.path(  # type: ignore[misc]
                setting.scene, setting.figure, start, goal, seed=seed, time_limit=wall
            )
        )
        took /= 1e3
        if most < took <= soon or kept is None:
            kept, most = found, min(took, soon)
        if 0.9 * soon < took <= soon:
            break
        limit *= min(max(0.95 * soon / took, 0.7), 1.6)
    return kept


def by_aorrtc(setting: Setting, start: Array, goal: Array, seed: int, seconds: float) -> Any:
    """Return the best path of OMPL's AORRTC, after some seconds of this thread's processor time."""

    def planner(task: hk.plan.Task) -> Array | None:
        end = time.thread_time() + seconds
        return ompl_planner("AORRTC", task, lambda: time.thread_time() >= end)

    return hk.plan.path(setting.scene, setting.figure, start, goal, seed=seed, planner=planner)


def against_best(setting: Setting, problems: list[tuple[Array, Array]], seconds: float) -> str:
    """Return our lengths over the best that OMPL's AORRTC finds in some seconds.

    Ours: by eight searches, and after 10 ms of the processor (a person: 15) of as many seeds as
    `SEEDS`.
    """
    soon = 0.010 if setting.figure.model.nq < 10 else 0.015
    eight, spent, early, late, theirs = [], [], [], 0, []
    for seed, (start, goal) in enumerate(problems):
        best, used = found_in(
            lambda s=start, g=goal, n=seed: by_aorrtc(setting, s, g, n, seconds)  # type: ignore[misc]
        )
        ours, took = found_in(
            lambda s=start, g=goal, n=seed: hk.plan.path(  # type: ignore[misc]
                setting.scene, setting.figure, s, g, seed=n
            )
        )
        if not best or not ours:
            continue
        eight.append(ours.length / best.length)
        spent.append(took)
        theirs.append(used / 1e3)
        quick = [found_soon(setting, start, goal, n, soon) for n in range(SEEDS)]
        early += [one.length / best.length for one in quick if one]
        late += sum(not one for one in quick)
    return (
        f"length over AORRTC's after {seconds:g} s of the processor ({min(theirs):.2f} to "
        f"{max(theirs):.2f}), {len(eight)} problems: ours by 8 searches mean "
        f"{np.mean(eight):.3f}, worst {max(eight):.2f}, in {np.mean(spent):.1f} ms; after "
        f"{1e3 * soon:g} ms, {SEEDS} seeds each, mean {np.mean(early):.3f}, worst {np.max(early):.2f}, "
        f"{late} not found"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks paths", description=__doc__)
    known = settings()
    parser.add_argument("names", nargs="*", default=list(known), help="of the settings")
    parser.add_argument("--problems", type=int, default=100, help="of each setting")
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--check", type=int, default=2, help="paths of each that coal looks at")
    parser.add_argument("--ompl", type=int, default=0, help="problems of each that OMPL solves too")
    parser.add_argument("--loop", type=Path, help="where OMPL's headers are, such as /usr")
    parser.add_argument(
        "--best", type=int, default=0, help="problems of each for AORRTC, 10 s of the processor"
    )
    parser.add_argument("--eight", action="store_true", help="the best of eight searches too")
    given = parser.parse_args()
    print(f"handik {hk.__version__} ({hk.show_config()['simd']}), {given.problems} problems each")
    every: list[float] = []
    missed = 0
    libraries = None
    if given.loop:
        with tempfile.TemporaryDirectory() as folder:
            libraries = compile_loops(Path(folder), given.loop)
    for name in given.names:
        setting = known[name]
        problems = setting.problems(given.problems, given.seed)
        setting.scene.free(setting.figure, problems[0][0])
        solved, plans, calls, lengths, best, cut, (ratio, least), each, paths = measure(
            setting, problems, given.eight
        )
        every += plans
        missed += len(problems) - solved
        more = f", best of 8 {np.mean(best):.2f} of it" if best else ""
        print(
            f"{name:17} solved {solved} of {len(problems)}; found in ms: median {np.median(plans):.2f} "
            f"mean {np.mean(plans):.2f} 99 % {np.percentile(plans, 99):.1f} most {max(plans):.1f}; "
            f"whole call {np.median(calls):.2f}; length {np.mean(lengths):.2f}{more}; corners cut "
            f"{cut[0]} of {cut[1]}, {np.mean(each or [np.nan]):.0f} us each, duration "
            f"{np.mean(ratio or [np.nan]):.2f} of that with stops ({np.mean(least or [np.nan]):.2f} if no "
            "corner were slowed)",
            flush=True,
        )
        if given.check:
            print(f"{'':17} {looked_at(setting, paths[: given.check])}", flush=True)
        if given.ompl and libraries:
            said = against_loops(setting, problems[: given.ompl], 5.0, libraries)
            print(f"{'':17} {said}", flush=True)
        elif given.ompl:
            print(f"{'':17} {against_ompl(setting, problems[: given.ompl], 5.0)}", flush=True)
        if given.best:
            print(f"{'':17} {against_best(setting, problems[: given.best], 10.0)}", flush=True)
    print(f"in all: {len(every) - missed} of {len(every)} solved, mean {np.mean(every):.2f} ms")


if __name__ == "__main__":
    main()
