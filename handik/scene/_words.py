"""The words of scene files, once for TOML, XML, its schema, readers and the writer."""

from __future__ import annotations

from typing import Any, NamedTuple

from handik.files.read._xml import numbers
from handik.scene.contents import Actor, Camera, FloorPlan, Light, Target, Via
from handik.scene.nodes import Content
from handik.scene.shapes import KINDS, Shape

__all__ = ["ANGLES", "CLASSES", "HEAD", "LENGTHS", "PLACE", "THINGS", "Word", "any_value"]

#: What a number of a file is divided by.
LENGTHS = {"m": 1.0, "cm": 100.0, "mm": 1000.0}
ANGLES = ("rad", "deg")


class Word(NamedTuple):
    """A key of a file: what it holds, and whether it must be there.

    Attributes
    ----------
    form : str
        ``text``, ``flag``, ``number``, ``numbers``, ``rows`` and ``outlines`` (rows of rows);
        ``any``: a text, a number or a row.
    unit : str
        ``length``, ``angle`` or nothing.
    needed : bool
        Whether it must be there.
    """

    form: str
    unit: str = ""
    needed: bool = False


#: The head of a file, before its objects: which words each key may have.
HEAD: dict[str, tuple[str, ...]] = {
    "length": tuple(LENGTHS),
    "angle": ANGLES,
    "up": ("z", "y"),
    "handedness": ("right", "left"),
}
#: What any object may say.
PLACE: dict[str, Word] = {
    "position": Word("numbers", "length"),
    "rpy": Word("numbers", "angle"),
    "quaternion": Word("numbers"),
    "rotation": Word("numbers"),
    "scale": Word("number"),
    "color": Word("color"),
    "opacity": Word("number"),
    "tags": Word("texts"),
    "solid": Word("flag"),
    "attached_to": Word("text"),
    "attached_frame": Word("text"),
}
#: What stands there: the word of the thing, and its keys.
THINGS: dict[str, dict[str, Word]] = {
    "box": {"size": Word("numbers", "length", True)},
    "sphere": {"radius": Word("number", "length", True)},
    "capsule": {
        "length": Word("number", "length", True),
        "radius": Word("number", "length", True),
    },
    "cylinder": {
        "length": Word("number", "length", True),
        "radius": Word("number", "length", True),
    },
    "plane": {},
    "prism": {
        "polygon": Word("rows", "length", True),
        "height": Word("number", "length", True),
    },
    "mesh": {
        "file": Word("text"),
        "vertices": Word("rows", "length"),
        "faces": Word("rows"),
        "scale": Word("numbers"),
    },
    "floorplan": {
        "walls": Word("outlines", "length", True),
        "height": Word("number", "length", True),
    },
    "figure": {"model": Word("text", "", True), "q": Word("numbers")},
    "human": {"*": Word("any"), "q": Word("numbers")},
    "light": {
        "shine": Word("text"),
        "color": Word("color"),
        "power": Word("number"),
        "spread": Word("number", "angle"),
    },
    "camera": {"view": Word("number", "angle")},
    "target": {"want": Word("text"), "axis": Word("numbers")},
    "via": {"radius": Word("number", "length")},
    "include": {"file": Word("text", "", True)},
}
#: The classes of what is made of its keys alone.
CLASSES: dict[str, type[Shape] | type[Content]] = {
    **KINDS,
    **{kind.kind: kind for kind in (FloorPlan, Light, Camera, Target, Via)},
    "human": Actor,
}


def any_value(written: str) -> Any:
    """Return a flag, a number or a row of them where it is one, else the text."""
    if written in ("true", "false"):
        return written == "true"
    try:
        found = numbers(written)
    except ValueError:
        return written
    plain = [int(one) if one.is_integer() and "." not in written else one for one in found]
    return plain[0] if len(plain) == 1 else plain
