"""How high people sit in wheelchairs, by kind of chair and sex: handik's table or one's own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.people._tables import cell_number, csv_table
from handik.people.survey import SEXES
from handik.spec._given import path_text

__all__ = ["CHAIRS", "SeatTable", "drawn_heights", "mean_seat_height", "seat_table"]

CHAIRS = ("manual", "power")
_NUMBERS = ("mean_mm", "sd_mm", "min_mm", "max_mm")
#: Between which heights seats are, mm: what is in other units is beyond.
_BOUNDS = (100.0, 1500.0)

#: Mean, spread, least and greatest seat height by chair and sex, meters.
SeatTable = Mapping[tuple[str, str], NDArray[np.float64]]


def seat_table(path: Any = None) -> SeatTable:
    """Return handik's table, or that of a file."""
    return _own() if path is None else _read(Path(path_text("seats", path)))


@cache
def _own() -> SeatTable:
    return _read(Path(str(files("handik.data") / "people" / "seat_height.csv")))


def _read(path: Path) -> SeatTable:
    found: dict[tuple[str, str], NDArray[np.float64]] = {}
    for row in csv_table(path, ("chair", "sex", *_NUMBERS, "trust", "source")):
        for column, words in (("chair", CHAIRS), ("sex", SEXES)):
            if row[column] not in words:
                raise ArgumentError(
                    f"{path.name}: {column} must be {' or '.join(words)}, got {row[column]!r}"
                )
        where = f"{row['chair']}, {row['sex']}"
        if (row["chair"], row["sex"]) in found:
            raise ArgumentError(f"{path.name}: two rows of {where}")
        mean, spread, low, high = (cell_number(path, where, row, name) for name in _NUMBERS)
        if not _BOUNDS[0] <= low <= mean <= high <= _BOUNDS[1] or not 0 < spread <= high - low:
            raise ArgumentError(
                f"{path.name}: {where}: no seats have min {low:g}, mean {mean:g}, max {high:g} and "
                f"spread {spread:g} mm: they rise, between {_BOUNDS[0]:g} and {_BOUNDS[1]:g}, and "
                "spread is above 0 and at most the range"
            )
        found[row["chair"], row["sex"]] = 1e-3 * np.array([mean, spread, low, high])
    return found


def mean_seat_height(chair: str, sex: str) -> float:
    """Return the mean occupied seat height of a kind of wheelchair and a sex, meters."""
    return float(_own()[chair, sex][0])


def drawn_heights(
    table: SeatTable, chair: str, counts: Iterable[tuple[str, int]], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return seat heights of so many people of each sex, one after another."""
    return np.concatenate([_drawn(table, chair, sex, count, rng) for sex, count in counts])


def _drawn(
    table: SeatTable, chair: str, sex: str, n: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    if (chair, sex) not in table:
        raise ArgumentError(f"the table of seats has no row of {chair}, {sex}")
    mean, spread, low, high = table[chair, sex]
    found = rng.normal(mean, spread, n)
    while (bad := (found < low) | (found > high)).any():
        found[bad] = rng.normal(mean, spread, int(bad.sum()))
    return found
