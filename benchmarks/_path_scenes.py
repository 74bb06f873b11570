"""Scenes that paths are planned in, and problems in them that are drawn by a seed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from math import cos, pi, sin

import numpy as np
from numpy.typing import NDArray

import handik as hk

from .distances import plain_person
from .robots import EXAMPLES

Array = NDArray[np.float64]
Span = tuple[tuple[float, float, float], tuple[float, float, float]]

UPRIGHT = (1.0, 0.0, 0.0, 0.0)
#: Bars of a cage; meters and radians that both ends of a problem keep from contact and limits: who is locked in there
#: cannot be let out, and no planner is asked to tell.
BARS, ROOM, MARGIN = 10, 0.01, 0.2
READY = (0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785)


@cache
def panda() -> hk.Figure:
    """Return the arm with its makers' own capsules, the fingers held: seven turns."""
    read = hk.load(EXAMPLES / "panda_description/urdf/panda_collision.urdf")
    spec = read.spec.copy()
    spec.joints[:] = [
        replace(joint, kind="fixed", lower=None, upper=None, mimic=None)
        if "finger" in joint.name
        else joint
        for joint in spec.joints
    ]
    model, parts = hk.Model(spec), []
    for link in spec.links:
        for shape in link.collisions:
            if shape.kind == "cylinder":  # its half balls are spheres of their own there
                turn, place = shape.placement[:3, :3], shape.placement[:3, 3]
                up = turn @ np.array([0.0, 0.0, (shape.length or 0.0) / 2])
                parts.append(
                    hk.Capsule(
                        link.name,
                        tuple(map(float, place - up)),
                        tuple(map(float, place + up)),
                        float(shape.radius or 0.0),
                    )
                )
    return hk.Figure(model, parts, rest=READY)


@cache
def person() -> hk.Figure:
    """Return 21 hinges and 20 capsules."""
    return plain_person()


def box(scene: hk.Scene, name: str, low: tuple[float, ...], high: tuple[float, ...]) -> hk.Scene:
    """Return the scene with a box between two corners."""
    a, b = np.array(low), np.array(high)
    return scene.add(name, hk.scene.Box(tuple(b - a)), pose=(tuple((a + b) / 2), UPRIGHT))


def bar(
    scene: hk.Scene, name: str, place: tuple[float, float, float], long: float, thick: float
) -> hk.Scene:
    """Return the scene with an upright bar, its middle at a place."""
    return scene.add(name, hk.scene.Capsule(long, thick / 2), pose=(place, UPRIGHT))


def shelf() -> hk.Scene:
    """Return boards before the arm."""
    out = hk.Scene()
    for k, z in enumerate((0.0, 0.45, 0.9)):
        out = box(out, f"board_{k}", (0.5, -0.6, z), (0.9, 0.6, z + 0.02))
    for k, y in enumerate((-0.6, -0.01, 0.58)):
        out = box(out, f"side_{k}", (0.5, y, 0.0), (0.9, y + 0.02, 0.92))
    return box(out, "back", (0.9, -0.6, 0.0), (0.92, 0.6, 0.92))


def table() -> hk.Scene:
    """Return a table top beside the arm."""
    out = box(hk.Scene(), "top", (0.3, -0.7, 0.4), (0.9, 0.7, 0.44))
    out = box(out, "leg_left", (0.8, 0.6, -0.3), (0.86, 0.66, 0.4))
    return box(out, "leg_right", (0.8, -0.66, -0.3), (0.86, -0.6, 0.4))


def cage(thick: float) -> hk.Scene:
    """Return upright bars about the arm, ten on a circle of half a meter."""
    out = hk.Scene()
    for k in range(BARS):
        turn = 2 * pi * k / BARS
        out = bar(out, f"bar_{k}", (0.5 * cos(turn), 0.5 * sin(turn), 0.5), 1.6, thick)
    return out


def window() -> hk.Scene:
    """Return a wall with a hole before the arm."""
    out = box(hk.Scene(), "below", (0.4, -1.0, -0.2), (0.44, 1.0, 0.35))
    out = box(out, "above", (0.4, -1.0, 0.75), (0.44, 1.0, 1.3))
    out = box(out, "left", (0.4, 0.22, 0.35), (0.44, 1.0, 0.75))
    return box(out, "right", (0.4, -1.0, 0.35), (0.44, -0.22, 0.75))


def bins() -> hk.Scene:
    """Return two open boxes on a table."""
    out = box(hk.Scene(), "top", (0.25, -0.8, -0.04), (0.95, 0.8, 0.0))
    for name, y in (("left", 0.3), ("right", -0.3)):
        for part, low, high in (
            ("front", (0.35, y - 0.2, 0.0), (0.37, y + 0.2, 0.3)),
            ("back", (0.75, y - 0.2, 0.0), (0.77, y + 0.2, 0.3)),
            ("near", (0.35, y - 0.21, 0.0), (0.77, y - 0.19, 0.3)),
            ("far", (0.35, y + 0.19, 0.0), (0.77, y + 0.21, 0.3)),
        ):
            out = box(out, f"{name}_{part}", low, high)
    return out


def boxes() -> hk.Scene:
    """Return thirty boxes at random about the arm."""
    draw, out = np.random.default_rng(7), hk.Scene()
    alone = hk.Figure(panda().model, panda().capsules, pairs=[])
    while len(out.obstacles()) < 30:
        at = draw.uniform((-0.8, -0.8, 0.0), (0.8, 0.8, 1.2))
        size = draw.uniform(0.05, 0.2, 3)
        more = box(out, f"box_{len(out.obstacles())}", tuple(at - size / 2), tuple(at + size / 2))
        if float(more.distance(alone, READY, 0.1)) > 0.05:
            out = more
    return out


