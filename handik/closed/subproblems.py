"""The canonical subproblems of Paden, Kahan and IK-Geo, one to six.

Small equations in one, two or three angles that closed forms are built from. ``R(k, x)`` turns by x
about the axis k. Every function takes stacks of problems (leading axes are broadcast together) and
returns `Answers`; where there is no solution, 1 to 4 give the answer of least squares, flagged.

Paden, PhD thesis, Berkeley 1986; Elias and Wen, Mechanism and Machine Theory 209 (2025) 105971.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError
from handik.spec._given import reals, together

__all__ = [
    "Answers",
    "subproblem1",
    "subproblem2",
    "subproblem3",
    "subproblem4",
    "subproblem5",
    "subproblem6",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The angles that solve a subproblem.

    Attributes
    ----------
    angles : ndarray, shape (..., 4, unknowns)
        Answers, each a row of the unknown angles in (-pi, pi]; NaN past the count. An angle that
        turns nothing is 0.
    count : ndarray of int, shape (...)
        How many there are.
    exact : ndarray of bool, shape (...)
        False where the equation has no solution to 1e-9 of its size: the answers are those of
        least squares then, or, in 5 and 6, there are none.
    """

    angles: Array
    count: NDArray[np.int32]
    exact: NDArray[np.bool_]


def _units(axis: Array, name: str) -> Array:
    size = np.linalg.norm(axis, axis=-1, keepdims=True)
    if axis.size and size.min() < 1e-12:
        raise ArgumentError(f"{name} must not be zero: it is an axis")
    return np.asarray(axis / size)


def _solve(number: int, vectors: list[Array], scalars: list[Array]) -> Answers:
    """Broadcast, pack and hand to the core."""
    shapes = [*(v.shape[:-1] for v in vectors), *(s.shape for s in scalars)]
    lead = together(**{f"argument {k}": shape for k, shape in enumerate(shapes, 1)})
    parts = [np.broadcast_to(v, (*lead, 3)) for v in vectors]
    parts += [np.broadcast_to(s, lead)[..., None] for s in scalars]
    given = np.concatenate(parts, axis=-1)
    angles, count, exact = _core.subproblem(number, given.reshape(-1, given.shape[-1]))
    return Answers(
        angles.reshape(*lead, *angles.shape[1:]), count.reshape(lead), exact.reshape(lead)
    )


def _scale(*vectors: Array) -> Array:
    """Greatest length, (...,) broadcast; 1 where all are zero."""
    sizes = [np.linalg.norm(v, axis=-1) for v in vectors]
    size = np.maximum.reduce(np.broadcast_arrays(*sizes)) if len(sizes) > 1 else sizes[0]
    return np.where(size > 0, size, 1.0)


def _points(**values: ArrayLike) -> list[Array]:
    found = [reals(value, name, (3,)) for name, value in values.items()]
    together(**{name: v.shape[:-1] for name, v in zip(values, found, strict=True)})
    return found


def subproblem1(p: ArrayLike, q: ArrayLike, k: ArrayLike) -> Answers:
    """Solve ``R(k, x) p = q`` for x.

    Parameters
    ----------
    p, q : array_like, shape (..., 3)
        Vectors.
    k : array_like, shape (..., 3)
        Axis; made a unit vector.

    Returns
    -------
    Answers
        One x; not exact: it makes ``|R(k, x) p - q|`` least.

    Raises
    ------
    ArgumentError
        When a shape does not fit, a number is not finite or an axis is zero.

    Examples
    --------
    >>> subproblem1([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]).angles[0].round(4)
    array([1.5708])
    """
    p, q, k = _points(p=p, q=q, k=k)
    size = _scale(p, q)[..., None]
    return _solve(1, [p / size, q / size, _units(k, "k")], [])


def subproblem2(p: ArrayLike, q: ArrayLike, k1: ArrayLike, k2: ArrayLike) -> Answers:
    """Solve ``R(k1, x) p = R(k2, y) q`` for x and y.

    Parameters
    ----------
    p, q : array_like, shape (..., 3)
        Vectors.
    k1, k2 : array_like, shape (..., 3)
        Axes; made unit vectors.

    Returns
    -------
    Answers
        Up to two (x, y); not exact: the nearest touching point.

    Raises
    ------
    ArgumentError
        As `subproblem1`.

    Examples
    --------
    >>> x, z = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]
    >>> int(subproblem2([0.0, 1.0, 0.0], [0.0, 0.0, 1.0], x, z).count) >= 1
    True
    """
    p, q, k1, k2 = _points(p=p, q=q, k1=k1, k2=k2)
    size = _scale(p, q)[..., None]
    return _solve(2, [p / size, q / size, _units(k1, "k1"), _units(k2, "k2")], [])


