"""Which hand, which strategy, which posture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.model import Model
from handik.people._least import least
from handik.people._luba import LubaScore
from handik.people._rating import Rating
from handik.people.discomfort import JointDisplacement
from handik.people.posture_scores import PostureScore
from handik.problem import Problem
from handik.problem.terms import Position, Term
from handik.solve import Solver
from handik.spec._given import flag, is_model, known_name, points_of, sequence, whole_number

__all__ = ["Prediction", "predict"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Prediction:
    """One way to reach a point.

    Attributes
    ----------
    frame : str
        With what: the hand.
    strategy : str
        By which strategy.
    q : ndarray, shape (nq,)
        The posture, of least discomfort where the point is reached, else the closest one found.
    reached : bool
    error : float
        What is left of the way, meters.
    discomfort : float
    parts : dict of str to float
        Discomfort by joint, the largest first.
    rating : PostureScore, LubaScore or None
        What `by` rates the posture.
    """

    frame: str
    strategy: str
    q: Array
    reached: bool
    error: float
    discomfort: float
    parts: dict[str, float]
    rating: PostureScore | LubaScore | None = None

    @property
    def reason(self) -> str:
        """Why it stands where it does among the others."""
        if not self.reached:
            return f"{1e3 * self.error:.0f} mm short"
        total = sum(self.parts.values())
        if self.rating is not None:
            method = getattr(self.rating, "method", "LUBA")
            return f"{method} {self.rating.score:g}, discomfort {self.discomfort:.3g}"
        if total <= 0:
            return "no discomfort"
        first = [name for name in self.parts][:2]
        shares = ", ".join(f"{100 * self.parts[name] / total:.0f} % {name}" for name in first)
        return f"discomfort {self.discomfort:.3g}: {shares}"

    def __str__(self) -> str:
        return f"{self.frame}, {self.strategy}: {self.reason}"


def predict(
    model: Model,
    target: ArrayLike,
    *,
    frames: Sequence[str] | str | None = None,
    strategies: Mapping[str, Mapping[str, Any]] | None = None,
    discomfort: JointDisplacement | None = None,
    terms: Iterable[Term] = (),
    q0: ArrayLike | None = None,
    retries: int = 1,
    polish: bool = True,
    by: Rating | None = None,
) -> tuple[Prediction, ...]:
    """Predict how a person reaches a point: with which hand, by which strategy, in which posture.

    Parameters
    ----------
    model : Model
    target : array_like, shape (3,)
        The point, meters.
    frames : str or sequence of str, optional
        What may reach it, such as both index tips; by default the model's tip, or, of
        `handik.people.human`, the index tips of both hands.
    strategies : mapping of str to mapping, optional
        Joints that each holds still and where, as `lock` takes them: ``{"arm alone":
        {"trunk_flexion": 0.0}, "arm and trunk": {}}``; by default one, with nothing held.
    discomfort : JointDisplacement, optional
        Of the model; by default with the published weights.
    terms : iterable of Term, optional
        What must hold besides, without targets: a `CenterOfMass` over the seat.
    q0 : array_like, shape (nq,), optional
        Where to start; the neutral posture of `discomfort` if not given.
    retries : int
        Further rounds of starts for an alternative that is not reached.
    polish : bool
        Lower the whole score, penalties included, after the soft term has done its part.
    by : Rating, optional
        RULA, REBA or LUBA of the person whose model it is: what is lowered and compared first, the
        discomfort where it is the same. Hands are frames whose names end in ``_right`` or
        ``_left``.

    Returns
    -------
    tuple of Prediction
        The best first: those that reach by rating and discomfort, then the others by what they
        lack. A strategy that holds fewer joints is never worse than one that holds these and more.

    Raises
    ------
    ArgumentError
        When the shape of a number is wrong, or nothing is there to reach with.
    NotFoundError
        When there is no such frame or joint.
    TypeError
        When `strategies` is no mapping, or `by` no Rating of this model.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.people import predict
    >>> arm = hk.chain([0.3, 0.3, 0.3], lower=-2.0, upper=2.0)
    >>> ways = predict(arm, [0.5, 0.3, 0.0], strategies={"all": {}, "two": {"joint_1": 0.0}})
    >>> [way.strategy for way in ways if way.reached]
    ['all', 'two']
    """
    is_model(model)
    point = points_of(target, "target", (3,))
    hands = _hands(model, frames)
    plans = _plans(strategies)
    what = JointDisplacement(model) if discomfort is None else discomfort
    if not isinstance(what, JointDisplacement) or what.model is not model:
        raise TypeError("discomfort must be a JointDisplacement of this model")
    extra = sequence("terms", terms, Term, "terms")
    start = what.neutral if q0 is None else points_of(q0, "q0", (model.nq,))
    rounds, lower = whole_number("retries", retries), flag("polish", polish)
    if by is not None and (not isinstance(by, Rating) or by.person.model is not model):
        raise TypeError("by must be a Rating of the person whose model this is")
    sides = {hand: None if by is None else _side(hand) for hand in hands}
    locked = {name: model.locked(lock) for name, lock in plans.items()}
    found: list[Prediction] = []
    for hand in hands:
        own: list[Prediction] = []
        for name in sorted(plans, key=lambda name: -len(plans[name])):  # narrower ones first
            goal = Problem(locked[name], [Position(frame=hand), *extra])
            asked = _Asked(goal, hand, name, point, what, by, sides[hand], lower)
            one = asked.one(start, rounds)
            for other in own:  # what joints that are held allow, free ones allow too
                if _rank(other) < _rank(one) and _same(locked[name].clip(other.q), other.q):
                    one = replace(asked, polish=lower and by is None).rated(other.q, other.reached)
            own.append(one)
        found += own
    order = list(plans)
    found.sort(key=lambda one: (order.index(one.strategy), hands.index(one.frame)))
    found.sort(key=_rank)
    return tuple(found)


def _plans(given: Mapping[str, Mapping[str, Any]] | None) -> Mapping[str, Mapping[str, Any]]:
    plans: Mapping[str, Mapping[str, Any]] = {"free": {}} if given is None else given
    if not isinstance(plans, Mapping) or not plans:
        raise TypeError(f"strategies must be a mapping of names to locks, got {given!r}")
    for name, lock in plans.items():
        if not isinstance(lock, Mapping):
            raise TypeError(f"strategies[{name!r}] must map joints to values, got {lock!r}")
    return plans


def _rank(one: Prediction) -> tuple[bool, float, float]:
    """Where an alternative stands: the least first."""
    if not one.reached:
        return True, one.error, 0.0
    return False, 0.0 if one.rating is None else float(one.rating.score), one.discomfort


def _same(a: Array, b: Array) -> bool:
    return bool(np.allclose(a, b, rtol=0.0, atol=1e-12))


def _hands(model: Model, frames: Sequence[str] | str | None) -> tuple[str, ...]:
    if frames is None:
        own = [f"index_tip_{side}" for side in ("right", "left")]
        tips: list[str | None] = [name for name in own if name in model.frame_names]
        tips = tips or [model.tip]
        if tips == [None]:
            raise ArgumentError("the model has several tips: name the frames that may reach")
        return tuple(str(name) for name in tips)
    hands = (frames,) if isinstance(frames, str) else sequence("frames", frames, str, "names")
    if not hands:
        raise ArgumentError("frames must name what may reach the point")
    return tuple(known_name("frame", hand, model.frame_names) for hand in hands)


def _side(hand: str) -> str:
    for side in ("right", "left"):
        if hand.endswith(f"_{side}"):
            return side
    raise ArgumentError(f"by= rates a side: the frame {hand!r} ends in neither _right nor _left")


@dataclass(frozen=True)
class _Asked:
    """A hand, a strategy, and what is lowered."""

    goal: Problem
    hand: str
    name: str
    point: Array
    what: JointDisplacement
    by: Rating | None
    side: str | None
    polish: bool

    def one(self, start: Array, retries: int) -> Prediction:
        held = self.goal.model
        both = Problem(held, [*self.goal.terms, self.what.term()])
        answer = Solver(retries=retries)(both, self.point, held.clip(start))
        return self.rated(answer.q, bool(answer.converged))

    def rated(self, q: Array, reached: bool) -> Prediction:
        """Return the alternative that begins from a posture."""
        if reached and self.goal.evaluate(self.point, q).met.all():
            if self.polish:
                q = least(self.goal, self.point, self.what, q)
            if self.by is not None and self.side is not None:
                q = self.by.lower(self.goal, self.point, q, side=self.side)
        place = self.goal.model.fk(q, frame=self.hand)[:3, 3]
        parts = sorted(self.what.parts(q).items(), key=lambda item: -item[1])
        return Prediction(
            self.hand,
            self.name,
            q,
            reached,
            float(np.linalg.norm(place - self.point)),
            float(self.what.score(q)),
            {name: float(x) for name, x in parts},
            None if self.by is None or self.side is None else self.by.rate(q, self.side),
        )
