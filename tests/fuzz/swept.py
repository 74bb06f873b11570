"""Fuzzer of edges and rounded corners: something is put where a capsule passes, so that the way is not free.

``python tests/fuzz/swept.py 1 400``: 400 figures from seed 1, twelve edges each, and as many polygons with rounded corners.

Figures have turns, slides, balls and joints that follow others, of centimeters to tens of meters; edges turn by thousandths of a
radian to hundreds of radians. A sphere, a box, a capsule, a prism of three corners or another capsule of the figure touches a capsule
at a random place of the edge by a small share of its radius, on the side most often where it does so for a moment alone: boxes and
prisms with a face, an edge or a corner, two capsules where their axes are nearest on the way. A posture there is in contact, so no
proof may call the edge free.

Of a polygon whose edges are free the same touches what its rounded corners would be without it. The corners that are given
are asked at places by themselves, those near the moment closely, and nearer and nearer where the two are nearest: none may be in
contact. That the two are is told by kinematics and distances that have nothing of the core's (`oracle.py`, `_solids.py`).
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import oracle

import handik as hk
from handik import _core
from handik.scene.check import compiled

sys.path.insert(0, str(Path(__file__).parents[1]))

from _solids import outside

Array = np.ndarray
TURNS = ("revolute", "prismatic", "ball", "mimic")
KINDS = ("sphere", "box", "capsule", "prism", "itself")
EDGES = 12
TRIES = 8  # to leave the edges of a polygon free
POLYGONS = 20  # of which one may bring two capsules nearer in a corner than on its edges


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


@dataclass
class Put:
    """What is in the way of one capsule of a figure."""

    kind: str
    body: hk.Figure  # with the pair that is compared, where it is its own
    scene: hk.Scene
    capsule: int
    other: Any  # a shape, or the place of a capsule
    pose: Array | None  # of the shape

    def apart(self, q: Array, rounds: int = 24) -> Array:
        """Return how far the two are apart in postures (n, nq), below 0 by how much they overlap at least."""
        own = axes(self.body, self.capsule, q)
        if isinstance(self.other, int):
            two = self.body.capsules[self.other]
            amount = sum(self.body.allowance.values())
            return np.asarray(
                oracle.segments(*own, *axes(self.body, self.other, q))
                - (self.body.capsules[self.capsule].radius + two.radius - amount)
            )
        turn, at = self.pose[:3, :3], self.pose[:3, 3]
        a, b = ((x - at) @ turn for x in own)
        return to_solid(self.other, a, b, rounds) - self.body.capsules[self.capsule].radius


def all_axes(body: hk.Figure, which: Iterable[int], q: Array) -> list[tuple[Array, Array]]:
    """Return where the ends of capsules' axes are in postures (n, nq)."""
    poses, out = oracle.Figure(body.model).frames(np.atleast_2d(q)), []
    for capsule in (body.capsules[k] for k in which):
        turn, at = poses[capsule.frame]
        out.append((at + turn @ np.array(capsule.start), at + turn @ np.array(capsule.end)))
    return out


def axes(body: hk.Figure, k: int, q: Array) -> tuple[Array, Array]:
    """Return where the ends of a capsule's axis are in postures (n, nq)."""
    return all_axes(body, [k], q)[0]


def to_solid(shape: Any, a: Array, b: Array, rounds: int) -> Array:
    """Return how far segments are from a convex shape: of a convex function the least, by thirds.

    Of few rounds it is too much, by (2 / 3)^rounds of a segment at most.
    """
    low, high = np.zeros(len(a)), np.ones(len(a))

    def at(t: Array) -> Array:
        return np.asarray(outside(shape, a + t[:, None] * (b - a)), float)

    for _ in range(rounds):
        one, two = low + (high - low) / 3, high - (high - low) / 3
        less = at(one) < at(two)
        low, high = np.where(less, low, one), np.where(less, two, high)
    return np.minimum.reduce([at(low), at(high), at(np.zeros(len(a))), at(np.ones(len(a)))])


