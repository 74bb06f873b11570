"""Safe reading of XML: expat events into a light tree, with limits and line numbers.

Any DOCTYPE is refused as soon as it opens, so no entity is ever declared or expanded (billion
laughs, quadratic blow-up and external entities all need one). Depth, number of nodes and bytes
have limits that a caller can raise. A truncated or malformed document is refused whole.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from typing import NoReturn
from xml.parsers import expat

from handik.errors import MissingFileError, ReadError

__all__ = [
    "Element",
    "Limits",
    "is_text",
    "no_collection",
    "number",
    "numbers",
    "parse",
    "read_bytes",
]

_NUMBER_CAP = 400
#: Longest file read, in bytes, unless a caller says otherwise.
SIZE_CAP = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Limits:
    """What a document may ask of the reader.

    Attributes
    ----------
    depth : int
        Deepest nesting of elements.
    nodes : int
        Number of elements and attributes together.
    size : int
        Length of the file, in bytes.
    """

    depth: int = 256
    nodes: int = 1_000_000
    size: int = SIZE_CAP


class Element:
    """An XML element: tag, attributes, children, text and the line where it opens."""

    __slots__ = ("attributes", "children", "line", "path", "tag", "text")

    def __init__(self, tag: str, attributes: dict[str, str], line: int, path: str) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Element] = []
        self.text = ""
        self.line = line
        self.path = path

    def __repr__(self) -> str:
        name = self.attributes.get("name")
        return f"<{self.tag}>" if name is None else f'<{self.tag} name="{name[:80]}">'

    def find(self, tag: str) -> Element | None:
        """Return the first child with this tag, or None."""
        for child in self.children:
            if child.tag == tag:
                return child
        return None

    def find_all(self, tag: str) -> list[Element]:
        """Return every child with this tag."""
        return [child for child in self.children if child.tag == tag]

    def walk(self) -> Iterator[Element]:
        """Yield the element and all below it, in document order, without recursion."""
        stack = [self]
        while stack:
            element = stack.pop()
            yield element
            stack.extend(reversed(element.children))

    def fail(self, reason: str) -> NoReturn:
        """Raise a `ReadError` that names the file, the line and this element."""
        raise ReadError(reason, self.path, self.line, repr(self))

    def need(self, attribute: str) -> str:
        """Return an attribute that must be there and not be empty."""
        value = self.attributes.get(attribute, "").strip()
        if not value:
            self.fail(f"the attribute {attribute!r} is missing")
        return value

    def need_child(self, tag: str) -> Element:
        """Return the first child with this tag, which must be there."""
        child = self.find(tag)
        if child is None:
            self.fail(f"the element <{tag}> is missing")
        return child

    def number(self, attribute: str, default: float | None = None) -> float:
        """Return an attribute as one finite number; `default` None makes it obligatory."""
        written = self.attributes.get(attribute)
        if written is None:
            if default is None:
                self.fail(f"the attribute {attribute!r} is missing")
            return default
        try:
            return number(written.strip())
        except ValueError as error:
            self.fail(f"{attribute}: {error}")

    def numbers(self, attribute: str, count: int | None = None) -> list[float]:
        """Return an attribute as `count` finite numbers (any number of them for None)."""
        try:
            return numbers(self.need(attribute), count)
        except ValueError as error:
            self.fail(f"{attribute}: {error}")

    def text_numbers(self, count: int | None = None) -> list[float]:
        """Return the text as `count` finite numbers (any number of them for None)."""
        try:
            return numbers(self.text, count)
        except ValueError as error:
            self.fail(str(error))


def numbers(text: str, count: int | None = None) -> list[float]:
    """Return the finite decimal numbers of a text, separated by white space.

    Raises
    ------
    ValueError
        When a word is not a number as `number` takes it, or there are not `count` of them.
    """
    words = text.split()
    if count is not None and len(words) != count:
        wanted = "one number" if count == 1 else f"{count} numbers"
        raise ValueError(f"{wanted} expected, found {_shown(text)}")
    if text.isascii() and "_" not in text and len(text) <= _NUMBER_CAP:
        # The short way for sound text: the sum is finite only if every number is.
        try:
            values = [*map(float, words)]
        except ValueError:
            pass
        else:
            if -inf < sum(values) < inf:
                return values
    return [number(word) for word in words]


def number(word: str) -> float:
    """Return one finite decimal number, whatever the locale.

    Raises
    ------
    ValueError
        For ``nan``, ``inf``, what overflows to infinity, ``0x10``, ``1_0``, a decimal comma,
        digits of other scripts, and words longer than any number needs to be.
    """
    # float() takes underscores, digits of every script, nan and inf; nothing else is amiss with it.
    if len(word) <= _NUMBER_CAP and word.isascii() and "_" not in word:
        try:
            value = float(word)
        except ValueError:
            value = inf
        if -inf < value < inf:
            return value
    hint = ""
    if "${" in word or "$(" in word:
        hint = "; this is a xacro expression: run xacro first"
    raise ValueError(f"{_shown(word)} is not a finite decimal number{hint}")


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")


@contextmanager
def no_collection() -> Iterator[None]:
    """Hold the cyclic garbage collector back while a tree grows.

    Everything a reader makes is live until it is done, and without cycles; looking through it
    again and again takes a third of the time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def is_text(source: str | bytes | os.PathLike[str]) -> bool:
    """Tell a document from a path: a document is bytes, or a str whose first sign is ``<``."""
    if isinstance(source, bytes):
        return True
    return isinstance(source, str) and source[:4096].lstrip("\ufeff \t\r\n").startswith("<")


