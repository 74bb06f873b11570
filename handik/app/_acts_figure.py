"""Actions on figures, joints, poses, targets, solvers, paths and verdicts; and on what is shown."""

from __future__ import annotations

from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.app._actions import RARE, VALUE, Arg, action
from handik.app._acts_scene import NAME, free_name, unlocked
from handik.app._bodies import body_of, partner
from handik.app._document import Document, Ghost, Named, Solved, changed
from handik.app._words import Words
from handik.errors import ArgumentError, ReadError, shortened
from handik.files.read._text import Lines
from handik.files.read.toml import parsed
from handik.result import Outcome
from handik.scene import Actor, Target
from handik.solve import solvers
from handik.spec._given import known_name, reals

if TYPE_CHECKING:
    from handik.app._session import App


def has_figure(app: App) -> bool:
    """Tell whether there is a figure."""
    return app.document.figure is not None


def has_both(app: App) -> bool:
    """Tell whether there are a figure and a target."""
    return has_figure(app) and app.document.target is not None


# -- figures ------------------------------------------------------------------------------------


@action(
    *("figure.add", "Add a robot", "Ajouter un robot"),
    Arg("model", "text", Words("Model, such as data:ur5", "Modèle, comme data:ur5"), "data:ur5"),
    menu="person",
    no_key=VALUE,
)
def add_figure(app: App, model: str) -> Document:
    """Add a figure that comes with handik, or of an installed package."""
    if not model.startswith(("data:", "robot:")):
        raise ArgumentError(f"model must begin with data: or robot:, got {shortened(model)}")
    actor = Actor(model=model)
    body_of(actor)
    path = free_name(app.document.scene, model.partition(":")[2])
    scene = app.document.scene.add(path, actor)
    return replace(app.document.edited(scene), figure=path, selection=(path,))


@action(
    *("figure.activate", "Make it the active figure", "En faire la figure active"),
    Arg("figure", "node", Words("Figure", "Figure")),
    menu="person",
    no_key=VALUE,
    when=has_figure,
)
def activate(app: App, figure: str) -> Document:
    """Let sliders and solvers be those of a figure."""
    app.document.actor(figure)
    return app.document.asking(figure=figure)


# -- joints and poses ---------------------------------------------------------------------------

DOF = Arg("dof", "text", Words("Joint", "Articulation"))


def posed(document: Document, q: Any, path: str | None = None) -> Document:
    """Return the document with a figure, the active one by default, in another posture.

    Joints that are held stay.

    Raises
    ------
    ArgumentError
        When the figure is locked, or the posture is none of it.
    """
    at, actor = document.actor(path)
    unlocked(document, [at])
    found = np.array(q)
    if found.shape != actor.posture.shape:
        raise ArgumentError(f"q must have shape {actor.posture.shape}, got {found.shape}")
    for node, joint in document.held:
        if node == at:
            where = actor.figure.joint_q_slices[joint]
            found[where] = actor.posture[where]
    return document.with_q(found, at)


@action(
    *("joint.set", "Set a joint", "Régler une articulation"),
    DOF,
    Arg("value", "number", Words("Value", "Valeur"), unit="rad"),
    menu="person",
    no_key="its slider has the keys of a slider",
    when=has_figure,
)
def set_joint(app: App, dof: str, value: float) -> Document:
    """Set a degree of freedom; with the setting `mirror`, its partner of the other side too."""
    return with_joint(app.document, dof, value)


def with_joint(document: Document, dof: str, value: float) -> Document:
    """Return the document with a degree of freedom elsewhere, by a slider or by an action."""
    _, actor = document.actor()
    body = body_of(actor)
    names = [s.name for s in body.sliders]
    q = body.with_angle(actor.posture, names.index(known_name("joint", dof, names)), value)
    other = partner(dof)
    if document.settings.mirror and other in names:
        at, source = (
            body.model.joint_q_slices[body.sliders[names.index(n)].joint] for n in (other, dof)
        )
        mirror = body.mirrored(q)
        q[at] = mirror[at] if at != source else q[at]
    return posed(document, q)


