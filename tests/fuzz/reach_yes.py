"""Fuzzer of reach with options: places that a posture is known to reach, of which none may be a no.

``python tests/fuzz/reach_yes.py 1 200``: 200 rounds from seed 1.

A posture is drawn, and the question made from it: the target is where its hand is, the axis as its hand points, obstacles are pushed
against it until they all but touch, what it holds so that the hand overlaps it by what it may, and a chair stands where it is with
walls all about it. A verdict of no contradicts the posture. Of a yes all that it claims is looked at again.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import handik as hk

Array = np.ndarray
HERE = [1.0, 0.0, 0.0, 0.0]


@dataclass
class Found:
    """What was asked, and what was wrong."""

    count: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def judged(self, name: str, verdict: Any) -> None:
        self.count[f"{name} {verdict}"] += 1
        if verdict == "no":
            self.failures.append(f"{name}: a no, though a posture is known")


PEOPLE = (
    hk.human(sex="female", stature=1.62),
    hk.human(sex="male", stature=1.9),
    hk.human(sex="female", stature=1.5, position="standing"),
)


def _posture(rng: np.random.Generator, person: hk.Human) -> Array:
    """A posture between the rest and one drawn, or one that stretches for a place out of reach."""
    model = person.model
    if rng.random() < 0.5:
        place = person.model.fk(person.rest, frame="eye")[:3, 3] + rng.uniform(0.6, 2) * _way(rng)
        return np.asarray(model.solve(position=place, frame="grip_right", q0=person.rest).q)
    way = model.difference(person.rest, model.sample(1, seed=int(rng.integers(2**31)))[0])
    return np.asarray(model.integrate(person.rest, rng.uniform(0, 1) * way))


def _way(rng: np.random.Generator) -> Array:
    v = rng.normal(size=3)
    return np.asarray(v / np.linalg.norm(v))


def _tilted(rng: np.random.Generator, along: Array, angle: float) -> Array:
    """A direction at that angle from another."""
    across = np.cross(along, _way(rng))
    across /= np.linalg.norm(across)
    return np.asarray(np.cos(angle) * along + np.sin(angle) * across)


def options_known(rng: np.random.Generator, found: Found) -> None:
    """Place, axis and the other hand as a posture has them."""
    person = PEOPLE[int(rng.integers(3))]
    q = _posture(rng, person)
    hands = ["right", "left"] if rng.random() < 0.3 else [str(rng.choice(["right", "left"]))]
    poses = [person.model.fk(q, frame=f"grip_{hand}") for hand in hands]
    off = 0.99 * 0.9e-3 * rng.uniform()
    target = np.array([pose[:3, 3] + off * _way(rng) for pose in poses])
    options: dict[str, Any] = {"hand": "both" if len(hands) == 2 else hands[0]}
    if rng.random() < 0.8 and len(hands) == 1:
        half = float(rng.choice([0.0, 0.02, 0.5, 1.5])) + 1e-6
        options |= {
            "axis": _tilted(rng, -poses[0][:3, 2], 0.999 * half),
            "half_angle": half,
        }
    at = target if len(hands) == 2 else target[0]
    told = hk.access.reach(person, None, at, within=float("inf"), tries=4, **options)
    found.judged("options " + ("axis" if "axis" in options else str(len(hands))), told.verdict)
    if told.verdict == "yes":
        for hand, to in zip(hands, target, strict=True):
            pose = person.model.fk(told.q, frame=f"grip_{hand}")
            if np.linalg.norm(pose[:3, 3] - to) > 1.0001e-3:
                found.failures.append("options: a yes whose hand is not there")
            if "axis" in options:
                c = float(-pose[:3, 2] @ options["axis"])
                if np.arccos(np.clip(c, -1, 1)) > options["half_angle"] + 1e-6:
                    found.failures.append("options: a yes off the axis")


def _shape(rng: np.random.Generator) -> Any:
    size = rng.uniform(0.02, 0.6, 3)
    return (
        hk.scene.Box(size),
        hk.scene.Sphere(size[0]),
        hk.scene.Cylinder(size[0], size[1]),
        hk.scene.Capsule(size[0], size[1]),
    )[int(rng.integers(4))]


def obstacles_known(rng: np.random.Generator, found: Found) -> None:
    """Things pushed against a free posture; one of them held."""
    person = PEOPLE[int(rng.integers(3))]
    figure, q = person, _posture(rng, person)
    if not hk.Scene().free(figure, q):
        found.count["obstacles: a posture that touches itself"] += 1
        return
    tip = person.model.fk(q, frame="grip_right")[:3, 3]
    scene = hk.Scene()
    for k in range(int(rng.integers(1, 4))):
        shape, way, turn = (
            _shape(rng),
            _way(rng),
            hk.transforms.from_rotation_vector(rng.normal(size=3)),
        )
        near, far = 0.0, 3.0

        def put(away: float, shape: Any = shape, way: Array = way, turn: Array = turn) -> hk.Scene:
            pose = np.array(turn)
            pose[:3, 3] = tip + away * way
            return hk.Scene().add("thing", shape, pose=pose)

        for _ in range(14):
            middle = 0.5 * (near + far)
            if put(middle).free(figure, q):
                far = middle
            else:
                near = middle
        pose = np.array(turn)
        pose[:3, 3] = tip + far * way
        scene = scene.add(f"thing {k}", shape, pose=pose)
    if not scene.free(figure, q):
        found.failures.append("obstacles: free alone and not together")
        return
    told = hk.access.reach(person, scene, tip, within=float("inf"), tries=4)
    found.judged("obstacles", told.verdict)
    if told.verdict == "yes" and not scene.free(figure, told.q):
        found.failures.append("obstacles: a yes that touches")
    told = hk.access.reach(person, scene, tip, within=float("inf"), tries=4, sight=True)
    found.count[f"sight {told.verdict}"] += 1
    if told.verdict == "yes":
        eye = person.model.fk(told.q, frame="eye")
        way = tip - eye[:3, 3]
        far = np.linalg.norm(way)
        if np.arccos(eye[:3, 0] @ way / far) > np.deg2rad(35) + 1e-6:
            found.failures.append("sight: a yes out of view")
        line = eye[:3, 3] + np.linspace(0, 1 - 5e-3 / far, 2000)[:, None] * way
        if any(_deepest(one.shape, np.asarray(one.pose), line) > 1e-6 for one in scene.obstacles()):
            found.failures.append("sight: a yes through a thing")


def _deepest(shape: Any, pose: Array, points: Array) -> float:
    """How deep the deepest of points lies in a shape: below zero, none does."""
    own = np.abs((points - pose[:3, 3]) @ pose[:3, :3])
    flat = np.hypot(own[:, 0], own[:, 1])
    if isinstance(shape, hk.scene.Box):
        deep = (0.5 * np.asarray(shape.size) - own).min(1)
    elif isinstance(shape, hk.scene.Sphere):
        deep = shape.radius - np.linalg.norm(own, axis=1)
    elif isinstance(shape, hk.scene.Cylinder):
        deep = np.minimum(shape.radius - flat, 0.5 * shape.length - own[:, 2])
    else:
        deep = shape.radius - np.hypot(flat, np.maximum(own[:, 2] - 0.5 * shape.length, 0))
    return float(deep.max())


def turn_known(rng: np.random.Generator, found: Found) -> None:
    """A knob turned: every posture of the motion by kinematics alone."""
    person = PEOPLE[int(rng.integers(3))]
    model, q = person.model, _posture(rng, person)
    pose, axis = model.fk(q, frame="grip_right"), _way(rng)
    turn = float(rng.choice([-1, 1]) * rng.uniform(0.02, 3))
    options: dict[str, Any] = {"axis": axis, "half_angle": np.pi, "action": "turn", "turn": turn}
    told = hk.access.reach(person, None, pose[:3, 3], within=float("inf"), tries=4, **options)
    found.judged("turn", told.verdict)
    if told.verdict != "yes" or told.motion is None:
        return
    seen = model.fk(told.motion, frame="grip_right")
    if np.linalg.norm(seen[:, :3, 3] - pose[:3, 3], axis=1).max() > 1.0001e-3:
        found.failures.append("turn: the hand leaves the knob")
    for k, one in enumerate(seen):
        share = turn * k / (len(seen) - 1)
        wanted = hk.transforms.from_rotation_vector(share * axis)[:3, :3] @ seen[0][:3, :3]
        if np.linalg.norm(wanted - one[:3, :3]) > 5e-3:
            found.failures.append("turn: it is not turned so far")
            break
    if np.any(told.motion < model.lower - 1e-9) or np.any(told.motion > model.upper + 1e-9):
        found.failures.append("turn: a joint beyond its limits")


def held_known(rng: np.random.Generator, found: Found) -> None:
    """A thing that the hand overlaps by what it may."""
    person = PEOPLE[int(rng.integers(3))]
    q = _posture(rng, person)
    if not hk.Scene().free(person, q):
        return
    pose = person.model.fk(q, frame="grip_right")
    shape = (
        hk.scene.Sphere(rng.uniform(0.01, 0.4))
        if rng.random() < 0.5
        else hk.scene.Box(rng.uniform(0.01, 0.6, 3))
    )
    way = _way(rng) if rng.random() < 0.5 else -pose[:3, 2]
    for away in np.linspace(0, 0.5, 40):
        at = pose.copy()
        at[:3, 3] += away * way
        scene = hk.Scene().add("thing", shape, pose=at)
        at = np.linalg.inv(at)
        scene = scene.add(
            "thing/grip",
            hk.scene.Target("point"),
            pose=(at[:3, :3] @ pose[:3, 3] + at[:3, 3], HERE),
        )
        every = scene.distance(person, q, details=True)
        if float(every.distance) >= -0.0499:
            break
    hands = [n for n in ("forearm", "upper", "trunk") if str(every.part).startswith(n)]
    if float(every.distance) < -0.0499 or hands:
        return
    told = hk.access.reach(person, scene, "thing/grip", within=float("inf"), tries=4)
    if told.verdict == "no" and not _others_free(person, scene, q):
        return
    found.judged("held", told.verdict)
    if told.verdict == "yes" and told.overlap > 0.05 + 1e-9:
        found.failures.append("held: a yes too deep")


def _others_free(person: hk.Human, scene: hk.Scene, q: Array) -> bool:
    from handik.scene.access._held import held_by
    from handik.scene.check import as_figure

    _, held = held_by(scene, as_figure(person), ("grip_right",), ("thing",))
    return held.touched(q[None])[0] is None


def _apart(a: Array, b: Array) -> bool:
    """Whether two convex outlines are apart, by the axes of all edges."""
    for one in (a, b):
        for edge in np.roll(one, -1, 0) - one:
            n = np.array([edge[1], -edge[0]])
            if (a @ n).max() < (b @ n).min() or (b @ n).max() < (a @ n).min():
                return True
    return False


def stop_known(rng: np.random.Generator, found: Found) -> None:
    """A chair that stands with walls pushed against it, and a hand that is somewhere."""
    from handik.scene.access._seat import toes_of

    person = PEOPLE[int(rng.integers(2))]
    q = _posture(rng, person)
    chair = hk.access.chair(seed=int(rng.integers(10**6)))
    person = hk.access.seat(person, chair)
    if not hk.Scene().free(person, q):
        return
    x, y, turn = *rng.uniform(-2, 2, 2), rng.uniform(-np.pi, np.pi)
    c, s = np.cos(turn), np.sin(turn)
    base = hk.transforms.from_rpy([0, 0, turn], [x, y, 0])
    who = person.with_base(base)
    front = toes_of(person) - (chair.length - chair.axle)
    mine = (chair.outline + [front, 0]) @ np.array([[c, s], [-s, c]]) + [x, y]
    scene, walls = hk.Scene(), list[Array]()
    for k in range(int(rng.integers(1, 7))):
        size, yaw, way = rng.uniform(0.05, 3, 2), rng.uniform(-3, 3), rng.uniform(-np.pi, np.pi)
        cy, sy = np.cos(yaw), np.sin(yaw)
        box = (
            0.5
            * size
            * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
            @ np.array([[cy, sy], [-sy, cy]])
        )
        near, far, ahead = 0.0, 6.0, np.array([np.cos(way), np.sin(way)])
        high = rng.uniform(0.05, 1.5)

        def node(
            away: float,
            box: Array = box,
            ahead: Array = ahead,
            size: Array = size,
            yaw: float = yaw,
            high: float = high,
        ) -> Any:
            at = [*(np.array([x, y]) + away * ahead), 0.5 * high]
            return hk.scene.Box([*size, high]), hk.transforms.from_rpy([0, 0, yaw], at)

        for _ in range(14):
            middle = 0.5 * (near + far)
            shape, pose = node(middle)
            ok = _apart(mine, box + [x, y] + middle * ahead)
            if ok and hk.Scene().add("wall", shape, pose=pose).free(who, q):
                far = middle
            else:
                near = middle
        shape, pose = node(far)
        scene = scene.add(f"wall {k}", shape, pose=pose)
        walls.append(box + [x, y] + far * ahead)
    target = who.model.fk(q, frame="grip_right")[:3, 3]
    told = hk.access.reach(person, scene, target, approach=chair, tries=2)
    found.judged("stop", told.verdict)
    if told.verdict != "yes":
        return
    c, s = np.cos(told.stop.pose[2]), np.sin(told.stop.pose[2])
    there = chair.outline @ np.array([[c, s], [-s, c]]) + told.stop.pose[:2]
    who = told.stop.person
    if not all(_apart(there, wall) for wall in walls) or not scene.free(told.figure, told.q):
        found.failures.append("stop: a yes where the chair or the body is in a wall")
    if np.linalg.norm(who.model.fk(told.q, frame="grip_right")[:3, 3] - target) > 1.0001e-3:
        found.failures.append("stop: a yes whose hand is not there")


KINDS = (options_known, obstacles_known, held_known, stop_known, turn_known)


def run(seed: int, rounds: int) -> Found:
    """Ask of each kind so often."""
    found = Found()
    for k in range(rounds):
        for j, kind in enumerate(KINDS):
            before = len(found.failures)
            kind(np.random.default_rng([seed, k, j]), found)
            found.failures[before:] = [f"round {k}: {text}" for text in found.failures[before:]]
    return found


if __name__ == "__main__":
    result = run(int(sys.argv[1]), int(sys.argv[2]))
    print(dict(sorted(result.count.items())))
    print("\n".join(result.failures) or "nothing wrong")
