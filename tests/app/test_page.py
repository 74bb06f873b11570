"""The page in a browser, a stand-in for Python at the other end: what is drawn, done by mouse and by keys, read aloud."""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytest.importorskip("websockets", reason="websockets is not installed: pip install websockets")
pytest.importorskip("swift", reason="swift-sim is not installed: it holds three.js")
api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="not on this machine: chromium"),
    pytest.mark.xdist_group("browser"),
]

from stand_in import CUP, TARGET, StandIn  # noqa: E402

Opener = Callable[..., Any]


def settled(page: Any, revision: int) -> None:
    """Wait until the page has drawn this revision or a later one."""
    for _ in range(1200):
        if int(page.evaluate("document.documentElement.dataset.revision")) >= revision:
            return
        page.wait_for_timeout(50)
    pytest.fail(f"no revision {revision}")


def said(python: StandIn, kind: str) -> list[dict[str, Any]]:
    return [one for one in python.heard if one.get("kind") == kind]


def told(page: Any, python: StandIn, count: int) -> dict[str, Any]:
    """The last of so many actions, once all of them have arrived."""
    for _ in range(1200):
        if len(said(python, "do")) >= count:
            return said(python, "do")[count - 1]
        page.wait_for_timeout(50)
    pytest.fail(f"not {count} actions")


def frames(python: StandIn, kind: int) -> list[dict[str, Any]]:
    return [one for one in python.heard if one.get("frame") == kind]


def pixels(page: Any, test: str) -> list[Any]:
    """Count of the picture's pixels of which a test in r, g, b holds, and their middle on the page."""
    found = page.evaluate(
        """(test) => new Promise((answer) => requestAnimationFrame(() => requestAnimationFrame(() => {
          const canvas = document.getElementById('canvas');
          const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
          const paper = copy.getContext('2d');
          paper.drawImage(canvas, 0, 0);
          const data = paper.getImageData(0, 0, copy.width, copy.height).data;
          const [low, high] = test;
          let [count, x, y] = [0, 0, 0];
          for (let k = 0; k < data.length; k += 4) {
            if ([0, 1, 2].every((c) => data[k + c] >= low[c] && data[k + c] <= high[c])) {
              count += 1;
              x += (k / 4) % copy.width;
              y += Math.floor(k / 4 / copy.width);
            }
          }
          const box = canvas.getBoundingClientRect();
          const size = box.width / copy.width;
          answer([count, box.left + (size * x) / count, box.top + (size * y) / count]);
        })))""",
        test,
    )
    return list(found)


#: Colors from the least to the most in red, green and blue.
SHIRT = [[30, 80, 110], [90, 150, 190]]
BLUE_ARROW = [[55, 135, 240], [70, 150, 255]]
AMBER = [[235, 155, 25], [255, 175, 50]]


def draw_waits(page: Any, python: StandIn) -> None:
    """Until the skin came down and is drawn."""
    for _ in range(600):
        if said(python, "mesh") and pixels(page, SHIRT)[0] > 75:
            return
        page.wait_for_timeout(100)
    pytest.fail("no skin in the picture")


def test_token_goes_up_once_and_leaves_the_address(opened: Opener, python: StandIn) -> None:
    python.hellos.clear()
    page = opened()
    assert "#" not in page.url
    assert python.hellos == [{"kind": "hello", "token": "secret", "protocol": 1, "language": "en"}]
    refused = opened(token="wrong", ready=False)
    refused.get_by_text("This address has no valid token").wait_for()
    refused.wait_for_timeout(700)
    assert len(python.hellos) == 2, "a refused page does not ask again"


def test_person_is_drawn_as_skin_capsules_and_skeleton(opened: Opener, python: StandIn) -> None:
    page = opened()
    draw_waits(page, python)
    assert said(python, "mesh") == [{"kind": "mesh", "key": "skin"}]
    solid = pixels(page, SHIRT)[0]
    page.get_by_role("button", name="Skeleton").click()
    settled(page, 2)
    assert python.document["settings"]["body"] == "skeleton"
    assert pixels(page, SHIRT)[0] < solid / 20
    assert pixels(page, AMBER)[0] > 25
    page.get_by_role("button", name="Capsules").click()
    settled(page, 3)
    assert pixels(page, AMBER)[0] < 5
    assert page.get_by_role("button", name="Capsules").get_attribute("aria-pressed") == "true"


