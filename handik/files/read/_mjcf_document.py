"""MJCF as a document: the files it includes, and its default classes."""

from __future__ import annotations

import os
from collections.abc import Iterable

from handik.files.read._geometry import MeshFinder
from handik.files.read._xml import Element, Limits, parse

__all__ = ["Defaults", "Document"]

_MAIN = "main"


class Document:
    """A main file and, in place of each <include>, what the file it names holds.

    Includes are resolved inside the given roots alone, by real path, and each file at most once,
    so that what is read is finite. Elements keep the file and line they come from.
    """

    def __init__(
        self,
        source: str | bytes | os.PathLike[str],
        folder: str | None,
        roots: Iterable[str | os.PathLike[str]],
        limits: Limits | None,
    ) -> None:
        self.limits = limits
        self.root = parse(source, limits=limits, text=False)
        self.finder = MeshFinder(folder, roots)
        self.files: dict[str, Element] = {}
        self.included: dict[int, Element] = {}  # <include> by identity -> root of its file

    def children(self, element: Element) -> list[Element]:
        """Return the elements inside, those of included files in the place of the includes."""
        if element.find("include") is None:
            return list(element)
        found: list[Element] = []
        stack = list(element)[::-1]
        while stack:
            child = stack.pop()
            if child.tag == "include":
                stack.extend(list(self.include(child))[::-1])
            else:
                found.append(child)
        return found

    def sections(self, tag: str) -> list[Element]:
        """Return the children of the root with a tag, in all files."""
        return [child for child in self.children(self.root) if child.tag == tag]

    def include(self, element: Element) -> Element:
        """Return the root of the file that an <include> names."""
        known = self.included.get(id(element))
        if known is not None:
            return known
        name = element.need("file")
        if not self.finder.roots:
            element.fail(f"the include of {name!r} is refused: no include_roots are given")
        path = self.finder.find(name)
        if path is None:
            element.fail(f"the include {name!r} is in none of the include_roots")
        if path in self.files:
            element.fail(f"the file {name!r} is included a second time")
        root = parse(path, limits=self.limits, text=False)
        if root.tag not in ("mujoco", "mujocoinclude"):
            root.fail("the root element of an included file is <mujocoinclude>")
        self.files[path] = self.included[id(element)] = root
        return root


class Defaults:
    """The default classes: each holds the attributes of its parent class, with its own over them.

    A class is made of one dictionary of attributes for each kind of element.
    """

    def __init__(self, document: Document) -> None:
        self.classes: dict[str, dict[str, dict[str, str]]] = {_MAIN: {}}
        stack = [(section, "") for section in document.sections("default")[::-1]]
        while stack:
            element, above = stack.pop()
            name = element.get("class", "")
            if not above:
                name = _MAIN  # whatever the outermost class is called, it is the main one
            elif not name:
                element.fail("a default class inside another has no name")
            kinds = {tag: dict(values) for tag, values in self.classes.get(above, {}).items()}
            if name in self.classes:
                kinds.update(self.classes[name])
            inner = []
            for child in document.children(element):
                if child.tag == "default":
                    inner.append((child, name))
                else:
                    kinds[child.tag] = kinds.get(child.tag, {}) | child.attributes
            self.classes[name] = kinds
            if not above and element.get("class"):
                self.classes[element.get("class", "")] = kinds
            stack.extend(inner[::-1])

    def of(self, element: Element, name: str) -> dict[str, str]:
        """Return the attributes of an element over those of its class."""
        kinds = self.classes.get(name)
        if kinds is None:
            element.fail(f"there is no default class {name!r}")
        tag = "joint" if element.tag == "freejoint" else element.tag
        above = {} if element.tag == "freejoint" else kinds.get(tag)
        if not above:
            return element.attributes
        own = element.attributes
        turns = ("quat", "axisangle", "xyaxes", "zaxis", "euler", "fromto")
        if any(key in own for key in turns):
            # An orientation written in the element takes the place of any the class has.
            above = {key: value for key, value in above.items() if key not in turns}
        return above | own
