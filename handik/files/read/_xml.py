"""Safe reading of XML: expat events into a light tree, with limits and line numbers.

Any DOCTYPE is refused as soon as it opens, so no entity is ever declared or expanded (billion
laughs, quadratic blow-up and external entities all need one). Depth, number of nodes and bytes
have limits that a caller can raise. A truncated or malformed document is refused whole.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf, isfinite
from typing import TYPE_CHECKING, ClassVar, NoReturn, SupportsIndex, cast, overload
from xml.etree import ElementTree
from xml.parsers import expat

from handik.errors import ReadError
from handik.files.read._collector import no_collection
from handik.files.read._file import SIZE_CAP, read_bytes
from handik.spec._given import of_class, path_text

__all__ = [
    "Document",
    "Element",
    "Limits",
    "column",
    "floats",
    "is_text",
    "number",
    "numbers",
    "open_document",
    "parse",
    "root_tag",
]

_NUMBER_CAP = 400
_CHUNK = 1 << 14  # bytes between two hand-overs of the children of the root


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
    joints : int
        Joints, and bodies, of an MJCF file, which can have 140,000 in a megabyte; rows of a table
        of Denavit-Hartenberg parameters or of ROBOOP's.
    """

    depth: int = 256
    nodes: int = 1_000_000
    size: int = SIZE_CAP
    joints: int = 5_000


class Element(ElementTree.Element):
    """An XML element: the C element of the standard library, that knows its line and file.

    Every document has a class of its own below this one, so that an element knows its document
    without holding it. ``tag``, ``get``, ``find`` and iteration over children are inherited.
    """

    __slots__ = ()
    document: ClassVar[Document]

    if TYPE_CHECKING:  # what is inherited, of this class

        def find(self, path: str, namespaces: dict[str, str] | None = None) -> Element | None:
            """Return the first child with this tag."""

        def __iter__(self) -> Iterator[Element]: ...
        @overload
        def __getitem__(self, key: SupportsIndex, /) -> Element: ...
        @overload
        def __getitem__(self, key: slice, /) -> list[ElementTree.Element]: ...
        def __getitem__(self, key: SupportsIndex | slice, /) -> object: ...

    def __repr__(self) -> str:
        return _shown_element(self.tag, self.attrib)

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes by name."""
        return self.attrib

    @property
    def children(self) -> list[Element]:
        """The elements inside, in document order."""
        return list(self)

    @property
    def content(self) -> str:
        """The text directly inside, without the white space around it."""
        parts = [self.text or ""]
        parts += [child.tail or "" for child in self]
        return "".join(parts).strip()

    @property
    def path(self) -> str:
        """The file, or what stands for it."""
        return self.document.path

    @property
    def line(self) -> int:
        """The line where the element opens, counted from 1; found by reading once more."""
        return self.document.line_of(self)

    def find_all(self, tag: str) -> list[Element]:
        """Return every child with this tag."""
        return cast("list[Element]", self.findall(tag))

    def walk(self) -> Iterator[Element]:
        """Yield the element and all below it, in document order, without recursion."""
        return cast("Iterator[Element]", self.iter())

    def fail(self, reason: str) -> NoReturn:
        """Raise a `ReadError` that names the file, the line and this element."""
        raise ReadError(reason, self.path, self.line, repr(self))

    def need(self, attribute: str) -> str:
        """Return an attribute that must be there and not be empty."""
        value = self.get(attribute)
        if not value or not (value := value.strip()):
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
        written = self.get(attribute)
        if written is None:
            if default is None:
                self.fail(f"the attribute {attribute!r} is missing")
            return default
        known = self.document.known
        value = known.get(written)
        if value is None:
            try:
                known[written] = value = number(written.strip())
            except ValueError as error:
                self.fail(f"{attribute}: {error}")
        return value

    def numbers(self, attribute: str, count: int | None = None) -> Sequence[float]:
        """Return an attribute as `count` finite numbers (any number of them for None)."""
        rows = self.document.known_rows
        written = self.get(attribute, "")
        values = rows.get(written)
        if values is None or len(values) != count:
            try:
                rows[written] = values = tuple(numbers(self.need(attribute), count))
            except ValueError as error:
                self.fail(f"{attribute}: {error}")
        return values

    def text_numbers(self, count: int | None = None) -> list[float]:
        """Return the text as `count` finite numbers (any number of them for None)."""
        try:
            return numbers(self.content, count)
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
    values = floats(words)
    return [number(word) for word in words] if values is None else [*values]


def floats(words: Sequence[str]) -> tuple[float, ...] | None:
    """Return what are plainly finite decimal numbers, or None where one needs a closer look."""
    text = "".join(words)
    if text.isascii() and "_" not in text and len(text) <= _NUMBER_CAP:
        try:
            values = (*map(float, words),)
        except ValueError:
            return None
        if -inf < sum(values) < inf:  # the sum is finite only if every number is
            return values
    return None


def column(texts: Sequence[str], count: int = 1) -> list[float]:
    """Return the numbers of many texts of `count` each, one after the other.

    Raises
    ------
    ValueError, TypeError
        When one of them is not what `numbers` takes; it does not say which.
    """
    if not texts:
        return []
    # One split for all: a mark stands between two texts, and so must stand in every such place.
    text = " ; ".join(texts)
    if count == 1:
        words = texts  # float() takes white space around a number, and no other
    else:
        words = text.split()
        if len(words) != len(texts) * (count + 1) - 1:
            raise ValueError
        marks = words[count :: count + 1]
        if marks.count(";") != len(marks):
            raise ValueError
        del words[count :: count + 1]
    if "_" in text or not (text.isascii() or "".join(words).isascii()):
        raise ValueError
    if max(map(len, texts)) > _NUMBER_CAP and max(map(len, words)) > _NUMBER_CAP:
        raise ValueError
    values = [*map(float, words)]
    # The sum is finite only if every number is; large ones may swell it, and are looked at.
    if not (-inf < sum(values) < inf or all(map(isfinite, values))):
        raise ValueError
    return values


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


def is_text(source: str | bytes | os.PathLike[str]) -> bool:
    """Tell a document from a path: a document is bytes, or a str whose first sign is ``<``."""
    if isinstance(source, bytes):
        return True
    return isinstance(source, str) and source[:4096].lstrip("\ufeff \t\r\n").startswith("<")


def folder_of(source: str | bytes | os.PathLike[str]) -> str | None:
    """Return the folder of a file; None for a document given as text."""
    if is_text(source):
        return None
    return os.path.dirname(os.path.abspath(path_text("source", source)))


def limits_of(limits: Limits | None) -> Limits:
    """Return the limits given, or the usual ones."""
    return Limits() if limits is None else of_class("limits", limits, Limits)


def parse(
    source: str | bytes | os.PathLike[str],
    *,
    limits: Limits | None = None,
    text: bool = True,
    path: str | None = None,
    each: Callable[[Element, int], None] | None = None,
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
    each : callable, optional
        Called with every child of the root and its number, from 0, in document order; after the
        call the child is let go, and the root comes back without children. A large document
        reads faster so, as its tree never stands in memory at once.

    Raises
    ------
    ReadError
        For a malformed or truncated document, a DOCTYPE, an encoding that is not known, or a
        limit passed; with the line.
    """
    document = open_document(source, limits=limits, path=path)
    with no_collection():
        return document.tree(text, each)


