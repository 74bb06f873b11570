"""How cost grows with joints, targets and threads: tables, and with ``--out FOLDER`` CSV files and a plot.

Joints: forward kinematics of all frames of a chain of hinges, and one iteration of FABRIK and of CCD on it (the time of a
call with a cap on iterations, less that with a lower cap, over the difference, so that what a call costs once drops out).
Time of the processor, of one thread, so that what else the machine does is left out as far as can be.
Targets: positions on the Puma 560 by the default solver, time on the wall. Each figure is the least of several rounds.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from benchmarks.arms import table_arms

Array = NDArray[np.float64]
JOINTS = (10, 100, 1_000, 10_000, 100_000)
TARGETS = (1, 10, 100, 1_000, 10_000, 100_000)
Row = tuple[str, int, float]


def least(
    call: Callable[[], Any], rounds: int, clock: Callable[[], float] = time.process_time
) -> float:
    """Return the seconds of the quickest of several calls, those before which are left out."""
    times = []
    call()
    for _ in range(rounds):
        start = clock()
        call()
        times.append(clock() - start)
    return min(times)


def by_joints(n: int, rounds: int) -> list[Row]:
    """Return microseconds of forward kinematics and of one iteration of two solvers."""
    model = hk.chain(np.full(n, 1.0 / n))
    rng = np.random.default_rng(n)
    q = rng.normal(size=n) / np.sqrt(n)
    target = model.fk(rng.normal(size=n) / np.sqrt(n))[:3, 3]
    many = max(1, 20_000 // n)  # calls a round: short ones are below the clock's grain

    def frames() -> None:
        for _ in range(many):
            model.frames(q)

    rows = [("FK", n, least(frames, rounds) / many * 1e6)]
    for solver in ("fabrik", "ccd"):
        spent = iteration(model, q, target, solver, rounds)
        if spent is not None:
            rows.append((f"{solver}, an iteration", n, spent))
    return rows


def iteration(model: hk.Model, q: Array, target: Array, solver: str, rounds: int) -> float | None:
    """Return microseconds of one iteration, or None where the solver stops before the lower cap."""
    few, many = 2, 12

    calls = max(1, 5_000 // len(q))

    def solve(cap: int) -> Any:
        wishes: dict[str, Any] = {"q0": q, "max_iter": cap, "stall": 0.0, "threads": 1}
        return model.solve(position=target, solver=solver, position_tolerance=1e-14, **wishes)

    def solves(cap: int) -> None:
        for _ in range(calls):
            solve(cap)

    done = float(solve(many).iterations) - float(solve(few).iterations)
    if done < 1:
        return None
    spent = least(lambda: solves(many), rounds) - least(lambda: solves(few), rounds)
    return spent / calls / done * 1e6


def by_targets(n: int, threads: int, rounds: int) -> Row:
    """Return microseconds of a whole call with this many targets."""
    model = table_arms()["puma560"]
    points = model.fk(model.sample(n, seed=1))[..., :3, 3].copy()
    spent = least(lambda: model.solve(position=points, threads=threads), rounds, time.perf_counter)
    return f"targets, {threads} threads", n, spent * 1e6


def show(rows: list[Row]) -> None:
    """Print the table, and the slope of each line in double logarithm, which is 1 where cost is linear."""
    for label in dict.fromkeys(row[0] for row in rows):
        line = [(n, spent) for name, n, spent in rows if name == label and spent > 0]
        print(f"{label}")
        for n, spent in line:
            print(f"  {n:8} {spent:14.2f} us {spent / n:10.4f} us each")
        tail = np.log(np.array([row for row in line if row[0] >= 100]))
        if len(tail) > 1:
            print(f"  slope from 100 on: {np.polyfit(tail[:, 0], tail[:, 1], 1)[0]:.2f}")


def save(rows: list[Row], folder: Path) -> None:
    """Write scaling.csv, and scaling.png where Matplotlib is installed."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "scaling.csv").open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows([("what", "count", "microseconds"), *rows])
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        print("no plot: pip install 'handik[plot]'")
        return
    figure, axes = plt.subplots()
    for label in dict.fromkeys(row[0] for row in rows):
        line = np.array([(n, spent) for name, n, spent in rows if name == label])
        axes.loglog(line[:, 0], line[:, 1], "o-", label=label)
    axes.set_xlabel("joints, or targets")
    axes.set_ylabel("microseconds")
    axes.legend()
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(folder / "scaling.png", dpi=100)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks scaling", description=__doc__)
    parser.add_argument("--joints", type=int, default=100_000)
    parser.add_argument("--targets", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", default="", help="folder of the CSV file and the plot")
    options = parser.parse_args()
    rows: list[Row] = []
    for n in JOINTS:
        if n <= options.joints:
            rows += by_joints(n, options.rounds)
    for threads in (1, 2):
        counts = [n for n in TARGETS if n <= options.targets]
        rows += [by_targets(n, threads, options.rounds) for n in counts]
    show(rows)
    if options.out:
        save(rows, Path(options.out))


if __name__ == "__main__":
    main()
