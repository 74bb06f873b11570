"""The arm of a checker of proofs: what a shoulder's swings let it reach, in NumPy alone.

A swing is an azimuth and a share of the way to the edge of its room; cells of them are bounded as
docs/access.md says. All functions take many cells at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import UnsupportedError
from handik.spec import Cone, JointSpec, ReachCone

__all__ = ["Arm", "Shoulder", "bone_axes", "dot", "norm"]

Array = NDArray[np.float64]

#: Monomials of what follows a swing: the powers of x, y and z.
POWERS = np.array(
    [
        *((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)),
        *((2, 0, 0), (1, 1, 0), (1, 0, 1), (0, 2, 0), (0, 1, 1), (0, 0, 2)),
        *((3, 0, 0), (2, 1, 0), (2, 0, 1), (1, 2, 0), (1, 1, 1)),
        *((1, 0, 2), (0, 3, 0), (0, 2, 1), (0, 1, 2), (0, 0, 3)),
    ]
)


def dot(a: Array, b: Array) -> Array:
    out: Array = np.sum(a * b, axis=-1)
    return out


def norm(a: Array) -> Array:
    out: Array = np.sqrt(dot(a, a))
    return out


@dataclass(frozen=True)
class Arm:
    """An upper arm, a forearm between two polar angles, a hand in a cap about it."""

    upper: float
    fore: float
    hand: float
    bent: float
    polar: tuple[tuple[float, float, float], ...]  # from, to, azimuth

    def nearest(self, m: Array, half: Array) -> tuple[Array, Array]:
        """Return the forearm's direction nearest to m, and the part of m along it."""
        best, direction = np.full(len(m), -np.inf), np.zeros_like(m)
        flat, way = np.hypot(m[:, 0], m[:, 1]), np.arctan2(m[:, 1], m[:, 0])
        for low, high, azimuth in self.polar:
            off = (way - azimuth + np.pi) % (2 * np.pi) - np.pi
            turn = np.clip(off, -half, half)
            along = flat * np.cos(off - turn)
            for angle in (low, high, np.clip(np.arctan2(along, m[:, 2]), low, high)):
                size = m[:, 2] * np.cos(angle) + along * np.sin(angle)
                better = size > best
                best = np.where(better, size, best)
                u = np.stack(
                    [
                        np.sin(angle) * np.cos(azimuth + turn),
                        np.sin(angle) * np.sin(azimuth + turn),
                        np.cos(angle) + 0 * turn,
                    ],
                    -1,
                )
                direction = np.where(better[:, None], u, direction)
        return direction, best

    def support(self, m: Array, half: Array) -> tuple[Array, Array]:
        """Return the largest m . p of the arm's points p, and that point."""
        u, along = self.nearest(m, half)
        side = m - along[:, None] * u
        wide, length = norm(side), norm(m)
        inside = np.arctan2(wide, along) <= self.bent
        unit = np.where(wide > 0, wide, 1.0)
        rim = np.cos(self.bent) * u + np.sin(self.bent) * side / unit[:, None]
        v = np.where(inside[:, None], m / np.where(length > 0, length, 1.0)[:, None], rim)
        p = self.fore * u + self.hand * v
        p[:, 2] += self.upper
        return dot(m, p), p

    def distance(self, y: Array, half: Array) -> Array:
        """Return numbers that the arm's distance from y is never below."""
        v = y - np.array([0, 0, self.upper])
        away = norm(v)
        x = self.nearest(v, half)[1]
        z = np.sqrt(np.maximum((away - x) * (away + x), 0))
        rim = self.fore + self.hand * np.cos(self.bent), self.hand * np.sin(self.bent)
        far = np.hypot(x - self.fore, z)
        best = np.maximum(far - self.hand, np.hypot(*rim) - away)
        past = (z * np.cos(self.bent) - (x - self.fore) * np.sin(self.bent) > 0) & (
            rim[0] * z - rim[1] * x >= 0
        )
        outside = (far > self.hand) & past
        best = np.where(outside, np.maximum(best, np.hypot(x - rim[0], z - rim[1])), best)
        return np.asarray(np.maximum(best, 0), float)


