"""A chair that is free to stop anywhere: from where, and that there is nowhere.

Poses of the person, x, y and heading, are drawn for a yes and covered by boxes for a no. Between
two poses the target moves, as the person sees it, by no more than the box is wide; so one proof
that the hand stays farther than that from the target closes a box. So does a disc inside the
chair's outline that meets a wall in all its poses.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.people import Human
from handik.people.discomfort import JointDisplacement
from handik.scene.access._narrow import FAR, by_lengths, chain_to, no_room, proved
from handik.scene.access._passing import passes
from handik.scene.access._rooms_of import differs, plan_outlines
from handik.scene.access._seat import axle_of, seated_in
from handik.scene.access._verdict import Asked, Reach, Stop
from handik.scene.access._witness import tips
from handik.spec._given import finite_number, list_of

if TYPE_CHECKING:
    from handik.scene import Scene
    from handik.scene.access.chairs import Chair

__all__ = ["LOW", "anywhere"]

Array = NDArray[np.float64]

#: Meters: the band of heights that a chair's outline takes: up to its arm rests (assumed); the body
#: above is compared as it is.
LOW = (0.0, 0.65)
#: Poses drawn in each round, until some reach the place; how many of them are looked at with all
#: that is asked.
DRAWN, LOOKED_AT = (512, 4096), 16
#: Halvings of a box of poses at most, boxes at most, boxes of joint values for each.
DEPTH, MOST, FEW = 24, 20_000, 400
#: For how far the hand stays short: boxes of each proof at most, halvings of what is not known,
#: meters that need not be known better, and free poses from which the nearest is looked for.
BRIEF, TIMES, FINE, TRIED = 1500, 5, 0.01, 12
LOOSE = 1e-9
#: Meters, and of the cosine: a person's place that is so near to level is on the floor.
FLAT = 1e-6


@dataclass(frozen=True, eq=False)
class _Ground:
    """The floor: walls as convex outlines for a yes and for a no, the chair about its person."""

    outer: list[Array]
    inner: list[Array]
    outline: Array  # about the person, x forward
    back: float  # from the person to the axle, along x: negative where the axle is behind
    floor: float  # height in the world

    def free(self, poses: Array) -> NDArray[np.bool_]:
        """Tell at which poses of the person the outline meets no wall, edges included."""
        out = np.ones(len(poses), bool)
        for k, (x, y, turn) in enumerate(poses):
            c, s = np.cos(turn), np.sin(turn)
            mine = self.outline @ np.array([[c, s], [-s, c]]) + [x, y]
            out[k] = not any(_meet(mine, wall) for wall in self.outer)
        return out

    def stuck(self, poses: Array, half: Array) -> NDArray[np.bool_]:
        """Tell in which boxes every pose has a disc of the outline in a wall."""
        out = np.zeros(len(poses), bool)
        if not self.inner:
            return out
        for at in _middles(self.outline):
            radius = _inside_by(self.outline, at)
            c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
            place = poses[:, :2] + np.stack([c * at[0] - s * at[1], s * at[0] + c * at[1]], 1)
            move = np.hypot(half[:, 0], half[:, 1]) + np.hypot(*at) * half[:, 2]
            near = np.min([_from(wall, place) for wall in self.inner], axis=0)
            out |= near + move < radius - LOOSE
        return out


def _meet(a: Array, b: Array) -> bool:
    """Tell whether two convex outlines meet: no edge of either parts them."""
    for one, other in ((a, b), (b, a)):
        edge = np.roll(one, -1, 0) - one
        normal = np.stack([edge[:, 1], -edge[:, 0]], 1)
        for n, p in zip(normal, one, strict=True):
            if n @ n > 0 and (other @ n).min() > p @ n and (one @ n).max() <= p @ n + LOOSE:
                return False
    for one, other in ((a, b), (b, a)):  # thin ones: along the edge too
        for n in np.roll(one, -1, 0) - one:
            if n @ n > 0 and ((other @ n).min() > (one @ n).max() or
                              (other @ n).max() < (one @ n).min()):  # fmt: skip
                return False
            m = np.array([n[1], -n[0]])
            if n @ n > 0 and ((other @ m).min() > (one @ m).max() or
                              (other @ m).max() < (one @ m).min()):  # fmt: skip
                return False
    return True


def _from(wall: Array, points: Array) -> Array:
    """Return the distances (n,) of points from an outline, 0 inside it."""
    a, b = wall, np.roll(wall, -1, 0)
    if len(wall) == 2:
        a, b = wall[:1], wall[1:]
    way = b - a
    size = np.maximum(np.einsum("ij,ij->i", way, way), 1e-300)
    off = points[:, None] - a
    along = np.clip(np.einsum("nij,ij->ni", off, way) / size, 0, 1)
    near: Array = np.linalg.norm(off - along[..., None] * way, axis=-1).min(1)
    if len(wall) > 2:
        left = way[:, 0] * off[..., 1] - way[:, 1] * off[..., 0]
        near[(left >= 0).all(1)] = 0.0
    return near


def _inside_by(outline: Array, at: Array) -> float:
    """Return the distance of a point inside an outline from its edge."""
    return float(_from(outline[[0, 1]], at[None])[0]) if len(outline) < 3 else float(
        min(_from(np.stack([a, b]), at[None])[0]
            for a, b in zip(outline, np.roll(outline, -1, 0), strict=True))
    )  # fmt: skip


def _middles(outline: Array) -> list[Array]:
    """Return centers of discs inside an outline, from its back to its front."""
    low, high = outline.min(0), outline.max(0)
    half = 0.5 * min(high[0] - low[0], high[1] - low[1])
    return [np.array([x, 0.0]) for x in np.linspace(low[0] + half, high[0] - 0.5 * half, 5)]


def _seen(poses: Array, target: Array) -> Array:
    """Return a target as a person at each pose sees it."""
    off = target[:2] - poses[:, :2]
    c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
    return np.stack([c * off[:, 0] + s * off[:, 1], c * off[:, 1] - s * off[:, 0],
                     np.full(len(poses), target[2])], 1)  # fmt: skip


def _side(seen: Array) -> str:
    angle = float(np.degrees(np.arctan2(seen[1], seen[0])))
    for word, low, high in (("front", -45, 45), ("left", 45, 135), ("right", -135, -45)):
        if low <= angle <= high:
            return word
    return "back"


def _base(pose: Array, floor: float) -> Array:
    out = np.eye(4)
    out[2, 3] = floor
    c, s = np.cos(pose[2]), np.sin(pose[2])
    out[:2, :2], out[:2, 3] = [[c, -s], [s, c]], pose[:2]
    return out


def _ground(person: Human, chair: Chair, scene: Scene, floor: float = 0.0) -> _Ground:
    band = (floor + LOW[0], floor + LOW[1])
    outer = plan_outlines(scene, band)
    inner = plan_outlines(scene, band, inner=True) if differs(scene, band[0]) else outer
    axle = axle_of(person, chair)
    return _Ground(outer, inner, chair.outline + np.array([axle, 0.0]), axle, floor)


def _nowhere(
    asked: Asked, ground: _Ground, frame: str, target: Array, most: int = MOST
) -> tuple[bool, int]:
    """Tell whether it is proved that the place is in reach from no pose, and the boxes needed."""
    model, rest = asked.model, asked.rest
    far = float(model.max_reach)
    tile = 0.25
    across = np.arange(-np.ceil(far / tile), np.ceil(far / tile) + 1) * tile
    turns = (np.arange(8) + 0.5) * np.pi / 4
    grid = np.stack(np.meshgrid(across, across, turns, indexing="ij"), -1).reshape(-1, 3)
    poses = grid + np.array([target[0], target[1], 0.0])
    half = np.tile([0.5 * tile, 0.5 * tile, np.pi / 8], (len(poses), 1)) * (1 + 1e-12)
    chain, spent = chain_to(model, frame), 0
    for _ in range(DEPTH):
        seen = _seen(poses, target)
        move = np.hypot(half[:, 0], half[:, 1]) + np.hypot(seen[:, 0], seen[:, 1]) * half[:, 2]
        wanted = asked.tolerance + move + LOOSE
        spent += len(poses)
        open_ = by_lengths(model, frame, seen) <= wanted
        open_[open_] = ~ground.stuck(poses[open_], half[open_])
        rows = np.flatnonzero(open_)
        if len(rows):
            few = replace(asked, budget=FEW)
            q, at = np.tile(rest, (len(rows), 1)), seen[rows]  # no direction is known
            outcome = proved(chain, seen[rows], q, at, wanted[rows], few, 1)[0]
            open_[rows] = outcome != FAR
        poses, half = poses[open_], half[open_]
        if not len(poses):
            return True, spent
        if spent + 2 * len(poses) > most:
            return False, spent
        poses, half = _halved(poses, half, target)
    return False, spent


def _halved(poses: Array, half: Array, target: Array) -> tuple[Array, Array]:
    """Return the halves of boxes, each cut where it moves the target most."""
    lever = np.hypot(*(poses[:, :2] - target[:2]).T)
    share = np.stack([half[:, 0], half[:, 1], half[:, 2] * np.maximum(lever, 0.1)], 1)
    axis, rows = share.argmax(1), np.arange(len(poses))
    narrow = half.copy()
    narrow[rows, axis] *= 0.5
    step = np.zeros_like(half)
    step[rows, axis] = narrow[rows, axis]
    return np.vstack([poses - step, poses + step]), np.vstack([narrow, narrow])


def _floor_of(person: Human, origin: Human) -> float:
    """Return the height of the floor that a person is on."""
    name = origin.model.frame_names[-1]
    moved = person.model.fk(person.rest, frame=name)
    moved = moved @ np.linalg.inv(origin.model.fk(origin.rest, frame=name))
    if moved[2, 2] < 1 - FLAT:
        raise ArgumentError("approach= is on a level floor, on which the person is not")
    floor = float(moved[2, 3]) - origin._lift
    return floor if abs(floor) > FLAT else 0.0


def anywhere(
    asked: Asked,
    person: Any,
    scene: Scene | None,
    chair: Chair,
    start: Any,
    frames: list[str],
    target: Array,
    ask: Callable[[Human], Reach],
    within: float = inf,
) -> Reach:
    """Return the verdict on one target for a person whose chair may stop anywhere."""
    if not isinstance(person, Human) or scene is None:
        raise ArgumentError("approach= needs a Human and a scene, in which the chair stops")
    if person.position != "seated":
        raise ArgumentError('approach= needs a seated person: position="seated"')
    if start is not None:
        _checked(start)
    person = seated_in(person, chair)
    origin = person._at_origin or person
    floor = _floor_of(person, origin)
    ground = _ground(origin, chair, scene, floor)
    above = target - np.array([0.0, 0.0, floor + origin._lift])
    own = replace(asked, model=origin.model, rest=origin.rest)
    rng = np.random.default_rng(asked.seed)
    best: Reach | None = None
    for count in DRAWN:
        poses = _drawn(rng, count, own, frames, above)
        found = _in_reach(own, frames, poses[ground.free(poses)], above)
        for pose in found[:LOOKED_AT]:
            there = origin.with_base(_base(pose, floor))
            one = replace(ask(there), stop=_stop(ground, pose, above, there))
            one = _arrived(one, chair, scene, start)
            if one.verdict == "yes":
                return one
            if one._by_obstacles and no_room(one, frames):  # wherever the chair stops
                return replace(one, stop=None)
            if best is None or one.short[1] < best.short[1]:
                best = one
    if best is not None:
        return replace(best, verdict="undecided", short=(0.0, best.short[1]))
    sure, boxes = True, 0
    for frame in frames:
        no, spent = _nowhere(own, ground, frame, above)
        sure, boxes = sure and no, boxes + spent
    short = (asked.tolerance if sure else 0.0, inf)
    if within < inf:
        most = _nearest(rng, own, ground, frames, above, lambda p: ask(origin.with_base(p)))
        short = _stays_short(own, ground, frames, above, (short[0], most))
    return Reach("no" if sure else "undecided", asked.rest.copy(), short, target, frames[0],
                 0, {}, boxes, asked, _anywhere=True)  # fmt: skip


def _nearest(
    rng: np.random.Generator,
    own: Asked,
    ground: _Ground,
    frames: list[str],
    target: Array,
    ask: Callable[[Array], Reach],
) -> float:
    """Return how near to the place a hand was found to come, from where a chair may be."""
    far = float(own.model.max_reach)
    away, way, turn = rng.uniform(0, 1, (3, DRAWN[0]))  # more of them near the place
    way, turn = 2 * np.pi * way, 2 * np.pi * turn
    at = target[:2] + far * away[:, None] * np.stack([np.cos(way), np.sin(way)], 1)
    poses = np.column_stack([at, turn])
    poses = poses[ground.free(poses)]
    seen, gap = _seen(poses, target), np.full(len(poses), inf)
    for frame in frames if len(poses) else []:
        found = own.model.solve(position=seen, frame=frame, q0=own.rest, seed=own.seed)
        gap = np.minimum(gap, np.linalg.norm(tips(own.model, found.q, frame) - seen, axis=-1))
    order = np.argsort(gap, kind="stable")[:TRIED]
    return min((ask(_base(pose, ground.floor)).short[1] for pose in poses[order]), default=inf)


def _stays_short(
    own: Asked, ground: _Ground, frames: list[str], target: Array, short: tuple[float, float]
) -> tuple[float, float]:
    """Return how far the hand stays short at least and at most; the first is proved."""
    least, most = short
    if least == 0 or not np.isfinite(most):
        return short
    high = most
    for _ in range(TIMES):
        if high - least <= FINE:
            break
        middle = 0.5 * (least + high)
        wide = replace(own, tolerance=middle)
        if all(_nowhere(wide, ground, frame, target, BRIEF)[0] for frame in frames):
            least = middle
        else:
            high = middle
    return least, most


def _checked(start: Any) -> None:
    given = list_of("start", start)
    if len(given) not in (2, 3):
        raise ArgumentError(f"start must be x, y and heading (None for any), got {len(given)}")
    for k, value in enumerate(given):
        if k < 2 or value is not None:
            finite_number(f"start[{k}]", value)


def _arrived(one: Reach, chair: Chair, scene: Scene, start: Any) -> Reach:
    """Return a verdict with the chair's way to its stop, where that is asked."""
    if one.verdict != "yes" or start is None or one.stop is None:
        return one
    floor = float(one.stop.base[2, 3])
    band = (floor + LOW[0], floor + LOW[1])
    passing = passes(chair, scene, start, one.stop.pose.tolist(), heights=band)
    one = replace(one, stop=replace(one.stop, passing=passing))
    if passing.verdict == "yes":
        return one
    blocked = {**one.blocked, f"the chair's way there: {passing.verdict}": 1}
    return replace(one, verdict="undecided", blocked=blocked, tries=one.tries + 1)


