"""Fuzzer of crowds: many obstacles against each by itself, many postures against each alone, on any scale.

``python tests/fuzz/crowds.py SEED COUNT``. No judge of distances is needed: what a scene says of a figure must be the least of what
scenes of one obstacle each say, to the byte, whatever filters look at first; a posture's answer may depend neither on the others nor on
their order, nor on threads or a cutoff; what touches is what has no distance left. Figures of any joint, points and wires among
their capsules, stand among 0 to 130 obstacles, some of no size, from micrometers to 100 kilometers. In half of the cases balls graze
the faces of boxes, by less than floats tell.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator

import handik as hk
from handik.spec import JointSpec, LinkSpec, ModelSpec

Array = np.ndarray
BODY = hk.Model(
    ModelSpec(
        "body", [LinkSpec("world"), LinkSpec("body")], [JointSpec("free", "free", "world", "body")]
    )
)


@dataclass
class Found:
    """What was looked at, and what was wrong."""

    cases: int = 0
    free: int = 0
    hit: int = 0
    failures: list[str] = field(default_factory=list)


def turned(rng: Generator) -> Array:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.diag(r))
    return np.asarray(q * np.linalg.det(q))


def arm(rng: Generator, size: float) -> hk.Figure:
    """Draw a chain of any joints."""
    links, joints, parts = [LinkSpec("world")], [], []
    way = np.zeros(3)
    for k in range(int(rng.integers(1, 6))):
        place = np.eye(4)
        place[:3, :3] = turned(rng) if rng.random() < 0.4 else np.eye(3)
        place[:3, 3] = way
        kind = str(rng.choice(["revolute", "revolute", "prismatic", "cylindrical", "ball", "free"]))
        more: dict[str, Any] = {"revolute": {"lower": -3.0, "upper": 3.0}}.get(kind, {})
        if kind == "prismatic":
            far = float(rng.choice([0.0, 0.4 * size]))
            more = {"lower": -far, "upper": far}
        links.append(LinkSpec(f"l{k}"))
        axis = tuple(rng.normal(size=3).tolist())
        joints.append(
            JointSpec(f"j{k}", kind, f"l{k - 1}" if k else "world", f"l{k}", place, axis, **more)
        )
        way = rng.normal(size=3) * size * rng.choice([0, 0.1, 0.3], p=[0.1, 0.4, 0.5])
        radius = size * float(rng.choice([0, 1e-4, 0.03, 0.08]))
        parts.append(hk.Capsule(f"l{k}", (0.0, 0.0, 0.0), tuple(way.tolist()), radius))
    pairs = [(a, b) for b in range(len(parts)) for a in range(b) if rng.random() < 0.3]
    return hk.Figure(hk.Model(ModelSpec("arm", links, joints)), parts, pairs)


def solid(rng: Generator, size: float) -> Any:
    """Draw an obstacle; some have no size along some axis."""
    a, b, c = (size * rng.choice([0, 1e-5, 0.05, 0.3], 3)).tolist()
    kind, make = int(rng.integers(6)), hk.scene
    if kind == 0:
        return make.Plane()
    if kind == 1:
        return make.Capsule(a, b)
    if kind == 2:
        round_ = 2 * np.pi * (np.arange(5) + rng.uniform(-0.3, 0.3, 5)) / 5
        return make.Prism(
            np.stack([np.cos(round_), np.sin(round_)], 1) * size * 0.2, max(a, 1e-5 * size)
        )
    return make.Sphere(a) if kind == 3 else make.Box([a, b, c])


def room(rng: Generator, size: float) -> list[tuple[Any, Array]]:
    out = []
    for _ in range(int(rng.choice([0, 1, 2, 11, 12, 13, 20, 63, 64, 65, 130]))):
        shape, pose = solid(rng, size), np.eye(4)
        pose[:3, :3] = turned(rng) if rng.random() < 0.6 else np.eye(3)
        pose[:3, 3] = rng.normal(size=3) * size * rng.choice([0.3, 1, 2])
        if isinstance(shape, hk.scene.Plane):
            pose[:3, 3] = -pose[:3, 2] * size * rng.uniform(0.5, 3)
        out.append((shape, pose))
    return out


def grazing(rng: Generator) -> tuple[hk.Figure, list[tuple[Any, Array]], Array]:
    """Balls that touch faces of boxes by some nanometers, or do not."""
    count, radius = int(rng.choice([1, 13, 80])), float(rng.choice([0, 0.05]))
    figure = hk.Figure(BODY, [hk.Capsule("body", (0, 0, 0), (0, 0, 0), radius)])
    things, q = [], []
    for _ in range(count):
        half, place = rng.uniform(0.01, 0.3, 3), rng.uniform(-5, 5, 3)
        pose = np.eye(4)
        pose[:3, 3] = place
        things.append((hk.scene.Box((2 * half).tolist()), pose))
        for _ in range(-(-100 // count)):
            k, side = int(rng.integers(3)), rng.choice([-1, 1])
            at = place + rng.uniform(-0.9, 0.9, 3) * half
            at[k] = place[k] + side * (half[k] + radius + rng.uniform(-3e-8, 3e-8))
            q.append([*at, 1, 0, 0, 0])
    return figure, things, np.array(q)


def one(seed: int, k: int, found: Found) -> None:
    """Draw a case and look at it."""
    rng = np.random.default_rng([seed, k])
    if k % 2:
        size = 1.0
        figure, things, q = grazing(rng)
    else:
        size = float(rng.choice([1e-6, 1e-3, 1, 1, 1e3, 1e5]))
        figure, things = arm(rng, size), room(rng, size)
        q = figure.model.sample(int(rng.choice([1, 2, 15, 16, 17, 33])), seed=k)
        if rng.random() < 0.5:  # all nearly the same
            q = np.asarray(
                figure.model.integrate(q[:1], 1e-3 * rng.normal(size=(len(q), figure.model.nv)))
            )
        if rng.random() < 0.2:
            q[0, rng.integers(figure.model.nq)] = rng.choice([1e13, -1e300])
    name, usable = f"seed {seed}, {k}", np.abs(q).max(axis=1) < 1e12
    scene = hk.Scene()
    for i, (shape, pose) in enumerate(things):
        scene = scene.add(f"t{i}", shape, pose)
    distance, free = scene.distance(figure, q), scene.free(figure, q)

    def must(good: Any, what: str) -> None:
        if not np.all(good):
            found.failures.append(f"{name}: {what}")

    must(np.isnan(distance) == ~usable, "NaN where it may be measured, or a number where not")
    must(free == (distance > 0), "free is not what has a distance")
    order = rng.permutation(len(q))
    must(
        scene.distance(figure, q[order], threads=2).tobytes() == distance[order].tobytes(), "order"
    )
    must(scene.free(figure, q[order], threads=2) == free[order], "order of free")
    for i in rng.choice(len(q), min(len(q), 3), replace=False):
        must(scene.distance(figure, q[i]).tobytes() == distance[i].tobytes(), "alone")
        must(bool(scene.free(figure, q[i])) == free[i], "alone free")
    most = size * float(rng.choice([0, 1e-3, 0.1, 1]))
    near = np.where(usable, np.minimum(distance, most), np.nan)
    must(np.array_equal(scene.distance(figure, q, most), near, equal_nan=True), "cutoff")
    told = scene.distance(figure, q, details=True)
    must(told.distance.tobytes() == distance.tobytes(), "details")
    least, all_free = hk.Scene().distance(figure, q), hk.Scene().free(figure, q)
    alone = hk.Figure(figure.model, figure.capsules, pairs=[])
    for i, (shape, pose) in enumerate(things):
        by_itself = hk.Scene().add(f"t{i}", shape, pose)
        least = np.fmin(least, by_itself.distance(alone, q))
        all_free &= by_itself.free(alone, q)
    must(least[usable] == distance[usable], "the least of each obstacle by itself")
    must(all_free == free, "free of each obstacle by itself")
    found.cases += 1
    found.free += int(free.sum())
    found.hit += int((~free[usable]).sum())


def some(seed: int, count: int) -> Found:
    """Look at some."""
    found = Found()
    for k in range(count):
        one(seed, k, found)
    return found


if __name__ == "__main__":
    found = some(int(sys.argv[1]), int(sys.argv[2]))
    print(f"{found.cases} cases, {found.free} postures free, {found.hit} in contact")
    print("\n".join(found.failures) or "nothing found")
    sys.exit(bool(found.failures))
