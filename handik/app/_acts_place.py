"""Actions that place objects by others, measure, move a hand by steps, and set via points."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.app._actions import RARE, VALUE, Arg, action
from handik.app._acts_figure import answer, has_figure, posed
from handik.app._acts_scene import NODES, free_name, some, tops, unlocked
from handik.app._bodies import body_of, seven
from handik.app._document import Document, Measured
from handik.app._nearest import bounds, nearest_of, pieces
from handik.app._words import Words
from handik.errors import ArgumentError
from handik.problem.problem import Problem
from handik.problem.terms import Pose, Position
from handik.scene import FloorPlan, Prism, Scene, Via
from handik.scene.shapes import Box
from handik.solve import Solver
from handik.spec.transforms import from_quaternion

if TYPE_CHECKING:
    from handik.app._session import App

#: Where an object may be put beside another: axis of the world, and the way along it.
SIDES = {
    "on top": (2, 1),
    "below": (2, -1),
    "in front": (0, 1),
    "behind": (0, -1),
    "left": (1, 1),
    "right": (1, -1),
}
LEVELS = ("same floor", "same middle")


def _shifted(scene: Scene, path: str, by: Any) -> Scene:
    pose = np.array(scene.world(path))
    pose[:3, 3] += by
    return scene.with_pose(path, pose, world=True)


@action(
    *("node.align", "Align with an object", "Aligner sur un objet"),
    NODES,
    Arg("other", "node", Words("With", "Sur")),
    Arg("side", "choice", Words("Where", "Où"), "on top", (*SIDES, *LEVELS)),
    no_key=VALUE,
    when=some,
)
def align(app: App, nodes: list[str], other: str, side: str) -> Document:
    """Move objects until they touch the box about another on a side, or stand level with it."""
    document = app.document
    unlocked(document, nodes)
    scene, held = document.scene, bounds(document.scene, other)
    for path in tops(nodes):
        if path == other or other.startswith(path + "/"):
            raise ArgumentError(f"{path!r} cannot be aligned with itself")
        own, by = bounds(scene, path), np.zeros(3)
        if side == "same floor":
            by[2] = held[0, 2] - own[0, 2]
        elif side == "same middle":
            by[:2] = (held.mean(axis=0) - own.mean(axis=0))[:2]
        else:
            axis, way = SIDES[side]
            by[axis] = held[1, axis] - own[0, axis] if way > 0 else held[0, axis] - own[1, axis]
        scene = _shifted(scene, path, by)
    return document.edited(scene)


def _faces(scene: Scene, but: list[str]) -> Any:
    """Yield upright faces of walls: a point, the outward normal, half the width, of each."""
    for path in scene:
        if any(path == p or path.startswith(p + "/") for p in but):
            continue
        node, pose, scale = scene[path], scene.world(path), scene.world_scale(path)
        content, outlines = node.content, []
        if isinstance(content, FloorPlan):
            outlines = [list(wall) for wall in content.walls]
        elif "wall" in node.tags and isinstance(content, Box):
            x, y = content.size[0] / 2, content.size[1] / 2
            outlines = [[(-x, -y), (x, -y), (x, y), (-x, y)]]
        elif "wall" in node.tags and isinstance(content, Prism):
            outlines = [list(content.polygon)]
        for outline in outlines:
            corners = np.array([[a, b, 0.0] for a, b in outline])
            corners = scale * corners @ pose[:3, :3].T + pose[:3, 3]
            area = sum(
                a[0] * b[1] - a[1] * b[0]
                for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)
            )
            for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True):
                way = (b - a)[:2]
                wide = float(np.linalg.norm(way))
                if wide > 1e-6:
                    normal = np.array([way[1], -way[0], 0.0]) / wide * (1 if area > 0 else -1)
                    yield (a + b) / 2, normal, wide / 2


@action(
    *("node.wall", "Put against the wall", "Mettre contre le mur"),
    NODES,
    key="Shift+End",
    when=some,
)
def wall(app: App, nodes: list[str]) -> Document:
    """Move objects straight to the nearest face of a wall: a floor plan, or tagged ``wall``."""
    document = app.document
    unlocked(document, nodes)
    scene = document.scene
    for path in tops(nodes):
        own = pieces(scene, path)
        if not own:
            continue
        middle = bounds(scene, path).mean(axis=0)
        ways = []
        for at, normal, half in _faces(scene, [path]):
            gap = min(float((p.farthest(-normal) - at) @ normal) for p in own)
            aside = abs(float(np.cross(normal, middle - at)[2]))
            if aside <= half and (middle - at) @ normal > 0:
                ways.append((abs(gap), gap, normal))
        if not ways:
            raise ArgumentError(
                f"no wall faces {path!r}: a wall is a floor plan, or a box or prism tagged 'wall'"
            )
        _, gap, normal = min(ways, key=lambda one: one[0])
        scene = _shifted(scene, path, -gap * normal)
    return document.edited(scene)


@action(
    *("node.measure", "Measure the distance", "Mesurer la distance"),
    NODES,
    key="Control+Shift+M",
    when=lambda app: len(app.document.selection) == 2,
    kept=False,
)
def measure(app: App, nodes: list[str]) -> Document:
    """Measure how far two objects are apart, with all that hangs on them: surface to surface."""
    if len(nodes) != 2:
        raise ArgumentError(f"select two objects to measure between, got {len(nodes)}")
    scene = app.document.scene
    for one, other in (nodes, nodes[::-1]):
        if one == other or other.startswith(one + "/"):
            raise ArgumentError(f"{other!r} hangs on {one!r}: there is no distance between them")
    found = []
    for path in nodes:
        own = pieces(scene, path)
        found.append(own or [_point(scene.world(path)[:3, 3])])
    distance, a, b = nearest_of(found[0], found[1])
    said = Measured((nodes[0], nodes[1]), (_three(a), _three(b)), distance)
    app.tell("measured", first=nodes[0], second=nodes[1], distance=1000 * distance)
    return replace(app.document, measured=said)


def _point(at: Any) -> Any:
    from handik.app._nearest import Piece

    return Piece(np.array([at]), np.zeros(1))


def _three(point: Any) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in point)
    return x, y, z


@action(
    *("node.measure_off", "Hide the distance", "Cacher la distance"),
    no_key=RARE,
    when=lambda app: app.document.measured is not None,
    kept=False,
)
def measure_off(app: App) -> Document:
    """Show the measured distance no more."""
    return replace(app.document, measured=None)


# -- a hand by steps ----------------------------------------------------------------------------

JOGS = ("x", "y", "z", "turn x", "turn y", "turn z")


@action(
    *("hand.jog", "Move the hand by a step", "Déplacer la main d'un pas"),
    Arg("axis", "choice", Words("Along or about", "Le long ou autour de"), "x", JOGS),
    Arg("by", "number", Words("By, m or rad", "De, m ou rad"), 0.01),
    Arg("frame", "choice", Words("Axes of", "Axes de"), "world", ("world", "hand")),
    menu="person",
    no_key="its buttons are in the posture panel",
    when=has_figure,
    join=True,
)
def jog(app: App, axis: str, by: float, frame: str) -> Document:
    """Move or turn the hand by a step, the rest of its pose kept as far as limits let it."""
    document = app.document
    at, actor = document.actor()
    body = body_of(actor)
    world = document.scene.world(at)
    pose = world @ np.asarray(body.model.fk(actor.posture, frame=body.hand(document.settings.hand)))
    way = np.eye(3)["xyz".index(axis[-1])]
    own = pose[:3, :3] @ way if frame == "hand" else way
    if axis.startswith("turn"):
        half = np.concatenate([[np.cos(by / 2)], np.sin(by / 2) * own])
        pose[:3, :3] = from_quaternion(half)[:3, :3] @ pose[:3, :3]
    else:
        pose[:3, 3] += by * own
    q, said = answer(document, actor.posture, None, {"pose": np.linalg.inv(world) @ pose})
    app.tell_solved(said)  # of this step: what is shown of a solve is of the target
    return posed(document, q)


# -- the elbow about the line from shoulder to wrist ----------------------------------------------

STEP = float(np.radians(5))
_ARM = ("shoulder", "elbow", "wrist", "grip")
_LEGS = ("hip", "knee", "ankle")
BY = Arg("by", "number", Words("By", "De"), STEP, unit="rad")


def has_elbow(app: App) -> bool:
    """Tell whether the active figure has an arm on the side of the chosen hand."""
    if not has_figure(app):
        return False
    names, side = app.document.actor()[1].figure.frame_names, app.document.settings.hand
    return all(f"{part}_{side}" in names for part in _ARM)


def swivel_of(model: Any, q: Any, side: str) -> tuple[Any, Any, Any]:
    """Return the middle of the elbow's circle, its axis outward, and the way to the elbow."""
    frames = [np.asarray(model.fk(q, frame=f"{part}_{side}"))[:3, 3] for part in _ARM[:3]]
    shoulder, elbow, wrist = frames
    axis = (wrist - shoulder) / max(float(np.linalg.norm(wrist - shoulder)), 1e-9)
    way = elbow - shoulder
    way = way - axis * (way @ axis)
    # against the clock about the line to the wrist a left elbow goes outward, a right one inward
    return elbow - way, axis if side == "left" else -axis, way