def _drawn(
    rng: np.random.Generator, count: int, asked: Asked, frames: list[str], target: Array
) -> Array:
    """Return random poses of the person from which lengths alone do not rule the place out."""
    far = float(asked.model.max_reach)
    at = target[:2] + rng.uniform(-far, far, (count, 2))
    poses = np.column_stack([at, rng.uniform(-np.pi, np.pi, count)])
    lack = [by_lengths(asked.model, frame, _seen(poses, target)) for frame in frames]
    out: Array = poses[np.min(lack, axis=0) <= asked.tolerance]
    return out


def _stop(ground: _Ground, pose: Array, target: Array, person: Human) -> Stop:
    axle = pose[:2] + ground.back * np.array([np.cos(pose[2]), np.sin(pose[2])])
    side = _side(_seen(pose[None], target)[0])
    return Stop(np.array([*axle, pose[2]]), _base(pose, ground.floor), side, None, person)


def _in_reach(asked: Asked, frames: list[str], poses: Array, target: Array) -> Array:
    """Return the poses from which the place itself is reached, the most comfortable first."""
    if not len(poses):
        return poses
    seen, model = _seen(poses, target), asked.model
    score = np.full(len(poses), inf)
    measure = JointDisplacement(model)
    for frame in frames:
        found = model.solve(position=seen, frame=frame, q0=asked.rest,
                            position_tolerance=0.1 * asked.tolerance, seed=asked.seed)  # fmt: skip
        good = np.linalg.norm(tips(model, found.q, frame) - seen, axis=-1) <= asked.tolerance
        good &= np.asarray(found.converged)
        if good.any():
            score[good] = np.minimum(score[good], measure.score(found.q[good]))
    order = np.argsort(score, kind="stable")
    out: Array = poses[order[np.isfinite(score[order])]]
    return out