def test_views_by_button_and_by_key(opened: Opener, python: StandIn) -> None:
    page = opened()
    draw_waits(page, python)
    places = set()
    for name in ("Front", "Left side", "Top"):
        page.get_by_role("button", name=name, exact=True).click()
        places.add(tuple(round(value) for value in pixels(page, SHIRT)))
    assert len(places) == 3
    page.locator("#canvas").focus()
    page.keyboard.press("1")
    front = tuple(round(value) for value in pixels(page, SHIRT))
    assert front in places
    page.keyboard.press("ArrowLeft")
    assert tuple(round(value) for value in pixels(page, SHIRT)) != front
    before = pixels(page, SHIRT)[0]
    page.keyboard.press("+")
    assert pixels(page, SHIRT)[0] > before
    page.get_by_role("searchbox").focus()
    page.keyboard.press("7")
    assert page.get_by_role("searchbox").input_value() == "7"


def test_slider_by_keys_is_one_drag_in_radians(opened: Opener, python: StandIn) -> None:
    page = opened()
    slider = page.get_by_role("slider", name="elbow flexion right")
    k = [one.name for one in python.person.freedoms].index("elbow_flexion_right")
    assert float(slider.get_attribute("max")) == pytest.approx(
        math.degrees(python.person.freedoms[k].upper)
    )
    slider.focus()
    for _ in range(3):
        page.keyboard.press("PageUp")
    page.keyboard.press("Tab")
    settled(page, 2)
    value = float(page.locator('[data-path="dof.elbow_flexion_right.number"]').input_value())
    assert value > 10
    assert math.degrees(python.angles[k]) == pytest.approx(value, abs=0.06)
    assert [one["action"] for one in said(python, "begin")] == ["joint.set"]
    assert len(said(python, "end")) == 1
    assert {one["control"] for one in frames(python, 1)} == {k}


def test_number_is_kept_inside_the_limits(opened: Opener, python: StandIn) -> None:
    page = opened()
    field = page.locator('[data-path="dof.trunk_bend.number"]')
    field.fill("-20")
    field.press("Enter")
    settled(page, 2)
    assert math.degrees(python.angles[2]) == pytest.approx(-20)
    field.fill("400")
    field.press("Enter")
    settled(page, 3)
    assert python.angles[2] == pytest.approx(python.person.freedoms[2].upper)


def test_target_by_keys_and_by_mouse(opened: Opener, python: StandIn) -> None:
    page = opened()
    grip = page.get_by_role("button", name="Target", exact=True)
    grip.focus()
    page.keyboard.press("PageUp")
    settled(page, 2)
    assert frames(python, 2)[-1] == {
        "frame": 2,
        "control": TARGET,
        "values": pytest.approx([0.5, -0.3, 0.91]),
    }
    page.keyboard.press("Shift+ArrowDown")
    settled(page, 3)
    assert frames(python, 2)[-1]["values"] == pytest.approx([0.4, -0.3, 0.91])
    page.get_by_role("button", name="Front", exact=True).click()
    pixels(page, SHIRT)  # drawn: the grips stand where they shall
    box = grip.bounding_box()
    start = (box["x"] + 12, box["y"] + 12)
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0], start[1] - 40)
    page.mouse.move(start[0], start[1] - 80)
    page.mouse.up()
    settled(page, 4)
    pixels(page, SHIRT)
    x, y, z = frames(python, 2)[-1]["values"]
    assert (x, y) == pytest.approx((0.4, -0.3), abs=0.01)
    assert z > 1.0
    after = grip.bounding_box()
    assert after["y"] + 12 == pytest.approx(start[1] - 80, abs=2)
    page.mouse.move(after["x"] + 12, after["y"] + 12)
    page.mouse.down()
    page.mouse.move(after["x"] + 60, after["y"] + 60)
    page.keyboard.press("Escape")
    page.mouse.up()
    settled(page, 5)
    assert len(said(python, "cancel")) == 1
    assert not said(python, "do"), "the end of a drag is no click"


def test_gizmo_moves_along_its_axis_only(opened: Opener, python: StandIn) -> None:
    page = opened(hidden="Target")  # its axes have the gizmo's colors
    draw_waits(page, python)
    page.get_by_role("button", name="Front", exact=True).click()
    page.get_by_role("treeitem", name="cup, cylinder").click()
    settled(page, 2)
    count, x, y = pixels(page, BLUE_ARROW)
    assert count > 10
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 3, y - 30)
    page.mouse.move(x + 30, y - 60)
    page.mouse.up()
    settled(page, 3)
    last = frames(python, 3)[-1]
    assert last["control"] == CUP
    assert last["values"][:2] == pytest.approx([0.6, -0.3])
    assert last["values"][2] > 0.75
    assert last["values"][3:] == pytest.approx([1, 0, 0, 0, 1])
    shown = float(page.get_by_label("Position z").input_value())
    assert shown == pytest.approx(last["values"][2], abs=1e-4)
    assert [one["action"] for one in said(python, "begin")] == ["node.transform"]
    page.wait_for_timeout(100)
    assert python.document["selection"] == ["kitchen/counter/cup"], "the end of a drag is no click"


