"""What a soft rest posture costs, and how near to the best one the answer is.

Six hinges with limits reach points that poses inside the limits meet, with ``hk.Posture()`` below the
goal. The posture's cost is the distance of the coordinates from rest. ``own`` is that of
the answer over the least that SciPy's SLSQP finds from the answer itself: what the last iterations
left. ``all`` is over the least that SLSQP finds from the answer, from rest and from random poses:
another branch of the poses that meet the goal may be nearer to rest, and a descent stays on its own.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "solve"))
from hinge_figures import FIGURES

Array = NDArray[np.float64]


def least(model: hk.Model, start: Array, target: Array, slack: float) -> float:
    """Distance from rest where SLSQP ends; infinite where it misses the target."""
    from scipy.optimize import minimize

    found = minimize(
        lambda q: 0.5 * np.sum((q - model.rest) ** 2),
        start,
        jac=lambda q: q - model.rest,
        bounds=list(zip(model.lower, model.upper, strict=True)),
        constraints={
            "type": "eq",
            "fun": lambda q: model.fk(q)[:3, 3] - target,
            "jac": lambda q: model.jacobian(q)[:3],
        },
        method="SLSQP",
        options={"ftol": 1e-12, "maxiter": 300},
    )
    missed = np.linalg.norm(model.fk(found.x)[:3, 3] - target) > slack
    return np.inf if missed else float(np.linalg.norm(found.x - model.rest))


def row(name: str, start: str, count: int, starts: int) -> str:
    """Return one line of the table."""
    model: Any = FIGURES[name]()
    slack = 1e-4 * model.max_reach
    goal = hk.Position(position_tolerance=slack)
    target = model.fk(model.sample(count, seed=3))[:, :3, 3]
    q0 = model.clip(model.rest) if start == "rest" else model.sample(count, seed=4)
    plain = hk.Solver()(hk.Problem(model, [goal]), target, q0=q0)
    soft = hk.Solver()(hk.Problem(model, [goal, hk.Posture()]), target, q0=q0)
    assert soft.converged.all()
    cost = np.linalg.norm(soft.q - model.rest, axis=1)
    own = np.minimum(
        cost, [least(model, *pair, slack) for pair in zip(soft.q, target, strict=True)]
    )
    best = own.copy()
    for k, point in enumerate(target):
        for q in (model.clip(model.rest), *model.sample(starts, seed=9 + k)):
            best[k] = min(best[k], least(model, q, point, slack))
    cells = [f"{np.median(r.iterations):.0f}" for r in (plain, soft)]
    cells += [f"{100 * x:.2g} %" for x in np.percentile(cost / own - 1, [50, 99])]
    cells += [f"{100 * x:.2g} %" for x in np.percentile(cost / best - 1, [50, 95, 99])]
    return f"| {name}, {start} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table, in Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks posture_cost", description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--starts", type=int, default=5, help="random poses SLSQP starts from")
    args = parser.parse_args()
    print(
        "| figure, start | iterations | with Rest | own, median | p99 | all, median | p95 | p99 |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name in ("local", "one-sided", "parallel", "mixed"):
        for start in ("rest", "random"):
            print(row(name, start, args.count, args.starts), flush=True)


if __name__ == "__main__":
    main()
