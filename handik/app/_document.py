"""The document of the application: a scene, and what is chosen, hidden, locked and set beside it.

It never changes: an action returns another one, and undo puts the old one back. Figures are nodes
of the scene (`handik.scene.Actor`) with their posture.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, shortened
from handik.scene import Actor, Scene
from handik.scene._people import CHAIR as OF_CHAIR
from handik.scene._people import SEAT

__all__ = [
    "Beside",
    "Document",
    "Drive",
    "Ghost",
    "Judged",
    "Lap",
    "Measured",
    "Moved",
    "Named",
    "Offer",
    "Settings",
    "Sharing",
    "Solved",
    "Steps",
    "Verdict",
    "View",
    "Way",
]

Array = NDArray[np.float64]


#: What `handik.scene.Actor` keeps of a person's chair, and what it is where nothing is said.
CHAIR: dict[str, Any] = {"chair": "", **dict.fromkeys(OF_CHAIR), **dict.fromkeys(SEAT)}
CHAIR["chair_percentile"] = 50.0


@dataclass(frozen=True)
class Settings:
    """How the document is solved: in the entries of undo."""

    solver: str = "auto"
    tolerance: float = 1e-3
    max_iter: int = 0
    live: bool = True
    hand: str = "right"
    collisions: bool = False
    mirror: bool = False
    mode: str = "select"

    def __post_init__(self) -> None:
        if not self.tolerance >= 0:
            raise ArgumentError(f"tolerance must be zero or more, got {self.tolerance:g} m")


@dataclass(frozen=True)
class View:
    """How it is shown: not undone."""

    language: str = "en"
    theme: str = "light"
    draw: str = "solid"
    body: str = "skin"
    snap: bool = False
    snap_size: float = 0.05
    keys: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        if not self.snap_size >= 0:
            raise ArgumentError(f"snap_size must be zero or more, got {self.snap_size:g} m")


@dataclass(frozen=True)
class Named:
    """A posture with a name, of a kind of figure."""

    figure: str
    q: tuple[float, ...]


@dataclass(frozen=True)
class Moved:
    """A motion of the library, of a kind of figure."""

    figure: str
    times: tuple[float, ...]
    q: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Solved:
    """What the last solve said."""

    solver: str
    outcome: str
    iterations: int
    seconds: float = field(compare=False)
    error: float = 0.0


@dataclass(frozen=True, eq=False)
class Way:
    """A path found, or a motion, in time.

    Attributes
    ----------
    figure, outcome, sentence : str
    times : ndarray, shape (n,)
    q : ndarray, shape (n, nq)
    curves : mapping of str to tuple of floats
        At `moments`: ``clearance``, meters from obstacles but the floor, 1 where they are farther,
        and ``discomfort`` of a person.
    moments : tuple of float
    """

    figure: str
    outcome: str
    sentence: str
    times: Array
    q: Array
    curves: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    moments: tuple[float, ...] = ()

    @property
    def duration(self) -> float:
        """Seconds."""
        return float(self.times[-1]) if len(self.times) else 0.0


@dataclass(frozen=True, eq=False)
class Steps:
    """What a solver did, iteration by iteration; row 0 is the start.

    Attributes
    ----------
    figure : str
    solved : Solved
    q : ndarray, shape (K, nq)
    errors : tuple of K floats
        Meters from the target.
    passes : tuple of (back, forth)
        Of FABRIK: points of the chain after the pass from the target and after that from the base,
        for each iteration but the last; limits are not looked at in them.
    """

    figure: str
    solved: Solved
    q: Array
    errors: tuple[float, ...]
    passes: tuple[tuple[Any, Any], ...] = ()


@dataclass(frozen=True)
class Lap:
    """A figure of eight followed by a solver.

    Attributes
    ----------
    solver : str
    poses, reached : int
    iterations : float
        Mean of a pose.
    microseconds : float
        Median of a pose, of the solve alone.
    frames_per_second : float or None
        With drawing, where a page drew it.
    """

    solver: str
    poses: int
    reached: int
    iterations: float
    microseconds: float = field(compare=False)
    frames_per_second: float | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Measured:
    """A distance between two objects: the nearest points of both, meters."""

    nodes: tuple[str, str]
    points: tuple[tuple[float, float, float], tuple[float, float, float]]
    distance: float


@dataclass(frozen=True)
class Offer:
    """A change that makes a no a yes: see `handik.access.Change`.

    Attributes
    ----------
    words : tuple of (language, str)
    place : (float, float, float) or None
        Where the target would be in the world; None where a joint would have to turn farther.
    q : tuple of float
        A posture that reaches it there.
    """

    words: tuple[tuple[str, str], ...]
    place: tuple[float, float, float] | None
    q: tuple[float, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """Whether the target is in reach, in words of each language."""

    verdict: str
    target: str
    short: tuple[float, float]
    sentence: tuple[tuple[str, str], ...]
    q: tuple[float, ...]
    offers: tuple[Offer, ...] = ()


@dataclass(frozen=True)
class Judged:
    """What a rule of a building code found at a place.

    Attributes
    ----------
    place, rule : str
    verdict : {"pass", "fail", "recommended, not met", "not measured"}
    words : tuple of (language, what, found, asked, note)
    """

    place: str
    rule: str
    verdict: str
    words: tuple[tuple[str, str, str, str, str], ...]


@dataclass(frozen=True)
class Sharing:
    """The share of so many people who reach the target, its interval, and who is undecided."""

    count: int
    share: float
    low: float
    high: float
    undecided: float


@dataclass(frozen=True)
class Beside:
    """Somebody drawn beside the active person, and whether a posture was found at the target."""

    actor: Actor
    q: tuple[float, ...]
    reached: bool | None


@dataclass(frozen=True, eq=False)
class Drive:
    """A drive with a wheelchair that was recorded.

    Attributes
    ----------
    figure : str
    times : ndarray, shape (n,)
    poses : ndarray, shape (n, 3)
        x, y and heading of the axle's middle.
    bumps : tuple of (float, str)
        When the chair or its user was held up, and by what.
    clearance : float
        The least distance of the outline to what it may not touch, meters.
    """

    figure: str
    times: Array
    poses: Array
    bumps: tuple[tuple[float, str], ...]
    clearance: float

    @property
    def length(self) -> float:
        """Meters."""
        return float(np.linalg.norm(np.diff(self.poses[:, :2], axis=0), axis=1).sum())


@dataclass(frozen=True)
class Ghost:
    """The answer of a second solver, drawn beside."""

    figure: str
    solved: Solved
    q: tuple[float, ...]


@dataclass(frozen=True)
class Document:
    """All that is undone."""

    scene: Scene = field(default_factory=Scene)
    selection: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    locked: frozenset[str] = frozenset()
    held: frozenset[tuple[str, str]] = frozenset()
    figure: str | None = None
    target: str | None = None
    poses: Mapping[str, Named] = field(default_factory=lambda: MappingProxyType({}))
    motions: Mapping[str, Moved] = field(default_factory=lambda: MappingProxyType({}))
    settings: Settings = Settings()
    path: Way | None = None
    verdict: Verdict | None = None
    solve: Solved | None = None
    ghost: Ghost | None = None
    steps: tuple[Steps, ...] = ()
    laps: tuple[Lap, ...] = ()
    measured: Measured | None = None
    beside: tuple[Beside, ...] = ()
    drive: Drive | None = None
    passing: str | None = None
    findings: tuple[Judged, ...] = ()
    sharing: Sharing | None = None

    @property
    def on_file(self) -> tuple[Any, ...]:
        """What a file of the document holds: all that is lost when it is not saved."""
        beside = (self.hidden, self.locked, self.held, self.figure, self.target)
        return (self.scene, self.poses, self.motions, *beside)

    @property
    def rests_on(self) -> tuple[Any, ...]:
        """What answers are given for: an answer to another question would be a false one."""
        return (self.scene, self.settings, self.figure, self.target, self.held)

    def merged(self, one: Document, other: Document) -> Document:
        """Return this document with what was changed in one, and beside it in another, copy of it.

        Names that both gave to poses or motions stay those of `other`; `one` gets the next free.
        """
        made: dict[str, Any] = {}
        for name in (row.name for row in fields(self)):
            old, here, there = (getattr(x, name) for x in (self, one, other))
            if here is old or here == old:
                made[name] = there
            elif name in ("poses", "motions") and there is not old:
                made[name] = _both(old, here, there)
            else:
                made[name] = here
        return Document(**made)

    def moved(self, one: Document, other: Document) -> Document:
        """Return `merged` of one in which things were moved: what another found of them is over."""
        if other is self:
            return one
        found = {name: getattr(one, name) for name in _NOTHING}
        return replace(self.merged(one, other), **found)

    def actor(self, path: str | None = None) -> tuple[str, Actor]:
        """Return the path and the content of a figure, of the active one by default.

        Raises
        ------
        ArgumentError
            When there is none.
        """
        at = self.figure if path is None else path
        if at is None:
            raise ArgumentError("there is no figure: add a person or a robot first")
        content = self.scene[at].content
        if not isinstance(content, Actor):
            raise ArgumentError(f"{shortened(at)} is no figure")
        return at, content

    @property
    def chair_given(self) -> dict[str, Any]:
        """What is said of the active person's chair, or walker; of none what one begins with."""
        content = None if self.figure is None else self.scene[self.figure].content
        human = dict(content.human or ()) if isinstance(content, Actor) else {}
        return {name: human.get(name, usual) for name, usual in CHAIR.items()}

    def with_q(self, q: Any, path: str | None = None) -> Document:
        """Return the document with another posture of a figure.

        Raises
        ------
        ArgumentError
            When it is none of this figure.
        """
        at, actor = self.actor(path)
        made = replace(actor, q=np.asarray(q))
        assert made.posture.shape  # says what is wrong
        posed = self.edited(self.scene.with_shape(at, made))
        # what was found of the place does not hang on how somebody sits there, nor does a no
        kept = self.passing if self.passing == "no" else None
        return replace(posed, findings=self.findings, passing=kept)

    def asking(self, **other: Any) -> Document:
        """Return the document with another figure, target, hand or the like to be answered for.

        What was found of another question is dropped: it would be read as an answer to this one. A
        path has its own figure, and what a rule found is of the place.
        """
        kept = {"path": self.path, "measured": self.measured, "findings": self.findings}
        return replace(self, **{**_NOTHING, **kept, **other})

    def edited(self, scene: Scene) -> Document:
        """Return the document with another scene; what was derived from the old one is dropped."""
        return without_results(replace(self, scene=scene)).tidied()

    def tidied(self) -> Document:
        """Return it without names of nodes that have gone, and with a figure and a target."""
        there = self.scene
        figure = self.figure if self._is(self.figure, "figure") else None
        target = self.target if self._is(self.target, "target") else None
        return replace(
            self,
            selection=tuple(p for p in self.selection if p in there),
            hidden=frozenset(p for p in self.hidden if p in there),
            locked=frozenset(p for p in self.locked if p in there),
            held=frozenset(one for one in self.held if _has_joint(there, *one)),
            figure=figure or next(iter(there.find(kind="figure")), None),
            target=target or next(iter(there.find(kind="target")), None),
            drive=self.drive if self.drive and self._is(self.drive.figure, "figure") else None,
        )

    def _is(self, path: str | None, kind: str) -> bool:
        return path is not None and path in self.scene and self.scene[path].kind == kind

    def renamed(self, scene: Scene, old: str, new: str) -> Document:
        """Return it with another scene, in which a node and all below it have another path."""

        def now(path: str | None) -> Any:
            if path is None or not (path == old or path.startswith(old + "/")):
                return path
            return new + path[len(old) :]

        moved = replace(
            self,
            scene=scene,
            selection=tuple(now(p) for p in self.selection),
            hidden=frozenset(now(p) for p in self.hidden),
            locked=frozenset(now(p) for p in self.locked),
            held=frozenset((now(p), joint) for p, joint in self.held),
            figure=now(self.figure),
            target=now(self.target),
            drive=self.drive and replace(self.drive, figure=now(self.drive.figure)),
            **_NOTHING,
        )
        return moved.tidied()


