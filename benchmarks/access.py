"""Verdicts of reach: proofs beyond the reach, witnesses within it, and a kitchen's places for many people.

Targets lie in random directions, so far beyond the nearest posture that many solves found as GAP
says; a proof is asked that the tip stays farther than 1 mm, and one that it stays farther than the
gap less 2 mm ("short by U, to 2 mm"). Times are processor times of single proofs on one core, once
all have been run to fill the tables; of the first of all, which found them empty, apart. Figures: an arm of seven joints (a shoulder with a cone, elbow, forearm,
wrist), the same on a trunk of three, a person whose collar bone and shoulder blade follow, a UR5.
The kitchen: people drawn by seed, 50 places each in a box of 0.85 x 1.4 x 1.45 m, the verdict alone;
with --obstacles in one of 0.5 x 2 x 0.8 m over and in its counter and cupboards, from one place on the floor.
"""

from __future__ import annotations

import argparse
import dataclasses
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from benchmarks._out import Row, add_out, bars, save
from handik import _core

Array = NDArray[np.float64]
GAPS = (0.01, 0.005)


def _turn(
    name: str, parent: str, child: str, axis: Any, low: float, high: float, x: float = 0.0
) -> hk.JointSpec:
    place = np.eye(4)
    place[0, 3] = x
    return hk.JointSpec(
        name, "revolute", parent, child, place, axis, lower=np.deg2rad(low), upper=np.deg2rad(high)
    )


def _followers() -> list[hk.JointSpec]:
    """Return the slides by which a person's shoulder follows her arm: clavicle and scapula."""
    spec = hk.human(sex="female", stature=1.62).model.spec
    slides = [joint for joint in spec.joints if joint.mimic and joint.name.endswith("_right")]
    named = [f"shoulder_{way}_right" for way in ("ahead", "aside", "up")]
    return sorted((j for j in slides if j.name in named), key=lambda j: named.index(j.name))


def arm(trunk: bool, follow: bool = False) -> hk.Model:
    """Build a figure: shoulder with a quadrant cone, elbow, forearm, wrist; on a trunk or not; clavicle and scapula follow or not."""
    shoulder = np.eye(4)
    shoulder[:3, 3] = 0, -0.2, 0.45
    joints = []
    if trunk:
        joints = [
            _turn("flexion", "world", "a", (0, 1, 0), -10, 40),
            _turn("lean", "a", "b", (1, 0, 0), -20, 20),
            _turn("rotation", "b", "trunk", (0, 0, 1), -35, 35),
        ]
    parent = "trunk" if trunk else "world"
    for slide in _followers() if follow else []:
        mimic = dataclasses.replace(slide.mimic, joint="shoulder")
        joints.append(
            hk.JointSpec(
                slide.name, slide.kind, parent, slide.name, shoulder, slide.axis, mimic=mimic
            )
        )
        parent, shoulder = slide.name, np.eye(4)
    joints += [
        hk.JointSpec(
            "shoulder",
            "ball",
            parent,
            "upper",
            shoulder,
            (1, 0, 0),
            (0, 0, 1),
            cone=hk.Cone(np.deg2rad([110, 85, 60, 60]), twist=tuple(np.deg2rad([-60, 90]))),
        ),
        _turn("elbow", "upper", "fore", (0, -1, 0), 0, 145, 0.32),
        _turn("pronation", "fore", "turned", (1, 0, 0), -80, 80),
        _turn("flex", "turned", "carpus", (0, 1, 0), -70, 75, 0.27),
        _turn("deviate", "carpus", "hand", (0, 0, 1), -20, 30),
        hk.JointSpec("tip", "fixed", "hand", "tip", _at(0.1)),
    ]
    names = ["world", *(joint.child for joint in joints)]
    return hk.Model(hk.ModelSpec("arm", [hk.LinkSpec(name) for name in names], joints))


def _at(x: float) -> Array:
    out = np.eye(4)
    out[0, 3] = x
    return out


FIGURES: dict[str, Callable[[], tuple[hk.Model, str]]] = {
    "arm, 7": lambda: (arm(False), "tip"),
    "trunk and arm, 10": lambda: (arm(True), "tip"),
    "the same with followers": lambda: (arm(True, True), "tip"),
    "person": lambda: (hk.human(sex="female", stature=1.62).model, "grip_right"),
    "ur5": lambda: (hk.data("ur5"), hk.data("ur5").tip or ""),
}


def beyond(model: hk.Model, frame: str, n: int, seed: int) -> tuple[Array, Array, Array]:
    """Return nearest postures, their tips, and unit vectors from there to targets far out."""
    rng = np.random.default_rng(seed)
    drawn = model.fk(model.sample(2000, seed=1), frame=frame)[:, :3, 3]
    way = rng.normal(size=(n, 3))
    target = np.median(drawn, 0) + 1.8 * way / np.linalg.norm(way, axis=1, keepdims=True)
    q, gap = np.zeros((n, model.nq)), np.full(n, np.inf)
    for turn in range(4):
        found = model.solve(position=target, frame=frame, seed=turn, retries=2)
        away = np.linalg.norm(model.fk(found.q, frame=frame)[:, :3, 3] - target, axis=1)
        better = away < gap
        q[better], gap[better] = found.q[better], away[better]
    tip = model.fk(q, frame=frame)[:, :3, 3]
    return q, tip, (target - tip) / np.linalg.norm(target - tip, axis=1, keepdims=True)


