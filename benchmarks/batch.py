"""Millions of position targets by `Solver.stream` into a .npy file: time, share solved, and memory.

Targets are poses' origins by forward kinematics of uniform joint vectors inside the limits, drawn chunk by chunk, so that
they never stand in memory at once. A sample of the answers is read back from the file, posed again and held against its
targets. The memory printed is the greatest the process has held (ru_maxrss), before, after the first chunk and at the end.
The clock stands still while targets are drawn and answers are checked.
"""

from __future__ import annotations

import argparse
import resource
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import handik as hk
from benchmarks.arms import table_arms

Array = NDArray[np.float64]
ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
UPPER = ("talos_data/robots/talos_reduced.urdf", "base_link", "gripper_left_base_link")


def arm() -> hk.Model:
    """Return Talos' torso and arm, or the Puma 560 where example-robot-data is not installed."""
    name, base, tip = UPPER
    if (ROBOTS / name).exists():
        return hk.load(ROBOTS / name, base=base, tip=tip)
    return table_arms()["puma560"]


def origins(model: hk.Model, n: int, seed: int) -> Array:
    """Draw targets."""
    return model.fk(model.sample(n, seed=seed))[:, :3, 3].copy()


class Clock:
    """Passes targets on, and counts what drawing them took on the wall and of the processor."""

    def __init__(self, targets: Iterator[Array]) -> None:
        self.targets, self.rest, self.idle = targets, 0.0, 0.0

    def __iter__(self) -> Clock:
        return self

    def __next__(self) -> Array:
        start, worked = time.perf_counter(), time.process_time()
        points = next(self.targets)
        self.rest += time.perf_counter() - start
        self.idle += time.process_time() - worked
        return points


def held() -> float:
    """Return the greatest memory of this process so far, MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks batch", description=__doc__)
    parser.add_argument("--targets", type=int, default=1_000_000, help="10000000 takes minutes")
    parser.add_argument("--chunk", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="metres")
    options = parser.parse_args()
    model, count, chunk = arm(), options.targets, options.chunk
    goal = hk.Position(str(model.tip), position_tolerance=options.tolerance)
    problem, solver = hk.Problem(model, [goal]), hk.Solver(threads=options.threads)
    solver(problem, origins(model, 2000, 9))  # what is made once
    kept: list[Array] = []

    def targets() -> Iterator[Array]:
        for first in range(0, count, chunk):
            points = origins(model, min(chunk, count - first), first)
            kept[:] = [points]
            yield points

    solving = solved = busy = worst = 0.0
    before = held()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.npy"
        clock = Clock(targets())
        stream = solver.stream(problem, clock, chunk=chunk, file=path)
        for first in range(0, count, chunk):
            clock.rest = clock.idle = 0.0
            start, worked = time.perf_counter(), time.process_time()
            result = next(stream)
            solving += time.perf_counter() - start - clock.rest
            busy += time.process_time() - worked - clock.idle
            good = np.asarray(result.converged)
            solved += float(good.sum())
            some = np.flatnonzero(good)[:: max(1, len(good) // 1000)]
            answers = np.load(path, mmap_mode="r")[first + some]
            gap = model.fk(answers)[:, :3, 3] - kept[0][some]
            worst = max(worst, float(np.linalg.norm(gap, axis=1).max(initial=0)))
            if first == 0:
                early = held()
    print(f"{model.name}, {model.nq} joints: {count} targets in chunks of {chunk}")
    print(
        f"  {solving:.2f} s solving, {solving / count * 1e6:.2f} us a target on the wall, "
        f"{busy / count * 1e6:.2f} us of processors"
    )
    print(f"  solved {100 * solved / count:.4f} %, worst of a sample posed again {worst:.1e} m")
    print(f"  memory {before:.0f} MiB before, {early:.0f} after a chunk, {held():.0f} at the end")


if __name__ == "__main__":
    main()
