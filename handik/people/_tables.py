"""Surveys in files: percentiles of each dimension, and correlations."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError, shortened
from handik.files.read._file import read_bytes
from handik.spec._given import reals

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = [
    "SHARES",
    "cell_number",
    "columns_of",
    "csv_rows",
    "csv_table",
    "read_correlation",
    "read_dimensions",
]

Floats = NDArray[np.float64]

#: The percentiles of the table, as shares.
SHARES = {"p1": 0.01, "p5": 0.05, "p10": 0.1, "p25": 0.25, "p50": 0.5} | {
    "p75": 0.75,
    "p90": 0.9,
    "p95": 0.95,
    "p99": 0.99,
}
#: Of fewer people nobody is below the 5th percentile.
_LEAST_PEOPLE = 20
#: By how much rounding may take a correlation beyond 1, and those of both triangles apart.
_ROUNDED = 1e-6
#: What a unit of a table is in SI units; age stays in years.
_UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "kg": 1.0, "year": 1.0}


def read_dimensions(path: Path | Traversable, sex: str) -> tuple[list[str], list[float], Floats]:
    """Return names, units in SI and percentiles of the dimensions of one sex."""
    head, *lines = csv_rows(path)
    lacking = [name for name in ("name", "unit", "sex", *SHARES) if name not in head]
    if lacking:
        hint = ": its columns are parted by semicolons, not commas" if ";" in head[0] else ""
        raise ArgumentError(f"{path.name}: no column {', '.join(lacking)}{hint}")
    table = [dict.fromkeys(head, "") | dict(zip(head, line, strict=False)) for line in lines]
    rows = [row for row in table if row.get("sex") == sex]
    if not rows:
        raise ArgumentError(f"{path.name}: no row of sex {sex}")
    names = [row["name"] for row in rows]
    if "" in names:
        raise ArgumentError(f"{path.name}: a row has no name ({sex})")
    if twice := [name for name, count in Counter(names).items() if count > 1]:
        raise ArgumentError(f"{path.name}: two rows of {twice[0]} ({sex})")
    values = np.array([[_number(path, row, p) for p in SHARES] for row in rows])
    _rising(names, values, f"{path.name}: ", f" ({sex})")
    unknown = {str(row.get("unit")) for row in rows} - set(_UNITS)
    if unknown:
        raise ArgumentError(f"{path.name}: unknown unit {sorted(unknown)[0]!r}; use {list(_UNITS)}")
    return names, [_UNITS[row["unit"]] for row in rows], values


def columns_of(records: Any) -> tuple[list[str], Floats]:
    """Return names of the dimensions, and their values (people, dimensions), of measured people."""
    own = getattr(getattr(records, "dtype", None), "names", None)  # of a structured array
    names = list(own) if own else None
    if names is None and (isinstance(records, Mapping) or hasattr(records, "columns")):
        names = list(records)  # of a data frame too
    if not names or not all(isinstance(name, str) for name in names):
        raise ArgumentError(
            "records must have columns by name: a mapping, a structured array or a data frame, "
            f"got {shortened(records)}"
        )
    columns = [reals(np.asarray(records[name]), f"records[{name!r}]", ()) for name in names]
    if any(column.ndim != 1 or len(column) != len(columns[0]) for column in columns):
        raise ArgumentError("records must have one number a person in each column")
    values = np.stack(columns, axis=1)
    if len(values) < _LEAST_PEOPLE:
        raise ArgumentError(f"records must be of {_LEAST_PEOPLE} people or more, not {len(values)}")
    _rising(names, percentiles(values), "records: ", ", too few of them differ")
    return names, values


def percentiles(values: Floats) -> Floats:
    """Return the percentiles of the table (dimensions, 9) of people (people, dimensions)."""
    return np.quantile(values, list(SHARES.values()), axis=0).T


def _rising(names: Sequence[str], values: Floats, where: str, what: str) -> None:
    for name, row in zip(names, values, strict=True):
        if not (np.diff(row) >= 0).all() or row[0] >= row[1] or row[-2] >= row[-1]:
            raise ArgumentError(f"{where}the percentiles of {name} do not rise{what}")
        if row[0] <= 0:
            raise ArgumentError(f"{where}the percentiles of {name} are not all above zero")


def csv_rows(path: Path | Traversable) -> list[list[str]]:
    """Return the cells of a file by rows; spreadsheets put a byte order mark first."""
    data = read_bytes(path) if isinstance(path, Path) else path.read_bytes()
    try:
        text = StringIO(data.decode("utf-8-sig"), newline="")
        rows = [row for row in csv.reader(text) if row]
    except UnicodeDecodeError as error:
        raise ArgumentError(f"{path.name} is not written in UTF-8: {error.reason}") from None
    except csv.Error as error:
        raise ArgumentError(f"{path.name} is no table: {error}") from None
    if not rows:
        raise ArgumentError(f"{path.name}: there is no row")
    return rows


def csv_table(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """Return the rows of a file by column, once it has these columns, each filled in every row."""
    head, *lines = csv_rows(path)
    if lacking := [name for name in columns if name not in head]:
        hint = ": its columns are parted by semicolons, not commas" if ";" in head[0] else ""
        raise ArgumentError(f"{path.name}: no column {', '.join(lacking)}{hint}")
    table = [dict.fromkeys(head, "") | dict(zip(head, line, strict=False)) for line in lines]
    for k, row in enumerate(table, 1):
        if empty := [name for name in columns if not row[name].strip()]:
            raise ArgumentError(f"{path.name}: row {k} has no {empty[0]}")
    if not table:
        raise ArgumentError(f"{path.name}: there is no row")
    return table


def cell_number(path: Path | Traversable, where: str, row: Mapping[str, str], column: str) -> float:
    """Return the finite number of a cell; `where` names its row."""
    return _number(path, {**row, "name": where}, column)


def _number(path: Path | Traversable, row: Mapping[str, str], column: str) -> float:
    cell = row.get(column)
    try:
        value = float(cell or "nan")
    except ValueError:
        value = np.nan
    if not np.isfinite(value):
        raise ArgumentError(f"{path.name}: {row['name']}, {column}: {cell!r} is not a number")
    return value


def read_correlation(path: Path | Traversable, names: Sequence[str]) -> Floats:
    """Return the matrix of a file in the order of `names`; the lower triangle is enough."""
    head, *rows = csv_rows(path)
    at = {name: i for i, name in enumerate(names)}
    if set(head[1:]) != set(at) or [row[0] for row in rows] != head[1:]:
        raise ArgumentError(f"{path.name}: its rows and columns must name the survey's dimensions")
    r = np.full((len(at), len(at)), np.nan)
    for row in rows:
        for name, cell in zip(head[1:], row[1:], strict=False):
            if cell:
                value = _number(path, {"name": row[0], name: cell}, name)
                here = at[row[0]], at[name]
                if abs(value) > 1 + _ROUNDED or (here[0] == here[1] and value < 1 - _ROUNDED):
                    raise ArgumentError(f"{path.name}: {row[0]}, {name}: {cell} is no correlation")
                if abs(value - r[here]) > _ROUNDED:  # of the other triangle
                    raise ArgumentError(
                        f"{path.name}: {row[0]}, {name}: {cell} here and {r[here]:g} there"
                    )
                r[here] = r[here[::-1]] = value
    if not np.isfinite(r).all():
        raise ArgumentError(f"{path.name}: a correlation is missing")
    return r
