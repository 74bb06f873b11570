"""All doors of a scene, from both sides: who opens them and gets through."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from handik.people import Human
from handik.scene.access._at_doors import Doorway
from handik.scene.access._drive import clear
from handik.scene.access._opening import Opening, opens
from handik.scene.access._passing import checked, plans
from handik.scene.access._reach_map import ReachMap, reach_map
from handik.scene.access._rooms_of import inside, segments
from handik.scene.access._section import HEIGHTS
from handik.scene.access._storeys import levels_of, lowered
from handik.scene.access.chairs import Chair
from handik.scene.access.doors import Door, hung, without
from handik.scene.document import Scene
from handik.spec._given import of_class

__all__ = ["AtDoor", "open_doors"]

Array = NDArray[np.float64]

#: Where a chair is put before a door: meters from its nearest end to the door's line, and to a
#: side; headings off the one to the door, half turns.
BEFORE, ASIDE = (0.5, 0.8, 0.3, 1.2, 0.1, 0.05), (0.0, 0.3, -0.3, 0.6, -0.6)
TURNED = (0.0, 0.5, -0.5, 0.25, -0.25, 1.0)
#: Meters: maps of reach serve for handles whose heights differ by less.
ALIKE = 0.004


@dataclass(frozen=True, eq=False)
class AtDoor:
    """A door of a scene asked from one side. `open_doors` makes it.

    Attributes
    ----------
    door : str
        Path of the door's node.
    doorway : str
        Path of the doorway in which it hangs.
    side : {"pull", "push", "front", "back"}
        Where the chair comes from: where the leaf swings to, or where it does not. Of a leaf that
        slides ``"front"`` is where the doorway's x points.
    start, goal : ndarray (3,) or None
        Poses of the axle before and behind the door; None where no place for the chair was found.
    found : Opening or None
        None without such places.

    Examples
    --------
    >>> import handik as hk
    >>> first = hk.access.open_doors(hk.access.chair(), hk.scene.gallery("flat"))[0]
    >>> first.door, first.doorway, first.side, first.verdict
    ('door 1', 'doorway 1', 'pull', 'yes')
    """

    door: str
    doorway: str
    side: str
    start: Array | None
    goal: Array | None
    found: Opening | None

    @property
    def verdict(self) -> str:
        """``"yes"``, ``"no"`` or ``"undecided"``."""
        return "undecided" if self.found is None else self.found.verdict

    @property
    def why(self) -> str:
        """What decides, as of `Opening`."""
        if self.found is not None:
            return self.found.why
        where = "behind" if self.goal is None else "before"
        return f"no place for the chair was found {where} the door"

    def __bool__(self) -> bool:
        """Whether the verdict is yes."""
        return self.verdict == "yes"


def _standing(chair: Chair, walls: list[Array], door: Door, away: Array) -> Array | None:
    """Return a pose of a chair before a shut door, looking at it if it may, clear of all."""
    edges, leaf = segments(walls), door._edges([(0.0, 0.0)] * door.leaves)
    across, middle = np.array([-away[1], away[0]]), door.ends.mean(0)
    for turn in TURNED:
        heading = float(np.arctan2(-away[1], -away[0])) + turn * np.pi
        c, s = np.cos(heading), np.sin(heading)
        corner = chair.outline @ np.array([[c, s], [-s, c]])
        base = middle - (corner @ away).min() * away - (corner @ across).mean() * across
        for far in BEFORE:
            for aside in ASIDE:
                pose = np.array([*(base + far * away + aside * across), heading])
                if inside(walls, pose[:2]):
                    continue
                if clear(chair.outline, edges, leaf, [np.concatenate([pose, pose])]):
                    return pose
    return None


def _sides(way: Doorway, door: Door) -> list[tuple[str, Array]]:
    """Return the sides of a door, each with the direction away from it."""
    if door.kind == "sliding":
        return [("front", way.front.along), ("back", -way.front.along)]
    return [("pull", door.pull), ("push", -door.pull)]


def _map(person: Human | None, door: Door, maps: dict[float, ReachMap]) -> ReachMap | None:
    """Return the map of reach at a door's handle."""
    if person is None:
        return None
    height = float(door.handle_height or 0)
    for known, one in maps.items():
        if abs(known - height) <= ALIKE:
            return one
    maps[height] = reach_map(person, height)
    return maps[height]


def open_doors(
    chair: Chair,
    scene: Scene,
    *,
    person: Human | None = None,
    strength: float | None = None,
    climbs: float | None = None,
    floor: float | str | None = None,
    heights: tuple[float, float] = HEIGHTS,
    least: float = 0.001,
    most: int = 60_000,
    progress: Callable[[int, int], object] | None = None,
) -> tuple[AtDoor, ...]:
    """Tell of each door of a scene whether a person in a chair gets through it, from both sides.

    Parameters
    ----------
    chair : Chair
    scene : Scene
        Its doors are those that `doors` reads: hinged, sliding and double.
    person : Human, optional
        Whose hands move the leaves, as of `opens`; without one the hand is not asked.
    strength, climbs : float, optional
        As of `opens`.
    floor : float or str, optional
        As of `check`: by default each door is asked on its own storey.
    heights : (float, float)
        As of `passes`, above the floor.
    least, most : float, int
        As of `opens`.
    progress : callable, optional
        Called with how many doors are done, and how many there are.

    Returns
    -------
    tuple of AtDoor
        Two a door, in the order of `doors`.

    Raises
    ------
    TypeError
        When an object is of another class, or `progress` cannot be called.
    ArgumentError
        When a value is none of these, or a plane of the scene is no floor.
    NotFoundError
        When there is no such storey.

    Notes
    -----
    The chair starts before the door, 0.05 to 1.2 m off and turned to it where there is room, else
    turned aside, and may have any heading at a place like that on the other side: a verdict is
    about the door, and says nothing of the way there. Other doors stand as they do in the scene.
    Handles whose heights differ by less than 4 mm share a map of reach.

    Examples
    --------
    >>> import handik as hk
    >>> flat, chair = hk.scene.gallery("flat"), hk.access.chair("manual")
    >>> [(one.side, one.verdict) for one in hk.access.open_doors(chair, flat)][:2]
    [('pull', 'yes'), ('push', 'yes')]
    """
    of_class("chair", chair, Chair)
    of_class("scene", scene, Scene)
    if person is not None:
        of_class("person", person, Human)
    checked(least, most)
    if progress is not None and not callable(progress):
        raise TypeError("progress must be a function of two numbers")
    levels = [lowered(scene, level) for level in levels_of(scene, floor)]
    found = [(one, path, *row) for one in levels for path, row in hung(one).items()]
    out: list[AtDoor] = []
    maps: dict[float, ReachMap] = {}
    for number, (storey, path, way, door) in enumerate(found, 1):
        walls = plans(without(storey, path), heights)[0]
        sides = _sides(way, door)
        poses = [_standing(chair, walls, door, away) for _, away in sides]
        for (side, _), start, goal in zip(sides, poses, poses[::-1], strict=True):
            said = None
            if start is not None and goal is not None:
                said = opens(
                    chair,
                    storey,
                    path,
                    start,
                    (*goal[:2], None),
                    person=_map(person, door, maps),
                    strength=strength,
                    climbs=climbs,
                    heights=heights,
                    least=least,
                    most=most,
                )
            out.append(AtDoor(path, way.path, side, start, goal, said))
        if progress is not None:
            progress(number, len(found))
    return tuple(out)
