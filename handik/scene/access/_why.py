"""Why a target is out of reach, in words, and the cheapest changes that would bring it in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil, degrees, floor, log10, radians
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import HandikError
from handik.model._places import steps_above
from handik.scene.access._held import held_by
from handik.scene.access._inside import GIVES_WAY
from handik.scene.access._said import CHANGES, SAY, reason
from handik.scene.access._touch import with_hands
from handik.scene.access._witness import BALL, witness
from handik.spec._given import choice

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.access._verdict import Asked, Reach

__all__ = ["Change", "bound_in_words", "changes", "held", "why_not", "words"]

Array = NDArray[np.float64]

#: A coordinate so near to its limit is on it; a step of a difference; halvings of a search.
AT_LIMIT, STEP, HALVINGS = 1e-3, 1e-6, 7
#: What is printed of a length and of an angle; figures of a load. Amounts are whole multiples.
MILLIMETER, TENTH, FIGURES = 1e-3, radians(0.1), 3
#: Starts for a change of a question with options.
TRIES = 8
OTHER = {"grip_right": "grip_left", "middle_tip_right": "middle_tip_left"}
OTHER |= {other: name for name, other in OTHER.items()}


@dataclass(frozen=True)
class Change:
    """A change that makes a target reachable; it was solved again with it.

    Attributes
    ----------
    kind : {"nearer", "lower", "higher", "limit", "hand", "angle", "force"}
        The target moved straight to where the frame comes, or straight down or up; the limit of a
        joint moved out; the other hand; the half angle about the axis wider, or the force smaller,
        by so much.
    joint : str or None
        Of a limit.
    amount : float
        Meters, whole millimeters; for the limit of a joint that turns and for the half angle,
        radians, tenths of a degree; for the force newtons, of a knob newton meters, to three
        figures. What is printed does.
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
        return self.tell("en")

    def tell(self, language: str = "en") -> str:
        """Return it in words.

        Parameters
        ----------
        language : {"en", "fr"}

        Returns
        -------
        str

        Raises
        ------
        ArgumentError
            When the language is none of these.
        """
        choice("language", language, ("en", "fr"))
        kind = "turn" if self.kind == "limit" and self.turns else self.kind
        length, angle = f"{1e3 * self.amount:.0f} mm", degrees(self.amount)
        return CHANGES[language][kind].format(
            length=length, angle=angle, load=float(self.amount), joint=self.joint
        )


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


def _up(amount: float, unit: float) -> float:
    """Return an amount rounded up to what is printed of it; unit 0: of a load."""
    step = unit or 10.0 ** (floor(log10(amount)) - FIGURES + 1)
    return ceil(amount / step - 1e-9) * step


def _least(
    works: Callable[..., bool], first: float, most: float, unit: float = MILLIMETER
) -> float | None:
    """Return the least amount that works, to a hundredth of it, rounded up as it is printed.

    None: none up to `most` does. It is looked for without a path, which takes seconds each time,
    and then asked with all, as it is printed.
    """
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
    high = _up(high, unit)
    return high if works(high, whole=True) else None


def _found(reach: Reach, model: Model, target: Array, whole: bool = True, **changed: Any) -> bool:
    """Whether a posture is found; with a scene a free one. Whole: with the path, where asked."""
    asked = reach._asked
    if not whole:
        changed["path"] = False
    own = _few(replace(asked, options=replace(asked.options, **changed), brief=True))
    return witness(own, model, reach.frame, target, reach.q) is not None


def _few(asked: Asked) -> Asked:
    """Return the question with fewer starts where each takes long: a change need only be found."""
    return asked if asked.options.none else replace(asked, tries=min(asked.tries, TRIES))


def _widened(model: Model, limit: Limit, more: float) -> Model | None:
    k = model.joint_q_slices[limit.joint].start
    low, high = float(model.lower[k]), float(model.upper[k])
    pair = (low, high + more) if limit.upper else (low - more, high)
    try:
        return model.with_limits({limit.joint: pair})
    except HandikError:  # a limit that others are tied to
        return None


