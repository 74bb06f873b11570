"""The browser, a stand-in for Python, and pages that no fault passes, for all tests of the page."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def python() -> Iterator[Any]:
    """What stands in for Python at the other end."""
    from stand_in import StandIn

    server = StandIn()
    yield server
    server.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    flags = [
        "--no-sandbox",
        "--use-gl=angle",
        "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader",
    ]
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: Any, python: Any) -> Iterator[Callable[..., Any]]:
    """Open the page; any request to elsewhere, error or complaint of the page fails the test."""
    python.restart()
    contexts: list[Any] = []
    wrong: list[str] = []
    home = f"127.0.0.1:{python.port}/"

    def open_page(
        width: int = 1400, height: int = 850, token: str = "secret", ready: bool = True, **how: Any
    ) -> Any:
        hidden = how.pop("hidden", None)
        if hidden:
            python.document["nodes"][hidden]["hidden"] = True
        how = {"locale": "en-US", "reduced_motion": "reduce", "device_scale_factor": 0.5, **how}
        context = browser.new_context(viewport={"width": width, "height": height}, **how)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15000)
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
        page.goto(f"http://{home}#{token}")
        if ready:
            page.wait_for_selector("html[data-ready]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong
