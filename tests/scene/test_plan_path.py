"""Paths among obstacles: looked at by coal at ten times the resolution; outcomes; seeds."""

from __future__ import annotations

import gc
import signal
import time
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import handik as hk
from handik.scene.check import Figure

ARM = hk.chain([0.5, 0.4, 0.3])
CAPSULES = [
    hk.Capsule(f"link_{k}", (0, 0, 0), (length, 0, 0), 0.03)
    for k, length in ((1, 0.4), (2, 0.35), (3, 0.25))
]
FIGURE = Figure(ARM, CAPSULES, pairs=[(0, 2)])
TURN = [1.0, 0, 0, 0]
ROOM = (
    hk.Scene()
    .add("chest", hk.scene.Box([0.3, 0.2, 0.5]), pose=([0.8, 0, 0], TURN))
    .add("post", hk.scene.Box([0.3, 0.3, 0.3]), pose=([-0.3, 0.6, 0], TURN))
)
START, GOAL = np.array([0.9, 0.1, 0.0]), np.array([-0.9, -0.1, 0.0])


def touching(figure: Figure, room: hk.Scene, q: Any) -> list[bool]:
    """What coal says of postures: any contact with an obstacle or of a compared pair."""
    coal = pytest.importorskip("coal")
    bodies, axes = [], []
    for capsule in figure.capsules:
        a, b = np.asarray(capsule.start, float), np.asarray(capsule.end, float)
        bodies.append(coal.Capsule(float(capsule.radius), float(np.linalg.norm(b - a))))
        z = (b - a) / np.linalg.norm(b - a)
        x = np.cross(z, [0.3, 0.5, 0.8])
        x /= np.linalg.norm(x)
        axes.append((np.stack([x, np.cross(z, x), z], axis=1), (a + b) / 2))
    boxes = [
        (coal.Box(*map(float, o.shape.size)), coal.Transform3s(o.pose[:3, :3], o.pose[:3, 3]))
        for o in room.obstacles()
    ]
    request, found = coal.CollisionRequest(), []
    for frames in figure.model.frames(q):
        at = []
        for capsule, (turn, middle) in zip(figure.capsules, axes, strict=True):
            T = frames[figure.model.frame_names.index(capsule.frame)]
            at.append(coal.Transform3s(T[:3, :3] @ turn, T[:3, :3] @ middle + T[:3, 3]))
        against = [(bodies[i], at[i], *box) for i in range(len(bodies)) for box in boxes]
        against += [(bodies[i], at[i], bodies[j], at[j]) for i, j in figure.pairs]
        found.append(any(coal.collide(*pair, request, coal.CollisionResult()) for pair in against))
    return found


def dense(model: hk.Model, q: Any, step: float) -> Any:
    rows = [q[:1]]
    for a, b in pairwise(q):
        v = model.difference(a, b)
        count = max(1, int(np.ceil(np.linalg.norm(v) / step)))
        rows.append(model.integrate(a, np.arange(1, count + 1)[:, None] / count * v))
    return np.concatenate(rows)


def test_coal_finds_no_contact_along_a_path_nor_its_trajectory() -> None:
    for seed in range(3):
        found = hk.plan.path(ROOM, FIGURE, START, GOAL, seed=seed)
        assert found
        assert not any(touching(FIGURE, ROOM, dense(ARM, found.q, 0.01)))
        moved = found.trajectory(max_speed=2, max_acceleration=10)
        assert not any(touching(FIGURE, ROOM, moved.sample(np.linspace(0, moved.duration, 400))[0]))
        stops = found.trajectory(max_speed=2, max_acceleration=10, blend=False)
        assert moved.duration < 0.95 * stops.duration
    assert any(touching(FIGURE, ROOM, dense(ARM, np.stack([START, GOAL]), 0.01)))  # it can see


