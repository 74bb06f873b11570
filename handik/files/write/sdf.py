"""A `ModelSpec` as a model of SDF 1.11."""

from __future__ import annotations

from math import inf
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from handik.errors import UnsupportedError
from handik.files.write._text import figures, inertia_cells, rpy, settle, swing_lost, xml_name
from handik.spec import GeometrySpec, JointSpec, LinkSpec, MimicSpec, ModelSpec, SwingMimicSpec
from handik.spec._given import of_class

__all__ = ["to_sdf"]

_WORDS = {
    "fixed": "fixed",
    "revolute": "revolute",
    "prismatic": "prismatic",
    "universal": "universal",
    "ball": "ball",
}


def to_sdf(spec: ModelSpec, lost: list[str] | None = None) -> str:
    """Return a spec as the text of an SDF file with one model.

    Parameters
    ----------
    spec : ModelSpec
        The tree; it is checked. A root called ``world`` is SDF's own world.
    lost : list, optional
        Takes a sentence for everything that SDF cannot hold: drives, cones, the chosen tip, colors
        of collisions, a link without mass (other programs take it for one of 1 kg), and joints or
        frames whose name a link has, which get another.

    Returns
    -------
    str
        The document.

    Raises
    ------
    UnsupportedError
        For joints that SDF has not (cylindrical, planar, free), and a link called ``world`` that
        is not the root; without `lost`, for anything else that it cannot hold.
    ModelError
        When the spec is not sound.

    Examples
    --------
    >>> import handik as hk
    >>> lost = []
    >>> '<model name="chain">' in to_sdf(hk.chain([1.0]).spec, lost)
    True
    """
    of_class("spec", spec, ModelSpec).check()
    found: list[str] = []
    names = _names(spec, found)
    above = {joint.child: names["joint", joint.name] for joint in spec.joints}
    rows = ['<?xml version="1.0"?>', '<sdf version="1.11">', f"<model name={xml_name(spec.name)}>"]
    for link in spec.links:
        if link.name == "world":
            if link.name != spec.root:
                raise UnsupportedError("a link called 'world' is the root of an SDF")
            if link.inertial is not None or link.visuals or link.collisions:
                found.append("the mass and the shapes of the world")
            continue
        rows += _link(link, above.get(link.name), found)
    for joint in spec.joints:
        rows += _joint(joint, names, found)
    for frame in spec.frames:
        if frame.link == "world":
            found.append(f"frame {frame.name!r}, which is on the world")
            continue
        label = xml_name(names["frame", frame.name])
        rows.append(f"  <frame name={label} attached_to={xml_name(frame.link)}>")
        rows.append(f"    {_pose(frame.placement, frame.link)}</frame>")
    if spec.tip is not None:
        found.append(f"the chosen tip {spec.tip!r}")
    settle("SDF", found, lost)
    return "\n".join([*rows, "</model>", "</sdf>", ""])


def _names(spec: ModelSpec, found: list[str]) -> dict[tuple[str, str], str]:
    """Return a name for every joint and frame: SDF has one set of names for them and the links."""
    taken = {link.name for link in spec.links} | {"world", "__model__"}
    out: dict[tuple[str, str], str] = {}
    for what, items in (("joint", spec.joints), ("frame", spec.frames)):
        for item in items:
            name, count = item.name, 1
            while name in taken:
                name = f"{item.name}_{what}" + (f"_{count}" if count > 1 else "")
                count += 1
            if name != item.name:
                found.append(f"the name of {what} {item.name!r}, which is taken: called {name!r}")
            taken.add(name)
            out[what, item.name] = name
    return out


def _pose(placement: Any, relative: str | None = None) -> str:
    place = np.asarray(placement, dtype=float)
    start = "" if relative is None else f" relative_to={xml_name(relative)}"
    return f"<pose{start}>{figures([*place[:3, 3], *rpy(place)])}</pose>"


def _text(value: str) -> str:
    """Return a text between tags; what an attribute could not hold is refused."""
    xml_name(value)
    return escape(value)


def _cell(tag: str, value: float) -> str:
    return f"<{tag}>{float(value)!r}</{tag}>"


