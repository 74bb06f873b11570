"""What the report on access says, in English and French."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

__all__ = ["LANGUAGES", "Words"]

LANGUAGES = ("en", "fr")


@cache
def _french() -> dict[str, str]:
    text = (files("handik.data") / "scenes" / "french.csv").read_text("utf-8")
    return {row["english"]: row["french"] for row in csv.DictReader(text.splitlines())}


class Words:
    """What is said in one language: English is its own key."""

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, english: str, *values: object) -> str:
        """Return a sentence, with values for its braces."""
        said = _french().get(english, english) if self.language == "fr" else english
        return said.format(*values) if values else said

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
        inner = [bit.strip() for bit in part.split(",")]
        return ", ".join(_french().get(bit, bit.replace(" mm off", " mm devant")) for bit in inner)

    def number(self, value: float, places: int) -> str:
        """Return a number as the language writes it."""
        said = f"{value:.{places}f}"
        return said.replace(".", ",") if self.language == "fr" else said
