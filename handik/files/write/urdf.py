"""A `ModelSpec` as URDF."""

from __future__ import annotations

from math import inf

import numpy as np
from numpy.typing import NDArray

from handik.errors import UnsupportedError
from handik.files.read._geometry import side_axis, unit
from handik.files.read.urdf import NO_LIMIT
from handik.files.write._text import figures, inertia_cells, rpy, settle, swing_lost, xml_name
from handik.spec import GeometrySpec, JointSpec, LinkSpec, ModelSpec, SwingMimicSpec
from handik.spec._given import of_class

__all__ = ["to_urdf"]

Array = NDArray[np.float64]


def to_urdf(spec: ModelSpec, lost: list[str] | None = None) -> str:
    """Return a spec as the text of a URDF file.

    Parameters
    ----------
    spec : ModelSpec
        The tree; it is checked.
    lost : list, optional
        Takes a sentence for everything that URDF cannot hold: frames (which become links),
        drives, cones, limits of floating and planar joints, the chosen tip.

    Returns
    -------
    str
        The document.

    Raises
    ------
    UnsupportedError
        For joints that URDF has not (cylindrical, universal, ball, and planar ones whose slides
        URDF would choose otherwise); without `lost`, for anything else that it cannot hold.
    ModelError
        When the spec is not sound.

    Notes
    -----
    URDF demands an effort, a speed and two limits of every hinge and slide that has any. Where the
    spec has none, 1e16 is written, which `handik.files.read.urdf.read_urdf` takes for none.

    Examples
    --------
    >>> import handik as hk
    >>> lost = []
    >>> '<robot name="chain">' in to_urdf(hk.chain([1.0]).spec, lost)
    True
    """
    of_class("spec", spec, ModelSpec).check()
    found: list[str] = []
    rows = ['<?xml version="1.0"?>', f"<robot name={xml_name(spec.name)}>"]
    for link in spec.links:
        rows += _link(link)
    for joint in spec.joints:
        rows += _joint(joint, found)
    for frame in spec.frames:
        found.append(f"frame {frame.name!r} as such: it becomes a link")
        rows.append(f"  <link name={xml_name(frame.name)}/>")
        rows.append(f'  <joint name={xml_name(frame.name + "__frame")} type="fixed">')
        rows.append(f"    {_origin(frame.placement)}")
        rows.append(
            f"    <parent link={xml_name(frame.link)}/><child link={xml_name(frame.name)}/></joint>"
        )
    if spec.tip is not None:
        found.append(f"the chosen tip {spec.tip!r}")
    settle("URDF", found, lost)
    return "\n".join([*rows, "</robot>", ""])


def _origin(placement: Array) -> str:
    place = np.asarray(placement, dtype=float)
    return f'<origin xyz="{figures(place[:3, 3])}" rpy="{figures(rpy(place))}"/>'


def _link(link: LinkSpec) -> list[str]:
    rows = [f"  <link name={xml_name(link.name)}>"]
    body = link.inertial
    if body is not None:
        rows.append(f'    <inertial><origin xyz="{figures(body.center)}"/>')
        rows.append(f'      <mass value="{float(body.mass)!r}"/>')
        words = " ".join(f'{key}="{value!r}"' for key, value in inertia_cells(body.inertia))
        rows.append(f"      <inertia {words}/></inertial>")
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        rows += [_shape(tag, shape) for shape in shapes]
    return [*rows, "  </link>"]


def _shape(tag: str, shape: GeometrySpec) -> str:
    name = "" if shape.name is None else f" name={xml_name(shape.name)}"
    if shape.kind == "box":
        form = f'<box size="{figures(shape.size or ())}"/>'
    elif shape.kind == "mesh":
        form = f'<mesh filename={xml_name(shape.uri or "")} scale="{figures(shape.scale)}"/>'
    else:
        length = "" if shape.kind == "sphere" else f' length="{float(shape.length or 0)!r}"'
        form = f'<{shape.kind} radius="{float(shape.radius or 0)!r}"{length}/>'
    color = ""
    if shape.color is not None:
        color = f'<material name=""><color rgba="{figures(shape.color)}"/></material>'
    return f"    <{tag}{name}>{_origin(shape.placement)}<geometry>{form}</geometry>{color}</{tag}>"


def _type(joint: JointSpec, found: list[str]) -> str:
    """URDF's word for the kind."""
    lower, upper = joint.limits()
    if joint.kind == "revolute":
        return "continuous" if lower[0] == -inf and upper[0] == inf else "revolute"
    if joint.kind == "prismatic":
        return "prismatic"
    if joint.kind == "planar":
        axis = unit([*map(float, joint.axis)])
        side = unit([*map(float, joint.axis2 or ())])
        assert axis is not None  # by the check of the spec
        assert side is not None
        if np.abs(np.subtract(side, side_axis(axis))).max() > 1e-12:
            raise UnsupportedError(
                f"joint {joint.name!r}: URDF chooses the slides of a planar joint itself"
            )
    elif joint.kind not in ("fixed", "free"):
        raise UnsupportedError(f"joint {joint.name!r}: URDF has no {joint.kind} joint")
    if any(-inf < value for value in lower) or any(value < inf for value in upper):
        found.append(f"the limits of the {joint.kind} joint {joint.name!r}")
    return {"free": "floating"}.get(joint.kind, joint.kind)


def _joint(joint: JointSpec, found: list[str]) -> list[str]:
    word = _type(joint, found)
    rows = [
        f'  <joint name={xml_name(joint.name)} type="{word}">',
        f"    {_origin(joint.placement)}",
    ]
    rows.append(f"    <parent link={xml_name(joint.parent)}/><child link={xml_name(joint.child)}/>")
    if joint.kind not in ("fixed", "free"):
        rows.append(f'    <axis xyz="{figures(joint.axis)}"/>')
    if word in ("revolute", "prismatic"):
        (low,), (high,) = joint.limits()
        cells = [("lower", max(low, -NO_LIMIT)), ("upper", min(high, NO_LIMIT))]
    else:
        cells = []
    if cells or joint.effort is not None or joint.velocity is not None:
        # The format demands both of every limit.
        for key, value in (("effort", joint.effort), ("velocity", joint.velocity)):
            cells.append((key, NO_LIMIT if value is None else float(value)))
        words = " ".join(f'{key}="{float(value)!r}"' for key, value in cells)
        rows.append(f"    <limit {words}/>")
    if joint.damping or joint.friction:
        damping, friction = float(joint.damping), float(joint.friction)
        rows.append(f'    <dynamics damping="{damping!r}" friction="{friction!r}"/>')
    if isinstance(joint.mimic, SwingMimicSpec):
        found.append(swing_lost(joint))
    elif joint.mimic is not None:
        rows.append(
            f"    <mimic joint={xml_name(joint.mimic.joint)} "
            f'multiplier="{float(joint.mimic.scale)!r}" offset="{float(joint.mimic.offset)!r}"/>'
        )
    if joint.motor is not None:
        found.append(f"the drive of joint {joint.name!r}")
    if joint.cone is not None:
        found.append(f"the cone of joint {joint.name!r}")
    if joint.hold is not None:
        found.append(f"the rotation that joint {joint.name!r} is held at")
    if joint.neutral is not None:
        found.append(f"where joint {joint.name!r} is at ease")
    return [*rows, "  </joint>"]
