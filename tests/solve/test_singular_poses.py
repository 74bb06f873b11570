"""Poses at which joints line up, and postures at a limit: what is sure is true there too."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_arms import draw, gaps, regular
from numpy import pi

import handik as hk

HALF = pi / 2

# joints, number of the arm, and a posture in quarter turns or metres: each was lost with `sure` once. The arms are drawn
# with seed 100, but for that of number 36: 4.
LOST = [
    # the equations of two joints were a line and a circle that touch, and rounding took them apart
    (5, 124, [-1.6605, 2, 2, 0, -1.4492]),
    # joint 1 is free, and at 0 the wrist was out of reach
    (6, 0, [0.357, 1.5433, 2, 0, 0, 1]),
    # a row of rounding was taken for an equation
    (6, 14, [2, 2, 2, 0, -1, 1]),
    # six postures of a family, and Newton's method found each to be alone
    (6, 90, [1, 2, 1, 2, -1, 0.3]),
    # the eigenvalue -1 three times: none of the 16 was found, which read as none being real
    (6, 36, [-1.8281011, -1, -1, 0, -1.9237342, 0]),
    # two slides made parallel by the turn between them
    (3, 156, [-0.2, 1, 0.3]),
    (3, 166, [-0.2, 0, -0.2]),
    # two joints: the tip stands on an axis
    (2, 4, [1, 0]),
    (2, 92, [2, 0]),
    (2, 118, [-1, 0]),
]


def posture(arm: object, values: list[float]) -> np.ndarray:
    return np.where(arm.turns, HALF * np.array(values), values)


@pytest.mark.parametrize(("n", "number", "values"), LOST)
def test_a_reachable_pose_is_not_surely_out_of_reach(
    n: int, number: int, values: list[float]
) -> None:
    arm = draw(n, number, 4 if number == 36 else 100)
    q = posture(arm, values)
    T = arm.model.fk(q)
    found = arm.model.solutions(T)
    assert found.count > 0
    assert found.exact.all()
    np.testing.assert_allclose(
        arm.model.fk(found.q), np.broadcast_to(T, (found.count, 4, 4)), atol=1e-9
    )
    if regular(arm, q):
        assert gaps(arm, found.q, q).min() < 1e-5
    else:
        assert found.free.any() or not found.complete or gaps(arm, found.q, q).min() < 1e-3


@pytest.mark.parametrize(
    ("number", "values"),
    [(18, [2, -1]), (78, [1, 2]), (178, [0, 1]), (256, [1, 0]), (284, [1, -1])],
)
def test_a_point_on_the_first_of_two_axes_leaves_it_free(number: int, values: list[float]) -> None:
    arm = draw(2, number, 100)
    for first in (0, 1, 2):
        for second in (-1, 0, 1, 2):
            q = posture(arm, [first, second])
            T = arm.model.fk(q)
            found = arm.model.solutions(T, task="position")
            assert found.count > 0
            off = arm.model.fk(found.q)[:, :3, 3] - T[:3, 3]
            assert np.abs(off).max() < 1e-10
            there = gaps(arm, found.q, q) < 1e-6
            assert there.any() or found.free.any()
            free = np.abs(arm.model.jacobian(q)[:3, 0]).max() < 1e-12
            assert found.free[:, 0].any() == free


@pytest.mark.parametrize("seed", [100, 101])
def test_drawn_arms_where_joints_line_up(seed: int) -> None:
    """Most joints at right angles or at zero: what is sure is never nothing, and never lacks one that is alone."""
    for n in (3, 4, 5, 6):
        for number in range(10):
            arm = draw(n, number, seed)
            rng = np.random.default_rng([seed, n, number, 9])
            q = np.where(
                arm.turns, HALF * rng.integers(-1, 3, (4, n)), rng.choice([0, 0.3, -0.2], (4, n))
            )
            found = arm.model.solutions(arm.model.fk(q))
            for k in np.flatnonzero(found.complete):
                rows = found.q[k, : found.count[k]]
                assert len(rows)
                assert not regular(arm, q[k]) or gaps(arm, rows, q[k]).min() < 1e-5


PUMA = [
    [0, 0.6718, 0, HALF],
    [0, 0, 0.4318, 0],
    [0, 0.15005, 0.0203, -HALF],
    [0, 0.4318, 0, HALF],
    [0, 0, 0, -HALF],
    [0, 0, 0, 0],
]


@pytest.mark.parametrize("side", [-1.0, 1.0])
@pytest.mark.parametrize("stretched", [False, True])
def test_a_posture_at_its_limits_is_found(side: float, stretched: bool) -> None:
    """Its elbow too may be stretched there, where its value is known to 1e-8 only."""
    table = np.array(PUMA)
    table[2, 1:3] = 0  # stretched at 0
    rng = np.random.default_rng(3)
    for _ in range(60):
        q = rng.uniform(-2, 2, 6)
        if stretched:
            q[2] = -HALF  # links 2 and 4 in line
        lower, upper = np.full(6, -pi), np.full(6, pi)
        at = rng.random(6) < 0.5
        at[2] = stretched
        lower[at & (side < 0)] = q[at & (side < 0)]
        upper[at & (side > 0)] = q[at & (side > 0)]
        arm = hk.Model.from_dh(table, lower=lower, upper=upper)
        T = arm.fk(q)
        found = arm.solutions(T)
        assert ((found.q >= lower) & (found.q <= upper)).all()
        assert np.abs(found.q - q).max(axis=1).min(initial=9) < 1e-5


def test_a_posture_beyond_its_limits_is_none() -> None:
    """By more than a posture may be off: brought to the limit it would miss the pose."""
    rng = np.random.default_rng(4)
    for off, there in ((1e-8, False), (1e-9, False), (1e-11, True)):
        for _ in range(20):
            q = rng.uniform(-2, 2, 6)
            arm = hk.Model.from_dh(
                PUMA, lower=np.full(6, -pi), upper=np.where(np.arange(6) == 1, q - off, pi)
            )
            found = arm.solutions(arm.fk(q))
            gap = np.abs(found.q - q).max(axis=1).min(initial=9)
            assert (gap < 1e-6) == there


def test_a_family_whose_representative_is_outside_the_limits_is_not_lost() -> None:
    lower, upper = np.full(6, -pi), np.full(6, pi)
    lower[3], upper[3] = 0.5, 1.0  # the representative has 0
    arm = hk.Model.from_dh(PUMA, lower=lower, upper=upper)
    q = np.array([0.3, 0.4, -0.5, 0.8, 0.0, 0.7])
    found = arm.solutions(arm.fk(q))
    assert not found.complete
    assert found.count > 0 or arm.solutions(arm.fk(q), closest=True).exact.any()


@pytest.mark.parametrize("far", [1e5, 1e7, 1e9, 1e300])
def test_so_far_that_rounding_hides_a_posture_nobody_is_sure(far: float) -> None:
    arm = hk.Model.from_dh(
        [[0, 0, 0, HALF], [HALF, 0, 0, HALF], [0, 0, 0, 0], *PUMA[3:]], kinds="PPPRRR"
    )
    q = np.array([far, -far, 0.7 * far, 0.1, 0.5, 0.3])
    found = arm.solutions(arm.fk(q))
    assert found.count > 0 or not found.complete
    turning = hk.Model.from_dh(PUMA)
    T = np.eye(4)
    T[0, 3] = far
    assert turning.solutions(T).complete
    assert turning.solutions(T).count == 0
