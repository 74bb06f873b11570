"""Fuzzer of closed forms: random arms, limits and starts; oracles that know no closed form.

``python tests/fuzz/arms.py 1000 500``: 500 arms from seed 1000.

Of an arm of three to six turns `auto` promises the nearest of all postures. Here all are those of the general method on the arm
without limits, each joint turned by every whole turn that its limits let it have, and the one with the smallest largest move is
searched for by comparing all. Of an arm of seven the union over samples of the locked joint is compared with six-jointed arms
in which that joint is a link at each value.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import handik as hk

TWO_PI = 2 * np.pi
TIGHT = {"position_tolerance": 1e-7, "orientation_tolerance": 1e-7}
RIGHT = np.array([0, 0.5, -0.5, 1]) * np.pi


@dataclass
class Found:
    """What was compared, and what was wrong."""

    count: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def table(rng: np.random.Generator, n: int) -> np.ndarray:
    """Draw an arm that has a closed form, mostly: a wrist, three parallel axes, or right angles; theta, d, a, alpha a row."""
    rows = rng.uniform([-np.pi, -0.5, -0.5, -np.pi], [np.pi, 0.5, 0.5, np.pi], (n, 4))
    kind = rng.integers(3)
    if kind == 0 and n > 3:  # the last three axes meet
        rows[-3, 2] = rows[-2, 1] = rows[-2, 2] = 0
    elif kind == 1:
        first = int(rng.integers(max(1, n - 3)))
        rows[first : first + 2, 3] = 0
    else:
        rows[:, 3] = rng.choice(RIGHT, n)
        rows[:, 1:3] *= rng.random((n, 2)) < 0.6
    return rows


def limits(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    low = rng.uniform(-6, -0.5, n)
    return low, low + rng.uniform(1, 11, n)


def nearest(every: np.ndarray, start: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """The smallest largest move to any posture at any whole turns inside the limits; inf: there is none."""
    turns = TWO_PI * np.arange(-3, 4)
    at = every[:, :, None] + turns  # posture, joint, turn
    inside = (at >= low[:, None]) & (at <= high[:, None])
    move = np.where(inside, np.abs(at - start[:, None]), np.inf).min(axis=2)
    return float(move.max(axis=1).min(initial=np.inf))


def check_nearest(seed: int, found: Found, rows: int = 4) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 7))
    dh, (low, high) = table(rng, n), limits(rng, n)
    arm = hk.Model.from_dh(dh, lower=low, upper=high)
    free = hk.Model.from_dh(dh, lower=np.full(n, -np.pi), upper=np.full(n, np.pi))
    q, start = arm.sample(rows, seed=seed), arm.sample(rows, seed=seed + 1)
    start[rows // 2 :] += rng.uniform(-9, 9, (rows - rows // 2, n))  # beyond the limits
    poses, begun = (
        arm.fk(q),
        np.clip(start, low, high),
    )  # a start beyond the limits is brought to them first
    got = arm.solve(pose=poses, q0=start, **TIGHT)
    every = free.solutions(poses, method="general")
    for k in range(rows):
        what = f"seed {seed} row {k}, {n} joints"
        if got.converged[k] and not np.all((got.q[k] >= low) & (got.q[k] <= high)):
            found.failures.append(f"{what}: outside its limits")
        if got.method[k] != hk.Method.CLOSED_FORM:
            found.count["left to others"] += 1
            continue
        if not every.complete[k] or every.free[k].any():
            found.count["not compared"] += 1
            continue
        move = float(np.abs(got.q[k] - begun[k]).max())
        least = nearest(every.q[k, : every.count[k]], begun[k], low + 1e-9, high - 1e-9)
        found.count[f"{n} joints"] += 1
        if np.abs(arm.fk(got.q[k]) - poses[k]).max() > 1e-8:
            found.failures.append(f"{what}: misses the pose")
        if move > least + 1e-6:
            found.failures.append(f"{what}: moves {move}, another {least}")
        if (
            every.count[k] > 0
            and move
            < nearest(every.q[k, : every.count[k]], begun[k], low - 1e-6, high + 1e-6) - 1e-6
        ):
            found.failures.append(f"{what}: moves {move}, the least of the oracle is {least}")


def check_union(seed: int, found: Found, samples: int = 4) -> None:
    """The union over a locked joint: each posture of each value, and no claim to be all."""
    rng = np.random.default_rng(seed)
    dh, (low, high) = table(rng, 7), limits(rng, 7)
    arm = hk.Model.from_dh(dh, lower=low, upper=high)
    lock = int(rng.integers(7))
    name = [joint for joint, part in arm.joint_q_slices.items() if part.stop > part.start][lock]
    q = arm.sample(1, seed=seed)[0]
    whole = high[lock] - low[lock] >= TWO_PI
    first = min(max(low[lock], -np.pi), high[lock] - TWO_PI) if whole else low[lock]
    step = TWO_PI / samples if whole else (high[lock] - low[lock]) / (samples - 1)
    q[lock] = min(max(first + step * rng.integers(samples), low[lock]), high[lock])
    pose = arm.fk(q)
    got = arm.solutions(pose, lock=name, samples=samples)
    if got.complete:
        found.failures.append(f"seed {seed}: a union of samples says it is complete")
    rows = np.asarray(got.q)
    if got.count and np.abs(arm.fk(rows) - pose).max() > 1e-8:
        found.failures.append(f"seed {seed}: misses the pose")
    if not np.all((rows >= low) & (rows <= high)):
        found.failures.append(f"seed {seed}: outside its limits")
    one = arm.solutions(pose, lock={name: q[lock]})
    if not one.complete or one.free.any():
        found.count["not compared"] += 1
        return
    found.count["unions"] += 1
    for k in range(samples):
        value = min(max(first + step * k, low[lock]), high[lock])
        link = arm.locked({name: value}).solutions(pose)
        mine = rows[np.abs(rows[:, lock] - value) < 1e-9]
        if link.complete and not link.free.any() and len(mine) != link.count:
            found.failures.append(
                f"seed {seed}: {len(mine)} postures at {value}, {link.count} with a link there"
            )
    apart = np.abs((rows - q + np.pi) % TWO_PI - np.pi).max(axis=1).min(initial=np.inf)
    if apart > 1e-6:
        found.failures.append(f"seed {seed}: the generating posture is missing by {apart}")


def some_arms(first: int, count: int) -> Found:
    found = Found()
    for seed in range(first, first + count):
        check_nearest(seed, found)
        if seed % 4 == 0:
            check_union(seed, found)
    return found


if __name__ == "__main__":
    found = some_arms(int(sys.argv[1]), int(sys.argv[2]))
    print(dict(found.count))
    print("\n".join(found.failures) or "nothing found")
    sys.exit(bool(found.failures))
