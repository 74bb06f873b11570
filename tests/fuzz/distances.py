"""Fuzzer of distances and edges: random pairs in degenerate families, random figures among obstacles.

``python tests/fuzz/distances.py pairs SEED COUNT``: COUNT blocks of pairs from SEED, all families in turn;
``... figures SEED COUNT``: whole figures; ``... edges SEED COUNT``: proved edges, sampled at 0.5 mm.
``--keep FILE`` writes what was found after each block, and the same call goes on from there.

The judge of pairs is coal. Where the two differ, a search along the axis in longer floats decides what
is apart, and the hull of the sum of solid and axis (scipy) what is in contact: coal is itself off by up to
1e-7 near right angles. Figures are compared pair by pair with coal at the frames that the model gives.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import coal
import figures as drawn
import numpy as np
from numpy.random import Generator
from scipy.spatial import ConvexHull

import handik as hk

sys.path.insert(0, str(Path(__file__).parents[1]))

from _solids import outside

Array = np.ndarray

BODY = hk.Model(
    hk.ModelSpec(
        "body",
        [hk.LinkSpec("world"), hk.LinkSpec("body")],
        [hk.JointSpec("free", "free", "world", "body")],
    )
)
#: Differences that are allowed, of one meter of size or place.
SAME = 1e-11


@dataclass
class Found:
    """What was compared, and what was wrong."""

    count: Counter[str] = field(default_factory=Counter)
    worst: dict[str, float] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def far(self, family: str, value: float) -> None:
        """Keep the greatest difference of a family."""
        self.worst[family] = max(self.worst.get(family, 0.0), value)


# ---- pairs ----


@dataclass
class Case:
    """A shape, a capsule, and postures of the capsule in the shape's frame; `size`: of all lengths."""

    shape: Any
    length: float
    radius: float
    q: Array
    size: float
    axis: tuple[Any, Any] | None = None  # middles and directions, where q does not give them


def turned(rng: Generator, n: int) -> Array:
    q = rng.normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1)[:, None]


def square(rng: Generator, n: int, off: float = 0.0) -> Array:
    """Right angles, and a little off."""
    half = np.sqrt(0.5)
    right = np.array(
        [[1, 0, 0, 0], [half, half, 0, 0], [half, 0, half, 0], [half, 0, 0, -half], [0, 1, 0, 0],
         [0.5, 0.5, 0.5, 0.5], [np.cos(np.pi / 8), 0, np.sin(np.pi / 8), 0]]
    )  # fmt: skip
    q = right[rng.integers(len(right), size=n)]
    if off:
        q = q + rng.normal(size=(n, 4)) * off ** rng.uniform(0.4, 1.2, (n, 1))
    return q / np.linalg.norm(q, axis=1)[:, None]


def ring(rng: Generator, corners: int) -> list[tuple[float, float]]:
    """A convex polygon; sometimes flat, sometimes with corners on a line."""
    angle = np.sort(rng.uniform(0, 2 * np.pi, corners))
    while corners > 2 and (
        np.diff(angle).min() < 0.1 or np.diff([*angle, angle[0] + 2 * np.pi]).max() > 3
    ):
        angle = np.sort(rng.uniform(0, 2 * np.pi, corners))
    flat = 10.0 ** rng.uniform(-3, 0) if rng.random() < 0.3 else 1.0
    points = [(float(np.cos(a)), float(flat * np.sin(a))) for a in angle]
    if rng.random() < 0.3:
        (x, y), (u, v) = points[0], points[1]
        points.insert(1, ((x + u) / 2, (y + v) / 2))
    return points


def solid(rng: Generator, kind: str, size: float) -> Any:
    """A shape about as large as `size`, flat or thin now and then."""
    thin = float(10.0 ** rng.uniform(-4, 0)) if rng.random() < 0.5 else 1.0
    a, b, c = (float(x) for x in rng.uniform(0.1, 1, 3))
    if kind == "sphere":
        return hk.scene.Sphere(size * thin * a)
    if kind == "capsule":
        return hk.scene.Capsule(size * a * float(rng.random() < 0.85), size * thin * b / 3)
    if kind == "box":
        edges = [a, b * thin, c * (thin if rng.random() < 0.3 else 1.0)]
        return hk.scene.Box([size * edges[k] for k in rng.permutation(3)])
    if kind == "plane":
        return hk.scene.Plane()
    points = [(size * x, size * y) for x, y in ring(rng, int(rng.integers(3, 12)))]
    return hk.scene.Prism(points, size * thin * a)


