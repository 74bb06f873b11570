"""Fuzzer of trajectories: random polygons, limits and blends; speeds and accelerations looked at far between the points of any grid.

``python tests/fuzz/trajectories.py 1 400``: 400 trajectories from seed 1.

Polygons turn back on themselves, go straight on, stand still, and are from micrometers to kilometers long, their edges alike or from 1
to 1e-10; limits are from a thousandth to a thousand, some to 1e12, and differ between coordinates. No velocity, acceleration and jerk may
be over its limit, velocities do not jump, the postures must be their integral, and the last is the one that was asked for.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass, field

import numpy as np

import handik as hk

Array = np.ndarray
OVER = 1e-9
#: The same where edges or curves are tiny beside others, of which digits are lost.
TINY_OVER = 5e-6
#: A limit of jerk is looked at in places, by the law too.
JERK_OVER = 1e-3


@dataclass
class Found:
    """What was made, how near to a limit it came, and what was wrong."""

    made: int = 0
    most: float = 0.0
    sharpest: float = 0.0
    failures: list[str] = field(default_factory=list)


def polygon(rng: np.random.Generator) -> tuple[hk.Model, Array]:
    """Draw a chain of hinges or balls, and postures to go through."""
    n, count = int(rng.integers(1, 9)), int(rng.integers(2, 12))
    if rng.random() < 0.6:
        model = hk.chain([0.3] * n)
        q = rng.normal(size=(count, model.nq)) * 10.0 ** rng.uniform(-6, 3)
        if rng.random() < 0.3:
            q[:, rng.integers(model.nq)] = 0
        if count > 3 and rng.random() < 0.7:
            q[2] = [q[1], q[0], 2 * q[1] - q[0]][rng.integers(3)]  # stands, turns back, goes on
        if rng.random() < 0.2:
            q[1] = q[0] + 1e-9 * rng.normal(size=model.nq)
        if rng.random() < 0.3:
            q = np.cumsum(
                rng.normal(size=q.shape) * 10.0 ** rng.uniform(-10, 0, (count, 1)), axis=0
            )
        return model, q
    model = hk.chain([0.3] * min(n, 3), "ball")
    q = model.sample(count, seed=int(rng.integers(2**31)))
    small = 10.0 ** rng.uniform(-6, 0)
    return model, model.integrate(model.rest, small * model.difference(model.rest, q))


def one(seed: int, k: int, found: Found) -> None:
    """Make a trajectory and look at it."""
    rng = np.random.default_rng([seed, k])
    model, q = polygon(rng)
    wide = 3 if rng.random() < 0.7 else 12
    speed, push = 10.0 ** rng.uniform(-wide, wide, (2, model.nv))
    if rng.random() < 0.2:
        speed[:] = np.inf
    jerk = 10.0 ** rng.uniform(-wide, wide + 1, model.nv) if rng.random() < 0.35 else None
    blend = float(rng.choice([0, 1e-6, 0.3, 1]))
    ways = np.abs(np.asarray(model.difference(q[:-1], q[1:]))).max(axis=1)
    small = TINY_OVER if ways.min() < 1e-4 * ways.max() or 0 < blend < 0.1 else OVER
    made = hk.plan.trajectory(
        model, q, max_speed=speed, max_acceleration=push, max_jerk=jerk, blend=blend
    )
    found.made += 1
    end = made.duration
    t = np.concatenate([np.linspace(0, end, 3000), rng.uniform(0, end, 2000), made.times])
    _, v, a = made.sample(t)
    over = max(float((np.abs(v) / speed).max()), float((np.abs(a) / push).max()))
    found.most = max(found.most, over)
    name = f"seed {seed}, {k}"
    if not over <= 1 + small:
        found.failures.append(f"{name}: {over} of a limit; jerk {jerk}, blend {blend}")
    if end == 0:
        return
    t = np.unique(t)
    _, v, _ = made.sample(t)
    jump = np.abs(np.diff(v, axis=0)) - 3 * push * (np.diff(t)[:, None] + 1e-15 * end)
    if not jump.max() <= 1e-7 * np.abs(v).max():
        found.failures.append(f"{name}: a velocity jumps by {jump.max()}, blend {blend}")
    if jerk is not None:
        even = np.linspace(0, end, 4000)
        _, _, a = made.sample(even)
        change = np.abs(np.diff(a, axis=0)) - 1e-9 * np.abs(a).max(axis=0)
        over = float((change / (jerk * even[1])).max())
        found.sharpest = max(found.sharpest, over)
        if not over <= 1 + JERK_OVER:
            found.failures.append(f"{name}: {over} of the jerk, blend {blend}")
    step, mid = 1e-7 * end, np.linspace(0.05, 0.95, 40) * end
    before, after = made.sample(mid - step)[0], made.sample(mid + step)[0]
    _, v, a = made.sample(mid)
    away = np.abs(np.asarray(model.difference(before, after)) / (2 * step) - v).max()
    size = np.abs(q).max()
    if away > 1e-4 * (np.abs(v).max() + np.abs(a).max() * step) + 2e-14 * size / step:
        found.failures.append(f"{name}: postures are not the integral of velocities, {away}")
    missed = np.abs(model.difference(made.sample(end)[0], q[-1])).max()
    if missed > 1e-7 * max(size, 1e-9):
        found.failures.append(f"{name}: the last posture is {missed} away")


def some(seed: int, count: int) -> Found:
    """Make some."""
    found = Found()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for k in range(count):
            one(seed, k, found)
    return found


if __name__ == "__main__":
    found = some(int(sys.argv[1]), int(sys.argv[2]))
    print(f"{found.made} trajectories, at most {found.most} of a limit, {found.sharpest} of jerk")
    print("\n".join(found.failures) or "nothing found")
    sys.exit(bool(found.failures))
