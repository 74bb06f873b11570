"""Ogre's own XML: ``.scene``, ``.mesh.xml`` and ``.skeleton.xml``. Meters, y up, right-handed.

A node says where an entity stands; its mesh ``name.mesh`` is looked for as ``name.mesh.xml``, which
Ogre's converter makes of the binary file (that one is not read). Bones become groups that are not
solid, each in its parent, in the pose at rest.

References
----------
OGRE manual, and the schemas of the dotScene format and of OgreXMLConverter, published with OGRE.
"""

from __future__ import annotations

from math import isfinite

import numpy as np
from numpy.typing import NDArray

from handik.files.read._file import read_bytes
from handik.files.read._xml import Element, parse
from handik.scene.document import Scene
from handik.scene.nodes import Node
from handik.scene.read._given import UPS, Import, even_turn, unique

__all__ = ["importer"]

Array = NDArray[np.float64]
_DEEPEST = 24


def importer(wish: Import) -> Scene:
    """Read a ``.scene`` or ``.mesh.xml``."""
    root = parse(wish.bytes(), path=wish.path)
    if root.tag == "mesh":
        nodes = _mesh(wish, root, wish.frame(1.0, "y"), wish.stem, set())
        return Scene(nodes, wish.stem)
    if root.tag != "scene":
        wish.fail(f"the root element is <{root.tag}>, neither <scene> nor <mesh>")
    up = (root.get("upAxis") or "y").lower()
    if up not in UPS:
        root.fail("upAxis must be x, y or z")
    per_meter = root.number("unitsPerMeter", 1.0)
    if not 1e-6 <= per_meter <= 1e6:
        root.fail("unitsPerMeter must be 1e-06 to 1e+06")
    made = _Walk(wish).all(root, wish.frame(1 / per_meter, up))
    if not made:
        wish.fail("it has no node with a mesh")
    return Scene(made, wish.stem)


class _Walk:
    """The nodes of a scene, and the meshes that were read already."""

    def __init__(self, wish: Import) -> None:
        self.wish = wish
        self.meshes: dict[str, Element] = {}
        self.taken: set[str] = set()

    def all(self, root: Element, frame: Array) -> list[Node]:
        """Return a node for each mesh, at its place in the world."""
        made: list[Node] = []
        above = root.find("nodes")
        if above is None:
            root.fail("the element <nodes> is missing")
        stack = [(node, frame @ _placed(above), 0) for node in reversed(above.find_all("node"))]
        while stack:
            node, matrix, depth = stack.pop()
            if depth > _DEEPEST:
                node.fail(f"it hangs deeper than {_DEEPEST} nodes")
            here = matrix @ _placed(node)
            for entity in node.find_all("entity"):
                made += self._entity(node, entity, here)
            self.wish.counted(len(made))
            stack += [(child, here, depth + 1) for child in reversed(node.find_all("node"))]
        return made

    def _entity(self, node: Element, entity: Element, matrix: Array) -> list[Node]:
        name = entity.need("meshFile")
        if name not in self.meshes:
            real = self.wish.beside(name if name.endswith(".xml") else f"{name}.xml")
            self.meshes[name] = parse(read_bytes(real), path=real)
            if self.meshes[name].tag != "mesh":
                self.meshes[name].fail("the root element is not <mesh>")
        own = node.get("name") or entity.get("name") or name
        return _mesh(self.wish, self.meshes[name], matrix, own, self.taken)


def _placed(node: Element) -> Array:
    """Return the matrix of a node's position, rotation and scale."""
    out = np.eye(4)
    if (turn := node.find("rotation")) is not None:
        out[:3, :3] = _turn(turn)
    if (scale := node.find("scale")) is not None:
        out[:3, :3] *= [scale.number(key) for key in "xyz"]
    if (at := node.find("position")) is not None:
        out[:3, 3] = [at.number(key) for key in "xyz"]
    return out


