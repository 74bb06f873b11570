"""Every action by its key or, without one, by its menu, its dialog filled as somebody would fill it: each must do something.

The picture is left out: what is looked at is the document.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

pytest.importorskip("websockets", reason="websockets is not installed: pip install 'handik[app]'")
pytest.importorskip("swift", reason="swift-sim is not installed: it holds three.js")
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="not on this machine: chromium"),
    pytest.mark.xdist_group("browser"),
]

from test_actions import BEFORE, CALLS, furnished  # noqa: E402

from handik.app._actions import ACTIONS  # noqa: E402
from handik.app._server import Server  # noqa: E402

#: What begins with the browser's own dialog for a file, or needs the picture.
ELSEWHERE = ("file.open", "file.import", "motion.open", "view.camera")
#: Milliseconds after which something does not come any more, on a busy machine too.
LONG = 60000
#: What gives a file, and leaves the document as it is.
GIVES = ("file.save", "file.export", "file.script", "motion.save", "access.report", "pose.copy")


@pytest.fixture
def walked(browser: Any) -> Iterator[Any]:
    app = furnished()
    server = Server(app)
    context = browser.new_context(locale="fr-FR", reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(LONG)
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null;")
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(server.address)
    page.wait_for_selector("html[data-ready]")
    yield page, app
    context.close()
    server.stop()
    assert not wrong


def came(page: Any, holds: Callable[[], Any]) -> bool:
    """Wait for something; asked from here, as the page's policy forbids the browser to ask by words."""
    for _ in range(LONG // 20):
        if holds():
            return True
        page.wait_for_timeout(20)
    return False


def begin(page: Any, app: Any, name: str) -> None:
    """Have the page show the document that the action is tried on."""
    fresh = furnished()
    for other, args in BEFORE.get(name, []):
        fresh.do(other, **args)
    args = CALLS.get(name, {})
    chosen = args.get("nodes") or ([args["node"]] if "node" in args else None)
    if chosen and name != "node.select":
        fresh.do("node.select", nodes=chosen)
    with app.lock:
        app.history.restart(fresh.document)
        app.history.before[:], app.history.after[:] = fresh.history.before, fresh.history.after
        app.recording = fresh.recording
        app.view = replace(app.view, keys=())
        step = app.view.snap_size + 1e-4  # so that there is something to tell
        app.do("view.snap_size", snap_size=step)
        revision = app.revision
    known = "Number(document.documentElement.dataset.revision)"
    assert came(page, lambda: page.evaluate(known) >= revision), f"the page does not show {name}"


def fill(page: Any, name: str) -> None:
    """Type what the action is told into its dialog, in the units that it shows."""
    units = {arg.name: arg.unit for arg in ACTIONS[name].args}
    for key, value in CALLS.get(name, {}).items():
        field = page.locator(f"dialog[open] #arg-{key}")
        if field.count() == 0:
            continue
        if isinstance(value, bool):
            field.set_checked(value)
        elif isinstance(value, list):
            for end, number in zip(("", "-y", "-z"), value, strict=False):
                page.locator(f"dialog[open] #arg-{key}{end}").fill(str(number))
        elif field.evaluate("(one) => one.tagName") == "SELECT":
            field.select_option("" if value is None else str(value))
        else:
            field.fill(str(np.degrees(value) if units[key] == "rad" else value))


def answered(page: Any, name: str) -> bool:
    """Wait until the page has heard all that comes of an action: else its answer is read as the next one's."""
    heard = """document.documentElement.dataset.done !== undefined
        || document.getElementById('status').textContent !== ''"""
    if not came(page, lambda: page.evaluate(heard)):
        return False
    if ACTIONS[name].job:  # which is told of twice: done, and over
        return came(page, lambda: page.evaluate("document.getElementById('job').hidden"))
    return True


def test_every_action_does_something_by_key_or_menu_and_dialog(walked: Any) -> None:
    page, app = walked
    wrong = []
    for name in ACTIONS:
        if name in ELSEWHERE:
            continue
        way = "key" if ACTIONS[name].key else "menu"
        begin(page, app, name)
        page.evaluate("delete document.documentElement.dataset.done")
        page.evaluate("document.getElementById('status').textContent = ''")
        before = app.document, app.view
        if way == "key":
            page.evaluate("document.activeElement.blur()")
            if ACTIONS[name].key != "Enter":  # which presses a button
                page.locator("#views button").first.focus()  # single letters count in the view
            page.keyboard.press(ACTIONS[name].key)
        else:
            page.locator(f'.menu-title[data-menu="{ACTIONS[name].menu}"]').click()
            page.locator(f'.menu [data-action="{name}"]').click()
        if page.locator("dialog[open]").count():
            fill(page, name)
            page.locator("dialog[open] button.go").click()
            if page.locator("dialog[open]").count():
                wrong.append((name, way, "its dialog stays"))
                page.keyboard.press("Escape")
                continue
        if not answered(page, name):
            wrong.append((name, way, "nothing came of it"))
        elif name in GIVES or app.document is not before[0] or app.view is not before[1]:
            continue
        else:
            wrong.append((name, way, page.locator("#status").inner_text()))
    assert wrong == [], wrong
