"""Menus, dialogs, the tree and large text of the page over the application itself, as somebody uses them who knows no Python."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.app._bodies import body_of

pytest.importorskip("websockets", reason="websockets is not installed: pip install 'handik[app]'")
pytest.importorskip("swift", reason="swift-sim is not installed: it holds three.js")
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="not on this machine: chromium"),
    pytest.mark.xdist_group("browser"),
]

from test_page_live import app, page, undos, until  # noqa: E402, F401

#: Parts of two controls that cover each other, and text that its box cuts off.
FAULTS = """() => {
  const shown = (one) => { const box = one.getBoundingClientRect(); return one.checkVisibility() && box.width > 1 && box.height > 1; };
  const name = (one) => one.id || one.getAttribute('aria-label') || one.textContent.trim();
  const wrong = [];
  const all = [...document.querySelectorAll('header button, header select, header input, #views button, #cube, #lens > summary, #tabs button')].filter(shown);
  all.forEach((one, k) => {
    const a = one.getBoundingClientRect();
    if (a.right > innerWidth + 0.5 || a.left < -0.5) wrong.push(`${name(one)} is off the page`);
    for (const other of all.slice(k + 1)) {
      const b = other.getBoundingClientRect();
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1.5 && high > 1.5) wrong.push(`${name(one)} over ${name(other)}`);
    }
  });
  for (const one of document.querySelectorAll('button, h2, h3, summary, legend, label, select, .card p')) {
    if (!shown(one) || !one.textContent.trim() || one.closest('.cube, .unseen') || one.classList.contains('unseen')) continue;
    const line = parseFloat(getComputedStyle(one).fontSize);
    if (one.clientHeight && one.clientHeight < 0.9 * line) wrong.push(`${name(one)} is cut in height`);
    if (one.tagName !== 'SELECT' && one.scrollWidth > one.clientWidth + 2 && one.clientWidth) wrong.push(`${name(one)} is cut in width`);
  }
  return wrong;
}"""


def choose(on: Any, menu: str, action: str) -> None:
    on.locator(f'.menu-title[data-menu="{menu}"]').click()
    on.locator(f'.menu [data-action="{action}"]').click()


def tree_item(on: Any, path: str) -> Any:
    return on.locator(f'[role="treeitem"][data-path="{path}"] > .branch .label')


def ok(on: Any) -> None:
    on.locator("dialog[open] button.go").click()


def test_dialogs_begin_with_how_things_are(page: Any, app: Any) -> None:  # noqa: F811
    app.do("node.add", kind="box", size=0.2, at=[0.5, 1.0, 0.6], name="crate")
    app.do("node.add", kind="box", size=0.2, at=[1.5, 1.0, 0.1], name="stool")
    tree_item(page, "stool").click()
    until(page, lambda: app.document.selection == ("stool",), "the stool")

    choose(page, "object", "node.transform")
    start = [float(page.locator(f"#arg-pose{end}").input_value()) for end in ("", "-y", "-z")]
    assert start == [1.5, 1.0, 0.1]
    ok(page)
    until(page, lambda: undos(app)[-1] == "node.transform", "placed where it is")
    np.testing.assert_allclose(app.document.scene.world("stool")[:3, 3], start)

    choose(page, "object", "node.align")
    others = page.locator("#arg-other option").all_inner_texts()
    assert "crate" in others
    assert "stool" not in others, "it cannot be aligned with itself"
    page.locator("#arg-other").select_option("crate")
    ok(page)
    until(page, lambda: undos(app)[-1] == "node.align", "the stool on the crate")
    assert app.document.scene.world("stool")[2, 3] == pytest.approx(0.8)

    choose(page, "target", "target.set")
    place = app.document.scene.world(app.document.target)[:3, 3]
    assert float(page.locator("#arg-at").input_value()) == pytest.approx(place[0], abs=1e-5)
    page.keyboard.press("Escape")
    app.do("pose.save", name="sitting")
    choose(page, "person", "pose.apply")
    assert page.locator("#arg-name option").all_inner_texts() == ["sitting"]
    page.keyboard.press("Escape")
    choose(page, "person", "joint.set")
    assert "trunk flexion" in page.locator("#arg-dof option").all_inner_texts()
    page.keyboard.press("Escape")

    @hk.solver("made_meanwhile", max_iter=3)
    def made_meanwhile(problem: Any, target: Any, q0: Any) -> Any:
        yield q0

    app.do("node.select", nodes=["crate"])
    options = page.locator("#solver option", has_text="made_meanwhile")
    until(page, lambda: options.count() == 1, "a solver that Python made since is in the list")
    choose(page, "solve", "solve.steps")
    assert "made_meanwhile" in page.locator("#arg-second option").all_inner_texts()
    page.keyboard.press("Escape")
    choose(page, "file", "page.film")
    page.get_by_text("There is no path yet").wait_for()


def test_what_is_on_or_off_is_turned_by_one_press_and_moves_both_sides(
    page: Any,  # noqa: F811
    app: Any,  # noqa: F811
) -> None:
    page.locator('.menu-title[data-menu="person"]').click()
    entry = page.locator('.menu [data-action="joint.mirror"]')
    assert entry.get_attribute("aria-checked") == "false"
    entry.click()
    until(page, lambda: app.document.settings.mirror, "both sides")
    both = page.locator("#both-sides")
    until(page, both.is_checked, "the box of the panel, too")
    app.do("pose.reset")
    field = page.locator('[data-path="dof.elbow_flexion_right.number"]')
    field.fill("40")
    field.press("Enter")
    left = page.locator('[data-path="dof.elbow_flexion_left.number"]')
    until(page, lambda: left.input_value() == "40.0", "the other side")
    both.uncheck()
    until(page, lambda: not app.document.settings.mirror, "one side")

    app.do("node.add", kind="box", name="a", at=[2, 2, 0])
    app.do("node.add", kind="box", name="b", at=[2, 3, 0])
    tree_item(page, "a").click()
    until(page, lambda: app.document.selection == ("a",), "one")
    tree_item(page, "b").click(modifiers=["Control"])
    page.locator('[role="treeitem"][data-path="b"][aria-selected="true"]').wait_for()
    assert app.document.selection == ("a", "b")
    page.keyboard.press("Delete")
    until(page, lambda: "b" not in app.document.scene, "gone")
    assert "a" not in app.document.scene, "all that is selected goes"


def test_in_french_at_twice_the_size_nothing_is_cut_or_covered(page: Any, app: Any) -> None:  # noqa: F811
    page.locator("#language").select_option("fr")
    until(page, lambda: app.view.language == "fr", "French")
    for width in (1400, 400):
        page.set_viewport_size({"width": width, "height": 850})
        for size in ("100%", "200%"):
            page.evaluate("(size) => { document.documentElement.style.fontSize = size; }", size)
            page.wait_for_timeout(200)  # laid out
            assert page.evaluate(FAULTS) == [], (width, size)
    app.do("pose.save", name="assise")
    app.do("access.reach", obstacles=False)
    for tab in page.get_by_role("tab").all():
        tab.click()
        folded = page.locator(".pane details:not([open]) > summary")
        for summary in folded.all():
            if summary.is_visible():
                summary.click()
        assert page.evaluate(FAULTS) == [], tab.inner_text()
    page.evaluate("document.documentElement.style.fontSize = ''")
    page.set_viewport_size({"width": 1400, "height": 850})
    page.locator('.menu-title[data-menu="object"]').click()
    keys = page.locator(".menu kbd").all_inner_texts()
    assert {"Suppr", "Inser", "Maj+H"} <= set(keys)
    page.keyboard.press("Escape")
    choose(page, "view", "view.theme")
    assert page.locator("#arg-theme option").all_inner_texts() == ["clair", "sombre"]
    page.keyboard.press("Escape")
    choose(page, "person", "person.set")
    profiles = page.locator("#arg-profile option").all_inner_texts()
    assert "Tremblement des mains" in profiles
    page.keyboard.press("Escape")
    app.do("node.lock", nodes=["person"])
    app.do("node.select", nodes=["person"])
    choose(page, "object", "node.delete")
    page.get_by_text("'person' est verrouillé").wait_for()
    app.do("node.lock", nodes=["person"])
    page.get_by_role("tab", name="Personne").click()
    app.do("person.compare", sex="male", stature=1.9)
    page.locator('[data-path="beside"]').wait_for()
    field, pane = (
        page.locator("#person-stature").bounding_box(),
        page.locator("#pane-person").bounding_box(),
    )
    assert field["x"] + field["width"] < pane["x"] + pane["width"], "beside the table of another"


def test_the_seat_and_the_joystick_of_a_chair_have_fields(page: Any, app: Any) -> None:  # noqa: F811
    def told() -> dict[str, Any]:
        return body_of(app.document.actor()[1]).described["person"]

    page.get_by_role("tab", name="Person").click()
    high, side = page.locator("#person-seat_height"), page.locator("#person-joystick")
    assert not high.is_visible()
    page.locator("#person-chair").select_option("rear")
    high.wait_for()
    usual = told()["seat_height"]
    assert float(high.input_value()) == pytest.approx(100 * usual, abs=0.01)
    assert side.input_value() == "right"
    high.fill("61")
    high.press("Enter")
    until(page, lambda: told()["seat_height"] == pytest.approx(0.61), "a seat 61 cm high")
    side.select_option("left")
    until(page, lambda: told()["joystick"] == "left", "a joystick on the left")
    assert told()["seat_height"] == pytest.approx(0.61)
    back = page.locator('[data-action="seat.free"]')
    until(page, back.is_enabled, "the height can be left to the others")
    back.click()
    until(page, lambda: told()["seat_height"] == pytest.approx(usual), "as high as measured")
    assert told()["joystick"] == "left"
    until(page, back.is_disabled, "the page has heard of it")
    assert float(high.input_value()) == pytest.approx(100 * usual, abs=0.01)


def test_fields_of_dialogs_fit_a_narrow_page(page: Any) -> None:  # noqa: F811
    page.set_viewport_size({"width": 400, "height": 800})
    for menu, action in (("object", "node.add"), ("person", "person.add"), ("file", "file.rename")):
        choose(page, menu, action)
        box = page.locator("dialog[open]").bounding_box()
        for field in page.locator("dialog[open] :is(input, select)").all():
            own = field.bounding_box()
            assert own["x"] >= box["x"]
            assert own["x"] + own["width"] <= box["x"] + box["width"], (action, field)
        assert "" not in [
            one.strip() for one in page.locator("dialog[open] option").all_inner_texts()
        ]
        page.keyboard.press("Escape")


def test_a_key_that_another_has_is_not_given_twice(page: Any, app: Any) -> None:  # noqa: F811
    choose(page, "help", "page.keys")
    hide = page.locator('dialog[open] [data-key="node.hide"]')
    hide.click()
    page.keyboard.press("g")  # the page's own: handles that move
    page.locator('dialog[open] [role="status"]', has_text="G : Move").wait_for()
    assert hide.inner_text() == "H"
    hide.click()
    page.keyboard.press("y")
    until(page, lambda: app.view.keys == (("node.hide", "Y"),), "another key")
    assert page.locator('dialog[open] [role="status"]').inner_text() == ""
    lock = page.locator('dialog[open] [data-key="node.lock"]')
    lock.click()
    page.keyboard.press("y")
    page.locator('dialog[open] [role="status"]', has_text="Hide or show").wait_for()
    assert lock.inner_text() == "L"
    hide.click()
    page.keyboard.press("Delete")
    until(page, lambda: app.view.keys == (), "its own again")
    assert hide.inner_text() == "H"


def test_a_press_on_the_row_of_a_verdict_shows_its_posture(page: Any, app: Any) -> None:  # noqa: F811
    app.do("access.reach")
    verdict = app.document.verdict
    page.locator('#tabs [role="tab"]', has_text="Verdict").click()
    row = page.locator(".card.row-of-verdict")
    row.wait_for()
    assert row.locator('[data-path="verdict.verdict"]').is_visible()
    postures = []
    for press in (row, page.locator('[data-ask="witness"]')):
        before = undos(app)
        press.click()
        until(page, lambda: len(undos(app)) > len(before), "the posture")  # noqa: B023
        assert undos(app)[-1] == "access.show"
        postures.append(app.document.actor()[1].posture)
        app.do("edit.undo")
    np.testing.assert_allclose(postures[0], postures[1])
    np.testing.assert_allclose(postures[0], verdict.q, atol=1e-9)
    before = undos(app)
    row.locator('[data-path="verdict.sentence"]').select_text()
    row.dispatch_event("click")
    page.wait_for_timeout(300)
    assert undos(app) == before, "words that are marked are no press"
