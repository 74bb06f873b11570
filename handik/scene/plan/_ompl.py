"""Planners of OMPL, asked by name; they call the edges of handik."""

from __future__ import annotations

from collections.abc import Callable
from math import inf, isfinite, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import NotFoundError, UnsupportedError
from handik.scene.plan._task import Task

__all__ = ["ompl_planner"]

Array = NDArray[np.float64]

#: Seconds that a planner gets where the caller gives none.
SECONDS = 5.0


def ompl_planner(name: str, task: Task, until: Callable[[], bool] | None = None) -> Array | None:
    """Return the path of an OMPL planner, or None where it found none in its time.

    `until` ends it where it says so, by whatever clock, and the task's time limit is not asked.
    """
    try:
        from ompl import base, geometric
        from ompl import util as ompl_util
    except ImportError:
        raise UnsupportedError(
            f"planner 'ompl.{name}' needs OMPL: pip install 'handik[ompl]'"
        ) from None
    kind = getattr(geometric, name, None)
    if kind is None or not isinstance(kind, type) or not issubclass(kind, base.Planner):
        raise NotFoundError(f"OMPL has no planner {name!r}")
    model = task.model
    if model.nq != model.nv:
        raise UnsupportedError("OMPL is asked for turns and slides alone, not for balls")
    ompl_util.setLogLevel(ompl_util.LogLevel.LOG_NONE)
    ompl_util.RNG.setSeed(task.seed + 1)
    space = base.RealVectorStateSpace(model.nq)
    bounds = base.RealVectorBounds(model.nq)
    for k, (low, high) in enumerate(zip(model.lower, model.upper, strict=True)):
        bounds.setLow(k, float(low) if isfinite(low) else -pi)
        bounds.setHigh(k, float(high) if isfinite(high) else pi)
    space.setBounds(bounds)
    about = base.SpaceInformation(space)

    def numbers(state: Any) -> Array:
        return np.array([state[k] for k in range(model.nq)])

    class Edges(base.MotionValidator):  # type: ignore[misc]  # ompl has no types
        def checkMotion(self, one: Any, other: Any, last: Any = None) -> bool:
            return bool(task.proves(numbers(one), numbers(other)))

    about.setStateValidityChecker(lambda state: bool(task.free(numbers(state))))
    edges = Edges(about)
    about.setMotionValidator(edges)
    about.setup()

    def state(q: Array) -> Any:
        made = space.allocState()
        for k in range(model.nq):
            made[k] = float(q[k])
        return made

    problem = base.ProblemDefinition(about)
    problem.addStartState(state(task.start))
    goals = base.GoalStates(about)
    for q in task.goals:
        goals.addState(state(q))
    problem.setGoal(goals)
    planner = kind(about)
    planner.setProblemDefinition(problem)
    planner.setup()
    seconds = SECONDS if task.time_limit is None else task.time_limit
    if until is None:
        planner.solve(seconds if seconds < inf else SECONDS)
    else:
        planner.solve(base.PlannerTerminationCondition(until))
    if not problem.hasExactSolution():
        return None
    path = problem.getSolutionPath()
    q = np.array([numbers(path.getState(k)) for k in range(path.getStateCount())])
    q[0] = task.start  # to the last bit
    near = np.abs(task.goals - q[-1]).max(axis=1)
    q[-1] = task.goals[int(np.argmin(near))]
    return q
