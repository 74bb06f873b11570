"""One motion after another: the moments of both, and how much of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.spec._given import of_class

if TYPE_CHECKING:
    from handik.people.motion.motion import Motion

__all__ = ["ease", "of_the_same", "one_after_another"]

Array = NDArray[np.float64]


def ease(s: Array) -> Array:
    """Return 0 to 1 with level ends."""
    s = np.clip(s, 0.0, 1.0)
    return np.asarray(s * s * (3 - 2 * s))


def of_the_same(motion: Motion, other: Motion) -> Motion:
    """Return another motion, of a model with the same joints.

    Raises
    ------
    ArgumentError
        When its joints are others.
    """
    of_class("other", other, type(motion))
    mine, theirs = motion.model, other.model
    if mine.joint_names != theirs.joint_names or mine.joint_kinds != theirs.joint_kinds:
        raise ArgumentError(
            f"the other motion is of {other.model.name!r}, this one of {motion.model.name!r}: "
            "retarget it first"
        )
    return other


def one_after_another(
    one: Motion, other: Motion, overlap: float
) -> tuple[Array, Array, Array, Array]:
    """Return moments, the configurations of both there, and the share of the second."""
    start = one.times[-1] - overlap
    shift = start - other.times[0]
    later = other.times + shift
    both = np.unique(np.concatenate([one.times, later[later >= start]]))
    both = both[np.concatenate([[True], np.diff(both) > 1e-9])]
    mine = one.at(np.minimum(both, one.times[-1]))
    theirs = other.at(np.clip(both - shift, other.times[0], other.times[-1]))
    return both, mine, theirs, ease((both - start) / overlap)
