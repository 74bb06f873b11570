"""What is kept along a path, goals that are problems, straight lines of a frame, limits of time."""

from __future__ import annotations

import gc
import signal
import time
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import handik as hk

TURN = [1.0, 0, 0, 0]
ARM = hk.chain([0.5, 0.4, 0.3, 0.2], lower=-2.6, upper=2.6)
FIGURE = hk.Figure(
    ARM,
    [
        hk.Capsule(f"link_{k}", (0, 0, 0), (length, 0, 0), 0.02)
        for k, length in enumerate((0.5, 0.4, 0.3, 0.2), 1)
    ],
    pairs=[],
)
POST = hk.Scene().add("post", hk.scene.Sphere(0.12), pose=([0.75, 0.35, 0], TURN))
FLAT = hk.Orientation(orientation_tolerance=0.02)


def flat(x: float, y: float, seed: int = 0) -> Any:
    """Free postures whose last link is along x."""
    q0 = ARM.sample(60, seed=seed)
    found = ARM.solve(pose=([x, y, 0], TURN), q0=q0)
    q = found.q[found.converged]
    return q[POST.free(FIGURE, q)]


def tilt(q: Any) -> Any:
    return np.abs(np.arctan2(*np.moveaxis(ARM.fk(q)[..., :2, 0], -1, 0)[::-1]))


def dense(q: Any) -> Any:
    return np.concatenate(
        [a + np.linspace(0, 1, 101)[:, None] * (b - a) for a, b in pairwise(q)] or [q]
    )


def test_what_is_kept_holds_all_along_the_way_and_would_not_without() -> None:
    broken = 0
    for seed in range(4):
        start, goal = flat(0.9, 0.0, seed)[0], flat(0.4, 0.7, seed)[0]
        found = hk.plan.path(POST, FIGURE, start, goal, keep=[FLAT], seed=seed)
        assert found, found.reason
        np.testing.assert_array_equal(found.q[[0, -1]], [start, goal])
        assert tilt(dense(found.q)).max() <= 0.02 * (1 + 1e-6)
        assert 0 < found.keep_error <= 1
        assert POST.free(FIGURE, dense(found.q)).all()
        moved = found.trajectory(max_speed=2, max_acceleration=10)
        q = moved.sample(np.linspace(0, moved.duration, 2000))[0]
        assert tilt(q).max() <= 0.02 * (1 + 1e-3)
        assert POST.free(FIGURE, q).all()
        loose = hk.plan.path(POST, FIGURE, start, goal, seed=seed)
        broken += tilt(dense(loose.q)).max() > 0.1
        assert np.isnan(loose.keep_error)
    assert broken > 0


@pytest.mark.parametrize(
    ("term", "targets"),
    [
        (hk.Position(position_tolerance=2e-3), None),
        (hk.Position(axes="y", position_tolerance=2e-3), None),
        (hk.Orientation(orientation_tolerance=0.02), None),
        (hk.Pose("link_2", position_tolerance=2e-3, orientation_tolerance=0.01), None),
        (hk.Axis(orientation_tolerance=0.02, axis=(1.0, 2.0, 0.0)), None),
        (hk.Level(axis=(0.0, 1.0, 0.0), direction=(1.0, 0.0, 0.0), angle=1.2), None),
        (hk.Level(axis=(0.0, 1.0, 0.0), direction=(0.0, 1.0, 0.0), angle=0.0), None),
        (hk.LookAt(eye=(0.1, 0.0, 0.0), axis=(1.0, 0.0, 0.0)), [1.5, 0.4, 0.1]),
    ],
)
def test_between_its_places_an_edge_is_within_the_bound(term: Any, targets: Any) -> None:
    """Whatever the edge; the bound is near to the truth where pieces are small."""
    from handik.scene.plan._ends import kept_of

    rng = np.random.default_rng(4)
    for arm in (ARM, hk.data("ur5")):
        for long in (0.02, 0.2, 1.0):
            q = rng.uniform(-1, 1, arm.nq)
            way = np.stack([q, q + long * rng.normal(size=arm.nq)])
            over = (
                term if term.frame in (None, arm.tip) else hk.Orientation(orientation_tolerance=1)
            )
            given = over if targets is None or over is not term else (over, targets)
            kept = kept_of(arm, [given], q)
            assert kept is not None
            assert kept.bounded
            places = way[:1] + np.linspace(0, 1, 2001)[:, None] * (way[1:] - way[:1])
            most = kept.share(places).max()
            assert most <= kept.along(way)
            if most < 100 or not isinstance(
                term, hk.Level
            ):  # else it is off by more than the level
                assert kept.along(way) <= 1.05 * most + (2 if long > 0.5 else 0.1)


