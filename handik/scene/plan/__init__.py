"""Paths: a way among obstacles (`path`), times within limits (`trajectory`), known poses.

`PoseTable` has proved routes between known poses, `Drag` moves a figure by a point; `Trajectory` is
what a controller follows, `motor_commands` and `pypot_move` are what motors are told.
"""

from __future__ import annotations

from handik.scene.plan._commands import motor_commands, pypot_move
from handik.scene.plan._drag import Drag, DragStep
from handik.scene.plan._found import PlannedPath, Tree
from handik.scene.plan._path import Task, path
from handik.scene.plan._table import PoseTable, TableReach, TableRoute
from handik.scene.plan._trajectory import Trajectory, trajectory

__all__ = [
    "Drag",
    "DragStep",
    "PlannedPath",
    "PoseTable",
    "TableReach",
    "TableRoute",
    "Task",
    "Trajectory",
    "Tree",
    "motor_commands",
    "path",
    "pypot_move",
    "trajectory",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
