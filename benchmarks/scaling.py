"""How cost grows with joints, targets and threads: tables, and with ``--out FOLDER`` CSV files and a plot.

Joints: forward kinematics of all frames of a chain of hinges, and one iteration of FABRIK and of CCD on it (the time of a
call with a cap on iterations, less that with a lower cap, over the difference, so that what a call costs once drops out).
Time of the processor, of one thread, so that what else the machine does is left out as far as can be.
Targets: positions on the Puma 560 by the default solver, time of the processors and on the wall. Each figure is the least of several rounds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from benchmarks._out import add_out, save
from benchmarks.arms import table_arms

Array = NDArray[np.float64]
JOINTS = (10, 100, 1_000, 10_000, 100_000)
TARGETS = (1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
CHUNK = 100_000
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
        wishes: dict[str, Any] = {"q0": q, "max_iter": cap, "ftol": 0.0, "threads": 1}
        return model.solve(position=target, solver=solver, position_tolerance=1e-14, **wishes)

    def solves(cap: int) -> None:
        for _ in range(calls):
            solve(cap)

    done = float(solve(many).iterations) - float(solve(few).iterations)
    if done < 1:
        return None
    spent = least(lambda: solves(many), rounds) - least(lambda: solves(few), rounds)
    return spent / calls / done * 1e6


def by_targets(n: int, threads: int, rounds: int) -> list[Row]:
    """Return microseconds of solving this many targets, of the processors and on the wall.

    The same chunk is solved again and again where there are more than one holds, so that memory
    does not grow with them.
    """
    model = table_arms()["puma560"]
    points = model.fk(model.sample(min(n, CHUNK), seed=1))[..., :3, 3].copy()

    def solve() -> None:
        for _ in range(max(1, n // CHUNK)):
            model.solve(position=points, threads=threads)

    spent = [least(solve, rounds, clock) for clock in (time.process_time, time.perf_counter)]
    names = ("processors", "wall")
    return [
        (f"targets, {threads} threads, {name}", n, x * 1e6)
        for name, x in zip(names, spent, strict=True)
    ]


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


def draw(rows: list[Row], figure: Any) -> None:
    """Draw a panel by joints and one by targets."""
    panels = dict(zip(("joints", "targets"), figure.subplots(1, 2), strict=True))
    for label in dict.fromkeys(row[0] for row in rows):
        line = np.array([(n, spent) for name, n, spent in rows if name == label])
        kind = "targets" if label.startswith("targets") else "joints"
        panels[kind].loglog(line[:, 0], line[:, 1], "o-", label=label)
    for kind, axes in panels.items():
        axes.set(xlabel=kind, ylabel="microseconds")
        axes.grid(alpha=0.3)
        if axes.lines:
            axes.legend()


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks scaling", description=__doc__)
    parser.add_argument("--joints", type=int, default=100_000)
    parser.add_argument("--targets", type=int, default=10_000, help="up to 10000000")
    parser.add_argument("--rounds", type=int, default=5)
    add_out(parser)
    options = parser.parse_args()
    rows: list[Row] = []
    for n in JOINTS:
        if n <= options.joints:
            rows += by_joints(n, options.rounds)
    for threads in (1, 2):
        counts = [n for n in TARGETS if n <= options.targets]
        for n in counts:
            rows += by_targets(n, threads, options.rounds if n <= CHUNK else 1)
    show(rows)
    table = [dict(zip(("what", "count", "microseconds"), row, strict=True)) for row in rows]
    save(options.out, "scaling", table, lambda figure: draw(rows, figure))


if __name__ == "__main__":
    main()
