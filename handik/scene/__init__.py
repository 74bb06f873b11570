"""Scenes: named things and their places in one document that never changes, its files and shapes.

Meters, radians, z up, right-handed. It may import all that `handik.people` may; figures are put
among its obstacles, measured and planned for in its own rooms.
"""

from __future__ import annotations

from handik.scene.contents import Actor, Camera, FloorPlan, Include, Light, Target, Via
from handik.scene.document import Obstacle, Scene
from handik.scene.files import load_scene, save_scene
from handik.scene.gallery import Size, gallery, sizes
from handik.scene.nodes import Node
from handik.scene.shapes import Box, Capsule, Cylinder, Mesh, Plane, Prism, Shape, Sphere

__all__ = [
    "Actor",
    "Box",
    "Camera",
    "Capsule",
    "Cylinder",
    "FloorPlan",
    "Include",
    "Light",
    "Mesh",
    "Node",
    "Obstacle",
    "Plane",
    "Prism",
    "Scene",
    "Shape",
    "Size",
    "Sphere",
    "Target",
    "Via",
    "gallery",
    "load_scene",
    "save_scene",
    "sizes",
]


def __dir__() -> list[str]:
    """Show what is public."""
    return sorted(__all__)
