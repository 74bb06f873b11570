"""Whether a hand can turn what it holds about an axis, and by how much."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.problem import Problem
from handik.problem.terms import Pose
from handik.solve import Solver
from handik.spec.transforms import from_rotation_vector

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.access._verdict import Asked

__all__ = ["turning"]

Array = NDArray[np.float64]

#: Radians between postures at most; how far a joint may go from one to the next; how true each is;
#: how often the last step back is halved.
STEP, JUMP, TRUE_TO, HALVINGS = np.deg2rad(5), 0.5, 1e-3, 5


def turning(
    asked: Asked,
    model: Model,
    frame: str,
    target: Array,
    q: Array,
    fails: Callable[[Array], str | None],
) -> tuple[Array | None, str]:
    """Return postures (n, nq) that turn the hand by all that is asked, and else what ends it.

    The hand turns with the knob about the axis through the target. It may begin anywhere: from the
    posture given it goes back as far as needed, then on; `fails` is asked of every posture.
    """
    options, axis = asked.options, asked.options.axis
    assert axis is not None
    count = ceil(abs(options.turn) / STEP)
    step = options.turn / count
    term = Pose(frame, position_tolerance=asked.tolerance, orientation_tolerance=TRUE_TO)
    solver, problem = Solver("auto", seed=asked.seed, max_restarts=0), Problem(model, [term])
    first = model.fk(q, frame=frame)

    def at(angle: float) -> Array:
        turn = from_rotation_vector(angle * axis)[:3, :3]
        out = np.eye(4)
        out[:3, :3] = turn @ first[:3, :3]
        out[:3, 3] = target
        return out

    def go(here: Array, begin: float, by: float, most: int, halvings: int) -> tuple[Any, ...]:
        """Return postures from one at a turn of `begin`, the turns they are at, what ends them."""
        rows, turns, ended = [here], [begin], ""
        while len(rows) <= most:
            found = solver(problem, problem.targets(at(turns[-1] + by)), q0=rows[-1])
            there = np.array(found.q)
            why: str | None = "no posture goes on"
            if found.converged:
                jump = np.abs(model.difference(rows[-1], there)).max() > JUMP
                why = "the posture would have to change over" if jump else fails(there)
            if why is None:
                rows.append(there)
                turns.append(turns[-1] + by)
            elif halvings:
                by, halvings, most = 0.5 * by, halvings - 1, most + 1
            else:
                ended = why
                break
        return rows, turns, ended

    rows, _, ended = go(q, 0.0, step, count, 0)
    if len(rows) <= count:  # farther back, and all of it from there
        back, turns, _ = go(q, 0.0, -step, count, HALVINGS)
        rows, _, ended = go(back[-1], turns[-1], step, count, 0)
    if len(rows) <= count:
        return None, f"not turned so far: {ended}"
    return np.array(rows), ""
