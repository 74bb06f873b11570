"""Units and conventions, stated once.

- Lengths are meters, angles radians, masses kilograms, times seconds; forces newtons and torques
  newton meters. Degrees appear only where a person types them: `deg` turns them into radians.
- The world has z up, and right-handed axes.
- A pose is a ``(4, 4)`` matrix that maps points of the moved frame into the fixed one; the
  rotation is row-major. A quaternion is ``w x y z``, of unit length.
- A twist, a wrench and the rows of a Jacobian stand linear above angular.
- Batch axes come first: ``q`` is ``(..., nq)``, poses are ``(..., 4, 4)``.
"""

from __future__ import annotations

from math import radians
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

__all__ = ["deg"]
from handik.spec._given import number, reals


@overload
def deg(value: float, /) -> float: ...
@overload
def deg(first: float, second: float, /, *more: float) -> tuple[float, ...]: ...
@overload
def deg(values: list[Any] | tuple[Any, ...] | NDArray[Any], /) -> NDArray[np.float64]: ...
def deg(*values: Any) -> float | tuple[float, ...] | NDArray[np.float64]:
    """Turn degrees into radians.

    Parameters
    ----------
    *values : float, or one array_like
        One angle or several, in degrees.

    Returns
    -------
    float, tuple of float or ndarray
        Radians: a float for one angle, a tuple for more, an array for a list or an array.

    Raises
    ------
    TypeError
        When no angle is given, or one is not a number.

    Examples
    --------
    >>> deg(180)
    3.141592653589793
    >>> deg(0, 90)
    (0.0, 1.5707963267948966)
    >>> deg([0, 90])
    array([0.        , 1.57079633])
    """
    if not values:
        raise TypeError("deg() takes at least one angle in degrees")
    if len(values) == 1 and isinstance(values[0], (list, tuple, np.ndarray)):
        return np.asarray(np.deg2rad(reals(values[0], "deg()", (), finite=False)))
    if len(values) == 1:
        return radians(number("deg()", values[0]))
    return tuple(radians(number("deg()", value)) for value in values)
