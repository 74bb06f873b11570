"""Is this place accessible? Verdicts with proof, for one person: yes, no, or undecided."""

from __future__ import annotations

__all__: list[str] = []


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
