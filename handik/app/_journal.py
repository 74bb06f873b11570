"""The recovery journal: what was done since the last save, a line an action, for the next start.

A line is its checksum, a blank, and JSON. A last line that a crash has torn is left out; so is all
after a line that is damaged, for what follows rests on it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

from handik.errors import ArgumentError

__all__ = ["Journal", "entries"]


def _line(entry: Any) -> bytes:
    text = json.dumps(entry, separators=(",", ":")).encode("utf-8")
    return b"%08x %s\n" % (crc32(text), text)


def entries(path: str | os.PathLike[str]) -> Iterator[Any]:
    """Yield the entries of a journal, up to the first that is torn."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        return
    for line in data.split(b"\n")[:-1]:
        word, _, text = line.partition(b" ")
        if word != b"%08x" % crc32(text):
            return
        yield json.loads(text)


def _lock(file: Any) -> None:
    """Keep a file from other processes; on Windows its byte far beyond the end."""
    try:
        import fcntl
    except ImportError:
        import msvcrt

        at = file.tell()
        file.seek(2**30)
        # the types know it on Windows alone
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        file.seek(at)
        return
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Journal:
    """A journal that is written; the one that was there before is kept until it is recovered.

    Parameters
    ----------
    path : path
        The file. Another process may not write it at the same time: it holds a lock.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.found = list(entries(self.path))
        # without a buffer: on a full disk it would keep what was refused, and fail again at the end
        self._file = open(self.path, "ab", buffering=0)
        try:
            _lock(self._file)
        except OSError:
            self._file.close()
            raise ArgumentError(f"{self.path}: another application writes this journal") from None
        size = sum(len(_line(entry)) for entry in self.found)
        self._file.truncate(size)

    def add(self, entry: Any) -> None:
        """Write an entry to the disk.

        Raises
        ------
        OSError
            When it cannot be written; what was written before stays whole.
        """
        self._file.seek(0, os.SEEK_END)
        size = self._file.tell()
        try:
            rest = memoryview(_line(entry))
            while rest:
                rest = rest[self._file.write(rest) :]
            os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(size)
            raise

    def clear(self) -> None:
        """Forget all: it was saved."""
        self.found = []
        self._file.seek(0)
        self._file.truncate(0)
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()