def touching(rng: Generator, case: Case, gaps: Array) -> None:
    """Move along the normal until what is apart is apart by just so much."""
    scene, figure = hk.Scene().add("it", case.shape), part(case)
    for _ in range(2):
        near = scene.distance(figure, case.q, details=True)
        case.q[:, :3] += near.normal * (gaps - near.distance)[:, None]


def place(rng: Generator, arrangement: str, case: Case, n: int) -> None:
    """Set the postures of a case."""
    size = case.size
    spot = rng.uniform(-1, 1, (n, 3)) * size
    turn = turned(rng, n)
    if arrangement == "deep":
        spot *= 0.1
    elif arrangement == "nested":
        spot *= 0.0
    elif arrangement == "lattice":
        spot, turn = rng.integers(-4, 5, (n, 3)) * (size / 4), square(rng, n)
    elif arrangement == "lattice nearly":
        spot, turn = rng.integers(-4, 5, (n, 3)) * (size / 4), square(rng, n, 1e-8)
    elif arrangement == "square":
        turn = square(rng, n)
    elif arrangement == "coincident":
        turn = square(rng, n)
        spot = spot * (rng.random((n, 3)) < 0.3)
    elif arrangement == "far":
        spot = turned(rng, n)[:, :3] * size * 10.0 ** rng.uniform(0, 4, (n, 1))
    case.q = np.concatenate([spot, turn], axis=1)
    if arrangement == "touching":
        touching(rng, case, np.zeros(n))
    elif arrangement == "just apart":
        touching(rng, case, size * 10.0 ** rng.uniform(-12, -2, n) * rng.choice([-1, 1], n))


KINDS = ("sphere", "capsule", "box", "plane", "prism")
BARS = {"part": (0.6, 0.1), "ball": (0.0, 0.2), "wire": (0.8, 0.0), "point": (0.0, 0.0)}
ARRANGEMENTS = (
    "anyhow", "deep", "nested", "lattice", "lattice nearly", "square", "coincident", "far",
    "touching", "just apart",
)  # fmt: skip
#: 200 families.
FAMILIES = [(k, b, a) for a in ARRANGEMENTS for k in KINDS for b in BARS]
SIZES = (1.0, 1.0, 1e-9, 1e-4, 1e3, 1e6)


def draw(seed: int, n: int, size: float | None = None) -> tuple[str, Case]:
    """Return block `seed` of pairs and its family."""
    rng = np.random.default_rng(seed)
    kind, bar, arrangement = FAMILIES[seed % len(FAMILIES)]
    size = float(drawn.some(rng, *SIZES)) if size is None else size
    own = float(rng.uniform(0.3, 1.0)) * size
    case = Case(
        solid(rng, kind, min(size, 9e5)), BARS[bar][0] * own, BARS[bar][1] * own, np.empty(0), size
    )
    place(rng, arrangement, case, n)
    return f"{kind} {bar} {arrangement}", case


def part(case: Case) -> hk.Figure:
    ends = (0.0, 0.0, -case.length / 2), (0.0, 0.0, case.length / 2)
    return hk.Figure(BODY, [hk.Capsule("body", *ends, case.radius)])


def their_shape(shape: Any) -> Any:
    """Return coal's shape in the frame of ours."""
    if isinstance(shape, hk.scene.Sphere):
        return coal.Sphere(shape.radius)
    if isinstance(shape, hk.scene.Capsule):
        return (
            coal.Capsule(shape.radius, shape.length) if shape.length else coal.Sphere(shape.radius)
        )
    if isinstance(shape, hk.scene.Box):
        return coal.Box(*shape.size)
    if isinstance(shape, hk.scene.Plane):
        return coal.Halfspace(np.array([0.0, 0.0, 1.0]), 0.0)
    points = coal.StdVec_Vec3s()
    for z in (0.0, shape.height):
        for x, y in shape.polygon:
            points.append(np.array([x, y, z]))
    return coal.Convex.convexHull(points, True, "Qt")


def request() -> Any:
    out = coal.DistanceRequest()
    out.enable_signed_distance = True
    out.gjk_tolerance = out.epa_tolerance = 1e-15
    out.gjk_max_iterations = out.epa_max_iterations = 1000
    return out