def solid(
    rng: np.random.Generator, kind: str, size: float
) -> tuple[Any, Array, list[Array], float]:
    """Draw a shape: its corners, the normals of its faces, and by how much it is thicker than its corners."""
    edge = size * 10 ** rng.uniform(-4, 0.3, 3) * (rng.random(3) > 0.1)
    radius = size * float(10 ** rng.uniform(-5, -1))
    up = [np.array([0.0, 0, 1]), np.array([0.0, 0, -1])]
    if kind == "sphere":
        return hk.scene.Sphere(radius), np.zeros((1, 3)), [], radius
    if kind == "capsule":
        ends = np.array([[0, 0, -0.5], [0, 0, 0.5]]) * edge[0]
        return hk.scene.Capsule(edge[0], radius), ends, [], radius
    if kind == "box":
        corner = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) / 2
        return (
            hk.scene.Box(edge),
            corner * edge,
            [s * row for row in np.eye(3) for s in (-1, 1)],
            0.0,
        )
    angle = np.sort(rng.uniform(0, 2 * np.pi, 3))
    while np.diff(angle, append=angle[0] + 2 * np.pi).max() > 6:
        angle = np.sort(rng.uniform(0, 2 * np.pi, 3))
    flat = size * 10 ** rng.uniform(-2, 0.3) * np.stack([np.cos(angle), np.sin(angle)], 1)
    side = np.roll(flat, -1, 0) - flat
    normals = [np.array([y, -x, 0]) / np.hypot(x, y) for x, y in side]
    corner = np.concatenate([np.c_[flat, np.zeros(3)], np.c_[flat, np.full(3, edge[2])]])
    return hk.scene.Prism(flat.tolist(), edge[2]), corner, [*normals, *up], 0.0


def turn_to(a: Array, b: Array, rng: np.random.Generator) -> Array:
    """Draw a rotation that takes one unit vector to another."""

    def base(x: Array) -> Array:
        y = np.cross(x, rng.normal(size=3))
        y /= np.linalg.norm(y)
        return np.stack([x, y, np.cross(x, y)], 1)

    return np.asarray(base(b) @ base(a).T)


def solid_at(
    rng: np.random.Generator, kind: str, size: float, at: Array, normal: Array
) -> tuple[Any, Array]:
    """Draw a shape and its pose, so that nothing of it is farther towards -normal than a place, which is on it."""
    shape, corner, faces, thick = solid(rng, kind, size)
    by = rng.normal(size=3)
    which = rng.random()
    if faces and which < 0.7:  # with a face, or an edge between two, or what is drawn there
        one, two = rng.permutation(len(faces))[:2]
        by = faces[one] + (which > 0.35) * rng.uniform() * (faces[two] + 1e-3 * faces[one])
    by = by / np.linalg.norm(by)
    pose, far = np.eye(4), corner @ by
    pose[:3, :3] = turn_to(by, -normal, rng)
    most = corner[far > far.max() - 1e-12 * size]
    on = rng.dirichlet(np.ones(len(most))) @ most + thick * by
    pose[:3, 3] = at - pose[:3, :3] @ on
    return shape, pose


def put_in_the_way(
    body: hk.Figure, size: float, q0: Array, v: Array, rng: np.random.Generator, kind: str
) -> tuple[Put, Array]:
    """Put a shape in contact with a capsule somewhere on the edge; return it and the posture there."""
    model, t = body.model, rng.uniform(0, 1)
    k = int(rng.integers(len(body.capsules)))
    capsule = body.capsules[k]
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
    deep = capsule.radius * 10 ** rng.uniform(-4, -0.3)
    shape, pose = solid_at(rng, kind, size, x + normal * (capsule.radius - deep), normal)
    scene = hk.Scene().add("solid", shape, pose=pose)
    return Put(kind, body, scene, k, shape, pose), q


def two_of(body: hk.Figure, rng: np.random.Generator) -> tuple[int, int] | None:
    """Draw two capsules that are not on one link."""
    found = [
        (a, b)
        for b in range(len(body.capsules))
        for a in range(b)
        if body.capsules[a].frame != body.capsules[b].frame
    ]
    return found[rng.integers(len(found))] if found else None


def nearest(far: Any, low: float, high: float) -> tuple[float, float]:
    """Return where a function of places is least, and what it is there: looked at nearer and nearer."""
    for _ in range(6):
        s = np.linspace(low, high, 60)
        value = far(s)
        i = int(np.argmin(value))
        low, high = s[max(i - 1, 0)], s[min(i + 1, len(s) - 1)]
    return float(s[i]), float(value[i])


