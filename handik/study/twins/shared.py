"""Coordinates that several joints share because one follows the other, each moved as one.

The best value has no closed form: a few places of the range are looked at, then Gauss-Newton goes
on from the best. The core says the same in csrc/solve/points/shared.c, where it carries the frames
along; here every look is a forward pass of the whole figure and a column of its Jacobian.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from .tree import TURN, Array, Goal, Tree, unit

PLACES, PASSES, ONWARD, HALVES, FLAT = 8, 6, 1, 6, 1e-14


@dataclass(frozen=True)
class Shared:
    """A coordinate of q and the steps of a list, in its order, that share it."""

    coordinate: int
    steps: list[int]


def shared_coordinates(tree: Tree, steps: list[int]) -> list[Shared]:
    """Coordinates that two steps of the list or more have, by their last steps."""
    groups: dict[int, list[int]] = {}
    for s in steps:
        groups.setdefault(int(tree.step_q[s]), []).append(s)
    found = [Shared(i, members) for i, members in groups.items() if len(members) > 1]
    return sorted(found, key=lambda group: group.steps[-1])


@dataclass(frozen=True)
class Pull:
    """A frame, the weights of its point and axes, and where they should be.

    Parameters
    ----------
    frame
        Its index.
    own
        The axes that are meant, in the frame, rows.
    weight, turn_weight
        Of half the square of the distance, and of 1 - cosine of every axis.
    aim, want
        Where the point, and the axes (rows), should be.
    point
        The point that is meant, in the frame.
    """

    frame: int
    own: Array
    weight: float
    turn_weight: float
    aim: Array
    want: Array
    point: Array = field(default_factory=lambda: np.zeros(3))

    @classmethod
    def of(cls, goal: Goal, weight: float, turn_weight: float, aim: Array, want: Array) -> Pull:
        """Return that of a goal."""
        own = np.zeros((0, 3))
        if goal.rotation is not None:
            own = np.eye(3)
        if goal.direction is not None:
            own = unit(np.asarray(goal.axis, float))[None]
        return cls(goal.frame, own, weight, turn_weight, aim, want)


def sum_at(tree: Tree, group: Shared, q: Array, pulls: list[Pull]) -> tuple[float, float, float]:
    """Sum of half the squares, its slope, and about its second derivative."""
    total = slope = bend = 0.0
    column = int(tree.step_v[group.steps[0]])
    for pull in pulls:
        if not set(group.steps) & set(tree.chain(pull.frame)):
            continue
        at, rate = tree.fk(q, pull.frame), tree.jacobian(q, pull.frame)[:, column]
        arm = at[:3, :3] @ pull.point
        speed = rate[:3] + np.cross(rate[3:], arm)
        gap = at[:3, 3] + arm - pull.aim
        total += 0.5 * pull.weight * float(gap @ gap)
        slope += pull.weight * float(gap @ speed)
        bend += pull.weight * float(speed @ speed)
        for own, want in zip(pull.own, pull.want, strict=True):
            have = at[:3, :3] @ own
            go = np.cross(rate[3:], have)
            total += pull.turn_weight * (1 - float(have @ want))
            slope -= pull.turn_weight * float(go @ want)
            bend += pull.turn_weight * float(go @ go)
    return total, slope, bend


def move_shared(
    tree: Tree, group: Shared, q: Array, pulls: list[Pull], around: bool = True
) -> None:
    """Write the best value of a coordinate into q, inside its limits; around: of all its range."""
    i = group.coordinate
    old, low, high = float(q[i]), float(tree.lower[i]), float(tree.upper[i])

    def look(by: float) -> tuple[float, float, float]:
        moved = np.array(q, float)
        moved[i] = old + by
        return sum_at(tree, group, moved, pulls)

    best, (lowest, slope, bend) = 0.0, look(0.0)
    turns = [abs(float(tree.step_line[s, 0])) for s in group.steps if tree.step_kind[s] == TURN]
    if turns and around:
        half = np.pi / max(turns)
        a, b = max(low - old, -half), min(high - old, half)
        for k in range(PLACES):
            by = a + (b - a) * (k + 0.5) / PLACES
            got = look(by)
            if got[0] < lowest:
                best, (lowest, slope, bend) = by, got
    for _ in range(PASSES if around else ONWARD):
        if not bend > 0:
            break
        step = float(np.clip(best - slope / bend, low - old, high - old)) - best
        for _ in range(HALVES):
            got = look(best + step)
            flat = got[0] <= lowest + FLAT * (lowest + bend) and abs(got[1]) < abs(slope)
            if got[0] < lowest or flat:
                break
            step *= 0.5
        else:
            break
        best, (lowest, slope, bend) = best + step, got
        if not abs(step) > 1e-9 * (1 + abs(best)):
            break
    q[i] = np.clip(old + best, low, high)


__all__ = ["Pull", "Shared", "move_shared", "shared_coordinates", "sum_at"]