ASKED = request()


def by_coal(one: Any, here: Any, other: Any, there: Any) -> float:
    return float(coal.distance(one, here, other, there, ASKED, coal.DistanceResult()))


def own_shape(length: float, radius: float) -> Any:
    return coal.Capsule(radius, length) if length else coal.Sphere(radius)


def judged(case: Case) -> Array:
    """Return coal's signed distances, of lengths of about one; NaN where it fails."""
    unit = case.size
    one = own_shape(case.length / unit, case.radius / unit)
    try:
        other = their_shape(case.shape.scaled(1 / unit)) if unit != 1 else their_shape(case.shape)
    except Exception:
        return np.full(len(case.q), np.nan)
    poses = BODY.frames(case.q)[:, BODY.frame_names.index("body")]
    still = coal.Transform3s.Identity()
    out = [by_coal(one, coal.Transform3s(T[:3, :3], T[:3, 3] / unit), other, still) for T in poses]
    with np.errstate(over="ignore"):
        return np.array(out) * unit


def axis_of(case: Case, rows: Array) -> tuple[Any, Any]:
    """Return the middles of the axes and their directions, in longer floats."""
    if case.axis is not None:
        return case.axis[0][rows], case.axis[1][rows]
    q = case.q[rows].astype(np.longdouble)
    w, x, y, z = (q[:, 3:] / np.sqrt((q[:, 3:] ** 2).sum(1))[:, None]).T
    way = np.stack([2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)], 1)
    return q[:, :3], way


def searched(case: Case, rows: Array) -> Any:
    """Return the least distance along the axis: it is convex there, so thirds close in on it."""
    middle, way = axis_of(case, rows)
    low = -np.full(len(rows), case.length, np.longdouble) / 2
    high, ends = -low, -low

    def far(s: Any) -> Any:
        return outside(case.shape, middle + s[:, None] * way)

    for _ in range(170):
        a, b = low + (high - low) / 3, high - (high - low) / 3
        left = far(a) <= far(b)
        low, high = np.where(left, low, a), np.where(left, b, high)
    best = np.minimum(np.minimum(far(low), far(high)), np.minimum(far(-ends), far(ends)))
    return best - np.longdouble(case.radius)


def corners(shape: Any) -> Array:
    if isinstance(shape, hk.scene.Box):
        half = np.array(shape.size) / 2
        return np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * half
    return np.array([[x, y, z] for z in (0.0, shape.height) for x, y in shape.polygon])


def depths(case: Case, rows: Array) -> Array:
    """Return the signed distances of axes in contact with a solid, by the hull of their sum."""
    out, points = [], corners(case.shape) / case.size
    for middle, way in zip(*axis_of(case, rows), strict=True):
        half = np.asarray(way * case.length / 2 / case.size, float)
        both = np.concatenate([points + half, points - half]) if case.length else points
        hull = ConvexHull(both, qhull_options="Qt Pp")
        reach = hull.equations @ np.append(np.asarray(middle / case.size, float), 1.0)
        out.append(float(reach.max()) * case.size - case.radius)
    return np.array(out)


def truth(case: Case, rows: Array) -> Array:
    """Return the signed distances of some rows by search and hull; NaN where neither tells."""
    out = np.asarray(searched(case, rows), float)
    if isinstance(case.shape, (hk.scene.Box, hk.scene.Prism)):
        inside = out <= -case.radius + 1e-15 * case.size
        thick = corners(case.shape)
        if inside.any():
            try:
                out[inside] = depths(case, rows[inside])
            except Exception:
                if np.linalg.matrix_rank(thick - thick[0], 1e-12 * case.size) == 3:
                    out[inside] = np.nan  # else flat, and an axis in its plane: 0 is right
    return out