def proofs(name: str, n: int, budget: int, seed: int) -> list[Row]:
    """Measure the proofs of one figure."""
    model, frame = FIGURES[name]()
    q, tip, normal = beyond(model, frame, n, seed)
    rows = []
    for gap in GAPS:
        for far in (1e-3, gap - 2e-3):
            chain = _core._reach_chain(model, frame, False)
            for turn in range(2):
                ms, good = [], 0
                for k in range(n):
                    start = time.process_time()
                    outcome = _core._reach_prove(
                        chain,
                        tip[k : k + 1] + gap * normal[k : k + 1],
                        normal[k : k + 1],
                        np.array([far]),
                        q[k : k + 1],
                        budget,
                        1,
                    )[0]
                    ms.append(1e3 * (time.process_time() - start))
                    good += int(outcome[0] == 0)
                if turn == 0:
                    first = ms[0]
            rest = np.array(ms)
            rows.append(
                {
                    "figure": name,
                    "beyond_mm": 1e3 * gap,
                    "asked_mm": 1e3 * far,
                    "proved": good / n,
                    "first_ms": first,
                    "median_ms": float(np.median(rest)),
                    "p99_ms": float(np.percentile(rest, 99)),
                    "worst_ms": float(rest.max()),
                }
            )
    return rows


def within_reach(n: int) -> tuple[float, float]:
    """Return microseconds of a yes in a batch, and of one singly."""
    model, frame = FIGURES["trunk and arm, 10"]()
    target = model.fk(model.sample(n, seed=5), frame=frame)[:, :3, 3]
    found = hk.access.reach(model, None, target, frame=frame, within=np.inf)
    target = target[found.verdict == "yes"]
    batch, single = [], []
    for _ in range(5):
        start = time.process_time()
        hk.access.reach(model, None, target, frame=frame, within=np.inf)
        batch.append(1e6 * (time.process_time() - start) / len(target))
    for one in target[:200]:
        start = time.process_time()
        hk.access.reach(model, None, one, frame=frame, within=np.inf)
        single.append(1e6 * (time.process_time() - start))
    return min(batch), float(np.median(single))


def kitchen(people: int, threads: int, obstacles: bool = False, seed: int = 0) -> Row:
    """Ask people of 50 places each, without obstacles or among those of the kitchen."""
    rng = np.random.default_rng(seed)
    drawn, stands = hk.population(people, seed=3), []
    if obstacles:
        scene, stand = hk.scene.gallery("kitchen"), np.eye(4)
        stand[0, 3] = -0.95
        stands = [stand]
        places = rng.uniform([-0.55, -1.0, 0.7], [-0.05, 1.0, 1.5], (50, 3))
    else:
        scene, places = None, rng.uniform([0.05, -0.7, 0.35], [0.9, 0.7, 1.8], (50, 3))
    used, start = time.process_time(), time.perf_counter()
    found = hk.access.share(drawn, scene, places, places=stands, threads=threads)
    return {
        "obstacles": "yes" if obstacles else "no",
        "people": people,
        "cpu_ms_a_person": 1e3 * (time.process_time() - used) / people,
        "s_a_thousand": 1e3 * (time.perf_counter() - start) / people,
        "yes": float((found.verdict == "yes").mean()),
        "no": float((found.verdict == "no").mean()),
        "undecided": float((found.verdict == "undecided").mean()),
    }


def _print(rows: list[Row]) -> None:
    print(" ".join(f"{name:>17}" for name in rows[0]))
    for row in rows:
        print(" ".join(f"{x if isinstance(x, str) else f'{x:.4g}':>17}" for x in row.values()))


def _draw(rows: list[Row], figure: Any) -> None:
    names = [f"{row['figure']}, {row['beyond_mm']:g} for {row['asked_mm']:g} mm" for row in rows]
    axes = figure.subplots()
    bars(axes, names, {key: [row[key] for row in rows] for key in ("median_ms", "p99_ms")})
    axes.set_yscale("log")
    axes.tick_params("x", rotation=90)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks access", description=__doc__)
    parser.add_argument("--targets", type=int, default=200)
    parser.add_argument("--people", type=int, default=20)
    parser.add_argument("--budget", type=int, default=200_000)
    parser.add_argument("--threads", type=int, default=1, help="of the kitchen")
    parser.add_argument("--figures", nargs="*", default=list(FIGURES), choices=list(FIGURES))
    parser.add_argument("--places", type=int, default=0, help="seed of the kitchen's places")
    parser.add_argument("--obstacles", action="store_true", help="of the kitchen, standing at it")
    add_out(parser)
    given = parser.parse_args()
    rows = [row for name in given.figures for row in proofs(name, given.targets, given.budget, 3)]
    if rows:
        _print(rows)
    print("yes: {:.1f} us in a batch, {:.0f} us singly".format(*within_reach(1000)))
    if given.people:
        _print([kitchen(given.people, given.threads, given.obstacles, given.places)])
    save(Path(given.out) if given.out else None, "access", rows, lambda figure: _draw(rows, figure))


if __name__ == "__main__":
    main()
