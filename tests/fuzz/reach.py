"""Fuzzer of verdicts of reach: random chains of hinges, and trunks with a ball and an arm; an oracle that draws postures.

``python tests/fuzz/reach.py 1000 200``: 200 chains from seed 1000.

Postures are drawn inside the limits and placed by kinematics of its own. No drawn posture may contradict a verdict: a no, or the
least distance that is said to be proved. And of targets a known distance from a posture it is asked to prove 0.2 mm more than that
distance, which is never true.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import handik as hk
from handik import _core

Array = np.ndarray


@dataclass
class Found:
    """What was compared, and what was wrong."""

    count: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)


def _rotation(axis: Array, angle: Array) -> Array:
    """Turns about one axis, or one a row, by Rodrigues' formula."""
    axis = np.broadcast_to(axis / np.linalg.norm(axis, axis=-1, keepdims=True), (len(angle), 3))
    k = np.zeros((len(angle), 3, 3))
    k[:, 0, 1], k[:, 0, 2], k[:, 1, 2] = -axis[:, 2], axis[:, 1], -axis[:, 0]
    k -= k.transpose(0, 2, 1)
    s, c = np.sin(angle)[:, None, None], np.cos(angle)[:, None, None]
    return np.eye(3) + s * k + (1 - c) * (k @ k)


def _place(rng: np.random.Generator, size: float) -> Array:
    out = np.eye(4)
    out[:3, :3] = _rotation(rng.normal(size=3), rng.uniform(0, 3, 1))[0]
    out[:3, 3] = rng.normal(size=3) * size
    return out


def _unit(rng: np.random.Generator) -> tuple[float, float, float]:
    v = rng.normal(size=3)
    x, y, z = v / np.linalg.norm(v)
    return float(x), float(y), float(z)


def _hinge(rng: np.random.Generator, k: int, parent: str, axis=None, place=None) -> hk.JointSpec:
    low = rng.uniform(-2, 0.5)
    return hk.JointSpec(
        f"hinge {k}",
        "revolute",
        parent,
        f"link {k}",
        _place(rng, 0.2) if place is None else place,
        _unit(rng) if axis is None else axis,
        lower=low,
        upper=low + rng.uniform(0.01, 2.5),
    )


def _at(x: float) -> Array:
    out = np.eye(4)
    out[0, 3] = x
    return out


def _room(rng: np.random.Generator) -> hk.Cone | hk.ReachCone:
    twist: object = (rng.uniform(-2, -0.2), rng.uniform(0.2, 2))
    if rng.random() < 0.5:
        low = rng.uniform(-2, -0.2, 7)
        rows = [
            (a, b, b + w)
            for a, b, w in zip(np.arange(-3, 3.9), low, rng.uniform(0.1, 2, 7), strict=True)
        ]
        twist = hk.TwistTable(twist, rows, rng.uniform(0.3, 2))
    if rng.random() < 0.5:
        return hk.Cone(rng.uniform(0.2, 2.4, 4), twist=twist)
    azimuth = np.arange(-3, 3, 6 / 7) + rng.uniform(0, 0.3, 7)
    return hk.ReachCone(list(zip(azimuth, rng.uniform(0.3, 2.2, 7), strict=True)), twist=twist)


