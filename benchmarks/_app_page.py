"""The application's page in a browser: its main thread in a drag, and how long it takes to be there.

What is counted is the processor time of all tasks of the page's main thread, as Chromium counts it
(`TaskDuration` of its performance domain, in the thread's own time): scripts, styles, layout,
recording of paint, garbage. Rasterizing is not in it, which other threads and processes do, in
software where there is no graphics card. Layout and styles need no card, and are in it.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks._app_scene import furnished
from handik.app._server import Server

#: Counts frames in which something was drawn, and notes when 1,000 objects and a skin are seen.
WATCH = """
  window.seen = { frames: 0, last: -1, skin: null, ready: null, later: window.setTimeout };
  const draw = WebGL2RenderingContext.prototype.drawElements;
  WebGL2RenderingContext.prototype.drawElements = function (mode, count, ...rest) {
    const now = document.timeline.currentTime;
    if (now !== window.seen.last) window.seen.frames += 1;
    window.seen.last = now;
    if (count > 50000) window.seen.skin ??= performance.now();
    return draw.call(this, mode, count, ...rest);
  };
  new MutationObserver((_, watch) => {
    if (!document.documentElement.dataset.ready) return;
    watch.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(() => { window.seen.ready = performance.now(); }));
  }).observe(document, { attributes: true, subtree: true, attributeFilter: ['data-ready'] });
"""
#: The card is told all, and fills no pixel: a processor that draws would take the page's own time.
UNFILLED = """
  const open = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    const gl = open.call(this, kind, ...rest);
    if (kind === 'webgl2') gl?.enable(gl.RASTERIZER_DISCARD);
    return gl;
  };
"""
#: Slow motion: events come so many times slower, and so do the page's own timers.
SLOWED = """
  window.setTimeout = (run, wait, ...rest) => window.seen.later.call(window, run, SLOW * wait, ...rest);
"""
#: All panels are laid out and painted, the folded ones too.
OPEN = """() => {
  for (const pane of document.querySelectorAll('.pane')) pane.hidden = false;
  for (const fold of document.querySelectorAll('details')) fold.open = true;
}"""
#: Pulls the handle of the target along a circle, so many events a second.
PULL = """([key, rate, seconds]) => new Promise((over) => {
  const grip = document.querySelector(`[data-grip="${key}"]`);
  const box = grip.getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  grip.setPointerCapture = () => {};
  const send = (type, dx, dy) => grip.dispatchEvent(new PointerEvent(type, { bubbles: true,
    pointerId: 1, isPrimary: true, button: type === 'pointermove' ? -1 : 0, clientX: x + dx, clientY: y + dy }));
  send('pointerdown', 0, 0);
  const start = performance.now();
  let sent = 0;
  const next = () => {
    const now = performance.now() - start;
    if (now > 1000 * seconds) {
      send('pointerup', 0, 0);
      over(sent);
      return;
    }
    const turn = Math.PI * now / 1000;
    send('pointermove', 15 * Math.sin(turn), 15 * Math.cos(turn) - 15);
    sent += 1;
    window.seen.later.call(window, next, Math.max(0, start + (1000 * sent) / rate - performance.now()));
  };
  next();
})"""
FLAGS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
#: Poses that were drawn, and frames.
COUNTED = "[Number(document.documentElement.dataset.drawn), window.seen.frames]"
PARTS = {"ScriptDuration": "scripts", "RecalcStyleDuration": "styles", "LayoutDuration": "layout"}


@contextmanager
def page_of(server: Server, *scripts: str) -> Iterator[tuple[Any, Any]]:
    """Open the page in Chromium; yield it with what counts the time of its main thread."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=FLAGS)
        size = {"width": 1400, "height": 900}
        page = browser.new_page(viewport=size)
        for script in (WATCH, *scripts):
            page.add_init_script(script)
        counts = page.context.new_cdp_session(page)
        counts.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.goto(server.address)
        page.wait_for_selector("html[data-ready]")
        for _ in range(600):
            if page.evaluate("window.seen.ready !== null && window.seen.skin !== null"):
                break
            page.wait_for_timeout(50)
        yield page, counts
        browser.close()


def spent(counts: Any) -> dict[str, float]:
    """Return seconds of the main thread's own time until now."""
    told = counts.send("Performance.getMetrics")["metrics"]
    return {one["name"]: one["value"] for one in told}


def pulled(server: Server, handles: dict[str, str], seconds: float, slow: int) -> None:
    """Print what a drawn pose costs the main thread, by the handle that is pulled."""
    with page_of(server, UNFILLED, SLOWED.replace("SLOW", str(slow))) as (page, counts):
        page.evaluate(OPEN)
        for name, key in handles.items():
            rate = 60 / slow
            page.evaluate(
                f"(given) => {{ window.pulled = ({PULL})(given); }}", [key, rate, seconds]
            )
            page.wait_for_timeout(500)
            before, was = spent(counts), page.evaluate(COUNTED)
            page.wait_for_timeout(1000 * seconds - 1000)
            after, now = spent(counts), page.evaluate(COUNTED)
            page.evaluate("window.pulled")
            poses, frames = (b - a for a, b in zip(was, now, strict=True))
            used = {k: 1e3 * (after[k] - before[k]) / poses for k in ("TaskDuration", *PARTS)}
            parts = ", ".join(f"{PARTS[k]} {used[k]:.2f}" for k in PARTS)
            print(
                f"page, {name:22} {rate:3.0f} events a second: {used['TaskDuration']:5.2f} ms of the "
                f"main thread a drawn pose ({parts}); {poses} poses in {frames} frames"
            )


def loaded(server: Server, count: int, times: int) -> None:
    """Print when a page of many objects is there, from the start of navigation."""
    found = []
    for _ in range(times):
        with page_of(server) as (page, counts):
            ready, skin = page.evaluate("[window.seen.ready, window.seen.skin]")
            found.append((ready / 1e3, skin / 1e3, spent(counts)["TaskDuration"]))
    ready, skin, used = sorted(found)[len(found) // 2]
    print(
        f"page of {count} objects: drawn {ready:.2f} s after the start, with the skin {skin:.2f} s; "
        f"{used:.2f} s of the main thread (median of {times})"
    )


def main(seconds: float) -> None:
    """Print what the page needs, where there is a browser."""
    try:
        import playwright.sync_api
    except ImportError:
        print("page: not measured, playwright is not installed")
        return
    assert playwright
    if not (shutil.which("chromium") or shutil.which("chromium-browser")):
        print("page: not measured, there is no chromium")
        return
    handles = {"target, solved": "target", "hand, out of obstacles": "part grip_right"}
    server = Server(furnished(100))
    try:
        for slow in (1, 10):
            pulled(server, handles, seconds, slow)
    finally:
        server.stop()
    server = Server(furnished(1000))
    try:
        loaded(server, 1000, 3)
    finally:
        server.stop()
