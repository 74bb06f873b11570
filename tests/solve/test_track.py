"""Paths: continuity, jumps that are reported, locked joints."""

from __future__ import annotations

import numpy as np
import pytest
from human_figures import HUMANS
from solver_figures import FIGURES

import handik as hk
from handik import Outcome, Pose, Position, Problem
from handik.errors import ArgumentError, NotFoundError
from handik.solve.track import _step


def smooth_path(model, steps, seed):
    """Targets of poses that change a little from one to the next, inside the limits."""
    rng = np.random.default_rng(seed)
    a, b = model.sample(2, seed=int(rng.integers(1 << 30)))
    v = model.difference(a, b)
    s = np.linspace(0, min(1.0, 0.04 * steps / max(np.abs(v).max(), 1e-9)), steps)
    return np.stack([model.clip(model.integrate(a, x * v)) for x in s])


@pytest.mark.parametrize("name", ["arm", "gantry", "crane", "human arm", "spine and arm"])
def test_a_path_made_of_small_moves_is_followed_without_jumps(name):
    model = (FIGURES | HUMANS)[name]()
    jumps = total = 0
    for seed in range(5):
        q = smooth_path(model, 100, seed)
        got = model.track(position=model.fk(q, frame="f0")[..., :3, 3], frame="f0", q0=q[0])
        assert np.all(got.converged)
        v = np.abs(model.difference(got.q[:-1], got.q[1:])).max(axis=1)
        np.testing.assert_allclose(got.moves[1:], v)
        np.testing.assert_array_equal(got.jumps[1:], v > 0.5 * (1 + 1e-9))
        jumps, total = jumps + got.jumps.sum(), total + 100
    assert jumps <= 0.01 * total


def test_every_fast_move_is_reported():
    model = FIGURES["arm"]()
    points = model.fk(model.sample(40, seed=3))[..., :3, 3]  # no path at all: random targets
    got = model.track(position=points)
    moves = np.abs(np.diff(got.q, axis=0)).max(axis=1)
    np.testing.assert_array_equal(got.jumps[1:], moves > 0.5 * (1 + 1e-9))
    assert got.jumps.any()
    assert not got.jumps[0]
    assert np.all(got.converged)


def test_speed_by_joint_and_time_step():
    model = FIGURES["arm"]()
    q = smooth_path(model, 30, 1)
    path = model.fk(q)[..., :3, 3]
    slow = model.track(position=path, q0=q[0], max_speed=np.full(7, 1e-4), dt=1.0)
    assert slow.jumps[1:].any()
    fast = model.track(position=path, q0=q[0], max_speed=np.full(7, 1e-4), dt=1e5)
    assert not fast.jumps.any()


def test_many_paths_at_once_are_the_same_as_one_by_one():
    model = HUMANS["human arm"]()
    paths = np.stack([model.fk(smooth_path(model, 12, s)) for s in range(4)])
    both = model.track(pose=paths)
    assert both.q.shape == (4, 12, model.nq)
    assert both.jumps.shape == (4, 12)
    for k in range(4):
        one = model.track(pose=paths[k])
        assert one.q.tobytes() == both.q[k].tobytes()
    assert type(both[1]) is type(both)
    assert isinstance(both[1, 2].outcome, Outcome)


def test_out_of_reach_stays_near_the_pose_before():
    model = FIGURES["arm"]()
    points = np.array([[0.6, 0.1, 0.4], [2.0, 0.2, 0.4], [2.0, 0.25, 0.4], [0.6, 0.12, 0.4]])
    got = model.track(position=points)
    assert list(got.outcome[[1, 2]]) == [Outcome.UNREACHABLE] * 2
    assert got.moves[2] < 0.2
    assert got.converged[3]


def test_a_target_that_is_no_number_is_passed_over():
    model = FIGURES["arm"]()
    got = model.track(position=[[0.6, 0.1, 0.4], [np.nan, 0, 0], [0.6, 0.12, 0.4]])
    assert got.outcome[1] == Outcome.INVALID
    assert got.converged[2]
    assert got.moves[2] < 0.5


