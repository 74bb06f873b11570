"""What `reach` answers: one verdict, or many in arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.scene.access._inside import GIVES_WAY
from handik.scene.access._options import NONE, Options, greatest
from handik.spec._given import choice

if TYPE_CHECKING:
    from handik.model import Model
    from handik.people import Human
    from handik.scene.access._certificate import Certificate
    from handik.scene.access._held import Held
    from handik.scene.access._passing import Passing
    from handik.scene.access._standards import Beside
    from handik.scene.access._why import Change
    from handik.scene.check import Figure
    from handik.scene.plan import PlannedPath

__all__ = ["ORDER", "Asked", "Reach", "ReachMany", "Stop"]

Array = NDArray[np.float64]
#: Verdicts, the best last.
ORDER = ("no", "undecided", "yes")


@dataclass(frozen=True, eq=False)
class Asked:
    """The question of a verdict: what is needed to ask it again, changed."""

    model: Model
    scene: Any
    figure: Any
    rest: Array
    tolerance: float
    tries: int
    budget: int
    seed: int
    options: Options = NONE
    held: Held | None = None
    time_limit: float | None = None  # seconds, of paths
    bare: Any = None  # the figure as it is, where that of `figure` touches with a fingertip
    brief: bool = False  # a change: a path is looked for once, with a quarter of the searches
    beside: Beside | None = None  # standard people, from whose postures searches begin


@dataclass(frozen=True, eq=False)
class Stop:
    """Where a chair stops for a reach. `reach` with ``approach=`` makes it.

    Attributes
    ----------
    pose : ndarray (3,)
        x, y (meters) and heading (radians) of the chair's driven axle.
    base : ndarray (4, 4)
        Of the person's place on the floor; the toes are at the front end of the chair.
    person : Human
        There, in the chair (`seat`).
    side : {"front", "left", "right", "back"}
        On which side of the person the target is.
    passing : Passing or None
        How the chair comes there from `start`.

    Examples
    --------
    >>> import handik as hk
    >>> switch = hk.Scene().add("switch", hk.scene.Box([0.02, 0.08, 0.08]), [1, 0, 1.0])
    >>> anna, chair = hk.human(sex="female", stature=1.62), hk.access.chair()
    >>> found = hk.access.reach(anna, switch, [0.98, 0, 1.0], approach=chair)
    >>> found.verdict, found.stop.pose.shape
    ('yes', (3,))
    """

    pose: Array
    base: Array
    side: str
    passing: Passing | None
    person: Human = field(repr=False)


@dataclass(frozen=True, eq=False)
class Reach:
    """Whether a target is in reach, and what shows it.

    `reach` makes it.

    Attributes
    ----------
    verdict : {"yes", "no", "undecided"}
        ``"yes"``: `q` is the witness, inside its limits, within the tolerance of the target and,
        with a scene, free of it and of itself. ``"no"``: proved, whatever posture is taken. Else
        ``"undecided"``: no witness was found and no proof.
    q : ndarray (nq,)
        The witness; without one the posture found that comes nearest.
    short : (float, float)
        Meters by which the frame stays short of the target: at least, proved, and at most, as `q`
        or, where obstacles are in the way, some free posture shows. Infinite where none was free.
    target : ndarray (3,)
    frame : str
        That was to be there: ``middle_tip_right`` or ``_left`` where a fingertip touches.
    tries : int
        Reaching postures that were looked at; 0 where nothing but the place is asked.
    blocked : dict of str to int
        What they touched or lacked first and how often, most often first.
    cells : int
        Boxes of joint values that the proof looked at.
    motion : ndarray (n, nq) or None
        Of a yes with ``action="turn"``: postures that turn the hand, from `q` on.
    path : PlannedPath or None
        Of a yes with ``path=True``: the path from the rest to `q`; else the last that
        failed.
    overlap : float
        Meters by which the hand overlaps what it `holds`, in the witness.
    stop : Stop or None
        With ``approach=``: where the chair stops, and on which side the target is.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.5, 0.4])
    >>> hk.access.reach(arm, None, [0.6, 0.3, 0]).verdict
    'yes'
    >>> far = hk.access.reach(arm, None, [0.8, 0.6, 0])
    >>> far.verdict
    'no'
    >>> bool(far.short[0] <= 0.1 <= far.short[1])
    True
    """

    verdict: str
    q: Array
    short: tuple[float, float]
    target: Array
    frame: str
    tries: int
    blocked: dict[str, int]
    cells: int
    _asked: Asked = field(repr=False)
    _either: bool = field(default=False, repr=False)
    _inside: tuple[str, float] | None = field(default=None, repr=False)
    motion: Array | None = field(default=None, repr=False)
    path: PlannedPath | None = field(default=None, repr=False)
    overlap: float = 0.0
    stop: Stop | None = field(default=None, repr=False)
    _anywhere: bool = field(default=False, repr=False)
    _point: tuple[float, float, float] | None = field(default=None, repr=False)
    _enclosed: tuple[str, ...] | None = field(default=None, repr=False)
    _arm: bool = field(default=False, repr=False)
    _touched: bool = field(default=False, repr=False)  # a fingertip was asked for too

    def __bool__(self) -> bool:
        """Whether the verdict is yes."""
        return self.verdict == "yes"

    @property
    def _by_obstacles(self) -> bool:
        """Whether a no is one because of what stands about the target."""
        return self._inside is not None or self._enclosed is not None

    @property
    def figure(self) -> Figure | None:
        """The body as it was compared with the scene; None without one.

        Of a verdict by the tip of a finger its fingers are straight, and the last 10 mm of the
        one that touches are left out: ``scene.free(found.figure, found.q)`` looks at a witness.
        Without what the hand `holds`, which is in no scene then.
        """
        figure: Figure | None = self._asked.figure
        return figure

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Changes that would make it a yes, each solved again with it made; least costly first."""
        from handik.scene.access._why import changes

        return changes(self)

    def _found_with(self, model: Model) -> bool:
        """Whether a witness is found for a model of the same coordinates, for `sensitivity`."""
        from handik.scene.access._why import _found

        return _found(self, model, self.target)

    @cached_property
    def certificate(self) -> Certificate | None:
        """What shows a no to others, to be saved and checked; None where the verdict is another."""
        from handik.scene.access._certificate import certificate_of

        return certificate_of(self)

    @cached_property
    def gives(self) -> float:
        """Meters by which body and obstacles overlap in every posture that reaches, at least.

        Of a no by obstacles: it is proved even if everything gave way by so much;
        50, 20, 10, 5, 2 and 1 mm are tried, and 0 says that it is proved as it is. Else NaN.
        """
        from handik.scene.access._enclosed import room_gives
        from handik.scene.access._no_way import way_gives

        own = (self._asked, self.frame, self.target)
        if self._arm:
            return way_gives(*own)
        if not self._by_obstacles:
            return nan
        return max(room_gives(*own), GIVES_WAY if self._inside is not None else 0.0)

    @property
    def holds(self) -> tuple[str, ...]:
        """Nodes of the scene that the hand is to hold: it may overlap them by 50 mm."""
        return self._asked.options.holds

    @property
    def also(self) -> dict[str, Array]:
        """Frames that are to be at places of their own at the same time: the other hand."""
        return dict(self._asked.options.also)

    @cached_property
    def off_axis(self) -> float:
        """Angle between the axis asked for and the hand's in `q`, radians; NaN without one."""
        if self._asked.options.axis is None:
            return nan
        return self._asked.options.off_axis(self._asked.model.fk(self.q, frame=self.frame))

    @cached_property
    def discomfort(self) -> float:
        """Discomfort of `q` by joint displacement: 0 in neutral, 1 and more at a limit."""
        from handik.people.discomfort import JointDisplacement

        return float(JointDisplacement(self._asked.model).score(self.q))

    @cached_property
    def strength(self) -> float:
        """Greatest share of a joint's strength in `q`, force and weight held; NaN: not asked."""
        options = self._asked.options
        if options.limits is None:
            return nan
        return greatest(options.shares(self._asked.model, self.frame, self.q))

    def tell(self, language: str = "en") -> str:
        """Return the reasons as a sentence.

        Parameters
        ----------
        language : {"en", "fr"}

        Returns
        -------
        str
            In English as `why`; names of nodes, frames and joints stay as they are.

        Raises
        ------
        ArgumentError
            When the language is none of these.

        Examples
        --------
        >>> import handik as hk
        >>> hk.access.reach(hk.chain([0.5, 0.4]), None, [0.6, 0.3, 0]).tell("fr")
        'tip atteint la cible'
        """
        from handik.scene.access._why import words

        return words(self, choice("language", language, ("en", "fr")))

    @cached_property
    def why(self) -> str:
        """What decides, in words, with the cheapest changes; worked out when first asked for."""
        from handik.scene.access._why import words

        return words(self, "en")


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Verdicts on many targets for one frame, by the place alone; one is made when asked for."""

    asked: Asked
    frame: str
    targets: Array
    verdict: NDArray[np.str_]
    q: Array
    short: Array
    cells: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.verdict)

    def __getitem__(self, k: int) -> Reach:
        if not -len(self) <= k < len(self):
            raise IndexError(k)
        least, most = self.short[k].tolist()
        at, q, cells = self.targets[k].copy(), self.q[k].copy(), int(self.cells[k])
        verdict = str(self.verdict[k])
        return Reach(verdict, q, (least, most), at, self.frame, 0, {}, cells, self.asked)

    def __iter__(self) -> Iterator[Reach]:
        return (self[k] for k in range(len(self)))


@dataclass(frozen=True, eq=False)
class ReachMany:
    """The verdicts on many targets, in arrays; an index gives one of them as `Reach`.

    Attributes
    ----------
    verdict : ndarray of str (...)
    q : ndarray (..., nq)
    short : ndarray (..., 2)

    Examples
    --------
    >>> import handik as hk
    >>> found = hk.access.reach(hk.chain([0.5, 0.4]), None, [[0.6, 0.3, 0], [0.8, 0.6, 0]])
    >>> found.verdict.tolist()
    ['yes', 'no']
    >>> found[1].verdict
    'no'
    """

    verdict: NDArray[np.str_]
    q: Array
    short: Array
    _each: Verdicts | list[Reach] = field(repr=False)

    @cached_property
    def _one(self) -> NDArray[np.object_]:
        """Each verdict by itself; most callers look at the arrays alone."""
        out = np.empty(len(self._each), object)
        out[:] = list(self._each)
        return out.reshape(self.verdict.shape)

    def __len__(self) -> int:
        return len(self.verdict)

    def __getitem__(self, index: Any) -> Any:
        """Return one verdict, or an array of them."""
        return self._one[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._one)

    @property
    def why(self) -> NDArray[np.object_]:
        """Each verdict's words, worked out when asked for."""
        out = np.empty(self._one.size, object)
        out[:] = [one.why for one in self._one.ravel().tolist()]
        return out.reshape(self._one.shape)
