"""Rooms of the gallery: kitchen, bathroom, office, a small flat. x is into the room, z up."""

from __future__ import annotations

import numpy as np

from handik.scene.contents import FloorPlan, Light, Target
from handik.scene.document import Scene
from handik.scene.shapes import Box, Capsule, Cylinder, Plane, Prism
from handik.spec.transforms import from_rpy

__all__ = ["bathroom", "doorway", "flat", "grip", "kitchen", "office", "room"]

Sizes = dict[str, float]
WALL = 0.1
QUARTER = np.pi / 2


def room(name: str) -> Scene:
    """Return a scene with a floor and a light."""
    scene = Scene(name=name).add("floor", Plane(), tags="floor", color="#d9d4c7")
    return scene.add("light", Light("sun"), [0, 0, 3])


def wall(
    scene: Scene, name: str, low: tuple[float, float], high: tuple[float, float], height: float
) -> Scene:
    """Return the scene with a wall over a rectangle."""
    (x, y), (u, v) = low, high
    corners = [[x, y], [u, y], [u, v], [x, v]]
    return scene.add(name, Prism(corners, height), tags="wall", color="#e4e7ea", opacity=0.35)


def grip(
    scene: Scene, name: str, at: tuple[float, float, float], along: tuple[float, float, float]
) -> Scene:
    """Return the scene with a target that a hand comes to in a direction."""
    return scene.add(name, Target("axis", along), at)


def doorway(scene: Scene, name: str, at: list[float], turn: float) -> Scene:
    """Return the scene with a mark in the middle of an opening, its x through it."""
    return scene.add(name, pose=from_rpy([0, 0, turn], at), tags="doorway")


def kitchen(s: Sizes) -> Scene:
    """Counter with a place to sit at, sink, hob, wall units, a switch."""
    scene, length, depth, top = (
        room("kitchen"),
        s["length"],
        s["counter_depth"],
        s["counter_height"],
    )
    scene = wall(scene, "wall", (0, -length / 2), (WALL, length / 2), 2.5)
    middle = -depth / 2
    scene = scene.add("counter", pose=[0, 0, 0], tags="counter")
    scene = scene.add(
        "counter/top", Box([depth, length, 0.04]), [middle, 0, top - 0.02], tags="table"
    )
    free = s["knee_width"]
    side = (length - free) / 2
    under = min(s["knee_height"], top - 0.04)
    for name, sign in (("left", 1), ("right", -1)):
        at = [middle, sign * (free + side) / 2, (top - 0.04) / 2]
        scene = scene.add(
            f"counter/{name}", Box([depth - 0.05, side, top - 0.04]), at, color="#f1efe9"
        )
        at = [-depth + 0.02, sign * (free + side) / 2, top - 0.2]
        bar = Capsule(0.15, 0.008)
        scene = scene.add(
            f"counter/{name}/handle",
            bar,
            from_rpy([QUARTER, 0, 0], [-depth / 2, 0, top / 2 - 0.15]),
            tags="handle",
        )
        scene = grip(scene, f"counter/{name}/handle/grip", (0, 0, 0), (1, 0, 0))
    scene = scene.add(
        "counter/apron", Box([0.02, free, top - 0.04 - under]), [-0.1, 0, (top - 0.04 + under) / 2]
    )
    scene = scene.add("counter/tap", Cylinder(0.2, 0.015), [-0.08, 0, top + 0.1], tags="tap")
    scene = grip(scene, "counter/tap/lever", (-0.03, 0, 0.1), (1, 0, 0))
    for k, (x, y) in enumerate([(0.25, 0.15), (0.25, -0.15), (-0.02, 0.15), (-0.02, -0.15)], 1):
        at = [middle + x - 0.12, (free + side) / 2 + y, top + 0.005]
        scene = scene.add(f"hob {k}", Cylinder(0.01, 0.09), at, color="#333333")
    shelf, high = s["shelf_height"], 0.7
    for name, sign in (("left", 1), ("right", -1)):
        at = [-0.175, sign * length / 4, shelf + high / 2]
        scene = scene.add(
            f"cupboard {name}",
            Box([0.35, length / 2 - 0.02, high]),
            at,
            tags="cupboard",
            color="#f1efe9",
        )
        knob = (-0.19, -sign * (length / 4 - 0.1), -high / 2 + 0.08)
        scene = grip(scene, f"cupboard {name}/knob", knob, (1, 0, 0))
    switch = [-0.01, -length / 2 + 0.15, s["switch_height"]]
    scene = scene.add("switch", Box([0.02, 0.08, 0.08]), switch, tags="switch", color="#ffffff")
    return grip(scene, "switch/press", (-0.01, 0, 0), (1, 0, 0))


