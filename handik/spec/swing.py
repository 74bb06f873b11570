"""Joints that follow the swing of a ball: a polynomial of where its bone points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, ModelError
from handik.spec._given import reals, text, whole_number

__all__ = ["SWING_TERMS", "SwingMimicSpec"]

Array = NDArray[np.float64]

#: Exponents of x, y, z in the terms of a `SwingMimicSpec`, in their order.
SWING_TERMS: tuple[tuple[int, int, int], ...] = tuple(
    (x, y, degree - x - y)
    for degree in range(4)
    for x in range(degree, -1, -1)
    for y in range(degree - x, -1, -1)
)
#: Numbers of terms up to each degree.
_SWING_SIZES = (1, 4, 10, 20)
#: Greatest coefficient of a swing mimic; the core's own (csrc/model/definition.c).
_MOST_COEFFICIENT = 1e100


@dataclass(slots=True)
class SwingMimicSpec:
    """A hinge or slide that follows the swing of a ball: shoulder blade and collarbone the arm.

    Its coordinate is a polynomial of where the bone of the ball points, of the unit vector ``d =
    R axis``: `axis` is that of the ball's `JointSpec`, R the ball's rotation, both in the ball's
    own frame before its motion. The twist of the ball does not move it. The joint may stand above,
    below or beside the ball; it has no coordinate and no limits of its own.

    Attributes
    ----------
    joint : str
        The ball that is followed.
    coefficients : sequence of 1, 4, 10 or 20 floats
        Of 1, then x y z, then xx xy xz yy yz zz, then xxx xxy xxz xyy xyz xzz yyy yyz yzz zzz of d:
        a polynomial of degree 0 to 3. Radians, or meters for a slide.

    Notes
    -----
    On the sphere some polynomials are the same function (xx + yy + zz is 1); `fit` takes the one
    of the smallest coefficients. Where the shoulder blade and collarbone go with the humerus,
    which is a table of angles, a cubic meets the table to less than a degree.

    References
    ----------
    J. H. de Groot, R. Brand. A three-dimensional regression model of the shoulder rhythm. Clinical
    Biomechanics 16 (2001), 735-743.

    Examples
    --------
    A slide that goes up by 3 cm where the arm, at rest along -z, points up:

    >>> import handik as hk
    >>> rise = hk.SwingMimicSpec("shoulder", [0.015, 0, 0, 0.015])
    >>> rise.value([[0, 0, -1], [0, 1, 0], [0, 0, 1]])
    array([0.   , 0.015, 0.03 ])
    """

    joint: str
    coefficients: Sequence[float]

    def row(self) -> tuple[float, ...]:
        """Return all 20 coefficients, those of terms that are not given zero.

        Returns
        -------
        tuple of 20 floats
            Radians or meters.

        Raises
        ------
        ModelError
            When there are not 1, 4, 10 or 20 finite numbers.
        """
        try:
            given = reals(self.coefficients, "coefficients", ())
        except ArgumentError:
            given = np.empty(0)
        if given.ndim != 1 or given.size not in _SWING_SIZES:
            raise ModelError("a swing mimic has 1, 4, 10 or 20 finite coefficients")
        if np.abs(given).max() > _MOST_COEFFICIENT:
            raise ModelError(f"a coefficient of a swing mimic is beyond {_MOST_COEFFICIENT:g}")
        return (*given.tolist(), *([0.0] * (len(SWING_TERMS) - given.size)))

    def value(self, directions: ArrayLike) -> Array:
        """Return the joint's coordinate for directions of the bone.

        Parameters
        ----------
        directions : array_like, shape (..., 3)
            Unit vectors in the ball's own frame before its motion.

        Returns
        -------
        ndarray, shape (...)
            Radians or meters.

        Raises
        ------
        ArgumentError
            When directions are not finite, or have no three numbers or no length.
        ModelError
            When the coefficients are none.
        """
        values: Array = _swing_columns(directions, len(SWING_TERMS)) @ np.array(self.row())
        return values

    def bounds(self) -> tuple[float, float]:
        """Return the least and the greatest coordinate over some thousand directions.

        Returns
        -------
        least, greatest : float
            Radians or meters.

        Raises
        ------
        ModelError
            When the coefficients are none.

        Examples
        --------
        >>> import handik as hk
        >>> hk.SwingMimicSpec("shoulder", [0.015, 0, 0, 0.015]).bounds()
        (0.0, 0.03)
        """
        edge = np.linspace(-1, 1, 33)
        u, v = (part.ravel() for part in np.meshgrid(edge, edge))
        face = np.stack([np.ones_like(u), u, v], axis=-1)
        faces = [sign * np.roll(face, k, -1) for sign in (1, -1) for k in range(3)]
        values = self.value(np.concatenate(faces))
        return float(values.min()), float(values.max())

    @classmethod
    def fit(
        cls,
        joint: str,
        directions: ArrayLike,
        values: ArrayLike,
        degree: int = 3,
        weights: ArrayLike | None = None,
    ) -> SwingMimicSpec:
        """Fit a polynomial to values of the coordinate by least squares.

        Parameters
        ----------
        joint : str
            The ball that is followed.
        directions : array_like, shape (n, 3)
            Where the bone points, in the ball's own frame before its motion; any length but zero.
        values : array_like, shape (n,)
            The coordinate there, radians or meters.
        degree : {3, 2, 1, 0}
            Of the polynomial.
        weights : array_like, shape (n,), optional
            How much each squared error counts; 1 if not given.

        Returns
        -------
        SwingMimicSpec
            Of all best fits the one whose coefficients have the smallest sum of squares.

        Raises
        ------
        ArgumentError
            When shapes do not fit each other, or a number is not finite or a weight negative.

        Examples
        --------
        >>> import handik as hk
        >>> import numpy as np
        >>> d = np.array([[0, 0, -1], [0, 1, 0], [0, 0, 1], [1, 0, 0]])
        >>> rise = hk.SwingMimicSpec.fit("shoulder", d, [0, 0.015, 0.03, 0.015], degree=1)
        >>> np.round(rise.coefficients, 9) + 0.0
        array([0.015, 0.   , 0.   , 0.015])
        """
        text("joint", joint)
        degree = whole_number("degree", degree, 3)
        wanted = reals(values, "values", ())
        columns = _swing_columns(directions, _SWING_SIZES[degree])
        if wanted.ndim != 1 or wanted.size == 0 or columns.shape[:-1] != wanted.shape:
            raise ArgumentError(
                f"values must have one number for each of the {columns.shape[:-1]} directions, "
                f"got {wanted.shape}"
            )
        if weights is not None:
            share = reals(weights, "weights", wanted.shape)
            if (share < 0).any():
                raise ArgumentError("weights must be 0 or more")
            columns, wanted = columns * np.sqrt(share)[:, None], wanted * np.sqrt(share)
        found = np.linalg.lstsq(columns, wanted, rcond=1e-10)[0]
        return cls(joint, tuple(found.tolist()))


def _swing_columns(directions: ArrayLike, count: int) -> Array:
    """Values of the first terms at directions made of unit length, shape (..., count)."""
    given = reals(directions, "directions", ())
    if given.ndim == 0 or given.shape[-1] != 3:
        raise ArgumentError(f"directions must have shape (..., 3), got {given.shape}")
    with np.errstate(over="ignore", invalid="ignore"):
        length = np.linalg.norm(given, axis=-1, keepdims=True)
    if not ((length > 0) & (length < inf)).all():
        raise ArgumentError("directions must have a length")
    unit = given / length
    powers = np.array(SWING_TERMS[:count])
    columns: Array = np.prod(unit[..., None, :] ** powers, axis=-1)
    return columns
