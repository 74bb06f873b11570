"""Actions on motions: read, recorded, kept, found, changed, saved."""

from __future__ import annotations

import base64
import binascii
import os
import tempfile
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.app._actions import RARE, VALUE, Arg, action
from handik.app._acts_figure import goal_of, has_both, has_figure
from handik.app._acts_plan import with_curves
from handik.app._acts_scene import NAME
from handik.app._bodies import body_of
from handik.app._document import Document, Moved, Way
from handik.app._words import Words
from handik.errors import ArgumentError, HandikError, ReadError, UnsupportedError
from handik.files.read.markers import Markers, read_c3d, read_trc
from handik.files.write.bvh import to_bvh
from handik.people.motion import Library, Motion, fit_markers, lead, retarget
from handik.spec._given import known_name

if TYPE_CHECKING:
    from handik.app._session import App

#: Frames a second of what is played and saved; rows of a motion at most; seconds of a rest while
#: recording that are kept.
RATE, MOST_ROWS, REST = 30.0, 20_000, 0.5
#: Markers of the Plug-in Gait set by the side's letter and the joint or end they are put on. That
#: they lie on its middle is an assumption: skin lies a few centimeters beside it.
_GAIT = {
    "SHO": "shoulder",
    "ELB": "elbow",
    "WRA": "wrist",
    "WRB": "wrist",
    "FIN": "middle_tip",
    "ASI": "hip",
    "KNE": "knee",
    "ANK": "ankle",
}
#: Where the parts of a person are in a file that `save` wrote: its nodes are joints.
_OURS = {
    "pelvis": "pelvis_tilt",
    "chest": "trunk_turn",
    "head": "neck_turn",
    **{f"upper_arm_{side}": f"shoulder_{side}" for side in ("right", "left")},
    **{f"forearm_{side}": f"elbow_flexion_{side}" for side in ("right", "left")},
    **{f"hand_{side}": f"wrist_deviation_{side}" for side in ("right", "left")},
}
_SIDES = {"R": "right", "L": "left"}


def has_way(app: App) -> bool:
    """Tell whether there is a path or a motion to play."""
    return app.document.path is not None and len(app.document.path.times) > 1


def shown(document: Document, motion: Motion, path: str | None = None) -> Document:
    """Return the document with a motion of a figure, by default the active one, to be played."""
    at, _ = document.actor(path)
    times = motion.times - motion.times[0]
    way = Way(at, "motion", "", times, np.asarray(motion.q))
    return replace(document, path=with_curves(document, way))


def kept(document: Document, motion: Motion, name: str, path: str | None = None) -> Document:
    """Return the document with a motion of a figure in its library, under a name of its own."""
    body, k, free = body_of(document.actor(path)[1]), 2, name
    while free in document.motions:
        free, k = f"{name} {k}", k + 1
    rows = tuple(map(tuple, np.asarray(motion.q).tolist()))
    times = tuple((motion.times - motion.times[0]).tolist())
    return replace(document, motions={**document.motions, free: Moved(body.key, times, rows)})


def _active(document: Document) -> Any:
    """Return what a motion is given to: the person, or the robot's model."""
    body = body_of(document.actor()[1])
    return body.person or body.model


def motion_of(document: Document, name: str) -> Motion:
    """Return a motion of the library, for the active figure."""
    moved = document.motions[known_name("motion", name, document.motions)]
    model = body_of(document.actor()[1]).model
    q = np.array(moved.q)
    if q.shape[1] != model.nq:
        raise ArgumentError(f"motion {name!r} is of another kind of figure")
    return Motion(np.asarray(model.clip(q)), np.array(moved.times), model, name=name)


def current(document: Document) -> tuple[Motion, str]:
    """Return what is played as a motion, and whose it is: another figure may be active now."""
    way = document.path
    assert way is not None
    model = body_of(document.actor(way.figure)[1]).model
    return Motion(way.q, way.times, model, name="path"), way.figure


def bytes_of(data: str) -> bytes:
    """Return the bytes of base64."""
    try:
        return base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        raise ReadError("data is no base64") from None


def _places(markers: Markers, model: Any) -> dict[str, tuple[str, list[float]]]:
    """Return where markers are on a figure: by a frame's name, or one of the Plug-in Gait set."""
    found = {}
    for name in markers.names:
        plain = name.rpartition(":")[2]
        gait = _GAIT.get(plain[1:].upper())
        frame = plain if plain in model.frame_names else None
        if frame is None and gait is not None and plain[:1].upper() in _SIDES:
            frame = f"{gait}_{_SIDES[plain[0].upper()]}"
        if frame in model.frame_names:
            found[name] = (str(frame), [0.0, 0.0, 0.0])
    return found


