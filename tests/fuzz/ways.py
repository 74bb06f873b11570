"""Fuzzer of proofs that obstacles leave an arm no way: random arms, obstacles that a drawn posture all but touches.

``python tests/fuzz/ways.py 1000 200``: 200 arms from seed 1000.

A posture is drawn, and each obstacle is moved along the line from where it is next to it until that much is between them, down to a
tenth of a millimeter, by distances that are those of the scene and not of the proof. The posture is free, so that no proof may say that
its hand's place, or one within the tolerance, has none. Where a no is said of places drawn beside it, postures that solvers find there
are looked at.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from reach import _at, _hinge, _place, _room

import handik as hk
from handik import _core
from handik.scene.access._inside import slack_of
from handik.scene.access._no_way import arm_of
from handik.scene.check import compiled

Array = np.ndarray
BUDGET = 20_000


@dataclass
class Found:
    """What was compared, and what was wrong."""

    count: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def arm(rng: np.random.Generator) -> hk.Figure:
    """Draw an arm on a ball, with capsules along its bones and beside them."""
    turn = rng.uniform(-np.pi, np.pi)
    across = np.array([0.0, np.cos(turn), np.sin(turn)])
    upper, fore = rng.uniform(0.15, 0.4, 2)
    way = np.cross(across, [1, 0, 0]) * rng.uniform(-1, 1) * rng.integers(2) + np.array([1, 0, 0])
    way /= np.linalg.norm(way)
    wrist = np.eye(4)
    wrist[:3, 3] = fore * way
    joints = [
        hk.JointSpec(
            "ball", "ball", "base", "upper", _place(rng, 0.2), (1, 0, 0), (0, 0, 1), cone=_room(rng)
        ),
        _hinge(rng, 1, "upper", tuple(across), _at(float(upper))),
    ]
    joints[1].lower, joints[1].upper = np.sort(rng.uniform(-2.6, 2.6, 2))
    parent = "link 1"
    if rng.random() < 0.7:
        joints.append(_hinge(rng, 2, parent, tuple(way), np.eye(4)))
        parent = "link 2"
    joints.append(_hinge(rng, 3, parent, None, wrist))
    joints.append(_hinge(rng, 4, "link 3", None, np.eye(4)))
    joints.append(hk.JointSpec("tip", "fixed", "link 4", "tip", _place(rng, 0.07)))
    names = ["base", *(joint.child for joint in joints)]
    model = hk.Model(hk.ModelSpec("arm", [hk.LinkSpec(name) for name in names], joints))
    ends = {
        "upper": (np.array([upper, 0, 0]),),
        "link 1": (wrist[:3, 3],),
        "link 4": (joints[-1].placement[:3, 3],),
    }
    if parent == "link 2":
        ends["link 2"] = (wrist[:3, 3],)
    parts = []
    for link, (end,) in ends.items():
        for _ in range(int(rng.integers(1, 3))):
            a, b = np.sort(rng.uniform(-0.1, 1.1, 2))
            off = rng.normal(size=(2, 3)) * 0.01
            parts.append(
                hk.Capsule(
                    link, tuple(a * end + off[0]), tuple(b * end + off[1]), rng.uniform(0.01, 0.05)
                )
            )
    return hk.Figure(model, parts, pairs=[])


def _shape(rng: np.random.Generator) -> hk.scene.Shape:
    size = rng.uniform(0.02, 0.6, 3)
    corner = [(0, 0), (size[0], 0), (size[0], size[1]), (-0.02, size[1] / 2)]
    return [
        hk.scene.Box(2 * size),
        hk.scene.Sphere(float(size[0])),
        hk.scene.Capsule(float(size[0]), float(size[1] / 4)),
        hk.scene.Cylinder(radius=float(size[0]), length=float(size[1])),
        hk.scene.Prism(corner, float(size[2])),
        hk.scene.Plane(),
    ][int(rng.integers(6))]


def crowd(rng: np.random.Generator, figure: hk.Figure, q: Array) -> hk.Scene:
    """Return obstacles that a posture all but touches."""
    names = figure.model.frame_names
    out, points = hk.Scene(), np.array([figure.model.fk(q, frame=f)[:3, 3] for f in names])
    for k in range(int(rng.integers(4, 25))):
        w = rng.normal(size=4)
        shape, w = _shape(rng), w / np.linalg.norm(w)
        at = points[int(rng.integers(len(points)))] + rng.normal(size=3) * 0.15
        gap = float(10 ** rng.uniform(-4, -2))
        for _ in range(4):
            alone = hk.Scene().add(str(k), shape, pose=(at, w))
            near = alone.distance(figure, q, details=True)
            if not np.isfinite(near.distance):
                break
            at = at - (gap - float(near.distance)) * near.normal
        if float(hk.Scene().add(str(k), shape, pose=(at, w)).distance(figure, q)) > 5e-5:
            out = out.add(str(k), shape, pose=(at, w))
    return out


def check_arm(seed: int, found: Found, places: int = 6) -> None:
    """Ask a few places of one arm."""
    rng = np.random.default_rng(seed)
    figure = arm(rng)
    model = figure.model
    chain = arm_of(model, "tip", figure)
    if chain is None:
        found.count["no arm"] += 1
        return
    for q in model.sample(places, seed=seed):
        scene = crowd(rng, figure, q)
        if not scene.free(figure, q):
            found.count["not free"] += 1
            continue
        world, give = compiled(scene, figure), 0.0
        slack = slack_of(scene, world.names)
        tolerance = float(rng.choice([1e-5, 1e-3]))
        off = rng.normal(size=(3, 3))
        off *= (
            tolerance * np.array([[0.0], [0.5], [1 - 1e-9]]) / np.linalg.norm(off, axis=1)[:, None]
        )
        target = model.fk(q, frame="tip")[:3, 3] + off
        outcome, _, _, _ = _core._arm_prove(
            chain, world.world, slack + give, target, tolerance, BUDGET
        )
        for one in outcome:
            found.count[("blocked", "clear", "grazed", "open")[int(one)]] += 1
        if np.any(outcome == 0):
            found.failures.append(f"{seed}: no way, and a free posture is there")
        beside = target[0] + rng.normal(size=(6, 3)) * 0.05
        says, _, _, used = _core._arm_prove(chain, world.world, slack, beside, tolerance, BUDGET)
        for place in beside[says == 0]:
            start = model.sample(24, seed=seed)
            near = model.solve(position=np.broadcast_to(place, (24, 3)), frame="tip", q0=start,
                               position_tolerance=tolerance)  # fmt: skip
            there = near.q[near.converged]
            found.count["no, looked at"] += 1
            found.count["postures there"] += len(there)
            if len(there) and scene.free(figure, there).any():
                found.failures.append(f"{seed}: no way, and a solver finds one")


def main() -> None:
    """Run the seeds given."""
    first, count = (int(word) for word in sys.argv[1:3])
    found = Found()
    for seed in range(first, first + count):
        check_arm(seed, found)
    print(dict(found.count))
    for failure in found.failures:
        print(failure)
    sys.exit(bool(found.failures))


if __name__ == "__main__":
    main()
