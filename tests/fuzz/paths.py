"""Fuzzer of paths: random figures of every joint among random obstacles, ways between free postures, terms kept.

``python tests/fuzz/paths.py SEED COUNT``. A path that was found is looked at by what did not make it: places 0.5 mm apart are
asked one by one, some of them by coal, pair by pair; limits, ends, speeds and accelerations are counted after the trajectory;
what is kept is measured at places in between; the same call again, on two threads, must give the same bytes.
"""

from __future__ import annotations

import sys
import time
from itertools import pairwise
from typing import Any

import distances as drawn
import numpy as np
from distances import Bodies, Found, longest_way
from numpy.random import Generator

import handik as hk

Array = np.ndarray
SPEED, ACCELERATION = 2.0, 10.0
FINE, MOST = 5e-4, 3000


def kept_terms(rng: Generator, model: hk.Model) -> list[hk.Term]:
    """Return terms that can be kept: one or two at random frames."""
    out: list[hk.Term] = []
    for _ in range(int(rng.integers(1, 3))):
        frame = str(model.frame_names[int(rng.integers(len(model.frame_names)))])
        tolerance: dict[str, Any] = {
            "position_tolerance": float(10 ** rng.uniform(-3, -1.5)),
            "orientation_tolerance": float(10 ** rng.uniform(-3, -1)),
        }
        kind = int(rng.integers(5))
        axis = tuple(rng.normal(size=3))
        terms: list[hk.Term] = [
            hk.Position(frame, **tolerance),
            hk.Position(frame, axes=str(rng.choice(["x", "yz", "z"])), **tolerance),
            hk.Orientation(frame, **tolerance),
            hk.Axis(frame, axis=axis, **tolerance),
            hk.Pose(frame, **tolerance),
        ]
        out.append(terms[kind])
    return out


def dense(model: hk.Model, figure: hk.Figure, q: Array) -> Array:
    """Return places along a polygon about 0.5 mm apart."""
    out = [q[:1]]
    for a, b in pairwise(q):
        v = np.asarray(model.difference(a, b))
        n = min(int(longest_way(figure, a, v) / FINE) + 2, max(8, MOST // len(q)))
        share = np.arange(1, n + 1)[:, None] / n
        out.append(np.asarray(model.integrate(np.broadcast_to(a, (n, model.nq)), share * v)))
    return np.concatenate(out)


def check_free(what: str, scene: hk.Scene, figure: hk.Figure, q: Array, found: Found) -> None:
    """Ask every place, and coal about some."""
    free = scene.free(figure, q)
    found.count["places"] += len(q)
    if not free.all():
        found.failures.append(f"{what}: place {np.argmin(free)} of {len(q)} is in contact")
    inside = np.abs(np.asarray(figure.model.difference(q, figure.model.clip(q)))).max()
    if inside > 3e-4:  # limits of balls are proved to 1e-4 in swing, and in twist
        found.failures.append(f"{what}: {inside:.2g} outside the limits")
    for frames in figure.model.frames(q[:: max(1, len(q) // 5)]):
        bodies = Bodies(scene, figure, frames)
        if bodies.by_coal().min(initial=np.inf) <= 0 and bodies.by_search().min() <= 0:
            found.failures.append(f"{what}: the judges have contact")


def check_trajectory(what: str, scene: hk.Scene, figure: hk.Figure, way: Any, found: Found) -> None:
    """Follow the path: nothing touched, within limits."""
    moved = way.trajectory(max_speed=SPEED, max_acceleration=ACCELERATION)
    q, v, a = moved.sample(np.linspace(0, moved.duration, 300))
    check_free(f"{what}, trajectory", scene, figure, np.asarray(q), found)
    if np.abs(v).max(initial=0) > SPEED * (1 + 1e-3):
        found.failures.append(f"{what}: speed {np.abs(v).max():.4g}")
    if np.abs(a).max(initial=0) > ACCELERATION * (1 + 1e-3):
        found.failures.append(f"{what}: acceleration {np.abs(a).max():.4g}")


def solved_goals(problem: hk.Problem, row: Array, seed: int) -> Array:
    q = hk.Solver("auto")(problem, row, q0=problem.model.sample(16, seed=seed)).q
    return np.asarray(q)[np.asarray(problem.evaluate(row, q).met)]


def check_path(seed: int, found: Found) -> None:
    """Ask for one path, and look at what comes."""
    rng, scene, figure, _ = drawn.stage(seed)
    model, what = figure.model, f"path {seed}"
    if model.nv == 0:
        return
    postures = model.sample(60, seed=seed)
    postures = postures[scene.free(figure, postures)]
    if len(postures) < 3:
        found.count["no room"] += 1
        return
    start, goal, via = postures[:3]
    given: dict[str, Any] = {"seed": seed, "paths": int(rng.integers(1, 4))}
    if rng.random() < 0.3:
        given["via"] = [via]
    if rng.random() < 0.2:
        given["planner"] = str(rng.choice(["line", "rrt_connect"]))
    kept = rng.random() < 0.4
    if kept:
        given["keep"] = kept_terms(rng, model)
        given.pop("via", None)
        problem = hk.Problem(model, given["keep"])
        from handik.scene.plan._ends import kept_of

        row = kept_of(model, given["keep"], start).targets  # type: ignore[union-attr]
        goals = solved_goals(problem, row, seed)
        if not len(goals):
            found.count["no goal that keeps"] += 1
            return
        goal = goals
    limited = rng.random() < 0.15
    if limited:
        given["time_limit"] = 0.03
    way = hk.plan.path(scene, figure, start, goal, **given)
    found.count[("kept, " if kept else "") + way.outcome] += 1
    if not way and not way.reason:
        found.failures.append(f"{what}: {way.outcome} without a reason")
    if not limited:
        again = hk.plan.path(scene, figure, start, goal, threads=2, **given)
        if again.q.tobytes() != way.q.tobytes():
            found.failures.append(f"{what}: other bytes on two threads")
    if len(way.q) > 1:
        check_free(what, scene, figure, dense(model, figure, way.q), found)
    if not way:
        return
    end = np.asarray(goal).reshape(-1, model.nq)[way.goal]
    if way.q[0].tobytes() != start.tobytes() or way.q[-1].tobytes() != end.tobytes():
        found.failures.append(f"{what}: other ends")
    if kept:
        some = dense(model, figure, way.q)
        met = np.asarray(problem.evaluate(row, some).terms_met)
        found.count["kept places"] += len(some)
        if not met.all() and way.keep_error <= 1 - 1e-6:
            found.failures.append(f"{what}: what is kept does not hold at {(~met).sum()} places")
        if way.keep_error > 1 + 1e-6:
            found.failures.append(f"{what}: keep_error {way.keep_error:.3g}")
    check_trajectory(what, scene, figure, way, found)


def run(first: int, count: int) -> Found:
    found = Found()
    for seed in range(first, first + count):
        try:
            check_path(seed, found)
        except Exception as error:  # a fuzzer reports what it meets
            found.failures.append(f"path {seed}: {type(error).__name__}: {error}")
    return found


def main() -> int:
    begin = time.perf_counter()
    found = run(int(sys.argv[1]), int(sys.argv[2]))
    print(dict(found.count), f"{time.perf_counter() - begin:.0f} s")
    print("\n".join(found.failures[:40]) or "nothing found")
    return bool(found.failures)


if __name__ == "__main__":
    sys.exit(main())