def figure(rng: np.random.Generator) -> tuple[hk.Model, str]:
    """Draw a chain: hinges alone, or a trunk of up to three, a ball with limits, perhaps slides that follow it, and an arm."""
    joints, parent = [], "base"

    def add(joint: hk.JointSpec) -> None:
        nonlocal parent
        joints.append(joint)
        parent = joint.child

    arm = rng.random() < 0.6
    axis = _unit(rng)
    for k in range(int(rng.integers(0, 4) if arm else rng.integers(2, 6))):
        straight = np.eye(4)
        straight[:3, 3] = rng.normal(size=3) * 0.2
        pair = k == 1 and rng.random() < 0.5  # parallel to the first
        joints_axis = axis if k == 0 or pair else None
        add(_hinge(rng, k, parent, joints_axis, straight if pair else None))
    if arm:
        for k in range(int(rng.choice([0, 0, 2]))):
            rows = rng.normal(size=20) * 0.02
            follows = hk.SwingMimicSpec("ball", list(rows))
            add(
                hk.JointSpec(
                    f"slide {k}",
                    "prismatic",
                    parent,
                    f"slide {k}",
                    _place(rng, 0.1),
                    _unit(rng),
                    mimic=follows,
                )
            )
        add(
            hk.JointSpec(
                "ball",
                "ball",
                parent,
                "upper",
                _place(rng, 0.2),
                (1, 0, 0),
                (0, 0, 1),
                cone=_room(rng),
            )
        )
        square = rng.uniform(-np.pi, np.pi)
        add(
            _hinge(
                rng,
                10,
                parent,
                (0.0, float(np.cos(square)), float(np.sin(square))),
                _at(rng.uniform(0.1, 0.5)),
            )
        )
        across = joints[-1].axis
        if (
            rng.random() < 0.7
        ):  # a wrist: the forearm square to the elbow's axis, two turns through one point
            fore = np.cross(across, [1, 0, 0]) * rng.uniform(-1, 1) + np.array([1, 0, 0])
            end = np.eye(4)
            end[:3, 3] = rng.uniform(0.1, 0.4) * fore / np.linalg.norm(fore)
            add(_hinge(rng, 11, parent, tuple(fore.tolist()), np.eye(4)))
            add(_hinge(rng, 12, parent, None, end))
    tip = np.eye(4)
    tip[:3, 3] = rng.normal(size=3) * 0.1
    if arm and len(joints) and joints[-1].name == "hinge 10":
        tip[:3, 3] = np.cross(joints[-1].axis, _unit(rng)) * 0.3
    add(hk.JointSpec("end", "fixed", parent, "tip", tip))
    names = ["base", *(joint.child for joint in joints)]
    return hk.Model(hk.ModelSpec("figure", [hk.LinkSpec(name) for name in names], joints)), "tip"


def _swings(rng: np.random.Generator, cone: hk.Cone | hk.ReachCone, n: int) -> tuple[Array, Array]:
    """Azimuths and swings inside the room: by the share of the way to its edge along the azimuth."""
    azimuth = rng.uniform(-np.pi, np.pi, n)
    if isinstance(cone, hk.Cone):
        half = np.array(cone.row()[:4])
        a = np.where(np.cos(azimuth) >= 0, half[0], half[2])
        b = np.where(np.sin(azimuth) >= 0, half[1], half[3])
        edge = 1 / np.hypot(np.cos(azimuth) / a, np.sin(azimuth) / b)
    else:
        corner = np.array(cone.corners)
        p = np.stack(
            [
                np.sin(corner[:, 1]) * np.cos(corner[:, 0]),
                np.sin(corner[:, 1]) * np.sin(corner[:, 0]),
                np.cos(corner[:, 1]),
            ],
            1,
        )
        edge = np.zeros(n)
        for k in range(len(p)):
            n_k = np.cross(p[k], p[(k + 1) % len(p)])
            first, width = corner[k, 0], (corner[(k + 1) % len(p), 0] - corner[k, 0]) % (2 * np.pi)
            mine = (azimuth - first) % (2 * np.pi) <= width
            w = n_k[0] * np.cos(azimuth) + n_k[1] * np.sin(azimuth)
            edge[mine] = np.arctan2(n_k[2], -w)[mine]
    share = np.where(rng.random(n) < 0.5, 1.0, np.sqrt(rng.random(n)))
    return azimuth, share * edge


def _follows(coefficients: Array, d: Array) -> Array:
    x, y, z = d.T
    terms = [1 + 0 * x, x, y, z, x * x, x * y, x * z, y * y, y * z, z * z]
    terms += [
        x * x * x,
        x * x * y,
        x * x * z,
        x * y * y,
        x * y * z,
        x * z * z,
        y * y * y,
        y * y * z,
        y * z * z,
        z * z * z,
    ]
    return sum(c * term for c, term in zip(coefficients, terms, strict=True))


