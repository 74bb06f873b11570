"""Full poses of real arms, made by FK of random coordinates, judged by Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest
from robots import ARMS, ROBOTS, arm, installed

pytestmark = pytest.mark.skipif(not installed(), reason="example-robot-data is not installed")


def pinocchio_pose(name, model, q):
    """Poses of the tip in the base, by Pinocchio from the file itself."""
    pin = pytest.importorskip("pinocchio")
    file, base, tip = ARMS[name]
    peer = pin.buildModelFromUrdf(str(ROBOTS / file))
    data = peer.createData()
    whole = pin.neutral(peer)
    slots = {n: peer.joints[peer.getJointId(n)].idx_q for n in model.joint_q_slices}
    out = []
    for row in q:
        for n, where in model.joint_q_slices.items():
            whole[slots[n]] = row[where][0]
        pin.framesForwardKinematics(peer, data, whole)
        below, above = (data.oMf[peer.getFrameId(f)] for f in (base, tip))
        out.append((below.inverse() * above).homogeneous)
    return np.array(out)


@pytest.mark.parametrize("name", ARMS)
def test_auto_solves_ten_thousand_poses_of_ten_thousand(name):
    model = arm(name)
    wanted = model.fk(model.sample(10_000, seed=20))
    got = model.solve(pose=wanted, solver="auto", threads=2)
    assert np.count_nonzero(~got.converged) == 0
    assert np.all(got.q >= model.lower)
    assert np.all(got.q <= model.upper)
    shown = slice(0, 500)
    there = pinocchio_pose(name, model, got.q[shown])
    assert np.abs(there[:, :3, 3] - wanted[shown, :3, 3]).max() < 2e-4 * model.max_reach
    turn = there[:, :3, :3] @ wanted[shown, :3, :3].transpose(0, 2, 1)
    cosine = (np.trace(turn, axis1=1, axis2=2) - 1) / 2
    assert np.all(np.arccos(np.clip(cosine, -1, 1)) < 2e-4)


@pytest.mark.parametrize("name", ["panda", "ur5"])
def test_tight_tolerances(name):
    model = arm(name)
    wanted = model.fk(model.sample(1000, seed=21))
    got = model.solve(
        pose=wanted, solver="auto", position_tolerance=1e-9, orientation_tolerance=1e-9
    )
    assert np.all(got.converged)
