"""More targets than memory should hold: solved piece by piece, answers as they come, or a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import ArrayLike, NDArray

from handik.errors import ArgumentError
from handik.result import Result
from handik.spec._given import as_array, path_text

if TYPE_CHECKING:
    from handik.problem import Problem
    from handik.solve.call import Solver

Array = NDArray[np.float64]


class RowFile:
    """A ``.npy`` file of rows of doubles that grows; its header says at any time what is in it."""

    def __init__(self, file: BinaryIO, width: int) -> None:
        self.file, self.width, self.rows = file, width, 0
        self._head()

    def _head(self) -> None:
        # NumPy leaves room in the header for the first axis to grow in place.
        self.file.seek(0)
        shape = (self.rows, self.width)
        head = {"descr": "<f8", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(self.file, head)
        self.file.seek(0, os.SEEK_END)

    def append(self, rows: Array) -> None:
        """Add rows, then count them."""
        self.file.write(np.ascontiguousarray(rows, "<f8").data)
        self.rows += len(rows)
        self._head()
        self.file.flush()


def pieces(targets: Any, width: int, chunk: int) -> Iterator[Array]:
    """Cut an array of targets into chunks; pass on what comes in pieces already."""
    if isinstance(targets, (np.ndarray, list, tuple)):
        rows = as_array("targets", targets)
        if rows.ndim != 2 or rows.shape[1] != width:
            raise ArgumentError(f"targets must have shape (N, {width}), got {rows.shape}")
        return (np.asarray(rows[k : k + chunk]) for k in range(0, len(rows), chunk))
    if not isinstance(targets, Iterable):
        raise ArgumentError(
            f"targets must be an array of shape (N, {width}) or an iterable of such arrays, "
            f"got {type(targets).__name__}"
        )
    return each(targets, width, chunk)


def each(targets: Iterable[Any], width: int, chunk: int) -> Iterator[Array]:
    """Check the pieces of an iterable, and cut those that are longer than a chunk."""
    for number, piece in enumerate(targets):
        rows = as_array(f"piece {number} of the targets", piece)
        if rows.ndim != 2 or rows.shape[1] != width:
            raise ArgumentError(
                f"piece {number} of the targets must have shape (N, {width}), got {rows.shape}"
            )
        for k in range(0, len(rows), chunk):
            yield rows[k : k + chunk]


def solved(
    solver: Solver,
    problem: Problem,
    targets: Iterator[Array],
    q0: ArrayLike | None,
    file: str | os.PathLike[str] | None,
) -> Iterator[Result]:
    """Solve piece after piece; see `handik.Solver.stream`."""
    with ExitStack() as stack:
        rows = None
        if file is not None:
            rows = RowFile(
                stack.enter_context(Path(path_text("file", file)).open("w+b")), problem.model.nq
            )
        for piece in targets:
            result = solver(problem, piece, q0=q0)
            if rows is not None:
                rows.append(result.q)
            yield result
