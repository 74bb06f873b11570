"""Completeness, accuracy and speed of the analytic solutions, by arm.

Run: python -m benchmarks analytic [--poses 2000] [--every 10] [--arms ur5 puma560 ...]

For each arm: the method chosen, set-up time, median microseconds per pose in a batch (one thread)
and called singly from Python, how many poses had their generating posture found, how many postures
of two other sources were missing, duplicates within 1e-6, and the worst residual by the model's own
forward kinematics. The other sources are the union of every elimination of the general method, on
one pose of `--every`, and Newton's method from 100 random starts, on one of ten times as many
(written here in NumPy). Then 100 random six-joint arms in the same way, and exact singular poses of
three arms. EAIK is timed beside them when it is installed. The last line sums up: the share of all
postures known from any source that were found.

`--poses 18000 --every 1` looks at 100,000 poses; about ten minutes of one core.
"""

from __future__ import annotations

import argparse
import importlib
import time
from dataclasses import dataclass
from statistics import median

import numpy as np
from numpy import pi

import handik as hk

HALF = pi / 2
ARMS: dict[str, list[list[float]]] = {
    "ur5": [
        [0, 0.089159, 0, HALF],
        [0, 0, -0.425, 0],
        [0, 0, -0.39225, 0],
        [0, 0.10915, 0, HALF],
        [0, 0.09465, 0, -HALF],
        [0, 0.0823, 0, 0],
    ],
    "puma560": [
        [0, 0.6718, 0, HALF],
        [0, 0, 0.4318, 0],
        [0, 0.15005, 0.0203, -HALF],
        [0, 0.4318, 0, HALF],
        [0, 0, 0, -HALF],
        [0, 0.056, 0, 0],
    ],
    "irb120": [
        [0, 0.29, 0, -HALF],
        [-HALF, 0, 0.27, 0],
        [0, 0, 0.07, -HALF],
        [0, 0.302, 0, HALF],
        [0, 0, 0, -HALF],
        [pi, 0.072, 0, 0],
    ],
    "skew 3R and wrist": [
        [0.1, 0.2, 0.3, 0.9],
        [0.4, -0.1, 0.5, -0.5],
        [0.2, 0.15, 0.2, 1.1],
        [0, 0.4, 0, 1.2],
        [0, 0, 0, -0.8],
        [0, 0.1, 0.05, 0.3],
    ],
    "crx (offset wrist)": [
        [0, 0, 0, -HALF],
        [0, 0, 0.54, 0],
        [0, 0, 0, -HALF],
        [0, 0.54, 0, HALF],
        [0, -0.15, 0, -HALF],
        [0, 0.16, 0, 0],
    ],
    "denso vp5243": [
        [0, 0.28, 0, HALF],
        [0, 0, 0.21, 0],
        [0, 0, 0.22, 0],
        [HALF, 0, 0, HALF],
        [0, 0.12, 0, 0],
    ],
}


def random_arm(rng: np.random.Generator) -> list[list[float]]:
    """Return a table of six random turning joints."""
    table = rng.uniform([-pi, -1, -1, -pi], [pi, 1, 1, pi], (6, 4))
    return [list(row) for row in table]


def gap(x: np.ndarray) -> np.ndarray:
    """Greatest angle of each row, modulo whole turns."""
    return np.asarray(np.abs((x + pi) % (2 * pi) - pi).max(axis=-1))


def missing(found: np.ndarray, n: int, others: np.ndarray) -> int:
    """Return how many of `others` are not among the first n rows."""
    return sum(not (gap(found[:n] - row) < 1e-4).any() for row in others)


def newton(arm: hk.Model, pose: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Run Newton's method from the rows of q; the rows that arrived."""
    for _ in range(40):
        now = arm.fk(q)
        turn = pose[:3, :3] @ np.swapaxes(now[:, :3, :3], 1, 2)
        skew = [turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0]]
        skew.append(turn[:, 1, 0] - turn[:, 0, 1])
        error = np.concatenate([pose[:3, 3] - now[:, :3, 3], 0.5 * np.stack(skew, axis=1)], axis=1)
        jacobian = arm.jacobian(q) + 1e-12 * np.eye(6)
        step = np.linalg.solve(jacobian, error[:, :, None])[:, :, 0]
        size = np.abs(step).max(axis=1, keepdims=True)
        q = q + step * np.minimum(1, 0.3 / np.maximum(size, 1e-300))
    return np.asarray(q[np.abs(arm.fk(q) - pose).max(axis=(1, 2)) < 1e-11])


