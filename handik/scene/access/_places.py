"""Targets of reach: places, or names of a scene's targets, and what is asked of each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, name_not_found
from handik.scene.access._held import holder_of, is_target, names_held, tagged
from handik.scene.contents import Target
from handik.spec._given import list_of, reals

if TYPE_CHECKING:
    from handik.scene import Scene

__all__ = ["FARTHEST", "Places", "places_of"]

Array = NDArray[np.float64]

#: Meters from the origin within which targets may be.
FARTHEST = 1e4


@dataclass(frozen=True, eq=False)
class Places:
    """Targets in a row: where, along what, and what the hand holds there."""

    shape: tuple[int, ...]  # of the verdicts
    at: Array  # (n, hands, 3)
    along: Array | None  # (n, 3)
    holds: tuple[tuple[str, ...], ...]  # (n)
    pressed: NDArray[np.bool_]  # (n): of what is called a switch or a button
    gripped: NDArray[np.bool_]  # (n): of a thing that a hand may close about, held or not

    def some(self, rows: NDArray[np.intp]) -> Places:
        """Return some of them, in a row."""
        along = None if self.along is None else self.along[rows]
        holds = tuple(self.holds[k] for k in rows.tolist())
        return Places((), self.at[rows], along, holds, self.pressed[rows], self.gripped[rows])


def _named(scene: Scene | None, name: str) -> str:
    if scene is None:
        raise ArgumentError(f"target {name!r} is a name, which only a scene can tell the place of")
    known = scene.find(kind="target")
    if name not in scene.find() or not is_target(scene, name):
        raise name_not_found("target", name, known)
    return name


def _rows(scene: Scene | None, target: Any) -> tuple[list[str], Array]:
    """Return the names, where targets have some, and their places."""
    if isinstance(target, str):
        given = [target]
    elif isinstance(target, (list, tuple)) and target and all(isinstance(t, str) for t in target):
        given = list(target)
    else:
        return [], reals(target, "target", (3,))
    names = [_named(scene, name) for name in given]
    assert scene is not None
    rows = np.array([scene.world(name)[:3, 3] for name in names])
    return names, rows[0] if isinstance(target, str) else rows


def _held(scene: Scene | None, holds: Any, names: list[str], count: int) -> list[tuple[str, ...]]:
    """Return what is held at each target: by default the thing that a named one belongs to."""
    if holds is not None and scene is not None:
        return [names_held(scene, holds)] * count
    if holds is not None and list_of("holds", holds):
        raise ArgumentError("holds= names nodes of a scene, and there is none")
    if holds is not None or scene is None or not names:
        return [()] * count
    each, out = len(names) // count, []
    for k in range(count):
        found = [h for name in names[each * k : each * (k + 1)] for h in holder_of(scene, name)]
        out.append(tuple(dict.fromkeys(found)))
    return out


def _along(scene: Scene | None, axis: Any, names: list[str], lead: tuple[int, ...],
           count: int) -> Array | None:  # fmt: skip
    """Return the axis of each target."""
    if axis is None:
        return None
    if isinstance(axis, str):
        if axis != "target" or not names or scene is None:
            raise ArgumentError('axis is a direction, or "target" where target= is a name')
        return np.array([_axis_of(scene, name) for name in names[:: len(names) // count]])
    found = reals(axis, "axis", (3,))
    if found.ndim > 1 and found.shape[:-1] != lead:
        raise ArgumentError(f"axis is one, or one a target, got shape {found.shape}")
    return np.array(np.broadcast_to(found, (*lead, 3))).reshape(-1, 3)


def places_of(scene: Scene | None, target: Any, axis: Any, holds: Any, hands: int) -> Places:
    """Return the targets, checked."""
    names, rows = _rows(scene, target)
    if np.any(np.abs(rows) > FARTHEST):
        raise ArgumentError(f"target must be within {FARTHEST:g} m of the origin")
    lead = rows.shape[:-1]
    if hands == 2 and lead:
        if lead[-1] != 2:
            raise ArgumentError(
                'hand="both" takes one place, or two of right and left, shape (..., 2, 3), got '
                f"{rows.shape}"
            )
        lead, at = lead[:-1], rows.reshape(-1, 2, 3)
    else:
        at = rows.reshape(-1, 1, 3)
        at = at if hands == 1 else np.repeat(at, hands, axis=1)
    along = _along(scene, axis, names, lead, len(at))
    held, n = tuple(_held(scene, holds, names, len(at))), len(at)
    pressed = np.asarray(_each(scene, names, n, tagged).all(axis=1), bool)
    gripped = np.array([bool(one) for one in held], bool)
    gripped |= _each(scene, names, n, lambda of, name: bool(holder_of(of, name))).any(axis=1)
    return Places(lead, at.copy(), along, held, pressed, gripped)


def _each(
    scene: Scene | None, names: list[str], count: int, tells: Callable[[Scene, str], bool]
) -> NDArray[np.bool_]:
    """Return what something tells of each target's names, false without (count, 1 or more)."""
    if scene is None or not names:
        return np.zeros((count, 1), bool)
    return np.array([tells(scene, name) for name in names], bool).reshape(count, -1)


def _axis_of(scene: Scene, name: str) -> Array:
    content = scene[name].content
    assert isinstance(content, Target)
    out: Array = scene.world(name)[:3, :3] @ np.asarray(content.axis)
    size = float(np.linalg.norm(out))
    return out / size