def tips(rng: np.random.Generator, model: hk.Model, n: int) -> Array:
    """Where drawn postures have the end; limits are met often."""
    turn, at = np.tile(np.eye(3), (n, 1, 1)), np.zeros((n, 3))
    joints = model.spec.joints
    ball = next((joint for joint in joints if joint.kind == "ball"), None)
    swung = bone = None
    if ball is not None:
        z, x = np.asarray(ball.axis, float), np.asarray(ball.axis2, float)
        y = np.cross(z, x)
        azimuth, swing = _swings(rng, ball.cone, n)
        uv = np.stack([swing * np.cos(azimuth), swing * np.sin(azimuth)], 1)
        table = ball.cone.twist
        low, high = table.at(uv) if isinstance(table, hk.TwistTable) else table
        twist = low + (high - low) * np.clip(rng.uniform(-0.3, 1.3, n), 0, 1)
        across = -np.sin(azimuth)[:, None] * x + np.cos(azimuth)[:, None] * y
        swung = _rotation(across, swing) @ _rotation(z, twist)
        bone = swung @ z
    for joint in joints:
        at = at + turn @ joint.placement[:3, 3]
        turn = turn @ joint.placement[:3, :3]
        axis = np.asarray(joint.axis, float)
        if joint.kind == "ball":
            turn = turn @ swung
        elif joint.kind == "revolute":
            share = np.clip(rng.uniform(-0.3, 1.3, n), 0, 1)
            turn = turn @ _rotation(axis, joint.lower + share * (joint.upper - joint.lower))
        elif joint.kind == "prismatic":
            at = at + _follows(np.asarray(joint.mimic.coefficients), bone)[:, None] * (turn @ axis)
    return at


def check_figure(seed: int, found: Found, asked: int = 6, drawn: int = 4000) -> None:
    rng = np.random.default_rng(seed)
    model, frame = figure(rng)
    reached = tips(rng, model, drawn)
    span = np.ptp(reached, axis=0).max() + 0.1
    middle = reached.mean(0)
    targets = middle + rng.normal(size=(asked, 3)) * span * rng.uniform(0.2, 1, (asked, 1))
    targets[::3] = reached[: len(targets[::3])] + 0.02 * rng.normal(size=(len(targets[::3]), 3))
    targets[0] = reached[0]  # which is reached
    verdicts = hk.access.reach(model, None, targets, frame=frame, budget=4000)
    for one in verdicts:
        least = np.linalg.norm(reached - one.target, axis=1).min()
        found.count[one.verdict] += 1
        if one.verdict == "no" and least <= 1e-3:
            found.failures.append(f"seed {seed}: no, and a posture is {least} m from the target")
        if one.short[0] > least:
            found.failures.append(f"seed {seed}: short {one.short[0]}, a posture {least}")
        if (
            one.verdict == "yes"
            and np.linalg.norm(model.fk(one.q, frame=frame)[:3, 3] - one.target) > 1.0001e-3
        ):
            found.failures.append(f"seed {seed}: the witness misses")
    more_than_the_truth(seed, found, model, frame, reached, asked)


def more_than_the_truth(
    seed: int, found: Found, model: hk.Model, frame: str, reached: Array, asked: int
) -> None:
    """Ask for 0.2 mm more than the distance from the outermost posture some way."""
    rng = np.random.default_rng(seed + 10**6)
    way = rng.normal(size=(asked, 3))
    way /= np.linalg.norm(way, axis=1)[:, None]
    outer = reached[np.argmax(reached @ way.T, axis=0)]
    gap = 10.0 ** rng.uniform(-2.5, 0, asked)
    q = np.tile(model.rest, (asked, 1))
    for whole in (False, True):
        try:
            chain = _core._reach_chain(model, frame, whole)
        except hk.UnsupportedError:
            continue
        outcome = _core._reach_prove(chain, outer + gap[:, None] * way, way, gap + 2e-4, q, 600, 1)[
            0
        ]
        found.count["asked for more"] += asked
        if (outcome == 0).any():
            found.failures.append(f"seed {seed}: more than the truth is proved, whole {whole}")


def some_figures(first: int, count: int) -> Found:
    found = Found()
    for seed in range(first, first + count):
        check_figure(seed, found)
    return found


if __name__ == "__main__":
    found = some_figures(int(sys.argv[1]), int(sys.argv[2]))
    print(dict(found.count))
    print("\n".join(found.failures) or "nothing found")
    sys.exit(bool(found.failures))
