"""What a hand is to hold: its contact with that is no collision, up to a depth."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import name_not_found
from handik.model._places import steps_above
from handik.scene.access._inside import GIVES_WAY
from handik.scene.check import Figure
from handik.scene.check.measure import distance, proves
from handik.scene.contents import FloorPlan, Target
from handik.spec._given import list_of, text

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene import Scene

__all__ = ["Held", "held_by", "holder_of", "is_target", "names_held", "parts_of_hand", "tagged"]

Array = NDArray[np.float64]

#: Meters that a hand goes between postures in which its overlap along a path is looked at; such
#: postures of an edge at most.
SEEN, MOST = 2e-3, 50_000
#: Words of nodes whose targets are pressed, by a fingertip.
PRESSED = ("switch", "button")


class Some:
    """Some of a scene's obstacles, for what is measured."""

    def __init__(self, obstacles: tuple[Any, ...]) -> None:
        self._obstacles = obstacles

    def obstacles(self) -> tuple[Any, ...]:
        """Return them."""
        return self._obstacles


def _below(name: str, path: str) -> bool:
    """Tell whether an obstacle is of a node or of what hangs on it; a plan's walls are its own."""
    return name == path or name.startswith(path + "/")


def parts_of_hand(figure: Figure, model: Model, frame: str) -> list[int]:
    """Return the capsules that a frame's body carries: of a hand its fingers too."""
    own = steps_above(model, frame)
    return [
        k for k, one in enumerate(figure.capsules) if own and own <= steps_above(model, one.frame)
    ]


@dataclass(frozen=True, eq=False)
class Held:
    """What is held, as it is measured: hands may overlap it by `GIVES_WAY`, all else not at all."""

    names: tuple[str, ...]
    scene: Scene  # with it
    some: Any
    hand: Figure
    others: Figure

    def touched(self, q: Array) -> list[str | None]:
        """Return for each posture what is in contact that may not be."""
        out: list[str | None] = []
        near = distance(self.some, self.others, q, cutoff=0.0, details=True)
        deep = distance(self.some, self.hand, q, cutoff=0.0, details=True)
        for k in range(len(q)):
            if not (near.distance[k] > 0 or near.other[k] is None):
                out.append(f"{near.other[k]} with {near.part[k]}")
            elif deep.distance[k] < -GIVES_WAY and deep.other[k] is not None:
                out.append(f"{deep.other[k]} too deep with {deep.part[k]}")
            else:
                out.append(None)
        return out

    def clear_along(self, q: Array) -> bool:
        """Tell whether it is clear along edges (n, nq) but for hands that close about it.

        All but the hands is proved to be. The hands are looked at every `SEEN`: they overlap it by
        no more than they may, and once in contact they keep it to the end: none goes through.
        """
        found = proves(self.some, self.others, q[:-1], q[1:])
        if not np.all(found.outcome == "free"):
            return False
        depth = [self._along(a, b) for a, b in pairwise(q)]
        if any(one is None for one in depth):
            return False
        whole = np.concatenate([one for one in depth if one is not None])
        lost = (whole[:-1] < 0) & (whole[1:] >= 0)
        return bool(np.all(whole >= -GIVES_WAY) and not lost.any())

    def _along(self, a: Array, b: Array) -> Array | None:
        """Return the distance of the hands on an edge, every `SEEN`; None: it is too long."""
        model, count = self.hand.model, 16
        way = model.difference(a, b)
        for _ in range(8):
            share = np.linspace(0, 1, count + 1)[:, None]
            rows = model.integrate(np.tile(a, (count + 1, 1)), share * way)
            step = self._greatest_step(rows)
            if step <= SEEN:
                return np.asarray(distance(self.some, self.hand, rows, cutoff=0.0))
            count = min(int(np.ceil(1.1 * count * step / SEEN)), MOST)
        return None

    def _greatest_step(self, q: Array) -> float:
        """Return how far an end of a capsule of the hands goes from one posture to the next."""
        most = 0.0
        for capsule in self.hand.capsules:
            pose = self.hand.model.fk(q, frame=capsule.frame)
            for end in (capsule.start, capsule.end):
                at = pose[:, :3, :3] @ np.asarray(end, float) + pose[:, :3, 3]
                most = max(most, float(np.linalg.norm(np.diff(at, axis=0), axis=1).max()))
        return most

    def overlap(self, q: Array) -> float:
        """Return by how much a hand overlaps what it holds, meters; 0: it only comes near."""
        found = distance(self.some, self.hand, q[None], cutoff=0.0, details=True)
        return max(0.0, -float(found.distance[0])) if found.other[0] is not None else 0.0


def held_by(
    scene: Scene, figure: Figure, frames: tuple[str, ...], names: tuple[str, ...]
) -> tuple[Scene, Held]:
    """Return the scene without what is held, and what is held."""
    kept = tuple(one for one in scene.obstacles() if any(_below(one.name, name) for name in names))
    free = scene
    for name in names:
        for path in [name, *(p for p in scene if p.startswith(name + "/"))]:
            if scene[path].solid:
                free = free.with_look(path, solid=False)
    model = figure.model
    hand = {k for frame in frames for k in parts_of_hand(figure, model, frame)}
    caps = list(enumerate(figure.capsules))

    def some_of(mine: bool) -> Figure:
        rows = [k for k, _ in caps if (k in hand) == mine]
        parts = [figure.capsules[k] for k in rows]
        return Figure(model, parts, pairs=[], names=[figure.names[k] for k in rows])

    return free, Held(names, scene, Some(kept), some_of(True), some_of(False))


def holder_of(scene: Scene, path: str) -> tuple[str, ...]:
    """Return the node that a target belongs to, where that itself is an obstacle.

    A group is none: a target of a room would have the hand hold its walls.
    """
    above = path.rpartition("/")[0]
    mine = above and any(one.name == above for one in scene.obstacles())
    return (above,) if mine and not isinstance(scene[above].content, FloorPlan) else ()


def names_held(scene: Scene, holds: Any) -> tuple[str, ...]:
    """Return the nodes that are to be held, checked."""
    given = [holds] if isinstance(holds, str) else list_of("holds", holds)
    names = tuple(text("holds", name) for name in given)
    for name in names:
        if name not in scene.find():
            raise name_not_found("node", name, scene.find())
    return names


def is_target(scene: Scene, path: str) -> bool:
    """Tell whether a node is a target."""
    return isinstance(scene[path].content, Target)


def tagged(scene: Scene, path: str) -> bool:
    """Tell whether a node, or one above it, is called a switch or a button."""
    names = path.split("/")
    above = [scene["/".join(names[: k + 1])].tags for k in range(len(names))]
    return any(word in tags for tags in above for word in PRESSED)