def check_pairs(seed: int, found: Found, n: int = 1000, size: float | None = None) -> None:
    family, case = draw(seed, n, size)
    what, unit = f"block {seed}, {family}, size {case.size:g}", case.size
    far = np.maximum(unit, np.abs(case.q[:, :3]).max(1))
    scene, figure = hk.Scene().add("it", case.shape), part(case)
    near = scene.distance(figure, case.q, details=True)
    free, theirs = scene.free(figure, case.q), judged(case)
    off = np.abs(near.distance - theirs) / far
    doubt = np.flatnonzero(~(off < SAME))
    found.count["pairs"] += n
    if len(doubt):
        found.count["asked again"] += len(doubt)
        off[doubt] = np.abs(near.distance[doubt] - truth(case, doubt)) / far[doubt]
        found.count["untold"] += int(np.isnan(off).sum())
    found.far(family, float(np.nanmax(off)))
    for k in np.flatnonzero(off >= SAME)[:3]:
        found.failures.append(
            f"{what}, row {k}: {near.distance[k]!r}, coal {theirs[k]!r}, off {off[k]:.2g}: "
            f"{case.shape!r} {case.length!r} {case.radius!r} {case.q[k].tolist()!r}"
        )
    wrong = np.flatnonzero(free != (near.distance > 0))
    if len(wrong):
        found.failures.append(
            f"{what}, row {wrong[0]}: free {free[wrong[0]]} at {near.distance[wrong[0]]}"
        )
    check_points(what, case, near, far, found)


def check_points(what: str, case: Case, near: Any, far: Array, found: Found) -> None:
    """The normal is of length one and leads from one point to the other, by as much as is said."""
    off = near.points[:, 0] - near.points[:, 1] - near.distance[:, None] * near.normal
    if not (np.abs(off).max(1) <= 1e-14 * far + 1e-14 * np.abs(near.points).max((1, 2))).all():
        found.failures.append(f"{what}: points {np.abs(off).max()} apart from the normal")
    length = np.abs(np.linalg.norm(near.normal, axis=1) - 1)
    if not (length < 1e-12).all():
        found.failures.append(
            f"{what}, row {np.argmax(length)}: a normal of length {1 + length.max()}"
        )
    middle, way = (np.asarray(x, float) for x in axis_of(case, np.arange(len(case.q))))
    own = near.points[:, 0] - middle
    along = np.clip((own * way).sum(1), -case.length / 2, case.length / 2)
    gap = np.linalg.norm(own - along[:, None] * way, axis=1)
    if not (gap <= case.radius + 1e-11 * far).all():
        found.failures.append(
            f"{what}, row {np.argmax(gap)}: its point is {gap.max()} from the axis"
        )


# ---- figures ----


def clutter(rng: Generator, size: float, count: int, offset: Array) -> hk.Scene:
    scene = hk.Scene()
    for k in range(count):
        kind = str(drawn.some(rng, *KINDS)) if k else "plane"
        pose = np.eye(4)
        pose[:3, :3] = drawn.rotation(rng)
        pose[:3, 3] = rng.normal(size=3) * size + offset
        if kind == "plane":
            pose[:3, 3] = offset - pose[:3, 2] * size * rng.uniform(0.5, 2)
        scene = scene.add(f"thing {k}", solid(rng, kind, size * rng.uniform(0.05, 1)), pose)
    return scene


def bones(rng: Generator, model: hk.Model, size: float) -> list[hk.Capsule]:
    names = list(model.frame_names)
    out = []
    for _ in range(int(rng.integers(1, 9))):
        ends = rng.normal(size=(2, 3)) * size * 0.4
        if rng.random() < 0.2:
            ends[1] = ends[0]
        radius = float(size * rng.uniform(0.01, 0.2) * (rng.random() < 0.9))
        out.append(
            hk.Capsule(
                str(drawn.some(rng, *names)),
                tuple(ends[0].tolist()),
                tuple(ends[1].tolist()),
                radius,
            )
        )
    return out


def stage(seed: int) -> tuple[Generator, hk.Scene, hk.Figure, float]:
    """A random figure, all of whose capsules on two bodies are compared, and a scene about it."""
    rng = np.random.default_rng(seed)
    model = drawn.figure(rng)
    size = float(np.median(np.linalg.norm(model.step_placement[:, 9:], axis=1))) or 1.0
    size = min(max(size, 1e-3), 100.0)
    capsules = bones(rng, model, size)
    steps = [int(model.frame_step[model.frame_names.index(c.frame)]) for c in capsules]
    pairs = [(a, b) for b in range(len(steps)) for a in range(b) if steps[a] != steps[b]]
    offset = np.zeros(3)
    scene = clutter(rng, size * 3, int(rng.integers(0, 20)), offset) if seed % 9 else hk.Scene()
    gives = {pair: float(size * rng.uniform(0, 0.2)) for pair in pairs if rng.random() < 0.4}
    return rng, scene, hk.Figure(model, capsules, pairs, allowance=gives), size


