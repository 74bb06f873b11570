"""What the general path of `auto` costs beside its lanes: processor time per solve and moving joint.

The reference is a full pose on the seven hinges of the iiwa, which the lanes take. Each other figure asks for goals that
need the general descent (balls, joints that follow others, several goals, trees, a cup held level, hands at a distance) or a
rarer way through the lanes (slides, short chains, less than a pose). Targets are made by forward kinematics of uniform
postures inside the limits, brought to where they meet what has no target. Columns:
coordinates that move a goal, share solved, iterations, microseconds a solve as single calls and in a batch on one thread,
and both per coordinate as multiples of the reference. Medians of rounds in turn.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from numpy.typing import NDArray

import handik as hk
from benchmarks.arms import table_arms, upper_body
from benchmarks.figures import Figure, X, Y, Z, crane, spine_arm, two_slides
from benchmarks.figures import arm as human_arm
from benchmarks.figures import upper_body as two_armed_body
from handik.problem.terms import Distance, Level, Orientation, Pose, Position, Term
from handik.spec import MimicSpec

Array = NDArray[np.float64]
Case = tuple[hk.Model, list[Term]]
REFERENCE = "iiwa, pose (lanes)"


def follower() -> hk.Model:
    """Build seven hinges of which the third follows the second at half its rate."""
    f = Figure("follower")
    link = "base"
    for i, axis in enumerate((Z, Y, Y, Z, Y, Z, Y)):
        link = f.hinge(f"h{i}", link, (0, 0, 0.15 if i else 0), axis, -120, 120)
    f.joints[2].mimic = MimicSpec("h1", 0.5, 0.0)
    f.mark("end", link, (0.1, 0, 0.1))
    return f.model()


def short() -> hk.Model:
    """Build two hinges."""
    table = [[0, 0, 0.4, np.pi / 2], [0, 0, 0.3, 0]]
    ends = np.deg2rad([170, 120])
    return hk.Model.from_dh(table, lower=-ends, upper=ends)


def balls() -> hk.Model:
    """Build three balls with cones in a row."""
    f = Figure("balls")
    link = "base"
    for i in range(3):
        link = f.ball(f"b{i}", link, (0.3 if i else 0, 0, 0), X, Z, (70, 60, 70, 50), 60)
    f.mark("end", link, (0.3, 0, 0))
    return f.model()


def cases() -> dict[str, Case]:
    """Return problems by name, the reference first."""
    iiwa, body = table_arms()["iiwa"], upper_body()
    own, two, many = str(iiwa.tip), short(), two_armed_body()
    palms = ("left_palm", "right_palm")
    left, right = "palm_left", "palm_right"
    apart = Distance(right, other=left, min=0.3, max=0.5)
    return {
        REFERENCE: (iiwa, [Pose(own)]),
        "iiwa, position": (iiwa, [Position(own)]),
        "iiwa, orientation": (iiwa, [Orientation(own)]),
        "two hinges, position": (two, [Position(str(two.tip))]),
        "slides in series, position": (two_slides(), [Position(str(two_slides().tip))]),
        "crane with a slide, position": (crane(), [Position("hook")]),
        "a hinge that follows, position": (follower(), [Position("end")]),
        "three balls with cones, position": (balls(), [Position("end")]),
        "human arm with a cone, pose": (human_arm(), [Pose("palm")]),
        "spine of balls and arm, position": (spine_arm(), [Position("palm")]),
        "body of 21 hinges, a palm's pose": (body, [Pose("left_palm")]),
        "body of 21 hinges, two palms": (body, [Position(f) for f in palms]),
        "two-armed body, three goals": (
            many,
            [Position(f) for f in (left, right, "crown")],
        ),
        "two-armed body, a cup": (many, [Position(left), Level(left)]),
        "two-armed body, cups": (
            many,
            [Position(left), Level(left), Position(right), Level(right)],
        ),
        "two-armed body, a tray": (many, [Position(left), Level(left), apart, Level(right)]),
    }


def moving(model: hk.Model, terms: list[Term]) -> int:
    """Return how many coordinates of velocity move some goal."""
    q = model.sample(3, seed=5)
    found = np.zeros(model.nv, bool)
    for frame in (f for term in terms for f in (term.frame, getattr(term, "other", None)) if f):
        jacobian = np.abs(model.jacobian(q, frame=frame))
        found |= (jacobian > 1e-12).any(axis=(0, 1))
    return int(found.sum())


def rows_of(problem: hk.Problem, q: Array) -> Array:
    """Return target rows that postures meet: position, orientation or both of each goal's frame."""
    parts = []
    held = [term for term in problem.terms if isinstance(term, Level | Distance)]
    if held:
        q = hk.Solver()(hk.Problem(problem.model, held), np.zeros((len(q), 0)), q0=q).q
    for term in problem.terms:
        if term in held:
            continue
        pose = hk._core.pose_columns(problem.model.fk(q, frame=term.frame))
        first, last = {"position": (0, 3), "orientation": (3, 7)}.get(term.kind, (0, 7))
        parts.append(pose[:, first:last])
    return np.concatenate(parts, axis=1)


def spent(solver: hk.Solver, problem: hk.Problem, rows: Array) -> tuple[float, float]:
    """Return microseconds a solve of one round: single calls, and one call for all."""
    start = time.process_time()
    for row in rows:
        solver(problem, row)
    middle = time.process_time()
    solver(problem, rows)
    scale = 1e6 / len(rows)
    return (middle - start) * scale, (time.process_time() - middle) * scale


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks general", description=__doc__)
    parser.add_argument("--targets", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    print(f"handik {hk.__version__} ({hk.show_config()['simd']}), {args.targets} targets a row")
    head = ("moving", "solved %", "iterations", "single us", "batch us", "x single", "x batch")
    print(f"{'':34}{head[0]:>7}" + "".join(f"{name:>11}" for name in head[1:]))
    solver, work, found = hk.Solver(), {}, {}
    for name, (model, terms) in cases().items():
        problem = hk.Problem(model, terms)
        rows = rows_of(problem, model.sample(args.targets, seed=args.seed))
        work[name], found[name] = (problem, rows), solver(problem, rows)
    rounds = [[spent(solver, *pair) for pair in work.values()] for _ in range(args.rounds)]
    cost = np.median(np.array(rounds), axis=0)
    count = np.array([moving(model, terms) for model, terms in cases().values()])
    times = cost / count[:, None]
    times /= times[0]
    for k, (name, r) in enumerate(found.items()):
        print(
            f"{name:34}{count[k]:7}{100 * np.mean(r.converged):11.2f}{np.mean(r.iterations):11.2f}"
            f"{cost[k, 0]:11.2f}{cost[k, 1]:11.2f}{times[k, 0]:11.2f}{times[k, 1]:11.2f}"
        )


if __name__ == "__main__":
    main()