def test_of_pairs_and_followers_only_places_are_looked_at() -> None:
    from handik.scene.plan._ends import kept_of

    kept = kept_of(ARM, [hk.Distance("link_1", "link_4", distance=0.6)], np.zeros(4))
    assert kept is not None
    assert not kept.bounded


def test_the_same_seed_keeps_the_same_bytes() -> None:
    start, goal = flat(0.9, 0.0)[0], flat(0.4, 0.7)[0]
    one, two = (
        hk.plan.path(POST, FIGURE, start, goal, keep=[FLAT], seed=2, threads=n) for n in (1, 2)
    )
    assert one.q.tobytes() == two.q.tobytes()


@pytest.mark.parametrize(
    "term",
    [
        hk.Position(position_tolerance=2e-3),
        hk.Position(axes="y", position_tolerance=2e-3, weight=3.0),
        hk.Pose("link_2", position_tolerance=2e-3, orientation_tolerance=1e-2),
        hk.Axis(orientation_tolerance=1e-2, axis=(1.0, 0.0, 0.0)),
        hk.Axis(orientation_tolerance=1e-2, axis=(0.0, 0.0, 1.0)),
    ],
)
def test_terms_without_targets_stay_as_they_are_at_the_start(term: Any) -> None:
    start = np.array([0.4, -0.7, 0.5, -0.3])
    problem = hk.Problem(ARM, [term])
    frame = ARM.fk(start, frame=term.frame)
    row = {
        hk.Position: frame[:3, 3] if getattr(term, "axes", "") == "xyz" else frame[1:2, 3],
        hk.Pose: frame,
        hk.Axis: frame[:3, :3] @ np.array(getattr(term, "axis", (0, 0, 1))),
    }[type(term)]
    targets = problem.targets(row)
    goals = hk.Solver("dls")(problem, targets, q0=ARM.sample(30, seed=1)).q
    goals = goals[problem.evaluate(targets, goals).met]
    found = hk.plan.path(None, FIGURE, start, goals, keep=[term])
    assert found, found.reason
    assert problem.evaluate(targets, dense(found.q)).met.all()


def test_a_gaze_and_a_level_are_kept_together() -> None:
    arm = hk.data("ur5")
    parts = [hk.Capsule("link_3", (0, 0, 0), (0.39, 0, 0), 0.04)]
    figure = hk.Figure(arm, parts, pairs=[])
    look = hk.LookAt(orientation_tolerance=0.03)
    problem = hk.Problem(arm, [hk.Position(), look])
    point = [0.5, 0.0, 0.0]
    ends = [
        hk.Solver("auto")(problem, problem.targets(place, point)).q
        for place in ([0.4, -0.3, 0.5], [0.4, 0.3, 0.5])
    ]
    found = hk.plan.path(None, figure, *ends, keep=[(look, point)])
    assert found, found.reason
    held = hk.Problem(arm, [look])
    assert held.evaluate(point, dense(found.q)).met.all()


def test_a_start_that_does_not_keep_is_refused_by_how_much() -> None:
    found = hk.plan.path(None, FIGURE, [0.1, 0, 0, 0], [0.5, 0, 0, 0], keep=[(FLAT, np.eye(3))])
    assert found.outcome == "invalid"
    assert found.reason == "at the start what is kept is off by 5 of its tolerance"


def test_a_tolerance_of_zero_is_not_the_default_one() -> None:
    """As a model's reach divided by 10,000 is where none is given."""
    start = np.array([0.3, -0.2, 0.4, 0.1])
    near = start + [0, 0, 0, 2e-4]  # 0.04 mm
    assert hk.plan.path(None, FIGURE, start, near, keep=[hk.Position()])
    none = hk.Position(position_tolerance=0.0)
    found = hk.plan.path(None, FIGURE, start, near, keep=[none])
    assert (found.outcome, found.reason) == (
        "invalid", "at the goal what is kept is off by inf of its tolerance"
    )  # fmt: skip
    assert hk.plan.path(None, FIGURE, start, start, keep=[none]).keep_error == 0


