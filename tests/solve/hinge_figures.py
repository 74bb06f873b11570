"""Chains of six hinges with limits, and a check of answers that does not call the core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import handik as hk
from handik.spec import FrameSpec, JointSpec, LinkSpec, MimicSpec, ModelSpec
from handik.study.twins import Tree

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
Array = NDArray[np.float64]
BONES, LENGTH = 6, 0.2


def chain_of(
    name: str, rows: list[tuple[Any, float, float]], *, in_world: bool = False
) -> hk.Model:
    """Return the model of hinges (axis, lower, upper), limits in degrees.

    ``in_world``: axes and limits are of the world, not of the bone before.
    """
    links, joints, at = [LinkSpec("base")], [], 0.0

    def add(joint: str, axis: Any, low: float, high: float, **more: Any) -> None:
        links.append(LinkSpec(joint))
        limits = {"axis": axis, "lower": np.radians(low), "upper": np.radians(high)}
        joints.append(
            JointSpec(joint, "revolute", links[-2].name, joint, place(at), **limits, **more)
        )

    for i, (axis, low, high) in enumerate(rows):
        add(f"h{i}", axis, low, high)
        at = LENGTH
        if in_world:
            add(f"back{i}", axis, -high, -low, mimic=MimicSpec(f"h{i}", -1.0, 0.0))
            at = 0.0
    end = FrameSpec("end", links[-1].name, place(at))
    return hk.Model(ModelSpec(name, links, joints, [end], tip="end"))


def place(x: float) -> Array:
    """Return the placement at a distance along x."""
    out = np.eye(4)
    out[0, 3] = x
    return out


def local() -> hk.Model:
    """Axes in turn about y and z, within 45 degrees."""
    return chain_of("local", [(Y if i % 2 else Z, -45, 45) for i in range(BONES)])


def one_sided() -> hk.Model:
    """Axes in turn about y and z, each bending one way only."""
    return chain_of("one-sided", [(Y if i % 2 else Z, 0, 90) for i in range(BONES)])


def parallel() -> hk.Model:
    """All axes about z."""
    return chain_of("parallel", [(Z, -30, 30)] * BONES)


def mixed() -> hk.Model:
    """Axes and limits at random."""
    rng = np.random.default_rng(12)
    rows: list[tuple[Any, float, float]] = []
    for _ in range(BONES):
        axis = rng.normal(size=3) * (0.3, 1, 1)
        middle, half = rng.uniform(-40, 40), rng.uniform(15, 80)
        rows.append((tuple(axis / np.linalg.norm(axis)), middle - half, middle + half))
    return chain_of("mixed", rows)


def world_axes() -> hk.Model:
    """Axes and references fixed in the world: each hinge has a follower that turns back."""
    rows = [(Y if i % 2 else Z, -45.0, 45.0) for i in range(BONES)]
    return chain_of("global", rows, in_world=True)


FIGURES: dict[str, Callable[[], hk.Model]] = {
    "local": local,
    "one-sided": one_sided,
    "parallel": parallel,
    "mixed": mixed,
    "global": world_axes,
}


def tips(model: hk.Model, q: Array) -> Array:
    """Tips of a chain of hinges by Rodrigues' formula, in NumPy."""
    tree = Tree(model)
    frame = model.frame_names.index("end")
    r = np.broadcast_to(np.eye(3), (len(q), 3, 3))
    x = np.zeros((len(q), 3))
    for s in tree.chain(frame):
        turn, at = tree.place(s)
        x = x + r @ at
        scale, offset = tree.step_line[s]
        angle = scale * q[:, tree.step_q[s]] + offset
        c, n, zero, one = np.cos(angle), np.sin(angle), np.zeros(len(q)), np.ones(len(q))
        z = np.stack([c, -n, zero, n, c, zero, zero, zero, one], 1).reshape(-1, 3, 3)
        r = r @ turn @ z
    out: Array = x + r @ tree.frame_place(frame)[1]
    return out


def outside(model: hk.Model, q: Array, target: Array, error: Array) -> int:
    """Answers with a limit broken by more than 1e-9 rad or an error that is not true."""
    beyond = np.maximum(q - model.upper, model.lower - q).max(axis=1) > 1e-9
    measured = np.linalg.norm(tips(model, q) - target, axis=1)
    return int(np.sum(beyond | (np.abs(measured - error) > 1e-9)))
