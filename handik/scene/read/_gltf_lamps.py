"""Cameras and lights of a glTF document: places, directions, angles, colors, intensities.

Both look along the -z of their node with its y up, as handik's do. A light's intensity is in
candela, of a directional light in lux.

References
----------
Khronos Group, glTF 2.0 Specification, 2021; KHR_lights_punctual, 2018.
"""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from handik.errors import HandikError
from handik.files.write._glb import LAMPS
from handik.scene.contents import LAMP_KINDS, USUAL_LIGHT, Camera, Light
from handik.scene.nodes import Content, Node
from handik.scene.read._given import Import, unique
from handik.spec._given import quaternion_turns

__all__ = ["lamps_of", "screen_color"]

Array = NDArray[np.float64]

_SHINE = {theirs: ours for ours, theirs in LAMP_KINDS.items()}


def lamps_of(wish: Import, document: dict[str, Any], taken: set[str]) -> list[Node]:
    """Return nodes of the cameras with a perspective, and of the lights, of a checked tree."""
    cameras = _rows(wish, document, "cameras")
    extensions = document.get("extensions")
    said = extensions.get(LAMPS, {}) if isinstance(extensions, dict) else {}
    lights = _rows(wish, said if isinstance(said, dict) else {}, "lights")
    frame, found = wish.frame(1.0, "y"), []
    for k, world in _worlds(document):
        row = document["nodes"][k]
        label = str(row.get("name", "")) or f"node {k}"
        for content in (_camera(wish, row, cameras), _light(wish, row, lights)):
            pose = None if content is None else _turned(frame @ world)
            if pose is not None:
                found.append(Node(unique(label, taken, wish.stem), content, pose))
    return found


def _rows(wish: Import, document: dict[str, Any], key: str) -> list[dict[str, Any]]:
    rows = document.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        wish.fail(f"{key!r} must be a list of tables")
    return rows


def _one(wish: Import, rows: list[dict[str, Any]], k: Any, what: str) -> dict[str, Any]:
    if not isinstance(k, int) or isinstance(k, bool) or not 0 <= k < len(rows):
        wish.fail(f"a node names {what} {str(k)[:40]} of {len(rows)}")
    return rows[k]


def _table(row: dict[str, Any], key: str) -> dict[str, Any]:
    found = row.get(key)
    return found if isinstance(found, dict) else {}


def _camera(wish: Import, row: dict[str, Any], cameras: list[dict[str, Any]]) -> Content | None:
    if "camera" not in row:
        return None
    said = _one(wish, cameras, row["camera"], "camera")
    if said.get("type") != "perspective":
        return None  # one without an angle
    try:
        return Camera(_table(said, "perspective").get("yfov", float("nan")))
    except (HandikError, TypeError) as error:
        wish.fail(f"a camera: {error}")


def _light(wish: Import, row: dict[str, Any], lights: list[dict[str, Any]]) -> Content | None:
    named = _table(_table(row, "extensions"), LAMPS)
    if "light" not in named:
        return None
    said = _one(wish, lights, named["light"], "light")
    shine = _SHINE.get(str(said.get("type")), "")
    power, half = said.get("intensity", 1.0), _table(said, "spot").get("outerConeAngle", pi / 4)
    try:
        color = screen_color(np.asarray(said.get("color", [1.0, 1.0, 1.0]), np.float64))
        spread = {"spread": min(2 * half, pi * (1 - 1e-9))} if shine == "spot" else {}
        return Light(shine, tuple(color.tolist()), power / USUAL_LIGHT, **spread)
    except (HandikError, TypeError, ValueError) as error:
        wish.fail(f"a light: {error}")


def screen_color(linear: Array) -> Array:
    """Return a color as a screen shows it: made sRGB (IEC 61966-2-1)."""
    c = linear.clip(0, None)
    found: Array = np.where(c <= 0.0031308, 12.92 * c, 1.055 * c ** (1 / 2.4) - 0.055)
    return found.round(6)


def _carrying(nodes: list[dict[str, Any]], parent: dict[int, int]) -> set[int]:
    """Return the nodes with a camera or something of an extension on them or below them.

    Most nodes of a large file have neither, and their places need not be worked out.
    """
    found: set[int] = set()
    for k, row in enumerate(nodes):
        at: int | None = k if "camera" in row or "extensions" in row else None
        while at is not None and at not in found:
            found.add(at)
            at = parent.get(at)
    return found


def _worlds(document: dict[str, Any]) -> list[tuple[int, Array]]:
    """Return the nodes of `_carrying` in the scene that is shown, and their poses in its world."""
    nodes = document["nodes"]
    below = {child: k for k, row in enumerate(nodes) for child in row.get("children", [])}
    carrying = _carrying(nodes, below)
    scenes, k = document["scenes"], document.get("scene", 0)
    one = scenes[k] if isinstance(k, int) and 0 <= k < len(scenes) else {}
    roots = one.get("nodes", [j for j in range(len(nodes)) if j not in below])
    todo = [(j, np.eye(4)) for j in roots if isinstance(j, int) and 0 <= j < len(nodes)]
    found = []
    while todo:
        j, above = todo.pop()
        if j not in carrying:
            continue
        world = above @ _local(nodes[j])
        found.append((j, world))
        todo += [(child, world) for child in nodes[j].get("children", [])]
    return sorted(found, key=lambda one: one[0])


def _local(row: dict[str, Any]) -> Array:
    if len(row.get("matrix", [])) == 16:
        return np.array(row["matrix"], np.float64).reshape(4, 4).T
    found = np.eye(4)
    turn = np.array(row.get("rotation", [0.0, 0.0, 0.0, 1.0]), np.float64)
    if turn.shape == (4,) and np.linalg.norm(turn) > 0:
        found[:3, :3] = quaternion_turns(np.roll(turn / np.linalg.norm(turn), 1))
    found[:3, :3] *= np.broadcast_to(np.array(row.get("scale", [1.0, 1.0, 1.0]), float), (3,))
    found[:3, 3] = row.get("translation", [0.0, 0.0, 0.0])
    return found


def _turned(matrix: Array) -> Array | None:
    """Return the place and the way something looks, without scale; None where it looks nowhere."""
    size = np.abs(matrix[:3, 1:3]).max(axis=0)
    if not np.isfinite(matrix).all() or size.min() <= 0:
        return None
    y, z = (matrix[:3, 1:3] / size).T
    x = np.cross(y, z)
    if np.linalg.norm(x) <= 1e-12:
        return None
    found = np.eye(4)
    found[:3, 2], found[:3, 0] = z / np.linalg.norm(z), x / np.linalg.norm(x)
    found[:3, 1] = np.cross(found[:3, 2], found[:3, 0])
    found[:3, 3] = matrix[:3, 3]
    return found
