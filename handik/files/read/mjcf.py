"""MJCF, the model files of MuJoCo: bodies and their joints to a `ModelSpec`.

Reference: MuJoCo's XML reference (mujoco.readthedocs.io, XMLreference). The link ``world`` is the
root and each body a link of its name. The coordinates are those of MuJoCo's ``qpos``, in its
order: ``ref`` is taken into the placements, and a free joint counts from the world. Solver
options, contacts, tendons, actuators and sensors are no part of a model: they are passed over,
and the notes say so.
"""

from __future__ import annotations

import os
from collections.abc import Container, Iterable
from dataclasses import dataclass
from math import radians
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from handik.errors import ModelError, ReadError
from handik.files.read._collector import no_collection
from handik.files.read._geometry import MeshFinder, axis_rotation, pose, unit
from handik.files.read._mjcf_body import Fields, geom, orientation, own_inertial
from handik.files.read._mjcf_document import Defaults, Document
from handik.files.read._xml import Element, Limits, folder_of, is_text, limits_of
from handik.spec import (
    FrameSpec,
    InertialSpec,
    JointSpec,
    LinkSpec,
    MimicSpec,
    ModelSpec,
    MotorSpec,
)

__all__ = ["read_mjcf"]

Array = NDArray[np.float64]

_KINDS = {"hinge": "revolute", "slide": "prismatic", "ball": "ball", "free": "free"}
_STRUCTURE = ("replicate", "attach", "composite", "flexcomp")
_SECTIONS = ("worldbody", "default", "compiler", "asset", "equality")


def read_mjcf(
    source: str | bytes | os.PathLike[str],
    mesh_roots: Iterable[str | os.PathLike[str]] = (),
    *,
    include_roots: Iterable[str | os.PathLike[str]] = (),
    check_meshes: bool = False,
    limits: Limits | None = None,
) -> ModelSpec:
    """Read an MJCF file, or an MJCF document given as text.

    Parameters
    ----------
    source : path, str or bytes
        A path; or the document itself, as bytes or as a str that begins with ``<``.
    mesh_roots : iterable of paths
        Folders that mesh files may lie in; see `handik.files.read.urdf.read_urdf`.
    include_roots : iterable of paths
        Folders that files named by ``<include>`` may lie in. Without any, an include is refused.
    check_meshes : bool
        Raise for a missing mesh.
    limits : Limits, optional
        Depth, nodes, bytes and joints that the document may have.

    Returns
    -------
    ModelSpec
        The checked tree. A body of several joints hangs on links of no size between them; so does
        one whose last joint does not stand at the body's own origin. Named sites are frames. An
        ``<equality>`` of two joints that is a straight line becomes a mimic.

    Raises
    ------
    ReadError
        With file, line and element, for anything the format does not allow, for an include
        outside the roots, for ``coordinate="global"``, and for bodies that a macro makes
        (``replicate``, ``attach``, ``composite``, ``flexcomp``).
    MissingFileError
        When there is no such file.

    Notes
    -----
    The mass of a body without ``<inertial>`` comes from its geoms, as in MuJoCo; that of a mesh
    would need the mesh opened, which is not done here: a note says which bodies lack it.

    Examples
    --------
    >>> text = '''<mujoco><worldbody><body name="arm">
    ... <joint name="shoulder" type="hinge" axis="0 0 1"/><geom type="sphere" size="0.1"/>
    ... </body></worldbody></mujoco>'''
    >>> [joint.name for joint in read_mjcf(text).joints]
    ['shoulder']
    """
    folder = folder_of(source)
    with no_collection():
        document = Document(source, folder, include_roots, limits)
        most = limits_of(limits).joints
        spec = _Reader(document, MeshFinder(folder, mesh_roots), check_meshes, most).read()
    spec.source = None if is_text(source) else document.root.path
    return spec


@dataclass(slots=True)
class _Task:
    """A body still to read: its element, the link above, its frame there, and its class."""

    element: Element
    parent: str
    placement: Array
    child_class: str


