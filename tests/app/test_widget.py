"""The widget of `hk.view`: traits and errors in Python, and its module in Chromium before a model as a notebook has it."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from drawn import drawn

import handik as hk

ARM = hk.data("ur5")


def test_it_begins_where_the_first_figure_does() -> None:
    anywidget = pytest.importorskip("anywidget", reason="anywidget is not installed")
    q = ARM.sample(seed=2)
    page = hk.view(
        {"a": ARM, "b": hk.data("planar9")}, {"a": q}, target={"a": [0.1, 0.2, 0.3]}, height=300
    )
    widget = page.widget()
    assert isinstance(widget, anywidget.AnyWidget)
    assert widget.q == q.tolist()
    assert widget.target == [0.1, 0.2, 0.3]
    state = widget.get_state()
    assert state["_page"] == page.html
    assert (state["_height"], state["_title"]) == (300, "a, b")
    assert "postMessage" in state["_esm"]
    assert page.widget() is not widget
    bare = hk.view(hk.scene.gallery("kitchen")).widget()
    assert bare.q == bare.target == []


def test_what_is_set_is_checked_and_observed() -> None:
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    widget = hk.view(ARM).widget()
    seen: list[Any] = []
    widget.observe(lambda change: seen.append((change.name, change.new)), ["q", "target"])
    widget.target = np.array([1, 2, 3])
    widget.q = tuple(range(6))
    assert seen == [("target", [1.0, 2.0, 3.0]), ("q", [0.0, 1.0, 2.0, 3.0, 4.0, 5.0])]
    assert all(type(x) is float for x in widget.q + widget.target)
    for name, wrong, said in (
        ("q", [0.0] * 5, r"q must have shape"),
        ("q", [[0.0] * 6], r"q must have shape \(6,\), got \(1, 6\)"),
        ("q", None, "q"),
        ("q", [1e300] * 6, "'ur5' has no finite place at q"),
        ("target", [1, 2, np.nan], "target must be finite"),
        ("target", [1, 2, np.inf], "target must be finite"),
        ("target", [1, 2], "target must have shape"),
        ("target", "abc", "target must be a regular array of real numbers"),
    ):
        with pytest.raises(hk.ArgumentError, match=said):
            setattr(widget, name, wrong)
    with pytest.raises(hk.ArgumentError, match="target must have shape"):
        widget.set_state({"target": [1.0]})  # as a message from a browser comes
    assert len(seen) == 2
    assert widget.target == [1.0, 2.0, 3.0]


def test_without_anywidget_it_says_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    page = hk.view(ARM)
    monkeypatch.delitem(sys.modules, "handik.app._widget", raising=False)
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(hk.UnsupportedError, match=r"pip install 'handik\[notebook\]'"):
        page.widget()


# -- in a browser -------------------------------------------------------------------------------

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
#: A model as a notebook gives it to a widget: changes are told by name, what is saved goes to the kernel.
MOUNT = """async ([esm, state]) => {
  const heard = {};
  const model = {
    get: (name) => state[name],
    set(name, value) {
      if (JSON.stringify(state[name]) === JSON.stringify(value)) return;
      state[name] = value;
      for (const each of [...(heard[`change:${name}`] ?? [])]) each();
    },
    on: (name, each) => (heard[name] ??= []).push(each),
    off(name, each) { heard[name] = heard[name].filter((one) => one !== each); },
    save_changes: () => window.saved({ q: state.q, target: state.target }),
  };
  const { default: widget } = await import(URL.createObjectURL(new Blob([esm], { type: 'text/javascript' })));
  const mount = () => widget.render({ model, el: document.body });
  Object.assign(window, { model, mount, heard, close: mount() });
}"""


class Notebook:
    """A widget of Python beside its module in a page: what one is told the other hears."""

    def __init__(self, browser: Any, widget: Any) -> None:
        self.widget, self.wrong, self.asked = widget, [], []
        self.saves = 0
        context = browser.new_context(viewport={"width": 700, "height": 1100}, offline=True)
        self.page = context.new_page()
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("console", lambda line: line.type == "error" and self.wrong.append(line.text))
        self.page.expose_function("saved", self.saved)
        state = widget.get_state(["q", "target", "_page", "_title", "_height"])
        self.page.evaluate(MOUNT, [widget._esm, state])

    def saved(self, state: dict[str, Any]) -> None:
        self.saves += 1
        self.widget.set_state(state)

    def send(self) -> None:
        """Tell the page what the widget has now, as the kernel does."""
        self.page.evaluate(
            "(state) => { for (const name in state) model.set(name, state[name]); }",
            self.widget.get_state(["q", "target"]),
        )

    def shown(self, k: int = 0) -> dict[str, Any]:
        """Return what the k-th frame shows."""
        return self.page.frames[1 + k].evaluate(
            "({ q: [...page.one.lanes[0].q], target: [...page.one.target], name: page.one.name })"
        )

    def until(self, done: Callable[[], bool]) -> None:
        for _ in range(2400):
            if done():
                return
            self.page.wait_for_timeout(25)
        raise AssertionError(f"it never came: {self.widget.q}, {self.widget.target}, {self.wrong}")

    def point(self, x: float, y: float) -> None:
        """Move the mouse into the frame, which hears of none until it was first drawn."""
        inner = self.page.frames[1]
        inner.evaluate("addEventListener('pointermove', () => { window.pointed = true; })")

        def heard() -> bool:
            self.page.mouse.move(x + 30, y + 30)
            self.page.mouse.move(x, y)
            return bool(inner.evaluate("window.pointed === true"))

        self.until(heard)


def near(q: Any, target: Any) -> bool:
    return bool(np.linalg.norm(ARM.fk(q)[:3, 3] - target) < 2e-3)


@pytest.mark.skipif(CHROMIUM is None, reason="not on this machine: chromium")
def test_page_and_kernel_tell_each_other(browser: Any) -> None:
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    start = np.array([0.3, -1.2, 1.4, -0.5, 0.9, 0.2])
    widget = hk.view({"arm": ARM, "plane": hk.data("planar9")}, {"arm": start}).widget()
    both = Notebook(browser, widget)
    page = both.page
    both.until(lambda: both.saves > 0)
    assert near(widget.q, widget.target)

    # the reader drags the ball
    before = widget.target
    inner = page.frames[1]
    at = inner.evaluate("page.picture.eye.seen(page.one.target)")
    box = inner.locator("#picture").bounding_box()
    both.point(box["x"] + at["x"], box["y"] + at["y"])
    page.mouse.down()
    page.mouse.move(box["x"] + at["x"] - 12, box["y"] + at["y"] - 9, steps=3)
    page.mouse.up()
    both.until(lambda: widget.target == both.shown()["target"] != before)
    assert widget.q == both.shown()["q"]
    assert near(widget.q, widget.target)

    # a target from Python: the solvers follow, and their answer comes back
    aim = ARM.fk(start + 0.2)[:3, 3].tolist()
    saves = both.saves
    widget.target = aim
    both.send()
    both.until(lambda: both.saves > saves)
    assert both.shown()["target"] == widget.target == aim
    assert both.shown()["q"] == widget.q
    assert near(widget.q, aim)

    # a posture from Python, while another figure is chosen: it is shown as it is, with the ball at its frame
    inner.select_option("#figure", "1")
    saves = both.saves
    widget.q = start
    both.send()
    both.until(lambda: both.saves > saves)
    assert both.shown()["name"] == "arm"
    assert both.shown()["q"] == widget.q == start.tolist()
    assert np.allclose(widget.target, ARM.fk(start)[:3, 3], atol=1e-12)

    # one after the other, before the page has answered: it solves from there
    far = ARM.fk(start + 0.4)[:3, 3].tolist()
    page.evaluate(
        """async ([q, target]) => {
          model.set('q', q);
          await new Promise((done) => setTimeout(done));
          model.set('target', target);
        }""",
        [(start + 0.3).tolist(), far],
    )
    both.until(lambda: widget.target == far)
    assert near(widget.q, far)
    assert both.shown()["q"] == widget.q
    assert both.shown()["target"] == far
    assert np.abs(np.array(widget.q) - start - 0.3).max() < 1.0  # from there, not from elsewhere

    # both at once are shown as they are, and the next drag goes on from there
    inner.select_option("#figure", "1")
    held = (start - 0.1).tolist()
    with widget.hold_trait_notifications():
        widget.q, widget.target = held, aim
    both.send()
    both.until(lambda: both.shown()["q"] == held)
    page.wait_for_timeout(100)
    assert widget.q == held
    assert both.shown()["target"] == aim == widget.target
    inner.locator("#picture").press("ArrowUp")
    both.until(lambda: widget.target != aim)
    assert near(widget.q, widget.target)

    # the same widget shown once more begins where it is, and the two follow each other
    state = both.shown()
    page.evaluate("() => { window.second = mount(); }")
    both.until(
        lambda: len(page.frames) == 3
        and page.frames[2].evaluate("'page' in window && !!page.heard")
    )
    assert both.shown(1) == state
    page.frames[2].locator("#picture").press("ArrowDown")
    both.until(lambda: both.shown(0) == both.shown(1) != state)
    assert both.shown()["q"] == widget.q
    # another answer to the same target: the ball stays, in both
    state = both.shown()
    inner.select_option("#solver", "ccd")
    both.until(lambda: both.shown(0)["q"] == both.shown(1)["q"] != state["q"])
    both.until(lambda: both.shown(0) == both.shown(1))
    assert both.shown()["target"] == state["target"] == widget.target
    page.evaluate("() => second()")
    both.until(lambda: page.evaluate("document.querySelectorAll('iframe').length") == 1)
    assert page.evaluate("heard['change:q'].length") == 1
    assert not both.wrong
    assert not [url for url in both.asked if not url.startswith(("blob:", "about:", "data:"))]
    page.context.close()


@pytest.mark.skipif(CHROMIUM is None, reason="not on this machine: chromium")
def test_the_ball_stays_under_the_pointer_whatever_python_sets(browser: Any) -> None:
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    start = np.array([0.3, -1.2, 1.4, -0.5, 0.9, 0.2])
    widget = hk.view(ARM, start).widget()
    both = Notebook(browser, widget)
    page, inner = both.page, both.page.frames[1]
    both.until(lambda: both.saves > 0)
    box = inner.locator("#picture").bounding_box()

    def ball() -> np.ndarray:
        at = inner.evaluate("page.picture.eye.seen(page.one.target)")
        return np.array([box["x"] + at["x"], box["y"] + at["y"]])

    x, y = ball() + [2, -1]
    both.point(x, y)
    page.mouse.down()
    page.mouse.move(x - 10, y - 8)
    saves, first = both.saves, np.array(widget.target)
    widget.target = first + [0.0, 0.0, 0.2]
    both.send()
    both.until(lambda: both.saves > saves)
    page.mouse.move(x - 14, y - 10)
    drawn(inner)
    assert np.allclose(ball(), [x - 16, y - 9], atol=0.01)
    # set to where it is, it has no answer: that is no fault when the ball is let go
    with widget.hold_trait_notifications():
        widget.q, widget.target = start, first
    both.send()
    both.until(lambda: both.shown()["q"] == start.tolist())
    page.mouse.up()
    drawn(inner)
    assert inner.locator("#said").inner_text() == ""
    # farther than a card can count: it is told of, and the next target is reached as ever
    widget.target = [1e300, 0.0, 0.0]
    both.send()
    both.until(lambda: inner.locator("#said").inner_text() not in ("", "auto: converged"))
    widget.target = first
    both.send()
    both.until(lambda: near(widget.q, first))
    assert not both.wrong
    page.context.close()


@pytest.mark.skipif(CHROMIUM is None, reason="not on this machine: chromium")
def test_what_others_say_is_not_heard(browser: Any) -> None:
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    widget = hk.view(ARM).widget()
    both = Notebook(browser, widget)
    page = both.page
    both.until(lambda: both.saves > 0)
    page.wait_for_timeout(100)
    q, saves, state = list(widget.q), both.saves, both.shown()
    turn = page.frames[1].evaluate("page.heard")
    good = {"handik": "state", "turn": turn, "q": [0.1] * 6, "target": [0.1, 0.2, 0.3]}
    page.evaluate("(said) => window.postMessage(said, '*')", good)  # not the frame's window
    bad: list[Any] = [
        None,
        3,
        [],
        {},
        {**good, "q": [0.1] * 5},
        {**good, "q": "abcdef"},
        {**good, "target": None},
    ]
    bad += [
        {**good, "target": ["1", "2", "3"]},
        {**good, "handik": "else"},
        {**good, "turn": turn - 1},
    ]
    say = "(said) => parent.postMessage(said, '*')"
    for said in bad:
        page.frames[1].evaluate(say, said)
    for value in ("NaN", "Infinity"):
        page.frames[1].evaluate(
            f"(said) => parent.postMessage({{ ...said, target: [0, 0, {value}] }}, '*')", good
        )
    page.wait_for_timeout(200)
    assert both.saves == saves
    assert widget.q == q
    # nor does the page hear another window, or what does not fit
    told = {"handik": "set", "turn": turn + 1, "q": [0.1] * 6}
    page.frames[1].evaluate("(told) => window.postMessage(told, '*')", told)
    set_ = "(told) => frames[0].postMessage(told, '*')"
    for wrong in (
        None,
        3,
        {**told, "q": [0.1] * 7},
        {**told, "q": None},
        {**told, "turn": "1"},
        {**told, "handik": "state"},
        {**told, "target": [0.1, 0.2]},
    ):
        page.evaluate(set_, wrong)
    page.evaluate(
        "(told) => frames[0].postMessage({ ...told, q: [0, 0, 0, 0, 0, NaN] }, '*')", told
    )
    page.wait_for_timeout(200)
    assert both.shown() == state
    # what fits is heard, on both sides
    page.frames[1].evaluate(say, good)
    both.until(lambda: widget.q == good["q"])
    page.evaluate(set_, told)
    both.until(lambda: both.shown()["q"] == told["q"])
    assert not both.wrong
    page.context.close()
