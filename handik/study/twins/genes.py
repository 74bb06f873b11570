"""Postures as genes, numbers by counter, and the bookkeeping of the sampling solvers, in NumPy.

The twin of the core's ``csrc/solve/sample/genes.c``: the same numbers drawn in the same order, so
that a twin takes the same decisions as the core, to rounding.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from . import swing
from .jacobian import active_steps
from .tree import BALL, SLIDE, TURN, Array, Goal, Tree, problem_length

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def _mix(x: int) -> int:
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & _MASK
    return x ^ (x >> 31)


class Numbers:
    """Uniform numbers in [0, 1) that are a function of seed, stream and how many were drawn.

    SplitMix64 (Steele, Lea and Flood 2014) over a mixed key, as in the core.
    """

    def __init__(self, seed: int, name: str, restart: int = 0) -> None:
        self._begin(seed, _mix(int.from_bytes(name.encode(), "big")) + restart)

    def _begin(self, seed: int, stream: int) -> None:
        key = (stream * 0xD1342543DE82EF95 + 0x632BE59BD9B4E019) & _MASK
        self.state = _mix((seed + _GOLDEN) & _MASK) ^ _mix(key)

    @classmethod
    def counted(cls, seed: int, stream: int) -> Numbers:
        """Return the numbers of a stream that is known by its number."""
        out = cls.__new__(cls)
        out._begin(seed, stream)
        return out

    def __call__(self) -> float:
        """Draw the next."""
        self.state = (self.state + _GOLDEN) & _MASK
        return (_mix(self.state) >> 11) * 2.0**-53

    def below(self, count: int) -> int:
        """Whole number in [0, count)."""
        return min(int(self() * count), count - 1)

    def rotation(self) -> Array:
        """Uniform rotation as a quaternion (Marsaglia 1972)."""
        while True:
            a = 2 * self() - 1
            b = 2 * self() - 1
            s = a * a + b * b
            if s < 1:
                break
        while True:
            c = 2 * self() - 1
            d = 2 * self() - 1
            t = c * c + d * d
            if 1e-30 <= t < 1:
                break
        k = np.sqrt((1 - s) / t)
        return np.array([a, b, c * k, d * k])


@dataclass
class Part:
    """Genes of one coordinate or ball: ``line``, ``circle``, ``swing`` or ``quaternion``."""

    kind: str
    q: int
    at: slice
    unit: float
    low: Array
    high: Array
    lower: float = -np.inf
    upper: float = np.inf
    row: Array | None = None


class Genes:
    """Which numbers make the postures of a problem, and how they may be mixed.

    Balls limited by a polygon or by twists that follow the swing are not drawn as the core does.
    """

    def __init__(self, tree: Tree, goals: list[Goal]) -> None:
        self.tree, self.length = tree, problem_length(tree, goals)
        self.parts: list[Part] = []
        steps = active_steps(tree, goals)
        seen: set[int] = set()
        n = 0
        for s in steps:
            i = int(tree.step_q[s])
            if i in seen:
                continue
            seen.add(i)
            part = self._ball(s, n) if tree.step_kind[s] == BALL else self._line(s, n, steps)
            if part is None:
                continue
            self.parts.append(part)
            n = part.at.stop
        self.n = n
        self.span = np.concatenate([part.high - part.low for part in self.parts])

    def _ball(self, s: int, at: int) -> Part:
        i, row = int(self.tree.step_q[s]), self.tree.cones.get(s)
        if row is None:
            return Part("quaternion", i, slice(at, at + 4), 1.0, -np.ones(4), np.ones(4))
        low, high = np.append(-row[11:13], row[13]), np.append(row[9:11], row[14])
        return Part("swing", i, slice(at, at + 3), 1.0, low, high, row=row)

    def _line(self, s: int, at: int, steps: list[int]) -> Part | None:
        tree, i = self.tree, int(self.tree.step_q[s])
        if not tree.lower[i] < tree.upper[i]:
            return None
        sharing = [k for k in steps if tree.step_q[k] == i]
        slides = any(tree.step_kind[k] == SLIDE for k in sharing)
        unit = self.length if tree.step_kind[s] == SLIDE else 1.0
        low, high, wide = tree.lower[i] / unit, tree.upper[i] / unit, 1.0 if slides else np.pi
        whole = all(tree.step_kind[k] == TURN and tree.step_line[k, 0] == 1 for k in sharing)
        free = np.isinf(low) and np.isinf(high)
        if np.isinf(low):
            low = -wide if free else high - 2 * wide
        if np.isinf(high):
            high = low + 2 * wide
        ends = np.array([low]), np.array([high])
        kind = "circle" if free and whole else "line"
        own = slice(at, at + 1)
        return Part(kind, i, own, unit, *ends, float(tree.lower[i]), float(tree.upper[i]))

    def read(self, q: Array) -> Array:
        """Genes of q."""
        x = np.zeros(self.n)
        for part in self.parts:
            if part.row is not None:
                x[part.at] = swing.split(part.row, q[part.q : part.q + 4])
            elif part.kind == "quaternion":
                x[part.at] = q[part.q : part.q + 4]
            else:
                x[part.at] = q[part.q] / part.unit
        return x

    def write(self, x: Array, q: Array) -> Array:
        """Return q with these genes."""
        q = np.array(q, float)
        for part in self.parts:
            if part.row is not None:
                q[part.q : part.q + 4] = swing.join(part.row, x[part.at])
            elif part.kind == "quaternion":
                q[part.q : part.q + 4] = x[part.at]
            else:
                q[part.q] = np.clip(x[part.at][0] * part.unit, part.lower, part.upper)
        return q

    def right(self, x: Array) -> Array:
        """``x`` put right: inside the limits, quaternions of unit length."""
        x = np.array(x, float)
        for part in self.parts:
            if part.row is not None:
                x[part.at] = swing.clamp(part.row, x[part.at])
            elif part.kind == "quaternion":
                size = float(np.linalg.norm(x[part.at]))
                x[part.at] = x[part.at] / size if size > 1e-100 else np.eye(4)[0]
            else:
                x[part.at] = np.clip(x[part.at], part.lower / part.unit, part.upper / part.unit)
        return x

    def draw(self, numbers: Numbers) -> Array:
        """Random genes inside the limits."""
        x = np.zeros(self.n)
        for part in self.parts:
            if part.kind == "quaternion":
                x[part.at] = numbers.rotation()
                continue
            wide = part.high - part.low
            if part.row is None:
                x[part.at] = part.low + numbers() * wide
                continue
            while True:
                uv = part.low[:2] + np.array([numbers(), numbers()]) * wide[:2]
                a, b = swing.half_axes(part.row, uv)
                if (uv[0] / a) ** 2 + (uv[1] / b) ** 2 <= 1:
                    break
            x[part.at] = [*uv, part.low[2] + numbers() * wide[2]]
        return x

    def way(self, a: Array, b: Array) -> Array:
        """Straight way from a to b; the shorter way round circles and between quaternions."""
        out = b - a
        for part in self.parts:
            if part.kind == "quaternion" and a[part.at] @ b[part.at] < 0:
                out[part.at] = -b[part.at] - a[part.at]
            if part.kind == "circle":
                out[part.at] -= 2 * np.pi * np.floor(out[part.at] / (2 * np.pi) + 0.5)
        return out


def order_of(errors: Iterable[float]) -> list[int]:
    """Members in the order of their errors; of equal ones the first comes first."""
    return [int(i) for i in np.argsort(np.array(list(errors)), kind="stable")]
