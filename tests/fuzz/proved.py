"""Fuzzer of proved edges: an oracle of its own in C looks for a contact along each.

``python tests/fuzz/proved.py SEED COUNT``: COUNT scenes from SEED, with some hundred edges each; ``--edges N`` of them.

Arms of random turns, slides and balls, wires among them, and the arms and the person of the benchmark of paths, stand among spheres,
capsules, boxes, plates and wires of 10 micrometers, planes, prisms and cylinders, or among nothing but themselves, with pairs that may
overlap. Half of the edges begin where next to nothing is left. An edge that is called free is looked at in steps in which
nothing moves more than 0.5 mm (`proved_oracle.c`: kinematics, distances and interpolation are its own; joints are read off from
where the model's frames go when one coordinate moves). What it finds in contact by more than 1e-9 m is a failure, and so is a place
where its own bound of speed did not hold.
"""

from __future__ import annotations

import argparse
import ctypes as c
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.random import Generator

import handik as hk
from handik.spec import JointSpec, LinkSpec, ModelSpec

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.append(str(Path(__file__).parents[2]))  # the benchmarks

from _native import compiler

Array = np.ndarray
FINE, TOUCHING = 5e-4, 1e-9
FAMILIES = ("plain", "thin", "prism", "balls", "itself", "paths")
KINDS = ("Sphere", "Capsule", "Box", "Plane", "Prism", "Cylinder")


@dataclass
class Found:
    """What was looked at, and what was wrong."""

    count: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


# ---- the oracle ----


class Solid(c.Structure):
    _fields_ = (
        ("kind", c.c_int), ("turn", c.c_double * 9), ("place", c.c_double * 3), ("size", c.c_double * 3),
        ("first", c.c_int), ("corners", c.c_int), ("bound", c.c_double),
    )  # fmt: skip


class Joint(c.Structure):
    _fields_ = (
        ("kind", c.c_int), ("parent", c.c_int), ("q", c.c_int), ("v", c.c_int), ("axis", c.c_double * 3),
        ("point", c.c_double * 3), ("axes", c.c_double * 9), ("scale", c.c_double),
    )  # fmt: skip


class World(c.Structure):
    _fields_ = (("solids", c.c_int), ("solid", c.c_void_p), ("corner", c.c_void_p))


class Body(c.Structure):
    _fields_ = (
        *((name, c.c_int) for name in ("joints", "nq", "capsules", "pairs")),
        *((name, c.c_void_p) for name in ("joint", "on", "pair", "ends", "radius", "allowance")),
    )


class Least(c.Structure):
    _fields_ = (
        ("clearance", c.c_double), ("where", c.c_double), ("one", c.c_int), ("other", c.c_int),
        ("samples", c.c_long), ("looked", c.c_long), ("fast", c.c_long),
    )  # fmt: skip


@cache
def oracle() -> Any:
    """Compile it."""
    with tempfile.TemporaryDirectory() as folder:
        to = Path(folder) / "oracle.so"
        source = Path(__file__).with_name("proved_oracle.c")
        flags = ["-O2", "-std=c11", "-shared", "-fPIC"]
        subprocess.run([*compiler(), *flags, str(source), "-o", str(to), "-lm"], check=True)
        return c.CDLL(str(to))


def at(x: Array) -> c.c_void_p:
    return c.c_void_p(x.ctypes.data)


def screw(moved: Array) -> tuple[bool, Array, Array, float]:
    """Return whether a rigid motion turns, about or along what axis, a point of it, and how far."""
    R, t = moved[:3, :3], moved[:3, 3]
    if np.allclose(R, np.eye(3), atol=1e-12):
        return False, t / np.linalg.norm(t), np.zeros(3), float(np.linalg.norm(t))
    w = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine = float(np.linalg.norm(w)) / 2
    point = np.linalg.lstsq(np.eye(3) - R, t, rcond=None)[0]
    return True, w / (2 * sine), point, float(np.arctan2(sine, (np.trace(R) - 1) / 2))


