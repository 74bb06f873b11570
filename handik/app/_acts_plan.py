"""Actions on paths and verdicts, and on what is shown."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.app._actions import RARE, VALUE, Arg, action
from handik.app._acts_figure import answer, has_both, posed
from handik.app._bodies import body_of
from handik.app._document import Document, Verdict, Way, changed
from handik.app._words import LANGUAGES, Words
from handik.errors import ArgumentError, HandikError
from handik.people.human import Human
from handik.scene import Scene
from handik.scene.access import reach
from handik.scene.check import Figure, as_figure
from handik.scene.plan import path as plan_path

if TYPE_CHECKING:
    from handik.app._session import App

# -- paths and verdicts -------------------------------------------------------------------------


def placed(document: Document) -> Any:
    """Return the active figure as `plan` and `access` take it: in its place in the world."""
    at, actor = document.actor()
    world = document.scene.world(at)
    own: Any = body_of(actor).person or actor.figure
    return own if np.array_equal(world, np.eye(4)) else own.with_base(world)


@lru_cache(maxsize=8)
def arms_kept_off(person: Human) -> Figure:
    """Return a person whose forearms and hands are compared with the rest of the body.

    Not the trunk with the thighs nor with the head: the capsules of one who sits lie in each other
    as soon as she bends.
    """
    whole = as_figure(person)
    arms = ("ulna", "forearm", "carpus", "hand")
    carried = [capsule.frame.startswith(arms) for capsule in whole.capsules]
    pairs = [(a, b) for a, b in whole.pairs if carried[a] or carried[b]]
    return Figure(whole.model, whole.capsules, pairs=pairs, names=whole.names)


@action(
    *("plan.path", "Plan a path", "Planifier un trajet"),
    Arg("obstacles", "flag", Words("Among obstacles", "Parmi les obstacles"), True),
    Arg("planner", "choice", Words("Planner", "Planificateur"), "auto", ("auto", "line")),
    Arg("speed", "number", Words("Speed, rad/s", "Vitesse, rad/s"), 1.0),
    menu="solve",
    key="Control+P",
    when=has_both,
    job=True,
    kept=False,
)
def plan(app: App, obstacles: bool, planner: str, speed: float) -> Document:
    """Find a way for the active figure to its target, every edge proved free, and time it."""
    document = app.document
    at, actor = document.actor()
    assert document.target is not None
    body = body_of(actor)
    own, among = placed(document), document.scene if obstacles else None
    figure = arms_kept_off(own) if isinstance(own, Human) else own
    near, said = answer(document, actor.posture)  # the posture that Solve would give, if it is free
    goal: dict[str, Any] = {"goal": near}
    if said.outcome != "converged" or not (among or Scene()).free(figure, near):
        goal = {
            "position": document.scene.world(document.target)[:3, 3],
            "frame": body.hand(document.settings.hand),
        }
    found = plan_path(
        among,
        figure,
        actor.posture,
        **goal,
        planner=planner,
        progress=app.share,
    )
    if not found:
        return replace(document, path=Way(at, found.outcome, found.reason, np.zeros(0), found.q))
    moved = found.trajectory(max_speed=speed, max_acceleration=4 * speed)
    count = min(max(2, int(np.ceil(moved.duration * 30)) + 1), 3000)
    times = np.linspace(0.0, moved.duration, count)
    q = np.asarray(moved.sample(times)[0])
    return replace(document, path=Way(at, "found", "", times, q))


@action(
    *("plan.take", "Go to the end of the path", "Aller au bout du trajet"),
    Arg("share", "number", Words("Share of the path", "Part du trajet"), 1.0),
    menu="solve",
    no_key=VALUE,
    when=lambda app: app.document.path is not None and len(app.document.path.times) > 0,
)
def take(app: App, share: float) -> Document:
    """Put the figure where the path is at a share of its time."""
    way = app.document.path
    assert way is not None
    if not 0 <= share <= 1:
        raise ArgumentError(f"share must be 0 to 1, got {share:g}")
    row = round(share * (len(way.times) - 1))
    return replace(app.document.with_q(way.q[row], way.figure), path=way)


@action(
    *("access.reach", "Is it in reach?", "Est-ce à portée ?"),
    Arg("obstacles", "flag", Words("Among obstacles", "Parmi les obstacles"), True),
    menu="target",
    key="Control+R",
    when=has_both,
    job=True,
    kept=False,
)
def verdict(app: App, obstacles: bool) -> Document:
    """Say whether the target is in reach: yes with a posture, no with a proof, or undecided."""
    document = app.document
    actor = document.actor()[1]
    assert document.target is not None
    found = reach(
        placed(document),
        document.scene if obstacles else None,
        document.scene.world(document.target)[:3, 3],
        frame=body_of(actor).hand(document.settings.hand),
    )
    app.share(1, 2)
    said = Verdict(
        str(found.verdict),
        document.target,
        (float(found.short[0]), float(found.short[1])),
        _why(found),
        tuple(found.q.tolist()),
    )
    return replace(document, verdict=said)


def _why(found: Any) -> str:
    try:
        return str(found.why)
    except HandikError as error:  # the verdict stands without its reason
        return str(error)


@action(
    *("access.show", "Take the posture of the verdict", "Prendre la posture du verdict"),
    menu="target",
    no_key=RARE,
    when=lambda app: app.document.verdict is not None,
)
def witness(app: App) -> Document:
    """Put the figure into the verdict's posture: its witness, or the nearest one found."""
    said = app.document.verdict
    assert said is not None
    return replace(posed(app.document, said.q), verdict=said)


# -- what is shown ------------------------------------------------------------------------------

_SHOWN: tuple[tuple[str, str, str, Arg], ...] = (
    (
        *("view.language", "Language", "Langue"),
        Arg("language", "choice", Words("Language", "Langue"), "en", LANGUAGES),
    ),
    (
        *("view.theme", "Theme", "Thème"),
        Arg("theme", "choice", Words("Theme", "Thème"), "light", ("light", "dark")),
    ),
    (
        *("view.draw", "Draw objects", "Dessin des objets"),
        Arg("draw", "choice", Words("As", "En"), "solid", ("solid", "wire", "points")),
    ),
    (
        *("view.body", "Draw persons", "Dessin des personnes"),
        Arg("body", "choice", Words("As", "En"), "skin", ("skin", "capsules", "skeleton")),
    ),
    (
        *("view.snap", "Snap", "Aimanter"),
        Arg("snap", "flag", Words("Snap", "Aimanter")),
    ),
    (
        *("view.snap_size", "Snap by", "Pas d'aimantation"),
        Arg("snap_size", "number", Words("Step", "Pas"), 0.05, unit="m"),
    ),
)


def _view(name: str) -> Any:
    def do(app: App, **given: Any) -> None:
        app.view = changed(app.view, **{name: given[name]})

    return do


for _id, _en, _fr, _arg in _SHOWN:
    action(_id, _en, _fr, _arg, menu="view", no_key=VALUE, kept=False)(_view(_arg.name))
