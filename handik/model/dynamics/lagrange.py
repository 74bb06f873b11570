"""Equations of motion of small models in symbols, by Lagrange.

    tau = d/dt (dL/dv) - dL/dq + friction,   L = T - U

with the kinetic energy T of the bodies and rotors and the potential energy U in gravity. This is
the derivation a textbook does by hand, and a check of the recursive algorithms of the C core, which
know nothing of it. Needs SymPy (extra ``symbolic``).

Reference: J. J. Craig, *Introduction to Robotics*, section 6.8; the thesis, section 1.3.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, UnsupportedError
from handik.spec._given import is_model

if TYPE_CHECKING:
    from handik.model.core import Model

__all__ = ["EquationsOfMotion", "equations_of_motion"]

Array = NDArray[np.float64]
_MOST_COORDINATES = 6
_INERTIA = ("xx", "xy", "xz", "yy", "yz", "zz")


@dataclass(frozen=True)
class EquationsOfMotion:
    """What `equations_of_motion` returns; the expressions are SymPy's.

    Attributes
    ----------
    q, v, a : tuple of Symbol
        Coordinates, their velocities and accelerations.
    kinetic, potential : Expr
        The energies T and U.
    tau : tuple of Expr
        The force or torque of each coordinate.
    values : dict of Symbol to float
        The number behind each named constant.
    """

    q: tuple[Any, ...]
    v: tuple[Any, ...]
    a: tuple[Any, ...]
    kinetic: Any
    potential: Any
    tau: tuple[Any, ...]
    values: dict[Any, float]

    def __str__(self) -> str:
        lines = [f"T = {self.kinetic}", f"U = {self.potential}"]
        lines += [f"tau{i + 1} = {tau}" for i, tau in enumerate(self.tau)]
        if self.values:
            lines.append("where " + ", ".join(f"{k} = {x:.9g}" for k, x in self.values.items()))
        return "\n".join(lines)

    def latex(self) -> str:
        """Return the equations as LaTeX, one line a coordinate.

        Returns
        -------
        str
            To be set in mathematics mode.
        """
        from sympy import latex

        lines = [rf"\tau_{{{i + 1}}} &= {latex(tau)}" for i, tau in enumerate(self.tau)]
        return "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"

    def function(self) -> Callable[[ArrayLike, ArrayLike, ArrayLike], Array]:
        """Return a function that evaluates the equations in NumPy.

        Returns
        -------
        callable
            ``tau = function(q, v, a)``, each of shape (nv,).
        """
        from sympy import lambdify

        numbers = [tau.subs(self.values) for tau in self.tau]
        fast = lambdify([self.q, self.v, self.a], numbers, "numpy")
        return lambda q, v, a: np.array(fast(q, v, a), float)


def equations_of_motion(
    model: Model, *, symbols: bool = True, actuators: bool = True, simplify: bool = True
) -> EquationsOfMotion:
    """Derive the equations of motion of a small model.

    Parameters
    ----------
    model : Model
        Turns and slides only, at most six coordinates.
    symbols : bool
        Name masses, lengths and gravity (``m1``, ``x2``, ``g``); otherwise their numbers stand in
        the equations.
    actuators : bool
        Count rotor inertia and friction, see `handik.model.dynamics.Dynamics`.
    simplify : bool
        Write products of sines and cosines as sums, in which equal terms meet: much shorter.

    Returns
    -------
    EquationsOfMotion
        Its ``str`` prints the equations. Gravity is 9.81 m/s2 along -z.

    Raises
    ------
    UnsupportedError
        A ball or free joint, or more coordinates than six.
    ArgumentError
        A model without coordinates.
    ImportError
        When SymPy is not there.

    Examples
    --------
    >>> print(equations_of_motion(pendulum))  # doctest: +SKIP
    T = ixx1*v1**2/2
    ...
    """
    is_model(model)
    try:
        import sympy
    except ImportError:
        raise ImportError("symbolic equations need SymPy: pip install 'handik[symbolic]'") from None
    if np.any(model.step_kind == 2):
        raise UnsupportedError(
            "ball and free joints have no coordinates to differentiate by; "
            "use turns, such as a universal joint"
        )
    if model.nv > _MOST_COORDINATES:
        raise UnsupportedError(
            f"symbolic equations of {model.nv} coordinates would not be readable; "
            f"at most {_MOST_COORDINATES} are derived"
        )
    if model.nv == 0:
        raise ArgumentError("the model has no coordinates")
    return _Derivation(sympy, model, symbols, actuators, simplify).equations()


class _Derivation:
    """The two energies step by step, then the derivatives."""

    def __init__(
        self, sympy: Any, model: Any, named: bool, actuators: bool, simplify: bool
    ) -> None:
        self.sp, self.model, self.named = sympy, model, named
        self.actuators, self.simplify = actuators, simplify
        self.values: dict[Any, float] = {}
        self.sums: dict[tuple[Any, ...], Any] = {}
        self.q, self.v, self.a = (
            tuple(sympy.Symbol(f"{letter}{i + 1}", real=True) for i in range(model.nv))
            for letter in "qva"
        )

    def number(self, x: float, name: str) -> Any:
        """Return a number, by its name where that is wanted; 0 stays itself."""
        if abs(x) < 1e-15:
            return self.sp.Integer(0)
        if not self.named:
            return self.plain(x)
        symbol = self.sp.Symbol(name, real=True)
        self.values[symbol] = float(x)
        return symbol

    def plain(self, x: float) -> Any:
        """Return a number as a fraction where it is one to rounding."""
        fraction = self.sp.Rational(str(round(float(x), 12)))
        near = abs(float(fraction) - x) <= 1e-15 * max(1.0, abs(x))
        return fraction if near else self.sp.Float(float(x), 17)

    def equations(self) -> EquationsOfMotion:
        sp = self.sp
        kinetic, potential = self.energies()
        if self.simplify:
            kinetic, potential = self.shorten(kinetic), self.shorten(potential)
        tau = []
        for i, (q, v) in enumerate(zip(self.q, self.v, strict=True)):
            push = sp.diff(kinetic, v)
            felt = sum(sp.diff(push, self.v[j]) * self.a[j] for j in range(len(self.v)))
            felt += sum(sp.diff(push, self.q[j]) * self.v[j] for j in range(len(self.v)))
            felt += sp.diff(potential - kinetic, q)
            felt = sp.expand(felt) if self.simplify else felt
            tau.append(felt + self.friction(i))
        used = set().union(*(x.free_symbols for x in (kinetic, potential, *tau)))
        values = {symbol: x for symbol, x in self.values.items() if symbol in used}
        return EquationsOfMotion(self.q, self.v, self.a, kinetic, potential, tuple(tau), values)

    def shorten(self, expression: Any) -> Any:
        """Products of sines and cosines to sums of them: a form that is unique, so terms cancel."""
        sp, out = self.sp, self.sp.Integer(0)
        gathered: dict[Any, Any] = {}
        for term in sp.Add.make_args(sp.expand(expression)):
            waves, rest = [], []
            for factor in sp.Mul.make_args(term):
                base, power = factor.as_base_exp()
                wave = isinstance(base, (sp.sin, sp.cos)) and power.is_Integer and power > 0
                waves.extend([base] * int(power)) if wave else rest.append(factor)
            gathered.setdefault(tuple(waves), []).append(sp.Mul(*rest))
        for waves, rests in gathered.items():
            out += sp.Add(*rests) * self.as_sum(waves)
        return sp.expand(out)

    def as_sum(self, waves: tuple[Any, ...]) -> Any:
        """Return the product of these sines and cosines as a sum."""
        sp = self.sp
        if waves not in self.sums:
            total = sp.Integer(1)
            if waves:
                last, terms = waves[-1], sp.Add.make_args(self.as_sum(waves[:-1]))
                total = sp.Add(*(self.times(term, last) for term in terms))
            self.sums[waves] = sp.expand(total)
        return self.sums[waves]

    def times(self, term: Any, wave: Any) -> Any:
        """Return a number times at most one wave, times a wave, as a sum."""
        sp, b = self.sp, wave.args[0]
        factor, old = term.as_independent(sp.sin, sp.cos, as_Add=False)
        if old == 1:
            return factor * wave
        a, half = old.args[0], factor / 2
        kinds = (isinstance(old, sp.sin), isinstance(wave, sp.sin))
        if kinds == (False, False):
            return half * (sp.cos(a + b) + sp.cos(a - b))
        if kinds == (True, True):
            return half * (sp.cos(a - b) - sp.cos(a + b))
        if kinds == (True, False):
            return half * (sp.sin(a + b) + sp.sin(a - b))
        return half * (sp.sin(a + b) - sp.sin(a - b))

    def energies(self) -> tuple[Any, Any]:
        sp, model = self.sp, self.model
        poses: list[tuple[Any, Any]] = []
        rates: list[tuple[Any, Any]] = []  # angular and linear velocity, in the moved frame
        kinetic, potential = sp.Integer(0), sp.Integer(0)
        g = self.number(9.81, "g")
        for s in range(len(model.step_parent)):
            up = int(model.step_parent[s])
            turn, shift, axis, turns = self.motion(s)
            rate = self.plain(model.step_line[s, 0]) * self.v[model.step_v[s]]
            if up >= 0:
                above, place = poses[up]
                w, u = rates[up]
                w, u = turn.T * w, turn.T * (u + w.cross(shift))
                poses.append((above * turn, above * shift + place))
            else:
                w = u = sp.zeros(3, 1)
                poses.append((turn, shift))
            w, u = (w + rate * axis, u) if turns else (w, u + rate * axis)
            if self.simplify:
                w, u = w.applyfunc(self.shorten), u.applyfunc(self.shorten)
                poses[s] = tuple(part.applyfunc(self.shorten) for part in poses[s])
            rates.append((w, u))
            kinetic += self.body_energy(s, *rates[s])
            potential += g * self.lift(s, *poses[s])
            if self.actuators and model.step_motor[s, 0]:
                kinetic += self.number(model.step_motor[s, 0], f"J{s + 1}") * rate**2 / 2
        return kinetic, potential

    def motion(self, s: int) -> tuple[Any, Any, Any, bool]:
        """Rotation, origin, axis and kind of step s, in the moved frame above."""
        sp, model = self.sp, self.model
        place = model.step_placement[s]
        r = sp.Matrix(3, 3, [self.plain(x) for x in place[:9]])
        names = [f"{n}{s + 1}" for n in "xyz"]
        p = sp.Matrix([self.number(x, n) for x, n in zip(place[9:], names, strict=True)])
        scale, offset = (self.plain(x) for x in model.step_line[s])
        value = scale * self.q[model.step_q[s]] + offset
        axis = sp.Matrix([0, 0, 1])
        if model.step_kind[s] == 1:
            return r, p + r * axis * value, axis, False
        c, n = sp.cos(value), sp.sin(value)
        return r * sp.Matrix([[c, -n, 0], [n, c, 0], [0, 0, 1]]), p, axis, True

    def body(self, s: int) -> tuple[Any, Any, Any]:
        """Mass, first moment and inertia about the origin of step s."""
        sp, row = self.sp, self.model.step_inertial[s]
        mass = self.number(row[0], f"m{s + 1}")
        # mass times center: the center gets the name when there is a mass to divide by
        center = [x / row[0] if row[0] else x for x in row[1:4]]
        names = [f"c{n}{s + 1}" for n in "xyz"]
        first = sp.Matrix([self.number(x, n) for x, n in zip(center, names, strict=True)])
        first = first * mass if row[0] else first
        xx, xy, xz, yy, yz, zz = (
            self.number(x, f"i{n}{s + 1}") for x, n in zip(row[4:], _INERTIA, strict=True)
        )
        return mass, first, sp.Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def body_energy(self, s: int, w: Any, u: Any) -> Any:
        mass, first, inertia = self.body(s)
        return (mass * u.dot(u) + 2 * u.dot(w.cross(first)) + w.dot(inertia * w)) / 2

    def lift(self, s: int, r: Any, p: Any) -> Any:
        """Mass times height."""
        mass, first, _ = self.body(s)
        return mass * p[2] + (r * first)[2]

    def friction(self, i: int) -> Any:
        sp, out = self.sp, self.sp.Integer(0)
        if not self.actuators:
            return out
        for s, (_, viscous, coulomb) in enumerate(self.model.step_motor):
            if self.model.step_v[s] == i:
                scale = self.plain(self.model.step_line[s, 0])
                out += self.number(viscous, f"B{s + 1}") * scale**2 * self.v[i]
                out += self.number(coulomb, f"C{s + 1}") * scale * sp.sign(scale * self.v[i])
        return out
