"""What is in scene files, and files that take the place of others in one step."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NoReturn

from handik.errors import HandikError, ReadError, UnsupportedError, shortened
from handik.files.read._text import Lines
from handik.files.read._xml import Element, Limits, numbers, parse
from handik.files.read.toml import parsed
from handik.scene import _write
from handik.scene._build import Head, Item, built, read_head
from handik.scene._lines import key_lines
from handik.scene._roots import Roots
from handik.scene._words import PLACE, THINGS, Word, any_value
from handik.scene.nodes import DEEPEST, MOST_NODES, Node

if TYPE_CHECKING:
    from handik.scene.document import Scene

__all__ = ["SUFFIXES", "read", "write"]

#: Bytes of a scene file; scenes that include each other, above each other and in all, at most.
LONGEST = 32 * 2**20
MOST_INCLUDED = 64
DEEPEST_INCLUDED = 8
#: How dense a scene's TOML may be; see `handik.files.read.toml.DENSEST`.
DENSEST = {",": ("commas", 50_000, 3), "=": ("keys", 20_000, 8), "\n[": ("tables", 20_000, 16)}
#: Of a scene's own files.
SUFFIXES = (".toml", ".xml")


def read(path: str, roots: Iterable[str | os.PathLike[str]], make: Callable[..., Scene]) -> Scene:
    """Return the scene of a file, made of its nodes and its name; see `load_scene`."""
    suffix = _suffix(path)
    folder = os.path.dirname(os.path.abspath(path))
    return _Reading(Roots(folder, roots), make).scene(path, suffix)


def write(scene: Scene, path: str) -> None:
    """Write a scene; see `save_scene`."""
    suffix = _suffix(path, "a scene is written to a file that ends in")
    folder = os.path.dirname(os.path.abspath(path))
    text = _write.to_toml if suffix == ".toml" else _write.to_xml
    replace(path, folder, text(scene, folder).encode("utf-8"))


def replace(path: str, folder: str, data: bytes) -> None:
    """Write beside the file, then take its place in one step."""
    target = os.path.realpath(path)
    if os.path.islink(path):  # what it leads to may lie on another disk
        folder = os.path.dirname(target)
    try:
        made, beside = tempfile.mkstemp(prefix=".", suffix=".part", dir=folder)
    except OSError as error:  # of the folder: the name of the part says nothing to the caller
        raise type(error)(error.errno, error.strerror, path) from None
    try:
        with open(made, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o666 & ~_mask()
        os.chmod(beside, mode)
        os.replace(beside, target)
    except BaseException:
        os.unlink(beside)
        raise


def _mask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _suffix(path: str, what: str = "a scene's file ends in") -> str:
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in SUFFIXES:
        raise UnsupportedError(f"{what} {' or '.join(SUFFIXES)}, not {shortened(suffix or path)}")
    return suffix


class _Reading:
    """One call of `load_scene`: the files that are open above each other, and how many were."""

    def __init__(self, roots: Roots, make: Callable[..., Scene]) -> None:
        self.roots, self.make, self.open, self.count = roots, make, list[str](), 0

    def scene(self, path: str, suffix: str) -> Scene:
        """Return the scene of a file, and of those that it includes."""
        self.open.append(os.path.realpath(path))
        roots, self.roots = self.roots, self.roots.below(os.path.dirname(os.path.abspath(path)))
        try:
            head, items = _toml(path) if suffix == ".toml" else _xml(path)
            nodes = built(items, head, path, self.roots, self.include)
        finally:
            self.roots = roots
            self.open.pop()
        try:
            scene = self.make(nodes, head.name)
        except HandikError as error:
            raise ReadError(str(error), path, _followed(items, str(error))) from None
        for item in items:
            if "attached_frame" in item.values:  # the frame is there, of a figure that can be made
                try:
                    scene.world(item.path)
                except HandikError as error:
                    said = f"object {item.path!r}, key 'attached_frame'"
                    line = item.line("attached_frame")
                    raise ReadError(str(error), path, line, said) from None
        return scene

    def include(self, path: str) -> tuple[Node, ...]:
        """Return the nodes of a scene that another includes."""
        if path in self.open:
            raise UnsupportedError(f"file {os.path.basename(path)!r} includes itself")
        if len(self.open) > DEEPEST_INCLUDED:
            raise UnsupportedError(
                f"file {os.path.basename(path)!r} is included more than {DEEPEST_INCLUDED} deep"
            )
        self.count += 1
        if self.count > MOST_INCLUDED:
            raise UnsupportedError(f"file: more than {MOST_INCLUDED} scenes are included")
        return self.scene(path, _suffix(path)).nodes


def _followed(items: list[Item], said: str) -> int | None:
    """Return the line of the object that a sentence on attachments begins with."""
    for item in items:
        if said.startswith((f"{item.path!r} ",)):
            return item.line("attached_to")
    return 1


# -- TOML --------------------------------------------------------------------------------------


def _toml(path: str) -> tuple[Head, list[Item]]:
    lines = Lines(os.path.abspath(path), LONGEST)
    lines.path = path
    data = parsed(lines, DENSEST, "scene")
    places = cache(lambda: key_lines("\n".join(lines.lines), "object"))  # for faults alone
    objects = data.pop("object", [])
    head = read_head(data, lambda key, reason: lines.fail(reason, places()[0].get(key, 1)))
    if not isinstance(objects, list):
        lines.fail("objects are written as [[object]] each", places()[0].get("object", 1))
    items = []
    for k, values in enumerate(objects):
        line = partial(_line, places, len(objects), k)
        name = values.get("name") if isinstance(values, dict) else None
        if not isinstance(name, str):
            lines.fail("an object must have a name, a text", line("name"))
        items.append(Item(name, values, line))
    return head, items


def _line(
    places: Callable[[], tuple[dict[str, int], list[dict[str, int]]]], n: int, k: int, key: str
) -> int | None:
    """Return the line of a key of object k of n."""
    tables = places()[1]
    where = tables[k] if len(tables) == n else {}
    while key and key not in where:
        key = key.rpartition(".")[0]
    return where.get(key)


# -- XML ---------------------------------------------------------------------------------------


def _xml(path: str) -> tuple[Head, list[Item]]:
    root = parse(path, limits=Limits(DEEPEST + 8, 8 * MOST_NODES, LONGEST), text=True)
    if root.tag != "scene":
        root.fail("the outermost element must be <scene>")
    attributes = {key: value for key, value in root.attrib.items() if not key.startswith("{")}
    attributes = {k: v for k, v in attributes.items() if ":" not in k and k != "xmlns"}

    def fail(_: str, reason: str) -> NoReturn:
        root.fail(reason)

    head = read_head(attributes, fail)
    items: list[Item] = []
    todo = [("", child) for child in reversed(root.children)]
    while todo:
        above, element = todo.pop()
        if element.tag != "object":
            element.fail("only <object> elements may stand here")
        name = element.need("name")
        if "/" in name:
            element.fail(f"name {name!r} must not have '/' in it: objects stand in each other")
        items.append(Item(above + name, *_xml_object(element)))
        inner = [child for child in element.children if child.tag == "object"]
        todo += [(f"{above}{name}/", child) for child in reversed(inner)]
    return head, items


def _xml_object(element: Element) -> tuple[dict[str, Any], Callable[[str], int | None]]:
    values: dict[str, Any] = {}
    lines: dict[str, Element] = {"": element}
    for key, written in element.attrib.items():
        values[key] = _value(element, key, written, PLACE.get(key, Word("text")))
    for child in element.children:
        if child.tag == "object":
            continue
        if child.tag in values:
            child.fail(f"<{child.tag}> stands here twice")
        words = THINGS.get(child.tag, {})
        values[child.tag] = {
            key: _value(child, key, written, words.get(key, words.get("*", Word("text"))))
            for key, written in child.attrib.items()
        }
        lines[child.tag] = child
        if child.children:
            child.fail(f"nothing may stand inside <{child.tag}>")

    def line(key: str) -> int | None:
        return lines.get(key.split(".")[0], element).line

    return values, line


def _value(element: Element, key: str, written: str, word: Word) -> Any:
    """Return the value of an attribute, of the form that TOML would give it."""
    try:
        return _read(written.strip(), word.form)
    except ValueError as error:
        element.fail(f"{key}: {error}")


def _read(written: str, form: str) -> Any:
    if form == "text":
        return written
    if form == "texts":
        return written.split()
    if form == "flag":
        return {"true": True, "false": False}.get(written, written)
    if form == "number":
        return numbers(written, 1)[0]
    if form == "numbers":
        return numbers(written)
    if form == "color":
        return written if written.startswith("#") else numbers(written, 3)
    if form == "rows":
        return [numbers(row) for row in written.split(";")]
    if form == "outlines":
        return [[numbers(row) for row in rows.split(";")] for rows in written.split("|")]
    return any_value(written)
