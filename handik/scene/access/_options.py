"""What more is asked of a posture than that the hand is there."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isfinite, nan, pi, radians
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.model.dynamics.statics import strength_share
from handik.people import Human
from handik.people.effort import Effort
from handik.people.gaze import FIELD
from handik.spec._given import choice, finite_number, flag, reals

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.access._question import Question

__all__ = ["ACTIONS", "EYE", "HALF_ANGLE", "NONE", "VIEW", "Options", "greatest", "options_of"]

Array = NDArray[np.float64]

#: Radians about the axis that count as along it, where nothing is said: assumed.
HALF_ANGLE = radians(30)
ACTIONS = ("reach", "press", "pull", "turn")
#: The eye of a person, which looks along its x; how far from straight ahead it sees.
EYE, VIEW = "eye", FIELD
#: Of a person the fingers point along -z of hand and grip; of other models Model.solve's default.
FINGERS, TOOL = np.array([0.0, 0.0, -1.0]), np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Options:
    """What narrows a yes. Each is looked at by itself, on the posture."""

    action: str
    axis: Array | None  # in the world, of unit length
    half_angle: float
    tool_axis: Array  # in the frame
    turn: float  # radians about the axis, right-handed
    force: float  # newtons, of a turn newton meters
    limits: Array | None  # of torque (2, nv); None: not asked
    sight: bool
    path: bool
    holds: tuple[str, ...]
    also: tuple[tuple[str, Array], ...] = ()  # frames and where they are to be at the same time

    @property
    def none(self) -> bool:
        """Whether nothing more is asked than the place, among obstacles or not."""
        plain = self.axis is None and self.limits is None and not self.also and not self.holds
        return plain and not (self.sight or self.path)

    def off_axis(self, pose: Array) -> float:
        """Return the angle between the axis asked for and the frame's, radians."""
        if self.axis is None:
            return 0.0
        own = pose[:3, :3] @ self.tool_axis
        return float(np.arctan2(np.linalg.norm(np.cross(own, self.axis)), own @ self.axis))

    def shares(self, model: Model, frame: str, q: Array) -> Array:
        """Return what each coordinate of v gives of its strength to hold body and force."""
        load = self._wrench()
        loads = {name: load for name in (frame, *(name for name, _ in self.also))}
        return strength_share(model, q, loads, self.limits)

    def _wrench(self) -> Array:
        """Return what acts on the hand, world axes."""
        out = np.zeros(6)
        if self.axis is None or self.force == 0:
            return out
        if self.action == "turn":
            out[3:] = -np.copysign(self.force, self.turn) * self.axis
        else:  # who presses is pressed back, who pulls is pulled on
            out[:3] = (self.force if self.action == "pull" else -self.force) * self.axis
        return out


NONE = Options("reach", None, HALF_ANGLE, TOOL, 0.0, 0.0, None, False, False, ())


def _angle(name: str, value: Any, most: float) -> float:
    found = finite_number(name, value)
    if not 0 <= found <= most:
        raise ArgumentError(f"{name} must be 0 to {most:.4g} rad, got {found:g}")
    return found


def _unit(name: str, value: ArrayLike) -> Array:
    rows = reals(value, name, (3,))
    large = np.abs(rows).max(axis=-1, keepdims=True, initial=0.0)
    if not np.all((large > 1e-9) & (large < 1e9)):
        raise ArgumentError(f"{name} has no direction")
    size = np.linalg.norm(rows, axis=-1, keepdims=True)
    out: Array = rows / size
    return out


def _limits_of(figure: Any, model: Model, strength: Any) -> Array:
    """Return the torques that joints can give; of a person what an impairment left of them."""
    impaired = figure.impaired if isinstance(figure, Human) else None
    effort = Effort(model, strength, impaired=impaired)
    if not np.isfinite(effort.limits).any():
        raise ArgumentError(
            "no joint has a limit of torque to take a share of: give strength=, newton meters by "
            "joint"
        )
    return np.asarray(effort.limits, float)


def options_of(
    figure: Any, model: Model, question: Question, axis: ArrayLike | None
) -> tuple[Options, Array | None]:
    """Return the options, checked, and the axes of all targets."""
    action = choice("action", question.action, ACTIONS)
    along = None if axis is None else _unit("axis", axis)
    if action != "reach" and along is None:
        raise ArgumentError(f"{action} has a direction: give axis=, in the world")
    turned = 0.0 if question.turn is None else finite_number("turn", question.turn)
    if (action == "turn") != (turned != 0.0):
        raise ArgumentError('turn= is how far a knob is turned, radians, with action="turn"')
    if abs(turned) > 2 * pi:
        raise ArgumentError(f"turn must be a whole turn at most, got {turned:g} rad")
    load = 0.0 if question.force is None else finite_number("force", question.force)
    if not 0 <= load < 1e6:
        raise ArgumentError(f"force must be 0 or more and below 1e6, got {load:g}")
    if load and action == "reach":
        raise ArgumentError('force= is what is pressed, pulled or turned with: say action="press"')
    person = isinstance(figure, Human) or "grip_right" in model.frame_names
    own = FINGERS if person else TOOL
    if question.tool_axis is not None:
        own = _unit("tool_axis", question.tool_axis)
    if own.ndim != 1:
        raise ArgumentError(f"tool_axis must have shape (3,), got {own.shape}")
    seen = flag("sight", question.sight)
    if seen and EYE not in model.frame_names:
        raise ArgumentError(f"sight needs a frame {EYE!r} that looks along its x")
    strength = question.strength
    limits = None if strength is None and not load else _limits_of(figure, model, strength)
    made = Options(
        action,
        None,
        _angle("half_angle", question.half_angle, pi),
        own,
        turned,
        load,
        limits,
        seen,
        flag("path", question.path),
        (),
    )
    return made, along


def greatest(shares: Array) -> float:
    """Return the greatest share; NaN of none, infinite where there is no strength at all."""
    known = shares[~np.isnan(shares)]
    if not len(known):
        return nan
    most = float(known.max())
    return most if isfinite(most) else inf