@dataclass
class Bodies:
    """The compared pairs of a posture: what coal takes, and what the search takes."""

    scene: hk.Scene
    figure: hk.Figure
    frames: Array

    def ends(self, k: int) -> tuple[Array, Array]:
        """Return the ends of a capsule's axis in the world."""
        c = self.figure.capsules[k]
        T = self.frames[self.figure.model.frame_names.index(c.frame)]
        return T[:3, :3] @ np.array(c.start) + T[:3, 3], T[:3, :3] @ np.array(c.end) + T[:3, 3]

    def pose(self, k: int) -> tuple[Array, float]:
        """Return a capsule's pose, its axis along z, and how long it is."""
        a, b = self.ends(k)
        pose = np.eye(4)
        pose[:3, 3] = (a + b) / 2
        length = float(np.linalg.norm(b - a))
        if length:
            z = (b - a) / length
            x = np.cross(z, np.eye(3)[np.argmin(abs(z))])
            x /= np.linalg.norm(x)
            pose[:3, :3] = np.stack([x, np.cross(z, x), z], 1)
        return pose, length

    def pairs(self) -> list[tuple[int, Any, Array]]:
        """Return capsule, other shape and its pose of each pair."""
        own = range(len(self.figure.capsules))
        out = [(k, o.shape, o.pose) for k in own for o in self.scene.obstacles()]
        for a, b in self.figure.pairs:
            pose, length = self.pose(b)
            out.append((a, hk.scene.Capsule(length, self.figure.capsules[b].radius), pose))
        return out

    def given(self) -> Array:
        """Return what each pair may overlap: obstacles nothing."""
        count = len(self.figure.capsules) * len(self.scene.obstacles())
        return np.array([0.0] * count + [self.figure.allowance[pair] for pair in self.figure.pairs])

    def by_coal(self) -> Array:
        """Return the signed distance of each pair, with what it may overlap."""
        out = []
        for k, shape, there in self.pairs():
            here, length = self.pose(k)
            one = own_shape(length, self.figure.capsules[k].radius)
            stand = (coal.Transform3s(T[:3, :3], T[:3, 3]) for T in (here, there))
            out.append(by_coal(one, next(stand), their_shape(shape), next(stand)))
        return np.array(out) + self.given()

    def by_search(self) -> Array:
        """Return the same, by search and hull."""
        out = []
        for k, shape, there in self.pairs():
            a, b = (there[:3, :3].T @ (x - there[:3, 3]) for x in self.ends(k))
            length = float(np.linalg.norm(b - a))
            way = (b - a) / (length or 1.0)
            axis = (np.array([(a + b) / 2], np.longdouble), np.array([way], np.longdouble))
            case = Case(shape, length, self.figure.capsules[k].radius, np.empty(0), 1.0, axis)
            out.append(float(truth(case, np.zeros(1, int))[0]))
        return np.array(out) + self.given()


def check_figure(seed: int, found: Found, rows: int = 6) -> None:
    """Least distance, cutoff, free, single and batch, against coal's pairs."""
    rng, scene, figure, size = stage(seed)
    q = figure.model.sample(40, seed=seed)
    what = f"figure {seed}"
    near = scene.distance(figure, q, details=True)
    free = scene.free(figure, q)
    found.count["figures"] += 1
    found.count["free postures"] += int(free.sum())
    for k in rng.permutation(len(q))[:rows]:
        bodies = Bodies(scene, figure, figure.model.frames(q[k]))
        ours, least = float(near.distance[k]), float(bodies.by_coal().min(initial=np.inf))
        far = 1 + size + float(np.abs(bodies.frames[:, :3, 3]).max())
        found.count["postures"] += 1
        if ours != least and not abs(ours - least) < SAME * far:
            found.count["asked again"] += 1
            least = float(bodies.by_search().min(initial=np.inf))
        found.far("figures", 0.0 if ours == least else abs(ours - least) / far)
        if ours != least and not abs(ours - least) < SAME * far:
            found.failures.append(f"{what}, {k}: {ours!r}, the judge {least!r}")
        if free[k] and least < -SAME * far:
            found.failures.append(f"{what}, {k}: free, where the judge has contact")
    if not (free == (near.distance > 0)).all():
        found.failures.append(f"{what}: free and distance differ")
    alone = np.array([scene.distance(figure, row) for row in q[:5]])
    if alone.tobytes() != near.distance[:5].tobytes():
        found.failures.append(f"{what}: single and batch differ")
    cut = float(size * rng.uniform(0, 1))
    if not np.array_equal(scene.distance(figure, q, cut), np.minimum(near.distance, cut)):
        found.failures.append(f"{what}: cut off at {cut} it differs")


