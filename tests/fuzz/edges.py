"""Fuzzer of verdicts of reach at the edge: people and chains of any joints; an oracle that climbs.

``python tests/fuzz/edges.py 1000 20``: 20 figures from seed 1000.

From drawn postures a climber, which is no solver of handik's, goes as far along a direction, or as near to a place, as it can. What it
finds is a posture: no target within the tolerance of it may be a no, and no least distance may be more than what it shows. A yes is
looked at again: the hand is there, within the limits.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

import handik as hk
from handik.spec.parts import MimicSpec

Array = np.ndarray


@dataclass
class Found:
    """What was asked, and what was wrong."""

    count: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def way(rng: np.random.Generator) -> Array:
    v = rng.normal(size=3)
    return np.asarray(v / np.linalg.norm(v))


def climbed(
    rng: np.random.Generator, model: hk.Model, frame: str, value: Any, rounds: int = 60
) -> tuple[Array, Array]:
    """Return the posture with the least value of its tip that was found, and the tip."""
    q = model.sample(300, seed=int(rng.integers(2**31)))
    tip = model.fk(q, frame=frame)[:, :3, 3]
    best = np.argsort(value(tip))[:6]
    q, tip, least = q[best], tip[best], value(tip[best])
    size = np.full(len(q), 0.5)
    for _ in range(rounds):
        step = rng.normal(size=(len(q), 24, model.nv)) * size[:, None, None]
        step *= rng.random(step.shape) < rng.uniform(0.15, 1)
        tried = model.clip(model.integrate(np.repeat(q, 24, axis=0), step.reshape(-1, model.nv)))
        at = model.fk(tried, frame=frame)[:, :3, 3].reshape(len(q), 24, 3)
        now = value(at)
        pick = np.argmin(now, axis=1)
        rows = np.arange(len(q))
        better = now[rows, pick] < least
        q = np.where(better[:, None], tried.reshape(len(q), 24, -1)[rows, pick], q)
        tip = np.where(better[:, None], at[rows, pick], tip)
        least = np.minimum(least, now[rows, pick])
        size *= np.where(better, 1.3, 0.6)
        size = np.maximum(size, 1e-4)
    k = int(np.argmin(least))
    return q[k], tip[k]


def person(rng: np.random.Generator) -> tuple[hk.Model, str, Any]:
    """Draw a person: sex, stature, position, impairment, ranges, what moves."""
    names = [None, None, *hk.people.impairments.profiles()]
    more: dict[str, Any] = {
        "sex": str(rng.choice(["female", "male"])),
        "percentile": float(rng.uniform(2, 98)),
        "position": str(rng.choice(["seated", "standing"])),
        "profile": names[int(rng.integers(len(names)))],
        "limits": "box" if rng.random() < 0.2 else "cone",
        "seed": int(rng.integers(1000)),
    }
    who = hk.human(**more)
    grips = [f for f in ("grip_right", "grip_left") if f in who.model.frame_names]
    return who.model, str(rng.choice(grips)), who


def chain(rng: np.random.Generator) -> tuple[hk.Model, str, Any]:
    """Draw a chain of turns, slides, what follows them in a line, and balls."""
    joints, parent, leaders, balls = [], "base", [], 0
    for k in range(int(rng.integers(2, 7))):
        place = hk.transforms.from_rotation_vector(rng.normal(size=3))
        place[:3, 3] = rng.normal(size=3) * 0.2
        kind = str(rng.choice(["revolute"] * 4 + ["prismatic", "ball", "free"]))
        free, kind = kind == "free", "revolute" if kind == "free" else kind
        if kind == "ball" and balls == 2:
            kind = "revolute"
        more: dict[str, Any] = {"axis": tuple(way(rng).tolist())}
        mine = [name for name, sort in leaders if sort == kind]
        if kind in ("revolute", "prismatic") and not free:
            low = rng.uniform(-2, 1) * (1 if kind == "revolute" else 0.2)
            wide = rng.uniform(0, 3) * (1 if kind == "revolute" else 0.2)
            more |= {"lower": low, "upper": low + wide}
            if mine and rng.random() < 0.4:
                scale = float(rng.choice([-2.0, -1.0, 0.5, 1.0]))
                more = {
                    "axis": more["axis"],
                    "mimic": MimicSpec(mine[0], scale, rng.normal() * 0.2),
                }
            else:
                leaders.append((f"j{k}", kind))
        elif kind == "ball":
            balls += 1
            more = {"axis": (1, 0, 0), "axis2": (0, 0, 1)}
            if rng.random() < 0.8:
                more["cone"] = hk.Cone(
                    rng.uniform(0.2, 2.4, 4), twist=(rng.uniform(-2, 0), rng.uniform(0, 2))
                )
        joints.append(hk.JointSpec(f"j{k}", kind, parent, f"l{k}", place, **more))
        parent = f"l{k}"
    tip = np.eye(4)
    tip[:3, 3] = rng.normal(size=3) * 0.2
    joints.append(hk.JointSpec("end", "fixed", parent, "tip", tip))
    names = ["base", *(joint.child for joint in joints)]
    model = hk.Model(hk.ModelSpec("chain", [hk.LinkSpec(name) for name in names], joints))
    return model, "tip", model


def check(seed: int, found: Found) -> None:
    """Ask of the edge of one figure."""
    rng = np.random.default_rng(seed)
    made = person if rng.random() < 0.5 else chain
    try:
        model, frame, _ = made(rng)
    except hk.HandikError as error:
        found.count[f"no figure: {str(error)[:60]}"] += 1
        return
    middle = model.fk(model.sample(200, seed=1), frame=frame)[:, :3, 3]
    span = float(np.ptp(middle, axis=0).max()) + 0.05
    for k in range(4):
        if k % 2:
            n = way(rng)
            q, tip = climbed(rng, model, frame, lambda at, n=n: -(at @ n))
        else:  # nearest to some place, in hollows too
            to = middle[k] + rng.normal(size=3) * span * rng.uniform(0.1, 1)
            q, tip = climbed(rng, model, frame, lambda at, to=to: np.linalg.norm(at - to, axis=-1))
            n = (to - tip) / max(float(np.linalg.norm(to - tip)), 1e-12)
            if np.linalg.norm(to - tip) < 1e-3:
                n = way(rng)
        for gap in (0.99e-3, 10 ** rng.uniform(-3, -0.5)):
            target = tip + gap * n
            within = inf if rng.random() < 0.5 else 2e-3
            told = hk.access.reach(model, None, target, frame=frame, within=within,
                                   budget=int(rng.choice([300, 5000])))  # fmt: skip
            found.count[f"{made.__name__} {told.verdict}"] += 1
            if told.verdict == "no" and gap <= 1e-3:
                found.failures.append(f"seed {seed}.{k}: a no, and a posture is {gap} away")
            if told.short[0] > gap + 1e-9 or told.short[0] > told.short[1] + 1e-12:
                found.failures.append(f"seed {seed}.{k}: short {told.short}, a posture {gap}")
            if told.verdict == "yes":
                off = float(np.linalg.norm(model.fk(told.q, frame=frame)[:3, 3] - target))
                if off > 1.0001e-3 or np.abs(model.clip(told.q) - told.q).max() > 1e-7:
                    found.failures.append(f"seed {seed}.{k}: a yes {off} away or out of limits")
            elif np.isfinite(told.short[1]):
                shown = float(np.linalg.norm(model.fk(told.q, frame=frame)[:3, 3] - target))
                if abs(shown - told.short[1]) > 1e-9:
                    found.failures.append(f"seed {seed}.{k}: short {told.short} shows {shown}")


def some(first: int, count: int) -> Found:
    found = Found()
    for seed in range(first, first + count):
        check(seed, found)
    return found


if __name__ == "__main__":
    result = some(int(sys.argv[1]), int(sys.argv[2]))
    print(dict(sorted(result.count.items())))
    print("\n".join(result.failures) or "nothing wrong")
    sys.exit(bool(result.failures))