def test_transformation_by_numbers(opened: Opener, python: StandIn) -> None:
    page = opened()
    page.get_by_role("treeitem", name="cup, cylinder").click()
    settled(page, 2)
    page.get_by_label("Rotation z").fill("90")
    page.get_by_label("Rotation z").press("Enter")
    settled(page, 3)
    half = math.sqrt(0.5)
    assert frames(python, 3)[-1]["values"] == pytest.approx([0.6, -0.3, 0.67, half, 0, 0, half, 1])
    page.get_by_label("Scale", exact=True).fill("2")
    page.get_by_label("Scale", exact=True).press("Enter")
    settled(page, 4)
    assert frames(python, 3)[-1]["values"] == pytest.approx([0.6, -0.3, 0.67, half, 0, 0, half, 2])


def test_pick_in_the_picture(opened: Opener, python: StandIn) -> None:
    page = opened()
    draw_waits(page, python)
    _, x, y = pixels(page, SHIRT)
    page.mouse.click(x, y)
    settled(page, 2)
    assert python.document["selection"] == ["Anna"]
    assert (
        page.get_by_role("treeitem", name="Anna, figure").get_attribute("aria-selected") == "true"
    )
    box = page.locator("#canvas").bounding_box()
    page.mouse.click(box["x"] + 5, box["y"] + 60)
    settled(page, 3)
    assert python.document["selection"] == []


def test_modes_of_a_click_and_target_at_the_hand(opened: Opener, python: StandIn) -> None:
    page = opened()
    draw_waits(page, python)
    _, x, y = pixels(page, SHIRT)
    page.get_by_role("button", name="Look about").click()
    settled(page, 2)
    page.mouse.click(x, y)
    page.get_by_role("button", name="Set target").click()
    settled(page, 3)
    assert [one["action"] for one in said(python, "do")] == ["view.mode", "view.mode"]
    page.mouse.click(x, y)
    page.get_by_text("target.set is not done here.").wait_for()
    at = told(page, python, 3)["args"]["at"]
    assert abs(at[0]) < 0.4
    assert 0.4 < at[2] < 1.4, "on the shirt"
    page.get_by_role("tab", name="Solve").click()
    page.get_by_role("button", name="Put the target at the hand").click()
    # The sentence of the click before may still stand there: what Python heard is waited for.
    at = told(page, python, 4)["args"]["at"]
    rig = python.rig
    pose = np.asarray(python.model.frames(python.q))[python.rows][rig.names.index("hand_right")]
    assert at == pytest.approx((pose @ [0, 0, -0.08, 1])[:3], abs=1e-6)


def test_tree_by_keys(opened: Opener, python: StandIn) -> None:
    page = opened()
    focused = "document.activeElement.dataset.path"
    page.get_by_role("treeitem", name="kitchen, group").focus()
    for key, path in [
        ("ArrowDown", "kitchen/counter"), ("ArrowDown", "kitchen/counter/cup"), ("ArrowLeft", "kitchen/counter"),
        ("ArrowLeft", "kitchen/counter"), ("ArrowDown", "lamp"), ("Home", "kitchen"), ("End", "Target"), ("a", "Anna"),
    ]:  # fmt: skip
        page.keyboard.press(key)
        assert page.evaluate(focused) == path, key
    page.keyboard.press("Enter")
    settled(page, 2)
    assert python.document["selection"] == ["Anna"]
    assert page.evaluate(focused) == "Anna"
    page.keyboard.press("F2")
    page.get_by_role("dialog").get_by_role("textbox").fill("Berta")
    page.keyboard.press("Enter")
    settled(page, 3)
    page.get_by_role("treeitem", name="Berta, figure").wait_for()
    page.get_by_role("searchbox").fill("cup")
    assert page.get_by_role("treeitem").count() == 3