def thick(
    body: hk.Figure, pair: tuple[int, int], sum_of: float, rng: np.random.Generator
) -> hk.Figure:
    """Return the figure with radii of two capsules that sum up so, and by which they may overlap besides."""
    more = sum_of * float(rng.choice([0, 10 ** rng.uniform(-3, 0)]))
    share, capsules = rng.uniform(), list(body.capsules)
    for k, part in zip(pair, (share, 1 - share), strict=True):
        capsules[k] = replace(capsules[k], radius=part * (sum_of + more))
    return hk.Figure(body.model, capsules, [pair], allowance={pair: more})


def put_itself(
    body: hk.Figure, size: float, q0: Array, v: Array, rng: np.random.Generator
) -> tuple[Put, Array] | None:
    """Make two capsules so thick that they touch where they are nearest on the edge."""
    pair = two_of(body, rng)
    if pair is None:
        return None

    def postures(t: Array) -> Array:
        return np.asarray(body.model.integrate(np.tile(q0, (len(t), 1)), t[:, None] * v))

    t, far = nearest(lambda t: between(body, pair, postures(t)), 0, 1)
    wide = far + size * float(10 ** rng.uniform(-7, -1))
    made = thick(body, pair, wide, rng)
    return Put("itself", made, hk.Scene(), pair[0], pair[1], None), postures(np.array([t]))[0]


def between(body: hk.Figure, pair: tuple[int, int], q: Array) -> Array:
    """Return how far the axes of two capsules are apart in postures."""
    a, b = all_axes(body, pair, q)
    return np.asarray(oracle.segments(*a, *b))


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


def drawn_polygon(model: hk.Model, rng: np.random.Generator) -> tuple[Array, Array, Array] | None:
    """Draw vertices, their times, and how wide corners are wished for; None: an edge is too short."""
    rows = [edge(model, rng)[0]]
    for _ in range(int(rng.integers(2, 5))):
        rows.append(np.asarray(model.integrate(rows[-1], edge(model, rng)[1])))
    q = np.array(rows)
    q = q if model.nq > model.nv else np.clip(q, model.lower, model.upper)
    if np.linalg.norm(np.asarray(model.difference(q[:-1], q[1:])), axis=1).min() < 1e-6:
        return None
    at = np.concatenate([[0], np.cumsum(rng.uniform(0.2, 1, len(q) - 1))])
    return q, at, np.array([0, *rng.uniform(0.01, 0.9, len(q) - 2), 0])


def put_beside(
    body: hk.Figure, size: float, q: Array, curve: Any, corner: Array, rng: np.random.Generator
) -> tuple[Put, float] | None:
    """Put a shape in the way of a curve between two times of a corner; return it and the time.

    None: it would be in the way of the polygon `q` too.
    """
    now = rng.uniform(*corner)
    steps = curve(np.array([now, now + 1e-6]))
    v = 1e6 * np.asarray(body.model.difference(steps[0], steps[1]))
    way = put_in_the_way(body, size, steps[0], 1e-9 * v, rng, str(rng.choice(KINDS[:-1])))[0]
    free = all(way.scene.proves(body, a, b).outcome == "free" for a, b in pairwise(q))
    return (way, now) if free else None


def put_itself_beside(
    body: hk.Figure, q: Array, curve: Any, corner: Array, rng: np.random.Generator
) -> tuple[Put, float] | None:
    """Make two capsules so thick that they touch on a curve, and on no edge of the polygon `q`."""
    t = np.linspace(0, 1, 40)
    edges = np.concatenate([on_edge(body.model, a, b, t) for a, b in pairwise(q)])
    pairs = [(a, b) for b in range(len(body.capsules)) for a in range(b)]
    rows = curve(np.linspace(*corner, 40)), edges
    ends = [all_axes(body, range(len(body.capsules)), x) for x in rows]
    room = [[oracle.segments(*x[a], *x[b]).min() for a, b in pairs] for x in ends]
    least, far = room[1], room[0]
    best = max(range(len(pairs)), key=lambda k: least[k] - far[k], default=None)
    if best is None or not least[best] - far[best] > 1e-4 * least[best]:
        return None
    now, near = nearest(lambda s: between(body, pairs[best], curve(s)), *corner)
    wide = near + (least[best] - near) * float(10 ** rng.uniform(-4, -0.01))
    made = thick(body, pairs[best], wide, rng)
    if not all(hk.Scene().proves(made, a, b).outcome == "free" for a, b in pairwise(q)):
        return None
    return Put("itself", made, hk.Scene(), *pairs[best], None), now


