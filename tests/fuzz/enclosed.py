"""Fuzzer of proofs that there is no room for a hand: random hands, obstacles and targets; an oracle that draws turns.

``python tests/fuzz/enclosed.py 1000 200``: 200 rooms from seed 1000.

The obstacles' distances are those of the twin, not the core's. No drawn turn, with the tip anywhere within the tolerance, may be
free of all of them where the core says that each is blocked; those near the freest ones are drawn too. A clear turn is looked at.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import handik as hk
from handik import _core
from handik.scene.access._inside import slack_of
from handik.scene.check import compiled
from handik.study.twins.hand import gaps

Array = np.ndarray
#: Turns that are drawn at once, and rounds about the freest of them.
DRAWN, ROUNDS = 1000, 4


@dataclass
class Found:
    """What was compared, and what was wrong."""

    count: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def _rotations(q: Array) -> Array:
    w, x, y, z = (q / np.linalg.norm(q, axis=-1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def room(rng: np.random.Generator) -> hk.Scene:
    """Return boxes, slabs and round things about the origin."""
    out = hk.Scene()
    for k in range(int(rng.integers(1, 5))):
        q = rng.normal(size=4)
        size = rng.uniform(0.02, 0.3, 3)
        corner = [(0, 0), (size[0], 0), (size[0], size[1]), (-0.02, size[1] / 2)]
        shape = [
            hk.scene.Box(3 * size),
            hk.scene.Sphere(float(size[0])),
            hk.scene.Capsule(float(size[0]), float(size[1])),
            hk.scene.Cylinder(radius=float(size[0]), length=float(size[1])),
            hk.scene.Prism(corner, float(size[2])),
            hk.scene.Plane(),
        ][int(rng.integers(6))]
        at = rng.normal(size=3) * 0.1
        out = out.add(str(k), shape, pose=(at, q / np.linalg.norm(q)))
    return out


def check_room(seed: int, found: Found) -> None:
    """Ask a few targets of one room."""
    rng = np.random.default_rng(seed)
    scene, figure = room(rng), hk.Figure(hk.chain([0.1]), [], pairs=[])
    world = compiled(scene, figure)
    slack, solids = slack_of(scene, world.names), scene.obstacles()
    balls = np.column_stack(
        [rng.normal(size=(12, 3)) * rng.uniform(0.01, 0.06, 3), rng.uniform(0.004, 0.03, 12)]
    )
    give = float(rng.choice([0.0, 0.005]))
    tolerance = float(rng.choice([1e-4, 1e-3, 5e-3]))

    def freest(turn: Array, at: Array) -> Array:
        points = at[:, None] + np.einsum("nij,mj->nmi", turn, balls[:, :3])
        gap = np.min([gaps(o.shape, o.pose, points.reshape(-1, 3)) for o in solids], axis=0)
        return np.asarray((gap.reshape(len(turn), -1) - balls[:, 3] + give).min(axis=1))

    for target in rng.normal(size=(6, 3)) * 0.08:
        outcome, _, turn, _ = _core._hand_prove(
            world.world, slack + give, balls, target, tolerance, 20_000
        )
        found.count[("blocked", "clear", "open")[int(outcome)]] += 1
        if outcome == 1:
            if not freest(turn[None], target[None])[0] > -1e-12 - slack.max():
                found.failures.append(f"{seed}: a clear turn is none")
            continue
        if outcome != 0:
            continue
        q, wide = rng.normal(size=(DRAWN, 4)), 0.5
        for _ in range(ROUNDS):
            off = rng.normal(size=(len(q), 3))
            off *= tolerance * rng.uniform(size=(len(q), 1)) / np.linalg.norm(off, axis=1)[:, None]
            free = freest(_rotations(q), target + off)
            found.count["turns"] += len(q)
            if free.max() > 0:
                found.failures.append(f"{seed}: no room, and a turn with {free.max():.2g} m")
            best = q[np.argsort(-free)[:20]]
            q = np.repeat(best / np.linalg.norm(best, axis=1)[:, None], DRAWN // 20, axis=0)
            q = q + wide * rng.normal(size=q.shape)
            wide *= 0.3


def main() -> None:
    """Run the seeds given."""
    first, count = (int(word) for word in sys.argv[1:3])
    found = Found()
    for seed in range(first, first + count):
        check_room(seed, found)
    print(dict(found.count))
    for failure in found.failures:
        print(failure)
    sys.exit(bool(found.failures))


if __name__ == "__main__":
    main()
