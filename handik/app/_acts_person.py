"""Actions on persons: who they are, their measures, another one beside, a population, a chair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.app._actions import RARE, VALUE, Arg, action
from handik.app._acts_figure import has_figure
from handik.app._acts_scene import free_name
from handik.app._bodies import Body, body_of
from handik.app._document import CHAIR, Beside, Document
from handik.app._drive import fits, said_of
from handik.app._nearest import bounds
from handik.app._words import Words
from handik.errors import ArgumentError
from handik.people.impairments import profiles
from handik.people.population import population
from handik.scene import Actor, FloorPlan, Plane, Scene
from handik.scene.access.chairs import KINDS, ON_FOOT
from handik.scene.shapes import Prism, Shape
from handik.spec._given import known_name

if TYPE_CHECKING:
    from handik.app._session import App

_SEX = Arg("sex", "choice", Words("Sex", "Sexe"), None, ("female", "male"))
_PERSON = (
    _SEX,
    Arg("stature", "number", Words("Stature", "Stature"), None, unit="m"),
    Arg("weight", "number", Words("Weight, kg", "Poids, kg"), None),
    Arg("percentile", "number", Words("Percentile", "Percentile"), None),
    Arg("position", "choice", Words("Position", "Position"), None, ("seated", "standing")),
    Arg("profile", "choice", Words("Profile", "Profil"), None, lambda: ["", *profiles()]),
    Arg("severity", "number", Words("Severity, 0 to 1", "Gravité, 0 à 1"), None),
    Arg("side", "choice", Words("Side", "Côté"), None, ("right", "left")),
)
#: Meters a person is kept from what is there; how far a free place is looked for.
ROOM, STEP, MOST_STEPS = 0.05, 0.25, 24


def is_person(app: App) -> bool:
    """Tell whether the active figure is a person."""
    return has_figure(app) and app.document.actor()[1].human is not None


def _person(given: dict[str, Any], old: dict[str, Any]) -> Actor:
    found = {**old, **{name: value for name, value in given.items() if value is not None}}
    if given.get("percentile") is not None:  # one way to say how tall
        found.pop("stature", None), found.pop("weight", None)
    elif given.get("stature") is not None or given.get("weight") is not None:
        found.pop("percentile", None)
    if found.get("chair") and not fits(found["chair"], found):
        found = {name: value for name, value in found.items() if name not in CHAIR}
    if not found.get("profile"):
        for name in ("profile", "severity", "side"):
            found.pop(name, None)
    actor = Actor(human=found)
    body_of(actor)  # says what is wrong
    return actor


def _things(scene: Scene) -> Iterator[Any]:
    """Yield the boxes about all that stands in the way of a person."""
    for path in scene:
        content = scene[path].content
        if isinstance(content, FloorPlan):
            for _, wall, own in content.solids():
                assert isinstance(wall, Prism)
                pose = scene.world(path) @ own
                flat = np.array([[*corner, z] for corner in wall.polygon for z in (0, wall.height)])
                points = scene.world_scale(path) * flat @ pose[:3, :3].T + pose[:3, 3]
                yield np.array([points.min(axis=0), points.max(axis=0)])
        solid = isinstance(content, Shape) and not isinstance(content, Plane) and scene[path].solid
        if solid or isinstance(content, Actor):
            alone = Scene().add("thing", content, scene.world(path), scale=scene.world_scale(path))
            yield bounds(alone, "thing")


def free_place(scene: Scene, actor: Actor) -> Any:
    """Return a place x, y of the floor near the origin where a person touches nothing.

    By the boxes about things, so that a place that is free may be passed over; one from which the
    middle of things lies ahead is taken as a meter nearer. The origin itself where nothing is free
    within reach of the search.
    """
    low, high = bounds(Scene().add("who", actor), "who")
    taken = [box for box in _things(scene) if box[0, 2] < high[2] and box[1, 2] > low[2] + ROOM]
    steps = np.arange(-MOST_STEPS, MOST_STEPS + 1) * STEP
    grid = np.array([[x, y] for x in steps for y in steps])
    away = np.linalg.norm(grid, axis=1)
    if taken:
        away += grid[:, 0] > np.mean(taken, axis=(0, 1))[0]  # a person looks along x
    for place in grid[np.argsort(away, kind="stable")]:
        a, b = low[:2] + place - ROOM, high[:2] + place + ROOM
        if all((b <= box[0, :2]).any() or (a >= box[1, :2]).any() for box in taken):
            return place
    return np.zeros(2)


@action(
    *("person.add", "Add a person", "Ajouter une personne"),
    *_PERSON,
    menu="person",
    key="Shift+P",
)
def add_person(app: App, **given: Any) -> Document:
    """Add a person, who becomes the active figure, where nothing is in the way."""
    scene = app.document.scene
    path = free_name(scene, "person")
    actor = _person(given, {"sex": "female"})
    scene = scene.add(path, actor, [*free_place(scene, actor).tolist(), 0.0])
    return replace(app.document.edited(scene), figure=path, selection=(path,))


def _other(document: Document, made: Actor) -> Document:
    """Return the document with the active person another one, in the same posture if it can be.

    Joints that are at rest are at the rest of the other: arms hang, or lie on arm rests.
    """
    node, actor = document.actor()
    body, q = body_of(made), actor.posture
    rest = body_of(actor).rest
    if q.shape == rest.shape == body.rest.shape and not np.array_equal(q, rest):
        q = q.copy()
        for at in body.model.joint_q_slices.values():
            if np.array_equal(q[at], rest[at]):
                q[at] = body.rest[at]
        made = replace(made, q=body.model.clip(q))
    return document.edited(document.scene.with_shape(node, made))


def _given(document: Document) -> dict[str, Any]:
    human = document.actor()[1].human
    if human is None:
        raise ArgumentError("the active figure is no person")
    return dict(human)


@action(
    *("person.set", "Change the person", "Modifier la personne"),
    *_PERSON,
    menu="person",
    no_key=VALUE,
    when=has_figure,
)
def set_person(app: App, **given: Any) -> Document:
    """Make the active person another one, in the same posture as far as her limits allow."""
    return _other(app.document, _person(given, _given(app.document)))


@action(
    *("person.measure", "Give a measure of the body", "Donner une mesure du corps"),
    Arg("name", "text", Words("Measure", "Mesure")),
    Arg("value", "number", Words("Value, none: as of others", "Valeur, vide : la médiane"), None),
    menu="person",
    no_key=VALUE,
    when=is_person,
)
def measure(app: App, name: str, value: float | None) -> Document:
    """Give one of the body's dimensions in meters, or leave it to the rest of them again."""
    given = _given(app.document)
    known = body_of(app.document.actor()[1]).person
    assert known is not None
    known_name("measure", name, list(known.dimensions))
    given.pop(name, None)
    if value is not None:
        given[name] = value
    return _other(app.document, _person({}, given))