def test_goals_are_any_problem() -> None:
    start = flat(0.9, 0.0)[0]
    found = hk.plan.path(
        POST, FIGURE, start, hk.Problem(ARM, [hk.Position()]), targets=[0.4, 0.7, 0.0]
    )
    assert found
    np.testing.assert_allclose(ARM.fk(found.q[-1])[:3, 3], [0.4, 0.7, 0], atol=2e-4)
    kept = hk.plan.path(
        POST, FIGURE, start, hk.Problem(ARM, hk.Position()), targets=[0.4, 0.7, 0.0], keep=[FLAT]
    )
    assert kept
    assert tilt(kept.q[-1]) <= 0.02
    far = hk.plan.path(POST, FIGURE, start, position=[9.0, 0, 0])
    assert (far.outcome, far.converged) == ("impossible", False)
    assert far.reason == "the goal is out of reach: proved by the lengths of the links"


def test_every_closed_form_posture_of_a_pose_is_a_goal_and_none_is_a_proof() -> None:
    arm = hk.data("ur5")
    figure = hk.Figure(arm, [hk.Capsule("link_3", (0, 0, 0), (0.39, 0, 0), 0.04)], pairs=[])
    q = np.array([0.3, -1.0, 1.2, 0.4, 0.9, 0.2])
    every = arm.solutions(arm.fk(q))
    ends = set()
    for k in range(len(every.q)):
        found = hk.plan.path(None, figure, every.q[k], pose=arm.fk(q))
        ends.add(found.goal)
        np.testing.assert_allclose(found.q[-1], every.q[k], atol=1e-9)
    assert ends == set(range(every.count))
    none = hk.plan.path(None, figure, q, pose=([0.0, 0.0, 0.1], [1, 0, 0, 0]))
    assert (none.outcome, none.reason) == (
        "impossible",
        "no posture reaches the goal: its closed form has none",
    )


def test_a_frame_moves_on_a_straight_line() -> None:
    arm = hk.data("ur5")
    figure = hk.Figure(arm, [hk.Capsule("link_6", (0, 0, 0), (0, 0, 0.05), 0.03)], pairs=[])
    q = np.array([0.3, -1.0, 1.2, 0.4, 0.9, 0.2])
    T0 = arm.fk(q)
    T1 = T0.copy()
    T1[:3, 3] += [0.05, -0.2, 0.1]
    found = hk.plan.path(None, figure, q, pose=T1, planner="straight")
    assert found, found.reason
    at = arm.fk(dense(found.q))
    along = (T1 - T0)[:3, 3] / np.linalg.norm((T1 - T0)[:3, 3])
    off = at[:, :3, 3] - T0[:3, 3]
    assert np.linalg.norm(off - np.outer(off @ along, along), axis=1).max() < 1e-3
    assert np.abs(at[:, :3, :3] - T0[:3, :3]).max() < 1e-3
    bend = arm.fk(dense(np.stack([q, found.q[-1]])))[:, :3, 3] - T0[:3, 3]
    assert np.linalg.norm(bend - np.outer(bend @ along, along), axis=1).max() > 3e-3
    middle = (T0 + T1)[:3, 3] / 2
    room = hk.Scene().add("ball", hk.scene.Sphere(0.02), pose=(middle, TURN))
    blocked = hk.plan.path(room, figure, q, pose=T1, planner="straight")
    assert (blocked.outcome, blocked.blocked_by) == ("blocked", "ball")
    far = hk.plan.path(None, figure, q, arm.solutions(T1).q[-1], planner="straight")
    assert far.outcome in ("found", "blocked")


@pytest.mark.parametrize(
    ("more", "error", "said"),
    [
        ({"keep": [3]}, TypeError, "keep is of terms"),
        ({"keep": [hk.LookAt()]}, hk.ArgumentError, "give it as a pair"),
        ({"keep": [(hk.Level(), [1.0])]}, hk.ArgumentError, "has no targets"),
        ({"keep": [(hk.Position(), [np.nan, 0, 0])]}, hk.ArgumentError, "of finite numbers"),
        ({"keep": [(hk.Position(), np.zeros((2, 3)))]}, hk.ArgumentError, "one row of"),
        ({"targets": [1.0]}, hk.ArgumentError, "targets= are those of a Problem"),
        (
            {"goal": hk.Problem(hk.chain([1.0]), hk.Position()), "targets": [1, 0, 0]},
            hk.ArgumentError,
            "of another model",
        ),
        ({"goal": hk.Problem(ARM, hk.Position())}, hk.ArgumentError, "targets"),
    ],
)
def test_wrong_ends_get_a_sentence(more: dict[str, Any], error: Any, said: str) -> None:
    given: dict[str, Any] = {"goal": [0.5, 0, 0, 0]} | more
    with pytest.raises(error, match=said):
        hk.plan.path(None, FIGURE, [0, 0, 0, 0], given.pop("goal"), **given)


