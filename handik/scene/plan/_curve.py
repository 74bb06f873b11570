"""A path as a curve: straight edges, and corners cut by curves with a steady second derivative.

Notes
-----
An edge is ``integrate(a, s u)``: joints move evenly, balls turn about one axis. A corner v between
edges of unit directions u1 and u2 is ``integrate(v, r (be(t) u2 - al(t) u1))`` with the quintic of
Bezier coefficients 1, 1 - c, 1 - 2c, 0, 0, 0 for al and be(t) = al(1 - t): it stays in the triangle
of the corner, leaves both edges at the distance r from v with their speed, and bends from nothing.
With s = 5 c r t the whole curve has two steady derivatives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handik.model import Model

__all__ = ["BEND", "BLEND_POINTS", "Curve"]

Array = NDArray[np.float64]

#: c: how long the straight ends of a corner's curve are.
BEND = 0.4
#: Points of the grid of speeds, on each corner's curve and on each straight edge.
BLEND_POINTS, EDGE_POINTS = 24, 32

# al and its derivatives by t, as coefficients of powers of t
_COEFFICIENTS = np.array([1.0, 1.0 - BEND, 1.0 - 2.0 * BEND, 0.0, 0.0, 0.0])


def _powers(b: Array) -> NDArray[np.float64]:
    """Turn Bezier coefficients of degree 5 into coefficients of t^0 .. t^5."""
    from math import comb

    out = np.zeros(6)
    for i, value in enumerate(b):
        for k in range(6 - i):
            out[i + k] += value * comb(5, i) * comb(5 - i, k) * (-1) ** k
    return out


_AL = np.polynomial.Polynomial(_powers(_COEFFICIENTS))
_DERIVED = [_AL, _AL.deriv(1), _AL.deriv(2), _AL.deriv(3)]


def _power(t: Array, order: int) -> Array:
    """Return al or a derivative of it."""
    out = np.zeros_like(t)
    for c in _DERIVED[order].coef[::-1]:
        out = out * t + c
    return out


@dataclass(frozen=True, eq=False)
class Curve:
    """The curve through vertices q (n, nq), corners cut at the distances `radii` (n - 2,)."""

    model: Model
    base: Array  # (pieces, nq): where each piece's chart lies
    one: Array  # (pieces, nv): u of an edge, u1 of a corner
    two: Array  # (pieces, nv): nothing, or u2
    offset: Array  # (pieces,): where on its edge a straight piece begins
    radius: Array  # (pieces,): 0 for straight pieces
    knots: Array  # (pieces + 1,): s
    stops: Array  # s where the curve has a corner, its ends too
    balls: tuple[int, ...]  # first of three coordinates of velocity of each ball

    @classmethod
    def of(cls, model: Model, q: Array, radii: Array) -> Curve:
        """Make the curve; vertices on the same place have been left out before."""
        moves = np.asarray(model.difference(q[:-1], q[1:]))
        lengths = np.linalg.norm(moves, axis=1)
        units = moves / lengths[:, None]
        cut = np.concatenate([[0.0], radii, [0.0]])
        nothing = np.zeros(model.nv)
        rows: list[tuple[Array, Array, Array, float, float, float]] = []
        stops, at = [0.0], 0.0
        for k, length in enumerate(lengths):
            straight = length - cut[k] - cut[k + 1]
            if straight > 1e-12 * length:
                rows.append((q[k], units[k], nothing, cut[k], 0.0, straight))
                at += straight
            if k + 1 < len(lengths) and cut[k + 1] > 0:
                long = 5 * BEND * cut[k + 1]
                rows.append((q[k + 1], units[k], units[k + 1], 0.0, cut[k + 1], long))
                at += long
            else:
                stops.append(at)
        base, one, two, offset, radius, sizes = map(np.array, zip(*rows, strict=True))
        knots = np.concatenate([[0.0], np.cumsum(sizes)])
        balls = tuple(
            int(v) for v, kind in zip(model.step_v, model.step_kind, strict=True) if kind == 2
        )
        return cls(model, base, one, two, offset, radius, knots, np.array(stops), balls)

    def grid(self) -> Array:
        """Return points of s for a pass of speeds: every piece has its own."""
        parts = []
        for k, radius in enumerate(self.radius):
            count = BLEND_POINTS if radius > 0 else EDGE_POINTS
            parts.append(np.linspace(self.knots[k], self.knots[k + 1], count + 1)[:-1])
        return np.concatenate([*parts, self.knots[-1:]])

    def at(self, s: Array) -> tuple[Array, Array, Array, Array]:
        """Return q (n, nq) at s (n,), and three derivatives of it by s, as motions (n, nv)."""
        piece = np.clip(np.searchsorted(self.knots, s, side="right") - 1, 0, len(self.radius) - 1)
        along = np.clip(s, 0.0, self.knots[-1]) - self.knots[piece]
        x = self._chart(piece, along)
        q = np.asarray(self.model.integrate(self.base[piece], x[0]))
        if not self.balls:
            return q, x[1], x[2], x[3]
        return (q, *self._turned(piece, along, x))

    def derivatives(self, piece: NDArray[np.intp], along: Array) -> tuple[Array, Array]:
        """Return two derivatives by s, as motions (m, n, nv), at places (m, n) of pieces (n,)."""
        bent = self.radius[piece] > 0
        r = np.where(bent, self.radius[piece], 1.0)
        rate = 1.0 / (5 * BEND * r)
        t = along * rate
        one, two = self.one[piece], self.two[piece]
        away = [np.where(bent, -r * rate**k * _power(t, k), float(k == 1)) for k in (1, 2)]
        toward = [np.where(bent, r * (-rate) ** k * _power(1 - t, k), 0.0) for k in (1, 2)]
        first, second = (
            a[:, :, None] * one + b[:, :, None] * two for a, b in zip(away, toward, strict=True)
        )
        if not self.balls:
            return first, second
        way = np.where(bent, -r * _power(t, 0), self.offset[piece] + along)
        x = way[:, :, None] * one + np.where(bent, r * _power(1 - t, 0), 0.0)[:, :, None] * two
        flat = (len(t) * len(piece), self.one.shape[1])
        turned = _motions(x.reshape(flat), first.reshape(flat), second.reshape(flat), self.balls)
        return turned[0].reshape(x.shape), turned[1].reshape(x.shape)

    def _chart(self, piece: NDArray[np.intp], along: Array) -> Array:
        """Return the chart's coordinates and three derivatives, (4, n, nv)."""
        radius = self.radius[piece]
        bent = radius > 0
        r = np.where(bent, radius, 1.0)
        rate = 1.0 / (5 * BEND * r)
        t = np.clip(along * rate, 0.0, 1.0)
        out = np.empty((4, len(piece), self.one.shape[1]))
        lines = (self.offset[piece] + along, np.ones_like(r), np.zeros_like(r), np.zeros_like(r))
        for k, curve in enumerate(_DERIVED):
            away = np.where(bent, -r * curve(t) * rate**k, lines[k])
            toward = np.where(bent, r * (-1) ** k * curve(1 - t) * rate**k, 0.0)
            out[k] = away[:, None] * self.one[piece] + toward[:, None] * self.two[piece]
        return out

    def _turned(
        self, piece: NDArray[np.intp], along: Array, x: Array
    ) -> tuple[Array, Array, Array]:
        """Turn derivatives of the chart into motions of the bodies, for balls."""
        first, second = _motions(x[0], x[1], x[2], self.balls)
        # the third by differences: it only steers the limit of jerk, which is measured besides
        step = 1e-5 * (self.knots[piece + 1] - self.knots[piece])
        sides = []
        for sign in (-1.0, 1.0):
            size = self.knots[piece + 1] - self.knots[piece]
            near = self._chart(piece, np.clip(along + sign * step, 0.0, size))
            sides.append((_motions(near[0], near[1], near[2], self.balls)[1], near))
        size = self.knots[piece + 1] - self.knots[piece]
        span = np.clip(along + step, 0.0, size) - np.clip(along - step, 0.0, size)
        third = x[3].copy()
        slope = (sides[1][0] - sides[0][0]) / span[:, None]
        for v in self.balls:
            third[:, v : v + 3] = slope[:, v : v + 3]
        return first, second, third


