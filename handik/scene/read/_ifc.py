"""IFC, by ifcopenshell: walls, doors, furniture with their names, types and numbers. Meters, z up.

A node's name is the product's and its GlobalId; its tags are the product's class in small letters
and what it is here: ``wall``, ``door``, ``window``, ``floor``, ``furniture``. Doors are taken apart
where they can be (`_ifc_doors`). Spaces and openings
are not solid things and are left out; a storey is a group at the height of its floor, tagged
``storey``.

References
----------
buildingSMART, ISO 16739-1, Industry Foundation Classes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from handik.errors import HandikError
from handik.scene.document import Scene
from handik.scene.nodes import Node
from handik.scene.read._given import Import, package, unique
from handik.scene.read._ifc_doors import door

__all__ = ["importer"]

_TAGS = {
    "ifcwall": "wall", "ifcwallstandardcase": "wall", "ifcdoor": "door", "ifcwindow": "window",
    "ifcslab": "floor", "ifcfurnishingelement": "furniture", "ifcfurniture": "furniture",
    "ifcstair": "stair", "ifcrailing": "rail", "ifccolumn": "column",
}  # fmt: skip
#: Signs of a product's own name that are kept.
_LONGEST = 100
_LEFT_OUT = ("IfcSpace", "IfcOpeningElement", "IfcAnnotation", "IfcGrid")


def importer(wish: Import) -> Scene:
    """Read an ``.ifc``."""
    data = wish.bytes()
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"ISO-10303-21;"):
        wish.fail("it does not begin as an IFC file does")
    if not data.rstrip().endswith(b"END-ISO-10303-21;"):
        wish.fail("it is cut: its last line is not END-ISO-10303-21;")
    geometry = package("ifcopenshell.geom", "ifc", "a file of .ifc")
    ifcopenshell = package("ifcopenshell", "ifc", "a file of .ifc")
    try:
        model = ifcopenshell.file.from_string(data.decode("utf-8", "replace"))
        products = [p for p in model.by_type("IfcProduct") if p.is_a() not in _LEFT_OUT]
        shaped = [p for p in products if p.Representation is not None]
        settings = geometry.settings()
        taken: set[str] = set()
        made = _nodes(wish, geometry, settings, shaped, taken)
        floors = _storeys(wish, model, taken)
    except HandikError:
        raise
    except Exception as error:  # the library's own errors are of every class
        wish.fail(f"ifcopenshell cannot read it: {str(error)[:200] or type(error).__name__}")
    if not made:
        wish.fail("no product of it has a shape that could be made")
    return Scene([*made, *floors], wish.stem)


def _storeys(wish: Import, model: Any, taken: set[str]) -> list[Node]:
    """Return the storeys, by their places, or by the height that they tell where they have none."""
    placement = package("ifcopenshell.util.placement", "ifc", "a file of .ifc")
    unit = package("ifcopenshell.util.unit", "ifc", "a file of .ifc").calculate_unit_scale(model)
    frame, made = wish.frame(1.0, "z"), []
    for storey in model.by_type("IfcBuildingStorey"):
        pose = np.eye(4)
        if storey.ObjectPlacement is not None:
            pose[:3, 3] = unit * placement.get_local_placement(storey.ObjectPlacement)[:3, 3]
        elif storey.Elevation is not None:
            pose[2, 3] = unit * storey.Elevation
        name = _name(storey, taken)
        place = (frame @ pose)[:3, 3]
        made.append(Node(name, pose=place, tags=("ifcbuildingstorey", "storey")))
    return made


def _name(product: Any, taken: set[str]) -> str:
    called = str(product.Name or product.is_a())[:_LONGEST]  # the number is never cut off
    return unique(f"{called} {product.GlobalId}", taken, product.is_a().lower())


def _nodes(
    wish: Import, geometry: Any, settings: Any, products: list[Any], taken: set[str]
) -> list[Node]:
    wish.counted(len(products))
    made = []
    frame = wish.frame(1.0, "z")  # the library's own answer is in meters
    for product in products:
        try:
            shape = geometry.create_shape(settings, product)
        except RuntimeError:
            continue  # it stands for nothing solid: an axis, a box of bounds
        matrix = np.array(shape.transformation.matrix, dtype=np.float64).reshape(4, 4).T
        inner = shape.geometry
        if len(inner.faces) == 0:
            continue
        word = product.is_a().lower()
        tags = {word, *([_TAGS[word]] if word in _TAGS else [])}
        name = _name(product, taken)
        color, opacity = _color(inner)
        if product.is_a("IfcDoor"):
            apart = door(wish, product, shape, name, frame @ matrix, (color, opacity))
            if apart is not None:
                made.append(apart)
                continue
        made.append(wish.mesh(name, inner.verts, inner.faces, frame @ matrix, color, opacity, tags))
    return made


def _color(inner: Any) -> tuple[tuple[float, ...] | None, float | None]:
    """Return the color of the first material that has one."""
    for material in inner.materials:
        row: Any = getattr(material, "diffuse", None)
        values = [row.r(), row.g(), row.b()] if hasattr(row, "r") else row
        if values is not None and len(values) == 3 and all(0 <= x <= 1 for x in values):
            clear = float(getattr(material, "transparency", 0.0) or 0.0)
            return tuple(float(x) for x in values), 1 - clear if 0 < clear <= 1 else None
    return None, None
