"""Planners of OMPL through the interface of one's own: proved, by seed, refused by name."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.scene.plan._ompl import ompl_planner

TURN = [1.0, 0, 0, 0]
ARM = hk.chain([0.5, 0.4, 0.3], lower=-3, upper=3)
FIGURE = hk.Figure(
    ARM,
    [
        hk.Capsule(f"link_{k}", (0, 0, 0), (length, 0, 0), 0.03)
        for k, length in ((1, 0.4), (2, 0.35), (3, 0.25))
    ],
    pairs=[(0, 2)],
)
ROOM = hk.Scene().add("chest", hk.scene.Box([0.3, 0.2, 0.5]), pose=([0.8, 0, 0], TURN))
START, GOAL = [0.9, 0.1, 0.0], [-0.9, -0.1, 0.0]


@pytest.mark.parametrize("name", ["RRTConnect", "BITstar"])
def test_paths_of_ompl_are_proved_and_have_their_ends(name: str) -> None:
    pytest.importorskip("ompl", reason="needs the package ompl")
    given: dict[str, Any] = {"time_limit": 0.3} if name == "BITstar" else {}
    found = hk.plan.path(ROOM, FIGURE, START, [[0, 0, 0], GOAL], planner=f"ompl.{name}", **given)
    assert found
    assert found.goal == 1
    np.testing.assert_array_equal(found.q[[0, -1]], [START, GOAL])
    assert all(ROOM.proves(FIGURE, found.q[:-1], found.q[1:]).outcome == "free")


def test_a_planner_of_ompl_goes_on_until_a_function_says_so() -> None:
    pytest.importorskip("ompl", reason="needs the package ompl")
    asked = [0]

    def until() -> bool:
        asked[0] += 1
        return asked[0] > 2000

    def planner(task: hk.plan.Task) -> Any:
        return ompl_planner("AORRTC", task, until)

    # a limit of the clock does not end it: that much is over before the first question
    found = hk.plan.path(ROOM, FIGURE, START, GOAL, planner=planner, time_limit=1e-6)
    assert 2000 < asked[0] < 2100
    assert found


def test_what_ompl_cannot_do_is_said() -> None:
    pytest.importorskip("ompl", reason="needs the package ompl")
    with pytest.raises(hk.NotFoundError, match="OMPL has no planner 'Magic'"):
        hk.plan.path(ROOM, FIGURE, START, GOAL, planner="ompl.Magic")
    balls = hk.chain([0.5], "ball")
    figure = hk.Figure(balls, [hk.Capsule("link_1", (0, 0, 0), (0.5, 0, 0), 0.02)])
    with pytest.raises(hk.UnsupportedError, match="not for balls"):
        hk.plan.path(None, figure, balls.rest, balls.sample(1)[0], planner="ompl.RRTConnect")
    door = hk.Scene().add("door", hk.scene.Box([2.0, 0.02, 2.0]), pose=([1.25, 0, 0], TURN))
    arm = hk.chain([0.5, 0.4, 0.3], lower=-2, upper=2)
    shut = hk.plan.path(
        door,
        hk.Figure(arm, FIGURE.capsules, pairs=[]),
        [0.5, 0, 0],
        [-0.5, 0, 0],
        planner="ompl.RRTConnect",
        time_limit=0.1,
    )
    assert shut.outcome == "no_path_in_time"


def test_a_missing_ompl_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ompl", None)
    with pytest.raises(hk.UnsupportedError, match=r"pip install 'handik\[ompl\]'"):
        hk.plan.path(ROOM, FIGURE, START, GOAL, planner="ompl.RRTConnect")
