"""The swivel of arms with spherical shoulder and wrist."""

from __future__ import annotations

import numpy as np
import pytest
from numpy import pi

import handik as hk
from handik.closed.arm_angle import (
    arm_angle,
    arm_angle_ranges,
    around,
    end_angle_ranges,
    postures_at,
    ranges_of,
)

HALF = pi / 2
ALPHA = [-HALF, HALF, HALF, -HALF, -HALF, HALF, 0]
TABLE = [[0, d, 0, w] for d, w in zip([0.36, 0, 0.42, 0, 0.4, 0, 0.126], ALPHA, strict=True)]


def test_own_angle_gives_own_posture(rng: np.random.Generator) -> None:
    arm = hk.Model.from_dh(TABLE)
    q = rng.uniform(-3, 3, (200, 7))
    poses, angle = arm.fk(q), arm_angle(arm, q)
    found = postures_at(arm, poses, angle)
    assert found.shape == (200, 8, 7)
    gap = np.abs((found - q[:, None] + pi) % (2 * pi) - pi).max(axis=2).min(axis=1)
    assert gap.max() < 1e-6
    assert np.abs(arm.fk(found) - poses[:, None]).max() < 1e-10
    turned = (arm_angle(arm, found) - angle[:, None] + pi) % (2 * pi) - pi
    assert np.abs(turned).max() < 1e-6


def test_swivel_keeps_the_frame_and_moves_the_elbow(rng: np.random.Generator) -> None:
    arm = hk.Model.from_dh(TABLE)
    pose = arm.fk(rng.uniform(-2, 2, 7))
    found = postures_at(arm, pose, np.linspace(-pi, pi, 50))
    assert np.abs(arm.fk(found) - pose).max() < 1e-10
    elbows = hk.Model.from_dh(TABLE[:3]).fk(found[:, 0, :3])[:, :3, 3]
    assert np.ptp(elbows, axis=0).max() > 0.05


def test_ranges_are_where_the_limits_hold(rng: np.random.Generator) -> None:
    limit = np.radians([170, 120, 170, 120, 170, 120, 175])
    arm = hk.Model.from_dh(TABLE, lower=-limit, upper=limit)
    pieces = 0
    for _ in range(5):
        pose = arm.fk(arm.sample(seed=int(rng.integers(1 << 30))))
        ranges = arm_angle_ranges(arm, pose, samples=360)
        at = rng.uniform(-pi, pi, 400)
        inside = ~np.isnan(postures_at(arm, pose, at)[..., 0])
        for branch, parts in enumerate(ranges):
            told = np.zeros(len(at), bool)
            near_edge = np.zeros(len(at), bool)
            for low, high in parts:
                pieces += high - low < 2 * pi - 1e-9
                for turn in (-2 * pi, 0, 2 * pi):
                    told |= (at + turn >= low) & (at + turn <= high)
                    near_edge |= np.abs(at + turn - low) < 0.02
                    near_edge |= np.abs(at + turn - high) < 0.02
            assert (told == inside[:, branch])[~near_edge].all()
            for low, high in parts:
                ends = postures_at(arm, pose, [low, high])[:, branch]
                assert not np.isnan(ends).any()
                assert (np.abs(ends) <= limit + 1e-9).all()
    assert pieces > 0


def test_other_arms_are_refused() -> None:
    six = hk.Model.from_dh(TABLE[:6])
    with pytest.raises(hk.UnsupportedError, match="arm angle"):
        arm_angle(six, np.zeros(6))
    arm = hk.Model.from_dh(TABLE)
    with pytest.raises(hk.ArgumentError, match="shape"):
        arm_angle_ranges(arm, np.zeros((2, 4, 4)))
    with pytest.raises(hk.ArgumentError, match=r"of T and \(2,\) of angle"):
        postures_at(arm, np.zeros((3, 4, 4)), np.zeros(2))


def test_one_good_angle_alone_is_a_range_without_width() -> None:
    """No whole turn: what is good at one angle only begins and ends there."""
    angles = around(16, 1e-9)
    for k in (0, 5, 15):
        good = np.arange(16) == k

        def inside(at: np.ndarray, one: float = float(angles[k])) -> np.ndarray:
            return (at == one)[:, None]

        ((low, high),) = ranges_of(angles, good, 0, inside, 1e-9)
        wanted = angles[k] + (2 * pi if k == 0 else 0)  # low is above -pi
        np.testing.assert_allclose([low, high], wanted, atol=1e-12)


def test_the_least_tolerance_ends_and_none_is_refused() -> None:
    arm = hk.Model.from_dh(TABLE, lower=-2.0, upper=2.0)
    pose = arm.fk(np.full(7, 0.4))
    coarse = arm_angle_ranges(arm, pose, samples=64)
    fine = arm_angle_ranges(arm, pose, samples=64, tolerance=1e-300)
    assert any(coarse)
    for some, others in zip(coarse, fine, strict=True):
        np.testing.assert_allclose(np.array(some), np.array(others), atol=1e-8)
    for tolerance in (0.0, -1.0, np.nan):
        with pytest.raises(hk.ArgumentError, match="tolerance must be above 0"):
            arm_angle_ranges(arm, pose, tolerance=tolerance)


def test_end_angles_with_a_held_joint_out_of_the_plane() -> None:
    """The plane was looked for where the held joint is not."""
    arm = hk.Model.from_dh(
        [[0, 0, 0, np.pi / 2], [0, 0, 0.5, 0], [0, 0, 0.5, 0], [0, 0, 0.4, 0]], lower=-3, upper=3
    )
    found = []
    for angle in (0.0, 0.7):
        held = arm.locked({"joint_1": angle})
        q = np.array([angle, 0.3, 0.4, 0.5])
        found.append(end_angle_ranges(held, held.fk(q)[:3, 3]))
    assert found[0]
    np.testing.assert_allclose(found[0], found[1], atol=1e-7)


def test_a_posture_at_an_arm_angle_reaches_its_pose(rng: np.random.Generator) -> None:
    """Just out of the elbow's reach, where its equation lets rounding pass, too."""
    arm = hk.Model.from_dh(TABLE)
    for off in (0.0, 1e-12, 3e-10, 6e-10, 1e-8):
        T = arm.fk(np.zeros(7))
        T[2, 3] += off
        found = postures_at(arm, T, rng.uniform(-3, 3, 20))
        found = found[~np.isnan(found[..., 0])]
        assert len(found) or off > 1e-11
        assert np.abs(arm.fk(found) - T).max(initial=0) < 1.5e-10
