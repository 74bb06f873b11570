"""Figures among obstacles: whether they touch, how far they are, which edges are proved free."""

from __future__ import annotations

from handik.scene.check.figure import Figure, LeftOut, as_figure
from handik.scene.check.measure import Nearest, Proof

__all__ = ["Figure", "LeftOut", "Nearest", "Proof", "as_figure"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
