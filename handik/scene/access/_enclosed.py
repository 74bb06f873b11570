"""A hand for which there is no room: whichever way it points, it is in contact."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.model._places import steps_above
from handik.scene.access._inside import GIVES_WAY, slack_of
from handik.scene.check import compiled

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.access._verdict import Asked
    from handik.scene.check import Figure

__all__ = [
    "Enclosed",
    "balls_of_hand",
    "enclosed",
    "gives_in",
    "named",
    "room_gives",
    "world_asked",
]

Array = NDArray[np.float64]

#: Cells of the search; most proofs take some hundred.
CELLS = 20_000
#: Meters by which all may give way: what is tried.
LEVELS = (0.05, 0.02, 0.01, 0.005, 0.002, 0.001)
#: A capsule is balls on its axis, half a radius apart or less; of a thin one so many.
MOST = 9
#: What a search says.
BLOCKED = 0


class Enclosed(NamedTuple):
    """That there is no room: what is in the way, what closes most turns first; cells looked at."""

    names: tuple[str, ...]
    cells: int


@lru_cache(maxsize=16)
def balls_of_hand(figure: Figure, model: Model, frame: str) -> Array:
    """Return balls (n, 4) of the capsules that are fixed to a frame: from its origin, z its axis.

    The axis leads to the middle of them, so that the roll about it moves them little.
    """
    own, pose = steps_above(model, frame), np.linalg.inv(model.fk(model.rest, frame=frame))
    rows = [np.zeros((0, 4))]
    for capsule in figure.capsules:
        if steps_above(model, capsule.frame) != own:
            continue
        there = pose @ model.fk(model.rest, frame=capsule.frame)
        a, b = (
            there[:3, :3] @ np.asarray(end, float) + there[:3, 3]
            for end in (capsule.start, capsule.end)
        )
        length, radius = float(np.linalg.norm(b - a)), capsule.radius
        count = min(MOST, 1 + ceil(2 * length / radius)) if radius > 0 else MOST
        share = np.linspace(0, 1, count if length > 0 else 1)[:, None]
        at = a + share * (b - a)
        rows.append(np.column_stack([at, np.full(len(at), radius)]))
    balls = np.concatenate(rows)
    turn = _towards(balls[:, :3].mean(axis=0)) if len(balls) else np.eye(3)
    return np.column_stack([balls[:, :3] @ turn.T, balls[:, 3]])


def _towards(way: Array) -> Array:
    """Return the rows of a right-handed frame whose z points along a way."""
    length = float(np.linalg.norm(way))
    if not length > 1e-9:
        return np.eye(3)
    z = way / length
    x = np.cross(z, np.eye(3)[int(np.argmin(np.abs(z)))])
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z])


def world_asked(asked: Asked, held: float) -> tuple[object, tuple[str, ...], Array]:
    """Return the world, its names, and by how much each gives; what is held by so much more."""
    scene = asked.scene if asked.held is None else asked.held.scene
    world = compiled(scene, asked.figure)
    give = slack_of(scene, world.names)
    if asked.held is not None:
        mine = [
            any(name == one or name.startswith(one + "/") for one in asked.held.names)
            for name in world.names
        ]
        give = give + np.where(mine, held, 0.0)
    return world.world, world.names, give


def named(names: tuple[str, ...], used: NDArray[np.int64], cells: Any) -> Enclosed:
    """Return what is in the way, that which closed most cells first."""
    order = np.argsort(-used, kind="stable")
    return Enclosed(tuple(dict.fromkeys(names[k] for k in order if used[k])), int(cells))


def gives_in(proves: Callable[[float], bool]) -> float:
    """Return the greatest of the levels at which something is still proved, else 0."""
    return next((level for level in LEVELS if proves(level)), 0.0)


def enclosed(asked: Asked, frame: str, target: Array) -> Enclosed | None:
    """Return what leaves no room for the hand at a target; None: not proved."""
    world, names, give = world_asked(asked, GIVES_WAY)
    balls = balls_of_hand(asked.figure, asked.model, frame)
    if not len(balls):
        return None
    budget = min(asked.budget, CELLS)
    outcome, cells, _, used = _core._hand_prove(world, give, balls, target, asked.tolerance, budget)
    return named(names, used, cells) if outcome == BLOCKED else None


def room_gives(asked: Asked, frame: str, target: Array) -> float:
    """Return by how much all may give way and there is still no room: see `Reach.gives`."""
    world, _, give = world_asked(asked, GIVES_WAY)
    balls = balls_of_hand(asked.figure, asked.model, frame)

    def proves(level: float) -> bool:
        found = _core._hand_prove(
            world, give + level, balls, target, asked.tolerance, min(asked.budget, CELLS)
        )
        return bool(found[0] == BLOCKED)

    return gives_in(proves)
