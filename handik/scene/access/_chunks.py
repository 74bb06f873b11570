"""People by chunks: on a cluster of Dask, and kept in a folder, so that a broken run goes on."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from handik._core import __version__
from handik.errors import ArgumentError, UnsupportedError, shortened
from handik.people import Human, Population
from handik.scene.access._causes import Found

if TYPE_CHECKING:
    from handik.scene import Scene

__all__ = [
    "SIZE",
    "Answer",
    "Store",
    "checked_client",
    "on_cluster",
    "question_of",
    "ranges",
]

Array = NDArray[np.float64]
#: Verdicts, how short the hand stays, and why, of all tasks of one person.
Answer = tuple[NDArray[np.str_], Array, list[Found | None]]
#: People in a chunk: whatever the cluster, so that a run goes on on another one.
SIZE = 8
_CAUSE = ("verdict", "kind", "what", "bound", "turns")
_KEPT = "question.json"


def ranges(count: int) -> list[tuple[int, int]]:
    """Return the first and last but one of each chunk."""
    return [(first, min(first + SIZE, count)) for first in range(0, count, SIZE)]


# ---- a folder ----


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UnsupportedError(
            "folder keeps answers as Parquet: pip install 'handik[cluster]'"
        ) from None
    return pyarrow


def _who(person: Any) -> Any:
    """Return what makes a person, without what was worked out of it since."""
    if isinstance(person, Human):
        kept = {one.name: getattr(person, one.name) for one in fields(person) if one.init}
        kept["dimensions"] = dict(person.dimensions)
        return kept
    return person


def question_of(people: Any, scene: Scene | None, asked: Mapping[str, Any]) -> str:
    """Return a digest of all that is asked, by which a folder knows its own question."""
    if isinstance(people, Population):
        who: Any = (
            people.dimensions.dtype.names,
            people.dimensions.tobytes(),
            people.sex.tolist(),
            people.profile,
            people.chair,
            people.seat_height.tobytes(),
        )
    else:
        who = [_who(person) for person in people]
    text = "" if scene is None else scene
    parts = [pickle.dumps(part, protocol=4) for part in (who, text, sorted(asked.items()))]
    parts.append(__version__.encode())  # another one may have other verdicts
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


class Store:
    """A folder with the answers of chunks, each a Parquet file that is whole or is not there.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    digest : str
        Of the question, as of `question_of`.
    names : tuple of str
        Of the tasks.

    Raises
    ------
    ArgumentError
        When it has the answers to another question, or its question cannot be read.
    UnsupportedError
        When there is no pyarrow.
    """

    def __init__(self, folder: str | os.PathLike[str], digest: str, names: tuple[str, ...]) -> None:
        self.arrow, self.folder, self.names = _arrow(), Path(folder), names
        self.folder.mkdir(parents=True, exist_ok=True)
        kept = self.folder / _KEPT
        if not kept.exists():
            if any(self.folder.glob("people-*.parquet")):
                raise ArgumentError(f"folder {str(folder)!r} has answers, but no {_KEPT}")
            text = json.dumps({"question": digest, "tasks": list(names)}, indent=1) + "\n"
            self._replace(kept, lambda path: path.write_text(text, "utf-8"))
            return
        try:
            found = json.loads(kept.read_text("utf-8"))["question"]
        except (ValueError, KeyError, TypeError):
            raise ArgumentError(f"{str(kept)!r} cannot be read: give another folder") from None
        if found != digest:
            raise ArgumentError(
                f"folder {str(folder)!r} has the answers to another question: give another folder"
            )

    def _replace(self, path: Path, write: Callable[[Path], object]) -> None:
        new = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            write(new)
            os.replace(new, path)
        finally:
            new.unlink(missing_ok=True)

    def _path(self, first: int, last: int) -> Path:
        return self.folder / f"people-{first:06d}-{last - 1:06d}.parquet"

    def keep(self, first: int, answers: Sequence[Answer]) -> None:
        """Write the answers of a chunk."""
        rows: dict[str, list[Any]] = {
            name: [] for name in ("person", "task", "verdict", "short_least", "short_most")
        }
        rows |= {f"cause_{name}": [] for name in _CAUSE}
        for k, (words, short, why) in enumerate(answers):
            for j, name in enumerate(self.names):
                values = (first + k, name, str(words[j]), float(short[j, 0]), float(short[j, 1]))
                found = why[j]
                for key, value in zip(rows, (*values, *(found or [None] * 5)), strict=True):
                    rows[key].append(value)
        pa = self.arrow
        word, real = pa.string(), pa.float64()
        kinds = (pa.int64(), word, word, real, real, word, word, word, real, pa.bool_())
        table = pa.table(rows, pa.schema(list(zip(rows, kinds, strict=True))))
        path = self._path(first, first + len(answers))
        self._replace(path, partial(pa.parquet.write_table, table))

    def read(self, first: int, last: int) -> list[Answer] | None:
        """Return the answers of a chunk; None: they are not there, or cannot be read."""
        pa, path = self.arrow, self._path(first, last)
        if not self.names or not path.exists():
            return None
        try:
            columns = pa.parquet.read_table(path).to_pydict()
        except (pa.ArrowException, OSError):
            return None
        many = len(self.names)
        people = [first + k for k in range(last - first) for _ in self.names]
        if columns.get("person") != people or columns.get("task") != list(self.names) * (
            last - first
        ):
            return None
        out: list[Answer] = []
        for at in range(0, len(people), many):
            rows = range(at, at + many)
            words = np.array([columns["verdict"][r] for r in rows], "<U9")
            short = np.array(
                [[columns[f"short_{end}"][r] for end in ("least", "most")] for r in rows]
            )
            causes = [[columns[f"cause_{name}"][r] for name in _CAUSE] for r in rows]
            out.append((words, short, [None if c[1] is None else Found(*c) for c in causes]))
        return out


# ---- a cluster ----


def checked_client(client: Any) -> Any:
    """Return a client of Dask, or None."""
    if client is None or all(hasattr(client, name) for name in ("submit", "cancel", "scheduler")):
        return client
    raise TypeError(f"client must be a distributed.Client, got {shortened(client)}")


@dataclass(frozen=True)
class _Chunk:
    """What asks some people, as it goes to a worker: a pickle, and which of them."""

    first: int
    last: int


def _read(data: bytes) -> Any:
    return pickle.loads(data)  # made by `on_cluster` below, and by nobody else


def _ask(question: Any, chunk: _Chunk) -> list[Answer]:
    makers, ask = question
    return [ask(make()) for make in makers[chunk.first : chunk.last]]


def on_cluster(
    client: Any,
    makers: Sequence[Callable[[], Any]],
    ask: Callable[[Any], Answer],
    chunks: Sequence[tuple[int, int]],
) -> Iterator[tuple[int, list[Answer]]]:
    """Give the answers of chunks as they come, each with its first person.

    What is asked goes as one task that every chunk needs, so that the scheduler can make it again:
    data that were scattered would be lost with the worker that has them.
    """
    try:
        from distributed import as_completed
    except ImportError:
        raise UnsupportedError("client needs Dask: pip install 'handik[cluster]'") from None
    run = uuid4().hex
    data = pickle.dumps((list(makers), ask), protocol=5)
    question = client.submit(_read, data, key=f"handik-question-{run}", pure=False)
    tasks = {}
    for first, last in chunks:
        key = f"handik-people-{first}-{run}"
        tasks[client.submit(_ask, question, _Chunk(first, last), key=key, pure=False)] = first
    arriving: Any = as_completed  # it has no types
    try:
        for done in arriving(list(tasks)):
            yield tasks.pop(done), done.result()
            done.release()
    finally:
        if tasks:
            client.cancel(list(tasks))
