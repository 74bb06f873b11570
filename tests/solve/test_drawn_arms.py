"""Arms drawn at random: the posture that made a pose is among its postures, or the answer is not sure."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_arms import HALF, Tally, look
from numpy import pi

import handik as hk

#: joints, arms a quick run looks at, and a slow one
QUICK = [(3, 60), (4, 300), (5, 200), (6, 60)]
FULL = [(3, 500), (4, 1500), (5, 1500), (6, 500)]


def _run(n: int, numbers: range, poses: int, starts: int = 0) -> Tally:
    tally = Tally()
    for number in numbers:
        look(n, number, tally, poses=poses, starts=starts)
    return tally


@pytest.mark.parametrize(("n", "arms"), QUICK)
def test_a_posture_is_never_missing_where_sure_is_said(n: int, arms: int) -> None:
    tally = _run(n, range(arms), poses=4)
    assert tally.poses > arms
    assert (tally.lied, tally.wrong) == (0, 0), tally
    assert tally.lost <= tally.doubted <= 0.05 * tally.poses, tally


@pytest.mark.slow
@pytest.mark.parametrize(("n", "arms"), FULL)
def test_a_posture_is_never_missing_where_sure_is_said_of_many(n: int, arms: int) -> None:
    tally = _run(n, range(arms), poses=6)
    assert (tally.lied, tally.wrong) == (0, 0), tally
    assert tally.lost <= tally.doubted <= 0.05 * tally.poses, tally


@pytest.mark.parametrize("n", [4, 5])
def test_newton_from_many_starts_finds_no_more(n: int) -> None:
    tally = _run(n, range(0, 60, 2), poses=2, starts=40)
    assert (tally.unsaid, tally.wrong) == (0, 0), tally


#: arms of four and five joints that lost every posture and were sure: rows theta, d, a, alpha
ONCE_EMPTY = [
    [[0, 0.1, 0, HALF], [0, 0, 0, -HALF], [0, 0.3, 0, HALF], [0, 0, 0.2, 0]],
    [[0, 0.2, 0, HALF], [0, 0, 0.3, HALF], [0, 0.25, 0, -HALF], [0, 0, 0.1, 0]],
    [[0, 0, 0.4, 0], [0, 0, 0.4, 0], [0, 0.3, 0, HALF], [0, 0.3, 0, 1.0], [0, 0.3, 0, 1.0]],
]


@pytest.mark.parametrize("table", ONCE_EMPTY)
@pytest.mark.parametrize("thorough", [False, True])
def test_arms_whose_added_axes_fell_in_line(
    table: list[list[float]], thorough: bool, rng: np.random.Generator
) -> None:
    arm = hk.Model.from_dh(table)
    q = rng.uniform(-2.5, 2.5, (10 if thorough else 200, arm.nq))
    q[0] = [0.3, -0.5, 0.7, 0.9, -0.4][: arm.nq]
    found = arm.solutions(arm.fk(q), method="general" if thorough else "auto")
    assert found.complete.all()
    assert (
        np.abs(found.q - q[:, None])
        .max(axis=2)
        .min(axis=1, initial=np.inf, where=~np.isnan(found.q[..., 0]))
        < 1e-6
    ).all()
    assert not found.free.any()


STRETCHED = [[0, 0, 0, HALF], [0, 0, 0.4, 0], [0, 0, 0, HALF], [0, 0.3, 0, 0]]


@pytest.mark.parametrize("q", [[0.0, 0.0, HALF, 0.7], [0.4, 0.3, HALF, -0.2]])
def test_an_arm_stretched_along_its_last_axis(q: list[float]) -> None:
    """All three axes before meet the last one: whatever point of it is kept moves in a plane."""
    arm = hk.Model.from_dh(STRETCHED)
    found = arm.solutions(arm.fk(q))
    assert found.complete
    assert found.count == 2
    assert np.abs(found.q - q).max(axis=1).min() < 1e-6
    assert not found.free.any()


def test_a_family_of_a_short_arm_has_one_representative() -> None:
    """Stretched upwards the first and the last joint turn as one."""
    arm = hk.Model.from_dh(STRETCHED)
    found = arm.solutions(arm.fk([0.0, HALF, HALF, 0.0]))
    assert not found.complete  # each way to complete the arm meets the family
    assert 1 <= found.count <= 2
    assert found.free.tolist() == [[True, False, False, True]] * found.count


#: seed, joints, number, poses of arms that lost a posture and were sure: two roots that meet at zero, a family whose
#: representative is out of reach, a triple root beside a family, two postures of one hidden joint, a full list
ONCE_SURE = [
    (0, 4, 118, 6),
    (0, 4, 588, 6),
    (0, 5, 110, 6),
    (0, 5, 250, 6),
    (0, 5, 504, 6),
    (0, 5, 1134, 6),
    (1, 5, 1324, 4),
    (2, 5, 108, 4),
    (2, 5, 1356, 4),
    (1, 6, 134, 4),
]


@pytest.mark.parametrize(("seed", "n", "number", "poses"), ONCE_SURE)
def test_arms_that_were_sure_and_wrong(seed: int, n: int, number: int, poses: int) -> None:
    tally = Tally()
    look(n, number, tally, seed=seed, poses=poses)
    assert (tally.lied, tally.wrong, tally.nothing) == (0, 0, 0), tally


@pytest.mark.parametrize("moved", [0.0, 1e-9, 1e-6, 1e-3])
@pytest.mark.parametrize("joint", range(6))
def test_two_slides_whose_turns_close_on_a_whole_curve_at_one_value(
    joint: int, moved: float
) -> None:
    # joints 2 and 5 turn as one where joint 4 stands at a right angle: four of the eight postures
    # lie on curves along which neither joint 1 nor joint 4 moves
    table = [
        [0, -0.2, 0, pi / 2],
        [pi / 2, -0.2, 0.4, -pi / 2],
        [pi / 2, -0.2, 0, 1],
        [0, 0, 0.4, pi / 2],
        [pi, 0.3, 0.4, pi],
        [pi / 2, -0.2, 0, -pi / 2],
    ]
    arm = hk.Model.from_dh(table, kinds="RRPRRP")
    q = np.array([-0.53, 0.0, 0.49, pi / 2, pi, 0.0])
    q[joint] += moved
    found = arm.solutions(arm.fk(q))
    apart = np.abs(found.q[: found.count] - q)
    apart[:, [0, 1, 3, 4]] = np.abs((apart[:, [0, 1, 3, 4]] + pi) % (2 * pi) - pi)
    assert found.count == 8
    assert apart.max(axis=1).min() < 1e-6


@pytest.mark.parametrize("number", range(60))
def test_two_slides_on_right_angles_near_postures_in_line(number: int) -> None:
    rng = np.random.default_rng([2, number])
    table = np.zeros((6, 4))
    table[:, 3] = rng.choice([0, HALF, -HALF, HALF, pi, 1.0], 6)
    table[:, 0] = rng.choice([0, HALF, pi], 6)
    table[:, 1:3] = rng.choice([0, 0.3, 0.5, -0.2, 0.4], (6, 2))
    at = rng.choice(6, 2, replace=False)
    turns = ~np.isin(np.arange(6), at)
    arm = hk.Model.from_dh(table, kinds="".join("R" if turn else "P" for turn in turns))
    q = np.where(turns, rng.uniform(-pi, pi, (6, 6)), rng.uniform(-0.6, 0.6, (6, 6)))
    square = rng.random((6, 6)) < np.array([0.2, 0.4, 0.4, 0.6, 0.4, 0.6])[:, None]
    q = np.where(square, np.where(turns, HALF * rng.integers(-1, 3, (6, 6)), 0.0), q)
    q[4:] += rng.normal(size=(2, 6)) * 10.0 ** rng.uniform(-9, -2, (2, 1))
    found = arm.solutions(arm.fk(q))
    alone = np.linalg.svd(arm.jacobian(q))[1][:, -1] > 1e-3
    for k in np.flatnonzero(alone & found.complete):
        gap = np.abs(found.q[k, : found.count[k]] - q[k])
        gap = np.where(turns, np.abs((gap + pi) % (2 * pi) - pi), gap)
        assert gap.max(axis=1).min(initial=np.inf) < 1e-5
