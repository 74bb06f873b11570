"""What is put among obstacles: a model and the capsules that stand for its body."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.model import Model
from handik.people.human import Human
from handik.problem.terms import Capsule
from handik.scene.check import _flesh, _pairs
from handik.scene.check._enclose import capsules_of_human, capsules_of_links
from handik.spec._given import (
    finite_number,
    is_model,
    known_name,
    list_of,
    reals,
    sequence,
    text,
    whole_number,
)

if TYPE_CHECKING:
    from handik.scene.document import Scene
    from handik.scene.plan import DragStep

__all__ = ["Figure", "FigureLike", "LeftOut", "as_figure"]


#: What a figure is made of; all else of it follows.
_MADE_OF = (
    *("model", "capsules", "names", "_draws", "_rest", "_allowed", "_given", "_told"),
    "_around",
)


def _not_given(count: int, kept: frozenset[tuple[int, int]]) -> list[_pairs.Left]:
    every = [(a, b) for b in range(count) for a in range(b)]
    return [(pair, "not given") for pair in every if pair not in kept]


def _with_more(left: Callable[[], list[_pairs.Left]], more: list[_pairs.Left]) -> list[_pairs.Left]:
    return sorted([*left(), *more])


@dataclass(frozen=True)
class LeftOut:
    """A pair of capsules that is not compared.

    Attributes
    ----------
    pair : (int, int)
        Their places.
    reason : str
        Why. "Proved" and "on one body" are certain; what was drawn at random is not.
    """

    pair: tuple[int, int]
    reason: str


class Figure:
    """A model with capsules on its links: what scenes measure.

    Parameters
    ----------
    model : Model
    capsules : sequence of Capsule
        Each fixed to a frame of the model. Two of them are compared if their pair is.
    pairs : sequence of (int, int), optional
        Places of the capsules to compare with each other. None: all but those on one body, those
        that a bound of reach keeps apart, those in contact at rest or in more than 95 % of 10,240
        random postures, and those never in contact in `draws` random postures; `left_out` lists
        them. Of a pair with an allowance no more is asked than whether it can touch at all. An
        empty sequence: none.
    names : sequence of str, optional
        Of the capsules, for answers; None: those of their frames.
    draws : int, optional
        Random postures that a pair must be apart in to be left out.
    rest : array_like, shape (nq,), optional
        The posture that is free by agreement: pairs without an allowance that are in contact there
        are left out. None: the model's.
    allowance : mapping of (int, int) to float, optional
        Meters by which a pair may overlap, as flesh gives way: no contact until then, and that much
        is added to its distance. None, and 0 for pairs that are not named: none.

    Raises
    ------
    TypeError
        When `model` is none, or a capsule.
    ArgumentError
        When a pair is not of two capsules, an allowance is negative, or names and capsules do not
        go together.
    NotFoundError
        When the model has no such frame.

    Notes
    -----
    A pair that was never in contact at random may touch all the same: 10,000 draws miss pairs that
    1,000,000 find, and more would find more. So a proof that an edge is free holds for the pairs in
    `pairs`, and where that matters they are to be given.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.data("ur5")
    >>> parts = [
    ...     hk.Capsule("link_2", (0, 0, 0), (0.4, 0, 0), 0.06),
    ...     hk.Capsule("link_6", (0, 0, 0), (0, 0, 0.1), 0.05),
    ... ]
    >>> figure = hk.Figure(arm, parts)
    >>> figure.pairs
    ((0, 1),)
    """

    def __init__(
        self,
        model: Model,
        capsules: Sequence[Capsule],
        pairs: Sequence[tuple[int, int]] | None = None,
        *,
        names: Sequence[str] | None = None,
        draws: int = 1_000_000,
        rest: ArrayLike | None = None,
        allowance: Mapping[tuple[int, int], float] | None = None,
    ) -> None:
        is_model(model)
        found = sequence("capsules", capsules, Capsule, "Capsules")
        for capsule in found:
            known_name("frame", capsule.frame, model.frame_names)
            capsule._numbers()
        if names is None:
            names = [capsule.frame for capsule in found]
        said = tuple(text("a name", name) for name in list_of("names", names))
        if len(said) != len(found):
            raise ArgumentError(f"{len(found)} capsules have as many names, got {len(said)}")
        self.model, self.capsules, self.names = model, found, said
        self._draws = whole_number("draws", draws)
        self._rest = model.rest if rest is None else reals(rest, "rest", (model.nq,))
        if self._rest.ndim != 1:
            raise ArgumentError(f"rest is one posture, got shape {self._rest.shape}")
        self._allowed = self._amounts({} if allowance is None else allowance)
        self._given = (
            None if pairs is None else [self._pair(pair) for pair in list_of("pairs", pairs)]
        )
        self._told: Table | None = None  # of one that is made of another
        #: Which capsules, from and to, are no body but what it sits in.
        self._around = (0, 0)

    def __getstate__(self) -> dict[str, Any]:
        """Return what it is made of, without what was worked out since."""
        return {name: self.__dict__[name] for name in _MADE_OF}

    def _pair(self, pair: Any) -> tuple[int, int]:
        try:
            a, b = (whole_number("a pair", place, len(self.capsules) - 1) for place in pair)
        except (TypeError, ValueError) as error:
            raise ArgumentError(
                f"a pair is two places among the {len(self.capsules)} capsules, got {pair!r}"
            ) from error
        if a == b:
            raise ArgumentError(f"a pair is of two capsules, got {pair!r}")
        return min(a, b), max(a, b)

    def _amounts(self, allowance: Any) -> NDArray[np.float64]:
        """Return what each pair may overlap, at [a, b] with a < b; NaN where nothing is said."""
        if not isinstance(allowance, Mapping):
            raise TypeError(
                f"allowance must be a mapping of pairs to meters, got {type(allowance).__name__}"
            )
        out = np.full((len(self.capsules), len(self.capsules)), np.nan)
        for pair, amount in allowance.items():
            meters = finite_number("an allowance", amount)
            if not 0 <= meters < 1e12:
                raise ArgumentError(f"an allowance must be 0 or more, got {meters:g}")
            out[self._pair(pair)] = meters
        return out

    def __repr__(self) -> str:
        return f"Figure({self.model.name!r}, {len(self.capsules)} capsules)"

    @cached_property
    def _table(self) -> Table:
        if self._told is not None:
            return self._told
        if self._given is None:
            return _pairs.table(self, self._draws)
        kept = sorted(set(self._given))
        left = partial(_not_given, len(self.capsules), frozenset(kept))
        return np.array(kept, np.intp).reshape(-1, 2), left

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Places of the capsules that are compared with each other."""
        return tuple(_pairs.as_tuples(self._table[0]))

    @property
    def left_out(self) -> tuple[LeftOut, ...]:
        """The pairs that are not compared, and why."""
        return tuple(LeftOut(pair, reason) for pair, reason in self._table[1]())

    @property
    def _overlaps(self) -> NDArray[np.float64]:
        """By how much each of `pairs` may overlap, meters."""
        a, b = self._table[0].T
        return np.asarray(np.nan_to_num(self._allowed[a, b]))

    @property
    def allowance(self) -> dict[tuple[int, int], float]:
        """Meters by which the pairs that are compared may overlap.

        A copy: to change some, give it changed to another figure.

        Examples
        --------
        >>> import handik as hk
        >>> from handik.scene.check import as_figure
        >>> anna = as_figure(hk.human(sex="female", stature=1.62))
        >>> chest, arm = (anna.names.index(name) for name in ("chest", "forearm_lower_right"))
        >>> anna.allowance[chest, arm]  # flesh alone
        0.01
        >>> hard = {**anna.allowance, (chest, arm): 0.0}
        >>> parts = anna.capsules, anna.pairs
        >>> hk.Figure(anna.model, *parts, names=anna.names, allowance=hard).allowance[chest, arm]
        0.0
        """
        return dict(zip(self.pairs, self._overlaps.tolist(), strict=True))

    def _on(self, model: Model) -> Figure:
        """Return the figure on another model that has its frames: moved, or with joints locked."""
        for capsule in self.capsules:
            known_name("frame", capsule.frame, model.frame_names)
        out = copy(self)
        out.model, out._told = model, self._table
        return out

    def _less(self, gone: NDArray[np.bool_], why: str) -> Figure:
        """Return the figure without some of the pairs that are compared, a row of them each."""
        kept, left = self._table
        out = copy(self)
        more = [(pair, why) for pair in _pairs.as_tuples(kept[gone])]
        out._told = kept[~gone], partial(_with_more, left, more)
        return out

    def drag(
        self,
        point: str | tuple[str, ArrayLike],
        to: ArrayLike,
        *,
        q0: ArrayLike | None = None,
        pins: Sequence[str] = (),
        mode: str = "least change",
        plane: str | Sequence[float] | None = None,
        scene: Scene | None = None,
    ) -> DragStep:
        """Drag a point of a body to a place; the rest of the figure follows.

        Parameters
        ----------
        point : str, or a pair (str, array_like of shape (3,))
            A link or frame, taken at its origin, or at a point in its axes; meters.
        to : array_like, shape (3,)
            Where it is dragged to; two numbers with `plane`.
        q0 : array_like, shape (nq,), optional
            Where the figure is; its rest if not given.
        pins : sequence of str
            Frames whose places stay; with an exclamation mark, ``"foot!"``, their poses.
        mode : {"least change", "fabrik", "ccd"} or str
            How the figure follows: see `handik.plan.Drag`.
        plane : str or sequence, optional
            Of a flat figure: the two axes that are dragged in, such as ``"xy"``.
        scene : Scene, optional
            Keep the figure out of these obstacles and of itself; an empty scene: of itself.

        Returns
        -------
        DragStep

        Raises
        ------
        NotFoundError
            When there is no such link, pin or mode.
        ArgumentError
            When a value does not fit.

        Notes
        -----
        One step. For a hand that goes on, `handik.plan.Drag` is made once and asked again and
        again.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.4, 0.3, 0.2])
        >>> figure = hk.Figure(arm, [hk.Capsule("link_1", (0, 0, 0), (0.4, 0, 0), 0.02)])
        >>> step = figure.drag("link_3", [0.4, 0.3], q0=[0.3, 0.5, 0.5], plane="xy")
        >>> step.converged
        True
        """
        taken = (point, (0.0, 0.0, 0.0)) if isinstance(point, str) else point
        if not isinstance(taken, tuple) or len(taken) != 2:
            raise ArgumentError(f"point must be a name or a pair (name, point), got {point!r}")
        kind = import_module("handik.scene.plan").Drag  # by name: what plans measures
        hold = kind(
            self.model,
            taken[0],
            taken[1],
            q0=self._rest if q0 is None else q0,
            pins=pins,
            mode=mode,
            plane=plane,
            scene=scene,
            figure=None if scene is None else self,
        )
        step: DragStep = hold.to(to)
        return step

    @cached_property
    def _handle(self) -> object:
        """What the core measures."""
        return _pairs.handle(self, self._table[0], self._overlaps)


