"""A scene, a figure in it and its movement as one file of binary glTF.

Under a node that turns z up into y up stand the nodes of the scene as they are, each with its mesh,
and the links of figures by their names.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, UnsupportedError
from handik.files.write._glb import Glb
from handik.people.human import Human
from handik.people.motion import Motion
from handik.people.surface import BodySurface
from handik.people.surface._glb import Rig, add_links, add_skinned, local_poses
from handik.scene._along import taken_along
from handik.scene._files import replace
from handik.scene._look import Piece, Triangles, chair_pieces, model_of, pieces, seen, triangles
from handik.scene.contents import LAMP_KINDS, USUAL_LIGHT, Actor, Camera, Light
from handik.scene.shapes import Plane
from handik.spec import MimicSpec
from handik.spec._given import points_of, reals

if TYPE_CHECKING:
    from handik.model import Model
    from handik.scene.document import Scene

__all__ = ["export"]

Array = NDArray[np.float64]

#: x as it is, z up to y up.
_UP = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
#: Poses of links in one file at most: a third of what its lengths can say.
_MOST = 20_000_000
#: Radians that a link turns between two keys at most, twice that of a ball.
_TURN = 1.5


def export(scene: Scene, path: str, figure: Any, q: Any, trajectory: Any) -> None:
    """Write a scene; see `Scene.export`."""
    if os.path.splitext(path)[1].lower() != ".glb":
        raise UnsupportedError(f"a scene is exported to .glb, not to {os.path.basename(path)!r}")
    glb = Glb()
    links = [] if figure is None else [link.name for link in model_of(figure).spec.links]
    root = glb.node(_free_name(scene.name, set(links)), _UP)
    scene, along = (scene, []) if figure is None else taken_along(scene, figure)
    _figure(glb, root, figure, q, trajectory, along)
    _scene(glb, root, scene)
    replace(path, os.path.dirname(os.path.abspath(path)), glb.to_bytes())


# -- the scene ----------------------------------------------------------------------------------


def _scene(glb: Glb, root: int, scene: Scene) -> None:
    nodes: dict[str, int] = {}
    taken = {row["name"] for row in glb.lists["nodes"]}
    meshes: dict[str, list[dict[str, Any]]] = {}
    for one in seen(scene):
        made = _ground(scene, one.path) if isinstance(one.shape, Plane) else triangles(one.shape)
        if len(made.faces):
            look = glb.material("color", one.color, one.opacity)
            meshes.setdefault(one.path, []).append(_primitive(glb, made.moved(one.pose), look))
    for path in scene:
        above = path.rpartition("/")[0]
        pose, scale = scene.world(path), scene.world_scale(path)
        if above:  # what follows another is moved with its parent here, and stays where it is
            over, by = scene.world(above), scene.world_scale(above)
            pose, scale = np.linalg.inv(over) @ pose, scale / by
            pose[:3, 3] /= by
        more: dict[str, Any] = {} if abs(scale - 1) < 1e-12 else {"scale": [scale] * 3}
        if path in meshes:
            more["mesh"] = glb.mesh(path, meshes[path])
        name, content = _free_name(path, taken), scene[path].content
        if isinstance(content, Camera):
            more |= glb.camera(content.view)
        elif isinstance(content, Light):
            kind, half = LAMP_KINDS[content.shine], content.spread / 2
            more |= glb.lamp(kind, content.color, content.power * USUAL_LIGHT, half)
        nodes[path] = glb.node(name, pose, nodes[above] if above else root, **more)
        if isinstance(content, Actor):
            own: Any = content.person or content.figure
            links = [f"{path}/{link.name}" for link in model_of(own).spec.links]
            names = tuple(_free_name(link, taken) for link in links)
            _body(glb, nodes[path], own, names, content.posture[None])


def _free_name(name: str, taken: set[str]) -> str:
    """Return a name that no node has."""
    found, k = name, 2
    while found in taken:
        found, k = f"{name} ({k})", k + 1
    taken.add(found)
    return found


def _primitive(glb: Glb, made: Triangles, look: int) -> dict[str, Any]:
    attributes = {"POSITION": glb.points(made.vertices, bounds=True)}
    if made.normals is not None:  # who reads no normals makes each triangle flat
        attributes["NORMAL"] = glb.points(made.normals)
    return glb.primitive(attributes, made.faces, look)


def _ground(scene: Scene, path: str) -> Triangles:
    """Return a square of a plane, as far as the rest of the scene goes and as much again."""
    places = [scene.world(other)[:3, 3] for other in scene if other != path] or [np.zeros(3)]
    rest = np.array(places)
    pose, scale = scene.world(path), scene.world_scale(path)
    middle = (np.linalg.inv(pose) @ [*((rest.min(0) + rest.max(0)) / 2), 1.0])[:2] / scale
    half = (1.0 + float(np.ptp(rest, axis=0).max())) / scale
    x, y = middle
    square = [[x - half, y - half, 0], [x + half, y - half, 0], [x + half, y + half, 0]]
    square.append([x - half, y + half, 0])
    return Triangles(np.array(square), np.array([[0, 1, 2], [0, 2, 3]]))


# -- figures ------------------------------------------------------------------------------------


def _figure(glb: Glb, root: int, figure: Any, q: Any, trajectory: Any, along: list[Piece]) -> None:
    if figure is None:
        if q is not None or trajectory is not None:
            raise ArgumentError("q and trajectory are those of a figure, which is not given")
        return
    model = model_of(figure)
    if trajectory is None:
        rest = figure.rest if isinstance(figure, Human) else model.rest
        row = points_of(rest if q is None else reals(q, "q", ()), "q", (model.nq,))
        moved, times = row[None], np.zeros(1)
    else:
        if q is not None:
            raise ArgumentError("give q or trajectory: a trajectory has its own postures")
        moved, times = _of_trajectory(model, trajectory)
    names = tuple(link.name for link in model.spec.links)
    taken = {*names, *(row["name"] for row in glb.lists["nodes"])}
    stand = glb.node(_free_name(model.name or "figure", taken), None, root)
    rows, poses, parents = _body(glb, stand, figure, names, moved, along)
    if trajectory is not None:
        local = local_poses(parents, poses)
        still = np.abs(local - local[:1]).max(axis=(0, 2, 3)) == 0
        goes = {node: local[:, k] for k, node in enumerate(rows) if not still[k]}
        glb.movement("motion", times - times[0], goes)


def _of_trajectory(model: Model, given: Any) -> tuple[Array, Array]:
    from handik.scene.plan._trajectory import Trajectory

    if not isinstance(given, (Trajectory, Motion)):
        raise TypeError(
            f"trajectory must be a handik Trajectory or Motion, got {type(given).__name__}"
        )
    if given.model is not model and given.model.nq != model.nq:
        raise ArgumentError(f"trajectory is one of {given.model.name!r}, not of {model.name!r}")
    if not len(given.times):
        raise ArgumentError("trajectory has no postures")
    times = _keys(model, given.q, given.times)
    return given.sample(times)[0] if isinstance(given, Trajectory) else given.at(times), times


def _keys(model: Model, q: Array, times: Array) -> Array:
    """Return times between which no link turns as far as half a circle: the way is the shortest."""
    turns = np.asarray(np.abs(model.difference(q[:-1], q[1:]))).max(axis=1, initial=0.0)
    joints = {joint.name: joint for joint in model.spec.joints}
    most = 1.0
    for joint in joints.values():
        scale = 1.0
        while isinstance(joint.mimic, MimicSpec):
            scale, joint = scale * abs(joint.mimic.scale), joints[joint.mimic.joint]
        most = max(most, scale)
    count = np.ceil(turns * most / _TURN).clip(1)
    if (count.sum() + 1) * len(model.spec.links) > _MOST:
        raise ArgumentError(f"{count.sum():.0f} key frames are too many for one file: resample it")
    parts = [
        np.linspace(a, b, n, endpoint=False)
        for a, b, n in zip(times[:-1], times[1:], count.astype(int).tolist(), strict=True)
    ]
    return np.concatenate([*parts, times[-1:]])


def _body(
    glb: Glb,
    parent: int,
    figure: Any,
    names: tuple[str, ...],
    q: Array,
    along: Sequence[Piece] = (),
) -> tuple[list[int], Array, tuple[int, ...]]:
    """Add a figure in its first posture; return its nodes, and the poses (n, k, 4, 4) of links."""
    model = model_of(figure)
    links = [link.name for link in model.spec.links]
    rows = [model.frame_names.index(name) for name in links]
    poses = np.asarray(model.frames(q))[:, rows]
    above = {joint.child: links.index(joint.parent) for joint in model.spec.joints}
    parents = tuple(above.get(name, -1) for name in links)
    rig, skin = Rig(tuple(links), parents, poses[0], np.zeros((0, len(links)))), None
    if isinstance(figure, Human) and isinstance(figure.surface, BodySurface):
        skin = figure.surface(q[0]).clothed
    nodes = add_links(glb, rig, names, parent)
    if skin is not None:
        shown = [(k, skin.faces[skin.part == k]) for k in range(len(skin.parts))]
        parts = [(skin.parts[k], tuple(skin.colors[k].tolist()), f) for k, f in shown if len(f)]
        assert skin._rig is not None
        assert skin._rig.names == rig.names
        add_skinned(glb, skin.vertices, parts, skin._rig, nodes, parent)
    meshes: dict[str, list[dict[str, Any]]] = {}
    own = pieces(figure) if skin is None else chair_pieces(figure)
    for piece in [*own, *along]:
        look = glb.material("body", piece.color)
        meshes.setdefault(piece.link, []).append(_primitive(glb, piece.triangles, look))
    for name, made in meshes.items():
        at = links.index(name)
        glb.lists["nodes"][nodes[at]]["mesh"] = glb.mesh(names[at], made)
    return nodes, poses, parents
