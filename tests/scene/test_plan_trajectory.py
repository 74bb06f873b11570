"""Speed along a path: against toppra, against limits sampled finely, against the book."""

from __future__ import annotations

import csv
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import handik as hk
from handik import _core
from handik.scene.check import compiled
from handik.scene.plan._curve import Curve, Pace
from handik.scene.plan._law import Limits
from handik.scene.plan._trajectory import timed

ARM = hk.chain([0.5, 0.4, 0.3])
BALLS = hk.chain([0.5, 0.4], "ball")
WAY = np.random.default_rng(1).uniform(-1.5, 1.5, (5, 3))


def fine(moved: hk.plan.Trajectory) -> tuple[Any, ...]:
    t = np.linspace(0, moved.duration, 20001)
    return t, *moved.sample(t)


def test_one_joint_takes_the_time_of_the_book() -> None:
    one = hk.chain([1.0])
    moved = hk.plan.trajectory(one, [[0], [6]], max_speed=2, max_acceleration=3)
    assert moved.duration == pytest.approx(4 / 3 + (6 - 4 / 3) / 2, rel=1e-12)
    free = hk.plan.trajectory(one, [[0], [6]], max_acceleration=3)  # no speed is stated
    assert free.duration == pytest.approx(2 * np.sqrt(6 / 3), rel=1e-12)
    short = hk.plan.trajectory(one, [[0], [0.3]], max_speed=2, max_acceleration=3)
    assert short.duration == pytest.approx(2 * np.sqrt(0.3 / 3), rel=1e-12)


def by_toppra(toppra: Any, curve: Curve, speed: Any, push: Any, points: int) -> float:
    """Return toppra's duration over the same curve, each part between two rests by itself."""
    nv, total = curve.model.nv, 0.0
    both = np.array([[-1.0, 1.0]])
    limits = [
        toppra.constraint.JointVelocityConstraint(both * speed[:, None]),
        toppra.constraint.JointAccelerationConstraint(
            both * push[:, None], toppra.constraint.DiscretizationType.Interpolation
        ),
    ]
    for low, high in pairwise(curve.stops):
        knots = curve.knots[(curve.knots > low - 1e-12) & (curve.knots < high + 1e-12)]
        share = np.arange(points) / points
        s = np.concatenate([*(a + (b - a) * share for a, b in pairwise(knots)), knots[-1:]])

        class Part(toppra.interpolator.AbstractGeometricPath):  # type: ignore[misc]  # has no types
            dof, path_interval, waypoints = nv, np.array([s[0], s[-1]]), None
            ends = low + 1e-13, high - 1e-13  # on this side of the corners

            def __call__(self, path_positions: Any, order: int = 0) -> Any:
                at = np.clip(np.atleast_1d(np.asarray(path_positions, float)), *self.ends)
                found = curve.at(at)[order] if order else np.zeros((len(at), nv))
                return found[0] if np.ndim(path_positions) == 0 else found

        theirs = toppra.algorithm.TOPPRA(
            limits, Part(), gridpoints=s, parametrizer="ParametrizeSpline"
        )
        rate = theirs.compute_parameterization(0, 0)[1]
        total += float(np.sum(2 * np.diff(s) / (rate[:-1] + rate[1:])))
    return total


def rounded(model: hk.Model, q: Any, speed: Any, push: Any, blend: float) -> Curve:
    """Return the curve of `trajectory`; of blends over 1, that of a path among obstacles."""
    pace = Pace.of(model, q, Limits(speed, push, None))
    return Curve.of(model, q, pace.at, blend * pace.room)


@pytest.mark.parametrize(
    ("joints", "ways", "blend"),
    [
        (1, 2, 0.0),
        (7, 20, 0.0),
        (10, 5, 1.0),
        (3, 20, 0.3),
        (6, 8, 1.0),
        (2, 4, 0.05),
        (8, 7, 0.3),
        (0, 4, 0.7),
    ],
)
def test_durations_are_those_of_toppra(joints: int, ways: int, blend: float) -> None:
    toppra = pytest.importorskip("toppra")
    toppra.setup_logging("ERROR")
    rng = np.random.default_rng(joints)
    model = hk.chain([0.3] * joints) if joints else BALLS
    q = rng.uniform(-1.5, 1.5, (ways, joints)) if joints else BALLS.sample(ways, seed=1)
    speed, push = rng.uniform(0.5, 3, model.nv), rng.uniform(2, 20, model.nv)
    moved = hk.plan.trajectory(model, q, max_speed=speed, max_acceleration=push, blend=blend)
    curve = rounded(model, q, speed, push, blend)
    want = by_toppra(toppra, curve, speed, push, 1000 if blend else 400)
    assert moved.duration == pytest.approx(want, rel=1e-4)
    assert over(moved, speed, push) <= 1e-9


