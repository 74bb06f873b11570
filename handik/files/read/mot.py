"""MOT and STO: OpenSim's tables over time, such as the coordinates of a model."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik.errors import ModelError
from handik.files.read._text import Lines
from handik.files.read._xml import number
from handik.files.read.markers import whole_table
from handik.spec._given import is_model

if TYPE_CHECKING:
    from handik.model import Model

__all__ = ["Table", "coordinate_names", "read_mot"]

Array = NDArray[np.float64]
_PARTS = {"ball": ("qw", "qx", "qy", "qz"), "free": ("x", "y", "z", "qw", "qx", "qy", "qz")}
#: Coordinates that are angles, by the kind of their joint.
_ANGLES = {"revolute": (0,), "cylindrical": (0,), "universal": (0, 1), "planar": (2,)}


def coordinate_names(model: Model) -> tuple[list[str], NDArray[np.bool_]]:
    """Name the coordinates of a model in such a table, and tell which are angles.

    Parameters
    ----------
    model : Model

    Returns
    -------
    names : list of str
        That of the joint; where it has several coordinates with ``.qw`` or ``.0`` behind it.
    angles : ndarray of bool, shape (nq,)

    Examples
    --------
    >>> import handik as hk
    >>> coordinate_names(hk.chain([0.3]))[0]
    ['joint_1']
    """
    is_model(model)
    kinds = dict(zip(model.joint_names, model.joint_kinds, strict=True))
    names: list[str] = [""] * model.nq
    angles = np.zeros(model.nq, bool)
    for joint, at in model.joint_q_slices.items():
        count, kind = at.stop - at.start, kinds[joint]
        parts = _PARTS.get(kind, tuple(map(str, range(count))))
        for k in range(count):
            names[at.start + k] = joint if count == 1 else f"{joint}.{parts[k]}"
            angles[at.start + k] = k in _ANGLES.get(kind, ())
    return names, angles


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table over time.

    Attributes
    ----------
    name : str
        Of the first line.
    columns : tuple of str
        Without the time.
    times : ndarray, shape (n,)
        Seconds.
    values : ndarray, shape (n, columns)
        As written.
    in_degrees : bool
        Whether angles are degrees.
    """

    name: str
    columns: tuple[str, ...]
    times: Array
    values: Array
    in_degrees: bool

    def coordinates(self, model: Model) -> Array:
        r"""Return the table as coordinates of a model whose joints its columns name.

        Parameters
        ----------
        model : Model
            Coordinates that no column names stay at its rest.

        Returns
        -------
        ndarray, shape (n, nq)
            Radians, meters and quaternions.

        Raises
        ------
        ModelError
            When no column names a coordinate of the model, or a part of a ball is missing.

        Examples
        --------
        >>> import handik as hk
        >>> text = "a\ninDegrees=yes\nendheader\ntime joint_1\n0.0 180.0\n"
        >>> read_mot(text).coordinates(hk.chain([0.3])).round(3)
        array([[3.142]])
        """
        names, angles = coordinate_names(model)
        found = [k for k, name in enumerate(names) if name in self.columns]
        if not found:
            raise ModelError(
                f"no column names a joint of {model.name!r}: they are {', '.join(self.columns[:5])}"
            )
        missing = {names[k].rpartition(".")[0] for k in found if ".q" in names[k]}
        for k, name in enumerate(names):
            if name.rpartition(".")[0] in missing and ".q" in name and k not in found:
                raise ModelError(f"the table has no column {name!r}, but others of that joint")
        q = np.tile(np.asarray(model.rest, float), (len(self.times), 1))
        for k in found:
            column = self.values[:, self.columns.index(names[k])]
            q[:, k] = np.radians(column) if angles[k] and self.in_degrees else column
        return q


def read_mot(source: str | bytes | os.PathLike[str]) -> Table:
    r"""Read a MOT or STO file.

    Parameters
    ----------
    source : path, str or bytes
        A path; or the document itself, as bytes or as a str of several lines.

    Returns
    -------
    Table

    Raises
    ------
    ReadError
        With its line, for anything malformed.

    References
    ----------
    OpenSim documentation, "Motion (.mot) Files" and "Storage (.sto) Files".

    Examples
    --------
    >>> read_mot("a\ninDegrees=yes\nendheader\ntime knee\n0.0 1.5\n").columns
    ('knee',)
    """
    lines = Lines(source)
    ends = [k for k, line in enumerate(lines.lines) if line.strip().lower() == "endheader"]
    if not ends:
        lines.fail("the head has no endheader")
    head = [line.strip() for line in lines.lines[: ends[0]]]
    words = dict(line.lower().replace(" ", "").split("=", 1) for line in head if "=" in line)
    labels: tuple[str, ...] = ()
    rows: list[list[float]] = []
    for k, line in enumerate(lines.lines[ends[0] + 1 :], ends[0] + 2):
        cells = line.split()
        if not cells:
            continue
        if not labels:
            labels = tuple(cells)
            if labels[0].lower() != "time":
                lines.fail("the first column is not time", k)
            if len(set(labels)) != len(labels):
                lines.fail("a column is named twice", k)
            continue
        try:
            rows.append([number(cell) for cell in cells])
        except ValueError:
            lines.fail(f"a cell is no number: a row must have {len(labels)} finite numbers", k)
        if len(cells) != len(labels):
            lines.fail(f"a row must have {len(labels)} finite numbers", k)
    if not labels:
        lines.fail("no line names the columns")
    whole_table(lines, words.get("nrows"), len(rows), "nRows")
    whole_table(lines, words.get("ncolumns"), len(labels), "nColumns", "columns")
    table = np.array(rows, float).reshape(len(rows), len(labels))
    first = head[0] if head and "=" not in head[0] else ""
    degrees = words.get("indegrees", "no") == "yes"
    return Table(first, labels[1:], table[:, 0], table[:, 1:], degrees)
