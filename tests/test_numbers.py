"""Numbers that the sources print, or that follow from what they say, counted again.

docs/errata.md says what the letters T, C, P and G stand for. What the studies measure (iterations,
smoothness, wrists, basins) is in their own tests.
"""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

import handik as hk
from handik.closed import paul

HALF = np.pi / 2
#: Denso VP-5243 as it stands in tests/solve/test_analytic.py: lengths are assumed.
VP5243 = hk.data("vp5243")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(52)


def test_thesis_dh_matrix(rng):
    """T 1.3: Rz(theta) Tz(d) Tx(a) Rx(alpha), with cos a cos t where the thesis has cos a sin t."""
    for theta, d, a, alpha in rng.uniform(-1, 1, (20, 4)):
        ct, st, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
        matrix = [
            [ct, -ca * st, sa * st, a * ct],
            [st, ca * ct, -sa * ct, a * st],
            [0, sa, ca, d],
            [0, 0, 0, 1],
        ]
        np.testing.assert_allclose(
            hk.Model.from_dh([[0, d, a, alpha]]).fk([theta]), matrix, atol=1e-15
        )


def test_thesis_counts_of_bones_and_joints():
    """T 1.2.2, A.1: what it adds up, and where its parts do not make its sum."""
    spine = {"cervical": 7, "thoracic": 12, "lumbar": 5, "sacral": 5}
    assert [sum(spine.values()) + coccyx for coccyx in (3, 4, 5)] == [32, 33, 34]
    assert spine["cervical"] + spine["thoracic"] + spine["lumbar"] == 24  # the mobile ones
    hand = {"carpal": 8, "metacarpal": 5, "phalanges": 4 * 3 + 2}
    assert hand["phalanges"] == 14
    assert sum(hand.values()) == 27
    arm = {"shoulder": 3, "shoulder girdle": 3, "elbow": 2, "wrist": 3}
    assert 12 + sum(arm.values()) == 23  # not the 21 of its figure,
    assert 12 + 2 * sum(arm.values()) == 34  # nor with two arms
    body = hk.ModelSpec(
        "body",
        [hk.LinkSpec("world"), hk.LinkSpec("body")],
        [hk.JointSpec("j", "free", "world", "body")],
    )
    assert hk.Model(body).nv == 6


@pytest.mark.parametrize("solver", ["pinv", "newton"])
def test_poppy_fewer_than_ten_iterations(rng, solver):
    """P: "moins de dix" for small displacements; here within 0.1 rad of the start, on a UR5."""
    arm = hk.data("ur5")
    q0 = rng.uniform(-np.pi, np.pi, (500, 6))
    goals = arm.fk(q0 + rng.uniform(-0.1, 0.1, (500, 6)))
    sure = np.linalg.cond(arm.jacobian(q0)) < 50  # P nudges where the rank is lost
    found = arm.solve(pose=goals[sure], q0=q0[sure], solver=solver)
    assert found.converged.all()
    assert found.iterations.max() < 10
    assert found.iterations.mean() < 3


def test_denso_has_four_postures(rng):
    """G fig. 17: four postures of a 5R arm; the posture of the notes has all four."""
    assert VP5243.solutions(VP5243.fk(np.radians([20, 40, -60, 30, 15]))).count == 4
    found = VP5243.solutions(VP5243.fk(VP5243.sample(500, seed=1)))
    assert set(np.unique(found.count)) == {2, 4}
    assert (found.count == 4).mean() > 0.8


#: Types of equation by the kinds of the first three joints of XXX(RRR), each on skew axes.
PIEPER = {
    "RRR": [11, 3, 3, 2, 3, 3],
    "RRP": [10, 3, 3, 2, 3, 3],
    "RPR": [11, 1, 3, 2, 3, 3],
    "PRR": [11, 1, 3, 2, 3, 3],
    "PRP": [9, 1, 3, 2, 3, 3],
    "RPP": [2, 1, 1, 2, 3, 3],
    "PPR": [2, 1, 1, 2, 3, 3],
    "PPP": [1, 1, 1, 2, 3, 3],
}


def wrist(kinds):
    """Three skew joints and a wrist of three turns through a point."""
    table = [[0.3, 0.2, 0.4, 0.7], [0.4, 0.3, 0.5, 1.1], [-0.2, 0.25, 0.3, 0.6]]
    return np.array([*table, [0, 0.35, 0, HALF], [0, 0, 0, -HALF], [0, 0.1, 0, 0]]), kinds + "RRR"


def test_the_types_of_pieper_are_all_there():
    assert {t for row in PIEPER.values() for t in row} == {1, 2, 3, 9, 10, 11}
    assert set(PIEPER) == {"".join(k) for k in product("RP", repeat=3)}