# -- others beside ------------------------------------------------------------------------------


def _posture(document: Document, body: Body) -> tuple[Any, bool | None]:
    """Return the posture of one who stands in for the active person.

    With a target one that reaches it, or the nearest that was found, and whether it does; else
    that of the active person within her own limits.
    """
    from handik.app._acts_figure import goal_of

    at, actor = document.actor()
    if document.target is None:
        q = actor.posture
        return (body.model.clip(q) if q.shape == body.rest.shape else body.rest), None
    goal, hand = goal_of(document, at, document.target), body.hand(document.settings.hand)
    fine = document.settings.tolerance
    found = body.model.solve(
        **goal, frame=hand, q0=body.rest, position_tolerance=fine, orientation_tolerance=1e-2,
        retries=5,
    )  # fmt: skip
    return np.asarray(found.q), bool(found.converged)


@action(
    *("person.compare", "Compare with another person", "Comparer avec une autre personne"),
    *_PERSON,
    menu="person",
    no_key=VALUE,
    when=is_person,
)
def compare(app: App, **given: Any) -> Document:
    """Show another person in the same place, faint: as the active one but for what is given.

    With a target both measures and whether a posture reaches it are told of both.
    """
    document = app.document
    other = _person(given, _given(document))
    q, reached = _posture(document, body_of(other))
    return replace(document, beside=(Beside(other, tuple(q.tolist()), reached),))


