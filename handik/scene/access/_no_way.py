"""An arm on a shoulder that stands still: no posture of it that reaches is free of obstacles."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.errors import UnsupportedError
from handik.scene.access._enclosed import Enclosed, gives_in, named, world_asked

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.access._verdict import Asked
    from handik.scene.check import Figure

__all__ = ["arm_of", "no_way", "way_gives"]

Array = NDArray[np.float64]

#: Cells of the search; a wall with an opening takes some thousand.
CELLS = 60_000
BLOCKED = 0


@lru_cache(maxsize=16)
def arm_of(model: Model, frame: str, figure: Figure) -> Any:
    """Return the arm with its bodies, compiled; None: it is no arm on a ball that stands still."""
    try:
        return _core._arm_chain(model, frame, figure._handle)
    except UnsupportedError:
        return None


def no_way(asked: Asked, frame: str, target: Array) -> Enclosed | None:
    """Return what is in the way of every posture that reaches a target; None: not proved.

    What the hand holds is in nobody's way.
    """
    arm = arm_of(asked.model, frame, asked.figure)
    if arm is None:
        return None
    world, names, give = world_asked(asked, np.inf)
    budget = min(asked.budget, CELLS)
    outcome, cells, _, used = _core._arm_prove(arm, world, give, target, asked.tolerance, budget)
    return named(names, used, cells) if outcome == BLOCKED and used.any() else None


def way_gives(asked: Asked, frame: str, target: Array) -> float:
    """Return by how much all may give way and it is still proved; see `Reach.gives`."""
    arm = arm_of(asked.model, frame, asked.figure)
    world, _, give = world_asked(asked, np.inf)

    def proves(level: float) -> bool:
        found = _core._arm_prove(
            arm, world, give + level, target, asked.tolerance, min(asked.budget, CELLS)
        )
        return bool(found[0] == BLOCKED)

    return gives_in(proves)
