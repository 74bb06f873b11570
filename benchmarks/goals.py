"""Two hands, head and pelvis at once, and what strict levels and soft terms cost.

An upper body on a pelvis that slides within 15 cm and tilts within a cone, four goals. Targets are made by forward kinematics from poses inside the limits, so that every one can
be reached. A solve counts when every goal is met to 1e-3 of the reach and 0.01 rad; the judge of
the core says so. ``positions`` asks for the four positions, ``poses`` for the poses of the hands,
the position of the pelvis and the line of sight of the head.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from benchmarks.figures import Figure, X, Y, Z, add_arm
from handik import frames
from handik.terms import Term

Array = NDArray[np.float64]
HANDS = ("palm_left", "palm_right")
TOLERANCE, ANGLE = 1e-3, 0.01


def body() -> hk.Model:
    """Pelvis on three slides and a ball, three spine balls, neck, head, two arms."""
    f = Figure("body")
    link = "base"
    for axis, name in ((X, "slide_x"), (Y, "slide_y"), (Z, "slide_z")):
        at = (0, 0, 0)
        link = f.add(name, "prismatic", link, at, axis=axis, lower=-0.15, upper=0.15)
    pelvis = f.ball("pelvis", link, (0, 0, 0), Z, X, (30, 20, 20, 20), 30)
    chest = pelvis
    for i in range(3):
        chest = f.ball(f"s{i}", chest, (0, 0, 0.12), Z, X, (25, 20, 15, 20), 15)
    for side, y in (("_left", 1.0), ("_right", -1.0)):
        collar = f.hinge(f"collar{side}", chest, (0, 0.02 * y, 0.15), X, -10, 30)
        collar = f.hinge(f"shrug{side}", collar, (0, 0, 0), Z, -20, 20)
        add_arm(f, collar, (0, 0.16 * y, 0), (0.0, y, 0.0), side)
    neck = f.ball("neck", chest, (0, 0, 0.2), Z, X, (30, 25, 30, 25), 40)
    head = f.ball("head", neck, (0, 0, 0.08), Z, X, (25, 20, 25, 20), 30)
    f.mark("crown", head, (0, 0, 0.18))
    f.mark("eyes", head, (0.08, 0, 0.1))
    f.mark("hip", pelvis, (0, 0, 0.05))
    return f.model()


def terms_of(model: hk.Model, task: str) -> list[Term]:
    """Return the four goals of a task."""
    loose: dict[str, Any] = {
        "position_tolerance": TOLERANCE * model.reach,
        "orientation_tolerance": ANGLE,
    }
    if task == "positions":
        return [hk.Reach(f, **loose) for f in (*HANDS, "crown", "hip")]
    hands = [hk.Reach(f, "pose", **loose) for f in HANDS]
    return [*hands, hk.LookAt("eyes", axis=X, **loose), hk.Reach("hip", **loose)]


def targets_of(model: hk.Model, problem: hk.Problem, count: int, seed: int) -> Array:
    """Return targets that random poses inside the limits meet."""
    q = model.sample(count, seed=seed)
    parts = []
    for term in problem.terms:
        if isinstance(term, hk.Rest):
            continue
        pose = model.fk(q, frame=term.frame)
        point = pose[..., :3, 3]
        if isinstance(term, hk.LookAt):
            point = point + (0.5 + np.arange(count) / count)[:, None] * pose[..., :3, 0]
        if isinstance(term, hk.Reach) and term.what == "pose":
            point = np.concatenate([point, frames.quaternion(pose)], -1)
        parts.append(point)
    return problem.targets(*parts)


SOLVERS: dict[str, dict[str, Any]] = {
    "auto": {},
    "dls": {},
    "dls, 20 restarts": {"restarts": 20},
    "hybrid": {},
    "fabrik_fast": {"max_iter": 300},
    "fabrik_fast, 4 restarts": {"max_iter": 300, "restarts": 4},
    "fabrik": {"max_iter": 300},
}


def main() -> None:
    """Print one line for each task, start and solver."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="targets a line")
    parser.add_argument("--soft", action="store_true", help="with hk.Rest() below the goals")
    args = parser.parse_args()
    model = body()
    print(
        f"body: {model.nv} coordinates of motion, {args.count} targets, reach {model.reach:.2f} m"
    )
    print(
        f"{'task':10} {'start':8} {'solver':24} {'reached':>8} {'median':>7} {'p99':>6} iterations"
    )
    for task in ("positions", "poses"):
        terms = terms_of(model, task)
        problem = hk.Problem(model, [*terms, hk.Rest()] if args.soft else terms)
        targets = targets_of(model, problem, args.count, 1)
        for start in ("rest", "random"):
            q0 = None if start == "rest" else model.sample(args.count, seed=2)
            for name, options in SOLVERS.items():
                try:
                    result = hk.Solver(name.split(",")[0], **options)(problem, targets, q0=q0)
                except hk.UnsupportedError:
                    print(f"{task:10} {start:8} {name:24} does not take it")
                    continue
                share, used = result.converged.mean(), result.iterations
                print(
                    f"{task:10} {start:8} {name:24} {share:8.2%} {np.median(used):7.0f} "
                    f"{np.percentile(used, 99):6.0f}"
                )


if __name__ == "__main__":
    main()
