"""Reading of plain text files: the document, and errors that name file and line."""

from __future__ import annotations

import os
from typing import NoReturn

from handik.errors import ReadError
from handik.files.read._file import SIZE_CAP, read_bytes
from handik.spec._given import path_text

__all__ = ["Lines"]


class Lines:
    """The lines of a text file, or of a document given as bytes or as a str of several lines.

    Attributes
    ----------
    path : str
        The file, or ``<text>``.
    source : str or None
        The file, or None.
    lines : list of str
        Without their ends; line 1 is ``lines[0]``.
    """

    def __init__(self, source: str | bytes | os.PathLike[str], size: int = SIZE_CAP) -> None:
        self.path, self.source = "<text>", None
        if isinstance(source, bytes):
            data = source
        elif isinstance(source, str) and "\n" in source:
            data = source.encode("utf-8", "replace")
        else:
            self.path = self.source = path_text("source", source)
            data = read_bytes(source, size)
        if len(data) > size:
            raise ReadError(f"the text is longer than the limit of {size} bytes", self.path)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")  # the formats' own words are ASCII; names may be not
        # Not splitlines(), which also cuts at signs that no editor counts as a line's end.
        self.lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def fail(self, reason: str, line: int | None = None, element: str | None = None) -> NoReturn:
        """Raise a `ReadError` at a line counted from 1."""
        raise ReadError(reason, self.path, line, element)
