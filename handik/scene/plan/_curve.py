"""A path as a curve: straight edges, and corners rounded by curves with a steady second derivative.

Notes
-----
A polygon is gone through with its vertex j at s = at[j]: along each edge with a steady velocity,
which jumps at the next vertex. Rounded, the jump at vertex j is spread over at[j] - half[j] to
at[j] + half[j], by a density that rises evenly, stays, and falls evenly (`RISE`). So the second
derivative is steady, and where several corners overlap it is their sum. Of edge j the share
c_j = (R_j(s) - R_j+1(s)) / (at[j + 1] - at[j]) has been gone at s, with R the density's second
integral; the posture is integrate(.. integrate(v_first, c_first w_first) .., c_last w_last) over
the edges on their way, w the difference of an edge's ends. Between its knots each share is a cubic.
`csrc/plan/smooth.h` is the same.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handik.model import Model
from handik.scene.plan._law import Limits

__all__ = ["RISE", "Curve", "Pace"]

Array = NDArray[np.float64]

#: Shares of a corner's time in which its second derivative rises, and in which it falls.
RISE = 0.25
#: A corner's wish, in the least time that the change of its velocity takes.
WIDTH = 2.0
#: Of full speed: a corner that a limit of jerk lets nobody pass faster is as soon stopped at.
SLOWEST = 0.3
#: The same with a limit of jerk, whose law makes less of what is narrow.
GENTLE_WIDTH = 4.0
#: The least wish, as a share of the shorter edge's time: a corner without a bend needs none.
LEAST = 0.05
#: Of the whole time: what is rounded over less has no digits to tell how, and is a stop.
NARROWEST = 1e-9
#: Points of the grid of speeds with a limit of jerk, on each piece that bends and on each edge.
BENT_POINTS, EDGE_POINTS = 8, 32


@dataclass(frozen=True, eq=False)
class Pace:
    """Times of a polygon's vertices at full speed, and how widely its corners may be rounded."""

    at: Array  # (n,)
    half: Array  # (n,): of each corner, for which the change of velocity has time
    room: Array  # (n,): half of the shorter edge, all of it at the ends of the path
    jump: Array  # (n, nv): of velocity

    @classmethod
    def of(cls, model: Model, q: Array, limits: Limits) -> Pace:
        """Return the pace of vertices (n, nq), of which no two neighbors are in one place."""
        ways = np.asarray(model.difference(q[:-1], q[1:]))
        # no coordinate is ever faster than if it sped up half of its way and braked for the rest
        fastest = np.sqrt(limits.acceleration * np.abs(ways).sum(axis=0))
        speed = np.minimum(limits.velocity, np.where(fastest > 0, fastest, np.inf))
        spent = (np.abs(ways) / speed).max(axis=1)
        spent = np.maximum(spent, 1e-11 * spent.sum())  # of what can hardly be told apart
        jump = np.abs(np.diff(ways / spent[:, None], axis=0))
        shorter = np.minimum(spent[:-1], spent[1:])
        needed = (jump / limits.acceleration).max(axis=1)
        width = WIDTH if limits.jerk is None else GENTLE_WIDTH
        half = np.maximum(0.5 * width * needed, LEAST * shorter)
        half[shorter < NARROWEST * spent.sum()] = 0.0
        share = np.full(len(spent), 0.5)
        share[[0, -1]] = 1.0
        room = np.minimum(share[:-1] * spent[:-1], share[1:] * spent[1:])
        ends = np.zeros(1)
        return cls(
            np.append(0.0, np.cumsum(spent)),
            np.concatenate([ends, half, ends]),
            np.concatenate([ends, room, ends]),
            np.pad(jump, ((1, 1), (0, 0))),
        )

    def worth(self, half: Array, limits: Limits) -> Array:
        """Return half widths (n,), 0 where a corner is too narrow or a limit of jerk too low.

        With one, a corner's second derivative rises to jump / ((2 - rise) half) within rise half;
        what that grows by is, times the cube of the speed, a jerk. A law is made from means over
        some time, in which such a corner is gone: what is short of its limit there would slow down
        all of the law.
        """
        half = np.where(half < NARROWEST * self.at[-1], 0.0, half)
        if limits.jerk is None:
            return half
        rise = 2 * RISE
        fast = half**2 * (2 - rise) * rise >= SLOWEST**3 * (self.jump / limits.jerk).max(axis=1)
        return np.where(fast, half, 0.0)


