"""The table of known configurations, and what Poppy's motors are told."""

from __future__ import annotations

import json
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import handik as hk

ARM = hk.data("poppy_arm")
MOTORS = hk.data.motors("poppy_arm")
TABLE = hk.plan.PoseTable.covering(ARM, 10)


def hands(n: int, seed: int) -> np.ndarray:
    return ARM.fk(ARM.sample(n, seed=seed))[:, :3, 3]


def test_the_study_s_claim_fewer_than_ten_iterations_from_the_nearest_of_ten() -> None:
    """Of 1,000 places that a posture free of itself has, and the way there is proved free too."""
    table, empty = hk.plan.PoseTable.covering(ARM, 10, figure=ARM), hk.Scene()
    q = ARM.sample(1500, seed=7)
    q = q[empty.free(ARM, q)][:1000]
    assert len(q) == 1000
    found = [table.reach(y, step=inf, max_iter=9) for y in ARM.fk(q)[:, :3, 3]]
    steps = [np.asarray(one.q) for one in found if one.converged]
    first, last = (
        np.concatenate([way[part] for way in steps]) for part in (slice(-1), slice(1, None))
    )
    free = np.split(
        empty.proves(ARM, first, last).outcome == "free",
        np.cumsum([len(way) - 1 for way in steps])[:-1],
    )
    assert sum(bool(one.all()) for one in free) >= 950


def test_small_displacements_solve_nearly_all_and_each_in_few_iterations() -> None:
    found = [TABLE.reach(y, step=0.02) for y in hands(300, 11)]
    assert np.mean([one.converged for one in found]) >= 0.98
    assert np.mean([one.iterations.max() < 10 for one in found if one.converged]) >= 0.98


@given(st.integers(0, 2**31 - 1), st.floats(0.005, 0.3))
def test_a_reach_is_a_chain_of_small_displacements(seed: int, step: float) -> None:
    target = hands(1, seed)[0]
    found = TABLE.reach(target, step=step)
    off = np.linalg.norm(TABLE.points - target, axis=1)
    assert found.row == off.argmin() == TABLE.nearest(target)
    assert len(found.q) == len(found.iterations) + 1 == max(1, np.ceil(off.min() / step)) + 1
    assert np.array_equal(found.q[0], TABLE.q[found.row])
    places = ARM.fk(found.q)[:, :3, 3]
    assert found.error == pytest.approx(np.linalg.norm(places[-1] - target), abs=1e-12)
    if found.converged:
        assert found.error <= 1e-4
        # each ends on the straight line, as far along it as its share
        line = np.linspace(0, 1, len(places))[:, None]
        assert np.abs(places - (places[0] + line * (target - places[0]))).max() < 2.1e-4
    assert np.all(ARM.clip(found.q) == found.q)


def test_the_least_change_is_that_of_the_pseudo_inverse() -> None:
    # for a displacement so small that one step is enough, dq = J^T (J J^T)^-1 dx
    q = TABLE.q[2]
    dx = np.array([3e-4, -2e-4, 1e-4])
    table = hk.plan.PoseTable(ARM, q)
    found = table.reach(table.points[0] + dx, position_tolerance=1e-9)
    J = ARM.jacobian(q)[:3]
    expected = J.T @ np.linalg.solve(J @ J.T, dx)
    assert np.allclose(found.q[-1] - q, expected, atol=2e-3 * np.linalg.norm(expected))


def test_the_forearm_can_be_kept_level() -> None:
    """Mariot's example of a task beside the position: the forearm (y of its link) horizontal."""
    level = hk.Level("r_hand", axis=(0.0, 1.0, 0.0))
    q = np.radians([-90.0, 90.0, 0.0, 90.0])
    table = hk.plan.PoseTable(ARM, q)
    target = table.points[0] + [-0.02, -0.01, 0.02]
    found = table.reach(target, terms=[level], step=0.005)
    assert found.converged
    assert np.abs(ARM.fk(found.q)[:, 2, 1]).max() < 2e-4
    free = table.reach(target, step=0.005)
    assert np.abs(ARM.fk(free.q)[:, 2, 1]).max() > 0.05


def test_a_singular_start_is_left_by_a_push() -> None:
    straight = hk.chain([0.5, 0.5])
    table = hk.plan.PoseTable(straight, [[0.0, 0.0]])
    assert table.reach([0.7, 0.0, 0.0], step=inf).converged


def test_rows_are_checked() -> None:
    with pytest.raises(hk.ArgumentError, match="row 1 of q is outside the limits"):
        hk.plan.PoseTable(ARM, [ARM.rest, ARM.upper + 0.1])
    with pytest.raises(hk.ArgumentError, match="hinges and slides"):
        hk.plan.PoseTable(hk.chain([1.0], "ball"), [[1.0, 0.0, 0.0, 0.0]])
    with pytest.raises(hk.ArgumentError, match="n at least 1"):
        hk.plan.PoseTable(ARM, np.empty((0, 4)))
    with pytest.raises(hk.ArgumentError, match="draws must be 100 at least"):
        hk.plan.PoseTable.covering(ARM, 10, draws=99)
    for step in (0.0, -1.0, float("nan")):
        with pytest.raises(hk.ArgumentError, match="step must be above 0"):
            TABLE.reach([0, 0, 0], step=step)
    with pytest.raises(hk.ArgumentError, match="terms must take no target"):
        TABLE.reach([0, 0, 0], terms=[hk.Position("l_hand")])
    with pytest.raises(hk.ArgumentError, match="start is outside the limits"):
        TABLE.route(ARM.upper + 1, [0, 0, 0])


