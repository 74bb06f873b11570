"""Actions on files and on the nodes of the scene."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.app._actions import VALUE, Arg, action
from handik.app._document import Document
from handik.app._nearest import bounds
from handik.app._words import Words
from handik.errors import ArgumentError, shortened
from handik.scene import (
    Box,
    Camera,
    Cylinder,
    Light,
    Scene,
    Sphere,
    Target,
    gallery,
)
from handik.scene.contents import Actor
from handik.spec.transforms import from_quaternion

if TYPE_CHECKING:
    from handik.app._session import App


def some(app: App) -> bool:
    """Tell whether something is selected."""
    return bool(app.document.selection)


def pose_of(seven: Any) -> Any:
    """Return the matrix of x y z and a quaternion."""
    return from_quaternion(seven[3:], seven[:3])


def free_name(scene: Scene, path: str) -> str:
    """Return a path that no node has."""
    found, k = path, 2
    while found in scene:
        found, k = f"{path} {k}", k + 1
    return found


def unlocked(document: Document, paths: Any) -> None:
    """Raise where a node, or one above it, is locked.

    Raises
    ------
    ArgumentError
    """
    for path in paths:
        for lock in document.locked:
            if path == lock or path.startswith(lock + "/"):
                raise ArgumentError(f"{lock!r} is locked")


def tops(paths: Any) -> list[str]:
    """Return the paths that hang on none of the others."""
    return [p for p in paths if not any(p.startswith(other + "/") for other in paths)]


NAME = Arg("name", "text", Words("Name", "Nom"))


# -- undo and selection -------------------------------------------------------------------------


@action(
    *("edit.undo", "Undo", "Annuler"),
    menu="edit",
    key="Control+Z",
    when=lambda app: bool(app.history.before),
)
def undo(app: App) -> None:
    """Put the last document back."""
    app.step_back()


@action(
    *("edit.redo", "Redo", "Rétablir"),
    menu="edit",
    key="Control+Shift+Z",
    when=lambda app: bool(app.history.after),
)
def redo(app: App) -> None:
    """Put the undone document back."""
    app.step_on()


NODES = Arg("nodes", "nodes", Words("Objects", "Objets"))
FRAME = Arg("frame", "choice", Words("Axes of", "Axes de"), "world", ("world", "own"))
ANY = Arg("nodes", "nodes", Words("Objects", "Objets"), default=None)


@action(
    *("node.select", "Select", "Sélectionner"),
    ANY,
    Arg("add", "flag", Words("Add to the selection", "Ajouter à la sélection"), default=False),
    menu="edit",
    no_key="objects are selected in the tree by its own keys, or in the view",
    join=True,
)
def select(app: App, nodes: list[str], add: bool) -> Document:
    """Select objects; with `add`, those that were selected are no more, and the others are too."""
    old = app.document.selection if add else ()
    kept = [p for p in old if p not in nodes] + [p for p in nodes if p not in old]
    if kept:
        names = ", ".join(path.rpartition("/")[2] for path in kept[:3])
        app.tell("selected", names=names + (", …" if len(kept) > 3 else ""), count=len(kept))
    return replace(app.document, selection=tuple(kept))


@action("edit.all", "Select all", "Tout sélectionner", menu="edit", key="Control+A", join=True)
def select_all(app: App) -> Document:
    """Select what stands at the top of the tree."""
    return replace(app.document, selection=tuple(n.name for n in app.document.scene.nodes))


@action(
    *("edit.none", "Select nothing", "Ne rien sélectionner"),
    menu="edit",
    key="Escape",
    when=some,
    join=True,
)
def select_none(app: App) -> Document:
    """Select nothing."""
    return replace(app.document, selection=())


# -- nodes --------------------------------------------------------------------------------------


@action("node.hide", "Hide or show", "Masquer ou afficher", NODES, key="H", when=some)
def hide(app: App, nodes: list[str]) -> Document:
    """Hide objects; those that are hidden are shown."""
    return replace(app.document, hidden=app.document.hidden ^ set(nodes))


@action("node.lock", "Lock or unlock", "Verrouiller ou déverrouiller", NODES, key="L", when=some)
def lock(app: App, nodes: list[str]) -> Document:
    """Lock objects, and all below them, or unlock them."""
    return replace(app.document, locked=app.document.locked ^ set(nodes))


@action(
    *("node.show_all", "Show all", "Tout afficher"),
    key="Shift+H",
    when=lambda app: bool(app.document.hidden),
)
def show_all(app: App) -> Document:
    """Show what is hidden."""
    return replace(app.document, hidden=frozenset())


NODE = Arg("node", "node", Words("Object", "Objet"))


@action("node.rename", "Rename", "Renommer", NODE, NAME, key="F2", when=some)
def rename(app: App, node: str, name: str) -> Document:
    """Give a node another name."""
    unlocked(app.document, [node])
    scene = app.document.scene.rename(node, name)
    return app.document.renamed(scene, node, node[: len(node) - len(node.split("/")[-1])] + name)


@action("node.delete", "Delete", "Supprimer", NODES, key="Delete", when=some)
def delete(app: App, nodes: list[str]) -> Document:
    """Delete objects with all that hangs on them."""
    unlocked(app.document, nodes)
    scene = app.document.scene
    for path in tops(nodes):
        scene = scene.remove(path)
    return app.document.edited(scene)


@action("node.duplicate", "Duplicate", "Dupliquer", NODES, key="Control+D", when=some)
def duplicate(app: App, nodes: list[str]) -> Document:
    """Make a copy of each beside it; the copies are selected."""
    scene, made = app.document.scene, []
    for path in tops(nodes):
        node, at = scene[path], free_name(scene, path)
        scene = scene.add(at, Scene(node.children), node.place, scale=node.scale)
        scene = scene.with_shape(at, node.content).with_look(
            at, color=node.color, opacity=node.opacity, solid=node.solid
        )
        scene = scene.tag(at, *node.tags)
        made.append(at)
    return replace(app.document.edited(scene), selection=tuple(made))


@action("node.group", "Group", "Grouper", NODES, key="Control+G", when=some)
def group(app: App, nodes: list[str]) -> Document:
    """Hang objects on a new node, where they stay."""
    document = app.document
    unlocked(document, nodes)
    at = free_name(document.scene, "group")
    document = document.edited(document.scene.add(at))
    for path in tops(nodes):
        name = free_name(document.scene, f"{at}/{path.split('/')[-1]}").rpartition("/")[2]
        if name != path.split("/")[-1]:
            raise ArgumentError(f"two of the objects have the name {shortened(name)}")
        document = document.renamed(document.scene.move(path, at), path, f"{at}/{name}")
    return replace(document, selection=(at,))


@action(
    *("node.reparent", "Hang on another", "Rattacher à un autre"),
    NODE,
    Arg("parent", "node", Words("On", "À"), default=None),
    no_key=VALUE,
)
def reparent(app: App, node: str, parent: str | None) -> Document:
    """Hang a node on another, or on the scene itself; it stays where it is."""
    unlocked(app.document, [node])
    name = node.split("/")[-1]
    new_path = name if parent is None else f"{parent}/{name}"
    return app.document.renamed(app.document.scene.move(node, parent), node, new_path)


@action(
    *("node.transform", "Place", "Placer"),
    NODE,
    Arg("pose", "pose", Words("Pose in the world", "Pose dans le monde"), unit="m"),
    Arg("scale", "number", Words("Scale", "Échelle"), default=None),
    no_key=VALUE,
)
def transform(app: App, node: str, pose: list[float], scale: float | None) -> Document:
    """Put a node elsewhere in the world, at another scale."""
    document = app.document
    unlocked(document, [node])
    scene = document.scene.with_pose(node, pose_of(pose), world=True)
    if scale is not None:
        if isinstance(scene[node].content, Actor) and scale != 1.0:
            raise ArgumentError("a figure is not scaled: give the person another stature")
        scene = scene.with_scale(node, scale)
    return document.edited(scene)


@action(
    *("node.move", "Move", "Déplacer"),
    NODES,
    Arg("by", "point", Words("By", "De"), unit="m"),
    FRAME,
    no_key=VALUE,
)
def move(app: App, nodes: list[str], by: list[float], frame: str) -> Document:
    """Move objects along a vector of the world, or each along its own axes."""
    step = _shift(by)
    return _moved(app.document, nodes, lambda pose: pose @ step if frame == "own" else step @ pose)


@action(
    *("node.rotate", "Rotate", "Tourner"),
    NODES,
    Arg("axis", "choice", Words("About", "Autour de"), "z", ("x", "y", "z")),
    Arg("angle", "number", Words("Angle", "Angle"), unit="rad"),
    FRAME,
    no_key=VALUE,
)
def rotate(app: App, nodes: list[str], axis: str, angle: float, frame: str) -> Document:
    """Turn objects about an axis of the world, or of each, through the origin of each."""
    half = np.zeros(4)
    half[0], half[1 + "xyz".index(axis)] = np.cos(angle / 2), np.sin(angle / 2)
    turn = from_quaternion(half)

    def turned(pose: Any) -> Any:
        found = pose @ turn if frame == "own" else turn @ pose
        found[:3, 3] = pose[:3, 3]
        return found

    return _moved(app.document, nodes, turned)


@action(
    *("node.scale", "Scale", "Mettre à l'échelle"),
    NODES,
    Arg("factor", "number", Words("Factor", "Facteur")),
    no_key=VALUE,
)
def scale(app: App, nodes: list[str], factor: float) -> Document:
    """Make objects larger or smaller."""
    unlocked(app.document, nodes)
    scene = app.document.scene
    for path in tops(nodes):
        if isinstance(scene[path].content, Actor):
            raise ArgumentError("a figure is not scaled: give the person another stature")
        scene = scene.with_scale(path, scene[path].scale * factor)
    return app.document.edited(scene)


def _shift(by: Any) -> Any:
    found = np.eye(4)
    found[:3, 3] = by
    return found


def _moved(document: Document, nodes: list[str], how: Any) -> Document:
    unlocked(document, nodes)
    scene = document.scene
    for path in tops(nodes):
        scene = scene.with_pose(path, how(np.array(scene.world(path))), world=True)
    return document.edited(scene)


_THINGS: dict[str, Any] = {
    "box": lambda size: Box([size] * 3),
    "sphere": lambda size: Sphere(size / 2),
    "cylinder": lambda size: Cylinder(size, size / 4),
    "group": lambda size: None,
    "light": lambda size: Light(),
    "camera": lambda size: Camera(),
    "target": lambda size: Target(),
}


@action(
    *("node.add", "Add an object", "Ajouter un objet"),
    Arg("kind", "choice", Words("Kind", "Sorte"), "box", tuple(_THINGS)),
    Arg("size", "number", Words("Size", "Taille"), 0.2, unit="m"),
    Arg("at", "point", Words("Place", "Place"), (0.5, 0.0, 1.0), unit="m"),
    Arg("name", "text", Words("Name", "Nom"), None),
    key="Insert",
)
def add(app: App, kind: str, size: float, at: Any, name: str | None) -> Document:
    """Add an object, which is selected."""
    scene = app.document.scene
    path = free_name(scene, name or kind)
    document = app.document.edited(scene.add(path, _THINGS[kind](size), list(at)))
    chosen = path if kind == "target" else document.target
    return replace(document, selection=(path,), target=chosen)


@action(
    *("node.gallery", "Add from the gallery", "Ajouter de la galerie"),
    Arg("scene", "choice", Words("Scene", "Scène"), "kitchen", gallery),
    no_key=VALUE,
)
def add_gallery(app: App, scene: str) -> Document:
    """Add a scene that comes with handik, under a node of its own."""
    there = app.document.scene
    path = free_name(there, scene)
    return replace(app.document.edited(there.add(path, gallery(scene))), selection=(path,))


@action(
    *("node.color", "Color", "Couleur"),
    NODES,
    Arg("color", "text", Words("Color #rrggbb", "Couleur #rrvvbb")),
    no_key=VALUE,
)
def color(app: App, nodes: list[str], color: str) -> Document:
    """Give objects a color."""
    unlocked(app.document, nodes)
    scene = app.document.scene
    for path in nodes:
        scene = scene.with_look(path, color=color)
    return replace(app.document, scene=scene)


@action("node.solid", "Obstacle or not", "Obstacle ou non", NODES, key="O", when=some)
def solid(app: App, nodes: list[str]) -> Document:
    """Make objects obstacles, or only drawn."""
    unlocked(app.document, nodes)
    scene = app.document.scene
    for path in nodes:
        scene = scene.with_look(path, solid=not scene[path].solid)
    return app.document.edited(scene)


@action("node.floor", "Put on the floor", "Poser au sol", NODES, key="End", when=some)
def floor(app: App, nodes: list[str]) -> Document:
    """Lower or raise objects until their lowest point is at height zero."""
    document = app.document
    unlocked(document, nodes)
    scene = document.scene
    for path in tops(nodes):
        low = bounds(scene, path)[0, 2]
        scene = scene.with_pose(path, _shift([0, 0, -low]) @ scene.world(path), world=True)
    return document.edited(scene)
