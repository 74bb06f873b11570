"""Hard targets for full poses of arms: out of reach, singular, at the limits, near a start.

For each arm, one call a target from Python, on one core: the share of each outcome, the least time
of several calls (its mean over the targets, microseconds and times a plain target's). For targets
1.05 to 3 times as far as the arm is long: the share whose distance is within 1 % of the best known
(that of calls from four other starts among them). For nearness: the mean largest
move of a joint from the start with ``n_candidates=1`` and more.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter

import numpy as np

import handik as hk
from handik._core import pose_columns as columns

from .arms import FILES, TOLERANCE, Arm, Array, arms, table_arms


def far(model: hk.Model, n: int, seed: int) -> Array:
    """Targets 1.05 to 3 times as far from the base as the links are long together."""
    rng = np.random.default_rng(seed)
    pose = model.fk(model.sample(n, seed=seed))
    tip = model.frame_placement[model.frame_names.index(str(model.tip))]
    reach = sum(np.linalg.norm(row[9:]) for row in [*model.step_placement, tip])
    size = np.linalg.norm(pose[:, :3, 3], axis=1)
    pose[:, :3, 3] *= (reach * rng.uniform(1.05, 3, n) / size)[:, None]
    return np.ascontiguousarray(pose)


def stretched(model: hk.Model, n: int, seed: int) -> Array:
    """Poses with every second joint at the middle of its range or zero: many are singular."""
    q = model.sample(n, seed=seed)
    q[:, 1::2] = np.clip(0.0, model.lower[1::2], model.upper[1::2])
    return np.ascontiguousarray(model.fk(q))


def locked(model: hk.Model, n: int, seed: int) -> Array:
    """Poses with two joints at a limit."""
    rng, q = np.random.default_rng(seed), model.sample(n, seed=seed)
    for i in range(n):
        for k in rng.choice(model.nq, 2, replace=False):
            q[i, k] = (model.lower, model.upper)[rng.integers(2)][k]
    return np.ascontiguousarray(model.fk(q))


def least(solver: hk.Solver, problem: hk.Problem, rows: Array, starts: Array | None) -> float:
    """Mean over the targets of the least time of five calls, microseconds."""
    total = 0.0
    for i, row in enumerate(rows):
        best = np.inf
        for _ in range(5):
            begin = time.perf_counter()
            if starts is None:
                solver(problem, row)
            else:
                solver(problem, row, q0=starts[i])
            best = min(best, time.perf_counter() - begin)
        total += best
    return 1e6 * total / len(rows)


def known(model: hk.Model, problem: hk.Problem, rows: Array, found: hk.Result) -> float:
    """Share of the answers whose distance is within 1 % of the best known."""
    best = np.asarray(found.position_error).copy()
    for seed in range(4):
        other = hk.Solver("auto")(problem, rows, q0=model.sample(len(rows), seed=seed))
        best = np.minimum(best, other.position_error)
    return float(np.mean(found.position_error <= 1.01 * best))


def run(arm: Arm, n: int, seed: int) -> None:
    """Print one arm's lines."""
    model = arm.model
    goal = hk.Pose(position_tolerance=TOLERANCE, orientation_tolerance=TOLERANCE)
    problem, solver = hk.Problem(model, [goal]), hk.Solver("auto")
    plain = np.ascontiguousarray(model.fk(model.sample(n, seed=seed)))
    kinds = {"plain": plain, "far": far(model, n, seed)}
    kinds |= {"singular": stretched(model, n, seed), "locked": locked(model, n, seed)}
    base = 0.0
    for name, poses in kinds.items():
        rows = columns(poses)
        found = solver(problem, rows)
        each = least(solver, problem, rows[:200], None)
        base = base or each
        shares = Counter(hk.Outcome(k).name.lower() for k in found.outcome)
        text = ", ".join(f"{k} {v / n:.4f}" for k, v in shares.most_common())
        line = f"{arm.name:9} {name:9} {each:7.2f} us {each / base:5.2f} x plain  {text}"
        if name == "far":
            line += f"  nearest known within 1 %: {known(model, problem, rows, found):.4f}"
        print(line, flush=True)
    starts, rows = model.sample(n, seed=seed + 1), columns(plain)
    for count in (1, 2, 4, 8):
        near = hk.Solver("auto", n_candidates=count)
        found = near(problem, rows, q0=starts)
        move = np.abs(found.q - starts).max(axis=1)[found.converged].mean()
        each = least(near, problem, rows[:100], starts[:100])
        print(
            f"{arm.name:9} n_candidates={count}  {each:7.2f} us {each / base:6.2f} x plain  "
            f"largest joint move {move:.3f} rad",
            flush=True,
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks edges", description=__doc__)
    names = [*FILES, *table_arms()]
    parser.add_argument("--robots", nargs="*", default=names, choices=names)
    parser.add_argument("--targets", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print(
        f"handik {hk.__version__} ({hk.show_config()['simd']}), {args.targets} targets of each kind"
    )
    with tempfile.TemporaryDirectory() as folder:
        for arm in arms(args.robots, folder):
            run(arm, args.targets, args.seed)


if __name__ == "__main__":
    main()
