"""Inverse kinematics among twenty boxes: how many targets are reached by a free posture, and how long one takes.

Each target is where a free posture of a scene of 20 boxes has its hand, so each can be reached; with `--tight` an
obstacle stands within 3 cm of some capsule of that posture. An answer counts when its position is within the tolerance and
`Scene.distance` of it is at least the distance asked for, measured here by itself. Times are those of the processor, on one thread.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from benchmarks.robots import EXAMPLES
from handik.scene.check import as_figure

Array = NDArray[np.float64]

#: Radii of an arm of UR5's lengths; the makers' are near these, and what is measured is the search, not the arm.
UR5 = [
    hk.Capsule("link_1", (0, 0, 0), (0, 0.12, 0), 0.06),
    hk.Capsule("link_2", (0, 0, 0.12), (0.425, 0, 0.12), 0.055),
    hk.Capsule("link_3", (0, 0, 0), (0.39, 0, 0), 0.045),
    hk.Capsule("link_4", (0, 0, 0), (0, 0.05, 0), 0.045),
    hk.Capsule("link_5", (0, 0, 0), (0, -0.05, 0), 0.045),
    hk.Capsule("link_6", (0, 0, -0.03), (0, 0, 0), 0.045),
]


def figure_named(name: str) -> tuple[hk.Figure, str]:
    """Return the figure and the frame that reaches."""
    if name == "ur5":
        return hk.Figure(hk.data("ur5"), UR5), "link_6"
    if name == "panda":
        panda = hk.load(
            EXAMPLES / "panda_description/urdf/panda.urdf", mesh_roots=[EXAMPLES.parent.parent]
        )
        return as_figure(panda), "panda_hand"
    anna = hk.human(sex="female", stature=1.62)
    return as_figure(anna), "grip_right"


def boxes(figure: hk.Figure, frame: str, seed: int, count: int = 20) -> hk.Scene:
    """Return boxes where the frame can be, none of them at the figure's rest."""
    draw = np.random.default_rng(seed)
    reached = figure.model.fk(figure.model.sample(4000, seed=seed), frame=frame)[:, :3, 3]
    scene, number = hk.Scene(), 0
    alone = hk.Figure(figure.model, figure.capsules, pairs=[])
    while number < count:
        T = np.eye(4)
        T[:3, 3] = reached[draw.integers(len(reached))]
        more = scene.add(f"box_{number}", hk.scene.Box(tuple(draw.uniform(0.04, 0.28, 3))), T)
        if float(more.distance(alone, figure.model.rest, 0.05)) > 0.02:
            scene, number = more, number + 1
    return scene


def postures(
    figure: hk.Figure, scene: hk.Scene, n: int, seed: int, distance: float, near: float
) -> Array:
    """Return free postures with an obstacle nearer than `near`."""
    found: list[Array] = []
    rest, have = figure.model.rest, 0
    alone = hk.Figure(figure.model, figure.capsules, pairs=[])
    while have < n:
        seed += 1
        q = figure.model.sample(4096, seed=seed)
        if figure.model.nq > 10:  # free postures of a person are rare: nearer to the rest
            q = figure.model.integrate(rest, 0.35 * figure.model.difference(rest, q))
        d = scene.distance(alone, q, 1.0)
        keep = q[(d > distance) & (d < near) & scene.free(figure, q)]
        found.append(keep)
        have += len(keep)
    return np.concatenate(found)[:n]


def measure(
    name: str, scenes: int, n: int, distance: float, tight: bool, pose: bool
) -> list[dict[str, Any]]:
    """Return a row for each way of asking."""
    figure, frame = figure_named(name)
    model = figure.model
    alone = hk.Figure(model, figure.capsules, pairs=[])
    sums = {"one": [0.0, 0.0, 0.0], "batch": [0.0, 0.0, 0.0]}
    for seed in range(scenes):
        scene = boxes(figure, frame, seed)
        made = postures(figure, scene, n, 1000 * (seed + 1), distance, 0.03 if tight else np.inf)
        goal = hk.Pose(frame) if pose else hk.Position(frame)
        problem = hk.Problem(model, [goal, hk.Clearance(scene, figure, distance=distance)])
        T = model.fk(made, frame=frame)
        targets = problem.targets(T if pose else T[:, :3, 3])
        solver = hk.Solver("auto")
        solver(problem, targets[:1])
        begun = time.process_time()
        batch = solver(problem, targets)
        sums["batch"][1] += time.process_time() - begun
        begun = time.process_time()
        single = [solver(problem, row) for row in targets]
        sums["one"][1] += time.process_time() - begun
        for way, q, said in (
            ("batch", batch.q, batch.converged),
            ("one", np.array([s.q for s in single]), np.array([s.converged for s in single])),
        ):
            clear = (scene.distance(alone, q, 1.0) >= distance) & scene.free(figure, q)
            off = np.linalg.norm(model.fk(q, frame=frame)[:, :3, 3] - T[:, :3, 3], axis=-1)
            good = clear & (off <= 1e-4 * model.max_reach)
            sums[way][0] += int((said & good).sum())
            sums[way][2] += int((said & ~good).sum())
    count = scenes * n
    return [
        {
            "figure": name,
            "way": way,
            "targets": count,
            "reached %": 100 * s[0] / count,
            "us": 1e6 * s[1] / count,
            "wrong": int(s[2]),
        }
        for way, s in sums.items()
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", nargs="*", default=["ur5", "panda", "person"])
    parser.add_argument("--scenes", type=int, default=10)
    parser.add_argument("--targets", type=int, default=1000, help="of each scene")
    parser.add_argument("--distance", type=float, default=0.0)
    parser.add_argument("--tight", action="store_true")
    parser.add_argument(
        "--pose", action="store_true", help="the whole pose of the hand, not its position"
    )
    given = parser.parse_args()
    for name in given.figures:
        for row in measure(
            name, given.scenes, given.targets, given.distance, given.tight, given.pose
        ):
            print(
                ", ".join(
                    f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items()
                )
            )


if __name__ == "__main__":
    main()