class Joints:
    """The joints of a model, from where its frames go."""

    def __init__(self, model: hk.Model) -> None:
        self.model, self.names = model, list(model.frame_names)
        self.rest = np.zeros(model.nq)
        slices = sorted(model.joint_q_slices.values(), key=lambda one: one.start)
        for one in slices:
            if one.stop - one.start == 4:
                self.rest[one.start] = 1
        self.frames = np.asarray(model.frames(self.rest))
        found, v = [], 0
        for one in slices:
            width = one.stop - one.start
            if width == 1:
                found.append((*self._single(one.start), one.start, v))
            elif width == 4:
                found.append((*self._ball(one.start), one.start, v))
            v += 3 if width == 4 else width
        found.sort(key=lambda one: -len(one[0]))
        self.row = (Joint * len(found))()
        self.moves = [one[0] for one in found]
        for k, (moves, kind, axis, point, axes, scale, q, place) in enumerate(found):
            above = [j for j in range(k) if moves <= self.moves[j]]
            self.row[k] = Joint(
                kind, above[-1] if above else -1, q, place, tuple(axis), tuple(point),
                tuple(np.ravel(axes)), scale,
            )  # fmt: skip

    def _moved(self, q: Array) -> tuple[frozenset[int], Array]:
        """Return which frames went, and by what motion."""
        went = np.asarray(self.model.frames(q)) @ np.linalg.inv(self.frames)
        moves = frozenset(np.flatnonzero(np.abs(went - np.eye(4)).max(axis=(1, 2)) > 1e-9).tolist())
        return moves, went[min(moves)]

    def _single(self, k: int) -> tuple[Any, ...]:
        q = self.rest.copy()
        q[k] += 0.7
        moves, went = self._moved(q)
        turns, axis, point, amount = screw(went)
        return moves, 0 if turns else 1, axis, point, np.eye(3), amount / 0.7

    def _ball(self, k: int) -> tuple[Any, ...]:
        axes, rows, right = np.zeros((3, 3)), [], []
        for i in range(3):
            q = self.rest.copy()
            q[k : k + 4] = [np.cos(0.35), *(np.sin(0.35) * np.eye(3)[i])]
            moves, went = self._moved(q)
            axes[:, i] = screw(went)[1]
            rows.append(np.eye(3) - went[:3, :3])
            right.append(went[:3, 3])
        point = np.linalg.lstsq(np.concatenate(rows), np.concatenate(right), rcond=None)[0]
        return moves, 2, np.zeros(3), point, axes, 1.0

    def on(self, frame: str) -> int:
        """Return the last joint that moves a frame."""
        k = self.names.index(frame)
        return max((j for j, moves in enumerate(self.moves) if k in moves), default=-1)


class Ground:
    """A figure among obstacles, as the oracle has them."""

    def __init__(self, scene: hk.Scene, figure: hk.Figure) -> None:
        self.figure, self.joints = figure, Joints(figure.model)
        ends = []
        for one in figure.capsules:
            frame = self.joints.frames[self.joints.names.index(one.frame)]
            ends += [
                frame[:3, :3] @ np.asarray(x, float) + frame[:3, 3] for x in (one.start, one.end)
            ]
        pairs = [tuple(map(int, pair)) for pair in figure.pairs]
        self.arrays = (
            np.array([self.joints.on(one.frame) for one in figure.capsules], np.int32),
            np.array(pairs, np.int32).reshape(-1, 2),
            np.array(ends, float),
            np.array([one.radius for one in figure.capsules], float),
            np.array([figure.allowance[pair] for pair in pairs], float),
        )
        self.corners = np.zeros(2)
        rows = [self._solid(one) for one in scene.obstacles()]
        self.rows = (Solid * max(1, len(rows)))(*rows)
        self.world = World(len(rows), c.addressof(self.rows), self.corners.ctypes.data)
        self.body = Body(
            len(self.joints.row), figure.model.nq, len(figure.capsules), len(pairs),
            c.addressof(self.joints.row), *(array.ctypes.data for array in self.arrays),
        )  # fmt: skip

    def _solid(self, one: Any) -> Solid:
        x, kind = one.shape, type(one.shape).__name__
        size, corners, first = [0.0, 0.0, 0.0], 0, len(self.corners) // 2
        if kind == "Sphere":
            size[1] = x.radius
        elif kind in ("Capsule", "Cylinder"):
            size[:2] = [x.length / 2, x.radius]
        elif kind == "Box":
            size = [float(a) / 2 for a in x.size]
        elif kind == "Prism":
            flat = np.asarray(x.polygon, float)
            size[0], corners = x.height, len(flat)
            self.corners = np.concatenate([self.corners, flat.ravel()])
        reach = float(np.sum(size)) + float(np.abs(self.corners[2 * first :]).max(initial=0)) * 2
        T = np.asarray(one.pose, float)
        bound = np.inf if kind == "Plane" else reach
        turn, place = tuple(T[:3, :3].ravel()), tuple(T[:3, 3])
        return Solid(KINDS.index(kind), turn, place, tuple(size), first, corners, bound)

    def off(self) -> float:
        """Return how far the oracle's ends and places along an edge are from the model's."""
        model, worst = self.figure.model, 0.0
        q = np.asarray(model.sample(8, seed=3))
        v = np.random.default_rng(0).normal(size=(8, model.nv))
        ends, between = np.empty((len(self.figure.capsules), 2, 3)), np.empty(model.nq)
        for a, way in zip(q, v, strict=True):
            oracle().proved_between(
                c.byref(self.body), at(np.ascontiguousarray(a)), at(np.ascontiguousarray(way)),
                c.c_double(0.37), at(between),
            )  # fmt: skip
            oracle().proved_ends(c.byref(self.body), at(between), at(ends))
            frames = np.asarray(model.frames(model.integrate(a, 0.37 * way)))
            for k, one in enumerate(self.figure.capsules):
                T = frames[self.joints.names.index(one.frame)]
                own = np.stack([one.start, one.end]) @ T[:3, :3].T + T[:3, 3]
                worst = max(worst, float(np.abs(own - ends[k]).max()))
        return worst

    def least(self, q0: Array, v: Array) -> Least:
        """Return the least clearance along an edge."""
        out = Least()
        a, way = np.ascontiguousarray(q0), np.ascontiguousarray(v)
        fine = c.c_double(FINE)
        if not oracle().proved_edge(
            c.byref(self.world), c.byref(self.body), at(a), at(way), fine, c.byref(out)
        ):
            raise MemoryError
        return out


