"""Millions of position targets, in chunks, into a file mapped into memory: time, share solved, and memory.

Targets are poses' origins by forward kinematics of uniform joint vectors inside the limits, drawn chunk by chunk, so that
they never stand in memory at once; the answers go to a `numpy.memmap`. A sample of the answers is posed again and held
against its targets. The memory printed is the greatest the process has held (ru_maxrss), before and after.
"""

from __future__ import annotations

import argparse
import resource
import sysconfig
import tempfile
import time
from pathlib import Path

import numpy as np

import handik as hk
from benchmarks.arms import table_arms

ROBOTS = Path(sysconfig.get_paths()["purelib"]) / "cmeel.prefix/share/example-robot-data/robots"
UPPER = ("talos_data/robots/talos_reduced.urdf", "base_link", "gripper_left_base_link")


def arm() -> hk.Model:
    """Return Talos' torso and arm, or the Puma 560 where example-robot-data is not installed."""
    name, base, tip = UPPER
    if (ROBOTS / name).exists():
        return hk.load(ROBOTS / name, base=base, tip=tip)
    return table_arms()["puma560"]


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
    wishes = {"position_tolerance": options.tolerance, "threads": options.threads}
    model.solve(position=model.fk(model.sample(2000, seed=9))[:, :3, 3], **wishes)
    solving = solved = busy = 0.0
    worst = 0.0
    before = held()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "answers.f64"
        path.touch()
        for first in range(0, count, chunk):
            n = min(chunk, count - first)
            points = model.fk(model.sample(n, seed=first))[:, :3, 3].copy()
            # The part of the file for this chunk alone: pages of the rest are not kept in memory.
            at = first * model.nq * 8
            out = np.memmap(path, float, "r+", offset=at, shape=(n, model.nq))
            start, worked = time.perf_counter(), time.process_time()
            result = model.solve(position=points, out=out, **wishes)
            solving += time.perf_counter() - start
            busy += time.process_time() - worked
            good = np.asarray(result.converged)
            solved += float(good.sum())
            some = np.flatnonzero(good)[:: max(1, n // 1000)]
            reached = model.fk(np.asarray(out[some]))[:, :3, 3]
            worst = max(worst, float(np.linalg.norm(reached - points[some], axis=1).max(initial=0)))
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