def bathroom(s: Sizes) -> Scene:
    """Seat with a rail on each side, basin, door opening."""
    width, length, seat = s["width"], s["length"], s["seat_height"]
    scene = room("bathroom")
    scene = wall(scene, "back", (0, -width / 2), (WALL, width / 2), 2.3)
    scene = wall(scene, "left", (-length, width / 2), (WALL, width / 2 + WALL), 2.3)
    scene = wall(scene, "right", (-length, -width / 2 - WALL), (WALL, -width / 2), 2.3)
    half = (width - s["door_width"]) / 2
    if half > 0:
        scene = wall(
            scene, "front left", (-length - WALL, width / 2 - half), (-length, width / 2), 2.3
        )
        scene = wall(
            scene, "front right", (-length - WALL, -width / 2), (-length, -width / 2 + half), 2.3
        )
    y = -width / 2 + 0.5
    scene = scene.add("toilet", pose=[0, y, 0], tags="toilet")
    scene = scene.add(
        "toilet/cistern", Box([0.2, 0.4, 0.4]), [-0.1, 0, seat + 0.2], color="#ffffff"
    )
    bowl = [[0, -0.18], [0, 0.18], [-0.3, 0.18], [-0.42, 0.1], [-0.42, -0.1], [-0.3, -0.18]]
    scene = scene.add("toilet/seat", Prism(bowl, seat), [-0.2, 0, 0], tags="seat", color="#ffffff")
    scene = scene.add("toilet/seat/place", Target("pose"), [-0.2, 0, seat])
    for name, sign in (("left", 1), ("right", -1)):
        at = from_rpy([0, QUARTER, 0], [-0.4, y + sign * s["rail_distance"], s["rail_height"]])
        scene = scene.add(
            f"rail {name}", Capsule(0.7, 0.016), at, tags=["rail", "handle"], color="#8899aa"
        )
        scene = grip(scene, f"rail {name}/grip", (0, 0, 0.2), (0, 0, 1))
    scene = doorway(scene, "doorway", [-length - WALL / 2, 0, 0], 0.0)
    basin = s["basin_height"]
    middle = [-0.225, width / 4 + 0.1, basin - 0.075]
    scene = scene.add("basin", Box([0.45, 0.6, 0.15]), middle, tags="basin", color="#ffffff")
    scene = scene.add("basin/tap", Cylinder(0.12, 0.015), [0.17, 0, 0.135], tags="tap")
    scene = grip(scene, "basin/tap/lever", (-0.03, 0, 0.06), (1, 0, 0))
    return scene


