"""Editing a motion: a hand led elsewhere at some frames, the rest of the figure kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError, NotFoundError
from handik.people.motion._mixing import ease
from handik.people.motion.motion import Motion
from handik.problem import Problem
from handik.problem.terms import Orientation, Position, Term
from handik.solve import Solver
from handik.spec._given import finite_number, known_name, of_class, points_of, sequence
from handik.spec._rotations import quaternions_of

__all__ = ["Edited", "lead"]

Array = NDArray[np.float64]
#: Weights of a meter of what is led and of what is kept, and of a radian of every link.
_LED, _KEPT, _TURN = 5.0, 5.0, 0.02
_STOP = 1e-5


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Edited:
    """An edited motion, and how near it is to what was asked.

    Attributes
    ----------
    motion : Motion
    misses : ndarray, shape (n,)
        Meters from the frame to its new way.
    kept : dict of str to ndarray (n,)
        Meters by which each kept frame has moved.
    """

    motion: Motion
    misses: Array
    kept: dict[str, Array]

    def __repr__(self) -> str:
        moved = "".join(f", {k} {1000 * v.max(initial=0):.1f}" for k, v in self.kept.items())
        worst = 1000 * float(self.misses.max(initial=0))
        return f"Edited: {len(self.motion)} frames, worst miss {worst:.1f} mm{moved}"


def lead(
    motion: Motion,
    frame: str,
    points: Mapping[int, ArrayLike],
    *,
    fade: float = 0.5,
    keep: tuple[str, ...] = (),
) -> Edited:
    """Lead a frame, such as a hand, through points at some frames of a motion.

    Its way is moved, not made anew: between two given points the move goes over from one to the
    other, and beyond the first and the last it fades out. The turns of all links stay as near to
    what they were as that allows, so that the motion keeps its style.

    Parameters
    ----------
    motion : Motion
    frame : str
        What is led.
    points : mapping of int to array_like (3,)
        By number of the frame in the motion, where it shall be, meters in the world.
    fade : float
        Seconds before the first and after the last point in which the move comes and goes.
    keep : tuple of str
        Frames whose places stay, such as the feet and the other hand.

    Returns
    -------
    Edited

    Raises
    ------
    ArgumentError
        When there is no point, a number of a frame is out of range, or a number is not finite.
    NotFoundError
        When a frame is not there.

    Notes
    -----
    Witkin and Popovic's motion warping, with inverse kinematics in place of warped angles: one
    least-squares problem a frame, inside the limits.

    References
    ----------
    Witkin and Popovic, Motion warping, SIGGRAPH 1995, 105-108.

    Examples
    --------
    >>> import numpy as np, handik as hk
    >>> from handik.people.motion import lead
    >>> arm = hk.chain([0.3, 0.3, 0.2])
    >>> wave = hk.Motion(np.linspace([0.2, 0.4, 0.4], [0.6, 0.8, 0.4], 9), np.arange(9) / 10, arm)
    >>> found = lead(wave, "tip", {4: wave.path("tip")[4] + [0.0, 0.05, 0.0]}, fade=0.3)
    >>> bool(found.misses.max() < 1e-3), bool(np.allclose(found.motion.q[0], wave.q[0], atol=1e-6))
    (True, True)
    """
    of_class("motion", motion, Motion)
    names = motion.model.frame_names
    known_name("frame", frame, names)
    keep = sequence("keep", keep, str, "a tuple of names of frames")
    for name in keep:
        known_name("frame", name, names)
    fade = finite_number("fade", fade)
    if fade < 0:
        raise ArgumentError(f"fade must not be below zero, got {fade!r}")
    way = motion.path(frame)
    move = _moves(motion, way, points, fade)
    moved = np.flatnonzero(np.abs(move).max(axis=1, initial=0.0) > 0)
    q = np.array(motion.q)
    if len(moved):
        q[moved] = _solve(motion, frame, way + move, keep, moved)
    made = Motion(q, motion.times, motion.model, name=motion.name)
    return Edited(
        made,
        np.hypot.reduce(made.path(frame) - way - move, axis=1),
        {name: np.hypot.reduce(made.path(name) - motion.path(name), axis=1) for name in keep},
    )


def _moves(motion: Motion, way: Array, points: Mapping[int, ArrayLike], fade: float) -> Array:
    """Return by how much the frame moves at each moment."""
    if not isinstance(points, Mapping) or not points:
        raise ArgumentError("points must be a mapping of frame numbers to points, and have one")
    for k in points:
        if not isinstance(k, (int, np.integer)) or isinstance(k, bool):
            raise ArgumentError(f"points are given by whole frame numbers, got {k!r}")
        if not 0 <= k < len(motion):
            has = f"0 to {len(motion) - 1}" if len(motion) else "none"
            raise NotFoundError(f"points has frame {k}, the motion has {has}")
    at = np.array(sorted(points))
    there = np.array([points_of(points[k], f"points[{k}]", (3,)) for k in at])
    off, times = there - way[at], motion.times
    move = np.zeros_like(way)
    for i in range(len(at) - 1):
        part = slice(at[i], at[i + 1] + 1)
        s = (times[part] - times[at[i]]) / (times[at[i + 1]] - times[at[i]])
        move[part] = off[i] + ease(s)[:, None] * (off[i + 1] - off[i])
    for end, part, away in (
        (0, slice(0, at[0]), times[at[0]] - times[: at[0]]),
        (-1, slice(at[-1] + 1, None), times[at[-1] + 1 :] - times[at[-1]]),
    ):
        share = 1 - ease(np.minimum(away, fade) / fade) if fade > 0 else np.zeros(len(away))
        move[part] = share[:, None] * off[end]
    move[at] = off
    return move


def _solve(
    motion: Motion, frame: str, way: Array, keep: tuple[str, ...], rows: NDArray[np.intp]
) -> Array:
    model = motion.model
    aims: list[tuple[Term, Array]] = [(Position(frame, weight=_LED), way)]
    aims += [(Position(name, weight=_KEPT), motion.path(name)) for name in keep if name != frame]
    poses = np.asarray(model.frames(motion.q))
    links = {joint.child for joint in model.spec.joints if joint.kind != "fixed"}
    for k, name in enumerate(model.frame_names):
        if name in links:
            turn = quaternions_of(poses[:, k, :3, :3])
            aims.append((Orientation(name, weight=_TURN), turn))
    slides = np.flatnonzero(np.isin(model.joint_kinds, ("free", "prismatic", "planar")))
    for at in slides:
        link = next(j.child for j in model.spec.joints if j.name == model.joint_names[at])
        aims.append((Position(link, weight=_TURN), motion.path(link)))
    problem = Problem(model, [term for term, _ in aims])
    targets = np.concatenate([x for _, x in aims], axis=1)[rows]
    solver = Solver("gauss_newton", max_restarts=0, perturbations=0, ftol=_STOP)
    return np.array(solver(problem, targets, q0=model.clip(motion.q[rows])).q)