def locks(document: Document, figure: str, q: Any = None) -> dict[str, Any]:
    """Return the joints of a figure that are held, each where it is, or is in a posture."""
    actor = document.actor(figure)[1]
    row, slices = np.asarray(actor.posture if q is None else q), actor.figure.joint_q_slices
    held = sorted(joint for path, joint in document.held if path == figure)
    return {joint: row[slices[joint]].squeeze() for joint in held}


@action(
    *("joint.lock", "Hold or free a joint", "Tenir ou libérer une articulation"),
    DOF,
    menu="person",
    no_key=VALUE,
    when=has_figure,
)
def lock_joint(app: App, dof: str) -> Document:
    """Hold a joint of the active figure still, for sliders and solvers; or free it."""
    at, actor = app.document.actor()
    body = body_of(actor)
    joints = {s.name: s.joint for s in body.sliders}
    joint = joints[known_name("joint", dof, joints)]
    held = app.document.held ^ {(at, joint)}
    return app.document.asking(held=held, solve=app.document.solve)


@action(
    *("pose.reset", "Rest posture", "Posture de repos"),
    menu="person",
    key="Control+I",
    when=has_figure,
)
def reset(app: App) -> Document:
    """Put the active figure into its rest."""
    return posed(app.document, body_of(app.document.actor()[1]).rest)


@action(
    *("pose.mirror", "Mirror the pose", "Refléter la pose"),
    menu="person",
    key="Control+M",
    when=has_figure,
)
def mirror(app: App) -> Document:
    """Exchange left and right."""
    _, actor = app.document.actor()
    return posed(app.document, body_of(actor).mirrored(actor.posture))


@action(
    *("pose.set", "Set the whole pose", "Régler toute la pose"),
    Arg("q", "text", Words("Coordinates", "Coordonnées")),
    menu="person",
    no_key=VALUE,
    when=has_figure,
)
def set_pose(app: App, q: str) -> Document:
    """Set all coordinates, given as TOML: ``q = [...]``, as `pose.copy` gives them."""
    try:
        given = parsed(Lines(q.encode("utf-8", "replace")), {}, "pose").get("q", ())
    except ReadError as error:
        raise ArgumentError(f"the pose is no TOML: {error.reason}") from None
    model = app.document.actor()[1].figure
    row = reals(given, "q", (model.nq,))
    if row.ndim != 1:
        raise ArgumentError(f"q must have shape ({model.nq},), got {row.shape}")
    return posed(app.document, model.clip(row))


@action(
    *("pose.copy", "Copy the pose", "Copier la pose"),
    menu="person",
    key="Control+Shift+C",
    when=has_figure,
    kept=False,
)
def copy_pose(app: App) -> None:
    """Give the pose as TOML."""
    at, actor = app.document.actor()
    text = f"# the posture of {at!r}, handik\nq = {actor.posture.tolist()}\n"
    app.give("pose.toml", text.encode(), "application/toml")


@action(
    *("pose.save", "Keep the pose", "Garder la pose"),
    NAME,
    menu="person",
    key="Control+Shift+S",
    when=has_figure,
)
def save_pose(app: App, name: str) -> Document:
    """Keep the posture under a name."""
    actor = app.document.actor()[1]
    kept = Named(body_of(actor).key, tuple(actor.posture.tolist()))
    return replace(app.document, poses={**app.document.poses, name: kept})


@action(
    *("pose.apply", "Take a kept pose", "Prendre une pose gardée"),
    NAME,
    menu="person",
    no_key=VALUE,
    when=lambda app: has_figure(app) and bool(app.document.poses),
)
def apply_pose(app: App, name: str) -> Document:
    """Put the active figure into a posture that was kept."""
    kept = app.document.poses[known_name("pose", name, app.document.poses)]
    model = app.document.actor()[1].figure
    if len(kept.q) != model.nq:
        raise ArgumentError(f"pose {name!r} is of another kind of figure")
    return posed(app.document, model.clip(np.array(kept.q)))


@action(
    *("pose.forget", "Forget a pose", "Oublier une pose"),
    NAME,
    menu="person",
    no_key=RARE,
    when=lambda app: bool(app.document.poses),
)
def forget_pose(app: App, name: str) -> Document:
    """Forget a posture."""
    known_name("pose", name, app.document.poses)
    kept = {k: v for k, v in app.document.poses.items() if k != name}
    return replace(app.document, poses=kept)