def over(moved: hk.plan.Trajectory, speed: Any, push: Any) -> float:
    """Return by how much what is returned is over a limit, looked at in and between all pieces."""
    times = moved.times
    t = times[:-1, None] + np.diff(times)[:, None] * np.array([0, 1e-9, 0.2, 0.5, 0.8, 1 - 1e-9])
    _, v, a = moved.sample(np.append(np.linspace(0, moved.duration, 20001), t))
    return float(max(np.max(np.abs(v) / speed), np.max(np.abs(a) / push)) - 1)


@pytest.mark.parametrize("seed", [866, 1386, 1763])
def test_limits_hold_where_one_of_them_is_a_cap_of_speed_alone(seed: int) -> None:
    """What it said of the acceleration along the path was rounding: accelerations were 1e-4 over."""
    rng = np.random.default_rng(seed)
    q = np.cumsum(rng.normal(size=(6, 3)) * 10.0 ** rng.uniform(-5, 0, (6, 1)), axis=0)
    limits = Limits(10.0 ** rng.uniform(-1, 1, 3), 10.0 ** rng.uniform(-1, 2, 3), None)
    pace = Pace.of(ARM, q, limits)
    moved = timed(ARM, q, pace.at, rng.uniform() * pace.room, limits)
    assert over(moved, limits.velocity, limits.acceleration) <= 1e-8


@pytest.mark.parametrize("blend", [0.0, 0.5, 1.0])
def test_limits_hold_on_any_scale_and_where_a_path_turns_back(blend: float) -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        model = hk.chain([0.3] * 4)
        q = rng.uniform(-1.5, 1.5, (5, 4))
        if seed % 2:
            q[2:4] = q[0] + (q[1] - q[0]) * [[0.3], [1.7]]
        speed, push = 10 ** rng.uniform(-4, 4, 4), 10 ** rng.uniform(-4, 4, 4)
        if seed % 3 == 0:
            speed[:] = np.inf
        moved = hk.plan.trajectory(model, q, max_speed=speed, max_acceleration=push, blend=blend)
        assert 0 < moved.duration < np.inf
        assert over(moved, speed, push) <= 1e-9


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
    assert over(moved, speed, push) <= 1e-9
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
    curve = rounded(ARM, WAY, np.full(3, 2.0), np.full(3, 10.0), 1.0)
    for knot in curve.knots[1:-1]:
        left, right = curve.at(np.array([knot - 1e-9])), curve.at(np.array([knot + 1e-9]))
        for k in range(3):
            np.testing.assert_allclose(left[k], right[k], atol=1e-5)


def gone(x: Any, half: float) -> Any:
    """Return the second integral of a corner's density, by sums: the twin of what is closed."""
    rise, points = 0.25 * 2 * half, np.linspace(-half, half, 200001)
    level = np.minimum(np.minimum(points + half, half - points) / rise, 1.0)
    step = points[1] - points[0]
    once = np.append(0.0, np.cumsum(level[1:] + level[:-1]) * step / 2)
    once /= once[-1]
    twice = np.append(0.0, np.cumsum(once[1:] + once[:-1]) * step / 2)
    return np.where(x > half, x, np.interp(x, points, twice, left=0.0))