def test_with_a_time_limit_it_goes_on_for_shorter_ways() -> None:
    """Near what is known, until the time is over; a straight way cannot be bettered, and ends it."""
    told: list[int] = []
    once = hk.plan.path(ROOM, FIGURE, START, GOAL, seed=1, paths=1)
    for limit in (0.3, 3.0, 30.0):  # others use the machine too
        told.clear()
        more = hk.plan.path(
            ROOM,
            FIGURE,
            START,
            GOAL,
            seed=1,
            time_limit=limit,
            progress=lambda d, n: told.append(d),
        )
        if len(told) > 2:  # rounds of eight searches
            break
    assert len(told) > 2
    assert more.length < once.length * (1 + 1e-12)
    assert ROOM.proves(FIGURE, more.q[:-1], more.q[1:]).outcome.tolist() == ["free"] * (
        len(more.q) - 1
    )
    begun = time.process_time()
    straight = hk.plan.path(ROOM, FIGURE, START, START + [0.1, 0.1, 0.1], time_limit=100)
    assert straight
    assert time.process_time() - begun < 50
    many = [START + [0.1, 0.1, 0.1], GOAL]
    assert hk.plan.path(ROOM, FIGURE, START, many, time_limit=100).goal == 0


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6))
def test_every_path_is_proved_inside_limits_and_has_its_ends(seed: int) -> None:
    arm = hk.chain([0.5, 0.4, 0.3], lower=-2.5, upper=2.5)
    figure = Figure(arm, CAPSULES, pairs=[(0, 2)])
    start, goal = arm.sample(2, seed=seed)
    found = hk.plan.path(ROOM, figure, start, goal, seed=seed)
    if not found:
        assert found.reason
        return
    np.testing.assert_array_equal(found.q[[0, -1]], [start, goal])
    assert np.all((found.q >= arm.lower) & (found.q <= arm.upper))
    assert not any(touching(figure, ROOM, dense(arm, found.q, 0.05)))


def test_the_same_seed_gives_the_same_bytes_on_any_number_of_threads() -> None:
    one = hk.plan.path(ROOM, FIGURE, START, GOAL, seed=3)
    for threads in (1, 2, 0):
        again = hk.plan.path(ROOM, FIGURE, START, GOAL, seed=3, threads=threads)
        assert again.q.tobytes() == one.q.tobytes()
        assert again.groups == one.groups
    other = hk.plan.path(ROOM, FIGURE, START, GOAL, seed=4, paths=1)
    assert other.q.tobytes() != one.q.tobytes()


def test_more_paths_are_not_longer_and_time_makes_them_shorter() -> None:
    one = hk.plan.path(ROOM, FIGURE, START, GOAL, paths=1)
    many = hk.plan.path(ROOM, FIGURE, START, GOAL, paths=64)
    assert many.length <= one.length
    for limit in (0.2, 2.0, 20.0):  # others use the machine too
        longer = hk.plan.path(ROOM, FIGURE, START, GOAL, time_limit=limit)
        if longer.groups > many.groups:
            break
    assert longer.groups > many.groups
    assert longer.length <= many.length * 1.05


def test_what_stands_in_the_way_is_named() -> None:
    bad = hk.plan.path(ROOM, FIGURE, [0, 0, 0], GOAL)
    assert (bad.outcome, bad.blocked_by, bad.converged) == ("start_in_collision", "chest", False)
    assert bad.depth == pytest.approx(0.13, abs=0.01)
    bad = hk.plan.path(ROOM, FIGURE, START, [0, 0, 0])
    assert (bad.outcome, bad.blocked_by) == ("goal_in_collision", "chest")
    line = hk.plan.path(ROOM, FIGURE, START, GOAL, planner="line")
    assert (line.outcome, line.blocked_by) == ("blocked", "chest")
    near = hk.plan.path(ROOM, FIGURE, START, START + 0.05, planner="line")
    assert near.outcome == "found"
    folded = hk.plan.path(None, FIGURE, [0, 0, 0], [0, 2.9, 2.9])
    assert (folded.outcome, folded.blocked_by) == ("goal_in_collision", "link_1 and link_3")
    with pytest.raises(hk.UnsupportedError, match="no path to follow"):
        bad.trajectory(max_speed=1, max_acceleration=1)


