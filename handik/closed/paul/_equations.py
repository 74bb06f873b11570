"""The equations Paul's method looks at: polynomials in the sines and cosines of a serial arm.

The arm is ``G = J1 L1 J2 L2 ... Jn``: a joint turns about or slides along its z axis, a link is
``Tz(d) Tx(a) Rx(alpha)`` (before a slide also a fixed turn about z), and the goal G is the pose
without what stands before joint 1 and after joint n. Neighboring joints with parallel axes turn
by sums of angles, which keep names of their own (C23 for the cosine of theta_2 + theta_3).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: An angle: joints (from 1) and the signs they are counted with, the first one +1.
Angle = tuple[tuple[int, int], ...]
Matrix = list[list[Any]]

GOAL = "nx ox ax px ny oy ay py nz oz az pz".split()
BACK = "qx qy qz".split()
EXACT = 1e-12
MOST_TERMS = 150  # of an element: a longer one is of no use to a reader
MOST_SQUARED = 40


def angle_name(angle: Angle) -> str:
    """Write 2, 23, 2-4: the joints whose angles are summed."""
    word = "".join(("" if s > 0 else "-") + str(j) for j, s in angle)
    return f"({word})" if "-" in word else word


@dataclass(frozen=True)
class Row:
    """A joint and the link after it: Tz(d) Tx(a) Rx(alpha) Rz(theta)."""

    turns: bool
    d: float
    a: float
    alpha: float
    theta: float


@dataclass(frozen=True, eq=False)
class Equation:
    """A polynomial that is zero, and where it was read."""

    poly: Any
    where: str
    element: str


class Algebra:
    """The ring of an arm, its matrices, and the equations they give."""

    def __init__(self, rows: list[Row]) -> None:
        from sympy import ZZ, Symbol
        from sympy.polys.rings import ring

        self.rows = rows
        self.n = len(rows)
        self.values: dict[str, float] = {}  # numbers of the named lengths and fixed angles
        names: list[str] = []
        self.angles = self._all_angles()
        for angle in self.angles:
            names += ["C" + angle_name(angle), "S" + angle_name(angle)]
        self.slides = [i + 1 for i, row in enumerate(rows) if not row.turns]
        names += [f"r{i}" for i in self.slides]
        fixed: dict[str, tuple[str, str]] = {}
        for i, row in enumerate(rows[:-1], 1):
            for word, x in (("d", row.d), ("a", row.a)):
                if abs(x) > EXACT:
                    self.values[f"{word}{i}"] = x
            for word, x in (("t", row.theta), ("l", row.alpha)):
                if _exact_turn(x) is None:
                    fixed[f"{word}{i}"] = (f"c{word}{i}", f"s{word}{i}")
                    self.values[f"c{word}{i}"] = float(np.cos(x))
                    self.values[f"s{word}{i}"] = float(np.sin(x))
        names += [*self.values, *GOAL, *BACK]
        made = ring([Symbol(name) for name in names], ZZ)
        self.ring, generators = made[0], made[1:]
        self.gen = dict(zip(names, generators, strict=True))
        self.index = {name: i for i, name in enumerate(names)}
        self.names = names
        self.symbol = dict(zip(names, self.ring.symbols, strict=True))
        pairs = [("C" + angle_name(a), "S" + angle_name(a)) for a in self.angles]
        self.pairs = [(self.index[c], self.index[s]) for c, s in [*pairs, *fixed.values()]]
        self.one, self.zero = self.ring.one, self.ring.zero

    def _all_angles(self) -> list[Angle]:
        """Every sum of angles that neighboring parallel axes can make."""
        found: list[Angle] = []
        for i in range(self.n):
            sign, angle = 1, []
            for j in range(i, self.n):
                if self.rows[j].turns:
                    angle.append((j + 1, sign))
                    key = normal(angle)[0]
                    if self.rows[i].turns and key not in found:
                        found.append(key)
                if j + 1 == self.n or not self._parallel(j):
                    break
                sign = -sign if abs(self.rows[j].alpha) > 1 else sign
        return sorted(found, key=lambda k: (len(k), k))

    def _parallel(self, j: int) -> bool:
        row = self.rows[j]
        turn = _exact_turn(row.alpha)
        return turn is not None and turn % 2 == 0 and abs(row.theta) < EXACT

    # ---- polynomials ----

    def reduce(self, poly: Any) -> Any:
        """Write S^2 as 1 - C^2 wherever it stands."""
        for c, s in self.pairs:
            if not poly or max(m[s] for m in poly) < 2:
                continue
            out = self.zero
            rest = 1 - self.ring.gens[c] ** 2
            for monomial, k in poly.items():
                power = monomial[s] // 2
                low = list(monomial)
                low[s] -= 2 * power
                term = self.ring({tuple(low): k})
                out += term * rest**power if power else term
            poly = out
        return poly

    def trig(self, angle: list[tuple[int, int]]) -> tuple[Any, Any]:
        """Cosine and sine of a sum of angles."""
        if not angle:
            return self.one, self.zero
        key, sign = normal(angle)
        word = angle_name(key)
        return self.gen["C" + word], sign * self.gen["S" + word]

    def constant(self, word: str, i: int, x: float) -> tuple[Any, Any]:
        """Cosine and sine of a fixed angle: exact for right angles, else named."""
        turn = _exact_turn(x)
        if turn is None:
            return self.gen[f"c{word}{i}"], self.gen[f"s{word}{i}"]
        return self.one * (1, 0, -1, 0)[turn], self.one * (0, 1, 0, -1)[turn]

    def length(self, word: str, i: int) -> Any:
        """Return a named length, or zero."""
        return self.gen.get(f"{word}{i}", self.zero)

    # ---- motions ----

    def motion(self, i: int, j: int) -> Matrix:
        """J L of joints i to j (from 1, both counted); the identity when j < i."""
        out = self.identity()
        for a, b in self._runs(i, j):
            out = self.times(out, self._run(a, b))
        return out

    def back(self, i: int, j: int) -> Matrix:
        """Inverse of `motion`, with the sums of angles that are left after it."""
        out = self.identity()
        for a, b in reversed(list(self._runs(i, j))):
            out = self.times(out, self._run_back(a, b))
        return out

    def _runs(self, i: int, j: int) -> Iterator[tuple[int, int]]:
        first = i
        for k in range(i, j + 1):
            if k == j or not self._parallel(k - 1):
                yield first, k
                first = k + 1

    def _walk(self, a: int, b: int) -> tuple[list[Any], list[Any], list[tuple[int, int]], int]:
        """Of parallel joints: the links' steps as (angle so far, a, z), and the whole turn."""
        sign, angle, steps = 1, [], []
        z = self.zero
        for k in range(a, b + 1):
            row = self.rows[k - 1]
            if row.turns:
                angle.append((k, sign))
            else:
                z += sign * self.gen[f"r{k}"]
            if k < self.n:
                z += sign * self.length("d", k)
                steps.append((list(angle), self.length("a", k)))
            if k < b and abs(row.alpha) > 1:
                sign = -sign
        return steps, [z], angle, sign

    def _run(self, a: int, b: int) -> Matrix:
        steps, (z,), angle, sign = self._walk(a, b)
        c, s = self.trig(angle)
        x = y = self.zero
        for so_far, length in steps:
            if length:
                ck, sk = self.trig(so_far)
                x, y = x + length * ck, y + length * sk
        m = [[c, -sign * s, self.zero, x], [s, sign * c, self.zero, y]]
        m += [[self.zero, self.zero, sign * self.one, z], self.last()]
        return self.times(m, self._tilt(b, 1)) if b < self.n else m

    def _run_back(self, a: int, b: int) -> Matrix:
        steps, (z,), angle, sign = self._walk(a, b)
        c, s = self.trig(angle)
        x = y = self.zero
        for so_far, length in steps:  # seen from the end: turned back by what comes after
            if length:
                ck, sk = self.trig([(j, t) for j, t in angle if (j, t) not in so_far])
                x, y = x - length * ck, y + length * sk
        m = [[c, s, self.zero, x], [-sign * s, sign * c, self.zero, sign * y]]
        m += [[self.zero, self.zero, sign * self.one, -sign * z], self.last()]
        return self.times(self._tilt(b, -1), m) if b < self.n else m

    def _tilt(self, k: int, way: int) -> Matrix:
        """Rx(alpha) Rz(theta) of link k, or its inverse."""
        row = self.rows[k - 1]
        c, s = self.constant("l", k, row.alpha)
        m = self.identity()
        m[1][1], m[1][2], m[2][1], m[2][2] = c, -way * s, way * s, c
        if abs(row.theta) <= EXACT:
            return m
        c, s = self.constant("t", k, row.theta)
        turn = self.identity()
        turn[0][0], turn[0][1], turn[1][0], turn[1][1] = c, -way * s, way * s, c
        return self.times(m, turn) if way > 0 else self.times(turn, m)

    def last(self) -> list[Any]:
        """Return the row 0 0 0 1."""
        return [self.zero, self.zero, self.zero, self.one]

    def identity(self) -> Matrix:
        """Return no motion."""
        return [[self.one if i == j else self.zero for j in range(4)] for i in range(4)]

    def goal(self) -> Matrix:
        """Return G."""
        g = [self.gen[name] for name in GOAL]
        return [g[0:4], g[4:8], g[8:12], self.last()]

    def goal_back(self) -> Matrix:
        """Return the inverse of G."""
        g = [self.gen[name] for name in GOAL]
        q = [self.gen[name] for name in BACK]
        return [[g[i], g[4 + i], g[8 + i], q[i]] for i in range(3)] + [self.last()]

    def times(self, a: Matrix, b: Matrix) -> Matrix:
        """Product of two motions; None for elements too long to be of use."""
        out = []
        for i in range(3):
            row = []
            for j in range(4):
                total = a[i][3] if j == 3 else self.zero
                for k in range(3):
                    x, y = a[i][k], b[k][j]
                    if total is None or x is None or y is None or len(x) * len(y) > MOST_TERMS**2:
                        total = None
                        break
                    if x and y:
                        total = total + x * y
                total = None if total is None else self.reduce(total)
                row.append(None if total is None or len(total) > MOST_TERMS else total)
            out.append(row)
        return [*out, self.last()]

    # ---- equations ----

    def parted(self, back: bool) -> Iterator[tuple[Matrix, Matrix, str]]:
        """Both sides of every way to part the chain, or of their inverses, and words for it."""
        n = self.n
        for i in range(n):
            for j in range(i + 1, n + 1):
                if back:
                    left = self.times(self.motion(j + 1, n), self.goal_back())
                    left, right = self.times(left, self.motion(1, i)), self.back(i + 1, j)
                else:
                    left = self.times(self.back(1, i), self.goal())
                    left, right = self.times(left, self.back(j + 1, n)), self.motion(i + 1, j)
                yield left, right, _parting(i, j, n, back)

    def elements(self, back: bool = False) -> Iterator[Equation]:
        """Every element of every way to part the chain; of the inverses the positions, as new."""
        for left, right, words in self.parted(back):
            for r in range(3):
                for c in (3,) if back else (0, 1, 2, 3):
                    x, y = left[r][c], right[r][c]
                    if x is not None and y is not None and x - y:
                        yield Equation(x - y, words, f"element ({r + 1}, {c + 1})")

    def squares(self) -> Iterator[Equation]:
        """Square the length of the position on both sides."""
        for back in (False, True):
            for left, right, words in self.parted(back):
                column = [m[r][3] for m in (left, right) for r in range(3)]
                if any(x is None or len(x) > MOST_SQUARED for x in column):
                    continue
                both = [
                    self.reduce(sum((x**2 for x in c), self.zero)) for c in (column[:3], column[3:])
                ]
                if both[0] - both[1]:
                    yield Equation(both[0] - both[1], words, "squares of the fourth column, summed")


def normal(angle: list[tuple[int, int]]) -> tuple[Angle, int]:
    """Write a sum of angles with the first sign positive; the factor that was taken out."""
    if angle[0][1] > 0:
        return tuple(angle), 1
    return tuple((j, -s) for j, s in angle), -1


def _exact_turn(x: float) -> int | None:
    """Quarter turns, when x is a whole number of them."""
    k = round(x / (np.pi / 2))
    return k % 4 if abs(x - k * np.pi / 2) < EXACT else None


def _parting(i: int, j: int, n: int, back: bool) -> str:
    """Words for the equation of matrices, T_k being joint k with its link."""
    before = " ".join(f"T{k}^-1" for k in range(i, 0, -1))
    after = " ".join(f"T{k}^-1" for k in range(n, j, -1))
    left = " ".join(word for word in (before, "G", after) if word)
    right = " ".join(f"T{k}" for k in range(i + 1, j + 1))
    return f"({left})^-1 = ({right})^-1" if back else f"{left} = {right}"
