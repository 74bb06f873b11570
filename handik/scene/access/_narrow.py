"""A yes among obstacles and under options: witnesses, and what can be proved of them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import inf, sin
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik import _core
from handik.model import Model
from handik.problem import Problem
from handik.problem.terms import Position
from handik.scene.access._body import with_point
from handik.scene.access._enclosed import Enclosed, enclosed
from handik.scene.access._halt import heed
from handik.scene.access._held import held_by
from handik.scene.access._inside import GIVES_WAY, inside
from handik.scene.access._judge import Blocked
from handik.scene.access._no_way import no_way
from handik.scene.access._search import ASKEW, NEAR_MISS, Search
from handik.scene.access._seat import idle_arms_off
from handik.scene.access._touch import with_hands
from handik.scene.access._verdict import Asked, Reach
from handik.scene.access._witness import free_gap, tips, witness

if TYPE_CHECKING:
    from handik.scene.access._options import Options
    from handik.scene.access._places import Places
    from handik.scene.access._verdict import Verdicts

__all__ = ["FAR", "at_place", "at_places", "by_lengths", "chain_to", "no_room", "proved"]

Array = NDArray[np.float64]

#: What the core says of a proof.
FAR = 0
#: Share of the numbers at hand that rounding may take from a length.
ROUNDING = 1e-9
#: Meters: a point on the axis nearer than this to the frame says no more than the frame itself.
NO_LEVER = 1e-3


@lru_cache(maxsize=16)
def chain_to(model: Model, frame: str) -> object:
    """Return the compiled chain to a frame; the last few are kept."""
    return _core._reach_chain(model, frame, False)


def by_lengths(model: Model, frame: str, targets: Array) -> Array:
    """Return by how much the lengths of links and slides alone put targets out of reach."""
    found = Problem(model, [Position(frame)]).distance_lower_bound(targets)[..., 0]
    return np.asarray(found - ROUNDING * (1 + np.linalg.norm(targets, axis=-1)), float)


def proved(
    chain: object, targets: Array, q: Array, tips: Array, far: Array, asked: Asked, threads: int
) -> Any:
    """Return what the core proves of targets: outcomes, cells, least distances met, postures."""
    way = targets - tips
    length = np.linalg.norm(way, axis=-1, keepdims=True)
    normal = np.where(length > 1e-9, way / np.maximum(length, 1e-9), 0.0)
    return _core._reach_prove(chain, targets, normal, far, q, asked.budget, threads)


def wrist_of(model: Model, frame: str, options: Options) -> tuple[float, float, float] | None:
    """Return the point on the frame's axis that is next to what carries it, in its axes.

    It is the one that the last joint moves least: with the axis given it is known but for the half
    angle, so that the chain need only be asked for it.
    """
    step = int(model.frame_step[model.frame_names.index(frame)])
    links = {one.name for one in model.spec.links}
    body = [
        name for name, s in zip(model.frame_names, model.frame_step, strict=True)
        if s == step and name in links
    ]  # fmt: skip
    if not body:
        return None
    own = np.linalg.inv(model.fk(model.rest, frame=frame)) @ model.fk(model.rest, frame=body[0])
    back = float(own[:3, 3] @ options.tool_axis)
    if not back < -NO_LEVER:
        return None
    x, y, z = (back * options.tool_axis).tolist()
    return x, y, z


def turned_away(
    asked: Asked, frame: str, target: Array, q: Array
) -> tuple[tuple[float, float, float], int] | None:
    """Return the point that no posture brings to where the axis wants it, and the cells looked at.

    With the axis within the half angle the point behind the frame lies in a small ball.
    """
    options, axis = asked.options, asked.options.axis
    point = None if axis is None else wrist_of(asked.model, frame, options)
    if axis is None or point is None:
        return None
    back = float(np.linalg.norm(point))
    model, name = with_point(asked.model, frame, point)
    there = (target - back * axis)[None]
    far = np.array([asked.tolerance + 2 * back * sin(0.5 * options.half_angle)])
    if by_lengths(model, name, there)[0] > far[0]:
        return point, 0
    row, at = q[None], tips(model, q[None], name)
    outcome, cells, _, _ = proved(chain_to(model, name), there, row, at, far, asked, 1)
    return (point, int(cells[0])) if outcome[0] == FAR else None


def _enclosed_of(asked: Asked, frame: str, target: Array) -> tuple[Enclosed | None, bool]:
    """Return what leaves no room for a hand, or no posture of an arm (true): of any asked."""
    if asked.scene is None:
        return None, False
    for by in (enclosed, no_way):
        for name, to in ((frame, target), *asked.options.also):
            found = by(asked, name, to)
            if found is not None:
                return found, by is no_way
    return None, False


def no_room(one: Reach, frames: list[str]) -> bool:
    """Tell whether what closes the target to one hand closes it to all of some, of either."""
    if one.verdict != "no":
        return False
    asked, to = one._asked, one.target
    for name in frames:
        own = with_hands(asked, [name])
        whole = own if own.held is None else replace(own, scene=own.held.scene)
        if not (inside(whole, name, to) or enclosed(own, name, to)):
            return False
    return True


def _closed(asked: Asked, frame: str, target: Array, q: Array, cells: int) -> Reach | None:
    """Return the no that is proved of a place within reach; None: none is."""
    whole = asked.scene if asked.held is None else asked.held.scene
    found = None if whole is None else inside(replace(asked, scene=whole), frame, target)
    point = turned_away(asked, frame, target, q)
    room, arm = None, False
    if found is None and point is None:
        room, arm = _enclosed_of(asked, frame, target)
    if found is None and point is None and room is None:
        return None
    near = free_gap(asked, asked.model, frame, target)
    at, gap = (q, inf) if near is None else near
    least, why, deep = asked.tolerance, dict[str, int](), None
    if found is not None:
        why, deep = {found[0]: 0}, found[:2]
        gives = GIVES_WAY if asked.options.holds else 0.0  # so deep a hand may be
        least = max(found[2] - gives, least)
    if room is not None:
        why = dict.fromkeys(room.names, 0)
    spent = cells + (0 if point is None else point[1]) + (0 if room is None else room.cells)
    return Reach("no", at, (least, gap), target, frame, 0, why, spent, asked, _inside=deep,
                 _point=None if point is None else point[0],
                 _enclosed=None if room is None else room.names, _arm=arm)  # fmt: skip


def _open(
    asked: Asked,
    frame: str,
    target: Array,
    q: Array,
    cells: int,
    free: Array | None,
    counts: Blocked,
) -> Reach:
    """Return yes with a witness, else undecided."""
    blocked, shown = dict(counts.counts.most_common()), counts.shown
    if free is not None:
        return Reach("yes", free, (0.0, 0.0), target, frame, counts.tries, blocked, cells, asked,
                     motion=shown.motion, path=shown.path, overlap=shown.overlap)  # fmt: skip
    near = free_gap(asked, asked.model, frame, target)
    at, gap = (q, inf) if near is None else near
    short = (0.0, gap)
    return Reach("undecided", at, short, target, frame, counts.tries, blocked, cells, asked,
                 path=shown.path)  # fmt: skip


def narrowed(asked: Asked, frame: str, target: Array, q: Array, cells: int) -> Reach:
    """Return yes with a witness, no where that is proved, else undecided; the place is reached."""
    closed = _closed(asked, frame, target, q, cells)
    if closed is not None:
        return closed
    counts = Blocked(asked)
    free = witness(asked, asked.model, frame, target, q, counts)
    return _open(asked, frame, target, q, cells, free, counts)


def narrowed_all(
    asked: Asked, frame: str, targets: Array, q: Array, cells: NDArray[np.int64]
) -> list[Reach]:
    """Return the verdicts on places within reach, where nothing is asked but to be there and free.

    What costs least is first: a posture at hand that is free, those of standard people, the proofs,
    then searches. Where there are standard people a long search is made only if a short one came
    near: of a place that none of them reaches there is little to hope for.
    """
    search, closed = Search(asked, frame, targets, q), dict[int, Reach]()
    search.look(np.arange(len(targets)), q)
    search.from_standards()
    for k in search.left().tolist():
        found = _closed(asked, frame, targets[k], q[k], int(cells[k]))
        if found is not None:
            closed[k] = found

    def still() -> NDArray[np.intp]:
        return np.array([k for k in search.left().tolist() if k not in closed], np.intp)

    rows = still()
    if asked.beside is None:
        search.lead_out(rows, q[rows])
    else:
        search.shortly(rows)
        rows = still()
        search.about(rows[search.error[rows] <= NEAR_MISS])
    search.held_off(still())
    for k in still().tolist():
        search.draw(k, asked.beside is None or bool(search.error[k] <= ASKEW))
    return [
        closed[k] if k in closed else
        _open(asked, frame, targets[k], q[k], int(cells[k]), search.found[k], search.counts[k])
        for k in range(len(targets))
    ]  # fmt: skip


def at_place(asked: Asked, places: Places, k: int, hands: list[Reach]) -> Reach:
    """Return the verdict on one target, from those on the hands' places alone."""
    heed()
    options = asked.options
    if places.along is not None:
        options = replace(options, axis=places.along[k])
    options = replace(options, holds=places.holds[k])
    own = replace(asked, options=options)
    if own.figure is not None:
        own = replace(own, figure=idle_arms_off(own.figure, tuple(one.frame for one in hands)))
    if options.holds:
        frames = tuple(one.frame for one in hands)
        scene, held = held_by(own.scene, own.figure, frames, options.holds)
        own = replace(own, scene=scene, held=held)
    own_hands = [replace(one, _asked=own) for one in hands]
    if len(hands) == 2:
        return together(own, *own_hands)
    one = own_hands[0]
    if one.verdict != "yes" or (own.scene is None and options.none):
        return one
    return narrowed(own, one.frame, one.target, one.q, one.cells)


