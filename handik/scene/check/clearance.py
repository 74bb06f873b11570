"""The term that keeps a figure clear of a scene, and of itself, while a solver moves it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from handik import _core
from handik.errors import ArgumentError
from handik.model import Model
from handik.problem.term import Part, Term
from handik.scene.check._carried import carried
from handik.scene.check.figure import Figure, FigureLike, as_figure
from handik.scene.check.measure import compiled, distance
from handik.spec._given import finite_number

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from handik.scene.document import Scene
    from handik.spec import JointSpec

__all__ = ["Clearance"]


#: Meters, and parts of a unit axis, by which the same body may differ in two models.
_SAME = 1e-9


def _same_joint(one: JointSpec, other: JointSpec) -> bool:
    """Tell whether two joints join the same links alike; either may be held fixed."""
    kinds = {one.kind, other.kind} - {"fixed"}
    axes = [np.asarray(joint.axis, float) for joint in (one, other)]
    off = max(
        np.abs(axis / np.linalg.norm(axis) - axes[0] / np.linalg.norm(axes[0])).max()
        for axis in axes
    )
    return bool(
        one.parent == other.parent
        and len(kinds) <= 1
        and np.abs(one.placement - other.placement).max() <= _SAME
        and ("fixed" in (one.kind, other.kind) or off <= _SAME)
    )


def _differs(figure: Figure, model: Model) -> str | None:
    """Return a frame of the figure that another model carries otherwise; None: there is none.

    Limits, what is locked and where the root stands do not matter.
    """
    own, spec = figure.model._spec, model._spec
    above = {joint.child: joint for joint in own.joints}
    others = {joint.child: joint for joint in spec.joints}
    places = {frame.name: frame for frame in own.frames}
    frames = {frame.name: frame for frame in spec.frames}
    seen: set[str] = set()
    for part in figure.capsules:
        link: str = part.frame
        if link in places:
            mine, found = places[link], frames.get(link)
            if found is None or found.link != mine.link:
                return str(part.frame)
            if np.abs(found.placement - mine.placement).max() > _SAME:
                return str(part.frame)
            link = mine.link
        while link in above and above[link].parent != own.root and link not in seen:
            seen.add(link)
            if link not in others or not _same_joint(above[link], others[link]):
                return str(part.frame)
            link = above[link].parent
    return None


@lru_cache(maxsize=16)
def _on(figure: Figure, model: Model) -> Figure:
    """Return the figure on another model of the same body: one with joints locked, or moved."""
    out = figure._on(model)
    link = _differs(figure, model)
    if link is not None:
        raise ArgumentError(
            f"the figure of the clearance is of the model {figure.model.name!r}, where {link!r} is "
            f"held otherwise than in {model.name!r}: make a handik.Figure of the problem's model"
        )
    return out


class _Nothing:
    """What stands about a figure that is measured against itself."""

    def obstacles(self) -> tuple[Any, ...]:
        """Return none."""
        return ()


_NOTHING = _Nothing()


@dataclass(frozen=True, eq=False)
class Clearance(Term):
    """The whole figure keeps clear of a scene, and of itself: no columns.

    Zero residual where all is clear, so that no goal is drawn aside by what stands near. Where
    something is nearer than the distance wanted, a row for each such pair, of up to the twelve
    that lack most, says by how much; signed depth leads out of what a posture has entered. Whether
    a problem is solved only the measured distances say, those of `Scene.distance`: no answer in
    contact counts as converged.

    `auto` solves the other goals without the obstacles first, from the start given and then from
    free postures of the scene near the target; the first answer that is clear is taken. Where none
    of these is, descents with the rows of this term begin at the same starts.

    Attributes
    ----------
    scene : Scene or None
        What is kept clear of; None: the figure of itself alone.
    figure : Figure, Model, Human or None
        Whose capsules; its model must be that of the problem, or the same body with other limits,
        joints locked, another base or more frames. None: the problem's model, by its collision
        shapes.
    distance : float
        From every obstacle, meters.
    self_distance : float
        Between the capsules of the figure whose pairs are compared, meters.

    Raises
    ------
    TypeError
        When scene or figure is none.
    ArgumentError
        When a distance is negative or not finite, or the model has no collision shapes and no
        figure is given, or the figure is of another body than the problem's.
    NotFoundError
        When the problem's model lacks a frame of the figure.

    Notes
    -----
    `position_tolerance` is 0 here: the distance is kept, not nearly kept. Rows aim 1e-4 of the
    model's reach beyond it, so that a step that is right to first order ends clear.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.data("ur5")
    >>> at = [[1, 0, 0, 0.5], [0, 1, 0, 0], [0, 0, 1, 0.2], [0, 0, 0, 1]]
    >>> table = hk.Scene().add("table", hk.scene.Box((0.5, 1.0, 0.05)), at)
    >>> parts = [hk.Capsule("link_3", (0, 0, 0), (0.4, 0, 0), 0.06)]
    >>> figure = hk.Figure(arm, parts)
    >>> problem = hk.Problem(arm, [hk.Position(), hk.Clearance(table, figure)])
    >>> found = hk.Solver("auto")(problem, [0.4, 0.2, 0.5])
    >>> found.converged, bool(table.distance(figure, found.q) >= 0.01)
    (True, True)
    """

    scene: Scene | None
    figure: FigureLike | None = None
    _: KW_ONLY
    distance: float = 0.01
    self_distance: float = 0.0
    frame: str | None = field(default=None, repr=False)
    position_tolerance: float | None = 0.0

    kind = "obstacles"
    of_a_frame = False

    def _figure_on(self, model: Model) -> Figure:
        """Return the figure that keeps clear in a problem about this model."""
        made = as_figure(model if self.figure is None else self.figure)
        return made if made.model is model else _on(made, model)

    def _blocked(self, model: Model, q: NDArray[np.float64]) -> str | None:
        """Say which pair is nearer than it may be, the one that lacks most."""
        worst, said = 0.0, None
        around, figure = carried(self.scene or _NOTHING, self._figure_on(model))
        alone = Figure(model, figure.capsules, pairs=[], names=figure.names)
        looks: list[tuple[float, Any, Figure]] = [
            (self.distance, around, alone),
            (self.self_distance, _NOTHING, figure),
        ]
        for want, scene, who in looks:
            near = distance(scene, who, q, details=True)
            lack = want - float(near.distance)
            if near.part is None or lack < worst or (lack == 0 and near.distance > 0):
                continue
            worst = lack
            less = f"{1e3 * abs(near.distance):.3g} mm"
            way = f"{less} inside" if near.distance < 0 else f"{less} from"
            said = f"blocked: {near.part} is {way} {near.other}"
        return said

    def _parts(self, model: Model, frame: str | None) -> list[Part]:
        """Return the row of the core's term table."""
        distances = []
        for name in ("distance", "self_distance"):
            value = finite_number(name, getattr(self, name))
            if value < 0:
                raise ArgumentError(f"{name} must be 0 or more, got {value:g}")
            distances.append(value)
        what = compiled(self.scene, self._figure_on(model))
        clear = _core._scene_clear(what.world, what.figure)
        return [Part(self.kind, None, tuple(distances), clear=clear)]
