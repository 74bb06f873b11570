"""Millions of position targets by `Solver.stream` into a .npy file: time, share solved, and memory.

Targets are poses' origins by forward kinematics of uniform joint vectors inside the limits, drawn chunk by chunk, so that
they never stand in memory at once. A sample of the answers is read back from the file, posed again and held against its
targets. The memory printed is the greatest the process has held (ru_maxrss), before, after the first chunk and at the end.
The clock stands still while targets are drawn and answers are checked. ``--out`` writes a row for each chunk.
"""

from __future__ import annotations

import argparse
import resource
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from benchmarks._out import Row, add_out, save
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


class Run:
    """All chunks of one stream, timed and checked."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.model, self.count, self.chunk = arm(), options.targets, options.chunk
        goal = hk.Position(str(self.model.tip), position_tolerance=options.tolerance)
        self.problem = hk.Problem(self.model, [goal])
        self.solver = hk.Solver(threads=options.threads)
        self.solver(self.problem, origins(self.model, 2000, 9))  # what is made once
        self.points: Array = np.empty((0, 3))  # of the chunk at hand
        self.worst = 0.0

    def targets(self) -> Iterator[Array]:
        """Draw the chunks."""
        for first in range(0, self.count, self.chunk):
            self.points = origins(self.model, min(self.chunk, self.count - first), first)
            yield self.points

    def check(self, good: NDArray[np.bool_], answers: Array) -> None:
        """Pose a sample of the answers again."""
        some = np.flatnonzero(good)[:: max(1, len(good) // 1000)]
        gap = self.model.fk(answers[some])[:, :3, 3] - self.points[some]
        self.worst = max(self.worst, float(np.linalg.norm(gap, axis=1).max(initial=0)))

    def rows(self, path: Path) -> Iterator[Row]:
        """Solve chunk by chunk: what there is to say of each."""
        clock = Clock(self.targets())
        stream = self.solver.stream(self.problem, clock, chunk=self.chunk, file=path)
        for first in range(0, self.count, self.chunk):
            clock.rest = clock.idle = 0.0
            start, worked = time.perf_counter(), time.process_time()
            result = next(stream)
            wall = time.perf_counter() - start - clock.rest
            busy = time.process_time() - worked - clock.idle
            good = np.asarray(result.converged)
            self.check(good, np.load(path, mmap_mode="r")[first : first + len(good)])
            yield {
                "targets": first + len(good),
                "solved": int(good.sum()),
                "wall_s": round(wall, 6),
                "processor_s": round(busy, 6),
                "memory_mib": round(held(), 2),
            }


def draw(rows: list[Row], figure: Any) -> None:
    """Draw time and memory as the targets grow."""
    time_axes, memory_axes = figure.subplots(2, 1, sharex=True)
    done = [r["targets"] for r in rows]
    for key, label in (("processor_s", "of processors"), ("wall_s", "on the wall")):
        time_axes.plot(done, np.cumsum([r[key] for r in rows]), ".-", label=label)
    time_axes.set(ylabel="seconds so far", ylim=(0, None))
    time_axes.legend()
    memory_axes.plot(done, [r["memory_mib"] for r in rows], ".-")
    memory_axes.set(ylabel="most memory so far, MiB", ylim=(0, None), xlabel="targets")
    for axes in (time_axes, memory_axes):
        axes.grid(alpha=0.3)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks batch", description=__doc__)
    parser.add_argument("--targets", type=int, default=1_000_000, help="10000000 takes minutes")
    parser.add_argument("--chunk", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=0, help="0: all cores")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="metres")
    add_out(parser)
    options = parser.parse_args()
    run = Run(options)
    before, count = held(), run.count
    with tempfile.TemporaryDirectory() as folder:
        rows = list(run.rows(Path(folder) / "answers.npy"))
    wall, busy = (sum(r[key] for r in rows) for key in ("wall_s", "processor_s"))
    solved = sum(r["solved"] for r in rows)
    print(f"{run.model.name}, {run.model.nq} joints: {count} targets in chunks of {run.chunk}")
    print(
        f"  {wall:.2f} s solving, {wall / count * 1e6:.2f} us a target on the wall, "
        f"{busy / count * 1e6:.2f} us of processors"
    )
    print(f"  solved {100 * solved / count:.4f} %, worst of a sample posed again {run.worst:.1e} m")
    early, late = rows[0]["memory_mib"], rows[-1]["memory_mib"]
    print(f"  memory {before:.0f} MiB before, {early:.0f} after a chunk, {late:.0f} at the end")
    save(options.out, "batch", rows, lambda figure: draw(rows, figure))


if __name__ == "__main__":
    main()
