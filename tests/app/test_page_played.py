"""While a path is played, handles and sliders are where the figure is seen, and who changes it goes on from there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_page_live import CHROMIUM, app, page, undos, until  # noqa: F401

from handik.app._bodies import body_of

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="not on this machine: chromium"),
    pytest.mark.xdist_group("browser"),
]

#: Where a handle stands in the picture, and what a slider shows.
GRIP = "(name) => document.querySelector(`[data-grip='${name}']`).style.transform"
ELBOW = '[data-path="dof.elbow_flexion_right.number"]'


def planned(app: Any) -> Any:  # noqa: F811
    """A path at whose middle the elbow is elsewhere than at its start."""
    app.do("solve.live", live=False)
    app.do("joint.set", dof="elbow_flexion_right", value=2.0)
    at = app.document.scene.world("person")[:3, 3]
    app.do("target.set", at=(at + [0.35, -0.2, 1.15]).tolist())
    app.do("plan.path", obstacles=False, speed=0.5)
    path = app.document.path
    assert path is not None
    assert len(path.times) > 20
    return path


def angle(app: Any, q: Any) -> float:  # noqa: F811
    body = body_of(app.document.actor()[1])
    names = [slider.name for slider in body.sliders]
    return float(np.degrees(body.angles(q)[names.index("elbow_flexion_right")]))


def shows(page: Any, value: float) -> bool:  # noqa: F811
    return abs(float(page.locator(ELBOW).input_value()) - value) < 0.06


def sought(page: Any, app: Any, share: float = 0.5) -> int:  # noqa: F811
    """Have a moment of the path shown; return its row."""
    path = app.document.path
    moment = page.get_by_label("Moment")
    moment.wait_for()
    moment.evaluate(
        "(range, time) => { range.value = time; range.dispatchEvent(new Event('input')); }",
        share * path.duration,
    )
    time = float(moment.input_value())
    return int(np.argmax(path.times.astype(np.float32).astype(float) >= time))


def hand_of(app: Any, q: Any) -> np.ndarray:  # noqa: F811
    at, actor = app.document.actor()
    frame = actor.figure.fk(np.asarray(q), frame="grip_right")
    return np.asarray(app.document.scene.world(at) @ np.asarray(frame))[:3, 3]


def test_handles_and_sliders_follow_a_path(page: Any, app: Any) -> None:  # noqa: F811
    path = planned(app)
    start, q = angle(app, path.q[0]), app.document.actor()[1].posture
    until(page, lambda: shows(page, start), "the start")
    grip = page.evaluate(GRIP, "part grip_right")
    row = sought(page, app)
    assert abs(angle(app, path.q[row]) - start) > 5
    until(page, lambda: shows(page, angle(app, path.q[row])), "the slider at the middle")
    until(page, lambda: page.evaluate(GRIP, "part grip_right") != grip, "the handle at the middle")
    there = page.evaluate(GRIP, "part grip_right")

    # what has nothing to do with the posture leaves it seen
    app.do("node.select", nodes=["person"])
    page.wait_for_selector('[role="treeitem"][aria-selected="true"][data-path="person"]')
    assert shows(page, angle(app, path.q[row]))
    assert page.evaluate(GRIP, "part grip_right") == there
    np.testing.assert_array_equal(app.document.actor()[1].posture, q)

    # played to its end it is seen there; the document has its own posture until one is taken
    sought(page, app, 0.95)
    page.locator('#player [data-action="page.play"]').click()
    until(page, lambda: shows(page, angle(app, path.q[-1])), "the end")
    np.testing.assert_array_equal(app.document.actor()[1].posture, q)
    app.do("edit.undo")  # the path is no more
    app.do("edit.undo")
    until(page, lambda: shows(page, start), "the document's posture again")


@pytest.mark.parametrize("by", ["key", "slider", "keep"])
def test_who_changes_a_posture_that_is_played_goes_on_from_it(page: Any, app: Any, by: str) -> None:  # noqa: F811
    path = planned(app)
    row = sought(page, app, 0.6)
    until(page, lambda: shows(page, angle(app, path.q[row])), "a moment of the path")
    before, count = hand_of(app, path.q[row]), len(undos(app))
    if by == "key":
        page.locator('[data-grip="part grip_right"]').focus()
        page.keyboard.press("PageUp")
    elif by == "slider":
        field = page.locator('[data-path="dof.neck_turn.number"]')
        field.fill("20")
        field.press("Enter")
    else:
        page.locator('#postures [data-action="pose.save"]').click()
        page.locator("dialog input").fill("middle")
        page.locator("dialog input").press("Enter")
    until(page, lambda: len(undos(app)) == count + 2, "two entries: taken, and changed")
    assert undos(app)[count] == "plan.take"
    now = app.document.actor()[1].posture
    elbow = app.document.actor()[1].figure.joint_q_slices["elbow_flexion_right"]
    if by == "key":
        np.testing.assert_allclose(hand_of(app, now), before + [0, 0, 0.01], atol=2e-3)
        assert app.document.path is None
        until(page, lambda: shows(page, angle(app, now)), "the posture that was made")
    elif by == "slider":
        np.testing.assert_allclose(now[elbow], path.q[row][elbow], atol=1e-6)
    else:
        np.testing.assert_allclose(app.document.poses["middle"].q, path.q[row], atol=1e-6)
        np.testing.assert_allclose(now, path.q[row], atol=1e-6)
    # nothing is played now: the next change is one entry
    count = len(undos(app))
    page.locator('[data-grip="part grip_right"]').focus()
    page.keyboard.press("PageUp")
    until(page, lambda: len(undos(app)) > count, "the next step")
    assert len(undos(app)) == count + 1


def test_a_change_while_it_runs_stops_it(page: Any, app: Any) -> None:  # noqa: F811
    planned(app)
    sought(page, app, 0.1)
    page.get_by_label("Speed").select_option("0.25")
    button = page.locator('#player [data-action="page.play"]')
    button.click()
    until(page, lambda: button.inner_text() == "Pause", "it runs")
    app.do("plan.take")
    until(page, lambda: button.inner_text() == "Play", "another posture came: it rests")
    q = app.document.actor()[1].posture
    until(page, lambda: shows(page, angle(app, q)), "the document's posture")


def test_what_is_pinned_of_one_figure_keeps_no_other_still(page: Any, app: Any) -> None:  # noqa: F811
    page.locator('[data-grip="part grip_left"]').focus()
    page.keyboard.press("p")
    page.locator('[data-grip="part grip_left"][aria-pressed="true"]').wait_for()
    app.do("figure.add", model="data:ur5")
    app.do("pose.set", q="q = [0.1, -1.2, 1.4, -0.5, 0.3, 0.2]")
    handle = page.locator('[data-grip="part link_6"]')
    handle.wait_for()
    count = len(undos(app))
    handle.focus()
    page.keyboard.press("PageUp")
    until(page, lambda: len(undos(app)) == count + 1, "the robot is dragged")
    assert undos(app)[-1] == "joint.set"


def test_a_walker_is_chosen_in_the_list_and_asked_for_its_size(page: Any, app: Any) -> None:  # noqa: F811
    app.do("person.set", position="standing")
    page.get_by_role("tab", name="Person").click()
    choice = page.locator("#person").get_by_label("Wheelchair")
    choice.select_option("walker")
    dialog = page.get_by_role("dialog")
    dialog.wait_for()
    page.keyboard.press("Escape")
    until(page, lambda: choice.input_value() == "", "given up: none as before")
    choice.select_option("walker")
    dialog.wait_for()
    dialog.get_by_label("Width").fill("0.7")
    dialog.get_by_label("Length").fill("0.9")
    page.keyboard.press("Enter")
    until(page, lambda: app.document.chair_given["chair"] == "walker", "a walker")
    given = app.document.chair_given
    assert (given["chair_width"], given["chair_length"]) == (0.7, 0.9)
    until(page, lambda: choice.input_value() == "walker", "shown in the list")
