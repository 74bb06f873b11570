"""Places of the gallery: lift, counter, cash machine, shop, car, bus stop, a robot's cell."""

from __future__ import annotations

import numpy as np

from handik.errors import ArgumentError
from handik.scene._rooms import QUARTER, Sizes, doorway, grip, room, wall
from handik.scene.contents import Target
from handik.scene.document import Scene
from handik.scene.shapes import Box, Capsule, Cylinder, Prism
from handik.spec.transforms import from_rpy

__all__ = ["bus_stop", "car", "cash_machine", "counter", "lift", "robot_cell", "shop"]


def lift(s: Sizes) -> Scene:
    """Car with a panel of buttons on its right wall."""
    scene, wide, deep = room("lift"), s["width"], s["depth"]
    scene = wall(scene, "back", (deep, -wide / 2), (deep + 0.05, wide / 2), 2.2)
    scene = wall(scene, "left", (0, wide / 2), (deep, wide / 2 + 0.05), 2.2)
    scene = wall(scene, "right", (0, -wide / 2 - 0.05), (deep, -wide / 2), 2.2)
    half = (wide - s["door_width"]) / 2
    if half > 0:
        scene = wall(scene, "front left", (-0.05, wide / 2 - half), (0, wide / 2), 2.2)
        scene = wall(scene, "front right", (-0.05, -wide / 2), (0, -wide / 2 + half), 2.2)
    scene = doorway(scene, "doorway", [-0.025, 0, 0], 0.0)
    low, high = sorted((s["lowest_button"], s["highest_button"]))
    x = min(s["corner_distance"], deep / 2)
    tall = high - low + 0.15
    scene = scene.add(
        "panel", Box([0.2, 0.02, tall]), [x, -wide / 2 + 0.01, (low + high) / 2], color="#9999aa"
    )
    for k in range(5):
        at = from_rpy([-QUARTER, 0, 0], [0, 0.015, (k / 4 - 0.5) * (high - low)])
        scene = scene.add(
            f"panel/button {k}",
            Cylinder(0.01, 0.015),
            at,
            tags=["button", "switch"],
            color="#fff3c0",
        )
        scene = grip(scene, f"panel/button {k}/press", (0, 0, 0.005), (0, 0, -1))
    at = from_rpy([0, QUARTER, 0], [deep / 2, wide / 2 - 0.06, 0.9])
    return scene.add(
        "rail", Capsule(deep * 0.7, 0.018), at, tags=["rail", "handle"], color="#8899aa"
    )


def counter(s: Sizes) -> Scene:
    """Ticket counter that a person can sit at, with a window and a tray."""
    scene, top, deep, wide = room("counter"), s["height"], s["depth"], s["width"]
    under = min(s["knee_height"], top - 0.02)
    scene = scene.add(
        "top", Box([deep, wide, top - under]), [deep / 2, 0, (top + under) / 2], tags="table"
    )
    scene = scene.add("front", Box([0.05, wide, under]), [deep - 0.025, 0, under / 2])
    for name, sign in (("left", 1), ("right", -1)):
        at = [deep / 2, sign * (wide / 2 + 0.02), top / 2]
        scene = scene.add(name, Box([deep, 0.04, top]), at, tags="wall")
    scene = scene.add(
        "window", Box([0.01, wide, 0.8]), [deep * 0.7, 0, top + 0.55], color="#9ec9e8", opacity=0.3
    )
    scene = scene.add("tray", Box([0.25, 0.3, 0.02]), [deep * 0.6, 0, top + 0.01], color="#777777")
    scene = grip(scene, "tray/take", (-0.08, 0, 0.02), (1, 0, 0))
    scene = scene.add(
        "reader", Box([0.1, 0.08, 0.06]), [deep * 0.3, -wide / 4, top + 0.03], color="#333333"
    )
    return grip(scene, "reader/card", (-0.05, 0, 0.03), (1, 0, 0))


