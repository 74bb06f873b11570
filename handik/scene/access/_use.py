"""Code against use: what is legal and not usable, usable and not legal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.people import Human, Population
from handik.people._interval import level_of
from handik.scene.access import _at_parts
from handik.scene.access._asking import sets_of
from handik.scene.access._causes import Found, cause_of
from handik.scene.access._reach import reach
from handik.scene.access._room import Room
from handik.scene.access._seat import of_population, toes_of
from handik.scene.access._share import Share
from handik.scene.access._storeys import Level, levels_of, lowered
from handik.scene.access._verdict import ORDER
from handik.scene.access.rules import Checked, Finding, Rule, check
from handik.scene.access.rules import rules as rules_of
from handik.scene.document import Scene
from handik.scene.nodes import Node, one_pose
from handik.spec._given import choice, list_of, of_class, whole_number

if TYPE_CHECKING:
    from handik.scene.access._verdict import Reach
    from handik.spec._given import PoseLike

__all__ = ["Use", "Uses", "Witness", "code_against_use", "toes_of"]

Array = NDArray[np.float64]
#: Meters: half the width of an occupied chair where one comes from the side (that of ADA 2010,
#: 305.3), and how far the body is behind the middle of its floor (assumed).
HALF, BEHIND = 0.38, 0.16
_ROOM = "room"


@dataclass(frozen=True, eq=False)
class Witness:
    """How somebody gets a hand to a target, or comes nearest. `code_against_use` makes it.

    Attributes
    ----------
    person : int
        The number of whom.
    approach : {"forward", "side", "given"}
        The last: from one of the `places`.
    pose : ndarray (4, 4)
        Where the person is, for `Human.with_base`.
    reach : Reach
        The verdict, in the person's own axes.

    Examples
    --------
    >>> import handik as hk
    >>> switch = hk.Scene().add("switch", hk.scene.Target("axis"), [1, 0, 0.9])
    >>> found = hk.access.code_against_use(switch, hk.human(body="plain"))
    >>> found.uses[0].witness.approach
    'forward'
    """

    person: int
    approach: str
    pose: Array
    reach: Reach


@dataclass(frozen=True, eq=False)
class Use:
    """What the rules and what people say of one target. `code_against_use` makes it.

    Attributes
    ----------
    place : str
        The path of the target.
    legal : {"pass", "fail", "not measured"}
        Of all rules that concern it: one that fails, else one that passes, else none.
    findings : tuple of Finding
        Of these rules, those that fail first.
    share : Share
        Of the people, with `Share.interval`.
    witness : Witness or None
        Of the first who can, else of the first who comes nearest; None: there is no floor from
        which to reach it.

    Examples
    --------
    >>> import handik as hk
    >>> switch = hk.Scene().add("switch", hk.scene.Target("axis"), [1, 0, 1.4])
    >>> found = hk.access.code_against_use(switch, hk.human(body="plain"))
    >>> found.uses[0].legal
    'fail'
    """

    place: str
    legal: str
    findings: tuple[Finding, ...]
    share: Share
    witness: Witness | None

    @property
    def usable(self) -> str:
        """``"yes"`` where all can, ``"no"`` where one is proved not to, else ``"undecided"``."""
        words = set(self.share.people.tolist())
        return "no" if "no" in words else "undecided" if "undecided" in words else "yes"

    @property
    def kind(self) -> str:
        """The two together: ``"legal and usable"``, ``"legal, not usable"`` and so on."""
        if self.usable == "undecided":
            return "undecided"
        if self.legal == "not measured":
            return "no rule"
        if self.usable == "yes":
            return "legal and usable" if self.legal == "pass" else "usable, not legal"
        return "legal, not usable" if self.legal == "pass" else "neither"


@dataclass(frozen=True, eq=False)
class Uses:
    """Code against use of a whole scene. `code_against_use` makes it.

    Attributes
    ----------
    uses : tuple of Use
        One a target.
    checked : Checked
        All that the rules found.

    Examples
    --------
    >>> import handik as hk
    >>> switch = hk.Scene().add("switch", hk.scene.Target("axis"), [1, 0, 0.9])
    >>> hk.access.code_against_use(switch, hk.human(body="plain")).of("legal and usable")
    ('switch',)
    """

    uses: tuple[Use, ...]
    checked: Checked

    def of(self, kind: str) -> tuple[str, ...]:
        """Return the targets of one kind.

        Parameters
        ----------
        kind : str
            As `Use.kind`.

        Returns
        -------
        tuple of str

        Raises
        ------
        ArgumentError
            When there is no such kind.
        """
        choice("kind", kind, KINDS)
        return tuple(use.place for use in self.uses if use.kind == kind)

    @property
    def share(self) -> Share | None:
        """Of the people who can use all of it; None where there is no target."""
        if not self.uses:
            return None
        parts = [use.share for use in self.uses]
        due = [part._found for part in parts if part._found is not None]
        return Share(
            tuple(use.place for use in self.uses),
            np.hstack([part.verdict for part in parts]),
            np.concatenate([part.short for part in parts], axis=1),
            parts[0].level,
            parts[0].set,
            None if len(due) < len(parts) else np.hstack(due),
        )


KINDS = (
    "legal and usable",
    "legal, not usable",
    "usable, not legal",
    "neither",
    "undecided",
    "no rule",
)


def _pose(at: Array, facing: Array) -> Array:
    out = np.eye(4)
    out[:2, 0], out[:2, 1] = facing, [-facing[1], facing[0]]
    out[:2, 3] = at
    return out


def stands(room: Room, path: str, toes: float) -> list[tuple[str, Array]]:
    """Return the places from which somebody may reach a target, from the front first."""
    at, out = room.place(path), []
    for along, way in _at_parts.ways(room, path):
        floor = at[:2] - way.back * along
        if way.kind == "forward":
            out.append(("forward", _pose(floor - toes * along, along)))
            continue
        across = np.array([-along[1], along[0]])
        for facing in (across, -across):
            out.append(("side", _pose(floor - HALF * along - BEHIND * facing, facing)))
    return sorted(out, key=lambda found: found[0] != "forward")


def _seen_from(scene: Scene, pose: Array) -> Scene:
    """Return a scene as who is at a pose has it: its tables of reach are kept that way."""
    return Scene([Node(_ROOM, pose=np.linalg.inv(pose), children=scene.nodes)], name=scene.name)


def _reached(
    person: Human,
    scene: Scene,
    path: str,
    pose: Array,
    options: dict[str, Any],
) -> Reach:
    if any(node.extent[2] for node in scene.nodes):  # what is attached names whom it follows
        found = reach(person.with_base(pose), scene, path, **options)
    else:
        found = reach(person, _seen_from(scene, pose), f"{_ROOM}/{path}", **options)
    assert not hasattr(found, "__len__")
    return found


def _best(
    person: int,
    of: Human,
    room: Room,
    path: str,
    places: list[Array],
    options: dict[str, Any],
) -> Witness | None:
    """Return how a person gets to a target, or comes nearest."""
    best: Witness | None = None
    for kind, pose in [*stands(room, path, toes_of(of)), *(("given", pose) for pose in places)]:
        found = _reached(of, room.scene, path, pose, options)
        mine = Witness(person, kind, pose, found)
        if best is None or _rank(mine) < _rank(best):
            best = mine
        if found.verdict == "yes":
            break
    return best


def _rank(witness: Witness) -> tuple[int, float]:
    return -ORDER.index(witness.reach.verdict), witness.reach.short[1]


class Made:
    """People who are made one at a time, when they are asked: a figure takes memory."""

    def __init__(self, makers: Sequence[Callable[[], Human]]) -> None:
        self.makers = list(makers)


def _people(people: Any) -> list[Callable[[], Human]]:
    """Return what makes each of the people: a population's are made one at a time."""
    if isinstance(people, Made):
        return people.makers
    if isinstance(people, Human):
        people = [people]
    if isinstance(people, Population):
        return [partial(of_population, people, k, "seated") for k in range(len(people))]
    given = list_of("people", people)
    for one in given:
        if not isinstance(one, Human):
            raise TypeError(f"people must be Human or Population, got {type(one).__name__}")
    return [partial(_itself, one) for one in given]


