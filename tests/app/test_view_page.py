"""The page of `hk.view` in a browser: it shows what the application shows, follows who drags, and comes again."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from drawn import drawn

import handik as hk

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="not on this machine: chromium"),
    pytest.mark.xdist_group("browser"),
]

#: The middle square of a picture as rows of r, g, b, in `size` pixels each way.
SQUARE = """([id, size]) => {
  const place = document.getElementById(id);
  const canvas = place.querySelector('canvas') ?? place;
  const copy = Object.assign(document.createElement('canvas'), { width: size, height: size });
  const paper = copy.getContext('2d');
  const side = canvas.height;
  paper.drawImage(canvas, (canvas.width - side) / 2, 0, side, side, 0, 0, size, size);
  return [...paper.getImageData(0, 0, size, size).data];
}"""


def square(page: Any, id: str, size: int = 240) -> np.ndarray:
    return np.array(page.evaluate(SQUARE, [id, size])).reshape(size, size, 4)[..., :3] / 255


def test_the_picture_is_that_of_the_application(browser: Any, tmp_path: Path) -> None:
    """A person at a table under a lamp, from one camera, in the page and in the application."""
    pytest.importorskip("websockets", reason="websockets is not installed")
    pytest.importorskip("swift", reason="swift-sim is not installed")
    from handik.app import App
    from handik.app._server import Server

    back = np.array([0.6, -0.64, 0.48])
    back /= np.linalg.norm(back)
    right = np.cross([0, 0, 1.0], back)
    right /= np.linalg.norm(right)
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack([right, np.cross(back, right), back])
    middle, far = np.array([0.4, 0.0, 0.7]), 3.4
    pose[:3, 3] = middle + far * back
    room = (
        hk.Scene(name="room")
        .add("floor", hk.scene.Plane())
        .add("table", hk.scene.Box([0.7, 1.2, 0.05]), [0.95, 0, 0.72], color="#b98d5b")
        .add("ball", hk.scene.Sphere(0.1), [0.9, 0.3, 0.85], color="#a02030")
        .add("screen", hk.scene.Box([0.02, 0.9, 0.5]), [1.2, 0, 1.0], opacity=0.4)
        .add("lamp", hk.scene.Light("spot", spread=1.2), ([0.9, 0, 2.4], [1.0, 0, 0, 0]))
        .add("camera", hk.scene.Camera(view=2 * np.arctan(1 / 2.4)), pose)
        .add("her", hk.scene.Actor(human={"sex": "female", "position": "seated"}))
    )
    file = tmp_path / "room.html"
    hk.view(room).save(file)
    size = {"viewport": {"width": 1400, "height": 560}, "device_scale_factor": 0.5}
    page = browser.new_page(**size)
    page.goto(file.as_uri())
    page.locator("#answers tr").wait_for()
    look = {"turn": np.arctan2(back[1], back[0]), "lift": np.arcsin(back[2]), "far": far}
    look = {name: float(value) for name, value in look.items()}
    page.evaluate(
        "(look) => { Object.assign(window.page.picture.eye, look); window.page.draw(); }",
        {**look, "middle": middle.tolist()},
    )
    own = square(page, "picture")
    page.close()
    server = Server(App(room))
    try:
        page = browser.new_page(**size)
        page.goto(server.address)
        page.wait_for_selector("html[data-ready]")
        page.click("#lens summary")
        page.select_option("#camera", "camera")
        for _ in range(600):
            page.wait_for_timeout(100)
            its = square(page, "canvas")
            if np.median(np.abs(own - its)) < 0.02:
                break
        page.close()
    finally:
        server.stop()
    away = np.abs(own - its).max(-1)
    assert np.median(away) < 0.02
    assert np.mean(away > 0.1) < 0.05  # edges, and the ball that is dragged
    # the blue of her shirt and its middle are where the application has them
    for seen in (own, its):
        assert ((seen[..., 2] > seen[..., 0] + 0.1) & (seen[..., 2] > 0.3)).sum() > 300
    # without its skin, or without shadows, it would be another picture
    assert np.mean(own.std(axis=(0, 1))) > 0.1


def test_in_a_browser_the_figures_follow_without_a_network(browser: Any, tmp_path: Path) -> None:
    ball, arm = hk.chain([0.1] * 10, "ball"), hk.data("ur5")
    shown = {"chain": ball, "arm": arm, "anna": hk.human(sex="female", stature=1.62)}
    hk.view(shown, solver="fabrik", beside="ccd").save(tmp_path / "p.html")
    context = browser.new_context(viewport={"width": 390, "height": 700}, offline=True)
    page = context.new_page()
    asked, wrong = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    page.goto((tmp_path / "p.html").as_uri())
    rows = page.locator("#answers tr")
    rows.nth(1).wait_for()
    assert [cell.split("\t")[:2] for cell in rows.all_inner_texts()] == [
        ["fabrik", "converged"],
        ["ccd", "converged"],
    ]
    assert not page.locator("#body").is_visible()
    before = page.screenshot(clip=(box := page.locator("#picture").bounding_box()))
    page.select_option("#figure", "1")  # an arm
    page.select_option("#solver", "auto")
    for _ in range(5):
        page.locator("#picture").press("ArrowUp")
    drawn(page)
    assert all("converged" in text for text in rows.all_inner_texts())
    assert float(rows.first.inner_text().split("\t")[3].split()[0]) < 1
    assert page.screenshot(clip=box) != before
    for _ in range(80):  # far out of reach, and said so
        page.locator("#picture").press("ArrowUp")
    drawn(page)
    assert not any("converged" in text for text in rows.all_inner_texts())
    assert "converged" not in page.locator("#said").inner_text()
    page.select_option("#beside", "triangulation")  # for free balls alone
    drawn(page)
    assert "cannot take this figure" in rows.nth(1).inner_text()
    page.click("#reset")
    drawn(page)
    assert "converged" in rows.first.inner_text()
    page.select_option("#beside", "")
    page.select_option("#figure", "2")  # a person: her skin follows her hand
    drawn(page)
    rest = square(page, "picture", 120)
    for _ in range(12):
        page.locator("#picture").press("ArrowUp")
    drawn(page)
    skinned = square(page, "picture", 120)
    assert np.mean(np.abs(skinned - rest).max(-1) > 0.1) > 0.004
    page.select_option("#body", "capsules")
    drawn(page)
    assert np.mean(np.abs(square(page, "picture", 120) - skinned).max(-1) > 0.1) > 0.03
    context.close()
    assert not wrong
    assert asked == [(tmp_path / "p.html").as_uri()]


def ready(page: Any) -> None:
    """Wait until a page or a frame runs: its policy forbids the browser to poll by words."""
    for _ in range(600):
        if page.evaluate("Boolean(window.page)"):
            return
        time.sleep(0.1)
    pytest.fail("it does not run")


LOST = "[...document.querySelectorAll('canvas')].map((one) => one.getContext('webgl2').isContextLost())"


def test_of_many_in_a_notebook_each_is_seen(browser: Any, tmp_path: Path) -> None:
    """A browser takes the context of the oldest when there are more than 16: the picture comes again."""
    pages = [hk.view(hk.data("planar9"), height=260) for _ in range(18)]
    frames = "".join(f"<p>{k}</p>{page._repr_html_()}" for k, page in enumerate(pages))
    file = tmp_path / "notebook.html"
    # no word of the encoding: a page around them may be read as another than UTF-8
    file.write_text(f"<!DOCTYPE html><body>{frames}", encoding="utf-8")
    page = browser.new_page(viewport={"width": 400, "height": 500}, device_scale_factor=0.5)
    page.goto(file.as_uri())
    inner = page.frames[1:]
    for frame in inner:
        ready(frame)
    for _ in range(600):
        if any(frame.evaluate(LOST) == [True] for frame in inner):
            break
        page.wait_for_timeout(100)
    else:
        pytest.fail("it keeps them all")
    for k in (0, 17, 1):
        page.locator("iframe").nth(k).scroll_into_view_if_needed()
        for _ in range(600):
            page.wait_for_timeout(100)
            if inner[k].evaluate(LOST) == [False]:
                break
        drawn(inner[k])
        seen = square(inner[k], "picture", 60)
        assert np.ptp(seen, axis=(0, 1)).max() > 0.3, k
    inner[1].locator("#picture").press("ArrowUp")
    drawn(inner[1])
    assert np.any(square(inner[1], "picture", 60) != seen), "and it goes on"
    page.close()


def test_all_lamps_shine_and_keys_and_fingers_turn_the_view(browser: Any, tmp_path: Path) -> None:
    room = hk.Scene().add("floor", hk.scene.Plane(), color="#404040")
    for k in range(12):
        color = "#ff0000" if k == 11 else "#000000"
        room = room.add(f"lamp{k}", hk.scene.Light("point", color=color, power=5.0), [0, 0, 1])
    room = room.add("box", hk.scene.Box([0.2, 0.2, 0.2]), [0, 0, 0.1], color="#808080")
    hk.view(room).save(tmp_path / "room.html")
    page = browser.new_page(viewport={"width": 400, "height": 400}, device_scale_factor=0.5)
    page.goto((tmp_path / "room.html").as_uri())
    ready(page)
    drawn(page)
    red = np.median(square(page, "picture"), axis=(0, 1))
    assert red[0] > red[1] + 0.1, "the twelfth lamp"
    eye = "(({turn, lift, far}) => [turn, lift, far])(page.picture.eye)"
    before = page.evaluate(eye)
    page.locator("#picture").press("ArrowRight")
    page.locator("#picture").press("ArrowUp")
    page.locator("#picture").press("+")
    now = page.evaluate(eye)
    assert now == pytest.approx([before[0] + 0.1, before[1] + 0.1, before[2] / 1.2])
    finger = """([type, id, x]) => document.getElementById('picture').dispatchEvent(
        new PointerEvent(type, {pointerId: id, clientX: x, clientY: 100, pointerType: 'touch', bubbles: true}))"""
    page.evaluate("Element.prototype.setPointerCapture = () => {}")
    for type, id, x in [
        ("pointerdown", 1, 100), ("pointerdown", 2, 150), ("pointermove", 2, 200), ("pointerup", 2, 200),
        ("pointerup", 1, 100),
    ]:  # fmt: skip
        page.evaluate(finger, [type, id, x])
    assert page.evaluate(eye) == pytest.approx([*now[:2], now[2] / 2])
    page.locator("#picture").hover()
    size = page.evaluate("page.one.size")
    for way, end in ((3000, 50), (-3000, 0.05)):
        for _ in range(6):
            page.mouse.wheel(0, way)
        drawn(page)
        assert page.evaluate(eye)[2] == pytest.approx(end * size), "neither lost nor through"
    page.close()