# ---- what is drawn ----


def turned(rng: Generator) -> Array:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.diag(r))
    return np.asarray(q * np.linalg.det(q))


def arm(rng: Generator, balls: bool) -> hk.Figure:
    """Draw a chain with a capsule a link, wires and points among them."""
    links, joints, parts = [LinkSpec("world")], [], []
    way = np.zeros(3)
    for k in range(int(rng.integers(2, 8))):
        place = np.eye(4)
        place[:3, :3] = turned(rng) if rng.random() < 0.4 else np.eye(3)
        place[:3, 3] = way
        axis = rng.normal(size=3) if rng.random() < 0.5 else np.eye(3)[rng.integers(3)]
        more: dict[str, Any] = {"lower": -3.0, "upper": 3.0}
        kind = "revolute"
        if rng.random() < 0.15:
            kind, more = "prismatic", {"lower": -0.4, "upper": 0.4}
        elif balls and rng.random() < 0.4:
            other = np.cross(axis, rng.normal(size=3))
            kind, more = "ball", {"axis2": tuple((other / np.linalg.norm(other)).tolist())}
        links.append(LinkSpec(f"l{k}"))
        joints.append(
            JointSpec(
                f"j{k}", kind, links[-2].name, f"l{k}", place, tuple(map(float, axis)), **more
            )
        )
        way = rng.normal(size=3) * rng.uniform(0.05, 0.25)
        radius = float(rng.choice([0.0, 0.001, 0.03, 0.05, 0.08]))
        end = (float(way[0]), float(way[1]), float(way[2]))
        parts.append(hk.Capsule(f"l{k}", (0.0, 0.0, 0.0), end, radius))
    pairs = [(a, b) for b in range(len(parts)) for a in range(b - 1)]
    give = {pair: float(rng.uniform(0, 0.02)) for pair in pairs if rng.random() < 0.2}
    return hk.Figure(hk.Model(ModelSpec("arm", links, joints)), parts, pairs, allowance=give)


def solid(rng: Generator, family: str) -> Any:
    """Draw an obstacle."""
    make, k = hk.scene, int(rng.integers(3))
    if family == "thin":
        if k == 0:
            wide = rng.uniform(0.1, 1.5, 2).tolist()
            return make.Box([*wide, float(10 ** rng.uniform(-5, -2.5))])
        if k == 1:
            return make.Capsule(float(rng.uniform(0.2, 2)), float(10 ** rng.uniform(-5, -2)))
        return make.Box([*(10 ** rng.uniform(-5, -2, 2)).tolist(), float(rng.uniform(0.2, 2))])
    if family == "prism":
        if k == 0:
            return make.Cylinder(float(rng.uniform(0.05, 0.6)), float(rng.uniform(0.02, 0.3)))
        if k == 1:
            return make.Plane()
        n = int(rng.integers(3, 10))
        round_ = 2 * np.pi * (np.arange(n) + rng.uniform(-0.3, 0.3, n)) / n
        far = np.full(n, rng.uniform(0.1, 0.4)) if rng.random() < 0.5 else rng.uniform(0.1, 0.5, n)
        corners = [
            (float(r * np.cos(a)), float(r * np.sin(a))) for r, a in zip(far, round_, strict=True)
        ]
        return make.Prism(corners, float(10 ** rng.uniform(-3, 0)))
    size = rng.uniform(0.03, 0.5, 3).tolist()
    if k == 0:
        return make.Sphere(size[0] / 2)
    return make.Capsule(size[0] * 2, size[1] / 3) if k == 1 else make.Box(size)


