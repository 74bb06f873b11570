"""Completeness, accuracy and speed of the analytic solutions, by arm.

Run: python benchmarks/analytic.py [poses] [arms ...]

For each arm: the method chosen, set-up time, median microseconds per pose in a batch (one thread)
and called singly from Python, how many poses had their generating posture found, how many postures
of two other sources were missing, and the worst residual by the model's own forward kinematics. The
other sources are the union of every elimination of the general method, on every tenth pose, and
Newton's method from 100 random starts, on every hundredth (written here in NumPy).
"""

from __future__ import annotations

import sys
import time
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


def measure(name: str, table: list[list[float]], poses: int, rng: np.random.Generator) -> None:
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
    lost = sum(missing(found.q[k], found.count[k], q[k : k + 1]) for k in range(poses))
    there = np.arange(found.q.shape[1]) < found.count[:, None]
    wanted = np.broadcast_to(targets[:, None], (*there.shape, 4, 4))[there]
    worst = np.abs(arm.fk(found.q[there]) - wanted).max()
    absent = [0, 0]
    for k in range(0, poses, 10) if arm.nq == 6 else ():
        second = arm.solutions(targets[k], thorough=True)
        absent[0] += missing(found.q[k], found.count[k], second.q)
        if k % 100 == 0:
            starts = rng.uniform(-pi, pi, (100, 6))
            absent[1] += missing(found.q[k], found.count[k], newton(arm, targets[k], starts))
    print(
        f"{name:20} {found.method:9} set-up {1e3 * setup:6.2f} ms  batch "
        f"{1e6 * median(times):7.2f} us"
        f"  single {1e6 * median(singly):7.2f} us  {found.count.mean():5.2f} postures"
        f"  own posture lost {lost}/{poses}  absent {absent[0]} (union) {absent[1]} (newton)"
        f"  worst residual {worst:.1e}  unsure {int((~found.sure).sum())}"
    )


def general(arms: int, each: int, rng: np.random.Generator) -> None:
    """Print one line for many random arms."""
    lost = postures = unsure = 0
    worst, setups, times = 0.0, [], []
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
        lost += sum(missing(found.q[k], found.count[k], q[k : k + 1]) for k in range(each))
        there = np.arange(found.q.shape[1]) < found.count[:, None]
        wanted = np.broadcast_to(targets[:, None], (*there.shape, 4, 4))[there]
        worst = max(worst, float(np.abs(arm.fk(found.q[there]) - wanted).max()))
        postures += int(found.count.sum())
        unsure += int((~found.sure).sum())
    print(
        f"{arms} random 6R x {each}: set-up {1e3 * median(setups):.1f} ms, batch "
        f"{1e6 * median(times):.1f} us, {postures / arms / each:.2f} postures, own posture lost "
        f"{lost}/{arms * each}, worst residual {worst:.1e}, unsure {unsure}"
    )


def main() -> None:
    """Measure the arms named on the command line, or all."""
    poses = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    wanted = sys.argv[2:]
    rng = np.random.default_rng(1)
    print(f"handik {hk.__version__}, {hk.simd()}, numpy {np.__version__}")
    for name, table in ARMS.items():
        if not wanted or any(word in name for word in wanted):
            measure(name, table, poses, rng)
    if not wanted or "random" in wanted:
        general(100, max(1, poses // 20), rng)


if __name__ == "__main__":
    main()