@pytest.mark.parametrize("kinds", PIEPER)
def test_pieper_needs_types_1_2_3_9_10_11(kinds, rng):
    """G: "equations of type 1, 2, 3, 9, 10 and 11", and no other, for a wrist on any three."""
    pytest.importorskip("sympy")
    table, word = wrist(kinds)
    derived = paul.derive(table, kinds=word)
    assert sorted(step.type for step in derived.steps) == sorted(PIEPER[kinds])
    q = rng.uniform(-1, 1, (5, 6))
    for row in q:
        found = derived.solve(derived.model.fk(row))
        assert np.abs(np.asarray(found.q) - row).max(axis=1).min() < 1e-6


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("others", ["".join(k) for k in product("RP", repeat=3)])
def test_a_wrist_at_any_place_is_complete(place, others, rng):
    """G: XXX(RRR), XX(RRR)X, X(RRR)X...: 4 places by 8 kinds, every posture of every pose."""
    kinds = others[:place] + "RRR" + others[place:]
    for _ in range(3):
        table = rng.uniform([-1, 0.1, 0.1, 0.3], [1, 0.6, 0.6, 1.2], (6, 4))
        table[place, 1:3] *= [1, 0]  # the three axes through one point
        table[place + 1, 1:3] = 0
        arm = hk.Model.from_dh(table, kinds=kinds)
        q = rng.uniform(-1, 1, 6)
        found = arm.solutions(arm.fk(q))
        assert found.complete
        gaps = np.abs((np.asarray(found.q) - q + np.pi) % (2 * np.pi) - np.pi).max(axis=1)
        assert gaps.min() < 1e-6
        assert np.abs(arm.fk(found.q) - arm.fk(q)).max() < 1e-8


@pytest.mark.parametrize("slides", list(combinations(range(6), 3)))
def test_three_slides_in_any_order_are_complete(slides, rng):
    """G: PPPRRR, PPRPRR, PRPRPR...: all 20 orders."""
    kinds = "".join("P" if k in slides else "R" for k in range(6))
    for _ in range(5):
        table = rng.uniform([-np.pi, -1, -1, -np.pi], [np.pi, 1, 1, np.pi], (6, 4))
        arm = hk.Model.from_dh(table, kinds=kinds)
        q = rng.uniform(-1, 1, 6)
        found = arm.solutions(arm.fk(q))
        assert found.complete
        assert found.count == 2
        assert np.abs(np.asarray(found.q) - q).max(axis=1).min() < 1e-8


def test_general_six_turns_of_raghavan_and_roth(rng):
    """G: 40 arms of six skew turns; the posture the pose was made of is among all, at most 16."""
    for _ in range(40):
        arm = hk.Model.from_dh(rng.uniform([-np.pi, -1, -1, -np.pi], [np.pi, 1, 1, np.pi], (6, 4)))
        q = rng.uniform(-np.pi, np.pi, 6)
        found = arm.solutions(arm.fk(q))
        assert found.complete
        assert found.count % 2 == 0
        assert 2 <= found.count <= 16
        gaps = np.abs((np.asarray(found.q) - q + np.pi) % (2 * np.pi) - np.pi).max(axis=1)
        assert gaps.min() < 1e-7


def test_platform_both_ways(rng):
    """G: inverse model of a Gough-Stewart platform in closed form, direct model by Newton."""
    angles = np.radians([-10, 10, 110, 130, 230, 250])
    base = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    angles = np.radians([-50, 50, 70, 170, 190, 290])
    top = 0.6 * np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    platform = hk.parallel.StewartPlatform(base, top)
    for _ in range(20):
        pose = hk.transforms.from_rotation_vector(
            rng.uniform(-0.2, 0.2, 3), [0, 0, 1] + rng.uniform(-0.1, 0.1, 3)
        )
        legs = platform.ik(pose)
        by_hand = np.linalg.norm(top @ pose[:3, :3].T + pose[:3, 3] - base, axis=1)
        np.testing.assert_allclose(legs, by_hand, atol=1e-15)
        start = np.eye(4)
        start[2, 3] = 1.0
        direct = platform.fk(legs, start)
        assert direct.converged
        assert direct.iterations <= 6
        np.testing.assert_allclose(direct.T, pose, atol=1e-12)


def test_roboop_row_is_a_pendulum(tmp_path):
    """T table 3.1: offset, mass, centre, inertia and drive: (I + m c^2 + Im Gr^2) a + drive."""
    mass, c, inertia, rotor, ratio, viscous, coulomb = 2.0, 0.3, 0.05, 1e-4, 60.0, 2e-3, 0.1
    row = [0, 0, 0, 0.5, 0, -3, 3, 0.4, mass, c, 0, 0, 0, 0, 0, 0, 0, inertia]
    motor = [rotor, ratio, viscous, coulomb]
    robot = hk.roboop.Robot(np.array([[*row, 0]], float), motor=np.array([motor], float))
    model = robot.model
    q, v, a = 0.7, 1.3, -2.1
    torque = model.inverse_dynamics([q], [v], [a], gravity=[0.0, 0.0, 0.0])
    expected = (inertia + mass * (0.5 + c) ** 2 + rotor * ratio**2) * a
    expected += ratio * (ratio * viscous * v + coulomb * np.sign(v))
    np.testing.assert_allclose(torque, [expected], rtol=1e-13)
