"""A law within limits of velocity, acceleration and jerk."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.scene.plan._curve import Curve
from handik.scene.plan._law import Law, Limits

__all__ = ["gentle"]

Array = NDArray[np.float64]

#: Of a law's duration: what is averaged over less loses digits, and gains nothing.
SHORTEST = 1e-6
#: What a law is slower by than what is measured in places asks for: those between them count too.
MARGIN = 1e-3


def gentle(curve: Curve, limits: Limits, jerk: Array) -> Law:
    """Return a law within limits over the whole curve, with a rest at each corner it has."""
    grid = curve.grid()
    laws = []
    for low, high in zip(curve.stops[:-1], curve.stops[1:], strict=True):
        s = grid[(grid > low) & (grid < high)]
        laws.append(_gentle(curve, np.concatenate([[low], s, [high]]), limits, jerk))
    times = [laws[0].times]
    for law in laws[1:]:
        times.append(times[-1][-1] + law.times[1:])
    start = np.concatenate([law.start for law in laws])
    return Law(np.concatenate(times), start, np.zeros(len(start)))


def _from_speeds(s: Array, x: Array) -> Law:
    """Return the law of squared speeds x at points s, of steady acceleration between them."""
    speed = np.sqrt(x)
    span = np.diff(s)
    times = np.concatenate([[0.0], np.cumsum(2 * span / (speed[:-1] + speed[1:]))])
    u = np.diff(x) / (2 * span)
    nothing = np.zeros_like(u)
    return Law(times, np.stack([s[:-1], speed[:-1], u, nothing], axis=1), nothing)


def _ratios(curve: Curve, s: Array, law: Law, limits: Limits, inner: int) -> tuple[Array, Array]:
    """Return moments inside all pieces, and there the factors by which the law is too fast.

    A piece of the law may pass several corners: it is looked at between the points `s`, too.
    """
    share = np.linspace(1e-6, 1 - 1e-6, inner)
    at = np.interp(s, law.at(law.times)[0], law.times)
    ends = np.unique(np.concatenate([law.times, at]))
    t = (ends[:-1, None] + share * np.diff(ends)[:, None]).ravel()
    # the third derivative of the curve jumps at its knots, where a piece of the law need not end
    within = curve.knots[(curve.knots > law.start[0, 0]) & (curve.knots < law.at(t[-1:])[0, 0])]
    at = _when(law, within)
    t = np.concatenate([t, at - 1e-9 * law.times[-1], at + 1e-9 * law.times[-1]])
    s, v, a, j = law.at(t)
    _, d1, d2, d3 = curve.at(s)
    v, a, j = v[:, None], a[:, None], j[:, None]
    worst = np.max(np.abs(d1 * v) / limits.velocity, axis=1)
    push = np.max(np.abs(d1 * a + d2 * v**2) / limits.acceleration, axis=1)
    worst = np.maximum(worst, np.sqrt(push))
    if limits.jerk is not None:
        jerk = np.max(np.abs(d1 * j + 3 * d2 * v * a + d3 * v**3) / limits.jerk, axis=1)
        worst = np.maximum(worst, np.cbrt(jerk))
    return s, worst


def _when(law: Law, s: Array) -> Array:
    """Return when the law is at points of s, between its ends."""
    low, high = np.zeros_like(s), np.full_like(s, law.times[-1])
    for _ in range(60):
        mid = (low + high) / 2
        late = law.at(mid)[0] > s
        low, high = np.where(late, low, mid), np.where(late, mid, high)
    return high


def _fastest(curve: Curve, s: Array, limits: Limits, cap: Array) -> Law:
    """Return the fastest law over the grid s, from rest to rest; limits hold at its points."""
    # what bends at the ends belongs to this side of the corners there
    inside = np.clip(s, np.nextafter(s[0], s[-1]), np.nextafter(s[-1], s[0]))
    _, d1, d2, _ = curve.at(inside)
    length = np.diff(s)
    push, pull = d1 / limits.acceleration, d2 / limits.acceleration
    end = push[1:] + 2 * length[:, None] * pull[1:]
    with np.errstate(divide="ignore"):
        fast = np.min((limits.velocity / np.abs(d1)) ** 2, axis=1)
    rows = np.concatenate([push[:-1], end], axis=1), np.concatenate([pull[:-1], pull[1:]], axis=1)
    x, *_ = _core.path_speed(length, *rows, np.zeros_like(rows[0]), np.minimum(cap, fast))
    return _from_speeds(s, x)


def _gentle(curve: Curve, s: Array, limits: Limits, jerk: Array) -> Law:
    """Return a law within a limit of jerk too; it is safe, and not the fastest there is.

    Notes
    -----
    Where the curve's third derivative is large the speed is capped by it; the fastest law within
    97 % of the accelerations is averaged over a window of time, which bounds the change of its
    acceleration; caps are lowered where it is still too fast, and what is left is taken out by a
    slower time. The shortest over windows and turns is kept.
    """
    q, _, _, d3 = curve.at(s)
    third = np.max(np.abs(d3) / jerk, axis=1)
    bound = np.where(third > 0, (0.7 / np.where(third > 0, third, 1.0)) ** (2 / 3), 1e300)
    most = _of_use(curve, q, limits, jerk)
    slow = Limits(limits.velocity, 0.97 * most, limits.jerk)
    whole = 2 * float(np.max(most / jerk))
    best: Law | None = None
    for share in (1.0, 0.6, 0.35, 0.2):
        cap = bound.copy()
        for _ in range(4):
            law = _averaged(_fastest(curve, s, slow, cap), share * whole)
            where, worst = _ratios(curve, s, law, limits, 7)
            made = law.slower(max(1.0, float(worst.max()) * (1 + MARGIN)))
            if best is None or made.times[-1] < best.times[-1]:
                best = made
            if worst.max() <= 1:
                break
            fast = np.ones(len(s))
            np.maximum.at(fast, np.clip(np.searchsorted(s, where), 0, len(s) - 1), worst)
            fast = np.maximum(fast, np.maximum(np.roll(fast, 1), np.roll(fast, -1)))
            cap = np.minimum(cap, np.where(fast > 1, _speed_at(law, s) / fast**2, cap))
            cap[[0, -1]] = bound[[0, -1]]
    assert best is not None
    _, worst = _ratios(curve, s, best, limits, 40)  # seven miss up to 3e-3, forty up to 3e-4
    return best.slower(max(1.0, float(worst.max()) * (1 + MARGIN)))


def _of_use(curve: Curve, q: Array, limits: Limits, jerk: Array) -> Array:
    """Return the accelerations that a law from rest to rest over `q` (n, nq) can have, at most.

    About a peak a of an acceleration the velocity changes by a^2 / jerk, which is twice its limit
    at most; and a^3 / jerk^2 of length and more goes into that, the begin and the end, which are at
    rest: 1.37 times that much at least. What is more would only make windows longer.
    """
    way = np.abs(np.asarray(curve.model.difference(q[:-1], q[1:]))).sum(axis=0)
    way = np.maximum(way, 1e-6 * way.max())  # of what hardly moves rounding may leave nothing
    least = np.minimum(np.sqrt(2 * limits.velocity * jerk), 0.9 * np.cbrt(way) * np.cbrt(jerk) ** 2)
    return np.asarray(np.minimum(least, limits.acceleration))


def _speed_at(law: Law, s: Array) -> Array:
    """Return (ds/dt)^2 at points of s."""
    knots = np.append(law.start[:, 0], law.at(law.times[-1:])[0])
    speed = np.append(law.start[:, 1], 0.0)
    x = np.interp(s, knots, speed) ** 2
    return np.asarray(np.maximum(x, 1e-6 * x.max()))


def _averaged(law: Law, window: float) -> Law:
    """Return the law whose s is the mean of the last `window` seconds of another's."""
    window = max(window, SHORTEST * law.times[-1])
    begin = law.start[0, 0]  # beside it what is small would lose its digits
    law = Law(law.times, law.start - [begin, 0, 0, 0], law.rate)
    knots = np.unique(np.concatenate([law.times, law.times + window]))
    knots = knots[np.concatenate([[True], np.diff(knots) > 1e-12 * knots[-1]])]
    early = knots[:-1]
    mid = (knots[:-1] + knots[1:]) / 2
    end = law.times[-1]

    def moving(t: Array, row: int) -> Array:
        inside = (t >= 0) & (t < end)
        found = law.at(t)[row]
        return found if row == 0 else np.where(inside, found, 0.0)

    first = (moving(early, 0) - moving(early - window, 0)) / window
    second = (moving(early, 1) - moving(early - window, 1)) / window
    third = (moving(mid, 2) - moving(mid - window, 2)) / window
    d = np.diff(knots)
    s = np.concatenate([[0.0], np.cumsum(d * (first + d * (second / 2 + d * third / 6)))])
    rows = np.stack([s[:-1], first, second, third], axis=1)
    rows *= law.at(law.times[-1:])[0] / s[-1]  # what rounding took from the end
    rows[:, 0] += begin
    return Law(knots, rows, np.zeros_like(first))
