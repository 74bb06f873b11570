"""Surveys in files: percentiles of each dimension, and correlations."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

__all__ = ["SHARES", "read_correlation", "read_dimensions"]

Floats = NDArray[np.float64]

#: The percentiles of the table, as shares.
SHARES = {"p1": 0.01, "p5": 0.05, "p10": 0.1, "p25": 0.25, "p50": 0.5} | {
    "p75": 0.75,
    "p90": 0.9,
    "p95": 0.95,
    "p99": 0.99,
}
#: What a unit of a table is in SI units; age stays in years.
_UNITS = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "kg": 1.0, "year": 1.0}


def read_dimensions(path: Path | Traversable, sex: str) -> tuple[list[str], list[float], Floats]:
    """Return names, units in SI and percentiles of the dimensions of one sex."""
    with path.open(encoding="utf-8") as text:
        reader = csv.DictReader(text)
        lacking = {"name", "unit", "sex", *SHARES} - set(reader.fieldnames or ())
        if lacking:
            raise ArgumentError(f"{path.name}: no column {', '.join(sorted(lacking))}")
        rows = [row for row in reader if row["sex"] == sex]
    if not rows:
        raise ArgumentError(f"{path.name}: no row of sex {sex}")
    names = [row["name"] for row in rows]
    values = np.array([[_number(path, row, p) for p in SHARES] for row in rows])
    for name, row in zip(names, values, strict=True):
        if not (np.diff(row) >= 0).all() or row[0] >= row[1] or row[-2] >= row[-1]:
            raise ArgumentError(f"{path.name}: the percentiles of {name} ({sex}) do not rise")
    unknown = {row["unit"] for row in rows} - set(_UNITS)
    if unknown:
        raise ArgumentError(f"{path.name}: unknown unit {sorted(unknown)[0]!r}; use {list(_UNITS)}")
    return names, [_UNITS[row["unit"]] for row in rows], values


def _number(path: Path | Traversable, row: Mapping[str, str], column: str) -> float:
    try:
        value = float(row[column])
    except (TypeError, ValueError):
        value = np.nan
    if not np.isfinite(value):
        raise ArgumentError(
            f"{path.name}: {row['name']}, {column}: {row[column]!r} is not a number"
        )
    return value


def read_correlation(path: Path | Traversable, names: Sequence[str]) -> Floats:
    """Return the matrix of a file in the order of `names`; the lower triangle is enough."""
    with path.open(encoding="utf-8") as text:
        head, *rows = csv.reader(text)
    at = {name: i for i, name in enumerate(names)}
    if set(head[1:]) != set(at) or [row[0] for row in rows] != head[1:]:
        raise ArgumentError(f"{path.name}: its rows and columns must name the survey's dimensions")
    r = np.full((len(at), len(at)), np.nan)
    for row in rows:
        for name, cell in zip(head[1:], row[1:], strict=False):
            if cell:
                r[at[row[0]], at[name]] = r[at[name], at[row[0]]] = float(cell)
    if not np.isfinite(r).all():
        raise ArgumentError(f"{path.name}: a correlation is missing")
    return r
