"""Parts of MJCF bodies: attributes with defaults, orientations, geoms and their masses."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi, radians, sqrt

import numpy as np
from numpy.typing import NDArray

from handik.files.read._geometry import axis_rotation, pose, quaternion_rotation, unit
from handik.files.read._xml import Element, number, numbers
from handik.spec import GeometrySpec, InertialSpec

__all__ = ["Fields", "geom", "orientation", "own_inertial"]

Array = NDArray[np.float64]
_IDENTITY = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
_SHAPES = ("sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh", "plane", "hfield", "sdf")
#: How many sizes a shape needs, and how many of them ``fromto`` gives.
_SIZES = {"sphere": 1, "capsule": 2, "cylinder": 2, "box": 3, "ellipsoid": 3}


class Fields:
    """The attributes of an element over those of its class, and errors at the element."""

    def __init__(self, element: Element, attributes: dict[str, str]) -> None:
        self.element = element
        self.attributes = attributes

    def get(self, key: str, default: str | None = None) -> str | None:
        """Return an attribute as written."""
        return self.attributes.get(key, default)

    def number(self, key: str, default: float) -> float:
        """Return an attribute as one finite number."""
        written = self.attributes.get(key)
        if written is None:
            return default
        try:
            return number(written.strip())
        except ValueError as error:
            self.element.fail(f"{key}: {error}")

    def numbers(self, key: str, count: int | None, default: Sequence[float]) -> Sequence[float]:
        """Return an attribute as `count` finite numbers (one or more of them for None)."""
        written = self.attributes.get(key)
        if written is None:
            return default
        try:
            found = numbers(written, count)
            if not found:
                raise ValueError("a number is missing")
        except ValueError as error:
            self.element.fail(f"{key}: {error}")
        return found

    def word(self, key: str, default: str, allowed: Sequence[str]) -> str:
        """Return an attribute that is one of a few words."""
        written = self.attributes.get(key, default)
        if written not in allowed:
            self.element.fail(f"{key} is {written!r}, none of " + ", ".join(allowed))
        return written

    def flag(self, key: str, default: bool) -> bool:
        """Return an attribute that is true or false."""
        return self.word(key, "true" if default else "false", ("true", "false")) == "true"


def _z_rotation(direction: Sequence[float]) -> list[list[float]]:
    """Return the shortest turn that takes z into a unit direction."""
    x, y, z = direction
    side = sqrt(x * x + y * y)
    if side < 1e-10:
        return _IDENTITY if z > 0 else axis_rotation((1.0, 0.0, 0.0), pi)
    # The axis z x direction; cosine z, sine side: no angle is needed.
    a, b, t = -y / side, x / side, 1 - z
    return [
        [z + t * a * a, t * a * b, side * b],
        [t * a * b, z + t * b * b, -side * a],
        [-x, -y, z],
    ]


def orientation(fields: Fields, degrees: bool, sequence: str) -> Sequence[Sequence[float]]:
    """Return the rows of the rotation that the attributes write in one of five ways."""
    element, written = fields.element, fields.attributes
    if "axisangle" in written:
        *axis, angle = fields.numbers("axisangle", 4, ())
        found = unit(axis)
        if found is None:
            element.fail("axisangle: the axis is zero")
        return axis_rotation(found, radians(angle) if degrees else angle)
    if "xyaxes" in written:
        return _xy_rotation(fields)
    if "zaxis" in written:
        direction = unit(fields.numbers("zaxis", 3, ()))
        if direction is None:
            element.fail("zaxis is zero")
        return _z_rotation(direction)
    if "euler" in written:
        turn = np.eye(3)
        for letter, angle in zip(sequence, fields.numbers("euler", 3, ()), strict=True):
            axis = [float(letter.lower() == name) for name in "xyz"]
            step = np.array(axis_rotation(axis, radians(angle) if degrees else angle))
            # Small letters turn about the axes as moved so far, capital ones about fixed axes.
            turn = turn @ step if letter.islower() else step @ turn
        return turn.tolist()
    if "quat" in written:
        w, x, y, z = fields.numbers("quat", 4, ())
        try:
            return quaternion_rotation(w, x, y, z)
        except ValueError as error:
            element.fail(f"quat: {error}")
    return _IDENTITY


def _xy_rotation(fields: Fields) -> list[list[float]]:
    six = fields.numbers("xyaxes", 6, ())
    x = unit(six[:3])
    if x is None:
        fields.element.fail("xyaxes: the x axis is zero")
    along = sum(a * b for a, b in zip(x, six[3:], strict=True))
    y = unit([b - along * a for a, b in zip(x, six[3:], strict=True)])
    if y is None:
        fields.element.fail("xyaxes: the y axis is zero or along x")
    z = np.cross(x, y).tolist()
    return [[x[i], y[i], z[i]] for i in range(3)]


def own_inertial(fields: Fields, placement: Array) -> InertialSpec:
    """Return what an <inertial> says, in the axes of its body."""
    if "mass" not in fields.attributes:
        fields.element.fail("the attribute 'mass' is missing")
    mass = fields.number("mass", 0.0)
    if mass < 0:
        fields.element.fail(f"the mass is negative: {mass}")
    if "fullinertia" in fields.attributes:
        xx, yy, zz, xy, xz, yz = fields.numbers("fullinertia", 6, ())
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    else:
        inertia = np.diag(fields.numbers("diaginertia", 3, (0.0, 0.0, 0.0)))
    turn = placement[:3, :3]
    with np.errstate(over="ignore", invalid="ignore"):  # the check of the spec finds it
        inertia = turn @ inertia @ turn.T
        inertia = 0.5 * (inertia + inertia.T)
    return InertialSpec(mass, placement[:3, 3].copy(), inertia)


def geom(
    fields: Fields, degrees: bool, sequence: str, what: str = "geom"
) -> tuple[GeometrySpec | None, InertialSpec | None]:
    """Return the shape of a geom, None where handik has none, and its mass, None for a mesh."""
    kind = fields.word("type", "sphere", _SHAPES)
    if "mesh" in fields.attributes and kind == "sphere":
        kind = "mesh"
    size = list(fields.numbers("size", None, ()))
    placement = pose(
        fields.numbers("pos", 3, (0.0, 0.0, 0.0)), orientation(fields, degrees, sequence)
    )
    if "fromto" in fields.attributes and kind in _SIZES and kind != "sphere":
        placement, half = _between(fields)
        if size:
            size = [size[0], half] if _SIZES[kind] == 2 else [size[0], size[0], half]
    if kind in ("plane", "hfield"):
        return None, InertialSpec(0.0)
    if kind in ("mesh", "sdf"):
        shape = None if kind == "sdf" else GeometrySpec("mesh", placement)
        known = fields.number("mass", -1.0) == 0 or fields.number("density", 1000.0) == 0
        _finish(fields, shape)
        return shape, InertialSpec(0.0) if known else None
    size = _sizes(fields, kind, size, what)
    shape = None if kind == "ellipsoid" else _solid(kind, size, placement)
    _finish(fields, shape)
    return shape, _mass(fields, kind, size, placement)


def _sizes(fields: Fields, kind: str, size: list[float], what: str) -> list[float]:
    """Return the sizes of a solid, as many as it needs; a site without them has those of MuJoCo."""
    if len(size) < _SIZES[kind]:
        if what != "site":
            fields.element.fail(f"a {kind} needs {_SIZES[kind]} sizes, found {len(size)}")
        size = [*size, 1.0, 1.0, 1.0]
    if min(size) < 0:
        fields.element.fail(f"the size of the {kind} is negative")
    return size


def _solid(kind: str, size: list[float], placement: Array) -> GeometrySpec:
    shape = GeometrySpec(kind, placement)
    if kind == "box":
        shape.size = (2 * size[0], 2 * size[1], 2 * size[2])
    else:
        shape.radius = size[0]
        shape.length = 2 * size[1] if kind in ("capsule", "cylinder") else None
    return shape


def _finish(fields: Fields, shape: GeometrySpec | None) -> None:
    if shape is not None:
        shape.name = fields.element.get("name")
        if "rgba" in fields.attributes:
            r, g, b, a = fields.numbers("rgba", 4, ())
            shape.color = (r, g, b, a)


def _between(fields: Fields) -> tuple[Array, float]:
    """Return the placement of a shape between two points, and half its length."""
    six = fields.numbers("fromto", 6, ())
    ends = [b - a for a, b in zip(six[:3], six[3:], strict=True)]
    # The z axis points from the second point to the first.
    direction = unit([-value for value in ends])
    if direction is None:
        fields.element.fail("fromto: both points are the same")
    middle = [0.5 * (a + b) for a, b in zip(six[:3], six[3:], strict=True)]
    return pose(middle, _z_rotation(direction)), 0.5 * sqrt(sum(v * v for v in ends))


def _mass(fields: Fields, kind: str, size: Sequence[float], placement: Array) -> InertialSpec:
    """Return the mass of a solid, or of a shell, and its inertia in the axes of the body."""
    shell = fields.word("shellinertia", "false", ("false", "true")) == "true"
    amount, about = (_shell_moments if shell else _solid_moments)(kind, size)
    mass = fields.number("mass", fields.number("density", 1000.0) * amount)
    if mass < 0:
        fields.element.fail(f"the mass is negative: {mass}")
    turn = placement[:3, :3]
    return InertialSpec(mass, placement[:3, 3].copy(), turn @ np.diag(about) @ turn.T * mass)


def _solid_moments(kind: str, size: Sequence[float]) -> tuple[float, list[float]]:
    """Return the volume, and the moments about the axes of a body of mass one."""
    r = size[0]
    if kind == "sphere":
        return 4 / 3 * pi * r**3, [0.4 * r * r] * 3
    if kind == "box":
        x, y, z = size[:3]
        return 8 * x * y * z, [(y * y + z * z) / 3, (x * x + z * z) / 3, (x * x + y * y) / 3]
    if kind == "ellipsoid":
        x, y, z = size[:3]
        about = [(y * y + z * z) / 5, (x * x + z * z) / 5, (x * x + y * y) / 5]
        return 4 / 3 * pi * x * y * z, about
    h = 2 * size[1]
    ball, rod = (4 / 3 * pi * r**3 if kind == "capsule" else 0.0), pi * r * r * h
    volume = ball + rod
    # Shares of the mass: the rod, and two half balls, whose centers are 3/8 r beyond its ends.
    b, c = (ball / volume, rod / volume) if volume > 0 else (0.0, 1.0)
    side = c * (3 * r * r + h * h) / 12 + b * (0.4 * r * r + h * (2 * h + 3 * r) / 8)
    return volume, [side, side, c * r * r / 2 + b * 0.4 * r * r]


def _shell_moments(kind: str, size: Sequence[float]) -> tuple[float, list[float]]:
    """Return the surface, and the moments about the axes of a shell of mass one."""
    r = size[0]
    if kind == "sphere":
        return 4 * pi * r * r, [2 / 3 * r * r] * 3
    if kind in ("box", "ellipsoid"):
        area, squares = (_box_shell if kind == "box" else _ellipsoid_shell)(*size[:3])
        x, y, z = (square / area if area > 0 else 0.0 for square in squares)
        return area, [y + z, x + z, x + y]
    h, rr = 2 * size[1], r * r
    side, ends = 2 * pi * r * h, (4 if kind == "capsule" else 2) * pi * rr
    area = side + ends
    b, c = (ends / area, side / area) if area > 0 else (0.0, 1.0)
    if kind == "capsule":  # the centre of half a sphere is r / 2 beyond the end of the side
        across, along = 2 / 3 * rr + h * h / 4 + h * r / 2, 2 / 3 * rr
    else:
        across, along = rr / 4 + h * h / 4, rr / 2
    across = c * (rr / 2 + h * h / 12) + b * across
    return area, [across, across, c * rr + b * along]


def _box_shell(x: float, y: float, z: float) -> tuple[float, list[float]]:
    """Return the surface of a box of these half sides, and the integrals of x², y², z² over it."""
    sides = ((x, y, z), (y, z, x), (z, x, y))
    area = 8 * (x * y + y * z + z * x)
    return area, [8 * a * a * (b * c + a * b / 3 + a * c / 3) for a, b, c in sides]


def _ellipsoid_shell(x: float, y: float, z: float) -> tuple[float, list[float]]:
    """Return the same of an ellipsoid, by quadrature: MuJoCo's shell of one is an estimate."""
    height, weight = np.polynomial.legendre.leggauss(64)
    turn = 2 * pi * np.arange(128) / 128
    ring = np.sqrt(1 - height**2)[:, None]
    unit_ = np.stack([ring * np.cos(turn), ring * np.sin(turn), height[:, None] + 0 * turn])
    # The area of a patch: the unit sphere's, times the length of (yz, xz, xy) * its normal.
    patch = np.linalg.norm(unit_ * np.array([y * z, x * z, x * y])[:, None, None], axis=0)
    patch *= weight[:, None] * 2 * pi / 128
    squares = [
        (size * size * axis * axis * patch).sum()
        for size, axis in zip((x, y, z), unit_, strict=True)
    ]
    return float(patch.sum()), [float(value) for value in squares]
