"""That no way leads to a goal: proved where start and goal are parted by blocked cells, and only there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.scene.plan._parted import parted

TURN = [1.0, 0, 0, 0]


def stage(n: int) -> hk.Figure:
    arm = hk.chain([0.5, 0.4, 0.3][:n], lower=-2, upper=2)
    parts = [hk.Capsule(f"link_{k}", (0, 0, 0), (0.3, 0, 0), 0.03) for k in range(1, n + 1)]
    return hk.Figure(arm, parts, pairs=[(0, 2)] if n == 3 else [])


def wall(long: float) -> hk.Scene:
    size, at = [long, 0.02, 2.0], [0.2 + long / 2, 0, 0]
    return hk.Scene().add("door", hk.scene.Box(size), pose=(at, TURN))


@pytest.mark.parametrize("n", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_behind_a_closed_door_there_is_no_way(n: int) -> None:
    start, goal = np.array([0.5, 0, 0])[:n], np.array([-0.5, 0, 0])[:n]
    found = hk.plan.path(wall(2.0), stage(n), start, goal)
    assert (found.outcome, found.blocked_by) == ("impossible", "door")
    assert found.reason.startswith("no way leads to the goal: proved by blocked cells")
    np.testing.assert_array_equal(found.q[0], start)
    near = hk.plan.path(wall(2.0), stage(n), start, [goal, start + 0.1])
    assert near
    assert near.goal == 1


def reached_by_samples(scene: hk.Scene, figure: hk.Figure, start: Any) -> Any:
    """Return postures of a grid, and which of them steps between free ones lead to, from the nearest."""
    at = np.linspace(-2, 2, 161)
    grid = np.stack(np.meshgrid(at, at, indexing="ij"), axis=-1)
    free = scene.free(figure, grid)
    reached = np.zeros_like(free)
    near = np.abs(grid - start).sum(-1) + 10 * ~free
    reached[np.unravel_index(np.argmin(near), free.shape)] = True
    while True:
        more = reached.copy()
        more[1:] |= reached[:-1]
        more[:-1] |= reached[1:]
        more[:, 1:] |= reached[:, :-1]
        more[:, :-1] |= reached[:, 1:]
        more &= free
        if (more == reached).all():
            return grid, free, reached
        reached = more


def test_it_is_claimed_of_no_posture_that_samples_come_to() -> None:
    """Random rooms: what a walk over a grid reaches is never said to be out of reach; much else is."""
    rng, claimed, open_ = np.random.default_rng(2), 0, 0
    figure = stage(2)
    for _ in range(9):
        scene = hk.Scene()
        for k in range(5):
            at = [*rng.uniform(-0.9, 0.9, 2), 0.0]
            scene = scene.add(f"box_{k}", hk.scene.Box(rng.uniform(0.05, 0.3, 3)), pose=(at, TURN))
        postures = figure.model.sample(60, seed=3)
        postures = postures[scene.free(figure, postures)]
        if len(postures) < 2:
            continue
        grid, free, reached = reached_by_samples(scene, figure, postures[0])
        for kind in (reached, free & ~reached):
            if kind.any():
                goals = grid[kind]
                one = goals[rng.integers(len(goals))]
                said = parted(scene, figure, postures[0], one[None])
                assert not (said and kind is reached)
                claimed, open_ = claimed + said, open_ + (not said)
    assert claimed >= 3
    assert open_ >= 8


def test_a_hole_that_is_passed_is_none_however_small() -> None:
    """The door ends where a folded arm just passes it."""
    figure, start, goal = stage(2), [0.5, 0.0], [-0.5, 0.0]
    for long in (0.02, 0.06, 0.1):
        found = hk.plan.path(wall(long), figure, start, goal)
        assert found.outcome != "impossible" or not found_by_hand(wall(long), figure, start, goal)


def found_by_hand(scene: hk.Scene, figure: hk.Figure, start: Any, goal: Any) -> bool:
    grid, _, reached = reached_by_samples(scene, figure, start)
    return bool(reached[tuple(np.argwhere(np.abs(grid - goal).sum(-1) < 1e-9)[0])])


def test_it_is_not_claimed_of_what_solvers_found_nor_of_meshes_nor_of_endless_turns() -> None:
    figure, start = stage(2), np.array([0.5, 0.0])
    problem = hk.Problem(figure.model, [hk.Position()])
    place = figure.model.fk([-0.5, 0.0])[:3, 3]
    found = hk.plan.path(wall(2.0), figure, start, problem, targets=place)
    assert found.outcome == "no_path_in_time"
    box = wall(2.0).obstacles()[0]
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-0.01, 0.01) for z in (-1, 1)], float)
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6]]
    mesh = hk.scene.Mesh(
        vertices=corners, faces=[*faces, [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
    )
    scene = hk.Scene().add("door", mesh, pose=box.pose)
    assert not parted(scene, figure, start, np.array([[-0.5, 0.0]]))
    endless = hk.Figure(hk.chain([0.5, 0.4]), figure.capsules, pairs=[])
    assert not parted(wall(2.0), endless, start, np.array([[-0.5, 0.0]]))
