"""Task: what a planner of one's own is asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik import _core
from handik.model import Model
from handik.scene.check import Compiled
from handik.scene.plan._found import TOLERANCE, inside_along

__all__ = ["Task"]

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """What a planner of your own is asked: a start, goals, and what tells whether edges are free.

    Attributes
    ----------
    model : Model
    start : ndarray, shape (nq,)
    goals : ndarray, shape (n, nq)
        Any of them will do.
    seed : int
    time_limit : float or None
        Seconds.

    Examples
    --------
    >>> import handik as hk
    >>> arm = hk.chain([0.5, 0.4])
    >>> figure = hk.Figure(arm, [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)])
    >>> def straight(task):
    ...     way = [task.start, task.goals[0]]
    ...     return way if task.proves(*way) else None
    >>> hk.plan.path(None, figure, [0, 0], [1, 0], planner=straight).outcome
    'found'
    """

    model: Model
    start: Array
    goals: Array
    seed: int
    time_limit: float | None
    _ground: Compiled

    def free(self, q: ArrayLike) -> NDArray[np.bool_]:
        """Tell which postures touch nothing.

        Parameters
        ----------
        q : array_like, shape (..., nq)

        Returns
        -------
        ndarray of bool, shape (...)

        Raises
        ------
        ArgumentError
            When q has another shape.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.5, 0.4])
        >>> figure = hk.Figure(arm, [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)])
        >>> def look(task):
        ...     print(task.free(task.goals).tolist())
        >>> hk.plan.path(None, figure, [0, 0], [1, 0], planner=look).outcome
        [True]
        'no_path_in_time'
        """
        return _core._scene_free(self._ground.world, self._ground.figure, q, 1, None)

    def proves(self, q0: ArrayLike, q1: ArrayLike) -> NDArray[np.bool_]:
        """Tell which edges are proved free and stay inside the limits of balls.

        Parameters
        ----------
        q0, q1 : array_like, shape (..., nq)
            Their ends.

        Returns
        -------
        ndarray of bool, shape (...)

        Raises
        ------
        ArgumentError
            When one has another shape.

        Examples
        --------
        >>> import handik as hk
        >>> arm = hk.chain([0.5, 0.4])
        >>> figure = hk.Figure(arm, [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)])
        >>> def look(task):
        ...     print(task.proves(task.start, task.goals).tolist())
        >>> hk.plan.path(None, figure, [0, 0], [1, 0], planner=look).outcome
        [True]
        'no_path_in_time'
        """
        found = _core._scene_edges(self._ground.world, self._ground.figure, q0, q1, TOLERANCE, 1)[0]
        first, last = np.asarray(q0, float), np.asarray(q1, float)
        return np.asarray((found == 0) & inside_along(self._ground, first, last))
