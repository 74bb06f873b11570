"""A scene as text, TOML or XML: meters, radians, every number read back bit for bit."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from handik.errors import UnsupportedError
from handik.files.write._text import xml_name
from handik.files.write._toml import toml_value
from handik.scene._build import FORMAT
from handik.scene._tree import walk
from handik.scene._words import THINGS, any_value
from handik.scene.contents import Actor, Include
from handik.scene.nodes import Node
from handik.scene.shapes import Mesh

if TYPE_CHECKING:
    from handik.scene.document import Scene

__all__ = ["to_toml", "to_xml"]

_HEAD = {"length": "m", "angle": "rad", "up": "z", "handedness": "right"}


def said(node: Node, path: str, folder: str) -> dict[str, Any]:
    """Return what a file says of a node: its keys, with the key of its thing and that one's."""
    found: dict[str, Any] = {}
    pose = node.place
    if pose[:3, 3].any():
        found["position"] = pose[:3, 3].tolist()
    if not np.array_equal(pose[:3, :3], np.eye(3)):
        found["rotation"] = pose[:3, :3].ravel().tolist()
    if node.scale != 1.0:
        found["scale"] = node.scale
    if node.color is not None:
        found["color"] = list(node.color)
    if node.opacity is not None:
        found["opacity"] = node.opacity
    if node.tags:
        found["tags"] = sorted(node.tags)
    if not node.solid:
        found["solid"] = False
    if node.attached is not None:
        found["attached_to"] = node.attached.to
        if node.attached.frame is not None:
            found["attached_frame"] = node.attached.frame
    if node.content is not None:
        kind, values = _thing(node, path, folder)
        found[kind] = values
    return found


def _thing(node: Node, path: str, folder: str) -> tuple[str, dict[str, Any]]:
    content = node.content
    if isinstance(content, Include):
        if tuple(content.nodes) != node.children:
            raise UnsupportedError(
                f"{path!r} was edited, but stands in {content.path!r}, which it includes: "
                "with_shape(path, None) makes its nodes the scene's own"
            )
        return "include", {"file": _name(content.path, folder)}
    if isinstance(content, Actor):
        q = {} if content.q is None else {"q": list(content.q)}
        if content.model is not None:
            plain = content.model.startswith(("data:", "robot:"))
            return "figure", {"model": content.model if plain else _name(content.model, folder)} | q
        return "human", dict(content.human) | q
    if isinstance(content, Mesh):
        scale = {} if content.scale == (1.0, 1.0, 1.0) else {"scale": list(content.scale)}
        if content.path is not None:
            return "mesh", {"file": _name(content.path, folder)} | scale
        assert content.vertices is not None
        assert content.faces is not None
        points = {"vertices": content.vertices.tolist(), "faces": content.faces.tolist()}
        return "mesh", points | scale
    assert content is not None
    return content.kind, {key: getattr(content, key) for key in THINGS[content.kind]}


def _name(path: str, folder: str) -> str:
    """Return a path relative to a folder where it is inside, else as it is."""
    real, start = os.path.realpath(path), os.path.realpath(folder)
    if os.path.commonpath([real, start]) == start:
        return os.path.relpath(real, start).replace(os.sep, "/")
    return path


def each(scene: Scene, folder: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield path and keys of the nodes that the file says itself, those of others left out."""
    inside: str | None = None
    for path, node in walk(scene.nodes):
        if inside is not None and path.startswith(inside):
            continue
        inside = path + "/" if isinstance(node.content, Include) else None
        yield path, said(node, path, folder)


def to_toml(scene: Scene, folder: str) -> str:
    """Return the text of a TOML file in this folder."""
    rows = [f"{key} = {toml_value(word)}" for key, word in _head(scene).items()]
    for path, values in each(scene, folder):
        rows += ["", "[[object]]", f"name = {toml_value(path)}"]
        rows += [f"{key} = {toml_value(value)}" for key, value in values.items()]
    return "\n".join([*rows, ""])


def _head(scene: Scene) -> dict[str, str]:
    return {"format": FORMAT, "name": scene.name, **_HEAD}


def to_xml(scene: Scene, folder: str) -> str:
    """Return the text of an XML file in this folder."""
    head = " ".join(f"{key}={xml_name(word)}" for key, word in _head(scene).items())
    rows, open_ = ['<?xml version="1.0" encoding="UTF-8"?>', f"<scene {head}>"], 0
    for path, values in each(scene, folder):
        _holds(path, values.get("human", {}))
        names = path.split("/")
        rows += ["  " * k + "</object>" for k in range(open_, len(names) - 1, -1)]
        open_ = len(names)
        things = {key: value for key, value in values.items() if key in THINGS}
        own = {"name": names[-1]} | {k: v for k, v in values.items() if k not in THINGS}
        rows.append("  " * open_ + f"<object{_attributes(own)}>")
        rows += [f"{'  ' * open_}  <{key}{_attributes(value)}/>" for key, value in things.items()]
    rows += ["  " * k + "</object>" for k in range(open_, 0, -1)]
    return "\n".join([*rows, "</scene>", ""])


def _holds(path: str, human: dict[str, Any]) -> None:
    """Refuse arguments of a person that would not be read back as they are."""
    for key, value in human.items():
        texts = isinstance(value, tuple) and any(isinstance(one, str) for one in value)
        if texts or (isinstance(value, str) and any_value(value) != value):
            raise UnsupportedError(f"XML cannot hold {key}={value!r} of {path!r}: save it as TOML")


def _attributes(values: dict[str, Any]) -> str:
    return "".join(f" {key}={xml_name(_plain(value))}" for key, value in values.items())


def _plain(value: Any) -> str:
    """Return a value as an attribute holds it: rows with ``;``, rows of rows with ``|`` between."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    inner = value[0] if len(value) else None
    if isinstance(inner, (list, tuple)):
        mark = "|" if inner and isinstance(inner[0], (list, tuple)) else "; "
        return mark.join(map(_plain, value))
    return " ".join(map(_plain, value))
