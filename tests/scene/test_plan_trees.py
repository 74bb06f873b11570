"""The trees that a search had grown, where they were asked for."""

from __future__ import annotations

import numpy as np
import pytest

import handik as hk

ARM = hk.chain([0.5, 0.4, 0.3])
BONES = [
    hk.Capsule(f"link_{k}", (0, 0, 0), (length, 0, 0), 0.03)
    for k, length in ((1, 0.4), (2, 0.35), (3, 0.25))
]
FIGURE = hk.Figure(ARM, BONES, pairs=[(0, 2)])
ROOM = hk.Scene().add("chest", hk.scene.Box([0.3, 0.2, 0.5]), [0.8, 0, 0])
ENDS = [0.9, 0.1, 0.0], [-0.9, -0.1, 0.0]


@pytest.fixture(scope="module")
def found():
    return hk.plan.path(ROOM, FIGURE, *ENDS, trees=True)


def test_every_edge_of_a_tree_is_proved_and_leads_to_its_root(found) -> None:
    start, goal = found.trees
    assert (start.side, goal.side) == ("start", "goal")
    for tree, end in zip(found.trees, ENDS, strict=True):
        assert tree.q.shape == (len(tree.parent), ARM.nq)
        np.testing.assert_array_equal(tree.q[0], end)
        assert tree.parent[0] == -1
        assert (tree.parent[1:] >= 0).all()  # one goal, so one root
        assert (tree.parent < np.arange(len(tree.parent))).all()  # so no circle
        assert len(tree.q) > 3
        hangs = tree.parent >= 0
        proof = ROOM.proves(FIGURE, tree.q[tree.parent[hangs]], tree.q[hangs])
        assert (proof.outcome == "free").all()
        steps = ARM.difference(tree.q[tree.parent[hangs]], tree.q[hangs])
        assert np.linalg.norm(steps, axis=1).max() <= 1.5 + 1e-9  # the reach of an edge
    assert {tuple(q) for q in start.q} & {tuple(q) for q in goal.q}  # where they met


def test_they_cost_nothing_where_nobody_asks(found) -> None:
    plain = hk.plan.path(ROOM, FIGURE, *ENDS)
    assert plain.trees == ()
    np.testing.assert_array_equal(plain.q, found.q)
    assert "trees" not in repr(found)


def test_a_root_for_each_goal_and_two_trees_for_each_leg() -> None:
    goals = [ENDS[1], [-1.0, -0.2, 0.0]]
    found = hk.plan.path(ROOM, FIGURE, ENDS[0], goals, via=[[0.9, 0.2, 0.0]], trees=True)
    assert [(tree.leg, tree.side) for tree in found.trees] == [
        (0, "start"), (0, "goal"), (1, "start"), (1, "goal"),
    ]  # fmt: skip
    straight = found.trees[:2]  # nothing in the way: no tree grew
    assert [len(tree.q) for tree in straight] == [1, 1]
    roots = found.trees[3].q[found.trees[3].parent < 0]
    np.testing.assert_array_equal(roots, goals)
    np.testing.assert_array_equal(found.trees[2].q[0], [0.9, 0.2, 0.0])


def test_a_search_that_failed_shows_how_far_it_came() -> None:
    split = hk.Scene().add("right", hk.scene.Box([2, 0.02, 2]), [1.2, 0, 0])
    split = split.add("left", hk.scene.Box([2, 0.02, 2]), [-1.2, 0, 0])
    down = np.array([-1.5, 0.0, 0.0])
    found = hk.plan.path(split, FIGURE, -down, down, trees=True, paths=2)
    assert found.outcome == "no_path_in_time"
    start = found.trees[0]
    away = np.linalg.norm(ARM.difference(start.q, down), axis=1)
    np.testing.assert_array_equal(found.q[-1], start.q[np.argmin(away)])
