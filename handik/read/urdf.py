"""URDF, the robot description of ROS: XML to a `ModelSpec`.

Reference: the format's own pages (wiki.ros.org/urdf/XML) and REP 103 for units. Roll, pitch and
yaw are angles about fixed axes, Rz(yaw) Ry(pitch) Rx(roll). The first link without a parent is
the root. Elements of other programs (``gazebo``, ``transmission``, ``ros2_control`` and any
unknown one) are passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import NoReturn

import numpy as np

from handik.errors import ModelError, ReadError
from handik.read.geometry import MeshFinder, PlacementBatch, side_axis, unit
from handik.read.spec import (
    GeometrySpec,
    InertialSpec,
    JointSpec,
    LinkSpec,
    MimicSpec,
    ModelSpec,
)
from handik.read.xml import Element, Limits, floats, is_text, no_collection, parse

__all__ = ["read_urdf", "refuse_xacro"]

_KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "floating": "free",
    "planar": "planar",
}
_NO_AXIS = ("fixed", "free")
Color = tuple[float, float, float, float]
_ZERO = (0.0,) * 6
_ZERO_WORDS = ("0", "0", "0")
_LATER = np.eye(4)  # stands for an array that the batch fills in at the end


def read_urdf(
    source: str | bytes | os.PathLike[str],
    mesh_roots: Iterable[str | os.PathLike[str]] = (),
    *,
    check_meshes: bool = False,
    limits: Limits | None = None,
) -> ModelSpec:
    """Read a URDF file, or a URDF document given as text.

    Parameters
    ----------
    source : path, str or bytes
        A path; or the document itself, as bytes or as a str that begins with ``<``.
    mesh_roots : iterable of paths
        Folders that mesh files may lie in. A mesh in none of them is listed in
        ``missing_meshes`` and its ``file`` is None; meshes are never opened here.
    check_meshes : bool
        Raise for a missing mesh.
    limits : Limits, optional
        Depth, nodes and bytes that the document may have.

    Returns
    -------
    ModelSpec
        The checked tree. ``notes`` says what the file left out and the reader assumed.

    Raises
    ------
    ReadError
        With file, line and element, for anything the format does not allow.
    MissingFileError
        When there is no such file.
    """
    folder = None if is_text(source) else os.path.dirname(os.path.abspath(os.fsdecode(source)))
    finder = MeshFinder(folder, mesh_roots)
    reader = _Reader(finder, check_meshes)
    with no_collection():
        root = parse(source, limits=limits, text=False, each=reader.child)
        spec = reader.finish(root)
    spec.source = None if is_text(source) else root.path
    return spec


def refuse_xacro(root: Element) -> None:
    """Raise a `ReadError` at the first xacro element of an element, itself included."""
    for element in root.walk():
        if element.tag.startswith("xacro:"):
            element.fail("this is a xacro macro, not URDF: run xacro first")


class _Reader:
    """One document on its way to a spec, child by child."""

    def __init__(self, finder: MeshFinder, check_meshes: bool) -> None:
        self.finder = finder
        self.check_meshes = check_meshes
        self.macros = False
        self.numbers: dict[tuple[str, str], int] = {}  # place of each part in the document
        self.spec = ModelSpec("")
        self.placements = PlacementBatch()
        self.rows: dict[tuple[str | None, str | None], tuple[float, ...]] = {}
        self.colors: dict[str, Color] = {}  # those of the robot
        self.inner_colors: dict[str, Color] = {}  # those that shapes define for later ones
        self.color_names: list[tuple[GeometrySpec, str]] = []

    def begin(self, root: Element) -> None:
        if root.tag != "robot":
            root.fail("the root element of a URDF is <robot>")
        self.macros = "xmlns:xacro" in root.attributes
        spec = self.spec
        spec.name = root.attributes.get("name", "").strip()
        if not spec.name:
            spec.name = os.path.splitext(os.path.basename(root.path))[0].strip("<>")
            spec.notes.append(f"the robot has no name: called {spec.name!r}")

    def child(self, element: Element, number: int) -> None:
        if number == 0:
            assert element.document.root is not None
            self.begin(element.document.root)
        tag = element.tag
        if self.macros or tag.startswith("xacro:"):
            refuse_xacro(element)
        if tag == "link":
            self.spec.links.append(self.link(element, self.register(tag, element, number)))
        elif tag == "joint":
            self.spec.joints.append(self.joint(element, self.register(tag, element, number)))
        elif tag == "material":
            self.material(element, self.colors)

    def finish(self, root: Element) -> ModelSpec:
        spec = self.spec
        if not spec.name:
            self.begin(root)
        if not spec.links:
            root.fail("the robot has no link")
        self.placements.finish()
        for shape, name in self.color_names:
            shape.color = self.colors.get(name, self.inner_colors.get(name))
        self.drop_lost_mimics()
        spec.missing_meshes = list(self.finder.missing)
        try:
            spec.check()
        except ModelError as error:
            self.refuse(error, root)
        return spec

    def register(self, what: str, element: Element, number: int) -> str:
        """Return the name of a link or joint, which must be its own."""
        key = (what, element.need("name"))
        if key in self.numbers:
            line = element.document.line_of_child(self.numbers[key])
            element.fail(f"another {what} has the same name, on line {line}")
        self.numbers[key] = number
        return key[1]

    def drop_lost_mimics(self) -> None:
        """Free the joints that follow one the file does not have; real files do have such."""
        for joint in self.spec.joints:
            if joint.mimic is not None and ("joint", joint.mimic.joint) not in self.numbers:
                self.spec.notes.append(
                    f"joint {joint.name!r} follows {joint.mimic.joint!r}, which does not exist: "
                    "it moves on its own"
                )
                joint.mimic = None

    def refuse(self, error: ModelError, root: Element) -> NoReturn:
        """Raise what `ModelSpec.check` found, at the line of the part it names."""
        part = error.part
        reason, shown, number = str(error), repr(root), -1
        if part is not None and part in self.numbers:
            reason = reason.removeprefix(f"{part[0]} {part[1]!r}: ")
            shown, number = f'<{part[0]} name="{part[1][:80]}">', self.numbers[part]
        failure = ReadError(reason, root.path, root.document.line_of_child(number), shown)
        failure.part = part
        raise failure from None

    # -- links ------------------------------------------------------------------------------

    def link(self, element: Element, name: str) -> LinkSpec:
        link = LinkSpec(name)
        for child in element:
            if child.tag == "inertial":
                if link.inertial is None:
                    link.inertial = self.inertial(child)
            elif child.tag == "visual":
                link.visuals.append(self.shape(child))
            elif child.tag == "collision":
                link.collisions.append(self.shape(child))
        return link

    def inertial(self, element: Element) -> InertialSpec:
        weight, written = element.need_child("mass"), element.find("inertia")
        inertia: tuple[float, ...] = (0.0,) * 6
        if written is not None:
            get = written.get
            cells = floats(
                (
                    get("ixx", "0"),
                    get("ixy", "0"),
                    get("ixz", "0"),
                    get("iyy", "0"),
                    get("iyz", "0"),
                    get("izz", "0"),
                )
            )
            if cells is None:  # one by one, to name the one at fault
                keys = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
                cells = tuple(written.number(key, 0.0) for key in keys)
            inertia = cells
        mass = weight.number("value")
        if mass < 0:
            element.fail(f"the mass is negative: {mass}")
        body = InertialSpec(mass, _LATER, _LATER)
        self.placements.add_body(body, self.origin(element), inertia)
        return body

    def shape(self, element: Element) -> GeometrySpec:
        geometry = element.need_child("geometry")
        if not len(geometry):
            geometry.fail("the geometry is empty")
        form = geometry[0]
        shape = GeometrySpec(form.tag, _LATER)
        self.placements.add(shape, self.origin(element))
        shape.name = element.attributes.get("name")
        if form.tag == "box":
            x, y, z = form.numbers("size", 3)
            shape.size = (x, y, z)
        elif form.tag == "sphere":
            shape.radius = form.number("radius")
        elif form.tag in ("cylinder", "capsule"):
            shape.radius, shape.length = form.number("radius"), form.number("length")
        elif form.tag == "mesh":
            self.mesh(form, shape)
        else:
            form.fail("a geometry is a box, sphere, cylinder, capsule or mesh")
        material = element.find("material")
        if material is not None:
            self.paint(shape, material)
        return shape

    def mesh(self, form: Element, shape: GeometrySpec) -> None:
        uri = form.need("filename")
        if "$(" in uri or "${" in uri:
            form.fail("the file name is a xacro expression: run xacro first")
        if "scale" in form.attributes:
            scale = form.numbers("scale")
            if len(scale) not in (1, 3):
                form.fail(f"scale: one or three numbers expected, found {len(scale)}")
            x, y, z = scale if len(scale) == 3 else (*scale, *scale, *scale)
            shape.scale = (x, y, z)
        shape.uri = uri
        shape.file = self.finder.find(uri)
        if shape.file is None and self.check_meshes:
            form.fail(f"the mesh {uri!r} is in none of the mesh roots")

    def paint(self, shape: GeometrySpec, material: Element) -> None:
        """Set the color that a shape defines, or remember the name of one defined elsewhere."""
        shape.color = self.material(material, self.inner_colors)
        name = material.get("name")
        if shape.color is None and name:
            self.color_names.append((shape, name))

    def material(self, element: Element, colors: dict[str, Color]) -> Color | None:
        written = element.find("color")
        if written is None:
            return None
        r, g, b, a = written.numbers("rgba", 4)
        name = element.get("name")
        if name:
            colors.setdefault(name, (r, g, b, a))
        return (r, g, b, a)

    def origin(self, above: Element) -> Sequence[float]:
        """Return the x y z roll pitch yaw of the placement that stands in an element."""
        element = above.find("origin")
        if element is None:
            return _ZERO
        xyz, rpy = element.get("xyz"), element.get("rpy")
        row = self.rows.get((xyz, rpy))
        if row is None:
            first = _ZERO_WORDS if xyz is None else xyz.split()
            second = _ZERO_WORDS if rpy is None else rpy.split()
            row = floats((*first, *second)) if len(first) == len(second) == 3 else None
            if row is None:  # one by one, to name the one at fault
                place = _ZERO[:3] if xyz is None else element.numbers("xyz", 3)
                row = (*place, *(_ZERO[:3] if rpy is None else element.numbers("rpy", 3)))
            self.rows[xyz, rpy] = row
        return row

    # -- joints -----------------------------------------------------------------------------

    def joint(self, element: Element, name: str) -> JointSpec:
        written = element.need("type")
        kind = _KINDS.get(written)
        if kind is None:
            element.fail(f"the type {written!r} is none of " + ", ".join(_KINDS))
        parent, child = element.need_child("parent"), element.need_child("child")
        joint = JointSpec(name, kind, parent.need("link"), child.need("link"), _LATER)
        self.placements.add(joint, self.origin(element))
        if kind not in _NO_AXIS:
            self.axis(element, joint)
        limit = element.find("limit")
        if limit is not None:
            self.limit(limit, joint, written)
        elif written in ("revolute", "prismatic"):
            self.spec.notes.append(f"joint {joint.name!r} has no <limit>: taken as unlimited")
        dynamics = element.find("dynamics")
        if dynamics is not None:
            joint.damping = dynamics.number("damping", 0.0)
            joint.friction = dynamics.number("friction", 0.0)
        mimic = element.find("mimic")
        if mimic is not None and kind != "fixed":
            joint.mimic = MimicSpec(
                mimic.need("joint"), mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
            )
        return joint

    def axis(self, element: Element, joint: JointSpec) -> None:
        written = element.find("axis")
        axis = (1.0, 0.0, 0.0)  # the format's default
        if written is not None and "xyz" in written.attributes:
            found = unit(written.numbers("xyz", 3))
            if found is None:
                written.fail(f"the axis of joint {joint.name!r} is zero")
            axis = found
        joint.axis = axis
        if joint.kind == "planar":
            joint.axis2 = side_axis(axis)

    def limit(self, limit: Element, joint: JointSpec, written: str) -> None:
        if "effort" in limit.attributes:
            joint.effort = limit.number("effort")
        if "velocity" in limit.attributes:
            joint.velocity = limit.number("velocity")
        if written not in ("revolute", "prismatic"):
            return
        for side in ("lower", "upper"):
            if side not in limit.attributes:
                self.spec.notes.append(
                    f"joint {joint.name!r} has no {side} limit: taken as 0, as the format says"
                )
        lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
        if lower > upper:
            limit.fail(f"the limits of joint {joint.name!r} are reversed: {lower} to {upper}")
        joint.lower, joint.upper = lower, upper