@action(
    *("person.population", "Show a population", "Montrer une population"),
    Arg("count", "integer", Words("How many", "Combien"), 12),
    _SEX,
    Arg("seed", "integer", Words("Draw", "Tirage"), 0),
    menu="person",
    no_key=VALUE,
    when=is_person,
    job=True,
)
def people(app: App, count: int, sex: str | None, seed: int) -> Document:
    """Show people drawn from the survey in the same place, faint, each reaching for the target.

    They have the profile of the active person, and her chair.
    """
    if not 1 <= count <= 40:
        raise ArgumentError(f"count must be 1 to 40, got {count}")
    if seed < 0:
        raise ArgumentError(f"seed must be 0 or more, got {seed}")
    document = app.document
    given = _given(document)
    like = ("position", "profile", "severity", "side", *CHAIR)
    kept = {k: v for k, v in given.items() if k in like}
    found = []
    for k, one in enumerate(population(count, sex=sex, seed=seed)):
        app.share(k, count)
        short = {"stature": one["stature"], "weight": one["weight"], "age": one["age"]}
        rest = {name: one[name] for name in SHOWN if name not in short}
        actor = Actor(human={**kept, "sex": one.sex, "body": "plain", **short, **rest})
        q, reached = _posture(document, body_of(actor))
        found.append(Beside(actor, tuple(q.tolist()), reached))
    return replace(document, beside=tuple(found))


#: Dimensions of the people of a population that are taken over, beside stature, weight and age:
#: those by which a seated person reaches. The others are the middle of people with these.
SHOWN = (
    *("sitting_height", "acromial_height", "shoulder_elbow_length", "forearm_hand_length"),
    *("biacromial_breadth", "buttock_knee_length", "popliteal_height", "eye_height_sitting"),
    *("hand_length", "buttock_popliteal_length", "stature", "weight", "age"),
)


@action(
    *("person.alone", "Show nobody beside", "Ne montrer personne à côté"),
    menu="person",
    no_key=RARE,
    when=lambda app: bool(app.document.beside),
)
def alone(app: App) -> Document:
    """Show neither another person nor a population."""
    return replace(app.document, beside=())


@action(
    *("person.chair", "Give a wheelchair", "Donner un fauteuil"),
    Arg("kind", "choice", Words("Wheelchair", "Fauteuil"), "manual", ("", *KINDS)),
    Arg("percentile", "number", Words("Percentile of its size", "Percentile de sa taille"), 50.0),
    Arg("width", "number", Words("Width, if not that", "Largeur, sinon"), None, unit="m"),
    Arg("length", "number", Words("Length, if not that", "Longueur, sinon"), None, unit="m"),
    Arg("seat_height", "number", Words("Height of the seat", "Hauteur du siège"), None, unit="m"),
    Arg("joystick", "choice", Words("Joystick", "Manette"), None, ("right", "left", "none")),
    menu="person",
    no_key=VALUE,
    when=is_person,
)
def chair(
    app: App,
    kind: str,
    percentile: float,
    width: float | None,
    length: float | None,
    seat_height: float | None,
    joystick: str | None,
) -> Document:
    """Give the active person, who sits, a wheelchair of measured or given size; "" takes it away.

    Its seat, with her on it, is as high as was measured of people with such chairs, or as given;
    its joystick is on the right of a chair with motors, or as given. Who stands may have a walker
    or crutches: their width and length, occupied, must be given.
    """
    human = {name: value for name, value in _given(app.document).items() if name not in CHAIR}
    if kind and not fits(kind, human):
        if kind in ON_FOOT:
            raise ArgumentError("who walks with that stands: change the person to standing first")
        raise ArgumentError("who is in a wheelchair sits: change the person to seated first")
    seat = {"seat_height": seat_height, "joystick": joystick}
    said = said_of(kind, percentile, width, length, **seat) if kind else {}
    after = _other(app.document, _person(said, human))
    return replace(after, drive=None, passing=None)
