"""The page over the application itself: what is done in the browser is in `app.document`, and the other way round."""

from __future__ import annotations

import http.server
import json
import math
import shutil
import socketserver
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("websockets", reason="websockets is not installed: pip install 'handik[app]'")
pytest.importorskip("swift", reason="swift-sim is not installed: it holds three.js")
api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="not on this machine: chromium"),
    pytest.mark.xdist_group("browser"),
]

server_room = pytest.importorskip("handik.app._server", reason="this version has no server yet")
ACTIONS = pytest.importorskip("handik.app._actions").ACTIONS
settled = pytest.importorskip("settled")
Server = server_room.Server


@pytest.fixture
def app() -> Any:
    app = settled.Watched()
    app.do("node.gallery", scene="kitchen")
    app.do("person.add", sex="female", stature=1.62)
    place = app.document.scene.world("person")[:3, 3]
    app.do("target.set", at=(place + [0.45, -0.25, 1.0]).tolist())
    return app


@pytest.fixture
def page(app: Any, browser: Any) -> Iterator[Any]:
    with settled.counted():
        yield from _page(app, browser)


def _page(app: Any, browser: Any) -> Iterator[Any]:
    server = Server(app)
    wrong: list[str] = []
    home = f"127.0.0.1:{server.port}/"
    context = browser.new_context(
        viewport={"width": 1400, "height": 850},
        reduced_motion="reduce",
        locale="en-US",
        device_scale_factor=0.4,  # drawn by the processor
        permissions=["clipboard-read", "clipboard-write"],
    )
    page = context.new_page()
    page.set_default_timeout(60000)
    page.on(
        "request",
        lambda one: (
            wrong.append(one.url)
            if home not in one.url and not one.url.startswith(("data:", "blob:"))
            else None
        ),
    )
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda one: wrong.append(one.text) if one.type == "error" else None)
    page.goto(server.address)
    page.wait_for_selector("html[data-drawn]")
    app.page, app.server = page, server
    yield page
    app.page = None
    context.close()
    server.stop()
    assert not wrong


class _Frame(http.server.BaseHTTPRequestHandler):
    """A page that holds another in a frame."""

    page = ""

    def do_GET(self) -> None:
        body = f"<!doctype html><link rel=icon href='data:,'>{self.page}".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: Any) -> None:
        pass


def until(page: Any, holds: Callable[[], Any], what: str) -> None:
    for _ in range(1200):
        if holds():
            return
        page.wait_for_timeout(50)
    pytest.fail(f"not so after a minute: {what}")


def undos(app: Any) -> list[str]:
    assert app.document  # and so all that the page asked for is done
    return [one.action for one in app.history.before]


def test_sliders_solve_drag_and_undo(page: Any, app: Any) -> None:
    start = app.document
    field = page.locator('[data-path="dof.trunk_flexion.number"]')
    field.fill("30")
    field.press("Enter")
    until(page, lambda: undos(app)[-1] == "joint.set", "a slider's entry")
    actor = app.document.actor()[1]
    row = actor.figure.joint_q_slices["trunk_flexion"].start
    assert math.degrees(actor.posture[row]) == pytest.approx(30)

    page.get_by_role("tab", name="Solve").click()
    page.get_by_role("tabpanel").get_by_role("button", name="Solve", exact=True).click()
    until(page, lambda: undos(app)[-1] == "solve.run", "a solve")
    shown = page.locator('[data-path="solve.error"]').first
    until(
        page,
        lambda: f"{1000 * app.document.solve.error:.2f} mm" == shown.inner_text(),
        "the error shown",
    )
    page.get_by_label("Compare with").select_option("ccd")
    until(page, lambda: app.document.ghost is not None, "a ghost")
    page.get_by_role("heading", name="Second solver").wait_for()

    grip = page.locator(f'[data-grip="{app.document.target}"]')
    before = np.array(app.document.scene.world(app.document.target))[:3, 3]
    box, count = grip.bounding_box(), len(undos(app))
    x, y = box["x"] + 12, box["y"] + 12
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 6):
        page.mouse.move(x + 4 * k, y - 8 * k)
    page.mouse.up()
    until(page, lambda: len(undos(app)) == count + 1, "one entry of a drag")
    after = np.array(app.document.scene.world(app.document.target))[:3, 3]
    assert after[2] > before[2] + 0.02
    field = page.locator('[data-path="target.z"]')
    until(
        page,
        lambda: float(field.input_value()) == pytest.approx(after[2], abs=1e-4),
        "the target's height shown",
    )

    page.locator("#canvas").focus()
    for _ in range(count + 1 - 3):
        page.keyboard.press("Control+Z")
    until(page, lambda: len(undos(app)) == 3, "all undone")
    assert app.document.scene == start.scene