@dataclass
class Tally:
    """What the arms came to together."""

    poses: int = 0
    known: int = 0
    absent: int = 0
    own_lost: int = 0
    doubles: int = 0
    worst: float = 0.0


def doubles(found: hk.Solutions) -> int:
    """Pairs of postures of one pose within 1e-6 of each other."""
    n = 0
    for rows, count in zip(found.q, found.count, strict=True):
        apart = gap(rows[:count, None] - rows[None, :count])
        n += int(np.count_nonzero(np.triu(apart < 1e-6, 1)))
    return n


def check(
    arm: hk.Model, q: np.ndarray, found: hk.Solutions, every: int, rng: np.random.Generator
) -> tuple[Tally, int, int]:
    """Compare with the other sources; the tally and what was absent from union and Newton."""
    targets = arm.fk(q)
    tally = Tally(poses=len(q), doubles=doubles(found), known=int(found.count.sum()))
    tally.own_lost = sum(missing(found.q[k], found.count[k], q[k : k + 1]) for k in range(len(q)))
    there = np.arange(found.q.shape[1]) < found.count[:, None]
    wanted = np.broadcast_to(targets[:, None], (*there.shape, 4, 4))[there]
    tally.worst = float(np.abs(arm.fk(found.q[there]) - wanted).max())
    union = by_newton = 0
    for k in range(0, len(q), every) if arm.nq == 6 else ():
        second = arm.solutions(targets[k], thorough=True)
        union += missing(found.q[k], found.count[k], second.q)
        if k % (10 * every) == 0:
            starts = rng.uniform(-pi, pi, (100, 6))
            by_newton += missing(found.q[k], found.count[k], newton(arm, targets[k], starts))
    tally.absent = max(union, by_newton, tally.own_lost)
    tally.known += tally.absent
    return tally, union, by_newton


def add(total: Tally, one: Tally) -> None:
    """Sum up."""
    for name in ("poses", "known", "absent", "own_lost", "doubles"):
        setattr(total, name, getattr(total, name) + getattr(one, name))
    total.worst = max(total.worst, one.worst)


def measure(
    name: str, table: list[list[float]], poses: int, every: int, rng: np.random.Generator
) -> Tally:
    """Print one line."""
    arm = hk.Model.from_dh(table)
    q = rng.uniform(-pi, pi, (poses, arm.nq))
    targets = arm.fk(q)
    start = time.process_time()
    arm.solutions(targets[0])
    setup = time.process_time() - start
    times = []
    for _ in range(5):
        start = time.process_time()
        found = arm.solutions(targets)
        times.append((time.process_time() - start) / poses)
    singly = []
    for pose in targets[:500]:
        start = time.perf_counter()
        arm.solutions(pose)
        singly.append(time.perf_counter() - start)
    tally, union, by_newton = check(arm, q, found, every, rng)
    print(
        f"{name:20} {found.method:9} set-up {1e3 * setup:6.2f} ms  batch "
        f"{1e6 * median(times):7.2f} us"
        f"  single {1e6 * median(singly):7.2f} us  {found.count.mean():5.2f} postures"
        f"  own posture lost {tally.own_lost}/{poses}  absent {union} (union) {by_newton} (newton)"
        f"  doubles {tally.doubles}  worst residual {tally.worst:.1e}"
        f"  unsure {int((~found.sure).sum())}",
        flush=True,
    )
    return tally


def general(arms: int, each: int, every: int, rng: np.random.Generator) -> Tally:
    """Print one line for many random arms."""
    unsure, union, by_newton = 0, 0, 0
    setups, times, total, postures = [], [], Tally(), 0
    for _ in range(arms):
        arm = hk.Model.from_dh(random_arm(rng))
        q = rng.uniform(-pi, pi, (each, 6))
        targets = arm.fk(q)
        start = time.process_time()
        arm.solutions(targets[0])
        setups.append(time.process_time() - start)
        start = time.process_time()
        found = arm.solutions(targets)
        times.append((time.process_time() - start) / each)
        tally, one, two = check(arm, q, found, every, rng)
        add(total, tally)
        union, by_newton = union + one, by_newton + two
        postures += int(found.count.sum())
        unsure += int((~found.sure).sum())
    print(
        f"{arms} random 6R x {each}: set-up {1e3 * median(setups):.1f} ms, batch "
        f"{1e6 * median(times):.1f} us, {postures / arms / each:.2f} postures, own posture lost "
        f"{total.own_lost}/{arms * each}, absent {union} (union) {by_newton} (newton), doubles "
        f"{total.doubles}, worst residual {total.worst:.1e}, unsure {unsure}",
        flush=True,
    )
    return total


