"""Every solver on a few figures: success, iterations and processor time of one core.

Targets are made by forward kinematics of random coordinates inside the limits, so that all can be
met; the start is the rest posture. Tolerances 1e-4 of the reach and 1e-4 rad. A solver that cannot
take a problem has no row. `evaluations` are postures looked at by the sampling solvers on average
(those drawn anew by a renewal are not counted, a descent step of `memetic` counts as one). Times are of the whole call, medians of three; the load of the machine
shows in them.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import handik as hk
from handik.errors import UnsupportedError
from handik.study._protocol import plain

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "solve"))
import human_figures
import robots
import solver_figures


def figures() -> dict[str, tuple[hk.Model, list[hk.terms.Term]]]:
    """Problems by name."""
    out: dict[str, tuple[hk.Model, list[hk.terms.Term]]] = {}
    out["9 hinges in a plane, position"] = (solver_figures.hinges(), [hk.Position()])
    out["100 balls, position"] = (hk.chain(np.full(100, 0.01), "ball"), [hk.Position()])
    human = human_figures.human_arm()
    out["human arm with cone, position"] = (human, [hk.Position(frame="f0")])
    out["human arm with cone, pose"] = (human, [hk.Pose(frame="f0")])
    body = human_figures.upper_body()
    ends = ("f0", "f1", "f2")
    out["upper body, three positions"] = (body, [hk.Position(frame=f) for f in ends])
    if robots.installed():
        for name in robots.ARMS:
            model = robots.arm(name)
            out[f"{name}, pose"] = (model, [hk.Pose(frame=model.tip)])
    return out


def evaluations(name: str, model: hk.Model, iterations: float) -> float:
    """Postures that a sampling solver looks at in so many iterations; NaN for the others."""
    own = next(s.options for s in hk.solvers() if s.name == name)
    if name == "simulated_annealing":
        free = int(np.count_nonzero(np.isin(model.joint_kinds, "ball"))) - len(model.swing)
        return 1 + iterations * (model.nv + free + 1)  # a ball without limits has four genes
    count = own.get("population", own.get("particles"))
    if count is None:
        return float("nan")
    elites = own.get("elites", 0)
    return count + iterations * (count - elites + elites * own.get("polish", 0) + 1)


def targets(model: hk.Model, terms: list[hk.terms.Term], count: int, seed: int) -> Any:
    """Target rows that random coordinates meet."""
    q = model.sample(count, seed=seed)
    parts = []
    for term in terms:
        pose = hk._core.pose_columns(model.fk(q, frame=term.frame))
        parts.append(pose if term.kind == "pose" else pose[..., :3])
    return np.concatenate(parts, axis=-1)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--solver", action="append", help="only these")
    parser.add_argument("--figure", help="only figures with this in their name")
    options = parser.parse_args()
    names = options.solver or [s.name for s in hk.solvers()]
    print(
        f"handik {hk.__version__}, {hk.show_config()['simd']}, {options.count} targets a row, one core"
    )
    for title, (model, terms) in figures().items():
        if options.figure and options.figure not in title:
            continue
        problem = hk.Problem(model, terms)
        wanted = targets(model, terms, options.count, options.seed)
        print(f"\n{title} (nv {model.nv})")
        head = ("solver", "met %", "iterations", "p99", "n_restarts", "evaluations", "us")
        print("  {:13s}{:>8s}{:>12s}{:>7s}{:>10s}{:>13s}{:>10s}".format(*head))
        for name in names:
            print_row(name, problem, wanted)


def print_row(name: str, problem: hk.Problem, wanted: Any) -> None:
    """One solver on one problem."""
    try:
        found = plain(name)(problem, wanted)
    except UnsupportedError:
        return
    spans = []
    for _ in range(3):
        start = time.process_time()
        plain(name)(problem, wanted)
        spans.append(time.process_time() - start)
    looked = evaluations(name, problem.model, found.iterations.mean())
    print(
        f"  {name:13s}{100 * found.converged.mean():8.2f}{found.iterations.mean():12.2f}"
        f"{np.percentile(found.iterations, 99):7.0f}{found.n_restarts.mean():10.2f}"
        f"{looked:13.0f}"
        f"{1e6 * np.median(spans) / len(wanted):10.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
