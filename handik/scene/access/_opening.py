"""Whether a person in a chair gets through a door: opens it, goes through, shuts it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError, name_not_found
from handik.people import Human
from handik.scene.access._door_drive import GRIDS, searched
from handik.scene.access._door_witness import Asked, Grasp, drawn, witnessed
from handik.scene.access._hand import Hand, seated
from handik.scene.access._passing import both, checked, decided, plans, pose_of, span
from handik.scene.access._reach_map import ReachMap, reach_map
from handik.scene.access._rooms_of import segments
from handik.scene.access._section import HEIGHTS
from handik.scene.access.chairs import ON_FOOT, Chair
from handik.scene.access.doors import Door, hung, without
from handik.scene.document import Scene
from handik.spec._given import finite_number, flag, of_class

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Grasp", "Opening", "opens"]

Array = NDArray[np.float64]

#: Tries, one after the other: drives on a grid, or proofs with so many pieces of a leaf's opening
#: and boxes at most (`most` holds for all). The last two are for who asks for more than FEW.
FEW = 60_000
TRIES = (GRIDS[0], (8, FEW), GRIDS[1], GRIDS[2], (24, 10_000_000))
_NO_PATH = np.empty((0, 4))
AROUND = "a way was found that does not lead through the door"
#: Assumed: share of a leaf that keeps a hand from the hinge where no force is known; meters else.
FAR_FROM_HINGE, NEAREST = 0.3, 0.1
#: What is taken for granted, by what decides whether it plays a part.
TAKEN = {
    "hand": (
        "the hand takes the handle or the leaf's free edge, and pushes the leaf flat with the "
        "hand, all at the handle's height; it may change its place at any time; where force or "
        "strength is not known it stays 0.3 of the leaf from the hinge, else 0.1 m, but where the "
        "handle is nearer"
    ),
    "body": "neither body nor chair nor backrest stands in the arm's way, nor keeps the trunk back",
    "arm": "the arm goes straight from the shoulder at rest to the hand, not through walls",
    "seat": "the feet stand at the front end of the outline, the hips in its middle line",
    "drive": "the chair is driven while a hand is on the leaf, and stands while the leaf moves",
    "leaf": "what stands in the room does not stop the leaf, nor does the chair push it",
    "closer": "a leaf let go that rests on the chair slides along it",
}


@dataclass(frozen=True, eq=False)
class Opening:
    """Whether a person in a chair gets through a door, and what shows it. `opens` makes it.

    Attributes
    ----------
    verdict : {"yes", "no", "undecided"}
        ``"yes"``: `path` is a drive with a hand on the leaf where it moves. ``"no"``: proved, under
        what `assumed` says. Else ``"undecided"``, and `why` says what was in doubt.
    why : str
    path : ndarray (n, 3 + leaves)
        x, y (meters) and heading (radians) of the axle, and how far each leaf is open (radians, of
        a sliding one meters). Between rows the chair turns on the spot, rolls straight along its
        heading, or stands while a leaf moves. Empty without a witness.
    grasps : tuple of Grasp or None
        For each stretch of the path which hand moves the leaf, and where; None where none does.
        All None when no person was asked.
    band : float
        Meters by which the leaf's free end moves within the finest stage that was asked: what is
        nearer than this may stay undecided.
    boxes : int
        Boxes of poses that were looked at.
    facts, assumed : mapping of str to str
        What was given, and what was taken for granted.
    door : Door
    chair : Chair
    walls : ndarray (m, 4)
        Ends of what stood in the way.

    Examples
    --------
    >>> import handik as hk
    >>> walls = [[[-3, 0], [0, 0]], [[1, 0], [3, 0]], [[-3, -3], [-3, 3]], [[3, -3], [3, 3]]]
    >>> walls += [[[-3, -3], [3, -3]], [[-3, 3], [3, 3]]]
    >>> door = hk.access.Door([[0, 0], [1, 0]], swing="left")
    >>> chair = hk.access.chair("manual", width=0.65, length=1.2)
    >>> found = hk.access.opens(chair, walls, door, (0.5, -1.6, 1.57), (0.5, 1.6, None))
    >>> found.verdict, bool(found)
    ('yes', True)
    """

    verdict: str
    why: str
    path: Array
    grasps: tuple[Grasp | None, ...]
    band: float
    boxes: int
    facts: Mapping[str, str]
    assumed: Mapping[str, str]
    door: Door = field(repr=False)
    chair: Chair = field(repr=False)
    walls: Array = field(repr=False)

    def __bool__(self) -> bool:
        """Whether the verdict is yes."""
        return self.verdict == "yes"


def _searched(asked: Asked, count: int) -> tuple[int, int, Array, NDArray[np.int32], list[Any]]:
    """Return outcome, boxes, places and boxes of the way, and the stages."""
    stages = asked.door._stages(count)
    place = np.vstack([asked.room(), span(*asked.start), span(*asked.goal)])
    outcome, boxes, steps, _ = _core._pass_decide(
        asked.chair.outline, asked.solid, place, asked.least, asked.most, asked.core(stages)
    )
    return outcome, boxes, place, steps, stages


def _driven_through(asked: Asked, grid: Any) -> tuple[Any, ...] | None:
    """Return path and hands of a drive found on a grid; None: none was."""
    said, _, rows, places = searched(asked, (*grid[:-1], min(grid[-1], asked.most)))
    return drawn(asked, rows, places) if said == "found" else None


def _decided(asked: Asked) -> tuple[str, str, Array, tuple[Any, ...], int, float]:
    """Return verdict, reason, path, hands, boxes and band."""
    looked, band, why = 0, 0.0, ""
    turn = 1.0 if asked.door.kind == "sliding" else asked.door.length
    for tried in TRIES if asked.most > FEW else TRIES[:3]:
        if len(tried) > 2:
            if (way := _driven_through(asked, tried)) is not None:
                return "yes", "", *way, looked, band
            continue
        count, limit = int(tried[0]), int(tried[1])
        few = replace(asked, most=min(asked.most, limit))
        outcome, boxes, place, steps, stages = _searched(few, count)
        looked += boxes
        band = turn * float(asked.door.opening or 0) / count
        if outcome == 0:
            return "no", "", _NO_PATH, (), looked, band
        if outcome == 1:
            way = witnessed(asked, place, steps, stages)
            if way is not None:
                return "yes", "", *way, looked, band
            why = "a way was found, but no drive along it with a hand that was shown to reach"
        elif outcome == 2:
            why = "what is left leads through places that the stages of the leaf do not decide"
        else:
            why = f"{few.most} boxes were not enough"
    return "undecided", why, _NO_PATH, (), looked, band


def _lever(door: Door, strength: float | None) -> float:
    """Return how far from the hinge the hand is strong enough, meters.

    That is no farther than the handle, wherever it is, if the hand can move it at all.
    """
    if door.kind == "sliding":
        return np.inf if door.force and strength is not None and strength < door.force else 0.0
    arm = door.length - float(door.handle or 0)
    if not door.force or strength is None:
        return min(FAR_FROM_HINGE * door.length, arm)
    least = min(NEAREST, arm)
    return max(arm * door.force / strength, least) if strength > 0 else np.inf


def _beyond(door: Door, lever: float, climbs: float | None, strength: float | None) -> str:
    """Return what of threshold and force is beyond chair and hand; nothing: an empty text."""
    if climbs is not None and door.threshold > climbs:
        return f"the threshold is {1000 * (door.threshold - climbs):.0f} mm too high"
    if lever > door.length - (float(door.handle or 0) if door.latch else 0.0) + 1e-9:
        return f"the door takes {door.force:g} N, the hand gives {strength:g} N"
    return ""


def _verdict(asked: Asked) -> tuple[Any, ...]:
    """Return verdict, reason and what shows it; a no with what forbids it."""
    found = _decided(asked)
    if found[0] != "no":
        return found
    why = "there is no room for chair and leaf, whatever moves the leaf"
    if asked.hand is not None:
        bare = replace(asked, hand=None, lever=0.0, most=min(asked.most, FEW))
        outcome = _searched(bare, 8)[0]
        if outcome == 1:
            why = "where the chair can be no hand gets to the leaf, all along"
        elif outcome != 0:
            why = "there is no room for chair and leaf with a hand at the leaf, all along"
    if asked.door.leaves == 2:
        return ("undecided", f"{why}; leaves in another order were not asked", *found[2:])
    return ("no", why, *found[2:])


def _through(path: Array, ends: Array) -> bool:
    """Whether the axle ends on the other side by way of the door: it crosses between the ends."""
    way, across = ends[1] - ends[0], path[:, :2] - ends[0]
    side = way[0] * across[:, 1] - way[1] * across[:, 0]
    count = 0
    for k in np.flatnonzero((side[:-1] > 0) != (side[1:] > 0)):
        share = side[k] / (side[k] - side[k + 1])
        along = (across[k] + share * (across[k + 1] - across[k])) @ way / (way @ way)
        count += 0 < along < 1
    return count % 2 == 1


def _by_the_door(asked: Asked, found: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a yes whose drive leads through the door, not round it; else undecided."""
    if found[0] != "yes" or _through(found[2], asked.door.ends):
        return found
    barred = asked.barred()
    for grid in GRIDS[: 3 if asked.most > FEW else 2]:
        way = _driven_through(barred, grid)
        if way is not None and _through(way[0], asked.door.ends):
            return "yes", "", *way, *found[4:]
    return "undecided", AROUND, _NO_PATH, (), *found[4:]


