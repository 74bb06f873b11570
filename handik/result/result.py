"""Result: what a solver found, as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from html import escape
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.errors import ArgumentError, HandikError
from handik.result.outcome import SENTENCES, WORDS, Method, Outcome, Outcomes
from handik.spec._html import Row, html_table

if TYPE_CHECKING:
    from handik.problem import Problem
    from handik.result._either import Bools, Ends, Floats, Ints, Methods, Words
    from handik.result.trace import Trace


#: Problems of a batch that Jupyter shows.
SHOWN = 10


class SolveError(HandikError, RuntimeError):
    """Raised only when asked for, by `Result.raise_for_outcome`.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([1.0, 1.0], "ball")
    >>> try:
    ...     arm.solve(position=[9.0, 0.0, 0.0]).raise_for_outcome()
    ... except hk.SolveError:
    ...     print("not solved")
    not solved
    """


def of_batch(index: Any, behind: int) -> Any:
    """Return an index of batch axes for an array with others behind them: ``...`` ends there.

    Parameters
    ----------
    index : int, slice, array, or tuple of these
        Index of the batch axes.
    behind : int
        How many axes the array has behind them.

    Returns
    -------
    tuple
        An index of the whole array.

    Examples
    --------
    >>> of_batch(..., 1)
    (Ellipsis, slice(None, None, None))
    """
    key = index if isinstance(index, tuple) else (index,)
    if any(part is Ellipsis for part in key):
        return (*key, *(slice(None),) * behind)
    return key


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """What a solver found for one problem or a batch of them.

    Attributes
    ----------
    q : ndarray, shape (..., nq)
        Coordinates inside the limits; NaN where the target was not usable.
    outcome : Outcome, or ndarray of int8, shape (...)
        How each problem ended; see `Outcome`.
    error : float or ndarray, shape (...)
        Norm of the weighted residual at q: meters for a position goal.
    position_error : float or ndarray, shape (...)
        Distance from the target, meters.
    orientation_error : float or ndarray, shape (...)
        Angle from the target, radians.
    iterations : int or ndarray, shape (...)
        Iterations made, those of restarts included.
    n_restarts : int or ndarray, shape (...)
        Pushes away from dead ends and new starts that were made.
    trace : Trace or None
        Error, pose and limits iteration by iteration, only when asked for; see `Trace`.
    solver : str
        The solver that was used.
    problem : Problem or None
        What was solved.
    targets : ndarray, shape (..., problem.width), or None
        For which targets: a copy.
    method : Method, or ndarray of int8, shape (...), or None
        By which method each was answered; see `Method`.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([1.0, 1.0], "ball")
    >>> found = arm.solve(position=[[1.0, 0.5, 0.0], [9.0, 0.0, 0.0]])
    >>> found.q.shape, found.converged.tolist()
    ((2, 8), [True, False])
    """

    q: NDArray[np.float64]
    outcome: Ends
    error: Floats
    position_error: Floats
    orientation_error: Floats
    iterations: Ints
    n_restarts: Ints
    trace: Trace | None
    solver: str
    problem: Problem | None = field(default=None, kw_only=True)
    targets: NDArray[np.float64] | None = field(default=None, kw_only=True)
    method: Methods | None = field(default=None, kw_only=True)

    if TYPE_CHECKING:  # made of either, where a field is told to be both

        def __init__(
            self,
            q: NDArray[np.float64],
            outcome: Outcome | NDArray[np.int8],
            error: float | NDArray[np.float64],
            position_error: float | NDArray[np.float64],
            orientation_error: float | NDArray[np.float64],
            iterations: int | NDArray[np.int32],
            n_restarts: int | NDArray[np.int32],
            trace: Trace | None,
            solver: str,
            *,
            problem: Problem | None = None,
            targets: NDArray[np.float64] | None = None,
            method: Method | NDArray[np.int8] | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        """Let the outcomes of a batch be compared with their words."""
        if isinstance(self.outcome, np.ndarray) and not isinstance(self.outcome, Outcomes):
            object.__setattr__(self, "outcome", self.outcome.view(Outcomes))

    @property
    def _outcome(self) -> Outcome | Outcomes:
        """The outcome as it is: checkers are told elsewhere that it is both."""
        return self.outcome

    @property
    def converged(self) -> Bools:
        """True where every goal was met within its tolerance (bool, or ndarray of bool)."""
        if isinstance(self._outcome, Outcome):
            return cast("Bools", self._outcome is Outcome.CONVERGED)
        return cast("Bools", self._outcome == Outcome.CONVERGED)

    @property
    def success(self) -> Bools:
        """The same as `converged`, by SciPy's word."""
        return self.converged

    @property
    def status(self) -> Ints:
        """The number of the outcome (int, or ndarray of int8), by SciPy's word."""
        one = isinstance(self._outcome, Outcome)
        return cast("Ints", int(self._outcome) if one else self._outcome)

    @property
    def outcome_names(self) -> Words:
        """The word of each outcome (str, or ndarray of str)."""
        if isinstance(self._outcome, Outcome):
            return cast("Words", str(self._outcome))
        return cast("Words", np.array([str(outcome) for outcome in Outcome])[self._outcome])

    @property
    def nit(self) -> Ints:
        """The same as `iterations`, by SciPy's word."""
        return self.iterations

    @property
    def message(self) -> str:
        """How it ended in one sentence; for a batch with counts. `explain` says more."""
        if isinstance(self._outcome, Outcome):
            return SENTENCES[self._outcome]
        kinds, counts = np.unique(self._outcome, return_counts=True)
        ended = ", ".join(
            f"{n} {WORDS[Outcome(int(k))]}" for k, n in zip(kinds, counts, strict=True)
        )
        return f"{self._outcome.size} problems: {ended or 'none'}."

    def __bool__(self) -> bool:
        """Whether one problem converged; of a batch, ask `converged`.

        Raises
        ------
        ArgumentError
            For a batch: all of it, or any?
        """
        if isinstance(self._outcome, Outcome):
            return bool(self.converged)
        raise ArgumentError(
            f"{self._outcome.size} problems have no one truth: use .converged.all() or .any()"
        )

    def __len__(self) -> int:
        if self.q.ndim == 1:
            raise TypeError("a result of one problem has no length")
        return len(self.q)

    def __getitem__(self, index: Any) -> Self:
        """Part of a batch, by an index, a slice or a mask on the batch axes."""
        if self.q.ndim == 1:
            raise TypeError("a result of one problem cannot be indexed")
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                values[name] = value[of_batch(index, 1 if name in ("q", "targets") else 0)]
            elif name == "trace" and value is not None:
                values[name] = value[index]
        if values["q"].ndim == 1:
            for name in ("error", "position_error", "orientation_error"):
                values[name] = float(values[name])
            for name in ("iterations", "n_restarts"):
                values[name] = int(values[name])
            values["outcome"] = Outcome(int(values["outcome"]))
            if values["method"] is not None:
                values["method"] = Method(int(values["method"]))
        return type(self)(**values)

    def explain(self, most: int = 10) -> str:
        """Say in words, degrees and millimeters what became of this; see `handik.result.explain`.

        Parameters
        ----------
        most : int
            Problems of a batch that are told one by one, those that did not converge first.

        Returns
        -------
        str
            Some lines of text.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.4, 0.3], "ball")
        >>> print(arm.solve(position=[0.0, 0.9, 0.0], solver="fabrik").explain())
        ... # doctest: +ELLIPSIS, +NORMALIZE_WHITESPACE
        Out of reach: the closest pose found in 1 iteration of fabrik (a closed form); tip is
        200.0 mm short of its target along (0.00, 1.00, 0.00), out of reach by at least 200.0 mm
        by the lengths of its links alone.
        """
        from handik.result.explain import explain

        return explain(self, most)

    def raise_for_outcome(self) -> Self:
        """Return this result, or raise if anything did not converge.

        Returns
        -------
        Result
            This one.

        Raises
        ------
        SolveError
            One sentence with counts: ``3 of 100000 not solved: 2 out of reach, 1 at the iteration
            limit (first at index 41)``.
        """
        if np.all(self.converged):
            return self
        if isinstance(self._outcome, Outcome):
            raise SolveError(
                f"not solved: {WORDS[self._outcome]}, position error {self.position_error:.3g} m, "
                f"orientation error {self.orientation_error:.3g} rad"
            )
        flat = np.ravel(self._outcome)
        bad = np.flatnonzero(flat != Outcome.CONVERGED)
        kinds, counts = np.unique(flat[bad], return_counts=True)
        what = ", ".join(
            f"{n} {WORDS[Outcome(int(k))]}" for k, n in zip(kinds, counts, strict=True)
        )
        raise SolveError(f"{bad.size} of {flat.size} not solved: {what} (first at index {bad[0]})")

    def _repr_html_(self) -> str:
        """Return a small table for Jupyter: the joints of one problem, or some of a batch."""
        head, rows = self._joints() if isinstance(self._outcome, Outcome) else self._problems()
        total = 1 if isinstance(self._outcome, Outcome) else self._outcome.size
        more = f"<p>... and {total - len(rows)} more</p>" if 1 < total != len(rows) else ""
        return f"<p>{escape(repr(self))}</p>" + html_table([head], rows) + more

    def _joints(self) -> tuple[Row, Sequence[Row]]:
        """Headings and a row for each joint, or coordinate where the model is not known."""
        if self.problem is None:
            named = {f"q[{k}]": slice(k, k + 1) for k in range(self.q.shape[-1])}
        else:
            named = dict(self.problem.model.joint_q_slices)
        rows = [
            (name, ", ".join(f"{value:.6g}" for value in self.q[part].tolist()))
            for name, part in named.items()
        ]
        return ("joint", "q, rad or m"), rows

    def _problems(self) -> tuple[Row, Sequence[Row]]:
        """Headings and a row for each of the first problems of a batch."""
        head = ("problem", "outcome", "position error, m", "orientation error, rad", "iterations")
        flat = [
            np.ravel(x)
            for x in (self._outcome, self.position_error, self.orientation_error, self.iterations)
        ]
        rows: list[Row] = []
        for k, at in enumerate(np.ndindex(*np.shape(self._outcome))):
            if k == SHOWN:
                break
            word, near, turned, count = (x[k] for x in flat)
            place = ", ".join(map(str, at))
            rows.append(
                (place, str(Outcome(int(word))), f"{near:.3g}", f"{turned:.3g}", str(count))
            )
        return head, rows

    def __repr__(self) -> str:
        if isinstance(self._outcome, Outcome):
            return (
                f"{type(self).__name__}({self.solver}: {self._outcome.name.lower()}, "
                f"position error {self.position_error:.3g} m, "
                f"orientation error {self.orientation_error:.3g} rad, {self.iterations} iterations)"
            )
        total = self._outcome.size
        solved = int(np.count_nonzero(self.converged))
        mean = float(np.mean(self.iterations)) if total else 0.0
        return (
            f"{type(self).__name__}({self.solver}: {solved} of {total} converged, "
            f"{mean:.2f} iterations on average)"
        )


_core._bind(Result=Result, Outcome=Outcome, Method=Method)
