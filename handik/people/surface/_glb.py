"""glTF 2.0 in its binary form: the triangles, the figure's links as nodes, and what moves what."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from handik.files.write._glb import ARRAY, SHORT, Glb, normals_of
from handik.people.surface._data import Floats, Ints

__all__ = ["INFLUENCES", "Rig", "add_links", "add_skinned", "local_poses", "write_glb"]

#: Joints to a vertex: one set of the format, which every reader takes.
INFLUENCES = 4
#: Rows are the axes of the file in those of the person: left, up, forward.
_AXES = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])


@dataclass(frozen=True, eq=False)
class Rig:
    """The links of a figure in one posture, and their shares in the vertices.

    Attributes
    ----------
    names : tuple of str
    parents : tuple of int
        Row of the parent of each link, -1 for a root.
    poses : ndarray (k, 4, 4)
        In the person's world.
    share : ndarray (n, k)
        Rows sum to 1.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    poses: Floats
    share: Floats


def _nearest_four(share: Floats) -> tuple[Ints, Floats]:
    """Return the largest shares of each row and their columns; they sum to 1 again."""
    order = np.argsort(-share, axis=1, kind="stable")[:, :INFLUENCES]
    kept = np.take_along_axis(share, order, 1)
    kept = kept / kept.sum(1, keepdims=True)
    return np.where(kept > 0, order, 0), kept


def local_poses(parents: tuple[int, ...], poses: Floats) -> Floats:
    """Return the poses (..., k, 4, 4) of links in their parents, a root's as it is."""
    found = poses.copy()
    for row, parent in enumerate(parents):
        if parent >= 0:
            found[..., row, :, :] = np.linalg.inv(poses[..., parent, :, :]) @ poses[..., row, :, :]
    return found


def add_skinned(
    glb: Glb,
    vertices: Floats,
    parts: list[tuple[str, tuple[float, ...], Ints]],
    rig: Rig,
    joints: list[int],
    parent: int | None = None,
) -> int:
    """Add triangles by (name, color, faces), bound to the nodes of the links where they are."""
    four, kept = _nearest_four(rig.share)
    faces = np.concatenate([rows for *_, rows in parts])
    attributes = {
        "POSITION": glb.points(vertices, bounds=True),
        "NORMAL": glb.points(normals_of(vertices, faces)),
        "JOINTS_0": glb.array(four, "VEC4", SHORT, ARRAY),
        "WEIGHTS_0": glb.array(kept, "VEC4", target=ARRAY),
    }
    primitives = [
        glb.primitive(attributes, np.asarray(rows, np.int64), glb.material(name, color))
        for name, color, rows in parts
    ]
    skin = glb.skin(joints, rig.poses)
    return glb.node("surface", None, parent, mesh=glb.mesh("surface", primitives), skin=skin)


def add_links(glb: Glb, rig: Rig, names: tuple[str, ...], parent: int | None = None) -> list[int]:
    """Add a node for each link, in its parent; roots in a node that is there."""
    local = local_poses(rig.parents, rig.poses)
    nodes = [glb.node(name, pose) for name, pose in zip(names, local, strict=True)]
    for node, above in zip(nodes, rig.parents, strict=True):
        if above >= 0:
            glb.hang(node, nodes[above])
        elif parent is not None:
            glb.hang(node, parent)
    return nodes


def write_glb(
    path: Path, vertices: Floats, parts: list[tuple[str, tuple[float, ...], Ints]], rig: Rig
) -> None:
    """Write triangles by (name, color, faces), bound to the links where they are."""
    turn = np.eye(4)
    turn[:3, :3] = _AXES
    turned = Rig(rig.names, rig.parents, turn @ rig.poses, rig.share)
    glb = Glb()
    nodes = add_links(glb, turned, rig.names)
    add_skinned(glb, vertices @ _AXES.T, parts, turned, nodes)
    path.write_bytes(glb.to_bytes())
