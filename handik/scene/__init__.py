"""Scenes: named things and their places in one document that never changes, its files and shapes.

Meters, radians, z up, right-handed. It may import all that `handik.people` may; figures are put
among its obstacles, measured and planned for in its own rooms.
"""

from __future__ import annotations

from handik.scene.document import Obstacle, Scene
from handik.scene.nodes import Node
from handik.scene.shapes import Box, Capsule, Cylinder, Mesh, Plane, Prism, Shape, Sphere

__all__ = [
    "Box",
    "Capsule",
    "Cylinder",
    "Mesh",
    "Node",
    "Obstacle",
    "Plane",
    "Prism",
    "Scene",
    "Shape",
    "Sphere",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
