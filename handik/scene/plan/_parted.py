"""That there is no way, proved for few joints: what lies between start and goal is blocked."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.scene.check import Compiled, Figure, compiled
from handik.scene.shapes import Mesh

if TYPE_CHECKING:
    from handik.scene import Scene

__all__ = ["parted"]

Array = NDArray[np.float64]

#: Cells of each axis by the number of joints: at first, and how often they are halved.
FIRST, HALVINGS = {1: 64, 2: 16, 3: 8}, {1: 8, 2: 6, 3: 4}
#: Cells that may be undecided at a time; meters that depth must have to spare.
MOST, SPARE = 300_000, 1e-8


def _questions(scene: Scene | None, figure: Figure) -> list[Compiled]:
    """Return a figure's capsules one by one, and its pairs: each moves less than the whole."""
    model, parts, allowed = figure.model, figure.capsules, figure.allowance
    out = []
    if scene is not None:
        out += [compiled(scene, Figure(model, [part], pairs=[])) for part in parts]
    for a, b in figure.pairs:
        give = {(0, 1): allowed[a, b]} if allowed[a, b] > 0 else None
        pair = Figure(model, [parts[a], parts[b]], pairs=[(0, 1)], allowance=give)
        out.append(compiled(None, pair))
    return out


def _cells(asked: list[Compiled], low: Array, high: Array) -> NDArray[np.bool_] | None:
    """Return which cells of the box of limits are proved blocked, or None: too many to tell.

    A cell is blocked where something is in contact at its middle, deeper than it moves within the
    cell: signed distance falls by no more than things move.
    """
    n = len(low)
    size = (high - low) / FIRST[n]
    blocked = np.zeros((FIRST[n],) * n, bool)
    left: NDArray[np.intp] = np.argwhere(~blocked)
    for level in range(HALVINGS[n] + 1):
        if level:
            size = size / 2
            for axis in range(n):
                blocked = blocked.repeat(2, axis)
            corners = np.array(list(product((0, 1), repeat=n)))
            left = (2 * left[:, None] + corners).reshape(-1, n)
        if len(left) > MOST:
            return None
        middle = low + (left + 0.5) * size
        deep, undecided = np.zeros((2, len(left)), bool)
        for one in asked:
            moves = _core._scene_motions(one.figure, middle[:1], middle[:1] + size / 2)[0]
            most = float(moves * (1 + 1e-9) + SPARE)
            found = _core._scene_distance(one.world, one.figure, middle, 2 * most, False, 1, None)
            deep |= found < -most
            undecided |= np.abs(found) <= most
        blocked[tuple(left[deep].T)] = True
        left = left[undecided & ~deep]
    return blocked


def _reached(blocked: NDArray[np.bool_], start: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return the cells that a way from a cell may lead to, through sides, edges and corners."""
    padded = np.pad(blocked, 1, constant_values=True)
    steps = np.array([s for s in product((-1, 0, 1), repeat=blocked.ndim) if any(s)])
    strides = np.array(padded.strides) // padded.itemsize
    jumps, flat = steps @ strides, padded.ravel()
    seen = flat.copy()
    front = np.array([(start + 1) @ strides])
    seen[front] = True
    while len(front):
        near = np.unique((front[:, None] + jumps).ravel())
        front = near[~seen[near]]
        seen[front] = True
    reached = (seen & ~flat).reshape(padded.shape)
    return np.asarray(reached[(slice(1, -1),) * blocked.ndim])


def parted(scene: Scene | None, figure: Figure, start: Array, goals: Array) -> bool:
    """Tell whether no way leads from a start to any of some goals, all free and inside the limits.

    False says nothing. It is only asked of one to three turns and slides with limits, among
    obstacles whose depth is exact: no meshes.
    """
    model = figure.model
    low, high = np.asarray(model.lower, float), np.asarray(model.upper, float)
    if model.nq != model.nv or not 1 <= model.nv <= 3:
        return False
    if not np.isfinite(low).all() or not np.isfinite(high).all() or np.any(high - low < 1e-6):
        return False
    if scene is not None and any(isinstance(one.shape, Mesh) for one in scene.obstacles()):
        return False
    blocked = _cells(_questions(scene, figure), low, high)
    if blocked is None or not blocked.any():
        return False
    share = np.array(blocked.shape) / (high - low)
    cells = ((np.vstack([start, goals]) - low) * share).astype(np.intp)
    cells = np.clip(cells, 0, np.array(blocked.shape) - 1)
    reached = _reached(blocked, cells[0])
    return not reached[tuple(cells[1:].T)].any()