def test_where_the_hand_has_too_few_places() -> None:
    still = ARM.locked({one["name"]: np.radians(one["zero"]) for one in MOTORS})
    with pytest.raises(hk.ArgumentError, match="fewer than 2 places"):
        hk.plan.PoseTable.covering(still, 2)


def test_the_same_seed_is_the_same_table() -> None:
    again = hk.plan.PoseTable.covering(ARM, 10)
    assert np.array_equal(again.q, TABLE.q)
    assert not np.array_equal(hk.plan.PoseTable.covering(ARM, 10, seed=1).q, TABLE.q)


def test_a_route_goes_by_rows() -> None:
    start = ARM.sample(1, seed=5)[0]
    target = hands(1, 9)[0]
    route = TABLE.route(start, target)
    assert route.outcome == "found"
    assert route.converged
    assert np.array_equal(route.q[0], start)
    assert np.linalg.norm(ARM.fk(route.q[-1])[:3, 3] - target) < 1e-4
    assert np.array_equal(route.q[1], TABLE.q[route.rows[0]])
    far = TABLE.route(start, [5.0, 0.0, 0.0])
    assert (far.outcome, len(far.q), far.converged) == ("not_reached", 0, False)


@given(st.integers(1, 60))
def test_steps_are_equal_shares_with_the_corners_kept(n: int) -> None:
    q = np.array([[0.0, 0], [3, 0], [3, 4]])
    steps = hk.plan.TableRoute("found", q, ()).steps(n)
    assert len(steps) >= n + 1
    assert len(steps) <= n + 2
    for corner in q:
        assert (np.abs(steps - corner).max(axis=1) < 1e-12).any()
    assert np.linalg.norm(np.diff(steps, axis=0), axis=1).max() <= 7 / n + 1e-12


def test_commands_are_degrees_from_the_motor_s_zero() -> None:
    q = np.radians([[-90, 90, 0, 90], [-60, 80, 10, 60]])
    told = hk.plan.motor_commands(ARM, q, MOTORS)
    expected = {"r_shoulder_y": [0, -30], "r_shoulder_x": [0, -10], "r_arm_z": [0, -10]}
    for name, degrees in (expected | {"r_elbow_y": [0, 30]}).items():
        assert np.allclose(told[name], degrees, atol=1e-9), name
    with pytest.raises(
        hk.ArgumentError, match=r"r_elbow_y would be turned to 150 degrees.*0 to 147"
    ):
        hk.plan.motor_commands(ARM, np.radians([-90, 90, 0, 150]), MOTORS)
    with pytest.raises(hk.NotFoundError, match="no joint 'r_elbow_y'"):
        hk.plan.motor_commands(hk.chain([1.0]), [0.0], MOTORS[-1:])
    with pytest.raises(hk.ArgumentError, match=r"motors\[0\] must have name, zero, sense"):
        hk.plan.motor_commands(ARM, q, [{"name": "r_elbow_y"}])
    with pytest.raises(hk.ArgumentError, match=r"motors\[0\] sense must be 1 or -1"):
        hk.plan.motor_commands(ARM, q, [dict(MOTORS[0], sense=2)])
    spec = hk.ModelSpec("lift", [hk.LinkSpec("shaft"), hk.LinkSpec("cabin")])
    spec.joints.append(hk.JointSpec("up", "prismatic", "shaft", "cabin", lower=0.0, upper=9.0))
    with pytest.raises(hk.ArgumentError, match="must be a hinge"):
        hk.plan.motor_commands(hk.Model(spec), [1.0], [dict(MOTORS[0], name="up")])


def test_a_move_has_the_frames_that_pypot_reads() -> None:
    way = np.radians([[-90, 90, 0, 90], [-60, 80, 10, 60]])
    moved = hk.plan.trajectory(ARM, way, max_acceleration=5.0)
    move = json.loads(json.dumps(hk.plan.pypot_move(moved, MOTORS, framerate=20)))
    times = [float(t) for t in move["positions"]]
    assert move["framerate"] == 20
    assert np.allclose(np.diff(times)[:-1], 0.05)
    assert times[-1] == pytest.approx(moved.duration)
    frames = list(move["positions"].values())
    assert all(set(frame) == {one["name"] for one in MOTORS} for frame in frames)
    assert np.allclose(
        [frames[-1]["r_elbow_y"], frames[0]["r_elbow_y"]], [[30, 0], [0, 0]], atol=1e-6
    )
    # speed is that of the positions, in degrees a second
    middle = len(frames) // 2
    slope = (frames[middle + 1]["r_elbow_y"][0] - frames[middle - 1]["r_elbow_y"][0]) / 0.1
    assert frames[middle]["r_elbow_y"][1] == pytest.approx(slope, rel=0.05)
    with pytest.raises(hk.ArgumentError, match="framerate must be above 0"):
        hk.plan.pypot_move(moved, MOTORS, framerate=0.0)
    with pytest.raises(hk.ArgumentError, match="more than 1000000 frames"):
        hk.plan.pypot_move(moved, MOTORS, framerate=1e9)