def _both(old: Mapping[str, Any], one: Mapping[str, Any], other: Mapping[str, Any]) -> Any:
    """Return named things of two copies; what was named in both keeps the name of `other`."""
    found = dict(other)
    for name, value in one.items():
        if old.get(name) is value:
            continue
        free, k = name, 2
        while free in found:
            free, k = f"{name} {k}", k + 1
        found[free] = value
    return found


def _has_joint(scene: Scene, path: str, joint: str) -> bool:
    """Tell whether a node is a figure with a joint of this name."""
    content = scene[path].content if path in scene else None
    return isinstance(content, Actor) and joint in content.figure.joint_q_slices


#: What was worked out for a scene, and is dropped with it.
_NOTHING: dict[str, Any] = {
    "solve": None,
    "path": None,
    "verdict": None,
    "ghost": None,
    "steps": (),
    "measured": None,
    "beside": (),
    "passing": None,
    "findings": (),
    "sharing": None,
}


def without_results(document: Document) -> Document:
    """Return the document without what was worked out for its scene."""
    return replace(document, **_NOTHING)


def changed(settings: Any, **values: Any) -> Any:
    """Return settings with some values, each of the kind it had."""
    known = {one.name for one in fields(settings)}
    assert known >= set(values)
    return replace(settings, **values)
