"""Figures for the solver tests: chains and trees of every motion, with limits."""

from __future__ import annotations

import numpy as np

import handik as hk
from handik import Model, chain
from handik.files.read import FrameSpec, JointSpec, LinkSpec, ModelSpec
from handik.study.twins import Goal, Tree
from handik.study.twins.tree import quat_from_mat

DEG = np.pi / 180


def place(*p: float) -> np.ndarray:
    out = np.eye(4)
    out[:3, 3] = p
    return out


def figure(name: str, joints, frames) -> Model:
    """Build from rows (kind, parent row or -1, position, axis, lower, upper) and frames."""
    links = [LinkSpec("base")] + [LinkSpec(f"l{i}") for i in range(len(joints))]
    specs = []
    for i, (kind, parent, at, axis, lower, upper) in enumerate(joints):
        above = "base" if parent < 0 else f"l{parent}"
        axis = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}[axis]
        limits = {} if kind == "ball" else {"lower": lower, "upper": upper}
        specs.append(JointSpec(f"j{i}", kind, above, f"l{i}", place(*at), axis, **limits))
    marks = [FrameSpec(f"f{k}", f"l{row}", place(*at)) for k, (row, at) in enumerate(frames)]
    return Model(ModelSpec(name, links, specs, marks, tip="f0"))


def arm() -> Model:
    rows = [
        ("revolute", -1, (0, 0, 0.2), "z", -150 * DEG, 150 * DEG),
        ("revolute", 0, (0, 0, 0), "y", -100 * DEG, 100 * DEG),
        ("revolute", 1, (0, 0, 0), "x", -90 * DEG, 90 * DEG),
        ("revolute", 2, (0.45, 0, 0), "y", 0, 145 * DEG),
        ("revolute", 3, (0, 0, 0), "x", -85 * DEG, 85 * DEG),
        ("revolute", 4, (0.4, 0, 0), "y", -70 * DEG, 70 * DEG),
        ("revolute", 5, (0, 0, 0), "z", -25 * DEG, 35 * DEG),
    ]
    return figure("arm", rows, [(6, (0.1, 0, 0))])


def ball_arm() -> Model:
    rows = [
        ("ball", -1, (0, 0, 0.2), "z", 0, 0),
        ("revolute", 0, (0.3, 0, 0), "y", 0, 145 * DEG),
        ("ball", 1, (0.25, 0, 0), "z", 0, 0),
    ]
    return figure("ball_arm", rows, [(2, (0.1, 0, 0.02))])


def gantry() -> Model:
    rows = [
        ("prismatic", -1, (0, 0, 0), "x", -0.5, 0.5),
        ("prismatic", 0, (0, 0, 0), "y", -0.5, 0.5),
        ("prismatic", 1, (0, 0, 0), "z", -0.5, 0.5),
        ("revolute", 2, (0, 0.1, 0), "z", -3, 3),
        ("revolute", 3, (0.2, 0, 0), "y", -2, 2),
    ]
    return figure("gantry", rows, [(4, (0.2, 0, 0))])


def crane() -> Model:
    rows = [
        ("revolute", -1, (0, 0, 0), "z", -170 * DEG, 170 * DEG),
        ("revolute", 0, (0, 0, 0.3), "y", -80 * DEG, 20 * DEG),
        ("prismatic", 1, (0.5, 0, 0), "x", 0, 0.5),
        ("revolute", 2, (0, 0, 0), "y", -90 * DEG, 60 * DEG),
    ]
    return figure("crane", rows, [(3, (0.3, 0, 0))])


def two_arms() -> Model:
    rows = [("ball", -1, (0, 0, 1), "z", 0, 0)]
    frames = []
    for side in (-1, 1):
        rows.append(("ball", 0, (0, 0.2 * side, 0.5), "z", 0, 0))
        rows.append(("revolute", len(rows) - 1, (0.3, 0, 0), "z", -2, 2))
        frames.append((len(rows) - 1, (0.3, 0, 0)))
    return figure("two_arms", rows, frames)


def hinges(limit: float = np.inf) -> Model:
    return chain(np.full(9, 1 / 9), lower=-limit, upper=limit)


FIGURES = {
    "hinges": hinges,
    "limited hinges": lambda: hinges(1.0),
    "arm": arm,
    "ball arm": ball_arm,
    "gantry": gantry,
    "crane": crane,
}


def frame_index(model: Model, name: str) -> int:
    return list(model.frame_names).index(name)


def goal_of(model: Model, tree: Tree, q: np.ndarray, kind: str, frame: str, **tolerances) -> Goal:
    """Goal that q meets exactly."""
    index = frame_index(model, frame)
    at = tree.fk(q, index)
    wanted: dict[str, object] = {}
    if kind in ("position", "pose"):
        wanted["position"] = at[:3, 3]
    if kind in ("orientation", "pose"):
        wanted["rotation"] = at[:3, :3]
    if kind == "axis":
        wanted["direction"] = at[:3, 2]
    return Goal(index, **wanted, **tolerances)


def same_end(outcome: int, twin: str) -> bool:
    """Whether an outcome is the twin's, which looks for no least-squares minimum where one ended."""
    least = outcome == hk.Outcome.LEAST_SQUARES and twin in ("stalled", "max_iter")
    return least or hk.Outcome(outcome).name.lower() == twin


def columns(goal: Goal) -> np.ndarray:
    """Target row of a goal."""
    out: list[float] = []
    if goal.position is not None:
        out += list(goal.position)
    if goal.rotation is not None:
        out += list(quat_from_mat(goal.rotation))
    if goal.direction is not None:
        out += list(goal.direction)
    return np.array(out)