def _of_markers(name: str, data: bytes, document: Document, up: str) -> Motion:
    model = body_of(document.actor()[1]).model
    suffix = os.path.splitext(name)[1].lower()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"markers{suffix}")
        with open(path, "wb") as stream:
            stream.write(data)
        try:
            markers = (read_c3d if suffix == ".c3d" else read_trc)(path, up=up)
        except ImportError as error:
            raise UnsupportedError(str(error)) from None
        except HandikError as error:  # by the name that the user knows
            raise ReadError(str(error).replace(path, name)) from None
    places = _places(markers, model)
    if len(places) < 3:
        raise UnsupportedError(
            f"{name}: fewer than three of its markers are known: they must be named as frames of "
            f"the figure (elbow_right) or as Plug-in Gait has them (RELB); it has "
            f"{', '.join(markers.names[:8])}"
        )
    q = document.actor()[1].posture
    fitted = fit_markers(model, markers, places, q0=q).motion
    return Motion(fitted.q, fitted.times, model, name=os.path.splitext(name)[0])


@action(
    *("motion.open", "Open a motion", "Ouvrir un mouvement"),
    NAME,
    Arg("text", "text", Words("Content", "Contenu"), None),
    Arg("data", "text", Words("Content, base64", "Contenu, base64"), None),
    Arg("scale", "number", Words("Meters in its unit", "Mètres dans son unité"), 0.01),
    Arg("up", "choice", Words("Its axis that points up", "Son axe vers le haut"), "y", ("y", "z")),
    menu="motion",
    key="Alt+M",
    when=has_figure,
    job=True,
)
def open_motion(
    app: App, name: str, text: str | None, data: str | None, scale: float, up: str
) -> Document:
    """Read a BVH file, or markers of a C3D or TRC file, for the active figure; keep and show it.

    The motion of a BVH file's skeleton is given to the active person, her limits kept. Markers are
    fitted frame by frame; which they are is told by their names.
    """
    document = app.document
    held = bytes_of(data) if data is not None else (text or "").encode()
    suffix = os.path.splitext(name)[1].lower()
    if suffix in (".c3d", ".trc"):
        motion = _of_markers(name, held, document, up)
    elif suffix == ".bvh":
        try:
            read = Motion.read(held, scale=scale, up=up)
        except HandikError as error:
            raise ReadError(str(error).replace("<text>", name)) from None
        if len(read) > MOST_ROWS:
            raise ReadError(f"{name} has {len(read)} frames, more than {MOST_ROWS}")
        app.share(1, 3)
        own = {role: name for role, name in _OURS.items() if name in read.model.frame_names}
        # a file that this application saved has nodes named as the joints of a person
        motion = retarget(read, _active(document), source=own if len(own) > 4 else None).motion
    else:
        raise UnsupportedError(f"motions are read from .bvh, .c3d and .trc, not {name!r}")
    app.share(2, 3)
    return kept(shown(document, motion), motion, os.path.splitext(os.path.basename(name))[0])


@action(
    *("motion.record", "Record a demonstration", "Enregistrer une démonstration"),
    menu="motion",
    key="Control+Shift+R",
    when=has_figure,
    kept=False,
)
def record(app: App) -> Document | None:
    """Begin to record how the active figure is moved, by dragging or otherwise; then end it.

    It is hers whoever is active in between. Rests are cut to half a second.
    """
    if app.recording is None:
        at = app.document.actor()[0]
        app.recording, app.recorded_figure = [], at
        app.recorded(app.document)
        app.tell("recording", figure=at)
        return None
    rows, app.recording = app.recording, None
    document, at = app.document, app.recorded_figure or app.document.actor()[0]
    app.recorded_figure = None
    if not document._is(at, "figure"):
        raise ArgumentError(f"{at!r}, who was recorded, is not there any more")
    model = body_of(document.actor(at)[1]).model
    rows = [row for row in rows if len(row[1]) == model.nq]
    if len(rows) < 2:
        raise ArgumentError("nothing was moved while recording")
    steps = np.clip(np.diff([time for time, _ in rows]), 1e-3, REST)
    times = np.concatenate([[0.0], np.cumsum(steps)])
    motion = Motion(np.array([q for _, q in rows]), times, model)
    count = min(max(2, int(times[-1] * RATE) + 1), MOST_ROWS)
    even = np.linspace(0.0, times[-1], count)
    motion = Motion(motion.at(even), even, model)
    name = app.word("motion.record") if app.view.language == "en" else "démonstration"
    return kept(shown(document, motion, at), motion, name.split()[-1], at)


@action(
    *("motion.use", "Play a motion of the library", "Jouer un mouvement de la bibliothèque"),
    NAME,
    menu="motion",
    no_key=VALUE,
    when=lambda app: has_figure(app) and bool(app.document.motions),
)
def use(app: App, name: str) -> Document:
    """Show a motion of the library, to be played."""
    return shown(app.document, motion_of(app.document, name))