def accessible(page: Any) -> None:
    """With what is drawn only where there are results: steps, charts, a drive."""
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    ).Axe()
    found = axe.run(page).response["violations"]
    assert not found, [(one["id"], [n["html"][:90] for n in one["nodes"][:3]]) for one in found]


def test_python_and_page_see_each_other(page: Any, app: Any) -> None:
    app.do("node.add", kind="box", name="parcel", at=[0.3, 0.4, 0.2])
    page.get_by_role("treeitem", name="parcel, box").wait_for()
    page.get_by_label("Position z").fill("0.5")
    page.get_by_label("Position z").press("Enter")
    until(
        page,
        lambda: np.allclose(app.document.scene.world("parcel")[:3, 3], [0.3, 0.4, 0.5]),
        "the place",
    )
    app.do("view.language", language="fr")
    page.get_by_role("tab", name="Personne").click()
    page.get_by_label("Stature").fill("180")
    page.get_by_label("Stature").press("Enter")
    until(
        page, lambda: dict(app.document.actor()[1].human or ()).get("stature") == 1.8, "the stature"
    )
    page.get_by_role("treeitem", name="parcel, boîte").focus()
    page.keyboard.press("Delete")
    until(page, lambda: "parcel" not in app.document.scene, "gone")


def test_every_action_is_in_a_menu_in_both_languages(page: Any, app: Any) -> None:
    seen: dict[str, set[str]] = {"en": set(), "fr": set()}
    for language, found in seen.items():
        page.locator("#language").select_option(language)
        until(page, lambda language=language: app.view.language == language, "the language")
        for title in page.locator("#menubar > li > button").all():
            title.click()
            for item in page.locator(".menu [data-action]").all():
                name = item.get_attribute("data-action")
                assert item.inner_text().strip(), name
                if name in ACTIONS:
                    assert getattr(ACTIONS[name].words, language) in item.inner_text()
                    found.add(name)
            page.keyboard.press("Escape")
    assert seen["en"] == seen["fr"] == set(ACTIONS)


def test_two_solvers_step_by_step_and_along_a_figure_of_eight(page: Any, app: Any) -> None:
    app.do("pose.reset")
    page.get_by_role("tab", name="Compare").click()
    page.get_by_role("button", name="Run both").click()
    page.locator("#step").wait_for()
    first, second = app.document.steps
    most = max(len(first.q), len(second.q)) - 1
    assert page.locator("#step").get_attribute("max") == str(most)
    page.get_by_role("button", name="On", exact=True).click()
    row = page.get_by_role("row", name=f"fabrik {first.solved.iterations}").first
    assert f"{1000 * first.errors[1]:,.2f}" in row.inner_text()
    page.locator("#step").fill(str(most))
    cells = page.locator("#compare tbody tr").all_inner_texts()
    for said, steps in zip(cells, (first, second), strict=False):
        assert f"{1000 * steps.errors[-1]:.2f}" in said
    page.locator("#lap-poses").fill("10")
    page.locator("#lap-poses").press("Tab")
    posture = app.document.actor()[1].posture
    page.get_by_role("button", name="Follow it with both").click()
    until(page, lambda: len(app.document.laps) == 2, "two laps")
    for lap in app.document.laps:
        assert lap.frames_per_second > 0
        assert (lap.poses, lap.reached) == (10, 10)
    assert undos(app)[-2:] == ["solve.eight"] * 2
    np.testing.assert_array_equal(app.document.actor()[1].posture, posture)
    accessible(page)


def test_postures_are_kept_copied_pasted_and_the_hand_is_jogged(page: Any, app: Any) -> None:
    app.do("pose.save", name="first")
    page.locator('[data-pose="first"] svg line').first.wait_for(state="attached")
    posture = app.document.actor()[1].posture
    page.get_by_role("button", name="Copy", exact=True).click()
    page.get_by_text("in the clipboard").wait_for()
    page.get_by_text("Move the hand by steps").click()
    page.get_by_role("button", name="Move the hand by steps: z +").click()
    until(page, lambda: undos(app)[-1] == "hand.jog", "a step of the hand")
    assert not np.array_equal(app.document.actor()[1].posture, posture)
    page.get_by_role("button", name="Paste", exact=True).click()
    until(page, lambda: undos(app)[-1] == "pose.set", "the pose pasted")
    np.testing.assert_array_equal(app.document.actor()[1].posture, posture)
    page.get_by_role("button", name="Forget: first").click()
    until(page, lambda: not app.document.poses, "none kept")
    page.get_by_role("button", name="Turn the elbow, the hand held +").click()
    page.get_by_text("let the elbow turn no further").wait_for()  # a limit of the wrist is met
    app.do("pose.reset")
    app.do("joint.set", dof="elbow_flexion_right", value=1.0)
    page.get_by_role("button", name="Turn the elbow, the hand held +").click()
    until(page, lambda: undos(app)[-1] == "arm.swivel", "the elbow turned")
    page.get_by_text("Elbow turned by 5°").wait_for()