@pytest.mark.parametrize("model", [ARM, BALLS], ids=["turns", "balls"])
def test_the_curve_is_that_of_its_twin(model: hk.Model) -> None:
    q = model.sample(6, seed=2)
    at = np.array([0.0, 1.0, 1.8, 2.1, 3.0, 4.0])
    half = np.array([0.0, 0.9, 0.6, 0.4, 0.0, 0.0])  # overlapping, and one corner
    curve = Curve.of(model, q, at, half)
    s = np.linspace(0, 4, 401)
    ramps = [
        gone(s - a, h) if h > 0 else np.maximum(s - a, 0) for a, h in zip(at, half, strict=True)
    ]
    found = np.tile(q[0], (len(s), 1))
    for j, way in enumerate(np.asarray(model.difference(q[:-1], q[1:]))):
        share = (ramps[j] - ramps[j + 1]) / (at[j + 1] - at[j])
        found = np.asarray(model.integrate(found, share[:, None] * way))
    np.testing.assert_allclose(model.difference(found, curve.at(s)[0]), 0, atol=1e-8)
    np.testing.assert_array_equal(curve.stops, at[half == 0])


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.floats(0.1, 4.0))
def test_overlapping_corners_stay_smooth_and_within_limits(
    seed: int, balls: bool, wide: float
) -> None:
    model, rng = BALLS if balls else ARM, np.random.default_rng(seed)
    q = model.sample(7, seed=seed)
    limits = Limits(rng.uniform(0.5, 3, model.nv), rng.uniform(2, 20, model.nv), None)
    pace = Pace.of(model, q, limits)
    body = hk.Figure(model, [hk.Capsule("link_1", (0, 0, 0), (0.1, 0, 0), 0.01)])
    world = compiled(None, body)
    given = _core._path_blends(world.world, world.figure, q, pace.at, wide * pace.half, True, 2e-3)
    np.testing.assert_array_equal(given[1], q)  # nothing is there to be passed by
    assert (np.diff(given[0]) <= np.diff(pace.at) + 1e-9).all()
    moved = timed(model, q, pace.at, given[0], limits)
    assert over(moved, limits.velocity, limits.acceleration) <= 1e-9
    curve = Curve.of(model, q, pace.at, given[0])
    for knot in curve.knots[1:-1]:
        left, right = curve.at(np.array([knot - 1e-9])), curve.at(np.array([knot + 1e-9]))
        np.testing.assert_allclose(model.difference(left[0], right[0]), 0, atol=1e-6)
        if knot not in curve.stops:
            np.testing.assert_allclose(left[1], right[1], atol=1e-5 * np.abs(left[1]).max())
            np.testing.assert_allclose(
                left[2], right[2], atol=1e-4 * np.abs(curve.at(curve.knots)[2]).max()
            )


def test_what_corners_ask_for() -> None:
    """Twice the time of the jump, by the limit that is reached first; what does not bend, little."""
    two, limits = hk.chain([0.5, 0.4]), Limits(np.array([2.0, 4.0]), np.array([10.0, 5.0]), None)
    pace = Pace.of(two, np.array([[0, 0], [2, 0], [2, 8], [2, 12], [3.0, 12]]), limits)
    np.testing.assert_allclose(pace.at, [0, 1, 3, 4, 4.5])
    np.testing.assert_allclose(pace.half, [0, 0.8, 0.05, 0.8, 0])
    np.testing.assert_allclose(pace.room, [0, 1, 0.5, 0.5, 0])
    free = Limits(np.full(2, np.inf), np.ones(2), None)  # a speed that could be reached
    assert Pace.of(two, np.array([[0, 0], [1.0, 0], [4.0, 0]]), free).at[-1] == pytest.approx(2.0)


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


def test_more_room_is_never_slower_with_a_limit_of_jerk() -> None:
    """What jerk leaves no way to reach made windows longer: 40,001 s of 1.7 at the last of these."""
    way, given = [[0, 0, 0], [1, 0.5, 0]], {"max_speed": 1.0, "max_jerk": 10.0}
    took = [
        hk.plan.trajectory(ARM, way, max_acceleration=10.0**k, **given).duration
        for k in range(1, 7)
    ]
    best = 1 + 2 * np.sqrt(0.1)  # up to the speed with all of the jerk, and down again
    assert best < min(took)
    assert max(took) < 1.1 * best


@pytest.mark.parametrize("far", [1e-8, 1e-5, 1e-2, 1.0])
def test_a_short_way_with_a_limit_of_jerk_takes_a_short_time(far: float) -> None:
    moved = hk.plan.trajectory(ARM, [[0, 0, 0], [far, 0, 0]], max_acceleration=50, max_jerk=10)
    assert 1 < moved.duration / (4 * np.cbrt(far / 20)) < 1.25


