"""Where the parts of a kinematic diagram stand: rigid bodies, pairs, and the lines between them.

A pair with an axis may be drawn anywhere along it. Lines between two axes follow their common
normal, as the lengths of Denavit and Hartenberg do, so that what is drawn along an axis and across
it are the model's own lengths.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.model import Model
from handik.plot._symbols import Paper, across
from handik.spec import JointSpec

__all__ = ["Layout", "Pair", "Way"]

Array = NDArray[np.float64]

#: Sine between two axes up to which they are parallel, and below which their normal would be far
#: away, so that they are joined straight.
SAME, PARALLEL = 1e-6, 0.3
#: A way along both axes may be longer than the straight one by this factor.
DETOUR = 1.6
#: Half lengths of a sleeve between the middles of two symbols.
ROOM = 3.4
LINED = ("revolute", "prismatic", "cylindrical", "helical")


@dataclass(slots=True, eq=False)
class Pair:
    """One moving joint: where it is, and what it joins."""

    name: str
    kind: str
    before: Array  # (4, 4) pose of the joint's frame before its motion
    after: Array  # (4, 4) pose of the child
    axis: Array  # in the world, unit
    axis2: Array  # in the world after the first turn, unit, across the axis
    parent: int  # body
    child: int
    link: str  # that carries it
    first: int  # its first coordinate, -1 when it follows another joint
    at: Array = field(default_factory=lambda: np.zeros(3))  # middle of the symbol
    arrives: int = 0  # side of the axis on which the parent's line comes

    @property
    def line(self) -> Array | None:
        """The axis along which the symbol may stand."""
        return self.axis if self.kind in LINED else None

    @property
    def angle(self) -> float:
        """Present angle about the axis, radians."""
        turn = self.before[:3, :3].T @ self.after[:3, :3]
        axis = self.before[:3, :3].T @ self.axis
        first, second = across(axis)
        return float(np.arctan2(second @ turn @ first, first @ turn @ first))

    @property
    def slide(self) -> float:
        """Present way along the axis, meters."""
        return float(self.axis @ (self.after[:3, 3] - self.before[:3, 3]))


@dataclass(slots=True, eq=False)
class Way:
    """The line of one body from the pair above, or the base, to a pair below or to its end."""

    body: int
    above: Pair | None
    below: Pair | None
    end: str  # the frame at its end, where it ends at no pair
    points: Array  # (n, 3): start, foot on the axis above, welds, foot on the axis below, end
    straight: bool  # it goes from start to end by its welds, not along axes
    welds: list[str]  # the fixed joints it goes by


class Layout:
    """Bodies, pairs and ways of a model in one pose."""

    def __init__(self, model: Model, q: Array) -> None:
        spec = model.spec
        self.poses = dict(zip(model.frame_names, np.asarray(model.frames(q)), strict=True))
        joints = spec.joints
        screws = _screws(joints, model)
        self.body: dict[str, int] = {}
        above = {joint.child: joint for joint in joints}
        self.base = next(link.name for link in spec.links if link.name not in above)
        self._number(joints, screws)
        self.pairs = [
            self._pair(joint, model, screws)
            for joint in joints
            if joint.kind != "fixed" and joint.name not in screws.values()
        ]
        self.fixed = {joint.child: joint for joint in joints if joint.kind == "fixed"}
        self.carrier = {frame.name: frame.link for frame in spec.frames}
        self.ends = self._ends(model, spec.frames)

    def _number(self, joints: list[JointSpec], screws: dict[str, str]) -> None:
        """Give each link the number of its rigid body; a screw's two joints have none between."""
        self.body[self.base] = 0
        count, follow = 0, set(screws.values())
        waiting = list(joints)
        while waiting:
            rest = []
            for joint in waiting:
                if joint.parent not in self.body:
                    rest.append(joint)
                elif joint.kind == "fixed" or joint.name in follow:
                    self.body[joint.child] = self.body[joint.parent]
                else:
                    count += 1
                    self.body[joint.child] = count
            if len(rest) == len(waiting):
                break
            waiting = rest
        self.count = count + 1

    def _pair(self, joint: JointSpec, model: Model, screws: dict[str, str]) -> Pair:
        before = self.poses[joint.parent] @ joint.placement
        axis = before[:3, :3] @ _unit(joint.axis)
        if joint.axis2 is not None:
            second = before[:3, :3] @ _unit(joint.axis2)
        else:
            second = across(axis)[0]
        if joint.kind == "universal":  # the second axis turns with the first coordinate
            after = self.poses[joint.child][:3, :3]
            second = after @ _unit(joint.axis2 or (1.0, 0.0, 0.0))
        kind, child = joint.kind, joint.child
        if joint.name in screws:
            kind = "helical"
            child = next(j.child for j in model.spec.joints if j.name == screws[joint.name])
        where = model.joint_q_slices.get(joint.name)
        alone = joint.mimic is None and where is not None and where.stop > where.start
        first = where.start if alone and where is not None else -1
        return Pair(
            joint.name, kind, before, self.poses[child], axis, second, self.body[joint.parent],
            self.body[joint.child], joint.parent, first, before[:3, 3].copy(),
        )  # fmt: skip

    def _ends(self, model: Model, frames: list[Any]) -> dict[int, str]:
        """Return the frame that each last body is drawn to: the tip, else its farthest frame."""
        leaves = set(range(self.count)) - {pair.parent for pair in self.pairs}
        found: dict[int, str] = {}
        for body in sorted(leaves):
            names = [f.name for f in frames if self.body[f.link] == body]
            names += [link for link, number in self.body.items() if number == body]
            start = next((p.after[:3, 3] for p in self.pairs if p.child == body), np.zeros(3))
            gaps = [float(np.linalg.norm(self.poses[n][:3, 3] - start)) for n in names]
            tip = model.tip
            found[body] = tip if tip in names and tip else names[int(np.argmax(gaps))]
        return found

    # -- places -----------------------------------------------------------------------------------

    def place(self, paper: Paper, size: float) -> list[Way]:
        """Choose where along its axis each symbol stands, and return the bodies' lines."""
        self.size = size
        settled = [pair.at for pair in self.pairs if pair.line is None]
        for pair in self.pairs:
            if pair.line is not None:
                self._settle(pair, paper, settled)
                settled.append(pair.at)
        ways = [self._way(self._above(pair.parent), pair, "") for pair in self.pairs]
        ways += [self._way(self._above(body), None, end) for body, end in self.ends.items()]
        for way in ways:
            if way.below is not None and way.below.line is not None:
                came = float(way.below.axis @ (way.points[-2] - way.below.at))
                way.below.arrives = int(np.sign(came)) if abs(came) > 1e-6 else 0
                if not way.below.arrives:
                    came = float(way.below.axis @ _toward(way.points[::-1]))
                    way.below.arrives = int(np.sign(came)) if abs(came) > 0.7 else 0
        return ways

    def _above(self, body: int) -> Pair | None:
        return next((pair for pair in self.pairs if pair.child == body), None)

    def _below(self, body: int) -> list[Pair]:
        return [pair for pair in self.pairs if pair.parent == body]

    def _settle(self, pair: Pair, paper: Paper, settled: list[Array]) -> None:
        """Put a symbol between the feet of its two lines, or beside where there is room."""
        start = self._way(self._above(pair.parent), pair, "").points
        below = self._below(pair.child)
        after = self._way(pair, below[0] if below else None, self.ends.get(pair.child, "")).points
        low, high = start[-2], after[1]
        if pair.kind == "prismatic":
            low = high = pair.before[:3, 3]
        middle, gap = 0.5 * (low + high), float(np.linalg.norm(high - low))
        if gap < 2.0 * self.size:
            middle = low
        best: float = np.inf
        for step in (0.0, -1.0, 1.0, -2.0, 2.0, -3.0, 3.0):
            at = middle + 0.5 * step * ROOM * self.size * pair.axis
            near = [float(np.linalg.norm(paper(at - other))) for other in settled]
            crowd = sum(max(0.0, ROOM * self.size - one) for one in near)
            long = float(np.linalg.norm(at - start[-3]) + np.linalg.norm(at - after[2]))
            back = _toward(np.array([at, start[-2], start[-3]])) @ _toward(
                np.array([at, after[1], after[2]])
            )
            cost = 6.0 * crowd + long + self.size * (4.0 * max(0.0, float(back)))
            if cost < best - 1e-9:
                best = cost
                pair.at = at

    def _way(self, above: Pair | None, below: Pair | None, end: str) -> Way:
        """Lay a line from the axis above to the axis below."""
        body = above.child if above is not None else 0
        start = above.after[:3, 3] if above is not None else self.poses[self.base][:3, 3]
        stop = below.before[:3, 3] if below is not None else self.poses[end][:3, 3]
        u = above.line if above is not None else None
        w = below.line if below is not None else None
        feet, straight = _feet(start, u, stop, w)
        welds = self._welds(below, end) if straight else []
        first = above.at if above is not None else start
        last = below.at if below is not None else stop
        places = [self.poses[joint.child][:3, 3] for joint in welds]
        points = np.array([first, feet[0], *places, feet[1], last])
        return Way(body, above, below, end, points, straight, [joint.name for joint in welds])

    def _welds(self, below: Pair | None, end: str) -> list[JointSpec]:
        """List the fixed joints between a body's first link and where its line ends."""
        link = below.link if below is not None else self.carrier.get(end, end)
        found: list[JointSpec] = []
        while link in self.fixed:
            found.insert(0, self.fixed[link])
            link = self.fixed[link].parent
        return found


