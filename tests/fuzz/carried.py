"""Fuzzer of what figures carry: ``python tests/fuzz/carried.py SEED COUNT``.

A random figure of every joint stands in a random scene as a node, and a rod is attached to one of its frames. Distances, answers and
proofs must be those of a figure that has the rod as a capsule of its own in the same scene without it; for the same body
elsewhere the rod stands still.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import distances as drawn
import numpy as np

import handik as hk
from handik.scene.check._carried import carried


def node_of(model: hk.Model, q: np.ndarray) -> Any:
    """Return a node's content whose figure is a model that no file has."""

    class Node(hk.scene.Actor):
        @property
        def figure(self) -> Any:
            return model

        @property
        def posture(self) -> Any:
            return q

    return Node("data:ur5")


def check_carried(seed: int) -> list[str]:
    """Return what is wrong with one figure."""
    rng, scene, figure, _ = drawn.stage(seed)
    model = figure.model
    if model.nv == 0:
        return []
    frame = str(rng.choice(model.frame_names))
    radius, length = float(rng.uniform(0.01, 0.2)), float(rng.uniform(0, 0.4))
    turn = rng.normal(size=4)
    pose = (0.2 * rng.normal(size=3), turn / np.linalg.norm(turn))
    q0 = model.sample(1, seed=seed)[0]
    held = scene.add("who", node_of(model, q0)).add("rod", hk.scene.Capsule(length, radius))
    held = held.attach("rod", "who", frame, pose=pose)
    who = carried(held, figure)[1]
    if who is figure:
        return [f"{seed}: the figure is not known again"]
    T = held["rod"].place
    ends = [tuple((T[:3, :3] @ [0, 0, z] + T[:3, 3]).tolist()) for z in (-length / 2, length / 2)]
    rod = hk.Capsule(frame, ends[0], ends[1], radius)
    allowed = {pair: much for pair, much in figure.allowance.items() if much > 0}
    own = hk.Figure(model, [*figure.capsules, rod], pairs=list(who.pairs), allowance=allowed)
    q = model.sample(64, seed=seed + 1)
    out = []
    mine, its = held.distance(figure, q), scene.distance(own, q)
    if not np.allclose(mine, its, atol=1e-7, rtol=1e-9, equal_nan=True):
        out.append(f"{seed}: distances differ by {np.nanmax(np.abs(mine - its)):.3g}")
    clear = np.abs(its) > 1e-6
    if (held.free(figure, q) != scene.free(own, q))[clear].any():
        out.append(f"{seed}: free differs")
    both = [s.proves(f, q[:16], q[16:32]).outcome for s, f in ((held, figure), (scene, own))]
    if {"free", "collides"} in [set(pair) for pair in zip(*both, strict=True)]:
        out.append(f"{seed}: proofs differ")
    away = model.with_base([[1, 0, 0, 3], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], "elsewhere")
    there = hk.Figure(away, figure.capsules, pairs=list(figure.pairs), allowance=allowed)
    still = scene.add("rod", hk.scene.Capsule(length, radius), held.world("rod"))
    if not np.array_equal(held.distance(there, q), still.distance(there, q), equal_nan=True):
        out.append(f"{seed}: it moves with another figure")
    return out


def run(first: int, count: int) -> list[str]:
    """Return what is wrong with some figures."""
    return [line for seed in range(first, first + count) for line in check_carried(seed)]


def main() -> int:
    """Print what was found."""
    begun = time.monotonic()
    found = run(int(sys.argv[1]), int(sys.argv[2]))
    print(f"{sys.argv[2]} figures, {time.monotonic() - begun:.0f} s")
    print("\n".join(found) if found else "nothing found")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