def around(rng: Generator, figure: hk.Figure, family: str) -> hk.Scene:
    """Draw obstacles that a posture of the figure touches none of."""
    scene, q = hk.Scene(), figure.model.sample(1, seed=int(rng.integers(1 << 20)))[0]
    alone = hk.Figure(figure.model, figure.capsules, pairs=[])
    for k in range(int(rng.integers(3, 16))):
        shape = solid(rng, family if rng.random() < 0.8 else "plain")
        pose = np.eye(4)
        if rng.random() < 0.7:
            pose[:3, :3] = turned(rng)
        pose[:3, 3] = rng.normal(size=3) * 0.6
        if isinstance(shape, hk.scene.Plane):
            pose[:3, 3] = -pose[:3, 2] * rng.uniform(0.2, 1.5)
        more = scene.add(f"thing_{k}", shape, pose)
        scene = more if float(more.distance(alone, q, 0.1)) > 0 else scene
    return scene


@cache
def settings() -> list[Any]:
    """Return the scenes that paths are measured in; none where the benchmark is not there."""
    try:
        from benchmarks import _path_scenes
    except ImportError:
        return []
    return list(_path_scenes.settings().values())


def drawn(rng: Generator, family: str, seed: int) -> tuple[hk.Scene, hk.Figure]:
    """Draw a scene and who is in it."""
    if family == "paths" and settings():
        one = settings()[seed // len(FAMILIES) % len(settings())]
        return one.scene, one.figure
    figure = arm(rng, family == "balls")
    return (hk.Scene() if family == "itself" else around(rng, figure, family)), figure


def edges(rng: Generator, scene: hk.Scene, figure: hk.Figure, n: int) -> tuple[Array, Array]:
    """Draw n edges of all lengths from free postures, half of these nearly in contact."""
    model = figure.model
    q = np.asarray(model.sample(6 * n, seed=int(rng.integers(1 << 30))))
    q = q[scene.free(figure, q)][:n]
    if not len(q):
        return q, np.empty((0, model.nv))
    a = q[rng.integers(len(q), size=n)]
    v = rng.normal(size=(n, model.nv)) * 10 ** rng.uniform(-3, 0.4, (n, 1))
    hit = ~scene.free(figure, model.integrate(a, 3 * v)) & (rng.random(n) < 0.5)
    low, high, from_, way = np.zeros(hit.sum()), np.ones(hit.sum()), a[hit], 3 * v[hit]
    for _ in range(34 if hit.any() else 0):
        middle = (low + high) / 2
        free = scene.free(figure, model.integrate(from_, middle[:, None] * way))
        low, high = np.where(free, middle, low), np.where(free, high, middle)
    low *= 1 - 10 ** rng.uniform(-9, -1, len(low))
    if hit.any():
        a[hit] = model.integrate(from_, low[:, None] * way)
        v[hit] = rng.normal(size=way.shape) * 10 ** rng.uniform(-4, -0.3, (len(way), 1))
    return a, v


def check(seed: int, found: Found, n: int = 300) -> None:
    """Draw a scene, have its edges proved, and look at what is called free."""
    rng, family = np.random.default_rng([seed, 77]), FAMILIES[seed % len(FAMILIES)]
    scene, figure = drawn(rng, family, seed)
    a, v = edges(rng, scene, figure, n)
    if not len(a):
        found.count["no room"] += 1
        return
    ground = Ground(scene, figure)
    if not ground.off() < 1e-9:
        found.failures.append(f"seed {seed}: the oracle's kinematics are {ground.off()} off")
        return
    model = figure.model
    b = model.integrate(a, v)
    told = scene.proves(figure, a, b)
    v = np.asarray(model.difference(a, b))
    found.count.update(map(str, told.outcome))
    for k in np.flatnonzero(told.outcome == "free"):
        least = ground.least(a[k], v[k])
        found.count[f"free: {family}"] += 1
        found.count["within 1 mm"] += least.clearance < 1e-3
        found.count["samples"] += least.samples
        found.count["looked at"] += least.looked
        if least.clearance <= -TOUCHING:
            found.failures.append(
                f"seed {seed} ({family}), edge {k}: {least.clearance} at {least.where} of the way, "
                f"capsule {least.one} and {least.other}"
            )
        if least.fast:
            found.failures.append(f"seed {seed}, edge {k}: faster than the oracle's bound")


def some(first: int, count: int, n: int = 300) -> Found:
    """Check scenes first, first + 1, .."""
    found = Found()
    for seed in range(first, first + count):
        check(seed, found, n)
    return found


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seed", type=int)
    parser.add_argument("count", type=int)
    parser.add_argument("--edges", type=int, default=300, help="of each scene")
    given = parser.parse_args()
    found = some(given.seed, given.count, given.edges)
    print(dict(sorted(found.count.items())))
    print("\n".join(found.failures) or "nothing wrong")
    return bool(found.failures)


if __name__ == "__main__":
    sys.exit(main())
