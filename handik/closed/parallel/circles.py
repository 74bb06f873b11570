"""Platforms held at three points that each move on a circle once the drives stand: 3-RRS.

Leg i turns about an axis at its base (driven), has a knee with a parallel axis, and ends in a ball
joint of the platform. With the drives locked each ball joint moves on a circle, and the platform's
three sides bind the three knees.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.closed.parallel.closed import _cosine
from handik.errors import ArgumentError
from handik.spec._given import (
    PoseLike,
    finite_number,
    number,
    points_of,
    reals,
    rigid_poses,
    together,
)

__all__ = ["ThreeRRS", "circle_postures"]

Array = NDArray[np.float64]
SAMPLES = 32
#: Roots this near the unit circle are tried as real ones; what Newton's method keeps is real.
NEAR = 2e-3
APART = 1e-7


class ThreeRRS:
    """Planar legs of two turning joints and a ball, three of them: two tilts and a height.

    Parameters
    ----------
    base : array_like, shape (3, 3)
        Points on the driven axes, m.
    axes : array_like, shape (3, 3)
        Directions of the two axes of each leg; not vertical.
    upper, lower : array_like, shape (3,)
        Lengths from the driven axis to the knee and from the knee to the ball, m.
    platform : array_like, shape (3, 3)
        Ball joints in the frame of the platform, m, not in one line.

    Raises
    ------
    ArgumentError
        A shape is wrong, a length is not positive, an axis is vertical or zero.

    Notes
    -----
    An angle of 0 points along ``axis x z`` (outwards in `regular`), a quarter turn upwards for
    horizontal axes. Li, Chen, Chen, Wu and Hu, "Parasitic motion comparison of 3-PRS parallel
    mechanism with different limb arrangements", Robotics and Computer-Integrated Manufacturing 27
    (2011) 389-396, for the inverse model; `circle_postures` for the direct one.
    """

    def __init__(
        self,
        base: ArrayLike,
        axes: ArrayLike,
        upper: ArrayLike,
        lower: ArrayLike,
        platform: ArrayLike,
    ) -> None:
        self.base = points_of(base, "base", (3, 3))
        self.platform = points_of(platform, "platform", (3, 3))
        self.upper = points_of(upper, "upper", (3,))
        self.lower = points_of(lower, "lower", (3,))
        for name, x in (("upper", self.upper), ("lower", self.lower)):
            if x.min() <= 0:
                raise ArgumentError(f"{name} must be positive, got {x.min():g}")
        n = points_of(axes, "axes", (3, 3))
        out = np.cross(n, [0.0, 0.0, 1.0])
        size = np.linalg.norm(out, axis=1)
        if size.min() < 1e-9 * max(float(np.abs(n).max()), 1e-300):
            raise ArgumentError("axes must not be zero or vertical")
        self.axes = n / np.linalg.norm(n, axis=1)[:, None]
        self._out = out / size[:, None]
        self._up = np.cross(self._out, self.axes)
        sides = self.platform[[1, 2]] - self.platform[0]
        if np.linalg.norm(np.cross(*sides)) < 1e-9 * float(np.max(np.sum(sides**2, axis=1))):
            raise ArgumentError("platform must not have its joints in one line")

    @classmethod
    def regular(
        cls, base_radius: float, platform_radius: float, upper: float, lower: float
    ) -> ThreeRRS:
        """Build one of equal legs at thirds of a turn, opening outwards.

        Parameters
        ----------
        base_radius, platform_radius : float
            Radii of the circles that the joints stand on, m.
        upper, lower : float
            Lengths of the parts of each leg, m.

        Returns
        -------
        ThreeRRS
            The platform.
        """
        base_radius = finite_number("base_radius", base_radius)
        platform_radius = finite_number("platform_radius", platform_radius)
        turn = 2 * np.pi * np.arange(3) / 3
        ring = np.stack([np.cos(turn), np.sin(turn), np.zeros(3)], axis=1)
        axes = np.cross([0.0, 0.0, 1.0], ring)
        return cls(base_radius * ring, axes, [upper] * 3, [lower] * 3, platform_radius * ring)

    def ik(self, T: PoseLike, tolerance: float = 1e-9) -> Array:
        """Find the drives' angles for poses.

        Parameters
        ----------
        T : array_like, shape (..., 4, 4), or pair, or RigidTransform
            Poses of the platform; only poses whose ball joints lie in the planes of their legs can
            be had, see `poses`.
        tolerance : float
            How far off its plane a ball joint may be, over the leg's length.

        Returns
        -------
        ndarray, shape (..., 3, 2)
            Two answers a leg, knee bent outwards first; NaN where the leg does not reach.
        """
        pose, tolerance = rigid_poses(T), number("tolerance", tolerance)
        tips = np.einsum("...ij,kj->...ki", pose[..., :3, :3], self.platform)
        gap = tips + pose[..., None, :3, 3] - self.base
        x, y, off = (np.sum(gap * v, axis=-1) for v in (self._out, self._up, self.axes))
        r2 = x * x + y * y
        with np.errstate(invalid="ignore", divide="ignore"):
            c = (r2 + self.upper**2 - self.lower**2) / (2 * self.upper * np.sqrt(r2))
            bend = np.arccos(_cosine(c))
        bend = np.where(np.abs(off) <= tolerance * (self.upper + self.lower), bend, np.nan)
        way = np.arctan2(y, x)
        both = np.stack([way - bend, way + bend], axis=-1)
        return np.asarray(np.pi - np.mod(np.pi - both, 2 * np.pi))

    def poses(self, height: ArrayLike, tilt: ArrayLike) -> Array:
        """Find the poses with a given height and tilt that keep the balls in their legs' planes.

        Parameters
        ----------
        height : array_like, shape (...)
            z of the platform's origin, m.
        tilt : array_like, shape (..., 2)
            Turns about x, then about y of the base, rad.

        Returns
        -------
        ndarray, shape (..., 2, 4, 4)
            The turn about z and the shift in x and y that the three planes leave (parasitic
            motion); of the two answers the one with the lesser turn first. NaN where there is
            none.
        """
        z, angle = reals(height, "height", ()), reals(tilt, "tilt", (2,))
        together(height=z.shape, tilt=angle.shape[:-1])
        z, a, b = np.broadcast_arrays(z, angle[..., 0], angle[..., 1])
        ca, sa, cb, sb = np.cos(a), np.sin(a), np.cos(b), np.sin(b)
        zero = np.zeros_like(ca)
        tilted = np.stack([cb, sb * sa, sb * ca, zero, ca, -sa, -sb, cb * sa, cb * ca], axis=-1)
        tilted = tilted.reshape(*ca.shape, 3, 3)
        v = np.einsum("...ij,kj->...ki", tilted, self.platform)
        n = self.axes
        # n . ((x, y, z) + Rz v) = n . a, three equations; the null vector removes x and y
        _, _, rows = np.linalg.svd(n[:, :2].T)
        null = rows[2]
        p = np.sum(null * (n[:, 0] * v[..., 0] + n[:, 1] * v[..., 1]), axis=-1)
        q = np.sum(null * (n[:, 1] * v[..., 0] - n[:, 0] * v[..., 1]), axis=-1)
        level = n[:, 2] * (z[..., None] + v[..., 2]) - np.sum(n * self.base, axis=1)
        rest = np.sum(null * level, axis=-1)
        with np.errstate(invalid="ignore", divide="ignore"):
            c = -rest / np.hypot(p, q)
            half = np.arccos(_cosine(c))
        both = np.arctan2(q, p)[..., None] + np.stack([half, -half], axis=-1)
        both = np.pi - np.mod(np.pi - both, 2 * np.pi)
        order = np.argsort(np.abs(both), axis=-1)
        both = np.take_along_axis(both, order, axis=-1)
        cz, sz = np.cos(both)[..., None], np.sin(both)[..., None]
        turned = np.stack(
            [
                cz * v[..., None, :, 0] - sz * v[..., None, :, 1],
                sz * v[..., None, :, 0] + cz * v[..., None, :, 1],
            ],
            axis=-1,
        )
        right = -level[..., None, :] - np.sum(n[:, :2] * turned, axis=-1)
        shift = right @ np.linalg.pinv(n[:, :2]).T
        out = np.zeros((*both.shape, 4, 4))
        cz, sz = cz[..., 0], sz[..., 0]
        spin = np.zeros((*both.shape, 3, 3))
        spin[..., 0, 0] = spin[..., 1, 1] = cz
        spin[..., 0, 1], spin[..., 1, 0], spin[..., 2, 2] = -sz, sz, 1
        out[..., :3, :3] = spin @ tilted[..., None, :, :]
        out[..., :2, 3], out[..., 2, 3], out[..., 3, 3] = shift, z[..., None], 1
        out[np.isnan(both)] = np.nan
        return out

    def _knees(self, angle: Array) -> Array:
        c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
        return np.asarray(self.base + self.upper[:, None] * (c * self._out + s * self._up))

    def postures(self, angle: ArrayLike) -> Array:
        """Find every pose with the drives at these angles: up to 16.

        Parameters
        ----------
        angle : array_like, shape (3,)
            Drives, rad.

        Returns
        -------
        ndarray, shape (k, 4, 4)
            Poses, sorted by height, the highest first.
        """
        knees = self._knees(points_of(angle, "angle", (3,)))
        sides = np.linalg.norm(self.platform[[1, 2, 0]] - self.platform, axis=1)
        phi = circle_postures(knees, self.lower, self._out, self._up, sides)
        tips = _on_circles(phi, knees, self.lower, self._out, self._up)
        poses = np.array([_frame(p) @ np.linalg.inv(_frame(self.platform)) for p in tips])
        if not len(poses):
            return np.empty((0, 4, 4))
        return np.asarray(poses[np.argsort(-poses[:, 2, 3], kind="stable")])

    def fk(self, angle: ArrayLike, guess: PoseLike) -> Array:
        """Find the pose nearest to a guess.

        Parameters
        ----------
        angle : array_like, shape (3,)
            Drives, rad.
        guess : array_like, shape (4, 4), or pair, or RigidTransform
            The pose that is expected.

        Returns
        -------
        ndarray, shape (4, 4)
            One of `postures`; NaN when there is none.

        Raises
        ------
        ArgumentError
            When a shape is wrong, or the guess is no pose.
        """
        near = rigid_poses(guess, "guess")
        if near.shape != (4, 4):
            raise ArgumentError(f"guess must have shape (4, 4), got {near.shape}")
        found = self.postures(angle)
        if not len(found):
            return np.full((4, 4), np.nan)
        size = float(np.linalg.norm(self.platform, axis=1).max())
        gap = found - near
        gap[:, :3, :3] *= size
        return np.asarray(found[int(np.argmin(np.sum(gap * gap, axis=(1, 2))))])

    def singularity(self, T: PoseLike) -> Array:
        """Return how near poses are to where the platform moves with locked drives.

        Parameters
        ----------
        T : array_like, shape (..., 4, 4), or pair, or RigidTransform
            Poses.

        Returns
        -------
        ndarray, shape (...)
            Least singular value of the rates of the three sides by the three knees, over the
            sides' length; 0 at a singular pose. It does not depend on which way the knees bend.
        """
        pose = rigid_poses(T)
        tips = np.einsum("...ij,kj->...ki", pose[..., :3, :3], self.platform)
        tips = tips + pose[..., None, :3, 3]
        out = np.full(tips.shape[:-2], np.inf)
        drives = self.ik(pose, tolerance=1e-6)
        for bend in product((0, 1), repeat=3):
            a = np.stack([drives[..., k, bend[k]] for k in range(3)], axis=-1)[..., None]
            knees = self.base + self.upper[:, None] * (np.cos(a) * self._out + np.sin(a) * self._up)
            way = np.cross(tips - knees, self.axes)
            j = np.zeros((*out.shape, 3, 3))
            for i in range(3):
                k = (i + 1) % 3
                side = tips[..., k, :] - tips[..., i, :]
                length = np.sum(side * side, axis=-1)
                j[..., i, k] = np.sum(side * way[..., k, :], axis=-1) / length
                j[..., i, i] = -np.sum(side * way[..., i, :], axis=-1) / length
            bad = np.asarray(np.isnan(j).any(axis=(-1, -2)))
            whole: Any = np.where(bad[..., None, None], 0.0, j)
            value = np.linalg.svd(whole, compute_uv=False)[..., -1]
            out = np.fmin(out, np.where(bad, np.nan, value))
        return np.where(np.isinf(out), np.nan, out)


def _frame(p: Array) -> Array:
    """Frame of a triangle: origin at its first corner, x along its first side."""
    x = (p[1] - p[0]) / np.linalg.norm(p[1] - p[0])
    z = np.cross(x, p[2] - p[0])
    z /= np.linalg.norm(z)
    out = np.eye(4)
    out[:3, 0], out[:3, 1], out[:3, 2], out[:3, 3] = x, np.cross(z, x), z, p[0]
    return out


def _on_circles(phi: Array, centre: Array, radius: Array, u: Array, w: Array) -> Array:
    c, s = np.cos(phi)[..., None], np.sin(phi)[..., None]
    return np.asarray(centre + radius[:, None] * (c * u + s * w))


def circle_postures(
    centre: ArrayLike, radius: ArrayLike, u: ArrayLike, w: ArrayLike, sides: ArrayLike
) -> Array:
    """Find every triangle with given sides whose corners lie on three circles.

    Parameters
    ----------
    centre : array_like, shape (3, 3)
        Centers of the circles, m.
    radius : array_like, shape (3,)
        Radii, m.
    u, w : array_like, shape (3, 3)
        Unit vectors at right angles in the circles' planes; angle 0 is at u.
    sides : array_like, shape (3,)
        Lengths between corners 1 and 2, 2 and 3, 3 and 1, m.

    Returns
    -------
    ndarray, shape (k, 3)
        Angles on the circles, rad, k up to 16, sorted. Each solves the equations to 1e-10 of the
        sides; a double solution counts once.

    Notes
    -----
    Each side is an equation linear in cosine and sine of either of its two angles. For a given
    first angle, sides 1 and 3 leave two values (real or not) of the second and of the third; the
    product of the last equation over the four pairs, times the squares of what was divided by, is
    a trigonometric polynomial of degree 8 in the first angle. It is sampled at 32 angles; its 16
    roots come from its Fourier coefficients, and the real ones are polished by Newton's method
    (Nanua, Waldron and Murthy, "Direct kinematic solution of a Stewart platform", IEEE
    Transactions on Robotics and Automation 6 (1990) 438-444, has the degree).

    Examples
    --------
    >>> import numpy as np
    >>> centres = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 1.0, 0.0]]
    >>> u, w = np.tile([1.0, 0.0, 0.0], (3, 1)), np.tile([0.0, 0.0, 1.0], (3, 1))
    >>> circle_postures(centres, [0.3, 0.3, 0.3], u, w, [1.0, 1.1, 1.1]).shape[1]
    3
    """
    c0, r = points_of(centre, "centre", (3, 3)), points_of(radius, "radius", (3,))
    uu, ww = points_of(u, "u", (3, 3)), points_of(w, "w", (3, 3))
    side = points_of(sides, "sides", (3,))
    scale = float(max(side.max(), r.max(), np.ptp(c0, axis=0).max(), 1e-300))
    c0, r, side = c0 / scale, r / scale, side / scale
    args = c0, r, uu, ww, side
    angle = 0.1 + 2 * np.pi * np.arange(SAMPLES) / SAMPLES
    value = np.array([_eliminated(a, *args) for a in angle])
    size = float(np.abs(value).max())
    if size < 1e-30:
        return np.empty((0, 3))
    harmonic = np.fft.fft(value / size) / SAMPLES
    found: list[Array] = []
    for z in np.roots(harmonic[[*range(8, -1, -1), *range(-1, -9, -1)]]):
        if abs(abs(z) - 1) < NEAR:
            first = float(np.angle(z)) + 0.1
            for second, third in product(_branches(first, 1, *args), _branches(first, 2, *args)):
                rest = [np.arctan2(x[1].real, x[0].real) for x in (second, third)]
                phi = _polished(np.array([first, *rest]), *args)
                if phi is not None and all(_apart(phi, other) > APART for other in found):
                    found.append(phi)
    rows = np.array(found).reshape(-1, 3)
    return rows[np.lexsort(rows.T[::-1])]


def _apart(a: Array, b: Array) -> float:
    return float(np.abs(np.pi - np.mod(np.pi - (a - b), 2 * np.pi)).max())


def _side_equation(
    p: Array, j: int, length: float, c0: Array, r: Array, u: Array, w: Array
) -> Array:
    """Return (a, b, c) of ``a cos + b sin + c = 0`` for corner j at `length` from the point p."""
    d = c0[j] - p
    c = d @ d + r[j] ** 2 - length**2
    return np.array([2 * r[j] * (d @ u[j]), 2 * r[j] * (d @ w[j]), c])


def _branches(
    first: float, j: int, c0: Array, r: Array, u: Array, w: Array, side: Array
) -> list[NDArray[np.complex128]]:
    """Both (cos, sin), complex, of corner j for corner 0 at angle `first`."""
    p = _on_circles(np.array([first, 0, 0]), c0, r, u, w)[0]
    a, b, c = _side_equation(p, j, float(side[0] if j == 1 else side[2]), c0, r, u, w)
    square = a * a + b * b
    root = np.sqrt(complex(square - c * c))
    out = []
    for s in (1, -1):
        out.append(np.array([-a * c - s * b * root, -b * c + s * a * root]) / max(square, 1e-300))
    return out


def _eliminated(first: float, c0: Array, r: Array, u: Array, w: Array, side: Array) -> float:
    p = _on_circles(np.array([first, 0, 0]), c0, r, u, w)[0]
    two = _side_equation(p, 1, float(side[0]), c0, r, u, w)
    three = _side_equation(p, 2, float(side[2]), c0, r, u, w)
    args = c0, r, u, w, side
    total = complex((two[0] ** 2 + two[1] ** 2) ** 2 * (three[0] ** 2 + three[1] ** 2) ** 2)
    for a, b in product(_branches(first, 1, *args), _branches(first, 2, *args)):
        q = c0[1] + r[1] * (a[0] * u[1] + a[1] * w[1])
        s = c0[2] + r[2] * (b[0] * u[2] + b[1] * w[2])
        total *= np.sum((q - s) ** 2) - side[1] ** 2
    return float(total.real)


def _polished(phi: Array, c0: Array, r: Array, u: Array, w: Array, side: Array) -> Array | None:
    """Newton's method on the three sides; None when it leaves the neighborhood or does not end."""
    start = phi
    for _ in range(40):
        tips = _on_circles(phi, c0, r, u, w)
        way = r[:, None] * (np.cos(phi)[:, None] * w - np.sin(phi)[:, None] * u)
        gap = tips[[1, 2, 0]] - tips
        miss = np.sum(gap * gap, axis=1) - side**2
        if np.abs(miss).max() < 1e-14:
            break
        j = np.zeros((3, 3))
        for i in range(3):
            k = (i + 1) % 3
            j[i, k], j[i, i] = 2 * gap[i] @ way[k], -2 * gap[i] @ way[i]
        step = np.linalg.lstsq(j, -miss, rcond=1e-12)[0]
        phi = phi + step * min(1.0, 0.2 / max(float(np.abs(step).max()), 1e-300))
    if np.abs(miss).max() > 1e-10 or np.abs(phi - start).max() > 0.3:
        return None
    return np.asarray(np.pi - np.mod(np.pi - phi, 2 * np.pi))
