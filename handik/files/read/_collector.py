"""Python's cyclic garbage collector, held back while something large is read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["no_collection"]


@contextmanager
def no_collection() -> Iterator[None]:
    """Hold the cyclic garbage collector back while a tree grows.

    Everything a reader makes is live until it is done, and without cycles; looking through it
    again and again takes a third of the time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
