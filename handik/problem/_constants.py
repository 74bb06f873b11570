"""Constants of terms: points, weights of joints, pairs of bodies, and what makes terms equal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from handik.errors import ArgumentError, name_not_found
from handik.spec._given import number, points_of

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["apart", "frozen", "joint_weights", "three"]


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
            if name not in model.joint_q_slices:
                raise name_not_found("joint", name, model.joint_q_slices)
            joint = model.joint_names.index(name)
            first, part = int(model.joint_v[joint]), model.joint_q_slices[name]
            size = part.stop - part.start - (model.joint_kinds[joint] in ("ball", "free"))
            out[first : first + size] = number(f"weight of {name!r}", weight)
    elif weights is not None:
        out = points_of(weights, "weights", (model.nv,))
    return tuple(map(float, out))


def apart(model: Model, capsules: Sequence[Any]) -> list[tuple[int, int]]:
    """Return all pairs but those of one body and of neighbours in the tree."""
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