def _itself(person: Human) -> Human:
    return person


class _Storey:
    """A floor of a scene with its targets, and the given places on it."""

    def __init__(self, scene: Scene, level: Level, places: list[Array]) -> None:
        self.height = level.floor
        self.room = Room(lowered(scene, level), rules_of("ADA2010"), {})
        self.paths = self.room.operable()
        mine = places if level.plain else [one for one in places if level.has(float(one[2, 3]))]
        self.places = [_raised(one, -self.height) for one in mine]

    def asked(self, k: int, person: Human, options: dict[str, Any]) -> list[Witness | None]:
        """Return how a person gets to each target, in the world."""
        found = [_best(k, person, self.room, path, self.places, options) for path in self.paths]
        return [None if w is None else replace(w, pose=_raised(w.pose, self.height)) for w in found]


def _raised(pose: Array, by: float) -> Array:
    if by == 0:
        return pose
    out = pose.copy()
    out[2, 3] += by
    return out


def _share_of(
    path: str, found: list[Witness | None], level: float, of_set: NDArray[np.intp] | None
) -> Share:
    """Return the share of the people, with their causes.

    None: no free floor from which rules have it reached. That is no proof that nobody can.
    """
    verdict = np.array(["undecided" if w is None else w.reach.verdict for w in found], "<U9")
    short = np.array([(0.0, np.inf) if w is None else w.reach.short for w in found])
    due = np.full((len(found), 1), None, object)
    for k, w in enumerate(found):
        due[k, 0] = Found("undecided", "floor", "") if w is None else cause_of(w.reach)
    gaps = short.reshape(-1, 1, 2)
    return Share((path,), verdict.reshape(-1, 1), gaps, level, of_set, due)