def closed_door() -> tuple[Any, ...]:
    arm = hk.chain([0.5, 0.4, 0.3], lower=-2, upper=2)
    parts = [hk.Capsule(f"link_{k}", (0, 0, 0), (0.3, 0, 0), 0.03) for k in (1, 2, 3)]
    door = hk.Scene().add("door", hk.scene.Box([2.0, 0.02, 2.0]), pose=([1.25, 0, 0], TURN))
    return door, hk.Figure(arm, parts, pairs=[(0, 2)]), [0.5, 0, 0], [-0.5, 0, 0]


def test_a_limit_of_time_is_looked_at_within_rounds() -> None:
    hk.plan.path(*closed_door(), paths=1, time_limit=0.001)
    for limit in (0.01, 0.02, 0.04):
        found = hk.plan.path(*closed_door(), paths=512, time_limit=limit)
        assert found.outcome == "no_path_in_time"
        assert found.groups < 300_000  # of the million of one round, whatever else runs here


def test_a_limit_of_time_holds_among_thousands_of_goals() -> None:
    start, one = flat(0.9, 0.0)[0], flat(0.4, 0.7)
    goals = np.repeat(one, 4000 // len(one) + 1, axis=0)
    late = []
    for _ in range(5):
        begun = time.thread_time()  # the processor's: others use the machine too
        found = hk.plan.path(POST, FIGURE, start, goals, keep=[FLAT], time_limit=0.001)
        late.append(time.thread_time() - begun)
        assert found.outcome in ("no_path_in_time", "found")
    assert (
        min(late) < 0.05
    )  # a search without the limit takes 0.7 s, and 0.2 s passed before it was looked at


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs the package signal's timers")
def test_an_interrupt_ends_a_round_within_a_tenth_of_a_second() -> None:
    late = []
    # by the processor's time: others use the machine too
    old = signal.signal(signal.SIGPROF, signal.default_int_handler)
    gc.disable()  # Hypothesis looks at collections: an interrupt in there would be lost
    try:
        for _ in range(3):
            begun = time.process_time()
            signal.setitimer(signal.ITIMER_PROF, 0.1)
            with pytest.raises(KeyboardInterrupt):
                hk.plan.path(*closed_door(), paths=256, time_limit=100)
            late.append(time.process_time() - begun - 0.1)
    finally:
        gc.enable()
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, old)
    assert min(late) < 0.1


def test_a_pose_within_a_wide_tolerance_is_reached_though_its_closed_form_has_none() -> None:
    arm = hk.data("ur5")
    figure = hk.Figure(arm, [hk.Capsule("link_6", (0, 0, 0), (0, 0, 0.05), 0.03)], pairs=[])
    q = np.array([0.0, -1.2, 1.0, 0.0, 0.4, 0.0])
    T = arm.fk(q)
    T[:3, 3] *= 1 + 0.24 / np.linalg.norm(T[:3, 3])  # 5 cm too far
    assert arm.solutions(T).complete
    assert not arm.solutions(T).exact.any()
    wide = hk.Problem(arm, hk.Pose(position_tolerance=0.1, orientation_tolerance=0.3))
    found = hk.plan.path(None, figure, q, wide, targets=wide.targets(T))
    assert found, found.reason
    assert wide.evaluate(wide.targets(T), found.q[-1]).met.all()
    less = hk.Problem(arm, hk.Pose(position_tolerance=0.03, orientation_tolerance=0.3))
    missed = hk.plan.path(None, figure, q, less, targets=less.targets(T))
    assert (missed.outcome, missed.reason) == ("invalid", "no posture reaches the goal")
    exact = hk.plan.path(None, figure, q, pose=T)
    assert (exact.outcome, exact.reason[:26]) == ("impossible", "no posture reaches the goa")


