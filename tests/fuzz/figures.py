"""Random figures for the fuzzer of solves: trees of every kind of joint, with every kind of limits.

A figure is drawn from a generator alone, so that its seed is all it takes to have it again. What the
model refuses by name (a polygon that crosses itself, a mimic without a way) is drawn anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

import handik as hk
from handik.spec import (
    Cone,
    FrameSpec,
    InertialSpec,
    JointSpec,
    LinkSpec,
    MimicSpec,
    ModelSpec,
    ReachCone,
    SwingMimicSpec,
    TwistTable,
)

#: Every kind, hinges and balls more often; a few families instead draw from a short list of them.
KINDS = ("revolute",) * 5 + ("prismatic", "prismatic", "ball", "ball", "ball")
KINDS += ("fixed", "cylindrical", "universal", "planar", "free")
FAMILIES = ("any", "any", "any", "arm", "arm", "ropes", "slides", "person")


def some(rng: Generator, *choices: Any) -> Any:
    return choices[int(rng.integers(len(choices)))]


def direction(rng: Generator) -> tuple[float, float, float]:
    """Along a coordinate axis, or anywhere; its length does not matter."""
    if rng.random() < 0.5:
        x = np.eye(3)[rng.integers(3)] * some(rng, 1.0, -1.0, 2.5)
    else:
        x = rng.normal(size=3)
    return (float(x[0]), float(x[1]), float(x[2]))


def across(rng: Generator, axis: tuple[float, float, float]) -> tuple[float, float, float]:
    """A direction at a right angle to another."""
    z = np.asarray(axis) / np.linalg.norm(axis)
    while True:
        x = np.eye(3)[rng.integers(3)] if rng.random() < 0.5 else rng.normal(size=3)
        x = x - z * (x @ z)
        if np.linalg.norm(x) > 0.1:
            x = x / np.linalg.norm(x)
            x = x - z * (x @ z)
            return (float(x[0]), float(x[1]), float(x[2]))


def rotation(rng: Generator) -> np.ndarray:
    """Quarter turns, half turns, or anything."""
    kind = rng.integers(3)
    if kind == 0:
        return np.eye(3)
    if kind == 1:
        axes = np.eye(3)[rng.permutation(3)] * rng.choice([-1.0, 1.0], size=3)
        return axes * np.linalg.det(axes)
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


def placement(rng: Generator, size: float) -> np.ndarray:
    at = np.eye(4)
    if rng.random() < 0.6:
        at[:3, :3] = rotation(rng)
    kind = rng.integers(5)
    if kind == 1:
        at[rng.integers(3), 3] = size
    elif kind > 1:
        at[:3, 3] = rng.normal(size=3) * size
    return at


def interval(rng: Generator, slide: bool, size: float) -> tuple[float | None, float | None]:
    """None, two-sided, one-sided, equal, a rounding wide, off zero, many turns wide, infinite by name."""
    wide = size if slide else some(rng, 0.3, 1.5, 3.0)
    middle = float(rng.normal()) * some(rng, 0.0, 0.3, 1.0) * (size if slide else 1.0)
    low, high = middle - wide * rng.random(), middle + wide * rng.random()
    kind = rng.integers(12)
    if kind < 5:
        return low, high
    if kind == 5:
        return None, high
    if kind == 6:
        return low, None
    if kind == 7:
        return low, low
    if kind == 8:
        return low, float(np.nextafter(low, np.inf))
    if kind == 9:
        return (low - 20, high + 7) if rng.random() < 0.5 else (-20.0 - high, -4.0)
    if kind == 10:
        return -np.inf, np.inf
    return None, None


def twist(rng: Generator) -> Any:
    """All of it, a range, a point, or a table over the azimuth."""
    low, high = sorted(rng.uniform(-np.pi, np.pi, 2))
    kind = rng.integers(5)
    if kind == 0:
        return (-np.pi, np.pi)
    if kind == 1:
        return (float(low), float(low))
    if kind < 4:
        return (float(low), float(high))
    azimuth = np.sort(rng.uniform(-np.pi, np.pi - 1e-3, int(rng.integers(1, 6))))
    rows = [(float(a), *map(float, sorted(rng.uniform(-np.pi, np.pi, 2)))) for a in azimuth]
    return TwistTable((float(low), float(high)), rows, float(rng.uniform(0.2, np.pi)))


def ball_room(rng: Generator) -> Cone | ReachCone | None:
    kind = rng.integers(6)
    if kind < 2:
        return None
    if kind == 2:
        return Cone(float(rng.uniform(0.05, 3.0)), twist(rng))
    if kind == 3:
        return Cone([float(x) for x in rng.uniform(0.03, some(rng, 0.6, 2.0, 5.0), 4)], twist(rng))
    count = int(rng.integers(3, 8))
    azimuth = np.sort(rng.uniform(0, 2 * np.pi, count)) + rng.normal()
    if rng.random() < 0.15:
        azimuth = azimuth[::-1]  # all but what it goes round
    swing = rng.uniform(0.2, some(rng, 0.8, 1.5, 2.8), count)
    return ReachCone(
        [(float(a), float(s)) for a, s in zip(azimuth, swing, strict=True)], twist(rng)
    )


def joint(rng: Generator, name: str, kind: str, parent: str, child: str, size: float) -> JointSpec:
    axis = direction(rng)
    out = JointSpec(name, kind, parent, child, placement(rng, size), axis)
    if kind in ("universal", "planar", "ball"):
        out.axis2 = across(rng, axis)
    if kind == "ball":
        out.cone = ball_room(rng)
        if out.cone is None and rng.random() < 0.5:
            out.axis2 = None
    elif kind in ("revolute", "prismatic"):
        out.lower, out.upper = interval(rng, kind == "prismatic", size)
    elif kind != "fixed" and rng.random() < 0.7:
        count = 7 if kind == "free" else out.nq
        slides = {"cylindrical": (1,), "planar": (0, 1), "free": (0, 1, 2)}.get(kind, ())
        pairs = [interval(rng, k in slides, size) for k in range(count)]
        out.lower = [-np.inf if low is None else low for low, _ in pairs]
        out.upper = [np.inf if high is None else high for _, high in pairs]
    return out


def mimics(rng: Generator, joints: list[JointSpec]) -> None:
    """Some joints follow an earlier one: either sign, offsets, followers of followers."""
    plain = [j for j in joints if j.kind in ("revolute", "prismatic")]
    for k in range(1, len(plain)):
        if rng.random() < 0.15:
            scale = float(some(rng, 1.0, -1.0, 0.5, -1.7, 3.0, rng.normal()))
            if abs(scale) < 1e-3:
                continue
            offset = float(some(rng, 0.0, 0.0, rng.normal()))
            plain[k].mimic = MimicSpec(plain[int(rng.integers(k))].name, scale, offset)
    swings(rng, joints, plain)


def swings(rng: Generator, joints: list[JointSpec], plain: list[JointSpec]) -> None:
    """Some joints that nothing follows go with the swing of a ball, above or below them."""
    balls = [j for j in joints if j.kind == "ball"]
    followed = {j.mimic.joint for j in plain if j.mimic is not None}
    if not balls or rng.random() < 0.7:
        return
    for one in plain:
        if one.mimic is None and one.name not in followed and rng.random() < 0.3:
            ball = balls[int(rng.integers(len(balls)))]
            size = float(some(rng, 0.02, 0.2, 1.0))
            terms = int(some(rng, 1, 4, 10, 20, 20))
            one.mimic = SwingMimicSpec(ball.name, (size * rng.normal(size=terms)).tolist())
            one.lower = one.upper = None


def parents(rng: Generator, count: int, family: str) -> list[int]:
    """Of each link but the base, by number: chains, brooms, trees."""
    straight = {
        "arm": 1.0,
        "ropes": 0.9,
        "slides": 0.8,
        "person": 0.7,
        "any": some(rng, 1.0, 0.8, 0.4),
    }
    return [
        k if rng.random() < straight[family] else int(rng.integers(k + 1)) for k in range(count)
    ]


def kind_of(rng: Generator, family: str) -> str:
    if family == "arm":
        return "revolute" if rng.random() < 0.93 else "prismatic"
    if family == "ropes":
        return "ball"
    if family == "slides":
        return str(some(rng, "prismatic", "revolute", "cylindrical", "planar"))
    if family == "person":
        return str(some(rng, "ball", "revolute", "universal", "fixed"))
    return str(some(rng, *KINDS))


def body(rng: Generator, size: float) -> InertialSpec | None:
    if rng.random() < 0.3:
        return None
    half = rng.normal(size=(3, 3)) * size * 0.1
    return InertialSpec(float(rng.uniform(0, 3)), rng.normal(size=3) * size * 0.2, half @ half.T)


def draw(rng: Generator) -> ModelSpec:
    family = str(some(rng, *FAMILIES))
    count = int(rng.integers(1, some(rng, 4, 8, 12, 25) if family != "arm" else 9))
    size = float(some(rng, 1.0, 0.3, 0.3, 0.3, 1e-3, 50.0))
    masses = rng.random() < 0.5
    links = [LinkSpec(f"l{k}", body(rng, size) if masses else None) for k in range(count + 1)]
    above = parents(rng, count, family)
    joints = [
        joint(rng, f"j{k}", kind_of(rng, family), f"l{above[k]}", f"l{k + 1}", size)
        for k in range(count)
    ]
    mimics(rng, joints)
    frames = [
        FrameSpec(f"f{k}", f"l{rng.integers(count + 1) if k else count}", placement(rng, size))
        for k in range(int(rng.integers(1, 4)))
    ]
    return ModelSpec("fuzzed", links, joints, frames, tip="f0")


def figure(rng: Generator) -> hk.Model:
    """Draw until the model takes one that can move."""
    while True:
        try:
            model = hk.Model(draw(rng))
        except hk.ModelError:
            continue
        if model.nv > 0 and np.isfinite(model.rest).all():
            return model