def _ramps(at: Array, half: Array, s: Array, mid: Array) -> Array:
    """Return R of vertices about points s, as coefficients of (0 .. 3)rd powers, (4, ...).

    `mid` is within the piece that begins at s.
    """
    d, rise = s - at, 2 * RISE
    h = np.where(half > 0, half, 1.0)
    y = np.where(half > 0, (mid - at) / h, np.sign(mid - at))
    peak = 1 / (2 - rise)
    z = np.where(y < 0, 1 + d / h, 1 - d / h)
    level = np.abs(y) <= 1 - rise
    z = np.where(level, 1 + d / h - rise / 2, z)
    nothing = np.zeros_like(d)
    low = [
        h * peak * np.where(level, z * z / 2 + rise * rise / 24, z**3 / (6 * rise)),
        peak * np.where(level, z, z * z / (2 * rise)),
        peak / h * np.where(level, 0.5, z / (2 * rise)),
        np.where(level, nothing, peak / (6 * rise * h * h)),
    ]
    falls = ~level & (y > 0)  # also where it is gone: then R is d alone
    out = np.array([np.where(np.abs(y) < 1, part, nothing) for part in low])
    out[1] = np.where(falls, -out[1], out[1])
    out[3] = np.where(falls, -out[3], out[3])
    out[0] += np.where(falls, d, nothing)
    out[1] += np.where(falls, 1.0, nothing)
    return out