@action(
    *("arm.swivel", "Turn the elbow outward", "Tourner le coude vers l'extérieur"),
    BY,
    menu="person",
    key="Alt+E",
    when=has_elbow,
    join=True,
)
def swivel(app: App, by: float) -> Document:
    """Turn the elbow about the line from shoulder to wrist, the hand and all but the arm held.

    An arm of seven degrees of freedom has one left when its hand is held: this angle.
    """
    document = app.document
    at, actor = document.actor()
    model, side, q = body_of(actor).model, document.settings.hand, actor.posture
    held = {joint for path, joint in document.held if path == at}
    arm = [j for j in model.joint_q_slices if j.endswith(side) and not j.startswith(_LEGS)]
    lock = {j: q[s].squeeze() for j, s in model.joint_q_slices.items() if j not in arm or j in held}
    if len(lock) == len(model.joint_q_slices):
        raise ArgumentError("all joints of the arm are held")
    terms = [Pose(f"grip_{side}", position_tolerance=1e-4, orientation_tolerance=1e-3)]
    problem = Problem(model, [*terms, Position(f"elbow_{side}", priority=1)], lock=lock)
    pose = np.asarray(model.fk(q, frame=f"grip_{side}"))
    middle, axis, way = swivel_of(model, q, side)
    if np.linalg.norm(way) < 1e-3:
        raise ArgumentError("the arm is straight: its elbow has no circle to turn on")
    slices = [(model.joint_q_slices[j], s) for j, s in problem.model.joint_q_slices.items()]
    start = np.concatenate([q[own] for own, _ in slices])
    found, turned, asked = q.copy(), 0.0, by
    for _ in range(8):  # the shoulder moves with the arm, and the circle with it
        goal = middle + np.cos(asked) * way + np.sin(asked) * np.cross(axis, way)
        answer = Solver("lm")(problem, np.concatenate([seven(pose), goal]), q0=start)
        for own, s in slices:
            found[own] = np.asarray(answer.q)[s]
        now = swivel_of(model, found, side)[2]
        turned = float(np.arctan2(np.cross(way, now) @ axis, way @ now))
        if abs(turned - by) < min(1e-3, 0.02 * abs(by)):
            break
        asked = float(np.clip(asked + by - turned, -3.0, 3.0))
    off = np.abs(np.asarray(model.fk(found, frame=f"grip_{side}")) - pose).max()
    if abs(turned - by) > max(0.1 * abs(by), 2e-3) or off > 1e-3:
        raise ArgumentError("with the hand held, the arm's limits let the elbow turn no further")
    app.tell("swivel", angle=float(np.degrees(by)))
    return posed(document, found)