def person_table() -> hk.Scene:
    """Return a table before a person whose hips are the origin."""
    out = box(hk.Scene(), "top", (0.22, -0.6, 0.02), (0.82, 0.6, 0.05))
    for k, (x, y) in enumerate(((0.76, -0.55), (0.76, 0.55))):
        out = box(out, f"leg_{k}", (x, y - 0.03, -0.9), (x + 0.05, y + 0.03, 0.02))
    return out


def person_cupboard() -> hk.Scene:
    """Return the table, and a cupboard that stands on it."""
    out = person_table()
    for part, low, high in (
        ("floor", (0.4, -0.5, 0.35), (0.8, 0.1, 0.37)),
        ("roof", (0.4, -0.5, 0.75), (0.8, 0.1, 0.77)),
        ("left", (0.4, 0.08, 0.35), (0.8, 0.1, 0.77)),
        ("right", (0.4, -0.5, 0.35), (0.8, -0.48, 0.77)),
        ("back", (0.8, -0.5, 0.35), (0.82, 0.1, 0.77)),
    ):
        out = box(out, f"cupboard_{part}", low, high)
    return out


@dataclass(frozen=True)
class Setting:
    """A scene, who moves in it, and where the hand is before and after."""

    scene: hk.Scene
    figure: hk.Figure
    frame: str
    first: tuple[Span, ...]
    last: tuple[Span, ...]

    def problems(self, n: int, seed: int) -> list[tuple[Array, Array]]:
        """Return n pairs of free postures whose hands are in a span of `first` and of `last`."""
        draw = np.random.default_rng(seed)
        starts = [self._posture(self.first, draw) for _ in range(n)]
        return [(start, self._posture(self.last, draw)) for start in starts]

    def _posture(self, spans: tuple[Span, ...], draw: np.random.Generator) -> Array:
        model, rest = self.figure.model, self.figure._rest
        alone = hk.Figure(model, self.figure.capsules, pairs=[])
        while True:
            low, high = spans[int(draw.integers(len(spans)))]
            aim = draw.uniform(low, high, (64, 3))
            q0 = model.sample(64, seed=int(draw.integers(2**31)))
            if model.nq > 10:  # free postures of a person are rare: nearer to the rest
                q0 = model.integrate(rest, 0.5 * model.difference(rest, q0))
            found = model.solve(position=aim, frame=self.frame, q0=q0, max_restarts=0)
            q = np.asarray(found.q)
            good = np.asarray(found.converged) & self.scene.free(self.figure, q)
            off = np.minimum(q - model.lower, model.upper - q).min(axis=1)
            good &= (off > MARGIN) & (self.scene.distance(alone, q, 2 * ROOM) > ROOM)
            if good.any():
                return q[int(np.argmax(good))]


def gaps() -> tuple[Span, ...]:
    """Return places outside the bars, between two of them."""
    out = []
    for k in (0, 1, 2, BARS - 3, BARS - 2, BARS - 1):
        turn = 2 * pi * (k + 0.5) / BARS
        x, y = 0.66 * cos(turn), 0.66 * sin(turn)
        out.append(((x - 0.05, y - 0.05, 0.3), (x + 0.05, y + 0.05, 0.7)))
    return tuple(out)


def settings() -> dict[str, Setting]:
    """Return the ten settings by name."""
    arm, body, hand, right = panda(), person(), "panda_hand", "hand_right"
    cells = tuple(
        ((0.6, y - 0.15, z + 0.12), (0.75, y + 0.15, z + 0.3))
        for y in (-0.3, 0.3)
        for z in (0.0, 0.45)
    )
    above, below = ((0.45, -0.4, 0.58), (0.7, 0.4, 0.8)), ((0.4, -0.4, 0.05), (0.6, 0.4, 0.22))
    on, under = ((0.3, -0.4, 0.16), (0.5, 0.1, 0.3)), ((0.3, -0.4, -0.25), (0.5, 0.1, -0.12))
    inside = ((0.45, -0.38, 0.46), (0.6, -0.02, 0.65))
    through, before = ((0.55, -0.15, 0.4), (0.75, 0.15, 0.7)), ((0.0, -0.6, 0.5), (0.3, 0.6, 0.9))
    return {
        "shelf": Setting(shelf(), arm, hand, cells, cells),
        "table": Setting(table(), arm, hand, (below,), (above,)),
        "cage 4 cm": Setting(cage(0.04), arm, hand, gaps(), gaps()),
        "cage 5 cm": Setting(cage(0.05), arm, hand, gaps(), gaps()),
        "cage 5.6 cm": Setting(cage(0.056), arm, hand, gaps(), gaps()),
        "window": Setting(window(), arm, hand, (before,), (through,)),
        "bins": Setting(
            bins(),
            arm,
            hand,
            (((0.45, 0.18, 0.16), (0.68, 0.42, 0.25)),),
            (((0.45, -0.42, 0.16), (0.68, -0.18, 0.25)),),
        ),
        "boxes": Setting(
            boxes(),
            arm,
            hand,
            (((-0.7, -0.7, 0.1), (0.7, 0.7, 0.9)),),
            (((-0.7, -0.7, 0.1), (0.7, 0.7, 0.9)),),
        ),
        "person, table": Setting(person_table(), body, right, (on,), (under,)),
        "person, cupboard": Setting(person_cupboard(), body, right, (on,), (inside,)),
    }
