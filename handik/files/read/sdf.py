"""SDF, the scene description of Gazebo: one model of a file to a `ModelSpec`.

Reference: sdformat.org, versions 1.4 to 1.11. Poses are ``x y z roll pitch yaw`` with the angles
of URDF. A link's pose is in the model's frame, a joint's in its child link's, unless
``relative_to`` says otherwise; an axis is in the joint's frame, unless ``expressed_in`` (or, up to
1.6, ``use_parent_model_frame``) says otherwise. Plugins, sensors, lights and physics are passed
over. Nested and included models are refused by name.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from handik.errors import ModelError, ReadError
from handik.files.read._collector import no_collection
from handik.files.read._geometry import MeshFinder, pose, rigid_inverse, rpy_rotation, unit
from handik.files.read._xml import Element, Limits, folder_of, is_text, parse
from handik.spec import (
    FrameSpec,
    GeometrySpec,
    InertialSpec,
    JointSpec,
    LinkSpec,
    MimicSpec,
    ModelSpec,
)
from handik.spec._given import text

__all__ = ["read_sdf"]

Array = NDArray[np.float64]
Vector = tuple[float, float, float]

_KINDS = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "universal": "universal",
    "ball": "ball",
}
# SDF writes "no limit" as a number of this size.
_NO_LIMIT = 1e15
_MODEL = "__model__"


def read_sdf(
    source: str | bytes | os.PathLike[str],
    mesh_roots: Iterable[str | os.PathLike[str]] = (),
    *,
    model: str | None = None,
    check_meshes: bool = False,
    limits: Limits | None = None,
) -> ModelSpec:
    """Read a model of an SDF file, or of an SDF document given as text.

    Parameters
    ----------
    source : path, str or bytes
        A path; or the document itself, as bytes or as a str that begins with ``<``.
    mesh_roots : iterable of paths
        Folders that mesh files may lie in; see `handik.files.read.urdf.read_urdf`.
    model : str, optional
        Name of the model; the first one by default.
    check_meshes : bool
        Raise for a missing mesh.
    limits : Limits, optional
        Depth, nodes and bytes that the document may have.

    Returns
    -------
    ModelSpec
        The checked tree. A model with joints to ``world`` has a link of that name as its root.

    Raises
    ------
    ReadError
        With file, line and element, for anything the format does not allow, for a joint kind
        that handik has not (screw, gearbox, revolute2) and for nested or included models.
    MissingFileError
        When there is no such file.

    Examples
    --------
    >>> text = '''<sdf version="1.9"><model name="door"><link name="frame"/><link name="leaf"/>
    ... <joint name="hinge" type="revolute"><parent>frame</parent><child>leaf</child>
    ... <axis><xyz>0 0 1</xyz></axis></joint></model></sdf>'''
    >>> [joint.name for joint in read_sdf(text).joints]
    ['hinge']
    """
    folder = folder_of(source)
    finder = MeshFinder(folder, mesh_roots)
    with no_collection():
        root = parse(source, limits=limits)
        called = None if model is None else text("model", model)
        spec = _Reader(root, _model(root, called), finder, check_meshes).read()
    spec.source = None if is_text(source) else root.path
    return spec


def _model(root: Element, name: str | None) -> Element:
    if root.tag != "sdf":
        root.fail("the root element of an SDF is <sdf>")
    models = root.find_all("model")
    for world in root.find_all("world"):
        models += world.find_all("model")
    for element in models:
        if name is None or element.attributes.get("name") == name:
            return element
    names = ", ".join(repr(element.attributes.get("name")) for element in models[:8])
    root.fail("there is no <model>" if name is None else f"no model {name!r}; there are: {names}")


class _Reader:
    """One model on its way to a spec."""

    def __init__(self, root: Element, model: Element, finder: MeshFinder, check: bool) -> None:
        self.model = model
        self.finder = finder
        self.check_meshes = check
        version = root.attributes.get("version", "")
        self.old = version in ("1.2", "1.3", "1.4", "1.5", "1.6")
        self.hung: dict[str, str] = {}  # links that frames hang on
        self.named: dict[str, Element] = {}  # links, joints and frames share one name space
        self.poses: dict[str, Array] = {_MODEL: np.eye(4)}
        self.spec = ModelSpec(model.need("name"))

    def read(self) -> ModelSpec:
        model, spec = self.model, self.spec
        for tag in ("model", "include"):
            nested = model.find(tag)
            if nested is not None:
                nested.fail("nested and included models cannot be read: write them out first")
        for element in model.children:
            if element.tag in ("link", "joint", "frame"):
                name = element.need("name")
                if name in self.named:
                    element.fail(f"the name is taken, on line {self.named[name].line}")
                self.named[name] = element
        if not any(element.tag == "link" for element in self.named.values()):
            model.fail("the model has no link")
        spec.links = [self.link(e) for e in model.find_all("link")]
        for element in model.find_all("joint"):
            self.joint(element)
        for element in model.find_all("frame"):
            self.frame(element)
        spec.missing_meshes = list(self.finder.missing)
        try:
            spec.check()
        except ModelError as error:
            self.refuse(error)
        return spec

    def refuse(self, error: ModelError) -> NoReturn:
        element = self.named.get(error.part[1], self.model) if error.part else self.model
        reason = str(error)
        if error.part is not None and element is not self.model:
            reason = reason.removeprefix(f"{error.part[0]} {error.part[1]!r}: ")
        failure = ReadError(reason, element.path, element.line, repr(element))
        failure.part = error.part
        raise failure from None

    # -- poses ------------------------------------------------------------------------------

    def own_pose(self, element: Element) -> Array:
        """Pose as written in the element, whatever it is relative to."""
        written = element.find("pose")
        if written is None or not written.content:
            return np.eye(4)
        if written.attributes.get("degrees", "false") not in ("false", "0"):
            x, y, z, *angles = written.text_numbers(6)
            return pose((x, y, z), rpy_rotation(*np.radians(angles).tolist()))
        if written.attributes.get("rotation_format", "euler_rpy") != "euler_rpy":
            written.fail("only the rotation format euler_rpy can be read")
        x, y, z, roll, pitch, yaw = written.text_numbers(6)
        return pose((x, y, z), rpy_rotation(roll, pitch, yaw))

    def start(self, element: Element) -> str:
        """Name of the frame that an element's pose starts from."""
        written = element.find("pose")
        name = ""
        if written is not None:
            name = written.attributes.get("relative_to", written.attributes.get("frame", ""))
        if name:
            return name
        if element.tag == "joint":
            return element.need_child("child").content
        if element.tag == "frame":
            return element.attributes.get("attached_to", "") or _MODEL
        return _MODEL

    def pose_of(self, name: str, asked: Element) -> Array:
        """Pose of a link, joint or frame in the model, by a walk up its `relative_to`."""
        trail: dict[str, None] = {}
        while name not in self.poses:
            if name == "world":
                self.poses[name] = np.eye(4)
                break
            if name not in self.named:
                asked.fail(f"there is no link, joint or frame {name!r}")
            if name in trail:
                asked.fail(f"the pose of {name!r} is relative to itself")
            trail[name] = None
            name = self.start(self.named[name])
        for step in reversed(trail):
            self.poses[step] = self.poses[name] @ self.own_pose(self.named[step])
            name = step
        return self.poses[name]

    def between(self, name: str, other: str, asked: Element) -> Array:
        """Pose of one link, joint or frame in another: as written where it is written so."""
        to = self.named.get(other)
        if to is not None and self.start(to) == name:
            return self.own_pose(to)
        at = self.named.get(name)
        if at is not None and self.start(at) == other:
            return rigid_inverse(self.own_pose(at))
        return rigid_inverse(self.pose_of(name, asked)) @ self.pose_of(other, asked)

    # -- links ------------------------------------------------------------------------------

    def link(self, element: Element) -> LinkSpec:
        link = LinkSpec(element.need("name"))
        inertial = element.find("inertial")
        if inertial is not None:
            link.inertial = self.inertial(inertial)
        for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
            for child in element.find_all(tag):
                shape = self.shape(child)
                if shape is not None:
                    self.paint(child, shape)
                    shapes.append(shape)
        return link

    def value(self, element: Element, tag: str, default: float) -> float:
        child = element.find(tag)
        return default if child is None else child.text_numbers(1)[0]

    def inertial(self, element: Element) -> InertialSpec:
        mass = self.value(element, "mass", 1.0)
        written = element.find("inertia")
        inertia = np.eye(3)
        if written is not None:
            xx, yy, zz = (self.value(written, tag, 1.0) for tag in ("ixx", "iyy", "izz"))
            xy, xz, yz = (self.value(written, tag, 0.0) for tag in ("ixy", "ixz", "iyz"))
            inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        placement = self.own_pose(element)
        turn = placement[:3, :3]
        with np.errstate(over="ignore", invalid="ignore"):  # ModelSpec.check finds it
            inertia = turn @ inertia @ turn.T
            inertia = 0.5 * (inertia + inertia.T)
        return InertialSpec(mass, placement[:3, 3].copy(), inertia)

    def shape(self, element: Element) -> GeometrySpec | None:
        """Return the shape, or None for one that is empty or that handik has no kind for."""
        geometry = element.need_child("geometry")
        shape = GeometrySpec("mesh", self.own_pose(element), name=element.attributes.get("name"))
        for form in geometry.children:
            if form.tag == "box":
                x, y, z = form.need_child("size").text_numbers(3)
                shape.kind, shape.size = "box", (x, y, z)
            elif form.tag in ("sphere", "cylinder", "capsule"):
                shape.kind = form.tag
                shape.radius = form.need_child("radius").text_numbers(1)[0]
                if form.tag != "sphere":
                    shape.length = form.need_child("length").text_numbers(1)[0]
            elif form.tag == "mesh":
                self.mesh(form, shape)
            else:
                self.spec.notes.append(f"line {form.line}: a {form.tag} is passed over")
                continue
            return shape
        return None

    def paint(self, element: Element, shape: GeometrySpec) -> None:
        material = element.find("material")
        diffuse = None if material is None else material.find("diffuse")
        if diffuse is not None:
            cells = diffuse.text_numbers()
            if len(cells) not in (3, 4):
                diffuse.fail(f"three or four numbers expected, found {len(cells)}")
            r, g, b, a = (*cells, 1.0)[:4]
            shape.color = (r, g, b, a)

    def mesh(self, form: Element, shape: GeometrySpec) -> None:
        shape.uri = form.need_child("uri").content
        scale = form.find("scale")
        if scale is not None:
            x, y, z = scale.text_numbers(3)
            shape.scale = (x, y, z)
        shape.file = self.finder.find(shape.uri)
        if shape.file is None and self.check_meshes:
            form.fail(f"the mesh {shape.uri!r} is in none of the mesh roots")

    # -- joints and frames --------------------------------------------------------------------

    def joint(self, element: Element) -> None:
        written = element.need("type")
        kind = _KINDS.get(written)
        if kind is None:
            element.fail(f"the type {written!r} is none of " + ", ".join(_KINDS))
        parent, child = (element.need_child(tag).content for tag in ("parent", "child"))
        for name in (parent, child):
            if name != "world" and (name not in self.named or self.named[name].tag != "link"):
                element.fail(f"there is no link {name!r}")
        if child == "world":
            element.fail("the world cannot be a child")
        if parent == "world" and not any(link.name == "world" for link in self.spec.links):
            self.spec.links.insert(0, LinkSpec("world"))
        name = element.need("name")
        for pose_must_be in (name, child, parent):
            self.pose_of(pose_must_be, element)
        joint = JointSpec(name, kind, parent, child, self.between(parent, name, element))
        if kind not in ("fixed", "ball"):
            joint.axis = self.axis(element, "axis", joint, written)
        if kind == "universal":
            joint.axis2 = self.axis(element, "axis2", joint, written)
        self.spec.joints.append(joint)
        offset = self.between(name, child, element)
        if np.abs(offset - np.eye(4)).max() > 1e-15:
            # The child's own frame is not the joint's: a link of no size stands between them.
            between = f"{name}__moved"
            joint.child = between
            self.spec.links.append(LinkSpec(between))
            self.spec.joints.append(JointSpec(f"{name}__child", "fixed", between, child, offset))

    def axis(self, element: Element, tag: str, joint: JointSpec, written: str) -> Vector:
        axis = element.need_child(tag)
        xyz = axis.find("xyz")
        values = [0.0, 0.0, 1.0] if xyz is None else xyz.text_numbers(3)
        frame = "" if xyz is None else xyz.attributes.get("expressed_in", "")
        old = axis.find("use_parent_model_frame")
        if not frame and self.old and old is not None and old.content in ("1", "true"):
            frame = _MODEL
        if frame:
            turn = rigid_inverse(self.pose_of(joint.name, element)) @ self.pose_of(frame, axis)
            values = (turn[:3, :3] @ values).tolist()
        found = unit(values)
        if found is None:
            axis.fail(f"the axis of joint {joint.name!r} is zero")
        self.limit(axis, joint, written)
        mimic = axis.find("mimic")
        if mimic is not None:
            joint.mimic = MimicSpec(
                mimic.need("joint"),
                self.value(mimic, "multiplier", 1.0),
                self.value(mimic, "offset", 0.0),
            )
            if self.value(mimic, "reference", 0.0) != 0:
                joint.mimic.offset -= joint.mimic.scale * self.value(mimic, "reference", 0.0)
        return found

    def limit(self, axis: Element, joint: JointSpec, written: str) -> None:
        dynamics, limit = axis.find("dynamics"), axis.find("limit")
        if dynamics is not None:
            joint.damping = self.value(dynamics, "damping", 0.0)
            joint.friction = self.value(dynamics, "friction", 0.0)
        if limit is None:
            return
        for tag in ("effort", "velocity"):
            value = self.limit_number(limit, tag, -1.0)
            if 0 <= value < _NO_LIMIT:
                setattr(joint, tag, value)
        if written == "continuous":
            return
        lower = self.limit_number(limit, "lower", -_NO_LIMIT)
        upper = self.limit_number(limit, "upper", _NO_LIMIT)
        if lower > upper:
            limit.fail(f"the limits of joint {joint.name!r} are reversed: {lower} to {upper}")
        low = lower if lower > -_NO_LIMIT else -np.inf
        high = upper if upper < _NO_LIMIT else np.inf
        if joint.kind == "universal":
            # The limits of axis come first, then those of axis2.
            before = joint.limits() if joint.lower is not None else ([], [])
            if axis.tag == "axis":
                joint.lower, joint.upper = [low, -np.inf], [high, np.inf]
            else:
                joint.lower = [before[0][0] if before[0] else -np.inf, low]
                joint.upper = [before[1][0] if before[1] else np.inf, high]
        elif low > -np.inf or high < np.inf:
            joint.lower, joint.upper = low, high

    def limit_number(self, limit: Element, tag: str, default: float) -> float:
        """Return a limit; SDF 1.9 writes "inf" for none, the one place where that word fits."""
        child = limit.find(tag)
        if child is not None and child.content.lower().lstrip("+-") in ("inf", "infinity"):
            return -_NO_LIMIT if child.content.startswith("-") else _NO_LIMIT
        return self.value(limit, tag, default)

    def frame(self, element: Element) -> None:
        """Keep a frame that hangs, directly or by other frames, on a link."""
        name, at, trail = element.need("name"), element, dict[str, None]()
        while at.tag != "link":
            if at.tag == "joint":
                above = at.need_child("child").content
            else:
                above = at.attributes.get("attached_to", "") or self.start(at)
            if above not in self.named or above in trail:
                self.spec.notes.append(f"the frame {name!r} hangs on no link: left out")
                return
            trail[above] = None
            above = self.hung.get(above, above)
            at = self.named[above]
        link = at.need("name")
        self.hung.update(dict.fromkeys(trail, link))
        self.spec.frames.append(FrameSpec(name, link, self.between(link, name, element)))
