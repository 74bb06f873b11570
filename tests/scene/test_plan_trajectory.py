"""Speed along a path: against toppra, against limits sampled finely, against the book."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import handik as hk
from handik import _core
from handik.scene.plan._curve import Curve
from handik.scene.plan._trajectory import widest

ARM = hk.chain([0.5, 0.4, 0.3])
BALLS = hk.chain([0.5, 0.4], "ball")
WAY = np.random.default_rng(1).uniform(-1.5, 1.5, (5, 3))


def fine(moved: hk.plan.Trajectory) -> tuple[Any, ...]:
    t = np.linspace(0, moved.duration, 20001)
    return t, *moved.sample(t)


def test_one_joint_takes_the_time_of_the_book() -> None:
    one = hk.chain([1.0])
    moved = hk.plan.trajectory(one, [[0], [6]], max_speed=2, max_acceleration=3)
    assert moved.duration == pytest.approx(4 / 3 + (6 - 4 / 3) / 2, rel=2e-3)
    free = hk.plan.trajectory(one, [[0], [6]], max_acceleration=3)  # no speed is stated
    assert free.duration == pytest.approx(2 * np.sqrt(6 / 3), rel=1e-9)
    short = hk.plan.trajectory(one, [[0], [0.3]], max_speed=2, max_acceleration=3)
    assert short.duration == pytest.approx(2 * np.sqrt(0.3 / 3), rel=1e-9)


@pytest.mark.parametrize("blend", [0.3, 1.0])
def test_durations_are_those_of_toppra(blend: float) -> None:
    toppra = pytest.importorskip("toppra")
    toppra.setup_logging("ERROR")
    curve = Curve.of(ARM, WAY, widest(ARM, WAY, blend))
    s = curve.grid()
    _, d1, d2, _ = curve.at(s)
    x = _core.path_speed(s, d1, d2, np.full(3, 2.0), np.full(3, 10.0), np.full(len(s), 1e300))
    ours = np.sum(2 * np.diff(s) / (np.sqrt(x[:-1]) + np.sqrt(x[1:])))

    class Path(toppra.interpolator.AbstractGeometricPath):  # type: ignore[misc]  # has no types
        dof, path_interval = 3, np.array([s[0], s[-1]])

        def __call__(self, path_positions: Any, order: int = 0) -> Any:
            found = curve.at(np.atleast_1d(np.asarray(path_positions, float)))[order]
            return found[0] if np.ndim(path_positions) == 0 else found

        waypoints = None

    both = np.array([[-1.0, 1.0]] * 3)
    limits = [
        toppra.constraint.JointVelocityConstraint(2 * both),
        toppra.constraint.JointAccelerationConstraint(
            10 * both, toppra.constraint.DiscretizationType.Interpolation
        ),
    ]
    theirs = toppra.algorithm.TOPPRA(limits, Path(), gridpoints=s, parametrizer="ParametrizeSpline")
    sd = theirs.compute_parameterization(0, 0)[1]
    want = np.sum(2 * np.diff(s) / (sd[:-1] + sd[1:]))
    assert ours == pytest.approx(want, rel=1e-4)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.4, 1.0]), st.booleans(), st.booleans())
@example(
    164383, 0.4, False, True
)  # its jerk is greatest where a curve ends within a piece of the law
def test_limits_hold_everywhere(seed: int, blend: float, balls: bool, gentle: bool) -> None:
    model = BALLS if balls else ARM
    rng = np.random.default_rng(seed)
    q = model.sample(4, seed=seed)
    speed, push = rng.uniform(0.5, 3, model.nv), rng.uniform(2, 20, model.nv)
    jerk = rng.uniform(50, 200, model.nv) if gentle else None
    moved = hk.plan.trajectory(
        model, q, max_speed=speed, max_acceleration=push, max_jerk=jerk, blend=blend
    )
    t, found, v, a = fine(moved)
    assert np.all(np.abs(v) <= speed * (1 + 2e-3))
    assert np.all(np.abs(a) <= push * (1 + 5e-3))
    np.testing.assert_allclose(model.difference(found[-1], q[-1]), 0, atol=1e-9)
    np.testing.assert_allclose(model.difference(found[0], q[0]), 0, atol=1e-9)
    h = 1e-6
    inside = t[1:-1:50]
    slope = model.difference(moved.sample(inside - h)[0], moved.sample(inside + h)[0]) / (2 * h)
    np.testing.assert_allclose(slope, v[1:-1:50], atol=1e-4 * np.abs(a).max())
    if jerk is not None:
        assert np.all(np.abs(np.diff(a, axis=0)) / (t[1] - t[0]) <= jerk * 1.005)


def test_the_fastest_law_is_at_a_limit_all_the_time() -> None:
    moved = hk.plan.trajectory(ARM, WAY, max_speed=2, max_acceleration=10, blend=1)
    _, _, v, a = fine(moved)
    use = np.maximum(np.abs(v).max(1) / 2, np.abs(a).max(1) / 10)
    assert np.mean(use > 0.9) > 0.9


def test_corners_cut_are_faster_and_smooth() -> None:
    stops, cut = (
        hk.plan.trajectory(ARM, WAY, max_speed=2, max_acceleration=10, blend=b) for b in (0, 1)
    )
    assert cut.duration < 0.9 * stops.duration
    curve = Curve.of(ARM, WAY, widest(ARM, WAY, 1.0))
    for knot in curve.knots[1:-1]:
        left, right = curve.at(np.array([knot - 1e-9])), curve.at(np.array([knot + 1e-9]))
        for k in range(3):
            np.testing.assert_allclose(left[k], right[k], atol=1e-5)


def test_speeds_of_the_model_are_used_and_followers_slow_their_leader() -> None:
    spec = hk.chain([0.5, 0.4]).spec
    spec.joints[0].velocity = 1.0
    model = hk.Model(spec)
    moved = hk.plan.trajectory(model, [[0, 0], [2, 2]], max_acceleration=100)
    assert np.abs(moved.v).max() == pytest.approx(1.0, rel=1e-6)
    spec.joints[0].velocity = 0.0
    with pytest.raises(hk.ArgumentError, match="speed 0 for 'joint_1'"):
        hk.plan.trajectory(hk.Model(spec), [[0, 0], [2, 2]], max_acceleration=100)


def test_tables_and_messages_hold_the_motion(tmp_path: Path) -> None:
    moved = hk.plan.trajectory(ARM, WAY, max_speed=2, max_acceleration=10).resampled(0.1)
    rows = list(csv.reader(moved.to_csv().splitlines()))
    assert rows[0][:4] == ["time", "joint_1", "joint_2", "joint_3"]
    np.testing.assert_array_equal(np.array(rows[1:], float)[:, 1:4], moved.q)
    message = json.loads(moved.to_json())
    stamp = [p["time_from_start"] for p in message["points"]]
    np.testing.assert_allclose([p["sec"] + p["nanosec"] / 1e9 for p in stamp], moved.times)
    np.testing.assert_array_equal([p["positions"] for p in message["points"]], moved.q)
    assert "secs" in moved.to_dict(ros=1)["points"][0]["time_from_start"]
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load(moved.to_yaml()) == message
    for name in ("a.csv", "a.json", "a.yaml"):
        moved.save(tmp_path / name)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.csv", "a.json", "a.yaml"]
    with pytest.raises(hk.UnsupportedError, match=r"not '\.txt'"):
        moved.save(tmp_path / "a.txt")
    with pytest.raises(hk.UnsupportedError, match="several coordinates"):
        hk.plan.trajectory(
            BALLS, BALLS.sample(2, seed=1), max_speed=1, max_acceleration=1
        ).to_dict()


def test_a_path_of_one_place_takes_no_time() -> None:
    moved = hk.plan.trajectory(ARM, [[0, 0, 0], [0, 0, 0]], max_speed=1, max_acceleration=1)
    assert moved.duration == 0
    assert moved.sample([0.0, 1.0])[0].shape == (2, 3)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"q": [[0, 0, 0]]}, "2 or more"),
        ({"max_speed": 0}, "max_speed must be above 0"),
        ({"max_acceleration": np.inf}, "max_acceleration must be finite"),
        ({"max_jerk": [1, 2]}, "max_jerk must be one number"),
        ({"blend": 1.5}, "blend must be 0 to 1"),
    ],
)
def test_wrong_limits_get_a_sentence(wrong: dict[str, Any], said: str) -> None:
    right: dict[str, Any] = {"q": WAY, "max_speed": 1, "max_acceleration": 1}
    with pytest.raises(hk.ArgumentError, match=said):
        hk.plan.trajectory(ARM, **(right | wrong))


def test_dt_is_neither_nothing_nor_tiny() -> None:
    moved = hk.plan.trajectory(ARM, WAY, max_speed=1, max_acceleration=1)
    for dt in (0, -1, 1e-9):
        with pytest.raises(hk.ArgumentError, match="dt must be above 0"):
            moved.resampled(dt)
