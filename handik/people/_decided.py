"""Which limits of an impairment decided an answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.model import Model
from handik.people._impaired import Impaired, Profile, Work
from handik.people._profile_file import Row
from handik.problem import Problem
from handik.result import Result
from handik.solve import Solver
from handik.spec import ModelSpec
from handik.spec._given import of_class, whole_number

__all__ = ["Sensitivity", "Trial", "sensitivity"]


@dataclass(frozen=True)
class Trial:
    """An answer without one of the profile's limits.

    Attributes
    ----------
    row : Row
        The limit that was taken away.
    profile : str
    converged : bool
        Whether the goal is then met.
    error : float
        What is then left of the error: meters for a position goal.
    gain : float
        By how much the error fell.
    """

    row: Row
    profile: str
    converged: bool
    error: float
    gain: float


@dataclass(frozen=True)
class Sensitivity:
    """Which limits of a profile decided an answer.

    Attributes
    ----------
    converged : bool
        Whether the goal was met with all of them.
    error : float
    trials : tuple of Trial
        One a limit, that with the largest gain first.
    healthy : bool
        Whether the goal is met without any of them.
    """

    converged: bool
    error: float
    trials: tuple[Trial, ...]
    healthy: bool

    @property
    def decided(self) -> tuple[Trial, ...]:
        """The limits without any one of which the goal is met, though it was not with all."""
        return () if self.converged else tuple(one for one in self.trials if one.converged)

    def __str__(self) -> str:
        if self.converged:
            return "the goal is met: no limit of the profile stands in its way"
        if not self.healthy:
            return "the goal is not met by a healthy figure either: the profile did not decide"
        if not self.decided:
            return "no single limit of the profile decided: several together do"
        words = [
            f"{one.row} ({'assumption' if one.row.assumed else 'fact'}; {one.row.source})"
            for one in self.decided
        ]
        return "decided by: " + "; ".join(words)


def sensitivity(
    result: Result, impaired: Impaired | None = None, *, retries: int = 2
) -> Sensitivity:
    """Say which limits of a profile decided an answer, each taken away in turn.

    Parameters
    ----------
    result : Result
        Of one goal for an impaired figure.
    impaired : Impaired, optional
        The figure; by default that which the result's model was made from (`Impaired.model`).
    retries : int
        Rounds of new starts for each trial that does not meet the goal at once.

    Returns
    -------
    Sensitivity

    Raises
    ------
    ArgumentError
        When the result is that of a batch, does not know its problem, or its model is not that of
        an impaired figure.
    TypeError
        When `result` is no Result or `impaired` no Impaired.

    Notes
    -----
    A trial that meets the goal proves that this limit stood in the way. One that does not is only
    what the solver found; a proof would be `UNREACHABLE`.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.people.impairments import Direction, apply, sensitivity
    >>> arm = hk.chain([0.3, 0.3], lower=-2.0, upper=2.6).spec
    >>> stiff = apply(arm, "fixed_elbow", motions={"elbow flexion right": [Direction("joint_2")]})
    >>> found = stiff.model.solve(position=[0.6, 0.0, 0.0])
    >>> print(sensitivity(found))
    decided by: elbow fixed at 90 deg elbow flexion (assumption; the profile itself)
    """
    of_class("result", result, Result)
    if result.problem is None or result.targets is None or result.q.ndim != 1:
        raise ArgumentError("sensitivity takes the result of one goal that knows its problem")
    rounds = whole_number("retries", retries)
    held = getattr(result.problem.model, "_impaired", None) if impaired is None else impaired
    if held is None:
        raise ArgumentError("this model does not know its profile: give impaired=")
    of_class("impaired", held, Impaired)
    error = float(result.error)
    trials = []
    for k, one in enumerate(held.profiles):
        for row in one.rows:
            if row.kind not in ("limit", "fixed"):
                continue
            less = replace(one, rows=tuple(other for other in one.rows if other is not row))
            others = (*held.profiles[:k], less, *held.profiles[k + 1 :])
            answer = _again(result, _spec_of(held, others), rounds)
            left = float(answer.error)
            trials.append(Trial(row, one.name, bool(answer.converged), left, error - left))
    healthy = _again(result, _spec_of(held, None), rounds)
    trials.sort(key=lambda trial: (not trial.converged, -trial.gain))
    return Sensitivity(bool(result.converged), error, tuple(trials), bool(healthy.converged))


def _spec_of(held: Impaired, others: Sequence[Profile] | None) -> ModelSpec:
    """Return the tree with other profiles; what is missing stays missing."""
    work = Work(held.healthy.copy(), held.motions)
    for one in held.profiles if others is None else others:
        rows = one.rows if others is not None else [r for r in one.rows if r.kind == "missing"]
        work.take(replace(one, rows=tuple(rows)))
    return work.spec


def _again(result: Result, spec: ModelSpec, retries: int) -> Result:
    """Solve the goal of a result for another tree of the same coordinates."""
    assert result.problem is not None
    assert result.targets is not None
    model = Model(spec)
    problem = Problem(model, result.problem.terms)
    start: NDArray[np.float64] = model.clip(result.q)
    return Solver(retries=retries)(problem, result.targets, start)
