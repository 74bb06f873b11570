"""Direct manipulation: a point of a body is taken and dragged, and the figure follows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik._model import Model
from handik.errors import ArgumentError
from handik.problem import Problem
from handik.problem._constants import axes_of
from handik.problem.terms import Pose, Position
from handik.scene.plan._table import _place
from handik.solve import Solver, solvers
from handik.spec import FrameSpec
from handik.spec._given import is_model, known_name, points_of, sequence, text, whole_number

if TYPE_CHECKING:
    from handik.scene.document import Scene

__all__ = ["Drag", "DragStep"]

Array = NDArray[np.float64]

#: Halvings by which a step that is not proved free is shortened.
_HALVINGS = 8
#: Sizes of the figure beyond which a target that is not met is replaced by one on the way to it.
_FAR = 2.0
#: Names of the ways to follow, and the solver of each.
_MODES = {"least change": "dls", "fabrik": "fabrik", "ccd": "ccd"}


@dataclass(frozen=True, eq=False)
class DragStep:
    """Where a figure is after a drag's step.

    Attributes
    ----------
    q : ndarray, shape (nq,)
        The configuration, inside the limits.
    converged : bool
        Whether the point is where it was dragged to, and every pin where it was.
    error : float
        Distance of the point from there, meters.
    blocked : bool
        Whether the step was cut short, since the rest of it is not proved free of collision.
    """

    q: Array
    converged: bool
    error: float
    blocked: bool


class Drag:
    """A point of a body held by a hand or a mouse.

    Parameters
    ----------
    model : Model
    link : str
        The link or frame the point is on.
    point : array_like, shape (3,)
        The point in its axes, meters; its origin if not given.
    q0 : array_like, shape (nq,), optional
        The configuration it is taken in; the model's rest if not given.
    pins : sequence of str
        Frames whose positions stay; with an exclamation mark, ``"foot!"``, their poses.
    mode : {"least change", "fabrik", "ccd"} or str
        How the figure follows: damped least squares, which changes the joints least; or another
        solver's way, by its name.
    plane : str or sequence, optional
        Of a flat figure: the two axes that are dragged in, such as ``"xy"``; targets have two
        numbers then.
    scene : Scene, optional
    figure : Figure, Human or Model, optional
        Keep these bodies out of the scene and of each other, from the first posture that is free.
    max_iter : int
        Iterations of a step: what it may cost.
    lock : mapping of joint name to value, optional
        Joints held still, each where it is in `q0`; see `Model.locked`.

    Raises
    ------
    NotFoundError
        When there is no such link, pin, joint or solver.
    ArgumentError
        When a value does not fit.

    Notes
    -----
    Each step begins where the one before ended, and tries neither restarts nor pushes, so that a
    steady hand moves the figure steadily. A point dragged out of reach is followed as near as the
    method comes; the pins come first (see `Term.priority`).

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.4, 0.3, 0.2])
    >>> drag = hk.plan.Drag(arm, "link_2", [0.1, 0, 0], q0=[0.3, 0.5, 0.5], plane="xy")
    >>> step = drag.to(drag.point + [-0.05, 0.05])
    >>> step.converged, step.blocked
    (True, False)
    """

    __slots__ = (
        *("_along", "_figure", "_frame", "_free", "_model", "_problem", "_row", "_scene"),
        *("_size", "_solver", "q"),
    )

    q: Array

    def __init__(
        self,
        model: Model,
        link: str,
        point: ArrayLike = (0.0, 0.0, 0.0),
        *,
        q0: ArrayLike | None = None,
        pins: Sequence[str] = (),
        mode: str = "least change",
        plane: str | Sequence[float] | None = None,
        scene: Scene | None = None,
        figure: Any = None,
        max_iter: int = 30,
        lock: Mapping[str, Any] | None = None,
    ) -> None:
        is_model(model)
        known_name("link or frame", link, model.frame_names)
        at = np.eye(4)
        at[:3, 3] = points_of(point, "point", (3,))
        self.q = model.rest.copy() if q0 is None else points_of(q0, "q0", (model.nq,))
        if np.abs(model.clip(self.q) - self.q).max(initial=0.0) > 1e-9:
            raise ArgumentError("q0 is outside the limits")
        self._model, self._frame = _with_frame(model, link, at)
        solver = _MODES.get(text("mode", mode), mode)
        known_name("mode", solver, [*_MODES, *(one.name for one in solvers())])
        axes = "xyz" if plane is None else plane
        _, self._along, _ = axes_of(axes, None)
        named = sequence("pins", pins, str, "a list of names of frames")
        for pin in named:
            known_name("frame of pins", pin.removesuffix("!"), model.frame_names)
        grab = Position(self._frame, axes=axes, priority=1 if named else 0)
        held = [Pose(pin[:-1]) if pin.endswith("!") else Position(pin) for pin in named]
        self._problem = Problem(self._model, [grab, *held], lock=lock)
        if np.abs(self._problem.model.clip(self.q) - self.q).max(initial=0.0) > 1e-9:
            raise ArgumentError("lock must hold joints where they are in q0")
        pinned = [
            pose if pin.endswith("!") else pose[:3, 3]
            for pin in named
            for pose in [np.asarray(model.fk(self.q, frame=pin.removesuffix("!")))]
        ]
        self._row = self._problem.targets(np.zeros(len(self._along)), *pinned)
        known = solvers()[solver].options
        calm = {name: 0 for name in ("max_restarts", "perturbations") if name in known}
        self._solver = Solver(solver, max_iter=whole_number("max_iter", max_iter), **calm)
        self._scene, self._figure = _place(scene, figure, model)
        place = np.asarray(model.fk(self.q, frame=link))[:3, 3]
        self._size = max(
            float(np.linalg.norm(np.asarray(model.fk(self.q, frame=name))[:3, 3] - place))
            for name in model.frame_names
        ) + float(np.linalg.norm(at[:3, 3]))
        self._free = self._scene is None or bool(self._scene.free(self._figure, self.q))

    @property
    def point(self) -> Array:
        """Where the point is: three numbers, or those of the plane's axes."""
        place = np.asarray(self._model.fk(self.q, frame=self._frame))[:3, 3]
        return np.asarray(self._along @ place)

    def _near(self, goal: Array) -> Array | None:
        """Return a place towards a far goal, if it is far: solvers hardly step towards 100 m."""
        away = goal - self.point
        far = float(np.max(np.abs(away)))
        if far <= _FAR * self._size:
            return None
        away = away / far
        return np.asarray(self.point + _FAR * self._size * away / np.linalg.norm(away))

    def to(self, target: ArrayLike) -> DragStep:
        """Drag the point to a place; the figure follows.

        Parameters
        ----------
        target : array_like, shape (3,)
            Meters; of a drag in a plane, two numbers.

        Returns
        -------
        DragStep

        Raises
        ------
        ArgumentError
            When it is no position.

        Examples
        --------
        >>> import handik as hk
        >>> person = hk.human(sex="female").model
        >>> drag = hk.plan.Drag(person, "elbow_right", pins=["hand_left"])
        >>> step = drag.to(drag.point + [0.1, 0, 0.1])
        >>> step.converged
        True
        """
        goal = points_of(target, "target", (len(self._along),))
        row = self._row.copy()
        row[: len(goal)] = goal
        found = self._solver(self._problem, row, self.q)
        if not found.converged and (near := self._near(goal)) is not None:
            row[: len(goal)] = near
            found = self._solver(self._problem, row, self.q)
        q, blocked = np.asarray(found.q), False
        if self._scene is not None:
            if self._free:
                q, blocked = self._kept_out(q)
            else:
                self._free = bool(self._scene.free(self._figure, q))
        self.q = q
        error = math.dist(self.point, goal)
        return DragStep(q.copy(), bool(found.converged) and not blocked, error, blocked)

    def _kept_out(self, q: Array) -> tuple[Array, bool]:
        """Return the farthest halving of the way to q that is proved free."""
        assert self._scene is not None
        move = self._model.difference(self.q, q)
        share = 1.0
        for _ in range(_HALVINGS):
            there = np.asarray(self._model.clip(self._model.integrate(self.q, share * move)))
            if self._scene.proves(self._figure, self.q, there).outcome == "free":
                return there, share < 1.0
            share /= 2
        return self.q, True


def _with_frame(model: Model, link: str, at: Array) -> tuple[Model, str]:
    """Return the model with a frame at a point of one of its frames, and the frame's name."""
    if np.array_equal(at, np.eye(4)):
        return model, link
    spec = model.spec.copy()
    on = next((frame for frame in spec.frames if frame.name == link), None)
    name = "dragged"
    while name in model.frame_names:
        name += "_"
    spec.frames.append(
        FrameSpec(name, link, at) if on is None else FrameSpec(name, on.link, on.placement @ at)
    )
    return type(model)(spec), name