def office(s: Sizes) -> Scene:
    """Desk, chair, screen, keys, a drawer, a lamp with its switch."""
    scene, top = room("office"), s["desk_height"]
    depth, width, seat = s["desk_depth"], s["desk_width"], s["seat_height"]
    scene = scene.add("desk", Box([depth, width, 0.03]), [depth / 2, 0, top - 0.015], tags="table")
    for k, (x, y) in enumerate([(1, 1), (1, -1), (-1, 1), (-1, -1)], 1):
        at = [x * (depth / 2 - 0.05), y * (width / 2 - 0.05), -top / 2]
        scene = scene.add(f"desk/leg {k}", Cylinder(top - 0.03, 0.025), at, color="#777777")
    scene = scene.add("desk/drawer", Box([depth - 0.2, 0.35, 0.4]), [0, -width / 2 + 0.3, -0.215])
    scene = grip(scene, "desk/drawer/handle", (-depth / 2 + 0.1, 0, 0.1), (1, 0, 0))
    scene = scene.add(
        "desk/screen", Box([0.03, 0.6, 0.35]), [depth / 2 - 0.15, 0, 0.3], color="#222222"
    )
    stand = [depth / 2 - 0.15, 0, 0.075]
    scene = scene.add("desk/screen stand", Box([0.06, 0.2, 0.12]), stand, color="#222222")
    scene = scene.add(
        "desk/keys",
        Box([0.15, 0.44, 0.02]),
        [-depth / 2 + 0.15, 0, 0.025],
        tags="button",
        color="#444444",
    )
    scene = grip(scene, "desk/keys/press", (0, 0, 0.01), (0, 0, -1))
    scene = scene.add("desk/lamp", Cylinder(0.4, 0.02), [0.2, width / 2 - 0.2, 0.215], tags="lamp")
    scene = scene.add("desk/lamp/switch", Box([0.03, 0.03, 0.02]), [-0.05, 0, -0.19], tags="switch")
    scene = grip(scene, "desk/lamp/switch/press", (0, 0, 0.01), (0, 0, -1))
    scene = scene.add("chair", pose=[-0.45, 0, 0], tags="chair")
    scene = scene.add("chair/seat", Box([0.45, 0.45, 0.06]), [0, 0, seat - 0.03], tags="seat")
    scene = scene.add("chair/back", Box([0.05, 0.42, 0.5]), [-0.23, 0, seat + 0.3])
    scene = scene.add("chair/stay", Box([0.04, 0.08, 0.12]), [-0.235, 0, seat])
    scene = scene.add("chair/post", Cylinder(seat - 0.06, 0.03), [0, 0, (seat - 0.06) / 2])
    for name, size in (("along", [0.5, 0.06, 0.03]), ("across", [0.06, 0.5, 0.03])):
        scene = scene.add(f"chair/foot {name}", Box(size), [0, 0, 0.015])
    return scene.add("chair/seat/place", Target("pose"), [0, 0, 0.03])


def flat(s: Sizes) -> Scene:
    """Two rooms on each side of a corridor, a door to each; the walls are one plan."""
    high, door, wide = s["height"], s["door_width"], s["corridor"]
    deep, long = 3.0, 4.0
    out = wide / 2 + WALL + deep
    walls = [
        _rect(-long - WALL, out, long + WALL, out + WALL),
        _rect(-long - WALL, -out - WALL, long + WALL, -out),
        _rect(long, -out, long + WALL, out),
        _rect(-long - WALL, wide / 2, -long, out),
        _rect(-long - WALL, -out, -long, -wide / 2),
    ]
    scene = room("flat")
    for side in (1, -1):
        y = sorted((side * wide / 2, side * (wide / 2 + WALL)))
        between = sorted((side * (wide / 2 + WALL), side * out))
        walls.append(_rect(-WALL / 2, between[0], WALL / 2, between[1]))
        for start in (-long, 0.0):
            a, b = start + (long - door) / 2, start + (long + door) / 2
            walls += [_rect(start, y[0], a, y[1]), _rect(b, y[0], start + long, y[1])]
    scene = scene.add("walls", FloorPlan(walls, high), tags="wall", color="#e4e7ea", opacity=0.4)
    number = 0
    for side in (1, -1):
        for start in (-long, 0.0):
            number += 1
            hinge = [start + (long - door) / 2, side * (wide / 2 + WALL), 0]
            name = f"door {number}"
            scene = scene.add(name, pose=from_rpy([0, 0, side * 1.2], hinge), tags="door")
            leaf = Box([door, 0.04, 2.0])
            scene = scene.add(f"{name}/leaf", leaf, [door / 2, 0, 1.0], color="#b98d5b")
            at = (door - 0.08, -0.05 * side, s["handle_height"])
            scene = scene.add(
                f"{name}/handle", Capsule(0.1, 0.01), from_rpy([0, QUARTER, 0], at), tags="handle"
            )
            scene = grip(scene, f"{name}/handle/grip", (0, 0, 0), (0, side, 0))
            middle = [start + long / 2, side * (wide + WALL) / 2, 0.0]
            scene = doorway(scene, f"doorway {number}", middle, side * QUARTER)
    return scene


def _rect(x: float, y: float, u: float, v: float) -> list[list[float]]:
    return [[x, y], [u, y], [u, v], [x, v]]