@action(
    *("motion.keep", "Keep what is played", "Garder ce qui est joué"),
    NAME,
    menu="motion",
    no_key=VALUE,
    when=has_way,
)
def keep(app: App, name: str) -> Document:
    """Take the path or motion that is played into the library."""
    motion, at = current(app.document)
    return kept(app.document, motion, name, at)


@action(
    *("motion.forget", "Forget a motion", "Oublier un mouvement"),
    NAME,
    menu="motion",
    no_key=RARE,
    when=lambda app: bool(app.document.motions),
)
def forget(app: App, name: str) -> Document:
    """Take a motion out of the library."""
    known_name("motion", name, app.document.motions)
    left = {k: v for k, v in app.document.motions.items() if k != name}
    return replace(app.document, motions=left)


@action(
    *("motion.find", "Find the motion that reaches the target", "Trouver celui qui l'atteint"),
    menu="motion",
    no_key=RARE,
    when=lambda app: has_both(app) and bool(app.document.motions),
)
def find(app: App) -> Document:
    """Show the motion of the library in which the hand comes nearest to the target."""
    document = app.document
    at, actor = document.actor()
    body, library = body_of(actor), Library()
    for name, moved in document.motions.items():
        if len(moved.q[0]) == body.model.nq:
            library.add(motion_of(document, name))
    if not len(library):
        raise ArgumentError("no motion of the library is of this kind of figure")
    goal = goal_of(document, at, str(document.target))
    point = goal["pose"][:3, 3] if "pose" in goal else goal["position"]
    (best,) = library.reaching(body.hand(document.settings.hand), point, most=1)
    app.tell("nearest_motion", name=best.name, distance=1000 * best.distance)
    return shown(document, motion_of(document, best.name))


def _changed(id: str, en: str, fr: str, *args: Arg) -> Callable[..., Any]:
    more: dict[str, Any] = {"menu": "motion", "no_key": VALUE if args else RARE, "when": has_way}
    return action(id, en, fr, *args, **more)


@_changed(
    *("motion.smooth", "Smooth the motion", "Lisser le mouvement"),
    Arg("cutoff", "number", Words("Cutoff, Hz", "Coupure, Hz"), 4.0),
)
def smooth(app: App, cutoff: float) -> Document:
    """Take what is faster than a frequency out of the motion that is played."""
    motion, at = current(app.document)
    even = motion.resample(RATE)
    return shown(app.document, even.lowpass(cutoff), at)


@_changed("motion.mirror", "Mirror the motion", "Refléter le mouvement")
def mirror(app: App) -> Document:
    """Let the left do what the right did."""
    document = app.document
    motion, at = current(document)
    body = body_of(document.actor(at)[1])
    q = np.array([body.mirrored(row) for row in motion.q])
    return shown(document, Motion(q, motion.times, body.model), at)


@_changed(
    *("motion.pace", "Change the pace of the motion", "Changer le rythme du mouvement"),
    Arg("factor", "number", Words("Times as fast", "Fois plus vite"), 2.0),
)
def pace(app: App, factor: float) -> Document:
    """Play the motion faster or more slowly, for good."""
    if not 0.01 <= factor <= 100:
        raise ArgumentError(f"factor must be 0.01 to 100, got {factor:g}")
    motion, at = current(app.document)
    return shown(app.document, Motion(motion.q, motion.times / factor, motion.model), at)


@action(
    *("motion.lead", "Lead the hand to the target", "Mener la main à la cible"),
    menu="motion",
    no_key=RARE,
    when=lambda app: has_way(app) and has_both(app),
)
def led(app: App) -> Document:
    """Change the motion that is played so that the hand meets the target, its style kept."""
    document = app.document
    motion, at = current(document)
    body = body_of(document.actor(at)[1])
    frame = body.hand(document.settings.hand)
    goal = goal_of(document, at, str(document.target))
    point = goal["pose"][:3, 3] if "pose" in goal else goal["position"]
    nearest = int(np.linalg.norm(motion.path(frame) - point, axis=1).argmin())
    found = lead(motion, frame, {nearest: point}, fade=max(motion.duration, 1e-9))
    return shown(document, found.motion, at)


@action(
    *("motion.save", "Save the motion", "Enregistrer le mouvement"),
    Arg("scale", "number", Words("Meters in its unit", "Mètres dans son unité"), 0.01),
    menu="motion",
    no_key=VALUE,
    when=has_way,
    kept=False,
)
def save(app: App, scale: float) -> None:
    """Give what is played as a BVH file, 30 frames a second."""
    motion, at = current(app.document)
    count = max(2, round(motion.duration * RATE) + 1)
    times = np.linspace(motion.times[0], motion.times[-1], count)
    step = motion.duration / (count - 1)
    rest = body_of(app.document.actor(at)[1]).rest
    text = to_bvh(motion.model, motion.at(times), frame_time=step, scale=scale, zero=rest)
    app.give("motion.bvh", text.encode(), "text/plain")
