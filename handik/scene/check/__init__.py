"""Figures among obstacles: whether they touch, how far they are, which edges are proved free."""

from __future__ import annotations

from handik.scene.check.clearance import Clearance
from handik.scene.check.figure import Figure, LeftOut, as_figure
from handik.scene.check.measure import Compiled, Nearest, Proof, compiled

__all__ = [
    "Clearance",
    "Compiled",
    "Figure",
    "LeftOut",
    "Nearest",
    "Proof",
    "as_figure",
    "compiled",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
