"""Explain: a result in words, for people: degrees and millimeters."""

from __future__ import annotations

from math import degrees
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.errors import ArgumentError, shortened
from handik.problem import Problem
from handik.problem._constants import apart, axes_of
from handik.problem.terms import (
    CenterOfMass,
    Damping,
    Distance,
    Level,
    LookAt,
    Pair,
    Position,
    Posture,
    SelfCollision,
    Term,
)
from handik.result.margins import TOUCH, Limit, limits, margins
from handik.result.outcome import SENTENCES, Method, Outcome
from handik.spec._given import of_class, reals, whole_number

if TYPE_CHECKING:
    from handik.model import Model
    from handik.result.result import Result

__all__ = ["explain", "points_of"]

Array = NDArray[np.float64]

#: Limits that are told although the pose does not stand on them: this near, radians and meters.
NEAR = (np.deg2rad(3.0), 0.01)
#: Joints that are told at most.
MOST_JOINTS = 6


def explain(result: Result, most: int = 10) -> str:
    """Say in words what became of a result.

    Parameters
    ----------
    result : Result
    most : int
        Problems of a batch that are told one by one, those that did not converge first.

    Returns
    -------
    str
        Of one problem: how it ended and by which method, how far each goal is missed and in which
        direction, what is proved of the reach, and which joints stand at a limit or near one. Of a
        batch: how many ended how, then a line for each of the first `most`.

    Raises
    ------
    TypeError
        When it is no result.
    ArgumentError
        When the result does not know its problem, being made by hand.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.result.explain import explain
    >>> arm = hk.chain([0.4, 0.3], "ball")
    >>> explain(arm.solve(position=[0.3, 0.4, 0.0], solver="fabrik")).startswith("Converged")
    True
    """
    if not isinstance(getattr(result, "outcome", None), (Outcome, np.ndarray)):
        raise TypeError(f"result must be a handik Result, got {shortened(result)}")
    most = whole_number("most", most)
    if result.problem is None or result.targets is None:
        raise ArgumentError("this result does not know what was solved: it was made by hand")
    if isinstance(result.outcome, Outcome):
        return _one(result, result.problem, result.targets)
    return _batch(result, most)


def _batch(result: Result, most: int) -> str:
    lines = [result.message]
    bad = result.outcome != Outcome.CONVERGED
    places = [*np.argwhere(bad), *np.argwhere(~bad)]
    for place in places[: max(0, most)]:
        at = tuple(int(i) for i in place)
        lines.append(f"[{', '.join(map(str, at))}] {explain(result[at])}")
    if len(places) > most:
        lines.append(f"... and {len(places) - max(0, most)} more")
    return "\n".join(lines)


def _one(result: Result, problem: Problem, target: Array) -> str:
    if result.outcome is Outcome.INVALID:
        return f"No usable target: {_unusable(problem, target)}."
    if result.outcome is Outcome.CANCELLED:
        return SENTENCES[Outcome.CANCELLED]
    said = [_ending(result), *_goals(result, problem, target), *_joints(problem, result.q)]
    if getattr(result, "jumps", False):
        move = float(getattr(result, "moves", 0.0))
        said.append(f"it jumped: the largest joint move was {_amount(problem, move)}")
    return "; ".join(said) + "."


# -- how it ended -------------------------------------------------------------------------------


def _ending(result: Result) -> str:
    n = int(result.iterations)
    count = f"{n} iteration{'' if n == 1 else 's'} of {result.solver}{_way(result.method)}"
    if result.n_restarts:
        r = int(result.n_restarts)
        count += f" with {r} perturbation{'' if r == 1 else 's'} or restart{'' if r == 1 else 's'}"
    match result.outcome:
        case Outcome.CONVERGED:
            return f"Converged after {count}"
        case Outcome.UNREACHABLE:
            return f"Out of reach: the closest pose found in {count}"
        case Outcome.STALLED:
            return f"Stalled after {count}, without proof that the target is out of reach"
        case Outcome.LEAST_SQUARES:
            return (
                f"Not converged, at a least-squares minimum after {count}: no small move lowers "
                "the error, and nothing is proved of poses farther away"
            )
        case Outcome.MAX_ITER:
            return f"Stopped by the cap after {count}"
        case Outcome.TIME_LIMIT:
            return f"Stopped by the time limit after {count}"
        case _:
            return (
                f"Diverged after {count}: a number ran out of range, and q is the nearest pose met "
                "before, if only the start"
            )