def test_wrong_calls():
    model = FIGURES["arm"]()
    with pytest.raises(ArgumentError, match="path"):
        model.track(position=[0.6, 0.1, 0.4])
    with pytest.raises(ArgumentError, match="positive"):
        model.track(position=[[0.6, 0.1, 0.4]], dt=0)
    with pytest.raises(ArgumentError, match="no target"):
        model.track(position=np.zeros((0, 3)))
    with pytest.raises(ArgumentError, match="not both"):
        model.track(problem=Problem(model, [Position()]), position=[[0.6, 0.1, 0.4]])


# -- locked joints ------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["auto", "dls", "lm", "ccd", "fabrik"])
def test_locked_joints_stay(solver):
    model = FIGURES["arm"]()
    problem = Problem(model, [Position()], lock={"j1": 0.4, "j4": -0.2})
    q = model.sample(50, seed=1)
    q[:, 1], q[:, 4] = 0.4, -0.2
    got = hk.Solver(solver)(problem, model.fk(q)[..., :3, 3])
    np.testing.assert_array_equal(got.q[:, 1], 0.4)
    np.testing.assert_array_equal(got.q[:, 4], -0.2)
    if solver == "auto":
        assert np.all(got.converged)


def test_locks_are_checked():
    arm = FIGURES["arm"]()
    for lock, error, words in (
        ({"elbow": 0}, NotFoundError, "elbow"),
        ({"j1": 9}, ArgumentError, "outside"),
        ({"j1": (1, 2)}, ArgumentError, "1 numbers"),
        ({"j1": np.nan}, ArgumentError, "finite"),
    ):
        with pytest.raises(error, match=words):
            Problem(arm, [Pose()], lock=lock)
    with pytest.raises(ArgumentError, match="quaternion"):
        Problem(FIGURES["ball arm"](), [Position()], lock={"j0": 0})


# -- branches -----------------------------------------------------------------------------------


def test_a_preferred_branch_is_taken_and_kept():
    arm = hk.chain([0.4, 0.3])
    s = np.linspace(0, 1, 30)[:, None]
    path = (1 - s) * [0.5, 0.1, 0.0] + s * [0.2, 0.45, 0.0]
    for elbow in (1.0, -1.0):
        got = arm.track(position=path, prefer=[0.0, elbow])
        assert np.all(got.converged)
        assert not got.jumps.any()
        assert np.all(np.sign(got.q[:, 1]) == np.sign(elbow))
    puma = hk.data("puma560")
    start = puma.sample(seed=4)
    poses = puma.fk(puma.clip(start + np.linspace(0, 0.2, 8)[:, None]))
    other = puma.track(pose=poses, prefer=start, q0=puma.rest)
    assert np.abs(other.q[0] - start).max() < 1e-3
    with pytest.raises(ArgumentError, match="prefer"):
        arm.track(position=path, prefer=[np.nan, 0.0])


@pytest.mark.parametrize("seed", range(4))
def test_no_flips_where_joints_are_held_at_their_limits(seed):
    model = FIGURES["arm"]()
    rng = np.random.default_rng(seed)
    a, b = model.sample(2, seed=seed)
    far = model.clip(np.where(rng.uniform(size=model.nq) < 0.5, model.upper, model.lower))
    s = np.linspace(0, 1, 60)[:, None]
    q = np.concatenate([a + s * (far - a), far + s * (b - far)])  # to a corner of the limits, back
    got = model.track(position=model.fk(q)[..., :3, 3], q0=q[0])
    assert np.all(got.q >= model.lower)
    assert np.all(got.q <= model.upper)
    v = np.abs(np.diff(got.q, axis=0)).max(axis=1)
    np.testing.assert_array_equal(got.jumps[1:], v > 0.5 * (1 + 1e-9))
    assert got.converged.mean() >= 0.97


def test_paths_of_no_columns_no_paths_and_starts_that_do_not_fit() -> None:
    arm = hk.chain([0.4, 0.3, 0.2])
    level = hk.Problem(arm, [hk.Level("tip", axis=(1, 0, 0))])
    assert arm.track(problem=level, targets=np.zeros((5, 0))).q.shape == (5, 3)
    assert arm.track(position=np.zeros((0, 5, 3))).q.shape == (0, 5, 3)
    path = np.tile([0.5, 0.3, 0.0], (2, 4, 1))
    for name in ("q0", "prefer"):
        with pytest.raises(ArgumentError, match=rf"of the paths and \(3,\) of {name}"):
            arm.track(position=path, **{name: np.zeros((3, 3))})
        with pytest.raises(ArgumentError, match=rf"{name} has shape \(2, 3\), but there are \(\)"):
            arm.track(position=path[0], **{name: np.zeros((2, 3))})