def test_an_exact_posture_in_the_way_is_not_every_posture_of_a_wide_tolerance() -> None:
    arm = hk.data("ur5")
    figure = hk.Figure(arm, [hk.Capsule("link_6", (0, 0, 0), (0, 0, 0.05), 0.03)], pairs=[])
    q = np.array([0.3, -1.0, 1.2, 0.4, 0.9, 0.2])
    T = arm.fk(q)
    room = hk.Scene().add("pea", hk.scene.Sphere(0.002), pose=T)
    wide = hk.Problem(arm, hk.Pose(position_tolerance=0.2, orientation_tolerance=0.5))
    start = q + [0.8, 0, 0, 0, 0, 0]
    exact = hk.plan.path(room, figure, start, pose=T)
    assert exact.outcome == "goal_in_collision"
    assert exact.reason.endswith("and so does every posture there is")
    loose = hk.plan.path(room, figure, start, wide, targets=wide.targets(T))
    assert "every posture" not in loose.reason
    given = hk.plan.path(room, figure, start, arm.solutions(T).q[:2])
    assert given.outcome == "goal_in_collision"
    assert "every posture" not in given.reason


def test_every_planner_keeps_to_the_limits_of_balls_between_postures() -> None:
    model = hk.human(sex="female", stature=1.62).model
    figure = hk.Figure(model, [hk.Capsule("pelvis", (0, 0, 0), (0, 0, 0.01), 0.001)], pairs=[])
    rows, out = model.sample(60, seed=2).reshape(30, 2, -1), 0

    def direct(task: Any) -> Any:
        assert bool(task.proves(task.start, task.goals[0])) == good
        return [task.start, task.goals[0]]

    for a, b in rows:
        v = np.linspace(0, 1, 400)[:, None] * model.difference(a, b)
        places = model.integrate(a, v)
        off = np.abs(model.difference(places, model.clip(places))).max()
        if 1e-9 < off < 5e-3:  # by what searches may miss between their places
            continue
        good, out = bool(off <= 1e-9), out + (off > 1e-9)
        line = hk.plan.path(None, figure, a, b, planner="line")
        own = hk.plan.path(None, figure, a, b, planner=direct)
        assert (bool(line), bool(own)) == (good, good)
        if not good:
            assert line.reason == "the straight line leaves the limits of a ball"
            assert own.reason == "edge 0 of your planner's path leaves the limits of a ball"
    assert 3 < out < 27
    for k, (a, b) in enumerate(rows[:20]):  # a part of what a search found is inside too
        way = hk.plan.path(None, figure, a, b, paths=2, seed=k).q

        def again(task: Any, way: Any = way) -> Any:
            return way

        assert hk.plan.path(None, figure, a, b, planner=again), k


def test_of_two_goals_the_line_says_what_is_met_on_the_way_that_is_not_free() -> None:
    room = hk.Scene().add("peg", hk.scene.Sphere(0.03), pose=([0.162, 0.252, 0], TURN))
    height = hk.Position(axes="x", position_tolerance=0.02)
    start, bent = np.array([0.5, -1.7, 0, 0]), np.array([-0.5, 1.7, 0, 0])
    behind = np.array(
        [1.4, -1.4 - np.arccos((ARM.fk(start)[0, 3] - 0.5 * np.cos(1.4)) / 0.9), 0, 0]
    )
    found = hk.plan.path(room, FIGURE, start, [bent, behind], planner="line", keep=[height])
    assert (found.outcome, found.blocked_by) == ("blocked", "peg")
    assert "nan" not in found.reason
    alone = hk.plan.path(room, FIGURE, start, bent, planner="line", keep=[height])
    assert alone.reason == "what is kept does not hold along the straight line"


def test_what_is_too_far_out_to_be_measured_is_not_called_a_collision() -> None:
    free = hk.chain([0.5, 0.4])
    figure = hk.Figure(free, [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)])
    for ends in (([0, 0], [1e300, 0]), ([1e300, 0], [0, 0])):
        found = hk.plan.path(POST, figure, *ends)
        assert found.outcome == "invalid"
        assert found.reason.endswith("has a coordinate beyond 1e+12")


def test_a_frame_that_leaves_its_line_between_postures_is_not_called_straight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    q = np.array([0.3, -1.0, 1.2, 0.4])
    T = ARM.fk(q)
    T[:2, 3] += [-0.1, 0.05]
    assert hk.plan.path(None, FIGURE, q, pose=T, planner="straight")
    monkeypatch.setattr("handik.scene.plan._straight.OFF", 1e-9)
    found = hk.plan.path(None, FIGURE, q, pose=T, planner="straight")
    assert found.outcome == "blocked"
    assert found.reason == "between its postures the figure leaves the straight line"
