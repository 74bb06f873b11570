"""Actions on files: new, open, import, save, export, and what a document's file holds."""

from __future__ import annotations

import base64
import json
import os
import tempfile
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from handik.app._actions import RARE, VALUE, Arg, action
from handik.app._acts_plan import placed
from handik.app._acts_scene import NAME, free_name, tops
from handik.app._bodies import body_of, check_figures
from handik.app._document import Document
from handik.app._drive import fits
from handik.app._meshes import put_back, taken_out
from handik.app._parts import FORMAT, LONGEST, line_of, parts_of
from handik.app._view import view
from handik.app._wheelchair import with_chair
from handik.app._words import Words
from handik.errors import ArgumentError, HandikError, ReadError, UnsupportedError, shortened
from handik.scene import Actor, Include, Mesh, Scene, load_scene
from handik.scene._files import replace as write_file
from handik.scene._write import to_toml, to_xml
from handik.scene.check._grid import mesh_triangles
from handik.scene.read import SUFFIXES

if TYPE_CHECKING:
    from handik.app._session import App


def held(scene: Scene) -> Scene:
    """Return a scene that needs no other file: the triangles of its meshes are in it.

    What is included is the scene's own from then on, and a mesh whose file cannot be read any
    more stays a name.
    """
    for path in scene:
        content = scene[path].content
        if isinstance(content, Include):
            scene = scene.with_shape(path, None)
        elif isinstance(content, Mesh) and content.path is not None:
            try:
                points, faces = mesh_triangles(content)
            except (HandikError, OSError):
                continue
            scene = scene.with_shape(path, Mesh(vertices=points, faces=faces))
    return scene


def as_text(document: Document) -> str:
    """Return what a document's file holds: the scene, and what is beside it."""
    scene, meshes = taken_out(held(document.scene))
    more = {
        "format": FORMAT,
        "scene": to_toml(scene, os.path.abspath(os.sep)),
        "meshes": meshes,
        "hidden": sorted(document.hidden),
        "locked": sorted(document.locked),
        "held": sorted(map(list, document.held)),
        "poses": {name: [p.figure, list(p.q)] for name, p in document.poses.items()},
        "motions": {
            name: [m.figure, list(m.times), list(map(list, m.q))]
            for name, m in document.motions.items()
        },
        "figure": document.figure,
        "target": document.target,
    }
    return json.dumps(more, indent=1) + "\n"


def _scene_of(text: str | bytes, suffix: str) -> Scene:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"scene{suffix}")
        with open(path, "wb") as stream:
            stream.write(text if isinstance(text, bytes) else text.encode("utf-8"))
        try:
            return load_scene(path)
        except ReadError as error:
            said = str(error).replace(path, "the file")
            raise ReadError(said) from None


def _checked(scene: Scene) -> Scene:
    try:
        check_figures(scene)
    except ArgumentError as error:
        raise ReadError(str(error)) from None
    return scene


def from_text(name: str, text: str) -> Document:
    """Return the document of a file's text: of ours, or a scene's TOML or XML.

    Raises
    ------
    ReadError
        When it is none.
    """
    if len(text) > LONGEST:
        raise ReadError(f"{shortened(name)} has more than {LONGEST} letters")
    suffix = os.path.splitext(name)[1].lower()
    if suffix in (".toml", ".xml"):
        return Document(scene=_checked(_scene_of(text, suffix))).tidied()
    if suffix != ".json":
        raise UnsupportedError(f"a document's file ends in .json, .toml or .xml, not {name!r}")
    parts = parts_of(name, text)
    scene, meshes = _scene_of(parts["scene"], ".toml"), parts.pop("meshes")
    try:
        parts["scene"] = _checked(put_back(scene, meshes))
    except ArgumentError as error:
        raise ReadError(
            f"it is damaged: {error}", name, line_of(text, "meshes"), "meshes"
        ) from None
    chair = parts.pop("chair")
    return _sat(Document(**parts).tidied(), chair)


def _sat(document: Document, chair: dict[str, Any]) -> Document:
    """Return a document whose active person has a chair, if she is as one is with it."""
    human = None if document.figure is None else document.actor()[1].human
    if not chair or human is None or "chair" in dict(human):
        return document
    own = dict(human)
    if not fits(chair["chair"], own):
        return document
    at, actor = document.actor()
    made = replace(actor, human={**own, **chair})
    return replace(document, scene=document.scene.with_shape(at, made))


def from_given(name: str, text: str | None, data: str | None) -> Document:
    """Return the document of a file given as text or as base64: ours, or what is imported.

    Raises
    ------
    ArgumentError
        When both or neither is given.
    ReadError, UnsupportedError
        As `from_text`, and as importers do.
    """
    if (text is None) == (data is None):
        raise ArgumentError("give one of text and data")
    suffix = os.path.splitext(name)[1].lower()
    if text is not None and suffix in (".json", ".toml", ".xml"):
        return from_text(name, text)
    try:
        raw = (text or "").encode() if data is None else base64.b64decode(data, validate=True)
    except ValueError:
        raise ReadError("data is no base64") from None
    return from_bytes(name, raw)


def from_bytes(name: str, raw: bytes) -> Document:
    """Return the document of a file: ours, or what is imported.

    Raises
    ------
    ReadError, UnsupportedError
        As `from_text`, and as importers do.
    """
    suffix = os.path.splitext(name)[1].lower()
    if suffix in (".json", ".toml", ".xml"):
        try:
            return from_text(name, raw.decode("utf-8"))
        except UnicodeDecodeError:
            raise ReadError(f"{name} is no text") from None
    if suffix not in SUFFIXES:
        known = " ".join([".json", ".toml", ".xml", *SUFFIXES])
        raise UnsupportedError(f"a file ends in one of {known}, not {name!r}")
    return Document(scene=held(_checked(_scene_of(raw, suffix)))).tidied()