def cash_machine(s: Sizes) -> Scene:
    """Front with a screen, keys, a slot for the card and one for the money."""
    scene = room("cash_machine")
    scene = scene.add("body", Box([0.6, 0.8, 1.9]), [0.3, 0, 0.95], color="#c3ccd6")
    screen = from_rpy([0, -0.25, 0], [-0.01, 0.05, s["screen_height"]])
    scene = scene.add("screen", Box([0.02, 0.35, 0.28]), screen, color="#223344")
    scene = grip(scene, "screen/touch", (-0.01, 0, 0), (1, 0, 0))
    scene = scene.add("ledge", Box([0.2, 0.4, 0.03]), [-0.1, 0.05, s["keys_height"] - 0.025])
    scene = scene.add(
        "keys",
        Box([0.1, 0.12, 0.02]),
        [-0.12, 0.05, s["keys_height"]],
        tags="switch",
        color="#444444",
    )
    scene = grip(scene, "keys/press", (0, 0, 0.01), (0, 0, -1))
    for name, y in (("card", -0.25), ("money", 0.05)):
        z = s["slot_height"] if name == "card" else s["keys_height"] + 0.08
        scene = scene.add(
            name, Box([0.02, 0.09, 0.02]), [-0.01, y, z], tags="slot", color="#222222"
        )
        scene = grip(scene, f"{name}/take", (-0.02, 0, 0), (1, 0, 0))
    return scene


def shop(s: Sizes) -> Scene:
    """Two racks of shelves along an aisle, a thing to take from each shelf."""
    count = int(s["shelves"])
    if count < 1:
        raise ArgumentError("shelves must be 1 or more")
    scene, wide, deep, high = room("shop"), s["width"], s["depth"], s["height"]
    for name, side in (("front", 1), ("behind", -1)):
        turn = from_rpy([0, 0, 0 if side > 0 else np.pi], [side * s["aisle"] / 2, 0, 0])
        scene = scene.add(name, pose=turn, tags="shelf")
        scene = scene.add(f"{name}/back", Box([0.02, wide, high]), [deep - 0.01, 0, high / 2])
        for k in range(count):
            z = 0.1 + k * (high - 0.1) / count
            scene = scene.add(
                f"{name}/board {k}", Box([deep, wide, 0.02]), [deep / 2, 0, z], tags="shelf"
            )
            can = [-deep / 4, (k - (count - 1) / 2) * wide / (count + 1), 0.07]
            scene = scene.add(f"{name}/board {k}/can", Cylinder(0.12, 0.035), can, color="#c0563b")
            scene = grip(scene, f"{name}/board {k}/can/grip", (0, 0, 0), (1, 0, 0))
    return scene


def car(s: Sizes) -> Scene:
    """Driver's side: seat, sill, roof, wheel, and the opening of the door on the left."""
    scene, seat, sill, roof = room("car"), s["seat_height"], s["sill_height"], s["roof_height"]
    long = s["opening_length"]
    scene = scene.add(
        "seat", Box([0.5, 0.5, 0.15]), [0, 0, seat - 0.075], tags="seat", color="#555566"
    )
    scene = scene.add("seat/place", Target("pose"), [0, 0, 0.075])
    back = from_rpy([0, -0.35, 0], [-0.36, 0, seat + 0.28])
    scene = scene.add("back", Box([0.12, 0.48, 0.65]), back, color="#555566")
    start = -0.35
    scene = scene.add(
        "sill", Box([long, 0.12, 0.15]), [start + long / 2, 0.42, sill - 0.075], tags="door"
    )
    scene = scene.add(
        "roof", Box([long + 0.4, 0.9, 0.05]), [start + long / 2, 0, roof + 0.025], opacity=0.4
    )
    for name, x in (("pillar behind", start - 0.06), ("pillar ahead", start + long + 0.06)):
        scene = scene.add(
            name, Box([0.12, 0.1, roof - sill]), [x, 0.42, (roof + sill) / 2], tags="door"
        )
    leaf = from_rpy([0, 0, np.pi - 1.1], [start + long, 0.48, sill])
    scene = scene.add(
        "door",
        Box([long, 0.08, 0.6]),
        leaf @ from_rpy([0, 0, 0], [long / 2, 0, 0.3]),
        tags="door",
        opacity=0.6,
    )
    scene = scene.add(
        "door/handle",
        Capsule(0.12, 0.012),
        from_rpy([0, QUARTER, 0], [long / 4, 0.06, 0.1]),
        tags="handle",
    )
    scene = grip(scene, "door/handle/grip", (0, 0, 0), (0, -1, 0))
    wheel = from_rpy([0, -1.1, 0], [0.45, 0, seat + 0.32])
    scene = scene.add("wheel", Cylinder(0.03, 0.18), wheel, tags="handle", color="#333333")
    scene = grip(scene, "wheel/left", (0, 0.18, 0), (1, 0, 0))
    return grip(scene, "wheel/right", (0, -0.18, 0), (1, 0, 0))


