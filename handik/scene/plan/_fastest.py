"""The fastest law along a curve within limits of velocity and acceleration.

Notes
-----
With x = (ds/dt)^2 and u = d2s/dt2 limits are linear in both: |q' u + q'' x| <= A, q'^2 x <= V^2.
Straight edges are one interval each, on which the law is known. A corner's curve is cut into
intervals; in each u is even or changes evenly with s by an amount that is chosen before (what it
changes by between the neighbors, the lesser of both sides, of the law found before). Then in each
interval an acceleration is a polynomial of s whose Bezier coefficients are linear in x at its
begin and in the mean u, and as a polynomial is nowhere more than the greatest of these, limits of
the coefficients are limits everywhere. `_core.path_speed` finds the fastest law under them.

What is left to gain falls with the square of the intervals. Where no coordinate is at a limit it
is seen, and intervals are cut there until that is less than `LOSS` of the duration.

A ball's accelerations are no polynomials; ones of degree 7 on such intervals are their like to
rounding.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.scene.plan._curve import Curve
from handik.scene.plan._law import Law, Limits, waves

__all__ = ["fastest", "shown"]

Array = NDArray[np.float64]

#: Intervals of a corner's curve at first, parts that one is cut into at most, and how often.
FIRST, PARTS, ROUNDS = 4, 4, 8
#: Times that are shown of each even change of speed on a straight edge.
SHOWN = 12
#: What of the duration may be lost where no limit is reached, by the estimate.
LOSS = 4e-5


@dataclass(frozen=True, eq=False)
class _Grid:
    """Intervals: the piece of the curve, where in it they begin; all (n,)."""

    piece: NDArray[np.intp]
    begin: Array
    length: Array
    bend: Array  # change of u from begin to end

    def cut(self, parts: NDArray[np.intp], bend: Array) -> _Grid:
        """Return the grid whose intervals are cut into equal parts."""
        first = np.repeat(np.cumsum(parts) - parts, parts)
        length = np.repeat(self.length / parts, parts)
        begin = np.repeat(self.begin, parts) + (np.arange(len(first)) - first) * length
        return _Grid(np.repeat(self.piece, parts), begin, length, np.repeat(bend / parts, parts))


@dataclass(frozen=True, eq=False)
class _Pass:
    """A grid with what limits mean on it, and the law found; `x` at its n + 1 points."""

    grid: _Grid
    first: Array  # (m, n, nv): q' at m places of each interval, in limits of acceleration
    second: Array
    push: Array  # (n, rows)
    pull: Array
    rest: Array
    square: Array  # (2, n): the most of (q' / V)^2 at both ends
    x: Array
    brake: Array
    up: Array
    even: Array


@dataclass(frozen=True, eq=False)
class _Places:
    """Places of an interval [0, 1] and what turns values there into Bezier coefficients."""

    at: Array
    hull: Array
    fine: Array  # places for (q')^2 x, of about twice the degree
    to_fine: Array
    fine_hull: Array


@lru_cache(maxsize=2)
def _places(degree: int) -> _Places:
    twice = 2 * degree
    at, fine = _spread(degree), _spread(twice)
    hull = np.linalg.inv(_bezier(degree, at)).astype(np.float64)
    fine_hull = np.linalg.inv(_bezier(twice, fine)).astype(np.float64)
    return _Places(at, hull, fine, _bezier(degree, fine) @ hull, fine_hull)


def _spread(degree: int) -> Array:
    return np.asarray((1 - np.cos(np.pi * np.arange(degree + 1) / degree)) / 2)


def _bezier(degree: int, t: Array) -> Array:
    k = np.arange(degree + 1)
    many = np.array([comb(degree, int(i)) for i in k], np.float64)
    return np.asarray(many * t[:, None] ** k * (1 - t[:, None]) ** (degree - k))


def _mixed(matrix: Array, values: Array) -> Array:
    """Return the product; small matrices are not worth the threads of a library."""
    return np.asarray(np.einsum("ij,jk->ik", matrix, values))


def fastest(curve: Curve, limits: Limits) -> Law:
    """Return the fastest law over the whole curve, with a rest at each corner it has."""
    bent = curve.bent
    zeros = np.zeros(len(bent))
    whole = _Grid(np.arange(len(bent)), zeros, np.diff(curve.knots), zeros)
    grid = whole.cut(np.where(bent, FIRST, 1), zeros)
    found = _passed(curve, limits, grid)
    law = _law(curve, found)
    if not bent.any():
        return law
    grid = replace(grid, bend=_bends(curve, found))
    for _ in range(ROUNDS):
        found = _passed(curve, limits, grid)
        law = _law(curve, found)
        lost, most = _lost(curve, found), LOSS * law.times[-1]
        if lost.sum() <= most:
            break
        # fewest are needed with parts in proportion to the cube root
        root = np.cbrt(lost)
        parts = np.clip(np.ceil(root * np.sqrt(root.sum() / most)), 1, PARTS).astype(np.intp)
        parts[grid.length < 1e-10 * curve.knots[-1]] = 1
        grid = grid.cut(parts, _bends(curve, found))
    return law


def shown(curve: Curve, law: Law) -> Array:
    """Return times of a law that tell it well: of a straight edge it has hardly any itself."""
    piece = np.searchsorted(curve.knots, law.start[:, 0], side="right") - 1
    straight = ~curve.bent[np.clip(piece, 0, len(curve.bent) - 1)]
    parts = np.where(straight, SHOWN, 1)
    step = np.repeat(np.diff(law.times) / parts, parts)
    within = np.arange(len(step)) - np.repeat(np.cumsum(parts) - parts, parts)
    return np.append(np.repeat(law.times[:-1], parts) + within * step, law.times[-1])


def _passed(curve: Curve, limits: Limits, grid: _Grid) -> _Pass:
    """Return the fastest speeds on a grid."""
    places = _places(7 if curve.balls else 3)
    t, h, bend = places.at[:, None], grid.length, grid.bend
    m, n, nv = len(t), len(h), curve.model.nv
    first, second = curve.derivatives(grid.piece, grid.begin + h * t)
    first, second = first / limits.acceleration, second / limits.acceleration
    flat, bends = first.reshape(m, n * nv), second.reshape(m, n * nv)
    hull = places.hull

    def by_interval(coefficients: Array) -> Array:
        return np.moveaxis(coefficients.reshape(m, n, nv), 0, 1).reshape(n, m * nv)

    pull = by_interval(_mixed(hull, bends))
    push = by_interval(_mixed(hull, flat)) + 2 * h[:, None] * by_interval(_mixed(hull * t.T, bends))
    rest = by_interval(_mixed(hull * (t.T - 0.5), flat))
    rest = rest + h[:, None] * by_interval(_mixed(hull * (t.T**2 - t.T), bends))
    # what is chosen before may not use up the limits
    bend = bend * np.minimum(1.0, 0.5 / (np.abs(bend) * np.abs(rest).max(axis=1) + 1e-300))
    grid, rest = replace(grid, bend=bend), rest * bend[:, None]
    cap, square = _caps(grid, first * (limits.acceleration / limits.velocity), places)
    rests = np.searchsorted(curve.knots, curve.stops - 1e-12 * curve.knots[-1])
    cap[np.searchsorted(grid.piece, rests)] = 0.0
    x, brake, up, even = _core.path_speed(h, push, pull, rest, cap)
    return _Pass(grid, first, second, push, pull, rest, square, x, brake, up, even)


def _caps(grid: _Grid, fast: Array, places: _Places) -> tuple[Array, Array]:
    """Return the greatest x at the points (n + 1,), and the most of (q' / V)^2 at ends (2, n).

    `fast` (m, n, nv) is q' / V. Between points x is a chord and a bump; where that is too fast by
    some coefficient caps are lowered at both ends.
    """
    square = np.maximum((fast[[0, -1]] ** 2).max(axis=2), 1e-300)
    cap = 1 / np.maximum(np.append(square[0], 0.0), np.append(0.0, square[-1]))
    near = np.minimum(np.append(cap[1:], cap[-2]), np.append(cap[1], cap[:-1]))
    cap = np.minimum(cap, 4 * near)
    rise = grid.bend * grid.length
    m, n, nv = fast.shape
    # of most coordinates a rough bound is enough
    hull = np.abs(_mixed(places.hull, fast.reshape(m, n * nv))).max(axis=0).reshape(n, nv)
    high = np.maximum(cap[:-1], cap[1:]) + np.maximum(-rise, 0) / 4
    k, j = np.nonzero(hull * hull * high[:, None] > 1)
    t = places.fine[:, None]
    q = _mixed(places.to_fine, fast[:, k, j]) ** 2
    over = _mixed(places.fine_hull, q * (cap[k] + (cap[k + 1] - cap[k]) * t))
    room = 1 - _mixed(places.fine_hull, q * rise[k] * (t * t - t))
    worst = np.ones(n)
    np.maximum.at(worst, k, (over / np.maximum(room, 0.25)).max(axis=0, initial=0.0))
    return cap / np.maximum(np.append(worst, 1.0), np.append(1.0, worst)), square


def _bends(curve: Curve, found: _Pass) -> Array:
    """Return by how much u changes on each interval, by its neighbors on the same curve."""
    grid, x = found.grid, found.x
    u = np.diff(x) / (2 * grid.length)
    same = (np.diff(grid.piece) == 0) & (curve.bent[grid.piece[1:]])
    slope = np.where(same, 2 * np.diff(u) / (grid.length[1:] + grid.length[:-1]), 0.0)
    before, after = np.append(0.0, slope), np.append(slope, 0.0)
    least = np.where(np.abs(before) < np.abs(after), before, after)
    bend = np.where(before * after > 0, least, 0.0) * grid.length
    most = np.minimum(x[:-1], x[1:]) / grid.length  # x stays above 0 between the points
    return np.asarray(np.clip(bend, -most, most))


def _lost(curve: Curve, found: _Pass) -> Array:
    """Return estimates of the seconds that could be gained on each interval of a corner's curve."""
    grid, x, t = found.grid, found.x, _places(len(found.first) - 1).at[:, None]
    h, bend = grid.length, grid.bend
    u = np.diff(x) / (2 * h)
    fast = x[:-1] + np.diff(x) * t + bend * h * (t * t - t)
    push = (u + bend * (t - 0.5))[:, :, None]
    use = np.abs(found.first * push + found.second * fast[:, :, None]).mean(axis=0).max(axis=1)
    use = np.maximum(use, (np.stack([x[:-1], x[1:]]) * found.square).mean(axis=0))
    spent = 2 * h / np.maximum(np.sqrt(x[:-1]) + np.sqrt(x[1:]), 1e-300)
    return np.where(curve.bent[grid.piece], (1 - np.sqrt(np.clip(use, 0, 1))) * spent, 0.0)


def _law(curve: Curve, found: _Pass) -> Law:
    """Return the law of speeds at points; what is known of the place where u changes is used."""
    grid, h, x0, x1 = found.grid, found.grid.length, found.x[:-1], found.x[1:]
    s = curve.knots[grid.piece] + grid.begin
    v0, v1, up = np.sqrt(x0), np.sqrt(x1), found.up[:-1]
    rate = np.where(curve.bent[grid.piece], grid.bend / h, 0.0)
    before = np.nextafter(curve.knots[grid.piece + 1], -np.inf)  # what brakes is on this side
    nothing = np.zeros_like(h)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # straight: as fast as may be, evenly, and as slowly as must be
        top = np.minimum(1 / found.square[0], (x0 + x1) / 2 + up * h)
        top = np.maximum(np.maximum(x0, x1), top)
        even = np.sqrt(top)
        begin, end = (top - x0) / (2 * up), h - (top - x1) / (2 * up)
        straight = (
            ((s, v0, up, nothing), (even - v0) / up),
            ((s + begin, even, nothing, nothing), np.maximum(end - begin, 0) / even),
            ((np.minimum(s + end, before), even, -up, nothing), (even - v1) / up),
        )
        # bent: with the largest u up to where braking begins, if it may begin within the interval
        down = np.diff(found.brake) / (2 * h)
        bound = np.abs(
            found.push * down[:, None] + found.pull * found.brake[:-1, None] + found.rest
        )
        at = (found.brake[:-1] - x0) / (2 * up - 2 * down)
        turns = (np.abs(bound).max(axis=1) <= 1 + 1e-12) & (at > 1e-3 * h) & (at < 0.999 * h)
        turns &= x0 + 2 * h * up > x1
        at = np.where(turns, at, h)
        share = at / h
        mid = np.where(turns, x0 + 2 * up * at + grid.bend * h * (share * share - share), x1)
        speed = np.sqrt(np.maximum(mid, 0))
        u = np.where(turns, up, found.even[:-1]) - grid.bend / 2
        later = down - grid.bend / 2 + rate * at
        bent = (
            ((s, v0, u, rate), _spent(v0, speed, u, rate, at)),
            ((s + at, speed, later, rate), _spent(speed, v1, later, rate, h - at)),
            ((s, v0, u, rate), nothing),
        )
    which = curve.bent[grid.piece]
    rows = np.empty((len(h), 3, 4))
    spans = np.empty((len(h), 3))
    for k in range(3):
        for i in range(4):
            rows[:, k, i] = np.where(which, bent[k][0][i], straight[k][0][i])
        spans[:, k] = np.where(which, bent[k][1], straight[k][1])
    kept = spans > 0
    row = rows[kept]
    start = np.concatenate([row[:, :3], np.zeros((len(row), 1))], axis=1)
    return Law(np.concatenate([[0.0], np.cumsum(spans[kept])]), start, row[:, 3])


def _spent(v0: Array, v1: Array, u: Array, rate: Array, length: Array) -> Array:
    """Return the seconds that pieces of a law take, given their speeds at both ends."""
    d = np.where(length > 0, 2 * length / (v0 + v1), 0.0)
    for _ in range(4):
        one, two = waves(rate, d)
        more = (v0 * one + u * two - length) / (v0 * (1 + rate * two) + u * one)
        d = np.where((rate != 0) & (length > 0), d - more, d)
    return d