# -- targets ------------------------------------------------------------------------------------


@action(
    *("target.choose", "Make it the target", "En faire la cible"),
    Arg("target", "node", Words("Target", "Cible")),
    menu="target",
    no_key=VALUE,
)
def choose_target(app: App, target: str) -> Document:
    """Let solvers go to a target of the scene."""
    if app.document.scene[target].kind != "target":
        raise ArgumentError(f"{shortened(target)} is no target")
    return app.document.asking(target=target)


@action(
    *("target.set", "Set the target", "Régler la cible"),
    Arg("at", "point", Words("Place", "Place"), unit="m"),
    menu="target",
    key="T",
)
def set_target(app: App, at: list[float]) -> Document:
    """Put the target at a place of the world; there is one from then on. It is solved if live."""
    document = app.document
    if document.target is None:
        path = free_name(document.scene, "target")
        document = replace(document.edited(document.scene.add(path, Target())), target=path)
    assert document.target is not None
    unlocked(document, [document.target])
    pose = np.array(document.scene.world(document.target))
    pose[:3, 3] = at
    document = document.edited(document.scene.with_pose(document.target, pose, world=True))
    if not (document.settings.live and document.figure):
        return document
    found = solved(document)
    app.tell_solved(found.solve)
    return found


@action(
    *("target.hand", "Put the target at the hand", "Mettre la cible à la main"),
    menu="target",
    key="Shift+T",
    when=has_figure,
)
def target_at_hand(app: App) -> Document:
    """Put the target where the chosen hand is: at rest both are as at the start."""
    at, actor = app.document.actor()
    frame = body_of(actor).hand(app.document.settings.hand)
    hand = np.asarray(actor.figure.fk(actor.posture, frame=frame))
    place = np.asarray(app.document.scene.world(at)) @ hand
    found: Document = set_target(app, place[:3, 3].tolist())
    return found


@action(
    *("target.want", "What the target wants", "Ce que la cible demande"),
    Arg("want", "choice", Words("Wanted", "Demandé"), "point", ("point", "axis", "pose")),
    menu="target",
    no_key=VALUE,
    when=lambda app: app.document.target is not None,
)
def want(app: App, want: str) -> Document:
    """Ask for the place, for the direction of the grip too, or for the whole pose."""
    at = app.document.target
    assert at is not None
    return app.document.edited(app.document.scene.with_shape(at, Target(want)))


# -- solving ------------------------------------------------------------------------------------


def goal_of(document: Document, at: str, target: str) -> dict[str, Any]:
    """Return what is asked of a figure's frame, in the figure's own world."""
    content = document.scene[target].content
    assert isinstance(content, Target)
    pose = np.linalg.inv(document.scene.world(at)) @ document.scene.world(target)
    if content.want == "pose":
        return {"pose": pose}
    goal = {"position": pose[:3, 3]}
    if content.want == "axis":
        goal["axis"] = pose[:3, :3] @ np.array(content.axis)
    return goal


def answer(
    document: Document, q: Any, solver: str | None = None, goal: dict[str, Any] | None = None
) -> tuple[Any, Solved]:
    """Solve for the target, or another goal, from a posture; joints that are held stay.

    Raises
    ------
    ArgumentError
        When there is no figure or no target.
    UnsupportedError
        When the solver cannot.
    """
    found, said = traced(document, q, solver, goal, trace=False)
    return np.asarray(found.q), said


