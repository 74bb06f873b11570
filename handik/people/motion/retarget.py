"""A motion of one figure given to another: other lengths, other joints, other limits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik._model import Model
from handik.errors import ArgumentError
from handik.people.human import Human
from handik.people.motion._mixing import ease
from handik.people.motion._roles import LIMBS, roles_of
from handik.people.motion.motion import Motion
from handik.problem import Problem
from handik.problem.terms import Axis, Orientation, Position, Term
from handik.solve import Solver
from handik.spec._given import finite_number, of_class, points_of, sequence
from handik.spec._rotations import quaternions_of

__all__ = ["Retargeted", "retarget"]

Array = NDArray[np.float64]
#: Weights of a meter and of a radian in each part of the problem. A meter of a pinned part counts
#: most, then that of hands and feet; turns of limbs are what is left to decide.
_PINNED, _ENDS, _ROOT, _BONE, _TURN, _TRUNK = 5.0, 2.0, 0.5, 0.05, 0.01, 0.05
#: Seconds in which a part goes from its own way to where it is pinned.
_FADE = 0.15
#: Frames a contact has at least.
_LEAST = 3
_STOP = 1e-4
#: Passes at most for the places, and the miss at which they end, meters.
_PASSES, _NEAR = 5, 2e-3


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Retargeted:
    """A motion on another figure, and how near it is to the one it came from.

    Attributes
    ----------
    motion : Motion
    scale : float
        Leg of the figure to leg of the source, by which ways along the floor are scaled; by the
        arms where the legs do not move.
    misses : dict of str to ndarray (n,)
        By end part (``hand_left`` ...): meters from where it should be, which is, of a hand, the
        source's way from the shoulder scaled by the length of the arm, carried to this shoulder.
    contacts : dict of str to ndarray of bool (n,)
        By pinned part: the frames in which it stands still.
    source, target : dict of str to str
        The frame of each role in both figures.
    """

    motion: Motion
    scale: float
    misses: dict[str, Array]
    contacts: dict[str, NDArray[np.bool_]]
    source: dict[str, str]
    target: dict[str, str]

    def __repr__(self) -> str:
        far = ", ".join(f"{k} {1000 * v.max(initial=0):.1f} mm" for k, v in self.misses.items())
        return f"Retargeted: {len(self.motion)} frames, scale {self.scale:.3f}, worst {far}"


def retarget(
    motion: Motion,
    person: Human | Model,
    *,
    source: Mapping[str, str] | None = None,
    target: Mapping[str, str] | None = None,
    rest: ArrayLike | None = None,
    source_rest: ArrayLike | None = None,
    pinned: tuple[str, ...] = ("foot_left", "foot_right"),
    still: float = 0.05,
) -> Retargeted:
    """Give a motion to another figure, its limits and contacts kept.

    Parameters
    ----------
    motion : Motion
        Of a figure with named limbs, such as a BVH file's.
    person : Human or Model
        Who shall move. A person whose legs and pelvis do not move keeps sitting and does what the
        source does on its pelvis.
    source, target : mapping of role to frame, optional
        Where names do not tell. Roles are ``pelvis``, ``chest``, ``head`` and, with ``_left`` or
        ``_right``, ``upper_arm``, ``forearm``, ``hand``, ``thigh``, ``shank``, ``foot``; the frame
        of each begins at its upper joint and moves with it.
    rest, source_rest : array_like, shape (nq,), optional
        Configurations in which both stand or sit alike but for the direction of their limbs; a
        `Human`'s own rest, a model's rest, and for BVH its zero rotations by default.
    pinned : tuple of str
        Of ``hand_left``, ``hand_right``, ``foot_left``, ``foot_right``: parts that stay where they
        are while the source's are slower than `still`.
    still : float
        Meters a second.

    Returns
    -------
    Retargeted

    Raises
    ------
    ArgumentError
        When too few roles are found for one limb, or a number is out of range.
    NotFoundError
        When a role or frame is not there.

    Notes
    -----
    First the turns: each part turns from its rest as the source's does, once the rest of both has
    been brought together by the shortest turn of each bone. Then the places: hands by the length
    of the arm, hips and feet by that of the leg. All of it is one least-squares problem a frame,
    solved inside the limits from the frame before.

    References
    ----------
    Gleicher, Retargetting motion to new characters, SIGGRAPH 1998, 33-42: contacts as constraints.

    Examples
    --------
    >>> import numpy as np, handik as hk
    >>> from handik.people.motion import retarget
    >>> anna, paul = hk.human("female", stature=1.6), hk.human("male", stature=1.8)
    >>> q = np.linspace(anna.rest, anna.rest, 5)
    >>> q[:, anna.model.joint_q_slices["elbow_flexion_right"]] += np.linspace(0, 1, 5)[:, None]
    >>> bend = hk.Motion(q, np.arange(5) / 10, anna.model)
    >>> found = retarget(bend, paul, source_rest=anna.rest)
    >>> bool(found.misses["hand_right"].max() < 0.01)
    True
    """
    of_class("motion", motion, Motion)
    model, own_rest = _figure(person, rest)
    start = motion.model.rest if source_rest is None else source_rest
    start = points_of(start, "source_rest", (motion.model.nq,))
    still = finite_number("still", still)
    if not still > 0:
        raise ArgumentError(f"still must be above zero, got {still!r}")
    pinned = sequence("pinned", pinned, str, "a tuple of texts")
    for part in pinned:
        if part not in {limb[2] for limb in LIMBS}:
            raise ArgumentError(f"pinned must be hands and feet such as 'foot_left', got {part!r}")
    roles = (
        roles_of(motion.model.frame_names, source, "source"),
        roles_of(model.frame_names, target, "target"),
    )
    theirs, ours = (
        _Seen(motion.model, motion.q, start, roles[0]),
        _Seen(model, own_rest[None], own_rest, roles[1]),
    )
    work = _Work(motion, model, own_rest, theirs, ours)
    return work.run(pinned, still, *roles)


def _figure(person: Human | Model, rest: ArrayLike | None) -> tuple[Model, Array]:
    if isinstance(person, Human):
        model, own = person.model, np.asarray(person.rest)
    else:
        model = of_class("person", person, Model)
        own = np.asarray(model.rest)
    return model, np.array(own if rest is None else points_of(rest, "rest", (model.nq,)))


class _Seen:
    """Where the parts of a figure are, at rest and in all frames."""

    def __init__(self, model: Model, q: Array, rest: Array, roles: dict[str, str]) -> None:
        at = [model.frame_names.index(name) for name in roles.values()]
        poses = np.asarray(model.frames(np.vstack([rest[None], q])))[:, at]
        self.rest = {role: poses[0, k] for k, role in enumerate(roles)}
        self.poses = {role: poses[1:, k] for k, role in enumerate(roles)}

    def length(self, limb: tuple[str, ...]) -> float:
        """Return the length of the two long bones of a limb."""
        a, b, c = (self.rest[role][:3, 3] for role in limb)
        return float(np.linalg.norm(b - a) + np.linalg.norm(c - b))

    def check(self, limb: tuple[str, ...]) -> None:
        """Raise where a bone of a limb has no length.

        Raises
        ------
        ArgumentError
            When it has none.
        """
        for one, other in pairwise(limb):
            bone = self.rest[other][:3, 3] - self.rest[one][:3, 3]
            if not np.linalg.norm(bone) > 1e-9:
                raise ArgumentError(f"{one!r} and {other!r} begin at one point: no bone")


def _shortest(a: Array, b: Array) -> Array:
    """Return the shortest turn of one direction to another."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    axis, c = np.cross(a, b), float(a @ b)
    if c < -1 + 1e-12:
        aside = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
        aside /= np.linalg.norm(aside)
        return np.asarray(2 * np.outer(aside, aside) - np.eye(3))
    k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.asarray(np.eye(3) + k + k @ k / (1 + c))


