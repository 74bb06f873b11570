"""People by chunks: on a cluster of Dask, and kept in a folder, so that a broken run goes on."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from handik._core import __version__
from handik.errors import ArgumentError, UnsupportedError, shortened
from handik.people import Human, Population
from handik.scene.access._causes import Found

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
#: People in a chunk: whatever the cluster, so that a run goes on on another one.
SIZE = 8
#: Seconds for which a cluster may be without a worker; between two looks at who is there; and
#: between two looks at what has arrived.
PATIENCE, LOOK, PAUSE = 60.0, 1.0, 0.02
_CAUSE = ("verdict", "kind", "what", "bound", "turns")
_KEPT = "question.json"


class Answer(NamedTuple):
    """Verdicts, how short the hand stays, and why, of all tasks of one person.

    `reused`: from how many places a verdict followed from another one.
    """

    verdict: NDArray[np.str_]
    short: Array
    why: list[Found | None]
    reused: NDArray[np.intp]


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
        kept["_at_origin"] = _who(person._at_origin)
        return kept
    return person


def question_of(people: Any, things: Sequence[Any], asked: Mapping[str, Any]) -> str:
    """Return a digest of all that is asked, by which a folder knows its own question.

    Each is pickled by itself: whether two are one object in memory must not tell.
    """
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
    parts = [pickle.dumps(part, protocol=4) for part in (who, *things, *sorted(asked.items()))]
    parts.append(__version__.encode())  # another one may have other verdicts
    return hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()


def _digest_of(columns: Mapping[str, list[Any]]) -> str:
    return hashlib.sha256(repr(dict(columns)).encode("utf-8", "surrogatepass")).hexdigest()


def _linked(new: Path, path: Path) -> bool:
    """Say whether a file is there, ours or that of who was first; no: links cannot be made here."""
    try:
        os.link(new, path)
    except FileExistsError:
        return True
    except OSError:
        return False
    return True


class Store:
    """A folder with the answers of chunks, each a Parquet file that is whole or is not there.

    Each tells its question, and a digest of its rows: what was damaged, or belongs to another run
    that began at the same time, is asked again.

    Parameters
    ----------
    folder : path
        Made if it is not there.
    digest : str
        Of the question, as of `question_of`.
    names : tuple of str
        Of the tasks.
    columns : mapping of str to sequence of str, optional
        More of each task, each in a column of its own.

    Raises
    ------
    ArgumentError
        When it has the answers to another question, its question cannot be read, or a name is no
        text.
    UnsupportedError
        When there is no pyarrow.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        digest: str,
        names: tuple[str, ...],
        columns: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.columns = dict(columns or {})
        self.arrow, self.folder, self.names = _arrow(), Path(folder), names
        self.digest = digest
        for name in (*names, *(word for column in self.columns.values() for word in column)):
            try:
                name.encode()
            except UnicodeEncodeError:
                raise ArgumentError(f"task {name!r} is no text that a file can have") from None
        self.folder.mkdir(parents=True, exist_ok=True)
        kept = self.folder / _KEPT
        if not kept.exists():
            if any(self.folder.glob("people-*.parquet")):
                raise ArgumentError(f"folder {str(folder)!r} has answers, but no {_KEPT}")
            text = json.dumps({"question": digest, "tasks": list(names)}, indent=1) + "\n"
            self._write(kept, text.encode(), first=True)
        try:
            found = json.loads(kept.read_text("utf-8"))["question"]
        except (ValueError, KeyError, TypeError):
            raise ArgumentError(f"{str(kept)!r} cannot be read: give another folder") from None
        if found != digest:
            raise ArgumentError(
                f"folder {str(folder)!r} has the answers to another question: give another folder"
            )

    def _write(self, path: Path, data: bytes, *, first: bool = False) -> None:
        """Write a file whole or not at all; `first`: unless another run was first."""
        new = path.with_name(f".{path.name}.{uuid4().hex}")  # others may write the same
        try:
            with new.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if first and _linked(new, path):
                return
            os.replace(new, path)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(path)) from None
        finally:
            new.unlink(missing_ok=True)

    def _path(self, first: int, last: int) -> Path:
        return self.folder / f"people-{first:06d}-{last - 1:06d}.parquet"

    def keep(self, first: int, answers: Sequence[Answer]) -> None:
        """Write the answers of a chunk."""
        own = ("person", "task", *self.columns, "verdict", "short_least", "short_most", "reused")
        rows: dict[str, list[Any]] = {name: [] for name in own}
        rows |= {f"cause_{name}": [] for name in _CAUSE}
        for k, one in enumerate(answers):
            for j, name in enumerate(self.names):
                least, most = one.short[j].tolist()
                more = [column[j] for column in self.columns.values()]
                gap = (str(one.verdict[j]), least, most, int(one.reused[j]))
                values = (first + k, name, *more, *gap)
                found = one.why[j]
                for key, value in zip(rows, (*values, *(found or [None] * 5)), strict=True):
                    rows[key].append(value)
        pa = self.arrow
        word, real = pa.string(), pa.float64()
        whole = pa.int64()
        more = [word] * len(self.columns)
        kinds = (whole, word, *more, word, real, real, whole, word, word, word, real, pa.bool_())
        table = pa.table(rows, pa.schema(list(zip(rows, kinds, strict=True))))
        said = {"question": self.digest, "rows": _digest_of(table.to_pydict())}
        sink = pa.BufferOutputStream()
        pa.parquet.write_table(table.replace_schema_metadata(said), sink)
        self._write(self._path(first, first + len(answers)), sink.getvalue().to_pybytes())

    def read(self, first: int, last: int) -> list[Answer] | None:
        """Return the answers of a chunk; None: they are not there, or cannot be read."""
        pa, path = self.arrow, self._path(first, last)
        if not self.names or not path.exists():
            return None
        try:
            table = pa.parquet.read_table(path)
            columns, said = table.to_pydict(), table.schema.metadata or {}
        except (pa.ArrowException, OSError, ValueError, OverflowError):
            return None
        wanted = {b"question": self.digest.encode(), b"rows": _digest_of(columns).encode()}
        if any(said.get(key) != value for key, value in wanted.items()):
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
            why = [None if c[1] is None else Found(*c) for c in causes]
            reused = np.array([columns["reused"][r] for r in rows], np.intp)
            out.append(Answer(words, short, why, reused))
        return out