def _facts(chair: Chair, door: Door, hand: Hand | None, strength: float | None) -> dict[str, str]:
    facts = {"door": f"{door.kind}, {door.width:.3f} m wide"}
    both_ = {**{f"chair {k}": v for k, v in chair.dimensions.items()}}
    both_ |= {f"door {k}": v for k, v in door.dimensions.items()}
    facts |= {name: f"{value:.3f}" for name, (value, how) in both_.items() if how != "assumed"}
    facts["closer"] = "yes" if door.closer else "no"
    if door.force is not None:
        facts["force at the handle"] = f"{door.force:g} N"
    if strength is not None:
        facts["strength of the hand"] = f"{strength:g} N"
    if hand is not None:
        facts["hips before the axle"] = f"{hand.hips:.3f} m, by the feet of the person"
    return facts


def _taken(chair: Chair, door: Door, hand: Hand | None, strength: float | None) -> dict[str, str]:
    taken = {
        **{
            f"chair {k}": f"{v:.3f}" for k, (v, how) in chair.dimensions.items() if how == "assumed"
        },
        **{f"door {k}": f"{v:.3f}" for k, (v, how) in door.dimensions.items() if how == "assumed"},
    }
    names = ["leaf"] if hand is None else ["hand", "body", "arm", "seat", "drive", "leaf"]
    taken |= {name: TAKEN[name] for name in [*names, *(["closer"] if door.closer else [])]}
    if hand is None:
        taken["person"] = "no person was asked: hands move the leaf from anywhere"
    if door.force is None:
        taken["force"] = "not known: it takes none"
    elif strength is None:
        taken["strength"] = "not known: it suffices"
    if door.kind == "double":
        taken["order"] = "the first leaf is opened wholly before the second is moved"
    return taken


