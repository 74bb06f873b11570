"""What `reach` is asked beside who, where and what: each option, its default and its bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any

from handik.errors import ArgumentError
from handik.scene.access._options import HALF_ANGLE
from handik.spec._given import choice, number, whole_number

if TYPE_CHECKING:
    from handik.scene.access.chairs import Chair

__all__ = ["HANDS", "Question"]

HANDS = ("right", "left", "either", "both")


@dataclass(frozen=True, eq=False, kw_only=True)
class Question:
    """The options of `reach`, as its docstring has them. Who asks many people makes one for all.

    The defaults of `reach`, `share` and `sweep` are those here. What needs the figure or the scene
    to be looked at is looked at where these are known.
    """

    hand: str = "right"
    frame: str | None = None
    touch: bool | None = None
    action: str = "reach"
    axis: Any = None
    half_angle: float = HALF_ANGLE
    tool_axis: Any = None
    turn: float | None = None
    force: float | None = None
    strength: Mapping[str, Any] | None = None
    holds: str | Sequence[str] | None = None
    sight: bool = False
    path: bool = False
    approach: Chair | None = None
    start: Sequence[float | None] | None = None
    tolerance: float = 1e-3
    within: float = 2e-3
    tries: int = 32
    budget: int = 200_000
    time_limit: float | None = None
    seed: int = 0
    threads: int = 1

    def __post_init__(self) -> None:
        choice("hand", self.hand, HANDS)
        tolerance, within = number("tolerance", self.tolerance), number("within", self.within)
        if not 1e-6 <= tolerance < inf:
            raise ArgumentError(f"tolerance must be 1e-6 or more, got {tolerance:g}")
        if not within >= 1e-5:
            raise ArgumentError(f"within must be 1e-5 or more, got {within:g}")
        seconds = None if self.time_limit is None else number("time_limit", self.time_limit)
        if seconds is not None and not 0 < seconds < inf:
            raise ArgumentError(f"time_limit must be above 0, got {seconds:g}")
        if self.start is not None and self.approach is None:
            raise ArgumentError("start= is where the chair of approach= comes from")
        checked = {
            "tolerance": tolerance,
            "within": within,
            "time_limit": seconds,
            "tries": whole_number("tries", self.tries, 10**6),
            "budget": max(whole_number("budget", self.budget), 1),
            "seed": whole_number("seed", self.seed),
            "threads": whole_number("threads", self.threads),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
