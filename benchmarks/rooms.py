"""Every solver on a chain of balls in rooms of every kind: success, iterations, worst violation.

The violation is judged by the NumPy twins, which share no code with the core.
"""

from __future__ import annotations

import argparse

import numpy as np

import handik as hk
from handik.spec import JointSpec, LinkSpec, ModelSpec
from handik.study._protocol import plain
from handik.study.twins import Tree, swing

TABLE = hk.TwistTable(
    (-1.2, 1.0), [(-2.5, -0.3, 0.2), (-0.5, -1.0, 0.9), (1.0, -0.2, 1.4), (2.2, 0.1, 0.6)], 1.2
)
BENT = [(-2.6, 0.9), (-0.7, 1.3), (0.2, 1.2), (0.6, 0.35), (1.6, 1.0), (2.8, 0.7)]
ROOMS = (
    hk.ReachCone(BENT, TABLE),
    hk.ReachCone([(0.9, 1.3), (0.5, 0.5), (0.1, 1.2)], (-0.5, 0.5)),
    hk.Cone((1.9, 0.5, 0.8, 1.1), TABLE),
    hk.ReachCone(BENT, (-0.4, 0.8)),
)
SOLVERS = (
    "fabrik", "fabrik_fast", "hybrid", "ccd", "auto", "jacobian_transpose", "pinv", "dls", "sdls", "newton",
    "gauss_newton", "lm", "gradient_descent", "lbfgs",
)  # fmt: skip


def chain_of_rooms() -> hk.Model:
    """Four balls, 0.4 m apart: two bent polygons, one beside the bone, a cone, two twist tables."""
    links = [LinkSpec(f"link_{i}") for i in range(len(ROOMS) + 2)]
    joints = []
    for i, room in enumerate((*ROOMS, None)):
        place = np.eye(4)
        place[0, 3] = 0.4 if i else 0.0
        kind = "ball" if room else "fixed"
        joints.append(JointSpec(f"joint_{i}", kind, f"link_{i}", f"link_{i + 1}", place, (1, 0, 0)))
        joints[-1].cone = room
    return hk.Model(ModelSpec("rooms", links, joints))


def worst(model: hk.Model, q: np.ndarray) -> float:
    """Radians beyond a room, the most of all poses and joints."""
    rows = Tree(model).cones
    return max(
        swing.excess(rows[s], swing.split(rows[s], pose[4 * s : 4 * s + 4]))
        for pose in q
        for s in rows
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks rooms", description=__doc__)
    parser.add_argument("--targets", type=int, default=500)
    count = parser.parse_args().targets
    model = chain_of_rooms()
    problem = hk.Problem(model, [hk.Position(position_tolerance=1e-3)])
    targets = model.fk(model.sample(count, seed=3), frame=model.tip)[:, :3, 3]
    print(f"{count} reachable targets from rest, and as many three times as far; tolerance 1e-3 m")
    print(f"{'solver':14}{'reached %':>10}{'iterations':>12}{'worst beyond a room, rad':>28}")
    for solver in SOLVERS:
        run = plain(solver, max_iter=300)
        near, far = (run(problem, t) for t in (targets, 3 * targets))
        over = max(worst(model, near.q), worst(model, far.q))
        share, steps = 100 * near.converged.mean(), near.iterations.mean()
        print(f"{solver:14}{share:10.1f}{steps:12.1f}{over:28.1e}")


if __name__ == "__main__":
    main()