def test_several_are_moved_by_numbers_and_a_path_is_played_with_its_curves(
    page: Any, app: Any
) -> None:
    tree = page.get_by_role("tree")
    tree.get_by_role("treeitem", name="cupboard left, box").locator("> .branch").click()
    until(page, lambda: len(app.document.selection) == 1, "one selected")
    tree.get_by_role("treeitem", name="cupboard right, box").locator("> .branch").click(
        modifiers=["Control"]
    )
    until(page, lambda: len(app.document.selection) == 2, "two selected")
    both = app.document.selection
    before = [app.document.scene.world(p)[:3, 3].copy() for p in both]
    page.get_by_text("2 objects").wait_for()
    field = page.get_by_label("Position z")
    field.fill(f"{float(field.input_value()) + 0.5}")
    field.press("Enter")
    until(page, lambda: undos(app)[-1] == "node.transform", "both moved")
    for path, place in zip(both, before, strict=True):
        np.testing.assert_allclose(
            app.document.scene.world(path)[:3, 3], place + [0, 0, 0.5], atol=1e-3
        )
    page.locator("#canvas").focus()
    page.keyboard.press("Control+Shift+M")
    until(page, lambda: app.document.measured is not None, "measured")
    page.locator("#measured").get_by_text(
        f"{1000 * app.document.measured.distance:.1f} mm"
    ).wait_for()

    app.do("pose.reset")
    app.do("plan.path", obstacles=False)
    page.locator('[data-path="path.discomfort"]').wait_for()
    page.get_by_label("Moment of the path").fill(str(app.document.path.moments[-1]))
    shown = float(page.locator('[data-path="path.discomfort"]').inner_text())
    assert shown == pytest.approx(app.document.path.curves["discomfort"][-1], abs=2e-3)
    accessible(page)
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("button", name="Trail").click()
    with page.expect_download() as film:
        page.get_by_role("button", name="Save as film").click()
    assert film.value.suggested_filename.endswith(".webm")
    assert Path(film.value.path()).read_bytes()[:4] == bytes.fromhex("1a45dfa3")


def test_the_chair_is_driven_through_her_eyes_and_the_scene_is_cut(page: Any, app: Any) -> None:
    app.do("person.chair", kind="manual")
    before = app.document.scene.world("person")[:3, 3].copy()
    page.get_by_role("tab", name="Drive").click()
    app.do("node.add", kind="box", name="crate", at=[before[0], before[1], 0.3])
    page.get_by_role("button", name="Drive", exact=True).click()
    status = page.get_by_role("status").first
    until(page, lambda: "touches crate where the drive begins" in status.inner_text(), "a reason")
    page.wait_for_timeout(300)
    assert "touches crate" in status.inner_text(), "nothing is said over it"
    app.do("edit.undo")
    page.get_by_role("button", name="Drive", exact=True).click()
    page.keyboard.down("s")
    page.wait_for_timeout(900)
    page.keyboard.up("s")
    page.keyboard.press("Escape")
    until(page, lambda: app.document.drive is not None, "a drive")
    assert undos(app)[-1] == "chair.drive"
    after = app.document.scene.world("person")[:3, 3]
    assert after[0] < before[0] - 0.05
    shown = page.locator('[data-path="drive.drive_length"]')
    until(page, lambda: shown.inner_text() == f"{app.document.drive.length:.1f} m", "its length")
    accessible(page)
    page.get_by_text("Camera", exact=True).click()
    page.locator("#section").select_option("y")
    assert page.locator("#canvas").get_attribute("data-section") == "y 0.5"
    page.locator("#fov").fill("60")
    page.locator("#fov").press("Enter")
    page.locator("#canvas").focus()
    page.keyboard.press("e")
    page.get_by_role("menuitem", name="View").click()
    item = page.get_by_role("menuitemcheckbox", name="Through the person's eyes")
    assert item.get_attribute("aria-checked") == "true"


