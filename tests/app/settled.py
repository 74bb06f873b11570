"""An application whose page is waited for: what a test reads or does comes after all that was done before it.

Without it a test that reads what a click did is right or wrong by chance, as the machine is quick or slow.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from handik.app._connection import Connection
from handik.app._server import App

#: Messages of the page, those that it heard, and whether it draws; after a frame, in which it may have said more.
STATE = """() => new Promise((tell) => requestAnimationFrame(() => setTimeout(() => {
  const { sent, heard } = document.documentElement.dataset;
  tell([Number(sent), Number(heard)]);
}, 0)))"""


@contextmanager
def counted() -> Iterator[None]:
    """Count what each connection of the server sent, and what it has done of what came."""
    heard, send = Connection._frame, Connection.send

    async def hear(self: Any, frame: Any) -> None:
        try:
            await heard(self, frame)
        finally:
            self.done_frames = getattr(self, "done_frames", 1) + 1  # the first is its hello

    async def tell(self: Any, frame: Any) -> None:
        self.sent_frames = getattr(self, "sent_frames", 0) + 1
        try:
            await send(self, frame)
        except ConnectionClosed:
            pass

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connection, "_frame", hear)
        patch.setattr(Connection, "send", tell)
        yield


class Watched(App):
    """Read and told by a test, it waits until page and Python agree; jobs go on."""

    page: Any = None
    server: Any = None
    _within = False

    @contextmanager
    def _settled(self) -> Iterator[None]:
        ours = threading.current_thread() is threading.main_thread()
        if self.page is None or self._within or not ours:
            yield
            return
        self._within = True
        try:
            settle(self.page, self._counts)
            yield
        finally:
            self._within = False

    def _counts(self) -> list[tuple[int, int]]:
        async def quiet() -> list[tuple[int, int]]:
            async with self.server._telling:  # after all that is being told
                return [
                    (getattr(one, "done_frames", 1), getattr(one, "sent_frames", 0))
                    for one in self.server.pages
                    if not (one.busy.locked() or (one.slots and one.live))
                ]

        return asyncio.run_coroutine_threadsafe(quiet(), self.server.loop).result(20)

    @property
    def document(self) -> Any:
        with self._settled():
            return super().document

    @property
    def view(self) -> Any:
        with self._settled():
            return self._own_view

    @view.setter
    def view(self, view: Any) -> None:
        self._own_view = view

    def do(self, action: str, /, **args: Any) -> str:
        with self._settled():
            said = super().do(action, **args)
        with self._settled():
            return said


def settle(page: Any, counts: Callable[[], list[tuple[int, int]]]) -> None:
    """Wait until what a page sent and heard is what one of Python's connections did and sent."""
    for _ in range(3000):
        state = tuple(page.evaluate(STATE))
        if state in counts():
            return
        page.wait_for_timeout(20)
    pytest.fail(f"page and Python do not agree: {state}, {counts()}")