def _turn(element: Element) -> Array:
    """Return the rotation of a quaternion qw qx qy qz, or of an angle about an axis."""
    if "angle" in element.attributes:
        axis = element.need_child("axis")
        row = np.array([axis.number(key) for key in "xyz"])
        half = element.number("angle") / 2
        row = np.array(
            [np.cos(half), *(np.sin(half) * row / max(float(np.linalg.norm(row)), 1e-300))]
        )
    else:
        row = np.array([element.number(key) for key in ("qw", "qx", "qy", "qz")])
    size = float(np.linalg.norm(row))
    if not (isfinite(size) and abs(size - 1) < 1e-3):
        element.fail("it is no rotation")
    w, x, y, z = row / size
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _mesh(wish: Import, root: Element, matrix: Array, name: str, taken: set[str]) -> list[Node]:
    """Return a node for each submesh, and one with the bones."""
    shared = root.find("sharedgeometry")
    common = None if shared is None else _vertices(shared)
    made = []
    for part in root.need_child("submeshes").find_all("submesh"):
        if part.get("operationtype", "triangle_list") != "triangle_list":
            part.fail("operationtype must be triangle_list")
        own = part.find("geometry")
        if part.get("usesharedvertices", "true") != "false":
            if common is None:
                part.fail("it uses shared vertices, but <sharedgeometry> is missing")
            points = common
        else:
            points = _vertices(part.need_child("geometry") if own is None else own)
        faces = [
            [face.number(key) for key in ("v1", "v2", "v3")]
            for face in part.need_child("faces").find_all("face")
        ]
        corners = np.array(faces).reshape(-1, 3)
        if (corners != np.floor(corners)).any() or (len(corners) and np.abs(corners).max() > 2**31):
            part.fail("a face must be three whole numbers")
        made.append(wish.mesh(unique(name, taken, wish.stem), points, corners, matrix))
    if not made:
        root.fail("it has no submesh")
    link = root.find("skeletonlink")
    if link is not None:
        made += _skeleton(wish, link.need("name"), matrix, f"{name} bones", taken)
    return made


def _vertices(geometry: Element) -> Array:
    """Return the positions of a geometry, as many as it says."""
    rows = [
        [at.number(key) for key in "xyz"]
        for buffer in geometry.find_all("vertexbuffer")
        for vertex in buffer.find_all("vertex")
        for at in vertex.find_all("position")
    ]
    count = geometry.number("vertexcount", float(len(rows)))
    if count != len(rows):
        geometry.fail(f"it says {count:g} vertices, but has {len(rows)}")
    return np.array(rows).reshape(-1, 3)


def _skeleton(wish: Import, name: str, matrix: Array, label: str, taken: set[str]) -> list[Node]:
    """Return one group with the bones that the file of a skeleton has."""
    real = wish.beside(name if name.endswith(".xml") else f"{name}.xml")
    root = parse(read_bytes(real), path=real)
    if root.tag != "skeleton":
        root.fail("the root element is not <skeleton>")
    bones = {bone.need("name"): bone for bone in root.need_child("bones").find_all("bone")}
    above = {}
    hierarchy = root.find("bonehierarchy")
    for row in [] if hierarchy is None else hierarchy.find_all("boneparent"):
        child, parent = row.need("bone"), row.need("parent")
        if child not in bones or parent not in bones:
            row.fail("there is no such bone")
        above[child] = parent
    size = abs(float(np.linalg.det(matrix[:3, :3]))) ** (1 / 3)
    if np.linalg.det(matrix[:3, :3]) <= 0 or not even_turn(matrix[:3, :3], size):
        root.fail("bones can be placed only where the node is not mirrored and has one scale")
    wish.counted(len(bones))
    below: dict[str | None, list[str]] = {}
    for bone in bones:
        below.setdefault(above.get(bone), []).append(bone)
    order: list[str] = list(below.get(None, []))
    depth = dict.fromkeys(order, 0)
    for bone in order:  # it grows while it is gone through
        for child in below.get(bone, []):
            depth[child] = depth[bone] + 1
            order.append(child)
    if len(order) < len(bones):
        root.fail("its bones hang on each other in a circle")
    if max(depth.values(), default=0) > _DEEPEST:
        root.fail(f"its bones hang deeper than {_DEEPEST}")
    made: dict[str, Node] = {}
    names: set[str] = set()
    for bone in reversed(order):
        pose = _placed(bones[bone])
        pose[:3, :3] = _turn(bones[bone].need_child("rotation"))
        pose[:3, 3] *= size
        inner = [made[child] for child in below.get(bone, [])]
        made[bone] = Node(unique(bone, names, "bone"), None, pose, solid=False, children=inner)
    pose = np.eye(4)
    u, _, v = np.linalg.svd(matrix[:3, :3])
    pose[:3, :3], pose[:3, 3] = u @ v, matrix[:3, 3]
    roots = [made[bone] for bone in below.get(None, [])]
    return [Node(unique(label, taken, "bones"), None, pose, solid=False, children=roots)]