def test_initialise_puts_posture_and_target_back(page: Any, app: Any) -> None:
    posed = app.document.actor()[1].posture.tolist()  # it follows its target
    at = app.document.target
    before = app.document.scene.world(at)[:3, 3].copy()
    page.get_by_role("button", name="Initialise", exact=True).click()
    until(page, lambda: (app.document.scene.world(at)[:3, 3] != before).any(), "a target")
    assert app.document.actor()[1].posture.tolist() != posed
    assert undos(app)[-1] == "avatar.initialise"


def test_the_chair_is_driven_by_a_gamepad_and_by_a_finger(page: Any, app: Any) -> None:
    app.do("person.chair", kind="manual")
    page.evaluate(
        "() => { navigator.getGamepads = () => [null, { axes: window.axes ?? [0, 0] }]; }"
    )
    page.get_by_role("tab", name="Drive").click()

    def place() -> Any:
        return app.document.scene.world("person")[:3, 3].copy()

    for way in ("gamepad", "finger"):
        before = place()
        page.get_by_role("button", name="Drive", exact=True).click()
        if way == "gamepad":
            page.evaluate("window.axes = [0.05, 1]")  # a stick at rest is never quite at 0
            page.wait_for_timeout(800)
            page.evaluate("window.axes = [0, 0]")
        else:
            box = page.locator(".stick").bounding_box()
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(x, y + box["height"] / 2)
            page.wait_for_timeout(800)
            page.mouse.up()
        page.locator("#canvas").focus()
        page.keyboard.press("Escape")
        until(page, lambda before=before: (place() != before).any(), f"a drive by {way}")
        moved = place() - before
        assert moved[0] < -0.05
        assert abs(moved[1]) < 0.2 * abs(moved[0])


def test_a_code_is_checked_and_a_row_selects_its_place(page: Any, app: Any) -> None:
    page.get_by_role("tab", name="Verdict").click()
    page.get_by_role("button", name="Check a code").click()
    page.get_by_role("button", name="OK", exact=True).click()
    until(page, lambda: app.document.findings, "findings")
    row = next(one for one in app.document.findings if one.place in app.document.scene)
    what = row.words[0][1]
    page.get_by_role("button", name=f"{row.place}: {what}").first.click()
    until(page, lambda: app.document.selection == (row.place,), "the place selected")
    accessible(page)


def test_from_an_empty_scene_to_a_report_by_keyboard_alone(page: Any, app: Any) -> None:
    press = page.keyboard.press

    def picture() -> None:
        for _ in range(30):
            if page.evaluate("document.activeElement.id") == "canvas":
                return
            press("F6")
        pytest.fail("the picture is not reached")

    picture()
    press("Alt+n")
    until(page, lambda: not list(app.document.scene), "an empty scene")
    picture()
    press("Shift+P")
    page.get_by_role("dialog", name="Add a person").wait_for()
    press("Enter")
    until(page, lambda: app.document.figure is not None, "a person")
    picture()
    press("t")
    page.get_by_role("dialog", name="Set the target").wait_for()
    for value, then in (("0.45", "Tab"), ("-0.3", "Tab"), ("1", "Enter")):
        press("Control+a")
        page.keyboard.type(value)
        press(then)
    until(page, lambda: app.document.target is not None, "a target")
    page.locator("#solve .triple input:enabled").first.wait_for(state="attached")  # the page knows
    picture()
    press("Enter")
    until(page, lambda: undos(app)[-1] == "solve.run", "solved")
    assert app.document.solve.outcome == "converged"
    picture()
    press("Control+i")
    until(page, lambda: undos(app)[-1] == "pose.reset", "the first posture")
    picture()
    press("Control+p")
    page.get_by_role("dialog", name="Plan a path").wait_for()
    press("Enter")
    until(page, lambda: app.document.path is not None, "a path")
    assert app.document.path.outcome == "found"
    for _ in range(12):
        press("F6")
        if page.evaluate("document.activeElement.dataset.menu") == "file":
            break
    press("ArrowDown")
    for _ in range(12):
        press("r")
        if page.evaluate("document.activeElement.dataset.action") == "access.report":
            break
    press("Enter")
    page.get_by_role("dialog", name="Report on access").wait_for()
    with page.expect_download(timeout=60000) as report:
        press("Enter")
    assert report.value.suggested_filename == "access.html"