def test_tree_lists_one_sort_of_things(opened: Opener, python: StandIn) -> None:
    plan = {"walls": [[[0, 0], [1, 0], [1, 1]]], "height": 1.0}
    python.document["nodes"]["kitchen/counter"].update(kind="floorplan", shape=plan)
    page = opened()
    for sort, names in {
        "3D objects": ["kitchen", "counter", "cup"],
        "2D objects": ["kitchen", "counter"],
        "Lights": ["lamp"],
        "Cameras": [],
        "Persons and robots": ["Anna"],
        "Targets": ["Target"],
        "Everything": ["kitchen", "counter", "cup", "lamp", "Anna", "Target"],
    }.items():
        page.get_by_label("What is listed").select_option(sort)
        assert page.locator("#tree .label").all_inner_texts() == names, sort


def test_a_scene_without_a_figure_is_seen_whole_and_offers_a_person(
    opened: Opener, python: StandIn
) -> None:
    python.document["figure"] = None
    del python.document["nodes"]["Anna"]
    python.document["order"].remove("Anna")
    python.document["nodes"]["kitchen/counter"]["shape"]["size"] = [9.0, 9.0, 0.04]
    page = opened()
    page.get_by_text("There is no figure in this scene.").wait_for()
    for _ in range(50):  # until the first picture is there
        wood = pixels(page, [[110, 80, 50], [190, 160, 130]])
        if wood[0]:
            break
    box = page.locator("#canvas").bounding_box()
    assert 0 < wood[0] < 0.6 * box["width"] * box["height"] / 4, "at half the scale: not the whole"
    page.locator("#pane-posture").get_by_role("button", name="Add a person").wait_for()


def test_the_four_windows_of_the_thesis_are_in_sight_at_once(opened: Opener) -> None:
    page = opened()
    boxes = {}
    for name in ("view", "pane-scene", "pane-posture", "pane-object"):
        part = page.locator(f"#{name}")
        assert part.is_visible(), name
        boxes[name] = part.bounding_box()
    for name, a in boxes.items():
        assert a["x"] >= 0, name
        assert a["x"] + a["width"] <= 1400, name
        assert a["y"] < 850 - 100, name
        for other, b in boxes.items():
            apart = (
                a["x"] + a["width"] <= b["x"] + 1
                or b["x"] + b["width"] <= a["x"] + 1
                or a["y"] + a["height"] <= b["y"] + 1
                or b["y"] + b["height"] <= a["y"] + 1
            )
            assert name == other or apart, (name, other)
    assert boxes["view"]["width"] * boxes["view"]["height"] > 0.3 * 1400 * 850
    assert page.locator("#pane-posture").get_by_role("slider").count() > 0


def test_menu_by_keys_and_dialog_of_arguments(opened: Opener, python: StandIn) -> None:
    page = opened()
    menus = page.locator("#menubar > li > button")
    assert menus.all_inner_texts() == ["File", "Edit", "Object", "Solve", "Person", "View", "Help"]
    menus.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    first = page.get_by_role("menuitem", name="Add a box")
    assert first.get_attribute("aria-keyshortcuts") == "Alt+B"
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.dataset.menu") == "object"
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="Add a box …")
    dialog.get_by_label("Size").fill("0.4")
    page.keyboard.press("Enter")
    page.get_by_text("node.add is not done here.").wait_for()
    assert said(python, "do")[-1]["args"] == {"name": "box", "size": 0.4, "at": [0.4, 0.3, 0.1]}
    page.keyboard.press("Alt+B")
    page.get_by_role("dialog").wait_for()
    page.keyboard.press("Escape")
    assert len(said(python, "do")) == 1
    menus.nth(1).click()
    assert page.get_by_role("menuitem", name="Redo").get_attribute("aria-disabled") == "true"
    page.get_by_role("menuitem", name="Redo").dispatch_event("click")
    assert len(said(python, "do")) == 1


def test_french_at_once_and_everywhere(opened: Opener, python: StandIn) -> None:
    page = opened()
    english = {
        text.strip()
        for text in page.locator("h2, button, label, legend, summary").all_inner_texts()
    }
    page.get_by_label("Language").select_option("fr")
    settled(page, 2)
    assert page.locator("html").get_attribute("lang") == "fr"
    french = {
        text.strip()
        for text in page.locator("h2, button, label, legend, summary").all_inner_texts()
    }
    same = {
        "Transformation",
        "Posture",
        "Capsules",
        "Points",
        "Poses",
        "Verdict",
        "x",
        "y",
        "z",
        "↺",
        "⊡",
        "handik",
        "",
        "Rotation (°)",
        "Percentile",
        "Position (m)",
        "Stature",
        "Position",
    }
    bodies = {
        one.name.replace("_", " ") for one in python.person.freedoms
    }  # the stand-in's words are the names
    assert english & french <= same | bodies, english & french
    page.get_by_role("tab", name="Résoudre").click()
    page.get_by_label("Solveur", exact=True).wait_for()
    assert python.document["settings"]["language"] == "fr"
    again = opened(locale="fr-FR")
    assert again.get_by_role("tab", name="Personne").count() == 1


