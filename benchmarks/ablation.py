"""What each part is worth: FABRIK without it, CCD without limits, steps near singular poses.

``fabrik``: ``fabrik_fast`` on the figures of ``python -m benchmarks figures`` as it is, and with
one of its parts taken away at a time; at last all of them, which is the published method with
perturbations, and that without them. ``ccd``: six hinges with their limits, and the same targets on
the same chains without limits, with the share of those answers that lie outside the limits.
``singular``: chains of three hinges that start within 1e-3 rad of straight, targets at shares of the reach; the
transpose, the pseudo-inverse and damped least squares.

Success is the word of the core's judge at 1e-3 of the reach (and 0.01 rad) within 300 iterations;
targets are made by forward kinematics inside the limits.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import handik as hk
from handik.study._protocol import plain

from .figures import TASKS, problem_of, targets_of
from .hinges import FIGURES, cell

#: Variants of FABRIK: solver and options.
VARIANTS: dict[str, tuple[str, dict[str, float]]] = {
    "all": ("fabrik_fast", {}),
    "no extrapolated aim": ("fabrik_fast", {"extrapolate": 0}),
    "no chain aim": ("fabrik_fast", {"chain_aim": 0}),
    "free turns": ("fabrik_fast", {"feasible_turn": 0}),
    "no shared weight": ("fabrik_fast", {"shared_weight": 0.5}),
    "one pose weight": ("fabrik_fast", {"pose_spread": 1}),
    "no perturbations": ("fabrik_fast", {"perturbations": 0}),
    "no restarts": ("fabrik_fast", {"max_restarts": 0}),
    "neither of the two": ("fabrik_fast", {"perturbations": 0, "max_restarts": 0}),
    "published": ("fabrik", {"max_restarts": 0}),
    "published, with restarts": ("fabrik", {"max_restarts": 50}),
    "published, no perturbations": ("fabrik", {"perturbations": 0, "max_restarts": 0}),
}
USUAL = ("hinge6", "arm", "arm pose", "finger", "upper body", "crane", "leg", "whole body")


def fabrik(tasks: list[str], count: int, seed: int) -> None:
    """Print the share met and mean iterations of every variant, from random starts."""
    print("| variant | " + " | ".join(tasks) + " |")
    print("|---|" + "---|" * len(tasks))
    known: dict[str, Any] = {}
    for name in tasks:
        problem = problem_of(name)
        model = problem.model
        target = targets_of(problem, model.sample(count, seed=seed))
        known[name] = problem, target, model.sample(count, seed=seed + 1)
    for label, (solver, options) in VARIANTS.items():
        words = []
        for name in tasks:
            problem, target, q0 = known[name]
            got = hk.Solver(solver, max_iter=300, **options)(problem, target, q0=q0)
            words.append(f"{100 * got.converged.mean():.1f} / {got.iterations.mean():.1f}")
        print(f"| {label} | " + " | ".join(words) + " |", flush=True)


def ccd(count: int, seed: int) -> None:
    """Print CCD on six hinges with and without limits."""
    print("| model | solver | with limits | without | of these outside |")
    print("|---|---|---|---|---|")
    for name in (name for name in FIGURES if name != "global"):  # it has no chain without limits
        model = FIGURES[name]()
        free = unlimited(name)
        for solver in ("ccd", "ccd_fast"):
            got, _ = cell(name, plain(solver, max_iter=300), "random", count, seed)
            target = model.fk(model.sample(count, seed=seed))[:, :3, 3]
            problem = hk.Problem(free, [hk.Position(position_tolerance=1e-3 * model.max_reach)])
            loose = plain(solver, max_iter=300)(
                problem, target, q0=model.sample(count, seed=seed + 1)
            )
            turned = np.remainder(loose.q + np.pi, 2 * np.pi) - np.pi
            out = np.any((turned > model.upper + 1e-9) | (turned < model.lower - 1e-9), axis=1)
            print(
                f"| {name} | {solver} | {100 * got.converged.mean():.1f} / {got.iterations.mean():.1f} "
                f"| {100 * loose.converged.mean():.1f} / {loose.iterations.mean():.1f} "
                f"| {100 * out.mean():.1f} |",
                flush=True,
            )


def unlimited(name: str) -> hk.Model:
    """Return a figure of six hinges without its limits."""
    import hinge_figures

    rows = []
    model = FIGURES[name]()
    for joint in model.spec.joints:
        if joint.mimic is None:
            rows.append((joint.axis, -np.inf, np.inf))
    return hinge_figures.chain_of(name, rows)


def singular(count: int, seed: int) -> None:
    """Print the Jacobian family near a straight chain."""
    shares = (0.5, 0.9, 0.99, 0.999, 1.0)
    print("| solver | " + " | ".join(f"at {s} of the reach" for s in shares) + " |")
    print("|---|" + "---|" * len(shares))
    model = hk.chain([0.4, 0.35, 0.25])
    rng = np.random.default_rng(seed)
    angle = rng.uniform(-np.pi, np.pi, count)
    start = rng.uniform(-1e-3, 1e-3, (count, model.nq))
    start[:, 0] = angle + rng.uniform(-0.5, 0.5, count)
    problem = hk.Problem(model, [hk.Position(position_tolerance=1e-3)])
    for solver in ("jacobian_transpose", "pinv", "dls", "sdls", "lm", "fabrik", "ccd", "auto"):
        words = []
        for share in shares:
            target = share * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
            got = plain(solver, max_iter=300)(problem, target, q0=start)
            words.append(f"{100 * got.converged.mean():.1f} / {got.iterations.mean():.1f}")
        print(f"| {solver} | " + " | ".join(words) + " |", flush=True)


def main() -> None:
    """Print the tables, in Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks ablation", description=__doc__)
    parser.add_argument("--targets", type=int, default=300)
    parser.add_argument("--tasks", nargs="+", default=list(USUAL), choices=list(TASKS))
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print(f"handik {hk.__version__}, {args.targets} targets a cell: met % / mean iterations\n")
    fabrik(args.tasks, args.targets, args.seed)
    print()
    ccd(args.targets, args.seed)
    print()
    singular(args.targets, args.seed)


if __name__ == "__main__":
    main()
