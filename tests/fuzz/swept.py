"""Fuzzer of edges and rounded corners: a sphere is put where a capsule passes, so that the way is not free.

``python tests/fuzz/swept.py 1 400``: 400 figures from seed 1, twelve edges each, and as many polygons with rounded corners.

Figures have turns, slides, balls and joints that follow others, of centimeters to tens of meters; edges turn by thousandths of a
radian to hundreds of radians. The sphere touches a capsule at a random place of the edge by a small share of its radius, on the side
most often where it does so for a moment alone. A posture there is in contact, so no proof may call the edge free.

Of a polygon whose edges are free the sphere touches what its rounded corners would be without it. The corners that are given
are asked at places by themselves, those near the moment closely: none may be in contact.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

import handik as hk
from handik import _core
from handik.scene.check import compiled

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


def ramp(x: Array, half: float) -> Array:
    """Return the integral, twice, over a corner's density: it rises over a quarter of its width, stays, and falls."""
    if half <= 0:
        return np.maximum(x, 0)
    z = np.clip(1 - np.abs(x) / half, 0, 1)
    low = np.where(z < 0.5, z**3 / 3, (z - 0.25) ** 2 / 2 + 1 / 96)
    return half / 1.5 * low + np.maximum(x, 0)


def along(model: hk.Model, q: Array, at: Array, half: Array, s: Array) -> Array:
    """Return the postures (n, nq) of a polygon with rounded corners at times."""
    out = np.tile(q[0], (len(s), 1))
    for j in range(len(q) - 1):
        gone = ramp(s - at[j], half[j]) - ramp(s - at[j + 1], half[j + 1])
        share = np.clip(gone / (at[j + 1] - at[j]), 0, 1)
        out = np.asarray(
            model.integrate(out, share[:, None] * np.asarray(model.difference(q[j], q[j + 1])))
        )
    return out


def rounded(
    scene: hk.Scene, body: hk.Figure, q: Array, at: Array, half: Array
) -> tuple[Array, Array]:
    """Return how wide the corners are rounded in a scene, and the vertices."""
    ground = compiled(scene, body)
    out, vertices = _core._path_blends(ground.world, ground.figure, q, at, half, True, 1e-3)
    return np.asarray(out), np.asarray(vertices)


def polygon(seed: int, found: Found) -> None:
    """Ask about the corners of a polygon of one figure."""
    rng = np.random.default_rng([seed, 22])
    body, size = figure(rng)
    for k in range(EDGES if body.model.nv else 0):
        rows = [edge(body.model, rng)[0]]
        for _ in range(int(rng.integers(2, 5))):
            rows.append(np.asarray(body.model.integrate(rows[-1], edge(body.model, rng)[1])))
        q = np.array(rows)
        q = q if body.model.nq > body.model.nv else np.clip(q, body.model.lower, body.model.upper)
        if np.linalg.norm(np.asarray(body.model.difference(q[:-1], q[1:])), axis=1).min() < 1e-6:
            continue
        at = np.concatenate([[0], np.cumsum(rng.uniform(0.2, 1, len(q) - 1))])
        wish = np.array([0, *rng.uniform(0.01, 0.9, len(q) - 2), 0])
        half, vertices = rounded(hk.Scene(), body, q, at, wish)
        i = int(rng.integers(1, len(q) - 1))
        now = at[i] + rng.uniform(-1, 1) * half[i]
        steps = along(body.model, vertices, at, half, np.array([now, now + 1e-6]))
        v = 1e6 * np.asarray(body.model.difference(steps[0], steps[1]))
        scene, _ = put_in_the_way(body, size, steps[0], 1e-9 * v, rng)
        if not all(scene.proves(body, a, b).outcome == "free" for a, b in pairwise(q)):
            continue
        given, moved = rounded(scene, body, q, at, wish)
        times = [now + np.linspace(-1, 1, 101) * 10.0**-p for p in range(1, 6)]
        times += [np.linspace(at[0], at[-1], 1500)]
        s = np.clip(np.concatenate(times), at[0], at[-1])
        least = scene.distance(body, along(body.model, moved, at, given, s))
        same = (given == half).all() and (moved == vertices).all()
        found.outcomes["rounded as before" if same else "rounded otherwise"] += 1
        if least.min() < -1e-8 * max(1.0, size):
            found.failures.append(f"seed {seed}, polygon {k}: in contact by {least.min()}")


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
        polygon(seed + k, found)
    return found


if __name__ == "__main__":
    result = some(int(sys.argv[1]), int(sys.argv[2]))
    print(dict(result.outcomes))
    print("\n".join(result.failures) or "nothing found")
    sys.exit(bool(result.failures))