def test_tiny_edges_cost_no_more_than_stops_with_a_limit_of_jerk() -> None:
    q = [[0, 0, 0], [1, 0, 0], [1, 1e-6, 0], [1, 1e-6, 1], [0, 0, 0]]
    given: dict[str, Any] = {"max_speed": 1, "max_acceleration": 10, "max_jerk": 100}
    stops, moved = (hk.plan.trajectory(ARM, q, **given, blend=blend) for blend in (0, 1))
    assert moved.duration < 0.95 * stops.duration  # the wide corner is rounded all the same


def test_a_corner_is_rounded_if_its_jerk_leaves_a_third_of_the_speed() -> None:
    push, jerk = np.full(3, 10.0), np.full(3, 50.0)
    for seed in range(4):
        q = np.random.default_rng(seed).uniform(-1, 1, (3, 3))
        limits = Limits(np.full(3, 1.0), push, jerk)
        pace = Pace.of(ARM, q, limits)
        low, high = 1e-6, 1e3
        for _ in range(80):
            half = (low * high) ** 0.5
            low, high = (
                (low, half) if pace.worth(np.array([0, half, 0]), limits)[1] else (half, high)
            )
        curve = Curve.of(ARM, q, pace.at * 1e3, np.array([0, high, 0]))  # long edges, as slow
        third = np.abs(curve.at((curve.knots[1:] + curve.knots[:-1]) / 2)[3]).max()
        assert third * 1e3 * 0.3**3 == pytest.approx(50.0, rel=1e-9)
        assert pace.worth(np.array([0, 1e-8, 0]), Limits(np.full(3, 1.0), push, None))[1] == 1e-8


def test_what_obstacles_leave_of_a_curve_is_no_slower_than_a_stop() -> None:
    x = hk.JointSpec("x", "prismatic", "base", "along", axis=(1, 0, 0), lower=-9, upper=0)
    y = hk.JointSpec("y", "prismatic", "along", "cart", axis=(0, 1, 0), lower=0, upper=9)
    links = [hk.LinkSpec(name) for name in ("base", "along", "cart")]
    model = hk.Model(hk.ModelSpec("cart", links, [x, y]))
    body = hk.Figure(model, [hk.Capsule("cart", (0, 0, 0), (0, 0, 1), 0.01)], pairs=[])
    way = np.array([[-1.0, 0], [0, 0], [0, 1]])
    pole = hk.scene.Sphere(0.015)
    durations = []
    for room in (None, hk.Scene().add("pole", pole, pose=([-0.03, 0.03, 0.5], [1, 0, 0, 0]))):
        found = hk.plan.path(room, body, way[0], way[-1], planner=lambda task: way)
        given: dict[str, Any] = {"max_speed": 1, "max_acceleration": 10, "max_jerk": 100}
        durations += [found.trajectory(**given, blend=blend).duration for blend in (False, True)]
    assert durations[1] < 0.91 * durations[0]  # with 2.0 of the least time: no sooner than a stop
    assert durations[3] <= durations[2] == durations[0]


def test_a_jerk_that_hardly_limits_costs_nothing_and_misses_nothing() -> None:
    """Of a window less than 1e-12 of the duration pieces were lost: the end was 3 % away."""
    given = {"max_speed": 1, "max_acceleration": 4, "blend": 1}
    free = hk.plan.trajectory(ARM, WAY, **given)
    moved = hk.plan.trajectory(ARM, WAY, max_jerk=1e15, **given)
    assert np.abs(moved.q[-1] - WAY[-1]).max() < 1e-12
    assert moved.duration < 1.06 * free.duration  # 97 % of accelerations, at its grid


def test_a_piece_shorter_than_rounding_stays_on_its_side_of_a_corner() -> None:
    """Its own begin was taken back to the edge before, whose direction is another: 29 % over."""
    way, push = [[0, 0], [100, 0.001], [100.001, 100], [0, 0]], np.array([1.0, 0.001])
    moved = hk.plan.trajectory(
        hk.chain([0.5, 0.4]), way, max_speed=1e-7, max_acceleration=push, blend=0
    )
    assert np.all(np.abs(moved.a) <= push * (1 + 1e-9))