def _way(method: Method | None) -> str:
    """Which of the solver's methods it was, in brackets; nothing where its name says it."""
    if method is None or method in (Method.NONE, Method.ITERATION):
        return ""
    summary: str = _core.table("methods")[method][1]
    return f" ({summary.partition(',')[0]})"


def _unusable(problem: Problem, target: Array) -> str:
    bad = [
        f"{name} is {value}"
        for name, value in zip(problem.columns, target.tolist(), strict=True)
        if not np.isfinite(value)
    ]
    if bad:
        return ", ".join(bad)
    return "a quaternion or direction has no length"


# -- the goals ----------------------------------------------------------------------------------


def _goals(result: Result, problem: Problem, target: Array) -> list[str]:
    told = problem.evaluate(target, result.q)
    floors = problem.distance_lower_bound(target)
    points = points_of(problem, target)
    said = []
    parts = _parts(problem, target)
    for k, term in enumerate(problem.terms):
        name = _name(problem, term)
        distance, angle = float(told.distance[k]), float(told.angle[k])
        if isinstance(term, Posture | Damping):
            said.append(f"{name} is {_posture(distance, angle)}")
            continue
        if told.terms_met[k]:
            said.append(f"{name} meets its goal{_left(distance, angle)}")
            continue
        blocked = term._blocked(problem.model, result.q)
        if blocked is not None:
            said.append(f"{name} is {blocked}")
            continue
        if term.kind not in _PLAIN:
            rows = Problem(problem.model, [term]).residual(parts[k], result.q) / term.weight
            said.append(f"{name} is {_missed(problem, term, rows, distance, angle)}")
            continue
        missed = []
        if distance > 0:
            gap = _gap(problem, term, points[k], parts[k], result.q)
            missed.append(f"{_length(distance)} short of its target{_towards(gap)}")
        if angle > 0:
            missed.append(f"{_degrees(angle)} off its orientation")
        said.append(f"{name} is " + (" and ".join(missed) or "not at its goal"))
        if floors[k] > 0:
            said[-1] += (
                f", out of reach by at least {_length(floors[k])} by the lengths of its links alone"
            )
            if floors[k] > _MILLIMETERS * problem.model.max_reach:
                said[-1] += " (lengths are meters: is the target in millimeters?)"
    return said


#: How many times its reach a target is away before the unit of length is asked about.
_MILLIMETERS = 100

#: Terms whose name adds nothing to that of their frame.
_PLAIN = frozenset({"position", "orientation", "pose", "axis", "reach"})


def _name(problem: Problem, term: Term) -> str:
    """Say what a term is about."""
    if not term.of_a_frame:
        return "the center of mass" if isinstance(term, CenterOfMass) else "the model"
    frame = _frame(problem, term)
    if isinstance(term, Pair):
        return f"{frame} ({term.kind} to {term.other or 'the world'})"
    if isinstance(term, Position) and _is_part(term):
        by = f" of {term.relative_to}" if term.relative_to is not None else ""
        along = ", ".join(axes_of(term.axes, term.weights)[0])
        return f"{frame} (along {along}{by})"
    return f"{frame}" if term.kind in _PLAIN else f"{frame} ({term.kind.replace('_', ' ')})"


