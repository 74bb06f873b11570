"""Paths of a hundred targets: how far and how smoothly the joints move, by solver.

A path goes through poses inside the limits from one random pose to the next along a smooth curve
of the coordinates, so that a still path of the joints exists; the solver sees the targets only.
Every target is solved from the answer before. ``met`` is the share of targets met, ``move`` the
mean of the largest joint move of a step, ``p99`` its 99th percentile, ``jumps`` the share of steps
in which a joint moves more than 0.5 rad, ``rough`` the mean of the largest second difference of a
joint. ``warm`` is the solver alone; ``track`` is ``model.track``, which looks for a nearer posture
where the warm start fails or jumps, and reports the jumps that stay.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

import handik as hk
from handik.study._protocol import plain

from .figures import TASKS, problem_of, targets_of

Array = NDArray[np.float64]
USUAL = ("arm", "arm pose", "finger", "spine arm", "upper body", "leg", "whole body")


def path_of(model: hk.Model, steps: int, seed: int) -> Array:
    """Poses (steps, nq) from one random pose to another that is near, along a smooth curve."""
    a, b = model.sample(2, seed=seed)
    t = np.linspace(0, 1, steps)
    ease = t * t * (3 - 2 * t)
    v = 0.6 * model.difference(a, b)
    return np.array([model.clip(model.integrate(a, x * v)) for x in ease])


def warm(problem: hk.Problem, targets: Array, q0: Array, solver: str) -> tuple[Array, Array]:
    """Answers (paths, steps, nq) of a solver from answer to answer, and which were met."""
    run = plain(solver)
    q, rows, met = q0, [], []
    for k in range(targets.shape[1]):
        got = run(problem, targets[:, k], q0=q)
        q = got.q
        rows.append(q)
        met.append(got.converged)
    return np.stack(rows, 1), np.stack(met, 1)


def measured(model: hk.Model, q: Array) -> tuple[Array, Array]:
    """Return the largest joint move of every step, and the largest second difference."""
    flat = q.reshape(-1, q.shape[-1])
    n, steps = q.shape[:2]
    v = model.difference(q[:, :-1].reshape(-1, flat.shape[1]), q[:, 1:].reshape(-1, flat.shape[1]))
    v = v.reshape(n, steps - 1, -1)
    return np.abs(v).max(axis=2), np.abs(np.diff(v, axis=1)).max(axis=2)


def main() -> None:
    """Print the table, in Markdown."""
    usual = ["fabrik", "fabrik_fast", "ccd", "dls", "hybrid", "auto"]
    parser = argparse.ArgumentParser(prog="python -m benchmarks tracking", description=__doc__)
    parser.add_argument("--paths", type=int, default=20)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--tasks", nargs="+", default=list(USUAL), choices=list(TASKS))
    parser.add_argument("--solvers", nargs="+", default=usual)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print(f"handik {hk.__version__}, {args.paths} paths of {args.steps} targets a row\n")
    print("| model | solver | way | met % | move, rad | p99 | jumps % | unreported | rough, rad |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name in args.tasks:
        problem = problem_of(name)
        model = problem.model
        truth = np.stack([path_of(model, args.steps, args.seed + k) for k in range(args.paths)])
        flat = truth.reshape(-1, model.nq)
        targets = targets_of(problem, flat).reshape(args.paths, args.steps, -1)
        for solver in args.solvers:
            q, met = warm(problem, targets, truth[:, 0], solver)
            print_row(name, solver, "warm", model, q, met, None)
            done = model.track(problem=problem, targets=targets, q0=truth[:, 0], solver=solver)
            print_row(name, solver, "track", model, done.q, done.converged, done.jumps)


def print_row(
    name: str, solver: str, way: str, model: hk.Model, q: Array, met: Array, said: Array | None
) -> None:
    """One row; `said`: the jumps that were reported."""
    move, rough = measured(model, q)
    jumps = move > 0.5
    silent = "" if said is None else int(np.sum(jumps & ~said[:, 1:]))
    print(
        f"| {name} | {solver} | {way} | {100 * met.mean():.2f} | {move.mean():.3f} "
        f"| {np.percentile(move, 99):.3f} | {100 * jumps.mean():.2f} | {silent} "
        f"| {rough.mean():.4f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
