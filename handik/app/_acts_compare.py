"""Solvers side by side: step by step on one target, and along a figure of eight."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.app._actions import RARE, VALUE, Arg, action
from handik.app._acts_figure import answer, has_both, has_figure, solver_names, traced
from handik.app._bodies import Body, body_of
from handik.app._document import Document, Lap, Solved, Steps
from handik.app._words import Words
from handik.errors import ArgumentError
from handik.scene import Actor
from handik.study.curve import figure_of_eight

if TYPE_CHECKING:
    from handik.app._session import App

__all__ = ["Eight", "passes"]

Array = NDArray[np.float64]

#: Iterations that are kept of a run; laps that are kept.
MOST_STEPS, MOST_LAPS = 400, 12


def chain_points(body: Body, q: Any, frame: str) -> Array:
    """Return the places (..., n, 3) of a chain's joints and its end, those at one place once."""
    frames = {one.name: one for one in body.model.spec.frames}
    joints = {one.child: one for one in body.model.spec.joints}
    link = frames[frame].link if frame in frames else frame
    names = [frame]
    while link in joints:
        names.append(link)
        link = joints[link].parent
    rows = [body.model.frame_names.index(name) for name in dict.fromkeys(reversed(names))]
    points = np.asarray(body.model.frames(np.asarray(q)))[..., :3, 3][..., rows, :]
    rest = points.reshape(-1, *points.shape[-2:])[0]
    apart = np.linalg.norm(np.diff(rest, axis=0), axis=1) > 1e-6
    return np.asarray(points[..., np.concatenate([[True], apart]), :])


def _toward(start: Array, end: Array, length: float) -> Array:
    way = end - start
    size = float(np.linalg.norm(way))
    turn = way / size if size > 1e-12 else np.array([1.0, 0.0, 0.0])
    return np.asarray(start + length * turn)


def passes(points: Array, target: Array) -> tuple[Array, Array]:
    """Return a chain after FABRIK's two passes: from the target back, then from the base out.

    The plain method of Aristidou and Lasenby (2011), on a chain of free balls: what limits do to
    it is in the posture of the next iteration.

    Parameters
    ----------
    points : ndarray, shape (n, 3)
        From the base to the end.
    target : ndarray, shape (3,)

    Returns
    -------
    tuple of two ndarrays, shape (n, 3)
    """
    lengths = np.linalg.norm(np.diff(points, axis=0), axis=1)
    back = points.copy()
    back[-1] = target
    for k in range(len(points) - 2, -1, -1):
        back[k] = _toward(back[k + 1], back[k], float(lengths[k]))
    forth = back.copy()
    forth[0] = points[0]
    for k in range(len(points) - 1):
        forth[k + 1] = _toward(forth[k], forth[k + 1], float(lengths[k]))
    return back, forth


def _steps(document: Document, solver: str) -> Steps:
    at, actor = document.actor()
    body, frame = body_of(actor), body_of(actor).hand(document.settings.hand)
    found, said = traced(document, actor.posture, solver)
    rows = np.isfinite(found.trace.q).all(axis=-1)
    q = np.asarray(found.trace.q)[rows][:MOST_STEPS]
    world = document.scene.world(at)
    target = (np.linalg.inv(world) @ document.scene.world(str(document.target)))[:3, 3]
    away = np.linalg.norm(np.asarray(body.model.fk(q, frame=frame))[..., :3, 3] - target, axis=-1)
    drawn: tuple[tuple[Array, Array], ...] = ()
    if solver.startswith("fabrik"):
        chains = chain_points(body, q, frame)
        shown = [passes(one, target) for one in chains[:-1]]
        drawn = tuple(
            (back @ world[:3, :3].T + world[:3, 3], forth @ world[:3, :3].T + world[:3, 3])
            for back, forth in shown
        )
    return Steps(at, said, q, tuple(away.tolist()), drawn)


_FIRST = Arg("first", "choice", Words("First solver", "Premier solveur"), "fabrik", solver_names)
_SECOND = Arg("second", "choice", Words("Second solver", "Second solveur"), "ccd", solver_names)