def singular(poses: int, rng: np.random.Generator) -> None:
    """Print one line an arm: postures made exactly singular, and how many have a true answer."""
    for name, stretched in (
        ("ur5", 0.0),
        ("puma560", HALF + np.arctan2(0.0203, 0.4318)),
        ("irb120", -HALF + np.arctan2(0.302, 0.07) - pi),
    ):
        arm = hk.Model.from_dh(ARMS[name])
        q = rng.uniform(-pi, pi, (poses, 6))
        q[::3, 4] = 0
        q[1::3, 2] = stretched
        q[2::3] = (HALF * rng.integers(-2, 3, (len(q[2::3]), 6))).astype(float)
        targets = arm.fk(q)
        found = arm.solutions(targets)
        there = np.arange(found.q.shape[1]) < found.count[:, None]
        reached = np.abs(arm.fk(np.nan_to_num(found.q)) - targets[:, None]).max(axis=(2, 3)) < 1e-10
        good = (there & reached).any(axis=1)
        print(
            f"singular poses of {name:8} (wrist in line, elbow stretched, right angles): a true "
            f"answer for {int(good.sum())} of {poses}, {int(found.free.any(axis=(1, 2)).sum())} with "
            f"a family, wrong answers {int((there & ~reached).sum())}",
            flush=True,
        )


def peer(poses: int, rng: np.random.Generator) -> None:
    """Time EAIK on the arms it takes, one pose a call; its name alone when it is not there."""
    try:
        eaik = importlib.import_module("eaik.IK_DH")
    except ImportError:
        print("EAIK: not installed")
        return
    for name in ("ur5", "puma560", "irb120"):
        table = np.array(ARMS[name])
        arm = hk.Model.from_dh(table)
        robot = eaik.DhRobot(table[:, 3], table[:, 2], table[:, 1])
        q = rng.uniform(-pi, pi, (min(poses, 500), 6))
        targets = arm.fk(q - table[:, 0])
        theirs, ours, more, fewer = [], [], 0, 0
        for pose in targets:
            start = time.perf_counter()
            other = robot.IK(pose)
            theirs.append(time.perf_counter() - start)
            start = time.perf_counter()
            found = arm.solutions(pose)
            ours.append(time.perf_counter() - start)
            rows = np.asarray(other.Q).reshape(-1, 6)
            rows = rows[[not ls for ls in np.ravel(other.is_LS)]] - table[:, 0]
            more += missing(found.q, found.count, rows)
            fewer += missing(rows, len(rows), found.q)
        print(
            f"EAIK on {name:8} singly: {1e6 * median(theirs):.1f} us, handik {1e6 * median(ours):.1f}"
            f" us; its postures that handik lacks {more}, handik's that it lacks {fewer}",
            flush=True,
        )


def main() -> None:
    """Measure the arms named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--poses", type=int, default=2000, help="poses of each named arm")
    parser.add_argument("--every", type=int, default=10, help="second source on one pose of these")
    parser.add_argument("--arms", nargs="*", default=[], help="named arms, random, singular, eaik")
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    print(f"handik {hk.__version__}, {hk.simd()}, numpy {np.__version__}")
    total = Tally()
    wanted = options.arms
    for name, table in ARMS.items():
        if not wanted or any(word in name for word in wanted):
            add(total, measure(name, table, options.poses, options.every, rng))
    if not wanted or "random" in wanted:
        each = max(1, min(100, options.poses // 20))
        add(total, general(100, each, options.every, rng))
    if not wanted or "singular" in wanted:
        singular(min(options.poses, 3000), rng)
    if not wanted or "eaik" in wanted:
        peer(options.poses, rng)
    if total.poses:
        share = 1 - total.absent / total.known
        print(
            f"{total.poses} poses, {total.known} postures known, {total.absent} absent: share "
            f"{100 * share:.4f} %, own posture lost {total.own_lost}, doubles {total.doubles}, worst "
            f"residual {total.worst:.1e}"
        )


if __name__ == "__main__":
    main()
