"""The search for equations of the eleven types, and the steps it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.closed.paul import types
from handik.closed.paul._equations import Algebra, Equation, angle_name

Array = NDArray[np.float64]
#: A coefficient below this, at postures drawn at random, is zero though it does not look it.
VANISHES = 1e-7
NUMERIC: dict[int, Callable[..., Any]] = {
    1: types.type_1,
    2: types.type_2,
    3: types.type_3,
    4: types.type_4,
    5: types.type_5,
    6: types.type_6,
    7: types.type_7,
    8: types.type_8,
    9: types.type_9,
    10: types.type_10,
    11: types.type_11,
}
LETTERS = {
    1: "X Y",
    2: "X Y Z",
    3: "X1 Y1 Z1 X2 Y2 Z2",
    4: "X1 Y1 X2 Y2",
    5: "X1 Y1 Z1 X2 Y2 Z2",
    6: "W X Y Z1 Z2",
    7: "W1 W2 X Y Z1 Z2",
    8: "X Y Z1 Z2",
    9: "a2 a1 a0",
    10: "a4 a3 a2 a1 a0",
    11: "a4 a3 a2 a1 a0",
}
#: Letters that may not all be zero, or nothing is bound.
NEEDED: dict[int, list[tuple[str, ...]]] = {
    1: [("X",)],
    2: [("X", "Y")],
    3: [("X1", "Y1"), ("X2", "Y2")],
    4: [("X1",), ("X2",)],
    5: [("X1",), ("X2",), ("Z1", "Z2")],
    6: [("W",), ("X", "Y"), ("Z1", "Z2")],
    7: [("W1", "W2"), ("X", "Y"), ("Z1", "Z2")],
    8: [("X",), ("Y",)],
    9: [("a2",)],
    10: [("a4", "a3", "a2", "a1")],
    11: [("a4", "a3", "a2", "a1")],
}
#: The order in which types are tried: what leaves fewer answers and is shorter comes first.
ORDER = (1, 3, 2, 4, 5, 8, 6, 7, 9, 11, 10)


@dataclass(frozen=True, eq=False)
class Step:
    """One or two unknowns bound by equations of one type.

    Attributes
    ----------
    type : int
        1 to 11.
    unknowns : tuple of str
        What becomes known: ``"2"`` for theta2, ``"23"`` for theta2 + theta3, ``"r3"`` for a slide.
    equations : tuple of Equation
        The polynomials that are zero, and where they were read.
    letters : dict
        What the capital letters of the type stand for, as polynomials.
    follows : tuple
        Angles known from then on as sums of known ones: (name, ((factor, name), ...)).
    mirrored : bool
        The second unknown is counted backwards in the equations of the type.
    """

    type: int
    unknowns: tuple[str, ...]
    equations: tuple[Equation, ...]
    letters: dict[str, Any]
    algebra: Algebra
    mirrored: bool = False
    follows: tuple[tuple[str, tuple[tuple[int, str], ...]], ...] = ()

    def solve(self, numbers: dict[str, Array], m: int) -> tuple[list[Array], NDArray[np.bool_]]:
        """Answers (m, k) of each unknown, and where the first one is free (m,)."""
        given = {k: evaluate(poly, self.algebra, numbers, m) for k, poly in self.letters.items()}
        found = NUMERIC[self.type](*given.values())
        answers = list(found) if isinstance(found, tuple) else [found]
        if self.type == 8:
            answers[1] = answers[0] + answers[1]
        if self.mirrored:
            answers[1] = -answers[1]
        if self.type in (2, 3):
            loose = np.max([np.abs(x) for x in given.values()], axis=0) <= types.FREE
        else:
            loose = np.zeros(m, bool)
        return answers, loose

    def learn(self, numbers: dict[str, Array], answers: list[Array], loose: Any) -> None:
        """Add the unknowns, and what follows from them, to the numbers that are known."""
        for name, x in zip(self.unknowns, answers, strict=True):
            _know(numbers, name, x)
        numbers["?" + self.unknowns[0]] = loose
        for name, parts in self.follows:
            _know(numbers, name, sum((k * numbers["@" + part] for k, part in parts), 0 * x))

    # ---- in words ----

    def text(self) -> str:
        """Write the step as plain text."""
        lines = [f"Type {self.type} gives {' and '.join(map(spoken, self.unknowns))}:"]
        for e in self.equations:
            lines.append(f"   {e.poly.as_expr()} = 0    [{e.where}, {e.element}]")
        equation, formula = types.EQUATIONS[self.type]
        lines.append(f"   {equation}{self._roles()}, where")
        lines += [f"      {k} = {p.as_expr()}" for k, p in self.letters.items()]
        lines.append(f"   {formula}")
        for name, parts in self.follows:
            lines.append(f"   then {spoken(name)} = {_sum(parts, spoken)}")
        return "\n".join(lines)

    def _roles(self) -> str:
        if len(self.unknowns) == 1 or self.type in (4, 5):
            return ""
        i, j = map(spoken, self.unknowns)
        if self.type == 8:
            return f" with i = {i}, i + j = {j}"
        return f" with i = {i}, j = {'-' if self.mirrored else ''}{j}"

    def latex(self, number: int) -> str:
        """Write the step as LaTeX."""
        from sympy import latex

        names = {
            s: f"{n[0]}_{{{n[1:]}}}" if n[0] in "CSrdanopqcs" else n
            for n, s in self.algebra.symbol.items()
        }
        bound = ",\\ ".join(map(_typeset, self.unknowns))
        lines = [rf"&\textbf{{{number}.}}\quad \text{{type {self.type} gives }} {bound}:"]
        for e in self.equations:
            lines.append(f"&{latex(e.poly.as_expr(), symbol_names=names)} = 0")
        for k, p in self.letters.items():
            head = k if len(k) == 1 else f"{k[0]}_{{{k[1:]}}}"
            lines.append(f"&{head} = {latex(p.as_expr(), symbol_names=names)}")
        for name, parts in self.follows:
            lines.append(rf"&{_typeset(name)} = {_sum(parts, _typeset)}")
        return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"


def spoken(name: str) -> str:
    """theta2 + theta3 for 23, r3 for r3."""
    if name[0] == "r":
        return name
    word, sign = "", ""
    for letter in name.strip("()"):
        if letter == "-":
            sign = " - "
            continue
        word += (sign or (" + " if word else "")) + "theta" + letter
        sign = ""
    return word


def _typeset(name: str) -> str:
    if name[0] == "r":
        return f"r_{{{name[1:]}}}"
    return spoken(name).replace("theta", r"\theta_")


def _sum(parts: tuple[tuple[int, str], ...], write: Callable[[str], str]) -> str:
    word = ""
    for k, name in parts:
        body = write(name) if len(name.strip("()")) == 1 else f"({write(name)})"
        word += (" - " if k < 0 else " + " if word else "") + body
    return word.strip() if not word.startswith(" - ") else "-" + word[3:]


def _know(numbers: dict[str, Array], name: str, x: Array) -> None:
    if name[0] == "r":
        numbers[name] = numbers["@" + name] = x
    else:
        numbers["@" + name], numbers["C" + name], numbers["S" + name] = x, np.cos(x), np.sin(x)


def evaluate(poly: Any, algebra: Algebra, numbers: dict[str, Array], m: int) -> Array:
    """Value of a polynomial for m sets of numbers."""
    total = np.zeros(m)
    for monomial, k in poly.items():
        term = np.full(m, float(k))
        for at, power in enumerate(monomial):
            if power:
                term *= numbers[algebra.names[at]] ** power
        total += term
    return total


def goes_on(kept: NDArray[np.intp], numbers: dict[str, Array]) -> dict[str, Array]:
    """Numbers of the branches that are kept."""
    return {name: x[kept] for name, x in numbers.items()}


# ---- the search ----

Part = tuple[tuple[int, int], ...]  # the unknown factors of a monomial: (generator, power)
Split = dict[Part, Any]
Match = tuple[tuple[str, ...], dict[str, Any], bool]

#: What stands beside Ci, Si, Cj, Sj and alone in an equation of two turns: "C", "S", "c", "s", "1".
Beside = dict[str, Any]


def _apart(a: Beside, b: Beside) -> tuple[dict[str, Any], bool] | None:
    """Letters of X Ci + Y Cj = Z1, X Si + Y Sj = Z2."""
    pure = not (a["S"] or a["s"] or b["C"] or b["c"])
    if pure and a["C"] == b["S"] and a["c"] == b["s"]:
        return {"X": a["C"], "Y": a["c"], "Z1": -a["1"], "Z2": -b["1"]}, False
    return None


def _joined(kind: int, a: Beside, b: Beside) -> tuple[dict[str, Any], bool] | None:
    """Letters of two equations in which one turn of the first joint makes what the second does."""
    x, y = -a["C"], -a["S"]
    if b["C"] != y or b["S"] != -x:  # second: X Si - Y Ci on the other side
        return None
    rest = {"X": x, "Y": y, "Z1": -a["1"], "Z2": -b["1"]}
    if kind == 6 and not (a["c"] or b["s"]) and a["s"] == b["c"]:
        return {"W": a["s"]} | rest, False
    for mirror in (1, -1) if kind == 7 else ():
        w1, w2 = a["c"], mirror * a["s"]
        if mirror * b["s"] == w1 and b["c"] == -w2:
            return {"W1": w1, "W2": w2} | rest, mirror < 0
    return None


class _Search:
    """What is known so far, and the equations to look at."""

    def __init__(self, algebra: Algebra, truth: dict[str, Array]) -> None:
        self.algebra, self.truth = algebra, truth
        self.m = len(next(iter(truth.values())))
        self.angle = {angle_name(a): a for a in algebra.angles}
        self.owner: dict[int, str] = {}  # generator -> unknown
        for name in self.angle:
            for word in "CS":
                self.owner[algebra.index[word + name]] = name
        for j in algebra.slides:
            self.owner[algebra.index[f"r{j}"]] = f"r{j}"
        self.known: set[str] = set()
        self.equations = list(algebra.elements())
        self.holding: dict[Equation, frozenset[str]] = {}
        self.steps: list[Step] = []

    # ---- splitting ----

    def split(self, poly: Any) -> Split:
        """Coefficients of the unknown factors."""
        out: dict[Part, dict[Any, Any]] = {}
        for monomial, k in poly.items():
            part, rest = [], list(monomial)
            for at, power in enumerate(monomial):
                if power and at in self.owner and self.owner[at] not in self.known:
                    part.append((at, power))
                    rest[at] = 0
            terms = out.setdefault(tuple(part), {})
            terms[tuple(rest)] = terms.get(tuple(rest), 0) + k
        return {part: self.algebra.ring(terms) for part, terms in out.items()}

    def joints_of(self, e: Equation) -> frozenset[str]:
        """Angles and slides in an equation, known or not."""
        if e not in self.holding:
            found = {at for monomial in e.poly for at, power in enumerate(monomial) if power}
            self.holding[e] = frozenset(self.owner[at] for at in found if at in self.owner)
        return self.holding[e]

    def table(self) -> list[tuple[Equation, Split, tuple[str, ...]]]:
        """Equations with one or two unknowns, the shortest first; one of each."""
        out, seen = [], set()
        for e in sorted(self.equations, key=lambda e: len(e.poly)):
            if e.poly in seen or -e.poly in seen:
                continue
            seen.add(e.poly)
            names = self.joints_of(e) - self.known
            if 1 <= len(names) <= 2:
                out.append((e, self.split(e.poly), tuple(sorted(names))))
        return out

    def parts(self, name: str) -> tuple[Part, Part]:
        """Return the factors C and S of an angle."""
        index = self.algebra.index
        return ((index["C" + name], 1),), ((index["S" + name], 1),)

    def get(self, split: Split, part: Part) -> Any:
        return split.get(part, self.algebra.zero)

    # ---- one equation ----

    def one(self, kind: int, split: Split, name: str) -> dict[str, Any] | None:
        """Letters of types 1, 2, 9, 10, 11."""
        if name[0] == "r":
            at = self.algebra.index[name]
            powers = {p[0][1] if p else 0 for p in split}
            degree = max(powers)
            k = [self.get(split, ((at, d),) if d else ()) for d in range(5)]
            if kind == 1 and degree == 1:
                return {"X": k[1], "Y": -k[0]}
            if kind == 9 and degree == 2:
                return {"a2": k[2], "a1": k[1], "a0": k[0]}
            if kind == 10 and degree in (3, 4):
                return {"a4": k[4], "a3": k[3], "a2": k[2], "a1": k[1], "a0": k[0]}
            return None
        c, s = self.parts(name)
        plain = set(split) <= {c, s, ()}
        if kind == 2 and plain:
            return {"X": self.get(split, s), "Y": self.get(split, c), "Z": -self.get(split, ())}
        square, mixed = ((c[0][0], 2),), (c[0], s[0])
        if kind == 11 and not plain and set(split) <= {c, s, (), square, mixed}:
            k2 = self.get(split, square)
            return {
                "a4": -k2,
                "a3": self.get(split, mixed),
                "a2": self.get(split, c),
                "a1": self.get(split, s),
                "a0": self.get(split, ()) + k2,
            }
        return None

    # ---- two equations ----

    def two(self, kind: int, first: Split, second: Split, names: tuple[str, ...]) -> Match | None:
        """Letters of types 3 to 8 in this order of equations and unknowns."""
        if kind == 3:
            a, b = self.one(2, first, names[0]), self.one(2, second, names[0])
            if a is None or b is None:
                return None
            letters = {k + "1": p for k, p in a.items()} | {k + "2": p for k, p in b.items()}
            return names, letters, False
        slides = [name[0] == "r" for name in names]
        if kind in (4, 5):
            return (
                self._slide_and_turn(kind, first, second, names) if slides[0] > slides[1] else None
            )
        return None if any(slides) else self._two_turns(kind, first, second, names)

    def _slide_and_turn(
        self, kind: int, first: Split, second: Split, names: tuple[str, ...]
    ) -> Match | None:
        c, s = self.parts(names[1])
        at = self.algebra.index[names[0]]
        r: Part = ((at, 1),)
        rs, rc = tuple(sorted((r[0], s[0]))), tuple(sorted((r[0], c[0])))
        g = self.get
        if kind == 4 and set(first) <= {rs, ()} and set(second) <= {rc, ()}:
            letters = {"X1": g(first, rs), "Y1": -g(first, ())}
            return names, letters | {"X2": g(second, rc), "Y2": -g(second, ())}, False
        if kind == 5 and set(first) <= {s, r, ()} and set(second) <= {c, r, ()}:
            letters = {"X1": g(first, s), "Y1": -g(first, ()), "Z1": -g(first, r)}
            letters |= {"X2": g(second, c), "Y2": -g(second, ()), "Z2": -g(second, r)}
            return names, letters, False
        return None

    def _two_turns(
        self, kind: int, first: Split, second: Split, names: tuple[str, ...]
    ) -> Match | None:
        (ci, si), (cj, sj) = self.parts(names[0]), self.parts(names[1])
        allowed = {ci, si, cj, sj, ()}
        if not (set(first) <= allowed and set(second) <= allowed):
            return None
        g = self.get
        a = {k: g(first, p) for k, p in zip("CScs1", (ci, si, cj, sj, ()), strict=True)}
        for sign in (1, -1):
            b = {k: sign * g(second, p) for k, p in zip("CScs1", (ci, si, cj, sj, ()), strict=True)}
            found = _apart(a, b) if kind == 8 else _joined(kind, a, b)
            if found is not None:
                return names, *found
        return None

    # ---- the search itself ----

    def candidates(self, kind: int, rows: list[Any]) -> Iterator[Step]:
        if kind in (1, 2, 9, 10, 11):
            for e, split, names in rows:
                if len(names) == 1 and (letters := self.one(kind, split, names[0])):
                    yield Step(kind, names, (e,), letters, self.algebra)
            return
        wanted = 1 if kind == 3 else 2
        groups: dict[tuple[str, ...], list[Any]] = {}
        for row in rows:
            if len(row[2]) == wanted:
                groups.setdefault(row[2], []).append(row)
        for names, group in groups.items():
            # of one parting first: what makes their letters vanish is a true singularity
            pairs = sorted(
                combinations(group[:24], 2),
                key=lambda p: (
                    p[0][0].where != p[1][0].where,
                    len(p[0][0].poly) + len(p[1][0].poly),
                ),
            )
            for a, b in pairs:
                for (e1, s1, _), (e2, s2, _) in ((a, b), (b, a)):
                    for order in permutations(names):
                        if match := self.two(kind, s1, s2, order):
                            bound, letters, mirrored = match
                            yield Step(kind, bound, (e1, e2), letters, self.algebra, mirrored)

    def holds(self, step: Step) -> bool:
        """Tell whether, at random postures, the letters do not vanish and an answer is true."""
        given = {k: evaluate(p, self.algebra, self.truth, self.m) for k, p in step.letters.items()}
        for group in NEEDED[step.type]:
            if np.max([np.abs(given[k]) for k in group], axis=0).min() < VANISHES:
                return False
        if step.type == 3:
            det = given["X1"] * given["Y2"] - given["X2"] * given["Y1"]
            if np.abs(det).min() < VANISHES:
                return False
        answers, _ = step.solve(self.truth, self.m)
        miss = np.zeros(answers[0].shape)
        for name, a in zip(step.unknowns, answers, strict=True):
            gap = np.abs(a - self.truth["@" + name][:, None])
            if name[0] != "r":
                gap = np.abs(np.pi - np.mod(np.pi - gap, 2 * np.pi))
            miss = np.maximum(miss, gap)
        return bool((np.nanmin(np.where(np.isnan(miss), np.inf, miss), axis=1) < 1e-6).all())

    def accept(self, step: Step) -> None:
        self.known |= set(step.unknowns)
        follows = []
        changed = True
        while changed:  # an angle is known when it is a sum or difference of two known ones
            changed = False
            for name in sorted(set(self.angle) - self.known, key=len):
                parts = self._from_two(name)
                if parts:
                    follows.append((name, parts))
                    self.known.add(name)
                    changed = True
        fields = {f: getattr(step, f) for f in Step.__dataclass_fields__}
        self.steps.append(Step(**(fields | {"follows": tuple(follows)})))

    def _from_two(self, name: str) -> tuple[tuple[int, str], ...] | None:
        wanted = self._vector(name)
        have = sorted((k for k in self.known if k[0] != "r"), key=len)
        for a in have:
            for b in have:
                for p, q in ((1, 1), (1, -1), (-1, 1)):
                    if a != b and (p * self._vector(a) + q * self._vector(b) == wanted).all():
                        return (p, a), (q, b)
        return None

    def _vector(self, name: str) -> NDArray[np.int64]:
        v = np.zeros(self.algebra.n, np.int64)
        for j, s in self.angle[name]:
            v[j - 1] = s
        return v

    def missing(self) -> list[int]:
        turns = [row.turns for row in self.algebra.rows]
        return [
            j for j, turn in enumerate(turns, 1) if (str(j) if turn else f"r{j}") not in self.known
        ]

    def next_step(self) -> bool:
        rows = self.table()
        for kind in ORDER:
            for step in self.candidates(kind, rows):
                if self.holds(step):
                    self.accept(step)
                    return True
        return False

    def run(self) -> list[int]:
        more: list[Callable[[], list[Equation]]] = [
            lambda: list(self.algebra.elements(back=True)),
            lambda: list(self.algebra.squares()),
            lambda: list(self.eliminated()),
        ]
        while self.missing():
            if self.next_step():
                continue
            if not more:
                break
            self.equations += more.pop(0)()
        return self.missing()

    # ---- Pieper's elimination ----

    def eliminated(self) -> Iterator[Equation]:
        """Remove an angle from two equations whose rows in its C and S are at right angles.

        ``A C + B S = -P`` and ``m (A S - B C) = -Q`` give ``m^2 P^2 + Q^2 = m^2 (A^2 + B^2)``,
        which is of degree 2 in the other unknown: for a wrist the height and the squared length of
        its center, with m = 2 a1 / sin alpha1.
        """
        rows = [row for row in self.table() if len(row[2]) == 2]
        for e1, e2 in combinations([row[0] for row in rows], 2):
            names = [set(row[2]) for row in rows if row[0] is e1 or row[0] is e2]
            if names[0] != names[1]:
                continue
            for name in sorted(names[0]):
                poly = None if name[0] == "r" else self._without(e1.poly, e2.poly, name)
                if poly is not None:
                    where = f"{spoken(name)} eliminated from {e1.where} {e1.element}"
                    yield Equation(poly, where, f"and {e2.where} {e2.element}")

    def _rows_of(self, poly: Any, name: str) -> tuple[Any, Any, Any] | None:
        """Coefficients of C, S and the rest, when the polynomial is linear in them."""
        c, s = self.algebra.index["C" + name], self.algebra.index["S" + name]
        out: list[dict[Any, Any]] = [{}, {}, {}]
        for monomial, k in poly.items():
            if monomial[c] + monomial[s] > 1:
                return None
            rest = list(monomial)
            rest[c] = rest[s] = 0
            out[0 if monomial[c] else 1 if monomial[s] else 2][tuple(rest)] = k
        ring = self.algebra.ring
        return ring(out[0]), ring(out[1]), ring(out[2])

    def _without(self, first: Any, second: Any, name: str) -> Any:
        one, two = self._rows_of(first, name), self._rows_of(second, name)
        if one is None or two is None or not (one[0] or one[1]) or not (two[0] or two[1]):
            return None
        (a1, b1, p), (a2, b2, q) = one, two
        reduce = self.algebra.reduce
        if reduce(a1 * a2 + b1 * b2):
            return None
        top, bottom = (a2, -b1) if b1 else (b2, a1)
        top, bottom = top.cancel(bottom)
        for poly in (top, bottom):  # m must not hold an unknown
            if any(part for part in self.split(poly)):
                return None
        if reduce(bottom * b2 - top * a1) or reduce(bottom * a2 + top * b1):
            return None
        square = reduce(a1 * a1 + b1 * b1)
        return reduce(
            reduce(top**2 * reduce(p * p)) + reduce(bottom**2 * reduce(q * q)) - top**2 * square
        )


def true_numbers(algebra: Algebra, postures: Array, numbers: dict[str, Array]) -> dict[str, Array]:
    """Numbers of every generator at known postures (m, n), offsets included."""
    truth = dict(numbers)
    truth |= {name: np.full(len(postures), x) for name, x in algebra.values.items()}
    for j in algebra.slides:
        _know(truth, f"r{j}", postures[:, j - 1])
    for angle in algebra.angles:
        total = sum((s * postures[:, j - 1] for j, s in angle), np.zeros(len(postures)))
        _know(truth, angle_name(angle), total)
    return truth


def search(
    algebra: Algebra, postures: Array, numbers: dict[str, Array]
) -> tuple[list[Step], list[int]]:
    """Find the steps, and the joints that stay unbound.

    Parameters
    ----------
    algebra : Algebra
        The arm.
    postures : ndarray, shape (m, n)
        Joint values drawn at random, offsets included.
    numbers : dict
        Elements of the goal of each of them.
    """
    finder = _Search(algebra, true_numbers(algebra, postures, numbers))
    left = finder.run()
    return finder.steps, left
