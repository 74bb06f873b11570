"""Chains of six hinges with limits, as the solvers of games and of robots have them.

Each figure has six bones of 0.2 m and a hinge at the root of each. ``local``: axes about y and z in
turn, fixed in the bone before, within 45 degrees. ``one-sided``: the same axes, each bending one
way only, 0 to 90 degrees. ``parallel``: all about z, within 30 degrees. ``mixed``: axes and limits
at random, narrow and wide, about zero or not. ``global``: every bone turns about an axis fixed in
the world and keeps within 45 degrees of a direction of the world, whatever the bones before do;
that is a hinge with a second one at the end of the bone that follows it backwards.

Targets are the tips of random poses inside the limits, the tolerance is 1e-3 of the reach. ``met``
is the word of the core's judge; ``outside`` counts the answers that leave a limit by more than 1e-9
rad, or whose tip is not where the result says, both by forward kinematics in NumPy that does not
call the core.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

import handik as hk
from handik.errors import UnsupportedError
from handik.study._protocol import plain

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "solve"))
from hinge_figures import BONES, FIGURES, LENGTH, outside, tips


def cell(name: str, solver: hk.Solver, start: str, count: int, seed: int) -> Any:
    """Return the result of one row and the number of answers that are outside."""
    model = FIGURES[name]()
    tolerance = 1e-3 * BONES * LENGTH
    problem = hk.Problem(model, [hk.Position(position_tolerance=tolerance)])
    target = tips(model, model.sample(count, seed=seed))
    q0 = model.sample(count, seed=seed + 1) if start == "random" else model.clip(model.rest)
    result = solver(problem, target, q0=q0)
    return result, outside(model, result.q, target, result.position_error)


def main() -> None:
    """Print the table."""
    known = [s.name for s in hk.solvers()]
    parser = argparse.ArgumentParser(prog="python -m benchmarks hinges", description=__doc__)
    parser.add_argument("--targets", type=int, default=500)
    parser.add_argument("--figures", nargs="+", default=list(FIGURES), choices=list(FIGURES))
    parser.add_argument("--starts", nargs="+", default=["random", "straight"])
    usual = ["fabrik", "fabrik_fast", "ccd", "ccd_fast", "hybrid", "auto"]
    parser.add_argument("--solvers", nargs="+", default=usual, choices=known)
    parser.add_argument("--plain", action="store_true", help="methods as published: one attempt")
    parser.add_argument("--max-iter", type=int, default=None)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=NUMBER")
    args = parser.parse_args()
    pairs = [text.partition("=") for text in args.option]
    options: dict[str, Any] = {name: float(value) for name, _, value in pairs}
    options["max_iter"] = args.max_iter
    run = plain if args.plain else hk.Solver
    least: dict[str, float] = {}
    print(f"{args.targets} targets a row, tolerance 1e-3 of the reach, handik {hk.__version__}")
    print("model      start     solver            met  outside    p50    p99    max  restarts")
    for name in args.figures:
        for start in args.starts:
            for solver in args.solvers:
                head = f"{name:10} {start:9} {solver:12}"
                try:
                    got, bad = cell(name, run(solver, **options), start, args.targets, args.seed)
                except UnsupportedError as error:
                    print(f"{head} refused: {error}")
                    continue
                p50, p99 = np.percentile(got.iterations, [50, 99])
                least[solver] = min(least.get(solver, 1.0), float(got.converged.mean()))
                print(
                    f"{head} {got.converged.mean():8.3%} {bad:8d} {p50:6.0f} {p99:6.0f} "
                    f"{got.iterations.max():6d} {got.n_restarts.mean():9.3f}",
                    flush=True,
                )
    for solver, share in least.items():
        print(f"{solver:12} at least {share:.3%} on every figure and start")


if __name__ == "__main__":
    main()