# ---- edges ----


def longest_way(figure: hk.Figure, q0: Array, v: Array, steps: int = 48) -> float:
    """Return about how far an end of a capsule goes along an edge."""
    model = figure.model
    t = np.linspace(0, 1, steps)[:, None]
    frames = model.frames(model.integrate(np.broadcast_to(q0, (steps, model.nq)), t * v))
    far = 0.0
    for c in figure.capsules:
        T = frames[:, model.frame_names.index(c.frame), :3]
        for end in (c.start, c.end):
            x = T @ np.array([*end, 1.0])
            far = max(far, float(np.linalg.norm(np.diff(x, axis=0), axis=1).sum()))
    return far


def check_edges(
    seed: int, found: Found, edges: int = 40, fine: float = 5e-4, most: int = 20000
) -> None:
    """Prove random edges and sample those that are free."""
    rng, scene, figure, _ = stage(seed)
    model, what = figure.model, f"edges {seed}"
    start = model.sample(10 * edges, seed=seed)
    start = start[scene.free(figure, start)][:edges]
    if not len(start):
        return
    kind = rng.integers(4, size=len(start))
    way = rng.normal(size=(len(start), model.nv)) * np.array([0.01, 0.1, 1.0, 3.0])[kind][:, None]
    end = model.integrate(start, way)
    proof = scene.proves(figure, start, end)
    v = model.difference(start, end)
    for k in range(len(start)):
        word = str(proof.outcome[k])
        found.count[word] += 1
        if word == "collides" and scene.free(figure, proof.witness[k]):
            found.failures.append(f"{what}, {k}: the witness is free")
        if word != "free":
            continue
        n = min(int(longest_way(figure, start[k], v[k]) / fine) + 2, most)
        q = model.integrate(
            np.broadcast_to(start[k], (n, model.nq)), np.linspace(0, 1, n)[:, None] * v[k]
        )
        free = scene.free(figure, q)
        found.count["samples"] += n
        if not free.all():
            found.failures.append(
                f"{what}, {k}: proved, but {np.argmin(free)} of {n} is in contact"
            )
        elif k % 8 == 0:
            some = q[rng.integers(n, size=2)]
            for frames in model.frames(some):
                bodies = Bodies(scene, figure, frames)
                if bodies.by_coal().min(initial=np.inf) <= 0 and bodies.by_search().min() <= 0:
                    found.failures.append(f"{what}, {k}: proved, and the judges have contact")


CHECKS: dict[str, Callable[[int, Found], None]] = {
    "pairs": check_pairs,
    "figures": check_figure,
    "edges": check_edges,
}


def run(kind: str, first: int, count: int, keep: Path | None = None, edges: int = 40) -> Found:
    """Check blocks; what an earlier call kept is not done again."""
    found, begin, said = Found(), first, {"kind": kind, "first": first, "edges": edges}
    work = partial(check_edges, edges=edges) if kind == "edges" else CHECKS[kind]
    if keep is not None and keep.exists():
        kept = json.loads(keep.read_text())
        assert {key: kept[key] for key in said} == said, f"{keep} is of another call"
        found = Found(Counter(kept["count"]), kept["worst"], kept["failures"])
        begin = kept["next"]
    for seed in range(begin, first + count):
        work(seed, found)
        if keep is not None:
            part = keep.with_suffix(".part")
            part.write_text(json.dumps(said | {"next": seed + 1} | vars(found)))
            part.replace(keep)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=list(CHECKS))
    parser.add_argument("first", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--keep", type=Path, metavar="FILE")
    parser.add_argument("--edges", type=int, default=40, metavar="N")
    given = parser.parse_args()
    begin = time.perf_counter()
    found = run(given.kind, given.first, given.count, given.keep, given.edges)
    print(dict(found.count), f"{time.perf_counter() - begin:.0f} s")
    for family, value in sorted(found.worst.items(), key=lambda item: -item[1])[:8]:
        print(f"  {family}: {value:.2g}")
    print("\n".join(found.failures[:40]) or "nothing found")
    return bool(found.failures)


if __name__ == "__main__":
    sys.exit(main())
