"""FABRIK on ten free links: handik's batch against the plain scalar C loop, in one run.

On one core; bent rest pose, targets uniform in the ball of 0.9 of the reach, tolerances 1e-2 and
1e-6 of it. Both are timed in turn, several rounds; medians and their ratio are printed. handik's
time includes everything: Python, the way from points to joint coordinates, and the judge's own
forward kinematics of every answer.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import handik as hk

Array = NDArray[np.float64]


def plain_loop(folder: str) -> ctypes.CDLL:
    """Compile the plain loop with the flags of the extension."""
    library = Path(folder) / "plain.so"
    source = Path(__file__).with_name("plain_fabrik.c")
    flags = (
        "-std=c11 -O3 -ffp-contract=off -fno-math-errno -fno-trapping-math -shared -fPIC".split()
    )
    subprocess.run(["gcc", *flags, str(source), "-o", str(library), "-lm"], check=True)
    loop = ctypes.CDLL(str(library))
    pointer = np.ctypeslib.ndpointer(float, flags="C")
    loop.plain_fabrik.restype = ctypes.c_long
    loop.plain_fabrik.argtypes = [
        ctypes.c_int,
        pointer,
        pointer,
        ctypes.c_long,
        ctypes.c_double,
        ctypes.c_int,
        ctypes.c_void_p,
    ]
    return loop


def bent_rest(links: int, angle: float = 0.2) -> Array:
    """Each ball after the first turned by `angle` about z."""
    q = np.tile([np.cos(angle / 2), 0.0, 0.0, np.sin(angle / 2)], (links, 1))
    q[0] = [1.0, 0.0, 0.0, 0.0]
    return q.ravel()


def ball_targets(count: int, radius: float, seed: int) -> Array:
    """Points uniform in a ball."""
    rng = np.random.default_rng(seed)
    direction = rng.normal(size=(count, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    return direction * radius * rng.uniform(size=(count, 1)) ** (1 / 3)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks chains", description=__doc__)
    parser.add_argument("--targets", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--links", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    arm = hk.chain([1.0] * args.links, "ball")
    q0 = bent_rest(args.links)
    targets = ball_targets(args.targets, 0.9 * arm.reach, args.seed)
    start = np.ascontiguousarray(arm.frames(q0)[1:, :3, 3])
    print(f"{args.links} unit links, {args.targets} targets, handik {hk.__version__} ({hk.simd()})")
    print("tolerance  plain: iterations  us/solve   handik: iterations  us/solve  solved   ratio")
    with tempfile.TemporaryDirectory() as folder:
        loop = plain_loop(folder)
        for tolerance in (1e-2, 1e-6):
            wanted = tolerance * arm.reach
            plain, ours = [], []
            for _ in range(args.rounds):
                begin = time.process_time()
                made = loop.plain_fabrik(
                    args.links, start, targets, len(targets), wanted, 10_000, None
                )
                plain.append(time.process_time() - begin)
                begin = time.process_time()
                result = arm.solve(
                    position=targets,
                    q0=q0,
                    solver="fabrik",
                    position_tolerance=wanted,
                    max_iter=10_000,
                )
                ours.append(time.process_time() - begin)
            a, b = np.median(plain), np.median(ours)
            us = 1e6 / len(targets)
            print(
                f"{tolerance:9.0e} {made / len(targets):18.3f} {a * us:9.3f} "
                f"{result.iterations.mean():20.3f} {b * us:9.3f} "
                f"{result.converged.mean():7.2%} {b / a:7.2f}"
            )


if __name__ == "__main__":
    main()
