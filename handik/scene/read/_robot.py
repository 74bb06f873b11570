"""A robot's own shapes as a scene: of each link those of its URDF, with the joints at rest.

Collision shapes are solid, visual ones are drawn. Meters, z up; a mesh keeps its own file, which
must lie in the folder of the URDF or in the roots.
"""

from __future__ import annotations

from handik.files.read.urdf import read_urdf
from handik.model import Model
from handik.scene.document import Scene
from handik.scene.nodes import Node
from handik.scene.read._given import Import, unique
from handik.scene.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from handik.spec.parts import GeometrySpec

__all__ = ["importer"]


def importer(wish: Import) -> Scene:
    """Read the shapes of a ``.urdf``."""
    spec = read_urdf(wish.path, mesh_roots=wish.folders)
    model = Model(spec)
    q = model.rest
    made = []
    taken: set[str] = set()
    for link in spec.links:
        inner: set[str] = set()
        shapes = [(s, True) for s in link.collisions] + [(s, False) for s in link.visuals]
        nodes = [_node(wish, shape, solid, inner) for shape, solid in shapes]
        if nodes:
            pose = wish.frame() @ model.fk(q, frame=link.name)
            made.append(Node(unique(link.name, taken, "link"), None, pose, children=nodes))
    if not made:
        wish.fail("no link of it has a shape")
    return Scene(made, spec.name or wish.stem)


def _node(wish: Import, given: GeometrySpec, solid: bool, taken: set[str]) -> Node:
    word = given.name or ("collision" if solid else "visual")
    color = None if given.color is None else given.color[:3]
    name = unique(word, taken, given.kind)
    return Node(name, _shape(wish, given), given.placement, color=color, solid=solid)


def _shape(wish: Import, given: GeometrySpec) -> Shape:
    if given.kind == "mesh":
        if given.file is None:
            wish.fail(
                f"mesh {given.uri!r} is not in its folder or the roots: name its folder in roots="
            )
        return Mesh(given.file, scale=given.scale)
    if given.kind == "box" and given.size is not None:
        return Box(given.size)
    if given.radius is not None and given.kind == "sphere":
        return Sphere(given.radius)
    if given.radius is not None and given.length is not None:
        shape = Capsule if given.kind == "capsule" else Cylinder
        return shape(given.length, given.radius)
    wish.fail(f"a shape of the kind {given.kind!r} is not read")