def test_a_demonstration_is_recorded_kept_and_played(page: Any, app: Any) -> None:
    page.get_by_role("tab", name="Motion").click()
    panel = page.get_by_role("tabpanel", name="Motion")
    panel.get_by_role("button", name="Record", exact=True).click()
    panel.get_by_role("button", name="End the recording").wait_for()
    app.do("joint.set", dof="elbow_flexion_right", value=0.3)
    app.do("joint.set", dof="elbow_flexion_right", value=1.3)
    panel.get_by_role("button", name="End the recording").click()
    panel.locator('[data-motion="demonstration"]').wait_for()
    page.get_by_role("button", name="Play", exact=True).wait_for()
    page.get_by_label("Search: Library").fill("nothing")
    panel.get_by_text("Nothing of that name.").wait_for()
    page.get_by_label("Search: Library").fill("demo")
    panel.get_by_role("button", name="Forget: demonstration").click()
    until(page, lambda: not app.document.motions, "forgotten")


def test_keys_are_changed_in_their_list_and_views_are_kept_as_cameras(page: Any, app: Any) -> None:
    app.do("node.select", nodes=["kitchen/cupboard left"])
    page.locator("#canvas").focus()
    page.keyboard.press("F1")
    page.locator('[data-key="node.hide"]').click()
    page.keyboard.press("Control+F8")
    until(page, lambda: dict(app.view.keys) == {"node.hide": "Control+F8"}, "the new key")
    page.get_by_role("button", name="Close").click()
    page.locator("#canvas").focus()
    page.keyboard.press("Control+F8")
    until(page, lambda: "kitchen/cupboard left" in app.document.hidden, "hidden by its new key")
    page.get_by_role("menuitem", name="View").click()
    page.get_by_role("menuitem", name="Keep this view as a camera").click()
    page.get_by_role("dialog").get_by_role("textbox").fill("door")
    page.keyboard.press("Enter")
    until(page, lambda: "door" in app.document.scene, "a camera")
    page.get_by_text("Camera", exact=True).click()
    page.locator("#camera").select_option("door")
    grip = page.locator('[data-grip="part head"]')
    grip.focus()
    page.keyboard.press("p")
    page.get_by_text("head: stays in its place").wait_for()


#: Keys that the browser or the test itself would be lost by.
NOT_PRESSED = {"file.open", "motion.open"}


def test_in_a_frame_of_another_site_it_is_the_application(app: Any, browser: Any) -> None:
    """As Jupyter on localhost holds it; the browser lets the frame keep nothing."""
    shown = app.show()
    home = socketserver.TCPServer(("127.0.0.1", 0), _Frame)
    _Frame.page = shown._repr_html_()
    thread = threading.Thread(target=home.serve_forever)
    thread.start()
    page = browser.new_page(viewport={"width": 1200, "height": 850}, device_scale_factor=0.4)
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    try:
        page.goto(f"http://localhost:{home.server_address[1]}/")
        inside = page.frame_locator("iframe")
        inside.locator("html[data-drawn]").wait_for(timeout=60000)
        inside.locator("#tree").get_by_text("person", exact=True).wait_for()
        app.do("node.rename", node="person", name="Anna")
        inside.locator("#tree").get_by_text("Anna").wait_for()
    finally:
        page.close()
        home.shutdown()
        home.server_close()
        thread.join(10)
        app.close()
    assert not wrong


def test_every_key_asks_python_or_opens_its_dialog(app: Any, browser: Any) -> None:
    """Nothing is done: what the page asks is caught on its way."""
    app.do("node.select", nodes=["kitchen/cupboard left", "person"])
    app.do("edit.undo")
    app.do("node.select", nodes=["kitchen/cupboard left", "person"])
    app.do("edit.undo")
    server = Server(app)
    asked: list[str] = []

    def caught(socket: Any) -> None:
        home = socket.connect_to_server()

        def heard(message: Any) -> None:
            told = json.loads(message) if isinstance(message, str) else {}
            if told.get("kind") == "do":
                asked.append(told["action"])
            else:
                home.send(message)

        socket.on_message(heard)

    context = browser.new_context(viewport={"width": 900, "height": 700}, locale="en-US")
    page = context.new_page()
    page.set_default_timeout(60000)
    page.route_web_socket("**/socket", caught)
    page.goto(server.address)
    page.wait_for_selector("html[data-drawn]")
    pressed = 0
    for name, action in ACTIONS.items():
        if action.key is None or name in NOT_PRESSED or not action.when(app):
            continue
        page.locator("#canvas").focus()
        page.keyboard.press(action.key)
        dialog = page.get_by_role("dialog")
        until(page, lambda: name in asked or dialog.count() > 0, f"{name} by {action.key}")  # noqa: B023
        if dialog.count():
            assert dialog.get_by_role("heading").inner_text() == action.words.en
            page.keyboard.press("Escape")
        pressed += 1
    assert pressed > 20
    context.close()
    server.stop()