def _motions(x: Array, d1: Array, d2: Array, balls: tuple[int, ...]) -> tuple[Array, Array]:
    """Return velocity and its derivative in the body's axes, of q = base * exp(x)."""
    first, second = d1.copy(), d2.copy()
    for v in balls:
        part = slice(v, v + 3)
        a, da, dda = x[:, part], d1[:, part], d2[:, part]
        square = np.sum(a * a, axis=1)
        f, g, df, dg = _ball_factors(square)
        rate = 2 * np.sum(a * da, axis=1)
        axd = np.cross(a, da)
        axaxd = np.cross(a, axd)
        first[:, part] = da - f[:, None] * axd + g[:, None] * axaxd
        second[:, part] = (
            dda
            - f[:, None] * np.cross(a, dda)
            + g[:, None] * (np.cross(da, axd) + np.cross(a, np.cross(a, dda)))
            - (df * rate)[:, None] * axd
            + (dg * rate)[:, None] * axaxd
        )
    return first, second


def _ball_factors(y: Array) -> tuple[Array, Array, Array, Array]:
    """Return (1 - cos w) / w^2, (w - sin w) / w^3 and their derivatives by y = w^2."""
    small = y < 1e-2
    w = np.sqrt(np.where(small, 1.0, y))
    c, s = np.cos(w), np.sin(w)
    z = np.where(small, y, 0.0)
    f = np.where(small, 1 / 2 - z / 24 + z**2 / 720 - z**3 / 40320, (1 - c) / w**2)
    g = np.where(small, 1 / 6 - z / 120 + z**2 / 5040 - z**3 / 362880, (w - s) / w**3)
    df = np.where(small, -1 / 24 + z / 360 - z**2 / 13440, (w * s - 2 * (1 - c)) / (2 * w**4))
    dg = np.where(
        small, -1 / 120 + z / 2520 - z**2 / 120960, (w * (1 - c) - 3 * (w - s)) / (2 * w**5)
    )
    return f, g, df, dg