def test_a_closed_door_ends_the_search_with_the_door() -> None:
    arm = hk.chain([0.5, 0.4, 0.3], lower=-2, upper=2)
    figure = Figure(arm, CAPSULES, pairs=[(0, 2)])
    door = hk.Scene().add("door", hk.scene.Box([2.0, 0.02, 2.0]), pose=([1.25, 0, 0], TURN))
    #  goals that a solver finds, or it would be proved that there is no way: test_plan_parted.py
    goal = hk.Problem(arm, [hk.Position()])
    given: dict[str, Any] = {"targets": arm.fk([-0.5, 0, 0])[:3, 3], "paths": 1}
    found = hk.plan.path(door, figure, [0.5, 0, 0], goal, **given)
    assert (found.outcome, found.blocked_by) == ("no_path_in_time", "door")
    np.testing.assert_array_equal(found.q[0], [0.5, 0, 0])
    assert found.goal == -1
    ends = []
    hk.plan.path(
        door, figure, [0.5, 0, 0], goal, progress=lambda a, b: ends.append((a, b)), **given
    )
    assert ends == [(k, 6) for k in range(1, 7)]


def test_with_a_time_limit_the_first_path_may_do() -> None:
    """As without one, as long as the time is not over: a limit of 1,000 s would be waited for."""
    plain = hk.plan.path(ROOM, FIGURE, START, GOAL, seed=1)
    first = hk.plan.path(ROOM, FIGURE, START, GOAL, seed=1, time_limit=1e3, shorter=False)
    assert first.q.tobytes() == plain.q.tobytes()
    assert not hk.plan.path(ROOM, FIGURE, START, GOAL, seed=1, time_limit=1e-9, shorter=False)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs the package signal's timers")
def test_an_interrupt_ends_a_long_search() -> None:
    arm = hk.chain([0.5, 0.4, 0.3], lower=-2, upper=2)
    figure = Figure(arm, CAPSULES, pairs=[(0, 2)])
    door = hk.Scene().add("door", hk.scene.Box([2.0, 0.02, 2.0]), pose=([1.25, 0, 0], TURN))
    old = signal.signal(signal.SIGALRM, signal.default_int_handler)
    begun = time.process_time()
    gc.disable()  # Hypothesis looks at collections: an interrupt in there would be lost
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            hk.plan.path(door, figure, [0.5, 0, 0], [-0.5, 0, 0], time_limit=100)
    finally:
        gc.enable()
        signal.signal(signal.SIGALRM, old)
    assert time.process_time() - begun < 20


def test_outside_the_limits_is_said() -> None:
    arm = hk.chain([0.5, 0.4, 0.3], lower=-1, upper=1)
    found = hk.plan.path(None, Figure(arm, CAPSULES, pairs=[]), [0, 0, 0], [0, 0, 1.5])
    assert (found.outcome, found.reason) == ("invalid", "the goal is outside the limits by 0.5")


def test_goals_are_poses_points_or_several_postures() -> None:
    several = hk.plan.path(ROOM, FIGURE, START, [[0, 0, 0], GOAL, START + 0.1])
    assert several.goal in (1, 2)
    np.testing.assert_array_equal(several.q[-1], [[0, 0, 0], GOAL, START + 0.1][several.goal])
    aim = ARM.fk(GOAL)[:3, 3]
    reached = hk.plan.path(ROOM, FIGURE, START, position=aim)
    np.testing.assert_allclose(ARM.fk(reached.q[-1])[:3, 3], aim, atol=2e-4)
    posed = hk.plan.path(ROOM, FIGURE, START, pose=ARM.fk(GOAL))
    np.testing.assert_allclose(ARM.fk(posed.q[-1]), ARM.fk(GOAL), atol=2e-3)
    assert hk.plan.path(ROOM, FIGURE, START, position=[0.5, 0.5, 0.1]).reason == (
        "no posture reaches the goal"
    )


