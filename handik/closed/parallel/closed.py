"""Parallel mechanisms with closed forms both ways: planar 3-RPR, Delta, five-bar."""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.spec._given import number, points_of, reals, whole_number

Array = NDArray[np.float64]
#: Share of its size by which rounding may put what all but reaches out of reach.
EDGE = 1e-12


def _positive(value: float, name: str) -> float:
    found = number(name, value)
    if not np.isfinite(found):
        raise ArgumentError(f"{name} must be finite")
    if found <= 0:
        raise ArgumentError(f"{name} must be positive, got {found:g}")
    return found


def _cosine(c: Array) -> Array:
    """Cosines, NaN where none is; at the edge of the reach rounding puts them beyond 1."""
    return np.asarray(np.where(np.abs(c) <= 1 + EDGE, np.clip(c, -1, 1), np.nan))


def _cross(a: Array, b: Array) -> Array:
    return np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def _circles(p: Array, r: float, q: Array, s: float) -> Array:
    """Return both points at distance r of p and s of q, (..., 2, 2), NaN where there is none."""
    gap = q - p
    d2 = np.sum(gap * gap, axis=-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        along = (d2 + r * r - s * s) / (2 * d2)
        under = r * r / d2 - along * along
        # circles that touch, up to rounding of both squares
        touch = np.abs(under) <= EDGE * (r * r / d2 + along * along)
        side = np.sqrt(np.where(touch, 0.0, under))
        normal = np.stack([-gap[..., 1], gap[..., 0]], axis=-1)
        middle = p + along[..., None] * gap
        shift = side[..., None] * normal
    return np.stack([middle + shift, middle - shift], axis=-2)


class FiveBar:
    """Two driven arms in a plane whose forearms meet in one point.

    Parameters
    ----------
    base : array_like, shape (2, 2)
        The two motors, m.
    upper, lower : array_like, shape (2,)
        Lengths of the driven links and of the forearms, m.

    Raises
    ------
    ArgumentError
        A shape is wrong or a length is not positive.
    """

    def __init__(self, base: ArrayLike, upper: ArrayLike, lower: ArrayLike) -> None:
        self.base = points_of(base, "base", (2, 2))
        self.upper = points_of(upper, "upper", (2,))
        self.lower = points_of(lower, "lower", (2,))
        for name, value in (("upper", self.upper), ("lower", self.lower)):
            _positive(float(value.min()), name)

    def ik(self, point: ArrayLike) -> Array:
        """Return every pair of motor angles that brings the tip to a point.

        Parameters
        ----------
        point : array_like, shape (..., 2)
            Points, m.

        Returns
        -------
        ndarray, shape (..., 4, 2)
            The four working modes (left elbow first or second, right elbow first or second),
            rad; NaN where a point is out of reach.
        """
        p = reals(point, "point", (2,))
        angle = []
        for side in range(2):
            foot = np.broadcast_to(self.base[side], p.shape)
            knee = _circles(foot, self.upper[side], p, self.lower[side]) - self.base[side]
            angle.append(np.arctan2(knee[..., 1], knee[..., 0]))
        return np.stack(
            [np.stack([angle[0][..., i], angle[1][..., j]], -1) for i in (0, 1) for j in (0, 1)],
            axis=-2,
        )

    def fk(self, angle: ArrayLike) -> Array:
        """Return both points where the tip can be for motor angles.

        Parameters
        ----------
        angle : array_like, shape (..., 2)
            Motor angles, rad.

        Returns
        -------
        ndarray, shape (..., 2, 2)
            Both assembly modes, left of the line from the first elbow to the second first; NaN
            where the forearms do not meet, or the elbows coincide.
        """
        q = reals(angle, "angle", (2,))
        knee = self.base + self.upper[:, None] * np.stack([np.cos(q), np.sin(q)], axis=-1)
        return _circles(knee[..., 0, :], self.lower[0], knee[..., 1, :], self.lower[1])


class Delta:
    """Clavel's Delta: three driven arms, three parallelograms, a platform that never turns.

    Parameters
    ----------
    base_radius, platform_radius : float
        Distance of the motors, and of the platform's joints, from the axis, m.
    upper, lower : float
        Lengths of the driven arms and of the parallelograms, m.

    Raises
    ------
    ArgumentError
        A length is not positive.

    Notes
    -----
    Arm i stands at 0, 120, 240 degrees about z. Its angle is 0 when it points outwards and grows
    downwards (Clavel 1988; Merlet 2006, section 2.3).
    """

    def __init__(
        self, base_radius: float, platform_radius: float, upper: float, lower: float
    ) -> None:
        self.base_radius = _positive(base_radius, "base_radius")
        self.platform_radius = _positive(platform_radius, "platform_radius")
        self.upper = _positive(upper, "upper")
        self.lower = _positive(lower, "lower")
        half = np.sqrt(3.0) / 2
        self._out = np.array([[1.0, 0.0, 0.0], [-0.5, half, 0.0], [-0.5, -half, 0.0]])

    def ik(self, point: ArrayLike) -> Array:
        """Return every set of arm angles that brings the platform to a point.

        Parameters
        ----------
        point : array_like, shape (..., 3)
            Centers of the platform, m.

        Returns
        -------
        ndarray, shape (..., 8, 3)
            All eight choices of elbows, the first with all elbows outwards; rad in (-pi, pi];
            NaN where an arm does not reach.
        """
        p = reals(point, "point", (3,))
        w = p[..., None, :] + (self.platform_radius - self.base_radius) * self._out
        a, b = np.sum(w * self._out, axis=-1), w[..., 2]
        with np.errstate(invalid="ignore", divide="ignore"):
            k = (np.sum(w * w, axis=-1) + self.upper**2 - self.lower**2) / (2 * self.upper)
            half = np.arccos(_cosine(k / np.hypot(a, b)))
        middle = np.arctan2(-b, a)
        both = np.stack([middle - half, middle + half])
        both = np.pi - np.mod(np.pi - both, 2 * np.pi)
        rows = [
            np.stack([both[i][..., n] for n, i in enumerate(c)], -1)
            for c in product((0, 1), repeat=3)
        ]
        return np.stack(rows, axis=-2)

    def fk(self, angle: ArrayLike) -> Array:
        """Return both points where the platform can be for arm angles.

        Parameters
        ----------
        angle : array_like, shape (..., 3)
            Arm angles, rad.

        Returns
        -------
        ndarray, shape (..., 2, 3)
            Lower and upper point where three spheres meet; NaN where they do not.
        """
        q = reals(angle, "angle", (3,))
        out = self.base_radius - self.platform_radius + self.upper * np.cos(q)
        c = out[..., None] * self._out
        c[..., 2] = -self.upper * np.sin(q)
        u, v = c[..., 1, :] - c[..., 0, :], c[..., 2, :] - c[..., 0, :]
        n = np.cross(u, v)
        n2, u2, v2 = (np.sum(x * x, axis=-1)[..., None] for x in (n, u, v))
        with np.errstate(invalid="ignore", divide="ignore"):
            middle = (u2 * np.cross(v, n) + v2 * np.cross(n, u)) / (2 * n2)
            under = self.lower**2 - np.sum(middle * middle, axis=-1)[..., None]
            under = np.where(np.abs(under) <= EDGE * self.lower**2, 0.0, under)
            away = np.sqrt(under / n2) * n
        both = np.stack([c[..., 0, :] + middle - away, c[..., 0, :] + middle + away], axis=-2)
        higher = both[..., 0, 2] > both[..., 1, 2]
        return np.where(higher[..., None, None], both[..., ::-1, :], both)


class PlanarRPR:
    """Planar 3-RPR: three legs of changing length between two triangles in a plane.

    Parameters
    ----------
    base, platform : array_like, shape (3, 2)
        Joint centers in the frame of the base and of the platform, m.

    Raises
    ------
    ArgumentError
        A shape is wrong or a number is not finite.

    Notes
    -----
    All poses, up to 6: with the first joints at the origins, the differences of the leg equations
    are linear in t; put into ``|t| = L1`` they leave one Laurent polynomial of degree 3 in
    ``exp(i angle)``, because turns keep areas and lengths. It is sampled at 8 angles, its roots
    on the unit circle are taken and polished (Gosselin, Sefrioui and Richard, "Solutions
    polynomiales au problème de la cinématique directe des manipulateurs parallèles plans à trois
    degrés de liberté", Mechanism and Machine Theory 27, 1992, 107-119).
    """

    def __init__(self, base: ArrayLike, platform: ArrayLike) -> None:
        self.base = points_of(base, "base", (3, 2))
        self.platform = points_of(platform, "platform", (3, 2))

    def ik(self, pose: ArrayLike) -> Array:
        """Return the leg lengths of poses.

        Parameters
        ----------
        pose : array_like, shape (..., 3)
            x, y (m) and angle (rad) of the platform.

        Returns
        -------
        ndarray, shape (..., 3)
            Lengths, m.
        """
        return self._lengths_at(reals(pose, "pose", (3,)), self.base)

    def _lengths_at(self, pose: Array, base: Array) -> Array:
        gap = self._legs(pose, base)
        return np.asarray(np.sqrt(np.sum(gap * gap, axis=-1)))

    def _legs(self, pose: Array, base: Array) -> Array:
        c, s = np.cos(pose[..., 2, None]), np.sin(pose[..., 2, None])
        x, y = self.platform[:, 0], self.platform[:, 1]
        tips = np.stack([c * x - s * y, s * x + c * y], axis=-1)
        return np.asarray(pose[..., None, :2] + tips - base)

    def fk(self, lengths: ArrayLike, guess: ArrayLike, iterations: int = 30) -> Array:
        """Find the pose with these lengths near a guess, by Newton's method.

        Parameters
        ----------
        lengths : array_like, shape (3,)
            Leg lengths, m.
        guess : array_like, shape (3,)
            x, y, angle.
        iterations : int, default 30
            Most steps.

        Returns
        -------
        ndarray, shape (3,)
            The pose; NaN when Newton's method did not converge.
        """
        wanted = self._lengths(lengths)
        pose = points_of(guess, "guess", (3,)).copy()
        pose[:2] -= self.base[0]
        pose = self._newton(wanted, pose, iterations)
        pose[:2] += self.base[0]
        return pose

    def _newton(self, wanted: Array, pose: Array, iterations: int = 30) -> Array:
        """Newton's method with the first base joint as the origin; NaN when it did not converge."""
        base = self.base - self.base[0]
        size = max(float(wanted.max()), float(np.ptp(self.platform)), 1e-300)
        for _ in range(whole_number("iterations", iterations) + 1):
            gap = self._legs(pose, base)
            length = np.sqrt(np.sum(gap * gap, axis=-1))
            error = wanted - length
            if np.abs(error).max() <= 1e-14 * size:
                return pose
            arm = gap - pose[:2] + base
            with np.errstate(invalid="ignore", divide="ignore"):
                u = gap / length[:, None]
            j = np.column_stack([u, _cross(arm, u)])
            try:
                pose = pose + np.linalg.solve(j, error)
            except np.linalg.LinAlgError:
                break
        far = np.inf
        if np.isfinite(pose).all():
            far = float(np.abs(self._lengths_at(pose, base) - wanted).max())
        return pose if far <= 1e-11 * size else np.full(3, np.nan)

    def _lengths(self, lengths: ArrayLike) -> Array:
        wanted = points_of(lengths, "lengths", (3,))
        if wanted.min() < 0:
            raise ArgumentError(f"lengths must not be negative, got {wanted.min():g}")
        return wanted

    def postures(self, lengths: ArrayLike) -> Array:
        """Find every pose with these lengths: up to 6.

        Parameters
        ----------
        lengths : array_like, shape (3,)
            Leg lengths, m.

        Returns
        -------
        ndarray, shape (k, 3)
            x, y, angle in (-pi, pi], sorted by angle. Empty when the legs cannot meet, and when
            the lengths leave the platform free to move (a triangle of no size on one circle).

        Raises
        ------
        ArgumentError
            The shape is wrong or a length is negative.
        """
        wanted = self._lengths(lengths)
        ends = [np.abs(x - x[0]).max() for x in (self.base, self.platform)]
        scale = max(*map(float, ends), float(wanted.max()), 1e-300)
        a, b = (self.base - self.base[0]) / scale, (self.platform - self.platform[0]) / scale
        square = (wanted / scale) ** 2
        angle = np.linspace(0, 2 * np.pi, 8, endpoint=False)
        w, n = _linear(a, b, square, angle)
        value = square[0] * 4 * _cross(w[0], w[1]) ** 2 - np.sum(_adjoint(w, n) ** 2, axis=-1)
        harmonic = np.fft.fft(value) / 8
        found: list[Array] = []
        for z in np.roots(harmonic[[3, 2, 1, 0, 7, 6, 5]]):
            if abs(abs(z) - 1) > 1e-4:
                continue
            found += self._at_angle(a, b, square, float(np.angle(z)), wanted, scale)
        distinct: list[Array] = []
        for pose in sorted(found, key=lambda p: (p[2], p[0], p[1])):
            turn = [np.abs(np.exp(1j * (pose[2] - p[2])) - 1) for p in distinct]
            near = [
                d < 1e-7 and np.abs(pose[:2] - p[:2]).max() < 1e-7 * scale
                for d, p in zip(turn, distinct, strict=True)
            ]
            if not any(near):
                distinct.append(pose)
        return np.array(distinct).reshape(-1, 3)

    def _at_angle(
        self, a: Array, b: Array, square: Array, angle: float, wanted: Array, scale: float
    ) -> list[Array]:
        """Solve for t at one angle, two answers where it is free on a line, and polish."""
        w, n = _linear(a, b, square, np.array([angle]))
        det = 2 * float(_cross(w[0], w[1])[0])
        flat = np.array([w[0][0], w[1][0]])
        big = int(np.argmax(np.sum(flat * flat, axis=-1)))
        size = float(np.sum(flat[big] ** 2))
        starts = []
        if abs(det) > 1e-300:
            starts.append(_adjoint(w, n)[0] / det)
        if abs(det) < 1e-5 and size > 1e-20:
            foot = n[big][0] * flat[big] / (2 * size)
            side = np.sqrt(max(square[0] - float(foot @ foot), 0.0) / size)
            normal = np.array([-flat[big][1], flat[big][0]])
            starts += [foot + side * normal, foot - side * normal]
        poses = []
        for t in starts:
            c, s = np.cos(angle), np.sin(angle)
            x, y = self.platform[0]
            origin = t * scale - np.array([c * x - s * y, s * x + c * y])
            first = np.array([*origin, angle])
            if (
                not np.isfinite(first).all()
                or np.abs(self._lengths_at(first, self.base - self.base[0]) - wanted).max()
                > 1e-2 * scale
            ):
                continue
            pose = self._newton(wanted, first)
            if np.isfinite(pose).all() and np.abs(pose - first).max() < 1e-2 * max(1.0, scale):
                pose[:2] += self.base[0]
                pose[2] = np.pi - np.mod(np.pi - pose[2], 2 * np.pi)
                poses.append(pose)
        return poses


def _linear(a: Array, b: Array, square: Array, angle: Array) -> tuple[Array, Array]:
    """Return w (2, m, 2) and n (2, m) of ``2 w . t = n`` at m angles, for legs 2 and 3."""
    c, s = np.cos(angle), np.sin(angle)
    w, n = [], []
    for i in (1, 2):
        tip = np.stack([c * b[i, 0] - s * b[i, 1], s * b[i, 0] + c * b[i, 1]], axis=-1)
        w.append(tip - a[i])
        n.append(square[i] - square[0] - np.sum((tip - a[i]) ** 2, axis=-1))
    return np.array(w), np.array(n)


def _adjoint(w: Array, n: Array) -> Array:
    """Return ``2 det t``-free numerators: t = adjoint / (2 cross(w1, w2))."""
    x = n[0] * w[1][..., 1] - n[1] * w[0][..., 1]
    y = n[1] * w[0][..., 0] - n[0] * w[1][..., 0]
    return np.stack([x, y], axis=-1)
