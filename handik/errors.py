"""The errors handik raises: one family, each also the built-in that fits.

A wrong call or a broken model raises; a target that cannot be reached does not, it is an outcome.

=====================  =========================  ==============================================
error                  also a                     raised when
=====================  =========================  ==============================================
`ArgumentError`        `ValueError`               an argument has a wrong value or shape
`ModelError`           `ValueError`               a joint tree is not one that can be posed
`ReadError`            `ModelError`               a file does not say what its format asks for
`MissingFileError`     `ReadError`                the file is not there (`FileNotFoundError`)
`NotFoundError`        `KeyError`                 no joint, link, frame or solver has that name
`UnsupportedError`     `RuntimeError`             the thing is known but cannot be done here
`InternalError`        `RuntimeError`             handik broke its own promise: please report
=====================  =========================  ==============================================
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from reprlib import Repr
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self

__all__ = [
    "ArgumentError",
    "HandikError",
    "InternalError",
    "MissingFileError",
    "ModelError",
    "NotFoundError",
    "ReadError",
    "UnsupportedError",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)


# Beyond this many names a search for near ones costs more than it helps.
_NEAR_NAMES_CAP = 5000
_REPR = Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 120
shortened = _REPR.repr


class HandikError(Exception):
    """Any error of handik's own.

    Examples
    --------
    >>> import handik as hk
    >>> try:
    ...     hk.load("arm.step")
    ... except hk.HandikError as error:
    ...     type(error).__name__
    'UnsupportedError'
    """


class ArgumentError(HandikError, ValueError):
    """An argument has a value or a shape that the call cannot use.

    Examples
    --------
    >>> import handik as hk
    >>> try:
    ...     hk.chain([-1.0])
    ... except hk.ArgumentError as error:
    ...     print(error)
    lengths[0] is negative: -1.0
    """


class ModelError(HandikError, ValueError):
    """A joint tree that cannot be posed; the sentence names the joint or link.

    Attributes
    ----------
    part : tuple of str or None
        What is at fault when known, as ``("joint", name)``, ``("link", name)`` or
        ``("frame", name)``.

    Examples
    --------
    >>> import handik as hk
    >>> try:
    ...     hk.chain([1.0], lower=1.0, upper=-1.0)
    ... except hk.ModelError as error:
    ...     error.part
    ('joint', 'joint_1')
    """

    part: tuple[str, str] | None = None


class ReadError(ModelError):
    """A file that does not say what its format asks for.

    Parameters
    ----------
    reason : str
        The sentence, without its place.
    path : str, optional
        The file, or ``<text>`` for a document given as text.
    line : int, optional
        The line, counted from 1.
    element : str, optional
        The element at fault, such as ``<joint name="elbow">``.

    Examples
    --------
    >>> from handik.errors import ReadError
    >>> from handik.files.read.urdf import read_urdf
    >>> try:
    ...     read_urdf("<robot>")
    ... except ReadError as error:
    ...     error.line
    1
    """

    def __init__(
        self,
        reason: str,
        path: str | None = None,
        line: int | None = None,
        element: str | None = None,
    ) -> None:
        super().__init__(reason, path, line, element)
        self.reason = reason
        self.path = path
        self.line = line
        self.element = element

    def __str__(self) -> str:
        place = "" if self.path is None else f"{self.path}:"
        if self.line is not None:
            place += f"{self.line}:" if place else f"line {self.line}:"
        words = [place] if place else []
        if self.element is not None:
            words.append(f"{self.element}:")
        return " ".join([*words, self.reason])


class MissingFileError(ReadError, FileNotFoundError):
    """The file to read is not there; ``except FileNotFoundError`` catches it too.

    Examples
    --------
    >>> import handik as hk
    >>> try:
    ...     hk.load("no such file.urdf")
    ... except FileNotFoundError as error:
    ...     type(error).__name__
    'MissingFileError'
    """

    def __new__(cls, *args: object, **fields: object) -> Self:
        """Make it as FileNotFoundError is made: ValueError, which comes first, cannot."""
        del fields
        return FileNotFoundError.__new__(cls, *args)

    def __init__(
        self,
        reason: str,
        path: str | None = None,
        line: int | None = None,
        element: str | None = None,
    ) -> None:
        super().__init__(reason, path, line, element)
        self.errno = errno.ENOENT
        self.filename = path


class NotFoundError(HandikError, KeyError):
    """No joint, link, frame or solver has the name asked for.

    Examples
    --------
    >>> import handik as hk
    >>> try:
    ...     hk.Solver("fabrick")
    ... except hk.NotFoundError:
    ...     print("no such solver")
    no such solver
    """

    def __str__(self) -> str:
        # KeyError prints the repr of its argument; a sentence must stay a sentence.
        return Exception.__str__(self)


class UnsupportedError(HandikError, RuntimeError):
    """The thing asked for is known, but cannot be done here; the sentence says what can.

    Examples
    --------
    >>> import handik as hk
    >>> try:
    ...     hk.load("arm.step")
    ... except hk.UnsupportedError:
    ...     print("no reader for that suffix")
    no reader for that suffix
    """


class InternalError(HandikError, RuntimeError):
    """handik broke a promise of its own; please report it.

    Examples
    --------
    >>> import handik as hk
    >>> issubclass(hk.InternalError, hk.HandikError)
    True
    """


def name_not_found(what: str, name: object, known: Iterable[str]) -> NotFoundError:
    """Return the error for an unknown name, with the nearest known ones in its sentence.

    Parameters
    ----------
    what : str
        What was looked for: ``"link"``, ``"frame"``, ``"solver"``.
    name : object
        The name given.
    known : iterable of str
        The names there are.
    """
    names = list(known)
    near: list[str] = []
    if isinstance(name, str) and len(names) <= _NEAR_NAMES_CAP:
        from difflib import get_close_matches

        near = get_close_matches(name, names, n=3)
        # another case, or a part of a name
        near = near or [known for known in names if len(name) > 3 and name.lower() in known.lower()]
        near = near[:3] or [known for known in names if known.lower() == name.lower()]
    if near:
        hint = "; near names: " + ", ".join(near)
    elif names:
        hint = "; there are: " + ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
    else:
        hint = f"; there is no {what} at all"
    return NotFoundError(f"no {what} is called {shortened(name)}{hint}")
