"""HANDIK_LATE=0.2: each message between page and Python takes so many seconds, so that a test that does not wait fails."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest


@contextmanager
def late(seconds: float) -> Iterator[None]:
    """Have each message of the application, and of its stand-in, take so long."""
    from stand_in import StandIn

    from handik.app._connection import Connection

    with pytest.MonkeyPatch.context() as patch:
        heard, sent = Connection._frame, Connection.send
        queues: dict[Any, asyncio.Lock] = {}

        async def hear(self: Any, frame: Any) -> None:
            await asyncio.sleep(seconds)
            await heard(self, frame)

        async def send(self: Any, frame: Any) -> None:
            async with queues.setdefault(self, asyncio.Lock()):  # in their order
                await asyncio.sleep(seconds if isinstance(frame, str) else seconds / 10)
                await sent(self, frame)

        patch.setattr(Connection, "_frame", hear)
        patch.setattr(Connection, "send", send)
        for name in ("_frame", "_said"):
            whole = getattr(StandIn, name)

            def late(self: Any, *given: Any, whole: Any = whole) -> None:
                time.sleep(seconds)
                whole(self, *given)

            patch.setattr(StandIn, name, late)
        yield
