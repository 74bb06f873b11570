"""Fuzzer of edges: a sphere is put where a capsule passes, so that the edge is not free.

``python tests/fuzz/swept.py 1 400``: 400 figures from seed 1, twelve edges each.

Figures have turns, slides, balls and joints that follow others, of centimeters to tens of meters; edges turn by thousandths of a
radian to hundreds of radians. The sphere touches a capsule at a random place of the edge by a small share of its radius, on the side
most often where it does so for a moment alone. A posture there is in contact, so no proof may call the edge free.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import handik as hk

Array = np.ndarray
TURNS = ("revolute", "prismatic", "ball", "mimic")
EDGES = 12


@dataclass
class Found:
    """What was asked, and what was wrong."""

    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def joint(rng: np.random.Generator, k: int, lead: list[str], size: float) -> hk.JointSpec:
    """Draw joint `k`, which may follow one of `lead`."""
    axis = rng.normal(size=3)
    given: dict[str, object] = {"axis": tuple(axis / np.linalg.norm(axis))}
    kind = str(rng.choice(TURNS, p=[0.45, 0.2, 0.1, 0.25]))
    if kind == "ball":
        given = {"axis": (1, 0, 0), "axis2": (0, 0, 1)}
    elif kind == "mimic":
        kind = str(rng.choice(["revolute", "prismatic"]))
        if lead:
            given["mimic"] = hk.spec.MimicSpec(
                str(rng.choice(lead)), float(rng.choice([-3, 0.5, 1])), 0.1
            )
        else:
            lead.append(f"j{k}")
    else:
        lead.append(f"j{k}")
    if kind == "prismatic" and "mimic" not in given and rng.random() < 0.7:
        given |= {"lower": -size, "upper": size}
    place = hk.transforms.from_rotation_vector(rng.normal(size=3))
    place[:3, 3] = rng.normal(size=3) * size
    parent = f"l{k - 1}" if k else "base"
    return hk.JointSpec(f"j{k}", kind, parent, f"l{k}", place, **given)  # type: ignore[arg-type]


def figure(rng: np.random.Generator) -> tuple[hk.Figure, float]:
    """Draw a chain with one or two capsules a link, and its size in meters."""
    size, lead = float(10 ** rng.uniform(-2, 1)), list[str]()
    joints = [joint(rng, k, lead, size) for k in range(int(rng.integers(1, 8)))]
    links = [hk.LinkSpec(name) for name in ["base", *(j.child for j in joints)]]
    capsules = []
    for one in [j for j in joints for _ in range(int(rng.integers(1, 3)))]:
        a = rng.normal(size=3) * size
        b = a + rng.normal(size=3) * size * 10 ** rng.uniform(-2, 0) * (rng.random() > 0.15)
        capsules.append(
            hk.Capsule(one.child, tuple(a), tuple(b), size * float(10 ** rng.uniform(-5, -1)))
        )
    model = hk.Model(hk.ModelSpec("chain", links, joints))
    return hk.Figure(model, capsules, pairs=[]), size


def edge(model: hk.Model, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw a posture and a motion from it: short, long, or of one coordinate."""
    q = model.sample(2, seed=int(rng.integers(2**31)))
    v = np.asarray(model.difference(q[0], q[1])) * 10 ** rng.uniform(-3, 0)
    if rng.random() < 0.2:
        v = v * (np.arange(model.nv) == rng.integers(model.nv))
    if model.nq == model.nv and rng.random() < 0.1:
        v = np.clip(v * 10 ** rng.uniform(0, 3), -1e3, 1e3)
    return q[0], v


def put_in_the_way(
    body: hk.Figure, size: float, q0: Array, v: Array, rng: np.random.Generator
) -> tuple[hk.Scene, Array]:
    """Return a scene with a sphere in contact with a capsule somewhere on the edge, and the posture there."""
    model, t = body.model, rng.uniform(0, 1)
    capsule = body.capsules[rng.integers(len(body.capsules))]
    q = np.asarray(model.integrate(q0, t * v))
    now, then = (
        model.fk(one, frame=capsule.frame) for one in (q, np.asarray(model.integrate(q, 1e-6 * v)))
    )
    along = np.array(capsule.end) - np.array(capsule.start)
    own = np.append(np.array(capsule.start) + rng.choice([0, 1, rng.uniform()]) * along, 1)
    x = (now @ own)[:3]
    normal = np.cross(now[:3, :3] @ along, (then @ own)[:3] - x)
    if rng.random() < 0.4 or not np.linalg.norm(normal) > 0:
        normal = rng.normal(size=3)
    normal /= np.linalg.norm(normal)
    radius = size * float(10 ** rng.uniform(-5, -1))
    deep = min(radius, capsule.radius) * 10 ** rng.uniform(-4, -0.3)
    center = x + normal * (capsule.radius + radius - deep)
    return hk.Scene().add("ball", hk.scene.Sphere(radius), pose=(center, [1, 0, 0, 0])), q


def one(seed: int, found: Found) -> None:
    """Ask about the edges of one figure."""
    rng = np.random.default_rng([seed, 21])
    body, size = figure(rng)
    for k in range(EDGES if body.model.nv else 0):
        q0, v = edge(body.model, rng)
        scene, there = put_in_the_way(body, size, q0, v, rng)
        if not scene.distance(body, there) < -1e-9 * max(1.0, size):  # rounding has the last word
            continue
        q1 = np.asarray(body.model.integrate(q0, v))
        tolerance = float(10 ** rng.uniform(-6, -2))
        if np.abs(np.asarray(body.model.difference(q0, q1)) - v).max() > 1e-9:
            continue  # a ball by more than half a turn: the edge is another
        outcome = str(scene.proves(body, q0, q1, tolerance=tolerance).outcome)
        found.outcomes[outcome] += 1
        if outcome == "free":
            found.failures.append(f"seed {seed}, edge {k}: free, and touches at {there.tolist()}")


def some(seed: int, count: int) -> Found:
    """Ask about `count` figures."""
    found = Found()
    for k in range(count):
        one(seed + k, found)
    return found


if __name__ == "__main__":
    result = some(int(sys.argv[1]), int(sys.argv[2]))
    print(dict(result.outcomes))
    print("\n".join(result.failures) or "nothing found")
    sys.exit(bool(result.failures))