@pytest.mark.parametrize("jerk", [None, 1e30])
def test_a_corner_that_numbers_cannot_round_is_a_stop(jerk: float | None) -> None:
    """Its knots were one by rounding, so it was passed at full speed: velocities jumped by half.

    With a limit of jerk what is short lost its digits beside where it was: they jumped by 6e-7.
    """
    for seed in range(6):
        steps = np.random.default_rng(seed).normal(size=(5, 3))
        q = np.cumsum(steps * [[5e-2], [5e-2], [1e-9], [1e-10], [4e-2]], axis=0)
        given: dict[str, Any] = {"max_speed": 1, "max_acceleration": 1, "max_jerk": jerk}
        moved = hk.plan.trajectory(ARM, q, blend=1e-6, **given)
        t = np.unique(np.append(moved.times, np.linspace(0, moved.duration, 1001)))
        v = moved.sample(t)[1]
        assert np.all(np.abs(np.diff(v, axis=0)) <= 1.00001 * np.diff(t)[:, None] + 1e-10)
        stops = hk.plan.trajectory(ARM, q, blend=0, **given)
        assert moved.duration < stops.duration + 1e-4


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
        ({"max_speed": 1e-300}, "max_speed must be 1e-50 to 1e[+]50"),
        ({"max_acceleration": 1e-300}, "max_acceleration must be 1e-50"),
        ({"max_jerk": 1e300}, "max_jerk must be 1e-50"),
        ({"q": [[0, 0, 0], [1e300, 0, 0]]}, "q has a coordinate beyond"),
        ({"blend": 1.5}, "blend must be 0 to 1"),
    ],
)
def test_wrong_limits_get_a_sentence(wrong: dict[str, Any], said: str) -> None:
    right: dict[str, Any] = {"q": WAY, "max_speed": 1, "max_acceleration": 1}
    with pytest.raises(hk.ArgumentError, match=said):
        hk.plan.trajectory(ARM, **(right | wrong))


def test_a_folder_that_is_not_there_is_told_by_the_callers_name(tmp_path: Path) -> None:
    moved = hk.plan.trajectory(ARM, WAY, max_speed=1, max_acceleration=1)
    place = str(tmp_path / "none" / "moved.csv")
    with pytest.raises(FileNotFoundError) as told:
        moved.save(place)
    assert told.value.filename == place


def test_dt_is_neither_nothing_nor_tiny() -> None:
    moved = hk.plan.trajectory(ARM, WAY, max_speed=1, max_acceleration=1)
    for dt in (0, -1, 1e-9):
        with pytest.raises(hk.ArgumentError, match="dt must be above 0"):
            moved.resampled(dt)


def test_a_corner_that_cannot_be_rounded_stays_where_edges_are_long() -> None:
    """The last piece of an edge ended behind it by rounding, and was asked for ever."""
    x = hk.JointSpec("x", "prismatic", "base", "along", axis=(1, 0, 0), lower=-99, upper=99)
    y = hk.JointSpec("y", "prismatic", "along", "cart", axis=(0, 1, 0), lower=-99, upper=99)
    links = [hk.LinkSpec(name) for name in ("base", "along", "cart")]
    model = hk.Model(hk.ModelSpec("cart", links, [x, y]))
    body = hk.Figure(model, [hk.Capsule("cart", (0, 0, 0), (0, 0, 1), 0.3)], pairs=[])
    wall = ([0, -0.303, 0], [0.5**0.5, -(0.5**0.5), 0, 0])  # 3 mm beside the second edge
    world = compiled(hk.Scene().add("wall", hk.scene.Plane(), pose=wall), body)
    q = np.array([[-1.0, 1.0], [0.0, 0.0], [45.0, 0.0], [45.0, 9.0]])
    for seed in range(20):
        spent = np.random.default_rng(seed).uniform(0.1, 10, 3)
        at = np.append(0.0, np.cumsum(spent))
        half = np.array([0.0, 0.01, 0.01, 0.0])
        found, _ = _core._path_blends(world.world, world.figure, q, at, half, True, 2e-3)
        assert found[2] == 0


def test_a_posture_of_via_is_a_vertex_and_met_without_blends() -> None:
    body = hk.Figure(ARM, [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)], pairs=[])
    via = np.array([1.0, 0.5, 0.0])
    found = hk.plan.path(None, body, [0, 0, 0], [1, -1, 0.5], via=[via])
    assert (found.q == via).all(axis=1).any()
    away = [
        np.abs(found.trajectory(max_speed=1, max_acceleration=2, blend=blend).q - via)
        .max(axis=1)
        .min()
        for blend in (False, True)
    ]
    assert away[0] < 1e-12
    assert away[1] > 0.01