def _feet(a: Array, u: Array | None, b: Array, w: Array | None) -> tuple[tuple[Array, Array], bool]:
    """Where a line leaves the axis through a along u, and where it comes to that through b."""
    v = b - a
    size = float(np.linalg.norm(v))
    sine = float(np.linalg.norm(np.cross(u, w))) if u is not None and w is not None else 0.0
    if u is not None and w is not None and sine > SAME:
        along, _, back = np.linalg.solve(np.stack([u, np.cross(u, w), w], axis=1), v)
        if sine > PARALLEL and abs(along) + abs(back) <= DETOUR * size:
            return (a + along * u, b - back * w), False
    elif u is not None:
        return (a + (v @ u) * u, b), False
    elif w is not None and abs(float(v @ w)) > 0.99 * size:
        return (a, a), False
    return (a, b), True


def _toward(points: Array) -> Array:
    """Return the unit from the first point to the next that is elsewhere; zero if none is."""
    for point in points[1:]:
        gap = float(np.linalg.norm(point - points[0]))
        if gap > 1e-9:
            found: Array = (point - points[0]) / gap
            return found
    return np.zeros(3)


def _screws(joints: list[JointSpec], model: Model) -> dict[str, str]:
    """Pairs of joints that make a screw: a turn, and a slide that follows it on the same line."""
    by_parent = {joint.parent: joint for joint in joints}
    found = {}
    for turn in joints:
        slide = by_parent.get(turn.child)
        if slide is None or {turn.kind, slide.kind} != {"revolute", "prismatic"}:
            continue
        follows = [j.mimic is not None and j.mimic.joint == o.name for j, o in
                   ((slide, turn), (turn, slide))]  # fmt: skip
        axis = slide.placement[:3, :3] @ _unit(slide.axis)
        offset = np.linalg.norm(np.cross(_unit(turn.axis), slide.placement[:3, 3]))
        if any(follows) and abs(axis @ _unit(turn.axis)) > 1 - 1e-9 and offset < 1e-9:
            found[turn.name] = slide.name
    return found


def _unit(axis: Any) -> Array:
    found: Array = np.asarray(axis, float) / np.linalg.norm(axis)
    return found