@dataclass(frozen=True, eq=False)
class Curve:
    """The curve through vertices q (n, nq), corners rounded over the times `half` (n,)."""

    model: Model
    base: Array  # (pieces, nq): the vertex before the edges on their way
    ways: Array  # (pieces, k, nv): these edges, or nothing
    shares: Array  # (pieces, k, 4): powers of s from the piece's begin
    chart: Array  # (pieces, 4, nv): the same of the whole way
    bent: NDArray[np.bool_]  # (pieces,)
    knots: Array  # (pieces + 1,): s
    stops: Array  # s where the curve has a corner, its ends too
    balls: tuple[int, ...]  # first of three coordinates of velocity of each ball

    @classmethod
    def of(cls, model: Model, q: Array, at: Array, half: Array) -> Curve:
        """Make the curve; vertices on the same place have been left out before."""
        rise = 2 * RISE * half
        knots = np.unique(
            np.concatenate(
                [at - half, at - half + rise, at + half - rise, at + half, at[half == 0]]
            )
        )
        knots = knots[np.append(True, np.diff(knots) > 1e-14 * at[-1])]
        knots[0], knots[-1] = at[0], at[-1]
        start, mid = knots[:-1], (knots[:-1] + knots[1:]) / 2
        most = len(q) - 2
        first = np.clip(np.searchsorted(at + half, mid, side="right") - 1, 0, most)
        last = np.clip(np.searchsorted(at - half, mid, side="left") - 1, first, most)
        edge = first[:, None] + np.arange(int((last - first).max()) + 1)
        used = edge <= last[:, None]
        edge = np.minimum(edge, most)
        begun, gone = (
            _ramps(at[k], half[k], start[:, None], mid[:, None]) for k in (edge, edge + 1)
        )
        shares = np.where(used, (begun - gone) / (at[edge + 1] - at[edge]), 0.0)
        shares = np.ascontiguousarray(np.moveaxis(shares, 0, 2))
        ways = np.where(used[:, :, None], np.asarray(model.difference(q[:-1], q[1:]))[edge], 0.0)
        chart = np.einsum("pki,pkv->piv", shares, ways)
        balls = tuple(
            int(v) for v, kind in zip(model.step_v, model.step_kind, strict=True) if kind == 2
        )
        return cls(model, q[first], ways, shares, chart, first < last, knots, at[half == 0], balls)

    def grid(self) -> Array:
        """Return points of s for a pass of speeds: every piece has its own."""
        parts = []
        for k, bent in enumerate(self.bent):
            count = BENT_POINTS if bent else EDGE_POINTS
            parts.append(np.linspace(self.knots[k], self.knots[k + 1], count + 1)[:-1])
        return np.concatenate([*parts, self.knots[-1:]])

    def at(self, s: Array) -> tuple[Array, Array, Array, Array]:
        """Return q (n, nq) at s (n,), and three derivatives of it by s, as motions (n, nv)."""
        piece = np.clip(np.searchsorted(self.knots, s, side="right") - 1, 0, len(self.bent) - 1)
        along = np.clip(s, 0.0, self.knots[-1]) - self.knots[piece]
        chart = np.moveaxis(self.chart[piece], 1, 0)
        x = [_power(chart, along[:, None], order) for order in range(4)]
        q = self.base[piece]
        if not self.balls:
            return np.asarray(self.model.integrate(q, x[0])), x[1], x[2], x[3]
        share, ways = self.shares[piece], self.ways[piece]
        for k in range(ways.shape[1]):
            part = _power(share[:, k].T, along, 0)[:, None] * ways[:, k]
            q = np.asarray(self.model.integrate(q, part))
        self._turn(piece, along, x[1:])
        return q, x[1], x[2], x[3]

    def derivatives(self, piece: NDArray[np.intp], along: Array) -> tuple[Array, Array]:
        """Return two derivatives by s, as motions (m, n, nv), at places (m, n) of pieces (n,)."""
        chart = np.moveaxis(self.chart[piece], 1, 0)
        x = [_power(chart, along[:, :, None], order) for order in (1, 2)]
        if self.balls:
            flat = [part.reshape(-1, part.shape[2]) for part in x]
            self._turn(np.tile(piece, len(along)), along.ravel(), flat)
            x = [part.reshape(*along.shape, -1) for part in flat]
        return x[0], x[1]

    def _turn(self, piece: NDArray[np.intp], along: Array, x: list[Array]) -> None:
        """Put velocities of balls, and their derivatives, into x: edges turn those before them."""
        share, ways = self.shares[piece], self.ways[piece]
        gone = [[_power(part.T, along, k) for k in range(4)] for part in np.moveaxis(share, 1, 0)]
        for v in self.balls:
            found = [np.zeros((len(piece), 3)) for _ in x]
            for k, c in enumerate(gone):
                w = ways[:, k, v : v + 3]
                turned = [_turned_back(part, w, c[0]) for part in found]
                rate = c[1][:, None] * np.cross(w, turned[0])
                found[0] = turned[0] + c[1][:, None] * w
                found[1] = turned[1] - rate + c[2][:, None] * w
                if len(x) < 3:
                    continue
                found[2] = (
                    turned[2]
                    - c[1][:, None] * np.cross(w, 2 * turned[1] - rate)
                    - c[2][:, None] * np.cross(w, turned[0])
                    + c[3][:, None] * w
                )
            for out, part in zip(x, found, strict=True):
                out[:, v : v + 3] = part


def _power(c: Array, t: Array, order: int) -> Array:
    """Return a derivative of cubics of coefficients c (4, ..) at t."""
    a0, a1, a2, a3 = c
    if order == 0:
        return np.asarray(a0 + t * (a1 + t * (a2 + t * a3)))
    if order == 1:
        return np.asarray(a1 + t * (2 * a2 + t * (3 * a3)))
    return np.asarray(2 * a2 + t * (6 * a3)) if order == 2 else np.asarray(6 * a3 + 0 * t)


def _turned_back(x: Array, w: Array, share: Array) -> Array:
    """Return vectors x (n, 3) as seen after a turn by share w."""
    size = np.linalg.norm(w, axis=1)[:, None]
    axis = w / np.where(size > 0, size, 1.0)
    angle = share[:, None] * size
    along = axis * np.sum(axis * x, axis=1)[:, None]
    return np.asarray(along + (x - along) * np.cos(angle) - np.cross(axis, x) * np.sin(angle))
