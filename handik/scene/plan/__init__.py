"""Paths: known configurations (`PoseTable`), speed within limits (`trajectory`), what is sent.

`Drag` moves a figure by a point; `Trajectory` is what a controller follows, `motor_commands` and
`pypot_move` are what motors are told.
"""

from __future__ import annotations

from handik.scene.plan._commands import motor_commands, pypot_move
from handik.scene.plan._drag import Drag, DragStep
from handik.scene.plan._table import PoseTable, TableReach, TableRoute
from handik.scene.plan._trajectory import Trajectory, trajectory

__all__ = [
    "Drag",
    "DragStep",
    "PoseTable",
    "TableReach",
    "TableRoute",
    "Trajectory",
    "motor_commands",
    "pypot_move",
    "trajectory",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
