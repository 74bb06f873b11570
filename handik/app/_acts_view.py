"""Actions on what is shown: language, theme, drawing, keys, cameras."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from handik.app._actions import ACTIONS, VALUE, Arg, action
from handik.app._acts_scene import NAME, free_name, pose_of
from handik.app._document import Document, changed
from handik.app._words import LANGUAGES, Words
from handik.errors import ArgumentError, shortened
from handik.scene import Camera

if TYPE_CHECKING:
    from handik.app._session import App

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
        *("view.draw", "Draw scene and persons", "Dessin de la scène et des personnes"),
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


_KEY = re.compile(r"(?:(?:Control|Shift|Alt)\+){0,3}(?:[A-Z0-9]|F\d{1,2}|[A-Z][A-Za-z]+|[+\-,.;])")


@action(
    *("view.key", "Change a key", "Changer une touche"),
    Arg("action", "text", Words("Action", "Action")),
    Arg("key", "text", Words("Key, such as Control+B", "Touche, comme Control+B"), ""),
    menu="view",
    no_key=VALUE,
    kept=False,
)
def key(app: App, action: str, key: str) -> None:
    """Give an action, or a command of the page, another key; "" gives back its own."""
    if action not in ACTIONS and not re.fullmatch(r"page(\.\w+)+", action):
        raise ArgumentError(f"there is no action {shortened(action)}")
    kept = {name: one for name, one in app.view.keys if name != action}
    if key:
        if not _KEY.fullmatch(key):
            raise ArgumentError(f"key must be like Control+B, F8 or H, got {shortened(key)}")
        used = {one.key: name for name, one in ACTIONS.items() if one.key and name not in kept}
        used |= {one: name for name, one in kept.items()}
        if used.get(key, action) != action:
            other = used[key]
            called = app.word(other) if other in ACTIONS else other
            raise ArgumentError(f"{key} is the key of {called!r}")
        kept[action] = key
    app.view = changed(app.view, keys=tuple(sorted(kept.items())))


@action(
    *("view.camera", "Keep this view as a camera", "Garder cette vue en caméra"),
    NAME,
    Arg("pose", "pose", Words("Pose in the world", "Pose dans le monde"), unit="m"),
    Arg("view", "number", Words("Angle of view", "Angle de vue"), 0.7, unit="rad"),
    menu="view",
    no_key=VALUE,
)
def camera(app: App, name: str, pose: list[float], view: float) -> Document:
    """Add a camera to the scene: it looks along its -z, its y is up in the picture."""
    document = app.document
    path = free_name(document.scene, name)
    scene = document.scene.add(path, Camera(view), pose_of(pose))
    return replace(document, scene=scene, selection=(path,))
