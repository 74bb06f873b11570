"""Free, how far, proved: the three questions about a figure in a scene."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.errors import ArgumentError
from handik.scene.check._carried import carried
from handik.scene.check._world import world_of
from handik.scene.check.figure import Figure, FigureLike, as_figure
from handik.spec._given import finite_number, flag, number, reals, whole_number

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.document import Scene

__all__ = ["OUTCOMES", "Compiled", "Nearest", "Proof", "compiled"]

Array = NDArray[np.float64]

#: The words of a proof, by the number that the core gives.
OUTCOMES = np.array(["free", "collides", "undecided"])


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest pair of each posture.

    Attributes
    ----------
    distance : ndarray (...)
        Meters, below zero in contact: the least way out (of concave prisms and meshes no more than
        that). The cutoff where nothing is nearer.
    part : ndarray of object (...)
        Name of the capsule; None where nothing is within the cutoff.
    other : ndarray of object (...)
        Name of the obstacle, or of the other capsule.
    itself : ndarray of bool (...)
        Whether the other is a capsule of the figure.
    points : ndarray (..., 2, 3)
        On the capsule's surface and on the other's, in the world; NaN where there is none.
    normal : ndarray (..., 3)
        From the other to the capsule, of unit length.
    """

    distance: Array
    part: NDArray[np.object_]
    other: NDArray[np.object_]
    itself: NDArray[np.bool_]
    points: Array
    normal: Array


@dataclass(frozen=True, eq=False)
class Proof:
    """What is proved of edges.

    Attributes
    ----------
    outcome : ndarray of str (...)
        ``"free"``: every posture of the edge is, whatever is sampled. ``"collides"``: the witness
        does. ``"undecided"``: neither was shown; nearer than some millimeters it passes something.
    at : ndarray (...)
        The witness's place on the edge, 0 to 1; where an undecided edge stuck; NaN where free.
    witness : ndarray (..., nq)
        A posture in contact; NaN in the other cases.
    groups : ndarray of int (...)
        Sixteens of postures that were looked at.
    """

    outcome: NDArray[np.str_]
    at: Array
    witness: Array
    groups: NDArray[np.int64]

    def __bool__(self) -> bool:
        """Whether every edge is free."""
        return bool(np.all(self.outcome == "free"))


_worlds: WeakKeyDictionary[Scene, tuple[object, tuple[str, ...]]] = WeakKeyDictionary()


def _among(scene: Scene, figure: FigureLike) -> tuple[object, tuple[str, ...], Figure]:
    """Return the world about a figure, the names in it, and the figure with what it carries."""
    who = as_figure(figure)
    if not callable(getattr(scene, "obstacles", None)) or isinstance(scene, type):
        raise TypeError(f"scene must be a Scene, got {type(scene).__name__}")
    around, who = carried(scene, who)
    found = _worlds.get(around)
    if found is None:
        found = _worlds[around] = world_of(around.obstacles())
    return (*found, who)


_EMPTY = world_of(())


@dataclass(frozen=True, eq=False)
class Compiled:
    """A scene and a figure as the core has them.

    Attributes
    ----------
    model : Model
        Of the figure.
    world, figure : object
        What `_core` takes.
    names, parts : tuple of str
        Of the obstacles, in the order of the world; links of the capsules, and then the paths of
        what is carried.
    """

    model: Model
    world: object
    figure: object
    names: tuple[str, ...]
    parts: tuple[str, ...]


def compiled(scene: Scene | None, figure: FigureLike) -> Compiled:
    """Return what the core measures.

    Parameters
    ----------
    scene : Scene or None
        None: nothing but the figure.
    figure : Figure, Model or Human
        See `as_figure`.

    Returns
    -------
    Compiled
        World, figure and names.

    Raises
    ------
    TypeError
        When one of them is none.

    Examples
    --------
    >>> import handik as hk
    >>> from handik.scene.check import compiled
    >>> figure = hk.Figure(hk.data("ur5"), [hk.Capsule("link_2", (0, 0, 0), (0.4, 0, 0), 0.06)])
    >>> compiled(None, figure).parts
    ('link_2',)
    """
    who = as_figure(figure)
    own = len(who.capsules)
    world, names, who = (*_EMPTY, who) if scene is None else _among(scene, who)
    parts = (*(capsule.frame for capsule in who.capsules[:own]), *who.names[own:])
    return Compiled(who.model, world, who._handle, names, parts)


def _postures(figure: Figure, q: ArrayLike, name: str = "q") -> Array:
    return reals(q, name, (figure.model.nq,))


def free(
    scene: Scene,
    figure: FigureLike,
    q: ArrayLike,
    *,
    threads: int = 1,
    out: NDArray[np.bool_] | None = None,
) -> NDArray[np.bool_]:
    """Return whether a figure touches nothing; see `Scene.free`."""
    who = as_figure(figure)
    rows = _postures(who, q)
    many = whole_number("threads", threads)
    world, _, whole = _among(scene, who)
    return _core._scene_free(world, whole._handle, rows, many, out)


def distance(
    scene: Scene,
    figure: FigureLike,
    q: ArrayLike,
    cutoff: float | None = None,
    *,
    details: bool = False,
    threads: int = 1,
    out: Array | None = None,
) -> Any:
    """Return the least signed distance, or the nearest pairs; see `Scene.distance`."""
    who = as_figure(figure)
    rows = _postures(who, q)
    world, names, who = _among(scene, who)
    most = inf if cutoff is None else number("cutoff", cutoff)
    if not most >= 0:
        raise ArgumentError(f"cutoff must be 0 or more, got {most:g}")
    whole = flag("details", details)
    found = _core._scene_distance(
        world, who._handle, rows, most, whole, whole_number("threads", threads), out
    )
    if not whole:
        return found
    least, which, points, normal = found
    none, count = which[..., 0] < 0, len(names)
    known = np.array([None, *who.names], object)
    others = np.array([None, *names, *who.names], object)
    points[none], normal[none] = np.nan, np.nan
    return Nearest(
        least,
        known[which[..., 0] + 1],
        others[which[..., 1] + 1],
        which[..., 1] >= count,
        points,
        normal,
    )


def proves(
    scene: Scene,
    figure: FigureLike,
    q0: ArrayLike,
    q1: ArrayLike,
    *,
    tolerance: float = 1e-3,
    threads: int = 1,
) -> Proof:
    """Return what is proved of edges; see `Scene.proves`."""
    who = as_figure(figure)
    fine = finite_number("tolerance", tolerance)
    if not 1e-9 <= fine <= 1:
        raise ArgumentError(f"tolerance must be 1e-9 to 1 m, got {fine:g}")
    a, b = _postures(who, q0, "q0"), _postures(who, q1, "q1")
    many = whole_number("threads", threads)
    world, _, whole = _among(scene, who)
    kind, at, groups = _core._scene_edges(world, whole._handle, a, b, fine, many)
    witness = np.full((*kind.shape, who.model.nq), np.nan)
    hit = kind == 1
    if hit.any():
        first, last = np.broadcast_to(a, witness.shape)[hit], np.broadcast_to(b, witness.shape)[hit]
        way = who.model.difference(first, last)
        witness[hit] = who.model.integrate(first, at[hit][:, None] * way)
    place = np.where(kind == 0, np.nan, at)
    return Proof(OUTCOMES[kind], place, witness, groups)