class _Reader:
    """One document on its way to a spec."""

    def __init__(
        self, document: Document, finder: MeshFinder, check_meshes: bool, most: int
    ) -> None:
        self.most = most
        self.document = document
        self.root = document.root
        self.finder = finder
        self.check_meshes = check_meshes
        self.defaults = Defaults(document)
        self.spec = ModelSpec(self.root.get("model", "").strip() or "mujoco")
        self.parts: dict[tuple[str, str], Element] = {}
        self.refs: dict[str, float] = {}  # joint -> its coordinate at the placement written
        self.taken: set[str] = {"world"}
        self.counts: dict[str, int] = {}  # numbers given to names that were taken

    def read(self) -> ModelSpec:
        spec, document = self.spec, self.document
        if self.root.tag != "mujoco":
            self.root.fail("the root element of an MJCF is <mujoco>")
        self.settings()
        self.assets()
        sections = document.sections("worldbody")
        if not sections:
            self.root.fail("there is no <worldbody>")
        spec.links.append(LinkSpec("world"))
        stack: list[_Task] = []
        for section in sections:
            stack[:0] = self.inside(section, "world", spec.links[0], "main")[::-1]
        while stack:
            stack.extend(self.body(stack.pop())[::-1])
        self.name_sites()
        self.equalities()
        self.scale_masses()
        skipped = {child.tag for child in document.children(self.root)}.difference(_SECTIONS)
        if skipped:
            spec.notes.append("passed over: " + ", ".join(sorted(skipped)))
        spec.missing_meshes = list(self.finder.missing)
        try:
            spec.check()
        except ModelError as error:
            self.refuse(error)
        return spec

    def refuse(self, error: ModelError) -> NoReturn:
        element = self.root if error.part is None else self.parts.get(error.part, self.root)
        failure = ReadError(str(error), element.path, element.line, repr(element))
        failure.part = error.part
        raise failure from None

    # -- settings and assets ------------------------------------------------------------------

    def settings(self) -> None:
        """Read <compiler>: what the numbers of the file mean."""
        written: dict[str, str] = {}
        at = self.root
        for at in self.document.sections("compiler"):
            written.update(at.attributes)
        fields = Fields(at, written)
        if fields.word("coordinate", "local", ("local", "global")) == "global":
            at.fail('coordinate="global" cannot be read: save the model with local ones first')
        self.degrees = fields.word("angle", "degree", ("degree", "radian")) == "degree"
        self.sequence = written.get("eulerseq", "xyz")
        if len(self.sequence) != 3 or not set(self.sequence) <= set("xyzXYZ"):
            at.fail(f"eulerseq is {self.sequence!r}, not three of x y z X Y Z")
        self.autolimits = fields.flag("autolimits", True)
        self.from_geoms = fields.word("inertiafromgeom", "auto", ("auto", "true", "false"))
        self.groups = fields.numbers("inertiagrouprange", 2, (0.0, 5.0))
        self.total_mass = fields.number("settotalmass", -1.0)
        self.mesh_folder = written.get("meshdir", written.get("assetdir", ""))
        for key in ("boundmass", "boundinertia", "balanceinertia"):
            if fields.get(key, "false") not in ("false", "0"):
                self.spec.notes.append(f"compiler: {key} is passed over")

    def assets(self) -> None:
        self.meshes: dict[str, tuple[str, tuple[float, float, float]]] = {}
        self.colors: dict[str, tuple[float, float, float, float]] = {}
        for section in self.document.sections("asset"):
            for element in self.document.children(section):
                if element.tag == "mesh":
                    fields = self.fields(element, "main")
                    name, file = fields.get("name"), fields.get("file")
                    name = name or os.path.splitext(os.path.basename(file or ""))[0]
                    x, y, z = fields.numbers("scale", 3, (1.0, 1.0, 1.0))
                    if name and file:
                        self.meshes[name] = (os.path.join(self.mesh_folder, file), (x, y, z))
                elif element.tag == "material":
                    fields = self.fields(element, "main")
                    r, g, b, a = fields.numbers("rgba", 4, (1.0, 1.0, 1.0, 1.0))
                    self.colors[fields.get("name") or ""] = (r, g, b, a)

    def fields(self, element: Element, child_class: str) -> Fields:
        """Return the attributes of an element over those of its default class."""
        name = element.get("class", child_class)
        return Fields(element, self.defaults.of(element, name))

    def unique(self, wanted: str) -> str:
        """Return a name that no link has, for what the file leaves without one."""
        name = self.numbered(wanted, self.taken)
        self.taken.add(name)
        return name

    def numbered(self, wanted: str, taken: Container[str]) -> str:
        """Return a name with the first number that leaves it free, from where the last one was."""
        name, count = wanted, self.counts.get(wanted, 1)
        while name in taken:
            count += 1
            name = f"{wanted}_{count}"
        self.counts[wanted] = count
        return name

    # -- bodies -----------------------------------------------------------------------------

    def pose(self, fields: Fields) -> Array:
        x, y, z = fields.numbers("pos", 3, (0.0, 0.0, 0.0))
        return pose((x, y, z), orientation(fields, self.degrees, self.sequence))

    def body(self, task: _Task) -> list[_Task]:
        """Add a body with its joints; return the bodies inside."""
        element, spec = task.element, self.spec
        given = element.get("name", "").strip()
        if len(spec.links) > self.most:  # the world is one of them
            element.fail(f"more than {self.most} bodies")
        if given and given in self.taken:
            element.fail("the name of the body is taken")
        name = self.unique(given or "body")
        link = LinkSpec(name)
        child_class = element.get("childclass", task.child_class)
        self.parts["link", name] = element
        if element.get("mocap") == "true":
            spec.notes.append(f"body {name!r} is moved by hand (mocap): fixed here")
        place = task.placement @ self.pose(Fields(element, element.attributes))
        joints: list[tuple[Element, Fields, Array]] = []
        tasks = self.inside(element, name, link, child_class, joints)
        self.hang(task.parent, name, place, joints)
        spec.links.append(link)
        return tasks

    def inside(
        self,
        element: Element,
        name: str,
        link: LinkSpec,
        child_class: str,
        joints: list[tuple[Element, Fields, Array]] | None = None,
    ) -> list[_Task]:
        """Read what is in a body or a worldbody, <frame>s opened; return the bodies in it."""
        tasks: list[_Task] = []
        masses: list[InertialSpec] = []
        unknown: list[str] = []
        written: InertialSpec | None = None
        stack = [(child, np.eye(4), child_class) for child in self.document.children(element)]
        stack.reverse()
        while stack:
            child, place, kind = stack.pop()
            if child.tag == "body":
                tasks.append(_Task(child, name, place, kind))
            elif child.tag == "frame":
                inner = place @ self.pose(Fields(child, child.attributes))
                below = child.get("childclass", kind)
                found = [(item, inner, below) for item in self.document.children(child)]
                stack.extend(found[::-1])
            elif child.tag in ("joint", "freejoint"):
                if joints is None:
                    child.fail("the world has no joint")
                joints.append((child, self.fields(child, kind), place))
            elif child.tag == "geom":
                self.geom(child, self.fields(child, kind), place, link, masses, unknown)
            elif child.tag == "site":
                self.site(child, self.fields(child, kind), place, name)
            elif child.tag == "inertial":
                fields = Fields(child, child.attributes)
                written = own_inertial(fields, place @ self.pose(fields))
            elif child.tag in _STRUCTURE:
                child.fail(f"<{child.tag}> cannot be read: write out the bodies that it makes")
        if written is None or self.from_geoms == "true":
            written = None if self.from_geoms == "false" else _sum(masses)
            if unknown and joints is not None:
                self.spec.notes.append(
                    f"body {name!r}: the mass of its mesh {', '.join(unknown)} is not known"
                )
        link.inertial = None if joints is None else written
        return tasks

    def geom(
        self,
        element: Element,
        fields: Fields,
        place: Array,
        link: LinkSpec,
        masses: list[InertialSpec],
        unknown: list[str],
    ) -> None:
        shape, mass = geom(fields, self.degrees, self.sequence)
        if shape is None:
            self.spec.notes.append(f"line {element.line}: a {fields.get('type')} is passed over")
        else:
            shape.placement = place @ shape.placement
            if shape.kind == "mesh":
                asset = fields.get("mesh") or ""
                if asset not in self.meshes:
                    element.fail(f"there is no mesh asset {asset!r} with a file")
                shape.uri, shape.scale = self.meshes[asset]
                shape.file = self.finder.find(shape.uri)
                if shape.file is None and self.check_meshes:
                    element.fail(f"the mesh {shape.uri!r} is in none of the mesh roots")
            if shape.color is None:
                shape.color = self.colors.get(fields.get("material") or "")
            solid = fields.number("contype", 1.0) != 0 or fields.number("conaffinity", 1.0) != 0
            (link.collisions if solid else link.visuals).append(shape)
        if not self.groups[0] <= fields.number("group", 0.0) <= self.groups[1]:
            return
        if mass is None:
            unknown.append(repr(fields.get("mesh")))
        elif mass.mass > 0:
            turn = place[:3, :3]
            center = turn @ mass.center + place[:3, 3]
            masses.append(InertialSpec(mass.mass, center, turn @ mass.inertia @ turn.T))

    def site(self, element: Element, fields: Fields, place: Array, link: str) -> None:
        name = element.get("name", "").strip()
        if not name:
            return
        if "fromto" in fields.attributes:
            shape, _ = geom(fields, self.degrees, self.sequence, "site")
            assert shape is not None
            own = shape.placement
        else:
            own = self.pose(fields)
        self.parts.setdefault(("frame", name), element)
        self.spec.frames.append(FrameSpec(name, link, place @ own))

    def name_sites(self) -> None:
        """Rename the sites that share the name of a body, as frames and links share theirs."""
        sites = self.taken | {frame.name for frame in self.spec.frames}
        for frame in self.spec.frames:
            if frame.name in self.taken:
                name = self.numbered(f"{frame.name}_site", sites)
                sites.add(name)
                self.spec.notes.append(
                    f"site {frame.name!r}: a link has that name, called {name!r}"
                )
                frame.name = name

    # -- joints -----------------------------------------------------------------------------

    def hang(
        self, parent: str, body: str, place: Array, joints: list[tuple[Element, Fields, Array]]
    ) -> None:
        """Put the joints of a body, in their order, between it and the link above."""
        spec, shift, above = self.spec, np.zeros(3), parent
        if not joints:
            spec.joints.append(JointSpec(self.unique(f"{body}_fixed"), "fixed", above, body, place))
            return
        for count, (element, fields, frame) in enumerate(joints, 1):
            joint = self.joint(element, fields, f"{body}_joint", frame)
            if joint.kind == "free":
                if len(joints) > 1 or parent != "world":
                    element.fail("a free joint is the only one of a body in the world")
                self.spec.notes.append(
                    f"joint {joint.name!r} is free: its coordinates count from the world; "
                    f"the file starts it at {place[:3, 3].tolist()}"
                )
                joint.placement = np.eye(4)
            else:
                anchor = frame[:3, :3] @ fields.numbers("pos", 3, (0.0,) * 3) + frame[:3, 3]
                if joint.kind == "prismatic":
                    anchor = shift  # where a slide stands changes nothing
                step = np.eye(4)
                step[:3, 3] = anchor - shift
                joint.placement = place @ step @ self.start(joint)
                shift, place = anchor, np.eye(4)
            joint.parent = above
            last = count == len(joints) and not shift.any()
            joint.child = body if last else self.unique(f"{body}__{count}")
            if not last:
                spec.links.append(LinkSpec(joint.child))
            above = joint.child
            spec.joints.append(joint)
        if above != body:
            spec.joints.append(
                JointSpec(
                    self.unique(f"{body}__frame"), "fixed", above, body, pose((-shift).tolist())
                )
            )

    def start(self, joint: JointSpec) -> Array:
        """Motion that takes ``ref`` back, so that the coordinate is MuJoCo's."""
        ref = self.refs[joint.name]
        if ref == 0:
            return np.eye(4)
        if joint.kind == "prismatic":
            return pose([-ref * value for value in joint.axis])
        return pose((0.0, 0.0, 0.0), axis_rotation(joint.axis, -ref))

    def joint(self, element: Element, fields: Fields, label: str, frame: Array) -> JointSpec:
        written = "free" if element.tag == "freejoint" else fields.get("type") or "hinge"
        if written not in _KINDS:
            element.fail(f"the type {written!r} is none of " + ", ".join(_KINDS))
        given = element.get("name", "").strip()
        name = given
        if not given:
            name = self.numbered(label, self.refs)
        elif ("joint", given) in self.parts:
            element.fail("the name of the joint is taken")
        if len(self.refs) >= self.most:
            element.fail(f"more than {self.most} joints")
        self.parts["joint", name] = element
        joint = JointSpec(name, _KINDS[written], "", "")
        self.refs[name] = 0.0
        if written == "free":
            return joint
        if written in ("hinge", "slide"):
            axis = unit((frame[:3, :3] @ fields.numbers("axis", 3, (0.0, 0.0, 1.0))).tolist())
            if axis is None:
                element.fail(f"the axis of joint {name!r} is zero")
            joint.axis = axis
            to_radians = self.degrees and written == "hinge"
            ref = fields.number("ref", 0.0)
            self.refs[name] = radians(ref) if to_radians else ref
        self.range(fields, joint)
        joint.damping = fields.numbers("damping", None, (0.0,))[0]
        joint.friction = fields.number("frictionloss", 0.0)
        rotor = fields.number("armature", 0.0)
        if rotor != 0:
            joint.motor = MotorSpec(rotor)
        force = fields.numbers("actuatorfrcrange", 2, (0.0, 0.0))
        if force[0] < force[1]:
            joint.effort = max(abs(force[0]), abs(force[1]))
        return joint

    def range(self, fields: Fields, joint: JointSpec) -> None:
        lower, upper = fields.numbers("range", 2, (0.0, 0.0))
        limited = fields.word("limited", "auto", ("true", "false", "auto"))
        if limited == "false" or (limited == "auto" and not (self.autolimits and lower < upper)):
            return
        if joint.kind == "ball":
            self.spec.notes.append(f"joint {joint.name!r}: the limit of a ball is passed over")
            return
        if lower > upper:
            fields.element.fail(
                f"the limits of joint {joint.name!r} are reversed: {lower} to {upper}"
            )
        if self.degrees and joint.kind == "revolute":
            lower, upper = radians(lower), radians(upper)
        joint.lower, joint.upper = lower, upper

    # -- what is said of the whole ------------------------------------------------------------

    def equalities(self) -> None:
        """Turn the couplings of two joints that are straight lines into mimics."""
        joints = {joint.name: joint for joint in self.spec.joints}
        for section in self.document.sections("equality"):
            for element in self.document.children(section):
                fields = self.fields(element, "main")
                if fields.get("active", "true") == "false":
                    continue
                if element.tag != "joint":
                    self.spec.notes.append(
                        f"line {element.line}: the equality <{element.tag}> is passed over"
                    )
                    continue
                names = [fields.get("joint1") or "", fields.get("joint2") or ""]
                for name in names[: 2 if names[1] else 1]:
                    if name not in joints:
                        element.fail(f"there is no joint {name!r}")
                written = fields.numbers("polycoef", None, (0.0, 1.0, 0.0, 0.0, 0.0))
                line = (*written, 0.0, 0.0, 0.0, 0.0, 0.0)[:5]
                follower = joints[names[0]]
                if not names[1] or any(line[2:]) or line[1] == 0 or follower.mimic is not None:
                    self.spec.notes.append(
                        f"line {element.line}: the equality of {names[0]!r} is not a straight "
                        "line of another joint: passed over"
                    )
                    continue
                offset = line[0] + self.refs[names[0]] - line[1] * self.refs[names[1]]
                follower.mimic = MimicSpec(names[1], line[1], offset)

    def scale_masses(self) -> None:
        bodies = [link.inertial for link in self.spec.links if link.inertial is not None]
        total = sum(body.mass for body in bodies)
        if self.total_mass <= 0 or total == 0:
            return
        scale = self.total_mass / total
        for body in bodies:
            body.mass *= scale
            body.inertia = body.inertia * scale


def _sum(parts: list[InertialSpec]) -> InertialSpec | None:
    """Return one body made of several."""
    if not parts:
        return None
    mass = sum(part.mass for part in parts)
    center = np.array([part.mass * part.center for part in parts]).sum(axis=0) / mass
    inertia = np.zeros((3, 3))
    for part in parts:
        c = part.center - center
        inertia += part.inertia + part.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return InertialSpec(mass, center, 0.5 * (inertia + inertia.T))
