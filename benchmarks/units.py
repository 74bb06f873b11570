"""The unit of length: poses for the solvers that go joint by joint, the same figure in other units.

Targets are poses of random configurations inside the limits, so that each can be met; starts are
random too. The person's shoulder follows no rhythm, whose polynomials have a unit. Every figure is solved in metres and in other units, tolerances and starts with it. What
a solver makes of it should not depend on the unit. Tolerances 1e-3 of the reach and 1e-3 rad.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

import handik as hk

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "solve"))
from solver_figures import FIGURES
from test_unit_of_length import lengths, scaled

#: Frames of a person whose poses are wanted, by the figure's name.
BODIES = {"person's hand": "grip_right", "person's head": "vertex"}


def figures() -> dict[str, tuple[hk.Model, str]]:
    """Return what is measured, each with the frame that is wanted."""
    found = {name: (hk.data(name), "") for name in ("ur5", "puma560")}
    found |= {name: (FIGURES[name](), "") for name in ("arm", "gantry", "ball arm")}
    body = hk.human(rhythm=False).model
    found |= {name: (body, frame) for name, frame in BODIES.items()}
    return {name: (model, frame or model.tip) for name, (model, frame) in found.items()}


def main() -> None:
    """Print a row for each figure, solver and unit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--targets", type=int, default=1000)
    parser.add_argument("--solvers", default="fabrik,fabrik_fast,ccd,ccd_fast")
    parser.add_argument("--units", default="1,1000,0.001", help="how many a metre has")
    parser.add_argument("--plain", action="store_true", help="one attempt, as published")
    args = parser.parse_args()
    options = {"max_restarts": 0} if args.plain else {}
    print(
        f"{'figure':16s}{'solver':14s}{'a metre is':>12s}{'met %':>8s}{'iterations':>12s}{'99 %':>8s}"
    )
    for name, (model, frame) in figures().items():
        ends, starts = model.sample(args.targets, seed=5), model.sample(args.targets, seed=6)
        slides = lengths(model)
        near = 1e-3 * model.max_reach
        for solver in args.solvers.split(","):
            for unit in (float(x) for x in args.units.split(",")):
                poses = np.asarray(model.fk(ends, frame=frame)).copy()
                poses[:, :3, 3] *= unit
                found = (model if unit == 1 else scaled(model, unit)).solve(
                    pose=poses,
                    frame=frame,
                    q0=np.where(slides, unit, 1.0) * starts,
                    solver=solver,
                    position_tolerance=near * unit,
                    orientation_tolerance=1e-3,
                    threads=0,
                    **options,
                )
                print(
                    f"{name:16s}{solver:14s}{unit:12g}{100 * found.converged.mean():8.1f}"
                    f"{found.iterations.mean():12.1f}{np.percentile(found.iterations, 99):8.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