@action(
    *("arm.swivel_in", "Turn the elbow inward", "Tourner le coude vers l'intérieur"),
    BY,
    menu="person",
    key="Alt+Shift+E",
    when=has_elbow,
    join=True,
)
def swivel_in(app: App, by: float) -> Document:
    """Turn the elbow the other way."""
    turned: Document = swivel(app, -by)
    return turned


# -- via points ---------------------------------------------------------------------------------


@action(
    *("target.via", "Set a via point (X1)", "Placer un point de passage (X1)"),
    Arg("at", "point", Words("Place", "Place"), None, unit="m"),
    menu="target",
    key="Shift+X",
)
def via(app: App, at: list[float] | None) -> Document:
    """Add a place that the path goes by: where the hand is now, or a place of the world."""
    document = app.document
    if at is None:
        node, actor = document.actor()
        body = body_of(actor)
        hand = body.model.fk(actor.posture, frame=body.hand(document.settings.hand))
        at = (document.scene.world(node) @ np.asarray(hand))[:3, 3].tolist()
    k = 1
    while f"X{k}" in document.scene:
        k += 1
    path = free_name(document.scene, f"X{k}")
    scene = document.scene.add(path, Via(), list(at))
    return replace(document.edited(scene), selection=(path,))


# -- the figure and what it started with ----------------------------------------------------------


@action(
    *("avatar.place", "Set Avatar Position", "Placer l'avatar"),
    Arg("at", "point", Words("Place", "Place"), unit="m"),
    Arg("heading", "number", Words("Heading", "Cap"), None, unit="rad"),
    menu="solve",
    key="Alt+P",
    when=has_figure,
)
def place_avatar(app: App, at: list[float], heading: float | None) -> Document:
    """Put the active figure, with its chair, at a place of the world; upright if turned."""
    document = app.document
    node, _ = document.actor()
    unlocked(document, [node])
    pose = np.array(document.scene.world(node))
    if heading is not None:
        cos, sin = np.cos(heading), np.sin(heading)
        pose[:3, :3] = [[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]]
    pose[:3, 3] = at
    return document.edited(document.scene.with_pose(node, pose, world=True))


@action(
    *("avatar.initialise", "Initialise", "Initialiser"),
    menu="person",
    key="Alt+I",
    when=has_figure,
)
def initialise(app: App) -> Document:
    """Put the active figure into its rest, and the target into its chosen hand."""
    document = app.document
    node, actor = document.actor()
    body = body_of(actor)
    document = posed(document, body.rest)
    target = document.target
    if target is None:
        return document
    unlocked(document, [target])
    _, actor = document.actor()
    hand = actor.figure.fk(actor.posture, frame=body.hand(document.settings.hand))
    pose = np.asarray(document.scene.world(node)) @ np.asarray(hand)
    return document.edited(document.scene.with_pose(target, pose, world=True))
