"""Tables of the skeleton: rows with sources, read once."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

__all__ = ["constants", "rows"]


@cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of a table of ``handik/data/people``."""
    text = (files("handik.data") / "people" / name).read_text("utf-8")
    return tuple(csv.DictReader(text.splitlines()))


@cache
def constants(sex: str) -> dict[str, float]:
    """Return the constants of one sex by name; ``skeleton.csv`` has units and sources."""
    return {row["name"]: float(row[sex]) for row in rows("skeleton.csv")}
