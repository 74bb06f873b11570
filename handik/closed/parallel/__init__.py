"""Parallel mechanisms: leg lengths of a pose, the pose near a guess, and every pose there is.

`StewartPlatform` (6-UPS) and `Hexaglide` (six sliding legs of fixed length) share the direct model
of six legs; `PlanarRPR`, `Delta` and `FiveBar` have closed forms both ways.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.closed.parallel.closed import EDGE, Delta, FiveBar, PlanarRPR
from handik.errors import ArgumentError
from handik.spec._given import PoseLike, finite_number, points_of, reals, rigid_poses, together

__all__ = [
    "Delta",
    "FiveBar",
    "FkResult",
    "Hexaglide",
    "PlanarRPR",
    "Postures",
    "StewartPlatform",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


Array = NDArray[np.float64]
MOST = 40


@dataclass(frozen=True, slots=True, eq=False)
class FkResult:
    """Pose near a guess, by Newton's method.

    Attributes
    ----------
    T : ndarray, shape (..., 4, 4)
        Poses of the platform; the best found where ``converged`` is False.
    converged : ndarray of bool, shape (...)
        True where every length is met to 1e-12 of the greatest.
    iterations : ndarray of int, shape (...)
        Newton steps.
    residual : ndarray, shape (...)
        Greatest difference of a length, m.
    singularity : ndarray, shape (...)
        Least singular value of the Jacobian there, see `StewartPlatform.singularity`.
    """

    T: Array
    converged: NDArray[np.bool_]
    iterations: NDArray[np.int32]
    residual: Array
    singularity: Array


@dataclass(frozen=True, slots=True, eq=False)
class Postures:
    """Every pose with given leg lengths, and what vouches for "every".

    Attributes
    ----------
    T : ndarray, shape (..., k, 4, 4)
        Real poses; k is the greatest count of the batch, rows past a count are NaN.
    count : int or ndarray of int, shape (...)
        Real poses.
    finite, infinite, failed : int or ndarray of int, shape (...)
        What the 40 paths came to: distinct complex poses (the real ones among them), infinity
        (special platforms have fewer than 40 poses), neither of both.
    paired : bool or ndarray of bool, shape (...)
        The conjugate of every complex pose was found too.
    trace : float or ndarray, shape (...)
        Relative trace of the 40 poses, 0 to rounding when none is missing or doubled; NaN when
        fewer than 40 are finite.
    residual : float or ndarray, shape (...)
        Greatest difference of a length over the real poses, m.
    complete : bool or ndarray of bool, shape (...)
        No path failed, all are paired, and the trace of 40 poses vanishes (below 1e-6); of fewer,
        on a special platform, two runs on other paths found the same. A numeric certificate, not a
        proof.
    dependent : bool or ndarray of bool, shape (...)
        The six equations are dependent, so that no finite number of poses solves them; nothing
        was looked for.
    """

    T: Array
    count: Any
    finite: Any
    infinite: Any
    failed: Any
    paired: Any
    trace: Any
    residual: Any
    complete: Any
    dependent: Any

    def __repr__(self) -> str:
        if np.ndim(self.count):
            return f"Postures({int(np.sum(self.count))} for {np.size(self.count)} lengths)"
        if self.dependent:
            return "Postures(0: the legs' equations are dependent)"
        sure = "complete" if self.complete else "perhaps not all"
        return f"Postures({self.count} real of {self.finite} finite, {sure})"


def _lengths(lengths: ArrayLike) -> Array:
    """Check leg lengths, shape (..., 6)."""
    found = reals(lengths, "lengths", (6,))
    if found.size and found.min() <= 0:
        raise ArgumentError(f"lengths must be positive, got {found.min():g}")
    return found


def _poses(T: PoseLike, name: str) -> Array:
    """Check rigid motions, shape (..., 4, 4)."""
    return rigid_poses(T, name)


class StewartPlatform:
    """Gough-Stewart platform: six legs of changing length between a base and a platform.

    Parameters
    ----------
    base, platform : array_like, shape (6, 3)
        Joint centers in the frame of the base and of the platform, m; leg i joins the rows i.

    Raises
    ------
    ArgumentError
        A shape is wrong or a number is not finite.

    Notes
    -----
    Leg i: ``L = |t + R b - a|``. All poses come from 40 paths in Study's coordinates; equations
    and sources are in ``docs/stewart.md``.

    Examples
    --------
    >>> import numpy as np
    >>> from handik.closed.parallel import StewartPlatform
    >>> hexapod = StewartPlatform.hexagon(1.0, 0.6, 0.2, 0.25)
    >>> T = np.eye(4)
    >>> T[2, 3] = 1.0
    >>> bool(np.ptp(hexapod.ik(T)) < 1e-12)
    True
    """

    def __init__(self, base: ArrayLike, platform: ArrayLike) -> None:
        self.base = points_of(base, "base", (6, 3))
        self.platform = points_of(platform, "platform", (6, 3))

    @classmethod
    def hexagon(
        cls, base_radius: float, platform_radius: float, base_half: float, platform_half: float
    ) -> StewartPlatform:
        """Build the usual simulator: flat semi-regular hexagons, legs crosswise.

        Parameters
        ----------
        base_radius, platform_radius : float
            Radii of the circles, m.
        base_half, platform_half : float
            Half the angle between the two joints of a pair, rad.

        Returns
        -------
        StewartPlatform
            The platform.
        """
        base_radius = finite_number("base_radius", base_radius)
        platform_radius = finite_number("platform_radius", platform_radius)
        base_half = finite_number("base_half", base_half)
        platform_half = finite_number("platform_half", platform_half)
        pair = np.repeat(np.arange(3) * 2 * np.pi / 3, 2)
        sign = np.tile([-1.0, 1.0], 3)

        def ring(radius: float, angle: Array) -> Array:
            x, y = radius * np.cos(angle), radius * np.sin(angle)
            return np.stack([x, y, np.zeros(6)], -1)

        top = ring(platform_radius, pair + sign * platform_half + np.pi / 3)
        return cls(ring(base_radius, pair + sign * base_half), np.roll(top, 1, axis=0))

    def ik(self, T: PoseLike, *, threads: int = 1) -> Array:
        """Return the leg lengths of poses: closed form, any pose has them.

        Parameters
        ----------
        T : array_like, shape (..., 4, 4), or pair, or RigidTransform
            Poses of the platform in the base.
        threads : int
            Threads over the batch; 0: all cores.

        Returns
        -------
        ndarray, shape (..., 6)
            Lengths, m.
        """
        found = _core.stewart_lengths(self.base, self.platform, _poses(T, "T"), threads=threads)
        return found[0]

    def jacobian(self, T: PoseLike, *, threads: int = 1) -> Array:
        """Return the rates of the lengths by (velocity of the platform's origin, angular velocity).

        Parameters
        ----------
        T : array_like, shape (..., 4, 4), or pair, or RigidTransform
            Poses.
        threads : int
            Threads over the batch; 0: all cores.

        Returns
        -------
        ndarray, shape (..., 6, 6)
            Row i is ``(u, R b x u)`` of leg i with unit vector u (Merlet 2006, section 5.2).
        """
        found = _core.stewart_lengths(self.base, self.platform, _poses(T, "T"), threads=threads)
        return found[1]

    def singularity(self, T: PoseLike, *, threads: int = 1) -> Array:
        """Return how far poses are from singular: the least singular value of the Jacobian.

        The Jacobian is taken about the platform's centroid, with turns weighed by the root mean
        square radius of its joints, so that the value has no unit: least change of leg lengths a
        unit motion makes. 0: the platform moves while the legs are locked.

        Parameters
        ----------
        T : array_like, shape (..., 4, 4), or pair, or RigidTransform
            Poses; a grid of them makes a map of the singular loci.
        threads : int
            Threads over the batch; 0: all cores.

        Returns
        -------
        ndarray, shape (...)
            Values, by powers of the inverse; from above, where the two least ones are nearly
            equal by up to a few thousandths.
        """
        found = _core.stewart_lengths(self.base, self.platform, _poses(T, "T"), threads=threads)
        return found[2]

    def fk(
        self,
        lengths: ArrayLike,
        guess: PoseLike,
        iterations: int = 30,
        *,
        threads: int = 1,
    ) -> FkResult:
        """Find the pose with these lengths near a guess, by Newton's method.

        Parameters
        ----------
        lengths : array_like, shape (..., 6)
            Leg lengths, m.
        guess : array_like, shape (..., 4, 4), or pair, or RigidTransform
            A pose, or one for each set of lengths.
        iterations : int, default 30
            Most steps.
        threads : int
            Threads over the batch; 0: all cores.

        Returns
        -------
        FkResult

        Raises
        ------
        ArgumentError
            A shape is wrong, a length is not positive or a guess is no rigid motion.
        """
        wanted, start = _lengths(lengths), _poses(guess, "guess")
        lead = together(lengths=wanted.shape[:-1], guess=start.shape[:-2])
        wanted = np.broadcast_to(wanted, (*lead, 6))
        start = np.broadcast_to(start, (*lead, 4, 4))
        return FkResult(
            *_core.stewart_newton(
                self.base, self.platform, wanted, start, iterations, threads=threads
            )
        )

    def postures(self, lengths: ArrayLike, *, threads: int = 1) -> Postures:
        """Find every pose with these lengths: up to 40.

        Parameters
        ----------
        lengths : array_like, shape (..., 6)
            Leg lengths, m.
        threads : int
            Threads over the batch; 0: all cores.

        Returns
        -------
        Postures

        Raises
        ------
        ArgumentError
            The shape is wrong or a length is not positive.
        """
        return _gathered(
            _core.stewart_postures(self.base, self.platform, _lengths(lengths), threads=threads)
        )

    def __repr__(self) -> str:
        return f"StewartPlatform(base={self.base.tolist()}, platform={self.platform.tolist()})"


def _gathered(raw: tuple[Any, ...]) -> Postures:
    """Name what the core returns, the poses cut to the greatest count."""
    T, counts, paired, trace, residual = raw
    real, finite, infinite, failed = (counts[..., k] for k in range(4))
    most = int(real.max(initial=0))
    dependent = finite < 0
    complete = counts[..., 5] != 0
    fields = [real, finite, infinite, failed, paired, trace, residual, complete, dependent]
    plain = [field[()].item() if np.ndim(field) == 0 else field for field in fields]
    return Postures(np.ascontiguousarray(T[..., :most, :, :]), *plain)


class Hexaglide:
    """Six legs of fixed length whose feet slide on straight rails.

    Parameters
    ----------
    rail, direction : array_like, shape (6, 3)
        A point and the direction (made a unit vector) of each rail, in the base.
    platform : array_like, shape (6, 3)
        Joint centers in the platform.
    length : array_like, shape () or (6,)
        Leg lengths, m.

    Raises
    ------
    ArgumentError
        A shape is wrong, a direction is zero or a length is not positive.

    Notes
    -----
    Foot i is at ``rail + s direction``. With the feet given the direct model is that of a
    Gough-Stewart platform, all 40 poses included.
    """

    def __init__(
        self, rail: ArrayLike, direction: ArrayLike, platform: ArrayLike, length: ArrayLike
    ) -> None:
        self.rail = points_of(rail, "rail", (6, 3))
        along = points_of(direction, "direction", (6, 3))
        size = np.linalg.norm(along, axis=-1, keepdims=True)
        if size.min() == 0:
            raise ArgumentError(f"direction {int(size.argmin())} is zero")
        self.direction = along / size
        self.platform = points_of(platform, "platform", (6, 3))
        lengths = reals(length, "length", ())
        if lengths.shape not in ((), (6,)):
            raise ArgumentError(f"length must have shape () or (6,), got {lengths.shape}")
        self.length = np.array(np.broadcast_to(lengths, 6))
        _lengths(self.length)

    def ik(self, T: PoseLike) -> Array:
        """Return the slides of poses: closed form, two for each leg, chosen freely by leg.

        Parameters
        ----------
        T : array_like, shape (..., 4, 4), or pair, or RigidTransform
            Poses.

        Returns
        -------
        ndarray, shape (..., 2, 6)
            Lower and higher slide of every leg, NaN where the leg does not reach its rail.
        """
        pose = _poses(T, "T")
        tips = pose[..., None, :3, 3] + np.einsum(
            "...ij,kj->...ki", pose[..., :3, :3], self.platform
        )
        gap = tips - self.rail
        along = np.sum(gap * self.direction, axis=-1)
        away = gap - along[..., None] * self.direction
        under = self.length**2 - np.sum(away * away, axis=-1)
        under = np.where(np.abs(under) <= EDGE * self.length**2, 0.0, under)
        half = np.sqrt(np.where(under >= 0, under, np.nan))
        return np.stack([along - half, along + half], axis=-2)

    def _at(self, slide: ArrayLike) -> tuple[Array, tuple[int, ...]]:
        s = reals(slide, "slide", (6,))
        return self.rail + s[..., None] * self.direction, s.shape[:-1]

    def fk(self, slide: ArrayLike, guess: PoseLike, iterations: int = 30) -> FkResult:
        """Find the pose with these slides near a guess, by Newton's method.

        Parameters
        ----------
        slide : array_like, shape (..., 6)
            Slides, m.
        guess : array_like, shape (..., 4, 4), or pair, or RigidTransform
            A pose, or one for each set of slides.
        iterations : int, default 30
            Most steps.

        Returns
        -------
        FkResult
        """
        feet, axes = self._at(slide)
        start = _poses(guess, "guess")
        lead = together(slide=axes, guess=start.shape[:-2])
        feet = np.broadcast_to(feet, (*lead, 6, 3)).reshape(-1, 6, 3)
        start = np.broadcast_to(start, (*lead, 4, 4)).reshape(-1, 4, 4)
        parts: list[list[Any]] = [[], [], [], [], []]
        for base, first in zip(feet, start, strict=True):
            one = _core.stewart_newton(base, self.platform, self.length, first, iterations)
            for part, value in zip(parts, one, strict=True):
                part.append(value)
        shapes = [(4, 4), (), (), (), ()]
        types: list[Any] = [float, bool, np.int32, float, float]
        return FkResult(
            *(
                np.array(part, kind).reshape((*lead, *shape))
                for part, shape, kind in zip(parts, shapes, types, strict=True)
            )
        )

    def postures(self, slide: ArrayLike) -> Postures:
        """Find every pose with these slides.

        Parameters
        ----------
        slide : array_like, shape (6,)
            Slides of one configuration, m.

        Returns
        -------
        Postures

        Raises
        ------
        ArgumentError
            When `slide` has another shape, or is not finite.
        """
        feet, axes = self._at(slide)
        if axes:
            raise ArgumentError(f"slide must have shape (6,), got {(*axes, 6)}")
        return _gathered(_core.stewart_postures(feet, self.platform, self.length))