def _link(link: LinkSpec, joint: str | None, found: list[str]) -> list[str]:
    rows = [f"  <link name={xml_name(link.name)}>"]
    if joint is not None:
        rows.append(f"    <pose relative_to={xml_name(joint)}>0 0 0 0 0 0</pose>")
    body = link.inertial
    if body is None:
        found.append(f"that link {link.name!r} has no mass")
    else:
        rows.append(f"    <inertial><pose>{figures(body.center)} 0 0 0</pose>")
        rows.append(f"      {_cell('mass', body.mass)}<inertia>")
        inner = "".join(_cell(key, value) for key, value in inertia_cells(body.inertia))
        rows.append(f"      {inner}</inertia></inertial>")
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        taken = {shape.name for shape in shapes if shape.name is not None}
        for count, shape in enumerate(shapes):
            name = shape.name
            while name is None or (shape.name is None and name in taken):
                name = f"{tag}_{count}" if name is None else f"{name}_"
            rows.append(_shape(tag, name, shape, found))
    return [*rows, "  </link>"]


def _shape(tag: str, name: str, shape: GeometrySpec, found: list[str]) -> str:
    if shape.kind == "box":
        form = f"<box><size>{figures(shape.size or ())}</size></box>"
    elif shape.kind == "mesh":
        scale = f"<scale>{figures(shape.scale)}</scale>"
        form = f"<mesh><uri>{_text(shape.uri or '')}</uri>{scale}</mesh>"
    else:
        length = "" if shape.kind == "sphere" else _cell("length", shape.length or 0)
        form = f"<{shape.kind}>{_cell('radius', shape.radius or 0)}{length}</{shape.kind}>"
    color = ""
    if shape.color is not None and tag == "visual":
        color = f"<material><diffuse>{figures(shape.color)}</diffuse></material>"
    elif shape.color is not None:
        found.append(f"the color of collision {name!r}")
    place = _pose(shape.placement)
    head = f"    <{tag} name={xml_name(name)}>{place}"
    return f"{head}<geometry>{form}</geometry>{color}</{tag}>"


def _joint(joint: JointSpec, names: dict[tuple[str, str], str], found: list[str]) -> list[str]:
    word = _WORDS.get(joint.kind)
    if word is None:
        raise UnsupportedError(f"joint {joint.name!r}: SDF has no {joint.kind} joint")
    lower, upper = joint.limits()
    if word == "revolute" and lower[0] == -inf and upper[0] == inf:
        word = "continuous"
    rows = [f'  <joint name={xml_name(names["joint", joint.name])} type="{word}">']
    rows.append(f"    <parent>{_text(joint.parent)}</parent><child>{_text(joint.child)}</child>")
    rows.append(f"    {_pose(joint.placement, joint.parent)}")
    axes = {"universal": ("axis", "axis2"), "fixed": (), "ball": ()}.get(joint.kind, ("axis",))
    for tag, low, high in zip(axes, lower, upper, strict=False):
        rows += _axis(joint, tag, low, high, names)
    if isinstance(joint.mimic, SwingMimicSpec):
        found.append(swing_lost(joint))
    if not axes:
        if joint.mimic is not None:
            found.append(f"the mimic of joint {joint.name!r}")
        if joint.damping or joint.friction or joint.effort or joint.velocity:
            found.append(f"friction, effort and velocity of the {joint.kind} joint {joint.name!r}")
    if joint.motor is not None:
        found.append(f"the drive of joint {joint.name!r}")
    if joint.cone is not None:
        found.append(f"the cone of joint {joint.name!r}")
    if joint.hold is not None:
        found.append(f"the rotation that joint {joint.name!r} is held at")
    if joint.neutral is not None:
        found.append(f"where joint {joint.name!r} is at ease")
    return [*rows, "  </joint>"]


def _axis(
    joint: JointSpec, tag: str, low: float, high: float, names: dict[tuple[str, str], str]
) -> list[str]:
    xyz = joint.axis if tag == "axis" else joint.axis2
    rows = [f"    <{tag}><xyz>{figures(xyz or ())}</xyz>"]
    cells = [
        _cell(key, value) for key, value in (("lower", low), ("upper", high)) if abs(value) < inf
    ]
    for key, value in (("effort", joint.effort), ("velocity", joint.velocity)):
        if value is not None:
            cells.append(_cell(key, value))
    if cells:
        rows.append(f"      <limit>{''.join(cells)}</limit>")
    if joint.damping or joint.friction:
        inner = _cell("damping", joint.damping) + _cell("friction", joint.friction)
        rows.append(f"      <dynamics>{inner}</dynamics>")
    if isinstance(joint.mimic, MimicSpec):
        other = xml_name(names["joint", joint.mimic.joint])
        inner = _cell("multiplier", joint.mimic.scale) + _cell("offset", joint.mimic.offset)
        rows.append(f"      <mimic joint={other}>{inner}<reference>0</reference></mimic>")
    rows.append(f"    </{tag}>")
    return rows
