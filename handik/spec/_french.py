"""Sentences in French: what they are filled with has a comma before its decimals."""

from __future__ import annotations

import re
from string import Formatter
from typing import Any

__all__ = ["French", "comma"]

#: A number with decimals by itself, its unit behind it or not.
_NUMBER = re.compile(r"-?\d+\.\d+(e[+-]?\d+)?( ?(m|mm|s|Hz|rad|%))?")


class _Commas(Formatter):
    def format_field(self, value: Any, spec: str) -> str:
        found: str = super().format_field(value, spec)
        return found.replace(".", ",") if isinstance(value, float) else found


class French(str):
    """A sentence with gaps: numbers that fill them are written as French does."""

    __slots__ = ()

    def format(self, *args: object, **kwargs: object) -> str:
        """Fill the gaps."""
        return _Commas().vformat(str(self), args, kwargs)


def comma(text: str) -> str:
    """Return a text that is a number with decimals as French writes it, any other as it is."""
    return text.replace(".", ",") if _NUMBER.fullmatch(text) else text
