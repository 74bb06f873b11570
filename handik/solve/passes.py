"""FABRIK half pass by half pass, as the paper draws it: points, no joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.model import Model
from handik.model._places import joint_origins
from handik.spec._given import is_model, points_of, whole_number

__all__ = ["fabrik_passes"]

Array = NDArray[np.float64]


def fabrik_passes(
    model: Model, target: ArrayLike, q0: ArrayLike | None = None, *, iterations: int = 2
) -> Array:
    """Return the joints' places after each half pass of FABRIK on a free chain.

    The pass from the target to the base puts the last point on the target and every other at its
    bone's length from the one after it; the base leaves its place. The pass back puts the base
    where it was and every other point at its bone's length from the one before. This is for
    pictures and lectures; limits and stop rules are the solver's, ``solver="fabrik"``.

    Parameters
    ----------
    model : Model
        A serial chain of balls, or of revolute joints of one plane.
    target : array_like, shape (3,)
        Meters.
    q0 : array_like, shape (nq,), optional
        The start; the model's rest if not given.
    iterations : int
        Of two half passes each.

    Returns
    -------
    ndarray, shape (2 * iterations + 1, n, 3)
        The start, then alternately the chain after the pass to the base and after the one back.

    Raises
    ------
    ArgumentError
        When the target is no finite point, `iterations` is below 1, or the model is no such chain.

    References
    ----------
    A. Aristidou, J. Lasenby: FABRIK: A fast, iterative solver for the inverse kinematics problem.
    Graphical Models 73 (2011), 243-260; figure 1.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([1.0, 1.0])
    >>> hk.study.fabrik_passes(arm, [1.0, 1.0, 0.0], iterations=1).shape
    (3, 3, 3)
    """
    is_model(model)
    goal = points_of(target, "target", (3,))
    if whole_number("iterations", iterations) < 1:
        raise ArgumentError("iterations must be 1 or more, got 0")
    start = model.rest if q0 is None else points_of(q0, "q0", (model.nq,))
    free = set(model.joint_kinds) - {"fixed"}
    if not (free <= {"ball"} or (free == {"revolute"} and _flat(model))):
        raise ArgumentError(
            f"{model.name!r} is no chain of balls, nor of revolute joints of one plane: FABRIK's "
            "plain passes would leave what its joints can do"
        )
    points = np.asarray(joint_origins(model, start[None], None))[0]
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    base, made = points[0].copy(), [points]
    for _ in range(iterations):
        made.append(_lead(made[-1][::-1], goal, lengths[::-1])[::-1])
        made.append(_lead(made[-1], base, lengths))
    return np.array(made)


def _flat(model: Model) -> bool:
    """Whether the joints stay in one plane wherever they are turned."""
    places = np.asarray(joint_origins(model, model.sample(20, seed=0), None)).reshape(-1, 3)
    spread = np.ptp(places, axis=0)
    return bool(spread.min() <= 1e-9 * spread.max())


def _lead(points: Array, first: Array, lengths: Array) -> Array:
    """Put the first point somewhere and let the others follow, each at its bone's length."""
    placed = [first]
    for point, length in zip(points[1:], lengths, strict=True):
        away = point - placed[-1]
        gap = float(np.linalg.norm(away))
        # Two points in one place leave no direction: the bone keeps the one of the x axis.
        way = away / gap if gap > 0.0 else np.array([1.0, 0.0, 0.0])
        placed.append(placed[-1] + length * way)
    return np.array(placed)
