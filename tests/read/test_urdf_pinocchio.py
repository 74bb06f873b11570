"""The tree read from every example robot poses its links where Pinocchio does."""

from __future__ import annotations

import math

import numpy as np
import pytest
from _robots import ROBOTS, urdf_files

from handik.files.read import JointSpec, LinkSpec, ModelSpec
from handik.files.read.urdf import read_urdf

pinocchio = pytest.importorskip("pinocchio", reason="needs the package pin")

FILES = urdf_files()


def motion(joint, value):
    """Motion of a joint of one coordinate about or along its unit axis (Rodrigues)."""
    out = np.eye(4)
    axis = np.array(joint.axis)
    if joint.kind == "prismatic":
        out[:3, 3] = value * axis
        return out
    k = np.cross(axis, np.eye(3)).T  # k @ p is axis x p
    out[:3, :3] += math.sin(value) * k + (1 - math.cos(value)) * k @ k
    return out


def pinocchio_q(model, values):
    q = pinocchio.neutral(model)
    for joint_id in range(1, model.njoints):
        value, at = values[model.names[joint_id]], model.idx_qs[joint_id]
        if model.nqs[joint_id] == 2:  # a continuous joint: cosine and sine
            q[at : at + 2] = math.cos(value), math.sin(value)
        else:
            q[at] = value
    return q


@pytest.mark.skipif(not FILES, reason="needs the package example-robot-data")
@pytest.mark.parametrize("name", FILES)
def test_links_stand_where_pinocchio_puts_them(name):
    path = ROBOTS / name
    model = pinocchio.buildModelFromUrdf(str(path))
    spec = read_urdf(path)
    random = np.random.default_rng(1)
    moving = [joint for joint in spec.joints if joint.nq]
    assert all(joint.nq == 1 for joint in moving)
    values = {joint.name: random.uniform(-1.5, 1.5) for joint in moving}
    data = model.createData()
    pinocchio.framesForwardKinematics(model, data, pinocchio_q(model, values))
    frames = {spec.root: np.eye(4)}
    for joint in spec.ordered_joints():
        step = motion(joint, values[joint.name]) if joint.nq else np.eye(4)
        frames[joint.child] = frames[joint.parent] @ joint.placement @ step
    compared = 0
    for link, frame in frames.items():
        if model.existFrame(link, pinocchio.FrameType.BODY):
            other = data.oMf[model.getFrameId(link, pinocchio.FrameType.BODY)].homogeneous
            np.testing.assert_allclose(frame, other, atol=1e-12)
            compared += 1
    assert compared >= len(moving)
    low = {joint.name: joint.limits() for joint in moving}
    for joint_id in range(1, model.njoints):
        (lower,), (upper,) = low[model.names[joint_id]]
        if model.nqs[joint_id] == 1 and lower > -np.inf:
            at = model.idx_qs[joint_id]
            assert (lower, upper) == (model.lowerPositionLimit[at], model.upperPositionLimit[at])


@pytest.mark.skipif(not FILES, reason="needs the package example-robot-data")
def test_masses_agree_with_pinocchio():
    compared = 0
    for name in FILES:
        try:
            model = pinocchio.buildModelFromUrdf(
                str(ROBOTS / name), pinocchio.JointModelFreeFlyer()
            )
        except (ValueError, RuntimeError):
            continue
        spec = read_urdf(ROBOTS / name)
        mass = sum(link.inertial.mass for link in spec.links if link.inertial is not None)
        assert mass == pytest.approx(sum(body.mass for body in model.inertias), rel=1e-9)
        compared += 1
    assert compared > 50


@pytest.mark.parametrize("limits", [(None, None), (-1.0, 2.0), (-1.0, None)])
@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_pinocchio_reads_what_is_written(kind, limits):
    """urdfdom refuses a hinge or slide without effort, speed, or (slides) limits."""
    joint = JointSpec("j", kind, "a", "b", lower=limits[0], upper=limits[1])
    text = ModelSpec("r", [LinkSpec("a"), LinkSpec("b")], [joint]).to_urdf()
    model = pinocchio.buildModelFromXML(text)
    assert model.njoints == 2
    if kind == "prismatic" or limits != (None, None):
        low, high = (1e16 if x is None else abs(x) for x in limits)
        assert (model.lowerPositionLimit[0], model.upperPositionLimit[0]) == (-low, high)