def at_places(asked: Asked, places: Places, hands: Verdicts | list[Reach]) -> list[Reach]:
    """Return the verdicts on all targets, from those on a hand's places alone."""
    plain = asked.scene is not None and asked.options.none and places.along is None
    out = dict[int, Reach]()
    rows = [
        k for k, one in enumerate(hands)
        if plain and not places.holds[k] and one.verdict == "yes"
    ]  # fmt: skip
    if rows:
        some = [hands[k] for k in rows]
        own = replace(asked, figure=idle_arms_off(asked.figure, (some[0].frame,)))
        found = narrowed_all(
            own,
            some[0].frame,
            np.array([one.target for one in some]),
            np.array([one.q for one in some]),
            np.array([one.cells for one in some], np.int64),
        )
        out = dict(zip(rows, found, strict=True))
    return [
        out[k] if k in out else at_place(asked, places, k, [one]) for k, one in enumerate(hands)
    ]


def together(asked: Asked, right: Reach, left: Reach) -> Reach:
    """Return the verdict on two hands at their targets at the same time."""
    for one in (right, left):
        if one.verdict == "no":  # alone, and so with the other too
            return one
    also = ((left.frame, left.target),)
    both = replace(asked, options=replace(asked.options, also=also))
    return narrowed(both, right.frame, right.target, right.q, right.cells + left.cells)