def on_edge(model: hk.Model, a: Array, b: Array, t: Array) -> Array:
    """Return postures on an edge, at shares of it."""
    v = np.asarray(model.difference(a, b))
    return np.asarray(model.integrate(np.tile(a, (len(t), 1)), t[:, None] * v))


def polygon(seed: int, found: Found) -> None:
    """Ask about the corners of a polygon of one figure."""
    rng = np.random.default_rng([seed, 22])
    body, size = figure(rng)
    for k in range(EDGES if body.model.nv else 0):
        itself = rng.random() < 1 / len(KINDS)
        for _ in range(POLYGONS if itself else 1):
            drawn = drawn_polygon(body.model, rng)
            if drawn is None:
                continue
            q, at, wish = drawn
            half, vertices = rounded(hk.Scene(), body, q, at, wish)
            i = int(rng.integers(1, len(q) - 1))
            corner = at[i] + half[i] * np.array([-1, 1])
            curve = partial(along, body.model, vertices, at, half)
            tried = (
                put_itself_beside(body, q, curve, corner, rng)
                if itself
                else put_beside(body, size, q, curve, corner, rng)
                for _ in range(1 if itself else TRIES)
            )
            put = next((one for one in tried if one is not None), None)
            if put is None:
                continue
            way, now = put
            given, moved = rounded(way.scene, way.body, q, at, wish)
            least = least_along(way, now, partial(along, body.model, moved, at, given), at)
            same = (given == half).all() and (moved == vertices).all()
            found.outcomes[f"{way.kind}: rounded {'as before' if same else 'otherwise'}"] += 1
            if least < -1e-8 * max(1.0, size):
                found.failures.append(
                    f"seed {seed}, polygon {k}, {way.kind}: in contact by {least}"
                )
            break


def least_along(way: Put, now: float, curve: Any, at: Array) -> float:
    """Return the least distance along a curve that was looked at: near a time closely, and where the two are nearest."""
    times = [now + np.linspace(-1, 1, 101) * 10.0**-p for p in range(1, 6)]
    s = np.clip(np.concatenate([*times, np.linspace(at[0], at[-1], 1500)]), at[0], at[-1])
    s.sort()
    q = curve(s)
    i = int(np.argmin(way.apart(q)))
    low, high = float(s[max(i - 1, 0)]), float(s[min(i + 1, len(s) - 1)])
    return min(
        nearest(lambda s: way.apart(curve(s), 60), low, high)[1],
        float(way.scene.distance(way.body, q).min()),
    )


def one(seed: int, found: Found) -> None:
    """Ask about the edges of one figure."""
    rng = np.random.default_rng([seed, 21])
    body, size = figure(rng)
    for k in range(EDGES if body.model.nv else 0):
        q0, v = edge(body.model, rng)
        kind = str(rng.choice(KINDS))
        if kind == "itself":
            put = put_itself(body, size, q0, v, rng)
        else:
            put = put_in_the_way(body, size, q0, v, rng, kind)
        if put is None:
            continue
        way, there = put
        if not way.apart(there, 60)[0] < -1e-9 * max(1.0, size):  # rounding has the last word
            continue
        q1 = np.asarray(body.model.integrate(q0, v))
        tolerance = float(10 ** rng.uniform(-6, -2))
        if np.abs(np.asarray(body.model.difference(q0, q1)) - v).max() > 1e-9:
            continue  # a ball by more than half a turn: the edge is another
        outcome = str(way.scene.proves(way.body, q0, q1, tolerance=tolerance).outcome)
        found.outcomes[f"{kind}: {outcome}"] += 1
        if outcome == "free":
            found.failures.append(
                f"seed {seed}, edge {k}, {kind}: free, and touches at {there.tolist()}"
            )


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
