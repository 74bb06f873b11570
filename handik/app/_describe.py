"""The document as the page is told it: plain values for JSON."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.app._actions import ACTIONS
from handik.app._acts_figure import solver_names
from handik.app._bodies import Body, body_of, seven
from handik.app._document import Beside, Document, Drive, Judged, Named, Solved, Steps
from handik.app._refusals import in_french
from handik.scene import Actor, Camera, FloorPlan, Light, Mesh, Scene, Target, Via
from handik.scene._look import _PLAIN, _SEEN_BY_TAG
from handik.scene.nodes import Node, one_color
from handik.scene.shapes import Box, Capsule, Cylinder, Prism, Sphere
from handik.spec.transforms import from_quaternion

if TYPE_CHECKING:
    from handik.app._session import App

__all__ = ["Numbers", "described", "mesh_key"]

#: Names of nodes in binary frames; the last is the ghost's.
MOST, GHOST = 65_534, 65_535


class Numbers:
    """A number for each path, for as long as the application runs."""

    def __init__(self) -> None:
        self._of: dict[str, int] = {}
        self.paths: list[str] = []

    def of(self, path: str) -> int | None:
        """Return the number of a path; None where there are too many."""
        if path not in self._of and len(self.paths) <= MOST:
            self._of[path] = len(self.paths)
            self.paths.append(path)
        return self._of.get(path)


def mesh_key(content: Any) -> str | None:
    """Return the key of a mesh, by which the page asks for its triangles."""
    return f"mesh-{hash(content) & 0xFFFFFFFFFFFFFFFF:016x}" if isinstance(content, Mesh) else None


def _shape(content: Any) -> dict[str, Any]:
    if isinstance(content, (Box, Sphere, Capsule, Cylinder, Prism)):
        return asdict(content)
    if isinstance(content, (Light, Camera, Target, Via, FloorPlan)):
        return asdict(content)
    if isinstance(content, Actor):
        body, q = body_of(content), content.posture
        person = None if content.human is None else dict(content.human)
        angles = body.angles(q).tolist()
        return {"figure": body.key, "q": q.tolist(), "angles": angles, "person": person}
    return {}


def _node(document: Document, path: str, node: Node, number: int | None, look: Any) -> Any:
    scene = document.scene
    color, opacity = look
    return {
        "path": path,
        "number": number,
        "name": node.name,
        "parent": path.rpartition("/")[0] or None,
        "kind": node.kind,
        "pose": seven(node.place).tolist(),
        "world": seven(scene.world(path)).tolist(),
        "scale": node.scale,
        "world_scale": scene.world_scale(path),
        "color": one_color(color or _PLAIN),
        "opacity": opacity,
        "solid": node.solid,
        "tags": sorted(node.tags),
        "attached": None if node.attached is None else asdict(node.attached),
        "hidden": path in document.hidden,
        "locked": path in document.locked,
        "shape": _shape(node.content),
        "mesh": mesh_key(node.content),
    }


def _looks(scene: Scene) -> dict[str, tuple[Any, float]]:
    looks: dict[str, tuple[Any, float]] = {}
    for path in scene:
        node, above = scene[path], looks.get(path.rpartition("/")[0], (None, 1.0))
        tagged = next((_SEEN_BY_TAG[tag] for tag in sorted(node.tags) if tag in _SEEN_BY_TAG), None)
        opacity = above[1] if node.opacity is None else node.opacity
        looks[path] = node.color or tagged or above[0], opacity
    return looks


def _solved(solve: Solved | None) -> Any:
    return None if solve is None else asdict(solve)


@lru_cache(maxsize=8)
def _steps(steps: Steps) -> dict[str, Any]:
    def line(points: Any) -> list[list[float]]:
        rounded: list[list[float]] = np.round(points, 4).tolist()
        return rounded

    return {
        "figure": steps.figure,
        **asdict(steps.solved),
        "rows": len(steps.q),
        "errors": [float(f"{x:.6g}") for x in steps.errors],
        "passes": [[line(back), line(forth)] for back, forth in steps.passes],
    }


def _outline(document: Document, kept: Named) -> Any:
    """Return a small picture of a kept posture: strokes y, z, y, z, width, seen from the front."""
    for path in document.scene.find(kind="figure"):
        body = body_of(document.actor(path)[1])
        if body.key == kept.figure and len(kept.q) == body.model.nq:
            return _strokes(body, kept.q)
    return []  # there is no such figure now, or the file of another handik kept it


@lru_cache(maxsize=256)
def _strokes(body: Body, q: tuple[float, ...]) -> list[list[float]]:
    links, strokes = body.poses(np.asarray(body.model.clip(np.array(q)))), []  # as it is taken
    if not np.isfinite(links).all():
        return []
    for one in body.described["capsules"]:
        pose = links[one["link"]]
        ends = np.array([one["start"], one["end"]]) @ pose[:3, :3].T + pose[:3, 3]
        # a person faces +x: her left is to the right of the picture
        line = [ends[0, 1], ends[0, 2], ends[1, 1], ends[1, 2], 2 * float(np.mean(one["radii"]))]
        strokes.append([round(float(x), 3) for x in line])
    return strokes


def _judged(one: Judged) -> dict[str, Any]:
    words = {
        language: {"what": what, "found": found, "asked": asked, "note": note}
        for language, what, found, asked, note in one.words
    }
    return {"place": one.place, "rule": one.rule, "verdict": one.verdict, "words": words}


def _beside(one: Beside, document: Document) -> dict[str, Any]:
    where = () if document.figure is None else tuple(seven(document.scene.world(document.figure)))
    return _beside_at(one, where)


@lru_cache(maxsize=128)
def _beside_at(one: Beside, where: tuple[float, ...]) -> dict[str, Any]:
    body = body_of(one.actor)
    place = from_quaternion(where[3:], where[:3]) if where else np.eye(4)
    links = seven(body.poses(np.array(one.q), place)).round(5)
    person = body.described["person"] or {}
    known = {"links": links.ravel().tolist(), "figure": body.key, "reached": one.reached}
    return {**known, "measures": person.get("measures", {})}


@lru_cache(maxsize=4)
def _drive(drive: Drive) -> dict[str, Any]:
    rows = np.unique(np.linspace(0, len(drive.times) - 1, min(400, len(drive.times))).astype(int))
    return {
        "duration": float(drive.times[-1]),
        "length": drive.length,
        "clearance": drive.clearance if np.isfinite(drive.clearance) else None,
        "bumps": [[time, name] for time, name in drive.bumps],
        "track": drive.poses[rows].round(4).tolist(),
    }


def _results(document: Document, numbers: Numbers) -> dict[str, Any]:
    """Return what was worked out for the scene, and what is played."""
    way, said, ghost = document.path, document.verdict, document.ghost
    return {
        "motions": {
            k: {"figure": v.figure, "rows": len(v.times), "duration": v.times[-1]}
            for k, v in document.motions.items()
        },
        "path": None
        if way is None
        else {
            "figure": way.figure,
            "duration": way.duration,
            "rows": len(way.times),
            "outcome": way.outcome,
            "sentence": {"en": way.sentence, "fr": in_french(way.sentence) or way.sentence},
            "number": numbers.of(way.figure),
            "curves": {k: list(v) for k, v in way.curves.items()},
            "moments": list(way.moments),
        },
        "verdict": None
        if said is None
        else {
            "verdict": said.verdict,
            "target": said.target,
            "short": [x if np.isfinite(x) else None for x in said.short],
            "sentence": dict(said.sentence),
            "offers": [{"words": dict(o.words), "place": o.place} for o in said.offers],
        },
        "solve": _solved(document.solve),
        "ghost": None if ghost is None else {"figure": ghost.figure, **asdict(ghost.solved)},
        "steps": [_steps(one) for one in document.steps],
        "laps": [asdict(one) for one in document.laps],
        "beside": [_beside(one, document) for one in document.beside],
        "passing": document.passing,
        "findings": [_judged(one) for one in document.findings],
        "sharing": None if document.sharing is None else asdict(document.sharing),
        "drive": None if document.drive is None else _drive(document.drive),
        "measured": None if document.measured is None else asdict(document.measured),
    }


def described(app: App, numbers: Numbers) -> dict[str, Any]:
    """Return the whole document."""
    document, history = app.document, app.history
    scene, looks = document.scene, _looks(document.scene)
    return {
        "name": scene.name,
        "modified": history.modified,
        "undo": app.word(history.before[-1].action) if history.before else None,
        "redo": app.word(history.after[-1].action) if history.after else None,
        "selection": list(document.selection),
        "figure": document.figure,
        "target": document.target,
        "held": sorted(map(list, document.held)),
        "solvers": solver_names(),
        "mode": document.settings.mode,
        "order": list(scene),
        "nodes": {p: _node(document, p, scene[p], numbers.of(p), looks[p]) for p in scene},
        "poses": {
            k: {"figure": v.figure, "q": list(v.q), "lines": _outline(document, v)}
            for k, v in document.poses.items()
        },
        **_results(document, numbers),
        "recording": app.recording is not None,
        "settings": {**asdict(document.settings), **document.chair_given, **asdict(app.view)},
        "cameras": {
            p: {"pose": seven(scene.world(p)).tolist(), "view": camera.view}
            for p in scene
            if isinstance(camera := scene[p].content, Camera)
        },
        "disabled": [id for id, one in ACTIONS.items() if not one.when(app)],
    }
