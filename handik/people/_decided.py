"""Which limits of an impairment decided an answer, or a verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

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
    result: Result | Any, impaired: Impaired | None = None, *, retries: int = 2
) -> Sensitivity:
    """Say which limits of a profile decided an answer, each taken away in turn.

    Parameters
    ----------
    result : Result or Reach
        Of one goal for an impaired figure; or the verdict on one target, which is asked again of
        the same frame: met is that a witness is found, free of the scene, and the error the most
        that the frame stays short, 0 where it is found.
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
        When the result is that of a batch, does not know its problem, is a verdict for a chair that
        may stop anywhere, or its model is not that of an impaired figure.
    TypeError
        When `result` is neither a Result nor a Reach, or `impaired` no Impaired.

    Notes
    -----
    A trial that meets the goal proves that this limit stood in the way. One that does not is only
    what the solver found; a proof would be `UNREACHABLE`. Of a verdict, joints that you locked or
    gave limits of your own keep these, unless they are just those of the profile.

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
    rounds = whole_number("retries", retries)
    model, before, ask = _question(result, rounds)
    held = getattr(model, "_impaired", None) if impaired is None else impaired
    if held is None:
        raise ArgumentError("this model does not know its profile: give impaired=")
    of_class("impaired", held, Impaired)
    trials = []
    for k, one in enumerate(held.profiles):
        for row in one.rows:
            if row.kind not in ("limit", "fixed"):
                continue
            less = replace(one, rows=tuple(other for other in one.rows if other is not row))
            others = (*held.profiles[:k], less, *held.profiles[k + 1 :])
            met, left = ask(_spec_of(held, others), held.spec)
            trials.append(Trial(row, one.name, met, left, before[1] - left))
    healthy, _ = ask(_spec_of(held, None), held.spec)
    trials.sort(key=lambda trial: (not trial.converged, -trial.gain))
    return Sensitivity(*before, tuple(trials), healthy)


def _question(
    result: Any, retries: int
) -> tuple[Model, tuple[bool, float], Callable[[ModelSpec, ModelSpec], tuple[bool, float]]]:
    """Return the model of an answer, whether it is met and its error, and what asks it again."""
    if hasattr(result, "_found_with"):  # a Reach, which this package does not know
        if result._anywhere or result.stop is not None:
            raise ArgumentError(
                "the chair of this verdict may stop anywhere: ask of the person where it stops"
            )
        asked: Model = result._asked.model
        short = 0.0 if result else float(result.short[1])

        def reached(spec: ModelSpec, before: ModelSpec) -> tuple[bool, float]:
            found = bool(result._found_with(_limited(asked, spec, before)))
            return found, 0.0 if found else short

        return asked, (bool(result), short), reached
    of_class("result", result, Result)
    problem, targets = result.problem, result.targets
    if problem is None or targets is None or result.q.ndim != 1:
        raise ArgumentError("sensitivity takes the result of one goal that knows its problem")

    def solved(spec: ModelSpec, _: ModelSpec) -> tuple[bool, float]:
        answer = _again(result, spec, retries)
        return bool(answer.converged), float(answer.error)

    return problem.model, (bool(result.converged), float(result.error)), solved


def _limited(model: Model, spec: ModelSpec, before: ModelSpec) -> Model:
    """Return a model, wherever its person is, with the limits that a tree does not share.

    What a caller locked, or gave limits of his own, stays so: only ends that are still those of
    `before` are moved.
    """
    own, old = model.spec, {joint.name: joint for joint in before.joints}
    new = {joint.name: joint for joint in spec.joints}
    for joint in own.joints:
        a, b = old.get(joint.name), new.get(joint.name)
        if a is None or b is None or (a.limits() == b.limits() and a.cone == b.cone):
            continue
        if joint.cone == a.cone:
            joint.cone = b.cone
        if joint.limits() == a.limits():
            joint.lower, joint.upper = b.lower, b.upper
        elif joint.limits()[0] != joint.limits()[1]:
            joint.lower, joint.upper = (
                [new if own == old else own for own, old, new in zip(*ends, strict=True)]
                for ends in zip(joint.limits(), a.limits(), b.limits(), strict=True)
            )
    return Model(own)


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
