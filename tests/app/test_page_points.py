"""Solid, wireframe and points: things, persons and wheelchairs alike, and each is picked as it is seen."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
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

from test_page_live import app, page  # noqa: E402, F401


@pytest.fixture
def picture(page: Any, app: Any, tmp_path: Path) -> Callable[[str], Any]:  # noqa: F811
    """What takes a picture of the canvas, under a name."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")

    def take(name: str) -> Any:
        assert app.document  # and so the page has drawn all that was done
        page.locator("#canvas").screenshot(path=(path := tmp_path / f"{name}.png"))
        return np.asarray(image.open(path).convert("RGB"), float)

    return take


def test_box_capsules_and_chair_are_drawn_as_the_button_says(
    page: Any,  # noqa: F811
    app: Any,  # noqa: F811
    picture: Callable[[str], Any],
) -> None:
    def drawn(how: str) -> None:
        button = page.locator("#tools").get_by_role("button", name=how, exact=True)
        button.click()
        page.wait_for_selector(f'#tools button[aria-pressed="true"]:text-is("{how}")')

    app.do("file.new")
    app.do("person.add")
    app.do("view.body", body="skeleton")
    app.do("node.add", kind="box", name="b", size=1.5, at=[0.0, 2.5, 0.75])
    page.get_by_role("button", name="Show all", exact=True).click()
    shown = {}
    for thing in ("nothing", "box", "chair", "capsules"):
        app.do("person.chair", kind="manual" if thing == "chair" else "")
        app.do("view.body", body="capsules" if thing == "capsules" else "skeleton")
        if ("b" in app.document.hidden) is (thing == "box"):
            app.do("node.hide", nodes=["b"])
        for how in ("Solid", "Wireframe", "Points"):
            drawn(how)
            shown[thing, how] = picture(f"{thing}-{how}")
    covers = {
        (thing, how): (np.abs(found - shown["nothing", how]).max(axis=2) > 15).mean()
        for (thing, how), found in shown.items()
    }
    for how in ("Solid", "Wireframe", "Points"):  # of the chair what is dark: its outline stays
        dark = (shown["chair", how].max(axis=2) < 90) & (shown["nothing", how].max(axis=2) > 90)
        covers["chair", how] = dark.mean()
    for thing in ("box", "chair", "capsules"):
        solid = covers[thing, "Solid"]
        assert solid > 0.003, (thing, covers)
        assert 0.08 * solid < covers[thing, "Points"] < 0.9 * solid, (thing, covers)
        if thing == "box":  # of rods and capsules, so far away, the lines lie side by side
            assert covers[thing, "Wireframe"] < 0.9 * solid, (thing, covers)
    place = np.abs(shown["chair", "Solid"] - shown["nothing", "Solid"]).max(axis=2) > 15
    lines = np.abs(shown["chair", "Solid"] - shown["chair", "Wireframe"]).max(axis=2) > 15
    assert (place & lines).sum() > 0.1 * place.sum()
    # not its corners alone: points lie in each ninth of what the solid box covers
    app.do("view.body", body="skeleton")
    there = np.abs(shown["box", "Solid"] - shown["nothing", "Solid"]).max(axis=2) > 15
    points = np.abs(shown["box", "Points"] - shown["nothing", "Points"]).max(axis=2) > 15
    rows, columns = (np.flatnonzero(there.any(axis=k)) for k in (1, 0))
    for part in np.array_split(np.arange(rows[0], rows[-1] + 1), 3):
        for side in np.array_split(np.arange(columns[0], columns[-1] + 1), 3):
            whole = there[np.ix_(part, side)]
            assert whole.mean() < 0.3 or points[np.ix_(part, side)].any()
    # between points a thing is picked all the same, and a part of a person in her skin
    box = page.locator("#canvas").bounding_box()
    scale = there.shape[1] / box["width"]

    def picked(mask: Any) -> str:
        y, x = np.median(np.argwhere(mask), axis=0) / scale
        page.mouse.click(box["x"] + x, box["y"] + y)
        found: str = page.locator("#canvas").get_attribute("data-picked")
        return found

    page.evaluate("document.getElementById('grips').style.display = 'none'")
    app.do("node.hide", nodes=["b"])
    app.do("view.body", body="skin")
    drawn("Points")
    assert picked(there & ~points) == "b"
    assert app.document.selection == ("b",)
    person = np.abs(shown["capsules", "Solid"] - shown["nothing", "Solid"]).max(axis=2) > 15
    assert picked(person) in app.document.actor()[1].figure.frame_names
    assert app.document.selection == ("person",)


def test_everybody_has_her_own_chair_where_she_is(
    app: Any,  # noqa: F811
    page: Any,  # noqa: F811
    picture: Callable[[str], Any],
) -> None:
    def dark(name: str) -> Any:
        return picture(name).max(axis=2) < 90

    app.do("file.new")
    app.do("view.body", body="skeleton")
    for k, kind in enumerate(("manual", "scooter", "")):
        app.do("person.add")
        app.do("node.transform", node=app.document.figure, pose=[0, 1.5 * k, 0, 1, 0, 0, 0])
        app.do("person.chair", kind=kind)
    page.get_by_role("button", name="Show all", exact=True).click()
    both = dark("both")
    app.do("node.hide", nodes=["person"])
    one = dark("one")
    app.do("node.hide", nodes=["person 2"])
    none = dark("none")
    first, second = (both & ~one).sum(), (one & ~none).sum()
    assert min(first, second) > 0.1 * max(first, second) > 20
    assert none.sum() < 0.2 * second
    app.do("node.hide", nodes=["person 2"])
    app.do("node.move", nodes=["person 2"], by=[0.0, -1.5, 0.0])
    moved = dark("moved")
    assert (moved & both & ~one).sum() > 0.2 * second  # where the other was
    app.do("figure.activate", figure="person 2")
    app.do("person.chair", kind="")
    assert dark("without").sum() < 0.2 * second


def test_a_person_is_drawn_as_points_and_saved_by_another_name(
    page: Any,  # noqa: F811
    app: Any,  # noqa: F811
    picture: Callable[[str], Any],
) -> None:
    """Points cover some of what the solid body does, in the skin and in the capsules."""
    app.do("file.new")
    app.do("person.add")
    page.get_by_role("button", name="Show all", exact=True).click()
    page.locator("#canvas").focus()
    app.do("node.select", nodes=["person"])
    app.do("node.hide")
    empty = {}
    for draw in ("solid", "points"):
        app.do("view.draw", draw=draw)
        empty[draw] = picture(f"empty-{draw}")
    app.do("node.hide")
    for body in ("skin", "capsules"):
        app.do("view.body", body=body)
        covered = {}
        for draw in ("solid", "points"):
            app.do("view.draw", draw=draw)
            changed = np.abs(picture(f"{body}-{draw}") - empty[draw]).max(axis=2) > 20
            covered[draw] = changed.mean()
        assert 0.1 * covered["solid"] < covered["points"] < 0.9 * covered["solid"], (body, covered)

    page.locator("#canvas").focus()
    page.keyboard.press("Alt+s")
    dialog = page.get_by_role("dialog", name="Save as")
    dialog.get_by_label("Name").fill("flat")
    with page.expect_download() as file:
        page.keyboard.press("Enter")
    assert file.value.suggested_filename == "flat.json"
    assert app.document.scene.name == "flat"
