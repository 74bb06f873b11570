"""What FABRIK sees of a problem: points, axes and frames that should be somewhere.

A goal of one frame is one wish; a term about two frames is one for each that something moves. Terms
that depend on where the figure stands are looked at anew in every iteration: each has a nearest
place at which it holds, and of two frames both give way by a half. The core says the same in
csrc/solve/points/wish.c and csrc/term/project.c; residuals and measures are those of `terms`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .terms import Row, TermTwin, width_of
from .tree import (
    TURN_SHARE,
    Array,
    Goal,
    Tree,
    even_error,
    judge,
    perpendicular,
    quat_exp,
    quat_from_mat,
    quat_log,
    quat_to_mat,
    unit,
)

PAIR_WEIGHT = 0.1
"""Share of the weight of a term about two frames that each of its sides has, when both move."""

TWO_FRAMES = ("distance", "loop", "loop_hinge", "loop_pose", "position_axes")

Frame = tuple[Array, Array]


@dataclass(frozen=True)
class Stand:
    """How a side of a term stands, or should: its point, its axis, its frame."""

    point: Array
    axis: Array
    rotation: Array


@dataclass
class Wish:
    """A frame of the figure and what is wanted of it.

    Parameters
    ----------
    step
        The step that carries it.
    place
        The frame in the moved frame of the step, its origin at the point that is meant.
    weight
        Against other wishes.
    own
        The axis of the frame that is meant, z where none is.
    point, axis, rotation
        Where they should be; None: nothing is wanted of them.
    frame, offset
        The frame's index, and the point that is meant, in the frame.
    pair
        The number of a term of which it is one side and whose other side moves too; -1: none.
    changes
        Whether what is wanted depends on where the figure stands.
    """

    step: int
    place: Frame
    weight: float
    own: Array
    frame: int
    offset: Array
    point: Array | None = None
    axis: Array | None = None
    rotation: Array | None = None
    pair: int = -1
    changes: bool = False

    def stand(self, world: list[Frame]) -> Stand:
        """How it stands."""
        r, x = world[self.step]
        turned = r @ self.place[0]
        return Stand(x + r @ self.place[1], turned @ self.own, turned)


class Goals:
    """Goals of one frame each, which ask for the same wherever the figure stands."""

    def __init__(self, tree: Tree, goals: list[Goal]) -> None:
        self.tree, self.goals = tree, goals
        self.frames = [g.frame for g in goals]
        moved = [g for g in goals if tree.frame_step[g.frame] >= 0]
        self.wishes = [self._wish(g) for g in moved]

    def _wish(self, goal: Goal) -> Wish:
        axis = None if goal.direction is None else unit(np.asarray(goal.direction, float))
        return Wish(
            int(self.tree.frame_step[goal.frame]),
            self.tree.frame_place(goal.frame),
            goal.weight,
            unit(np.asarray(goal.axis, float)),
            goal.frame,
            np.zeros(3),
            None if goal.position is None else np.asarray(goal.position, float),
            axis,
            goal.rotation,
        )

    def look(self, world: list[Frame]) -> None:
        """Nothing changes."""

    def judge(self, q: Array, world: list[Frame]) -> tuple[float, bool]:
        """Error, and whether all is met."""
        return judge(self.tree, self.goals, world)

    def even(self, q: Array, world: list[Frame], scale: float) -> float:
        """Error in meters, turns by the length ``scale``."""
        return even_error(self.tree, self.goals, world, scale)


@dataclass
class _Pulled:
    """A term, its twin and target, and its sides: a wish, or a frame that nothing moves."""

    term: Any
    twin: TermTwin
    row: Row
    target: Array
    wishes: list[Wish | None]
    fixed: list[Stand | None]

    @property
    def share(self) -> float:
        """Part of the way that the first side goes."""
        if len(self.wishes) == 1 or self.wishes[1] is None:
            return 1.0
        return 0.0 if self.wishes[0] is None else 0.5

    def stands(self, world: list[Frame]) -> list[Stand]:
        """Return both sides, or the one."""
        out = []
        for wish, fixed in zip(self.wishes, self.fixed, strict=True):
            stand = fixed if wish is None else wish.stand(world)
            assert stand is not None
            out.append(stand)
        return out


class Terms:
    """Terms of a model with their targets, as `handik.Problem` takes them.

    Parameters
    ----------
    model : Model
    terms : iterable of Term
        Each of one row of the term table, about one or two frames.
    target : array_like
        Their target row.
    """

    def __init__(self, model: Any, terms: Iterable[Any], target: Any) -> None:
        self.tree = Tree(model)
        self.pulled: list[_Pulled] = []
        self.wishes: list[Wish] = []
        self.frames: list[int] = []
        at, target = 0, np.asarray(target, float)
        for term in terms:
            twin = TermTwin(model, [term])
            (row,) = twin.rows
            width = width_of(row, self.tree)
            self._add(term, twin, row, target[at : at + width])
            at += width

    def _add(self, term: Any, twin: TermTwin, row: Row, target: Array) -> None:
        one_frame = row.kind not in TWO_FRAMES
        frames = [row.frame] if one_frame else [row.frame, row.other]
        made = [self._side(row, side, frame) for side, frame in enumerate(frames)]
        wishes = [wish for wish, _ in made]
        if None not in wishes and len(wishes) == 2:
            wishes = [
                replace(wish, pair=len(self.pulled), weight=PAIR_WEIGHT * wish.weight)
                for wish in wishes
                if wish is not None
            ]
        pulled = _Pulled(term, twin, row, target, wishes, [fixed for _, fixed in made])
        self.pulled.append(pulled)
        self.wishes += [wish for wish in wishes if wish is not None]
        self.frames.append(row.frame)
        if row.kind in ("position", "orientation", "pose", "axis"):
            _want_fixed(pulled)

    def _side(self, row: Row, side: int, frame: int) -> tuple[Wish | None, Stand | None]:
        """Return the wish of a side, or how it stands when nothing moves it."""
        p, point, own = row.params, np.zeros(3), np.array([0.0, 0.0, 1.0])
        if row.kind in ("axis", "level", "look_at"):
            own = unit(p[:3])
        if row.kind == "look_at":
            point = p[3:6]
        if row.kind in ("distance", "loop", "loop_hinge", "loop_pose"):
            point = p[3 * side : 3 * side + 3]
        if row.kind == "loop_hinge":
            own = unit(p[6 + 3 * side : 9 + 3 * side])
        r, x = (np.eye(3), np.zeros(3)) if frame < 0 else self.tree.frame_place(frame)
        place = r, x + r @ point
        step = -1 if frame < 0 else int(self.tree.frame_step[frame])
        if step < 0:
            return None, Stand(place[1], r @ own, r)
        changes = row.kind in PROJECTIONS
        return Wish(step, place, row.weight, own, frame, point, changes=changes), None

    def look(self, world: list[Frame]) -> None:
        """Set what is wanted by how the figure stands."""
        for pulled in self.pulled:
            if pulled.row.kind not in PROJECTIONS:
                continue
            now = pulled.stands(world)
            want = PROJECTIONS[pulled.row.kind](pulled, now)
            for side, wish in enumerate(pulled.wishes):
                if wish is None:
                    continue
                if pulled.row.kind not in ("level", "look_at", "orientation_axes"):
                    wish.point = None if want is None else want[side].point
                if want is not None and pulled.row.kind in ("level", "look_at", "loop_hinge"):
                    wish.axis = want[side].axis
                if want is not None and pulled.row.kind in ("loop_pose", "orientation_axes"):
                    wish.rotation = want[side].rotation

    def judge(self, q: Array, world: list[Frame]) -> tuple[float, bool]:
        """Error, and whether all is met to the tolerances of the terms."""
        total, met = 0.0, True
        for pulled in self.pulled:
            e = pulled.twin.residual(pulled.target, q)
            total += float(e @ e)
            distance, angle = _measure(pulled.row, e / pulled.row.weight)
            met = met and distance <= pulled.term.position_tolerance
            met = met and angle <= pulled.term.orientation_tolerance
        return float(np.sqrt(total)), met

    def even(self, q: Array, world: list[Frame], scale: float) -> float:
        """Error in meters, turns by the length ``scale``."""
        total = 0.0
        for pulled in self.pulled:
            e = pulled.twin.residual(pulled.target, q)
            n = _metric_rows(pulled.row.kind, len(e))
            total += float(e[:n] @ e[:n]) + TURN_SHARE * scale**2 * float(e[n:] @ e[n:])
        return float(np.sqrt(total))


def _metric_rows(kind: str, rows: int) -> int:
    """How many rows of a residual, the first ones, are meters."""
    if kind in ("pose", "loop_hinge", "loop_pose"):
        return 3
    return 0 if kind in ("axis", "look_at", "orientation", "level", "orientation_axes") else rows


def _want_fixed(pulled: _Pulled) -> None:
    """Set what a term wants wherever the figure stands."""
    wish, target = pulled.wishes[0], pulled.target
    if wish is None:
        return
    if pulled.row.kind in ("position", "pose"):
        wish.point = target[:3]
    if pulled.row.kind in ("orientation", "pose"):
        wish.rotation = quat_to_mat(target[-4:])
    if pulled.row.kind == "axis":
        wish.axis = unit(target)


def _measure(row: Row, e: Array) -> tuple[float, float]:
    """Meters and radians that a residual says."""
    kind = row.kind
    if kind == "position_axes":
        return float(np.linalg.norm(e / row.data.reshape(-1, 4)[:, 3])), 0.0
    if kind == "orientation_axes":
        half = e / np.sqrt(2 * (row.params @ row.params - row.params**2))
        return 0.0, 2 * float(np.arcsin(min(float(np.linalg.norm(half)), 1.0)))
    size = float(np.linalg.norm(e[:3]))
    rest = float(np.linalg.norm(e[3:]))
    if kind in ("axis", "look_at"):
        return 0.0, 2 * float(np.arcsin(min(size / 2, 1.0)))
    if kind in ("orientation", "level"):
        return 0.0, size
    if kind == "loop_hinge":
        return size, 2 * float(np.arcsin(min(rest / 2, 1.0)))
    return size, rest


# -- the nearest place at which a term holds; None: it holds ------------------------------------

Sides = list[Stand]


def _level(pulled: _Pulled, now: Sides) -> Sides | None:
    u, angle = unit(pulled.row.params[3:6]), float(pulled.row.params[6])
    across = now[0].axis - (now[0].axis @ u) * u
    far = float(np.linalg.norm(across)) > 1e-12
    side = unit(across) if far else perpendicular(u)
    return [replace(now[0], axis=np.cos(angle) * u + np.sin(angle) * side)]


def _look_at(pulled: _Pulled, now: Sides) -> Sides | None:
    way = pulled.target - now[0].point
    return [replace(now[0], axis=unit(way) if way.any() else now[0].axis)]


def _distance(pulled: _Pulled, now: Sides) -> Sides | None:
    least, most = pulled.row.params[6:8]
    d = now[0].point - now[1].point
    length = float(np.linalg.norm(d))
    excess = length - float(np.clip(length, least, most))
    if excess == 0:
        return None
    way = unit(d) if length > 0 else np.array([0.0, 0.0, 1.0])
    share = pulled.share
    return [
        replace(now[0], point=now[0].point - share * excess * way),
        replace(now[1], point=now[1].point + (1 - share) * excess * way),
    ]


def _loop(pulled: _Pulled, now: Sides) -> Sides | None:
    middle = (1 - pulled.share) * now[0].point + pulled.share * now[1].point
    return [replace(now[0], point=middle), replace(now[1], point=middle)]


def _loop_hinge(pulled: _Pulled, now: Sides) -> Sides | None:
    middle = (1 - pulled.share) * now[0].axis + pulled.share * now[1].axis
    far = float(np.linalg.norm(middle)) > 1e-9
    axis = unit(middle) if far else perpendicular(now[0].axis)
    return [replace(side, axis=axis) for side in _loop(pulled, now) or []]


def _loop_pose(pulled: _Pulled, now: Sides) -> Sides | None:
    apart = quat_log(quat_from_mat(now[0].rotation.T @ now[1].rotation))
    middle = now[0].rotation @ quat_to_mat(quat_exp(pulled.share * apart))
    return [replace(side, rotation=middle) for side in _loop(pulled, now) or []]


def _position_axes(pulled: _Pulled, now: Sides) -> Sides | None:
    axes = pulled.row.data.reshape(-1, 4)[:, :3] @ now[1].rotation.T
    way = (axes @ (now[0].point - now[1].point) - pulled.target) @ axes
    share = pulled.share
    return [
        replace(now[0], point=now[0].point - share * way),
        replace(now[1], point=now[1].point + (1 - share) * way),
    ]


def _orientation_axes(pulled: _Pulled, now: Sides) -> Sides | None:
    return [replace(now[0], rotation=quat_to_mat(pulled.target))]


PROJECTIONS: dict[str, Callable[[_Pulled, Sides], Sides | None]] = {
    "level": _level,
    "look_at": _look_at,
    "distance": _distance,
    "loop": _loop,
    "loop_hinge": _loop_hinge,
    "loop_pose": _loop_pose,
    "position_axes": _position_axes,
    "orientation_axes": _orientation_axes,
}

__all__ = ["Goals", "Stand", "Terms", "Wish"]