def subproblem3(p: ArrayLike, q: ArrayLike, k: ArrayLike, d: ArrayLike) -> Answers:
    """Solve ``|R(k, x) p - q| = d`` for x.

    Parameters
    ----------
    p, q : array_like, shape (..., 3)
        Points.
    k : array_like, shape (..., 3)
        Axis; made a unit vector.
    d : array_like, shape (...)
        Distance.

    Returns
    -------
    Answers
        Up to two x; not exact: the nearest or farthest.

    Raises
    ------
    ArgumentError
        As `subproblem1`, and when d is negative.

    Examples
    --------
    >>> x, z = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]
    >>> subproblem3(x, x, z, 2.0).exact.tolist()  # on the other side
    True
    """
    p, q, k = _points(p=p, q=q, k=k)
    distance = reals(d, "d", ())
    if distance.size and distance.min() < 0:
        raise ArgumentError(f"d must not be negative, got {distance.min():g}")
    size = _scale(p, q)
    return _solve(3, [p / size[..., None], q / size[..., None], _units(k, "k")], [distance / size])


def subproblem4(h: ArrayLike, p: ArrayLike, k: ArrayLike, d: ArrayLike) -> Answers:
    """Solve ``h . R(k, x) p = d`` for x.

    Parameters
    ----------
    h, p : array_like, shape (..., 3)
        Direction and point.
    k : array_like, shape (..., 3)
        Axis; made a unit vector.
    d : array_like, shape (...)
        Share of the turned point along h.

    Returns
    -------
    Answers
        Up to two x; not exact: the one that comes nearest.

    Raises
    ------
    ArgumentError
        As `subproblem1`.

    Examples
    --------
    >>> x, z = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]
    >>> sorted(subproblem4(x, x, z, 0.5).angles[:2, 0].round(4).tolist())
    [-1.0472, 1.0472]
    """
    h, p, k = _points(h=h, p=p, k=k)
    size, long = _scale(p), _scale(h)
    share = reals(d, "d", ()) / (size * long)
    return _solve(4, [h / long[..., None], p / size[..., None], _units(k, "k")], [share])


def subproblem5(
    p0: ArrayLike,
    p1: ArrayLike,
    p2: ArrayLike,
    p3: ArrayLike,
    k1: ArrayLike,
    k2: ArrayLike,
    k3: ArrayLike,
) -> Answers:
    """Solve ``p0 + R(k1, x) p1 = R(k2, y) (p2 + R(k3, z) p3)`` for x, y and z.

    Parameters
    ----------
    p0, p1, p2, p3 : array_like, shape (..., 3)
        Vectors.
    k1, k2, k3 : array_like, shape (..., 3)
        Axes; made unit vectors.

    Returns
    -------
    Answers
        Up to four (x, y, z).

    Raises
    ------
    ArgumentError
        As `subproblem1`.

    Examples
    --------
    >>> x, y, z = [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]
    >>> subproblem5([0.0, 0.0, 0.0], x, y, x, z, x, y).angles.shape
    (4, 3)
    """
    points = _points(p0=p0, p1=p1, p2=p2, p3=p3)
    size = _scale(*points)[..., None]
    axes = [_units(reals(k, f"k{i}", (3,)), f"k{i}") for i, k in enumerate((k1, k2, k3), 1)]
    return _solve(5, [point / size for point in points] + axes, [])


def subproblem6(h: ArrayLike, k: ArrayLike, p: ArrayLike, d1: ArrayLike, d2: ArrayLike) -> Answers:
    """Solve two shares along directions for x and y.

    ``h[0] . R(k[0], x) p[0] + h[1] . R(k[1], y) p[1] = d1`` and
    ``h[2] . R(k[2], x) p[2] + h[3] . R(k[3], y) p[3] = d2``.

    Parameters
    ----------
    h, k, p : array_like, shape (..., 4, 3)
        Directions, axes (made unit vectors) and points.
    d1, d2 : array_like, shape (...)
        Shares.

    Returns
    -------
    Answers
        Up to four (x, y).

    Raises
    ------
    ArgumentError
        As `subproblem1`.

    Examples
    --------
    >>> x, z = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]
    >>> subproblem6([x, x, z, x], [z, z, x, z], [x, x, z, x], 1.0, 1.0).angles.shape
    (4, 2)
    """
    names = ("h", "k", "p")
    found = [reals(v, name, (4, 3)) for v, name in zip((h, k, p), names, strict=True)]
    found[1] = _units(found[1], "k")
    size = _scale(*[found[2][..., i, :] for i in range(4)])
    long = _scale(*[found[0][..., i, :] for i in range(4)])
    found[0], found[2] = found[0] / long[..., None, None], found[2] / size[..., None, None]
    rows = [stack[..., i, :] for stack in found for i in range(4)]
    shares = [reals(d, name, ()) / (size * long) for d, name in ((d1, "d1"), (d2, "d2"))]
    return _solve(6, rows, shares)