def test_connection_lost_and_found(opened: Opener, python: StandIn) -> None:
    page = opened()
    python.hellos.clear()
    python.drop()
    page.get_by_text("The connection to Python is lost").wait_for()
    page.get_by_text("Ready.").wait_for()
    assert len(python.hellos) == 1
    page.get_by_role("treeitem", name="lamp, light").click()
    settled(page, 2)


PANES = ["Posture", "Solve", "Compare", "Person", "Verdict", "Drive", "Motion"]


@pytest.mark.parametrize("width", [1400, 400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened: Opener, width: int, scheme: str) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    ).Axe()
    page = opened(width=width, color_scheme=scheme)
    panes = PANES if width > 900 else ["Scene", "Transformation", *PANES]
    for pane in panes:
        page.get_by_role("tab", name=pane).click()
        read = page.inner_text("body")
        assert not re.search(r"\b(null|undefined|NaN)\b", read), (pane, read)
        found = axe.run(page).response["violations"]
        assert not found, [
            (pane, one["id"], [n["html"][:90] for n in one["nodes"][:3]]) for one in found
        ]
    page.locator("#menubar").get_by_role("menuitem", name="View").click()
    assert not axe.run(page).response["violations"]
    page.keyboard.press("Escape")
    page.keyboard.press("F1")
    page.get_by_role("dialog", name="Keys").wait_for()
    assert not axe.run(page).response["violations"]
    wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1], "nothing sticks out of the window"


def test_keys_go_on_from_each_other_and_not_from_late_answers(
    opened: Opener, python: StandIn
) -> None:
    page = opened()
    draw_waits(page, python)
    page.get_by_role("button", name="Target", exact=True).focus()
    start = python.document["nodes"]["Target"]["world"][2]
    python.pause = 0.1
    for _ in range(6):
        page.keyboard.press("PageUp")
        page.wait_for_timeout(40)
    settled(page, 7)
    assert python.document["nodes"]["Target"]["world"][2] == pytest.approx(start + 0.06)
    # after another key, as that of undo, or a while the thing is where Python says
    python.pause = 0.0
    for wait in (0, 1100):
        if not wait:
            page.keyboard.press("Control+y")
        page.wait_for_timeout(wait)
        nodes = {
            "Target": python.document["nodes"]["Target"] | {"world": [0.5, -0.3, 0.5, 1, 0, 0, 0]}
        }
        python.document["nodes"] |= nodes
        for socket in python.sockets:
            python._answer(socket, 0, {"nodes": nodes}, "set")
        settled(page, revision := python.revision)
        page.keyboard.press("PageUp")
        settled(page, revision + 1)
        assert python.document["nodes"]["Target"]["world"][2] == pytest.approx(0.51)


def test_a_task_by_keyboard_alone(opened: Opener, python: StandIn) -> None:
    """Choose the target in the tree, move it, solve, read what came of it: no mouse."""
    page = opened()
    seen = []
    for _ in range(8):
        page.keyboard.press("F6")
        seen.append(page.evaluate("document.activeElement.closest('[id]').id"))
    assert len(set(seen)) >= 5, seen
    page.get_by_role("treeitem", name="kitchen, group").focus()
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    settled(page, 2)
    page.locator("#canvas").focus()
    page.keyboard.press("Tab")
    for _ in range(3):
        page.keyboard.press("PageUp")
    settled(page, 5)
    assert python.document["nodes"]["Target"]["world"][2] == pytest.approx(0.93)
    page.keyboard.press("F8")
    settled(page, 6)
    page.get_by_text("Reached by auto").wait_for()
    page.locator('[role="tab"][tabindex="0"]').focus()
    page.keyboard.press("ArrowRight")
    assert page.locator('[data-path="solve.outcome"]').first.inner_text() == "Reached"
    row = [one.name for one in python.person.freedoms].index("elbow_flexion_right")
    page.keyboard.press("ArrowLeft")
    shown = float(page.locator('[data-path="dof.elbow_flexion_right.number"]').input_value())
    assert shown == pytest.approx(math.degrees(python.angles[row]), abs=0.06)
    assert page.get_by_role("status").count() == 1
