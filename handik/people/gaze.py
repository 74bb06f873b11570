"""Gaze: whether the head is turned so that a point is seen, as a term and as a score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import degrees, pi, radians
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.model import Model
from handik.problem.terms import Term
from handik.spec._given import finite_number, is_model, known_name, points_of, reals

__all__ = ["FIELD", "Gaze", "InView"]

Array = NDArray[np.float64]

#: Half angle of the default vision cone, radians: how far eyes turn without the head. An assumption
#: of the usual size (35 degrees).
FIELD = radians(35)


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


def _unit(name: str, axis: Sequence[float]) -> Array:
    found = points_of(axis, name, (3,))
    if not found.any():
        raise ArgumentError(f"{name} must not be zero")
    found = found / np.abs(found).max()  # whose squares neither overflow nor vanish
    return np.asarray(found / np.linalg.norm(found))


def _half(half_angle: float) -> float:
    found = finite_number("half_angle", half_angle)
    if not 0 <= found <= pi:
        raise ArgumentError(f"half_angle lies between 0 and pi, got {half_angle!r}")
    return found


@dataclass(frozen=True, eq=False, kw_only=True)
class InView(Term):
    """A point lies in the cone of vision: columns x y z, meters.

    The residual is how far the line of sight is outside the cone, zero inside: nothing pulls at a
    point that is seen. Met within `orientation_tolerance`. With a half angle of zero it is
    `handik.LookAt`.

    Attributes
    ----------
    axis : sequence of 3 floats
        Straight ahead, in the frame.
    half_angle : float
        Of the cone, radians.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.people.gaze import InView
    >>> arm = hk.chain([0.3, 0.3, 0.3], "ball")
    >>> problem = hk.Problem(arm, [InView(axis=(1.0, 0.0, 0.0), half_angle=0.2)])
    >>> hk.Solver("lm")(problem, [0.0, 1.0, 1.0]).converged
    True
    """

    axis: Sequence[float] = (1.0, 0.0, 0.0)
    half_angle: float = FIELD

    rows = 1
    columns = ("x", "y", "z")
    length_rows = 0

    def __post_init__(self) -> None:
        """Check the cone once, and not in every call."""
        object.__setattr__(self, "axis", tuple(float(x) for x in _unit("axis", self.axis)))
        object.__setattr__(self, "half_angle", _half(self.half_angle))

    def residual(self, poses: Array, target: Array) -> list[float]:
        """Return the angle outside the cone.

        Parameters
        ----------
        poses : ndarray, shape (1, 4, 4)
            Of the eye.
        target : ndarray, shape (3,)
            The point.

        Returns
        -------
        list of 1 float
            Radians.
        """
        return [max(0.0, self._angle(poses[0], target)[0] - self.half_angle)]

    def jacobian(self, poses: Array, target: Array) -> Array:
        """Return its derivative by the motion of the eye.

        Parameters
        ----------
        poses : ndarray, shape (1, 4, 4)
            Of the eye.
        target : ndarray, shape (3,)
            The point.

        Returns
        -------
        ndarray, shape (1, 1, 6)
        """
        angle, ahead, sight, far = self._angle(poses[0], target)
        out = np.zeros((1, 1, 6))
        normal = np.cross(ahead, sight)
        long = float(np.linalg.norm(normal))
        if angle <= self.half_angle or long < 1e-12 or far == 0.0:
            return out
        normal /= long
        # a turn about the normal takes straight ahead towards the sight
        out[0, 0, 3:] = -normal
        out[0, 0, :3] = -np.cross(normal, sight) / far
        return out

    def _angle(self, pose: Array, target: Array) -> tuple[float, Array, Array, float]:
        ahead = pose[:3, :3] @ np.asarray(self.axis)
        way = np.asarray(target, float) - pose[:3, 3]
        far = float(np.linalg.norm(way))
        sight = way / far if far else ahead
        angle = float(np.arctan2(np.linalg.norm(np.cross(ahead, sight)), ahead @ sight))
        return angle, ahead, sight, far


class Gaze:
    """How far a point is from straight ahead, and whether it is in the cone of vision.

    Parameters
    ----------
    model : Model
    point : array_like, shape (3,)
        What is looked at, meters.
    frame : str
        The eye: ``"eye"`` of `handik.people.human`.
    axis : sequence of 3 floats
        Straight ahead, in the frame.
    half_angle : float
        Of the cone of vision, radians.

    Raises
    ------
    NotFoundError
        When there is no such frame.
    ArgumentError
        When a shape is wrong, the axis zero or the half angle out of range.
    TypeError
        When it is no model.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.people.gaze import Gaze
    >>> look = Gaze(hk.chain([1.0]), [1.0, 1.0, 0.0], frame="tip")
    >>> round(look.score([0.0]), 3), look.sees([0.0])
    (1.571, False)
    """

    def __init__(
        self,
        model: Model,
        point: ArrayLike,
        *,
        frame: str = "eye",
        axis: Sequence[float] = (1.0, 0.0, 0.0),
        half_angle: float = FIELD,
    ) -> None:
        is_model(model)
        self.model, self.frame = model, known_name("frame", frame, model.frame_names)
        self.point = points_of(point, "point", (3,))
        self.axis, self.half_angle = _unit("axis", axis), _half(half_angle)

    def __repr__(self) -> str:
        at = ", ".join(f"{x:g}" for x in self.point)
        eye, wide = f"{self.frame} of {self.model.name}", degrees(self.half_angle)
        return f"Gaze({eye} at ({at}) m, within {wide:g} deg)"

    def score(self, q: ArrayLike) -> Any:
        """Return the angle between straight ahead and the point.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Postures.

        Returns
        -------
        float or ndarray, shape (...)
            Radians; 0 where the point is at the eye itself.

        Raises
        ------
        ArgumentError
            When the shape is wrong or a number not finite.
        """
        pose = self.model.fk(reals(q, "q", (self.model.nq,)), frame=self.frame)
        ahead = pose[..., :3, :3] @ self.axis
        way = self.point - pose[..., :3, 3]
        cross = np.linalg.norm(np.cross(ahead, way), axis=-1)
        angle = np.arctan2(cross, np.sum(ahead * way, axis=-1))
        return float(angle) if np.ndim(angle) == 0 else angle

    def sees(self, q: ArrayLike) -> Any:
        """Tell whether the point is in the cone of vision; what stands between is not looked at.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Postures.

        Returns
        -------
        bool or ndarray of bool, shape (...)

        Raises
        ------
        ArgumentError
            When the shape is wrong or a number not finite.
        """
        seen = np.asarray(self.score(q)) <= self.half_angle
        return bool(seen) if seen.ndim == 0 else seen

    def term(self, **named: Any) -> InView:
        """Return the cone of vision as a term for a solver; its target is the point.

        Parameters
        ----------
        **named
            Of every term: ``weight``, ``priority``, ``orientation_tolerance``.

        Returns
        -------
        InView
        """
        return InView(frame=self.frame, axis=tuple(self.axis), half_angle=self.half_angle, **named)
