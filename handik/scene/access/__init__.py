"""Is this place accessible? Verdicts with proof, for one person: yes, no, or undecided."""

from __future__ import annotations

from handik.scene.access._reach import reach
from handik.scene.access._verdict import Reach, ReachMany
from handik.scene.access._why import Change

__all__ = ["Change", "Reach", "ReachMany", "reach"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
