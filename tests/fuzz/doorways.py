"""Random doorways in one wall: which doors hang in which, however near its neighbors are.

`python tests/fuzz/doorways.py [--seed 0] [--cases 200]`; each fault is printed with its seed.
"""

from __future__ import annotations

import argparse
from typing import NamedTuple

import numpy as np

import handik as hk
from handik.scene import Box
from handik.scene.access._at_doors import doorways
from handik.scene.access._room import Room


class Leaf(NamedTuple):
    """A leaf as it was put: its doorway, its hinge along the wall, length, turn and swing."""

    doorway: str
    hinge: float
    long: float
    opened: float
    swing: int
    pair: bool


def drawn(seed: int) -> tuple[hk.Scene, dict[str, Leaf], np.ndarray]:
    """Return a wall with openings, its leaves by their paths, and where it stands."""
    rng = np.random.default_rng(seed)
    place = hk.transforms.from_rpy([0, 0, rng.uniform(0, 6.3)], [*rng.uniform(-5, 5, 2), 0])
    nodes: list[tuple] = []
    leaves: dict[str, Leaf] = {}
    at = 0.0

    def wall(name: str, low: float, high: float) -> None:
        size = [0.1, high - low, 2.5]
        nodes.append((name, Box(size), [0, (low + high) / 2, 1.25], 0.0, "wall"))

    wall("first", -2.0, 0.0)
    for k in range(int(rng.integers(1, 5))):
        kind = str(rng.choice(["single", "single", "pair", "none"]))
        wide = float(rng.uniform(1.3, 1.9) if kind == "pair" else rng.uniform(0.7, 1.1))
        low, high = at, at + wide
        middle, along = (low + high) / 2, float(rng.choice([0.0, np.pi]))
        nodes.append((f"way {k}", None, [0, middle, 0], along, "doorway"))
        at = high + float(rng.uniform(0.03, 0.5))
        wall(f"post {k}", high, at)
        if kind == "none":
            continue
        swing = int(rng.choice([-1, 1]))
        for side in (-1, 1) if kind == "pair" else (int(rng.choice([-1, 1])),):
            long = (wide - 0.012) / (2 if kind == "pair" else 1) - 0.002
            hinge = low + 0.004 if side < 0 else high - 0.004
            opened = float(rng.choice([0.0, np.pi / 2, rng.uniform(0.05, 1.5)]))
            turn = -side * np.pi / 2 + side * swing * opened
            name = f"door {k} {side}"
            leaves[name] = Leaf(f"way {k}", hinge, long, opened, swing, kind == "pair")
            nodes.append((name, None, [0, hinge, 0], turn, "door"))
    wall("last", at, at + 2.0)
    scene = hk.Scene()
    for k in rng.permutation(len(nodes)):
        name, shape, where, turn, tag = nodes[k]
        pose = place @ hk.transforms.from_rpy([0, 0, turn], where)
        scene = scene.add(name, shape, pose=pose, tags=tag)
        if tag == "door":
            long = leaves[name].long
            scene = scene.add(f"{name}/leaf", Box([long, 0.04, 2.0]), [long / 2, 0, 1.0])
    return scene, leaves, place


def wrong(seed: int) -> str:
    """Return what is wrong with the doors of a wall; nothing: an empty text."""
    scene, leaves, place = drawn(seed)
    for way in doorways(Room(scene, (), {})):
        names = {way.door, way.other.door if way.other is not None else None} - {None}
        wanted = {name for name, leaf in leaves.items() if leaf.doorway == way.path}
        if names != wanted:
            return f"{way.path} has {names}, not {wanted}"
    back = np.linalg.inv(place)
    for path, door in hk.access.doors(scene).items():
        leaf = leaves[path]
        if (door.kind == "double") != leaf.pair:
            return f"{path} is {door.kind}"
        x, y = (back @ [*door.ends[0], 0, 1])[:2]
        if abs(x) > 1e-6 or abs(y - leaf.hinge) > 0.01:
            return f"{path} hangs at {y:.3f}, not {leaf.hinge:.3f}"
        mates = [one for one in leaves.values() if one.doorway == leaf.doorway]
        if any(one.opened for one in mates) and (back[:2, :2] @ door.pull)[0] * leaf.swing < 0.99:
            return f"{path} turns to the other side"
    if len(hk.access.doors(scene)) != len({leaf.doorway for leaf in leaves.values()}):
        return "a door was left out"
    return ""


def main() -> None:
    """Try walls, print what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=200)
    given = parser.parse_args()
    faults = 0
    for seed in range(given.seed, given.seed + given.cases):
        if fault := wrong(seed):
            faults += 1
            print(f"seed {seed}: {fault}", flush=True)
    print(f"{given.cases} walls, {faults} faults")


if __name__ == "__main__":
    main()
