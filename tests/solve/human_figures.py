"""Human figures for the solver tests: balls with swing cones, spines, two hands and a head."""

from __future__ import annotations

from solver_figures import DEG, place

from handik import Cone, Model
from handik.files.read import FrameSpec, JointSpec, LinkSpec, ModelSpec

AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


def cone(half, twist) -> Cone:
    """Degrees: half-axes, or one for all four, and the twist to either side."""
    four = tuple(half) if isinstance(half, tuple) else (half,) * 4
    return Cone(tuple(x * DEG for x in four), (-twist * DEG, twist * DEG))


def figure(name: str, rows, frames) -> Model:
    """Build from rows (kind, parent row or -1, position, axis, limits in degrees or a cone)."""
    links = [LinkSpec("base")] + [LinkSpec(f"l{i}") for i in range(len(rows))]
    specs = []
    for i, (kind, parent, at, axis, limit) in enumerate(rows):
        above = "base" if parent < 0 else f"l{parent}"
        side = AXES["x" if axis == "z" else "z"]
        own = (
            {"axis2": side, "cone": limit}
            if kind == "ball"
            else {"lower": limit[0] * DEG, "upper": limit[1] * DEG}
        )
        specs.append(JointSpec(f"j{i}", kind, above, f"l{i}", place(*at), AXES[axis], **own))
    marks = [FrameSpec(f"f{k}", f"l{row}", place(*at)) for k, (row, at) in enumerate(frames)]
    return Model(ModelSpec(name, links, specs, marks, tip="f0"))


def arm_rows(first: int, parent: int, at) -> list:
    """Shoulder, elbow, forearm, wrist of two."""
    return [
        ("ball", parent, at, "x", cone((110, 100, 40, 60), 90)),
        ("revolute", first, (0.3, 0, 0), "z", (0, 145)),
        ("revolute", first + 1, (0, 0, 0), "x", (-85, 85)),
        ("revolute", first + 2, (0.25, 0, 0), "y", (-70, 70)),
        ("revolute", first + 3, (0, 0, 0), "z", (-25, 35)),
    ]


def human_arm() -> Model:
    return figure("human arm", arm_rows(0, -1, (0, 0, 0)), [(4, (0.1, 0, 0))])


def spine_arm() -> Model:
    rows = [
        ("ball", i - 1, (0, 0, 0.04 if i else 0), "z", cone((10, 8, 6, 5), 5)) for i in range(12)
    ]
    rows += arm_rows(12, 11, (0, 0.2, 0.1))
    return figure("spine and arm", rows, [(16, (0.1, 0, 0))])


def upper_body() -> Model:
    rows = [("ball", i - 1, (0, 0, 0.15 if i else 0), "z", cone(20, 15)) for i in range(3)]
    rows += [
        ("ball", 2, (0, 0, 0.2), "z", cone((40, 30, 30, 30), 40)),
        ("ball", 3, (0, 0, 0.1), "z", cone(25, 30)),
    ]
    frames = [(4, (0, 0, 0.15))]
    for side in (1, -1):
        first = len(rows)
        rows += [
            ("revolute", 2, (0, 0.03 * side, 0.15), "z", (-20, 20)),
            ("revolute", first, (0, 0, 0), "x", (-15, 20)),
        ]
        rows += arm_rows(first + 2, first + 1, (0, 0.17 * side, 0))
        frames.append((first + 6, (0.1, 0, 0)))
    return figure("upper body", rows, frames)


HUMANS = {"human arm": human_arm, "spine and arm": spine_arm, "upper body": upper_body}
