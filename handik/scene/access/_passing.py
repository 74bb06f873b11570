"""Whether a wheelchair can get from one place to another, or turn: proof, witness, or undecided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError
from handik.scene.access._drive import clear, drive, fewer, manoeuvres
from handik.scene.access._rooms_of import differs, inside, plan_outlines, segments
from handik.scene.access._section import HEIGHTS, band_of
from handik.scene.access.chairs import Chair
from handik.scene.document import Scene
from handik.spec._given import finite_number, list_of, of_class, whole_number

__all__ = ["Passing", "passes", "turns"]

Array = NDArray[np.float64]
_WHOLE = 1 << 20  # units of a turn, as of HIK_PASS_WHOLE
_BINS = 12  # parts of a turn that `turns` looks at one by one
OPEN = 0.5  # meters around the room in which a chair is clear of it
_NO_LEAF = np.empty((0, 9))


@dataclass(frozen=True, eq=False)
class Passing:
    """Whether a chair gets there, and what shows it. `passes` and `turns` make it.

    Attributes
    ----------
    verdict : {"yes", "no", "undecided"}
        ``"yes"``: `path` is a motion clear of the walls all along. ``"no"``: proved, whatever
        motion is made, sideways too. Else ``"undecided"``: every motion left leads through a
        place so narrow that poses less than the `least` asked for apart decide.
    path : ndarray (n, 3)
        x, y (meters) and heading (radians) of the axle; between rows all three change evenly.
        Empty without a witness. It is a motion, not a drive: it may go sideways.
    boxes : int
        Boxes of poses that were looked at.
    chair : Chair
    walls : ndarray (m, 4)
        Edges of what a yes is clear of.

    Examples
    --------
    >>> import handik as hk
    >>> walls = [[[2, -3], [2, -0.5]], [[2, 0.5], [2, 3]]]
    >>> found = hk.access.passes(hk.access.chair(), walls, (0, 0, 0), (4, 0, 0))
    >>> found.verdict, bool(found)
    ('yes', True)
    """

    verdict: str
    path: Array
    boxes: int
    chair: Chair = field(repr=False)
    walls: Array = field(repr=False)

    def __bool__(self) -> bool:
        """Whether the verdict is yes."""
        return self.verdict == "yes"

    @cached_property
    def drive(self) -> Array:
        """A drive along the path, (n, 3): the chair turns on the spot or rolls straight.

        Clear of the walls all along, which is proved; worked out when it is first asked for. Empty
        without a yes, where none was found, and of a scooter, which does not turn on the spot.
        """
        if not self or self.chair.kind == "scooter":
            return np.empty((0, 3))
        found = drive(self.chair.outline, self.walls, _NO_LEAF, self.path)
        if found is None:
            return np.empty((0, 3))
        return fewer(self.chair.outline, self.walls, found)

    @property
    def manoeuvres(self) -> int | None:
        """Of how many stretches `drive` is: turns on the spot, rolls on, rolls back; None without.

        It may be done in fewer: that a drive has the fewest is not proved.
        """
        return manoeuvres(self.drive) if len(self.drive) else None

    @cached_property
    def on_the_spot(self) -> bool:
        """Whether one turn about the axle will do: ends at one place, and a clear turn between.

        A scooter does not turn so.
        """
        if not self or self.chair.kind == "scooter":
            return False
        if np.abs(self.path[-1, :2] - self.path[0, :2]).max() > 1e-9:
            return False
        first, last = self.path[0], self.path[-1].copy()
        by = (last[2] - first[2]) % (2 * np.pi)
        for turn in (by, by - 2 * np.pi):  # one way round or the other
            last[2] = first[2] + turn
            piece = np.concatenate([first, last])
            if clear(self.chair.outline, self.walls, _NO_LEAF, [piece]):
                return True
        return False


def pose_of(name: str, value: Any) -> tuple[Array, float | None]:
    """Return a place and its heading, None for any."""
    given = list_of(name, value)
    if len(given) not in (2, 3):
        raise ArgumentError(f"{name} must be x, y and heading (None for any), got {len(given)}")
    x, y = (finite_number(f"{name}[{k}]", given[k]) for k in range(2))
    if max(abs(x), abs(y)) > 1e4:
        raise ArgumentError(f"{name} lies farther than 10 km from the origin")
    free = len(given) == 2 or given[2] is None
    return np.array([x, y]), None if free else finite_number(f"{name}[2]", given[2])


def span(place: Array, heading: float, wide: float) -> Array:
    """Return a place as the core takes it: headings in units, and how many on."""
    unit = _WHOLE / (2 * np.pi)
    return np.array([*place, heading % (2 * np.pi) * unit, wide * unit])


def witness(steps: NDArray[np.int32], place: Array) -> Array:
    """Return a motion through free boxes: through the middles of the faces they share."""
    low, high = steps[:, :3].astype(float), steps[:, 3:6].astype(float)
    turns, before = np.zeros(len(low)), (low[0, 2], high[0, 2])
    for k, (a, b) in enumerate(zip(low[1:, 2].tolist(), high[1:, 2].tolist(), strict=True), 1):
        near = [turns[k - 1] + _WHOLE * s for s in (0, -1, 1)]  # headings go round
        turns[k] = max(near, key=lambda s: min(b + s, before[1]) - max(a + s, before[0]))
        before = a + turns[k], b + turns[k]
    low[:, 2] += turns
    high[:, 2] += turns
    faces = (np.maximum(low[1:], low[:-1]) + np.minimum(high[1:], high[:-1])) / 2
    scale = np.array([*((place[0, 2:] - place[0, :2]) / _WHOLE), 2 * np.pi / _WHOLE])
    path = np.vstack([np.zeros((1, 3)), faces, np.zeros((1, 3))]) * scale
    path[:, :2] += place[0, :2]
    for end, (row, box) in enumerate(((0, 0), (-1, len(low) - 1))):
        x, y, first, wide = place[1 + end]
        whole = np.round(low[box, 2] / _WHOLE)
        shifts = first + _WHOLE * (whole + np.arange(-2, 3))  # whole turns
        common = np.minimum(shifts + wide, high[box, 2]) - np.maximum(shifts, low[box, 2])
        best = int(np.argmax(common))
        a, b = max(shifts[best], low[box, 2]), min(shifts[best] + wide, high[box, 2])
        path[row] = x, y, (a + b) / 2 * scale[2]
    return np.asarray(path, float)


def from_first_turn(path: Array) -> Array:
    """Return a motion whose first heading is from 0 to one turn, whole turns on."""
    path[:, 2] -= 2 * np.pi * np.floor(path[0, 2] / (2 * np.pi) + 1e-9)
    return path


def decided(
    chair: Chair,
    plan: list[Array],
    start: tuple[Array, float, float],
    goal: tuple[Array, float, float],
    least: float,
    most: int,
) -> Passing:
    """Decide between two places, each with its first heading and how far on they go."""
    wall, corner = segments(plan), chair.outline
    if inside(plan, start[0]) or inside(plan, goal[0]):
        return Passing("no", np.empty((0, 3)), 0, chair, wall)
    points = np.vstack([wall[:, :2], wall[:, 2:], start[0], goal[0]])
    room = float(np.hypot(*corner.T).max()) + OPEN
    low, high = points.min(0) - room, points.max(0) + room
    place = np.array([[*low, *high], span(*start), span(*goal)])
    outcome, boxes, steps, poses = _core._pass_decide(corner, wall, place, least, most)
    if outcome != 1:
        said = "no" if outcome == 0 else "undecided"
        return Passing(said, np.empty((0, 3)), boxes, chair, wall)
    path = poses if len(poses) else witness(steps, place)
    return Passing("yes", from_first_turn(path), boxes, chair, wall)


def checked(least: float, most: int) -> tuple[float, int]:
    fine, boxes = finite_number("least", least), whole_number("most", most)
    if not 1e-5 <= fine <= 1:
        raise ArgumentError(f"least must be 1e-05 to 1 m, got {fine:g}")
    if not 8 <= boxes <= 10_000_000:
        raise ArgumentError(f"most must be 8 to 10000000 boxes, got {boxes}")
    return fine, boxes


def plans(plan: Any, heights: Any) -> list[list[Array]]:
    """Return the walls a yes must be clear of and, where they differ, those a no may rest on."""
    band = band_of(heights)
    outer = plan_outlines(plan, band)
    if not (isinstance(plan, Scene) and differs(plan, band[0])):
        return [outer]
    return [outer, plan_outlines(plan, band, inner=True)]


def both(plans: list[list[Array]], decide: Callable[[list[Array]], Passing]) -> Passing:
    """Decide with polygons about round things, and for a no also with those inside them."""
    found = decide(plans[0])
    if len(plans) == 1 or found.verdict != "no" or decide(plans[1]).verdict == "no":
        return found
    return replace(found, verdict="undecided")


def passes(
    chair: Chair,
    plan: Any,
    start: ArrayLike | Sequence[float | None],
    goal: ArrayLike | Sequence[float | None],
    *,
    heights: tuple[float, float] = HEIGHTS,
    least: float = 0.0015,
    most: int = 300_000,
) -> Passing:
    """Tell whether a chair can get from one place to another among walls, by any motion at all.

    Parameters
    ----------
    chair : Chair
    plan : FloorPlan, Scene or sequence of array_like (n, 2)
        What stands in the way, meters: outlines, two points for a thin wall. Of a scene all that
        reaches into `heights`, as `outlines` has it. The room is open where no wall closes it.
    start, goal : (x, y, heading)
        Of the axle's middle; None for the heading, or none at all, is any.
    heights : (float, float)
        Of a scene: what is wholly below or above is no obstacle, meters. By default from the floor
        to 1.5 m: a table's top is in the way then, with no room for knees under it. What is tagged
        ``"threshold"`` and ends 50 mm or less above their lower end (assumed) is a wall for a yes
        and none for a no: whether a chair climbs it is not known here.
    least : float
        Meters: boxes of poses that differ by less are split no more.
    most : int
        Boxes of poses; one that needs more is undecided.

    Returns
    -------
    Passing

    Raises
    ------
    ArgumentError
        When a value is none of these, or a plane of the scene is no floor.

    Notes
    -----
    Round things of a scene are polygons: about them for a "yes", inside them for a "no".

    Poses are covered by a tree of boxes in (x, y, heading), split only along the way in doubt. A
    box is free when each wall has an axis that parts it from the outline in all its poses, and
    stuck when a wall touches the outline in all of them. "No" means that no chain of boxes that
    are not stuck leads to the goal. "Yes" is a chain of free boxes, or a motion through others
    whose straight pieces are each proved clear: it may be through a slot far below `least`.

    Examples
    --------
    >>> import handik as hk
    >>> chair = hk.access.chair("manual", width=0.65, length=1.2)
    >>> doors = [[[[2, -9], [2, -w / 2]], [[2, w / 2], [2, 9]]] for w in (0.7, 0.6)]
    >>> far = [[-2, -9], [6, -9], [6, 9], [-2, 9]]
    >>> for door in doors:
    ...     plan = [*door, *([far[k - 1], far[k]] for k in range(4))]
    ...     print(hk.access.passes(chair, plan, (0, 0, 0), (4, 0, None)).verdict)
    yes
    no
    """
    of_class("chair", chair, Chair)
    fine, boxes = checked(least, most)
    ends = []
    for name, value in (("start", start), ("goal", goal)):
        place, heading = pose_of(name, value)
        ends.append((place, heading or 0.0, 2 * np.pi if heading is None else 0.0))
    return both(plans(plan, heights), lambda w: decided(chair, w, ends[0], ends[1], fine, boxes))


def turns(
    chair: Chair,
    plan: Any,
    at: ArrayLike,
    *,
    angle: float = np.pi,
    heights: tuple[float, float] = HEIGHTS,
    least: float = 0.0015,
    most: int = 300_000,
) -> Passing:
    """Tell whether a chair can be turned: back to a place with another heading, by any motion.

    Parameters
    ----------
    chair : Chair
    plan : FloorPlan, Scene or sequence of array_like (n, 2)
        As of `passes`.
    at : (x, y, heading)
        Where the axle's middle is before and after; without a heading: from any heading in which
        the chair can be there.
    angle : float
        Radians, of either sign: the heading afterwards is that much on. Which way round the
        chair goes is left to it.
    heights : (float, float)
        As of `passes`.
    least, most : float, int
        As of `passes`; `most` holds for each of 12 parts of a turn when no heading is given.

    Returns
    -------
    Passing

    Raises
    ------
    ArgumentError
        As of `passes`.

    Notes
    -----
    Without a heading the headings are taken in 12 parts; "no" when each is proved.

    Examples
    --------
    >>> import handik as hk
    >>> chair = hk.access.chair("mid", width=0.65, length=1.2, axle=0.6)
    >>> for side in (1.5, 1.3):
    ...     room = [[0, 0], [side, 0], [side, side], [0, side]]
    ...     walls = [[room[k - 1], room[k]] for k in range(4)]
    ...     print(hk.access.turns(chair, walls, (side / 2, side / 2, 0)).verdict)
    yes
    no
    """
    of_class("chair", chair, Chair)
    fine, boxes = checked(least, most)
    place, heading = pose_of("at", at)
    by = finite_number("angle", angle)
    if heading is not None:
        first, last = (place, heading, 0.0), (place, heading + by, 0.0)
        return both(plans(plan, heights), lambda w: decided(chair, w, first, last, fine, boxes))
    return both(plans(plan, heights), lambda w: _turned_from_any(chair, w, place, by, fine, boxes))


def _turned_from_any(
    chair: Chair, walls: list[Array], place: Array, by: float, fine: float, boxes: int
) -> Passing:
    """Decide a turn from any heading, part by part."""
    wide, looked, sure = 2 * np.pi / _BINS, 0, True
    for k in range(_BINS):
        part = (place, k * wide, wide), (place, k * wide + by, wide)
        found = decided(chair, walls, *part, fine, boxes)
        looked += found.boxes
        if found.verdict == "no":
            continue
        sure = False  # one way from some heading of the part is no proof about the others
        if not found:
            continue
        begin = float(found.path[0, 2])
        found = decided(chair, walls, (place, begin, 0.0), (place, begin + by, 0.0), fine, boxes)
        looked += found.boxes
        if found:
            return replace(found, boxes=looked)
    said = "no" if sure else "undecided"
    return Passing(said, np.empty((0, 3)), looked, chair, segments(walls))
