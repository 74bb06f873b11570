"""The goal of one frame, as a caller gives it, made a problem and targets: ``pose=`` and so on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.model import Model
from handik.problem._columns import join, pose_columns, turn_columns
from handik.problem._constants import three
from handik.problem._part import position_columns
from handik.problem.problem import Problem
from handik.problem.terms import Axis, Orientation, Pose, Position, Term
from handik.spec._given import OrientationLike, PoseLike, as_array, number

__all__ = ["goal_problem", "kept_plan"]


def _columns(name: str, value: Any, width: int) -> NDArray[Any]:
    """Columns of one goal, checked here so that two wrong widths cannot make a right sum."""
    array = as_array(name, value)
    if array.shape[-1:] != (width,):
        raise ArgumentError(f"{name} must have shape (..., {width}), got {array.shape}")
    return array


def _clear(scene: Any) -> Term:
    """Return the term that keeps clear of a scene, or the one that is given."""
    if isinstance(scene, Term) and scene.kind == "obstacles":
        return scene
    make = getattr(scene, "_kept_clear", None)
    if make is None or isinstance(scene, type):
        raise TypeError(f"scene must be a Scene or a Clearance, got {type(scene).__name__}")
    found: Term = make()
    return found


def kept_plan(problem: Problem, settings: tuple[Any, ...], make: Callable[[], Any]) -> Any:
    """Return a plan, made once for each problem and settings: what is worth keeping.

    Parameters
    ----------
    problem : Problem
        Whose plan it is.
    settings : tuple
        What else it depends on.
    make : callable
        Makes it, of the problem.

    Returns
    -------
    object
        What was made, now or earlier.

    Examples
    --------
    >>> import handik as hk
    >>> problem, targets = goal_problem(hk.chain([1.0, 1.0]), position=[1.0, 0.5, 0.0])
    >>> plan = kept_plan(problem, (), lambda: [problem])
    >>> kept_plan(problem, (), lambda: [problem]) is plan
    True
    """
    kept = problem.model._problems
    kinds = tuple(type(one) for one in settings)  # True is no 1
    key = ("plan", id(problem), settings, kinds)  # the plan holds the problem
    try:
        found = kept.get(key)
    except TypeError:  # a list or an array is no setting: who makes the plan says so
        return make()
    if found is None:
        found = make()
        if len(kept) >= 64:  # a seed for each call would keep a plan for each
            kept.clear()
        kept[key] = found
    return found


def _problem(model: Model, key: tuple[Any, ...], scene: Any) -> Problem:
    """Problems are made once for each set of goals and tolerances."""
    if scene is not None:
        key = (*key, id(scene))  # what is kept holds the scene
    known: Problem | None = model._problems.get(key)
    if known is None:
        more = [] if scene is None else [_clear(scene)]
        kinds, frame, position_tolerance, orientation_tolerance, tool_axis, axes = key[:6]
        shared: dict[str, Any] = {
            "frame": frame,
            "position_tolerance": position_tolerance,
            "orientation_tolerance": orientation_tolerance,
        }
        made: dict[str, Callable[[], Term]] = {
            "position": lambda: Position(axes=axes, **shared),
            "orientation": lambda: Orientation(**shared),
            "pose": lambda: Pose(**shared),
            "axis": lambda: Axis(axis=tool_axis, **shared),
        }
        if len(model._problems) >= 64:
            model._problems.clear()
        known = model._problems[key] = Problem(model, [*(made[kind]() for kind in kinds), *more])
    return known


def goal_problem(
    model: Model,
    *,
    position: ArrayLike | None = None,
    orientation: OrientationLike | None = None,
    pose: PoseLike | None = None,
    axis: ArrayLike | None = None,
    frame: str | int | None = None,
    position_tolerance: float | None = None,
    orientation_tolerance: float = 1e-4,
    tool_axis: tuple[float, float, float] = (0.0, 0.0, 1.0),
    lock: Mapping[str, Any] | None = None,
    scene: Any = None,
) -> tuple[Problem, Any]:
    """Make a problem and its targets of one frame's goal, as `Model.solve` takes it.

    Parameters
    ----------
    model : Model
        The robot.
    position : array_like, shape (..., 3), optional
        Where the frame's origin shall be, meters; None for a coordinate that is free; shape
        (..., 2) where it moves in a plane along two axes of the world.
    orientation : array_like, shape (..., 4) or (..., 3, 3), or Rotation, optional
        How the frame shall be turned.
    pose : array_like, shape (..., 4, 4), or pair, or RigidTransform, optional
        Both at once.
    axis : array_like, shape (..., 3), optional
        Direction in the world along which `tool_axis` of the frame shall lie.
    frame : str or int, optional
        The frame; the tip if not given.
    position_tolerance : float, optional
        Meters; 1e-4 of the model's reach if not given.
    orientation_tolerance : float
        Radians.
    tool_axis : (float, float, float)
        A direction in the frame's axes, for `axis`.
    lock : mapping of joint name to value, optional
        Joints held still; see `Model.locked`.
    scene : Scene or Clearance, optional
        What is kept clear of; see `Clearance`.

    Returns
    -------
    problem : Problem
        Made once for each set of goals and tolerances.
    targets : ndarray, shape (..., problem.width)
        Its targets.

    Raises
    ------
    ArgumentError
        For no goal, two that exclude each other, or a wrong shape.
    NotFoundError
        When there is no such frame or joint.
    TypeError
        When `scene` is none.

    Examples
    --------
    >>> import handik as hk
    >>> problem, targets = goal_problem(hk.chain([1.0, 1.0]), position=[1.0, 0.5, 0.0])
    >>> problem.columns, targets
    (('tip.x', 'tip.y', 'tip.z'), array([1. , 0.5, 0. ]))
    """
    if frame is not None and not isinstance(frame, str):
        frame = model.frame_names[model._frame_index(frame)]
    kinds: list[str] = []
    parts: list[Any] = []
    axes = "xyz"
    if pose is not None:
        if position is not None or orientation is not None:
            raise ArgumentError("give pose=, or position= and orientation=, not both")
        kinds.append("pose")
        parts.append(pose_columns(pose))
    if position is not None:
        axes, columns = position_columns(model, frame, position)
        kinds.append("position")
        parts.append(columns)
    if orientation is not None:
        kinds.append("orientation")
        parts.append(turn_columns(orientation))
    if axis is not None:
        kinds.append("axis")
        parts.append(_columns("axis", axis, 3))
    if not kinds:
        raise ArgumentError("nothing to reach: give position=, orientation=, pose= or axis=")
    key = (
        tuple(kinds),
        frame,
        None if position_tolerance is None else number("position_tolerance", position_tolerance),
        number("orientation_tolerance", orientation_tolerance),
        three("tool_axis", tool_axis),
        axes,
    )
    if lock is not None:
        model = model.locked(lock)
    return _problem(model, key, scene), join(**dict(zip(kinds, parts, strict=True)))