def code_against_use(
    scene: Scene,
    people: Human | Population | Sequence[Human],
    rules: str | Sequence[str | Rule] = "ADA2010",
    *,
    routes: Mapping[str, ArrayLike] | None = None,
    places: Sequence[PoseLike] = (),
    floor: float | str | None = None,
    hand: str = "either",
    tries: int = 32,
    seed: int = 0,
    level: float = 0.95,
    progress: Callable[[int, int], object] | None = None,
) -> Uses:
    """Tell for each target of a scene what building codes say and whether people can reach it.

    Parameters
    ----------
    scene : Scene
        As of `check`.
    people : Human, Population or sequence of Human
        Those of a population sit.
    rules : str or sequence of str or Rule
        As of `check`.
    routes : mapping of str to array_like (2, 2), optional
        As of `check`.
    places : sequence of pose, optional
        From which people may reach too, as a chair that stands there (`Human.with_base`).
    floor : float or str, optional
        As of `check`: by default people come to each target on its own storey.
    hand : {"right", "left", "either"}
    tries, seed : int
        As of `reach`.
    level : float
        Of the intervals.
    progress : callable, optional
        Told after each of the people how many are done, of how many.

    Returns
    -------
    Uses

    Raises
    ------
    TypeError
        When `scene` or `people` is none.
    ArgumentError
        When a number is out of its range, or the people were whitened or of a single Sobol'
        sequence, so that their share has no interval.
    NotFoundError
        When there is no such code or storey.

    Notes
    -----
    People come to a target as the rules of reach have it: from the front, with their feet at the
    end of the free floor, or from either side of it, 0.38 m off, or are at one of `places`; it is
    reached if it is from one of these. So a "no" is one from these places, not from all there are,
    and where there is none of them it is "undecided".
    The hand may overlap what it is to hold, as of `reach`. The page on rules (docs/rules.md) tells
    more.

    Examples
    --------
    >>> import handik as hk
    >>> switch = hk.Scene().add("switch", hk.scene.Target("axis"), [1, 0, 1.21])
    >>> found = hk.access.code_against_use(switch, hk.human(sex="female", stature=1.45))
    >>> found.uses[0].kind
    'legal and usable'
    """
    of_class("scene", scene, Scene)
    confidence = level_of(level)
    choice("hand", hand, ("right", "left", "either"))
    if progress is not None and not callable(progress):
        raise TypeError("progress must be a function of two numbers")
    makers, of_set = _people(people), sets_of(people)
    checked = check(scene, rules, routes=routes, floor=floor)
    more = [one_pose(pose, f"places[{k}]") for k, pose in enumerate(list_of("places", places))]
    rooms = [_Storey(scene, level, more) for level in levels_of(scene, floor)]
    paths = [path for one in rooms for path in one.paths]
    options = {
        "hand": hand,
        "tries": whole_number("tries", tries, 10**6),
        "seed": whole_number("seed", seed),
        "within": 0.002 if len(makers) == 1 else float("inf"),
    }
    found: list[list[Witness | None]] = []
    for k, make in enumerate(makers):
        person = make()
        found.append([w for room in rooms for w in room.asked(k, person, options)])
        if progress is not None:
            progress(k + 1, len(makers))
    uses = _uses_of(paths, found, checked, confidence, of_set)
    return Uses(uses, checked)


def _uses_of(
    paths: list[str],
    found: list[list[Witness | None]],
    checked: Checked,
    level: float,
    of_set: NDArray[np.intp] | None,
) -> tuple[Use, ...]:
    """Return what rules and people say of each target."""
    uses = []
    for j, path in enumerate(paths):
        mine = [row[j] for row in found]
        share = _share_of(path, mine, level, of_set)
        there = [w for w in mine if w is not None]
        best = min(there, key=_rank, default=None)
        own = sorted(
            (f for f in checked if f.place == path and f.found is not None),
            key=lambda f: f.verdict != "fail",
        )
        asked = [f.verdict for f in own if not f.rule.advised]  # advice makes nothing legal or not
        legal = asked[0] if asked else "not measured"
        uses.append(Use(path, legal, tuple(own), share, best))
    return tuple(uses)