TEXT = Arg("text", "text", Words("Content", "Contenu"), None)
DATA = Arg("data", "text", Words("Content, base64", "Contenu, base64"), None)


@action("file.new", "New", "Nouveau", menu="file", key="Alt+N")
def new(app: App) -> Document:
    """Begin an empty scene, with nobody; undo brings the old one back."""
    return Document(settings=app.document.settings)


@action(
    *("file.open", "Open", "Ouvrir"),
    NAME,
    TEXT,
    DATA,
    menu="file",
    key="Control+O",
)
def open_file(app: App, name: str, text: str | None, data: str | None) -> Document:
    """Open a document, a scene, or a file that is imported, given as text or as base64."""
    found = from_given(name, text, data)
    after = replace(found, settings=app.document.settings)
    if not app.history.modified:  # else what was there before is nowhere but in undo and journal
        app.history.saved = after
    return after


@action(
    *("file.import", "Import into the scene", "Importer dans la scène"),
    NAME,
    TEXT,
    DATA,
    menu="file",
    no_key=VALUE,
)
def import_file(app: App, name: str, text: str | None, data: str | None) -> Document:
    """Hang the scene of a file, or what another program wrote, on a new node."""
    document, scene = app.document, from_given(name, text, data).scene
    at = free_name(document.scene, os.path.splitext(os.path.basename(name))[0] or "scene")
    return replace(document.edited(document.scene.add(at, scene)), selection=(at,))


@action(
    *("file.save", "Save", "Enregistrer"),
    Arg("path", "text", Words("File", "Fichier"), default=None),
    menu="file",
    key="Control+S",
    kept=False,
)
def save(app: App, path: str | None) -> None:
    """Write the document: to a file from Python, else the page downloads it."""
    data = as_text(app.document).encode("utf-8")
    if len(data) > LONGEST:  # it could not be opened
        raise UnsupportedError(f"the document would have {len(data)} bytes, more than {LONGEST}")
    if path is None:
        app.give(f"{app.document.scene.name}.json", data, "application/json")
    else:
        if not path.endswith(".json"):
            raise UnsupportedError("a document is saved to a file that ends in .json")
        write_file(path, os.path.dirname(os.path.abspath(path)), data)
    app.saved()


@action(
    *("file.save_as", "Save as", "Enregistrer sous"),
    NAME,
    menu="file",
    key="Alt+S",
    kept=False,
)
def save_as(app: App, name: str) -> None:
    """Name the scene and save it under that name; undo gives the scene its old name."""
    if name != app.document.scene.name:
        app.do("file.rename", name=name)
    save(app, None)


@action(
    *("file.export", "Export the scene", "Exporter la scène"),
    Arg("format", "choice", Words("Format", "Format"), "toml", ("toml", "xml", "glb", "html")),
    menu="file",
    key="Control+E",
    kept=False,
)
def export(app: App, format: str) -> None:
    """Give the scene as a file for other programs, or as a page in which its figures reach."""
    scene = app.document.scene
    if format == "html":
        data = _page(app).encode("utf-8")
    elif format == "glb":
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "scene.glb")
            scene.export(path)
            with open(path, "rb") as stream:
                data = stream.read()
    else:
        data = (to_toml if format == "toml" else to_xml)(
            held(scene), os.path.abspath(os.sep)
        ).encode()
    app.give(f"{scene.name}.{format}", data, "application/octet-stream")


def _seen(document: Document) -> Scene:
    """Return the scene as it is seen: with a wheelchair, and without what is hidden."""
    scene, gone = with_chair(document), tops(document.hidden)

    def hidden(path: str) -> bool:
        return any(path == one or path.startswith(one + "/") for one in gone)

    for path in scene:
        follows = scene[path].attached
        if follows is not None and hidden(follows.to) and not hidden(path):
            scene = scene.detach(path)
    for path in gone:
        scene = scene.remove(path)
    return scene


def _page(app: App) -> str:
    """Return the scene, but what is hidden, as a page whose figures reach for the target."""
    document, scene = app.document, app.document.scene
    seen = _seen(document)
    figures: dict[str, Any] = {}
    starts, goals = {}, {}
    for path in scene:
        if path not in seen:
            continue
        actor = scene[path].content
        if isinstance(actor, Actor):
            figures[path] = placed(document, path)
            starts[path] = actor.posture
            goals[path] = body_of(actor).hand(document.settings.hand)
    if not figures:
        raise ArgumentError("there is no figure: add a person or a robot first")
    ball = None
    if document.target is not None:
        ball = dict.fromkeys(figures, scene.world(document.target)[:3, 3])
    page = view(
        *(figures, starts),
        scene=seen,
        frame=goals,
        target=ball,
        solver=document.settings.solver,
        language=app.view.language,
    )
    return page.html


@action(
    *("file.script", "Save the session as a script", "Enregistrer la session en script"),
    menu="file",
    no_key=RARE,
    kept=False,
)
def script(app: App) -> None:
    """Give all that was done as a program of Python."""
    app.give("session.py", app.script().encode("utf-8"), "text/x-python")


@action(
    *("file.rename", "Name the scene", "Nommer la scène"),
    NAME,
    menu="file",
    no_key=VALUE,
)
def name_scene(app: App, name: str) -> Document:
    """Give the scene another name."""
    return replace(app.document, scene=Scene(app.document.scene.nodes, name))
