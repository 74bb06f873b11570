"""URDF, the robot description of ROS: XML to a `ModelSpec`.

Reference: the format's own pages (wiki.ros.org/urdf/XML) and REP 103 for units. Roll, pitch and
yaw are angles about fixed axes, Rz(yaw) Ry(pitch) Rx(roll). The first link without a parent is
the root. The format demands of every hinge and slide an effort, a speed and two limits; numbers of
1e16 or more stand for none there. Elements of other programs (``gazebo``, ``transmission``,
``ros2_control`` and any unknown one) are passed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import itemgetter
from typing import NoReturn

import numpy as np

from handik.errors import ModelError, ReadError
from handik.files.read._collector import no_collection
from handik.files.read._geometry import MeshFinder, place_all, side_axis, unit
from handik.files.read._xml import (
    Document,
    Element,
    Limits,
    column,
    floats,
    folder_of,
    is_text,
    open_document,
)
from handik.spec import (
    GeometrySpec,
    InertialSpec,
    JointSpec,
    LinkSpec,
    MimicSpec,
    ModelSpec,
)

__all__ = ["NO_LIMIT", "read_urdf", "refuse_xacro"]

#: URDF has no word for "none": a limit, effort or speed of this size, or more, is none.
NO_LIMIT = 1e16

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
_NO_PLACE = ("0 0 0", "0 0 0")
_NO_INERTIA: tuple[str, ...] = ("0",) * 6
_SIX = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_six = itemgetter(*_SIX)
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
        Folders that mesh files may lie in, beside the folder of the file and the ROS package
        around it. A mesh in none of them is listed in ``missing_meshes`` and its ``file`` is None;
        meshes are never opened here.
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

    Examples
    --------
    >>> text = '''<robot name="door"><link name="frame"/><link name="leaf"/>
    ... <joint name="hinge" type="continuous"><parent link="frame"/><child link="leaf"/></joint>
    ... </robot>'''
    >>> [joint.name for joint in read_urdf(text).joints]
    ['hinge']
    """
    folder = folder_of(source)
    finder = MeshFinder(folder, mesh_roots)
    document = open_document(source, limits=limits)
    with no_collection():
        try:
            spec = _Reader(document, finder, check_meshes, quick=True).read()
        except _Odd:
            finder = MeshFinder(folder, mesh_roots)
            spec = _Reader(document, finder, check_meshes, quick=False).read()
    spec.source = None if is_text(source) else document.path
    return spec


def refuse_xacro(root: Element) -> None:
    """Raise a `ReadError` at the first xacro element of an element, itself included.

    Parameters
    ----------
    root : Element
        The element looked through, with all inside it.

    Examples
    --------
    >>> from handik.files.read._xml import parse
    >>> refuse_xacro(parse("<robot name='plain'/>"))
    """
    for element in root.walk():
        if element.tag.startswith("xacro:"):
            element.fail("this is a xacro macro, not URDF: run xacro first")


class _Odd(Exception):
    """Something in the document needs a closer look than the quick pass takes."""


