"""Retries: how many reachable poses one round of attempts meets, and how many with 20 more.

Targets are poses of a seven-joint arm with limits at random configurations, so that each can be
met; the start is the rest posture. A round is one attempt (``max_restarts=0``), of
a solver that draws from the first one run without its own new beginnings. Tolerances 1e-4 m and
1e-4 rad, one core.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

import handik as hk

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "solve"))
from solver_figures import FIGURES

#: How a solver begins anew by itself, and what is the least of it.
ANEW = {"max_restarts": 0, "reheats": 0, "renewals": 0, "wipeouts": 0}


def main() -> None:
    """Print a row for each solver."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--retries", type=int, default=20)
    parser.add_argument("--solvers", help="names, separated by commas; all of them")
    args = parser.parse_args()
    arm = FIGURES["arm"]()
    n, targets = args.poses, arm.fk(arm.sample(args.poses, seed=5))
    print(
        f"{'solver':20s}{'poses':>7s}{'one round %':>13s}{f'with {args.retries} more %':>16s}"
        f"{'iterations':>12s}{'seconds':>9s}"
    )
    wanted = args.solvers.split(",") if args.solvers else None
    for row in hk.solvers():
        least = {k: max(v, row.ranges[k][0]) for k, v in ANEW.items() if k in row.options}
        if not least or (wanted and row.name not in wanted):
            continue
        one = arm.solve(pose=targets, solver=row.name, **least)
        begin = time.perf_counter()
        more = arm.solve(pose=targets, solver=row.name, retries=args.retries, **least)
        took = time.perf_counter() - begin
        print(
            f"{row.name:20s}{n:7d}{100 * np.mean(one.converged):13.1f}"
            f"{100 * np.mean(more.converged):16.1f}{np.mean(more.iterations):12.0f}{took:9.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
