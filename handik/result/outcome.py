"""Outcome and Method: how one problem ended, and by what."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.spec._given import choice

__all__ = ["SENTENCES", "WORDS", "Method", "Outcome", "Outcomes"]


class Outcome(enum.IntEnum):
    """How one problem ended.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([1.0, 1.0], "ball")
    >>> arm.solve(position=[9.0, 0.0, 0.0]).outcome.name
    'UNREACHABLE'
    """

    INVALID = 0
    CONVERGED = 1
    UNREACHABLE = 2
    STALLED = 3
    MAX_ITER = 4
    TIME_LIMIT = 5
    DIVERGED = 6
    CANCELLED = 7
    LEAST_SQUARES = 8

    def __str__(self) -> str:
        return self.name.lower()

    def __format__(self, spec: str) -> str:
        return format(int(self), spec) if spec[-1:] in tuple("bcdoxXn") else format(str(self), spec)

    def __eq__(self, other: object) -> bool:
        """Equal to its number and to its word: ``result.outcome == "converged"``."""
        return str(self) == other if isinstance(other, str) else int(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = enum.IntEnum.__hash__


class Outcomes(np.ndarray):
    """The outcomes of a batch: an array of int8 that can be compared with their words too.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([1.0, 1.0], "ball")
    >>> (arm.solve(position=[[1.0, 0.5, 0.0], [9.0, 0.0, 0.0]]).outcome == "converged").tolist()
    [True, False]
    """

    # An array compares element by element: its `==` gives an array, where `object` has a bool.
    def __eq__(self, other: Any) -> NDArray[np.bool_]:  # type: ignore[override]
        """Compare each with a number, an `Outcome` or a word of one.

        Raises
        ------
        ArgumentError
            For another word.
        """
        if isinstance(other, str):
            word = choice("the outcome compared with", other, tuple(map(str, Outcome)))
            other = int(Outcome[word.upper()])
        return np.asarray(np.asarray(self) == other)

    # As above.
    def __ne__(self, other: Any) -> NDArray[np.bool_]:  # type: ignore[override]
        return np.asarray(~(self == other))

    __hash__ = None

    def __str__(self) -> str:
        return np.array2string(np.asarray(self), formatter=_WORDS)

    def __repr__(self) -> str:
        words = np.array2string(np.asarray(self), formatter=_WORDS, separator=", ")
        return f"Outcomes({words})"


def _word(code: int) -> str:
    try:
        return str(Outcome(code))
    except ValueError:  # of an array that was reckoned with
        return str(code)


_WORDS: Any = {"int": _word}


#: What `Result.raise_for_outcome` calls each outcome.
WORDS = {
    Outcome.INVALID: "without a usable target",
    Outcome.CONVERGED: "converged",
    Outcome.UNREACHABLE: "out of reach",
    Outcome.STALLED: "stalled",
    Outcome.MAX_ITER: "at the iteration limit",
    Outcome.TIME_LIMIT: "at the time limit",
    Outcome.DIVERGED: "diverged",
    Outcome.CANCELLED: "cancelled",
    Outcome.LEAST_SQUARES: "at a least-squares minimum",
}


#: What `Result.message` says of one problem.
SENTENCES = {
    Outcome.INVALID: "The target is not usable: not finite, or without a direction.",
    Outcome.CONVERGED: "Every goal is within its tolerance, and q inside its limits.",
    Outcome.UNREACHABLE: "The target is proved out of reach; q is the closest pose found.",
    Outcome.STALLED: "The error stopped falling before the goals were met.",
    Outcome.MAX_ITER: "The limit of iterations came first.",
    Outcome.TIME_LIMIT: "The time limit came first.",
    Outcome.DIVERGED: (
        "A number ran out of range; q is the nearest pose met before, if only the start."
    ),
    Outcome.CANCELLED: "The call was cancelled before this problem was done.",
    Outcome.LEAST_SQUARES: (
        "Not converged: q is a local least-squares minimum: no small move lowers the error."
    ),
}


class Method(enum.IntEnum):
    """By which method one problem was answered: `auto` chooses, other solvers have mostly one.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([1.0, 1.0], "ball")
    >>> isinstance(arm.solve(position=[1.0, 0.5, 0.0]).method, hk.Method)
    True
    """

    NONE = 0
    """Not answered."""
    ITERATION = 1
    """The iteration that gives the solver its name."""
    CLOSED_FORM = 2
    """A closed form, the nearest of all configurations of an arm of up to six turns, or of free
    balls
    whose target is out of reach."""
    CHAIN = 3
    """Damped least squares on a serial chain, several starts or problems at once."""
    TREE = 4
    """Damped least squares on a tree, several problems at once."""
    SECOND_ORDER = 5
    """Newton's method for the nearest pose to a target out of reach."""
    DESCENT = 6
    """Damped least squares for any model and terms, one problem after the other."""
