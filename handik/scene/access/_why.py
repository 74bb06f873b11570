"""Why a target is out of reach, in words, and the cheapest changes that would bring it in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import degrees
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import HandikError
from handik.scene.access._body import steps_above
from handik.scene.access._inside import GIVES_WAY
from handik.scene.access._witness import BALL, witness

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.access._verdict import Reach

__all__ = ["Change", "changes", "words"]

Array = NDArray[np.float64]

#: A coordinate so near to its limit is on it; a step of a difference; halvings of a search.
AT_LIMIT, STEP, HALVINGS = 1e-3, 1e-6, 7


@dataclass(frozen=True)
class Change:
    """A change that makes a target reachable; it was solved again with it.

    Attributes
    ----------
    kind : {"nearer", "lower", "higher", "limit"}
        The target moved straight to where the frame comes, or straight down or up; or the limit of
        a joint moved out.
    joint : str or None
        Of a limit.
    amount : float
        Meters; for the limit of a joint that turns, radians.
    turns : bool
        Whether it is radians.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.5, 0.4])
    >>> hk.access.reach(arm, None, [0.8, 0.6, 0]).changes[0].kind
    'nearer'
    """

    kind: str
    joint: str | None
    amount: float
    turns: bool = False

    def __str__(self) -> str:
        if self.kind != "limit":
            return f"the target {1e3 * self.amount:.0f} mm {self.kind}"
        if self.turns:
            return f"{degrees(self.amount):.1f} degrees more of {self.joint}"
        return f"{1e3 * self.amount:.0f} mm more of {self.joint}"


@dataclass(frozen=True)
class Limit:
    """A coordinate on its limit, by which the frame would come nearer."""

    joint: str
    upper: bool
    gain: float
    turns: bool


def limits_met(model: Model, q: Array, frame: str, target: Array) -> list[Limit]:
    """Return the limits that hold the frame back at q, the most gainful first."""
    tip = model.fk(q, frame=frame)[:3, 3]
    way = target - tip
    way = way / max(float(np.linalg.norm(way)), 1e-12)
    out = []
    kinds = dict(zip(model.joint_names, model.joint_kinds, strict=True))
    for name, part in model.joint_q_slices.items():
        k, kind = part.start, kinds[name]
        if part.stop - k != 1 or kind not in ("revolute", "prismatic"):
            continue
        for upper, bound in ((False, model.lower[k]), (True, model.upper[k])):
            if not abs(q[k] - bound) < AT_LIMIT:
                continue
            moved = q.copy()
            moved[k] += STEP if upper else -STEP
            gain = float((model.fk(moved, frame=frame)[:3, 3] - tip) @ way) / STEP
            if gain > 0.02:
                out.append(Limit(name, upper, gain, kind == "revolute"))
    return sorted(out, key=lambda limit: -limit.gain)


def _least(works: Callable[[float], bool], first: float, most: float) -> float | None:
    """Return the least amount that works, to a hundredth of it; None: none up to `most` does."""
    high, low = first, 0.0
    while not works(high):
        low, high = high, 1.5 * high
        if high > most:
            return None
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if works(middle):
            high = middle
        else:
            low = middle
    return high


def _found(reach: Reach, model: Model, target: Array) -> bool:
    """Whether a posture is found; with a scene a free one."""
    return witness(reach._asked, model, reach.frame, target, reach.q) is not None


def _widened(model: Model, limit: Limit, more: float) -> Model | None:
    k = model.joint_q_slices[limit.joint].start
    low, high = float(model.lower[k]), float(model.upper[k])
    pair = (low, high + more) if limit.upper else (low - more, high)
    try:
        return model.with_limits({limit.joint: pair})
    except HandikError:  # a limit that others are tied to
        return None


def _by_limit(reach: Reach, limit: Limit, short: float) -> Change | None:
    def works(more: float) -> bool:
        model = _widened(reach._asked.model, limit, more)
        return model is not None and _found(reach, model, reach.target)

    most = np.pi / 2 if limit.turns else 4 * short
    more = _least(works, 0.9 * short / limit.gain, float(most))
    return None if more is None else Change("limit", limit.joint, more, limit.turns)


def changes(reach: Reach) -> tuple[Change, ...]:
    """Return the changes that were tried and make it a yes, the least move of the target first."""
    if reach.verdict == "yes" or not np.isfinite(reach.short[1]):
        return ()
    model, short = reach._asked.model, reach.short[1]
    tip = model.fk(reach.q, frame=reach.frame)[:3, 3]
    way = (tip - reach.target) / max(float(np.linalg.norm(tip - reach.target)), 1e-12)
    out = []

    def moved(direction: Array, kind: str, first: float) -> None:
        amount = _least(
            lambda s: _found(reach, model, reach.target + s * direction), first, 8 * short
        )
        if amount is not None:
            out.append(Change(kind, None, amount))

    moved(way, "nearer", 0.95 * short)
    if abs(way[2]) > 0.15:
        up = np.array([0, 0, np.sign(way[2])])
        moved(up, "higher" if way[2] > 0 else "lower", 0.9 * short)
    for limit in limits_met(model, reach.q, reach.frame, reach.target)[:2]:
        change = _by_limit(reach, limit, short)
        if change is not None:
            out.append(change)
    return tuple(out)


def _obstacles(blocked: dict[str, int], tries: int) -> str:
    first = ", ".join(f"{name} ({count} of {tries})" for name, count in list(blocked.items())[:3])
    return f"postures that reach touch {first}"


def _held(reach: Reach) -> str:
    model = reach._asked.model
    met = limits_met(model, reach.q, reach.frame, reach.target)
    if not met:
        balls = any(model.step_kind[step] == BALL for step in steps_above(model, reach.frame))
        return "the chain is too short" + (", or a ball's cone ends" if balls else "")
    first = met[0]
    k = model.joint_q_slices[first.joint].start
    bound = float((model.upper if first.upper else model.lower)[k])
    said = f"{degrees(bound):.0f} degrees" if first.turns else f"{1e3 * bound:.0f} mm"
    return f"{first.joint} is at its {'upper' if first.upper else 'lower'} limit of {said}"


def words(reach: Reach) -> str:
    """Return the verdict's reasons as a sentence or two."""
    low, high = (1e3 * x for x in reach.short)
    if reach.verdict == "yes":
        return f"{reach.frame} reaches the target" + (
            f"; found at try {reach.tries}" if reach.tries else ""
        )
    parts: list[Any] = []
    if reach._inside is not None:
        name, depth = reach._inside
        parts.append(
            f"the target lies {1e3 * depth:.0f} mm deep in {name}: a no even if everything gave "
            f"way by {1e3 * GIVES_WAY:.0f} mm"
        )
    elif reach.verdict == "no":
        parts.append(f"{reach.frame} stays short by {low:.0f} to {high:.0f} mm: {_held(reach)}")
    elif reach.tries:
        parts.append(f"no free posture was found: {_obstacles(reach.blocked, reach.tries)}")
    else:
        parts.append(
            f"neither a posture nor a proof was found; the nearest posture is {high:.1f} mm short"
        )
    if reach.changes:
        parts.append("it would do: " + ", or ".join(str(change) for change in reach.changes))
    return "; ".join(parts)
