"""Discomfort of a posture by joint displacement, and the posture that has the least of it.

The measure is that of Yang, Marler, Kim, Arora and Abdel-Malek (2004): weighted squares of how far
each joint is from neutral as a share of its range, and penalties near its limits. The formula, its
trust and what was corrected are in docs/discomfort.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.model import Model
from handik.people._least import least, ranges
from handik.problem import Problem
from handik.problem.terms import Posture
from handik.spec._given import finite_number, is_model, known_name, number, points_of, reals

__all__ = [
    "G",
    "JointDisplacement",
    "least",
    "published_weights",
]

Array = NDArray[np.float64]

#: The published scale between displacement and the penalties at the limits.
G = 1e6
#: Published weights: spine, clavicle, arm.
_SPINE, _CLAVICLE, _ARM = 1e4, 1e8, 1.0
_OF_SPINE = ("pelvis_tilt", "trunk_", "neck_", "spine")
#: How far neutral is from the limits, as a share of the range: the penalty is 5e-12 there, that of
#: an arm's joint which is 0.2 % of its range off. (At 0.15 it is that of one 74 % off.)
_NEUTRAL = 0.2
_OF_CLAVICLE = ("clavicle", "scapula")


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


def published_weights(model: Model) -> dict[str, float]:
    """Return the published weights of joint displacement by joint.

    Parameters
    ----------
    model : Model

    Returns
    -------
    dict of str to float
        1e4 for joints of pelvis, trunk, spine and neck, 1e8 for clavicle and scapula, 1 for all
        others, told by the names that `handik.people.human` gives.

    Raises
    ------
    TypeError
        When it is no model.

    Notes
    -----
    Published for a spine of 12, clavicles of 2 and an arm of 7 coordinates. That neck and pelvis
    weigh as the spine, and hands and legs as the arm, is an assumption.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.people.discomfort import published_weights
    >>> published_weights(hk.chain([1.0]))
    {'joint_1': 1.0}
    """
    is_model(model)
    found = {}
    for name in model.joint_q_slices:
        level = name[:1] in "LTC" and name[1:2].isdigit()
        plain = name.startswith(_OF_SPINE)
        weight = _SPINE if level or plain else _ARM
        found[name] = _CLAVICLE if name.startswith(_OF_CLAVICLE) else weight
    return found


class JointDisplacement:
    """Discomfort as distance from neutral, joint by joint, and nearness to limits.

    Parameters
    ----------
    model : Model
    neutral : array_like, shape (nq,), optional
        The posture without discomfort; if not given that of the model's joints
        (`JointSpec.neutral`, else their rest), hinges drawn in to 0.2 of their range from each
        limit, for no posture at a limit is without penalty. A person of `handik.people.human` is at
        ease as she rests, elbows bent by 80 degrees: an assumption.
    weights : mapping of joint name to float, optional
        `published_weights` where nothing is said.

    Attributes
    ----------
    model : Model
    neutral : ndarray, shape (nq,)
    weights : dict of str to float

    Raises
    ------
    NotFoundError
        When there is no such joint.
    ArgumentError
        When a weight is negative or not finite, or `neutral` has the wrong shape.
    TypeError
        When it is no model.

    Notes
    -----
    ``f = (1/G) sum(w d^2 + G QU + G QL)``, d the displacement over the range, G = 1e6,
    ``QU = (0.5 sin(5 (upper - q) / range + 1.571) + 0.5)^100``, QL likewise: 1 at a limit, 0.002 a
    tenth of the range from it. Printed is + 1 for + 0.5, which gives 4e17 and contradicts the text
    beside it. Of a ball the displacement is the rotation from neutral in three coordinates, over
    twice its widest swing, and about the bone over its range of twist (where the bone lies along an
    axis of the joint), and there is no penalty: its limits bound it. A joint without limits has a
    range of 2 pi and no penalty.

    References
    ----------
    Yang, Marler, Kim, Arora, Abdel-Malek 2004; formula and weights as in Abdel-Malek and Arora,
    Human Motion Simulation (2013), ch. 3.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.people.discomfort import JointDisplacement
    >>> arm = hk.chain([0.3, 0.3], lower=-1.0, upper=1.0)
    >>> round(1e6 * float(JointDisplacement(arm).score([0.2, 0.0])), 6)
    0.01
    """

    def __init__(
        self,
        model: Model,
        neutral: ArrayLike | None = None,
        weights: Mapping[str, float] | None = None,
    ) -> None:
        is_model(model)
        self.model = model
        own = _drawn_in(model) if neutral is None else neutral
        self.neutral = points_of(own, "neutral", (model.nq,))
        self.weights = published_weights(model)
        if weights is not None:
            if not isinstance(weights, Mapping):
                raise TypeError(f"weights must be a mapping of joint names, got {weights!r}")
            for name, weight in weights.items():
                known_name("joint", name, self.weights)
                value = number(f"the weight of {name!r}", weight)
                if not 0 <= value < inf:
                    raise ArgumentError(f"the weight of {name!r} is finite and not below 0")
                self.weights[name] = value
        self._of, self._range, self._at = ranges(model)
        own = np.array([self.weights[name] for name in self._of])
        self._pull = np.sqrt(own) / self._range  # by coordinate of v
        self._problem = Problem(model, [Posture(target=self.neutral, weights=self._pull)])
        self._targets = np.empty(0)

    def __repr__(self) -> str:
        return f"JointDisplacement({self.model.name}, {len(self.weights)} joints)"

    def _near(self, q: Array) -> tuple[Array, Array]:
        """How near hinges are to their limits, 0 to 1 by coordinate of v, and its derivative."""
        at = np.where(self._at >= 0, self._at, 0)
        has = self._at >= 0
        low, high, value = self.model.lower[at], self.model.upper[at], q[..., at]
        out, slope = np.zeros(value.shape), np.zeros(value.shape)
        for end, sign in ((high, -1.0), (low, 1.0)):
            with np.errstate(invalid="ignore"):
                u = 5 * sign * (value - end) / self._range + 1.571
                base = 0.5 * np.sin(u) + 0.5
                here = has & np.isfinite(end)
                out += np.where(here, base**100, 0.0)
                rise = 100 * base**99 * 0.5 * np.cos(u) * 5 * sign / self._range
                slope += np.where(here, rise, 0.0)
        return out, slope

    def parts(self, q: ArrayLike) -> dict[str, Any]:
        """Return the discomfort of each joint; their sum is the score.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Postures.

        Returns
        -------
        dict of str to float or ndarray, shape (...)

        Raises
        ------
        ArgumentError
            When the shape is wrong or a number not finite.
        """
        q = reals(q, "q", (self.model.nq,))
        shape = q.shape[:-1]
        e = self._problem.residual(np.broadcast_to(self._targets, (*shape, 0)), q)
        own = e**2 / G + self._near(q)[0]
        names = np.array(self._of)
        return {name: own[..., names == name].sum(axis=-1) for name in dict.fromkeys(self._of)}

    def score(self, q: ArrayLike) -> Any:
        """Return the discomfort of postures.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Postures.

        Returns
        -------
        float or ndarray, shape (...)
            0 in neutral, to 5e-12 a joint; 1 and more where a joint is at a limit.

        Raises
        ------
        ArgumentError
            When the shape is wrong or a number not finite.
        """
        return sum(self.parts(q).values())

    def gradient(self, q: ArrayLike) -> Array:
        """Return the derivative of the score by the coordinates of motion.

        Parameters
        ----------
        q : array_like, shape (..., nq)
            Postures.

        Returns
        -------
        ndarray, shape (..., nv)

        Raises
        ------
        ArgumentError
            When the shape is wrong or a number not finite.
        """
        q = reals(q, "q", (self.model.nq,))
        targets = np.broadcast_to(self._targets, (*q.shape[:-1], 0))
        e, J = self._problem.residual(targets, q), self._problem.jacobian(targets, q)
        slope: Array = np.einsum("...ij,...i->...j", J, 2 * e / G) + self._near(q)[1]
        return slope

    def term(self, weight: float = 1.0) -> Posture:
        """Return the displacement as a soft term for every solver, without the penalties.

        Parameters
        ----------
        weight : float
            Against other soft terms of its level.

        Returns
        -------
        Posture
            Weighted so that its squared residual is ``sum(w d^2)`` over the largest weight.

        Raises
        ------
        ArgumentError, TypeError
            When the weight is not a number.
        """
        most = max(self.weights.values(), default=1.0) or 1.0
        own = self._pull / np.sqrt(most)
        return Posture(target=self.neutral, weights=own, weight=finite_number("weight", weight))


def _drawn_in(model: Model) -> Array:
    """Return where the joints are at ease, hinges away from their limits."""
    q = model.rest.copy()
    for joint in model._spec.joints:
        if joint.neutral is not None and joint.name in model.joint_q_slices:
            q[model.joint_q_slices[joint.name]] = joint.neutral
    _, wide, place = ranges(model)
    has = place >= 0
    at, inside = place[has], _NEUTRAL * wide[has]
    low, high = model.lower[at], model.upper[at]
    known = np.isfinite(low) & np.isfinite(high)
    drawn = np.clip(q[at], low + inside, high - inside)
    q[at] = np.where(known, drawn, q[at])
    return np.asarray(model.clip(q))