def bus_stop(s: Sizes) -> Scene:
    """Shelter on a raised pavement: bench, a pole with a button, the road below."""
    scene, curb, wide = room("bus_stop"), s["curb_height"], s["shelter_width"]
    stone = [[0, -wide], [3, -wide], [3, wide], [0, wide]]
    scene = scene.add("pavement", Prism(stone, curb), tags="floor", color="#bdbdb5")
    scene = scene.add("shelter", pose=[2.2, 0, curb])
    scene = scene.add(
        "shelter/back",
        Box([0.05, wide, 2.2]),
        [0.4, 0, 1.1],
        tags="wall",
        color="#9ec9e8",
        opacity=0.3,
    )
    for name, sign in (("left", 1), ("right", -1)):
        at = [-0.2, sign * wide / 2, 1.1]
        scene = scene.add(
            f"shelter/{name}", Box([1.2, 0.05, 2.2]), at, tags="wall", color="#9ec9e8", opacity=0.3
        )
    scene = scene.add("shelter/roof", Box([1.5, wide + 0.2, 0.06]), [-0.2, 0, 2.23], opacity=0.5)
    bench = s["bench_height"]
    scene = scene.add(
        "shelter/bench", Box([0.4, wide / 2, 0.05]), [0.15, wide / 6, bench - 0.025], tags="seat"
    )
    scene = scene.add("shelter/bench/place", Target("pose"), [0, 0, 0.025])
    for name, sign in (("one", 1), ("two", -1)):
        at = [0.15, wide / 6 + sign * wide / 5, (bench - 0.05) / 2]
        scene = scene.add(f"shelter/leg {name}", Cylinder(bench - 0.05, 0.03), at, color="#777777")
    scene = scene.add(
        "pole", Cylinder(2.5, 0.04), [0.5, wide / 2 + 0.5, curb + 1.25], color="#777777"
    )
    press = [-0.05, 0, s["button_height"] - 1.25]
    scene = scene.add(
        "pole/button", Box([0.03, 0.06, 0.06]), press, tags=["button", "switch"], color="#e8c51f"
    )
    return grip(scene, "pole/button/press", (-0.015, 0, 0), (1, 0, 0))


def robot_cell(s: Sizes) -> Scene:
    """Shelf, table and a cage of bars about an arm that stands at the origin."""
    scene, far = room("robot_cell"), s["shelf_distance"]
    scene = scene.add("base", Cylinder(0.02, 0.12), [0, 0, -0.011], tags="stand", solid=False)
    scene = scene.add("shelf", pose=[far, 0, 0], tags="shelf")
    for k, z in enumerate((0.2, 0.55, 0.9)):
        scene = scene.add(f"shelf/board {k}", Box([0.3, 0.8, 0.02]), [0.15, 0, z], tags="shelf")
        scene = grip(scene, f"shelf/board {k}/place", (-0.05, 0.2, 0.1), (1, 0, 0))
    scene = scene.add("shelf/back", Box([0.02, 0.8, 0.9]), [0.31, 0, 0.45])
    for name, sign in (("left", 1), ("right", -1)):
        scene = scene.add(f"shelf/{name}", Box([0.3, 0.02, 0.9]), [0.15, sign * 0.41, 0.45])
    high = s["table_height"]
    scene = scene.add("table", Box([0.5, 0.6, 0.03]), [0, 0.75, high - 0.015], tags="table")
    for k, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1)), 1):
        leg = Cylinder(max(high - 0.03, 1e-3), 0.02)
        scene = scene.add(f"table/leg {k}", leg, [x * 0.22, y * 0.27, -high / 2], color="#777777")
    scene = grip(scene, "table/above", (0, 0, 0.12), (0, 0, -1))
    scene = grip(scene, "table/below", (0, 0, -0.15), (0, 0, 1))
    count, radius = int(s["bars"]), s["cage_radius"]
    for k in range(count):  # behind and to the right: the shelf and the table stay free
        angle = -np.pi / 3 - k / max(1, count - 1) * (np.pi * 0.75)
        at = [radius * np.cos(angle), radius * np.sin(angle), 0.6]
        scene = scene.add(
            f"bar {k}", Capsule(1.2, s["bar_radius"]), at, tags="cage", color="#c9a227"
        )
    return scene