def bone_axes(joint: JointSpec) -> Array:
    """Return the axes of a ball's swing in its joint's frame, as columns."""
    z = np.asarray(joint.axis, float) / np.linalg.norm(joint.axis)
    if joint.axis2 is None:
        raise UnsupportedError(f"joint {joint.name!r} has no second axis to count azimuths from")
    x = np.asarray(joint.axis2, float) / np.linalg.norm(joint.axis2)
    return np.stack([x, np.cross(z, x), z], 1)


class Shoulder:
    """A ball with limits, the slides that follow its swing, and the arm below it."""

    def __init__(self, slides: list[JointSpec], ball: JointSpec, arm: Arm) -> None:
        at = np.eye(4)
        self.arm, ways = arm, []
        for joint in slides:
            at = at @ joint.placement
            ways.append(at[:3, :3] @ (np.asarray(joint.axis, float) / np.linalg.norm(joint.axis)))
        at = at @ ball.placement
        self.axes = bone_axes(ball)
        self.turn, self.at = at[:3, :3] @ self.axes, at[:3, 3]
        self.way = np.array(ways).reshape(-1, 3) @ self.turn
        rows = []
        for joint in slides:
            given = np.asarray(getattr(joint.mimic, "coefficients", ()), float)
            rows.append(np.concatenate([given, np.zeros(20 - len(given))]))
        self.follow = np.array(rows).reshape(-1, 20)
        cubic = POWERS.sum(1) == 3
        many = np.array([6 / np.prod([(1, 1, 2, 6)[k] for k in p]) for p in POWERS[cubic]])
        gram = np.abs(self.way @ self.way.T).sum(1).max() if len(rows) else 0.0
        self.stretch = float(np.sqrt(gram))
        size = float(np.sqrt((self.follow[:, cubic] ** 2 / many).sum()))
        self.third = 6 * self.stretch * size
        self._room(ball)

    # ---- the room ----

    def _room(self, ball: JointSpec) -> None:
        cone = ball.cone
        ends = list(np.linspace(-np.pi, np.pi, 9))
        self.half = self.corner = None
        if isinstance(cone, ReachCone):
            angles = np.asarray(cone.corners, float)
            azimuth, swing = angles.T
            self.corner = np.stack(
                [np.sin(swing) * np.cos(azimuth), np.sin(swing) * np.sin(azimuth), np.cos(swing)], 1
            )
            ends += list((azimuth + np.pi) % (2 * np.pi) - np.pi)
        elif isinstance(cone, Cone):
            self.half = np.array(cone.row()[:4])
            if self.half.max() >= np.pi or self.half.max() > 20 * self.half.min():
                raise UnsupportedError(f"the cone of joint {ball.name!r} is too wide or too thin")
        else:
            raise UnsupportedError(f"joint {ball.name!r} has no limits that a certificate knows")
        twist: Any = cone.twist
        self.rows = np.asarray(getattr(twist, "rows", np.zeros((0, 3))), float).reshape(-1, 3)
        self.rest = np.asarray(getattr(twist, "rest", twist), float)
        self.full = float(getattr(twist, "full", np.pi))
        edges = np.unique(np.concatenate([ends, self.rows[:, 0]]))
        self.sector = np.stack([edges[:-1], edges[1:]], 1)
        middle = self.sector.mean(1)
        self.normal = np.array([self._edge(a) for a in middle])
        self.piece = np.array([self._piece(a) for a in middle])

    def _edge(self, azimuth: float) -> Array:
        """Return 1/a^2 and 1/b^2 of the edge there, or its great circle's inward normal."""
        c, s = np.cos(azimuth), np.sin(azimuth)
        if self.corner is None:
            assert self.half is not None
            a, b = self.half[0 if c >= 0 else 2], self.half[1 if s >= 0 else 3]
            return np.array([a**-2, b**-2, 0.0])
        found = []
        for a, b in zip(self.corner, np.roll(self.corner, -1, 0), strict=True):
            n = np.cross(a, b)
            n /= np.linalg.norm(n)
            if n[2] < 1e-3:
                raise UnsupportedError("a ball's polygon does not go once around its bone")
            w = n[0] * c + n[1] * s
            point = np.array([c * n[2], s * n[2], -w])
            if np.dot(np.cross(a, point), n) >= 0 and np.dot(np.cross(point, b), n) >= 0:
                found.append(n)
        if len(found) != 1:
            raise UnsupportedError("a ball's polygon does not go once around its bone")
        return np.asarray(found[0])

    def _piece(self, azimuth: float) -> Array:
        """Return begin and width of the row of the twist's table, and the twists at both ends."""
        if not len(self.rows):
            return np.array([azimuth - 1, 2.0, *self.rest, *self.rest])
        k = int(np.searchsorted(self.rows[:, 0], azimuth, side="right"))
        a, b = self.rows[k - 1], self.rows[k % len(self.rows)]
        begin = a[0] - (2 * np.pi if k == 0 else 0)
        width = b[0] - a[0] + (2 * np.pi if k in (0, len(self.rows)) else 0)
        return np.array([begin, width, a[1], a[2], b[1], b[2]])

    def edge(self, sector: NDArray[np.intp], phi: Array, half: Array) -> tuple[Array, ...]:
        """Return swing and slope of the edge; the greatest, steepest, most bent in the cell."""
        n, c, s = self.normal[sector], np.cos(phi), np.sin(phi)
        if self.corner is None:
            wide = n[:, 1] - n[:, 0]
            q, q1 = c * c * n[:, 0] + s * s * n[:, 1], 2 * s * c * wide
            steep = np.minimum(np.abs(wide), np.abs(q1) + 2 * np.abs(wide) * half)
            least = np.maximum(q - steep * half, np.minimum(n[:, 0], n[:, 1]))
            return (
                q**-0.5,
                -0.5 * q1 * q**-1.5,
                least**-0.5,
                0.5 * steep * least**-1.5,
                0.75 * steep**2 * least**-2.5 + np.abs(wide) * least**-1.5,
            )
        flat = np.hypot(n[:, 0], n[:, 1])
        w, w1, z = n[:, 0] * c + n[:, 1] * s, n[:, 1] * c - n[:, 0] * s, n[:, 2]
        off = np.minimum(flat, np.abs(w) + flat * half)
        sine2 = z**2 / (z**2 + np.maximum(np.abs(w) - flat * half, 0) ** 2)
        steep = np.minimum(flat, np.abs(w1) + flat * half) * sine2 / z
        return (
            np.arctan2(z, -w),
            w1 * z / (z**2 + w**2),
            np.arctan2(z, -np.minimum(flat, w + flat * half)),
            steep,
            off / z * (2 * steep**2 + sine2),
        )

    def _twist(
        self, sector: NDArray[np.intp], phi: Array, half: Array, r: Array, r1: Array, r2: Array
    ) -> tuple[Array, ...]:
        """Return middle of the twists, slopes, two derivatives at most, half range in the cell."""
        begin, width, *ends = self.piece[sector].T
        x, dx = (phi - begin) / width, half / width

        def ramp(at: Array, low: Array, high: Array) -> tuple[Array, ...]:
            a, b, c = (np.clip(v, 0, 1) for v in (low, high, at))
            steep = np.where(
                (b < 0.5) | (a > 0.5), np.maximum(6 * a * (1 - a), 6 * b * (1 - b)), 1.5
            )
            bent = np.where(low < 1, np.maximum(np.abs(6 - 12 * a), np.abs(6 - 12 * b)), 0.0)
            return c * c * (3 - 2 * c), 6 * c * (1 - c), b * b * (3 - 2 * b), steep, bent

        out = ramp(r / self.full, (r - r1) / self.full, (r + r1) / self.full)
        into = ramp(x, x - dx, x + dx)
        both = []
        for a, b, rest in (
            (0.5 * (ends[0] + ends[1]), 0.5 * (ends[2] + ends[3]), 0.5 * self.rest.sum()),
            (0.5 * (ends[1] - ends[0]), 0.5 * (ends[3] - ends[2]), 0.5 * np.ptp(self.rest)),
        ):
            off = a + (b - a) * into[0] - rest
            round_ = np.abs(b - a) * into[3] * dx
            far = np.abs(off) + round_
            first = out[3] / self.full * r1 * far + out[2] * round_
            second = (
                (out[4] * (r1 / self.full) ** 2 + out[3] / self.full * r2) * far
                + 2 * out[3] / self.full * r1 * round_
                + out[2] * np.abs(b - a) * into[4] * dx**2
            )
            both.append((rest + out[0] * off, first, second, off, b - a))
        (middle, first, second, off, step), (wide, grows, *_) = both
        slopes = out[0] * step * into[1] / width, out[1] / self.full * off
        return middle, *slopes, first, second, np.minimum(wide + grows + 1e-9, np.pi)

    def _followed(self, d: Array) -> tuple[Array, Array, Array, Array]:
        """Return the shoulder's place, its slope by the bone, and the sizes of both derivatives."""
        n, at, by = len(d), np.zeros((len(d), 3)), np.zeros((len(d), 3, 3))
        first, second = np.zeros(n), np.zeros(n)
        joint = d @ self.axes.T

        def monomials(lower: tuple[int, ...] = ()) -> Array:
            out = np.ones((n, 20))
            power, factor = POWERS.copy(), np.ones(20)
            for k in lower:
                factor = factor * power[:, k]
                power[:, k] = np.maximum(power[:, k] - 1, 0)
            for k in range(3):
                out = out * joint[:, k : k + 1] ** power[:, k]
            return out * factor

        for row, way in zip(self.follow, self.way, strict=True):
            slope = np.stack([monomials((k,)) @ row for k in range(3)], -1)
            at += (monomials() @ row)[:, None] * way
            by += way[None, :, None] * (slope @ self.axes)[:, None, :]
            first += dot(slope, slope)
            second += sum((monomials((i, j)) @ row) ** 2 for i in range(3) for j in range(3))
        return at, by, self.stretch * np.sqrt(first), self.stretch * np.sqrt(second)

    # ---- cells ----

    def roots(self) -> tuple[NDArray[np.intp], Array]:
        """Return the sectors as cells: which, and middles and half widths of azimuth and share."""
        low, high = self.sector.T
        ones = np.ones(len(low))
        place = [0.5 * (low + high), 0.5 * ones, 0.5 * (high - low) + 1e-12, (0.5 + 1e-12) * ones]
        return np.arange(len(low)), np.stack(place, 1)

    def cells(self, sector: NDArray[np.intp], place: Array) -> dict[str, Array]:
        """Return poses and velocities at the middles, and bounds over the cells."""
        phi, share, dp, dt = place.T
        edge, slope, most, steep, bent = self.edge(sector, phi, dp)
        far, r = share + dt, share * edge
        r1, r2 = far * steep * dp + most * dt, 2 * steep * dp * dt + far * bent * dp**2
        middle, by_phi, by_r, m1, m2, half = self._twist(sector, phi, dp, r, r1, r2)
        c, s, cr, sr = np.cos(phi), np.sin(phi), np.cos(r), np.sin(r)
        zero, up = 0 * phi, np.array([0.0, 0.0, 1.0])
        d = np.stack([sr * c, sr * s, cr], -1)
        side, ahead = np.stack([-s, c, zero], -1), np.stack([cr * c, cr * s, -sr], -1)
        tc, ts = np.cos(middle - phi)[:, None], np.sin(middle - phi)[:, None]
        turn = np.stack([tc * ahead + ts * side, tc * side - ts * ahead, d], -1)
        at, by, first, second = self._followed(d)
        spin, slide, lift = [], [], []
        for k, rate in enumerate((share * slope, edge)):
            moves = rate[:, None] * ahead + (sr[:, None] * side if k == 0 else 0)
            rolls = (by_phi if k == 0 else 0) + by_r * rate
            spin.append(rate[:, None] * side + rolls[:, None] * d + (up - d if k == 0 else 0))
            slide.append(np.einsum("nij,nj->ni", by, moves))
            lift.append(slide[-1] + self.arm.upper * moves)
        sine, chord = (
            np.minimum(1, np.abs(sr) + r1),
            np.minimum(2, np.sqrt(np.maximum(2 - 2 * cr, 0)) + r1),
        )
        a2 = r1**2 + (sine * dp) ** 2
        a = np.sqrt(a2)
        across = np.hypot(
            r2 + 0.5 * np.minimum(1, 2 * np.abs(sr * cr) + 2 * r1) * dp**2,
            2 * r1 * dp * np.minimum(1, np.abs(cr) + r1),
        )
        roll = 0.5 * chord**2 * dp + m1
        turned = a2 + roll**2 + a * dp + dp * r1 + r2 + a * m1 + m2
        second = second + self.third * a
        first = first + second * a
        return {
            "turn": turn,
            "at": at,
            "by": by,
            "spin": np.stack(spin, 1),
            "slide": np.stack(slide, 1),
            "elbow": at + self.arm.upper * d,
            "lift": np.stack(lift, 1),
            "half": half,
            "wide": place[:, 2:],
            "around": a,
            "bend": 0.5 * second * (a2 + a * np.hypot(across, a2)),
            "back": 0.5 * a2,
            "across": 0.5 * across,
            "turned": 0.5 * turned,
            "moves": first * a,
            "swings": np.hypot(chord * dp, r1),
            "rolls": m1,
        }

    def _bends(self, c: dict[str, Array], n: Array, z: Array | float) -> Array:
        w = np.einsum("nij,ni->nj", c["by"], n) + np.asarray(z)[..., None] * n
        d = c["turn"][:, :, 2]
        along, size = dot(w, d), norm(w)
        aside = np.minimum(size, np.sqrt(np.maximum(size**2 - along**2, 0)) + size * c["around"])
        back = np.clip(size * c["around"] - along, 0, size)
        return np.asarray(c["bend"] + aside * c["across"] + back * c["back"], float)

    def most(self, c: dict[str, Array], n: Array) -> tuple[Array, Array]:
        """Return what the arm gets along n in each cell at most, and at the middles."""
        arm = self.arm
        m = np.einsum("nij,ni->nj", c["turn"], n)
        support, p = arm.support(m, c["half"])
        x = np.einsum("nij,nj->ni", c["turn"], p)
        rates = np.einsum("nki,ni->nk", c["spin"], np.cross(x, n)) + np.einsum(
            "nki,ni->nk", c["slide"], n
        )
        center = dot(n, c["at"]) + support
        bound = center + np.sum(np.abs(rates) * c["wide"], 1) + self._bends(c, n, p[:, 2])
        bound = bound + np.hypot(p[:, 0], p[:, 1]) * c["turned"] + self._others(c, n, m, p)
        lifts = np.abs(np.einsum("nki,ni->nk", c["lift"], n)) * c["wide"]
        ball = dot(n, c["elbow"]) + arm.fore + arm.hand + lifts.sum(1)
        return np.minimum(bound, ball + self._bends(c, n, arm.upper)), center

    def _others(self, c: dict[str, Array], n: Array, m: Array, p: Array) -> Array:
        """Return what other points of the arm add to p along n anywhere in the cells."""
        square = c["turned"]
        least = np.where(square < 0.9, 1 - square, 1.0)
        axis = np.eye(3)[np.argmin(np.abs(m), axis=1)]
        e1 = np.cross(m, axis)
        e1 /= norm(e1)[:, None]
        e2 = np.cross(m, e1)
        move = np.cross(n[:, None, :], c["spin"])
        reach = []
        for e in (e1, e2):
            side = np.einsum("nij,nj->ni", c["turn"], e)
            moved = np.sum(np.abs(np.einsum("nki,ni->nk", move, side)) * c["wide"], 1)
            reach.append((moved + square) / least)
        most = np.zeros(len(m))
        for i in (-1, 1):
            for j in (-1, 1):
                other = m + i * reach[0][:, None] * e1 + j * reach[1][:, None] * e2
                most = np.maximum(most, self.arm.support(other, c["half"])[0] - dot(p, other))
        return np.where(square < 0.9, most, np.inf)

    def least(self, c: dict[str, Array], x: Array) -> tuple[Array, Array]:
        """Return how near the arm comes to x at most in each cell, and how near at the middles."""
        y = np.einsum("nij,ni->nj", c["turn"], x - c["at"])
        middle = self.arm.distance(y, c["half"])
        loss = c["moves"] + norm(y) * c["swings"] + np.hypot(y[:, 0], y[:, 1]) * c["rolls"]
        away = y - np.array([0, 0, self.arm.upper])
        for _ in range(3):
            away = y - self.arm.support(away, c["half"])[1]
        size = norm(away)
        n = np.einsum("nij,nj->ni", c["turn"], away / np.where(size > 0, size, 1)[:, None])
        plane = np.where(size > 0, dot(n, x) - self.most(c, n)[0], -np.inf)
        return np.maximum(middle - loss, plane), middle