def read_bytes(path: str | os.PathLike[str], size: int = SIZE_CAP) -> bytes:
    """Return the bytes of a file that is there, is a file, and is no longer than `size`."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as stream:
            data = stream.read(size + 1)
    except FileNotFoundError:
        raise MissingFileError("there is no such file", name) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ReadError(f"the file cannot be read: {reason}", name) from error
    if len(data) > size:
        raise ReadError(f"the file is longer than the limit of {size} bytes", name)
    return data


def parse(
    source: str | bytes | os.PathLike[str],
    *,
    limits: Limits | None = None,
    text: bool = True,
    path: str | None = None,
) -> Element:
    """Parse an XML file, or a document given as text, into a light tree; return its root.

    Parameters
    ----------
    source : path, str or bytes
        A path; or the document itself, as bytes or as a str that begins with ``<``.
    limits : Limits, optional
        Depth, nodes and bytes allowed.
    text : bool
        Keep the text of elements. A format that has none reads faster without.
    path : str, optional
        Name that errors use for a document given as text.

    Raises
    ------
    ReadError
        For a malformed or truncated document, a DOCTYPE, an encoding that is not known, or a
        limit passed; with the line.
    """
    limits = limits or Limits()
    encoding = None
    if not is_text(source):
        assert not isinstance(source, bytes)
        path = os.fspath(source) if path is None else path
        data = read_bytes(source, limits.size)
    else:
        path = "<text>" if path is None else path
        if isinstance(source, bytes):
            data = source
        else:
            try:
                data = str(source).encode("utf-8")
            except UnicodeEncodeError:
                raise ReadError("the text holds a sign that is not Unicode", path) from None
            encoding = "utf-8"  # whatever the declaration says, a str is already decoded
        if len(data) > limits.size:
            raise ReadError(f"the text is longer than the limit of {limits.size} bytes", path)
    with no_collection():
        return _Builder(path, limits, text, encoding).run(data)


class _Builder:
    """The expat handlers that grow the tree."""

    def __init__(self, path: str, limits: Limits, text: bool, encoding: str | None) -> None:
        self.path = path
        self.stack: list[Element] = []
        self.root: Element | None = None
        self.parser = parser = expat.ParserCreate(encoding)
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self.doctype
        self.handle(limits, text)

    def handle(self, limits: Limits, text: bool) -> None:
        """Set the handlers: closures, which expat calls faster than methods."""
        parser, path, stack = self.parser, self.path, self.stack
        depth_cap, node_cap = limits.depth, limits.nodes
        nodes = 0
        words: list[list[str]] = []

        def opened(tag: str, attributes: dict[str, str]) -> None:
            nonlocal nodes
            nodes += 1 + len(attributes)
            if nodes > node_cap:
                self.fail(f"more than {node_cap} elements and attributes")
            if len(stack) >= depth_cap:
                self.fail(f"elements nest deeper than {depth_cap}")
            element = Element(tag, attributes, parser.CurrentLineNumber, path)
            if stack:
                stack[-1].children.append(element)
            else:
                self.root = element
            stack.append(element)

        def opened_with_text(tag: str, attributes: dict[str, str]) -> None:
            opened(tag, attributes)
            words.append([])

        def closed(_: str) -> None:
            stack.pop()

        def closed_with_text(_: str) -> None:
            stack.pop().text = "".join(words.pop()).strip()

        def characters(data: str) -> None:
            words[-1].append(data)

        parser.StartElementHandler = opened_with_text if text else opened
        parser.EndElementHandler = closed_with_text if text else closed
        if text:
            parser.CharacterDataHandler = characters

    def run(self, data: bytes) -> Element:
        path = self.path
        try:
            self.parser.Parse(data, True)
        except expat.ExpatError as error:
            inside = repr(self.stack[-1]) if self.stack else None
            reason = expat.errors.messages.get(error.code, "malformed")
            raise ReadError(f"not well-formed XML: {reason}", path, error.lineno, inside) from None
        except ReadError:
            raise
        except (LookupError, ValueError) as error:
            # What expat asks Python about an encoding that it does not know itself.
            raise ReadError(f"the encoding cannot be read: {error}", path, 1) from None
        assert self.root is not None
        return self.root

    def fail(self, reason: str) -> NoReturn:
        raise ReadError(reason, self.path, self.parser.CurrentLineNumber)

    def doctype(self, *_: object) -> None:
        self.fail("a DOCTYPE is refused: it could declare entities that swell or reach outside")