def _by_limit(reach: Reach, limit: Limit, short: float) -> Change | None:
    def works(more: float, whole: bool = False) -> bool:
        model = _widened(reach._asked.model, limit, more)
        return model is not None and _found(reach, model, reach.target, whole)

    most = np.pi / 2 if limit.turns else 4 * short
    unit = TENTH if limit.turns else MILLIMETER
    more = _least(works, 0.9 * short / limit.gain, float(most), unit)
    return None if more is None else Change("limit", limit.joint, more, limit.turns)


def _narrowed_by(reach: Reach) -> list[Change]:
    """Return the options that, made weaker by so little, make it a yes."""
    asked, options, out = reach._asked, reach._asked.options, list[Change]()

    def works(whole: bool, **changed: Any) -> bool:
        return _found(reach, asked.model, reach.target, whole, **changed)

    if options.axis is not None and options.half_angle < np.pi - 1e-3:
        more = _least(
            lambda x, whole=False: works(
                whole, half_angle=min(options.half_angle + x, float(np.pi))
            ),
            0.1,
            float(np.pi) - options.half_angle,
            TENTH,
        )
        if more is not None:
            out.append(Change("angle", None, more, True))
    if options.force > 0:
        less = _least(
            lambda x, whole=False: works(whole, force=max(options.force - x, 0.0)),
            0.2 * options.force,
            options.force,
            0.0,
        )
        if less is not None:
            out.append(Change("force", None, min(less, options.force)))
    return out


def _other_hand(reach: Reach) -> list[Change]:
    name, asked = OTHER.get(reach.frame), reach._asked
    if name is None or reach._either or asked.options.also or name not in asked.model.frame_names:
        return []
    own = with_hands(asked, [name])
    if asked.held is not None:
        scene, held = held_by(asked.held.scene, own.figure, (name,), asked.options.holds)
        own = replace(own, scene=scene, held=held)
    found = witness(replace(own, brief=True), asked.model, name, reach.target, reach.q)
    return [] if found is None else [Change("hand", name, 0.0)]


def changes(reach: Reach) -> tuple[Change, ...]:
    """Return the changes that were tried and make it a yes, the least move of the target first."""
    if reach.verdict == "yes" or reach._anywhere:
        return ()
    out = _other_hand(reach)
    if reach.verdict != "no" or reach._point is not None:
        out = [*_narrowed_by(reach), *out]
    there = reach.short[1] <= reach._asked.tolerance  # the place is not what lacks
    if there or not np.isfinite(reach.short[1]) or reach._asked.options.also:
        return tuple(out)
    model, short = reach._asked.model, reach.short[1]
    tip = model.fk(reach.q, frame=reach.frame)[:3, 3]
    way = (tip - reach.target) / max(float(np.linalg.norm(tip - reach.target)), 1e-12)
    moves = []

    def moved(direction: Array, kind: str, first: float) -> None:
        amount = _least(
            lambda s, whole=False: _found(reach, model, reach.target + s * direction, whole),
            first,
            8 * short,
        )
        if amount is not None:
            moves.append(Change(kind, None, amount))

    moved(way, "nearer", 0.95 * short)
    if abs(way[2]) > 0.15:
        up = np.array([0, 0, np.sign(way[2])])
        moved(up, "higher" if way[2] > 0 else "lower", 0.9 * short)
    for limit in limits_met(model, reach.q, reach.frame, reach.target)[:2]:
        change = _by_limit(reach, limit, short)
        if change is not None:
            moves.append(change)
    return (*moves, *out)