# ---- a cluster ----


def checked_client(client: Any) -> Any:
    """Return a client of Dask that can be asked, or None."""
    if client is None:
        return None
    if not all(hasattr(client, name) for name in ("submit", "cancel", "scheduler")):
        raise TypeError(f"client must be a distributed.Client, got {shortened(client)}")
    if getattr(client, "asynchronous", False):
        raise ArgumentError("client is asynchronous, and here nothing is awaited: give another one")
    if getattr(client, "status", "running") in ("closing", "closed"):
        raise ArgumentError("client is closed")
    return client


@dataclass(frozen=True)
class _Chunk:
    """What asks some people, as it goes to a worker: a pickle, and which of them."""

    first: int
    last: int


def _read(version: str, data: bytes) -> Any:
    if version != __version__:  # before what another one made is read
        return f"a worker has handik {__version__}, the client {version}: install one of them"
    return pickle.loads(data)  # made by `on_cluster` below, and by nobody else


def _ask(question: Any, chunk: _Chunk) -> list[Answer]:
    if isinstance(question, str):
        raise UnsupportedError(question)
    people, ask = question
    return [ask(who) for who in people[chunk.first : chunk.last]]


def _arrived(client: Any, arriving: Any, count: int) -> Generator[Any, None, None]:
    """Give futures as they are done; without a worker none ever is, and that is told."""
    looked = last = time.monotonic()
    while count:
        batch = arriving.next_batch(block=False)
        if batch:
            count -= len(batch)
            yield from batch
            last = time.monotonic()
            continue
        now = time.monotonic()
        if now - looked > LOOK:
            looked = now
            with suppress(OSError, RuntimeError):  # a connection that is lost has none either
                last = now if client.nthreads() else last
            if now - last > PATIENCE:
                raise UnsupportedError(
                    f"the cluster has had no worker for {PATIENCE:g} s: start some, and wait for "
                    "them by client.wait_for_workers(1)"
                )
        time.sleep(PAUSE)


def on_cluster(
    client: Any,
    people: Sequence[Any],
    ask: Callable[[Any], Answer],
    chunks: Sequence[tuple[int, int]],
) -> Generator[tuple[int, list[Answer]], None, None]:
    """Give the answers of chunks as they come, each with its first person.

    What is asked goes as one task that every chunk needs, so that the scheduler can make it again:
    data that were scattered would be lost with the worker that has them.
    """
    try:
        from distributed import as_completed
        from distributed import client as clients
        from distributed.scheduler import KilledWorker
    except ImportError:
        raise UnsupportedError("client needs Dask: pip install 'handik[cluster]'") from None
    closed: Any = getattr(clients, "ClosedClientError", ConnectionError)  # newer than 2024.5
    run = uuid4().hex
    data = pickle.dumps((list(people), ask), protocol=5)
    key = f"handik-question-{run}"
    question = client.submit(_read, __version__, data, key=key, pure=False)
    tasks = {}
    for first, last in chunks:
        key = f"handik-people-{first}-{run}"
        tasks[client.submit(_ask, question, _Chunk(first, last), key=key, pure=False)] = first
    arriving: Any = as_completed  # it has no types
    try:
        for done in _arrived(client, arriving(list(tasks)), len(tasks)):
            first = tasks.pop(done)
            try:
                answers = done.result()
            except KilledWorker:
                last = min(first + SIZE, len(people)) - 1
                raise UnsupportedError(
                    f"every worker that was asked of the people {first} to {last} was lost, as by "
                    "too little memory: their logs may tell"
                ) from None
            except (CancelledError, closed):
                raise UnsupportedError("the cluster was closed before all were asked") from None
            yield first, answers
            done.release()
    finally:
        with suppress(closed):  # its tasks went with it
            client.cancel([question, *tasks])
