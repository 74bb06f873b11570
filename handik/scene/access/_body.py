"""What of a figure is compared with itself when it reaches."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from handik.people import Human
from handik.scene.check import Figure, as_figure

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["figure_for", "steps_above"]

_SIDES = ("right", "left")


def steps_above(model: Model, frame: str) -> set[int]:
    """Return the steps that carry a frame."""
    out, step = set(), int(model.frame_step[model.frame_names.index(frame)])
    while step >= 0:
        out.add(step)
        step = int(model.step_parent[step])
    return out


@lru_cache(maxsize=16)
def _arm_against_rest(person: Human, frame: str) -> Figure:
    """Return a person whose reaching forearm and hand are compared with the rest of the body.

    The capsules of a trunk that bends and of the thighs of one who sits lie in each other.
    """
    whole, model = as_figure(person), person.model
    way = steps_above(model, frame)
    sides = [side for side in _SIDES if steps_above(model, f"ulna_{side}") <= way]
    if not sides:
        return Figure(model, whole.capsules, pairs=[], names=whole.names)
    ulna, arm = steps_above(model, f"ulna_{sides[0]}"), steps_above(model, f"upper_arm_{sides[0]}")
    carried = [steps_above(model, capsule.frame) for capsule in whole.capsules]
    hand = [k for k, steps in enumerate(carried) if steps >= ulna]
    rest = [k for k, steps in enumerate(carried) if not steps >= arm]
    pairs = [(a, b) for a in hand for b in rest]
    return Figure(model, whole.capsules, pairs=pairs, names=whole.names)


def figure_for(figure: Human | Model | Figure, frame: str) -> Figure:
    """Return the figure that is measured when a frame reaches."""
    return _arm_against_rest(figure, frame) if isinstance(figure, Human) else as_figure(figure)
