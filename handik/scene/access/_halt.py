"""Work in threads that ends soon after nobody waits for it any more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, local
from typing import Any

__all__ = ["Halted", "halting_pool", "heed", "tick_of_thread"]

_OWN = local()


class Halted(BaseException):
    """Raised by `heed` in a thread whose work is in vain; nobody sees it."""


def heed() -> None:
    """Raise `Halted` in a thread of a pool that ends: Ctrl-C reaches the main thread alone.

    Called where something else is begun that takes a while.
    """
    stop = getattr(_OWN, "stop", None)
    if stop is not None and stop.is_set():
        raise Halted


def tick_of_thread() -> Callable[[int, int], None] | None:
    """Return what a long call of the core tells its progress, so that it heeds; None: no need."""
    return None if getattr(_OWN, "stop", None) is None else _told


def _told(done: int, total: int) -> None:
    heed()


def _begin(stop: Event) -> None:
    _OWN.stop = stop


@contextmanager
def halting_pool(threads: int) -> Iterator[Callable[..., Any]]:
    """Give a map in the order asked, in threads; an error or Ctrl-C leaves the rest undone."""
    stop = Event()
    pool = ThreadPoolExecutor(threads, initializer=_begin, initargs=(stop,))
    try:
        yield pool.map
    finally:
        stop.set()
        pool.shutdown(cancel_futures=True)
