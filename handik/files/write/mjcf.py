"""A `ModelSpec` as an MJCF file of MuJoCo."""

from __future__ import annotations

from collections import Counter
from math import inf
from typing import Any

import numpy as np

from handik.errors import UnsupportedError
from handik.files.write._text import figures, settle, swing_lost, xml_name
from handik.spec import GeometrySpec, JointSpec, LinkSpec, MimicSpec, ModelSpec, SwingMimicSpec

__all__ = ["to_mjcf"]

Vector = tuple[float, float, float]
#: Width of the range of a joint that is held (over its value, where that is more than 1): MuJoCo
#: refuses a range with equal ends.
RANGE = 1e-15
#: MuJoCo refuses a ``fullinertia`` with an eigenvalue below this, kg m2.
LEAST_INERTIA = 1e-14


def to_mjcf(spec: ModelSpec, lost: list[str] | None = None) -> str:
    """Return a spec as the text of an MJCF file, without actuators.

    Parameters
    ----------
    spec : ModelSpec
        The tree; it is checked. A root called ``world`` is MuJoCo's own; another becomes a body
        fixed in it. The coordinates keep their order, but for bodies whose joints the tree lists
        in another order than parents first.
    lost : list, optional
        Takes a sentence for everything that MJCF cannot hold: joints of several coordinates as
        such (they become hinges and slides), drives as such (they become armature and friction of
        the joint), one-sided limits, cones, greatest speeds, names of fixed joints, names of
        shapes that several have, the chosen tip.

    Returns
    -------
    str
        The document.

    Raises
    ------
    UnsupportedError
        For a free joint that does not stand in the world's frame, and a link called ``world`` that
        is not the root; without `lost`, for anything else that the format cannot hold.
    ModelError
        When the spec is not sound.

    Notes
    -----
    MuJoCo itself finds meshes by the name of a file alone, wants mass in each body that moves, and
    refuses an inertia that no body can have (A + B < C).
    An inertia without full rank is written about its principal axes, which MuJoCo takes.

    Examples
    --------
    >>> import handik as hk
    >>> to_mjcf(hk.chain([1.0]).spec, []).startswith("<mujoco")
    True
    """
    return _Writer(spec).write(lost)


