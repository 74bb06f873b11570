"""Opening of files that others wrote: they are there, they are files, they are not too long."""

from __future__ import annotations

import os
import stat
from typing import BinaryIO

from handik.errors import MissingFileError, ReadError
from handik.spec._given import path_text

__all__ = ["SIZE_CAP", "open_file", "read_bytes"]

#: Bytes that a reader takes unless told otherwise.
SIZE_CAP = 64 * 2**20
_WORDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def open_file(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading.

    A pipe is opened without waiting for its writer, which may never come, and is then refused like
    all that is no file. A terminal does not become that of the process.

    Raises
    ------
    MissingFileError
        When there is none.
    ReadError
        When it is no file, or cannot be opened.
    """
    name = path_text("path", path)
    flags = os.O_RDONLY
    for name_of_flag in ("O_NONBLOCK", "O_NOCTTY", "O_BINARY"):  # where the system has it
        flags |= getattr(os, name_of_flag, 0)
    try:
        stream = open(name, "rb", opener=lambda path, _: os.open(path, flags))
    except FileNotFoundError:
        raise MissingFileError("there is no such file", name) from None
    except IsADirectoryError:
        raise ReadError("it is a folder, not a file", name) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ReadError(f"the file cannot be read: {reason}", name) from error
    kind = stat.S_IFMT(os.fstat(stream.fileno()).st_mode)
    if kind != stat.S_IFREG:
        stream.close()
        raise ReadError(f"it is {_WORDS.get(kind, 'something else')}, not a file", name)
    return stream


def read_bytes(path: str | os.PathLike[str], size: int = SIZE_CAP) -> bytes:
    """Return the bytes of a file that is there, is a file, and is no longer than `size`."""
    with open_file(path) as stream:
        try:
            data = stream.read(size + 1)
        except OSError as error:
            name = os.fspath(path)
            raise ReadError(f"the file cannot be read: {error.strerror or error}", name) from error
    if len(data) > size:
        raise ReadError(f"the file is longer than the limit of {size} bytes", os.fspath(path))
    return data