def _door(plan: Any, door: Any) -> tuple[Door, Any, bool]:
    """Return the door, the plan without its leaf, and whether another leaf stands in it."""
    if isinstance(door, str):
        if not isinstance(plan, Scene):
            raise ArgumentError("door can be a path only where plan is a Scene")
        found = hung(plan)
        if door not in found:
            raise name_not_found("door", door, found)
        way, one = found[door]
        return one, without(plan, door), way.other is not None and one.leaves == 1
    of_class("door", door, Door)
    return door, plan, False


def _map(person: Any, door: Door, chair: Chair) -> Hand | None:
    if person is None:
        return None
    if chair.kind in ON_FOOT:
        raise ArgumentError(
            f"person must be None: hands of who walks with {chair.kind} are not modeled"
        )
    if isinstance(person, Human):
        person = reach_map(person, float(door.handle_height or 0))
    of_class("person", person, ReachMap)
    if abs(person.height - float(door.handle_height or 0)) > 0.005:
        raise ArgumentError(
            f"person is a map at {person.height:g} m, the handle is at {door.handle_height:g} m"
        )
    return seated(person, chair)


def opens(
    chair: Chair,
    plan: Any,
    door: Door | str,
    start: ArrayLike | Sequence[float | None],
    goal: ArrayLike | Sequence[float | None],
    *,
    person: Human | ReachMap | None = None,
    strength: float | None = None,
    climbs: float | None = None,
    shut: bool = False,
    heights: tuple[float, float] = HEIGHTS,
    least: float = 0.001,
    most: int = 60_000,
) -> Opening:
    """Tell whether a person in a chair gets from one place to another through a door that is shut.

    Parameters
    ----------
    chair : Chair
    plan : FloorPlan, Scene or sequence of array_like (n, 2)
        As of `passes`; without the leaf.
    door : Door or str
        Or the path of one of `doors` of a scene.
    start, goal : (x, y, heading)
        As of `passes`.
    person : Human or ReachMap, optional
        Whose hands move the leaf: seated, or a map at the handle's height. Without one the hand is
        not asked, only the room for chair and leaf; nor can it be of people on foot.
    strength : float, optional
        What the hand can push and pull, newtons; not asked by default. A leaf takes `Door.force`
        at the handle, less farther from the hinge and more nearer to it.
    climbs : float, optional
        The highest threshold that the chair gets over, meters; not asked by default.
    shut : bool
        Whether the door is to be shut again at the goal.
    heights : (float, float)
        As of `passes`.
    least : float
        Meters: as of `passes`.
    most : int
        Boxes of poses for each way of cutting the opening into stages, and poses of each search for
        a drive; one that needs more is undecided.

    Returns
    -------
    Opening

    Raises
    ------
    ArgumentError
        When a value is none of these, or a plane of the scene is no floor.
    NotFoundError
        When the scene has no such door.

    Notes
    -----
    The leaf's opening is cut into stages; shut and wholly open are stages of their own. In each the
    poses of the chair are covered by boxes as of `passes`, free or stuck wherever in the stage the
    leaf is. A way goes from stage to stage where a hand is sure to get to the leaf in both. "No"
    means that there is none even where it only perhaps does. A "yes" is driven: the chair turns on
    the spot or rolls straight, the leaf moves while it stands, and all of it is proved clear
    once more; at three places of each move of the leaf a posture was found. The page on doors
    (docs/doors.md) tells what is taken for granted; so does `Opening.assumed`.

    Examples
    --------
    >>> import handik as hk
    >>> walls = [[[-3, 0], [0, 0]], [[1.0, 0], [3, 0]]]
    >>> chair = hk.access.chair("manual", width=0.65, length=1.2)
    >>> for width in (1.0, 0.6):
    ...     walls[1][0] = [width, 0]
    ...     door = hk.access.Door([[0, 0], [width, 0]], swing="left")
    ...     far = [[-3, -3], [3, -3], [3, 3], [-3, 3]]
    ...     ring = [[far[k - 1], far[k]] for k in range(4)]
    ...     found = hk.access.opens(chair, walls + ring, door, (0.4, -1.6, 1.57), (0.4, 1.6))
    ...     print(found.verdict)
    yes
    no
    """
    of_class("chair", chair, Chair)
    fine, boxes = checked(least, most)
    flag("shut", shut)
    force = None if strength is None else finite_number("strength", strength)
    if force is not None and force < 0:
        raise ArgumentError(f"strength must be 0 N or more, got {force:g}")
    step = None if climbs is None else finite_number("climbs", climbs)
    ends = []
    for name, value in (("start", start), ("goal", goal)):
        place, heading = pose_of(name, value)
        ends.append((place, heading or 0.0, 2 * np.pi if heading is None else 0.0))
    leaf, around, second = _door(plan, door)
    hand = _map(person, leaf, chair)
    outlines = plans(around, heights)
    facts, taken = _facts(chair, leaf, hand, force), _taken(chair, leaf, hand, force)
    if step is None and leaf.threshold > 0:
        taken["threshold"] = f"the chair gets over {1000 * leaf.threshold:.0f} mm"

    def verdict(said: str, why: str, *more: Any) -> Opening:
        path, grasps, looked, band = more or (np.empty((0, 3 + leaf.leaves)), (), 0, 0.0)
        if second and said == "no":
            said, why = "undecided", f"{why}; the second leaf was not moved"
        return Opening(
            said,
            why,
            path,
            grasps,
            band,
            looked,
            MappingProxyType(facts),
            MappingProxyType(taken),
            leaf,
            chair,
            segments(outlines[0]),
        )

    why = _beyond(leaf, lever := _lever(leaf, force), step, force)
    if why:
        return verdict("no", why)
    bare = both(outlines, lambda w: decided(chair, w, ends[0], ends[1], fine, boxes))
    if bare.verdict == "no":
        return verdict("no", "the chair does not pass even where there is no leaf")
    found: tuple[Any, ...] = ()
    for walls in outlines:  # about round things for a yes; inside them for a no, too
        asked = Asked(
            chair, leaf, segments(walls), ends[0], ends[1], hand, lever, shut, fine, boxes
        )
        more = _by_the_door(asked, _verdict(asked))
        if found and more[0] != "no":
            found = ("undecided", "round things decide", *found[2:])
        found = found or more
        if found[0] != "no":
            break
    return verdict(found[0], found[1], *found[2:])
