"""Robots by name stand in scenes with the collision meshes of their packages."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk


@pytest.mark.parametrize("name", ["panda", "ur5", "so101"])
def test_a_robot_by_name_brings_its_collision_shapes(name: str) -> None:
    pytest.importorskip("trimesh")
    robot = hk.robot(name)
    away = np.eye(4)
    away[2, 3] = -50.0
    scene = hk.Scene().add("floor", hk.scene.Plane(), pose=away)
    assert 0 < scene.distance(robot, robot.rest, cutoff=None) < 1
    above = np.eye(4)
    above[2, 3] = 50.0
    assert not hk.Scene().add("flood", hk.scene.Plane(), pose=above).free(robot, robot.rest)
