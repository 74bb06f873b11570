"""Variants of a place: the same tasks in another scene, or moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import ArgumentError
from handik.scene import Scene
from handik.scene.access._cases import Case, case_of
from handik.spec._given import known_name, reals, text

__all__ = ["varied"]

Array = NDArray[np.float64]


def varied(scene: Scene | None, tasks: Any, variants: Any) -> dict[str, Case]:
    """Return the tasks of each variant by its name."""
    if not isinstance(variants, Mapping) or not variants:
        raise ArgumentError("variants must be a mapping of names to scenes or ways that tasks move")
    named = {text("a name of variants", name): one for name, one in variants.items()}
    return {name: _varied(scene, tasks, name, one) for name, one in named.items()}


def _varied(scene: Scene | None, tasks: Any, name: str, given: Any) -> Case:
    """Return the tasks in another scene, or moved."""
    if given is None or isinstance(given, Scene):
        return case_of(scene if given is None else given, tasks)
    what = f"variant {name!r}"
    ways: dict[str, Array] | Array
    if isinstance(given, Mapping):
        ways = {text(f"a name of {what}", at): _way(what, way) for at, way in given.items()}
    else:
        ways = _way(what, given)
    case = case_of(scene, tasks)
    if isinstance(case.targets, list):
        return case_of(_scene_moved(scene, what, ways), tasks)
    if not isinstance(ways, dict):
        return replace(case, targets=case.targets + ways)
    for at in ways:
        known_name("task", at, case.names)
    by = np.array([ways.get(task, np.zeros(3)) for task in case.names])
    return replace(case, targets=case.targets + by)


def _way(what: str, given: Any) -> Array:
    way = reals(given, what, (3,))
    if way.ndim != 1:
        raise ArgumentError(f"{what} moves by three numbers, got shape {way.shape}")
    return way


def _scene_moved(scene: Scene | None, what: str, ways: dict[str, Array] | Array) -> Scene:
    """Return a scene with some of its nodes elsewhere."""
    assert scene is not None  # tasks by name have one
    if not isinstance(ways, dict):
        raise ArgumentError(f"{what}: say what moves, {{node: (x, y, z)}}, where tasks are names")
    out = scene
    for path, way in ways.items():
        pose = np.array(out.world(path))
        pose[:3, 3] += way
        out = out.with_pose(path, pose, world=True)
    return out
