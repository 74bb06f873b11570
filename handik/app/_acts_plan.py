"""Actions on paths and verdicts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.app._actions import RARE, VALUE, Arg, action
from handik.app._acts_figure import answer, has_both, locks, posed
from handik.app._acts_scene import unlocked
from handik.app._bodies import body_of
from handik.app._document import Document, Offer, Verdict, Way
from handik.app._verdict_words import change_words, verdict_words
from handik.app._words import Words
from handik.errors import ArgumentError, HandikError
from handik.people.discomfort import JointDisplacement
from handik.people.human import Human
from handik.problem import Problem
from handik.problem.terms import Level, Position
from handik.scene import Scene
from handik.scene.access import reach
from handik.scene.access._witness import witness as nearest_free
from handik.scene.check import Figure, as_figure
from handik.scene.plan import path as plan_path
from handik.scene.plan._path import PLANNERS

if TYPE_CHECKING:
    from handik.app._session import App

# -- paths and verdicts -------------------------------------------------------------------------


def placed(document: Document, path: str | None = None) -> Any:
    """Return a figure, the active one by default, as `plan` and `access` take it: in its place."""
    at, actor = document.actor(path)
    world = document.scene.world(at)
    own: Any = body_of(actor).person or actor.figure
    return own if np.array_equal(world, np.eye(4)) else own.with_base(world)


@action(
    *("plan.path", "Plan a path", "Planifier un trajet"),
    Arg("obstacles", "flag", Words("Among obstacles", "Parmi les obstacles"), True),
    Arg("planner", "choice", Words("Planner", "Planificateur"), "auto", PLANNERS),
    Arg("speed", "number", Words("Speed, rad/s", "Vitesse, rad/s"), 1.0),
    Arg("via", "flag", Words("By the via points", "Par les points de passage"), True),
    Arg("level", "flag", Words("Keep the cup level", "Garder la tasse droite"), False),
    menu="solve",
    key="Control+P",
    when=has_both,
    job=True,
    kept=False,
)
def plan(app: App, obstacles: bool, planner: str, speed: float, via: bool, level: bool) -> Document:
    """Find a way for the active figure to its target, every edge proved free, and time it.

    It goes by the via points of the scene that are not hidden, in the order of the tree. What
    stands upright in the hand at first does so all along the way, within three degrees, where the
    cup is kept level. Joints that are held stay.
    """
    document = app.document
    at, actor = document.actor()
    assert document.target is not None
    body = body_of(actor)
    figure, among = _holding(document, at), document.scene if obstacles else None
    if not speed > 0:
        raise ArgumentError(f"speed must be above zero, got {speed:g}")
    keep: list[Any] = []
    if level:
        keep = [_upright(figure, actor.posture, body.hand(document.settings.hand))]
        legs = _level_legs(document, figure, keep[0], via)
    else:
        legs = [{"goal": q} for q in (_via_postures(document, figure, among) if via else ())]
        legs.append(_goal(document, figure, among))
    start, moves, ended = actor.posture, [], 0.0
    for k, leg in enumerate(legs):

        def share(done: int, total: int, k: int = k) -> None:
            app.share(k * total + done, len(legs) * total)

        how = {"frame": body.hand(document.settings.hand)} if planner == "straight" else {}
        found = plan_path(
            among, figure, start, **{**how, **leg}, keep=keep, planner=planner, progress=share
        )
        if not found:
            way = Way(at, found.outcome, found.reason, np.zeros(0), found.q)
            app.tell("no_path", reason=app.translated(found.reason))
            return replace(document, path=way)
        # a leg ends at rest at its via point: a corner that is cut would pass it by
        moved = found.trajectory(max_speed=speed, max_acceleration=4 * speed)
        count = min(max(2, int(np.ceil(moved.duration * 30)) + 1), 3000)
        times = np.linspace(0.0, moved.duration, count)[1 if k else 0 :]
        moves.append((ended + times, np.asarray(moved.sample(times)[0])))
        start, ended = found.q[-1], ended + moved.duration
    times, q = (np.concatenate(parts) for parts in zip(*moves, strict=True))
    app.tell("path", seconds=ended)
    return replace(document, path=with_curves(document, Way(at, "found", "", times, q)))


def _holding(document: Document, at: str) -> Any:
    """Return a figure in its place whose held joints no way moves."""
    own, held = placed(document, at), locks(document, at)
    if not held:
        return own
    whole = as_figure(own)
    return whole._on(whole.model.locked(held))


def _goal(document: Document, figure: Any, among: Scene | None) -> dict[str, Any]:
    """Return the posture that Solve would give, if it is free, else the place of the target."""
    actor = document.actor()[1]
    near, said = answer(document, actor.posture)
    if said.outcome == "converged" and (among or Scene()).free(figure, near):
        return {"goal": near}
    assert document.target is not None
    return {
        "position": document.scene.world(document.target)[:3, 3],
        "frame": body_of(actor).hand(document.settings.hand),
    }


def _upright(figure: Any, q: Any, frame: str) -> Level:
    """Return the term that keeps upright what is upright in a frame now."""
    model = getattr(figure, "model", figure)
    up = np.asarray(model.fk(q, frame=frame))[2, :3]
    return Level(frame, axis=tuple(up.tolist()), angle=0.0, orientation_tolerance=LEVEL)


def _level_legs(document: Document, figure: Any, level: Level, via: bool) -> list[dict[str, Any]]:
    """Return the goals of a way with a level cup: via points and target, the cup level at each."""
    model, scene = getattr(figure, "model", figure), document.scene
    wanted = Problem(model, [Position(level.frame, position_tolerance=1e-3), level])
    by = [p for p in scene.find(kind="via") if p not in document.hidden] if via else []
    places = [scene.world(path)[:3, 3] for path in [*by, str(document.target)]]
    return [{"goal": wanted, "targets": place} for place in places]


def _via_postures(document: Document, figure: Any, among: Scene | None) -> list[Any]:
    """Return a free posture with the hand at each via point, each solved from the one before.

    Raises
    ------
    ArgumentError
        When none is found.
    """
    at, actor = document.actor()
    body, q = body_of(actor), actor.posture
    into = np.linalg.inv(document.scene.world(at))
    starts = body.model.sample(15, seed=0)
    out = []
    for path in document.scene.find(kind="via"):
        if path in document.hidden:
            continue
        point = (into @ document.scene.world(path))[:3, 3]
        tried = [answer(document, start, None, {"position": point}) for start in [q, *starts]]
        found = [row for row, said in tried if said.outcome == "converged"]
        if not found:
            raise ArgumentError(f"no posture brings the hand to {path!r}")
        free = [row for row in found if (among or Scene()).free(figure, row)]
        if not free:
            raise ArgumentError(f"every posture found with the hand at {path!r} touches something")
        q = free[0]
        out.append(q)
    return out


#: Radians by which a cup that is kept level may lean.
LEVEL = np.radians(3)
#: Moments of a curve at most; meters from which clearance is not looked at.
MOMENTS, FAR = 200, 1.0


def with_curves(document: Document, way: Way) -> Way:
    """Return a path with its clearance and its discomfort, at moments evenly spread."""
    rows = np.unique(np.linspace(0, len(way.times) - 1, min(MOMENTS, len(way.times))).astype(int))
    body = body_of(document.actor(way.figure)[1])
    own = placed(replace(document, figure=way.figure))
    curves: dict[str, tuple[float, ...]] = {}
    scene = document.scene
    for path in scene.find(kind="plane"):  # who stands or sits on the floor is always at it
        scene = scene.with_look(path, solid=False)
    if scene.obstacles() and isinstance(own, Human):
        whole = as_figure(own)
        alone = Figure(whole.model, whole.capsules, pairs=[], names=whole.names)
        away = np.asarray(scene.distance(alone, way.q[rows], FAR))
        curves["clearance"] = tuple(np.where(np.isfinite(away), away, FAR).round(5).tolist())
    if isinstance(own, Human):
        score = JointDisplacement(body.model).score(way.q[rows])
        curves["discomfort"] = tuple(np.asarray(score).round(5).tolist())
    return replace(way, curves=curves, moments=tuple(way.times[rows].round(4).tolist()))


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
    return replace(posed(app.document, way.q[row], way.figure), path=way)


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
    """Say whether the target is in reach: yes with a posture, no with a proof, or undecided.

    It is said of the active figure with its held joints as they are.
    """
    document = app.document
    actor = document.actor()[1]
    assert document.target is not None
    frame = body_of(actor).hand(document.settings.hand)
    side = frame.removeprefix("grip_")  # so that what is pressed is touched
    which: dict[str, Any] = {"frame": frame} if side == frame else {"hand": side}
    found = reach(
        _holding(document, document.actor()[0]),
        document.scene if obstacles else None,
        document.scene.world(document.target)[:3, 3],
        **which,
    )
    app.share(1, 2)
    said = told(document, found)
    app.tell(f"verdict_{said.verdict}", sentence=dict(said.sentence)[app.view.language])
    return replace(document, verdict=said)


def told(document: Document, found: Any) -> Verdict:
    """Return a verdict with its words, and the changes that make it a yes."""
    tip = np.asarray(placed_model(document).fk(found.q, frame=found.frame))[:3, 3]
    way = (tip - found.target) / max(float(np.linalg.norm(tip - found.target)), 1e-12)
    offers = []
    for change in _changes(found):
        ways = {"nearer": way, "lower": [0, 0, -1], "higher": [0, 0, 1]}
        if change.kind not in ways:
            offers.append(Offer(change_words(change), None))
            continue
        x, y, z = (found.target + change.amount * np.asarray(ways[change.kind])).tolist()
        model, to = found._asked.model, np.array([x, y, z])
        q = nearest_free(found._asked, model, found.frame, to, found.q)
        if q is not None:
            offers.append(Offer(change_words(change), (x, y, z), tuple(q.tolist())))
    return Verdict(
        str(found.verdict),
        str(document.target),
        (float(found.short[0]), float(found.short[1])),
        verdict_words(found),
        tuple(found.q.tolist()),
        tuple(offers),
    )


def _changes(found: Any) -> Any:
    try:
        return found.changes
    except HandikError:  # the verdict stands without them
        return ()


def placed_model(document: Document) -> Any:
    """Return the model of the active figure in its place."""
    own = placed(document)
    return getattr(own, "model", own)


@action(
    *("access.apply", "Make the change", "Faire le changement"),
    Arg("change", "integer", Words("Which, from 0", "Lequel, à partir de 0"), 0),
    menu="target",
    no_key=VALUE,
    when=lambda app: (
        app.document.verdict is not None and any(one.place for one in app.document.verdict.offers)
    ),
)
def apply(app: App, change: int) -> Document:
    """Move the target to where a change of the verdict has it, and take the verdict's posture."""
    document = app.document
    assert document.verdict is not None
    offers = document.verdict.offers
    if not 0 <= change < len(offers):
        raise ArgumentError(f"change must be 0 to {len(offers) - 1}, got {change}")
    place = offers[change].place
    if place is None:
        raise ArgumentError("a limit of the body is not changed by the scene: give another person")
    at = document.verdict.target
    unlocked(document, [at])
    pose = np.array(document.scene.world(at))
    pose[:3, 3] = place
    moved = document.edited(document.scene.with_pose(at, pose, world=True))
    return posed(moved, offers[change].q)


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
