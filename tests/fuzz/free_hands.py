"""Fuzzer of proofs of "no" among obstacles: free postures, with obstacles put as near to the body as can be.

``python tests/fuzz/free_hands.py 1000 20``: 20 figures from seed 1000, 50 postures each.

A posture is drawn, and obstacles are put next to its capsules with 0 to 1 mm between them: slabs, boxes, balls, walls with an
opening that the hand fits in, boxes that it lies in. Gaps are those of NumPy (support points of a capsule, clamped points), not
the core's. The hand's place in that posture, or one within the tolerance of it, can never be a "no": the posture shows it.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

import handik as hk
from handik.scene.access._enclosed import enclosed
from handik.scene.access._inside import inside
from handik.scene.access._verdict import Asked
from handik.scene.check import as_figure
from handik.study.twins.hand import gaps

Array = np.ndarray
HERE = (1.0, 0.0, 0.0, 0.0)


@dataclass
class Found:
    """What was asked, and what was wrong."""

    count: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def rotation(rng: np.random.Generator) -> Array:
    """Return a random rotation."""
    turn, upper = np.linalg.qr(rng.normal(size=(3, 3)))
    turn = turn * np.sign(np.diag(upper))
    return turn if np.linalg.det(turn) > 0 else turn[:, [1, 0, 2]]


def posed(turn: Array, at: Array) -> Array:
    """Return a homogeneous matrix."""
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = turn, at
    return out


def ends_of(figure: hk.Figure, q: Array) -> tuple[Array, Array]:
    """Return the ends (capsules, 2, 3) of the capsules of a posture, and the radii."""
    out = []
    for one in figure.capsules:
        pose = figure.model.fk(q, frame=one.frame)
        out.append(
            [pose[:3, :3] @ np.asarray(end, float) + pose[:3, 3] for end in (one.start, one.end)]
        )
    return np.array(out), np.array([one.radius for one in figure.capsules])


def least_gap(scene: hk.Scene, ends: Array, radii: Array) -> float:
    """Return the least gap between capsules and obstacles: convex along an axis, by thirds."""
    least = inf
    for one in scene.obstacles():
        low, high = np.zeros(len(ends)), np.ones(len(ends))
        for _ in range(60):
            a, b = low + (high - low) / 3, high - (high - low) / 3
            at = [ends[:, 0] + s[:, None] * (ends[:, 1] - ends[:, 0]) for s in (a, b)]
            left = gaps(one.shape, one.pose, at[0]) < gaps(one.shape, one.pose, at[1])
            low, high = np.where(left, low, a), np.where(left, b, high)
        at = ends[:, 0] + low[:, None] * (ends[:, 1] - ends[:, 0])
        least = min(least, float((gaps(one.shape, one.pose, at) - radii).min()))
    return least


def _room(rng: np.random.Generator, ends: Array, radii: Array, hand: Array) -> hk.Scene:
    """Return obstacles that a posture just does not touch: about its hand, or about all of it."""
    some = hand if rng.random() < 0.7 else np.arange(len(radii))
    axes = rotation(rng)
    if rng.random() < 0.4:  # along the hand, as fingers go into a slot
        way = ends[hand[0], 1] - ends[hand[0], 0]
        if np.linalg.norm(way) > 1e-6:
            axes[:, 0] = way
            axes, upper = np.linalg.qr(axes)
            axes = axes * np.sign(np.diag(upper))
            axes[:, 2] = np.cross(axes[:, 0], axes[:, 1])
    off = float(rng.choice([1e-9, 1e-6, 1e-4, 1e-3])) * rng.uniform(0.5, 1)
    high = ((ends[some] @ axes).max(axis=1) + radii[some, None]).max(axis=0) + off
    low = ((ends[some] @ axes).min(axis=1) - radii[some, None]).min(axis=0) - off
    mid, size = (low + high) / 2, high - low
    out, wide = hk.Scene(), float(rng.uniform(0.01, 0.4))
    for k, (axis, sign) in enumerate((a, s) for a in range(3) for s in (-1, 1)):
        if rng.random() < 0.15:
            continue
        at, extent = mid.copy(), size + 2 * wide * (rng.random() < 0.8)
        extent[axis] = wide
        at[axis] = (high if sign > 0 else low)[axis] + sign * wide / 2
        kind = rng.integers(5)
        pose = posed(axes, axes @ at)
        if kind == 1:  # a half space, its z out of it
            turn = axes @ np.roll(np.eye(3), axis + 1, axis=0)
            if sign > 0:
                turn = turn @ np.diag([1.0, -1.0, -1.0])
            at[axis] = (high if sign > 0 else low)[axis]
            out = out.add(str(k), hk.scene.Plane(), pose=posed(turn, axes @ at))
        elif kind == 2:  # a ball or a rod that touches the face
            radius = wide + 0.02
            at[axis] = (high if sign > 0 else low)[axis] + sign * radius
            if rng.random() < 0.5:
                out = out.add(str(k), hk.scene.Sphere(radius), pose=posed(axes, axes @ at))
            else:
                turn = axes @ np.roll(np.eye(3), axis, axis=0)
                out = out.add(str(k), hk.scene.Capsule(radius, 0.3), pose=posed(turn, axes @ at))
        elif kind == 3:
            corner = [(-extent[0] / 2, -extent[1] / 2), (extent[0] / 2, -extent[1] / 2),
                      (extent[0] / 2, extent[1] / 2), (-extent[0] / 2, extent[1] / 2)]  # fmt: skip
            low_at = axes @ (at - np.array([0, 0, extent[2] / 2]))
            out = out.add(
                str(k), hk.scene.Prism(corner, float(extent[2])), pose=posed(axes, low_at)
            )
        else:
            out = out.add(str(k), hk.scene.Box(extent.tolist()), pose=pose)
    return out


def figures(rng: np.random.Generator) -> tuple[Any, hk.Figure, list[str]]:
    """Return who is asked, the figure of it, and frames."""
    kind = rng.integers(6)
    if kind == 0:
        lengths = rng.uniform(0.1, 0.5, int(rng.integers(2, 6)))
        model = hk.chain(lengths.tolist())
        parts = [
            hk.Capsule(name, *rng.normal(size=(2, 3)) * 0.05, float(rng.uniform(0.005, 0.04)))
            for name in (model.tip, model.tip, model.frame_names[1])
        ]
        figure = hk.Figure(model, parts, pairs=[])
        return figure, figure, [model.tip]
    if kind == 1:
        model = hk.data("ur5")
        if rng.random() < 0.5:
            model = model.with_base(posed(rotation(rng), rng.normal(size=3)))
        parts = [
            hk.Capsule("link_6", rng.normal(size=3) * 0.05, rng.normal(size=3) * 0.1, 0.03),
            hk.Capsule("link_6", rng.normal(size=3) * 0.05, rng.normal(size=3) * 0.1, 0.02),
            hk.Capsule("link_3", (0, 0, 0), (-0.3, 0, 0), 0.05),
        ]
        figure = hk.Figure(model, parts, pairs=[])
        return figure, figure, [model.tip or "link_6"]
    sex, stature = str(rng.choice(["female", "male"])), float(rng.uniform(1.5, 1.9))
    options: dict[str, Any] = {"sex": sex, "stature": stature}
    if kind >= 4:
        options["position"] = "seated"
    person = hk.human(**options)
    if rng.random() < 0.5:
        angle = rng.uniform(-3, 3)
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        person = person.with_base(posed(turn, np.array([*rng.normal(size=2), 0.1 * rng.random()])))
    return person, as_figure(person), ["grip_right", "grip_left"]


def check_figure(seed: int, found: Found, postures: int = 50, public: int = 2) -> None:
    """Ask of free postures by the proofs alone, and of some by `reach`."""
    rng = np.random.default_rng(seed)
    person, figure, frames = figures(rng)
    model = figure.model
    asked_public = 0
    for k, q in enumerate(model.sample(postures, seed=seed)):
        frame = str(rng.choice(frames))
        ends, radii = ends_of(figure, q)
        own = int(model.frame_step[model.frame_names.index(frame)])
        hand = np.array([j for j, one in enumerate(figure.capsules)
                         if int(model.frame_step[model.frame_names.index(one.frame)]) == own])  # fmt: skip
        scene = _room(rng, ends, radii, hand)
        gap = least_gap(scene, ends[hand], radii[hand])
        found.count["touching" if gap <= 0 else "free hands"] += 1
        if gap <= 0:
            continue
        tolerance = float(rng.choice([1e-4, 1e-3, 5e-3]))
        way = rng.normal(size=3)
        tip = model.fk(q, frame=frame)[:3, 3]
        target = tip + way / np.linalg.norm(way) * tolerance * float(rng.choice([0.0, 0.5, 0.999]))
        asked = Asked(model, scene, figure, model.rest, tolerance, 32, 200_000, 0)
        deep, shut = (
            inside(asked, frame, target),
            enclosed(asked, frame, target),
        )
        if deep is not None or shut is not None:
            found.failures.append(f"{seed} {k}: {frame} is free by {gap:.2g} m, and {deep} {shut}")
        whole = least_gap(scene, ends, radii)
        clear = whole > 0 and scene.free(figure, q)
        found.count["free bodies"] += bool(clear)
        if not clear or asked_public >= public:
            continue
        asked_public += 1
        either = bool(rng.random() < 0.3) and frame.startswith("grip")
        how: dict[str, Any] = {"hand": "either"} if either else {"frame": frame}
        if rng.random() < 0.3:
            how["axis"] = model.fk(q, frame=frame)[:3, :3] @ np.array([0, 0, 1.0])
            how["tool_axis"] = (0, 0, 1.0)
            how["half_angle"] = 1e-3
        how |= {"tolerance": tolerance, "within": inf, "tries": 2}
        said = hk.access.reach(person, scene, target, **how)
        found.count[said.verdict] += 1
        if said.verdict == "no":
            found.failures.append(f"{seed} {k}: no, {said.why}, and one is free by {whole:.2g} m")


def main() -> None:
    """Run the seeds given."""
    first, count = (int(word) for word in sys.argv[1:3])
    found = Found()
    for seed in range(first, first + count):
        check_figure(seed, found)
    print(dict(found.count))
    for failure in found.failures:
        print(failure)
    sys.exit(bool(found.failures))


if __name__ == "__main__":
    main()
