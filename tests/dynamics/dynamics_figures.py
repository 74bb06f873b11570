"""Figures with weight for the tests of the dynamics."""

from __future__ import annotations

import numpy as np

from handik import Model
from handik.files.read import InertialSpec, JointSpec, LinkSpec, ModelSpec
from handik.spec import MimicSpec, MotorSpec

KINDS = ("revolute", "prismatic", "cylindrical", "universal", "planar", "ball", "free", "fixed")


def rotation(rng: np.random.Generator) -> np.ndarray:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q if np.linalg.det(q) > 0 else -q


def place(rng: np.random.Generator) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = rotation(rng), rng.uniform(-0.4, 0.4, 3)
    return out


def body(rng: np.random.Generator) -> InertialSpec:
    """Return a body of a handful of points: an inertia that can exist."""
    mass, at = rng.uniform(0.1, 1.0, 6), rng.uniform(-0.3, 0.3, (6, 3))
    center = mass @ at / mass.sum()
    arm = at - center
    inertia = sum(m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(mass, arm, strict=True))
    return InertialSpec(mass.sum(), center, inertia)


def random_tree(
    rng: np.random.Generator, kinds: list[str], *, motors: bool = False, mimic: bool = False
) -> Model:
    """Build a tree of these kinds, the first on the world, others below a random one."""
    links, joints = [LinkSpec("world")], []
    for i, kind in enumerate(kinds):
        axis = rng.normal(size=3)
        axis2 = np.cross(axis, rng.normal(size=3))
        links.append(LinkSpec(f"l{i}", inertial=body(rng)))
        above = links[rng.integers(min(i, 1), i + 1)].name
        joint = JointSpec(f"j{i}", kind, above, f"l{i}", place(rng), tuple(axis), tuple(axis2))
        if motors:
            joint.motor = MotorSpec(1e-4, 40.0 * (-1) ** i, 3e-4, 2e-3)
            joint.damping, joint.friction = 0.1, 0.05
        joints.append(joint)
    if mimic:
        single = [j for j in joints if j.kind in ("revolute", "prismatic")]
        single[-1].mimic = MimicSpec(single[0].name, -0.6, 0.2)
    return Model(ModelSpec("tree", links, joints))


def chain(rows: list[tuple[str, tuple, tuple, InertialSpec]]) -> Model:
    """Build a chain of rows (kind, axis, position in the link above, body)."""
    links, joints = [LinkSpec("base")], []
    for i, (kind, axis, at, weight) in enumerate(rows):
        placement = np.eye(4)
        placement[:3, 3] = at
        above = links[-1].name
        links.append(LinkSpec(f"l{i}", inertial=weight))
        axis2 = (0.0, 1.0, 0.0) if kind == "universal" else None
        joints.append(JointSpec(f"j{i}", kind, above, f"l{i}", placement, axis, axis2))
    return Model(ModelSpec("chain", links, joints))


def rod(mass: float = 1.3, center: tuple = (0.2, 0.0, 0.0)) -> InertialSpec:
    return InertialSpec(mass, np.array(center), np.diag([0.01, 0.02, 0.03]))


UP = (0.0, -1.0, 0.0)  # turns that lift a link lying along x
TEXTBOOK = {
    "2R": [("revolute", UP, (0, 0, 0), rod()), ("revolute", UP, (0.4, 0, 0), rod(0.9))],
    "3R": [
        ("revolute", (0, 0, 1), (0, 0, 0.3), rod(2.0, (0.0, 0.05, 0.1))),
        ("revolute", UP, (0, 0, 0), rod()),
        ("revolute", UP, (0.4, 0, 0), rod(0.9)),
    ],
    "RP": [("revolute", UP, (0, 0, 0), rod()), ("prismatic", (1, 0, 0), (0.1, 0, 0), rod())],
    "spherical pendulum": [
        ("universal", (1, 0, 0), (0, 0, 0), InertialSpec(2.0, np.array([0, 0, -0.7])))
    ],
}


def random_motion(model: Model, rng: np.random.Generator, n: int) -> tuple[np.ndarray, ...]:
    q = model.sample(n, seed=int(rng.integers(1 << 30)))
    v, a = rng.normal(size=(2, n, model.nv))
    return q, v, a