def _posture(distance: float, angle: float) -> str:
    """How far a soft term leaves the model from its posture."""
    far = [_degrees(angle)] if angle > 0 else []
    far += [_length(distance)] if distance > 0 else []
    if not far:
        return "at the posture it is drawn to"
    return f"drawn to a posture, from which its farthest joint is {' and '.join(far)} away"


def _missed(problem: Problem, term: Term, rows: Array, distance: float, angle: float) -> str:
    """By how much, and in which direction, a term is missed, from its residual."""
    if isinstance(term, Distance):
        return f"{_length(distance)} {'too far' if rows[0] > 0 else 'too near'}"
    if isinstance(term, Level):
        wanted = f"{degrees(term.angle):.4g} deg it shall keep to its direction"
        return f"{_degrees(angle)} {'over' if rows[0] > 0 else 'under'} the {wanted}"
    if isinstance(term, SelfCollision):
        pairs = apart(problem.model, term.capsules) if term.pairs is None else list(term.pairs)
        worst = int(np.argmin(rows))
        one, two = (term.capsules[i].frame for i in pairs[worst])
        touching = int(np.sum(rows < 0))
        count = "" if touching == 1 else f", the worst of {touching} pairs"
        return f"{_length(distance)} short of its gap between {one} and {two}{count}"
    if isinstance(term, LookAt):
        return f"{_degrees(angle)} off its line of sight; it shall turn{_towards(-rows)}"
    missed = []
    if distance > 0:
        way = -np.append(rows, 0.0) if len(rows) == 2 else -rows[:3]
        missed.append(f"{_length(distance)} short of its target{_towards(way)}")
    if angle > 0:
        missed.append(f"{_degrees(angle)} off its orientation")
    return " and ".join(missed) or "not at its goal"


def _parts(problem: Problem, target: Array) -> list[Array]:
    """Return the columns of each term."""
    widths = [len(t._column_names(problem.model, _frame(problem, t))) for t in problem.terms]
    return np.split(target, np.cumsum(widths)[:-1])


def _left(distance: float, angle: float) -> str:
    parts = [_length(distance)] if distance > 0 else []
    parts += [_degrees(angle)] if angle > 0 else []
    return f" ({' and '.join(parts)} left)" if parts else ""


def points_of(problem: Problem, target: Array) -> list[Array | None]:
    """Return the point that each term's frame shall be at, meters; None where it has none.

    Parameters
    ----------
    problem : Problem
        What is to be met.
    target : ndarray, shape (problem.width,)
        One row of targets.

    Returns
    -------
    list of ndarray (3,) or None
        Meters; one for each term.

    Examples
    --------
    >>> import numpy as np
    >>> import handik as hk
    >>> problem = hk.Problem(hk.chain([1.0]), hk.Position())
    >>> points_of(problem, np.array([1.0, 0.0, 0.0]))
    [array([1., 0., 0.])]
    """
    of_class("problem", problem, Problem)
    target = reals(target, "target", (problem.width,), finite=False)
    found: list[Array | None] = []
    start = 0
    for term in problem.terms:
        own = term._column_names(problem.model, _frame(problem, term))
        takes = [column.rpartition(".")[2] for column in own[:3]] == ["x", "y", "z"]
        takes = takes and term.kind in _PLAIN and not _is_part(term)
        found.append(target[start : start + 3] if takes else None)
        start += len(own)
    return found


def _frame(problem: Problem, term: Term) -> str | None:
    return term.frame if term.frame is not None else problem.model.tip


def _is_part(term: Term) -> bool:
    """Tell positions along some axes, or by another frame."""
    return isinstance(term, Position) and (str(term.axes) != "xyz" or bool(term.relative_to))


