"""What the report on access says, in English and French."""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib.resources import files

from handik.spec._french import French, comma

__all__ = ["LANGUAGES", "Words"]

LANGUAGES = ("en", "fr")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


@cache
def _french() -> dict[str, str]:
    text = (files("handik.data") / "scenes" / "french.csv").read_text("utf-8")
    return {row["english"]: row["french"] for row in csv.DictReader(text.splitlines())}


@cache
def _parts() -> dict[str, dict[str, str]]:
    text = (files("handik.data") / "scenes" / "body_parts.csv").read_text("utf-8")
    return {row["part"]: row for row in csv.DictReader(text.splitlines())}


class Words:
    """What is said in one language: English is its own key."""

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, english: str, *values: object) -> str:
        """Return a sentence, with values for its braces."""
        said = French(_french().get(english, english)) if self.language == "fr" else english
        return said.format(*values) if values else str(said)

    def note(self, english: str) -> str:
        """Return a note made of parts between commas and semicolons, each known by itself."""
        if self.language == "en" or not english:
            return english
        if english in _french():
            return _french()[english]
        parts = [self._part(part.strip()) for part in english.split(";")]
        return " ; ".join(parts)

    def _part(self, part: str) -> str:
        if part in _french():
            return _french()[part]
        return ", ".join(self._bit(bit.strip()) for bit in part.split(","))

    def _bit(self, bit: str) -> str:
        """Return a bit of a note, whose numbers stand for braces."""
        values = [comma(value) for value in _NUMBER.findall(bit)]
        pattern = _french().get(bit) or _french().get(_NUMBER.sub("{}", bit))
        return bit if pattern is None else pattern.format(*values)

    def part(self, name: str) -> str:
        """Return what a part of the body is called; a robot's by its own name."""
        stem, _, side = name.rpartition("_")
        if side not in ("left", "right"):
            stem, side = name, ""
        row = _parts().get(stem)
        if row is None:
            return name
        if self.language == "en":
            return f"{side} {row['english']}".strip()
        of = {"left": "gauche", "right": "droit" + ("e" if row["gender"] == "f" else "")}
        return f"{row['french']} {of.get(side, '')}".strip()

    def number(self, value: float, places: int) -> str:
        """Return a number as the language writes it."""
        said = f"{value:.{places}f}"
        return comma(said) if self.language == "fr" else said
