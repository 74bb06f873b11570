"""Joints that follow others, and linkages near their dead points: what FABRIK's passes meet there.

``poses``: full poses of the figures whose joints follow others, 1e-3 of the reach and 0.01 rad, for
FABRIK as it is and without what is there for them: aims beyond the wanted rotation
(``extrapolate``) and other weights of the orientation after each restart (``pose_spread``).
``linkages``: a driven point of a four-bar and of a five-bar, 1e-4 m, targets of closed postures and
random open starts; targets apart whose posture is nearly singular: the least singular value of
point and gap by the joints is below 0.03 m. All targets can be met; success is the judge's word.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np

import handik as hk

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "solve"))
from coupled_figures import COUPLED
from loop_figures import LOOPED, PLANAR, closed, driven, regular

#: What is compared: solver and options.
VARIANTS: dict[str, tuple[str, dict[str, float]]] = {
    "fabrik": ("fabrik", {}),
    "fabrik_fast": ("fabrik_fast", {}),
    "no extrapolated aim": ("fabrik_fast", {"extrapolate": 0}),
    "one pose weight": ("fabrik_fast", {"pose_spread": 1}),
    "fabrik_fast, 3000 iterations": ("fabrik_fast", {"max_iter": 3000}),
    "ccd_fast": ("ccd_fast", {}),
    "hybrid": ("hybrid", {}),
    "auto": ("auto", {}),
}


def cell(got: hk.Result) -> str:
    """Share met, mean iterations, restarts a solve."""
    share, its = 100 * got.converged.mean(), got.iterations.mean()
    return f"{share:.1f} / {its:.1f} / {got.n_restarts.mean():.2f}"


def solver(label: str) -> hk.Solver:
    """Return the solver of a row, with 300 iterations where it says nothing."""
    name, options = VARIANTS[label]
    more: dict[str, Any] = {"max_iter": 300, **options}
    return hk.Solver(name, **more)


def print_table(columns: list[str], rows: dict[str, list[str]]) -> None:
    """Print in Markdown."""
    print("| variant | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    for label, words in rows.items():
        print(f"| {label} | " + " | ".join(words) + " |", flush=True)


def poses(count: int, seed: int) -> None:
    """Print full poses of the coupled figures."""
    rows: dict[str, list[str]] = {label: [] for label in VARIANTS}
    for make in COUPLED.values():
        model = make()
        at = {"position_tolerance": 1e-3 * model.max_reach, "orientation_tolerance": 0.01}
        problem = hk.Problem(model, [hk.Pose(**at)])
        target = hk._core.pose_columns(model.fk(model.sample(count, seed=seed)))
        q0 = model.sample(count, seed=seed + 1)
        for label in VARIANTS:
            rows[label].append(cell(solver(label)(problem, target, q0=q0)))
    print_table(list(COUPLED), rows)


def linkages(count: int, seed: int) -> None:
    """Print a driven point of planar linkages, regular postures and nearly singular ones."""
    rows: dict[str, list[str]] = {label: [] for label in VARIANTS}
    columns = []
    for name in PLANAR:
        model = LOOPED[name]()
        q = closed(model, count)
        easy = regular(model, q)
        target, q0 = model.fk(q, frame="f0")[:, :3, 3], model.sample(len(q), seed=seed)
        for part, which in (("regular", easy), ("nearly singular", ~easy)):
            columns.append(f"{name}, {part} ({np.count_nonzero(which)})")
            for label in VARIANTS:
                got = solver(label)(driven(model), target[which], q0=q0[which])
                rows[label].append(cell(got))
    print_table(columns, rows)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks linkages", description=__doc__)
    parser.add_argument("--targets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print(f"handik {hk.__version__}, {args.targets} targets: met % / mean iterations / restarts\n")
    poses(args.targets, args.seed)
    print()
    linkages(args.targets, args.seed)


if __name__ == "__main__":
    main()