def test_via_points_are_passed() -> None:
    via = [0.9, 1.5, 0.0]
    found = hk.plan.path(ROOM, FIGURE, START, GOAL, via=[via])
    assert np.any(np.all(found.q == via, axis=1))
    assert not any(touching(FIGURE, ROOM, dense(ARM, found.q, 0.02)))


def test_planners_of_ones_own_are_believed_only_when_proved() -> None:
    def first_draws(task: hk.plan.Task) -> Any:
        for middle in task.model.sample(2000, seed=task.seed):
            if task.proves([task.start, middle], [middle, task.goals[0]]).all():
                return [task.start, middle, task.goals[0]]
        return None

    found = hk.plan.path(ROOM, FIGURE, START, GOAL, planner=first_draws)
    assert found
    assert len(found.q) == 3
    through = hk.plan.path(ROOM, FIGURE, START, GOAL, planner=lambda t: [t.start, t.goals[0]])
    assert (through.outcome, through.reason) == (
        "invalid",
        "edge 0 of your planner's path is not proved free",
    )
    away = hk.plan.path(ROOM, FIGURE, START, GOAL, planner=lambda t: [t.start, t.start])
    assert "other ends" in away.reason
    none = hk.plan.path(ROOM, FIGURE, START, GOAL, planner=lambda t: None)
    assert none.outcome == "no_path_in_time"


def test_balls_turn_among_obstacles() -> None:
    arm = hk.chain([0.5, 0.4], "ball")
    parts = [
        hk.Capsule("link_1", (0, 0, 0), (0.45, 0, 0), 0.03),
        hk.Capsule("link_2", (0, 0, 0), (0.35, 0, 0), 0.03),
    ]
    figure = Figure(arm, parts, pairs=[])
    free = [q for q in arm.sample(40, seed=1) if not touching(figure, ROOM, q[None])[0]]
    done = 0
    for start, goal in zip(free[:6], free[6:12], strict=True):
        found = hk.plan.path(ROOM, figure, start, goal)
        done += found.converged
        assert not any(touching(figure, ROOM, dense(arm, found.q, 0.02)))
        if found:
            moved = found.trajectory(max_speed=2, max_acceleration=10)
            some = moved.sample(np.linspace(0, moved.duration, 200))[0]
            assert not any(touching(figure, ROOM, some))
    assert done >= 4


def test_a_time_limit_counts_while_goals_are_solved(monkeypatch: pytest.MonkeyPatch) -> None:
    from handik.scene.plan import _ends

    asked: list[int] = []

    class Counted(hk.Solver):
        def __call__(self, problem: Any, targets: Any, q0: Any) -> Any:
            asked.append(len(q0))
            return super().__call__(problem, targets, q0=q0)

    # both at once cannot be, and nothing proves it
    contrary = hk.Problem(ARM, [hk.Position(), hk.Axis(axis=(1, 0, 0))])
    row = [1.1, 0.1, 0, -1, 0, 0]
    monkeypatch.setattr(_ends, "Solver", Counted)
    whole = hk.plan.path(ROOM, FIGURE, START, contrary, targets=row)
    assert (whole.outcome, sum(asked)) == ("invalid", _ends.SOLVES)
    asked.clear()
    clock = iter([0.0, 0.0, 0.1, 1e9])
    monkeypatch.setattr(_ends, "monotonic", lambda: next(clock))
    short = hk.plan.path(ROOM, FIGURE, START, contrary, targets=row, time_limit=100)
    assert (short.outcome, asked) == ("no_path_in_time", [8, 8])
    assert "in time" in short.reason


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"goal": None}, "give one of goal="),
        ({"position": [0, 0, 0]}, "give one of goal="),
        ({"paths": 0}, "paths must be 1 or more"),
        ({"time_limit": 0}, "time_limit must be above 0"),
        ({"start": [[0, 0, 0]]}, r"start must have shape \(3,\)"),
        ({"goal": [0, 0]}, "goal must have shape"),
        ({"planner": "rrt"}, "no planner is called 'rrt'"),
        ({"frame": "nope"}, "no frame is called 'nope'"),
    ],
)
def test_wrong_calls_get_a_sentence(wrong: dict[str, Any], said: str) -> None:
    right: dict[str, Any] = {"start": START, "goal": GOAL} | wrong
    with pytest.raises(hk.HandikError, match=said):
        hk.plan.path(ROOM, FIGURE, **right)