def open_document(
    source: str | bytes | os.PathLike[str],
    *,
    limits: Limits | None = None,
    path: str | None = None,
) -> Document:
    """Return the bytes of a file or a text, not looked at yet; see `parse`."""
    limits = limits_of(limits)
    encoding = None
    if not is_text(source):
        assert not isinstance(source, bytes)
        path = path_text("source", source) if path is None else path
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
    return Document(path, data, limits, encoding)


def root_tag(path: str | os.PathLike[str]) -> str:
    """Return the tag of the root element of a file, from its first 64 KiB; empty for none."""
    found: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda tag, _: found.append(tag)
    data = read_bytes(path)[:65536]
    # What is amiss with its text is left to the reader that its root element chooses.
    with suppress(expat.ExpatError, LookupError, ValueError):
        parser.Parse(data, False)
    return found[0] if found else ""


class Document:
    """The bytes of a document, and the two ways over them.

    `tree` is the quick one: expat's events go straight to the standard library's tree builder,
    with no Python between them. Whatever is amiss is left to `scan`, the careful one, which
    counts nodes, depth and lines.
    """

    def __init__(self, path: str, data: bytes, limits: Limits, encoding: str | None) -> None:
        self.path = path
        self.data = data
        self.limits = limits
        self.encoding = encoding
        self.root: Element | None = None
        # A robot file writes the same few numbers again and again; each is read once.
        self.known: dict[str, float] = {}
        self.known_rows: dict[str, tuple[float, ...]] = {}
        self.gone = 0  # children of the root that were handed over
        self.lines: tuple[list[int], list[int]] | None = None
        self.places: dict[int, tuple[ElementTree.Element, int]] = {}  # of elements among the lines

    def parser(self) -> expat.XMLParserType:
        """Return a parser that refuses a DOCTYPE as soon as it opens."""
        parser = expat.ParserCreate(self.encoding)
        parser.buffer_text = True

        def doctype(*_: object) -> None:
            raise ReadError(
                "a DOCTYPE is refused: it could declare entities that swell or reach outside",
                self.path,
                parser.CurrentLineNumber,
            )

        parser.StartDoctypeDeclHandler = doctype
        return parser

    def tree(
        self, text: bool, each: Callable[[Element, int], None] | None, plain: bool = False
    ) -> Element:
        """Return the root, see `parse`; `plain` elements are quicker and know no document."""
        data, self.gone, self.root = self.data, 0, None
        # An element takes at least four bytes, an attribute five; each element has a "<" and each
        # attribute a "=", in every encoding that expat takes.
        if len(data) > 4 * self.limits.nodes and (
            data.count(b"<") + data.count(b"=") > self.limits.nodes
        ):
            self.scan()
        kind = None if plain else type("Element", (Element,), {"__slots__": (), "document": self})
        builder = ElementTree.TreeBuilder(kind)
        parser = self.parser()
        start = builder.start

        def first(tag: str, attributes: dict[str, str]) -> None:
            parser.StartElementHandler = start
            self.root = cast(Element, start(tag, attributes))

        parser.StartElementHandler = first
        parser.EndElementHandler = builder.end
        if text:
            parser.CharacterDataHandler = builder.data
        try:
            at = since = 0
            while each is not None and len(data) - at > _CHUNK:
                parser.Parse(data[at : at + _CHUNK], False)
                if self.root is not None and len(self.root) > 1:
                    # The last child may still be open; it began after `at`.
                    self.hand_over(each, len(self.root) - 1, since, at + _CHUNK)
                    since = at
                at += _CHUNK
            parser.Parse(data[at:] if at else data, True)
            if self.root is not None:
                self.hand_over(each, len(self.root), since, len(data))
        except (ReadError, expat.ExpatError, LookupError, ValueError):
            self.scan()  # a malformed document is refused as such, whatever else is amiss
            raise
        finally:
            _let_go(parser)
        return cast(Element, builder.close())

    def hand_over(
        self, each: Callable[[Element, int], None] | None, count: int, begin: int, end: int
    ) -> None:
        """Check the depth of the first children of the root, then give them to `each`.

        They stand among the bytes from `begin` to `end`. All but the deepest element of a nest
        have a closing tag, and where there are too few of these nothing nests too deep; only in
        UTF-16, which is full of zeros, a closing tag is written otherwise.
        """
        root = self.root
        assert root is not None
        ready = level = root[:count]
        if self.data.count(b"</", begin, end) < self.limits.depth - 1 and 0 not in self.data:
            level = []
        depth = 1
        while level:
            depth += 1
            if depth > self.limits.depth:
                self.scan()
            level = [inner for element in level if len(element) for inner in element]
        if each is not None:
            for number, child in enumerate(cast("list[Element]", ready), self.gone):
                each(child, number)
            self.gone += count
            del root[:count]

    def line_of(self, element: Element) -> int:
        """Line of an element that still stands in this document."""
        assert self.root is not None
        if element is self.root:
            return self.line_of_child(-1)
        lines, starts = self._line_table()
        if self.places.get(id(element), (None, 0))[0] is not element:
            # The root holds its elements, so that no other has the place of one in memory.
            self.places = {}
            for number, child in enumerate(self.root, self.gone):
                for place, other in enumerate(child.iter()):
                    self.places[id(other)] = other, starts[number] + place
        return lines[self.places[id(element)][1]]

    def line_of_child(self, number: int) -> int:
        """Line of a child of the root by its number, or of the root itself for -1."""
        lines, starts = self._line_table()
        return lines[0 if number < 0 else starts[number]]

    def _line_table(self) -> tuple[list[int], list[int]]:
        """Lines of all elements, and where the children of the root stand among them."""
        if self.lines is None:
            self.lines = self.scan()
        return self.lines

    def scan(self) -> tuple[list[int], list[int]]:
        """Return the lines of all elements, or raise what is wrong with the document."""
        parser, path = self.parser(), self.path
        depth_cap, node_cap = self.limits.depth, self.limits.nodes
        nodes = 0
        lines: list[int] = []
        starts: list[int] = []
        stack: list[tuple[str, dict[str, str]]] = []

        def fail(reason: str) -> NoReturn:
            raise ReadError(reason, path, parser.CurrentLineNumber)

        def opened(tag: str, attributes: dict[str, str]) -> None:
            nonlocal nodes
            nodes += 1 + len(attributes)
            if nodes > node_cap:
                fail(f"more than {node_cap} elements and attributes")
            if len(stack) >= depth_cap:
                fail(f"elements nest deeper than {depth_cap}")
            if len(stack) == 1:
                starts.append(len(lines))
            lines.append(parser.CurrentLineNumber)
            stack.append((tag, attributes))

        def closed(_: str) -> None:
            stack.pop()

        parser.StartElementHandler = opened
        parser.EndElementHandler = closed
        try:
            parser.Parse(self.data, True)
        except expat.ExpatError as error:
            inside = _shown_element(*stack[-1]) if stack else None
            reason = expat.errors.messages.get(error.code, "malformed")
            raise ReadError(f"not well-formed XML: {reason}", path, error.lineno, inside) from None
        except ReadError:
            raise
        except (LookupError, ValueError) as error:
            # What expat asks Python about an encoding that it does not know itself.
            raise ReadError(f"the encoding cannot be read: {error}", path, 1) from None
        finally:
            _let_go(parser)
        return lines, starts


def _let_go(parser: expat.XMLParserType) -> None:
    """Drop the handlers: one that knows its parser would keep both, and the bytes, from freeing."""
    parser.StartDoctypeDeclHandler = None
    parser.StartElementHandler = parser.EndElementHandler = None


def _shown_element(tag: str, attributes: dict[str, str]) -> str:
    name = attributes.get("name")
    return f"<{tag}>" if name is None else f'<{tag} name="{name[:80]}">'
