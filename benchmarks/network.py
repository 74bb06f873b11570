"""The network: its error on held-out poses, and its gain in iterations as a start.

For each figure a network is trained and asked for fresh targets that random postures inside the
limits meet. Then solvers start as they do when no start is given ("usual"; at rest for most), at
a random posture, and at the network's guess. Tolerances 1e-4 of the reach and 1e-4 rad. Last, the
time of guess and solve together, as a share of that of the solve from the usual start.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

import handik as hk
from handik.solve.network import Network

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "solve"))
import human_figures

SOLVERS = {
    "dls": {"max_restarts": 0},
    "dls, 5 restarts": {"retries": 5, "max_restarts": 0},
    "lm": {"max_restarts": 0},
    "ccd": {"max_restarts": 0, "max_iter": 300},
    "auto": {},
}


def figures() -> dict[str, tuple[hk.Model, str]]:
    """Models and goals by name."""
    human = human_figures.human_arm()
    return {
        "planar9, position": (hk.data("planar9"), "position"),
        "human arm with cone, position": (human, "position"),
        "human arm with cone, pose": (human, "pose"),
        "ur5, pose": (hk.data("ur5"), "pose"),
    }


def main() -> None:
    """Print a table for each figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=10000)
    parser.add_argument("--epochs", type=int, default=60)
    parser.add_argument("--targets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--figure", help="only figures with this in their name")
    args = parser.parse_args()
    for title, (model, goal) in figures().items():
        if args.figure and args.figure not in title:
            continue
        net = Network.train(
            model,
            goal=goal,
            samples=args.samples,
            epochs=args.epochs,
            seed=args.seed,
            progress=True,
        )
        report = net.training
        assert report is not None
        print(
            f"\n{title}: {net}\n  held out {report.held_out} of {args.samples}: median miss "
            f"{report.position_error:.4f} m ({100 * report.position_error / model.max_reach:.2f} % of "
            f"the reach), {report.orientation_error:.4f} rad; loss {report.losses[0]:.4f} after "
            f"one pass, {min(report.losses):.5f} after {report.best} of {report.epochs}"
        )
        compare(model, net, args.targets, args.seed + 1)


def compare(model: hk.Model, net: Network, count: int, seed: int) -> None:
    """Solve fresh targets from three kinds of start."""
    poses = model.fk(model.sample(count, seed=seed), frame=net.frame)
    targets = poses if net.goal == "pose" else poses[:, :3, 3]
    starts = {
        "usual": None,
        "random": model.sample(count, seed=seed + 1),
        "network": net.predict(targets),
    }
    print(
        "  {:17s}{:10s}{:>8s}{:>12s}{:>8s}".format("solver", "start", "met %", "iterations", "p99")
    )
    for name, options in SOLVERS.items():
        for start, q0 in starts.items():
            wish = {net.goal: targets}
            solver = name.partition(",")[0]
            found = model.solve(**wish, frame=net.frame, solver=solver, q0=q0, **options)  # type: ignore[arg-type]
            print(
                f"  {name:17s}{start:10s}{100 * np.mean(found.converged):8.1f}"
                f"{np.mean(found.iterations):12.2f}{np.percentile(found.iterations, 99):8.0f}"
            )
    for name in ("dls", "auto"):
        print(
            f"  guess and {name} / {name} alone: {time_share(net, targets, name):.2f} of the time"
        )


def time_share(net: Network, targets: np.ndarray, solver: str, runs: int = 7) -> float:
    """Median over runs of the time with the network by that without, one after the other."""
    shares, options = [], SOLVERS[solver]
    for _ in range(runs):
        begin = perf_counter()
        net.model.solve(**{net.goal: targets}, frame=net.frame, solver=solver, **options)  # type: ignore[arg-type]
        middle = perf_counter()
        net.solve(targets, solver=solver, **options)
        shares.append((perf_counter() - middle) / (middle - begin))
    return float(np.median(shares))


if __name__ == "__main__":
    main()