@action(
    *("solve.steps", "Step by step, side by side", "Pas à pas, côte à côte"),
    _FIRST,
    _SECOND,
    menu="solve",
    key="Control+B",
    when=has_both,
    kept=False,
)
def steps(app: App, first: str, second: str) -> Document:
    """Have two solvers go to the target from the same posture, every iteration kept."""
    return replace(app.document, steps=tuple(_steps(app.document, s) for s in (first, second)))


@action(
    *("solve.steps_off", "Leave the steps", "Quitter le pas à pas"),
    menu="solve",
    no_key=RARE,
    when=lambda app: bool(app.document.steps),
    kept=False,
)
def steps_off(app: App) -> Document:
    """Show the steps no more."""
    return replace(app.document, steps=())


# -- the figure of eight ------------------------------------------------------------------------


@lru_cache(maxsize=16)
def _eight(key: str, frame: str, count: int, actor: Actor) -> Array:
    model = body_of(actor).model
    frame_of = None if frame == model.tip else frame
    return figure_of_eight(count).place(model, frame_of).points


class Eight:
    """A lap of the figure of eight in hand: a pose at a time.

    Parameters
    ----------
    document : Document
        Whose active figure, hand and settings are taken.
    solver : str
    count : int
        Poses of a lap.

    Raises
    ------
    ArgumentError
        When there is no figure, or no place where it reaches all of a figure of eight.
    """

    def __init__(self, document: Document, solver: str, count: int) -> None:
        if not 10 <= count <= 2000:
            raise ArgumentError(f"poses must be 10 to 2000, got {count}")
        self.at, actor = document.actor()
        body = body_of(actor)
        self.document, self.solver, self.body = document, solver, body
        self.frame = body.hand(document.settings.hand)
        bare = Actor(actor.model, None if actor.human is None else dict(actor.human))
        self.points = _eight(body.key, self.frame, count, bare)
        self.q: Any = body.rest
        self.done: list[Solved] = []

    def pose(self, k: int) -> tuple[Any, Solved, Array]:
        """Go to a point of the curve from where the last pose was; return also its place."""
        point = self.points[k % len(self.points)]
        self.q, said = answer(self.document, self.q, self.solver, {"position": point})
        self.done.append(said)
        world = self.document.scene.world(self.at)
        return self.q, said, world[:3, :3] @ point + world[:3, 3]

    def lap(self, frames_per_second: float | None = None) -> Lap:
        """Return what became of it.

        Raises
        ------
        ArgumentError
            When nothing was followed.
        """
        if not self.done:
            raise ArgumentError("no pose of the lap was solved")
        return Lap(
            self.solver,
            len(self.done),
            sum(said.outcome == "converged" for said in self.done),
            sum(said.iterations for said in self.done) / len(self.done),
            1e6 * median(said.seconds for said in self.done),
            frames_per_second,
        )


def with_lap(document: Document, lap: Lap) -> Document:
    """Return the document with a lap more; of a solver the last is kept."""
    others = tuple(one for one in document.laps if one.solver != lap.solver)
    return replace(document, laps=(*others, lap)[-MOST_LAPS:])


@action(
    *("solve.eight", "Follow a figure of eight", "Suivre une courbe en huit"),
    Arg("solver", "choice", Words("Solver", "Solveur"), "fabrik", solver_names),
    Arg("poses", "integer", Words("Poses", "Poses"), 100),
    menu="solve",
    no_key=VALUE,
    when=has_figure,
    kept=False,
)
def eight(app: App, solver: str, poses: int) -> Document:
    """Follow a figure of eight from pose to pose; the figure itself stays as it is."""
    run = Eight(app.document, solver, poses)
    for k in range(poses):
        run.pose(k)
    return with_lap(app.document, run.lap())


@action(
    *("solve.laps_off", "Forget the laps", "Oublier les tours"),
    menu="solve",
    no_key=RARE,
    when=lambda app: bool(app.document.laps),
    kept=False,
)
def laps_off(app: App) -> Document:
    """Empty the table of laps."""
    return replace(app.document, laps=())