def _heading(seen: _Seen) -> Array:
    """Return where left is, level, at rest."""
    for part in ("thigh", "upper_arm"):
        pair = [seen.rest.get(f"{part}_{side}") for side in ("left", "right")]
        if pair[0] is not None and pair[1] is not None:
            aside = (pair[0] - pair[1])[:3, 3] * [1.0, 1.0, 0.0]
            if np.linalg.norm(aside) > 1e-9:
                return np.asarray(aside / np.linalg.norm(aside))
    return np.array([0.0, 1.0, 0.0])


class _Work:
    """What both figures have in common, and the problems that bring them together."""

    def __init__(
        self, motion: Motion, model: Model, rest: Array, theirs: _Seen, ours: _Seen
    ) -> None:
        self.motion, self.model, self.rest = motion, model, rest
        self.theirs, self.ours = theirs, ours
        self.both = [role for role in theirs.rest if role in ours.rest]
        self.limbs = [limb for limb in LIMBS if set(limb) <= set(self.both)]
        if not self.limbs:
            only = f", only {', '.join(self.both)}" if self.both else ""
            raise ArgumentError(
                f"no limb is found in both figures{only}: name their parts in source= and target="
            )
        for seen in (theirs, ours):
            for limb in self.limbs:
                seen.check(limb)
        self.floats = "free" in model.joint_kinds and "pelvis" in self.both
        self.legs = [limb for limb in self.limbs if limb[0][:5] == "thigh" and self.floats]
        self.arms = [limb for limb in self.limbs if limb[0][:5] != "thigh"]
        kind = self.legs or self.arms or self.limbs
        self.scale = sum(map(ours.length, kind)) / sum(map(theirs.length, kind))
        heading = _shortest(_heading(theirs), _heading(ours))
        turns = np.broadcast_to(heading, (len(motion), 3, 3))
        if not self.floats and "pelvis" in self.both:
            turns = heading @ np.swapaxes(self._since_rest("pelvis"), 1, 2)
        self.turns = turns  # of the source's world, frame by frame
        self.heading = heading

    def _since_rest(self, role: str) -> Array:
        turn: Array = self.theirs.poses[role][:, :3, :3] @ self.theirs.rest[role][:3, :3].T
        return turn

    def _brought(self, role: str) -> Array:
        """Return how a part of ours has turned since its rest, in each frame."""
        return np.asarray(self.turns @ self._since_rest(role) @ self.heading.T)

    def _way(self, role: str, to: str) -> Array:
        """Return the source's way from one part to another, in our axes."""
        way = self.theirs.poses[to][:, :3, 3] - self.theirs.poses[role][:, :3, 3]
        return np.asarray(np.einsum("nij,nj->ni", self.turns, way))

    # -- turns ----------------------------------------------------------------------------------

    def aims(self) -> list[tuple[Term, Array]]:
        """Return the terms of how the parts are turned, with their targets."""
        found: list[tuple[Term, Array]] = []
        names = self.names
        for role in ("pelvis", "chest", "head"):
            if role in self.both and (role != "pelvis" or self.floats):
                turn = self._brought(role) @ self.ours.rest[role][:3, :3]
                found.append((Orientation(names[role], weight=_TRUNK), quaternions_of(turn)))
        for limb in self.limbs:
            if limb in self.legs or limb in self.arms:
                found += self._limb(limb)
        return found

    def _limb(self, limb: tuple[str, ...]) -> list[tuple[Term, Array]]:
        found: list[tuple[Term, Array]] = []
        align = np.eye(3)
        for role, end in ((limb[0], limb[1]), (limb[1], limb[2]), (limb[2], "")):
            mine = self.ours.rest[role]
            if end:
                bone = self.ours.rest[end][:3, 3] - mine[:3, 3]
                seen = self.heading @ (self.theirs.rest[end][:3, 3] - self.theirs.rest[role][:3, 3])
                align = _shortest(bone, seen)
                along = tuple(mine[:3, :3].T @ bone)
                found.append(
                    (Axis(self.names[role], axis=along, weight=_BONE), self._way(role, end))
                )
            elif limb in self.legs:
                align = np.eye(3)  # soles lie flat in both
            turn = self._brought(role) @ align @ mine[:3, :3]
            weight = _TURN if end else 2 * _TURN
            found.append((Orientation(self.names[role], weight=weight), quaternions_of(turn)))
        return found

    # -- places ---------------------------------------------------------------------------------

    def hips(self) -> tuple[Array, float, float]:
        """Return where the pelvis shall be, and the heights of both figures' ankles."""
        ankles = [limb[2] for limb in self.legs]
        low = min((self.theirs.poses[a][:, 2, 3].min(initial=np.inf) for a in ankles), default=0.0)
        own = min((float(self.ours.rest[a][2, 3]) for a in ankles), default=0.0)
        tops = [limb[0] for limb in self.legs] or ["pelvis"]
        middle = np.mean([self.theirs.poses[t][:, :3, 3] for t in tops], axis=0)
        mine = np.mean([self.ours.rest[t][:3, 3] for t in tops], axis=0)
        place = self._similar(middle, low, own)
        off = self.ours.rest["pelvis"][:3, 3] - mine
        return place + self._brought("pelvis") @ off, low, own

    def _similar(self, points: Array, low: float, own: float) -> Array:
        out: Array = self.scale * (points @ self.heading.T - [0.0, 0.0, low]) + [0.0, 0.0, own]
        return out

    def run(
        self, pinned: tuple[str, ...], still: float, source: dict[str, str], target: dict[str, str]
    ) -> Retargeted:
        """Solve for the turns, then for the places as well."""
        self.names = target
        aims = self.aims()
        low = own = 0.0
        if self.floats:
            place, low, own = self.hips()
            aims.append((Position(self.names["pelvis"], weight=_ROOT), place))
        q = self._solve(aims, None)
        contacts: dict[str, NDArray[np.bool_]] = {}
        ends = self._ends(q, low, own, pinned, still, contacts)
        for _ in range(_PASSES):
            weights = {part: _PINNED if part in contacts else _ENDS for part in ends}
            more: list[tuple[Term, Array]] = [
                (Position(self.names[p], weight=weights[p]), way) for p, way in ends.items()
            ]
            q = self._solve(aims + more, q)
            ends = self._ends(q, low, own, pinned, still, contacts)  # from shoulders as they are
            made = Motion(q, self.motion.times, self.model, name=self.motion.name)
            misses = {
                part: np.linalg.norm(made.path(self.names[part]) - way, axis=1)
                for part, way in ends.items()
            }
            if max(miss.max(initial=0.0) for miss in misses.values()) < _NEAR:
                break
        return Retargeted(made, self.scale, misses, contacts, source, target)

    def _ends(
        self,
        q: Array,
        low: float,
        own: float,
        pinned: tuple[str, ...],
        still: float,
        contacts: dict[str, NDArray[np.bool_]],
    ) -> dict[str, Array]:
        """Return where hands and feet shall be, the shoulders being where they are in `q`."""
        ends = {}
        for limb in self.arms + self.legs:
            part = limb[2]
            ends[part] = self._end(limb, q, low, own)
            if part in pinned:
                ends[part], contacts[part] = self._pin(part, ends[part], still)
        return ends

    def _end(self, limb: tuple[str, ...], q: Array, low: float, own: float) -> Array:
        """Return where the end of a limb shall be."""
        if limb in self.legs:
            return self._similar(self.theirs.poses[limb[2]][:, :3, 3], low, own)
        ratio = self.ours.length(limb) / self.theirs.length(limb)
        top = np.asarray(self.model.fk(q, frame=self.names[limb[0]]))[:, :3, 3]
        return np.asarray(top + ratio * self._way(limb[0], limb[2]))

    def _pin(self, part: str, way: Array, still: float) -> tuple[Array, NDArray[np.bool_]]:
        """Hold the part where the source's is slow, and lead to and from there."""
        times, places = self.motion.times, self.theirs.poses[part][:, :3, 3]
        held = np.zeros(len(times), bool)
        if len(times) < _LEAST:
            return way, held
        slow = np.linalg.norm(np.gradient(places, times, axis=0), axis=1) < still
        edges = np.flatnonzero(np.diff(np.concatenate([[False], slow, [False]]).astype(int)))
        off, weight = np.zeros_like(way), np.zeros(len(times))
        out = way.copy()
        for begin, end in zip(edges[::2], edges[1::2], strict=True):
            if end - begin < _LEAST:
                continue
            point = way[begin:end].mean(axis=0)
            held[begin:end] = True
            out[begin:end] = point
            for edge, at in ((times[begin] - times, begin), (times - times[end - 1], end - 1)):
                near = (edge > 0) & (edge < _FADE)
                share = 1 - ease(edge[near] / _FADE)
                off[near] += share[:, None] * (point - way[at])
                weight[near] += share
        free = ~held
        out[free] += off[free] / np.maximum(1.0, weight[free])[:, None]
        return out, held

    # -- solving --------------------------------------------------------------------------------

    def _solve(self, aims: list[tuple[Term, Array]], guess: Array | None) -> Array:
        problem = Problem(self.model, [term for term, _ in aims])
        targets = np.concatenate([way for _, way in aims], axis=1)
        options: dict[str, Any] = {"max_restarts": 0, "perturbations": 0, "ftol": _STOP}
        step, first = Solver("gauss_newton", **options), Solver("lm", **options)
        q = np.empty((len(targets), self.model.nq))
        now = np.asarray(self.model.clip(self.rest))
        for i, row in enumerate(targets):
            if i == 0:
                now = np.array(first(problem, row, q0=now if guess is None else guess[0]).q)
            found = [step(problem, row, q0=now)]
            if guess is not None:
                found.append(step(problem, row, q0=guess[i]))
            now = np.array(min(found, key=lambda one: float(one.error)).q)
            q[i] = now
        return q