def held(reach: Reach) -> tuple[str, str, float, bool]:
    """Return what holds the frame back: its word in `SAY`, the joint, its limit, if it turns."""
    model = reach._asked.model
    met = limits_met(model, reach.q, reach.frame, reach.target)
    if not met:
        balls = any(model.step_kind[step] == BALL for step in steps_above(model, reach.frame))
        return "cone" if balls else "chain", "", 0.0, False
    first = met[0]
    k = model.joint_q_slices[first.joint].start
    bound = float((model.upper if first.upper else model.lower)[k])
    return "upper" if first.upper else "lower", first.joint, bound, first.turns


def bound_in_words(bound: float, turns: bool, say: dict[str, str]) -> str:
    """Return the limit of a joint in words."""
    return say["degrees"].format(degrees(bound)) if turns else f"{1e3 * bound:.0f} mm"


def _held(reach: Reach, say: dict[str, str]) -> str:
    kind, joint, bound, turns = held(reach)
    if kind in ("chain", "cone"):
        return say["chain"] + (say["cone"] if kind == "cone" else "")
    return say[kind].format(joint=joint, bound=bound_in_words(bound, turns, say))


def _yes(reach: Reach, say: dict[str, str]) -> str:
    frames = say["and"].join([reach.frame, *reach.also])
    parts = [say["both" if reach.also else "yes"].format(frame=frames)]
    if reach.tries:
        parts[0] += say["try"].format(tries=reach.tries)
    if reach.holds:
        held = ", ".join(reach.holds)
        parts.append(say["holds"].format(node=held, depth=1e3 * reach.overlap))
    if not np.isnan(reach.strength):
        parts.append(say["strength"].format(share=100 * reach.strength))
    if reach.path is not None:
        parts.append(say["path"])
    if reach.stop is not None:
        x, y, heading = reach.stop.pose
        side = say[reach.stop.side]
        parts.append(say["stop"].format(x=x, y=y, heading=degrees(heading), side=side))
    return "; ".join(parts)


def why_not(reach: Reach, say: dict[str, str]) -> str:
    """Return the reasons of a no."""
    if reach._anywhere:
        low, high = (1e3 * x for x in reach.short)
        key = "nowhere by" if np.isfinite(high) else "nowhere"
        return say[key].format(frame=reach.frame, low=low, high=high)
    if reach._inside is not None:
        name, depth = reach._inside
        return say["inside"].format(depth=1e3 * depth, node=name, way=1e3 * GIVES_WAY)
    if reach._enclosed is not None:
        text = say["no way" if reach._arm else "enclosed"].format(
            nodes=say["and"].join(reach._enclosed)
        )
        return text + (say["gives"].format(way=1e3 * reach.gives) if reach.gives > 0 else "")
    if reach._point is not None:
        half = degrees(reach._asked.options.half_angle)
        return say["axis"].format(frame=reach.frame, half=half)
    low, high = (1e3 * x for x in reach.short)
    if not np.isfinite(high):
        return say["least"].format(frame=reach.frame, low=low)
    return say["no"].format(frame=reach.frame, low=low, high=high, limit=_held(reach, say))


def words(reach: Reach, language: str) -> str:
    """Return the verdict's reasons as a sentence or two."""
    say = SAY[language]
    if reach.verdict == "yes":
        return _yes(reach, say)
    if reach.verdict == "no":
        parts = [why_not(reach, say)]
    elif reach.tries:
        first = ", ".join(
            f"{reason(name, language)} ({say['of'].format(count, reach.tries)})"
            for name, count in list(reach.blocked.items())[:3]
        )
        pathless = all(name.startswith("no path: ") for name in reach.blocked)
        parts = [say["pathless" if pathless else "blocked"].format(reasons=first)]
    elif np.isfinite(reach.short[1]):
        parts = [say["unknown"].format(high=1e3 * reach.short[1])]
    else:
        parts = [say["none"]]
    if reach.changes:
        ways = say["or"].join(change.tell(language) for change in reach.changes)
        parts.append(say["would"].format(ways=ways))
    return "; ".join(parts)
