"""Kinds of scene files that are wrong: what is written, the line at fault, words of the sentence."""

from __future__ import annotations

from typing import NamedTuple

HEAD = 'format = "handik scene 1"\n'


class Bad(NamedTuple):
    """A file, where it is wrong, and what the sentence must say."""

    text: str
    line: int | None
    words: tuple[str, ...]
    suffix: str = ".toml"


def one(values: str, name: str = "a") -> str:
    """A file with one object, of which the lines stand from 4 on."""
    return f'{HEAD}[[object]]\nname = "{name}"\n{values}\n'


def xml(inside: str, head: str = "") -> str:
    return f'<scene format="handik scene 1"{head}>\n{inside}\n</scene>'


BAD: dict[str, Bad] = {
    # the document
    "empty": Bad("", 1, ("format", "handik scene 1")),
    "another format": Bad('format = "handik 1"\n', 1, ("handik scene 1",)),
    "not TOML": Bad(HEAD + "[[object]\n", 2, ("not TOML",)),
    "cut off": Bad(one("box = { size = [1, 2"), 5, ("not TOML",)),
    "a key twice": Bad(one("scale = 1\nscale = 2"), 5, ("not TOML", "overwrite")),
    "nested without end": Bad(HEAD + "a = " + "[" * 5000, None, ("not TOML",)),
    "a dotted key without end": Bad(HEAD + "a" + ".a" * 5000 + " = 1", 2, ("dots",)),
    "dense": Bad(HEAD + "a=[" + "1," * 400_000 + "]", None, ("commas", "no scene is so dense")),
    "no Unicode of TOML": Bad(HEAD + 'name = "\\ud800"\n', 2, ("not TOML",)),
    # the head
    "a head's key": Bad(HEAD + 'unit = "m"\n', 2, ("'unit' is not known", "length")),
    "a unit of length": Bad(
        HEAD + 'length = "inch"\n', 2, ("length must be m or cm or mm", "inch")
    ),
    "a unit of angles": Bad(HEAD + 'angle = "grad"\n', 2, ("angle must be rad or deg",)),
    "the up axis": Bad(HEAD + 'up = "x"\n', 2, ("up must be z or y",)),
    "handedness": Bad(HEAD + 'handedness = "both"\n', 2, ("handedness must be right or left",)),
    "a unit that is a list": Bad(HEAD + "\nlength = []\n", 3, ("length must be",)),
    "the scene's name": Bad(HEAD + 'name = "a/b"\n', 2, ("name", "'/'")),
    "the scene's name is a number": Bad(HEAD + "name = 1\n", 2, ("name must be a text",)),
    # the tree
    "object is a number": Bad(HEAD + "object = 3\n", 2, ("[[object]]",)),
    "object is one table": Bad(HEAD + "[object]\nname = 'a'\n", 1, ("[[object]]",)),
    "no name": Bad(HEAD + "\n[[object]]\nscale = 1\n", 3, ("must have a name",)),
    "a name of no text": Bad(HEAD + "[[object]]\nscale = 1\nname = 2\n", 4, ("must have a name",)),
    "an empty name": Bad(one("scale = 1", ""), 3, ("1 to 200 signs",)),
    "a name of a pattern": Bad(one("scale = 1", "a*"), 3, ("must not have '*'",)),
    "a name with a step up": Bad(one("scale = 1", ".."), 3, ("must not have '..'",)),
    "an empty part of a path": Bad(one("scale = 1", "/b"), 3, ("1 to 200 signs",)),
    "a long name": Bad(one("scale = 1", "a" * 201), 3, ("1 to 200 signs",)),
    "no parent": Bad(one("scale = 1", "table/cup"), 3, ("parent 'table'", "before it")),
    "a name twice": Bad(one("") + '[[object]]\nname = "a"\n', 6, ("object 'a' already",)),
    "too deep": Bad(one("", "/".join("a" * 33)), 3, ("more than 32",)),
    "follows nobody": Bad(one('attached_to = "b"'), 4, ("'b', which is not there",)),
    "follows itself": Bad(one('attached_to = "a"'), 4, ("attached to itself",)),
    "follow each other": Bad(
        one('attached_to = "b"') + '[[object]]\nname = "b"\nattached_to = "a"\n',
        4,
        ("attached to itself",),
    ),
    "a frame of nothing": Bad(one('\nattached_frame = "tip"'), 5, ("needs attached_to",)),
    "a frame of a box": Bad(
        one("box = { size = [1, 1, 1] }")
        + '[[object]]\nname = "b"\nattached_to = "a"\nattached_frame = "tip"\n',
        8,
        ("'a' is no figure", "'tip'"),
    ),
    "a frame that is not there": Bad(
        one('figure = { model = "data:ur5" }')
        + '[[object]]\nname = "b"\nattached_to = "a"\nattached_frame = "grip"\n',
        8,
        ("no frame is called 'grip'",),
    ),
    # the place
    "a key": Bad(one("scale = 1\ncolour = [1, 1, 1]"), 5, ("'colour' is not known", "color")),
    "a position of two": Bad(one("position = [1, 2]"), 4, ("position", "shape")),
    "a position of texts": Bad(one("position = ['1', 2, 3]"), 4, ("a list of numbers",)),
    "a position that is none": Bad(one("position = [nan, 0, 0]"), 4, ("position must be finite",)),
    "a position out of the world": Bad(one("position = [1e7, 0, 0]"), 4, ("position", "farther")),
    "turned twice": Bad(
        one("rpy = [0, 0, 1]\nquaternion = [1, 0, 0, 0]"), 5, ("'rpy' says already",)
    ),
    "a quaternion of nothing": Bad(one("quaternion = [0, 0, 0, 0]"), 4, ("length zero",)),
    "a rotation that is none": Bad(
        one("rotation = [1, 0, 0, 0, 1, 0, 0, 0, 2]"), 4, ("rotation", "not a rotation")
    ),
    "a rotation of eight": Bad(one("rotation = [1, 0, 0, 0, 1, 0, 0, 0]"), 4, ("rotation", "9")),
    "a scale of zero": Bad(one("scale = 0"), 4, ("scale must be",)),
    "a scale that is a flag": Bad(one("scale = true"), 4, ("scale must be a number",)),
    "a number too large": Bad(one("scale = 1" + "0" * 400), 4, ("scale must be a number",)),
    "a color of two": Bad(one("color = [1, 0]"), 4, ("color", "shape")),
    "a color beyond one": Bad(one("color = [255, 0, 0]"), 4, ("color", "0 to 1")),
    "a color by name": Bad(one('color = "red"'), 4, ("color", "#rrggbb")),
    "an opacity": Bad(one("opacity = 1.5"), 4, ("opacity must be 0 to 1",)),
    "a tag": Bad(one('tags = ["Door handle"]'), 4, ("tags", "small letters")),
    "tags in one text": Bad(one('tags = "door"'), 4, ("tags must be a list of texts",)),
    "solid": Bad(one('solid = "no"'), 4, ("solid must be true or false",)),
    # the thing
    "two things": Bad(one("plane = {}\nsphere = { radius = 1 }"), 5, ("'plane' already",)),
    "a thing that is no table": Bad(one("sphere = 1"), 4, ("sphere must be a table of radius",)),
    "a thing's key": Bad(one("sphere = { radius = 1, height = 2 }"), 4, ("'height' is not known",)),
    "a thing lacks a key": Bad(one("capsule = { radius = 1 }"), 4, ("'length' is missing",)),
    "a negative radius": Bad(one("[object.sphere]\nradius = -1"), 5, ("must not be negative",)),
    "an endless radius": Bad(one("sphere = { radius = inf }"), 4, ("radius must be finite",)),
    "a huge box": Bad(one("box = { size = [1e7, 1, 1] }"), 4, ("at most 1e+06",)),
    "a polygon of two": Bad(
        one("prism = { polygon = [[0, 0], [1, 0]], height = 1 }"), 4, ("three corners",)
    ),
    "a polygon that crosses itself": Bad(
        one("prism = { polygon = [[0, 0], [2, 0], [0, 2], [1, -1]], height = 1 }"), 4, ("crosses",)
    ),
    "a polygon of no area": Bad(
        one("prism = { polygon = [[0, 0], [1, 0], [2, 0]], height = 1 }"), 4, ("no area",)
    ),
    "a ragged polygon": Bad(
        one("prism = { polygon = [[0, 0], [1], [2, 0]], height = 1 }"), 4, ("polygon", "regular")
    ),
    "a mesh of nothing": Bad(one("mesh = {}"), 4, ("either a path or vertices",)),
    "a mesh's corner": Bad(
        one("mesh = { vertices = [[0,0,0],[1,0,0],[0,1,0]], faces = [[0, 1, 3]] }"),
        4,
        ("numbers of vertices, 0 to 2",),
    ),
    "a mesh's half corner": Bad(
        one("mesh = { vertices = [[0,0,0],[1,0,0],[0,1,0]], faces = [[0, 1, 1.5]] }"),
        4,
        ("whole numbers",),
    ),
    "a mesh that is not there": Bad(
        one('mesh = { file = "no.obj" }'), 4, ("'no.obj' is not there",)
    ),
    "a mesh outside": Bad(one('mesh = { file = "../../etc/passwd" }'), 4, ("leads outside",)),
    "a mesh at the root": Bad(one('mesh = { file = "/etc/passwd" }'), 4, ("leads outside",)),
    "a model outside": Bad(one('figure = { model = "../arm.urdf" }'), 4, ("leads outside",)),
    "a file of a sign that none has": Bad(
        one('mesh = { file = "a\\u0000b" }'), 4, ("file", "not there")
    ),
    "a floor plan of no walls": Bad(one("floorplan = { walls = [], height = 2 }"), 4, ("walls",)),
    "a light's word": Bad(one('light = { shine = "moon" }'), 4, ("shine must be 'point' or",)),
    "a camera's view": Bad(one("camera = { view = 4 }"), 4, ("between 0 and pi",)),
    "a target's axis": Bad(one("target = { axis = [0, 0, 0] }"), 4, ("no direction",)),
    "a target's word": Bad(one('target = { want = "all" }'), 4, ("want must be",)),
    "a human's nested argument": Bad(
        one("human = { a = { b = 1 } }"), 4, ("human", "a text, a number")
    ),
    # includes
    "includes itself": Bad(one('include = { file = "bad.toml" }'), 4, ("includes itself",)),
    "includes nothing": Bad(one('include = { file = "no.toml" }'), 4, ("is not there",)),
    "includes what is outside": Bad(one('include = { file = "../a.toml" }'), 4, ("leads outside",)),
    "stands in another's file": Bad(
        one('include = { file = "good.toml" }') + '[[object]]\nname = "a/c"\n',
        6,
        ("another scene",),
    ),
    # XML
    "not XML": Bad("<scene", None, ("not well-formed",), ".xml"),
    "another root": Bad("<robot/>", 1, ("must be <scene>",), ".xml"),
    "a DOCTYPE": Bad('<!DOCTYPE scene [<!ENTITY a "b">]>\n' + xml(""), 1, ("DOCTYPE",), ".xml"),
    "no format in XML": Bad("<scene/>", 1, ("handik scene 1",), ".xml"),
    "an element": Bad(xml("<thing/>"), 2, ("only <object>",), ".xml"),
    "no name in XML": Bad(xml("<object/>"), 2, ("'name' is missing",), ".xml"),
    "a path in XML": Bad(xml('<object name="a/b"/>'), 2, ("must not have '/'",), ".xml"),
    "a word for a number": Bad(
        xml('<object name="a">\n<sphere radius="big"/></object>'), 3, ("radius", "big"), ".xml"
    ),
    "an attribute": Bad(
        xml('<object name="a" colour="1"/>'), 2, ("'colour' is not known",), ".xml"
    ),
    "a flag in XML": Bad(xml('<object name="a" solid="yes"/>'), 2, ("true or false",), ".xml"),
    "two things in XML": Bad(
        xml('<object name="a"><plane/>\n<sphere radius="1"/></object>'), 3, ("already",), ".xml"
    ),
    "a thing twice in XML": Bad(
        xml('<object name="a"><plane/>\n<plane/></object>'), 3, ("twice",), ".xml"
    ),
    "something in a thing": Bad(
        xml('<object name="a">\n<plane><object name="b"/></plane></object>'),
        3,
        ("nothing may stand inside",),
        ".xml",
    ),
    "deep XML": Bad(xml("<object name='a'>" * 60 + "</object>" * 60), None, ("40",), ".xml"),
}
