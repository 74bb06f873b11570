"""Paths: their speed within limits (`trajectory`), and what a controller follows (`Trajectory`)."""

from __future__ import annotations

from handik.scene.plan._trajectory import Trajectory, trajectory

__all__ = ["Trajectory", "trajectory"]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
