"""Threads of a share that nobody waits for any more end their work soon."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

import handik as hk
from handik.scene.access import _cases, _halt

ARMS = [hk.chain([0.3, 0.2 + 0.01 * k]) for k in range(4)]
AWAITED = 20.0  # seconds after which work counts as never ended


def test_a_thread_of_a_pool_that_ends_is_told_and_no_other() -> None:
    begun, ended = threading.Event(), list[str]()

    def work(k: int) -> int:
        end = time.monotonic() + AWAITED
        while k and time.monotonic() < end:
            begun.set()
            try:
                _halt.heed()
                tick = _halt.tick_of_thread()
                assert tick is not None
                tick(1, 2)
            except _halt.Halted:
                ended.append("told")
                raise
        return k

    with _halt.halting_pool(2) as mapped:
        found = mapped(work, range(2))  # kept: else what has not begun is cancelled
        assert next(found) == 0
        assert begun.wait(AWAITED)
    assert ended == ["told"]
    _halt.heed()
    assert _halt.tick_of_thread() is None


def test_nobody_is_asked_of_more_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second arm is in the midst of its first case when the call ends: it is asked of no other."""
    real, asked = _cases.reach_beside, list[Any]()
    within, over = threading.Event(), threading.Event()

    def slow(beside: Any, figure: Any, *given: Any) -> Any:
        if figure is ARMS[1]:
            asked.append(given)
            within.set()
            assert over.wait(AWAITED)
        return real(beside, figure, *given)

    class Told(threading.Event):
        def set(self) -> None:
            super().set()
            over.set()

    def stop(done: int, count: int) -> None:
        assert within.wait(AWAITED)
        raise KeyboardInterrupt

    monkeypatch.setattr(_cases, "reach_beside", slow)
    monkeypatch.setattr(_halt, "Event", Told)
    cases: dict[str, Any] = {"a": None, "b": [0, 0.2, 0], "c": [0, -0.2, 0]}
    with pytest.raises(KeyboardInterrupt):
        hk.access.share(ARMS, None, [[0.45, 0, 0]], variants=cases, threads=2, progress=stop)
    assert len(asked) == 1


def test_a_search_of_such_a_thread_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long call of the core ends as its progress does, with the same answer where it goes on."""
    arm, told = hk.data("ur5"), list[int]()
    monkeypatch.setattr(_halt, "_told", lambda done, total: told.append(total))
    monkeypatch.setattr(_halt._OWN, "stop", threading.Event(), raising=False)
    scene = hk.Scene().add(
        "box", hk.scene.Box((0.1, 0.1, 0.1)), pose=((0.4, 0.2, 0.2), (1, 0, 0, 0))
    )
    body = hk.Figure(arm, [hk.Capsule("link_6", (0, 0, 0), (0, 0, 0.1), 0.05)])
    at = [[0.4, 0.2, 0.28], [0.43, 0.25, 0.3]]
    one = hk.access.reach(body, scene, at, frame="link_6")
    assert told
    monkeypatch.undo()
    other = hk.access.reach(body, scene, at, frame="link_6")
    assert one.verdict.tolist() == other.verdict.tolist()
    assert one.q.tobytes() == other.q.tobytes()