def _gap(
    problem: Problem, term: Term, point: Array | None, target: Array, q: Array
) -> Array | None:
    """From the term's frame to its point, or to the nearest of its line or plane."""
    if isinstance(term, Position) and _is_part(term):
        _, axes, weights = axes_of(term.axes, term.weights)
        missed = Problem(problem.model, [term]).residual(target, q) / (weights * term.weight)
        if term.relative_to is not None:
            axes = axes @ np.asarray(problem.model.fk(q, frame=term.relative_to))[:3, :3].T
        return -np.asarray(missed) @ axes
    if point is None:
        return None
    gap: Array = point - np.asarray(problem.model.fk(q, frame=_frame(problem, term)))[:3, 3]
    return gap


def _towards(gap: Array | None) -> str:
    if gap is None:
        return ""
    size = float(np.linalg.norm(gap))
    if not size > 0:
        return ""
    along = ", ".join(f"{x:.2f}" for x in np.round(gap / size, 2) + 0.0)
    return f" along ({along})"


# -- the joints ---------------------------------------------------------------------------------


def _joints(problem: Problem, q: Array) -> list[str]:
    """Limits that the pose stands on, and those that are near."""
    model = problem.model
    every = limits(model)
    inside = margins(model, q)
    moving = _moving(problem)
    told: list[tuple[float, str]] = []
    for limit, room in zip(every, inside.tolist(), strict=True):
        if moving is not None and limit.coordinate not in moving:
            continue
        if room <= TOUCH:
            edge = "on the edge of" if limit.kind in _EDGES else "at"
            told.append((0.0, f"{limit.joint} is {edge} its {_limit(limit)}{_led(model, limit)}"))
        elif room <= NEAR[0 if limit.angle else 1]:
            told.append((room, f"{limit.joint} is {limit.amount(room)} inside its {_limit(limit)}"))
    told.sort(key=lambda pair: pair[0])
    said = [text for _, text in told[:MOST_JOINTS]]
    if len(told) > MOST_JOINTS:
        said.append(f"{len(told) - MOST_JOINTS} more limits are as near")
    return said


#: Limits that are regions of the sphere, and what they are called.
_EDGES = {"cone": "swing cone", "polygon": "reach polygon"}


def _led(model: Model, limit: Limit) -> str:
    """Tell the joints that follow one at its limit: they can go no farther either."""
    joint = limit.joint.partition("[")[0]
    led = [
        name.partition("_by_")[0]
        for name, above in zip(model.joint_names, model.joint_mimic, strict=True)
        if above >= 0 and model.joint_names[above] == joint
    ]
    names = list(dict.fromkeys(led))
    return f", which {' and '.join(names)} follow{'s' * (len(names) == 1)}" if names else ""


def _limit(limit: Limit) -> str:
    if limit.kind in _EDGES:
        return _EDGES[limit.kind]
    if np.isnan(limit.at):
        return f"{limit.kind} limit for this swing"
    return f"{limit.kind} limit ({limit.amount(limit.at)})"


def _moving(problem: Problem) -> set[int] | None:
    """Coordinates above the frames of the goals; None: all may matter."""
    model, found = problem.model, set()
    for term in problem.terms:
        if term.kind not in _PLAIN:
            return None
        frames = [
            _frame(problem, term),
            *([term.relative_to] if isinstance(term, Position) else []),
        ]
        if frames[0] is None:
            return None
        for frame in filter(None, frames):
            step = int(model.frame_step[model.frame_names.index(frame)])
            while step >= 0:
                found.add(int(model.step_q[step]))
                step = int(model.step_parent[step])
    return found


# -- numbers for people -------------------------------------------------------------------------


def _length(value: float) -> str:
    return f"{value:.3g} m" if value >= 1 else f"{_short(1e3 * value)} mm"


def _degrees(value: float) -> str:
    return f"{_short(degrees(value))} deg"


def _short(value: float) -> str:
    """One decimal where that says something, else two digits."""
    return f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def _amount(problem: Problem, value: float) -> str:
    """Write the largest joint move, which may be that of a slide where there is one."""
    slides = bool(np.any(problem.model.step_kind == 1))
    return f"{value:.3g} rad or m" if slides else _degrees(value)