class _Writer:
    """One spec on its way to a document."""

    def __init__(self, spec: ModelSpec) -> None:
        spec.check()
        self.spec = spec
        self.found: list[str] = []
        self.links = {link.name: link for link in spec.links}
        self.meshes: dict[tuple[str, Vector], str] = {}
        shapes = [s.name for link in spec.links for s in (*link.visuals, *link.collisions)]
        self.repeated = {name for name, n in Counter(shapes).items() if name is not None and n > 1}

    def write(self, lost: list[str] | None) -> str:
        spec = self.spec
        body = self.bodies()
        rows = [f"<mujoco model={xml_name(spec.name)}>"]
        rows.append('  <compiler angle="radian" inertiafromgeom="false"/>')
        if self.meshes:
            rows.append("  <asset>")
            for (uri, scale), name in self.meshes.items():
                cells = f'name={xml_name(name)} file={xml_name(uri)} scale="{figures(scale)}"'
                rows.append(f"    <mesh {cells}/>")
            rows.append("  </asset>")
        rows += ["  <worldbody>", *body, "  </worldbody>"]
        mimics = [(joint, joint.mimic) for joint in spec.joints if joint.mimic is not None]
        self.found += [
            swing_lost(joint) for joint, mimic in mimics if isinstance(mimic, SwingMimicSpec)
        ]
        followers = [(joint, mimic) for joint, mimic in mimics if isinstance(mimic, MimicSpec)]
        if followers:
            rows.append("  <equality>")
            for joint, mimic in followers:
                line = figures([mimic.offset, mimic.scale, 0, 0, 0])
                pair = f"joint1={xml_name(joint.name)} joint2={xml_name(mimic.joint)}"
                rows.append(f'    <joint {pair} polycoef="{line}"/>')
            rows.append("  </equality>")
        if spec.tip is not None:
            self.found.append(f"the chosen tip {spec.tip!r}")
        settle("MJCF", self.found, lost)
        return "\n".join([*rows, "</mujoco>", ""])

    def bodies(self) -> list[str]:
        """Return the bodies, each inside the one that carries it, without recursion."""
        spec = self.spec
        rows: list[str] = []
        below: dict[str, list[JointSpec]] = {}
        for below_it in spec.joints:
            below.setdefault(below_it.parent, []).append(below_it)
        frames: dict[str, list[Any]] = {}
        for frame in spec.frames:
            frames.setdefault(frame.link, []).append(frame)
        root = JointSpec("", "fixed", "", spec.root)
        stack: list[JointSpec | None] = [root]
        joint: JointSpec | None
        while stack:
            joint = stack.pop()
            if joint is None:  # all that the body carries is written
                rows.append("    </body>")
                continue
            link = self.links[joint.child]
            if link.name == "world":
                if joint is not root:
                    raise UnsupportedError("a link called 'world' is the root of an MJCF")
                if link.inertial is not None:
                    self.found.append("the mass of the world")
            else:
                if joint is root:
                    self.found.append(f"the root {link.name!r} as such: it is fixed in a world")
                rows += self.body(joint, link)
                stack.append(None)
            rows += self.shapes(link)
            for frame in frames.get(link.name, ()):
                rows.append(f"      <site name={xml_name(frame.name)} {_place(frame.placement)}/>")
            stack += below.get(link.name, [])[::-1]
        return rows

    def body(self, joint: JointSpec, link: LinkSpec) -> list[str]:
        place = np.asarray(joint.placement, dtype=float)
        rows = [f"    <body name={xml_name(link.name)} {_place(place)}>"]
        if joint.kind == "free":
            if joint.parent != "world" or not np.array_equal(place, np.eye(4)):
                raise UnsupportedError(
                    f"joint {joint.name!r}: a free joint of MuJoCo stands in the world's frame"
                )
            rows.append(f"      <freejoint name={xml_name(joint.name)}/>")
            self.plain(joint)
        elif joint.kind == "fixed":
            if joint.name not in ("", f"{link.name}_fixed"):
                self.found.append(f"the name of the fixed joint {joint.name!r}")
            self.plain(joint)
        else:
            rows += self.joint(joint)
        body = link.inertial
        if body is not None:
            cells = f'pos="{figures(body.center)}" mass="{float(body.mass)!r}"'
            rows.append(f"      <inertial {cells} {_inertia(body.inertia)}/>")
        return rows

    def plain(self, joint: JointSpec) -> None:
        """Say what a joint without fields leaves behind."""
        lower, upper = joint.limits()
        bounded = any(abs(value) < inf for value in (*lower, *upper))
        if bounded or joint.damping or joint.friction or joint.motor or joint.effort:
            self.found.append(
                f"limits, friction, drive and effort of the {joint.kind} joint {joint.name!r}"
            )
        if joint.velocity is not None:
            self.found.append(f"velocity of joint {joint.name!r}")

    def joint(self, joint: JointSpec) -> list[str]:
        lower, upper = joint.limits()
        parts = _parts(joint)
        if len(parts) > 1:
            self.found.append(f"the {joint.kind} joint {joint.name!r} as such")
        if joint.cone is not None:
            self.found.append(f"the cone of joint {joint.name!r}")
        if joint.hold is not None:
            self.found.append(f"the rotation that joint {joint.name!r} is held at")
        if joint.neutral is not None:
            self.found.append(f"where joint {joint.name!r} is at ease")
        if joint.velocity is not None:
            self.found.append(f"velocity of joint {joint.name!r}")
        shared = self.drive(joint)
        rows = []
        for count, (word, axis) in enumerate(parts):
            name = joint.name if not count else f"{joint.name}__{count + 1}"
            cells = f'name={xml_name(name)} type="{word}"'
            if axis is not None:
                cells += f' axis="{figures(axis)}"' + self.range(name, lower[count], upper[count])
            rows.append(f"      <joint {cells}{shared}/>")
        return rows

    def drive(self, joint: JointSpec) -> str:
        """Cells of rotor, friction and effort."""
        damping, friction, rotor = float(joint.damping), float(joint.friction), 0.0
        if (motor := joint.motor) is not None:
            rotor = motor.inertia * motor.gear**2
            damping += motor.viscous * motor.gear**2
            friction += motor.coulomb * abs(motor.gear)
            if motor.gear != 1 or motor.viscous or motor.coulomb or not motor.inertia:
                self.found.append(f"the drive of joint {joint.name!r} as such")
        known = (("armature", rotor), ("damping", damping), ("frictionloss", friction))
        cells = "".join(f' {key}="{value!r}"' for key, value in known if value)
        if joint.effort == 0:
            self.found.append(f"the effort 0 of joint {joint.name!r}")
        elif joint.effort is not None:
            force = figures([-abs(joint.effort), abs(joint.effort)])
            cells += f' actuatorfrcrange="{force}"'
        return cells

    def range(self, name: str, low: float, high: float) -> str:
        """Cells of the limits, which MuJoCo has on both sides or none, and never equal."""
        if low == high:
            high = low + RANGE * max(1.0, abs(low))
            self.found.append(f"the equal limits of joint {name!r}: its range is {RANGE} wide")
        if -inf < low and high < inf:
            return f' limited="true" range="{figures([low, high])}"'
        if -inf < low or high < inf:
            self.found.append(f"the one-sided limit of joint {name!r}")
        return ""

    def shapes(self, link: LinkSpec) -> list[str]:
        rows = []
        for shape in link.visuals:
            rows.append(self.geom(shape, ' contype="0" conaffinity="0"'))
        for shape in link.collisions:
            rows.append(self.geom(shape, ""))
        return rows

    def geom(self, shape: GeometrySpec, more: str) -> str:
        if shape.name in self.repeated:
            self.found.append(f"the name {shape.name!r} that several shapes have")
        elif shape.name is not None:
            more += f" name={xml_name(shape.name)}"
        if shape.color is not None:
            more += f' rgba="{figures(shape.color)}"'
        if shape.kind == "mesh":
            x, y, z = shape.scale
            key = (shape.uri or "", (float(x), float(y), float(z)))
            name = self.meshes.setdefault(key, f"mesh_{len(self.meshes)}")
            form = f'type="mesh" mesh={xml_name(name)}'
        elif shape.kind == "box":
            form = f'type="box" size="{figures(0.5 * value for value in shape.size or ())}"'
        else:
            size = [shape.radius or 0.0]
            if shape.kind != "sphere":
                size.append(0.5 * (shape.length or 0.0))
            form = f'type="{shape.kind}" size="{figures(size)}"'
        return f"      <geom {form} {_place(shape.placement)}{more}/>"


