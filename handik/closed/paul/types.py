"""The eleven types of equation that inverse models by hand fall into, solved in numbers.

Types 1 to 8 are those of Paul's method, 9 to 11 those that Pieper's adds. S and C are sine and
cosine of the angle theta, r is the travel of a slide; capital letters are known. Every function
takes arrays that broadcast and returns arrays with the answers along one more axis at the end;
an answer that is not there is NaN, and an unknown that the numbers leave free is 0. Angles are in
(-pi, pi].

References
----------
Paul, Robot Manipulators: Mathematics, Programming and Control, 1981, chapter 3; Khalil and Dombre,
Modeling, Identification and Control of Robots, 2002, chapter 4, whose numbering this is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.spec._given import reals, together

__all__ = [
    "EQUATIONS",
    "type_1",
    "type_2",
    "type_3",
    "type_4",
    "type_5",
    "type_6",
    "type_7",
    "type_8",
    "type_9",
    "type_10",
    "type_11",
]

Array = NDArray[np.float64]
#: How far numbers of size about 1 may miss and still touch.
TOUCH = 1e-9
#: An equation whose numbers are all below this says nothing of its angle: a sine that is zero comes
#: out as the root of what rounding makes of 1, which depends on the processor.
FREE = 1e-7
#: Below this, against the size of the other numbers, a coefficient is none.
NONE = 1e-12

#: Of each type: the equations, and how they are solved.
EQUATIONS = {
    1: ("X r = Y", "r = Y / X"),
    2: ("X S + Y C = Z", "theta = atan2(X, Y) +- acos(Z / sqrt(X^2 + Y^2))"),
    3: (
        "X1 S + Y1 C = Z1, X2 S + Y2 C = Z2",
        "S = (Z1 Y2 - Z2 Y1) / D, C = (X1 Z2 - X2 Z1) / D, D = X1 Y2 - X2 Y1, theta = atan2(S, C)",
    ),
    4: (
        "X1 r S = Y1, X2 r C = Y2",
        "r = +- sqrt((Y1 / X1)^2 + (Y2 / X2)^2), theta = atan2(Y1 / (X1 r), Y2 / (X2 r))",
    ),
    5: (
        "X1 S = Y1 + Z1 r, X2 C = Y2 + Z2 r",
        "((Y1 + Z1 r) / X1)^2 + ((Y2 + Z2 r) / X2)^2 = 1 (type 9), then theta = atan2(S, C)",
    ),
    6: (
        "W Sj = X Ci + Y Si + Z1, W Cj = X Si - Y Ci + Z2",
        "the sum of squares binds i: 2 (Z1 Y + Z2 X) Si + 2 (Z1 X - Z2 Y) Ci = "
        "W^2 - X^2 - Y^2 - Z1^2 - Z2^2 (type 2), then j = atan2(Sj, Cj)",
    ),
    7: (
        "W1 Cj + W2 Sj = X Ci + Y Si + Z1, W1 Sj - W2 Cj = X Si - Y Ci + Z2",
        "the sum of squares binds i: 2 (Z1 Y + Z2 X) Si + 2 (Z1 X - Z2 Y) Ci = "
        "W1^2 + W2^2 - X^2 - Y^2 - Z1^2 - Z2^2 (type 2), then j by type 3",
    ),
    8: (
        "X Ci + Y Cij = Z1, X Si + Y Sij = Z2, ij = i + j",
        "Cj = (Z1^2 + Z2^2 - X^2 - Y^2) / (2 X Y), Sj = +- sqrt(1 - Cj^2), then i by type 3 of "
        "(X + Y Cj) Ci - Y Sj Si = Z1, Y Sj Ci + (X + Y Cj) Si = Z2",
    ),
    9: ("a2 r^2 + a1 r + a0 = 0", "r = (-a1 +- sqrt(a1^2 - 4 a2 a0)) / (2 a2)"),
    10: ("a4 r^4 + a3 r^3 + a2 r^2 + a1 r + a0 = 0", "the real roots of the quartic"),
    11: (
        "a4 S^2 + a3 C S + a2 C + a1 S + a0 = 0",
        "with t = tan(theta / 2): (a0 - a2) t^4 + 2 (a1 - a3) t^3 + 2 (a0 + 2 a4) t^2 + "
        "2 (a1 + a3) t + a0 + a2 = 0",
    ),
}


def _arrays(**values: ArrayLike) -> list[Array]:
    given = {name: reals(value, name, (), finite=False) for name, value in values.items()}
    lead = together(**{name: value.shape for name, value in given.items()})
    return [np.broadcast_to(value, lead) for value in given.values()]


def _wrap(angle: Array) -> Array:
    """Angles in (-pi, pi]."""
    return np.asarray(np.pi - np.mod(np.pi - angle, 2 * np.pi))


def _small(value: Array, size: Array) -> NDArray[np.bool_]:
    """Where a value is rounding, seen from numbers of this size."""
    return np.asarray(np.abs(value) <= NONE * np.maximum(size, 1e-300))


def type_1(X: ArrayLike, Y: ArrayLike) -> Array:
    """Solve X r = Y for a slide; one answer.

    Parameters
    ----------
    X, Y : array_like, shape (...)
        The equation's known numbers; they broadcast.

    Returns
    -------
    ndarray, shape (..., 1)
        Meters. NaN where there is no answer.

    Examples
    --------
    >>> type_1(2.0, 1.0)
    array([0.5])
    """
    x, y = _arrays(X=X, Y=Y)
    none = _small(x, np.abs(x) + np.abs(y)) | (x == 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.where(none, np.where(y == 0, 0.0, np.nan), y / x)
    return np.asarray(r[..., None])


def type_2(X: ArrayLike, Y: ArrayLike, Z: ArrayLike) -> Array:
    """Solve X S + Y C = Z; two answers, the first turns further left.

    Parameters
    ----------
    X, Y, Z : array_like, shape (...)
        The equation's known numbers; they broadcast.

    Returns
    -------
    ndarray, shape (..., 2)
        Radians. NaN where there is no answer.

    Examples
    --------
    >>> type_2(1.0, 0.0, 0.5).round(4)
    array([2.618 , 0.5236])
    """
    x, y, z = _arrays(X=X, Y=Y, Z=Z)
    size = np.hypot(x, y)
    with np.errstate(divide="ignore", invalid="ignore"):
        c = z / size
        c = np.where(np.abs(c) <= 1 + TOUCH, np.clip(c, -1, 1), np.nan)
        middle, half = np.arctan2(x, y), np.arccos(c)
    free = (size <= FREE) & (np.abs(z) <= FREE)
    both = _wrap(np.stack([middle + half, middle - half], axis=-1))
    both[..., 1] = np.where(half == 0, np.nan, both[..., 1])
    both[free] = [0.0, np.nan]
    return np.asarray(both)


def type_3(
    X1: ArrayLike, Y1: ArrayLike, Z1: ArrayLike, X2: ArrayLike, Y2: ArrayLike, Z2: ArrayLike
) -> Array:
    """Solve two equations of type 2 for one angle; one answer, two when they are dependent.

    Parameters
    ----------
    X1, Y1, Z1, X2, Y2, Z2 : array_like, shape (...)
        The equation's known numbers; they broadcast.

    Returns
    -------
    ndarray, shape (..., 2)
        Radians. NaN where there is no answer.

    Examples
    --------
    >>> type_3(1.0, 0.0, 0.0, 0.0, 1.0, 1.0)
    array([ 0., nan])
    """
    x1, y1, z1, x2, y2, z2 = _arrays(X1=X1, Y1=Y1, Z1=Z1, X2=X2, Y2=Y2, Z2=Z2)
    first, second = np.hypot(x1, y1), np.hypot(x2, y2)
    with np.errstate(divide="ignore", invalid="ignore"):
        det = x1 * y2 - x2 * y1
        s, c = (z1 * y2 - z2 * y1) / det, (x1 * z2 - x2 * z1) / det
        # an angle must have S^2 + C^2 = 1; how far rounding may take it depends on the system
        slack = 1e-6 + 1e-12 * (first * second / np.abs(det)) ** 2
        angle = np.where(np.abs(s * s + c * c - 1) <= slack, np.arctan2(s, c), np.nan)
    dependent = np.abs(det) <= TOUCH * np.maximum(first, second) ** 2
    one = np.stack([angle, np.full_like(angle, np.nan)], axis=-1)
    larger = first >= second
    other = type_2(np.where(larger, x1, x2), np.where(larger, y1, y2), np.where(larger, z1, z2))
    empty = np.max(np.abs([x1, y1, z1, x2, y2, z2]), axis=0) <= FREE
    return np.where((dependent | empty)[..., None], other, one)


def type_4(X1: ArrayLike, Y1: ArrayLike, X2: ArrayLike, Y2: ArrayLike) -> tuple[Array, Array]:
    """Solve X1 r S = Y1, X2 r C = Y2 for a slide and a turn; two answers (r, theta).

    Parameters
    ----------
    X1, Y1, X2, Y2 : array_like, shape (...)
        The equation's known numbers; they broadcast.

    Returns
    -------
    r, theta : ndarray, shape (..., 2)
        Meters and radians. NaN where there is no answer.

    Examples
    --------
    >>> r, theta = type_4(1.0, 0.0, 1.0, 2.0)
    >>> r
    array([ 2., -2.])
    """
    x1, y1, x2, y2 = _arrays(X1=X1, Y1=Y1, X2=X2, Y2=Y2)
    with np.errstate(divide="ignore", invalid="ignore"):
        u, v = y1 / x1, y2 / x2
    r = np.hypot(u, v)
    angle = np.arctan2(u, v)
    both = np.stack([r, np.where(r == 0, np.nan, -r)], axis=-1)
    turn = _wrap(np.stack([angle, angle + np.pi], axis=-1))
    return both, np.where(np.isnan(both), np.nan, turn)


def type_5(
    X1: ArrayLike, Y1: ArrayLike, Z1: ArrayLike, X2: ArrayLike, Y2: ArrayLike, Z2: ArrayLike
) -> tuple[Array, Array]:
    """Solve X1 S = Y1 + Z1 r, X2 C = Y2 + Z2 r; two answers (r, theta).

    Parameters
    ----------
    X1, Y1, Z1, X2, Y2, Z2 : array_like, shape (...)
        The equation's known numbers; they broadcast.

    Returns
    -------
    r, theta : ndarray, shape (..., 2)
        Meters and radians. NaN where there is no answer.

    Examples
    --------
    >>> r, theta = type_5(1.0, 0.0, 1.0, 1.0, 0.0, 0.0)
    >>> r
    array([-1.,  1.])
    """
    x1, y1, z1, x2, y2, z2 = _arrays(X1=X1, Y1=Y1, Z1=Z1, X2=X2, Y2=Y2, Z2=Z2)
    with np.errstate(divide="ignore", invalid="ignore"):
        v1, w1, v2, w2 = y1 / x1, z1 / x1, y2 / x2, z2 / x2
        r = type_9(w1 * w1 + w2 * w2, 2 * (v1 * w1 + v2 * w2), v1 * v1 + v2 * v2 - 1)
    s, c = v1[..., None] + w1[..., None] * r, v2[..., None] + w2[..., None] * r
    return r, np.arctan2(s, c)


def type_6(
    W: ArrayLike, X: ArrayLike, Y: ArrayLike, Z1: ArrayLike, Z2: ArrayLike
) -> tuple[Array, Array]:
    """Solve W Sj = X Ci + Y Si + Z1, W Cj = X Si - Y Ci + Z2; two answers (i, j).

    Parameters
    ----------
    W, X, Y, Z1, Z2 : array_like, shape (...)
        The equation's known numbers; they broadcast.

    Returns
    -------
    i, j : ndarray, shape (..., 2)
        Radians. NaN where there is no answer.

    Examples
    --------
    >>> i, j = type_6(1.0, 1.0, 0.0, 0.0, 1.0)
    >>> i.shape
    (2,)
    """
    w, x, y, z1, z2 = _arrays(W=W, X=X, Y=Y, Z1=Z1, Z2=Z2)
    i = _sum_of_squares(w * w, x, y, z1, z2)
    s, c = np.sin(i), np.cos(i)
    with np.errstate(divide="ignore", invalid="ignore"):
        sj = (x[..., None] * c + y[..., None] * s + z1[..., None]) / w[..., None]
        cj = (x[..., None] * s - y[..., None] * c + z2[..., None]) / w[..., None]
    return i, np.arctan2(sj, cj)


def type_7(
    W1: ArrayLike, W2: ArrayLike, X: ArrayLike, Y: ArrayLike, Z1: ArrayLike, Z2: ArrayLike
) -> tuple[Array, Array]:
    """Solve W1 Cj + W2 Sj = X Ci + Y Si + Z1, W1 Sj - W2 Cj = X Si - Y Ci + Z2; two (i, j).

    Parameters
    ----------
    W1, W2, X, Y, Z1, Z2 : array_like, shape (...)
        The equation's known numbers; they broadcast.

    Returns
    -------
    i, j : ndarray, shape (..., 2)
        Radians. NaN where there is no answer.

    Examples
    --------
    >>> i, j = type_7(1.0, 0.0, 1.0, 0.0, 1.0, 0.0)
    >>> i.shape
    (2,)
    """
    w1, w2, x, y, z1, z2 = _arrays(W1=W1, W2=W2, X=X, Y=Y, Z1=Z1, Z2=Z2)
    i = _sum_of_squares(w1 * w1 + w2 * w2, x, y, z1, z2)
    s, c = np.sin(i), np.cos(i)
    a = x[..., None] * c + y[..., None] * s + z1[..., None]
    b = x[..., None] * s - y[..., None] * c + z2[..., None]
    return i, np.arctan2(
        w2[..., None] * a + w1[..., None] * b, w1[..., None] * a - w2[..., None] * b
    )


def _sum_of_squares(square: Array, x: Array, y: Array, z1: Array, z2: Array) -> Array:
    right = square - x * x - y * y - z1 * z1 - z2 * z2
    return type_2(2 * (z1 * y + z2 * x), 2 * (z1 * x - z2 * y), right)


def type_8(X: ArrayLike, Y: ArrayLike, Z1: ArrayLike, Z2: ArrayLike) -> tuple[Array, Array]:
    """Solve X Ci + Y C(i+j) = Z1, X Si + Y S(i+j) = Z2; two answers (i, j).

    Parameters
    ----------
    X, Y, Z1, Z2 : array_like, shape (...)
        The equation's known numbers; they broadcast.

    Returns
    -------
    i, j : ndarray, shape (..., 2)
        Radians. NaN where there is no answer.

    Examples
    --------
    >>> i, j = type_8(1.0, 1.0, 1.0, 1.0)
    >>> j.round(4)
    array([ 1.5708, -1.5708])
    """
    x, y, z1, z2 = _arrays(X=X, Y=Y, Z1=Z1, Z2=Z2)
    with np.errstate(divide="ignore", invalid="ignore"):
        c = (z1 * z1 + z2 * z2 - x * x - y * y) / (2 * x * y)
        c = np.where(np.abs(c) <= 1 + TOUCH, np.clip(c, -1, 1), np.nan)
        half = np.arccos(c)
    j = np.stack([half, np.where(half == 0, np.nan, -half)], axis=-1)
    u, v = x[..., None] + y[..., None] * np.cos(j), y[..., None] * np.sin(j)
    i = np.arctan2(u * z2[..., None] - v * z1[..., None], u * z1[..., None] + v * z2[..., None])
    return i, _wrap(j)


def type_9(a2: ArrayLike, a1: ArrayLike, a0: ArrayLike) -> Array:
    """Solve a2 r^2 + a1 r + a0 = 0; two answers.

    Parameters
    ----------
    a2, a1, a0 : array_like, shape (...)
        The equation's known numbers; they broadcast.

    Returns
    -------
    ndarray, shape (..., 2)
        Real roots, ascending. NaN where there is no answer.

    Examples
    --------
    >>> type_9(1.0, 0.0, -4.0)
    array([-2.,  2.])
    """
    return _real_roots(*_arrays(a2=a2, a1=a1, a0=a0))


def type_10(a4: ArrayLike, a3: ArrayLike, a2: ArrayLike, a1: ArrayLike, a0: ArrayLike) -> Array:
    """Solve a4 r^4 + a3 r^3 + a2 r^2 + a1 r + a0 = 0; four answers.

    Parameters
    ----------
    a4, a3, a2, a1, a0 : array_like, shape (...)
        The equation's known numbers; they broadcast.

    Returns
    -------
    ndarray, shape (..., 4)
        Real roots, ascending. NaN where there is no answer.

    Examples
    --------
    >>> type_10(1.0, 0.0, 0.0, 0.0, -1.0).round(6)
    array([-1.,  1., nan, nan])
    """
    return _real_roots(*_arrays(a4=a4, a3=a3, a2=a2, a1=a1, a0=a0))


def type_11(a4: ArrayLike, a3: ArrayLike, a2: ArrayLike, a1: ArrayLike, a0: ArrayLike) -> Array:
    """Solve a4 S^2 + a3 C S + a2 C + a1 S + a0 = 0; four answers.

    The half angle is counted from a direction that is itself far from solving the equation, so
    that no root runs to infinity.

    Parameters
    ----------
    a4, a3, a2, a1, a0 : array_like, shape (...)
        The equation's known numbers; they broadcast.

    Returns
    -------
    ndarray, shape (..., 4)
        Radians. NaN where there is no answer.

    Examples
    --------
    >>> sorted(type_11(0.0, 0.0, 1.0, 0.0, -0.5)[:2].round(4).tolist())
    [-1.0472, 1.0472]
    """
    c4, c3, c2, c1, c0 = _arrays(a4=a4, a3=a3, a2=a2, a1=a1, a0=a0)
    out = np.full((*c0.shape, 4), np.nan)
    for at in np.ndindex(c0.shape):
        k = np.array([c4[at], c3[at], c2[at], c1[at], c0[at]])
        if not np.isfinite(k).all():
            continue
        if np.abs(k[:4]).max() <= NONE * max(abs(float(k[4])), 1.0):
            out[(*at, 0)] = 0.0 if abs(k[4]) <= TOUCH else np.nan
            continue
        start: Any = np.arange(5) * (2 * np.pi / 5)
        far = np.abs(_value_11(k, start + np.pi))
        m = float(start[int(np.argmax(far))])
        s, c = np.sin(m), np.cos(m)
        # the same equation in theta - m
        b4 = k[0] * (c * c - s * s) - 2 * k[1] * s * c
        b3 = 2 * k[0] * s * c + k[1] * (c * c - s * s)
        b2, b1 = k[2] * c + k[3] * s, k[3] * c - k[2] * s
        b0 = k[4] + k[0] * s * s + k[1] * s * c
        poly = [b0 - b2, 2 * (b1 - b3), 2 * (b0 + 2 * b4), 2 * (b1 + b3), b0 + b2]
        t = _real_roots(*[np.asarray(p) for p in poly])
        out[at] = _wrap(m + 2 * np.arctan(t))
    return out


def _value_11(k: Any, angle: Any) -> Array:
    s, c = np.sin(angle), np.cos(angle)
    return np.asarray(k[0] * s * s + k[1] * c * s + k[2] * c + k[3] * s + k[4])


def _real_roots(*coefficients: Array) -> Array:
    """Real roots of polynomials, highest power first, ascending; near-double ones count."""
    table = np.stack(np.broadcast_arrays(*coefficients), axis=-1)
    degree = table.shape[-1] - 1
    out = np.full((*table.shape[:-1], degree), np.nan)
    for at in np.ndindex(table.shape[:-1]):
        row = table[at]
        size = float(np.abs(row).max())
        if not np.isfinite(row).all():
            continue
        if size == 0:
            out[(*at, 0)] = 0.0
            continue
        lead = int(np.argmax(np.abs(row) > NONE * size))
        roots = np.roots(row[lead:])
        real = np.sort(roots.real[np.abs(roots.imag) <= 1e-7 * (1 + np.abs(roots))])
        out[(*at, slice(0, len(real)))] = real
    return out
