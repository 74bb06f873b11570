"""An exported page from its file: both languages and a switch, the wheelchair of who has one."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import handik as hk
from handik.app import App
from handik.app._bodies import body_of
from handik.app._wheelchair import with_chair
from handik.scene.access._seat import drawn

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def seated(kind: str = "manual") -> App:
    app = App()
    app.do("person.add", sex="female", position="seated")
    app.do("person.chair", kind=kind)
    app.do("target.hand")
    return app


def exported(app: App) -> str:
    app.do("file.export", format="html")
    return app.given[-1].data.decode()


def shown(html: str) -> dict[str, Any]:
    """What the page is given, as data."""
    found = re.search(r'id="given">(.*?)</script>', html, re.S)
    assert found
    return dict(json.loads(found[1]))


@pytest.mark.parametrize("kind", ["manual", "rear", "scooter"])
def test_a_page_shows_the_wheelchair_where_it_is(kind: str) -> None:
    app = seated(kind)
    app.do("node.move", nodes=["person"], by=[1.0, 2.0, 0.0])
    app.do("node.rotate", nodes=["person"], axis="z", angle=0.7)
    actor, world = app.document.actor()[1], app.document.scene.world("person")
    chair = body_of(actor).described["chair"]
    told = shown(exported(app))
    assert len(told["scene"]) == 1, "the outline"
    assert len(told["figures"][0]["chair"]) == len({part["color"] for part in chair["parts"]})
    place = with_chair(app.document).world("wheelchair/outline")
    np.testing.assert_allclose(place[:3, 3], (world @ [chair["ahead"], 0, 0, 1.0])[:3], atol=1e-12)
    parts = drawn(actor.person)
    lift = actor.person._at_origin._lift
    assert [part["name"] for part in chair["parts"]] == [part.name for part in parts]
    for one, part in zip(chair["parts"], parts, strict=True):  # those of the figure, in her place
        at = np.mean(one["ends"], axis=0) if "ends" in one else one["at"]
        np.testing.assert_allclose(at, part.pose[:3, 3] + [0, 0, lift], atol=1e-12)
        if "ends" in one:
            long = np.linalg.norm(np.subtract(*one["ends"]))
            assert (one["radius"], long) == pytest.approx((part.shape.radius, part.shape.length))
        elif "size" in one:
            assert tuple(one["size"]) == part.shape.size
        else:
            assert (one["radius"], one["width"]) == (part.shape.radius, part.shape.length)
    low = min(one["at"][2] - one["radius"] for one in chair["parts"] if "width" in one)
    assert low == pytest.approx(0.0, abs=1e-9)


def test_who_stands_or_has_none_is_shown_without_and_the_scene_stays_as_it_is() -> None:
    app = seated()
    before = app.document.scene
    with_it = exported(app)
    assert app.document.scene is before
    app.do("person.set", position="standing")
    assert shown(exported(app))["scene"] == []
    app.do("person.set", position="seated")
    app.do("person.chair", kind="")
    assert shown(exported(app))["scene"] == []
    assert shown(with_it)["scene"] != []
    assert shown(with_it)["figures"][0]["chair"] != []
    assert shown(exported(app))["figures"][0]["chair"] == []
    app.do("node.add", kind="box", name="wheelchair")
    app.do("person.chair", kind="manual")
    assert "wheelchair 2" in with_chair(app.document)


def test_what_is_hidden_is_not_in_the_page() -> None:
    app = seated()
    app.do("person.add", sex="male")
    app.do("node.add", kind="box", name="box")
    app.do("node.add", kind="sphere", name="cup", at=[0.2, 0.0, 1.0])
    scene = app.document.scene.attach("cup", "person 2", "grip_right")
    app.history.push(app.document.edited(scene), "node.reparent")
    app.do("figure.activate", figure="person")
    every = shown(exported(app))
    app.do("node.hide", nodes=["box", "person 2"])
    some = shown(exported(app))
    assert [one["name"] for one in every["figures"]] == ["person", "person 2"]
    assert [one["name"] for one in some["figures"]] == ["person"]
    assert len(some["scene"]) == len(every["scene"]) - 1, (
        "what hung on her hand is seen where it was"
    )
    app.do("node.hide", nodes=["person 2"])
    app.do("node.hide", nodes=["person"])  # and her wheelchair with her
    left = shown(exported(app))
    assert [one["name"] for one in left["figures"]] == ["person 2"]
    assert len(left["scene"]) == 1
    app.do("node.hide", nodes=["person 2"])
    with pytest.raises(hk.errors.ArgumentError, match="there is no figure"):
        exported(app)


def words(page: Any) -> str:
    return str(page.locator("main").inner_text())


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="not on this machine: chromium")
@pytest.mark.xdist_group("browser")
@pytest.mark.parametrize("figures", [True, False])
def test_the_reader_chooses_the_language(browser: Any, tmp_path: Path, figures: bool) -> None:
    app = seated()
    app.do("view.language", language="fr")
    html = exported(app) if figures else hk.view(hk.Scene().add("b", hk.scene.Sphere(0.1))).html
    (tmp_path / "page.html").write_text(html, "utf-8")
    page = browser.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((tmp_path / "page.html").as_uri())
    choice = page.get_by_label("Langue" if figures else "Language")
    page.wait_for_selector("canvas")
    if not figures:
        assert choice.input_value() == "en"
        assert "Drag, or press the arrow keys" in words(page)
        choice.select_option("fr")
        assert "Tirez, ou utilisez les flèches" in words(page)
        assert page.locator("#picture").get_attribute("aria-label") == "Une scène"
        assert not wrong
        page.close()
        return
    page.wait_for_selector("#answers tr")
    assert choice.input_value() == "fr"
    french = words(page)
    assert "convergé" in french
    assert re.search(r"\d,\d\d mm", french)
    page.get_by_label("À côté").select_option("ccd")
    page.get_by_label("Corps").select_option("capsules")
    choice.select_option("en")
    api = pytest.importorskip("playwright.sync_api")
    api.expect(page.locator("#answers")).to_contain_text(re.compile(r"\d\.\d\d mm"))
    api.expect(page.locator("#answers")).not_to_contain_text("convergé")
    api.expect(page.locator("#said")).to_contain_text("auto: ")
    assert page.locator("html").get_attribute("lang") == "en"
    for label, value in (("Beside it", "ccd"), ("Body", "capsules"), ("Language", "en")):
        assert page.get_by_label(label).input_value() == value, "what was chosen stays"
    assert page.locator("#beside option").first.inner_text() == "none"
    assert not re.search("[éàè]", words(page).replace("Français", "")), words(page)
    assert not wrong
    page.close()