def sliding(**limits: float) -> hk.Figure:
    """A wire on a slide that turns."""
    links = [hk.LinkSpec(name) for name in ("world", "arm", "rod")]
    turn = hk.JointSpec("turn", "revolute", "world", "arm", lower=-3.0, upper=3.0)
    slide = hk.JointSpec("slide", "prismatic", "arm", "rod", axis=(1.0, 0.0, 0.0), **limits)
    model = hk.Model(hk.ModelSpec("sliding", links, [turn, slide]))
    return hk.Figure(model, [hk.Capsule("rod", (0, 0, 0), (0.3, 0, 0), 0.02)], pairs=[])


def test_what_nothing_can_be_proved_of_is_said() -> None:
    """Where a slide below a turn has no limits no edge that turns is free: that was not told."""
    far = hk.Scene().add("ball", hk.scene.Sphere(0.1), ([0, 5, 0], [1, 0, 0, 0]))
    said = "edges that turn above 'slide', a slide without limits, cannot be proved"
    found = hk.plan.path(far, sliding(), [0, 0], [1, 0.3], paths=1)
    assert (found.outcome, found.blocked_by) == ("no_path_in_time", None)
    assert said in found.reason
    line = hk.plan.path(far, sliding(), [0, 0], [1, 0.3], planner="line")
    assert line.outcome == "blocked"
    assert "not proved free" in line.reason
    assert said in line.reason
    assert hk.plan.path(far, sliding(lower=-1.0, upper=1.0), [0, 0], [1, 0.3]).converged


@pytest.mark.parametrize(("planner", "left"), [("line", 5e-4), ("straight", 1e-5)])
def test_a_line_that_passes_too_near_meets_nothing(planner: str, left: float) -> None:
    """Where little is left there is no contact, and no proof."""
    side = hk.scene.Box((1, 0.1, 0.1))
    narrow = hk.Scene().add("rail", side, ([1, 0.07 + left, 0], [1, 0, 0, 0]))
    figure = sliding(lower=-1.0, upper=1.0)
    said = hk.plan.path(narrow, figure, [0, 0], [0, 0.9], planner=planner, frame="rod")
    assert said.outcome == "blocked"
    assert "not proved free" in said.reason
    assert "rail is near" in said.reason
    assert said.blocked_by == "rail"


def test_a_model_without_joints_has_no_way_to_plan() -> None:
    links = [hk.LinkSpec("world"), hk.LinkSpec("post")]
    still = hk.Model(hk.ModelSpec("post", links, [hk.JointSpec("on", "fixed", "world", "post")]))
    figure = hk.Figure(still, [hk.Capsule("post", (0, 0, 0), (0, 0, 1), 0.1)])
    with pytest.raises(hk.ArgumentError, match="'post' has no joint that moves"):
        hk.plan.path(None, figure, np.zeros(0), np.zeros(0))


def test_a_via_in_contact_is_named_as_such() -> None:
    found = hk.plan.path(ROOM, FIGURE, START, GOAL, via=[START, [0.0, 0.0, 0.0]])
    assert (found.outcome, found.blocked_by) == ("via_in_collision", "chest")
    assert "posture 1 of via touches chest" in found.reason
    assert found.depth > 0


@pytest.mark.parametrize("place", [[np.nan, 0, 0], [np.inf, 0, 0], [0, 0], [[0, 0, 0]]])
def test_a_goal_that_is_no_place_is_refused(place: Any) -> None:
    with pytest.raises(hk.ArgumentError, match="position"):
        hk.plan.path(ROOM, FIGURE, START, position=place)
