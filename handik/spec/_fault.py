"""The sentences that name what is wrong with a part of a model."""

from __future__ import annotations

from collections.abc import Sequence

from handik.errors import ModelError

__all__ = ["fault", "listed"]

_NAMES_SHOWN = 8


def fault(what: str, name: str, reason: str) -> ModelError:
    """Return the error for a part of the tree, which its sentence and its `part` name."""
    error = ModelError(f"{what} {name!r}: {reason}")
    error.part = (what, name)
    return error


def listed(names: Sequence[str]) -> str:
    """Return the names in a row, the first few of many."""
    shown = ", ".join(repr(name) for name in names[:_NAMES_SHOWN])
    more = len(names) - _NAMES_SHOWN
    return shown if more <= 0 else f"{shown} and {more} more"
