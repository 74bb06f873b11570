"""Figures whose joints follow others: a finger, a shoulder girdle, a spine that bends as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hinge_figures import world_axes
from human_figures import cone
from solver_figures import DEG, place

from handik import Model
from handik.files.read import FrameSpec, JointSpec, LinkSpec, MimicSpec, ModelSpec

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class Rows:
    """Joints one after the other, each at a point of the link before."""

    def __init__(self, name: str) -> None:
        self.name, self.links, self.joints = name, [LinkSpec("base")], []

    def add(self, name: str, at: Any, axis: Any, low: float, high: float, **more: Any) -> None:
        """Add a hinge (limits in degrees), or another ``kind``; ``follows=(joint, scale)``."""
        kind = more.get("kind", "revolute")
        unit = DEG if kind == "revolute" else 1.0
        mimic = MimicSpec(*more["follows"], 0.0) if "follows" in more else None
        limits = {"lower": low * unit, "upper": high * unit}
        self._put(JointSpec(name, kind, "", name, place(*at), axis, mimic=mimic, **limits))

    def ball(self, name: str, at: Any, axis: Any, half: Any, twist: float) -> None:
        """Add a ball within a cone."""
        side = Z if axis != Z else X
        self._put(
            JointSpec(name, "ball", "", name, place(*at), axis, axis2=side, cone=cone(half, twist))
        )

    def _put(self, joint: JointSpec) -> None:
        joint.parent = self.links[-1].name
        self.links.append(LinkSpec(joint.name))
        self.joints.append(joint)

    def model(self, *end: float) -> Model:
        """Freeze, with a frame ``end`` at a point of the last link."""
        mark = FrameSpec("end", self.links[-1].name, place(*end))
        return Model(ModelSpec(self.name, self.links, self.joints, [mark], tip="end"))


def finger() -> Model:
    """Last joint at two thirds of the one before."""
    f = Rows("finger")
    f.add("spread", (0, 0, 0), Z, -20, 20)
    f.add("knuckle", (0, 0, 0), Y, -20, 90)
    f.add("middle", (0.045, 0, 0), Y, 0, 100)
    f.add("last", (0.025, 0, 0), Y, 0, 70, follows=("middle", 2 / 3))
    return f.model(0.02, 0, 0)


def shoulder() -> Model:
    """Clavicle that rises by a third of the upper arm: the follower is above what it follows."""
    f = Rows("shoulder")
    f.add("rise", (0, 0.02, 0.4), X, -30, 60, follows=("lift", 1 / 3))
    f.add("reach", (0, 0, 0), Z, -30, 60, follows=("swing", 0.25))
    f.add("lift", (0, 0.16, 0), X, -60, 130)
    f.add("swing", (0, 0, 0), Z, -90, 100)
    f.add("roll", (0, 0, 0), Y, -90, 90)
    f.add("elbow", (0, 0.3, 0), Z, 0, 145)
    f.add("wrist", (0, 0.27, 0), X, -70, 70)
    return f.model(0, 0.1, 0)


def spine() -> Model:
    """Six vertebrae that bend, lean and turn as one, and an arm."""
    f = Rows("spine")
    for i in range(6):
        for part, axis, low, high in (("b", Y, -12, 25), ("s", X, -10, 10), ("t", Z, -8, 8)):
            at = (0, 0, 0.08) if i and part == "b" else (0, 0, 0)
            more = {"follows": (f"{part}0", 1.0)} if i else {}
            f.add(f"{part}{i}", at, axis, low, high, **more)
    f.ball("arm", (0, 0.15, 0.06), Y, (110, 100, 40, 60), 90)
    f.add("elbow", (0, 0.3, 0), Z, 0, 145)
    return f.model(0, 0.3, 0)


def crane() -> Model:
    """Two slides that run out together."""
    f = Rows("crane")
    f.add("turret", (0, 0, 0), Z, -170, 170)
    f.add("boom", (0, 0, 0.3), Y, -80, 20)
    f.add("first", (0.5, 0, 0), X, 0, 0.3, kind="prismatic")
    f.add("second", (0.1, 0, 0), X, 0, 0.3, kind="prismatic", follows=("first", 1.0))
    f.add("jib", (0.1, 0, 0), Y, -90, 60)
    return f.model(0.3, 0, 0)


def screw() -> Model:
    """A slide that runs out as a hinge above it turns."""
    f = Rows("screw")
    f.add("turn", (0, 0, 0), Z, -170, 170)
    f.add("run", (0, 0, 0.1), Z, -1, 1, kind="prismatic", follows=("turn", 0.05))
    f.add("nod", (0.2, 0, 0), Y, -100, 100)
    f.add("tilt", (0.2, 0, 0), Y, -100, 100)
    return f.model(0.15, 0, 0)


COUPLED: dict[str, Callable[[], Model]] = {
    "finger": finger,
    "shoulder": shoulder,
    "spine": spine,
    "crane": crane,
    "screw": screw,
    "global": world_axes,
}