#: The pairs that are compared, and what tells the others.
Table: TypeAlias = tuple[NDArray[np.intp], Callable[[], list[_pairs.Left]]]
#: What is taken where a figure is asked for.
FigureLike: TypeAlias = Figure | Model | Human


@lru_cache(maxsize=16)
def _of_person(person: Human) -> Figure:
    """Return the figure of a person at the origin."""
    capsules, names = capsules_of_human(person)
    figure = Figure(person.model, capsules, names=names, rest=person.rest)
    figure._allowed = _flesh.allowances(figure, person.rest)
    figure._around = (len(capsules) - len(person._fixed), len(capsules))
    return figure


@lru_cache(maxsize=16)
def _made(body: Model | Human) -> Figure:
    if isinstance(body, Human):
        whole = _of_person(body._at_origin or body)
        return whole if whole.model is body.model else whole._on(body.model)
    capsules, names = capsules_of_links(body)
    return Figure(body, capsules, names=names)


def as_figure(figure: FigureLike) -> Figure:
    """Return the figure of what stands for one.

    Parameters
    ----------
    figure : Figure, Model or Human
        Of a model, capsules that hold its collision shapes: a cylinder gets half balls on its ends,
        a box the capsule about its longest edge, a mesh one capsule about all its points. Of a
        person, capsules that hold its round cones, 1 cm thicker at most.

    Returns
    -------
    Figure
        The same at every call, for the last 16 asked for.

    Raises
    ------
    TypeError
        When it is none of these.
    ArgumentError
        When a model has no collision shapes, or the file of a mesh was not found.
    UnsupportedError
        When a mesh is to be read and ``trimesh`` is not installed.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.scene.check import as_figure
    >>> anna = hk.human(sex="female", stature=1.62)
    >>> as_figure(anna).model is anna.model
    True
    """
    if isinstance(figure, Figure):
        return figure
    if not isinstance(figure, (Model, Human)):
        raise TypeError(f"figure must be a Figure, Model or Human, got {type(figure).__name__}")
    return _made(figure)
