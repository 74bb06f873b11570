"""Constants of terms: points, weights of joints, pairs of bodies, and what makes terms equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.spec._given import known_name, number, points_of, reals

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["apart", "axes_of", "frozen", "joint_weights", "three"]


def three(name: str, value: Sequence[float]) -> tuple[float, ...]:
    """Return the three numbers of a point or direction.

    Raises
    ------
    TypeError
        When it is no sequence of numbers.
    ArgumentError
        When there are not three.
    """
    try:
        parts = tuple(value)
    except TypeError:
        raise TypeError(f"{name} must be 3 numbers, got {value!r}") from None
    if len(parts) != 3:
        raise ArgumentError(f"{name} must have 3 numbers, got {len(parts)}")
    return tuple(number(name, part) for part in parts)


def axes_of(
    axes: str | Sequence[float] | Sequence[Sequence[float]], weights: Sequence[float] | None
) -> tuple[str, NDArray[np.float64], NDArray[np.float64]]:
    """Return the letters of the axes, the axes as rows of length one, and their weights.

    Raises
    ------
    ArgumentError
        When the axes are no letters of "xyz", nor one to three directions at right angles, or there
        is not a positive weight for each.
    """
    if isinstance(axes, str):
        if not axes or len(set(axes)) != len(axes) or not set(axes) <= set("xyz"):
            raise ArgumentError(f'axes must be some of "xyz", each once, or vectors, got {axes!r}')
        letters, rows = axes, np.eye(3)[["xyz".index(letter) for letter in axes]]
    else:
        rows = reals(axes, "axes", (3,))
        rows = rows[None] if rows.ndim == 1 else rows
        if rows.ndim != 2 or not 1 <= len(rows) <= 3:
            raise ArgumentError(f"axes must be 1 to 3 vectors (k, 3), got shape {rows.shape}")
        largest = np.abs(rows).max(axis=1, keepdims=True)
        if not largest.all():
            raise ArgumentError("axes has a vector of length zero")
        rows = rows / largest  # so that no square is beyond the floats
        rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        if np.abs(rows @ rows.T - np.eye(len(rows))).max() > 1e-9:
            raise ArgumentError("axes must be at right angles to each other")
        letters = "uvw"[: len(rows)]
    count = len(letters)
    counts = np.ones(count) if weights is None else reals(weights, "weights", (count,))
    if counts.shape != (count,) or not (counts > 0).all():
        raise ArgumentError(
            f"weights must be {count} positive numbers, one for each of axes: what shall not count "
            "is left out of axes="
        )
    return letters, rows, counts


def frozen(value: Any) -> Any:
    """Return what a term was given as something that can be compared and hashed."""
    if isinstance(value, np.ndarray):
        return frozen(value.tolist())
    if isinstance(value, Mapping):
        return tuple(sorted((str(key), frozen(entry)) for key, entry in value.items()))
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return tuple(frozen(entry) for entry in value)
    return value


def joint_weights(
    model: Model, weights: Mapping[str, float] | ArrayLike | None
) -> tuple[float, ...]:
    """Return a weight for each coordinate of v."""
    out = np.ones(model.nv)
    if isinstance(weights, Mapping):
        for name, weight in weights.items():
            known_name("joint", name, model.joint_q_slices)
            joint = model.joint_names.index(name)
            first, part = int(model.joint_v[joint]), model.joint_q_slices[name]
            size = part.stop - part.start - (model.joint_kinds[joint] in ("ball", "free"))
            out[first : first + size] = number(f"weight of {name!r}", weight)
    elif weights is not None:
        out = points_of(weights, "weights", (model.nv,))
    return tuple(map(float, out))


def apart(model: Model, capsules: Sequence[Any]) -> list[tuple[int, int]]:
    """Return all pairs but those of one body and of neighbors in the tree."""
    steps = [int(model.frame_step[model.frame_names.index(c.frame)]) for c in capsules]
    bodies, above = set(steps), {}
    for step in bodies:
        up = step
        while up >= 0:
            up = int(model.step_parent[up])
            if up in bodies:
                break
        above[step] = up
    return [
        (a, b)
        for b in range(len(steps))
        for a in range(b)
        if steps[a] != steps[b] and above[steps[a]] != steps[b] and above[steps[b]] != steps[a]
    ]
