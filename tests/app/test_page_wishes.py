"""What a reader wishes of the page: forced colors, large text, less motion, paper."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("websockets", reason="websockets is not installed: pip install websockets")
pytest.importorskip("swift", reason="swift-sim is not installed: it holds three.js")
pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="not on this machine: chromium"),
    pytest.mark.xdist_group("browser"),
]

from stand_in import StandIn  # noqa: E402
from test_page import SHIRT, draw_waits, pixels  # noqa: E402

Opener = Callable[..., Any]


def test_forced_colors_and_large_text(opened: Opener) -> None:
    page = opened(forced_colors="active")
    pressed = page.get_by_role("button", name="Move", exact=True)
    plain = page.get_by_role("button", name="Rotate", exact=True)
    color = "(one) => getComputedStyle(one).backgroundColor"
    assert pressed.evaluate(color) != plain.evaluate(color)
    tab = page.locator('[role="tab"][aria-selected="true"]')
    assert tab.evaluate(color) != tab.evaluate("(one) => getComputedStyle(one).color"), "readable"
    assert tab.evaluate(color) == pressed.evaluate(color)
    large = opened(width=1000, height=800)
    large.evaluate("document.documentElement.style.fontSize = '30px'")
    assert large.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_motion_is_reduced_where_it_is_asked_and_ends_at_the_same_place(
    opened: Opener, python: StandIn
) -> None:
    seen = []
    for wish in ("reduce", "no-preference"):
        page = opened(reduced_motion=wish)
        draw_waits(page, python)
        button = page.get_by_role("button", name="Front", exact=True)
        eased = button.evaluate("(one) => getComputedStyle(one).transitionDuration")
        assert eased == ("0s" if wish == "reduce" else "0.1s")
        before = pixels(page, SHIRT)
        button.click()
        last, now = before, pixels(page, SHIRT)
        while now != last or now == before:  # the camera flies for a quarter of a second
            page.wait_for_timeout(300)
            last, now = now, pixels(page, SHIRT)
        seen.append(now)
    assert seen[0][0] == pytest.approx(seen[1][0], rel=0.05)
    assert seen[0][1:] == pytest.approx(seen[1][1:], abs=3)


def test_print_is_asked_for_and_leaves_the_tools_out(opened: Opener, python: StandIn) -> None:
    page = opened()
    draw_waits(page, python)
    page.evaluate("() => { window.print = () => { window.printed = (window.printed ?? 0) + 1; }; }")
    page.locator("#canvas").focus()
    page.keyboard.press("Control+Alt+p")
    assert page.evaluate("window.printed") == 1
    tools = page.get_by_role("button", name="Rotate", exact=True)
    assert tools.is_visible()
    page.emulate_media(media="print")
    assert not tools.is_visible()
    assert page.locator("#canvas").is_visible()


def test_fingers_turn_and_bring_nearer(opened: Opener, python: StandIn) -> None:
    page = opened(has_touch=True)
    draw_waits(page, python)
    hand = page.context.new_cdp_session(page)
    box = page.locator("#canvas").bounding_box()
    x, y = box["x"] + 60, box["y"] + 60  # no grip is there

    def touch(kind: str, *points: tuple[float, float]) -> None:
        rows = [{"x": a, "y": b, "id": k} for k, (a, b) in enumerate(points)]
        hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": rows})

    before = pixels(page, SHIRT)
    touch("touchStart", (x, y))
    for step in range(1, 6):
        touch("touchMove", (x + 30 * step, y))
    touch("touchEnd")
    turned = pixels(page, SHIRT)
    assert turned != before
    touch("touchStart", (x, y), (x + 40, y))
    for step in range(1, 6):
        touch("touchMove", (x, y), (x + 40 + 4 * step, y))
    touch("touchEnd")
    assert pixels(page, SHIRT)[0] > 1.2 * turned[0]
