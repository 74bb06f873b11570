"""The constants of the skeleton, each with its source and how far to trust it."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

__all__ = ["constants"]


@cache
def constants(sex: str) -> dict[str, float]:
    """Return the constants of one sex by name; ``skeleton.csv`` has units and sources."""
    table = files("handik.data") / "people" / "skeleton.csv"
    with table.open(encoding="utf-8", newline="") as text:
        return {row["name"]: float(row[sex]) for row in csv.DictReader(text)}