def _place(placement: Any) -> str:
    """Position, and the x and y axes, which lose no more than rounding."""
    place = np.asarray(placement, dtype=float)
    return f'pos="{figures(place[:3, 3])}" xyaxes="{figures([*place[:3, 0], *place[:3, 1]])}"'


def _inertia(inertia: Any) -> str:
    """Six numbers, or principal axes where MuJoCo would refuse those: a rod, a point, nothing."""
    i = np.asarray(inertia, dtype=float)
    values, axes = np.linalg.eigh(i)
    if values[0] >= 2 * LEAST_INERTIA + 1e-14 * values[2]:
        return f'fullinertia="{figures([i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]])}"'
    if not i.any():
        return 'diaginertia="0 0 0"'
    values[np.abs(values) <= 1e-15 * values[2]] = 0.0  # what rounding made of zero
    # Rounding, which depends on the processor, may put a rod's largest moment above the sum of the
    # others, and MuJoCo refuses that. What no body can have is left for it to refuse.
    if 0.0 < values[2] - (values[0] + values[1]) <= 1e-14 * values[2]:
        values[2] = values[0] + values[1]
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    turned = figures([*axes[:, 0], *axes[:, 1]])
    return f'diaginertia="{figures(values)}" xyaxes="{turned}"'


def _parts(joint: JointSpec) -> list[tuple[str, Vector | None]]:
    """MuJoCo's joints that move as one of handik's, in the order of its coordinates."""
    axis, side = joint.axis, joint.axis2
    if joint.kind == "ball":
        return [("ball", None)]
    if joint.kind == "prismatic":
        return [("slide", axis)]
    if joint.kind == "cylindrical":
        return [("hinge", axis), ("slide", axis)]
    if joint.kind == "universal":
        return [("hinge", axis), ("hinge", side)]
    if joint.kind == "planar":
        x, y, z = np.cross(np.asarray(axis, dtype=float), np.asarray(side, dtype=float)).tolist()
        return [("slide", side), ("slide", (x, y, z)), ("hinge", axis)]
    return [("hinge", axis)]