def test_a_problem_with_locked_joints_is_tracked_with_them_locked() -> None:
    arm = hk.chain([0.4, 0.3, 0.2])
    locked = hk.Problem(arm, [hk.Position()], lock={"joint_1": 0.5})
    found = arm.track(problem=locked, targets=np.tile([0.6, 0.5, 0.0], (3, 1)))
    np.testing.assert_array_equal(found.q[:, 0], 0.5)
    with pytest.raises(ArgumentError, match="nq 3, the path is of 'chain', nq 4"):
        hk.chain([0.3] * 4).track(problem=locked, targets=np.zeros((2, 3)))


def test_the_first_usable_target_may_take_any_move():
    """A target that is NaN begins no path: what follows it is no jump."""
    model = hk.data("ur5")
    path = np.linspace([0.5, 0.2, 0.3], [0.5, -0.2, 0.3], 10)
    path[0] = np.nan
    got = model.track(position=np.stack([path, path[::-1]]))
    assert got.outcome[0, 0] == Outcome.INVALID
    assert not got.jumps.any()
    assert got.moves[0, 1] == 0
    assert got.outcome[1, -1] == Outcome.INVALID
    wanted = model.solve(position=path[1], n_candidates=6).q + 0.01
    held = model.track(position=path, prefer=wanted)
    near = model.track(position=path[1:], prefer=wanted)
    np.testing.assert_array_equal(held.q[1:], near.q)
    assert repr(got).startswith("Track(auto: 18 of 20 converged")


def test_of_two_answers_the_nearer_is_taken():
    """Where the warm start meets the goal by a jump, a farther answer of the search is not taken."""
    model = hk.data("ur5")
    targets = model.fk(model.sample(60, seed=4))
    problem = Problem(model, [Pose()])
    rows = hk._core.pose_columns(targets)
    got = model.track(problem=problem, targets=rows)
    for k in range(1, 60):
        start = got.q[k - 1]
        warm = hk.Solver("auto", max_restarts=0)(problem, rows[k], q0=start)
        if warm.converged and got.converged[k]:
            move = np.abs(model.difference(start, got.q[k])).max()
            assert move <= np.abs(model.difference(start, warm.q)).max() * (1 + 1e-12)


def test_a_search_takes_the_place_of_what_it_betters_alone():
    """A jump is kept where the search jumps farther; what is proved out of reach is not searched for again."""
    arm = hk.chain([0.5, 0.4])
    problem, start = Problem(arm, [Position()]), np.array([[0.3, 0.9]])
    aim = arm.fk([0.35, 0.95])[None, :3, 3]
    near = hk.Solver("auto")(problem, aim, q0=start)
    far = hk.Solver("auto")(problem, np.array(aim), q0=np.array([[1.2, -0.9]]))
    assert near.converged.all()
    assert far.converged.all()
    assert np.abs(far.q - start).max() > 3 * np.abs(near.q - start).max()
    asked = []

    def step(first, second, limit, aim=aim):
        def search(problem, targets, q0):
            asked.append(len(targets))
            return second

        return _step(problem, aim, start, first, search, np.full((1, 2), limit))

    for first, second in ((near, far), (far, near)):
        got = step(first, second, 1e-3)
        np.testing.assert_array_equal(got["q"], near.q)
        assert got["iterations"] == near.iterations + far.iterations
    assert asked == [1, 1]
    np.testing.assert_array_equal(step(near, far, 10.0)["q"], near.q)
    assert asked == [1, 1]  # it was no jump
    lost = hk.Solver("auto")(problem, np.array([[5.0, 0, 0]]), q0=np.array(start))
    assert lost.outcome[0] == Outcome.UNREACHABLE
    np.testing.assert_array_equal(step(lost, far, 1e-3)["q"], lost.q)
    assert asked == [1, 1]
    stuck = hk.Solver("dls", max_iter=0)(problem, aim, q0=start)
    assert not stuck.converged.any()
    np.testing.assert_array_equal(step(stuck, far, 1e-3)["q"], far.q)