def traced(
    document: Document,
    q: Any,
    solver: str | None = None,
    goal: dict[str, Any] | None = None,
    *,
    trace: bool = True,
) -> tuple[Any, Solved]:
    """Solve as `answer` does, and return the whole result."""
    at, actor = document.actor()
    if goal is None and document.target is None:
        raise ArgumentError("there is no target: set one first")
    body, set_to = body_of(actor), document.settings
    name = solver or set_to.solver
    lock = locks(document, at, q)
    wanted = goal_of(document, at, str(document.target)) if goal is None else goal
    began = perf_counter()
    found = body.model.solve(
        **wanted,
        frame=body.hand(set_to.hand),
        solver=None if name == "auto" else name,
        q0=q,
        position_tolerance=set_to.tolerance,
        orientation_tolerance=1e-2,
        max_iter=set_to.max_iter or None,
        lock=lock or None,
        trace=trace,
    )
    said = Solved(
        name,
        Outcome(int(found.outcome)).name.lower(),
        int(found.iterations),
        perf_counter() - began,
        float(found.position_error),
    )
    return found, said


def solved(document: Document) -> Document:
    """Return the document with the active figure at its target, or as near as was found."""
    at, actor = document.actor()
    unlocked(document, [at])
    q, said = answer(document, actor.posture)
    kept = document.path
    return replace(document.with_q(q), solve=said, path=kept)


@action("solve.run", "Solve", "Résoudre", menu="solve", key="Enter", when=has_both)
def solve(app: App) -> Document:
    """Bring the hand to the target."""
    found = solved(app.document)
    app.tell_solved(found.solve)
    return found


def _setting(name: str, value: Any) -> Any:
    def set_to(app: App, **given: Any) -> Document:
        settings = changed(app.document.settings, **{name: given[value]})
        if name == "hand" and settings != app.document.settings:
            return app.document.asking(settings=settings)
        return replace(app.document, settings=settings)

    return set_to


def solver_names() -> list[str]:
    """Return the names of all solvers, those of the user's own among them."""
    return [one.name for one in solvers()]


_SETTINGS: tuple[tuple[str, str, str, Arg, str, str | None], ...] = (
    (
        *("solve.solver", "Select solver", "Choisir le solveur"),
        Arg("solver", "choice", Words("Solver", "Solveur"), "auto", solver_names),
        *("solve", None),
    ),
    (
        *("solve.tolerance", "Tolerance", "Tolérance"),
        Arg("tolerance", "number", Words("Tolerance", "Tolérance"), 1e-3, unit="m"),
        *("solve", None),
    ),
    (
        *("solve.max_iter", "Iterations at most", "Itérations au plus"),
        Arg("max_iter", "integer", Words("Iterations, 0: its own", "Itérations, 0 : les siennes")),
        *("solve", None),
    ),
    (
        *("solve.live", "Solve while dragging", "Résoudre en déplaçant"),
        Arg("live", "flag", Words("Live", "En direct")),
        *("solve", None),
    ),
    (
        *("solve.collisions", "Drag out of obstacles", "Tirer hors des obstacles"),
        Arg("collisions", "flag", Words("Out of obstacles", "Hors des obstacles")),
        *("solve", None),
    ),
    (
        *("solve.hand", "Hand", "Main"),
        Arg("hand", "choice", Words("Hand", "Main"), "right", ("right", "left")),
        *("target", None),
    ),
    (
        *("joint.mirror", "Sliders move both sides", "Les curseurs bougent les deux côtés"),
        Arg("mirror", "flag", Words("Both sides", "Les deux côtés")),
        *("person", None),
    ),
    (
        *("view.mode", "Mode", "Mode"),
        Arg("mode", "choice", Words("Mode", "Mode"), "select", ("select", "compute", "navigate")),
        *("view", None),
    ),
)
for _id, _en, _fr, _arg, _menu, _key in _SETTINGS:
    action(_id, _en, _fr, _arg, menu=_menu, no_key=VALUE)(_setting(_arg.name, _arg.name))


@action(
    *("solve.ghost", "Compare with a second solver", "Comparer avec un second solveur"),
    Arg("solver", "text", Words("Solver", "Solveur"), ""),
    menu="solve",
    no_key=VALUE,
    when=has_both,
)
def ghost(app: App, solver: str) -> Document:
    """Show where another solver brings the figure from the same posture; "" shows none."""
    if not solver:
        return replace(app.document, ghost=None)
    known_name("solver", solver, solver_names())
    at, actor = app.document.actor()
    q, said = answer(app.document, actor.posture, solver)
    return replace(app.document, ghost=Ghost(at, said, tuple(q.tolist())))
