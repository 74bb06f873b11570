"""Trace: what a solver did, iteration by iteration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.result.result import of_batch
from handik.spec._given import is_model, reals

if TYPE_CHECKING:
    from handik.model import Model
    from handik.result.margins import Limit

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """The poses that a solver went through, of one problem or a batch of them.

    Row 0 is the start, row k the pose after iteration k. Solvers that restart note their starts
    one after another, so the error may rise; the answer is the best of them, not always the last.
    Where `retries` were asked for, it is the run whose answer was kept.

    Attributes
    ----------
    error : ndarray, shape (..., K)
        Norm of the weighted residual, as `Result.error`; NaN after the last iteration. K is that
        of the longest run.
    q : ndarray, shape (..., K, nq)
        Coordinates, inside the limits; NaN likewise.
    model : Model
        The robot or person.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([1.0, 1.0], "ball")
    >>> trace = arm.solve(position=[1.0, 0.5, 0.0], solver="ccd", trace=True).trace
    >>> trace.q.shape[-1], bool(trace.error[-1] < trace.error[0])
    (8, True)
    """

    error: Array
    q: Array
    model: Model

    @property
    def positions(self) -> Array:
        """Origins of all frames, meters, (..., K, nframes, 3) in the order of `frame_names`."""
        rows = np.isfinite(self.q).all(axis=-1)
        places = np.full((*self.q.shape[:-1], len(self.model.frame_names), 3), np.nan)
        places[rows] = np.asarray(self.model.frames(self.q[rows]))[..., :3, 3]
        return places

    @property
    def limits(self) -> tuple[Limit, ...]:
        """The limits of the model, as the last axis of `active`; see `handik.result.margins`."""
        from handik.result.margins import limits

        return limits(self.model)

    @property
    def active(self) -> NDArray[np.bool_]:
        """Whether the pose stands on each limit, (..., K, len(limits)); False after the end."""
        from handik.result.margins import margins, standing

        return standing(margins(self.model, self.q))

    @property
    def iterations(self) -> Any:
        """Iterations that are noted (int, or ndarray of int)."""
        count = np.sum(~np.isnan(self.error), axis=-1) - 1
        return int(count) if np.ndim(count) == 0 else count

    def __len__(self) -> int:
        return len(self.error)

    def __getitem__(self, index: Any) -> Trace:
        """Part of a batch, by an index, a slice or a mask on the batch axes."""
        if self.error.ndim == 1:
            raise TypeError("a trace of one problem cannot be indexed; its error and q can")
        lead = self.error.ndim - 1
        key = index if isinstance(index, tuple) else (index,)
        axes = sum(part.ndim if _is_mask(part) else 1 for part in key if _takes_an_axis(part))
        if axes > lead:
            raise ArgumentError("a trace is indexed on its batch axes; its error and q on all")
        return Trace(self.error[of_batch(index, 1)], self.q[of_batch(index, 2)], self.model)

    def __repr__(self) -> str:
        return f"Trace({self.error.shape}: {self.model.name!r}, nq {self.q.shape[-1]})"


def _is_mask(part: Any) -> bool:
    return isinstance(part, np.ndarray) and part.dtype == np.bool_


def _takes_an_axis(part: Any) -> bool:
    return part is not None and part is not Ellipsis


def trace_of(model: Model, error: Array, path: Array) -> Trace:
    """Cut what the core noted to the longest run; what it never wrote becomes NaN.

    Parameters
    ----------
    model : Model
        The robot.
    error : ndarray, shape (..., K)
        By iteration.
    path : ndarray, shape (..., K, nq)
        Coordinates by iteration.

    Returns
    -------
    Trace
        As long as its longest run.

    Raises
    ------
    ArgumentError
        Wrong shapes.

    Examples
    --------
    >>> import numpy as np
    >>> import handik as hk
    >>> error, path = np.array([0.5, 0.1, np.inf]), np.zeros((3, 1))
    >>> trace_of(hk.chain([1.0]), error, path).q.shape[-1]
    1
    """
    is_model(model)
    error = reals(error, "error", (), finite=False)
    path = reals(path, "path", (model.nq,), finite=False)
    if not error.ndim or path.shape[:-1] != error.shape:
        raise ArgumentError(f"path must have the axes of error, {error.shape}, got {path.shape}")
    noted = ~np.isnan(error)
    used = np.flatnonzero(noted.reshape(-1, noted.shape[-1]).any(axis=0))
    length = int(used[-1]) + 1 if used.size else 1
    error = error[..., :length].copy()
    q = np.where(noted[..., :length, None], path[..., :length, :], np.nan)
    return Trace(error, q, model)
