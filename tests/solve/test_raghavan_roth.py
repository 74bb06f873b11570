"""The C core's general method against the classical elimination in NumPy: two formulations."""

from __future__ import annotations

import numpy as np
import pytest
from numpy import pi

import handik as hk
from handik.study.twins.raghavan_roth import dh_pose, general_6r


def same_set(a: np.ndarray, b: np.ndarray) -> bool:
    gaps = np.abs((a[:, None] - b[None] + pi) % (2 * pi) - pi).max(axis=2)
    return bool((gaps.min(axis=0) < 1e-6).all() and (gaps.min(axis=1) < 1e-6).all())


@pytest.mark.parametrize("seed", range(25))
def test_random_arms_agree(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.uniform([-pi, -1, -1, -pi], [pi, 1, 1, pi], (6, 4))
    arm = hk.Model.from_dh(table)
    for _ in range(3):
        q = rng.uniform(-3, 3, 6)
        pose = arm.fk(q)
        assert np.abs(dh_pose(table, q) - pose).max() < 1e-12
        ours, theirs = arm.solutions(pose).q, general_6r(table, pose)
        assert len(ours) == len(theirs) >= 2
        assert same_set(ours, theirs)


def test_out_of_reach_is_empty() -> None:
    rng = np.random.default_rng(1)
    table = rng.uniform([-pi, -1, -1, -pi], [pi, 1, 1, pi], (6, 4))
    pose = np.eye(4)
    pose[0, 3] = 50
    assert general_6r(table, pose).shape == (0, 6)
    assert hk.Model.from_dh(table).solutions(pose).count == 0


def test_wrong_shapes_are_refused() -> None:
    with pytest.raises(hk.ArgumentError, match="table must be"):
        general_6r(np.zeros((5, 4)), np.eye(4))
