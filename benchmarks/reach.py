"""Positions about the edge of the reach: beyond it, and from 0.98 to 0.9999 of it.

Chains of free balls get points in any direction; arms of hinges without limits points of poses
whose bends have been made small until the tip is that far out. Every solver starts from the same
random poses. A row: the share solved (beyond the reach: that has the nearest posture, to 1e-9 of
the reach, and is called unreachable), the mean and the 99th percentile of the iterations, remedies a
solve, the largest excess over the least distance in millimetres, and the time of a target in a
batch on one core. ``--plain`` makes one attempt, as published.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import handik as hk

Array = NDArray[np.float64]


def hinges(n: int, axes: tuple[str, ...]) -> hk.Model:
    """Build an arm of n hinges without limits, about these axes in turn, links of equal length."""
    from handik.files.read import FrameSpec, JointSpec, LinkSpec, ModelSpec

    along = np.eye(4)
    along[0, 3] = 1 / n
    way = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
    joints = [
        JointSpec(
            f"j{k}",
            "revolute",
            f"l{k}",
            f"l{k + 1}",
            along if k else np.eye(4),
            way[axes[k % len(axes)]],
        )
        for k in range(n)
    ]
    links = [LinkSpec(f"l{k}") for k in range(n + 1)]
    return hk.Model(ModelSpec("arm", links, joints, [FrameSpec("tip", f"l{n}", along)], tip="tip"))


FIGURES: dict[str, Callable[[], hk.Model]] = {
    "ball3": lambda: hk.chain([1 / 3] * 3, "ball"),
    "ball10": lambda: hk.chain([0.1] * 10, "ball"),
    "ball uneven": lambda: hk.chain([0.4, 0.1, 0.25, 0.05, 0.2], "ball"),
    "planar5": lambda: hk.chain([0.2] * 5),
    "hinge6": lambda: hinges(6, ("z", "y")),
    "hinge10": lambda: hinges(10, ("z", "y")),
}


def near(model: hk.Model, n: int, seed: int) -> Array:
    """Points at 0.98 to 0.9999 of the reach, which is 1."""
    rng = np.random.default_rng(seed)
    share = 1 - 10 ** rng.uniform(-4, np.log10(0.02), n)
    if model.nq > model.nv:
        line = rng.normal(size=(n, 3))
        return line / np.linalg.norm(line, axis=1)[:, None] * share[:, None]
    q = model.sample(n, seed=seed)
    first = 1 if model.lower[0] == model.lower[1] else 0
    low, high = np.zeros(n), np.ones(n)
    for _ in range(60):  # the bends at which the tip is so far out
        middle = (low + high) / 2
        bent = q.copy()
        bent[:, first:] *= middle[:, None]
        out = np.linalg.norm(model.fk(bent)[:, :3, 3], axis=1)
        low, high = np.where(out > share, middle, low), np.where(out > share, high, middle)
    bent = q.copy()
    bent[:, first:] *= low[:, None]
    return np.ascontiguousarray(model.fk(bent)[:, :3, 3])


def beyond(model: hk.Model, n: int, seed: int) -> Array:
    """Points at 1.02 to 3 times the reach."""
    points = near(model, n, seed)
    share = np.random.default_rng(seed + 1).uniform(1.02, 3, n)
    return points / np.linalg.norm(points, axis=1)[:, None] * share[:, None]


def row(name: str, kind: str, solver: str, plain: bool, n: int, tolerance: float) -> str | None:
    """Return one line of the table; None where the solver takes no such figure."""
    model = FIGURES[name]()
    target = (beyond if kind == "beyond" else near)(model, n, 3)
    info = next(i for i in hk.solvers() if i.name == solver)
    problem = hk.Problem(model, [hk.Position(position_tolerance=tolerance)])
    q0 = model.sample(n, seed=4)
    try:
        solve = hk.Solver(solver, threads=1, **(info.plain if plain else {}))
        begin = time.perf_counter()
        got = solve(problem, target, q0=q0)
        each = 1e6 * (time.perf_counter() - begin) / n
    except hk.UnsupportedError:
        return None
    least = np.maximum(0, np.linalg.norm(target, axis=1) - 1)
    excess = got.position_error - least
    met = got.converged
    if kind == "beyond":
        met = (got.outcome == hk.Outcome.UNREACHABLE) & (excess < 1e-9)
    cells = [
        f"{100 * met.mean():.2f}",
        f"{got.iterations.mean():.1f} / {np.percentile(got.iterations, 99):.0f}",
        f"{got.n_restarts.mean():.2f}",
        f"{1e3 * excess.max():.2g}",
        f"{each:.1f}",
    ]
    return f"| {name} | {kind} | {solver} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print the table, in Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks reach", description=__doc__)
    names = [info.name for info in hk.solvers()]
    parser.add_argument("--figures", nargs="*", default=list(FIGURES), choices=list(FIGURES))
    parser.add_argument(
        "--solvers", nargs="*", default=["auto", "fabrik", "ccd", "ccd_fast"], choices=names
    )
    parser.add_argument(
        "--kinds", nargs="*", default=["beyond", "near"], choices=["beyond", "near"]
    )
    parser.add_argument("--targets", type=int, default=1000)
    parser.add_argument("--tolerance", type=float, default=1e-3, help="of a reach of 1")
    parser.add_argument("--plain", action="store_true", help="one attempt, as published")
    args = parser.parse_args()
    print("| figure | targets | solver | solved % | iterations, p99 | remedies | excess mm | us |")
    print("|---|---|---|---|---|---|---|---|")
    for name in args.figures:
        for kind in args.kinds:
            if kind == "beyond" and not name.startswith("ball"):
                continue
            for solver in args.solvers:
                line = row(name, kind, solver, args.plain, args.targets, args.tolerance)
                if line:
                    print(line, flush=True)


if __name__ == "__main__":
    main()