class _Reader:
    """One pass over a document, child by child.

    The quick pass takes the elements as they come from C and keeps all numbers as written, to read
    each kind at once when the document ends. It raises `_Odd` for whatever is amiss; then a second,
    careful pass takes elements that know their lines, looks at each number as it comes by, and
    says what it was. Both keep the same columns, so what the format means stands here once.
    """

    def __init__(
        self, document: Document, finder: MeshFinder, check_meshes: bool, quick: bool
    ) -> None:
        self.document = document
        self.finder = finder
        self.check_meshes = check_meshes
        self.quick = quick
        self.macros = False
        self.numbers: dict[tuple[str, str], int] = {}  # place of each part in the document
        self.spec = ModelSpec("")
        self.placed: list[GeometrySpec | JointSpec] = []
        self.bodies: list[InertialSpec] = []
        # Columns of numbers as the file writes them.
        self.places: list[str] = []  # xyz and rpy of each placement
        self.body_places: list[str] = []  # xyz and rpy of each inertial
        self.masses: list[str] = []
        self.inertias: list[str] = []  # six for each inertial
        self.boxes: list[str] = []
        self.boxed: list[GeometrySpec] = []
        self.bounds: list[str] = []  # lower and upper
        self.bounded: list[JointSpec] = []
        self.singles: list[str] = []
        self.targets: list[tuple[GeometrySpec | JointSpec, str]] = []
        self.lengths: list[str] = []  # of shapes, none negative
        self.directions: dict[str, tuple[float, float, float]] = {}
        self.colors: dict[str, Color] = {}  # those of the robot
        self.inner_colors: dict[str, Color] = {}  # those that shapes define for later ones
        self.color_names: list[tuple[GeometrySpec, str]] = []

    def read(self) -> ModelSpec:
        return self.finish(self.document.tree(False, self.child, plain=self.quick))

    def closer(self, element: Element) -> Element:
        """Return an element that can say what is amiss with it, or call for the careful pass."""
        if self.quick:
            raise _Odd
        return element

    def begin(self, root: Element) -> None:
        if root.tag != "robot":
            self.closer(root).fail("the root element of a URDF is <robot>")
        self.macros = "xmlns:xacro" in root.attrib
        spec = self.spec
        spec.name = root.attrib.get("name", "").strip()
        if not spec.name:
            path = self.document.path
            spec.name = os.path.splitext(os.path.basename(path))[0].strip("<>")
            spec.notes.append(f"the robot has no name: called {spec.name!r}")

    def child(self, element: Element, number: int) -> None:
        if number == 0:
            assert self.document.root is not None
            self.begin(self.document.root)
        tag = element.tag
        if (self.macros or tag.startswith("xacro:")) and any(
            inner.tag.startswith("xacro:") for inner in element.iter()
        ):
            refuse_xacro(self.closer(element))
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
            self.closer(root).fail("the robot has no link")
        try:
            sound = self.fill()
        except (TypeError, ValueError):
            if not self.quick:
                raise
            raise _Odd from None
        for shape, name in self.color_names:
            shape.color = self.colors.get(name, self.inner_colors.get(name))
        self.drop_lost_mimics()
        spec.missing_meshes = list(self.finder.missing)
        try:
            spec._check(numbers=not sound)
        except ModelError as error:
            self.refuse(error, self.closer(root))
        return spec

    def fill(self) -> bool:
        """Read the columns into the parts; tell whether `ModelSpec.check` would take them.

        What is left for it to say no to: rotations made from angles are rotations, axes are of
        unit length, and every number of a column is finite.
        """
        sound = place_all(
            self.placed,
            np.array(column(self.places, 3)).reshape(-1, 6),
            self.bodies,
            np.array(column(self.body_places, 3)).reshape(-1, 6),
            np.array(column(self.inertias)).reshape(-1, 6),
        )
        masses = column(self.masses)
        for body, mass in zip(self.bodies, masses, strict=True):
            body.mass = mass
        sizes = column(self.boxes, 3)
        edges = iter(sizes)
        for shape, size in zip(self.boxed, zip(edges, edges, edges, strict=True), strict=True):
            shape.size = size
        values = column(self.singles)
        for (part, key), value in zip(self.targets, values, strict=True):
            if value < NO_LIMIT or key not in ("effort", "velocity"):
                setattr(part, key, value)
        bounds = column(self.bounds)
        for joint, lower, upper in zip(self.bounded, bounds[::2], bounds[1::2], strict=True):
            if lower > upper:
                raise ValueError
            joint.lower = lower if lower > -NO_LIMIT else None
            joint.upper = upper if upper < NO_LIMIT else None
        lengths = column(self.lengths)
        return sound and not min(chain(masses, sizes, lengths), default=0.0) < 0

    def register(self, what: str, element: Element, number: int) -> str:
        """Return the name of a link or joint, which must be its own."""
        key = (what, self.need(element, "name"))
        if key in self.numbers:
            line = self.document.line_of_child(self.numbers[key])
            self.closer(element).fail(f"another {what} has the same name, on line {line}")
        self.numbers[key] = number
        return key[1]

    def need(self, element: Element, attribute: str) -> str:
        """Return an attribute that must be there and not be empty; see `Element.need`."""
        value = element.get(attribute)
        if not value or not (value := value.strip()):
            return self.closer(element).need(attribute)
        return value

    def need_child(self, element: Element, tag: str) -> Element:
        """Return the first child with this tag; see `Element.need_child`."""
        child = element.find(tag)
        return self.closer(element).need_child(tag) if child is None else child

    def number(self, element: Element, attribute: str, default: float) -> float:
        """Return an attribute as one number, at once; see `Element.number`."""
        written = element.get(attribute)
        if written is None:
            return default
        if not self.quick:
            return element.number(attribute)
        return self.row(element, attribute, 1)[0]

    def row(self, element: Element, attribute: str, count: int | None = None) -> Sequence[float]:
        """Return an attribute as `count` numbers, at once; see `Element.numbers`."""
        if not self.quick:
            return element.numbers(attribute, count)
        words = element.get(attribute, "").split()
        values = floats(words)
        if not words or values is None or (count is not None and len(words) != count):
            raise _Odd
        return values

    def single(self, part: GeometrySpec | JointSpec, key: str, element: Element) -> None:
        """Note one number of a part, which has the name of its attribute."""
        if not self.quick:
            element.number(key)
        self.singles.append(element.get(key, ""))
        self.targets.append((part, key))

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
        weight, written = element.find("mass"), element.find("inertia")
        if weight is None:
            weight = self.need_child(element, "mass")
        cells = _NO_INERTIA
        if written is not None:
            try:
                cells = _six(written.attrib)
            except KeyError:
                cells = tuple(written.get(key, "0") for key in _SIX)
            if not self.quick:
                for key in _SIX:
                    written.number(key, 0.0)
        self.inertias += cells
        if not self.quick and (mass := weight.number("value")) < 0:
            element.fail(f"the mass is negative: {mass}")
        self.masses.append(weight.get("value", ""))
        body = InertialSpec(0.0, _LATER, _LATER)
        self.place(element, self.body_places)
        self.bodies.append(body)
        return body

    def shape(self, element: Element) -> GeometrySpec:
        geometry = element.find("geometry")
        if geometry is None:
            geometry = self.need_child(element, "geometry")
        if not len(geometry):
            self.closer(geometry).fail("the geometry is empty")
        form = geometry[0]
        tag = form.tag
        shape = GeometrySpec(tag, _LATER)
        self.place(element, self.places)
        self.placed.append(shape)
        shape.name = element.get("name")
        if tag == "mesh":
            self.mesh(form, shape)
        elif tag == "box":
            if not self.quick:
                form.numbers("size", 3)
            self.boxes.append(form.get("size", ""))
            self.boxed.append(shape)
        elif tag in ("sphere", "cylinder", "capsule"):
            for key in ("radius",) if tag == "sphere" else ("radius", "length"):
                self.single(shape, key, form)
                self.lengths.append(form.get(key, ""))
        else:
            self.closer(form).fail("a geometry is a box, sphere, cylinder, capsule or mesh")
        material = element.find("material")
        if material is not None:
            self.paint(shape, material)
        return shape

    def mesh(self, form: Element, shape: GeometrySpec) -> None:
        uri = self.need(form, "filename")
        if "$(" in uri or "${" in uri:
            self.closer(form).fail("the file name is a xacro expression: run xacro first")
        if "scale" in form.attrib:
            scale = self.row(form, "scale")
            if len(scale) not in (1, 3):
                self.closer(form).fail(f"scale: one or three numbers expected, found {len(scale)}")
            x, y, z = scale if len(scale) == 3 else (*scale, *scale, *scale)
            shape.scale = (x, y, z)
        shape.uri = uri
        shape.file = self.finder.find(uri)
        if shape.file is None and self.check_meshes:
            self.closer(form).fail(f"the mesh {uri!r} is in none of the mesh roots")

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
        r, g, b, a = self.row(written, "rgba", 4)
        name = element.get("name")
        if name:
            colors.setdefault(name, (r, g, b, a))
        return (r, g, b, a)

    def place(self, above: Element, places: list[str]) -> None:
        """Note the xyz and rpy of the placement that stands in an element."""
        element = above.find("origin")
        if element is None:
            places += _NO_PLACE
            return
        if not self.quick:
            for key in ("xyz", "rpy"):
                if element.get(key) is not None:
                    element.numbers(key, 3)
        get = element.get
        places += (get("xyz", "0 0 0"), get("rpy", "0 0 0"))

    # -- joints -----------------------------------------------------------------------------

    def joint(self, element: Element, name: str) -> JointSpec:
        written = self.need(element, "type")
        kind = _KINDS.get(written)
        if kind is None:
            self.closer(element).fail(f"the type {written!r} is none of " + ", ".join(_KINDS))
        parent, child = self.need_child(element, "parent"), self.need_child(element, "child")
        links = self.need(parent, "link"), self.need(child, "link")
        joint = JointSpec(name, kind, *links, _LATER)
        self.place(element, self.places)
        self.placed.append(joint)
        if kind not in _NO_AXIS:
            self.axis(element, joint)
        limit = element.find("limit")
        if limit is not None:
            self.limit(limit, joint, written)
        elif written in ("revolute", "prismatic"):
            self.spec.notes.append(f"joint {joint.name!r} has no <limit>: taken as unlimited")
        dynamics = element.find("dynamics")
        if dynamics is not None:
            for key in ("damping", "friction"):
                if key in dynamics.attrib:
                    self.single(joint, key, dynamics)
        mimic = element.find("mimic")
        if mimic is not None and kind != "fixed":
            joint.mimic = MimicSpec(
                self.need(mimic, "joint"),
                self.number(mimic, "multiplier", 1.0),
                self.number(mimic, "offset", 0.0),
            )
        return joint

    def axis(self, element: Element, joint: JointSpec) -> None:
        written = element.find("axis")
        axis = (1.0, 0.0, 0.0)  # the format's default
        text = None if written is None else written.get("xyz")
        if written is not None and text is not None:
            known = self.directions.get(text)
            if known is None:
                known = unit(self.row(written, "xyz", 3))
                if known is None:
                    self.closer(written).fail(f"the axis of joint {joint.name!r} is zero")
                self.directions[text] = known
            axis = known
        joint.axis = axis
        if joint.kind == "planar":
            joint.axis2 = side_axis(axis)

    def limit(self, limit: Element, joint: JointSpec, written: str) -> None:
        attributes = limit.attrib
        if "effort" in attributes:
            self.single(joint, "effort", limit)
        if "velocity" in attributes:
            self.single(joint, "velocity", limit)
        if written not in ("revolute", "prismatic"):
            return
        for side in ("lower", "upper"):
            if side not in attributes:
                self.spec.notes.append(
                    f"joint {joint.name!r} has no {side} limit: taken as 0, as the format says"
                )
        if not self.quick:
            lower, upper = limit.number("lower", 0.0), limit.number("upper", 0.0)
            if lower > upper:
                limit.fail(f"the limits of joint {joint.name!r} are reversed: {lower} to {upper}")
        self.bounds += (attributes.get("lower", "0"), attributes.get("upper", "0"))
        self.bounded.append(joint)
